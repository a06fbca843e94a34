/* The module of the rows on reloading: bodies that move, and one system. For the limit it has a
 * function of its own. */
#include "stoa/module.h"

STOA_COMPONENT(Body, { float x, y, z; });

STOA_MODULE_EXPORT int reload_number(void);

int reload_number(void) {
    return 1;
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
