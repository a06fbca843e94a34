/* Snapshots: saving all that a world holds, and loading it into an empty world.
 *
 * Entities with their handles, dead slots, archetypes, rows and sparse sets in their order, what is
 * switched off, names, relations, and resources; docs/snapshot-format.md says byte by byte how.
 * Hooks, observers, queries and systems are not saved and stay as the world has them. With an app,
 * what they go on by is saved too: a run that is loaded goes on as if it had never ended. */
#ifndef STOA_SNAPSHOT_H
#define STOA_SNAPSHOT_H

#include "stoa/app.h"
#include "stoa/schema.h"
#include "stoa/stream.h"
#include "stoa/world.h"

STOA_BEGIN

/// The version of the format that is written; it and those before it are read.
#define STOA_SNAPSHOT_VERSION 1

/// What to save; zero is the default of each, and NULL is all zero.
typedef struct stoa_snapshot_save_desc {
    bool no_resources; ///< resources are left out
    bool ticks; ///< the world's tick, those of changes, and the log of removals are saved, too
    /// What the app goes on by is saved, too, with ticks and unread events; NULL: none. It must run
    /// the world, and not step.
    const stoa_app *app;
} stoa_snapshot_save_desc;

/// How to load; zero is the default of each, and NULL is all zero.
typedef struct stoa_snapshot_load_desc {
    stoa_unknown unknown;  ///< what to do with components and extensions that the world has not
    stoa_loss loss;        ///< what to do with values that do not fit their members any more
    stoa_notice_fn notice; ///< told of all that is not as it was saved; may be NULL
    void *user;            ///< handed to `notice`
    bool no_resources;     ///< resources are not loaded: those of the world stay
    uint64_t size_max;     ///< larger snapshots are STOA_LIMIT; 0: any size
    /// Goes on as the app that was saved, if one was; NULL: none. Systems are found by name, and
    /// those of STOA_STARTUP are left as they are.
    stoa_app *app;
} stoa_snapshot_load_desc;

/// What a snapshot holds.
typedef struct stoa_snapshot_info {
    uint32_t version;        ///< of the format
    uint64_t size;           ///< bytes in all
    int32_t section_count;   ///< of the format, those that are not known included
    int32_t component_count; ///< in the schema, with the structs and enums that are parts of them
    int32_t archetype_count; ///< those without rows included
    int32_t sparse_count;    ///< sparse components that entities have
    int32_t resource_count;  ///< values of which the world had one
    int32_t extension_count; ///< extensions, such as that of names, that had something to say
    int32_t entity_count;    ///< that live
    int64_t slot_count;      ///< of the table of entities
    bool ticks;              ///< with ticks of changes
    uint32_t tick;           ///< of the world, if they are there
    bool app;                ///< with what an app goes on by
    uint64_t frame;          ///< frames that it had begun, if it is there
} stoa_snapshot_info;

/// Saves a world to a sink, in pieces of at most 64 KiB.
/// The same world gives the same bytes. STOA_INVALID while commands are recorded; STOA_REFUSED,
/// naming it, for a component or resource that nothing tells how to save. Not where the structure
/// cannot change, but a sealed world can be saved. After an error what was written is no snapshot.
/// O(content).
stoa_status stoa_snapshot_save(const stoa_world *world, const stoa_snapshot_save_desc *desc,
                               const stoa_sink *sink);

/// Saves a world to a file, which is replaced as a whole or not at all.
/// It is written beside its place, brought to the disk and renamed: whatever happens meanwhile the
/// old one or the new one is there. STOA_IO names the path and the reason.
stoa_status stoa_snapshot_save_file(const stoa_world *world, const stoa_snapshot_save_desc *desc,
                                    const char *path);

/// Appends a snapshot of a world to a blob; on an error the blob is as it was.
stoa_status stoa_snapshot_save_memory(const stoa_world *world, const stoa_snapshot_save_desc *desc,
                                      stoa_blob *blob);

/// Loads a snapshot into a world with no live entity and no recorded command.
/// What is registered in it stays: components are found by name. No hooks or observers are told.
/// STOA_CORRUPT for bytes that are no whole snapshot; what follows it is not read. On any error the
/// world holds what it held before, and can be used. Memory that is needed follows the bytes that
/// came, not what they promise. O(content).
stoa_status stoa_snapshot_load(stoa_world *world, const stoa_snapshot_load_desc *desc,
                               const stoa_source *source);

/// stoa_snapshot_load from a file, which holds nothing else.
/// STOA_IO names the path and the reason.
stoa_status stoa_snapshot_load_file(stoa_world *world, const stoa_snapshot_load_desc *desc,
                                    const char *path);

/// stoa_snapshot_load from memory, which is read where it is and holds nothing else.
stoa_status stoa_snapshot_load_memory(stoa_world *world, const stoa_snapshot_load_desc *desc,
                                      const void *bytes, size_t size);

/// Checks that bytes are a whole snapshot, and tells what it holds; needs no world.
/// All is checked that does not depend on the program that loads it: not what extensions and
/// functions wrote. Memory comes from stoa_allocator_default. `info` may be NULL. O(size).
stoa_status stoa_snapshot_verify(const void *bytes, size_t size, stoa_snapshot_info *info);

STOA_END

#endif
