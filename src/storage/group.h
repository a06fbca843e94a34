/* Groups: chunks of one layout in one block, the same columns of all of them side by side. */
#ifndef STOA_STORAGE_GROUP_H
#define STOA_STORAGE_GROUP_H

#include "storage/storage.h"

/* Chunks that a group has at most, and words with a bit for each. */
#define STOA__GROUP_MOST 128
#define STOA__GROUP_WORDS (STOA__GROUP_MOST / 64)

/* What is known of a group. It stands behind the columns of its chunks, with which the block
 * begins, chunk by chunk: those of a small archetype are on one cache line. */
typedef struct stoa__group {
    uint64_t live[STOA__GROUP_WORDS]; /* bit i: chunk i is somebody's */
    uint32_t size;                    /* bytes of the block */
    uint16_t count;                   /* chunks that it was made for */
    uint16_t lanes;                   /* of each */
} stoa__group;

/* From the columns of a chunk to those of the next, in pointers, where chunks have so many lanes.
 */
static inline uint32_t stoa__group_stride(uint16_t lanes) {
    return lanes + 2u;
}

/* Chunks of `rows` that a group of so many bytes has room for, at most `most`. */
int32_t stoa__group_fits(const stoa__archetype *archetype, uint32_t rows, size_t size,
                         int32_t most);

/* Chunks that a group of an archetype should have if `want` are wanted: as many as fill a slab, or
 * some that share one; or as many as fill a larger slab, if there are `most` of them at most. */
int32_t stoa__group_size(const stoa__archetype *archetype, int32_t want, int32_t most);

/* A group of chunks of `rows` in the layout of an archetype, or NULL. All of them are somebody's,
 * and each leads to it. */
stoa__group *stoa__group_new(stoa__storage *storage, const stoa__archetype *archetype,
                             uint32_t rows, int32_t count);

/* The beginning of its block. */
static inline uint8_t *stoa__group_block(const stoa__group *group) {
    size_t columns = (size_t)group->count * stoa__group_stride(group->lanes);
    return (uint8_t *)(uintptr_t)group - columns * sizeof(uint8_t *);
}

/* Where the columns of a chunk of the group begin. */
uint8_t **stoa__group_columns(const stoa__group *group, int32_t i);

/* The group of a chunk with these columns. */
static inline stoa__group *stoa__group_of(uint8_t *const *columns) {
    stoa__group *group;
    memcpy(&group, columns[-1], sizeof group);
    return group;
}

/* The columns of a chunk where its group has them, of which the archetype may have a copy. */
uint8_t **stoa__group_own(uint8_t **columns);

/* True if two chunks of an archetype follow each other in one group, in either order. Reads nothing
 * of them: the columns of two groups are further apart. */
bool stoa__group_beside(const stoa__archetype *archetype, uint8_t *const *a, uint8_t *const *b);

/* A chunk is nobody's any more; the last one takes the group along. */
void stoa__group_leave(stoa__storage *storage, uint8_t *const *columns);

/* True if chunk `i` of a group is somebody's. */
static inline bool stoa__group_lives(const stoa__group *group, uint32_t i) {
    return (group->live[i / 64] >> i % 64 & 1) != 0;
}

/* True for just one of the chunks of a group that are somebody's. */
bool stoa__group_counts(uint8_t *const *columns);

#endif
