/* Event queues: what readers have still to read.
 *
 * A ring of slots, each with a value, whom it was sent to, and how many readers have not read it.
 * What all have read goes with the next read or send, not before: the last reader may be looking at
 * it. Beyond the limit the oldest goes, and readers find by its number that they have missed it.
 * The ring doubles and is freed with the last reader. Reading and sending are O(1); freeing a
 * reader is O(what it has not read). One thread at a time; while command buffers are forked readers
 * may read side by side, a thread each, and nothing goes. */
#include "storage/row.h"
#include "world/world.h"

/* Slots of a first ring. */
#define CAPACITY_MIN 8

static size_t round_up(size_t number, size_t to) {
    return (number + to - 1) / to * to;
}

static size_t slots_alignment(const stoa__channel *channel) {
    size_t alignment = channel->component->info.alignment;
    return alignment > _Alignof(stoa__slot) ? alignment : _Alignof(stoa__slot);
}

/* A block for a value has room for the list of spare ones. */
static size_t block_size(const stoa__channel *channel) {
    size_t size = channel->component->info.size;
    return size > sizeof(void *) ? size : sizeof(void *);
}

static size_t block_alignment(const stoa__channel *channel) {
    size_t alignment = channel->component->info.alignment;
    return alignment > _Alignof(void *) ? alignment : _Alignof(void *);
}

/* One reader less has still to read it. */
static void slot_passed(stoa__slot *s) {
    STOA_STORE(&s->pending, STOA_LOAD(&s->pending) - 1);
}

static void *slot_value(const stoa__channel *channel, uint64_t number) {
    return (uint8_t *)stoa__queue_slot(channel, number) + channel->offset;
}

/* The value of an event that is being told, or NULL. */
static void *value_told(const stoa__channel *channel, uint64_t number) {
    for (const stoa__telling *t = channel->telling; t != NULL; t = t->outer) {
        if (t->number == number) {
            return t->value;
        }
    }
    return NULL;
}

void *stoa__queue_value(const stoa__channel *channel, uint64_t number) {
    void *told = value_told(channel, number);
    return told != NULL ? told : slot_value(channel, number);
}

/* Reads anew how large the ring is, and how many events can be kept with no more ado than a copy.
 */
static void room_update(stoa__channel *channel) {
    channel->slots_size = channel->capacity * channel->stride;
    uint32_t room = channel->limit < channel->capacity ? channel->limit : channel->capacity;
    channel->room = channel->plain && channel->reader_count != 0 ? room : 0;
}

void stoa__queue_init(stoa__channel *channel) {
    size_t alignment = slots_alignment(channel);
    channel->offset = round_up(sizeof(stoa__slot), alignment);
    channel->stride = round_up(channel->offset + channel->component->info.size, alignment);
    channel->size = channel->component->info.size;
    channel->words = channel->size == 8 || channel->size == 12 || channel->size == 16;
    channel->limit = STOA_EVENT_LIMIT;
    const stoa_hooks *hooks = &channel->component->info.hooks;
    channel->plain = hooks->move == NULL && hooks->drop == NULL;
}

stoa_status stoa__queue_twin(stoa__channel *channel, stoa__channel *twin) {
    *twin = *channel;
    stoa__queue_init(twin);
    twin->limit = channel->limit;
    twin->slots = NULL;
    if (channel->capacity == 0) {
        room_update(twin);
        return STOA_OK;
    }
    size_t most = SIZE_MAX / 2 / twin->stride;
    twin->slots = channel->capacity <= most
                      ? stoa__heap_alloc(&channel->world->storage.heap,
                                         channel->capacity * twin->stride, slots_alignment(twin))
                      : NULL;
    if (twin->slots == NULL) {
        return stoa__error_memory("a queue of events");
    }
    room_update(twin);
    return STOA_OK;
}

void stoa__queue_twin_free(stoa__channel *twin, uint32_t alignment) {
    size_t least = _Alignof(stoa__slot);
    stoa__heap_free(&twin->world->storage.heap, twin->slots, twin->capacity * twin->stride,
                    alignment > least ? alignment : least);
    twin->slots = NULL;
}

void stoa__queue_exchange(stoa__channel *channel, stoa__channel *twin) {
    while (channel->spares != NULL) {
        stoa__heap_free(&channel->world->storage.heap, stoa__queue_block_take(channel),
                        block_size(channel), block_alignment(channel));
        channel->block_count--;
    }
    for (uint64_t i = channel->head; i < channel->tail; i++) {
        *stoa__queue_slot(twin, i) = *stoa__queue_slot(channel, i);
    }
    stoa__channel old = *channel;
    channel->slots = twin->slots;
    channel->slots_size = twin->slots_size;
    channel->stride = twin->stride;
    channel->offset = twin->offset;
    channel->size = twin->size;
    channel->words = twin->words;
    channel->plain = twin->plain;
    *twin = old;
    room_update(channel);
}

stoa_status stoa__queue_blocked(const stoa__channel *channel) {
    if (channel->busy) {
        return stoa__error(STOA_LOCKED, "a value of event '%s' is being moved or dropped",
                           channel->component->name);
    }
    return (channel->world->storage.head.open & STOA__OPEN_FORK) != 0
               ? stoa__event_may(channel->world)
               : STOA_OK;
}

void stoa__queue_value_move(stoa__channel *channel, void *to, const void *from) {
    if (channel->component->info.size != 0) {
        channel->busy = true;
        stoa__component_move(channel->component, to, (void *)(uintptr_t)from, 1);
        channel->busy = false;
    }
}

void stoa__queue_value_drop(stoa__channel *channel, void *value) {
    if (channel->component->info.size != 0) {
        channel->busy = true;
        stoa__component_drop(channel->component, value, 1);
        channel->busy = false;
    }
}

/* Drops the oldest event. */
static void head_drop(stoa__channel *channel) {
    if (value_told(channel, channel->head) == NULL) {
        stoa__queue_value_drop(channel, slot_value(channel, channel->head));
    }
    channel->head++;
}

/* Drops what all have read. */
static void read_drop(stoa__channel *channel) {
    while (channel->head < channel->tail &&
           STOA_LOAD(&stoa__queue_slot(channel, channel->head)->pending) == 0) {
        head_drop(channel);
    }
}

static void slots_free(stoa__channel *channel) {
    stoa__heap_free(&channel->world->storage.heap, channel->slots,
                    channel->capacity * channel->stride, slots_alignment(channel));
    channel->slots = NULL;
    channel->capacity = 0;
    room_update(channel);
}

static stoa_status slots_grow(stoa__channel *channel) {
    stoa__channel grown = *channel;
    grown.capacity = channel->capacity == 0 ? CAPACITY_MIN : channel->capacity * 2;
    if (grown.capacity == 0 || grown.capacity > SIZE_MAX / 2 / channel->stride) {
        return stoa__error_memory("a queue of events");
    }
    grown.slots = stoa__heap_alloc(&channel->world->storage.heap, grown.capacity * grown.stride,
                                   slots_alignment(channel));
    if (grown.slots == NULL) {
        return stoa__error_memory("a queue of events");
    }
    for (uint64_t i = channel->head; i < channel->tail; i++) {
        *stoa__queue_slot(&grown, i) = *stoa__queue_slot(channel, i);
        if (value_told(channel, i) == NULL) {
            stoa__queue_value_move(channel, slot_value(&grown, i), slot_value(channel, i));
        }
    }
    slots_free(channel);
    channel->slots = grown.slots;
    channel->capacity = grown.capacity;
    room_update(channel);
    return STOA_OK;
}

stoa_status stoa__queue_reserve(stoa__channel *channel) {
    read_drop(channel);
    while (channel->tail - channel->head >= channel->limit) {
        head_drop(channel);
    }
    return channel->tail - channel->head < channel->capacity ? STOA_OK : slots_grow(channel);
}

uint64_t stoa__queue_push(stoa__channel *channel, stoa_entity target, const void *value) {
    *stoa__queue_slot(channel, channel->tail) = (stoa__slot){target, channel->reader_count};
    if (value != NULL) {
        stoa__queue_value_move(channel, slot_value(channel, channel->tail), value);
    }
    return channel->tail++;
}

void *stoa__queue_block_take(stoa__channel *channel) {
    uint8_t *block = channel->spares;
    if (block != NULL) {
        memcpy(&channel->spares, block, sizeof channel->spares);
        return block;
    }
    block = stoa__heap_alloc(&channel->world->storage.heap, block_size(channel),
                             block_alignment(channel));
    channel->block_count += block != NULL;
    return block;
}

void stoa__queue_block_give(stoa__channel *channel, void *block) {
    if (block != NULL) {
        memcpy(block, &channel->spares, sizeof channel->spares);
        channel->spares = block;
    }
}

void stoa__queue_settle(stoa__channel *channel) {
    stoa__telling *telling = channel->telling;
    channel->telling = telling->outer;
    if (telling->number != UINT64_MAX && telling->number >= channel->head) {
        stoa__queue_value_move(channel, slot_value(channel, telling->number), telling->value);
    } else {
        stoa__queue_value_drop(channel, telling->value);
    }
}

bool stoa__queue_owns(const stoa__channel *channel, const void *value) {
    if (stoa__queue_contains(channel, value)) {
        return true;
    }
    for (const stoa__telling *t = channel->telling; t != NULL; t = t->outer) {
        if (t->value == value && value != NULL) {
            return true;
        }
    }
    return false;
}

/* Drops all events and frees the ring. */
static void queue_clear(stoa__channel *channel) {
    while (channel->head < channel->tail) {
        head_drop(channel);
    }
    slots_free(channel);
}

static void reader_delete(stoa_reader *reader) {
    stoa__channel *channel = reader->channel;
    if (reader->previous != NULL) {
        reader->previous->next = reader->next;
    } else {
        channel->readers = reader->next;
    }
    if (reader->next != NULL) {
        reader->next->previous = reader->previous;
    }
    channel->reader_count--;
    room_update(channel);
    stoa__heap_free(&channel->world->storage.heap, reader, sizeof *reader, _Alignof(stoa_reader));
}

void stoa__queue_fini(stoa__channel *channel) {
    queue_clear(channel);
    while (channel->readers != NULL) {
        reader_delete(channel->readers);
    }
    while (channel->spares != NULL) {
        stoa__heap_free(&channel->world->storage.heap, stoa__queue_block_take(channel),
                        block_size(channel), block_alignment(channel));
    }
}

size_t stoa__queue_bytes(const stoa__channel *channel) {
    return channel->capacity * channel->stride + channel->reader_count * sizeof(stoa_reader) +
           channel->block_count * block_size(channel);
}

stoa_reader *stoa_reader_new_id(stoa_world *world, stoa_component id) {
    if (world == NULL) {
        stoa__world_null(NULL, "world");
        return NULL;
    }
    if (!stoa__component_known(&world->storage, id)) {
        stoa__world_unknown(world, id);
        return NULL;
    }
    stoa__channel *channel = stoa__event_channel(world, id);
    stoa_reader *reader = NULL;
    if (channel != NULL && stoa__queue_blocked(channel) == STOA_OK) {
        reader = stoa__heap_zalloc(&world->storage.heap, sizeof *reader, _Alignof(stoa_reader));
        if (reader == NULL) {
            stoa__error_memory("a reader of events");
        }
    }
    if (reader == NULL) {
        stoa__world_report(world, stoa_last_error().status);
        return NULL;
    }
    *reader = (stoa_reader){.channel = channel, .next = channel->readers, .number = channel->tail};
    if (channel->readers != NULL) {
        channel->readers->previous = reader;
    }
    channel->readers = reader;
    channel->reader_count++;
    room_update(channel);
    return reader;
}

stoa_reader *stoa_reader_new_type(stoa_world *world, stoa_type *type) {
    stoa_component id = stoa_type_register(world, type);
    return id != 0 ? stoa_reader_new_id(world, id) : NULL;
}

/* Events that went before the reader came to them, and are not counted yet. */
static uint64_t reader_missed(const stoa_reader *reader) {
    return reader->number < reader->channel->head ? reader->channel->head - reader->number : 0;
}

stoa_status stoa_reader_free(stoa_reader *reader) {
    if (reader == NULL) {
        return STOA_OK;
    }
    stoa__channel *channel = reader->channel;
    stoa_status status = stoa__queue_blocked(channel);
    if (status != STOA_OK) {
        return stoa__world_report(channel->world, status);
    }
    for (uint64_t i = reader->number + reader_missed(reader); i < channel->tail; i++) {
        slot_passed(stoa__queue_slot(channel, i));
    }
    reader_delete(reader);
    if (channel->reader_count == 0) {
        queue_clear(channel);
    }
    return STOA_OK;
}

void stoa__queue_readers_save(const stoa__channel *channel, stoa__reader_note *notes) {
    for (const stoa_reader *r = channel->readers; r != NULL; r = r->next) {
        *notes++ = (stoa__reader_note){r, r->number, r->lost};
    }
}

static const stoa__reader_note *note_of(const stoa_reader *reader, const stoa__reader_note *notes,
                                        uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        if (notes[i].reader == reader) {
            return &notes[i];
        }
    }
    return NULL;
}

void stoa__queue_readers_load(stoa__channel *channel, const stoa__reader_note *notes,
                              uint32_t count) {
    for (uint64_t i = channel->head; i < channel->tail; i++) {
        STOA_STORE(&stoa__queue_slot(channel, i)->pending, 0);
    }
    for (stoa_reader *r = channel->readers; r != NULL; r = r->next) {
        const stoa__reader_note *note = note_of(r, notes, count);
        r->number = note != NULL ? note->number : channel->tail;
        r->lost = note != NULL ? note->lost : 0;
        for (uint64_t i = r->number + reader_missed(r); i < channel->tail; i++) {
            stoa__slot *s = stoa__queue_slot(channel, i);
            STOA_STORE(&s->pending, STOA_LOAD(&s->pending) + 1);
        }
    }
}

stoa_status stoa__queue_room(stoa__channel *channel, uint32_t count) {
    stoa_status status = STOA_OK;
    while (channel->capacity < count && status == STOA_OK) {
        status = slots_grow(channel);
    }
    return status;
}

void stoa__queue_renumber(stoa__channel *channel, uint64_t head, uint64_t tail) {
    while (channel->head < channel->tail) {
        head_drop(channel);
    }
    channel->head = head;
    channel->tail = tail;
}

/* stoa_event_read for values that are told or not plain, and where there is nothing to read. */
STOA__APART static bool event_read_any(stoa_reader *reader, stoa_event *event) {
    if (reader == NULL || event == NULL) {
        stoa__world_null(reader != NULL ? reader->channel->world : NULL,
                         reader == NULL ? "reader" : "event");
        return false;
    }
    stoa__channel *channel = reader->channel;
    bool forked = (channel->world->storage.head.open & STOA__OPEN_FORK) != 0;
    if (!STOA_LIKELY(!channel->busy)) {
        stoa__world_report(channel->world, stoa__queue_blocked(channel));
        return false;
    }
    /* While threads read nothing goes: they may look at what others have read. */
    if (!forked) {
        read_drop(channel);
    }
    uint64_t missed = reader_missed(reader);
    reader->lost += (int64_t)missed;
    reader->number += missed;
    if (reader->number == channel->tail) {
        return false;
    }
    stoa__slot *s = stoa__queue_slot(channel, reader->number);
    if (forked) {
        atomic_fetch_sub_explicit(&s->pending, 1, memory_order_relaxed);
    } else {
        slot_passed(s);
    }
    event->target = s->target;
    event->type = channel->component->info.id;
    event->data = NULL;
    if (channel->component->info.size != 0) {
        void *told = value_told(channel, reader->number);
        event->data = told != NULL ? told : (uint8_t *)s + channel->offset;
    }
    reader->number++;
    return true;
}

bool stoa_event_read(stoa_reader *reader, stoa_event *event) {
    if (!STOA_LIKELY(reader != NULL && event != NULL)) {
        return event_read_any(reader, event);
    }
    stoa__channel *channel = reader->channel;
    uint64_t number = reader->number, head = channel->head;
    if (!STOA_LIKELY(channel->room != 0 && channel->telling == NULL &&
                     (channel->world->storage.head.open & STOA__OPEN_FORK) == 0 &&
                     number - head < channel->tail - head)) {
        return event_read_any(reader, event);
    }
    stoa__slot *s = stoa__queue_slot(channel, number);
    uint32_t pending = STOA_LOAD(&s->pending) - 1;
    reader->number = number + 1;
    STOA_STORE(&s->pending, pending);
    if (pending == 0 && number == head) {
        /* A plain value needs no drop, and its slot is written by nothing but the next send. */
        channel->head = number + 1;
    }
    event->target = s->target;
    event->type = channel->component->info.id;
    event->data = channel->size != 0 ? (uint8_t *)s + channel->offset : NULL;
    return true;
}

int32_t stoa_reader_count(const stoa_reader *reader) {
    if (reader == NULL) {
        return 0;
    }
    return (int32_t)(reader->channel->tail - reader->number - reader_missed(reader));
}

int64_t stoa_reader_lost(const stoa_reader *reader) {
    return reader != NULL ? reader->lost + (int64_t)reader_missed(reader) : 0;
}

stoa_status stoa_event_limit_id(stoa_world *world, stoa_component id, int32_t count) {
    if (world == NULL) {
        return stoa__world_null(NULL, "world");
    }
    if (!stoa__component_known(&world->storage, id)) {
        return stoa__world_unknown(world, id);
    }
    if (count < 1) {
        return stoa__world_report(
            world, stoa__error(STOA_INVALID, "a limit of %d events of '%s' is less than one", count,
                               stoa__component_at(&world->storage, id)->name));
    }
    stoa__channel *channel = stoa__event_channel(world, id);
    stoa_status status = channel != NULL ? stoa__queue_blocked(channel) : stoa_last_error().status;
    if (channel == NULL || status != STOA_OK) {
        return stoa__world_report(world, status);
    }
    channel->limit = (uint32_t)count;
    room_update(channel);
    read_drop(channel);
    while (channel->tail - channel->head > channel->limit) {
        head_drop(channel);
    }
    return STOA_OK;
}

stoa_status stoa_event_limit_type(stoa_world *world, stoa_type *type, int32_t count) {
    stoa_component id = stoa_type_register(world, type);
    return id != 0 ? stoa_event_limit_id(world, id, count) : stoa_last_error().status;
}
