/* Entities as JSON: what worlds and scenes share with single ones. */
#ifndef STOA_JSON_ENTITY_H
#define STOA_JSON_ENTITY_H

#include "stoa/relation.h"
#include "json/json.h"

/* STOA_OK if there is something to write from and to; the thread's error is set otherwise. */
stoa_status stoa__json_arguments(const stoa_world *world, const stoa_sink *sink);

/* The members of an entity's object: components in order of ids but for one, what is off, lists. */
void stoa__json_entity_write(stoa__json_out *out, stoa_entity e, stoa_component skipped);

/* Of those the last: what is off, and lists. */
void stoa__json_tail_write(stoa__json_out *out, stoa_entity e);

/* Reads the lists of relations of an object. With a source its targets are linked, without they are
 * only checked. */
stoa_status stoa__json_relations_read(stoa__json_in *in, const stoa__json_path *path,
                                      json_t *object, const stoa_entity *source);

#endif
