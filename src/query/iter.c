/* Walking a query: the parts of an iteration that happen once for each archetype or less.
 *
 * While an iteration is open its world refuses structural changes, so the pointers it holds stay
 * good. One that goes by runs has a walk, which its query keeps for the next. */
#include "query/iter.h"

#include "query/cut.h"
#include "query/matches.h"
#include "query/walk.h"
#include "storage/archetype.h"
#include "world/guard.h"

/* Iterations of one query that threads can have at once. */
#define THREADS_MAX 4096
/* Rows of a run from which on the chunk after it is asked for, and cache lines of each column. */
#define ROWS_AHEAD 256
#define LINES_AHEAD 8u
/* Tables of columns that are no further apart are of one group: another has a chunk in between. */
#define GROUP_BYTES 4096u

/* Bytes of a list of entities without components: before it comes a line with its columns. */
static size_t empties_size(size_t count) {
    return STOA__LINE + count * sizeof(stoa_entity);
}

size_t stoa__query_empties_bytes(const stoa_world *world) {
    return world->empties.head.chunk_count > 0 ? empties_size((uint32_t)world->empties_chunk.count)
                                               : 0;
}

/* Lists the entities without components, for as long as iterations need them. Where only threads
 * to come need a list that is there, it may be out of date. */
static stoa_status empties_list(stoa_world *world) {
    const stoa__storage *storage = &world->storage;
    bool locked = (storage->head.open & (STOA__OPEN_ITER | STOA__OPEN_FORK)) != 0;
    if (locked && world->empties.head.chunk_count > 0) {
        return STOA_OK;
    }
    if (storage->empty_count == 0) {
        stoa__query_empties_drop(world);
        return STOA_OK;
    }
    void *block =
        stoa__heap_alloc(&world->storage.heap, empties_size(storage->empty_count), STOA__LINE);
    if (block == NULL) {
        return stoa__error_memory("a list of entities without components");
    }
    uint8_t **columns = (uint8_t **)block + 1;
    columns[-1] = NULL;
    columns[0] = (uint8_t *)block + STOA__LINE;
    stoa_entity *list = stoa_columns_entities(columns);
    int32_t count = 0;
    for (uint32_t i = 1; i < storage->head.record_count; i++) {
        const stoa_record *record = &storage->head.records[i];
        if (stoa__record_empty(storage->head.records, i)) {
            list[count++] = (stoa_entity){i, record->generation};
        }
    }
    stoa__query_empties_drop(world);
    world->empties_chunk = (stoa_chunk){columns, 0, count};
    world->empties.head.chunk_count = 1;
    return STOA_OK;
}

void stoa__query_empties_drop(stoa_world *world) {
    if (world->empties.head.chunk_count > 0) {
        stoa__heap_free(&world->storage.heap, world->empties_chunk.columns - 1,
                        stoa__query_empties_bytes(world), STOA__LINE);
        world->empties.head.chunk_count = 0;
    }
}

/* True if an iteration is one of several that threads have, which nobody counts. */
static bool query_loose(const stoa_query *query) {
    return query->shared > 0 && (query->head.world->storage.head.open & STOA__OPEN_FORK) != 0;
}

bool stoa__terms_allowed(const stoa_world *world, const stoa__terms *terms, bool data) {
    bool allowed = true;
#ifdef STOA_DEBUG
    for (uint32_t i = 0; i < terms->count && allowed; i++) {
        stoa_access access = terms->items[i].access;
        bool ticks = access == STOA_ACCESS_CHANGED || access == STOA_ACCESS_ADDED;
        if (ticks || (data && (terms->data >> i & 1) != 0)) {
            allowed = stoa__guard_allows(world, terms->ids[i], (terms->writes >> i & 1) != 0);
        }
    }
#else
    (void)world, (void)terms, (void)data;
#endif
    return allowed;
}

/* Begins an iteration: makes lists that are missing and counts it. The thread's error is set, not
 * reported. */
static stoa_status query_begin(stoa_query *query, stoa__walk **walk) {
    stoa_world *world = query->head.world;
    uint32_t barring = world->storage.head.open & (STOA__OPEN_FORK | STOA__OPEN_SEAL);
    if (!STOA_LIKELY(barring == 0) && stoa__query_barred(query)) {
        return stoa__query_bar(query);
    }
    if (!STOA_LIKELY((barring & STOA__OPEN_FORK) == 0)) {
        /* Threads would count it at the same time. */
        return stoa__error(STOA_FORKED,
                           "query '%s' is iterated while command buffers are filled by threads, "
                           "and not shared with them; see stoa_query_share",
                           query->name != NULL ? query->name : query->made_name);
    }
    stoa_status status = query->listed ? STOA_OK : stoa__matches_list(query);
    if (!STOA_LIKELY(query->head.epoch == world->storage.head.epoch) && status == STOA_OK) {
        stoa__matches_resolve(query);
    }
    if (status == STOA_OK && query->terms.heavy) {
        *walk = stoa__walk_take(query);
        status = *walk != NULL ? STOA_OK : stoa__error_memory("the iteration of a query");
    } else if (status == STOA_OK && query->terms.empty) {
        status = empties_list(world);
        world->empties_open += status == STOA_OK;
    }
    if (status == STOA_OK) {
        query->head.open++;
        world->storage.head.open++;
    }
    return status;
}

/* query_begin on a thread, with what stoa_query_share prepared. */
static stoa_status query_begin_loose(stoa_query *query, stoa__walk **walk) {
    if (!query->terms.heavy) {
        return STOA_OK;
    }
    *walk = stoa__walk_take_shared(query);
    if (*walk == NULL) {
        return stoa__error(STOA_LIMIT, "query '%s' is iterated more often than it is shared",
                           stoa_query_name(query));
    }
    (*walk)->loose = true;
    return STOA_OK;
}

stoa_iter stoa__iter_start(stoa_query *query, uint32_t since, bool run) {
    stoa__walk *walk = NULL;
    if (!stoa__terms_allowed(query->head.world, &query->terms, true)) {
        return (stoa_iter){.query = NULL};
    }
    stoa_status status =
        query_loose(query) ? query_begin_loose(query, &walk) : query_begin(query, &walk);
    if (status != STOA_OK) {
        stoa__world_report(query->head.world, status);
        return (stoa_iter){.query = NULL};
    }
    stoa_iter it = {.world = query->head.world, .query = query, .walk = (stoa_walk_head *)walk};
    if (walk != NULL) {
        stoa__walk_begin(walk, it.world, &query->terms, query, since);
        walk->run = run;
    } else {
        it.match = query->head.matches;
        it.match_end = stoa__match_at(query, query->head.count);
        it.match_size = query->head.match_size;
        it.match_few = query->head.count > STOA_MATCH_MANY
                           ? stoa__match_at(query, query->head.count - STOA_MATCH_MANY)
                           : NULL;
        if (query->head.count > 0) {
            stoa_iter_meet(&it, it.match->archetype);
        }
    }
    return it;
}

stoa_iter stoa_query_iter_any(stoa_query *query) {
    if (query == NULL) {
        stoa__world_null(NULL, "query");
        return (stoa_iter){.query = NULL};
    }
    return stoa__iter_start(query, stoa__query_since(query), true);
}

stoa_iter stoa_query_iter_since(stoa_query *query, uint32_t tick) {
    if (query == NULL) {
        stoa__world_null(NULL, "query");
        return (stoa_iter){.query = NULL};
    }
    return stoa__iter_start(query, tick, !query->terms.timed);
}

stoa_iter stoa_query_once(stoa_world *world, const stoa_query_desc *desc) {
    if (world == NULL || desc == NULL) {
        stoa__world_null(world, world == NULL ? "world" : "description");
        return (stoa_iter){.query = NULL};
    }
    stoa_query *query = stoa__query_make(world, desc, true);
    if (query == NULL) {
        stoa__world_report(world, stoa_last_error().status);
        return (stoa_iter){.query = NULL};
    }
    stoa_iter it = stoa__iter_start(query, stoa__query_since(query), true);
    if (it.query == NULL) {
        stoa__query_delete(query);
    }
    return it;
}

/* Counts an iteration as ended; a query that was made for it is gone. */
static void query_end(stoa_query *query) {
    stoa_world *world = query->head.world;
    query->head.open--;
    world->storage.head.open--;
    if (query->terms.empty && !query->terms.heavy && --world->empties_open == 0) {
        stoa__query_empties_drop(world);
    }
    if (query->once) {
        stoa__query_delete(query);
    }
}

void stoa_query_close(stoa_query *query) {
    if (query_loose(query)) {
        return;
    }
    query->head.last_run = query->head.world->storage.head.tick;
    query_end(query);
}

/* Ends an iteration by runs, early or not. */
static void walk_end(stoa_query *query, stoa__walk *walk, bool whole) {
    if (walk->part) {
        return;
    }
    stoa_world *world = query->head.world;
    bool ran = whole && walk->run, timed = query->terms.timed, loose = walk->loose;
    walk->loose = false;
    stoa__walk_release(walk);
    if (loose) {
        return;
    }
    if (ran) {
        query->head.last_run = world->storage.head.tick;
        query->ran = true;
    }
    query_end(query);
    if (ran && timed) {
        stoa__world_tick_step(world, 1);
    }
}

int32_t stoa_walk_fill(stoa_query *query, stoa_walk_head *head) {
    stoa__walk *walk = (stoa__walk *)head;
    if (query == NULL || walk == NULL || head->runs == NULL) {
        return 0;
    }
    if (!stoa__walk_fill(walk)) {
        walk_end(query, walk, true);
        return 0;
    }
    return (int32_t)walk->run_count;
}

void stoa_iter_end(stoa_iter *it) {
    if (it == NULL || it->query == NULL) {
        return;
    }
    stoa_query *query = it->query;
    stoa__walk *walk = (stoa__walk *)it->walk;
    it->left = 0;
    it->soon_left = 0;
    it->match = it->match_end;
    it->run = it->run_end;
    it->count = 0;
    it->fields = 0;
    it->query = NULL;
    it->walk = NULL;
    if (walk != NULL && walk->head.runs != NULL) {
        walk_end(query, walk, false);
    } else if (walk == NULL && !query_loose(query)) {
        query_end(query);
    }
}

/* Prepares what threads need to iterate a query so many times at once, beside those that it is
 * shared by already. The thread's error is set, not reported. */
static stoa_status share_prepare(stoa_query *query, int32_t threads) {
    if (threads < 1) {
        return stoa__error(STOA_INVALID, "sharing by %d threads", threads);
    }
    if (stoa__query_barred(query)) {
        return stoa__query_bar(query);
    }
    if (threads > THREADS_MAX || query->shared_walks > THREADS_MAX) {
        return stoa__error(STOA_LIMIT, "sharing by more than %d threads", THREADS_MAX);
    }
    stoa_status status = query->listed ? STOA_OK : stoa__matches_list(query);
    if (status != STOA_OK) {
        return status;
    }
    if (query->terms.heavy) {
        return stoa__walk_reserve(query, (int32_t)query->shared_walks + threads)
                   ? STOA_OK
                   : stoa__error_memory("the iterations of a query");
    }
    return query->terms.empty ? empties_list(query->head.world) : STOA_OK;
}

stoa_status stoa_query_share(stoa_query *query, int32_t threads) {
    if (query == NULL) {
        return stoa__world_null(NULL, "query");
    }
    stoa_status status = share_prepare(query, threads);
    if (status != STOA_OK) {
        return stoa__world_report(query->head.world, status);
    }
    query->head.world->empties_open += query->terms.empty && !query->terms.heavy;
    stoa__matches_resolve(query);
    /* Made now: threads may ask for it. */
    (void)stoa_query_name(query);
    /* Iterations come here, where it is seen that they are not to be counted. */
    query->head.light = query->terms.heavy ? STOA_QUERY_HEAVY : STOA_QUERY_OPEN;
    query->shared_walks += query->terms.heavy ? (uint32_t)threads : 0;
    query->shared++;
    return STOA_OK;
}

/* Ends iterations that threads left open. */
static void loose_end(stoa_query *query) {
    for (stoa__walk *walk = query->walks; walk != NULL; walk = walk->next) {
        if (walk->loose) {
            walk->loose = false;
            stoa__walk_release(walk);
        }
    }
}

void stoa_query_unshare(stoa_query *query, bool ran) {
    if (query == NULL || query->shared == 0) {
        return;
    }
    stoa_world *world = query->head.world;
    if (--query->shared == 0) {
        loose_end(query);
        query->shared_walks = 0;
        query->head.light = stoa__query_weight(query);
    }
    if (query->terms.empty && !query->terms.heavy && --world->empties_open == 0) {
        stoa__query_empties_drop(world);
    }
    if (ran) {
        query->head.last_run = world->storage.head.tick;
        query->ran = true;
        if (query->terms.timed) {
            stoa__world_tick_step(world, 1);
        }
    }
}

/* Past the last run that is listed: a thread mostly goes on with the part that follows. */
static const stoa_run *runs_end(const stoa_iter *it) {
    const stoa__cut *cut = it->query != NULL ? it->query->cut : NULL;
    return cut != NULL && it->walk == &cut->head ? cut->runs + cut->run_count : it->run_end;
}

/* True if the columns of another chunk follow those of this one in the same group, where the
 * processor comes to them by itself: asking took parallel_light from 1.11 to 1.16. */
static bool columns_follow(const stoa_iter *it, const stoa_run *run) {
    return (uintptr_t)run->columns - (uintptr_t)it->columns < GROUP_BYTES;
}

void stoa_iter_ahead(const stoa_iter *it) {
    const stoa_run *run = it->run;
    if (it->count < ROWS_AHEAD || run == runs_end(it) || run->first != 0 ||
        columns_follow(it, run)) {
        return;
    }
    STOA_PREFETCH(run + 2);
    for (uint32_t bits = (uint32_t)run->fields; bits != 0; bits &= bits - 1) {
        const uint8_t *column = run->columns[run->indexes[stoa__bit_lowest(bits)]];
        STOA_PREFETCH(column - STOA__LINE);
        for (uint32_t line = 0; line < LINES_AHEAD; line++) {
            STOA_PREFETCH(column + (size_t)line * STOA__LINE);
        }
    }
}
