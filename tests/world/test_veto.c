/* Vetoes: every path asks before it changes or tells anything, a refusal changes nothing, commands
 * that are refused are counted, and whoever is asked cannot change the world. */
#include "support/support.h"

STOA_COMPONENT(Gold, { int32_t coins; });
STOA_COMPONENT(Other, { int32_t value; });
STOA_COMPONENT_WITH(Debt, STOA_OPTIONS(.flags = STOA_SPARSE), { int32_t coins; });
STOA_TAG(Marked);

static support_world *s;
static stoa_world *w;
static int told;

/* What a veto was asked last, and how it answers. */
typedef struct asked {
    int count;
    stoa_entity e;
    int32_t values;
    int32_t sum;
    bool null;
    stoa_status answer;
} asked;

static stoa_status answer_give(stoa_world *world, stoa_entity e, const void *values, int32_t count,
                               void *user) {
    asked *a = user;
    assert_ptr_equal(world, w);
    a->count++;
    a->e = e;
    a->values = count;
    a->null = values == NULL;
    a->sum = 0;
    for (int32_t i = 0; i < count && values != NULL; i++) {
        a->sum += ((const int32_t *)values)[i];
    }
    return a->answer == STOA_OK ? STOA_OK : stoa_fail(a->answer, "no gold today");
}

static void tell(stoa_world *world, stoa_entity e, void *value, void *user) {
    (void)world, (void)e, (void)value, (void)user;
    told++;
}

static int fixture_open(void **state) {
    int result = support_setup(state);
    s = *state;
    w = s->world;
    told = 0;
    return result;
}

static stoa_hook veto_add(stoa_veto_kind kind, stoa_type *type, asked *a) {
    stoa_hook hook = stoa_veto_new(
        w, &(stoa_veto_desc){.kind = kind, .type = type, .call = answer_give, .user = a});
    assert_int_not_equal(hook.id, 0);
    return hook;
}

static void hooks_add(stoa_type *type) {
    for (int kind = STOA_ON_ADD; kind <= STOA_ON_SET; kind++) {
        stoa_hook_type(w, (stoa_hook_kind)kind, type, tell, NULL);
    }
}

#define SETS 14

/* Every way by which an entity is given Gold, whose sum is told in `sum`; `rich` has it, `poor` has
 * not. */
static stoa_status gold_give(int way, stoa_entity rich, stoa_entity poor, int32_t *sum) {
    stoa_component gold = stoa_id(w, Gold);
    *sum = 5;
    switch (way) {
    case 0:
        return stoa_set(w, poor, Gold, {5});
    case 1:
        return stoa_set(w, rich, Gold, {5});
    case 2:
        return stoa_set_id(w, poor, gold, &(Gold){5}, sizeof(Gold));
    case 3:
        return stoa_set_named(w, rich, "Gold", &(Gold){5}, sizeof(Gold));
    case 4:
        *sum = 0;
        return stoa_add(w, poor, Gold);
    case 5:
        return stoa_change(w, poor, STOA_VALUE(Gold, {5}), STOA_VALUE(Other, {1}));
    case 6:
        return stoa_change(w, rich, STOA_VALUE(Gold, {5}), STOA_REMOVE(Other));
    case 7:
        return stoa_create_with(w, STOA_VALUE(Gold, {5})).index != 0 ? STOA_OK
                                                                     : stoa_last_error().status;
    case 8:
        return stoa_create_values(w,
                                  (stoa_value[]){{.id = stoa_id(w, Other)},
                                                 {.id = gold, .data = &(Gold){5}},
                                                 {.id = stoa_id(w, Marked)},
                                                 {.id = stoa_id(w, Debt)}},
                                  4)
                           .index != 0
                   ? STOA_OK
                   : stoa_last_error().status;
    case 9: {
        Gold many[3] = {{1}, {3}, {1}};
        return stoa_create_bulk(w, 3, NULL, STOA_COLUMN(Gold, many));
    }
    case 10: {
        *sum = 7;
        return stoa_clone(w, rich).index != 0 ? STOA_OK : stoa_last_error().status;
    }
    case 11: {
        stoa_query *q = stoa_query_new(
            w, &(stoa_query_desc){.terms = {STOA_FILTER(Marked), STOA_WITHOUT(Gold)}});
        stoa_status status = stoa_query_set(q, Gold, {5});
        stoa_query_free(q);
        return status;
    }
    case 12: {
        *sum = 0;
        stoa_query *q = stoa_query_new(
            w, &(stoa_query_desc){.terms = {STOA_FILTER(Marked), STOA_WITHOUT(Gold)}});
        stoa_status status = stoa_query_add(q, Gold);
        stoa_query_free(q);
        return status;
    }
    default: {
        *sum = 0;
        stoa_entity made[2];
        return stoa_create_bulk(w, 2, made, STOA_ZERO(Gold));
    }
    }
}

/* GEN-03, HOK-02 */
static void every_way_to_set_asks_before_anything_changes(void **state) {
    (void)state;
    asked a = {0};
    hooks_add(STOA_TYPE_OF(Gold));
    veto_add(STOA_VETO_SET, STOA_TYPE_OF(Gold), &a);
    for (int way = 0; way < SETS; way++) {
        a.answer = STOA_OK;
        stoa_entity rich = stoa_create_with(w, STOA_VALUE(Gold, {7}), STOA_VALUE(Other, {2}));
        stoa_entity poor = stoa_create_with(w, STOA_ZERO(Marked));
        uint64_t before = stoa_hash(w);
        int32_t sum;
        a.answer = STOA_REFUSED;
        a.count = told = 0;
        assert_int_equal(gold_give(way, rich, poor, &sum), STOA_REFUSED);
        support_assert_message("no gold today");
        assert_int_equal(a.count, 1);
        assert_int_equal(told, 0);
        assert_int_equal(stoa_hash(w), before);
        a.answer = STOA_OK;
        a.count = 0;
        assert_int_equal(gold_give(way, rich, poor, &sum), STOA_OK);
        assert_int_equal(a.count, 1);
        assert_int_equal(a.sum, sum);
        assert_true(told > 0);
        assert_int_equal(stoa_check(w), STOA_OK);
        stoa_destroy(w, rich);
        stoa_destroy(w, poor);
    }
    support_assert_quiet(s);
}

/* GEN-03 */
static void veto_alone_is_asked_without_hooks(void **state) {
    (void)state;
    asked a = {.answer = STOA_REFUSED};
    stoa_entity e = stoa_create_with(w, STOA_VALUE(Other, {1}));
    stoa_set(w, e, Gold, {1});
    stoa_remove(w, e, Gold);
    stoa_hook hook = veto_add(STOA_VETO_SET, STOA_TYPE_OF(Gold), &a);
    assert_int_equal(stoa_set(w, e, Gold, {2}), STOA_REFUSED);
    assert_int_equal(stoa_create_with(w, STOA_VALUE(Gold, {2})).index, 0);
    assert_false(stoa_has(w, e, Gold));
    assert_int_equal(stoa_hook_remove(w, hook), STOA_OK);
    assert_int_equal(stoa_set(w, e, Gold, {2}), STOA_OK);
    assert_int_equal(a.count, 2);
}

/* GEN-03 */
static void who_is_asked_sees_entity_values_and_their_number(void **state) {
    (void)state;
    asked a = {0}, tag = {0}, sparse = {0};
    veto_add(STOA_VETO_SET, STOA_TYPE_OF(Gold), &a);
    veto_add(STOA_VETO_SET, STOA_TYPE_OF(Marked), &tag);
    veto_add(STOA_VETO_SET, STOA_TYPE_OF(Debt), &sparse);
    Gold many[4] = {{1}, {2}, {3}, {4}};
    Debt debts[4] = {{10}, {20}, {30}, {40}};
    assert_int_equal(stoa_create_bulk(w, 4, NULL, STOA_COLUMN(Gold, many), STOA_ZERO(Marked),
                                      STOA_COLUMN(Debt, debts)),
                     STOA_OK);
    assert_true(stoa_entity_is_null(a.e));
    assert_int_equal(a.values, 4);
    assert_int_equal(a.sum, 10);
    assert_int_equal(sparse.sum, 100);
    assert_true(tag.null);
    assert_int_equal(tag.values, 4);
    stoa_entity e = stoa_create(w);
    assert_int_equal(stoa_set(w, e, Debt, {6}), STOA_OK);
    assert_true(stoa_entity_eq(sparse.e, e));
    assert_int_equal(sparse.sum, 6);
    assert_int_equal(stoa_add(w, e, Marked), STOA_OK);
    assert_true(tag.null && stoa_entity_eq(tag.e, e));
    int count = a.count + tag.count + sparse.count;
    assert_int_equal(stoa_add(w, e, Marked), STOA_OK);
    assert_int_equal(a.count + tag.count + sparse.count, count);
    assert_int_equal(stoa_create_bulk(w, 0, NULL, STOA_ZERO(Gold)), STOA_OK);
    assert_int_equal(a.count, 1);
}

#define REMOVES 8

/* Every way by which Gold and Debt are taken from an entity. */
static stoa_status gold_take(int way, stoa_entity e, stoa_type *type) {
    stoa_component id = stoa_type_find(w, type);
    switch (way) {
    case 0:
        return stoa_remove_id(w, e, id);
    case 1:
        return stoa_change_values(w, e, &(stoa_value){.type = type, .op = STOA_DROP}, 1);
    case 2:
        return stoa_clear(w, e);
    case 3:
        return stoa_destroy(w, e);
    case 4: {
        stoa_query *q = stoa_query_new(
            w, &(stoa_query_desc){.terms = {{.type = type, .access = STOA_ACCESS_FILTER}}});
        stoa_status status = stoa_query_remove_id(q, id);
        stoa_query_free(q);
        return status;
    }
    case 5: {
        stoa_query *q = stoa_query_new(
            w, &(stoa_query_desc){.terms = {{.type = type, .access = STOA_ACCESS_FILTER}}});
        stoa_status status = stoa_query_destroy(q);
        stoa_query_free(q);
        return status;
    }
    case 6:
        return stoa_remove_type(w, e, type);
    default:
        return stoa_change_values(w, e,
                                  (stoa_value[]){{.type = type, .op = STOA_DROP},
                                                 {.type = STOA_TYPE_OF(Marked), .op = STOA_PUT}},
                                  2);
    }
}

/* GEN-03, HOK-02 */
static void every_way_to_remove_asks_before_anything_changes(void **state) {
    (void)state;
    stoa_type *types[] = {STOA_TYPE_OF(Gold), STOA_TYPE_OF(Debt)};
    for (int t = 0; t < 2; t++) {
        asked a = {0};
        stoa_hook hook = veto_add(STOA_VETO_REMOVE, types[t], &a);
        stoa_hook on_remove = stoa_hook_type(w, STOA_ON_REMOVE, types[t], tell, NULL);
        for (int way = 0; way < REMOVES; way++) {
            stoa_entity e = stoa_create_with(w, STOA_VALUE(Gold, {7}), STOA_VALUE(Debt, {2}),
                                             STOA_VALUE(Other, {3}));
            uint64_t before = stoa_hash(w);
            a.answer = STOA_REFUSED;
            a.count = told = 0;
            assert_int_equal(gold_take(way, e, types[t]), STOA_REFUSED);
            assert_int_equal(stoa_hash(w), before);
            assert_int_equal(told, 0);
            assert_true(stoa_entity_eq(a.e, e));
            assert_true(a.null);
            a.answer = STOA_OK;
            assert_int_equal(gold_take(way, e, types[t]), STOA_OK);
            assert_int_equal(a.count, 2);
            assert_int_equal(told, 1);
            assert_int_equal(stoa_remove_type(w, e, types[t]),
                             stoa_alive(w, e) ? STOA_OK : STOA_DEAD);
            assert_int_equal(a.count, 2);
            if (stoa_alive(w, e)) {
                stoa_destroy(w, e);
            }
        }
        stoa_hook_remove(w, hook);
        stoa_hook_remove(w, on_remove);
    }
}

static stoa_status world_change(stoa_world *world, stoa_entity e, const void *values, int32_t count,
                                void *user) {
    (void)values, (void)count;
    stoa_status *got = user;
    got[0] = stoa_create(world).index == 0 ? stoa_last_error().status : STOA_OK;
    got[1] = stoa_set(world, e, Other, {1});
    got[2] = stoa_destroy(world, e);
    got[3] = stoa_flush(world);
    return STOA_OK;
}

/* HOK-04 */
static void who_is_asked_cannot_change_the_world(void **state) {
    (void)state;
    stoa_status got[4] = {0};
    stoa_veto_new(w, &(stoa_veto_desc){.kind = STOA_VETO_SET,
                                       .type = STOA_TYPE_OF(Gold),
                                       .call = world_change,
                                       .user = got});
    stoa_entity e = stoa_create_with(w, STOA_ZERO(Marked));
    assert_int_equal(stoa_set(w, e, Gold, {1}), STOA_OK);
    for (int i = 0; i < 4; i++) {
        assert_int_equal(got[i], STOA_LOCKED);
    }
    assert_int_equal(stoa_get(w, e, Gold)->coins, 1);
    assert_false(stoa_has(w, e, Other));
    assert_int_equal(stoa_count(w), 1);
    assert_int_equal(stoa_create(w).index != 0, true);
}

/* CMD-02, GEN-03 */
static void refused_commands_are_skipped_counted_and_told(void **state) {
    (void)state;
    asked a = {.answer = STOA_REFUSED};
    veto_add(STOA_VETO_SET, STOA_TYPE_OF(Gold), &a);
    asked keep = {0};
    veto_add(STOA_VETO_REMOVE, STOA_TYPE_OF(Debt), &keep);
    stoa_commands *c = stoa_deferred(w);
    stoa_entity e = stoa_create_with(w, STOA_VALUE(Debt, {1}));
    stoa_entity born = stoa_commands_create_with(c, STOA_VALUE(Gold, {1}), STOA_VALUE(Other, {2}));
    stoa_entity fine = stoa_commands_create_with(c, STOA_VALUE(Other, {4}));
    stoa_commands_set(c, e, Gold, {3});
    stoa_commands_set(c, e, Other, {5});
    stoa_commands_change(c, e, STOA_VALUE(Gold, {3}), STOA_ZERO(Marked));
    stoa_commands_set(c, born, Other, {6});
    keep.answer = STOA_REFUSED;
    stoa_commands_destroy(c, e);
    int errors = s->errors;
    assert_int_equal(stoa_flush(w), STOA_OK);
    assert_int_equal(stoa_commands_refused(c), 4);
    assert_int_equal(stoa_commands_skipped(c), 1);
    assert_int_equal(s->errors - errors, 4);
    assert_int_equal(stoa_commands_count(c), 0);
    assert_false(stoa_alive(w, born));
    assert_true(stoa_alive(w, fine));
    assert_true(stoa_alive(w, e));
    assert_int_equal(stoa_get(w, e, Other)->value, 5);
    assert_false(stoa_has(w, e, Gold) || stoa_has(w, e, Marked));
    stoa_entity next = stoa_create(w);
    assert_int_equal(next.index, born.index);
    assert_int_not_equal(next.generation, born.generation);
}

/* GEN-04 */
static void lack_of_memory_in_a_veto_keeps_the_command(void **state) {
    (void)state;
    asked a = {.answer = STOA_NO_MEMORY};
    veto_add(STOA_VETO_SET, STOA_TYPE_OF(Gold), &a);
    stoa_entity e = stoa_create(w);
    stoa_commands_set(stoa_deferred(w), e, Gold, {3});
    assert_int_equal(stoa_flush(w), STOA_NO_MEMORY);
    assert_int_equal(stoa_commands_count(stoa_deferred(w)), 1);
    assert_int_equal(stoa_commands_refused(stoa_deferred(w)), 0);
    a.answer = STOA_OK;
    assert_int_equal(stoa_flush(w), STOA_OK);
    assert_int_equal(stoa_get(w, e, Gold)->coins, 3);
}

static void other_set(stoa_world *world, stoa_entity e, void *value, void *user) {
    (void)e, (void)value;
    stoa_entity *target = user;
    assert_int_equal(stoa_set(world, *target, Gold, {9}), STOA_REFUSED);
}

/* CMD-02, HOK-04 */
static void refusal_inside_a_hook_is_not_the_commands_own(void **state) {
    (void)state;
    asked a = {.answer = STOA_REFUSED};
    veto_add(STOA_VETO_SET, STOA_TYPE_OF(Gold), &a);
    stoa_entity target = stoa_create(w), e = stoa_create(w);
    stoa_hook_type(w, STOA_ON_ADD, STOA_TYPE_OF(Other), other_set, &target);
    stoa_commands_set(stoa_deferred(w), e, Other, {1});
    assert_int_equal(stoa_flush(w), STOA_OK);
    assert_int_equal(stoa_commands_refused(stoa_deferred(w)), 0);
    assert_true(stoa_has(w, e, Other));
    assert_int_equal(a.count, 1);
}

static int freed;
static void count_free(void *user) {
    (void)user;
    freed++;
}

/* GEN-05, GEN-06 */
static void bad_vetoes_are_errors_and_users_are_freed_once(void **state) {
    (void)state;
    asked a = {0};
    stoa_veto_desc desc = {.type = STOA_TYPE_OF(Gold), .call = answer_give, .user = &a};
    assert_int_equal(stoa_veto_new(NULL, &desc).id, 0);
    assert_int_equal(stoa_veto_new(w, NULL).id, 0);
    support_assert_misuse(s, stoa_last_error().status, STOA_NULL_ARGUMENT);
    desc.call = NULL;
    assert_int_equal(stoa_veto_new(w, &desc).id, 0);
    support_assert_misuse(s, stoa_last_error().status, STOA_NULL_ARGUMENT);
    desc.call = answer_give;
    desc.kind = (stoa_veto_kind)2;
    assert_int_equal(stoa_veto_new(w, &desc).id, 0);
    support_assert_misuse(s, stoa_last_error().status, STOA_INVALID);
    desc.kind = STOA_VETO_SET;
    desc.type = NULL;
    desc.component = 999;
    assert_int_equal(stoa_veto_new(w, &desc).id, 0);
    support_assert_misuse(s, stoa_last_error().status, STOA_UNKNOWN);
    desc.component = stoa_id(w, Gold);
    desc.user_free = count_free;
    s->heap.fail_at = 1;
    assert_int_equal(stoa_veto_new(w, &desc).id, 0);
    assert_int_equal(stoa_last_error().status, STOA_NO_MEMORY);
    freed = 0;
    stoa_hook hook = stoa_veto_new(w, &desc);
    assert_int_equal(stoa_hook_remove(w, hook), STOA_OK);
    assert_int_equal(freed, 1);
    assert_int_equal(stoa_hook_remove(w, hook), STOA_NOT_FOUND);
}

/* HOK-02 */
static void freeing_the_world_asks_nobody(void **state) {
    (void)state;
    support_world own;
    support_world_open(&own);
    stoa_world *was = w;
    w = own.world;
    asked a = {.answer = STOA_REFUSED};
    veto_add(STOA_VETO_REMOVE, STOA_TYPE_OF(Gold), &a);
    stoa_create_with(w, STOA_VALUE(Gold, {1}));
    support_world_close(&own);
    assert_int_equal(a.count, 0);
    w = was;
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, fixture_open, support_teardown)
    const struct CMUnitTest tests[] = {
        TEST(every_way_to_set_asks_before_anything_changes),
        TEST(veto_alone_is_asked_without_hooks),
        TEST(who_is_asked_sees_entity_values_and_their_number),
        TEST(every_way_to_remove_asks_before_anything_changes),
        TEST(who_is_asked_cannot_change_the_world),
        TEST(refused_commands_are_skipped_counted_and_told),
        TEST(lack_of_memory_in_a_veto_keeps_the_command),
        TEST(refusal_inside_a_hook_is_not_the_commands_own),
        TEST(bad_vetoes_are_errors_and_users_are_freed_once),
        TEST(freeing_the_world_asks_nobody),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
