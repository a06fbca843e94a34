/* A component is written in a world that may only be read. */
/* error: discards */
#include "stoa.h"

STOA_COMPONENT(Position, { float x, y; });

/* ACC-01 */
float component_use(const stoa_world *w, stoa_entity e) {
#ifdef MUST_FAIL
    return stoa_get_mut(w, e, Position)->x = 1;
#else
    return stoa_get(w, e, Position)->x;
#endif
}
