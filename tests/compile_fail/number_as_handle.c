/* A bare number stands where a handle is expected. */
/* error: incompatible type */
#include "stoa.h"

STOA_COMPONENT(Position, { float x, y; });

bool life_read(const stoa_world *w, stoa_entity e) {
#ifdef MUST_FAIL
    return stoa_alive(w, e.index);
#else
    return stoa_alive(w, e);
#endif
}
