/* The plan: which systems run side by side, batch after batch, stage after stage.
 *
 * A pure function of the systems, their order of registration, their rules and what they declare: a
 * system is in the first batch after those of all enabled systems that it must come after. It is
 * made aside and swapped in, so a failure leaves the old one. The thread that steps the app only.
 */
#include "schedule/order.h"

/* True if nothing that is left must come before the system. */
static bool system_ready(const stoa__order *order, uint32_t i) {
    const uint64_t *before = stoa__order_row(order, order->before, i);
    for (uint32_t w = 0; w < order->words; w++) {
        if ((before[w] & order->left[w]) != 0) {
            return false;
        }
    }
    return true;
}

/* Why system i is not in an earlier batch: because of one of the batch before it, whose systems are
 * `last`. Each of those that i must come after is named by a rule or in conflict with it, since
 * whatever comes between the two is disabled. A rule says more, so it is told if there is one. */
static stoa__reason reason_find(const stoa__order *order, const stoa_world *world, uint32_t i,
                                const uint32_t *last, uint32_t last_count) {
    const stoa__system *found = NULL;
    for (uint32_t k = 0; k < last_count; k++) {
        const stoa__system *other = order->systems[last[k]];
        if (stoa__order_test(order, order->declared, i, last[k])) {
            return (stoa__reason){.kind = STOA__REASON_ORDER, .other = other};
        }
        if (found == NULL && stoa__order_test(order, order->before, i, last[k])) {
            found = other;
        }
    }
    stoa__reason reason = {.kind = STOA__REASON_NONE};
    if (found != NULL) {
        stoa__access_conflict(world, &found->access, &order->systems[i]->access, &reason.id,
                              &reason.resource);
        reason.kind = reason.id != 0 ? STOA__REASON_CONFLICT : STOA__REASON_ALONE;
        reason.other = found;
    }
    return reason;
}

/* Adds a batch of all that are ready; `last` is how many are in the one before, which `line` ends
 * with. Returns how many it has. */
static uint32_t batch_add(stoa__plan *plan, stoa__order *order, const stoa_world *world,
                          uint32_t placed, uint32_t last) {
    uint32_t *line = order->line + placed;
    uint32_t count = 0;
    for (uint32_t i = 0; i < order->count; i++) {
        if ((order->left[i >> 6] >> (i & 63) & 1) != 0 && system_ready(order, i)) {
            line[count++] = i;
        }
    }
    plan->batches[plan->batch_count++] = (stoa__batch){.first = plan->system_count, .count = count};
    for (uint32_t k = 0; k < count; k++) {
        uint32_t i = line[k];
        order->left[i >> 6] &= ~((uint64_t)1 << (i & 63));
        plan->systems[plan->system_count++] =
            (stoa__planned){order->systems[i], reason_find(order, world, i, line - last, last)};
    }
    return count;
}

static stoa_status stage_plan(stoa__plan *plan, stoa_app *app, stoa_stage stage) {
    stoa__order order;
    stoa_status status = stoa__order_init(&order, app, stage);
    if (status != STOA_OK) {
        return status;
    }
    uint32_t enabled = 0;
    for (uint32_t i = 0; i < order.count; i++) {
        if (order.systems[i]->enabled) {
            order.left[i >> 6] |= (uint64_t)1 << (i & 63);
            enabled++;
        }
    }
    stoa__plan_stage *planned = &plan->stages[plan->stage_count++];
    *planned = (stoa__plan_stage){.stage = stage, .first = plan->batch_count};
    uint32_t last = 0;
    for (uint32_t placed = 0; placed < enabled; placed += last) {
        last = batch_add(plan, &order, app->world, placed, last);
        planned->count++;
    }
    stoa__order_fini(&order, &app->heap);
    return STOA_OK;
}

/* Makes room for the most there can be. */
static bool plan_reserve(stoa__plan *plan, stoa_app *app) {
    stoa__heap *heap = &app->heap;
    uint32_t systems = app->system_count;
    uint32_t stages = app->stage_count;
    return (systems == 0 || (stoa__heap_grow(heap, &plan->systems, &plan->system_capacity, systems,
                                             sizeof *plan->systems) &&
                             stoa__heap_grow(heap, &plan->batches, &plan->batch_capacity, systems,
                                             sizeof *plan->batches))) &&
           (stages == 0 || stoa__heap_grow(heap, &plan->stages, &plan->stage_capacity, stages,
                                           sizeof *plan->stages));
}

stoa_status stoa__plan_make(stoa_app *app) {
    stoa__plan plan = {0};
    stoa_status status = STOA_OK;
    if (!plan_reserve(&plan, app)) {
        status = stoa__error_memory("the plan of an app");
    }
    for (uint32_t i = 0; i < app->stage_count && status == STOA_OK; i++) {
        status = stage_plan(&plan, app, app->stages[i].id);
    }
    if (status != STOA_OK) {
        stoa__plan_fini(&plan, &app->heap);
        return status;
    }
    stoa__plan_fini(&app->plan, &app->heap);
    app->plan = plan;
    app->planned = true;
    app->planned_components = (uint32_t)stoa_component_count(app->world);
    return STOA_OK;
}

void stoa__plan_fini(stoa__plan *plan, stoa__heap *heap) {
    stoa__heap_grow_free(heap, plan->systems, plan->system_capacity, sizeof *plan->systems);
    stoa__heap_grow_free(heap, plan->batches, plan->batch_capacity, sizeof *plan->batches);
    stoa__heap_grow_free(heap, plan->stages, plan->stage_capacity, sizeof *plan->stages);
    *plan = (stoa__plan){0};
}
