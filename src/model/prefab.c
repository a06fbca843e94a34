/* Prefabs: their lives, their names, and who builds on whom.
 *
 * A base cannot be freed before what builds on it, nor a prefab before those that have it as a
 * child, so that pointers between prefabs are always good. They form no cycle: a base is given when
 * a prefab is made, and a child is refused if the prefab can be reached from it. Finding by name is
 * O(log n), freeing O(n). Freeing needs no memory. One thread at a time. */
#include "model/prefab.h"

#include <string.h>

#include "base/hash.h"

static const char extension_name[] = "stoa.prefab";

static stoa_status null_refuse(const stoa_world *world, const char *what) {
    return stoa_world_report(world,
                             stoa__error(STOA_NULL_ARGUMENT, "the %s must not be null", what));
}

stoa_status stoa__prefab_usable(const stoa_prefab *prefab) {
    if (!STOA_LIKELY(prefab != NULL)) {
        return null_refuse(NULL, "prefab");
    }
    return STOA_LIKELY(!prefab->freed)
               ? STOA_OK
               : stoa_world_report(prefab->head.world,
                                   stoa__error(STOA_FREED, "the prefab was freed"));
}

stoa_status stoa__prefab_may_change(const stoa_prefab *prefab) {
    stoa_status status = stoa__prefab_usable(prefab);
    if (status == STOA_OK && (((const stoa_world_head *)(const void *)prefab->head.world)->open &
                              STOA_OPEN_ASKED) != 0) {
        return stoa_world_report(
            prefab->head.world,
            stoa__error(STOA_LOCKED, "prefabs cannot change while a veto is being asked"));
    }
    if (status == STOA_OK && prefab->owner->busy > 0) {
        status = stoa_world_report(
            prefab->head.world,
            stoa__error(STOA_LOCKED, "prefabs cannot change while a tree is being made"));
    }
    return status;
}

/* Lets no instance be made without a call. Each prefab that is shut was opened by a call, so that
 * this costs as little as those. */
static void prefabs_shut(stoa__prefabs *owner) {
    for (stoa_prefab *prefab = owner->open; prefab != NULL; prefab = prefab->open) {
        prefab->head.epoch = 0;
    }
    owner->open = NULL;
}

void stoa__prefab_changed(stoa_prefab *prefab) {
    prefab->changed = ++prefab->owner->changes;
    prefabs_shut(prefab->owner);
}

/* Frees what a prefab holds; nobody may know of it any more. */
static void prefab_empty(stoa_prefab *prefab) {
    stoa__heap *heap = &prefab->owner->heap;
    stoa__prefab_plan_fini(heap, &prefab->plan);
    stoa__prefab_shape_fini(heap, &prefab->shape);
    stoa__prefab_entries_free(prefab);
    stoa__heap_grow_free(heap, prefab->children, prefab->child_capacity, sizeof *prefab->children);
    prefab->children = NULL;
    prefab->child_count = prefab->child_capacity = 0;
    stoa__heap_text_free(heap, prefab->name);
    prefab->name = NULL;
}

static void prefab_delete(stoa_prefab *prefab) {
    stoa__heap_free(&prefab->owner->heap, prefab, sizeof *prefab, _Alignof(stoa_prefab));
}

/* Frees the prefabs of a world, youngest first: none has others that build on it then. */
static void prefabs_free(stoa_world *world, void *data) {
    (void)world;
    stoa__prefabs *owner = data;
    while (owner->count > 0) {
        stoa_prefab *prefab = owner->items[--owner->count];
        prefab_empty(prefab);
        prefab_delete(prefab);
    }
    while (owner->freed != NULL) {
        stoa_prefab *prefab = owner->freed;
        owner->freed = prefab->walk;
        prefab_delete(prefab);
    }
    stoa__map_fini(&owner->by_name, &owner->heap);
    stoa__heap_grow_free(&owner->heap, owner->items, owner->capacity, sizeof *owner->items);
    stoa__mutex_fini(&owner->lock);
    stoa__heap heap = owner->heap;
    stoa__heap_free(&heap, owner, sizeof *owner, _Alignof(stoa__prefabs));
}

static size_t prefabs_bytes(const stoa_world *world, const void *data) {
    (void)world;
    return ((const stoa__prefabs *)data)->heap.used;
}

/* True if instances of a prefab are made with no call only where they may be. */
static bool open_holds(const stoa_prefab *prefab) {
    const stoa_prefab_head *head = &prefab->head;
    if (head->epoch == 0) {
        return true;
    }
    return head->open == 0 && prefab->plan.simple && stoa__prefab_ready(prefab) &&
           (head->epoch < head->mould.epoch ||
            (head->epoch == head->mould.epoch && head->mould.target != NULL));
}

/* True if the list of open prefabs is right. */
static bool open_listed(const stoa__prefabs *owner) {
    uint32_t listed = 0, open = 0;
    for (const stoa_prefab *prefab = owner->open; prefab != NULL; prefab = prefab->open) {
        listed++;
    }
    for (uint32_t i = 0; i < owner->count; i++) {
        open += owner->items[i]->head.epoch != 0;
        if (!open_holds(owner->items[i])) {
            return false;
        }
    }
    return listed == open;
}

static stoa_status prefabs_check(const stoa_world *world, const void *data) {
    const stoa__prefabs *owner = data;
    uint64_t named = 0, links = 0, uses = 0;
    for (uint32_t i = 0; i < owner->count; i++) {
        const stoa_prefab *prefab = owner->items[i];
        links += (prefab->base != NULL) + (uint64_t)prefab->child_count;
        uses += (uint64_t)prefab->variants + prefab->uses;
        named += prefab->name != NULL;
        if (prefab->changed > owner->changes || prefab->freed ||
            prefab->entries_by_key.count != prefab->entry_count ||
            (i > 0 && prefab->serial <= owner->items[i - 1]->serial)) {
            return stoa_fail(STOA_CORRUPT, "prefab %u is not what the list says", prefab->serial);
        }
        if (prefab->name != NULL && stoa_prefab_find(world, prefab->name) != prefab) {
            return stoa_fail(STOA_CORRUPT, "prefab '%s' is not found", prefab->name);
        }
    }
    if (!open_listed(owner)) {
        return stoa_fail(STOA_CORRUPT, "prefabs are not open as their list says");
    }
    return named == owner->by_name.count && links == uses
               ? STOA_OK
               : stoa_fail(STOA_CORRUPT,
                           "of prefabs %llu have names and %llu are used, not %u, %llu",
                           (unsigned long long)named, (unsigned long long)links,
                           owner->by_name.count, (unsigned long long)uses);
}

/* The prefabs of a world, which may have none yet; NULL with the failure reported. */
static stoa__prefabs *prefabs_get(stoa_world *world) {
    stoa__prefabs *owner = stoa_extension_find(world, extension_name);
    if (owner != NULL) {
        return owner;
    }
    stoa__heap heap;
    stoa__heap_init(&heap, stoa_world_allocator(world));
    owner = stoa__heap_zalloc(&heap, sizeof *owner, _Alignof(stoa__prefabs));
    if (owner == NULL) {
        stoa_world_report(world, stoa__error_memory("prefabs"));
        return NULL;
    }
    *owner = (stoa__prefabs){.world = world, .heap = heap, .changes = 1};
    stoa__mutex_init(&owner->lock);
    const stoa_extension extension = {.name = extension_name,
                                      .data = owner,
                                      .free = prefabs_free,
                                      .check = prefabs_check,
                                      .bytes = prefabs_bytes,
                                      .retype = stoa__prefabs_retype,
                                      .forget = stoa__prefabs_forget};
    if (stoa_extend(world, &extension) != STOA_OK) {
        prefabs_free(world, owner);
        return NULL;
    }
    return owner;
}

/* Where a serial is in the list, or the first larger one. */
static uint32_t serial_place(const stoa__prefabs *owner, uint32_t serial) {
    uint32_t low = 0, high = owner->count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (owner->items[middle]->serial < serial) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

stoa_prefab *stoa__prefab_by_serial(const stoa__prefabs *owner, uint32_t serial) {
    uint32_t at = serial_place(owner, serial);
    return at < owner->count && owner->items[at]->serial == serial ? owner->items[at] : NULL;
}

static stoa_prefab *name_find(const stoa__prefabs *owner, const char *name) {
    uint64_t hash = stoa__hash_text(name);
    uint32_t cursor = 0, serial;
    while ((serial = stoa__map_next(&owner->by_name, hash, &cursor)) != STOA__MAP_NONE) {
        stoa_prefab *prefab = owner->items[serial_place(owner, serial)];
        if (strcmp(prefab->name, name) == 0) {
            return prefab;
        }
    }
    return NULL;
}

/* STOA_OK if a prefab can be made with that name and base; otherwise reported. */
static stoa_status desc_check(const stoa__prefabs *owner, const char *name,
                              const stoa_prefab *base) {
    stoa_status status = base != NULL ? stoa__prefab_usable(base) : STOA_OK;
    if (status != STOA_OK) {
        return status;
    }
    if (base != NULL && base->head.world != owner->world) {
        status = stoa__error(STOA_INVALID, "the base belongs to another world");
    } else if (name != NULL && name[0] == '\0') {
        status = stoa__error(STOA_INVALID, "the name of a prefab must not be empty");
    } else if (name != NULL && name_find(owner, name) != NULL) {
        status = stoa__error(STOA_TAKEN, "there is a prefab '%s' already", name);
    } else if (owner->serial_last == STOA__MAP_NONE - 1) {
        status = stoa__error(STOA_LIMIT, "a world has made %u prefabs", owner->serial_last);
    }
    return stoa_world_report(owner->world, status);
}

/* A prefab that is in no list yet; NULL with the failure reported. */
static stoa_prefab *prefab_make(stoa__prefabs *owner, const char *name, stoa_prefab *base) {
    if (desc_check(owner, name, base) != STOA_OK) {
        return NULL;
    }
    stoa_prefab *prefab = stoa__heap_zalloc(&owner->heap, sizeof *prefab, _Alignof(stoa_prefab));
    if (prefab == NULL) {
        stoa_world_report(owner->world, stoa__error_memory("a prefab"));
        return NULL;
    }
    prefab->head.world = owner->world;
    prefab->owner = owner;
    prefab->base = base;
    prefab->node_first = base != NULL ? (int32_t)stoa__prefab_nodes(base) : 1;
    if (name != NULL) {
        prefab->name = stoa__heap_text(&owner->heap, name);
    }
    if (!stoa__heap_grow(&owner->heap, &owner->items, &owner->capacity, owner->count + 1,
                         sizeof *owner->items) ||
        (name != NULL &&
         (prefab->name == NULL || !stoa__map_reserve(&owner->by_name, &owner->heap)))) {
        prefab_empty(prefab);
        prefab_delete(prefab);
        stoa_world_report(owner->world, stoa__error_memory("a prefab"));
        return NULL;
    }
    return prefab;
}

/* Puts a prefab into the lists, in which there is room. */
static stoa_prefab *prefab_enter(stoa_prefab *prefab) {
    stoa__prefabs *owner = prefab->owner;
    prefab->serial = ++owner->serial_last;
    owner->items[owner->count++] = prefab;
    if (prefab->name != NULL) {
        stoa__map_insert(&owner->by_name, stoa__hash_text(prefab->name), prefab->serial);
    }
    if (prefab->base != NULL) {
        prefab->base->variants++;
    }
    for (uint32_t i = 0; i < prefab->child_count; i++) {
        prefab->children[i]->uses++;
    }
    stoa__prefab_changed(prefab);
    return prefab;
}

stoa_prefab *stoa_prefab_new(stoa_world *world, const stoa_prefab_desc *desc) {
    if (world == NULL) {
        null_refuse(NULL, "world");
        return NULL;
    }
    stoa__prefabs *owner = prefabs_get(world);
    stoa_prefab *prefab = owner == NULL  ? NULL
                          : desc != NULL ? prefab_make(owner, desc->name, desc->base)
                                         : prefab_make(owner, NULL, NULL);
    return prefab != NULL ? prefab_enter(prefab) : NULL;
}

/* Gives a prefab a copy of an entity's component, unless an extension keeps it. */
static stoa_status component_take(stoa_prefab *prefab, stoa_entity e, stoa_component id) {
    stoa_component_info info;
    stoa_status status = stoa_component_info_get(prefab->head.world, id, &info);
    if (status != STOA_OK || (info.flags & STOA_MANAGED) != 0) {
        return status;
    }
    if (!info.copyable) {
        return stoa__error(STOA_NOT_COPYABLE, "component '%s' cannot be copied", info.name);
    }
    const void *value = info.size != 0 ? stoa_get_id(prefab->head.world, e, id) : NULL;
    if (info.size != 0 && value == NULL) {
        return stoa_last_error().status;
    }
    const stoa__prefab_entry source = {.id = id,
                                       .state = STOA__PREFAB_PUT,
                                       .rich = info.hooks.copy != NULL || info.hooks.move != NULL,
                                       .size = info.size,
                                       .alignment = info.alignment,
                                       .data = (void *)(uintptr_t)value,
                                       .hooks = info.hooks};
    return stoa__prefab_entry_copy(prefab, &source);
}

/* Gives a prefab copies of all that an entity has: columns in order of ids, then sparse ones. */
static stoa_status components_take(stoa_prefab *prefab, stoa_entity e) {
    stoa_archetype_info archetype;
    stoa_status status = stoa_archetype_info_get(
        prefab->head.world, stoa_archetype_of(prefab->head.world, e), &archetype);
    for (int32_t i = 0; i < archetype.component_count && status == STOA_OK; i++) {
        status = component_take(prefab, e, archetype.components[i]);
    }
    stoa_component count = (stoa_component)stoa_component_count(prefab->head.world);
    for (stoa_component id = 1; id <= count && status == STOA_OK; id++) {
        stoa_component_info info;
        status = stoa_component_info_get(prefab->head.world, id, &info);
        if ((info.flags & STOA_SPARSE) != 0 && stoa_has_id(prefab->head.world, e, id)) {
            status = component_take(prefab, e, id);
        }
    }
    return status;
}

stoa_prefab *stoa_prefab_from(stoa_world *world, stoa_entity e, const char *name) {
    if (world == NULL) {
        null_refuse(NULL, "world");
        return NULL;
    }
    if (!stoa_alive(world, e)) {
        char text[STOA_ENTITY_TEXT_SIZE];
        stoa_world_report(world, stoa__error(STOA_DEAD, "entity %s is dead",
                                             stoa_entity_print(e, text, sizeof text)));
        return NULL;
    }
    stoa__prefabs *owner = prefabs_get(world);
    stoa_prefab *prefab = owner != NULL ? prefab_make(owner, name, NULL) : NULL;
    if (prefab == NULL) {
        return NULL;
    }
    stoa_status status = components_take(prefab, e);
    if (status != STOA_OK) {
        prefab_empty(prefab);
        prefab_delete(prefab);
        stoa_world_report(world, status);
        return NULL;
    }
    return prefab_enter(prefab);
}

/* Copies the children and entries of a prefab; the thread's error is set. */
static stoa_status content_copy(stoa_prefab *copy, const stoa_prefab *prefab) {
    if (!stoa__heap_grow(&copy->owner->heap, &copy->children, &copy->child_capacity,
                         prefab->child_count, sizeof *copy->children)) {
        return stoa__error_memory("the children of a prefab");
    }
    for (uint32_t i = 0; i < prefab->child_count; i++) {
        copy->children[copy->child_count++] = prefab->children[i];
    }
    stoa_status status = STOA_OK;
    for (uint32_t i = 0; i < prefab->entry_count && status == STOA_OK; i++) {
        status = stoa__prefab_entry_copy(copy, &prefab->entries[i]);
    }
    return status;
}

stoa_prefab *stoa_prefab_copy(const stoa_prefab *prefab, const char *name) {
    if (stoa__prefab_usable(prefab) != STOA_OK) {
        return NULL;
    }
    stoa_prefab *copy = prefab_make(prefab->owner, name, prefab->base);
    if (copy == NULL) {
        return NULL;
    }
    stoa_status status = content_copy(copy, prefab);
    if (status != STOA_OK) {
        prefab_empty(copy);
        prefab_delete(copy);
        stoa_world_report(prefab->head.world, status);
        return NULL;
    }
    return prefab_enter(copy);
}

stoa_status stoa_prefab_free(stoa_prefab *prefab) {
    if (prefab == NULL) {
        return STOA_OK;
    }
    stoa_status status = stoa__prefab_may_change(prefab);
    if (status != STOA_OK) {
        return status;
    }
    stoa__prefabs *owner = prefab->owner;
    if (prefab->variants + prefab->uses > 0) {
        return stoa_world_report(
            prefab->head.world,
            stoa__error(STOA_REFUSED, "prefab '%s' is built on by %u prefabs and a child of %u",
                        prefab->name != NULL ? prefab->name : "", prefab->variants, prefab->uses));
    }
    uint32_t at = serial_place(owner, prefab->serial);
    owner->count--;
    memmove(&owner->items[at], &owner->items[at + 1], (owner->count - at) * sizeof *owner->items);
    if (prefab->name != NULL) {
        stoa__map_remove(&owner->by_name, stoa__hash_text(prefab->name), prefab->serial);
    }
    if (prefab->base != NULL) {
        prefab->base->variants--;
    }
    for (uint32_t i = 0; i < prefab->child_count; i++) {
        prefab->children[i]->uses--;
    }
    prefabs_shut(owner);
    prefab_empty(prefab);
#ifdef STOA_DEBUG
    prefab->freed = true;
    prefab->walk = owner->freed;
    owner->freed = prefab;
#else
    prefab_delete(prefab);
#endif
    return STOA_OK;
}

stoa_prefab *stoa_prefab_find(const stoa_world *world, const char *name) {
    const stoa__prefabs *owner = stoa_extension_find(world, extension_name);
    return owner != NULL && name != NULL ? name_find(owner, name) : NULL;
}

stoa_prefab *stoa_prefab_next(const stoa_world *world, const stoa_prefab *prefab) {
    const stoa__prefabs *owner = stoa_extension_find(world, extension_name);
    if (owner == NULL || (prefab != NULL && prefab->owner != owner)) {
        return NULL;
    }
    uint32_t at = prefab != NULL ? serial_place(owner, prefab->serial + 1) : 0;
    return at < owner->count ? owner->items[at] : NULL;
}

const char *stoa_prefab_name(const stoa_prefab *prefab) {
    return stoa__prefab_usable(prefab) == STOA_OK ? prefab->name : NULL;
}

stoa_prefab *stoa_prefab_base(const stoa_prefab *prefab) {
    return stoa__prefab_usable(prefab) == STOA_OK ? prefab->base : NULL;
}
