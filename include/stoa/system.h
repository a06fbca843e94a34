/* Systems: functions that run over a world, with what they read and write declared.
 *
 * An app runs systems side by side where their declarations allow it, and its world comes out the
 * same on any number of threads. A registry runs them one after the other. */
#ifndef STOA_SYSTEM_H
#define STOA_SYSTEM_H

#include "stoa/commands.h"
#include "stoa/query.h"
#include "stoa/random.h"

STOA_BEGIN

/// A world, its systems, and the threads that run them; see app.h.
typedef struct stoa_app stoa_app;

/// Names or labels in one list of a system, at most.
#define STOA_NAME_MAX 8
/// Extra components, or resources, or queries that a system declares, at most.
#define STOA_DECLARE_MAX 16

/// Where in a frame a system runs: one of stoa_stages, or one that stoa_stage_new made.
typedef uint32_t stoa_stage;

/// The stages that every app has.
typedef enum stoa_stages {
    STOA_UPDATE,      ///< the work of a frame; where systems go that name no stage
    STOA_STARTUP,     ///< once, in the first frame
    STOA_PRE_UPDATE,  ///< before STOA_UPDATE
    STOA_POST_UPDATE, ///< after it
    STOA_PRE_RENDER,  ///< once the world is up to date
    STOA_RENDER,      ///< what is shown
    STOA_POST_RENDER, ///< after that
    STOA_CLEANUP,     ///< the end of a frame
    STOA_STAGE_OWN    ///< the first number of own stages
} stoa_stages;

/// A share of a system's work, or all of it, as its function sees it.
/// To be read only, but for `random`.
typedef struct stoa_job {
    stoa_world *world;       ///< read by handle what is declared; its structure cannot change
    stoa_commands *commands; ///< changes to be made after the batch, in order of systems and jobs
    void *user;              ///< the system's
    const char *system;      ///< the system's name
    double delta;            ///< seconds that this run stands for
    uint64_t frame;          ///< frames that came before
    uint32_t last_run;       ///< the tick of the system's run before this one
    bool first_run;          ///< there was none
    int32_t index;           ///< which share, from 0
    int32_t count;           ///< how many there are
    stoa_random random;      ///< numbers that depend on the app's seed, frame, system and share
} stoa_job;

/// What a system does; anything but STOA_OK stops the frame after the batch. See stoa_job_fail.
typedef stoa_status (*stoa_system_fn)(stoa_job *job, stoa_iter *it);

/// Whether a system is to run now; called on the main thread before its batch.
typedef bool (*stoa_condition_fn)(const stoa_world *world, void *user);

/// Which threads may run a system.
typedef enum stoa_thread_rule {
    STOA_THREAD_ANY,      ///< any thread, and several at once for `each`
    STOA_THREAD_ANY_ONE,  ///< any thread; its chunks are not split among several
    STOA_THREAD_MAIN,     ///< the thread that steps the app, side by side with others
    STOA_THREAD_EXCLUSIVE ///< the thread that steps the app, alone: it may change the world at once
} stoa_thread_rule;

/// How to make a system. Give `each` or `run`, the rest may be left zeroed.
typedef struct stoa_system_desc {
    const char *name;      ///< unique in its app; copied
    stoa_system_fn each;   ///< called for each chunk that the terms match, with `it` at the chunk
    stoa_system_fn run;    ///< called once, with `it` before the first chunk
    stoa_stage stage;      ///< where in a frame
    stoa_thread_rule rule; ///< which threads
    stoa_term terms[STOA_TERM_MAX];        ///< the query that is walked, and access to it
    stoa_term access[STOA_DECLARE_MAX];    ///< components reached by handle: reads and writes
    stoa_term resources[STOA_DECLARE_MAX]; ///< resources: reads and writes
    stoa_query *queries[STOA_DECLARE_MAX]; ///< others that it iterates; must outlive it
    const char *labels[STOA_NAME_MAX];     ///< what others may order themselves by; copied
    const char *before[STOA_NAME_MAX];     ///< systems or labels that come later; copied
    const char *after[STOA_NAME_MAX];      ///< systems or labels that come earlier; copied
    stoa_condition_fn condition;           ///< NULL: always runs
    bool disabled;                         ///< is not run until it is enabled
    bool script;                           ///< reads every component that is not hidden
    int32_t grain;                         ///< rows of a job, about; 0: by the number of rows
    void *user;                            ///< handed to every call
    void (*user_free)(void *user);         ///< called once when the system is gone; may be NULL
    uint32_t reserved;                     ///< 0
} stoa_system_desc;

/// A system of an app; the id 0 is none.
typedef struct stoa_system {
    uint32_t id; ///< never used twice in one app
} stoa_system;

/// Adds a system, registering the types it names; id 0 on error. Refused while the app steps.
stoa_system stoa_system_new(stoa_app *app, const stoa_system_desc *desc);

/// Fills in a description; made by STOA_SYSTEM.
typedef void (*stoa_system_describe_fn)(stoa_system_desc *desc);

/// stoa_system_new for what STOA_SYSTEM describes; called by stoa_system_add.
stoa_system stoa_system_describe(stoa_app *app, stoa_system_describe_fn describe, void *user);

/// Takes a system away; refused while the app steps.
stoa_status stoa_system_remove(stoa_app *app, stoa_system system);

/// One change to the systems of an app.
typedef struct stoa_system_change {
    stoa_system system;           ///< which one; id 0: a new one, whose id is put here
    const stoa_system_desc *desc; ///< what it is to be; NULL: it is taken away
} stoa_system_change;

/// Adds, replaces and removes systems, all or none; refused while the app steps.
/// One that is replaced keeps its id, its place in the order, its last run, how often it ran and
/// whether it is enabled. New ones come last, in this order.
stoa_status stoa_systems_change(stoa_app *app, stoa_system_change *changes, int32_t count);

/// Gives a system another description, in its place; see stoa_systems_change.
stoa_status stoa_system_replace(stoa_app *app, stoa_system system, const stoa_system_desc *desc);

/// The system of that name; id 0, with no error, if there is none.
stoa_system stoa_system_find(const stoa_app *app, const char *name);

/// Lets a system run, or not, from the next frame on.
stoa_status stoa_system_enable(stoa_app *app, stoa_system system, bool on);

/// stoa_system_enable by name.
stoa_status stoa_system_enable_name(stoa_app *app, const char *name, bool on);

/// The system after `system` in order of registration, the first for id 0; id 0 at the end.
stoa_system stoa_system_next(const stoa_app *app, stoa_system system);

/// What is known of a system.
typedef struct stoa_system_info {
    const char *name;      ///< valid while the system is there
    stoa_stage stage;      ///< where in a frame
    stoa_thread_rule rule; ///< which threads
    bool enabled;          ///< whether it runs
    bool script;           ///< reads what is visible
    uint32_t last_run;     ///< the tick of its last run
    uint64_t runs;         ///< how often it ran
    int32_t access_count;  ///< see stoa_system_access
} stoa_system_info;

/// Fills in what is known of a system.
stoa_status stoa_system_info_get(const stoa_app *app, stoa_system system, stoa_system_info *info);

/// One thing that a system declares.
typedef struct stoa_system_use {
    stoa_component id; ///< of the component or resource
    bool resource;     ///< it is the resource of that type
    bool write;        ///< written; else read
} stoa_system_use;

/// Fills in what a system declares: by number, components first, each in order of ids.
stoa_status stoa_system_access(const stoa_app *app, stoa_system system, int32_t index,
                               stoa_system_use *use);

/// Sets the thread's error, for a function to return: `return stoa_job_fail(job, "no %s", what);`
stoa_status stoa_job_fail(const stoa_job *job, const char *format, ...) STOA_PRINTF(2, 3);

/// Describes a system and opens its function, which is called for each chunk.
/// `STOA_SYSTEM(move, .terms = {STOA_WRITE(Position)}) { ... return STOA_OK; }`
/// The function sees `stoa_job *job` and `stoa_iter *it`.
#define STOA_SYSTEM(...) STOA_SYSTEM_AS(each, __VA_ARGS__, .reserved = 0)

/// STOA_SYSTEM for a function that is called once.
#define STOA_SYSTEM_ONCE(...) STOA_SYSTEM_AS(run, __VA_ARGS__, .reserved = 0)

/// What STOA_SYSTEM and STOA_SYSTEM_ONCE share.
#define STOA_SYSTEM_AS(way, function, ...)                                                         \
    static stoa_status function(stoa_job *job, stoa_iter *it);                                     \
    STOA_UNUSED static void function##_stoa_system(stoa_system_desc *desc) {                       \
        stoa_system_desc made = {.name = #function, .way = function, __VA_ARGS__};                 \
        *desc = made;                                                                              \
    }                                                                                              \
    static stoa_status function(STOA_UNUSED stoa_job *job, STOA_UNUSED stoa_iter *it)

/// Adds a system that STOA_SYSTEM described; `user` is handed to its function.
#define stoa_system_add(app, function, user)                                                       \
    stoa_system_describe((app), function##_stoa_system, (user))

/// Systems that run one after the other in the order they were added, with no planning.
typedef struct stoa_registry stoa_registry;

/// What a system of a registry does.
typedef void (*stoa_registry_fn)(stoa_world *world, void *user);

/// Makes a registry for a world; NULL on error. Free it before the world.
stoa_registry *stoa_registry_new(stoa_world *world);

/// Frees a registry; NULL is fine. Refused, with an error, while it runs.
stoa_status stoa_registry_free(stoa_registry *registry);

/// Adds a system at the end; its name must be new. Not while the registry runs.
/// `user_free` is called once, when the system is gone, and may be NULL; on an error it is not
/// called: `user` stays the caller's.
stoa_status stoa_registry_add(stoa_registry *registry, const char *name, stoa_registry_fn call,
                              void *user, void (*user_free)(void *user));

/// Takes a system away; not while the registry runs.
stoa_status stoa_registry_remove(stoa_registry *registry, const char *name);

/// Lets a system run, or not.
/// While the registry runs this takes effect for systems whose turn is still to come.
stoa_status stoa_registry_enable(stoa_registry *registry, const char *name, bool on);

/// The place of a system in the order, or -1.
int32_t stoa_registry_find(const stoa_registry *registry, const char *name);

/// How many systems there are.
int32_t stoa_registry_count(const stoa_registry *registry);

/// The name of a system by its place, or NULL.
const char *stoa_registry_name(const stoa_registry *registry, int32_t index);

/// True if the system at that place runs.
bool stoa_registry_enabled(const stoa_registry *registry, int32_t index);

/// Runs every enabled system and flushes the world's deferred commands after each.
/// Stops at the first flush that fails and returns its status; what was applied stays.
stoa_status stoa_registry_run(stoa_registry *registry);

STOA_END

#endif
