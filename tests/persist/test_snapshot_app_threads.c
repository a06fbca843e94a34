/* A run that is saved and loaded in the middle goes on as one straight through: the same hash after
 * every frame, on any number of threads, whenever it is cut. */
#include "support/program.h"
#include "support/support.h"

#include "stoa/snapshot.h"

#ifdef STOA_DEBUG
#define FRAMES 120
#else
#define FRAMES 400
#endif
#define ENTITIES 120

static uint64_t expected[FRAMES];

static int expected_make(void **state) {
    (void)state;
    support_heap heap = {0};
    stoa_allocator allocator = support_allocator(&heap);
    program p;
    program_open(&p, (program_way){.threads = 1}, ENTITIES, &allocator);
    for (int frame = 0; frame < FRAMES; frame++) {
        expected[frame] = program_step(&p);
    }
    program_close(&p);
    assert_int_equal(heap.bytes, 0);
    return 0;
}

/* Ends a program and begins another one with what it saved. */
static void program_pass(program *p, program_way way, bool ticks, const stoa_allocator *allocator) {
    stoa_blob blob = {0};
    const stoa_snapshot_save_desc save = {.app = p->app, .ticks = ticks};
    uint64_t frame = stoa_app_frame(p->app);
    assert_int_equal(stoa_snapshot_save_memory(p->world, &save, &blob), STOA_OK);
    stoa_snapshot_info info;
    assert_int_equal(stoa_snapshot_verify(blob.data, blob.size, &info), STOA_OK);
    assert_true(info.app && info.ticks && info.frame == frame);
    program_close(p);

    program_open(p, way, 0, allocator);
    const stoa_snapshot_load_desc load = {.app = p->app};
    if (stoa_snapshot_load_memory(p->world, &load, blob.data, blob.size) != STOA_OK) {
        fail_msg("%s", stoa_last_error().message);
    }
    assert_true(stoa_app_frame(p->app) == frame);
    /* What was loaded is what was saved, to the last byte. */
    stoa_blob again = {0};
    const stoa_snapshot_save_desc second = {.app = p->app};
    assert_int_equal(stoa_snapshot_save_memory(p->world, &second, &again), STOA_OK);
    assert_int_equal(again.size, blob.size);
    assert_memory_equal(again.data, blob.data, blob.size);
    stoa_blob_free(&again);
    stoa_blob_free(&blob);
}

/* Runs all frames; after each that `cuts` asks for the program is saved and loaded. */
static void way_run(program_way way, bool (*cuts)(int frame)) {
    support_heap heap = {0};
    stoa_allocator allocator = support_allocator(&heap);
    program p;
    program_open(&p, way, ENTITIES, &allocator);
    for (int frame = 0; frame < FRAMES; frame++) {
        if (cuts(frame)) {
            program_pass(&p, way, frame % 2 == 0, &allocator);
        }
        uint64_t hash = program_step(&p);
        if (hash != expected[frame]) {
            fail_msg("frame %d on %d threads: %016llx, not %016llx", frame, (int)way.threads,
                     (unsigned long long)hash, (unsigned long long)expected[frame]);
        }
    }
    program_close(&p);
    assert_int_equal(heap.bytes, 0);
}

static bool cut_at_begin(int frame) {
    return frame == 0 || frame == 1;
}

static bool cut_once(int frame) {
    return frame == FRAMES / 2;
}

static bool cut_often(int frame) {
    return frame % 7 == 3;
}

static bool cut_always(int frame) {
    return frame < 40;
}

/* SNP-01 SYS-08 */
static void run_goes_on_as_if_it_had_never_ended(void **state) {
    (void)state;
    static const int32_t threads[] = {1, 2, 4};
    for (int i = 0; i < 3; i++) {
        way_run((program_way){.threads = threads[i], .eager = true}, cut_at_begin);
        way_run((program_way){.threads = threads[i]}, cut_once);
        way_run((program_way){.threads = threads[i], .eager = i == 2}, cut_often);
    }
    way_run((program_way){.threads = 1}, cut_always);
}

/* SNP-01 SYS-08: saved on one number of threads, loaded on another. */
static void run_goes_on_with_other_threads(void **state) {
    (void)state;
    support_heap heap = {0};
    stoa_allocator allocator = support_allocator(&heap);
    program p;
    program_open(&p, (program_way){.threads = 4}, ENTITIES, &allocator);
    for (int frame = 0; frame < FRAMES; frame++) {
        if (frame % 20 == 19) {
            program_way way = {.threads = 1 + frame / 20 % 4, .shuffle = (uint64_t)frame};
            program_pass(&p, way, false, &allocator);
        }
        assert_true(program_step(&p) == expected[frame]);
    }
    program_close(&p);
    assert_int_equal(heap.bytes, 0);
}

/* SNP-01 SNP-08: what was loaded is gone back to as well as what was there before. */
static void loaded_run_can_be_rolled_back(void **state) {
    (void)state;
    support_heap heap = {0};
    stoa_allocator allocator = support_allocator(&heap);
    program p;
    program_open(&p, (program_way){.threads = 2}, ENTITIES, &allocator);
    int frame = 0;
    for (; frame < 50; frame++) {
        program_step(&p);
    }
    program_pass(&p, (program_way){.threads = 2}, false, &allocator);
    stoa_history *history = stoa_history_new(p.world, &(stoa_history_desc){.app = p.app});
    assert_int_equal(stoa_history_save(history), 0);
    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < 30; i++) {
            assert_true(program_step(&p) == expected[frame + i]);
        }
        assert_int_equal(stoa_history_restore(history, 0), STOA_OK);
    }
    stoa_history_free(history);
    program_close(&p);
    assert_int_equal(heap.bytes, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(run_goes_on_as_if_it_had_never_ended),
        cmocka_unit_test(run_goes_on_with_other_threads),
        cmocka_unit_test(loaded_run_can_be_rolled_back),
    };
    return cmocka_run_group_tests(tests, expected_make, NULL);
}
