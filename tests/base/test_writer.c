/* Text written into buffers of any size. */
#include "base/writer.h"

#include "support/support.h"

/* SYS-12 */
static void text_that_fits_is_whole(void **state) {
    (void)state;
    char buffer[16];
    stoa__writer writer = stoa__writer_new(buffer, sizeof buffer);
    assert_string_equal(buffer, "");
    stoa__writer_put(&writer, "ab");
    stoa__writer_bytes(&writer, "cdef", 2);
    stoa__writer_put(&writer, "");
    stoa__writer_format(&writer, "%d-%s", 42, "x");
    assert_string_equal(buffer, "abcd42-x");
    assert_int_equal(writer.length, 8);
}

/* SYS-12 */
static void text_that_does_not_fit_is_cut_and_counted(void **state) {
    (void)state;
    for (size_t size = 1; size < 10; size++) {
        char buffer[12];
        memset(buffer, 'x', sizeof buffer);
        stoa__writer writer = stoa__writer_new(buffer, size);
        stoa__writer_put(&writer, "abc");
        stoa__writer_put(&writer, "defg");
        stoa__writer_put(&writer, "h");
        assert_int_equal(writer.length, 8);
        size_t kept = size - 1 < 8 ? size - 1 : 8;
        assert_int_equal(strlen(buffer), kept);
        assert_memory_equal(buffer, "abcdefgh", kept);
        assert_int_equal(buffer[size], 'x');
    }
}

/* SYS-12 */
static void no_buffer_counts_only(void **state) {
    (void)state;
    stoa__writer writer = stoa__writer_new(NULL, 0);
    stoa__writer_put(&writer, "abc");
    stoa__writer_xml(&writer, "<");
    assert_int_equal(writer.length, 7);
}

static const char *xml_of(const char *text) {
    static char buffer[128];
    stoa__writer writer = stoa__writer_new(buffer, sizeof buffer);
    stoa__writer_xml(&writer, text);
    return buffer;
}

static const char *dot_of(const char *text) {
    static char buffer[128];
    stoa__writer writer = stoa__writer_new(buffer, sizeof buffer);
    stoa__writer_dot(&writer, text);
    return buffer;
}

/* SYS-12 */
static void marks_of_xml_and_dot_are_escaped(void **state) {
    (void)state;
    assert_string_equal(xml_of("a<b>&\"'c"), "a&lt;b&gt;&amp;&quot;&apos;c");
    assert_string_equal(dot_of("a<b>\"\\c"), "a<b>\\\"\\\\c");
}

/* SYS-12 */
static void text_in_other_scripts_is_kept(void **state) {
    (void)state;
    const char *text = "\xc3\xa9\xe2\x82\xac\xf0\x9f\x90\x9f\xf4\x8f\xbf\xbd\xef\xbf\xbd";
    assert_string_equal(xml_of(text), text);
    assert_string_equal(dot_of(text), text);
    assert_int_equal(stoa__writer_columns("\xc3\xa9"), 1);
    assert_int_equal(stoa__writer_columns("\xe6\xbc\xa2"), 2);
    assert_int_equal(stoa__writer_columns("abc"), 3);
    assert_int_equal(stoa__writer_columns(""), 0);
}

/* GEN-05 */
static void what_cannot_stand_is_a_question_mark(void **state) {
    (void)state;
    const struct {
        const char *text;
        const char *result;
    } cases[] = {
        {"a\x01\n\t\x7f", "a????"},        /* control characters */
        {"\xc2\x80", "??"},                /* a control character of two bytes */
        {"\x80z", "?z"},                   /* a byte that only follows others */
        {"\xc3", "?"},                     /* an end in the middle */
        {"\xe2\x82", "??"},                /* the same, of three */
        {"\xe2\x82z", "??z"},              /* a sequence that breaks off */
        {"\xc0\xaf", "??"},                /* longer than need be */
        {"\xe0\x80\xaf", "???"},           /* the same, of three */
        {"\xf0\x80\x80\xaf", "????"},      /* the same, of four */
        {"\xed\xa0\x80", "???"},           /* a surrogate */
        {"\xef\xbf\xbe", "???"},           /* no character */
        {"\xf4\x90\x80\x80", "????"},      /* past the last */
        {"\xf8\x88\x80\x80\x80", "?????"}, /* five bytes */
        {"\xff?", "??"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_string_equal(xml_of(cases[i].text), cases[i].result);
        assert_string_equal(dot_of(cases[i].text), cases[i].result);
        assert_int_equal(stoa__writer_columns(cases[i].text), strlen(cases[i].result));
    }
}

static const char *quoted_of(char quote, const char *bytes, size_t count) {
    static char buffer[128];
    stoa__writer writer = stoa__writer_new(buffer, sizeof buffer);
    stoa__writer_quoted(&writer, quote, bytes, count);
    assert_int_equal(strlen(buffer), writer.length);
    return buffer;
}

#define QUOTED(text) quoted_of('"', text, sizeof(text) - 1)

/* NAM-03 */
static void quoted_text_escapes_what_cannot_stand(void **state) {
    (void)state;
    assert_string_equal(QUOTED(""), "\"\"");
    assert_string_equal(QUOTED("a?b 'c'"), "\"a?b 'c'\"");
    assert_string_equal(QUOTED("\"\\\""), "\"\\\"\\\\\\\"\"");
    assert_string_equal(QUOTED("\t\r\n\x1b\x7f"), "\"\\t\\r\\n\\x1b\\x7f\"");
    assert_string_equal(QUOTED("a\0b"), "\"a\\x00b\"");
    assert_string_equal(QUOTED("caf\xC3\xA9 \xF0\x9F\x8C\x8D"), "\"caf\xC3\xA9 \xF0\x9F\x8C\x8D\"");
    /* A control character of two bytes, a surrogate, an overlong form, a lone byte. */
    assert_string_equal(QUOTED("\xC2\x85"), "\"\\xc2\\x85\"");
    assert_string_equal(QUOTED("\xED\xA0\x80"), "\"\\xed\\xa0\\x80\"");
    assert_string_equal(QUOTED("\xC0\xAF"), "\"\\xc0\\xaf\"");
    assert_string_equal(QUOTED("x\x80y"), "\"x\\x80y\"");
    assert_string_equal(quoted_of('\'', "'", 1), "'\\''");
    assert_string_equal(quoted_of('\'', "\"", 1), "'\"'");
}

/* NAM-03: bytes past the count are not looked at. */
static void quoted_text_ends_inside_of_a_character(void **state) {
    (void)state;
    assert_string_equal(quoted_of('"', "ab\xC3\xA9", 3), "\"ab\\xc3\"");
    assert_string_equal(quoted_of('"', "\xF0\x9F\x8C\x8D", 2), "\"\\xf0\\x9f\"");
    assert_string_equal(quoted_of('"', "\xF0\x9F\x8C\x8D", 4), "\"\xF0\x9F\x8C\x8D\"");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(text_that_fits_is_whole),
        cmocka_unit_test(text_that_does_not_fit_is_cut_and_counted),
        cmocka_unit_test(no_buffer_counts_only),
        cmocka_unit_test(marks_of_xml_and_dot_are_escaped),
        cmocka_unit_test(text_in_other_scripts_is_kept),
        cmocka_unit_test(what_cannot_stand_is_a_question_mark),
        cmocka_unit_test(quoted_text_escapes_what_cannot_stand),
        cmocka_unit_test(quoted_text_ends_inside_of_a_character),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
