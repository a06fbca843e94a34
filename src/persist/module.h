/* Modules, as the files of it see each other.
 *
 * A version of a module is its library and the parts that its load function named. Parts are only
 * listed at first; module_enter.c puts them into the app, all or none. */
#ifndef STOA_PERSIST_MODULE_H
#define STOA_PERSIST_MODULE_H

#include "base/error.h"
#include "base/heap.h"
#include "os/library.h"
#include "stoa/module.h"
#include "stoa/resource.h"
#include "stoa/retype.h"

/* What a part is. */
typedef enum stoa__part_kind {
    STOA__PART_TYPE,
    STOA__PART_RESOURCE,
    STOA__PART_STAGE,
    STOA__PART_QUERY,
    STOA__PART_HOOK,
    STOA__PART_VETO,
    STOA__PART_OBSERVER,
    STOA__PART_LISTENER,
    STOA__PART_SYSTEM
} stoa__part_kind;

typedef struct stoa__part {
    stoa__part_kind kind;
    stoa_type *type; /* of a type or resource */
    void *desc;      /* a copy of the description, or of a resource's value; may be NULL */
    size_t desc_size;
    stoa_system_describe_fn describe; /* of a system that is described when it is put in */
    void *user;                       /* for that */
    void *place;                      /* stoa_query ** or stoa_stage *, where that goes; or NULL */
    stoa_query *query;                /* that was made */
    uint32_t id;                      /* of the hook, listener or system that was made; 0: none */
    bool put;                         /* the resource was put in by this part */
} stoa__part;

typedef struct stoa__version {
    stoa__library library;
    stoa__file_id file;
    const stoa_module_entry *entry;
    stoa__part *parts; /* in the order they were named */
    uint32_t part_count;
    uint32_t part_capacity;
    stoa_type **types; /* all that the parts name, each once */
    uint32_t type_count;
    uint32_t type_capacity;
    stoa_status failed; /* the first part that could not be listed, though load may not look */
} stoa__version;

/* The slot of a descriptor that is gone: one of the same content may have it. */
typedef struct stoa__slot_kept {
    uint64_t hash;
    uint32_t slot;
} stoa__slot_kept;

struct stoa_module {
    stoa_app *app;
    stoa_world *world;
    struct stoa__modules *all;
    stoa_module *next; /* in order of loading, of all apps of the world */
    stoa__heap heap;
    char *name;
    char *path;
    char *folder; /* or NULL */
    stoa_module_desc desc;
    stoa__version live;
    stoa__version *loading; /* while a load function runs, else NULL */
    stoa__slot_kept *slots;
    uint32_t slot_count;
    uint32_t slot_capacity;
    uint32_t version;
    stoa__file_id seen; /* the last poll found this, which is not what is loaded */
    stoa__file_id bad;  /* this could not be loaded */
    bool pending;
    bool failed;
    stoa_app_watcher watcher;
    char error[512];
};

/* Who a component belongs to. */
typedef struct stoa__owner {
    stoa_component id;
    const stoa_module *module; /* NULL: it is gone, and the next that names it may have it */
} stoa__owner;

/* The modules of a world: an extension. */
typedef struct stoa__modules {
    stoa__heap heap;
    stoa_module *first;
    stoa__owner *owners;
    uint32_t owner_count;
    uint32_t owner_capacity;
} stoa__modules;

static inline stoa_code stoa__version_code(const stoa__version *version) {
    return (stoa_code){version->library.first, version->library.end};
}

/* The error of a thread, kept over calls that may set another. */
typedef struct stoa__kept_error {
    stoa_status status;
    char message[512];
} stoa__kept_error;

stoa__kept_error stoa__error_keep(stoa_status status);

/* Sets it again, and returns its status. */
stoa_status stoa__error_return(const stoa__kept_error *kept);

/* Frees the parts of a version; what was made of them must be gone. */
void stoa__version_fini(stoa_module *module, stoa__version *version);

/* Lists all types that the parts name, and gives them the slots of those that went. The thread's
 * error is set. */
stoa_status stoa__version_types(stoa_module *module, stoa__version *version);

/* Remembers the slots of a version's types. Lack of memory is no harm. */
void stoa__version_slots_keep(stoa_module *module, const stoa__version *version);

/* The description of a part that is a system. */
void stoa__part_system(const stoa__part *part, stoa_system_desc *desc);

/* Puts the parts of a version into the app in the place of those of another, or of none. On an
 * error all is as it was; the thread's error is set. */
stoa_status stoa__module_enter(stoa_module *module, stoa__version *fresh, stoa__version *old);

/* Takes the parts of a version out of the app, and everything else that leads into its library,
 * which can go then. */
void stoa__module_leave(stoa_module *module, stoa__version *version);

/* Converts values of components whose layout differs. The thread's error is set. */
stoa_status stoa__module_convert(stoa_module *module, stoa_retype *retype);

/* True if the module may change the description of a component. */
bool stoa__module_owns(const stoa_module *module, stoa_component id);

#endif
