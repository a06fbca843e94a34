/* A module that was built against another version. */
#include "pond.h"

STOA_MODULE_EXPORT const stoa_module_entry *stoa_module_main(void);

static stoa_status load(stoa_module *module) {
    (void)module;
    host_fail = 1;
    return STOA_OK;
}

const stoa_module_entry *stoa_module_main(void) {
    static const stoa_module_entry entry = {
        .abi = STOA_MODULE_ABI + 1, .layout = STOA_MODULE_LAYOUT, .name = "pond", .load = load};
    return &entry;
}
