/* A snapshot being loaded into a world. */
#ifndef STOA_PERSIST_SNAPSHOT_LOAD_H
#define STOA_PERSIST_SNAPSHOT_LOAD_H

#include "persist/snapshot_app.h"
#include "persist/snapshot_parse.h"
#include "stoa/extension.h"

/* Rows of an archetype that wait until it is known which others come to the same archetype. */
typedef struct stoa__waiting {
    stoa__rows_view rows;
    stoa__section ticks;        /* with no body if there are none */
    struct stoa__waiting *next; /* that comes to the same archetype */
    struct stoa__waiting *last; /* of those, if this is the first of them */
    bool led;                   /* it is not */
} stoa__waiting;

/* How a component is kept here, if not as when it was saved. */
typedef enum stoa__moved { STOA__STAYS, STOA__TO_SPARSE, STOA__TO_COLUMN } stoa__moved;

/* A resource that is made and not yet in the world. */
typedef struct stoa__loaded_resource {
    stoa_component_info info;
    void *value;    /* NULL for a tag */
    uint32_t place; /* in its section */
    uint32_t tick;  /* of the last write, if ticks are there */
    bool made;      /* the value must be dropped if it does not get into the world */
    bool placed;    /* it was put into the world, which had none */
} stoa__loaded_resource;

/* Unread events of a type that are made and not yet in their queue. */
typedef struct stoa__loaded_queue {
    stoa_component_info info;
    void *values;
    stoa_entity *targets;
    stoa_reader_state *readers;
    int32_t count;
    int32_t reader_count;
    int32_t made; /* values that must be dropped if they do not get into the queue */
} stoa__loaded_queue;

/* Bytes of its values; not 0. */
static inline size_t stoa__loaded_queue_size(const stoa__loaded_queue *queue) {
    size_t size = (size_t)queue->count * queue->info.size;
    return size > 0 ? size : 1;
}

/* An extension's section that waits until the entities are there. */
typedef struct stoa__loaded_extension {
    stoa_extension extension;
    const uint8_t *bytes;
    size_t size;
} stoa__loaded_extension;

/* A snapshot being loaded. */
typedef struct stoa__loader {
    stoa_world *world;
    stoa_snapshot_load_desc desc;
    stoa__heap heap;
    bool checked; /* checksums are looked at */
    bool told;    /* the failure was reported by whoever failed */
    bool keeps;   /* the section handed over last must stay where it is */
    bool drops;   /* a type that may be in archetypes is left out, or is sparse here: they wait */
    stoa__snapshot_header header;
    stoa__order order;
    uint64_t taken; /* bytes of the snapshot so far */

    stoa__hasher checksum; /* of the section that is being taken apart */
    const uint8_t *summed; /* up to where it was taken; NULL: it was looked at before */

    stoa__schema schema;
    stoa_component *ids;      /* by type: in the world; 0 if it is left out, or no component */
    stoa__route **plans;      /* by type; NULL for those left out */
    uint32_t *switched;       /* by type: rows that are off, and cannot be here */
    uint8_t *moved;           /* by type: stoa__moved */
    stoa_component *open_ids; /* of the rows handed over last, by place; 0 for those left out */
    stoa__rows_view open;     /* those rows; only the counts are good */
    int32_t sparse_last;      /* type of the last sparse component */

    stoa_rebuild *rebuild;
    uint32_t *numbers; /* room for entities, slots and such */
    uint32_t number_capacity;
    uint8_t *bytes; /* room for what is switched off */
    uint32_t byte_capacity;
    stoa__waiting *waiting;
    uint32_t waiting_count;
    uint32_t waiting_capacity;
    stoa__waiting *thick; /* sparse components that are columns here */
    uint32_t thick_count;
    uint32_t thick_capacity;
    stoa__loaded_resource *resources;
    uint32_t resource_count;
    uint32_t resource_capacity;
    stoa__loaded_extension *extensions;
    uint32_t extension_count;
    uint32_t extension_capacity;
    stoa_blob *blocks; /* that sections which wait stand in */
    uint32_t block_count;
    uint32_t block_capacity;

    uint32_t resources_saved; /* those left out included */
    bool timed;               /* resources have ticks */
    bool log_found;
    bool app_found;     /* and an app is to go on with it */
    stoa__log_view log; /* in a section that waits */
    stoa__app_view app; /* likewise */
    stoa__loaded_queue *queues;
    uint32_t queue_count;
    uint32_t queue_capacity;
    stoa_log_entry *log_entries;
    uint32_t log_kept; /* of the entries */
    stoa__app_systems systems;
} stoa__loader;

/* Begins with a header that was read; stoa__loader_fini must follow. */
void stoa__loader_init(stoa__loader *loader, stoa_world *world, const stoa_snapshot_load_desc *desc,
                       bool checked);
void stoa__loader_fini(stoa__loader *loader);

/* Takes the next section, which was read. If `keeps` is set after it the bytes must stay where they
 * are until the end. */
stoa_status stoa__loader_section(stoa__loader *loader, const stoa__section *section);

/* Ends it: the world holds all, or on an error what it held before. */
stoa_status stoa__loader_end(stoa__loader *loader);

/* The steps, each for one kind of section. */
stoa_status stoa__loader_schema(stoa__loader *loader, const stoa__section *section);
stoa_status stoa__loader_slots(stoa__loader *loader, const stoa__section *section);
stoa_status stoa__loader_rows(stoa__loader *loader, const stoa__section *section);
stoa_status stoa__loader_ticks(stoa__loader *loader, const stoa__section *section);
stoa_status stoa__loader_sparse(stoa__loader *loader, const stoa__section *section);
stoa_status stoa__loader_resources(stoa__loader *loader, const stoa__section *section);
stoa_status stoa__loader_resource_ticks(stoa__loader *loader, const stoa__section *section);
stoa_status stoa__loader_log(stoa__loader *loader, const stoa__section *section);
stoa_status stoa__loader_events(stoa__loader *loader, const stoa__section *section);
stoa_status stoa__loader_app(stoa__loader *loader, const stoa__section *section);
stoa_status stoa__loader_extension(stoa__loader *loader, const stoa__section *section);

void stoa__loader_plan_free(stoa__loader *loader, int32_t type);
/* Finds the memory for what tells how a run goes on; puts that in place, which cannot fail. */
stoa_status stoa__loader_log_prepare(stoa__loader *loader);
void stoa__loader_log_commit(stoa__loader *loader);
void stoa__loader_log_fini(stoa__loader *loader);
stoa_status stoa__loader_events_prepare(stoa__loader *loader);
void stoa__loader_events_commit(stoa__loader *loader);
void stoa__loader_events_fini(stoa__loader *loader);
stoa_status stoa__loader_app_prepare(stoa__loader *loader);
void stoa__loader_app_commit(stoa__loader *loader);

/* Tells of something that is known on one side only. */
void stoa__loader_notice(const stoa__loader *loader, stoa_notice_kind kind, const char *what,
                         const char *name);

/* Lists the extensions that have no section: they make do with what the entities have. */
stoa_status stoa__loader_extensions_rest(stoa__loader *loader);

/* Numbers of the snapshot as an array, where they are or in room of the loader's; NULL with the
 * thread's error set. */
const uint32_t *stoa__loader_numbers(stoa__loader *loader, const uint8_t *bytes, size_t count);

/* Copies numbers into the loader's room, from `at` on; false with the thread's error set. */
bool stoa__loader_numbers_copy(stoa__loader *loader, const uint8_t *bytes, size_t count, size_t at);

/* Room for a byte of each row, zeroed; NULL with the thread's error set. */
uint8_t *stoa__loader_bytes(stoa__loader *loader, uint32_t count);

/* A byte for each bit. */
void stoa__bits_spread(uint8_t *bytes, const uint8_t *bits, uint32_t count);

/* Notes which components rows have, by place; returns how many are not left out. */
uint32_t stoa__loader_open(stoa__loader *loader, const stoa__rows_view *view);

/* The component of a type that is kept as it was when it was saved; else 0. */
static inline stoa_component stoa__loader_stays(const stoa__loader *loader, int32_t type) {
    return loader->moved[type] == STOA__STAYS ? loader->ids[type] : 0;
}

/* Notes whether a component is sparse, or not, as it was when it was saved. */
stoa_status stoa__loader_kind(stoa__loader *loader, int32_t type);

/* Builds sparse components of the columns of archetypes that wait. */
stoa_status stoa__loader_thin(stoa__loader *loader);

/* Has a sparse component wait that is a column here; builds those that wait. */
stoa_status stoa__loader_thick_add(stoa__loader *loader, const stoa__rows_view *rows);
stoa_status stoa__loader_thick(stoa__loader *loader);

/* Tells of a component. */
void stoa__loader_notice(const stoa__loader *loader, stoa_notice_kind kind, const char *what,
                         const char *name);

/* Tells of components that were off and are on. */
void stoa__loader_switches_tell(const stoa__loader *loader);

/* Fails for a component that has more bytes than its functions read. */
stoa_status stoa__loader_surplus(const stoa__loader *loader, int32_t type);

/* Whether rows of a type are switched off, one byte each; false if none is. */
bool stoa__switches_find(const stoa__rows_view *view, int32_t type, uint8_t *off);

/* Fills in all columns of rows that stand from `first` on in the archetype added last. */
stoa_status stoa__loader_fill(stoa__loader *loader, const stoa__rows_view *view, int32_t first);

/* Switches rows off, if the component can be switched; otherwise those are counted. */
stoa_status stoa__loader_switch(stoa__loader *loader, int32_t type, const uint8_t *off,
                                uint32_t count);

/* Sets the ticks of rows from `first` on, of the components noted last. */
stoa_status stoa__loader_ticks_set(stoa__loader *loader, const stoa__section *section,
                                   uint32_t type_count, int32_t first);

/* Builds the archetypes that wait. */
stoa_status stoa__loader_flush(stoa__loader *loader);

/* Makes the next `count` values of a column, in raw memory; `made` tells how many, also
 * after an error. */
stoa_status stoa__loader_values(stoa__loader *loader, int32_t type, stoa_span *span, void *to,
                                int32_t count, int32_t *made);

/* Copies bytes of the section, and goes on with its checksum if that is being taken. */
void stoa__loader_copy(stoa__loader *loader, void *to, const uint8_t *from, size_t size);

/* Goes on with the checksum of the section up to there. */
static inline void stoa__loader_sum(stoa__loader *loader, const uint8_t *end) {
    stoa__hasher_add(&loader->checksum, loader->summed, (size_t)(end - loader->summed));
    loader->summed = end;
}

/* For a failure that the world's handlers know of already. */
static inline stoa_status stoa__loader_told(stoa__loader *loader, stoa_status status) {
    loader->told = loader->told || status != STOA_OK;
    return status;
}

#endif
