/* The index of names that a world keeps. */
#ifndef STOA_MODEL_NAME_INDEX_H
#define STOA_MODEL_NAME_INDEX_H

#include "model/name_table.h"
#include "stoa/name.h"
#include "stoa/stream.h"

/* A list of names; those that are to stay for longer come later. */
typedef struct stoa__name_list {
    stoa__name *first;
    uint32_t count;
} stoa__name_list;

typedef struct stoa__names {
    stoa__heap heap;
    stoa__name_texts texts;   /* those that entities have, and those that are promised */
    stoa__name_owners owners; /* those that entities have */
    stoa__name_list promised; /* to calls under way */
    stoa__name_list gone;     /* of no entity any more, but perhaps still seen by hooks */
    uint64_t version;         /* moves on whenever names are given or taken away */
    bool ready;               /* hooks and veto are in place */
} stoa__names;

/* An index for a world, empty; NULL with the thread's error set. */
stoa__names *stoa__names_new(const stoa_world *world);
void stoa__names_free(stoa__names *names);

/* Frees promised names and those that are gone, as far as no call at or below `depth` needs them.
 */
void stoa__names_purge(stoa__names *names, uint32_t depth);

/* Promises a text to an entity, or to one about to be made for STOA_NULL: giving it then needs no
 * memory. A call at `depth` asks. The thread's error is set, not reported. */
stoa_status stoa__names_promise(stoa__names *names, stoa_entity e, const char *text,
                                uint32_t depth);

/* Gives an entity the name that was promised to it, in place of the one that it has; NULL with the
 * thread's error set if it cannot be had, which takes a hook that has meddled since. */
const stoa__name *stoa__names_give(stoa__names *names, stoa_entity e, const char *text,
                                   uint32_t depth);

/* Takes the name of an entity away, if it has one. The text stays until hooks at `depth` are done.
 */
void stoa__names_take(stoa__names *names, stoa_entity e, uint32_t depth);

/* Frees all names; the tables stay as large as they are. */
void stoa__names_clear(stoa__names *names);

/* Writes the names, in the order that entities have the component; takes them back, into an index
 * that has none. The thread's error is set, not reported; after one there is none. */
stoa_status stoa__names_save(const stoa_world *world, const stoa_sink *sink);
stoa_status stoa__names_load(stoa_world *world, stoa__names *names, const void *bytes, size_t size);

/* STOA_CORRUPT, set but not reported, unless the index is whole and tells what the world has. */
stoa_status stoa__names_check(const stoa_world *world, const stoa__names *names);

#endif
