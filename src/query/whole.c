/* Whole-query operations: one change for everything that a query matches.
 *
 * Where archetypes match as a whole and nobody wants to know of single entities, chunks and columns
 * are moved as they are. The archetypes are those that exist when the call begins, in order of
 * their ids; entities without components come before them. Rows that a step has moved are never met
 * again: they then have what is added, or lack what is removed.
 *
 * Otherwise the entities are listed first and changed one by one. Hooks may then do as they like:
 * entities that have died or ceased to match are passed over. A step that fails is the last one;
 * what was done stays, and the call can be repeated. */
#include "query/query.h"

#include "storage/archetype.h"
#include "storage/entities.h"
#include "storage/migrate.h"
#include "storage/registry.h"
#include "world/guard.h"

/* What is done to each entity. */
typedef enum whole_kind { WHOLE_ADD, WHOLE_SET, WHOLE_REMOVE, WHOLE_DESTROY } whole_kind;

/* A call under way. The terms are copied, since a hook may free the query. */
typedef struct whole {
    stoa_world *world;
    const stoa__component *component; /* NULL when entities are destroyed */
    void *value;                      /* the call's own copy of a value, or NULL */
    void *spare;                      /* room for one more */
    whole_kind kind;
    stoa__terms terms;
} whole;

/* A list of entities. */
typedef struct listing {
    stoa_entity *entities;
    uint32_t count;
    uint32_t capacity;
} listing;

/* True if a term can tell rows of one archetype apart. */
static bool term_by_row(const stoa__term *term) {
    if (term->access == STOA_ACCESS_OPTIONAL || term->access == STOA_ACCESS_OPTIONAL_WRITE) {
        return false;
    }
    return term->access == STOA_ACCESS_CHANGED || term->access == STOA_ACCESS_ADDED ||
           (term->component->info.flags & (STOA_SPARSE | STOA_SWITCHABLE)) != 0;
}

/* The archetypes that match among 64, of the first `count`, without the empty one. */
static uint64_t match_bits(const whole *op, uint32_t word, uint32_t count) {
    uint64_t bits = stoa__terms_match(&op->world->storage, &op->terms, word);
    uint32_t left = count - word * 64;
    bits = left < 64 ? bits & (((uint64_t)1 << left) - 1) : bits;
    return word == 0 ? bits & ~(uint64_t)1 : bits;
}

/* True if any archetype that matches has rows that somebody watches. */
static bool matches_watched(const whole *op) {
    const stoa__storage *storage = &op->world->storage;
    uint32_t count = storage->archetype_count;
    for (uint32_t word = 0; word * 64 < count; word++) {
        for (uint64_t bits = match_bits(op, word, count); bits != 0; bits &= bits - 1) {
            if (storage->archetypes[word * 64 + stoa__bit_lowest(bits)]->watched) {
                return true;
            }
        }
    }
    return false;
}

/* True if entities must be changed one by one. */
static bool whole_by_entity(const whole *op) {
    const stoa__storage *storage = &op->world->storage;
    for (uint32_t i = 0; i < op->terms.count; i++) {
        if (term_by_row(&op->terms.items[i])) {
            return true;
        }
    }
    if (op->kind == WHOLE_DESTROY) {
        return storage->watch_all || storage->sparse_first != NULL ||
               op->world->events.target_count > 0 || matches_watched(op);
    }
    return storage->watch_all || op->component->hooked != 0 ||
           (op->component->info.flags & STOA_SPARSE) != 0;
}

/* True if the operation concerns entities that have the component, or, if not, those that lack it.
 */
static bool whole_concerns(const whole *op, bool has) {
    return has ? op->kind != WHOLE_ADD : op->kind != WHOLE_REMOVE;
}

/* True if the operation changes what such entities have, which hooks of theirs would forbid. */
static bool whole_moves(const whole *op, bool has) {
    return whole_concerns(op, has) && (op->kind != WHOLE_SET || !has);
}

static bool archetype_has(const whole *op, const stoa__archetype *archetype) {
    return op->component == NULL ||
           stoa__archetype_column(archetype, op->component->info.id) != NULL;
}

/* Does to the rows of an archetype what is to be done. */
static stoa_status archetype_apply(const whole *op, stoa__archetype *archetype) {
    stoa__storage *storage = &op->world->storage;
    if (op->kind == WHOLE_DESTROY) {
        stoa__migrate_destroy(storage, archetype);
        return STOA_OK;
    }
    if (op->kind == WHOLE_SET && archetype_has(op, archetype)) {
        return stoa__migrate_set(storage, archetype, op->component, op->value, op->spare);
    }
    uint32_t drop = op->kind == WHOLE_REMOVE ? STOA__KEY_DROP : 0;
    stoa__edge *edge = stoa__edge_get_one(storage, archetype, op->component->info.id | drop);
    return edge != NULL ? stoa__migrate_rows(storage, archetype, edge, op->value)
                        : stoa_last_error().status;
}

/* Applies to the archetypes that match and have the component, or lack it. */
static stoa_status archetypes_apply(const whole *op, uint32_t count, bool has) {
    const stoa__storage *storage = &op->world->storage;
    stoa_status status = STOA_OK;
    for (uint32_t word = 0; word * 64 < count; word++) {
        for (uint64_t bits = match_bits(op, word, count); bits != 0; bits &= bits - 1) {
            stoa__archetype *archetype = storage->archetypes[word * 64 + stoa__bit_lowest(bits)];
            if (archetype->head.chunk_count > 0 && archetype_has(op, archetype) == has) {
                status = archetype_apply(op, archetype);
            }
            if (status != STOA_OK) {
                return status;
            }
        }
    }
    return STOA_OK;
}

/* Applies to entities without components. */
static stoa_status empties_apply(const whole *op) {
    stoa__storage *storage = &op->world->storage;
    if (!op->terms.empty || storage->empty_count == 0 || op->kind == WHOLE_REMOVE) {
        return STOA_OK;
    }
    if (op->kind == WHOLE_DESTROY) {
        stoa__migrate_destroy_empty(storage);
        return STOA_OK;
    }
    stoa__edge *edge = stoa__edge_get_one(storage, storage->archetypes[0], op->component->info.id);
    return edge != NULL ? stoa__migrate_empty(storage, edge, op->value) : stoa_last_error().status;
}

/* STOA_LOCKED, reported, if an entity that would be changed is one whose hooks are running. */
static stoa_status chunks_locked(const whole *op) {
    const stoa_world *world = op->world;
    for (uint32_t i = 0; i < world->hooks.depth; i++) {
        stoa_entity locked = world->hooks.locked[i];
        if (stoa__entities_find(&world->storage, locked) == NULL) {
            continue;
        }
        const stoa__archetype *archetype =
            stoa__row_archetype(&world->storage, stoa__place_of(&world->storage, locked.index));
        uint64_t bits = stoa__terms_match(&world->storage, &op->terms, archetype->index / 64);
        if ((bits >> archetype->index % 64 & 1) != 0 &&
            whole_moves(op, archetype_has(op, archetype))) {
            return stoa__hook_locked(world, world->hooks.locked[i]);
        }
    }
    return STOA_OK;
}

/* Changes archetype by archetype. Those that have the component come first: later they will also
 * have rows that are done. */
static stoa_status chunks_apply(const whole *op) {
    stoa_status status = chunks_locked(op);
    if (status != STOA_OK) {
        return status;
    }
    uint32_t count = op->world->storage.archetype_count;
    if (op->kind == WHOLE_DESTROY) {
        status = empties_apply(op);
    }
    if (status == STOA_OK && whole_concerns(op, true)) {
        status = archetypes_apply(op, count, true);
    }
    if (status == STOA_OK && op->kind != WHOLE_DESTROY) {
        status = empties_apply(op);
    }
    if (status == STOA_OK && whole_concerns(op, false)) {
        status = archetypes_apply(op, count, false);
    }
    return stoa__world_report(op->world, status);
}

/* Lists the entities that match; the failure is reported. It is no run of the query. */
static stoa_status entities_list(stoa_query *query, listing *list) {
    stoa_world *world = query->head.world;
    uint32_t last_run = query->head.last_run;
    stoa_iter it = stoa_query_iter_since(query, stoa__query_since(query));
    if (it.query == NULL) {
        return stoa_last_error().status;
    }
    while (stoa_iter_next(&it)) {
        uint32_t count = (uint32_t)it.count;
        if (!stoa__heap_grow(&world->storage.heap, &list->entities, &list->capacity,
                             list->count + count, sizeof *list->entities)) {
            stoa_iter_end(&it);
            return stoa__world_report(world, stoa__error_memory("a list of entities"));
        }
        memcpy(list->entities + list->count, it.entities, count * sizeof *list->entities);
        list->count += count;
    }
    query->head.last_run = last_run;
    return STOA_OK;
}

/* Sets the component of one entity, which takes a copy of its own. The failure is reported. */
static stoa_status entity_set(const whole *op, stoa_entity e) {
    const stoa__component *component = op->component;
    if (!stoa__migrate_fill(component, op->spare, op->value, 1)) {
        return stoa__world_report(op->world, stoa_last_error().status);
    }
    stoa_status status =
        stoa_set_id(op->world, e, component->info.id, op->spare, component->info.size);
    if (status != STOA_OK) {
        stoa__component_drop(component, op->spare, 1);
    }
    return status;
}

static stoa_status entity_apply(const whole *op, stoa_entity e) {
    switch (op->kind) {
    case WHOLE_ADD:
        return stoa_add_id(op->world, e, op->component->info.id);
    case WHOLE_SET:
        return entity_set(op, e);
    case WHOLE_REMOVE:
        return stoa_remove_id(op->world, e, op->component->info.id);
    default:
        return stoa_destroy(op->world, e);
    }
}

/* STOA_LOCKED, reported, if hooks of an entity that would be changed are running. */
static stoa_status entities_locked(const whole *op, const listing *list) {
    stoa_status status = STOA_OK;
    for (uint32_t i = 0; op->world->hooks.depth > 0 && status == STOA_OK && i < list->count; i++) {
        stoa_entity e = list->entities[i];
        bool has = op->component == NULL || stoa_has_id(op->world, e, op->component->info.id);
        status = whole_moves(op, has) ? stoa__hook_locked(op->world, e) : STOA_OK;
    }
    return status;
}

/* Changes entity by entity. */
static stoa_status entities_apply(const whole *op, stoa_query *query) {
    listing list = {NULL, 0, 0};
    stoa_status status = entities_list(query, &list);
    if (status == STOA_OK) {
        status = entities_locked(op, &list);
    }
    size_t held = list.capacity * sizeof *list.entities;
    op->world->scratch += held;
    for (uint32_t i = 0; status == STOA_OK && i < list.count; i++) {
        if (stoa_alive(op->world, list.entities[i]) &&
            stoa__terms_entity(op->world, &op->terms, list.entities[i], NULL, false, NULL, NULL)) {
            status = entity_apply(op, list.entities[i]);
        }
    }
    op->world->scratch -= held;
    stoa__heap_grow_free(&op->world->storage.heap, list.entities, list.capacity,
                         sizeof *list.entities);
    return status;
}

/* Takes a copy of the value: the caller's may be in a row that the call moves. */
static stoa_status value_take(whole *op, const void *value) {
    const stoa__component *component = op->component;
    size_t size = component->info.size;
    if (op->kind != WHOLE_SET || size == 0) {
        return STOA_OK;
    }
    uint8_t *block = stoa__world_scratch(op->world, 2, size);
    if (block == NULL) {
        return stoa__error_memory("the copy of a value");
    }
    if (!stoa__migrate_fill(component, block, value, 1)) {
        stoa__world_scratch_free(op->world, block, 2, size);
        return stoa_last_error().status;
    }
    op->value = block;
    op->spare = block + size;
    return STOA_OK;
}

static void value_drop(whole *op) {
    if (op->value != NULL) {
        stoa__component_drop(op->component, op->value, 1);
        stoa__world_scratch_free(op->world, op->value, 2, op->component->info.size);
    }
}

/* Runs an operation whose arguments are right; `id` is 0 when entities are destroyed. */
static stoa_status whole_run(stoa_query *query, whole_kind kind, stoa_component id,
                             const void *value) {
    stoa_world *world = query->head.world;
    whole op = {.world = world, .kind = kind, .terms = query->terms};
    if (kind != WHOLE_DESTROY) {
        op.component = stoa__component_at(&world->storage, id);
        stoa_status status = value_take(&op, value);
        if (status != STOA_OK) {
            return stoa__world_report(world, status);
        }
    }
    stoa_status status = whole_by_entity(&op) ? entities_apply(&op, query) : chunks_apply(&op);
    value_drop(&op);
    return status;
}

/* STOA_OK if the query is there and its world may change now; otherwise reported. */
static stoa_status query_ready(const stoa_query *query) {
    if (query == NULL) {
        return stoa__world_null(NULL, "query");
    }
    const stoa_world *world = query->head.world;
    return world->storage.head.open == 0 ? STOA_OK : stoa__world_blocked(world);
}

/* The same, and the world knows the component. */
static stoa_status component_ready(const stoa_query *query, stoa_component id) {
    stoa_status status = query_ready(query);
    if (status != STOA_OK || stoa__component_known(&query->head.world->storage, id)) {
        return status;
    }
    return stoa__world_unknown(query->head.world, id);
}

/* The same for a described type, which is registered if need be. */
static stoa_status type_ready(const stoa_query *query, stoa_type *type, stoa_component *id) {
    stoa_status status = query_ready(query);
    *id = 0;
    if (status != STOA_OK) {
        return status;
    }
    if (type == NULL) {
        return stoa__world_null(query->head.world, "type");
    }
    *id = stoa__world_type(query->head.world, type);
    return *id != 0 ? STOA_OK : stoa__world_report(query->head.world, stoa_last_error().status);
}

stoa_status stoa_query_add_id(stoa_query *query, stoa_component id) {
    stoa_status status = component_ready(query, id);
    return status == STOA_OK ? whole_run(query, WHOLE_ADD, id, NULL) : status;
}

stoa_status stoa_query_set_id(stoa_query *query, stoa_component id, const void *value,
                              size_t size) {
    stoa_status status = component_ready(query, id);
    if (status != STOA_OK) {
        return status;
    }
    stoa_world *world = query->head.world;
    const stoa__component *component = stoa__component_at(&world->storage, id);
    if (size != component->info.size) {
        return stoa__world_report(world, stoa__error(STOA_INVALID,
                                                     "component '%s' has %u bytes, the value %zu",
                                                     component->name, component->info.size, size));
    }
    if (value == NULL && size != 0) {
        return stoa__world_null(world, "value");
    }
    if (!component->info.copyable) {
        return stoa__world_report(
            world,
            stoa__error(STOA_NOT_COPYABLE, "component '%s' cannot be copied", component->name));
    }
    if (!stoa__guard_allows(world, id, true)) {
        return STOA_ACCESS;
    }
    return whole_run(query, WHOLE_SET, id, value);
}

stoa_status stoa_query_remove_id(stoa_query *query, stoa_component id) {
    stoa_status status = component_ready(query, id);
    return status == STOA_OK ? whole_run(query, WHOLE_REMOVE, id, NULL) : status;
}

stoa_status stoa_query_destroy(stoa_query *query) {
    stoa_status status = query_ready(query);
    return status == STOA_OK ? whole_run(query, WHOLE_DESTROY, 0, NULL) : status;
}

stoa_status stoa_query_add_type(stoa_query *query, stoa_type *type) {
    stoa_component id;
    stoa_status status = type_ready(query, type, &id);
    return status == STOA_OK ? whole_run(query, WHOLE_ADD, id, NULL) : status;
}

stoa_status stoa_query_set_type(stoa_query *query, stoa_type *type, const void *value) {
    stoa_component id;
    stoa_status status = type_ready(query, type, &id);
    return status == STOA_OK ? stoa_query_set_id(query, id, value, type->size) : status;
}

stoa_status stoa_query_remove_type(stoa_query *query, stoa_type *type) {
    stoa_component id;
    stoa_status status = type_ready(query, type, &id);
    return status == STOA_OK ? whole_run(query, WHOLE_REMOVE, id, NULL) : status;
}
