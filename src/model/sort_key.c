/* Sorting by a number: a radix sort.
 *
 * Keys become unsigned numbers that have the same order. What all of them have in common is taken
 * away: the least of them, and zeros at the end. What is left is sorted digit by digit from the
 * lowest, as pairs of a 32-bit word and a row; a digit that is the same everywhere is passed over,
 * and 64-bit keys are two such words. O(rows x digits); a pass over the keys if they are sorted
 * already. Memory: 20 bytes for each row, 28 if the keys differ in more than 32 bits. */
#include "base/bitset.h"
#include "base/error.h"
#include "base/inline.h"
#include "base/number.h"
#include "model/sort.h"

#include <string.h>

/* Rows up to which inserting one by one is quicker. */
#define ROWS_FEW 32u
/* Bits of a digit, and of one for rows that are not worth clearing so many counters. */
#define DIGIT_BITS 11u
#define DIGIT_BITS_SMALL 8u
#define ROWS_SMALL 4096u
/* Digits of a word at the most. */
#define DIGITS_MAX 4

#define ALL_32 UINT64_C(0xFFFFFFFF)

/* A pair: the word in the upper half, the row in the lower. */
static uint64_t pair_of(uint64_t word, uint32_t row) {
    return word << 32 | row;
}

/* NaN, of whatever sign, comes last in both directions; 0 and -0 are equal. */
STOA__INLINE uint64_t key_f32(const uint8_t *at, uint64_t flip) {
    uint32_t bits;
    memcpy(&bits, at, sizeof bits);
    uint32_t magnitude = bits & 0x7FFFFFFFu;
    bits = magnitude == 0 ? 0 : bits;
    uint64_t key = bits ^ ((bits >> 31) != 0 ? UINT32_MAX : 0x80000000u);
    return magnitude > 0x7F800000u ? ALL_32 : key ^ (flip & ALL_32);
}

STOA__INLINE uint64_t key_f64(const uint8_t *at, uint64_t flip) {
    uint64_t bits;
    memcpy(&bits, at, sizeof bits);
    uint64_t magnitude = bits & (UINT64_MAX >> 1);
    bits = magnitude == 0 ? 0 : bits;
    uint64_t key = bits ^ ((bits >> 63) != 0 ? UINT64_MAX : UINT64_C(1) << 63);
    return magnitude > UINT64_C(0x7FF0000000000000) ? UINT64_MAX : key ^ flip;
}

/* An integer of `size` bytes; adding half of the range puts those below 0 first. */
STOA__INLINE uint64_t key_integer(const uint8_t *at, uint32_t size, bool is_signed) {
    return stoa__number_read(at, size) ^ (is_signed ? UINT64_C(1) << (size * 8 - 1) : 0);
}

/* The key at an address; `flip` is all ones to turn the order round. */
STOA__INLINE uint64_t key_read(stoa__sort_kind kind, const uint8_t *at, uint64_t flip) {
    stoa_entity e;
    switch (kind) {
    case STOA__SORT_BOOL:
        return (*at != 0) ^ flip;
    case STOA__SORT_I8:
        return key_integer(at, 1, true) ^ flip;
    case STOA__SORT_I16:
        return key_integer(at, 2, true) ^ flip;
    case STOA__SORT_I32:
        return key_integer(at, 4, true) ^ flip;
    case STOA__SORT_I64:
        return key_integer(at, 8, true) ^ flip;
    case STOA__SORT_U8:
        return key_integer(at, 1, false) ^ flip;
    case STOA__SORT_U16:
        return key_integer(at, 2, false) ^ flip;
    case STOA__SORT_U32:
        return key_integer(at, 4, false) ^ flip;
    case STOA__SORT_U64:
        return key_integer(at, 8, false) ^ flip;
    case STOA__SORT_F32:
        return key_f32(at, flip);
    case STOA__SORT_F64:
        return key_f64(at, flip);
    default:
        memcpy(&e, at, sizeof e);
        return pair_of(e.index, e.generation) ^ flip;
    }
}

/* The keys of all rows, and what they have in common. */
typedef struct key_list {
    uint64_t *items;
    uint64_t least;
    uint64_t most;
    uint64_t differ; /* bits that are not the same in all */
} key_list;

STOA__INLINE uint32_t block_count(const stoa__sort_rows *rows, uint32_t first) {
    uint32_t left = rows->count - first;
    return left <= rows->mask ? left : rows->mask + 1;
}

/* True if no key is less than the one before it. */
STOA__INLINE bool keys_sorted_as(stoa__sort_kind kind, const stoa__sort_rows *rows,
                                 const stoa__sort_key *key, uint64_t flip) {
    uint64_t before = 0;
    for (uint32_t first = 0, n; first < rows->count; first += n) {
        const uint8_t *at = rows->blocks[first >> rows->shift].values + key->offset;
        n = block_count(rows, first);
        for (uint32_t i = 0; i < n; i++, at += rows->size) {
            uint64_t next = key_read(kind, at, flip);
            if (next < before) {
                return false;
            }
            before = next;
        }
    }
    return true;
}

STOA__INLINE void keys_read_as(stoa__sort_kind kind, const stoa__sort_rows *rows,
                               const stoa__sort_key *key, uint64_t flip, key_list *list) {
    uint64_t least = UINT64_MAX, most = 0, ones = 0, zeros = 0;
    for (uint32_t first = 0, n; first < rows->count; first += n) {
        const uint8_t *at = rows->blocks[first >> rows->shift].values + key->offset;
        uint64_t *to = list->items + first;
        n = block_count(rows, first);
        for (uint32_t i = 0; i < n; i++, at += rows->size) {
            uint64_t next = key_read(kind, at, flip);
            to[i] = next;
            least = next < least ? next : least;
            most = next > most ? next : most;
            ones |= next;
            zeros |= ~next;
        }
    }
    list->least = least;
    list->most = most;
    list->differ = ones & zeros;
}

static bool keys_sorted(const stoa__sort_rows *rows, const stoa__sort_key *key) {
    uint64_t flip = key->descending ? UINT64_MAX : 0;
    switch (key->kind) {
#define KEYS_SORTED(kind)                                                                          \
    case STOA__SORT_##kind:                                                                        \
        return keys_sorted_as(STOA__SORT_##kind, rows, key, flip);
        STOA__SORT_KINDS(KEYS_SORTED)
#undef KEYS_SORTED
    default:
        return true;
    }
}

static void keys_read(const stoa__sort_rows *rows, const stoa__sort_key *key, key_list *list) {
    uint64_t flip = key->descending ? UINT64_MAX : 0;
    switch (key->kind) {
#define KEYS_READ(kind)                                                                            \
    case STOA__SORT_##kind:                                                                        \
        keys_read_as(STOA__SORT_##kind, rows, key, flip, list);                                    \
        break;
        STOA__SORT_KINDS(KEYS_READ)
#undef KEYS_READ
    default:
        break;
    }
}

/* Sorts a few keys that come with rows in order. */
static void few_sort(uint64_t *keys, int32_t *order, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        uint64_t key = keys[i];
        uint32_t at = i;
        for (; at > 0 && keys[at - 1] > key; at--) {
            keys[at] = keys[at - 1];
            order[at] = order[at - 1];
        }
        keys[at] = key;
        order[at] = (int32_t)i;
    }
}

/* The digits of the words of some pairs. */
typedef struct digits {
    uint32_t bits;  /* of one */
    uint32_t count; /* in a word */
    uint32_t starts[DIGITS_MAX][1u << DIGIT_BITS];
} digits;

static uint32_t bits_used(uint64_t number) {
    uint32_t bits = 0;
    for (; number != 0; number >>= 1) {
        bits++;
    }
    return bits;
}

STOA__INLINE uint32_t digit_of(uint64_t pair, uint32_t shift, uint32_t mask) {
    return (uint32_t)(pair >> shift) & mask;
}

/* Counts the digits of all words in one pass. */
static void digits_count(digits *d, const uint64_t *pairs, uint32_t count) {
    uint32_t bits = d->bits, mask = (1u << bits) - 1;
    memset(d->starts, 0, d->count * sizeof d->starts[0]);
    for (uint32_t i = 0; i < count; i++) {
        uint64_t word = pairs[i] >> 32;
        for (uint32_t k = 0; k < d->count; k++, word >>= bits) {
            d->starts[k][word & mask]++;
        }
    }
}

/* Turns the counts of a digit into where each value of it starts. */
static void digit_sum(uint32_t *starts, uint32_t values) {
    uint32_t sum = 0;
    for (uint32_t i = 0; i < values; i++) {
        uint32_t n = starts[i];
        starts[i] = sum;
        sum += n;
    }
}

/* Deals pairs out by a digit. */
static void digit_deal(uint32_t *starts, uint32_t shift, uint32_t mask, const uint64_t *pairs,
                       uint64_t *to, uint32_t count) {
    digit_sum(starts, mask + 1);
    for (uint32_t i = 0; i < count; i++) {
        uint64_t pair = pairs[i];
        to[starts[digit_of(pair, shift, mask)]++] = pair;
    }
}

/* The same by the last digit, after which only rows are wanted. */
static void digit_finish(uint32_t *starts, uint32_t shift, uint32_t mask, const uint64_t *pairs,
                         int32_t *order, uint32_t count) {
    digit_sum(starts, mask + 1);
    for (uint32_t i = 0; i < count; i++) {
        uint64_t pair = pairs[i];
        order[starts[digit_of(pair, shift, mask)]++] = (int32_t)(uint32_t)pair;
    }
}

/* Sorts pairs by their words, which have so many bits; gives their rows. */
static void pairs_sort(digits *d, uint64_t *pairs, uint64_t *spare, uint32_t count, uint32_t bits,
                       int32_t *order) {
    uint32_t most = count < ROWS_SMALL ? DIGIT_BITS_SMALL : DIGIT_BITS;
    d->count = (bits + most - 1) / most;
    d->bits = (bits + d->count - 1) / d->count;
    digits_count(d, pairs, count);
    uint32_t mask = (1u << d->bits) - 1, last = d->count - 1;
    for (uint32_t k = 0; k < last; k++) {
        uint32_t *starts = d->starts[k], shift = 32 + k * d->bits;
        if (starts[digit_of(pairs[0], shift, mask)] != count) {
            digit_deal(starts, shift, mask, pairs, spare, count);
            uint64_t *dealt = spare;
            spare = pairs;
            pairs = dealt;
        }
    }
    digit_finish(d->starts[last], 32 + last * d->bits, mask, pairs, order, count);
}

/* Sorts keys that differ, made smaller, in up to 32 bits. */
static void narrow_sort(digits *d, const key_list *keys, uint64_t *spare, uint32_t count,
                        int32_t *order) {
    uint32_t shift = stoa__bit_lowest(keys->differ);
    uint64_t *pairs = keys->items, least = keys->least;
    for (uint32_t i = 0; i < count; i++) {
        pairs[i] = pair_of((pairs[i] - least) >> shift, i);
    }
    pairs_sort(d, pairs, spare, count, bits_used((keys->most - least) >> shift), order);
}

/* Sorts by the lower word, then by the upper one. */
static void wide_sort(digits *d, const key_list *keys, uint64_t *pairs, uint64_t *spare,
                      uint32_t count, int32_t *order) {
    for (uint32_t i = 0; i < count; i++) {
        pairs[i] = pair_of((keys->items[i] - keys->least) & ALL_32, i);
    }
    pairs_sort(d, pairs, spare, count, 32, order);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t row = (uint32_t)order[i];
        pairs[i] = pair_of((keys->items[row] - keys->least) >> 32, row);
    }
    pairs_sort(d, pairs, spare, count, bits_used((keys->most - keys->least) >> 32), order);
}

/* Sorts keys that are not sorted; false on lack of memory. */
static bool keys_sort(stoa__heap *heap, const key_list *keys, uint32_t count, int32_t *order) {
    if (count <= ROWS_FEW) {
        few_sort(keys->items, order, count);
        return true;
    }
    bool wide = (keys->most - keys->least) >> stoa__bit_lowest(keys->differ) > ALL_32;
    size_t pairs_size = count * sizeof(uint64_t);
    size_t size = sizeof(digits) + (wide ? 2 : 1) * pairs_size;
    digits *d = stoa__heap_alloc(heap, size, _Alignof(digits));
    if (d == NULL) {
        return false;
    }
    uint64_t *spare = (uint64_t *)(void *)(d + 1);
    if (wide) {
        wide_sort(d, keys, spare + count, spare, count, order);
    } else {
        narrow_sort(d, keys, spare, count, order);
    }
    stoa__heap_free(heap, d, size, _Alignof(digits));
    return true;
}

stoa_status stoa__sort_by_key(stoa__heap *heap, const stoa__sort_rows *rows,
                              const stoa__sort_key *key, int32_t **order) {
    *order = NULL;
    if (keys_sorted(rows, key)) {
        return STOA_OK;
    }
    size_t order_size = rows->count * sizeof **order;
    size_t keys_size = rows->count * sizeof(uint64_t);
    key_list keys = {.items = stoa__heap_alloc(heap, keys_size, _Alignof(uint64_t))};
    int32_t *result =
        keys.items != NULL ? stoa__heap_alloc(heap, order_size, _Alignof(int32_t)) : NULL;
    bool done = false;
    if (result != NULL) {
        keys_read(rows, key, &keys);
        done = keys_sort(heap, &keys, rows->count, result);
    }
    stoa__heap_free(heap, keys.items, keys_size, _Alignof(uint64_t));
    if (!done) {
        stoa__heap_free(heap, result, order_size, _Alignof(int32_t));
        return stoa__error_memory("the keys of a sort");
    }
    *order = result;
    return STOA_OK;
}
