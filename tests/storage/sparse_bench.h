/* A sparse set on a storage of its own, whose values tell whose they are. */
#ifndef STOA_TESTS_SPARSE_BENCH_H
#define STOA_TESTS_SPARSE_BENCH_H

#include "storage/sparse.h"

#include "storage_fixture.h"

typedef struct bench {
    fixture f;
    stoa__component component; /* of the set, filled in by hand */
    stoa__sparse *set;
} bench;

static inline int bench_setup(void **state) {
    static bench b;
    memset(&b, 0, sizeof b);
    fixture_open(&b.f);
    *state = &b;
    return stoa__entities_init(&b.f.storage) == STOA_OK ? 0 : -1;
}

/* Makes the set, of a component that is nothing but this. */
static inline void set_open(bench *b, uint32_t size, uint32_t alignment, uint32_t flags) {
    b->component.name = (char *)(uintptr_t) "Thing";
    b->component.info.size = size;
    b->component.info.alignment = alignment;
    b->component.info.flags = flags | STOA_SPARSE;
    b->set = stoa__sparse_new(&b->f.storage.heap, &b->component);
    assert_non_null(b->set);
}

static inline void check(const bench *b) {
    stoa_status status = stoa__sparse_check(&b->f.storage, b->set);
    if (status != STOA_OK) {
        support_print_error();
    }
    assert_int_equal(status, STOA_OK);
    size_t table = b->f.storage.record_capacity * sizeof(stoa_record);
    assert_int_equal(stoa__sparse_bytes(b->set), b->f.heap.bytes - table);
}

static inline int bench_teardown(void **state) {
    bench *b = *state;
    if (b->set != NULL) {
        check(b);
        stoa__sparse_drop_all(b->set);
        stoa__sparse_free(&b->f.storage.heap, b->set);
    }
    fixture_close(&b->f);
    return 0;
}

static inline stoa_entity entity_make(bench *b) {
    assert_int_equal(stoa__entities_reserve(&b->f.storage, 1), STOA_OK);
    return stoa__entities_take(&b->f.storage, 0);
}

/* Inserts an entity; every byte of its value tells whose it is. */
static inline uint32_t put(bench *b, stoa_entity e, uint32_t tick) {
    assert_true(stoa__sparse_reserve(&b->f.storage.heap, b->set, e.index, 1));
    uint32_t position = stoa__sparse_insert(b->set, e, tick);
    if (b->component.info.size != 0) {
        memset(stoa__sparse_value(b->set, position), (int)(e.index * 7), b->component.info.size);
    }
    return position;
}

static inline void value_verify(const bench *b, stoa_entity e) {
    uint32_t position = stoa__sparse_find(b->set, e.index);
    assert_int_not_equal(position, STOA__NONE);
    assert_true(stoa_entity_eq(b->set->entities[position], e));
    const uint8_t *value = stoa__sparse_value(b->set, position);
    for (uint32_t i = 0; i < b->component.info.size; i++) {
        if (value[i] != (uint8_t)(e.index * 7)) {
            fail_msg("byte %u of the value of entity %u is wrong", i, e.index);
        }
    }
}

#define WITH_BENCH(test) cmocka_unit_test_setup_teardown(test, bench_setup, bench_teardown)

#endif
