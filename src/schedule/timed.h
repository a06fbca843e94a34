/* The timings that are kept, as timing.c writes them and trace.c reads them.
 *
 * Frames form a ring. Each keeps its stages, batches and spans in arrays of its own, which stay for
 * the frame that takes its place. Times are nanoseconds of the clock. */
#ifndef STOA_SCHEDULE_TIMED_H
#define STOA_SCHEDULE_TIMED_H

#include "schedule/timing.h"

/* One run of a stage. */
typedef struct stoa__timed_stage {
    uint64_t start;
    uint64_t end;
    stoa_stage stage;
} stoa__timed_stage;

/* One run of a batch. */
typedef struct stoa__timed_batch {
    uint64_t start;
    uint64_t end;
    stoa_stage stage;
    uint32_t number; /* in its stage */
    uint32_t first;  /* of its jobs' spans in the frame */
    uint32_t count;
} stoa__timed_batch;

typedef struct stoa__timed_frame {
    uint64_t start;
    uint64_t end;
    uint64_t number;
    stoa__timed_stage *stages;
    stoa__timed_batch *batches;
    stoa__span *spans; /* a job that never started has system 0 */
    uint32_t stage_count;
    uint32_t batch_count;
    uint32_t span_count;
    uint32_t stage_capacity;
    uint32_t batch_capacity;
    uint32_t span_capacity;
    uint32_t lost; /* stages and batches that there was no memory for */
} stoa__timed_frame;

struct stoa__timings {
    stoa__timed_frame *frames;
    uint32_t capacity;
    uint32_t count;   /* complete ones; the one under way is not told of */
    uint32_t next;    /* where the frame under way is, or the next one will be */
    stoa_stage stage; /* the one under way */
    bool stage_open;  /* and it has an entry, the last one */
    bool batch_open;  /* the batch under way has an entry, the last one */
};

/* A frame that is kept, the oldest first. */
static inline const stoa__timed_frame *stoa__timed_at(const struct stoa__timings *timings,
                                                      uint32_t index) {
    uint32_t first = timings->next + timings->capacity - timings->count;
    return &timings->frames[(first + index) % timings->capacity];
}

#endif
