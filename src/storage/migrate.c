/* Migration of whole archetypes.
 *
 * Where chunks can change hands they do. Otherwise rows are copied column by column from a chunk of
 * the source to one or more of the target, whose room is reserved before; then the emptied chunk
 * goes back, so that the next one of the target can use its memory while it is warm. A chunk is one
 * step: everything that can fail comes before its first write. One thread at a time. */
#include "storage/migrate.h"

#include "base/far.h"
#include "storage/adopt.h"
#include "storage/columns.h"
#include "storage/entities.h"

/* Bytes that are copied at once when a value is repeated: they stay in the nearest cache. */
#define REPEAT_BYTES 4096u
/* Plain rows that are moved at once. */
#define ROWS_AT_ONCE 32
/* Bytes ahead of its turn at which memory that is copied is asked for. */
#define COPY_AHEAD 768u
/* Bytes of rows that are written past the caches if there are so many to move: the caches cannot
 * keep them. Adding a component to a million entities takes a tenth less for it. */
#define FAR_BYTES ((uint64_t)8 << 20)

/* Writes `count` copies of a value, `size` bytes each. */
static void bytes_repeat(uint8_t *to, const void *value, size_t size, int32_t count) {
    size_t all = size * (size_t)count, block = size;
    memcpy(to, value, size);
    for (size_t done = size; done < all;) {
        size_t n = block < all - done ? block : all - done;
        memcpy(to + done, to, n);
        done += n;
        block = block < REPEAT_BYTES ? done : block;
    }
}

static stoa_status copy_failed(const stoa__component *component) {
    return stoa__error(STOA_NO_MEMORY, "the copy hook of component '%s' failed", component->name);
}

bool stoa__migrate_fill(const stoa__component *component, void *to, const void *value,
                        int32_t count) {
    const stoa_hooks *hooks = &component->info.hooks;
    size_t size = component->info.size;
    uint8_t *items = to;
    if (size == 0 || count == 0) {
        return true;
    }
    if (value == NULL) {
        memset(items, 0, size * (size_t)count);
        return true;
    }
    if (hooks->copy == NULL) {
        bytes_repeat(items, value, size, count);
        return true;
    }
    for (int32_t i = 0; i < count; i++) {
        if (!hooks->copy(items + size * (size_t)i, value, 1, hooks->user)) {
            if (i > 0) {
                stoa__component_drop(component, items, i);
            }
            copy_failed(component);
            return false;
        }
    }
    return true;
}

/* Rows of one chunk that the next rows of an archetype will take. */
typedef struct span {
    int32_t chunk; /* in head.chunks, in use or not */
    int32_t slot;
    int32_t count;
} span;

/* The first span for `left` more rows; the room must be there. */
static span span_first(const stoa__archetype *target, int32_t left) {
    int32_t capacity = target->head.chunk_capacity;
    bool full = target->tail->count >= capacity;
    span s = {target->head.chunk_count - !full, full ? 0 : target->tail->count, 0};
    s.count = capacity - s.slot < left ? capacity - s.slot : left;
    return s;
}

/* The span after it, when `left` rows are to come after its own. */
static span span_after(const stoa__archetype *target, span s, int32_t left) {
    int32_t capacity = target->head.chunk_capacity;
    return (span){s.chunk + 1, 0, capacity < left ? capacity : left};
}

static uint8_t *span_column(const stoa__archetype *target, span s, uint32_t index, size_t size) {
    return target->head.chunks[s.chunk].columns[index] + (size_t)s.slot * size;
}

/* Drops values that were made for the next `count` rows. */
static void values_unmake(const stoa__edge *edge, int32_t count) {
    const stoa__put *put = edge->puts;
    const stoa__component *component = edge->target->lanes[put->lane].component;
    for (span s = span_first(edge->target, count); count > 0;) {
        stoa__component_drop(component, span_column(edge->target, s, put->to, put->size), s.count);
        count -= s.count;
        s = span_after(edge->target, s, count);
    }
}

/* Makes the values of the next `count` rows of the target, which are not in use yet; on failure
 * none is left there. */
static stoa_status values_make(const stoa__edge *edge, const void *value, int32_t count) {
    const stoa__put *put = edge->puts;
    if (put->size == 0) {
        return STOA_OK;
    }
    const stoa__component *component = edge->target->lanes[put->lane].component;
    int32_t made = 0;
    for (span s = span_first(edge->target, count); made < count;) {
        uint8_t *to = span_column(edge->target, s, put->to, put->size);
        if (!stoa__migrate_fill(component, to, value, s.count)) {
            values_unmake(edge, made);
            return STOA_NO_MEMORY;
        }
        made += s.count;
        s = span_after(edge->target, s, count - made);
    }
    return STOA_OK;
}

static void ticks_fill(uint8_t *lane, uint32_t tick, int32_t slot, int32_t count) {
    uint32_t *ticks = (uint32_t *)(void *)lane;
    for (int32_t i = 0; i < count; i++) {
        ticks[slot + i] = tick;
    }
}

/* Marks the component that rows were given, and fills in the lanes that go with it. */
static void rows_mark(const stoa__storage *storage, const stoa__edge *edge, uint8_t *const *to,
                      int32_t slot, int32_t count) {
    const stoa__put *put = edge->puts;
    if (put->to != 0) {
        stoa__state_mark(stoa__state_of(to, put->to), storage->head.tick, put->fresh);
    }
    for (uint32_t i = 0; i < edge->fresh_count; i++) {
        const stoa__lane *lane = &edge->target->lanes[edge->fresh[i]];
        if (lane->kind == STOA__LANE_OFF) {
            memset(to[lane->index] + slot, 0, (size_t)count);
        } else {
            ticks_fill(to[lane->index], storage->head.tick, slot, count);
        }
    }
}

/* Counts what is off in rows that came to a chunk. */
static void rows_off_count(const stoa__archetype *archetype, uint8_t *const *columns, int32_t slot,
                           int32_t count) {
    for (uint32_t i = archetype->data_lanes; i < archetype->lane_count; i++) {
        const stoa__lane *lane = &archetype->lanes[i];
        uint32_t off = 0;
        for (int32_t row = slot; lane->kind == STOA__LANE_OFF && row < slot + count; row++) {
            off += columns[lane->index][row];
        }
        if (off > 0) {
            stoa__state_of(columns, stoa__archetype_column(archetype, lane->id)->index)->off += off;
        }
    }
}

/* The states of columns and tags of which rows are moved. */
static void states_move(const stoa__edge *edge, const stoa__archetype *source, uint8_t *const *from,
                        uint8_t *const *to) {
    for (uint32_t i = 0; i < edge->kept; i++) {
        const stoa__copy *copy = &edge->copies[i];
        if (source->lanes[copy->from_lane].kind == STOA__LANE_DATA) {
            stoa__state_merge(stoa__column_state(to[copy->to]),
                              stoa__column_state(from[copy->from]));
        }
    }
    stoa__edge_tags(edge, to, from);
}

/* Moves the lanes of `count` rows. */
static void lanes_move(const stoa__edge *edge, const stoa__archetype *source, uint8_t *const *from,
                       int32_t row, uint8_t *const *to, int32_t slot, int32_t count) {
    for (uint32_t i = 0; i < edge->lanes; i++) {
        const stoa__copy *copy = &edge->copies[i];
        const stoa__lane *lane = &source->lanes[copy->from_lane];
        uint8_t *items = from[copy->from] + (size_t)row * copy->size;
        if (i < edge->kept) {
            uint8_t *place = to[copy->to] + (size_t)slot * copy->size;
            stoa__component_move(lane->component, place, items, count);
        } else {
            stoa__component_drop(lane->component, items, count);
        }
    }
}

/* Copies bytes of which more are copied soon; past the caches if that is wanted and they begin a
 * line. */
STOA__INLINE void bytes_copy(uint8_t *to, const uint8_t *from, size_t size, bool far) {
    size_t done = 0;
    far = far && (uintptr_t)to % STOA__FAR_LINE == 0;
    for (; done + STOA__LINE <= size; done += STOA__LINE) {
        STOA_PREFETCH(from + done + COPY_AHEAD);
        if (far) {
            stoa__far_line(to + done, from + done);
        } else {
            memcpy(to + done, from + done, STOA__LINE);
        }
    }
    if (done < size) {
        memcpy(to + done, from + done, size - done);
    }
}

/* Moves the lanes of `count` plain rows, and their entities. They go a few at a time, all columns
 * of them: so the waits for the memory of different columns overlap. */
static void plain_move(const stoa__edge *edge, uint8_t *const *from, int32_t row,
                       uint8_t *const *to, int32_t slot, int32_t count, bool far) {
    size_t entity = sizeof(stoa_entity);
    for (int32_t n; count > 0; row += n, slot += n, count -= n) {
        n = count < ROWS_AT_ONCE ? count : ROWS_AT_ONCE;
        bytes_copy(to[0] + (size_t)slot * entity, from[0] + (size_t)row * entity,
                   (size_t)n * entity, far);
        for (uint32_t i = 0; i < edge->kept; i++) {
            const stoa__copy *copy = &edge->copies[i];
            size_t size = copy->size;
            bytes_copy(to[copy->to] + (size_t)slot * size, from[copy->from] + (size_t)row * size,
                       (size_t)n * size, far);
        }
    }
    if (far) {
        stoa__far_end();
    }
}

/* Moves `count` rows, entities and all. */
static void rows_move(const stoa__edge *edge, const stoa__archetype *source, uint8_t *const *from,
                      int32_t row, uint8_t *const *to, int32_t slot, int32_t count, bool far) {
    states_move(edge, source, from, to);
    if (edge->plain) {
        plain_move(edge, from, row, to, slot, count, far);
        return;
    }
    memcpy(stoa_columns_entities(to) + slot, stoa_columns_entities(from) + row,
           (size_t)count * sizeof(stoa_entity));
    lanes_move(edge, source, from, row, to, slot, count);
}

/* The records of rows that came to a chunk. */
static void rows_place(const stoa__storage *storage, const stoa_chunk *chunk, int32_t slot,
                       int32_t count) {
    const stoa_entity *entities = stoa_columns_entities(chunk->columns) + slot;
    stoa_record *records = storage->head.records;
    uint32_t place = chunk->number << STOA_PLACE_BITS | (uint32_t)slot;
    for (int32_t i = 0; i < count; i++) {
        stoa__place_set(records, entities[i].index, place + (uint32_t)i);
        stoa__record_stamp(storage, entities[i].index);
    }
}

/* Gives a fresh chunk of the target the number of the source's chunk whose first rows it takes:
 * with it the places of those rows stay as they are. */
static void numbers_swap(stoa__storage *storage, const stoa__archetype *source,
                         const stoa__archetype *target) {
    stoa_chunk_ref *refs = storage->head.chunks;
    stoa_chunk *from = source->tail, *to = target->tail;
    uint32_t number = from->number;
    stoa_chunk_ref ref = refs[number];
    stoa__columns_clear(storage, source, from->number);
    stoa__columns_clear(storage, target, to->number);
    refs[number] = refs[to->number];
    refs[to->number] = ref;
    from->number = to->number;
    to->number = number;
    stoa__archetype_renumber(source, from);
    stoa__archetype_renumber(target, to);
    stoa__columns_fill(storage, source, from->number);
    stoa__columns_fill(storage, target, to->number);
}

/* Rows of the target's last chunk that may be filled, at most `left`; they count as in use. */
static span rows_open(stoa__storage *storage, stoa__archetype *target, int32_t left) {
    if (target->tail->count >= target->head.chunk_capacity) {
        stoa__archetype_extend(storage, target);
    }
    span s = span_first(target, left);
    target->tail->count += s.count;
    stoa__rows_came(storage, target->index, (uint32_t)s.count);
    return s;
}

/* Asks for the beginning of what is copied from a chunk: its entities, states and columns. */
static void chunk_ask(const stoa__edge *edge, uint8_t *const *from) {
    for (size_t at = 0; at < COPY_AHEAD; at += STOA__LINE) {
        STOA_PREFETCH(from[0] + at);
    }
    for (uint32_t i = 0; i < edge->kept; i++) {
        const uint8_t *state = from[edge->copies[i].from] - STOA__LINE;
        for (size_t at = 0; at <= COPY_AHEAD; at += STOA__LINE) {
            STOA_PREFETCH(state + at);
        }
    }
}

/* Moves the rows of the last chunk of an archetype along an edge to another with components. */
static stoa_status chunk_move(stoa__storage *storage, stoa__archetype *source, stoa__edge *edge,
                              const void *value, bool far) {
    stoa__archetype *target = edge->target;
    const stoa_chunk from = *source->tail;
    stoa_status status = stoa__archetype_reserve(storage, target, (uint32_t)from.count);
    if (status != STOA_OK) {
        return status;
    }
    stoa__edge_ready(storage, edge);
    status = values_make(edge, value, from.count);
    if (status != STOA_OK) {
        return status;
    }
    for (int32_t done = 0; done < from.count;) {
        span s = rows_open(storage, target, from.count - done);
        const stoa_chunk *to = target->tail;
        rows_move(edge, source, from.columns, done, to->columns, s.slot, s.count, far);
        rows_mark(storage, edge, to->columns, s.slot, s.count);
        if (done + s.count == from.count && source->head.chunk_count > 1) {
            chunk_ask(edge, source->tail[-1].columns);
        }
        if (done == 0 && s.slot == 0) {
            numbers_swap(storage, source, target);
        } else {
            rows_place(storage, to, s.slot, s.count);
        }
        if (edge->rich) {
            rows_off_count(target, to->columns, s.slot, s.count);
        }
        done += s.count;
    }
    stoa__rows_went(storage, source->index, (uint32_t)from.count);
    source->tail->count = 0;
    source->head.chunk_count--;
    stoa__archetype_release(storage, source);
    return STOA_OK;
}

static void chunks_reverse(stoa__archetype *archetype) {
    stoa_chunk *chunks = archetype->head.chunks;
    for (int32_t i = 0, k = archetype->head.chunk_count - 1; i < k; i++, k--) {
        stoa_chunk chunk = chunks[i];
        chunks[i] = chunks[k];
        chunks[k] = chunk;
    }
}

/* Moves all rows chunk by chunk. Chunks are given back from the last on, and rows must arrive from
 * the first on: the order of chunks is turned round meanwhile. */
static stoa_status chunks_move(stoa__storage *storage, stoa__archetype *source, stoa__edge *edge,
                               const void *value) {
    stoa_status status = STOA_OK;
    uint64_t bytes = (uint64_t)stoa__archetype_rows(source) * edge->target->row_size;
    chunks_reverse(source);
    while (status == STOA_OK && source->head.chunk_count > 0) {
        status = chunk_move(storage, source, edge, value, bytes >= FAR_BYTES);
    }
    chunks_reverse(source);
    return status;
}

/* Drops what the rows of a chunk have. */
static void chunk_drop(const stoa__archetype *archetype, const stoa_chunk *chunk) {
    for (uint32_t i = 0; i < archetype->data_lanes && !archetype->plain; i++) {
        const stoa__lane *lane = &archetype->lanes[i];
        stoa__component_drop(lane->component, chunk->columns[lane->index], chunk->count);
    }
}

/* Takes all rows away; their components have been dropped. */
static void rows_clear(stoa__storage *storage, stoa__archetype *archetype) {
    stoa__rows_set(storage, archetype->index, 0);
    for (int32_t c = 0; c < archetype->head.chunk_count; c++) {
        archetype->head.chunks[c].count = 0;
    }
    archetype->head.chunk_count = 0;
    stoa__archetype_release(storage, archetype);
}

/* Leaves all entities of an archetype without components. */
static void rows_strip(stoa__storage *storage, stoa__archetype *source) {
    stoa_record *records = storage->head.records;
    for (int32_t c = 0; c < source->head.chunk_count; c++) {
        const stoa_chunk *chunk = &source->head.chunks[c];
        const stoa_entity *entities = stoa_columns_entities(chunk->columns);
        chunk_drop(source, chunk);
        for (int32_t i = 0; i < chunk->count; i++) {
            stoa__place_set(records, entities[i].index, 0);
            stoa__record_stamp(storage, entities[i].index);
        }
        storage->empty_count += (uint32_t)chunk->count;
    }
    rows_clear(storage, source);
}

stoa_status stoa__migrate_rows(stoa__storage *storage, stoa__archetype *source, stoa__edge *edge,
                               const void *value) {
    if (source->head.chunk_count == 0) {
        return STOA_OK;
    }
    if (edge->target->index == 0) {
        rows_strip(storage, source);
        return STOA_OK;
    }
    return stoa__adopt_fits(source, edge->target) ? stoa__adopt_chunks(storage, source, edge)
                                                  : chunks_move(storage, source, edge, value);
}

/* Gives `count` rows to entities without components from slot `index` of the table on; returns
 * where to go on. */
static uint32_t rows_settle(const stoa__storage *storage, const stoa_chunk *chunk, span s,
                            uint32_t index) {
    stoa_entity *entities = stoa_columns_entities(chunk->columns) + s.slot;
    stoa_record *records = storage->head.records;
    uint32_t place = chunk->number << STOA_PLACE_BITS | (uint32_t)s.slot;
    for (int32_t i = 0; i < s.count; index++) {
        if (stoa__record_empty(records, index)) {
            entities[i] = (stoa_entity){index, records[index].generation};
            stoa__place_set(records, index, place + (uint32_t)i);
            stoa__record_stamp(storage, index);
            i++;
        }
    }
    return index;
}

stoa_status stoa__migrate_empty(stoa__storage *storage, stoa__edge *edge, const void *value) {
    stoa__archetype *target = edge->target;
    stoa_status status = stoa__archetype_reserve(storage, target, storage->empty_count);
    stoa__edge_ready(storage, edge);
    for (uint32_t index = 1; status == STOA_OK && storage->empty_count > 0;) {
        int32_t left = span_first(target, (int32_t)storage->empty_count).count;
        status = values_make(edge, value, left);
        if (status == STOA_OK) {
            span s = rows_open(storage, target, left);
            rows_mark(storage, edge, target->tail->columns, s.slot, s.count);
            index = rows_settle(storage, target->tail, s, index);
            storage->empty_count -= (uint32_t)s.count;
        }
    }
    if (status != STOA_OK) {
        stoa__archetype_release(storage, target);
    }
    return status;
}

/* Replaces values with copies of one, as far as copies can be made; returns how many are. */
static int32_t values_replace(const stoa__component *component, uint8_t *items, int32_t count,
                              const void *value, void *spare) {
    const stoa_hooks *hooks = &component->info.hooks;
    size_t size = component->info.size;
    if (hooks->copy == NULL || size == 0) {
        (void)stoa__migrate_fill(component, items, value, count);
        return count;
    }
    for (int32_t i = 0; i < count; i++, items += size) {
        if (!hooks->copy(spare, value, 1, hooks->user)) {
            copy_failed(component);
            return i;
        }
        stoa__component_drop(component, items, 1);
        stoa__component_move(component, items, spare, 1);
    }
    return count;
}

stoa_status stoa__migrate_set(stoa__storage *storage, stoa__archetype *archetype,
                              const stoa__component *component, const void *value, void *spare) {
    stoa_component id = component->info.id;
    uint32_t index = stoa__archetype_column(archetype, id)->index;
    const stoa__lane *ticks = stoa__archetype_lane(archetype, id, STOA__LANE_CHANGED);
    for (int32_t c = 0; c < archetype->head.chunk_count; c++) {
        const stoa_chunk *chunk = &archetype->head.chunks[c];
        uint8_t *column = stoa_column_begin(chunk->columns, index);
        int32_t done = values_replace(component, column, chunk->count, value, spare);
        if (done > 0) {
            stoa__column_noted(storage, column);
        }
        if (ticks != NULL) {
            ticks_fill(chunk->columns[ticks->index], storage->head.tick, 0, done);
        }
        if (done < chunk->count) {
            return STOA_NO_MEMORY;
        }
    }
    return STOA_OK;
}

void stoa__migrate_destroy(stoa__storage *storage, stoa__archetype *archetype) {
    for (int32_t c = 0; c < archetype->head.chunk_count; c++) {
        const stoa_chunk *chunk = &archetype->head.chunks[c];
        const stoa_entity *entities = stoa_columns_entities(chunk->columns);
        chunk_drop(archetype, chunk);
        for (int32_t i = 0; i < chunk->count; i++) {
            stoa__entities_release(storage, entities[i].index);
        }
    }
    rows_clear(storage, archetype);
}

void stoa__migrate_destroy_empty(stoa__storage *storage) {
    for (uint32_t i = 1; storage->empty_count > 0; i++) {
        if (stoa__record_empty(storage->head.records, i)) {
            stoa__entities_release(storage, i);
            storage->empty_count--;
        }
    }
}
