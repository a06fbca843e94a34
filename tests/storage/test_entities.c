/* The entity table on a storage of its own: slots, generations, the list of free ones. */
#include "storage/entities.h"
#include "storage_fixture.h"

static int table_setup(void **state) {
    bare_setup(state);
    return stoa__entities_init(&((fixture *)*state)->storage) == STOA_OK ? 0 : -1;
}

static stoa_entity take(stoa__storage *storage, uint32_t place) {
    assert_int_equal(stoa__entities_reserve(storage, 1), STOA_OK);
    return stoa__entities_take(storage, place);
}

/* ENT-01 */
static void slot_zero_is_reserved_and_dead(void **state) {
    fixture *f = *state;
    assert_int_equal(f->storage.head.record_count, 1);
    assert_int_equal(f->storage.head.records[0].generation, STOA__DEAD | 1);
    const uint32_t forged[] = {0, 1, STOA__DEAD, STOA__DEAD | 1, UINT32_MAX};
    for (int i = 0; i < 5; i++) {
        assert_null(stoa__entities_find(&f->storage, (stoa_entity){0, forged[i]}));
    }
    assert_int_equal(take(&f->storage, 5).index, 1);
    assert_null(stoa__entities_find(&f->storage, STOA_NULL));
}

/* ENT-02 ENT-03: whatever generation is forged, only the tenant's own is found. */
static void only_the_tenants_generation_is_found(void **state) {
    fixture *f = *state;
    stoa_entity e = take(&f->storage, 77);
    assert_non_null(stoa__entities_find(&f->storage, e));
    assert_int_equal(stoa__place_of(&f->storage, e.index), 77);
    stoa__entities_release(&f->storage, e.index);
    for (uint32_t generation = 0; generation < 8; generation++) {
        stoa_entity forged = {e.index, generation};
        assert_null(stoa__entities_find(&f->storage, forged));
        forged.generation |= STOA__DEAD;
        assert_null(stoa__entities_find(&f->storage, forged));
    }
    assert_null(stoa__entities_find(&f->storage, (stoa_entity){e.index + 1, 1}));
    assert_null(stoa__entities_find(&f->storage, (stoa_entity){UINT32_MAX, 1}));
    stoa_entity next = take(&f->storage, 78);
    assert_int_equal(next.index, e.index);
    assert_int_equal(next.generation, 2);
    assert_null(stoa__entities_find(&f->storage, e));
    assert_ptr_equal(stoa__entities_find(&f->storage, next), &f->storage.head.records[e.index]);
}

/* ENT-03 STO-11: last freed, first reused; the order is part of the world's content. */
static void freed_slots_come_back_last_first(void **state) {
    fixture *f = *state;
    for (uint32_t i = 1; i <= 10; i++) {
        assert_int_equal(take(&f->storage, i).index, i);
    }
    const uint32_t order[] = {4, 9, 1, 7};
    for (int i = 0; i < 4; i++) {
        stoa__entities_release(&f->storage, order[i]);
    }
    assert_int_equal(f->storage.free_count, 4);
    assert_int_equal(stoa__entities_count(&f->storage), 6);
    for (int i = 3; i >= 0; i--) {
        stoa_entity e = take(&f->storage, 0);
        assert_int_equal(e.index, order[i]);
        assert_int_equal(e.generation, 2);
    }
    assert_int_equal(f->storage.free_count, 0);
    assert_int_equal(f->storage.free_first, 0);
    assert_int_equal(take(&f->storage, 0).index, 11);
}

/* ENT-04 */
static void slot_is_retired_after_its_last_generation(void **state) {
    fixture *f = *state;
    stoa_entity e = take(&f->storage, 0);
    stoa__entities_release(&f->storage, e.index);
    f->storage.head.records[e.index].generation = STOA__DEAD | (STOA__GENERATION_MAX - 1);
    for (uint32_t i = 0; i < 2; i++) {
        stoa_entity last = take(&f->storage, 0);
        assert_int_equal(last.index, e.index);
        assert_int_equal(last.generation, STOA__GENERATION_MAX - 1 + i);
        assert_non_null(stoa__entities_find(&f->storage, last));
        stoa__entities_release(&f->storage, last.index);
        assert_null(stoa__entities_find(&f->storage, last));
    }
    assert_int_equal(f->storage.retired_count, 1);
    assert_int_equal(f->storage.free_count, 0);
    assert_int_equal(stoa__entities_count(&f->storage), 0);
    assert_null(stoa__entities_find(&f->storage, (stoa_entity){e.index, STOA__DEAD}));
    for (uint32_t i = 0; i < 10; i++) {
        assert_int_not_equal(take(&f->storage, 0).index, e.index);
    }
    assert_null(stoa__entities_find(&f->storage, (stoa_entity){e.index, 0}));
    assert_null(stoa__entities_find(&f->storage, (stoa_entity){e.index, 1}));
    assert_null(stoa__entities_find(&f->storage, (stoa_entity){e.index, STOA__DEAD}));
}

/* STO-06 GEN-04: what was reserved can be taken with no memory left. */
static void reserved_slots_need_no_memory(void **state) {
    fixture *f = *state;
    for (uint32_t i = 0; i < 50; i++) {
        take(&f->storage, 0);
    }
    for (uint32_t i = 1; i <= 20; i++) {
        stoa__entities_release(&f->storage, i);
    }
    assert_int_equal(stoa__entities_reserve(&f->storage, 1000), STOA_OK);
    size_t allocations = f->heap.allocations;
    for (uint32_t i = 0; i < 1000; i++) {
        assert_true(stoa__entities_ready(&f->storage));
        stoa__entities_take(&f->storage, i);
    }
    assert_int_equal(f->heap.allocations, allocations);
    assert_true(f->storage.head.record_count <= f->storage.record_capacity);
    assert_int_equal(stoa__entities_count(&f->storage), 1030);
}

/* GEN-03 GEN-04 */
static void failed_growth_keeps_the_table(void **state) {
    fixture *f = *state;
    while (f->storage.head.record_count < f->storage.record_capacity) {
        take(&f->storage, 9);
    }
    assert_false(stoa__entities_ready(&f->storage));
    uint32_t capacity = f->storage.record_capacity;
    f->heap.fail_at = 1;
    assert_int_equal(stoa__entities_reserve(&f->storage, 1), STOA_NO_MEMORY);
    support_assert_message("entity table");
    assert_int_equal(f->storage.record_capacity, capacity);
    assert_int_equal(stoa__place_of(&f->storage, 1), 9);
    assert_int_equal(stoa__entities_reserve(&f->storage, 1), STOA_OK);
    assert_true(stoa__entities_ready(&f->storage));
}

/* GEN-05: more than handles can tell apart. */
static void more_than_the_most_entities_is_a_limit(void **state) {
    fixture *f = *state;
    size_t allocations = f->heap.allocations;
    assert_int_equal(stoa__entities_reserve(&f->storage, UINT32_MAX), STOA_LIMIT);
    assert_int_equal(stoa__entities_reserve(&f->storage, (uint32_t)STOA_ENTITY_MAX + 1),
                     STOA_LIMIT);
    take(&f->storage, 0);
    assert_int_equal(stoa__entities_reserve(&f->storage, STOA_ENTITY_MAX), STOA_LIMIT);
    assert_int_equal(f->heap.allocations, allocations);
}

/* STO-06 */
static void trimmed_table_is_as_large_as_its_slots(void **state) {
    fixture *f = *state;
    assert_int_equal(stoa__entities_reserve(&f->storage, 5000), STOA_OK);
    stoa_entity first = take(&f->storage, 3);
    for (uint32_t i = 0; i < 99; i++) {
        take(&f->storage, 4);
    }
    f->heap.fail_at = 1;
    stoa__entities_trim(&f->storage);
    assert_true(f->storage.record_capacity >= 5000);
    stoa__entities_trim(&f->storage);
    assert_int_equal(f->storage.record_capacity, 101);
    assert_int_equal(f->heap.bytes, 101 * sizeof(stoa_record));
    assert_non_null(stoa__entities_find(&f->storage, first));
    assert_int_equal(stoa__place_of(&f->storage, first.index), 3);
    assert_int_equal(take(&f->storage, 5).index, 101);
}

/* CMD-03 ENT-02: a held slot is neither live nor free, and nobody else gets it. */
static void held_slot_is_nobodys_until_it_lives(void **state) {
    fixture *f = *state;
    stoa__storage *storage = &f->storage;
    stoa_entity old = take(storage, 1);
    stoa__entities_release(storage, old.index);
    assert_int_equal(stoa__entities_reserve(storage, 2), STOA_OK);
    stoa_entity recycled = stoa__entities_hold(storage);
    stoa_entity fresh = stoa__entities_hold(storage);
    assert_int_equal(recycled.index, old.index);
    assert_int_equal(recycled.generation, 2);
    assert_int_equal(fresh.index, 2);
    assert_int_equal(fresh.generation, 1);
    assert_int_equal(storage->reserved_count, 2);
    assert_int_equal(stoa__entities_count(storage), 0);
    assert_int_equal(storage->free_count, 0);
    assert_null(stoa__entities_find(storage, recycled));
    assert_null(stoa__entities_find(storage, fresh));
    assert_non_null(stoa__entities_held(storage, recycled));
    assert_non_null(stoa__entities_held(storage, fresh));
    assert_null(stoa__entities_held(storage, old));
    assert_null(stoa__entities_held(storage, (stoa_entity){2, STOA__DEAD | 1}));
    assert_null(stoa__entities_held(storage, (stoa_entity){3, 1}));
    assert_null(stoa__entities_held(storage, STOA_NULL));
    stoa_entity other = take(storage, 0);
    assert_int_equal(other.index, 3);
    stoa__entities_live(storage, fresh, 5);
    stoa__entities_live(storage, recycled, 6);
    assert_int_equal(storage->reserved_count, 0);
    assert_int_equal(stoa__entities_count(storage), 3);
    assert_non_null(stoa__entities_find(storage, fresh));
    assert_non_null(stoa__entities_find(storage, recycled));
    assert_int_equal(stoa__place_of(storage, fresh.index), 5);
    assert_int_equal(stoa__place_of(storage, recycled.index), 6);
    assert_null(stoa__entities_held(storage, fresh));
    assert_null(stoa__entities_held(storage, other));
}

/* CMD-08 ENT-04: a handle that somebody knows is not issued again. */
static void slot_given_back_moves_on_if_its_handle_is_known(void **state) {
    fixture *f = *state;
    stoa__storage *storage = &f->storage;
    assert_int_equal(stoa__entities_reserve(storage, 2), STOA_OK);
    stoa_entity known = stoa__entities_hold(storage);
    stoa_entity secret = stoa__entities_hold(storage);
    stoa__entities_unhold(storage, known, true);
    stoa__entities_unhold(storage, secret, false);
    assert_int_equal(storage->reserved_count, 0);
    assert_int_equal(storage->free_count, 2);
    stoa_entity first = take(storage, 0), second = take(storage, 0);
    assert_true(stoa_entity_eq(first, secret));
    assert_int_equal(second.index, known.index);
    assert_int_equal(second.generation, known.generation + 1);
    assert_null(stoa__entities_find(storage, known));
}

/* CMD-08 ENT-04 */
static void slot_given_back_at_its_last_generation_is_retired(void **state) {
    fixture *f = *state;
    stoa__storage *storage = &f->storage;
    stoa_entity e = take(storage, 0);
    stoa__entities_release(storage, e.index);
    storage->head.records[e.index].generation = STOA__DEAD | STOA__GENERATION_MAX;
    stoa_entity last = stoa__entities_hold(storage);
    assert_int_equal(last.generation, STOA__GENERATION_MAX);
    stoa__entities_unhold(storage, last, false);
    assert_int_equal(storage->retired_count, 0);
    last = stoa__entities_hold(storage);
    assert_int_equal(last.index, e.index);
    stoa__entities_unhold(storage, last, true);
    assert_int_equal(storage->retired_count, 1);
    assert_int_equal(storage->free_count, 0);
    assert_int_equal(storage->reserved_count, 0);
    assert_int_not_equal(take(storage, 0).index, e.index);
}

/* CMD-06 */
static void extended_table_holds_its_new_slots(void **state) {
    fixture *f = *state;
    stoa__storage *storage = &f->storage;
    take(storage, 7);
    assert_int_equal(stoa__entities_extend(storage, 500), STOA_OK);
    assert_int_equal(storage->head.record_count, 500);
    assert_int_equal(storage->reserved_count, 498);
    assert_int_equal(stoa__entities_count(storage), 1);
    for (uint32_t i = 2; i < 500; i++) {
        assert_non_null(stoa__entities_held(storage, (stoa_entity){i, 1}));
    }
    assert_int_equal(stoa__entities_extend(storage, 10), STOA_OK);
    assert_int_equal(storage->head.record_count, 500);
    assert_int_equal(take(storage, 0).index, 500);
}

/* CMD-06 GEN-03 GEN-04 */
static void failed_extension_keeps_the_table(void **state) {
    fixture *f = *state;
    stoa__storage *storage = &f->storage;
    f->heap.fail_at = 1;
    assert_int_equal(stoa__entities_extend(storage, 5000), STOA_NO_MEMORY);
    assert_int_equal(storage->head.record_count, 1);
    assert_int_equal(storage->reserved_count, 0);
    assert_int_equal(stoa__entities_extend(storage, UINT32_MAX), STOA_LIMIT);
    assert_int_equal(storage->head.record_count, 1);
    assert_int_equal(stoa__entities_extend(storage, 5000), STOA_OK);
    assert_int_equal(storage->reserved_count, 4999);
}

#define WITH_TABLE(test) cmocka_unit_test_setup_teardown(test, table_setup, storage_teardown)

int main(void) {
    const struct CMUnitTest tests[] = {
        WITH_TABLE(slot_zero_is_reserved_and_dead),
        WITH_TABLE(only_the_tenants_generation_is_found),
        WITH_TABLE(freed_slots_come_back_last_first),
        WITH_TABLE(slot_is_retired_after_its_last_generation),
        WITH_TABLE(reserved_slots_need_no_memory),
        WITH_TABLE(failed_growth_keeps_the_table),
        WITH_TABLE(more_than_the_most_entities_is_a_limit),
        WITH_TABLE(trimmed_table_is_as_large_as_its_slots),
        WITH_TABLE(held_slot_is_nobodys_until_it_lives),
        WITH_TABLE(slot_given_back_moves_on_if_its_handle_is_known),
        WITH_TABLE(slot_given_back_at_its_last_generation_is_retired),
        WITH_TABLE(extended_table_holds_its_new_slots),
        WITH_TABLE(failed_extension_keeps_the_table),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
