/* A component is written in the block of stoa_with. */
/* error: read-only|const-qualified */
#include "stoa.h"

STOA_COMPONENT(Position, { float x, y; });

void component_write(stoa_world *w, stoa_entity e) {
#ifdef MUST_FAIL
    stoa_with(w, e, Position, p) {
        p->x = 1;
    }
#else
    stoa_with_mut(w, e, Position, p) {
        p->x = 1;
    }
#endif
}
