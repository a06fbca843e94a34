/* A module whose scene gives up after two entities. */
#include "pond.h"

STOA_COMPONENT(Stone, { int32_t size; });

static stoa_status build(stoa_app *app) {
    for (int i = 0; i < 2; i++) {
        (void)stoa_create_with(stoa_app_world(app), STOA_VALUE(Stone, {i}));
    }
    return host_fail == 1 ? stoa_fail(STOA_LIMIT, "no more stones") : STOA_REFUSED;
}

STOA_MODULE("stones", .scene = build) {
    return stoa_module_component(module, Stone);
}
