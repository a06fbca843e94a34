/* Frames: going through the stages, fixed steps, and the time.
 *
 * Stages that run in fixed steps and stand next to each other are repeated together, once for each
 * step that is due. How many are due follows from the times given, so a run can be repeated. */
#include "schedule/pool.h"
#include "schedule/timing.h"
#include "schedule/work.h"

#include "os/clock.h"
#include "stoa/extension.h"

#include <math.h>

/* Ticks after which those of systems that have not run for long are looked at, before they could
 * grow so old that they look new. None is made newer than a change can be that it must see: the
 * world lets those grow as old as 0x60000000. */
#define SWEEP_EVERY 0x08000000u
#define TICK_AGE 0x70000000u

/* Nanoseconds between two frames, at most: some years. */
#define PERIOD_MAX 1e17

/* Tells systems what time it is. */
static stoa_status time_tell(stoa_app *app, double delta, double elapsed, uint64_t steps) {
    stoa_time now = {delta, elapsed, app->fixed_step, app->ahead, app->frame, steps};
    stoa_time *time = stoa_resource_try_mut(app->world, stoa_time);
    app->delta = delta;
    app->turn++;
    if (time == NULL) {
        return stoa_resource_set_type(app->world, STOA_TYPE_OF(stoa_time), &now);
    }
    *time = now;
    return STOA_OK;
}

static stoa_status stage_run(stoa_app *app, const stoa__plan_stage *stage) {
    stoa_status status = STOA_OK;
    stoa__timings_stage_begin(app, stage->stage);
    for (uint32_t i = 0; i < stage->count && status == STOA_OK; i++) {
        status = stoa__work_run(app->work, &app->plan.batches[stage->first + i], i);
    }
    stoa__timings_stage_end(app);
    return status;
}

static bool stage_fixed(const stoa_app *app, const stoa__plan_stage *stage) {
    const stoa__stage *found = stoa__stage_of(app, stage->stage);
    return app->fixed_step > 0 && found != NULL && found->fixed;
}

/* Runs stages `first` to `end - 1` of the plan once for each step that is due. */
static stoa_status steps_run(stoa_app *app, uint32_t first, uint32_t end, uint32_t due) {
    stoa_status status = STOA_OK;
    for (uint32_t step = 0; step < due && status == STOA_OK; step++) {
        uint64_t before = app->steps + step;
        status = time_tell(app, app->fixed_step, (double)(before + 1) * app->fixed_step, before);
        for (uint32_t i = first; i < end && status == STOA_OK; i++) {
            status = stage_run(app, &app->plan.stages[i]);
        }
    }
    return status;
}

/* How many fixed steps are due; what is beyond the bound is lost. */
static uint32_t steps_due(stoa_app *app, double delta) {
    if (app->fixed_step <= 0) {
        return 0;
    }
    app->ahead += delta;
    double whole = floor(app->ahead / app->fixed_step);
    if (whole > app->step_max) {
        app->ahead = fmod(app->ahead, app->fixed_step);
        return (uint32_t)app->step_max;
    }
    app->ahead -= whole * app->fixed_step;
    app->ahead = app->ahead > 0 ? app->ahead : 0;
    return (uint32_t)whole;
}

/* Runs the stages of a frame. */
static stoa_status frame_run(stoa_app *app, double delta, uint32_t due) {
    const stoa__plan *plan = &app->plan;
    stoa_status status = time_tell(app, delta, app->elapsed, app->steps);
    for (uint32_t i = 0; i < plan->stage_count && status == STOA_OK;) {
        if (!stage_fixed(app, &plan->stages[i])) {
            bool skip = plan->stages[i].stage == STOA_STARTUP && app->started;
            status = skip ? STOA_OK : stage_run(app, &plan->stages[i]);
            i++;
            continue;
        }
        uint32_t end = i + 1;
        while (end < plan->stage_count && stage_fixed(app, &plan->stages[end])) {
            end++;
        }
        status = steps_run(app, i, end, due);
        if (status == STOA_OK) {
            status = time_tell(app, delta, app->elapsed, app->steps + due);
        }
        i = end;
    }
    return status;
}

/* True if there is nothing left to do in STOA_STARTUP: each system there has run or is disabled. */
static bool startup_done(const stoa_app *app) {
    for (uint32_t i = 0; i < app->system_count; i++) {
        const stoa__system *system = app->systems[i];
        if (system->stage == STOA_STARTUP && system->enabled && !system->ran) {
            return false;
        }
    }
    return true;
}

/* Keeps the ticks of systems that have not run for long from growing too old. */
static void systems_sweep(stoa_app *app) {
    uint32_t tick = stoa_tick(app->world);
    if (tick - app->swept < SWEEP_EVERY) {
        return;
    }
    app->swept = tick;
    for (uint32_t i = 0; i < app->system_count; i++) {
        stoa__system *system = app->systems[i];
        if (system->ran && tick - system->last_run > TICK_AGE) {
            system->last_run = tick - TICK_AGE;
        }
    }
}

stoa_status stoa_app_step(stoa_app *app, double delta) {
    stoa_status status = stoa__app_idle(app, "a step inside of a step");
    if (status != STOA_OK) {
        return status;
    }
    if (!isfinite(delta) || delta < 0) {
        return stoa_world_report(app->world,
                                 stoa__error(STOA_INVALID, "a frame of %g seconds", delta));
    }
    status = stoa_schedule_plan(app);
    if (status != STOA_OK) {
        return status;
    }
    app->stepping = true;
    stoa__pool_expect(app->pool, true);
    stoa_world_pin(app->world);
    status = stoa__work_resume(app->work);
    if (status == STOA_OK) {
        stoa__timings_frame_begin(app);
        uint32_t due = steps_due(app, delta);
        app->elapsed += delta;
        status = frame_run(app, delta, due);
        app->started = app->started || startup_done(app);
        app->steps += due;
        app->frame++;
        stoa__timings_frame_end(app);
        systems_sweep(app);
    }
    stoa_world_unpin(app->world);
    stoa__pool_expect(app->pool, false);
    app->stepping = false;
    return stoa_world_report(app->world, status);
}

static stoa_status run_check(const stoa_app *app, const stoa_run_desc *desc) {
    stoa_status status = stoa__app_idle(app, "a run inside of a step");
    if (status != STOA_OK) {
        return status;
    }
    bool good =
        isfinite(desc->delta) && desc->delta >= 0 && isfinite(desc->rate) && desc->rate >= 0;
    return good ? STOA_OK
                : stoa_world_report(app->world,
                                    stoa__error(STOA_INVALID, "frames of %g seconds, %g a second",
                                                desc->delta, desc->rate));
}

/* Sleeps until the next frame is due; false if there is to be none. After a frame that took too
 * long the next ones are not hurried. */
static bool frame_await(stoa_app *app, uint64_t *due, uint64_t period) {
    if (period > 0 && STOA_LOAD(&app->quit) == 0) {
        uint64_t now = stoa__clock_now();
        *due = *due + period < now ? now : *due + period;
        stoa__clock_sleep_until(*due);
    }
    return STOA_LOAD(&app->quit) == 0;
}

stoa_status stoa_app_run(stoa_app *app, const stoa_run_desc *desc) {
    stoa_run_desc none = {.delta = 0};
    desc = desc != NULL ? desc : &none;
    stoa_status status = run_check(app, desc);
    if (status != STOA_OK) {
        return status;
    }
    STOA_STORE(&app->quit, 0);
    uint64_t last = stoa__clock_now(), due = last;
    double wish = desc->rate > 0 ? 1e9 / desc->rate : 0;
    uint64_t period = wish < PERIOD_MAX ? (uint64_t)wish : (uint64_t)PERIOD_MAX;
    for (uint64_t i = 0; status == STOA_OK && (desc->frames == 0 || i < desc->frames); i++) {
        if (i > 0 && !frame_await(app, &due, period)) {
            break;
        }
        uint64_t now = stoa__clock_now();
        double passed = (double)(now - last) * 1e-9;
        last = now;
        status = stoa_app_step(app, desc->delta > 0 ? desc->delta : passed);
    }
    return status;
}
