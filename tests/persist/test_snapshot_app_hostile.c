/* Damaged bytes and memory that runs out, with an app: an error, and app and world as they were. */
#include "persist/snapshot.h"
#include "persist/snapshot_app_fixture.h"

/* A small snapshot with all the sections that tell how a run goes on. */
static void blob_make(stoa_blob *blob) {
    run a;
    text_count = 0;
    *blob = (stoa_blob){0};
    run_open(&a, false);
    for (int i = 0; i < 4; i++) {
        stoa_create_with(a.world, STOA_VALUE(Position, {(float)i, 0}));
    }
    run_step(&a, 4);
    run_send(&a);
    run_save(&a, blob);
    run_close(&a);
}

/* The world is empty, the app has not moved, and both work. */
static void run_assert_untouched(run *r, uint64_t hash) {
    assert_int_equal(stoa_check(r->world), STOA_OK);
    assert_int_equal(stoa_count(r->world), 0);
    assert_true(stoa_hash(r->world) == hash);
    assert_true(stoa_app_frame(r->app) == 0);
    assert_int_equal(stoa_reader_count(r->bangs[0]), 0);
    assert_int_equal(stoa_reader_count(r->texts), 0);
    stoa_system_info info;
    assert_int_equal(stoa_system_info_get(r->app, stoa_system_find(r->app, "look"), &info),
                     STOA_OK);
    assert_true(info.runs == 0);
    support_assert_quiet(&r->s);
}

/* SNP-05 */
static void every_truncation_is_refused(void **state) {
    (void)state;
    stoa_blob blob;
    run r;
    blob_make(&blob);
    run_open(&r, false);
    uint64_t hash = stoa_hash(r.world);
    const stoa_snapshot_load_desc load = {.app = r.app};
    for (size_t size = 0; size < blob.size; size++) {
        uint8_t *copy = malloc(size > 0 ? size : 1);
        memcpy(copy, blob.data, size);
        assert_int_equal(stoa_snapshot_load_memory(r.world, &load, copy, size), STOA_CORRUPT);
        run_assert_untouched(&r, hash);
        free(copy);
    }
    run_step(&r, 2);
    run_close(&r);
    stoa_blob_free(&blob);
    assert_int_equal(text_count, 0);
}

/* SNP-05 */
static void every_flipped_bit_is_noticed(void **state) {
    (void)state;
    stoa_blob blob;
    run r;
    blob_make(&blob);
    run_open(&r, false);
    uint64_t hash = stoa_hash(r.world);
    const stoa_snapshot_load_desc load = {.app = r.app};
    for (size_t bit = 0; bit < blob.size * 8; bit++) {
        blob.data[bit / 8] ^= (uint8_t)(1u << (bit % 8));
        assert_true(stoa_snapshot_load_memory(r.world, &load, blob.data, blob.size) != STOA_OK);
        run_assert_untouched(&r, hash);
        blob.data[bit / 8] ^= (uint8_t)(1u << (bit % 8));
    }
    run_close(&r);
    stoa_blob_free(&blob);
    assert_int_equal(text_count, 0);
}

/* Loads bytes that may be anything, checksums aside; what comes out must work. */
static void bytes_try(const stoa_blob *blob) {
    run r;
    run_open(&r, false);
    uint64_t hash = stoa_hash(r.world);
    const stoa_snapshot_load_desc load = {.app = r.app, .unknown = STOA_UNKNOWN_DROP};
    stoa_error_clear();
    stoa_status status = stoa__snapshot_load_bytes(r.world, &load, blob->data, blob->size, false);
    if (status != STOA_OK) {
        run_assert_untouched(&r, hash);
    } else {
        stoa_blob again = {0};
        support_assert_quiet(&r.s);
        run_step(&r, 1);
        run_save(&r, &again);
        stoa_blob_free(&again);
    }
    run_close(&r);
}

/* The first byte of what tells how the run goes on. */
static size_t rest_begin(const stoa_blob *blob) {
    for (size_t at = 0; at + 14 < blob->size; at++) {
        if (memcmp(blob->data + at, "resource-ticks", 14) == 0) {
            return at - STOA__SECTION_HEAD;
        }
    }
    fail();
    return 0;
}

/* SNP-05: what a checksum would have caught does no harm. */
static void damage_behind_checksums_does_no_harm(void **state) {
    (void)state;
    static const uint32_t numbers[] = {0, 1, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF, 0x00010000};
    stoa_blob blob;
    blob_make(&blob);
    for (size_t at = rest_begin(&blob); at + 4 <= blob.size; at++) {
        uint8_t kept[4];
        memcpy(kept, blob.data + at, 4);
        blob.data[at] ^= (uint8_t)(1u << at % 8);
        bytes_try(&blob);
        for (size_t i = 0; i < sizeof numbers / sizeof *numbers && at % 2 == 0; i++) {
            memcpy(blob.data + at, &numbers[i], 4);
            bytes_try(&blob);
        }
        memcpy(blob.data + at, kept, 4);
    }
    stoa_blob_free(&blob);
    assert_int_equal(text_count, 0);
}

/* GEN-04 SNP-05 */
static void save_survives_each_failed_allocation(void **state) {
    (void)state;
    stoa_blob blob = {0};
    run a;
    text_count = 0;
    run_open(&a, false);
    run_fill(&a);
    run_step(&a, 4);
    run_send(&a);
    size_t k = 1;
    for (;; k++) {
        size_t before = a.s.heap.bytes;
        blob.size = 0;
        a.s.heap.fail_at = k;
        stoa_status status =
            stoa_snapshot_save_memory(a.world, &(stoa_snapshot_save_desc){.app = a.app}, &blob);
        a.s.heap.fail_at = 0;
        assert_int_equal(a.s.heap.bytes, before);
        if (status == STOA_OK) {
            break;
        }
        assert_int_equal(status, STOA_NO_MEMORY);
    }
    assert_true(k > 10);
    run_close(&a);
    stoa_blob_free(&blob);
    assert_int_equal(text_count, 0);
}

/* GEN-04 SNP-05 */
static void load_survives_each_failed_allocation(void **state) {
    (void)state;
    stoa_blob blob;
    blob_make(&blob);
    bool done = false;
    for (size_t k = 1; !done; k++) {
        run r;
        run_open(&r, false);
        uint64_t hash = stoa_hash(r.world);
        r.s.heap.fail_at = k;
        stoa_status status = run_load(&r, &blob);
        r.s.heap.fail_at = 0;
        done = status == STOA_OK;
        if (!done) {
            assert_int_equal(status, STOA_NO_MEMORY);
            run_assert_untouched(&r, hash);
            assert_int_equal(run_load(&r, &blob), STOA_OK);
        }
        assert_true(stoa_app_frame(r.app) == 4);
        assert_int_equal(stoa_reader_count(r.texts), 1);
        run_step(&r, 1);
        run_close(&r);
    }
    stoa_blob_free(&blob);
    assert_int_equal(text_count, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_truncation_is_refused),
        cmocka_unit_test(every_flipped_bit_is_noticed),
        cmocka_unit_test(damage_behind_checksums_does_no_harm),
        cmocka_unit_test(save_survives_each_failed_allocation),
        cmocka_unit_test(load_survives_each_failed_allocation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
