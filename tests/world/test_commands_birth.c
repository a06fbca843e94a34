/* Creations of the same bundle in a row: applied in one go and one by one, two worlds must be the
 * same, row by row and tick by tick. */
#include "support/seeds.h"

#define ENTITIES 4000

#include "twins.h"

#define TYPES 8
#define TYPES_ALL ((1u << TYPES) - 1)

static stoa_type *const types[TYPES] = {
    STOA_TYPE_OF(Position), STOA_TYPE_OF(Health), STOA_TYPE_OF(Wide),   STOA_TYPE_OF(Frozen),
    STOA_TYPE_OF(Quad),     STOA_TYPE_OF(Seen),   STOA_TYPE_OF(Marked), STOA_TYPE_OF(Mood)};

/* One creation; bit k of `put` is for a value of type k, of `zero` for a zeroed one. */
static void twins_create(uint32_t put, uint32_t zero, uint32_t number) {
    const float value[32] = {(float)number, 7, 8, 9};
    stoa_value bundle[TYPES];
    int32_t count = 0;
    for (uint32_t k = 0; k < TYPES; k++) {
        /* Now from the first, now from the last: the order they are named in does not matter. */
        uint32_t at = number / 64 % 2 == 0 ? k : TYPES - 1 - k;
        if (((put | zero) >> at & 1) != 0) {
            bundle[count++] =
                (stoa_value){.type = types[at], .data = (put >> at & 1) != 0 ? value : NULL};
        }
    }
    stoa_entity a = stoa_commands_create_values(t.c[0], bundle, count);
    stoa_entity b = stoa_commands_create_values(t.c[1], bundle, count);
    assert_false(stoa_entity_is_null(a));
    assert_true(stoa_entity_eq(a, b));
    t.e[t.count++] = a;
}

/* A stretch of creations alike, with now and then something on the last one, or another bundle. */
static void twins_stretch(uint32_t count) {
    uint32_t put = support_random_next(&t.random) >> 3 & TYPES_ALL;
    uint32_t zero = support_random_next(&t.random) >> 3 & TYPES_ALL;
    put &= support_random_below(&t.random, 2) == 0 ? 0xfu : ~0u;
    zero &= support_random_below(&t.random, 3) == 0 ? ~put : 0;
    for (uint32_t n = 0; n < count && t.count + 1 < ENTITIES; n++) {
        twins_create(put, zero, n);
        uint32_t more = support_random_below(&t.random, 120);
        for (int i = 0; i < 2; i++) {
            if (more == 0) {
                stoa_commands_destroy(t.c[i], t.e[t.count - 1]);
            } else if (more == 1) {
                stoa_commands_set(t.c[i], t.e[t.count - 1], Health, {(int32_t)n});
            }
        }
        if (more == 2) {
            twins_create(1, 0, n);
        } else if (more == 3) {
            twins_create(0, 0, n);
        }
    }
}

static void twins_flush(void) {
    const stoa_world *a = t.s[0].world, *b = t.s[1].world;
    for (int i = 0; i < 2; i++) {
        assert_int_equal(stoa_commands_flush(t.c[i]), STOA_OK);
        assert_true(stoa_commands_empty(t.c[i]));
        assert_int_equal(stoa_check(t.s[i].world), STOA_OK);
    }
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
    stoa_tick_advance(t.s[0].world);
    stoa_tick_advance(t.s[1].world);
}

/* CMD-02 CMD-05 CMD-07 CHG-02 */
static void creations_in_a_row_come_to_the_same_as_single_ones(void **state) {
    (void)state;
    for (support_seeds seeds = support_seeds_of(24); support_seeds_next(&seeds);) {
        twins_open(seeds.seed);
        for (int flush = 0; flush < 6; flush++) {
            for (uint32_t n = 1 + support_random_below(&t.random, 3); n > 0; n--) {
                twins_stretch(1 + support_random_below(&t.random, 400));
            }
            twins_flush();
            for (uint32_t i = 0; i < t.count; i += 3) {
                for (int k = 0; k < 2; k++) {
                    if (stoa_alive(t.s[k].world, t.e[i])) {
                        stoa_destroy(t.s[k].world, t.e[i]);
                    }
                }
            }
        }
        twins_close();
    }
}

/* CMD-02: what a row of creations has left when memory is lacking is applied by the next flush. */
static void creations_go_on_after_a_lack_of_memory(void **state) {
    (void)state;
    twins_open(1);
    for (uint32_t i = 0; i < 3000; i++) {
        twins_create(3, 0, i);
    }
    size_t failures = 0;
    for (size_t at = 1; !stoa_commands_empty(t.c[0]); at++) {
        t.s[0].heap.fail_at = at;
        t.s[0].heap.fail_forever = true;
        stoa_status status = stoa_commands_flush(t.c[0]);
        t.s[0].heap.fail_at = 0;
        assert_int_equal(stoa_check(t.s[0].world), STOA_OK);
        assert_int_equal(status == STOA_OK, stoa_commands_empty(t.c[0]));
        failures += status == STOA_NO_MEMORY;
    }
    assert_true(failures > 1);
    twins_flush();
    assert_int_equal(stoa_count(t.s[0].world), 3000);
    twins_close();
}

/* STO-03: the chunk has grown since the last row of creations, and its columns lie elsewhere. */
static void creations_follow_columns_that_moved(void **state) {
    (void)state;
    twins_open(3);
    for (uint32_t i = 0; i < 4; i++) {
        twins_create(3, 0, i);
    }
    twins_flush();
    for (int k = 0; k < 2; k++) {
        for (int i = 0; i < 100; i++) {
            stoa_entity e = stoa_create_with(t.s[k].world, STOA_ZERO(Position));
            stoa_set(t.s[k].world, e, Health, {i});
        }
    }
    for (uint32_t i = 0; i < 20; i++) {
        twins_create(3, 0, i);
    }
    twins_flush();
    twins_close();
}

static int32_t heard;

static void hook_hear(stoa_world *w, stoa_entity e, void *value, void *user) {
    (void)w;
    (void)e;
    (void)value;
    (void)user;
    heard++;
}

/* HOK-02: nobody is passed over. */
static void watched_creations_are_told_one_by_one(void **state) {
    (void)state;
    twins_open(2);
    heard = 0;
    for (int i = 0; i < 2; i++) {
        stoa_on_add(t.s[i].world, Health, hook_hear, NULL);
    }
    for (uint32_t i = 0; i < 300; i++) {
        twins_create(3, 0, i);
    }
    twins_flush();
    assert_int_equal(heard, 600);
    twins_close();
}

int main(void) {
    const struct CMUnitTest tests[] = {
        support_seeds_test(creations_in_a_row_come_to_the_same_as_single_ones),
        cmocka_unit_test(creations_go_on_after_a_lack_of_memory),
        cmocka_unit_test(creations_follow_columns_that_moved),
        cmocka_unit_test(watched_creations_are_told_one_by_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
