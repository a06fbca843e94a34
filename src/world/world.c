/* The world: its lifecycle, and how its failures are told. */
#include "world/world.h"

#include "storage/archetype.h"
#include "storage/entities.h"
#include "storage/registry.h"
#include "storage/row.h"

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
    stoa__archetype_fini(storage);
    stoa__entities_fini(storage);
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
    if (stoa__archetype_init(&world->storage) != STOA_OK ||
        stoa__entities_init(&world->storage) != STOA_OK) {
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
            stoa__component_drop(lane->component, chunk->data + lane->offset, chunk->count);
        }
    }
}

static void handler_free(const stoa_handler *handler) {
    if (handler->user_free != NULL) {
        handler->user_free(handler->user);
    }
}

void stoa_world_free(stoa_world *world) {
    if (world == NULL) {
        return;
    }
    if (world->query_ops != NULL) {
        world->query_ops->free_all(world);
    }
    for (uint32_t i = 0; i < world->storage.archetype_count; i++) {
        components_drop(world->storage.archetypes[i]);
    }
    stoa_handler on_assert = world->on_assert, on_error = world->on_error;
    stoa_allocator hooks = world->storage.heap.hooks;
    world_destroy(world);
    handler_free(&on_assert);
    handler_free(&on_error);
    if (hooks.user_free != NULL) {
        hooks.user_free(hooks.user);
    }
}
