/* What a world remembers of described types that it was handed: found by where the descriptor is,
 * so descriptors that share a place, in whatever order and of whatever sort, must not be taken for
 * each other. */
#include "world/tale.h"

#include "world/world.h"

STOA_COMPONENT(Probe, { int32_t value, more; });

/* Descriptors that are remembered at the same place, or nearly. */
#define TYPES (2 * STOA__TYPES + 8)

typedef struct spaced_type {
    _Alignas(64) stoa_type type;
    uint8_t rest[64 - sizeof(stoa_type) % 64];
} spaced_type;

static spaced_type spaced[TYPES * 8];
static char names[TYPES][16];
static uint32_t round_count;

/* Number i of the types of this round: a plain one, a sparse one, a tag, or a switchable one. */
static stoa_type *type_at(uint32_t i) {
    /* All of them within few places, so that each is shared by many. */
    return &spaced[i * 8 % (TYPES * 8)].type;
}

/* Fresh descriptors, at the places of those of the rounds before. */
static void types_make(void) {
    round_count++;
    for (uint32_t i = 0; i < TYPES; i++) {
        snprintf(names[i], sizeof names[i], "R%uT%u", round_count, i);
        *type_at(i) = (stoa_type){.form = STOA_FORM_OWN,
                                  .identifier = names[i],
                                  .text = i % 4 == 2 ? NULL : "{ int32_t value, more; }",
                                  .size = i % 4 == 2 ? 0 : 8,
                                  .alignment = i % 4 == 2 ? 1 : 4,
                                  .enum_size = 4};
        if (i % 4 == 2) {
            type_at(i)->form = STOA_FORM_OPAQUE;
        }
        type_at(i)->options.flags = i % 4 == 1 ? STOA_SPARSE : i % 4 == 3 ? STOA_SWITCHABLE : 0;
    }
}

/* CMP-01 CMP-09 ACC-01: each does what it does, though others come between. */
static void descriptors_that_share_a_place_are_told_apart(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    for (int round = 0; round < 3; round++) {
        types_make();
        stoa_entity e = stoa_create(w), other = stoa_create(w);
        for (int32_t pass = 0; pass < 3; pass++) {
            for (int32_t i = 0; i < TYPES; i++) {
                int32_t value[] = {1000 * pass + i, 0};
                assert_int_equal(stoa_set_type(w, e, type_at((uint32_t)i), value), STOA_OK);
                assert_int_equal(stoa_has_type(w, other, type_at((uint32_t)i)), pass > 0);
                assert_int_equal(stoa_add_type(w, other, type_at((uint32_t)i)), STOA_OK);
            }
            for (uint32_t i = 0; i < TYPES; i++) {
                const int32_t *value = stoa_get_type(w, e, type_at(i));
                assert_non_null(value);
                assert_true(i % 4 == 2 || *value == 1000 * pass + (int32_t)i);
                stoa_status status = stoa_enable_type(w, e, type_at(i), pass % 2 == 0);
                assert_int_equal(status, i % 4 == 3 ? STOA_OK : STOA_INVALID);
                assert_int_equal(stoa_enabled_type(w, e, type_at(i)), i % 4 != 3 || pass % 2 == 0);
            }
            s->asserts_seen = s->asserts;
            for (uint32_t i = 0; i < TYPES; i += 3) {
                assert_int_equal(stoa_remove_type(w, e, type_at(i)), STOA_OK);
                assert_false(stoa_has_type(w, e, type_at(i)));
                assert_true(stoa_has_type(w, other, type_at(i)));
            }
            assert_int_equal(stoa_check(w), STOA_OK);
        }
        assert_int_equal(stoa_destroy(w, e), STOA_OK);
        assert_int_equal(stoa_destroy(w, other), STOA_OK);
    }
}

/* STO-01: one after the other, from the same archetype and from another by turns: ways that are
 * remembered at one place. */
static void ways_of_types_that_share_a_place_are_told_apart(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    types_make();
    stoa_entity e[] = {stoa_create_with(w, STOA_VALUE(Probe, {1, 0})), STOA_NULL, STOA_NULL};
    int32_t base[] = {9, 0};
    for (int k = 1; k < 3; k++) {
        e[k] = stoa_create_with(w, STOA_VALUE(Probe, {1, 0}));
        assert_int_equal(stoa_set_type(w, e[k], type_at(k == 1 ? 3 : 0), base), STOA_OK);
    }
    for (int32_t round = 0; round < 4; round++) {
        for (uint32_t i = 4; i < TYPES; i++) {
            /* With a step of the size of that memory, then of one. */
            stoa_type *type = type_at(4 + (i * (round < 2 ? STOA__HOPS : 1)) % (TYPES - 4));
            for (int k = 0; k < 3; k++) {
                int32_t value[] = {100 * round + (int32_t)i, k};
                assert_int_equal(stoa_set_type(w, e[k], type, value), STOA_OK);
                assert_true(stoa_has_type(w, e[k], type));
                const int32_t *found = stoa_get_type(w, e[k], type);
                assert_true(type->size == 0 || (found[0] == value[0] && found[1] == k));
            }
            for (int k = 0; k < 3; k++) {
                assert_int_equal(stoa_remove_type(w, e[k], type), STOA_OK);
                assert_false(stoa_has_type(w, e[k], type));
                assert_int_equal(stoa_get(w, e[k], Probe)->value, 1);
            }
        }
        assert_int_equal(stoa_check(w), STOA_OK);
    }
    assert_true(stoa_has_type(w, e[1], type_at(3)) && stoa_has_type(w, e[2], type_at(0)));
}

/* EVT-01: the same for events; some of the types are components as well. */
static void events_of_types_that_share_a_place_are_told_apart(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    types_make();
    stoa_reader *readers[TYPES] = {NULL};
    stoa_entity e = stoa_create(w);
    for (int32_t pass = 0; pass < 4; pass++) {
        for (int32_t i = 0; i < TYPES; i++) {
            stoa_type *type = type_at((uint32_t)i);
            int32_t value[] = {1000 * pass + i, 0};
            assert_int_equal(stoa_event_send_type(w, STOA_NULL, type, value), STOA_OK);
            value[0] += 500;
            assert_int_equal(stoa_event_send_type(w, STOA_NULL, type, value), STOA_OK);
            assert_int_equal(stoa_set_type(w, e, type, value), STOA_OK);
            /* A reader that comes late, when the type is remembered already. */
            if (pass == 1 && i % 3 != 1) {
                readers[i] = stoa_reader_new_type(w, type);
                assert_non_null(readers[i]);
            }
        }
        for (int32_t i = 0; i < TYPES; i++) {
            stoa_event event;
            for (int32_t k = 0; k < 2; k++) {
                bool read = readers[i] != NULL && stoa_event_read(readers[i], &event);
                assert_int_equal(read, pass > 1 && i % 3 != 1);
                if (read && i % 4 != 2) {
                    assert_int_equal(*(const int32_t *)event.data, 1000 * pass + i + 500 * k);
                }
            }
            assert_true(readers[i] == NULL || !stoa_event_read(readers[i], &event));
        }
    }
}

/* CMP-04: worlds number types as they meet them. */
static void worlds_remember_for_themselves(void **state) {
    support_world *s = *state, other;
    support_world_open(&other);
    types_make();
    stoa_entity a = stoa_create(s->world), b = stoa_create(other.world);
    for (int32_t i = 0; i < TYPES; i++) {
        uint32_t back = TYPES - 1 - (uint32_t)i;
        int32_t value[] = {i, 0};
        assert_int_equal(stoa_set_type(s->world, a, type_at((uint32_t)i), value), STOA_OK);
        assert_int_equal(stoa_set_type(other.world, b, type_at(back), value), STOA_OK);
    }
    for (uint32_t pass = 0; pass < 2; pass++) {
        for (uint32_t i = 0; i < TYPES; i++) {
            assert_int_equal(stoa_type_find(s->world, type_at(i)), i + 1);
            assert_int_equal(stoa_type_find(other.world, type_at(i)), TYPES - i);
            const int32_t *one = stoa_get_type(s->world, a, type_at(i));
            const int32_t *two = stoa_get_type(other.world, b, type_at(i));
            assert_true(i % 4 == 2 || (*one == (int32_t)i && *two == (int32_t)(TYPES - 1 - i)));
        }
    }
    assert_int_equal(stoa_check(other.world), STOA_OK);
    support_world_close(&other);
}

/* CMP-04: a second descriptor of the same name is the same component; one that differs is none. */
static void descriptors_of_one_name_are_one_component(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    static spaced_type twin, clash;
    types_make();
    stoa_entity e = stoa_create(w);
    for (uint32_t i = 0; i < 2; i++) {
        twin.type = *type_at(i);
        atomic_store(&twin.type.slot, 0);
        clash.type = twin.type;
        clash.type.text = "{ double value; }";
        clash.type.alignment = 8;
        int32_t value[] = {5, 0};
        double wide = 6;
        assert_int_equal(stoa_set_type(w, e, type_at(i), value), STOA_OK);
        assert_ptr_equal(stoa_get_type(w, e, &twin.type), stoa_get_type(w, e, type_at(i)));
        value[0] = 7;
        assert_int_equal(stoa_set_type(w, e, &twin.type, value), STOA_OK);
        assert_int_equal(*(const int32_t *)stoa_get_type(w, e, type_at(i)), 7);
        for (int again = 0; again < 2; again++) {
            assert_int_equal(stoa_set_type(w, e, &clash.type, &wide), STOA_CONFLICT);
            assert_int_equal(stoa_add_type(w, e, &clash.type), STOA_CONFLICT);
            assert_int_equal(stoa_event_send_type(w, STOA_NULL, &clash.type, &wide), STOA_CONFLICT);
        }
        assert_int_equal(stoa_remove_type(w, e, &twin.type), STOA_OK);
        assert_false(stoa_has_type(w, e, type_at(i)));
    }
}

/* CMP-07: what was registered by a description before, or after the descriptor was met. */
static void components_registered_otherwise_are_found(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    types_make();
    stoa_entity e = stoa_create(w);
    /* Asked for before the world knows it. */
    assert_false(stoa_has_type(w, e, type_at(0)));
    assert_null(stoa_try_type(w, e, type_at(0)));
    assert_int_equal(stoa_remove_type(w, STOA_NULL, type_at(0)), STOA_DEAD);
    s->asserts_seen = s->asserts;
    stoa_component id = stoa_component_register(
        w, &(stoa_component_desc){.name = names[0], .fields = "{ int32_t value, more; }"});
    assert_int_not_equal(id, 0);
    int32_t value[] = {3, 0};
    assert_int_equal(stoa_set_type(w, e, type_at(0), value), STOA_OK);
    assert_int_equal(*(const int32_t *)stoa_get_id(w, e, id), 3);
    assert_int_equal(stoa_component_count(w), 1);
}

static tale t;

/* HOK-01: hooks that come when the way is remembered, and go. */
static void hooks_that_come_late_are_told(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    memset(&t, 0, sizeof t);
    types_make();
    stoa_entity e = stoa_create_with(w, STOA_VALUE(Probe, {1, 0}));
    int32_t value[] = {1, 0};
    for (uint32_t i = 0; i < 2; i++) {
        stoa_type *type = type_at(i);
        for (int k = 0; k < 3; k++) {
            assert_int_equal(stoa_set_type(w, e, type, value), STOA_OK);
            assert_int_equal(stoa_remove_type(w, e, type), STOA_OK);
            assert_int_equal(stoa_add_type(w, e, type), STOA_OK);
            assert_int_equal(stoa_remove_type(w, e, type), STOA_OK);
        }
        stoa_hook add = tale_hook(&t, w, STOA_ON_ADD, type, "X");
        stoa_hook set = tale_hook(&t, w, STOA_ON_SET, type, "X");
        stoa_hook gone = tale_hook(&t, w, STOA_ON_REMOVE, type, "X");
        assert_int_equal(stoa_set_type(w, e, type, value), STOA_OK);
        assert_int_equal(stoa_remove_type(w, e, type), STOA_OK);
        assert_int_equal(stoa_add_type(w, e, type), STOA_OK);
        assert_int_equal(stoa_remove_type(w, e, type), STOA_OK);
        tale_expect(&t, "+X1(1) =X1(1) -X1(1) +X1(0) -X1(0)");
        assert_int_equal(stoa_hook_remove(w, add), STOA_OK);
        assert_int_equal(stoa_set_type(w, e, type, value), STOA_OK);
        assert_int_equal(stoa_hook_remove(w, gone), STOA_OK);
        assert_int_equal(stoa_remove_type(w, e, type), STOA_OK);
        assert_int_equal(stoa_hook_remove(w, set), STOA_OK);
        assert_int_equal(stoa_set_type(w, e, type, value), STOA_OK);
        assert_int_equal(stoa_remove_type(w, e, type), STOA_OK);
        tale_expect(&t, "=X1(1)");
    }
}

int main(void) {
#define WITH_WORLD(name) cmocka_unit_test_setup_teardown(name, support_setup, support_teardown)
    const struct CMUnitTest tests[] = {
        WITH_WORLD(descriptors_that_share_a_place_are_told_apart),
        WITH_WORLD(ways_of_types_that_share_a_place_are_told_apart),
        WITH_WORLD(events_of_types_that_share_a_place_are_told_apart),
        WITH_WORLD(worlds_remember_for_themselves),
        WITH_WORLD(descriptors_of_one_name_are_one_component),
        WITH_WORLD(components_registered_otherwise_are_found),
        WITH_WORLD(hooks_that_come_late_are_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
