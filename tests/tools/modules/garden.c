/* A garden in which days go by. */
#include <stdio.h>

#include "garden.h"

STOA_SYSTEM(drift, .terms = {STOA_WRITE(Spot)}) {
    Spot *spot = stoa_field_mut(it, Spot, 0);
    for (int32_t i = 0; i < it->count; i++) {
        spot[i].x += 0.5f;
    }
    return STOA_OK;
}

STOA_SYSTEM_ONCE(pass_day, .resources = {STOA_WRITE(Clock)}) {
    Clock *clock = stoa_resource_mut(job->world, Clock);
    clock->days++;
    clock->ticks += 2;
    clock->part += 0.25f;
    clock->whole -= 1;
    clock->small++;
    clock->large--;
    snprintf(clock->note, sizeof clock->note, "day %d", (int)clock->days);
    return STOA_OK;
}

static stoa_status plant(stoa_app *app) {
    stoa_world *w = stoa_app_world(app);
    stoa_entity rose = stoa_create_with(w, STOA_VALUE(Spot, {1, 2}), STOA_ZERO(Red),
                                        STOA_VALUE(Label, {"rose", {1, -2, 3}}));
    stoa_entity lily = stoa_create_with(w, STOA_VALUE(Spot, {-1.5f, 0.1f}), STOA_VALUE(Awake, {7}));
    stoa_entity gone = stoa_create(w);
    stoa_entity weed = stoa_create_with(w, STOA_VALUE(Next, {rose}), STOA_VALUE(Marked, {0.125}));
    stoa_destroy(w, gone);
    stoa_name_set(w, rose, "rose");
    stoa_set_parent(w, weed, lily);
    stoa_enable(w, lily, Awake, false);
    return stoa_resource_set(w, Clock, {.note = "day 0"});
}

STOA_MODULE("garden", .scene = plant) {
    stoa_module_component(module, Label);
    stoa_module_component(module, Next);
    stoa_module_component(module, Awake);
    stoa_module_component(module, Marked);
    stoa_module_component(module, Red);
    stoa_module_component(module, Name);
    stoa_module_component(module, Parent);
    stoa_module_system(module, drift, NULL);
    stoa_module_system(module, pass_day, NULL);
    return STOA_OK;
}
