/* The third version: another layout of fish, and of waves; members renamed, added, widened. */
#include "pond.h"

#include "stoa/persist.h"

static const stoa_alias fish_aliases[] = {{"y", "depth"}, {NULL, NULL}};
static const struct {
    double x;
    int32_t age;
    float depth, z;
} fish_defaults = {.age = 3, .z = 9};
static const stoa_persist fish_persist = {.fields = fish_aliases, .defaults = &fish_defaults};

STOA_COMPONENT_WITH(Fish, STOA_OPTIONS(.persist = &fish_persist), {
    double x;
    int32_t age;
    float depth, z;
});
STOA_COMPONENT(Wave, { int64_t height, length; });
STOA_TAG(Hungry);

STOA_SYSTEM(swim, .terms = {STOA_WRITE(Fish)}) {
    Fish *fish = stoa_field_mut(it, Fish, 0);
    for (int32_t i = 0; i < it->count; i++) {
        fish[i].x += 100;
    }
    host_step = 3;
    return STOA_OK;
}

STOA_MODULE("pond") {
    stoa_module_component(module, Wave);
    stoa_module_component(module, Hungry);
    return stoa_module_system(module, swim, NULL);
}
