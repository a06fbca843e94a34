/* Rollback as a game does it: a world that goes back by some frames over and over and plays them
 * again comes to the hashes of one that never did. */
#include "support/program.h"
#include "support/support.h"

/* Frames of the whole test, on one thread; a debug build takes long for each. */
#ifdef STOA_DEBUG
#define FRAMES 500
#else
#define FRAMES 10000
#endif
#define KEPT 8

/* Plays so many frames, going back up to 8 now and then, beside one that never does. */
static void programs_agree(program_way way, int64_t frames, uint64_t seed) {
    support_random random = {seed};
    support_heap heap = {0}, other_heap = {0};
    stoa_allocator allocator = support_allocator(&heap), other = support_allocator(&other_heap);
    program straight, back;
    uint64_t *hashes = test_calloc((size_t)frames, sizeof *hashes);
    program_open(&straight, way, 100, &other);
    program_open(&back, way, 100, &allocator);
    stoa_history *history =
        stoa_history_new(back.world, &(stoa_history_desc){.frames = KEPT + 1, .app = back.app});
    assert_non_null(history);
    for (int64_t frame = 0; frame < frames; frame++) {
        assert_int_equal(stoa_history_save(history), frame);
        hashes[frame] = program_step(&back);
        int64_t k = support_random_below(&random, KEPT + 1);
        k = k <= frame ? k : frame;
        if (k > 0) {
            int64_t to = frame + 1 - k;
            assert_int_equal(stoa_history_restore(history, to), STOA_OK);
            assert_int_equal(stoa_hash(back.world), hashes[to - 1]);
            for (int64_t i = to; i <= frame; i++) {
                /* The frame that was restored is kept; those after it are saved again. */
                assert_true(i == to || stoa_history_save(history) == i);
                if (program_step(&back) != hashes[i]) {
                    fail_msg("seed %llu: frame %lld differs after going back to %lld",
                             (unsigned long long)seed, (long long)i, (long long)to);
                }
            }
        }
        assert_int_equal(program_step(&straight), hashes[frame]);
        if (frame % 200 == 0) {
            assert_int_equal(stoa_check(back.world), STOA_OK);
        }
    }
    test_free(hashes);
    stoa_history_free(history);
    program_close(&straight);
    program_close(&back);
    assert_int_equal(heap.bytes, 0);
    assert_int_equal(other_heap.bytes, 0);
}

/* SNP-08 */
static void replay_comes_to_the_same_hashes(void **state) {
    (void)state;
    programs_agree((program_way){.threads = 1}, FRAMES, 1);
}

/* SNP-08 */
static void replay_on_threads_comes_to_the_same_hashes(void **state) {
    (void)state;
    programs_agree((program_way){.threads = 3, .shuffle = 5, .eager = true}, FRAMES / 10, 2);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(replay_comes_to_the_same_hashes),
        cmocka_unit_test(replay_on_threads_comes_to_the_same_hashes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
