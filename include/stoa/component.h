/* The components of a world: registering them, finding them, reading their descriptions. */
#ifndef STOA_COMPONENT_H
#define STOA_COMPONENT_H

#include "stoa/type.h"

STOA_BEGIN

/// A component described at run time, such as from a script or a file.
typedef struct stoa_component_desc {
    const char *name;            ///< unique in the world; copied
    const char *fields;          ///< `"{ float x, y; }"`, or NULL; copied
    uint32_t size;               ///< 0: taken from the fields; with no fields either: a tag
    uint32_t alignment;          ///< 0: taken from the fields, or 1
    stoa_hooks hooks;            ///< for types that own memory
    uint32_t flags;              ///< of stoa_type_flag
    const stoa_persist *persist; ///< how it is saved; NULL: by its members. Outlives the world
    bool is_enum;                ///< `fields` are the values of an enum: `"{ RED, BLUE = 4 }"`
} stoa_component_desc;

/// What a world knows of a component; pointers live as long as the world.
typedef struct stoa_component_info {
    stoa_component id;           ///< its number in this world
    const char *name;            ///< its name, unique in this world
    uint32_t size;               ///< bytes of one, 0 for a tag
    uint32_t alignment;          ///< at least 1
    uint32_t flags;              ///< of stoa_type_flag
    bool plain;                  ///< no hooks, no strings, no pointers
    bool copyable;               ///< has no `drop`, or has a `copy`
    stoa_hooks hooks;            ///< as registered
    const stoa_member *members;  ///< NULL if undescribed
    int32_t member_count;        ///< 0 if undescribed
    const stoa_persist *persist; ///< as registered
} stoa_component_info;

/// One named value of a described enum.
typedef struct stoa_enum_value {
    const char *name; ///< as declared
    int64_t value;    ///< what it stands for
} stoa_enum_value;

/// Registers a component described at run time; 0 on error.
/// The same description again gives the same id; a different one of that name is STOA_CONFLICT.
stoa_component stoa_component_register(stoa_world *world, const stoa_component_desc *desc);

/// The id of a described type, registering it if need be; 0 on error. See stoa_id.
stoa_component stoa_type_register(stoa_world *world, stoa_type *type);

/// The id of a described type if the world knows it, else 0, with no error.
stoa_component stoa_type_find(const stoa_world *world, stoa_type *type);

/// The id of the component of that name, or 0, with no error.
stoa_component stoa_component_find(const stoa_world *world, const char *name);

/// Fills in what the world knows of a component.
stoa_status stoa_component_info_get(const stoa_world *world, stoa_component id,
                                    stoa_component_info *info);

/// The name of a component, or NULL with an error if there is no such id.
const char *stoa_component_name(const stoa_world *world, stoa_component id);

/// How many components are registered; their ids run from 1 to this.
int32_t stoa_component_count(const stoa_world *world);

/// The named values of a described enum; NULL and 0 for any other component.
const stoa_enum_value *stoa_component_enum(const stoa_world *world, stoa_component id,
                                           int32_t *count);

STOA_END

#endif
