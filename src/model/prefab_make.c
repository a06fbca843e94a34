/* Making instances that are one entity each.
 *
 * A prefab whose values are bytes is a bundle that is ready: making one is one call. Otherwise
 * copies are made first, and dropped if the call fails. Many at once are one call too: what is the
 * same for all is given once, what has hooks as a column of copies. Instances that are more than
 * one entity are made by prefab_tree.c. */
#include <string.h>

#include "model/prefab.h"

/* True if an instance is one entity that need not be known to its own values. */
static bool plan_alone(const stoa__prefab_plan *plan) {
    return plan->node_count == 1 && !plan->nodes[0].early;
}

/* Makes an instance with copies of what needs them, and with the caller's values. */
static stoa_entity instance_make(stoa_prefab *prefab, const stoa_value *values, int32_t count) {
    stoa__prefab_root root;
    stoa__prefab_copies copies;
    stoa_status status = stoa__prefab_root_read(prefab, values, count, false, false, &root);
    if (status == STOA_OK) {
        status = stoa__prefab_copies_make(&copies, prefab, &root, 1);
        if (status != STOA_OK) {
            stoa__prefab_root_fini(&root);
        }
    }
    if (status != STOA_OK) {
        stoa_world_report(prefab->head.world, status);
        return STOA_NULL;
    }
    int32_t listed = stoa__prefab_copies_list(&copies, 0, 0, NULL);
    stoa_entity e = stoa_create_values(prefab->head.world, root.list, listed);
    if (stoa_entity_is_null(e)) {
        stoa__prefab_copies_drop(&copies, 0, 0);
    }
    stoa__prefab_copies_free(&copies, false);
    stoa__prefab_root_fini(&root);
    return e;
}

stoa_entity stoa_prefab_instantiate_values(stoa_prefab *prefab, const stoa_value *values,
                                           int32_t count) {
    if (stoa__prefab_prepare(prefab) != STOA_OK) {
        return STOA_NULL;
    }
    if (plan_alone(&prefab->plan)) {
        return instance_make(prefab, values, count);
    }
    stoa_entity root = STOA_NULL;
    (void)stoa__prefab_trees(prefab, 1, &root, true, values, count, false);
    return root;
}

/* Makes the first instance that is made of a mould that is ready and small: later ones need no
 * call. It comes after that, since its hooks may free the prefab. */
STOA__APART static stoa_entity instantiate_open(stoa_prefab *prefab) {
    stoa_prefab_head *head = &prefab->head;
    if (((const stoa_world_head *)(const void *)head->world)->open == 0) {
        if (head->epoch == 0) {
            prefab->open = prefab->owner->open;
            prefab->owner->open = prefab;
        }
        head->epoch = head->mould.epoch;
    }
    return stoa_create_mould(head->world, &head->mould);
}

/* Makes an instance of a simple prefab whose plan is good. */
STOA__INLINE stoa_entity simple_make(stoa_prefab *prefab) {
    stoa_mould *mould = &prefab->head.mould;
    return mould->target != NULL && mould->epoch != prefab->head.epoch
               ? instantiate_open(prefab)
               : stoa_create_mould(prefab->head.world, mould);
}

/* stoa_prefab_instantiate_any for what is not simple, or not ready. */
STOA__APART static stoa_entity instantiate_long(stoa_prefab *prefab) {
    if (stoa__prefab_prepare(prefab) != STOA_OK) {
        return STOA_NULL;
    }
    return prefab->plan.simple ? simple_make(prefab)
                               : stoa_prefab_instantiate_values(prefab, NULL, 0);
}

/* A prefab that was freed has no plan. */
stoa_entity stoa_prefab_instantiate_any(stoa_prefab *prefab) {
    return STOA_LIKELY(prefab != NULL && prefab->plan.simple && stoa__prefab_ready(prefab))
               ? simple_make(prefab)
               : instantiate_long(prefab);
}

/* The columns of many instances: those of the prefab, with the caller's over them. */
typedef struct columns {
    stoa__heap heap;
    stoa__prefab_root root;
    const stoa_prefab *prefab;
    int32_t times;
} columns;

/* The value that a column is copies of; NULL if there are no copies in it. */
static const stoa__prefab_entry *column_source(const columns *c, uint32_t i) {
    uint32_t value = c->root.from[i].plan_value;
    return value != UINT32_MAX && c->prefab->plan.copies[value] != STOA__PLAN_AS_IS
               ? c->prefab->plan.sources[value]
               : NULL;
}

static void items_drop(const stoa__prefab_entry *entry, void *items, int32_t count) {
    if (entry->hooks.drop != NULL && count > 0) {
        entry->hooks.drop(items, count, entry->hooks.user);
    }
}

/* Frees the columns before number `end`; their values are dropped unless they were `moved`. */
static void columns_free(columns *c, uint32_t end, bool moved) {
    for (uint32_t i = 0; i < end; i++) {
        const stoa__prefab_entry *entry = column_source(c, i);
        if (entry != NULL) {
            void *items = (void *)(uintptr_t)c->root.list[i].data;
            items_drop(entry, items, moved ? 0 : c->times);
            stoa__heap_free(&c->heap, items, (size_t)c->times * entry->size, entry->alignment);
        }
    }
    stoa__prefab_root_fini(&c->root);
}

/* A column of copies of a value; NULL with the thread's error set. */
static void *column_copy(columns *c, const stoa__prefab_entry *entry) {
    size_t count = (size_t)c->times;
    uint8_t *items = entry->size <= PTRDIFF_MAX / count
                         ? stoa__heap_alloc(&c->heap, count * entry->size, entry->alignment)
                         : NULL;
    if (items == NULL) {
        stoa__error_memory("the instances of a prefab");
        return NULL;
    }
    for (int32_t i = 0; i < c->times; i++) {
        if (!stoa__prefab_value_copy(&entry->hooks, items + (size_t)i * entry->size, entry->data,
                                     entry->size)) {
            stoa__error(STOA_NO_MEMORY, "the copy hook of component '%s' failed",
                        stoa_component_name(c->prefab->head.world, entry->id));
            items_drop(entry, items, i);
            stoa__heap_free(&c->heap, items, count * entry->size, entry->alignment);
            return NULL;
        }
    }
    return items;
}

/* Lists the columns in the root's `list`; the thread's error is set. */
static stoa_status columns_make(columns *c) {
    stoa__heap_init(&c->heap, stoa_world_allocator(c->prefab->head.world));
    for (uint32_t i = 0; i < c->root.count; i++) {
        stoa_value value = c->root.values[i];
        const stoa__prefab_entry *entry = column_source(c, i);
        if (entry != NULL) {
            value.data = column_copy(c, entry);
            if (value.data == NULL) {
                columns_free(c, i, false);
                return STOA_NO_MEMORY;
            }
        } else if (c->root.from[i].plan_value != UINT32_MAX && value.data != NULL) {
            value.op = STOA_PUT_SAME;
        }
        c->root.list[i] = value;
    }
    return STOA_OK;
}

stoa_status stoa_prefab_instantiate_bulk(stoa_prefab *prefab, int32_t entity_count,
                                         stoa_entity *entities, const stoa_value *columns_given,
                                         int32_t count) {
    stoa_status status = stoa__prefab_prepare(prefab);
    if (status != STOA_OK) {
        return status;
    }
    if (entity_count < 0) {
        return stoa_world_report(prefab->head.world,
                                 stoa__error(STOA_INVALID, "a count of %d entities", entity_count));
    }
    if (!plan_alone(&prefab->plan)) {
        return stoa__prefab_trees(prefab, entity_count, entities, true, columns_given, count, true);
    }
    columns c;
    c.prefab = prefab;
    c.times = entity_count > 0 ? entity_count : 1;
    status = stoa__prefab_root_read(prefab, columns_given, count, true, false, &c.root);
    if (status == STOA_OK) {
        status = columns_make(&c);
    }
    if (status != STOA_OK) {
        return stoa_world_report(prefab->head.world, status);
    }
    prefab->owner->busy++;
    status = stoa_create_bulk_values(prefab->head.world, entity_count, entities, c.root.list,
                                     (int32_t)c.root.count);
    prefab->owner->busy--;
    columns_free(&c, c.root.count, status == STOA_OK && entity_count > 0);
    return status;
}
