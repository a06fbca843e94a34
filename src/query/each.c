/* Calling a function for each entity that a query matches.
 *
 * A pointer for each term is kept and moved from row to row; what a term may write is marked as
 * handed out, whether the function writes it or not. It is a run of the query. The world refuses
 * structural changes meanwhile. */
#include "query/field.h"
#include "query/iter.h"

/* The fields of an iteration's rows, for calls with one row each. */
typedef struct each_fields {
    stoa_iter *it;
    uint32_t tick;   /* what rows are marked with that are being handed out */
    uint32_t single; /* terms whose component is found by row */
    void *fields[STOA_TERM_MAX];
} each_fields;

/* Finds the columns of a run, at its first row. */
static void each_run(each_fields *each) {
    const stoa_iter *it = each->it;
    const stoa__terms *terms = &it->query->terms;
    for (uint32_t i = 0; i < terms->count; i++) {
        size_t size = terms->items[i].component->info.size;
        each->fields[i] =
            (it->fields >> i & 1) != 0 ? it->columns[it->indexes[i]] + it->first * size : NULL;
    }
}

/* Marks what may be written in the rows from `row` on. */
static void each_mark(each_fields *each, int32_t row) {
    const stoa_iter *it = each->it;
    each->tick = it->world->storage.head.tick;
    for (uint32_t left = it->query->terms.writes & (uint32_t)it->fields; left != 0;
         left &= left - 1) {
        stoa__field_mark(it, stoa__bit_lowest(left), row, it->count - row);
    }
}

/* Finds the sparse components of a row and marks those that may be written. */
static void each_single(each_fields *each, int32_t row) {
    for (uint32_t left = each->single; left != 0; left &= left - 1) {
        uint32_t i = stoa__bit_lowest(left);
        bool write = (each->it->query->terms.writes >> i & 1) != 0;
        each->fields[i] = stoa__field_sparse(each->it, i, row, write);
    }
}

/* Goes on to the next row. */
static void each_step(each_fields *each) {
    const stoa__terms *terms = &each->it->query->terms;
    for (uint32_t left = (uint32_t)each->it->fields; left != 0; left &= left - 1) {
        uint32_t i = stoa__bit_lowest(left);
        each->fields[i] = (uint8_t *)each->fields[i] + terms->items[i].component->info.size;
    }
}

/* Calls one of the two functions for each entity that matches. A tick that moved on while one was
 * called marks anew: it may have written after that. */
static stoa_status each_call(stoa_query *query, stoa_each_fn with_handle, stoa_each_row_fn without,
                             void *user) {
    stoa_iter it = stoa__iter_start(query, stoa__query_since(query), true);
    if (it.query == NULL) {
        return stoa_last_error().status;
    }
    each_fields each = {.it = &it, .single = query->terms.data & query->terms.sparse};
    const uint32_t *tick = &it.world->storage.head.tick;
    while (stoa_iter_next(&it)) {
        each_run(&each);
        each_mark(&each, 0);
        for (int32_t row = 0; row < it.count; row++) {
            each_single(&each, row);
            if (with_handle != NULL) {
                with_handle(it.entities[row], each.fields, user);
            } else {
                without(each.fields, user);
            }
            if (!STOA_LIKELY(*tick == each.tick)) {
                each_mark(&each, row);
                each_single(&each, row);
            }
            each_step(&each);
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
