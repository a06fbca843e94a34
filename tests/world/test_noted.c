/* Components whose writes are noted by chunk: every write in place is, and nothing else. */
#include "support/support.h"

#include "stoa/app.h"
#include "storage/archetype.h"
#include "storage/storage.h"
#include "world/world.h"

STOA_COMPONENT_WITH(Noted, STOA_OPTIONS(.flags = STOA_NOTED), { int32_t number; });
STOA_COMPONENT_WITH(Exact, STOA_OPTIONS(.flags = STOA_NOTED | STOA_ROW_TICKS | STOA_SWITCHABLE),
                    { int32_t number; });
STOA_COMPONENT(Plain, { int32_t number; });
STOA_TAG(Moved);

/* More than fill two chunks. */
#define ROWS 9000

typedef struct crowd {
    stoa_world *w;
    stoa_entity e[ROWS];
    stoa_query *query; /* writes both */
} crowd;

static crowd *crowd_make(support_world *s) {
    static crowd made;
    made.w = s->world;
    for (int32_t i = 0; i < ROWS; i++) {
        made.e[i] = stoa_create_with(made.w, STOA_VALUE(Noted, {i}), STOA_VALUE(Exact, {i}),
                                     STOA_VALUE(Plain, {i}));
    }
    made.query =
        stoa_query_new(made.w, &(stoa_query_desc){.terms = {STOA_WRITE(Noted), STOA_WRITE(Exact)}});
    assert_non_null(made.query);
    stoa_tick_advance(made.w);
    return &made;
}

static uint32_t number_of(const crowd *c, int32_t i) {
    return stoa__place_of(&c->w->storage, c->e[i].index) >> STOA_PLACE_BITS;
}

/* True if the chunk of an entity is noted as written in this tick. */
static bool noted(const crowd *c, int32_t i) {
    const stoa_world_head *head = &c->w->storage.head;
    return head->written[number_of(c, i)].tick == head->tick;
}

static void each_write(stoa_entity e, void *const *fields, void *user) {
    (void)e;
    (void)user;
    ((Noted *)fields[0])->number++;
}

/* Ways to write one entity's component where it is; `exact` tells which one. */
static void write_get_mut(crowd *c, int32_t i, bool exact) {
    *(exact ? &stoa_get_mut(c->w, c->e[i], Exact)->number
            : &stoa_get_mut(c->w, c->e[i], Noted)->number) = 1;
}

static void write_try_get_mut(crowd *c, int32_t i, bool exact) {
    *(exact ? &stoa_try_get_mut(c->w, c->e[i], Exact)->number
            : &stoa_try_get_mut(c->w, c->e[i], Noted)->number) = 2;
}

static void write_by_id(crowd *c, int32_t i, bool exact) {
    stoa_component id = exact ? stoa_id(c->w, Exact) : stoa_id(c->w, Noted);
    *(int32_t *)stoa_get_mut_id(c->w, c->e[i], id) = 3;
}

static void write_reached(crowd *c, int32_t i, bool exact) {
    stoa_world_head *head = &c->w->storage.head;
    stoa_component id = exact ? stoa_id(c->w, Exact) : stoa_id(c->w, Noted);
    uint8_t **table = head->columns[id];
    head->columns[id] = NULL; /* as in a world of many small chunks */
    write_get_mut(c, i, exact);
    head->columns[id] = table;
}

static void write_set(crowd *c, int32_t i, bool exact) {
    assert_int_equal(
        exact ? stoa_set(c->w, c->e[i], Exact, {4}) : stoa_set(c->w, c->e[i], Noted, {4}), STOA_OK);
}

static void write_change(crowd *c, int32_t i, bool exact) {
    assert_int_equal(
        exact ? stoa_change(c->w, c->e[i], STOA_VALUE(Exact, {5}), STOA_VALUE(Plain, {5}))
              : stoa_change(c->w, c->e[i], STOA_VALUE(Noted, {5}), STOA_VALUE(Plain, {5})),
        STOA_OK);
}

static void write_command(crowd *c, int32_t i, bool exact) {
    stoa_commands *commands = stoa_deferred(c->w);
    assert_int_equal(exact ? stoa_commands_set(commands, c->e[i], Exact, {6})
                           : stoa_commands_set(commands, c->e[i], Noted, {6}),
                     STOA_OK);
    assert_int_equal(stoa_flush(c->w), STOA_OK);
}

static void write_field(crowd *c, int32_t i, bool exact) {
    for (stoa_iter it = stoa_query_iter(c->query); stoa_iter_next(&it);) {
        if (c->w->storage.head.chunks[number_of(c, i)].columns == it.columns) {
            (void)(exact ? (void *)stoa_field_mut(&it, Exact, 1)
                         : (void *)stoa_field_mut(&it, Noted, 0));
        }
    }
}

static void write_field_at(crowd *c, int32_t i, bool exact) {
    for (stoa_iter it = stoa_query_iter(c->query); stoa_iter_next(&it);) {
        if (c->w->storage.head.chunks[number_of(c, i)].columns == it.columns) {
            (void)(exact ? (void *)stoa_field_at_mut(&it, Exact, 1, 0)
                         : (void *)stoa_field_at_mut(&it, Noted, 0, 0));
        }
    }
}

/* CHG-02: one chunk is noted, and no other. */
static void write_in_place_is_noted_for_its_chunk(void **state) {
    static void (*const writes[])(crowd *, int32_t, bool) = {
        write_get_mut, write_try_get_mut, write_by_id, write_reached,  write_set,
        write_change,  write_command,     write_field, write_field_at,
    };
    crowd *c = crowd_make(*state);
    uint64_t version = stoa_query_version(c->query);
    assert_true(number_of(c, 0) != number_of(c, ROWS - 1));
    for (size_t k = 0; k < sizeof writes / sizeof *writes; k++) {
        for (int32_t i = 0; i < ROWS; i += ROWS - 1) {
            for (int exact = 0; exact < 2; exact++) {
                stoa_tick_advance(c->w);
                writes[k](c, i, exact != 0);
                assert_true(noted(c, i));
                assert_false(noted(c, ROWS - 1 - i));
            }
        }
    }
    assert_true(stoa_query_version(c->query) == version);
}

/* CHG-02 CMD-07: taken away and given back in one change, with a value or none, the last row stays
 * where it is. */
static void write_that_gives_back_is_noted(void **state) {
    crowd *c = crowd_make(*state);
    uint64_t version = stoa_query_version(c->query);
    stoa_entity last = c->e[ROWS - 1];
    for (int valued = 0; valued < 2; valued++) {
        stoa_tick_advance(c->w);
        stoa_commands *commands = stoa_deferred(c->w);
        assert_int_equal(stoa_commands_remove(commands, last, Noted), STOA_OK);
        assert_int_equal(valued ? stoa_commands_set(commands, last, Noted, {6})
                                : stoa_commands_add(commands, last, Noted),
                         STOA_OK);
        assert_int_equal(stoa_flush(c->w), STOA_OK);
        assert_int_equal(stoa_get(c->w, last, Noted)->number, valued ? 6 : 0);
        assert_true(stoa_query_version(c->query) == version);
        assert_true(noted(c, ROWS - 1));
        assert_false(noted(c, 0));
    }
}

/* CHG-02 CMP-12: what concerns all rows, and switching. */
static void write_to_all_is_noted_for_all_chunks(void **state) {
    crowd *c = crowd_make(*state);
    stoa_tick_advance(c->w);
    assert_int_equal(stoa_query_each(c->query, each_write, NULL), STOA_OK);
    assert_true(noted(c, 0) && noted(c, ROWS - 1));
    stoa_tick_advance(c->w);
    assert_int_equal(stoa_query_each_parallel(c->query, NULL, each_write, NULL), STOA_OK);
    assert_true(noted(c, 0) && noted(c, ROWS - 1));
    stoa_tick_advance(c->w);
    assert_int_equal(stoa_query_set(c->query, Noted, {9}), STOA_OK);
    assert_true(noted(c, 0) && noted(c, ROWS - 1));
    stoa_tick_advance(c->w);
    assert_int_equal(stoa_enable(c->w, c->e[0], Exact, false), STOA_OK);
    assert_int_equal(stoa_enable(c->w, c->e[0], Exact, true), STOA_OK);
    assert_true(noted(c, 0) && !noted(c, ROWS - 1));
    assert_int_equal(stoa_get(c->w, c->e[ROWS - 1], Noted)->number, 9);
}

/* CHG-02: neither reads nor writes to others. */
static void reads_and_other_components_are_not_noted(void **state) {
    crowd *c = crowd_make(*state);
    stoa_query *reads =
        stoa_query_new(c->w, &(stoa_query_desc){.terms = {STOA_READ(Noted), STOA_WRITE(Plain)}});
    stoa_tick_advance(c->w);
    int64_t sum = stoa_get(c->w, c->e[0], Noted)->number + stoa_has(c->w, c->e[0], Exact);
    stoa_get_mut(c->w, c->e[0], Plain)->number = 7;
    assert_int_equal(stoa_set(c->w, c->e[0], Plain, {8}), STOA_OK);
    for (stoa_iter it = stoa_query_iter(reads); stoa_iter_next(&it);) {
        sum += stoa_field(&it, Noted, 0)[0].number;
        stoa_field_mut(&it, Plain, 1)[0].number = 9;
    }
    assert_true(sum >= 0);
    assert_false(noted(c, 0) || noted(c, ROWS - 1));
}

/* CHG-04: the ticks of rows are kept beside it. */
static void rows_keep_their_ticks(void **state) {
    crowd *c = crowd_make(*state);
    uint32_t since = stoa_tick(c->w);
    stoa_tick_advance(c->w);
    stoa_get_mut(c->w, c->e[5], Exact)->number = -1;
    assert_true(stoa_changed(c->w, c->e[5], Exact, since));
    assert_false(stoa_changed(c->w, c->e[6], Exact, since));
}

/* STO-04: chunks that move, change hands or get other numbers are still known. */
static void chunks_that_move_know_their_numbers(void **state) {
    crowd *c = crowd_make(*state);
    assert_int_equal(stoa_query_add(c->query, Moved), STOA_OK);
    assert_int_equal(stoa_check(c->w), STOA_OK);
    assert_int_equal(stoa_query_remove(c->query, Plain), STOA_OK);
    assert_int_equal(stoa_check(c->w), STOA_OK);
    for (int32_t i = 1; i < ROWS; i += 3) {
        stoa_destroy(c->w, c->e[i]);
    }
    stoa_compact(c->w);
    assert_int_equal(stoa_check(c->w), STOA_OK);
    stoa_tick_advance(c->w);
    write_get_mut(c, ROWS - 3, false);
    assert_true(noted(c, ROWS - 3));
    stoa_column_state *column =
        stoa__column_state(c->w->storage.head.columns[stoa_id(c->w, Noted)][number_of(c, 0)]);
    column->number++;
    assert_int_equal(stoa_check(c->w), STOA_CORRUPT);
    column->number--;
    column->ticks = 0;
    assert_int_equal(stoa_check(c->w), STOA_CORRUPT);
    column->ticks = STOA_TICKS_NOTED;
}

/* CMP-03: what has no column cannot be noted. */
static void component_without_a_column_is_refused(void **state) {
    support_world *s = *state;
    stoa_component_desc tag = {.name = "Tag", .flags = STOA_NOTED};
    stoa_component_desc sparse = {
        .name = "Sparse", .size = 4, .alignment = 4, .flags = STOA_NOTED | STOA_SPARSE};
    assert_int_equal(stoa_component_register(s->world, &tag), 0);
    support_assert_misuse(s, stoa_last_error().status, STOA_INVALID);
    assert_int_equal(stoa_component_register(s->world, &sparse), 0);
    support_assert_misuse(s, stoa_last_error().status, STOA_INVALID);
    assert_non_null(strstr(stoa_last_error().message, "'Sparse' is noted by chunk"));
}

#define world_test(test) cmocka_unit_test_setup_teardown(test, support_setup, support_teardown)

int main(void) {
    const struct CMUnitTest tests[] = {
        world_test(write_in_place_is_noted_for_its_chunk),
        world_test(write_that_gives_back_is_noted),
        world_test(write_to_all_is_noted_for_all_chunks),
        world_test(reads_and_other_components_are_not_noted),
        world_test(rows_keep_their_ticks),
        world_test(chunks_that_move_know_their_numbers),
        world_test(component_without_a_column_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
