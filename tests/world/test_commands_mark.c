/* Taking back what was recorded since a mark. */
#include "commands_types.h"

static int owned_teardown(void **state) {
    int result = support_teardown(state);
    assert_int_equal(owned_alive, 0);
    return result;
}

/* Records a bit of everything; returns a handle given out for a creation. */
static stoa_entity lots_record(stoa_commands *c, stoa_entity e, int32_t count) {
    stoa_entity made = STOA_NULL;
    for (int32_t i = 0; i < count; i++) {
        made = stoa_commands_create_with(c, STOA_VALUE(Health, {i}), STOA_ZERO(Position));
        owned_set(c, made, i + 1);
        stoa_commands_add(c, e, Frozen);
        stoa_commands_set(c, e, Wide, {.id = i});
        stoa_commands_change(c, e, STOA_VALUE(Mood, {i}), STOA_REMOVE(Seen));
        stoa_commands_destroy(c, stoa_commands_create(c));
    }
    return made;
}

/* CMD-01 CMD-05 */
static void what_was_recorded_since_a_mark_is_taken_back(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    stoa_entity e = stoa_create(w);
    /* From nothing, inside a block of memory, and past the end of one. */
    for (int32_t before = 0; before < 3; before++) {
        for (int32_t since = 0; since < 300; since = since * 3 + 1) {
            stoa_commands *c = stoa_commands_new(w);
            assert_ptr_equal(stoa_commands_world(c), w);
            stoa_entity kept = lots_record(c, e, before);
            int32_t count = stoa_commands_count(c), alive = owned_alive;
            stoa_commands_mark mark = stoa_commands_mark_get(c);
            stoa_entity gone = lots_record(c, e, since);
            assert_int_equal(stoa_commands_rewind(c, mark), STOA_OK);
            assert_int_equal(stoa_commands_count(c), count);
            assert_int_equal(owned_alive, alive);
            assert_int_equal(stoa_check(w), STOA_OK);
            int32_t live = stoa_count(w);
            assert_int_equal(stoa_commands_flush(c), STOA_OK);
            assert_int_equal(stoa_count(w), live + before);
            assert_int_equal(stoa_alive(w, kept), before > 0);
            assert_false(stoa_alive(w, gone) && !stoa_entity_eq(gone, kept));
            assert_int_equal(stoa_has(w, e, Frozen), before > 0);
            stoa_clear(w, e);
            stoa_commands_free(c);
        }
    }
}

/* CMD-01 CMD-06 */
static void forked_buffer_gives_the_same_handles_again(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    stoa_commands *c = stoa_commands_new(w), *d = stoa_commands_new(w);
    stoa_commands *both[2] = {c, d};
    for (int round = 0; round < 3; round++) {
        assert_int_equal(stoa_commands_fork(w, both, 2), STOA_OK);
        stoa_commands_create(c);
        stoa_commands_mark mark = stoa_commands_mark_get(c);
        stoa_entity first = stoa_commands_create(c);
        for (int i = 0; i < 100; i++) {
            stoa_commands_create(c);
        }
        stoa_commands_create(d);
        assert_int_equal(stoa_commands_rewind(c, mark), STOA_OK);
        assert_true(stoa_entity_eq(stoa_commands_create(c), first));
        assert_int_equal(stoa_commands_join(w), STOA_OK);
        assert_int_equal(stoa_check(w), STOA_OK);
        assert_int_equal(stoa_commands_flush(c), STOA_OK);
        assert_int_equal(stoa_commands_flush(d), STOA_OK);
        assert_int_equal(stoa_count(w), 3 * (round + 1));
    }
}

/* CMD-01 */
static void mark_of_what_is_applied_is_refused(void **state) {
    support_world *s = *state;
    stoa_commands *c = stoa_commands_new(s->world);
    stoa_commands_create(c);
    stoa_commands_mark mark = stoa_commands_mark_get(c);
    stoa_commands_flush(c);
    support_assert_misuse(s, stoa_commands_rewind(c, mark), STOA_INVALID);
    assert_int_equal(stoa_commands_rewind(NULL, mark), STOA_NULL_ARGUMENT);
    assert_null(stoa_commands_world(NULL));
    mark = stoa_commands_mark_get(NULL);
    assert_int_equal(mark.count, 0);
    assert_int_equal(stoa_last_error().status, STOA_NULL_ARGUMENT);
}

/* CMD-01 */
static void mark_is_void_once_the_buffer_moved_on(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    stoa_entity e = stoa_create(w);
    stoa_commands *c = stoa_commands_new(w), *d = stoa_commands_new(w);
    lots_record(c, e, 2);
    lots_record(d, e, 2);
    /* Of another buffer that is filled just as far. */
    support_assert_misuse(s, stoa_commands_rewind(d, stoa_commands_mark_get(c)), STOA_INVALID);
    support_assert_misuse(s, stoa_commands_rewind(d, (stoa_commands_mark){.count = 0}),
                          STOA_INVALID);
    /* Cleared or applied, and filled again. */
    stoa_commands_mark mark = stoa_commands_mark_get(c);
    assert_int_equal(stoa_commands_clear(c), STOA_OK);
    lots_record(c, e, 3);
    support_assert_misuse(s, stoa_commands_rewind(c, mark), STOA_INVALID);
    mark = stoa_commands_mark_get(c);
    assert_int_equal(stoa_commands_flush(c), STOA_OK);
    lots_record(c, e, 4);
    support_assert_misuse(s, stoa_commands_rewind(c, mark), STOA_INVALID);
    /* Taken before a fork, and within one that is over. */
    mark = stoa_commands_mark_get(c);
    assert_int_equal(stoa_commands_fork(w, &c, 1), STOA_OK);
    lots_record(c, e, 1);
    support_assert_misuse(s, stoa_commands_rewind(c, mark), STOA_INVALID);
    mark = stoa_commands_mark_get(c);
    assert_int_equal(stoa_commands_join(w), STOA_OK);
    lots_record(c, e, 1);
    support_assert_misuse(s, stoa_commands_rewind(c, mark), STOA_INVALID);
    /* Marks that nest. */
    mark = stoa_commands_mark_get(c);
    lots_record(c, e, 1);
    stoa_commands_mark inner = stoa_commands_mark_get(c);
    lots_record(c, e, 1);
    assert_int_equal(stoa_commands_rewind(c, inner), STOA_OK);
    assert_int_equal(stoa_commands_rewind(c, mark), STOA_OK);
    support_assert_misuse(s, stoa_commands_rewind(c, inner), STOA_INVALID);
    assert_int_equal(stoa_commands_flush(c), STOA_OK);
    assert_int_equal(stoa_commands_flush(d), STOA_OK);
}

/* CMD-01 CMD-05 */
static void mark_stands_while_other_buffers_are_forked(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    stoa_entity e = stoa_create_with(w, STOA_VALUE(Health, {1}));
    stoa_commands *c = stoa_commands_new(w), *d = stoa_commands_new(w);
    stoa_commands *twice[] = {d, d};
    stoa_commands_set(c, e, Health, {2});
    stoa_commands_mark mark = stoa_commands_mark_get(c);
    for (int32_t round = 0; round < 3; round++) {
        stoa_commands_set(c, e, Health, {3});
        support_assert_misuse(s, stoa_commands_fork(w, twice, 2), STOA_INVALID);
        assert_int_equal(stoa_commands_fork(w, &d, 1), STOA_OK);
        if (round == 2) {
            (void)stoa_commands_create(d);
        }
        assert_int_equal(stoa_commands_join(w), STOA_OK);
        assert_int_equal(stoa_commands_rewind(c, mark), STOA_OK);
        assert_int_equal(stoa_commands_count(c), 1);
    }
    assert_int_equal(stoa_commands_flush(c), STOA_OK);
    assert_int_equal(stoa_get(w, e, Health)->points, 2);
    assert_int_equal(stoa_commands_flush(d), STOA_OK);
    assert_int_equal(stoa_count(w), 2);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(what_was_recorded_since_a_mark_is_taken_back, support_setup,
                                        owned_teardown),
        cmocka_unit_test_setup_teardown(forked_buffer_gives_the_same_handles_again, support_setup,
                                        owned_teardown),
        cmocka_unit_test_setup_teardown(mark_of_what_is_applied_is_refused, support_setup,
                                        owned_teardown),
        cmocka_unit_test_setup_teardown(mark_is_void_once_the_buffer_moved_on, support_setup,
                                        owned_teardown),
        cmocka_unit_test_setup_teardown(mark_stands_while_other_buffers_are_forked, support_setup,
                                        owned_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
