/* Schemas: what components are made of, as data that travels with saved values; and plans, which
 * bring values from the form of one schema to that of a component of a world.
 *
 * Values are saved packed: members one after the other in the order of declaration, without
 * padding, numbers least byte first, enums as their integers, an entity as index and generation of
 * 32 bits each, a bool as one byte. Raw types are saved as their bytes. What functions save is not
 * looked at here.
 *
 * A schema lists types by how deep they nest and then by name, so that it depends on what it
 * describes only, and every struct comes after those inside of it. Nothing here reports to a
 * world's handlers: the public call that stands on it does. One thread at a time. */
#ifndef STOA_PERSIST_SCHEMA_H
#define STOA_PERSIST_SCHEMA_H

#include "base/heap.h"
#include "base/writer.h"
#include "stoa/component.h"
#include "stoa/persist.h"
#include "stoa/schema.h"
#include "stoa/stream.h"

/* How values of a type are saved. The numbers are part of the format. */
typedef enum stoa__way {
    STOA__WAY_TAG = 0,       /* there are none */
    STOA__WAY_MEMBERS = 1,   /* packed */
    STOA__WAY_BYTES = 2,     /* as they are in memory, since the type is marked with STOA_RAW */
    STOA__WAY_FUNCTIONS = 3, /* as its `save` writes them */
    STOA__WAY_ENUM = 4       /* an integer; `fields` has one that is called "value" */
} stoa__way;

/* Flags that a schema keeps. */
#define STOA__SCHEMA_FLAGS                                                                         \
    ((uint32_t)(STOA_HIDDEN | STOA_SPARSE | STOA_SWITCHABLE | STOA_ROW_TICKS | STOA_IMMUTABLE |    \
                STOA_RAW))

/* The most members of a type, and values of an enum. */
#define STOA__SCHEMA_FIELD_MAX 4096

typedef struct stoa__schema_field {
    const char *name;
    stoa_kind kind;  /* of one element; no strings, no pointers */
    bool array;      /* declared with brackets */
    uint32_t count;  /* elements */
    uint32_t offset; /* in memory, where it was saved */
    uint32_t size;   /* of one element there */
    uint32_t packed_offset;
    uint32_t packed_size; /* of one element; differs from `size` for structs only */
    int32_t type;         /* index of the struct or enum in the schema; -1: none */
} stoa__schema_field;

typedef struct stoa__schema_type {
    const char *name;
    stoa__way way;
    bool component;       /* asked for itself, not only as a part of others */
    uint8_t nest;         /* 0 without structs inside, else one more than the deepest of them */
    uint32_t flat;        /* 1, and members, those of structs inside counted for each of them */
    uint32_t flags;       /* of STOA__SCHEMA_FLAGS */
    uint32_t size;        /* in memory, where it was saved */
    uint32_t alignment;   /* likewise */
    uint32_t packed_size; /* 0 if functions save it */
    const stoa__schema_field *fields;
    int32_t field_count;
    const stoa_enum_value *values; /* of an enum */
    int32_t value_count;
    stoa_component id; /* in the world that the schema was made from; 0 in one that was decoded */
} stoa__schema_type;

/* Zeroed it is empty. */
typedef struct stoa__schema {
    stoa__heap heap;
    stoa__schema_type *types; /* all tables are one block: types, fields, `by_name`; if it was
                                 decoded, values of enums and names, else these are the world's */
    int32_t *by_name;         /* types, sorted by name */
    size_t block_size;
    int32_t type_count;
} stoa__schema;

/* Describes components of a world, with the structs and enums inside of them, each once; ids may
 * come twice and in any order. STOA_REFUSED for one that cannot be saved, naming it and the way
 * out. On any error the schema is empty. `schema` need not be initialized. */
stoa_status stoa__schema_make(stoa__schema *schema, const stoa_world *world,
                              const stoa_component *ids, int32_t count);

/* Frees all; a zeroed or empty schema is fine. */
void stoa__schema_fini(stoa__schema *schema);

/* How values of a component are saved; else STOA_REFUSED, naming it and the way out. */
stoa_status stoa__schema_way(const stoa_world *world, stoa_component id, stoa__way *way);

/* The index of the type of that name, or of that id (for schemas made from a world); or -1. By name
 * in O(log n), by id all types are looked at. */
int32_t stoa__schema_find(const stoa__schema *schema, const char *name);
int32_t stoa__schema_find_id(const stoa__schema *schema, stoa_component id);

/* Writes the schema: the same bytes for the same types on every machine, no ids. */
stoa_status stoa__schema_encode(const stoa__schema *schema, const stoa_sink *sink);

/* Reads what was encoded; it must be all of the bytes. Anything may be in them: STOA_CORRUPT, with
 * what is wrong. Takes O(n log n) time and at most 10 times the memory of the bytes. The allocator
 * is copied; NULL: stoa_allocator_default. `schema` need not be initialized. */
stoa_status stoa__schema_decode(stoa__schema *schema, const void *bytes, size_t size,
                                const stoa_allocator *allocator);

/* In place of an id: the component is transient in this world, so its values are left out. */
#define STOA__SCHEMA_DROPPED UINT32_MAX

/* Finds the component of a world for each type that is one, by name or former name; 0 for types
 * the world does not know or that are no components. STOA_CONFLICT if two types come to the same
 * component, or an extension keeps it. `ids` has room for all types. Renames are told of. */
stoa_status stoa__schema_match(const stoa__schema *schema, const stoa_world *world,
                               stoa_component *ids, stoa_notice_fn notice, void *user);

/* Registers a component that the world does not know as it was saved; 0 on error. Structs and enums
 * inside of it are those of the world, if it knows their names, or registered, too; an enum whose
 * name C would not take becomes an integer. Its values are then brought in by a plan as those of
 * any other. One that functions saved cannot be registered. */
stoa_component stoa__schema_register(const stoa__schema *schema, int32_t type, stoa_world *world);

/* Writes a type as lines of text, each with a final newline: `Position: 8 bytes`, `  float x`. */
void stoa__schema_print(const stoa__schema *schema, int32_t type, stoa__writer *out);

/* Writes a line for each difference: `Position.x: float before, double after`. Returns how many
 * there are. */
int32_t stoa__schema_compare(const stoa__schema *before, const stoa__schema *after,
                             stoa__writer *out);

/* Parts of a plan; see schema_step.h. */
typedef struct stoa__step stoa__step;
typedef struct stoa__enum_pair stoa__enum_pair;

/* How a plan deals with what it meets. */
typedef struct stoa__route_options {
    bool memory;           /* values come as they are in the memory of this machine, not packed */
    stoa_loss loss;        /* what to do with values that do not fit */
    stoa_notice_fn notice; /* told of differences; may be NULL */
    void *user;            /* handed to `notice` */
} stoa__route_options;

/* How to bring values from one form to another; zeroed it is none. It may use the schema and the
 * world that it was made from as long as it is in use. */
typedef struct stoa__route {
    stoa__heap heap;
    const char *component; /* its name, for messages */
    stoa__way way;         /* as they were saved; FUNCTIONS: `load` reads them, apply does not */
    uint32_t from_size;    /* bytes of one value as it comes */
    uint32_t to_size;      /* bytes of one value as it is to be */
    bool copy;    /* values are the same bytes: they may be read straight to where they go and then
                     given to stoa__route_settle. Of a tag, too */
    bool settles; /* stoa__route_settle does something */
    bool same;    /* there was nothing to tell of */
    bool fills;   /* steps leave bytes alone: they are filled in first */
    stoa__step *steps;
    uint32_t step_count;
    uint32_t step_capacity;
    uint8_t *defaults; /* one value: what members get that were not saved; NULL: zero */
    char *names;       /* of members, one after the other, for messages of steps */
    uint32_t name_size;
    uint32_t name_capacity;
    stoa__enum_pair *pairs; /* what becomes of values of enums, for steps */
    uint32_t pair_count;
    uint32_t pair_capacity;
    stoa__route_options options;
} stoa__route;

/* Makes a plan that packs values of a component, from memory. For types saved as members, bytes or
 * enums, and tags. `schema` is of this world. */
stoa_status stoa__route_pack(stoa__route *plan, const stoa__schema *schema, int32_t type);

/* Makes a plan that brings saved values to a component. STOA_LAYOUT, naming the member, for changes
 * that make no sense. `plan` need not be initialized; on error it is empty. */
stoa_status stoa__route_make(stoa__route *plan, const stoa__schema *schema, int32_t type,
                             const stoa_world *world, stoa_component id,
                             const stoa__route_options *options);

/* Frees all; a zeroed or empty plan is fine. */
void stoa__route_fini(stoa__route *plan);

/* Brings `count` values from one place, that need not be aligned, to another, raw memory. Every
 * byte of them is written, padding with zero. STOA_REFUSED for a value that does not fit, naming
 * component, member and value; what was written by then is no value. Neither allocates nor
 * recurses. */
stoa_status stoa__route_apply(stoa__route *plan, const void *from, void *to, int32_t count);

/* After values were read straight to where they go: bools that are neither 0 nor 1 become 1. */
void stoa__route_settle(const stoa__route *plan, void *items, int32_t count);

/* Tells of members whose values were clamped since the plan was made. */
void stoa__route_tell(const stoa__route *plan);

#endif
