/* What the tests of resources share: types, among them one that owns memory, and a world at whose
 * end nothing of that is left. */
#ifndef STOA_TESTS_RESOURCE_FIXTURE_H
#define STOA_TESTS_RESOURCE_FIXTURE_H

#include <stdlib.h>

#include "support/support.h"

STOA_COMPONENT(Time, { double now; });
STOA_COMPONENT(Gravity, { float x, y, z; });
STOA_COMPONENT(Unheard, { int32_t value; });

static int boxes;     /* values that own memory and live */
static int box_drops; /* how many were dropped */
static int box_last;  /* the number of the one dropped last */

static inline void box_drop(void *items, int32_t count, void *user) {
    (void)user;
    for (int32_t i = 0; i < count; i++) {
        int **box = &((int **)items)[i];
        box_last = **box;
        free(*box);
        *box = NULL;
        boxes--;
        box_drops++;
    }
}

STOA_COMPONENT_WITH(Box, STOA_OPTIONS(.hooks = {.drop = box_drop}), { int *number; });

static inline Box box_of(int number) {
    Box box = {malloc(sizeof(int))};
    assert_non_null(box.number);
    *box.number = number;
    boxes++;
    return box;
}

static inline stoa_status box_set(stoa_world *world, int number) {
    Box box = box_of(number);
    return stoa_resource_set_from(world, Box, &box);
}

static inline stoa_status status_of(const void *found) {
    return found == NULL ? stoa_last_error().status : STOA_OK;
}

static inline int boxes_setup(void **state) {
    boxes = box_drops = box_last = 0;
    return support_setup(state);
}

static inline int boxes_teardown(void **state) {
    int result = support_teardown(state);
    assert_int_equal(boxes, 0);
    return result;
}

#define WITH_WORLD(test) cmocka_unit_test_setup_teardown(test, boxes_setup, boxes_teardown)

#endif
