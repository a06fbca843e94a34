/* The last error belongs to its thread, fits its buffer, and names what was wrong. */
#define _POSIX_C_SOURCE 200809L

#include "base/error.h"
#include "support/support.h"

#include <pthread.h>

static int error_clear(void **state) {
    (void)state;
    stoa_error_clear();
    return 0;
}

static void assert_last(stoa_status status, int32_t column, const char *message) {
    stoa_error error = stoa_last_error();
    assert_int_equal(error.status, status);
    assert_int_equal(error.column, column);
    assert_string_equal(error.message, message);
}

static void error_sets_status_and_message(void **state) {
    (void)state;
    assert_int_equal(stoa__error(STOA_DEAD, "entity %s is dead", "17v3"), STOA_DEAD);
    assert_last(STOA_DEAD, 0, "entity 17v3 is dead");
    assert_int_equal(stoa__error(STOA_LIMIT, "%d of them", 12), STOA_LIMIT);
    assert_last(STOA_LIMIT, 0, "12 of them");
}

static void error_at_names_its_column(void **state) {
    (void)state;
    assert_int_equal(stoa__error_at(STOA_SYNTAX, 9, "'%c' is not a name", '!'), STOA_SYNTAX);
    assert_last(STOA_SYNTAX, 9, "column 9: '!' is not a name");
    stoa__error(STOA_DEAD, "dead");
    assert_last(STOA_DEAD, 0, "dead");
}

static void error_line_names_line_and_column(void **state) {
    (void)state;
    assert_int_equal(stoa__error_line(STOA_SYNTAX, 3, 9, "'%c' is not a name", '!'), STOA_SYNTAX);
    assert_last(STOA_SYNTAX, 9, "line 3, column 9: '!' is not a name");
}

/* GEN-04 */
static void error_memory_names_what_it_was_for(void **state) {
    (void)state;
    assert_int_equal(stoa__error_memory("a chunk"), STOA_NO_MEMORY);
    assert_last(STOA_NO_MEMORY, 0, "out of memory for a chunk");
}

static void error_clear_forgets(void **state) {
    (void)state;
    stoa__error_at(STOA_SYNTAX, 3, "wrong");
    stoa_error_clear();
    assert_last(STOA_OK, 0, "");
}

static void message_may_be_made_of_the_one_before(void **state) {
    (void)state;
    stoa__error(STOA_SYNTAX, "no closing brace");
    stoa__error(STOA_LAYOUT, "component 'Position': %s", stoa_last_error().message);
    assert_last(STOA_LAYOUT, 0, "component 'Position': no closing brace");
}

static void longer_message_is_cut(void **state) {
    (void)state;
    char text[2000];
    memset(text, 'x', sizeof text);
    text[sizeof text - 1] = '\0';
    stoa__error(STOA_INVALID, "%s", text);
    size_t length = strlen(stoa_last_error().message);
    assert_int_equal(length, 511);
    assert_memory_equal(stoa_last_error().message, text, length);
    stoa__error_at(STOA_SYNTAX, INT32_MAX, "%s", text);
    assert_int_equal(strlen(stoa_last_error().message), 511);
    support_assert_message("column 2147483647: xxxx");
    stoa__error(STOA_INVALID, "short");
    assert_last(STOA_INVALID, 0, "short");
}

static void *other_thread(void *seen) {
    stoa_error fresh = stoa_last_error();
    bool ok = fresh.status == STOA_OK && fresh.column == 0 && strcmp(fresh.message, "") == 0;
    stoa__error(STOA_LIMIT, "of the other");
    ok = ok && strcmp(stoa_last_error().message, "of the other") == 0;
    *(bool *)seen = ok;
    return NULL;
}

/* GEN-03 */
static void each_thread_has_its_own_last_error(void **state) {
    (void)state;
    stoa__error_at(STOA_DEAD, 4, "of this one");
    bool seen = false;
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, other_thread, &seen), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_true(seen);
    assert_last(STOA_DEAD, 4, "column 4: of this one");
}

static void every_status_has_a_text_of_its_own(void **state) {
    (void)state;
    assert_int_equal(STOA_OK, 0);
    assert_string_equal(stoa_status_text(STOA_OK), "ok");
    assert_string_equal(stoa_status_text(STOA_DEAD), "the entity is dead");
    for (int a = 0; a < STOA_STATUS_COUNT; a++) {
        assert_true(strlen(stoa_status_text((stoa_status)a)) > 0);
        for (int b = 0; b < a; b++) {
            assert_string_not_equal(stoa_status_text((stoa_status)a),
                                    stoa_status_text((stoa_status)b));
        }
    }
}

/* GEN-05 */
static void unknown_status_has_a_text_and_is_no_misuse(void **state) {
    (void)state;
    const int unknown[] = {STOA_STATUS_COUNT, STOA_STATUS_COUNT + 1, -1, INT32_MAX, INT32_MIN};
    for (size_t i = 0; i < sizeof unknown / sizeof *unknown; i++) {
        stoa_status status;
        memcpy(&status, &unknown[i], sizeof status);
        assert_string_equal(stoa_status_text(status), "unknown status");
        assert_false(stoa__status_is_misuse(status));
    }
}

static void misuse_is_told_from_circumstance(void **state) {
    (void)state;
    assert_true(stoa__status_is_misuse(STOA_DEAD));
    assert_true(stoa__status_is_misuse(STOA_ITERATING));
    assert_true(stoa__status_is_misuse(STOA_NULL_ARGUMENT));
    assert_false(stoa__status_is_misuse(STOA_OK));
    assert_false(stoa__status_is_misuse(STOA_NO_MEMORY));
    assert_false(stoa__status_is_misuse(STOA_SYNTAX));
    assert_false(stoa__status_is_misuse(STOA_CORRUPT));
}

/* GEN-03: what is muted or cleared is no error. */
static void errors_are_counted(void **state) {
    (void)state;
    uint32_t before = stoa__error_count();
    stoa__error(STOA_DEAD, "one");
    assert_int_equal(stoa__error_count(), before + 1);
    stoa_error_clear();
    assert_int_equal(stoa__error_count(), before + 1);
    bool muted = stoa__error_mute(true);
    stoa__error(STOA_DEAD, "two");
    stoa__error_mute(muted);
    assert_int_equal(stoa__error_count(), before + 1);
    stoa__error_at(STOA_SYNTAX, 3, "three");
    assert_int_equal(stoa__error_count(), before + 2);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(error_sets_status_and_message, error_clear),
        cmocka_unit_test_setup(error_at_names_its_column, error_clear),
        cmocka_unit_test_setup(error_line_names_line_and_column, error_clear),
        cmocka_unit_test_setup(error_memory_names_what_it_was_for, error_clear),
        cmocka_unit_test_setup(error_clear_forgets, error_clear),
        cmocka_unit_test_setup(message_may_be_made_of_the_one_before, error_clear),
        cmocka_unit_test_setup(longer_message_is_cut, error_clear),
        cmocka_unit_test_setup(each_thread_has_its_own_last_error, error_clear),
        cmocka_unit_test_setup(every_status_has_a_text_of_its_own, error_clear),
        cmocka_unit_test_setup(unknown_status_has_a_text_and_is_no_misuse, error_clear),
        cmocka_unit_test_setup(misuse_is_told_from_circumstance, error_clear),
        cmocka_unit_test_setup(errors_are_counted, error_clear),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
