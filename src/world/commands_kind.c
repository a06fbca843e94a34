/* Kinds: the components that a command buffer was told of, and how their values are kept.
 *
 * A kind is made the first time a component is named by that descriptor or id, and stays. Kinds of
 * one name are the same component, whoever described it: that is how a bundle that names one twice
 * is found out without asking the world. A descriptor is registered at the flush. Finding a kind
 * here is O(1) and by name; what was met lately is found without. */
#include "base/hash.h"
#include "storage/registry.h"
#include "world/commands_buffer.h"

#include <string.h>

/* Bytes of a command that its header can tell. */
#define EXTENT_MAX (UINT16_MAX * STOA__ARENA_UNIT)

/* Kinds of the same name: the one of that descriptor or id, and the first of them all. */
static uint32_t kind_search(const stoa_commands *commands, const stoa_type *type, stoa_component id,
                            const char *name, uint32_t *first) {
    uint32_t cursor = 0, found = STOA__MAP_NONE, kind;
    uint64_t hash = stoa__hash_text(name);
    *first = STOA__MAP_NONE;
    while ((kind = stoa__map_next(&commands->kinds_by_name, hash, &cursor)) != STOA__MAP_NONE) {
        const stoa__kind *k = &commands->kinds[kind];
        bool same = strcmp(k->name, name) == 0;
        *first = same ? k->same : *first;
        found = same && k->type == type && (type != NULL || k->id == id) ? kind : found;
    }
    return found;
}

/* Room for one more kind; the first time also for none. */
static bool kinds_reserve(stoa_commands *commands) {
    if (!stoa__heap_grow(&commands->heap, &commands->kinds, &commands->kind_capacity,
                         commands->kind_count + 2, sizeof *commands->kinds) ||
        !stoa__map_reserve(&commands->kinds_by_name, &commands->heap)) {
        return false;
    }
    if (commands->kind_count == 0) {
        commands->kinds[commands->kind_count++] = (stoa__kind){.alignment = 1};
    }
    return true;
}

/* Adds a kind that is not there; 0 with the thread's error set. */
static uint32_t kind_add(stoa_commands *commands, stoa__kind kind, const stoa_hooks *hooks,
                         uint32_t first) {
    if (!kinds_reserve(commands)) {
        stoa__error_memory("a component's place in a command buffer");
        return 0;
    }
    uint32_t index = commands->kind_count++;
    if (kind.size != 0) {
        kind.move = hooks->move;
        kind.drop = hooks->drop;
        kind.user = hooks->user;
    }
    kind.same = first != STOA__MAP_NONE ? first : index;
    size_t slack = kind.alignment > STOA__ARENA_UNIT ? kind.alignment - STOA__ARENA_UNIT : 0;
    kind.room = sizeof(stoa__command) + slack + kind.size;
    size_t whole = (kind.room + STOA__ARENA_UNIT - 1) & ~(STOA__ARENA_UNIT - 1);
    bool short_way = slack == 0 && kind.move == NULL && kind.drop == NULL && whole <= EXTENT_MAX;
    kind.extent = short_way ? whole : 0;
    commands->kinds[index] = kind;
    stoa__map_insert(&commands->kinds_by_name, stoa__hash_text(kind.name), index);
    return index;
}

/* What registering a descriptor would refuse, as far as recording depends on it. */
static stoa_status type_check(const stoa_type *type) {
    const char *name = stoa__type_name(type);
    if (name == NULL || name[0] == '\0') {
        return stoa__error(STOA_INVALID, "a component needs a name");
    }
    if ((type->alignment & (type->alignment - 1)) != 0 || type->alignment > STOA_ALIGNMENT_MAX) {
        return stoa__error(STOA_INVALID,
                           "component '%s': alignment %u is not a power of two up to %d", name,
                           type->alignment, STOA_ALIGNMENT_MAX);
    }
    return type->size <= STOA_SIZE_MAX
               ? STOA_OK
               : stoa__error(STOA_LIMIT, "component '%s': %u bytes are more than the %u allowed",
                             name, type->size, STOA_SIZE_MAX);
}

/* Lets values of a type that is described be recorded with no call, if they are only bytes. */
static void lead_note(stoa_commands *commands, uint32_t kind) {
    const stoa__kind *k = &commands->kinds[kind];
    if (kind != 0 && k->extent != 0) {
        commands->leads[stoa_lead_index(k->type)] =
            (stoa_lead){k->type, stoa__command_does(kind, STOA__COMMAND_SET, k->extent)};
    }
}

STOA__COLD uint32_t stoa__kind_of_type(stoa_commands *commands, stoa_type *type) {
    if (type == NULL) {
        stoa__error(STOA_NULL_ARGUMENT, "the type must not be null");
        return 0;
    }
    if (type_check(type) != STOA_OK) {
        return 0;
    }
    uint32_t first;
    const char *name = stoa__type_name(type);
    uint32_t kind = kind_search(commands, type, 0, name, &first);
    if (kind == STOA__MAP_NONE) {
        kind = kind_add(
            commands,
            (stoa__kind){.type = type,
                         .size = type->size,
                         .alignment = type->alignment != 0 ? type->alignment : STOA_ALIGNMENT_MAX,
                         .name = name,
                         .flags = type->options.flags},
            &type->options.hooks, first);
    }
    *stoa__kind_cached(commands, type) = kind;
    lead_note(commands, kind);
    return kind;
}

STOA__COLD uint32_t stoa__kind_of_id(stoa_commands *commands, stoa_component id) {
    if (!stoa__component_known(&commands->world->storage, id)) {
        stoa__error(STOA_UNKNOWN, "there is no component with the id %u", id);
        return 0;
    }
    const stoa_component_info *info = &stoa__component_at(&commands->world->storage, id)->info;
    uint32_t first;
    uint32_t kind = kind_search(commands, NULL, id, info->name, &first);
    if (kind == STOA__MAP_NONE) {
        kind = kind_add(commands,
                        (stoa__kind){.id = id,
                                     .size = info->size,
                                     .alignment = info->alignment,
                                     .name = info->name,
                                     .flags = info->flags},
                        &info->hooks, first);
    }
    commands->id_cache[id & (STOA__KIND_CACHE - 1)] = kind;
    return kind;
}

stoa_component stoa__kind_id(stoa_commands *commands, uint32_t kind) {
    stoa__kind *k = &commands->kinds[kind];
    if (STOA_LIKELY(k->id != 0)) {
        return k->id;
    }
    k->id = stoa__world_type(commands->world, k->type);
    return k->id;
}
