/* Permutations of rows.
 *
 * One column after the other is gathered, in the new order, into room beside the chunks, and then
 * moved back chunk by chunk. So the room need only be as large as the largest column, reads do not
 * wait for each other, as they would along cycles, and a value with a move hook is moved twice and
 * never copied. A row brings the ticks of the chunk it was in: a chunk becomes as new as the newest
 * that it received rows of, and no newer. O(rows x columns). One thread at a time. */
#include "storage/permute.h"

/* Items in blocks of equal length, the last of which may be shorter. */
typedef struct items {
    const stoa_chunk *chunks;
    uint32_t index; /* of the items in the columns of each block */
    uint32_t shift;
    uint32_t mask; /* items in a block, less one: a power of two less one */
} items;

stoa__shuffle stoa__shuffle_of(const int32_t *order, uint32_t count) {
    uint32_t first = 0, end = count;
    while (first < end && order[first] == (int32_t)first) {
        first++;
    }
    while (end > first && order[end - 1] == (int32_t)(end - 1)) {
        end--;
    }
    return (stoa__shuffle){order, first, end};
}

bool stoa__shuffle_valid(const stoa__shuffle *shuffle, void *room) {
    const int32_t *order = shuffle->order + shuffle->first;
    uint32_t first = shuffle->first, count = shuffle->end - first;
    uint8_t *seen = room;
    memset(seen, 0, count);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t at = (uint32_t)order[i] - first;
        if (at >= count) {
            return false;
        }
        seen[at] = 1;
    }
    return memchr(seen, 0, count) == NULL;
}

/* Items of a size that the compiler may know, in the new order. */
STOA__INLINE void gather_sized(const items *from, const stoa__shuffle *shuffle, size_t size,
                               uint8_t *to) {
    const stoa_chunk *chunks = from->chunks;
    uint32_t index = from->index, shift = from->shift, mask = from->mask;
    const int32_t *row = shuffle->order + shuffle->first, *end = shuffle->order + shuffle->end;
    for (; row != end; row++, to += size) {
        uint32_t at = (uint32_t)*row;
        const uint8_t *item = chunks[at >> shift].columns[index] + (at & mask) * size;
        stoa__copy_bytes(to, item, size);
    }
}

static void gather_plain(const items *from, const stoa__shuffle *shuffle, size_t size,
                         uint8_t *to) {
    switch (size) {
    case 1:
        gather_sized(from, shuffle, 1, to);
        break;
    case 4:
        gather_sized(from, shuffle, 4, to);
        break;
    case 8:
        gather_sized(from, shuffle, 8, to);
        break;
    case 12:
        gather_sized(from, shuffle, 12, to);
        break;
    case 16:
        gather_sized(from, shuffle, 16, to);
        break;
    default:
        gather_sized(from, shuffle, size, to);
        break;
    }
}

/* Moves values by their hook; those that stay side by side by one call. */
static void gather_hooked(const items *from, const stoa__shuffle *shuffle,
                          const stoa__component *component, uint8_t *to) {
    size_t size = component->info.size;
    for (uint32_t i = shuffle->first; i < shuffle->end;) {
        uint32_t at = (uint32_t)shuffle->order[i];
        uint32_t most = from->mask + 1 - (at & from->mask), n = 1;
        while (n < most && i + n < shuffle->end && (uint32_t)shuffle->order[i + n] == at + n) {
            n++;
        }
        uint8_t *item = from->chunks[at >> from->shift].columns[from->index];
        stoa__component_move(component, to, item + (at & from->mask) * size, (int32_t)n);
        to += n * size;
        i += n;
    }
}

static void gather(const items *from, const stoa__shuffle *shuffle,
                   const stoa__component *component, size_t size, uint8_t *to) {
    if (component->info.hooks.move != NULL) {
        gather_hooked(from, shuffle, component, to);
    } else {
        gather_plain(from, shuffle, size, to);
    }
}

/* The rows of a chunk that a shuffle moves. */
typedef struct span {
    uint32_t first; /* in the archetype */
    uint32_t slot;  /* in the chunk */
    uint32_t count;
} span;

static span chunk_span(const stoa__archetype *archetype, const stoa__shuffle *shuffle, uint32_t c) {
    uint32_t capacity = (uint32_t)archetype->head.chunk_capacity;
    uint32_t start = c * capacity;
    uint32_t end = start + (uint32_t)archetype->head.chunks[c].count;
    uint32_t first = start > shuffle->first ? start : shuffle->first;
    end = end < shuffle->end ? end : shuffle->end;
    return (span){first, first - start, end - first};
}

/* Chunks with rows that move: from *first to the number returned, less one. */
static uint32_t chunks_touched(const stoa__archetype *archetype, const stoa__shuffle *shuffle,
                               uint32_t *first) {
    uint32_t capacity = (uint32_t)archetype->head.chunk_capacity;
    *first = shuffle->first / capacity;
    return (shuffle->end - 1) / capacity + 1;
}

static items rows_items(const stoa__archetype *archetype, uint32_t index) {
    uint32_t capacity = (uint32_t)archetype->head.chunk_capacity;
    return (items){archetype->head.chunks, index, stoa__bit_lowest(capacity), capacity - 1};
}

static void lane_permute(const stoa__archetype *archetype, const stoa__lane *lane,
                         const stoa__shuffle *shuffle, uint8_t *room) {
    items from = rows_items(archetype, lane->index);
    gather(&from, shuffle, lane->component, lane->size, room);
    uint32_t c, end = chunks_touched(archetype, shuffle, &c);
    for (; c < end; c++) {
        span rows = chunk_span(archetype, shuffle, c);
        uint8_t *to =
            archetype->head.chunks[c].columns[lane->index] + (size_t)rows.slot * lane->size;
        stoa__component_move(lane->component, to,
                             room + (size_t)(rows.first - shuffle->first) * lane->size,
                             (int32_t)rows.count);
    }
}

/* Counts anew what is off in each chunk. */
static void off_recount(const stoa__archetype *archetype, const stoa__lane *lane,
                        const stoa__shuffle *shuffle) {
    uint32_t index = stoa__archetype_column(archetype, lane->id)->index;
    uint32_t c, end = chunks_touched(archetype, shuffle, &c);
    for (; c < end; c++) {
        const stoa_chunk *chunk = &archetype->head.chunks[c];
        const uint8_t *off = chunk->columns[lane->index];
        uint32_t count = 0;
        for (int32_t i = 0; i < chunk->count; i++) {
            count += off[i];
        }
        stoa__state_of(chunk->columns, index)->off = count;
    }
}

/* Entities, and where their records say they are. */
static void entities_permute(const stoa__storage *storage, const stoa__archetype *archetype,
                             const stoa__shuffle *shuffle, stoa_entity *room) {
    items from = rows_items(archetype, 0);
    stoa_record *records = storage->head.records;
    gather_sized(&from, shuffle, sizeof *room, (uint8_t *)(void *)room);
    stoa__rows_moved(storage, archetype->index);
    uint32_t c, end = chunks_touched(archetype, shuffle, &c);
    for (; c < end; c++) {
        const stoa_chunk *chunk = &archetype->head.chunks[c];
        span rows = chunk_span(archetype, shuffle, c);
        uint32_t place = chunk->number << STOA_PLACE_BITS | rows.slot;
        const stoa_entity *entities = room + (rows.first - shuffle->first);
        for (uint32_t i = 0; i < rows.count; i++) {
            stoa__place_set(records, entities[i].index, place + i);
            stoa__record_stamp(storage, entities[i].index);
        }
        memcpy(stoa_columns_entities(chunk->columns) + rows.slot, entities,
               rows.count * sizeof *entities);
    }
}

static uint32_t states_count(const stoa__archetype *archetype) {
    return archetype->data_lanes + archetype->tag_count;
}

/* True if the chunks that rows move between are all equally new. */
static bool states_equal(const stoa__archetype *archetype, uint32_t first, uint32_t end) {
    const stoa_chunk *chunks = archetype->head.chunks;
    for (uint32_t i = 0; i < states_count(archetype); i++) {
        uint64_t ticks = stoa__state_ticks(stoa__state_number(archetype, chunks[first].columns, i));
        for (uint32_t c = first + 1; c < end; c++) {
            if (stoa__state_ticks(stoa__state_number(archetype, chunks[c].columns, i)) != ticks) {
                return false;
            }
        }
    }
    return true;
}

/* Rows of a chunk whose states were `from` have come to a chunk, as the first ones or after others.
 */
static void states_receive(const stoa__archetype *archetype, uint8_t *const *columns,
                           const stoa_column_state *from, bool others) {
    for (uint32_t i = 0; i < states_count(archetype); i++) {
        stoa_column_state *state = stoa__state_number(archetype, columns, i);
        if (others) {
            stoa__state_merge(state, &from[i]);
        } else {
            STOA_STORE(&state->changed, STOA_LOAD(&from[i].changed));
            STOA_STORE(&state->added, STOA_LOAD(&from[i].added));
        }
    }
}

/* Makes each chunk as new as those that it receives rows of. */
static void states_permute(const stoa__archetype *archetype, const stoa__shuffle *shuffle,
                           void *room) {
    uint32_t first, end = chunks_touched(archetype, shuffle, &first);
    if (states_equal(archetype, first, end)) {
        return;
    }
    const stoa_chunk *chunks = archetype->head.chunks;
    uint32_t count = states_count(archetype), shift = rows_items(archetype, 0).shift;
    stoa_column_state *before = room;
    uint32_t *seen = (uint32_t *)(void *)(before + (size_t)(end - first) * count);
    for (uint32_t c = first; c < end; c++) {
        seen[c - first] = 0;
        for (uint32_t i = 0; i < count; i++) {
            memcpy(&before[(size_t)(c - first) * count + i],
                   stoa__state_number(archetype, chunks[c].columns, i), sizeof *before);
        }
    }
    for (uint32_t c = first; c < end; c++) {
        span rows = chunk_span(archetype, shuffle, c);
        /* Rows that do not move keep the chunk as new as it is. */
        bool others = rows.count < (uint32_t)chunks[c].count;
        for (uint32_t i = 0; i < rows.count; i++) {
            uint32_t from = ((uint32_t)shuffle->order[rows.first + i] >> shift) - first;
            if (seen[from] != c + 1) {
                seen[from] = c + 1;
                states_receive(archetype, chunks[c].columns, &before[(size_t)from * count], others);
                others = true;
            }
        }
    }
}

size_t stoa__permute_rows_room(const stoa__archetype *archetype, const stoa__shuffle *shuffle) {
    if (shuffle->first == shuffle->end) {
        return 0;
    }
    size_t size = sizeof(stoa_entity);
    for (uint32_t i = 0; i < archetype->lane_count; i++) {
        size = archetype->lanes[i].size > size ? archetype->lanes[i].size : size;
    }
    uint32_t first, end = chunks_touched(archetype, shuffle, &first);
    size_t items_size = (shuffle->end - shuffle->first) * size;
    size_t states_size =
        (end - first) * (states_count(archetype) * sizeof(stoa_column_state) + sizeof(uint32_t));
    return items_size > states_size ? items_size : states_size;
}

void stoa__permute_rows(stoa__storage *storage, stoa__archetype *archetype,
                        const stoa__shuffle *shuffle, void *room) {
    if (shuffle->first == shuffle->end) {
        return;
    }
    states_permute(archetype, shuffle, room);
    for (uint32_t i = 0; i < archetype->lane_count; i++) {
        const stoa__lane *lane = &archetype->lanes[i];
        lane_permute(archetype, lane, shuffle, room);
        if (lane->kind == STOA__LANE_OFF) {
            off_recount(archetype, lane, shuffle);
        }
    }
    entities_permute(storage, archetype, shuffle, room);
}

size_t stoa__permute_set_room(const stoa__sparse *set, const stoa__shuffle *shuffle) {
    size_t size = set->size > sizeof(stoa_entity) ? set->size : sizeof(stoa_entity);
    return (shuffle->end - shuffle->first) * size;
}

/* One array of a set, as items of one block, which has it for its only column. */
static items set_items(stoa_chunk *block, void *array) {
    *block->columns = array;
    return (items){block, 0, 31, INT32_MAX};
}

static void ticks_permute(stoa__sparse *set, const stoa__shuffle *shuffle, uint32_t *room) {
    uint32_t first = shuffle->first, count = shuffle->end - first;
    const int32_t *order = shuffle->order + first;
    for (uint32_t i = 0; i < count; i++) {
        room[i] = STOA_LOAD(&set->changed[order[i]]);
    }
    for (uint32_t i = 0; i < count; i++) {
        STOA_STORE(&set->changed[first + i], room[i]);
    }
    for (uint32_t i = 0; i < count; i++) {
        room[i] = set->added[order[i]];
    }
    memcpy(set->added + first, room, count * sizeof *room);
}

void stoa__permute_set(stoa__sparse *set, const stoa__shuffle *shuffle, void *room) {
    uint32_t first = shuffle->first, count = shuffle->end - first;
    uint8_t *array = NULL;
    stoa_chunk block = {.columns = &array};
    if (count == 0) {
        return;
    }
    if (set->size != 0) {
        items values = set_items(&block, set->values);
        gather(&values, shuffle, set->component, set->size, room);
        stoa__component_move(set->component, set->values + (size_t)first * set->size, room,
                             (int32_t)count);
    }
    ticks_permute(set, shuffle, room);
    if (set->off != NULL) {
        items off = set_items(&block, set->off);
        gather_plain(&off, shuffle, 1, room);
        memcpy(set->off + first, room, count);
    }
    items entities = set_items(&block, set->entities);
    gather_plain(&entities, shuffle, sizeof *set->entities, room);
    memcpy(set->entities + first, room, count * sizeof *set->entities);
    for (uint32_t i = first; i < shuffle->end; i++) {
        *stoa__sparse_entry(set, set->entities[i].index) = i + 1;
    }
}
