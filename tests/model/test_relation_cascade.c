/* Cascades that go several ways: where nobody is told of the dead they are destroyed together, else
 * one by one, and both in one cascade where some are watched. All come to the same. */
#include "support/seeds.h"

#include "relation_fixture.h"

#include "world/world.h"

#define ENTITIES 2500
#define WORLDS 4

STOA_COMPONENT(Load, { double cells[5]; });
STOA_COMPONENT_WITH(Heat, STOA_OPTIONS(.flags = STOA_SPARSE), { float degrees; });

/* Worlds that are treated alike but for who is told: nobody, of Mass, of Heat, of all. */
typedef struct forest {
    support_world s[WORLDS];
    stoa_relation inside[WORLDS];
    support_random random;
    stoa_entity e[ENTITIES];
    int32_t count;
} forest;

static forest f;
static int told;

/* Whoever is told sees a world in which nobody points at the dead. */
static void hook_look(stoa_world *w, stoa_entity e, void *value, void *user) {
    (void)e, (void)value;
    const stoa_relation *inside = user;
    if (stoa_world_ending(w)) {
        return;
    }
    if (told++ % 16 == 0) {
        assert_int_equal(stoa_check(w), STOA_OK);
    }
    for (int32_t i = 0; i < f.count; i += 1 + f.count / 50) {
        stoa_entity target = stoa_relation_target(w, *inside, f.e[i]);
        assert_true(stoa_entity_is_null(target) || stoa_alive(w, target));
    }
}

static void forest_open(uint64_t seed) {
    f.random.state = seed;
    f.count = 0;
    for (int i = 0; i < WORLDS; i++) {
        support_world_open_with(&f.s[i], 16384);
        stoa_world *w = f.s[i].world;
        f.inside[i] = inside_new(w, STOA_CASCADE, false);
        stoa_id(w, Mass), stoa_id(w, Heat), stoa_id(w, Load);
        if (i == 1) {
            assert_int_not_equal(stoa_on_remove(w, Mass, hook_look, &f.inside[i]).id, 0);
        } else if (i == 2) {
            assert_int_not_equal(stoa_on_remove(w, Heat, hook_look, &f.inside[i]).id, 0);
        } else if (i == 3) {
            assert_int_not_equal(stoa_on_remove(w, Inside, hook_look, &f.inside[i]).id, 0);
        }
    }
}

/* One more entity, under one of those that were there, or under none. */
static void forest_plant(int32_t under, uint32_t has) {
    for (int i = 0; i < WORLDS; i++) {
        stoa_world *w = f.s[i].world;
        float number = (float)f.count;
        stoa_entity over = under >= 0 && stoa_alive(w, f.e[under]) ? f.e[under] : STOA_NULL;
        stoa_entity e = stoa_create_with(w, STOA_VALUE(Inside, {f.count, over}));
        if ((has & 3) == 0) {
            assert_int_equal(stoa_set(w, e, Mass, {number}), STOA_OK);
        }
        if ((has & 12) == 0) {
            assert_int_equal(stoa_set(w, e, Heat, {number}), STOA_OK);
        }
        if ((has & 16) != 0) {
            assert_int_equal(stoa_set(w, e, Load, {{number}}), STOA_OK);
        }
        assert_true(i == 0 || stoa_entity_eq(e, f.e[f.count]));
        f.e[f.count] = e;
    }
    f.count++;
}

/* A forest of long lists, of chains, or of anything; some lead in circles. */
static void forest_grow(int32_t count) {
    uint32_t shape = support_random_below(&f.random, 4);
    uint32_t rare = support_random_below(&f.random, 2) == 0 ? 31 : 0;
    int32_t first = f.count;
    for (int32_t i = 0; i < count && f.count < ENTITIES; i++) {
        int32_t under = shape == 0   ? first - 1 + i / 600
                        : shape == 1 ? f.count - 1
                        : shape == 2
                            ? first - 1 + i / 8
                            : (int32_t)support_random_below(&f.random, 1 + (uint32_t)f.count) - 1;
        uint32_t has = support_random_next(&f.random) >> 4;
        forest_plant(under, support_random_below(&f.random, 20) == 0 ? has : has | (rare >> 1));
    }
    for (int k = 0; k < 3; k++) {
        stoa_entity a = f.e[support_random_below(&f.random, (uint32_t)f.count)];
        stoa_entity b = f.e[support_random_below(&f.random, (uint32_t)f.count)];
        for (int i = 0; i < WORLDS; i++) {
            stoa_world *w = f.s[i].world;
            if (stoa_alive(w, a) && stoa_alive(w, b)) {
                assert_int_equal(stoa_relation_add(w, f.inside[i], a, b), STOA_OK);
            }
        }
    }
}

static void forest_compare(void) {
    const stoa_world *a = f.s[0].world;
    for (int i = 0; i < WORLDS; i++) {
        const stoa_world *b = f.s[i].world;
        assert_int_equal(stoa_check(b), STOA_OK);
        assert_true(stoa_hash(a) == stoa_hash(b));
        assert_int_equal(a->storage.free_first, b->storage.free_first);
        for (int32_t k = 0; k < f.count; k++) {
            assert_entity(stoa_relation_target(b, f.inside[i], f.e[k]),
                          stoa_relation_target(a, f.inside[0], f.e[k]));
        }
    }
}

/* REL-01 HOK-02 */
static void cascade_comes_to_the_same_whoever_is_told(void **state) {
    (void)state;
    for (support_seeds s = support_seeds_of(60); support_seeds_next(&s);) {
        forest_open(s.seed);
        for (int round = 0; round < 6; round++) {
            forest_grow((int32_t)support_random_below(&f.random, 700));
            for (uint32_t k = support_random_below(&f.random, 6); k > 0 && f.count > 0; k--) {
                stoa_entity e =
                    f.e[support_random_below(&f.random, (uint32_t)f.count) / (1 + k % 3)];
                for (int i = 0; i < WORLDS; i++) {
                    if (stoa_alive(f.s[i].world, e)) {
                        assert_int_equal(stoa_destroy(f.s[i].world, e), STOA_OK);
                    }
                }
            }
            forest_compare();
        }
        for (int i = 0; i < WORLDS; i++) {
            support_world_close(&f.s[i]);
        }
    }
    support_seeds_stop();
    assert_true(told > 0);
}

/* What a hook of one entity does to a cascade that has come to it. */
typedef struct turn {
    stoa_relation inside;
    stoa_entity subject;
    stoa_entity saved; /* pointed at `haven` */
    stoa_entity haven;
    bool orphan; /* the policy is changed */
} turn;

static turn p;

static void hook_turn(stoa_world *w, stoa_entity e, void *value, void *user) {
    (void)value, (void)user;
    if (stoa_world_ending(w) || !stoa_entity_eq(e, p.subject)) {
        return;
    }
    assert_entity(stoa_relation_target(w, p.inside, p.saved), STOA_NULL);
    if (p.orphan) {
        assert_int_equal(stoa_relation_policy_set(w, p.inside, STOA_ORPHAN), STOA_OK);
    } else {
        assert_int_equal(stoa_relation_add(w, p.inside, p.saved, p.haven), STOA_OK);
    }
}

/* A box with three in it, of which each has 100 with one in each; the second of the last hundred is
 * watched. Returns the box. */
static stoa_entity boxes_make(stoa_world *w) {
    stoa_entity box = stoa_create(w);
    p.haven = stoa_create(w);
    for (int i = 0; i < 3; i++) {
        stoa_entity bag = inside_make(w, box);
        for (int k = 0; k < 100; k++) {
            stoa_entity coin = inside_make(w, bag), dust = inside_make(w, coin);
            if (i == 2 && k == 1) {
                assert_int_equal(stoa_set(w, coin, Mass, {1}), STOA_OK);
                p.subject = coin;
            }
            p.saved = i == 0 && k == 50 ? dust : p.saved;
        }
    }
    return box;
}

/* REL-01 HOK-04 */
static void hook_saves_who_was_to_be_destroyed_with_others(void **state) {
    stoa_world *w = ((support_world *)*state)->world;
    p = (turn){.inside = inside_new(w, STOA_CASCADE, true)};
    stoa_on_remove(w, Mass, hook_turn, NULL);
    stoa_entity box = boxes_make(w);
    assert_int_equal(stoa_destroy(w, box), STOA_OK);
    assert_int_equal(stoa_count(w), 2);
    assert_entity(stoa_relation_target(w, p.inside, p.saved), p.haven);
    assert_entity(stoa_relation_sources(w, p.inside, p.haven).items[0], p.saved);
}

/* REL-01 HOK-04 */
static void policy_that_a_hook_changes_holds_from_then_on(void **state) {
    stoa_world *w = ((support_world *)*state)->world;
    p = (turn){.inside = inside_new(w, STOA_CASCADE, true), .orphan = true};
    stoa_on_remove(w, Mass, hook_turn, NULL);
    stoa_entity box = boxes_make(w);
    assert_int_equal(stoa_destroy(w, box), STOA_OK);
    /* The haven, and what was in the watched one and in those after it, which have gone. */
    assert_int_equal(stoa_count(w), 1 + 99);
    assert_entity(stoa_relation_target(w, p.inside, p.saved), STOA_NULL);
}

#define test(name) cmocka_unit_test_setup_teardown(name, support_setup, support_teardown)

int main(void) {
    const struct CMUnitTest tests[] = {
        support_seeds_test(cascade_comes_to_the_same_whoever_is_told),
        test(hook_saves_who_was_to_be_destroyed_with_others),
        test(policy_that_a_hook_changes_holds_from_then_on),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
