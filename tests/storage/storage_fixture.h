/* What the tests of the storage share: a storage on the counting allocator, components to fill it
 * with, and rows whose every byte tells whose they are. */
#ifndef STOA_TESTS_STORAGE_FIXTURE_H
#define STOA_TESTS_STORAGE_FIXTURE_H

#include "storage/archetype.h"
#include "storage/entities.h"
#include "storage/registry.h"
#include "storage/row.h"
#include "support/heap.h"

typedef struct fixture {
    support_heap heap;
    stoa__storage storage;
} fixture;

/* A storage with nothing in it, not even the empty archetype. */
static inline void fixture_open(fixture *f) {
    memset(f, 0, sizeof *f);
    support_heap_open(&f->storage.heap, &f->heap);
}

/* Ends whatever has been made; no byte may be left. */
static inline void fixture_close(fixture *f) {
    stoa__archetype_fini(&f->storage);
    stoa__entities_fini(&f->storage);
    stoa__registry_fini(&f->storage);
    support_heap_close(&f->storage.heap, &f->heap);
}

static inline int bare_setup(void **state) {
    static fixture f;
    fixture_open(&f);
    *state = &f;
    return 0;
}

/* A storage that is ready for entities, with chunks of a size. */
static inline int chunks_setup(void **state, uint32_t chunk_size) {
    bare_setup(state);
    fixture *f = *state;
    f->storage.chunk_size = chunk_size;
    assert_int_equal(stoa__archetype_init(&f->storage), STOA_OK);
    assert_int_equal(stoa__entities_init(&f->storage), STOA_OK);
    return 0;
}

static inline int storage_setup(void **state) {
    return chunks_setup(state, 16384);
}

static inline int storage_teardown(void **state) {
    fixture_close(*state);
    return 0;
}

/* Registers a new component. */
static inline stoa_component hooked_make(fixture *f, uint32_t size, stoa_hooks hooks) {
    char name[16];
    snprintf(name, sizeof name, "T%u", f->storage.registry.count + 1);
    stoa_component_desc desc = {.name = name, .size = size, .hooks = hooks};
    stoa_component id = stoa__registry_desc(&f->storage, &desc);
    assert_int_not_equal(id, 0);
    return id;
}

static inline stoa_component type_make(fixture *f, uint32_t size) {
    return hooked_make(f, size, (stoa_hooks){0});
}

/* The archetype of run-time components of the given sizes, all new. */
static inline stoa__archetype *archetype_sized(fixture *f, const uint32_t *sizes, uint32_t count) {
    stoa_component ids[16];
    for (uint32_t i = 0; i < count; i++) {
        ids[i] = type_make(f, sizes[i]);
    }
    stoa__archetype *archetype = stoa__archetype_get(&f->storage, ids, count);
    assert_non_null(archetype);
    return archetype;
}

/* Fills every byte of a row with the low byte of an entity's index. */
static inline void row_fill(const stoa__archetype *archetype, stoa__row row, uint32_t index) {
    for (uint32_t i = 0; i < archetype->lane_count; i++) {
        const stoa__lane *lane = &archetype->lanes[i];
        memset(stoa__row_item(row, lane->index, lane->size), (int)index, lane->size);
    }
}

static inline void row_verify(const stoa__archetype *archetype, stoa__row row, uint32_t index) {
    for (uint32_t i = 0; i < archetype->lane_count; i++) {
        const stoa__lane *lane = &archetype->lanes[i];
        const uint8_t *item = stoa__row_item(row, lane->index, lane->size);
        for (uint32_t k = 0; k < lane->size; k++) {
            if (item[k] != (uint8_t)index) {
                fail_msg("byte %u of column %u of entity %u is wrong", k, i, index);
            }
        }
    }
}

/* A new entity in a row of its own, which is filled. */
static inline stoa_entity row_add(fixture *f, stoa__archetype *archetype) {
    stoa__row row;
    assert_int_equal(stoa__entities_reserve(&f->storage, 1), STOA_OK);
    assert_int_equal(stoa__row_append(&f->storage, archetype, &row), STOA_OK);
    stoa_entity e = stoa__entities_take(&f->storage, row.place);
    *stoa__row_entity(row) = e;
    row_fill(archetype, row, e.index);
    return e;
}

#define WITH_BARE(test) cmocka_unit_test_setup_teardown(test, bare_setup, storage_teardown)
#define WITH_STORAGE(test) cmocka_unit_test_setup_teardown(test, storage_setup, storage_teardown)

#endif
