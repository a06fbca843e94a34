/* JSON: values, entities, worlds, prefabs and scenes as text that people and tools read and write.
 *
 * These functions are in a library of their own, `stoa::json`, since they stand on jansson; a
 * program that calls none of them needs neither. A component is written by its description; see
 * docs/json.md for what becomes of each kind of member. Texts that are read may be anything: what
 * cannot be taken is refused with its place, and nothing has changed. */
#ifndef STOA_JSON_H
#define STOA_JSON_H

#include "stoa/prefab.h"
#include "stoa/stream.h"

STOA_BEGIN

/// What is said of how a text is written; several are joined by `|`.
typedef enum stoa_json_flag {
    STOA_JSON_PRETTY = 0,       ///< a line for each component
    STOA_JSON_COMPACT = 1,      ///< one line without spaces
    STOA_JSON_NO_HANDLES = 2,   ///< of a world: entities get other handles when it is loaded
    STOA_JSON_NO_RESOURCES = 4, ///< of a world: its entities only
    STOA_JSON_NO_PREFABS = 8    ///< of prefabs: without those that they are made of
} stoa_json_flag;

/// The room for a path, with its final zero; a longer one is cut.
#define STOA_JSON_PATH_SIZE 192

/// Where in a text something is wrong.
typedef struct stoa_json_error {
    int32_t line;                   ///< from 1; 0 if it is about no place in the text
    int32_t column;                 ///< from 1, in characters; 0 likewise
    size_t offset;                  ///< bytes before it
    char path[STOA_JSON_PATH_SIZE]; ///< such as `entities[3].Position.x`; may be empty
} stoa_json_error;

/// Writes a value of a component.
stoa_status stoa_json_save_value(const stoa_world *world, stoa_component id, const void *value,
                                 uint32_t flags, const stoa_sink *sink);

/// Makes a value of a component in raw memory of the component's size.
/// Members that the text leaves out get their defaults, see persist.h, or zero. `error` tells the
/// place of a failure and may be NULL, here and below.
stoa_status stoa_json_load_value(stoa_world *world, stoa_component id, const char *text,
                                 size_t size, void *value, stoa_json_error *error);

/// Writes an entity with its name and components.
/// Other entities are referred to by their names, or by their handles: `"#17v3"`.
stoa_status stoa_json_save_entity(const stoa_world *world, stoa_entity e, uint32_t flags,
                                  const stoa_sink *sink);

/// Makes an entity of a text; STOA_NULL on error.
/// It is made as by stoa_create_values: hooks are told, vetoes are asked.
stoa_entity stoa_json_load_entity(stoa_world *world, const char *text, size_t size,
                                  stoa_json_error *error);

/// Gives an entity what a text says, and leaves alone what it says nothing of.
/// Of a component that is there the members that the text leaves out stay as they are. All is done
/// or nothing.
stoa_status stoa_json_apply(stoa_world *world, stoa_entity e, const char *text, size_t size,
                            stoa_json_error *error);

/// Writes a world: entities, their handles and order, names, relations, resources.
/// Transient types are left out. Refused while commands are recorded.
stoa_status stoa_json_save_world(const stoa_world *world, uint32_t flags, const stoa_sink *sink);

/// Fills an empty world with what a text says; on an error it is as it was.
/// The world has no live entity and no recorded command. Handles are those of the text, if it has
/// them. Hooks and observers are not told, vetoes not asked; see rebuild.h.
stoa_status stoa_json_load_world(stoa_world *world, const char *text, size_t size,
                                 stoa_json_error *error);

/// Writes prefabs, and those that they are made of, each before it is needed.
/// With NULL all prefabs of the world that have names.
stoa_status stoa_json_save_prefabs(const stoa_world *world, stoa_prefab *const *prefabs,
                                   int32_t count, uint32_t flags, const stoa_sink *sink);

/// Makes the prefabs of a text, all or none; returns the last, NULL on error.
/// A base or child that the text has not is looked for among the world's.
stoa_prefab *stoa_json_load_prefabs(stoa_world *world, const char *text, size_t size,
                                    stoa_json_error *error);

/// Entities that were read from a text, ready to be made any number of times.
/// It belongs to its world and must be freed before it.
typedef struct stoa_scene stoa_scene;

/// What to do with the names of a scene; zeroed, they are given as they are.
typedef struct stoa_scene_options {
    const char *prefix; ///< put in front of each name; NULL: nothing
    bool nameless;      ///< no names are given
} stoa_scene_options;

/// Reads a scene; NULL on error. No entity is made.
/// Prefabs in the text are the scene's own. A name that the scene has not is looked for in the
/// world now; see docs/json.md.
stoa_scene *stoa_scene_load(stoa_world *world, const char *text, size_t size,
                            stoa_json_error *error);

/// Frees a scene; NULL is fine. Entities that were made of it stay.
void stoa_scene_free(stoa_scene *scene);

/// How many entities the text of a scene lists.
/// Children that instances of prefabs bring are not counted.
int32_t stoa_scene_count(const stoa_scene *scene);

/// The number of the entity of that name in a scene; -1, with no error, if none.
int32_t stoa_scene_find(const stoa_scene *scene, const char *name);

/// The name of entity number `index` in a scene; NULL, with no error, if none.
const char *stoa_scene_name(const stoa_scene *scene, int32_t index);

/// Makes the entities of a scene, all or none.
/// References among them lead to the new ones.
/// `entities` receives those that the text lists, in its order, and may be NULL; `capacity` is at
/// least stoa_scene_count then. `options` may be NULL. A name that is taken is STOA_TAKEN.
stoa_status stoa_scene_instantiate(stoa_scene *scene, const stoa_scene_options *options,
                                   stoa_entity *entities, int32_t capacity);

/// Writes entities and all that is below them in the hierarchy as a scene.
/// What is referred to outside must have a name; dead references are written as null.
stoa_status stoa_scene_save(const stoa_world *world, const stoa_entity *roots, int32_t count,
                            uint32_t flags, const stoa_sink *sink);

STOA_END

#endif
