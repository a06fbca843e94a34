/* Asking a query without iterating it: how many match, which is the first, which is the only one.
 *
 * Needs no memory and no list of matches; where rows must be looked at, by a walk on the stack. */
#include "query/walk.h"

#include "stoa/change.h"
#include "storage/archetype.h"

int32_t stoa_query_count(const stoa_query *query) {
    if (query == NULL) {
        stoa__world_null(NULL, "query");
        return 0;
    }
    if (!stoa__terms_allowed(query->head.world, &query->terms, false)) {
        return 0;
    }
    return query->terms.heavy
               ? stoa__walk_count(query->head.world, &query->terms, stoa__query_since(query))
               : stoa__terms_count(&query->head.world->storage, &query->terms);
}

uint64_t stoa_query_version(const stoa_query *query) {
    if (query == NULL) {
        stoa__world_null(NULL, "query");
        return 0;
    }
    return stoa__terms_version(&query->head.world->storage, &query->terms);
}

int32_t stoa_query_once_count(stoa_world *world, const stoa_query_desc *desc) {
    if (world == NULL || desc == NULL) {
        stoa__world_null(world, world == NULL ? "world" : "description");
        return -1;
    }
    stoa__terms terms;
    stoa_status status = stoa__terms_read(world, desc, &terms);
    if (status != STOA_OK) {
        stoa__world_report(world, status);
        return -1;
    }
    if (!stoa__terms_allowed(world, &terms, false)) {
        return -1;
    }
    return terms.heavy ? stoa__walk_count(world, &terms, world->storage.head.tick - STOA__QUERY_AGE)
                       : stoa__terms_count(&world->storage, &terms);
}

/* The first entity without components; there must be one. */
static stoa_entity empty_first(const stoa_world *world) {
    stoa_entity e = STOA_NULL;
    do {
        e = stoa_entity_next(world, e);
    } while (!stoa__record_empty(world->storage.head.records, e.index));
    return e;
}

stoa_entity stoa_query_first(const stoa_query *query) {
    if (query == NULL) {
        stoa__world_null(NULL, "query");
        return STOA_NULL;
    }
    if (!stoa__terms_allowed(query->head.world, &query->terms, false)) {
        return STOA_NULL;
    }
    const stoa__storage *storage = &query->head.world->storage;
    if (query->terms.heavy) {
        return stoa__walk_first(query->head.world, &query->terms, stoa__query_since(query));
    }
    if (query->terms.empty && storage->empty_count > 0) {
        return empty_first(query->head.world);
    }
    for (uint32_t word = 0; word * 64 < storage->archetype_count; word++) {
        for (uint64_t bits = stoa__terms_match(storage, &query->terms, word); bits != 0;
             bits &= bits - 1) {
            const stoa__archetype *archetype =
                storage->archetypes[word * 64 + stoa__bit_lowest(bits)];
            if (archetype->head.chunk_count > 0) {
                return *stoa_columns_entities(archetype->head.chunks[0].columns);
            }
        }
    }
    return STOA_NULL;
}

stoa_entity stoa_query_single(const stoa_query *query) {
    if (query == NULL) {
        stoa__world_null(NULL, "query");
        return STOA_NULL;
    }
    if (!stoa__terms_allowed(query->head.world, &query->terms, false)) {
        return STOA_NULL;
    }
    int32_t count = stoa_query_count(query);
    if (count != 1) {
        stoa__world_report(query->head.world,
                           stoa__error(STOA_NOT_SINGLE, "query '%s' matches %d entities, not one",
                                       stoa_query_name(query), count));
        return STOA_NULL;
    }
    return stoa_query_first(query);
}

/* True if what the query asks to be changed or added was so since its last run. */
static bool entity_is_news(const stoa_query *query, stoa_entity e) {
    const stoa__terms *terms = &query->terms;
    const stoa_world *world = query->head.world;
    uint32_t since = stoa__query_since(query);
    for (uint32_t i = 0; i < terms->count; i++) {
        stoa_access access = terms->items[i].access;
        if ((access == STOA_ACCESS_CHANGED && !stoa_changed_id(world, e, terms->ids[i], since)) ||
            (access == STOA_ACCESS_ADDED && !stoa_added_id(world, e, terms->ids[i], since))) {
            return false;
        }
    }
    return true;
}

bool stoa_query_matches(const stoa_query *query, stoa_entity e) {
    if (query == NULL) {
        stoa__world_null(NULL, "query");
        return false;
    }
    const stoa_world *world = query->head.world;
    return stoa__terms_allowed(world, &query->terms, false) && stoa_alive(world, e) &&
           stoa__terms_entity(world, &query->terms, e, NULL, false, NULL, NULL) &&
           (!query->terms.timed || entity_is_news(query, e));
}

int32_t stoa_query_terms(const stoa_query *query, stoa_term *terms, int32_t capacity) {
    if (query == NULL || (terms == NULL && capacity > 0)) {
        stoa__world_null(query != NULL ? query->head.world : NULL,
                         query == NULL ? "query" : "list of terms");
        return 0;
    }
    for (int32_t i = 0; i < capacity && (uint32_t)i < query->terms.count; i++) {
        const stoa__term *term = &query->terms.items[i];
        terms[i] = (stoa_term){NULL, term->component->info.id, term->access, term->group};
    }
    return (int32_t)query->terms.count;
}

stoa_world *stoa_query_world(const stoa_query *query) {
    if (query == NULL) {
        stoa__world_null(NULL, "query");
        return NULL;
    }
    return query->head.world;
}
