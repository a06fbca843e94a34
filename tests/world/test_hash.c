/* The hash of a world: the same for the same content however it came about, another for any other
 * content. */
#include "support/support.h"

STOA_COMPONENT(Position, { float x, y; });
STOA_COMPONENT(Velocity, { float x, y; });
STOA_COMPONENT(Serial, { uint32_t number; });
STOA_TAG(Frozen);
STOA_TAG(Hot);
STOA_ENUM(Team, {TEAM_RED, TEAM_BLUE});
STOA_COMPONENT(Gap, {
    uint8_t first;
    uint32_t second;
    uint16_t third;
});
STOA_COMPONENT(NestGap, {
    uint8_t before;
    Gap gaps[2];
});
STOA_COMPONENT(Kinds, {
    bool flag;
    char letter;
    int8_t i8;
    int16_t i16;
    int32_t i32;
    int64_t i64;
    uint8_t u8;
    uint16_t u16;
    uint32_t u32;
    uint64_t u64;
    float f32;
    double f64;
    stoa_entity entity;
    Team team;
    char text[5];
    Position nested;
    uint16_t list[3];
});
STOA_COMPONENT(Label, {
    const char *text;
    void *pointer;
    uint8_t number;
});

typedef struct Blob {
    uint8_t bytes[12];
} Blob;
STOA_TYPE(Blob);

static void blob_drop(void *items, int32_t count, void *user) {
    (void)items, (void)count, (void)user;
}
typedef struct Handle {
    void *pointer;
} Handle;
STOA_TYPE_WITH(Handle, STOA_OPTIONS(.hooks = {.drop = blob_drop}), {});

/* Builds the same content in any world: live, dead and empty entities, several archetypes. */
static void scene_build(stoa_world *w) {
    stoa_entity e[8];
    for (uint32_t i = 0; i < 8; i++) {
        e[i] = stoa_create(w);
    }
    for (uint32_t i = 0; i < 6; i++) {
        assert_int_equal(stoa_set(w, e[i], Position, {(float)i, 0.5f}), STOA_OK);
    }
    assert_int_equal(stoa_set(w, e[1], Velocity, {-1, 2}), STOA_OK);
    assert_int_equal(stoa_set(w, e[4], Velocity, {3, -4}), STOA_OK);
    assert_int_equal(stoa_add(w, e[2], Frozen), STOA_OK);
    assert_int_equal(stoa_set(w, e[2], Serial, {1234567}), STOA_OK);
    assert_int_equal(stoa_destroy(w, e[3]), STOA_OK);
    assert_int_equal(stoa_destroy(w, e[6]), STOA_OK);
}

static uint64_t scene_hash(uint32_t chunk_size) {
    support_world s;
    support_world_open_with(&s, chunk_size);
    scene_build(s.world);
    uint64_t hash = stoa_hash(s.world);
    support_world_close(&s);
    return hash;
}

/* STO-11: a change of the hash is a change of the contract. The same number on every machine. */
static void fixed_world_has_a_fixed_hash(void **state) {
    (void)state;
    assert_int_equal(scene_hash(0), UINT64_C(0x6ab90136e9c14325));
}

/* STO-11: ids, archetype order and chunk sizes do not show. */
static void hash_does_not_depend_on_how_the_world_is_kept(void **state) {
    (void)state;
    uint64_t hash = scene_hash(0);
    assert_int_equal(scene_hash(16384), hash);
    assert_int_equal(scene_hash(32768), hash);
    support_world s;
    support_world_open(&s);
    (void)stoa_id(s.world, Hot);
    (void)stoa_id(s.world, Frozen);
    (void)stoa_id(s.world, Serial);
    (void)stoa_id(s.world, Velocity);
    (void)stoa_id(s.world, Position);
    assert_int_equal(stoa_reserve(s.world, 0, STOA_ZERO(Serial), STOA_ZERO(Frozen)), STOA_OK);
    assert_int_equal(stoa_reserve(s.world, 5000, STOA_ZERO(Position)), STOA_OK);
    scene_build(s.world);
    assert_int_equal(stoa_hash(s.world), hash);
    assert_int_equal(stoa_compact(s.world), STOA_OK);
    assert_int_equal(stoa_hash(s.world), hash);
    support_world_close(&s);
}

/* STO-11: many chunks of one size or of another, the same rows in a row. */
static void hash_does_not_depend_on_where_chunks_end(void **state) {
    (void)state;
    uint64_t hash[2];
    for (int i = 0; i < 2; i++) {
        support_world s;
        support_world_open_with(&s, i == 0 ? 16384 : 65536);
        for (uint32_t k = 0; k < 9000; k++) {
            Gap gap = {(uint8_t)k, k, (uint16_t)(k * 3)};
            stoa_create_with(s.world, STOA_VALUE_FROM(Gap, &gap), STOA_VALUE(Serial, {k}));
        }
        hash[i] = stoa_hash(s.world);
        support_world_close(&s);
    }
    assert_int_equal(hash[0], hash[1]);
}

/* STO-11: whether they never had rows or lost them. */
static void empty_archetypes_do_not_count(void **state) {
    support_world *s = *state;
    scene_build(s->world);
    stoa_entity last = stoa_create_with(s->world, STOA_VALUE(Gap, {1, 2, 3}));
    uint64_t hash = stoa_hash(s->world);
    int32_t archetypes = stoa_archetype_count(s->world);
    assert_int_equal(stoa_reserve(s->world, 100, STOA_ZERO(Hot), STOA_ZERO(Gap)), STOA_OK);
    assert_int_equal(stoa_hash(s->world), hash);
    assert_int_equal(stoa_add(s->world, last, Hot), STOA_OK);
    assert_int_equal(stoa_add(s->world, last, Serial), STOA_OK);
    assert_int_not_equal(stoa_hash(s->world), hash);
    assert_int_equal(stoa_remove(s->world, last, Hot), STOA_OK);
    assert_int_equal(stoa_remove(s->world, last, Serial), STOA_OK);
    assert_int_equal(stoa_hash(s->world), hash);
    assert_int_equal(stoa_archetype_count(s->world), archetypes + 3);
}

/* Creates one entity with Kinds and sets byte `at` of it, if it has so many. */
static uint64_t kinds_hash(size_t at) {
    support_world s;
    support_world_open(&s);
    (void)stoa_id(s.world, Team);
    (void)stoa_id(s.world, Position);
    stoa_entity e = stoa_create_with(s.world, STOA_ZERO(Kinds));
    if (at < sizeof(Kinds)) {
        ((unsigned char *)stoa_get_mut(s.world, e, Kinds))[at] = 1;
    }
    uint64_t hash = stoa_hash(s.world);
    support_world_close(&s);
    return hash;
}

/* STO-11: each byte of each member counts, and no byte between members does. */
static void every_byte_of_a_member_counts_and_no_padding(void **state) {
    (void)state;
    bool member[sizeof(Kinds)] = {false};
#define MEMBER(name) memset(member + offsetof(Kinds, name), 1, sizeof(((Kinds *)0)->name))
    MEMBER(flag), MEMBER(letter), MEMBER(i8), MEMBER(i16), MEMBER(i32), MEMBER(i64);
    MEMBER(u8), MEMBER(u16), MEMBER(u32), MEMBER(u64), MEMBER(f32), MEMBER(f64);
    MEMBER(entity), MEMBER(team), MEMBER(text), MEMBER(nested), MEMBER(list);
    uint64_t hash = kinds_hash(SIZE_MAX);
    int padding = 0;
    for (size_t at = 0; at < sizeof(Kinds); at++) {
        if ((kinds_hash(at) != hash) != member[at]) {
            fail_msg("byte %zu %s", at, member[at] ? "does not count" : "counts");
        }
        padding += !member[at];
    }
    assert_true(padding > 0);
}

/* STO-11 */
static void garbage_in_padding_does_not_count(void **state) {
    support_world *s = *state;
    (void)stoa_id(s->world, Gap);
    stoa_entity e = stoa_create_with(s->world, STOA_VALUE(Gap, {1, 2, 3}), STOA_ZERO(NestGap));
    uint64_t hash = stoa_hash(s->world);
    Gap *gap = stoa_get_mut(s->world, e, Gap);
    Gap kept = *gap;
    memset(gap, 0xa5, sizeof *gap);
    memcpy(&gap->first, &kept.first, sizeof gap->first);
    memcpy(&gap->second, &kept.second, sizeof gap->second);
    memcpy(&gap->third, &kept.third, sizeof gap->third);
    assert_int_equal(stoa_hash(s->world), hash);
    NestGap *nest = stoa_get_mut(s->world, e, NestGap);
    unsigned char *bytes = (unsigned char *)nest;
    bytes[1] = 0x77;
    bytes[offsetof(NestGap, gaps) + sizeof(Gap) + 1] = 0x77;
    assert_int_equal(stoa_hash(s->world), hash);
    bytes[offsetof(NestGap, gaps) + sizeof(Gap) + offsetof(Gap, third)] = 0x77;
    assert_int_not_equal(stoa_hash(s->world), hash);
}

/* STO-11: texts count by what they say, pointers not at all. */
static void text_counts_by_its_characters(void **state) {
    support_world *s = *state;
    char first[] = "name", second[] = "name", empty[] = "";
    stoa_entity e = stoa_create_with(s->world, STOA_VALUE(Label, {first, first, 1}));
    uint64_t hash = stoa_hash(s->world);
    stoa_get_mut(s->world, e, Label)->text = second;
    stoa_get_mut(s->world, e, Label)->pointer = second;
    assert_int_equal(stoa_hash(s->world), hash);
    second[3] = 'y';
    assert_int_not_equal(stoa_hash(s->world), hash);
    stoa_get_mut(s->world, e, Label)->text = empty;
    uint64_t none = stoa_hash(s->world);
    stoa_get_mut(s->world, e, Label)->text = NULL;
    assert_int_not_equal(stoa_hash(s->world), none);
}

/* STO-11: an undescribed plain type counts by its bytes, one with hooks by being there. */
static void undescribed_type_counts_by_bytes_or_presence(void **state) {
    support_world *s = *state;
    stoa_entity e = stoa_create_with(s->world, STOA_ZERO(Blob));
    uint64_t hash = stoa_hash(s->world);
    for (int i = 0; i < 12; i++) {
        stoa_get_mut(s->world, e, Blob)->bytes[i] ^= 1;
        assert_int_not_equal(stoa_hash(s->world), hash);
        stoa_get_mut(s->world, e, Blob)->bytes[i] ^= 1;
    }
    assert_int_equal(stoa_hash(s->world), hash);
    assert_int_equal(stoa_set(s->world, e, Handle, {NULL}), STOA_OK);
    uint64_t with = stoa_hash(s->world);
    assert_int_not_equal(with, hash);
    stoa_get_mut(s->world, e, Handle)->pointer = s;
    assert_int_equal(stoa_hash(s->world), with);
}

/* STO-11: components of one shape are told apart by name, values by their row. */
static void values_count_where_they_are(void **state) {
    (void)state;
    uint64_t hash[6];
    for (int i = 0; i < 6; i++) {
        support_world s;
        support_world_open(&s);
        Position p = {1, 2};
        Velocity v = {3, 4};
        if (i == 1) {
            p = (Position){3, 4};
            v = (Velocity){1, 2};
        }
        stoa_entity a = stoa_create(s.world), b = stoa_create(s.world);
        stoa_entity first = i == 2 ? b : a, second = i == 2 ? a : b;
        assert_int_equal(stoa_set_from(s.world, i == 3 ? second : first, Position, &p), STOA_OK);
        assert_int_equal(stoa_set_from(s.world, first, Velocity, &v), STOA_OK);
        assert_int_equal(stoa_set_from(s.world, second, Serial, &(Serial){9}), STOA_OK);
        if (i == 4) {
            assert_int_equal(stoa_add(s.world, first, Frozen), STOA_OK);
        } else if (i == 5) {
            assert_int_equal(stoa_add(s.world, first, Hot), STOA_OK);
        }
        hash[i] = stoa_hash(s.world);
        support_world_close(&s);
    }
    for (int i = 0; i < 6; i++) {
        for (int k = 0; k < i; k++) {
            assert_int_not_equal(hash[i], hash[k]);
        }
    }
}

/* STO-11: rows count in storage order; the way they came into it does not. */
static void row_order_counts(void **state) {
    support_world *s = *state;
    stoa_entity e[3];
    for (uint32_t i = 0; i < 3; i++) {
        e[i] = stoa_create_with(s->world, STOA_VALUE(Serial, {i}));
    }
    uint64_t hash = stoa_hash(s->world);
    assert_int_equal(stoa_add(s->world, e[0], Frozen), STOA_OK);
    assert_int_equal(stoa_remove(s->world, e[0], Frozen), STOA_OK);
    assert_int_equal(stoa_get(s->world, e[0], Serial)->number, 0);
    assert_int_not_equal(stoa_hash(s->world), hash);
    assert_int_equal(stoa_add(s->world, e[2], Frozen), STOA_OK);
    assert_int_equal(stoa_remove(s->world, e[2], Frozen), STOA_OK);
    assert_int_equal(stoa_hash(s->world), hash);
}

/* STO-11: handles, generations, the order of the free list, entities without components. */
static void handles_and_free_list_count(void **state) {
    (void)state;
    uint64_t hash[7];
    for (int i = 0; i < 7; i++) {
        support_world s;
        support_world_open(&s);
        stoa_entity e[4];
        for (int k = 0; k < 4; k++) {
            e[k] = stoa_create(s.world);
        }
        const int freed[7][3] = {{-1, -1, -1}, {1, -1, -1}, {1, 2, -1},  {2, 1, -1},
                                 {3, -1, -1},  {1, 2, 3},   {-1, -1, -1}};
        for (int k = 0; k < 3; k++) {
            if (freed[i][k] >= 0) {
                assert_int_equal(stoa_destroy(s.world, e[freed[i][k]]), STOA_OK);
            }
        }
        if (i == 6) {
            assert_int_equal(stoa_destroy(s.world, e[1]), STOA_OK);
            assert_int_equal(stoa_create(s.world).index, e[1].index);
        }
        hash[i] = stoa_hash(s.world);
        support_world_close(&s);
    }
    for (int i = 0; i < 7; i++) {
        for (int k = 0; k < i; k++) {
            assert_int_not_equal(hash[i], hash[k]);
        }
    }
}

/* A world whose slots span several of the blocks that are hashed at once, with all but the first
 * freed in an order: by steps of `step` from the second on, then two of them swapped. */
static uint64_t freed_hash(uint32_t step, uint32_t a, uint32_t b) {
    enum { COUNT = 1009 }; /* a prime: any step comes by all */
    support_world s;
    support_world_open(&s);
    static stoa_entity e[COUNT];
    static uint32_t order[COUNT];
    for (uint32_t i = 0; i < COUNT; i++) {
        e[i] = stoa_create(s.world);
        order[i] = i * step % COUNT;
    }
    uint32_t kept = order[a];
    order[a] = order[b];
    order[b] = kept;
    for (uint32_t i = 1; i < COUNT; i++) {
        assert_int_equal(stoa_destroy(s.world, e[order[i]]), STOA_OK);
    }
    uint64_t hash = stoa_hash(s.world);
    support_world_close(&s);
    return hash;
}

/* STO-11: neighbours swapped, the ends, and far apart; the same order is the same hash. */
static void long_free_list_counts_by_its_order(void **state) {
    (void)state;
    const uint32_t cases[][3] = {{1, 1, 1},     {1, 500, 501}, {1, 1, 2}, {1, 1007, 1008},
                                 {1, 255, 256}, {1, 1, 1008},  {7, 1, 1}, {1008, 1, 1}};
    enum { CASES = sizeof cases / sizeof *cases };
    uint64_t hash[CASES];
    for (int i = 0; i < CASES; i++) {
        hash[i] = freed_hash(cases[i][0], cases[i][1], cases[i][2]);
        assert_int_equal(freed_hash(cases[i][0], cases[i][2], cases[i][1]), hash[i]);
        for (int k = 0; k < i; k++) {
            assert_int_not_equal(hash[i], hash[k]);
        }
    }
}

/* STO-11: more columns than are hashed at once; each value of each counts. */
static void every_column_of_a_wide_archetype_counts(void **state) {
    support_world *s = *state;
    enum { COLUMNS = 40 };
    stoa_component ids[COLUMNS];
    stoa_entity e = stoa_create(s->world), other = stoa_create(s->world);
    for (int i = 0; i < COLUMNS; i++) {
        char name[16];
        (void)snprintf(name, sizeof name, "Wide%d", i);
        ids[i] = stoa_component_register(
            s->world, &(stoa_component_desc){.name = name, .fields = "{ uint32_t n; }"});
        uint32_t value = (uint32_t)i;
        assert_int_equal(stoa_set_id(s->world, e, ids[i], &value, sizeof value), STOA_OK);
        assert_int_equal(stoa_set_id(s->world, other, ids[i], &value, sizeof value), STOA_OK);
    }
    uint64_t hash[COLUMNS + 1];
    hash[COLUMNS] = stoa_hash(s->world);
    for (int i = 0; i < COLUMNS; i++) {
        uint32_t value = 1000;
        assert_int_equal(stoa_set_id(s->world, other, ids[i], &value, sizeof value), STOA_OK);
        hash[i] = stoa_hash(s->world);
        value = (uint32_t)i;
        assert_int_equal(stoa_set_id(s->world, other, ids[i], &value, sizeof value), STOA_OK);
    }
    assert_int_equal(stoa_hash(s->world), hash[COLUMNS]);
    for (int i = 0; i <= COLUMNS; i++) {
        for (int k = 0; k < i; k++) {
            assert_int_not_equal(hash[i], hash[k]);
        }
    }
}

/* STO-11: the name counts, not the descriptor; a run-time twin hashes the same. */
static void compiled_and_run_time_components_hash_alike(void **state) {
    (void)state;
    uint64_t hash[3];
    const char *const names[] = {NULL, "Gap", "Gop"};
    for (int i = 0; i < 3; i++) {
        support_world s;
        support_world_open(&s);
        Gap value = {1, 2, 3};
        stoa_entity e = stoa_create(s.world);
        if (names[i] == NULL) {
            assert_int_equal(stoa_set_from(s.world, e, Gap, &value), STOA_OK);
        } else {
            stoa_component_desc desc = {
                .name = names[i], .fields = "{ uint8_t first; uint32_t second; uint16_t third; }"};
            stoa_component id = stoa_component_register(s.world, &desc);
            assert_int_equal(stoa_set_id(s.world, e, id, &value, sizeof value), STOA_OK);
        }
        hash[i] = stoa_hash(s.world);
        support_world_close(&s);
    }
    assert_int_equal(hash[0], hash[1]);
    assert_int_not_equal(hash[0], hash[2]);
}

/* STO-11: reading does not change it, and it needs no memory. */
static void hashing_changes_nothing(void **state) {
    support_world *s = *state;
    scene_build(s->world);
    size_t allocations = s->heap.allocations;
    uint64_t hash = stoa_hash(s->world);
    for (stoa_entity e = stoa_entity_next(s->world, STOA_NULL); !stoa_entity_is_null(e);
         e = stoa_entity_next(s->world, e)) {
        (void)stoa_has(s->world, e, Position);
        (void)stoa_try_get(s->world, e, Velocity);
        (void)stoa_try_get_mut(s->world, e, Serial);
    }
    assert_int_equal(stoa_check(s->world), STOA_OK);
    assert_int_equal(stoa_hash(s->world), hash);
    assert_int_equal(s->heap.allocations, allocations);
}

#define WITH_WORLD(test) cmocka_unit_test_setup_teardown(test, support_setup, support_teardown)

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fixed_world_has_a_fixed_hash),
        cmocka_unit_test(hash_does_not_depend_on_how_the_world_is_kept),
        cmocka_unit_test(hash_does_not_depend_on_where_chunks_end),
        WITH_WORLD(empty_archetypes_do_not_count),
        cmocka_unit_test(every_byte_of_a_member_counts_and_no_padding),
        WITH_WORLD(garbage_in_padding_does_not_count),
        WITH_WORLD(text_counts_by_its_characters),
        WITH_WORLD(undescribed_type_counts_by_bytes_or_presence),
        cmocka_unit_test(values_count_where_they_are),
        WITH_WORLD(row_order_counts),
        cmocka_unit_test(handles_and_free_list_count),
        cmocka_unit_test(long_free_list_counts_by_its_order),
        WITH_WORLD(every_column_of_a_wide_archetype_counts),
        cmocka_unit_test(compiled_and_run_time_components_hash_alike),
        WITH_WORLD(hashing_changes_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
