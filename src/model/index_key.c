/* Keys of indexes: the words of scalars, and the bytes, hashes and comparison of everything else.
 *
 * A key that is no word is never put together to be looked at: its pieces are shown one by one to
 * who hashes, compares or copies them. So look-ups need no memory and threads may share a plan.
 * Linear in the size of the key. */
#include "model/index_key.h"

#include "base/hash.h"
#include "base/number.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define SIGN_32 UINT32_C(0x80000000)
#define SIGN_64 UINT64_C(0x8000000000000000)

/* Of a text that is NULL: no text is so long. */
#define LENGTH_NULL UINT64_MAX

/* Floats in order: positive ones above negative ones, those turned round; NaN above all. */
static uint64_t float_word(uint32_t bits) {
    if ((bits & ~SIGN_32) > 0x7F800000u) {
        return UINT32_MAX;
    }
    bits = bits == SIGN_32 ? 0 : bits;
    return (bits & SIGN_32) != 0 ? (uint32_t)~bits : bits | SIGN_32;
}

static uint64_t double_word(uint64_t bits) {
    if ((bits & ~SIGN_64) > UINT64_C(0x7FF0000000000000)) {
        return UINT64_MAX;
    }
    bits = bits == SIGN_64 ? 0 : bits;
    return (bits & SIGN_64) != 0 ? ~bits : bits | SIGN_64;
}

/* The number that a word stands for; not for NaN. */
static double word_real(stoa_kind kind, uint64_t word) {
    if (kind == STOA_KIND_F32) {
        uint32_t bits = (word & SIGN_32) != 0 ? (uint32_t)word & ~SIGN_32 : ~(uint32_t)word;
        float real;
        memcpy(&real, &bits, sizeof real);
        return (double)real;
    }
    uint64_t bits = (word & SIGN_64) != 0 ? word & ~SIGN_64 : ~word;
    double real;
    memcpy(&real, &bits, sizeof real);
    return real;
}

/* One scalar as a number of its own size that is in its order. */
static inline uint64_t scalar_word(stoa_kind kind, uint32_t size, const uint8_t *from) {
    uint64_t bits = stoa__number_read(from, size);
    switch (kind) {
    case STOA_KIND_BOOL:
        return bits != 0;
    case STOA_KIND_I8:
    case STOA_KIND_I16:
    case STOA_KIND_I32:
    case STOA_KIND_I64:
    case STOA_KIND_ENUM:
        return bits ^ UINT64_C(1) << (size * 8 - 1);
    case STOA_KIND_F32:
        return float_word((uint32_t)bits);
    case STOA_KIND_F64:
        return double_word(bits);
    case STOA_KIND_ENTITY:
        return stoa__number_read(from, 4) << 32 | stoa__number_read(from + 4, 4);
    default:
        return bits;
    }
}

/* The letters of a char array up to its first zero. */
static uint32_t text_length(const uint8_t *from, uint32_t most) {
    uint32_t length = 0;
    while (length < most && from[length] != 0) {
        length++;
    }
    return length;
}

static uint64_t part_word(const stoa__key_part *part, const uint8_t *from, uint64_t word) {
    uint32_t length = part->text ? text_length(from, part->count) : part->count;
    for (uint32_t i = 0; i < part->count; i++) {
        uint64_t one =
            i < length ? scalar_word(part->kind, part->size, from + (size_t)i * part->size) : 0;
        word = (part->size < 8 ? word << part->size * 8 : 0) | one;
    }
    return word;
}

uint64_t stoa__key_word_slow(const stoa__key_plan *plan, const void *key) {
    const uint8_t *from = key;
    const stoa__key_part *part = plan->parts;
    if (plan->part_count == 1 && part->count == 1) {
        return scalar_word(part->kind, part->size, from + part->offset);
    }
    uint64_t word = 0;
    for (uint32_t i = 0; i < plan->part_count; i++) {
        word = part_word(&part[i], from + part[i].offset, word);
    }
    return word;
}

/* Is shown the pieces of a key in order; false ends the showing. */
typedef struct key_viewer {
    bool (*look)(struct key_viewer *viewer, const void *piece, size_t size);
} key_viewer;

static bool text_show(key_viewer *viewer, const uint8_t *text, uint64_t length) {
    uint8_t head[8];
    for (uint32_t i = 0; i < sizeof head; i++) {
        head[i] = (uint8_t)(length >> 8 * i);
    }
    return viewer->look(viewer, head, sizeof head) &&
           (length == LENGTH_NULL || viewer->look(viewer, text, (size_t)length));
}

static bool part_show(key_viewer *viewer, const stoa__key_part *part, const uint8_t *from) {
    if (part->text) {
        return text_show(viewer, from, text_length(from, part->count));
    }
    for (uint32_t i = 0; i < part->count; i++, from += part->size) {
        bool on;
        if (part->kind == STOA_KIND_STRING) {
            const char *text;
            memcpy(&text, from, sizeof text);
            on = text_show(viewer, (const uint8_t *)text,
                           text != NULL ? (uint64_t)strlen(text) : LENGTH_NULL);
        } else {
            uint64_t word = scalar_word(part->kind, part->size, from);
            on = viewer->look(viewer, &word, sizeof word);
        }
        if (!on) {
            return false;
        }
    }
    return true;
}

static bool key_show(const stoa__key_plan *plan, const void *key, key_viewer *viewer) {
    for (uint32_t i = 0; i < plan->part_count; i++) {
        const stoa__key_part *part = &plan->parts[i];
        if (!part_show(viewer, part, (const uint8_t *)key + part->offset)) {
            return false;
        }
    }
    return true;
}

typedef struct key_hasher {
    key_viewer viewer;
    stoa__hasher hasher;
} key_hasher;

static bool piece_hash(key_viewer *viewer, const void *piece, size_t size) {
    stoa__hasher_add(&((key_hasher *)(void *)viewer)->hasher, piece, size);
    return true;
}

uint64_t stoa__key_hash(const stoa__key_plan *plan, const void *key) {
    key_hasher h = {.viewer = {piece_hash}};
    stoa__hasher_init(&h.hasher);
    key_show(plan, key, &h.viewer);
    return stoa__hasher_result(&h.hasher);
}

/* For comparing with bytes that are kept, measuring (no bytes), and writing. */
typedef struct key_cursor {
    key_viewer viewer;
    const uint8_t *kept;
    uint8_t *target;
    size_t size; /* shown so far */
    size_t end;  /* of the bytes that are kept */
} key_cursor;

static bool piece_compare(key_viewer *viewer, const void *piece, size_t size) {
    key_cursor *c = (key_cursor *)(void *)viewer;
    if (size > c->end - c->size || (size > 0 && memcmp(c->kept + c->size, piece, size) != 0)) {
        return false;
    }
    c->size += size;
    return true;
}

static bool piece_write(key_viewer *viewer, const void *piece, size_t size) {
    key_cursor *c = (key_cursor *)(void *)viewer;
    if (c->target != NULL && size > 0) {
        memcpy(c->target + c->size, piece, size);
    }
    c->size += size;
    return true;
}

bool stoa__key_equal(const stoa__key_plan *plan, const void *key, const stoa__key_bytes *kept) {
    key_cursor c = {.viewer = {piece_compare}, .kept = kept->bytes, .end = kept->size};
    /* No key is the beginning of another: texts come after their lengths. */
    return key_show(plan, key, &c.viewer);
}

stoa__key_bytes *stoa__key_keep(const stoa__key_plan *plan, stoa__heap *heap, const void *key,
                                uint64_t hash) {
    key_cursor c = {.viewer = {piece_write}};
    key_show(plan, key, &c.viewer);
    stoa__key_bytes *kept =
        stoa__heap_alloc(heap, sizeof *kept + c.size, _Alignof(stoa__key_bytes));
    if (kept != NULL) {
        kept->hash = hash;
        kept->size = c.size;
        c = (key_cursor){.viewer = {piece_write}, .target = kept->bytes};
        key_show(plan, key, &c.viewer);
    }
    return kept;
}

void stoa__key_drop(stoa__heap *heap, stoa__key_bytes *kept) {
    if (kept != NULL) {
        stoa__heap_free(heap, kept, sizeof *kept + kept->size, _Alignof(stoa__key_bytes));
    }
}

bool stoa__key_nan(const stoa__key_plan *plan, uint64_t word) {
    stoa_kind kind = plan->parts[0].kind;
    return (kind == STOA_KIND_F32 && word == UINT32_MAX) ||
           (kind == STOA_KIND_F64 && word == UINT64_MAX);
}

/* What lies between two numbers; between finite ones never infinity. */
static double real_between(double low, double high) {
    double between = high - low;
    return isinf(between) && isfinite(low) && isfinite(high) ? DBL_MAX : between;
}

bool stoa__key_nearer(const stoa__key_plan *plan, uint64_t low, uint64_t word, uint64_t high) {
    stoa_kind kind = plan->parts[0].kind;
    if (kind != STOA_KIND_F32 && kind != STOA_KIND_F64) {
        return word - low <= high - word;
    }
    double middle = word_real(kind, word);
    return real_between(word_real(kind, low), middle) <=
           real_between(middle, word_real(kind, high));
}
