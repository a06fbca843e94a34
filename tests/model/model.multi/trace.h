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
    OP_QUERY_NEW,
    OP_QUERY_FREE,
    OP_QUERY_WALK,
    OP_QUERY_EACH,
    OP_ONCE_WALK,
    OP_ONCE_COUNT,
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

/* Queries kept over several operations. */
#define TRACE_QUERIES 6

typedef struct op {
    op_kind kind;
    int32_t number;      /* which of the whole trace it is */
    int32_t origin;      /* the operation that made the entity, -1: a forged handle */
    int32_t origin_item; /* which of its entities */
    int32_t type;        /* for calls on one component */
    int32_t count;       /* for bulk and reserve */
    int32_t slot;        /* of a kept query */
    uint32_t put;        /* components given with values */
    uint32_t zero;       /* components given zeroed */
    uint32_t drop;       /* components taken away */
    uint32_t seed;       /* of values, of the order in a bundle, and of which twin is called */
    uint8_t access[TYPE_COUNT]; /* of a query's terms, STOA_ACCESS_END: no such term */
    uint8_t group[TYPE_COUNT];  /* of its any-of terms */
} op;

typedef struct trace {
    op *ops;
    int32_t count;
    int32_t number_count; /* one more than the largest number of an op */
    uint32_t seed;
    uint32_t chunk_size;
} trace;

/* Components of an op in the order in which its bundle names them; returns how many. */
int trace_order(const op *o, uint32_t set, int order[TYPE_COUNT]);

/* The terms of an op as a query, and for each the type it is of. */
void trace_query(const op *o, const stoa_component *ids, stoa_query_desc *desc,
                 int types[TYPE_COUNT], int *count);

/* Prints an op as the call it makes. */
void trace_print_op(FILE *out, const op *o);

/* Prints a whole trace as a sequence of calls. */
void trace_print(FILE *out, const trace *t);

#endif
