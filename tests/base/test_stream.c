/* Streams of bytes, and numbers in them. */
#include "base/bytes.h"
#include "support/support.h"

/* A sink that takes so many calls, and a source that gives few bytes at a time. */
typedef struct miser {
    int calls;
    const uint8_t *bytes;
    size_t size;
    size_t most;
    size_t lies; /* says it gave so many more */
} miser;

static stoa_status miser_write(void *user, const void *bytes, size_t size) {
    miser *m = user;
    (void)bytes;
    (void)size;
    return m->calls-- > 0 ? STOA_OK : stoa_fail(STOA_IO, "no more");
}

static stoa_status miser_read(void *user, void *bytes, size_t size, size_t *got) {
    miser *m = user;
    size_t n = size < m->most ? size : m->most;
    n = n < m->size ? n : m->size;
    memcpy(bytes, m->bytes, n);
    m->bytes += n;
    m->size -= n;
    *got = n + m->lies;
    return m->calls-- > 0 ? STOA_OK : stoa_fail(STOA_IO, "worn out");
}

/* SNP-04 */
static void source_is_asked_until_all_is_there(void **state) {
    (void)state;
    const uint8_t text[] = "0123456789";
    for (size_t most = 1; most <= 10; most++) {
        miser m = {.calls = 100, .bytes = text, .size = 10, .most = most};
        stoa_source source = {miser_read, &m};
        char got[11] = {0};
        assert_int_equal(stoa_source_read(&source, got, 7), STOA_OK);
        assert_int_equal(stoa_source_read(&source, got + 7, 3), STOA_OK);
        assert_string_equal(got, "0123456789");
        assert_int_equal(stoa_source_read(&source, got, 0), STOA_OK);
        assert_int_equal(stoa_source_read(&source, got, 1), STOA_CORRUPT);
    }
    miser m = {.calls = 1, .bytes = text, .size = 10, .most = 1};
    stoa_source source = {miser_read, &m};
    char got[11];
    assert_int_equal(stoa_source_read(&source, got, 3), STOA_IO);
    m = (miser){.calls = 9, .bytes = text, .size = 10, .most = 2, .lies = 9};
    assert_int_equal(stoa_source_read(&source, got, 3), STOA_CORRUPT);
}

/* SNP-04 */
static void blob_grows_and_reads_back(void **state) {
    (void)state;
    support_heap heap = {0};
    stoa_allocator allocator = support_allocator(&heap);
    stoa_blob blob = {.allocator = &allocator};
    stoa_sink sink = stoa_blob_sink(&blob);
    for (int i = 0; i < 5000; i++) {
        assert_int_equal(stoa_sink_write(&sink, &i, sizeof i), STOA_OK);
    }
    assert_int_equal(stoa_sink_write(&sink, NULL, 0), STOA_OK);
    assert_int_equal(blob.size, 5000 * sizeof(int));
    stoa_span span = {blob.data, blob.data + blob.size};
    stoa_source source = stoa_span_source(&span);
    for (int i = 0; i < 5000; i++) {
        int got = -1;
        assert_int_equal(stoa_source_read(&source, &got, sizeof got), STOA_OK);
        assert_int_equal(got, i);
    }
    size_t size = blob.size;
    heap.fail_at = 1;
    uint8_t more[20000] = {0};
    assert_int_equal(stoa_sink_write(&sink, more, sizeof more), STOA_NO_MEMORY);
    assert_int_equal(blob.size, size);
    assert_int_equal(stoa_sink_write(&sink, more, sizeof more), STOA_OK);
    assert_int_equal(stoa_blob_reserve(&blob, 10), STOA_OK);
    stoa_blob_free(&blob);
    assert_null(blob.data);
    stoa_blob_free(&blob);
    stoa_blob_free(NULL);
    assert_int_equal(heap.bytes, 0);
    /* On the default allocator. */
    stoa_blob plain = {.data = NULL};
    sink = stoa_blob_sink(&plain);
    assert_int_equal(stoa_sink_write(&sink, more, 100), STOA_OK);
    stoa_blob_free(&plain);
}

/* GEN-05 */
static void null_is_an_error(void **state) {
    (void)state;
    char byte;
    stoa_sink no_sink = stoa_blob_sink(NULL);
    stoa_source no_source = stoa_span_source(NULL);
    assert_int_equal(stoa_sink_write(NULL, "a", 1), STOA_NULL_ARGUMENT);
    assert_int_equal(stoa_sink_write(&no_sink, "a", 1), STOA_NULL_ARGUMENT);
    assert_int_equal(stoa_source_read(NULL, &byte, 1), STOA_NULL_ARGUMENT);
    assert_int_equal(stoa_source_read(&no_source, &byte, 1), STOA_NULL_ARGUMENT);
    assert_int_equal(stoa_blob_reserve(NULL, 1), STOA_NULL_ARGUMENT);
    stoa_span span = {(const uint8_t *)"a", (const uint8_t *)"a" + 1};
    stoa_source source = stoa_span_source(&span);
    assert_int_equal(stoa_source_read(&source, NULL, 1), STOA_NULL_ARGUMENT);
}

/* SNP-02 */
static void numbers_are_written_least_byte_first(void **state) {
    (void)state;
    stoa_blob blob = {.data = NULL};
    stoa_sink sink = stoa_blob_sink(&blob);
    stoa__encoder output = {&sink, STOA_OK};
    stoa__encode_u32(&output, 0x01020304);
    stoa__encode_number(&output, 0x1122334455667788u, 8);
    stoa__encode_number(&output, 0xABCD, 2);
    stoa__encode_text(&output, "hey");
    assert_int_equal(output.status, STOA_OK);
    const uint8_t expected[] = {4,    3,    2,    1, 0x88, 0x77, 0x66, 0x55, 0x44, 0x33, 0x22,
                                0x11, 0xCD, 0xAB, 3, 0,    0,    0,    'h',  'e',  'y'};
    assert_int_equal(blob.size, sizeof expected);
    assert_memory_equal(blob.data, expected, sizeof expected);
    stoa__decoder input = {{blob.data, blob.data + blob.size}, false};
    assert_int_equal(stoa__decode_u32(&input), 0x01020304);
    assert_true(stoa__decode_number(&input, 8) == 0x1122334455667788u);
    assert_int_equal(stoa__decode_number(&input, 2), 0xABCD);
    assert_int_equal(stoa__decode_count(&input, 1), 3);
    assert_memory_equal(stoa__decode_bytes(&input, 3), "hey", 3);
    assert_false(input.short_of);
    assert_int_equal(stoa__decode_left(&input), 0);
    assert_int_equal(stoa__decode_u32(&input), 0);
    assert_true(input.short_of);
    stoa_blob_free(&blob);
}

/* SNP-05 */
static void count_that_cannot_follow_is_refused(void **state) {
    (void)state;
    uint8_t bytes[20] = {4};
    for (size_t size = 1; size < 10; size++) {
        stoa__decoder input = {{bytes, bytes + sizeof bytes}, false};
        uint32_t count = stoa__decode_count(&input, size);
        assert_int_equal(count, size <= 4 ? 4 : 0);
        assert_int_equal(input.short_of, size > 4);
    }
    stoa__decoder input = {{bytes, bytes + 3}, false};
    assert_int_equal(stoa__decode_count(&input, 1), 0);
    assert_true(input.short_of);
}

/* SNP-04 */
static void failure_stays_and_nothing_more_is_written(void **state) {
    (void)state;
    miser m = {.calls = 2};
    stoa_sink sink = {miser_write, &m};
    stoa__encoder output = {&sink, STOA_OK};
    stoa__encode_u32(&output, 1);
    stoa__encode_u32(&output, 2);
    assert_int_equal(output.status, STOA_OK);
    stoa__encode_u32(&output, 3);
    stoa__encode_text(&output, "four");
    assert_int_equal(output.status, STOA_IO);
    assert_int_equal(m.calls, -1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(source_is_asked_until_all_is_there),
        cmocka_unit_test(blob_grows_and_reads_back),
        cmocka_unit_test(null_is_an_error),
        cmocka_unit_test(numbers_are_written_least_byte_first),
        cmocka_unit_test(count_that_cannot_follow_is_refused),
        cmocka_unit_test(failure_stays_and_nothing_more_is_written),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
