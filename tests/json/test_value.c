/* Values as JSON: every kind, numbers at their edges, and what is refused. */
#include "json_fixture.h"

#include <float.h>
#include <math.h>

STOA_ENUM(Team, {RED, BLUE = 4, NONE = -1});
STOA_COMPONENT(Vec2, { double x, y; });
STOA_COMPONENT(Every, {
    bool b;
    char c;
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
    stoa_entity e;
    Team team;
    Vec2 at;
    Vec2 corners[2];
    char name[8];
    int16_t list[3];
});
STOA_COMPONENT(F32, { float v; });
STOA_COMPONENT(F64, { double v; });
STOA_COMPONENT(I64, { int64_t v; });
STOA_COMPONENT(U64, { uint64_t v; });
STOA_COMPONENT(Text, { char v[6]; });
STOA_COMPONENT(Letter, { char v; });

static stoa_component every_id(stoa_world *w) {
    assert_int_not_equal(stoa_id(w, Team), 0);
    assert_int_not_equal(stoa_id(w, Vec2), 0);
    return stoa_id(w, Every);
}

/* SNP-07 */
static void every_kind_has_a_text_and_comes_back(void **state) {
    stoa_world *w = world_of(state);
    saved s;
    Every every;
    memset(&every, 0, sizeof every);
    every = (Every){.b = true,
                    .c = 'x',
                    .i8 = -128,
                    .i16 = -32768,
                    .i32 = INT32_MIN,
                    .i64 = INT64_MIN,
                    .u8 = 255,
                    .u16 = 65535,
                    .u32 = UINT32_MAX,
                    .u64 = UINT64_MAX,
                    .f32 = 0.1f,
                    .f64 = 0.1,
                    .e = {17, 3},
                    .team = BLUE,
                    .at = {1, -2.5},
                    .corners = {{3, 4}, {5, 6}},
                    .name = "orc",
                    .list = {1, 2, 3}};
    stoa_component id = every_id(w);
    assert_int_not_equal(id, 0);
    assert_string_equal(
        value_text(&s, w, id, &every),
        "{\"b\":true,\"c\":\"x\",\"i8\":-128,\"i16\":-32768,\"i32\":-2147483648,"
        "\"i64\":-9223372036854775808,\"u8\":255,\"u16\":65535,\"u32\":4294967295,"
        "\"u64\":\"18446744073709551615\",\"f32\":0.1,\"f64\":0.1,\"e\":\"#17v3\","
        "\"team\":\"BLUE\",\"at\":{\"x\":1,\"y\":-2.5},"
        "\"corners\":[{\"x\":3,\"y\":4},{\"x\":5,\"y\":6}],\"name\":\"orc\",\"list\":[1,2,3]}");
    Every back;
    assert_int_equal(value_load(w, id, s.text, &back), STOA_OK);
    saved again;
    assert_string_equal(value_text(&again, w, id, &back), s.text);
    assert_true(back.u64 == UINT64_MAX && back.i64 == INT64_MIN && back.e.generation == 3);
}

static void f64_check(stoa_world *w, double number, const char *text) {
    saved s;
    char expected[64];
    snprintf(expected, sizeof expected, "{\"v\":%s}", text);
    F64 value = {number}, back;
    assert_string_equal(value_text(&s, w, stoa_id(w, F64), &value), expected);
    assert_int_equal(value_load(w, stoa_id(w, F64), s.text, &back), STOA_OK);
    assert_memory_equal(&value, &back, sizeof value);
}

/* SNP-07 */
static void doubles_have_the_shortest_text_that_is_exact(void **state) {
    stoa_world *w = world_of(state);
    static const struct {
        double number;
        const char *text;
    } cases[] = {{0, "0"},
                 {1, "1"},
                 {-1.5, "-1.5"},
                 {0.000001, "1e-6"},
                 {123456.789, "123456.789"},
                 {1e15, "1000000000000000"},
                 {9007199254740993.0, "9007199254740992.0"},
                 {1e16, "1e16"},
                 {1e300, "1e300"},
                 {5e-324, "5e-324"},
                 {DBL_MAX, "1.7976931348623157e308"},
                 {DBL_MIN, "2.2250738585072014e-308"},
                 {1.0 / 3, "0.3333333333333333"},
                 {0.1 + 0.2, "0.30000000000000004"},
                 {999999.9999995, "999999.9999995"}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        f64_check(w, cases[i].number, cases[i].text);
    }
    f64_check(w, -0.0, "-0.0");
    f64_check(w, INFINITY, "\"inf\"");
    f64_check(w, -INFINITY, "\"-inf\"");
}

/* SNP-07 */
static void floats_of_any_bits_come_back(void **state) {
    stoa_world *w = world_of(state);
    support_random random = {7};
    for (int i = 0; i < 20000; i++) {
        uint32_t bits = support_random_next(&random);
        uint64_t wide = (uint64_t)bits << 32 | support_random_next(&random);
        F32 single, single_back;
        F64 number, number_back;
        saved s;
        if (i % 4 == 0) {
            single.v = (float)((int32_t)(bits % 2000001) - 1000000) / 1000.0f;
            number.v = (double)((int32_t)(bits % 2000001) - 1000000) / 1000.0;
        } else {
            memcpy(&single, &bits, sizeof single);
            memcpy(&number, &wide, sizeof number);
        }
        value_text(&s, w, stoa_id(w, F32), &single);
        assert_int_equal(value_load(w, stoa_id(w, F32), s.text, &single_back), STOA_OK);
        assert_memory_equal(&single, &single_back, sizeof single);
        value_text(&s, w, stoa_id(w, F64), &number);
        assert_int_equal(value_load(w, stoa_id(w, F64), s.text, &number_back), STOA_OK);
        assert_memory_equal(&number, &number_back, sizeof number);
    }
}

/* SNP-07 */
static void what_is_no_number_keeps_its_bits(void **state) {
    stoa_world *w = world_of(state);
    static const struct {
        uint32_t bits;
        const char *text;
    } cases[] = {{0x7FC00000u, "{\"v\":\"nan\"}"},
                 {0xFFC00000u, "{\"v\":\"nan:ffc00000\"}"},
                 {0x7F800001u, "{\"v\":\"nan:7f800001\"}"}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        F32 value, back;
        saved s;
        memcpy(&value, &cases[i].bits, sizeof value);
        assert_string_equal(value_text(&s, w, stoa_id(w, F32), &value), cases[i].text);
        assert_int_equal(value_load(w, stoa_id(w, F32), s.text, &back), STOA_OK);
        assert_memory_equal(&value, &back, sizeof value);
    }
    F32 back;
    stoa_component id = stoa_id(w, F32);
    assert_fails(STOA_SYNTAX, "expected a number", value_load(w, id, "{\"v\":\"nan:1\"}", &back));
    assert_fails(STOA_SYNTAX, "expected a number", value_load(w, id, "{\"v\":\"nan:\"}", &back));
    assert_fails(STOA_SYNTAX, "expected a number",
                 value_load(w, id, "{\"v\":\"nan:7fc000000\"}", &back));
    assert_fails(STOA_SYNTAX, "expected a number", value_load(w, id, "{\"v\":\"NaN\"}", &back));
}

/* SNP-07 */
static void integers_at_their_edges_are_taken_and_those_beyond_refused(void **state) {
    stoa_world *w = world_of(state);
    stoa_component id = every_id(w);
    Every v;
    static const char *const good[] = {"{\"i8\":127}",
                                       "{\"i8\":-128}",
                                       "{\"u8\":255}",
                                       "{\"u16\":65535}",
                                       "{\"i32\":2147483647}",
                                       "{\"u32\":4294967295}",
                                       "{\"i64\":9223372036854775807}",
                                       "{\"u64\":9223372036854775807}",
                                       "{\"u64\":\"9223372036854775808\"}",
                                       "{\"u64\":\"0\"}"};
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
        assert_int_equal(value_load(w, id, good[i], &v), STOA_OK);
    }
    static const char *const bad[] = {
        "{\"i8\":128}",    "{\"i8\":-129}",        "{\"u8\":256}",         "{\"u8\":-1}",
        "{\"u16\":65536}", "{\"i32\":2147483648}", "{\"u32\":4294967296}", "{\"u64\":-1}"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        assert_fails(STOA_SYNTAX, "is not between", value_load(w, id, bad[i], &v));
    }
    assert_fails(STOA_SYNTAX, "too big", value_load(w, id, "{\"i64\":9223372036854775808}", &v));
    assert_fails(STOA_SYNTAX, "an integer",
                 value_load(w, id, "{\"u64\":\"18446744073709551616\"}", &v));
    assert_fails(STOA_SYNTAX, "an integer", value_load(w, id, "{\"u64\":\"\"}", &v));
    assert_fails(STOA_SYNTAX, "an integer", value_load(w, id, "{\"u32\":\"1\"}", &v));
    assert_fails(STOA_SYNTAX, "an integer", value_load(w, id, "{\"i32\":1.0}", &v));
    assert_fails(STOA_SYNTAX, "does not fit in a float", value_load(w, id, "{\"f32\":1e39}", &v));
    assert_fails(STOA_SYNTAX, "does not fit in a float",
                 value_load(w, id, "{\"f32\":3.40282357e38}", &v));
    assert_int_equal(value_load(w, id, "{\"f32\":3.4028235e38}", &v), STOA_OK);
    assert_true(v.f32 == FLT_MAX);
}

/* SNP-07 */
static void texts_that_are_no_text_are_lists_of_numbers(void **state) {
    stoa_world *w = world_of(state);
    stoa_component id = stoa_id(w, Text), letter = stoa_id(w, Letter);
    saved s;
    Text back;
    static const struct {
        Text value;
        const char *text;
    } cases[] = {{{"abc"}, "{\"v\":\"abc\"}"},
                 {{{'a', 'b', 'c', 'd', 'e', 'f'}}, "{\"v\":\"abcdef\"}"},
                 {{""}, "{\"v\":\"\"}"},
                 {{{'a', 0, 'b'}}, "{\"v\":[97,0,98]}"},
                 {{"\xC3\xA4"}, "{\"v\":\"\xC3\xA4\"}"},
                 {{"\xC3"}, "{\"v\":[195]}"},
                 {{"\xFF\xFE"}, "{\"v\":[255,254]}"},
                 {{"\xF0\x9F\x98\x80"}, "{\"v\":\"\xF0\x9F\x98\x80\"}"},
                 {{"\xF4\x90\x80\x80"}, "{\"v\":[244,144,128,128]}"},
                 {{"\xED\xA0\x80"}, "{\"v\":[237,160,128]}"},
                 {{"\xE0\x80\x80"}, "{\"v\":[224,128,128]}"},
                 {{"\"\\\n\x01"}, "{\"v\":\"\\\"\\\\\\n\\u0001\"}"}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        assert_string_equal(value_text(&s, w, id, &cases[i].value), cases[i].text);
        assert_int_equal(value_load(w, id, s.text, &back), STOA_OK);
        assert_memory_equal(&back, &cases[i].value, sizeof back);
    }
    for (int c = 0; c < 256; c++) {
        Letter one = {(char)c}, one_back;
        value_text(&s, w, letter, &one);
        assert_int_equal(value_load(w, letter, s.text, &one_back), STOA_OK);
        assert_int_equal(one.v, one_back.v);
    }
    assert_fails(STOA_SYNTAX, "has 7 bytes", value_load(w, id, "{\"v\":\"1234567\"}", &back));
    assert_fails(STOA_SYNTAX, "one character", value_load(w, letter, "{\"v\":\"ab\"}", &back));
    assert_fails(STOA_SYNTAX, "expected a text", value_load(w, id, "{\"v\":{}}", &back));
}

/* SNP-07 */
static void enums_go_by_name_and_by_number_if_they_have_none(void **state) {
    stoa_world *w = world_of(state);
    stoa_component id = stoa_id(w, Team);
    saved s;
    Team team = (Team)3, back;
    assert_string_equal(value_text(&s, w, id, &team), "3");
    assert_int_equal(value_load(w, id, "3", &back), STOA_OK);
    assert_int_equal(back, 3);
    team = NONE;
    assert_string_equal(value_text(&s, w, id, &team), "\"NONE\"");
    assert_int_equal(value_load(w, id, "\"NONE\"", &back), STOA_OK);
    assert_int_equal(back, NONE);
    assert_fails(STOA_NOT_FOUND, "no value 'GREEN'", value_load(w, id, "\"GREEN\"", &back));
    assert_fails(STOA_SYNTAX, "is not between", value_load(w, id, "4294967296", &back));
    assert_fails(STOA_SYNTAX, "an integer", value_load(w, id, "1.5", &back));
}

/* SNP-07 */
static void members_that_are_left_out_are_zero_and_lists_may_be_short(void **state) {
    stoa_world *w = world_of(state);
    Every v;
    memset(&v, 0xAB, sizeof v);
    assert_int_equal(value_load(w, every_id(w), "{\"list\":[7],\"at\":{\"y\":2}}", &v), STOA_OK);
    assert_true(v.list[0] == 7 && v.list[1] == 0 && v.at.x == 0 && v.at.y == 2 && v.i64 == 0);
    assert_fails(STOA_SYNTAX, "room for 3", value_load(w, every_id(w), "{\"list\":[1,2,3,4]}", &v));
    assert_fails(STOA_SYNTAX, "expected a list", value_load(w, every_id(w), "{\"list\":7}", &v));
}

/* SNP-07 */
static void struct_of_one_member_may_be_written_as_that(void **state) {
    stoa_world *w = world_of(state);
    Health h;
    assert_int_equal(value_load(w, stoa_id(w, Health), "30", &h), STOA_OK);
    assert_int_equal(h.points, 30);
    Position p;
    assert_fails(STOA_SYNTAX, "expected an object, got 1",
                 value_load(w, stoa_id(w, Position), "1", &p));
}

/* SNP-07 */
static void wrong_kinds_are_refused(void **state) {
    stoa_world *w = world_of(state);
    stoa_component id = every_id(w);
    Every v;
    static const struct {
        const char *text, *part;
    } cases[] = {{"{\"b\":1}", "b: expected true or false, got 1"},
                 {"{\"f32\":true}", "f32: expected a number, got true"},
                 {"{\"f64\":\"1\"}", "f64: expected a number, got \"1\""},
                 {"{\"i8\":null}", "i8: expected an integer, got null"},
                 {"{\"e\":5}", "e: expected the name of an entity"},
                 {"{\"e\":\"#5\"}", "'#5' is no handle"},
                 {"{\"at\":[]}", "at: expected an object, got a list"},
                 {"{\"corners\":[{\"x\":1},{\"x\":[]}]}", "corners[1].x: expected a number"},
                 {"[]", "expected an object, got a list"},
                 {"{\"c\":300}", "c: 300 is not between 0 and 255"}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        assert_fails(STOA_SYNTAX, cases[i].part, value_load(w, id, cases[i].text, &v));
    }
    assert_fails(STOA_NOT_FOUND, "there is no entity 'nobody'",
                 value_load(w, id, "{\"e\":\"nobody\"}", &v));
    assert_fails(STOA_NOT_FOUND, "'Every' has no member 'zz'", value_load(w, id, "{\"zz\":1}", &v));
}

int main(void) {
    const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, support_setup, support_teardown)
        TEST(every_kind_has_a_text_and_comes_back),
        TEST(doubles_have_the_shortest_text_that_is_exact),
        TEST(floats_of_any_bits_come_back),
        TEST(what_is_no_number_keeps_its_bits),
        TEST(integers_at_their_edges_are_taken_and_those_beyond_refused),
        TEST(texts_that_are_no_text_are_lists_of_numbers),
        TEST(enums_go_by_name_and_by_number_if_they_have_none),
        TEST(members_that_are_left_out_are_zero_and_lists_may_be_short),
        TEST(struct_of_one_member_may_be_written_as_that),
        TEST(wrong_kinds_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
