/* Values as text: every kind of member, and what has no members. */
#include "model/print_fixture.h"

#include <float.h>
#include <math.h>

#define VALUE(w, T, ...) PRINTED(stoa_print_id, w, stoa_id(w, T), &(T)__VA_ARGS__)

STOA_COMPONENT(Numbers, {
    int8_t a;
    uint8_t b;
    int16_t c;
    uint16_t d;
    int32_t e;
    uint32_t f;
    int64_t g;
    uint64_t h;
});
STOA_COMPONENT(Reals, {
    float a;
    double b;
    float c[4];
});
STOA_COMPONENT(Switch, {
    bool on;
    bool off;
    bool all[3];
});
STOA_COMPONENT(Letters, {
    char one;
    char text[6];
    char single[1];
});
STOA_COMPONENT(Link, {
    stoa_entity to;
    const char *label;
    void *handle;
    char *names[2];
});
STOA_COMPONENT(Side, {
    Team team;
    Team others[2];
});
STOA_COMPONENT(Segment, {
    Position from;
    Position to[2];
});
STOA_COMPONENT_WITH(Body, STOA_OPTIONS(.name = "physics.Body"), {
    Segment segment;
    Health health;
});
STOA_ENUM(Level, {LOW = -1, HIGH = 1});
enum Plain { PLAIN_ONE, PLAIN_TWO };
STOA_COMPONENT(Undescribed, { enum Plain plain; });

typedef struct Blob {
    uint8_t bytes[4];
} Blob;
STOA_TYPE(Blob);

/* NAM-03 */
static void component_prints_its_members(void **state) {
    stoa_world *w = ((support_world *)*state)->world;
    assert_string_equal(VALUE(w, Position, {1, 2.5f}), "Position {x: 1, y: 2.5}");
    assert_string_equal(VALUE(w, Health, {-7}), "Health {points: -7}");
    Position p = {0.1f, -0.0f};
    assert_string_equal(PRINTED(stoa_print_value, w, stoa_id(w, Position), &p), "{x: 0.1, y: -0}");
}

/* NAM-03 */
static void integers_print_to_their_limits(void **state) {
    stoa_world *w = ((support_world *)*state)->world;
    assert_string_equal(VALUE(w, Numbers,
                              {INT8_MIN, UINT8_MAX, INT16_MIN, UINT16_MAX, INT32_MIN, UINT32_MAX,
                               INT64_MIN, UINT64_MAX}),
                        "Numbers {a: -128, b: 255, c: -32768, d: 65535, e: -2147483648, "
                        "f: 4294967295, g: -9223372036854775808, h: 18446744073709551615}");
    assert_string_equal(VALUE(w, Numbers, {INT8_MAX, 0, INT16_MAX, 1, INT32_MAX, 2, INT64_MAX, 3}),
                        "Numbers {a: 127, b: 0, c: 32767, d: 1, e: 2147483647, f: 2, "
                        "g: 9223372036854775807, h: 3}");
}

/* NAM-03 */
static void reals_print_as_short_as_they_can(void **state) {
    stoa_world *w = ((support_world *)*state)->world;
    assert_string_equal(VALUE(w, Reals, {0.1f, 0.1, {INFINITY, -INFINITY, NAN, FLT_MAX}}),
                        "Reals {a: 0.1, b: 0.1, c: [inf, -inf, nan, 3.4028235e38]}");
}

/* NAM-03 */
static void bools_print_as_words(void **state) {
    stoa_world *w = ((support_world *)*state)->world;
    stoa_component id = stoa_id(w, Switch);
    /* Bytes that no bool has are true. */
    uint8_t bytes[sizeof(Switch)] = {1, 0, 0, 2, 255};
    assert_string_equal(PRINTED(stoa_print_id, w, id, bytes),
                        "Switch {on: true, off: false, all: [false, true, true]}");
}

/* NAM-03 */
static void chars_print_as_text(void **state) {
    stoa_world *w = ((support_world *)*state)->world;
    assert_string_equal(VALUE(w, Letters, {'x', "abc", {'z'}}),
                        "Letters {one: 'x', text: \"abc\", single: \"z\"}");
    assert_string_equal(VALUE(w, Letters, {'\'', {'a', 'b', 'c', 'd', 'e', 'f'}, {0}}),
                        "Letters {one: '\\'', text: \"abcdef\", single: \"\"}");
    assert_string_equal(VALUE(w, Letters, {0, "\"\\\n\x01", {(char)0xFF}}),
                        "Letters {one: '\\x00', text: \"\\\"\\\\\\n\\x01\", single: \"\\xff\"}");
    /* A character that the array's end cuts in two is no reason to read on. */
    assert_string_equal(VALUE(w, Letters, {'\n', "1234\xC3\xA9", {(char)0xC3}}),
                        "Letters {one: '\\n', text: \"1234\xC3\xA9\", single: \"\\xc3\"}");
}

/* NAM-03 */
static void entities_strings_and_pointers_print_without_addresses(void **state) {
    stoa_world *w = ((support_world *)*state)->world;
    int anything = 0;
    assert_string_equal(VALUE(w, Link, {{17, 3}, "a \"b\"", &anything, {"", "caf\xC3\xA9"}}),
                        "Link {to: 17v3, label: \"a \\\"b\\\"\", handle: <pointer>, "
                        "names: [\"\", \"caf\xC3\xA9\"]}");
    assert_string_equal(VALUE(w, Link, {STOA_NULL, NULL, NULL, {NULL, "\x80"}}),
                        "Link {to: null, label: null, handle: null, names: [null, \"\\x80\"]}");
    assert_string_equal(VALUE(w, Link, {{0, UINT32_MAX}, NULL, NULL, {NULL, NULL}}),
                        "Link {to: 0v4294967295, label: null, handle: null, names: [null, null]}");
}

/* NAM-03 */
static void enums_print_by_name(void **state) {
    stoa_world *w = ((support_world *)*state)->world;
    stoa_id(w, Team);
    assert_string_equal(VALUE(w, Side, {BLUE, {RED, (Team)77}}),
                        "Side {team: BLUE, others: [RED, 77]}");
    Team unknown = (Team)UINT32_MAX;
    assert_string_equal(PRINTED(stoa_print_id, w, stoa_id(w, Team), &unknown), "Team 4294967295");
    assert_string_equal(VALUE(w, Team, {GREEN}), "Team GREEN");
    assert_string_equal(VALUE(w, Level, {LOW}), "Level LOW");
    Level low = (Level)-2;
    assert_string_equal(PRINTED(stoa_print_id, w, stoa_id(w, Level), &low), "Level -2");
    assert_string_equal(VALUE(w, Undescribed, {PLAIN_TWO}), "Undescribed {plain: 1}");
    assert_string_equal(VALUE(w, Undescribed, {(enum Plain) - 1}), "Undescribed {plain: -1}");
}

static const stoa_type tiny_enum = {.form = STOA_FORM_ENUM,
                                    .identifier = "Tiny",
                                    .text = "{ NONE = -128, SOME = -1, MOST = 127 }",
                                    .size = 1,
                                    .alignment = 1};
static const stoa_type wide_enum = {.form = STOA_FORM_ENUM,
                                    .identifier = "WideEnum",
                                    .text = "{ FIRST = 1, LAST = 0x7fffffffffffffff }",
                                    .size = 8,
                                    .alignment = 8};

/* NAM-03 */
static void enums_of_any_size_print_by_name(void **state) {
    stoa_world *w = ((support_world *)*state)->world;
    stoa_type tiny = tiny_enum, wide = wide_enum;
    stoa_component id = stoa_type_register(w, &tiny);
    static const struct {
        int8_t value;
        const char *text;
    } cases[] = {{-128, "Tiny NONE"}, {-1, "Tiny SOME"}, {127, "Tiny MOST"}, {-2, "Tiny -2"}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        assert_string_equal(PRINTED(stoa_print_id, w, id, &cases[i].value), cases[i].text);
    }
    id = stoa_type_register(w, &wide);
    uint64_t number = INT64_MAX;
    assert_string_equal(PRINTED(stoa_print_id, w, id, &number), "WideEnum LAST");
    number = UINT64_MAX;
    assert_string_equal(PRINTED(stoa_print_id, w, id, &number), "WideEnum 18446744073709551615");
}

/* NAM-03 CMP-13 */
static void nested_structs_print_inside_of_each_other(void **state) {
    stoa_world *w = ((support_world *)*state)->world;
    stoa_id(w, Position);
    stoa_id(w, Health);
    stoa_id(w, Segment);
    assert_string_equal(
        VALUE(w, Body, {{{1, 2}, {{3, 4}, {5, 6}}}, {9}}),
        "physics.Body {segment: {from: {x: 1, y: 2}, to: [{x: 3, y: 4}, {x: 5, y: 6}]}, "
        "health: {points: 9}}");
}

/* NAM-03: only what is inside of each other counts as nested. */
static void structs_side_by_side_are_not_nested(void **state) {
    stoa_world *w = ((support_world *)*state)->world;
    stoa_id(w, Health);
    enum { MANY = 2 * STOA_NEST_MAX };
    int32_t points[MANY];
    for (int i = 0; i < MANY; i++) {
        points[i] = i;
    }
    stoa_component id = print_type(w, "Crowd", "{ Health all[128]; }");
    const char *text = PRINTED(stoa_print_id, w, id, points);
    assert_string_equal(text + strlen(text) - 30, "{points: 126}, {points: 127}]}");
}

/* NAM-03 */
static void unknown_layout_prints_as_bytes(void **state) {
    stoa_world *w = ((support_world *)*state)->world;
    assert_string_equal(VALUE(w, Blob, {{0, 1, 0xAB, 0xFF}}), "Blob <00 01 ab ff>");
    stoa_component one =
        stoa_component_register(w, &(stoa_component_desc){.name = "One", .size = 1});
    assert_string_equal(PRINTED(stoa_print_id, w, one, "A"), "One <41>");
    stoa_component holder = print_type(w, "Holder", "{ Blob inner; One ones[2]; }");
    assert_string_equal(PRINTED(stoa_print_id, w, holder, "\1\2\3\4\5\6"),
                        "Holder {inner: <01 02 03 04>, ones: [<05>, <06>]}");
}

static void nothing_drop(void *items, int32_t count, void *user) {
    (void)items;
    (void)count;
    (void)user;
}

/* NAM-03: what has hooks may hold addresses, which differ from run to run. */
static void unknown_layout_with_hooks_prints_its_size(void **state) {
    stoa_world *w = ((support_world *)*state)->world;
    stoa_component id = stoa_component_register(
        w, &(stoa_component_desc){.name = "Owner", .size = 16, .hooks = {.drop = nothing_drop}});
    uint8_t bytes[16] = {1};
    assert_string_equal(PRINTED(stoa_print_id, w, id, bytes), "Owner <opaque 16 bytes>");
    /* Members that are described are shown all the same. */
    id = stoa_component_register(w, &(stoa_component_desc){.name = "Known",
                                                           .fields = "{ int32_t a; }",
                                                           .hooks = {.drop = nothing_drop}});
    assert_string_equal(PRINTED(stoa_print_id, w, id, &(int32_t){5}), "Known {a: 5}");
}

#pragma pack(push, 1)
typedef struct Packet {
    uint8_t kind;
    double weight;
    Position at[2];
    uint64_t skipped;
    stoa_entity from;
    const char *text;
} Packet;
#pragma pack(pop)
STOA_TYPE_MEMBERS(Packet, STOA_MEMBER(Packet, kind, uint8_t), STOA_MEMBER(Packet, weight, double),
                  STOA_MEMBER(Packet, at, Position), STOA_MEMBER(Packet, from, stoa_entity),
                  STOA_MEMBER(Packet, text, const char *));

/* NAM-03 CMP-06 */
static void packed_members_print_from_where_they_are(void **state) {
    stoa_world *w = ((support_world *)*state)->world;
    stoa_id(w, Position);
    assert_string_equal(VALUE(w, Packet, {1, 2.5, {{3, 4}, {5, 6}}, 7, {8, 9}, "ten"}),
                        "Packet {kind: 1, weight: 2.5, at: [{x: 3, y: 4}, {x: 5, y: 6}], "
                        "from: 8v9, text: \"ten\"}");
}

/* NAM-03 CMP-06: as deep as types may be nested. */
static void deepest_nesting_prints_whole(void **state) {
    stoa_world *w = ((support_world *)*state)->world;
    char name[32], fields[64], expected[1024] = "";
    stoa_component id = print_type(w, "N0", "{ uint8_t v; }");
    for (int i = 1; i < STOA_NEST_MAX; i++) {
        snprintf(name, sizeof name, "N%d", i);
        snprintf(fields, sizeof fields, "{ N%d n; }", i - 1);
        id = print_type(w, name, fields);
    }
    uint8_t value = 0xA5;
    strcat(expected, "N63 ");
    for (int i = 1; i < STOA_NEST_MAX; i++) {
        strcat(expected, "{n: ");
    }
    strcat(expected, "{v: 165");
    for (int i = 0; i < STOA_NEST_MAX; i++) {
        strcat(expected, "}");
    }
    assert_string_equal(PRINTED(stoa_print_id, w, id, &value), expected);
}

/* NAM-03 CMP-07 */
static void text_of_any_length_is_whole(void **state) {
    stoa_world *w = ((support_world *)*state)->world;
    enum { LONG = 1 << 20 };
    static char label[LONG + 1], text[2 * LONG];
    memset(label, 'n', LONG);
    stoa_component id = print_type(w, "Long", "{ const char *text; }");
    const char *value = label;
    size_t length = stoa_print_id(w, id, &value, text, sizeof text);
    assert_int_equal(length, LONG + strlen("Long {text: \"\"}"));
    assert_int_equal(strlen(text), length);
    assert_string_equal(text + length - 4, "nn\"}");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(component_prints_its_members),
        TEST(integers_print_to_their_limits),
        TEST(reals_print_as_short_as_they_can),
        TEST(bools_print_as_words),
        TEST(chars_print_as_text),
        TEST(entities_strings_and_pointers_print_without_addresses),
        TEST(enums_print_by_name),
        TEST(enums_of_any_size_print_by_name),
        TEST(nested_structs_print_inside_of_each_other),
        TEST(structs_side_by_side_are_not_nested),
        TEST(unknown_layout_prints_as_bytes),
        TEST(unknown_layout_with_hooks_prints_its_size),
        TEST(packed_members_print_from_where_they_are),
        TEST(deepest_nesting_prints_whole),
        TEST(text_of_any_length_is_whole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
