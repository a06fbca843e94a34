/* A module for 22_hot_reload.c. It is compiled twice, as a programmer would who changed it in
 * between: GARDEN is the version. */
#include "stoa.h"

#if GARDEN == 1
STOA_COMPONENT(Plant, { float height; });
#else
/* Now of double precision, and with a number of leaves. */
STOA_COMPONENT(Plant, {
    int32_t leaves;
    double height;
});
#endif

STOA_SYSTEM(grow, .terms = {STOA_WRITE(Plant)}) {
    Plant *plants = stoa_field_mut(it, Plant, 0);
    for (int32_t i = 0; i < it->count; i++) {
#if GARDEN == 1
        plants[i].height += 1;
#else
        plants[i].height += 10;
        plants[i].leaves += 2;
#endif
    }
    return STOA_OK;
}

static stoa_status build(stoa_app *app) {
    stoa_world *world = stoa_app_world(app);
    stoa_create_with(world, STOA_VALUE(Plant, {.height = 1}));
    stoa_create_with(world, STOA_VALUE(Plant, {.height = 5}));
    return STOA_OK;
}

STOA_MODULE("garden", .scene = build) {
    return stoa_module_system(module, grow, NULL);
}
