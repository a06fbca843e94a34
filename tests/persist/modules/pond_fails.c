/* A version whose load function gives up halfway, or, as the test program says, brings a part that
 * cannot be put in. */
#include "pond.h"

STOA_COMPONENT(Fish, { double x, y, z; });
STOA_COMPONENT(Fresh, { int32_t a; });
STOA_TAG(Hungry);

static stoa_status fresh_setup(stoa_world *world);
STOA_COMPONENT_WITH(Guarded, STOA_OPTIONS(.setup = fresh_setup), { int32_t a; });

STOA_SYSTEM(swim, .terms = {STOA_WRITE(Fish)}) {
    host_step = 99;
    return STOA_OK;
}

STOA_SYSTEM_ONCE(clash, .before = {"nobody"}) {
    return STOA_OK;
}

STOA_SYSTEM_ONCE(host_system) {
    return STOA_OK;
}

static void called(stoa_world *world, stoa_entity e, void *value, void *user) {
    (void)world, (void)e, (void)value, (void)user;
    host_hook = 99;
}

static stoa_status fresh_setup(stoa_world *world) {
    host_setup = 99;
    stoa_on_add(world, Guarded, called, NULL);
    return host_fail == 4 ? stoa_fail(STOA_REFUSED, "not set up") : STOA_OK;
}

STOA_MODULE("pond") {
    stoa_module_component(module, Fish);
    stoa_module_component(module, Fresh);
    stoa_module_component(module, Guarded);
    stoa_module_resource(module, Fresh, {1});
    stoa_module_hook(module, &(stoa_hook_desc){.type = STOA_TYPE_OF(Fish), .call = called});
    stoa_module_system(module, swim, NULL);
    if (host_fail == 1) {
        return stoa_fail(STOA_REFUSED, "no water");
    }
    if (host_fail == 2) {
        return STOA_LIMIT;
    }
    if (host_fail == 3) {
        return stoa_module_system(module, host_system, NULL);
    }
    if (host_fail == 5) {
        return stoa_module_hook(module, &(stoa_hook_desc){.type = STOA_TYPE_OF(Fresh)});
    }
    return STOA_OK;
}
