/* A bundle takes a value from a pointer to another component. */
/* error: _Generic|not compatible with any */
#include "stoa.h"

STOA_COMPONENT(Position, { float x, y; });
STOA_COMPONENT(Velocity, { float x, y; });

stoa_entity entity_create(stoa_world *w, const Velocity *v) {
#ifdef MUST_FAIL
    return stoa_create_with(w, STOA_VALUE_FROM(Position, v));
#else
    return stoa_create_with(w, STOA_VALUE_FROM(Velocity, v));
#endif
}
