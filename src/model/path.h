/* Paths: from a text such as "at.x" or "v[1]" to a field of a described component. */
#ifndef STOA_MODEL_PATH_H
#define STOA_MODEL_PATH_H

#include "stoa/component.h"

/* Where a path leads. */
typedef struct stoa__path {
    const stoa_member *member;
    uint32_t offset; /* from the start of the component */
    bool array;      /* the member is an array, and none of its elements is named */
} stoa__path;

/* Follows a path from a component. STOA_SYNTAX, STOA_NOT_FOUND and STOA_INVALID are set with the
 * column of the mistake, not reported. */
stoa_status stoa__path_find(const stoa_world *world, const stoa_component_info *component,
                            const char *text, stoa__path *path);

/* The member of a new layout that one of that name has become: the one of the same name, or the one
 * it was renamed to; NULL if it is gone. */
const stoa_member *stoa__path_follow(const stoa_component_info *after, const char *name,
                                     size_t length);

#endif
