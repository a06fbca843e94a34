/* The second version: the same layout, other functions, one system gone and one new. */
#include "pond.h"

STOA_COMPONENT(Fish, { float x, y; });
STOA_COMPONENT(Wave, { int32_t height; });
STOA_TAG(Hungry);

STOA_SYSTEM(swim, .terms = {STOA_WRITE(Fish)}) {
    Fish *fish = stoa_field_mut(it, Fish, 0);
    for (int32_t i = 0; i < it->count; i++) {
        fish[i].x += 10;
    }
    host_step = 2;
    return STOA_OK;
}

STOA_SYSTEM_ONCE(eat, .after = {"swim"}) {
    return STOA_OK;
}

static void fish_added(stoa_world *world, stoa_entity e, void *value, void *user) {
    (void)world, (void)e, (void)value, (void)user;
    host_hook = 2;
}

static stoa_status fish_asked(stoa_world *world, stoa_entity e, const void *values, int32_t count,
                              void *user) {
    (void)world, (void)e, (void)values, (void)count, (void)user;
    host_veto = 2;
    return STOA_OK;
}

static void hungry_seen(stoa_world *world, stoa_entity e, void *user) {
    (void)world, (void)e, (void)user;
    host_observer = 2;
}

static void wave_heard(stoa_world *world, const stoa_event *event, void *user) {
    (void)world, (void)event, (void)user;
    host_listener = 2;
}

static stoa_status build(stoa_app *app) {
    for (int i = 0; i < 3; i++) {
        if (stoa_entity_is_null(
                stoa_create_with(stoa_app_world(app), STOA_VALUE(Fish, {(float)i, 7})))) {
            return stoa_last_error().status;
        }
    }
    return STOA_OK;
}

static void gone(stoa_app *app) {
    (void)app;
    host_unload = 2;
}

STOA_MODULE("pond", .scene = build, .unload = gone) {
    stoa_module_component(module, Fish);
    stoa_module_component(module, Hungry);
    stoa_module_hook(module, &(stoa_hook_desc){.type = STOA_TYPE_OF(Fish), .call = fish_added});
    stoa_module_veto(module, &(stoa_veto_desc){.type = STOA_TYPE_OF(Fish), .call = fish_asked});
    stoa_module_observer(module, &(stoa_observer_desc){.query = {.terms = {STOA_FILTER(Hungry)}},
                                                       .enter = hungry_seen});
    stoa_module_listener(module,
                         &(stoa_listener_desc){.type = STOA_TYPE_OF(Wave), .call = wave_heard});
    stoa_module_hook(module, &(stoa_hook_desc){.kind = STOA_ON_REMOVE,
                                               .type = STOA_TYPE_OF(Fish),
                                               .call = host_removed});
    stoa_module_resource(module, Wave, {6});
    stoa_module_system(module, swim, NULL);
    stoa_module_system(module, eat, NULL);
    return STOA_OK;
}
