/* The world: made, freed, told of failures; what it keeps and gives back; several at once. */
#include "support/support.h"

#include <stdlib.h>

STOA_COMPONENT(Position, { float x, y; });
STOA_COMPONENT(Velocity, { float x, y; });
STOA_COMPONENT(Serial, { uint32_t number; });
STOA_TAG(Frozen);

/* A user pointer that counts how often it is used and freed, and what was alive when. */
typedef struct keeper {
    support_heap heap;
    int calls;
    int frees;
    size_t blocks_at_free; /* of the heap, when it was freed */
    int order;             /* which free it was, of all keepers */
    stoa_status last;
    char message[128];
} keeper;

static int frees_ever;

static void keeper_free(void *user) {
    keeper *k = user;
    k->frees++;
    k->blocks_at_free = k->heap.blocks;
    k->order = ++frees_ever;
}

static void keeper_call(const stoa_error *error, void *user) {
    keeper *k = user;
    k->calls++;
    k->last = error->status;
    snprintf(k->message, sizeof k->message, "%s", error->message);
}

static void keeper_drop(void *items, int32_t count, void *user) {
    (void)items;
    ((keeper *)user)->calls += count;
}

static stoa_allocator heap_hooks; /* those of tests/support, which keepers pass on to */

static void *keeper_alloc(size_t size, size_t alignment, void *user) {
    return heap_hooks.alloc(size, alignment, &((keeper *)user)->heap);
}

static void keeper_release(void *block, size_t size, size_t alignment, void *user) {
    heap_hooks.free(block, size, alignment, &((keeper *)user)->heap);
}

static stoa_allocator keeper_allocator(keeper *k) {
    heap_hooks = support_allocator(&k->heap);
    return (stoa_allocator){
        .alloc = keeper_alloc, .free = keeper_release, .user = k, .user_free = keeper_free};
}

/* GEN-06 GEN-04: allocator, handlers and hooks are freed once each, the allocator last. */
static void kept_callbacks_are_freed_once(void **state) {
    (void)state;
    frees_ever = 0;
    keeper memory = {0}, asserts = {0}, errors = {0}, hooks = {0};
    stoa_allocator allocator = keeper_allocator(&memory);
    stoa_world *w = stoa_world_new(&(stoa_world_desc){
        .allocator = &allocator,
        .on_assert = {keeper_call, &asserts, keeper_free},
        .on_error = {keeper_call, &errors, keeper_free},
    });
    assert_non_null(w);
    memset(&allocator, 0, sizeof allocator);
    stoa_component_desc desc = {
        .name = "Owned",
        .fields = "{ int32_t value; }",
        .hooks = {.drop = keeper_drop, .user = &hooks, .user_free = keeper_free}};
    stoa_component id = stoa_component_register(w, &desc);
    assert_int_not_equal(id, 0);
    assert_int_equal(stoa_component_register(w, &desc), id);
    for (int i = 0; i < 5; i++) {
        assert_int_equal(stoa_add_id(w, stoa_create(w), id), STOA_OK);
    }
    assert_int_equal(stoa_destroy(w, STOA_NULL), STOA_DEAD);
    assert_int_equal(frees_ever, 0);
    stoa_world_free(w);
    assert_int_equal(hooks.calls, 5);
    assert_int_equal(errors.calls, 1);
    assert_int_equal(memory.frees, 1);
    assert_int_equal(asserts.frees, 1);
    assert_int_equal(errors.frees, 1);
    assert_int_equal(hooks.frees, 1);
    assert_int_equal(memory.order, 4);
    assert_int_equal(memory.blocks_at_free, 0);
    assert_int_equal(memory.heap.bytes, 0);
}

/* GEN-06 GEN-03: what a refused call was given stays the caller's. */
static void refused_callbacks_are_not_freed(void **state) {
    (void)state;
    keeper memory = {0}, asserts = {0}, errors = {0}, hooks = {0};
    stoa_allocator allocator = keeper_allocator(&memory);
    stoa_world_desc desc = {
        .allocator = &allocator,
        .chunk_size = 5,
        .on_assert = {keeper_call, &asserts, keeper_free},
        .on_error = {keeper_call, &errors, keeper_free},
    };
    assert_null(stoa_world_new(&desc));
    desc.chunk_size = 0;
    for (size_t k = 1; k < 20; k++) {
        memory.heap.fail_at = k;
        stoa_world *w = stoa_world_new(&desc);
        if (w != NULL) {
            memory.heap.fail_at = 0;
            stoa_component_desc bad = {
                .name = "Bad",
                .fields = "{ int32_t value",
                .hooks = {.drop = keeper_drop, .user = &hooks, .user_free = keeper_free}};
            assert_int_equal(stoa_component_register(w, &bad), 0);
            assert_int_equal(memory.frees + asserts.frees + errors.frees, 0);
            stoa_world_free(w);
            break;
        }
        assert_int_equal(stoa_last_error().status, STOA_NO_MEMORY);
        assert_int_equal(memory.heap.bytes, 0);
        assert_int_equal(memory.frees + asserts.frees + errors.frees, 0);
    }
    assert_true(memory.heap.failed > 2);
    assert_int_equal(memory.frees, 1);
    assert_int_equal(asserts.frees, 1);
    assert_int_equal(errors.frees, 1);
    assert_int_equal(hooks.frees, 0);
}

/* GEN-06: hooks that are kept under two names by two registrations are two. */
static void hooks_of_each_component_are_freed(void **state) {
    (void)state;
    support_world s;
    support_world_open(&s);
    keeper hooks[3] = {0};
    for (int i = 0; i < 3; i++) {
        const char *const names[] = {"A", "B", "C"};
        stoa_component_desc desc = {
            .name = names[i],
            .size = 4,
            .hooks = {.drop = keeper_drop, .user = &hooks[i], .user_free = keeper_free}};
        assert_int_equal(stoa_component_register(s.world, &desc), i + 1);
        desc.hooks.user = NULL;
        assert_int_equal(stoa_component_register(s.world, &desc), 0);
        assert_int_equal(stoa_last_error().status, STOA_CONFLICT);
    }
    support_world_close(&s);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(hooks[i].frees, 1);
    }
}

/* GEN-03: on_error hears of every failure, on_assert of misuse in a debug build. */
static void failures_are_told_to_the_handlers(void **state) {
    (void)state;
    keeper asserts = {0}, errors = {0}, memory = {0};
    stoa_allocator allocator = support_allocator(&memory.heap);
    stoa_world *w = stoa_world_new(&(stoa_world_desc){
        .allocator = &allocator,
        .on_assert = {keeper_call, &asserts, NULL},
        .on_error = {keeper_call, &errors, NULL},
    });
    stoa_entity e = stoa_create(w);
    assert_int_equal(stoa_destroy(w, e), STOA_OK);
    assert_int_equal(errors.calls + asserts.calls, 0);
    stoa_error_clear();
    assert_int_equal(stoa_destroy(w, e), STOA_DEAD);
    assert_int_equal(errors.calls, 1);
    assert_int_equal(errors.last, STOA_DEAD);
    assert_string_equal(errors.message, "entity 1v1 is dead");
    assert_string_equal(stoa_last_error().message, errors.message);
    assert_int_equal(stoa_last_error().status, STOA_DEAD);
    memory.heap.fail_at = 1;
    assert_int_equal(stoa_id(w, Position), 0);
    assert_int_equal(errors.calls, 2);
    assert_int_equal(errors.last, STOA_NO_MEMORY);
#ifdef STOA_DEBUG
    assert_int_equal(asserts.calls, 1);
    assert_int_equal(asserts.last, STOA_DEAD);
#else
    assert_int_equal(asserts.calls, 0);
#endif
    stoa_world_free(w);
    assert_int_equal(memory.heap.bytes, 0);
}

/* GEN-03: a world without handlers fails quietly where nothing was misused. */
static void world_without_handlers_returns_the_status(void **state) {
    (void)state;
    support_heap heap = {0};
    stoa_allocator allocator = support_allocator(&heap);
    stoa_world *w = stoa_world_new(&(stoa_world_desc){.allocator = &allocator});
    heap.fail_at = 1;
    assert_int_equal(stoa_id(w, Position), 0);
    assert_int_equal(stoa_last_error().status, STOA_NO_MEMORY);
    assert_int_equal(stoa_add_named(w, stoa_create(w), "Nothing"), STOA_NOT_FOUND);
    stoa_world_free(w);
    assert_int_equal(heap.bytes, 0);
}

/* GEN-04: the library takes nothing but what the hooks give, with resize or without. */
static void world_lives_on_its_allocator_alone(void **state) {
    (void)state;
    for (int no_resize = 0; no_resize < 2; no_resize++) {
        support_heap heap = {.no_resize = no_resize != 0};
        stoa_allocator allocator = support_allocator(&heap);
        stoa_world *w = stoa_world_new(&(stoa_world_desc){.allocator = &allocator});
        assert_int_equal(stoa_stats(w).bytes_reserved, heap.bytes);
        for (uint32_t i = 0; i < 3000; i++) {
            stoa_entity e = stoa_create_with(w, STOA_VALUE(Serial, {i}));
            if (i % 3 == 0) {
                assert_int_equal(stoa_add(w, e, Frozen), STOA_OK);
            }
        }
        assert_int_equal(stoa_stats(w).bytes_reserved, heap.bytes);
        assert_int_equal(stoa_compact(w), STOA_OK);
        assert_int_equal(stoa_stats(w).bytes_reserved, heap.bytes);
        assert_int_equal(stoa_check(w), STOA_OK);
        stoa_world_free(w);
        assert_int_equal(heap.bytes, 0);
        assert_int_equal(heap.blocks, 0);
    }
}

/* GEN-04: with no description at all a world uses the default allocator. */
static void world_needs_no_description(void **state) {
    (void)state;
    stoa_world *w = stoa_world_new(NULL);
    assert_non_null(w);
    stoa_entity e = stoa_create_with(w, STOA_VALUE(Position, {1, 2}));
    assert_int_equal(stoa_create_bulk(w, 200000, NULL, STOA_ZERO(Position)), STOA_OK);
    assert_true(stoa_get(w, e, Position)->y == 2);
    assert_int_equal(stoa_check(w), STOA_OK);
    assert_int_equal(stoa_compact(w), STOA_OK);
    assert_int_equal(stoa_check(w), STOA_OK);
    stoa_world_free(w);
    stoa_world_free(NULL);
}

/* STO-02: chunks of 16 to 64 KiB, set for each world; anything else is no world. */
static void chunk_size_is_set_per_world(void **state) {
    (void)state;
    const uint32_t sizes[] = {16384, 20000, 32768, 65536, 0};
    const int32_t rows[] = {1024, 1024, 2048, 4096, 4096};
    for (int i = 0; i < 5; i++) {
        support_world s;
        support_world_open_with(&s, sizes[i]);
        assert_int_equal(stoa_create_bulk(s.world, 5000, NULL, STOA_ZERO(Position)), STOA_OK);
        stoa_archetype_info info;
        assert_int_equal(stoa_archetype_info_get(s.world, 1, &info), STOA_OK);
        assert_int_equal(info.chunk_capacity, rows[i]);
        assert_int_equal(info.chunk_count, (5000 + rows[i] - 1) / rows[i]);
        support_world_close(&s);
    }
    const uint32_t wrong[] = {1, 16383, 65537, UINT32_MAX};
    for (int i = 0; i < 4; i++) {
        assert_null(stoa_world_new(&(stoa_world_desc){.chunk_size = wrong[i]}));
        assert_int_equal(stoa_last_error().status, STOA_INVALID);
    }
}

/* GEN-02 CMP-04: ids, entities and tables of two worlds have nothing to do with each other. */
static void two_worlds_share_nothing(void **state) {
    (void)state;
    support_world a, b;
    support_world_open(&a);
    support_world_open_with(&b, 16384);
    (void)stoa_id(a.world, Position);
    (void)stoa_id(a.world, Velocity);
    (void)stoa_id(b.world, Frozen);
    (void)stoa_id(b.world, Velocity);
    (void)stoa_id(b.world, Position);
    assert_int_equal(stoa_id(a.world, Position), 1);
    assert_int_equal(stoa_id(b.world, Position), 3);
    for (int i = 0; i < 500; i++) {
        stoa_entity in_a = stoa_create_with(a.world, STOA_VALUE(Position, {1, 2}));
        stoa_entity in_b =
            stoa_create_with(b.world, STOA_VALUE(Velocity, {3, 4}), STOA_VALUE(Position, {5, 6}));
        assert_true(stoa_get(a.world, in_a, Position)->x == 1);
        assert_true(stoa_get(b.world, in_b, Position)->x == 5);
        assert_false(stoa_has(a.world, in_a, Velocity));
        assert_true(stoa_get(b.world, in_b, Velocity)->y == 4);
    }
    uint64_t hash = stoa_hash(a.world);
    assert_int_equal(stoa_component_find(a.world, "Frozen"), 0);
    assert_false(stoa_has(a.world, stoa_entity_next(a.world, STOA_NULL), Frozen));
    support_world_close(&b);
    assert_int_equal(stoa_hash(a.world), hash);
    assert_int_equal(stoa_count(a.world), 500);
    support_world_close(&a);
}

/* GEN-02: a world that comes after another starts from nothing. */
static void later_world_remembers_nothing(void **state) {
    (void)state;
    uint64_t first = 0;
    for (int i = 0; i < 3; i++) {
        support_world s;
        support_world_open(&s);
        assert_int_equal(stoa_component_count(s.world), 0);
        assert_int_equal(stoa_archetype_count(s.world), 1);
        assert_int_equal(stoa_count(s.world), 0);
        stoa_entity e = stoa_create_with(s.world, STOA_VALUE(Serial, {7}));
        assert_int_equal(stoa_entity_pack(e), (uint64_t)1 << 32 | 1);
        first = i == 0 ? stoa_hash(s.world) : first;
        assert_int_equal(stoa_hash(s.world), first);
        support_world_close(&s);
    }
}

/* GEN-05 GEN-03: null where a world is needed. */
static void null_world_is_refused(void **state) {
    (void)state;
    assert_true(stoa_entity_is_null(stoa_create(NULL)));
    assert_int_equal(stoa_last_error().status, STOA_NULL_ARGUMENT);
    support_assert_message("world");
    assert_true(stoa_entity_is_null(stoa_create_with(NULL, STOA_ZERO(Position))));
    assert_true(stoa_entity_is_null(stoa_create_values(NULL, NULL, 0)));
    assert_true(stoa_entity_is_null(stoa_clone(NULL, STOA_NULL)));
    assert_int_equal(stoa_create_bulk_values(NULL, 1, NULL, NULL, 0), STOA_NULL_ARGUMENT);
    assert_int_equal(stoa_reserve_values(NULL, 1, NULL, 0), STOA_NULL_ARGUMENT);
    assert_int_equal(stoa_destroy(NULL, STOA_NULL), STOA_NULL_ARGUMENT);
    assert_int_equal(stoa_clear(NULL, STOA_NULL), STOA_NULL_ARGUMENT);
    assert_int_equal(stoa_change_values(NULL, STOA_NULL, NULL, 0), STOA_NULL_ARGUMENT);
    assert_int_equal(stoa_compact(NULL), STOA_NULL_ARGUMENT);
    assert_int_equal(stoa_check(NULL), STOA_NULL_ARGUMENT);
    assert_int_equal(stoa_stats(NULL).bytes_reserved, 0);
    stoa_error_clear();
    assert_int_equal(stoa_hash(NULL), 0);
    assert_int_equal(stoa_last_error().status, STOA_NULL_ARGUMENT);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kept_callbacks_are_freed_once),
        cmocka_unit_test(refused_callbacks_are_not_freed),
        cmocka_unit_test(hooks_of_each_component_are_freed),
        cmocka_unit_test(failures_are_told_to_the_handlers),
        cmocka_unit_test(world_without_handlers_returns_the_status),
        cmocka_unit_test(world_lives_on_its_allocator_alone),
        cmocka_unit_test(world_needs_no_description),
        cmocka_unit_test(chunk_size_is_set_per_world),
        cmocka_unit_test(two_worlds_share_nothing),
        cmocka_unit_test(later_world_remembers_nothing),
        cmocka_unit_test(null_world_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
