/* Walking a query: the parts of an iteration that happen once for each archetype or less.
 *
 * While an iteration is open its world refuses structural changes, so the pointers it holds stay
 * good. */
#include "query/query.h"

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

/* Begins an iteration: makes lists that are missing and counts it. False with the failure reported.
 */
static bool query_begin(stoa_query *query) {
    stoa_world *world = query->head.world;
    stoa_status status = query->listed ? STOA_OK : stoa__query_list(query);
    if (status == STOA_OK && query->terms.empty) {
        status = empties_list(world);
        world->empties_open += status == STOA_OK;
    }
    if (status != STOA_OK) {
        stoa__world_report(world, status);
        return false;
    }
    query->head.open++;
    world->storage.head.open++;
    return true;
}

static stoa_iter iter_none(void) {
    return (stoa_iter){.query = NULL};
}

/* An iteration that has begun. */
static stoa_iter iter_of(stoa_query *query) {
    return (stoa_iter){.world = query->head.world,
                       .offsets_base = query->head.offsets,
                       .match = query->head.matches,
                       .match_end = query->head.matches + query->head.count,
                       .query = query};
}

stoa_iter stoa_query_iter_any(stoa_query *query) {
    if (query == NULL) {
        stoa__world_null(NULL, "query");
        return iter_none();
    }
    return query_begin(query) ? iter_of(query) : iter_none();
}

stoa_iter stoa_query_once(stoa_world *world, const stoa_query_desc *desc) {
    if (world == NULL || desc == NULL) {
        stoa__world_null(world, world == NULL ? "world" : "description");
        return iter_none();
    }
    stoa_query *query = stoa__query_make(world, desc, true);
    if (query == NULL) {
        stoa__world_report(world, stoa_last_error().status);
        return iter_none();
    }
    if (!query_begin(query)) {
        stoa__query_delete(query);
        return iter_none();
    }
    return iter_of(query);
}

void stoa_query_close(stoa_query *query) {
    stoa_world *world = query->head.world;
    query->head.open--;
    world->storage.head.open--;
    if (query->terms.empty && --world->empties_open == 0) {
        stoa__query_empties_drop(world);
    }
    if (query->once) {
        stoa__query_delete(query);
    }
}

void stoa_iter_end(stoa_iter *it) {
    if (it == NULL || it->query == NULL) {
        return;
    }
    it->chunk = it->chunk_end;
    it->match = it->match_end;
    (void)stoa_iter_last(it);
}

void stoa_match_resolve(const stoa_query *query, stoa_match *match) {
    const stoa_archetype_head *archetype = match->archetype;
    uint64_t fields = 0;
    for (uint32_t i = 0; i < query->terms.count; i++) {
        const stoa_column *column = stoa_archetype_column(archetype, query->terms.ids[i]);
        if (column != NULL) {
            query->head.offsets[match->first + i] = column->offset;
            fields |= query->terms.fields & (uint64_t)0x100000001u << i;
        }
    }
    match->fields = fields;
    match->version = archetype->version;
}

/* The term's column, or NULL with the failure reported, or NULL quietly where an optional term has
 * none. `wrong_type` tells that the caller asked for another component. */
static void *field_find(const stoa_iter *it, bool wrong_type, int32_t index, bool write) {
    const stoa_query *query = it->query;
    const stoa__terms *terms = &query->terms;
    const char *problem = NULL;
    if (index < 0 || (uint32_t)index >= terms->count) {
        problem = "there is no such term";
    } else if (wrong_type) {
        problem = "the term is of another component";
    } else if ((terms->fields >> index & 1) == 0) {
        problem = "the term has no data";
    } else if (write && (terms->fields >> (index + 32) & 1) == 0) {
        problem = "the term only reads";
    }
    if (problem != NULL) {
        stoa__world_report(it->world, stoa__error(STOA_ACCESS, "field %d of query '%s': %s", index,
                                                  stoa_query_name(query), problem));
        return NULL;
    }
    return (it->fields >> index & 1) != 0 ? it->data + it->offsets[index] : NULL;
}

/* True if there is an iteration to ask; otherwise the thread's error is set. */
static bool iter_open(const stoa_iter *it) {
    if (it == NULL) {
        stoa__world_null(NULL, "iteration");
        return false;
    }
    if (it->query == NULL) {
        stoa__world_report(it->world, stoa__error(STOA_ACCESS, "the iteration has ended"));
        return false;
    }
    return true;
}

static bool term_differs(const stoa_iter *it, stoa_component id, int32_t index) {
    const stoa__terms *terms = &it->query->terms;
    return index >= 0 && (uint32_t)index < terms->count &&
           terms->items[index].component->info.id != id;
}

const void *stoa_field_id(const stoa_iter *it, stoa_component id, int32_t index) {
    return iter_open(it) ? field_find(it, term_differs(it, id, index), index, false) : NULL;
}

void *stoa_field_mut_id(const stoa_iter *it, stoa_component id, int32_t index) {
    return iter_open(it) ? field_find(it, term_differs(it, id, index), index, true) : NULL;
}

const void *stoa_field_type(const stoa_iter *it, stoa_type *type, int32_t index) {
    if (!iter_open(it)) {
        return NULL;
    }
    return stoa_field_id(it, stoa_type_find(it->world, type), index);
}

void *stoa_field_mut_type(const stoa_iter *it, stoa_type *type, int32_t index) {
    if (!iter_open(it)) {
        return NULL;
    }
    return stoa_field_mut_id(it, stoa_type_find(it->world, type), index);
}

/* Calls one of the two functions for each entity that matches. */
static stoa_status each_call(stoa_query *query, stoa_each_fn with_handle, stoa_each_row_fn without,
                             void *user) {
    void *fields[STOA_TERM_MAX];
    const stoa__terms *terms = &query->terms;
    if (!query_begin(query)) {
        return stoa_last_error().status;
    }
    for (stoa_iter it = iter_of(query); stoa_iter_next(&it);) {
        for (uint32_t i = 0; i < terms->count; i++) {
            fields[i] = (it.fields >> i & 1) != 0 ? it.data + it.offsets[i] : NULL;
        }
        for (int32_t row = 0; row < it.count; row++) {
            if (with_handle != NULL) {
                with_handle(it.entities[row], fields, user);
            } else {
                without(fields, user);
            }
            for (uint32_t i = 0; i < terms->count; i++) {
                if (fields[i] != NULL) {
                    fields[i] = (uint8_t *)fields[i] + terms->items[i].component->info.size;
                }
            }
        }
    }
    return STOA_OK;
}

stoa_status stoa_query_each(stoa_query *query, stoa_each_fn call, void *user) {
    if (query == NULL || call == NULL) {
        return stoa__world_null(query != NULL ? query->head.world : NULL,
                                query == NULL ? "query" : "function");
    }
    return each_call(query, call, NULL, user);
}

stoa_status stoa_query_each_row(stoa_query *query, stoa_each_row_fn call, void *user) {
    if (query == NULL || call == NULL) {
        return stoa__world_null(query != NULL ? query->head.world : NULL,
                                query == NULL ? "query" : "function");
    }
    return each_call(query, NULL, call, user);
}
