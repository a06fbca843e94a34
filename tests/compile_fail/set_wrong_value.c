/* A component is set from a value of another. */
/* error: incompatible type */
#include "stoa.h"

STOA_COMPONENT(Position, { float x, y; });
STOA_COMPONENT(Velocity, { float x, y; });

stoa_status component_set(stoa_world *w, stoa_entity e, Velocity v) {
#ifdef MUST_FAIL
    return stoa_set(w, e, Position, {v});
#else
    return stoa_set(w, e, Position, {v.x, v.y});
#endif
}
