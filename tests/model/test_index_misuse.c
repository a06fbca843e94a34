/* Indexes: names, lifetimes, walks that must not go on, and every refusal. */
#include "index_fixture.h"

STOA_COMPONENT(Mixed, {
    int32_t numbers[2];
    Cell cell;
    void *pointer;
    const char *text;
    char letters[4];
    stoa_entity other;
});
STOA_COMPONENT_WITH(Raw, STOA_OPTIONS(.name = "raw"), { void *pointer; });

typedef struct Opaque {
    int32_t secret;
} Opaque;
STOA_TYPE(Opaque);

static stoa_index *mixed_index(support_world *s, const char *field, bool ordered) {
    (void)stoa_id(s->world, Cell);
    return stoa_index_new(
        s->world,
        &(stoa_index_desc){.type = STOA_TYPE_OF(Mixed), .field = field, .ordered = ordered});
}

/* The path is refused so, with the column of the mistake. */
static void path_refused(support_world *s, const char *field, stoa_status status, int32_t column) {
    stoa_statistics before = stoa_stats(s->world);
    stoa_error_clear();
    assert_null(mixed_index(s, field, false));
    assert_int_equal(stoa_last_error().status, status);
    assert_int_equal(stoa_last_error().column, column);
    assert_int_equal(stoa_stats(s->world).queries, before.queries);
    assert_null(stoa_index_next(s->world, NULL));
}

/* IDX-01 GEN-05 */
static void path_that_leads_nowhere_is_refused(void **state) {
    support_world *s = *state;
    path_refused(s, "", STOA_SYNTAX, 1);
    path_refused(s, "wrong", STOA_NOT_FOUND, 1);
    path_refused(s, "number", STOA_NOT_FOUND, 1);
    path_refused(s, "numbersx", STOA_NOT_FOUND, 1);
    path_refused(s, "cell.", STOA_SYNTAX, 6);
    path_refused(s, "cell.z", STOA_NOT_FOUND, 6);
    path_refused(s, "cell..x", STOA_SYNTAX, 6);
    path_refused(s, "cell[0]", STOA_INVALID, 5);
    path_refused(s, "numbers[2]", STOA_INVALID, 9);
    path_refused(s, "numbers[99999999999999999999]", STOA_INVALID, 9);
    path_refused(s, "numbers[-1]", STOA_SYNTAX, 9);
    path_refused(s, "numbers[]", STOA_SYNTAX, 9);
    path_refused(s, "numbers[0", STOA_SYNTAX, 10);
    path_refused(s, "numbers[0][0]", STOA_SYNTAX, 11);
    path_refused(s, "numbers[0].x", STOA_INVALID, 11);
    path_refused(s, "numbers.x", STOA_INVALID, 8);
    path_refused(s, "cell x", STOA_SYNTAX, 5);
    path_refused(s, " cell", STOA_SYNTAX, 1);
    path_refused(s, "pointer", STOA_INVALID, 0);
    assert_int_equal(stoa_check(s->world), STOA_OK);
}

static void kind_refused(support_world *s, stoa_type *type, const char *message) {
    assert_null(stoa_index_new(s->world, &(stoa_index_desc){.type = type}));
    support_assert_misuse(s, stoa_last_error().status, STOA_INVALID);
    support_assert_message(message);
}

/* IDX-01 GEN-05 */
static void component_that_is_no_key_is_refused(void **state) {
    support_world *s = *state;
    kind_refused(s, STOA_TYPE_OF(Frozen), "no data");
    kind_refused(s, STOA_TYPE_OF(Opaque), "not described");
    kind_refused(s, STOA_TYPE_OF(Raw), "is a pointer");
    assert_null(stoa_index_new(s->world, &(stoa_index_desc){.component = 4711}));
    support_assert_misuse(s, stoa_last_error().status, STOA_UNKNOWN);
    assert_null(stoa_index_new(s->world, &(stoa_index_desc){.name = "none"}));
    support_assert_misuse(s, stoa_last_error().status, STOA_UNKNOWN);
}

/* IDX-01 */
static void order_of_what_is_no_number_is_refused(void **state) {
    support_world *s = *state;
    static const char *const fields[] = {"numbers", "cell", "text", "letters", "other"};
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
        assert_null(mixed_index(s, fields[i], true));
        support_assert_misuse(s, stoa_last_error().status, STOA_INVALID);
        support_assert_message("cannot be ordered");
    }
    stoa_index *index = mixed_index(s, "cell.x", false);
    int32_t key = 0;
    expect_none(stoa_index_range(index, &key, &key));
    support_assert_misuse(s, stoa_last_error().status, STOA_INVALID);
    support_assert_message("not ordered");
    expect_entity(stoa_index_nearest(index, &key), STOA_NULL);
    support_assert_misuse(s, stoa_last_error().status, STOA_INVALID);
}

/* GEN-05 */
static void null_arguments_are_told(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    stoa_index *index = stoa_index_ordered_on(w, Unit, team);
    stoa_query *query = stoa_query_new(w, &(stoa_query_desc){.terms = {STOA_READ(Unit)}});
    stoa_index_info info;
    int32_t key = 1;
    assert_null(stoa_index_new(NULL, NULL));
    assert_int_equal(stoa_last_error().status, STOA_NULL_ARGUMENT);
    assert_null(stoa_index_new(w, NULL));
    support_assert_misuse(s, stoa_last_error().status, STOA_NULL_ARGUMENT);
    expect_none(stoa_index_find(index, NULL));
    support_assert_misuse(s, stoa_last_error().status, STOA_NULL_ARGUMENT);
    stoa_error_clear();
    expect_none(stoa_index_find(NULL, &key));
    assert_int_equal(stoa_last_error().status, STOA_NULL_ARGUMENT);
    expect_none(stoa_index_range(NULL, &key, &key));
    expect_entity(stoa_index_first(NULL, &key), STOA_NULL);
    expect_entity(stoa_index_nearest(NULL, &key), STOA_NULL);
    expect_entity(stoa_index_nearest(index, NULL), STOA_NULL);
    support_assert_misuse(s, stoa_last_error().status, STOA_NULL_ARGUMENT);
    assert_int_equal(stoa_index_count(NULL, &key), 0);
    assert_int_equal(stoa_index_info_get(NULL, &info), STOA_NULL_ARGUMENT);
    support_assert_misuse(s, stoa_index_info_get(index, NULL), STOA_NULL_ARGUMENT);
    assert_int_equal(stoa_index_free(NULL), STOA_OK);
    assert_null(stoa_index_by_name(w, NULL));
    assert_null(stoa_index_by_name(NULL, "x"));
    assert_null(stoa_index_next(NULL, NULL));
    assert_false(stoa_query_matches(NULL, STOA_NULL));
    assert_int_equal(stoa_query_each_found(NULL, stoa_index_find(index, &key), NULL, NULL),
                     STOA_NULL_ARGUMENT);
    support_assert_misuse(s, stoa_query_each_found(query, stoa_index_find(index, &key), NULL, NULL),
                          STOA_NULL_ARGUMENT);
}

/* IDX-01 NAM-02 */
static void index_is_found_by_its_name(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    assert_null(stoa_index_by_name(w, "teams"));
    stoa_index_desc desc = {.type = STOA_TYPE_OF(Unit), .field = "team", .name = "teams"};
    stoa_index *teams = stoa_index_new(w, &desc);
    assert_ptr_equal(stoa_index_by_name(w, "teams"), teams);
    assert_null(stoa_index_new(w, &desc));
    assert_int_equal(stoa_last_error().status, STOA_TAKEN);
    desc.name = "";
    assert_null(stoa_index_new(w, &desc));
    support_assert_misuse(s, stoa_last_error().status, STOA_INVALID);
    /* Names that are made need not be the only ones. */
    stoa_index *first = stoa_index_on(w, Unit, team), *second = stoa_index_on(w, Unit, team);
    stoa_index *whole = stoa_index_new(w, &(stoa_index_desc){.type = STOA_TYPE_OF(Unit)});
    assert_ptr_equal(stoa_index_by_name(w, "Unit.team"), first);
    assert_ptr_equal(stoa_index_by_name(w, "Unit"), whole);
    assert_ptr_equal(stoa_index_next(w, NULL), teams);
    assert_ptr_equal(stoa_index_next(w, teams), first);
    assert_int_equal(stoa_index_free(first), STOA_OK);
    assert_ptr_equal(stoa_index_by_name(w, "Unit.team"), second);
    assert_ptr_equal(stoa_index_next(w, teams), second);
    assert_int_equal(stoa_index_free(teams), STOA_OK);
    assert_null(stoa_index_by_name(w, "teams"));
    assert_int_equal(stoa_index_free(whole), STOA_OK);
    assert_null(stoa_index_next(w, second));
}

/* IDX-01 */
static void walk_ends_when_the_index_has_changed(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    for (int ordered = 0; ordered < 2; ordered++) {
        stoa_index *index = stoa_index_new(w, &(stoa_index_desc){.type = STOA_TYPE_OF(Rank),
                                                                 .field = "team",
                                                                 .ordered = ordered == 1});
        stoa_entity a = stoa_create_with(w, STOA_VALUE(Rank, {1, 1}));
        stoa_create_with(w, STOA_VALUE(Rank, {1, 1}));
        int32_t key = 1;
        stoa_found f = stoa_index_find(index, &key);
        assert_true(stoa_found_next(&f));
        /* What changes no value changes nothing. */
        assert_int_equal(stoa_set(w, a, Rank, {1, 5}), STOA_OK);
        assert_int_equal(stoa_set(w, a, Unit, {1, 5}), STOA_OK);
        assert_true(stoa_found_next(&f));
        assert_false(stoa_found_next(&f));
        f = stoa_index_find(index, &key);
        assert_true(stoa_found_next(&f));
        assert_int_equal(stoa_destroy(w, f.entity), STOA_OK);
        support_assert_quiet(s);
        assert_false(stoa_found_next(&f));
        support_assert_misuse(s, stoa_last_error().status, STOA_INVALID);
        support_assert_message("has changed");
        assert_false(stoa_found_next(&f));
        /* After the last one nothing is wrong. */
        f = stoa_index_find(index, &key);
        assert_true(stoa_found_next(&f));
        assert_int_equal(stoa_destroy(w, f.entity), STOA_OK);
        assert_false(stoa_found_next(&f));
        support_assert_quiet(s);
        assert_int_equal(stoa_index_free(index), STOA_OK);
    }
}

typedef struct hook_seen {
    stoa_index *index;
    stoa_index *made;
    int32_t found;
    stoa_status freed;
} hook_seen;

static void look_up(stoa_world *w, stoa_entity e, void *value, void *user) {
    hook_seen *seen = user;
    int32_t key = 1;
    (void)e;
    (void)value;
    seen->found = stoa_index_count(seen->index, &key);
    seen->made = stoa_index_on(w, Rank, speed);
}

static void index_freed(stoa_world *w, stoa_entity e, void *value, void *user) {
    hook_seen *seen = user;
    (void)w;
    (void)e;
    (void)value;
    if (seen->index != NULL) {
        seen->freed = stoa_index_free(seen->index);
        seen->index = NULL;
    }
}

/* IDX-01 HOK-04 */
static void look_up_in_a_hook_sees_what_hooks_told(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    hook_seen seen = {.index = stoa_index_on(w, Unit, team)};
    stoa_entity a = stoa_create_with(w, STOA_VALUE(Unit, {1, 1}));
    stoa_hook hook = stoa_on_remove(w, Unit, look_up, &seen);
    /* The index was told before, and must not learn of the value again, though it is there. */
    stoa_get_mut(w, a, Unit)->speed = 4;
    assert_int_equal(stoa_remove(w, a, Unit), STOA_OK);
    assert_int_equal(seen.found, 0);
    assert_null(seen.made);
    support_assert_misuse(s, stoa_last_error().status, STOA_LOCKED);
    assert_int_equal(stoa_check(w), STOA_OK);
    stoa_hook_remove(w, hook);
    /* One that is freed by a hook is not told of the change that is under way. */
    stoa_on_set(w, Loose, index_freed, &seen);
    hook_seen other = {.index = stoa_index_on(w, Loose, team)};
    stoa_index *after = other.index;
    stoa_on_set(w, Loose, index_freed, &other);
    stoa_set(w, a, Loose, {1, 1});
    assert_int_equal(other.freed, STOA_OK);
    assert_null(other.index);
    assert_ptr_not_equal(stoa_index_next(w, NULL), after);
}

static void world_ends(stoa_world *w, stoa_entity e, void *value, void *user) {
    hook_seen *seen = user;
    int32_t key = 1;
    (void)w;
    (void)e;
    (void)value;
    seen->found += stoa_index_count(seen->index, &key) + 1;
}

/* IDX-01 QRY-10 */
static void world_that_ends_has_nothing_to_find(void **state) {
    (void)state;
    support_world s;
    support_world_open(&s);
    hook_seen seen = {.index = stoa_index_on(s.world, Rank, team)};
    stoa_on_remove(s.world, Rank, world_ends, &seen);
    stoa_create_with(s.world, STOA_VALUE(Rank, {1, 1}));
    stoa_create_with(s.world, STOA_VALUE(Rank, {1, 1}));
    support_world_close(&s);
    assert_int_equal(seen.found, 2);
}

/* IDX-01 */
static void indexes_come_and_go_only_while_no_threads_work(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    stoa_index *index = stoa_index_on(w, Rank, team);
    stoa_entity a = stoa_create_with(w, STOA_VALUE(Rank, {1, 1}));
    stoa_commands *buffer = stoa_commands_new(w);
    assert_int_equal(stoa_commands_fork(w, &buffer, 1), STOA_OK);
    assert_null(stoa_index_on(w, Rank, speed));
    support_assert_misuse(s, stoa_last_error().status, STOA_FORKED);
    support_assert_misuse(s, stoa_index_free(index), STOA_FORKED);
    expect_found(stoa_index_find(index, STOA_KEY(int32_t, 1)), a);
    assert_int_equal(stoa_commands_join(w), STOA_OK);
    /* In an iteration they may be made: nothing of the structure changes. */
    stoa_query *q = stoa_query_new(w, &(stoa_query_desc){.terms = {STOA_WRITE(Unit)}});
    stoa_set(w, a, Unit, {3, 3});
    stoa_index *made = NULL;
    for (stoa_iter it = stoa_query_iter(q); stoa_iter_next(&it);) {
        Unit *units = stoa_field_mut(&it, Unit, 0);
        made = stoa_index_on(w, Unit, team);
        units[0].team = 9;
    }
    expect_found(stoa_index_find(made, STOA_KEY(int32_t, 9)), a);
    assert_int_equal(stoa_index_free(index), STOA_OK);
}

int main(void) {
    const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, support_setup, support_teardown)
        TEST(path_that_leads_nowhere_is_refused),
        TEST(component_that_is_no_key_is_refused),
        TEST(order_of_what_is_no_number_is_refused),
        TEST(null_arguments_are_told),
        TEST(index_is_found_by_its_name),
        TEST(walk_ends_when_the_index_has_changed),
        TEST(look_up_in_a_hook_sees_what_hooks_told),
        TEST(world_that_ends_has_nothing_to_find),
        TEST(indexes_come_and_go_only_while_no_threads_work),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
