/* The runs that changed rows make: as long as they can be, in order, however rows lie in words. */
#include "support/support.h"

STOA_COMPONENT_WITH(Exact, STOA_OPTIONS(.flags = STOA_ROW_TICKS), { int32_t number; });
STOA_COMPONENT_WITH(Lamp, STOA_OPTIONS(.flags = STOA_ROW_TICKS | STOA_SWITCHABLE),
                    { int32_t number; });

/* More than a chunk, and no multiple of 64. */
#define MANY 9001

static stoa_entity entities[MANY];

typedef bool (*pattern)(int32_t row);

static bool none_of(int32_t row) {
    return row < 0;
}
static bool all_of(int32_t row) {
    return row >= 0;
}
static bool every_other(int32_t row) {
    return row % 2 == 0;
}
static bool edges_of_words(int32_t row) {
    return row % 64 == 63 || row % 64 == 0;
}
static bool long_stretches(int32_t row) {
    return row % 300 >= 50;
}
static bool last_rows_of_words(int32_t row) {
    return row % 64 >= 40 || row % 64 == 7;
}
static bool few(int32_t row) {
    return row % 97 == 5 || row == MANY - 1;
}
static bool pairs_across_words(int32_t row) {
    return (row + 1) % 128 < 2 || row % 3 == 1;
}

static const pattern patterns[] = {
    none_of,           all_of, every_other, edges_of_words, long_stretches, last_rows_of_words, few,
    pairs_across_words};

#define PATTERNS (sizeof patterns / sizeof patterns[0])

static void entities_make(stoa_world *w) {
    for (int32_t i = 0; i < MANY; i++) {
        entities[i] = stoa_create_with(w, STOA_VALUE(Exact, {i}), STOA_VALUE(Lamp, {i}));
        assert_true(stoa_alive(w, entities[i]));
    }
}

static int32_t capacity_of(stoa_world *w) {
    stoa_archetype_info info;
    int32_t archetype = stoa_archetype_of(w, entities[0]);
    assert_int_equal(stoa_archetype_info_get(w, archetype, &info), STOA_OK);
    return info.chunk_capacity;
}

/* The end of the run of matches that begins at a row: a chunk's end ends it. */
static int32_t naive_end(pattern changed, int32_t row, int32_t capacity) {
    int32_t stop = (row / capacity + 1) * capacity;
    stop = stop < MANY ? stop : MANY;
    while (row < stop && changed(row)) {
        row++;
    }
    return row;
}

static int32_t naive_next(pattern changed, int32_t row) {
    while (row < MANY && !changed(row)) {
        row++;
    }
    return row;
}

/* QRY-08 CHG-04 */
static void changed_rows_make_runs_as_long_as_can_be(void **state) {
    support_world *s = *state;
    entities_make(s->world);
    int32_t capacity = capacity_of(s->world);
    stoa_query *query = stoa_query_new(
        s->world, &(stoa_query_desc){.terms = {STOA_CHANGED(Exact), STOA_READ(Exact)}});
    for (size_t p = 0; p < PATTERNS; p++) {
        uint32_t since = stoa_tick(s->world);
        stoa_tick_advance(s->world);
        for (int32_t i = 0; i < MANY; i++) {
            if (patterns[p](i)) {
                assert_non_null(stoa_get_mut(s->world, entities[i], Exact));
            }
        }
        int32_t row = naive_next(patterns[p], 0);
        for (stoa_iter it = stoa_query_iter_since(query, since); stoa_iter_next(&it);) {
            assert_int_equal(it.count, naive_end(patterns[p], row, capacity) - row);
            for (int32_t i = 0; i < it.count; i++) {
                assert_int_equal(stoa_field(&it, Exact, 1)[i].number, row + i);
                assert_int_equal(it.entities[i].index, entities[row + i].index);
            }
            row = naive_next(patterns[p], row + it.count);
        }
        assert_int_equal(row, MANY);
    }
}

/* QRY-08 CMP-12: where data that may be off is handed out, runs also end where it goes off or on.
 */
static void switches_cut_runs_of_changed_rows(void **state) {
    support_world *s = *state;
    entities_make(s->world);
    stoa_query *query = stoa_query_new(
        s->world, &(stoa_query_desc){.terms = {STOA_CHANGED(Exact), STOA_OPTIONAL(Lamp)}});
    for (size_t p = 0; p < PATTERNS; p++) {
        for (size_t k = 0; k < PATTERNS; k++) {
            uint32_t since = stoa_tick(s->world);
            stoa_tick_advance(s->world);
            for (int32_t i = 0; i < MANY; i++) {
                assert_int_equal(stoa_enable(s->world, entities[i], Lamp, !patterns[k](i)),
                                 STOA_OK);
                if (patterns[p](i)) {
                    assert_non_null(stoa_get_mut(s->world, entities[i], Exact));
                }
            }
            int32_t row = naive_next(patterns[p], 0);
            for (stoa_iter it = stoa_query_iter_since(query, since); stoa_iter_next(&it);) {
                const Lamp *lamps = stoa_field(&it, Lamp, 1);
                for (int32_t i = 0; i < it.count; i++, row++) {
                    row = i == 0 ? naive_next(patterns[p], row) : row;
                    assert_int_equal(it.entities[i].index, entities[row].index);
                    assert_int_equal(lamps == NULL, patterns[k](row));
                    assert_true(lamps == NULL || lamps[i].number == row);
                }
            }
            assert_int_equal(naive_next(patterns[p], row), MANY);
        }
    }
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, support_setup, support_teardown)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(changed_rows_make_runs_as_long_as_can_be),
        TEST(switches_cut_runs_of_changed_rows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
