/* A module that goes past its load function: a scene that adds hooks, systems, printers and prefabs
 * to the app itself. */
#include "pond.h"

#include "stoa/prefab.h"
#include "stoa/print.h"

STOA_COMPONENT(Eel, { int32_t length; });

static void eel_added(stoa_world *world, stoa_entity e, void *value, void *user) {
    (void)world, (void)e, (void)value, (void)user;
    host_hook++;
}

static void eel_seen(stoa_world *world, stoa_entity e, void *user) {
    (void)world, (void)e, (void)user;
    host_observer++;
}

static void eel_heard(stoa_world *world, const stoa_event *event, void *user) {
    (void)world, (void)event, (void)user;
    host_listener++;
}

static size_t eel_print(const stoa_world *world, const void *value, char *buffer, size_t size,
                        void *user) {
    (void)world, (void)value, (void)buffer, (void)size, (void)user;
    host_veto++;
    return 0;
}

static void app_gone(void *user) {
    (void)user;
    host_fail = 77;
}

STOA_SYSTEM_ONCE(sneak) {
    stoa_commands_create_with(job->commands, STOA_VALUE(Eel, {1}));
    host_step++;
    return STOA_OK;
}

static stoa_app_watcher watcher = {.freed = app_gone};

static stoa_status build(stoa_app *app) {
    stoa_world *world = stoa_app_world(app);
    stoa_on_add(world, Eel, eel_added, NULL);
    stoa_observe(world,
                 &(stoa_observer_desc){.query = {.terms = {STOA_READ(Eel)}}, .enter = eel_seen});
    stoa_event_listen(world, Eel, eel_heard, NULL);
    stoa_printer_set(world, &(stoa_printer_desc){.type = STOA_TYPE_OF(Eel), .call = eel_print});
    stoa_prefab *prefab = stoa_prefab_new(world, &(stoa_prefab_desc){.name = "eel"});
    stoa_prefab_set(prefab, Eel, {9});
    stoa_app_watch(app, &watcher);
    stoa_commands_create_with(stoa_deferred(world), STOA_VALUE(Eel, {3}));
    return stoa_system_add(app, sneak, NULL).id != 0 ? STOA_OK : stoa_last_error().status;
}

STOA_MODULE("sneaky", .scene = build) {
    return stoa_module_component(module, Eel);
}
