/* Structs by their text: what a text leaves open is refused, and mistakes are told by column. */
#include "storage/reflect_fixture.h"

/* CMP-06 */
static void text_that_hides_the_layout_is_refused(void **state) {
    static const error_case cases[] = {
        {"{ Vec3 a; }", STOA_LAYOUT, 3,
         "type 'T': member type 'Vec3' is not described; register it first, or describe 'T' with "
         "STOA_TYPE_MEMBERS"},
        {"{ int a; struct Vec3 b; }", STOA_LAYOUT, 10, "'Vec3' is not described"},
        {"{ struct Team b; }", STOA_LAYOUT, 3, "'Team' is not described"},
        {"{ void a; }", STOA_LAYOUT, 3, "'void' is not described"},
        {"{ Tag a; }", STOA_LAYOUT, 3, "'Tag' is not described"},
        {"{ int a : 3; }", STOA_LAYOUT, 7,
         "the bit-field 'a' cannot be told from text; describe "
         "it with STOA_TYPE_MEMBERS, or without fields as "
         "STOA_TYPE(T)"},
        {"{ int : 3; }", STOA_LAYOUT, 7, "a nameless bit-field"},
        {"{ int n; char a[]; }", STOA_LAYOUT, 16, "the length of 'a'"},
        {"{ union U a; }", STOA_LAYOUT, 3, "'union'"},
        {"{ union { int i; } a; }", STOA_LAYOUT, 3, "'union'"},
        {"{ struct { int i; } a; }", STOA_LAYOUT, 3, "a nameless struct"},
        {"{ struct S { int i; } a; }", STOA_LAYOUT, 3, "struct 'S' declared inside"},
        {"{ enum { A } a; }", STOA_LAYOUT, 3, "a nameless enum"},
        {"{ enum E { A } a; }", STOA_LAYOUT, 3, "enum 'E' declared inside"},
        {"{ void (*call)(int); }", STOA_LAYOUT, 8, "a function pointer"},
        {"{ int call(int); }", STOA_LAYOUT, 7, "the function 'call'"},
        {"{ _Alignas(8) int a; }", STOA_LAYOUT, 3, "'_Alignas'"},
        {"{ alignas(8) int a; }", STOA_LAYOUT, 3, "'alignas'"},
        {"{ int _Alignas(8) a; }", STOA_LAYOUT, 7, "'_Alignas'"},
        {"{ __attribute__((packed)) int a; }", STOA_LAYOUT, 3, "'__attribute__'"},
        {"{ int a __attribute__((packed)); }", STOA_LAYOUT, 9, "'__attribute__'"},
        {"{ int * __attribute__((packed)) a; }", STOA_LAYOUT, 9, "'__attribute__'"},
        {"{ int a; } __attribute__((packed))", STOA_LAYOUT, 12, "'__attribute__'"},
        {"__attribute__((packed)) { int a; }", STOA_LAYOUT, 1, "'__attribute__'"},
        {"{ struct __attribute__((packed)) Vec2 a; }", STOA_LAYOUT, 10, "'__attribute__'"},
        {"{ [[maybe_unused]] int a; }", STOA_LAYOUT, 3, "an attribute"},
        {"{ int a [[maybe_unused]]; }", STOA_LAYOUT, 9, "an attribute"},
        {"{ _Atomic int a; }", STOA_LAYOUT, 3, "'_Atomic'"},
        {"{ int *_Atomic a; }", STOA_LAYOUT, 8, "'_Atomic'"},
        {"{ long double a; }", STOA_LAYOUT, 3, "'long double'"},
        {"{ const double long a; }", STOA_LAYOUT, 3, "'long double'"},
        {"{ float _Complex a; }", STOA_LAYOUT, 9, "'_Complex'"},
        {"{ int a; _Static_assert(1, \"\"); }", STOA_LAYOUT, 10, "'_Static_assert'"},
        {"{ int a[0]; }", STOA_LAYOUT, 8, "the size of 'a' is less than 1"},
        {"{ int a[3 - 4]; }", STOA_LAYOUT, 8, "the size of 'a' is less than 1"},
    };
    errors_are(*state, STOA_FORM_OWN, cases, COUNT_OF(cases));
}

/* CMP-06, CMP-07 */
static void mistakes_in_a_text_have_a_column(void **state) {
    static const error_case cases[] = {
        {"", STOA_SYNTAX, 1, "type 'T': expected '{', got the end of the text"},
        {"int a;", STOA_SYNTAX, 1, "expected '{', got 'int'"},
        {"{ int a; ", STOA_SYNTAX, 10, "expected a type, got the end of the text"},
        {"{ int a }", STOA_SYNTAX, 9, "expected ',' or ';', got '}'"},
        {"{ int a b; }", STOA_SYNTAX, 9, "expected ',' or ';', got 'b'"},
        {"{ int a = 3; }", STOA_SYNTAX, 9, "expected ',' or ';', got '='"},
        {"{ int a; } ;", STOA_SYNTAX, 12, "expected the end after '}', got ';'"},
        {"{ int ; }", STOA_SYNTAX, 7, "expected the name of a member, got ';'"},
        {"{ int a, ; }", STOA_SYNTAX, 10, "expected the name of a member, got ';'"},
        {"{ int 2a; }", STOA_SYNTAX, 7, "expected the name of a member, got '2a'"},
        {"{ int a.b; }", STOA_SYNTAX, 7, "expected the name of a member, got 'a.b'"},
        {"{ int a, float; }", STOA_SYNTAX, 10, "expected the name of a member, got 'float'"},
        {"{ Vec2 float; }", STOA_SYNTAX, 8, "expected the name of a member, got 'float'"},
        {"{ long long long; }", STOA_SYNTAX, 13, "expected the name of a member, got 'long'"},
        {"{ ; }", STOA_SYNTAX, 3, "expected a type, got ';'"},
        {"{ { int a; } }", STOA_SYNTAX, 3, "expected a type, got '{'"},
        {"{ struct int a; }", STOA_SYNTAX, 10, "expected the name of a type, got 'int'"},
        {"{ struct *a; }", STOA_SYNTAX, 10, "expected the name of a type, got '*'"},
        {"{ unsigned float a; }", STOA_SYNTAX, 3, "these words are no C type"},
        {"{ signed unsigned a; }", STOA_SYNTAX, 3, "these words are no C type"},
        {"{ int int a; }", STOA_SYNTAX, 3, "these words are no C type"},
        {"{ short long a; }", STOA_SYNTAX, 3, "these words are no C type"},
        {"{ unsigned bool a; }", STOA_SYNTAX, 3, "these words are no C type"},
        {"{ int a; float a; }", STOA_SYNTAX, 16, "'a' is declared twice"},
        {"{ int a[2; }", STOA_SYNTAX, 10, "expected ']', got ';'"},
        {"{ int a[N]; }", STOA_SYNTAX, 9, "the size of 'a' is not a number"},
        {"{ int a[2 +]; }", STOA_SYNTAX, 12, "expected a number, got ']'"},
        {"{ int a[(2]; }", STOA_SYNTAX, 11, "expected ')', got ']'"},
        {"{ int a[1 / 0]; }", STOA_SYNTAX, 11, "the size of 'a' does not fit"},
        {"{ int a; /* }", STOA_SYNTAX, 10, "expected a type, got a comment that is not closed"},
        {"{ int \xC3\xA4; }", STOA_SYNTAX, 7, "got a byte that has no place here"},
        {"{ char a[1 << 30], b; }", STOA_LIMIT, 20, "larger than"},
        {"{ int a[1 << 29]; }", STOA_LIMIT, 7, "larger than"},
        {"{ int a[65536][65536]; }", STOA_LIMIT, 15, "the size of 'a' is too large"},
        {"{ int a[5000000000]; }", STOA_LIMIT, 8, "the size of 'a' is too large"},
        {"{ char a[(1 << 30) - 3]; Wide b; }", STOA_LIMIT, 31, "larger than"},
        {"{ Wide b; char a[(1 << 30) - 33], c[2]; }", STOA_LIMIT, 35, "larger than"},
    };
    errors_are(*state, STOA_FORM_OWN, cases, COUNT_OF(cases));
}

#pragma pack(push, 1)
STOA_COMPONENT(Packed, {
    uint8_t kind;
    uint32_t value;
});
#pragma pack(pop)
#pragma pack(push, 4)
STOA_COMPONENT(PackedByFour, {
    uint32_t kind;
    double value;
});
#pragma pack(pop)

/* CMP-06 */
static void packed_struct_is_refused(void **state) {
    fixture *f = *state;
    assert_int_equal(reflect_type(f, STOA_TYPE_OF(Packed)), STOA_LAYOUT);
    assert_string_equal(stoa_last_error().message,
                        "type 'Packed': its text comes to 8 bytes aligned to 4, the compiler says "
                        "5 aligned to 1 (packed or aligned?); describe it with STOA_TYPE_MEMBERS");
    assert_int_equal(reflect_type(f, STOA_TYPE_OF(PackedByFour)), STOA_LAYOUT);
    support_assert_message("16 bytes aligned to 8, the compiler says 12 aligned to 4");
}

/* CMP-06 */
static void size_and_alignment_must_agree(void **state) {
    fixture *f = *state;
    stoa__reflect_source source = {.name = "T", .form = STOA_FORM_OWN, .text = "{ float x, y; }"};
    source.size = 16;
    assert_int_equal(reflect_source(f, source), STOA_LAYOUT);
    support_assert_message("8 bytes aligned to 4, the compiler says 16 aligned to 4");
    source.size = 0;
    source.alignment = 8;
    assert_int_equal(reflect_source(f, source), STOA_LAYOUT);
    support_assert_message("8 bytes aligned to 4, the compiler says 8 aligned to 8");
    source.alignment = 4;
    assert_int_equal(reflect_source(f, source), STOA_OK);
}

typedef struct Dense {
    double value;
    int32_t a, b;
    char name[3];
} Dense;
STOA_TYPE(Dense, {
    double value;
    int32_t a, b;
    char name[3];
});

typedef struct Gap {
    char kind;
    int value;
} Gap;
STOA_TYPE(Gap, {
    char kind;
    int value;
});

typedef struct Wrong {
    double value;
    float extra;
} Wrong;
STOA_TYPE(Wrong, { double value; });

typedef struct Bare {
    int anything;
} Bare;
STOA_TYPE(Bare);
typedef Vec2 Vec2Twin;
STOA_TYPE_WITH(Vec2Twin, STOA_DEFAULTS, { float x, y; });

/* CMP-06 */
static void foreign_text_is_taken_where_no_packing_fits(void **state) {
    fixture *f = *state;
    TYPE(Dense);
    MEMBER(Dense, value, F64);
    MEMBER(Dense, b, I32);
    ARRAY(Dense, name, CHAR);
    TYPE(Vec2Twin);
    MEMBER(Vec2, y, F32);
    TYPE(Bare);
    assert_int_equal(f->result.member_count, 0);
    static const char *const certain[] = {
        "{ short a; int b; char c; }",    "{ int a; double b; int c; }",
        "{ int a; double b, c; int d; }", "{ char a[17]; Wide b; char c; }",
        "T, { int a, b; char *c; }",      "{ char a; }",
    };
    for (size_t i = 0; i < COUNT_OF(certain); i++) {
        assert_int_equal(reflect_text(f, STOA_FORM_FOREIGN, certain[i]), STOA_OK);
    }
}

/* CMP-06 */
static void foreign_text_in_doubt_is_refused(void **state) {
    fixture *f = *state;
    assert_int_equal(reflect_type(f, STOA_TYPE_OF(Gap)), STOA_LAYOUT);
    support_assert_message("type 'Gap': the place of 'value' is in doubt");
    support_assert_message("STOA_TYPE_MEMBERS");
    assert_int_equal(reflect_type(f, STOA_TYPE_OF(Wrong)), STOA_LAYOUT);
    support_assert_message("8 bytes aligned to 8, the compiler says 16 aligned to 8");
    static const error_case cases[] = {
        {"{ char a, b; short c; char d; short e; }", STOA_LAYOUT, 0, "the place of 'e'"},
        {"{ char a; short b; char c; int d; }", STOA_LAYOUT, 0, "the place of 'd'"},
        {"{ char a; Wide b; char c[31]; }", STOA_LAYOUT, 0, "the place of 'b'"},
        {"{ char a; Wide b; }", STOA_LAYOUT, 0, "the place of 'b'"},
        {"{ int a; double b; }", STOA_LAYOUT, 0, "the place of 'b'"},
    };
    errors_are(f, STOA_FORM_FOREIGN, cases, COUNT_OF(cases));
}

/* CMP-06 */
static void foreign_text_may_start_with_the_name(void **state) {
    static const error_case cases[] = {
        {"T {", STOA_SYNTAX, 3, "expected ',', got '{'"},
        {"T, U", STOA_SYNTAX, 4, "expected '{', got 'U'"},
        {"T,", STOA_SYNTAX, 3, "expected '{', got the end of the text"},
        {"", STOA_SYNTAX, 1, "expected '{', got the end of the text"},
    };
    errors_are(*state, STOA_FORM_FOREIGN, cases, COUNT_OF(cases));
    static const error_case own[] = {{"T, { int a; }", STOA_SYNTAX, 1, "expected '{', got 'T'"}};
    errors_are(*state, STOA_FORM_OWN, own, COUNT_OF(own));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(text_that_hides_the_layout_is_refused),
        TEST(mistakes_in_a_text_have_a_column),
        TEST(packed_struct_is_refused),
        TEST(size_and_alignment_must_agree),
        TEST(foreign_text_is_taken_where_no_packing_fits),
        TEST(foreign_text_in_doubt_is_refused),
        TEST(foreign_text_may_start_with_the_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
