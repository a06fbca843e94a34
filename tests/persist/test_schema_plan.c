/* Values brought from a saved schema to other types: members added, removed, moved, renamed, of
 * another type or length; structs inside; and what makes no sense. */
#include "persist/schema_fixture.h"

#pragma pack(push, 1)
typedef struct Tight {
    uint8_t a;
    uint32_t b;
} Tight;
#pragma pack(pop)
STOA_TYPE_MEMBERS(Tight, STOA_MEMBER(Tight, b, uint32_t), STOA_MEMBER(Tight, a, uint8_t));

typedef struct Vec {
    float x, y;
} Vec;

/* SNP-06 */
static void unchanged_type_is_a_plain_copy(void **state) {
    migration *m = *state;
    float from[3] = {1, 2, 3}, to[3];
    assert_int_equal(migrate_fields(m, "{ float x, y, z; }", "{ float x, y; float z; }", from, to),
                     STOA_OK);
    assert_memory_equal(from, to, sizeof to);
    assert_true(copies(&m->plan) && m->plan.same && !m->plan.settles && copies(&m->pack));
    assert_int_equal(m->told_count, 0);
}

/* SNP-06 */
static void dense_structs_and_arrays_become_one_copy(void **state) {
    migration *m = *state;
    for (int i = 0; i < 2; i++) {
        support_world *s = i == 0 ? &m->old : &m->now;
        fields_register(s, "Vec", "{ float x, y; }", NULL);
        fields_register(s, "Pair", "{ Vec a; Vec b[3]; }", NULL);
        fields_register(s, "T", "{ uint32_t n; Pair pairs[5]; Vec last; stoa_entity e; }", NULL);
    }
    assert_int_equal(migration_plan(m, "T"), STOA_OK);
    assert_true(copies(&m->plan) && m->plan.same && copies(&m->pack));
}

/* SNP-06 */
static void bools_inside_keep_the_copy_and_are_settled(void **state) {
    migration *m = *state;
    for (int i = 0; i < 2; i++) {
        support_world *s = i == 0 ? &m->old : &m->now;
        fields_register(s, "Flag", "{ uint8_t n; bool on[2]; }", NULL);
        fields_register(s, "T", "{ bool first; Flag flags[3]; bool a, b; Flag last; }", NULL);
    }
    assert_int_equal(migration_plan(m, "T"), STOA_OK);
    assert_true(m->plan.copy && m->plan.settles && m->plan.same);
    uint8_t bytes[2][15], expected[2][15];
    for (int i = 0; i < 30; i++) {
        int at = i % 15, in = at < 10 ? (at - 1) % 3 : (at - 12) % 3;
        bytes[i / 15][at] = 7;
        expected[i / 15][at] = (at > 0 && at < 10 && in == 0) || at == 12 ? 7 : 1;
    }
    uint8_t to[2][15];
    assert_int_equal(stoa__route_apply(&m->plan, bytes, to, 2), STOA_OK);
    assert_memory_equal(to, expected, sizeof to);
    stoa__route_settle(&m->plan, bytes, 2);
    assert_memory_equal(bytes, expected, sizeof to);
}

/* SNP-06 */
static void added_members_are_zero_and_removed_ones_are_left_out(void **state) {
    migration *m = *state;
    struct {
        float x, y;
    } from = {1, 2};
    struct {
        float y;
        int32_t n;
        double z;
    } to;
    memset(&to, 0xEE, sizeof to);
    assert_int_equal(
        migrate_fields(m, "{ float x, y; }", "{ float y; int32_t n; double z; }", &from, &to),
        STOA_OK);
    assert_true(to.y == 2 && to.n == 0 && to.z == 0);
    assert_string_equal(m->told, "added T.n: T.n was not saved and has its default\n"
                                 "added T.z: T.z was not saved and has its default\n"
                                 "removed T.x: T.x was saved and is left out\n");
    assert_false(m->plan.copy || m->plan.same);
}

/* SNP-06 */
static void reordered_members_are_found_by_name(void **state) {
    migration *m = *state;
    struct {
        uint8_t a;
        uint32_t b;
        uint16_t c[3];
    } from = {1, 2, {3, 4, 5}};
    struct {
        uint16_t c[3];
        uint8_t a;
        uint32_t b;
    } to;
    assert_int_equal(migrate_fields(m, "{ uint8_t a; uint32_t b; uint16_t c[3]; }",
                                    "{ uint16_t c[3]; uint8_t a; uint32_t b; }", &from, &to),
                     STOA_OK);
    assert_true(to.a == 1 && to.b == 2 && to.c[0] == 3 && to.c[1] == 4 && to.c[2] == 5);
    assert_true(m->plan.same && !m->plan.copy);
    assert_int_equal(m->told_count, 0);
}

/* SNP-06 */
static void padding_is_not_saved_and_comes_out_as_zero(void **state) {
    migration *m = *state;
    struct padded {
        uint8_t a;
        uint64_t b;
        uint8_t c;
    } from[50], to[50];
    memset(from, 0xAB, sizeof from);
    memset(to, 0xCD, sizeof to);
    assert_int_equal(migrate_fields(m, "{ uint8_t a; uint64_t b; uint8_t c; }",
                                    "{ uint8_t a; uint64_t b; uint8_t c; }", from, to),
                     STOA_OK);
    assert_int_equal(m->pack.to_size, 10);
    assert_int_equal(migration_run(m, from, to, 50), STOA_OK);
    for (int i = 0; i < 50; i++) {
        uint8_t expected[sizeof(struct padded)] = {0};
        memset(expected, 0xAB, 1);
        memset(expected + offsetof(struct padded, b), 0xAB, 9);
        assert_memory_equal(&to[i], expected, sizeof expected);
    }
}

/* SNP-02: these bytes are the format, on every machine. */
static void packed_values_are_those_of_the_format(void **state) {
    migration *m = *state;
    struct {
        uint8_t a;
        uint32_t b;
        int16_t c[2];
        double d;
        stoa_entity e;
        bool f;
    } from = {1, 0x05040302, {-2, 3}, 1.0, {0x11223344, 0x55667788}, true};
    static const uint8_t expected[] = {1,    2,    3,    4,    5,    0xFE, 0xFF, 3,    0,
                                       0,    0,    0,    0,    0,    0,    0xF0, 0x3F, 0x44,
                                       0x33, 0x22, 0x11, 0x88, 0x77, 0x66, 0x55, 1};
    static const char text[] =
        "{ uint8_t a; uint32_t b; int16_t c[2]; double d; stoa_entity e; bool f; }";
    uint8_t packed[sizeof expected];
    char to[sizeof from];
    assert_int_equal(migrate_fields(m, text, text, &from, to), STOA_OK);
    assert_int_equal(m->pack.to_size, sizeof expected);
    assert_int_equal(stoa__route_apply(&m->pack, &from, packed, 1), STOA_OK);
    assert_memory_equal(packed, expected, sizeof expected);
}

/* SNP-06 */
static void packed_struct_becomes_an_aligned_one(void **state) {
    migration *m = *state;
    Tight from[2] = {{1, 2}, {3, 4}};
    struct {
        uint32_t b;
        uint64_t a;
    } to[2];
    assert_true(stoa_id(m->old.world, Tight) != 0);
    fields_register(&m->now, "Tight", "{ uint32_t b; uint64_t a; }", NULL);
    assert_int_equal(migration_plan(m, "Tight"), STOA_OK);
    assert_int_equal(migration_run(m, from, to, 2), STOA_OK);
    assert_true(to[0].a == 1 && to[0].b == 2 && to[1].a == 3 && to[1].b == 4);
}

/* SNP-06 */
static void defaults_fill_members_that_were_not_saved(void **state) {
    migration *m = *state;
    struct {
        int32_t a, b;
        uint8_t c[4];
    } to[2], defaults = {7, 8, {1, 2, 3, 4}};
    struct {
        int32_t b;
        uint8_t c[2];
    } from[2] = {{5, {9, 9}}, {6, {0, 0}}};
    stoa_persist persist = {.defaults = &defaults};
    fields_register(&m->old, "T", "{ int32_t b; uint8_t c[2]; }", NULL);
    fields_register(&m->now, "T", "{ int32_t a, b; uint8_t c[4]; }", &persist);
    assert_int_equal(migration_plan(m, "T"), STOA_OK);
    assert_int_equal(migration_run(m, from, to, 2), STOA_OK);
    assert_true(to[0].a == 7 && to[0].b == 5 && to[1].a == 7 && to[1].b == 6);
    assert_memory_equal(to[0].c, ((uint8_t[]){9, 9, 3, 4}), 4);
    assert_memory_equal(to[1].c, ((uint8_t[]){0, 0, 3, 4}), 4);
}

/* SNP-06 */
static void defaults_of_structs_inside_count_where_there_are_none_outside(void **state) {
    migration *m = *state;
    static const Vec middle = {3, 4};
    struct {
        int32_t n;
        Vec a, b[2];
    } to;
    stoa_persist persist = {.defaults = &middle};
    fields_register(&m->old, "T", "{ int32_t n; }", NULL);
    fields_register(&m->now, "Vec", "{ float x, y; }", &persist);
    fields_register(&m->now, "T", "{ int32_t n; Vec a, b[2]; }", NULL);
    assert_int_equal(migration_plan(m, "T"), STOA_OK);
    assert_int_equal(migration_run(m, &(int32_t){5}, &to, 1), STOA_OK);
    assert_true(to.n == 5 && to.a.x == 3 && to.a.y == 4 && to.b[0].x == 3 && to.b[1].y == 4);
}

/* SNP-06 */
static void renamed_members_are_found_by_alias(void **state) {
    migration *m = *state;
    static const stoa_alias aliases[] = {
        {"gone", "x"}, {"left", "x"}, {"b", "c"}, {"right", "nobody"}, {NULL, NULL}};
    stoa_persist persist = {.fields = aliases};
    struct {
        int32_t left, b, right;
    } from = {1, 2, 3};
    struct {
        int32_t x, b, c;
    } to;
    fields_register(&m->old, "T", "{ int32_t left, b, right; }", NULL);
    fields_register(&m->now, "T", "{ int32_t x, b, c; }", &persist);
    assert_int_equal(migration_plan(m, "T"), STOA_OK);
    assert_int_equal(migration_run(m, &from, &to, 1), STOA_OK);
    /* b is still there, so it is not what c was called. */
    assert_true(to.x == 1 && to.b == 2 && to.c == 0);
    assert_string_equal(m->told, "renamed T.x: T.x was called 'left'\n"
                                 "added T.c: T.c was not saved and has its default\n"
                                 "removed T.right: T.right was saved and is left out\n");
}

/* SNP-06 */
static void aliases_of_structs_inside_are_their_own(void **state) {
    migration *m = *state;
    static const stoa_alias aliases[] = {{"u", "x"}, {"v", "y"}, {NULL, NULL}};
    stoa_persist persist = {.fields = aliases};
    struct {
        Vec a[2];
    } from = {{{1, 2}, {3, 4}}};
    struct {
        struct {
            double y, x;
        } a[2];
    } to;
    fields_register(&m->old, "Vec", "{ float u, v; }", NULL);
    fields_register(&m->old, "T", "{ Vec a[2]; }", NULL);
    fields_register(&m->now, "Vec2", "{ double y, x; }", &persist);
    fields_register(&m->now, "T", "{ Vec2 a[2]; }", NULL);
    assert_int_equal(migration_plan(m, "T"), STOA_OK);
    assert_int_equal(migration_run(m, &from, &to, 1), STOA_OK);
    assert_true(to.a[0].x == 1 && to.a[0].y == 2 && to.a[1].x == 3 && to.a[1].y == 4);
    assert_non_null(strstr(m->told, "renamed T.a.y: T.a.y was called 'v'\n"));
    assert_non_null(strstr(m->told, "converted T.a.x: T.a.x was float and is double\n"));
}

/* SNP-06 */
static void refused_value_inside_is_named_by_its_path(void **state) {
    migration *m = *state;
    int32_t from[4] = {1, 2, 300, 4}, to[4];
    fields_register(&m->old, "In", "{ int32_t n; }", NULL);
    fields_register(&m->old, "T", "{ In a[4]; }", NULL);
    fields_register(&m->now, "In", "{ uint8_t n; }", NULL);
    fields_register(&m->now, "T", "{ In a[4]; }", NULL);
    assert_int_equal(migration_plan(m, "T"), STOA_OK);
    assert_int_equal(migration_run(m, from, to, 1), STOA_REFUSED);
    support_assert_message("component 'T', member 'a.n': 300");
    m->loss = STOA_LOSS_CLAMP;
    assert_int_equal(migration_plan(m, "T"), STOA_OK);
    assert_int_equal(migration_run(m, from, to, 1), STOA_OK);
    assert_memory_equal(to, ((uint8_t[]){1, 2, 255, 4}), 4);
    m->told[0] = '\0';
    stoa__route_tell(&m->plan);
    assert_string_equal(m->told, "lost T.a.n: T.a.n lost something in 1 values\n");
}

static void sense_check(migration *m, const char *old, const char *now, const char *message) {
    uint8_t from[64] = {0}, to[64];
    assert_int_equal(migrate_fields(m, old, now, from, to), STOA_LAYOUT);
    support_assert_message("component 'T'");
    support_assert_message(message);
    assert_null(m->plan.steps);
}

/* SNP-06 */
static void changes_without_sense_are_refused_by_name(void **state) {
    migration *m = *state;
    sense_check(m, "{ int a; stoa_entity b; }", "{ int a; float b; }",
                "member 'b' was stoa_entity and is float");
    sense_check(m, "{ uint64_t b; }", "{ stoa_entity b; }",
                "member 'b' was uint64_t and is stoa_entity");
    fields_register(&m->old, "In", "{ int n; }", NULL);
    fields_register(&m->old, "U", "{ In a; }", NULL);
    fields_register(&m->now, "U", "{ int a; }", NULL);
    assert_int_equal(migration_plan(m, "U"), STOA_LAYOUT);
    support_assert_message("component 'U', member 'a' was In and is int32_t");
    fields_register(&m->old, "V", "{ int a; }", NULL);
    fields_register(&m->now, "In", "{ int n; }", NULL);
    fields_register(&m->now, "V", "{ In a; }", NULL);
    assert_int_equal(migration_plan(m, "V"), STOA_LAYOUT);
    support_assert_message("member 'a' was int32_t and is In");
}

/* SNP-06 */
static void long_columns_are_brought_over_whole(void **state) {
    migration *m = *state;
    enum { COUNT = 20000 };
    struct row {
        uint16_t a;
        float b;
    } *from = malloc(COUNT * sizeof *from);
    struct {
        double b;
        uint32_t a;
    } *to = malloc(COUNT * sizeof *to);
    for (int i = 0; i < COUNT; i++) {
        from[i] = (struct row){(uint16_t)i, (float)i / 2};
    }
    assert_int_equal(
        migrate_fields(m, "{ uint16_t a; float b; }", "{ double b; uint32_t a; }", from, to),
        STOA_OK);
    assert_int_equal(migration_run(m, from, to, COUNT), STOA_OK);
    for (int i = 0; i < COUNT; i++) {
        assert_true(to[i].a == (uint16_t)i && to[i].b == (double)i / 2);
    }
    free(from);
    free(to);
}

/* SNP-02: what a plan is made of on a machine whose numbers begin with the highest byte. */
static void reversed_numbers_are_turned(void **state) {
    (void)state;
    uint8_t from[2][9] = {{1, 2, 0, 0, 0, 5, 7, 8, 9}, {3, 4, 0, 0, 1, 0, 0, 1, 2}}, to[2][12];
    stoa__step steps[] = {{.op = STOA__OP_SWAP, .from = 0, .to = 2, .count = 1, .from_size = 2},
                          {.op = STOA__OP_COPY, .from = 6, .to = 8, .count = 3},
                          {.op = STOA__OP_NUMBER,
                           .from_kind = STOA_KIND_U32,
                           .to_kind = STOA_KIND_U16,
                           .swaps = true,
                           .from = 2,
                           .to = 4,
                           .count = 1,
                           .from_size = 4,
                           .to_size = 2},
                          {.op = STOA__OP_SWAP, .from = 0, .to = 6, .count = 2, .from_size = 1}};
    stoa__route plan = {.component = "T",
                        .way = STOA__WAY_MEMBERS,
                        .from_size = 9,
                        .to_size = 12,
                        .fills = true,
                        .steps = steps,
                        .step_count = 4};
    if (!stoa__step_machine_is_little()) {
        skip();
    }
    assert_int_equal(stoa__route_apply(&plan, from, to, 2), STOA_OK);
    assert_memory_equal(to[0], ((uint8_t[]){0, 0, 2, 1, 5, 0, 1, 2, 7, 8, 9, 0}), 12);
    assert_memory_equal(to[1], ((uint8_t[]){0, 0, 4, 3, 0, 1, 3, 4, 0, 1, 2, 0}), 12);
}

/* GEN-05 */
static void missing_places_are_refused(void **state) {
    migration *m = *state;
    float from = 1, to = 2;
    assert_int_equal(migrate_fields(m, "{ float a; }", "{ float a; }", &from, &to), STOA_OK);
    assert_int_equal(stoa__route_apply(&m->plan, NULL, &to, 1), STOA_NULL_ARGUMENT);
    assert_int_equal(stoa__route_apply(&m->plan, &from, NULL, 1), STOA_NULL_ARGUMENT);
    support_assert_message("values of component 'T' need a place");
    assert_int_equal(stoa__route_apply(&m->plan, &from, &to, 0), STOA_OK);
    stoa__route_settle(&m->plan, NULL, 1);
    stoa__route_fini(&m->plan);
    assert_int_equal(stoa__route_make(&m->plan, &m->saved, 0, m->now.world, 99, NULL),
                     STOA_UNKNOWN);
}

/* HOT-01 */
static void values_in_memory_are_brought_over_without_packing(void **state) {
    migration *m = *state;
    struct {
        uint8_t n;
        struct {
            uint8_t a;
            uint32_t b;
        } in[3];
    } from;
    struct {
        struct {
            uint64_t b;
        } in[2];
        int32_t n;
    } to;
    memset(&from, 0xFF, sizeof from);
    from.n = 3;
    for (uint8_t i = 0; i < 3; i++) {
        from.in[i].a = (uint8_t)(i < 2);
        from.in[i].b = i < 2 ? i + 10u : 0;
    }
    fields_register(&m->old, "In", "{ uint8_t a; uint32_t b; }", NULL);
    fields_register(&m->old, "T", "{ uint8_t n; In in[3]; }", NULL);
    fields_register(&m->now, "In", "{ uint64_t b; }", NULL);
    fields_register(&m->now, "T", "{ In in[2]; int32_t n; }", NULL);
    migration_save(m, "T");
    stoa_component id = stoa_component_find(m->now.world, "T");
    stoa__route_options options = {.memory = true};
    int32_t type = stoa__schema_find(&m->made, "T");
    assert_int_equal(stoa__route_make(&m->plan, &m->made, type, m->now.world, id, &options),
                     STOA_OK);
    assert_int_equal(m->plan.from_size, sizeof from);
    assert_int_equal(stoa__route_apply(&m->plan, &from, &to, 1), STOA_OK);
    assert_true(to.n == 3 && to.in[0].b == 10 && to.in[1].b == 11);
    from.in[2].b = 1;
    assert_int_equal(stoa__route_apply(&m->plan, &from, &to, 1), STOA_REFUSED);
    support_assert_message("member 'in'");
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, migration_open, migration_close)
    const struct CMUnitTest tests[] = {
        TEST(unchanged_type_is_a_plain_copy),
        TEST(dense_structs_and_arrays_become_one_copy),
        TEST(bools_inside_keep_the_copy_and_are_settled),
        TEST(added_members_are_zero_and_removed_ones_are_left_out),
        TEST(reordered_members_are_found_by_name),
        TEST(padding_is_not_saved_and_comes_out_as_zero),
        TEST(packed_values_are_those_of_the_format),
        TEST(packed_struct_becomes_an_aligned_one),
        TEST(defaults_fill_members_that_were_not_saved),
        TEST(defaults_of_structs_inside_count_where_there_are_none_outside),
        TEST(renamed_members_are_found_by_alias),
        TEST(aliases_of_structs_inside_are_their_own),
        TEST(refused_value_inside_is_named_by_its_path),
        TEST(changes_without_sense_are_refused_by_name),
        TEST(long_columns_are_brought_over_whole),
        TEST(reversed_numbers_are_turned),
        TEST(missing_places_are_refused),
        TEST(values_in_memory_are_brought_over_without_packing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
