/* Describing component types: one description, from which everything else is made.
 *
 * STOA_COMPONENT and its kin stand at file scope, in a header or a source file. Each translation
 * unit gets a descriptor of its own; a world knows them for the same component by their name. */
#ifndef STOA_TYPE_H
#define STOA_TYPE_H

#include "stoa/entity.h"
#include "stoa/status.h"

STOA_BEGIN

/// A world of entities and components; one thread at a time, any number of worlds.
typedef struct stoa_world stoa_world;

/// A component's number in one world, from 1; 0 is no component.
typedef uint32_t stoa_component;

/// The largest alignment a component may ask for, in bytes.
#define STOA_ALIGNMENT_MAX 64

/// The largest size of one component, in bytes.
#define STOA_SIZE_MAX (1u << 30)

/// The most described structs, one inside the other, that a type may come to.
#define STOA_NEST_MAX 64

/// What a member of a described type holds.
typedef enum stoa_kind {
    STOA_KIND_NONE,
    STOA_KIND_BOOL,
    STOA_KIND_CHAR,
    STOA_KIND_I8,
    STOA_KIND_I16,
    STOA_KIND_I32,
    STOA_KIND_I64,
    STOA_KIND_U8,
    STOA_KIND_U16,
    STOA_KIND_U32,
    STOA_KIND_U64,
    STOA_KIND_F32,
    STOA_KIND_F64,
    STOA_KIND_ENTITY,
    STOA_KIND_STRING,  ///< `char *` or `const char *`: zero-terminated text, or NULL
    STOA_KIND_POINTER, ///< any other pointer: kept, never followed
    STOA_KIND_ENUM,    ///< an integer of 1, 2, 4 or 8 bytes
    STOA_KIND_STRUCT   ///< a described type of its own
} stoa_kind;

/// One member of a described type.
typedef struct stoa_member {
    const char *name;    ///< as declared; lives as long as the world
    stoa_kind kind;      ///< what one element holds
    uint32_t offset;     ///< bytes from the start of the struct
    uint32_t size;       ///< bytes of one element
    uint32_t count;      ///< elements: 1, or the array's length
    bool array;          ///< declared with brackets (even `[1]`)
    stoa_component type; ///< the described struct or enum, or 0
} stoa_member;

/// Ends the life of `count` items that stand one after the other.
typedef void (*stoa_drop_fn)(void *items, int32_t count, void *user);
/// Moves `count` items into raw memory; the sources are dead after it. Cannot fail.
typedef void (*stoa_move_fn)(void *to, void *from, int32_t count, void *user);
/// Copies `count` items into raw memory; false leaves nothing made there.
typedef bool (*stoa_copy_fn)(void *to, const void *from, int32_t count, void *user);

/// What a type with owned memory brings; all NULL is plain bytes.
/// In a header the functions must not be `static`: each file would bring others, which conflict.
/// `drop` without `move` is moved as bytes; `drop` without `copy` cannot be copied.
typedef struct stoa_hooks {
    stoa_drop_fn drop;             ///< NULL: nothing to do
    stoa_move_fn move;             ///< NULL: moved as bytes
    stoa_copy_fn copy;             ///< NULL: copied as bytes, unless there is a `drop`
    void *user;                    ///< handed to every hook
    void (*user_free)(void *user); ///< called once, when the world that took `user` is freed
} stoa_hooks;

/// Component flags, for the `flags` of options and descriptions.
typedef enum stoa_type_flag {
    STOA_HIDDEN = 1,     ///< not shown to scripts and tools
    STOA_SPARSE = 2,     ///< kept outside of archetypes: adding and removing it moves nothing
    STOA_SWITCHABLE = 4, ///< can be switched off and on for an entity; see stoa_enable
    STOA_ROW_TICKS = 8,  ///< keeps ticks for each entity, so that change filters are exact
    STOA_IMMUTABLE = 16, ///< replaced as a whole, never written in place; so hooks miss nothing
    STOA_MANAGED = 32,   ///< kept by an extension, not copied to clones; sparse and immutable, too
    STOA_TRANSIENT = 64, ///< in no snapshot, history or hash; kept outside of archetypes, too
    STOA_RAW = 128,      ///< saved as its bytes, though its members are not described
    STOA_NOTED = 256     ///< writes in place are noted by chunk; see stoa_world_head.written
} stoa_type_flag;

/// Prepares a world that has just registered a type, such as by adding hooks and vetoes to it.
/// It may register other types, but not give the type to an entity. If it fails so does what
/// registered the type, which stays unknown by name and type, and the next call that names it tries
/// again: what was added by then must be taken away, or be found again.
typedef stoa_status (*stoa_setup_fn)(stoa_world *world);

/// How values of a type are saved and loaded; see persist.h.
typedef struct stoa_persist stoa_persist;

/// What a description may say beyond the fields; zero is the default of each.
typedef struct stoa_type_options {
    const char *name;            ///< used instead of the C identifier, such as "physics.Position"
    stoa_hooks hooks;            ///< for types that own memory
    uint32_t flags;              ///< of stoa_type_flag
    stoa_setup_fn setup;         ///< called once by each world that registers the type; may be NULL
    const stoa_persist *persist; ///< how it is saved; NULL: by its members. Outlives the world
} stoa_type_options;

/// One member told by `offsetof`, for types whose text does not fix their layout.
typedef struct stoa_member_desc {
    const char *name;      ///< NULL ends a list
    const char *type_name; ///< the C type of one element, as text
    uint32_t offset;       ///< offsetof(T, member)
    uint32_t size;         ///< sizeof the whole member
    uint32_t item_size;    ///< sizeof one element
} stoa_member_desc;

/// How a descriptor's text is to be read.
typedef enum stoa_type_form {
    STOA_FORM_OPAQUE,  ///< no fields known
    STOA_FORM_OWN,     ///< the text the struct was declared with
    STOA_FORM_FOREIGN, ///< a text that repeats a declaration made elsewhere
    STOA_FORM_MEMBERS, ///< members by offsetof
    STOA_FORM_ENUM     ///< the text an enum was declared with
} stoa_type_form;

/// A component type as a program describes it; made by the macros below.
typedef struct stoa_type {
    stoa_atomic slot;                ///< written once, the first time a world meets it
    stoa_type_form form;             ///< how to read `text`
    const char *identifier;          ///< the C name
    const char *text;                ///< the braces and what is between them, or NULL
    const stoa_member_desc *members; ///< for STOA_FORM_MEMBERS
    uint32_t size;                   ///< sizeof, 0 for a tag
    uint32_t alignment;              ///< alignment of the type
    uint32_t enum_size;              ///< sizeof an undescribed enum where this was compiled
    stoa_type_options options;       ///< name, hooks, flags, setup
} stoa_type;

/// An enum with nothing asked of it: tells how large the compiler makes one.
typedef enum stoa_enum_probe { STOA_ENUM_PROBE } stoa_enum_probe;

/// The descriptor of a described type, as `stoa_type *`.
#define STOA_TYPE_OF(T) (&T##_stoa)

/// The size of a described type in a column: that of T, or 0 for a tag.
#define STOA_SIZE_OF(T) ((uint32_t)T##_stoa_size)

/// The text of its arguments after macros in them are replaced.
#define STOA_TEXT(...) STOA_TEXT_RAW(__VA_ARGS__)
/// The text of its arguments as they stand.
#define STOA_TEXT_RAW(...) #__VA_ARGS__

// clang-format off
/// Options for the `_WITH` forms; designators are C only, C++ gives all five values in order.
#define STOA_OPTIONS(...) {__VA_ARGS__}
/// Options that ask for nothing.
#define STOA_DEFAULTS                                                                              \
    { 0, {0, 0, 0, 0, 0}, 0, 0, 0 }

/// The descriptor behind every describing macro; not for direct use.
#define STOA_DESCRIBE(T, form, text, members, size, ...)                                           \
    enum { T##_stoa_size = (int)(size) };                                                          \
    STOA_UNUSED static stoa_type T##_stoa = {                                                      \
        0,           form, #T, text, members, (uint32_t)(size), (uint32_t)STOA_ALIGNOF(T),         \
        (uint32_t)sizeof(stoa_enum_probe), __VA_ARGS__}

// clang-format on

/// Declares a struct and describes it: `STOA_COMPONENT(Position, { float x, y; });`
#define STOA_COMPONENT(T, ...) STOA_COMPONENT_WITH(T, STOA_DEFAULTS, __VA_ARGS__)

/// STOA_COMPONENT with options.
/// `STOA_COMPONENT_WITH(Mesh, STOA_OPTIONS(.name = "gfx.Mesh"), { uint32_t id; });`
#define STOA_COMPONENT_WITH(T, options, ...)                                                       \
    typedef struct T __VA_ARGS__ T;                                                                \
    STOA_DESCRIBE(T, STOA_FORM_OWN, STOA_TEXT(__VA_ARGS__), NULL, sizeof(T), options)

/// Declares an enum and describes it: `STOA_ENUM(Team, { RED, BLUE = 4 });`
#define STOA_ENUM(T, ...)                                                                          \
    typedef enum T __VA_ARGS__ T;                                                                  \
    STOA_DESCRIBE(T, STOA_FORM_ENUM, STOA_TEXT(__VA_ARGS__), NULL, sizeof(T), STOA_DEFAULTS)

/// Declares a component without data: `STOA_TAG(Frozen);`
#define STOA_TAG(T) STOA_TAG_WITH(T, STOA_DEFAULTS)

/// STOA_TAG with options.
#define STOA_TAG_WITH(T, options)                                                                  \
    typedef struct T {                                                                             \
        char tag_has_no_data;                                                                      \
    } T;                                                                                           \
    STOA_DESCRIBE(T, STOA_FORM_OPAQUE, NULL, NULL, 0, options)

/// Describes a type declared elsewhere: `STOA_TYPE(T);` or `STOA_TYPE(T, { fields });`
/// The text must repeat the declaration. Where padding leaves room for doubt it is refused: use
/// STOA_TYPE_MEMBERS.
#define STOA_TYPE(...) STOA_TYPE_NAMED(STOA_HEAD(__VA_ARGS__, 0), STOA_TEXT(__VA_ARGS__))
/// The first of its arguments.
#define STOA_HEAD(first, ...) first
/// STOA_TYPE once its name stands alone; not for direct use.
#define STOA_TYPE_NAMED(T, text)                                                                   \
    STOA_DESCRIBE(T, STOA_FORM_FOREIGN, text, NULL, sizeof(T), STOA_DEFAULTS)

/// STOA_TYPE with options; `{}` for the fields leaves them undescribed.
#define STOA_TYPE_WITH(T, options, ...)                                                            \
    STOA_DESCRIBE(T, STOA_FORM_FOREIGN, STOA_TEXT(__VA_ARGS__), NULL, sizeof(T), options)

/// Describes a type declared elsewhere member by member, right for any packing.
/// `STOA_TYPE_MEMBERS(Packet, STOA_MEMBER(Packet, kind, uint8_t), STOA_MEMBER(Packet, m, float));`
#define STOA_TYPE_MEMBERS(T, ...) STOA_TYPE_MEMBERS_WITH(T, STOA_DEFAULTS, __VA_ARGS__)

/// STOA_TYPE_MEMBERS with options.
#define STOA_TYPE_MEMBERS_WITH(T, options, ...)                                                    \
    STOA_UNUSED static const stoa_member_desc T##_stoa_members[] = {__VA_ARGS__,                   \
                                                                    {NULL, NULL, 0, 0, 0}};        \
    STOA_DESCRIBE(T, STOA_FORM_MEMBERS, NULL, T##_stoa_members, sizeof(T), options)

/// One member for STOA_TYPE_MEMBERS; `type` is the C type of the member, or of an array's element.
#define STOA_MEMBER(T, member, type)                                                               \
    {                                                                                              \
        STOA_TEXT_RAW(member), STOA_TEXT(type), (uint32_t)offsetof(T, member),                     \
            (uint32_t)sizeof(((T *)0)->member), (uint32_t)sizeof(type)                             \
    }

STOA_END

#endif
