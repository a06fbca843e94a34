/* Timings: taking them down as a frame goes, and adding them up when asked.
 *
 * What a frame takes down stays in its place of the ring until the place is used again. Once each
 * place has been through a frame like the next, nothing is allocated. Without memory a stage or
 * batch is left out and counted. Questions go through everything that is kept, and see complete
 * frames only: those do not change while the app steps, so systems may ask on any thread. */
#include "schedule/timed.h"

#include "os/clock.h"

#include <string.h>

#define FRAMES_MAX 100000

static void frame_fini(stoa__timed_frame *frame, stoa__heap *heap) {
    stoa__heap_grow_free(heap, frame->stages, frame->stage_capacity, sizeof *frame->stages);
    stoa__heap_grow_free(heap, frame->batches, frame->batch_capacity, sizeof *frame->batches);
    stoa__heap_grow_free(heap, frame->spans, frame->span_capacity, sizeof *frame->spans);
}

static void timings_delete(struct stoa__timings *timings, stoa__heap *heap) {
    if (timings != NULL) {
        for (uint32_t i = 0; i < timings->capacity; i++) {
            frame_fini(&timings->frames[i], heap);
        }
        stoa__heap_free(heap, timings->frames, timings->capacity * sizeof *timings->frames,
                        _Alignof(stoa__timed_frame));
        stoa__heap_free(heap, timings, sizeof *timings, _Alignof(struct stoa__timings));
    }
}

/* A ring of so many frames, none taken down yet; NULL on lack of memory. */
static struct stoa__timings *timings_make(stoa__heap *heap, uint32_t capacity) {
    struct stoa__timings *timings =
        stoa__heap_zalloc(heap, sizeof *timings, _Alignof(struct stoa__timings));
    if (timings == NULL) {
        return NULL;
    }
    timings->frames =
        stoa__heap_zalloc(heap, capacity * sizeof *timings->frames, _Alignof(stoa__timed_frame));
    if (timings->frames == NULL) {
        stoa__heap_free(heap, timings, sizeof *timings, _Alignof(struct stoa__timings));
        return NULL;
    }
    timings->capacity = capacity;
    return timings;
}

/* The frame under way. */
static stoa__timed_frame *frame_open(const struct stoa__timings *timings) {
    return &timings->frames[timings->next];
}

void stoa__timings_frame_begin(stoa_app *app) {
    struct stoa__timings *timings = app->timings;
    if (timings == NULL) {
        return;
    }
    timings->count -= timings->count == timings->capacity;
    stoa__timed_frame *frame = frame_open(timings);
    frame->number = app->frame;
    frame->stage_count = frame->batch_count = frame->span_count = frame->lost = 0;
    frame->start = stoa__clock_now();
}

void stoa__timings_frame_end(stoa_app *app) {
    struct stoa__timings *timings = app->timings;
    if (timings != NULL) {
        frame_open(timings)->end = stoa__clock_now();
        timings->next = (timings->next + 1) % timings->capacity;
        timings->count++;
    }
}

void stoa__timings_stage_begin(stoa_app *app, stoa_stage stage) {
    struct stoa__timings *timings = app->timings;
    if (timings == NULL) {
        return;
    }
    stoa__timed_frame *frame = frame_open(timings);
    timings->stage = stage;
    timings->stage_open = stoa__heap_grow(&app->heap, &frame->stages, &frame->stage_capacity,
                                          frame->stage_count + 1, sizeof *frame->stages);
    if (timings->stage_open) {
        frame->stages[frame->stage_count++] =
            (stoa__timed_stage){.start = stoa__clock_now(), .stage = stage};
    } else {
        frame->lost++;
    }
}

void stoa__timings_stage_end(stoa_app *app) {
    struct stoa__timings *timings = app->timings;
    if (timings != NULL && timings->stage_open) {
        stoa__timed_frame *frame = frame_open(timings);
        frame->stages[frame->stage_count - 1].end = stoa__clock_now();
        timings->stage_open = false;
    }
}

stoa__span *stoa__timings_batch_begin(stoa_app *app, uint32_t number, uint32_t job_count) {
    struct stoa__timings *timings = app->timings;
    if (timings == NULL) {
        return NULL;
    }
    stoa__timed_frame *frame = frame_open(timings);
    timings->batch_open = job_count <= UINT32_MAX - frame->span_count &&
                          stoa__heap_grow(&app->heap, &frame->batches, &frame->batch_capacity,
                                          frame->batch_count + 1, sizeof *frame->batches) &&
                          stoa__heap_grow(&app->heap, &frame->spans, &frame->span_capacity,
                                          frame->span_count + job_count, sizeof *frame->spans);
    if (!timings->batch_open) {
        frame->lost++;
        return NULL;
    }
    stoa__span *spans = frame->spans + frame->span_count;
    for (uint32_t i = 0; i < job_count; i++) {
        spans[i] = (stoa__span){.system = 0};
    }
    frame->batches[frame->batch_count++] = (stoa__timed_batch){.start = stoa__clock_now(),
                                                               .stage = timings->stage,
                                                               .number = number,
                                                               .first = frame->span_count,
                                                               .count = job_count};
    frame->span_count += job_count;
    return spans;
}

void stoa__timings_batch_end(stoa_app *app) {
    struct stoa__timings *timings = app->timings;
    if (timings != NULL && timings->batch_open) {
        stoa__timed_frame *frame = frame_open(timings);
        frame->batches[frame->batch_count - 1].end = stoa__clock_now();
        timings->batch_open = false;
    }
}

void stoa__timings_free(stoa_app *app) {
    timings_delete(app->timings, &app->heap);
    app->timings = NULL;
}

stoa_status stoa_timing_keep(stoa_app *app, int32_t frames) {
    stoa_status status = stoa__app_idle(app, "timings are kept or not");
    if (status != STOA_OK) {
        return status;
    }
    if (frames < 0 || frames > FRAMES_MAX) {
        return stoa_world_report(
            app->world, stoa__error(STOA_INVALID, "timings of %d frames; 0 to %d can be kept",
                                    frames, FRAMES_MAX));
    }
    if (app->timings != NULL && app->timings->capacity == (uint32_t)frames) {
        return STOA_OK;
    }
    struct stoa__timings *made = frames > 0 ? timings_make(&app->heap, (uint32_t)frames) : NULL;
    if (frames > 0 && made == NULL) {
        return stoa_world_report(app->world, stoa__error_memory("timings"));
    }
    stoa__timings_free(app);
    app->timings = made;
    return STOA_OK;
}

/* What is asked for: a number, and a second one for batches. */
typedef struct wanted {
    uint32_t number;
    uint32_t batch;
} wanted;

/* Nanoseconds of a frame that what is asked for took; false if it did not run. */
typedef bool (*frame_measure_fn)(const stoa__timed_frame *frame, wanted what, uint64_t *time);

static bool stage_measure(const stoa__timed_frame *frame, wanted what, uint64_t *time) {
    bool ran = false;
    for (uint32_t i = 0; i < frame->stage_count; i++) {
        const stoa__timed_stage *stage = &frame->stages[i];
        if (stage->stage == what.number) {
            *time += stage->end - stage->start;
            ran = true;
        }
    }
    return ran;
}

static bool batch_measure(const stoa__timed_frame *frame, wanted what, uint64_t *time) {
    bool ran = false;
    for (uint32_t i = 0; i < frame->batch_count; i++) {
        const stoa__timed_batch *batch = &frame->batches[i];
        if (batch->stage == what.number && batch->number == what.batch) {
            *time += batch->end - batch->start;
            ran = true;
        }
    }
    return ran;
}

static bool system_measure(const stoa__timed_frame *frame, wanted what, uint64_t *time) {
    bool ran = false;
    for (uint32_t i = 0; i < frame->span_count; i++) {
        const stoa__span *span = &frame->spans[i];
        if (span->system == what.number) {
            *time += span->end - span->start;
            ran = true;
        }
    }
    return ran;
}

static bool thread_measure(const stoa__timed_frame *frame, wanted what, uint64_t *time) {
    bool ran = false;
    for (uint32_t i = 0; i < frame->span_count; i++) {
        const stoa__span *span = &frame->spans[i];
        if (span->system != 0 && (uint32_t)span->lane == what.number) {
            *time += span->end - span->start;
            ran = true;
        }
    }
    return ran;
}

/* Adds up what is asked for, frame by frame. */
static stoa_timing frames_measure(const stoa_app *app, frame_measure_fn measure, wanted what) {
    const struct stoa__timings *timings = app != NULL ? app->timings : NULL;
    stoa_timing timing = {.count = 0};
    uint64_t total = 0, most = 0;
    for (uint32_t i = 0; timings != NULL && i < timings->count; i++) {
        uint64_t time = 0;
        timing.count += measure(stoa__timed_at(timings, i), what, &time);
        timing.last = (double)time * 1e-9;
        total += time;
        most = time > most ? time : most;
    }
    timing.mean = timing.count > 0 ? (double)total * 1e-9 / timing.count : 0;
    timing.most = (double)most * 1e-9;
    return timing;
}

stoa_timing stoa_timing_system(const stoa_app *app, stoa_system system) {
    /* No system has the id 0; jobs that never started do. */
    return frames_measure(system.id != 0 ? app : NULL, system_measure, (wanted){system.id, 0});
}

stoa_timing stoa_timing_stage(const stoa_app *app, stoa_stage stage) {
    return frames_measure(app, stage_measure, (wanted){stage, 0});
}

stoa_timing stoa_timing_batch(const stoa_app *app, stoa_stage stage, int32_t batch) {
    return frames_measure(app, batch_measure, (wanted){stage, (uint32_t)batch});
}

stoa_timing stoa_timing_thread(const stoa_app *app, int32_t thread) {
    return frames_measure(app, thread_measure, (wanted){(uint32_t)thread, 0});
}
