/* Walking a query: the parts of an iteration that happen once for each archetype or less.
 *
 * While an iteration is open its world refuses structural changes, so the pointers it holds stay
 * good. */
#include "query/query.h"

#include "storage/archetype.h"

/* Lists the matches of a query before its first iteration; false with the failure reported. */
static bool query_ready(stoa_query *query) {
    if (STOA_LIKELY(query->listed)) {
        return true;
    }
    stoa_status status = stoa__query_list(query);
    stoa__world_report(query->world, status);
    return status == STOA_OK;
}

/* An iteration of a query whose matches are listed. */
static stoa_iter iter_of(stoa_query *query) {
    stoa_world *world = query->world;
    stoa_iter it;
    it.world = world;
    it.entities = NULL;
    it.count = 0;
    it.fields = 0;
    it.empty_next = query->terms.empty && world->storage.empty_count > 0;
    it.data = NULL;
    it.offsets = NULL;
    it.offsets_base = query->offsets;
    it.chunk = NULL;
    it.chunk_end = NULL;
    it.match = query->matches;
    it.match_end = query->matches + query->match_count;
    it.query = query;
    query->open++;
    world->open++;
    return it;
}

stoa_iter stoa_query_iter(stoa_query *query) {
    if (!STOA_LIKELY(query != NULL)) {
        stoa__world_null(NULL, "query");
        return (stoa_iter){.query = NULL};
    }
    if (!STOA_LIKELY(query_ready(query))) {
        return (stoa_iter){.query = NULL};
    }
    return iter_of(query);
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
    if (!query_ready(query)) {
        stoa__query_delete(query);
        return (stoa_iter){.query = NULL};
    }
    return iter_of(query);
}

void stoa_query_close(stoa_query *query) {
    query->open--;
    query->world->open--;
    if (query->once) {
        stoa__query_delete(query);
    }
}

void stoa_iter_end(stoa_iter *it) {
    if (it == NULL || it->query == NULL) {
        return;
    }
    stoa_query_close(it->query);
    it->query = NULL;
    it->count = 0;
    it->fields = 0;
    it->empty_next = 0;
    it->chunk = it->chunk_end;
    it->match = it->match_end;
}

bool stoa_iter_next_empty(stoa_iter *it) {
    const stoa_world_head *head = &it->world->storage.head;
    uint32_t i = it->empty_next;
    int32_t count = 0;
    for (; i < head->record_count && count < STOA_ITER_EMPTY; i++) {
        const stoa_record *record = &head->records[i];
        if ((record->generation & STOA__DEAD) == 0 && record->place >> STOA_PLACE_BITS == 0) {
            it->empty[count++] = (stoa_entity){i, record->generation};
        }
    }
    it->empty_next = i;
    it->fields = 0;
    it->count = count;
    if (count == 0) {
        stoa_iter_end(it);
    }
    return count > 0;
}

void stoa_match_resolve(const stoa_query *query, stoa_match *match) {
    const stoa__archetype *archetype = (const stoa__archetype *)(void *)match->archetype;
    uint64_t fields = 0;
    for (uint32_t i = 0; i < query->terms.count; i++) {
        const stoa_column *column =
            stoa__archetype_column(archetype, query->terms.items[i].component->info.id);
        if (column != NULL) {
            query->offsets[match->first + i] = column->offset;
            fields |= query->terms.fields & (uint64_t)0x100000001u << i;
            if (archetype->head.chunk_count > 0) {
                STOA_PREFETCH(archetype->head.chunks->data + column->offset);
            }
        }
    }
    match->fields = fields;
    match->version = archetype->head.version;
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
    if (!query_ready(query)) {
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
        return stoa__world_null(query != NULL ? query->world : NULL,
                                query == NULL ? "query" : "function");
    }
    return each_call(query, call, NULL, user);
}

stoa_status stoa_query_each_row(stoa_query *query, stoa_each_row_fn call, void *user) {
    if (query == NULL || call == NULL) {
        return stoa__world_null(query != NULL ? query->world : NULL,
                                query == NULL ? "query" : "function");
    }
    return each_call(query, NULL, call, user);
}
