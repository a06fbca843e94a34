/* Command buffers, as the world sees them. */
#ifndef STOA_WORLD_COMMANDS_H
#define STOA_WORLD_COMMANDS_H

#include "stoa/commands.h"
#include "storage/storage.h"

/* The buffers of a world. */
typedef struct stoa__buffers {
    stoa_commands *deferred; /* the world's own, made with it */
    stoa_commands *first;    /* all others that live, youngest first */
    stoa_commands *freed;    /* in a debug build: those freed, kept so that their use is noticed */
    stoa_commands **forked;  /* those being filled by threads, in order */
    uint32_t forked_capacity;
    uint32_t forked_count;
    uint32_t forked_base; /* the first index past the entity table when they were forked */
    stoa_atomic dealing;  /* 1: they have handles to give out, or took some past the table */
    uint64_t turn;        /* moves on whenever buffers are forked or joined; from 1 */
    bool apart;           /* every command is applied by itself */
} stoa__buffers;

/* Makes the world's own buffer. */
stoa_status stoa__commands_init(stoa_world *world);

/* True while a buffer is applied. */
bool stoa__commands_flushing(const stoa_world *world);

/* Discards and frees all buffers. Handles they hold are given back. */
void stoa__commands_free_all(stoa_world *world);

/* True if commands are recorded that are not applied. */
bool stoa__commands_pending(const stoa_world *world);

/* Has all buffers forget the types that they were told of; nothing may be recorded. */
void stoa__commands_forget(stoa_world *world);

/* Bytes that buffers hold of the world's heap. */
size_t stoa__commands_bytes(const stoa_world *world);

/* Bytes that buffers hold of heaps of their own, which have the world's hooks. */
size_t stoa__commands_reserved(const stoa_world *world);

/* Frees what buffers with nothing recorded keep for the next commands. */
void stoa__commands_trim(stoa_world *world);

/* STOA_CORRUPT unless the slots that buffers hold are as many as the storage counts, and none of
 * them lives. */
stoa_status stoa__commands_check(const stoa_world *world);

/* Whether commands may be applied together, those on one entity as one change and those that do the
 * same in one go; they may unless told. For tests: it makes no difference that can be seen. */
void stoa__commands_merge(stoa_world *world, bool on);

#endif
