/* Names, the table that they are found in by text, and the one by entity. */
#ifndef STOA_MODEL_NAME_TABLE_H
#define STOA_MODEL_NAME_TABLE_H

#include "base/heap.h"
#include "stoa/entity.h"

/* Words of a text that are kept where it is looked up. Texts of fewer bytes are there as a whole,
 * zeros after them; of others the last word is a hash of what comes after the first two. */
#define STOA__NAME_WORDS 3
#define STOA__NAME_HEAD (STOA__NAME_WORDS * sizeof(uint64_t))

/* A name and its text. */
typedef struct stoa__name {
    struct stoa__name *next; /* in the list of those that are promised, or of those that are gone */
    struct stoa__name *previous;
    uint32_t level;     /* how deep in hooks one must be for it to stay in that list */
    uint32_t length;    /* of the text, without the final zero */
    stoa_entity entity; /* who has it; STOA_NULL while it is promised */
    char text[];
} stoa__name;

/* A text that is looked for. */
typedef struct stoa__name_key {
    const char *text;
    uint32_t length;
    uint64_t head[STOA__NAME_WORDS];
    uint64_t hash; /* of the head; the top bits are the best */
} stoa__name_key;

/* What most look-ups need of a name; all zeros for none. */
typedef struct stoa__name_cell {
    uint64_t head[STOA__NAME_WORDS]; /* the first word is never 0 */
    stoa_entity entity;              /* the same as the name's */
} stoa__name_cell;

typedef struct stoa__name_texts {
    stoa__name_cell *cells; /* NULL while there was none */
    stoa__name **names;     /* of the cells; in the same block, after them */
    uint32_t capacity;      /* cells, a power of two or 0 */
    uint32_t count;
    uint32_t shift; /* what is left of a hash by the number of a pair of cells */
} stoa__name_texts;

/* No cell. */
#define STOA__NAME_NONE UINT32_MAX

typedef struct stoa__name_owners {
    stoa__name **cells; /* NULL in a free one */
    uint32_t capacity;
    uint32_t count;
} stoa__name_owners;

/* A name with a copy of the text, for nobody yet; NULL on lack of memory. */
stoa__name *stoa__name_new(stoa__heap *heap, const char *text, uint32_t length);
void stoa__name_free(stoa__heap *heap, stoa__name *name);

stoa__name_key stoa__name_key_of(const char *text, uint32_t length);

/* A zeroed table is an empty one. The names are not freed. */
void stoa__name_texts_fini(stoa__name_texts *texts, stoa__heap *heap);

/* Empties the table, which keeps its room. The names are not freed. */
void stoa__name_texts_clear(stoa__name_texts *texts);

/* Makes room for so many names in all, so that inserting cannot fail. */
bool stoa__name_texts_reserve(stoa__name_texts *texts, stoa__heap *heap, uint32_t count);

/* Needs the room that was reserved; the text must not be there. */
void stoa__name_texts_insert(stoa__name_texts *texts, const stoa__name_key *key, stoa__name *name);

/* The number of a text's cell, or STOA__NAME_NONE. Whoever changes the entity of its name changes
 * it in the cell, too. */
uint32_t stoa__name_texts_find(const stoa__name_texts *texts, const stoa__name_key *key);

/* The entity of a text, or STOA_NULL: the quick way to what its cell has. */
stoa_entity stoa__name_texts_entity(const stoa__name_texts *texts, const char *text, size_t length);

/* Empties a cell. */
void stoa__name_texts_remove(stoa__name_texts *texts, uint32_t at);

/* The same for the table by entity: each name in it has one, and no two have the same. */
void stoa__name_owners_fini(stoa__name_owners *owners, stoa__heap *heap);
void stoa__name_owners_clear(stoa__name_owners *owners);
bool stoa__name_owners_reserve(stoa__name_owners *owners, stoa__heap *heap, uint32_t count);
void stoa__name_owners_insert(stoa__name_owners *owners, stoa__name *name);
stoa__name *stoa__name_owners_find(const stoa__name_owners *owners, stoa_entity e);
void stoa__name_owners_remove(stoa__name_owners *owners, const stoa__name *name);

#endif
