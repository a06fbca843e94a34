/* The entity table.
 *
 * One record for each slot ever used at once. A slot's generation moves on when its entity dies, so
 * a stale handle never matches; a dead slot has no place, so a forged one does not either; a slot
 * at the last generation is retired. Dead slots form a list through `mixed`, last freed first;
 * those that are held for entities to come are in no list. O(1) everywhere; only reserving and
 * extending allocate. */
#include "storage/entities.h"

#include "storage/archetype.h"

#define RECORDS_FIRST 64u
/* Records in 2 MiB. */
#define RECORDS_STEP ((2u << 20) / (uint32_t)sizeof(stoa_record))
/* So many that live entities, which are fewer, can be counted in an int32_t. */
#define RECORDS_MAX ((uint32_t)STOA_ENTITY_MAX + 1)

stoa_status stoa__entities_init(stoa__storage *storage) {
    stoa_status status = stoa__entities_reserve(storage, 1);
    if (status == STOA_OK) {
        storage->head.records[0] = (stoa_record){STOA_UNPLACED, STOA__DEAD | 1};
        storage->head.record_count = 1;
    }
    return status;
}

void stoa__entities_fini(stoa__storage *storage) {
    stoa__heap_free(&storage->heap, storage->head.records,
                    storage->record_capacity * sizeof(stoa_record), STOA__LINE);
}

/* Large tables grow in whole steps of 2 MiB, since only those can have huge pages. With a resize
 * hook that moves pages small steps are cheap and save memory. */
static uint32_t capacity_after(const stoa__storage *storage, uint32_t need) {
    uint64_t capacity = storage->record_capacity;
    bool small_steps = storage->heap.hooks.resize != NULL && capacity >= RECORDS_STEP;
    uint64_t want = capacity + (small_steps ? capacity / 8 : capacity);
    want = want < RECORDS_FIRST ? RECORDS_FIRST : want;
    want = want < need ? need : want;
    if (want > RECORDS_STEP) {
        want = (want + RECORDS_STEP - 1) / RECORDS_STEP * RECORDS_STEP;
    }
    return want > RECORDS_MAX ? RECORDS_MAX : (uint32_t)want;
}

/* Makes the stamps reach to so many records; what is not used yet counts as just written. They are
 * few, so none is given back before the end. */
static bool stamps_reserve(stoa__storage *storage, uint32_t capacity) {
    uint32_t count = ((capacity - 1) >> STOA__STAMP_BITS) + 1;
    if (count <= storage->stamp_count) {
        return true;
    }
    uint32_t *stamps = stoa__heap_resize(&storage->heap, storage->record_stamps,
                                         storage->stamp_count * sizeof *stamps,
                                         count * sizeof *stamps, _Alignof(uint32_t));
    if (stamps == NULL) {
        return false;
    }
    for (uint32_t i = storage->stamp_count; i < count; i++) {
        stamps[i] = storage->stamp;
    }
    storage->record_stamps = stamps;
    storage->stamp_count = count;
    return true;
}

static stoa_status capacity_set(stoa__storage *storage, uint32_t capacity) {
    if (storage->record_stamps != NULL && !stamps_reserve(storage, capacity)) {
        return stoa__error_memory("the stamps of the entity table");
    }
    stoa_record *records = stoa__heap_resize(&storage->heap, storage->head.records,
                                             storage->record_capacity * sizeof(stoa_record),
                                             capacity * sizeof(stoa_record), STOA__LINE);
    if (records == NULL) {
        return stoa__error_memory("the entity table");
    }
    storage->head.records = records;
    storage->record_capacity = capacity;
    return STOA_OK;
}

/* Room for so many slots. */
static stoa_status capacity_need(stoa__storage *storage, uint64_t need) {
    if (need > RECORDS_MAX) {
        return stoa__error(STOA_LIMIT, "a world holds at most %d entities", STOA_ENTITY_MAX);
    }
    if (need <= storage->record_capacity) {
        return STOA_OK;
    }
    return capacity_set(storage, capacity_after(storage, (uint32_t)need));
}

stoa_status stoa__entities_reserve(stoa__storage *storage, uint32_t count) {
    if (count <= storage->free_count) {
        return STOA_OK;
    }
    return capacity_need(storage,
                         (uint64_t)storage->head.record_count + (count - storage->free_count));
}

void stoa__entities_stamps_fini(stoa__storage *storage) {
    stoa__heap_free(&storage->heap, storage->record_stamps, storage->stamp_count * sizeof(uint32_t),
                    _Alignof(uint32_t));
}

stoa_status stoa__entities_stamp_all(stoa__storage *storage) {
    if (!stamps_reserve(storage, storage->record_capacity)) {
        return stoa__error_memory("the stamps of the entity table");
    }
    storage->heeded = true;
    stoa__archetype_refill(storage);
    /* What makes or shifts rows without stamping records is not to be used again. */
    storage->head.epoch++;
    return STOA_OK;
}

stoa_status stoa__entities_room(stoa__storage *storage, uint32_t record_count) {
    return capacity_need(storage, record_count);
}

stoa_status stoa__entities_extend(stoa__storage *storage, uint32_t record_count) {
    stoa_status status = capacity_need(storage, record_count);
    if (status != STOA_OK) {
        return status;
    }
    while (storage->head.record_count < record_count) {
        uint32_t index = storage->head.record_count++;
        storage->head.records[index] = (stoa_record){STOA__HELD, STOA__DEAD | 1};
        storage->reserved_count++;
    }
    return STOA_OK;
}

void stoa__entities_hold_many(stoa__storage *storage, stoa_entity *handles, uint32_t count) {
    /* In locals: through the storage each step of the list would wait for the store of the one
     * before. */
    stoa_record *records = storage->head.records;
    uint32_t index = storage->free_first, i = 0;
    for (; i < count && index != 0; i++) {
        stoa_record record = records[index];
        handles[i] = (stoa_entity){index, record.generation & ~STOA__DEAD};
        records[index].mixed = STOA__HELD;
        index = stoa__record_next(&record);
    }
    storage->free_first = index;
    storage->free_count -= i;
    storage->reserved_count += i;
    for (; i < count; i++) {
        handles[i] = stoa__entities_hold(storage);
    }
}

void stoa__entities_unhold(stoa__storage *storage, stoa_entity e, bool given_out) {
    stoa_record *record = &storage->head.records[e.index];
    stoa__record_stamp(storage, e.index);
    storage->reserved_count--;
    if (given_out && e.generation == STOA__GENERATION_MAX) {
        *record = (stoa_record){STOA_UNPLACED, STOA__DEAD};
        storage->retired_count++;
        return;
    }
    record->generation = (e.generation + (given_out ? 1 : 0)) | STOA__DEAD;
    record->mixed = storage->free_first | STOA_UNPLACED;
    stoa__entities_free_set(storage, e.index, storage->free_count + 1);
}

void stoa__entities_trim(stoa__storage *storage) {
    if (storage->record_capacity > storage->head.record_count) {
        /* A failure leaves the table as large as it was, which is no harm. */
        (void)capacity_set(storage, storage->head.record_count);
    }
}
