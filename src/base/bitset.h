/* A set of small numbers as bits, of any width; a zeroed one is empty. Bits past the end are 0. */
#ifndef STOA_BASE_BITSET_H
#define STOA_BASE_BITSET_H

#include "base/heap.h"

typedef struct stoa__bitset {
    uint64_t *words;
    uint32_t word_count; /* words allocated, all of them valid */
} stoa__bitset;

void stoa__bitset_fini(stoa__bitset *set, stoa__heap *heap);

/* Makes room for bits 0 to `bit`, so that setting them cannot fail. Doubles. */
bool stoa__bitset_reserve(stoa__bitset *set, stoa__heap *heap, uint32_t bit);

/* Sets a bit there is room for. */
static inline void stoa__bitset_set(stoa__bitset *set, uint32_t bit) {
    set->words[bit >> 6] |= (uint64_t)1 << (bit & 63);
}

/* Clears a bit there is room for. */
static inline void stoa__bitset_clear(stoa__bitset *set, uint32_t bit) {
    set->words[bit >> 6] &= ~((uint64_t)1 << (bit & 63));
}

static inline bool stoa__bitset_test(const stoa__bitset *set, uint32_t bit) {
    return bit >> 6 < set->word_count && (set->words[bit >> 6] >> (bit & 63) & 1) != 0;
}

/* Word i, 0 past the end. */
static inline uint64_t stoa__bitset_word(const stoa__bitset *set, uint32_t i) {
    return i < set->word_count ? set->words[i] : 0;
}

/* How many bits are set. */
static inline uint32_t stoa__bit_count(uint64_t word) {
    word -= word >> 1 & 0x5555555555555555u;
    word = (word & 0x3333333333333333u) + (word >> 2 & 0x3333333333333333u);
    word = (word + (word >> 4)) & 0x0F0F0F0F0F0F0F0Fu;
    return (uint32_t)(word * 0x0101010101010101u >> 56);
}

/* The number of the lowest bit set; `word` must not be 0. */
static inline uint32_t stoa__bit_lowest(uint64_t word) {
#if defined(__GNUC__)
    return (uint32_t)__builtin_ctzll(word);
#else
    uint32_t bit = 0;
    while ((word >> bit & 1) == 0) {
        bit++;
    }
    return bit;
#endif
}

#endif
