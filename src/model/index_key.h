/* Keys of indexes: from a value of a component to what an index compares.
 *
 * What is indexed is a list of scalars and texts at known offsets. If it fits into 64 bits the key
 * is one number, a word; otherwise it is a text of bytes, found by its hash. Either way padding
 * does not count, -0 is 0, all NaN are one, and a char array ends at its first zero. Words of one
 * number are in that number's order, NaN last. */
#ifndef STOA_MODEL_INDEX_KEY_H
#define STOA_MODEL_INDEX_KEY_H

#include "base/heap.h"
#include "base/inline.h"
#include "stoa/component.h"

#include <string.h>

/* Scalars of one kind that stand one after the other, or one text. */
typedef struct stoa__key_part {
    uint32_t offset;
    uint32_t size;  /* of one */
    uint32_t count; /* 1, or those of an array */
    stoa_kind kind;
    bool text; /* an array of char */
} stoa__key_part;

/* How keys are read. */
typedef struct stoa__key_plan {
    stoa__key_part *parts;
    uint32_t part_count;
    uint32_t part_capacity;
    uint32_t base;  /* bytes from the start of the component to what a key points at */
    uint32_t quick; /* bytes, 4 or 8, of a key that is one integer; 0 for others */
    uint64_t bias;  /* that puts such integers in order */
    bool word;      /* fits into 64 bits */
    bool number;    /* is one number, which has an order */
} stoa__key_plan;

/* A key that is no word, as an index keeps it. */
typedef struct stoa__key_bytes {
    uint64_t hash;
    size_t size;
    uint8_t bytes[];
} stoa__key_bytes;

/* Reads how a field is laid out, or the whole component for NULL. The thread's error is set, not
 * reported; the plan is empty then. */
stoa_status stoa__key_plan_init(stoa__key_plan *plan, stoa__heap *heap, const stoa_world *world,
                                const stoa_component_info *info, const char *field);
void stoa__key_plan_fini(stoa__key_plan *plan, stoa__heap *heap);

/* stoa__key_word for keys that are not one integer of 4 or 8 bytes. */
uint64_t stoa__key_word_slow(const stoa__key_plan *plan, const void *key);

/* The word of a key; the plan must be one of words. */
STOA__INLINE uint64_t stoa__key_word(const stoa__key_plan *plan, const void *key) {
    if (STOA_LIKELY(plan->quick == 4)) {
        uint32_t bits;
        memcpy(&bits, key, sizeof bits);
        return bits ^ plan->bias;
    }
    if (plan->quick == 8) {
        uint64_t bits;
        memcpy(&bits, key, sizeof bits);
        return bits ^ plan->bias;
    }
    return stoa__key_word_slow(plan, key);
}

/* The hash of a key that is no word. */
uint64_t stoa__key_hash(const stoa__key_plan *plan, const void *key);

/* True if a key is the one that is kept. */
bool stoa__key_equal(const stoa__key_plan *plan, const void *key, const stoa__key_bytes *kept);

/* A copy of a key that is no word; NULL on lack of memory. */
stoa__key_bytes *stoa__key_keep(const stoa__key_plan *plan, stoa__heap *heap, const void *key,
                                uint64_t hash);
void stoa__key_drop(stoa__heap *heap, stoa__key_bytes *kept);

/* True if `low` is at least as near to a word as `high`; all of one plan of numbers, in order. */
bool stoa__key_nearer(const stoa__key_plan *plan, uint64_t low, uint64_t word, uint64_t high);

/* True for the word of a NaN. */
bool stoa__key_nan(const stoa__key_plan *plan, uint64_t word);

#endif
