/* The state of an app between two frames: for going back to it, and for going on with it later.
 *
 * It is what the next frame depends on beside the world: the time, what random numbers are drawn
 * from, and of each system when it ran last, whether it is enabled, and how many handles its jobs
 * give out. Whether the systems of STOA_STARTUP have run is told by the systems themselves.
 * The bytes of stoa_app_state_save are for the same app in the same run of the program. Systems
 * are known by their ids there: those that came later are as if they had never run, those that went
 * are passed over. O(systems). */
#include "schedule/app.h"

#include <math.h>
#include <string.h>

/* What is kept of an app in a blob; its systems follow. */
typedef struct app_note {
    stoa_app_state state;
    uint32_t system_count;
} app_note;

typedef struct system_note {
    stoa_system_state state;
    uint32_t id;
    uint32_t buffer_count;
} system_note;

static size_t state_size(uint32_t system_count) {
    return sizeof(app_note) + system_count * sizeof(system_note);
}

static stoa_app_state app_read(const stoa_app *app) {
    return (stoa_app_state){.ahead = app->ahead,
                            .elapsed = app->elapsed,
                            .frame = app->frame,
                            .steps = app->steps,
                            .turn = app->turn,
                            .seed = app->seed,
                            .swept = app->swept};
}

static void app_write(stoa_app *app, const stoa_app_state *state) {
    app->ahead = state->ahead;
    app->elapsed = state->elapsed;
    app->frame = state->frame;
    app->steps = state->steps;
    app->turn = state->turn;
    app->seed = state->seed;
    app->swept = state->swept;
    app->started = false;
}

static stoa_system_state system_read(const stoa__system *system) {
    return (stoa_system_state){.runs = system->runs,
                               .last_run = system->last_run,
                               .ran = system->ran,
                               .enabled = system->enabled};
}

/* Takes back the state of a system, or what a new one has. */
static void system_write(stoa_app *app, stoa__system *system, const stoa_system_state *state) {
    const stoa_system_state none = {.enabled = system->enabled};
    state = state != NULL ? state : &none;
    system->runs = state->runs;
    system->last_run = state->last_run;
    system->ran = state->ran;
    app->planned = app->planned && system->enabled == state->enabled;
    app->started = false;
    system->enabled = state->enabled;
}

/* STOA_OK if the app is there, does not step, and so is what the caller gave; otherwise reported.
 */
static stoa_status state_check(const stoa_app *app, const void *given, const char *what) {
    stoa_status status = stoa__app_idle(app, "the state is asked for inside of a step");
    if (status == STOA_OK && given == NULL) {
        status = stoa_world_report(
            app->world, stoa__error(STOA_NULL_ARGUMENT, "the %s must not be null", what));
    }
    return status;
}

stoa_status stoa_app_state_get(const stoa_app *app, stoa_app_state *state) {
    stoa_status status = state_check(app, state, "state");
    if (status == STOA_OK) {
        *state = app_read(app);
    }
    return status;
}

stoa_status stoa_app_state_set(stoa_app *app, const stoa_app_state *state) {
    stoa_status status = state_check(app, state, "state");
    if (status != STOA_OK) {
        return status;
    }
    if (!isfinite(state->ahead) || state->ahead < 0 || !isfinite(state->elapsed) ||
        state->elapsed < 0) {
        return stoa_world_report(app->world,
                                 stoa__error(STOA_INVALID, "a time of %g seconds, %g ahead",
                                             state->elapsed, state->ahead));
    }
    app_write(app, state);
    return STOA_OK;
}

/* The system of an app that does not step; NULL with the failure reported. */
static stoa__system *system_idle(const stoa_app *app, stoa_system system, stoa_status *status) {
    *status = stoa__app_idle(app, "the state of a system is asked for inside of a step");
    stoa__system *found = *status == STOA_OK ? stoa__system_of(app, system) : NULL;
    if (found == NULL && *status == STOA_OK) {
        *status = stoa_world_report(
            app->world, stoa__error(STOA_NOT_FOUND, "there is no system %u", system.id));
    }
    return found;
}

stoa_status stoa_system_state_get(const stoa_app *app, stoa_system system,
                                  stoa_system_state *state) {
    stoa_status status = state_check(app, state, "state");
    const stoa__system *found = status == STOA_OK ? system_idle(app, system, &status) : NULL;
    if (found != NULL) {
        *state = system_read(found);
    }
    return status;
}

stoa_status stoa_system_state_set(stoa_app *app, stoa_system system,
                                  const stoa_system_state *state) {
    stoa_status status;
    stoa__system *found = system_idle(app, system, &status);
    if (found != NULL) {
        system_write(app, found, state);
        for (uint32_t i = 0; i < found->habit_count; i++) {
            found->habits[i] = (stoa_handle_habit){0, 0};
        }
    }
    return status;
}

stoa_query *stoa_system_query(const stoa_app *app, stoa_system system, int32_t index) {
    const stoa__system *found = app != NULL ? stoa__system_of(app, system) : NULL;
    if (found == NULL || index < 0) {
        return NULL;
    }
    if (found->query != NULL && index-- == 0) {
        return found->query;
    }
    for (int32_t i = 0; i < STOA_DECLARE_MAX && found->queries[i] != NULL; i++) {
        if (i == index) {
            return found->queries[i];
        }
    }
    return NULL;
}

int32_t stoa_system_habits(const stoa_app *app, stoa_system system) {
    const stoa__system *found = app != NULL ? stoa__system_of(app, system) : NULL;
    uint32_t count = found != NULL ? found->buffer_count : 0;
    if (found != NULL && found->habit_count > count) {
        count = found->habit_count;
    }
    return (int32_t)count;
}

stoa_handle_habit stoa_system_habit(const stoa_app *app, stoa_system system, int32_t job) {
    const stoa__system *found = app != NULL ? stoa__system_of(app, system) : NULL;
    if (found == NULL || job < 0) {
        return (stoa_handle_habit){0, 0};
    }
    if ((uint32_t)job < found->buffer_count) {
        return stoa_commands_habit(found->buffers[job]);
    }
    return (uint32_t)job < found->habit_count ? found->habits[job] : (stoa_handle_habit){0, 0};
}

stoa_status stoa_system_habits_reserve(stoa_app *app, stoa_system system, int32_t count) {
    stoa_status status;
    stoa__system *found = system_idle(app, system, &status);
    if (found == NULL || count <= 0) {
        return status;
    }
    uint32_t before = found->habit_count;
    if (!stoa__heap_grow(&app->heap, &found->habits, &found->habit_capacity, (uint32_t)count,
                         sizeof *found->habits)) {
        return stoa_world_report(app->world, stoa__error_memory("the habits of a system"));
    }
    for (uint32_t i = before; i < (uint32_t)count; i++) {
        found->habits[i] = (stoa_handle_habit){0, 0};
        found->habit_count = i + 1;
    }
    return STOA_OK;
}

stoa_status stoa_system_habit_set(stoa_app *app, stoa_system system, int32_t job,
                                  stoa_handle_habit habit) {
    stoa_status status;
    stoa__system *found = system_idle(app, system, &status);
    if (found == NULL) {
        return status;
    }
    if (job < 0 || (uint32_t)job >= found->habit_count) {
        return stoa_world_report(app->world, stoa__error(STOA_INVALID,
                                                         "there is no room for the habit of job "
                                                         "%d of system '%s'",
                                                         job, found->name));
    }
    if ((uint32_t)job < found->buffer_count) {
        status = stoa_commands_habit_set(found->buffers[job], habit);
    }
    found->habits[job] = status == STOA_OK ? habit : found->habits[job];
    return status;
}

stoa_status stoa_app_state_save(const stoa_app *app, stoa_blob *blob) {
    stoa_status status = state_check(app, blob, "blob");
    if (status != STOA_OK) {
        return status;
    }
    size_t size = state_size(app->system_count);
    status = stoa_blob_reserve(blob, size);
    if (status != STOA_OK) {
        return stoa_world_report(app->world, status);
    }
    app_note note;
    /* What is between the members is written too. */
    memset(&note, 0, sizeof note);
    note.state = app_read(app);
    note.system_count = app->system_count;
    memcpy(blob->data, &note, sizeof note);
    for (uint32_t i = 0; i < app->system_count; i++) {
        system_note n;
        memset(&n, 0, sizeof n);
        n.state = system_read(app->systems[i]);
        n.id = app->systems[i]->id;
        n.buffer_count = app->systems[i]->buffer_count;
        memcpy(blob->data + sizeof note + i * sizeof n, &n, sizeof n);
    }
    blob->size = size;
    return STOA_OK;
}

/* Buffers that were made later are new again: their first fork goes by what was set for them. */
static void habits_load(const stoa__system *system, uint32_t first) {
    for (uint32_t i = first; i < system->buffer_count && i < system->habit_count; i++) {
        (void)stoa_commands_habit_set(system->buffers[i], system->habits[i]);
    }
}

/* Both lists are in order of registration, that is of ids. */
static void systems_load(stoa_app *app, const uint8_t *bytes, uint32_t count) {
    uint32_t next = 0;
    for (uint32_t i = 0; i < app->system_count; i++) {
        system_note note = {.id = 0};
        while (next < count && note.id < app->systems[i]->id) {
            memcpy(&note, bytes + next * sizeof note, sizeof note);
            next++;
        }
        bool known = note.id == app->systems[i]->id;
        system_write(app, app->systems[i], known ? &note.state : NULL);
        habits_load(app->systems[i], known ? note.buffer_count : 0);
        /* It may be that of the next one. */
        next -= !known && note.id > app->systems[i]->id;
    }
}

stoa_status stoa_app_state_load(stoa_app *app, const void *bytes, size_t size) {
    stoa_status status = stoa__app_idle(app, "the state is loaded inside of a step");
    if (status != STOA_OK) {
        return status;
    }
    app_note note = {.system_count = 0};
    bool fits = bytes != NULL && size >= sizeof note;
    if (fits) {
        memcpy(&note, bytes, sizeof note);
        fits = size == state_size(note.system_count);
    }
    if (!fits) {
        return stoa_world_report(
            app->world, stoa__error(STOA_INVALID, "%zu bytes are not the state of an app", size));
    }
    app_write(app, &note.state);
    systems_load(app, (const uint8_t *)bytes + sizeof note, note.system_count);
    return STOA_OK;
}
