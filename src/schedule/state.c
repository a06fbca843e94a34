/* The state of an app between two frames, for going back to it.
 *
 * It is what the next frame depends on beside the world: the time, and when each system ran last.
 * Bytes are for the same app in the same run of the program. Systems are known by their ids: those
 * that came later are as if they had never run, those that went are passed over. O(systems). */
#include "schedule/app.h"

#include <string.h>

/* What is kept of an app; its systems follow. */
typedef struct app_note {
    double ahead;
    double delta;
    double elapsed;
    uint64_t frame;
    uint64_t steps;
    uint64_t turn;
    uint32_t swept;
    uint32_t system_count;
    bool started;
} app_note;

typedef struct system_note {
    uint64_t runs;
    uint32_t id;
    uint32_t last_run;
    bool ran;
    bool enabled;
} system_note;

static size_t state_size(uint32_t system_count) {
    return sizeof(app_note) + system_count * sizeof(system_note);
}

stoa_status stoa_app_state_save(const stoa_app *app, stoa_blob *blob) {
    stoa_status status = stoa__app_idle(app, "the state is saved inside of a step");
    if (status != STOA_OK) {
        return status;
    }
    if (blob == NULL) {
        return stoa_world_report(app->world,
                                 stoa__error(STOA_NULL_ARGUMENT, "the blob must not be null"));
    }
    size_t size = state_size(app->system_count);
    status = stoa_blob_reserve(blob, size);
    if (status != STOA_OK) {
        return stoa_world_report(app->world, status);
    }
    app_note note;
    /* What is between the members is written too. */
    memset(&note, 0, sizeof note);
    note.ahead = app->ahead;
    note.delta = app->delta;
    note.elapsed = app->elapsed;
    note.frame = app->frame;
    note.steps = app->steps;
    note.turn = app->turn;
    note.swept = app->swept;
    note.system_count = app->system_count;
    note.started = app->started;
    memcpy(blob->data, &note, sizeof note);
    for (uint32_t i = 0; i < app->system_count; i++) {
        const stoa__system *system = app->systems[i];
        system_note n;
        memset(&n, 0, sizeof n);
        n.runs = system->runs;
        n.id = system->id;
        n.last_run = system->last_run;
        n.ran = system->ran;
        n.enabled = system->enabled;
        memcpy(blob->data + sizeof note + i * sizeof n, &n, sizeof n);
    }
    blob->size = size;
    return STOA_OK;
}

/* Takes back what is noted of a system, or what a new one has. */
static void system_load(stoa_app *app, stoa__system *system, const system_note *note) {
    const system_note none = {.enabled = system->enabled};
    note = note != NULL ? note : &none;
    system->runs = note->runs;
    system->last_run = note->last_run;
    system->ran = note->ran;
    app->planned = app->planned && system->enabled == note->enabled;
    system->enabled = note->enabled;
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
        system_load(app, app->systems[i], known ? &note : NULL);
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
    app->ahead = note.ahead;
    app->delta = note.delta;
    app->elapsed = note.elapsed;
    app->frame = note.frame;
    app->steps = note.steps;
    app->turn = note.turn;
    app->swept = note.swept;
    app->started = note.started;
    systems_load(app, (const uint8_t *)bytes + sizeof note, note.system_count);
    return STOA_OK;
}
