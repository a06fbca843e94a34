/* Putting rows in another order, and holding the structure of the world.
 *
 * Everything is looked at, and the memory taken, before the first row moves. Nobody is told, since
 * no entity has come or gone. One thread at a time. */
#include "storage/permute.h"
#include "stoa/sort.h"
#include "world/world.h"

/* The archetype of a permutation, if that fits it; else NULL with the thread's error set. */
static stoa__archetype *archetype_of(const stoa_world *world, const stoa_permutation *permutation) {
    int32_t id = permutation->archetype;
    if (id < 0 || (uint32_t)id >= world->storage.archetype_count) {
        stoa__error(STOA_INVALID, "there is no archetype with the id %d", id);
        return NULL;
    }
    if (id == 0) {
        stoa__error(STOA_INVALID, "entities without components have no rows to put in order");
        return NULL;
    }
    stoa__archetype *archetype = world->storage.archetypes[id];
    uint32_t rows = stoa__archetype_rows(archetype);
    if (permutation->count < 0 || (uint32_t)permutation->count != rows) {
        stoa__error(STOA_INVALID, "archetype %d has %u rows, and the order is for %d", id, rows,
                    permutation->count);
        return NULL;
    }
    if (permutation->order == NULL && rows > 0) {
        stoa__error(STOA_NULL_ARGUMENT, "the order must not be null");
        return NULL;
    }
    return archetype;
}

static stoa__shuffle shuffle_of(const stoa_permutation *permutation) {
    return stoa__shuffle_of(permutation->order, (uint32_t)permutation->count);
}

/* Looks at all permutations but for what is in their orders; tells the most room that one needs. */
static stoa_status room_find(const stoa_world *world, const stoa_permutation *permutations,
                             int32_t count, size_t *room) {
    *room = 0;
    for (int32_t i = 0; i < count; i++) {
        const stoa__archetype *archetype = archetype_of(world, &permutations[i]);
        if (archetype == NULL) {
            return stoa_last_error().status;
        }
        stoa__shuffle shuffle = shuffle_of(&permutations[i]);
        size_t size = stoa__permute_rows_room(archetype, &shuffle);
        *room = size > *room ? size : *room;
    }
    return STOA_OK;
}

static stoa_status orders_check(const stoa_permutation *permutations, int32_t count, void *room) {
    for (int32_t i = 0; i < count; i++) {
        stoa__shuffle shuffle = shuffle_of(&permutations[i]);
        if (!stoa__shuffle_valid(&shuffle, room)) {
            return stoa__error(STOA_INVALID,
                               "the order of archetype %d does not name each row once",
                               permutations[i].archetype);
        }
    }
    return STOA_OK;
}

stoa_status stoa_permute(stoa_world *world, const stoa_permutation *permutations, int32_t count) {
    stoa_status status = stoa__world_may_change(world);
    if (status != STOA_OK) {
        return status;
    }
    if (count < 0) {
        return stoa__world_report(world, stoa__error(STOA_INVALID, "a count of %d", count));
    }
    if (permutations == NULL && count > 0) {
        return stoa__world_null(world, "permutations");
    }
    size_t size;
    status = room_find(world, permutations, count, &size);
    if (status != STOA_OK || size == 0) {
        return stoa__world_report(world, status);
    }
    void *room = stoa__world_scratch(world, 1, size);
    if (room == NULL) {
        return stoa__world_report(world, stoa__error_memory("rows that change places"));
    }
    status = orders_check(permutations, count, room);
    for (int32_t i = 0; status == STOA_OK && i < count; i++) {
        stoa__shuffle shuffle = shuffle_of(&permutations[i]);
        stoa__permute_rows(&world->storage, world->storage.archetypes[permutations[i].archetype],
                           &shuffle, room);
    }
    stoa__world_scratch_free(world, room, 1, size);
    return stoa__world_report(world, status);
}

stoa_status stoa_archetype_permute(stoa_world *world, int32_t archetype, const int32_t *order,
                                   int32_t count) {
    stoa_permutation permutation = {archetype, count, order};
    return stoa_permute(world, &permutation, 1);
}

/* Permutes a set; the order has the right length. The thread's error is set, not reported. */
static stoa_status set_permute(stoa_world *world, stoa__sparse *set, const int32_t *order) {
    stoa__shuffle shuffle = stoa__shuffle_of(order, set->count);
    size_t size = stoa__permute_set_room(set, &shuffle);
    if (size == 0) {
        return STOA_OK;
    }
    void *room = stoa__world_scratch(world, 1, size);
    if (room == NULL) {
        return stoa__error_memory("positions that change places");
    }
    stoa_status status = STOA_OK;
    if (stoa__shuffle_valid(&shuffle, room)) {
        stoa__permute_set(set, &shuffle, room);
    } else {
        status = stoa__error(STOA_INVALID,
                             "the order of sparse component '%s' does not name each position once",
                             set->component->name);
    }
    stoa__world_scratch_free(world, room, 1, size);
    return status;
}

stoa_status stoa_sparse_permute(stoa_world *world, stoa_component id, const int32_t *order,
                                int32_t count) {
    stoa_status status = stoa__world_may_change(world);
    if (status == STOA_OK) {
        status = stoa__world_knows(world, id);
    }
    if (status != STOA_OK) {
        return status;
    }
    const stoa__component *component = stoa__component_at(&world->storage, id);
    if (component->set == NULL) {
        return stoa__world_report(
            world, stoa__error(STOA_INVALID, "component '%s' is not sparse", component->name));
    }
    if (count < 0 || (uint32_t)count != component->set->count) {
        return stoa__world_report(
            world, stoa__error(STOA_INVALID,
                               "%u entities have sparse component '%s', and the order is for %d",
                               component->set->count, component->name, count));
    }
    if (order == NULL && count > 0) {
        return stoa__world_null(world, "order");
    }
    return stoa__world_report(world, set_permute(world, component->set, order));
}

stoa_status stoa_hold(stoa_world *world, const char *why) {
    stoa_status status = stoa__world_may_change(world);
    if (status != STOA_OK) {
        return status;
    }
    if (why == NULL) {
        return stoa__world_null(world, "reason");
    }
    world->held = why;
    world->storage.head.open |= STOA__OPEN_HELD;
    return STOA_OK;
}

void stoa_release(stoa_world *world) {
    if (world != NULL) {
        world->held = NULL;
        world->storage.head.open &= ~STOA__OPEN_HELD;
    }
}
