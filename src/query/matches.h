/* The archetypes that a query matches, listed for its iterations. */
#ifndef STOA_QUERY_MATCHES_H
#define STOA_QUERY_MATCHES_H

#include "query/query.h"

/* Bytes of one match with its indexes. */
size_t stoa__matches_size(const stoa_query *query);

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
