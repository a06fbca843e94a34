/* Recording commands.
 *
 * A call checks what it can without looking at entities, then takes its place in the arena, then
 * moves the value in: a failing call records nothing and leaves the value alone. A component is
 * found in the buffer's table of kinds: where a descriptor or id was met lately by one look, else
 * by its name. Naming a component by its descriptor reads nothing of the world, and naming it by
 * its id only what never changes, so that forked buffers can be filled by a thread each. O(1) for a
 * command. */
#include "storage/entities.h"
#include "world/commands_buffer.h"
#include "world/guard.h"
#include "world/values.h"

/* The kind of a descriptor; 0 with the thread's error set. */
STOA__INLINE uint32_t type_kind(stoa_commands *commands, stoa_type *type) {
    if (STOA_LIKELY(type != NULL && commands->kind_count > 0)) {
        uint32_t kind = *stoa__kind_cached(commands, type);
        if (STOA_LIKELY(commands->kinds[kind].type == type)) {
            return kind;
        }
    }
    return stoa__kind_of_type(commands, type);
}

/* The kind of an id; 0 with the thread's error set. */
STOA__INLINE uint32_t id_kind(stoa_commands *commands, stoa_component id) {
    if (STOA_LIKELY(id != 0 && commands->kind_count > 0)) {
        uint32_t kind = commands->id_cache[id & (STOA__KIND_CACHE - 1)];
        const stoa__kind *k = &commands->kinds[kind];
        if (STOA_LIKELY(k->id == id && k->type == NULL)) {
            return kind;
        }
    }
    return stoa__kind_of_id(commands, id);
}

/* Takes the place of a command or part; NULL with the thread's error set. */
STOA__INLINE stoa__command *command_take(stoa_commands *commands, stoa_entity e, uint32_t kind,
                                         stoa__command_op op) {
    const stoa__kind *k = stoa__command_has_value(op) ? &commands->kinds[kind] : NULL;
    uint8_t *at = stoa__arena_room(&commands->arena, &commands->heap,
                                   k != NULL ? k->room : sizeof(stoa__command));
    if (!STOA_LIKELY(at != NULL)) {
        stoa__error_memory("recording a command");
        return NULL;
    }
    stoa__command *command = (stoa__command *)(void *)at;
    uint8_t *end = k != NULL ? stoa__command_value_end(command, k) : at + sizeof *command;
    stoa__arena_take(&commands->arena, end);
    size_t units = (size_t)(commands->arena.next - at) / STOA__ARENA_UNIT;
    *command = (stoa__command){e, kind, (uint16_t)op, units <= UINT16_MAX ? (uint16_t)units : 0};
    return command;
}

/* Moves a caller's value behind its command. */
STOA__INLINE void value_take(stoa_commands *commands, const stoa__command *command,
                             const void *data) {
    const stoa__kind *kind = &commands->kinds[command->kind];
    uint8_t *to = stoa__command_value(command, kind);
    if (STOA_LIKELY(kind->move == NULL)) {
        stoa__value_copy(to, data, kind->size);
    } else {
        kind->move(to, (void *)(uintptr_t)data, 1, kind->user);
    }
    commands->owning |= kind->drop != NULL;
}

/* STOA_OK if one more command can be counted; otherwise the thread's error is set. */
STOA__INLINE stoa_status count_check(const stoa_commands *commands) {
    return STOA_LIKELY(commands->count < INT32_MAX)
               ? STOA_OK
               : stoa__error(STOA_LIMIT, "a command buffer holds at most %d commands", INT32_MAX);
}

/* True if a system records into a buffer that is not one of its jobs': other threads may do the
 * same. Told in a debug build only. */
STOA__INLINE bool buffer_foreign(const stoa_commands *commands) {
#ifdef STOA_DEBUG
    return !stoa__commands_forked(commands) &&
           (commands->world->storage.head.open & STOA__OPEN_FORK) != 0 &&
           stoa__guard_name(commands->world) != NULL;
#else
    (void)commands;
    return false;
#endif
}

/* STOA_OK if something can be recorded; otherwise reported. */
STOA__COLD static stoa_status buffer_fail(const stoa_commands *commands) {
    stoa_status status = stoa__commands_usable(commands);
#ifdef STOA_DEBUG
    if (commands != NULL && status == STOA_OK && buffer_foreign(commands)) {
        status = stoa__world_report(
            commands->world,
            stoa__error(STOA_ACCESS, "system '%s' records into a buffer that is not its job's",
                        stoa__guard_name(commands->world)));
    }
#endif
    return status;
}

STOA__INLINE bool buffer_good(const stoa_commands *commands) {
    return STOA_LIKELY(commands != NULL && !commands->freed && !buffer_foreign(commands));
}

/* Why a buffer or an entity cannot be used, reported; STOA_OK if they can. */
STOA__COLD static stoa_status target_fail(const stoa_commands *commands, stoa_entity e) {
    stoa_status status = buffer_fail(commands);
    if (status == STOA_OK && stoa_entity_is_null(e)) {
        status = stoa__world_dead(commands->world, e);
    }
    return status;
}

STOA__INLINE stoa_status target_check(const stoa_commands *commands, stoa_entity e) {
    return STOA_LIKELY(buffer_good(commands) && !stoa_entity_is_null(e)) ? STOA_OK
                                                                         : target_fail(commands, e);
}

/* Reports the thread's error. */
STOA__COLD static stoa_status record_fail(const stoa_commands *commands) {
    return stoa__world_report(commands->world, stoa_last_error().status);
}

/* The room of a command in the arena's block, which it takes; NULL if there is none, or it cannot
 * be counted. */
STOA__INLINE stoa__command *room_take(stoa_commands *commands, size_t extent) {
    uint8_t *at = commands->arena.next;
    if (!STOA_LIKELY(!buffer_foreign(commands) && commands->count < INT32_MAX &&
                     (uintptr_t)commands->arena.end - (uintptr_t)at >= extent)) {
        return NULL;
    }
    commands->arena.next = at + extent;
    commands->count++;
    return (stoa__command *)(void *)at;
}

/* Records a command with a value, if all is in order and the value is nothing but bytes. */
STOA__INLINE bool value_record(stoa_commands *commands, stoa_entity e, uint32_t kind,
                               const void *data) {
    const stoa__kind *k = &commands->kinds[kind];
    size_t extent = k->extent;
    stoa__command *command =
        STOA_LIKELY(extent != 0 && data != NULL) ? room_take(commands, extent) : NULL;
    if (!STOA_LIKELY(command != NULL)) {
        return false;
    }
    *command = (stoa__command){e, kind, STOA__COMMAND_SET, (uint16_t)(extent / STOA__ARENA_UNIT)};
    stoa__value_copy((uint8_t *)(command + 1), data, k->size);
    return true;
}

/* Records a command on one component; `kind` is 0 if finding it failed. */
STOA__APART static stoa_status command_record(stoa_commands *commands, stoa_entity e, uint32_t kind,
                                              stoa__command_op op, const void *data) {
    if (!STOA_LIKELY(kind != 0)) {
        return record_fail(commands);
    }
    if (stoa__command_has_value(op) && data == NULL && commands->kinds[kind].size != 0) {
        return stoa__world_null(commands->world, "value");
    }
    if (!STOA_LIKELY(count_check(commands) == STOA_OK)) {
        return record_fail(commands);
    }
    const stoa__command *command = command_take(commands, e, kind, op);
    if (!STOA_LIKELY(command != NULL)) {
        return record_fail(commands);
    }
    if (stoa__command_has_value(op) && commands->kinds[kind].size != 0) {
        value_take(commands, command, data);
    }
    commands->count++;
    return STOA_OK;
}

/* stoa_commands_destroy_any where anything is out of the ordinary. */
STOA__APART static stoa_status destroy_record(stoa_commands *commands, stoa_entity e) {
    stoa_status status = target_check(commands, e);
    if (commands == NULL || status != STOA_OK) {
        return status;
    }
    if (count_check(commands) != STOA_OK ||
        command_take(commands, e, 0, STOA__COMMAND_DESTROY) == NULL) {
        return record_fail(commands);
    }
    commands->count++;
    return STOA_OK;
}

/* A value has not the size of its type. */
STOA__COLD static stoa_status size_fail(const stoa_commands *commands, uint32_t kind, size_t size) {
    const stoa__kind *k = &commands->kinds[kind];
    return stoa__world_report(
        commands->world,
        stoa__error(STOA_INVALID, "'%s' has %u bytes, the value %zu", k->name, k->size, size));
}

stoa_status stoa_commands_send_id(stoa_commands *commands, stoa_entity target, stoa_component id,
                                  const void *value, size_t size) {
    if (commands == NULL || !buffer_good(commands)) {
        return buffer_fail(commands);
    }
    uint32_t kind = id_kind(commands, id);
    return kind != 0 && size != commands->kinds[kind].size
               ? size_fail(commands, kind, size)
               : command_record(commands, target, kind, STOA__COMMAND_SEND, value);
}

stoa_status stoa_commands_send_type(stoa_commands *commands, stoa_entity target, stoa_type *type,
                                    const void *value) {
    return commands == NULL || !buffer_good(commands)
               ? buffer_fail(commands)
               : command_record(commands, target, type_kind(commands, type), STOA__COMMAND_SEND,
                                value);
}

stoa_status stoa_commands_call(stoa_commands *commands, stoa_command_fn call, const void *data,
                               size_t size) {
    if (commands == NULL || !buffer_good(commands)) {
        return buffer_fail(commands);
    }
    if (call == NULL || (data == NULL && size != 0)) {
        return stoa__world_null(commands->world, call == NULL ? "function to call" : "data");
    }
    if (size > STOA_CALL_MAX) {
        return stoa__world_report(commands->world,
                                  stoa__error(STOA_LIMIT,
                                              "%zu bytes for a call are over the %u "
                                              "that a command takes",
                                              size, (unsigned)STOA_CALL_MAX));
    }
    if (count_check(commands) != STOA_OK) {
        return record_fail(commands);
    }
    size_t room = sizeof(stoa__command) + sizeof(stoa__call) + size;
    uint8_t *at = stoa__arena_room(&commands->arena, &commands->heap, room);
    if (at == NULL) {
        stoa__error_memory("recording a command");
        return record_fail(commands);
    }
    stoa__arena_take(&commands->arena, at + room);
    stoa__command *command = (stoa__command *)(void *)at;
    size_t units = (size_t)(commands->arena.next - at) / STOA__ARENA_UNIT;
    *command = (stoa__command){STOA_NULL, 0, STOA__COMMAND_CALL, (uint16_t)units};
    stoa__call *called = (stoa__call *)(void *)(command + 1);
    *called = (stoa__call){call, size};
    if (size != 0) {
        memcpy(called + 1, data, size);
    }
    commands->count++;
    return STOA_OK;
}

/* A buffer that was freed has no room. */
stoa_status stoa_commands_destroy_any(stoa_commands *commands, stoa_entity e) {
    stoa__command *command = STOA_LIKELY(commands != NULL && !stoa_entity_is_null(e))
                                 ? room_take(commands, sizeof *command)
                                 : NULL;
    if (!STOA_LIKELY(command != NULL)) {
        return destroy_record(commands, e);
    }
    *command =
        (stoa__command){e, 0, STOA__COMMAND_DESTROY, sizeof(stoa__command) / STOA__ARENA_UNIT};
    return STOA_OK;
}

stoa_status stoa_commands_set_id(stoa_commands *commands, stoa_entity e, stoa_component id,
                                 const void *value, size_t size) {
    stoa_status status = target_check(commands, e);
    if (!STOA_LIKELY(status == STOA_OK)) {
        return status;
    }
    uint32_t kind = id_kind(commands, id);
    if (kind != 0 && size != commands->kinds[kind].size) {
        return size_fail(commands, kind, size);
    }
    return STOA_LIKELY(kind != 0 && value_record(commands, e, kind, value))
               ? STOA_OK
               : command_record(commands, e, kind, STOA__COMMAND_SET, value);
}

/* stoa_commands_set_type where anything is out of the ordinary. */
STOA__APART static stoa_status set_record(stoa_commands *commands, stoa_entity e, stoa_type *type,
                                          const void *value) {
    stoa_status status = target_check(commands, e);
    return commands != NULL && status == STOA_OK
               ? command_record(commands, e, type_kind(commands, type), STOA__COMMAND_SET, value)
               : status;
}

/* A buffer that was freed has no kinds. */
stoa_status stoa_commands_set_type(stoa_commands *commands, stoa_entity e, stoa_type *type,
                                   const void *value) {
    if (STOA_LIKELY(commands != NULL && type != NULL && !stoa_entity_is_null(e))) {
        uint32_t kind = *stoa__kind_cached(commands, type);
        if (STOA_LIKELY(kind != 0 && commands->kinds[kind].type == type &&
                        value_record(commands, e, kind, value))) {
            return STOA_OK;
        }
    }
    return set_record(commands, e, type, value);
}

stoa_status stoa_commands_add_id(stoa_commands *commands, stoa_entity e, stoa_component id) {
    stoa_status status = target_check(commands, e);
    return status == STOA_OK
               ? command_record(commands, e, id_kind(commands, id), STOA__COMMAND_ADD, NULL)
               : status;
}

stoa_status stoa_commands_add_type(stoa_commands *commands, stoa_entity e, stoa_type *type) {
    stoa_status status = target_check(commands, e);
    return status == STOA_OK
               ? command_record(commands, e, type_kind(commands, type), STOA__COMMAND_ADD, NULL)
               : status;
}

stoa_status stoa_commands_remove_id(stoa_commands *commands, stoa_entity e, stoa_component id) {
    stoa_status status = target_check(commands, e);
    return status == STOA_OK
               ? command_record(commands, e, id_kind(commands, id), STOA__COMMAND_REMOVE, NULL)
               : status;
}

stoa_status stoa_commands_remove_type(stoa_commands *commands, stoa_entity e, stoa_type *type) {
    stoa_status status = target_check(commands, e);
    return status == STOA_OK
               ? command_record(commands, e, type_kind(commands, type), STOA__COMMAND_REMOVE, NULL)
               : status;
}

static stoa_status enable_record(stoa_commands *commands, stoa_entity e, uint32_t kind, bool on) {
    if (kind != 0 && (commands->kinds[kind].flags & STOA_SWITCHABLE) == 0) {
        return stoa__world_report(commands->world,
                                  stoa__error(STOA_INVALID, "component '%s' cannot be switched off",
                                              commands->kinds[kind].name));
    }
    return command_record(commands, e, kind, on ? STOA__COMMAND_ENABLE : STOA__COMMAND_DISABLE,
                          NULL);
}

stoa_status stoa_commands_enable_id(stoa_commands *commands, stoa_entity e, stoa_component id,
                                    bool on) {
    stoa_status status = target_check(commands, e);
    return status == STOA_OK ? enable_record(commands, e, id_kind(commands, id), on) : status;
}

stoa_status stoa_commands_enable_type(stoa_commands *commands, stoa_entity e, stoa_type *type,
                                      bool on) {
    stoa_status status = target_check(commands, e);
    return status == STOA_OK ? enable_record(commands, e, type_kind(commands, type), on) : status;
}

/* What the next bundle marks the kinds with that it names. */
static void stamp_next(stoa_commands *commands) {
    if (++commands->stamp == 0) {
        for (uint32_t i = 0; i < commands->kind_count; i++) {
            commands->kinds[i].stamp = 0;
        }
        commands->stamp = 1;
    }
}

/* Takes the place of one part of a bundle; its value is moved in later. */
static stoa_status part_take(stoa_commands *commands, const stoa_value *value, int32_t index,
                             bool drops) {
    if (value->op != STOA_PUT && !(drops && value->op == STOA_DROP)) {
        return stoa__error(STOA_INVALID, "value %d of the bundle is not one to put", index);
    }
    uint32_t kind =
        value->type != NULL ? type_kind(commands, value->type) : id_kind(commands, value->id);
    if (kind == 0) {
        return stoa_last_error().status;
    }
    const stoa__kind *k = &commands->kinds[kind];
    stoa__kind *named = &commands->kinds[k->same];
    if (named->stamp == commands->stamp) {
        return stoa__error(STOA_DUPLICATE, "component '%s' is named twice", k->name);
    }
    named->stamp = commands->stamp;
    stoa__command_op op = value->op == STOA_DROP ? STOA__COMMAND_REMOVE
                          : value->data != NULL  ? STOA__COMMAND_SET
                                                 : STOA__COMMAND_ZERO;
    return command_take(commands, STOA_NULL, kind, op) != NULL ? STOA_OK : STOA_NO_MEMORY;
}

/* Takes the places of a creation or change and its parts, without an entity and without values. On
 * error nothing is taken. */
static stoa_status bundle_take(stoa_commands *commands, stoa__command_op op,
                               const stoa_value *values, int32_t count) {
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
    stoa_status status = count_check(commands);
    if (status != STOA_OK) {
        return status;
    }
    stoa__arena_mark mark = stoa__arena_mark_get(&commands->arena);
    stoa__command *command = command_take(commands, STOA_NULL, 0, op);
    status = command != NULL ? STOA_OK : STOA_NO_MEMORY;
    stamp_next(commands);
    for (int32_t i = 0; i < count && status == STOA_OK; i++) {
        status = part_take(commands, &values[i], i, op == STOA__COMMAND_CHANGE);
    }
    if (status != STOA_OK) {
        stoa__arena_rewind(&commands->arena, mark);
        return status;
    }
    command->extent = (uint16_t)count;
    return STOA_OK;
}

/* Gives a bundle that was taken at `mark` its entity and its values. */
static void bundle_fill(stoa_commands *commands, stoa__arena_mark mark, stoa_entity e,
                        const stoa_value *values) {
    stoa__arena_place place = {mark.last, mark.next};
    stoa__command *command = stoa__command_read(commands, &place);
    command->entity = e;
    for (uint32_t i = 0, n = command->extent; i < n; i++) {
        command = stoa__command_read(commands, &place);
        command->entity = e;
        if (command->op == STOA__COMMAND_SET && commands->kinds[command->kind].size != 0) {
            value_take(commands, command, values[i].data);
        }
    }
    commands->count++;
}

/* A handle for a creation; STOA_NULL with the thread's error set. */
static stoa_entity handle_take(stoa_commands *commands) {
    if (stoa__commands_forked(commands)) {
        return stoa__commands_deal(commands);
    }
    stoa__storage *storage = &commands->world->storage;
    if ((storage->head.open & STOA__OPEN_FORK) != 0) {
        stoa__error(STOA_FORKED, "a command buffer that is not forked cannot create entities "
                                 "while others are");
        return STOA_NULL;
    }
    if (!stoa__entities_ready(storage) && stoa__entities_reserve(storage, 1) != STOA_OK) {
        return STOA_NULL;
    }
    return stoa__entities_hold(storage);
}

stoa_entity stoa_commands_create_values(stoa_commands *commands, const stoa_value *values,
                                        int32_t count) {
    if (commands == NULL || !buffer_good(commands)) {
        (void)buffer_fail(commands);
        return STOA_NULL;
    }
    stoa__arena_mark mark = stoa__arena_mark_get(&commands->arena);
    if (bundle_take(commands, STOA__COMMAND_CREATE, values, count) != STOA_OK) {
        record_fail(commands);
        return STOA_NULL;
    }
    stoa_entity e = handle_take(commands);
    if (stoa_entity_is_null(e)) {
        stoa__arena_rewind(&commands->arena, mark);
        record_fail(commands);
        return STOA_NULL;
    }
    bundle_fill(commands, mark, e, values);
    commands->creations++;
    return e;
}

stoa_entity stoa_commands_create(stoa_commands *commands) {
    return stoa_commands_create_values(commands, NULL, 0);
}

stoa_status stoa_commands_change_values(stoa_commands *commands, stoa_entity e,
                                        const stoa_value *values, int32_t count) {
    stoa_status status = target_check(commands, e);
    if (status != STOA_OK) {
        return status;
    }
    stoa__arena_mark mark = stoa__arena_mark_get(&commands->arena);
    if (bundle_take(commands, STOA__COMMAND_CHANGE, values, count) != STOA_OK) {
        return record_fail(commands);
    }
    bundle_fill(commands, mark, e, values);
    return STOA_OK;
}
