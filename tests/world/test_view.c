/* The storage as it is shown: archetypes, chunks, columns, and that they are what access by handle
 * gives. */
#include "support/support.h"

STOA_COMPONENT(Position, { float x, y; });
STOA_COMPONENT(Serial, { uint32_t number; });
STOA_COMPONENT(Byte, { uint8_t value; });
STOA_COMPONENT(Odd, { uint8_t bytes[13]; });
STOA_COMPONENT(Wide, { double values[17]; });
STOA_TAG(Frozen);

typedef struct Line {
    _Alignas(64) uint8_t bytes[64];
} Line;
STOA_TYPE(Line);

static stoa_archetype_info info_of(const stoa_world *w, int32_t archetype) {
    stoa_archetype_info info;
    assert_int_equal(stoa_archetype_info_get(w, archetype, &info), STOA_OK);
    assert_int_equal(info.id, archetype);
    return info;
}

static stoa_chunk_info chunk_of(const stoa_world *w, int32_t archetype, int32_t chunk) {
    stoa_chunk_info info;
    assert_int_equal(stoa_chunk_info_get(w, archetype, chunk, &info), STOA_OK);
    return info;
}

/* STO-09 STO-01: ids from 0 in order of appearance, sets sorted, both for good. */
static void archetypes_keep_their_ids_and_sets(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    assert_int_equal(stoa_archetype_count(w), 1);
    assert_int_equal(info_of(w, 0).component_count, 0);
    stoa_component position = stoa_id(w, Position), serial = stoa_id(w, Serial);
    stoa_component frozen = stoa_id(w, Frozen);
    stoa_entity a = stoa_create_with(w, STOA_ZERO(Serial));
    stoa_entity b = stoa_create_with(w, STOA_ZERO(Frozen), STOA_ZERO(Serial), STOA_ZERO(Position));
    assert_int_equal(stoa_archetype_of(w, a), 1);
    assert_int_equal(stoa_archetype_of(w, b), 2);
    stoa_archetype_info first = info_of(w, 1), second = info_of(w, 2);
    assert_int_equal(first.component_count, 1);
    assert_int_equal(second.component_count, 3);
    assert_int_equal(second.components[0], position);
    assert_int_equal(second.components[1], serial);
    assert_int_equal(second.components[2], frozen);
    for (int i = 0; i < 5000; i++) {
        stoa_create_with(w, STOA_ZERO(Serial));
        if (i < 60) {
            char name[16];
            snprintf(name, sizeof name, "T%d", i);
            stoa_component_desc desc = {.name = name, .size = 4};
            stoa_value value = {.id = stoa_component_register(w, &desc)};
            stoa_create_values(w, &value, 1);
        }
    }
    assert_int_equal(stoa_destroy(w, b), STOA_OK);
    assert_int_equal(stoa_compact(w), STOA_OK);
    assert_int_equal(stoa_archetype_count(w), 63);
    assert_ptr_equal(info_of(w, 1).components, first.components);
    assert_ptr_equal(info_of(w, 2).components, second.components);
    assert_int_equal(second.components[2], frozen);
    assert_int_equal(info_of(w, 2).row_count, 0);
    assert_int_equal(info_of(w, 2).chunk_count, 0);
}

/* Fills a world of a chunk size with many shapes of rows. */
static void world_fill(stoa_world *w, int32_t count) {
    for (int32_t i = 0; i < count; i++) {
        uint32_t number = (uint32_t)i;
        stoa_entity e = stoa_create_with(w, STOA_VALUE(Serial, {number}), STOA_ZERO(Byte));
        if (i % 2 == 0) {
            assert_int_equal(stoa_set(w, e, Position, {(float)i, 1}), STOA_OK);
        }
        if (i % 3 == 0) {
            assert_int_equal(stoa_change(w, e, STOA_ZERO(Odd), STOA_ZERO(Frozen)), STOA_OK);
        }
        if (i % 7 == 0) {
            assert_int_equal(stoa_change(w, e, STOA_ZERO(Wide), STOA_ZERO(Line)), STOA_OK);
        }
        stoa_get_mut(w, e, Byte)->value = (uint8_t)i;
    }
}

/* STO-09 STO-02: row i of every column is the same entity. */
static void columns_are_what_access_gives(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    world_fill(w, 4000);
    int32_t rows = 0;
    for (int32_t a = 0; a < stoa_archetype_count(w); a++) {
        stoa_archetype_info info = info_of(w, a);
        int32_t in_chunks = 0;
        for (int32_t c = 0; c < info.chunk_count; c++) {
            stoa_chunk_info chunk = chunk_of(w, a, c);
            const Serial *serial = stoa_chunk_column(w, a, c, stoa_id(w, Serial));
            const Byte *byte = stoa_chunk_column(w, a, c, stoa_id(w, Byte));
            for (int32_t i = 0; i < chunk.count; i++) {
                assert_int_equal(stoa_archetype_of(w, chunk.entities[i]), a);
                assert_ptr_equal(stoa_get(w, chunk.entities[i], Serial), &serial[i]);
                assert_ptr_equal(stoa_get(w, chunk.entities[i], Byte), &byte[i]);
                assert_int_equal(byte[i].value, (uint8_t)serial[i].number);
            }
            in_chunks += chunk.count;
        }
        assert_int_equal(in_chunks, info.row_count);
        rows += in_chunks;
    }
    assert_int_equal(rows, 4000);
    stoa_create(w);
    assert_int_equal(info_of(w, 0).row_count, 1);
    assert_int_equal(info_of(w, 0).chunk_count, 0);
    assert_int_equal(info_of(w, 0).used, 0);
}

static unsigned char sum;

/* Reads a column up to the next boundary of 64 bytes past its last row; the address sanitizer is
 * the judge. */
static void column_read_to_the_line(const stoa_world *w, int32_t a, int32_t c, stoa_component id) {
    stoa_component_info component;
    assert_int_equal(stoa_component_info_get(w, id, &component), STOA_OK);
    if (component.size == 0) {
        return;
    }
    const volatile unsigned char *column = stoa_chunk_column(w, a, c, id);
    assert_non_null((const void *)(uintptr_t)column);
    assert_int_equal((uintptr_t)column % 64, 0);
    size_t end = (size_t)chunk_of(w, a, c).count * component.size;
    end = (end + 63) / 64 * 64;
    for (size_t i = 0; i < end; i++) {
        sum = (unsigned char)(sum + column[i]);
    }
}

/* STO-02 STO-08 STO-10: for every size of the growing first chunk and every chunk size. */
static void columns_are_aligned_and_readable_to_the_line(void **state) {
    (void)state;
    const uint32_t sizes[] = {16384, 24000, 65536};
    const int32_t counts[] = {1, 2, 5, 17, 33, 100, 300, 1000, 5000};
    for (int k = 0; k < 3; k++) {
        for (int n = 0; n < 9; n++) {
            support_world s;
            support_world_open_with(&s, sizes[k]);
            world_fill(s.world, counts[n]);
            for (int32_t a = 1; a < stoa_archetype_count(s.world); a++) {
                stoa_archetype_info info = info_of(s.world, a);
                for (int32_t c = 0; c < info.chunk_count; c++) {
                    assert_int_equal((uintptr_t)chunk_of(s.world, a, c).entities % 64, 0);
                    for (int32_t i = 0; i < info.component_count; i++) {
                        column_read_to_the_line(s.world, a, c, info.components[i]);
                    }
                }
            }
            support_world_close(&s);
        }
    }
}

/* STO-08: a component that asks for 64 bytes has them in every row. */
static void strictest_alignment_is_kept_in_every_row(void **state) {
    support_world *s = *state;
    world_fill(s->world, 1000);
    int found = 0;
    for (stoa_entity e = stoa_entity_next(s->world, STOA_NULL); !stoa_entity_is_null(e);
         e = stoa_entity_next(s->world, e)) {
        stoa_with(s->world, e, Line, line) {
            assert_int_equal((uintptr_t)line % 64, 0);
            found++;
        }
        stoa_with(s->world, e, Wide, wide) {
            assert_int_equal((uintptr_t)wide % _Alignof(double), 0);
        }
    }
    assert_int_equal(found, 143);
}

/* STO-02: fixed size chunks of a power of two of rows; the bytes stay within what was asked for. */
static void chunks_have_the_size_that_was_asked_for(void **state) {
    (void)state;
    const uint32_t sizes[] = {16384, 32768, 65536};
    for (int k = 0; k < 3; k++) {
        support_world s;
        support_world_open_with(&s, sizes[k]);
        world_fill(s.world, 20000);
        /* Without the spare chunks of groups. */
        assert_int_equal(stoa_compact(s.world), STOA_OK);
        for (int32_t a = 1; a < stoa_archetype_count(s.world); a++) {
            stoa_archetype_info info = info_of(s.world, a);
            int32_t capacity = info.chunk_capacity;
            assert_int_equal(capacity & (capacity - 1), 0);
            if (info.chunk_count < 2) {
                continue;
            }
            size_t row = info.used / (size_t)info.row_count;
            assert_true((size_t)capacity * row <= sizes[k]);
            assert_true((size_t)capacity * row * 2 > sizes[k]);
            size_t padding = 128 * ((size_t)info.component_count + 2);
            assert_true(info.reserved / (size_t)info.chunk_count <= sizes[k] + padding);
        }
        support_world_close(&s);
    }
}

/* STO-09 ENT-02 GEN-05 */
static void view_of_what_is_not_there_is_refused(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    stoa_entity e = stoa_create_with(w, STOA_ZERO(Serial), STOA_ZERO(Frozen));
    stoa_archetype_info info;
    stoa_chunk_info chunk;
    support_assert_misuse(s, stoa_archetype_info_get(w, 2, &info), STOA_INVALID);
    support_assert_misuse(s, stoa_chunk_info_get(w, 0, 0, &chunk), STOA_INVALID);
    support_assert_misuse(s, stoa_archetype_info_get(w, 1, NULL), STOA_NULL_ARGUMENT);
    support_assert_misuse(s, stoa_chunk_info_get(w, 1, 0, NULL), STOA_NULL_ARGUMENT);
    assert_null(stoa_chunk_column(w, 1, 0, stoa_id(w, Frozen)));
    support_assert_misuse(s, stoa_last_error().status, STOA_MISSING);
    assert_null(stoa_chunk_column(w, 1, 0, stoa_id(w, Position)));
    support_assert_misuse(s, stoa_last_error().status, STOA_MISSING);
    support_assert_message("'Position'");
    assert_int_equal(stoa_destroy(w, e), STOA_OK);
    assert_int_equal(stoa_archetype_of(w, e), -1);
    support_assert_misuse(s, stoa_last_error().status, STOA_DEAD);
    support_assert_misuse(s, stoa_chunk_info_get(w, 1, 0, &chunk), STOA_INVALID);
    assert_int_equal(stoa_archetype_count(NULL), 0);
    assert_int_equal(stoa_archetype_of(NULL, e), -1);
    assert_int_equal(stoa_archetype_info_get(NULL, 0, &info), STOA_NULL_ARGUMENT);
    assert_int_equal(stoa_chunk_info_get(NULL, 0, 0, &chunk), STOA_NULL_ARGUMENT);
    assert_null(stoa_chunk_column(NULL, 0, 0, 1));
}

#define WITH_WORLD(test) cmocka_unit_test_setup_teardown(test, support_setup, support_teardown)

int main(void) {
    const struct CMUnitTest tests[] = {
        WITH_WORLD(archetypes_keep_their_ids_and_sets),
        WITH_WORLD(columns_are_what_access_gives),
        cmocka_unit_test(columns_are_aligned_and_readable_to_the_line),
        WITH_WORLD(strictest_alignment_is_kept_in_every_row),
        cmocka_unit_test(chunks_have_the_size_that_was_asked_for),
        WITH_WORLD(view_of_what_is_not_there_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
