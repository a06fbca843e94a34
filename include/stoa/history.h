/* History: a ring of recent frames of a world and its app, for rollback.
 *
 * Saving costs what changed since the frame before. Restoring is exact: a replay with the same
 * input comes to the same hashes as a world that never went back. */
#ifndef STOA_HISTORY_H
#define STOA_HISTORY_H

#include "stoa/app.h"
#include "stoa/frames.h"

STOA_BEGIN

/// A ring of recent frames; to be freed before its world.
typedef struct stoa_history stoa_history;

/// How to make a history; zero is the default of each member.
typedef struct stoa_history_desc {
    int32_t frames; ///< how many are kept, the newest; 0: 8
    stoa_app *app;  ///< whose time and last runs are kept too; NULL: none. Runs the same world
} stoa_history_desc;

/// Makes an empty history of a world; NULL on error. `desc` may be NULL.
/// When the app is freed the frames go, too, and only stoa_history_free is left to do.
stoa_history *stoa_history_new(stoa_world *world, const stoa_history_desc *desc);

/// Frees a history and its frames; NULL is fine. The world stays as it is.
void stoa_history_free(stoa_history *history);

/// Keeps world and app as they are now as the next frame; returns its number, or -1 on error.
/// Numbers count up from 0, and on from a frame that was restored. The oldest frame goes if the
/// ring is full. See stoa_frames_save for what is refused. On an error nothing has changed.
int64_t stoa_history_save(stoa_history *history);

/// Makes world and app what they were in a frame; those that are younger are gone.
/// See stoa_frames_restore for what comes back and what stays as it is.
stoa_status stoa_history_restore(stoa_history *history, int64_t frame);

/// The number of the oldest frame, -1 if there is none.
int64_t stoa_history_first(const stoa_history *history);

/// The number of the newest frame, -1 if there is none.
int64_t stoa_history_last(const stoa_history *history);

/// How many frames there are.
int32_t stoa_history_count(const stoa_history *history);

/// Bytes that the history holds, room for frames to come included.
size_t stoa_history_bytes(const stoa_history *history);

/// Forgets all frames; the next one has the number `next`. Memory is kept.
stoa_status stoa_history_clear(stoa_history *history, int64_t next);

STOA_END

#endif
