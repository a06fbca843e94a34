/* Sharing the queries of a batch among threads: those that systems declare, and the own one of a
 * system that runs once.
 *
 * What the first system of a batch that declares a query asks for is enough for all of them: no
 * more jobs are under way than there are threads. So it does not depend on the number of threads
 * whether there is enough. O(systems of the batch) for each query. The main thread only. */
#include "schedule/work.h"

/* Iterations of one query inside of each other that a job may have, at least. */
#define NEST 4

/* True if a system before this one in its batch has shared a query. */
static bool query_shared(const stoa__work *work, const stoa__batch *batch,
                         const stoa__system *system, const stoa_query *query) {
    const stoa__planned *planned = &work->app->plan.systems[batch->first];
    for (; planned->system != system; planned++) {
        stoa_query *const *queries = planned->system->queries;
        for (uint32_t i = 0; i < STOA_DECLARE_MAX && queries[i] != NULL; i++) {
            if (queries[i] == query && planned->system->shared > i) {
                return true;
            }
        }
    }
    return false;
}

stoa_status stoa__share_begin(stoa__work *work, const stoa__batch *batch, stoa__system *system) {
    stoa_status status = STOA_OK;
    if (system->run != NULL && system->query != NULL) {
        status = stoa_query_share(system->query, 1);
        system->shared += status == STOA_OK;
    }
    for (uint32_t i = 0; i < STOA_DECLARE_MAX && system->queries[i] != NULL; i++) {
        if (status == STOA_OK) {
            bool again = query_shared(work, batch, system, system->queries[i]);
            status = stoa_query_share(system->queries[i], again ? 1 : work->lane_count * NEST);
            system->shared += status == STOA_OK;
        }
    }
    return status;
}

void stoa__share_end(stoa__system *system, bool ran) {
    uint32_t left = system->shared;
    system->shared = 0;
    if (left > 0 && system->run != NULL && system->query != NULL) {
        stoa_query_unshare(system->query, ran);
        left--;
    }
    for (uint32_t i = 0; i < left; i++) {
        stoa_query_unshare(system->queries[i], ran);
    }
}
