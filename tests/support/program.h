/* A program of many systems that does everything a job can do: it spawns, kills, moves entities
 * between archetypes, switches, sends and reads events, writes resources and draws random numbers.
 * It counts in whole numbers, so that its world is the same for every compiler. */
#ifndef STOA_TESTS_PROGRAM_H
#define STOA_TESTS_PROGRAM_H

#include "stoa.h"

/* How a program is run: nothing of this may show in its world. */
typedef struct program_way {
    int32_t threads;
    uint64_t shuffle; /* of jobs; 0: none */
    bool eager;       /* threads are woken for every batch */
    bool sleepy;      /* systems sleep now and then, for as long as chance has it */
} program_way;

/* A program under way. */
typedef struct program {
    stoa_app *app;
    stoa_world *world;
    stoa_reader *reader;
    stoa_query *homes;
    uint32_t naps; /* not 0: systems sleep */
} program;

/* Begins with `count` entities; the allocator may be NULL. */
void program_open(program *p, program_way way, int32_t count, const stoa_allocator *allocator);

/* One frame; returns the hash of the world. */
uint64_t program_step(program *p);

void program_close(program *p);

#endif
