/* Hash tables of names: by text and by entity.
 *
 * Open addressing, linear probing, a power of two of cells, at most half full. A cell of the table
 * by text holds the first bytes of the text and the entity, so that a look-up of a short text reads
 * one cell and nothing else; texts that begin alike are told apart by the rest. Hashes are not
 * kept: they are made anew where entries move. Taking one out moves later entries back instead of
 * leaving a mark, so that searches stay short however often names come and go. O(1) on average, but
 * for the length of the text; only reserving allocates. Any number of threads may look up while
 * none changes. */
#include "model/name_table.h"

#include "base/hash.h"

#include <string.h>

/* A cell never lies in two cache lines. */
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

/* Four or eight bytes as a number, the first one the least. */
static inline uint64_t four_read(const char *text) {
    const uint8_t *b = (const uint8_t *)text;
    return b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
}

static inline uint64_t eight_read(const char *text) {
    return four_read(text) | four_read(text + 4) << 32;
}

/* Up to eight bytes as a number, zeros after them: by reads that may overlap. */
static inline uint64_t part_read(const char *text, size_t size) {
    if (size >= 4) {
        return four_read(text) | four_read(text + size - 4) << (8 * (size - 4));
    }
    const uint8_t *b = (const uint8_t *)text;
    return size == 0 ? 0
                     : b[0] | (uint32_t)b[size / 2] << (8 * (size / 2)) |
                           (uint32_t)b[size - 1] << (8 * (size - 1));
}

stoa__name_key stoa__name_key_of(const char *text, uint32_t length) {
    stoa__name_key key = {.text = text, .length = length};
    if (length < 8) {
        key.head[0] = part_read(text, length);
    } else {
        key.head[0] = eight_read(text);
        key.head[1] = length >= STOA__NAME_HEAD ? eight_read(text + 8)
                      : length > 8 ? eight_read(text + length - 8) >> (8 * (16 - length))
                                   : 0;
    }
    uint64_t hash = (key.head[0] ^ length) * FACTOR_FIRST;
    hash = (hash ^ hash >> 32 ^ key.head[1]) * FACTOR_SECOND;
    if (length > STOA__NAME_HEAD) {
        hash ^= stoa__hash_bytes(text + STOA__NAME_HEAD, length - STOA__NAME_HEAD);
        hash *= FACTOR_FIRST;
    }
    key.hash = hash ^ hash >> 32;
    return key;
}

/* Where a name wants to stand; `mask` is one less than the cells of its table. */
static uint32_t name_home(const stoa__name *name, uint32_t mask) {
    return (uint32_t)stoa__name_key_of(name->text, name->length).hash & mask;
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

void stoa__name_texts_fini(stoa__name_texts *texts, stoa__heap *heap) {
    stoa__heap_free(heap, texts->cells, texts->capacity * sizeof *texts->cells, CELL_ALIGNMENT);
    *texts = (stoa__name_texts){0};
}

bool stoa__name_texts_reserve(stoa__name_texts *texts, stoa__heap *heap, uint32_t count) {
    if (count <= texts->capacity / 2) {
        return true;
    }
    stoa__name_texts grown = {.capacity = capacity_for(count)};
    if (grown.capacity > 0) {
        grown.cells = stoa__heap_zalloc(heap, grown.capacity * sizeof *grown.cells, CELL_ALIGNMENT);
    }
    if (grown.cells == NULL) {
        return false;
    }
    for (uint32_t i = 0; i < texts->capacity; i++) {
        stoa__name *name = texts->cells[i].name;
        if (name != NULL) {
            stoa__name_key key = stoa__name_key_of(name->text, name->length);
            stoa__name_texts_insert(&grown, &key, name);
        }
    }
    stoa__name_texts_fini(texts, heap);
    *texts = grown;
    return true;
}

void stoa__name_texts_insert(stoa__name_texts *texts, const stoa__name_key *key, stoa__name *name) {
    uint32_t mask = texts->capacity - 1;
    uint32_t at = (uint32_t)key->hash & mask;
    while (texts->cells[at].name != NULL) {
        at = (at + 1) & mask;
    }
    texts->cells[at] = (stoa__name_cell){{key->head[0], key->head[1]}, name, name->entity};
    texts->count++;
}

/* True if a text that begins like the name's is the same to its end. */
static bool rest_same(const stoa__name_key *key, const stoa__name *name) {
    return key->length == name->length &&
           memcmp(key->text + STOA__NAME_HEAD, name->text + STOA__NAME_HEAD,
                  key->length - STOA__NAME_HEAD) == 0;
}

stoa__name_cell *stoa__name_texts_find(const stoa__name_texts *texts, const stoa__name_key *key) {
    if (texts->count == 0) {
        return NULL;
    }
    uint32_t mask = texts->capacity - 1;
    for (uint32_t at = (uint32_t)key->hash & mask; texts->cells[at].name != NULL;
         at = (at + 1) & mask) {
        stoa__name_cell *cell = &texts->cells[at];
        /* A text that ends within the head has a zero there, which no other has. */
        if (cell->head[0] == key->head[0] && cell->head[1] == key->head[1] &&
            (key->length < STOA__NAME_HEAD || rest_same(key, cell->name))) {
            return cell;
        }
    }
    return NULL;
}

void stoa__name_texts_remove(stoa__name_texts *texts, const stoa__name_cell *cell) {
    uint32_t mask = texts->capacity - 1;
    uint32_t hole = (uint32_t)(cell - texts->cells);
    /* The next entry that may stand in the hole does so and leaves one, until a free cell is met.
     * None may stand before its home. */
    for (uint32_t at = (hole + 1) & mask; texts->cells[at].name != NULL; at = (at + 1) & mask) {
        if (((at - name_home(texts->cells[at].name, mask)) & mask) >= ((at - hole) & mask)) {
            texts->cells[hole] = texts->cells[at];
            hole = at;
        }
    }
    texts->cells[hole] = (stoa__name_cell){{0, 0}, NULL, STOA_NULL};
    texts->count--;
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
