/* Queries: making them, keeping them right as archetypes appear, asking them.
 *
 * From its first iteration on a query keeps the archetypes it matches in order of their ids. A new
 * archetype is added to every such query it matches as it is created; room for that is made before,
 * so that it cannot fail half way. Queries belong to their world, which frees those left. */
#include "query/query.h"

#include "query/cut.h"
#include "query/matches.h"
#include "query/observe.h"
#include "query/text.h"
#include "query/walk.h"
#include "stoa/resume.h"
#include "storage/archetype.h"

#include <string.h>

uint32_t stoa__query_weight(const stoa_query *query) {
    /* One that is barred must come to where that is seen. */
    bool open = query->once || query->terms.empty || stoa__query_barred(query);
    return query->terms.heavy ? STOA_QUERY_HEAVY : open ? STOA_QUERY_OPEN : STOA_QUERY_LIGHT;
}

stoa_status stoa__query_bar(const stoa_query *query) {
    return stoa__error(STOA_ACCESS, "query '%s' writes, and the world is read only",
                       stoa_query_name(query));
}

static stoa_status archetype_prepare(void *user) {
    stoa_world *world = user;
    for (stoa_query *query = world->queries; query != NULL; query = query->next) {
        if (query->listed && !stoa__matches_reserve(query, query->head.count + 1)) {
            return stoa__error_memory("a query's matches");
        }
    }
    return STOA_OK;
}

static void archetype_added(void *user, stoa__archetype *archetype) {
    stoa_world *world = user;
    for (stoa_query *query = world->queries; query != NULL; query = query->next) {
        uint64_t bits = query->listed ? stoa__matches_bits(query, archetype->index / 64) : 0;
        if ((bits >> archetype->index % 64 & 1) != 0) {
            stoa__matches_add(query, &archetype->head);
        }
    }
}

static const stoa__archetype *match_archetype(const stoa_query *query, uint32_t i) {
    return (const stoa__archetype *)(const void *)stoa__match_at(query, i)->archetype;
}

/* The matches are in order of archetypes, so those that are hidden come last. */
static void archetypes_hidden(void *user, uint32_t count) {
    stoa_world *world = user;
    for (stoa_query *query = world->queries; query != NULL; query = query->next) {
        while (query->head.count > query->terms.empty &&
               match_archetype(query, query->head.count - 1)->index >= count) {
            query->head.count--;
        }
    }
}

static void queries_free(stoa_world *world) {
    stoa__observe_free_all(world);
    stoa__query_empties_drop(world);
    while (world->queries != NULL) {
        stoa__query_delete(world->queries);
    }
}

static const char *query_open_name(const stoa_world *world) {
    const stoa_query *query = world->queries;
    while (query != NULL && query->head.open == 0) {
        query = query->next;
    }
    return query != NULL ? stoa_query_name(query) : "";
}

static stoa_status query_check(const stoa_query *query) {
    const stoa__storage *storage = &query->head.world->storage;
    uint32_t at = query->listed && query->terms.empty;
    if (at > 0 && stoa__match_at(query, 0)->archetype != &query->head.world->empties.head) {
        return stoa__error(STOA_CORRUPT, "query '%s' does not list entities without components",
                           stoa_query_name(query));
    }
    for (uint32_t word = 0; query->listed && word * 64 < storage->archetype_count; word++) {
        for (uint64_t bits = stoa__matches_bits(query, word); bits != 0; bits &= bits - 1, at++) {
            const stoa__archetype *archetype =
                storage->archetypes[word * 64 + stoa__bit_lowest(bits)];
            if (at >= query->head.count || match_archetype(query, at) != archetype) {
                return stoa__error(STOA_CORRUPT, "query '%s' does not list archetype %u",
                                   stoa_query_name(query), archetype->index);
            }
        }
    }
    return at == query->head.count
               ? STOA_OK
               : stoa__error(STOA_CORRUPT, "query '%s' lists archetypes that do not match",
                             stoa_query_name(query));
}

static stoa_status queries_check(const stoa_world *world) {
    uint32_t open = 0, count = 0;
    for (const stoa_query *query = world->queries; query != NULL; query = query->next) {
        stoa_status status = query_check(query);
        if (status != STOA_OK) {
            return status;
        }
        open += query->head.open;
        count++;
    }
    uint32_t told = world->storage.head.open & STOA__OPEN_ITER;
    return open == told && count == world->query_count
               ? STOA_OK
               : stoa__error(STOA_CORRUPT, "%u queries with %u iterations counted, not %u, %u",
                             count, open, world->query_count, told);
}

static size_t queries_bytes(const stoa_world *world) {
    size_t bytes = stoa__query_empties_bytes(world) + stoa__observe_bytes(world);
    for (const stoa_query *query = world->queries; query != NULL; query = query->next) {
        bytes += sizeof *query + (size_t)query->match_capacity * query->head.match_size +
                 (query->name != NULL ? strlen(query->name) + 1 : 0) + stoa__walk_bytes(query) +
                 stoa__cut_bytes(query);
    }
    return bytes;
}

/* A last run that is older than every tick is as old as it need be. */
static void queries_sweep(stoa_world *world, uint32_t tick, uint32_t age) {
    for (stoa_query *query = world->queries; query != NULL; query = query->next) {
        if (tick - query->head.last_run > age + 1) {
            query->head.last_run = tick - age - 1;
        }
        stoa__walk_sweep(query, tick, age);
    }
}

static void queries_seal(stoa_world *world) {
    for (stoa_query *query = world->queries; query != NULL; query = query->next) {
        if (query->listed && query->shared == 0) {
            query->head.light = stoa__query_weight(query);
        }
        if (query->cut != NULL && stoa__query_barred(query)) {
            query->cut->part_count = 0;
        }
    }
}

static bool queries_shared(const stoa_world *world) {
    const stoa_query *query = world->queries;
    while (query != NULL && (query->shared == 0 || query->terms.writes == 0)) {
        query = query->next;
    }
    return query != NULL;
}

static void runs_save(const stoa_world *world, stoa__run_note *notes) {
    for (const stoa_query *query = world->queries; query != NULL; query = query->next) {
        *notes++ = (stoa__run_note){query->id, query->head.last_run, query->ran};
    }
}

static void runs_load(stoa_world *world, const stoa__run_note *notes, uint32_t count) {
    uint32_t i = 0;
    for (stoa_query *query = world->queries; query != NULL; query = query->next) {
        /* Both lists have the youngest first, that is the largest id. */
        while (i < count && notes[i].id > query->id) {
            i++;
        }
        bool known = i < count && notes[i].id == query->id;
        query->head.last_run =
            known ? notes[i].last_run : world->storage.head.tick - STOA__TICK_AGE;
        query->ran = known && notes[i].ran;
    }
}

static const stoa__query_ops query_ops = {
    queries_free,  query_open_name,     queries_check,        queries_bytes,
    queries_sweep, stoa__observe_leave, stoa__observe_enter,  stoa__observe_remove,
    queries_seal,  queries_shared,      stoa__observe_forget, runs_save,
    runs_load};

void stoa__query_install(stoa_world *world) {
    world->query_ops = &query_ops;
    world->empties.columns = world->storage.archetypes[0]->columns;
    world->empties.head.chunks = &world->empties_chunk;
    world->storage.watch =
        (stoa__watch){archetype_prepare, archetype_added, archetypes_hidden, world};
}

static void query_enter(stoa_world *world, stoa_query *query) {
    query->next = world->queries;
    if (world->queries != NULL) {
        world->queries->previous = query;
    }
    world->queries = query;
    world->query_count++;
    query->id = ++world->query_last;
    stoa__query_install(world);
}

static void query_free_memory(stoa_query *query) {
    stoa__heap *heap = &query->head.world->storage.heap;
    stoa__cut_free(query);
    stoa__walk_free_all(query);
    stoa__heap_text_free(heap, query->name);
    stoa__heap_grow_free(heap, query->head.matches, query->match_capacity, query->head.match_size);
    stoa__heap_free(heap, query, sizeof *query, _Alignof(stoa_query));
}

stoa_query *stoa__query_make(stoa_world *world, const stoa_query_desc *desc, bool once) {
    if ((world->storage.head.open & STOA__OPEN_FORK) != 0) {
        stoa__error(STOA_FORKED, "a query cannot be made while command buffers are filled");
        return NULL;
    }
    stoa__heap *heap = &world->storage.heap;
    stoa_query *query = stoa__heap_alloc(heap, sizeof *query, _Alignof(stoa_query));
    if (query == NULL) {
        stoa__error_memory("a query");
        return NULL;
    }
    /* Everything before the terms; those, and the name to be made, are written where they are
     * valid. */
    memset(query, 0, offsetof(stoa_query, terms));
    query->made_name[0] = '\0';
    query->head.world = world;
    query->head.last_run = world->storage.head.tick - STOA__TICK_AGE;
    query->once = once;
    if (stoa__terms_read(world, desc, &query->terms) != STOA_OK) {
        query_free_memory(query);
        return NULL;
    }
    if (stoa__query_barred(query)) {
        stoa__query_bar(query);
        query_free_memory(query);
        return NULL;
    }
    query->head.match_size = stoa__matches_size(&query->terms);
    query->name = desc->name != NULL ? stoa__heap_text(heap, desc->name) : NULL;
    if (desc->name != NULL && query->name == NULL) {
        stoa__error_memory("a query");
        query_free_memory(query);
        return NULL;
    }
    query_enter(world, query);
    return query;
}

void stoa__query_delete(stoa_query *query) {
    stoa_world *world = query->head.world;
    if (query->previous != NULL) {
        query->previous->next = query->next;
    } else {
        world->queries = query->next;
    }
    if (query->next != NULL) {
        query->next->previous = query->previous;
    }
    world->query_count--;
    query_free_memory(query);
}

stoa_query *stoa_query_new(stoa_world *world, const stoa_query_desc *desc) {
    if (world == NULL || desc == NULL) {
        stoa__world_null(world, world == NULL ? "world" : "description");
        return NULL;
    }
    stoa_query *query = stoa__query_make(world, desc, false);
    if (query == NULL) {
        stoa__world_report(world, stoa_last_error().status);
    }
    return query;
}

stoa_query *stoa_query_parse(stoa_world *world, const char *text) {
    stoa_query_desc desc = {.name = NULL};
    stoa_status status = stoa__query_text(world, text, &desc);
    if (status != STOA_OK) {
        stoa__world_report(world, status);
        return NULL;
    }
    return stoa_query_new(world, &desc);
}

stoa_status stoa_query_free(stoa_query *query) {
    if (query == NULL) {
        return STOA_OK;
    }
    if (query->head.open != 0 || query->shared != 0) {
        return stoa__world_report(query->head.world,
                                  stoa__error(STOA_ITERATING, "query '%s' is freed while it is %s",
                                              stoa_query_name(query),
                                              query->head.open != 0 ? "iterated" : "shared"));
    }
    stoa__query_delete(query);
    return STOA_OK;
}

uint64_t stoa_query_id(const stoa_query *query) {
    return query != NULL ? query->id : 0;
}

const char *stoa_query_name(const stoa_query *query) {
    if (query == NULL) {
        stoa__world_null(NULL, "query");
        return "";
    }
    if (query->name == NULL && query->made_name[0] == '\0') {
        stoa__terms_print(&query->terms, ((stoa_query *)(uintptr_t)query)->made_name,
                          sizeof query->made_name);
    }
    return query->name != NULL ? query->name : query->made_name;
}

stoa_query *stoa_query_next(const stoa_world *world, const stoa_query *query) {
    if (world == NULL || (query != NULL && query->head.world != world)) {
        return NULL;
    }
    /* The list of the world has the youngest first. */
    stoa_query *next = query != NULL ? query->previous : world->queries;
    while (query == NULL && next != NULL && next->next != NULL) {
        next = next->next;
    }
    while (next != NULL && next->once) {
        next = next->previous;
    }
    return next;
}

stoa_query *stoa_query_find(const stoa_world *world, const char *name) {
    stoa_query *query = name != NULL ? stoa_query_next(world, NULL) : NULL;
    while (query != NULL && strcmp(stoa_query_name(query), name) != 0) {
        query = stoa_query_next(world, query);
    }
    return query;
}

uint32_t stoa__query_since(const stoa_query *query) {
    return query->ran || !query->terms.timed
               ? query->head.last_run
               : query->head.world->storage.head.tick - STOA__QUERY_AGE;
}

uint32_t stoa_query_last_run(const stoa_query *query) {
    if (query == NULL) {
        stoa__world_null(NULL, "query");
        return 0;
    }
    return stoa__query_since(query);
}

stoa_status stoa_query_run_get(const stoa_query *query, stoa_query_run *run) {
    if (query == NULL || run == NULL) {
        return stoa__world_null(query != NULL ? query->head.world : NULL,
                                query == NULL ? "query" : "run");
    }
    *run = (stoa_query_run){query->head.last_run, query->ran};
    return STOA_OK;
}

stoa_status stoa_query_run_set(stoa_query *query, stoa_query_run run) {
    if (query == NULL) {
        return stoa__world_null(NULL, "query");
    }
    if (query->head.open != 0) {
        return stoa__world_report(
            query->head.world,
            stoa__error(STOA_ITERATING, "query '%s' is iterated", stoa_query_name(query)));
    }
    query->head.last_run = run.tick;
    query->ran = run.ran;
    return STOA_OK;
}

stoa_status stoa_query_follow(stoa_query *query, const stoa_query *other) {
    if (query == NULL || other == NULL) {
        return stoa__world_null(query != NULL ? query->head.world : NULL, "query");
    }
    if (query->head.world != other->head.world || query->head.open != 0) {
        return stoa__world_report(
            query->head.world,
            stoa__error(query->head.open != 0 ? STOA_ITERATING : STOA_INVALID,
                        "query '%s' is iterated, or of another world than the one it follows",
                        stoa_query_name(query)));
    }
    query->head.last_run = other->head.last_run;
    query->ran = other->ran;
    return STOA_OK;
}
