/* The second of two translation units that use the shared components with the same worlds. */
#include "shared.h"

/* The other unit describes another struct by this name. */
STOA_COMPONENT(Clash, { double value; });

#define UNIT unit_second
#include "unit_body.h"
