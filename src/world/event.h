/* Listeners, readers and queues of a world.
 *
 * Each type that somebody listens to or reads has a channel: its listeners, and a queue that is
 * kept while there are readers. event.c has channels and sending, event_listen.c the listeners,
 * event_queue.c queues and readers. */
#ifndef STOA_WORLD_EVENT_H
#define STOA_WORLD_EVENT_H

#include "base/map.h"
#include "stoa/code.h"
#include "stoa/event.h"
#include "storage/storage.h"

/* Listeners that send, one inside the other, at most. */
#define STOA__EVENT_DEPTH 64

typedef struct stoa__listener stoa__listener;

/* An event whose listeners are being called. Its value stands apart from the queue until they are
 * through: meanwhile they may read, send, and drop what is queued. */
typedef struct stoa__telling {
    struct stoa__telling *outer; /* of the same channel */
    void *value;
    uint64_t number; /* in the queue, or UINT64_MAX if nobody reads */
} stoa__telling;

/* A reader of a channel. */
struct stoa_reader {
    struct stoa__channel *channel;
    stoa_reader *previous; /* in the channel's list */
    stoa_reader *next;
    uint64_t number; /* of the event to read next */
    int64_t lost;
};

/* What stands before the value in a slot of a queue. */
typedef struct stoa__slot {
    stoa_entity target;
    stoa_atomic pending; /* readers that have not read it */
} stoa__slot;

/* The listeners, readers and queue of one type. Events are numbered in the order they were sent;
 * those from `head` to `tail` are kept, number n in slot n % capacity. */
typedef struct stoa__channel {
    stoa_world *world;
    const stoa__component *component;
    stoa__listener *first; /* of those that hear all; its `previous` is the last */
    stoa_reader *readers;  /* the youngest first */
    uint32_t reader_count;
    uint32_t limit;    /* events kept, at most */
    uint8_t *slots;    /* NULL until there is something to keep */
    size_t slots_size; /* bytes of all slots */
    size_t stride;     /* bytes of a slot */
    size_t offset;     /* of the value in its slot */
    uint32_t size;     /* of a value */
    uint32_t capacity; /* slots, a power of two or 0 */
    uint32_t room;     /* what the slots hold within the limit; 0 unless plain values are read */
    uint64_t head;
    uint64_t tail;
    stoa__telling *telling; /* the innermost */
    uint8_t *spares;        /* blocks for values that are told: a list through their first bytes */
    uint32_t block_count;   /* spare ones and those in use */
    bool words;             /* a value has two to four words */
    bool plain;             /* values are moved and dropped as bytes */
    bool busy;              /* hooks of the type are running: the slots must stay as they are */
} stoa__channel;

/* A listener by its id. */
typedef struct stoa__listener_entry {
    stoa__listener *item; /* NULL once it is removed */
    uint32_t id;
} stoa__listener_entry;

typedef struct stoa__events {
    stoa__channel **channels; /* by component id - 1, NULL where nobody asked */
    uint32_t capacity;
    uint32_t id_last;                /* listener ids given out */
    uint32_t target_count;           /* listeners that listen to one entity */
    uint32_t depth;                  /* events being told, one inside the other */
    stoa__listener_entry *listeners; /* sorted by id */
    uint32_t listener_count;
    uint32_t listener_capacity;
    uint32_t gone_count;     /* entries of removed ones */
    stoa__map by_target;     /* from an entity to the id of the first of its listeners */
    stoa__listener *removed; /* not called any more, but still on lists: in the order they went */
    stoa__listener *removed_last;
    bool closed; /* being freed: nothing new */
} stoa__events;

/* The entity is about to die: listeners to it go, and what they were given to free is freed. */
void stoa__event_entity_dies(stoa_world *world, stoa_entity e);

/* Drops what is queued and frees everything. Nothing can be sent after it. */
void stoa__event_free_all(stoa_world *world);

size_t stoa__event_bytes(const stoa_world *world);

/* STOA_OK if events can be sent, heard and read now; otherwise the thread's error is set. */
stoa_status stoa__event_may(const stoa_world *world);

/* The channel of a known type, made if need be; NULL with the thread's error set. */
stoa__channel *stoa__event_channel(stoa_world *world, stoa_component id);

/* The slow half of stoa__listen_first. */
stoa__listener *stoa__listen_find(const stoa__events *events, stoa_entity target);

/* The first listener to an entity, or NULL. */
static inline stoa__listener *stoa__listen_first(const stoa__events *events, stoa_entity target) {
    return STOA_LIKELY(events->target_count == 0 || target.index == 0)
               ? NULL
               : stoa__listen_find(events, target);
}

/* Calls the listeners of an event, in the order of their ids: those of the channel, and those to
 * its target from `own` on. Those that are added meanwhile have to wait for the next event. */
void stoa__listen_tell(stoa_world *world, const stoa__channel *channel, stoa__listener *own,
                       const stoa_event *event);

/* Takes listeners away that lead into code; nothing runs. */
void stoa__listen_forget(stoa_world *world, const stoa_code *code);

void stoa__listen_free_all(stoa_world *world);
size_t stoa__listen_bytes(const stoa_world *world);

/* The slot of an event that is kept, or of the next one. */
static inline stoa__slot *stoa__queue_slot(const stoa__channel *c, uint64_t number) {
    size_t i = (size_t)number & (c->capacity - 1);
    return (stoa__slot *)(void *)(c->slots + i * c->stride);
}

/* True if the value is in one of the slots. */
static inline bool stoa__queue_contains(const stoa__channel *c, const void *value) {
    return (uintptr_t)value - (uintptr_t)c->slots < c->slots_size;
}

/* The value of an event that is kept, wherever it is. */
void *stoa__queue_value(const stoa__channel *channel, uint64_t number);

/* Sets up the queue of a new channel. */
void stoa__queue_init(stoa__channel *channel);

/* Room for what is queued as values of what the component is now; the thread's error is set. The
 * values of the twin are raw; event number i has the same slot in both. */
stoa_status stoa__queue_twin(stoa__channel *channel, stoa__channel *twin);

/* Frees the slots of a twin for values of that alignment. */
void stoa__queue_twin_free(stoa__channel *twin, uint32_t alignment);

/* Gives a channel the slots of its twin, and the other way round. The component must still be what
 * it was, and nothing be told. */
void stoa__queue_exchange(stoa__channel *channel, stoa__channel *twin);

/* Frees the channels of components with an id of `first` or above, which nobody listens to. */
void stoa__event_forget(stoa_world *world, stoa_component first);

/* Drops what is queued and frees readers, slots and blocks. */
void stoa__queue_fini(stoa__channel *channel);

size_t stoa__queue_bytes(const stoa__channel *channel);

/* Makes room for one event: drops what all have read, and the oldest beyond the limit. The thread's
 * error is set. */
stoa_status stoa__queue_reserve(stoa__channel *channel);

/* Appends an event to the room that was made; the value is moved in, or comes with
 * stoa__queue_settle if it is NULL. Returns the event's number. */
uint64_t stoa__queue_push(stoa__channel *channel, stoa_entity target, const void *value);

/* A raw block for a value that is told, or NULL; back with stoa__queue_block_give. */
void *stoa__queue_block_take(stoa__channel *channel);
void stoa__queue_block_give(stoa__channel *channel, void *block);

/* Ends the telling of the innermost event: its value goes into the queue if it is still wanted
 * there, else it is dropped. */
void stoa__queue_settle(stoa__channel *channel);

/* True if the value is one that the channel holds. */
bool stoa__queue_owns(const stoa__channel *channel, const void *value);

/* Moves a value, or drops it, while nothing may change the queue. */
void stoa__queue_value_move(stoa__channel *channel, void *to, const void *from);
void stoa__queue_value_drop(stoa__channel *channel, void *value);

/* What a reader has come to. */
typedef struct stoa__reader_note {
    const stoa_reader *reader;
    uint64_t number;
    int64_t lost;
} stoa__reader_note;

/* Notes what the readers of a channel have come to, `reader_count` of them. */
void stoa__queue_readers_save(const stoa__channel *channel, stoa__reader_note *notes);

/* Takes that back; a reader without a note has read everything. What each event waits for is
 * counted anew. */
void stoa__queue_readers_load(stoa__channel *channel, const stoa__reader_note *notes,
                              uint32_t count);

/* Makes room so that so many events can be kept. The thread's error is set. */
stoa_status stoa__queue_room(stoa__channel *channel, uint32_t count);

/* Drops what is kept, and numbers events anew: those from `head` to `tail` are kept from now on and
 * the caller's to fill in, for which there is room. */
void stoa__queue_renumber(stoa__channel *channel, uint64_t head, uint64_t tail);

/* Why a queue cannot be changed now, as the thread's error: hooks of the type are running, or
 * threads. STOA_OK if it can. */
stoa_status stoa__queue_blocked(const stoa__channel *channel);

#endif
