/* Ends: destroying entities of one archetype one after the other.
 *
 * What has to be found out for each entity is the same for all of them: how rows are moved, where
 * the last one is. It is found out once. First the entity table and the entities of rows are put
 * right for a block of them, and what comes to stand where is noted; then each column is moved in
 * that order. So rows come to stand as if each entity had been destroyed by a call of its own. As
 * long as a block ends the last rows themselves, which is often half of them, nothing is copied.
 * Rows of two short columns, which are as many words as registers can carry, are moved whole.
 * O(entities), no memory needed. One thread at a time. */
#include "storage/ends.h"

#include "storage/entities.h"

/* Rows that are filled, in one chunk after the other. The last row of a block has the highest
 * number; it is the first to be moved. */
typedef struct run {
    uint8_t *const *columns;
    uint64_t places; /* of the chunk begin here */
    uint32_t low;    /* the number of the last one */
} run;

/* A block of rows at the end of an archetype. Those from `top` on were ended themselves; of the
 * others each, down to `low`, fills another row of the archetype, or itself. */
typedef struct block {
    stoa__storage *storage;
    const stoa__archetype *archetype;
    stoa__row first; /* number 0 */
    uint32_t top;
    uint32_t low;
    uint32_t run_last; /* the number of the last run */
    run runs[STOA__HOLES_MAX + 1];
    uint32_t slots[STOA__HOLES_MAX]; /* of the rows that are filled, by who fills them */
} block;

/* A large row may not be copied onto itself. */
STOA__INLINE void item_copy(uint8_t *to, const uint8_t *from, size_t size) {
    if (size <= 32 || to != from) {
        stoa__copy_bytes(to, from, size);
    }
}

/* Moves the rows of one column of a known size, or of `size` bytes where that is not. */
STOA__INLINE void column_fill(const block *b, uint32_t index, size_t size) {
    const uint8_t *from = b->first.columns[index] + (b->first.slot + b->top) * size;
    const uint32_t *slot = b->slots + b->top, *end = b->slots + b->low;
    for (const run *r = b->runs; slot != end; r++) {
        uint8_t *column = r->columns[index];
        const uint32_t *low = b->slots + r->low;
        for (; slot - low >= 4; slot -= 4, from -= 4 * size) {
            item_copy(column + slot[-1] * size, from - size, size);
            item_copy(column + slot[-2] * size, from - 2 * size, size);
            item_copy(column + slot[-3] * size, from - 3 * size, size);
            item_copy(column + slot[-4] * size, from - 4 * size, size);
        }
        for (; slot != low; slot--, from -= size) {
            item_copy(column + slot[-1] * size, from - size, size);
        }
    }
}

static void columns_fill(const stoa__archetype *archetype, const block *b) {
    const stoa__lane *lane = archetype->lanes;
    for (uint32_t n = archetype->lane_count; n > 0; n--, lane++) {
        switch (lane->size) {
        case 4:
            column_fill(b, lane->index, 4);
            break;
        case 8:
            column_fill(b, lane->index, 8);
            break;
        case 12:
            column_fill(b, lane->index, 12);
            break;
        case 16:
            column_fill(b, lane->index, 16);
            break;
        default:
            column_fill(b, lane->index, lane->size);
        }
    }
}

/* Notes that records were written: those of the dead, and of who has moved. What was the last row
 * when it moved still has its entity. */
static void records_stamp(const stoa__storage *storage, stoa__handles handles, uint32_t count,
                          stoa__row last) {
    const stoa_entity *moved = stoa__row_entity(last) + 1;
    for (uint32_t i = 0; i < count; i++, handles.first += handles.stride) {
        stoa__record_stamp(storage, stoa__handle_at(handles.first)->index);
        stoa__record_stamp(storage, (--moved)->index);
    }
}

/* Begins a run of rows in the chunk of an entity, which comes to be as new as that of the last
 * rows. False if the entity is none of the archetype, or its slot cannot be freed that simply. */
STOA__APART static bool run_begin(block *b, const stoa_entity *e, uint32_t low) {
    const stoa__storage *storage = b->storage;
    const stoa__archetype *archetype = b->archetype;
    const stoa_record *record = stoa__entities_find(storage, *e);
    b->runs[b->run_last].low = low;
    if (record == NULL || e->generation == STOA__GENERATION_MAX ||
        stoa__row_archetype(storage, stoa__place_of(storage, e->index)) != archetype) {
        return false;
    }
    stoa__row row = stoa__row_at(storage, stoa__place_of(storage, e->index));
    b->runs[++b->run_last] = (run){row.columns, row.place - row.slot, 0};
    if (row.columns != b->first.columns) {
        stoa__row_states_merge(archetype, row.columns, b->first.columns);
    }
    return true;
}

/* Ends up to a block of rows of a plain archetype, except for their columns. What changes with each
 * is kept in locals, which is what registers there are. */
STOA__INLINE void block_end(block *b, stoa__handles handles) {
    stoa_record *records = b->storage->head.records;
    uint32_t record_count = b->storage->head.record_count, free_first = b->storage->free_first;
    const stoa_entity *rows = stoa__row_entity(b->first);
    const uint8_t *at = handles.first;
    size_t i = handles.count;
    /* Its chunk knows how new the last row is. */
    b->runs[0] = (run){b->first.columns, stoa__places_of(b->first.place >> STOA_PLACE_BITS), 0};
    b->run_last = 0;
    b->top = handles.count;
    do {
        uint8_t *entities = b->runs[b->run_last].columns[0];
        uint64_t places = b->runs[b->run_last].places;
        for (; i > 0; at += handles.stride, i--) {
            uint32_t index = stoa__handle_at(at)->index;
            uint32_t generation = stoa__handle_at(at)->generation;
            if (!STOA_LIKELY(index < record_count)) {
                break;
            }
            stoa_record *record = &records[index];
            /* None after the last one, or if it is dead. */
            uint32_t dead = generation + 1 + STOA__DEAD;
            if (!STOA_LIKELY(record->generation == generation && dead > (STOA__DEAD | 1))) {
                break;
            }
            uint32_t place = record->mixed ^ index;
            uint64_t slot = place - places;
            if (!STOA_LIKELY(slot < STOA__ROWS_MAX)) {
                break;
            }
            uint64_t moved = stoa_bits_read(&rows[i - 1]);
            if (STOA_LIKELY(STOA_FIRST(moved) != index || i != b->top)) {
                memcpy(entities + slot * sizeof moved, &moved, sizeof moved);
                stoa__place_set(records, STOA_FIRST(moved), place);
                b->slots[i - 1] = (uint32_t)slot;
            } else {
                b->top--;
            }
            record->generation = dead;
            record->mixed = free_first | STOA_UNPLACED;
            free_first = index;
        }
    } while (i > 0 && run_begin(b, stoa__handle_at(at), (uint32_t)i));
    b->runs[b->run_last].low = b->low = (uint32_t)i;
    b->storage->free_first = free_first;
    b->storage->free_count += handles.count - b->low;
}

/* Ends rows of a plain archetype, at most until a chunk is empty. */
static uint32_t plain_end(stoa__storage *storage, stoa__archetype *archetype,
                          stoa__handles handles) {
    block b;
    stoa__row last = stoa__row_last(archetype);
    handles.count = handles.count <= last.slot ? handles.count : (uint32_t)last.slot + 1;
    handles.count = handles.count < STOA__HOLES_MAX ? handles.count : STOA__HOLES_MAX;
    b.storage = storage;
    b.archetype = archetype;
    b.first =
        (stoa__row){last.columns, last.slot + 1 - handles.count, last.place + 1 - handles.count};
    block_end(&b, handles);
    uint32_t ended = handles.count - b.low;
    if (ended == 0) {
        return 0;
    }
    if (storage->record_stamps != NULL) {
        records_stamp(storage, handles, ended, last);
    }
    columns_fill(archetype, &b);
    stoa__row_pop_many(storage, archetype, ended);
    return ended;
}

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
} pair;

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
static uint32_t pair_end(stoa__storage *storage, stoa__archetype *archetype,
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
              .free_first = storage->free_first};
    p.from[0] = (const uint8_t *)stoa__row_entity(last);
    p.from[1] = stoa__row_item(last, first->index, first->size);
    p.from[2] = stoa__row_item(last, second->index, second->size);
    while (p.at != p.end && pair_turn(&p, first->index, second->index)) {
        job(&p);
    }
    uint32_t ended = (uint32_t)((size_t)(p.at - handles.first) / handles.stride);
    if (ended == 0) {
        return 0;
    }
    storage->free_first = p.free_first;
    storage->free_count += ended;
    if (storage->record_stamps != NULL) {
        records_stamp(storage, handles, ended, last);
    }
    stoa__row_pop_many(storage, archetype, ended);
    return ended;
}

/* Ends entities of any archetype, that of those without components too. */
static uint32_t any_end(stoa__storage *storage, const stoa__archetype *archetype,
                        stoa__handles handles) {
    for (uint32_t i = 0; i < handles.count; i++, handles.first += handles.stride) {
        stoa_entity e;
        memcpy(&e, handles.first, sizeof e);
        const stoa_record *record = stoa__entities_find(storage, e);
        uint32_t place = record != NULL ? stoa__place_of(storage, e.index) : 0;
        if (record == NULL || stoa__row_archetype(storage, place) != archetype) {
            return i;
        }
        stoa__row_remove(storage, place);
        stoa__entities_release(storage, e.index);
    }
    return handles.count;
}

uint32_t stoa__ends_run(stoa__storage *storage, stoa__archetype *archetype, stoa__handles handles) {
    if (!archetype->plain || archetype->rich || archetype->head.chunk_count == 0) {
        return any_end(storage, archetype, handles);
    }
    bool two = archetype->small && archetype->lane_count == 2;
    uint32_t ended = two ? pair_end(storage, archetype, handles) : 0;
    ended = ended > 0 ? ended : plain_end(storage, archetype, handles);
    if (ended > 0 || handles.count == 0) {
        return ended;
    }
    /* The last generation of a slot is rare. */
    handles.count = 1;
    return any_end(storage, archetype, handles);
}
