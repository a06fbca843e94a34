/* Ticks by handle: every way of writing marks, no way of reading does. How ticks travel with rows
 * is in test_change_moves.c. */
#include "support/support.h"

STOA_COMPONENT(A, { int32_t value; });
STOA_COMPONENT(B, { int32_t value; });
STOA_COMPONENT_WITH(R, STOA_OPTIONS(.flags = STOA_ROW_TICKS | STOA_SWITCHABLE), { int32_t value; });
STOA_COMPONENT_WITH(S, STOA_OPTIONS(.flags = STOA_SPARSE | STOA_SWITCHABLE), { int32_t value; });
STOA_COMPONENT(Unmet, { int32_t value; });
STOA_TAG(T);
STOA_TAG_WITH(U, STOA_OPTIONS(.flags = STOA_SPARSE));

static support_world *s;
static stoa_world *w;

static int fixture_open(void **state) {
    int result = support_setup(state);
    s = *state;
    w = s->world;
    return result;
}

static int32_t sum;

static void field_raise(stoa_entity e, void *const *fields, void *user) {
    (void)e;
    (void)user;
    ++*(int32_t *)fields[0];
}

static void row_raise(void *const *fields, void *user) {
    (void)user;
    ++*(int32_t *)fields[0];
}

static void field_sum(stoa_entity e, void *const *fields, void *user) {
    (void)e;
    (void)user;
    sum += fields[0] != NULL ? *(const int32_t *)fields[0] : 0;
}

static void row_sum(void *const *fields, void *user) {
    field_sum(STOA_NULL, fields, user);
}

#define WRITES_SINGLE 17 /* that write to one entity */
#define WRITES_COLUMN 21 /* that write to a column as a whole, from WRITES_SINGLE on */
#define WRITES 25

/* Every way to write to a component that is there. */
#define WRITE(T)                                                                                   \
    static void write_##T(stoa_entity e, int which) {                                              \
        const T value = {7};                                                                       \
        stoa_component id = stoa_id(w, T);                                                         \
        stoa_query *q = stoa_query_new(w, &(stoa_query_desc){.terms = {STOA_WRITE(T)}});           \
        switch (which) {                                                                           \
        case 0:                                                                                    \
            assert_int_equal(stoa_set(w, e, T, {7}), STOA_OK);                                     \
            break;                                                                                 \
        case 1:                                                                                    \
            assert_int_equal(stoa_set_id(w, e, id, &value, sizeof value), STOA_OK);                \
            break;                                                                                 \
        case 2:                                                                                    \
            assert_int_equal(stoa_set_named(w, e, #T, &value, sizeof value), STOA_OK);             \
            break;                                                                                 \
        case 3:                                                                                    \
            assert_int_equal(stoa_set_from(w, e, T, &value), STOA_OK);                             \
            break;                                                                                 \
        case 4:                                                                                    \
            stoa_get_mut(w, e, T)->value = 7;                                                      \
            break;                                                                                 \
        case 5:                                                                                    \
            ((T *)stoa_get_mut_id(w, e, id))->value = 7;                                           \
            break;                                                                                 \
        case 6:                                                                                    \
            ((T *)stoa_get_mut_named(w, e, #T))->value = 7;                                        \
            break;                                                                                 \
        case 7:                                                                                    \
            stoa_try_get_mut(w, e, T)->value = 7;                                                  \
            break;                                                                                 \
        case 8:                                                                                    \
            ((T *)stoa_try_get_mut_id(w, e, id))->value = 7;                                       \
            break;                                                                                 \
        case 9:                                                                                    \
            stoa_with_mut(w, e, T, p) {                                                            \
                p->value = 7;                                                                      \
            }                                                                                      \
            break;                                                                                 \
        case 10:                                                                                   \
            assert_int_equal(stoa_ref_set(stoa_ref_of(w, e), T, {7}), STOA_OK);                    \
            break;                                                                                 \
        case 11:                                                                                   \
            stoa_ref_get_mut(stoa_ref_of(w, e), T)->value = 7;                                     \
            break;                                                                                 \
        case 12:                                                                                   \
            stoa_ref_try_get_mut(stoa_ref_of(w, e), T)->value = 7;                                 \
            break;                                                                                 \
        case 13:                                                                                   \
            assert_int_equal(stoa_change(w, e, STOA_VALUE(T, {7})), STOA_OK);                      \
            break;                                                                                 \
        case 14:                                                                                   \
            assert_int_equal(stoa_commands_set(stoa_deferred(w), e, T, {7}), STOA_OK);             \
            assert_int_equal(stoa_flush(w), STOA_OK);                                              \
            break;                                                                                 \
        case 15:                                                                                   \
        case 16:                                                                                   \
            for (stoa_iter it = stoa_query_iter(q); stoa_iter_next(&it);) {                        \
                for (int32_t i = 0; i < it.count; i++) {                                           \
                    if (stoa_entity_eq(it.entities[i], e)) {                                       \
                        T *p = which == 15 ? stoa_field_at_mut(&it, T, 0, i)                       \
                                           : (T *)stoa_field_at_mut_id(&it, id, 0, i);             \
                        p->value = 7;                                                              \
                    }                                                                              \
                }                                                                                  \
            }                                                                                      \
            break;                                                                                 \
        case 17:                                                                                   \
        case 18:                                                                                   \
        case 19:                                                                                   \
        case 20:                                                                                   \
            for (stoa_iter it = stoa_query_iter(q); stoa_iter_next(&it);) {                        \
                T *p = which == 17   ? stoa_field_mut(&it, T, 0)                                   \
                       : which == 18 ? (T *)stoa_field_mut_id(&it, id, 0)                          \
                       : which == 19                                                               \
                           ? (T *)stoa_field_mut_type(&it, STOA_TYPE_OF(T), 0)                     \
                           : (T *)stoa_fast_field_mut(&it, STOA_TYPE_OF(T), sizeof(T), 0);         \
                p->value = 7;                                                                      \
            }                                                                                      \
            break;                                                                                 \
        case 21:                                                                                   \
            assert_int_equal(stoa_query_each(q, field_raise, NULL), STOA_OK);                      \
            break;                                                                                 \
        case 22:                                                                                   \
            assert_int_equal(stoa_query_each_row(q, row_raise, NULL), STOA_OK);                    \
            break;                                                                                 \
        case 23:                                                                                   \
            assert_int_equal(stoa_query_set(q, T, {7}), STOA_OK);                                  \
            break;                                                                                 \
        default:                                                                                   \
            assert_int_equal(stoa_change(w, e, STOA_VALUE(T, {7}), STOA_ZERO(B)), STOA_OK);        \
            assert_int_equal(stoa_remove(w, e, B), STOA_OK);                                       \
            break;                                                                                 \
        }                                                                                          \
        assert_int_equal(stoa_query_free(q), STOA_OK);                                             \
    }

// clang-format off
WRITE(A)
WRITE(R)
WRITE(S)
// clang-format on

static stoa_entity e;
static stoa_entity mate;

/* The tick before now; what is written from here on is newer. */
static uint32_t past(void) {
    uint32_t tick = stoa_tick(w);
    assert_int_equal(stoa_tick_advance(w), tick + 1);
    return tick;
}

static void entities_make(void) {
    e = stoa_create_with(w, STOA_ZERO(A), STOA_ZERO(R), STOA_ZERO(S), STOA_ZERO(T), STOA_ZERO(U));
    mate = stoa_clone(w, e);
}

/* CHG-02 CHG-06 */
static void every_write_marks(void **state) {
    (void)state;
    entities_make();
    for (int i = 0; i < WRITES; i++) {
        uint32_t since = past();
        assert_false(stoa_changed(w, e, A, since));
        write_A(e, i);
        assert_true(stoa_changed(w, e, A, since));
        assert_false(stoa_changed(w, e, A, stoa_tick(w)));
        assert_false(stoa_added(w, e, A, since));
        assert_true(stoa_changed_id(w, e, stoa_id(w, A), since));
        since = past();
        assert_false(stoa_changed(w, e, R, since));
        write_R(e, i);
        assert_true(stoa_changed(w, e, R, since));
        assert_false(stoa_added(w, e, R, since));
        assert_false(stoa_changed(w, e, A, since));
        if (i < WRITES_SINGLE || i >= WRITES_COLUMN) {
            since = past();
            write_S(e, i);
            assert_true(stoa_changed(w, e, S, since));
            assert_false(stoa_added(w, e, S, since));
            assert_false(stoa_changed(w, e, R, since));
        }
    }
}

/* CHG-02 CHG-04: of one entity, where ticks are kept for each. */
static void writes_to_one_entity_mark_no_other(void **state) {
    (void)state;
    entities_make();
    for (int i = 0; i < WRITES; i++) {
        if (i >= WRITES_SINGLE && i < WRITES - 1) {
            continue;
        }
        uint32_t since = past();
        write_R(e, i);
        write_S(e, i);
        assert_true(stoa_changed(w, e, R, since) && stoa_changed(w, e, S, since));
        assert_false(stoa_changed(w, mate, R, since) || stoa_changed(w, mate, S, since));
        assert_false(stoa_added(w, mate, R, since) || stoa_added(w, mate, S, since));
    }
}

/* All that an entity was given after a tick is marked as both. */
static void all_added(stoa_entity entity, uint32_t since) {
    assert_true(stoa_added(w, entity, A, since) && stoa_changed(w, entity, A, since));
    assert_true(stoa_added(w, entity, R, since) && stoa_changed(w, entity, R, since));
    assert_true(stoa_added(w, entity, S, since) && stoa_changed(w, entity, S, since));
    assert_true(stoa_added(w, entity, T, since) && stoa_changed(w, entity, T, since));
    assert_true(stoa_added(w, entity, U, since) && stoa_changed(w, entity, U, since));
}

#define BUNDLE STOA_ZERO(A), STOA_VALUE(R, {1}), STOA_VALUE(S, {2}), STOA_ZERO(T), STOA_ZERO(U)

/* CHG-02 */
static void every_addition_marks(void **state) {
    (void)state;
    uint32_t since = past();
    all_added(stoa_create_with(w, BUNDLE), since);
    stoa_entity made[2];
    since = past();
    R rows[2] = {{1}, {2}};
    S sparse[2] = {{3}, {4}};
    stoa_create_bulk(w, 2, made, STOA_ZERO(A), STOA_COLUMN(R, rows), STOA_COLUMN(S, sparse),
                     STOA_ZERO(T), STOA_ZERO(U));
    all_added(made[0], since);
    all_added(made[1], since);
    since = past();
    all_added(stoa_clone(w, made[0]), since);
    since = past();
    stoa_entity entity = stoa_create(w);
    stoa_add(w, entity, A);
    stoa_add_id(w, entity, stoa_id(w, R));
    stoa_add_named(w, entity, "S");
    stoa_ref_add(stoa_ref_of(w, entity), T);
    stoa_add(w, entity, U);
    all_added(entity, since);
    since = past();
    stoa_clear(w, entity);
    assert_false(stoa_changed(w, entity, A, since) || stoa_changed(w, entity, S, since));
    stoa_change(w, entity, BUNDLE);
    all_added(entity, since);
    since = past();
    stoa_remove(w, entity, R);
    stoa_remove(w, entity, S);
    assert_false(stoa_added(w, entity, R, 0) || stoa_added(w, entity, S, 0));
    stoa_set(w, entity, R, {1});
    stoa_set(w, entity, S, {1});
    assert_true(stoa_added(w, entity, R, since) && stoa_added(w, entity, S, since));
    since = past();
    entity = stoa_commands_create_with(stoa_deferred(w), BUNDLE);
    stoa_flush(w);
    all_added(entity, since);
    since = past();
    entity = stoa_create_with(w, STOA_VALUE(B, {1}));
    stoa_query *query = stoa_query_parse(w, "B");
    assert_int_equal(stoa_query_add(query, A), STOA_OK);
    assert_int_equal(stoa_query_add(query, R), STOA_OK);
    assert_int_equal(stoa_query_set(query, S, {1}), STOA_OK);
    assert_int_equal(stoa_query_add(query, T), STOA_OK);
    assert_int_equal(stoa_query_add(query, U), STOA_OK);
    all_added(entity, since);
}

/* CHG-02: in all the forms that small bundles are made by. */
static void every_form_of_creation_marks(void **state) {
    (void)state;
    for (int i = 0; i < 3; i++) {
        uint32_t since = past();
        stoa_entity one = stoa_create_with(w, STOA_VALUE(A, {1}));
        assert_true(stoa_added(w, one, A, since) && stoa_changed(w, one, A, since));
        since = past();
        stoa_entity two = stoa_create_with(w, STOA_VALUE(B, {1}), STOA_VALUE(A, {1}));
        assert_true(stoa_added(w, two, A, since) && stoa_added(w, two, B, since));
        since = past();
        stoa_entity three =
            stoa_create_with(w, STOA_VALUE(B, {1}), STOA_VALUE(A, {1}), STOA_ZERO(T));
        assert_true(stoa_added(w, three, A, since) && stoa_changed(w, three, T, since));
        since = past();
        stoa_entity rows = stoa_create_with(w, STOA_VALUE(R, {1}));
        assert_true(stoa_added(w, rows, R, since) && stoa_changed(w, rows, R, since));
        since = past();
        stoa_entity sparse = stoa_create_with(w, STOA_VALUE(S, {1}), STOA_VALUE(B, {1}));
        assert_true(stoa_added(w, sparse, S, since) && stoa_changed(w, sparse, B, since));
        assert_false(stoa_changed(w, rows, R, since));
    }
}

/* Nothing of any entity was written or added after the tick. */
static void nothing_marked(uint32_t since) {
    for (stoa_entity at = stoa_entity_next(w, STOA_NULL); !stoa_entity_is_null(at);
         at = stoa_entity_next(w, at)) {
        for (stoa_component id = 1; (int32_t)id <= stoa_component_count(w); id++) {
            if (stoa_changed_id(w, at, id, since) || stoa_added_id(w, at, id, since)) {
                fail_msg("component %s of entity %u was marked", stoa_component_name(w, id),
                         at.index);
            }
        }
    }
}

/* Every way to read a component by handle. */
#define READ(T)                                                                                    \
    static void read_##T(void) {                                                                   \
        stoa_component id = stoa_id(w, T);                                                         \
        stoa_ref ref = stoa_ref_of(w, e);                                                          \
        assert_true(stoa_has(w, e, T) && stoa_has_id(w, e, id) && stoa_has_named(w, e, #T));       \
        assert_true(stoa_ref_has(ref, T) && stoa_enabled(w, e, T) && stoa_enabled_id(w, e, id));   \
        assert_ptr_equal(stoa_get(w, e, T), stoa_try_get(w, e, T));                                \
        assert_ptr_equal(stoa_get_id(w, e, id), stoa_try_get_id(w, e, id));                        \
        assert_ptr_equal(stoa_get_named(w, e, #T), stoa_ref_get(ref, T));                          \
        assert_non_null(stoa_ref_try_get(ref, T));                                                 \
        assert_non_null(stoa_get_type(w, e, STOA_TYPE_OF(T)));                                     \
        assert_non_null(stoa_try_type(w, e, STOA_TYPE_OF(T)));                                     \
        stoa_with(w, e, T, p) {                                                                    \
            sum += *(const char *)p;                                                               \
        }                                                                                          \
        stoa_log log = stoa_removed_since(w, T, 0);                                                \
        assert_false(stoa_log_next(&log));                                                         \
    }

READ(A)
READ(R)
READ(S)
READ(T)
READ(U)

/* Every way to read by a query, whose terms may allow writing. */
static void query_read(const stoa_query_desc *desc, stoa_type *type) {
    stoa_query *q = stoa_query_new(w, desc);
    stoa_component id = stoa_type_find(w, type);
    assert_true(stoa_query_count(q) == 2 && stoa_query_once_count(w, desc) == 2);
    assert_false(stoa_entity_is_null(stoa_query_first(q)));
    assert_true(stoa_entity_is_null(stoa_query_single(q)));
    assert_non_null(stoa_query_name(q));
    for (stoa_iter it = stoa_query_iter(q); stoa_iter_next(&it);) {
        if ((type->options.flags & STOA_SPARSE) == 0) {
            assert_non_null(stoa_field_id(&it, id, 0));
            assert_non_null(stoa_field_type(&it, type, 0));
            assert_non_null(stoa_fast_field(&it, type, sizeof(A), 0));
        }
        assert_non_null(stoa_field_at_id(&it, id, 0, 0));
        assert_non_null(stoa_field_at_type(&it, type, 0, it.count - 1));
    }
    for (stoa_iter it = stoa_query_once(w, desc); stoa_iter_next(&it);) {
        assert_non_null(stoa_field_at_id(&it, id, 0, 0));
    }
    for (stoa_iter it = stoa_query_iter_since(q, 0); stoa_iter_next(&it);) {
        assert_non_null(stoa_field_at_id(&it, id, 0, 0));
    }
    assert_int_equal(stoa_query_free(q), STOA_OK);
}

/* CHG-02 */
static void no_look_at_a_component_marks(void **state) {
    (void)state;
    entities_make();
    uint32_t since = past();
    read_A();
    read_R();
    read_S();
    read_T();
    read_U();
    assert_false(stoa_has(w, e, Unmet));
    assert_null(stoa_try_get(w, e, Unmet));
    nothing_marked(since);
}

/* CHG-02: terms that write mark when their field is asked for, and not before. */
static void no_query_that_reads_marks(void **state) {
    (void)state;
    entities_make();
    uint32_t since = past();
    stoa_type *const types[] = {STOA_TYPE_OF(A), STOA_TYPE_OF(R), STOA_TYPE_OF(S)};
    static const stoa_access accesses[] = {STOA_ACCESS_READ,     STOA_ACCESS_WRITE,
                                           STOA_ACCESS_OPTIONAL, STOA_ACCESS_OPTIONAL_WRITE,
                                           STOA_ACCESS_ANY,      STOA_ACCESS_ANY_WRITE};
    for (int i = 0; i < 3; i++) {
        for (int k = 0; k < 6; k++) {
            query_read(&(stoa_query_desc){.terms = {{types[i], 0, accesses[k], 0}, STOA_READ(T)}},
                       types[i]);
        }
        stoa_query *q =
            stoa_query_new(w, &(stoa_query_desc){.terms = {{types[i], 0, STOA_ACCESS_READ, 0}}});
        assert_int_equal(stoa_query_each(q, field_sum, NULL), STOA_OK);
        assert_int_equal(stoa_query_each_row(q, row_sum, NULL), STOA_OK);
    }
    stoa_query *filters = stoa_query_parse(w, "with T, changed A, added R, !B");
    for (stoa_iter it = stoa_query_iter(filters); stoa_iter_next(&it);) {
        sum += it.count;
    }
    nothing_marked(since);
}

/* CHG-02 */
static void no_look_at_the_storage_marks(void **state) {
    (void)state;
    entities_make();
    stoa_reserve(w, 10, STOA_ZERO(A));
    uint32_t since = past();
    int32_t archetype = stoa_archetype_of(w, e);
    stoa_archetype_info info;
    stoa_chunk_info chunk;
    stoa_sparse_info sparse;
    assert_int_equal(stoa_archetype_info_get(w, archetype, &info), STOA_OK);
    assert_int_equal(stoa_chunk_info_get(w, archetype, 0, &chunk), STOA_OK);
    assert_non_null(stoa_chunk_column(w, archetype, 0, stoa_id(w, A)));
    assert_int_equal(stoa_sparse_info_get(w, stoa_id(w, S), &sparse), STOA_OK);
    assert_true(stoa_stats(w).entities == 2 && stoa_count(w) == 2);
    assert_true(stoa_hash(w) != 0 && stoa_check(w) == STOA_OK);
    assert_int_equal(stoa_compact(w), STOA_OK);
    assert_int_equal(stoa_reserve(w, 3000, BUNDLE), STOA_OK);
    assert_int_equal(stoa_compact(w), STOA_OK);
    nothing_marked(since);
}

/* CHG-02 GEN-03 */
static void calls_that_do_nothing_or_fail_do_not_mark(void **state) {
    (void)state;
    entities_make();
    uint32_t since = past();
    stoa_add(w, e, A);
    stoa_add(w, e, R);
    stoa_add(w, e, S);
    stoa_remove(w, e, B);
    stoa_set_id(w, e, stoa_id(w, A), &(A){1}, 1);
    stoa_change(w, e, STOA_VALUE(A, {1}), STOA_VALUE(A, {1}));
    assert_null(stoa_try_get_mut(w, e, B));
    assert_null(stoa_get_mut(w, e, B));
    stoa_query *q = stoa_query_parse(w, "const A, const R, const S");
    for (stoa_iter it = stoa_query_iter(q); stoa_iter_next(&it);) {
        assert_null(stoa_field_mut(&it, A, 0));
        assert_null(stoa_field_mut_id(&it, stoa_id(w, R), 1));
        assert_null(stoa_field_at_mut(&it, S, 2, 0));
        assert_null(stoa_field_at_mut(&it, A, 0, 0));
    }
    s->heap.fail_at = 1;
    s->heap.fail_forever = true;
    assert_int_equal(stoa_change(w, e, STOA_VALUE(A, {1}), STOA_ZERO(Unmet)), STOA_NO_MEMORY);
    s->heap.fail_at = 0;
    nothing_marked(since);
}

/* CHG-01 CHG-06 GEN-05 */
static void questions_about_nothing_are_answered_no(void **state) {
    (void)state;
    stoa_entity dead = stoa_create_with(w, STOA_ZERO(A));
    stoa_destroy(w, dead);
    stoa_entity bare = stoa_create(w);
    uint32_t old = stoa_tick(w) - 100;
    assert_false(stoa_changed(w, dead, A, old) || stoa_added(w, dead, A, old));
    assert_false(stoa_changed(w, bare, A, old) || stoa_added(w, bare, A, old));
    assert_false(stoa_changed(w, bare, Unmet, old) || stoa_added(w, bare, Unmet, old));
    assert_false(stoa_changed_id(w, bare, 0, old) || stoa_added_id(w, bare, 1000, old));
    assert_false(stoa_changed(NULL, bare, A, old) || stoa_added_id(NULL, bare, 1, old));
    assert_false(stoa_changed_type(w, bare, NULL, old) || stoa_added_type(w, bare, NULL, old));
    support_assert_quiet(s);
    assert_int_equal(stoa_tick(NULL), 0);
    assert_int_equal(stoa_tick_advance(NULL), 0);
    assert_int_equal(stoa_last_error().status, STOA_NULL_ARGUMENT);
}

#define test(name) cmocka_unit_test_setup_teardown(name, fixture_open, support_teardown)

int main(void) {
    const struct CMUnitTest tests[] = {
        test(every_write_marks),
        test(writes_to_one_entity_mark_no_other),
        test(every_addition_marks),
        test(every_form_of_creation_marks),
        test(no_look_at_a_component_marks),
        test(no_query_that_reads_marks),
        test(no_look_at_the_storage_marks),
        test(calls_that_do_nothing_or_fail_do_not_mark),
        test(questions_about_nothing_are_answered_no),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
