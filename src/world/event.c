/* Events: sending them, and the channels they go through.
 *
 * A value goes straight into the queue of its type, or, when listeners are called, into a block of
 * its own that nothing they do can touch, and into the queue after that. Everything that needs
 * memory comes before the first listener. Sending is O(listeners called) and allocates nothing once
 * queue and blocks have their size. One thread at a time. */
#include "storage/entities.h"
#include "storage/registry.h"
#include "storage/row.h"
#include "world/values.h"

/* Makes the table of channels reach to an id. */
static bool channels_reserve(stoa_world *world, stoa_component id) {
    stoa__events *events = &world->events;
    uint32_t before = events->capacity;
    if (!stoa__heap_grow(&world->storage.heap, &events->channels, &events->capacity, id,
                         sizeof *events->channels)) {
        return false;
    }
    for (uint32_t i = before; i < events->capacity; i++) {
        events->channels[i] = NULL;
    }
    return true;
}

static stoa__channel *channel_find(const stoa_world *world, stoa_component id) {
    return id <= world->events.capacity ? world->events.channels[id - 1] : NULL;
}

stoa_status stoa__event_may(const stoa_world *world) {
    if (world->events.closed) {
        return stoa__error(STOA_FREED, "the world is being freed");
    }
    if ((world->storage.head.open & STOA__OPEN_FORK) != 0) {
        return stoa__error(STOA_FORKED, "events cannot be sent while command buffers are "
                                        "filled by threads; see stoa_commands_send");
    }
    return STOA_OK;
}

stoa__channel *stoa__event_channel(stoa_world *world, stoa_component id) {
    const stoa__component *component = stoa__component_at(&world->storage, id);
    stoa__channel *channel = channel_find(world, id);
    if (stoa__event_may(world) != STOA_OK) {
        return NULL;
    }
    if (channel != NULL) {
        return channel;
    }
    if (channels_reserve(world, id)) {
        channel = stoa__heap_zalloc(&world->storage.heap, sizeof *channel, _Alignof(stoa__channel));
    }
    if (channel == NULL) {
        stoa__error_memory("a channel of events");
        return NULL;
    }
    channel->world = world;
    channel->component = component;
    stoa__queue_init(channel);
    world->events.channels[id - 1] = channel;
    return channel;
}

/* Makes ready what an event needs: `block` for a value that is told, a slot in the queue. On an
 * error nothing has changed. */
static stoa_status send_reserve(stoa__channel *channel, const void *value, bool told,
                                void **block) {
    const stoa_component_info *info = &channel->component->info;
    bool owned = info->size != 0 && stoa__queue_owns(channel, value);
    *block = NULL;
    if (told && channel->world->events.depth == STOA__EVENT_DEPTH) {
        return stoa__error(STOA_LIMIT, "event '%s' is sent by listeners more than %d deep",
                           channel->component->name, STOA__EVENT_DEPTH);
    }
    if (owned && (info->hooks.move != NULL || info->hooks.drop != NULL)) {
        return stoa__error(STOA_INVALID, "the value is that of another event '%s', which owns it",
                           channel->component->name);
    }
    if (info->size != 0 && (told || owned)) {
        *block = stoa__queue_block_take(channel);
        if (*block == NULL) {
            return stoa__error_memory("an event");
        }
    }
    if (owned) {
        memcpy(*block, value, info->size);
    }
    stoa_status status = channel->reader_count != 0 ? stoa__queue_reserve(channel) : STOA_OK;
    if (status != STOA_OK) {
        stoa__queue_block_give(channel, *block);
    } else if (*block != NULL && !owned) {
        stoa__queue_value_move(channel, *block, value);
    }
    return status;
}

/* Ends a value that nobody wants. */
static void value_drop(const stoa__component *component, const void *value) {
    if (component->info.size != 0) {
        stoa__component_drop(component, (void *)(uintptr_t)value, 1);
    }
}

/* Makes a telling the innermost; stoa__queue_settle ends it. */
static void telling_begin(stoa__channel *channel, stoa__telling *telling) {
    telling->outer = channel->telling;
    channel->telling = telling;
}

/* Sends an event that is told, or takes more than a copy. `own` are the listeners to its target. */
STOA__APART static stoa_status send_any(stoa__channel *channel, stoa__listener *own,
                                        stoa_entity target, const void *value) {
    stoa_world *world = channel->world;
    bool told = channel->first != NULL || own != NULL;
    void *block = NULL;
    stoa_status status = stoa__queue_blocked(channel);
    if (status == STOA_OK && !told && channel->reader_count == 0) {
        value_drop(channel->component, value);
        return STOA_OK;
    }
    if (status == STOA_OK) {
        status = send_reserve(channel, value, told, &block);
    }
    if (status != STOA_OK) {
        return stoa__world_report(world, status);
    }
    if (!told) {
        stoa__queue_push(channel, target, block != NULL ? block : value);
    } else {
        stoa__telling telling = {NULL, block, UINT64_MAX};
        if (channel->reader_count != 0) {
            telling.number = stoa__queue_push(channel, target, NULL);
        }
        telling_begin(channel, &telling);
        stoa_event event = {block, target, channel->component->info.id};
        stoa__listen_tell(world, channel, own, &event);
        stoa__queue_settle(channel);
    }
    stoa__queue_block_give(channel, block);
    return STOA_OK;
}

/* True if nobody listens to a channel whose values are plain, and there is room for one. */
STOA__INLINE bool channel_ready(const stoa_world *world, const stoa__channel *channel,
                                const void *value) {
    return channel->tail - channel->head < channel->room && channel->first == NULL &&
           (world->storage.head.open & (STOA__OPEN_FORK | STOA__OPEN_SEAL)) == 0 &&
           !stoa__queue_contains(channel, value);
}

/* The end of send_quick for values that are not a few words. */
STOA__APART static stoa_status value_write(uint8_t *to, const void *value, size_t size) {
    if (size != 0) {
        stoa__copy_bytes(to, value, size);
    }
    return STOA_OK;
}

/* Sends a value through a channel that is ready. */
STOA__INLINE stoa_status send_quick(stoa__channel *channel, stoa_entity target, const void *value) {
    uint64_t tail = channel->tail;
    size_t size = channel->size;
    stoa__slot *s = stoa__queue_slot(channel, tail);
    uint8_t *to = (uint8_t *)s + channel->offset;
    bool words = channel->words;
    channel->tail = tail + 1;
    memcpy(&s->target, &target, sizeof target);
    STOA_STORE(&s->pending, channel->reader_count);
    if (!STOA_LIKELY(words)) {
        return value_write(to, value, size);
    }
    /* The first two words and the last two, which may be the same. */
    stoa__value_word(to, value, 0);
    stoa__value_word(to, value, 4);
    stoa__value_word(to, value, size - 8);
    stoa__value_word(to, value, size - 4);
    return STOA_OK;
}

/* Sends an event that has been checked. */
STOA__APART static stoa_status event_send(stoa_world *world, stoa_entity target, stoa_component id,
                                          const void *value) {
    stoa__channel *channel = channel_find(world, id);
    stoa__listener *own = stoa__listen_first(&world->events, target);
    if (!STOA_LIKELY((world->storage.head.open & STOA__OPEN_SEAL) == 0)) {
        return stoa__world_read_only(world);
    }
    if (channel == NULL) {
        value_drop(stoa__component_at(&world->storage, id), value);
        return STOA_OK;
    }
    if (own == NULL && channel_ready(world, channel, value)) {
        return send_quick(channel, target, value);
    }
    return send_any(channel, own, target, value);
}

/* A pointer where there may be none, for a value of no bytes. */
STOA__INLINE const void *value_or_none(const void *value) {
    static const uint8_t none;
    return value != NULL ? value : &none;
}

/* STOA_OK if the target is the world or lives. */
static stoa_status target_check(const stoa_world *world, stoa_entity target) {
    return stoa_entity_is_null(target) || stoa__entities_find(&world->storage, target) != NULL
               ? STOA_OK
               : stoa__world_dead(world, target);
}

stoa_status stoa_event_send_id(stoa_world *world, stoa_entity target, stoa_component id,
                               const void *value, size_t size) {
    if (world == NULL) {
        return stoa__world_null(NULL, "world");
    }
    if (!stoa__component_known(&world->storage, id)) {
        return stoa__world_unknown(world, id);
    }
    const stoa__component *component = stoa__component_at(&world->storage, id);
    if (size != component->info.size) {
        return stoa__world_report(world, stoa__error(STOA_INVALID,
                                                     "event '%s' has %u bytes, the value %zu",
                                                     component->name, component->info.size, size));
    }
    if (value == NULL && size != 0) {
        return stoa__world_null(world, "value");
    }
    stoa_status status = target_check(world, target);
    return status == STOA_OK ? event_send(world, target, id, value_or_none(value)) : status;
}

/* stoa_event_send_type for whatever takes more than a copy. */
STOA__APART static stoa_status send_type_any(stoa_world *world, stoa_entity target, stoa_type *type,
                                             const void *value) {
    if (world == NULL || type == NULL) {
        return stoa__world_null(world, world == NULL ? "world" : "type");
    }
    if (value == NULL && type->size != 0) {
        return stoa__world_null(world, "value");
    }
    stoa_status status = target_check(world, target);
    if (!STOA_LIKELY(status == STOA_OK)) {
        return status;
    }
    stoa_component id = stoa_fast_id(world, type) & ~STOA_SPECIAL;
    id = id != 0 ? id : stoa__world_type(world, type);
    if (id == 0) {
        return stoa__world_report(world, stoa_last_error().status);
    }
    stoa__type_remember(world, type, id);
    return event_send(world, target, id, value_or_none(value));
}

stoa_status stoa_event_send_type(stoa_world *world, stoa_entity target, stoa_type *type,
                                 const void *value) {
    const stoa__type_hop *hop = stoa__type_hop_find(world, type);
    if (STOA_LIKELY(hop != NULL && value != NULL && stoa_entity_is_null(target))) {
        stoa__channel *channel = hop->channel;
        if (STOA_LIKELY(channel != NULL && channel_ready(world, channel, value))) {
            return send_quick(channel, target, value);
        }
    }
    return send_type_any(world, target, type, value);
}

static void channel_free(stoa_world *world, uint32_t i) {
    stoa__channel *channel = world->events.channels[i];
    if (channel != NULL) {
        stoa__queue_fini(channel);
        stoa__heap_free(&world->storage.heap, channel, sizeof *channel, _Alignof(stoa__channel));
        world->events.channels[i] = NULL;
    }
}

void stoa__event_forget(stoa_world *world, stoa_component first) {
    for (uint32_t i = first - 1; i < world->events.capacity; i++) {
        channel_free(world, i);
    }
}

void stoa__event_free_all(stoa_world *world) {
    stoa__events *events = &world->events;
    stoa__heap *heap = &world->storage.heap;
    events->closed = true;
    stoa__listen_free_all(world);
    for (uint32_t i = 0; i < events->capacity; i++) {
        channel_free(world, i);
    }
    stoa__heap_grow_free(heap, events->channels, events->capacity, sizeof *events->channels);
    *events = (stoa__events){.id_last = events->id_last, .closed = true};
    for (uint32_t i = 0; i < STOA__TYPES; i++) {
        world->types[i].channel = NULL;
    }
}

size_t stoa__event_bytes(const stoa_world *world) {
    const stoa__events *events = &world->events;
    size_t bytes = events->capacity * sizeof *events->channels + stoa__listen_bytes(world);
    for (uint32_t i = 0; i < events->capacity; i++) {
        if (events->channels[i] != NULL) {
            bytes += sizeof(stoa__channel) + stoa__queue_bytes(events->channels[i]);
        }
    }
    return bytes;
}
