/* The world: its lifecycle, and how its failures are told. */
#include "world/world.h"

#include "storage/archetype.h"
#include "storage/edge.h"
#include "storage/entities.h"
#include "storage/registry.h"
#include "storage/row.h"
#include "storage/sparse.h"
#include "world/react.h"

#ifdef STOA_DEBUG
#include <stdio.h>
#include <stdlib.h>
#endif

#define CHUNK_SIZE_MIN (16u << 10)
#define CHUNK_SIZE_MAX (64u << 10)

#ifdef STOA_DEBUG
/* Misuse in a debug build, with nobody asking to be told: stop where it happened, as assert does.
 */
static void misuse_stop(const stoa_error *error) {
    fprintf(stderr, "stoa: %s\n", error->message);
    abort();
}
#endif

stoa_status stoa__world_report(const stoa_world *world, stoa_status status) {
    if (status == STOA_OK || world == NULL) {
        return status;
    }
    stoa_error error = stoa_last_error();
    if (world->on_error.call != NULL) {
        world->on_error.call(&error, world->on_error.user);
    }
#ifdef STOA_DEBUG
    if (stoa__status_is_misuse(status)) {
        if (world->on_assert.call != NULL) {
            world->on_assert.call(&error, world->on_assert.user);
        } else {
            misuse_stop(&error);
        }
    }
#endif
    return status;
}

stoa_status stoa_world_report(const stoa_world *world, stoa_status status) {
    return stoa__world_report(world, status);
}

const stoa_allocator *stoa_world_allocator(const stoa_world *world) {
    return world != NULL ? &world->storage.heap.hooks : NULL;
}

stoa_status stoa__world_null(const stoa_world *world, const char *what) {
    return stoa__world_report(world,
                              stoa__error(STOA_NULL_ARGUMENT, "the %s must not be null", what));
}

stoa_status stoa__world_dead(const stoa_world *world, stoa_entity e) {
    char text[STOA_ENTITY_TEXT_SIZE];
    return stoa__world_report(world, stoa__error(STOA_DEAD, "entity %s is dead",
                                                 stoa_entity_print(e, text, sizeof text)));
}

stoa_status stoa__world_iterating(const stoa_world *world) {
    return stoa__world_report(
        world, stoa__error(STOA_ITERATING,
                           "the world cannot change its structure while query '%s' is iterated; "
                           "end an iteration that is left early with stoa_iter_end",
                           world->query_ops->open_name(world)));
}

/* Fails since the structure is held. */
static stoa_status world_held(const stoa_world *world) {
    return stoa__world_report(
        world, stoa__error(STOA_ITERATING, "the world cannot change its structure while it is %s",
                           world->held));
}

stoa_status stoa__world_blocked(const stoa_world *world) {
    return (world->storage.head.open & STOA__OPEN_SEAL) != 0 ? stoa__world_read_only(world)
                                                             : stoa__world_busy(world);
}

stoa_status stoa__world_busy(const stoa_world *world) {
    uint32_t open = world->storage.head.open;
    if ((open & STOA__OPEN_ITER) != 0) {
        return stoa__world_iterating(world);
    }
    if ((open & STOA__OPEN_HELD) != 0) {
        return world_held(world);
    }
    if ((open & STOA__OPEN_FORK) != 0) {
        return stoa__world_report(
            world, stoa__error(STOA_FORKED,
                               "the world cannot change its structure while %u command "
                               "buffers are being filled; see stoa_commands_join",
                               world->buffers.forked_count));
    }
    if ((open & STOA__OPEN_FREE) != 0) {
        return stoa__world_report(world, stoa__error(STOA_FREED, "the world is being freed"));
    }
    if ((open & STOA__OPEN_ASK) != 0) {
        return stoa__world_report(world,
                                  stoa__error(STOA_LOCKED, "the world cannot change its structure "
                                                           "while a veto is being asked"));
    }
    return STOA_OK;
}

stoa_status stoa__world_entity_blocked(const stoa_world *world, stoa_entity e) {
    stoa_status status = stoa__world_blocked(world);
    return status == STOA_OK ? stoa__hook_locked(world, e) : status;
}

stoa_status stoa__world_may_keep(const stoa_world *world, stoa_entity e, stoa_component id) {
    stoa_status status =
        STOA_LIKELY(world->storage.head.open == 0) ? STOA_OK : stoa__world_blocked(world);
    return status == STOA_OK ? stoa__hook_losing(world, e, id) : status;
}

void stoa__world_rewatch(stoa_world *world) {
    stoa__storage *storage = &world->storage;
    for (uint32_t i = 0; i < storage->archetype_count; i++) {
        stoa__archetype_rewatch(storage, storage->archetypes[i]);
        stoa__edge_rewatch(storage, storage->archetypes[i]);
    }
    for (const stoa__component *c = storage->sparse_first; c != NULL; c = c->sparse_next) {
        stoa__sparse_rewatch(storage, c->set);
    }
    /* Remembered bundles look at their edges again. */
    storage->head.epoch++;
}

stoa__type_hop *stoa__type_remember(stoa_world *world, const stoa_type *type, stoa_component id) {
    if ((world->storage.head.open & STOA__OPEN_FORK) != 0) {
        return NULL;
    }
    const stoa__events *events = &world->events;
    stoa__type_hop *hop = stoa__type_hop_at(world, type);
    *hop = (stoa__type_hop){
        .slot = STOA_LOAD(&type->slot),
        .id = id,
        .set = stoa__component_at(&world->storage, id)->set,
        .channel = id <= events->capacity ? events->channels[id - 1] : NULL,
    };
    return hop;
}

void *stoa__world_scratch(stoa_world *world, size_t count, size_t size) {
    void *items = count <= PTRDIFF_MAX / size
                      ? stoa__heap_alloc(&world->storage.heap, count * size, STOA__LINE)
                      : NULL;
    world->scratch += items != NULL ? count * size : 0;
    return items;
}

void stoa__world_scratch_free(stoa_world *world, void *items, size_t count, size_t size) {
    if (items != NULL) {
        world->scratch -= count * size;
        stoa__heap_free(&world->storage.heap, items, count * size, STOA__LINE);
    }
}

stoa_status stoa__world_requeue(stoa_world *world, stoa_entity e) {
    return stoa__row_to_end(&world->storage, stoa__place_of(&world->storage, e.index));
}

stoa_status stoa__world_unknown(const stoa_world *world, stoa_component id) {
    return stoa__world_report(
        world, stoa__error(STOA_UNKNOWN, "there is no component with the id %u", id));
}

stoa_status stoa__world_missing(const stoa_world *world, stoa_entity e, const char *name) {
    char text[STOA_ENTITY_TEXT_SIZE];
    return stoa__world_report(world, stoa__error(STOA_MISSING, "component '%s' is not on entity %s",
                                                 name, stoa_entity_print(e, text, sizeof text)));
}

static stoa_status desc_check(const stoa_world_desc *desc) {
    uint32_t size = desc->chunk_size;
    if (size != 0 && (size < CHUNK_SIZE_MIN || size > CHUNK_SIZE_MAX)) {
        return stoa__error(STOA_INVALID, "a chunk size of %u is not between %u and %u", size,
                           CHUNK_SIZE_MIN, CHUNK_SIZE_MAX);
    }
    const stoa_allocator *allocator = desc->allocator;
    if (allocator != NULL && (allocator->alloc == NULL || allocator->free == NULL)) {
        return stoa__error(STOA_NULL_ARGUMENT, "an allocator needs alloc and free");
    }
    return STOA_OK;
}

/* Frees what is not content: tables, and the world itself. */
static void world_destroy(stoa_world *world) {
    stoa__storage *storage = &world->storage;
    stoa__commands_free_all(world);
    stoa__log_free(world);
    stoa__archetype_fini(storage);
    stoa__entities_fini(storage);
    stoa__entities_stamps_fini(storage);
    stoa__registry_fini(storage);
    stoa__heap heap = storage->heap;
    stoa__heap_free(&heap, world, sizeof *world, _Alignof(stoa_world));
}

stoa_world *stoa_world_new(const stoa_world_desc *desc) {
    static const stoa_world_desc defaults = {0};
    desc = desc != NULL ? desc : &defaults;
    if (desc_check(desc) != STOA_OK) {
        return NULL;
    }
    stoa_allocator hooks = desc->allocator != NULL ? *desc->allocator : stoa_allocator_default();
    stoa__heap heap;
    stoa__heap_init(&heap, &hooks);
    stoa_world *world = stoa__heap_zalloc(&heap, sizeof *world, _Alignof(stoa_world));
    if (world == NULL) {
        stoa__error_memory("a world");
        return NULL;
    }
    world->storage.heap = heap;
    world->storage.chunk_size = desc->chunk_size != 0 ? desc->chunk_size : CHUNK_SIZE_MAX;
    world->storage.head.tick = desc->first_tick != 0 ? desc->first_tick : 1;
    world->swept = world->storage.head.tick;
    for (uint32_t i = 0; i < STOA__TYPES; i++) {
        world->types[i].slot = STOA__NONE;
    }
    for (uint32_t i = 0; i < STOA__WAYS; i++) {
        world->puts[i].slot = world->drops[i].slot = STOA__NONE;
    }
    if (stoa__archetype_init(&world->storage) != STOA_OK ||
        stoa__entities_init(&world->storage) != STOA_OK || stoa__commands_init(world) != STOA_OK) {
        world_destroy(world);
        return NULL;
    }
    world->on_assert = desc->on_assert;
    world->on_error = desc->on_error;
    return world;
}

static void components_drop(stoa__archetype *archetype) {
    for (int32_t c = 0; c < archetype->head.chunk_count && !archetype->plain; c++) {
        const stoa_chunk *chunk = &archetype->head.chunks[c];
        for (uint32_t i = 0; i < archetype->lane_count; i++) {
            const stoa__lane *lane = &archetype->lanes[i];
            stoa__component_drop(lane->component, chunk->columns[lane->index], chunk->count);
        }
    }
}

static void handler_free(const stoa_handler *handler) {
    if (handler->user_free != NULL) {
        handler->user_free(handler->user);
    }
}

/* Tells observers and on_remove hooks of every entity, in order of indexes. Nothing can change
 * meanwhile. */
static void entities_tell(stoa_world *world) {
    for (stoa_entity e = stoa_entity_next(world, STOA_NULL); e.index != 0;
         e = stoa_entity_next(world, e)) {
        if (stoa__react_watched(world, e)) {
            stoa__react_losing(world, e, &(stoa__delta){.dies = true});
        }
    }
}

/* Ends everything that has a user's value or function. */
static void content_free(stoa_world *world) {
    const stoa__storage *storage = &world->storage;
    stoa__commands_free_all(world);
    if (world->query_ops != NULL) {
        world->query_ops->free_all(world);
    }
    stoa__event_free_all(world);
    stoa__resource_free_all(world);
    for (uint32_t i = 0; i < storage->archetype_count; i++) {
        components_drop(storage->archetypes[i]);
    }
    for (const stoa__component *c = storage->sparse_first; c != NULL; c = c->sparse_next) {
        stoa__sparse_drop_all(c->set);
    }
    stoa__hook_free_all(world);
    stoa__extension_free_all(world);
}

void stoa_world_free(stoa_world *world) {
    if (world == NULL) {
        return;
    }
    if (world->hooks.depth > 0 ||
        (world->storage.head.open & (STOA__OPEN_FREE | STOA__OPEN_ASK)) != 0 ||
        world->events.depth > 0 || world->pins > 0 || stoa__commands_flushing(world)) {
        stoa__world_report(world, stoa__error(STOA_LOCKED, "a world cannot be freed by its hooks, "
                                                           "vetoes, listeners, commands and "
                                                           "systems"));
        return;
    }
    if ((world->storage.head.open & STOA__OPEN_HELD) != 0) {
        world_held(world);
        return;
    }
    world->storage.head.open |= STOA__OPEN_FREE;
    entities_tell(world);
    content_free(world);
    stoa_handler on_assert = world->on_assert, on_error = world->on_error;
    stoa_allocator hooks = world->storage.heap.hooks;
    world_destroy(world);
    handler_free(&on_assert);
    handler_free(&on_error);
    if (hooks.user_free != NULL) {
        hooks.user_free(hooks.user);
    }
}
