/* Calling a function for each entity that a query matches, on several threads.
 *
 * The query is cut into parts, which the lanes of a pool take one by one from a counter. Meanwhile
 * the world is locked as it is while command buffers are filled, with none of them. What a term may
 * write is marked as handed out, whether the function writes it or not. It is a run of the query,
 * unless the preparation fails: then nothing was called and the world is as it was. */
#include "base/error.h"
#include "os/thread.h"
#include "stoa/app.h"
#include "stoa/change.h"
#include "stoa/extension.h"
#include "stoa/guard.h"

/* What the lanes share. */
typedef struct parallel_each {
    stoa_query *query;
    stoa_each_fn call;
    void *user;
    int32_t term_count;
    stoa_term terms[STOA_TERM_MAX];
    uint32_t sizes[STOA_TERM_MAX]; /* of the terms' components */
    uint32_t columns;              /* bit i: term i has data, in a column where it has any */
    uint32_t singles;              /* bit i: term i has data, which is found by row */
    uint32_t writes;               /* bit i: and writes it */
    bool timed;                    /* asks for what was changed or added */
    const stoa_guard *guard;       /* of the caller, which the lanes are under, too */
    int32_t parts;
    _Atomic(int32_t) next; /* part to take */
} parallel_each;

/* The rows at hand of one lane. */
typedef struct each_rows {
    void *fields[STOA_TERM_MAX];
    uint8_t moving[STOA_TERM_MAX]; /* terms whose field moves on from row to row */
    int32_t moving_count;
} each_rows;

static bool access_writes(stoa_access access) {
    return access == STOA_ACCESS_WRITE || access == STOA_ACCESS_OPTIONAL_WRITE ||
           access == STOA_ACCESS_ANY_WRITE;
}

static bool access_reads(stoa_access access) {
    return access == STOA_ACCESS_READ || access == STOA_ACCESS_OPTIONAL ||
           access == STOA_ACCESS_ANY;
}

/* Sorts the terms by how their data is found. */
static void terms_sort(parallel_each *each) {
    const stoa_world *world = stoa_query_world(each->query);
    each->term_count = stoa_query_terms(each->query, each->terms, STOA_TERM_MAX);
    for (int32_t i = 0; i < each->term_count; i++) {
        stoa_access access = each->terms[i].access;
        stoa_component_info info = {.size = 0};
        stoa_component_info_get(world, each->terms[i].id, &info);
        bool writes = access_writes(access);
        bool data = info.size > 0 && (writes || access_reads(access));
        bool sparse = (info.flags & STOA_SPARSE) != 0;
        each->sizes[i] = info.size;
        each->columns |= (uint32_t)(data && !sparse) << i;
        each->singles |= (uint32_t)(data && sparse) << i;
        each->writes |= (uint32_t)writes << i;
        each->timed |= access == STOA_ACCESS_CHANGED || access == STOA_ACCESS_ADDED;
    }
}

/* Finds the columns of a run, at its first row, and marks those that may be written. */
static void columns_find(const parallel_each *each, const stoa_iter *it, each_rows *rows) {
    rows->moving_count = 0;
    for (int32_t i = 0; i < each->term_count; i++) {
        stoa_component id = each->terms[i].id;
        rows->fields[i] = NULL;
        if ((each->columns >> i & 1) == 0) {
            continue;
        }
        if ((each->writes >> i & 1) != 0) {
            rows->fields[i] = stoa_field_mut_id(it, id, i);
        } else {
            /* stoa_each_fn has one type for both kinds and forbids writing to these. */
            rows->fields[i] = (void *)(uintptr_t)stoa_field_id(it, id, i);
        }
        if (rows->fields[i] != NULL) {
            rows->moving[rows->moving_count++] = (uint8_t)i;
        }
    }
}

/* Finds the sparse components of a row and marks those that may be written. */
static void singles_find(const parallel_each *each, const stoa_iter *it, each_rows *rows,
                         int32_t row) {
    for (int32_t i = 0; i < each->term_count; i++) {
        stoa_component id = each->terms[i].id;
        if ((each->singles >> i & 1) != 0) {
            rows->fields[i] = (each->writes >> i & 1) != 0
                                  ? stoa_field_at_mut_id(it, id, i, row)
                                  : (void *)(uintptr_t)stoa_field_at_id(it, id, i, row);
        }
    }
}

static void rows_call(const parallel_each *each, const stoa_iter *it, each_rows *rows) {
    columns_find(each, it, rows);
    for (int32_t row = 0; row < it->count; row++) {
        if (each->singles != 0) {
            singles_find(each, it, rows, row);
        }
        each->call(it->entities[row], rows->fields, each->user);
        for (int32_t k = 0; k < rows->moving_count; k++) {
            int32_t i = rows->moving[k];
            rows->fields[i] = (uint8_t *)rows->fields[i] + each->sizes[i];
        }
    }
}

static void lane_work(int32_t lane, void *data) {
    (void)lane;
    parallel_each *each = data;
    each_rows rows;
    const stoa_guard *before = stoa_guard_set(each->guard);
    for (;;) {
        int32_t part = atomic_fetch_add_explicit(&each->next, 1, memory_order_relaxed);
        if (part >= each->parts) {
            break;
        }
        for (stoa_iter it = stoa_query_part(each->query, part); stoa_iter_next(&it);) {
            stoa_iter_ahead(&it);
            rows_call(each, &it, &rows);
        }
    }
    stoa_guard_set(before);
}

/* A pool for this call alone, no larger than is of use; NULL on error. */
static stoa_pool *pool_make(const stoa_world *world, int32_t parts) {
    int32_t cores = stoa__thread_cores();
    stoa_allocator allocator = *stoa_world_allocator(world);
    allocator.user_free = NULL;
    stoa_pool_desc desc = {.allocator = &allocator};
    desc.threads = parts < cores ? parts : cores;
    desc.threads = desc.threads < STOA_THREAD_MAX ? desc.threads : STOA_THREAD_MAX;
    stoa_pool *pool = stoa_pool_new(&desc);
    if (pool == NULL) {
        stoa_world_report(world, stoa_last_error().status);
    }
    return pool;
}

/* Lets the lanes work, on an own pool if there is none and it is worth one. */
static stoa_status lanes_run(parallel_each *each, stoa_pool *pool) {
    const stoa_world *world = stoa_query_world(each->query);
    if (each->parts <= 1) {
        lane_work(0, each);
        return STOA_OK;
    }
    stoa_pool *own = NULL;
    if (pool == NULL) {
        pool = own = pool_make(world, each->parts);
    }
    if (pool == NULL) {
        return stoa_last_error().status;
    }
    int32_t threads = stoa_pool_threads(pool);
    stoa_status status =
        stoa_pool_run(pool, threads < each->parts ? threads : each->parts, lane_work, each);
    stoa_pool_free(own);
    return stoa_world_report(world, status);
}

/* Prepares the query for threads and runs them, in a world that is locked. */
static stoa_status query_run(parallel_each *each, stoa_pool *pool) {
    uint32_t since = stoa_query_last_run(each->query);
    each->parts = stoa_query_cut(each->query, &since, 0);
    if (each->parts < 0) {
        return stoa_last_error().status;
    }
    stoa_status status = stoa_query_share(each->query, 1);
    if (status == STOA_OK) {
        status = lanes_run(each, pool);
        stoa_query_unshare(each->query, status == STOA_OK);
    }
    return status;
}

stoa_status stoa_query_each_parallel(stoa_query *query, stoa_pool *pool, stoa_each_fn call,
                                     void *user) {
    if (query == NULL || call == NULL) {
        return stoa_world_report(query != NULL ? stoa_query_world(query) : NULL,
                                 stoa__error(STOA_NULL_ARGUMENT, "the %s must not be null",
                                             query == NULL ? "query" : "function"));
    }
    stoa_world *world = stoa_query_world(query);
    parallel_each each = {.query = query, .call = call, .user = user};
    terms_sort(&each);
    each.guard = stoa_guard_set(NULL);
    stoa_guard_set(each.guard);
    atomic_init(&each.next, 0);
    stoa_settle(world);
    /* Before all else: a world that is in use must not have its queries cut anew. */
    stoa_status status = stoa_commands_fork(world, NULL, 0);
    if (status != STOA_OK) {
        return status;
    }
    status = query_run(&each, pool);
    /* With no buffers there is nothing that could keep this from ending. */
    stoa_commands_join(world);
    if (status == STOA_OK && each.timed) {
        /* What comes next is news to the next run; what this one wrote is not. */
        stoa_tick_advance(world);
    }
    return status;
}
