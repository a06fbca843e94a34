/* Observers, as the world sees them through its query_ops. */
#ifndef STOA_QUERY_OBSERVE_H
#define STOA_QUERY_OBSERVE_H

#include "world/world.h"

/* Tells observers, before a change, of an entity that matches and will not after it. It must be
 * locked. */
void stoa__observe_leave(stoa_world *world, stoa_entity e, const stoa__delta *delta);

/* Tells observers, after a change, of an entity that matches and did not before it. It must be
 * locked. */
void stoa__observe_enter(stoa_world *world, stoa_entity e, const stoa__delta *delta);

/* Takes the observer of that id away; STOA_NOT_FOUND, set but not reported, if there is none. */
stoa_status stoa__observe_remove(stoa_world *world, uint32_t id);

/* Takes observers away that lead into code; nothing runs. */
void stoa__observe_forget(stoa_world *world, const stoa_code *code);

/* Frees all observers. */
void stoa__observe_free_all(stoa_world *world);

/* Bytes that observers hold of the heap. */
size_t stoa__observe_bytes(const stoa_world *world);

#endif
