/* The plan of a prefab: its tree in full, ready to be made into entities.
 *
 * Entities are listed level by level: the root, its children by number, their children. Each is an
 * instance of a prefab; its values are those of that prefab's root, with what the prefab it is a
 * child in says of it laid over. References are resolved to positions in the list, by the numbers
 * of the prefab that the value was set in. A plan points at values of prefabs and is good as long
 * as none of those changes. Linear in the tree; nothing is recursive. */
#include <string.h>

#include "base/hash.h"
#include "model/prefab.h"

/* An entity of the tree while its plan is made. */
typedef struct frame {
    stoa_prefab *kind;
    uint32_t parent; /* the entity whose prefab has it as a child */
    uint32_t node;   /* its number there */
    uint32_t first;  /* its own first child */
} frame;

typedef struct builder {
    stoa_prefab *prefab;
    stoa__heap *heap;
    stoa__prefab_plan plan;
    frame *frames;
    uint32_t frame_count;
    uint32_t frame_capacity;
    stoa__map bundles; /* batches by their components */
} builder;

void stoa__prefab_plan_fini(stoa__heap *heap, stoa__prefab_plan *plan) {
    stoa__heap_grow_free(heap, plan->values, plan->value_capacity, sizeof *plan->values);
    stoa__heap_grow_free(heap, plan->nodes, plan->node_capacity, sizeof *plan->nodes);
    stoa__heap_grow_free(heap, plan->patches, plan->patch_capacity, sizeof *plan->patches);
    stoa__heap_grow_free(heap, plan->sources, plan->source_capacity, sizeof *plan->sources);
    stoa__heap_grow_free(heap, plan->copies, plan->copy_capacity, sizeof *plan->copies);
    stoa__heap_grow_free(heap, plan->kinds, plan->kind_capacity, sizeof *plan->kinds);
    stoa__heap_grow_free(heap, plan->batches, plan->batch_capacity, sizeof *plan->batches);
    memset(plan, 0, sizeof *plan);
}

static stoa_status memory_fail(void) {
    return stoa__error_memory("the instances of a prefab");
}

/* Notes a prefab that the plan is made of. */
static stoa_status kind_note(builder *b, stoa_prefab *kind) {
    if (kind->seen == kind->owner->walks) {
        return STOA_OK;
    }
    stoa__prefab_plan *plan = &b->plan;
    stoa_status status = stoa__prefab_shape_get(kind);
    if (status != STOA_OK) {
        return status;
    }
    if (!stoa__heap_grow(b->heap, &plan->kinds, &plan->kind_capacity, plan->kind_count + 1,
                         sizeof *plan->kinds)) {
        return memory_fail();
    }
    kind->seen = kind->owner->walks;
    plan->kinds[plan->kind_count++] = kind;
    return STOA_OK;
}

static stoa_status frame_add(builder *b, stoa_prefab *kind, uint32_t parent, uint32_t node) {
    if (b->frame_count == STOA_PREFAB_MAX) {
        return stoa__error(STOA_LIMIT, "an instance is made of at most %d entities",
                           STOA_PREFAB_MAX);
    }
    if (!stoa__heap_grow(b->heap, &b->frames, &b->frame_capacity, b->frame_count + 1,
                         sizeof *b->frames)) {
        return memory_fail();
    }
    b->frames[b->frame_count++] = (frame){.kind = kind, .parent = parent, .node = node};
    return STOA_OK;
}

/* Lists all entities, level by level. */
static stoa_status frames_list(builder *b) {
    b->prefab->owner->walks++;
    stoa_status status = frame_add(b, b->prefab, 0, 0);
    for (uint32_t i = 0; i < b->frame_count && status == STOA_OK; i++) {
        stoa_prefab *kind = b->frames[i].kind;
        b->frames[i].first = b->frame_count;
        status = kind_note(b, kind);
        for (uint32_t node = 1; status == STOA_OK && node < kind->shape.node_count; node++) {
            status = frame_add(b, kind->shape.kinds[node], i, node);
        }
    }
    return status;
}

/* Notes the references of a value, which was set in the prefab of frame `from`. */
static stoa_status refs_add(builder *b, const stoa__prefab_entry *entry, uint32_t from,
                            uint32_t entity) {
    stoa__prefab_plan *plan = &b->plan;
    const frame *home = &b->frames[from];
    if (!stoa__heap_grow(b->heap, &plan->patches, &plan->patch_capacity,
                         plan->patch_count + entry->ref_count, sizeof *plan->patches)) {
        return memory_fail();
    }
    for (uint32_t i = 0; i < entry->ref_count; i++) {
        int32_t node = entry->refs[i].node;
        if ((uint32_t)node >= home->kind->shape.node_count) {
            return stoa__error(STOA_INVALID,
                               "component '%s' refers to node %d of a prefab that has %u",
                               stoa_component_name(b->prefab->head.world, entry->id), node,
                               home->kind->shape.node_count);
        }
        uint32_t target = node == 0 ? from : home->first + (uint32_t)node - 1;
        plan->nodes[target].early = plan->nodes[target].early || target >= entity;
        plan->patches[plan->patch_count++] =
            (stoa__plan_patch){plan->value_count - 1, entry->refs[i].offset, target};
    }
    return STOA_OK;
}

/* Where a copy goes behind `size` bytes of others. */
static size_t copy_place(size_t size, size_t alignment) {
    return (size + alignment - 1) & ~(alignment - 1);
}

/* What a tag is handed over with: hooks are told that it was set. */
static const uint8_t tag_value;

/* Adds a value to those of an entity. */
static stoa_status value_add(builder *b, const stoa__prefab_entry *entry, uint32_t from,
                             uint32_t entity) {
    stoa__prefab_plan *plan = &b->plan;
    uint32_t need = plan->value_count + 1;
    if (!stoa__heap_grow(b->heap, &plan->values, &plan->value_capacity, need,
                         sizeof *plan->values) ||
        !stoa__heap_grow(b->heap, &plan->sources, &plan->source_capacity, need,
                         sizeof *plan->sources) ||
        !stoa__heap_grow(b->heap, &plan->copies, &plan->copy_capacity, need,
                         sizeof *plan->copies)) {
        return memory_fail();
    }
    const void *data = entry->data != NULL ? entry->data : &tag_value;
    plan->values[plan->value_count] = (stoa_value){
        .type = entry->type, .data = entry->zero ? NULL : data, .id = entry->id, .op = STOA_PUT};
    plan->sources[plan->value_count] = entry;
    plan->copies[plan->value_count] = STOA__PLAN_AS_IS;
    if (!entry->zero && entry->data != NULL && (entry->rich || entry->ref_count > 0)) {
        size_t at = copy_place(plan->copy_size, entry->alignment);
        plan->copies[plan->value_count] = at;
        plan->copy_size = at + entry->size;
    }
    plan->value_count++;
    if (++plan->nodes[entity].count > STOA_BUNDLE_MAX) {
        return stoa__error(STOA_LIMIT, "an entity of a prefab has over %d components",
                           STOA_BUNDLE_MAX);
    }
    return entry->ref_count > 0 ? refs_add(b, entry, from, entity) : STOA_OK;
}

/* The entries that a prefab has for one of its nodes. */
typedef struct layer {
    const stoa__prefab_entry **entries;
    uint32_t count;
    uint32_t frame; /* by whose numbers references go */
} layer;

static layer layer_get(const builder *b, uint32_t from, uint32_t node) {
    const stoa__prefab_shape *shape = &b->frames[from].kind->shape;
    uint32_t start = shape->starts[node];
    return (layer){shape->entries + start, shape->starts[node + 1] - start, from};
}

static const stoa__prefab_entry *layer_find(const layer *l, stoa_component id) {
    for (uint32_t i = 0; i < l->count; i++) {
        if (l->entries[i]->id == id) {
            return l->entries[i];
        }
    }
    return NULL;
}

/* Lists the values of an entity: those of its prefab, what it is overridden with, what it is
 * extended by. */
static stoa_status values_list(builder *b, uint32_t entity) {
    stoa__plan_node *node = &b->plan.nodes[entity];
    node->first = b->plan.value_count;
    node->patch_first = b->plan.patch_count;
    layer own = layer_get(b, entity, 0), over = {.count = 0};
    if (entity > 0) {
        over = layer_get(b, b->frames[entity].parent, b->frames[entity].node);
    }
    stoa_status status = STOA_OK;
    for (uint32_t i = 0; i < own.count && status == STOA_OK; i++) {
        const stoa__prefab_entry *other = layer_find(&over, own.entries[i]->id);
        if (other == NULL) {
            status = value_add(b, own.entries[i], own.frame, entity);
        } else if (other->state == STOA__PREFAB_PUT) {
            status = value_add(b, other, over.frame, entity);
        }
    }
    for (uint32_t i = 0; i < over.count && status == STOA_OK; i++) {
        const stoa__prefab_entry *entry = over.entries[i];
        if (entry->state == STOA__PREFAB_PUT && layer_find(&own, entry->id) == NULL) {
            status = value_add(b, entry, over.frame, entity);
        }
    }
    node->patch_count = b->plan.patch_count - node->patch_first;
    b->plan.value_most = node->count > b->plan.value_most ? node->count : b->plan.value_most;
    return status;
}

/* A number that does not depend on the order of the components. */
static uint64_t bundle_hash(const stoa_value *values, int32_t count) {
    uint64_t hash = (uint64_t)count;
    for (int32_t i = 0; i < count; i++) {
        hash += stoa__hash_mix(values[i].id);
    }
    return hash;
}

/* True if two bundles have the same components in the same order. Of those in another order each
 * gets a batch of its own, which is no harm. */
static bool bundle_same(const stoa_batch *batch, const stoa_value *values, int32_t count) {
    bool same = batch->count == count;
    for (int32_t i = 0; i < count && same; i++) {
        same = batch->values[i].id == values[i].id;
    }
    return same;
}

/* Counts an entity among those with the same bundle. */
static stoa_status batch_count(builder *b, const stoa__plan_node *node) {
    stoa__prefab_plan *plan = &b->plan;
    const stoa_value *values = plan->values + node->first;
    int32_t count = (int32_t)node->count;
    uint64_t hash = bundle_hash(values, count);
    uint32_t cursor = 0, at;
    while ((at = stoa__map_next(&b->bundles, hash, &cursor)) != STOA__MAP_NONE) {
        if (bundle_same(&plan->batches[at], values, count)) {
            plan->batches[at].entity_count++;
            return STOA_OK;
        }
    }
    if (!stoa__heap_grow(b->heap, &plan->batches, &plan->batch_capacity, plan->batch_count + 1,
                         sizeof *plan->batches) ||
        !stoa__map_reserve(&b->bundles, b->heap)) {
        return memory_fail();
    }
    stoa__map_insert(&b->bundles, hash, plan->batch_count);
    plan->batches[plan->batch_count++] = (stoa_batch){values, count, 1};
    return STOA_OK;
}

static stoa_status plan_build(builder *b) {
    stoa__prefab_plan *plan = &b->plan;
    stoa_status status = frames_list(b);
    if (status != STOA_OK) {
        return status;
    }
    if (!stoa__heap_grow(b->heap, &plan->nodes, &plan->node_capacity, b->frame_count,
                         sizeof *plan->nodes)) {
        return memory_fail();
    }
    plan->node_count = b->frame_count;
    memset(plan->nodes, 0, plan->node_count * sizeof *plan->nodes);
    for (uint32_t i = 0; i < plan->node_count && status == STOA_OK; i++) {
        status = values_list(b, i);
    }
    /* Values have stopped moving: batches may point at them. */
    for (uint32_t i = 1; i < plan->node_count && status == STOA_OK; i++) {
        status = batch_count(b, &plan->nodes[i]);
    }
    plan->copy_size = copy_place(plan->copy_size, STOA_ALIGNMENT_MAX);
    plan->simple = plan->node_count == 1 && plan->copy_size == 0;
    return status;
}

/* True if none of the prefabs that a plan is made of changed since. The shapes of those that did
 * are made anew, so that this can fail. */
static stoa_status plan_holds(const stoa__prefab_plan *plan, bool *holds) {
    *holds = plan->built != 0;
    stoa_status status = STOA_OK;
    for (uint32_t i = 0; i < plan->kind_count && *holds && status == STOA_OK; i++) {
        status = stoa__prefab_shape_get(plan->kinds[i]);
        *holds = plan->kinds[i]->shape.built <= plan->built;
    }
    return status;
}

/* stoa__prefab_plan_make with the lock held; the thread's error is set. */
static stoa_status plan_renew(stoa_prefab *prefab) {
    uint64_t changes = prefab->owner->changes;
    bool holds;
    stoa_status status = plan_holds(&prefab->plan, &holds);
    if (status != STOA_OK) {
        return status;
    }
    if (!holds) {
        builder b = {.prefab = prefab, .heap = &prefab->owner->heap, .plan.built = changes};
        status = plan_build(&b);
        stoa__map_fini(&b.bundles, b.heap);
        stoa__heap_grow_free(b.heap, b.frames, b.frame_capacity, sizeof *b.frames);
        if (status != STOA_OK) {
            stoa__prefab_plan_fini(b.heap, &b.plan);
            return status;
        }
        stoa__prefab_plan_fini(b.heap, &prefab->plan);
        prefab->plan = b.plan;
        prefab->head.mould =
            (stoa_mould){.values = b.plan.values, .count = (int32_t)b.plan.value_count};
    }
    atomic_store_explicit(&prefab->ready, changes, memory_order_release);
    return STOA_OK;
}

STOA__COLD stoa_status stoa__prefab_plan_make(stoa_prefab *prefab) {
    stoa__mutex_lock(&prefab->owner->lock);
    stoa_status status = stoa__prefab_ready(prefab) ? STOA_OK : plan_renew(prefab);
    stoa__mutex_unlock(&prefab->owner->lock);
    return stoa_world_report(prefab->head.world, status);
}

int32_t stoa_prefab_count(stoa_prefab *prefab) {
    return stoa__prefab_prepare(prefab) == STOA_OK ? (int32_t)prefab->plan.nodes[0].count : -1;
}

stoa_component stoa_prefab_component(stoa_prefab *prefab, int32_t index) {
    if (stoa__prefab_prepare(prefab) != STOA_OK) {
        return 0;
    }
    if ((uint32_t)index >= prefab->plan.nodes[0].count) {
        stoa_world_report(prefab->head.world,
                          stoa__error(STOA_INVALID, "a prefab of %u components has no number %d",
                                      prefab->plan.nodes[0].count, index));
        return 0;
    }
    return prefab->plan.values[index].id;
}

int32_t stoa_prefab_entity_count(stoa_prefab *prefab) {
    return stoa__prefab_prepare(prefab) == STOA_OK ? (int32_t)prefab->plan.node_count : -1;
}
