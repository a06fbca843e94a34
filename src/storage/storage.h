/* The storage of a world: components, entity table, archetypes, chunks. The structs that the
 * storage files share.
 *
 * Everything hangs off one stoa__storage, which starts with the head that the public fast paths
 * read. Archetypes never move or go away while the world lives. One thread at a time. */
#ifndef STOA_STORAGE_STORAGE_H
#define STOA_STORAGE_STORAGE_H

#include "base/bitset.h"
#include "base/error.h"
#include "base/heap.h"
#include "base/map.h"
#include "stoa/create.h"
#include "storage/reflect.h"

/* Chunks begin, and each column in them, at a multiple of this. */
#define STOA__LINE 64u
/* Rows that a place can tell apart within a chunk. */
#define STOA__ROWS_MAX (1u << STOA_PLACE_BITS)
/* Chunks that a place can tell apart. */
#define STOA__CHUNKS_MAX (STOA_UNPLACED >> STOA_PLACE_BITS)
/* The top bit of a record's generation: nobody lives here. */
#define STOA__DEAD 0x80000000u
/* The last generation of a slot; after it the slot is retired. */
#define STOA__GENERATION_MAX 0x7FFFFFFFu
/* In the key of an edge: take the component away. */
#define STOA__KEY_DROP 0x80000000u
/* Ticks that are older than this are clamped to it from time to time: they must not come to look
 * new. */
#define STOA__TICK_AGE (1u << 30)
/* Records that share a stamp, as a power of two. */
#define STOA__STAMP_BITS 9
/* No lane, no index, no position. */
#define STOA__NONE UINT32_MAX

/* Kinds of hooks: those of stoa_hook_kind, then those of stoa_veto_kind. */
#define STOA__HOOK_VETO 3u
#define STOA__HOOK_KINDS 5u
/* The bits of a component's `hooked` that concern its removal. */
#define STOA__HOOKED_REMOVE 0x12u
/* Those that concern a value that it is given while it is there. */
#define STOA__HOOKED_SET 0x0Cu
/* Those of vetoes. */
#define STOA__HOOKED_VETO 0x18u

/* Where a component is with what its description asks to be called once. */
typedef enum stoa__setup {
    STOA__SETUP_DONE, /* or there is nothing to be done */
    STOA__SETUP_DUE,  /* not yet called, or failed: nobody may find the component */
    STOA__SETUP_RUNS  /* being called: found, but not remembered */
} stoa__setup;

/* A registered component. */
typedef struct stoa__component {
    stoa_component_info info;
    stoa__reflection reflection;
    char *name;         /* owned; info.name points here */
    char *identifier;   /* the C name where it is not the same, else NULL */
    uint64_t text_hash; /* of the description as given, to know it again quickly */
    bool is_enum;       /* a described enum */
    bool dense;         /* the members cover every byte: hashed as one block */
    bool fixed;         /* never written in place: it is immutable, or the world is sealed */
    uint8_t hooked;     /* bit k: there are hooks of kind k */
    uint8_t nest;       /* described structs, one inside the other, that it comes to */
    struct stoa__hook *hooks[STOA__HOOK_KINDS]; /* of each kind the one added last, whose next is
                                                   the first */
    struct stoa__hook *sole; /* the one that is told when it is added with a value; NULL if there is
                                none, or more */
    stoa__bitset archetypes; /* which have it; none if it is sparse */
    struct stoa__sparse *set;            /* of a sparse component, else NULL */
    struct stoa__component *sparse_next; /* the next sparse one, in order of ids */
    stoa_setup_fn setup;                 /* what to call, or NULL */
    stoa__setup setup_state;
} stoa__component;

/* The components of a world: id - 1 is the index. */
typedef struct stoa__registry {
    stoa__component **items;
    uint32_t count;
    uint32_t capacity;
    stoa__map by_name;
    stoa_atomic *slot_ids; /* a descriptor's slot to its component id, 0 if not yet known */
    uint32_t slot_count;
} stoa__registry;

/* What a lane holds of its component. */
typedef enum stoa__lane_kind {
    STOA__LANE_DATA,    /* the values */
    STOA__LANE_CHANGED, /* the tick of each row's last write, of a component with STOA_ROW_TICKS */
    STOA__LANE_ADDED,   /* and of its addition */
    STOA__LANE_OFF      /* 1 where it is switched off, of a component with STOA_SWITCHABLE */
} stoa__lane_kind;

/* A column of an archetype: first those with values, in order of ids, then the others. */
typedef struct stoa__lane {
    uint32_t index;                   /* in a chunk's columns: one more than its own among lanes */
    uint32_t size;                    /* of one row */
    const stoa__component *component; /* how its items are moved and dropped: plain bytes if the
                                         lane holds no values */
    stoa_component id;
    uint16_t kind; /* a stoa__lane_kind */
    uint16_t last; /* 1 if no other follows */
} stoa__lane;

typedef struct stoa__archetype stoa__archetype;

/* What happens to one column of the source in a migration. */
typedef struct stoa__copy {
    uint32_t from;      /* index in the columns of the source's chunks */
    uint32_t to;        /* index in those of the target's chunks, if kept */
    uint32_t size;      /* of one component */
    uint16_t from_lane; /* of the source; for a tag its number there */
    uint16_t to_lane;   /* of the target, or its number there; STOA__LANE_NONE if not there */
} stoa__copy;

/* Where a column that is kept is, or the tags are, in the three chunks that a shift touches. */
typedef struct stoa__trio {
    uint8_t *hole; /* in the chunk that the row leaves */
    uint8_t *end;  /* in the last one of the target */
    uint8_t *tail; /* in the last one of the source */
} stoa__trio;

/* No lane, where lanes are told by 16 bits. */
#define STOA__LANE_NONE UINT16_MAX

/* Where a value of the caller's goes in the target. */
typedef struct stoa__put {
    uint32_t to;   /* index in the columns of the target's chunks; 0 for a removal */
    uint32_t size; /* 0: nothing to write, a tag or a removal */
    uint32_t lane; /* of the target; for a tag its number there */
    bool fresh;    /* the source does not have the component */
} stoa__put;

/* An edge: what a change does to the rows of one archetype, worked out once.
 *
 * Found by its key: the ids put, and the ids dropped with STOA__KEY_DROP set, in order of ids.
 * Creating with a bundle is an edge of the empty archetype. Whether rows may be shifted is noted
 * for an epoch and refreshed when it has moved on. Right after it there is room for a trio for each
 * copy, and one for the tags if the source has some. Those of the copies that are kept, and then of
 * the tags, are noted for the one way along the edge that is remembered. */
typedef struct stoa__edge {
    stoa__archetype *source;
    stoa__archetype *target;
    const struct stoa__hook *hook; /* the one that is told, if a vector is put and it is told to
                                      that one alone; else NULL */
    union {
        stoa__copy *copies; /* one for each lane of the source: those kept, then those left behind;
                               they stand after the trios */
        struct stoa__edge *next; /* of one that leads to a hidden archetype: in the list of those */
    };
    stoa__copy *tags; /* one for each tag that is kept: its state comes along */
    uint16_t *fresh;  /* lanes of the target that hold no values and are not copied */
    stoa__put *puts;  /* one for each element of the key */
    uint32_t *key;
    uint64_t runs; /* a byte for how many of those kept have 12, 16, 8 and 4 bytes, from the lowest
                      on, if there are up to 255; they stand in this order before all others. Then
                      one that is 1 if the source has tags */
    uint32_t single; /* the key if it has one element, else 0 */
    uint32_t epoch;  /* of the storage, when it was read whether rows may be shifted */
    uint16_t kept;   /* copies that are kept */
    uint16_t lanes;  /* copies in all */
    uint16_t tag_count;
    uint16_t fresh_count;
    bool plain;   /* moving and dropping is copying, on either side */
    bool rich;    /* lanes other than values, on either side */
    bool watched; /* hooks, observers or a log may want to know */
    bool swift;   /* plain, not rich, overwrites nothing, leads elsewhere, both sides have rows, and
                     every lane of the source has 8 to 16 bytes */
    bool quick;   /* swift, and not watched */
    bool hooked;  /* swift, puts one component, and only its hooks want to know */
    bool open;    /* rows may be shifted in that epoch; if it is watched, only hooks are told */
    bool lead;    /* open, the first that is kept has 12 bytes, and so has what is put or dropped */
    bool vector;  /* lead, and nothing else is kept */
    bool follow;  /* lead, something else is kept, and nobody wants to know */
    uint32_t key_count;
    uint32_t hash;
    uint32_t block_size; /* bytes of the block that holds this struct and its tables */
} stoa__edge;

/* What the gate of a way has beside the epoch: what is under way never has these bits. Nothing if
 * it shifts one vector of which nobody is told; one bit if one hook is told of that vector, the
 * other if it is another shift, both if the way leads to a sparse set. */
#define STOA__GATE_TOLD 0x02000000u
#define STOA__GATE_ANY 0x01000000u
#define STOA__GATE_SPARSE (STOA__GATE_TOLD | STOA__GATE_ANY)

/* Columns of a chunk that a way leads from or to. */
typedef struct stoa__way_columns {
    uint8_t *entities;
    uint8_t *kept; /* the first that is kept, or the entities */
} stoa__way_columns;

/* How a component of a described type was put last, or taken away: along an edge, with what a shift
 * of rows needs side by side: what such a shift takes is the time of its instructions. It is right
 * as long as its gate is open. That `tail` and `end` are still the last chunks is told by their
 * rows: only the last one is partly filled. */
typedef struct stoa__way {
    _Alignas(STOA__LINE) uint64_t gate; /* the epoch, and what kind of way it is; 0 if rows may not
                                           be shifted */
    const stoa__edge *edge;             /* NULL if it leads to a sparse set */
    uint32_t slot;                      /* of the type; STOA__NONE: nothing remembered */
    uint32_t base;                      /* the place of the first row of `end` */
    uint32_t end_room;                  /* rows of a chunk of the target, less one */
    uint32_t tail_room;                 /* rows of a chunk of the source, less two */
    uint64_t first;                     /* the place of the first row of the chunk that `hole` is
                                           of; STOA__NOWHERE: of none */
    union {
        stoa_chunk *tail; /* of the source */
        struct stoa__sparse *set;
    };
    union {
        stoa_chunk *end;  /* the tail of the target */
        uint32_t **pages; /* of the set, if it is one of vectors that nobody watches, else NULL */
    };
    uint8_t *shifted;       /* where to note that rows were shifted: see stoa__tally */
    stoa__way_columns hole; /* of the chunk that the last row left */
    stoa__way_columns tail_columns;
    stoa__way_columns end_columns;
    uint8_t *side; /* the column of `end` that is put, or of `hole` that is left behind */
    union {
        uint8_t *tail_side; /* the one that is left behind in the tail */
        size_t put_size;    /* bytes of what is put */
    };
} stoa__way;

/* No place, however many rows are added to it. */
#define STOA__NOWHERE ((uint64_t)1 << 40)

/* Ways that are remembered, at most; a multiple of 8. */
#define STOA__TALLIES 32u

/* Between which archetypes a way shifts rows. It only notes that it did, and whoever wants to know
 * how many rows there are has them counted then. */
typedef struct stoa__tally {
    const stoa__archetype *source; /* NULL: there is no such way */
    const stoa__archetype *target;
} stoa__tally;

/* The edges of an archetype: open addressing by hash. With none there is one cell, which is free.
 */
typedef struct stoa__edges {
    stoa__edge **cells;
    uint32_t mask; /* cells less one, which are a power of two */
    uint32_t count;
} stoa__edges;

/* The edge taken last for a key. It is found by the key alone and only then compared with the
 * archetype: the processor need not wait for the entity's record to know where the row will go. */
typedef struct stoa__hop {
    const stoa__archetype *source;
    stoa__edge *edge;
    uint32_t key;
} stoa__hop;

/* Hops remembered, a power of two. */
#define STOA__HOPS 16

/* A set of components and the chunks of the entities that have it. */
struct stoa__archetype {
    stoa_archetype_head head;   /* must be first; with what follows up to `crowded` it is the front
                                   that the fast paths know */
    stoa_chunk *tail;           /* the last chunk in use; one that is full where there is none */
    stoa_chunk first;           /* where head.chunks points while there is one */
    uint8_t *table[STOA_TABLE]; /* a copy of the columns of a chunk that is not of full size, if
                                   they are so few */
    const stoa_column *columns; /* where components are; see the front */
    uint32_t column_mask;
    uint32_t version;
    uint32_t crowded;
    uint32_t index; /* in the world: its public id */
    stoa__edges edges;
    stoa__lane *lanes;
    uint64_t fill;       /* how a hole is filled quickly: see stoa__layout_fill */
    stoa_component *ids; /* sorted */
    uint16_t lane_count;
    uint16_t id_count;
    uint16_t tag_count;     /* components without data */
    uint16_t data_lanes;    /* lanes that hold values, which come first */
    uint16_t full_capacity; /* rows of a full-sized chunk, a power of two */
    bool plain;             /* moving and dropping any of its components is copying */
    bool small;             /* plain, and every lane has 8 to 16 bytes */
    uint32_t row_size;      /* bytes of a row, its entity included */
    uint32_t chunk_bytes;   /* of a chunk in the current layout, without its tags */
    int32_t chunk_held;     /* chunks with memory: those in use, then spare ones */
    int32_t chunk_keep;     /* spare ones are kept up to this many in all */
    uint32_t wanted;        /* rows that the reservation under way asks for */
    uint32_t chunk_slots;   /* capacity of head.chunks, 0 while it is `first` */
    bool rich;              /* has lanes other than values */
    bool watched;           /* hooks, observers or a log may want to know of its rows */
    bool simple;            /* plain, not watched, and its entities are in no sparse set */
    bool light;             /* simple and small, and has rows */
};

/* A large block that chunks are cut from, in granules. Free ones are 0 in `map`, which is as long
 * as there are granules. */
typedef struct stoa__slab {
    uint8_t *data;
    size_t size;
    uint32_t granules;
    uint32_t free;    /* granules that are free */
    uint32_t refused; /* runs of so many granules were not found since the last was freed */
    bool closed;      /* being emptied: gives out nothing */
    uint64_t map[];   /* a bit for each granule */
} stoa__slab;

/* The slabs of a world, sorted by address. */
typedef struct stoa__slabs {
    stoa__slab **items;
    uint32_t count;
    uint32_t capacity;
    size_t size;   /* bytes of all slabs */
    size_t maps;   /* bytes of what describes them */
    size_t direct; /* bytes of chunks that are in no slab */
} stoa__slabs;

/* Told of new archetypes; `prepare` may fail, and then there is none. And of those that are hidden:
 * after it there are only `count`. */
typedef struct stoa__watch {
    stoa_status (*prepare)(void *user);
    void (*added)(void *user, stoa__archetype *archetype);
    void (*hidden)(void *user, uint32_t count);
    void *user;
} stoa__watch;

typedef struct stoa__storage {
    stoa_world_head head; /* must be first; with what follows up to the bundles it is the front that
                             stoa_create_with knows */
    uint32_t free_first;  /* dead slots form a list through `place`; 0 ends it */
    uint32_t free_count;  /* slots in it */
    uint32_t record_capacity;
    uint32_t retired_count;
    uint64_t *rows; /* of each archetype, see STOA_ROW_CAME: dense, since counting is all that most
                       queries do. stoa__rows_ready before they are read */
    stoa_bundle bundles[STOA_BUNDLES]; /* what stoa_create_with knows of the world's bundles */
    _Alignas(8) uint8_t shifted[STOA__TALLIES]; /* of each tally, 1: `rows` is behind */
    stoa__tally tallies[STOA__TALLIES];

    stoa__heap heap;
    stoa__registry registry;
    uint32_t chunk_size;  /* bytes aimed at */
    uint64_t rows_hidden; /* the upper halves of `rows` of archetypes when they were hidden, added
                             up: so that what queries add up never comes to the same twice */

    uint32_t *record_stamps; /* of each page of records: the stamp when one was written last; NULL
                                until somebody wants to know */
    uint32_t stamp_count;
    uint32_t stamp;       /* moves on whenever somebody notes what the records are */
    uint32_t upheavals;   /* moves on when ticks and stamps do not tell all that has changed */
    uint32_t empty_count; /* live entities without components */

    stoa__archetype **archetypes; /* [0] is the empty set; hidden ones come last */
    uint32_t archetype_count;
    uint32_t archetype_total; /* with those that are hidden */
    uint32_t archetype_capacity;
    uint32_t rows_capacity;
    uint32_t rank_capacity;
    uint64_t *ranks; /* of each archetype: bit i, its chunks have a column of component i; bit 0, of
                        the entities. So the bits below that of a component tell its index */
    stoa__map by_set;
    stoa__watch watch;
    stoa__edge *asleep; /* edges that lead to hidden archetypes: found when they are made anew */
    bool watch_all;     /* observers or a log want to know of every change */
    bool heeded;        /* they do, or records are stamped */
    bool aimed;         /* somebody listens to single entities */
    stoa__component *sparse_first; /* the sparse components form a list; NULL: there are none */
    uint32_t reserved_count;       /* slots that command buffers hold: neither live nor free */

    uint32_t chunk_count;      /* numbers given out, number 0 included */
    uint32_t chunk_capacity;   /* of head.chunks */
    uint32_t written_capacity; /* of head.written */
    uint32_t column_list;      /* capacity of head.columns */
    uint32_t column_tables;    /* tables in it */
    uint32_t chunk_free_first; /* free numbers form a list through `columns` */
    uint32_t chunk_free_count;
    uint32_t
        chunk_changes; /* moves on whenever a chunk comes, goes, or has its columns elsewhere */
    stoa__slabs slabs;
    stoa__hop hops[STOA__HOPS];
    const stoa__archetype *ended; /* of the entity that was destroyed last, or the empty one */
    struct stoa__group *limbo;    /* of a first chunk that was outgrown: a caller's value may still
                                     point into it */
} stoa__storage;

static inline stoa__component *stoa__component_at(const stoa__storage *storage, stoa_component id) {
    return storage->registry.items[id - 1];
}

/* What is under way and the epoch as one number, to be compared at once with what it is for an
 * epoch while nothing is. Once there are rows it is not 0. */
static inline uint64_t stoa__gate_now(const stoa__storage *storage) {
    return stoa_bits_read((const uint8_t *)storage + offsetof(stoa_world_head, open));
}
static inline void stoa__gate_write(stoa__storage *storage, uint64_t gate) {
    memcpy((uint8_t *)storage + offsetof(stoa_world_head, open), &gate, sizeof gate);
}
static inline uint64_t stoa__gate_at(uint32_t open, uint32_t epoch) {
    const stoa_pair pair = {open, epoch};
    return stoa_bits_read(&pair);
}
static inline uint64_t stoa__gate_of(uint32_t epoch) {
    return stoa__gate_at(0, epoch);
}

/* Counts rows that were shifted and not counted. */
void stoa__rows_settle(stoa__storage *storage);

/* Makes `rows` what they are. While threads may ask for them nothing is left to be done. */
static inline void stoa__rows_ready(const stoa__storage *storage) {
    uint64_t shifted = 0;
    for (uint32_t i = 0; i < STOA__TALLIES; i += 8) {
        shifted |= stoa_bits_read(&storage->shifted[i]);
    }
    if (!STOA_LIKELY(shifted == 0)) {
        stoa__rows_settle((stoa__storage *)(uintptr_t)storage);
    }
}

/* Rows of an archetype as they were counted, by its index. */
static inline uint32_t stoa__rows_at(const stoa__storage *storage, uint32_t index) {
    return (uint32_t)storage->rows[index];
}

/* Some rows came to an archetype. */
static inline void stoa__rows_came(const stoa__storage *storage, uint32_t index, uint32_t count) {
    storage->rows[index] += count * STOA_ROW_CAME;
}

/* Some went. */
static inline void stoa__rows_went(const stoa__storage *storage, uint32_t index, uint32_t count) {
    storage->rows[index] -= count;
}

/* Some changed places, or their columns did. */
static inline void stoa__rows_moved(const stoa__storage *storage, uint32_t index) {
    storage->rows[index] += (uint64_t)1 << 32;
}

/* All are others; how often that happened is known on. */
static inline void stoa__rows_set(const stoa__storage *storage, uint32_t index, uint32_t count) {
    storage->rows[index] = ((storage->rows[index] >> 32) + 1) << 32 | count;
}

/* True if a component is never to be written in place. */
static inline bool stoa__component_fixed(const stoa__storage *storage,
                                         const stoa__component *component) {
    return (component->info.flags & STOA_IMMUTABLE) != 0 ||
           (storage->head.open & STOA_OPEN_SEALED) != 0;
}

/* Where a live entity is. */
static inline uint32_t stoa__place_of(const stoa__storage *storage, uint32_t index) {
    return stoa_record_place(storage->head.records, index);
}

/* Notes where a live entity is. */
static inline void stoa__place_set(stoa_record *records, uint32_t index, uint32_t place) {
    records[index].mixed = place ^ index;
}

/* True if a slot is that of a live entity with no component. */
static inline bool stoa__record_empty(const stoa_record *records, uint32_t index) {
    return stoa_record_place(records, index) >> STOA_PLACE_BITS == 0;
}

/* The slot after a free one in the list of these; 0: none. */
static inline uint32_t stoa__record_next(const stoa_record *record) {
    return record->mixed & ~STOA_UNPLACED;
}

/* Notes that the record of a slot was written, if anybody wants to know. */
static inline void stoa__record_stamp(const stoa__storage *storage, uint32_t index) {
    if (!STOA_LIKELY(storage->record_stamps == NULL)) {
        storage->record_stamps[index >> STOA__STAMP_BITS] = storage->stamp;
    }
}

static inline bool stoa__component_known(const stoa__storage *storage, stoa_component id) {
    return id - 1 < storage->registry.count;
}

#endif
