/* Running a batch: jobs, the threads that take them, and the commands they leave. */
#ifndef STOA_SCHEDULE_WORK_H
#define STOA_SCHEDULE_WORK_H

#include "schedule/app.h"

/* Bytes of an error that is put aside. */
#define STOA__MESSAGE_SIZE 400

/* One job of a batch. */
typedef struct stoa__task {
    stoa__system *system;
    int32_t index; /* which share of the system's work */
    int32_t count; /* of shares */
} stoa__task;

/* What a thread tells of the batch it worked on; apart from each other's cache lines. */
typedef struct stoa__lane {
    uint32_t failed;    /* the first task of this thread, in order, that failed; UINT32_MAX */
    stoa_status status; /* with what */
    char message[232];
} stoa__lane;

/* Where threads take the tasks of a share from, the thread whose share it is first: on a cache line
 * of its own, since all of them write to it. */
typedef struct stoa__taking {
    stoa_atomic next; /* of the order of tasks, the next to be taken */
    uint32_t end;     /* of the share */
    uint8_t apart[56];
} stoa__taking;

/* How far a batch has come. A failure for lack of memory leaves it where it is, to be gone on with
 * in the next step. */
typedef enum stoa__work_state {
    STOA__WORK_IDLE,
    STOA__WORK_FORKED,  /* the jobs are done; their buffers are still to be joined */
    STOA__WORK_FLUSHING /* and to be applied from `flush_next` on */
} stoa__work_state;

typedef struct stoa__work {
    stoa_app *app;
    stoa__work_state state;
    bool dropping; /* a job failed: what the batch recorded is not applied */

    stoa__task *tasks; /* in order of systems and shares */
    uint32_t task_capacity;
    uint32_t task_count;
    stoa_commands **buffers; /* of the tasks */
    uint32_t buffer_capacity;
    int32_t flush_next;
    uint32_t *order; /* of tasks as they are started: first those for any thread, then the others */
    uint32_t order_capacity;
    uint32_t any_count;  /* tasks for any thread */
    uint32_t main_count; /* and for the main thread */
    uint32_t task_most;  /* tasks there is room for */
    bool in_order;       /* tasks are started in order, and `order` does not matter */

    stoa__lane *lanes;
    int32_t lane_count;
    int32_t lane_used;        /* by the batch that ran last */
    struct stoa__span *spans; /* of the tasks; NULL: no timings are kept */
    stoa__taking *taking;     /* by lane */
} stoa__work;

/* Makes what batches need; NULL on lack of memory, with the thread's error set. */
stoa__work *stoa__work_new(stoa_app *app);
void stoa__work_free(stoa__work *work);

/* Runs a batch, of that number in its stage, and applies its commands. The thread's error is set,
 * not reported, and names the system. */
stoa_status stoa__work_run(stoa__work *work, stoa__batch *batch, uint32_t number);

/* Prepares a system's queries to be iterated by threads in a batch; a failure is reported. */
stoa_status stoa__share_begin(stoa__work *work, const stoa__batch *batch, stoa__system *system);

/* Ends what stoa__share_begin began, as far as it came; `ran` tells that the batch ran. */
void stoa__share_end(stoa__system *system, bool ran);

/* Goes on with a batch that was left for lack of memory. */
stoa_status stoa__work_resume(stoa__work *work);

#endif
