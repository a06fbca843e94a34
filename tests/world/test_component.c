/* The components of a world: every way to describe one, registering, looking up, run-time
 * descriptions. */
#include "support/support.h"

STOA_COMPONENT(Position, { float x, y; });
STOA_COMPONENT_WITH(Mesh, STOA_OPTIONS(.name = "gfx.Mesh", .flags = STOA_HIDDEN), {
    uint32_t vertices;
    uint16_t material[3];
});
STOA_COMPONENT(Model, {
    Mesh mesh[2];
    float scale;
});
STOA_TAG(Frozen);
STOA_TAG_WITH(Selected, STOA_OPTIONS(.name = "editor.Selected", .flags = STOA_HIDDEN));
STOA_ENUM(Team, {TEAM_RED, TEAM_BLUE = 4, TEAM_GREEN});
STOA_COMPONENT(Player, {
    Team team;
    stoa_entity target;
    Position at;
});

/* Types that were declared without the library in mind. */
struct rgb {
    uint8_t r, g, b;
};
typedef struct rgb Colour;
STOA_TYPE(Colour, { uint8_t r, g, b; });

typedef struct Opaque {
    char bytes[24];
} Opaque;
STOA_TYPE(Opaque);

typedef double Weight;
STOA_TYPE_WITH(Weight, STOA_OPTIONS(.name = "physics.Weight"), {});

typedef struct Packet {
    uint8_t kind;
    double value;
    int16_t list[4];
} Packet;
STOA_TYPE_MEMBERS(Packet, STOA_MEMBER(Packet, kind, uint8_t), STOA_MEMBER(Packet, value, double),
                  STOA_MEMBER(Packet, list, int16_t));

typedef struct Pair {
    int32_t first, second;
} Pair;
STOA_TYPE_MEMBERS_WITH(Pair, STOA_OPTIONS(.name = "std.Pair"), STOA_MEMBER(Pair, first, int32_t),
                       STOA_MEMBER(Pair, second, int32_t));

typedef struct Line {
    _Alignas(64) float values[16];
} Line;
STOA_TYPE(Line);

static stoa_component_info info_of(stoa_world *w, stoa_component id) {
    stoa_component_info info;
    assert_int_equal(stoa_component_info_get(w, id, &info), STOA_OK);
    assert_int_equal(info.id, id);
    return info;
}

/* CMP-01 CMP-05 */
static void struct_is_described_where_it_is_declared(void **state) {
    support_world *s = *state;
    stoa_component_info info = info_of(s->world, stoa_id(s->world, Position));
    assert_string_equal(info.name, "Position");
    assert_int_equal(info.size, sizeof(Position));
    assert_int_equal(info.alignment, _Alignof(Position));
    assert_int_equal(info.member_count, 2);
    assert_string_equal(info.members[1].name, "y");
    assert_int_equal(info.members[1].kind, STOA_KIND_F32);
    assert_int_equal(info.members[1].offset, offsetof(Position, y));
    assert_true(info.plain && info.copyable);
    assert_int_equal(info.flags, 0);
}

/* CMP-01: whatever call comes first registers the type. */
static void first_use_registers(void **state) {
    (void)state;
    for (int way = 0; way < 9; way++) {
        support_world s;
        support_world_open(&s);
        stoa_entity e = stoa_create(s.world);
        stoa_query *q = NULL;
        assert_int_equal(stoa_component_find(s.world, "Position"), 0);
        switch (way) {
        case 0:
            (void)stoa_set(s.world, e, Position, {1, 2});
            break;
        case 1:
            (void)stoa_add(s.world, e, Position);
            break;
        case 2:
            (void)stoa_create_with(s.world, STOA_ZERO(Position));
            break;
        case 3:
            (void)stoa_create_bulk(s.world, 3, NULL, STOA_ZERO(Position));
            break;
        case 4:
            (void)stoa_change(s.world, e, STOA_ZERO(Position));
            break;
        case 5:
            (void)stoa_reserve(s.world, 3, STOA_ZERO(Position));
            break;
        case 6:
            (void)stoa_id(s.world, Position);
            break;
        case 7:
            (void)stoa_ref_add(stoa_ref_of(s.world, e), Position);
            break;
        default:
            q = stoa_query_new(s.world, &(stoa_query_desc){.terms = {STOA_READ(Position)}});
            assert_non_null(q);
            break;
        }
        assert_int_equal(stoa_component_find(s.world, "Position"), 1);
        assert_int_equal(stoa_component_count(s.world), 1);
        support_assert_quiet(&s);
        support_world_close(&s);
    }
}

/* CMP-02 */
static void foreign_type_is_described_with_or_without_fields(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    stoa_component_info colour = info_of(w, stoa_id(w, Colour));
    assert_int_equal(colour.size, 3);
    assert_int_equal(colour.member_count, 3);
    assert_string_equal(colour.members[2].name, "b");
    stoa_component_info opaque = info_of(w, stoa_id(w, Opaque));
    assert_int_equal(opaque.size, 24);
    assert_int_equal(opaque.member_count, 0);
    assert_null(opaque.members);
    stoa_component_info weight = info_of(w, stoa_id(w, Weight));
    assert_string_equal(weight.name, "physics.Weight");
    assert_int_equal(weight.size, sizeof(double));
    assert_int_equal(weight.member_count, 0);
    stoa_component_info packet = info_of(w, stoa_id(w, Packet));
    assert_int_equal(packet.member_count, 3);
    assert_int_equal(packet.members[1].offset, offsetof(Packet, value));
    assert_int_equal(packet.members[2].count, 4);
    stoa_component_info pair = info_of(w, stoa_id(w, Pair));
    assert_string_equal(pair.name, "std.Pair");
    assert_int_equal(pair.members[1].offset, 4);
    stoa_entity e = stoa_create_with(w, STOA_VALUE(Colour, {1, 2, 3}), STOA_VALUE(Weight, {4.5}),
                                     STOA_VALUE(Pair, {6, 7}), STOA_VALUE(Opaque, {"text"}));
    assert_int_equal(stoa_get(w, e, Colour)->b, 3);
    assert_true(*stoa_get(w, e, Weight) == 4.5);
    assert_int_equal(stoa_get(w, e, Pair)->second, 7);
    assert_string_equal(stoa_get(w, e, Opaque)->bytes, "text");
}

/* CMP-03 STO-08 */
static void alignment_up_to_64_is_kept_and_above_refused(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    assert_int_equal(info_of(w, stoa_id(w, Line)).alignment, 64);
    for (uint32_t alignment = 1; alignment <= 64; alignment *= 2) {
        char name[16];
        snprintf(name, sizeof name, "A%u", alignment);
        stoa_component_desc desc = {.name = name, .size = alignment * 3, .alignment = alignment};
        stoa_component id = stoa_component_register(w, &desc);
        assert_int_equal(info_of(w, id).alignment, alignment);
        for (int i = 0; i < 40; i++) {
            stoa_entity e = stoa_create_with(w, STOA_ZERO(Colour));
            assert_int_equal(stoa_add_id(w, e, id), STOA_OK);
            assert_int_equal((uintptr_t)stoa_get_id(w, e, id) % alignment, 0);
        }
    }
    const uint32_t wrong[] = {3, 65, 128, 4096};
    for (int i = 0; i < 4; i++) {
        stoa_component_desc desc = {.name = "Wrong", .size = wrong[i], .alignment = wrong[i]};
        support_assert_misuse(
            s, stoa_component_register(w, &desc) != 0 ? STOA_OK : stoa_last_error().status,
            STOA_INVALID);
        support_assert_message("'Wrong'");
        assert_int_equal(stoa_component_find(w, "Wrong"), 0);
    }
}

static void nothing_drop(void *items, int32_t count, void *user) {
    (void)items, (void)count, (void)user;
}

static void nothing_move(void *to, void *from, int32_t count, void *user) {
    (void)to, (void)from, (void)count, (void)user;
}

static bool nothing_copy(void *to, const void *from, int32_t count, void *user) {
    (void)to, (void)from, (void)count, (void)user;
    return true;
}

/* CMP-03 */
static void hooks_decide_what_is_plain_and_copyable(void **state) {
    support_world *s = *state;
    static const struct {
        stoa_hooks hooks;
        const char *fields;
        bool plain, copyable;
    } cases[] = {
        {{0}, "{ int32_t a; }", true, true},
        {{0}, NULL, true, true},
        {{0}, "{ const char *text; }", false, true},
        {{0}, "{ void *pointer; }", false, true},
        {{.drop = nothing_drop}, NULL, false, false},
        {{.drop = nothing_drop, .move = nothing_move}, NULL, false, false},
        {{.drop = nothing_drop, .copy = nothing_copy}, NULL, false, true},
        {{.move = nothing_move}, NULL, false, true},
        {{.copy = nothing_copy}, NULL, false, true},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char name[16];
        snprintf(name, sizeof name, "C%zu", i);
        stoa_component_desc desc = {
            .name = name, .fields = cases[i].fields, .hooks = cases[i].hooks};
        desc.size = desc.fields == NULL ? 8 : 0;
        stoa_component_info info = info_of(s->world, stoa_component_register(s->world, &desc));
        assert_int_equal(info.plain, cases[i].plain);
        assert_int_equal(info.copyable, cases[i].copyable);
        assert_ptr_equal(info.hooks.drop, cases[i].hooks.drop);
        assert_ptr_equal(info.hooks.move, cases[i].hooks.move);
        assert_ptr_equal(info.hooks.copy, cases[i].hooks.copy);
    }
}

/* CMP-04 */
static void same_description_is_one_component_and_another_a_conflict(void **state) {
    support_world *s = *state;
    stoa_component id = stoa_id(s->world, Position);
    assert_int_equal(stoa_id(s->world, Position), id);
    stoa_component_desc same = {.name = "Position", .fields = "{ float x; float y; }"};
    assert_int_equal(stoa_component_register(s->world, &same), id);
    assert_int_equal(stoa_component_count(s->world), 1);
    const stoa_component_desc others[] = {
        {.name = "Position", .fields = "{ float x, z; }"},
        {.name = "Position", .fields = "{ float x, y, z; }"},
        {.name = "Position", .fields = "{ int32_t x, y; }"},
        {.name = "Position", .size = 8, .alignment = 4},
        {.name = "Position", .fields = "{ float x, y; }", .flags = STOA_HIDDEN},
        {.name = "Position", .fields = "{ float x, y; }", .hooks = {.drop = nothing_drop}},
        {.name = "Position"},
    };
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        stoa_error_clear();
        assert_int_equal(stoa_component_register(s->world, &others[i]), 0);
        assert_int_equal(stoa_last_error().status, STOA_CONFLICT);
        support_assert_message("'Position'");
    }
    support_assert_quiet(s);
    assert_int_equal(stoa_component_count(s->world), 1);
    stoa_entity e = stoa_create_with(s->world, STOA_VALUE(Position, {1, 2}));
    assert_true(stoa_get(s->world, e, Position)->y == 2);
}

/* CMP-04 CMP-01: the descriptor of another translation unit finds the same component by its name.
 */
static void descriptor_of_another_unit_is_the_same_component(void **state) {
    support_world *s = *state;
    stoa_entity e = stoa_create_with(s->world, STOA_VALUE(Position, {1, 2}));
    stoa_type twin = Position_stoa, rival = Position_stoa;
    atomic_init(&twin.slot, 0);
    atomic_init(&rival.slot, 0);
    rival.text = "{ float x, z; }";
    assert_int_equal(stoa_type_find(s->world, &twin), stoa_id(s->world, Position));
    assert_true(stoa_has_type(s->world, e, &twin));
    assert_ptr_equal(stoa_fast_get(s->world, e, &twin, sizeof(Position)),
                     stoa_get(s->world, e, Position));
    assert_int_equal(stoa_type_register(s->world, &twin), stoa_id(s->world, Position));
    assert_int_equal(s->errors, 0);
    stoa_error_clear();
    assert_int_equal(stoa_type_find(s->world, &rival), 0);
    assert_false(stoa_has_type(s->world, e, &rival));
    assert_int_equal(stoa_last_error().status, STOA_OK);
    assert_int_equal(stoa_add_type(s->world, e, &rival), STOA_CONFLICT);
    assert_int_equal(stoa_type_register(s->world, &rival), 0);
    assert_int_equal(stoa_last_error().status, STOA_CONFLICT);
    support_assert_quiet(s);
    assert_int_equal(stoa_component_count(s->world), 1);
}

/* CMP-05 GEN-05 */
static void components_are_found_by_name_and_id(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    assert_int_equal(stoa_type_find(w, STOA_TYPE_OF(Position)), 0);
    stoa_component ids[] = {stoa_id(w, Position), stoa_id(w, Frozen), stoa_id(w, Mesh)};
    assert_int_equal(stoa_component_count(w), 3);
    for (stoa_component id = 1; id <= 3; id++) {
        assert_int_equal(ids[id - 1], id);
        assert_int_equal(stoa_component_find(w, stoa_component_name(w, id)), id);
    }
    assert_string_equal(stoa_component_name(w, 2), "Frozen");
    assert_int_equal(stoa_type_find(w, STOA_TYPE_OF(Mesh)), 3);
    assert_int_equal(stoa_component_find(w, "Positio"), 0);
    assert_int_equal(stoa_component_find(w, ""), 0);
    assert_int_equal(stoa_component_find(w, NULL), 0);
    assert_int_equal(stoa_component_find(NULL, "Position"), 0);
    assert_int_equal(stoa_type_find(w, NULL), 0);
    support_assert_quiet(s);
    assert_int_equal(s->errors, 0);
    assert_null(stoa_component_name(w, 4));
    support_assert_misuse(s, stoa_last_error().status, STOA_UNKNOWN);
    support_assert_misuse(s, stoa_component_info_get(w, 1, NULL), STOA_NULL_ARGUMENT);
    assert_int_equal(stoa_component_register(w, NULL), 0);
    support_assert_misuse(s, stoa_last_error().status, STOA_NULL_ARGUMENT);
    assert_int_equal(stoa_type_register(w, NULL), 0);
    support_assert_misuse(s, stoa_last_error().status, STOA_NULL_ARGUMENT);
}

/* CMP-07 ACC-08: compared step by step with the compiled twin of the same layout. */
static void run_time_component_works_like_a_compiled_one(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    char name[] = "script.Body", fields[] = "{ double mass; float size[3]; stoa_entity owner; }";
    stoa_component id =
        stoa_component_register(w, &(stoa_component_desc){.name = name, .fields = fields});
    memset(name, 'x', sizeof name - 1);
    memset(fields, 'x', sizeof fields - 1);
    stoa_component_info info = info_of(w, id);
    assert_string_equal(info.name, "script.Body");
    assert_int_equal(info.size, 32);
    assert_int_equal(info.alignment, 8);
    assert_int_equal(info.member_count, 3);
    assert_string_equal(info.members[1].name, "size");
    assert_int_equal(info.members[1].count, 3);
    assert_int_equal(info.members[2].kind, STOA_KIND_ENTITY);
    stoa_entity e = stoa_create_with(w, STOA_VALUE(Position, {1, 2}));
    unsigned char value[32];
    memset(value, 0x5a, sizeof value);
    assert_int_equal(stoa_set_id(w, e, id, value, sizeof value), STOA_OK);
    assert_memory_equal(stoa_get_id(w, e, id), value, sizeof value);
    assert_true(stoa_get(w, e, Position)->y == 2);
    stoa_value bulk[] = {{.id = id}, STOA_ZERO(Position)};
    assert_int_equal(stoa_create_bulk_values(w, 10, NULL, bulk, 2), STOA_OK);
    stoa_entity copy = stoa_clone(w, e);
    assert_memory_equal(stoa_get_named(w, copy, "script.Body"), value, sizeof value);
    stoa_query *q = stoa_query_parse(w, "script.Body, const Position");
    assert_non_null(q);
    assert_int_equal(stoa_query_count(q), 12);
    assert_int_equal(stoa_remove_id(w, e, id), STOA_OK);
    assert_int_equal(stoa_query_count(q), 11);
    support_assert_quiet(s);
}

/* CMP-08 */
static void tag_has_no_column_and_no_size(void **state) {
    support_world *s = *state;
    stoa_component id = stoa_id(s->world, Frozen);
    assert_int_equal(info_of(s->world, id).size, 0);
    assert_int_equal(info_of(s->world, id).alignment, 1);
    stoa_entity e = stoa_create_with(s->world, STOA_ZERO(Frozen));
    stoa_entity both = stoa_create_with(s->world, STOA_ZERO(Frozen), STOA_VALUE(Position, {1, 2}));
    assert_true(stoa_has(s->world, e, Frozen));
    assert_null(stoa_chunk_column(s->world, stoa_archetype_of(s->world, both), 0, id));
    support_assert_misuse(s, stoa_last_error().status, STOA_MISSING);
    stoa_archetype_info info;
    assert_int_equal(stoa_archetype_info_get(s->world, stoa_archetype_of(s->world, both), &info),
                     STOA_OK);
    size_t row = sizeof(stoa_entity) + sizeof(Position);
    assert_in_range(info.used, row, row + 3 * 64 / (size_t)info.chunk_capacity);
    assert_int_equal(stoa_remove(s->world, both, Frozen), STOA_OK);
    assert_true(stoa_get(s->world, both, Position)->x == 1);
    stoa_component run_time =
        stoa_component_register(s->world, &(stoa_component_desc){.name = "script.Tag"});
    assert_int_equal(info_of(s->world, run_time).size, 0);
    assert_int_equal(stoa_add_id(s->world, e, run_time), STOA_OK);
    assert_true(stoa_has_id(s->world, e, run_time) && stoa_has(s->world, e, Frozen));
}

/* CMP-09 */
static void world_takes_4096_component_types(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    enum { COUNT = 4096 };
    char name[16];
    for (uint32_t i = 0; i < COUNT; i++) {
        snprintf(name, sizeof name, "Type%u", i);
        stoa_component_desc desc = {.name = name, .size = 4 + i % 3 * 4, .alignment = 4};
        assert_int_equal(stoa_component_register(w, &desc), i + 1);
    }
    assert_int_equal(stoa_component_count(w), COUNT);
    static stoa_entity e[COUNT];
    for (uint32_t i = 0; i < COUNT; i++) {
        uint32_t value[3] = {i, i, i};
        e[i] = stoa_create(w);
        assert_int_equal(stoa_set_id(w, e[i], i + 1, value, 4 + i % 3 * 4), STOA_OK);
    }
    for (uint32_t i = 0; i < COUNT; i++) {
        assert_int_equal(*(const uint32_t *)stoa_get_id(w, e[i], i + 1), i);
        assert_false(stoa_has_id(w, e[i], (i + 64) % COUNT + 1));
        snprintf(name, sizeof name, "Type%u", i);
        assert_int_equal(stoa_component_find(w, name), i + 1);
    }
    assert_int_equal(stoa_archetype_count(w), COUNT + 1);
    stoa_query *q = stoa_query_parse(w, "Type4095");
    assert_int_equal(stoa_query_count(q), 1);
}

/* CMP-13 */
static void descriptor_may_carry_another_name(void **state) {
    support_world *s = *state;
    stoa_component id = stoa_id(s->world, Mesh);
    assert_string_equal(stoa_component_name(s->world, id), "gfx.Mesh");
    assert_int_equal(stoa_component_find(s->world, "gfx.Mesh"), id);
    assert_int_equal(stoa_component_find(s->world, "Mesh"), 0);
    stoa_entity e = stoa_create(s->world);
    assert_int_equal(stoa_add_named(s->world, e, "gfx.Mesh"), STOA_OK);
    assert_true(stoa_has(s->world, e, Mesh));
    assert_null(stoa_get(s->world, e, Selected));
    support_assert_misuse(s, stoa_last_error().status, STOA_MISSING);
    support_assert_message("'editor.Selected'");
    stoa_query *q = stoa_query_parse(s->world, "gfx.Mesh");
    assert_int_equal(stoa_query_count(q), 1);
}

/* CMP-14 */
static void hidden_component_says_so(void **state) {
    support_world *s = *state;
    assert_int_equal(info_of(s->world, stoa_id(s->world, Mesh)).flags & STOA_HIDDEN, STOA_HIDDEN);
    assert_int_equal(info_of(s->world, stoa_id(s->world, Selected)).flags, STOA_HIDDEN);
    assert_int_equal(info_of(s->world, stoa_id(s->world, Position)).flags & STOA_HIDDEN, 0);
    assert_int_equal(info_of(s->world, stoa_id(s->world, Frozen)).flags & STOA_HIDDEN, 0);
    stoa_component_desc desc = {.name = "script.Hidden", .size = 4, .flags = STOA_HIDDEN};
    assert_int_equal(info_of(s->world, stoa_component_register(s->world, &desc)).flags,
                     STOA_HIDDEN);
}

/* CMP-06 CMP-13: nested types and enums are known by their C names once they are registered. */
static void enum_and_nested_types_are_described(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    stoa_component team = stoa_id(w, Team), position = stoa_id(w, Position);
    int32_t count = 0;
    const stoa_enum_value *values = stoa_component_enum(w, team, &count);
    assert_int_equal(count, 3);
    assert_string_equal(values[1].name, "TEAM_BLUE");
    assert_int_equal(values[1].value, 4);
    assert_int_equal(values[2].value, TEAM_GREEN);
    assert_null(stoa_component_enum(w, position, &count));
    assert_int_equal(count, 0);
    stoa_component_info info = info_of(w, stoa_id(w, Player));
    assert_int_equal(info.members[0].kind, STOA_KIND_ENUM);
    assert_int_equal(info.members[0].type, team);
    assert_int_equal(info.members[2].kind, STOA_KIND_STRUCT);
    assert_int_equal(info.members[2].type, position);
    assert_int_equal(info.members[2].offset, offsetof(Player, at));
    stoa_component mesh = stoa_id(w, Mesh);
    info = info_of(w, stoa_id(w, Model));
    assert_int_equal(info.members[0].type, mesh);
    assert_int_equal(info.members[0].count, 2);
    assert_int_equal(info.members[1].offset, offsetof(Model, scale));
    stoa_entity e = stoa_create_with(w, STOA_VALUE(Team, {TEAM_BLUE}));
    assert_int_equal(*stoa_get(w, e, Team), TEAM_BLUE);
}

#define WITH_WORLD(test) cmocka_unit_test_setup_teardown(test, support_setup, support_teardown)

int main(void) {
    const struct CMUnitTest tests[] = {
        WITH_WORLD(struct_is_described_where_it_is_declared),
        cmocka_unit_test(first_use_registers),
        WITH_WORLD(foreign_type_is_described_with_or_without_fields),
        WITH_WORLD(alignment_up_to_64_is_kept_and_above_refused),
        WITH_WORLD(hooks_decide_what_is_plain_and_copyable),
        WITH_WORLD(same_description_is_one_component_and_another_a_conflict),
        WITH_WORLD(descriptor_of_another_unit_is_the_same_component),
        WITH_WORLD(components_are_found_by_name_and_id),
        WITH_WORLD(run_time_component_works_like_a_compiled_one),
        WITH_WORLD(tag_has_no_column_and_no_size),
        WITH_WORLD(world_takes_4096_component_types),
        WITH_WORLD(descriptor_may_carry_another_name),
        WITH_WORLD(hidden_component_says_so),
        WITH_WORLD(enum_and_nested_types_are_described),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
