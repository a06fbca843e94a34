/* Values brought over where lengths of arrays and texts, values of enums, or the whole way in which
 * a component is saved have changed. */
#include "persist/schema_fixture.h"

/* An enum as a program describes it, once for each version. */
static stoa_type enum_type(const char *text, uint32_t size) {
    return (stoa_type){.form = STOA_FORM_ENUM,
                       .identifier = "Team",
                       .text = text,
                       .size = size,
                       .alignment = size,
                       .enum_size = 4};
}

/* A component that holds an enum of one text, to one that holds an enum of another. */
static stoa_status enum_plan(migration *m, const char *old, uint32_t old_size, const char *now,
                             uint32_t now_size, const stoa_persist *persist) {
    stoa_type was = enum_type(old, old_size), is = enum_type(now, now_size);
    assert_true(stoa_type_register(m->old.world, &was) != 0);
    assert_true(stoa_type_register(m->now.world, &is) != 0);
    fields_register(&m->old, "T", "{ Team a, b; }", NULL);
    fields_register(&m->now, "T", "{ Team a, b; }", persist);
    return migration_plan(m, "T");
}

/* SNP-06 */
static void shorter_array_keeps_its_first_elements_if_the_rest_is_zero(void **state) {
    migration *m = *state;
    int16_t from[4] = {1, 2, 0, 0}, to[2];
    assert_int_equal(migrate_fields(m, "{ int16_t a[4]; }", "{ int16_t a[2]; }", from, to),
                     STOA_OK);
    assert_true(to[0] == 1 && to[1] == 2);
    assert_string_equal(m->told, "converted T.a: T.a was int16_t[4] and is int16_t[2]\n");
    from[3] = 9;
    assert_int_equal(migration_run(m, from, to, 1), STOA_REFUSED);
    support_assert_message("component 'T', member 'a': an element that is not zero is dropped");
    m->loss = STOA_LOSS_CLAMP;
    assert_int_equal(migrate_fields(m, "{ int16_t a[4]; }", "{ int16_t a[2]; }", from, to),
                     STOA_OK);
    assert_true(to[0] == 1 && to[1] == 2);
}

/* SNP-06 */
static void longer_array_is_filled_up_with_zero(void **state) {
    migration *m = *state;
    int16_t from[2] = {1, 2};
    int32_t to[4];
    assert_int_equal(migrate_fields(m, "{ int16_t a[2]; }", "{ int32_t a[4]; }", from, to),
                     STOA_OK);
    assert_memory_equal(to, ((int32_t[]){1, 2, 0, 0}), sizeof to);
}

/* SNP-06 */
static void one_element_and_an_array_of_one_are_the_same(void **state) {
    migration *m = *state;
    float from[3] = {5, 0, 0}, to[3];
    assert_int_equal(migrate_fields(m, "{ float a; }", "{ float a[1]; }", from, to), STOA_OK);
    assert_true(to[0] == 5 && copies(&m->plan));
    assert_int_equal(migrate_fields(m, "{ float a[1]; }", "{ float a; }", from, to), STOA_OK);
    assert_true(to[0] == 5 && copies(&m->plan));
    assert_int_equal(migrate_fields(m, "{ float a[3]; }", "{ float a; }", from, to), STOA_OK);
    assert_true(to[0] == 5);
    assert_int_equal(migrate_fields(m, "{ float a; }", "{ float a[3]; }", from, to), STOA_OK);
    assert_true(to[0] == 5 && to[1] == 0 && to[2] == 0);
}

/* SNP-06 */
static void arrays_of_structs_grow_and_shrink(void **state) {
    migration *m = *state;
    struct {
        uint8_t a;
        uint32_t b;
    } from[3] = {{1, 2}, {3, 4}, {0, 0}}, to[5];
    fields_register(&m->old, "In", "{ uint8_t a; uint32_t b; }", NULL);
    fields_register(&m->old, "T", "{ In in[3]; }", NULL);
    fields_register(&m->now, "In", "{ uint8_t a; uint32_t b; }", NULL);
    fields_register(&m->now, "T", "{ In in[5]; }", NULL);
    assert_int_equal(migration_plan(m, "T"), STOA_OK);
    assert_int_equal(migration_run(m, from, to, 1), STOA_OK);
    assert_true(to[0].b == 2 && to[1].a == 3 && to[2].b == 0 && to[4].a == 0 && to[4].b == 0);
    fields_register(&m->old, "U", "{ In in[3]; }", NULL);
    fields_register(&m->now, "U", "{ In in[2]; }", NULL);
    assert_int_equal(migration_plan(m, "U"), STOA_OK);
    assert_int_equal(migration_run(m, from, to, 1), STOA_OK);
    assert_true(to[0].b == 2 && to[1].a == 3 && to[1].b == 4);
    from[2].b = 1;
    assert_int_equal(migration_run(m, from, to, 1), STOA_REFUSED);
    support_assert_message("member 'in'");
}

/* SNP-06 */
static void text_that_fits_is_kept_and_one_that_does_not_is_a_loss(void **state) {
    migration *m = *state;
    char from[8] = "abc\0xyz", to[16];
    memset(to, 'Z', sizeof to);
    assert_int_equal(migrate_fields(m, "{ char a[8]; }", "{ char a[16]; }", from, to), STOA_OK);
    assert_memory_equal(to, "abc\0xyz\0\0\0\0\0\0\0\0\0", 16);
    assert_int_equal(migrate_fields(m, "{ char a[8]; }", "{ char a[4]; }", from, to), STOA_OK);
    assert_memory_equal(to, "abc\0", 4);
    assert_int_equal(migrate_fields(m, "{ char a[8]; }", "{ char a[3]; }", from, to), STOA_REFUSED);
    support_assert_message("component 'T', member 'a': \"abc\" is too long a text");
    m->loss = STOA_LOSS_CLAMP;
    assert_int_equal(migrate_fields(m, "{ char a[8]; }", "{ char a[3]; }", from, to), STOA_OK);
    assert_memory_equal(to, "ab\0", 3);
    memcpy(from, "x\xC3\xA4yyyyy", 8);
    assert_int_equal(migrate_fields(m, "{ char a[8]; }", "{ char a[3]; }", from, to), STOA_OK);
    assert_memory_equal(to, "x\0\0", 3);
    memcpy(from, "\x80\x80\x80\x80\x80\x80\x80\x80", 8);
    assert_int_equal(migrate_fields(m, "{ char a[8]; }", "{ char a[3]; }", from, to), STOA_OK);
    assert_memory_equal(to, "\0\0\0", 3);
}

/* SNP-06 */
static void longer_text_does_not_end_in_its_default(void **state) {
    migration *m = *state;
    static const char defaults[] = "somebody";
    stoa_persist persist = {.defaults = defaults};
    char to[8];
    fields_register(&m->old, "T", "{ char a[4]; }", NULL);
    fields_register(&m->now, "T", "{ char a[8]; }", &persist);
    assert_int_equal(migration_plan(m, "T"), STOA_OK);
    assert_int_equal(migration_run(m, "abcd", to, 1), STOA_OK);
    assert_memory_equal(to, "abcd\0\0\0\0", 8);
}

/* SNP-06 */
static void text_and_bytes_are_the_same(void **state) {
    migration *m = *state;
    uint8_t from[3] = {200, 0, 255}, to[3];
    assert_int_equal(migrate_fields(m, "{ char a[3]; }", "{ uint8_t a[3]; }", from, to), STOA_OK);
    assert_memory_equal(from, to, 3);
    assert_int_equal(migrate_fields(m, "{ int8_t a[3]; }", "{ char a[3]; }", from, to), STOA_OK);
    assert_memory_equal(from, to, 3);
}

/* SNP-06 */
static void enum_goes_by_names_where_numbers_have_changed(void **state) {
    migration *m = *state;
    int32_t from[2] = {0, 2}, to[2];
    assert_int_equal(
        enum_plan(m, "{ RED, GREEN, BLUE }", 4, "{ BLUE, PINK, RED, GREEN = -7 }", 4, NULL),
        STOA_OK);
    assert_int_equal(migration_run(m, from, to, 1), STOA_OK);
    assert_true(to[0] == 2 && to[1] == 0);
    assert_int_equal(migration_run(m, (int32_t[]){1, 0}, to, 1), STOA_OK);
    assert_true(to[0] == -7 && to[1] == 2);
    assert_string_equal(m->told, "converted T.a: T.a goes by the names of its values\n"
                                 "converted T.b: T.b goes by the names of its values\n");
    assert_int_equal(m->plan.pair_count, 3);
}

/* SNP-06 */
static void enum_that_only_grew_is_a_plain_copy(void **state) {
    migration *m = *state;
    assert_int_equal(enum_plan(m, "{ RED, GREEN }", 4, "{ RED, GREEN, BLUE }", 4, NULL), STOA_OK);
    assert_true(copies(&m->plan) && m->plan.same);
    /* Numbers without a name, such as of flags, stay what they are. */
    int32_t to[2];
    assert_int_equal(migration_run(m, (int32_t[]){77, 1}, to, 1), STOA_OK);
    assert_true(to[0] == 77 && to[1] == 1);
}

/* SNP-06 */
static void value_whose_name_is_gone_is_renamed_or_lost(void **state) {
    migration *m = *state;
    int32_t to[2];
    struct {
        int32_t a, b;
    } defaults = {5, 6};
    stoa_persist persist = {.defaults = &defaults};
    assert_int_equal(enum_plan(m, "{ RED, GREEN, BLUE, ALSO_RED = 0 }", 4,
                               "{ SCARLET, GREEN, ALSO_BLUE = 5, SIXTH }", 4, &persist),
                     STOA_OK);
    assert_int_equal(migration_run(m, (int32_t[]){0, 1}, to, 1), STOA_OK);
    assert_true(to[0] == 0 && to[1] == 1);
    assert_int_equal(migration_run(m, (int32_t[]){1, 2}, to, 1), STOA_REFUSED);
    support_assert_message("component 'T', member 'b': 2 has no name that the enum still knows");
    assert_int_equal(migration_run(m, (int32_t[]){33, 0}, to, 1), STOA_REFUSED);
    support_assert_message("member 'a': 33 has no name");
    m->loss = STOA_LOSS_CLAMP;
    assert_int_equal(migration_plan(m, "T"), STOA_OK);
    assert_int_equal(migration_run(m, (int32_t[]){33, 2}, to, 1), STOA_OK);
    assert_true(to[0] == 5 && to[1] == 6);
}

/* SNP-06 */
static void number_that_has_an_old_name_is_not_taken_for_renamed(void **state) {
    migration *m = *state;
    int32_t to[2];
    assert_int_equal(enum_plan(m, "{ RED, GREEN }", 4, "{ GREEN, BLUE }", 4, NULL), STOA_OK);
    assert_int_equal(migration_run(m, (int32_t[]){1, 1}, to, 1), STOA_OK);
    assert_true(to[0] == 0 && to[1] == 0);
    assert_int_equal(migration_run(m, (int32_t[]){1, 0}, to, 1), STOA_REFUSED);
    support_assert_message("member 'b': 0 has no name");
}

/* SNP-06 */
static void values_may_stand_in_any_order_and_share_numbers(void **state) {
    migration *m = *state;
    int32_t from[] = {9, 3, 5, 1, -4, 9}, to[6];
    assert_int_equal(enum_plan(m, "{ A = 9, GONE = 3, B = 3, C = 5, D = 1, E = -4, F = 7 }", 4,
                               "{ E, D, C, B, A, F }", 4, NULL),
                     STOA_OK);
    assert_int_equal(m->plan.pair_count, 6);
    assert_int_equal(migration_run(m, from, to, 3), STOA_OK);
    assert_memory_equal(to, ((int32_t[]){4, 3, 2, 1, 0, 4}), sizeof to);
}

/* SNP-06 */
static void enum_of_64_bits_keeps_its_range(void **state) {
    migration *m = *state;
    uint64_t to[2];
    assert_int_equal(
        enum_plan(m, "{ LOW = 1, HIGH = 0x7FFFFFFFFFFFFFFF }", 8, "{ HIGH = 2, LOW = 3 }", 8, NULL),
        STOA_OK);
    assert_int_equal(migration_run(m, (uint64_t[]){INT64_MAX, 1}, to, 1), STOA_OK);
    assert_true(to[0] == 2 && to[1] == 3);
    assert_int_equal(migration_run(m, (uint64_t[]){UINT64_MAX, 1}, to, 1), STOA_REFUSED);
    support_assert_message("member 'a': 18446744073709551615 has no name");
}

/* SNP-06 */
static void enum_may_become_narrower_or_an_integer(void **state) {
    migration *m = *state;
    uint8_t to[2];
    assert_int_equal(enum_plan(m, "{ RED, GREEN = 200 }", 4, "{ RED, GREEN = 200 }", 1, NULL),
                     STOA_OK);
    assert_int_equal(migration_run(m, (int32_t[]){200, 0}, to, 1), STOA_OK);
    assert_true(to[0] == 200 && to[1] == 0);
    assert_int_equal(migration_run(m, (int32_t[]){0, 300}, to, 1), STOA_REFUSED);
    fields_register(&m->old, "U", "{ Team a; }", NULL);
    fields_register(&m->now, "U", "{ int16_t a; }", NULL);
    int16_t number;
    assert_int_equal(migration_plan(m, "U"), STOA_OK);
    assert_int_equal(migration_run(m, (int32_t[]){200}, &number, 1), STOA_OK);
    assert_int_equal(number, 200);
    fields_register(&m->old, "V", "{ int16_t a; }", NULL);
    fields_register(&m->now, "V", "{ Team a; }", NULL);
    assert_int_equal(migration_plan(m, "V"), STOA_OK);
    assert_int_equal(migration_run(m, (int16_t[]){200}, to, 1), STOA_OK);
    assert_int_equal(to[0], 200);
}

/* SNP-06 */
static void enum_as_a_component_is_brought_over(void **state) {
    migration *m = *state;
    stoa_type was = enum_type("{ RED, GREEN }", 4), is = enum_type("{ GREEN, RED }", 2);
    int16_t to[2];
    assert_true(stoa_type_register(m->old.world, &was) != 0);
    assert_true(stoa_type_register(m->now.world, &is) != 0);
    assert_int_equal(migration_plan(m, "Team"), STOA_OK);
    assert_int_equal(migration_run(m, (int32_t[]){0, 1}, to, 2), STOA_OK);
    assert_true(to[0] == 1 && to[1] == 0);
}

/* SNP-06 */
static void undescribed_enum_is_an_integer_with_a_sign(void **state) {
    migration *m = *state;
    int64_t to;
    assert_int_equal(migrate_fields(m, "{ enum Any a; }", "{ int64_t a; }", &(int){-5}, &to),
                     STOA_OK);
    assert_int_equal(to, -5);
}

/* SNP-06 */
static void tag_may_get_members_and_lose_them(void **state) {
    migration *m = *state;
    int32_t to = 77;
    assert_int_equal(migrate_fields(m, NULL, "{ int32_t a; }", NULL, &to), STOA_OK);
    assert_int_equal(to, 0);
    assert_string_equal(m->told, "added T.a: T.a was not saved and has its default\n");
    assert_int_equal(migrate_fields(m, "{ int32_t a; }", NULL, &to, NULL), STOA_OK);
    assert_string_equal(m->told, "removed T.a: T.a was saved and is left out\n");
    assert_int_equal(m->plan.to_size, 0);
    assert_int_equal(migrate_fields(m, NULL, NULL, NULL, NULL), STOA_OK);
    assert_true(m->plan.copy && m->plan.same);
}

static stoa_component raw_register(support_world *s, const char *name, uint32_t size) {
    return stoa_component_register(
        s->world,
        &(stoa_component_desc){.name = name, .size = size, .alignment = 4, .flags = STOA_RAW});
}

/* SNP-03, SNP-06 */
static void raw_bytes_stay_what_they_are(void **state) {
    migration *m = *state;
    uint32_t from[2] = {0x01020304, 0xFFFFFFFF}, to[2];
    assert_true(raw_register(&m->old, "Raw", 8) != 0 && raw_register(&m->now, "Raw", 8) != 0);
    assert_int_equal(migration_plan(m, "Raw"), STOA_OK);
    assert_true(m->plan.copy && m->plan.same && m->pack.copy);
    assert_int_equal(migration_run(m, from, to, 1), STOA_OK);
    assert_memory_equal(from, to, 8);
    /* They may be described later, at the same size. */
    raw_register(&m->old, "Later", 8);
    fields_register(&m->now, "Later", "{ uint32_t a; bool b[4]; }", NULL);
    assert_int_equal(migration_plan(m, "Later"), STOA_OK);
    assert_int_equal(migration_run(m, from, to, 1), STOA_OK);
    assert_memory_equal(to, ((uint32_t[]){0x01020304, 0x01010101}), 8);
    raw_register(&m->old, "Inside", 8);
    fields_register(&m->now, "Flags", "{ uint8_t a; bool b; }", NULL);
    fields_register(&m->now, "Inside", "{ Flags a[2]; int32_t b; }", NULL);
    assert_int_equal(migration_plan(m, "Inside"), STOA_OK);
    assert_int_equal(migration_run(m, (uint8_t[]){7, 7, 7, 7, 7, 7, 7, 7}, to, 1), STOA_OK);
    assert_memory_equal(to, ((uint8_t[]){7, 1, 7, 1, 7, 7, 7, 7}), 8);
    /* Another size, or no description any more, leaves no way. */
    raw_register(&m->old, "Grown", 8);
    raw_register(&m->now, "Grown", 12);
    assert_int_equal(migration_plan(m, "Grown"), STOA_LAYOUT);
    support_assert_message("component 'Grown' was saved as 8 bytes as they were and has 12 now");
    fields_register(&m->old, "Bare", "{ uint32_t a; }", NULL);
    raw_register(&m->now, "Bare", 4);
    assert_int_equal(migration_plan(m, "Bare"), STOA_LAYOUT);
    support_assert_message("component 'Bare' was saved by its members");
    raw_register(&m->old, "In", 4);
    raw_register(&m->now, "In", 8);
    fields_register(&m->old, "Out", "{ In a; }", NULL);
    fields_register(&m->now, "Out", "{ In a; }", NULL);
    assert_int_equal(migration_plan(m, "Out"), STOA_LAYOUT);
    support_assert_message("component 'Out', member 'a' was saved as 4 bytes");
    assert_true(stoa_component_register(m->old.world, &(stoa_component_desc){.name = "Tag"}) != 0);
    raw_register(&m->now, "Tag", 4);
    assert_int_equal(migration_plan(m, "Tag"), STOA_OK);
    assert_int_equal(migration_run(m, NULL, to, 2), STOA_OK);
    assert_true(to[0] == 0 && to[1] == 0);
    assert_string_equal(m->told, "added Tag: Tag was a tag and has its default\n");
    raw_register(&m->old, "Empty", 4);
    fields_register(&m->now, "Empty", NULL, NULL);
    assert_int_equal(migration_plan(m, "Empty"), STOA_OK);
    assert_string_equal(m->told, "removed Empty: Empty was saved as bytes and is a tag\n");
    assert_int_equal(migration_run(m, from, NULL, 2), STOA_OK);
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

/* SNP-03, SNP-06 */
static void functions_come_and_go_only_where_members_tell_all(void **state) {
    migration *m = *state;
    int32_t to = 0;
    fields_register(&m->old, "Both", "{ char *a; }", &functions);
    fields_register(&m->now, "Both", "{ char *a; int b; }", &functions);
    assert_int_equal(migration_plan(m, "Both"), STOA_OK);
    assert_true(m->plan.way == STOA__WAY_FUNCTIONS && !m->plan.copy);
    assert_int_equal(stoa__route_apply(&m->plan, &to, &to, 1), STOA_INVALID);
    assert_int_equal(stoa__route_pack(&m->pack, &m->made, 0), STOA_INVALID);
    fields_register(&m->old, "Gone", "{ int a; }", &functions);
    fields_register(&m->now, "Gone", "{ int a; }", NULL);
    assert_int_equal(migration_plan(m, "Gone"), STOA_LAYOUT);
    support_assert_message("component 'Gone' was saved by functions and has none now");
    fields_register(&m->old, "Plain", "{ int a; }", NULL);
    fields_register(&m->now, "Plain", "{ int a; }", &functions);
    assert_int_equal(migration_plan(m, "Plain"), STOA_OK);
    assert_int_equal(migration_run(m, (int[]){4}, &to, 1), STOA_OK);
    assert_int_equal(to, 4);
    fields_register(&m->old, "Owner", "{ int a; }", NULL);
    fields_register(&m->now, "Owner", "{ int a; char *b; }", &functions);
    assert_int_equal(migration_plan(m, "Owner"), STOA_LAYOUT);
    support_assert_message("component 'Owner' was saved by its members");
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, migration_open, migration_close)
    const struct CMUnitTest tests[] = {
        TEST(shorter_array_keeps_its_first_elements_if_the_rest_is_zero),
        TEST(longer_array_is_filled_up_with_zero),
        TEST(one_element_and_an_array_of_one_are_the_same),
        TEST(arrays_of_structs_grow_and_shrink),
        TEST(text_that_fits_is_kept_and_one_that_does_not_is_a_loss),
        TEST(longer_text_does_not_end_in_its_default),
        TEST(text_and_bytes_are_the_same),
        TEST(enum_goes_by_names_where_numbers_have_changed),
        TEST(enum_that_only_grew_is_a_plain_copy),
        TEST(value_whose_name_is_gone_is_renamed_or_lost),
        TEST(number_that_has_an_old_name_is_not_taken_for_renamed),
        TEST(values_may_stand_in_any_order_and_share_numbers),
        TEST(enum_of_64_bits_keeps_its_range),
        TEST(enum_may_become_narrower_or_an_integer),
        TEST(enum_as_a_component_is_brought_over),
        TEST(undescribed_enum_is_an_integer_with_a_sign),
        TEST(tag_may_get_members_and_lose_them),
        TEST(raw_bytes_stay_what_they_are),
        TEST(functions_come_and_go_only_where_members_tell_all),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
