/* Buffers filled by several threads at once come to the world that one thread would have made. */
#include <stdlib.h>

#include "game.h"

static game games[3];

/* CMD-06 CMD-03 CMP-11: the same handles and the same world in every frame. */
static void threads_fill_buffers_as_one_thread_would(void **state) {
    (void)state;
    const char *rounds = getenv("STOA_ROUNDS");
    uint64_t count = rounds != NULL ? strtoull(rounds, NULL, 10) : 24;
    for (uint64_t seed = 1; seed <= count; seed++) {
        for (int way = 0; way < 3; way++) {
            game_run(&games[way], seed, (game_way)way);
        }
        for (int frame = 0; frame < FRAMES; frame++) {
            for (int way = 1; way < 3; way++) {
                if (games[0].hashes[frame] != games[way].hashes[frame] ||
                    games[0].handles[frame] != games[way].handles[frame]) {
                    fail_msg("seed %llu, frame %d: way %d differs", (unsigned long long)seed, frame,
                             way);
                }
            }
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(threads_fill_buffers_as_one_thread_would),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
