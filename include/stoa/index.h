/* Indexes: from a component's value, or that of one of its fields, to the entities that have it.
 *
 * An index belongs to its world, which frees those left. It is right after every call that sets,
 * adds or takes away the component. What is written in place, through a mutable pointer or a
 * column, is seen by the next look-up outside of iterations and hooks; see docs/indexes.md. */
#ifndef STOA_INDEX_H
#define STOA_INDEX_H

#include "stoa/hook.h"

#include <string.h>

STOA_BEGIN

/// An index of a world.
typedef struct stoa_index stoa_index;

/// How to make an index; zero is the default of each member.
typedef struct stoa_index_desc {
    stoa_type *type;          ///< the described type, or NULL to go by `component`
    stoa_component component; ///< used when `type` is NULL
    const char *field;        ///< `"team"`, `"place.x"`, `"slots[2]"`; NULL: the whole value
    const char *name;         ///< unique in the world; NULL: made of component and field; copied
    bool ordered;             ///< keeps values in order, for ranges; the field must be one number
} stoa_index_desc;

/// What is known of an index; pointers live as long as it.
typedef struct stoa_index_info {
    const char *name;         ///< as given, or made
    const char *field;        ///< as given, or renamed; NULL: the whole value. Until a reload
    stoa_component component; ///< what it is an index of
    bool ordered;             ///< keeps values in order
    bool stale;               ///< memory ran out: the next look-up makes it anew
    int32_t count;            ///< entities in it
    size_t bytes;             ///< that it holds
} stoa_index_info;

/// Makes an index of a component and fills it; NULL on error.
/// Numbers, bools, enums, entities, texts, arrays and described structs of those can be keys.
stoa_index *stoa_index_new(stoa_world *world, const stoa_index_desc *desc);

/// Frees an index; NULL is fine. Refused while threads fill command buffers.
stoa_status stoa_index_free(stoa_index *index);

/// The index of that name; NULL, with no error, if there is none.
stoa_index *stoa_index_by_name(const stoa_world *world, const char *name);

/// The index made after `index`, the first for NULL; NULL at the end. For tools.
stoa_index *stoa_index_next(const stoa_world *world, const stoa_index *index);

/// Fills in what is known of an index.
stoa_status stoa_index_info_get(const stoa_index *index, stoa_index_info *info);

/// The part of an index that look-ups and walks read.
/// A cell is two or eight words: a key, then entities in order, then zeros; or a word with its top
/// bit set that leads to more of them. A free cell has 0 for its first entity.
typedef struct stoa_index_head {
    uint32_t version;      ///< moves on whenever the index changes
    uint32_t reserved;     ///< 0
    stoa_world *world;     ///< whose entities it has
    uint64_t bias;         ///< bits of a key that are turned round to make it a cell's
    const uint64_t *cells; ///< `mask + 1` of them; NULL unless keys are 4 bytes and need no call
    uint32_t mask;         ///< one less than a power of two
    uint32_t shift;        ///< what is left of 64 bits by a cell's number
    uint32_t span;         ///< words of a cell, as a power of two: 1 or 3
} stoa_index_head;

/// A walk through the entities that a look-up found: read `entity` after each stoa_found_next.
/// Good until the index changes; see docs/indexes.md.
typedef struct stoa_found {
    stoa_entity entity;      ///< one that was found
    uint64_t ahead;          ///< the next one, index << 32 | generation; 0 after the last there
    const uint64_t *at;      ///< the one after that
    const uint64_t *end;     ///< where none stands any more; a 0 before it is no entity
    const stoa_index *index; ///< who was asked; NULL if nothing was found
    const void *leaf;        ///< where more of them are, or NULL
    uint64_t limit;          ///< the last key that is asked for
    uint32_t version;        ///< the index's when it was asked
} stoa_found;

/// The slow half of stoa_index_find, and the same for any index.
stoa_found stoa_index_find_any(stoa_index *index, const void *key);

/// What keys are multiplied by: the first 64 bits after the point of the golden ratio.
/// Numbers in a row fall as far from each other as can be.
#define STOA_INDEX_FACTOR 0x9E3779B97F4A7C15u

/// The cell of a key; NULL, or a free one, if there is none. For indexes whose cells are shown.
static inline const uint64_t *stoa_index_cell(const stoa_index_head *head, const void *key) {
    uint32_t bits;
    memcpy(&bits, key, sizeof bits);
    uint64_t word = bits ^ head->bias;
    uint32_t at = (uint32_t)(word * STOA_INDEX_FACTOR >> head->shift);
    const uint64_t *cell = head->cells + ((size_t)at << head->span);
    while (!STOA_LIKELY(cell[0] == word)) {
        if (cell[1] == 0) {
            return NULL;
        }
        at = (at + 1) & head->mask;
        cell = head->cells + ((size_t)at << head->span);
    }
    return cell;
}

/// Finds the entities that have a value, in ascending order of their indexes.
/// `for (stoa_found f = stoa_index_find(index, &team); stoa_found_next(&f);)`
/// `key` points at a value of the field's type, or of the component for a whole value; for a field
/// that is a char array any text will do. Empty, with an error, if memory runs out.
static inline stoa_found stoa_index_find(stoa_index *index, const void *key) {
    const stoa_index_head *head = (const stoa_index_head *)(const void *)index;
    if (STOA_SHORTER(key, sizeof(uint32_t)) ||
        !STOA_LIKELY(head != NULL && key != NULL && head->cells != NULL)) {
        return stoa_index_find_any(index, key);
    }
    const stoa_world_head *w = (const stoa_world_head *)(const void *)head->world;
    if (!STOA_LIKELY((w->open & ~STOA_OPEN_SEALED) == 0)) {
        return stoa_index_find_any(index, key);
    }
    const uint64_t *cell = stoa_index_cell(head, key);
    stoa_found found = {{0, 0}, 0, NULL, NULL, NULL, NULL, 0, 0};
    if (!STOA_LIKELY(cell != NULL)) {
        return found;
    }
    /* Neither free nor one that leads elsewhere. */
    if (!STOA_LIKELY((int64_t)cell[1] > 0)) {
        return stoa_index_find_any(index, key);
    }
    found.ahead = cell[1];
    found.at = cell + 2;
    found.end = cell + ((size_t)1 << head->span);
    found.index = index;
    found.version = head->version;
    return found;
}

/// The first entity that has a value; STOA_NULL, with no error, if none has.
stoa_entity stoa_index_first(stoa_index *index, const void *key);

/// How many entities have a value; for an ordered index they are walked.
int32_t stoa_index_count(stoa_index *index, const void *key);

/// Finds the entities with values from `low` to `high`, both included, by value, then by index.
/// NULL leaves that end open. The index must be ordered.
stoa_found stoa_index_range(stoa_index *index, const void *low, const void *high);

/// The entity whose value is nearest; STOA_NULL, with no error, if there is none.
/// Of two values as near the lower one, of several entities the one with the lowest index. The
/// index must be ordered. A NaN is near to none but NaN.
stoa_entity stoa_index_nearest(stoa_index *index, const void *key);

/// The slow half of stoa_found_next: the walk where it goes on, or one that has ended.
/// By value and by what it needs alone, so that a compiler may keep a walk in registers.
stoa_found stoa_found_more(const stoa_index *index, const void *leaf, uint64_t limit,
                           uint32_t version);

/// Steps to the next entity; false after the last.
/// STOA_INVALID, and the walk ends, if the index has changed since it was asked.
static inline bool stoa_found_next(stoa_found *found) {
    uint64_t packed = found->ahead;
    if (STOA_LIKELY(packed != 0)) {
        const stoa_index_head *head = (const stoa_index_head *)(const void *)found->index;
        if (STOA_LIKELY(head->version == found->version)) {
            found->entity.index = (uint32_t)(packed >> 32);
            found->entity.generation = (uint32_t)packed;
            /* Read while it still stands there: what is done with this one may change the index. */
            found->ahead = 0;
            if (STOA_LIKELY(found->at != found->end)) {
                found->ahead = *found->at++;
            }
            return true;
        }
    } else if (STOA_LIKELY(found->leaf == NULL)) {
        return false;
    }
    *found = stoa_found_more(found->index, found->leaf, found->limit, found->version);
    return found->index != NULL;
}

/// Calls a function for each entity found that a query matches, as stoa_query_each would.
/// It is no run of the query. Until it returns the world refuses structural changes.
stoa_status stoa_query_each_found(stoa_query *query, stoa_found found, stoa_each_fn call,
                                  void *user);

/// A key for a look-up, in place: `stoa_index_find(index, STOA_KEY(int32_t, 3))`. C only.
#define STOA_KEY(T, ...) ((const void *)&(T){__VA_ARGS__})

/// Makes an index of one field of a described type: `stoa_index_on(w, Unit, team)`. C only.
#define stoa_index_on(world, T, path)                                                              \
    stoa_index_new((world),                                                                        \
                   &(stoa_index_desc){.type = STOA_TYPE_OF(T), .field = STOA_FIELD_TEXT(T, path)})

/// stoa_index_on with values kept in order. C only.
#define stoa_index_ordered_on(world, T, path)                                                      \
    stoa_index_new((world), &(stoa_index_desc){.type = STOA_TYPE_OF(T),                            \
                                               .field = STOA_FIELD_TEXT(T, path),                  \
                                               .ordered = true})

/// The text of a field's path, which the compiler knows to be one of T.
#define STOA_FIELD_TEXT(T, path) (sizeof(((T *)0)->path) != 0 ? #path : NULL)

STOA_END

#endif
