/* Hash tables of names: by text and by entity.
 *
 * Open addressing, linear probing, a power of two of cells, at most half full. A cell of the table
 * by text holds the beginning of the text and the entity, so that a look-up of a short text reads
 * one cell and nothing else; of long ones the rest is compared. Two cells are a cache line and one
 * home, which are looked at together: which of them has a text cannot be foretold. Hashes are not
 * kept: they are made anew from what the cell holds. Taking one out moves later entries back
 * instead of leaving a mark, so that searches stay short however often names come and go. O(1) on
 * average, but for the length of the text; only reserving allocates. Any number of threads may look
 * up while none changes. */
#include "model/name_table.h"

#include "base/fold.h"
#include "stoa/name.h"

#include <string.h>

#define CELL_ALIGNMENT ((size_t)64)

#define CAPACITY_MIN 16u

/* The largest power of two of cells whose size in bytes is a size_t. */
#if SIZE_MAX > UINT32_MAX
#define CAPACITY_MAX (UINT32_C(1) << 31)
#else
#define CAPACITY_MAX (UINT32_C(1) << 26)
#endif

/* Odd numbers with bits all over. */
#define FACTOR_FIRST UINT64_C(0x9e6c63d0876a9a47)
#define FACTOR_SECOND UINT64_C(0xd1342543de82ef95)

#define TOP_BIT (UINT64_C(1) << 63)

static size_t name_size(uint32_t length) {
    return sizeof(stoa__name) + length + 1;
}

stoa__name *stoa__name_new(stoa__heap *heap, const char *text, uint32_t length) {
    stoa__name *name = stoa__heap_alloc(heap, name_size(length), _Alignof(stoa__name));
    if (name != NULL) {
        *name = (stoa__name){.length = length, .entity = STOA_NULL};
        memcpy(name->text, text, length);
        name->text[length] = '\0';
    }
    return name;
}

void stoa__name_free(stoa__heap *heap, stoa__name *name) {
    stoa__heap_free(heap, name, name_size(name->length), _Alignof(stoa__name));
}

/* Less than eight bytes as a number: those that end there, of no less than eight. */
STOA__INLINE uint64_t last_read(const char *end, size_t size) {
    return stoa__word((const uint8_t *)end - 8) >> 8 >> (8 * (7 - size));
}

STOA__INLINE uint64_t few_read(const char *text, size_t size) {
    uint64_t word = 0;
    for (size_t i = size; i > 0; i--) {
        word = word << 8 | (uint8_t)text[i - 1];
    }
    return word;
}

/* What a text's cell holds of it. */
STOA__INLINE void head_read(uint64_t head[STOA__NAME_WORDS], const char *text, size_t length) {
    head[0] = length < 8 ? few_read(text, length) : stoa__word((const uint8_t *)text);
    head[1] = length < 8    ? 0
              : length < 16 ? last_read(text + length, length - 8)
                            : stoa__word((const uint8_t *)text + 8);
    /* The last byte is a zero in short texts, and in no others. */
    head[2] = length < 16                ? 0
              : length < STOA__NAME_HEAD ? last_read(text + length, length - 16)
                                         : stoa__hash_bytes(text + 16, length - 16) | TOP_BIT;
}

STOA__INLINE uint64_t head_hash(const uint64_t head[STOA__NAME_WORDS]) {
    uint64_t hash = head[0] * FACTOR_FIRST ^ head[1] ^ head[2] * FACTOR_SECOND;
    return (hash ^ hash >> 32) * FACTOR_SECOND;
}

stoa__name_key stoa__name_key_of(const char *text, uint32_t length) {
    stoa__name_key key = {.text = text, .length = length};
    head_read(key.head, text, length);
    key.hash = head_hash(key.head);
    return key;
}

/* The first cell where a text may stand: one of even number. */
STOA__INLINE uint32_t text_home(const stoa__name_texts *texts, uint64_t hash) {
    return (uint32_t)(hash >> texts->shift) * 2;
}

/* Cells for so many names, at most half of them used; 0 if there are too many. */
static uint32_t capacity_for(uint32_t count) {
    uint32_t capacity = CAPACITY_MIN;
    while (capacity / 2 < count) {
        if (capacity == CAPACITY_MAX) {
            return 0;
        }
        capacity *= 2;
    }
    return capacity;
}

static size_t texts_size(uint32_t capacity) {
    return capacity * (sizeof(stoa__name_cell) + sizeof(stoa__name *));
}

void stoa__name_texts_clear(stoa__name_texts *texts) {
    if (texts->capacity > 0) {
        memset((void *)texts->cells, 0, texts_size(texts->capacity));
    }
    texts->count = 0;
}

void stoa__name_texts_fini(stoa__name_texts *texts, stoa__heap *heap) {
    stoa__heap_free(heap, texts->cells, texts_size(texts->capacity), CELL_ALIGNMENT);
    *texts = (stoa__name_texts){0};
}

/* Puts what a cell holds, and its name, into the first free cell from its home on. */
static void cell_add(stoa__name_texts *texts, stoa__name_cell cell, stoa__name *name) {
    uint32_t mask = texts->capacity - 1;
    uint32_t at = text_home(texts, head_hash(cell.head));
    while (texts->names[at] != NULL) {
        at = (at + 1) & mask;
    }
    texts->cells[at] = cell;
    texts->names[at] = name;
    texts->count++;
}

bool stoa__name_texts_reserve(stoa__name_texts *texts, stoa__heap *heap, uint32_t count) {
    if (count <= texts->capacity / 2) {
        return true;
    }
    stoa__name_texts grown = {.capacity = capacity_for(count)};
    if (grown.capacity > 0) {
        grown.cells = stoa__heap_zalloc(heap, texts_size(grown.capacity), CELL_ALIGNMENT);
    }
    if (grown.cells == NULL) {
        return false;
    }
    grown.shift = 64;
    for (uint32_t pairs = grown.capacity / 2; pairs > 1; pairs /= 2) {
        grown.shift--;
    }
    grown.names = (stoa__name **)(void *)(grown.cells + grown.capacity);
    for (uint32_t i = 0; i < texts->capacity; i++) {
        if (texts->names[i] != NULL) {
            cell_add(&grown, texts->cells[i], texts->names[i]);
        }
    }
    stoa__name_texts_fini(texts, heap);
    *texts = grown;
    return true;
}

void stoa__name_texts_insert(stoa__name_texts *texts, const stoa__name_key *key, stoa__name *name) {
    stoa__name_cell cell = {.entity = name->entity};
    memcpy(cell.head, key->head, sizeof cell.head);
    cell_add(texts, cell, name);
}

STOA__INLINE bool heads_same(const uint64_t a[STOA__NAME_WORDS],
                             const uint64_t b[STOA__NAME_WORDS]) {
    return ((a[0] ^ b[0]) | (a[1] ^ b[1]) | (a[2] ^ b[2])) == 0;
}

static bool name_is(const stoa__name *name, const stoa__name_key *key) {
    return name->length == key->length && memcmp(name->text, key->text, key->length) == 0;
}

uint32_t stoa__name_texts_find(const stoa__name_texts *texts, const stoa__name_key *key) {
    if (texts->count == 0) {
        return STOA__NAME_NONE;
    }
    uint32_t mask = texts->capacity - 1;
    uint32_t at = text_home(texts, key->hash);
    for (; texts->cells[at].head[0] != 0; at = (at + 1) & mask) {
        if (heads_same(texts->cells[at].head, key->head) &&
            (key->length < STOA__NAME_HEAD || name_is(texts->names[at], key))) {
            return at;
        }
    }
    return STOA__NAME_NONE;
}

/* stoa__name_texts_entity for texts that are long, or not in one of the two cells of their home. */
STOA__APART static stoa_entity any_entity(const stoa__name_texts *texts, const char *text,
                                          size_t length) {
    if (length > STOA_NAME_LENGTH) {
        return STOA_NULL;
    }
    stoa__name_key key = stoa__name_key_of(text, (uint32_t)length);
    uint32_t at = stoa__name_texts_find(texts, &key);
    return at != STOA__NAME_NONE ? texts->cells[at].entity : STOA_NULL;
}

/* A word by which to guess which of two heads is the same as another. */
STOA__INLINE uint64_t head_sum(const uint64_t head[STOA__NAME_WORDS]) {
    return head[0] ^ head[1] ^ head[2];
}

stoa_entity stoa__name_texts_entity(const stoa__name_texts *texts, const char *text,
                                    size_t length) {
    if (STOA_LIKELY(length < STOA__NAME_HEAD && texts->count != 0)) {
        uint64_t head[STOA__NAME_WORDS];
        head_read(head, text, length);
        const stoa__name_cell *pair = &texts->cells[text_home(texts, head_hash(head))];
        size_t second = head_sum(pair[1].head) == head_sum(head);
        /* It must not become a branch, since nobody could foretell it. */
        STOA_ALONE(second);
        if (STOA_LIKELY(heads_same(pair[second].head, head))) {
            return pair[second].entity;
        }
    }
    return any_entity(texts, text, length);
}

void stoa__name_texts_remove(stoa__name_texts *texts, uint32_t at) {
    uint32_t mask = texts->capacity - 1;
    uint32_t hole = at;
    /* The next entry that may stand in the hole does so and leaves one, until a free cell is met.
     * None may stand before its home. */
    for (at = (hole + 1) & mask; texts->names[at] != NULL; at = (at + 1) & mask) {
        uint32_t home = text_home(texts, head_hash(texts->cells[at].head));
        if (((at - home) & mask) >= ((at - hole) & mask)) {
            texts->cells[hole] = texts->cells[at];
            texts->names[hole] = texts->names[at];
            hole = at;
        }
    }
    texts->cells[hole] = (stoa__name_cell){.entity = STOA_NULL};
    texts->names[hole] = NULL;
    texts->count--;
}

void stoa__name_owners_clear(stoa__name_owners *owners) {
    for (uint32_t i = 0; i < owners->capacity; i++) {
        owners->cells[i] = NULL;
    }
    owners->count = 0;
}

void stoa__name_owners_fini(stoa__name_owners *owners, stoa__heap *heap) {
    stoa__heap_free(heap, owners->cells, owners->capacity * sizeof *owners->cells,
                    _Alignof(stoa__name *));
    *owners = (stoa__name_owners){0};
}

bool stoa__name_owners_reserve(stoa__name_owners *owners, stoa__heap *heap, uint32_t count) {
    if (count <= owners->capacity / 2) {
        return true;
    }
    stoa__name_owners grown = {.capacity = capacity_for(count)};
    if (grown.capacity > 0) {
        grown.cells =
            stoa__heap_zalloc(heap, grown.capacity * sizeof *grown.cells, _Alignof(stoa__name *));
    }
    if (grown.cells == NULL) {
        return false;
    }
    for (uint32_t i = 0; i < owners->capacity; i++) {
        if (owners->cells[i] != NULL) {
            stoa__name_owners_insert(&grown, owners->cells[i]);
        }
    }
    stoa__name_owners_fini(owners, heap);
    *owners = grown;
    return true;
}

static uint32_t owner_home(stoa_entity e, uint32_t mask) {
    return (uint32_t)stoa_entity_hash(e) & mask;
}

void stoa__name_owners_insert(stoa__name_owners *owners, stoa__name *name) {
    uint32_t mask = owners->capacity - 1;
    uint32_t at = owner_home(name->entity, mask);
    while (owners->cells[at] != NULL) {
        at = (at + 1) & mask;
    }
    owners->cells[at] = name;
    owners->count++;
}

stoa__name *stoa__name_owners_find(const stoa__name_owners *owners, stoa_entity e) {
    if (owners->count == 0) {
        return NULL;
    }
    uint32_t mask = owners->capacity - 1;
    uint32_t at = owner_home(e, mask);
    while (owners->cells[at] != NULL && !stoa_entity_eq(owners->cells[at]->entity, e)) {
        at = (at + 1) & mask;
    }
    return owners->cells[at];
}

void stoa__name_owners_remove(stoa__name_owners *owners, const stoa__name *name) {
    uint32_t mask = owners->capacity - 1;
    uint32_t hole = owner_home(name->entity, mask);
    while (owners->cells[hole] != name) {
        hole = (hole + 1) & mask;
    }
    for (uint32_t at = (hole + 1) & mask; owners->cells[at] != NULL; at = (at + 1) & mask) {
        uint32_t home = owner_home(owners->cells[at]->entity, mask);
        if (((at - home) & mask) >= ((at - hole) & mask)) {
            owners->cells[hole] = owners->cells[at];
            hole = at;
        }
    }
    owners->cells[hole] = NULL;
    owners->count--;
}
