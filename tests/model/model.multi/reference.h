/* The reference: what a world holds, in the simplest way that can be right.
 *
 * One struct per entity ever made, with a set of components and the bytes and ticks of each. No
 * archetypes, no chunks, no sparse sets. Ticks have 64 bits here and never wrap. */
#ifndef MODEL_REFERENCE_H
#define MODEL_REFERENCE_H

#include "trace.h"

/* Ticks older than this are all the same to a world. */
#define REFERENCE_AGE (UINT64_C(1) << 30)

/* One entity, living or dead. */
typedef struct being {
    stoa_entity handle;
    bool alive;
    bool pending;       /* a command that is recorded will make it */
    uint32_t has;       /* set of its components */
    uint32_t off;       /* of those, the ones switched off */
    int32_t live_place; /* in the list of the living */
    int32_t maker;      /* number of the op that made it */
    int32_t maker_item; /* which of that op's it is */
    uint32_t seen;      /* the last walk that met it */
    uint64_t changed[TYPE_COUNT];
    uint64_t added[TYPE_COUNT];
    uint8_t values[TYPE_VALUES_SIZE];
} being;

/* Ways in which the reference can be told to be wrong, to prove that it would be noticed. */
typedef enum reference_fault {
    FAULT_NONE,
    FAULT_REMOVE_KEEPS,   /* a component removed stays */
    FAULT_CLEAR_KEEPS,    /* a cleared entity keeps one component */
    FAULT_CHANGE_KEEPS,   /* a change that adds does not take away */
    FAULT_CLONE_LOSES,    /* a clone lacks a tag */
    FAULT_BULK_SHIFTS,    /* the last of a bulk has the value of the one before */
    FAULT_ANY_IS_ALL,     /* an any-of group asks for all */
    FAULT_WALK_FORGETS,   /* what a walk writes is not kept */
    FAULT_OFF_MATCHES,    /* queries do not care what is switched off */
    FAULT_SET_UNMARKED,   /* overwriting a sparse component does not mark it */
    FAULT_MOVE_MARKS,     /* a component that was there is added anew by a change of others */
    FAULT_RUN_FORGETS,    /* a walk is no run of its query */
    FAULT_LOG_FORGETS,    /* destroyed entities are not logged */
    FAULT_SET_SILENT,     /* overwriting calls no hook */
    FAULT_HOOKS_BACKWARD, /* removal is told in the opposite order */
    FAULT_OBSERVER_BLIND, /* switching tells no observer */
    FAULT_FLUSH_BACKWARD, /* the last command is applied first */
    FAULT_SKIP_UNCOUNTED, /* skipped commands are not counted */
    FAULT_EVENT_LOST,     /* a full queue drops the newest event */
    FAULT_LISTENER_STAYS, /* a listener stays when its entity dies */
    FAULT_RESOURCE_STAYS, /* a resource that is removed is still there */
    FAULT_WHOLE_MISSES,   /* a whole-query operation leaves out the switched-off */
    FAULT_COUNT
} reference_fault;

/* What somebody was told: by a hook, an observer or a listener. */
typedef enum note_kind {
    NOTE_ADD, /* the first three are numbered as stoa_hook_kind */
    NOTE_REMOVE,
    NOTE_SET,
    NOTE_ENTER,
    NOTE_LEAVE,
    NOTE_EVENT,
    NOTE_ACT /* what came of an action; the digest is its status */
} note_kind;

typedef struct note {
    note_kind kind;
    int32_t slot; /* of the hook or listener */
    stoa_entity entity;
    int32_t type;    /* -1: none */
    uint32_t digest; /* of the value; 0: none */
} note;

/* Notes, in order. */
typedef struct note_list {
    note *items;
    int32_t count;
    int32_t capacity;
} note_list;

/* What a query asks of an entity's set of components. */
typedef struct query_shape {
    uint32_t required;
    uint32_t excluded;
    uint32_t any[3]; /* by group; no types: no such group */
    uint32_t changed;
    uint32_t added;
} query_shape;

/* Whether a query has an entity. A filter by ticks that goes by chunks may have it or not. */
typedef enum match { MATCH_NO, MATCH_MAY, MATCH_MUST } match;

/* A hook or an observer. */
typedef struct watcher {
    int32_t slot;
    bool observer;
    stoa_hook_kind kind; /* of a hook */
    int32_t type;        /* of a hook */
    query_shape shape;   /* of an observer */
    bool enter;          /* what an observer wants to know */
    bool leave;
    hook_action action;
    int32_t action_type;
    uint32_t action_seed;
} watcher;

/* An entry of the log: a component that is gone, or, for type -1, an entity. */
typedef struct gone {
    stoa_entity entity;
    int32_t type;
    uint64_t tick;
} gone;

/* The last entries of the log. */
typedef struct gone_log {
    gone *items; /* oldest first */
    int32_t count;
    int32_t capacity; /* 0: no log */
    bool lost;        /* an entry gave way, the newest of which had `lost_tick` */
    uint64_t lost_tick;
} gone_log;

typedef struct reference {
    being *items; /* in order of creation */
    int32_t count;
    int32_t capacity;
    int32_t *live; /* indexes of the living, in no order */
    int32_t live_count;
    int32_t *owners;       /* by slot: the last being in it, -1: none */
    uint32_t *generations; /* by slot: the last one issued */
    uint32_t slot_capacity;
    uint32_t slots_dealt; /* slots that buffers filled by threads may have left out */
    int32_t *made_first;  /* by op number: the first being it made, -1: none */
    int32_t *made_count;
    int32_t op_capacity;
    int32_t held[TYPE_COUNT];          /* instances of each type, wherever they are */
    int32_t zeros[TYPE_COUNT];         /* zeroed values of each type, likewise */
    int32_t zeros_made;                /* of all types, ever */
    const stoa_component *ids;         /* of the types, which tell the order of columns */
    uint64_t tick;                     /* the lower 32 bits are the world's */
    uint64_t changed_last[TYPE_COUNT]; /* when any entity's was written */
    uint64_t added_last[TYPE_COUNT];
    watcher watchers[TRACE_HOOKS]; /* in the order they were added */
    int32_t watcher_count;
    note_list notes; /* what must have been told */
    gone_log log;
    bool acting;                               /* a hook acts, so that those it sets off do not */
    bool bulk;                                 /* several are made at once */
    void *user;                                /* handed to `record` */
    void (*record)(void *user, stoa_entity e); /* the destruction of an entity is recorded */
    reference_fault fault;
} reference;

void reference_init(reference *r, int32_t op_capacity, const stoa_component *ids, uint32_t tick);
void reference_fini(reference *r);

/* Takes in a new handle, whose entity does not live yet; NULL if it cannot be right. */
being *reference_issue(reference *r, int32_t op_number, stoa_entity handle);

/* Lists a being among the living, or takes it off that list. */
void reference_list(reference *r, being *b);
void reference_unlist(reference *r, being *b);

/* The being that an op works on, NULL if it was never made. */
being *reference_of(const reference *r, const op *o);

/* The living being of a handle, or NULL. */
being *reference_find(const reference *r, stoa_entity handle);

/* The bytes of a being's component. */
uint8_t *reference_value(being *b, int type);

/* A value comes to be held somewhere, or no longer is: an entity, a buffer, a queue, a resource. */
void reference_hold(reference *r, int type, const void *value);
void reference_release(reference *r, int type, const void *value);

/* A component is written, which must be there. */
void reference_mark(reference *r, being *b, int type);

/* Places a component, or overwrites it, and marks it; `value` NULL: zeroed. */
void reference_put(reference *r, being *b, int type, const void *value);

/* Takes a component away, if it is there. */
void reference_drop(reference *r, being *b, int type);

/* What queries see of a being. */
uint32_t reference_visible(const reference *r, const being *b);

/* The shape of an op's terms. */
query_shape reference_shape(const op *query);

/* True if a set of components is what a query asks for, whatever was written when. */
bool reference_fits(const reference *r, const query_shape *shape, uint32_t set);

/* Whether a query of that shape has the being, going by the tick of its last run. */
match reference_match(const reference *r, const query_shape *shape, const being *b, uint64_t since);

/* How many must match at least, and may at most. */
typedef struct amount {
    int32_t least;
    int32_t most;
} amount;

amount reference_amount(const reference *r, const query_shape *shape, uint64_t since);

/* The living being after a handle in index order, or NULL. */
being *reference_next(const reference *r, stoa_entity e);

#endif
