/* A trace: random operations kept as data, so that any part of them can be run again.
 *
 * An operation names the entity it works on by the operation that made it. Where that one was left
 * out, or its entity is not there for another reason, the operation is skipped: every subsequence
 * of a trace is a trace. */
#ifndef MODEL_TRACE_H
#define MODEL_TRACE_H

#include <stdio.h>

#include "types.h"

typedef enum op_kind {
    OP_CREATE,
    OP_CREATE_WITH,
    OP_CREATE_BULK,
    OP_DESTROY,
    OP_CLEAR,
    OP_SET,
    OP_ADD,
    OP_REMOVE,
    OP_CHANGE,
    OP_CLONE,
    OP_CLONE_REFUSED, /* the copy hook says no */
    OP_RESERVE,
    OP_COMPACT,
    OP_READ,  /* has, get and try_get */
    OP_WRITE, /* get_mut and try_get_mut */
    OP_ENABLE,
    OP_QUERY_NEW,
    OP_QUERY_FREE,
    OP_QUERY_WALK,
    OP_QUERY_SINCE, /* a walk since a tick that is given */
    OP_QUERY_STOP,  /* a walk that is ended early */
    OP_QUERY_EACH,
    OP_ONCE_WALK,
    OP_ONCE_COUNT,
    OP_WHOLE_ADD,
    OP_WHOLE_SET,
    OP_WHOLE_REMOVE,
    OP_WHOLE_DESTROY,
    OP_TICK,      /* the tick moves on by `count` */
    OP_TICK_JUMP, /* and by as many as take long */
    OP_TICK_ASK,  /* changed and added, of one entity */
    OP_LOG_KEEP,
    OP_LOG_READ,
    OP_HOOK_NEW, /* `sub` is a stoa_hook_kind */
    OP_OBSERVE,
    OP_HOOK_REMOVE,
    OP_BUFFER_NEW,
    OP_BUFFER_FREE,
    OP_BUFFER_CLEAR,
    OP_RECORD, /* `sub` is the kind of operation that is recorded */
    OP_FLUSH,
    OP_FORK, /* buffers are filled by turns between fork and join */
    OP_LISTEN,
    OP_LISTEN_REMOVE,
    OP_READER_NEW,
    OP_READER_FREE,
    OP_EVENT_LIMIT,
    OP_EVENT_SEND,
    OP_EVENT_READ,
    OP_RESOURCE_SET,
    OP_RESOURCE_READ,
    OP_RESOURCE_WRITE,
    OP_RESOURCE_REMOVE,
    OP_BAD, /* a call that must be refused; `type` says which */
    OP_KIND_COUNT
} op_kind;

/* What OP_BAD does. */
typedef enum bad_kind {
    BAD_STALE_DESTROY, /* the first six are done to a dead or forged handle */
    BAD_STALE_CLEAR,
    BAD_STALE_SET,
    BAD_STALE_CHANGE,
    BAD_STALE_CLONE,
    BAD_STALE_GET,
    BAD_ABSENT_GET, /* the entity lives and has no such component */
    BAD_SIZE_SET,
    BAD_UNKNOWN_ADD,
    BAD_TWICE_CREATE,
    BAD_TWICE_CHANGE,
    BAD_DROP_CREATE,
    BAD_COUNT_BULK,
    BAD_QUERY_TWICE,
    BAD_STRUCTURE, /* a structural change under iteration */
    BAD_KIND_COUNT
} bad_kind;

/* What a hook or observer does beside telling. The next entity is the one after in index order.
 * Only the first of hooks inside of hooks acts. */
typedef enum hook_action {
    ACTION_NONE,
    ACTION_NEXT_TOGGLE,  /* adds a component to the next entity, or takes it away */
    ACTION_NEXT_SET,     /* sets one of the next entity */
    ACTION_NEXT_DESTROY, /* destroys the next entity */
    ACTION_OWN_ADD,      /* adds a component to the entity it is told of: refused if that is new */
    ACTION_OWN_SET,      /* sets one: refused if that is new */
    ACTION_OWN_DESTROY,  /* destroys it: refused */
    ACTION_OWN_RECORD,   /* records its destruction in the world's own buffer */
    ACTION_COUNT
} hook_action;

/* Queries, hooks and observers, listeners, and readers kept over several operations. */
#define TRACE_QUERIES 6
#define TRACE_HOOKS 10
#define TRACE_LISTENERS 4
#define TRACE_READERS 4
/* Command buffers: the world's own is the first. */
#define TRACE_BUFFERS 3

typedef struct op {
    op_kind kind;
    int32_t number;      /* which of the whole trace it is */
    int32_t origin;      /* the operation that made the entity, -1: a forged handle */
    int32_t origin_item; /* which of its entities */
    int32_t type;        /* for calls on one component */
    int32_t count;       /* for bulk, reserve, ticks, limits and capacities; of who is destroyed */
    int32_t slot;        /* of a kept query, hook, buffer, listener or reader */
    int32_t sub;         /* see the kinds */
    int32_t action;      /* what a hook or observer does, of hook_action */
    int32_t action_type; /* and to which component */
    uint32_t age;        /* ticks before the present one, where one is asked for */
    uint32_t put;        /* components given with values */
    uint32_t zero;       /* components given zeroed */
    uint32_t drop;       /* components taken away */
    uint32_t seed;       /* of values, of the order in a bundle, and of which twin is called */
    uint8_t access[TYPE_COUNT]; /* of a query's terms, STOA_ACCESS_END: no such term */
    uint8_t group[TYPE_COUNT];  /* of its any-of terms */
    uint32_t changed; /* components that must be changed, whatever else is asked of them */
    uint32_t added;   /* and that must be added */
} op;

typedef struct trace {
    op *ops;
    int32_t count;
    int32_t number_count; /* one more than the largest number of an op */
    uint32_t seed;
    uint32_t chunk_size;
    uint32_t first_tick;
    bool acts; /* hooks act: what comes of it depends on the order of columns */
} trace;

/* Components of an op in the order in which its bundle names them; returns how many. */
int trace_order(const op *o, uint32_t set, int order[TYPE_COUNT]);

/* Terms of a query, at most. */
#define TRACE_TERMS STOA_TERM_MAX

/* The terms of an op as a query, and for each the type it is of; returns how many. */
int trace_query(const op *o, const stoa_component *ids, stoa_query_desc *desc,
                int types[TRACE_TERMS]);

/* Prints an op as the call it makes. In print.c. */
void trace_print_op(FILE *out, const op *o);

/* Prints a whole trace as a sequence of calls. In print.c. */
void trace_print(FILE *out, const trace *t);

#endif
