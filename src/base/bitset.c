/* A set of small numbers as bits: its memory. The rest is inline in the header.
 *
 * Every word allocated is valid, so a bit that was never set reads 0. Only reserving allocates. */
#include "base/bitset.h"

#include <string.h>

void stoa__bitset_fini(stoa__bitset *set, stoa__heap *heap) {
    stoa__heap_free(heap, set->words, set->word_count * sizeof *set->words, _Alignof(uint64_t));
    memset(set, 0, sizeof *set);
}

bool stoa__bitset_reserve(stoa__bitset *set, stoa__heap *heap, uint32_t bit) {
    uint32_t need = (bit >> 6) + 1;
    if (need <= set->word_count) {
        return true;
    }
    /* A bit has 32 bits, so there are at most 2^26 words and doubling cannot overflow. */
    uint32_t count = set->word_count * 2 > need ? set->word_count * 2 : need;
    uint64_t *words = stoa__heap_resize(heap, set->words, set->word_count * sizeof *words,
                                        count * sizeof *words, _Alignof(uint64_t));
    if (words == NULL) {
        return false;
    }
    memset(words + set->word_count, 0, (count - set->word_count) * sizeof *words);
    set->words = words;
    set->word_count = count;
    return true;
}
