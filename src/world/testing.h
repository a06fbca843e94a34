/* Doors for tests that would take too long to get there through the public calls. */
#ifndef STOA_WORLD_TESTING_H
#define STOA_WORLD_TESTING_H

#include "stoa/world.h"

/* Sets the generation that a dead slot's next tenant gets. */
void stoa__testing_set_generation(stoa_world *world, uint32_t index, uint32_t generation);

#endif
