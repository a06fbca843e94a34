/* Unread events in a snapshot, with how far each reader has come.
 *
 * They are saved with an app: whoever reads them is a part of the program, and is told by the order
 * in which the readers of a type were made. Values are those of any other type. What needs memory
 * comes before the world shows what was loaded. O(events). One thread at a time. */
#include "base/error.h"
#include "persist/snapshot_load.h"
#include "persist/snapshot_write.h"

#include <string.h>

/* Bytes of a reader and of a target. */
#define READER_SIZE 12u
#define TARGET_SIZE 8u

bool stoa__saver_events_of(const stoa__saver *saver, stoa_component id) {
    stoa_component_info info;
    stoa_event_queue queue = stoa_event_queue_get(saver->world, id);
    if (saver->desc.app == NULL || queue.reader_count == 0 ||
        stoa_component_info_get(saver->world, id, &info) != STOA_OK ||
        (info.flags & (STOA_TRANSIENT | STOA_MANAGED)) != 0) {
        return false;
    }
    bool any = queue.count > 0;
    for (int32_t i = 0; i < queue.reader_count && !any; i++) {
        any = stoa_event_reader_at(saver->world, id, i).lost > 0;
    }
    return any;
}

static void values_put(stoa__saver *saver, stoa__output *output, int32_t type, int32_t count) {
    stoa_component id = saver->schema.types[type].id;
    for (int32_t i = 0; i < count; i++) {
        stoa_event event = {.data = NULL};
        stoa_event_queue_at(saver->world, id, i, &event);
        stoa__saver_values(saver, output, type, event.data, 1);
    }
}

static void queue_put(stoa__saver *saver, stoa__output *output, int32_t type) {
    const stoa__schema_type *t = &saver->schema.types[type];
    stoa_event_queue queue = stoa_event_queue_get(saver->world, t->id);
    stoa__output_u32(output, (uint32_t)type);
    stoa__output_u32(output, (uint32_t)queue.count);
    stoa__output_u32(output, (uint32_t)queue.reader_count);
    for (int32_t i = 0; i < queue.reader_count; i++) {
        stoa_reader_state reader = stoa_event_reader_at(saver->world, t->id, i);
        stoa__output_u32(output, (uint32_t)reader.unread);
        stoa__output_u64(output, (uint64_t)reader.lost);
    }
    for (int32_t i = 0; i < queue.count; i++) {
        stoa_event event = {.data = NULL};
        stoa_event_queue_at(saver->world, t->id, i, &event);
        stoa__output_u32(output, event.target.index);
        stoa__output_u32(output, event.target.generation);
    }
    if (t->way == STOA__WAY_FUNCTIONS) {
        stoa__output counter = {.status = output->status};
        values_put(saver, &counter, type, queue.count);
        output->status = counter.status;
        stoa__output_u64(output, counter.size);
    }
    if (t->way != STOA__WAY_TAG) {
        values_put(saver, output, type, queue.count);
    }
}

void stoa__saver_events(stoa__saver *saver, stoa__output *output, int32_t count) {
    stoa__output_u32(output, (uint32_t)count);
    for (int32_t type = 0; type < saver->schema.type_count; type++) {
        const stoa__schema_type *t = &saver->schema.types[type];
        if (t->component && stoa__saver_events_of(saver, t->id)) {
            queue_put(saver, output, type);
        }
    }
}

/* A queue in a section. */
typedef struct queue_view {
    uint32_t type;
    uint32_t count;
    uint32_t reader_count;
    const uint8_t *readers;
    const uint8_t *targets;
    const uint8_t *values;
    uint64_t value_size;
} queue_view;

static stoa_reader_state reader_at(const queue_view *queue, uint32_t i) {
    const uint8_t *bytes = queue->readers + (size_t)i * READER_SIZE;
    return (stoa_reader_state){(int32_t)stoa__read_u32(bytes), (int64_t)stoa__read_u64(bytes + 4)};
}

/* Takes the next queue; false if it makes no sense. */
static bool queue_take(stoa__cursor *cursor, const stoa__schema *schema, queue_view *queue) {
    queue->type = stoa__cursor_u32(cursor);
    queue->count = stoa__cursor_u32(cursor);
    queue->reader_count = stoa__cursor_count(cursor, READER_SIZE);
    queue->readers = stoa__cursor_take(cursor, (uint64_t)queue->reader_count * READER_SIZE);
    queue->targets = stoa__cursor_take(cursor, (uint64_t)queue->count * TARGET_SIZE);
    if (cursor->failed || queue->type >= (uint32_t)schema->type_count ||
        !schema->types[queue->type].component || queue->count > INT32_MAX ||
        queue->reader_count == 0) {
        return false;
    }
    int32_t most = 0;
    bool good = true;
    for (uint32_t i = 0; i < queue->reader_count && good; i++) {
        stoa_reader_state reader = reader_at(queue, i);
        good = reader.unread >= 0 && reader.lost >= 0;
        most = reader.unread > most ? reader.unread : most;
    }
    queue->values =
        stoa__column_take(cursor, &schema->types[queue->type], queue->count, &queue->value_size);
    return good && !cursor->failed && (uint32_t)most == queue->count;
}

stoa_status stoa__events_parse(const stoa__section *section, const stoa__schema *schema,
                               uint32_t *count) {
    stoa__cursor cursor = {.at = section->body, .end = section->body + section->body_size};
    *count = stoa__cursor_u32(&cursor);
    int64_t last = -1;
    bool good = *count > 0;
    for (uint32_t i = 0; i < *count && good; i++) {
        queue_view queue;
        good = queue_take(&cursor, schema, &queue) && (int64_t)queue.type > last;
        last = queue.type;
    }
    return good && !cursor.failed && stoa__cursor_left(&cursor) == 0
               ? STOA_OK
               : stoa__error(STOA_CORRUPT, "section 'events': its queues or size make no sense");
}

/* Copies targets and readers; the memory is there. */
static void queue_copy(stoa__loaded_queue *loaded, const queue_view *queue) {
    for (uint32_t i = 0; i < queue->count; i++) {
        const uint8_t *target = queue->targets + (size_t)i * TARGET_SIZE;
        loaded->targets[i] = (stoa_entity){stoa__read_u32(target), stoa__read_u32(target + 4)};
    }
    for (uint32_t i = 0; i < queue->reader_count; i++) {
        loaded->readers[i] = reader_at(queue, i);
    }
}

/* Makes the events of a queue; they wait until everything else is there. */
static stoa_status queue_make(stoa__loader *loader, const queue_view *queue) {
    stoa__heap *heap = &loader->heap;
    if (!stoa__heap_grow(heap, &loader->queues, &loader->queue_capacity, loader->queue_count + 1,
                         sizeof *loader->queues)) {
        return stoa__error_memory("a snapshot");
    }
    stoa__loaded_queue *loaded = &loader->queues[loader->queue_count];
    *loaded = (stoa__loaded_queue){.count = (int32_t)queue->count,
                                   .reader_count = (int32_t)queue->reader_count};
    stoa_status status =
        stoa_component_info_get(loader->world, loader->ids[queue->type], &loaded->info);
    if (status != STOA_OK) {
        return stoa__loader_told(loader, status);
    }
    loader->queue_count++;
    loaded->values =
        stoa__heap_alloc(heap, stoa__loaded_queue_size(loaded), loaded->info.alignment);
    loaded->targets = stoa__heap_alloc(heap, ((size_t)queue->count + 1) * sizeof *loaded->targets,
                                       _Alignof(stoa_entity));
    loaded->readers = stoa__heap_alloc(heap, queue->reader_count * sizeof *loaded->readers,
                                       _Alignof(stoa_reader_state));
    if (loaded->values == NULL || loaded->targets == NULL || loaded->readers == NULL) {
        return stoa__error_memory("events");
    }
    queue_copy(loaded, queue);
    if (loaded->info.size == 0) {
        return STOA_OK;
    }
    stoa_span span = {queue->values, queue->values + queue->value_size};
    status = stoa__loader_values(loader, (int32_t)queue->type, &span, loaded->values, loaded->count,
                                 &loaded->made);
    return status == STOA_OK && span.at != span.end
               ? stoa__error(STOA_CORRUPT, "events '%s' have more bytes than their functions read",
                             loaded->info.name)
               : status;
}

stoa_status stoa__loader_events(stoa__loader *loader, const stoa__section *section) {
    uint32_t count = 0;
    stoa_status status = stoa__events_parse(section, &loader->schema, &count);
    stoa__cursor cursor = {.at = section->body + 4, .end = section->body + section->body_size};
    for (uint32_t i = 0; i < count && status == STOA_OK && loader->desc.app != NULL; i++) {
        queue_view queue = {.type = 0};
        queue_take(&cursor, &loader->schema, &queue);
        stoa_component id = loader->ids[queue.type];
        if (id != 0 && stoa_event_queue_get(loader->world, id).reader_count > 0) {
            status = queue_make(loader, &queue);
        } else {
            stoa__loader_notice(loader, STOA_NOTICE_DROPPED, "left out events that nobody reads: ",
                                loader->schema.types[queue.type].name);
        }
    }
    return status;
}

stoa_status stoa__loader_events_prepare(stoa__loader *loader) {
    stoa_status status = STOA_OK;
    for (uint32_t i = 0; i < loader->queue_count && status == STOA_OK; i++) {
        const stoa__loaded_queue *loaded = &loader->queues[i];
        status = stoa__loader_told(
            loader, stoa_event_queue_reserve(loader->world, loaded->info.id, loaded->count));
    }
    return status;
}

void stoa__loader_events_commit(stoa__loader *loader) {
    if (!loader->app_found) {
        return;
    }
    for (stoa_component id = 1; id <= (stoa_component)stoa_component_count(loader->world); id++) {
        if (stoa_event_queue_get(loader->world, id).reader_count > 0) {
            (void)stoa_event_queue_set(loader->world, id, NULL, NULL, 0, NULL, 0);
        }
    }
    for (uint32_t i = 0; i < loader->queue_count; i++) {
        stoa__loaded_queue *loaded = &loader->queues[i];
        if (stoa_event_queue_set(loader->world, loaded->info.id, loaded->targets, loaded->values,
                                 loaded->count, loaded->readers, loaded->reader_count) == STOA_OK) {
            loaded->made = 0;
        }
    }
}

void stoa__loader_events_fini(stoa__loader *loader) {
    stoa__heap *heap = &loader->heap;
    for (uint32_t i = 0; i < loader->queue_count; i++) {
        stoa__loaded_queue *loaded = &loader->queues[i];
        const stoa_hooks *hooks = &loaded->info.hooks;
        if (loaded->made > 0 && hooks->drop != NULL) {
            hooks->drop(loaded->values, loaded->made, hooks->user);
        }
        stoa__heap_free(heap, loaded->values, stoa__loaded_queue_size(loaded),
                        loaded->info.alignment);
        stoa__heap_free(heap, loaded->targets,
                        ((size_t)loaded->count + 1) * sizeof *loaded->targets,
                        _Alignof(stoa_entity));
        stoa__heap_free(heap, loaded->readers,
                        (size_t)loaded->reader_count * sizeof *loaded->readers,
                        _Alignof(stoa_reader_state));
    }
    stoa__heap_grow_free(heap, loader->queues, loader->queue_capacity, sizeof *loader->queues);
}
