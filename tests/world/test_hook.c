/* Hooks: the order they are called in, adding and removing them at any time, and what becomes of
 * their user pointers. The paths that fire them are in test_hook_paths.c, what hooks may not do in
 * test_hook_misuse.c. */
#include "world/tale.h"
#include "world/world.h"

STOA_COMPONENT(A, { int32_t value; });
STOA_COMPONENT(B, { int32_t value; });
STOA_COMPONENT(Unmet, { int32_t value; });
STOA_COMPONENT_WITH(Loose, STOA_OPTIONS(.flags = STOA_SPARSE), { int32_t value; });
STOA_TAG(T);

static tale t;

static int fixture_open(void **state) {
    memset(&t, 0, sizeof t);
    return support_setup(state);
}

/* HOK-01 */
static void hooks_of_one_kind_are_called_in_order_of_registration(void **state) {
    support_world *s = *state;
    tale_hook(&t, s->world, STOA_ON_ADD, STOA_TYPE_OF(A), "first");
    tale_hook(&t, s->world, STOA_ON_SET, STOA_TYPE_OF(A), "set");
    tale_hook(&t, s->world, STOA_ON_ADD, STOA_TYPE_OF(A), "second");
    tale_hook(&t, s->world, STOA_ON_REMOVE, STOA_TYPE_OF(A), "one");
    tale_hook(&t, s->world, STOA_ON_ADD, STOA_TYPE_OF(A), "third");
    tale_hook(&t, s->world, STOA_ON_REMOVE, STOA_TYPE_OF(A), "two");
    stoa_entity e = stoa_create_with(s->world, STOA_VALUE(A, {7}));
    tale_expect(&t, "+first1(7) +second1(7) +third1(7) =set1(7)");
    stoa_destroy(s->world, e);
    tale_expect(&t, "-one1(7) -two1(7)");
}

static void value_double(stoa_world *world, stoa_entity e, void *value, void *user) {
    (void)world;
    (void)e;
    (void)user;
    ((A *)value)->value *= 2;
}

/* HOK-01: the value is in its place: what a hook writes stays. */
static void hook_writes_to_the_value_in_its_place(void **state) {
    support_world *s = *state;
    assert_int_not_equal(stoa_on_add(s->world, A, value_double, NULL).id, 0);
    stoa_entity e = stoa_create_with(s->world, STOA_VALUE(A, {7}), STOA_VALUE(B, {1}));
    assert_int_equal(stoa_get(s->world, e, A)->value, 14);
    assert_int_not_equal(stoa_on_set(s->world, A, value_double, NULL).id, 0);
    stoa_set(s->world, e, A, {3});
    assert_int_equal(stoa_get(s->world, e, A)->value, 6);
}

/* HOK-01: tags and sparse components have hooks as others do; a tag has no value. */
static void hooks_of_tags_and_sparse_components_are_called(void **state) {
    support_world *s = *state;
    tale_watch(&t, s->world, T);
    tale_watch(&t, s->world, Loose);
    stoa_entity e = stoa_create_with(s->world, STOA_ZERO(T), STOA_VALUE(Loose, {4}));
    tale_expect(&t, "+T1 +Loose1(4) =Loose1(4)");
    stoa_remove(s->world, e, T);
    stoa_remove(s->world, e, Loose);
    tale_expect(&t, "-T1 -Loose1(4)");
}

/* HOK-01: by id, for components made at run time; a type that the world has not met is registered.
 */
static void hook_is_made_for_any_kind_of_component(void **state) {
    support_world *s = *state;
    stoa_component made = stoa_component_register(
        s->world, &(stoa_component_desc){.name = "made", .fields = "{ int32_t value; }"});
    teller *own = tale_teller(&t, "made");
    own->id = made;
    own->kind = STOA_ON_SET;
    assert_int_not_equal(stoa_hook_new(s->world, &(stoa_hook_desc){.kind = STOA_ON_SET,
                                                                   .component = made,
                                                                   .call = tale_tell,
                                                                   .user = own})
                             .id,
                         0);
    stoa_entity e = stoa_create(s->world);
    stoa_set_id(s->world, e, made, &(int32_t){5}, sizeof(int32_t));
    tale_expect(&t, "=made1(5)");
    assert_int_equal(stoa_component_find(s->world, "Unmet"), 0);
    assert_int_not_equal(stoa_on_add(s->world, Unmet, value_double, NULL).id, 0);
    assert_int_not_equal(stoa_component_find(s->world, "Unmet"), 0);
}

/* HOK-05 */
static void removed_hook_is_called_no_more(void **state) {
    support_world *s = *state;
    stoa_hook hooks[4];
    static const char *const names[] = {"a", "b", "c", "d"};
    for (int i = 0; i < 4; i++) {
        hooks[i] = tale_hook(&t, s->world, STOA_ON_SET, STOA_TYPE_OF(A), names[i]);
    }
    stoa_entity e = stoa_create_with(s->world, STOA_VALUE(A, {0}));
    tale_expect(&t, "=a1(0) =b1(0) =c1(0) =d1(0)");
    assert_int_equal(stoa_hook_remove(s->world, hooks[1]), STOA_OK);
    stoa_set(s->world, e, A, {1});
    tale_expect(&t, "=a1(1) =c1(1) =d1(1)");
    assert_int_equal(stoa_hook_remove(s->world, hooks[3]), STOA_OK);
    stoa_set(s->world, e, A, {2});
    tale_expect(&t, "=a1(2) =c1(2)");
    tale_hook(&t, s->world, STOA_ON_SET, STOA_TYPE_OF(A), "e");
    assert_int_equal(stoa_hook_remove(s->world, hooks[0]), STOA_OK);
    stoa_set(s->world, e, A, {3});
    tale_expect(&t, "=c1(3) =e1(3)");
}

/* What a hook of the tests below does: removes others, adds one, tells. */
typedef struct plan {
    stoa_hook remove[4]; /* those with an id */
    stoa_type *add;      /* adds a hook of that type and kind */
    stoa_hook_kind add_kind;
    const char *name;
    int freed;
} plan;

static void plan_carry_out(stoa_world *world, stoa_entity e, void *value, void *user) {
    plan *p = user;
    (void)value;
    tale_add(&t, "%s%u", p->name, e.index);
    for (int i = 0; i < 4; i++) {
        if (p->remove[i].id != 0) {
            assert_int_equal(stoa_hook_remove(world, p->remove[i]), STOA_OK);
            assert_int_equal(stoa_hook_remove(world, p->remove[i]), STOA_NOT_FOUND);
            p->remove[i].id = 0;
        }
    }
    if (p->add != NULL) {
        tale_hook(&t, world, p->add_kind, p->add, "new");
        p->add = NULL;
    }
    assert_int_equal(stoa_check(world), STOA_OK);
}

static void plan_free(void *user) {
    ((plan *)user)->freed++;
    tale_add(&t, "free:%s", ((plan *)user)->name);
}

static stoa_hook plan_hook(stoa_world *world, stoa_hook_kind kind, stoa_type *type, plan *p) {
    stoa_hook hook = stoa_hook_new(
        world,
        &(stoa_hook_desc){
            .kind = kind, .type = type, .call = plan_carry_out, .user = p, .user_free = plan_free});
    assert_int_not_equal(hook.id, 0);
    return hook;
}

/* HOK-05 GEN-06: freed when the change ends, not while the hook runs. */
static void hook_that_removes_itself_is_called_once(void **state) {
    support_world *s = *state;
    static plan self = {.name = "self"};
    self.remove[0] = plan_hook(s->world, STOA_ON_SET, STOA_TYPE_OF(A), &self);
    tale_hook(&t, s->world, STOA_ON_SET, STOA_TYPE_OF(A), "after");
    stoa_entity e = stoa_create_with(s->world, STOA_VALUE(A, {1}));
    tale_expect(&t, "self1 =after1(1) free:self");
    stoa_set(s->world, e, A, {2});
    tale_expect(&t, "=after1(2)");
    assert_int_equal(self.freed, 1);
}

/* HOK-05: of the same kind, of another kind and of another component, within one change. */
static void hook_removed_by_one_before_it_is_not_called(void **state) {
    support_world *s = *state;
    static plan first = {.name = "first"}, second = {.name = "second"}, last = {.name = "last"};
    plan_hook(s->world, STOA_ON_ADD, STOA_TYPE_OF(A), &first);
    first.remove[0] = plan_hook(s->world, STOA_ON_ADD, STOA_TYPE_OF(A), &second);
    first.remove[1] = tale_hook(&t, s->world, STOA_ON_ADD, STOA_TYPE_OF(B), "B");
    first.remove[2] = tale_hook(&t, s->world, STOA_ON_SET, STOA_TYPE_OF(A), "A");
    plan_hook(s->world, STOA_ON_ADD, STOA_TYPE_OF(A), &last);
    stoa_create_with(s->world, STOA_VALUE(A, {1}), STOA_VALUE(B, {2}));
    tale_expect(&t, "first1 last1 free:second");
    stoa_create_with(s->world, STOA_VALUE(A, {1}), STOA_VALUE(B, {2}));
    tale_expect(&t, "first2 last2");
    assert_int_equal(second.freed, 1);
}

/* HOK-05: down to the last one, and each that has been called. */
static void hook_that_removes_all_hooks_is_safe(void **state) {
    support_world *s = *state;
    static plan p[4] = {{.name = "a"}, {.name = "b"}, {.name = "c"}, {.name = "d"}};
    for (int i = 0; i < 4; i++) {
        stoa_hook hook = plan_hook(s->world, STOA_ON_ADD, STOA_TYPE_OF(A), &p[i]);
        p[1].remove[i] = hook;
    }
    stoa_create_with(s->world, STOA_VALUE(A, {1}));
    tale_expect(&t, "a1 b1 free:a free:b free:c free:d");
    stoa_create_with(s->world, STOA_VALUE(A, {1}));
    tale_expect(&t, "");
}

/* HOK-05 */
static void hook_that_is_added_by_a_hook_is_called_from_the_next_cause_on(void **state) {
    support_world *s = *state;
    static plan adder = {.name = "adder", .add = STOA_TYPE_OF(A), .add_kind = STOA_ON_ADD};
    plan_hook(s->world, STOA_ON_ADD, STOA_TYPE_OF(A), &adder);
    stoa_create_with(s->world, STOA_VALUE(A, {1}));
    tale_expect(&t, "adder1");
    stoa_create_with(s->world, STOA_VALUE(A, {2}));
    tale_expect(&t, "adder2 +new2(2)");
    static plan other = {.name = "other", .add = STOA_TYPE_OF(B), .add_kind = STOA_ON_SET};
    plan_hook(s->world, STOA_ON_REMOVE, STOA_TYPE_OF(T), &other);
    stoa_entity e = stoa_create_with(s->world, STOA_ZERO(T));
    stoa_change(s->world, e, STOA_REMOVE(T), STOA_VALUE(B, {3}));
    tale_expect(&t, "other3 =new3(3)");
}

/* HOK-05: a hook that replaces itself, over and over, of which one is there at any time. */
static void hook_that_replaces_itself_is_safe(void **state) {
    support_world *s = *state;
    static plan p[3] = {{.name = "a"}, {.name = "b"}, {.name = "c"}};
    p[0].remove[0] = plan_hook(s->world, STOA_ON_SET, STOA_TYPE_OF(A), &p[0]);
    stoa_entity e = stoa_create(s->world);
    stoa_set(s->world, e, A, {1});
    tale_expect(&t, "a1 free:a");
    p[1].remove[0] = plan_hook(s->world, STOA_ON_SET, STOA_TYPE_OF(A), &p[1]);
    p[1].add = STOA_TYPE_OF(A);
    p[1].add_kind = STOA_ON_SET;
    stoa_set(s->world, e, A, {2});
    tale_expect(&t, "b1 free:b");
    stoa_set(s->world, e, A, {3});
    tale_expect(&t, "=new1(3)");
}

/* Removes the hook it was given and adds one when it is freed. */
typedef struct heir {
    stoa_world *world;
    stoa_hook other;
    stoa_entity entity;
    stoa_status seen;
} heir;

static void heir_free(void *user) {
    heir *h = user;
    tale_add(&t, "heir");
    h->seen = stoa_hook_remove(h->world, h->other);
    tale_hook(&t, h->world, STOA_ON_SET, STOA_TYPE_OF(B), "heir");
    stoa_set(h->world, h->entity, B, {9});
    assert_int_equal(stoa_check(h->world), STOA_OK);
}

/* HOK-05 GEN-06: what frees a user pointer may itself change hooks and entities. */
static void user_free_may_remove_and_add_hooks(void **state) {
    support_world *s = *state;
    for (int inside = 0; inside < 2; inside++) {
        static plan other, remover;
        other = (plan){.name = "other"};
        remover = (plan){.name = "remover"};
        static heir h;
        h = (heir){.world = s->world, .entity = stoa_create(s->world)};
        h.other = plan_hook(s->world, STOA_ON_SET, STOA_TYPE_OF(A), &other);
        stoa_hook hook = stoa_hook_new(s->world, &(stoa_hook_desc){.kind = STOA_ON_SET,
                                                                   .type = STOA_TYPE_OF(A),
                                                                   .call = value_double,
                                                                   .user = &h,
                                                                   .user_free = heir_free});
        if (inside) {
            remover.remove[0] = hook;
            remover.remove[1] = plan_hook(s->world, STOA_ON_ADD, STOA_TYPE_OF(T), &remover);
            stoa_create_with(s->world, STOA_ZERO(T));
            tale_expect(&t, "remover3 heir =heir2(9) =heir2(9) free:remover free:other");
        } else {
            assert_int_equal(stoa_hook_remove(s->world, hook), STOA_OK);
            tale_expect(&t, "heir free:other =heir1(9)");
        }
        assert_int_equal(h.seen, STOA_OK);
        assert_int_equal(other.freed, 1);
    }
}

/* HOK-05 GEN-06 */
static void user_pointer_is_freed_once_with_the_world(void **state) {
    support_world *s = *state;
    static plan p[3] = {{.name = "a"}, {.name = "b"}, {.name = "c"}};
    stoa_hook hooks[3];
    for (int i = 0; i < 3; i++) {
        hooks[i] = plan_hook(s->world, (stoa_hook_kind)i, STOA_TYPE_OF(A), &p[i]);
    }
    stoa_hook_remove(s->world, hooks[1]);
    tale_expect(&t, "free:b");
    stoa_world_free(s->world);
    s->world = NULL;
    tale_expect(&t, "free:a free:c");
}

/* HOK-05 */
static void hook_ids_are_never_used_twice(void **state) {
    support_world *s = *state;
    uint32_t last = 0;
    for (int i = 0; i < 100; i++) {
        stoa_hook hook = stoa_on_add(s->world, A, value_double, NULL);
        assert_true(hook.id > last);
        last = hook.id;
        if (i % 3 != 0) {
            assert_int_equal(stoa_hook_remove(s->world, hook), STOA_OK);
        }
    }
}

/* Makes so many entities that rows of the archetype move. */
static void crowd_make(stoa_world *world, stoa_entity e, void *value, void *user) {
    (void)e;
    (void)value;
    if (*(bool *)user) {
        *(bool *)user = false;
        bool quiet = t.quiet;
        t.quiet = true;
        for (int i = 0; i < 3000; i++) {
            stoa_create_with(world, STOA_VALUE(A, {i}), STOA_VALUE(Loose, {i}));
        }
        t.quiet = quiet;
    }
}

/* HOK-01 HOK-04: the value is looked up for each hook; tale_tell compares it. */
static void hook_is_given_the_value_where_it_is_now(void **state) {
    support_world *s = *state;
    static bool first = true, second = true;
    stoa_on_add(s->world, A, crowd_make, &first);
    stoa_on_set(s->world, Loose, crowd_make, &second);
    tale_watch(&t, s->world, A);
    tale_watch(&t, s->world, Loose);
    stoa_create_with(s->world, STOA_VALUE(A, {5}), STOA_VALUE(Loose, {6}));
    tale_expect(&t, "+A1(5) =A1(5) +Loose1(6) =Loose1(6)");
    assert_false(first || second);
    t.quiet = true;
}

static void nothing_do(stoa_world *world, stoa_entity e, void *value, void *user) {
    (void)world;
    (void)e;
    (void)value;
    ++*(int *)user;
}

/* HOK-01 GEN-04: once warm. */
static void firing_needs_no_memory(void **state) {
    support_world *s = *state;
    static int count;
    count = 0;
    stoa_on_add(s->world, A, nothing_do, &count);
    stoa_on_remove(s->world, A, nothing_do, &count);
    stoa_hook last = stoa_on_set(s->world, A, nothing_do, &count);
    stoa_entity e = stoa_create_with(s->world, STOA_VALUE(B, {1}));
    stoa_set(s->world, e, A, {1});
    stoa_remove(s->world, e, A);
    size_t before = s->heap.allocations;
    for (int i = 0; i < 100; i++) {
        stoa_set(s->world, e, A, {1});
        stoa_remove(s->world, e, A);
    }
    assert_int_equal(s->heap.allocations, before);
    assert_int_equal(count, 303);
    assert_int_equal(stoa_hook_remove(s->world, last), STOA_OK);
    assert_int_equal(s->heap.allocations, before);
}

/* HOK-05 STO-09: what hooks cost is counted. */
static void hooks_are_counted_as_memory_of_the_world(void **state) {
    support_world *s = *state;
    static int count;
    count = 0;
    stoa_hook hook = stoa_on_add(s->world, A, nothing_do, &count);
    stoa_on_add(s->world, A, nothing_do, &count);
    assert_int_equal(stoa_stats(s->world).bytes_reserved, s->heap.bytes);
    stoa_hook_remove(s->world, hook);
    assert_int_equal(stoa_stats(s->world).bytes_reserved, s->heap.bytes);
}

/* HOK-01 HOK-05: many hooks, coming and going, against a plain list. */
static void many_hooks_come_and_go_in_order(void **state) {
    support_world *s = *state;
    support_random random = {7};
    static plan p[200] = {{.name = NULL}};
    stoa_hook hooks[200];
    char names[200][16], expected[TALE_SIZE];
    bool there[200] = {false};
    stoa_entity e = stoa_create_with(s->world, STOA_ZERO(A));
    for (int i = 0; i < 200; i++) {
        snprintf(names[i], sizeof names[i], "h%d", i);
        p[i].name = names[i];
        hooks[i] = plan_hook(s->world, STOA_ON_SET, STOA_TYPE_OF(A), &p[i]);
        there[i] = true;
        uint32_t gone = support_random_below(&random, (uint32_t)i + 1);
        if (i % 3 == 2 && there[gone]) {
            assert_int_equal(stoa_hook_remove(s->world, hooks[gone]), STOA_OK);
            there[gone] = false;
        }
        t.size = 0;
        stoa_set(s->world, e, A, {i});
        size_t size = 0;
        for (int k = 0; k <= i; k++) {
            size += there[k] ? (size_t)snprintf(expected + size, sizeof expected - size, "%sh%d1",
                                                size > 0 ? " " : "", k)
                             : 0;
        }
        tale_expect(&t, expected);
    }
    assert_int_equal(stoa__hook_check(s->world), STOA_OK);
    t.quiet = true;
}

/* HOK-05 GEN-05: each list is held against the others. */
static void lists_of_hooks_that_disagree_are_noticed(void **state) {
    support_world *s = *state;
    stoa_on_add(s->world, A, value_double, NULL);
    stoa_on_add(s->world, A, value_double, NULL);
    stoa__component *component = stoa__component_at(&s->world->storage, stoa_id(s->world, A));
    assert_int_equal(stoa__hook_check(s->world), STOA_OK);
    s->world->hooks.count++;
    assert_int_equal(stoa__hook_check(s->world), STOA_CORRUPT);
    s->world->hooks.count--;
    component->hooked |= 1u << STOA_ON_SET;
    assert_int_equal(stoa__hook_check(s->world), STOA_CORRUPT);
    support_assert_message("'A'");
    component->hooked = 1u << STOA_ON_ADD;
    component->hooks[STOA_ON_ADD]->kind = STOA_ON_SET;
    assert_int_equal(stoa__hook_check(s->world), STOA_CORRUPT);
    component->hooks[STOA_ON_ADD]->kind = STOA_ON_ADD;
    stoa__hook *last = s->world->hooks.last;
    s->world->hooks.last = last->previous;
    assert_int_equal(stoa__hook_check(s->world), STOA_CORRUPT);
    s->world->hooks.last = last;
    assert_int_equal(stoa__hook_check(s->world), STOA_OK);
}

/* HOK-05: ids end before they wrap. */
static void hooks_end_with_their_ids(void **state) {
    support_world *s = *state;
    s->world->hooks.id_last = STOA__HOOK_ID_MAX - 1;
    stoa_hook last = stoa_on_add(s->world, A, value_double, NULL);
    assert_int_equal(last.id, STOA__HOOK_ID_MAX);
    assert_int_equal(stoa_on_add(s->world, A, value_double, NULL).id, 0);
    assert_int_equal(stoa_last_error().status, STOA_LIMIT);
    assert_int_equal(stoa_hook_remove(s->world, last), STOA_OK);
    assert_int_equal(stoa_on_add(s->world, A, value_double, NULL).id, 0);
}

#define test(name) cmocka_unit_test_setup_teardown(name, fixture_open, support_teardown)

int main(void) {
    const struct CMUnitTest tests[] = {
        test(hooks_of_one_kind_are_called_in_order_of_registration),
        test(hook_writes_to_the_value_in_its_place),
        test(hooks_of_tags_and_sparse_components_are_called),
        test(hook_is_made_for_any_kind_of_component),
        test(removed_hook_is_called_no_more),
        test(hook_that_removes_itself_is_called_once),
        test(hook_removed_by_one_before_it_is_not_called),
        test(hook_that_removes_all_hooks_is_safe),
        test(hook_that_is_added_by_a_hook_is_called_from_the_next_cause_on),
        test(hook_that_replaces_itself_is_safe),
        test(user_free_may_remove_and_add_hooks),
        test(user_pointer_is_freed_once_with_the_world),
        test(hook_ids_are_never_used_twice),
        test(hook_is_given_the_value_where_it_is_now),
        test(firing_needs_no_memory),
        test(hooks_are_counted_as_memory_of_the_world),
        test(many_hooks_come_and_go_in_order),
        test(lists_of_hooks_that_disagree_are_noticed),
        test(hooks_end_with_their_ids),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
