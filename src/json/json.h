/* JSON, as the files of this module see it.
 *
 * Text is written straight to a sink, in the order of descriptions. It is read as a tree that
 * jansson makes; what is wrong in a tree is found again in the text by its path, so that a failure
 * tells line and column at no cost to what is right. */
#ifndef STOA_JSON_JSON_H
#define STOA_JSON_JSON_H

#include <jansson.h>

#include "base/error.h"
#include "base/heap.h"
#include "base/map.h"
#include "stoa/access.h"
#include "stoa/json.h"
#include "stoa/name.h"
#include "stoa/persist.h"

/* The number of the form that texts have. */
#define STOA__JSON_VERSION 1

/* Bytes that are gathered before the sink is given them. */
#define STOA__JSON_BUFFER 4096u

/* A text under way. After a failure nothing is written; the thread's error is set. */
typedef struct stoa__json_out {
    const stoa_world *world;
    const stoa_sink *sink;
    stoa_status status;
    bool compact;
    bool first;           /* nothing is in the innermost object or list yet */
    int32_t depth;        /* of objects and lists with a line for each member */
    int32_t inline_depth; /* of those on one line, inside of these */
    size_t used;
    const struct stoa__json_labels *labels; /* how entities are referred to; NULL: by handle */
    bool nodes;                             /* handles without a generation are nodes of a prefab */
    char buffer[STOA__JSON_BUFFER];
} stoa__json_out;

stoa__json_out stoa__json_out_new(const stoa_world *world, uint32_t flags, const stoa_sink *sink);

/* Hands over what is left; the status of all that was written. */
stoa_status stoa__json_out_end(stoa__json_out *out);

void stoa__json_out_bytes(stoa__json_out *out, const char *bytes, size_t size);
void stoa__json_out_put(stoa__json_out *out, const char *text);
void stoa__json_out_fail(stoa__json_out *out, stoa_status status);

/* Objects and lists: `{` or `[`. A tall one has a line for each member. */
void stoa__json_out_open(stoa__json_out *out, char bracket, bool tall);
void stoa__json_out_close(stoa__json_out *out, char bracket);

/* Begins the next member of an object; the next item of a list. */
void stoa__json_out_key(stoa__json_out *out, const char *key);
void stoa__json_out_item(stoa__json_out *out);

/* Values. A text must be UTF-8. */
void stoa__json_out_text(stoa__json_out *out, const char *text, size_t size);
void stoa__json_out_string(stoa__json_out *out, const char *text);
/* The text without its quotes. */
void stoa__json_out_escaped(stoa__json_out *out, const char *text);
void stoa__json_out_signed(stoa__json_out *out, int64_t number);
void stoa__json_out_unsigned(stoa__json_out *out, uint64_t number);
void stoa__json_out_f32(stoa__json_out *out, float number);
void stoa__json_out_f64(stoa__json_out *out, double number);
void stoa__json_out_entity(stoa__json_out *out, stoa_entity e);
void stoa__json_out_handle(stoa__json_out *out, const char *before, stoa_entity e);

/* Bytes in base 64, as they come: between the two a sink takes them. */
typedef struct stoa__json_encoder {
    stoa__json_out *out;
    uint32_t bits;
    uint32_t count; /* bytes in `bits` */
} stoa__json_encoder;

stoa_sink stoa__json_encoder_open(stoa__json_encoder *encoder, stoa__json_out *out);
void stoa__json_encoder_close(stoa__json_encoder *encoder);

/* Decodes base 64 into `bytes`, which has room for 3 for every 4 of the text; false if it is none.
 */
bool stoa__json_decode(const char *text, size_t length, uint8_t *bytes, size_t *size);

bool stoa__json_is_utf8(const char *text, size_t size);

/* Values by description. */

/* How a component is written. */
typedef enum stoa__json_way {
    STOA__JSON_LEFT_OUT, /* transient, or kept by an extension */
    STOA__JSON_TAG,
    STOA__JSON_MEMBERS,   /* an object, or the number of an enum */
    STOA__JSON_FUNCTIONS, /* the bytes that its own functions write */
    STOA__JSON_BYTES,     /* its bytes */
    STOA__JSON_IMPOSSIBLE
} stoa__json_way;

stoa__json_way stoa__json_way_of(const stoa_component_info *info);

/* True for a described enum. */
bool stoa__json_is_enum(const stoa_world *world, const stoa_component_info *info);

/* STOA_OK if values of it can be written; the thread's error is set otherwise. */
stoa_status stoa__json_writable(const stoa_component_info *info);

/* A value of a component that is not left out; for a tag `true`. */
void stoa__json_write_value(stoa__json_out *out, const stoa_component_info *info,
                            const void *value);

/* The key of a component: its name, with a colon if that means something else. */
void stoa__json_out_component(stoa__json_out *out, const char *name);

/* The same as an item of a list. */
void stoa__json_out_component_name(stoa__json_out *out, const char *name);

/* One more component of a list under a key, which the first one opens: `*any` tells whether it is.
 */
void stoa__json_out_listed(stoa__json_out *out, const char *key, const char *name, bool *any);

/* Reading. */

/* Where in a tree one is. */
typedef struct stoa__json_path {
    const struct stoa__json_path *up;
    json_t *in;      /* the object or list */
    const char *key; /* in an object; NULL: in a list */
    size_t index;
} stoa__json_path;

typedef struct stoa__json_in stoa__json_in;

/* Finds the entity that a text such as `ship` or `#17v3` refers to. */
typedef stoa_status (*stoa__json_resolve_fn)(stoa__json_in *in, const stoa__json_path *path,
                                             const char *text, stoa_entity *e);

/* A text that is being read. */
struct stoa__json_in {
    stoa_world *world;
    stoa__heap heap; /* on the world's allocator */
    const char *text;
    size_t size;
    json_t *root;
    stoa_json_error *error;
    bool told; /* the world's handlers know of the failure */
    stoa__json_resolve_fn resolve;
    void *user; /* for that */
};

/* Parses a text, which must be an object or, with `any`, any value. */
stoa_status stoa__json_in_open(stoa__json_in *in, stoa_world *world, const char *text, size_t size,
                               bool any, stoa_json_error *error);
void stoa__json_in_close(stoa__json_in *in);

/* Closes a text, tells the world's handlers of a failure that they do not know of, and returns the
 * status. */
stoa_status stoa__json_in_end(stoa__json_in *in, stoa_status status);

/* Fails at a place: the thread's error tells line, column and path. */
stoa_status stoa__json_fail(stoa__json_in *in, const stoa__json_path *path, stoa_status status,
                            const char *format, ...) STOA_PRINTF(4, 5);

/* Adds the place to the thread's error, which was set. */
stoa_status stoa__json_fail_there(stoa__json_in *in, const stoa__json_path *path,
                                  stoa_status status);

/* The same for the error of a public call, which the handlers were told of. */
stoa_status stoa__json_fail_told(stoa__json_in *in, const stoa__json_path *path,
                                 stoa_status status);

/* Fails with "expected <what>, got <what there is>". */
stoa_status stoa__json_expected(stoa__json_in *in, const stoa__json_path *path, json_t *json,
                                const char *what);

/* Checks the members of the root: only those of a list, which ends with NULL, may be there. The
 * member `stoa` tells the form. */
stoa_status stoa__json_check_sections(stoa__json_in *in, const char *const *sections);

/* The member of the root of that name, which must be a list, or an object if `type` says so; NULL
 * if there is none. */
stoa_status stoa__json_section(stoa__json_in *in, const char *key, json_type type, json_t **found);

/* Makes a value in raw memory. With `over` it is over a value that is there: members that are left
 * out stay. */
stoa_status stoa__json_read_value(stoa__json_in *in, const stoa__json_path *path,
                                  const stoa_component_info *info, json_t *json, void *value,
                                  bool over);

/* The component that a key names; 0 if there is none, with no error. */
stoa_component stoa__json_component(const stoa_world *world, const char *key);

/* The same for a text that is read; the library's own Parent becomes known to the world. */
stoa_component stoa__json_component_need(stoa__json_in *in, const char *key);

/* True if an object has a component. */
bool stoa__json_has(const stoa_world *world, json_t *object, stoa_component id);

/* A handle such as `17v3`. */
bool stoa__json_parse_handle(const char *text, stoa_entity *e);
/* A number such as `17`. */
bool stoa__json_parse_number(const char *text, uint32_t *number);

/* stoa__json_resolve_fn for entities of the world. */
stoa_status stoa__json_resolve_world(stoa__json_in *in, const stoa__json_path *path,
                                     const char *text, stoa_entity *e);

/* Values that were read for one entity. */
typedef struct stoa__json_item {
    uint32_t size;
    uint32_t alignment;
    stoa_hooks hooks;
    bool made;   /* `data` has to be dropped */
    bool placed; /* of a resource: it is in the world */
} stoa__json_item;

typedef struct stoa__json_bundle {
    stoa__heap *heap;
    stoa_value *values;
    uint32_t value_capacity;
    stoa__json_item *items; /* of each value */
    uint32_t item_capacity;
    uint32_t count;
    Name name; /* what a value points at */
} stoa__json_bundle;

/* What an object that describes an entity may have beside components. */
typedef enum stoa__json_part {
    STOA__JSON_NAME = 1,
    STOA__JSON_ID = 2,
    STOA__JSON_PREFAB = 4,
    STOA__JSON_BASE = 8,
    STOA__JSON_REMOVE = 16,
    STOA__JSON_OFF = 32,
    STOA__JSON_RELATIONS = 64,
    STOA__JSON_CHILDREN = 128,
    STOA__JSON_NODE = 256,
    STOA__JSON_NODES = 512,
    STOA__JSON_NAME_VALUE = 1024,
    STOA__JSON_NO_PARTS = 2048 /* every key is the name of a component */
} stoa__json_part;

/* The part that a key means; 0 if it is the name of a component. */
uint32_t stoa__json_part_of(const char *key);

/* Reads the components that an object describes; `parts` are those that may be there. What is named
 * under `remove` is dropped; with STOA__JSON_NAME_VALUE a name is a value, too. With an entity
 * values are read over those that it has. After an error the bundle is empty. */
stoa_status stoa__json_bundle_read(stoa__json_in *in, const stoa__json_path *path, json_t *object,
                                   uint32_t parts, stoa_entity over, stoa__json_bundle *bundle);

/* The component that an item of a list names. */
stoa_status stoa__json_component_item(stoa__json_in *in, const stoa__json_path *path, json_t *item,
                                      stoa_component_info *info);

/* STOA_OK if what an object has under `off` can be switched off: given by the bundle, or there on
 * the entity. */
stoa_status stoa__json_off_check(stoa__json_in *in, const stoa__json_path *path, json_t *object,
                                 const stoa__json_bundle *bundle, stoa_entity e);

/* Switches off what was checked. */
stoa_status stoa__json_off_apply(stoa__json_in *in, json_t *object, stoa_entity e);

/* The values were moved elsewhere. */
void stoa__json_bundle_moved(stoa__json_bundle *bundle);

/* Drops and frees all. */
void stoa__json_bundle_free(stoa__json_bundle *bundle);

#endif
