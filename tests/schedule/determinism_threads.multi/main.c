/* The same program comes to the same world in every frame, on any number of threads, in whatever
 * order its jobs are started and however long they take. */
#include "support/program.h"

#include "support/support.h"

#include <stdlib.h>

/* Without sanitizers the whole proof is made; with them a part of it, which threads can be watched
 * in. */
#ifdef STOA_DEBUG
#define FRAMES 60
#define ROUNDS 1
#else
#define FRAMES 2000
#define ROUNDS 10
#endif

#define ENTITIES 120

/* The hash of the world after 60 frames: the same for every compiler and machine. A change of how
 * work is cut into jobs, of random numbers or of the hash moves it. */
#define FRAME_TOLD 59
#define HASH_TOLD UINT64_C(0x103611501d7912bd)

static uint64_t expected[FRAMES];

static void way_run(program_way way, uint64_t *hashes) {
    support_heap heap = {0};
    stoa_allocator allocator = support_allocator(&heap);
    program p;
    program_open(&p, way, ENTITIES, &allocator);
    for (int frame = 0; frame < FRAMES; frame++) {
        uint64_t hash = program_step(&p);
        if (hashes != NULL) {
            hashes[frame] = hash;
        } else if (hash != expected[frame]) {
            fail_msg("frame %d on %d threads, shuffled by %llu: %016llx, not %016llx", frame,
                     (int)way.threads, (unsigned long long)way.shuffle, (unsigned long long)hash,
                     (unsigned long long)expected[frame]);
        }
    }
    program_close(&p);
    assert_int_equal(heap.bytes, 0);
}

static int expected_make(void **state) {
    (void)state;
    way_run((program_way){.threads = 1}, expected);
    return 0;
}

/* The world must be alive: a program that does nothing would prove nothing. */
static void program_goes_on(void **state) {
    (void)state;
    for (int frame = 1; frame < FRAMES; frame++) {
        assert_true(expected[frame] != expected[frame - 1]);
    }
}

/* STO-11 SYS-08 */
static void world_is_the_same_for_every_compiler(void **state) {
    (void)state;
    if (expected[FRAME_TOLD] != HASH_TOLD) {
        fail_msg("%016llx", (unsigned long long)expected[FRAME_TOLD]);
    }
}

/* SYS-08 SYS-06 SYS-07 CMD-06 */
static void world_is_the_same_on_any_number_of_threads(void **state) {
    (void)state;
    static const int32_t threads[] = {1, 2, 3, 4, 8, 16};
    for (size_t i = 0; i < sizeof threads / sizeof *threads; i++) {
        for (int round = 0; round < ROUNDS; round++) {
            way_run((program_way){.threads = threads[i], .eager = round % 2 == 0}, NULL);
        }
    }
}

/* SYS-08 */
static void world_is_the_same_in_any_order_of_jobs(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= ROUNDS; seed++) {
        way_run((program_way){.threads = 1, .shuffle = seed}, NULL);
        way_run((program_way){.threads = 4, .shuffle = seed + 100, .eager = true}, NULL);
    }
}

/* SYS-08 */
static void world_is_the_same_however_long_jobs_take(void **state) {
    (void)state;
    way_run((program_way){.threads = 2, .eager = true, .sleepy = true}, NULL);
    way_run((program_way){.threads = 5, .shuffle = 7, .eager = true, .sleepy = true}, NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(program_goes_on),
        cmocka_unit_test(world_is_the_same_for_every_compiler),
        cmocka_unit_test(world_is_the_same_on_any_number_of_threads),
        cmocka_unit_test(world_is_the_same_in_any_order_of_jobs),
        cmocka_unit_test(world_is_the_same_however_long_jobs_take),
    };
    return cmocka_run_group_tests(tests, expected_make, NULL);
}
