/* The second version of the module of the rows on reloading: bodies with a member more, one that is
 * wider, and all in another order. */
#include "stoa/module.h"

STOA_COMPONENT(Body, {
    double x;
    float z, y;
    int32_t age;
});

STOA_MODULE_EXPORT int reload_number(void);

int reload_number(void) {
    return 2;
}

STOA_SYSTEM(move, .terms = {STOA_WRITE(Body)}) {
    Body *body = stoa_field_mut(it, Body, 0);
    for (int32_t i = 0; i < it->count; i++) {
        body[i].x += 1;
    }
    return STOA_OK;
}

STOA_MODULE("reload") {
    return stoa_module_system(module, move, NULL);
}
