/* Destroying many entities, quietly or by one call: two worlds, one where each goes by a call of
 * its own, must be the same row by row, tick by tick and slot by slot. */
#include "support/seeds.h"

#include "storage/entities.h"
#include "storage/row.h"
#include "world/world.h"

#define ENTITIES 3000

STOA_COMPONENT(Place, { float x, y, z; });
STOA_COMPONENT(Number, { int32_t n; });
STOA_COMPONENT(Wide, { double cells[9]; });
STOA_COMPONENT(Odd, { uint8_t bytes[7]; });
STOA_TAG(Mark);
STOA_COMPONENT_WITH(Heat, STOA_OPTIONS(.flags = STOA_SPARSE), { float degrees; });
STOA_COMPONENT_WITH(Timed, STOA_OPTIONS(.flags = STOA_ROW_TICKS | STOA_SWITCHABLE),
                    { int64_t since; });

static int dropped;

static void owner_drop(void *items, int32_t count, void *user) {
    (void)items, (void)user;
    dropped += count;
}

STOA_COMPONENT_WITH(Owner, STOA_OPTIONS(.hooks = {.drop = owner_drop}), { int64_t what; });

static stoa_type *const types[] = {STOA_TYPE_OF(Place), STOA_TYPE_OF(Number), STOA_TYPE_OF(Wide),
                                   STOA_TYPE_OF(Odd),   STOA_TYPE_OF(Mark),   STOA_TYPE_OF(Heat),
                                   STOA_TYPE_OF(Timed), STOA_TYPE_OF(Owner)};
#define TYPES 8

static int someone;
static int calls;

static void hook_count(stoa_world *w, stoa_entity e, void *value, void *user) {
    (void)w, (void)e, (void)value, (void)user;
    calls++;
}

/* Two worlds that are treated alike. */
typedef struct twins {
    support_world s[2];
    support_random random;
    stoa_entity e[ENTITIES];
    int32_t count;
} twins;

static twins t;

static void twins_open(uint64_t seed, bool stamped) {
    t.random.state = seed;
    t.count = 0;
    for (int i = 0; i < 2; i++) {
        support_world_open_with(&t.s[i], 16384);
        for (int k = 0; k < TYPES; k++) {
            assert_int_not_equal(stoa_type_register(t.s[i].world, types[k]), 0);
        }
        if (stamped) {
            assert_int_equal(stoa__entities_stamp_all(&t.s[i].world->storage), STOA_OK);
        }
    }
}

/* What a value is made of, by the number of its entity. */
static void value_fill(uint8_t *bytes, size_t size, int32_t number) {
    for (size_t i = 0; i < size; i++) {
        bytes[i] = (uint8_t)(number * 7 + (int32_t)i);
    }
}

/* Entities of one of few sets of components, some switched off. */
static void twins_create(uint32_t set, int32_t count) {
    for (; count > 0 && t.count < ENTITIES; count--, t.count++) {
        for (int i = 0; i < 2; i++) {
            stoa_world *w = t.s[i].world;
            stoa_entity e = stoa_create(w);
            for (int k = 0; k < TYPES; k++) {
                uint64_t value[9];
                value_fill((uint8_t *)value, sizeof value, t.count);
                if ((set >> k & 1) != 0) {
                    assert_int_equal(stoa_set_type(w, e, types[k], value), STOA_OK);
                }
            }
            if (stoa_has(w, e, Timed) && t.count % 3 == 0) {
                assert_int_equal(stoa_enable(w, e, Timed, false), STOA_OK);
            }
            assert_true(i == 0 || stoa_entity_eq(e, t.e[t.count]));
            t.e[t.count] = e;
        }
        if (support_random_below(&t.random, 50) == 0) {
            stoa_tick_advance(t.s[0].world);
            stoa_tick_advance(t.s[1].world);
        }
    }
}

static void twins_compare(bool stamped) {
    stoa__storage *a = &t.s[0].world->storage, *b = &t.s[1].world->storage;
    assert_int_equal(stoa_check(t.s[0].world), STOA_OK);
    assert_int_equal(stoa_check(t.s[1].world), STOA_OK);
    assert_true(stoa_hash(t.s[0].world) == stoa_hash(t.s[1].world));
    assert_int_equal(a->free_first, b->free_first);
    assert_int_equal(a->free_count, b->free_count);
    assert_memory_equal(a->head.records, b->head.records,
                        a->head.record_count * sizeof *a->head.records);
    for (uint32_t i = 0; stamped && i < a->head.record_count; i += 1u << STOA__STAMP_BITS) {
        assert_int_equal(a->record_stamps[i >> STOA__STAMP_BITS],
                         b->record_stamps[i >> STOA__STAMP_BITS]);
    }
    for (int32_t i = 0; i < t.count; i++) {
        for (int k = 0; k < TYPES; k++) {
            for (uint32_t since = 0; since < 40; since += 3) {
                assert_int_equal(stoa_changed_type(t.s[0].world, t.e[i], types[k], since),
                                 stoa_changed_type(t.s[1].world, t.e[i], types[k], since));
            }
        }
    }
}

/* Who is to go: a stretch in order, backwards or at random. */
static int32_t victims_list(stoa_entity *victims) {
    int32_t first = (int32_t)support_random_below(&t.random, (uint32_t)t.count);
    int32_t count = (int32_t)support_random_below(&t.random, (uint32_t)t.count);
    uint32_t order = support_random_below(&t.random, 3);
    for (int32_t i = 0; i < count; i++) {
        int32_t k = order == 0   ? first + i
                    : order == 1 ? first + t.count - i
                                 : (int32_t)(support_random_next(&t.random) >> 3);
        victims[i] = t.e[k % t.count];
    }
    return count;
}

/* Destroys the first of a list by one call; returns how many. */
static int32_t many_destroy(const stoa_entity *victims, int32_t count, bool quietly) {
    stoa_world *w = t.s[1].world;
    if (quietly) {
        return stoa_destroy_quietly_many(w, victims, count, &someone, NULL);
    }
    int32_t done = -1;
    stoa_status status = stoa_destroy_bulk(w, count, victims, &done);
    assert_int_equal(status, done == count ? STOA_OK : STOA_DEAD);
    return done;
}

/* Destroys a list in both, passing over the dead. */
static void twins_destroy(const stoa_entity *victims, int32_t count, bool quietly) {
    for (int32_t i = 0; i < count; i++) {
        if (stoa_alive(t.s[0].world, victims[i])) {
            assert_int_equal(stoa_destroy(t.s[0].world, victims[i]), STOA_OK);
        }
    }
    for (int32_t at = 0; at < count; at++) {
        int32_t n = many_destroy(victims + at, count - at, quietly);
        assert_in_range(n, 0, count - at);
        at += n;
    }
}

/* ENT-08 */
static void many_are_destroyed_as_one_after_the_other(void **state) {
    (void)state;
    static stoa_entity victims[ENTITIES];
    for (support_seeds s = support_seeds_of(60); support_seeds_next(&s);) {
        bool stamped = s.seed % 3 == 0;
        twins_open(s.seed, stamped);
        uint32_t sets[4];
        for (int i = 0; i < 4; i++) {
            sets[i] = support_random_below(&t.random, 1u << TYPES);
        }
        sets[0] = s.seed % 2 == 0 ? 1u : 5u;
        for (int round = 0; round < 4; round++) {
            for (int i = 0; i < 8; i++) {
                twins_create(sets[support_random_below(&t.random, 4)],
                             (int32_t)support_random_below(&t.random, 200));
            }
            t.s[0].world->storage.stamp++;
            t.s[1].world->storage.stamp++;
            int32_t count = victims_list(victims);
            dropped = 0;
            twins_destroy(victims, count, (s.seed / 6 + (uint32_t)round) % 2 == 0);
            assert_int_equal(dropped % 2, 0);
            twins_compare(stamped);
        }
        support_world_close(&t.s[0]);
        support_world_close(&t.s[1]);
    }
    support_seeds_stop();
}

/* ENT-08 GEN-05 */
static void slot_of_the_last_generation_is_retired(void **state) {
    stoa_world *w = ((support_world *)*state)->world;
    stoa_entity e[3];
    for (int i = 0; i < 3; i++) {
        e[i] = stoa_create_with(w, STOA_VALUE(Place, {(float)i, 0, 0}));
    }
    stoa_record *record = &w->storage.head.records[e[1].index];
    record->generation = e[1].generation = STOA__GENERATION_MAX;
    *stoa__row_entity(stoa__row_at(&w->storage, stoa__place_of(&w->storage, e[1].index))) = e[1];
    assert_int_equal(stoa_destroy_quietly_many(w, e, 3, &someone, NULL), 3);
    assert_int_equal(w->storage.retired_count, 1);
    assert_int_equal(stoa_count(w), 0);
}

/* Destroys itself and others while it goes. */
static stoa_entity around[3];
static int32_t gone_seen;

static void hook_destroy(stoa_world *w, stoa_entity e, void *value, void *user) {
    (void)e, (void)value, (void)user;
    if (!stoa_world_ending(w)) {
        gone_seen = stoa_destroy_quietly_many(w, around, 3, &calls, NULL);
    }
}

/* HOK-02 HOK-04 */
static void call_stops_at_the_first_that_it_may_not_pass(void **state) {
    stoa_world *w = ((support_world *)*state)->world;
    stoa_entity e[6], dead = stoa_create(w);
    calls = 0;
    assert_int_equal(stoa_destroy(w, dead), STOA_OK);
    stoa_hook_type(w, STOA_ON_REMOVE, STOA_TYPE_OF(Number), hook_count, &someone);
    for (int i = 0; i < 6; i++) {
        e[i] = stoa_create_with(w, STOA_VALUE(Number, {i}));
    }
    stoa_hook_type(w, STOA_ON_REMOVE, STOA_TYPE_OF(Heat), hook_count, &calls);
    assert_int_equal(stoa_set(w, e[2], Heat, {4}), STOA_OK);
    assert_int_equal(stoa_destroy_quietly_many(w, e, 6, &someone, NULL), 2);
    assert_int_equal(stoa_destroy_quietly_many(w, e + 2, 4, &someone, NULL), 0);
    assert_int_equal(stoa_destroy(w, e[2]), STOA_OK);
    assert_int_equal(calls, 2);
    stoa_hook_type(w, STOA_ON_REMOVE, STOA_TYPE_OF(Wide), hook_count, &calls);
    assert_int_equal(stoa_set(w, e[4], Wide, {{0}}), STOA_OK);
    assert_int_equal(stoa_destroy_quietly_many(w, e + 3, 3, &someone, NULL), 1);
    const stoa_entity twice[] = {e[5], e[5]},
                      wild[] = {stoa_create_with(w, STOA_ZERO(Place)), {1u << 30, 1}};
    assert_int_equal(stoa_destroy_quietly_many(w, twice, 2, &someone, NULL), 1);
    assert_int_equal(stoa_destroy_quietly_many(w, wild, 2, &someone, NULL), 1);
    assert_int_equal(stoa_destroy_quietly_many(w, wild + 1, 1, &someone, NULL), 0);
    assert_int_equal(stoa_destroy_quietly_many(w, &dead, 1, &someone, NULL), 0);
    assert_int_equal(stoa_destroy_quietly_many(w, e + 4, 0, &someone, NULL), 0);
    assert_int_equal(stoa_destroy_quietly_many(w, e + 4, -1, &someone, NULL), 0);
    assert_int_equal(stoa_destroy_quietly_many(w, NULL, 1, &someone, NULL), 0);
    assert_int_equal(stoa_destroy_quietly_many(NULL, e, 1, &someone, NULL), 0);
    assert_int_equal(calls, 2);
    assert_true(stoa_alive(w, e[4]));
}

/* HOK-04 */
static void entity_whose_hooks_run_is_not_passed(void **state) {
    stoa_world *w = ((support_world *)*state)->world;
    stoa_hook_type(w, STOA_ON_REMOVE, STOA_TYPE_OF(Number), hook_destroy, &calls);
    for (int i = 0; i < 3; i++) {
        around[i] = stoa_create_with(w, STOA_VALUE(Number, {i}));
    }
    assert_int_equal(stoa_destroy(w, around[1]), STOA_OK);
    assert_int_equal(gone_seen, 1);
    assert_false(stoa_alive(w, around[0]));
    assert_false(stoa_alive(w, around[1]));
    assert_true(stoa_alive(w, around[2]));
}

/* HOK-04 */
static void owners_of_a_sparse_component_are_told(void **state) {
    stoa_world *w = ((support_world *)*state)->world;
    stoa_entity e[200], items[200];
    for (int i = 0; i < 200; i++) {
        e[i] = stoa_create_with(w, STOA_VALUE(Number, {i}));
        if (i % 3 == 1) {
            assert_int_equal(stoa_set(w, e[i], Heat, {(float)i}), STOA_OK);
        }
    }
    stoa_owners owners = {stoa_id(w, Heat), items, 7};
    assert_int_equal(stoa_destroy_quietly_many(w, e, 150, &someone, &owners), 150);
    assert_int_equal(owners.count, 50);
    for (int i = 0; i < 50; i++) {
        assert_true(stoa_entity_eq(items[i], e[3 * i + 1]));
    }
    assert_int_equal(stoa_check(w), STOA_OK);
    /* Of what is in no set nobody is told; what is known to be in none is not looked for. */
    owners.component = stoa_id(w, Number);
    assert_int_equal(stoa_destroy_quietly_many(w, e + 150, 10, &someone, &owners), 10);
    assert_int_equal(owners.count, 0);
    owners = (stoa_owners){stoa_id(w, Heat), NULL, 7};
    assert_int_equal(stoa_destroy_quietly_many(w, e + 162, 1, &someone, &owners), 1);
    assert_int_equal(owners.count, 0);
    owners.count = 7;
    assert_int_equal(stoa_destroy_quietly_many(NULL, e + 163, 1, &someone, &owners), 0);
    assert_int_equal(owners.count, 0);
}

#define test(name) cmocka_unit_test_setup_teardown(name, support_setup, support_teardown)

int main(void) {
    const struct CMUnitTest tests[] = {
        support_seeds_test(many_are_destroyed_as_one_after_the_other),
        test(slot_of_the_last_generation_is_retired),
        test(call_stops_at_the_first_that_it_may_not_pass),
        test(entity_whose_hooks_run_is_not_passed),
        test(owners_of_a_sparse_component_are_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
