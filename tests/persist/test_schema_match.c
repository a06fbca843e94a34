/* Components found for saved types, by name or former name; those the world does not know, kept as
 * they were saved; and schemas as text. */
#include "persist/schema_fixture.h"

STOA_ENUM(Mood, {CALM, ANGRY = 3});
STOA_ENUM(Depth, {LOW = -2, HIGH = 2});

/* Describes all components of the old world, by way of bytes. */
static void all_save(migration *m) {
    stoa_component ids[32];
    stoa_blob blob = {.allocator = stoa_world_allocator(m->old.world)};
    stoa_sink sink = stoa_blob_sink(&blob);
    int32_t count = stoa_component_count(m->old.world);
    for (int32_t i = 0; i < count; i++) {
        ids[i] = (stoa_component)i + 1;
    }
    assert_int_equal(stoa__schema_make(&m->made, m->old.world, ids, count), STOA_OK);
    assert_int_equal(stoa__schema_encode(&m->made, &sink), STOA_OK);
    assert_int_equal(
        stoa__schema_decode(&m->saved, blob.data, blob.size, stoa_world_allocator(m->now.world)),
        STOA_OK);
    stoa_blob_free(&blob);
}

/* SNP-06 */
static void renamed_component_is_found_by_its_former_name(void **state) {
    migration *m = *state;
    stoa_component ids[8];
    stoa_persist a = {.former_names = "Older Old"}, b = {.former_names = " Same\tthird "};
    fields_register(&m->old, "Old", "{ int a; }", NULL);
    fields_register(&m->old, "Same", "{ int a; }", NULL);
    fields_register(&m->old, "Ol", "{ int a; }", NULL);
    stoa_component same = fields_register(&m->now, "Same", "{ int a; }", NULL);
    stoa_component now = fields_register(&m->now, "New", "{ int a; }", &a);
    fields_register(&m->now, "Other", "{ int a; }", &b);
    all_save(m);
    assert_int_equal(stoa__schema_match(&m->saved, m->now.world, ids, told, m), STOA_OK);
    assert_int_equal(ids[stoa__schema_find(&m->saved, "Old")], now);
    assert_int_equal(ids[stoa__schema_find(&m->saved, "Same")], same);
    assert_int_equal(ids[stoa__schema_find(&m->saved, "Ol")], 0);
    assert_string_equal(m->told, "renamed New: New was called 'Old'\n");
    assert_int_equal(stoa__schema_match(&m->saved, m->now.world, ids, NULL, NULL), STOA_OK);
}

/* SNP-06 */
static void two_types_for_one_component_conflict(void **state) {
    migration *m = *state;
    stoa_component ids[8];
    stoa_persist persist = {.former_names = "Old"};
    fields_register(&m->old, "Old", "{ int a; }", NULL);
    fields_register(&m->old, "New", "{ int a; }", NULL);
    fields_register(&m->now, "New", "{ int a; }", &persist);
    all_save(m);
    assert_int_equal(stoa__schema_match(&m->saved, m->now.world, ids, told, m), STOA_CONFLICT);
    support_assert_message("both 'New' and 'Old' were saved, and are 'New' now");
}

/* SNP-06 */
static void former_name_before_the_own_one_conflicts(void **state) {
    migration *m = *state;
    stoa_component ids[8];
    stoa_persist persist = {.former_names = "Abe"};
    fields_register(&m->old, "Abe", "{ int a; }", NULL);
    fields_register(&m->old, "Zoe", "{ int a; }", NULL);
    fields_register(&m->now, "Zoe", "{ int a; }", &persist);
    all_save(m);
    assert_int_equal(stoa__schema_match(&m->saved, m->now.world, ids, told, m), STOA_CONFLICT);
    support_assert_message("both 'Abe' and 'Zoe' were saved, and are 'Zoe' now");
}

/* SNP-06 */
static void two_former_names_conflict(void **state) {
    migration *m = *state;
    stoa_component ids[8];
    stoa_persist persist = {.former_names = "Cat Dan"};
    fields_register(&m->old, "Dan", "{ int a; }", NULL);
    fields_register(&m->old, "Cat", "{ int a; }", NULL);
    fields_register(&m->now, "Yan", "{ int a; }", &persist);
    all_save(m);
    assert_int_equal(stoa__schema_match(&m->saved, m->now.world, ids, told, m), STOA_CONFLICT);
    support_assert_message("both 'Cat' and 'Dan' were saved, and are 'Yan' now");
}

/* SNP-10 */
static void managed_component_conflicts_and_transient_one_is_dropped(void **state) {
    migration *m = *state;
    stoa_component ids[8];
    stoa_component_desc managed = {
        .name = "A", .fields = "{ int a; }", .flags = STOA_MANAGED | STOA_SPARSE | STOA_IMMUTABLE};
    stoa_component_desc transient = {.name = "B", .fields = "{ int a; }", .flags = STOA_TRANSIENT};
    fields_register(&m->old, "B", "{ int a; }", NULL);
    assert_true(stoa_component_register(m->now.world, &transient) != 0);
    all_save(m);
    assert_int_equal(stoa__schema_match(&m->saved, m->now.world, ids, told, m), STOA_OK);
    assert_int_equal(ids[0], STOA__SCHEMA_DROPPED);
    migration_fini(m);
    fields_register(&m->old, "A", "{ int a; }", NULL);
    assert_true(stoa_component_register(m->now.world, &managed) != 0);
    all_save(m);
    assert_int_equal(stoa__schema_match(&m->saved, m->now.world, ids, told, m), STOA_CONFLICT);
    support_assert_message("component 'A' was saved as others are, but an extension keeps it");
}

/* SNP-06 */
static void types_that_are_only_parts_are_not_matched(void **state) {
    migration *m = *state;
    stoa_component ids[8];
    fields_register(&m->old, "Vec", "{ float x; }", NULL);
    fields_register(&m->old, "T", "{ Vec v; }", NULL);
    fields_register(&m->now, "Vec", "{ float x; }", NULL);
    migration_save(m, "T");
    assert_int_equal(stoa__schema_match(&m->saved, m->now.world, ids, told, m), STOA_OK);
    assert_int_equal(ids[stoa__schema_find(&m->saved, "Vec")], 0);
}

/* Registers a saved type in the other world and makes the plan to it. */
static stoa_component keep(migration *m, const char *name) {
    migration_fini(m);
    migration_save(m, name);
    int32_t made = stoa__schema_find(&m->made, name);
    int32_t type = stoa__schema_find(&m->saved, name);
    stoa_component id = stoa__schema_register(&m->saved, type, m->now.world);
    if (id != 0) {
        stoa__route_options options = {.notice = told, .user = m};
        assert_int_equal(stoa__route_pack(&m->pack, &m->made, made), STOA_OK);
        assert_int_equal(stoa__route_make(&m->plan, &m->saved, type, m->now.world, id, &options),
                         STOA_OK);
    }
    return id;
}

/* SNP-06 */
static void unknown_component_is_kept_as_it_was_saved(void **state) {
    migration *m = *state;
    stoa_component_info was, is;
    stoa_component_desc desc = {.name = "T",
                                .fields = "{ float x; game.Vec at[2]; char c; bool on; "
                                          "stoa_entity e; uint64_t big[3]; }",
                                .flags = STOA_SPARSE | STOA_SWITCHABLE};
    fields_register(&m->old, "game.Vec", "{ double x; int8_t y; }", NULL);
    stoa_component old = stoa_component_register(m->old.world, &desc);
    stoa_component id = keep(m, "T");
    assert_true(old != 0 && id != 0);
    assert_int_equal(stoa_component_info_get(m->old.world, old, &was), STOA_OK);
    assert_int_equal(stoa_component_info_get(m->now.world, id, &is), STOA_OK);
    assert_true(was.size == is.size && was.alignment == is.alignment && was.flags == is.flags);
    assert_int_equal(was.member_count, is.member_count);
    for (int32_t i = 0; i < was.member_count; i++) {
        assert_string_equal(was.members[i].name, is.members[i].name);
        assert_int_equal(was.members[i].offset, is.members[i].offset);
        assert_int_equal(was.members[i].kind, is.members[i].kind);
        assert_int_equal(was.members[i].count, is.members[i].count);
    }
    assert_true(stoa_component_find(m->now.world, "game.Vec") != 0);
    assert_int_equal(m->told_count, 0);
    assert_true(m->plan.same);
    /* Again is the same. */
    assert_int_equal(
        stoa__schema_register(&m->saved, stoa__schema_find(&m->saved, "T"), m->now.world), id);
}

/* SNP-06 */
static void kept_component_uses_the_structs_and_enums_of_the_world(void **state) {
    migration *m = *state;
    struct {
        float x, y;
        int32_t mood;
    } from = {1, 2, 3};
    struct {
        double y, x;
        int32_t mood;
    } to;
    stoa_persist persist = {.former_names = "Vec"};
    assert_true(stoa_id(m->old.world, Mood) != 0 && stoa_id(m->now.world, Mood) != 0);
    fields_register(&m->old, "Vec", "{ float x, y; }", NULL);
    fields_register(&m->old, "T", "{ Vec at; Mood mood; }", NULL);
    fields_register(&m->now, "Vector", "{ double y, x; }", &persist);
    assert_true(keep(m, "T") != 0);
    assert_int_equal(stoa_component_find(m->now.world, "Vec"), 0);
    assert_int_equal(migration_run(m, &from, &to, 1), STOA_OK);
    assert_true(to.x == 1 && to.y == 2 && to.mood == 3);
}

/* SNP-06 */
static void unknown_enums_are_kept_with_their_names(void **state) {
    migration *m = *state;
    stoa_component_info info;
    int32_t from[3] = {3, -2, 9}, to[3];
    assert_true(stoa_id(m->old.world, Mood) != 0 && stoa_id(m->old.world, Depth) != 0);
    fields_register(&m->old, "T", "{ Mood mood; Depth depth; enum Any any; }", NULL);
    stoa_component id = keep(m, "T");
    assert_int_equal(stoa_component_info_get(m->now.world, id, &info), STOA_OK);
    assert_int_equal(info.members[0].kind, STOA_KIND_ENUM);
    assert_int_equal(info.members[1].kind, STOA_KIND_ENUM);
    /* One that nobody described has no names. */
    assert_int_equal(info.members[2].kind, STOA_KIND_I32);
    int32_t count, known;
    const stoa_enum_value *is = stoa_component_enum(m->now.world, info.members[1].type, &count);
    const stoa_enum_value *was =
        stoa_component_enum(m->old.world, stoa_id(m->old.world, Depth), &known);
    assert_int_equal(count, known);
    for (int32_t i = 0; i < count; i++) {
        assert_string_equal(is[i].name, was[i].name);
        assert_true(is[i].value == was[i].value);
    }
    assert_int_equal(migration_run(m, from, to, 1), STOA_OK);
    assert_memory_equal(from, to, sizeof to);
    /* It is the one that a program would declare. */
    assert_true(stoa_id(m->now.world, Depth) != 0);
    id = keep(m, "Mood");
    assert_int_equal(stoa_component_info_get(m->now.world, id, &info), STOA_OK);
    assert_string_equal(info.members[0].name, "value");
    assert_int_equal(migration_run(m, from, to, 1), STOA_OK);
    assert_int_equal(to[0], 3);
}

/* SNP-06 SNP-05: what no text can tell is an integer, as before. */
static void enums_that_no_text_can_tell_are_kept_as_integers(void **state) {
    migration *m = *state;
    stoa_component_info info;
    stoa_type odd = {.form = STOA_FORM_ENUM,
                     .identifier = "Odd",
                     .text = "{ LOW = -9223372036854775807 - 1 }",
                     .size = 8,
                     .alignment = 8};
    stoa_type strange = {.form = STOA_FORM_ENUM,
                         .identifier = "Strange",
                         .text = "{ ONE = 1 }",
                         .size = 1,
                         .alignment = 1,
                         .options = {.name = "no name"}};
    assert_true(stoa_type_register(m->old.world, &odd) != 0);
    assert_true(stoa_type_register(m->old.world, &strange) != 0);
    fields_register(&m->old, "T", "{ Odd low; }", NULL);
    stoa_component id = keep(m, "T");
    assert_int_equal(stoa_component_info_get(m->now.world, id, &info), STOA_OK);
    assert_int_equal(info.members[0].kind, STOA_KIND_I64);
    id = keep(m, "no name");
    assert_int_equal(stoa_component_info_get(m->now.world, id, &info), STOA_OK);
    assert_int_equal(info.members[0].kind, STOA_KIND_U8);
}

static stoa_status never_save(const stoa_sink *sink, const void *items, int32_t count, void *user) {
    (void)sink, (void)items, (void)count, (void)user;
    return STOA_FAILED;
}
static stoa_status never_load(const stoa_source *source, void *items, int32_t count, void *user) {
    (void)source, (void)items, (void)count, (void)user;
    return STOA_FAILED;
}
static const stoa_persist functions = {.save = never_save, .load = never_load};

/* SNP-06 */
static void tags_and_bytes_are_kept_and_functions_cannot_be(void **state) {
    migration *m = *state;
    stoa_component_info info;
    fields_register(&m->old, "Tag", NULL, NULL);
    assert_true(
        stoa_component_register(
            m->old.world, &(stoa_component_desc){
                              .name = "Raw", .size = 32, .alignment = 16, .flags = STOA_RAW}) != 0);
    fields_register(&m->old, "Own", "{ char *text; }", &functions);
    stoa_component id = keep(m, "Tag");
    assert_int_equal(stoa_component_info_get(m->now.world, id, &info), STOA_OK);
    assert_int_equal(info.size, 0);
    id = keep(m, "Raw");
    assert_int_equal(stoa_component_info_get(m->now.world, id, &info), STOA_OK);
    assert_true(info.size == 32 && info.alignment == 16 && info.flags == STOA_RAW);
    assert_true(m->plan.copy);
    assert_int_equal(keep(m, "Own"), 0);
    support_assert_message("component 'Own' was saved by functions, so it cannot be kept");
    assert_int_equal(stoa_component_find(m->now.world, "Own"), 0);
}

/* SNP-06 */
static void struct_with_a_name_that_no_text_can_have_is_told(void **state) {
    migration *m = *state;
    stoa_type odd = {.form = STOA_FORM_OWN,
                     .identifier = "Odd",
                     .text = "{ int a; }",
                     .size = 4,
                     .alignment = 4,
                     .enum_size = 4,
                     .options = {.name = "odd one"}};
    assert_true(stoa_type_register(m->old.world, &odd) != 0);
    fields_register(&m->old, "T", "{ Odd a; }", NULL);
    assert_int_equal(keep(m, "T"), 0);
    assert_int_equal(stoa_last_error().status, STOA_INVALID);
    support_assert_message("component 'T' cannot be kept: 'odd one' inside of it");
    /* As a component it can be. */
    assert_true(keep(m, "odd one") != 0);
}

/* TOL-02 */
static void schema_prints_as_declarations(void **state) {
    migration *m = *state;
    char text[1024];
    assert_true(stoa_id(m->old.world, Mood) != 0);
    fields_register(&m->old, "Vec", "{ float x, y; }", NULL);
    fields_register(&m->old, "Tag", NULL, NULL);
    fields_register(&m->old, "Own", "{ char *text; }", &functions);
    stoa_component_register(m->old.world,
                            &(stoa_component_desc){.name = "Raw",
                                                   .size = 32,
                                                   .flags = STOA_RAW | STOA_SPARSE | STOA_HIDDEN});
    fields_register(&m->old, "T", "{ Vec at[2]; Mood mood; enum Any any; bool on; }", NULL);
    all_save(m);
    stoa__writer out = stoa__writer_new(text, sizeof text);
    for (int32_t i = 0; i < m->saved.type_count; i++) {
        stoa__schema_print(&m->saved, i, &out);
    }
    assert_string_equal(text, "Mood: enum of 4 bytes\n  CALM = 0\n  ANGRY = 3\n"
                              "Own: saved by functions\n"
                              "Raw: 32 raw bytes, hidden, sparse\n"
                              "Tag: tag\n"
                              "Vec: 8 bytes\n  float x\n  float y\n"
                              "T: 28 bytes\n  Vec at[2]\n  Mood mood\n  enum of 4 bytes any\n"
                              "  bool on\n");
}

/* TOL-02 */
static void differences_between_schemas_are_listed(void **state) {
    migration *m = *state;
    char text[1024];
    stoa_type was = {.form = STOA_FORM_ENUM,
                     .identifier = "Mood",
                     .text = "{ CALM, SAD, ANGRY }",
                     .size = 4,
                     .alignment = 4,
                     .enum_size = 4};
    assert_true(stoa_type_register(m->old.world, &was) != 0 && stoa_id(m->now.world, Mood) != 0);
    fields_register(&m->old, "Gone", "{ int a; }", NULL);
    fields_register(&m->now, "Fresh", NULL, NULL);
    fields_register(&m->old, "T", "{ int a; float b; char c[4]; int e; }", NULL);
    fields_register(&m->now, "T", "{ int a; double b; char d[4]; int e[1]; }", NULL);
    fields_register(&m->old, "Same", "{ int a; }", NULL);
    fields_register(&m->now, "Same", "{ int a; }", NULL);
    all_save(m);
    stoa_component ids[] = {1, 2, 3, 4};
    stoa__schema now;
    assert_int_equal(stoa__schema_make(&now, m->now.world, ids, 4), STOA_OK);
    stoa__writer out = stoa__writer_new(text, sizeof text);
    assert_int_equal(stoa__schema_compare(&m->saved, &now, &out), 9);
    assert_string_equal(text, "Gone: removed\n"
                              "Mood.SAD: removed\n"
                              "Mood.ANGRY: 2 before, 3 after\n"
                              "T: 16 bytes before, 24 bytes after\n"
                              "T.b: float before, double after\n"
                              "T.c: removed\n"
                              "T.e: int32_t before, int32_t[1] after\n"
                              "T.d: added\n"
                              "Fresh: added\n");
    out = stoa__writer_new(text, sizeof text);
    assert_int_equal(stoa__schema_compare(&now, &now, &out), 0);
    assert_string_equal(text, "");
    stoa__schema_fini(&now);
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, migration_open, migration_close)
    const struct CMUnitTest tests[] = {
        TEST(renamed_component_is_found_by_its_former_name),
        TEST(two_types_for_one_component_conflict),
        TEST(former_name_before_the_own_one_conflicts),
        TEST(two_former_names_conflict),
        TEST(managed_component_conflicts_and_transient_one_is_dropped),
        TEST(types_that_are_only_parts_are_not_matched),
        TEST(unknown_component_is_kept_as_it_was_saved),
        TEST(kept_component_uses_the_structs_and_enums_of_the_world),
        TEST(unknown_enums_are_kept_with_their_names),
        TEST(enums_that_no_text_can_tell_are_kept_as_integers),
        TEST(tags_and_bytes_are_kept_and_functions_cannot_be),
        TEST(struct_with_a_name_that_no_text_can_have_is_told),
        TEST(schema_prints_as_declarations),
        TEST(differences_between_schemas_are_listed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
