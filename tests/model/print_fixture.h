/* What the tests of printing share: described types of every kind, and a buffer to print to. */
#ifndef STOA_TESTS_PRINT_FIXTURE_H
#define STOA_TESTS_PRINT_FIXTURE_H

#include "support/support.h"

STOA_COMPONENT(Position, { float x, y; });
STOA_COMPONENT(Health, { int32_t points; });
STOA_ENUM(Team, {RED, GREEN = 5, BLUE, CRIMSON = 0});
STOA_TAG(Frozen);

static char print_text[8192];

/* The text of a call that takes a buffer and a size last: whole, and told so. */
#define PRINTED(function, ...) printed_whole(function(__VA_ARGS__, print_text, sizeof print_text))

static inline const char *printed_whole(size_t length) {
    assert_true(length < sizeof print_text);
    assert_int_equal(strlen(print_text), length);
    return print_text;
}

/* A component made at run time. */
static inline stoa_component print_type(stoa_world *w, const char *name, const char *fields) {
    stoa_component id =
        stoa_component_register(w, &(stoa_component_desc){.name = name, .fields = fields});
    assert_int_not_equal(id, 0);
    return id;
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, support_setup, support_teardown)

#endif
