/* A command buffer, as the files that fill and apply it see it.
 *
 * Commands stand one after the other in an arena: a header of 16 bytes, and behind it the value if
 * there is one, at its alignment. A creation or change is followed by its parts, which are commands
 * too. What a component is, and how its values are moved and dropped, stands in a table of kinds:
 * recording with a descriptor needs nothing of the world. */
#ifndef STOA_WORLD_COMMANDS_BUFFER_H
#define STOA_WORLD_COMMANDS_BUFFER_H

#include "base/arena.h"
#include "world/world.h"

typedef enum stoa__command_op {
    STOA__COMMAND_CREATE, /* with `count` parts */
    STOA__COMMAND_CHANGE, /* with `count` parts */
    STOA__COMMAND_DESTROY,
    STOA__COMMAND_SET,  /* the value follows */
    STOA__COMMAND_ZERO, /* a part: put zeroed, or overwritten with zeros */
    STOA__COMMAND_ADD,
    STOA__COMMAND_REMOVE,
    STOA__COMMAND_ENABLE,
    STOA__COMMAND_DISABLE,
    STOA__COMMAND_SEND, /* an event to the entity, which may be null; the value follows */
    STOA__COMMAND_CALL  /* a function; a stoa__call follows, and its data */
} stoa__command_op;

typedef struct stoa__command {
    stoa_entity entity;
    uint32_t kind;   /* which component, 0 for none */
    uint16_t op;     /* of stoa__command_op */
    uint16_t extent; /* of a bundle: parts that follow; else its size in units of the arena, 0 if
                        that is too large to be told here */
} stoa__command;

/* What follows the entity in a command of so many bytes, as one number. */
STOA__INLINE uint64_t stoa__command_does(uint32_t kind, stoa__command_op op, size_t extent) {
    stoa__command command = {STOA_NULL, kind, (uint16_t)op, (uint16_t)(extent / STOA__ARENA_UNIT)};
    return stoa_bits_read(&command.kind);
}

/* What a command does, without its entity: see stoa__command_does. */
STOA__INLINE uint64_t stoa__command_word(const uint8_t *at) {
    return stoa_bits_read(at + offsetof(stoa__command, kind));
}

/* What follows a command that calls a function; its data come after. */
typedef struct stoa__call {
    stoa_command_fn call;
    size_t size;
} stoa__call;

/* A component as it was named: by a descriptor, or by its id. */
typedef struct stoa__kind {
    stoa_type *type;   /* NULL: named by its id */
    stoa_component id; /* 0: the descriptor was not met by the world yet */
    uint32_t size;
    size_t alignment;
    size_t room;   /* bytes that a command with a value takes at most */
    size_t extent; /* bytes that it takes wherever it is; 0 if that differs, or values have hooks
                    */
    stoa_move_fn move;
    stoa_drop_fn drop;
    void *user;
    const char *name;
    uint32_t same;  /* the first kind of that name */
    uint32_t stamp; /* of the last bundle that named it, if it is the first of its name */
    uint32_t flags; /* of stoa_type_flag */
} stoa__kind;

/* Kinds that are found without a search, a power of two. */
#define STOA__KIND_CACHE STOA_LEADS
/* Handles beyond the entity table that a forked buffer takes in a row. */
#define STOA__FORK_RUN 8u

struct stoa_commands {
    union {
        stoa_commands_head head; /* must be first */
        struct {
            stoa__arena arena;
            int32_t count; /* commands that are not applied */
        };                 /* of the head */
    };
    /* What forking, joining and an empty flush look at stands together. */
    stoa_world *world;
    uint64_t turn;      /* the world's when it was last forked: it is while they are the same */
    uint32_t creations; /* of the commands, those that hold a slot */
    bool owning;        /* values that have a drop hook were recorded since it was empty */
    bool flushing;
    bool freed;
    uint32_t handle_count;
    uint32_t handle_used;
    uint32_t beyond; /* handles past the entity table that were given out */
    uint32_t wanted; /* handles given out in the last fork */
    uint32_t peak;   /* the most handles given out in one fork, lately */
    uint32_t fork_index;
    stoa_entity *handles; /* held for this fork, in the order they are given out */
    uint32_t handle_capacity;
    uint32_t stamp;     /* of the last bundle */
    uint32_t epoch;     /* moves on when it is applied or cleared: marks of it are void then */
    uint32_t row_first; /* while threads fill rows: the first of its own, of all these rows */
    bool alike;         /* and it holds nothing but creations like those of the first buffer */

    stoa__arena_place place; /* of the first command that is not applied */
    int64_t skipped;
    int64_t refused;
    stoa__kind *kinds; /* kind 0 is none */
    uint32_t kind_count;
    uint32_t kind_capacity;
    stoa_lead leads[STOA_LEADS];
    uint32_t type_cache[STOA__KIND_CACHE];
    uint32_t id_cache[STOA__KIND_CACHE];
    stoa__map kinds_by_name;

    stoa_commands *next; /* in the world's list */
    stoa_commands *previous;
    stoa__heap heap; /* of its own: threads must not share the world's counters */
};

/* True while a thread fills a buffer. */
static inline bool stoa__commands_forked(const stoa_commands *commands) {
    return commands->turn == commands->world->buffers.turn;
}

/* STOA_OK if the buffer is there and was not freed; otherwise reported. */
stoa_status stoa__commands_usable(const stoa_commands *commands);

/* Drops what is recorded and gives the handles of creations back. */
void stoa__commands_discard(stoa_commands *commands);

/* The next handle of a forked buffer; STOA_NULL at the limit, with the thread's error set. */
stoa_entity stoa__commands_deal(stoa_commands *commands);

/* Ends the fork of the world, if there is one; the buffers are forked no more. */
void stoa__commands_unfork(stoa_world *world);

/* Where the kind of a descriptor is found that was met lately. */
STOA__INLINE uint32_t *stoa__kind_cached(stoa_commands *commands, const stoa_type *type) {
    return &commands->type_cache[stoa_lead_index(type)];
}

/* The kind of a descriptor or id, by name, made if need be; 0 with the thread's error set. */
uint32_t stoa__kind_of_type(stoa_commands *commands, stoa_type *type);
uint32_t stoa__kind_of_id(stoa_commands *commands, stoa_component id);

/* The id of a kind, registered if need be; 0 with the thread's error set. */
stoa_component stoa__kind_id(stoa_commands *commands, uint32_t kind);

/* Applies the commands on one entity from the buffer's place on, as far as they can be merged, as
 * one change. `*merged` is false if there is nothing to be merged, and nothing was done then. */
stoa_status stoa__commands_group(stoa_commands *commands, bool *merged);

/* Applies commands like the one at the buffer's place, as far as they go the short way; false if
 * none did. It is one on a component, or that destroys. */
bool stoa__commands_run(stoa_commands *commands, const stoa__command *command);

/* Applies the creation at the buffer's place and those like it that follow, but for the last of
 * them; false if none was. */
bool stoa__commands_births(stoa_commands *commands);

STOA__INLINE bool stoa__command_is_bundle(const stoa__command *command) {
    return command->op <= STOA__COMMAND_CHANGE;
}

/* True if a value follows the command. */
STOA__INLINE bool stoa__command_has_value(uint32_t op) {
    return op == STOA__COMMAND_SET || op == STOA__COMMAND_SEND;
}

/* Parts that follow a command. */
STOA__INLINE uint32_t stoa__command_parts(const stoa__command *command) {
    return stoa__command_is_bundle(command) ? command->extent : 0;
}

/* The value of a command that has one. */
STOA__INLINE uint8_t *stoa__command_value(const stoa__command *command, const stoa__kind *kind) {
    uintptr_t at = (uintptr_t)(command + 1);
    return (uint8_t *)((at + kind->alignment - 1) & ~(uintptr_t)(kind->alignment - 1));
}

/* Where a command with a value ends. */
STOA__INLINE uint8_t *stoa__command_value_end(const stoa__command *command,
                                              const stoa__kind *kind) {
    return stoa__command_value(command, kind) + kind->size;
}

/* Moves a place past a command or part; the parts of a bundle come after it. */
STOA__INLINE void stoa__command_pass(const stoa_commands *commands, const stoa__command *command,
                                     stoa__arena_place *place) {
    if (stoa__command_is_bundle(command)) {
        place->at += sizeof *command;
    } else if (STOA_LIKELY(command->extent != 0)) {
        place->at += command->extent * STOA__ARENA_UNIT;
    } else {
        stoa__arena_pass(place, stoa__command_value_end(command, &commands->kinds[command->kind]));
    }
}

/* The command or part at a place, which moves past it; NULL after the last. */
STOA__INLINE stoa__command *stoa__command_read(const stoa_commands *commands,
                                               stoa__arena_place *place) {
    stoa__command *command = stoa__arena_peek(&commands->arena, place);
    if (command != NULL) {
        stoa__command_pass(commands, command, place);
    }
    return command;
}

/* Ends the life of a value that was recorded. */
STOA__INLINE void stoa__kind_drop(const stoa__kind *kind, void *value) {
    if (kind->drop != NULL) {
        kind->drop(value, 1, kind->user);
    }
}

#endif
