/* Look-ups in indexes.
 *
 * What is found is walked where it stands: a cell, the array of a group, the leaves of a tree. What
 * stands in a cell of an index of integers is found by the caller, with no call of these. The
 * version of the index tells a walk that it must not go on. Look-ups need no memory of their own;
 * catching up first may. While threads fill command buffers look-ups only read, and any number of
 * threads may make them. O(1) on average; for an ordered index O(log n). */
#include "model/index.h"

static const stoa_found nothing = {.index = NULL};

/* True if there is something to ask; otherwise an error, or nothing to be found. */
STOA__INLINE bool index_asked(stoa_index *index, const void *key) {
    if (STOA_LIKELY(index != NULL && key != NULL)) {
        return stoa__index_ready(index);
    }
    stoa_world_report(index != NULL ? index->world : NULL,
                      stoa__error(STOA_NULL_ARGUMENT, "the %s must not be null",
                                  index == NULL ? "index" : "key"));
    return false;
}

/* True if the index keeps an order; otherwise reported. */
static bool index_ordered(const stoa_index *index, const char *what) {
    if (index == NULL || index->ordered) {
        return true;
    }
    stoa_world_report(index->world, stoa__error(STOA_INVALID, "%s: index '%s' is not ordered", what,
                                                index->name));
    return false;
}

STOA__INLINE const stoa__cell *cell_find(const stoa_index *index, const void *key) {
    const stoa__key_plan *plan = &index->plan;
    return STOA_LIKELY(plan->word)
               ? stoa__table_find(&index->table, stoa__key_word(plan, key))
               : stoa__table_find_key(&index->table, stoa__key_hash(plan, key), plan, key);
}

/* Lets a walk go on with so many entities, one at the least. */
static void found_begin(stoa_found *found, const uint64_t *entities, uint32_t count) {
    found->ahead = entities[0];
    found->at = entities + 1;
    found->end = entities + count;
}

/* Lets a walk go on with the pairs of a leaf from `at` on; `leaf` becomes the one after it, if that
 * has more to show. */
static void found_leaf(stoa_found *found, const stoa__ordered_node *leaf, uint32_t at) {
    uint32_t count = stoa__ordered_run(leaf, at, found->limit);
    if (count > 0) {
        found_begin(found, leaf->values + at, count);
    }
    bool more =
        at + count == leaf->count && leaf->next != NULL && leaf->next->keys[0] <= found->limit;
    found->leaf = more ? leaf->next : NULL;
}

/* The pairs of the tree from one key to another. */
static stoa_found tree_found(const stoa_index *index, uint64_t low, uint64_t high) {
    stoa__ordered_place place = stoa__ordered_seek(&index->table.tree, low, 0);
    if (place.leaf == NULL || low > high) {
        return nothing;
    }
    stoa_found found = {.index = index, .limit = high, .version = index->head.version};
    found_leaf(&found, place.leaf, place.at);
    return found;
}

stoa_found stoa_index_find_any(stoa_index *index, const void *key) {
    if (!index_asked(index, key)) {
        return nothing;
    }
    if (index->ordered) {
        uint64_t word = stoa__key_word(&index->plan, key);
        return tree_found(index, word, word);
    }
    const stoa__cell *cell = cell_find(index, key);
    if (cell == NULL) {
        return nothing;
    }
    stoa__group group = stoa__cell_group(&index->table, cell);
    if (group.entities == NULL) {
        return tree_found(index, group.number, group.number);
    }
    stoa_found found = {.index = index, .version = index->head.version};
    found_begin(&found, group.entities, group.count);
    return found;
}

/* The first entity of the tree that has a key. */
static stoa_entity tree_first(const stoa_index *index, uint64_t key) {
    stoa__ordered_place place = stoa__ordered_seek(&index->table.tree, key, 0);
    return place.leaf != NULL && place.leaf->keys[place.at] == key
               ? stoa__entity_unpacked(place.leaf->values[place.at])
               : STOA_NULL;
}

stoa_entity stoa_index_first(stoa_index *index, const void *key) {
    if (!index_asked(index, key)) {
        return STOA_NULL;
    }
    if (index->ordered) {
        return tree_first(index, stoa__key_word(&index->plan, key));
    }
    const stoa__cell *cell = cell_find(index, key);
    if (cell == NULL) {
        return STOA_NULL;
    }
    stoa__group group = stoa__cell_group(&index->table, cell);
    return group.entities != NULL ? stoa__entity_unpacked(group.entities[0])
                                  : tree_first(index, group.number);
}

int32_t stoa_index_count(stoa_index *index, const void *key) {
    if (!index_asked(index, key)) {
        return 0;
    }
    if (!index->ordered) {
        const stoa__cell *cell = cell_find(index, key);
        return cell != NULL ? (int32_t)stoa__cell_group(&index->table, cell).count : 0;
    }
    uint64_t word = stoa__key_word(&index->plan, key);
    stoa__ordered_place place = stoa__ordered_seek(&index->table.tree, word, 0);
    uint32_t count = 0, run = 0;
    for (const stoa__ordered_node *leaf = place.leaf; leaf != NULL; leaf = leaf->next) {
        run = stoa__ordered_run(leaf, place.at, word);
        count += run;
        if (place.at + run < leaf->count) {
            break;
        }
        place.at = 0;
    }
    return (int32_t)count;
}

stoa_found stoa_index_range(stoa_index *index, const void *low, const void *high) {
    /* The ends may be open; the index may not be missing. */
    if (!index_ordered(index, "a range") || !index_asked(index, "")) {
        return nothing;
    }
    return tree_found(index, low != NULL ? stoa__key_word(&index->plan, low) : 0,
                      high != NULL ? stoa__key_word(&index->plan, high) : UINT64_MAX);
}

stoa_entity stoa_index_nearest(stoa_index *index, const void *key) {
    if (!index_ordered(index, "the nearest") || !index_asked(index, key)) {
        return STOA_NULL;
    }
    const stoa__key_plan *plan = &index->plan;
    uint64_t word = stoa__key_word(plan, key);
    stoa__ordered_place place = stoa__ordered_seek(&index->table.tree, word, 0);
    bool above = place.leaf != NULL;
    uint64_t high = above ? place.leaf->keys[place.at] : 0;
    if (stoa__key_nan(plan, word) || (above && high == word)) {
        return above ? stoa__entity_unpacked(place.leaf->values[place.at]) : STOA_NULL;
    }
    above = above && !stoa__key_nan(plan, high);
    stoa__ordered_pair low;
    if (stoa__ordered_below(&index->table.tree, word, 0, &low) &&
        (!above || stoa__key_nearer(plan, low.key, word, high))) {
        return tree_first(index, low.key);
    }
    return above ? stoa__entity_unpacked(place.leaf->values[place.at]) : STOA_NULL;
}

stoa_found stoa_found_more(const stoa_index *index, const void *leaf, uint64_t limit,
                           uint32_t version) {
    if (index->head.version != version) {
        stoa_world_report(index->world,
                          stoa__error(STOA_INVALID,
                                      "index '%s' has changed since it was asked for this walk",
                                      index->name));
        return nothing;
    }
    stoa_found found = {.index = index, .limit = limit, .version = version};
    found_leaf(&found, leaf, 0);
    found.entity = stoa__entity_unpacked(found.ahead);
    found.ahead = found.at != found.end ? *found.at++ : 0;
    return found;
}
