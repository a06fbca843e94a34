/* Command buffers: their lives, and what the world asks of them.
 *
 * A buffer's struct is from the world's heap; what it records is on a heap of its own, so that
 * buffers can be filled by several threads. A creation holds a slot of the entity table from the
 * moment it is recorded until it is applied or discarded. In a debug build a freed buffer's struct
 * is kept until the world is freed. */
#include "world/commands_buffer.h"

#include "storage/entities.h"

_Static_assert(offsetof(stoa_commands, count) == offsetof(stoa_commands_head, count) &&
                   sizeof(stoa__command) == STOA_COMMAND_HEADER && STOA__ARENA_UNIT == 8,
               "commands that are recorded with no call are as those that are");

stoa_status stoa__commands_usable(const stoa_commands *commands) {
    if (commands == NULL) {
        return stoa__world_null(NULL, "commands");
    }
    return commands->freed
               ? stoa__world_report(commands->world,
                                    stoa__error(STOA_FREED, "the command buffer was freed"))
               : STOA_OK;
}

static stoa_commands *buffer_new(stoa_world *world) {
    stoa__heap *heap = &world->storage.heap;
    stoa_commands *commands = stoa__heap_zalloc(heap, sizeof *commands, _Alignof(stoa_commands));
    if (commands == NULL) {
        stoa__error_memory("a command buffer");
        return NULL;
    }
    commands->world = world;
    commands->head.leads = commands->leads;
    commands->head.destroys = stoa__command_does(0, STOA__COMMAND_DESTROY, sizeof(stoa__command));
    stoa__heap_init(&commands->heap, &heap->hooks);
    return commands;
}

/* Frees what a buffer holds on its own heap; nothing may be recorded. */
static void buffer_empty(stoa_commands *commands) {
    stoa__arena_fini(&commands->arena, &commands->heap);
    commands->place = (stoa__arena_place){0};
    stoa__map_fini(&commands->kinds_by_name, &commands->heap);
    stoa__heap_grow_free(&commands->heap, commands->kinds, commands->kind_capacity,
                         sizeof *commands->kinds);
    stoa__heap_grow_free(&commands->heap, commands->handles, commands->handle_capacity,
                         sizeof *commands->handles);
    commands->kinds = NULL;
    commands->kind_count = commands->kind_capacity = 0;
    commands->handles = NULL;
    commands->handle_count = commands->handle_used = commands->handle_capacity = 0;
    for (uint32_t i = 0; i < STOA__KIND_CACHE; i++) {
        commands->type_cache[i] = commands->id_cache[i] = 0;
        commands->leads[i] = (stoa_lead){NULL, 0};
    }
}

/* Forgets the components that a buffer was told of; nothing may be recorded. */
static void kinds_forget(stoa_commands *commands) {
    stoa__map_fini(&commands->kinds_by_name, &commands->heap);
    stoa__heap_grow_free(&commands->heap, commands->kinds, commands->kind_capacity,
                         sizeof *commands->kinds);
    commands->kinds_by_name = (stoa__map){0};
    commands->kinds = NULL;
    commands->kind_count = commands->kind_capacity = 0;
    for (uint32_t i = 0; i < STOA__KIND_CACHE; i++) {
        commands->type_cache[i] = commands->id_cache[i] = 0;
        commands->leads[i] = (stoa_lead){NULL, 0};
    }
    commands->epoch++;
}

bool stoa__commands_pending(const stoa_world *world) {
    bool pending = world->buffers.deferred->count > 0 || world->buffers.deferred->flushing;
    for (const stoa_commands *at = world->buffers.first; at != NULL; at = at->next) {
        pending = pending || at->count > 0 || at->flushing;
    }
    return pending;
}

void stoa__commands_forget(stoa_world *world) {
    kinds_forget(world->buffers.deferred);
    for (stoa_commands *at = world->buffers.first; at != NULL; at = at->next) {
        kinds_forget(at);
    }
}

static void buffer_free(stoa_commands *commands) {
    stoa__heap_free(&commands->world->storage.heap, commands, sizeof *commands,
                    _Alignof(stoa_commands));
}

static void list_insert(stoa_commands **first, stoa_commands *commands) {
    commands->previous = NULL;
    commands->next = *first;
    if (*first != NULL) {
        (*first)->previous = commands;
    }
    *first = commands;
}

static void list_remove(stoa_commands **first, stoa_commands *commands) {
    if (commands->previous != NULL) {
        commands->previous->next = commands->next;
    } else {
        *first = commands->next;
    }
    if (commands->next != NULL) {
        commands->next->previous = commands->previous;
    }
}

stoa_commands *stoa_deferred(stoa_world *world) {
    if (world == NULL) {
        stoa__world_null(NULL, "world");
        return NULL;
    }
    return world->buffers.deferred;
}

stoa_commands *stoa_commands_new(stoa_world *world) {
    if (world == NULL) {
        stoa__world_null(NULL, "world");
        return NULL;
    }
    if ((world->storage.head.open & STOA__OPEN_FORK) != 0) {
        stoa__world_report(world, stoa__error(STOA_FORKED, "a command buffer cannot be made while "
                                                           "others are filled by threads"));
        return NULL;
    }
    stoa_commands *commands = buffer_new(world);
    if (commands == NULL) {
        stoa__world_report(world, STOA_NO_MEMORY);
        return NULL;
    }
    list_insert(&world->buffers.first, commands);
    return commands;
}

/* STOA_OK if what is recorded may be thrown away now; otherwise reported. */
static stoa_status discard_check(const stoa_commands *commands) {
    if (stoa__commands_forked(commands)) {
        return stoa__world_report(
            commands->world,
            stoa__error(STOA_FORKED,
                        "the command buffer is forked; call stoa_commands_join first"));
    }
    if (commands->flushing) {
        return stoa__world_report(commands->world,
                                  stoa__error(STOA_LOCKED, "the command buffer is being flushed"));
    }
    return STOA_OK;
}

stoa_status stoa_commands_free(stoa_commands *commands) {
    if (commands == NULL) {
        return STOA_OK;
    }
    stoa_status status = stoa__commands_usable(commands);
    if (status != STOA_OK) {
        return status;
    }
    stoa__buffers *buffers = &commands->world->buffers;
    if (commands == buffers->deferred) {
        return stoa__world_report(
            commands->world,
            stoa__error(STOA_INVALID, "the world's own command buffer cannot be freed"));
    }
    status = discard_check(commands);
    if (status != STOA_OK) {
        return status;
    }
    stoa__commands_discard(commands);
    buffer_empty(commands);
    list_remove(&buffers->first, commands);
#ifdef STOA_DEBUG
    commands->freed = true;
    list_insert(&buffers->freed, commands);
#else
    buffer_free(commands);
#endif
    return STOA_OK;
}

/* Ends a command that is not applied, with its parts: drops values, gives the slot back. */
static void command_discard(stoa_commands *commands, const stoa__command *command) {
    if (stoa__command_has_value(command->op)) {
        const stoa__kind *kind = &commands->kinds[command->kind];
        stoa__kind_drop(kind, stoa__command_value(command, kind));
    } else if (command->op == STOA__COMMAND_CREATE &&
               stoa__entities_held(&commands->world->storage, command->entity) != NULL) {
        stoa__entities_unhold(&commands->world->storage, command->entity, true);
    }
}

void stoa__commands_discard(stoa_commands *commands) {
    if (commands->owning || commands->creations > 0) {
        const stoa__command *command;
        while ((command = stoa__command_read(commands, &commands->place)) != NULL) {
            command_discard(commands, command);
        }
    }
    commands->epoch++;
    stoa__arena_clear(&commands->arena);
    commands->place = (stoa__arena_place){0};
    commands->count = 0;
    commands->creations = 0;
    commands->owning = false;
}

stoa_status stoa_commands_clear(stoa_commands *commands) {
    stoa_status status = stoa__commands_usable(commands);
    if (status == STOA_OK) {
        status = discard_check(commands);
    }
    if (status == STOA_OK) {
        stoa__commands_discard(commands);
    }
    return status;
}

stoa_world *stoa_commands_world(const stoa_commands *commands) {
    return stoa__commands_usable(commands) == STOA_OK ? commands->world : NULL;
}

int64_t stoa_commands_pending(const stoa_world *world) {
    if (world == NULL) {
        stoa__world_null(NULL, "world");
        return 0;
    }
    int64_t count = world->buffers.deferred->count;
    for (const stoa_commands *c = world->buffers.first; c != NULL; c = c->next) {
        count += c->count;
    }
    return count;
}

/* What a mark is compared by: it grows with everything that makes marks of the buffer void, and by
 * that alone. To be joined counts for one, to be forked for one at least. */
static uint32_t mark_epoch(const stoa_commands *commands) {
    return commands->epoch + 2 * (uint32_t)commands->turn + !stoa__commands_forked(commands);
}

stoa_commands_mark stoa_commands_mark_get(const stoa_commands *commands) {
    if (stoa__commands_usable(commands) != STOA_OK) {
        return (stoa_commands_mark){.block = NULL};
    }
    stoa__arena_mark mark = stoa__arena_mark_get(&commands->arena);
    return (stoa_commands_mark){.buffer = commands,
                                .block = mark.last,
                                .at = mark.next,
                                .count = commands->count,
                                .creations = commands->creations,
                                .handles = commands->handle_used,
                                .beyond = commands->beyond,
                                .epoch = mark_epoch(commands)};
}

stoa_status stoa_commands_rewind(stoa_commands *commands, stoa_commands_mark mark) {
    stoa_status status = stoa__commands_usable(commands);
    if (status != STOA_OK) {
        return status;
    }
    if (mark.buffer != commands) {
        return stoa__world_report(
            commands->world, stoa__error(STOA_INVALID, "the mark is of another command buffer"));
    }
    if (mark.epoch != mark_epoch(commands) || mark.count > commands->count) {
        return stoa__world_report(
            commands->world,
            stoa__error(STOA_INVALID,
                        "the buffer was applied, cleared, forked or joined since the mark"));
    }
    stoa__storage *storage = &commands->world->storage;
    stoa__arena_place place = {mark.block, mark.at};
    const stoa__command *command;
    while ((command = stoa__command_read(commands, &place)) != NULL) {
        if (stoa__command_has_value(command->op)) {
            const stoa__kind *kind = &commands->kinds[command->kind];
            stoa__kind_drop(kind, stoa__command_value(command, kind));
        } else if (command->op == STOA__COMMAND_CREATE && !stoa__commands_forked(commands)) {
            stoa__entities_unhold(storage, command->entity, false);
        }
    }
    stoa__arena_rewind(&commands->arena, (stoa__arena_mark){mark.block, mark.at});
    commands->count = mark.count;
    commands->creations = mark.creations;
    commands->handle_used = mark.handles;
    commands->beyond = mark.beyond;
    return STOA_OK;
}

int32_t stoa_commands_count(const stoa_commands *commands) {
    return stoa__commands_usable(commands) == STOA_OK ? commands->count : 0;
}

bool stoa_commands_empty(const stoa_commands *commands) {
    return stoa_commands_count(commands) == 0;
}

int64_t stoa_commands_skipped(const stoa_commands *commands) {
    return stoa__commands_usable(commands) == STOA_OK ? commands->skipped : 0;
}

int64_t stoa_commands_refused(const stoa_commands *commands) {
    return stoa__commands_usable(commands) == STOA_OK ? commands->refused : 0;
}

stoa_status stoa__commands_init(stoa_world *world) {
    world->buffers.turn = 1;
    world->buffers.deferred = buffer_new(world);
    return world->buffers.deferred != NULL ? STOA_OK : STOA_NO_MEMORY;
}

/* The buffer after `commands`, the world's own first; NULL after the last. */
static stoa_commands *buffer_after(const stoa_world *world, const stoa_commands *commands) {
    return commands == world->buffers.deferred ? world->buffers.first : commands->next;
}

bool stoa__commands_flushing(const stoa_world *world) {
    bool flushing = world->buffers.deferred->flushing;
    for (const stoa_commands *c = world->buffers.first; c != NULL && !flushing; c = c->next) {
        flushing = c->flushing;
    }
    return flushing;
}

void stoa__commands_free_all(stoa_world *world) {
    stoa__buffers *buffers = &world->buffers;
    for (stoa_commands *c = buffers->deferred; c != NULL;) {
        stoa_commands *next = buffer_after(world, c);
        for (uint32_t i = c->handle_used; i < c->handle_count; i++) {
            stoa__entities_unhold(&world->storage, c->handles[i], false);
        }
        stoa__commands_discard(c);
        buffer_empty(c);
        buffer_free(c);
        c = next;
    }
    while (buffers->freed != NULL) {
        stoa_commands *c = buffers->freed;
        buffers->freed = c->next;
        buffer_free(c);
    }
    stoa__commands_unfork(world);
    stoa__heap_grow_free(&world->storage.heap, buffers->forked, buffers->forked_capacity,
                         sizeof *buffers->forked);
    buffers->deferred = buffers->first = NULL;
    buffers->forked = NULL;
    buffers->forked_capacity = 0;
}

size_t stoa__commands_bytes(const stoa_world *world) {
    const stoa__buffers *buffers = &world->buffers;
    size_t bytes = buffers->forked_capacity * sizeof *buffers->forked;
    for (const stoa_commands *c = buffers->deferred; c != NULL; c = buffer_after(world, c)) {
        bytes += sizeof *c;
    }
    for (const stoa_commands *c = buffers->freed; c != NULL; c = c->next) {
        bytes += sizeof *c;
    }
    return bytes;
}

size_t stoa__commands_reserved(const stoa_world *world) {
    size_t bytes = 0;
    for (const stoa_commands *c = world->buffers.deferred; c != NULL; c = buffer_after(world, c)) {
        bytes += c->heap.used;
    }
    return bytes;
}

void stoa__commands_trim(stoa_world *world) {
    for (stoa_commands *c = world->buffers.deferred; c != NULL; c = buffer_after(world, c)) {
        if (c->count == 0 && !c->flushing && !stoa__commands_forked(c)) {
            buffer_empty(c);
        }
    }
}

/* Adds the slots that a buffer holds to `held`. */
static stoa_status buffer_check(const stoa_commands *commands, uint64_t *held) {
    const stoa__storage *storage = &commands->world->storage;
    int64_t count = 0, parts = 0, creations = 0;
    stoa__arena_place place = commands->place;
    const stoa__command *command;
    while ((command = stoa__command_read(commands, &place)) != NULL) {
        count += parts == 0;
        parts = parts > 0 ? parts - 1 : stoa__command_parts(command);
        if (command->op != STOA__COMMAND_CREATE) {
            continue;
        }
        creations++;
        if (stoa__commands_forked(commands) &&
            command->entity.index >= commands->world->buffers.forked_base) {
            continue;
        }
        (*held)++;
        if (stoa__entities_held(storage, command->entity) == NULL) {
            return stoa__error(STOA_CORRUPT, "the slot of entity %uv%u, to be created, is not held",
                               command->entity.index, command->entity.generation);
        }
    }
    for (uint32_t i = commands->handle_used; i < commands->handle_count; i++, (*held)++) {
        if (stoa__entities_held(storage, commands->handles[i]) == NULL) {
            return stoa__error(STOA_CORRUPT, "slot %u of a forked command buffer is not held",
                               commands->handles[i].index);
        }
    }
    return count == commands->count && creations == commands->creations && parts == 0
               ? STOA_OK
               : stoa__error(STOA_CORRUPT,
                             "a command buffer has %lld commands, of which %lld create, not %d, %u",
                             (long long)count, (long long)creations, commands->count,
                             commands->creations);
}

stoa_status stoa__commands_check(const stoa_world *world) {
    uint64_t held = 0;
    stoa_status status = STOA_OK;
    for (const stoa_commands *c = world->buffers.deferred; c != NULL && status == STOA_OK;
         c = buffer_after(world, c)) {
        status = buffer_check(c, &held);
    }
    if (status == STOA_OK && held != world->storage.reserved_count) {
        status = stoa__error(STOA_CORRUPT, "command buffers hold %llu slots, not %u",
                             (unsigned long long)held, world->storage.reserved_count);
    }
    return status;
}

void stoa__commands_merge(stoa_world *world, bool on) {
    world->buffers.apart = !on;
}
