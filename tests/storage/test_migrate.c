/* Whole archetypes on a storage of their own: rows moved chunk by chunk, values repeated, and every
 * way to fail half way. */
#include "migrate_fixture.h"
#include "storage/entities.h"

/* ACC-09 ACC-05 */
static void rows_arrive_in_order_with_all_they_had(void **state) {
    fixture *f = *state;
    stoa_component a = type_make(f, 12), b = type_make(f, 1), c = type_make(f, 12);
    stoa_component tag = type_make(f, 0);
    stoa__archetype *ab = SET(f, a, b, tag), *abc = SET(f, a, b, c, tag);
    uint32_t value[3] = {7, 8, 9};
    rows_add(f, ab, 2000);
    assert_true(ab->head.chunk_count > 2 && ab->head.chunk_capacity > abc->head.chunk_capacity);
    assert_int_equal(migrate(f, ab, c, value), STOA_OK);
    rows_verify(f, ab, 0, NULL);
    rows_verify(f, abc, c, value);
    rows_count_up(abc, 1, 2000);
    assert_int_equal(stoa__rows_at(&f->storage, ab->index), 0);
    assert_true(ab->chunk_held <= 1);
    rows_add(f, ab, 700);
    assert_int_equal(migrate(f, ab, c, value), STOA_OK);
    rows_verify(f, abc, c, value);
    rows_count_up(abc, 1, 2700);
    assert_int_equal(migrate(f, abc, c | DROP, NULL), STOA_OK);
    rows_verify(f, ab, 0, NULL);
    rows_verify(f, abc, 0, NULL);
    rows_count_up(ab, 1, 2700);
    assert_int_equal(migrate(f, abc, c | DROP, NULL), STOA_OK);
    rows_count_up(ab, 1, 2700);
}

/* ACC-09: so many bytes that they are written past the caches, to rows that begin a line and to
 * rows that do not. */
static void many_rows_arrive_with_all_they_had(void **state) {
    fixture *f = *state;
    stoa_component a = type_make(f, 12), b = type_make(f, 500), c = type_make(f, 12);
    stoa__archetype *ab = SET(f, a, b), *abc = SET(f, a, b, c);
    uint32_t value[3] = {7, 8, 9};
    rows_add(f, ab, 5);
    assert_int_equal(migrate(f, ab, c, value), STOA_OK);
    rows_add(f, ab, 17000);
    assert_true((uint64_t)17000 * abc->row_size > (8 << 20));
    assert_int_equal(migrate(f, ab, c, value), STOA_OK);
    rows_verify(f, ab, 0, NULL);
    rows_verify(f, abc, c, value);
    rows_count_up(abc, 1, 17005);
}

/* ACC-09 */
static void value_of_any_size_is_repeated(void **state) {
    fixture *f = *state;
    static const uint32_t sizes[] = {1, 2, 3, 4, 8, 12, 16, 20, 100, 4095, 4096, 5000, 20000};
    stoa_component a = type_make(f, 8);
    stoa__archetype *only = SET(f, a);
    static uint8_t value[20000];
    for (uint32_t i = 0; i < sizeof value; i++) {
        value[i] = (uint8_t)(i * 31 + i / 256);
    }
    rows_add(f, only, 600);
    for (uint32_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        stoa_component b = type_make(f, sizes[i]);
        assert_int_equal(migrate(f, only, b, value), STOA_OK);
        stoa__archetype *both = SET(f, a, b);
        assert_int_equal(stoa__rows_at(&f->storage, both->index), 600);
        rows_verify(f, both, b, value);
        assert_int_equal(migrate(f, both, b | DROP, NULL), STOA_OK);
        assert_int_equal(migrate(f, only, b, NULL), STOA_OK);
        static const uint8_t zeros[20000];
        rows_verify(f, both, b, zeros);
        assert_int_equal(migrate(f, both, b | DROP, NULL), STOA_OK);
        rows_count_up(only, 1, 600);
    }
    rows_verify(f, only, 0, NULL);
}

/* ACC-09 CHG-02 CHG-04 CMP-12 */
static void ticks_and_switches_come_along(void **state) {
    fixture *f = *state;
    stoa_component_desc desc = {
        .name = "Rich", .size = 4, .flags = STOA_ROW_TICKS | STOA_SWITCHABLE};
    stoa_component rich = stoa__registry_desc(&f->storage, &desc);
    desc.name = "Fresh";
    stoa_component fresh = stoa__registry_desc(&f->storage, &desc);
    stoa_component big = type_make(f, 200);
    stoa__archetype *source = SET(f, rich, big), *target = SET(f, rich, fresh, big);
    f->storage.head.tick = 500;
    rows_add(f, source, 100);
    const stoa__lane *off = stoa__archetype_lane(source, rich, STOA__LANE_OFF);
    const stoa__lane *changed = stoa__archetype_lane(source, rich, STOA__LANE_CHANGED);
    const stoa__lane *added = stoa__archetype_lane(source, rich, STOA__LANE_ADDED);
    for (int32_t c = 0; c < source->head.chunk_count; c++) {
        const stoa_chunk *chunk = &source->head.chunks[c];
        stoa_column_state *s = state_at(source, c, rich);
        STOA_STORE(&s->changed, 300 + (uint32_t)c);
        s->off = 0;
        for (uint32_t i = 0; i < (uint32_t)chunk->count; i++) {
            uint32_t index = stoa_columns_entities(chunk->columns)[i].index;
            chunk->columns[off->index][i] = index % 3 == 0;
            s->off += index % 3 == 0;
            ((uint32_t *)(void *)chunk->columns[changed->index])[i] = 200 + index;
            ((uint32_t *)(void *)chunk->columns[added->index])[i] = 100 + index;
        }
    }
    assert_int_equal(migrate(f, source, fresh, &(uint32_t){5}), STOA_OK);
    assert_true(target->head.chunk_count > 1);
    stoa_component ids[] = {rich, fresh};
    for (int32_t c = 0; c < target->head.chunk_count; c++) {
        uint32_t offs = 0;
        const stoa_chunk *chunk = &target->head.chunks[c];
        for (uint32_t i = 0; i < (uint32_t)chunk->count; i++) {
            uint32_t index = stoa_columns_entities(chunk->columns)[i].index;
            for (uint32_t k = 0; k < 2; k++) {
                off = stoa__archetype_lane(target, ids[k], STOA__LANE_OFF);
                changed = stoa__archetype_lane(target, ids[k], STOA__LANE_CHANGED);
                added = stoa__archetype_lane(target, ids[k], STOA__LANE_ADDED);
                uint8_t *const *columns = chunk->columns;
                assert_int_equal(columns[off->index][i], k == 0 && index % 3 == 0);
                assert_int_equal(((const uint32_t *)(const void *)columns[changed->index])[i],
                                 k == 0 ? 200 + index : 500);
                assert_int_equal(((const uint32_t *)(const void *)columns[added->index])[i],
                                 k == 0 ? 100 + index : 500);
            }
            offs += index % 3 == 0;
        }
        assert_int_equal(state_at(target, c, rich)->off, offs);
        assert_int_equal(state_at(target, c, fresh)->off, 0);
        uint32_t newest = STOA_LOAD(&state_at(target, c, rich)->changed);
        assert_true(newest >= 300 && newest < 300 + 10);
        assert_int_equal(STOA_LOAD(&state_at(target, c, fresh)->added), 500);
    }
}

/* Live values of a component with hooks, and copies until one fails; 0: none does. */
typedef struct census {
    int live;
    int copies_left;
} census;

static void census_drop(void *items, int32_t count, void *user) {
    census *c = user;
    for (int32_t i = 0; i < count; i++) {
        assert_int_equal(((uint32_t *)items)[i] & 0xFF000000u, 0xAB000000u);
        ((uint32_t *)items)[i] = 0;
    }
    c->live -= count;
}

static void census_move(void *to, void *from, int32_t count, void *user) {
    (void)user;
    memcpy(to, from, (size_t)count * 4);
    memset(from, 0, (size_t)count * 4);
}

static bool census_copy(void *to, const void *from, int32_t count, void *user) {
    census *c = user;
    if (c->copies_left > 0 && --c->copies_left == 0) {
        return false;
    }
    memcpy(to, from, (size_t)count * 4);
    c->live += count;
    return true;
}

static stoa_component census_make(fixture *f, census *c) {
    return hooked_make(f, 4, (stoa_hooks){census_drop, census_move, census_copy, c, NULL});
}

/* ACC-09 CMP-11 GEN-03: a copy that fails leaves its chunk where it was, and nothing half made. */
static void failing_copy_stops_before_its_chunk(void **state) {
    fixture *f = *state;
    census c = {0, 0};
    stoa_component a = type_make(f, 24), own = census_make(f, &c);
    stoa__archetype *plain = SET(f, a), *owning = SET(f, a, own);
    const uint32_t value = 0xAB000001u;
    uint32_t full = plain->full_capacity, rows = 3 * full + 10;
    rows_add(f, plain, rows);
    const int32_t fails[] = {1, 2, 100, (int32_t)full, (int32_t)full + 1, 2 * (int32_t)full};
    for (uint32_t i = 0; i < sizeof fails / sizeof *fails; i++) {
        uint32_t before = stoa__rows_at(&f->storage, plain->index);
        c.copies_left = fails[i];
        assert_int_equal(migrate(f, plain, own, &value), STOA_NO_MEMORY);
        support_assert_message("copy hook");
        uint32_t moved = (uint32_t)(fails[i] - 1) / full * full;
        assert_int_equal(stoa__rows_at(&f->storage, plain->index), before - moved);
        assert_int_equal(c.live, stoa__rows_at(&f->storage, owning->index));
        assert_int_equal(c.live, rows - (before - moved));
        rows_verify(f, plain, 0, NULL);
        rows_verify(f, owning, own, &value);
        rows_count_up(owning, 1, (uint32_t)c.live);
        rows_count_up(plain, (uint32_t)c.live + 1, before - moved);
    }
    c.copies_left = 0;
    assert_int_equal(migrate(f, plain, own, &value), STOA_OK);
    rows_count_up(owning, 1, rows);
    assert_int_equal(c.live, rows);
    assert_int_equal(migrate(f, owning, own | DROP, NULL), STOA_OK);
    assert_int_equal(c.live, 0);
    rows_count_up(plain, 1, rows);
    rows_verify(f, plain, 0, NULL);
}

/* ACC-09 GEN-03 GEN-04 */
static void lack_of_memory_loses_no_row(void **state) {
    fixture *f = *state;
    stoa_component a = type_make(f, 24), b = type_make(f, 24), tag = type_make(f, 0);
    stoa__archetype *plain = SET(f, a), *both = SET(f, a, b), *tagged = SET(f, a, b, tag);
    const uint8_t value[24] = {1, 2, 3};
    stoa__edge *edges[3] = {stoa__edge_get_one(&f->storage, plain, b),
                            stoa__edge_get_one(&f->storage, both, tag),
                            stoa__edge_get_one(&f->storage, tagged, b | DROP)};
    stoa__archetype *sources[3] = {plain, both, tagged};
    const uint32_t rows = 2400;
    rows_add(f, tagged, 30);
    rows_add(f, plain, rows);
    for (uint32_t step = 0; step < 2; step++) {
        int failures = 0;
        stoa_status status = STOA_NO_MEMORY;
        for (size_t at = 1; status != STOA_OK; at++, failures++) {
            f->heap.fail_at = at;
            f->heap.fail_forever = true;
            status = stoa__migrate_rows(&f->storage, sources[step], edges[step], value);
            f->heap.fail_at = 0;
            rows_verify(f, plain, 0, NULL);
            rows_verify(f, both, b, value);
            uint32_t found = 0;
            for (uint32_t k = 0; k < 3; k++) {
                found += stoa__rows_at(&f->storage, sources[k]->index);
            }
            assert_int_equal(found, rows + 30);
        }
        assert_true(failures > 1);
        assert_int_equal(stoa__rows_at(&f->storage, sources[step]->index), 0);
    }
    rows_verify(f, SET(f, a, tag), 0, NULL);
    assert_int_equal(stoa__rows_at(&f->storage, tagged->index), rows + 30);
}

/* ACC-09 ENT-09: nothing is left of rows that lose their last component, and no memory is needed.
 */
static void last_component_leaves_entities_without_rows(void **state) {
    fixture *f = *state;
    census c = {0, 0};
    stoa_component own = census_make(f, &c);
    stoa__archetype *only = SET(f, own);
    const uint32_t value = 0xAB000002u, n = 9000;
    stoa__edge *to = stoa__edge_get_one(&f->storage, f->storage.archetypes[0], own);
    stoa__edge *back = stoa__edge_get_one(&f->storage, only, own | DROP);
    assert_int_equal(stoa__entities_reserve(&f->storage, n + 5), STOA_OK);
    for (uint32_t i = 0; i < n + 5; i++) {
        stoa__entities_take(&f->storage, 0);
    }
    for (uint32_t i = 1; i <= 5; i++) {
        stoa__entities_release(&f->storage, i * 7);
    }
    f->storage.empty_count = n;
    assert_int_equal(stoa__migrate_empty(&f->storage, to, &value), STOA_OK);
    assert_int_equal(f->storage.empty_count, 0);
    assert_int_equal(c.live, n);
    assert_int_equal(stoa__rows_at(&f->storage, only->index), n);
    rows_verify(f, only, own, &value);
    uint32_t before = 0;
    for (int32_t k = 0; k < only->head.chunk_count; k++) {
        for (int32_t i = 0; i < only->head.chunks[k].count; i++) {
            uint32_t index = stoa_columns_entities(only->head.chunks[k].columns)[i].index;
            assert_true(index > before && (index % 7 != 0 || index > 35));
            before = index;
        }
    }
    f->heap.fail_at = 1;
    f->heap.fail_forever = true;
    assert_int_equal(stoa__migrate_rows(&f->storage, only, back, NULL), STOA_OK);
    f->heap.fail_at = 0;
    assert_int_equal(c.live, 0);
    assert_int_equal(f->storage.empty_count, n);
    rows_verify(f, only, 0, NULL);
    stoa__migrate_destroy_empty(&f->storage);
    assert_int_equal(stoa__entities_count(&f->storage), 0);
    assert_int_equal(f->storage.free_first, n + 5);
}

/* ACC-09 GEN-03 */
static void entities_without_rows_get_them_up_to_the_failure(void **state) {
    fixture *f = *state;
    census c = {0, 1};
    stoa_component own = census_make(f, &c), a = type_make(f, 1000);
    stoa__archetype *only = SET(f, own);
    const uint32_t value = 0xAB000003u, n = 4000;
    stoa__edge *to = stoa__edge_get_one(&f->storage, f->storage.archetypes[0], own);
    assert_int_equal(stoa__entities_reserve(&f->storage, n), STOA_OK);
    for (uint32_t i = 0; i < n; i++) {
        stoa__entities_take(&f->storage, 0);
    }
    f->storage.empty_count = n;
    assert_int_equal(stoa__migrate_empty(&f->storage, to, &value), STOA_NO_MEMORY);
    assert_int_equal(f->storage.empty_count, n);
    assert_int_equal(c.live, 0);
    c.copies_left = (int)only->full_capacity + 9;
    assert_int_equal(stoa__migrate_empty(&f->storage, to, &value), STOA_NO_MEMORY);
    assert_int_equal(c.live, only->full_capacity);
    assert_int_equal(f->storage.empty_count, n - only->full_capacity);
    rows_verify(f, only, own, &value);
    f->heap.fail_at = 1;
    stoa__edge *other = stoa__edge_get_one(&f->storage, f->storage.archetypes[0], a);
    assert_null(other);
    other = stoa__edge_get_one(&f->storage, f->storage.archetypes[0], a);
    f->heap.fail_at = 2;
    assert_int_equal(stoa__migrate_empty(&f->storage, other, NULL), STOA_NO_MEMORY);
    assert_int_equal(f->storage.empty_count, n - only->full_capacity);
    assert_int_equal(stoa__migrate_empty(&f->storage, to, &value), STOA_OK);
    assert_int_equal(c.live, n);
    rows_count_up(only, 1, n);
    stoa__migrate_destroy(&f->storage, only);
    assert_int_equal(c.live, 0);
}

/* ACC-09 ENT-08: slots are freed as if entities were destroyed in storage order. */
static void destroyed_rows_free_their_slots_in_order(void **state) {
    fixture *f = *state;
    census c = {0, 0};
    stoa_component a = type_make(f, 24), own = census_make(f, &c);
    stoa__archetype *plain = SET(f, a), *owning = SET(f, a, own);
    const uint32_t value = 0xAB000001u, n = 1500;
    rows_add(f, plain, n);
    assert_int_equal(migrate(f, plain, own, &value), STOA_OK);
    f->heap.fail_at = 1;
    f->heap.fail_forever = true;
    stoa__migrate_destroy(&f->storage, owning);
    f->heap.fail_at = 0;
    assert_int_equal(c.live, 0);
    assert_int_equal(stoa__entities_count(&f->storage), 0);
    rows_verify(f, owning, 0, NULL);
    uint32_t expected = n;
    for (uint32_t i = f->storage.free_first; i != 0;
         i = stoa__record_next(&f->storage.head.records[i])) {
        assert_int_equal(i, expected--);
    }
    assert_int_equal(expected, 0);
    rows_add(f, plain, 5);
    rows_verify(f, plain, 0, NULL);
}

/* ACC-09 ACC-03 CMP-11 CHG-04 */
static void value_is_set_in_place(void **state) {
    fixture *f = *state;
    census c = {0, 0};
    stoa_component_desc desc = {
        .name = "Own",
        .size = 4,
        .hooks = {census_drop, census_move, census_copy, &c, NULL},
        .flags = STOA_ROW_TICKS,
    };
    stoa_component a = type_make(f, 12), own = stoa__registry_desc(&f->storage, &desc);
    stoa__archetype *plain = SET(f, a), *both = SET(f, a, own);
    const stoa__component *component = stoa__component_at(&f->storage, own);
    const uint32_t first = 0xAB000001u, second = 0xAB000002u;
    uint32_t spare;
    rows_add(f, plain, 1500);
    f->storage.head.tick = 10;
    assert_int_equal(migrate(f, plain, own, &first), STOA_OK);
    const stoa__lane *changed = stoa__archetype_lane(both, own, STOA__LANE_CHANGED);
    const stoa__lane *added = stoa__archetype_lane(both, own, STOA__LANE_ADDED);
    f->storage.head.tick = 20;
    int32_t full = both->head.chunk_capacity;
    c.copies_left = full + 4;
    assert_int_equal(stoa__migrate_set(&f->storage, both, component, &second, &spare),
                     STOA_NO_MEMORY);
    const stoa_chunk *chunk = &both->head.chunks[1];
    const uint32_t *ticks = (const uint32_t *)(const void *)chunk->columns[changed->index];
    assert_true(ticks[2] == 20 && ticks[3] == 10);
    assert_int_equal(STOA_LOAD(&state_at(both, 1, own)->changed), 20);
    assert_int_equal(STOA_LOAD(&state_at(both, 2, own)->changed), 10);
    c.copies_left = 0;
    assert_int_equal(stoa__migrate_set(&f->storage, both, component, &second, &spare), STOA_OK);
    assert_int_equal(c.live, 1500);
    rows_verify(f, both, own, &second);
    assert_int_equal(ticks[3], 20);
    assert_int_equal(((const uint32_t *)(const void *)chunk->columns[added->index])[3], 10);
    assert_int_equal(STOA_LOAD(&state_at(both, 2, own)->changed), 20);
    assert_int_equal(STOA_LOAD(&state_at(both, 2, own)->added), 10);
    const uint8_t zeros[12] = {0};
    assert_int_equal(
        stoa__migrate_set(&f->storage, both, stoa__component_at(&f->storage, a), zeros, NULL),
        STOA_OK);
    for (int32_t k = 0; k < both->head.chunk_count; k++) {
        const stoa_chunk *at = &both->head.chunks[k];
        const uint8_t *items = at->columns[stoa__archetype_column(both, a)->index];
        for (int32_t i = 0; i < at->count * 12; i++) {
            assert_int_equal(items[i], 0);
        }
    }
    stoa__migrate_destroy(&f->storage, both);
    assert_int_equal(c.live, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        WITH_STORAGE(rows_arrive_in_order_with_all_they_had),
        WITH_STORAGE(many_rows_arrive_with_all_they_had),
        WITH_STORAGE(value_of_any_size_is_repeated),
        WITH_STORAGE(ticks_and_switches_come_along),
        WITH_STORAGE(failing_copy_stops_before_its_chunk),
        WITH_STORAGE(lack_of_memory_loses_no_row),
        WITH_STORAGE(last_component_leaves_entities_without_rows),
        WITH_STORAGE(entities_without_rows_get_them_up_to_the_failure),
        WITH_STORAGE(destroyed_rows_free_their_slots_in_order),
        WITH_STORAGE(value_is_set_in_place),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
