/* A small world for the tests of the command: some of every kind of member. */
#ifndef STOA_TESTS_GARDEN_H
#define STOA_TESTS_GARDEN_H

#include <stoa.h>
#include <stoa/module.h>

STOA_COMPONENT(Spot, { float x, y; });
STOA_COMPONENT(Label, {
    char text[8];
    int16_t numbers[3];
});
STOA_COMPONENT(Next, { stoa_entity entity; });
STOA_COMPONENT_WITH(Awake, STOA_OPTIONS(.flags = STOA_SWITCHABLE), { uint8_t degree; });
STOA_COMPONENT_WITH(Marked, STOA_OPTIONS(.flags = STOA_SPARSE), { double weight; });
STOA_TAG(Red);
STOA_COMPONENT(Clock, {
    char note[16];
    int32_t days;
    uint64_t ticks;
    float part;
    double whole;
    uint32_t small;
    int64_t large;
});

#endif
