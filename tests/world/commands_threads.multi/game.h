/* A world whose frames are filled by several buffers, on threads or not: what the ways to fill them
 * share. */
#ifndef COMMANDS_THREADS_GAME_H
#define COMMANDS_THREADS_GAME_H

#include <pthread.h>
#include <stdatomic.h>

#include "support/support.h"

#define BUFFERS_MAX 6
#define FRAMES 12
#define KNOWN_MAX 8192
#define MADE_MAX 400

/* How the buffers of a frame are filled. */
typedef enum game_way {
    GAME_THREADS,  /* one thread each, all at once */
    GAME_IN_ORDER, /* by one thread, one after the other */
    GAME_BACKWARDS /* by one thread, the last one first */
} game_way;

/* One buffer and what its filling came to. */
typedef struct game_part {
    struct game *game;
    stoa_commands *commands;
    int number;
    stoa_entity made[MADE_MAX];
    int made_count;
    int wrong;             /* calls that did not do what they should */
    support_random chance; /* of disturbing the threads; not of what is recorded */
} game_part;

typedef struct game {
    stoa_world *world;
    pthread_mutex_t mutex; /* the counting allocator is for one thread at a time */
    support_heap heap;
    stoa_allocator counting;
    uint64_t seed;
    game_way way;
    int buffer_count;
    int frame;
    game_part parts[BUFFERS_MAX];
    stoa_entity known[KNOWN_MAX]; /* handles made in earlier frames */
    int known_count;
    uint64_t hashes[FRAMES];
    uint64_t handles[FRAMES]; /* a hash of all handles that the frame made */
} game;

/* Runs all frames in a world of its own. */
void game_run(game *g, uint64_t seed, game_way way);

/* Values with drop hooks that are alive. */
extern atomic_int texts_alive;

#endif
