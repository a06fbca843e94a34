/* The app: one world, the systems that run over it, stage by stage, and the passing of time.
 *
 * A frame goes through the stages in order. In a stage systems run in batches: those of one batch
 * side by side, with no conflict among them, and their commands are applied after it. The world
 * that comes out depends on the systems, the seed and the times given, never on threads. */
#ifndef STOA_APP_H
#define STOA_APP_H

#include "stoa/code.h"
#include "stoa/pool.h"
#include "stoa/resume.h"
#include "stoa/stream.h"
#include "stoa/system.h"
#include "stoa/typed.h"

/// The time, a resource of every app's world, up to date whenever a system runs.
/// `delta`: seconds that this run stands for. `elapsed`: seconds so far, this run included.
/// `step`: the fixed step, 0 if there is none. `ahead`: seconds of the frame that no fixed step
/// has covered yet. `frame`: frames before this one. `steps`: fixed steps before this one.
STOA_COMPONENT_WITH(stoa_time, STOA_OPTIONS("stoa.Time", {0, 0, 0, 0, 0}, 0, 0, 0), {
    double delta, elapsed, step, ahead;
    uint64_t frame, steps;
});

STOA_BEGIN

/// How to make an app; zero is the default of each member.
typedef struct stoa_app_desc {
    stoa_world *world;               ///< must outlive the app; NULL: one is made, and freed with it
    const stoa_world_desc *world_as; ///< how it is made; may be NULL
    stoa_pool *pool;                 ///< threads to use; must outlive the app. NULL: own ones
    int32_t threads;                 ///< of an own pool; 0: as many as the machine has cores
    const stoa_pool_hooks *hooks;    ///< an engine's job system for an own pool
    uint64_t seed;                   ///< of the random numbers that jobs draw
    double fixed_step;               ///< seconds; above 0 the update stages run in steps of it
    int32_t step_max;                ///< fixed steps of one frame at most; 0: 8. The rest is lost
    uint64_t shuffle;                ///< not 0: jobs start in an order drawn from it, for tests
    bool eager; ///< threads are woken for every batch, however small, for tests
} stoa_app_desc;

/// Makes an app; NULL on error. `desc` may be NULL.
stoa_app *stoa_app_new(const stoa_app_desc *desc);

/// Frees an app, its systems, and the world if it made it; NULL is fine. Refused while it steps.
/// After a step that failed for lack of memory this may fail for it too, and can be repeated.
stoa_status stoa_app_free(stoa_app *app);

/// Somebody who keeps a pointer to an app, and is told when it is freed.
/// It stays where it is, and its members as they are, until then or until stoa_app_unwatch.
typedef struct stoa_app_watcher {
    void (*freed)(void *user);     ///< called once, while the app is still whole
    void *user;                    ///< handed to the call
    struct stoa_app_watcher *next; ///< the app's
} stoa_app_watcher;

/// Has a watcher told when the app is freed.
stoa_status stoa_app_watch(stoa_app *app, stoa_app_watcher *watcher);

/// Lets go of a watcher; a no-op if the app does not have it.
void stoa_app_unwatch(stoa_app *app, stoa_app_watcher *watcher);

/// Takes systems and watchers away that lead into code which is about to go; see code.h.
/// Refused while the app steps.
stoa_status stoa_app_forget(stoa_app *app, const struct stoa_code *code);

/// The world that the app runs.
stoa_world *stoa_app_world(const stoa_app *app);

/// How many threads it uses, the caller's included.
int32_t stoa_app_threads(const stoa_app *app);

/// The threads that it uses; at rest between frames and while an exclusive system runs.
stoa_pool *stoa_app_pool(const stoa_app *app);

/// Runs one frame that stands for `delta` seconds.
/// If a system fails the frame ends after its batch: the batch's commands are dropped, what earlier
/// batches did stays, and the error names the system. The next call begins a new frame. A plan
/// that cannot be made is an error before anything has run.
stoa_status stoa_app_step(stoa_app *app, double delta);

/// How to run frame after frame; zero is the default of each member.
typedef struct stoa_run_desc {
    double delta;    ///< seconds that each frame stands for; 0: what the clock says
    uint64_t frames; ///< how many; 0: until stoa_app_quit
    double rate;     ///< frames a second at most; 0: as fast as it goes
} stoa_run_desc;

/// Steps until stoa_app_quit, the last frame or a failure. `desc` may be NULL.
stoa_status stoa_app_run(stoa_app *app, const stoa_run_desc *desc);

/// Ends stoa_app_run after the frame under way; from any thread, from systems too.
void stoa_app_quit(stoa_app *app);

/// True since stoa_app_quit was called; stoa_app_run begins by forgetting it.
/// For loops of one's own around stoa_app_step.
bool stoa_app_quitting(const stoa_app *app);

/// Frames that were begun.
uint64_t stoa_app_frame(const stoa_app *app);

/// True while the app runs a frame.
bool stoa_app_stepping(const stoa_app *app);

/// What the next frame depends on beside the world and the systems: time, and random numbers.
typedef struct stoa_app_state {
    double ahead;   ///< seconds that no fixed step has covered yet
    double elapsed; ///< seconds so far
    uint64_t frame; ///< frames that were begun
    uint64_t steps; ///< fixed steps
    uint64_t turn;  ///< runs of stages that were told the time: random numbers go by it
    uint64_t seed;  ///< of random numbers
    uint32_t swept; ///< the tick at which old last runs were looked for
} stoa_app_state;

/// Tells the state of an app between two frames. Refused while it steps.
stoa_status stoa_app_state_get(const stoa_app *app, stoa_app_state *state);

/// Makes an app go on from a state; systems of STOA_STARTUP that have not run come first.
stoa_status stoa_app_state_set(stoa_app *app, const stoa_app_state *state);

/// What an app knows of a system that has run.
typedef struct stoa_system_state {
    uint64_t runs;     ///< how often it ran
    uint32_t last_run; ///< the tick of its last run
    bool ran;          ///< it has run
    bool enabled;      ///< it runs
} stoa_system_state;

/// Tells the state of a system. Refused while the app steps.
stoa_status stoa_system_state_get(const stoa_app *app, stoa_system system,
                                  stoa_system_state *state);

/// Makes a system go on from a state; NULL: as if it had never run. Needs no memory.
/// Habits that were set are forgotten.
stoa_status stoa_system_state_set(stoa_app *app, stoa_system system,
                                  const stoa_system_state *state);

/// The queries of a system: that of its terms, if it has some, then those it declares.
/// NULL past the last.
stoa_query *stoa_system_query(const stoa_app *app, stoa_system system, int32_t index);

/// How many jobs of a system have given out handles; see stoa_system_habit.
int32_t stoa_system_habits(const stoa_app *app, stoa_system system);

/// How many handles a job of a system gives out, which those of the next frame depend on.
stoa_handle_habit stoa_system_habit(const stoa_app *app, stoa_system system, int32_t job);

/// Makes room for habits of so many jobs; refused while the app steps.
stoa_status stoa_system_habits_reserve(stoa_app *app, stoa_system system, int32_t count);

/// Sets the habit of a job, for which there must be room.
stoa_status stoa_system_habit_set(stoa_app *app, stoa_system system, int32_t job,
                                  stoa_handle_habit habit);

/// Fills a blob with the states of an app and its systems; see stoa_history_new.
/// For the same app in the same run of the program. Refused while it steps.
stoa_status stoa_app_state_save(const stoa_app *app, stoa_blob *blob);

/// Takes back what stoa_app_state_save filled in; systems that came later have never run then.
/// Which systems are enabled is part of it. Needs no memory. Refused while the app steps.
stoa_status stoa_app_state_load(stoa_app *app, const void *bytes, size_t size);

/// How to make a stage; one of `before` and `after` tells where.
typedef struct stoa_stage_desc {
    const char *name;   ///< unique in its app; copied
    const char *before; ///< the stage that it comes right before
    const char *after;  ///< the stage that it comes right after
    bool fixed;         ///< runs once for each fixed step, with its neighbours that do
} stoa_stage_desc;

/// Makes a stage; UINT32_MAX on error. Refused while the app steps.
stoa_stage stoa_stage_new(stoa_app *app, const stoa_stage_desc *desc);

/// The stage of that name; UINT32_MAX, with no error, if there is none.
stoa_stage stoa_stage_find(const stoa_app *app, const char *name);

/// The name of a stage: "Startup", "PreUpdate", "Update" ..., or the one given; NULL if unknown.
const char *stoa_stage_name(const stoa_app *app, stoa_stage stage);

/// The stage at a place in the order of a frame; UINT32_MAX past the last.
stoa_stage stoa_stage_at(const stoa_app *app, int32_t index);

/// Makes the plan now, if something changed since it was last made; stoa_app_step does it too.
/// Cycles, unknown names and contradictions are errors that name the systems.
stoa_status stoa_schedule_plan(stoa_app *app);

/// How many batches a stage has; -1 on error.
/// While the app steps the plan that it runs by stands, whatever was switched meanwhile.
int32_t stoa_schedule_batches(stoa_app *app, stoa_stage stage);

/// The system at a place in a batch, in order; id 0 past the last.
stoa_system stoa_schedule_system(stoa_app *app, stoa_stage stage, int32_t batch, int32_t index);

/// How to write a plan.
typedef enum stoa_schedule_format {
    STOA_SCHEDULE_TEXT, ///< batches, what each system reads and writes, and why it is not earlier
    STOA_SCHEDULE_DOT,  ///< a graph for Graphviz
    STOA_SCHEDULE_SVG   ///< the graph, drawn
} stoa_schedule_format;

/// Writes the plan into a buffer, always terminated; returns the length that it needs.
/// That is without the final zero, and -1 on error. `buffer` may be NULL if `size` is 0.
int64_t stoa_schedule_print(stoa_app *app, stoa_schedule_format format, char *buffer, size_t size);

/// Two systems of a stage that conflict, and no rule says which comes first.
typedef struct stoa_ambiguity {
    stoa_system first;  ///< the one that runs earlier: registered earlier, unless rules say else
    stoa_system second; ///< the other
    stoa_component id;  ///< what they conflict about; 0: one of them is exclusive
    bool resource;      ///< it is the resource of that type
} stoa_ambiguity;

/// Fills in the ambiguities of all stages, as many as there is room for.
/// Returns how many there are, or -1 on error. Each pair is told once for each component and
/// resource in dispute.
int32_t stoa_schedule_ambiguities(stoa_app *app, stoa_ambiguity *list, int32_t capacity);

/// Keeps timings of so many frames, the newest; 0 keeps none and costs nothing.
/// 100,000 at most. Another number than before starts anew. Refused while the app steps.
stoa_status stoa_timing_keep(stoa_app *app, int32_t frames);

/// How long something took, in seconds, over the frames that are kept.
/// To ask goes through all that is kept. Systems may ask, on any thread, of the frames before.
typedef struct stoa_timing {
    double last;   ///< in the newest frame
    double mean;   ///< on average, of the frames in which it ran
    double most;   ///< in the slowest frame
    int32_t count; ///< frames in which it ran
} stoa_timing;

/// The time of a system: the sum of its jobs, on whatever threads.
stoa_timing stoa_timing_system(const stoa_app *app, stoa_system system);

/// The time of a stage from its beginning to its end.
stoa_timing stoa_timing_stage(const stoa_app *app, stoa_stage stage);

/// The time of a batch of a stage from its beginning to the end of its commands.
stoa_timing stoa_timing_batch(const stoa_app *app, stoa_stage stage, int32_t batch);

/// The time that a thread was busy with jobs; thread 0 is the one that steps.
stoa_timing stoa_timing_thread(const stoa_app *app, int32_t thread);

/// Writes the timings that are kept as Chrome trace JSON, which Perfetto opens.
/// `buffer`, `size` and the length returned are those of stoa_schedule_print.
int64_t stoa_timing_trace(const stoa_app *app, char *buffer, size_t size);

/// Calls a function for each entity that matches, on the threads of a pool.
/// It is a run of the query, as stoa_query_each is. `pool` NULL: on as many as the machine has
/// cores, started for this call. The structure of the world cannot change meanwhile, and `call`
/// must not touch what belongs to other entities.
stoa_status stoa_query_each_parallel(stoa_query *query, stoa_pool *pool, stoa_each_fn call,
                                     void *user);

STOA_END

#endif
