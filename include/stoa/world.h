/* The world: its lifecycle, and the lives of its entities. */
#ifndef STOA_WORLD_H
#define STOA_WORLD_H

#include "stoa/allocator.h"
#include "stoa/component.h"

STOA_BEGIN

/// The most live entities a world holds.
#define STOA_ENTITY_MAX (INT32_MAX - 1)

/// The most components of one bundle or change; an entity may have more.
#define STOA_BUNDLE_MAX 512

/// How to make a world; zero is the default of each member.
typedef struct stoa_world_desc {
    const stoa_allocator *allocator; ///< NULL: stoa_allocator_default; copied
    uint32_t chunk_size;             ///< bytes, 16 KiB to 64 KiB; 0: 64 KiB
    stoa_handler on_assert;          ///< called on misuse in a debug build; none: message and abort
    stoa_handler on_error;           ///< called on every failing call, for logs
    uint32_t first_tick;             ///< where the world's tick starts; 0: 1
} stoa_world_desc;

/// Makes a world; NULL on error. `desc` may be NULL.
stoa_world *stoa_world_new(const stoa_world_desc *desc);

/// Frees a world, everything in it and every query made for it; NULL is fine.
/// Its on_remove hooks are called. Refused inside of hooks, vetoes, listeners and flushes.
void stoa_world_free(stoa_world *world);

/// Makes a world read only, or lifts that; refused while it is iterated and inside of hooks.
/// While it is sealed whatever would change entities, components, resources or send an event fails
/// with STOA_ACCESS: direct calls, mutable access, flushes, queries that write. Reading, iterating,
/// hooks and queries being made, and commands being recorded go on. Needs no memory.
stoa_status stoa_world_seal(stoa_world *world, bool sealed);

/// True while a world is sealed.
bool stoa_world_sealed(const stoa_world *world);

/// The allocator that the world uses; for modules that keep memory for it.
const stoa_allocator *stoa_world_allocator(const stoa_world *world);

/// Tells the world's handlers of the calling thread's last error, and returns the status.
/// Nothing is told if that is STOA_OK. How a module reports a failure as the library does.
stoa_status stoa_world_report(const stoa_world *world, stoa_status status);

/// What to do with a component in a bundle or a change.
typedef enum stoa_value_op {
    STOA_PUT,     ///< place it, or overwrite it, with `data`; zeroed if `data` is NULL
    STOA_DROP,    ///< take it away; for stoa_change only
    STOA_PUT_SAME ///< one value for all, copied as bytes; for stoa_create_bulk only
} stoa_value_op;

/// One component of a bundle or change; see STOA_VALUE, STOA_ZERO, STOA_COLUMN, STOA_REMOVE.
/// Values are moved in: with a `move` or `drop` hook the source is dead after a success, and
/// untouched after an error. They may point into the world, but not at what a hook or observer that
/// the call is told to takes away.
typedef struct stoa_value {
    stoa_type *type;   ///< the described type, or NULL to go by `id`
    const void *data;  ///< the value, or an array of them for bulk; NULL: zeroed
    stoa_component id; ///< used when `type` is NULL; else the size of the type, or 0: not told
    stoa_value_op op;  ///< what to do with it
} stoa_value;

/// Makes an entity with no components; STOA_NULL on error.
stoa_entity stoa_create(stoa_world *world);

/// Makes an entity with a bundle, straight in its place; STOA_NULL on error. See stoa_create_with.
stoa_entity stoa_create_values(stoa_world *world, const stoa_value *values, int32_t count);

/// Components of a bundle that stoa_create_with hands over one by one, at most.
#define STOA_CREATE_FEW 3

/// stoa_create_values for a bundle of one described type.
stoa_entity stoa_create_one(stoa_world *world, stoa_type *type, const void *data);

/// stoa_create_values for a bundle of two described types.
stoa_entity stoa_create_two(stoa_world *world, stoa_type *first, const void *first_data,
                            stoa_type *second, const void *second_data);

/// stoa_create_values for a bundle of three described types.
stoa_entity stoa_create_three(stoa_world *world, stoa_type *first, const void *first_data,
                              stoa_type *second, const void *second_data, stoa_type *third,
                              const void *third_data);

/// Components of a bundle that a mould makes quick, at most.
#define STOA_MOULD_MAX 8

/// Where a mould writes one component, and what.
typedef struct stoa_mould_part {
    uint8_t *column;   ///< where that of the mould's chunk begins
    uint32_t to;       ///< which of a chunk's columns it goes to
    uint32_t size;     ///< of one value; 0 for a tag
    uint64_t value[2]; ///< its bytes, then zeros
} stoa_mould_part;

/// A bundle kept ready, to make one entity after the other of it; see stoa_create_mould.
/// Set `values` and `count`, zero the rest. The values must stay as they are.
typedef struct stoa_mould {
    const stoa_value *values; ///< without hooks, or they are moved in by the first entity
    int32_t count;            ///< of values
    int32_t limit;            ///< rows of a chunk that are made with no call; 0: it has many parts
    uint32_t open;            ///< 0, as in a world whose structure may change
    uint32_t epoch;           ///< of the world's layouts that it was made ready for
    void *target;             ///< where the entities go; NULL if it is not ready
    void *stamped;            ///< the same in a world that keeps frames, where `target` is NULL
    void *chunk;              ///< the last one there, when this was noted
    void *entities;           ///< of that chunk
    uint64_t *rows;           ///< that are there: see STOA_ROW_CAME
    uint32_t part_count;      ///< of parts
    uint32_t value_count;     ///< of those with values, which come first; the others are tags
    int32_t bound;            ///< rows of a chunk that are made of it; the last few are not
    bool tried;               ///< it cannot be made ready for these layouts
    stoa_mould_part parts[STOA_MOULD_MAX + 2]; ///< what is written
} stoa_mould;

/// stoa_create_values for a bundle that is kept ready: quicker, with the same result.
/// A mould is for one world.
stoa_entity stoa_create_mould(stoa_world *world, stoa_mould *mould);

/// Makes `entity_count` entities of one bundle, values given as arrays. See stoa_create_bulk.
/// `entities` receives the handles and may be NULL. Entities get rows in order.
stoa_status stoa_create_bulk_values(stoa_world *world, int32_t entity_count, stoa_entity *entities,
                                    const stoa_value *columns, int32_t count);

/// Ends an entity and drops its components; its row is filled by the last of its kind.
stoa_status stoa_destroy(stoa_world *world, stoa_entity e);

/// Ends `count` entities as one stoa_destroy after the other would, in less time.
/// Stops before the first that cannot be destroyed, with that error; `done`, which may be NULL,
/// receives how many are gone by then. What the next ones need is asked for ahead of their turn,
/// which counts in a large world, with entities that are anywhere in memory.
stoa_status stoa_destroy_bulk(stoa_world *world, int32_t count, const stoa_entity *entities,
                              int32_t *done);

/// Takes everything off an entity and leaves it alive.
stoa_status stoa_clear(stoa_world *world, stoa_entity e);

/// Copies an entity with its components; STOA_NULL on error.
/// Those that extensions keep (STOA_MANAGED), such as its name, are left out. A component that
/// cannot be copied is STOA_NOT_COPYABLE, naming it.
stoa_entity stoa_clone(stoa_world *world, stoa_entity e);

/// True if the handle's entity lives in this world.
bool stoa_alive(const stoa_world *world, stoa_entity e);

/// How many entities live.
int32_t stoa_count(const stoa_world *world);

/// The live entity after `e` in index order, the first for STOA_NULL; STOA_NULL at the end.
/// `e` need not live, so that a loop may destroy as it goes.
stoa_entity stoa_entity_next(const stoa_world *world, stoa_entity e);

/// Prepares for more entities of a bundle: creating them needs no memory. See stoa_reserve.
stoa_status stoa_reserve_values(stoa_world *world, int32_t count, const stoa_value *bundle,
                                int32_t bundle_count);

/// So many entities of one bundle; see stoa_reserve_batches.
typedef struct stoa_batch {
    const stoa_value *values; ///< the bundle; what the values are does not matter
    int32_t count;            ///< of values
    int32_t entity_count;     ///< of entities
} stoa_batch;

/// Makes room for entities of several bundles, for all together.
/// Creating them next, in any order, needs no memory. Other than with stoa_reserve_values room
/// that is not used is not kept for long.
stoa_status stoa_reserve_batches(stoa_world *world, const stoa_batch *batches, int32_t count);

/// Gives unused memory back; pointers into columns are stale after it.
stoa_status stoa_compact(stoa_world *world);

/// Verifies every invariant of the world; STOA_CORRUPT says which one broke.
stoa_status stoa_check(const stoa_world *world);

/// A hash of the world's content: equal for equal worlds, on every machine.
/// Handles, free list, rows in storage order, components by name and field. See
/// docs/errors-and-memory.md.
uint64_t stoa_hash(const stoa_world *world);

STOA_END

#endif
