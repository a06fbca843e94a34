/* Comparing two values of a component, member by member. */
#ifndef STOA_TOOL_DIFF_H
#define STOA_TOOL_DIFF_H

#include "tool.h"

/* A component in a world, by which its values are read. */
typedef struct diff_side {
    const stoa_world *world;
    stoa_component id; /* 0: the world does not know it */
} diff_side;

/* Prints a line, with `title` in front, for each member of two values that is not the same; returns
 * how many there are. */
int64_t diff_values(const char *title, diff_side a, const void *from, diff_side b, const void *to);

#endif
