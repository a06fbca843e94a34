/* A run: a trace done to a world and to the reference side by side, compared on the way.
 *
 * The first difference is noted and ends the run; nothing here fails the test itself, so that a run
 * can be repeated. */
#ifndef MODEL_RUN_H
#define MODEL_RUN_H

#include "generate.h"
#include "react.h"

typedef struct run run;

/* Whom a hook, observer or listener of the world tells. */
typedef struct teller {
    run *r;
    int32_t slot;
    int32_t type; /* -1: none */
    note_kind kind;
    const op *made_by; /* what the hook does beside telling, or NULL */
} teller;

/* A command that is recorded, with a copy of its values. */
typedef struct command {
    op_kind kind;
    stoa_entity target;
    int32_t type; /* of OP_ENABLE */
    bool on;
    int count;
    edit edits[TYPE_COUNT];
    uint8_t *values;
} command;

/* A command buffer and what must be in it. */
typedef struct buffer {
    stoa_commands *commands; /* NULL: there is none */
    command *items;
    int32_t count;
    int32_t capacity;
    int64_t skipped;
} buffer;

/* An event that is not read by everybody. */
typedef struct event {
    stoa_entity target;
    uint8_t value[256];
} event;

/* What is sent of one type: event number n is at n - first. */
typedef struct channel {
    event *items;
    int64_t first;
    int64_t next;
    int32_t limit;
    int32_t capacity;
    int32_t stale; /* events that all have read since one was sent or read last */
} channel;

typedef struct listener {
    stoa_listener id;   /* 0: none */
    stoa_entity target; /* STOA_NULL: hears all */
    int32_t type;
    int64_t number; /* in the order they were added */
} listener;

typedef struct reader {
    stoa_reader *reader; /* NULL: none */
    int32_t type;
    int64_t next; /* number of the event it reads next */
    int64_t lost;
} reader;

typedef struct resource {
    bool there;
    uint64_t changed;
    uint8_t value[256];
} resource;

/* A run under way. */
struct run {
    support_world s;
    reference ref;
    stoa_component ids[TYPE_COUNT];
    stoa_query *queries[TRACE_QUERIES];
    op query_ops[TRACE_QUERIES];        /* what each kept query was made with */
    op hook_ops[TRACE_HOOKS];           /* and each hook and observer */
    uint64_t query_runs[TRACE_QUERIES]; /* the tick of its last run */
    stoa_hook hooks[TRACE_HOOKS];
    teller hook_tellers[TRACE_HOOKS];
    note_list told; /* what hooks, observers and listeners were called with */
    buffer buffers[TRACE_BUFFERS];
    channel channels[TYPE_COUNT];
    listener listeners[TRACE_LISTENERS];
    teller listener_tellers[TRACE_LISTENERS];
    int64_t listener_last; /* number of the last one added */
    reader readers[TRACE_READERS];
    resource resources[TYPE_COUNT];
    int32_t frees;   /* calls of user_free of hooks and listeners */
    int32_t users;   /* and how many must come */
    uint8_t padding; /* what the bytes between fields are */
    uint32_t walk;   /* number of the walk under way */
    bool acting;     /* a hook acts */
    bool bulk;       /* several entities are being made at once */
    bool closing;    /* the world is being freed */
    bool failed;
    char message[400];
};

typedef struct run_options {
    reference_fault fault; /* to be found */
    int32_t full_every;    /* operations between two full comparisons */
    bool second_world;     /* run it again in a world of another shape, for the same hash */
} run_options;

typedef struct run_result {
    bool failed;
    int32_t op;       /* index of the operation at which it failed */
    int64_t op_count; /* operations done */
    char message[440];
} run_result;

/* Makes a trace of a seed while running it; `ops` has room for `count`. On failure, even a crash,
 * the trace ends with the operation that failed. */
void run_generate(trace *t, uint32_t seed, int32_t count, const run_options *options,
                  run_result *result);

/* Runs a trace again. */
void run_replay(const trace *t, const run_options *options, run_result *result);

/* Notes what is wrong unless something was noted before; returns `holds`. */
bool run_check(run *r, bool holds, const char *format, ...) STOA_PRINTF(3, 4);

/* A call came to `expected`: its status, the thread's last error and the assert handler say so. */
bool run_expect(run *r, stoa_status got, stoa_status expected, const char *call);

/* STOA_OK if a call gave something, else the last error. */
stoa_status run_given(bool given);

/* Operations on entities, in calls.c. */
void run_call(run *r, const op *o);

/* Refused calls, in refuse.c. */
void run_refuse(run *r, const op *o);

/* Queries, in walk.c. */
void run_query(run *r, const op *o);

/* Operations on all that a query matches, in whole.c. */
void run_whole(run *r, const op *o);

/* Ticks and the log, in ticks.c. */
void run_ticks(run *r, const op *o);

/* Hooks and observers, in watch.c. */
void run_watch(run *r, const op *o);

/* Command buffers, in deferred.c; the last ends what is left of them. */
void run_deferred(run *r, const op *o);
void run_deferred_destroy(void *user, stoa_entity e);
void run_deferred_fini(run *r);

/* Listeners, readers and events, in events.c. */
void run_events(run *r, const op *o);
void run_events_fini(run *r);

/* Entities have died: listeners to them are gone. */
void run_events_bury(run *r);

/* How many listeners there are. */
int32_t run_events_listening(const run *r);

/* How many values of a type the world may still hold of events that all have read. */
int32_t run_events_stale(const run *r, int type);

/* Resources, in resources.c. */
void run_resources(run *r, const op *o);
void run_compare_resources(run *r);

/* What was told is what must have been; both lists are emptied. Where the order of entities is
 * left open, it is not compared. In watch.c. */
void run_compare_notes(run *r, bool by_entity);

/* Compares one entity, and then everything, in compare.c. */
void run_compare_being(run *r, being *b);
void run_compare(run *r);

/* The ticks of a being's components are as they must be, asked since one; by the typed twins, too.
 * In ticks.c. */
void run_compare_ticks(run *r, const being *b, uint32_t age, bool twins);

/* The log since a tick is as it must be. In ticks.c. */
void run_compare_log(run *r, int type, uint32_t age);

/* Values of an op for a call: fills in `values`, returns how many. In values.c. */
int run_values(run *r, const op *o, stoa_value values[TYPE_COUNT + 1]);

/* The same as edits of the reference; the values last until the next call of run_values. */
int run_edits(const op *o, edit edits[TYPE_COUNT]);

/* The source of a value that run_values made. */
void *run_source(int type);

/* Ends the values of an op that the world did not take. */
void run_values_drop(const op *o);

/* A copy that the world made of an instance has a number of its own, which the reference takes
 * over. */
void run_adopt(run *r, being *b, int type, uint32_t before);

#endif
