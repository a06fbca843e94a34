/* What saving needs to know of a world: where components are off, when they were written, which
 * extensions there are. */
#include "support/support.h"

#include "stoa/extension.h"

STOA_COMPONENT(Position, { float x, y; });
STOA_TAG(Frozen);
STOA_COMPONENT_WITH(Lamp, STOA_OPTIONS(.flags = STOA_SWITCHABLE), { uint8_t level; });
STOA_COMPONENT_WITH(Timed, STOA_OPTIONS(.flags = STOA_ROW_TICKS), { int32_t value; });
STOA_COMPONENT_WITH(Mark, STOA_OPTIONS(.flags = STOA_SPARSE | STOA_SWITCHABLE), { int32_t value; });

/* STO-09 */
static void switched_off_rows_are_told(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    stoa_entity e[3];
    for (int i = 0; i < 3; i++) {
        e[i] = stoa_create_with(w, STOA_VALUE(Lamp, {1}), STOA_VALUE(Position, {1, 2}));
        stoa_set(w, e[i], Mark, {i});
    }
    int32_t archetype = stoa_archetype_of(w, e[0]);
    stoa_component lamp = stoa_id(w, Lamp);
    assert_null(stoa_chunk_switches(w, archetype, 0, lamp));
    assert_null(stoa_chunk_switches(w, archetype, 0, stoa_id(w, Position)));
    stoa_enable(w, e[1], Lamp, false);
    const uint8_t *off = stoa_chunk_switches(w, archetype, 0, lamp);
    assert_non_null(off);
    assert_true(off[0] == 0 && off[1] == 1 && off[2] == 0);
    stoa_enable(w, e[2], Mark, false);
    stoa_sparse_info info;
    assert_int_equal(stoa_sparse_info_get(w, stoa_id(w, Mark), &info), STOA_OK);
    assert_true(info.off[0] == 0 && info.off[1] == 0 && info.off[2] == 1);
    support_assert_quiet(s);
}

/* STO-09 CHG-01 CHG-04 */
static void times_of_chunks_and_rows_are_told(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    uint32_t first = stoa_tick(w);
    stoa_entity a = stoa_create_with(w, STOA_VALUE(Timed, {1}), STOA_ZERO(Frozen));
    uint32_t second = stoa_tick_advance(w);
    stoa_create_with(w, STOA_VALUE(Timed, {2}), STOA_ZERO(Frozen));
    uint32_t third = stoa_tick_advance(w);
    stoa_set(w, a, Timed, {3});
    stoa_set(w, a, Mark, {3});
    int32_t archetype = stoa_archetype_of(w, a);
    stoa_chunk_times times;
    assert_int_equal(stoa_chunk_times_get(w, archetype, 0, stoa_id(w, Timed), &times), STOA_OK);
    assert_int_equal(times.changed, third);
    assert_int_equal(times.added, second);
    assert_int_equal(times.row_changed[0], third);
    assert_int_equal(times.row_changed[1], second);
    assert_int_equal(times.row_added[0], first);
    assert_int_equal(times.row_added[1], second);
    assert_int_equal(stoa_chunk_times_get(w, archetype, 0, stoa_id(w, Frozen), &times), STOA_OK);
    assert_int_equal(times.added, second);
    assert_null(times.row_changed);
    stoa_sparse_info info;
    assert_int_equal(stoa_sparse_info_get(w, stoa_id(w, Mark), &info), STOA_OK);
    assert_int_equal(info.added[0], third);
}

/* GEN-05 */
static void places_that_are_not_there_are_refused(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    stoa_entity e = stoa_create_with(w, STOA_VALUE(Position, {1, 2}));
    int32_t archetype = stoa_archetype_of(w, e);
    stoa_component id = stoa_id(w, Position);
    stoa_chunk_times times;
    assert_null(stoa_chunk_switches(w, archetype, 1, id));
    support_assert_misuse(s, stoa_last_error().status, STOA_INVALID);
    assert_null(stoa_chunk_switches(w, archetype, 0, stoa_id(w, Lamp)));
    support_assert_misuse(s, stoa_last_error().status, STOA_MISSING);
    support_assert_misuse(s, stoa_chunk_times_get(w, 99, 0, id, &times), STOA_INVALID);
    support_assert_misuse(s, stoa_chunk_times_get(w, archetype, 0, 99, &times), STOA_UNKNOWN);
    support_assert_misuse(s, stoa_chunk_times_get(w, archetype, 0, stoa_id(w, Lamp), &times),
                          STOA_MISSING);
    support_assert_misuse(s, stoa_chunk_times_get(w, archetype, 0, id, NULL), STOA_NULL_ARGUMENT);
    assert_int_equal(stoa_chunk_times_get(NULL, 0, 0, id, &times), STOA_NULL_ARGUMENT);
}

static void nothing_free(stoa_world *world, void *data) {
    (void)world;
    (void)data;
}

/* STO-09 */
static void extensions_are_walked_in_order(void **state) {
    support_world *s = *state;
    static const char *const names[] = {"test.c", "test.a", "test.b"};
    for (int i = 0; i < 3; i++) {
        stoa_extend(s->world, &(stoa_extension){.name = names[i], .free = nothing_free});
    }
    int count = 0;
    for (const stoa_extension *e = stoa_extension_next(s->world, NULL); e != NULL;
         e = stoa_extension_next(s->world, e)) {
        assert_string_equal(e->name, names[count++]);
    }
    assert_int_equal(count, 3);
    assert_null(stoa_extension_next(NULL, NULL));
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, support_setup, support_teardown)
    const struct CMUnitTest tests[] = {
        TEST(switched_off_rows_are_told),
        TEST(times_of_chunks_and_rows_are_told),
        TEST(places_that_are_not_there_are_refused),
        TEST(extensions_are_walked_in_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
