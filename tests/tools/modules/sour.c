/* A system that fails on the third day. */
#include "garden.h"

STOA_SYSTEM_ONCE(rot) {
    return job->frame < 2 ? STOA_OK : stoa_job_fail(job, "all is rotten");
}

STOA_MODULE("sour", .scene = NULL) {
    return stoa_module_system(module, rot, NULL);
}
