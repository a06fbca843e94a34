/* Events: values of described types sent to whoever listens now, or reads later. */
#ifndef STOA_EVENT_H
#define STOA_EVENT_H

#include "stoa/access.h"

STOA_BEGIN

/// Unread events of one type, at most, unless stoa_event_limit says otherwise.
#define STOA_EVENT_LIMIT 65536

/// An event as a listener or reader sees it.
typedef struct stoa_event {
    const void *data;    ///< the value, NULL for a tag; valid during the call, or until the next
                         ///< read or send of its type
    stoa_entity target;  ///< whom it was sent to; STOA_NULL for the world
    stoa_component type; ///< the type's id
} stoa_event;

/// Called with an event when it is sent.
typedef void (*stoa_listen_fn)(stoa_world *world, const stoa_event *event, void *user);

/// A listener of a world; the id 0 is none.
typedef struct stoa_listener {
    uint32_t id; ///< never used twice in one world
} stoa_listener;

/// How to make a listener.
typedef struct stoa_listener_desc {
    stoa_type *type;               ///< the described type, or NULL to go by `component`
    stoa_component component;      ///< used when `type` is NULL
    stoa_entity target;            ///< hear only what is sent to this one; STOA_NULL: hear all
    stoa_listen_fn call;           ///< what to call
    void *user;                    ///< handed to every call
    void (*user_free)(void *user); ///< called once when the listener is gone; may be NULL
} stoa_listener_desc;

/// Adds a listener; those of one type are called in the order they were added. Id 0 on error.
/// One that listens to an entity goes with that entity.
stoa_listener stoa_listener_new(stoa_world *world, const stoa_listener_desc *desc);

/// stoa_listener_new for the whole world, without a free function; called by stoa_event_listen.
stoa_listener stoa_listener_type(stoa_world *world, stoa_type *type, stoa_listen_fn call,
                                 void *user);

/// Takes a listener away; it is not called again, even by an event that is being told.
stoa_status stoa_listener_remove(stoa_world *world, stoa_listener listener);

/// Sends an event to an entity, or to the world for STOA_NULL.
/// Listeners are called, readers find it. The value is moved in; see stoa_value. Nothing is kept of
/// it when there is no reader.
stoa_status stoa_event_send_id(stoa_world *world, stoa_entity target, stoa_component id,
                               const void *value, size_t size);

/// Typed twin of stoa_event_send_id; called by stoa_event_send and stoa_event_send_to.
stoa_status stoa_event_send_type(stoa_world *world, stoa_entity target, stoa_type *type,
                                 const void *value);

/// A reader of one type of event, which sees each once, in the order they were sent.
typedef struct stoa_reader stoa_reader;

/// Makes a reader; it sees what is sent from now on. NULL on error. Belongs to its world.
stoa_reader *stoa_reader_new_id(stoa_world *world, stoa_component id);

/// Typed twin of stoa_reader_new_id; called by stoa_reader_new.
stoa_reader *stoa_reader_new_type(stoa_world *world, stoa_type *type);

/// Frees a reader; NULL is fine. With the last one of a type all that is queued goes.
stoa_status stoa_reader_free(stoa_reader *reader);

/// Fills in the next event the reader has not seen; false if there is none.
bool stoa_event_read(stoa_reader *reader, stoa_event *event);

/// How many events the reader has still to read.
int32_t stoa_reader_count(const stoa_reader *reader);

/// How many events were dropped before the reader came to them.
int64_t stoa_reader_lost(const stoa_reader *reader);

/// Sets how many unread events of a type are kept; beyond that the oldest is dropped and counted.
/// Values that were read before are not valid any more.
stoa_status stoa_event_limit_id(stoa_world *world, stoa_component id, int32_t count);

/// Typed twin of stoa_event_limit_id; called by stoa_event_limit.
stoa_status stoa_event_limit_type(stoa_world *world, stoa_type *type, int32_t count);

STOA_END

#endif
