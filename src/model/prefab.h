/* Prefabs, as the files of this module see them.
 *
 * A prefab is a layer over its base: entries say what it sets or removes, by node and component.
 * Two things are made of a prefab when they are needed, and made anew when something changed. Its
 * shape is the layers laid over each other: which nodes there are, and which entry counts for each.
 * Its plan is the tree in full, nodes of nodes included, ready to be made into entities.
 *
 * Whether something changed is told by stamps: the world's prefabs count their changes, each prefab
 * knows the number of its last one. What was found good at the present number needs no look. */
#ifndef STOA_MODEL_PREFAB_H
#define STOA_MODEL_PREFAB_H

#include <stdatomic.h>

#include "base/error.h"
#include "base/heap.h"
#include "base/inline.h"
#include "base/map.h"
#include "os/thread.h"
#include "stoa/extension.h"
#include "stoa/prefab.h"

/* A member of a value that stands for an entity of the tree. */
typedef struct stoa__prefab_ref {
    uint32_t offset; /* in the value */
    int32_t node;    /* of the prefab that the value belongs to */
} stoa__prefab_ref;

/* What an entry says of its component. */
typedef enum stoa__prefab_state {
    STOA__PREFAB_SILENT, /* nothing: the layer below is seen */
    STOA__PREFAB_PUT,
    STOA__PREFAB_MASK /* it is not there, whatever is below */
} stoa__prefab_state;

/* What a prefab says of one component of one node. */
typedef struct stoa__prefab_entry {
    stoa_type *type; /* NULL: named by its id */
    stoa_component id;
    int32_t node;
    stoa__prefab_state state;
    bool zero; /* `data` is zeros and no value of the caller's */
    bool rich; /* a copy is more than bytes, or a move is */
    uint32_t size;
    uint32_t alignment;
    void *data; /* NULL for a tag, and unless put */
    stoa_hooks hooks;
    stoa__prefab_ref *refs;
    uint32_t ref_count;
} stoa__prefab_entry;

/* An entry on the side that is not in force, while its component gets another description. */
typedef struct stoa__prefab_other {
    uint32_t serial; /* of the prefab */
    uint32_t at;     /* of the entry in it */
    bool shared;     /* the value is that of the other side: only functions differ */
    stoa__prefab_entry entry;
} stoa__prefab_other;

/* The layers of a prefab laid over each other. */
typedef struct stoa__prefab_shape {
    uint64_t built; /* the number of changes it was made at; 0 if there is none */
    uint64_t good;  /* the number of changes up to which it is known to be good */
    uint32_t node_count;
    uint32_t entry_count;
    uint32_t *starts; /* where the entries of each node begin, and the last end */
    const stoa__prefab_entry **entries;
    stoa_prefab **kinds; /* what each node is an instance of; NULL for the root */
    void *block;         /* that holds all three */
    size_t block_size;
} stoa__prefab_shape;

/* An entity of a tree. */
typedef struct stoa__plan_node {
    uint32_t first; /* of its values */
    uint32_t count;
    uint32_t patch_first; /* of the references in its values */
    uint32_t patch_count;
    bool early; /* a value needs its handle before it is its turn */
} stoa__plan_node;

/* A reference in a value: where it is, and the entity it becomes. */
typedef struct stoa__plan_patch {
    uint32_t value;
    uint32_t offset;
    uint32_t target;
} stoa__plan_patch;

/* No copy of the value is needed: it is handed over as it is. */
#define STOA__PLAN_AS_IS SIZE_MAX

/* The tree in full: what one instance is made of. */
typedef struct stoa__prefab_plan {
    uint64_t built; /* the number of changes it was made at; 0 if there is none */
    bool simple;    /* one entity, and all values are handed over as they are */
    uint32_t value_count;
    uint32_t value_most; /* of one node */
    stoa_value *values;  /* of all nodes, one node after the other */
    uint32_t value_capacity;
    uint32_t node_count;
    stoa__plan_node *nodes;
    uint32_t node_capacity;
    uint32_t patch_count;
    uint32_t patch_capacity;
    stoa__plan_patch *patches;          /* in order of the values */
    const stoa__prefab_entry **sources; /* of each value */
    uint32_t source_capacity;
    uint32_t copy_capacity;
    size_t *copies;   /* where in a block the copy of each value goes; STOA__PLAN_AS_IS for none */
    size_t copy_size; /* of that block */
    stoa_prefab **kinds; /* the prefabs it is made of */
    uint32_t kind_count;
    uint32_t kind_capacity;
    uint32_t batch_count;
    uint32_t batch_capacity;
    stoa_batch *batches; /* nodes but the root, as many of each bundle as there are */
} stoa__prefab_plan;

typedef struct stoa__prefabs stoa__prefabs;

struct stoa_prefab {
    stoa_prefab_head head; /* its `epoch` is 0 unless the prefab is in the list of open ones */
    stoa_prefab *open;     /* the next in that list */
    stoa__prefabs *owner;
    _Atomic(uint64_t) ready; /* the number of changes up to which the plan is known to be good */
    stoa__prefab_plan plan;
    stoa__prefab_shape shape;

    stoa_prefab *base;
    stoa__prefab_entry *entries; /* in the order they were first set */
    uint32_t entry_count;
    uint32_t entry_capacity;
    stoa__map entries_by_key; /* by node and component */
    stoa_prefab **children;   /* its own, not those of its base */
    uint32_t child_count;
    uint32_t child_capacity;
    int32_t node_first; /* the number of its first own child */
    uint64_t changed;   /* the number of its last change */

    char *name; /* NULL: none */
    uint32_t serial;
    uint32_t variants; /* prefabs that build on it */
    uint32_t uses;     /* children that are instances of it */
    uint64_t seen;     /* the last walk that came by */
    stoa_prefab *walk; /* the next one of a walk */
    bool freed;
};

/* The prefabs of a world. */
struct stoa__prefabs {
    stoa_world *world;
    stoa__heap heap;
    stoa__mutex lock; /* of what is made of prefabs: threads that record may need it */
    uint64_t changes; /* from 1 */
    stoa_prefab
        *open; /* those of which instances may be made with no call, until a prefab changes */
    uint64_t walks;
    int32_t busy;        /* trees that are being made: prefabs cannot change */
    stoa_prefab **items; /* in the order they were made, which is that of their serials */
    uint32_t count;
    uint32_t capacity;
    uint32_t serial_last;
    stoa__map by_name;  /* serials */
    stoa_prefab *freed; /* in a debug build: those freed, kept so that their use is noticed */
    stoa__prefab_other *others; /* while components get other descriptions */
    uint32_t other_count;
    uint32_t other_capacity;
};

/* The prefab of a serial; NULL if it was freed. */
stoa_prefab *stoa__prefab_by_serial(const stoa__prefabs *owner, uint32_t serial);

/* Extension: components get other descriptions; code is about to go. */
stoa_status stoa__prefabs_retype(stoa_world *world, void *data, stoa_retype *retype,
                                 stoa_retype_step step);
void stoa__prefabs_forget(stoa_world *world, void *data, const stoa_code *code);

/* STOA_OK if the prefab is there and was not freed; otherwise reported. */
stoa_status stoa__prefab_usable(const stoa_prefab *prefab);

/* The same if it may change now. */
stoa_status stoa__prefab_may_change(const stoa_prefab *prefab);

/* Notes that a prefab changed: no instance is made without a call until one has looked at it. */
void stoa__prefab_changed(stoa_prefab *prefab);

/* Nodes, those of the base included. */
uint32_t stoa__prefab_nodes(const stoa_prefab *prefab);

/* What a node is an instance of; NULL for the root. */
stoa_prefab *stoa__prefab_kind(const stoa_prefab *prefab, int32_t node);

/* What counts for a component of a node, whichever layer says so; NULL if it is not there. */
const stoa__prefab_entry *stoa__prefab_look(const stoa_prefab *prefab, int32_t node,
                                            stoa_component id);

/* Gives a prefab a copy of a value: `source` is an entry's of another one. On an error the thread's
 * error is set and nothing was added. */
stoa_status stoa__prefab_entry_copy(stoa_prefab *prefab, const stoa__prefab_entry *source);

/* Ends the value of an entry and leaves it silent. */
void stoa__prefab_entry_clear(stoa__heap *heap, stoa__prefab_entry *entry);

/* Drops and frees all entries of a prefab. */
void stoa__prefab_entries_free(stoa_prefab *prefab);

/* The references of a value to nodes: a list on the heap and its length. */
stoa_status stoa__prefab_refs_find(stoa__prefabs *owner, stoa_component id, const void *value,
                                   stoa__prefab_ref **refs, uint32_t *count);

void stoa__prefab_refs_free(stoa__heap *heap, stoa__prefab_ref *refs, uint32_t count);

/* Copies a value into raw memory; false leaves nothing there. */
bool stoa__prefab_value_copy(const stoa_hooks *hooks, void *to, const void *from, size_t size);

/* Ends the life of a value. */
STOA__INLINE void stoa__prefab_value_drop(const stoa_hooks *hooks, void *value) {
    if (hooks->drop != NULL) {
        hooks->drop(value, 1, hooks->user);
    }
}

/* Makes the shape of a prefab anew if need be; the lock must be held. The thread's error is set. */
stoa_status stoa__prefab_shape_get(stoa_prefab *prefab);

void stoa__prefab_shape_fini(stoa__heap *heap, stoa__prefab_shape *shape);

/* Makes the plan of a prefab anew if need be; reported. */
stoa_status stoa__prefab_plan_make(stoa_prefab *prefab);

void stoa__prefab_plan_fini(stoa__heap *heap, stoa__prefab_plan *plan);

/* True if the plan is good as it is. */
STOA__INLINE bool stoa__prefab_ready(const stoa_prefab *prefab) {
    return STOA_LIKELY(atomic_load_explicit(&prefab->ready, memory_order_acquire) ==
                       prefab->owner->changes);
}

/* STOA_OK if the prefab is there and its plan is good; otherwise reported. */
STOA__INLINE stoa_status stoa__prefab_prepare(stoa_prefab *prefab) {
    stoa_status status = stoa__prefab_usable(prefab);
    return status != STOA_OK || prefab == NULL || stoa__prefab_ready(prefab)
               ? status
               : stoa__prefab_plan_make(prefab);
}

/* Where a value of the root is from: it is one of the plan's, or the caller's. */
typedef struct stoa__root_source {
    uint32_t plan_value; /* UINT32_MAX: the caller's */
    bool copied;         /* of the caller's, those that are copied */
    size_t size;         /* of one value of the caller's */
    size_t copy;         /* where its copy goes, behind those of the plan */
    stoa_hooks hooks;
} stoa__root_source;

/* Values of a root that are listed without memory. */
#define STOA__ROOT_FEW 24u

/* The values of the root: the prefab's with the caller's over them. */
typedef struct stoa__prefab_root {
    uint32_t count;
    size_t copy_size; /* of one instance: the plan's values and the caller's */
    stoa_value *values;
    stoa__root_source *from;
    stoa_value *list; /* room for the values of any node */
    bool *dropped;    /* of the plan's values of the root, those not used */
    stoa__heap heap;  /* of its own: threads may record at the same time */
    void *block;      /* that holds the lists; NULL if there are few */
    size_t block_size;
    stoa_value values_few[STOA__ROOT_FEW];
    stoa_value list_few[STOA__ROOT_FEW];
    stoa__root_source from_few[STOA__ROOT_FEW];
    bool dropped_few[STOA__ROOT_FEW];
} stoa__prefab_root;

/* Lays a caller's values, or columns, over those of the root. With `copied` the caller's values are
 * to be copied rather than moved, if there is a difference: entities of a tree are made one after
 * the other, and a failure has to leave the values alone. The thread's error is set, not reported;
 * nothing is left to be freed then. */
stoa_status stoa__prefab_root_read(const stoa_prefab *prefab, const stoa_value *values,
                                   int32_t count, bool columns, bool copied,
                                   stoa__prefab_root *root);

void stoa__prefab_root_fini(stoa__prefab_root *root);

/* Copies of values for instances that are about to be made, one block of memory for all. */
typedef struct stoa__prefab_copies {
    stoa__heap heap; /* of its own: threads may record at the same time */
    const stoa__prefab_plan *plan;
    const stoa__prefab_root *root;
    int32_t times; /* instances */
    size_t size;   /* of the block; 0 if `small` is enough */
    uint8_t *block;
    _Alignas(STOA_ALIGNMENT_MAX) uint8_t small[256];
} stoa__prefab_copies;

/* Copies all values that need it, `times` over. The thread's error is set, not reported; nothing is
 * left to be freed then. */
stoa_status stoa__prefab_copies_make(stoa__prefab_copies *copies, const stoa_prefab *prefab,
                                     const stoa__prefab_root *root, int32_t times);

/* Drops the copies for an instance's nodes from `node` on and those of later instances. */
void stoa__prefab_copies_drop(stoa__prefab_copies *copies, int32_t instance, uint32_t node);

/* Drops the copies for one node. */
void stoa__prefab_copies_drop_node(stoa__prefab_copies *copies, int32_t instance, uint32_t node);

/* Frees the block. With `moved` the caller's values that were copied are dropped: they count as
 * moved in. */
void stoa__prefab_copies_free(stoa__prefab_copies *copies, bool moved);

/* Lists the values of a node in the root's `list`, with copies in place of what was copied and
 * handles in place of nodes; `entities` are those of the instance. Returns how many. */
int32_t stoa__prefab_copies_list(const stoa__prefab_copies *copies, int32_t instance, uint32_t node,
                                 const stoa_entity *entities);

/* STOA_OK if a list has room for the handles of an instance; otherwise reported. */
stoa_status stoa__prefab_room(const stoa_prefab *prefab, const stoa_entity *entities,
                              int32_t capacity);

/* Makes trees; `entities` receives the handles of all, tree by tree, or only those of the roots.
 * Reported. */
stoa_status stoa__prefab_trees(stoa_prefab *prefab, int32_t tree_count, stoa_entity *entities,
                               bool roots_only, const stoa_value *columns, int32_t count,
                               bool as_columns);

#endif
