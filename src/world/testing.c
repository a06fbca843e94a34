/* Doors for tests. */
#include "world/testing.h"

#include "world/world.h"

void stoa__testing_set_generation(stoa_world *world, uint32_t index, uint32_t generation) {
    world->storage.head.records[index].generation = generation | STOA__DEAD;
    stoa__record_stamp(&world->storage, index);
}
