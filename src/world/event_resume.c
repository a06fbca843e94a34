/* Queues of events from outside: what they hold and how far readers have come, for saving that and
 * for going on with it.
 *
 * Readers have no names: they are told apart by the order they were made in. Asking is O(readers),
 * setting O(events * readers). One thread at a time. */
#include "stoa/resume.h"
#include "storage/registry.h"
#include "world/world.h"

/* The channel of a type that somebody reads, or NULL. */
static stoa__channel *channel_read(const stoa_world *world, stoa_component id) {
    if (world == NULL || id == 0 || id > world->events.capacity) {
        return NULL;
    }
    stoa__channel *channel = world->events.channels[id - 1];
    return channel != NULL && channel->reader_count > 0 ? channel : NULL;
}

/* The number of the event that a reader reads next, of those that are kept. */
static uint64_t reader_next(const stoa_reader *reader) {
    const stoa__channel *channel = reader->channel;
    return reader->number < channel->head ? channel->head : reader->number;
}

/* The number of the oldest event that somebody has still to read. */
static uint64_t unread_first(const stoa__channel *channel) {
    uint64_t first = channel->tail;
    for (const stoa_reader *r = channel->readers; r != NULL; r = r->next) {
        first = reader_next(r) < first ? reader_next(r) : first;
    }
    return first;
}

stoa_event_queue stoa_event_queue_get(const stoa_world *world, stoa_component id) {
    const stoa__channel *channel = channel_read(world, id);
    return channel != NULL ? (stoa_event_queue){(int32_t)(channel->tail - unread_first(channel)),
                                                (int32_t)channel->reader_count}
                           : (stoa_event_queue){0, 0};
}

bool stoa_event_queue_at(const stoa_world *world, stoa_component id, int32_t index,
                         stoa_event *event) {
    const stoa__channel *channel = channel_read(world, id);
    if (channel == NULL || event == NULL || index < 0 ||
        (uint64_t)index >= channel->tail - unread_first(channel)) {
        return false;
    }
    uint64_t number = unread_first(channel) + (uint64_t)index;
    *event = (stoa_event){
        .data = channel->size != 0 ? stoa__queue_value(channel, number) : NULL,
        .target = stoa__queue_slot(channel, number)->target,
        .type = id,
    };
    return true;
}

stoa_reader_state stoa_event_reader_at(const stoa_world *world, stoa_component id, int32_t index) {
    const stoa__channel *channel = channel_read(world, id);
    if (channel == NULL || index < 0 || (uint32_t)index >= channel->reader_count) {
        return (stoa_reader_state){0, 0};
    }
    const stoa_reader *reader = channel->readers;
    for (uint32_t i = channel->reader_count - 1; i > (uint32_t)index; i--) {
        reader = reader->next;
    }
    return (stoa_reader_state){(int32_t)(channel->tail - reader_next(reader)),
                               reader->lost + (int64_t)(reader_next(reader) - reader->number)};
}

/* The channel of a queue that can be changed now; NULL with the failure reported. */
static stoa__channel *channel_open(stoa_world *world, stoa_component id) {
    stoa__channel *channel = channel_read(world, id);
    stoa_status status = STOA_OK;
    if (world == NULL) {
        stoa__world_null(NULL, "world");
        return NULL;
    }
    if (channel == NULL) {
        status = stoa__error(STOA_NOT_FOUND, "nobody reads events of type %u", id);
    } else if (channel->telling != NULL) {
        status = stoa__error(STOA_LOCKED, "event '%s' is being told", channel->component->name);
    } else {
        status = stoa__queue_blocked(channel);
    }
    return stoa__world_report(world, status) == STOA_OK ? channel : NULL;
}

stoa_status stoa_event_queue_reserve(stoa_world *world, stoa_component id, int32_t count) {
    stoa__channel *channel = channel_open(world, id);
    if (channel == NULL) {
        return stoa_last_error().status;
    }
    uint32_t need = count > 0 ? (uint32_t)count : 0;
    return stoa__world_report(
        world, stoa__queue_room(channel, need < channel->limit ? need : channel->limit));
}

/* Gives the readers of a queue their states; the events are in place. `gone` of them are lost. */
static void readers_set(stoa__channel *channel, const stoa_reader_state *states, int32_t count,
                        int32_t gone) {
    int64_t kept = (int64_t)(channel->tail - channel->head);
    int32_t place = (int32_t)channel->reader_count;
    for (stoa_reader *r = channel->readers; r != NULL; r = r->next) {
        place--;
        stoa_reader_state state = place < count ? states[place] : (stoa_reader_state){0, 0};
        int64_t unread = state.unread < kept ? state.unread : kept;
        unread = unread > 0 ? unread : 0;
        int64_t missed = state.unread - kept;
        r->number = channel->tail - (uint64_t)unread;
        r->lost = state.lost + (gone > 0 && missed > 0 ? missed : 0);
        for (uint64_t i = r->number; i < channel->tail; i++) {
            stoa__slot *s = stoa__queue_slot(channel, i);
            STOA_STORE(&s->pending, STOA_LOAD(&s->pending) + 1);
        }
    }
}

stoa_status stoa_event_queue_set(stoa_world *world, stoa_component id, const stoa_entity *targets,
                                 void *values, int32_t count, const stoa_reader_state *readers,
                                 int32_t reader_count) {
    stoa__channel *channel = channel_open(world, id);
    if (channel == NULL) {
        return stoa_last_error().status;
    }
    uint32_t size = channel->size;
    int32_t limit = channel->limit < INT32_MAX ? (int32_t)channel->limit : INT32_MAX;
    int32_t gone = count > limit ? count - limit : 0;
    if (count < 0 || reader_count < 0 || (count > 0 && targets == NULL) ||
        (count > 0 && size != 0 && values == NULL) || (reader_count > 0 && readers == NULL) ||
        (uint32_t)(count - gone) > channel->capacity) {
        return stoa__world_report(
            world, stoa__error(STOA_INVALID, "events of type '%s' are missing, or room for them",
                               channel->component->name));
    }
    uint8_t *value = values;
    for (int32_t i = 0; i < gone && size != 0; i++, value += size) {
        stoa__queue_value_drop(channel, value);
    }
    uint64_t head = channel->tail;
    stoa__queue_renumber(channel, head, head + (uint64_t)(count - gone));
    for (int32_t i = gone; i < count; i++) {
        uint64_t number = head + (uint64_t)(i - gone);
        *stoa__queue_slot(channel, number) = (stoa__slot){targets[i], 0};
        if (size != 0) {
            stoa__queue_value_move(channel, stoa__queue_value(channel, number), value);
            value += size;
        }
    }
    readers_set(channel, readers, reader_count, gone);
    return STOA_OK;
}
