/* Names of entities, as the public sees them.
 *
 * A world that registers `Name` gets an index, kept as an extension, a veto that checks what is
 * given, and hooks that keep the index right. They are the first hooks of the component: those of
 * the program see a text that the world owns. One thread at a time; any number may look up. */
#include "stoa/name.h"

#include "base/error.h"
#include "model/name_index.h"
#include "stoa/extension.h"
#include "stoa/hook.h"

#include <string.h>

/* Texts up to this size are recorded without memory of their own. */
#define RECORD_SIZE 256

static const char extension_name[] = "stoa.names";

static stoa__names *names_of(const stoa_world *world) {
    return stoa_extension_find(world, extension_name);
}

static uint32_t depth_of(const stoa_world *world) {
    return (uint32_t)stoa_hook_depth(world);
}

/* The veto: checks the names that a call is about to give, and promises them to it. */
static stoa_status name_ask(stoa_world *world, stoa_entity e, const void *values, int32_t count,
                            void *user) {
    stoa__names *names = user;
    const Name *given = values;
    uint32_t depth = depth_of(world);
    stoa__names_purge(names, depth);
    stoa_status status = STOA_OK;
    for (int32_t i = 0; i < count && status == STOA_OK; i++) {
        status = stoa__names_promise(names, e, given != NULL ? given[i].text : NULL, depth);
    }
    if (status != STOA_OK) {
        stoa__names_purge(names, depth);
    }
    return status;
}

/* The call has put the caller's text in place: now it is the world's. If a hook has given the name
 * away since it was promised, the entity keeps the name it has, or has none. */
static void name_given(stoa_world *world, stoa_entity e, void *value, void *user) {
    stoa__names *names = user;
    Name *place = value;
    const stoa__name *name = stoa__names_give(names, e, place->text, depth_of(world));
    if (name != NULL) {
        place->text = name->text;
        return;
    }
    stoa_world_report(world, stoa_last_error().status);
    const stoa__name *held = stoa__name_owners_find(&names->owners, e);
    place->text = held != NULL ? held->text : "";
    if (held == NULL) {
        stoa_remove_type(world, e, STOA_TYPE_OF(Name));
    }
}

static void name_goes(stoa_world *world, stoa_entity e, void *value, void *user) {
    (void)value;
    stoa__names_take(user, e, depth_of(world));
}

static void extension_free(stoa_world *world, void *data) {
    (void)world;
    stoa__names_free(data);
}

static stoa_status extension_check(const stoa_world *world, const void *data) {
    return stoa__names_check(world, data);
}

static void extension_settle(stoa_world *world, void *data) {
    stoa__names_purge(data, depth_of(world));
}

static size_t extension_bytes(const stoa_world *world, const void *data) {
    (void)world;
    return ((const stoa__names *)data)->heap.used;
}

static void extension_reset(stoa_world *world, void *data) {
    stoa_managed_clear(world, stoa_type_find(world, STOA_TYPE_OF(Name)));
    stoa__names_clear(data);
}

static stoa_status extension_save(const stoa_world *world, const void *data,
                                  const stoa_sink *sink) {
    (void)data;
    return stoa__names_save(world, sink);
}

static stoa_status extension_load(stoa_world *world, void *data, const void *bytes, size_t size) {
    return stoa__names_load(world, data, bytes, size);
}

static uint64_t extension_version(const stoa_world *world, const void *data) {
    (void)world;
    return ((const stoa__names *)data)->version;
}

/* The index of a world, made if need be; NULL with the thread's error set. */
static stoa__names *names_require(stoa_world *world) {
    stoa__names *names = names_of(world);
    if (names != NULL) {
        return names;
    }
    names = stoa__names_new(world);
    const stoa_extension extension = {
        .name = extension_name,
        .data = names,
        .free = extension_free,
        .check = extension_check,
        .settle = extension_settle,
        .unmade = extension_settle,
        .bytes = extension_bytes,
        .reset = extension_reset,
        .save = extension_save,
        .load = extension_load,
        .version = extension_version,
    };
    if (names != NULL && stoa_extend(world, &extension) != STOA_OK) {
        stoa__names_free(names);
        return NULL;
    }
    return names;
}

/* Adds the veto and the hooks, or none of them. */
static stoa_status hooks_add(stoa_world *world, stoa__names *names) {
    const stoa_veto_desc veto = {
        .kind = STOA_VETO_SET, .type = STOA_TYPE_OF(Name), .call = name_ask, .user = names};
    stoa_hook_desc given = {
        .kind = STOA_ON_SET, .type = STOA_TYPE_OF(Name), .call = name_given, .user = names};
    stoa_hook_desc goes = {
        .kind = STOA_ON_REMOVE, .type = STOA_TYPE_OF(Name), .call = name_goes, .user = names};
    stoa_hook hooks[3] = {{0}, {0}, {0}};
    hooks[0] = stoa_veto_new(world, &veto);
    hooks[1] = hooks[0].id != 0 ? stoa_hook_new(world, &given) : hooks[1];
    hooks[2] = hooks[1].id != 0 ? stoa_hook_new(world, &goes) : hooks[2];
    if (hooks[2].id != 0) {
        return STOA_OK;
    }
    stoa_status status = stoa_last_error().status;
    for (int i = 0; i < 3 && hooks[i].id != 0; i++) {
        stoa_hook_remove(world, hooks[i]);
    }
    return status;
}

stoa_status stoa_name_setup(stoa_world *world) {
    /* A program that calls this by itself has it called by the registration. */
    if (stoa_type_register(world, STOA_TYPE_OF(Name)) == 0) {
        return stoa_last_error().status;
    }
    stoa__names *names = names_require(world);
    if (names == NULL) {
        return stoa_last_error().status;
    }
    stoa_status status = names->ready ? STOA_OK : hooks_add(world, names);
    names->ready = names->ready || status == STOA_OK;
    return status;
}

stoa_status stoa_name_set(stoa_world *world, stoa_entity e, const char *name) {
    if (name == NULL && !stoa_has_id(world, e, stoa_type_find(world, STOA_TYPE_OF(Name)))) {
        return stoa_remove_type(world, e, STOA_TYPE_OF(Name));
    }
    Name value = {name};
    stoa_status status = name != NULL ? stoa_set_type(world, e, STOA_TYPE_OF(Name), &value)
                                      : stoa_remove_type(world, e, STOA_TYPE_OF(Name));
    /* Where nothing was done a veto may be asking, whose call still needs what was promised. */
    if (status == STOA_OK) {
        stoa__names_purge(names_of(world), depth_of(world));
    }
    return status;
}

const char *stoa_name(const stoa_world *world, stoa_entity e) {
    const Name *name = stoa_try_type(world, e, STOA_TYPE_OF(Name));
    return name != NULL ? name->text : NULL;
}

stoa_entity stoa_find(const stoa_world *world, const char *name) {
    const stoa__names *names = names_of(world);
    return names != NULL && name != NULL
               ? stoa__name_texts_entity(&names->texts, name, strlen(name))
               : STOA_NULL;
}

stoa_entity stoa_require(stoa_world *world, const char *name) {
    stoa_entity e = stoa_find(world, name);
    if (!stoa_entity_is_null(e)) {
        return e;
    }
    Name value = {name};
    return stoa_create_one(world, STOA_TYPE_OF(Name), &value);
}

static stoa_status handle_dead(stoa_entity e) {
    char text[STOA_ENTITY_TEXT_SIZE];
    return stoa__error(STOA_DEAD, "entity %s is dead", stoa_entity_print(e, text, sizeof text));
}

/* Gives a name that was recorded: a handle, and a text unless the name is to be taken away. */
static stoa_status record_apply(stoa_world *world, const void *data, size_t size) {
    stoa_entity e;
    memcpy(&e, data, sizeof e);
    if (!stoa_alive(world, e)) {
        return handle_dead(e);
    }
    return stoa_name_set(world, e, size > sizeof e ? (const char *)data + sizeof e : NULL);
}

static stoa_status record(stoa_commands *commands, stoa_entity e, const char *name, size_t size,
                          char *buffer) {
    memcpy(buffer, &e, sizeof e);
    if (name != NULL) {
        memcpy(buffer + sizeof e, name, size - sizeof e);
    }
    return stoa_commands_call(commands, record_apply, buffer, size);
}

stoa_status stoa_commands_name_set(stoa_commands *commands, stoa_entity e, const char *name) {
    stoa_world *world = stoa_commands_world(commands);
    if (world == NULL) {
        return stoa_last_error().status;
    }
    if (stoa_entity_is_null(e)) {
        return stoa_world_report(world, handle_dead(e));
    }
    char few[RECORD_SIZE];
    size_t size = sizeof e + (name != NULL ? strlen(name) + 1 : 0);
    if (size <= sizeof few) {
        return record(commands, e, name, size, few);
    }
    if (size > STOA_CALL_MAX) {
        return stoa_world_report(world, stoa__error(STOA_LIMIT,
                                                    "a name of %zu bytes is too long for a command",
                                                    size - sizeof e - 1));
    }
    const stoa_allocator *allocator = stoa_world_allocator(world);
    char *buffer = allocator->alloc(size, 1, allocator->user);
    if (buffer == NULL) {
        return stoa_world_report(world, stoa__error_memory("recording a name"));
    }
    stoa_status status = record(commands, e, name, size, buffer);
    allocator->free(buffer, size, 1, allocator->user);
    return status;
}
