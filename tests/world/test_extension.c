/* Extensions: what modules keep for a world is found, checked, settled, counted and freed with it;
 * and calls that are recorded as commands. */
#include "support/support.h"

STOA_COMPONENT(Plain, { int32_t value; });
STOA_COMPONENT_WITH(Thin, STOA_OPTIONS(.flags = STOA_SPARSE), { int32_t value; });

static support_world *s;
static stoa_world *w;

/* What a module keeps in these tests. */
typedef struct keeper {
    int freed;
    int settled;
    int unmade;
    int hooks_when_freed;
    bool broken;
    bool ending;
} keeper;

static int hooks_called, frees;

static void keeper_free(stoa_world *world, void *data) {
    keeper *k = data;
    k->freed = ++frees;
    k->hooks_when_freed = hooks_called;
    k->ending = stoa_world_ending(world);
    assert_null(stoa_extension_find(world, "second"));
}

static stoa_status keeper_check(const stoa_world *world, const void *data) {
    (void)world;
    return ((const keeper *)data)->broken ? stoa_fail(STOA_CORRUPT, "the keeper is broken")
                                          : STOA_OK;
}

static void keeper_settle(stoa_world *world, void *data) {
    (void)world;
    ((keeper *)data)->settled++;
}

static void keeper_unmade(stoa_world *world, void *data) {
    (void)world;
    ((keeper *)data)->unmade++;
}

static size_t keeper_bytes(const stoa_world *world, const void *data) {
    (void)world, (void)data;
    return 1000;
}

static stoa_extension keeper_of(const char *name, keeper *k) {
    return (stoa_extension){.name = name,
                            .data = k,
                            .free = keeper_free,
                            .check = keeper_check,
                            .settle = keeper_settle,
                            .unmade = keeper_unmade,
                            .bytes = keeper_bytes};
}

static int fixture_open(void **state) {
    int result = support_setup(state);
    s = *state;
    w = s->world;
    frees = hooks_called = 0;
    return result;
}

static void hook_count(stoa_world *world, stoa_entity e, void *value, void *user) {
    (void)e, (void)value, (void)user;
    assert_true(stoa_world_ending(world));
    hooks_called++;
}

/* QRY-10, GEN-06 */
static void extensions_live_as_long_as_their_world(void **state) {
    (void)state;
    support_world own;
    support_world_open(&own);
    keeper first = {0}, second = {0};
    stoa_extension a = keeper_of("first", &first), b = keeper_of("second", &second);
    assert_int_equal(stoa_extend(own.world, &a), STOA_OK);
    assert_int_equal(stoa_extend(own.world, &b), STOA_OK);
    assert_ptr_equal(stoa_extension_find(own.world, "first"), &first);
    char copy[] = "second";
    assert_ptr_equal(stoa_extension_find(own.world, copy), &second);
    assert_null(stoa_extension_find(own.world, "third"));
    assert_null(stoa_extension_find(own.world, NULL));
    assert_null(stoa_extension_find(NULL, "first"));
    assert_false(stoa_world_ending(own.world));
    assert_false(stoa_world_ending(NULL));
    stoa_create_with(own.world, STOA_VALUE(Plain, {1}));
    stoa_hook_type(own.world, STOA_ON_REMOVE, STOA_TYPE_OF(Plain), hook_count, NULL);
    support_world_close(&own);
    assert_int_equal(second.freed, 1);
    assert_int_equal(first.freed, 2);
    assert_int_equal(second.hooks_when_freed, 1);
    assert_true(first.ending);
}

/* GEN-03, GEN-05 */
static void bad_extensions_are_refused(void **state) {
    (void)state;
    static keeper k;
    k = (keeper){0};
    stoa_extension good = keeper_of("good", &k), bad = good;
    assert_int_equal(stoa_extend(NULL, &good), STOA_NULL_ARGUMENT);
    support_assert_misuse(s, stoa_extend(w, NULL), STOA_NULL_ARGUMENT);
    bad.name = NULL;
    support_assert_misuse(s, stoa_extend(w, &bad), STOA_NULL_ARGUMENT);
    bad = good;
    bad.free = NULL;
    support_assert_misuse(s, stoa_extend(w, &bad), STOA_NULL_ARGUMENT);
    s->heap.fail_at = 1;
    assert_int_equal(stoa_extend(w, &good), STOA_NO_MEMORY);
    assert_null(stoa_extension_find(w, "good"));
    assert_int_equal(stoa_extend(w, &good), STOA_OK);
    char same[] = "good";
    bad = keeper_of(same, &k);
    assert_int_equal(stoa_extend(w, &bad), STOA_TAKEN);
    support_assert_message("good");
    assert_int_equal(stoa_commands_fork(w, NULL, 0), STOA_OK);
    bad.name = "forked";
    support_assert_misuse(s, stoa_extend(w, &bad), STOA_FORKED);
    assert_int_equal(stoa_commands_join(w), STOA_OK);
}

/* STO-04, STO-07 */
static void checks_and_bytes_of_extensions_count(void **state) {
    (void)state;
    static keeper k;
    k = (keeper){0};
    stoa_extension extension = keeper_of("kept", &k);
    size_t before = stoa_stats(w).bytes_reserved;
    stoa_extend(w, &extension);
    assert_true(stoa_stats(w).bytes_reserved >= before + 1000);
    assert_int_equal(stoa_check(w), STOA_OK);
    k.broken = true;
    assert_int_equal(stoa_check(w), STOA_CORRUPT);
    support_assert_message("keeper");
    k.broken = false;
}

static stoa_status nothing_run(stoa_job *job, stoa_iter *it) {
    (void)job, (void)it;
    return STOA_OK;
}

static void row_ignore(stoa_entity e, void *const *fields, void *user) {
    (void)e, (void)fields, (void)user;
}

/* IDX-01 */
static void extensions_settle_before_batches_and_parallel_loops(void **state) {
    (void)state;
    static keeper k;
    k = (keeper){0};
    stoa_extension extension = keeper_of("kept", &k);
    stoa_extend(w, &extension);
    stoa_settle(w);
    assert_int_equal(k.settled, 1);
    stoa_settle(NULL);
    stoa_commands_fork(w, NULL, 0);
    stoa_settle(w);
    stoa_commands_join(w);
    assert_int_equal(k.settled, 1);
    stoa_app *app = stoa_app_new(&(stoa_app_desc){.world = w, .threads = 1});
    stoa_system_new(app, &(stoa_system_desc){.name = "one", .run = nothing_run});
    stoa_system_new(app, &(stoa_system_desc){.name = "two", .run = nothing_run, .after = {"one"}});
    assert_int_equal(stoa_app_step(app, 0.1), STOA_OK);
    assert_int_equal(k.settled, 3);
    stoa_query *q = stoa_query_new(w, &(stoa_query_desc){.terms = {STOA_READ(Plain)}});
    stoa_pool *pool = stoa_pool_new(&(stoa_pool_desc){.threads = 1});
    assert_int_equal(stoa_query_each_parallel(q, pool, row_ignore, NULL), STOA_OK);
    assert_int_equal(k.settled, 4);
    stoa_pool_free(pool);
    assert_int_equal(stoa_app_free(app), STOA_OK);
}

/* GEN-04 */
static void reserved_sparse_room_needs_no_memory(void **state) {
    (void)state;
    stoa_component thin = stoa_id(w, Thin), plain = stoa_id(w, Plain);
    stoa_entity e = STOA_NULL;
    for (int i = 0; i < 3000; i++) {
        e = stoa_create(w);
    }
    assert_int_equal(stoa_reserve_sparse(NULL, e, thin), STOA_NULL_ARGUMENT);
    support_assert_misuse(s, stoa_reserve_sparse(w, e, 999), STOA_UNKNOWN);
    support_assert_misuse(s, stoa_reserve_sparse(w, e, plain), STOA_INVALID);
    support_assert_misuse(s, stoa_reserve_sparse(w, (stoa_entity){7, 7}, thin), STOA_DEAD);
    s->heap.fail_at = 1;
    assert_int_equal(stoa_reserve_sparse(w, e, thin), STOA_NO_MEMORY);
    s->heap.fail_at = 0;
    assert_int_equal(stoa_reserve_sparse(w, e, thin), STOA_OK);
    s->heap.fail_at = 1;
    assert_int_equal(stoa_set(w, e, Thin, {1}), STOA_OK);
    assert_int_equal(stoa_reserve_sparse(w, e, thin), STOA_OK);
    s->heap.fail_at = 0;
    stoa_commands_fork(w, NULL, 0);
    support_assert_misuse(s, stoa_reserve_sparse(w, e, thin), STOA_FORKED);
    stoa_commands_join(w);
}

/* What a recorded call is given in these tests. */
typedef struct order {
    stoa_entity e;
    int32_t value;
    stoa_status answer;
} order;

static int calls;

static stoa_status order_apply(stoa_world *world, const void *data, size_t size) {
    order o;
    assert_int_equal(size, sizeof o);
    memcpy(&o, data, sizeof o);
    calls++;
    return o.answer == STOA_OK ? stoa_set(world, o.e, Plain, {o.value}) : o.answer;
}

/* CMD-01, CMD-02 */
static void recorded_calls_are_made_in_their_turn(void **state) {
    (void)state;
    stoa_commands *c = stoa_deferred(w);
    stoa_entity e = stoa_create(w), late = stoa_commands_create(c);
    stoa_commands_set(c, e, Plain, {1});
    order one = {late, 2, STOA_OK}, two = {e, 3, STOA_OK};
    assert_int_equal(stoa_commands_call(c, order_apply, &one, sizeof one), STOA_OK);
    assert_int_equal(stoa_commands_call(c, order_apply, &two, sizeof two), STOA_OK);
    one.value = 99;
    stoa_commands_remove(c, late, Plain);
    assert_int_equal(stoa_commands_count(c), 5);
    calls = 0;
    assert_int_equal(stoa_flush(w), STOA_OK);
    assert_int_equal(calls, 2);
    assert_int_equal(stoa_get(w, e, Plain)->value, 3);
    assert_true(stoa_alive(w, late));
    assert_false(stoa_has(w, late, Plain));
    assert_int_equal(stoa_commands_call(c, order_apply, &one, sizeof one), STOA_OK);
    assert_int_equal(stoa_commands_clear(c), STOA_OK);
    assert_int_equal(stoa_flush(w), STOA_OK);
    assert_int_equal(calls, 2);
}

/* CMD-02, GEN-03 */
static void failing_calls_are_counted_and_lack_of_memory_is_repeated(void **state) {
    (void)state;
    stoa_commands *c = stoa_deferred(w);
    stoa_entity e = stoa_create(w);
    order bad = {e, 1, STOA_REFUSED}, good = {e, 2, STOA_OK}, poor = {e, 3, STOA_NO_MEMORY};
    stoa_commands_call(c, order_apply, &bad, sizeof bad);
    stoa_commands_call(c, order_apply, &good, sizeof good);
    calls = 0;
    assert_int_equal(stoa_flush(w), STOA_OK);
    assert_int_equal(calls, 2);
    assert_int_equal(stoa_commands_refused(c), 1);
    assert_int_equal(stoa_get(w, e, Plain)->value, 2);
    stoa_commands_call(c, order_apply, &poor, sizeof poor);
    assert_int_equal(stoa_flush(w), STOA_NO_MEMORY);
    assert_int_equal(stoa_commands_count(c), 1);
    assert_int_equal(stoa_commands_refused(c), 1);
    assert_int_equal(stoa_commands_clear(c), STOA_OK);
}

static size_t large_size;

static stoa_status large_apply(stoa_world *world, const void *data, size_t size) {
    (void)world;
    const uint8_t *bytes = data;
    large_size = size;
    for (size_t i = 0; i < size; i++) {
        assert_int_equal(bytes[i], (uint8_t)(i * 7));
    }
    return STOA_OK;
}

/* CMD-05, GEN-05 */
static void calls_of_any_size_and_bad_ones(void **state) {
    (void)state;
    static uint8_t bytes[STOA_CALL_MAX + 1];
    for (size_t i = 0; i < sizeof bytes; i++) {
        bytes[i] = (uint8_t)(i * 7);
    }
    stoa_commands *c = stoa_deferred(w);
    const size_t sizes[] = {0, 1, 15, 16, 17, 4096, STOA_CALL_MAX};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        assert_int_equal(stoa_commands_call(c, large_apply, bytes, sizes[i]), STOA_OK);
        large_size = 1;
        assert_int_equal(stoa_flush(w), STOA_OK);
        assert_int_equal(large_size, sizes[i]);
    }
    assert_int_equal(stoa_commands_call(c, large_apply, NULL, 0), STOA_OK);
    assert_int_equal(stoa_commands_call(c, large_apply, bytes, sizeof bytes), STOA_LIMIT);
    support_assert_misuse(s, stoa_commands_call(c, NULL, bytes, 1), STOA_NULL_ARGUMENT);
    support_assert_misuse(s, stoa_commands_call(c, large_apply, NULL, 1), STOA_NULL_ARGUMENT);
    assert_int_equal(stoa_commands_call(NULL, large_apply, NULL, 0), STOA_NULL_ARGUMENT);
    assert_int_equal(stoa_commands_count(c), 1);
    stoa_commands *own = stoa_commands_new(w);
    s->heap.fail_at = 1;
    assert_int_equal(stoa_commands_call(own, large_apply, bytes, 4096), STOA_NO_MEMORY);
    assert_true(stoa_commands_empty(own));
    assert_int_equal(stoa_flush(w), STOA_OK);
}

static stoa_status change_refuse(stoa_world *world, stoa_entity e, const void *values,
                                 int32_t count, void *user) {
    (void)world, (void)e, (void)values, (void)count, (void)user;
    return stoa_fail(STOA_REFUSED, "refused");
}

/* GEN-03 */
static void changes_that_vetoes_end_are_told_to_extensions(void **state) {
    (void)state;
    static keeper k;
    k = (keeper){0};
    stoa_extension extension = keeper_of("kept", &k);
    assert_int_equal(stoa_extend(w, &extension), STOA_OK);
    stoa_entity e = stoa_create(w), full = stoa_create_with(w, STOA_VALUE(Plain, {1}));
    for (int kind = STOA_VETO_SET; kind <= STOA_VETO_REMOVE; kind++) {
        stoa_veto_new(w, &(stoa_veto_desc){.kind = (stoa_veto_kind)kind,
                                           .type = STOA_TYPE_OF(Plain),
                                           .call = change_refuse});
    }
    assert_int_equal(stoa_set(w, e, Plain, {1}), STOA_REFUSED);
    assert_int_equal(k.unmade, 1);
    assert_int_equal(stoa_add(w, e, Plain), STOA_REFUSED);
    assert_int_equal(k.unmade, 2);
    assert_true(stoa_entity_is_null(stoa_create_with(w, STOA_VALUE(Plain, {1}))));
    assert_int_equal(k.unmade, 3);
    assert_int_equal(stoa_create_bulk(w, 2, NULL, STOA_SAME(Plain, {1})), STOA_REFUSED);
    assert_int_equal(k.unmade, 4);
    assert_true(stoa_entity_is_null(stoa_clone(w, full)));
    assert_int_equal(k.unmade, 5);
    assert_int_equal(stoa_remove(w, full, Plain), STOA_REFUSED);
    assert_int_equal(k.unmade, 6);
    assert_int_equal(stoa_clear(w, full), STOA_REFUSED);
    assert_int_equal(k.unmade, 7);
    assert_int_equal(stoa_destroy(w, full), STOA_REFUSED);
    assert_int_equal(k.unmade, 8);
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, fixture_open, support_teardown)
    const struct CMUnitTest tests[] = {
        TEST(extensions_live_as_long_as_their_world),
        TEST(bad_extensions_are_refused),
        TEST(checks_and_bytes_of_extensions_count),
        TEST(changes_that_vetoes_end_are_told_to_extensions),
        TEST(extensions_settle_before_batches_and_parallel_loops),
        TEST(reserved_sparse_room_needs_no_memory),
        TEST(recorded_calls_are_made_in_their_turn),
        TEST(failing_calls_are_counted_and_lack_of_memory_is_repeated),
        TEST(calls_of_any_size_and_bad_ones),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
