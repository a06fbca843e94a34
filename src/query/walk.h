/* Walking a query row by row: where what matches cannot be told from archetypes alone.
 *
 * A walk lists runs: rows of one chunk, one after the other, that match. It goes by the chunks of
 * the archetypes that match, or by the positions of a sparse set that every match is in, if that is
 * much smaller. Runs are listed some at a time, so a walk needs no more memory than its own; it
 * may live on the stack. The world's structure must not change under it. */
#ifndef STOA_QUERY_WALK_H
#define STOA_QUERY_WALK_H

#include "query/query.h"
#include "stoa/change.h"
#include "storage/archetype.h"
#include "storage/sparse.h"

/* Runs that are listed at a time, more or less, and at most: those of 64 rows come together. */
#define STOA__WALK_RUNS 128
#define STOA__WALK_RUNS_MAX (STOA__WALK_RUNS + 63)
/* Words of bits that the rows of a chunk need. */
#define STOA__WALK_WORDS (STOA__ROWS_MAX / 64)
/* Entities without columns that are listed at a time, at most. */
#define STOA__WALK_EMPTIES 256
/* Archetypes that a walk by a set remembers, a power of two. */
#define STOA__WALK_KNOWN 16

/* Where an archetype keeps what the rows of a term are tested by: indexes of its chunks' columns,
 * STOA__NONE for what it has not. */
typedef struct stoa__spot {
    uint32_t column;  /* the column or tag, whose state stands before it */
    uint32_t off;     /* switches */
    uint32_t changed; /* ticks of each row */
    uint32_t added;
} stoa__spot;

/* An archetype that a walk by a set has met. */
typedef struct stoa__known {
    const stoa__archetype *archetype; /* NULL: nothing remembered */
    const stoa_match *match;          /* where there is a query to tell */
    bool matches;
} stoa__known;

typedef struct stoa__walk {
    stoa_walk_head head;     /* must be first */
    struct stoa__walk *next; /* of the same query */
    const stoa_world *world;
    const stoa__terms *terms;
    const stoa_query
        *query;       /* whose matches tell columns; NULL if entities are all that is wanted */
    uint32_t since;   /* the tick that filters go by */
    stoa_atomic busy; /* an iteration has it; taken by threads while command buffers are forked */
    bool run;         /* its end is the end of a run */
    bool loose;       /* an iteration has it that the world does not count */
    bool part;        /* of a cut, which keeps it */

    const stoa__sparse *set; /* walked by position; NULL: by chunks */
    uint64_t hits;           /* of 64 positions: those to look at */
    uint32_t driver;         /* the term whose set it is */
    uint32_t position;       /* of the first of those 64 */
    uint32_t position_next;  /* of the next 64 */
    uint32_t position_end;   /* past those of this walk */
    uint32_t number;         /* of the chunk met last */
    bool bare;               /* rows of the archetype met last are not tested further */

    uint32_t empties;    /* entities without columns still to be met */
    uint32_t record;     /* the slot where they are looked for next */
    uint32_t next_one;   /* the next match, or the next archetype where there is no query */
    uint32_t next_end;   /* past the last match of this walk */
    int32_t chunk_first; /* of the first match */
    int32_t chunk_end;   /* of the last match, past the last */

    const stoa__archetype *archetype; /* the one walked, or met last */
    const uint32_t *indexes;          /* of its columns */
    uint64_t fields;
    uint32_t groups;     /* bit i: the any-of group from terms->any[i] on must be met by each row */
    bool matches;        /* the archetype does */
    uint32_t touch;      /* index of the first column with data, */
    uint32_t touch_size; /* and the size of its rows */
    int32_t chunk;       /* the next one of the archetype */
    int32_t chunk_stop;  /* past the last one of it */
    uint32_t gate;       /* index of the column or tag with a tick without whose being newer none of
                            a chunk's rows matches, or STOA__NONE */
    uint32_t gate_tick;  /* which tick: where it is in the state */

    uint32_t sole; /* index of the ticks that are all that rows are tested by, or STOA__NONE */

    uint8_t *const *ahead;   /* columns of the next chunk, if its rows will be looked at, or NULL */
    uint8_t *const *columns; /* of the chunk that runs are cut from */
    uint64_t chunk_fields;   /* those that are on in some row of it */
    uint32_t splits;         /* terms whose data is on in some rows of it and off in others */
    uint32_t word_count;     /* words of `rows` in use */
    uint32_t live_count;     /* of them those that have rows */
    uint32_t live_next; /* the one of those where the next run is looked for; none if past them */

    uint32_t run_count;
    stoa__spot spots[STOA_TERM_MAX];
    stoa__known known[STOA__WALK_KNOWN];
    const stoa_sparse_head *sets[STOA_TERM_MAX]; /* see the head */
    stoa_run runs[STOA__WALK_RUNS_MAX];
    uint32_t positions[STOA__WALK_RUNS]; /* of each run's first row, in a walk by a set */
    uint64_t rows[STOA__WALK_WORDS];     /* those that match and are in no run yet */
    uint8_t live[STOA__WALK_WORDS];      /* the words that are not 0 */
    uint64_t breaks[STOA__WALK_WORDS];   /* where a run must begin, if there are splits */
    uint8_t *listed[1]; /* the columns of entities without any: where they are listed */
    stoa_entity entities[STOA__WALK_EMPTIES];
} stoa__walk;

/* Starts a walk. `query` may be NULL, for entities alone; otherwise its matches must be listed. */
void stoa__walk_begin(stoa__walk *walk, const stoa_world *world, const stoa__terms *terms,
                      const stoa_query *query, uint32_t since);

/* Lists the next runs; false after the last. */
bool stoa__walk_fill(stoa__walk *walk);

/* How many entities match. */
int32_t stoa__walk_count(const stoa_world *world, const stoa__terms *terms, uint32_t since);

/* The first entity that a walk meets, or STOA_NULL. */
stoa_entity stoa__walk_first(const stoa_world *world, const stoa__terms *terms, uint32_t since);

/* A walk of the query's that is not in use, made if need be; NULL on lack of memory. */
stoa__walk *stoa__walk_take(stoa_query *query);

/* The same on any thread, of those that are there; NULL if all are in use. */
stoa__walk *stoa__walk_take_shared(stoa_query *query);

/* Makes sure that so many walks are not in use. */
bool stoa__walk_reserve(stoa_query *query, int32_t count);

/* Ends the use of a walk. */
static inline void stoa__walk_release(stoa__walk *walk) {
    atomic_store_explicit(&walk->busy, 0, memory_order_release);
}

/* Frees the walks of a query. */
void stoa__walk_free_all(stoa_query *query);

/* Bytes that the walks of a query hold of the heap. */
size_t stoa__walk_bytes(const stoa_query *query);

/* Clamps the ticks that the query's walks under way go by. */
void stoa__walk_sweep(stoa_query *query, uint32_t tick, uint32_t age);

/* Between the files of the walk. */

/* Makes an archetype the one that is walked: finds its columns and what its rows are tested by. The
 * match is NULL where there is no query to tell. */
void stoa__walk_enter(stoa__walk *walk, const stoa__archetype *archetype, const stoa_match *match);

/* Looks at a chunk of the archetype: lists it as one run, or prepares to cut runs from it, or
 * neither. */
void stoa__walk_chunk(stoa__walk *walk, uint8_t *const *columns, uint32_t count);

/* stoa__walk_chunk where ticks are all that rows are tested by, and some row may be new. */
void stoa__walk_ticks(stoa__walk *walk, uint8_t *const *columns, uint32_t count);

/* Lists runs of the chunk that is prepared, as many as there is room for. */
void stoa__walk_cut(stoa__walk *walk);

/* Lists the next matches of the set that is walked; false after the last. */
bool stoa__walk_set(stoa__walk *walk);

/* True if a row of the archetype that was entered passes every test but those of the set that is
 * walked. `columns` is NULL for an entity without columns. */
bool stoa__walk_row(const stoa__walk *walk, uint8_t *const *columns, uint32_t row, uint32_t index);

/* Lists a run; there must be room. */
static inline void stoa__walk_add(stoa__walk *walk, uint8_t *const *columns, uint64_t fields,
                                  uint32_t first, uint32_t count) {
    walk->runs[walk->run_count++] =
        (stoa_run){columns, walk->indexes, fields, (int32_t)first, (int32_t)count};
}

/* Where the rows of an any-of term are told off, or NULL if the archetype has no such column. In a
 * group that rows must meet all columns can be switched off. */
static inline const stoa__spot *stoa__walk_any(const stoa__walk *walk, uint32_t index) {
    bool known = (walk->terms->lanes >> index & 1) != 0;
    return known && walk->spots[index].column != STOA__NONE ? &walk->spots[index] : NULL;
}

/* What a chunk knows of a column. */
static inline const stoa_column_state *stoa__walk_state(uint8_t *const *columns,
                                                        const stoa__spot *spot) {
    return stoa__state_of(columns, spot->column);
}

/* True if an entity has a component in a sparse set, switched on. */
static inline bool stoa__walk_on(const stoa__sparse *set, uint32_t index) {
    uint32_t position = stoa__sparse_find(set, index);
    return position != STOA__NONE && (set->off == NULL || set->off[position] == 0);
}

/* True if an entity passes the tests of a sparse component. */
static inline bool stoa__walk_sparse(const stoa__term *term, uint32_t index, uint32_t since) {
    const stoa__sparse *set = term->component->set;
    uint32_t position = stoa__sparse_find(set, index);
    bool on = position != STOA__NONE && (set->off == NULL || set->off[position] == 0);
    if ((term->tests & STOA__TEST_OFF) != 0) {
        return !on;
    }
    return on &&
           ((term->tests & STOA__TEST_CHANGED) == 0 ||
            stoa_tick_newer(STOA_LOAD(&set->changed[position]), since)) &&
           ((term->tests & STOA__TEST_ADDED) == 0 || stoa_tick_newer(set->added[position], since));
}

/* True if the tests of a sparse component have nothing to say. */
static inline bool stoa__walk_idle(const stoa__term *term) {
    const stoa__sparse *set = term->component->set;
    return (term->tests & STOA__TEST_OFF) != 0 && set->count == set->off_count;
}

#endif
