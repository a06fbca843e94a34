/* Values that are passed in registers: what stoa_set makes of literals of all small sizes. */
#include "support/support.h"

#include "storage/shift.h"
#include "world/world.h"

STOA_COMPONENT(Home, { float x, y, z; });
STOA_TAG(Flag);

#define BYTES(n) STOA_COMPONENT(Bytes##n, { uint8_t byte[n]; });
#define ALL_SIZES(X)                                                                               \
    X(1) X(2) X(3) X(4) X(5) X(6) X(7) X(8) X(9) X(10) X(11) X(12) X(13) X(14) X(15) X(16) X(17)
ALL_SIZES(BYTES)

STOA_COMPONENT(Numbers, {
    uint32_t quiet;
    uint32_t signalling;
    uint32_t small;
});
STOA_COMPONENT(Real, { double value; });

/* Bytes that tell their place and a number. */
static uint8_t byte_of(int32_t i, int32_t at) {
    return (uint8_t)(i * 31 + at * 7 + 1);
}

/* Sets an entity's value of n bytes twice, and looks at it. */
#define SET_ONE(n)                                                                                 \
    static void set_##n(stoa_world *w, stoa_entity e, int32_t i) {                                 \
        uint8_t b[n];                                                                              \
        for (int32_t at = 0; at < n; at++) {                                                       \
            b[at] = byte_of(i, at);                                                                \
        }                                                                                          \
        Bytes##n value;                                                                            \
        memcpy(&value, b, n);                                                                      \
        assert_int_equal(                                                                          \
            stoa_set_sized(w, e, STOA_TYPE_OF(Bytes##n), &value, STOA_SIZE_OF(Bytes##n)),          \
            STOA_OK);                                                                              \
        const Bytes##n *is = stoa_get(w, e, Bytes##n);                                             \
        assert_memory_equal(is->byte, b, n);                                                       \
    }
ALL_SIZES(SET_ONE)

typedef void (*set_fn)(stoa_world *w, stoa_entity e, int32_t i);
#define NAME_ONE(n) set_##n,
static const set_fn setters[] = {ALL_SIZES(NAME_ONE)};
#define SIZES ((int32_t)(sizeof setters / sizeof setters[0]))
#define ENTITIES 70

/* ACC-03: values of every size arrive whole, added or overwritten, beside nothing and beside
 * others. */
static void values_of_all_sizes_arrive(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    stoa_entity e[ENTITIES];
    for (int32_t i = 0; i < ENTITIES; i++) {
        e[i] = stoa_create_with(w, STOA_VALUE(Home, {(float)i, 0, 0}));
    }
    for (int32_t k = 0; k < SIZES; k++) {
        for (int32_t i = 0; i < ENTITIES; i++) {
            setters[k](w, e[i], i + k);
        }
        for (int32_t i = 0; i < ENTITIES; i += 3) {
            setters[k](w, e[i], i + k + 1);
        }
        assert_int_equal(stoa_check(w), STOA_OK);
    }
    for (int32_t i = 0; i < ENTITIES; i++) {
        assert_int_equal((int32_t)stoa_get(w, e[i], Home)->x, i);
        assert_int_equal(stoa_get(w, e[i], Bytes16)->byte[15], byte_of(i + 15 + (i % 3 == 0), 15));
        assert_int_equal(stoa_get(w, e[i], Bytes17)->byte[16], byte_of(i + 16 + (i % 3 == 0), 16));
    }
}

/* ACC-03: bits that would not be numbers stay what they are, beside a vector and in place. */
static void bits_are_only_copied(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    for (uint32_t i = 0; i < 40; i++) {
        stoa_entity e = stoa_create_with(w, STOA_VALUE(Home, {1, 2, 3}));
        for (int round = 0; round < 2; round++) {
            assert_int_equal(stoa_set(w, e, Numbers, {0x7FC00001u + i, 0x7F800001u + i, 1u + i}),
                             STOA_OK);
            const Numbers *n = stoa_get(w, e, Numbers);
            assert_int_equal(n->quiet, 0x7FC00001u + i);
            assert_int_equal(n->signalling, 0x7F800001u + i);
            assert_int_equal(n->small, 1u + i);
        }
        assert_int_equal(stoa_set(w, e, Real, {0.1 * i}), STOA_OK);
        assert_true(stoa_get(w, e, Real)->value == 0.1 * i);
    }
}

static int32_t moves, drops;

static void text_move(void *to, void *from, int32_t count, void *user) {
    (void)user;
    memcpy(to, from, (size_t)count * sizeof(uint64_t));
    moves += count;
}

static void text_drop(void *items, int32_t count, void *user) {
    (void)items, (void)user;
    drops += count;
}

STOA_COMPONENT_WITH(Text, STOA_OPTIONS(.hooks = {.move = text_move, .drop = text_drop}),
                    { uint64_t owned; });

/* CMP-11: a value that owns something is moved in once and dropped once. */
static void values_with_hooks_are_moved_in(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    stoa_entity e = stoa_create(w);
    moves = drops = 0;
    assert_int_equal(stoa_set(w, e, Text, {11}), STOA_OK);
    assert_int_equal(moves, 1);
    assert_int_equal(stoa_get(w, e, Text)->owned, 11);
    assert_int_equal(stoa_set(w, e, Text, {12}), STOA_OK);
    assert_int_equal(moves, 2);
    assert_int_equal(drops, 1);
    assert_int_equal(stoa_get(w, e, Text)->owned, 12);
    assert_int_equal(stoa_destroy(w, e), STOA_OK);
    assert_int_equal(drops, 2);
}

/* GEN-03 GEN-05: what cannot be done is refused, and nothing is changed. */
static void misuse_is_refused(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    stoa_entity e = stoa_create_with(w, STOA_VALUE(Home, {1, 2, 3}));
    stoa_entity dead = stoa_create(w);
    assert_int_equal(stoa_destroy(w, dead), STOA_OK);
    stoa_parcel parcel = stoa_parcel_pack(&(Bytes16){{1}}, 16);
    assert_int_equal(stoa_set_parcel(NULL, e, STOA_TYPE_OF(Bytes16), parcel), STOA_NULL_ARGUMENT);
    support_assert_misuse(s, stoa_set_parcel(w, e, NULL, parcel), STOA_NULL_ARGUMENT);
    support_assert_misuse(s, stoa_set_parcel(w, dead, STOA_TYPE_OF(Bytes16), parcel), STOA_DEAD);
    support_assert_misuse(s, stoa_set(w, dead, Numbers, {1, 2, 3}), STOA_DEAD);
    support_assert_misuse(s, stoa_set(w, STOA_NULL, Numbers, {1, 2, 3}), STOA_DEAD);
    support_assert_misuse(s, stoa_set_parcel(w, e, STOA_TYPE_OF(Bytes17), parcel), STOA_INVALID);
    support_assert_message("type 'Bytes17' has 17 bytes, a parcel 16 at most");
    assert_false(stoa_has(w, e, Bytes16));
    assert_false(stoa_has(w, e, Numbers));
    assert_int_equal(stoa_set_parcel(w, e, STOA_TYPE_OF(Flag), parcel), STOA_OK);
    assert_true(stoa_has(w, e, Flag));
}

/* GEN-05: an entity that died, or was never, is no entity for a way that is open either. */
static void open_ways_refuse_the_dead(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    stoa_entity e[40];
    for (int32_t i = 0; i < 40; i++) {
        e[i] = stoa_create_with(w, STOA_VALUE(Home, {(float)i, 0, 0}));
    }
    for (int32_t i = 0; i < 20; i++) {
        assert_int_equal(stoa_set(w, e[i], Numbers, {1, 2, 3}), STOA_OK);
    }
    const stoa__way *way = stoa__type_put_at(w, STOA_TYPE_OF(Numbers));
    assert_true(way->gate == stoa__gate_now(&w->storage) && way->first != STOA__NOWHERE);
    assert_int_equal(stoa_destroy(w, e[30]), STOA_OK);
    const stoa_entity forged[] = {e[30],
                                  {e[31].index, e[31].generation + 1},
                                  {e[31].index, e[31].generation | 0x80000000u},
                                  {UINT32_MAX, 1},
                                  STOA_NULL};
    for (size_t i = 0; i < sizeof forged / sizeof forged[0]; i++) {
        support_assert_misuse(s, stoa_set(w, forged[i], Numbers, {1, 2, 3}), STOA_DEAD);
        support_assert_misuse(s, stoa_remove(w, forged[i], Numbers), STOA_DEAD);
    }
    assert_int_equal(stoa_set(w, e[31], Numbers, {4, 5, 6}), STOA_OK);
    assert_int_equal(stoa_get(w, e[31], Numbers)->small, 6);
}

STOA_COMPONENT_WITH(Loose, STOA_OPTIONS(.flags = STOA_SPARSE), { int32_t a, b, c; });
STOA_COMPONENT_WITH(Small, STOA_OPTIONS(.flags = STOA_SPARSE), { int16_t a; });

/* ACC-03 CMP-10: what is remembered of a type, in a set, beside vectors or beside others, is not
 * gone by once columns are elsewhere. */
static void stale_ways_are_not_gone(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    stoa_entity e[300];
    for (int32_t i = 0; i < 300; i++) {
        e[i] = stoa_create_with(w, STOA_VALUE(Home, {(float)i, 0, 0}));
        for (int round = 0; round < 2; round++) {
            assert_int_equal(stoa_set(w, e[i], Loose, {i, -i, round}), STOA_OK);
            assert_int_equal(stoa_set(w, e[i], Small, {(int16_t)i}), STOA_OK);
            assert_int_equal(
                stoa_set(w, e[i], Numbers, {(uint32_t)i, (uint32_t)i + 1, (uint32_t)i + 2}),
                STOA_OK);
            if (i % 3 == 0) {
                setters[3](w, e[i], i);
                setters[15](w, e[i], i);
            }
            if (i % 7 == round) {
                w->storage.head.epoch++;
            }
        }
        if (i % 50 == 0) {
            assert_int_equal(stoa_compact(w), STOA_OK);
            assert_int_equal(stoa_remove(w, e[i], Loose), STOA_OK);
            assert_int_equal(stoa_set(w, e[i], Loose, {i, -i, 1}), STOA_OK);
        }
    }
    for (int32_t i = 0; i < 300; i++) {
        const Loose *loose = stoa_get(w, e[i], Loose);
        assert_true(loose->a == i && loose->b == -i && loose->c == 1);
        assert_int_equal(stoa_get(w, e[i], Small)->a, i);
        assert_int_equal(stoa_get(w, e[i], Numbers)->small, i + 2);
        assert_int_equal((int32_t)stoa_get(w, e[i], Home)->x, i);
        assert_int_equal(stoa_has(w, e[i], Bytes16), i % 3 == 0);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(values_of_all_sizes_arrive, support_setup,
                                        support_teardown),
        cmocka_unit_test_setup_teardown(bits_are_only_copied, support_setup, support_teardown),
        cmocka_unit_test_setup_teardown(values_with_hooks_are_moved_in, support_setup,
                                        support_teardown),
        cmocka_unit_test_setup_teardown(misuse_is_refused, support_setup, support_teardown),
        cmocka_unit_test_setup_teardown(stale_ways_are_not_gone, support_setup, support_teardown),
        cmocka_unit_test_setup_teardown(open_ways_refuse_the_dead, support_setup, support_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
