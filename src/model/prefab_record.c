/* Recording instances into command buffers.
 *
 * Each entity of an instance is a creation of its own, parents before children, with copies of its
 * values; one that is referred to before its turn is created empty, then changed. What was recorded
 * of a tree is taken back if the rest of it cannot be. Threads may record instances of one prefab
 * into a buffer each, as long as nobody changes prefabs. */
#include <string.h>

#include "model/prefab.h"

/* A call that records an instance. */
typedef struct recording {
    stoa_commands *commands;
    const stoa__prefab_plan *plan;
    stoa_entity *entities;
    stoa__prefab_root root;
    stoa__prefab_copies copies;
} recording;

/* Records the entities that are referred to before it is their turn. */
static stoa_status early_record(const recording *r) {
    for (uint32_t i = 0; i < r->plan->node_count; i++) {
        if (r->plan->nodes[i].early) {
            r->entities[i] = stoa_commands_create(r->commands);
            if (stoa_entity_is_null(r->entities[i])) {
                return stoa_last_error().status;
            }
        }
    }
    return STOA_OK;
}

static stoa_status node_record(const recording *r, uint32_t node) {
    int32_t count = stoa__prefab_copies_list(&r->copies, 0, node, r->entities);
    if (r->plan->nodes[node].early) {
        return stoa_commands_change_values(r->commands, r->entities[node], r->root.list, count);
    }
    r->entities[node] = stoa_commands_create_values(r->commands, r->root.list, count);
    return stoa_entity_is_null(r->entities[node]) ? stoa_last_error().status : STOA_OK;
}

/* Records all entities or none; reported. */
static stoa_status instance_record(recording *r) {
    stoa_commands_mark mark = stoa_commands_mark_get(r->commands);
    uint32_t node = 0;
    stoa_status status = early_record(r);
    for (; node < r->plan->node_count && status == STOA_OK; node += status == STOA_OK) {
        status = node_record(r, node);
    }
    if (status != STOA_OK) {
        stoa__prefab_copies_drop(&r->copies, 0, node);
        stoa_commands_rewind(r->commands, mark);
    }
    return status;
}

/* Records an instance with what the caller gives; `entities` has room for all its handles. */
static stoa_status values_record(stoa_commands *commands, stoa_prefab *prefab,
                                 const stoa_value *values, int32_t count, stoa_entity *entities) {
    recording r;
    r.commands = commands;
    r.plan = &prefab->plan;
    r.entities = entities;
    bool tree = r.plan->node_count > 1 || r.plan->nodes[0].early;
    stoa_status status = stoa__prefab_root_read(prefab, values, count, false, tree, &r.root);
    if (status == STOA_OK) {
        status = stoa__prefab_copies_make(&r.copies, prefab, &r.root, 1);
        if (status != STOA_OK) {
            stoa__prefab_root_fini(&r.root);
        }
    }
    if (status != STOA_OK) {
        return stoa_world_report(prefab->head.world, status);
    }
    status = instance_record(&r);
    stoa__prefab_copies_free(&r.copies, status == STOA_OK);
    stoa__prefab_root_fini(&r.root);
    return status;
}

/* STOA_OK if instances of the prefab can be recorded into the buffer; otherwise reported. */
static stoa_status record_check(const stoa_commands *commands, stoa_prefab *prefab) {
    stoa_status status = stoa__prefab_usable(prefab);
    if (status != STOA_OK) {
        return status;
    }
    stoa_world *world = stoa_commands_world(commands);
    if (world == NULL) {
        return stoa_last_error().status;
    }
    return world == prefab->head.world
               ? stoa__prefab_prepare(prefab)
               : stoa_world_report(
                     prefab->head.world,
                     stoa__error(STOA_INVALID, "the prefab is not of the buffer's world"));
}

stoa_entity stoa_commands_instantiate(stoa_commands *commands, stoa_prefab *prefab,
                                      const stoa_value *values, int32_t count) {
    if (record_check(commands, prefab) != STOA_OK) {
        return STOA_NULL;
    }
    stoa_entity few[16], *entities = few;
    stoa__heap heap;
    size_t size = prefab->plan.node_count * sizeof *entities;
    if (size > sizeof few) {
        stoa__heap_init(&heap, stoa_world_allocator(prefab->head.world));
        entities = stoa__heap_alloc(&heap, size, _Alignof(stoa_entity));
        if (entities == NULL) {
            stoa_world_report(prefab->head.world, stoa__error_memory("the instances of a prefab"));
            return STOA_NULL;
        }
    }
    stoa_status status = values_record(commands, prefab, values, count, entities);
    stoa_entity root = status == STOA_OK ? entities[0] : STOA_NULL;
    if (entities != few) {
        stoa__heap_free(&heap, entities, size, _Alignof(stoa_entity));
    }
    return root;
}

stoa_status stoa_commands_instantiate_tree(stoa_commands *commands, stoa_prefab *prefab,
                                           const stoa_value *values, int32_t count,
                                           stoa_entity *entities, int32_t capacity) {
    stoa_status status = record_check(commands, prefab);
    if (status == STOA_OK) {
        status = stoa__prefab_room(prefab, entities, capacity);
    }
    return status == STOA_OK ? values_record(commands, prefab, values, count, entities) : status;
}
