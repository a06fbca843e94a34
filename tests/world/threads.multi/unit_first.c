/* The first of two translation units that use the shared components with the same worlds. */
#include "shared.h"

/* The other unit describes another struct by this name. */
STOA_COMPONENT(Clash, { float value; });

#define UNIT unit_first
#include "unit_body.h"
