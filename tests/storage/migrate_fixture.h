/* What the tests of migration share: archetypes with many rows, and a look at all of them. */
#ifndef STOA_TESTS_MIGRATE_FIXTURE_H
#define STOA_TESTS_MIGRATE_FIXTURE_H

#include "storage/migrate.h"
#include "storage_fixture.h"

#define DROP STOA__KEY_DROP

static inline stoa__archetype *set_of(fixture *f, const stoa_component *ids, uint32_t count) {
    stoa__archetype *archetype = stoa__archetype_get(&f->storage, ids, count);
    assert_non_null(archetype);
    return archetype;
}

#define SET(f, ...)                                                                                \
    set_of(f, (const stoa_component[]){__VA_ARGS__},                                               \
           (uint32_t)(sizeof((const stoa_component[]){__VA_ARGS__}) / sizeof(stoa_component)))

static inline void rows_add(fixture *f, stoa__archetype *archetype, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        row_add(f, archetype);
    }
}

/* Chunks, records and counts agree; the lanes hold what row_fill wrote, that of `given` the value.
 */
static inline void rows_verify(const fixture *f, const stoa__archetype *archetype,
                               stoa_component given, const void *value) {
    const stoa__storage *storage = &f->storage;
    uint32_t rows = 0;
    assert_true(archetype->chunk_held >= archetype->head.chunk_count);
    for (int32_t c = 0; c < archetype->chunk_held; c++) {
        const stoa_chunk *chunk = &archetype->head.chunks[c];
        assert_ptr_equal(storage->head.chunks[chunk->number].columns, chunk->columns);
        assert_ptr_equal(storage->head.chunks[chunk->number].archetype, &archetype->head);
        if (c >= archetype->head.chunk_count) {
            assert_int_equal(chunk->count, 0);
            continue;
        }
        bool last = c == archetype->head.chunk_count - 1;
        assert_true(chunk->count > 0 && chunk->count <= archetype->head.chunk_capacity);
        assert_true(last || chunk->count == archetype->head.chunk_capacity);
        assert_true(!last || archetype->tail == chunk);
        for (uint32_t i = 0; i < (uint32_t)chunk->count; i++, rows++) {
            stoa__row row = stoa__row_at(storage, chunk->number << STOA_PLACE_BITS | i);
            stoa_entity e = *stoa__row_entity(row);
            assert_int_equal(stoa__place_of(storage, e.index), row.place);
            for (uint32_t k = 0; k < archetype->data_lanes; k++) {
                const stoa__lane *lane = &archetype->lanes[k];
                const uint8_t *item = stoa__row_item(row, lane->index, lane->size);
                for (uint32_t b = 0; lane->id != given && b < lane->size; b++) {
                    assert_int_equal(item[b], (uint8_t)e.index);
                }
                if (lane->id == given) {
                    assert_memory_equal(item, value, lane->size);
                }
            }
        }
    }
    assert_int_equal(rows, stoa__rows_at(&f->storage, archetype->index));
    assert_true(rows > 0 || archetype->tail->count == INT32_MAX);
}

static inline stoa_status migrate(fixture *f, stoa__archetype *source, uint32_t key,
                                  const void *value) {
    stoa__edge *edge = stoa__edge_get_one(&f->storage, source, key);
    assert_non_null(edge);
    return stoa__migrate_rows(&f->storage, source, edge, value);
}

/* Entity indexes of an archetype are these, one after the other, in storage order. */
static inline void rows_count_up(const stoa__archetype *archetype, uint32_t first, uint32_t count) {
    uint32_t at = first;
    for (int32_t c = 0; c < archetype->head.chunk_count; c++) {
        const stoa_chunk *chunk = &archetype->head.chunks[c];
        for (int32_t i = 0; i < chunk->count; i++, at++) {
            assert_int_equal(stoa_columns_entities(chunk->columns)[i].index, at);
        }
    }
    assert_int_equal(at, first + count);
}

static inline stoa_column_state *state_at(const stoa__archetype *archetype, int32_t chunk,
                                          stoa_component id) {
    return stoa__state_of(archetype->head.chunks[chunk].columns,
                          stoa__archetype_column(archetype, id)->index);
}

#endif
