/* Making instances that are trees of entities.
 *
 * First everything that can fail for lack of memory: copies of values, rows and slots for all
 * entities. Then entities are made in the order of the plan, parents before children. One that a
 * value refers to before it is its turn is made empty at once and given its components when its
 * turn comes, so that each is placed once and a value never holds a dead handle. A veto, or a hook
 * that took the room, can still stop this half way: what was made is destroyed again, last first.
 * While it goes on prefabs cannot change. */
#include <string.h>

#include "model/prefab.h"

/* A call that makes trees. */
typedef struct trees {
    stoa_prefab *prefab;
    const stoa__prefab_plan *plan;
    int32_t count;
    stoa__heap heap;
    stoa_entity *entities; /* of all trees, one tree after the other; null until made */
    size_t entity_count;
    stoa__prefab_root root;
    stoa__prefab_copies copies;
} trees;

/* Makes room for all entities, so that making them needs no memory. */
static stoa_status room_make(trees *t) {
    uint32_t count = t->plan->batch_count + 1;
    size_t size = count * sizeof(stoa_batch);
    stoa_batch *batches = stoa__heap_alloc(&t->heap, size, _Alignof(stoa_batch));
    if (batches == NULL) {
        return stoa_world_report(t->prefab->head.world,
                                 stoa__error_memory("the instances of a prefab"));
    }
    for (uint32_t i = 0; i + 1 < count; i++) {
        batches[i] = t->plan->batches[i];
        batches[i].entity_count *= t->count;
    }
    for (uint32_t i = 0; i < t->root.count; i++) {
        t->root.list[i] = t->root.values[i];
        t->root.list[i].op = STOA_PUT;
    }
    batches[count - 1] = (stoa_batch){t->root.list, (int32_t)t->root.count, t->count};
    stoa_status status = stoa_reserve_batches(t->prefab->head.world, batches, (int32_t)count);
    stoa__heap_free(&t->heap, batches, size, _Alignof(stoa_batch));
    return status;
}

/* Makes one entity of a tree; reported. One that a hook destroyed before its turn is left out. */
static stoa_status node_make(trees *t, int32_t tree, uint32_t node) {
    stoa_world *world = t->prefab->head.world;
    stoa_entity *entities = t->entities + (size_t)tree * t->plan->node_count;
    bool early = t->plan->nodes[node].early;
    if (early && !stoa_alive(world, entities[node])) {
        stoa__prefab_copies_drop_node(&t->copies, tree, node);
        return STOA_OK;
    }
    int32_t count = stoa__prefab_copies_list(&t->copies, tree, node, entities);
    if (early) {
        return stoa_change_values(world, entities[node], t->root.list, count);
    }
    entities[node] = stoa_create_values(world, t->root.list, count);
    return stoa_entity_is_null(entities[node]) ? stoa_last_error().status : STOA_OK;
}

/* Makes the entities of a tree whose handles are needed before it is their turn. */
static stoa_status early_make(trees *t, int32_t tree) {
    stoa_entity *entities = t->entities + (size_t)tree * t->plan->node_count;
    for (uint32_t i = 0; i < t->plan->node_count; i++) {
        if (t->plan->nodes[i].early) {
            entities[i] = stoa_create(t->prefab->head.world);
            if (stoa_entity_is_null(entities[i])) {
                return stoa_last_error().status;
            }
        }
    }
    return STOA_OK;
}

/* Destroys what was made, last first. The failure that led to it stays the thread's last error. */
static void trees_undo(const trees *t, stoa_status status) {
    char message[256];
    const char *said = stoa_last_error().message;
    size_t length = strlen(said);
    length = length < sizeof message ? length : sizeof message - 1;
    memcpy(message, said, length);
    message[length] = '\0';
    /* One that others of the tree keep from going can go when those have gone. */
    bool kept, gone;
    do {
        kept = gone = false;
        for (size_t i = t->entity_count; i-- > 0;) {
            if (stoa_alive(t->prefab->head.world, t->entities[i])) {
                bool goes = stoa_destroy(t->prefab->head.world, t->entities[i]) == STOA_OK;
                gone = gone || goes;
                kept = kept || !goes;
            }
        }
    } while (kept && gone);
    stoa__error(status, "%s", message);
}

static stoa_status trees_make(trees *t) {
    stoa_status status = room_make(t);
    int32_t tree = 0;
    uint32_t node = 0;
    t->prefab->owner->busy++;
    for (; tree < t->count && status == STOA_OK; tree += status == STOA_OK) {
        status = early_make(t, tree);
        for (node = 0; node < t->plan->node_count && status == STOA_OK; node += status == STOA_OK) {
            status = node_make(t, tree, node);
        }
    }
    if (status != STOA_OK) {
        stoa__prefab_copies_drop(&t->copies, tree, node);
        trees_undo(t, status);
    }
    t->prefab->owner->busy--;
    return status;
}

/* Gives the caller the handles of all entities, or of the roots. */
static void handles_give(const trees *t, stoa_entity *entities, bool roots_only) {
    if (!roots_only) {
        memcpy(entities, t->entities, t->entity_count * sizeof *entities);
        return;
    }
    for (int32_t i = 0; i < t->count && entities != NULL; i++) {
        entities[i] = t->entities[(size_t)i * t->plan->node_count];
    }
}

/* Makes trees with what was read and copied. */
static stoa_status trees_run(trees *t, stoa_entity *entities, bool roots_only) {
    size_t size = t->entity_count * sizeof *t->entities;
    t->entities = stoa__heap_zalloc(&t->heap, size, _Alignof(stoa_entity));
    if (t->entities == NULL) {
        stoa__prefab_copies_drop(&t->copies, 0, 0);
        return stoa_world_report(t->prefab->head.world,
                                 stoa__error_memory("the instances of a prefab"));
    }
    stoa_status status = trees_make(t);
    if (status == STOA_OK) {
        handles_give(t, entities, roots_only);
    }
    stoa__heap_free(&t->heap, t->entities, size, _Alignof(stoa_entity));
    return status;
}

stoa_status stoa__prefab_trees(stoa_prefab *prefab, int32_t tree_count, stoa_entity *entities,
                               bool roots_only, const stoa_value *columns, int32_t count,
                               bool as_columns) {
    trees t;
    t.prefab = prefab;
    t.plan = &prefab->plan;
    t.count = tree_count;
    t.entities = NULL;
    t.entity_count = (size_t)tree_count * prefab->plan.node_count;
    stoa__heap_init(&t.heap, stoa_world_allocator(prefab->head.world));
    stoa_status status = STOA_OK;
    if (t.entity_count > STOA_ENTITY_MAX) {
        status = stoa__error(STOA_LIMIT, "a world holds at most %d entities", STOA_ENTITY_MAX);
    }
    if (status == STOA_OK) {
        status = stoa__prefab_root_read(prefab, columns, count, as_columns, true, &t.root);
    }
    if (status == STOA_OK) {
        status = stoa__prefab_copies_make(&t.copies, prefab, &t.root, tree_count);
        if (status != STOA_OK) {
            stoa__prefab_root_fini(&t.root);
        }
    }
    if (status != STOA_OK) {
        return stoa_world_report(prefab->head.world, status);
    }
    if (tree_count > 0) {
        status = trees_run(&t, entities, roots_only);
    }
    stoa__prefab_copies_free(&t.copies, status == STOA_OK && tree_count > 0);
    stoa__prefab_root_fini(&t.root);
    return status;
}

stoa_status stoa__prefab_room(const stoa_prefab *prefab, const stoa_entity *entities,
                              int32_t capacity) {
    if (entities == NULL) {
        return stoa_world_report(prefab->head.world,
                                 stoa__error(STOA_NULL_ARGUMENT, "the entities must not be null"));
    }
    if (capacity < 0 || (uint32_t)capacity < prefab->plan.node_count) {
        return stoa_world_report(prefab->head.world,
                                 stoa__error(STOA_INVALID,
                                             "room for %d handles, %u entities are made", capacity,
                                             prefab->plan.node_count));
    }
    return STOA_OK;
}

stoa_status stoa_prefab_instantiate_tree(stoa_prefab *prefab, const stoa_value *values,
                                         int32_t count, stoa_entity *entities, int32_t capacity) {
    stoa_status status = stoa__prefab_prepare(prefab);
    if (status == STOA_OK) {
        status = stoa__prefab_room(prefab, entities, capacity);
    }
    return status == STOA_OK ? stoa__prefab_trees(prefab, 1, entities, false, values, count, false)
                             : status;
}
