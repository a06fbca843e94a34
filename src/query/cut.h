/* What a query matches, cut into parts for threads.
 *
 * The rows of a query that needs no test are listed as runs when it is cut; a part is some of them.
 * Otherwise each part has a walk of its own, over some chunks or over some positions of a set. */
#ifndef STOA_QUERY_CUT_H
#define STOA_QUERY_CUT_H

#include "query/walk.h"

/* Some runs; or what a walk goes over: positions of its set, or matches, or entities without
 * columns. */
typedef struct stoa__part {
    stoa__walk *walk; /* NULL: runs */
    uint32_t first;
    uint32_t count;
    int32_t chunk_first; /* of the first match */
    int32_t chunk_end;   /* of the last match, past the last */
    bool empties;
} stoa__part;

/* A match whose runs are listed. */
typedef struct stoa__cut_match {
    const stoa_archetype_head *archetype;
    uint32_t rows; /* that it had */
} stoa__cut_match;

typedef struct stoa__cut {
    stoa_walk_head head; /* of parts that are runs: no list of its own, so that it ends with them */
    const stoa_sparse_head *sets[STOA_TERM_MAX]; /* none */
    stoa_run *runs;
    uint32_t run_capacity;
    uint32_t run_count;
    uint32_t run_known; /* runs that hold something, of this cut or of one before */
    stoa__part *parts;
    uint32_t part_capacity;
    uint32_t part_count;
    uint32_t part_known; /* as of runs; walks do not count theirs */
    stoa__cut_match *matches;
    uint32_t match_capacity;
    uint32_t match_count;            /* STOA__NONE: the parts are not what the matches tell */
    uint32_t rows;                   /* of a part, as it was asked for */
    uint32_t epoch;                  /* of the world */
    uint32_t chunk_changes;          /* likewise */
    const stoa_match *query_matches; /* where those of the query are */
    stoa__walk **walks;              /* by part, in use for as long as the query lives */
    uint32_t walk_capacity;
    uint32_t walk_count;
    uint32_t since; /* the tick that filters go by */
} stoa__cut;

/* Frees what a query keeps for cuts. */
void stoa__cut_free(stoa_query *query);

/* Bytes that it holds of the heap. */
size_t stoa__cut_bytes(const stoa_query *query);

#endif
