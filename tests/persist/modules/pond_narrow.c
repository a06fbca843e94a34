/* A version whose fish have room for small numbers only. */
#include "pond.h"

STOA_COMPONENT(Fish, { uint8_t x; });
STOA_TAG(Hungry);

STOA_MODULE("pond") {
    stoa_module_component(module, Hungry);
    return stoa_module_component(module, Fish);
}
