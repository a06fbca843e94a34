/* Another module that describes the pond's fish as something else. */
#include "pond.h"

STOA_COMPONENT(Fish, { int64_t weight; });

STOA_MODULE("thief") {
    return stoa_module_component(module, Fish);
}
