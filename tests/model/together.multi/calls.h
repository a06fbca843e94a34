/* Operations of a trace, by the files that make them. */
#ifndef TESTS_TOGETHER_CALLS_H
#define TESTS_TOGETHER_CALLS_H

#include "together.h"

stoa_entity handle_of(const run *r, int number);
stoa_status status_of(stoa_entity e);

/* Arms the allocator for the operation's one call. */
void memory_begin(run *r, const op *o);
/* Ends that; true if the call has done what it must, and the reference is to follow. */
bool call_ends(run *r, stoa_status status, uint32_t refused, const char *what);

/* What a set, add, removal or change comes to in the state the reference is in. */
void change_parts(const run *r, const op *o, uint32_t *put, uint32_t *zero, uint32_t *drop);

/* Follows a clearing, and makes it if it is not made already. */
void op_clear(run *r, const op *o, bool now);

void op_write(run *r, const op *o);
void op_walk(run *r, const op *o);
void op_whole_set(run *r, const op *o);
void op_whole_remove(run *r, const op *o);
void op_whole_destroy(run *r, const op *o);
void op_prefab(run *r, const op *o);
void op_prefab_bulk(run *r, const op *o);
void op_prefab_change(run *r, const op *o);
void op_sort(run *r, const op *o);
void op_compact(run *r, const op *o);
void op_propagate(run *r, const op *o);
void op_forbidden(run *r, const op *o);

stoa_prefab *prefab_pick(const run *r, const op *o);

#endif
