/* A handle stands where an id is expected. */
/* error: incompatible type */
#include "stoa.h"

STOA_COMPONENT(Position, { float x, y; });

const char *name_read(const stoa_world *w, stoa_entity e, stoa_component id) {
#ifdef MUST_FAIL
    return stoa_component_name(w, e);
#else
    (void)e;
    return stoa_component_name(w, id);
#endif
}
