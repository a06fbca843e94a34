/* A column is filled from an array of another component. */
/* error: _Generic|not compatible with any */
#include "stoa.h"

STOA_COMPONENT(Position, { float x, y; });
STOA_COMPONENT(Velocity, { float x, y; });

stoa_status entities_create(stoa_world *w, const Velocity v[2]) {
#ifdef MUST_FAIL
    return stoa_create_bulk(w, 2, NULL, STOA_COLUMN(Position, v));
#else
    return stoa_create_bulk(w, 2, NULL, STOA_COLUMN(Velocity, v));
#endif
}
