/* Walking a query: the parts of an iteration that happen once for each archetype or less.
 *
 * While an iteration is open its world refuses structural changes, so the pointers it holds stay
 * good. One that goes by runs has a walk, which its query keeps for the next. */
#include "query/iter.h"

#include "query/walk.h"

#include "storage/archetype.h"

/* Lists the entities without components, for as long as iterations need them. */
static stoa_status empties_list(stoa_world *world) {
    const stoa__storage *storage = &world->storage;
    if (storage->empty_count == 0 || world->empties.chunk_count > 0) {
        return STOA_OK;
    }
    stoa_entity *list =
        stoa__heap_alloc(&world->storage.heap, storage->empty_count * sizeof *list, STOA__LINE);
    if (list == NULL) {
        return stoa__error_memory("a list of entities without components");
    }
    int32_t count = 0;
    for (uint32_t i = 1; i < storage->head.record_count; i++) {
        const stoa_record *record = &storage->head.records[i];
        if ((record->generation & STOA__DEAD) == 0 && record->place >> STOA_PLACE_BITS == 0) {
            list[count++] = (stoa_entity){i, record->generation};
        }
    }
    world->empties_chunk = (stoa_chunk){(uint8_t *)(void *)list, 0, count};
    world->empties.chunk_count = 1;
    return STOA_OK;
}

void stoa__query_empties_drop(stoa_world *world) {
    if (world->empties.chunk_count > 0) {
        stoa__heap_free(&world->storage.heap, world->empties_chunk.data,
                        (size_t)world->empties_chunk.count * sizeof(stoa_entity), STOA__LINE);
        world->empties.chunk_count = 0;
    }
}

/* Begins an iteration: makes lists that are missing and counts it. The thread's error is set, not
 * reported. */
static stoa_status query_begin(stoa_query *query, stoa__walk **walk) {
    stoa_world *world = query->head.world;
    stoa_status status = query->listed ? STOA_OK : stoa__query_list(query);
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

stoa_iter stoa__iter_start(stoa_query *query, uint32_t since, bool run) {
    stoa__walk *walk = NULL;
    stoa_status status = query_begin(query, &walk);
    if (status != STOA_OK) {
        stoa__world_report(query->head.world, status);
        return (stoa_iter){.query = NULL};
    }
    stoa_iter it = {.world = query->head.world, .query = query, .walk = (stoa_walk_head *)walk};
    if (walk != NULL) {
        stoa__walk_begin(walk, it.world, &query->terms, query, since);
        walk->run = run;
    } else {
        it.offsets_base = query->head.offsets;
        it.match = query->head.matches;
        it.match_end = query->head.matches + query->head.count;
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
    query->head.last_run = query->head.world->storage.head.tick;
    query_end(query);
}

/* Ends an iteration by runs, early or not. */
static void walk_end(stoa_query *query, stoa__walk *walk, bool whole) {
    stoa_world *world = query->head.world;
    bool ran = whole && walk->run, timed = query->terms.timed;
    walk->busy = false;
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
    if (query == NULL || walk == NULL) {
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
    it->chunk = it->chunk_end;
    it->match = it->match_end;
    it->run = it->run_end;
    it->count = 0;
    it->fields = 0;
    it->query = NULL;
    it->walk = NULL;
    if (walk != NULL) {
        walk_end(query, walk, false);
    } else {
        query_end(query);
    }
}

void stoa_match_resolve(const stoa_query *query, stoa_match *match) {
    const stoa_archetype_head *archetype = match->archetype;
    uint32_t *offsets = query->head.offsets + match->first;
    uint64_t fields = 0;
    for (uint32_t i = 0; i < query->terms.count; i++) {
        const stoa_column *column = stoa_archetype_column(archetype, query->terms.ids[i]);
        if (column != NULL) {
            offsets[i] = column->offset;
            fields |= query->terms.fields & (uint64_t)0x100000001u << i;
        }
    }
    for (uint32_t left = query->terms.marks; left != 0; left &= left - 1) {
        uint32_t i = stoa__bit_lowest(left);
        if ((fields >> i & 1) != 0) {
            const void *owner = archetype;
            offsets[query->terms.count + i] =
                stoa__archetype_lane(owner, query->terms.ids[i], STOA__LANE_CHANGED)->offset;
        }
    }
    match->fields = fields;
    match->version = archetype->version;
}
