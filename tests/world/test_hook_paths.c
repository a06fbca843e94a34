/* Every path on which components come, go and are given values, and the order in which hooks are
 * told of it. */
#include <stdlib.h>

#include "world/tale.h"

STOA_COMPONENT(A, { int32_t value; });
STOA_COMPONENT(B, { int32_t value; });
STOA_COMPONENT(C, { int32_t value; });
STOA_COMPONENT(D, { int32_t value; });
STOA_TAG(T);
STOA_COMPONENT_WITH(S, STOA_OPTIONS(.flags = STOA_SPARSE), { int32_t value; });
STOA_TAG_WITH(U, STOA_OPTIONS(.flags = STOA_SPARSE));
STOA_COMPONENT_WITH(R, STOA_OPTIONS(.flags = STOA_ROW_TICKS | STOA_SWITCHABLE), { int32_t value; });

/* A number that its owner allocates: mistakes with it are seen by the count. */
typedef struct Box {
    int32_t value;
    int32_t *own;
} Box;

static int box_count;

static Box box_make(int32_t value) {
    Box box = {value, malloc(sizeof(int32_t))};
    assert_non_null(box.own);
    *box.own = value;
    box_count++;
    return box;
}

static void box_drop(void *items, int32_t count, void *user) {
    (void)user;
    for (int32_t i = 0; i < count; i++) {
        Box *box = &((Box *)items)[i];
        box_count -= box->own != NULL;
        free(box->own);
        *box = (Box){-1, NULL};
    }
}

static void box_move(void *to, void *from, int32_t count, void *user) {
    (void)user;
    memcpy(to, from, (size_t)count * sizeof(Box));
    for (int32_t i = 0; i < count; i++) {
        ((Box *)from)[i] = (Box){-2, NULL};
    }
}

static bool box_copy(void *to, const void *from, int32_t count, void *user) {
    (void)user;
    for (int32_t i = 0; i < count; i++) {
        const Box *box = &((const Box *)from)[i];
        ((Box *)to)[i] = box->own != NULL ? box_make(*box->own) : *box;
    }
    return true;
}

STOA_TYPE_WITH(Box, STOA_OPTIONS(.hooks = {.drop = box_drop, .move = box_move, .copy = box_copy}),
               {});

static tale t;

/* Ids, and so columns, are in the order of the names. */
static int fixture_open(void **state) {
    memset(&t, 0, sizeof t);
    int result = support_setup(state);
    if (result == 0) {
        stoa_world *w = ((support_world *)*state)->world;
        tale_watch(&t, w, A);
        tale_watch(&t, w, B);
        tale_watch(&t, w, C);
        tale_watch(&t, w, D);
        tale_watch(&t, w, S);
        tale_hook(&t, w, STOA_ON_ADD, STOA_TYPE_OF(T), "T");
        tale_hook(&t, w, STOA_ON_REMOVE, STOA_TYPE_OF(T), "T");
        tale_hook(&t, w, STOA_ON_ADD, STOA_TYPE_OF(U), "U");
        tale_hook(&t, w, STOA_ON_REMOVE, STOA_TYPE_OF(U), "U");
        tale_watch(&t, w, R);
        tale_watch(&t, w, Box);
    }
    return result;
}

static int fixture_close(void **state) {
    t.quiet = true;
    int result = support_teardown(state);
    assert_int_equal(box_count, 0);
    return result;
}

/* HOK-01 HOK-02 HOK-03: in the order of the bundle, on_set after the on_add of the same value. */
static void create_fires_in_bundle_order(void **state) {
    stoa_world *w = ((support_world *)*state)->world;
    stoa_create(w);
    tale_expect(&t, "");
    stoa_create_with(w, STOA_VALUE(B, {2}));
    tale_expect(&t, "+B2(2) =B2(2)");
    stoa_create_with(w, STOA_VALUE(B, {2}), STOA_VALUE(A, {1}));
    tale_expect(&t, "+B3(2) =B3(2) +A3(1) =A3(1)");
    stoa_create_with(w, STOA_VALUE(C, {3}), STOA_VALUE(B, {2}), STOA_VALUE(A, {1}));
    tale_expect(&t, "+C4(3) =C4(3) +B4(2) =B4(2) +A4(1) =A4(1)");
    stoa_create_with(w, STOA_VALUE(S, {5}), STOA_ZERO(U), STOA_VALUE(D, {4}), STOA_ZERO(T),
                     STOA_VALUE(A, {1}), STOA_VALUE(R, {6}));
    tale_expect(&t, "+S5(5) =S5(5) +U5 +D5(4) =D5(4) +T5 +A5(1) =A5(1) +R5(6) =R5(6)");
    stoa_value values[] = {{.id = stoa_id(w, D), .data = &(D){7}}, {.id = stoa_id(w, T)}};
    stoa_create_values(w, values, 2);
    tale_expect(&t, "+D6(7) =D6(7) +T6");
    stoa_create_with(w, STOA_VALUE(S, {8}));
    tale_expect(&t, "+S7(8) =S7(8)");
}

/* HOK-01: a zeroed component is added and not set. */
static void zeroed_components_are_added_and_not_set(void **state) {
    stoa_world *w = ((support_world *)*state)->world;
    stoa_create_with(w, STOA_ZERO(B), STOA_VALUE(A, {1}), STOA_ZERO(S));
    tale_expect(&t, "+B1(0) +A1(1) =A1(1) +S1(0)");
    stoa_create_with(w, STOA_ZERO(A));
    tale_expect(&t, "+A2(0)");
    stoa_entity e = stoa_create(w);
    stoa_add(w, e, A);
    stoa_add_id(w, e, stoa_id(w, B));
    stoa_add_named(w, e, "C");
    stoa_ref_add(stoa_ref_of(w, e), S);
    stoa_add(w, e, Box);
    tale_expect(&t, "+A3(0) +B3(0) +C3(0) +S3(0) +Box3(0)");
    stoa_add(w, e, A);
    stoa_add(w, e, S);
    tale_expect(&t, "");
    assert_int_equal(stoa_create_bulk(w, 2, NULL, STOA_ZERO(B), STOA_ZERO(A)), STOA_OK);
    tale_expect(&t, "+B4(0) +A4(0) +B5(0) +A5(0)");
}

/* HOK-01 HOK-02: a value that was not there is added and set; one that was there is set. */
static void set_fires_on_add_only_where_it_adds(void **state) {
    stoa_world *w = ((support_world *)*state)->world;
    stoa_entity e = stoa_create(w);
    stoa_set(w, e, A, {1});
    tale_expect(&t, "+A1(1) =A1(1)");
    stoa_set(w, e, A, {2});
    tale_expect(&t, "=A1(2)");
    stoa_set_id(w, e, stoa_id(w, A), &(A){3}, sizeof(A));
    stoa_set_named(w, e, "A", &(A){4}, sizeof(A));
    stoa_ref_set(stoa_ref_of(w, e), A, {5});
    stoa_set_from(w, e, A, &(A){6});
    tale_expect(&t, "=A1(3) =A1(4) =A1(5) =A1(6)");
    stoa_set(w, e, S, {1});
    stoa_set(w, e, S, {2});
    stoa_set(w, e, R, {1});
    stoa_set(w, e, R, {2});
    tale_expect(&t, "+S1(1) =S1(1) =S1(2) +R1(1) =R1(1) =R1(2)");
    Box box = box_make(1), other = box_make(2);
    stoa_set_from(w, e, Box, &box);
    stoa_set_from(w, e, Box, &other);
    tale_expect(&t, "+Box1(1) =Box1(1) =Box1(2)");
}

/* HOK-01: writing through a pointer is nobody's gift. */
static void pointers_for_writing_fire_nothing(void **state) {
    stoa_world *w = ((support_world *)*state)->world;
    stoa_entity e = stoa_create_with(w, STOA_VALUE(A, {1}), STOA_VALUE(S, {1}));
    t.size = 0;
    stoa_get_mut(w, e, A)->value = 2;
    stoa_try_get_mut(w, e, S)->value = 2;
    stoa_with_mut(w, e, A, a) {
        a->value = 3;
    }
    stoa_query *query = stoa_query_parse(w, "A");
    for (stoa_iter it = stoa_query_iter(query); stoa_iter_next(&it);) {
        stoa_field_mut(&it, A, 0)[0].value = 4;
    }
    tale_expect(&t, "");
}

/* HOK-01 HOK-02: before the value is gone; nothing where there is none. */
static void remove_fires_before_the_value_is_gone(void **state) {
    stoa_world *w = ((support_world *)*state)->world;
    Box box = box_make(7);
    stoa_entity e = stoa_create_with(w, STOA_VALUE(A, {1}), STOA_VALUE(B, {2}), STOA_ZERO(T),
                                     STOA_VALUE(S, {3}), STOA_VALUE_FROM(Box, &box));
    t.size = 0;
    stoa_remove(w, e, A);
    stoa_remove_id(w, e, stoa_id(w, B));
    stoa_remove_named(w, e, "T");
    stoa_ref_remove(stoa_ref_of(w, e), S);
    stoa_remove(w, e, Box);
    tale_expect(&t, "-A1(1) -B1(2) -T1 -S1(3) -Box1(7)");
    stoa_remove(w, e, A);
    stoa_remove(w, e, S);
    tale_expect(&t, "");
}

/* HOK-03: what a change removes is told first, then the values, each in the order given. */
static void change_removes_first(void **state) {
    stoa_world *w = ((support_world *)*state)->world;
    stoa_entity e = stoa_create_with(w, STOA_VALUE(A, {1}), STOA_VALUE(B, {2}), STOA_ZERO(T),
                                     STOA_VALUE(S, {3}));
    t.size = 0;
    stoa_change(w, e, STOA_VALUE(D, {4}), STOA_REMOVE(T), STOA_VALUE(B, {5}), STOA_REMOVE(S),
                STOA_ZERO(C), STOA_REMOVE(A));
    tale_expect(&t, "-T1 -S1(3) -A1(1) +D1(4) =D1(4) =B1(5) +C1(0)");
    stoa_change(w, e, STOA_VALUE(C, {6}), STOA_VALUE(B, {7}));
    tale_expect(&t, "=C1(6) =B1(7)");
    stoa_change(w, e, STOA_REMOVE(A), STOA_REMOVE(S));
    tale_expect(&t, "");
    stoa_change(w, e, STOA_REMOVE(D), STOA_REMOVE(C), STOA_REMOVE(B), STOA_ZERO(U));
    tale_expect(&t, "-D1(4) -C1(6) -B1(7) +U1");
}

/* HOK-02 HOK-03: columns in order of their ids, then sparse components. */
static void clear_and_destroy_fire_in_column_order(void **state) {
    stoa_world *w = ((support_world *)*state)->world;
    for (int i = 0; i < 2; i++) {
        Box box = box_make(9);
        stoa_entity e =
            stoa_create_with(w, STOA_ZERO(U), STOA_VALUE_FROM(Box, &box), STOA_VALUE(S, {5}),
                             STOA_VALUE(D, {4}), STOA_ZERO(T), STOA_VALUE(A, {1}));
        t.size = 0;
        assert_int_equal(i == 0 ? stoa_clear(w, e) : stoa_destroy(w, e), STOA_OK);
        if (i == 0) {
            tale_expect(&t, "-A1(1) -D1(4) -T1 -Box1(9) -S1(5) -U1");
            assert_int_equal(stoa_clear(w, e), STOA_OK);
            assert_int_equal(stoa_destroy(w, e), STOA_OK);
            tale_expect(&t, "");
        } else {
            tale_expect(&t, "-A1(1) -D1(4) -T1 -Box1(9) -S1(5) -U1");
        }
    }
    stoa_entity e = stoa_create_with(w, STOA_VALUE(S, {5}));
    stoa_destroy(w, e);
    tale_expect(&t, "+S1(5) =S1(5) -S1(5)");
}

/* HOK-02 */
static void clone_fires_for_the_copy(void **state) {
    stoa_world *w = ((support_world *)*state)->world;
    Box box = box_make(9);
    stoa_entity e = stoa_create_with(w, STOA_VALUE_FROM(Box, &box), STOA_VALUE(S, {5}),
                                     STOA_VALUE(B, {2}), STOA_ZERO(T), STOA_VALUE(A, {1}));
    t.size = 0;
    stoa_clone(w, e);
    tale_expect(&t, "+A2(1) =A2(1) +B2(2) =B2(2) +T2 +Box2(9) =Box2(9) +S2(5) =S2(5)");
}

/* HOK-02 HOK-03 */
static void bulk_fires_entity_by_entity(void **state) {
    stoa_world *w = ((support_world *)*state)->world;
    stoa_entity e[3];
    A a[3] = {{1}, {2}, {3}};
    S sparse[3] = {{4}, {5}, {6}};
    stoa_create_bulk(w, 3, e, STOA_COLUMN(S, sparse), STOA_ZERO(T), STOA_COLUMN(A, a));
    tale_expect(&t, "+S1(4) =S1(4) +T1 +A1(1) =A1(1) +S2(5) =S2(5) +T2 +A2(2) =A2(2) "
                    "+S3(6) =S3(6) +T3 +A3(3) =A3(3)");
    Box boxes[2] = {box_make(1), box_make(2)};
    stoa_create_bulk(w, 2, NULL, STOA_COLUMN(Box, boxes));
    tale_expect(&t, "+Box4(1) =Box4(1) +Box5(2) =Box5(2)");
}

/* HOK-02: commands fire when they are applied, as the calls they stand for would. */
static void commands_fire_at_the_flush(void **state) {
    stoa_world *w = ((support_world *)*state)->world;
    stoa_commands *c = stoa_deferred(w);
    stoa_entity made = stoa_commands_create_with(c, STOA_VALUE(B, {2}), STOA_VALUE(A, {1}));
    stoa_commands_set(c, made, A, {3});
    stoa_commands_add(c, made, T);
    stoa_commands_remove(c, made, B);
    stoa_commands_set(c, made, S, {4});
    stoa_commands_change(c, made, STOA_REMOVE(A), STOA_VALUE(C, {5}));
    tale_expect(&t, "");
    assert_int_equal(stoa_flush(w), STOA_OK);
    tale_expect(&t, "+B1(2) =B1(2) +A1(1) =A1(1) =A1(3) +T1 -B1(2) +S1(4) =S1(4) "
                    "-A1(3) +C1(5) =C1(5)");
    stoa_commands_destroy(c, made);
    assert_int_equal(stoa_flush(w), STOA_OK);
    tale_expect(&t, "-C1(5) -T1 -S1(4)");
}

/* HOK-02: a buffer that is discarded fires nothing. */
static void discarded_commands_fire_nothing(void **state) {
    stoa_world *w = ((support_world *)*state)->world;
    Box box = box_make(1);
    stoa_commands *c = stoa_commands_new(w);
    stoa_entity made = stoa_commands_create(c);
    stoa_commands_set_from(c, made, Box, &box);
    assert_int_equal(stoa_commands_free(c), STOA_OK);
    tale_expect(&t, "");
    assert_int_equal(box_count, 0);
}

/* HOK-02: what is done to all that a query matches is done to each. */
static void whole_query_operations_fire_for_each_entity(void **state) {
    stoa_world *w = ((support_world *)*state)->world;
    for (int i = 1; i <= 3; i++) {
        stoa_create_with(w, STOA_VALUE(A, {i}));
    }
    stoa_query *query = stoa_query_parse(w, "A");
    t.size = 0;
    assert_int_equal(stoa_query_add(query, B), STOA_OK);
    tale_expect(&t, "+B1(0) +B2(0) +B3(0)");
    assert_int_equal(stoa_query_add(query, B), STOA_OK);
    tale_expect(&t, "");
    assert_int_equal(stoa_query_set(query, B, {5}), STOA_OK);
    tale_expect(&t, "=B1(5) =B2(5) =B3(5)");
    assert_int_equal(stoa_query_set(query, S, {6}), STOA_OK);
    tale_expect(&t, "+S1(6) =S1(6) +S2(6) =S2(6) +S3(6) =S3(6)");
    assert_int_equal(stoa_query_remove(query, B), STOA_OK);
    tale_expect(&t, "-B1(5) -B2(5) -B3(5)");
    assert_int_equal(stoa_query_add(query, T), STOA_OK);
    tale_expect(&t, "+T1 +T2 +T3");
    assert_int_equal(stoa_query_destroy(query), STOA_OK);
    assert_int_equal(stoa_count(w), 0);
}

/* HOK-02: every component of every entity, in order of their indexes. */
static void freeing_the_world_fires_on_remove(void **state) {
    support_world *s = *state;
    Box box = box_make(9);
    stoa_create_with(s->world, STOA_VALUE(B, {2}), STOA_VALUE(A, {1}));
    stoa_create(s->world);
    stoa_create_with(s->world, STOA_VALUE(S, {3}), STOA_VALUE_FROM(Box, &box));
    stoa_destroy(s->world, stoa_create_with(s->world, STOA_VALUE(A, {4})));
    stoa_create_with(s->world, STOA_VALUE(C, {5}));
    t.size = 0;
    stoa_world_free(s->world);
    s->world = NULL;
    tale_expect(&t, "-A1(1) -B1(2) -Box3(9) -S3(3) -C4(5)");
    assert_int_equal(box_count, 0);
}

/* HOK-02: switching is neither adding nor removing. */
static void switching_fires_nothing(void **state) {
    stoa_world *w = ((support_world *)*state)->world;
    stoa_entity e = stoa_create_with(w, STOA_VALUE(R, {1}));
    t.size = 0;
    assert_int_equal(stoa_enable(w, e, R, false), STOA_OK);
    tale_expect(&t, "");
    stoa_set(w, e, R, {2});
    tale_expect(&t, "=R1(2)");
    assert_int_equal(stoa_enable(w, e, R, true), STOA_OK);
    stoa_destroy(w, e);
    tale_expect(&t, "-R1(2)");
}

/* HOK-01 GEN-03: refused calls fire nothing. */
static void failing_calls_fire_nothing(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    stoa_entity dead = stoa_create_with(w, STOA_VALUE(A, {1}));
    stoa_destroy(w, dead);
    t.size = 0;
    support_assert_misuse(s, stoa_set(w, dead, A, {1}), STOA_DEAD);
    support_assert_misuse(s, stoa_destroy(w, dead), STOA_DEAD);
    stoa_entity e = stoa_create(w);
    support_assert_misuse(s, stoa_change(w, e, STOA_ZERO(A), STOA_ZERO(A)), STOA_DUPLICATE);
    support_assert_misuse(s, stoa_set_id(w, e, stoa_id(w, A), &(A){1}, 1), STOA_INVALID);
    tale_expect(&t, "");
}

/* The calls that need memory, each on a world of its own. */
static bool hungry_call(stoa_world *w, stoa_entity e, int which) {
    switch (which) {
    case 0:
        return !stoa_entity_is_null(stoa_create_with(w, STOA_VALUE(A, {1}), STOA_VALUE(S, {2})));
    case 1:
        return stoa_set(w, e, B, {1}) == STOA_OK;
    case 2:
        return stoa_add(w, e, S) == STOA_OK;
    case 3:
        return stoa_remove(w, e, A) == STOA_OK;
    case 4:
        return stoa_change(w, e, STOA_REMOVE(A), STOA_VALUE(B, {1}), STOA_VALUE(S, {2})) == STOA_OK;
    case 5:
        return !stoa_entity_is_null(stoa_clone(w, e));
    default:
        return stoa_create_bulk(w, 20, NULL, STOA_ZERO(B), STOA_ZERO(S)) == STOA_OK;
    }
}

/* HOK-01 GEN-03 GEN-04: nobody is told of a change that fails for lack of memory, at any of its
 * allocations. */
static void change_without_memory_fires_nothing(void **state) {
    (void)state;
    for (int which = 0; which < 7; which++) {
        bool done = false;
        for (size_t k = 1; !done; k++) {
            support_world s;
            support_world_open(&s);
            memset(&t, 0, sizeof t);
            tale_watch(&t, s.world, A);
            tale_watch(&t, s.world, B);
            tale_watch(&t, s.world, S);
            stoa_entity e = stoa_create_with(s.world, STOA_VALUE(A, {7}), STOA_VALUE(C, {8}));
            t.size = 0;
            s.heap.fail_at = k;
            done = hungry_call(s.world, e, which);
            if (!done) {
                assert_int_equal(stoa_last_error().status, STOA_NO_MEMORY);
                tale_expect(&t, "");
                assert_int_equal(stoa_check(s.world), STOA_OK);
                assert_true(hungry_call(s.world, e, which));
            }
            assert_true(t.size > 0);
            t.quiet = true;
            s.heap.fail_at = 0;
            support_world_close(&s);
        }
    }
}

#define test(name) cmocka_unit_test_setup_teardown(name, fixture_open, fixture_close)

int main(void) {
    const struct CMUnitTest tests[] = {
        test(create_fires_in_bundle_order),
        test(zeroed_components_are_added_and_not_set),
        test(set_fires_on_add_only_where_it_adds),
        test(pointers_for_writing_fire_nothing),
        test(remove_fires_before_the_value_is_gone),
        test(change_removes_first),
        test(clear_and_destroy_fire_in_column_order),
        test(clone_fires_for_the_copy),
        test(bulk_fires_entity_by_entity),
        test(commands_fire_at_the_flush),
        test(discarded_commands_fire_nothing),
        test(whole_query_operations_fire_for_each_entity),
        test(freeing_the_world_fires_on_remove),
        test(switching_fires_nothing),
        test(failing_calls_fire_nothing),
        cmocka_unit_test(change_without_memory_fires_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
