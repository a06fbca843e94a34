/* The app, as the files of this folder see it.
 *
 * Systems are kept in order of registration, behind pointers that stay while a system lives. A plan
 * is a pure function of what was registered and enabled; it is made anew when that changed. Only
 * the thread that steps the app touches any of this, but for `quit` and what jobs are given. */
#ifndef STOA_SCHEDULE_APP_H
#define STOA_SCHEDULE_APP_H

#include "base/bitset.h"
#include "base/error.h"
#include "base/heap.h"
#include "stoa/app.h"
#include "stoa/guard.h"

/* What a system declares, as sets of component ids. */
typedef struct stoa__access {
    stoa__bitset reads;
    stoa__bitset writes; /* what is written is not listed as read too */
    stoa__bitset resource_reads;
    stoa__bitset resource_writes;
    bool exclusive; /* conflicts with all */
    bool script;    /* reads every component that is not hidden */
} stoa__access;

/* A list of texts, up to the first NULL. */
typedef struct stoa__names {
    char *items[STOA_NAME_MAX];
} stoa__names;

typedef struct stoa__system {
    /* What a frame goes by comes first, close together. */
    stoa_system_fn run;
    stoa_system_fn each;
    stoa_query *query; /* of its terms; NULL if it has none */
    stoa_condition_fn condition;
    void *user;
    char *name;
    uint32_t id;
    uint32_t last_run;
    stoa_stage stage;
    bool turn; /* it runs in the batch under way */
    bool ran;
    bool enabled;
    bool script;
    stoa_commands **buffers; /* of its jobs, kept from frame to frame */
    uint32_t buffer_capacity;
    uint32_t buffer_count;
    stoa_handle_habit *habits; /* of jobs, for buffers that are made yet */
    uint32_t habit_capacity;
    uint32_t habit_count;
    uint64_t runs;
    uint64_t stream; /* what random numbers its jobs draw: a hash of its name */
    stoa_thread_rule rule;
    uint32_t shared; /* queries, its own first, that are shared for the batch */
    stoa_query *queries[STOA_DECLARE_MAX]; /* others it iterates, up to the first NULL */
    int32_t grain;

    void (*user_free)(void *user);
    stoa__names labels;
    stoa__names before;
    stoa__names after;
    stoa__access access;
    stoa_guard guard; /* of the threads that run it, in a debug build */
} stoa__system;

typedef struct stoa__stage {
    char *name;
    stoa_stage id;
    bool fixed;
} stoa__stage;

/* Why a system is in its batch and not in an earlier one. */
typedef enum stoa__reason_kind {
    STOA__REASON_NONE,     /* it is in the first */
    STOA__REASON_ORDER,    /* a rule says that it comes after `other` */
    STOA__REASON_CONFLICT, /* it conflicts with `other`, about `id` */
    STOA__REASON_ALONE     /* it or `other` is exclusive */
} stoa__reason_kind;

typedef struct stoa__reason {
    stoa__reason_kind kind;
    const stoa__system *other; /* in the batch right before */
    stoa_component id;
    bool resource;
} stoa__reason;

/* One enabled system in the plan. */
typedef struct stoa__planned {
    stoa__system *system;
    stoa__reason reason;
} stoa__planned;

/* Systems that run side by side: entries `first` to `first + count - 1` of the plan, in order of
 * registration. */
typedef struct stoa__batch {
    uint32_t first;
    uint32_t count;
    /* Nanoseconds that it took on one thread and on several, 0 if not known. Who runs what depends
     * on it, never what comes out. */
    uint64_t alone;
    uint64_t spread;
    uint32_t runs; /* since the plan was made */
} stoa__batch;

/* The batches of one stage, in order of a frame. */
typedef struct stoa__plan_stage {
    stoa_stage stage;
    uint32_t first; /* batch */
    uint32_t count; /* of batches */
} stoa__plan_stage;

typedef struct stoa__plan {
    stoa__planned *systems; /* batch by batch */
    stoa__batch *batches;
    stoa__plan_stage *stages;
    uint32_t system_count;
    uint32_t batch_count;
    uint32_t stage_count;
    uint32_t system_capacity;
    uint32_t batch_capacity;
    uint32_t stage_capacity;
} stoa__plan;

/* A function that a description brought along, to be called when the app is gone. */
typedef struct stoa__ending {
    void (*call)(void *user);
    void *user;
} stoa__ending;

/* Of the pool's hooks, and of an own world's handlers and allocator, which must come last. */
#define STOA__ENDINGS 4

struct stoa_app {
    stoa_world *world;
    stoa__heap heap;
    stoa_pool *pool;
    bool world_own;
    bool pool_own;
    bool stepping;
    bool planned; /* the plan is up to date */
    stoa_atomic quit;

    stoa__stage *stages; /* in order of a frame */
    uint32_t stage_capacity;
    uint32_t stage_count;
    stoa_stage stage_next; /* the number of the next own one */

    stoa__system **systems; /* in order of registration */
    uint32_t system_capacity;
    uint32_t system_count;
    uint32_t system_next; /* the id of the next one */

    stoa__plan plan;
    uint32_t planned_components; /* that the world had when the plan was made */

    uint64_t seed;
    uint64_t shuffle;
    bool eager;
    double fixed_step;
    int32_t step_max;
    double ahead; /* seconds that fixed steps have not covered */
    double delta; /* of the run under way */
    double elapsed;
    uint64_t frame;
    uint64_t steps;
    uint64_t turn;  /* times that the time was told: what random numbers go by */
    bool started;   /* every system of STOA_STARTUP has run */
    uint32_t swept; /* the tick at which old ticks were last looked for */

    struct stoa__work *work;       /* what a batch needs, kept from batch to batch; see work.h */
    struct stoa__timings *timings; /* NULL: none are kept; see timing.h */
    stoa_app_watcher *watchers;    /* the youngest first */
    stoa__ending endings[STOA__ENDINGS];
};

/* Makes sets out of lists of terms, whose types are registered; the thread's error is set. */
stoa_status stoa__access_add(stoa__access *access, stoa__heap *heap, stoa_world *world,
                             const stoa_term *terms, uint32_t count, bool resource);
void stoa__access_fini(stoa__access *access, stoa__heap *heap);

/* True if two systems must not run side by side; tells the first thing they conflict about. `id` is
 * 0 if one is exclusive. */
bool stoa__access_conflict(const stoa_world *world, const stoa__access *a, const stoa__access *b,
                           stoa_component *id, bool *resource);

/* Makes the plan anew; an error, with the thread's error set, leaves the old plan as it was. */
stoa_status stoa__plan_make(stoa_app *app);
void stoa__plan_fini(stoa__plan *plan, stoa__heap *heap);

/* Makes a system that is not listed and has no id; NULL with the thread's error set. */
stoa__system *stoa__system_make(stoa_app *app, const stoa_system_desc *desc);

/* Makes command buffers for so many jobs of a system; the thread's error is set. */
stoa_status stoa__system_buffers(stoa_app *app, stoa__system *system, uint32_t count);

/* Frees a system but for what its user pointer stands for. */
void stoa__system_discard(stoa_app *app, stoa__system *system);

/* Frees a system that is not listed any more, and what its user pointer stands for. */
void stoa__system_delete(stoa_app *app, stoa__system *system);

/* The system of an id, or NULL. */
stoa__system *stoa__system_of(const stoa_app *app, stoa_system system);

/* The stage of a number, or NULL. */
stoa__stage *stoa__stage_of(const stoa_app *app, stoa_stage stage);

/* STOA_OK if the app is there and does not step; otherwise an error that says what is refused. */
stoa_status stoa__app_idle(const stoa_app *app, const char *what);

#endif
