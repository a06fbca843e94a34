/* A world and a handle change places. */
/* error: incompatible type */
#include "stoa.h"

STOA_COMPONENT(Position, { float x, y; });

stoa_status entity_end(stoa_world *w, stoa_entity e) {
#ifdef MUST_FAIL
    return stoa_destroy(e, w);
#else
    return stoa_destroy(w, e);
#endif
}
