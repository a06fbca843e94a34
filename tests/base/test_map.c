/* The map holds what a plain list of pairs holds, however the hashes fall. */
#include "base/hash.h"
#include "base/map.h"
#include "support/heap.h"

typedef struct fixture {
    support_heap counter;
    stoa__heap heap;
    stoa__map map;
} fixture;

static void fixture_open(fixture *f) {
    memset(f, 0, sizeof *f);
    support_heap_open(&f->heap, &f->counter);
}

static void fixture_close(fixture *f) {
    stoa__map_fini(&f->map, &f->heap);
    assert_null(f->map.cells);
    assert_int_equal(f->map.capacity, 0);
    assert_int_equal(f->map.count, 0);
    support_heap_close(&f->heap, &f->counter);
}

static void put(fixture *f, uint64_t hash, uint32_t value) {
    assert_true(stoa__map_reserve(&f->map, &f->heap));
    stoa__map_insert(&f->map, hash, value);
}

static uint32_t find_first(const fixture *f, uint64_t hash) {
    uint32_t cursor = 0;
    return stoa__map_next(&f->map, hash, &cursor);
}

static uint32_t times_found(const fixture *f, uint64_t hash, uint32_t value) {
    uint32_t times = 0;
    uint32_t cursor = 0;
    for (uint32_t found; (found = stoa__map_next(&f->map, hash, &cursor)) != STOA__MAP_NONE;) {
        times += found == value;
    }
    return times;
}

static void empty_map_has_nothing(void **state) {
    (void)state;
    fixture f;
    fixture_open(&f);
    assert_int_equal(find_first(&f, 0), STOA__MAP_NONE);
    stoa__map_remove(&f.map, 0, 0);
    assert_int_equal(f.map.count, 0);
    fixture_close(&f);
    assert_int_equal(f.counter.allocations, 0);
}

static void inserted_value_is_found_until_removed(void **state) {
    (void)state;
    fixture f;
    fixture_open(&f);
    put(&f, 100, 7);
    put(&f, 200, 8);
    assert_int_equal(find_first(&f, 100), 7);
    assert_int_equal(find_first(&f, 200), 8);
    assert_int_equal(find_first(&f, 300), STOA__MAP_NONE);
    stoa__map_remove(&f.map, 100, 7);
    assert_int_equal(find_first(&f, 100), STOA__MAP_NONE);
    assert_int_equal(find_first(&f, 200), 8);
    assert_int_equal(f.map.count, 1);
    fixture_close(&f);
}

static void hashes_that_share_their_low_half_are_told_apart(void **state) {
    (void)state;
    fixture f;
    fixture_open(&f);
    const uint64_t low = UINT64_C(0x12345678);
    for (uint32_t i = 0; i < 20; i++) {
        put(&f, low | (uint64_t)i << 32, i);
    }
    for (uint32_t i = 0; i < 20; i++) {
        uint32_t cursor = 0;
        uint64_t hash = low | (uint64_t)i << 32;
        assert_int_equal(stoa__map_next(&f.map, hash, &cursor), i);
        assert_int_equal(stoa__map_next(&f.map, hash, &cursor), STOA__MAP_NONE);
    }
    fixture_close(&f);
}

static void walk_gives_each_value_of_a_hash_once(void **state) {
    (void)state;
    fixture f;
    fixture_open(&f);
    for (uint32_t i = 0; i < 30; i++) {
        put(&f, 5, i);
        put(&f, 6, 1000 + i);
    }
    bool seen[30] = {false};
    uint32_t cursor = 0;
    for (uint32_t i = 0; i < 30; i++) {
        uint32_t value = stoa__map_next(&f.map, 5, &cursor);
        assert_in_range(value, 0, 29);
        assert_false(seen[value]);
        seen[value] = true;
    }
    for (int i = 0; i < 3; i++) {
        assert_int_equal(stoa__map_next(&f.map, 5, &cursor), STOA__MAP_NONE);
    }
    fixture_close(&f);
}

static void removing_what_is_not_there_changes_nothing(void **state) {
    (void)state;
    fixture f;
    fixture_open(&f);
    put(&f, 5, 1);
    stoa__map_remove(&f.map, 5, 2);
    stoa__map_remove(&f.map, 6, 1);
    stoa__map_remove(&f.map, 5 + (UINT64_C(1) << 40), 1);
    assert_int_equal(f.map.count, 1);
    assert_int_equal(find_first(&f, 5), 1);
    stoa__map_remove(&f.map, 5, 1);
    stoa__map_remove(&f.map, 5, 1);
    assert_int_equal(f.map.count, 0);
    fixture_close(&f);
}

/* Entries that run over the end of the table and on from its start, in every order of removal. */
static void removal_closes_the_gap_around_the_end(void **state) {
    (void)state;
    for (uint32_t order = 0; order < 24; order++) {
        fixture f;
        fixture_open(&f);
        const uint64_t hashes[4] = {6, 7, 7 + 8, 0};
        for (uint32_t i = 0; i < 4; i++) {
            put(&f, hashes[i], i);
        }
        assert_int_equal(f.map.capacity, 8);
        uint32_t left[4] = {0, 1, 2, 3};
        uint32_t rest = order;
        for (uint32_t count = 4; count > 0; count--) {
            uint32_t pick = rest % count;
            rest /= count;
            stoa__map_remove(&f.map, hashes[left[pick]], left[pick]);
            left[pick] = left[count - 1];
            for (uint32_t i = 0; i < count - 1; i++) {
                assert_int_equal(find_first(&f, hashes[left[i]]), left[i]);
            }
            assert_int_equal(f.map.count, count - 1);
        }
        fixture_close(&f);
    }
}

static void extreme_hashes_and_values_are_kept(void **state) {
    (void)state;
    fixture f;
    fixture_open(&f);
    put(&f, UINT64_MAX, UINT32_MAX - 1);
    put(&f, 0, 0);
    assert_int_equal(find_first(&f, UINT64_MAX), UINT32_MAX - 1);
    assert_int_equal(find_first(&f, 0), 0);
    stoa__map_remove(&f.map, UINT64_MAX, UINT32_MAX - 1);
    assert_int_equal(find_first(&f, UINT64_MAX), STOA__MAP_NONE);
    fixture_close(&f);
}

static void map_grows_by_doubling_and_stays_a_quarter_free(void **state) {
    (void)state;
    fixture f;
    fixture_open(&f);
    for (uint32_t i = 0; i < 10000; i++) {
        put(&f, stoa__hash_mix(i), i);
        assert_true(f.map.count * 4 <= f.map.capacity * 3);
    }
    assert_int_equal(f.map.capacity, 16384);
    for (uint32_t i = 0; i < 10000; i++) {
        assert_int_equal(find_first(&f, stoa__hash_mix(i)), i);
    }
    assert_int_equal(f.counter.blocks, 1);
    fixture_close(&f);
}

static void reserve_with_room_does_not_allocate(void **state) {
    (void)state;
    fixture f;
    fixture_open(&f);
    for (int i = 0; i < 10; i++) {
        assert_true(stoa__map_reserve(&f.map, &f.heap));
    }
    assert_int_equal(f.counter.allocations, 1);
    for (uint32_t i = 0; i < 100000; i++) {
        put(&f, i, i);
        stoa__map_remove(&f.map, i, i);
    }
    assert_int_equal(f.counter.allocations, 1);
    fixture_close(&f);
}

/* GEN-04 */
static void reserve_refused_leaves_the_map(void **state) {
    (void)state;
    fixture f;
    fixture_open(&f);
    f.counter.fail_at = 1;
    assert_false(stoa__map_reserve(&f.map, &f.heap));
    assert_null(f.map.cells);
    for (uint32_t i = 0; i < 6; i++) {
        put(&f, stoa__hash_mix(i), i);
    }
    f.counter.fail_at = 1;
    assert_false(stoa__map_reserve(&f.map, &f.heap));
    assert_int_equal(f.map.count, 6);
    assert_int_equal(f.map.capacity, 8);
    for (uint32_t i = 0; i < 6; i++) {
        assert_int_equal(find_first(&f, stoa__hash_mix(i)), i);
    }
    put(&f, stoa__hash_mix(6), 6);
    assert_int_equal(f.map.capacity, 16);
    fixture_close(&f);
}

static void map_of_the_largest_capacity_does_not_grow(void **state) {
    (void)state;
    fixture f;
    fixture_open(&f);
    /* Only the numbers matter: a full table is refused before its cells are looked at. */
    stoa__map full = {.capacity = UINT32_C(1) << 31, .count = UINT32_C(3) << 29};
    assert_false(stoa__map_reserve(&full, &f.heap));
    assert_int_equal(f.counter.allocations, 0);
    fixture_close(&f);
}

typedef struct pair {
    uint64_t hash;
    uint32_t value;
} pair;

enum { PAIRS_MAX = 300 };

static uint64_t hash_draw(support_random *random, uint32_t kind) {
    uint64_t number = support_random_below(random, 40);
    switch (kind) {
    case 0:
        return stoa__hash_mix(number);
    case 1:
        return number; /* neighbours: long runs */
    case 2:
        return UINT64_MAX - number; /* runs over the end of the table */
    default:
        return number << 40 | 3; /* all from one cell */
    }
}

static void assert_same(const fixture *f, const pair *pairs, uint32_t count) {
    assert_int_equal(f->map.count, count);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t expected = 0;
        uint32_t of_hash = 0;
        for (uint32_t j = 0; j < count; j++) {
            of_hash += pairs[j].hash == pairs[i].hash;
            expected += pairs[j].hash == pairs[i].hash && pairs[j].value == pairs[i].value;
        }
        assert_int_equal(times_found(f, pairs[i].hash, pairs[i].value), expected);
        uint32_t walked = 0;
        uint32_t cursor = 0;
        while (stoa__map_next(&f->map, pairs[i].hash, &cursor) != STOA__MAP_NONE) {
            walked++;
        }
        assert_int_equal(walked, of_hash);
    }
}

static void random_operations_match_a_list_of_pairs(void **state) {
    (void)state;
    for (uint32_t seed = 0; seed < 24; seed++) {
        fixture f;
        fixture_open(&f);
        support_random random = {seed};
        pair pairs[PAIRS_MAX];
        uint32_t count = 0;
        for (int i = 0; i < 2000; i++) {
            /* Waves: the map fills up, then empties. */
            bool fill = i / 400 % 2 == 0;
            uint32_t dice = support_random_below(&random, 10);
            uint64_t hash = hash_draw(&random, seed % 4);
            uint32_t value = support_random_below(&random, 5);
            if (dice < (fill ? 7u : 3u) && count < PAIRS_MAX) {
                put(&f, hash, value);
                pairs[count++] = (pair){hash, value};
            } else if (dice < 9 && count > 0) {
                uint32_t pick = support_random_below(&random, count);
                stoa__map_remove(&f.map, pairs[pick].hash, pairs[pick].value);
                pairs[pick] = pairs[--count];
            } else {
                uint32_t expected = 0;
                for (uint32_t j = 0; j < count; j++) {
                    expected += pairs[j].hash == hash && pairs[j].value == value;
                }
                assert_int_equal(times_found(&f, hash, value), expected);
            }
            if (i % 50 == 0) {
                assert_same(&f, pairs, count);
            }
        }
        assert_same(&f, pairs, count);
        while (count > 0) {
            count--;
            stoa__map_remove(&f.map, pairs[count].hash, pairs[count].value);
        }
        for (uint32_t i = 0; i < f.map.capacity; i++) {
            assert_int_equal(f.map.cells[i].value, STOA__MAP_NONE);
        }
        fixture_close(&f);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(empty_map_has_nothing),
        cmocka_unit_test(inserted_value_is_found_until_removed),
        cmocka_unit_test(hashes_that_share_their_low_half_are_told_apart),
        cmocka_unit_test(walk_gives_each_value_of_a_hash_once),
        cmocka_unit_test(removing_what_is_not_there_changes_nothing),
        cmocka_unit_test(removal_closes_the_gap_around_the_end),
        cmocka_unit_test(extreme_hashes_and_values_are_kept),
        cmocka_unit_test(map_grows_by_doubling_and_stays_a_quarter_free),
        cmocka_unit_test(reserve_with_room_does_not_allocate),
        cmocka_unit_test(reserve_refused_leaves_the_map),
        cmocka_unit_test(map_of_the_largest_capacity_does_not_grow),
        cmocka_unit_test(random_operations_match_a_list_of_pairs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
