/* The fast paths of the public header where they have to ask the slow ones: more descriptors than
 * they remember, components that have no table, handles that nobody gave out, and archetypes whose
 * ids do not fit into a table without crowding. */
#include "support/support.h"

#include <stdlib.h>

#define DESCRIPTORS (3 * STOA_SLOTS)

STOA_COMPONENT(Position, { float x, y; });
STOA_COMPONENT(Velocity, { float x, y; });
STOA_COMPONENT_WITH(Corner, STOA_OPTIONS(.name = "gfx.Corner"), { float x, y; });
STOA_COMPONENT(Box, { Corner low, high; });

/* CMP-09 CMP-01 ACC-01: descriptors that share a place in the table of the fast paths. */
static void descriptors_beyond_the_fast_table_work(void **state) {
    support_world *s = *state;
    static stoa_type types[DESCRIPTORS];
    static char names[DESCRIPTORS][16];
    stoa_entity e = stoa_create(s->world);
    for (uint32_t i = 0; i < DESCRIPTORS; i++) {
        snprintf(names[i], sizeof names[i], "T%u", i);
        types[i].form = STOA_FORM_OWN;
        types[i].identifier = names[i];
        types[i].text = "{ uint32_t n; }";
        types[i].size = 4;
        types[i].alignment = 4;
        types[i].enum_size = 4;
        atomic_init(&types[i].slot, 0);
        if (i % 3 != 0) {
            assert_int_equal(stoa_set_type(s->world, e, &types[i], &i), STOA_OK);
        }
    }
    for (uint32_t pass = 0; pass < 2; pass++) {
        for (uint32_t i = 0; i < DESCRIPTORS; i++) {
            const uint32_t *found = stoa_fast_try(s->world, e, &types[i], 4);
            assert_int_equal(found != NULL, i % 3 != 0);
            assert_int_equal(stoa_has_type(s->world, e, &types[i]), i % 3 != 0);
            if (found != NULL) {
                assert_int_equal(*found, i);
                assert_ptr_equal(stoa_fast_get(s->world, e, &types[i], 4), found);
            }
        }
    }
}

/* CMP-09 ACC-01: a descriptor's first look-up in the process finds what another one registered. */
static void descriptor_that_is_new_finds_a_component(void **state) {
    support_world *s = *state;
    stoa_component_desc desc = {.name = "Late", .fields = "{ uint32_t n; }"};
    stoa_component id = stoa_component_register(s->world, &desc);
    stoa_entity e = stoa_create(s->world), other = stoa_create(s->world);
    assert_int_equal(stoa_set_id(s->world, e, id, &(uint32_t){5}, 4), STOA_OK);
    for (int32_t i = 0; i < 6; i++) {
        stoa_type type = {.form = STOA_FORM_OWN,
                          .identifier = "Late",
                          .text = "{ uint32_t n; }",
                          .size = 4,
                          .alignment = 4,
                          .enum_size = 4};
        const uint32_t *expected = stoa_get_id(s->world, e, id);
        switch (i) {
        case 0:
            assert_true(stoa_has_type(s->world, e, &type));
            break;
        case 1:
            assert_ptr_equal(stoa_fast_try(s->world, e, &type, 4), expected);
            break;
        case 2:
            assert_ptr_equal(stoa_fast_try_mut(s->world, e, &type, 4), expected);
            break;
        case 3:
            assert_ptr_equal(stoa_fast_get(s->world, e, &type, 4), expected);
            break;
        case 4:
            assert_ptr_equal(stoa_fast_get_mut(s->world, e, &type, 4), expected);
            break;
        default:
            assert_false(stoa_has_type(s->world, other, &type));
            break;
        }
        assert_true(stoa_has_type(s->world, e, &type));
        assert_false(stoa_has_type(s->world, other, &type));
    }
}

/* STO-01 ACC-01 CMP-09: ids that differ in high bits only are told apart, present and absent. */
static void crowded_archetype_knows_its_components(void **state) {
    support_world *s = *state;
    const uint32_t strides[] = {64, 512, 1024};
    for (uint32_t i = 0; i < 4096; i++) {
        char name[16];
        snprintf(name, sizeof name, "T%u", i);
        stoa_component_desc desc = {.name = name, .fields = "{ uint32_t n; }"};
        assert_int_equal(stoa_component_register(s->world, &desc), i + 1);
    }
    for (int k = 0; k < 3; k++) {
        uint32_t stride = strides[k], data[4] = {1, 2, 3, 4};
        stoa_value values[4];
        for (uint32_t i = 0; i < 4; i++) {
            values[i] = (stoa_value){.id = 7 + i * stride, .data = &data[i]};
        }
        stoa_entity e = stoa_create_values(s->world, values, 4);
        for (uint32_t id = 1; id <= 4096; id++) {
            bool there = id >= 7 && (id - 7) % stride == 0 && (id - 7) / stride < 4;
            assert_int_equal(stoa_has_id(s->world, e, id), there);
            const uint32_t *n = stoa_try_get_id(s->world, e, id);
            assert_int_equal(n != NULL ? *n : 0, there ? (id - 7) / stride + 1 : 0);
        }
        assert_int_equal(stoa_remove_id(s->world, e, 7 + stride), STOA_OK);
        assert_false(stoa_has_id(s->world, e, 7 + stride));
        assert_true(stoa_has_id(s->world, e, 7 + 2 * stride));
    }
}

/* QRY-06 ACC-06: what does not move a row is no structural change. */
static void change_in_place_is_allowed_under_iteration(void **state) {
    support_world *s = *state;
    stoa_entity e = stoa_create_with(s->world, STOA_VALUE(Position, {1, 2}));
    stoa_query *q =
        stoa_query_new(s->world, &(stoa_query_desc){.terms = {STOA_READ(Position)}, .name = "all"});
    stoa_iter it = stoa_query_iter(q);
    assert_true(stoa_iter_next(&it));
    assert_int_equal(stoa_change(s->world, e, STOA_VALUE(Position, {3, 4}), STOA_REMOVE(Velocity)),
                     STOA_OK);
    assert_true(stoa_field(&it, Position, 0)[0].y == 4);
    support_assert_misuse(
        s, stoa_change(s->world, e, STOA_VALUE(Position, {5, 6}), STOA_ZERO(Velocity)),
        STOA_ITERATING);
    support_assert_message("'all'");
    assert_true(stoa_get(s->world, e, Position)->y == 4);
    stoa_iter_end(&it);
}

/* GEN-03 CMP-01: a call that fails registers nothing. */
static void dead_entity_registers_no_type(void **state) {
    support_world *s = *state;
    stoa_entity e = stoa_create(s->world);
    assert_int_equal(stoa_destroy(s->world, e), STOA_OK);
    support_assert_misuse(s, stoa_set(s->world, e, Position, {1, 2}), STOA_DEAD);
    support_assert_misuse(s, stoa_add(s->world, e, Velocity), STOA_DEAD);
    assert_int_equal(stoa_component_count(s->world), 0);
}

/* CMP-04 GEN-03: what is there under another description is not called missing. */
static void get_by_a_conflicting_description_says_so(void **state) {
    support_world *s = *state;
    stoa_component_desc desc = {.name = "Position", .fields = "{ double x, y; }"};
    stoa_component id = stoa_component_register(s->world, &desc);
    stoa_entity e = stoa_create(s->world);
    assert_int_equal(stoa_add_id(s->world, e, id), STOA_OK);
    assert_null(stoa_get(s->world, e, Position));
    assert_int_equal(stoa_last_error().status, STOA_CONFLICT);
    support_assert_message("'Position'");
    assert_null(stoa_try_get(s->world, e, Position));
    support_assert_quiet(s);
}

/* What the hooks of Owned were called for. */
static int32_t owned_moves, owned_drops;

static void owned_move(void *to, void *from, int32_t count, void *user) {
    (void)user;
    memcpy(to, from, (size_t)count * 8);
    owned_moves += count;
}

static void owned_drop(void *items, int32_t count, void *user) {
    (void)items;
    (void)user;
    owned_drops += count;
}

STOA_COMPONENT(Odd, { uint8_t bytes[3]; });
STOA_COMPONENT(Half, { float x, y; });
STOA_COMPONENT_WITH(Owned, STOA_OPTIONS(.hooks = {.move = owned_move, .drop = owned_drop}),
                    { uint64_t token; });
STOA_TAG(Frozen);

/* ENT-06 CMP-11: small bundles go another way in; every kind of value arrives by it, each time. */
static void small_bundles_take_every_kind_of_value(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    owned_moves = owned_drops = 0;
    for (int32_t i = 0; i < 200; i++) {
        float n = (float)i;
        stoa_entity one = stoa_create_with(w, STOA_VALUE(Position, {n, -n}));
        stoa_entity two = stoa_create_with(w, STOA_VALUE(Velocity, {n, 1}), STOA_ZERO(Position));
        stoa_entity back =
            stoa_create_with(w, STOA_VALUE(Position, {n, 2}), STOA_VALUE(Velocity, {n, 3}));
        stoa_entity odd = stoa_create_with(w, STOA_VALUE(Odd, {{1, 2, (uint8_t)i}}),
                                           STOA_VALUE(Position, {n, 4}), STOA_ZERO(Frozen));
        stoa_entity own = stoa_create_with(w, STOA_VALUE(Owned, {(uint64_t)i}),
                                           STOA_VALUE(Position, {n, 5}), STOA_VALUE(Odd, {{7}}));
        assert_true(stoa_get(w, one, Position)->y == -n);
        assert_true(stoa_get(w, two, Position)->y == 0 && stoa_get(w, two, Velocity)->x == n);
        assert_true(stoa_get(w, back, Position)->y == 2 && stoa_get(w, back, Velocity)->y == 3);
        assert_int_equal(stoa_archetype_of(w, two), stoa_archetype_of(w, back));
        assert_int_equal(stoa_get(w, odd, Odd)->bytes[2], (uint8_t)i);
        assert_true(stoa_has(w, odd, Frozen) && stoa_get(w, odd, Position)->y == 4);
        assert_int_equal(stoa_get(w, own, Owned)->token, i);
        assert_int_equal(stoa_get(w, own, Odd)->bytes[0], 7);
        assert_int_equal(stoa_destroy(w, own), STOA_OK);
    }
    assert_int_equal(owned_drops, 200);
    assert_int_equal(owned_moves, 200);
    assert_int_equal(stoa_count(w), 800);
}

/* ENT-06 CMP-11: a bundle that looks like the one remembered is not taken for it. The short way is
 * taken from the third time on, while the chunk has rows: so each is made some times in a row. */
static void small_bundles_are_told_apart(void **state) {
    stoa_world *w = ((support_world *)*state)->world;
    for (int32_t i = 0; i < 60; i++) {
        float n = (float)i;
        bool other = i / 5 % 2 != 0;
        stoa_entity two =
            other ? stoa_create_with(w, STOA_VALUE(Position, {n, 3}), STOA_VALUE(Corner, {n, 4}))
                  : stoa_create_with(w, STOA_VALUE(Position, {n, 1}), STOA_VALUE(Velocity, {n, 2}));
        stoa_entity three =
            other ? stoa_create_with(w, STOA_VALUE(Position, {n, 3}), STOA_VALUE(Velocity, {n, 5}),
                                     STOA_VALUE(Corner, {n, 4}))
                  : stoa_create_with(w, STOA_VALUE(Position, {n, 1}), STOA_VALUE(Velocity, {n, 5}),
                                     STOA_VALUE(Half, {n, 2}));
        assert_int_equal(stoa_has(w, two, Corner), other);
        assert_int_equal(stoa_has(w, two, Velocity), !other);
        assert_int_equal(stoa_has(w, three, Corner), other);
        assert_int_equal(stoa_has(w, three, Half), !other);
        assert_true(!other || stoa_get(w, three, Corner)->y == 4);
        assert_true(stoa_get(w, two, Position)->y == (other ? 3.0f : 1.0f));
    }
}

/* CMP-11 ENT-06: the same bundle again and again, which is when the short way is taken. */
static void repeated_small_bundles_keep_hooks_and_odd_sizes(void **state) {
    stoa_world *w = ((support_world *)*state)->world;
    static stoa_entity odd[200], own[6];
    owned_moves = owned_drops = 0;
    for (int32_t i = 0; i < 6; i++) {
        own[i] = stoa_create_with(w, STOA_VALUE(Owned, {(uint64_t)i}));
        assert_int_equal(owned_moves, i + 1);
    }
    for (int32_t i = 5; i >= 0; i--) {
        assert_int_equal(stoa_get(w, own[i], Owned)->token, i);
        assert_int_equal(stoa_destroy(w, own[i]), STOA_OK);
    }
    assert_int_equal(owned_drops, 6);
    /* The value lies at the end of its memory: a byte more than it has would be past it. */
    for (int32_t i = 0; i < 200; i++) {
        Odd *value = malloc(sizeof *value);
        *value = (Odd){{(uint8_t)i, 9, (uint8_t)(i + 1)}};
        odd[i] = stoa_create_one(w, STOA_TYPE_OF(Odd), value);
        free(value);
    }
    for (int32_t i = 0; i < 200; i++) {
        assert_int_equal(stoa_get(w, odd[i], Odd)->bytes[0], (uint8_t)i);
        assert_int_equal(stoa_get(w, odd[i], Odd)->bytes[2], (uint8_t)(i + 1));
    }
}

/* GEN-03 GEN-05 QRY-06: what is wrong with a small bundle is told, and nothing changes. */
static void small_bundle_that_makes_no_sense_is_refused(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    Position p = {1, 2};
    stoa_type *position = STOA_TYPE_OF(Position);
    for (int32_t i = 0; i < 3; i++) {
        assert_false(stoa_entity_is_null(stoa_create_one(w, position, &p)));
    }
    uint64_t hash = stoa_hash(w);
    assert_true(stoa_entity_is_null(stoa_create_two(w, position, &p, position, &p)));
    support_assert_misuse(s, stoa_last_error().status, STOA_DUPLICATE);
    assert_true(stoa_entity_is_null(stoa_create_one(w, NULL, &p)));
    support_assert_misuse(s, stoa_last_error().status, STOA_UNKNOWN);
    assert_true(stoa_entity_is_null(stoa_create_two(w, position, &p, NULL, NULL)));
    support_assert_misuse(s, stoa_last_error().status, STOA_UNKNOWN);
    assert_true(stoa_entity_is_null(stoa_create_three(NULL, position, &p, position, &p, NULL, &p)));
    assert_int_equal(stoa_last_error().status, STOA_NULL_ARGUMENT);
    stoa_query *q = stoa_query_new(w, &(stoa_query_desc){.terms = {STOA_READ(Position)}});
    stoa_iter it = stoa_query_iter(q);
    assert_true(stoa_entity_is_null(stoa_create_one(w, position, &p)));
    support_assert_misuse(s, stoa_last_error().status, STOA_ITERATING);
    stoa_iter_end(&it);
    assert_int_equal(stoa_hash(w), hash);
}

/* CMP-06 CMP-13: a nested type is found by its C name though it goes by another. */
static void nested_type_is_found_by_its_c_name(void **state) {
    support_world *s = *state;
    assert_int_equal(stoa_id(s->world, Box), 0);
    support_assert_message("'Corner'");
    stoa_component corner = stoa_id(s->world, Corner), box = stoa_id(s->world, Box);
    stoa_component_info info;
    assert_int_equal(stoa_component_info_get(s->world, box, &info), STOA_OK);
    assert_int_equal(info.members[1].type, corner);
    assert_int_equal(info.members[1].offset, offsetof(Box, high));
    assert_string_equal(stoa_component_name(s->world, corner), "gfx.Corner");
}

STOA_COMPONENT_WITH(Traced, STOA_OPTIONS(.flags = STOA_ROW_TICKS), { uint32_t n; });
STOA_COMPONENT_WITH(Loose, STOA_OPTIONS(.flags = STOA_SPARSE), { uint32_t n; });

/* A descriptor that the process has not met, of a component of one number. */
static stoa_type type_fresh(const char *name, uint32_t flags) {
    return (stoa_type){.form = STOA_FORM_OWN,
                       .identifier = name,
                       .text = "{ uint32_t n; }",
                       .size = 4,
                       .alignment = 4,
                       .enum_size = 4,
                       .options = {.flags = flags}};
}

/* CMP-09 CHG-01 ACC-01: a write by a descriptor's first look-up is a write. */
static void write_by_a_new_descriptor_is_marked(void **state) {
    support_world *s = *state;
    stoa_entity written = stoa_create_with(s->world, STOA_VALUE(Traced, {1}), STOA_ZERO(Loose));
    stoa_entity other = stoa_create_with(s->world, STOA_VALUE(Traced, {2}), STOA_ZERO(Loose));
    uint32_t since = stoa_tick(s->world);
    (void)stoa_tick_advance(s->world);
    stoa_type traced = type_fresh("Traced", STOA_ROW_TICKS);
    stoa_type loose = type_fresh("Loose", STOA_SPARSE);
    for (int32_t i = 0; i < 2; i++) {
        *(uint32_t *)stoa_fast_get_mut(s->world, written, &traced, 4) += 5;
        *(uint32_t *)stoa_fast_get_mut(s->world, written, &loose, 4) += 7;
        assert_true(stoa_changed(s->world, written, Traced, since));
        assert_true(stoa_changed(s->world, written, Loose, since));
        assert_false(stoa_changed(s->world, other, Traced, since));
        assert_false(stoa_changed(s->world, other, Loose, since));
        since = stoa_tick(s->world);
        assert_false(stoa_changed(s->world, written, Traced, since));
        (void)stoa_tick_advance(s->world);
    }
    assert_int_equal(stoa_get(s->world, written, Traced)->n, 11);
    assert_int_equal(stoa_get(s->world, written, Loose)->n, 14);
    assert_int_equal(stoa_get(s->world, other, Traced)->n, 2);
}

/* ACC-01 STO-01: among many small chunks a component has no table, and is found all the same. */
static void component_without_a_table_is_found(void **state) {
    support_world *s = *state;
    for (uint32_t i = 0; i < 300; i++) {
        char name[16];
        snprintf(name, sizeof name, "T%u", i);
        stoa_component_desc desc = {.name = name, .fields = "{ uint32_t n; }"};
        stoa_component id = stoa_component_register(s->world, &desc);
        assert_int_equal(stoa_set_id(s->world, stoa_create(s->world), id, &i, 4), STOA_OK);
    }
    stoa_entity e = stoa_create_with(s->world, STOA_VALUE(Traced, {3}));
    stoa_entity without = stoa_create_with(s->world, STOA_VALUE(Position, {1, 2}));
    const stoa_world_head *head = (const stoa_world_head *)(const void *)s->world;
    assert_null(head->columns[stoa_id(s->world, Traced)]);
    uint32_t since = stoa_tick(s->world);
    (void)stoa_tick_advance(s->world);
    assert_true(stoa_has(s->world, e, Traced));
    assert_int_equal(stoa_get(s->world, e, Traced)->n, 3);
    assert_int_equal(stoa_try_get(s->world, e, Traced)->n, 3);
    assert_false(stoa_changed(s->world, e, Traced, since));
    stoa_get_mut(s->world, e, Traced)->n = 4;
    assert_true(stoa_changed(s->world, e, Traced, since));
    assert_int_equal(stoa_try_get_mut(s->world, e, Traced)->n, 4);
    assert_false(stoa_has(s->world, without, Traced));
    assert_null(stoa_try_get(s->world, without, Traced));
    assert_null(stoa_try_get_mut(s->world, without, Traced));
    support_assert_quiet(s);
    assert_null(stoa_get(s->world, without, Traced));
    support_assert_misuse(s, stoa_last_error().status, STOA_MISSING);
    assert_null(stoa_get_mut(s->world, without, Traced));
    support_assert_misuse(s, stoa_last_error().status, STOA_MISSING);
}

/* A get that must fail, of which the message names the entity. */
static void get_names(support_world *s, stoa_entity e, stoa_status status, const char *text) {
    assert_null(stoa_get(s->world, e, Position));
    support_assert_misuse(s, stoa_last_error().status, status);
    support_assert_message(text);
    assert_null(stoa_get_mut(s->world, e, Position));
    support_assert_misuse(s, stoa_last_error().status, status);
    support_assert_message(text);
}

/* GEN-03 ACC-01: look-ups do not keep the handle, and yet the message names it. */
static void failed_get_names_the_entity_it_was_asked_for(void **state) {
    support_world *s = *state;
    stoa_entity first = stoa_create_with(s->world, STOA_VALUE(Position, {1, 2}));
    stoa_entity old = stoa_create_with(s->world, STOA_VALUE(Position, {3, 4}));
    assert_int_equal(stoa_destroy(s->world, old), STOA_OK);
    stoa_entity e = stoa_create_with(s->world, STOA_VALUE(Velocity, {5, 6}));
    const stoa_world_head *head = (const stoa_world_head *)(const void *)s->world;
    assert_non_null(head->columns[stoa_id(s->world, Position)]);
    assert_true(stoa_get(s->world, first, Position)->y == 2);
    get_names(s, e, STOA_MISSING, "'Position' is not on entity 2v2");
    get_names(s, stoa_create(s->world), STOA_MISSING, "'Position' is not on entity 3v1");
    get_names(s, old, STOA_DEAD, "entity 2v1 is dead");
    get_names(s, (stoa_entity){1, 77}, STOA_DEAD, "entity 1v77 is dead");
    get_names(s, (stoa_entity){4000, 5}, STOA_DEAD, "entity 4000v5 is dead");
    get_names(s, (stoa_entity){2, 0x80000002u}, STOA_DEAD, "entity 2v2147483650 is dead");
}

/* ENT-03 ACC-01: a forged handle of a free slot, whose record leads to another slot, finds nothing.
 */
static void handle_with_the_mark_of_the_dead_finds_nothing(void **state) {
    support_world *s = *state;
    stoa_entity e[3];
    for (int32_t i = 0; i < 3; i++) {
        e[i] = stoa_create_with(s->world, STOA_VALUE(Position, {1, 2}));
    }
    stoa_entity live = stoa_create_with(s->world, STOA_VALUE(Position, {3, 4}));
    for (int32_t i = 0; i < 3; i++) {
        assert_int_equal(stoa_destroy(s->world, e[i]), STOA_OK);
    }
    const stoa_record *records = ((const stoa_world_head *)(const void *)s->world)->records;
    for (uint32_t index = 0; index <= live.index; index++) {
        stoa_entity forged = {index, records[index].generation | 0x80000000u};
        assert_false(stoa_has(s->world, forged, Position));
        assert_null(stoa_try_get(s->world, forged, Position));
        assert_null(stoa_try_get_mut(s->world, forged, Position));
        assert_false(stoa_alive(s->world, forged));
    }
    assert_true(stoa_has(s->world, live, Position));
}

#define WITH_WORLD(test) cmocka_unit_test_setup_teardown(test, support_setup, support_teardown)

int main(void) {
    const struct CMUnitTest tests[] = {
        WITH_WORLD(descriptors_beyond_the_fast_table_work),
        WITH_WORLD(descriptor_that_is_new_finds_a_component),
        WITH_WORLD(crowded_archetype_knows_its_components),
        WITH_WORLD(change_in_place_is_allowed_under_iteration),
        WITH_WORLD(dead_entity_registers_no_type),
        WITH_WORLD(get_by_a_conflicting_description_says_so),
        WITH_WORLD(small_bundles_take_every_kind_of_value),
        WITH_WORLD(small_bundles_are_told_apart),
        WITH_WORLD(repeated_small_bundles_keep_hooks_and_odd_sizes),
        WITH_WORLD(small_bundle_that_makes_no_sense_is_refused),
        WITH_WORLD(nested_type_is_found_by_its_c_name),
        WITH_WORLD(write_by_a_new_descriptor_is_marked),
        WITH_WORLD(component_without_a_table_is_found),
        WITH_WORLD(failed_get_names_the_entity_it_was_asked_for),
        WITH_WORLD(handle_with_the_mark_of_the_dead_finds_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
