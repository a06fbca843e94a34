/* The pool, as the app sees it. */
#ifndef STOA_SCHEDULE_POOL_H
#define STOA_SCHEDULE_POOL_H

#include "stoa/pool.h"

/* Tells whether more work is to come soon. If so, workers that have nothing to do wait for it
 * awake, for a quarter of a millisecond at most, before they sleep. */
void stoa__pool_expect(stoa_pool *pool, bool soon);

#endif
