/* The component registry: from descriptions to ids, and back. */
#ifndef STOA_STORAGE_REGISTRY_H
#define STOA_STORAGE_REGISTRY_H

#include "storage/storage.h"

void stoa__registry_fini(stoa__storage *storage);

/* The id of a described type, registering it if need be; 0 with the thread's error set. Its setup
 * is the caller's to run: see stoa__world_type. */
stoa_component stoa__registry_type(stoa__storage *storage, stoa_type *type);

/* The id of a described type if it is registered, else 0, also if another description has its name.
 * Sets no error. Remembers the answer where that needs no memory. */
stoa_component stoa__registry_find_type(const stoa__storage *storage, stoa_type *type);

/* Registers a run-time description; 0 with the thread's error set. */
stoa_component stoa__registry_desc(stoa__storage *storage, const stoa_component_desc *desc);

/* The id of a name, or 0, also if its setup is due. */
stoa_component stoa__registry_find(const stoa__storage *storage, const char *name);

/* The component that a described type would be, listed nowhere; NULL with the thread's error set.
 * Its id is not its own. */
stoa__component *stoa__registry_draft(stoa__storage *storage, const stoa_type *type);

/* Frees a component that is not listed; its values must have been dropped. */
void stoa__registry_discard(stoa__storage *storage, stoa__component *component);

/* True if two descriptions have the same members, or values of an enum, in the same places. */
bool stoa__registry_members_same(const stoa__reflection *a, const stoa__reflection *b);

/* The id of a name, whether or not the component may be found; or 0. */
stoa_component stoa__registry_named(const stoa__storage *storage, const char *name);

/* Forgets which descriptors have an id of `first` or above; they are compared anew. */
void stoa__registry_forget_slots(stoa__storage *storage, stoa_component first);

/* Takes back what was registered beyond so many; nobody has or knows it yet. What their hooks were
 * given to free stays. */
void stoa__registry_truncate(stoa__storage *storage, uint32_t count);

/* Sets the error for a description that is not the one registered under its name. */
stoa_status stoa__registry_conflict(const char *name);

/* The name a described type goes by. */
static inline const char *stoa__type_name(const stoa_type *type) {
    return type->options.name != NULL ? type->options.name : type->identifier;
}

#endif
