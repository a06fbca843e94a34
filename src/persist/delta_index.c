/* The blocks of a base by their content: where bytes that moved came from.
 *
 * A table with one place for each hash. Of blocks that fall on the same place the first is kept:
 * which one of many equal blocks is found matters little, since a match goes on as far as it holds.
 * Built once, O(base); asked in O(1). */
#include "persist/delta.h"

#include "base/error.h"

#define BITS_LEAST 4u
#define BITS_MOST 32u

static size_t index_size(const stoa__delta_index *index) {
    return ((size_t)1 << index->bits) * sizeof *index->blocks;
}

stoa_status stoa__delta_index_build(stoa__delta_index *index) {
    size_t count = index->base_size / STOA__DELTA_BLOCK;
    count = count < UINT32_MAX ? count : UINT32_MAX - 1;
    uint32_t bits = BITS_LEAST;
    while (bits < BITS_MOST && (size_t)1 << bits < count) {
        bits++;
    }
    index->bits = bits;
    index->blocks = stoa__heap_zalloc(index->heap, index_size(index), _Alignof(uint32_t));
    if (index->blocks == NULL) {
        index->bits = 0;
        return stoa__error_memory("the blocks of a delta's base");
    }
    for (size_t i = 0; i < count; i++) {
        uint32_t *slot = stoa__delta_index_slot(index, index->base + i * STOA__DELTA_BLOCK);
        if (*slot == 0) {
            *slot = (uint32_t)i + 1;
        }
    }
    return STOA_OK;
}

void stoa__delta_index_free(stoa__delta_index *index) {
    if (index->blocks != NULL) {
        stoa__heap_free(index->heap, index->blocks, index_size(index), _Alignof(uint32_t));
    }
}
