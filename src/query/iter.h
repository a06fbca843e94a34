/* Iterations, as stoa_query_each sees them. */
#ifndef STOA_QUERY_ITER_H
#define STOA_QUERY_ITER_H

#include "query/query.h"

/* Starts an iteration whose filters go by `since`; `run` tells that its end is that of a run. One
 * that is ended already, with the failure reported, if there is no memory. */
stoa_iter stoa__iter_start(stoa_query *query, uint32_t since, bool run);

#endif
