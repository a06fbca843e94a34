/* What a snapshot of a world is made of, while it is being written. */
#ifndef STOA_PERSIST_SNAPSHOT_WRITE_H
#define STOA_PERSIST_SNAPSHOT_WRITE_H

#include "persist/snapshot_app.h"
#include "stoa/extension.h"
#include "stoa/view.h"

/* One section that will be written. */
typedef struct stoa__saved_section {
    stoa__section_kind kind;
    int32_t index; /* of the archetype, the type in the schema, or the extension */
    uint64_t size; /* of the body */
} stoa__saved_section;

/* A world being saved. */
typedef struct stoa__saver {
    const stoa_world *world;
    stoa_snapshot_save_desc desc;
    stoa__heap heap;
    stoa__schema schema;
    stoa__route *plans; /* by type; none for those that functions save, and for enums */
    int32_t *type_of;   /* by component: its type in the schema, or -1 */
    int32_t id_count;   /* components of the world, and 1 */
    uint32_t *picked;   /* types of the archetype being written, ascending */
    uint8_t *has;       /* by type: 1 if that archetype has it */
    const stoa_extension **extensions; /* that save something, in order of their names */
    uint32_t extension_count;
    uint32_t extension_capacity;
    stoa__saved_section *sections;
    uint32_t section_count;
    uint32_t section_capacity;
    uint32_t *free_list;
    stoa_slots slots; /* the counts and the free list */
    uint8_t *scratch; /* where values are packed */
    size_t scratch_size;
    stoa__app_systems systems; /* of the app that is saved */
    stoa_log_content log;
    stoa_log_entry *log_entries;
    stoa_component *log_ids; /* of the entries, in order of their names */
    uint32_t log_id_count;
    uint32_t *log_places; /* by component: its place in that list, and 1 */
} stoa__saver;

/* Finds out what there is to save and how; stoa__saver_fini must follow, also after an error. */
stoa_status stoa__saver_init(stoa__saver *saver, const stoa_world *world,
                             const stoa_snapshot_save_desc *desc);
void stoa__saver_fini(stoa__saver *saver);

/* Picks the types of an archetype, in ascending order. */
void stoa__saver_pick(stoa__saver *saver, const stoa_archetype_info *info);

/* Puts the body of a section. */
void stoa__saver_body(stoa__saver *saver, stoa__output *output, const stoa__saved_section *section);

/* Puts values of a type that stand one after the other. Those that functions save are put without
 * the size before them. */
void stoa__saver_values(stoa__saver *saver, stoa__output *output, int32_t type, const void *values,
                        int32_t count);

/* Puts when the values of an archetype were written, or of a sparse component, whose index is its
 * type below -1: see stoa__ticks_of_sparse. */
void stoa__saver_ticks(stoa__saver *saver, stoa__output *output, int32_t index);

/* Puts when the resources were written last. */
void stoa__saver_resource_ticks(const stoa__saver *saver, stoa__output *output);

/* Finds what the log holds; puts it. */
stoa_status stoa__saver_log_find(stoa__saver *saver);
void stoa__saver_log(const stoa__saver *saver, stoa__output *output);
void stoa__saver_log_fini(stoa__saver *saver);

/* True if a type has unread events to be saved, or readers that lost some; puts so many queues. */
bool stoa__saver_events_of(const stoa__saver *saver, stoa_component id);
void stoa__saver_events(stoa__saver *saver, stoa__output *output, int32_t count);

/* Puts the state of the app. */
void stoa__saver_app(const stoa__saver *saver, stoa__output *output);

/* The index of a section of ticks for a sparse component, and back. */
static inline int32_t stoa__ticks_of_sparse(int32_t type) {
    return -1 - type;
}

#endif
