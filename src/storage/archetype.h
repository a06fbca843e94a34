/* Archetypes: one for each set of components, its layout, its chunks. */
#ifndef STOA_STORAGE_ARCHETYPE_H
#define STOA_STORAGE_ARCHETYPE_H

#include "storage/layout.h"
#include "storage/storage.h"

/* Makes the empty archetype and the table of chunk numbers. */
stoa_status stoa__archetype_init(stoa__storage *storage);

/* Frees all archetypes and chunks; the components in them must have been dropped. */
void stoa__archetype_fini(stoa__storage *storage);

/* The archetype of a sorted set of ids, or NULL if there is none yet. */
stoa__archetype *stoa__archetype_find(const stoa__storage *storage, const stoa_component *ids,
                                      uint32_t count);

/* The archetype of a sorted set of ids without duplicates, made if need be; NULL with the thread's
 * error set. */
stoa__archetype *stoa__archetype_get(stoa__storage *storage, const stoa_component *ids,
                                     uint32_t count);

/* An archetype of the same set and number with no rows, laid out for what its components are now,
 * and listed nowhere; NULL with the thread's error set. */
stoa__archetype *stoa__archetype_twin(stoa__storage *storage, const stoa__archetype *archetype);

/* Frees an archetype that is not listed; the components in it must have been dropped. */
void stoa__archetype_discard(stoa__storage *storage, stoa__archetype *archetype);

/* Hides the archetypes from index `count` on, which must have no rows, as if they had never been:
 * no query, edge or look-up leads there. One that is asked for again comes after those that are
 * there by then. What leads there by memory of its own, such as a bundle, must be forgotten by the
 * caller. Needs no memory. */
void stoa__archetype_hide(stoa__storage *storage, uint32_t count);

/* Shows a hidden archetype again, as the last one. */
stoa_status stoa__archetype_show(stoa__storage *storage, stoa__archetype *archetype);

/* Makes room so that `count` rows can be appended without failing. Columns may move. */
stoa_status stoa__archetype_reserve(stoa__storage *storage, stoa__archetype *archetype,
                                    uint32_t count);

/* Frees spare chunks and shrinks a chunk that stands alone to what its rows need. */
stoa_status stoa__archetype_trim(stoa__storage *storage, stoa__archetype *archetype);

/* Moves chunk `i`, and some after it that are of the same group, to a group of their own, which
 * goes where slabs have room; returns how many they are, or 0 with the thread's error set. */
int32_t stoa__archetype_relocate(stoa__storage *storage, stoa__archetype *archetype, int32_t i);

/* Gives spare chunks back beyond the one that is kept ready. */
void stoa__archetype_release(stoa__storage *storage, stoa__archetype *archetype);

/* Makes room in the array of chunks for `count` more. */
stoa_status stoa__archetype_chunks_reserve(stoa__storage *storage, stoa__archetype *archetype,
                                           int32_t count);

/* Takes the next chunk, which is held already, into use. */
void stoa__archetype_extend(const stoa__storage *storage, stoa__archetype *archetype);

/* Tells the states of a chunk its number, which is another one. */
void stoa__archetype_renumber(const stoa__archetype *archetype, const stoa_chunk *chunk);

/* Finds the last chunk in use anew. */
void stoa__archetype_tail(stoa__archetype *archetype);

/* Frees all chunks of an archetype that is about to be freed. */
void stoa__archetype_chunks_free(stoa__storage *storage, stoa__archetype *archetype);

/* Frees the outgrown chunk that is kept for values that point into it. */
void stoa__archetype_limbo_free(stoa__storage *storage);

/* Bytes of the block that holds an archetype and its tables: of columns, lanes and ids. */
static inline size_t stoa__archetype_size(const stoa__archetype *archetype) {
    return sizeof *archetype + ((size_t)archetype->column_mask + 1) * sizeof(stoa_column) +
           archetype->lane_count * sizeof(stoa__lane) +
           archetype->id_count * sizeof(stoa_component);
}

/* The column of a component, or NULL. */
static inline const stoa_column *stoa__archetype_column(const stoa__archetype *archetype,
                                                        stoa_component id) {
    return stoa_archetype_column(&archetype->head, id);
}

/* Components from this id on are not told of in the ranks of archetypes. */
#define STOA__RANKS_END 64u

/* What the table of ranks has of an archetype. */
uint64_t stoa__archetype_ranks(const stoa__archetype *archetype);

/* Reads anew whether anybody wants to know of its rows. */
void stoa__archetype_rewatch(const stoa__storage *storage, stoa__archetype *archetype);

/* Reads anew how holes are filled, since records are stamped or `aimed` has changed. */
void stoa__archetype_refill(const stoa__storage *storage);

/* The lane of a component that holds something else than its values, or NULL. */
static inline const stoa__lane *stoa__archetype_lane(const stoa__archetype *archetype,
                                                     stoa_component id, stoa__lane_kind kind) {
    for (uint32_t i = archetype->data_lanes; i < archetype->lane_count; i++) {
        if (archetype->lanes[i].id == id && archetype->lanes[i].kind == kind) {
            return &archetype->lanes[i];
        }
    }
    return NULL;
}

/* The state of a column, or of a tag. */
static inline stoa_column_state *stoa__column_state(uint8_t *column) {
    return (stoa_column_state *)(void *)column - 1;
}

/* The state of the column, or of the tag, at an index of a chunk's columns. */
static inline stoa_column_state *stoa__state_of(uint8_t *const *columns, uint32_t index) {
    return stoa__column_state(stoa_column_begin(columns, index));
}

/* The states of a chunk by number: those of the lanes with values, then those of the tags. */
static inline stoa_column_state *stoa__state_number(const stoa__archetype *archetype,
                                                    uint8_t *const *columns, uint32_t i) {
    return stoa__state_of(
        columns, i < archetype->data_lanes ? i + 1 : stoa__layout_tag(i - archetype->data_lanes));
}

/* Bytes of rows in use, with the padding of their columns. */
static inline size_t stoa__archetype_used(const stoa__archetype *archetype) {
    int32_t count = archetype->head.chunk_count;
    size_t block = archetype->chunk_bytes, capacity = (size_t)archetype->head.chunk_capacity;
    return count == 0
               ? 0
               : (size_t)(count - 1) * block + block * (size_t)archetype->tail->count / capacity;
}

/* Rows in use, by the chunks: only the last one is partly filled. */
static inline uint32_t stoa__head_rows(const stoa_archetype_head *head) {
    uint32_t full = (uint32_t)head->chunk_count - 1;
    return head->chunk_count == 0
               ? 0
               : full * (uint32_t)head->chunk_capacity + (uint32_t)head->chunks[full].count;
}
static inline uint32_t stoa__archetype_rows(const stoa__archetype *archetype) {
    return stoa__head_rows(&archetype->head);
}

#endif
