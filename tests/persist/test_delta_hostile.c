/* Deltas that are damaged or made to do harm, and memory that runs out. */
#include "persist/delta_fixture.h"

/* A base and a target with changes in place, something put in, and something moved. */
enum { BASE = 400, TARGET = 430 };

typedef struct scene {
    uint8_t base[BASE];
    uint8_t target[TARGET];
} scene;

static scene scene_make(void) {
    scene s;
    uint8_t *noise = bytes_random(BASE, 77);
    memcpy(s.base, noise, BASE);
    memcpy(s.target, s.base + 200, 200);
    memset(s.target + 200, 0x11, 30);
    memcpy(s.target + 230, s.base, 200);
    s.target[20] ^= 1;
    s.target[300] ^= 1;
    free(noise);
    return s;
}

/* Puts the right checksum and size into a delta. */
static void delta_seal(uint8_t *delta, size_t size) {
    stoa__delta_word_put(delta + 8, size, 8);
    stoa__delta_word_put(delta + STOA__DELTA_CHECKSUM, stoa__delta_checksum(delta, size), 8);
}

/* Applies bytes in memory of their very size, so that a read beyond them shows; returns how it
 * went. A success must give the target. */
static stoa_status bytes_apply(delta_pair *p, const scene *s, const uint8_t *bytes, size_t size) {
    uint8_t *exact = malloc(size > 0 ? size : 1);
    if (exact == NULL) {
        abort();
    }
    memcpy(exact, bytes, size);
    p->target.size = 0;
    stoa_status status = stoa_delta_apply(s->base, BASE, exact, size, 0, &p->target);
    stoa_status verified = stoa_delta_verify(exact, size, NULL);
    assert_true(status == STOA_CORRUPT || verified == STOA_OK);
    if (status == STOA_OK) {
        assert_int_equal(p->target.size, TARGET);
        assert_memory_equal(p->target.data, s->target, TARGET);
    } else {
        assert_int_equal(p->target.size, 0);
        assert_true(stoa_last_error().message[0] != '\0');
    }
    free(exact);
    return status;
}

/* SNP-09 SNP-05 */
static void every_truncation_is_refused(void **state) {
    delta_pair *p = *state;
    scene s = scene_make();
    delta_trip(p, s.base, BASE, s.target, TARGET);
    for (size_t size = 0; size < p->delta.size; size++) {
        assert_int_equal(bytes_apply(p, &s, p->delta.data, size), STOA_CORRUPT);
        if (size >= STOA__DELTA_HEADER) {
            uint8_t *cut = malloc(size);
            memcpy(cut, p->delta.data, size);
            delta_seal(cut, size);
            assert_int_equal(bytes_apply(p, &s, cut, size), STOA_CORRUPT);
            free(cut);
        }
    }
    uint8_t *longer = calloc(p->delta.size + 1, 1);
    memcpy(longer, p->delta.data, p->delta.size);
    assert_int_equal(bytes_apply(p, &s, longer, p->delta.size + 1), STOA_CORRUPT);
    delta_seal(longer, p->delta.size + 1);
    assert_int_equal(bytes_apply(p, &s, longer, p->delta.size + 1), STOA_CORRUPT);
    free(longer);
}

/* SNP-09 SNP-05: with the checksum as it was, and with one that fits. */
static void every_flipped_bit_is_refused(void **state) {
    delta_pair *p = *state;
    scene s = scene_make();
    delta_trip(p, s.base, BASE, s.target, TARGET);
    size_t size = p->delta.size;
    uint8_t *bytes = malloc(size);
    for (size_t bit = 0; bit < size * 8; bit++) {
        memcpy(bytes, p->delta.data, size);
        bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
        assert_int_equal(bytes_apply(p, &s, bytes, size), STOA_CORRUPT);
        delta_seal(bytes, size);
        bool undone = bit / 64 == 1 || bit / 64 == STOA__DELTA_CHECKSUM / 8;
        stoa_status status = bytes_apply(p, &s, bytes, size);
        assert_true(undone ? status == STOA_OK : status == STOA_CORRUPT);
    }
    free(bytes);
}

/* SNP-09 SNP-05: any bytes after a header that fits. */
static void random_commands_do_no_harm(void **state) {
    delta_pair *p = *state;
    scene s = scene_make();
    delta_trip(p, s.base, BASE, s.target, TARGET);
    support_random random = {123};
    for (int round = 0; round < 20000; round++) {
        uint8_t bytes[STOA__DELTA_HEADER + 40];
        size_t size = STOA__DELTA_HEADER + support_random_below(&random, 40);
        memcpy(bytes, p->delta.data, STOA__DELTA_HEADER);
        for (size_t i = STOA__DELTA_HEADER; i < size; i++) {
            uint32_t kind = support_random_below(&random, 4);
            bytes[i] = kind == 0   ? 0
                       : kind == 1 ? 0xff
                                   : (uint8_t)support_random_below(&random, kind == 2 ? 16 : 256);
        }
        stoa__delta_word_put(bytes + 32, support_random_below(&random, 900), 8);
        delta_seal(bytes, size);
        (void)bytes_apply(p, &s, bytes, size);
    }
}

/* A delta for a base of so many bytes with the hash that it needs. */
static size_t delta_build(uint8_t *delta, const void *base, size_t base_size, uint64_t target_size,
                          const uint8_t *commands, size_t size) {
    stoa_blob plain = {0};
    assert_int_equal(stoa_delta_make(base, base_size, NULL, 0, &plain), STOA_OK);
    memcpy(delta, plain.data, STOA__DELTA_HEADER);
    stoa_blob_free(&plain);
    memcpy(delta + STOA__DELTA_HEADER, commands, size);
    stoa__delta_word_put(delta + 32, target_size, 8);
    delta_seal(delta, STOA__DELTA_HEADER + size);
    return STOA__DELTA_HEADER + size;
}

/* SNP-09 SNP-05: numbers at the ends of their range, which must not wrap around. */
static void commands_at_the_edge_are_refused_before_memory_is_taken(void **state) {
    delta_pair *p = *state;
    static const struct {
        uint64_t target;
        size_t size;
        uint8_t bytes[24];
        const char *message;
    } cases[] = {
        /* nothing at all; and what is right, but for the hash */
        {0, 2, {0, 0}, "begins no command"},
        {4, 2, {0, 8}, NULL},
        /* more or less than it says */
        {5, 2, {0, 8}, "fewer bytes"},
        {3, 2, {0, 8}, "more bytes"},
        {UINT64_MAX, 2, {0, 8}, "fewer bytes"},
        {3, 7, {4, 1, 2, 3, 4, 0, 0}, "more bytes"},
        /* bytes that are not there; a number that does not end; one that is too large */
        {5, 3, {5, 1, 2}, "begins no command"},
        {5, 1, {0x80}, "begins no command"},
        {5, 3, {0, 0x80, 0x80}, "begins no command"},
        {5, 12, {0, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 2}, "begins no command"},
        {5, 13, {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1}, "no command"},
        {5, 11, {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1, 0}, "no command"},
        /* a copy that begins or ends beyond the base; before it; by a jump around the end */
        {5, 2, {0, 10}, "copies what the base has not"},
        {1, 3, {0, 3, 8}, "copies what the base has not"},
        {1, 3, {0, 3, 6}, NULL},
        {1, 3, {0, 3, 1}, "copies what the base has not"},
        {9, 11, {0, 0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1}, "has not"},
        {2, 12, {0, 5, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1}, "has not"},
        {2, 12, {0, 5, 0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1}, "has not"},
        {8, 5, {0, 8, 0, 9, 7}, NULL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint8_t delta[STOA__DELTA_HEADER + 24];
        size_t size = delta_build(delta, "base", 4, cases[i].target, cases[i].bytes, cases[i].size);
        stoa_status verified = stoa_delta_verify(delta, size, NULL);
        size_t allocations = p->heap.allocations;
        stoa_status status = stoa_delta_apply("base", 4, delta, size, 0, &p->target);
        assert_int_equal(status, STOA_CORRUPT);
        if (cases[i].message != NULL) {
            assert_int_equal(verified, STOA_CORRUPT);
            support_assert_message(cases[i].message);
            assert_int_equal(p->heap.allocations, allocations);
        } else {
            assert_int_equal(verified, STOA_OK);
            support_assert_message("does not make the target");
        }
        assert_int_equal(p->target.size, 0);
    }
}

/* SNP-09 SNP-05: a few KiB that stand for 3 GiB. */
static void many_copies_of_the_base_stop_at_the_limit(void **state) {
    delta_pair *p = *state;
    enum { MEGABYTE = 1 << 20, COPIES = 3000 };
    uint8_t *base = calloc(MEGABYTE, 1);
    /* A copy of it all, and one after a jump back to its begin. */
    static const uint8_t first[] = {0, 0x80, 0x80, 0x80, 1};
    static const uint8_t again[] = {0, 0x81, 0x80, 0x80, 1, 0xff, 0xff, 0x7f};
    uint8_t *commands = malloc(sizeof first + sizeof again * COPIES);
    memcpy(commands, first, sizeof first);
    size_t size = sizeof first;
    for (int i = 1; i < COPIES; i++, size += sizeof again) {
        memcpy(commands + size, again, sizeof again);
    }
    uint8_t *delta = malloc(STOA__DELTA_HEADER + size);
    size = delta_build(delta, base, MEGABYTE, (uint64_t)COPIES * MEGABYTE, commands, size);
    stoa_delta_info info;
    assert_int_equal(stoa_delta_verify(delta, size, &info), STOA_OK);
    assert_int_equal(info.copied_size, (uint64_t)COPIES * MEGABYTE);
    size_t allocations = p->heap.allocations;
    assert_int_equal(stoa_delta_apply(base, MEGABYTE, delta, size, 10 * size, &p->target),
                     STOA_LIMIT);
    assert_int_equal(p->heap.allocations, allocations);
    assert_int_equal(stoa_delta_apply(base, MEGABYTE, delta, size, 0, &p->target), STOA_NO_MEMORY);
    assert_int_equal(p->target.size, 0);
    free(delta);
    free(commands);
    free(base);
}

/* SNP-09 */
static void other_versions_and_other_bytes_are_named(void **state) {
    delta_pair *p = *state;
    scene s = scene_make();
    delta_trip(p, s.base, BASE, s.target, TARGET);
    p->delta.data[4] = 2;
    assert_int_equal(stoa_delta_verify(p->delta.data, p->delta.size, NULL), STOA_CORRUPT);
    support_assert_message("of version 2");
    p->delta.data[4] = 1;
    p->delta.data[3] = 0;
    assert_int_equal(stoa_delta_verify(p->delta.data, p->delta.size, NULL), STOA_CORRUPT);
    support_assert_message("no delta");
    p->delta.data[3] = 'D';
    stoa__delta_word_put(p->delta.data + 8, p->delta.size + 1, 8);
    stoa__delta_word_put(p->delta.data + STOA__DELTA_CHECKSUM,
                         stoa__delta_checksum(p->delta.data, p->delta.size), 8);
    assert_int_equal(stoa_delta_verify(p->delta.data, p->delta.size, NULL), STOA_CORRUPT);
    support_assert_message("bytes and says");
    delta_seal(p->delta.data, p->delta.size);
    assert_int_equal(stoa_delta_verify(p->delta.data, p->delta.size, NULL), STOA_OK);
    p->delta.data[STOA__DELTA_HEADER] ^= 1;
    assert_int_equal(stoa_delta_verify(p->delta.data, p->delta.size, NULL), STOA_CORRUPT);
    support_assert_message("checksum");
}

/* SNP-09 GEN-04 */
static void each_failed_allocation_changes_nothing(void **state) {
    delta_pair *p = *state;
    scene s = scene_make();
    for (int forever = 0; forever < 2; forever++) {
        size_t k = 1;
        for (;; k++) {
            stoa_blob_free(&p->delta);
            const stoa_sink sink = stoa_blob_sink(&p->delta);
            assert_int_equal(stoa_sink_write(&sink, "kept", 4), STOA_OK);
            size_t blocks = p->heap.blocks;
            p->heap.fail_at = k;
            p->heap.fail_forever = forever != 0;
            stoa_status status = stoa_delta_make(s.base, BASE, s.target, TARGET, &p->delta);
            p->heap.fail_at = 0;
            p->heap.fail_forever = false;
            assert_int_equal(p->heap.blocks, blocks);
            if (status == STOA_OK) {
                break;
            }
            assert_int_equal(status, STOA_NO_MEMORY);
            assert_int_equal(p->delta.size, 4);
            assert_memory_equal(p->delta.data, "kept", 4);
        }
        assert_true(k > 1);
        stoa_blob_free(&p->target);
        p->heap.fail_at = 1;
        assert_int_equal(
            stoa_delta_apply(s.base, BASE, p->delta.data + 4, p->delta.size - 4, 0, &p->target),
            STOA_NO_MEMORY);
        assert_null(p->target.data);
        assert_int_equal(
            stoa_delta_apply(s.base, BASE, p->delta.data + 4, p->delta.size - 4, 0, &p->target),
            STOA_OK);
        assert_memory_equal(p->target.data, s.target, TARGET);
    }
}

/* SNP-09: inputs that make a bad search slow: all alike, alike in turns, and alike but for one byte
 * in each block. */
static void repeated_bytes_go_round(void **state) {
    delta_pair *p = *state;
    enum { LONG = 300000 };
    uint8_t *base = malloc(LONG), *target = malloc(LONG);
    memset(base, 0, LONG);
    memset(target, 0, LONG);
    assert_true(delta_trip(p, base, LONG, target, LONG - 1) <= STOA__DELTA_HEADER + 8);
    for (size_t step = 7; step <= 41; step += 17) {
        for (size_t i = 0; i < LONG; i++) {
            base[i] = (uint8_t)(i % 2);
            target[i] = (uint8_t)(i % step == 0 ? 3 : i % 2);
        }
        delta_trip(p, base, LONG, target, LONG);
        delta_trip(p, target, LONG, base, LONG);
        delta_trip(p, target, LONG, target + 1, LONG - 1);
    }
    free(base);
    free(target);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        WITH_PAIR(every_truncation_is_refused),
        WITH_PAIR(every_flipped_bit_is_refused),
        WITH_PAIR(random_commands_do_no_harm),
        WITH_PAIR(commands_at_the_edge_are_refused_before_memory_is_taken),
        WITH_PAIR(many_copies_of_the_base_stop_at_the_limit),
        WITH_PAIR(other_versions_and_other_bytes_are_named),
        WITH_PAIR(each_failed_allocation_changes_nothing),
        WITH_PAIR(repeated_bytes_go_round),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
