/* Putting the content of a world together from parts. */
#include "support/support.h"

STOA_COMPONENT(Spot, { int32_t x, y; });
STOA_COMPONENT(Speed, { int32_t x; });
STOA_TAG(Marked);
STOA_COMPONENT_WITH(Lamp, STOA_OPTIONS(.flags = STOA_SWITCHABLE | STOA_ROW_TICKS), { int32_t n; });
STOA_COMPONENT_WITH(Note, STOA_OPTIONS(.flags = STOA_SPARSE | STOA_SWITCHABLE), { int32_t n; });
STOA_COMPONENT_WITH(Shadow, STOA_OPTIONS(.flags = STOA_TRANSIENT), { int32_t n; });

static int32_t owned_alive;

static void owned_drop(void *items, int32_t count, void *user) {
    (void)items;
    (void)user;
    owned_alive -= count;
}

STOA_COMPONENT_WITH(Owned, STOA_OPTIONS(.hooks = {.drop = owned_drop}), { int32_t n; });

/* A world with something of everything: rows in several archetypes and chunks, dead slots, entities
 * without components, switched-off and sparse components. */
static void world_fill(stoa_world *w) {
    stoa_entity few[600];
    assert_int_equal(stoa_create_bulk(w, 600, few, STOA_ZERO(Spot), STOA_ZERO(Speed)), STOA_OK);
    for (int i = 0; i < 600; i++) {
        stoa_set(w, few[i], Spot, {i, -i});
        if (i % 7 == 0) {
            stoa_add(w, few[i], Marked);
        }
        if (i % 5 == 0) {
            stoa_set(w, few[i], Lamp, {i});
            stoa_enable(w, few[i], Lamp, i % 10 == 0);
        }
        if (i % 11 == 0) {
            stoa_set(w, few[i], Note, {i});
            stoa_enable(w, few[i], Note, i % 22 == 0);
        }
    }
    for (int i = 0; i < 600; i += 3) {
        stoa_destroy(w, few[i]);
    }
    for (int i = 0; i < 20; i++) {
        stoa_create(w);
    }
}

/* Copies an archetype by the public view, columns and switches. */
static stoa_status archetype_copy(const stoa_world *from, stoa_rebuild *r, int32_t number) {
    stoa_archetype_info info;
    assert_int_equal(stoa_archetype_info_get(from, number, &info), STOA_OK);
    stoa_entity *entities = test_malloc((size_t)(info.row_count + 1) * sizeof *entities);
    uint8_t *off = test_calloc((size_t)info.row_count + 1, 1);
    int32_t rows = 0;
    for (int32_t c = 0; c < info.chunk_count; c++) {
        stoa_chunk_info chunk;
        stoa_chunk_info_get(from, number, c, &chunk);
        memcpy(entities + rows, chunk.entities, (size_t)chunk.count * sizeof *entities);
        rows += chunk.count;
    }
    stoa_status status =
        stoa_rebuild_archetype(r, info.components, info.component_count, entities, rows);
    for (int32_t i = 0; i < info.component_count && status == STOA_OK; i++) {
        stoa_component id = info.components[i];
        stoa_component_info what;
        stoa_component_info_get(from, id, &what);
        for (int32_t row = 0, n; what.size != 0 && row < rows; row += n) {
            uint8_t *to = stoa_rebuild_column(r, id, row, &n);
            assert_non_null(to);
            for (int32_t k = 0; k < n; k++) {
                memcpy(to + (size_t)k * what.size, stoa_get_id(from, entities[row + k], id),
                       what.size);
            }
        }
        if ((what.flags & STOA_SWITCHABLE) != 0) {
            for (int32_t k = 0; k < rows; k++) {
                off[k] = !stoa_enabled_id(from, entities[k], id);
            }
            assert_int_equal(stoa_rebuild_switches(r, id, off), STOA_OK);
        }
    }
    test_free(off);
    test_free(entities);
    return status;
}

static stoa_status notes_copy(const stoa_world *from, stoa_rebuild *r) {
    stoa_component id = stoa_component_find(from, "Note");
    stoa_sparse_info info;
    assert_int_equal(stoa_sparse_info_get(from, id, &info), STOA_OK);
    void *values = stoa_rebuild_sparse(r, id, info.entities, info.count);
    if (values == NULL) {
        return stoa_last_error().status;
    }
    uint8_t *off = test_calloc((size_t)info.count + 1, 1);
    memcpy(values, info.values, (size_t)info.count * sizeof(Note));
    for (int32_t i = 0; i < info.count; i++) {
        off[i] = !stoa_enabled_id(from, info.entities[i], id);
    }
    stoa_status status = stoa_rebuild_switches(r, id, off);
    test_free(off);
    return status;
}

/* The slots of a world, in arrays for test_free. */
static stoa_slots slots_take(const stoa_world *w, uint32_t **generations, uint32_t **free_list) {
    stoa_slots slots;
    assert_int_equal(stoa_slots_get(w, NULL, NULL, &slots), STOA_OK);
    *generations = test_malloc(slots.count * sizeof **generations);
    *free_list = test_malloc((slots.free_count + 1) * sizeof **free_list);
    assert_int_equal(stoa_slots_get(w, *generations, *free_list, &slots), STOA_OK);
    return slots;
}

/* Registers the types in the order of the other world, so that ids are the same. */
static void types_copy(stoa_world *to) {
    stoa_id(to, Spot);
    stoa_id(to, Speed);
    stoa_id(to, Marked);
    stoa_id(to, Lamp);
    stoa_id(to, Note);
}

static stoa_status world_copy(const stoa_world *from, stoa_world *to) {
    uint32_t *generations, *free_list;
    stoa_slots slots = slots_take(from, &generations, &free_list);
    stoa_rebuild *r = stoa_rebuild_new(to, &slots);
    stoa_status status = r != NULL ? STOA_OK : stoa_last_error().status;
    for (int32_t i = 1; i < stoa_archetype_count(from) && status == STOA_OK; i++) {
        status = archetype_copy(from, r, i);
    }
    if (status == STOA_OK) {
        status = notes_copy(from, r);
    }
    if (status == STOA_OK) {
        status = stoa_rebuild_end(r);
    } else {
        stoa_rebuild_cancel(r);
    }
    test_free(generations);
    test_free(free_list);
    return status;
}

static void worlds_compare(stoa_world *a, stoa_world *b) {
    assert_true(stoa_hash(a) == stoa_hash(b));
    assert_int_equal(stoa_count(a), stoa_count(b));
    assert_int_equal(stoa_archetype_count(a), stoa_archetype_count(b));
    /* What is made next is the same, too: the free list came along. */
    for (int i = 0; i < 300; i++) {
        assert_true(stoa_entity_eq(stoa_create_with(a, STOA_ZERO(Spot)),
                                   stoa_create_with(b, STOA_ZERO(Spot))));
    }
    assert_true(stoa_hash(a) == stoa_hash(b));
}

/* SNP-01 */
static void copy_has_the_same_hash_handles_and_order(void **state) {
    support_world *s = *state;
    support_world other = {0};
    support_world_open(&other);
    types_copy(s->world);
    types_copy(other.world);
    world_fill(s->world);
    assert_int_equal(world_copy(s->world, other.world), STOA_OK);
    assert_int_equal(stoa_check(other.world), STOA_OK);
    stoa_archetype_info a, b;
    for (int32_t i = 0; i < stoa_archetype_count(s->world); i++) {
        stoa_archetype_info_get(s->world, i, &a);
        stoa_archetype_info_get(other.world, i, &b);
        assert_int_equal(a.component_count, b.component_count);
        assert_memory_equal(a.components, b.components,
                            (size_t)a.component_count * sizeof *a.components);
    }
    worlds_compare(s->world, other.world);
    support_world_close(&other);
}

/* Handles that were copied, in the order they came. */
typedef struct seen {
    stoa_entity entities[2000];
    size_t count;
} seen;

static void seen_copy(void *to, const void *from, size_t size, void *user) {
    seen *s = user;
    memcpy(to, from, size);
    memcpy(s->entities + s->count, from, size);
    s->count += size / sizeof *s->entities;
}

/* SNP-05: each handle once, in order, over chunks; none after the function is taken away. */
static void copier_sees_the_handles_of_rows(void **state) {
    support_world *s = *state;
    enum { ROWS = 1500 };
    static seen all;
    uint32_t generations[ROWS + 3];
    stoa_entity entities[ROWS];
    for (uint32_t i = 0; i < ROWS; i++) {
        entities[i] = (stoa_entity){ROWS - i, 1};
    }
    for (uint32_t i = 0; i < ROWS + 3; i++) {
        generations[i] = 1;
    }
    generations[0] = STOA_SLOT_DEAD | 1;
    stoa_component spot = stoa_id(s->world, Spot);
    stoa_component speed = stoa_id(s->world, Speed);
    stoa_rebuild *r = stoa_rebuild_new(s->world, &(stoa_slots){generations, ROWS + 3, NULL, 0});
    assert_non_null(r);
    assert_int_equal(stoa_rebuild_copier(r, seen_copy, &all), STOA_OK);
    assert_int_equal(stoa_rebuild_archetype(r, &spot, 1, entities, ROWS), STOA_OK);
    assert_int_equal(all.count, ROWS);
    assert_memory_equal(all.entities, entities, sizeof entities);
    for (int32_t row = 0, n; row < ROWS; row += n) {
        void *to = stoa_rebuild_column(r, spot, row, &n);
        memset(to, 0, (size_t)n * sizeof(Spot));
    }
    assert_int_equal(stoa_rebuild_copier(r, NULL, NULL), STOA_OK);
    stoa_entity last = {ROWS + 2, 1};
    assert_int_equal(stoa_rebuild_archetype(r, &speed, 1, &last, 1), STOA_OK);
    int32_t n;
    memset(stoa_rebuild_column(r, speed, 0, &n), 0, sizeof(Speed));
    assert_int_equal(all.count, ROWS);
    assert_int_equal(stoa_rebuild_end(r), STOA_OK);
    assert_int_equal(stoa_check(s->world), STOA_OK);
    assert_int_equal(stoa_count(s->world), ROWS + 2);
    assert_int_equal(stoa_rebuild_copier(NULL, NULL, NULL), STOA_NULL_ARGUMENT);
}

static int32_t spots_count(stoa_query *q) {
    int32_t count = 0;
    for (stoa_iter it = stoa_query_iter(q); stoa_iter_next(&it);) {
        count += it.count;
    }
    return count;
}

/* SNP-01 SNP-11 */
static void used_world_takes_the_order_that_is_given(void **state) {
    support_world *s = *state;
    support_world other = {0};
    support_world_open(&other);
    types_copy(s->world);
    types_copy(other.world);
    /* Archetypes that come in another order, or are not in the copy, with queries and edges. */
    stoa_query *q = stoa_query_new(
        other.world, &(stoa_query_desc){.terms = {STOA_READ(Spot), STOA_WITHOUT(Marked)}});
    stoa_entity e = stoa_create_with(other.world, STOA_ZERO(Lamp), STOA_ZERO(Marked));
    stoa_set(other.world, e, Spot, {1, 2});
    stoa_entity f = stoa_create_with(other.world, STOA_ZERO(Spot));
    stoa_set(other.world, f, Speed, {1});
    assert_int_equal(spots_count(q), 1);
    stoa_destroy(other.world, e);
    stoa_destroy(other.world, f);
    world_fill(s->world);
    assert_int_equal(world_copy(s->world, other.world), STOA_OK);
    assert_int_equal(stoa_check(other.world), STOA_OK);
    stoa_query *same = stoa_query_new(
        s->world, &(stoa_query_desc){.terms = {STOA_READ(Spot), STOA_WITHOUT(Marked)}});
    assert_int_equal(spots_count(q), spots_count(same));
    worlds_compare(s->world, other.world);
    /* Edges and bundles that led to hidden archetypes lead there again, in the same order. */
    e = stoa_create_with(other.world, STOA_ZERO(Lamp), STOA_ZERO(Marked));
    stoa_set(other.world, e, Spot, {1, 2});
    f = stoa_create_with(s->world, STOA_ZERO(Lamp), STOA_ZERO(Marked));
    stoa_set(s->world, f, Spot, {1, 2});
    assert_int_equal(stoa_check(other.world), STOA_OK);
    worlds_compare(s->world, other.world);
    support_world_close(&other);
}

/* SNP-05 */
static void cancelling_leaves_the_world_as_it_was(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    types_copy(w);
    stoa_component ids[] = {stoa_id(w, Spot), stoa_id(w, Owned)};
    stoa_entity e = stoa_create_with(w, STOA_ZERO(Speed));
    stoa_set(w, e, Spot, {1, 2});
    stoa_destroy(w, e);
    uint64_t before = stoa_hash(w);
    int32_t archetypes = stoa_archetype_count(w);
    uint32_t generations[] = {0, 3, 7 | STOA_SLOT_DEAD, 1, 1};
    uint32_t free_list[] = {2};
    stoa_slots slots = {generations, 5, free_list, 1};
    for (int made = 0; made <= 2; made++) {
        stoa_rebuild *r = stoa_rebuild_new(w, &slots);
        assert_non_null(r);
        assert_true(stoa_entity_is_null(stoa_create(w)));
        support_assert_misuse(s, stoa_last_error().status, STOA_ITERATING);
        assert_int_equal(stoa_rebuild_archetype(r, ids, 2, (stoa_entity[]){{1, 3}, {4, 1}}, 2),
                         STOA_OK);
        int32_t n;
        Owned *owned = stoa_rebuild_column(r, ids[1], 0, &n);
        assert_int_equal(n, 2);
        memset(owned, 0, sizeof *owned * 2);
        owned_alive += made;
        assert_int_equal(stoa_rebuild_made(r, ids[1], made), STOA_OK);
        if (made == 2) {
            /* A failure after it must not forget them. */
            assert_int_equal(stoa_rebuild_archetype(r, ids, 1, (stoa_entity[]){{1, 3}}, 1),
                             STOA_CORRUPT);
            assert_int_equal(stoa_rebuild_archetype(r, ids, 2, NULL, 0), STOA_CORRUPT);
        }
        stoa_rebuild_cancel(r);
        assert_int_equal(owned_alive, 0);
        assert_int_equal(stoa_check(w), STOA_OK);
        assert_true(stoa_hash(w) == before);
        assert_int_equal(stoa_archetype_count(w), archetypes);
    }
    stoa_rebuild_cancel(NULL);
    support_assert_quiet(s);
}

/* SNP-05 */
static void what_does_not_fit_together_is_refused(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    types_copy(w);
    uint32_t live[] = {0, 1, 1, 5 | STOA_SLOT_DEAD, STOA_SLOT_DEAD};
    uint32_t three[] = {3}, twice[] = {3, 3}, one[] = {1}, none[] = {0}, far[] = {9};
    const stoa_slots wrong[] = {
        {live, 0, NULL, 0},
        {live, 5, NULL, 0},
        {live, 5, twice, 2},
        {live, 5, one, 1},
        {live, 5, none, 1},
        {live, 5, far, 1},
        {NULL, 5, three, 1},
        {live, 5, NULL, 1},
        {live, INT32_MAX + 1u, three, 1},
        {(uint32_t[]){0, 0}, 2, NULL, 0},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        assert_null(stoa_rebuild_new(w, &wrong[i]));
        assert_int_equal(stoa_last_error().status, STOA_CORRUPT);
    }
    stoa_slots slots = {live, 5, three, 1};
    stoa_rebuild *r = stoa_rebuild_new(w, &slots);
    stoa_component spot = stoa_id(w, Spot), note = stoa_id(w, Note);
    stoa_component twin[] = {spot, spot};
    stoa_entity ok = {1, 1}, dead = {3, 5}, stale = {1, 2}, both[] = {{1, 1}, {1, 1}};
    assert_int_equal(stoa_rebuild_archetype(r, &spot, 1, &dead, 1), STOA_CORRUPT);
    assert_int_equal(stoa_rebuild_archetype(r, &spot, 1, &stale, 1), STOA_CORRUPT);
    assert_int_equal(stoa_rebuild_archetype(r, &spot, 1, both, 2), STOA_CORRUPT);
    assert_int_equal(stoa_rebuild_archetype(r, twin, 2, &ok, 1), STOA_CORRUPT);
    support_assert_misuse(s, stoa_rebuild_archetype(r, &note, 1, &ok, 1), STOA_INVALID);
    support_assert_misuse(s, stoa_rebuild_archetype(r, &spot, 0, &ok, 1), STOA_INVALID);
    support_assert_misuse(s, stoa_rebuild_archetype(r, &spot, 1, &ok, -1), STOA_INVALID);
    support_assert_misuse(s, stoa_rebuild_archetype(r, NULL, 1, &ok, 1), STOA_NULL_ARGUMENT);
    assert_int_equal(stoa_rebuild_archetype(NULL, &spot, 1, &ok, 1), STOA_NULL_ARGUMENT);
    stoa_component unknown = 999;
    support_assert_misuse(s, stoa_rebuild_archetype(r, &unknown, 1, &ok, 1), STOA_UNKNOWN);
    int32_t n;
    assert_null(stoa_rebuild_column(r, spot, 0, &n));
    support_assert_misuse(s, stoa_last_error().status, STOA_INVALID);
    assert_int_equal(stoa_rebuild_archetype(r, &spot, 1, &ok, 1), STOA_OK);
    assert_null(stoa_rebuild_column(r, spot, 1, &n));
    support_assert_misuse(s, stoa_last_error().status, STOA_INVALID);
    memset(stoa_rebuild_column(r, spot, 0, &n), 0, sizeof(Spot));
    support_assert_misuse(s, stoa_rebuild_switches(r, spot, (uint8_t[]){1}), STOA_INVALID);
    support_assert_misuse(s, stoa_rebuild_ticks(r, spot, 0, 1, 1, 1), STOA_INVALID);
    support_assert_misuse(s, stoa_rebuild_tick(r, 5), STOA_INVALID);
    support_assert_misuse(s, stoa_rebuild_made(r, spot, 2), STOA_INVALID);
    support_assert_misuse(s, stoa_rebuild_made(r, note, 0), STOA_INVALID);
    assert_null(stoa_rebuild_sparse(r, note, both, 2));
    assert_int_equal(stoa_last_error().status, STOA_CORRUPT);
    assert_null(stoa_rebuild_sparse(r, note, &ok, 1));
    assert_int_equal(stoa_last_error().status, STOA_CORRUPT);
    assert_null(stoa_rebuild_sparse(r, spot, &ok, 1));
    support_assert_misuse(s, stoa_last_error().status, STOA_INVALID);
    stoa_rebuild_cancel(r);
    assert_int_equal(stoa_count(w), 0);
    assert_int_equal(stoa_rebuild_end(NULL), STOA_NULL_ARGUMENT);
}

/* SNP-01 */
static void world_that_is_not_empty_is_refused(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    uint32_t generations[] = {0, 1};
    stoa_slots slots = {generations, 2, NULL, 0};
    stoa_entity e = stoa_create(w);
    assert_null(stoa_rebuild_new(w, &slots));
    support_assert_misuse(s, stoa_last_error().status, STOA_INVALID);
    stoa_destroy(w, e);
    stoa_commands_create(stoa_deferred(w));
    assert_int_equal(stoa_commands_pending(w), 1);
    assert_null(stoa_rebuild_new(w, &slots));
    support_assert_misuse(s, stoa_last_error().status, STOA_INVALID);
    stoa_slots held;
    support_assert_misuse(s, stoa_slots_get(w, NULL, NULL, &held), STOA_INVALID);
    stoa_commands_clear(stoa_deferred(w));
    assert_null(stoa_rebuild_new(NULL, &slots));
    assert_null(stoa_rebuild_new(w, NULL));
    support_assert_misuse(s, stoa_last_error().status, STOA_NULL_ARGUMENT);
}

/* SNP-01 */
static void values_that_are_not_made_end_it(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    stoa_component id = stoa_id(w, Owned), spot = stoa_id(w, Spot);
    uint32_t generations[] = {0, 1, 1};
    stoa_slots slots = {generations, 3, NULL, 0};
    stoa_rebuild *r = stoa_rebuild_new(w, &slots);
    assert_int_equal(stoa_rebuild_archetype(r, &id, 1, (stoa_entity[]){{1, 1}}, 1), STOA_OK);
    support_assert_misuse(s, stoa_rebuild_archetype(r, &spot, 1, (stoa_entity[]){{2, 1}}, 1),
                          STOA_INVALID);
    assert_int_equal(stoa_rebuild_end(r), STOA_CORRUPT);
    assert_int_equal(stoa_count(w), 0);
    assert_non_null((void *)(uintptr_t)stoa_create(w).index);
}

static int32_t rows_since(stoa_query *q, uint32_t tick) {
    int32_t count = 0;
    for (stoa_iter it = stoa_query_iter_since(q, tick); stoa_iter_next(&it);) {
        count += it.count;
    }
    return count;
}

/* SNP-01 CHG-01 */
static void ticks_come_out_as_given(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    stoa_component ids[] = {stoa_id(w, Spot), stoa_id(w, Lamp), stoa_id(w, Marked)};
    stoa_component note = stoa_id(w, Note);
    stoa_entity e[3] = {{1, 1}, {2, 1}, {3, 1}};
    uint32_t generations[] = {0, 1, 1, 1};
    stoa_slots slots = {generations, 4, NULL, 0};
    stoa_rebuild *r = stoa_rebuild_new(w, &slots);
    int32_t n;
    assert_int_equal(stoa_rebuild_tick(r, 1000), STOA_OK);
    assert_int_equal(stoa_rebuild_archetype(r, ids, 3, e, 3), STOA_OK);
    memset(stoa_rebuild_column(r, ids[0], 0, &n), 0, 3 * sizeof(Spot));
    memset(stoa_rebuild_column(r, ids[1], 0, &n), 0, 3 * sizeof(Lamp));
    assert_int_equal(stoa_rebuild_ticks(r, ids[1], 1, 1, 900, 800), STOA_OK);
    assert_int_equal(stoa_rebuild_ticks(r, ids[2], 0, 3, 700, 700), STOA_OK);
    memset(stoa_rebuild_sparse(r, note, e, 2), 0, 2 * sizeof(Note));
    assert_int_equal(stoa_rebuild_ticks(r, note, 1, 1, 950, 940), STOA_OK);
    support_assert_misuse(s, stoa_rebuild_ticks(r, note, 1, 2, 950, 940), STOA_INVALID);
    assert_int_equal(stoa_rebuild_end(r), STOA_OK);
    assert_int_equal(stoa_tick(w), 1000);
    assert_int_equal(stoa_check(w), STOA_OK);
    stoa_query *lamps =
        stoa_query_new(w, &(stoa_query_desc){.terms = {STOA_READ(Lamp), STOA_CHANGED(Lamp)}});
    stoa_query *spots =
        stoa_query_new(w, &(stoa_query_desc){.terms = {STOA_READ(Spot), STOA_CHANGED(Spot)}});
    stoa_query *notes =
        stoa_query_new(w, &(stoa_query_desc){.terms = {STOA_READ(Note), STOA_ADDED(Note)}});
    assert_int_equal(rows_since(lamps, 850), 1);
    assert_int_equal(rows_since(spots, 850), 0);
    assert_int_equal(rows_since(notes, 930), 1);
}

/* SNP-05 */
static void lack_of_memory_leaves_the_world_empty(void **state) {
    support_world *s = *state;
    types_copy(s->world);
    world_fill(s->world);
    for (size_t k = 1;; k++) {
        support_world other = {0};
        support_world_open(&other);
        types_copy(other.world);
        stoa_destroy(other.world, stoa_create_with(other.world, STOA_ZERO(Speed)));
        uint64_t before = stoa_hash(other.world);
        other.heap.fail_at = k;
        stoa_status status = world_copy(s->world, other.world);
        bool failed = other.heap.fail_at == 0;
        other.heap.fail_at = 0;
        assert_int_equal(status, failed ? STOA_NO_MEMORY : STOA_OK);
        assert_int_equal(stoa_check(other.world), STOA_OK);
        assert_true(stoa_hash(other.world) == (failed ? before : stoa_hash(s->world)));
        if (failed) {
            assert_int_equal(world_copy(s->world, other.world), STOA_OK);
            assert_true(stoa_hash(other.world) == stoa_hash(s->world));
        }
        support_world_close(&other);
        if (!failed) {
            assert_true(k > 10);
            return;
        }
    }
}

/* SNP-10 */
static void transient_component_is_sparse_and_does_not_count(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    stoa_entity e = stoa_create_with(w, STOA_ZERO(Spot));
    uint64_t before = stoa_hash(w);
    stoa_set(w, e, Shadow, {7});
    stoa_component_info info;
    stoa_component_info_get(w, stoa_id(w, Shadow), &info);
    assert_true((info.flags & STOA_SPARSE) != 0);
    assert_true(stoa_hash(w) == before);
    stoa_resource_set(w, Shadow, {8});
    assert_true(stoa_hash(w) == before);
    stoa_resource_set(w, Note, {8});
    assert_true(stoa_hash(w) != before);
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, support_setup, support_teardown)
    const struct CMUnitTest tests[] = {
        TEST(copy_has_the_same_hash_handles_and_order),
        TEST(copier_sees_the_handles_of_rows),
        TEST(used_world_takes_the_order_that_is_given),
        TEST(cancelling_leaves_the_world_as_it_was),
        TEST(what_does_not_fit_together_is_refused),
        TEST(world_that_is_not_empty_is_refused),
        TEST(values_that_are_not_made_end_it),
        TEST(ticks_come_out_as_given),
        TEST(lack_of_memory_leaves_the_world_empty),
        TEST(transient_component_is_sparse_and_does_not_count),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
