/* A process apart tells its parent what it wrote, and that it did not end well. */
#include "support/apart.h"

#include <stdlib.h>

enum { END_WELL, END_CHECK, END_CRASH, END_STATUS };

typedef struct report {
    int32_t number;
    int end; /* how the process must end */
} report;

static void report_write(void *user) {
    report *shared = user;
    shared->number++;
    assert_int_not_equal(shared->end, END_CHECK);
    if (shared->end == END_CRASH) {
        abort();
    } else if (shared->end == END_STATUS) {
        exit(3);
    }
}

static void process_apart_tells_how_it_ended(void **state) {
    (void)state;
    report *shared = support_shared_new(sizeof *shared);
    for (int end = END_WELL; end <= END_STATUS; end++) {
        char message[100] = "";
        *shared = (report){.number = 40 + end, .end = end};
        assert_int_equal(support_run_apart(report_write, shared, true, message, sizeof message),
                         end == END_WELL);
        assert_int_equal(shared->number, 41 + end);
        if (end == END_WELL) {
            assert_string_equal(message, "");
        } else {
            assert_ptr_equal(strstr(message, "the process ended with status 0x"), message);
        }
    }
    support_shared_free(shared, sizeof *shared);
}

static void process_apart_leaves_the_test_as_it_is(void **state) {
    (void)state;
    report own = {.number = 1};
    char message[100] = "";
    assert_true(support_run_apart(report_write, &own, false, message, sizeof message));
    assert_int_equal(own.number, 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(process_apart_tells_how_it_ended),
        cmocka_unit_test(process_apart_leaves_the_test_as_it_is),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
