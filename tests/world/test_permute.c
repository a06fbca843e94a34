/* Putting rows in another order: what goes along, what ticks say after it, what is refused; and
 * holding the structure of a world. */
#include <stdlib.h>

#include "world/commands_types.h"
#include "world/world.h"

#define MANY 3000

static stoa_entity es[MANY];
static int32_t order[MANY];

/* A world of small chunks, so that there are several. */
static int fixture_open(void **state) {
    support_world *s = calloc(1, sizeof *s);
    support_world_open_with(s, 16384);
    owned_alive = 0;
    *state = s;
    return 0;
}

static int fixture_close(void **state) {
    support_world_close(*state);
    free(*state);
    assert_int_equal(owned_alive, 0);
    return 0;
}

static void order_reset(int32_t count) {
    for (int32_t i = 0; i < count; i++) {
        order[i] = i;
    }
}

static void order_mix(int32_t count, uint64_t seed) {
    support_random random = {seed};
    order_reset(count);
    for (int32_t i = count - 1; i > 0; i--) {
        int32_t other = (int32_t)support_random_below(&random, (uint32_t)i + 1);
        int32_t at = order[i];
        order[i] = order[other];
        order[other] = at;
    }
}

static int32_t archetype_rows(const stoa_world *w, int32_t archetype, int32_t *chunks) {
    stoa_archetype_info info;
    assert_int_equal(stoa_archetype_info_get(w, archetype, &info), STOA_OK);
    *chunks = info.chunk_count;
    return info.row_count;
}

/* The entities of an archetype, row by row. */
static void rows_list(const stoa_world *w, int32_t archetype, stoa_entity *list) {
    int32_t chunks;
    archetype_rows(w, archetype, &chunks);
    for (int32_t c = 0; c < chunks; c++) {
        stoa_chunk_info chunk;
        stoa_chunk_info_get(w, archetype, c, &chunk);
        memcpy(list, chunk.entities, (size_t)chunk.count * sizeof *list);
        list += chunk.count;
    }
}

static void rows_verify(const stoa_world *w, int32_t archetype, int32_t count) {
    static stoa_entity list[MANY];
    rows_list(w, archetype, list);
    for (int32_t i = 0; i < count; i++) {
        assert_true(stoa_entity_eq(list[i], es[order[i]]));
    }
    assert_int_equal(stoa_check(w), STOA_OK);
}

/* Entities with columns of many sizes, one of which knows where it is. */
static int32_t wide_world(stoa_world *w, int32_t count) {
    for (int32_t i = 0; i < count; i++) {
        Owned owned;
        owner_make(&owned, i);
        es[i] = stoa_create_with(w, STOA_VALUE(Position, {(float)i, 1, 2}), STOA_VALUE(Health, {i}),
                                 STOA_VALUE(Wide, {.id = i, .last = -i}), STOA_ZERO(Frozen),
                                 STOA_VALUE_FROM(Owned, &owned), STOA_VALUE(Mood, {i}));
    }
    return stoa_archetype_of(w, es[0]);
}

static void wide_verify(stoa_world *w, int32_t count) {
    for (int32_t i = 0; i < count; i++) {
        assert_true(stoa_get(w, es[i], Position)->x == (float)i);
        assert_int_equal(stoa_get(w, es[i], Health)->points, i);
        assert_int_equal(stoa_get(w, es[i], Wide)->id, i);
        assert_int_equal(stoa_get(w, es[i], Wide)->last, -i);
        assert_int_equal(stoa_get(w, es[i], Owned)->serial, i);
        assert_ptr_equal(stoa_get(w, es[i], Owned)->self, stoa_get(w, es[i], Owned));
        assert_int_equal(stoa_get(w, es[i], Mood)->value, i);
        assert_true(stoa_has(w, es[i], Frozen));
    }
}

/* SRT-01 ENT-03 CMP-11 */
static void rows_follow_the_order_in_all_columns(void **state) {
    stoa_world *w = ((support_world *)*state)->world;
    int32_t chunks, archetype = wide_world(w, 1000);
    assert_int_equal(archetype_rows(w, archetype, &chunks), 1000);
    assert_true(chunks > 3);
    order_mix(1000, 7);
    assert_int_equal(stoa_archetype_permute(w, archetype, order, 1000), STOA_OK);
    rows_verify(w, archetype, 1000);
    wide_verify(w, 1000);
    stoa_destroy(w, es[5]);
    assert_int_equal(stoa_check(w), STOA_OK);
}

/* SRT-01 */
static void rows_outside_of_what_moves_stay_where_they_are(void **state) {
    stoa_world *w = ((support_world *)*state)->world;
    int32_t archetype = wide_world(w, 1000);
    const Owned *first = stoa_get(w, es[0], Owned), *last = stoa_get(w, es[999], Owned);
    static const int32_t pairs[][2] = {{1, 2}, {3, 998}, {500, 501}, {1, 998}};
    for (int i = 0; i < 4; i++) {
        order_reset(1000);
        order[pairs[i][0]] = pairs[i][1];
        order[pairs[i][1]] = pairs[i][0];
        assert_int_equal(stoa_archetype_permute(w, archetype, order, 1000), STOA_OK);
        rows_verify(w, archetype, 1000);
        wide_verify(w, 1000);
        assert_ptr_equal(stoa_get(w, es[0], Owned), first);
        assert_ptr_equal(stoa_get(w, es[999], Owned), last);
        assert_int_equal(stoa_archetype_permute(w, archetype, order, 1000), STOA_OK);
        order_reset(1000);
        rows_verify(w, archetype, 1000);
    }
}

/* SRT-01 GEN-04 */
static void order_that_changes_nothing_needs_no_memory(void **state) {
    support_world *s = *state;
    int32_t archetype = wide_world(s->world, 200);
    order_reset(200);
    uint64_t hash = stoa_hash(s->world);
    s->heap.fail_at = 1;
    assert_int_equal(stoa_archetype_permute(s->world, archetype, order, 200), STOA_OK);
    assert_int_equal(stoa_sparse_permute(s->world, stoa_id(s->world, Mood), order, 200), STOA_OK);
    assert_int_equal(stoa_permute(s->world, NULL, 0), STOA_OK);
    assert_int_equal(s->heap.fail_at, 1);
    s->heap.fail_at = 0;
    assert_true(stoa_hash(s->world) == hash);
}

/* SRT-01 CMP-12 */
static void rows_take_their_switches_along(void **state) {
    stoa_world *w = ((support_world *)*state)->world;
    for (int32_t i = 0; i < MANY; i++) {
        es[i] = stoa_create_with(w, STOA_VALUE(Shield, {i}), STOA_VALUE(Mood, {i}));
        stoa_enable(w, es[i], Shield, i >= 900);
        stoa_enable(w, es[i], Mood, i % 3 == 0);
    }
    stoa_query *q = stoa_query_new(w, &(stoa_query_desc){.terms = {STOA_READ(Shield)}});
    int32_t chunks, archetype = stoa_archetype_of(w, es[0]);
    archetype_rows(w, archetype, &chunks);
    assert_true(chunks > 2);
    order_mix(MANY, 9);
    assert_int_equal(stoa_archetype_permute(w, archetype, order, MANY), STOA_OK);
    order_mix(MANY, 10);
    assert_int_equal(stoa_sparse_permute(w, stoa_id(w, Mood), order, MANY), STOA_OK);
    for (int32_t i = 0; i < MANY; i++) {
        assert_int_equal(stoa_enabled(w, es[i], Shield), i >= 900);
        assert_int_equal(stoa_enabled(w, es[i], Mood), i % 3 == 0);
        assert_int_equal(stoa_get(w, es[i], Mood)->value, i);
    }
    int32_t seen = 0;
    for (stoa_iter it = stoa_query_iter(q); stoa_iter_next(&it);) {
        for (int32_t i = 0; i < it.count; i++, seen++) {
            assert_true(stoa_field(&it, Shield, 0)[i].power >= 900);
        }
    }
    assert_int_equal(seen, MANY - 900);
    assert_int_equal(stoa_check(w), STOA_OK);
}

/* SRT-01 CHG-02 CHG-04 */
static void rows_take_their_own_ticks_along(void **state) {
    stoa_world *w = ((support_world *)*state)->world;
    uint32_t made = stoa_tick(w);
    for (int32_t i = 0; i < MANY; i++) {
        es[i] = stoa_create_with(w, STOA_VALUE(Seen, {i}), STOA_VALUE(Mood, {i}));
    }
    stoa_tick_advance(w);
    for (int32_t i = 0; i < MANY; i += 5) {
        stoa_get_mut(w, es[i], Seen)->count++;
        stoa_get_mut(w, es[i], Mood)->value++;
    }
    stoa_tick_advance(w);
    order_mix(MANY, 11);
    assert_int_equal(stoa_archetype_permute(w, stoa_archetype_of(w, es[0]), order, MANY), STOA_OK);
    assert_int_equal(stoa_sparse_permute(w, stoa_id(w, Mood), order, MANY), STOA_OK);
    for (int32_t i = 0; i < MANY; i++) {
        assert_int_equal(stoa_changed(w, es[i], Seen, made), i % 5 == 0);
        assert_int_equal(stoa_changed(w, es[i], Mood, made), i % 5 == 0);
        assert_false(stoa_added(w, es[i], Seen, made));
        assert_true(stoa_added(w, es[i], Seen, made - 1));
        assert_false(stoa_added(w, es[i], Mood, made));
        assert_true(stoa_added(w, es[i], Mood, made - 1));
    }
    stoa_query *q = stoa_query_new(w, &(stoa_query_desc){.terms = {STOA_CHANGED(Seen)}});
    int32_t count = 0;
    for (stoa_iter it = stoa_query_iter_since(q, made); stoa_iter_next(&it);) {
        count += it.count;
    }
    assert_int_equal(count, MANY / 5);
}

/* The first row of each chunk of an archetype with several. */
static int32_t chunk_start(const stoa_world *w, int32_t archetype, int32_t chunk) {
    stoa_archetype_info info;
    stoa_archetype_info_get(w, archetype, &info);
    assert_true(chunk < info.chunk_count);
    return chunk * info.chunk_capacity;
}

/* A world whose tick starts somewhere, near the wrap or far. */
static void world_open(support_world *s, uint32_t first_tick) {
    memset(s, 0, sizeof *s);
    stoa_allocator allocator = support_allocator(&s->heap);
    s->world = stoa_world_new(
        &(stoa_world_desc){.allocator = &allocator, .chunk_size = 16384, .first_tick = first_tick});
    assert_non_null(s->world);
}

/* SRT-01 CHG-01 CHG-02 */
static void chunks_become_as_new_as_what_they_receive(void **state) {
    (void)state;
    static const uint32_t starts[] = {1, UINT32_MAX, UINT32_MAX - 1, 0x7FFFFFFE};
    for (int k = 0; k < 4; k++) {
        support_world s;
        world_open(&s, starts[k]);
        stoa_world *w = s.world;
        stoa_create_bulk(w, MANY, es, STOA_ZERO(Position), STOA_ZERO(Health), STOA_ZERO(Frozen));
        int32_t archetype = stoa_archetype_of(w, es[0]);
        int32_t second = chunk_start(w, archetype, 1), third = chunk_start(w, archetype, 2);
        uint32_t since = stoa_tick(w);
        stoa_tick_advance(w);
        stoa_set(w, es[0], Health, {1});
        stoa_remove(w, es[MANY - 1], Frozen);
        stoa_add(w, es[MANY - 1], Frozen);
        stoa_tick_advance(w);
        order_reset(MANY);
        order[0] = third;
        order[third] = 0;
        assert_int_equal(stoa_archetype_permute(w, archetype, order, MANY), STOA_OK);
        assert_true(stoa_changed(w, es[0], Health, since));
        assert_true(stoa_changed(w, es[third + 1], Health, since));
        assert_true(stoa_changed(w, es[1], Health, since));
        assert_false(stoa_changed(w, es[second], Health, since));
        assert_false(stoa_changed(w, es[0], Position, since));
        assert_false(stoa_changed(w, es[second], Frozen, since));
        assert_true(stoa_added(w, es[MANY - 1], Frozen, since));
        order[0] = MANY - 1;
        order[third] = third;
        order[MANY - 1] = 0;
        assert_int_equal(stoa_archetype_permute(w, archetype, order, MANY), STOA_OK);
        assert_true(stoa_added(w, es[MANY - 1], Frozen, since));
        assert_true(stoa_added(w, es[1], Frozen, since));
        assert_false(stoa_changed(w, es[second], Frozen, since));
        support_world_close(&s);
    }
}

/* SRT-01 CHG-02: what stays in a chunk is as new as it was, whatever comes. */
static void chunks_are_as_new_as_what_stays(void **state) {
    stoa_world *w = ((support_world *)*state)->world;
    stoa_create_bulk(w, MANY, es, STOA_ZERO(Health));
    int32_t archetype = stoa_archetype_of(w, es[0]), second = chunk_start(w, archetype, 1);
    uint32_t since = stoa_tick(w);
    stoa_tick_advance(w);
    stoa_set(w, es[second + 5], Health, {1});
    stoa_tick_advance(w);
    order_reset(MANY);
    order[3] = second;
    order[second] = 3;
    assert_int_equal(stoa_archetype_permute(w, archetype, order, MANY), STOA_OK);
    assert_true(stoa_changed(w, es[second + 5], Health, since));
    assert_true(stoa_changed(w, es[second], Health, since));
    stoa_tick_advance(w);
    since = stoa_tick(w) - 1;
    stoa_set(w, es[0], Health, {2});
    order[3] = 3;
    order[second] = second;
    order[7] = MANY - 1;
    order[MANY - 1] = 7;
    assert_int_equal(stoa_archetype_permute(w, archetype, order, MANY), STOA_OK);
    assert_true(stoa_changed(w, es[0], Health, since));
}

/* SRT-01 CHG-02: a chunk that has lost all rows that were written is no longer as new. */
static void chunks_are_no_newer_than_what_they_receive(void **state) {
    stoa_world *w = ((support_world *)*state)->world;
    stoa_create_bulk(w, MANY, es, STOA_ZERO(Health));
    int32_t archetype = stoa_archetype_of(w, es[0]), second = chunk_start(w, archetype, 1);
    uint32_t since = stoa_tick(w);
    stoa_tick_advance(w);
    stoa_set(w, es[0], Health, {1});
    stoa_tick_advance(w);
    assert_true(second * 2 <= MANY);
    order_reset(MANY);
    for (int32_t i = 0; i < second; i++) {
        order[i] = second + i;
        order[second + i] = i;
    }
    assert_int_equal(stoa_archetype_permute(w, archetype, order, MANY), STOA_OK);
    for (int32_t i = 0; i < MANY; i++) {
        assert_int_equal(stoa_changed(w, es[i], Health, since), i < second);
    }
    order_mix(MANY, 3);
    since = stoa_tick(w) - 1;
    assert_int_equal(stoa_archetype_permute(w, archetype, order, MANY), STOA_OK);
    for (int32_t i = 0; i < MANY; i++) {
        assert_false(stoa_changed(w, es[i], Health, since));
    }
}

/* SRT-01 CMP-10 */
static void positions_of_a_set_follow_the_order(void **state) {
    stoa_world *w = ((support_world *)*state)->world;
    for (int32_t i = 0; i < 500; i++) {
        Hoard hoard;
        owner_make(&hoard, i);
        es[i] = stoa_create_with(w, STOA_VALUE_FROM(Hoard, &hoard), STOA_VALUE(Health, {i}),
                                 STOA_ZERO(Marked));
    }
    order_mix(500, 5);
    assert_int_equal(stoa_sparse_permute(w, stoa_id(w, Hoard), order, 500), STOA_OK);
    stoa_sparse_info info;
    assert_int_equal(stoa_sparse_info_get(w, stoa_id(w, Hoard), &info), STOA_OK);
    for (int32_t i = 0; i < 500; i++) {
        assert_true(stoa_entity_eq(info.entities[i], es[order[i]]));
        assert_int_equal(stoa_get(w, es[i], Hoard)->serial, i);
        assert_ptr_equal(stoa_get(w, es[i], Hoard)->self, stoa_get(w, es[i], Hoard));
        assert_int_equal(stoa_get(w, es[i], Health)->points, i);
    }
    assert_int_equal(stoa_sparse_permute(w, stoa_id(w, Marked), order, 500), STOA_OK);
    assert_int_equal(stoa_sparse_info_get(w, stoa_id(w, Marked), &info), STOA_OK);
    assert_true(stoa_entity_eq(info.entities[499], es[order[499]]));
    assert_int_equal(stoa_check(w), STOA_OK);
}

/* SRT-01 GEN-03 GEN-05 */
static void wrong_orders_are_refused(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    int32_t archetype = wide_world(w, 100);
    stoa_component mood = stoa_id(w, Mood), health = stoa_id(w, Health);
    uint64_t hash = stoa_hash(w);
    static const int32_t bad[][2] = {{3, 4}, {3, -1}, {3, 100}, {0, INT32_MIN}, {99, INT32_MAX}};
    for (int i = 0; i < 5; i++) {
        order_reset(100);
        order[bad[i][0]] = bad[i][1];
        support_assert_misuse(s, stoa_archetype_permute(w, archetype, order, 100), STOA_INVALID);
        support_assert_message("does not name each row once");
        support_assert_misuse(s, stoa_sparse_permute(w, mood, order, 100), STOA_INVALID);
        support_assert_message("'Mood' does not name each position once");
    }
    order_reset(100);
    support_assert_misuse(s, stoa_archetype_permute(w, archetype, order, 99), STOA_INVALID);
    support_assert_message("has 100 rows, and the order is for 99");
    support_assert_misuse(s, stoa_archetype_permute(w, archetype, order, -1), STOA_INVALID);
    support_assert_misuse(s, stoa_archetype_permute(w, archetype, NULL, 100), STOA_NULL_ARGUMENT);
    support_assert_misuse(s, stoa_archetype_permute(w, -1, order, 100), STOA_INVALID);
    support_assert_misuse(s, stoa_archetype_permute(w, 77, order, 100), STOA_INVALID);
    support_assert_misuse(s, stoa_archetype_permute(w, 0, order, 0), STOA_INVALID);
    support_assert_misuse(s, stoa_permute(w, NULL, 1), STOA_NULL_ARGUMENT);
    support_assert_misuse(s, stoa_permute(w, NULL, -1), STOA_INVALID);
    support_assert_misuse(s, stoa_sparse_permute(w, mood, order, 101), STOA_INVALID);
    support_assert_message("100 entities have sparse component 'Mood', and the order is for 101");
    support_assert_misuse(s, stoa_sparse_permute(w, mood, order, -5), STOA_INVALID);
    support_assert_misuse(s, stoa_sparse_permute(w, mood, NULL, 100), STOA_NULL_ARGUMENT);
    support_assert_misuse(s, stoa_sparse_permute(w, health, order, 100), STOA_INVALID);
    support_assert_misuse(s, stoa_sparse_permute(w, 0, order, 100), STOA_UNKNOWN);
    assert_int_equal(stoa_permute(NULL, NULL, 0), STOA_NULL_ARGUMENT);
    assert_int_equal(stoa_archetype_permute(NULL, 1, order, 1), STOA_NULL_ARGUMENT);
    assert_int_equal(stoa_sparse_permute(NULL, 1, order, 1), STOA_NULL_ARGUMENT);
    assert_true(stoa_hash(w) == hash);
}

/* SRT-01 GEN-03 */
static void permutations_are_made_together_or_not_at_all(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    stoa_create_bulk(w, 10, es, STOA_ZERO(Health));
    stoa_create_bulk(w, 20, es + 10, STOA_ZERO(Health), STOA_ZERO(Frozen));
    static const int32_t first[10] = {9, 8, 7, 6, 5, 4, 3, 2, 1, 0};
    order_mix(20, 2);
    stoa_permutation both[] = {{stoa_archetype_of(w, es[0]), 10, first},
                               {stoa_archetype_of(w, es[10]), 20, order}};
    uint64_t hash = stoa_hash(w);
    order[0] = order[1];
    support_assert_misuse(s, stoa_permute(w, both, 2), STOA_INVALID);
    assert_true(stoa_hash(w) == hash);
    order_mix(20, 2);
    both[1].count = 19;
    support_assert_misuse(s, stoa_permute(w, both, 2), STOA_INVALID);
    both[1].count = 20;
    s->heap.fail_at = 1;
    assert_int_equal(stoa_permute(w, both, 2), STOA_NO_MEMORY);
    assert_true(stoa_hash(w) == hash);
    assert_int_equal(stoa_permute(w, both, 2), STOA_OK);
    stoa_entity list[20];
    rows_list(w, both[0].archetype, list);
    assert_true(stoa_entity_eq(list[0], es[9]));
    rows_list(w, both[1].archetype, list);
    assert_true(stoa_entity_eq(list[3], es[10 + order[3]]));
}

/* SRT-01 QRY-06 CMD-06 */
static void open_world_refuses_permutations(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    stoa_create_bulk(w, 2, es, STOA_ZERO(Health), STOA_ZERO(Mood));
    int32_t archetype = stoa_archetype_of(w, es[0]);
    static const int32_t swap[] = {1, 0};
    stoa_query *q = stoa_query_new(w, &(stoa_query_desc){.terms = {STOA_READ(Health)}});
    stoa_iter it = stoa_query_iter(q);
    support_assert_misuse(s, stoa_archetype_permute(w, archetype, swap, 2), STOA_ITERATING);
    support_assert_misuse(s, stoa_sparse_permute(w, stoa_id(w, Mood), swap, 2), STOA_ITERATING);
    stoa_iter_end(&it);
    stoa_commands_fork(w, NULL, 0);
    support_assert_misuse(s, stoa_archetype_permute(w, archetype, swap, 2), STOA_FORKED);
    support_assert_misuse(s, stoa_sparse_permute(w, stoa_id(w, Mood), swap, 2), STOA_FORKED);
    support_assert_misuse(s, stoa_hold(w, "busy"), STOA_FORKED);
    stoa_commands_join(w);
    assert_int_equal(stoa_archetype_permute(w, archetype, swap, 2), STOA_OK);
}

/* SRT-01 QRY-06 */
static void held_world_refuses_structural_changes(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    stoa_create_bulk(w, 2, es, STOA_ZERO(Health));
    stoa_query *q = stoa_query_new(w, &(stoa_query_desc){.terms = {STOA_READ(Health)}});
    support_assert_misuse(s, stoa_hold(w, NULL), STOA_NULL_ARGUMENT);
    assert_int_equal(stoa_hold(NULL, "busy"), STOA_NULL_ARGUMENT);
    stoa_release(NULL);
    assert_int_equal(stoa_hold(w, "being tested"), STOA_OK);
    support_assert_misuse(s, stoa_hold(w, "busy"), STOA_ITERATING);
    support_assert_misuse(s, stoa_destroy(w, es[0]), STOA_ITERATING);
    support_assert_message("while it is being tested");
    support_assert_misuse(s, stoa_add(w, es[0], Frozen), STOA_ITERATING);
    support_assert_misuse(s, stoa_flush(w), STOA_ITERATING);
    support_assert_misuse(s, stoa_compact(w), STOA_ITERATING);
    support_assert_misuse(s, stoa_query_destroy(q), STOA_ITERATING);
    support_assert_misuse(s, stoa_commands_fork(w, NULL, 0), STOA_ITERATING);
    stoa_world_free(w);
    support_assert_misuse(s, stoa_last_error().status, STOA_ITERATING);
    assert_true(stoa_entity_is_null(stoa_create(w)));
    support_assert_misuse(s, stoa_last_error().status, STOA_ITERATING);
    for (stoa_iter it = stoa_query_iter(q); stoa_iter_next(&it);) {
        assert_int_equal(it.count, 2);
    }
    assert_int_equal(stoa_set(w, es[0], Health, {3}), STOA_OK);
    assert_int_equal(stoa_check(w), STOA_OK);
    stoa_release(w);
    assert_int_equal(stoa_destroy(w, es[0]), STOA_OK);
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, fixture_open, fixture_close)
    const struct CMUnitTest tests[] = {
        TEST(rows_follow_the_order_in_all_columns),
        TEST(rows_outside_of_what_moves_stay_where_they_are),
        TEST(order_that_changes_nothing_needs_no_memory),
        TEST(rows_take_their_switches_along),
        TEST(rows_take_their_own_ticks_along),
        TEST(chunks_become_as_new_as_what_they_receive),
        TEST(chunks_are_as_new_as_what_stays),
        TEST(chunks_are_no_newer_than_what_they_receive),
        TEST(positions_of_a_set_follow_the_order),
        TEST(wrong_orders_are_refused),
        TEST(permutations_are_made_together_or_not_at_all),
        TEST(open_world_refuses_permutations),
        TEST(held_world_refuses_structural_changes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
