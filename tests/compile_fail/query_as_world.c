/* A query stands where a world is expected. */
/* error: incompatible pointer type */
#include "stoa.h"

STOA_COMPONENT(Position, { float x, y; });

int32_t entities_count(const stoa_query *q) {
#ifdef MUST_FAIL
    return stoa_count(q);
#else
    return stoa_query_count(q);
#endif
}
