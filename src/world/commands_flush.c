/* Applying commands, in the order they were recorded.
 *
 * A command leaves the buffer before it is applied and comes back if it fails, so that hooks see a
 * buffer that is whole, and may record more: those are applied in the same flush, at the end.
 * Commands on one entity that follow each other are merged (see commands_merge.c) unless somebody
 * wants to be told of every change. A command costs what the call does that it stands for. */
#include "storage/entities.h"
#include "world/commands_birth.h"

/* Drops the values of a command that is not applied. */
static void command_drop(stoa_commands *commands, const stoa__command *command,
                         stoa__arena_place parts) {
    for (uint32_t n = stoa__command_parts(command);; n--) {
        if (stoa__command_has_value(command->op)) {
            const stoa__kind *kind = &commands->kinds[command->kind];
            stoa__kind_drop(kind, stoa__command_value(command, kind));
        }
        if (n == 0) {
            return;
        }
        command = stoa__command_read(commands, &parts);
    }
}

/* The entity of a command is dead: drops its values and counts it. */
static void command_skip(stoa_commands *commands, const stoa__command *command,
                         stoa__arena_place parts) {
    commands->skipped++;
    command_drop(commands, command, parts);
}

/* A command was refused: it is done with, and what it would have made never lives. */
STOA__COLD static void command_refuse(stoa_commands *commands, const stoa__command *command,
                                      stoa__arena_place parts) {
    commands->refused++;
    command_drop(commands, command, parts);
    if (command->op == STOA__COMMAND_CREATE) {
        stoa__entities_unhold(&commands->world->storage, command->entity, true);
    }
}

/* Calls the function of a command. A failure is its own to report. */
static stoa_status call_apply(stoa_commands *commands, const stoa__command *command) {
    const stoa__call *called = (const stoa__call *)(const void *)(command + 1);
    stoa_status status = called->call(commands->world, called + 1, called->size);
    commands->world->hooks.refused = status != STOA_NO_MEMORY;
    return status;
}

/* Applies a creation or change that is not merged with others. */
static stoa_status bundle_apply(stoa_commands *commands, const stoa__command *command,
                                stoa__arena_place parts) {
    stoa_value values[STOA_BUNDLE_MAX];
    for (uint32_t i = 0; i < command->extent; i++) {
        const stoa__command *part = stoa__command_read(commands, &parts);
        stoa_component id = stoa__kind_id(commands, part->kind);
        if (id == 0) {
            return stoa__world_report(commands->world, stoa_last_error().status);
        }
        values[i] = (stoa_value){.id = id, .op = STOA_PUT};
        if (part->op == STOA__COMMAND_REMOVE) {
            values[i].op = STOA_DROP;
        } else if (part->op == STOA__COMMAND_SET) {
            values[i].data = stoa__command_value(part, &commands->kinds[part->kind]);
        }
    }
    return command->op == STOA__COMMAND_CREATE
               ? stoa__world_birth(commands->world, command->entity, values, command->extent)
               : stoa_change_values(commands->world, command->entity, values, command->extent);
}

/* Applies a command on one component of a live entity. */
STOA__INLINE stoa_status component_apply(stoa_commands *commands, const stoa__command *command) {
    stoa_world *world = commands->world;
    stoa_component id = stoa__kind_id(commands, command->kind);
    if (!STOA_LIKELY(id != 0)) {
        return stoa__world_report(world, stoa_last_error().status);
    }
    const stoa__kind *kind = &commands->kinds[command->kind];
    switch (command->op) {
    case STOA__COMMAND_SET:
        return stoa_set_id(world, command->entity, id, stoa__command_value(command, kind),
                           kind->size);
    case STOA__COMMAND_ADD:
        return stoa_add_id(world, command->entity, id);
    case STOA__COMMAND_REMOVE:
        return stoa_remove_id(world, command->entity, id);
    default:
        return stoa__world_value(world, command->entity, id) != NULL
                   ? stoa_enable_id(world, command->entity, id, command->op == STOA__COMMAND_ENABLE)
                   : STOA_OK;
    }
}

/* Sends an event; one to an entity that is dead is skipped. */
static stoa_status event_apply(stoa_commands *commands, const stoa__command *command,
                               stoa__arena_place parts) {
    stoa_world *world = commands->world;
    if (!stoa_entity_is_null(command->entity) &&
        stoa__entities_find(&world->storage, command->entity) == NULL) {
        command_skip(commands, command, parts);
        return STOA_OK;
    }
    stoa_component id = stoa__kind_id(commands, command->kind);
    if (id == 0) {
        return stoa__world_report(world, stoa_last_error().status);
    }
    const stoa__kind *kind = &commands->kinds[command->kind];
    return stoa_event_send_id(world, command->entity, id, stoa__command_value(command, kind),
                              kind->size);
}

/* Applies one command; `parts` is the place after it. */
STOA__INLINE stoa_status command_apply(stoa_commands *commands, const stoa__command *command,
                                       stoa__arena_place parts) {
    if (command->op == STOA__COMMAND_CREATE) {
        return bundle_apply(commands, command, parts);
    }
    if (command->op == STOA__COMMAND_SEND) {
        return event_apply(commands, command, parts);
    }
    if (command->op == STOA__COMMAND_CALL) {
        return call_apply(commands, command);
    }
    if (!STOA_LIKELY(stoa__entities_find(&commands->world->storage, command->entity) != NULL)) {
        command_skip(commands, command, parts);
        return STOA_OK;
    }
    if (command->op == STOA__COMMAND_DESTROY) {
        return stoa_destroy(commands->world, command->entity);
    }
    return command->op == STOA__COMMAND_CHANGE ? bundle_apply(commands, command, parts)
                                               : component_apply(commands, command);
}

/* Applies the command at the buffer's place, which moves on; back if that fails. */
STOA__INLINE stoa_status command_step(stoa_commands *commands, const stoa__command *command,
                                      stoa__arena_place parts, stoa__arena_place after) {
    stoa__arena_place start = commands->place;
    uint32_t creates = command->op == STOA__COMMAND_CREATE;
    commands->place = after;
    commands->count--;
    commands->creations -= creates;
    commands->world->hooks.refused = false;
    stoa_status status = command_apply(commands, command, parts);
    if (!STOA_LIKELY(status == STOA_OK) && commands->world->hooks.refused) {
        command_refuse(commands, command, parts);
        status = STOA_OK;
    }
    if (!STOA_LIKELY(status == STOA_OK)) {
        commands->place = start;
        commands->count++;
        commands->creations += creates;
    }
    return status;
}

/* True if a command may be the first of a run: the one after does the same to another entity. */
STOA__INLINE bool command_leads(const stoa__command *command, const stoa__command *next) {
    return next->op == command->op && next->kind == command->kind &&
           command->op >= STOA__COMMAND_DESTROY && command->op < STOA__COMMAND_ENABLE;
}

/* True if commands may be applied together: nobody asked for the contrary, and no hook has left an
 * iteration open, which the direct calls refuse. */
STOA__INLINE bool commands_together(const stoa_world *world) {
    return STOA_LIKELY(!world->buffers.apart && world->storage.head.open == 0);
}

/* Applies commands until one fails or all are done. */
static stoa_status commands_apply(stoa_commands *commands) {
    stoa_status status = STOA_OK;
    const stoa__command *command;
    while (STOA_LIKELY(status == STOA_OK) &&
           (command = stoa__arena_peek(&commands->arena, &commands->place)) != NULL) {
        if (command->op == STOA__COMMAND_CREATE && commands_together(commands->world) &&
            stoa__commands_births(commands)) {
            continue;
        }
        stoa__arena_place after = commands->place;
        stoa__command_pass(commands, command, &after);
        stoa__arena_place parts = after;
        for (uint32_t i = stoa__command_parts(command); i > 0; i--) {
            stoa__command_read(commands, &after);
        }
        const stoa__command *next = stoa__arena_peek(&commands->arena, &after);
        bool done = false, together = commands_together(commands->world);
        if (together && (stoa__command_is_bundle(command) ||
                         (next != NULL && stoa_entity_eq(next->entity, command->entity)))) {
            status = stoa__commands_group(commands, &done);
        } else if (together && next != NULL && command_leads(command, next)) {
            done = stoa__commands_run(commands, command);
        }
        if (!done) {
            status = command_step(commands, command, parts, after);
        }
    }
    return status;
}

/* STOA_OK if the buffer may be applied now; otherwise reported. */
static stoa_status flush_check(const stoa_commands *commands) {
    stoa_status status = stoa__commands_usable(commands);
    if (status != STOA_OK) {
        return status;
    }
    if ((commands->world->storage.head.open & STOA__OPEN_HOOK) != 0 || commands->flushing) {
        return stoa__world_report(
            commands->world, stoa__error(STOA_LOCKED, "commands cannot be flushed inside a hook"));
    }
    return stoa__world_may_change(commands->world);
}

stoa_status stoa_commands_flush(stoa_commands *commands) {
    stoa_status status = flush_check(commands);
    if (status != STOA_OK) {
        return status;
    }
    commands->flushing = true;
    commands->epoch++;
    status = commands_apply(commands);
    commands->flushing = false;
    if (status == STOA_OK) {
        commands->owning = false;
        stoa__arena_clear(&commands->arena);
        commands->place = (stoa__arena_place){0};
    }
    return status;
}

/* True if creations of buffers from this one on may be applied together. */
STOA__INLINE bool buffers_together(const stoa_commands *commands) {
    return commands != NULL && commands->creations > 0 && !commands->freed &&
           commands_together(commands->world);
}

/* True if there is nothing to apply in a buffer, and nothing to be said against it. */
STOA__INLINE bool buffer_idle(const stoa_commands *commands) {
    return commands != NULL && commands->count == 0 && !commands->freed &&
           !stoa__commands_forked(commands);
}

/* The first buffer from one on that is not idle, or the end. */
static int32_t idle_pass(stoa_commands *const *buffers, int32_t at, int32_t count) {
    while (at < count && buffer_idle(buffers[at])) {
        at++;
    }
    return at;
}

stoa_status stoa_commands_flush_crew(stoa_commands *const *buffers, int32_t count, int32_t *done,
                                     const stoa_flush_crew *crew) {
    if (done == NULL || buffers == NULL) {
        return stoa__world_null(NULL, done == NULL ? "number that are done" : "list of buffers");
    }
    if (count < 0 || *done < 0) {
        return stoa__world_report(NULL, stoa__error(STOA_INVALID, "buffer %d of %d", *done, count));
    }
    if (crew != NULL && crew->run == NULL) {
        return stoa__world_null(NULL, "function that runs lanes");
    }
    stoa_status status = STOA_OK;
    int32_t seen = *done;
    while ((*done = idle_pass(buffers, *done, count)) < count && status == STOA_OK) {
        if (*done >= seen && buffers_together(buffers[*done])) {
            *done += stoa__commands_share(buffers, *done, count, crew, &seen);
            if (*done == count || buffer_idle(buffers[*done])) {
                continue;
            }
        }
        status = stoa_commands_flush(buffers[*done]);
        *done += status == STOA_OK;
    }
    return status;
}

stoa_status stoa_commands_flush_all(stoa_commands *const *buffers, int32_t count, int32_t *done) {
    return stoa_commands_flush_crew(buffers, count, done, NULL);
}

stoa_status stoa_flush(stoa_world *world) {
    return world != NULL ? stoa_commands_flush(world->buffers.deferred)
                         : stoa__world_null(NULL, "world");
}
