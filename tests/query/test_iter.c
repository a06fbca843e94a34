/* Walking a query: chunks, columns, order, ends, and what a world refuses meanwhile. */
#include "query/iter_fixture.h"

static void positions_make(stoa_world *w, int32_t count) {
    for (int32_t i = 0; i < count; i++) {
        float x = (float)stoa_count(w);
        assert_false(stoa_entity_is_null(stoa_create_with(w, STOA_VALUE(Position, {x, -x}))));
    }
}

/* QRY-03 */
static void chunks_give_entities_columns_and_counts(void **state) {
    stoa_world *w = ((support_world *)*state)->world;
    enum { COUNT = 20000 };
    for (int32_t i = 0; i < COUNT; i++) {
        stoa_create_with(w, STOA_VALUE(Position, {(float)i, 1}),
                         STOA_VALUE(Velocity, {2, (float)i}));
    }
    stoa_query *query = QUERY(w, STOA_WRITE(Position), STOA_READ(Velocity));
    int32_t rows = 0, chunks = 0;
    for (stoa_iter it = stoa_query_iter(query); stoa_iter_next(&it); chunks++) {
        Position *p = stoa_field_mut(&it, Position, 0);
        const Velocity *v = stoa_field(&it, Velocity, 1);
        assert_ptr_equal(stoa_field(&it, Position, 0), p);
        assert_ptr_equal(it.world, w);
        assert_true(it.count > 0);
        for (int32_t i = 0; i < it.count; i++, rows++) {
            assert_ptr_equal(&p[i], stoa_get(w, it.entities[i], Position));
            assert_ptr_equal(&v[i], stoa_get(w, it.entities[i], Velocity));
            assert_true(p[i].x == (float)rows && v[i].y == (float)rows);
            p[i].x += v[i].x;
        }
    }
    assert_int_equal(rows, COUNT);
    assert_true(chunks > 5);
    float x = 2;
    for (stoa_iter it = stoa_query_iter(query); stoa_iter_next(&it);) {
        const Position *p = stoa_field(&it, Position, 0);
        for (int32_t i = 0; i < it.count; i++, x++) {
            assert_true(p[i].x == x);
        }
    }
}

/* QRY-03 STO-10 STO-02 */
static void columns_start_and_may_be_read_by_whole_lines(void **state) {
    stoa_world *w = ((support_world *)*state)->world;
    for (int32_t i = 0; i < 9001; i++) {
        stoa_create_with(w, STOA_VALUE(Odd, {{(uint8_t)i}}));
    }
    stoa_query *query = QUERY(w, STOA_READ(Odd));
    unsigned sum = 0;
    for (stoa_iter it = stoa_query_iter(query); stoa_iter_next(&it);) {
        const uint8_t *bytes = (const uint8_t *)stoa_field(&it, Odd, 0);
        assert_int_equal((uintptr_t)bytes % 64, 0);
        size_t whole = ((size_t)it.count * sizeof(Odd) + 63) / 64 * 64;
        for (size_t i = 0; i < whole; i++) {
            sum += bytes[i];
        }
    }
    assert_true(sum > 0);
}

/* QRY-03 */
static void order_is_by_archetype_then_row(void **state) {
    stoa_world *w = ((support_world *)*state)->world;
    support_random random = {5};
    for (int32_t i = 0; i < 300; i++) {
        stoa_entity e = stoa_create(w);
        stoa_type *const types[] = {&Position_stoa, &Velocity_stoa, &Odd_stoa, &Frozen_stoa};
        for (uint32_t set = support_random_next(&random) & 15, k = 0; set >> k != 0; k++) {
            assert_int_equal((set >> k & 1) != 0 ? stoa_add_type(w, e, types[k]) : STOA_OK,
                             STOA_OK);
        }
    }
    stoa_query *query = QUERY(w, STOA_OPTIONAL(Position));
    int32_t archetype = 1, chunk = 0;
    stoa_entity before = STOA_NULL;
    for (stoa_iter it = stoa_query_iter(query); stoa_iter_next(&it);) {
        int32_t at = stoa_archetype_of(w, it.entities[0]);
        stoa_chunk_info info;
        if (at == 0) {
            assert_true(stoa_entity_is_null(before));
            before = it.entities[0];
            for (int32_t i = 1; i < it.count; i++) {
                assert_true(it.entities[i].index > it.entities[i - 1].index);
            }
            continue;
        }
        assert_true(!stoa_entity_is_null(before) && at >= archetype);
        chunk = at == archetype ? chunk : 0;
        archetype = at;
        assert_int_equal(stoa_chunk_info_get(w, at, chunk++, &info), STOA_OK);
        assert_ptr_equal(info.entities, it.entities);
        assert_int_equal(info.count, it.count);
    }
    assert_int_equal(archetype, stoa_archetype_count(w) - 1);
    assert_false(stoa_entity_is_null(before));
}

/* QRY-03 ENT-10: one chunk, before those of other archetypes, since theirs is archetype 0. */
static void entities_without_components_come_first(void **state) {
    stoa_world *w = ((support_world *)*state)->world;
    bool seen[400] = {false};
    for (int32_t i = 0; i < 300; i++) {
        stoa_entity e = stoa_create(w);
        if (i % 3 == 0) {
            assert_int_equal(stoa_add(w, e, Frozen), STOA_OK);
        } else if (i % 7 == 0) {
            assert_int_equal(stoa_destroy(w, e), STOA_OK);
        }
    }
    positions_make(w, 5);
    stoa_query *query = QUERY(w, STOA_WITHOUT(Frozen), STOA_OPTIONAL(Position));
    int32_t count = 0, chunks = 0;
    for (stoa_iter it = stoa_query_iter(query); stoa_iter_next(&it); chunks++) {
        assert_int_equal(it.count, chunks == 0 ? stoa_stats(w).empty : 5);
        assert_int_equal(stoa_field(&it, Position, 1) != NULL, chunks == 1);
        for (int32_t i = 0; i < it.count; i++, count++) {
            assert_true(stoa_alive(w, it.entities[i]));
            assert_false(stoa_has(w, it.entities[i], Frozen));
            assert_false(seen[it.entities[i].index]);
            seen[it.entities[i].index] = true;
        }
        assert_int_equal(stoa_check(w), STOA_OK);
    }
    assert_int_equal(chunks, 2);
    assert_int_equal(count, stoa_query_count(query));
}

/* QRY-06 QRY-11 QRY-09: the list that iterations share is gone with the last that needs it, and
 * made anew. */
static void list_of_entities_without_components_is_never_stale(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    assert_int_equal(stoa_create_bulk_values(w, 4, NULL, NULL, 0), STOA_OK);
    positions_make(w, 1);
    stoa_query *all = QUERY(w, STOA_WITHOUT(Frozen)), *some = QUERY(w, STOA_READ(Position));
    for (int32_t round = 0; round < 3; round++) {
        stoa_iter outer = stoa_query_iter(some);
        size_t bytes = s->heap.bytes;
        stoa_iter it = stoa_query_iter(all), twin = stoa_query_iter(all);
        assert_true(stoa_iter_next(&it) && stoa_iter_next(&twin));
        assert_int_equal(it.count, 4 + round);
        assert_ptr_equal(it.entities, twin.entities);
        stoa_iter_end(&it);
        assert_true(stoa_alive(w, twin.entities[3 + round]));
        stoa_iter_end(&twin);
        assert_true(round == 0 || s->heap.bytes == bytes);
        stoa_iter_end(&outer);
        assert_false(stoa_entity_is_null(stoa_create(w)));
    }
}

/* GEN-04 QRY-03: without memory for the list there is no iteration, and the world is free. */
static void list_of_entities_without_components_needs_memory(void **state) {
    support_world *s = *state;
    assert_false(stoa_entity_is_null(stoa_create(s->world)));
    stoa_query *all = QUERY(s->world, STOA_WITHOUT(Frozen));
    stoa_iter it = stoa_query_iter(all);
    stoa_iter_end(&it);
    s->heap.fail_at = 1;
    it = stoa_query_iter(all);
    assert_int_equal(stoa_last_error().status, STOA_NO_MEMORY);
    assert_false(stoa_iter_next(&it));
    assert_false(stoa_entity_is_null(stoa_create(s->world)));
    it = stoa_query_iter(all);
    assert_true(stoa_iter_next(&it));
    assert_int_equal(it.count, 2);
    stoa_iter_end(&it);
}

/* QRY-02 QRY-03 */
static void columns_are_found_again_after_chunks_grow_or_shrink(void **state) {
    stoa_world *w = ((support_world *)*state)->world;
    stoa_query *query = QUERY(w, STOA_READ(Position));
    for (int32_t round = 0; round < 14; round++) {
        positions_make(w, 1 << round);
        if (round == 10) {
            for (int32_t i = stoa_count(w); i > 3; i--) {
                stoa_entity last = {(uint32_t)i, 1};
                assert_int_equal(stoa_destroy(w, last), STOA_OK);
            }
            assert_int_equal(stoa_compact(w), STOA_OK);
        }
        int32_t rows = 0;
        for (stoa_iter it = stoa_query_iter(query); stoa_iter_next(&it);) {
            const Position *p = stoa_field(&it, Position, 0);
            for (int32_t i = 0; i < it.count; i++, rows++) {
                assert_true(p[i].x == (float)rows && p[i].y == (float)-rows);
            }
        }
        assert_int_equal(rows, stoa_count(w));
    }
}

/* QRY-06 */
static void iterations_nest(void **state) {
    support_world *s = *state;
    positions_make(s->world, 5000);
    stoa_create_with(s->world, STOA_VALUE(Position, {1, 1}), STOA_ZERO(Frozen));
    stoa_query *query = QUERY(s->world, STOA_READ(Position));
    int32_t outer_rows = 0, inner_rows = 0, outer_chunks = 0;
    for (stoa_iter outer = stoa_query_iter(query); stoa_iter_next(&outer); outer_chunks++) {
        const Position *p = stoa_field(&outer, Position, 0);
        Position first = p[0];
        for (stoa_iter inner = stoa_query_iter(query); stoa_iter_next(&inner);) {
            inner_rows += inner.count;
        }
        assert_ptr_equal(stoa_field(&outer, Position, 0), p);
        assert_true(p[0].x == first.x);
        outer_rows += outer.count;
        support_assert_misuse(s, refused(!stoa_entity_is_null(stoa_create(s->world))),
                              STOA_ITERATING);
    }
    assert_int_equal(outer_rows, 5001);
    assert_true(outer_chunks >= 2);
    assert_int_equal(inner_rows, outer_chunks * 5001);
    assert_false(stoa_entity_is_null(stoa_create(s->world)));
}

/* Every call that changes the structure is refused and names the query; nothing is changed. */
static void changes_are_refused(support_world *s, stoa_entity e, const char *name) {
    stoa_world *w = s->world;
    stoa_value put = STOA_ZERO(Odd);
    uint64_t hash = stoa_hash(w);
    const stoa_status statuses[] = {
        refused(!stoa_entity_is_null(stoa_create(w))),
        refused(!stoa_entity_is_null(stoa_create_with(w, STOA_ZERO(Position)))),
        stoa_create_bulk(w, 3, NULL, STOA_ZERO(Position)),
        stoa_destroy(w, e),
        stoa_clear(w, e),
        refused(!stoa_entity_is_null(stoa_clone(w, e))),
        stoa_set(w, e, Velocity, {1, 1}),
        stoa_add(w, e, Frozen),
        stoa_remove(w, e, Position),
        stoa_change_values(w, e, &put, 1),
        stoa_reserve(w, 1000, STOA_ZERO(Position)),
        stoa_compact(w),
    };
    int count = (int)(sizeof statuses / sizeof statuses[0]);
    for (int i = 0; i < count; i++) {
        assert_int_equal(statuses[i], STOA_ITERATING);
    }
    support_assert_message(name);
    support_assert_message("stoa_iter_end");
#ifdef STOA_DEBUG
    assert_int_equal(s->asserts - s->asserts_seen, count);
#endif
    s->asserts_seen = s->asserts;
    assert_int_equal(stoa_hash(w), hash);
    assert_int_equal(stoa_check(w), STOA_OK);
}

/* QRY-06 GEN-03 */
static void structural_change_under_iteration_is_refused(void **state) {
    support_world *s = *state;
    stoa_entity e = stoa_create_with(s->world, STOA_VALUE(Position, {1, 2}));
    stoa_query_desc desc = {.terms = {STOA_WRITE(Position)}, .name = "walk of positions"};
    stoa_query *query = stoa_query_new(s->world, &desc);
    QUERY(s->world, STOA_READ(Velocity));
    for (stoa_iter it = stoa_query_iter(query); stoa_iter_next(&it);) {
        changes_are_refused(s, e, "walk of positions");
        assert_int_equal(stoa_set(s->world, e, Position, {3, 4}), STOA_OK);
        assert_int_equal(stoa_add(s->world, e, Position), STOA_OK);
        assert_int_equal(stoa_remove(s->world, e, Odd), STOA_OK);
        assert_true(stoa_field(&it, Position, 0)->y == 4);
        support_assert_quiet(s);
    }
    desc.name = "a passing walk";
    stoa_iter once = stoa_query_once(s->world, &desc);
    changes_are_refused(s, e, "a passing walk");
    stoa_iter_end(&once);
    assert_int_equal(stoa_destroy(s->world, e), STOA_OK);
    support_assert_quiet(s);
}

/* QRY-06 QRY-11 */
static void iteration_left_by_break_is_named_until_it_ends(void **state) {
    support_world *s = *state;
    positions_make(s->world, 10);
    stoa_query *query = QUERY(s->world, STOA_READ(Position), STOA_WITHOUT(Frozen));
    stoa_iter left = stoa_query_iter(query);
    while (stoa_iter_next(&left)) {
        break;
    }
    support_assert_misuse(s, refused(!stoa_entity_is_null(stoa_create(s->world))), STOA_ITERATING);
    support_assert_message("'const Position, !Frozen'");
    support_assert_message("stoa_iter_end");
    stoa_iter_end(&left);
    assert_false(stoa_entity_is_null(stoa_create(s->world)));
    support_assert_quiet(s);
}

/* QRY-11 */
static void end_is_final_and_may_come_twice(void **state) {
    support_world *s = *state;
    positions_make(s->world, 5000);
    stoa_query *query = QUERY(s->world, STOA_READ(Position));
    stoa_iter other = stoa_query_iter(query);
    stoa_iter it = stoa_query_iter(query);
    assert_true(stoa_iter_next(&it));
    stoa_iter_end(&it);
    stoa_iter_end(&it);
    assert_int_equal(it.count, 0);
    assert_false(stoa_iter_next(&it));
    assert_false(stoa_iter_next(&it));
    support_assert_misuse(s, refused(!stoa_entity_is_null(stoa_create(s->world))), STOA_ITERATING);
    while (stoa_iter_next(&other)) {
    }
    stoa_iter_end(&other);
    assert_false(stoa_entity_is_null(stoa_create(s->world)));
    stoa_iter unstarted = stoa_query_iter(query);
    stoa_iter_end(&unstarted);
    assert_false(stoa_iter_next(&unstarted));
    stoa_iter none = stoa_query_iter(NULL);
    assert_int_equal(stoa_last_error().status, STOA_NULL_ARGUMENT);
    assert_false(stoa_iter_next(&none));
    stoa_iter_end(&none);
    stoa_iter_end(NULL);
    assert_int_equal(stoa_query_free(query), STOA_OK);
    support_assert_quiet(s);
}

/* QRY-11 */
static void end_among_entities_without_components_is_final(void **state) {
    stoa_world *w = ((support_world *)*state)->world;
    assert_int_equal(stoa_create_bulk_values(w, 100, NULL, NULL, 0), STOA_OK);
    stoa_query *query = QUERY(w, STOA_OPTIONAL(Position));
    stoa_iter it = stoa_query_iter(query);
    assert_true(stoa_iter_next(&it));
    stoa_iter_end(&it);
    assert_false(stoa_iter_next(&it));
    assert_false(stoa_entity_is_null(stoa_create(w)));
}

/* QRY-02 QRY-03 */
static void archetype_without_rows_is_passed_over_until_it_has_some(void **state) {
    stoa_world *w = ((support_world *)*state)->world;
    stoa_entity first = stoa_create_with(w, STOA_ZERO(Position));
    stoa_create_with(w, STOA_ZERO(Position), STOA_ZERO(Frozen));
    stoa_query *query = QUERY(w, STOA_READ(Position));
    for (int32_t round = 0; round < 3; round++) {
        assert_int_equal(stoa_destroy(w, first), STOA_OK);
        stoa_iter it = stoa_query_iter(query);
        assert_true(stoa_iter_next(&it));
        assert_true(stoa_has(w, it.entities[0], Frozen));
        assert_false(stoa_iter_next(&it));
        assert_false(stoa_entity_eq(stoa_query_first(query), first));
        first = stoa_create_with(w, STOA_VALUE(Position, {(float)round, 0}));
        it = stoa_query_iter(query);
        assert_true(stoa_iter_next(&it));
        assert_true(stoa_entity_eq(it.entities[0], first));
        assert_true(stoa_field(&it, Position, 0)->x == (float)round);
        stoa_iter_end(&it);
    }
}

/* Archetypes of one component, told apart by tags, each with an entity. */
enum { LINE = 70 };
static void line_make(stoa_world *w, stoa_entity *e) {
    for (int32_t i = 0; i < LINE; i++) {
        stoa_component_desc desc = {
            .name = (char[]){'T', (char)('0' + i / 10), (char)('0' + i % 10), '\0'}};
        stoa_component tag = stoa_component_register(w, &desc);
        e[i] = stoa_create_with(w, STOA_VALUE(Position, {(float)i, 1}));
        assert_int_equal(stoa_add_id(w, e[i], tag), STOA_OK);
    }
}

/* QRY-03: the next archetype is looked at before its turn, and may have no rows, be the first, the
 * last, or one of those that are not asked for ahead any more. */
static void archetypes_without_rows_are_passed_over_wherever_they_are(void **state) {
    stoa_world *w = ((support_world *)*state)->world;
    stoa_entity e[LINE];
    line_make(w, e);
    stoa_query *query = QUERY(w, STOA_READ(Position));
    support_random random = {7};
    for (int32_t round = 0; round < 60; round++) {
        bool there[LINE];
        for (int32_t i = 0; i < LINE; i++) {
            bool edge = i == 0 || i == LINE - 1 || i == LINE - 64 || i == LINE - 65;
            there[i] = round >= 3 &&
                       support_random_below(&random, edge ? 2u : 1u + (uint32_t)round % 5u) == 0;
            stoa_component id = stoa_id(w, Position);
            assert_int_equal(there[i] ? stoa_add_id(w, e[i], id) : stoa_remove_id(w, e[i], id),
                             STOA_OK);
        }
        int32_t at = 0;
        for (stoa_iter it = stoa_query_iter(query); stoa_iter_next(&it); at++) {
            while (at < LINE && !there[at]) {
                at++;
            }
            assert_in_range(at, 0, LINE - 1);
            assert_int_equal(it.count, 1);
            assert_true(stoa_entity_eq(it.entities[0], e[at]));
            assert_ptr_equal(stoa_field(&it, Position, 0), stoa_get(w, e[at], Position));
        }
        while (at < LINE) {
            assert_false(there[at++]);
        }
    }
}

/* QRY-11: an iteration that is ended has looked at the next archetype already. */
static void ended_iteration_comes_to_no_other_archetype(void **state) {
    stoa_world *w = ((support_world *)*state)->world;
    stoa_entity e[LINE];
    line_make(w, e);
    stoa_query *query = QUERY(w, STOA_READ(Position));
    for (int32_t steps = 0; steps < LINE; steps++) {
        stoa_iter it = stoa_query_iter(query);
        for (int32_t i = 0; i < steps; i++) {
            assert_true(stoa_iter_next(&it));
        }
        stoa_iter_end(&it);
        assert_false(stoa_iter_next(&it));
        assert_int_equal(it.count, 0);
        assert_int_equal(stoa_check(w), STOA_OK);
    }
}

/* QRY-03: a list of matches that grows takes their columns along. */
static void columns_are_found_as_archetypes_appear(void **state) {
    stoa_world *w = ((support_world *)*state)->world;
    enum { COUNT = 100 };
    stoa_query *query = QUERY(w, STOA_WRITE(Position), STOA_OPTIONAL(Velocity));
    for (int32_t made = 0; made < COUNT; made++) {
        stoa_component_desc desc = {
            .name = (char[]){'T', (char)('0' + made / 10), (char)('0' + made % 10), '\0'}};
        stoa_component tag = stoa_component_register(w, &desc);
        stoa_entity e = stoa_create_with(w, STOA_VALUE(Position, {(float)made, 1}));
        assert_int_equal(stoa_add_id(w, e, tag), STOA_OK);
        int32_t seen = 0;
        for (stoa_iter it = stoa_query_iter(query); stoa_iter_next(&it); seen++) {
            assert_int_equal(it.count, 1);
            assert_true(stoa_field_mut(&it, Position, 0)->x == (float)seen);
            assert_null(stoa_field(&it, Velocity, 1));
        }
        assert_int_equal(seen, made + 1);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        WITH_WORLD(chunks_give_entities_columns_and_counts),
        WITH_WORLD(columns_start_and_may_be_read_by_whole_lines),
        WITH_WORLD(order_is_by_archetype_then_row),
        WITH_WORLD(entities_without_components_come_first),
        WITH_WORLD(list_of_entities_without_components_is_never_stale),
        WITH_WORLD(list_of_entities_without_components_needs_memory),
        WITH_WORLD(columns_are_found_again_after_chunks_grow_or_shrink),
        WITH_WORLD(iterations_nest),
        WITH_WORLD(structural_change_under_iteration_is_refused),
        WITH_WORLD(iteration_left_by_break_is_named_until_it_ends),
        WITH_WORLD(end_is_final_and_may_come_twice),
        WITH_WORLD(end_among_entities_without_components_is_final),
        WITH_WORLD(archetype_without_rows_is_passed_over_until_it_has_some),
        WITH_WORLD(archetypes_without_rows_are_passed_over_wherever_they_are),
        WITH_WORLD(ended_iteration_comes_to_no_other_archetype),
        WITH_WORLD(columns_are_found_as_archetypes_appear),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
