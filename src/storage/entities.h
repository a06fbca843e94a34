/* The entity table: from a handle to the place of its row. */
#ifndef STOA_STORAGE_ENTITIES_H
#define STOA_STORAGE_ENTITIES_H

#include "base/inline.h"
#include "storage/storage.h"

#include <string.h>

/* The first half of the record of a slot that is held. */
#define STOA__HELD STOA__NONE

stoa_status stoa__entities_init(stoa__storage *storage);
void stoa__entities_fini(stoa__storage *storage);

/* Makes room so that `count` entities can be taken without failing. */
stoa_status stoa__entities_reserve(stoa__storage *storage, uint32_t count);

/* Has records stamped from now on, for good. */
stoa_status stoa__entities_stamp_all(stoa__storage *storage);
void stoa__entities_stamps_fini(stoa__storage *storage);

/* Makes room for so many slots in all. */
stoa_status stoa__entities_room(stoa__storage *storage, uint32_t record_count);

/* Lowers the table's capacity to what is used, if the allocator can. */
void stoa__entities_trim(stoa__storage *storage);

/* Gives the table `record_count` slots, if it has fewer; the new ones are held, at generation 1.
 * Nothing has changed on error. */
stoa_status stoa__entities_extend(stoa__storage *storage, uint32_t record_count);

/* Gives a held slot back; it is the next to be taken. With `given_out` somebody knows its handle,
 * so the next tenant gets another generation, or there is none after the last. */
void stoa__entities_unhold(stoa__storage *storage, stoa_entity e, bool given_out);

/* The record of a live handle, or NULL. */
STOA__INLINE stoa_record *stoa__entities_find(const stoa__storage *storage, stoa_entity e) {
    if (e.index >= storage->head.record_count) {
        return NULL;
    }
    return stoa_record_meet(storage->head.records, stoa_bits_read(&e)) < STOA_UNPLACED
               ? &storage->head.records[e.index]
               : NULL;
}

/* The record of a held slot, by the handle it will have; or NULL. */
STOA__INLINE stoa_record *stoa__entities_held(const stoa__storage *storage, stoa_entity e) {
    if (e.index >= storage->head.record_count) {
        return NULL;
    }
    stoa_record *record = &storage->head.records[e.index];
    return record->generation == (e.generation | STOA__DEAD) && record->mixed == STOA__HELD &&
                   (int32_t)e.generation > 0
               ? record
               : NULL;
}

/* Slots that are live: those that are neither free, retired nor held. */
STOA__INLINE uint32_t stoa__entities_count(const stoa__storage *storage) {
    return storage->head.record_count - 1 - storage->free_count - storage->retired_count -
           storage->reserved_count;
}

/* True if one entity can be taken without growing the table. */
STOA__INLINE bool stoa__entities_ready(const stoa__storage *storage) {
    return storage->free_first != 0 || storage->head.record_count < storage->record_capacity;
}

/* stoa__entities_take where records are not stamped, or the caller does it. */
STOA__INLINE stoa_entity stoa__entities_take_bare(stoa__storage *storage, uint32_t place) {
    uint32_t index = storage->free_first;
    stoa_record *record;
    if (index != 0) {
        record = &storage->head.records[index];
        storage->free_first = stoa__record_next(record);
        storage->free_count--;
        record->generation &= ~STOA__DEAD;
    } else {
        index = storage->head.record_count++;
        record = &storage->head.records[index];
        record->generation = 1;
    }
    record->mixed = place ^ index;
    return (stoa_entity){index, record->generation};
}

/* Brings a slot to life at `place`; needs the room that stoa__entities_reserve made. */
STOA__INLINE stoa_entity stoa__entities_take(stoa__storage *storage, uint32_t place) {
    stoa_entity e = stoa__entities_take_bare(storage, place);
    stoa__record_stamp(storage, e.index);
    return e;
}

/* The index of the entity that is taken next. */
STOA__INLINE uint32_t stoa__entities_next(const stoa__storage *storage) {
    return storage->free_first != 0 ? storage->free_first : storage->head.record_count;
}

/* Sets a slot aside for an entity that is to live later, and tells its handle; needs the room that
 * stoa__entities_reserve made. A held slot is neither live nor free. */
STOA__INLINE stoa_entity stoa__entities_hold(stoa__storage *storage) {
    uint32_t index = storage->free_first;
    stoa_record *record;
    if (index != 0) {
        record = &storage->head.records[index];
        storage->free_first = stoa__record_next(record);
        storage->free_count--;
    } else {
        index = storage->head.record_count++;
        record = &storage->head.records[index];
        record->generation = STOA__DEAD | 1;
    }
    /* Not stamped: it is when it comes to life or is given back, before anybody can look. */
    record->mixed = STOA__HELD;
    storage->reserved_count++;
    return (stoa_entity){index, record->generation & ~STOA__DEAD};
}

/* stoa__entities_hold for several; needs room for so many. */
void stoa__entities_hold_many(stoa__storage *storage, stoa_entity *handles, uint32_t count);

/* Brings a held slot to life at `place`. */
STOA__INLINE void stoa__entities_live(stoa__storage *storage, stoa_entity e, uint32_t place) {
    storage->head.records[e.index] = (stoa_record){place ^ e.index, e.generation};
    stoa__record_stamp(storage, e.index);
    storage->reserved_count--;
}

_Static_assert(offsetof(stoa__storage, free_first) % 8 == 0 &&
                   offsetof(stoa__storage, free_count) == offsetof(stoa__storage, free_first) + 4,
               "the list of free slots is one word");

/* Sets the first free slot and how many there are by one store. It is for slots that are freed: the
 * next call that takes one has to wait for both. Never to be read as one word, since they may have
 * been written by two stores. */
STOA__INLINE void stoa__entities_free_set(stoa__storage *storage, uint32_t first, uint32_t count) {
    uint64_t word = STOA_JOIN(first, count);
    memcpy((uint8_t *)storage + offsetof(stoa__storage, free_first), &word, sizeof word);
}

/* The record of a slot that becomes free, to be written at once, by the handle of its last tenant
 * and the slot that is free after it. */
STOA__INLINE uint64_t stoa__record_freed(uint64_t handle, uint32_t next) {
    uint64_t mixed = STOA_JOIN(STOA_FIRST(handle) ^ (next | STOA_UNPLACED), 0u);
    return (handle ^ mixed) + STOA_JOIN(0u, 1u + STOA__DEAD);
}

/* True if that was not the last generation. */
STOA__INLINE bool stoa__record_again(uint64_t freed) {
    return STOA_LIKELY(STOA_FIRST_LOW(freed) >= (uint64_t)STOA__DEAD << 32);
}

/* Ends a live slot: the next tenant gets another generation, or there is none after the last. */
STOA__INLINE void stoa__entities_release(stoa__storage *storage, uint32_t index) {
    stoa_record *record = &storage->head.records[index];
    stoa__record_stamp(storage, index);
    if (record->generation == STOA__GENERATION_MAX) {
        *record = (stoa_record){STOA_UNPLACED, STOA__DEAD};
        storage->retired_count++;
        return;
    }
    record->generation = (record->generation + 1) | STOA__DEAD;
    record->mixed = storage->free_first | STOA_UNPLACED;
    stoa__entities_free_set(storage, index, storage->free_count + 1);
}

#endif
