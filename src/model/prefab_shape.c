/* The shape of a prefab: its layers laid over each other.
 *
 * Layers are gone through from the lowest base up. A component has the place in the order that the
 * lowest layer with it gave it, and the value of the highest. Masks are kept for children, since
 * they hide what the child's own prefab has; those of the root have done their work. Any depth of
 * bases: the way back up is a list through the prefabs. Linear in all entries of all layers. The
 * lock of the world's prefabs must be held. */
#include <string.h>

#include "base/hash.h"
#include "model/prefab.h"

void stoa__prefab_shape_fini(stoa__heap *heap, stoa__prefab_shape *shape) {
    stoa__heap_free(heap, shape->block, shape->block_size, _Alignof(max_align_t));
    *shape = (stoa__prefab_shape){.built = 0};
}

/* Entries that count so far, while layers are laid over each other. */
typedef struct stack {
    stoa__heap *heap;
    const stoa__prefab_entry **entries;
    uint32_t count;
    uint32_t capacity;
    stoa__map by_key; /* places in `entries` */
} stack;

static void stack_fini(stack *s) {
    stoa__heap_grow_free(s->heap, s->entries, s->capacity, sizeof *s->entries);
    stoa__map_fini(&s->by_key, s->heap);
}

/* Lays one entry over those below; false on lack of memory. */
static bool stack_lay(stack *s, const stoa__prefab_entry *entry) {
    uint64_t hash = stoa__hash_mix((uint64_t)(uint32_t)entry->node << 32 | entry->id);
    uint32_t cursor = 0, at;
    while (s->entries != NULL &&
           (at = stoa__map_next(&s->by_key, hash, &cursor)) != STOA__MAP_NONE) {
        if (s->entries[at]->node == entry->node && s->entries[at]->id == entry->id) {
            s->entries[at] = entry;
            return true;
        }
    }
    if (!stoa__heap_grow(s->heap, &s->entries, &s->capacity, s->count + 1, sizeof *s->entries) ||
        !stoa__map_reserve(&s->by_key, s->heap)) {
        return false;
    }
    stoa__map_insert(&s->by_key, hash, s->count);
    s->entries[s->count++] = entry;
    return true;
}

/* The lowest base of a prefab; `walk` leads from there back to the prefab. */
static const stoa_prefab *chain_begin(stoa_prefab *prefab) {
    stoa_prefab *above = NULL;
    for (; prefab != NULL; prefab = prefab->base) {
        prefab->walk = above;
        above = prefab;
    }
    return above;
}

static bool entry_counts(const stoa__prefab_entry *entry) {
    return entry->state == STOA__PREFAB_PUT ||
           (entry->state == STOA__PREFAB_MASK && entry->node != 0);
}

/* A block with room for a shape; false on lack of memory. */
static bool shape_alloc(stoa__heap *heap, stoa__prefab_shape *shape, uint32_t nodes,
                        uint32_t entries) {
    size_t pointers = (size_t)entries + nodes;
    shape->block_size = pointers * sizeof(void *) + ((size_t)nodes + 1) * sizeof(uint32_t);
    shape->block = stoa__heap_alloc(heap, shape->block_size, _Alignof(max_align_t));
    if (shape->block == NULL) {
        return false;
    }
    shape->entries = shape->block;
    shape->kinds = (stoa_prefab **)(void *)(shape->entries + entries);
    shape->starts = (uint32_t *)(void *)(shape->kinds + nodes);
    shape->node_count = nodes;
    memset(shape->starts, 0, ((size_t)nodes + 1) * sizeof(uint32_t));
    return true;
}

/* Sorts the entries that count by node, keeping their order in each. */
static void shape_fill(stoa__prefab_shape *shape, const stack *s) {
    for (uint32_t i = 0; i < s->count; i++) {
        shape->starts[s->entries[i]->node + 1] += entry_counts(s->entries[i]);
    }
    for (uint32_t node = 0; node < shape->node_count; node++) {
        shape->starts[node + 1] += shape->starts[node];
    }
    shape->entry_count = shape->starts[shape->node_count];
    for (uint32_t i = 0; i < s->count; i++) {
        if (entry_counts(s->entries[i])) {
            shape->entries[shape->starts[s->entries[i]->node]++] = s->entries[i];
        }
    }
    memmove(shape->starts + 1, shape->starts, shape->node_count * sizeof *shape->starts);
    shape->starts[0] = 0;
}

/* Makes the shape anew; false on lack of memory, with the old one kept. */
static bool shape_build(stoa_prefab *prefab) {
    stoa__heap *heap = &prefab->owner->heap;
    stack s = {.heap = heap};
    stoa__prefab_shape made = {.built = prefab->owner->changes};
    bool done = true;
    const stoa_prefab *lowest = chain_begin(prefab);
    for (const stoa_prefab *layer = lowest; layer != NULL && done; layer = layer->walk) {
        for (uint32_t i = 0; i < layer->entry_count && done; i++) {
            const stoa__prefab_entry *entry = &layer->entries[i];
            done = entry->state == STOA__PREFAB_SILENT || stack_lay(&s, entry);
        }
    }
    uint32_t nodes = stoa__prefab_nodes(prefab);
    done = done && shape_alloc(heap, &made, nodes, s.count);
    if (done) {
        shape_fill(&made, &s);
        made.kinds[0] = NULL;
        for (const stoa_prefab *layer = lowest; layer != NULL; layer = layer->walk) {
            for (uint32_t i = 0; i < layer->child_count; i++) {
                made.kinds[(uint32_t)layer->node_first + i] = layer->children[i];
            }
        }
        stoa__prefab_shape_fini(heap, &prefab->shape);
        prefab->shape = made;
    }
    stack_fini(&s);
    return done;
}

/* True if no layer changed since the shape was made. */
static bool shape_holds(const stoa_prefab *prefab) {
    uint64_t built = prefab->shape.built;
    for (; prefab != NULL; prefab = prefab->base) {
        if (prefab->changed > built) {
            return false;
        }
    }
    return true;
}

stoa_status stoa__prefab_shape_get(stoa_prefab *prefab) {
    uint64_t changes = prefab->owner->changes;
    if (prefab->shape.good != changes) {
        if (!shape_holds(prefab) && !shape_build(prefab)) {
            return stoa__error_memory("the components of a prefab");
        }
        prefab->shape.good = changes;
    }
    return STOA_OK;
}
