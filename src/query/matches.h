/* The archetypes that a query matches, listed for its iterations. */
#ifndef STOA_QUERY_MATCHES_H
#define STOA_QUERY_MATCHES_H

#include "query/query.h"

/* Bytes of one match of a query with its indexes. */
uint32_t stoa__matches_size(const stoa__terms *terms);

/* A match by its number, which may be that past the last. */
static inline stoa_match *stoa__match_at(const stoa_query *query, uint32_t i) {
    uint8_t *matches = (uint8_t *)query->head.matches;
    return (stoa_match *)(void *)(matches + (size_t)i * query->head.match_size);
}

/* The indexes of its columns, by term. */
static inline uint32_t *stoa__match_indexes(const stoa_match *match) {
    return (uint32_t *)(uintptr_t)(match + 1);
}

/* Makes room for so many matches; false on lack of memory. */
bool stoa__matches_reserve(stoa_query *query, uint32_t count);

/* Adds a match, for which there is room, its indexes read. */
void stoa__matches_add(stoa_query *query, stoa_archetype_head *archetype);

/* The archetypes that match among 64, without the empty one, which has no chunks of its own. */
uint64_t stoa__matches_bits(const stoa_query *query, uint32_t word);

/* Lists the archetypes that match, which an iteration needs. The thread's error is set, not
 * reported. */
stoa_status stoa__matches_list(stoa_query *query);

/* Reads the indexes of matches anew where the columns of archetypes have moved. The matches must be
 * listed. */
void stoa__matches_resolve(stoa_query *query);

#endif
