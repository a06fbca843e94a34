/* Two worlds that are told the same commands: the first applies together what it can, the other one
 * by one. Define ENTITIES before. */
#ifndef STOA_TESTS_TWINS_H
#define STOA_TESTS_TWINS_H

#include "commands_types.h"
#include "world/commands.h"

/* Its values are not at the same distance from their commands everywhere. */
typedef struct Quad {
    _Alignas(16) float v[4];
} Quad;
STOA_TYPE(Quad);

typedef struct twins {
    support_world s[2];
    stoa_commands *c[2];
    stoa_entity e[ENTITIES];
    uint32_t count;
    support_random random;
    stoa_entity last; /* whom the last command was for */
} twins;

static twins t;

static void twins_open(uint64_t seed) {
    memset(&t, 0, sizeof t);
    t.random.state = seed * 40503 + 1;
    for (int i = 0; i < 2; i++) {
        support_world_open_with(&t.s[i], 16384);
        t.c[i] = stoa_deferred(t.s[i].world);
        stoa__commands_merge(t.s[i].world, i == 0);
    }
}

static void twins_close(void) {
    for (int i = 0; i < 2; i++) {
        support_world_close(&t.s[i]);
    }
}

#endif
