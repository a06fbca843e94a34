/* Deltas: what makes one snapshot out of another, small where little has changed.
 *
 * Made of any bytes and exact: applied to the base it gives the very bytes of the target. Runs that
 * changed in place and blocks that moved are both found. A delta knows its base by size and hash;
 * docs/delta.md says byte by byte how it is kept. */
#ifndef STOA_DELTA_H
#define STOA_DELTA_H

#include "stoa/stream.h"

STOA_BEGIN

/// The version of the format of deltas that is written and read.
#define STOA_DELTA_VERSION 1

/// What a delta tells of itself.
typedef struct stoa_delta_info {
    uint32_t version;      ///< of the format
    uint64_t size;         ///< bytes of the delta
    uint64_t base_size;    ///< bytes of what it is applied to
    uint64_t base_hash;    ///< and their hash
    uint64_t target_size;  ///< bytes of what comes out
    uint64_t target_hash;  ///< and their hash
    uint64_t copied_size;  ///< bytes of the target that come from the base
    uint64_t literal_size; ///< bytes of the target that are in the delta itself
} stoa_delta_info;

/// Appends to a blob what makes `target` out of `base`. The same input, the same bytes.
/// Either may be empty. Nothing of them may be in the blob. Memory beside the delta, at most a
/// quarter of the base, is taken from the blob's allocator if something moved. On an error the blob
/// is as it was. O(both), the quicker the less has changed.
stoa_status stoa_delta_make(const void *base, size_t base_size, const void *target,
                            size_t target_size, stoa_blob *delta);

/// Appends to a blob the target of a delta, made of the base that it was made for.
/// STOA_CORRUPT if the bytes are no whole delta, or if the base is another one, by its size and
/// hash. STOA_LIMIT if the target has more than `size_max` bytes; 0 is any size: a few bytes can
/// ask for many copies of the base. No memory is taken before all that was checked. On an error the
/// blob is as it was. O(base + target).
stoa_status stoa_delta_apply(const void *base, size_t base_size, const void *delta,
                             size_t delta_size, uint64_t size_max, stoa_blob *target);

/// Checks that bytes are a whole delta, without its base; fills in what it tells. O(delta).
/// `info` may be NULL. STOA_CORRUPT says where it is not.
stoa_status stoa_delta_verify(const void *delta, size_t delta_size, stoa_delta_info *info);

STOA_END

#endif
