/* The system that propagates transforms: the app's threads at the work, with the world to itself.
 */
#include "base/error.h"
#include "stoa/app.h"
#include "stoa/transform.h"

static stoa_status transforms_run(stoa_job *job, stoa_iter *it) {
    (void)it;
    return stoa_propagate_transforms_with(job->world, stoa_app_pool(job->user));
}

stoa_system stoa_transform_system_add(stoa_app *app, stoa_stage stage) {
    stoa_system_desc desc = {.name = "stoa.transforms",
                             .run = transforms_run,
                             .stage = stage,
                             .rule = STOA_THREAD_EXCLUSIVE,
                             .user = app};
    return stoa_system_new(app, &desc);
}
