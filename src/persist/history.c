/* History: frames of a world, and beside each the state of its app.
 *
 * The states are blobs in a ring with one more than are kept, so that the next one is written aside
 * and counts once the frame of the world is there. An app that is freed takes the frames along,
 * since its world may go next. One thread at a time, that of the world. */
#include "stoa/history.h"

#include "base/error.h"
#include "base/heap.h"

/* Frames that are kept if nothing is said. */
#define FRAMES_DEFAULT 8

struct stoa_history {
    stoa_world *world;
    stoa__heap heap;     /* of this struct and its list, on the world's allocator */
    stoa_frames *frames; /* NULL once the app is gone */
    stoa_app *app;       /* may be NULL */
    stoa_app_watcher watcher;
    stoa_blob *states; /* of the app, one more than frames are kept; frame n's is at n % count */
    uint32_t state_count;
};

static stoa_blob *state_of(const stoa_history *history, int64_t frame) {
    return &history->states[(uint64_t)frame % history->state_count];
}

static void app_freed(void *user) {
    stoa_history *history = user;
    stoa_frames_free(history->frames);
    history->frames = NULL;
    history->app = NULL;
}

static void history_delete(stoa_history *history) {
    stoa__heap heap = history->heap;
    for (uint32_t i = 0; i < history->state_count; i++) {
        stoa_blob_free(&history->states[i]);
    }
    stoa__heap_free(&heap, history->states, history->state_count * sizeof *history->states,
                    _Alignof(stoa_blob));
    stoa__heap_free(&heap, history, sizeof *history, _Alignof(stoa_history));
}

/* Room for the states of the app. */
static stoa_status states_new(stoa_history *history, int32_t frames) {
    uint32_t count = (uint32_t)frames + 1;
    history->states =
        stoa__heap_zalloc(&history->heap, count * sizeof *history->states, _Alignof(stoa_blob));
    if (history->states == NULL) {
        return stoa_world_report(history->world, stoa__error_memory("a history"));
    }
    history->state_count = count;
    for (uint32_t i = 0; i < count; i++) {
        history->states[i].allocator = &history->heap.hooks;
    }
    return STOA_OK;
}

static stoa_status desc_check(const stoa_world *world, const stoa_history_desc *desc) {
    if (world == NULL) {
        return stoa__error(STOA_NULL_ARGUMENT, "the world must not be null");
    }
    if (desc->app != NULL && stoa_app_world(desc->app) != world) {
        return stoa_world_report(world,
                                 stoa__error(STOA_INVALID, "the app runs another world than the "
                                                           "history is of"));
    }
    return STOA_OK;
}

stoa_history *stoa_history_new(stoa_world *world, const stoa_history_desc *desc) {
    stoa_history_desc none = {.frames = 0};
    desc = desc != NULL ? desc : &none;
    int32_t count = desc->frames != 0 ? desc->frames : FRAMES_DEFAULT;
    if (desc_check(world, desc) != STOA_OK) {
        return NULL;
    }
    stoa_frames *frames = stoa_frames_new(world, count);
    if (frames == NULL) {
        return NULL;
    }
    stoa__heap heap;
    stoa__heap_init(&heap, stoa_world_allocator(world));
    stoa_history *history = stoa__heap_zalloc(&heap, sizeof *history, _Alignof(stoa_history));
    if (history == NULL) {
        stoa_frames_free(frames);
        stoa_world_report(world, stoa__error_memory("a history"));
        return NULL;
    }
    *history = (stoa_history){.world = world, .heap = heap, .frames = frames, .app = desc->app};
    history->watcher = (stoa_app_watcher){.freed = app_freed, .user = history};
    stoa_status status = states_new(history, count);
    if (status == STOA_OK && history->app != NULL) {
        status = stoa_app_watch(history->app, &history->watcher);
    }
    if (status != STOA_OK) {
        stoa_frames_free(frames);
        history_delete(history);
        return NULL;
    }
    return history;
}

void stoa_history_free(stoa_history *history) {
    if (history == NULL) {
        return;
    }
    if (history->app != NULL) {
        stoa_app_unwatch(history->app, &history->watcher);
    }
    stoa_frames_free(history->frames);
    history_delete(history);
}

/* STOA_OK if the history is there and whole; otherwise an error. */
static stoa_status history_check(const stoa_history *history) {
    if (history == NULL) {
        return stoa__error(STOA_NULL_ARGUMENT, "the history must not be null");
    }
    /* The world may be gone too, so nobody can be told. */
    return history->frames != NULL
               ? STOA_OK
               : stoa__error(STOA_FREED, "the app of the history was freed, and its frames");
}

int64_t stoa_history_save(stoa_history *history) {
    if (history_check(history) != STOA_OK) {
        return -1;
    }
    int64_t frame = stoa_frames_next(history->frames);
    if (history->app != NULL &&
        stoa_app_state_save(history->app, state_of(history, frame)) != STOA_OK) {
        return -1;
    }
    return stoa_frames_save(history->frames) == STOA_OK ? frame : -1;
}

stoa_status stoa_history_restore(stoa_history *history, int64_t frame) {
    stoa_status status = history_check(history);
    if (status != STOA_OK || history->app == NULL) {
        return status == STOA_OK ? stoa_frames_restore(history->frames, frame, NULL) : status;
    }
    if (stoa_app_stepping(history->app)) {
        return stoa_world_report(
            history->world,
            stoa__error(STOA_LOCKED, "a frame cannot be restored while the app steps"));
    }
    bool restored;
    status = stoa_frames_restore(history->frames, frame, &restored);
    if (restored) {
        const stoa_blob *state = state_of(history, frame);
        stoa_status loaded = stoa_app_state_load(history->app, state->data, state->size);
        status = status == STOA_OK ? loaded : status;
    }
    return status;
}

int64_t stoa_history_first(const stoa_history *history) {
    return history != NULL ? stoa_frames_first(history->frames) : -1;
}

int64_t stoa_history_last(const stoa_history *history) {
    return history != NULL ? stoa_frames_last(history->frames) : -1;
}

int32_t stoa_history_count(const stoa_history *history) {
    return history != NULL ? stoa_frames_count(history->frames) : 0;
}

size_t stoa_history_bytes(const stoa_history *history) {
    if (history == NULL) {
        return 0;
    }
    size_t bytes = history->heap.used + stoa_frames_bytes(history->frames);
    for (uint32_t i = 0; i < history->state_count; i++) {
        bytes += history->states[i].capacity;
    }
    return bytes;
}

stoa_status stoa_history_clear(stoa_history *history, int64_t next) {
    stoa_status status = history_check(history);
    return status == STOA_OK ? stoa_frames_clear(history->frames, next) : status;
}
