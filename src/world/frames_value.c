/* Frames: resources, and queues of events with their readers.
 *
 * A resource is shared with the base if it was not written since; a queue if it holds the same
 * events, whose values never change. Readers that came later have read everything; those that went
 * stay away. Transient types are left alone. O(resources + channels + what changed). */
#include "world/frames.h"

#include "storage/row.h"

#include <string.h>

static bool type_kept(const stoa__component *component) {
    return (component->info.flags & STOA_TRANSIENT) == 0;
}

/* The note of a resource in a frame, or NULL; neither need be there. */
static const stoa__resource_note *resource_note(const stoa__frame *frame,
                                                const stoa__component *component) {
    for (uint32_t i = 0; frame != NULL && i < frame->resources_count; i++) {
        if (frame->resources[i].component == component) {
            return &frame->resources[i];
        }
    }
    return NULL;
}

/* True if a live resource is what the base has. */
static bool resource_same(const stoa_frames *frames, const stoa__resource *resource,
                          const stoa__component *component) {
    const stoa__resource_note *base = resource_note(frames->base, component);
    if (base == NULL || resource->changed != base->changed || resource->busy) {
        return false;
    }
    return component->info.size == 0 || stoa__frame_older(frames, resource->changed) ||
           (stoa__keep_of(component) == STOA__KEEP_BYTES &&
            memcmp(resource->value, stoa__page_data(base->value), component->info.size) == 0);
}

static stoa__items resource_item(const stoa__resource *resource, const stoa__component *component) {
    return stoa__items_dense(resource->value, component->info.size);
}

static stoa_status resource_save(stoa_frames *frames, stoa__frame *frame, stoa_component id) {
    const stoa__component *component = stoa__component_at(&frames->world->storage, id);
    const stoa__resource *resource = &frames->world->resources.items[id - 1];
    if (resource->value == NULL || !type_kept(component)) {
        return STOA_OK;
    }
    if (!STOA__NOTES_RESERVE(frames, frame, resources, frame->resources_count + 1)) {
        return stoa__error_memory("a frame");
    }
    stoa__page *value = NULL;
    if (component->info.size != 0) {
        value =
            resource_same(frames, resource, component)
                ? stoa__page_share(resource_note(frames->base, component)->value)
                : stoa__page_keep(&frames->pages, component, resource_item(resource, component), 1);
        if (value == NULL) {
            return stoa_last_error().status;
        }
    }
    frame->resources[frame->resources_count++] =
        (stoa__resource_note){component, value, resource->changed};
    return STOA_OK;
}

/* The note of a queue in a frame, or NULL; neither need be there. */
static const stoa__queue_note *queue_note(const stoa__frame *frame,
                                          const stoa__component *component) {
    for (uint32_t i = 0; frame != NULL && i < frame->queues_count; i++) {
        if (frame->queues[i].component == component) {
            return &frame->queues[i];
        }
    }
    return NULL;
}

/* True if a channel keeps the events that the base has. */
static bool queue_same(const stoa_frames *frames, const stoa__channel *channel) {
    const stoa__queue_note *base = queue_note(frames->base, channel->component);
    return base != NULL && base->head == channel->head && base->tail == channel->tail;
}

static stoa__items queue_items(const stoa__channel *channel, uint64_t head) {
    return (stoa__items){channel->slots + channel->offset, channel->stride, (size_t)head,
                         (size_t)channel->capacity - 1};
}

static stoa__page *targets_keep(stoa_frames *frames, const stoa__channel *channel) {
    size_t count = (size_t)(channel->tail - channel->head);
    stoa__page *page = stoa__page_new(&frames->pages, count * sizeof(stoa_entity));
    for (size_t i = 0; i < count && page != NULL; i++) {
        ((stoa_entity *)(void *)stoa__page_data(page))[i] =
            stoa__queue_slot(channel, channel->head + i)->target;
    }
    return page;
}

/* Fills in the events of a queue that has some. */
static bool events_save(stoa_frames *frames, const stoa__channel *channel, stoa__queue_note *note) {
    const stoa__component *component = channel->component;
    if (queue_same(frames, channel)) {
        const stoa__queue_note *base = queue_note(frames->base, component);
        note->targets = stoa__page_share(base->targets);
        note->values = stoa__page_share(base->values);
        return true;
    }
    note->targets = targets_keep(frames, channel);
    if (note->targets == NULL || component->info.size == 0) {
        return note->targets != NULL;
    }
    note->values = stoa__page_keep(&frames->pages, component, queue_items(channel, channel->head),
                                   (int32_t)(channel->tail - channel->head));
    return note->values != NULL;
}

static stoa_status queue_save(stoa_frames *frames, stoa__frame *frame,
                              const stoa__channel *channel) {
    uint32_t readers = channel->reader_count;
    if (!STOA__NOTES_RESERVE(frames, frame, queues, frame->queues_count + 1) ||
        !STOA__NOTES_RESERVE(frames, frame, readers, frame->readers_count + readers)) {
        return stoa__error_memory("a frame");
    }
    stoa__queue_note *note = &frame->queues[frame->queues_count++];
    *note = (stoa__queue_note){.component = channel->component,
                               .head = channel->head,
                               .tail = channel->tail,
                               .first = frame->readers_count,
                               .reader_count = readers};
    if (readers > 0) {
        stoa__queue_readers_save(channel, &frame->readers[frame->readers_count]);
        frame->readers_count += readers;
    }
    return channel->head == channel->tail || events_save(frames, channel, note)
               ? STOA_OK
               : stoa_last_error().status;
}

stoa_status stoa__frame_values_save(stoa_frames *frames, stoa__frame *frame) {
    const stoa_world *world = frames->world;
    stoa_status status = STOA_OK;
    for (uint32_t i = 0; i < world->resources.capacity && status == STOA_OK; i++) {
        status = resource_save(frames, frame, i + 1);
    }
    for (uint32_t i = 0; i < world->events.capacity && status == STOA_OK; i++) {
        const stoa__channel *channel = world->events.channels[i];
        if (channel != NULL && type_kept(channel->component)) {
            status = queue_save(frames, frame, channel);
        }
    }
    return status;
}

void stoa__frame_values_free(stoa_frames *frames, stoa__frame *frame) {
    for (uint32_t i = 0; i < frame->resources_count; i++) {
        stoa__page_leave(&frames->pages, frame->resources[i].value);
    }
    for (uint32_t i = 0; i < frame->queues_count; i++) {
        stoa__page_leave(&frames->pages, frame->queues[i].targets);
        stoa__page_leave(&frames->pages, frame->queues[i].values);
    }
    frame->resources_count = frame->queues_count = frame->readers_count = 0;
}

/* True if a resource is in place. */
static bool resource_done(const stoa_frames *frames, const stoa__resource_note *note) {
    const stoa__resource *resource = &frames->world->resources.items[note->component->info.id - 1];
    const stoa__resource_note *base = resource_note(frames->base, note->component);
    return base != NULL && base->value == note->value && resource->value != NULL &&
           resource_same(frames, resource, note->component);
}

/* True if the events of a queue are in place. */
static bool queue_done(const stoa_frames *frames, const stoa__channel *channel,
                       const stoa__queue_note *note) {
    const stoa__queue_note *base = queue_note(frames->base, note->component);
    return base != NULL && base->targets == note->targets && base->values == note->values &&
           note->head == base->head && note->tail == base->tail && queue_same(frames, channel);
}

/* Events of a queue that a channel is to keep: none if nobody reads. */
static uint32_t queue_length(const stoa__channel *channel, const stoa__queue_note *note) {
    return channel->reader_count > 0 ? (uint32_t)(note->tail - note->head) : 0;
}

static stoa__channel *channel_of(const stoa_frames *frames, const stoa__queue_note *note) {
    return frames->world->events.channels[note->component->info.id - 1];
}

stoa_status stoa__frame_values_reserve(stoa_frames *frames, const stoa__frame *frame) {
    stoa_status status = STOA_OK;
    for (uint32_t i = 0; i < frame->resources_count && status == STOA_OK; i++) {
        const stoa__resource_note *note = &frame->resources[i];
        status = stoa__resource_room(frames->world, note->component->info.id);
        if (status == STOA_OK && note->value != NULL && !resource_done(frames, note)) {
            status = stoa__page_stage(&frames->pages, note->value, note->component, 1);
        }
    }
    for (uint32_t i = 0; i < frame->queues_count && status == STOA_OK; i++) {
        const stoa__queue_note *note = &frame->queues[i];
        stoa__channel *channel = channel_of(frames, note);
        uint32_t count = queue_length(channel, note);
        status = stoa__queue_room(channel, count);
        if (status == STOA_OK && note->values != NULL && !queue_done(frames, channel, note)) {
            status =
                stoa__page_stage(&frames->pages, note->values, note->component, (int32_t)count);
        }
    }
    return status;
}

void stoa__frame_values_unreserve(stoa_frames *frames) {
    stoa_world *world = frames->world;
    for (uint32_t i = 0; i < world->resources.capacity; i++) {
        if (world->resources.items[i].busy) {
            stoa__resource_forget(world, i + 1);
        }
    }
}

static void resource_put(stoa_frames *frames, const stoa__resource_note *note) {
    stoa_world *world = frames->world;
    const stoa__component *component = note->component;
    stoa_component id = component->info.id;
    stoa__resource *resource = &world->resources.items[id - 1];
    if (note->value != NULL && !resource_done(frames, note)) {
        if (!resource->busy) {
            resource->busy = true;
            stoa__component_drop(component, resource->value, 1);
        }
        /* The hook may have changed the table. */
        resource = &world->resources.items[id - 1];
        stoa__page_put(&frames->pages, note->value, component, resource_item(resource, component),
                       1);
    }
    resource = &world->resources.items[id - 1];
    resource->changed = note->changed;
    resource->busy = false;
}

static void resources_restore(stoa_frames *frames, const stoa__frame *frame) {
    stoa_world *world = frames->world;
    for (uint32_t i = 0; i < world->resources.capacity; i++) {
        const stoa__component *component;
        if (world->resources.items[i].value == NULL) {
            continue;
        }
        component = stoa__component_at(&world->storage, i + 1);
        if (type_kept(component) && resource_note(frame, component) == NULL) {
            stoa__resource_forget(world, i + 1);
        }
    }
    for (uint32_t i = 0; i < frame->resources_count; i++) {
        resource_put(frames, &frame->resources[i]);
    }
}

static void queue_put(stoa_frames *frames, const stoa__frame *frame, const stoa__queue_note *note) {
    stoa__channel *channel = channel_of(frames, note);
    uint32_t count = queue_length(channel, note);
    if (!queue_done(frames, channel, note)) {
        stoa__queue_renumber(channel, note->tail - count, note->tail);
        for (uint32_t i = 0; i < count; i++) {
            stoa__queue_slot(channel, channel->head + i)->target =
                ((const stoa_entity *)(void *)stoa__page_data(note->targets))[i];
        }
        if (note->values != NULL) {
            stoa__page_put(&frames->pages, note->values, note->component,
                           queue_items(channel, channel->head), (int32_t)count);
        }
    }
    stoa__queue_readers_load(channel, note->reader_count > 0 ? &frame->readers[note->first] : NULL,
                             note->reader_count);
}

void stoa__frame_values_restore(stoa_frames *frames, const stoa__frame *frame) {
    const stoa__events *events = &frames->world->events;
    resources_restore(frames, frame);
    for (uint32_t i = 0; i < frame->queues_count; i++) {
        queue_put(frames, frame, &frame->queues[i]);
    }
    for (uint32_t i = 0; i < events->capacity; i++) {
        stoa__channel *channel = events->channels[i];
        if (channel != NULL && type_kept(channel->component) &&
            queue_note(frame, channel->component) == NULL) {
            stoa__queue_renumber(channel, channel->tail, channel->tail);
            stoa__queue_readers_load(channel, NULL, 0);
        }
    }
}
