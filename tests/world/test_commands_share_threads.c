/* Creations of several buffers that are applied together, by several threads or one: the world must
 * be the same as one in which each was applied by itself, row by row and tick by tick. */
#include "commands_types.h"
#include "support/seeds.h"
#include "world/commands_buffer.h"

#define BUFFERS 12
#define ENTITIES 20000
#define TYPES 8

typedef struct Quad {
    _Alignas(16) float v[4];
} Quad;
STOA_TYPE(Quad);

STOA_COMPONENT(Huge, { uint8_t bytes[2000]; });

static stoa_type *const types[TYPES] = {
    STOA_TYPE_OF(Position), STOA_TYPE_OF(Health), STOA_TYPE_OF(Wide), STOA_TYPE_OF(Frozen),
    STOA_TYPE_OF(Quad),     STOA_TYPE_OF(Seen),   STOA_TYPE_OF(Mood), STOA_TYPE_OF(Huge)};

/* A bundle: bit k of `put` is for a value of type k, of `zero` for a zeroed one. */
typedef struct bundle {
    uint32_t put;
    uint32_t zero;
    bool backwards;
} bundle;

/* Two worlds; the second applies together what it can. */
static struct {
    support_world s[2];
    stoa_commands *c[2][BUFFERS];
    stoa_entity e[ENTITIES];
    uint32_t count;
    support_random random;
    stoa_pool *pool;
    int32_t runs; /* of the crew */
    int32_t lanes_seen;
} t;

/* Lanes one after the other, the last first. */
static void crew_backwards(void (*work)(int32_t lane, void *data), void *data, int32_t lanes,
                           void *user) {
    (void)user;
    t.runs++;
    t.lanes_seen = lanes;
    for (int32_t lane = lanes; lane-- > 0;) {
        work(lane, data);
    }
}

static void crew_threads(void (*work)(int32_t lane, void *data), void *data, int32_t lanes,
                         void *user) {
    t.runs++;
    assert_int_equal(stoa_pool_run(user, lanes, work, data), STOA_OK);
}

static uint32_t below(uint32_t n) {
    return support_random_below(&t.random, n);
}

static void worlds_open(uint64_t seed) {
    stoa_pool *pool = t.pool;
    memset(&t, 0, sizeof t);
    t.pool = pool;
    t.random.state = seed * 7919 + 5;
    for (int i = 0; i < 2; i++) {
        support_world_open_with(&t.s[i], 16384);
        stoa__commands_merge(t.s[i].world, i == 1);
        for (int k = 0; k < BUFFERS; k++) {
            t.c[i][k] = stoa_commands_new(t.s[i].world);
            assert_non_null(t.c[i][k]);
        }
    }
}

static void worlds_close(void) {
    support_world_close(&t.s[0]);
    support_world_close(&t.s[1]);
}

/* Records a creation into buffer k of both worlds. */
static void both_create(int k, bundle b, uint32_t number) {
    static const union {
        uint8_t bytes[2000];
        float v[4];
    } value = {.v = {1, 2, 3, 4}};
    Position p = {(float)number, 7, 8};
    stoa_value values[TYPES];
    int32_t count = 0;
    for (uint32_t i = 0; i < TYPES; i++) {
        uint32_t at = b.backwards ? TYPES - 1 - i : i;
        if (((b.put | b.zero) >> at & 1) != 0) {
            const void *data = types[at] == STOA_TYPE_OF(Position) ? (const void *)&p : &value;
            values[count++] =
                (stoa_value){.type = types[at], .data = (b.put >> at & 1) != 0 ? data : NULL};
        }
    }
    stoa_entity made[2];
    for (int i = 0; i < 2; i++) {
        made[i] = stoa_commands_create_values(t.c[i][k], values, count);
        assert_false(stoa_entity_is_null(made[i]));
    }
    assert_true(stoa_entity_eq(made[0], made[1]));
    t.e[t.count++] = made[0];
}

static void both_destroy(int k, stoa_entity e) {
    for (int i = 0; i < 2; i++) {
        assert_int_equal(stoa_commands_destroy(t.c[i][k], e), STOA_OK);
    }
}

static bundle bundle_any(void) {
    uint32_t some = 1u << below(TYPES) | 1u << below(4) | 1u << below(3);
    bundle b = {some, 0, below(2) == 0};
    if (below(3) == 0) {
        b.zero = 1u << below(TYPES);
        b.put &= ~b.zero;
    }
    return b;
}

/* Fills a buffer: mostly with creations of one bundle, now and then with something else between. */
static void both_fill(int k, bundle common) {
    bundle b = below(8) == 0 ? bundle_any() : common;
    uint32_t count = below(6) == 0 ? below(3) : below(160), odd = below(6) == 0 ? 40 : 0;
    for (uint32_t n = 0; n < count && t.count + 2 < ENTITIES; n++) {
        both_create(k, b, n);
        uint32_t more = odd != 0 ? below(odd) : odd + 99;
        if (more == 0) {
            both_destroy(k, t.e[below(t.count)]);
        } else if (more == 1) {
            both_create(k, bundle_any(), n);
        } else if (more == 2) {
            both_create(k, (bundle){0, 0, false}, n);
        }
    }
}

static void worlds_compare(void) {
    const stoa_world *a = t.s[0].world, *b = t.s[1].world;
    assert_int_equal(stoa_check(a), STOA_OK);
    assert_int_equal(stoa_check(b), STOA_OK);
    assert_true(stoa_hash(a) == stoa_hash(b));
    uint32_t tick = stoa_tick(a);
    for (uint32_t i = 0; i < t.count; i++) {
        for (uint32_t k = 0; k < TYPES; k++) {
            stoa_component id = stoa_type_find(a, types[k]);
            if (id != 0 && stoa_has_id(a, t.e[i], id)) {
                assert_int_equal(stoa_added_id(a, t.e[i], id, tick - 1),
                                 stoa_added_id(b, t.e[i], id, tick - 1));
                assert_int_equal(stoa_changed_id(a, t.e[i], id, tick - 1),
                                 stoa_changed_id(b, t.e[i], id, tick - 1));
            }
        }
    }
}

/* Flushes both worlds, the second with a crew. */
static void both_flush(const stoa_flush_crew *crew) {
    int32_t done[2] = {0};
    assert_int_equal(stoa_commands_flush_all(t.c[0], BUFFERS, &done[0]), STOA_OK);
    assert_int_equal(stoa_commands_flush_crew(t.c[1], BUFFERS, &done[1], crew), STOA_OK);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(done[i], BUFFERS);
        for (int k = 0; k < BUFFERS; k++) {
            assert_true(stoa_commands_empty(t.c[i][k]));
            assert_false(t.c[i][k]->flushing);
        }
        assert_int_equal(t.s[i].world->storage.reserved_count, 0);
    }
    worlds_compare();
    stoa_tick_advance(t.s[0].world);
    stoa_tick_advance(t.s[1].world);
}

/* Records something into all buffers, of worlds that are forked or not. */
static void both_record(bool forked) {
    for (int i = 0; i < 2 && forked; i++) {
        assert_int_equal(stoa_commands_fork(t.s[i].world, t.c[i], BUFFERS), STOA_OK);
    }
    bundle common = below(3) == 0 ? bundle_any() : (bundle){3, 0, false};
    for (int k = 0; k < BUFFERS; k++) {
        both_fill(k, common);
    }
    for (int i = 0; i < 2 && forked; i++) {
        assert_int_equal(stoa_commands_join(t.s[i].world), STOA_OK);
    }
}

static void rounds_run(uint64_t seed, const stoa_flush_crew *crew) {
    worlds_open(seed);
    /* So that buffers number their types differently. */
    for (int k = 1; k < BUFFERS; k += 3) {
        both_create(k, (bundle){1u << k % TYPES, 0, false}, 0);
    }
    both_flush(crew);
    for (int round = 0; round < 5; round++) {
        both_record(below(2) == 0);
        both_flush(crew);
        for (uint32_t i = below(3); i < t.count; i += 3) {
            for (int k = 0; k < 2; k++) {
                if (stoa_alive(t.s[k].world, t.e[i])) {
                    stoa_destroy(t.s[k].world, t.e[i]);
                }
            }
        }
    }
    worlds_close();
}

/* CMD-02 CMD-05 CMD-06 SYS-08: whichever lane comes first, and however many there are. */
static void crew_comes_to_the_same_as_one_thread(void **state) {
    (void)state;
    int32_t runs = 0;
    for (support_seeds seeds = support_seeds_of(40); support_seeds_next(&seeds);) {
        stoa_flush_crew crew = {crew_backwards, NULL, 2 + (int32_t)(seeds.seed % 20), 1};
        rounds_run(seeds.seed, &crew);
        assert_true(t.lanes_seen <= BUFFERS);
        runs += t.runs;
    }
    assert_true(support_environment("STOA_SEED", 0) != 0 || runs > 200);
}

/* CMD-02 CMD-05 */
static void buffers_without_a_crew_come_to_the_same(void **state) {
    (void)state;
    for (support_seeds seeds = support_seeds_of(20); support_seeds_next(&seeds);) {
        rounds_run(seeds.seed + 500, NULL);
    }
}

/* CMD-06 SYS-08 */
static void crew_of_threads_comes_to_the_same_as_one_thread(void **state) {
    (void)state;
    t.pool = stoa_pool_new(&(stoa_pool_desc){.threads = 4});
    assert_non_null(t.pool);
    for (support_seeds seeds = support_seeds_of(20); support_seeds_next(&seeds);) {
        stoa_flush_crew crew = {crew_threads, t.pool, 4, 1};
        rounds_run(seeds.seed + 1000, &crew);
    }
    stoa_pool_free(t.pool);
    t.pool = NULL;
}

/* Records so many creations of a position and a health into each buffer. */
static void all_create(uint32_t count) {
    for (int k = 0; k < BUFFERS; k++) {
        for (uint32_t i = 0; i < count; i++) {
            both_create(k, (bundle){3, 0, false}, i);
        }
    }
}

/* CMD-02 GEN-04: memory that lacks for all rows may be enough for some. */
static void crew_without_memory_leaves_a_list_that_can_go_on(void **state) {
    (void)state;
    stoa_flush_crew crew = {crew_backwards, NULL, 3, 1};
    worlds_open(1);
    all_create(400);
    size_t failures = 0;
    int32_t done = 0;
    for (size_t at = 1; done < BUFFERS; at++) {
        t.s[1].heap.fail_at = at;
        t.s[1].heap.fail_forever = true;
        stoa_status status = stoa_commands_flush_crew(t.c[1], BUFFERS, &done, &crew);
        t.s[1].heap.fail_at = 0;
        t.s[1].heap.fail_forever = false;
        assert_int_equal(stoa_check(t.s[1].world), STOA_OK);
        assert_int_equal(status == STOA_OK, done == BUFFERS);
        failures += status == STOA_NO_MEMORY;
    }
    assert_true(failures > 1);
    both_flush(&crew);
    assert_int_equal(stoa_count(t.s[1].world), BUFFERS * 400);
    worlds_close();
}

/* CMD-02: it is applied once. */
static void buffer_listed_twice_is_shared_once(void **state) {
    (void)state;
    stoa_flush_crew crew = {crew_backwards, NULL, 3, 1};
    worlds_open(1);
    all_create(1);
    both_flush(NULL);
    all_create(20);
    for (int i = 0; i < 2; i++) {
        stoa_commands *list[] = {t.c[i][2], t.c[i][0], t.c[i][2], t.c[i][1], t.c[i][0]};
        int32_t done = 0;
        assert_int_equal(stoa_commands_flush_crew(list, 5, &done, i == 1 ? &crew : NULL), STOA_OK);
        assert_int_equal(done, 5);
        assert_int_equal(stoa_count(t.s[i].world), BUFFERS + 60);
    }
    assert_true(t.runs > 0);
    worlds_compare();
    both_flush(&crew);
    worlds_close();
}

/* CMD-02: a creation of another size that lies in two blocks of its buffer. */
static void odd_creation_between_blocks_is_noticed(void **state) {
    (void)state;
    stoa_flush_crew crew = {crew_backwards, NULL, 3, 1};
    worlds_open(1);
    all_create(1);
    both_flush(NULL);
    for (int at = 1; at < BUFFERS; at++) {
        for (int k = 0; k < BUFFERS; k++) {
            for (uint32_t i = 0; i < 50 + (uint32_t)at; i++) {
                both_create(k, (bundle){3, 0, false}, i);
            }
            if (k == at) {
                both_create(k, (bundle){5, 0, false}, 0);
                both_create(k, (bundle){1, 2, false}, 0);
            }
        }
        both_flush(&crew);
    }
    assert_true(t.runs > 0);
    worlds_close();
}

/* CMD-01: what was shared cannot be taken back. */
static void mark_is_void_after_sharing(void **state) {
    (void)state;
    stoa_flush_crew crew = {crew_backwards, NULL, 3, 1};
    worlds_open(1);
    all_create(1);
    both_flush(NULL);
    stoa_commands_mark mark = stoa_commands_mark_get(t.c[1][2]);
    all_create(20);
    both_flush(&crew);
    assert_true(t.runs > 0);
    assert_int_equal(stoa_commands_rewind(t.c[1][2], mark), STOA_INVALID);
    t.s[1].asserts_seen = t.s[1].asserts;
    worlds_close();
}

/* CMD-06: few creations, and lists that it cannot help with, do not wake the crew. */
static void crew_is_left_alone_where_it_is_of_no_use(void **state) {
    (void)state;
    stoa_flush_crew crew = {crew_backwards, NULL, 3, 0};
    worlds_open(1);
    all_create(10);
    both_flush(&crew);
    assert_int_equal(t.runs, 0);
    all_create(200);
    both_flush(&crew);
    assert_int_equal(t.runs, 2);
    crew.lanes = 1;
    all_create(200);
    both_flush(&crew);
    assert_int_equal(t.runs, 2);
    /* Each of these buffers ends with something else. */
    crew.lanes = 3;
    for (int k = 0; k < BUFFERS; k++) {
        both_destroy(k, t.e[k]);
    }
    all_create(200);
    both_flush(&crew);
    assert_int_equal(t.runs, 2);
    worlds_close();
}

static int32_t heard;

static void health_hear(stoa_world *w, stoa_entity e, void *value, void *user) {
    (void)w, (void)e, (void)value, (void)user;
    heard++;
}

/* HOK-01: who wants to know is told, one by one and by the calling thread. */
static void crew_leaves_creations_that_are_told_of_to_the_caller(void **state) {
    (void)state;
    stoa_flush_crew crew = {crew_backwards, NULL, 3, 1};
    worlds_open(1);
    heard = 0;
    stoa_on_add(t.s[0].world, Health, health_hear, NULL);
    stoa_on_add(t.s[1].world, Health, health_hear, NULL);
    all_create(30);
    both_flush(&crew);
    assert_int_equal(heard, 2 * BUFFERS * 30);
    assert_int_equal(t.runs, 0);
    worlds_close();
}

/* SNP-08: what was written is known to whoever saves frames. */
static void crew_leaves_records_that_a_history_sees(void **state) {
    (void)state;
    stoa_flush_crew crew = {crew_backwards, NULL, 3, 1};
    worlds_open(1);
    all_create(100);
    both_flush(&crew);
    stoa_history *history = stoa_history_new(t.s[1].world, &(stoa_history_desc){.frames = 4});
    assert_non_null(history);
    for (uint32_t i = 0; i < t.count; i += 2) {
        assert_int_equal(stoa_destroy(t.s[0].world, t.e[i]), STOA_OK);
        assert_int_equal(stoa_destroy(t.s[1].world, t.e[i]), STOA_OK);
    }
    int64_t frame = stoa_history_save(history);
    assert_true(frame >= 0);
    uint64_t hash = stoa_hash(t.s[1].world);
    all_create(100);
    both_flush(&crew);
    assert_true(stoa_history_save(history) > frame);
    assert_int_equal(stoa_history_restore(history, frame), STOA_OK);
    assert_true(stoa_hash(t.s[1].world) == hash);
    assert_int_equal(stoa_check(t.s[1].world), STOA_OK);
    stoa_history_free(history);
    worlds_close();
}

/* GEN-05 */
static void crew_without_a_function_is_refused(void **state) {
    support_world *s = *state;
    stoa_commands *buffers[] = {stoa_commands_new(s->world)};
    int32_t done = 0;
    stoa_flush_crew crew = {.lanes = 2};
    assert_int_equal(stoa_commands_flush_crew(buffers, 1, &done, &crew), STOA_NULL_ARGUMENT);
    assert_int_equal(done, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        support_seeds_test(crew_comes_to_the_same_as_one_thread),
        support_seeds_test(buffers_without_a_crew_come_to_the_same),
        support_seeds_test(crew_of_threads_comes_to_the_same_as_one_thread),
        cmocka_unit_test(crew_without_memory_leaves_a_list_that_can_go_on),
        cmocka_unit_test(buffer_listed_twice_is_shared_once),
        cmocka_unit_test(odd_creation_between_blocks_is_noticed),
        cmocka_unit_test(mark_is_void_after_sharing),
        cmocka_unit_test(crew_is_left_alone_where_it_is_of_no_use),
        cmocka_unit_test(crew_leaves_creations_that_are_told_of_to_the_caller),
        cmocka_unit_test(crew_leaves_records_that_a_history_sees),
        cmocka_unit_test_setup_teardown(crew_without_a_function_is_refused, support_setup,
                                        support_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
