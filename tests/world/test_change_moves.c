/* Ticks of rows that move: by swap-remove, migration, growth, compaction and copies; exact where
 * they are kept for each entity, never missed where a chunk speaks for its rows; across the wrap
 * and at any age. */
#include "support/support.h"
#include "world/world.h"

STOA_COMPONENT(A, { int32_t value; });
STOA_COMPONENT(B, { int32_t value; });
STOA_COMPONENT_WITH(R, STOA_OPTIONS(.flags = STOA_ROW_TICKS | STOA_SWITCHABLE), { int32_t value; });
STOA_COMPONENT_WITH(S, STOA_OPTIONS(.flags = STOA_SPARSE), { int32_t value; });
STOA_COMPONENT(Position, { float x, y; });
STOA_COMPONENT(Velocity, { float x, y; });
STOA_TAG(T);

/* A world whose tick starts somewhere. */
static void world_open(support_world *s, uint32_t first_tick) {
    memset(s, 0, sizeof *s);
    stoa_allocator allocator = support_allocator(&s->heap);
    s->world = stoa_world_new(
        &(stoa_world_desc){.allocator = &allocator, .chunk_size = 16384, .first_tick = first_tick});
    assert_non_null(s->world);
    assert_int_equal(stoa_tick(s->world), first_tick);
}

/* Where the wrap is soon, soon but one, or far. */
static const uint32_t starts[] = {
    1, UINT32_MAX, UINT32_MAX - 1, UINT32_MAX - 2, UINT32_MAX - 60, 0x7FFFFFFE};

#define STARTS 6

static uint32_t past(stoa_world *w) {
    uint32_t tick = stoa_tick(w);
    stoa_tick_advance(w);
    return tick;
}

/* CHG-01 CHG-02: the last row fills the hole; its chunk was written later than the hole's. */
static void row_that_fills_a_hole_takes_its_tick_along(void **state) {
    (void)state;
    for (int i = 0; i < STARTS; i++) {
        support_world s;
        world_open(&s, starts[i]);
        stoa_entity e[5000];
        stoa_create_bulk(s.world, 5000, e, STOA_ZERO(A), STOA_ZERO(T));
        stoa_archetype_info info;
        stoa_archetype_info_get(s.world, stoa_archetype_of(s.world, e[0]), &info);
        assert_true(info.chunk_count > 1);
        uint32_t since = past(s.world);
        stoa_set(s.world, e[4999], A, {1});
        assert_false(stoa_changed(s.world, e[0], A, since));
        stoa_destroy(s.world, e[5]);
        assert_true(stoa_changed(s.world, e[4999], A, since));
        assert_false(stoa_added(s.world, e[4999], A, since));
        assert_false(stoa_changed(s.world, e[4999], T, since));
        since = past(s.world);
        stoa_remove(s.world, e[10], T);
        stoa_add(s.world, e[10], T);
        stoa_destroy(s.world, e[6]);
        assert_true(stoa_changed(s.world, e[10], T, since));
        assert_true(stoa_added(s.world, e[10], T, since));
        assert_false(stoa_added(s.world, e[10], A, since));
        support_world_close(&s);
    }
}

/* CHG-02: rows of a few words have a shorter way from archetype to archetype. */
static void small_row_that_migrates_takes_its_tick_along(void **state) {
    (void)state;
    for (int i = 0; i < STARTS; i++) {
        support_world s;
        world_open(&s, starts[i]);
        stoa_entity e = stoa_create_with(s.world, STOA_VALUE(Position, {1, 2}));
        for (int k = 0; k < 3; k++) {
            uint32_t before = past(s.world);
            stoa_set(s.world, e, Position, {3, 4});
            uint32_t written = past(s.world);
            stoa_set(s.world, e, Velocity, {5, 6});
            assert_true(stoa_added(s.world, e, Velocity, written));
            assert_true(stoa_changed(s.world, e, Velocity, written));
            assert_true(stoa_changed(s.world, e, Position, before));
            assert_false(stoa_changed(s.world, e, Position, written));
            uint32_t last = past(s.world);
            stoa_remove(s.world, e, Velocity);
            assert_true(stoa_changed(s.world, e, Position, before));
            assert_false(stoa_changed(s.world, e, Position, last));
            stoa_add(s.world, e, Velocity);
            assert_true(stoa_added(s.world, e, Velocity, last));
            stoa_remove(s.world, e, Velocity);
        }
        support_world_close(&s);
    }
}

/* CHG-01 CHG-02: a row that comes makes its new chunk as young as it is, and no younger. */
static void row_that_migrates_takes_its_tick_along(void **state) {
    (void)state;
    for (int i = 0; i < STARTS; i++) {
        support_world s;
        world_open(&s, starts[i]);
        stoa_entity old = stoa_create_with(s.world, STOA_ZERO(A), STOA_ZERO(B));
        stoa_entity e = stoa_create_with(s.world, STOA_ZERO(A), STOA_ZERO(T));
        uint32_t before = past(s.world);
        stoa_set(s.world, e, A, {1});
        uint32_t written = past(s.world);
        stoa_change(s.world, e, STOA_ZERO(B), STOA_REMOVE(T));
        assert_true(stoa_changed(s.world, e, A, before));
        assert_false(stoa_changed(s.world, e, A, written));
        assert_false(stoa_added(s.world, e, A, before));
        assert_true(stoa_added(s.world, e, B, written));
        /* The chunk speaks for both. */
        assert_true(stoa_changed(s.world, old, A, before));
        /* A row that is older than its new chunk does not make it older. */
        stoa_entity older = stoa_create_with(s.world, STOA_ZERO(B));
        uint32_t late = past(s.world);
        stoa_set(s.world, old, B, {1});
        stoa_add(s.world, older, A);
        assert_true(stoa_changed(s.world, old, B, late));
        /* Alone in a chunk that nobody was in. */
        uint32_t alone = past(s.world);
        stoa_add(s.world, e, T);
        assert_false(stoa_changed(s.world, e, A, alone));
        assert_true(stoa_added(s.world, e, T, alone));
        support_world_close(&s);
    }
}

/* An entity as the test remembers it. */
typedef struct memory {
    stoa_entity entity;
    uint32_t changed[3]; /* of A, R, S */
    uint32_t added[3];
    bool there[3];
} memory;

#define COUNT 900

typedef struct story {
    support_world s;
    support_random random;
    stoa_component ids[3];
    memory all[COUNT];
} story;

static void memory_add(story *y, memory *m, int which) {
    m->there[which] = true;
    m->changed[which] = m->added[which] = stoa_tick(y->s.world);
}

static void memory_create(story *y, memory *m) {
    m->entity =
        stoa_create_with(y->s.world, STOA_VALUE(A, {1}), STOA_VALUE(R, {2}), STOA_VALUE(S, {3}));
    for (int k = 0; k < 3; k++) {
        memory_add(y, m, k);
    }
}

/* Writes, adds or removes one of the three. */
static void memory_write(story *y, memory *m, int which) {
    stoa_world *w = y->s.world;
    int32_t value = 5;
    uint32_t how = support_random_below(&y->random, 5);
    if (how == 0 && m->there[which]) {
        assert_int_equal(stoa_remove_id(w, m->entity, y->ids[which]), STOA_OK);
        m->there[which] = false;
    } else if (how == 1) {
        assert_int_equal(stoa_add_id(w, m->entity, y->ids[which]), STOA_OK);
        if (!m->there[which]) {
            memory_add(y, m, which);
        }
    } else if (how == 2 && m->there[which]) {
        *(int32_t *)stoa_get_mut_id(w, m->entity, y->ids[which]) = 6;
        m->changed[which] = stoa_tick(w);
    } else {
        assert_int_equal(stoa_set_id(w, m->entity, y->ids[which], &value, sizeof value), STOA_OK);
        if (!m->there[which]) {
            memory_add(y, m, which);
        }
        m->changed[which] = stoa_tick(w);
    }
}

static void story_step(story *y) {
    stoa_world *w = y->s.world;
    memory *m = &y->all[support_random_below(&y->random, COUNT)];
    const memory *other = &y->all[support_random_below(&y->random, COUNT)];
    switch (support_random_below(&y->random, 16)) {
    case 0:
        stoa_destroy(w, m->entity);
        memory_create(y, m);
        break;
    case 1:
        if (stoa_has(w, m->entity, T)) {
            stoa_remove(w, m->entity, T);
        } else {
            stoa_add(w, m->entity, T);
        }
        break;
    case 2:
        if (m != other) {
            stoa_destroy(w, m->entity);
            m->entity = stoa_clone(w, other->entity);
            for (int k = 0; k < 3; k++) {
                m->there[k] = false;
                if (other->there[k]) {
                    memory_add(y, m, k);
                }
            }
        }
        break;
    case 3:
        if (m->there[1]) {
            /* Switched on it counts as written. */
            bool on = !stoa_enabled(w, m->entity, R);
            stoa_enable(w, m->entity, R, on);
            m->changed[1] = on ? stoa_tick(w) : m->changed[1];
        }
        break;
    default:
        memory_write(y, m, (int)support_random_below(&y->random, 3));
    }
}

/* A tick is right if it is newer than the one before it, and no newer than itself. */
static void story_compare(const story *y) {
    const stoa_world *w = y->s.world;
    for (int i = 0; i < COUNT; i++) {
        const memory *m = &y->all[i];
        for (int k = 0; k < 3; k++) {
            stoa_component id = y->ids[k];
            assert_int_equal(stoa_changed_id(w, m->entity, id, m->changed[k] - 1), m->there[k]);
            assert_int_equal(stoa_added_id(w, m->entity, id, m->added[k] - 1), m->there[k]);
            if (k != 0) {
                assert_false(stoa_changed_id(w, m->entity, id, m->changed[k]));
                assert_false(stoa_added_id(w, m->entity, id, m->added[k]));
            }
        }
    }
}

/* CHG-01 CHG-02 CHG-04: random changes against a memory of each write. */
static void ticks_are_right_through_any_moves(void **state) {
    (void)state;
    static story y;
    for (int i = 0; i < STARTS; i++) {
        memset(&y, 0, sizeof y);
        y.random.state = (uint64_t)i + 1;
        world_open(&y.s, starts[i]);
        y.ids[0] = stoa_id(y.s.world, A);
        y.ids[1] = stoa_id(y.s.world, R);
        y.ids[2] = stoa_id(y.s.world, S);
        for (int k = 0; k < COUNT; k++) {
            memory_create(&y, &y.all[k]);
            if (k % 100 == 0) {
                past(y.s.world);
            }
        }
        story_compare(&y);
        for (int k = 0; k < 3000; k++) {
            story_step(&y);
            if (k % 50 == 0) {
                past(y.s.world);
            }
            if (k % 1000 == 999) {
                assert_int_equal(stoa_compact(y.s.world), STOA_OK);
                story_compare(&y);
            }
        }
        story_compare(&y);
        support_world_close(&y.s);
    }
}

/* CHG-01: a column that is left alone for more than half of all ticks. */
static void old_ticks_do_not_come_back_as_new_ones(void **state) {
    (void)state;
    for (int i = 0; i < STARTS; i++) {
        support_world s;
        world_open(&s, starts[i]);
        stoa_entity e =
            stoa_create_with(s.world, STOA_ZERO(A), STOA_ZERO(R), STOA_ZERO(S), STOA_ZERO(T));
        for (int k = 0; k < 9; k++) {
            stoa__world_tick_step(s.world, 0x20000000u + 0x11111111u * (uint32_t)k);
            static const uint32_t ages[] = {0, 1, 1000, 0x10000000};
            for (int a = 0; a < 4 && (k > 0 || a < 3); a++) {
                uint32_t since = stoa_tick(s.world) - ages[a];
                assert_false(stoa_changed(s.world, e, A, since) ||
                             stoa_added(s.world, e, A, since));
                assert_false(stoa_changed(s.world, e, R, since) ||
                             stoa_added(s.world, e, R, since));
                assert_false(stoa_changed(s.world, e, S, since) ||
                             stoa_added(s.world, e, S, since));
                assert_false(stoa_changed(s.world, e, T, since) ||
                             stoa_added(s.world, e, T, since));
            }
        }
        uint32_t since = past(s.world);
        stoa_set(s.world, e, A, {1});
        stoa_set(s.world, e, R, {1});
        stoa_set(s.world, e, S, {1});
        assert_true(stoa_changed(s.world, e, A, since) && stoa_changed(s.world, e, R, since) &&
                    stoa_changed(s.world, e, S, since));
        support_world_close(&s);
    }
}

static int32_t rows_seen(stoa_query *query) {
    int32_t count = 0;
    for (stoa_iter it = stoa_query_iter(query); stoa_iter_next(&it);) {
        count += it.count;
    }
    return count;
}

/* CHG-01 CHG-06: a query that has not run for more than half of all ticks misses nothing. */
static void query_that_ran_long_ago_misses_nothing(void **state) {
    (void)state;
    static const char *const texts[] = {"changed A", "changed R", "changed S",
                                        "added A",   "added R",   "added S"};
    for (int i = 0; i < STARTS * 6; i++) {
        support_world s;
        world_open(&s, starts[i / 6]);
        stoa_entity e = stoa_create(s.world);
        assert_true(stoa_id(s.world, A) != 0 && stoa_id(s.world, R) != 0 &&
                    stoa_id(s.world, S) != 0);
        stoa_query *query = stoa_query_parse(s.world, texts[i % 6]);
        assert_non_null(query);
        assert_int_equal(rows_seen(query), 0);
        stoa_change(s.world, e, STOA_ZERO(A), STOA_ZERO(R), STOA_ZERO(S));
        for (int k = 0; k < 4; k++) {
            stoa__world_tick_step(s.world, 0x37777777u);
        }
        assert_int_equal(rows_seen(query), 1);
        assert_int_equal(rows_seen(query), 0);
        for (int k = 0; k < 4; k++) {
            stoa__world_tick_step(s.world, 0x37777777u);
        }
        stoa_clear(s.world, e);
        stoa_change(s.world, e, STOA_ZERO(A), STOA_ZERO(R), STOA_ZERO(S));
        assert_int_equal(rows_seen(query), 1);
        support_world_close(&s);
    }
}

/* CHG-01 */
static void ticks_are_compared_modulo_two_to_the_32(void **state) {
    (void)state;
    assert_true(stoa_tick_newer(1, 0) && !stoa_tick_newer(0, 1) && !stoa_tick_newer(5, 5));
    assert_true(stoa_tick_newer(0, UINT32_MAX) && !stoa_tick_newer(UINT32_MAX, 0));
    assert_true(stoa_tick_newer(0x7FFFFFFF, 0) && !stoa_tick_newer(0x80000001, 0));
    assert_true(stoa_tick_newer(100, 0x80000065) && !stoa_tick_newer(0x80000065, 100));
    support_world s;
    world_open(&s, UINT32_MAX);
    assert_int_equal(stoa_tick_advance(s.world), 0);
    assert_int_equal(stoa_tick_advance(s.world), 1);
    support_world_close(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(row_that_fills_a_hole_takes_its_tick_along),
        cmocka_unit_test(row_that_migrates_takes_its_tick_along),
        cmocka_unit_test(small_row_that_migrates_takes_its_tick_along),
        cmocka_unit_test(ticks_are_right_through_any_moves),
        cmocka_unit_test(old_ticks_do_not_come_back_as_new_ones),
        cmocka_unit_test(query_that_ran_long_ago_misses_nothing),
        cmocka_unit_test(ticks_are_compared_modulo_two_to_the_32),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
