/* Running a batch.
 *
 * The batch is cut into jobs by the rows that systems match. Each job has a command buffer; all of
 * them are forked in order, which locks the world and settles the handles of what jobs create.
 * Threads take jobs one by one from a list; the caller takes those that are for the main thread
 * first. When all are done the buffers are joined and applied in order of systems and jobs. So what
 * comes out depends on the world and the systems, never on who ran what.
 * A batch with little to do runs on the calling thread alone. No allocation once warm. */
#include "schedule/work.h"

#include "schedule/timing.h"

#include "base/inline.h"
#include "os/clock.h"
#include "stoa/extension.h"

#include <stdio.h>
#include <string.h>

/* What threads write to is kept that far apart. */
#define LINE 64
/* Nanoseconds of work that are worth waking a thread for. */
#define WORTH 20000u
/* What apart the random numbers of jobs begin; it is odd. */
#define STREAM UINT64_C(0xd1b54a32d192ed03)
/* Runs of a batch after which the way that took longer is tried again. */
#define RETRY 64u
/* Runs in a row that several threads are tried for: in the first they have to wake up. */
#define TRIES 4u

stoa__work *stoa__work_new(stoa_app *app) {
    stoa__work *work = stoa__heap_zalloc(&app->heap, sizeof *work, _Alignof(stoa__work));
    if (work == NULL) {
        stoa__error_memory("an app");
        return NULL;
    }
    work->app = app;
    work->lane_count = stoa_pool_threads(app->pool);
    work->lanes =
        stoa__heap_zalloc(&app->heap, (size_t)work->lane_count * sizeof *work->lanes, LINE);
    work->taking =
        stoa__heap_zalloc(&app->heap, (size_t)work->lane_count * sizeof *work->taking, LINE);
    if (work->lanes == NULL || work->taking == NULL) {
        stoa__error_memory("an app");
        stoa__work_free(work);
        return NULL;
    }
    return work;
}

void stoa__work_free(stoa__work *work) {
    if (work != NULL) {
        stoa__heap *heap = &work->app->heap;
        stoa__heap_grow_free(heap, work->tasks, work->task_capacity, sizeof *work->tasks);
        stoa__heap_grow_free(heap, work->buffers, work->buffer_capacity, sizeof(stoa_commands *));
        stoa__heap_grow_free(heap, work->order, work->order_capacity, sizeof *work->order);
        stoa__heap_free(heap, work->lanes, (size_t)work->lane_count * sizeof *work->lanes, LINE);
        stoa__heap_free(heap, work->taking, (size_t)work->lane_count * sizeof *work->taking, LINE);
        stoa__heap_free(heap, work, sizeof *work, _Alignof(stoa__work));
    }
}

/* Notes that a task failed, if it is the first of its thread in the order of tasks. The thread's
 * error is told if it is the task's: one of those after the first `errors`. */
static void lane_fail(stoa__lane *lane, uint32_t task, stoa_status status, uint32_t errors) {
    if (task < lane->failed) {
        stoa_error error = stoa_last_error();
        bool own = error.status == status && stoa__error_count() != errors;
        lane->failed = task;
        lane->status = status;
        snprintf(lane->message, sizeof lane->message, "%s",
                 own ? error.message : stoa_status_text(status));
    }
}

/* What all jobs of a thread in a batch have in common: the job, but for what it becomes, and an
 * iteration that is at its end. */
typedef struct desk {
    stoa_job job;
    stoa_iter none;
    uint64_t seed;
} desk;

static desk desk_make(const stoa_app *app) {
    return (desk){
        .job = {.world = app->world, .delta = app->delta, .frame = app->frame},
        .seed = stoa_random_new(app->seed, app->turn).state,
    };
}

/* Makes a job that of a task. */
STOA__INLINE void job_become(stoa_job *job, uint64_t seed, const stoa__task *task,
                             stoa_commands *commands) {
    const stoa__system *system = task->system;
    uint64_t stream = system->stream + (uint32_t)task->index;
    job->commands = commands;
    job->user = system->user;
    job->system = system->name;
    job->last_run = system->last_run;
    job->first_run = !system->ran;
    job->index = task->index;
    job->count = task->count;
    job->random.state = seed + stream * STREAM;
}

/* Calls a system's function for each chunk of an iteration. */
static stoa_status chunks_call(const stoa__system *system, stoa_job *job, stoa_iter *it) {
    stoa_status status = STOA_OK;
    while (status == STOA_OK && stoa_iter_next(it)) {
        stoa_iter_ahead(it);
        status = system->each(job, it);
    }
    stoa_iter_end(it);
    return status;
}

/* In a debug build: puts a guard in force on the calling thread and returns the one that was. */
static const stoa_guard *guard_swap(const stoa_guard *guard) {
#ifdef STOA_DEBUG
    return stoa_guard_set(guard);
#else
    return guard;
#endif
}

/* Runs a system that has a query. */
static stoa_status query_run(const stoa__system *system, stoa_job *job) {
    if (system->each != NULL) {
        stoa_iter it = stoa_query_part(system->query, job->index);
        return chunks_call(system, job, &it);
    }
    stoa_iter it = stoa_query_iter(system->query);
    stoa_status status = system->run(job, &it);
    stoa_iter_end(&it);
    return status;
}

STOA__INLINE void task_run(stoa__work *work, uint32_t place, desk *at, int32_t lane) {
    uint32_t number = work->in_order ? place : work->order[place];
    const stoa__task *task = &work->tasks[number];
    const stoa__system *system = task->system;
    uint64_t start = work->spans != NULL ? stoa__clock_now() : 0;
    uint32_t errors = stoa__error_count();
    job_become(&at->job, at->seed, task, work->buffers[number]);
    const stoa_guard *before = guard_swap(&system->guard);
    stoa_status status =
        system->query != NULL ? query_run(system, &at->job) : system->run(&at->job, &at->none);
    (void)guard_swap(before);
    if (status != STOA_OK) {
        lane_fail(&work->lanes[lane], number, status, errors);
    }
    if (work->spans != NULL) {
        work->spans[number] = (stoa__span){start, stoa__clock_now(), system->id, lane};
    }
}

/* Takes tasks of a share, one after the other, while there are any. */
static void share_run(stoa__work *work, stoa__taking *share, desk *at, int32_t number) {
    for (;;) {
        uint32_t i = atomic_fetch_add_explicit(&share->next, 1, memory_order_relaxed);
        if (i >= share->end) {
            break;
        }
        task_run(work, i, at, number);
    }
}

/* What a thread does in a batch: its share of the tasks, then what is left of the others'. */
static void lane_run(int32_t number, void *data) {
    stoa__work *work = data;
    desk at = desk_make(work->app);
    if (number == 0) {
        for (uint32_t i = work->any_count; i < work->task_count; i++) {
            task_run(work, i, &at, number);
        }
    }
    for (int32_t i = 0; i < work->lane_used; i++) {
        share_run(work, &work->taking[(number + i) % work->lane_used], &at, number);
    }
}

/* Runs all tasks on the calling thread. */
static void lane_run_alone(stoa__work *work) {
    desk at = desk_make(work->app);
    for (uint32_t i = 0; i < work->task_count; i++) {
        task_run(work, i, &at, 0);
    }
}

stoa_status stoa__system_buffers(stoa_app *app, stoa__system *system, uint32_t count) {
    if (count > system->buffer_capacity &&
        !stoa__heap_grow(&app->heap, &system->buffers, &system->buffer_capacity, count,
                         sizeof(stoa_commands *))) {
        return stoa__error_memory("the jobs of a batch");
    }
    while (system->buffer_count < count) {
        stoa_commands *commands = stoa_commands_new(app->world);
        if (commands == NULL) {
            return stoa_last_error().status;
        }
        if (system->buffer_count < system->habit_count) {
            (void)stoa_commands_habit_set(commands, system->habits[system->buffer_count]);
        }
        system->buffers[system->buffer_count++] = commands;
    }
    return STOA_OK;
}

/* Room for so many tasks more, and a buffer of the system's for each. */
static stoa_status tasks_reserve(stoa__work *work, stoa__system *system, uint32_t count) {
    stoa__heap *heap = &work->app->heap;
    uint32_t total = work->task_count + count;
    if (total > work->task_most) {
        bool grown =
            stoa__heap_grow(heap, &work->tasks, &work->task_capacity, total, sizeof *work->tasks) &&
            stoa__heap_grow(heap, &work->buffers, &work->buffer_capacity, total,
                            sizeof(stoa_commands *)) &&
            stoa__heap_grow(heap, &work->order, &work->order_capacity, total, sizeof *work->order);
        if (!grown) {
            return stoa__error_memory("the jobs of a batch");
        }
        work->task_most = total;
    }
    return count <= system->buffer_count ? STOA_OK : stoa__system_buffers(work->app, system, count);
}

/* Adds the tasks of a system, for which there is room. */
static void tasks_add(stoa__work *work, stoa__system *system, int32_t count) {
    for (int32_t i = 0; i < count; i++) {
        work->buffers[work->task_count] = system->buffers[i];
        work->tasks[work->task_count++] = (stoa__task){system, i, count};
    }
    work->main_count += system->rule == STOA_THREAD_MAIN ? (uint32_t)count : 0;
}

/* Cuts a system's work into tasks, or makes it one. */
static stoa_status system_cut(stoa__work *work, const stoa__batch *batch, stoa__system *system) {
    int32_t count = 1;
    if (system->query == NULL && system->queries[0] == NULL && system->buffer_count > 0 &&
        work->task_count < work->task_most) {
        tasks_add(work, system, 1);
        return STOA_OK;
    }
    if (system->each != NULL) {
        int32_t grain = system->rule == STOA_THREAD_ANY ? system->grain : INT32_MAX;
        count = stoa_query_cut(system->query, system->ran ? &system->last_run : NULL, grain);
    }
    if (count < 0 || stoa__share_begin(work, batch, system) != STOA_OK) {
        return stoa_last_error().status;
    }
    stoa_status status = tasks_reserve(work, system, (uint32_t)count);
    if (status == STOA_OK) {
        tasks_add(work, system, count);
    }
    return status;
}

/* Lists the tasks in the order they are started: those for any thread first. */
static void tasks_order(stoa__work *work) {
    uint32_t any = work->task_count - work->main_count;
    work->any_count = any;
    work->in_order = work->main_count == 0 && work->app->shuffle == 0;
    if (work->in_order) {
        return;
    }
    for (uint32_t i = 0, next = 0, other = any; i < work->task_count; i++) {
        bool main_only = work->tasks[i].system->rule == STOA_THREAD_MAIN;
        work->order[main_only ? other++ : next++] = i;
    }
    if (work->app->shuffle != 0) {
        stoa_random random = stoa_random_new(work->app->shuffle, stoa_tick(work->app->world));
        for (uint32_t i = any; i > 1; i--) {
            uint32_t k = stoa_random_below(&random, i), kept = work->order[k];
            work->order[k] = work->order[i - 1];
            work->order[i - 1] = kept;
        }
    }
}

/* Whether a batch is to be run by several threads: if it takes less time so, as far as is known.
 * Every so often the other way is tried again. */
static bool batch_spread(const stoa__work *work, stoa__batch *batch, uint32_t sides) {
    if (work->lane_count == 1 || sides < 2) {
        return false;
    }
    if (work->app->eager) {
        return true;
    }
    if (batch->alone < WORTH) {
        return false;
    }
    bool better = batch->spread == 0 || batch->spread < batch->alone;
    batch->runs++;
    return batch->runs % RETRY < (better ? 1 : TRIES) ? !better : better;
}

/* Notes how long a batch took. A time that is longer than the one before counts for an eighth: a
 * thread may have been interrupted. */
static void time_note(uint64_t *known, uint64_t time) {
    *known = *known == 0 || time < *known ? time : *known + (time - *known) / 8;
}

/* The first failure in the order of tasks, as the thread's error. */
static stoa_status lanes_status(const stoa__work *work) {
    const stoa__lane *failed = &work->lanes[0];
    for (int32_t i = 1; i < work->lane_used; i++) {
        failed = work->lanes[i].failed < failed->failed ? &work->lanes[i] : failed;
    }
    return failed->failed == UINT32_MAX
               ? STOA_OK
               : stoa__error(failed->status, "system '%s': %s",
                             work->tasks[failed->failed].system->name, failed->message);
}

/* Gives each lane a share of the tasks for any thread: neighbours, and much the same ones in every
 * frame, so that they are in its caches. */
static void tasks_divide(stoa__work *work) {
    uint32_t lanes = (uint32_t)work->lane_used;
    for (uint32_t i = 0; i < lanes; i++) {
        uint32_t first = (uint32_t)((uint64_t)work->any_count * i / lanes);
        atomic_store_explicit(&work->taking[i].next, first, memory_order_relaxed);
        work->taking[i].end = (uint32_t)((uint64_t)work->any_count * (i + 1) / lanes);
    }
}

/* Runs the tasks, on as many threads as are worth it. An error tells that none was run. */
static stoa_status tasks_run(stoa__work *work, stoa__batch *batch) {
    uint32_t sides = work->any_count + (work->any_count < work->task_count);
    bool spread = batch_spread(work, batch, sides);
    int32_t lanes = !spread                              ? 1
                    : (uint32_t)work->lane_count < sides ? work->lane_count
                                                         : (int32_t)sides;
    bool timed = work->lane_count > 1 && sides > 1;
    uint64_t start = timed ? stoa__clock_now() : 0;
    for (int32_t i = 0; i < lanes; i++) {
        work->lanes[i].failed = UINT32_MAX;
    }
    work->lane_used = lanes;
    if (spread) {
        tasks_divide(work);
        stoa_status status = stoa_pool_start(work->app->pool, lanes, lane_run, work);
        if (status != STOA_OK) {
            return status;
        }
        lane_run(0, work);
        stoa_pool_wait(work->app->pool);
    } else {
        lane_run_alone(work);
    }
    if (timed) {
        time_note(spread ? &batch->spread : &batch->alone, stoa__clock_now() - start);
    }
    return STOA_OK;
}

/* Notes that the systems of a batch have run. */
static void batch_ran(stoa_app *app, const stoa__batch *batch) {
    uint32_t tick = stoa_tick(app->world);
    for (uint32_t i = 0; i < batch->count; i++) {
        stoa__system *system = app->plan.systems[batch->first + i].system;
        if (system->turn) {
            if (system->shared > 0) {
                stoa__share_end(system, true);
            }
            system->last_run = tick;
            system->ran = true;
            system->runs++;
        }
    }
}

/* Ends the sharing of queries for a batch that did not run. */
static void batch_unshare(stoa_app *app, const stoa__batch *batch) {
    for (uint32_t i = 0; i < batch->count; i++) {
        stoa__share_end(app->plan.systems[batch->first + i].system, false);
    }
}

/* Applies the commands of a batch whose jobs are done, or drops them if it failed, and tells the
 * failure. */
static stoa_status batch_end(stoa__work *work, stoa_status failed) {
    if (failed == STOA_OK) {
        return stoa__work_resume(work);
    }
    char message[STOA__MESSAGE_SIZE];
    snprintf(message, sizeof message, "%s", stoa_last_error().message);
    (void)stoa__work_resume(work);
    return stoa__error(failed, "%s", message);
}

/* Runs the systems of a batch side by side. */
static stoa_status batch_run(stoa__work *work, stoa__batch *batch, uint32_t number) {
    stoa_app *app = work->app;
    stoa_status status = STOA_OK;
    work->task_count = work->main_count = 0;
    for (uint32_t i = 0; i < batch->count && status == STOA_OK; i++) {
        stoa__system *system = app->plan.systems[batch->first + i].system;
        status = system->turn ? system_cut(work, batch, system) : STOA_OK;
    }
    if (status == STOA_OK) {
        status = stoa_commands_fork(app->world, work->buffers, (int32_t)work->task_count);
    }
    if (status != STOA_OK) {
        batch_unshare(app, batch);
        return status;
    }
    work->state = STOA__WORK_FORKED;
    work->spans = stoa__timings_batch_begin(app, number, work->task_count);
    tasks_order(work);
    status = tasks_run(work, batch);
    if (status == STOA_OK) {
        batch_ran(app, batch);
        status = lanes_status(work);
    } else {
        batch_unshare(app, batch);
    }
    work->dropping = status != STOA_OK;
    status = batch_end(work, status);
    stoa__timings_batch_end(app);
    return status;
}

/* Makes the one task of a system that has the world to itself. */
static stoa_status alone_prepare(stoa__work *work, stoa__system *system) {
    work->task_count = 0;
    stoa_status status = tasks_reserve(work, system, 1);
    if (status == STOA_OK) {
        tasks_add(work, system, 1);
    }
    return status;
}

/* Calls a system that has the world to itself; `ran` tells whether it came to that. */
static stoa_status alone_call(stoa__system *system, desk *at, bool *ran) {
    *ran = true;
    if (system->each == NULL) {
        return system->run(&at->job, &at->none);
    }
    stoa_iter it = system->ran ? stoa_query_iter_since(system->query, system->last_run)
                               : stoa_query_iter(system->query);
    *ran = it.query != NULL;
    return *ran ? chunks_call(system, &at->job, &it) : stoa_last_error().status;
}

/* Runs a system that has the world to itself. */
static stoa_status alone_run(stoa__work *work, stoa__system *system, uint32_t number) {
    stoa_app *app = work->app;
    stoa_status status = alone_prepare(work, system);
    if (status != STOA_OK) {
        return status;
    }
    work->spans = stoa__timings_batch_begin(app, number, 1);
    uint64_t start = work->spans != NULL ? stoa__clock_now() : 0;
    uint32_t errors = stoa__error_count();
    bool ran;
    desk at = desk_make(app);
    job_become(&at.job, at.seed, work->tasks, work->buffers[0]);
    status = alone_call(system, &at, &ran);
    work->lanes[0].failed = UINT32_MAX;
    work->lane_used = 1;
    if (status != STOA_OK) {
        lane_fail(&work->lanes[0], 0, status, errors);
        status = lanes_status(work);
    }
    if (work->spans != NULL) {
        work->spans[0] = (stoa__span){start, stoa__clock_now(), system->id, 0};
    }
    if (ran) {
        /* Nobody else wrote meanwhile, so all that is older than its end is known to it. */
        system->last_run = stoa_tick(app->world);
        system->ran = true;
        system->runs++;
    }
    work->state = STOA__WORK_FLUSHING;
    work->flush_next = 0;
    work->dropping = status != STOA_OK;
    stoa_tick_advance(app->world);
    status = batch_end(work, status);
    stoa__timings_batch_end(app);
    return status;
}

stoa_status stoa__work_run(stoa__work *work, stoa__batch *batch, uint32_t number) {
    stoa_app *app = work->app;
    uint32_t turns = 0;
    bool once = batch->count > 0 && app->plan.systems[batch->first].system->stage == STOA_STARTUP;
    for (uint32_t i = 0; i < batch->count; i++) {
        stoa__system *system = app->plan.systems[batch->first + i].system;
        system->turn = (!once || !system->ran) &&
                       (system->condition == NULL || system->condition(app->world, system->user));
        turns += system->turn;
    }
    if (turns == 0) {
        return STOA_OK;
    }
    stoa_settle(app->world);
    stoa_tick_advance(app->world);
    stoa__system *first = app->plan.systems[batch->first].system;
    return batch->count == 1 && first->rule == STOA_THREAD_EXCLUSIVE
               ? alone_run(work, first, number)
               : batch_run(work, batch, number);
}
