/* A handle and an id change places. */
/* error: incompatible type */
#include "stoa.h"

STOA_COMPONENT(Position, { float x, y; });

const void *component_read(const stoa_world *w, stoa_entity e, stoa_component id) {
#ifdef MUST_FAIL
    return stoa_get_id(w, id, e);
#else
    return stoa_get_id(w, e, id);
#endif
}
