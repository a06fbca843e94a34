/* Quits after the fifth frame. */
#include "garden.h"

STOA_SYSTEM_ONCE(leave) {
    if (job->frame == 4) {
        stoa_app_quit(job->user);
    }
    return STOA_OK;
}

STOA_MODULE("brief", .scene = NULL) {
    return stoa_module_system(module, leave, stoa_module_app(module));
}
