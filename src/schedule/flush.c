/* Applying what the jobs of a batch recorded.
 *
 * The thread that steps the app applies the buffers in order of systems and jobs. If several
 * threads ran the batch they help where that makes no difference to what comes out. A failure for
 * lack of memory leaves the batch where it is; the next step goes on with it. */
#include "schedule/work.h"

#include <stdio.h>

/* Has the threads of the app's pool work the lanes; if it is in use elsewhere the caller works all
 * of them. */
static void crew_run(stoa_pool_fn work, void *data, int32_t lanes, void *user) {
    if (stoa_pool_run(user, lanes, work, data) != STOA_OK) {
        for (int32_t lane = 0; lane < lanes; lane++) {
            work(lane, data);
        }
    }
}

/* Applies what the jobs recorded, in order, or drops it. */
static stoa_status buffers_flush(stoa__work *work) {
    stoa_status status = STOA_OK;
    if (work->dropping) {
        for (uint32_t i = 0; i < work->task_count && status == STOA_OK; i++) {
            status = stoa_commands_clear(work->buffers[i]);
        }
    } else if (work->task_count > 0) {
        stoa_flush_crew crew = {crew_run, work->app->pool, work->lane_used, work->app->eager};
        status = stoa_commands_flush_crew(work->buffers, (int32_t)work->task_count,
                                          &work->flush_next, work->lane_used > 1 ? &crew : NULL);
    }
    if (status != STOA_OK) {
        char message[STOA__MESSAGE_SIZE];
        snprintf(message, sizeof message, "%s", stoa_last_error().message);
        return stoa__error(status, "commands of system '%s': %s",
                           work->tasks[work->flush_next].system->name, message);
    }
    work->state = STOA__WORK_IDLE;
    return STOA_OK;
}

stoa_status stoa__work_resume(stoa__work *work) {
    stoa_status status = STOA_OK;
    if (work->state == STOA__WORK_FORKED) {
        status = stoa_commands_join(work->app->world);
        if (status != STOA_OK) {
            return status;
        }
        work->state = STOA__WORK_FLUSHING;
        work->flush_next = 0;
        /* What commands change is news to the systems of this batch. */
        stoa_tick_advance(work->app->world);
    }
    return work->state == STOA__WORK_FLUSHING ? buffers_flush(work) : STOA_OK;
}
