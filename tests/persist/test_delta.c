/* Deltas between bytes: exact, small where little changed, and refused where they do not fit. */
#include "persist/delta_fixture.h"

#define SIZE 20000u

/* SNP-09 */
static void same_bytes_make_a_tiny_delta(void **state) {
    delta_pair *p = *state;
    uint8_t *bytes = bytes_random(SIZE, 1);
    assert_true(delta_trip(p, bytes, SIZE, bytes, SIZE) <= STOA__DELTA_HEADER + 8);
    free(bytes);
}

/* SNP-09 */
static void empty_bytes_are_bytes(void **state) {
    delta_pair *p = *state;
    uint8_t *bytes = bytes_random(SIZE, 2);
    assert_int_equal(delta_trip(p, NULL, 0, NULL, 0), STOA__DELTA_HEADER);
    assert_int_equal(delta_trip(p, bytes, SIZE, NULL, 0), STOA__DELTA_HEADER);
    assert_true(delta_trip(p, NULL, 0, bytes, SIZE) <= SIZE + STOA__DELTA_HEADER + 8);
    assert_true(delta_trip(p, bytes, 3, bytes, 3) <= STOA__DELTA_HEADER + 8);
    free(bytes);
}

/* SNP-09: every length around what is compared and looked up at once. */
static void every_short_length_goes_round(void **state) {
    delta_pair *p = *state;
    uint8_t *bytes = bytes_random(1200, 3);
    for (size_t size = 0; size < 600; size++) {
        delta_trip(p, bytes, size, bytes, 600 - size);
        delta_trip(p, bytes + size, size, bytes, 600);
        delta_trip(p, bytes, 600, bytes + size, size);
    }
    free(bytes);
}

/* SNP-09: a number here and there. */
static void scattered_changes_cost_little_more_than_themselves(void **state) {
    delta_pair *p = *state;
    uint8_t *base = bytes_random(SIZE, 4);
    uint8_t *target = malloc(SIZE);
    memcpy(target, base, SIZE);
    size_t changed = 0;
    for (size_t i = 100; i + 4 <= SIZE; i += 400, changed += 4) {
        for (size_t k = 0; k < 4; k++) {
            target[i + k] ^= 0x55;
        }
    }
    assert_true(delta_trip(p, base, SIZE, target, SIZE) <= STOA__DELTA_HEADER + 2 * changed + 8);
    assert_int_equal(p->heap.blocks, 2);
    free(base);
    free(target);
}

/* SNP-09: bytes put in, taken out, at the begin, inside and at the end. */
static void shifted_bytes_are_found_again(void **state) {
    delta_pair *p = *state;
    uint8_t *base = bytes_random(SIZE, 5);
    uint8_t *target = malloc(SIZE + 100);
    const size_t places[] = {0, 1, 7000, 7001, SIZE - 200, SIZE};
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        for (size_t more = 1; more <= 100; more += 33) {
            size_t at = places[i];
            memcpy(target, base, at);
            memset(target + at, 0xee, more);
            memcpy(target + at + more, base + at, SIZE - at);
            size_t most = STOA__DELTA_HEADER + more + 16;
            assert_true(delta_trip(p, base, SIZE, target, SIZE + more) <= most);
            assert_true(delta_trip(p, target, SIZE + more, base, SIZE) <= most);
        }
    }
    free(base);
    free(target);
}

/* SNP-09: halves that changed places, and a part that is there three times. */
static void moved_blocks_are_copied(void **state) {
    delta_pair *p = *state;
    uint8_t *base = bytes_random(SIZE, 6);
    uint8_t *target = malloc(SIZE);
    memcpy(target, base + SIZE / 2, SIZE / 2);
    memcpy(target + SIZE / 2, base, SIZE / 2);
    assert_true(delta_trip(p, base, SIZE, target, SIZE) <= STOA__DELTA_HEADER + 40);
    for (size_t i = 0; i < 3; i++) {
        memcpy(target + i * 6000, base + 1234, 6000);
    }
    assert_true(delta_trip(p, base, SIZE, target, 18000) <= STOA__DELTA_HEADER + 60);
    free(base);
    free(target);
}

/* SNP-09: rows that are mostly alike agree in crumbs at the wrong place; the right one is found. */
static void rows_that_look_alike_do_not_lead_astray(void **state) {
    delta_pair *p = *state;
    enum { ROWS = 2000, ROW = 16 };
    uint8_t *noise = bytes_random((size_t)ROWS * 4, 7);
    uint8_t *base = calloc(ROWS, ROW);
    for (size_t i = 0; i < ROWS; i++) {
        memcpy(base + i * ROW, noise + i * 4, 4);
    }
    size_t size = (size_t)ROWS * ROW;
    assert_true(delta_trip(p, base, size, base + ROW, size - ROW) <= 1000);
    assert_true(delta_trip(p, base + ROW, size - ROW, base, size) <= 1000);
    size_t cut = 700 * (size_t)ROW;
    memmove(base + cut - ROW, base + cut, size - cut);
    uint8_t *whole = calloc(ROWS, ROW);
    for (size_t i = 0; i < ROWS; i++) {
        memcpy(whole + i * ROW, noise + i * 4, 4);
    }
    assert_true(delta_trip(p, whole, size, base, size - ROW) <= 1000);
    free(whole);
    free(base);
    free(noise);
}

/* SNP-09: rows of which little stays, too little for a block of the index; some of what is new is a
 * copy from elsewhere, after which the way back is found. */
static void short_runs_are_found_where_they_were(void **state) {
    delta_pair *p = *state;
    enum { ROWS = 60, ROW = 200, SAME = 24, HEAD = 1000, ALL = HEAD + ROWS * ROW };
    uint8_t *base = bytes_random(ALL, 17), *target = bytes_random(ALL, 18);
    memcpy(target, base, HEAD);
    for (size_t i = 0; i < ROWS; i++) {
        uint8_t *row = target + HEAD + i * ROW;
        memcpy(row + ROW - SAME, base + HEAD + i * ROW + ROW - SAME, SAME);
        if (i % 7 == 0) {
            memcpy(row, base + 100, 64);
        }
    }
    assert_true(delta_trip(p, base, ALL, target, ALL) <=
                STOA__DELTA_HEADER + ROWS * (ROW - SAME + 3) - ROWS / 7 * 56);
    free(base);
    free(target);
}

/* SNP-09: all is new; nothing is lost but the header and a number. */
static void bytes_without_a_likeness_are_kept_whole(void **state) {
    delta_pair *p = *state;
    uint8_t *base = bytes_random(SIZE, 8), *target = bytes_random(SIZE, 9);
    assert_true(delta_trip(p, base, SIZE, target, SIZE) <= STOA__DELTA_HEADER + SIZE + 8);
    stoa_delta_info info;
    assert_int_equal(stoa_delta_verify(p->delta.data, p->delta.size, &info), STOA_OK);
    assert_int_equal(info.literal_size, SIZE);
    free(base);
    free(target);
}

/* SNP-09: what the blobs held stays before it. */
static void results_are_appended(void **state) {
    delta_pair *p = *state;
    const stoa_sink sink = stoa_blob_sink(&p->delta), other = stoa_blob_sink(&p->target);
    assert_int_equal(stoa_sink_write(&sink, "head", 4), STOA_OK);
    assert_int_equal(stoa_sink_write(&other, "first", 5), STOA_OK);
    assert_int_equal(stoa_delta_make("abc", 3, "abcdef", 6, &p->delta), STOA_OK);
    assert_memory_equal(p->delta.data, "headECSD", 8);
    assert_int_equal(
        stoa_delta_apply("abc", 3, p->delta.data + 4, p->delta.size - 4, 0, &p->target), STOA_OK);
    assert_int_equal(p->target.size, 11);
    assert_memory_equal(p->target.data, "firstabcdef", 11);
}

/* SNP-09: the format is written down; these bytes must be read for ever. */
static void known_delta_is_read_and_written(void **state) {
    delta_pair *p = *state;
    const char *base = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ+-";
    const char *target = "wxyzABCDEFGHIJKLMNOPQRSTUVWXYZ+-!0123456789abcdefghijklmnopqrstuv";
    static const uint8_t known[] = {
        0x45, 0x43, 0x53, 0x44, 0x01, 0x00, 0x00, 0x00, 0x40, 0x00, 0x00, 0x00, 0x00,
        0x00, 0x00, 0x00, 0x40, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0xe0, 0x4b,
        0xe9, 0x20, 0x1f, 0x3b, 0x4e, 0x68, 0x41, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
        0x00, 0x9a, 0x97, 0x0d, 0x40, 0xed, 0x9b, 0x86, 0x36, 0xe7, 0x84, 0x80, 0x5a,
        0x6d, 0x54, 0xdf, 0xe1, 0x00, 0x41, 0x40, 0x01, 0x21, 0x41, 0x81, 0x01};
    assert_int_equal(stoa_delta_make(base, strlen(base), target, strlen(target), &p->delta),
                     STOA_OK);
    if (p->delta.size != sizeof known || memcmp(p->delta.data, known, sizeof known) != 0) {
        for (size_t i = 0; i < p->delta.size; i++) {
            print_error("0x%02x, ", p->delta.data[i]);
        }
        fail();
    }
    assert_int_equal(stoa_delta_apply(base, strlen(base), known, sizeof known, 0, &p->target),
                     STOA_OK);
    assert_memory_equal(p->target.data, target, strlen(target));
}

/* SNP-09 */
static void other_base_is_refused_by_its_hash(void **state) {
    delta_pair *p = *state;
    uint8_t *base = bytes_random(SIZE, 10), *target = bytes_random(SIZE, 10);
    target[5000] ^= 1;
    delta_trip(p, base, SIZE, target, SIZE);
    p->target.size = 0;
    for (size_t at = 0; at < SIZE; at += 997) {
        base[at] ^= 0x10;
        assert_int_equal(stoa_delta_apply(base, SIZE, p->delta.data, p->delta.size, 0, &p->target),
                         STOA_CORRUPT);
        support_assert_message("base of hash");
        base[at] ^= 0x10;
    }
    assert_int_equal(stoa_delta_apply(base, SIZE - 1, p->delta.data, p->delta.size, 0, &p->target),
                     STOA_CORRUPT);
    support_assert_message("for a base of 20000 bytes, not of 19999");
    assert_int_equal(p->target.size, 0);
    free(base);
    free(target);
}

/* SNP-09 GEN-03 */
static void null_arguments_are_refused(void **state) {
    delta_pair *p = *state;
    assert_int_equal(stoa_delta_make(NULL, 1, "a", 1, &p->delta), STOA_NULL_ARGUMENT);
    assert_int_equal(stoa_delta_make("a", 1, NULL, 1, &p->delta), STOA_NULL_ARGUMENT);
    assert_int_equal(stoa_delta_make("a", 1, "a", 1, NULL), STOA_NULL_ARGUMENT);
    assert_int_equal(stoa_delta_make("a", 1, "b", 1, &p->delta), STOA_OK);
    size_t size = p->delta.size;
    assert_int_equal(stoa_delta_apply(NULL, 1, p->delta.data, size, 0, &p->target),
                     STOA_NULL_ARGUMENT);
    assert_int_equal(stoa_delta_apply("a", 1, NULL, size, 0, &p->target), STOA_NULL_ARGUMENT);
    assert_int_equal(stoa_delta_apply("a", 1, p->delta.data, size, 0, NULL), STOA_NULL_ARGUMENT);
    assert_int_equal(stoa_delta_verify(NULL, 0, NULL), STOA_NULL_ARGUMENT);
    assert_int_equal(stoa_delta_verify(p->delta.data, size, NULL), STOA_OK);
    assert_int_equal(p->delta.size, size);
    assert_int_equal(p->target.size, 0);
}

/* SNP-09 GEN-03: a blob may move while it grows. */
static void blob_that_holds_what_is_read_is_refused(void **state) {
    delta_pair *p = *state;
    const stoa_sink sink = stoa_blob_sink(&p->delta);
    assert_int_equal(stoa_sink_write(&sink, "abcdef", 6), STOA_OK);
    assert_int_equal(stoa_delta_make(p->delta.data, 3, "abc", 3, &p->delta), STOA_INVALID);
    assert_int_equal(stoa_delta_make("abc", 3, p->delta.data + 5, 1, &p->delta), STOA_INVALID);
    assert_int_equal(p->delta.size, 6);
    p->delta.size = 0;
    assert_int_equal(stoa_delta_make("abc", 3, "abd", 3, &p->delta), STOA_OK);
    size_t size = p->delta.size;
    assert_int_equal(stoa_delta_apply("abc", 3, p->delta.data, size, 0, &p->delta), STOA_INVALID);
    support_assert_message("in the blob");
    assert_int_equal(p->delta.size, size);
}

/* SNP-09 */
static void target_beyond_the_limit_is_refused(void **state) {
    delta_pair *p = *state;
    assert_int_equal(stoa_delta_make("abc", 3, "abcdef", 6, &p->delta), STOA_OK);
    size_t allocations = p->heap.allocations;
    assert_int_equal(stoa_delta_apply("abc", 3, p->delta.data, p->delta.size, 5, &p->target),
                     STOA_LIMIT);
    support_assert_message("6 bytes");
    assert_int_equal(p->heap.allocations, allocations);
    assert_int_equal(stoa_delta_apply("abc", 3, p->delta.data, p->delta.size, 6, &p->target),
                     STOA_OK);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        WITH_PAIR(same_bytes_make_a_tiny_delta),
        WITH_PAIR(empty_bytes_are_bytes),
        WITH_PAIR(every_short_length_goes_round),
        WITH_PAIR(scattered_changes_cost_little_more_than_themselves),
        WITH_PAIR(shifted_bytes_are_found_again),
        WITH_PAIR(moved_blocks_are_copied),
        WITH_PAIR(rows_that_look_alike_do_not_lead_astray),
        WITH_PAIR(short_runs_are_found_where_they_were),
        WITH_PAIR(bytes_without_a_likeness_are_kept_whole),
        WITH_PAIR(results_are_appended),
        WITH_PAIR(known_delta_is_read_and_written),
        WITH_PAIR(other_base_is_refused_by_its_hash),
        WITH_PAIR(null_arguments_are_refused),
        WITH_PAIR(blob_that_holds_what_is_read_is_refused),
        WITH_PAIR(target_beyond_the_limit_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
