/* The app: its lifecycle and its stages. */
#include "schedule/app.h"

#include "schedule/timing.h"
#include "schedule/work.h"

#include <math.h>
#include <string.h>

#define STEP_MAX 8

/* The stages that every app has, in order of a frame. */
static const struct {
    const char *name;
    stoa_stage id;
} stage_list[] = {
    {"Startup", STOA_STARTUP},        {"PreUpdate", STOA_PRE_UPDATE}, {"Update", STOA_UPDATE},
    {"PostUpdate", STOA_POST_UPDATE}, {"PreRender", STOA_PRE_RENDER}, {"Render", STOA_RENDER},
    {"PostRender", STOA_POST_RENDER}, {"Cleanup", STOA_CLEANUP},
};

#define STAGE_COUNT ((uint32_t)(sizeof stage_list / sizeof *stage_list))

stoa_status stoa__app_idle(const stoa_app *app, const char *what) {
    if (app == NULL) {
        return stoa__error(STOA_NULL_ARGUMENT, "the app must not be null");
    }
    return app->stepping
               ? stoa_world_report(app->world,
                                   stoa__error(STOA_LOCKED, "%s: not while the app steps", what))
               : STOA_OK;
}

/* Puts a stage in at a place there is room for; false on lack of memory. */
static bool stage_insert(stoa_app *app, uint32_t at, const char *name, stoa_stage id, bool fixed) {
    if (!stoa__heap_grow(&app->heap, &app->stages, &app->stage_capacity, app->stage_count + 1,
                         sizeof *app->stages)) {
        return false;
    }
    char *copy = stoa__heap_text(&app->heap, name);
    if (copy == NULL) {
        return false;
    }
    memmove(app->stages + at + 1, app->stages + at, (app->stage_count - at) * sizeof *app->stages);
    app->stages[at] = (stoa__stage){copy, id, fixed};
    app->stage_count++;
    return true;
}

static bool stages_make(stoa_app *app) {
    bool made = true;
    for (uint32_t i = 0; i < STAGE_COUNT && made; i++) {
        stoa_stage id = stage_list[i].id;
        bool fixed = app->fixed_step > 0 &&
                     (id == STOA_PRE_UPDATE || id == STOA_UPDATE || id == STOA_POST_UPDATE);
        made = stage_insert(app, i, stage_list[i].name, id, fixed);
    }
    app->stage_next = STOA_STAGE_OWN;
    return made;
}

static stoa_status desc_check(const stoa_app_desc *desc) {
    if (!isfinite(desc->fixed_step) || desc->fixed_step < 0) {
        return stoa__error(STOA_INVALID, "a fixed step of %g seconds", desc->fixed_step);
    }
    if (desc->step_max < 0) {
        return stoa__error(STOA_INVALID, "at most %d fixed steps", desc->step_max);
    }
    if (desc->world != NULL && desc->world_as != NULL) {
        return stoa__error(STOA_INVALID, "a world is given, and how to make one");
    }
    if (desc->pool != NULL && desc->hooks != NULL) {
        return stoa__error(STOA_INVALID, "a pool is given, and hooks for an own one");
    }
    return STOA_OK;
}

/* Frees what the app has; it must not step. Nothing is called of what its description brought. */
static void app_delete(stoa_app *app) {
    stoa_world *world = app->world_own ? app->world : NULL;
    while (app->system_count > 0) {
        stoa__system_delete(app, app->systems[--app->system_count]);
    }
    stoa__work_free(app->work);
    stoa__timings_free(app);
    stoa__plan_fini(&app->plan, &app->heap);
    for (uint32_t i = 0; i < app->stage_count; i++) {
        stoa__heap_text_free(&app->heap, app->stages[i].name);
    }
    stoa__heap_grow_free(&app->heap, app->stages, app->stage_capacity, sizeof *app->stages);
    stoa__heap_grow_free(&app->heap, app->systems, app->system_capacity, sizeof *app->systems);
    if (app->pool_own) {
        stoa_pool_free(app->pool);
    }
    stoa__heap heap = app->heap;
    stoa__heap_free(&heap, app, sizeof *app, _Alignof(stoa_app));
    stoa_world_free(world);
}

/* Makes the world of an app, without the functions that end what it is given. */
static stoa_world *world_make(const stoa_world_desc *as) {
    stoa_world_desc desc = as != NULL ? *as : (stoa_world_desc){.chunk_size = 0};
    stoa_allocator allocator = desc.allocator != NULL ? *desc.allocator : stoa_allocator_default();
    allocator.user_free = NULL;
    desc.allocator = &allocator;
    desc.on_assert.user_free = desc.on_error.user_free = NULL;
    return stoa_world_new(&desc);
}

/* Takes over what is to be ended with the app, now that it is made. */
static void endings_take(stoa_app *app, const stoa_app_desc *desc) {
    const stoa_world_desc *as = desc->world_as;
    if (desc->hooks != NULL) {
        app->endings[0] = (stoa__ending){desc->hooks->user_free, desc->hooks->user};
    }
    if (as != NULL) {
        app->endings[1] = (stoa__ending){as->on_assert.user_free, as->on_assert.user};
        app->endings[2] = (stoa__ending){as->on_error.user_free, as->on_error.user};
    }
    if (as != NULL && as->allocator != NULL) {
        app->endings[3] = (stoa__ending){as->allocator->user_free, as->allocator->user};
    }
}

/* Makes what an app needs beside itself. The thread's error is set. */
static stoa_status parts_make(stoa_app *app, const stoa_app_desc *desc) {
    app->pool = desc->pool;
    if (app->pool == NULL) {
        stoa_allocator allocator = app->heap.hooks;
        allocator.user_free = NULL; /* the world's to call */
        stoa_pool_hooks hooks = {.start = NULL};
        if (desc->hooks != NULL) {
            hooks = *desc->hooks;
            hooks.user_free = NULL; /* the app's to call */
        }
        app->pool = stoa_pool_new(&(stoa_pool_desc){.threads = desc->threads,
                                                    .hooks = desc->hooks != NULL ? &hooks : NULL,
                                                    .allocator = &allocator});
        app->pool_own = app->pool != NULL;
    }
    if (app->pool == NULL) {
        return stoa_last_error().status;
    }
    app->work = stoa__work_new(app);
    if (app->work == NULL || !stages_make(app)) {
        return stoa__error_memory("an app");
    }
    stoa_time time = {.step = app->fixed_step};
    return stoa_resource_has(app->world, stoa_time)
               ? STOA_OK
               : stoa_resource_set_type(app->world, STOA_TYPE_OF(stoa_time), &time);
}

stoa_app *stoa_app_new(const stoa_app_desc *desc) {
    stoa_app_desc none = {.world = NULL};
    desc = desc != NULL ? desc : &none;
    if (desc_check(desc) != STOA_OK) {
        stoa_world_report(desc->world, stoa_last_error().status);
        return NULL;
    }
    stoa_world *world = desc->world != NULL ? desc->world : world_make(desc->world_as);
    if (world == NULL) {
        return NULL;
    }
    stoa__heap heap;
    stoa__heap_init(&heap, stoa_world_allocator(world));
    stoa_app *app = stoa__heap_zalloc(&heap, sizeof *app, _Alignof(stoa_app));
    if (app == NULL) {
        stoa_world_report(world, stoa__error_memory("an app"));
        if (desc->world == NULL) {
            stoa_world_free(world);
        }
        return NULL;
    }
    app->heap = heap;
    app->world = world;
    app->world_own = desc->world == NULL;
    app->seed = desc->seed;
    app->shuffle = desc->shuffle;
    app->eager = desc->eager;
    app->fixed_step = desc->fixed_step;
    app->step_max = desc->step_max > 0 ? desc->step_max : STEP_MAX;
    app->system_next = 1;
    app->swept = stoa_tick(world);
    if (parts_make(app, desc) != STOA_OK) {
        stoa_world_report(world, stoa_last_error().status);
        app_delete(app);
        return NULL;
    }
    endings_take(app, desc);
    return app;
}

stoa_status stoa_app_free(stoa_app *app) {
    if (app == NULL) {
        return STOA_OK;
    }
    stoa_status status = stoa__app_idle(app, "an app is freed");
    if (status == STOA_OK && !app->world_own && app->work->state == STOA__WORK_FORKED) {
        /* Without this the world would stay locked. */
        app->work->dropping = true;
        status = stoa__work_resume(app->work);
    }
    if (status != STOA_OK) {
        return status;
    }
    while (app->watchers != NULL) {
        stoa_app_watcher *watcher = app->watchers;
        app->watchers = watcher->next;
        watcher->freed(watcher->user);
    }
    stoa__ending endings[STOA__ENDINGS];
    memcpy(endings, app->endings, sizeof endings);
    app_delete(app);
    for (uint32_t i = 0; i < STOA__ENDINGS; i++) {
        if (endings[i].call != NULL) {
            endings[i].call(endings[i].user);
        }
    }
    return STOA_OK;
}

stoa_status stoa_app_watch(stoa_app *app, stoa_app_watcher *watcher) {
    if (app == NULL || watcher == NULL || watcher->freed == NULL) {
        return stoa_world_report(app != NULL ? app->world : NULL,
                                 stoa__error(STOA_NULL_ARGUMENT, "the %s must not be null",
                                             app == NULL       ? "app"
                                             : watcher == NULL ? "watcher"
                                                               : "function of a watcher"));
    }
    stoa_app_unwatch(app, watcher);
    watcher->next = app->watchers;
    app->watchers = watcher;
    return STOA_OK;
}

void stoa_app_unwatch(stoa_app *app, stoa_app_watcher *watcher) {
    stoa_app_watcher **at = app != NULL ? &app->watchers : NULL;
    while (at != NULL && *at != NULL && *at != watcher) {
        at = &(*at)->next;
    }
    if (at != NULL && *at != NULL) {
        *at = watcher->next;
    }
}

stoa_world *stoa_app_world(const stoa_app *app) {
    return app != NULL ? app->world : NULL;
}

int32_t stoa_app_threads(const stoa_app *app) {
    return app != NULL ? app->work->lane_count : 0;
}

stoa_pool *stoa_app_pool(const stoa_app *app) {
    return app != NULL ? app->pool : NULL;
}

uint64_t stoa_app_frame(const stoa_app *app) {
    return app != NULL ? app->frame : 0;
}

bool stoa_app_stepping(const stoa_app *app) {
    return app != NULL && app->stepping;
}

void stoa_app_quit(stoa_app *app) {
    if (app != NULL) {
        STOA_STORE(&app->quit, 1);
    }
}

bool stoa_app_quitting(const stoa_app *app) {
    return app != NULL && STOA_LOAD(&app->quit) != 0;
}

stoa__stage *stoa__stage_of(const stoa_app *app, stoa_stage stage) {
    for (uint32_t i = 0; i < app->stage_count; i++) {
        if (app->stages[i].id == stage) {
            return &app->stages[i];
        }
    }
    return NULL;
}

/* The place of a stage in a frame, by its name; the number of stages if there is none. */
static uint32_t stage_place(const stoa_app *app, const char *name) {
    uint32_t i = 0;
    while (i < app->stage_count && strcmp(app->stages[i].name, name) != 0) {
        i++;
    }
    return i;
}

/* Where a stage is to be put; the thread's error is set if it cannot be. */
static stoa_status stage_read(const stoa_app *app, const stoa_stage_desc *desc, uint32_t *place) {
    if (desc == NULL || desc->name == NULL) {
        return stoa__error(STOA_NULL_ARGUMENT, "the %s must not be null",
                           desc == NULL ? "description" : "name of a stage");
    }
    if (desc->name[0] == '\0' || (desc->before == NULL) == (desc->after == NULL)) {
        return stoa__error(STOA_INVALID, "stage '%s' must have a name and come before or after one",
                           desc->name);
    }
    if (stage_place(app, desc->name) < app->stage_count) {
        return stoa__error(STOA_CONFLICT, "there is a stage '%s' already", desc->name);
    }
    const char *other = desc->before != NULL ? desc->before : desc->after;
    uint32_t at = stage_place(app, other);
    if (at == app->stage_count) {
        return stoa__error(STOA_NOT_FOUND, "stage '%s': there is no stage '%s'", desc->name, other);
    }
    *place = at + (desc->after != NULL);
    return STOA_OK;
}

stoa_stage stoa_stage_new(stoa_app *app, const stoa_stage_desc *desc) {
    uint32_t place = 0;
    if (stoa__app_idle(app, "a stage is made") != STOA_OK) {
        return UINT32_MAX;
    }
    stoa_status status = stage_read(app, desc, &place);
    if (status == STOA_OK && !stage_insert(app, place, desc->name, app->stage_next, desc->fixed)) {
        status = stoa__error_memory("a stage");
    }
    if (status != STOA_OK) {
        stoa_world_report(app->world, status);
        return UINT32_MAX;
    }
    app->planned = false;
    return app->stage_next++;
}

stoa_stage stoa_stage_find(const stoa_app *app, const char *name) {
    if (app == NULL || name == NULL) {
        return UINT32_MAX;
    }
    uint32_t place = stage_place(app, name);
    return place < app->stage_count ? app->stages[place].id : UINT32_MAX;
}

const char *stoa_stage_name(const stoa_app *app, stoa_stage stage) {
    const stoa__stage *found = app != NULL ? stoa__stage_of(app, stage) : NULL;
    return found != NULL ? found->name : NULL;
}

stoa_stage stoa_stage_at(const stoa_app *app, int32_t index) {
    return app != NULL && index >= 0 && (uint32_t)index < app->stage_count ? app->stages[index].id
                                                                           : UINT32_MAX;
}
