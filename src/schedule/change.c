/* Changes to the systems of an app, made together or not at all.
 *
 * What comes is made aside, then listed, and only then is freed what went: nothing fails once the
 * list is touched. Names are compared each with each, between frames only. */
#include "schedule/app.h"

#include "schedule/work.h"

#include <string.h>

/* A change under way. */
typedef struct move {
    stoa__system *old;   /* NULL: there is none */
    stoa__system *fresh; /* NULL: it is taken away */
} move;

/* True if a system is replaced or taken away. */
static bool system_goes(const move *moves, int32_t count, const stoa__system *system) {
    for (int32_t i = 0; i < count; i++) {
        if (moves[i].old == system) {
            return true;
        }
    }
    return false;
}

/* Whether the names of all systems will differ; those of the first `count` changes are known. */
static stoa_status name_check(const stoa_app *app, const move *moves, int32_t count, int32_t all,
                              const char *name) {
    bool taken = false;
    for (uint32_t i = 0; i < app->system_count && !taken; i++) {
        taken =
            strcmp(app->systems[i]->name, name) == 0 && !system_goes(moves, all, app->systems[i]);
    }
    for (int32_t i = 0; i < count && !taken; i++) {
        taken = moves[i].fresh != NULL && strcmp(moves[i].fresh->name, name) == 0;
    }
    return taken ? stoa__error(STOA_CONFLICT, "there is a system '%s' already", name) : STOA_OK;
}

/* Finds the systems that go. */
static stoa_status moves_find(const stoa_app *app, const stoa_system_change *changes, int32_t count,
                              move *moves) {
    for (int32_t i = 0; i < count; i++) {
        stoa__system *old = NULL;
        if (changes[i].system.id != 0 || changes[i].desc == NULL) {
            old = stoa__system_of(app, changes[i].system);
            if (old == NULL) {
                return stoa__error(STOA_NOT_FOUND, "there is no system %u", changes[i].system.id);
            }
            if (system_goes(moves, i, old)) {
                return stoa__error(STOA_DUPLICATE, "system '%s' is changed twice", old->name);
            }
        }
        moves[i].old = old;
    }
    return STOA_OK;
}

/* Makes the systems that come. */
static stoa_status moves_make(stoa_app *app, const stoa_system_change *changes, int32_t count,
                              move *moves) {
    stoa_status status = STOA_OK;
    for (int32_t i = 0; i < count && status == STOA_OK; i++) {
        const stoa_system_desc *desc = changes[i].desc;
        if (desc == NULL) {
            continue;
        }
        status = desc->name != NULL ? name_check(app, moves, i, count, desc->name) : STOA_OK;
        if (status == STOA_OK) {
            moves[i].fresh = stoa__system_make(app, desc);
            status = moves[i].fresh != NULL ? STOA_OK : stoa_last_error().status;
        }
    }
    if (status == STOA_OK &&
        !stoa__heap_grow(&app->heap, &app->systems, &app->system_capacity,
                         app->system_count + (uint32_t)count, sizeof *app->systems)) {
        status = stoa__error_memory("the systems of an app");
    }
    return status;
}

/* Puts a system in the place of another, whose command buffers it goes on with. */
static void system_succeed(stoa__system *fresh, stoa__system *old) {
    fresh->id = old->id;
    fresh->last_run = old->last_run;
    fresh->ran = old->ran;
    fresh->runs = old->runs;
    fresh->enabled = old->enabled;
    fresh->buffers = old->buffers;
    fresh->buffer_capacity = old->buffer_capacity;
    fresh->buffer_count = old->buffer_count;
    fresh->habits = old->habits;
    fresh->habit_capacity = old->habit_capacity;
    fresh->habit_count = old->habit_count;
    old->buffers = NULL;
    old->buffer_capacity = old->buffer_count = 0;
    old->habits = NULL;
    old->habit_capacity = old->habit_count = 0;
}

static void system_list(stoa_app *app, move *m) {
    uint32_t at = 0;
    while (at < app->system_count && app->systems[at] != m->old) {
        at++;
    }
    if (m->fresh == NULL) {
        app->system_count--;
        memmove(app->systems + at, app->systems + at + 1,
                (app->system_count - at) * sizeof *app->systems);
        return;
    }
    if (m->old != NULL) {
        system_succeed(m->fresh, m->old);
    } else {
        m->fresh->id = app->system_next++;
        app->system_count++;
    }
    app->systems[at] = m->fresh;
    app->started = app->started && (m->fresh->stage != STOA_STARTUP || m->fresh->ran);
}

/* Lists what comes and frees what goes. */
static void moves_commit(stoa_app *app, stoa_system_change *changes, int32_t count, move *moves) {
    for (int32_t i = 0; i < count; i++) {
        system_list(app, &moves[i]);
        changes[i].system.id = moves[i].fresh != NULL ? moves[i].fresh->id : 0;
    }
    /* The plan tells of systems that are there; what is left of it would not. */
    app->plan.system_count = app->plan.batch_count = app->plan.stage_count = 0;
    app->planned = false;
    for (int32_t i = 0; i < count; i++) {
        if (moves[i].old != NULL) {
            stoa__system_delete(app, moves[i].old);
        }
    }
}

/* STOA_OK if systems can be changed now; otherwise reported. */
static stoa_status change_check(stoa_app *app, const stoa_system_change *changes, int32_t count) {
    stoa_status status = stoa__app_idle(app, "systems are changed");
    if (app == NULL || status != STOA_OK) {
        return status;
    }
    if (count < 0 || (changes == NULL && count != 0)) {
        status = stoa__error(count < 0 ? STOA_INVALID : STOA_NULL_ARGUMENT, "%d changes of systems",
                             count);
    } else {
        /* Commands of a batch that was left for lack of memory. */
        status = stoa__work_resume(app->work);
    }
    return stoa_world_report(app->world, status);
}

stoa_status stoa_systems_change(stoa_app *app, stoa_system_change *changes, int32_t count) {
    stoa_status status = change_check(app, changes, count);
    if (app == NULL || status != STOA_OK || count == 0) {
        return status;
    }
    size_t size = (size_t)count * sizeof(move);
    move *moves = stoa__heap_zalloc(&app->heap, size, _Alignof(move));
    if (moves == NULL) {
        return stoa_world_report(app->world, stoa__error_memory("changes of systems"));
    }
    status = moves_find(app, changes, count, moves);
    if (status == STOA_OK) {
        status = moves_make(app, changes, count, moves);
    }
    if (status == STOA_OK) {
        moves_commit(app, changes, count, moves);
    } else {
        for (int32_t i = 0; i < count; i++) {
            if (moves[i].fresh != NULL) {
                stoa__system_discard(app, moves[i].fresh);
            }
        }
    }
    stoa__heap_free(&app->heap, moves, size, _Alignof(move));
    return stoa_world_report(app->world, status);
}

stoa_status stoa_system_replace(stoa_app *app, stoa_system system, const stoa_system_desc *desc) {
    if (app != NULL && (desc == NULL || system.id == 0)) {
        return stoa_world_report(
            app->world, desc == NULL
                            ? stoa__error(STOA_NULL_ARGUMENT, "the description must not be null")
                            : stoa__error(STOA_NOT_FOUND, "there is no system 0"));
    }
    return stoa_systems_change(app, &(stoa_system_change){system, desc}, 1);
}

static bool system_leads(const stoa__system *system, const stoa_code *code) {
    return stoa_code_has(code, &system->run, sizeof system->run) ||
           stoa_code_has(code, &system->each, sizeof system->each) ||
           stoa_code_has(code, &system->condition, sizeof system->condition) ||
           stoa_code_has(code, &system->user, sizeof system->user) ||
           stoa_code_has(code, &system->user_free, sizeof system->user_free);
}

stoa_status stoa_app_forget(stoa_app *app, const stoa_code *code) {
    stoa_status status = change_check(app, NULL, 0);
    if (app == NULL || status != STOA_OK || code == NULL) {
        return status;
    }
    for (uint32_t i = app->system_count; i-- > 0;) {
        if (system_leads(app->systems[i], code)) {
            move m = {.old = app->systems[i]};
            moves_commit(app, &(stoa_system_change){.desc = NULL}, 1, &m);
        }
    }
    for (stoa_app_watcher **at = &app->watchers; *at != NULL;) {
        const stoa_app_watcher *watcher = *at;
        if (stoa_code_has(code, &watcher->freed, sizeof watcher->freed) ||
            stoa_code_has(code, at, sizeof *at)) {
            *at = watcher->next;
        } else {
            at = &(*at)->next;
        }
    }
    return STOA_OK;
}
