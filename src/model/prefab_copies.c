/* What instances are made with: the values of the root, and copies of values.
 *
 * Values that are bytes are handed over as they are. Those with a copy or move hook, and those with
 * references in them, are copied first, for all instances of a call, so that a copy hook that fails
 * does so before anything is made. Copies stand in one block, instance after instance, in the order
 * in which they are handed over: what is not yet handed over is always the rest of it. */
#include <string.h>

#include "model/prefab.h"

#define CALLERS UINT32_MAX

/* Room for the values of the root and for those of any node; false on lack of memory. */
static bool root_alloc(const stoa_prefab *prefab, uint32_t given, stoa__prefab_root *root) {
    const stoa__prefab_plan *plan = &prefab->plan;
    size_t most = plan->nodes[0].count + given;
    most = most > plan->value_most ? most : plan->value_most;
    root->values = root->values_few;
    root->list = root->list_few;
    root->from = root->from_few;
    root->dropped = root->dropped_few;
    root->block = NULL;
    if (most <= STOA__ROOT_FEW) {
        return true;
    }
    stoa__heap_init(&root->heap, stoa_world_allocator(prefab->head.world));
    root->block_size = most * (2 * sizeof *root->values + sizeof *root->from + sizeof(bool));
    root->block = stoa__heap_alloc(&root->heap, root->block_size, _Alignof(max_align_t));
    if (root->block != NULL) {
        root->values = root->block;
        root->list = root->values + most;
        root->from = (stoa__root_source *)(void *)(root->list + most);
        root->dropped = (bool *)(void *)(root->from + most);
    }
    return root->block != NULL;
}

void stoa__prefab_root_fini(stoa__prefab_root *root) {
    if (root->block != NULL) {
        stoa__heap_free(&root->heap, root->block, root->block_size, _Alignof(max_align_t));
    }
}

/* Starts with the values of the plan. */
static void root_begin(const stoa__prefab_plan *plan, stoa__prefab_root *root) {
    root->count = plan->nodes[0].count;
    root->copy_size = plan->copy_size;
    for (uint32_t i = 0; i < root->count; i++) {
        root->values[i] = plan->values[i];
        root->from[i].plan_value = i;
        root->from[i].copied = false;
        root->dropped[i] = false;
    }
}

/* The place of a component, or the end. */
static uint32_t root_find(const stoa__prefab_root *root, stoa_component id) {
    uint32_t at = 0;
    while (at < root->count && (id == 0 || root->values[at].id != id)) {
        at++;
    }
    return at;
}

/* What is known of the component of a caller's value, whether or not the world has met it. */
static void value_info(const stoa_prefab *prefab, const stoa_value *value, stoa_component id,
                       stoa_component_info *info) {
    if (id != 0) {
        (void)stoa_component_info_get(prefab->head.world, id, info);
        return;
    }
    *info = (stoa_component_info){.name = value->type->identifier,
                                  .size = value->type->size,
                                  .alignment = value->type->alignment,
                                  .hooks = value->type->options.hooks};
}

/* Learns of a caller's value what it takes to copy it. */
static stoa_status source_read(const stoa_component_info *info, const stoa_value *value,
                               bool copied, stoa__prefab_root *root, stoa__root_source *source) {
    const stoa_hooks *hooks = &info->hooks;
    *source = (stoa__root_source){.plan_value = CALLERS, .size = info->size, .hooks = *hooks};
    bool rich = hooks->drop != NULL || hooks->move != NULL || hooks->copy != NULL;
    if (!copied || value->data == NULL || info->size == 0) {
        return STOA_OK;
    }
    if (hooks->drop != NULL && hooks->copy == NULL) {
        return stoa__error(STOA_NOT_COPYABLE, "component '%s' of a tree's root cannot be copied",
                           info->name);
    }
    if (rich && value->op == STOA_PUT_SAME) {
        return stoa__error(STOA_INVALID, "component '%s' is more than bytes and needs a column",
                           info->name);
    }
    source->copied = true;
    source->copy = (root->copy_size + info->alignment - 1) & ~((size_t)info->alignment - 1);
    root->copy_size = source->copy + source->size;
    return STOA_OK;
}

/* Lays one value of the caller's over the others. */
static stoa_status root_lay(const stoa_prefab *prefab, const stoa_value *value, bool columns,
                            bool copied, stoa__prefab_root *root) {
    if (value->op != STOA_PUT && value->op != STOA_DROP &&
        !(columns && value->op == STOA_PUT_SAME)) {
        return stoa__error(STOA_INVALID, "a value for an instance is put or dropped");
    }
    stoa_component id =
        value->type != NULL ? stoa_type_find(prefab->head.world, value->type) : value->id;
    if (value->type == NULL &&
        (id == 0 || id > (stoa_component)stoa_component_count(prefab->head.world))) {
        return stoa__error(STOA_UNKNOWN, "there is no component with the id %u", id);
    }
    uint32_t at = root_find(root, id);
    if (at == root->count) {
        if (value->op == STOA_DROP) {
            return STOA_OK;
        }
        if (at == STOA_BUNDLE_MAX) {
            return stoa__error(STOA_LIMIT, "an instance has over %d components", STOA_BUNDLE_MAX);
        }
        root->count++;
    } else if (root->from[at].plan_value == CALLERS) {
        return stoa__error(STOA_DUPLICATE, "component '%s' is named twice",
                           stoa_component_name(prefab->head.world, id));
    } else {
        root->dropped[root->from[at].plan_value] = true;
    }
    root->values[at] = *value;
    root->values[at].id = id;
    stoa_component_info info;
    value_info(prefab, value, id, &info);
    return source_read(&info, value, copied, root, &root->from[at]);
}

/* Takes out what the caller leaves out. */
static void root_squeeze(stoa__prefab_root *root) {
    uint32_t kept = 0;
    for (uint32_t i = 0; i < root->count; i++) {
        if (root->values[i].op != STOA_DROP) {
            root->values[kept] = root->values[i];
            root->from[kept++] = root->from[i];
        }
    }
    root->count = kept;
}

stoa_status stoa__prefab_root_read(const stoa_prefab *prefab, const stoa_value *values,
                                   int32_t count, bool columns, bool copied,
                                   stoa__prefab_root *root) {
    if (count < 0) {
        return stoa__error(STOA_INVALID, "a bundle of %d components", count);
    }
    if (count > 0 && values == NULL) {
        return stoa__error(STOA_NULL_ARGUMENT, "the values must not be null");
    }
    if (count > STOA_BUNDLE_MAX) {
        return stoa__error(STOA_LIMIT, "a bundle of %d components is over the limit of %d", count,
                           STOA_BUNDLE_MAX);
    }
    if (!root_alloc(prefab, (uint32_t)count, root)) {
        return stoa__error_memory("the instances of a prefab");
    }
    root_begin(&prefab->plan, root);
    stoa_status status = STOA_OK;
    for (int32_t i = 0; i < count && status == STOA_OK; i++) {
        status = root_lay(prefab, &values[i], columns, copied, root);
    }
    root_squeeze(root);
    root->copy_size =
        (root->copy_size + STOA_ALIGNMENT_MAX - 1) & ~(size_t)(STOA_ALIGNMENT_MAX - 1);
    if (status != STOA_OK) {
        stoa__prefab_root_fini(root);
    }
    return status;
}

/* A value that is copied. */
typedef struct item {
    void *to;
    const void *from;
    const stoa_hooks *hooks;
    size_t size;
    stoa_component id;
} item;

/* Numbers of an instance's items: the root's values, then those of the plan. */
static uint32_t items_count(const stoa__prefab_copies *copies) {
    return copies->root->count + copies->plan->value_count;
}

/* The first item of a node; that of the node past the last is the end. */
static uint32_t items_begin(const stoa__prefab_copies *copies, uint32_t node) {
    return node == 0 ? 0
           : node == copies->plan->node_count
               ? items_count(copies)
               : copies->root->count + copies->plan->nodes[node].first;
}

/* The value of a caller's column for an instance. */
static const void *column_at(const stoa_value *value, const stoa__root_source *source,
                             int32_t instance) {
    return value->data == NULL || value->op == STOA_PUT_SAME
               ? value->data
               : (const uint8_t *)value->data + (size_t)instance * source->size;
}

/* Describes an item; false if that value is not copied. */
static bool item_get(const stoa__prefab_copies *copies, int32_t instance, uint32_t number,
                     item *result) {
    const stoa__prefab_root *root = copies->root;
    uint8_t *block = copies->block + (size_t)instance * root->copy_size;
    if (number < root->count) {
        const stoa__root_source *source = &root->from[number];
        if (source->plan_value != CALLERS || !source->copied) {
            return false;
        }
        *result = (item){block + source->copy, column_at(&root->values[number], source, instance),
                         &source->hooks, source->size, root->values[number].id};
        return true;
    }
    const stoa__prefab_plan *plan = copies->plan;
    uint32_t value = number - root->count;
    if (plan->copies[value] == STOA__PLAN_AS_IS ||
        (value < plan->nodes[0].count && root->dropped[value])) {
        return false;
    }
    const stoa__prefab_entry *entry = plan->sources[value];
    *result =
        (item){block + plan->copies[value], entry->data, &entry->hooks, entry->size, entry->id};
    return true;
}

/* Drops the copies of an instance from number `begin` to before `end`. */
static void items_drop(const stoa__prefab_copies *copies, int32_t instance, uint32_t begin,
                       uint32_t end) {
    item it;
    for (uint32_t i = begin; i < end; i++) {
        if (item_get(copies, instance, i, &it)) {
            stoa__prefab_value_drop(it.hooks, it.to);
        }
    }
}

static stoa_status copy_fail(const stoa_prefab *prefab, const item *failed) {
    return stoa__error(STOA_NO_MEMORY, "the copy hook of component '%s' failed",
                       failed->id != 0 ? stoa_component_name(prefab->head.world, failed->id) : "");
}

/* Fills the block; on failure nothing is left in it. */
static stoa_status items_copy(const stoa__prefab_copies *copies, const stoa_prefab *prefab) {
    uint32_t count = items_count(copies);
    item it;
    for (int32_t instance = 0; instance < copies->times; instance++) {
        for (uint32_t i = 0; i < count; i++) {
            if (!item_get(copies, instance, i, &it) ||
                stoa__prefab_value_copy(it.hooks, it.to, it.from, it.size)) {
                continue;
            }
            stoa_status status = copy_fail(prefab, &it);
            items_drop(copies, instance, 0, i);
            while (instance-- > 0) {
                items_drop(copies, instance, 0, count);
            }
            return status;
        }
    }
    return STOA_OK;
}

stoa_status stoa__prefab_copies_make(stoa__prefab_copies *copies, const stoa_prefab *prefab,
                                     const stoa__prefab_root *root, int32_t times) {
    copies->plan = &prefab->plan;
    copies->root = root;
    copies->times = times;
    copies->size = 0;
    copies->block = copies->small;
    size_t each = root->copy_size;
    if (each == 0 || times == 0) {
        return STOA_OK;
    }
    stoa__heap_init(&copies->heap, stoa_world_allocator(prefab->head.world));
    if (each > sizeof copies->small / (size_t)times) {
        copies->size = each <= PTRDIFF_MAX / (size_t)times ? each * (size_t)times : 0;
        copies->block = stoa__heap_alloc(&copies->heap, copies->size, STOA_ALIGNMENT_MAX);
        if (copies->block == NULL) {
            return stoa__error_memory("the instances of a prefab");
        }
    }
    stoa_status status = items_copy(copies, prefab);
    if (status != STOA_OK && copies->size != 0) {
        stoa__heap_free(&copies->heap, copies->block, copies->size, STOA_ALIGNMENT_MAX);
    }
    return status;
}

void stoa__prefab_copies_drop(stoa__prefab_copies *copies, int32_t instance, uint32_t node) {
    uint32_t begin = items_begin(copies, node);
    for (; copies->root->copy_size != 0 && instance < copies->times; instance++, begin = 0) {
        items_drop(copies, instance, begin, items_count(copies));
    }
}

void stoa__prefab_copies_drop_node(stoa__prefab_copies *copies, int32_t instance, uint32_t node) {
    items_drop(copies, instance, items_begin(copies, node), items_begin(copies, node + 1));
}

void stoa__prefab_copies_free(stoa__prefab_copies *copies, bool moved) {
    const stoa__prefab_root *root = copies->root;
    for (uint32_t i = 0; i < root->count && moved; i++) {
        const stoa__root_source *source = &root->from[i];
        if (source->plan_value == CALLERS && source->copied && source->hooks.drop != NULL) {
            source->hooks.drop((void *)(uintptr_t)root->values[i].data, copies->times,
                               source->hooks.user);
        }
    }
    if (copies->size != 0) {
        stoa__heap_free(&copies->heap, copies->block, copies->size, STOA_ALIGNMENT_MAX);
    }
}

/* A value of the plan, or the copy that is handed over in its place. */
static stoa_value plan_value(const stoa__prefab_copies *copies, int32_t instance, uint32_t at) {
    stoa_value value = copies->plan->values[at];
    if (copies->plan->copies[at] != STOA__PLAN_AS_IS) {
        value.data =
            copies->block + (size_t)instance * copies->root->copy_size + copies->plan->copies[at];
    }
    return value;
}

static stoa_value root_value(const stoa__prefab_copies *copies, int32_t instance, uint32_t i) {
    const stoa__root_source *source = &copies->root->from[i];
    if (source->plan_value != CALLERS) {
        return plan_value(copies, instance, source->plan_value);
    }
    stoa_value value = copies->root->values[i];
    value.data = source->copied
                     ? copies->block + (size_t)instance * copies->root->copy_size + source->copy
                     : column_at(&value, source, instance);
    value.op = STOA_PUT;
    return value;
}

/* Writes handles where values of a node stand for entities. */
static void patches_apply(const stoa__prefab_copies *copies, int32_t instance, uint32_t node,
                          const stoa_entity *entities) {
    const stoa__prefab_plan *plan = copies->plan;
    const stoa__plan_node *n = &plan->nodes[node];
    uint8_t *block = copies->block + (size_t)instance * copies->root->copy_size;
    for (uint32_t i = 0; i < n->patch_count; i++) {
        const stoa__plan_patch *patch = &plan->patches[n->patch_first + i];
        if (node > 0 || !copies->root->dropped[patch->value]) {
            memcpy(block + plan->copies[patch->value] + patch->offset, &entities[patch->target],
                   sizeof *entities);
        }
    }
}

int32_t stoa__prefab_copies_list(const stoa__prefab_copies *copies, int32_t instance, uint32_t node,
                                 const stoa_entity *entities) {
    stoa_value *list = copies->root->list;
    patches_apply(copies, instance, node, entities);
    if (node == 0) {
        for (uint32_t i = 0; i < copies->root->count; i++) {
            list[i] = root_value(copies, instance, i);
        }
        return (int32_t)copies->root->count;
    }
    const stoa__plan_node *n = &copies->plan->nodes[node];
    for (uint32_t i = 0; i < n->count; i++) {
        list[i] = plan_value(copies, instance, n->first + i);
    }
    return (int32_t)n->count;
}
