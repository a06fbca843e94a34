/* Queries, as the files of this folder see them. */
#ifndef STOA_QUERY_QUERY_H
#define STOA_QUERY_QUERY_H

#include "stoa/query.h"
#include "world/world.h"

#define STOA__QUERY_NAME_SIZE 96
/* How long ago a query that never ran is said to have run, in ticks: longer than any tick that a
 * world keeps is old, and far enough from half the circle that the world may go on meanwhile. */
#define STOA__QUERY_AGE 0x70000000u

/* What must be looked at row by row, or chunk by chunk, beyond the set of archetypes. */
typedef enum stoa__test {
    STOA__TEST_ON = 1,      /* it is there and not switched off */
    STOA__TEST_OFF = 2,     /* it is not there, or switched off */
    STOA__TEST_CHANGED = 4, /* it was written since the tick asked for */
    STOA__TEST_ADDED = 8    /* it was added since */
} stoa__test;

/* A term with its component found. */
typedef struct stoa__term {
    const stoa__component *component;
    stoa_access access;
    int32_t group;
    uint32_t tests; /* of stoa__test; the first term that requires a component has those of all */
} stoa__term;

/* The terms of a query, sorted by what they do. A component is a column or sparse; archetypes are
 * matched by columns alone. */
typedef struct stoa__terms {
    uint32_t count;
    uint32_t required_count;
    uint32_t excluded_count;
    uint32_t any_count;
    uint32_t column_count;
    uint32_t sparse_count;
    uint64_t fields; /* bit i: term i has data in a column; bit 32 + i: and stoa_field_mut may hand
                        it out with no more than the chunk marked */
    uint32_t data;   /* bit i: term i has data, in a column or not */
    uint32_t writes; /* bit i: and writes it */
    uint32_t sparse; /* bit i: its component is sparse */
    uint32_t marks;  /* bit i: writes a column with ticks for each row */
    uint32_t
        splits;     /* bit i: its data is in a column that may be off where the row still matches */
    uint32_t lanes; /* bit i: a column with ticks or switches that rows are tested by */
    bool empty;     /* entities without columns may match */
    bool heavy;     /* rows must be tested: an iteration goes by runs */
    bool timed;     /* asks for what was changed or added */
    stoa__term items[STOA_TERM_MAX];   /* as given */
    stoa_component ids[STOA_TERM_MAX]; /* of the items: close together, for reading indexes */
    uint8_t required[STOA_TERM_MAX];   /* indexes of terms whose column an archetype must have */
    uint8_t excluded[STOA_TERM_MAX];   /* and must not */
    uint8_t any[STOA_TERM_MAX];        /* any-of terms, group by group */
    uint8_t columns[STOA_TERM_MAX];    /* columns whose rows are tested */
    uint8_t sparses[STOA_TERM_MAX];    /* sparse components that are tested */
} stoa__terms;

struct stoa_query {
    stoa_query_head head; /* must be first */
    stoa_query *next;
    stoa_query *previous;
    uint64_t id;              /* never used twice in its world */
    char *name;               /* as given, or NULL */
    struct stoa__walk *walks; /* of heavy iterations, kept for the next */
    struct stoa__cut *cut;    /* into parts, or NULL */
    uint32_t shared;          /* how many wait for stoa_query_unshare */
    uint32_t shared_walks;    /* that those need not to be in use */
    uint32_t match_capacity;
    bool listed; /* the matches are complete and kept so; not before the first iteration */
    bool once;   /* made for one iteration, gone at its end */
    bool ran;    /* a query with `changed` or `added` terms has had a run */
    stoa__terms terms;
    char made_name[STOA__QUERY_NAME_SIZE]; /* from the terms, made when asked for */
};

/* True if the component must be there. */
static inline bool stoa__access_requires(stoa_access access) {
    return access == STOA_ACCESS_READ || access == STOA_ACCESS_WRITE ||
           access == STOA_ACCESS_FILTER || access == STOA_ACCESS_CHANGED ||
           access == STOA_ACCESS_ADDED;
}

/* The group of any-of terms that starts at `from` in terms->any: its end. */
static inline uint32_t stoa__terms_group(const stoa__terms *terms, uint32_t from) {
    int32_t group = terms->items[terms->any[from]].group;
    while (from < terms->any_count && terms->items[terms->any[from]].group == group) {
        from++;
    }
    return from;
}

/* Finds the components of the terms, registering types, and checks them. The thread's error is set,
 * not reported. */
stoa_status stoa__terms_read(stoa_world *world, const stoa_query_desc *desc, stoa__terms *terms);

/* Words of archetypes that are matched at a time where all are. */
#define STOA__TERMS_WORDS 32u

/* The archetypes from 64 * word on whose columns match, as `count` words of bits, each of which has
 * archetypes that are there. */
void stoa__terms_match_words(const stoa__storage *storage, const stoa__terms *terms, uint32_t word,
                             uint32_t count, uint64_t *bits);

/* The archetypes 64 * word to 64 * word + 63 whose columns match, as bits. */
uint64_t stoa__terms_match(const stoa__storage *storage, const stoa__terms *terms, uint32_t word);

/* How many entities match by their columns. */
int32_t stoa__terms_count(const stoa__storage *storage, const stoa__terms *terms);

/* See stoa_query_version. */
uint64_t stoa__terms_version(const stoa__storage *storage, const stoa__terms *terms);

/* True if a live entity matches, `changed` and `added` asking for no more than presence. A delta,
 * which may be NULL, overrides what the entity has: as it will be after the change, or, in reverse,
 * as it was before it. Changes that are being told of, from `outer` on and before `end`, count on
 * their other side; there are none if these are the same. */
bool stoa__terms_entity(const stoa_world *world, const stoa__terms *terms, stoa_entity e,
                        const stoa__delta *delta, bool reverse, const stoa__delta *outer,
                        const stoa__delta *end);

/* Writes the terms as query text, cut to fit. */
void stoa__terms_print(const stoa__terms *terms, char *buffer, size_t size);

/* Puts the query layer into the world's service; a no-op after the first time. Queries and
 * observers need it. */
void stoa__query_install(stoa_world *world);

/* Makes a query and lists it in its world; NULL with the thread's error set. */
stoa_query *stoa__query_make(stoa_world *world, const stoa_query_desc *desc, bool once);

/* True if the calling thread may walk what the terms match; otherwise the failure is reported.
 * Without `data` it is only asked what matches. */
bool stoa__terms_allowed(const stoa_world *world, const stoa__terms *terms, bool data);

/* How an iteration of a query goes, of stoa_query_weight. */
uint32_t stoa__query_weight(const stoa_query *query);

/* True if a query writes and its world is sealed, so that it must not be iterated. */
static inline bool stoa__query_barred(const stoa_query *query) {
    return query->terms.writes != 0 &&
           (query->head.world->storage.head.open & STOA__OPEN_SEAL) != 0;
}

/* Fails for a query that is barred; the thread's error is set, not reported. */
stoa_status stoa__query_bar(const stoa_query *query);

/* The tick that the filters of a query go by: that of its last run, or older than everything. */
uint32_t stoa__query_since(const stoa_query *query);

/* Frees the list of entities without components, if there is one. */
void stoa__query_empties_drop(stoa_world *world);

/* Bytes that it holds of the heap. */
size_t stoa__query_empties_bytes(const stoa_world *world);

/* Takes a query out of its world and frees it. */
void stoa__query_delete(stoa_query *query);

#endif
