/* Queries, as the files of this folder see them. */
#ifndef STOA_QUERY_QUERY_H
#define STOA_QUERY_QUERY_H

#include "stoa/query.h"
#include "world/world.h"

#define STOA__QUERY_NAME_SIZE 96

/* A term with its component found. */
typedef struct stoa__term {
    const stoa__component *component;
    stoa_access access;
    int32_t group;
} stoa__term;

/* The terms of a query, sorted by what they do to the set of archetypes. */
typedef struct stoa__terms {
    uint32_t count;
    uint64_t fields;                   /* bit i: term i has data; bit 32 + i: and writes it */
    bool empty;                        /* entities without components match */
    stoa__term items[STOA_TERM_MAX];   /* as given */
    stoa_component ids[STOA_TERM_MAX]; /* of the items: close together, for reading offsets */
    uint32_t required_count;
    uint32_t excluded_count;
    uint32_t any_count;
    uint8_t required[STOA_TERM_MAX]; /* indexes of terms whose component must be there */
    uint8_t excluded[STOA_TERM_MAX]; /* and must not */
    uint8_t any[STOA_TERM_MAX];      /* any-of terms, group by group */
} stoa__terms;

struct stoa_query {
    stoa_query_head head; /* must be first */
    stoa_query *next;
    stoa_query *previous;
    char *name; /* as given, or NULL */
    uint32_t match_capacity;
    uint32_t offset_capacity;
    bool listed; /* the matches are complete and kept so; not before the first iteration */
    bool once;   /* made for one iteration, gone at its end */
    stoa__terms terms;
    char made_name[STOA__QUERY_NAME_SIZE]; /* from the terms, made when asked for */
};

/* Finds the components of the terms, registering types, and checks them. The thread's error is set,
 * not reported. */
stoa_status stoa__terms_read(stoa_world *world, const stoa_query_desc *desc, stoa__terms *terms);

/* The archetypes 64 * word to 64 * word + 63 that match, as bits. */
uint64_t stoa__terms_match(const stoa__storage *storage, const stoa__terms *terms, uint32_t word);

/* How many entities match. */
int32_t stoa__terms_count(const stoa__storage *storage, const stoa__terms *terms);

/* Writes the terms as query text, cut to fit. */
void stoa__terms_print(const stoa__terms *terms, char *buffer, size_t size);

/* Makes a query and lists it in its world; NULL with the thread's error set. */
stoa_query *stoa__query_make(stoa_world *world, const stoa_query_desc *desc, bool once);

/* Lists the archetypes that match, which an iteration needs. The thread's error is set, not
 * reported. */
stoa_status stoa__query_list(stoa_query *query);

/* Frees the list of entities without components, if there is one. */
void stoa__query_empties_drop(stoa_world *world);

/* Takes a query out of its world and frees it. */
void stoa__query_delete(stoa_query *query);

#endif
