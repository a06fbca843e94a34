/* Queries that start from the result of an index.
 *
 * Each entity is asked whether the query matches it, and its components are looked up one by one.
 * An iteration is open meanwhile, so that the structure of the world stays as it is. O(found). */
#include "model/index.h"

/* A query's terms with what is to be looked up for them. */
typedef struct found_terms {
    stoa_term items[STOA_TERM_MAX];
    int32_t count;
    uint32_t data;   /* bit i: term i has data */
    uint32_t writes; /* bit i: and writes it */
} found_terms;

static void terms_read(const stoa_query *query, found_terms *terms) {
    *terms = (found_terms){.count = 0};
    terms->count = stoa_query_terms(query, terms->items, STOA_TERM_MAX);
    for (int32_t i = 0; i < terms->count; i++) {
        stoa_component_info info = {.size = 0};
        stoa_component_info_get(stoa_query_world(query), terms->items[i].id, &info);
        stoa_access access = terms->items[i].access;
        bool writes = access == STOA_ACCESS_WRITE || access == STOA_ACCESS_OPTIONAL_WRITE ||
                      access == STOA_ACCESS_ANY_WRITE;
        bool reads = access == STOA_ACCESS_READ || access == STOA_ACCESS_OPTIONAL ||
                     access == STOA_ACCESS_ANY;
        terms->data |= (uint32_t)((reads || writes) && info.size != 0) << i;
        terms->writes |= (uint32_t)(writes && info.size != 0) << i;
    }
}

/* The component of a term, NULL where there is none or it is switched off. */
static void *field_find(stoa_world *world, stoa_entity e, const found_terms *terms, int32_t i) {
    stoa_component id = terms->items[i].id;
    if ((terms->data >> i & 1) == 0 || !stoa_enabled_id(world, e, id)) {
        return NULL;
    }
    return (terms->writes >> i & 1) != 0 ? stoa_try_get_mut_id(world, e, id)
                                         : (void *)(uintptr_t)stoa_try_get_id(world, e, id);
}

/* True if the walk has more to show and must not. */
static bool found_stale(const stoa_found *found) {
    bool more = found->ahead != 0 || found->leaf != NULL;
    return more && found->index->head.version != found->version;
}

static stoa_status each_check(const stoa_query *query, const stoa_found *found, stoa_each_fn call) {
    if (query == NULL || call == NULL) {
        return stoa__error(STOA_NULL_ARGUMENT, "the %s must not be null",
                           query == NULL ? "query" : "function");
    }
    if (found->index != NULL && found->index->world != stoa_query_world(query)) {
        return stoa__error(STOA_INVALID,
                           "what index '%s' found is of another world than query "
                           "'%s'",
                           found->index->name, stoa_query_name(query));
    }
    return STOA_OK;
}

stoa_status stoa_query_each_found(stoa_query *query, stoa_found found, stoa_each_fn call,
                                  void *user) {
    stoa_world *world = query != NULL ? stoa_query_world(query) : NULL;
    stoa_status status = each_check(query, &found, call);
    if (status != STOA_OK) {
        return stoa_world_report(world, status);
    }
    stoa_iter lock = stoa_query_iter(query);
    if (lock.query == NULL) {
        return stoa_last_error().status;
    }
    found_terms terms;
    void *fields[STOA_TERM_MAX];
    terms_read(query, &terms);
    bool stale = found_stale(&found);
    while (stoa_found_next(&found)) {
        if (stoa_query_matches(query, found.entity)) {
            for (int32_t i = 0; i < terms.count; i++) {
                fields[i] = field_find(world, found.entity, &terms, i);
            }
            call(found.entity, fields, user);
            stale = found_stale(&found);
        }
    }
    stoa_iter_end(&lock);
    return stale ? STOA_INVALID : STOA_OK;
}
