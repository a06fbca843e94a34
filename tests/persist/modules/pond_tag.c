/* A version that makes a tag of what had data, or, as the test program says, something else that
 * cannot be changed while a world lives. */
#include "pond.h"

STOA_TAG(Fish);
STOA_COMPONENT(Hungry, { int32_t since; });
STOA_COMPONENT_WITH(Sparse, STOA_OPTIONS(.name = "Wave", .flags = STOA_SPARSE),
                    { int32_t height; });
STOA_COMPONENT(Host, { int64_t other; });

STOA_MODULE("pond") {
    return host_fail == 1   ? stoa_module_component(module, Fish)
           : host_fail == 2 ? stoa_module_component(module, Hungry)
           : host_fail == 3 ? stoa_module_component(module, Sparse)
                            : stoa_module_component(module, Host);
}
