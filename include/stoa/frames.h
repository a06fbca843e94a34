/* Frames: a ring of recent states of a world, to go back to.
 *
 * A frame is kept in memory as it is, not as a file: for the same program, world and run. What did
 * not change since the frame before is shared with it. History, in history.h, keeps the state of an
 * app beside it. */
#ifndef STOA_FRAMES_H
#define STOA_FRAMES_H

#include "stoa/world.h"

STOA_BEGIN

/// A ring of frames of one world; to be freed before its world.
typedef struct stoa_frames stoa_frames;

/// The most frames that can be kept.
#define STOA_FRAMES_MAX 65536

/// Makes an empty ring that keeps the newest `count` frames; NULL on error.
stoa_frames *stoa_frames_new(stoa_world *world, int32_t count);

/// Frees all frames; NULL is fine. The world stays as it is.
void stoa_frames_free(stoa_frames *frames);

/// Keeps the world as it is now as the next frame; the oldest goes if the ring is full.
/// The number of the frame is one more than the last one's, 0 for the first; see stoa_frames_last.
/// Costs what changed since the frame before. On an error nothing has changed. Refused while the
/// world is iterated, forked or inside of a hook, and while commands are recorded. A component that
/// can neither be copied nor saved is STOA_NOT_COPYABLE, naming it.
stoa_status stoa_frames_save(stoa_frames *frames);

/// Makes the world what it was in a frame; those that are younger are gone.
/// Exact: handles, ticks, orders, resources, queues, the log. Hooks and observers are not told.
/// Transient values stay, but for those of entities that do not live in the frame. What the world
/// has beside, such as types, queries, hooks and listeners, stays. Refused as a save is. For lack
/// of memory it fails before anything has changed, unless an extension fails: then that is empty,
/// and the rest restored. `restored`, which may be NULL, tells whether the world is the frame's.
stoa_status stoa_frames_restore(stoa_frames *frames, int64_t frame, bool *restored);

/// The number of the oldest frame, -1 if there is none.
int64_t stoa_frames_first(const stoa_frames *frames);

/// The number of the newest frame, -1 if there is none.
int64_t stoa_frames_last(const stoa_frames *frames);

/// How many frames there are.
int32_t stoa_frames_count(const stoa_frames *frames);

/// The number that the next frame will have.
int64_t stoa_frames_next(const stoa_frames *frames);

/// Forgets all frames and begins at a number; memory is kept for those to come.
stoa_status stoa_frames_clear(stoa_frames *frames, int64_t next);

/// Bytes that the frames hold, room for those to come included.
size_t stoa_frames_bytes(const stoa_frames *frames);

STOA_END

#endif
