/* Questions about the plan, which is made first if it is out of date.
 *
 * While the app steps the plan that it runs by stands, whatever changed. */
#include "schedule/access.h"
#include "schedule/order.h"

#include <string.h>

/* What a script sees grows with the components of the world. */
static bool plan_holds(stoa_app *app) {
    if (app->stepping) {
        return true;
    }
    uint32_t components = (uint32_t)stoa_component_count(app->world);
    if (!app->planned || app->planned_components == components) {
        return app->planned;
    }
    for (uint32_t i = 0; i < app->system_count; i++) {
        if (app->systems[i]->access.script) {
            return false;
        }
    }
    app->planned_components = components;
    return true;
}

stoa_status stoa_schedule_plan(stoa_app *app) {
    if (app == NULL) {
        return stoa__error(STOA_NULL_ARGUMENT, "the app must not be null");
    }
    return plan_holds(app) ? STOA_OK : stoa_world_report(app->world, stoa__plan_make(app));
}

/* The stage in a plan that is made if need be; NULL with an error. */
static const stoa__plan_stage *stage_find(stoa_app *app, stoa_stage stage) {
    if (stoa_schedule_plan(app) != STOA_OK) {
        return NULL;
    }
    for (uint32_t i = 0; i < app->plan.stage_count; i++) {
        if (app->plan.stages[i].stage == stage) {
            return &app->plan.stages[i];
        }
    }
    stoa_world_report(app->world, stoa__error(STOA_INVALID, "there is no stage %u", stage));
    return NULL;
}

int32_t stoa_schedule_batches(stoa_app *app, stoa_stage stage) {
    const stoa__plan_stage *planned = stage_find(app, stage);
    return planned != NULL ? (int32_t)planned->count : -1;
}

stoa_system stoa_schedule_system(stoa_app *app, stoa_stage stage, int32_t batch, int32_t index) {
    const stoa__plan_stage *planned = stage_find(app, stage);
    /* What is below 0 is far too much as an unsigned number. */
    if (planned == NULL || (uint32_t)batch >= planned->count) {
        return (stoa_system){0};
    }
    const stoa__batch *b = &app->plan.batches[planned->first + (uint32_t)batch];
    if ((uint32_t)index >= b->count) {
        return (stoa_system){0};
    }
    return (stoa_system){app->plan.systems[b->first + (uint32_t)index].system->id};
}

typedef struct report {
    stoa_ambiguity *list;
    int32_t capacity;
    int32_t count;
} report;

/* Tells all that two systems conflict about; `first` is the one that runs earlier. */
static void pair_report(report *to, const stoa_world *world, const stoa__system *first,
                        const stoa__system *second) {
    stoa__dispute at = {0};
    while (stoa__access_dispute(world, &first->access, &second->access, &at)) {
        if (to->count < to->capacity) {
            to->list[to->count] = (stoa_ambiguity){{first->id}, {second->id}, at.id, at.resource};
        }
        to->count += to->count < INT32_MAX;
    }
}

static stoa_status stage_report(report *to, stoa_app *app, stoa_stage stage) {
    stoa__order order;
    stoa_status status = stoa__order_init(&order, app, stage);
    for (uint32_t i = 0; i < order.count; i++) {
        for (uint32_t j = i + 1; j < order.count; j++) {
            const stoa__system *a = order.systems[i];
            const stoa__system *b = order.systems[j];
            if (a->enabled && b->enabled && !stoa__order_test(&order, order.declared, j, i) &&
                !stoa__order_test(&order, order.declared, i, j)) {
                bool turned = stoa__order_test(&order, order.before, i, j);
                pair_report(to, app->world, turned ? b : a, turned ? a : b);
            }
        }
    }
    stoa__order_fini(&order, &app->heap);
    return status;
}

int32_t stoa_schedule_ambiguities(stoa_app *app, stoa_ambiguity *list, int32_t capacity) {
    stoa_status status = stoa_schedule_plan(app);
    if (status != STOA_OK) {
        return -1;
    }
    if (list == NULL && capacity > 0) {
        status = stoa__error(STOA_NULL_ARGUMENT, "the list of ambiguities must not be null");
    }
    report to = {list, capacity, 0};
    for (uint32_t i = 0; i < app->stage_count && status == STOA_OK; i++) {
        status = stage_report(&to, app, app->stages[i].id);
    }
    return stoa_world_report(app->world, status) == STOA_OK ? to.count : -1;
}
