/* Ends of pairs: destroying entities with two short columns.
 *
 * Their rows are as many words as registers can carry, so each is moved whole. As long as entities
 * are in one chunk, what has to be found out of it is found out once. Where they are anywhere, what
 * takes the time is memory: the rows of a block of them are asked for first. O(entities), no memory
 * needed. One thread at a time. */
#include "storage/ends.h"

#include "storage/entities.h"

/* Handles of an archetype with two short columns, and the last rows, which fill theirs. The columns
 * are in order of their sizes. */
typedef struct pair {
    const stoa__storage *storage;
    const stoa__archetype *archetype;
    uint8_t *const *last; /* columns of the chunk of the last rows */
    const uint8_t *at;    /* the next handle */
    const uint8_t *end;
    size_t stride;
    const uint8_t *from[3]; /* the last row: its entity, its columns */
    uint8_t *to[3];         /* the same in the chunk that is filled: where they begin */
    uint64_t places;        /* of that chunk begin here */
    stoa_record *records;
    uint32_t record_count;
    uint32_t free_first;
    uint32_t lanes[2]; /* the columns' indexes in a chunk */
    uint32_t sizes[2]; /* of their items */
} pair;

/* Entities that are asked for together where they are anywhere. */
#define BLOCK 32
/* If so few are in one chunk twice in a row, the others are taken to be anywhere. */
#define FEW 4

/* Ends entities as long as they are in the chunk that is filled. Each is copied whole before the
 * next one, which is then ready while others are waited for. Records are read and written whole: a
 * processor is slow to read more than was written just before. What does not change is read from
 * `p` where it is needed: registers there are for the rest. */
STOA__INLINE void pair_run(pair *p, size_t size, size_t other) {
    stoa_record *records = p->records;
    uint32_t free_first = p->free_first;
    uint64_t handle;
    const uint8_t *at = p->at, *end = p->end;
    const uint8_t *entity = p->from[0], *first = p->from[1], *second = p->from[2];
    for (; at != end; at += p->stride, entity -= sizeof handle, first -= size, second -= other) {
        handle = stoa_bits_read(at);
        uint32_t index = STOA_FIRST(handle);
        if (!STOA_LIKELY(index < p->record_count)) {
            break;
        }
        /* No place of the chunk if it is dead. */
        uint64_t place = stoa_record_meet(records, handle);
        uint64_t slot = place - p->places;
        if (!STOA_LIKELY(slot < STOA__ROWS_MAX)) {
            break;
        }
        /* None after the last generation. */
        uint64_t freed = stoa__record_freed(handle, free_first);
        if (!stoa__record_again(freed)) {
            break;
        }
        uint64_t moved = stoa_bits_read(entity);
        if (STOA_LIKELY(STOA_FIRST(moved) != index)) {
            uint64_t record = stoa_record_home(moved, (uint32_t)place);
            memcpy(p->to[0] + slot * sizeof moved, &moved, sizeof moved);
            memcpy(&records[STOA_FIRST(moved)], &record, sizeof record);
            stoa__copy_small(p->to[1] + slot * size, first, size);
            stoa__copy_small(p->to[2] + slot * other, second, other);
        }
        memcpy(&records[index], &freed, sizeof freed);
        free_first = index;
    }
    p->at = at;
    p->from[0] = entity, p->from[1] = first, p->from[2] = second;
    p->free_first = free_first;
}

/* One for each pair of sizes: a function of its own has all registers. */
STOA__APART static void pair_run_8_8(pair *p) {
    pair_run(p, 8, 8);
}
STOA__APART static void pair_run_8_12(pair *p) {
    pair_run(p, 8, 12);
}
STOA__APART static void pair_run_8_16(pair *p) {
    pair_run(p, 8, 16);
}
STOA__APART static void pair_run_12_12(pair *p) {
    pair_run(p, 12, 12);
}
STOA__APART static void pair_run_12_16(pair *p) {
    pair_run(p, 12, 16);
}
STOA__APART static void pair_run_16_16(pair *p) {
    pair_run(p, 16, 16);
}

typedef void pair_job(pair *p);

/* How rows with columns of these sizes are ended, the smaller first; NULL: not in this way. */
static pair_job *pair_find(uint32_t size, uint32_t other) {
    static pair_job *const jobs[3][3] = {
        {pair_run_8_8, pair_run_8_12, pair_run_8_16},
        {NULL, pair_run_12_12, pair_run_12_16},
        {NULL, NULL, pair_run_16_16},
    };
    return size % 4 == 0 && other % 4 == 0 ? jobs[size / 4 - 2][other / 4 - 2] : NULL;
}

/* Where an entity is, if it lives in the archetype. */
STOA__INLINE bool place_find(const stoa__storage *storage, const stoa__archetype *archetype,
                             uint64_t handle, uint64_t *place) {
    if (!STOA_LIKELY(STOA_FIRST(handle) < storage->head.record_count)) {
        return false;
    }
    *place = stoa_record_meet(storage->head.records, handle);
    return STOA_LIKELY(*place < STOA_UNPLACED &&
                       storage->head.chunks[*place >> STOA_PLACE_BITS].archetype ==
                           &archetype->head);
}

/* The handle so many blocks after the next one, or the end. */
static const uint8_t *block_after(const pair *p, size_t blocks) {
    size_t ahead = blocks * BLOCK * p->stride;
    return (size_t)(p->end - p->at) > ahead ? p->at + ahead : p->end;
}

/* Asks for the records of a block. */
static void records_ask(const pair *p, const uint8_t *at, const uint8_t *end) {
    for (; at != end; at += p->stride) {
        stoa__handle_ask(p->records, stoa__handle_at(at)->index);
    }
}

/* Asks for the rows of a block, where they are now, and for the records of those who will fill
 * them. */
static void rows_ask(const pair *p, const uint8_t *at, const uint8_t *end) {
    const stoa__storage *storage = p->storage;
    const stoa__archetype *archetype = p->archetype;
    size_t stride = p->stride, first = p->lanes[0], second = p->lanes[1];
    size_t size = p->sizes[0], other = p->sizes[1];
    const uint8_t *entity = p->from[0] - (size_t)(at - p->at) / stride * sizeof(stoa_entity);
    for (uint64_t place; at != end; at += stride, entity -= sizeof(stoa_entity)) {
        stoa__handle_ask(p->records, stoa__handle_at(entity)->index);
        if (place_find(storage, archetype, stoa_bits_read(at), &place)) {
            uint8_t *const *columns = storage->head.chunks[place >> STOA_PLACE_BITS].columns;
            size_t slot = place & (STOA__ROWS_MAX - 1);
            STOA_PREFETCH(columns[0] + slot * sizeof(stoa_entity));
            STOA_PREFETCH(columns[first] + slot * size);
            STOA_PREFETCH(columns[second] + slot * other);
        }
    }
}

/* Ends a block of entities that are anywhere; stops at one that is out of the ordinary. `even`: no
 * chunk is older than that of the last rows. */
STOA__INLINE void block_end(pair *p, const uint8_t *end, bool even) {
    const stoa__storage *storage = p->storage;
    const stoa__archetype *archetype = p->archetype;
    stoa_record *records = p->records;
    const size_t size = p->sizes[0], other = p->sizes[1];
    const uint8_t *at = p->at;
    const uint8_t *entity = p->from[0], *first = p->from[1], *second = p->from[2];
    uint32_t free_first = p->free_first;
    for (uint64_t place; at != end; at += p->stride) {
        uint64_t handle = stoa_bits_read(at), moved = stoa_bits_read(entity);
        if (!place_find(storage, archetype, handle, &place)) {
            break;
        }
        uint64_t freed = stoa__record_freed(handle, free_first);
        if (!stoa__record_again(freed)) {
            break;
        }
        /* If it is the last row itself it is copied onto itself. */
        uint8_t *const *columns = storage->head.chunks[place >> STOA_PLACE_BITS].columns;
        size_t slot = place & (STOA__ROWS_MAX - 1);
        if (!even && columns != p->last) {
            stoa__row_states_merge(archetype, columns, p->last);
        }
        uint64_t record = stoa_record_home(moved, (uint32_t)place);
        memcpy(columns[0] + slot * sizeof moved, &moved, sizeof moved);
        memcpy(&records[STOA_FIRST(moved)], &record, sizeof record);
        stoa__copy_small(columns[p->lanes[0]] + slot * size, first, size);
        stoa__copy_small(columns[p->lanes[1]] + slot * other, second, other);
        memcpy(&records[STOA_FIRST(handle)], &freed, sizeof freed);
        free_first = STOA_FIRST(handle);
        entity -= sizeof moved, first -= size, second -= other;
    }
    p->at = at;
    p->from[0] = entity, p->from[1] = first, p->from[2] = second;
    p->free_first = free_first;
}

/* Ends entities that are anywhere. Each waits for a record and then for its row: so the records of
 * the block after the next one and the rows of the next one are asked for before a block is worked
 * on. To look at every chunk once is worth it if there are fewer than entities. */
STOA__APART static void pair_scatter(pair *p) {
    size_t left = (size_t)(p->end - p->at) / p->stride;
    bool even = left > (size_t)p->archetype->head.chunk_count &&
                stoa__row_states_even(p->archetype, p->last);
    const uint8_t *end = p->at;
    records_ask(p, end, block_after(p, 2));
    rows_ask(p, end, block_after(p, 1));
    while (p->at == end && end != p->end) {
        end = block_after(p, 1);
        records_ask(p, block_after(p, 2), block_after(p, 3));
        rows_ask(p, end, block_after(p, 2));
        if (even) {
            block_end(p, end, true);
        } else {
            block_end(p, end, false);
        }
    }
}

/* Turns to the chunk of the next entity, which comes to be as new as that of the last rows. False
 * if the entity is none of the archetype, or its slot cannot be freed that simply. */
static bool pair_turn(pair *p, uint32_t first, uint32_t second) {
    const stoa_entity *e = stoa__handle_at(p->at);
    const stoa_record *record = stoa__entities_find(p->storage, *e);
    if (record == NULL || e->generation == STOA__GENERATION_MAX ||
        stoa__row_archetype(p->storage, stoa__place_of(p->storage, e->index)) != p->archetype) {
        return false;
    }
    stoa__row row = stoa__row_at(p->storage, stoa__place_of(p->storage, e->index));
    if (row.columns != p->last) {
        stoa__row_states_merge(p->archetype, row.columns, p->last);
    }
    p->places = row.place - row.slot;
    p->to[0] = row.columns[0], p->to[1] = row.columns[first], p->to[2] = row.columns[second];
    return true;
}

/* Ends rows of a small archetype with two columns, at most until a chunk is empty; none if the
 * sizes are not those of a pair. */
uint32_t stoa__ends_pair(stoa__storage *storage, stoa__archetype *archetype,
                         stoa__handles handles) {
    bool swap = archetype->lanes[0].size > archetype->lanes[1].size;
    const stoa__lane *first = &archetype->lanes[swap], *second = &archetype->lanes[!swap];
    pair_job *job = pair_find(first->size, second->size);
    if (job == NULL) {
        return 0;
    }
    stoa__row last = stoa__row_last(archetype);
    size_t most = handles.count <= last.slot ? handles.count : last.slot + 1;
    pair p = {.storage = storage,
              .archetype = archetype,
              .last = last.columns,
              .at = handles.first,
              .end = handles.first + most * handles.stride,
              .stride = handles.stride,
              .records = storage->head.records,
              .record_count = storage->head.record_count,
              .free_first = storage->free_first,
              .lanes = {first->index, second->index},
              .sizes = {first->size, second->size}};
    p.from[0] = (const uint8_t *)stoa__row_entity(last);
    p.from[1] = stoa__row_item(last, first->index, first->size);
    p.from[2] = stoa__row_item(last, second->index, second->size);
    for (uint32_t few = 0; p.at != p.end && pair_turn(&p, first->index, second->index);) {
        const uint8_t *at = p.at;
        job(&p);
        few = (size_t)(p.at - at) < FEW * p.stride ? few + 1 : 0;
        if (few == 2) {
            pair_scatter(&p);
        }
    }
    uint32_t ended = (uint32_t)((size_t)(p.at - handles.first) / handles.stride);
    if (ended == 0) {
        return 0;
    }
    storage->free_first = p.free_first;
    storage->free_count += ended;
    if (storage->record_stamps != NULL) {
        stoa__ends_stamp(storage, handles, ended, last);
    }
    stoa__row_pop_many(storage, archetype, ended);
    return ended;
}
