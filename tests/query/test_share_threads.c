/* Queries that are cut and shared, on several threads at once. */
#include "query/cut_fixture.h"

#include <pthread.h>
#include <stdatomic.h>

#define THREADS 4
#define ROUNDS 6
#define COUNT 4000

typedef struct crew crew;

typedef struct worker {
    crew *crew;
    stoa_commands *commands;
    uint64_t sum;  /* of the indexes of entities that were visited */
    uint64_t rows; /* how many */
    stoa_status status;
} worker;

struct crew {
    support_world s;
    stoa_query *query;
    stoa_query *twin; /* to be asked what the query visits, with nothing read in its place */
    int32_t parts;    /* 0: each thread iterates the query as a whole */
    int kind;
    atomic_int next;
    worker workers[THREADS];
};

/* Threads must not share what a query declares as written, so each kind writes only in parts. */
#define KINDS 7
static stoa_query *query_of_kind(stoa_world *w, int kind) {
    switch (kind) {
    case 0:
        return query_of(w, STOA_WRITE(Plain), STOA_READ(Exact));
    case 1:
        return query_of(w, STOA_WRITE(Exact), STOA_WITHOUT(Tag));
    case 2:
        return query_of(w, STOA_WRITE(Switch), STOA_OPTIONAL_WRITE(Plain));
    case 3:
        return query_of(w, STOA_WRITE(Sparse), STOA_OPTIONAL(Plain), STOA_CHANGED(Sparse));
    case 4:
        return query_of(w, STOA_CHANGED(Exact), STOA_WRITE(Exact));
    case 5:
        return query_of(w, STOA_OPTIONAL_WRITE(Plain));
    default:
        return query_of(w, STOA_WITHOUT(Loose), STOA_OPTIONAL_WRITE(Sparse));
    }
}

/* Writes to the rows at hand, as far as the kind may. */
static void run_write(int kind, const stoa_iter *it) {
    Plain *plain = kind == 0   ? stoa_field_mut(it, Plain, 0)
                   : kind == 2 ? stoa_field_mut(it, Plain, 1)
                   : kind == 5 ? stoa_field_mut(it, Plain, 0)
                               : NULL;
    Exact *exact = kind == 1   ? stoa_field_mut(it, Exact, 0)
                   : kind == 4 ? stoa_field_mut(it, Exact, 1)
                               : NULL;
    for (int32_t row = 0; row < it->count; row++) {
        if (plain != NULL) {
            plain[row].x++;
        }
        if (exact != NULL) {
            exact[row].x++;
        }
        Sparse *sparse = kind == 3   ? stoa_field_at_mut(it, Sparse, 0, row)
                         : kind == 6 ? stoa_field_at_mut(it, Sparse, 1, row)
                                     : NULL;
        if (sparse != NULL) {
            sparse->x++;
        }
    }
}

static void worker_iterate(worker *self, stoa_iter it, bool write) {
    if (it.query == NULL) {
        self->status = stoa_last_error().status;
    }
    while (stoa_iter_next(&it)) {
        for (int32_t row = 0; row < it.count; row++) {
            self->sum += it.entities[row].index;
            if (it.entities[row].index % 64 == 0) {
                (void)stoa_commands_add(self->commands, it.entities[row], Other);
            }
        }
        self->rows += (uint32_t)it.count;
        if (write) {
            run_write(self->crew->kind, &it);
        }
    }
}

static void *worker_main(void *data) {
    worker *self = data;
    crew *c = self->crew;
    self->sum = self->rows = 0;
    self->status = STOA_OK;
    if (c->parts == 0) {
        worker_iterate(self, stoa_query_iter(c->query), false);
        stoa_iter early = stoa_query_iter(c->query);
        if (!stoa_iter_next(&early)) {
            self->status = STOA_CORRUPT;
        }
        stoa_iter_end(&early);
    }
    for (int part; (part = atomic_fetch_add(&c->next, 1)) < c->parts;) {
        worker_iterate(self, stoa_query_part(c->query, part), true);
    }
    return NULL;
}

/* Lets all threads work while buffers are forked, and applies what they recorded. */
static void crew_work(crew *c) {
    pthread_t threads[THREADS];
    stoa_commands *buffers[THREADS];
    for (int i = 0; i < THREADS; i++) {
        buffers[i] = c->workers[i].commands;
    }
    atomic_store(&c->next, 0);
    assert_int_equal(stoa_commands_fork(c->s.world, buffers, THREADS), STOA_OK);
    for (int i = 0; i < THREADS; i++) {
        assert_int_equal(pthread_create(&threads[i], NULL, worker_main, &c->workers[i]), 0);
    }
    for (int i = 0; i < THREADS; i++) {
        assert_int_equal(pthread_join(threads[i], NULL), 0);
        assert_int_equal(c->workers[i].status, STOA_OK);
    }
}

static void crew_join(crew *c) {
    assert_int_equal(stoa_commands_join(c->s.world), STOA_OK);
    for (int i = 0; i < THREADS; i++) {
        assert_int_equal(stoa_commands_flush(c->workers[i].commands), STOA_OK);
    }
    assert_int_equal(stoa_check(c->s.world), STOA_OK);
}

/* What all threads together visited. */
static visit_list visited;
static void crew_expect(const crew *c, uint64_t times) {
    uint64_t sum = 0, rows = 0, expected = 0;
    for (int i = 0; i < THREADS; i++) {
        sum += c->workers[i].sum;
        rows += c->workers[i].rows;
    }
    for (int32_t i = 0; i < visited.count; i++) {
        expected += visited.items[i].index;
    }
    assert_int_equal(rows, times * (uint64_t)visited.count);
    assert_int_equal(sum, times * expected);
}

/* Lists what the query visits. */
static void crew_list(crew *c) {
    visited.count = 0;
    stoa_iter it = stoa_query_iter_since(c->twin, tick_long_ago(c->s.world));
    list_iter(&visited, &it);
    assert_true(visited.count > 100);
}

static void crew_open(crew *c, int kind) {
    support_world_open(&c->s);
    c->kind = kind;
    c->query = query_of_kind(c->s.world, kind);
    c->twin = query_of_kind(c->s.world, kind);
    /* Listed with few rows: as archetypes grow their columns move, which threads must not be the
     * first to see. */
    scene_make(c->s.world, 40);
    stoa_iter it = stoa_query_iter(c->query);
    while (stoa_iter_next(&it)) {
    }
    for (int i = 0; i < THREADS; i++) {
        c->workers[i].crew = c;
        c->workers[i].commands = stoa_commands_new(c->s.world);
        assert_non_null(c->workers[i].commands);
    }
    scene_make(c->s.world, COUNT);
}

/* SYS-06 */
static void threads_iterate_a_shared_query_at_once(void **state) {
    static crew c;
    (void)state;
    for (int kind = 0; kind < KINDS; kind++) {
        crew_open(&c, kind);
        c.parts = 0;
        for (int round = 0; round < ROUNDS; round++) {
            assert_int_equal(stoa_query_share(c.query, THREADS), STOA_OK);
            crew_list(&c);
            crew_work(&c);
            /* Not counted as a run: all is new again. */
            stoa_query_unshare(c.query, false);
            crew_expect(&c, THREADS);
            crew_join(&c);
        }
        support_world_close(&c.s);
    }
}

/* SYS-06 */
static void threads_write_the_parts_of_a_query(void **state) {
    static crew c;
    (void)state;
    for (int kind = 0; kind < KINDS; kind++) {
        crew_open(&c, kind);
        for (int round = 0; round < ROUNDS; round++) {
            crew_list(&c);
            c.parts = stoa_query_cut(c.query, NULL, 64 + round * 16);
            assert_true(c.parts > 2);
            crew_work(&c);
            crew_expect(&c, 1);
            crew_join(&c);
            stoa_tick_advance(c.s.world);
        }
        support_world_close(&c.s);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(threads_iterate_a_shared_query_at_once),
        cmocka_unit_test(threads_write_the_parts_of_a_query),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
