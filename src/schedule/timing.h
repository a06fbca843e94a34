/* Timings: when jobs, batches, stages and frames began and ended.
 *
 * Every call is made by the thread that steps the app, and does nothing while no timings are kept.
 * Each job writes a span of its own, so threads share nothing. */
#ifndef STOA_SCHEDULE_TIMING_H
#define STOA_SCHEDULE_TIMING_H

#include "schedule/app.h"

/* When a job ran, in nanoseconds of the clock, and where. */
typedef struct stoa__span {
    uint64_t start;
    uint64_t end;
    uint32_t system; /* its id */
    int32_t lane;    /* which thread; 0 steps the app */
} stoa__span;

/* A frame begins; the oldest one kept gives way. */
void stoa__timings_frame_begin(stoa_app *app);
void stoa__timings_frame_end(stoa_app *app);

void stoa__timings_stage_begin(stoa_app *app, stoa_stage stage);
void stoa__timings_stage_end(stoa_app *app);

/* A batch of the stage begins, with so many jobs; where their spans are to be written, or NULL if
 * no timings are kept or there is no memory for these. `number` counts from 0 in each stage. */
stoa__span *stoa__timings_batch_begin(stoa_app *app, uint32_t number, uint32_t job_count);
void stoa__timings_batch_end(stoa_app *app);

void stoa__timings_free(stoa_app *app);

#endif
