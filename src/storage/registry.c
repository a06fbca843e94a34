/* The component registry.
 *
 * Names are unique; ids run from 1 in order of registration. A descriptor has a slot, the same in
 * every world, that leads to the id by two loads; what a slot has not yet learnt is found by name
 * and then remembered. Registering allocates and either happens wholly or not at all. */
#include "storage/registry.h"

#include "base/hash.h"
#include "storage/archetype.h"
#include "storage/columns.h"
#include "storage/sparse.h"

#include <string.h>

#define FLAGS_KNOWN                                                                                \
    (STOA_HIDDEN | STOA_SPARSE | STOA_SWITCHABLE | STOA_ROW_TICKS | STOA_IMMUTABLE |               \
     STOA_MANAGED | STOA_TRANSIENT | STOA_RAW | STOA_NOTED)
/* What a component that an extension keeps must be, too. */
#define FLAGS_MANAGED (STOA_SPARSE | STOA_IMMUTABLE)

/* Slots number the descriptors of the process. They are names for places in each world's table and
 * show nowhere else. */
static stoa_atomic slot_last;

/* A description from either source, in one form. */
typedef struct description {
    const char *name;
    const char *identifier; /* the C name if it is not the same, else NULL */
    stoa__reflect_source source;
    const stoa_hooks *hooks;
    uint32_t flags;
    stoa_setup_fn setup;
    const stoa_persist *persist;
} description;

/* What is transient must not show in archetypes, whose order and rows are saved. */
static uint32_t flags_whole(uint32_t flags) {
    return (flags & STOA_TRANSIENT) != 0 ? flags | STOA_SPARSE : flags;
}

static uint32_t slot_of(stoa_type *type) {
    uint32_t slot = atomic_load_explicit(&type->slot, memory_order_relaxed);
    if (slot == 0) {
        uint32_t fresh = atomic_fetch_add_explicit(&slot_last, 1, memory_order_relaxed) + 1;
        /* Another thread may have been first: then its number stands and this one is lost. */
        if (atomic_compare_exchange_strong_explicit(&type->slot, &slot, fresh, memory_order_relaxed,
                                                    memory_order_relaxed)) {
            slot = fresh;
        }
    }
    return slot;
}

/* The component whose C name that is, where it goes by another; 0 if there is none. */
static stoa_component identifier_find(const stoa__storage *storage, const char *identifier) {
    for (uint32_t i = 0; i < storage->registry.count; i++) {
        const char *other = storage->registry.items[i]->identifier;
        if (other != NULL && strcmp(other, identifier) == 0) {
            return i + 1;
        }
    }
    return 0;
}

static bool find_described(const char *name, stoa_component_info *info, bool *is_enum, void *user) {
    const stoa__storage *storage = user;
    stoa_component id = stoa__registry_find(storage, name);
    id = id != 0 ? id : identifier_find(storage, name);
    if (id == 0) {
        return false;
    }
    const stoa__component *component = stoa__component_at(storage, id);
    *info = component->info;
    *is_enum = component->is_enum;
    return true;
}

static description description_of_type(const stoa__storage *storage, const stoa_type *type) {
    return (description){
        .name = stoa__type_name(type),
        .identifier = type->options.name != NULL ? type->identifier : NULL,
        .source = {.name = stoa__type_name(type),
                   .form = type->form,
                   .text = type->text,
                   .members = type->members,
                   .size = type->size,
                   .alignment = type->alignment,
                   .enum_size = type->enum_size,
                   .find = find_described,
                   .user = (void *)(uintptr_t)storage},
        .hooks = &type->options.hooks,
        .flags = flags_whole(type->options.flags),
        .setup = type->options.setup,
        .persist = type->options.persist,
    };
}

static description description_of_desc(const stoa__storage *storage,
                                       const stoa_component_desc *desc) {
    stoa_type_form form = desc->is_enum ? STOA_FORM_ENUM : STOA_FORM_OWN;
    return (description){
        .name = desc->name,
        .source = {.name = desc->name,
                   .form = desc->fields != NULL ? form : STOA_FORM_OPAQUE,
                   .text = desc->fields,
                   .size = desc->size,
                   .alignment = desc->alignment,
                   .find = find_described,
                   .user = (void *)(uintptr_t)storage},
        .hooks = &desc->hooks,
        .flags = flags_whole(desc->flags),
        .persist = desc->persist,
    };
}

static uint64_t description_hash(const description *d) {
    stoa__hasher hasher;
    stoa__hasher_init(&hasher);
    stoa__hasher_add_u32(&hasher, (uint32_t)d->source.form);
    stoa__hasher_add_text(&hasher, d->source.text);
    stoa__hasher_add_u32(&hasher, d->source.size);
    stoa__hasher_add_u32(&hasher, d->source.alignment);
    for (const stoa_member_desc *m = d->source.members; m != NULL && m->name != NULL; m++) {
        stoa__hasher_add_text(&hasher, m->name);
        stoa__hasher_add_text(&hasher, m->type_name);
        stoa__hasher_add_u32(&hasher, m->offset);
        stoa__hasher_add_u32(&hasher, m->size);
        stoa__hasher_add_u32(&hasher, m->item_size);
    }
    stoa__hasher_add_u32(&hasher, d->source.enum_size);
    return stoa__hasher_result(&hasher);
}

static bool hooks_same(const stoa_hooks *a, const stoa_hooks *b) {
    return a->drop == b->drop && a->move == b->move && a->copy == b->copy && a->user == b->user &&
           a->user_free == b->user_free;
}

bool stoa__registry_members_same(const stoa__reflection *a, const stoa__reflection *b) {
    if (a->size != b->size || a->alignment != b->alignment || a->member_count != b->member_count ||
        a->value_count != b->value_count) {
        return false;
    }
    for (int32_t i = 0; i < a->member_count; i++) {
        const stoa_member *m = &a->members[i], *n = &b->members[i];
        if (strcmp(m->name, n->name) != 0 || m->kind != n->kind || m->offset != n->offset ||
            m->size != n->size || m->count != n->count || m->array != n->array ||
            m->type != n->type) {
            return false;
        }
    }
    for (int32_t i = 0; i < a->value_count; i++) {
        if (strcmp(a->values[i].name, b->values[i].name) != 0 ||
            a->values[i].value != b->values[i].value) {
            return false;
        }
    }
    return true;
}

stoa_status stoa__registry_conflict(const char *name) {
    return stoa__error(STOA_CONFLICT,
                       "component '%s' is already registered with another description", name);
}

/* STOA_OK if `d` says the same as what is registered. */
static stoa_status description_compare(const stoa__storage *storage,
                                       const stoa__component *component, const description *d) {
    bool same = hooks_same(&component->info.hooks, d->hooks) && component->info.flags == d->flags &&
                component->setup == d->setup;
    if (same && component->text_hash != description_hash(d)) {
        stoa__reflection reflection;
        stoa__heap *heap = (stoa__heap *)(uintptr_t)&storage->heap;
        stoa_status status = stoa__reflect(heap, &d->source, &reflection);
        if (status != STOA_OK) {
            return status;
        }
        same = stoa__registry_members_same(&component->reflection, &reflection);
        stoa__reflect_free(heap, &reflection);
    }
    return same ? STOA_OK : stoa__registry_conflict(d->name);
}

static stoa_status description_check(const description *d) {
    if (d->name == NULL || d->name[0] == '\0') {
        return stoa__error(STOA_INVALID, "a component needs a name");
    }
    uint32_t alignment = d->source.alignment;
    if ((alignment & (alignment - 1)) != 0 || alignment > STOA_ALIGNMENT_MAX) {
        return stoa__error(STOA_INVALID,
                           "component '%s': alignment %u is not a power of two up to %d", d->name,
                           alignment, STOA_ALIGNMENT_MAX);
    }
    if ((d->flags & ~(uint32_t)FLAGS_KNOWN) != 0) {
        return stoa__error(STOA_INVALID, "component '%s' has an unknown flag", d->name);
    }
    if ((d->flags & STOA_MANAGED) != 0 && (d->flags & FLAGS_MANAGED) != FLAGS_MANAGED) {
        return stoa__error(STOA_INVALID,
                           "component '%s' is managed, so it must be sparse and immutable, too",
                           d->name);
    }
    if ((d->flags & STOA_NOTED) != 0 && ((d->flags & STOA_SPARSE) != 0 || d->source.size == 0)) {
        return stoa__error(STOA_INVALID, "component '%s' is noted by chunk and has no column",
                           d->name);
    }
    if (d->source.size > STOA_SIZE_MAX) {
        return stoa__error(STOA_LIMIT, "component '%s': %u bytes are more than the %u allowed",
                           d->name, d->source.size, STOA_SIZE_MAX);
    }
    if (alignment > 1 && d->source.size % alignment != 0) {
        return stoa__error(STOA_INVALID,
                           "component '%s': its size %u is not a multiple of its alignment %u",
                           d->name, d->source.size, alignment);
    }
    return STOA_OK;
}

/* True if hooks or members mean that the bytes are not the whole value. */
static bool members_plain(const stoa__storage *storage, const stoa__component *component) {
    const stoa_hooks *hooks = &component->info.hooks;
    if (hooks->drop != NULL || hooks->move != NULL || hooks->copy != NULL) {
        return false;
    }
    for (int32_t i = 0; i < component->info.member_count; i++) {
        const stoa_member *m = &component->info.members[i];
        bool nested_plain =
            m->kind != STOA_KIND_STRUCT || stoa__component_at(storage, m->type)->info.plain;
        if (m->kind == STOA_KIND_STRING || m->kind == STOA_KIND_POINTER || !nested_plain) {
            return false;
        }
    }
    return true;
}

/* True if the members, plain and in order, leave no byte of the struct out. */
static bool members_dense(const stoa__storage *storage, const stoa__component *component) {
    uint32_t end = 0;
    for (int32_t i = 0; i < component->info.member_count; i++) {
        const stoa_member *m = &component->info.members[i];
        bool nested_dense =
            m->kind != STOA_KIND_STRUCT || stoa__component_at(storage, m->type)->dense;
        if (m->offset != end || m->kind == STOA_KIND_STRING || m->kind == STOA_KIND_POINTER ||
            !nested_dense) {
            return false;
        }
        end += m->size * m->count;
    }
    return end == component->info.size;
}

/* How many described structs a type comes to, one inside the other. */
static uint32_t members_nest(const stoa__storage *storage, const stoa__reflection *r) {
    uint32_t most = 0;
    for (int32_t i = 0; i < r->member_count; i++) {
        const stoa_member *m = &r->members[i];
        uint32_t nest =
            m->kind == STOA_KIND_STRUCT ? stoa__component_at(storage, m->type)->nest : 0;
        most = nest > most ? nest : most;
    }
    return most + 1;
}

void stoa__registry_discard(stoa__storage *storage, stoa__component *component) {
    stoa__heap *heap = &storage->heap;
    stoa__sparse_free(heap, component->set);
    stoa__bitset_fini(&component->archetypes, heap);
    stoa__reflect_free(heap, &component->reflection);
    stoa__heap_text_free(heap, component->name);
    stoa__heap_text_free(heap, component->identifier);
    stoa__heap_free(heap, component, sizeof *component, _Alignof(stoa__component));
}

static void component_describe(stoa__storage *storage, stoa__component *component,
                               const description *d) {
    const stoa__reflection *r = &component->reflection;
    bool tag = r->size == 0;
    component->text_hash = description_hash(d);
    component->is_enum = d->source.form == STOA_FORM_ENUM;
    component->setup = d->setup;
    component->setup_state = d->setup != NULL ? STOA__SETUP_DUE : STOA__SETUP_DONE;
    component->info = (stoa_component_info){
        .id = storage->registry.count + 1,
        .name = component->name,
        .size = r->size,
        .alignment = tag ? 1 : r->alignment,
        .flags = d->flags,
        .copyable = d->hooks->drop == NULL || d->hooks->copy != NULL,
        .hooks = *d->hooks,
        .members = r->members,
        .member_count = r->member_count,
        .persist = d->persist,
    };
    component->fixed = stoa__component_fixed(storage, component);
    component->info.plain = members_plain(storage, component);
    component->dense = r->member_count > 0 && members_dense(storage, component);
}

static stoa__component *component_new(stoa__storage *storage, const description *d) {
    stoa__heap *heap = &storage->heap;
    stoa__component *component =
        stoa__heap_zalloc(heap, sizeof *component, _Alignof(stoa__component));
    if (component == NULL) {
        stoa__error_memory("a component");
        return NULL;
    }
    component->name = stoa__heap_text(heap, d->name);
    component->identifier = d->identifier != NULL ? stoa__heap_text(heap, d->identifier) : NULL;
    if (component->name == NULL || (d->identifier != NULL && component->identifier == NULL)) {
        stoa__error_memory("a component's name");
        stoa__registry_discard(storage, component);
        return NULL;
    }
    if (stoa__reflect(heap, &d->source, &component->reflection) != STOA_OK) {
        component->reflection = (stoa__reflection){0};
        stoa__registry_discard(storage, component);
        return NULL;
    }
    uint32_t nest = members_nest(storage, &component->reflection);
    if (nest > STOA_NEST_MAX) {
        stoa__error(STOA_LIMIT, "component '%s': more than %d structs, one inside the other",
                    d->name, STOA_NEST_MAX);
        stoa__registry_discard(storage, component);
        return NULL;
    }
    component->nest = (uint8_t)nest;
    component_describe(storage, component, d);
    if ((d->flags & STOA_SPARSE) != 0) {
        component->set = stoa__sparse_new(heap, component);
        if (component->set == NULL) {
            stoa__error_memory("a sparse component");
            stoa__registry_discard(storage, component);
            return NULL;
        }
    }
    return component;
}

/* Lists a sparse component. From the first on an entity may be in a set, so that destroying it is
 * not simple. */
static void sparse_list(stoa__storage *storage, stoa__component *component) {
    stoa__component **end = &storage->sparse_first;
    while (*end != NULL) {
        end = &(*end)->sparse_next;
    }
    *end = component;
    stoa__sparse_rewatch(storage, component->set);
    for (uint32_t i = 0; i < storage->archetype_count; i++) {
        stoa__archetype_rewatch(storage, storage->archetypes[i]);
    }
}

static stoa_component registry_add(stoa__storage *storage, const description *d) {
    stoa__registry *registry = &storage->registry;
    if (description_check(d) != STOA_OK) {
        return 0;
    }
    if (registry->count >= STOA__KEY_DROP - 2) {
        stoa__error(STOA_LIMIT, "component '%s': there are too many components", d->name);
        return 0;
    }
    if (!stoa__heap_grow(&storage->heap, &registry->items, &registry->capacity, registry->count + 1,
                         sizeof *registry->items) ||
        !stoa__map_reserve(&registry->by_name, &storage->heap) || !stoa__columns_reserve(storage)) {
        stoa__error_memory("the component table");
        return 0;
    }
    stoa__component *component = component_new(storage, d);
    if (component == NULL) {
        return 0;
    }
    stoa__map_insert(&registry->by_name, stoa__hash_text(d->name), registry->count);
    registry->items[registry->count++] = component;
    stoa__columns_add(storage);
    if (component->set != NULL) {
        sparse_list(storage, component);
    }
    return component->info.id;
}

/* The id of a name, whether or not the component may be found; or 0. */
static stoa_component name_find(const stoa__storage *storage, const char *name) {
    uint32_t cursor = 0;
    uint64_t hash = stoa__hash_text(name);
    for (;;) {
        uint32_t i = stoa__map_next(&storage->registry.by_name, hash, &cursor);
        if (i == STOA__MAP_NONE) {
            return 0;
        }
        if (strcmp(storage->registry.items[i]->name, name) == 0) {
            return i + 1;
        }
    }
}

stoa_component stoa__registry_find(const stoa__storage *storage, const char *name) {
    stoa_component id = name_find(storage, name);
    bool due = id != 0 && stoa__component_at(storage, id)->setup_state == STOA__SETUP_DUE;
    return due ? 0 : id;
}

/* Notes the id of a slot where the fast paths look, and in the table if that reaches so far. Both
 * are atomic: any number of threads may ask a world that none changes. Only a call that has the
 * world for itself takes the place of another slot: the fast paths read as if nobody did. One whose
 * setup may yet fail is not noted. */
static stoa_component slot_remember(const stoa__storage *storage, uint32_t slot, stoa_component id,
                                    bool alone) {
    stoa__storage *s = (stoa__storage *)(uintptr_t)storage;
    stoa_atomic64 *at = &s->head.slots[slot % STOA_SLOTS];
    const stoa__component *component = stoa__component_at(storage, id);
    if (component->setup_state != STOA__SETUP_DONE) {
        return id;
    }
    uint32_t special = component->set != NULL || component->fixed ? STOA_SPECIAL : 0;
    uint64_t entry = (uint64_t)(id | special) << 32 | slot, none = 0;
    if (alone) {
        atomic_store_explicit(at, entry, memory_order_relaxed);
    } else {
        atomic_compare_exchange_strong_explicit(at, &none, entry, memory_order_relaxed,
                                                memory_order_relaxed);
    }
    if (slot < s->registry.slot_count) {
        atomic_store_explicit(&s->registry.slot_ids[slot], id, memory_order_relaxed);
    }
    return id;
}

/* The id that the table knows of a slot, or 0. */
static stoa_component slot_recall(const stoa__storage *storage, uint32_t slot) {
    return slot < storage->registry.slot_count ? STOA_LOAD(&storage->registry.slot_ids[slot]) : 0;
}

stoa_component stoa__registry_find_type(const stoa__storage *storage, stoa_type *type) {
    uint32_t slot = slot_of(type);
    stoa_component known = slot_recall(storage, slot);
    if (known != 0) {
        return slot_remember(storage, slot, known, false);
    }
    stoa_component id = stoa__registry_find(storage, stoa__type_name(type));
    if (id == 0) {
        return 0;
    }
    description d = description_of_type(storage, type);
    bool muted = stoa__error_mute(true);
    stoa_status status = description_compare(storage, stoa__component_at(storage, id), &d);
    stoa__error_mute(muted);
    if (status == STOA_NO_MEMORY && stoa__component_at(storage, id)->info.size == type->size) {
        /* The members cannot be compared now; the bytes are as many, so that reading them is safe.
         */
        return id;
    }
    return status == STOA_OK ? slot_remember(storage, slot, id, false) : 0;
}

/* Makes room in the slot table, so that look-ups of this descriptor are quick from now on. */
static bool slots_reserve(stoa__storage *storage, uint32_t slot) {
    uint32_t count = storage->registry.slot_count;
    if (slot < count) {
        return true;
    }
    uint32_t want = count < 64 ? 64 : count;
    while (want <= slot) {
        want *= 2;
    }
    stoa_atomic *ids =
        stoa__heap_resize(&storage->heap, storage->registry.slot_ids, count * sizeof *ids,
                          want * sizeof *ids, _Alignof(stoa_atomic));
    if (ids == NULL) {
        return false;
    }
    memset((void *)(ids + count), 0, (want - count) * sizeof *ids);
    storage->registry.slot_ids = ids;
    storage->registry.slot_count = want;
    return true;
}

stoa_component stoa__registry_type(stoa__storage *storage, stoa_type *type) {
    uint32_t slot = slot_of(type);
    if (!slots_reserve(storage, slot)) {
        stoa__error_memory("the table of descriptors");
        return 0;
    }
    stoa_component id = slot_recall(storage, slot);
    if (id != 0) {
        return slot_remember(storage, slot, id, true);
    }
    description d = description_of_type(storage, type);
    id = name_find(storage, d.name);
    if (id != 0) {
        if (description_compare(storage, stoa__component_at(storage, id), &d) != STOA_OK) {
            return 0;
        }
    } else {
        id = registry_add(storage, &d);
    }
    return id != 0 ? slot_remember(storage, slot, id, true) : 0;
}

stoa_component stoa__registry_desc(stoa__storage *storage, const stoa_component_desc *desc) {
    description d = description_of_desc(storage, desc);
    stoa_component id = desc->name != NULL ? name_find(storage, desc->name) : 0;
    if (id == 0) {
        return registry_add(storage, &d);
    }
    if (stoa__component_at(storage, id)->setup_state == STOA__SETUP_DUE) {
        stoa__registry_conflict(d.name);
        return 0;
    }
    /* A setup is not for such a description to repeat. */
    d.setup = stoa__component_at(storage, id)->setup;
    return description_compare(storage, stoa__component_at(storage, id), &d) == STOA_OK ? id : 0;
}

stoa__component *stoa__registry_draft(stoa__storage *storage, const stoa_type *type) {
    description d = description_of_type(storage, type);
    return description_check(&d) == STOA_OK ? component_new(storage, &d) : NULL;
}

stoa_component stoa__registry_named(const stoa__storage *storage, const char *name) {
    return name_find(storage, name);
}

void stoa__registry_fini(stoa__storage *storage) {
    stoa__registry *registry = &storage->registry;
    for (uint32_t i = 0; i < registry->count; i++) {
        stoa_hooks hooks = registry->items[i]->info.hooks;
        stoa__columns_forget(storage, i + 1);
        stoa__registry_discard(storage, registry->items[i]);
        if (hooks.user_free != NULL) {
            hooks.user_free(hooks.user);
        }
    }
    stoa__heap_grow_free(&storage->heap, registry->items, registry->capacity,
                         sizeof *registry->items);
    stoa__map_fini(&registry->by_name, &storage->heap);
    stoa__heap_free(&storage->heap, storage->registry.slot_ids,
                    storage->registry.slot_count * sizeof *storage->registry.slot_ids,
                    _Alignof(stoa_atomic));
    stoa__columns_fini(storage);
}
