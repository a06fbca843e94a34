/* Creations of one bundle: what they have in common, and filling rows with them. */
#ifndef STOA_WORLD_COMMANDS_BIRTH_H
#define STOA_WORLD_COMMANDS_BIRTH_H

#include "storage/edge.h"
#include "world/commands_buffer.h"

/* Components of a bundle that is taken this way, at most. */
#define STOA__BIRTH_PARTS 16u

/* One component: how its part is told, and where its value goes from and to. */
typedef struct stoa__birth_part {
    uint64_t does; /* the second half of the part's header */
    size_t at;     /* of the part, from the creation on */
    stoa_component id;
    bool zero;
    stoa__put put;
} stoa__birth_part;

typedef struct stoa__births {
    stoa__storage *storage;
    stoa__edge *edge;
    const uint8_t *end; /* of the block */
    uint64_t does;      /* the second half of a creation's header */
    size_t stride;      /* from one creation to the next */
    uint32_t count;     /* of parts */
    stoa__birth_part parts[STOA__BIRTH_PARTS];
} stoa__births;

/* Learns the parts of the creation at `at`, in a block that ends at `b->end`; false if it is not of
 * this sort. */
bool stoa__births_read(stoa__births *b, const stoa_commands *commands, const uint8_t *at);

/* Finds where the values go; false if somebody wants to know. */
bool stoa__births_aim(stoa__births *b);

/* Fills rows of a chunk, from `slot` on, with creations that lie at `at`, one after the other, and
 * lets their entities live there. Marks and counts nothing: threads may fill different rows. */
void stoa__births_fill(const stoa__births *b, const stoa_chunk *chunk, uint32_t slot,
                       const uint8_t *at, uint32_t count);

/* Notes that a chunk has got rows, up to `count` of them, that were filled. */
void stoa__births_note(const stoa__births *b, stoa_chunk *chunk, uint32_t count);

/* Applies creations at the front of buffers that hold nothing else, those from number `from` on,
 * and empties these buffers; threads help if there is a crew. Returns how many buffers are done.
 * `*seen` is how many need not be looked at again. */
int32_t stoa__commands_share(stoa_commands *const *buffers, int32_t from, int32_t count,
                             const stoa_flush_crew *crew, int32_t *seen);

#endif
