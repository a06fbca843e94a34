/* Frames of a world, as the files that fill them and read them back see them.
 *
 * A frame holds pages with rows of one lane of one chunk, of the entity table, of sparse sets and
 * so on. A page is counted by the frames that have it, and never written once it is filled.
 *
 * Pages of chunks and records are many, so they are listed in pages themselves, which frames share
 * where nothing listed is another: spans of chunks, folders of records. Neither those nor what they
 * list is counted. Frames that share follow one another, and always at the same place of their
 * lists: so a page goes with the last frame that has it, which is seen by a look at the next.
 *
 * The newest frame is the base: what the world has is what the base has, and what changed since.
 * Whether a page of the base still is what the world has is told by ticks for values, by stamps for
 * records, and by records for rows that came, went or changed places. */
#ifndef STOA_WORLD_FRAMES_H
#define STOA_WORLD_FRAMES_H

#include "stoa/frames.h"
#include "world/pages.h"
#include "world/world.h"

/* Records of a page: those that share a stamp. */
#define STOA__FRAME_RECORDS (1u << STOA__STAMP_BITS)
/* Pages of records that are listed in a folder, as a power of two. */
#define STOA__FOLDER_BITS 6u
/* Chunks of a span, but for the last one of an archetype, which may have fewer. */
#define STOA__FRAME_SPAN 32u
/* Positions of a sparse set that share pages. */
#define STOA__FRAME_POSITIONS 256u

/* What a frame knows of a column of a chunk. */
typedef struct stoa__state_note {
    uint32_t off;
    uint32_t changed;
    uint32_t added;
} stoa__state_note;

/* A chunk in a frame. */
typedef struct stoa__chunk_note {
    uint32_t number; /* by which records find it */
    int32_t count;   /* of rows */
} stoa__chunk_note;

/* Chunks of an archetype, one after the other, in a page of its own kind. What is told of them
 * follows: the pages of each chunk, that of its entities and then those of its lanes; the notes of
 * the chunks; the states of the columns of each. */
typedef struct stoa__span {
    uint32_t count; /* of chunks */
    uint32_t lanes; /* of each */
    uint32_t states;
    uint32_t unused; /* pages, which follow, must be aligned */
} stoa__span;

/* An archetype in a frame. */
typedef struct stoa__archetype_note {
    stoa__archetype *archetype;
    uint32_t first;       /* of its spans */
    uint32_t chunk_count; /* in them */
    uint32_t rows;
} stoa__archetype_note;

/* Positions of a sparse set: five pages, of which values and switches may be missing. */
typedef struct stoa__positions_note {
    stoa__page *entities;
    stoa__page *changed;
    stoa__page *added;
    stoa__page *off;
    stoa__page *values; /* none of a tag, or of a component that an extension keeps */
} stoa__positions_note;

typedef struct stoa__sparse_note {
    const stoa__component *component;
    uint32_t first; /* of its blocks of positions */
    uint32_t count; /* positions */
    uint32_t off_count;
} stoa__sparse_note;

typedef struct stoa__resource_note {
    const stoa__component *component;
    stoa__page *value; /* NULL for a tag */
    uint32_t changed;
} stoa__resource_note;

typedef struct stoa__queue_note {
    const stoa__component *component;
    stoa__page *targets; /* NULL if nothing is queued */
    stoa__page *values;  /* and for tags */
    uint64_t head;
    uint64_t tail;
    uint32_t first;        /* of its readers */
    uint32_t reader_count; /* of them */
} stoa__queue_note;

typedef struct stoa__buffer_note {
    const stoa_commands *buffer;
    uint32_t wanted;
    uint32_t peak;
} stoa__buffer_note;

typedef struct stoa__extension_note {
    const char *name;
    stoa__page *bytes;
    uint64_t version;
} stoa__extension_note;

/* A growing array of notes. */
#define STOA__NOTES(T, name)                                                                       \
    T *name;                                                                                       \
    uint32_t name##_count;                                                                         \
    uint32_t name##_capacity

typedef struct stoa__frame {
    uint32_t tick;
    uint32_t swept;
    uint32_t record_count;
    uint32_t free_first;
    uint32_t free_count;
    uint32_t retired_count;
    uint32_t empty_count;
    stoa__log log;
    stoa__page *log_entries;
    STOA__NOTES(stoa__page *, records); /* folders */
    STOA__NOTES(stoa__archetype_note, archetypes);
    STOA__NOTES(stoa__page *, spans);
    STOA__NOTES(stoa__sparse_note, sets);
    STOA__NOTES(stoa__positions_note, blocks);
    STOA__NOTES(stoa__resource_note, resources);
    STOA__NOTES(stoa__queue_note, queues);
    STOA__NOTES(stoa__reader_note, readers);
    STOA__NOTES(stoa__buffer_note, buffers);
    STOA__NOTES(stoa__run_note, runs);
    STOA__NOTES(stoa__extension_note, extensions);
} stoa__frame;

struct stoa_frames {
    stoa_world *world;
    stoa_frames *after; /* the next ring of the world */
    stoa__heap heap;    /* on the world's allocator, with bytes of its own */
    stoa__pages pages;
    stoa__frame *slots; /* one more than are kept; frame n is at n % slot_count */
    uint32_t slot_count;
    int64_t first; /* numbers of the frames that are kept: from first to next - 1 */
    int64_t next;
    const stoa__frame *base; /* the newest, if the world can be told by it; else NULL */
    uint32_t base_stamp;     /* of records that were written since the base, at least */
    uint32_t upheavals;      /* of the storage, at the base */
    uint8_t *touched;        /* of each chunk by number: a record of its rows is not the base's */
    uint32_t touched_count;
    uint32_t touched_capacity;
    stoa__page *aside;         /* raw memory for one value that changes places, or NULL */
    STOA__NOTES(uint8_t, due); /* of each extension: it is to take back what it had */
    bool busy;                 /* saving or restoring: hooks of values are called */
};

/* Makes room for so many notes; `false` on lack of memory. */
#define STOA__NOTES_RESERVE(frames, frame, name, need)                                             \
    stoa__heap_grow(&(frames)->heap, &(frame)->name, &(frame)->name##_capacity, (uint32_t)(need),  \
                    sizeof *(frame)->name)

/* A folder's pages of records. */
static inline stoa__page **stoa__folder_pages(const stoa__page *folder) {
    return (stoa__page **)(void *)stoa__page_data(folder);
}

/* Page `p` of a frame's records. */
static inline stoa__page *stoa__frame_records(const stoa__frame *frame, uint32_t p) {
    const stoa__page *folder = frame->records[p >> STOA__FOLDER_BITS];
    return stoa__folder_pages(folder)[p & ((1u << STOA__FOLDER_BITS) - 1)];
}

/* Pages that so many records take. */
static inline uint32_t stoa__record_pages(uint32_t record_count) {
    return (record_count + STOA__FRAME_RECORDS - 1) >> STOA__STAMP_BITS;
}

static inline stoa__span *stoa__span_of(const stoa__page *page) {
    return (stoa__span *)(void *)stoa__page_data(page);
}

/* What is told of chunk `i` of a span: its pages, its note, its states. */
static inline stoa__page **stoa__span_pages(const stoa__span *span, uint32_t i) {
    return (stoa__page **)(uintptr_t)(span + 1) + (size_t)i * (span->lanes + 1);
}

static inline stoa__chunk_note *stoa__span_note(const stoa__span *span, uint32_t i) {
    return (stoa__chunk_note *)(void *)stoa__span_pages(span, span->count) + i;
}

static inline stoa__state_note *stoa__span_states(const stoa__span *span, uint32_t i) {
    return (stoa__state_note *)(void *)stoa__span_note(span, span->count) +
           (size_t)i * span->states;
}

/* The span of a frame with chunk `c` of an archetype, of which it is number c % STOA__FRAME_SPAN.
 */
static inline const stoa__span *stoa__frame_span(const stoa__frame *frame, uint32_t archetype,
                                                 uint32_t c) {
    return stoa__span_of(frame->spans[frame->archetypes[archetype].first + c / STOA__FRAME_SPAN]);
}

/* True if nothing can have been marked with that tick since the base. */
static inline bool stoa__frame_older(const stoa_frames *frames, uint32_t tick) {
    return (int32_t)(frames->base->tick - tick) > 0;
}

/* Gives up pages that a frame lists one after the other, but for those that the frame beside it
 * lists at the same places. */
void stoa__frame_pages_leave(stoa_frames *frames, stoa__page *const *pages, size_t count,
                             stoa__page *const *beside, size_t beside_count);

/* frames_records.c: the entity table. Functions that save set the thread's error. */

/* Finds out which chunks have rows that are not those of the base, if there is one. */
stoa_status stoa__frame_touch(stoa_frames *frames);
stoa_status stoa__frame_records_save(stoa_frames *frames, stoa__frame *frame);
/* `beside` is the frame next to it that stays, or NULL: what that has, too, stays. */
void stoa__frame_records_free(stoa_frames *frames, stoa__frame *frame, const stoa__frame *beside);

/* True if page `p` of the live records is the one that the base has. */
bool stoa__frame_records_same(const stoa_frames *frames, uint32_t p);

/* frames_rows.c: the chunks. */
stoa_status stoa__frame_rows_save(stoa_frames *frames, stoa__frame *frame);
void stoa__frame_rows_free(stoa_frames *frames, stoa__frame *frame, const stoa__frame *beside);

/* What is true of a live chunk beside the base. */
typedef struct stoa__chunk_since {
    const stoa__archetype *archetype;
    const stoa_chunk *chunk;
    stoa__page *const *pages;       /* of the base if its rows are the same entities; else NULL */
    const stoa__state_note *states; /* and the states of its columns there */
} stoa__chunk_since;

stoa__chunk_since stoa__frame_since(const stoa_frames *frames, uint32_t archetype, int32_t c);

/* True if a lane of the chunk, whose entities are those of the base, is what that has. */
bool stoa__frame_lane_same(const stoa_frames *frames, const stoa__chunk_since *since,
                           uint32_t lane);

/* True if all of the chunk is what the base has, its states included. */
bool stoa__frame_chunk_same(const stoa_frames *frames, const stoa__chunk_since *since);

/* frames_back.c: the way back. `reserve` finds all the memory, then the rest cannot fail. */
stoa_status stoa__frame_rows_reserve(stoa_frames *frames, const stoa__frame *frame);
void stoa__frame_rows_restore(stoa_frames *frames, const stoa__frame *frame);

/* frames_sparse.c */
stoa_status stoa__frame_sparse_save(stoa_frames *frames, stoa__frame *frame);
void stoa__frame_sparse_free(stoa_frames *frames, stoa__frame *frame);
stoa_status stoa__frame_sparse_reserve(stoa_frames *frames, const stoa__frame *frame);
void stoa__frame_sparse_restore(stoa_frames *frames, const stoa__frame *frame);

/* Puts the positions of components that extensions keep in the order of the frame, with its ticks;
 * once the extensions have taken back what they had. */
void stoa__frame_managed_restore(stoa_frames *frames, const stoa__frame *frame);

/* Takes entities that do not live out of the sets that frames do not keep. */
void stoa__frame_sparse_purge(stoa_frames *frames);

/* frames_value.c: resources and queues of events. */
stoa_status stoa__frame_values_save(stoa_frames *frames, stoa__frame *frame);
void stoa__frame_values_free(stoa_frames *frames, stoa__frame *frame);
stoa_status stoa__frame_values_reserve(stoa_frames *frames, const stoa__frame *frame);
/* Gives back what the reserve took that others could see. */
void stoa__frame_values_unreserve(stoa_frames *frames);
void stoa__frame_values_restore(stoa_frames *frames, const stoa__frame *frame);

/* frames_rest.c: counters, the log, queries, command buffers, extensions. */
stoa_status stoa__frame_rest_save(stoa_frames *frames, stoa__frame *frame);
void stoa__frame_rest_free(stoa_frames *frames, stoa__frame *frame);
void stoa__frame_rest_restore(stoa_frames *frames, const stoa__frame *frame);

/* Memory for the functions below. */
stoa_status stoa__frame_extensions_reserve(stoa_frames *frames);
/* Extensions forget what they know of entities, unless it is what the frame has. */
void stoa__frame_extensions_reset(stoa_frames *frames, const stoa__frame *frame);
/* They take back what they had; the first failure is told, the thread's error set. */
stoa_status stoa__frame_extensions_load(stoa_frames *frames, stoa__frame *frame);

#endif
