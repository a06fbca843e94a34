/* What happens to sources when their target goes, by each policy, whatever hooks do meanwhile. */
#include "model/relation_fixture.h"

/* REL-01 ENT-09 */
static void orphans_lose_the_component(void **state) {
    stoa_world *w = ((support_world *)*state)->world;
    stoa_relation r = inside_new(w, STOA_ORPHAN, true);
    stoa_entity box = stoa_create(w), bag = stoa_create(w);
    stoa_entity a = inside_make(w, box), b = inside_make(w, box), c = inside_make(w, bag);
    assert_int_equal(stoa_destroy(w, box), STOA_OK);
    assert_false(stoa_has(w, a, Inside));
    assert_true(stoa_alive(w, b));
    assert_false(stoa_has(w, b, Inside));
    assert_entity(stoa_relation_target(w, r, c), bag);
    assert_int_equal(stoa_clear(w, bag), STOA_OK);
    assert_false(stoa_has(w, c, Inside));
    assert_no_links(stoa_relation_sources(w, r, bag));
    assert_int_equal(stoa_relation_add(w, r, a, bag), STOA_OK);
    assert_links(shown(w, bag, Holds), a);
}

/* REL-01 ENT-09 */
static void cascade_destroys_sources_of_sources(void **state) {
    stoa_world *w = ((support_world *)*state)->world;
    inside_new(w, STOA_CASCADE, true);
    stoa_entity root = stoa_create(w), other = stoa_create(w), kept = inside_make(w, other);
    stoa_entity a = inside_make(w, root), b = inside_make(w, a), c = inside_make(w, b);
    inside_make(w, root);
    inside_make(w, b);
    assert_int_equal(stoa_count(w), 8);
    assert_int_equal(stoa_destroy(w, root), STOA_OK);
    assert_int_equal(stoa_count(w), 2);
    assert_false(stoa_alive(w, c));
    assert_true(stoa_alive(w, kept));
    assert_int_equal(stoa_clear(w, other), STOA_OK);
    assert_false(stoa_alive(w, kept));
    assert_true(stoa_alive(w, other));
}

/* REL-01 ENT-09 */
static void refuse_keeps_the_target_while_there_are_sources(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    stoa_relation r = inside_new(w, STOA_REFUSE, true);
    stoa_entity box = stoa_create_with(w, STOA_VALUE(Mass, {1}));
    stoa_entity a = inside_make(w, box), b = inside_make(w, box);
    uint64_t hash = stoa_hash(w);
    assert_int_equal(stoa_destroy(w, box), STOA_REFUSED);
    support_assert_message("2 point at it by the relation Inside");
    assert_int_equal(stoa_clear(w, box), STOA_REFUSED);
    assert_int_equal(stoa_remove(w, box, Holds), STOA_REFUSED);
    assert_int_equal(stoa_commands_destroy(stoa_deferred(w), box), STOA_OK);
    assert_int_equal(stoa_flush(w), STOA_OK);
    assert_int_equal(stoa_commands_refused(stoa_deferred(w)), 1);
    assert_true(stoa_hash(w) == hash);
    assert_int_equal(stoa_destroy(w, a), STOA_OK);
    assert_int_equal(stoa_relation_remove(w, r, b, box), STOA_OK);
    assert_int_equal(stoa_destroy(w, box), STOA_OK);
    support_assert_quiet(s);
}

/* REL-01 */
static void policy_can_change(void **state) {
    stoa_world *w = ((support_world *)*state)->world;
    stoa_relation r = inside_new(w, STOA_REFUSE, true);
    stoa_entity box = stoa_create(w), a = inside_make(w, box);
    assert_int_equal(stoa_destroy(w, box), STOA_REFUSED);
    assert_int_equal(stoa_relation_policy_set(w, r, STOA_CASCADE), STOA_OK);
    assert_int_equal(stoa_destroy(w, box), STOA_OK);
    assert_false(stoa_alive(w, a));
}

/* REL-01 */
static void taking_the_list_off_lets_sources_go(void **state) {
    stoa_world *w = ((support_world *)*state)->world;
    stoa_relation r = inside_new(w, STOA_ORPHAN, true);
    stoa_entity box = stoa_create(w), a = inside_make(w, box), b = inside_make(w, a);
    assert_int_equal(stoa_remove(w, box, Holds), STOA_OK);
    assert_false(stoa_has(w, a, Inside));
    assert_links(shown(w, a, Holds), b);
    assert_int_equal(stoa_relation_policy_set(w, r, STOA_CASCADE), STOA_OK);
    assert_int_equal(stoa_remove(w, a, Holds), STOA_OK);
    assert_false(stoa_alive(w, b));
    assert_true(stoa_alive(w, a));
    assert_int_equal(stoa_relation_add(w, r, box, a), STOA_OK);
    assert_links(shown(w, a, Holds), box);
}

/* REL-01 */
static void cascade_leaves_who_cannot_be_destroyed_an_orphan(void **state) {
    stoa_world *w = ((support_world *)*state)->world;
    stoa_relation inside = inside_new(w, STOA_CASCADE, true);
    stoa_relation likes = likes_new(w, STOA_REFUSE, false);
    stoa_entity box = stoa_create(w), a = inside_make(w, box), b = inside_make(w, box);
    stoa_entity fan = stoa_create(w), leaf = inside_make(w, b);
    assert_int_equal(stoa_relation_add(w, likes, fan, b), STOA_OK);
    assert_int_equal(stoa_destroy(w, box), STOA_OK);
    assert_false(stoa_alive(w, a));
    assert_true(stoa_alive(w, b));
    assert_false(stoa_has(w, b, Inside));
    assert_entity(stoa_relation_target(w, inside, b), STOA_NULL);
    assert_entity(stoa_relation_target(w, inside, leaf), b);
}

/* REL-01 */
static void cascade_goes_through_several_relations(void **state) {
    stoa_world *w = ((support_world *)*state)->world;
    stoa_relation inside = inside_new(w, STOA_CASCADE, false);
    stoa_relation likes = likes_new(w, STOA_CASCADE, false);
    stoa_entity first = stoa_create(w), e = first;
    for (int i = 0; i < 300; i++) {
        stoa_entity next = stoa_create(w);
        assert_int_equal(stoa_relation_add(w, i % 2 != 0 ? inside : likes, next, e), STOA_OK);
        e = next;
    }
    assert_int_equal(stoa_destroy(w, first), STOA_OK);
    assert_int_equal(stoa_count(w), 0);
}

/* REL-01 */
static void commands_cascade(void **state) {
    stoa_world *w = ((support_world *)*state)->world;
    inside_new(w, STOA_CASCADE, true);
    stoa_entity box = stoa_create(w), a = inside_make(w, box), b = inside_make(w, a);
    stoa_commands *c = stoa_deferred(w);
    assert_int_equal(stoa_commands_destroy(c, box), STOA_OK);
    assert_int_equal(stoa_commands_set(c, a, Mass, {1}), STOA_OK);
    assert_int_equal(stoa_commands_destroy(c, b), STOA_OK);
    assert_int_equal(stoa_flush(w), STOA_OK);
    assert_int_equal(stoa_count(w), 0);
    assert_int_equal(stoa_commands_skipped(c), 2);
}

/* What a hook of the tests is to do, once. */
typedef struct plan {
    stoa_relation relation;
    stoa_entity subject; /* STOA_NULL: whoever is first */
    stoa_entity victim;  /* destroyed */
    stoa_entity source;  /* pointed at `target` */
    stoa_entity target;
    stoa_status status; /* of that */
    int calls;
    uint64_t sum; /* of what the list component showed */
    bool check;
} plan;

/* The world's hooks are called once more when it is freed, after the test. */
static plan p;

static void plan_follow(stoa_world *w, stoa_entity e, void *value, void *user) {
    (void)value;
    (void)user;
    if (stoa_world_ending(w)) {
        return;
    }
    p.calls++;
    if (p.check) {
        assert_int_equal(stoa_check(w), STOA_OK);
    }
    if (!stoa_entity_is_null(p.subject) && !stoa_entity_eq(p.subject, e)) {
        return;
    }
    if (stoa_alive(w, p.victim)) {
        p.status = stoa_destroy(w, p.victim);
    }
    if (!stoa_entity_is_null(p.source)) {
        p.status = stoa_relation_add(w, p.relation, p.source, p.target);
        p.source = STOA_NULL;
    }
}

/* REL-01 HOK-04 */
static void hook_may_destroy_who_is_to_be_destroyed_anyway(void **state) {
    stoa_world *w = ((support_world *)*state)->world;
    p = (plan){.relation = inside_new(w, STOA_CASCADE, true), .check = true};
    stoa_on_remove(w, Mass, plan_follow, NULL);
    stoa_entity box = stoa_create(w);
    for (int i = 0; i < 10; i++) {
        stoa_entity e = inside_make(w, box);
        assert_int_equal(stoa_set(w, e, Mass, {1}), STOA_OK);
        inside_make(w, e);
    }
    p.subject = stoa_relation_sources(w, p.relation, box).items[2];
    p.victim = stoa_relation_sources(w, p.relation, box).items[7];
    assert_int_equal(stoa_destroy(w, box), STOA_OK);
    assert_int_equal(stoa_count(w), 0);
    assert_int_equal(p.calls, 10);
}

/* REL-01 HOK-04 */
static void hook_may_save_a_source_from_the_cascade(void **state) {
    stoa_world *w = ((support_world *)*state)->world;
    p = (plan){.relation = inside_new(w, STOA_CASCADE, true)};
    stoa_on_remove(w, Mass, plan_follow, NULL);
    stoa_entity box = stoa_create(w), bag = stoa_create(w);
    stoa_entity a = inside_make(w, box), b = inside_make(w, box), c = inside_make(w, a);
    assert_int_equal(stoa_set(w, a, Mass, {1}), STOA_OK);
    p.source = b;
    p.target = bag;
    assert_int_equal(stoa_destroy(w, box), STOA_OK);
    assert_int_equal(p.status, STOA_OK);
    assert_links(shown(w, bag, Holds), b);
    assert_false(stoa_alive(w, c));
}

/* REL-01 HOK-04 */
static void target_that_is_being_destroyed_takes_no_sources(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    p = (plan){.relation = inside_new(w, STOA_CASCADE, true)};
    stoa_on_remove(w, Mass, plan_follow, NULL);
    stoa_entity box = stoa_create_with(w, STOA_VALUE(Mass, {1})), e = stoa_create(w);
    p.source = e;
    p.target = box;
    assert_int_equal(stoa_destroy(w, box), STOA_OK);
    support_assert_misuse(s, p.status, STOA_LOCKED);
    support_assert_message("target of the relation Inside");
    assert_false(stoa_has(w, e, Inside));
}

/* The same once its list is gone, when hooks of the list component are still to be called. */
/* REL-01 HOK-04 */
static void target_whose_list_goes_takes_no_sources(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    p = (plan){.relation = inside_new(w, STOA_ORPHAN, true)};
    stoa_on_remove(w, Holds, plan_follow, NULL);
    stoa_entity box = stoa_create(w), a = inside_make(w, box), b = inside_make(w, box);
    p.source = a;
    p.target = box;
    assert_int_equal(stoa_remove(w, box, Holds), STOA_OK);
    support_assert_misuse(s, p.status, STOA_LOCKED);
    assert_false(stoa_has(w, a, Inside));
    p.source = b;
    assert_int_equal(stoa_relation_add(w, p.relation, a, box), STOA_OK);
    assert_int_equal(stoa_remove(w, a, Inside), STOA_OK);
    support_assert_misuse(s, p.status, STOA_LOCKED);
    assert_int_equal(stoa_relation_add(w, p.relation, a, box), STOA_OK);
}

/* Adds up what the list shows. */
static void list_read(stoa_world *w, stoa_entity e, void *value, void *user) {
    (void)w;
    (void)e;
    (void)user;
    const Holds *holds = value;
    p.calls++;
    for (int32_t i = 0; i < holds->count; i++) {
        p.sum += holds->items[i].index;
    }
}

/* REL-01 */
static void hook_of_the_list_component_can_read_it(void **state) {
    stoa_world *w = ((support_world *)*state)->world;
    p = (plan){.relation = inside_new(w, STOA_CASCADE, true)};
    stoa_on_remove(w, Holds, list_read, NULL);
    stoa_entity box = stoa_create(w);
    uint64_t sum = 0;
    for (int i = 0; i < 40; i++) {
        sum += inside_make(w, box).index;
    }
    assert_int_equal(stoa_destroy(w, box), STOA_OK);
    assert_int_equal(p.calls, 1);
    assert_int_equal(p.sum, sum);
    stoa_entity bag = stoa_create(w), e = inside_make(w, bag);
    assert_int_equal(stoa_remove(w, e, Inside), STOA_OK);
    assert_int_equal(p.calls, 2);
}

/* REL-01 HOK-04 */
static void hook_of_the_target_may_destroy_sources_first(void **state) {
    stoa_world *w = ((support_world *)*state)->world;
    p = (plan){.relation = inside_new(w, STOA_ORPHAN, true)};
    stoa_on_remove(w, Mass, plan_follow, NULL);
    stoa_entity box = stoa_create_with(w, STOA_VALUE(Mass, {1}));
    stoa_entity a = inside_make(w, box), b = inside_make(w, box);
    p.victim = a;
    assert_int_equal(stoa_destroy(w, box), STOA_OK);
    assert_false(stoa_alive(w, a));
    assert_false(stoa_has(w, b, Inside));
    /* The last source, too. */
    box = stoa_create_with(w, STOA_VALUE(Mass, {1}));
    p.victim = inside_make(w, box);
    assert_int_equal(stoa_destroy(w, box), STOA_OK);
    assert_int_equal(stoa_count(w), 1);
}

static void last_destroy(stoa_world *w, stoa_entity e, void *value, void *user) {
    (void)value;
    (void)user;
    if (stoa_world_ending(w)) {
        return;
    }
    assert_int_equal(stoa_destroy(w, p.victim), STOA_OK);
    /* The component cannot be written any more, and has nobody there. */
    const Holds *holds = stoa_get(w, e, Holds);
    assert_int_equal(holds->count, 2);
    assert_entity(holds->items[0], p.source);
    assert_entity(holds->items[1], STOA_NULL);
    assert_links(stoa_relation_sources(w, p.relation, e), p.source);
}

/* REL-01 HOK-04 */
static void list_that_cannot_be_written_shows_nobody_twice(void **state) {
    stoa_world *w = ((support_world *)*state)->world;
    p = (plan){.relation = inside_new(w, STOA_ORPHAN, true)};
    stoa_on_remove(w, Mass, last_destroy, NULL);
    stoa_entity box = stoa_create_with(w, STOA_VALUE(Mass, {1}));
    p.victim = inside_make(w, box);
    p.source = inside_make(w, box);
    assert_int_equal(stoa_destroy(w, box), STOA_OK);
    assert_false(stoa_has(w, p.source, Inside));
}

/* Refuses lists of more than `user`, having read the one that is there. */
static stoa_status list_limit(stoa_world *w, stoa_entity e, const void *values, int32_t count,
                              void *user) {
    (void)count;
    stoa_with(w, e, Holds, holds) {
        for (int32_t i = 0; i < holds->count; i++) {
            assert_true(stoa_alive(w, holds->items[i]));
        }
    }
    const Holds *holds = values;
    return holds->count <= *(const int32_t *)user ? STOA_OK : stoa_fail(STOA_REFUSED, "too many");
}

/* REL-01 */
static void list_that_somebody_refuses_stays_as_it_was(void **state) {
    stoa_world *w = ((support_world *)*state)->world;
    static int32_t limit;
    stoa_entity early = stoa_create(w), box = stoa_create(w), last = STOA_NULL;
    stoa_id(w, Holds);
    stoa_hook veto = stoa_veto_new(w, &(stoa_veto_desc){.kind = STOA_VETO_SET,
                                                        .type = STOA_TYPE_OF(Holds),
                                                        .call = list_limit,
                                                        .user = &limit});
    /* Not even the relation is made if its lists cannot be. */
    inside_make(w, early);
    inside_make(w, box);
    inside_make(w, box);
    stoa_relation_desc desc = {.type = STOA_TYPE_OF(Inside), .reverse = STOA_TYPE_OF(Holds)};
    limit = 1;
    assert_int_equal(stoa_relation_new(w, &desc).id, 0);
    assert_int_equal(stoa_last_error().status, STOA_REFUSED);
    assert_false(stoa_has(w, early, Holds));
    assert_int_equal(stoa_relation_find(w, "Inside").id, 0);
    inside_make(w, box);
    assert_false(stoa_has(w, box, Holds));
    limit = 4;
    stoa_relation r = stoa_relation_new(w, &desc);
    assert_int_not_equal(r.id, 0);
    assert_int_equal(shown(w, box, Holds).count, 3);
    for (int i = 0; i < 3; i++) {
        last = inside_make(w, box);
    }
    assert_int_equal(stoa_relation_sources(w, r, box).count, 4);
    assert_int_equal(shown(w, box, Holds).count, 4);
    assert_entity(stoa_relation_target(w, r, last), STOA_NULL);
    assert_int_equal(stoa_check(w), STOA_OK);
    limit = 100;
    for (int i = 0; i < 30; i++) {
        inside_make(w, box);
    }
    assert_int_equal(shown(w, box, Holds).count, 34);
    assert_int_equal(stoa_hook_remove(w, veto), STOA_OK);
    assert_int_equal(stoa_destroy(w, box), STOA_OK);
}

/* REL-01 HOK-04 */
static void source_that_is_being_destroyed_may_end_its_target(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    p = (plan){.relation = inside_new(w, STOA_CASCADE, true), .check = true};
    stoa_on_remove(w, Mass, plan_follow, NULL);
    stoa_entity box = stoa_create(w), a = inside_make(w, box);
    inside_make(w, box);
    assert_int_equal(stoa_set(w, a, Mass, {1}), STOA_OK);
    p.victim = box;
    assert_int_equal(stoa_destroy(w, a), STOA_OK);
    assert_int_equal(p.status, STOA_OK);
    assert_int_equal(stoa_count(w), 0);
    support_assert_quiet(s);
}

/* REL-01 HOK-04 */
static void source_whose_hooks_run_is_left_pointing_nowhere(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    p = (plan){.relation = inside_new(w, STOA_CASCADE, true)};
    stoa_on_add(w, Mass, plan_follow, NULL);
    stoa_entity box = stoa_create(w), a = inside_make(w, box);
    p.victim = box;
    assert_int_equal(stoa_set(w, a, Mass, {1}), STOA_OK);
    assert_true(stoa_alive(w, a));
    assert_false(stoa_alive(w, box));
    assert_true(stoa_has(w, a, Inside));
    assert_entity(stoa_relation_target(w, p.relation, a), STOA_NULL);
    assert_int_equal(stoa_check(w), STOA_OK);
    assert_int_equal(stoa_relation_remove(w, p.relation, a, STOA_NULL), STOA_OK);
    assert_false(stoa_has(w, a, Inside));
    support_assert_quiet(s);
}

/* REL-01 HOK-04 */
static void target_that_a_hook_ends_meanwhile_is_none(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    p = (plan){.relation = inside_new(w, STOA_ORPHAN, true)};
    stoa_on_add(w, Mass, plan_follow, NULL);
    stoa_entity box = stoa_create(w), e = stoa_create(w);
    p.victim = box;
    assert_int_equal(
        stoa_change(w, e, STOA_VALUE(Mass, {1}), STOA_VALUE(Inside, {.container = box})), STOA_OK);
    assert_false(stoa_alive(w, box));
    assert_entity(stoa_relation_target(w, p.relation, e), STOA_NULL);
    assert_int_equal(stoa_check(w), STOA_OK);
    /* A circle that a hook closes meanwhile. */
    stoa_entity top = stoa_create(w), leaf = inside_make(w, e);
    p.source = top;
    p.target = leaf;
    assert_int_equal(stoa_remove(w, e, Mass), STOA_OK);
    assert_int_equal(
        stoa_change(w, e, STOA_VALUE(Mass, {1}), STOA_VALUE(Inside, {.container = top})), STOA_OK);
    assert_int_equal(p.status, STOA_OK);
    assert_entity(stoa_relation_target(w, p.relation, e), STOA_NULL);
    assert_entity(stoa_relation_target(w, p.relation, top), leaf);
    support_assert_quiet(s);
}

static void spawn(stoa_world *w, stoa_entity e, void *value, void *user) {
    (void)value;
    (void)user;
    for (; p.calls < 20; p.calls++) {
        assert_int_equal(stoa_set(w, stoa_create(w), Inside, {.container = e}), STOA_OK);
    }
}

/* REL-01 HOK-04 */
static void hook_may_give_its_entity_sources(void **state) {
    stoa_world *w = ((support_world *)*state)->world;
    p = (plan){.relation = inside_new(w, STOA_CASCADE, true)};
    stoa_on_add(w, Mass, spawn, NULL);
    stoa_entity ship = stoa_create_with(w, STOA_VALUE(Mass, {1}));
    assert_int_equal(shown(w, ship, Holds).count, 20);
    p.calls = 0;
    /* Out of the hooks of the list component itself, while the list is being written. */
    stoa_on_add(w, Holds, spawn, NULL);
    stoa_entity other = stoa_create(w);
    p.calls = 10;
    inside_make(w, other);
    assert_int_equal(shown(w, other, Holds).count, 11);
}

#define test(name) cmocka_unit_test_setup_teardown(name, support_setup, support_teardown)

int main(void) {
    const struct CMUnitTest tests[] = {
        test(orphans_lose_the_component),
        test(cascade_destroys_sources_of_sources),
        test(refuse_keeps_the_target_while_there_are_sources),
        test(policy_can_change),
        test(taking_the_list_off_lets_sources_go),
        test(cascade_leaves_who_cannot_be_destroyed_an_orphan),
        test(cascade_goes_through_several_relations),
        test(commands_cascade),
        test(hook_may_destroy_who_is_to_be_destroyed_anyway),
        test(hook_may_save_a_source_from_the_cascade),
        test(target_that_is_being_destroyed_takes_no_sources),
        test(target_whose_list_goes_takes_no_sources),
        test(hook_of_the_list_component_can_read_it),
        test(hook_of_the_target_may_destroy_sources_first),
        test(list_that_cannot_be_written_shows_nobody_twice),
        test(list_that_somebody_refuses_stays_as_it_was),
        test(source_that_is_being_destroyed_may_end_its_target),
        test(source_whose_hooks_run_is_left_pointing_nowhere),
        test(target_that_a_hook_ends_meanwhile_is_none),
        test(hook_may_give_its_entity_sources),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
