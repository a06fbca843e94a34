/* Buffers filled by several threads at once come to the world that one thread would have made. */
#include "game.h"
#include "support/seeds.h"

static game games[3];

/* CMD-06 CMD-03 CMP-11: the same handles and the same world in every frame. */
static void threads_fill_buffers_as_one_thread_would(void **state) {
    (void)state;
    for (support_seeds seeds = support_seeds_of(24); support_seeds_next(&seeds);) {
        for (int way = 0; way < 3; way++) {
            game_run(&games[way], seeds.seed, (game_way)way);
        }
        for (int frame = 0; frame < FRAMES; frame++) {
            for (int way = 1; way < 3; way++) {
                if (games[0].hashes[frame] != games[way].hashes[frame] ||
                    games[0].handles[frame] != games[way].handles[frame]) {
                    fail_msg("frame %d: way %d differs", frame, way);
                }
            }
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        support_seeds_test(threads_fill_buffers_as_one_thread_would),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
