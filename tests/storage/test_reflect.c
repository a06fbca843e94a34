/* Reflection: what the compiler made of a struct is what its description says, or it is refused. */
#include "storage/reflect_fixture.h"

STOA_COMPONENT(Fixed, {
    int8_t a;
    int64_t b;
    uint8_t c;
    int16_t d;
    uint8_t e;
    uint32_t f;
    uint16_t g;
    int32_t h;
    uint64_t i;
});
STOA_COMPONENT(Language, {
    bool flag;
    char letter;
    signed char small;
    unsigned char byte;
    short shorter;
    unsigned short int shortest;
    int whole;
    unsigned natural;
    long far;
    unsigned long int farther;
    long long farthest;
    unsigned long long beyond;
    float single;
    double twice;
});
STOA_COMPONENT(Orders, {
    long int unsigned long a;
    int short b;
    char unsigned c;
    int long signed d;
    const volatile int e;
    double const g;
    struct Vec2 const h;
});
STOA_COMPONENT(Sizes, {
    char first;
    size_t a;
    char second;
    ptrdiff_t b;
    intptr_t c;
    uintptr_t d;
});
STOA_COMPONENT(Handles, {
    uint8_t kind;
    stoa_entity target;
    struct stoa_entity targets[3];
});
STOA_COMPONENT(Pointers, {
    char first;
    char *name;
    const char *title;
    char const *const label;
    void *data;
    const struct Unknown *unknown;
    struct Pointers *next;
    char **names;
    unsigned char *bytes;
    Vec2 *corners[4];
    char *lines[2];
});
STOA_COMPONENT(Arrays, {
    char name[16];
    float m[4][4];
    double d[2][3][1];
    uint8_t one[1];
    short s[(1 + 2) * 3 - 0x4];
    int32_t shifted[1 << 3 >> 1];
});
STOA_COMPONENT(Declarators, { float x, *p, m[2][2], y; });
STOA_COMPONENT(Nested, {
    uint8_t before;
    Vec2 at;
    struct Vec2 path[3];
    uint8_t after;
});
STOA_COMPONENT(Enums, {
    uint8_t before;
    Team team;
    enum Team teams[2];
    enum Plain plain;
});
STOA_COMPONENT(Tail, {
    double value;
    char end;
});
#define SLOTS 3
STOA_COMPONENT(Macros, {
    int slots[SLOTS * 2];
    char text[(SLOTS) << 1];
});

/* CMP-06 */
static void basic_types_stand_where_the_compiler_puts_them(void **state) {
    fixture *f = *state;
    TYPE(Fixed);
    MEMBER(Fixed, a, I8);
    MEMBER(Fixed, b, I64);
    MEMBER(Fixed, c, U8);
    MEMBER(Fixed, d, I16);
    MEMBER(Fixed, e, U8);
    MEMBER(Fixed, f, U32);
    MEMBER(Fixed, g, U16);
    MEMBER(Fixed, h, I32);
    MEMBER(Fixed, i, U64);
    assert_int_equal(f->result.member_count, 9);
    TYPE(Language);
    MEMBER(Language, flag, BOOL);
    MEMBER(Language, letter, CHAR);
    MEMBER(Language, small, I8);
    MEMBER(Language, byte, U8);
    MEMBER(Language, shorter, I16);
    MEMBER(Language, shortest, U16);
    MEMBER(Language, whole, I32);
    MEMBER(Language, natural, U32);
    MEMBER(Language, farthest, I64);
    MEMBER(Language, beyond, U64);
    MEMBER(Language, single, F32);
    MEMBER(Language, twice, F64);
    stoa_kind long_kind = sizeof(long) == 8 ? STOA_KIND_I64 : STOA_KIND_I32;
    stoa_kind ulong_kind = sizeof(long) == 8 ? STOA_KIND_U64 : STOA_KIND_U32;
    member_is(f, "far", long_kind, offsetof(Language, far), sizeof(long), false);
    member_is(f, "farther", ulong_kind, offsetof(Language, farther), sizeof(long), false);
    TYPE(Tail);
    MEMBER(Tail, end, CHAR);
}

/* CMP-06 */
static void words_of_a_type_come_in_any_order(void **state) {
    fixture *f = *state;
    TYPE(Orders);
    MEMBER(Orders, a, U64);
    MEMBER(Orders, b, I16);
    MEMBER(Orders, c, U8);
    member_is(f, "d", sizeof(long) == 8 ? STOA_KIND_I64 : STOA_KIND_I32, offsetof(Orders, d),
              sizeof(long), false);
    MEMBER(Orders, e, I32);
    MEMBER(Orders, g, F64);
    MEMBER(Orders, h, STRUCT);
    TYPE(Sizes);
    stoa_kind size_kind = sizeof(size_t) == 8 ? STOA_KIND_U64 : STOA_KIND_U32;
    stoa_kind difference_kind = sizeof(size_t) == 8 ? STOA_KIND_I64 : STOA_KIND_I32;
    member_is(f, "a", size_kind, offsetof(Sizes, a), sizeof(size_t), false);
    member_is(f, "b", difference_kind, offsetof(Sizes, b), sizeof(ptrdiff_t), false);
    member_is(f, "c", difference_kind, offsetof(Sizes, c), sizeof(intptr_t), false);
    member_is(f, "d", size_kind, offsetof(Sizes, d), sizeof(uintptr_t), false);
}

/* CMP-06 */
static void entities_strings_and_pointers_are_told_apart(void **state) {
    fixture *f = *state;
    TYPE(Handles);
    MEMBER(Handles, target, ENTITY);
    ARRAY(Handles, targets, ENTITY);
    TYPE(Pointers);
    MEMBER(Pointers, name, STRING);
    MEMBER(Pointers, title, STRING);
    MEMBER(Pointers, label, STRING);
    MEMBER(Pointers, data, POINTER);
    MEMBER(Pointers, unknown, POINTER);
    MEMBER(Pointers, next, POINTER);
    MEMBER(Pointers, names, POINTER);
    MEMBER(Pointers, bytes, POINTER);
    ARRAY(Pointers, corners, POINTER);
    ARRAY(Pointers, lines, STRING);
    assert_int_equal(member_named(f, "corners")->count, 4);
    assert_int_equal(member_named(f, "unknown")->type, 0);
}

/* CMP-06 */
static void array_dimensions_multiply(void **state) {
    fixture *f = *state;
    TYPE(Arrays);
    ARRAY(Arrays, name, CHAR);
    ARRAY(Arrays, m, F32);
    ARRAY(Arrays, d, F64);
    ARRAY(Arrays, one, U8);
    ARRAY(Arrays, s, I16);
    ARRAY(Arrays, shifted, I32);
    assert_int_equal(member_named(f, "m")->count, 16);
    assert_int_equal(member_named(f, "one")->count, 1);
    TYPE(Declarators);
    MEMBER(Declarators, x, F32);
    MEMBER(Declarators, p, POINTER);
    ARRAY(Declarators, m, F32);
    MEMBER(Declarators, y, F32);
}

/* CMP-06 */
static void nested_types_and_enums_name_their_components(void **state) {
    fixture *f = *state;
    TYPE(Nested);
    MEMBER(Nested, at, STRUCT);
    ARRAY(Nested, path, STRUCT);
    MEMBER(Nested, after, U8);
    assert_int_equal(member_named(f, "at")->type, 7);
    assert_int_equal(member_named(f, "path")->type, 7);
    TYPE(Enums);
    MEMBER(Enums, team, ENUM);
    ARRAY(Enums, teams, ENUM);
    MEMBER(Enums, plain, ENUM);
    assert_int_equal(member_named(f, "team")->type, 8);
    assert_int_equal(member_named(f, "plain")->type, 0);
}

/* CMP-07 */
static void run_time_text_gives_size_and_alignment(void **state) {
    fixture *f = *state;
    assert_int_equal(reflect_text(f, STOA_FORM_OWN,
                                  "{ // by hand\n  uint8_t kind; /* ; { */\n\tdouble value ;\n"
                                  "  gfx.Color color, colors [ 0b11 ] ;Wide w;enum Any any;}\n"),
                     STOA_OK);
    assert_int_equal(f->result.size, 96);
    assert_int_equal(f->result.alignment, 32);
    assert_int_equal(f->result.member_count, 6);
    member_is(f, "kind", STOA_KIND_U8, 0, 1, false);
    member_is(f, "value", STOA_KIND_F64, 8, 8, false);
    member_is(f, "color", STOA_KIND_STRUCT, 16, 4, false);
    member_is(f, "colors", STOA_KIND_STRUCT, 20, 12, true);
    member_is(f, "w", STOA_KIND_STRUCT, 32, 32, false);
    member_is(f, "any", STOA_KIND_ENUM, 64, sizeof(enum Plain), false);
    assert_int_equal(member_named(f, "color")->type, 9);
}

/* CMP-06, CMP-07 */
static void type_without_fields_keeps_what_it_was_given(void **state) {
    fixture *f = *state;
    static const struct {
        stoa_type_form form;
        const char *text;
    } cases[] = {
        {STOA_FORM_OPAQUE, NULL},  {STOA_FORM_OWN, NULL},        {STOA_FORM_OWN, "{}"},
        {STOA_FORM_FOREIGN, "T"},  {STOA_FORM_FOREIGN, "T, {}"}, {STOA_FORM_FOREIGN, " { } "},
        {STOA_FORM_FOREIGN, NULL}, {STOA_FORM_MEMBERS, NULL},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        stoa__reflect_source source = {
            .name = "T", .form = cases[i].form, .text = cases[i].text, .size = 24, .alignment = 8};
        assert_int_equal(reflect_source(f, source), STOA_OK);
        assert_int_equal(f->result.size, 24);
        assert_int_equal(f->result.alignment, 8);
        assert_int_equal(f->result.member_count, 0);
        assert_null(f->result.members);
        assert_int_equal(reflect_text(f, cases[i].form, cases[i].text), STOA_OK);
        assert_int_equal(f->result.size, 0);
        assert_int_equal(f->result.alignment, 1);
    }
    stoa_member_desc none = {0};
    stoa__reflect_source source = {.name = "T", .form = STOA_FORM_MEMBERS, .members = &none};
    assert_int_equal(reflect_source(f, source), STOA_OK);
    assert_int_equal(f->result.member_count, 0);
}

/* CMP-06 */
static void macros_are_replaced_before_the_text_is_made(void **state) {
    fixture *f = *state;
    TYPE(Macros);
    ARRAY(Macros, slots, I32);
    ARRAY(Macros, text, CHAR);
}

/* CMP-06 */
static void undescribed_enum_goes_by_the_size_it_was_compiled_with(void **state) {
    fixture *f = *state;
    stoa__reflect_source source = {
        .name = "T", .form = STOA_FORM_OWN, .text = "{ char c; enum Any a; }", .enum_size = 8};
    assert_int_equal(reflect_source(f, source), STOA_OK);
    member_is(f, "a", STOA_KIND_ENUM, _Alignof(int64_t), 8, false);
    source.enum_size = 1;
    assert_int_equal(reflect_source(f, source), STOA_LAYOUT);
    support_assert_message("the size of 'enum Any' cannot be told from text");
    source.enum_size = 12;
    assert_int_equal(reflect_source(f, source), STOA_LAYOUT);
    source.text = "{ char c; enum Team a; }";
    assert_int_equal(reflect_source(f, source), STOA_OK);
    assert_int_equal(member_named(f, "a")->type, 8);
}

/* Writes a text of `count` members. */
static char *members_write(char *text, size_t size, int count) {
    size_t at = (size_t)snprintf(text, size, "{ char a0");
    for (int i = 1; i < count; i++) {
        at += (size_t)snprintf(text + at, size - at, ",a%d", i);
    }
    snprintf(text + at, size - at, "; }");
    return text;
}

/* CMP-06 */
static void member_count_has_a_limit(void **state) {
    fixture *f = *state;
    static char text[65536];
    assert_int_equal(reflect_text(f, STOA_FORM_OWN, members_write(text, sizeof text, 4096)),
                     STOA_OK);
    assert_int_equal(f->result.member_count, 4096);
    assert_int_equal(f->result.size, 4096);
    assert_string_equal(f->result.members[4095].name, "a4095");
    assert_int_equal(reflect_text(f, STOA_FORM_OWN, members_write(text, sizeof text, 4097)),
                     STOA_LIMIT);
    support_assert_message("more than 4096 names are declared");
}

/* CMP-06 */
static void nested_type_is_looked_up_only_with_a_finder(void **state) {
    fixture *f = *state;
    stoa__reflect_source source = {.name = "T", .form = STOA_FORM_OWN, .text = "{ Vec2 *a, b; }"};
    assert_int_equal(stoa__reflect(&f->heap, &source, &f->result), STOA_LAYOUT);
    support_assert_message("member type 'Vec2' is not described");
    char name[501] = "";
    char text[512];
    memset(name, 'V', sizeof name - 1);
    snprintf(text, sizeof text, "{ %s a; }", name);
    assert_int_equal(reflect_text(f, STOA_FORM_OWN, text), STOA_LAYOUT);
    support_assert_message("VVVV' is not described");
}

/* CMP-06 */
static void lack_of_memory_leaves_nothing(void **state) {
    fixture *f = *state;
    size_t refused = 0;
    for (size_t k = 1;; k++) {
        f->counter.fail_at = k;
        stoa_status status = reflect_text(f, STOA_FORM_OWN, "{ float x, y; Vec2 at; }");
        if (status == STOA_OK) {
            break;
        }
        assert_int_equal(status, STOA_NO_MEMORY);
        support_assert_message("out of memory");
        assert_int_equal(f->counter.bytes, 0);
        refused++;
    }
    f->counter.fail_at = 0;
    assert_true(refused >= 2);
    assert_int_equal(f->result.member_count, 3);
}

/* CMP-06 */
static void unknown_form_is_refused(void **state) {
    fixture *f = *state;
    assert_int_equal(reflect_text(f, (stoa_type_form)77, "{ int a; }"), STOA_INVALID);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(basic_types_stand_where_the_compiler_puts_them),
        TEST(words_of_a_type_come_in_any_order),
        TEST(entities_strings_and_pointers_are_told_apart),
        TEST(array_dimensions_multiply),
        TEST(nested_types_and_enums_name_their_components),
        TEST(macros_are_replaced_before_the_text_is_made),
        TEST(run_time_text_gives_size_and_alignment),
        TEST(type_without_fields_keeps_what_it_was_given),
        TEST(undescribed_enum_goes_by_the_size_it_was_compiled_with),
        TEST(member_count_has_a_limit),
        TEST(nested_type_is_looked_up_only_with_a_finder),
        TEST(lack_of_memory_leaves_nothing),
        TEST(unknown_form_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
