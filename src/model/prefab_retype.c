/* Values of prefabs whose components get other descriptions, and code that is about to go.
 *
 * For every value that a prefab holds, be it a base's, a variant's or that of a node, the entry as
 * it will be is made beside the one that is there; a swap exchanges both, and plans are made anew.
 * Prefabs are known by their serials meanwhile, since a setup may free one. O(entries). Taking back
 * and freeing need no memory. One thread at a time. */
#include "model/prefab.h"

#include <string.h>

static void others_free(stoa__prefabs *owner) {
    while (owner->other_count > 0) {
        stoa__prefab_other *other = &owner->others[--owner->other_count];
        if (!other->shared) {
            stoa__prefab_entry_clear(&owner->heap, &other->entry);
        }
    }
    stoa__heap_grow_free(&owner->heap, owner->others, owner->other_capacity, sizeof *owner->others);
    owner->others = NULL;
    owner->other_capacity = 0;
}

/* Makes the value of an entry in its new form, and finds the references in it. */
static stoa_status value_make(stoa__prefabs *owner, stoa_retype *retype,
                              const stoa__prefab_entry *entry, stoa__prefab_entry *made) {
    void *data = stoa__heap_alloc(&owner->heap, made->size, made->alignment);
    if (data == NULL) {
        return stoa__error_memory("a component of a prefab");
    }
    stoa_status status = STOA_OK;
    if (entry->zero) {
        memset(data, 0, made->size);
    } else {
        status = stoa_retype_make(retype, entry->id, entry->data, data, 1);
    }
    if (status != STOA_OK) {
        stoa__heap_free(&owner->heap, data, made->size, made->alignment);
        return status;
    }
    made->data = data;
    if (!entry->zero) {
        stoa_retype_show(retype, true);
        status = stoa__prefab_refs_find(owner, entry->id, data, &made->refs, &made->ref_count);
        stoa_retype_show(retype, false);
    }
    if (status != STOA_OK) {
        stoa__prefab_entry_clear(&owner->heap, made);
    }
    return status;
}

/* Makes an entry as it will be; one whose layout stays shares the value. */
static stoa_status other_make(stoa_prefab *prefab, uint32_t at, stoa_retype *retype,
                              const stoa_retype_change *change) {
    stoa__prefabs *owner = prefab->owner;
    const stoa__prefab_entry *entry = &prefab->entries[at];
    const stoa_component_info *after = &change->after;
    if (!after->copyable) {
        return stoa__error(STOA_REFUSED,
                           "prefab '%s' keeps a value of component '%s', which can be copied no "
                           "more",
                           prefab->name != NULL ? prefab->name : "", after->name);
    }
    if (!stoa__heap_grow(&owner->heap, &owner->others, &owner->other_capacity,
                         owner->other_count + 1, sizeof *owner->others)) {
        return stoa__error_memory("a component of a prefab");
    }
    stoa__prefab_other *other = &owner->others[owner->other_count];
    *other = (stoa__prefab_other){
        .serial = prefab->serial,
        .at = at,
        .shared = !change->layout,
        .entry = {.id = entry->id,
                  .node = entry->node,
                  .state = entry->state,
                  .zero = entry->zero,
                  .rich = after->hooks.copy != NULL || after->hooks.move != NULL,
                  .size = after->size,
                  .alignment = after->alignment,
                  .hooks = after->hooks}};
    stoa_status status = other->shared ? STOA_OK : value_make(owner, retype, entry, &other->entry);
    owner->other_count += status == STOA_OK;
    return status;
}

static stoa_status others_make(stoa__prefabs *owner, stoa_retype *retype) {
    stoa_status status = STOA_OK;
    for (uint32_t i = 0; i < owner->count && status == STOA_OK; i++) {
        stoa_prefab *prefab = owner->items[i];
        for (uint32_t k = 0; k < prefab->entry_count && status == STOA_OK; k++) {
            stoa_retype_change change;
            if (prefab->entries[k].data != NULL &&
                stoa_retype_change_get(retype, prefab->entries[k].id, &change)) {
                status = other_make(prefab, k, retype, &change);
            }
        }
    }
    if (status != STOA_OK) {
        others_free(owner);
    }
    return status;
}

/* Exchanges an entry with what it is to be, or was. */
static void other_exchange(const stoa__prefabs *owner, stoa__prefab_other *other) {
    stoa_prefab *prefab = stoa__prefab_by_serial(owner, other->serial);
    if (prefab == NULL || other->at >= prefab->entry_count) {
        return;
    }
    stoa__prefab_entry *entry = &prefab->entries[other->at], old = *entry;
    if (other->shared) {
        entry->type = other->entry.type;
        entry->rich = other->entry.rich;
        entry->hooks = other->entry.hooks;
    } else {
        *entry = other->entry;
    }
    other->entry = old;
    stoa__prefab_changed(prefab);
}

stoa_status stoa__prefabs_retype(stoa_world *world, void *data, stoa_retype *retype,
                                 stoa_retype_step step) {
    stoa__prefabs *owner = data;
    (void)world;
    switch (step) {
    case STOA_RETYPE_MAKE:
        return others_make(owner, retype);
    case STOA_RETYPE_SWAP:
        for (uint32_t i = 0; i < owner->other_count; i++) {
            other_exchange(owner, &owner->others[i]);
        }
        break;
    case STOA_RETYPE_END:
        others_free(owner);
        break;
    }
    return STOA_OK;
}

static bool hooks_lead(const stoa_hooks *hooks, const stoa_code *code) {
    return stoa_code_has(code, &hooks->drop, sizeof hooks->drop) ||
           stoa_code_has(code, &hooks->move, sizeof hooks->move) ||
           stoa_code_has(code, &hooks->copy, sizeof hooks->copy) ||
           stoa_code_has(code, &hooks->user, sizeof hooks->user);
}

/* True if an entry is to be taken back, so that what it holds must stay. */
static bool entry_pending(const stoa__prefabs *owner, const stoa_prefab *prefab, uint32_t at) {
    for (uint32_t i = 0; i < owner->other_count; i++) {
        if (owner->others[i].serial == prefab->serial && owner->others[i].at == at) {
            return true;
        }
    }
    return false;
}

/* Takes its functions away from an entry, as from the component: a value that must be dropped is,
 * and leaves zeroes. */
static void entry_strip(stoa__heap *heap, stoa__prefab_entry *entry) {
    if (entry->hooks.drop != NULL && entry->data != NULL) {
        if (!entry->zero) {
            stoa__prefab_value_drop(&entry->hooks, entry->data);
        }
        memset(entry->data, 0, entry->size);
        entry->zero = true;
        stoa__prefab_refs_free(heap, entry->refs, entry->ref_count);
        entry->refs = NULL;
        entry->ref_count = 0;
    }
    entry->hooks = (stoa_hooks){.drop = NULL};
    entry->rich = false;
}

void stoa__prefabs_forget(stoa_world *world, void *data, const stoa_code *code) {
    (void)world;
    stoa__prefabs *owner = data;
    for (uint32_t i = 0; i < owner->count; i++) {
        stoa_prefab *prefab = owner->items[i];
        for (uint32_t k = 0; k < prefab->entry_count; k++) {
            stoa__prefab_entry *entry = &prefab->entries[k];
            bool leads = hooks_lead(&entry->hooks, code) && !entry_pending(owner, prefab, k);
            if (leads) {
                entry_strip(&owner->heap, entry);
            }
            /* Descriptors that go are not needed: the component is known by its id. */
            if (leads || stoa_code_has(code, &entry->type, sizeof entry->type)) {
                entry->type = NULL;
                stoa__prefab_changed(prefab);
            }
        }
    }
}
