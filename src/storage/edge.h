/* Edges: the way from one archetype to another, and moving a row along it. */
#ifndef STOA_STORAGE_EDGE_H
#define STOA_STORAGE_EDGE_H

#include "storage/row.h"

/* The slow half of stoa__edge_get: works the edge out; NULL with the thread's error set. */
stoa__edge *stoa__edge_make(stoa__storage *storage, stoa__archetype *source, const uint32_t *key,
                            uint32_t count, uint32_t hash);

/* Reads anew what is noted for an epoch. */
void stoa__edge_refresh(const stoa__storage *storage, stoa__edge *edge);

/* The half of stoa__edge_move for edges that are not quick; `from` and `to` are places. */
void stoa__edge_move_any(stoa__storage *storage, const stoa__edge *edge, stoa__archetype *source,
                         uint32_t from, uint32_t to);

/* Marks the columns of a row of the target that the edge puts, and fills in its lanes that hold no
 * values and are not copied. */
void stoa__edge_mark(const stoa__storage *storage, const stoa__edge *edge, stoa__row to);

/* Reads anew whether anybody wants to know of rows that take an edge of the archetype. */
void stoa__edge_rewatch(const stoa__storage *storage, stoa__archetype *archetype);

/* No edges yet. */
void stoa__edge_init(stoa__archetype *archetype);

/* Puts edges that lead to hidden archetypes aside. */
void stoa__edge_sleep(stoa__storage *storage, stoa__archetype *archetype);

void stoa__edge_free_all(stoa__storage *storage, stoa__archetype *archetype);

/* Bytes the edges of an archetype hold. */
size_t stoa__edge_bytes(const stoa__archetype *archetype);

/* Bytes of the edges that lead to hidden archetypes. */
size_t stoa__edge_asleep_bytes(const stoa__storage *storage);

/* STOA_CORRUPT unless every edge leads where its key says. */
stoa_status stoa__edge_check(const stoa__storage *storage, const stoa__archetype *archetype);

STOA__INLINE uint32_t stoa__edge_hash(uint32_t hash, uint32_t element) {
    return (hash ^ element) * 0x9E3779B1u;
}

/* Makes what is noted for an epoch right for the one that there is now. */
STOA__INLINE void stoa__edge_ready(const stoa__storage *storage, stoa__edge *edge) {
    if (!STOA_LIKELY(edge->epoch == storage->head.epoch)) {
        stoa__edge_refresh(storage, edge);
    }
}

/* The states of tags that are kept. */
STOA__INLINE void stoa__edge_tags(const stoa__edge *edge, uint8_t *const *to,
                                  uint8_t *const *from) {
    for (uint32_t i = 0; i < edge->tag_count; i++) {
        const stoa__copy *copy = &edge->tags[i];
        stoa__state_merge(stoa__state_of(to, copy->to), stoa__state_of(from, copy->from));
    }
}

/* stoa__edge_move for quick edges. */
STOA__INLINE void stoa__edge_move_quick(stoa__storage *storage, const stoa__edge *edge,
                                        stoa__archetype *source, stoa__row from, stoa__row to) {
    /* The last row is copied even onto itself: that saves a branch for each column. */
    stoa__row last = stoa__row_last(source);
    const stoa__copy *copy = edge->copies;
    const stoa__copy *kept = copy + edge->kept, *end = copy + edge->lanes;
    for (; copy != kept; copy++) {
        size_t size = copy->size;
        uint8_t *source_column = from.columns[copy->from], *target_column = to.columns[copy->to];
        uint8_t *hole = source_column + from.slot * size;
        stoa__copy_small(target_column + to.slot * size, hole, size);
        stoa__copy_small(hole, stoa__row_item(last, copy->from, size), size);
        stoa__state_merge(stoa__column_state(target_column), stoa__column_state(source_column));
    }
    for (; copy != end; copy++) {
        size_t size = copy->size;
        stoa__copy_small(stoa__row_item(from, copy->from, size),
                         stoa__row_item(last, copy->from, size), size);
    }
    stoa__edge_tags(edge, to.columns, from.columns);
    if (last.columns != from.columns) {
        stoa__row_states_merge(source, from.columns, last.columns);
    }
    stoa_entity moved = *stoa__row_entity(last);
    *stoa__row_entity(from) = moved;
    if (STOA_LIKELY(last.place != from.place)) {
        stoa__place_set(storage->head.records, moved.index, from.place);
        stoa__record_stamp(storage, moved.index);
    }
    stoa__row_pop(storage, source);
}

/* Moves a row along an edge: into `to`, a raw row of the target, out of `from`, which is filled up.
 * Kept components are moved, the others dropped. Values of the edge's puts are not written, the
 * entity's record is not changed. */
STOA__INLINE void stoa__edge_move(stoa__storage *storage, const stoa__edge *edge,
                                  stoa__archetype *source, stoa__row from, stoa__row to) {
    if (edge->swift) {
        stoa__edge_move_quick(storage, edge, source, from, to);
    } else {
        stoa__edge_move_any(storage, edge, source, from.place, to.place);
    }
}

/* The edge that puts or drops one component; NULL with the thread's error set. */
static inline stoa__edge *stoa__edge_get_one(stoa__storage *storage, stoa__archetype *source,
                                             uint32_t key) {
    uint32_t hash = stoa__edge_hash(0, key);
    for (uint32_t at = hash >> 16;; at++) {
        stoa__edge *edge = source->edges.cells[at & source->edges.mask];
        if (!STOA_LIKELY(edge != NULL)) {
            return stoa__edge_make(storage, source, &(uint32_t){key}, 1, hash);
        }
        if (STOA_LIKELY(edge->single == key)) {
            return edge;
        }
    }
}

/* Where the edge is remembered that was taken last for a key. */
STOA__INLINE const stoa__hop *stoa__edge_hop_at(const stoa__storage *storage, uint32_t key) {
    return &storage->hops[(key >> 28 ^ key) & (STOA__HOPS - 1)];
}

/* stoa__edge_get_one, remembering what it found. */
STOA__INLINE stoa__edge *stoa__edge_hop(stoa__storage *storage, stoa__archetype *source,
                                        uint32_t key) {
    stoa__hop *hop = (stoa__hop *)(uintptr_t)stoa__edge_hop_at(storage, key);
    if (STOA_LIKELY(hop->source == source && hop->key == key)) {
        return hop->edge;
    }
    stoa__edge *edge = stoa__edge_get_one(storage, source, key);
    if (edge != NULL) {
        *hop = (stoa__hop){source, edge, key};
    }
    return edge;
}

/* The edge of a change if it is there, or NULL. `key` lists ids in order, each once, with
 * STOA__KEY_DROP on those to be taken away. `hash` is the key's, by stoa__edge_hash. */
static inline stoa__edge *stoa__edge_find(const stoa__archetype *source, const uint32_t *key,
                                          uint32_t count, uint32_t hash) {
    for (uint32_t at = hash >> 16;; at++) {
        stoa__edge *edge = source->edges.cells[at & source->edges.mask];
        if (edge == NULL || (edge->hash == hash && edge->key_count == count &&
                             memcmp(edge->key, key, count * sizeof *key) == 0)) {
            return edge;
        }
    }
}

/* The edge of a change, worked out if need be; NULL with the thread's error set. */
static inline stoa__edge *stoa__edge_get(stoa__storage *storage, stoa__archetype *source,
                                         const uint32_t *key, uint32_t count, uint32_t hash) {
    stoa__edge *edge = stoa__edge_find(source, key, count, hash);
    return edge != NULL ? edge : stoa__edge_make(storage, source, key, count, hash);
}

#endif
