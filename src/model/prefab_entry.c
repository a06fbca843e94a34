/* What a prefab says of components: its entries.
 *
 * There is one entry for each node and component that was ever named, in the order they were first
 * named; taking one back leaves it silent. A value is in a block of its own, which stays where it
 * is while the value counts. Everything that a call needs is made before the first value is moved
 * in. Setting and reading are O(1) for each layer of bases. One thread at a time. */
#include <string.h>

#include "base/hash.h"
#include "model/prefab.h"

static uint64_t key_hash(int32_t node, stoa_component id) {
    return stoa__hash_mix((uint64_t)(uint32_t)node << 32 | id);
}

/* The entry of a prefab itself, which may be silent; UINT32_MAX if there is none. */
static uint32_t entry_index(const stoa_prefab *prefab, int32_t node, stoa_component id) {
    uint64_t hash = key_hash(node, id);
    uint32_t cursor = 0, at;
    while ((at = stoa__map_next(&prefab->entries_by_key, hash, &cursor)) != STOA__MAP_NONE) {
        if (prefab->entries[at].node == node && prefab->entries[at].id == id) {
            break;
        }
    }
    return at;
}

uint32_t stoa__prefab_nodes(const stoa_prefab *prefab) {
    return (uint32_t)prefab->node_first + prefab->child_count;
}

stoa_prefab *stoa__prefab_kind(const stoa_prefab *prefab, int32_t node) {
    if (node == 0) {
        return NULL;
    }
    while (node < prefab->node_first) {
        prefab = prefab->base;
    }
    return prefab->children[node - prefab->node_first];
}

/* What the layers of a prefab say of a node; NULL if they are silent. */
static const stoa__prefab_entry *layers_look(const stoa_prefab *prefab, int32_t node,
                                             stoa_component id) {
    for (; prefab != NULL; prefab = prefab->base) {
        uint32_t at = entry_index(prefab, node, id);
        if (at != STOA__MAP_NONE && prefab->entries[at].state != STOA__PREFAB_SILENT) {
            return &prefab->entries[at];
        }
    }
    return NULL;
}

const stoa__prefab_entry *stoa__prefab_look(const stoa_prefab *prefab, int32_t node,
                                            stoa_component id) {
    const stoa__prefab_entry *found = layers_look(prefab, node, id);
    if (found == NULL && node > 0) {
        found = layers_look(stoa__prefab_kind(prefab, node), 0, id);
    }
    return found != NULL && found->state == STOA__PREFAB_PUT ? found : NULL;
}

bool stoa__prefab_value_copy(const stoa_hooks *hooks, void *to, const void *from, size_t size) {
    if (hooks->copy != NULL) {
        return hooks->copy(to, from, 1, hooks->user);
    }
    memcpy(to, from, size);
    return true;
}

void stoa__prefab_refs_free(stoa__heap *heap, stoa__prefab_ref *refs, uint32_t count) {
    stoa__heap_free(heap, refs, count * sizeof *refs, _Alignof(stoa__prefab_ref));
}

void stoa__prefab_entry_clear(stoa__heap *heap, stoa__prefab_entry *entry) {
    if (entry->data != NULL && !entry->zero) {
        stoa__prefab_value_drop(&entry->hooks, entry->data);
    }
    stoa__heap_free(heap, entry->data, entry->size, entry->alignment);
    stoa__prefab_refs_free(heap, entry->refs, entry->ref_count);
    entry->data = NULL;
    entry->refs = NULL;
    entry->ref_count = 0;
    entry->zero = false;
    entry->state = STOA__PREFAB_SILENT;
}

void stoa__prefab_entries_free(stoa_prefab *prefab) {
    stoa__heap *heap = &prefab->owner->heap;
    while (prefab->entry_count > 0) {
        stoa__prefab_entry_clear(heap, &prefab->entries[--prefab->entry_count]);
    }
    stoa__heap_grow_free(heap, prefab->entries, prefab->entry_capacity, sizeof *prefab->entries);
    prefab->entries = NULL;
    prefab->entry_capacity = 0;
    stoa__map_fini(&prefab->entries_by_key, heap);
}

/* A silent entry at the end of the list; UINT32_MAX with the thread's error set. */
static uint32_t entry_add(stoa_prefab *prefab, int32_t node, stoa_component id) {
    stoa__heap *heap = &prefab->owner->heap;
    if (!stoa__heap_grow(heap, &prefab->entries, &prefab->entry_capacity, prefab->entry_count + 1,
                         sizeof *prefab->entries) ||
        !stoa__map_reserve(&prefab->entries_by_key, heap)) {
        stoa__error_memory("a component of a prefab");
        return STOA__MAP_NONE;
    }
    uint32_t at = prefab->entry_count++;
    prefab->entries[at] = (stoa__prefab_entry){.id = id, .node = node};
    stoa__map_insert(&prefab->entries_by_key, key_hash(node, id), at);
    return at;
}

/* Takes back the entries from `count` on, which are silent. */
static void entries_cut(stoa_prefab *prefab, uint32_t count) {
    while (prefab->entry_count > count) {
        const stoa__prefab_entry *last = &prefab->entries[--prefab->entry_count];
        stoa__map_remove(&prefab->entries_by_key, key_hash(last->node, last->id),
                         prefab->entry_count);
    }
}

stoa_status stoa__prefab_entry_copy(stoa_prefab *prefab, const stoa__prefab_entry *source) {
    stoa__heap *heap = &prefab->owner->heap;
    uint32_t at = entry_add(prefab, source->node, source->id);
    if (at == STOA__MAP_NONE) {
        return STOA_NO_MEMORY;
    }
    stoa__prefab_entry made = *source;
    made.data = NULL;
    made.refs = NULL;
    if (source->data != NULL) {
        made.data = stoa__heap_alloc(heap, source->size, source->alignment);
    }
    if (source->ref_count > 0) {
        size_t size = source->ref_count * sizeof *made.refs;
        made.refs = stoa__heap_alloc(heap, size, _Alignof(stoa__prefab_ref));
        if (made.refs != NULL) {
            memcpy(made.refs, source->refs, size);
        }
    }
    stoa_status status = STOA_OK;
    if ((made.data == NULL) != (source->data == NULL) ||
        (made.refs == NULL) != (source->refs == NULL)) {
        status = stoa__error_memory("a component of a prefab");
    } else if (made.data != NULL && made.zero) {
        memset(made.data, 0, made.size);
    } else if (made.data != NULL &&
               !stoa__prefab_value_copy(&made.hooks, made.data, source->data, made.size)) {
        status = stoa__error(STOA_NO_MEMORY, "the copy hook of component '%s' failed",
                             stoa_component_name(prefab->head.world, made.id));
    }
    if (status != STOA_OK) {
        stoa__heap_free(heap, made.data, made.size, made.alignment);
        stoa__prefab_refs_free(heap, made.refs, made.ref_count);
        entries_cut(prefab, at);
        return status;
    }
    prefab->entries[at] = made;
    return STOA_OK;
}

/* One value of a call that sets some: where it goes, and what was made for it. */
typedef struct draft {
    void *data;
    stoa__prefab_ref *refs;
    stoa_component_info info;
    uint32_t at; /* of the entry */
    uint32_t ref_count;
} draft;

/* Checks a value, finds its component, and makes what it needs; the thread's error is set. */
static stoa_status draft_read(stoa_prefab *prefab, int32_t node, const stoa_value *value,
                              draft *made) {
    stoa_world *world = prefab->head.world;
    *made = (draft){.at = STOA__MAP_NONE};
    if (value->op != STOA_PUT && value->op != STOA_DROP) {
        return stoa__error(STOA_INVALID, "a value of a prefab is put or dropped");
    }
    stoa_component id = value->type != NULL ? stoa_type_find(world, value->type) : value->id;
    if (id == 0 || id > (stoa_component)stoa_component_count(world)) {
        return stoa__error(STOA_UNKNOWN, "there is no component with the id %u", id);
    }
    (void)stoa_component_info_get(world, id, &made->info);
    if ((made->info.flags & STOA_MANAGED) != 0) {
        return stoa__error(STOA_REFUSED,
                           "component '%s' is kept by an extension and cannot be in a prefab",
                           made->info.name);
    }
    if (value->op == STOA_PUT && !made->info.copyable) {
        return stoa__error(STOA_NOT_COPYABLE, "component '%s' cannot be copied", made->info.name);
    }
    made->at = entry_index(prefab, node, id);
    if (made->at == STOA__MAP_NONE) {
        made->at = entry_add(prefab, node, id);
    }
    if (made->at == STOA__MAP_NONE) {
        return STOA_NO_MEMORY;
    }
    if (value->op == STOA_DROP || made->info.size == 0) {
        return STOA_OK;
    }
    made->data = stoa__heap_alloc(&prefab->owner->heap, made->info.size, made->info.alignment);
    if (made->data == NULL) {
        return stoa__error_memory("a component of a prefab");
    }
    return value->data != NULL ? stoa__prefab_refs_find(prefab->owner, id, value->data, &made->refs,
                                                        &made->ref_count)
                               : STOA_OK;
}

/* Moves a value in; there is nothing left that could fail. */
static void draft_commit(stoa_prefab *prefab, const stoa_value *value, const draft *made) {
    stoa__heap *heap = &prefab->owner->heap;
    stoa__prefab_entry *entry = &prefab->entries[made->at];
    const stoa_hooks *hooks = &made->info.hooks;
    if (value->data != NULL && value->data == entry->data) {
        stoa__heap_free(heap, made->data, made->info.size, made->info.alignment);
        stoa__prefab_refs_free(heap, made->refs, made->ref_count);
        entry->zero = false;
        return;
    }
    if (made->data != NULL && value->data == NULL) {
        memset(made->data, 0, made->info.size);
    } else if (made->data != NULL && hooks->move != NULL) {
        hooks->move(made->data, (void *)(uintptr_t)value->data, 1, hooks->user);
    } else if (made->data != NULL) {
        memcpy(made->data, value->data, made->info.size);
    }
    stoa__prefab_entry_clear(heap, entry);
    *entry = (stoa__prefab_entry){
        .type = value->type,
        .id = entry->id,
        .node = entry->node,
        .state = value->op == STOA_DROP ? STOA__PREFAB_MASK : STOA__PREFAB_PUT,
        .zero = value->data == NULL,
        .rich = hooks->copy != NULL || hooks->move != NULL,
        .size = made->info.size,
        .alignment = made->info.alignment,
        .data = made->data,
        .hooks = *hooks,
        .refs = made->refs,
        .ref_count = made->ref_count,
    };
}

/* Frees what was made for values that are not set after all. */
static void drafts_free(stoa_prefab *prefab, const draft *drafts, int32_t count) {
    stoa__heap *heap = &prefab->owner->heap;
    for (int32_t i = 0; i < count; i++) {
        stoa__heap_free(heap, drafts[i].data, drafts[i].info.size, drafts[i].info.alignment);
        stoa__prefab_refs_free(heap, drafts[i].refs, drafts[i].ref_count);
    }
}

/* True if one of the values before is of the same component. */
static bool draft_twice(const draft *drafts, int32_t count) {
    for (int32_t i = 0; i < count; i++) {
        if (drafts[i].at == drafts[count].at) {
            return true;
        }
    }
    return false;
}

/* Sets values of a node; the thread's error is set. */
static stoa_status values_set(stoa_prefab *prefab, int32_t node, const stoa_value *values,
                              int32_t count) {
    draft small[4], *drafts = small;
    stoa__heap *heap = &prefab->owner->heap;
    size_t size = (size_t)count * sizeof *drafts;
    if (size > sizeof small) {
        drafts = stoa__heap_alloc(heap, size, _Alignof(draft));
        if (drafts == NULL) {
            return stoa__error_memory("the components of a prefab");
        }
    }
    uint32_t entry_count = prefab->entry_count;
    stoa_status status = STOA_OK;
    int32_t read = 0;
    while (read < count && status == STOA_OK) {
        status = draft_read(prefab, node, &values[read], &drafts[read]);
        if (status == STOA_OK && draft_twice(drafts, read)) {
            status = stoa__error(STOA_DUPLICATE, "component '%s' is named twice",
                                 drafts[read].info.name);
        }
        read++;
    }
    if (status == STOA_OK) {
        for (int32_t i = 0; i < count; i++) {
            draft_commit(prefab, &values[i], &drafts[i]);
        }
    } else {
        drafts_free(prefab, drafts, read);
        entries_cut(prefab, entry_count);
    }
    /* Even a failure may have moved the list that plans point into. */
    stoa__prefab_changed(prefab);
    if (drafts != small) {
        stoa__heap_free(heap, drafts, size, _Alignof(draft));
    }
    return status;
}

/* Makes sure that the world knows the types of values; otherwise reported. */
static stoa_status types_register(stoa_world *world, const stoa_value *values, int32_t count) {
    for (int32_t i = 0; i < count; i++) {
        if (values[i].type != NULL && stoa_type_register(world, values[i].type) == 0) {
            return stoa_last_error().status;
        }
    }
    return STOA_OK;
}

/* STOA_OK if the prefab may change and has that node; otherwise reported. */
static stoa_status node_check(const stoa_prefab *prefab, int32_t node) {
    stoa_status status = stoa__prefab_may_change(prefab);
    if (status == STOA_OK && (uint32_t)node >= stoa__prefab_nodes(prefab)) {
        status = stoa_world_report(
            prefab->head.world, stoa__error(STOA_INVALID, "a prefab with %u nodes has no node %d",
                                            stoa__prefab_nodes(prefab), node));
    }
    return status;
}

stoa_status stoa_prefab_node_set_values(stoa_prefab *prefab, int32_t node, const stoa_value *values,
                                        int32_t count) {
    stoa_status status = node_check(prefab, node);
    if (status != STOA_OK) {
        return status;
    }
    if (count < 0) {
        status = stoa__error(STOA_INVALID, "a bundle of %d components", count);
    } else if (count > 0 && values == NULL) {
        status = stoa__error(STOA_NULL_ARGUMENT, "the values must not be null");
    } else if (count > STOA_BUNDLE_MAX) {
        status = stoa__error(STOA_LIMIT, "a bundle of %d components is over the limit of %d", count,
                             STOA_BUNDLE_MAX);
    } else if (count > 0) {
        status = types_register(prefab->head.world, values, count);
        if (status != STOA_OK) {
            return status;
        }
        status = values_set(prefab, node, values, count);
    }
    return stoa_world_report(prefab->head.world, status);
}

stoa_status stoa_prefab_node_revert_id(stoa_prefab *prefab, int32_t node, stoa_component id) {
    stoa_status status = node_check(prefab, node);
    uint32_t at = status == STOA_OK ? entry_index(prefab, node, id) : STOA__MAP_NONE;
    if (at != STOA__MAP_NONE) {
        stoa__prefab_entry_clear(&prefab->owner->heap, &prefab->entries[at]);
        stoa__prefab_changed(prefab);
    }
    return status;
}
