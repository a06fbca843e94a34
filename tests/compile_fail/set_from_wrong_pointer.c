/* A component is set from a pointer to another. */
/* error: _Generic|not compatible with any */
#include "stoa.h"

STOA_COMPONENT(Position, { float x, y; });
STOA_COMPONENT(Velocity, { float x, y; });

stoa_status component_set(stoa_world *w, stoa_entity e, const Velocity *v) {
#ifdef MUST_FAIL
    return stoa_set_from(w, e, Position, v);
#else
    return stoa_set_from(w, e, Velocity, v);
#endif
}
