/* Edges.
 *
 * An edge is worked out when a change is met for the first time on an archetype: the target, what
 * is kept, where values go. From then on a change costs a look-up by its key and the copies. Edges
 * are caches: they hold nothing that could not be worked out again. */
#include "storage/edge.h"

#include "stoa/hook.h"
#include "storage/shift.h"

#define EDGES_FIRST 4u

/* Tells whether the key takes `id` away (-1), puts it (1) or does not name it (0). */
static int key_says(const uint32_t *key, uint32_t count, stoa_component id) {
    for (uint32_t i = 0; i < count; i++) {
        if ((key[i] & ~STOA__KEY_DROP) == id) {
            return (key[i] & STOA__KEY_DROP) != 0 ? -1 : 1;
        }
    }
    return 0;
}

static void id_insert(stoa_component *ids, uint32_t *count, stoa_component id) {
    uint32_t at = (*count)++;
    while (at > 0 && ids[at - 1] > id) {
        ids[at] = ids[at - 1];
        at--;
    }
    ids[at] = id;
}

/* The archetype that the key leads to. */
static stoa__archetype *target_of(stoa__storage *storage, const stoa__archetype *source,
                                  const uint32_t *key, uint32_t count) {
    uint32_t capacity = source->id_count + count;
    size_t size = (capacity > 0 ? capacity : 1) * sizeof(stoa_component);
    stoa_component *ids = stoa__heap_alloc(&storage->heap, size, _Alignof(stoa_component));
    if (ids == NULL) {
        stoa__error_memory("a set of components");
        return NULL;
    }
    uint32_t found = 0;
    for (uint32_t i = 0; i < source->id_count; i++) {
        if (key_says(key, count, source->ids[i]) >= 0) {
            ids[found++] = source->ids[i];
        }
    }
    for (uint32_t i = 0; i < count; i++) {
        if ((key[i] & STOA__KEY_DROP) == 0 && stoa__archetype_column(source, key[i]) == NULL) {
            id_insert(ids, &found, key[i]);
        }
    }
    stoa__archetype *target = stoa__archetype_get(storage, ids, found);
    stoa__heap_free(&storage->heap, ids, size, _Alignof(stoa_component));
    return target;
}

/* The lane of that kind of a component, or STOA__NONE. */
static uint32_t lane_of(const stoa__archetype *archetype, stoa_component id, stoa__lane_kind kind) {
    for (uint32_t i = 0; i < archetype->lane_count; i++) {
        if (archetype->lanes[i].id == id && archetype->lanes[i].kind == kind) {
            return i;
        }
    }
    return STOA__NONE;
}

/* The number of a tag among those of an archetype that has it. */
static uint32_t tag_of(const stoa__storage *storage, const stoa__archetype *archetype,
                       stoa_component id) {
    uint32_t number = 0;
    for (uint32_t i = 0; archetype->ids[i] != id; i++) {
        number += stoa__component_at(storage, archetype->ids[i])->info.size == 0;
    }
    return number;
}

/* True if a lane of the source is copied along. Of a component that is overwritten the values and
 * the tick of the last write stay behind; when it was added, and whether it is off, stays true. */
static bool lane_kept(const stoa__edge *edge, const stoa__lane *lane) {
    int says = key_says(edge->key, edge->key_count, lane->id);
    return says == 0 ||
           (says > 0 && (lane->kind == STOA__LANE_ADDED || lane->kind == STOA__LANE_OFF));
}

/* Appends copies of the lanes that are kept, or left behind, and belong to a run. */
static void copies_append(stoa__edge *edge, const stoa__archetype *source, bool kept,
                          uint32_t run) {
    for (uint32_t i = 0; i < source->lane_count; i++) {
        const stoa__lane *lane = &source->lanes[i];
        if (lane_kept(edge, lane) == kept && stoa__shift_run(lane->size) == run) {
            uint32_t to = lane_of(edge->target, lane->id, lane->kind);
            edge->copies[edge->lanes++] =
                (stoa__copy){.from = lane->index,
                             .to = to != STOA__NONE ? edge->target->lanes[to].index : 0,
                             .size = lane->size,
                             .from_lane = (uint16_t)i,
                             .to_lane = to != STOA__NONE ? (uint16_t)to : STOA__LANE_NONE};
        }
    }
}

/* Notes in a byte that something is there so many times, if it can be told. */
static void runs_note(stoa__edge *edge, uint32_t byte, uint32_t count) {
    edge->runs |= (uint64_t)(uint8_t)count << 8 * byte;
}

static void copies_fill(stoa__edge *edge, const stoa__archetype *source) {
    edge->lanes = 0;
    edge->runs = 0;
    for (uint32_t run = 0; run <= STOA__RUNS; run++) {
        uint32_t before = edge->lanes;
        copies_append(edge, source, true, run);
        if (run < STOA__RUNS) {
            runs_note(edge, run, edge->lanes - before);
        }
    }
    edge->kept = edge->lanes;
    for (uint32_t run = 0; run <= STOA__RUNS; run++) {
        copies_append(edge, source, false, run);
    }
}

static void tags_fill(const stoa__storage *storage, stoa__edge *edge,
                      const stoa__archetype *source) {
    edge->tag_count = 0;
    for (uint32_t i = 0; i < source->id_count; i++) {
        stoa_component id = source->ids[i];
        if (stoa__component_at(storage, id)->info.size == 0 &&
            stoa__archetype_column(edge->target, id) != NULL) {
            uint32_t from = tag_of(storage, source, id), to = tag_of(storage, edge->target, id);
            edge->tags[edge->tag_count++] = (stoa__copy){.from = stoa__layout_tag(from),
                                                         .to = stoa__layout_tag(to),
                                                         .from_lane = (uint16_t)from,
                                                         .to_lane = (uint16_t)to};
        }
    }
}

static void puts_fill(const stoa__storage *storage, stoa__edge *edge,
                      const stoa__archetype *source) {
    for (uint32_t i = 0; i < edge->key_count; i++) {
        stoa_component id = edge->key[i];
        edge->puts[i] = (stoa__put){.lane = STOA__NONE};
        if ((id & STOA__KEY_DROP) == 0) {
            uint32_t size = stoa__component_at(storage, id)->info.size;
            edge->puts[i] = (stoa__put){
                .to = stoa__archetype_column(edge->target, id)->index,
                .size = size,
                .lane = size != 0 ? lane_of(edge->target, id, STOA__LANE_DATA)
                                  : tag_of(storage, edge->target, id),
                .fresh = stoa__archetype_column(source, id) == NULL,
            };
        }
    }
}

/* Lanes of the target without values that no copy fills: those of components that are put. */
static void fresh_fill(stoa__edge *edge) {
    edge->fresh_count = 0;
    for (uint32_t i = edge->target->data_lanes; i < edge->target->lane_count; i++) {
        bool copied = false;
        for (uint32_t k = 0; k < edge->kept; k++) {
            copied = copied || edge->copies[k].to_lane == i;
        }
        if (!copied) {
            edge->fresh[edge->fresh_count++] = (uint16_t)i;
        }
    }
}

/* True if a component that the source has is put: when it was added must come along. */
static bool edge_overwrites(const stoa__edge *edge) {
    for (uint32_t i = 0; i < edge->key_count; i++) {
        if ((edge->key[i] & STOA__KEY_DROP) == 0 && !edge->puts[i].fresh) {
            return true;
        }
    }
    return false;
}

/* True if a component has hooks for what an element of a key does with it. */
static bool element_hooked(const stoa__storage *storage, uint32_t element) {
    uint32_t hooked = stoa__component_at(storage, element & ~STOA__KEY_DROP)->hooked;
    bool drops = (element & STOA__KEY_DROP) != 0;
    return (hooked & (drops ? STOA__HOOKED_REMOVE : ~STOA__HOOKED_REMOVE)) != 0;
}

/* True if it puts one component, and only its hooks want to know. */
static bool edge_told_hooks(const stoa__storage *storage, const stoa__edge *edge) {
    return edge->watched && !storage->watch_all && edge->single != 0 &&
           (edge->single & STOA__KEY_DROP) == 0 &&
           (stoa__component_at(storage, edge->single)->hooked & STOA__HOOKED_VETO) == 0;
}

static void edge_rewatch(const stoa__storage *storage, stoa__edge *edge,
                         const stoa__archetype *source) {
    edge->watched = storage->watch_all;
    for (uint32_t i = 0; i < edge->key_count; i++) {
        edge->watched |= element_hooked(storage, edge->key[i]);
    }
    edge->swift = edge->plain && !edge->rich && source->small && source->index != 0 &&
                  edge->target->index != 0 && edge->target != source && !edge_overwrites(edge);
    edge->quick = edge->swift && !edge->watched;
    edge->hooked = edge->swift && edge_told_hooks(storage, edge);
}

/* Reads anew whether rows may be shifted. */
static void edge_regate(const stoa__storage *storage, stoa__edge *edge) {
    bool straight = edge->single != 0 && edge->plain && !edge->rich && edge->source->index != 0 &&
                    edge->target->index != 0 && edge->target != edge->source &&
                    !edge_overwrites(edge);
    stoa__shift_regate(storage, edge, straight, edge_told_hooks(storage, edge));
}

static void edge_fill(const stoa__storage *storage, stoa__edge *edge,
                      const stoa__archetype *source) {
    copies_fill(edge, source);
    tags_fill(storage, edge, source);
    runs_note(edge, STOA__RUNS, source->tag_count > 0);
    puts_fill(storage, edge, source);
    fresh_fill(edge);
    edge->plain = source->plain && edge->target->plain;
    edge->rich = source->rich || edge->target->rich;
    edge_rewatch(storage, edge, source);
}

STOA__COLD void stoa__edge_refresh(const stoa__storage *storage, stoa__edge *edge) {
    edge->epoch = storage->head.epoch;
    edge_regate(storage, edge);
}

/* Trios for which there is room after an edge of an archetype. */
static uint32_t trio_room(const stoa__archetype *source) {
    return source->lane_count + (source->tag_count > 0 ? 1u : 0u);
}

/* Where the copies of an edge stand. */
static stoa__copy *copies_of(stoa__edge *edge) {
    return (stoa__copy *)(void *)(stoa__edge_trios(edge) + trio_room(edge->source));
}

static stoa__edge *edge_new(stoa__storage *storage, stoa__archetype *source,
                            stoa__archetype *target, const uint32_t *key, uint32_t count) {
    size_t copies_at = sizeof(stoa__edge) + trio_room(source) * sizeof(stoa__trio);
    size_t tags_at = copies_at + source->lane_count * sizeof(stoa__copy);
    size_t puts_at = tags_at + source->tag_count * sizeof(stoa__copy);
    size_t key_at = puts_at + count * sizeof(stoa__put);
    size_t fresh_at = key_at + count * sizeof(uint32_t);
    size_t size = fresh_at + (target->lane_count - target->data_lanes) * sizeof(uint16_t);
    uint8_t *block = stoa__heap_zalloc(&storage->heap, size, _Alignof(stoa__edge));
    if (block == NULL) {
        stoa__error_memory("an edge between archetypes");
        return NULL;
    }
    stoa__edge *edge = (stoa__edge *)(void *)block;
    edge->target = target;
    edge->source = source;
    edge->copies = copies_of(edge);
    edge->tags = (stoa__copy *)(void *)(block + tags_at);
    edge->puts = (stoa__put *)(void *)(block + puts_at);
    edge->key = (uint32_t *)(void *)(block + key_at);
    edge->fresh = (uint16_t *)(void *)(block + fresh_at);
    edge->key_count = count;
    edge->block_size = (uint32_t)size;
    for (uint32_t i = 0; i < count; i++) {
        edge->key[i] = key[i];
    }
    return edge;
}

/* The one cell of an archetype that has no edges; never written. */
static stoa__edge *const cell_free = NULL;

void stoa__edge_init(stoa__archetype *archetype) {
    archetype->edges = (stoa__edges){(stoa__edge **)(uintptr_t)&cell_free, 0, 0};
}

static uint32_t cells_owned(const stoa__edges *edges) {
    return edges->mask > 0 ? edges->mask + 1 : 0;
}

size_t stoa__edge_bytes(const stoa__archetype *archetype) {
    size_t bytes = cells_owned(&archetype->edges) * sizeof(stoa__edge *);
    for (uint32_t i = 0; i < cells_owned(&archetype->edges); i++) {
        bytes += archetype->edges.cells[i] != NULL ? archetype->edges.cells[i]->block_size : 0;
    }
    return bytes;
}

size_t stoa__edge_asleep_bytes(const stoa__storage *storage) {
    size_t bytes = 0;
    for (const stoa__edge *edge = storage->asleep; edge != NULL; edge = edge->next) {
        bytes += edge->block_size;
    }
    return bytes;
}

void stoa__edge_rewatch(const stoa__storage *storage, stoa__archetype *archetype) {
    for (uint32_t i = 0; i < cells_owned(&archetype->edges); i++) {
        if (archetype->edges.cells[i] != NULL) {
            edge_rewatch(storage, archetype->edges.cells[i], archetype);
        }
    }
}

static void cell_put(stoa__edge **cells, uint32_t mask, stoa__edge *edge) {
    uint32_t at = edge->hash >> 16;
    while (cells[at & mask] != NULL) {
        at++;
    }
    cells[at & mask] = edge;
}

static stoa_status edges_reserve(stoa__storage *storage, stoa__edges *edges) {
    uint32_t owned = cells_owned(edges);
    if ((edges->count + 1) * 2 <= owned) {
        return STOA_OK;
    }
    uint32_t count = owned == 0 ? EDGES_FIRST : owned * 2;
    stoa__edge **cells =
        stoa__heap_zalloc(&storage->heap, count * sizeof *cells, _Alignof(stoa__edge *));
    if (cells == NULL) {
        return stoa__error_memory("the edges of an archetype");
    }
    for (uint32_t i = 0; i < owned; i++) {
        if (edges->cells[i] != NULL) {
            cell_put(cells, count - 1, edges->cells[i]);
        }
    }
    if (owned > 0) {
        stoa__heap_free(&storage->heap, edges->cells, owned * sizeof *cells,
                        _Alignof(stoa__edge *));
    }
    edges->cells = cells;
    edges->mask = count - 1;
    return STOA_OK;
}

void stoa__edge_sleep(stoa__storage *storage, stoa__archetype *archetype) {
    stoa__edges *edges = &archetype->edges;
    stoa__edge *awake = NULL;
    for (uint32_t i = 0; i < cells_owned(edges); i++) {
        stoa__edge *edge = edges->cells[i];
        if (edge != NULL) {
            bool hidden = edge->target->index >= storage->archetype_count;
            stoa__edge **list = hidden ? &storage->asleep : &awake;
            edge->next = *list;
            *list = edge;
            edges->cells[i] = NULL;
        }
    }
    edges->count = 0;
    while (awake != NULL) {
        stoa__edge *edge = awake;
        awake = edge->next;
        edge->copies = copies_of(edge);
        cell_put(edges->cells, edges->mask, edge);
        edges->count++;
    }
}

/* Takes the edge of that key from those that are asleep, its target shown again; NULL if there is
 * none, or with the thread's error set. */
static stoa__edge *edge_wake(stoa__storage *storage, const stoa__archetype *source,
                             const uint32_t *key, uint32_t count, uint32_t hash) {
    for (stoa__edge **at = &storage->asleep; *at != NULL; at = &(*at)->next) {
        stoa__edge *edge = *at;
        if (edge->source == source && edge->hash == hash && edge->key_count == count &&
            memcmp(edge->key, key, count * sizeof *key) == 0) {
            if (stoa__archetype_show(storage, edge->target) != STOA_OK) {
                return NULL;
            }
            *at = edge->next;
            edge->copies = copies_of(edge);
            return edge;
        }
    }
    return NULL;
}

/* An edge that was never made before; NULL with the thread's error set. */
static stoa__edge *edge_fresh(stoa__storage *storage, stoa__archetype *source, const uint32_t *key,
                              uint32_t count) {
    stoa__archetype *target = target_of(storage, source, key, count);
    return target != NULL ? edge_new(storage, source, target, key, count) : NULL;
}

stoa__edge *stoa__edge_make(stoa__storage *storage, stoa__archetype *source, const uint32_t *key,
                            uint32_t count, uint32_t hash) {
    if (edges_reserve(storage, &source->edges) != STOA_OK) {
        return NULL;
    }
    stoa__edge *edge = NULL;
    if (!STOA_LIKELY(storage->asleep == NULL)) {
        edge = edge_wake(storage, source, key, count, hash);
    }
    edge = edge != NULL ? edge : edge_fresh(storage, source, key, count);
    if (edge == NULL) {
        return NULL;
    }
    edge->hash = hash;
    edge->single = count == 1 ? key[0] : 0;
    edge_fill(storage, edge, source);
    stoa__edge_refresh(storage, edge);
    cell_put(source->edges.cells, source->edges.mask, edge);
    source->edges.count++;
    return edge;
}

/* Fills in the lanes of a row of the target that hold no values and are not copied. */
static void fresh_write(const stoa__storage *storage, const stoa__edge *edge, stoa__row to) {
    for (uint32_t i = 0; i < edge->fresh_count; i++) {
        const stoa__lane *lane = &edge->target->lanes[edge->fresh[i]];
        uint8_t *item = stoa__row_item(to, lane->index, lane->size);
        if (lane->kind == STOA__LANE_OFF) {
            *item = 0;
        } else {
            memcpy(item, &storage->head.tick, sizeof storage->head.tick);
        }
    }
}

void stoa__edge_mark(const stoa__storage *storage, const stoa__edge *edge, stoa__row to) {
    for (uint32_t i = 0; i < edge->key_count; i++) {
        const stoa__put *put = &edge->puts[i];
        if (put->to != 0) {
            stoa__state_mark(stoa__state_of(to.columns, put->to), storage->head.tick, put->fresh);
        }
    }
    if (edge->rich) {
        fresh_write(storage, edge, to);
    }
}

void stoa__edge_move_any(stoa__storage *storage, const stoa__edge *edge, stoa__archetype *source,
                         uint32_t from, uint32_t to) {
    stoa__row old = stoa__row_at(storage, from);
    stoa__row new = stoa__row_at(storage, to);
    if (edge->rich) {
        stoa__row_off_count(source, old.columns, old.slot, true);
    }
    for (uint32_t i = 0; i < edge->lanes; i++) {
        const stoa__copy *copy = &edge->copies[i];
        const stoa__lane *lane = &source->lanes[copy->from_lane];
        uint8_t *item = stoa__row_item(old, copy->from, copy->size);
        if (i >= edge->kept) {
            stoa__component_drop(lane->component, item, 1);
        } else if (edge->plain) {
            stoa__copy_bytes(stoa__row_item(new, copy->to, copy->size), item, copy->size);
        } else {
            stoa__component_move(lane->component, stoa__row_item(new, copy->to, copy->size), item,
                                 1);
        }
        if (lane->kind == STOA__LANE_DATA && copy->to_lane != STOA__LANE_NONE) {
            stoa__state_merge(stoa__column_state(new.columns[copy->to]),
                              stoa__column_state(old.columns[copy->from]));
        }
    }
    stoa__edge_tags(edge, new.columns, old.columns);
    if (edge->rich) {
        stoa__row_off_count(edge->target, new.columns, new.slot, false);
    }
    stoa__row_fill(storage, source, old);
}

void stoa__edge_free_all(stoa__storage *storage, stoa__archetype *archetype) {
    stoa__edges *edges = &archetype->edges;
    uint32_t owned = cells_owned(edges);
    for (uint32_t i = 0; i < owned; i++) {
        if (edges->cells[i] != NULL) {
            stoa__heap_free(&storage->heap, edges->cells[i], edges->cells[i]->block_size,
                            _Alignof(stoa__edge));
        }
    }
    if (owned > 0) {
        stoa__heap_free(&storage->heap, edges->cells, owned * sizeof *edges->cells,
                        _Alignof(stoa__edge *));
    }
    stoa__edge_init(archetype);
    for (stoa__edge **at = &storage->asleep; *at != NULL;) {
        stoa__edge *edge = *at;
        if (edge->source == archetype) {
            *at = edge->next;
            stoa__heap_free(&storage->heap, edge, edge->block_size, _Alignof(stoa__edge));
        } else {
            at = &edge->next;
        }
    }
}

/* True if the puts are where the target has its columns. */
static bool puts_right(const stoa__storage *storage, const stoa__edge *edge) {
    for (uint32_t i = 0; i < edge->key_count; i++) {
        const stoa__put *put = &edge->puts[i];
        bool there = (edge->key[i] & STOA__KEY_DROP) == 0;
        bool data = there && stoa__component_at(storage, edge->key[i])->info.size != 0;
        if (!data && put->size == 0) {
            uint32_t to = there ? stoa__archetype_column(edge->target, edge->key[i])->index : 0;
            if (put->to != to) {
                return false;
            }
            continue;
        }
        const stoa__lane *lane = &edge->target->lanes[put->lane];
        if (!data || put->lane >= edge->target->lane_count || lane->id != edge->key[i] ||
            put->size != lane->size || put->to != lane->index) {
            return false;
        }
    }
    return true;
}

/* True if those kept stand run by run, as many in each as noted. */
static bool runs_right(const stoa__edge *edge, const stoa__archetype *source) {
    uint32_t at = 0;
    if (edge->kept > UINT8_MAX) {
        return !edge->open;
    }
    for (uint32_t run = 0; run < STOA__RUNS; run++) {
        for (uint32_t n = (uint8_t)(edge->runs >> 8 * run); n > 0; n--, at++) {
            if (at >= edge->kept || stoa__shift_run(edge->copies[at].size) != run) {
                return false;
            }
        }
    }
    return edge->runs >> 8 * STOA__RUNS == (source->tag_count > 0);
}

static bool edge_right(const stoa__storage *storage, const stoa__edge *edge,
                       const stoa__archetype *source) {
    for (uint32_t i = 0; i < edge->key_count; i++) {
        stoa_component id = edge->key[i] & ~STOA__KEY_DROP;
        bool there = stoa__archetype_column(edge->target, id) != NULL;
        if (there != ((edge->key[i] & STOA__KEY_DROP) == 0)) {
            return false;
        }
    }
    for (uint32_t i = 0; i < edge->lanes; i++) {
        const stoa__copy *copy = &edge->copies[i];
        const stoa__lane *lane = &source->lanes[copy->from_lane];
        bool kept = i < edge->kept;
        if (kept && copy->to_lane >= edge->target->lane_count) {
            return false;
        }
        if (kept && (edge->target->lanes[copy->to_lane].id != lane->id ||
                     edge->target->lanes[copy->to_lane].kind != lane->kind)) {
            return false;
        }
        if (copy->from != lane->index ||
            (kept && copy->to != edge->target->lanes[copy->to_lane].index)) {
            return false;
        }
    }
    return runs_right(edge, source) && puts_right(storage, edge);
}

stoa_status stoa__edge_check(const stoa__storage *storage, const stoa__archetype *archetype) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < cells_owned(&archetype->edges); i++) {
        const stoa__edge *edge = archetype->edges.cells[i];
        if (edge == NULL) {
            continue;
        }
        count++;
        if (edge->target->index >= storage->archetype_count ||
            storage->archetypes[edge->target->index] != edge->target ||
            !edge_right(storage, edge, archetype)) {
            return stoa__error(STOA_CORRUPT, "an edge of archetype %u leads to a wrong place",
                               archetype->index);
        }
    }
    if (count != archetype->edges.count) {
        return stoa__error(STOA_CORRUPT, "archetype %u counts %u edges and has %u",
                           archetype->index, archetype->edges.count, count);
    }
    return STOA_OK;
}
