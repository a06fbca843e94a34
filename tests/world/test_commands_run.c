/* Commands that do the same to many entities: applied in one go and one by one, two worlds must be
 * the same, row by row and tick by tick. */
#include "support/seeds.h"
#include "world/testing.h"

#define ENTITIES 3000

#include "twins.h"

#define TYPES 6

STOA_COMPONENT(Velocity, { float x, y, z; });
STOA_COMPONENT(Pair, { double a, b; });
static stoa_type *const types[TYPES] = {STOA_TYPE_OF(Position), STOA_TYPE_OF(Velocity),
                                        STOA_TYPE_OF(Pair),     STOA_TYPE_OF(Frozen),
                                        STOA_TYPE_OF(Quad),     STOA_TYPE_OF(Health)};

static void twins_create(uint32_t count) {
    for (uint32_t k = 0; k < count && t.count < ENTITIES; k++, t.count++) {
        float x = (float)t.count;
        t.e[t.count] = stoa_create_with(t.s[0].world, STOA_VALUE(Position, {x, 1, 2}));
        stoa_entity twin = stoa_create_with(t.s[1].world, STOA_VALUE(Position, {x, 1, 2}));
        assert_true(stoa_entity_eq(t.e[t.count], twin));
    }
}

/* One command for one entity. Two in a row for the same one would be merged, and that may leave out
 * ticks of chunks that it only passes through. */
static void twins_record(stoa_entity e, uint32_t op, uint32_t type, uint32_t number) {
    float value[4] = {(float)number, 7, 8, 9};
    if (stoa_entity_eq(e, t.last)) {
        return;
    }
    t.last = e;
    for (int i = 0; i < 2; i++) {
        stoa_status status = op == 0   ? stoa_commands_destroy(t.c[i], e)
                             : op == 1 ? stoa_commands_remove_type(t.c[i], e, types[type])
                             : op == 2 ? stoa_commands_add_type(t.c[i], e, types[type])
                                       : stoa_commands_set_type(t.c[i], e, types[type], value);
        assert_int_equal(status, STOA_OK);
    }
}

/* The same for a stretch of entities, in order, backwards or at random, with now and then something
 * else in between. */
static void twins_stretch(void) {
    uint32_t number = support_random_next(&t.random) >> 2;
    uint32_t op = number % 16 == 0 ? 0 : 1 + number / 16 % 3, type = number / 64 % TYPES;
    uint32_t first = support_random_below(&t.random, t.count);
    uint32_t count = support_random_below(&t.random, number % 3 == 0 ? t.count : 100);
    uint32_t order = support_random_below(&t.random, 3);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t k = order == 0   ? first + i
                     : order == 1 ? first + t.count - i % t.count
                                  : support_random_next(&t.random) >> 3;
        twins_record(t.e[k % t.count], op, type, i);
        if (support_random_below(&t.random, 200) == 0) {
            number = support_random_next(&t.random) >> 2;
            twins_record(t.e[number % t.count], 1 + number % 3, number / 8 % TYPES, i);
        }
    }
}

/* How many ticks ago a component was changed or added, up to 7, as far as the world tells. */
static uint32_t age_of(const stoa_world *w, stoa_entity e, stoa_component id, bool added) {
    uint32_t tick = stoa_tick(w), age = 0;
    while (age < 7 && !(added ? stoa_added_id(w, e, id, tick - age - 1)
                              : stoa_changed_id(w, e, id, tick - age - 1))) {
        age++;
    }
    return age;
}

static void twins_compare(void) {
    const stoa_world *a = t.s[0].world, *b = t.s[1].world;
    assert_int_equal(stoa_check(a), STOA_OK);
    assert_int_equal(stoa_commands_skipped(t.c[0]), stoa_commands_skipped(t.c[1]));
    assert_true(stoa_hash(a) == stoa_hash(b));
    for (uint32_t i = 0; i < t.count; i++) {
        for (uint32_t k = 0; k < TYPES; k++) {
            stoa_component id = stoa_type_find(a, types[k]);
            assert_int_equal(stoa_type_find(b, types[k]), id);
            if (id != 0 && stoa_has_id(a, t.e[i], id)) {
                assert_int_equal(age_of(a, t.e[i], id, true), age_of(b, t.e[i], id, true));
                assert_int_equal(age_of(a, t.e[i], id, false), age_of(b, t.e[i], id, false));
            }
        }
    }
}

static void twins_flush(void) {
    for (int i = 0; i < 2; i++) {
        assert_int_equal(stoa_commands_flush(t.c[i]), STOA_OK);
        assert_true(stoa_commands_empty(t.c[i]));
    }
    t.last = STOA_NULL;
    twins_compare();
    if (support_random_below(&t.random, 3) > 0) {
        stoa_tick_advance(t.s[0].world);
        stoa_tick_advance(t.s[1].world);
    }
}

/* CMD-02 CMD-07 CHG-02 STO-04 */
static void runs_come_to_the_same_as_single_commands(void **state) {
    (void)state;
    for (support_seeds seeds = support_seeds_of(16); support_seeds_next(&seeds);) {
        twins_open(seeds.seed);
        twins_create(200 + support_random_below(&t.random, 1800));
        for (int flush = 0; flush < 12; flush++) {
            for (uint32_t n = 1 + support_random_below(&t.random, 4); n > 0; n--) {
                twins_stretch();
            }
            twins_flush();
            twins_create(support_random_below(&t.random, 100));
        }
        twins_close();
    }
}

/* CMD-02: all that can end a run in its middle. */
static void run_ends_where_something_is_different(void **state) {
    (void)state;
    twins_open(1);
    twins_create(1200);
    for (uint32_t i = 0; i < 1200; i += 100) {
        twins_record(t.e[i], 0, 0, 0);
    }
    twins_flush();
    /* The dead, one without components, one with more, one twice with another in between. */
    for (int i = 0; i < 2; i++) {
        stoa_remove(t.s[i].world, t.e[5], Position);
        stoa_add(t.s[i].world, t.e[9], Pair);
        stoa_set(t.s[i].world, t.e[11], Health, {3});
    }
    for (uint32_t i = 0; i < 1200; i++) {
        twins_record(t.e[i], 3, 1, i);
        if (i % 50 == 7) {
            twins_record(t.e[i - 1], 3, 1, i);
        }
    }
    twins_flush();
    assert_int_equal(stoa_commands_skipped(t.c[0]), 12);
    for (uint32_t i = 0; i < 1200; i++) {
        const Velocity *v = stoa_try_get(t.s[0].world, t.e[i], Velocity);
        assert_int_equal(v == NULL, i % 100 == 0);
        assert_true(v == NULL || v->x == (i % 50 == 6 ? (float)i + 1 : (float)i));
    }
    for (uint32_t i = 1200; i-- > 0;) {
        twins_record(t.e[i], 1, 1, i);
    }
    twins_flush();
    for (uint32_t i = 0; i < 1200; i++) {
        twins_record(t.e[i], 2, 3, i);
    }
    twins_flush();
    for (uint32_t i = 0; i < 1200; i++) {
        twins_record(t.e[i * 7 % 1200], 0, 0, i);
    }
    twins_flush();
    assert_int_equal(stoa_count(t.s[0].world), 0);
    twins_close();
}

/* Two archetypes of several chunks: without and with a velocity. The last row of the first one,
 * which is returned, is written at a newer tick than all others. */
static stoa_entity twins_prepare(uint32_t *tick) {
    twins_open(4);
    twins_create(2000);
    for (uint32_t i = 0; i < 600; i++) {
        twins_record(t.e[i], 3, 1, i);
    }
    twins_flush();
    *tick = stoa_tick(t.s[0].world);
    for (int i = 0; i < 2; i++) {
        stoa_tick_advance(t.s[i].world);
        stoa_set(t.s[i].world, t.e[1399], Position, {5, 5, 5});
    }
    return t.e[1399];
}

/* CHG-02: a row that fills a hole, and then moves on itself, takes its tick along. */
static void row_that_moves_twice_in_a_run_takes_its_tick_along(void **state) {
    (void)state;
    uint32_t tick;
    stoa_entity late = twins_prepare(&tick);
    twins_record(t.e[1999], 2, 1, 0);
    twins_record(late, 2, 1, 0);
    twins_record(t.e[700], 0, 0, 0);
    twins_flush();
    assert_true(stoa_changed(t.s[0].world, late, Position, tick));
    twins_close();
}

/* CMD-07: in a run, too, two commands on one entity move it once: it does not pass through the
 * archetype that the others go to, and leaves no tick there. */
static void run_ends_before_commands_that_are_merged(void **state) {
    (void)state;
    uint32_t tick;
    stoa_entity late = twins_prepare(&tick), other = t.e[1999];
    stoa_world *w = t.s[0].world;
    stoa_commands_add(t.c[0], other, Velocity);
    stoa_commands_add(t.c[0], late, Velocity);
    stoa_commands_add(t.c[0], late, Pair);
    assert_int_equal(stoa_flush(w), STOA_OK);
    assert_true(stoa_has(w, late, Velocity) && stoa_has(w, late, Pair));
    assert_true(stoa_changed(w, late, Position, tick));
    assert_false(stoa_changed(w, other, Position, tick));
    twins_close();
}

/* CMD-02 GEN-05: a shorter command at the very end of the first block of the arena. */
static void run_reads_nothing_past_its_block(void **state) {
    (void)state;
    twins_open(5);
    twins_create(400);
    twins_record(t.e[399], 0, 0, 0);
    for (uint32_t i = 0; i < 127; i++) {
        twins_record(t.e[i], 3, 1, i);
    }
    for (uint32_t i = 127; i < 200; i++) {
        twins_record(t.e[i], 1, 0, i);
    }
    twins_flush();
    twins_close();
}

/* ENT-04: slots are retired by runs, too. */
static void run_retires_slots_at_their_last_generation(void **state) {
    (void)state;
    twins_open(2);
    twins_create(30);
    for (uint32_t i = 0; i < 30; i++) {
        twins_record(t.e[i], 0, 0, 0);
    }
    twins_flush();
    for (int i = 0; i < 2; i++) {
        stoa__testing_set_generation(t.s[i].world, t.e[10].index, 0x7FFFFFFF);
        stoa__testing_set_generation(t.s[i].world, t.e[11].index, 0x7FFFFFFF);
    }
    t.count = 0;
    twins_create(30);
    for (uint32_t i = 0; i < 30; i++) {
        twins_record(t.e[i], 0, 0, 0);
    }
    twins_flush();
    t.count = 0;
    twins_create(30);
    uint32_t highest = 0;
    for (uint32_t i = 0; i < 30; i++) {
        highest = t.e[i].index > highest ? t.e[i].index : highest;
    }
    assert_int_equal(highest, 32);
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
static void watched_components_are_not_applied_in_one_go(void **state) {
    (void)state;
    twins_open(3);
    twins_create(500);
    for (int i = 0; i < 2; i++) {
        stoa_on_add(t.s[i].world, Velocity, hook_hear, NULL);
        stoa_on_set(t.s[i].world, Velocity, hook_hear, NULL);
        stoa_on_remove(t.s[i].world, Velocity, hook_hear, NULL);
    }
    heard = 0;
    for (uint32_t i = 0; i < 500; i++) {
        twins_record(t.e[i], 3, 1, i);
    }
    twins_flush();
    assert_int_equal(heard, 2000);
    for (uint32_t i = 0; i < 500; i++) {
        twins_record(t.e[i], i < 250 ? 0 : 1, i < 250 ? 0 : 1, i);
    }
    twins_flush();
    assert_int_equal(heard, 3000);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(stoa_log_keep(t.s[i].world, 1000), STOA_OK);
    }
    for (uint32_t i = 250; i < 500; i++) {
        twins_record(t.e[i], 0, 0, i);
    }
    twins_flush();
    for (int i = 0; i < 2; i++) {
        int32_t logged = 0;
        for (stoa_log log = stoa_destroyed_since(t.s[i].world, 0); stoa_log_next(&log);) {
            logged++;
        }
        assert_int_equal(logged, 250);
    }
    twins_close();
}

int main(void) {
    const struct CMUnitTest tests[] = {
        support_seeds_test(runs_come_to_the_same_as_single_commands),
        cmocka_unit_test(run_ends_where_something_is_different),
        cmocka_unit_test(row_that_moves_twice_in_a_run_takes_its_tick_along),
        cmocka_unit_test(run_ends_before_commands_that_are_merged),
        cmocka_unit_test(run_reads_nothing_past_its_block),
        cmocka_unit_test(run_retires_slots_at_their_last_generation),
        cmocka_unit_test(watched_components_are_not_applied_in_one_go),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
