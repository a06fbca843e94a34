/* One hook that is told of a vector: the straight way of a row that keeps one and is given another.
 */
#include "world/tale.h"

#include "storage/shift.h"
#include "world/world.h"

STOA_COMPONENT(P, {
    int32_t value;
    int32_t twice;
    int32_t thrice;
});
STOA_COMPONENT(V, {
    int32_t value;
    int32_t twice;
    int32_t thrice;
});

static tale t;

static int fixture_open(void **state) {
    memset(&t, 0, sizeof t);
    return support_setup(state);
}

static int fixture_close(void **state) {
    t.quiet = true;
    return support_teardown(state);
}

/* More than one chunk of them. */
#define ENTITIES 5000

static stoa_entity entities[ENTITIES];

static void entities_make(stoa_world *w, int32_t count) {
    for (int32_t i = 0; i < count; i++) {
        entities[i] = stoa_create_with(w, STOA_VALUE(P, {i, 2 * i, 3 * i}));
    }
}

/* All have P, and those that are at least `from` have V. */
static void entities_check(stoa_world *w, int32_t count, int32_t from) {
    for (int32_t i = 0; i < count; i++) {
        const P *p = stoa_get(w, entities[i], P);
        assert_true(p->value == i && p->twice == 2 * i && p->thrice == 3 * i);
        const V *v = stoa_try_get(w, entities[i], V);
        assert_int_equal(v != NULL, i >= from);
        assert_true(v == NULL || (v->value == -i && v->twice == -2 * i && v->thrice == -3 * i));
    }
    assert_int_equal(stoa_check(w), STOA_OK);
}

static void velocity_set(stoa_world *w, int32_t i) {
    assert_int_equal(stoa_set(w, entities[i], V, {-i, -2 * i, -3 * i}), STOA_OK);
}

/* Entities of which those from WARM on have V after warming up. */
#define FEW 64
#define WARM 24

/* What hooks do that are not to do it while warming up. */
static bool armed;

/* Gives V to so many that there is room for more, and the way is remembered with the hooks there
 * are. */
static void entities_warm(stoa_world *w) {
    armed = false;
    t.quiet = true;
    for (int32_t i = WARM; i < FEW; i++) {
        velocity_set(w, i);
    }
    const stoa__way *way = stoa__type_put_at(w, STOA_TYPE_OF(V));
    assert_true(stoa__way_open(&w->storage, way));
    assert_true(way->end->count < way->edge->target->head.chunk_capacity - 2);
    t.quiet = false;
    armed = true;
}

/* What was told, and what a hook found when it was. */
typedef struct told {
    support_world *support;
    int32_t count;
    int32_t sum;
} told;

static void told_note(stoa_world *world, stoa_entity e, void *value, void *user) {
    told *found = user;
    found->count++;
    found->sum += ((const V *)value)->thrice;
    assert_ptr_equal(value, stoa_get(world, e, V));
    assert_int_equal(stoa_hook_depth(world), 1);
    if (found->count % 512 == 0) {
        support_assert_misuse(found->support, stoa_remove(world, e, V), STOA_LOCKED);
        support_assert_misuse(found->support, stoa_destroy(world, e), STOA_LOCKED);
        assert_int_equal(stoa_check(world), STOA_OK);
    }
}

/* HOK-01, HOK-04: each is told once, of its own value, while the entity is locked. */
static void one_hook_is_told_of_every_row_of_many_chunks(void **state) {
    support_world *s = *state;
    told found = {.support = s};
    entities_make(s->world, ENTITIES);
    assert_int_not_equal(stoa_on_add(s->world, V, told_note, &found).id, 0);
    int32_t sum = 0;
    for (int32_t i = ENTITIES - 1; i >= ENTITIES / 2; i--) {
        velocity_set(s->world, i);
        assert_int_equal(stoa_hook_depth(s->world), 0);
        sum -= 3 * i;
    }
    entities_check(s->world, ENTITIES, ENTITIES / 2);
    for (int32_t i = 0; i < ENTITIES / 2; i++) {
        velocity_set(s->world, i);
        sum -= 3 * i;
    }
    entities_check(s->world, ENTITIES, 0);
    assert_int_equal(found.count, ENTITIES);
    assert_int_equal(found.sum, sum);
}

/* HOK-01, HOK-05: hooks that come and go after the way was remembered are told in their order. */
static void hooks_that_come_and_go_are_told(void **state) {
    stoa_world *w = ((support_world *)*state)->world;
    entities_make(w, 12);
    velocity_set(w, 11);
    stoa_hook first = tale_hook(&t, w, STOA_ON_ADD, STOA_TYPE_OF(V), "A");
    velocity_set(w, 10);
    velocity_set(w, 9);
    tale_expect(&t, "+A11(-10) +A10(-9)");
    stoa_hook second = tale_hook(&t, w, STOA_ON_ADD, STOA_TYPE_OF(V), "B");
    velocity_set(w, 8);
    tale_expect(&t, "+A9(-8) +B9(-8)");
    assert_int_equal(stoa_check(w), STOA_OK);
    assert_int_equal(stoa_hook_remove(w, first), STOA_OK);
    velocity_set(w, 7);
    velocity_set(w, 6);
    tale_expect(&t, "+B8(-7) +B7(-6)");
    assert_int_equal(stoa_check(w), STOA_OK);
    stoa_hook set = tale_hook(&t, w, STOA_ON_SET, STOA_TYPE_OF(V), "S");
    velocity_set(w, 5);
    tale_expect(&t, "+B6(-5) =S6(-5)");
    assert_int_equal(stoa_hook_remove(w, second), STOA_OK);
    velocity_set(w, 4);
    velocity_set(w, 3);
    tale_expect(&t, "=S5(-4) =S4(-3)");
    assert_int_equal(stoa_hook_remove(w, set), STOA_OK);
    velocity_set(w, 2);
    tale_expect(&t, "");
    entities_check(w, 12, 2);
}

static int32_t freed;

static void freed_count(void *user) {
    (void)user;
    freed++;
}

/* Takes a hook away, which may be itself. */
static void hook_take(stoa_world *world, stoa_entity e, void *value, void *user) {
    (void)e;
    (void)value;
    if (armed) {
        assert_int_equal(stoa_hook_remove(world, *(const stoa_hook *)user), STOA_OK);
        assert_int_equal(freed, 0);
    }
}

static void observer_enter(stoa_world *world, stoa_entity e, void *user) {
    (void)world;
    (void)e;
    (void)user;
}

/* HOK-05: a hook that takes itself away is freed when the change ends, and never called again. */
static void hook_that_takes_itself_away_is_freed_after(void **state) {
    stoa_world *w = ((support_world *)*state)->world;
    freed = 0;
    entities_make(w, FEW);
    stoa_hook hook;
    hook = stoa_hook_new(w, &(stoa_hook_desc){.kind = STOA_ON_ADD,
                                              .type = STOA_TYPE_OF(V),
                                              .call = hook_take,
                                              .user = &hook,
                                              .user_free = freed_count});
    entities_warm(w);
    velocity_set(w, WARM - 1);
    assert_int_equal(freed, 1);
    velocity_set(w, WARM - 2);
    assert_int_equal(freed, 1);
    entities_check(w, FEW, WARM - 2);
}

/* Makes an observer and takes it away. */
static void observer_pass(stoa_world *world, stoa_entity e, void *value, void *user) {
    (void)e;
    (void)value;
    stoa_hook *observer = user;
    if (!armed) {
        return;
    }
    *observer = stoa_observe(world, &(stoa_observer_desc){.query = {.terms = {STOA_READ(V)}},
                                                          .enter = observer_enter,
                                                          .user_free = freed_count});
    assert_int_equal(stoa_hook_remove(world, *observer), STOA_OK);
    assert_int_equal(freed, 0);
}

/* HOK-05: an observer that a hook takes away is freed when the change ends. */
static void observer_that_a_hook_takes_away_is_freed_after(void **state) {
    stoa_world *w = ((support_world *)*state)->world;
    stoa_hook observer;
    freed = 0;
    entities_make(w, FEW);
    stoa_hook hook = stoa_on_add(w, V, observer_pass, &observer);
    entities_warm(w);
    velocity_set(w, WARM - 1);
    assert_int_equal(freed, 1);
    assert_int_equal(stoa_hook_remove(w, hook), STOA_OK);
    velocity_set(w, WARM - 2);
    entities_check(w, FEW, WARM - 2);
}

/* CHG-02: ticks that differ between the chunks are merged before the hook is called. */
static void ticks_that_differ_are_merged(void **state) {
    stoa_world *w = ((support_world *)*state)->world;
    entities_make(w, FEW);
    tale_hook(&t, w, STOA_ON_ADD, STOA_TYPE_OF(V), "V");
    entities_warm(w);
    uint32_t before = stoa_tick(w);
    stoa_tick_advance(w);
    stoa_get_mut(w, entities[0], P)->value = 0;
    assert_false(stoa_changed(w, entities[FEW - 1], P, before));
    velocity_set(w, 4);
    tale_expect(&t, "+V5(-4)");
    assert_true(stoa_changed(w, entities[4], P, before));
    assert_true(stoa_added(w, entities[4], V, before));
    assert_int_equal(stoa_remove(w, entities[4], V), STOA_OK);
    entities_check(w, FEW, WARM);
}

/* GEN-05: the value may be in the row that moves. */
static void value_may_be_in_the_row_that_moves(void **state) {
    stoa_world *w = ((support_world *)*state)->world;
    entities_make(w, FEW);
    tale_hook(&t, w, STOA_ON_ADD, STOA_TYPE_OF(V), "V");
    entities_warm(w);
    for (int32_t i = 1; i < 4; i++) {
        V *same = (V *)(void *)stoa_get_mut(w, entities[i], P);
        assert_int_equal(stoa_set_from(w, entities[i], V, same), STOA_OK);
        assert_int_equal(stoa_get(w, entities[i], V)->value, i);
        assert_int_equal(stoa_get(w, entities[i], V)->thrice, 3 * i);
        assert_int_equal(stoa_get(w, entities[i], P)->thrice, 3 * i);
    }
    tale_expect(&t, "+V2(1) +V3(2) +V4(3)");
    assert_int_equal(stoa_check(w), STOA_OK);
}

static stoa_iter hook_iter;

/* Begins an iteration and leaves it open. */
static void iteration_open(stoa_world *world, stoa_entity e, void *value, void *user) {
    (void)world;
    (void)e;
    (void)value;
    if (armed) {
        hook_iter = stoa_query_iter(user);
        assert_true(stoa_iter_next(&hook_iter));
    }
}

/* HOK-04: an iteration that a hook left open is still open after it. */
static void iteration_that_a_hook_left_open_stays_open(void **state) {
    support_world *s = *state;
    stoa_query *query = stoa_query_new(s->world, &(stoa_query_desc){.terms = {STOA_READ(P)}});
    entities_make(s->world, FEW);
    stoa_hook hook = stoa_on_add(s->world, V, iteration_open, query);
    entities_warm(s->world);
    velocity_set(s->world, WARM - 1);
    support_assert_misuse(s, stoa_set(s->world, entities[1], V, {0}), STOA_ITERATING);
    while (stoa_iter_next(&hook_iter)) {
    }
    assert_int_equal(stoa_hook_remove(s->world, hook), STOA_OK);
    velocity_set(s->world, WARM - 2);
    entities_check(s->world, FEW, WARM - 2);
}

/* Gives the next entity the same, which is told of inside. */
static void velocity_pass_on(stoa_world *world, stoa_entity e, void *value, void *user) {
    int32_t *deepest = user;
    int32_t i = ((const V *)value)->value;
    assert_true(stoa_entity_eq(e, entities[-i]));
    *deepest = stoa_hook_depth(world) > *deepest ? stoa_hook_depth(world) : *deepest;
    if (-i % 10 != 9) {
        velocity_set(world, 1 - i);
    }
}

/* HOK-04: a hook may change others by the same way, which is told of as far as hooks go. */
static void hook_that_causes_itself_is_told_inside(void **state) {
    stoa_world *w = ((support_world *)*state)->world;
    int32_t deepest = 0;
    entities_make(w, 100);
    assert_int_not_equal(stoa_on_add(w, V, velocity_pass_on, &deepest).id, 0);
    for (int32_t i = 0; i < 100; i += 10) {
        velocity_set(w, i);
        assert_int_equal(stoa_hook_depth(w), 0);
    }
    assert_int_equal(deepest, 10);
    entities_check(w, 100, 0);
}

static void losing_note(stoa_world *world, stoa_entity e, void *value, void *user) {
    (void)value;
    *(int32_t *)user += stoa_losing_id(world, e, stoa_id(world, V));
}

/* HOK-04: that one died before does not make another lose what it has. */
static void entity_that_is_given_a_vector_loses_nothing(void **state) {
    stoa_world *w = ((support_world *)*state)->world;
    static int32_t gone, given; /* hooks are called when the world is freed, too */
    entities_make(w, FEW);
    stoa_on_remove(w, V, losing_note, &gone);
    stoa_on_add(w, V, losing_note, &given);
    entities_warm(w);
    assert_int_equal(stoa_destroy(w, entities[FEW - 1]), STOA_OK);
    assert_int_equal(gone, 1);
    velocity_set(w, WARM - 1);
    assert_int_equal(given, 0);
    entities_check(w, FEW - 1, WARM - 1);
}

#define test(name) cmocka_unit_test_setup_teardown(name, fixture_open, fixture_close)

int main(void) {
    const struct CMUnitTest tests[] = {
        test(one_hook_is_told_of_every_row_of_many_chunks),
        test(hooks_that_come_and_go_are_told),
        test(hook_that_takes_itself_away_is_freed_after),
        test(observer_that_a_hook_takes_away_is_freed_after),
        test(ticks_that_differ_are_merged),
        test(value_may_be_in_the_row_that_moves),
        test(iteration_that_a_hook_left_open_stays_open),
        test(hook_that_causes_itself_is_told_inside),
        test(entity_that_is_given_a_vector_loses_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
