/* A component is written through stoa_try_get. */
/* error: read-only|const-qualified */
#include "stoa.h"

STOA_COMPONENT(Position, { float x, y; });

/* ACC-01 */
void component_write(stoa_world *w, stoa_entity e) {
#ifdef MUST_FAIL
    stoa_try_get(w, e, Position)->x = 1;
#else
    stoa_try_get_mut(w, e, Position)->x = 1;
#endif
}
