/* Structs inside of structs, an enum, and a system that looks at what changed. */
#include "pond.h"

STOA_ENUM(Colour, {RED, GREEN, BLUE});
STOA_COMPONENT(Point, { float x, y; });
STOA_COMPONENT(Shell, {
    Point at;
    Colour colour;
});

static stoa_query *shells, *changed;

STOA_SYSTEM(look, .terms = {STOA_CHANGED(Shell)}) {
    host_step += it->count;
    return STOA_OK;
}

STOA_SYSTEM_ONCE(count, .queries = {shells, changed}) {
    host_hook = stoa_query_count(shells);
    host_veto = 0;
    for (stoa_iter shell = stoa_query_iter(changed); stoa_iter_next(&shell);) {
        host_veto += shell.count;
    }
    return STOA_OK;
}

static stoa_stage late;

STOA_SYSTEM_ONCE(last, .stage = late) {
    host_listener++;
    return STOA_OK;
}

static stoa_status build(stoa_app *app) {
    stoa_create_with(stoa_app_world(app), STOA_VALUE(Shell, {{1, 2}, BLUE}));
    return STOA_OK;
}

STOA_MODULE("shell", .scene = build) {
    stoa_module_component(module, Colour);
    stoa_module_component(module, Point);
    stoa_module_component(module, Shell);
    stoa_module_query(module, &(stoa_query_desc){.terms = {STOA_READ(Shell)}}, &shells);
    stoa_module_query(module, &(stoa_query_desc){.terms = {STOA_CHANGED(Shell)}}, &changed);
    stoa_module_stage(module, &(stoa_stage_desc){.name = "Late", .after = "Cleanup"}, &late);
    stoa_module_system(module, look, NULL);
    stoa_module_system(module, last, NULL);
    return stoa_module_system(module, count, NULL);
}
