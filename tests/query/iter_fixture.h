/* What the tests of iterations and their fields share. */
#ifndef STOA_TESTS_ITER_FIXTURE_H
#define STOA_TESTS_ITER_FIXTURE_H

#include "support/support.h"

STOA_COMPONENT(Position, { float x, y; });
STOA_COMPONENT(Velocity, { float x, y; });
STOA_COMPONENT(Odd, { uint8_t bytes[7]; });
STOA_TAG(Frozen);

#define QUERY(world, ...) stoa_query_new((world), &(stoa_query_desc){.terms = {__VA_ARGS__}})

/* How a lost iteration is told: the status of a call that should have been refused. */
static inline stoa_status refused(bool something) {
    return something ? STOA_OK : stoa_last_error().status;
}

#define WITH_WORLD(test) cmocka_unit_test_setup_teardown(test, support_setup, support_teardown)

#endif
