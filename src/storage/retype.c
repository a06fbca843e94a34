/* Values of components that get other descriptions.
 *
 * Every archetype that has a component of another layout gets a twin, with room for as many rows; a
 * sparse set gets one, too. A swap moves the rows over, but for the columns that were converted,
 * and then exchanges the archetypes' contents, so that whoever points at one finds the new. Rows
 * keep their order, columns their ticks. Making room is all that can fail. O(bytes of the
 * archetypes concerned). One thread at a time. */
#include "storage/retype.h"

#include "storage/edge.h"
#include "storage/registry.h"

#include <string.h>

/* True if an archetype has a component whose layout differs. */
static bool archetype_concerned(const stoa__redraft *r, const stoa__archetype *archetype) {
    for (uint32_t i = 0; i < r->draft_count; i++) {
        if (r->drafts[i].layout && stoa__archetype_column(archetype, r->drafts[i].id) != NULL) {
            return true;
        }
    }
    return false;
}

/* Takes as many chunks of a twin into use as its rows need. */
static void rows_claim(stoa__storage *storage, stoa__archetype *twin, uint32_t left) {
    while (left > 0) {
        stoa__archetype_extend(storage, twin);
        uint32_t capacity = (uint32_t)twin->head.chunk_capacity;
        uint32_t count = left < capacity ? left : capacity;
        twin->tail->count = (int32_t)count;
        left -= count;
    }
}

static stoa_status twin_make(stoa__redraft *r, stoa__archetype *archetype) {
    stoa__storage *storage = r->storage;
    if (!stoa__heap_grow(&storage->heap, &r->twins, &r->twin_capacity, r->twin_count + 1,
                         sizeof *r->twins)) {
        return stoa__error_memory("the archetypes of components");
    }
    stoa__archetype *twin = stoa__archetype_twin(storage, archetype);
    if (twin == NULL) {
        return stoa_last_error().status;
    }
    r->twins[r->twin_count++] = (stoa__twins){archetype, twin};
    uint32_t rows = stoa__archetype_rows(archetype);
    stoa_status status = rows > 0 ? stoa__archetype_reserve(storage, twin, rows) : STOA_OK;
    if (status == STOA_OK) {
        rows_claim(storage, twin, rows);
    }
    return status;
}

stoa_status stoa__redraft_room(stoa__redraft *r) {
    stoa__storage *storage = r->storage;
    stoa_status status = stoa__redraft_inside(r);
    stoa__redraft_show(r, true);
    for (uint32_t i = 0; i < storage->archetype_total && status == STOA_OK; i++) {
        if (archetype_concerned(r, storage->archetypes[i])) {
            status = twin_make(r, storage->archetypes[i]);
        }
    }
    for (uint32_t i = 0; i < r->draft_count && status == STOA_OK; i++) {
        stoa__draft *draft = &r->drafts[i];
        const stoa__sparse *set = stoa__component_at(storage, draft->id)->set;
        if (draft->layout && set != NULL) {
            draft->set_made = stoa__sparse_twin(&storage->heap, set, &draft->set);
            status = draft->set_made ? STOA_OK : stoa__error_memory("a sparse component");
        }
    }
    stoa__redraft_show(r, false);
    return status;
}

/* A walk over the rows of two archetypes at once: as many at a time as are side by side in both. */
typedef struct stretch {
    uint8_t *const *from; /* columns */
    uint8_t *const *to;
    uint32_t from_row; /* in its chunk */
    uint32_t to_row;
    uint32_t to_number; /* of the chunk in the world */
    uint32_t count;
    uint32_t next; /* row of the archetype */
} stretch;

static bool stretch_next(const stoa__archetype *from, const stoa__archetype *to, uint32_t rows,
                         stretch *s) {
    if (s->next >= rows) {
        return false;
    }
    uint32_t from_capacity = (uint32_t)from->head.chunk_capacity;
    uint32_t to_capacity = (uint32_t)to->head.chunk_capacity;
    const stoa_chunk *source = &from->head.chunks[s->next / from_capacity];
    const stoa_chunk *target = &to->head.chunks[s->next / to_capacity];
    s->from = source->columns;
    s->to = target->columns;
    s->to_number = target->number;
    s->from_row = s->next % from_capacity;
    s->to_row = s->next % to_capacity;
    uint32_t from_left = from_capacity - s->from_row, to_left = to_capacity - s->to_row;
    s->count = from_left < to_left ? from_left : to_left;
    s->count = s->count < rows - s->next ? s->count : rows - s->next;
    s->next += s->count;
    return true;
}

/* Calls for the values of one component in one archetype. */
static stoa_status column_visit(stoa__redraft *r, const stoa__twins *pair, stoa__draft *draft,
                                stoa__draft_fn call, void *user) {
    const stoa__archetype *before = r->swapped ? pair->twin : pair->live;
    const stoa__archetype *after = r->swapped ? pair->live : pair->twin;
    uint32_t rows = stoa__archetype_rows(pair->live);
    const stoa_column *from = stoa__archetype_column(before, draft->id);
    const stoa_column *to = stoa__archetype_column(after, draft->id);
    stretch s = {.next = 0};
    stoa_status status = STOA_OK;
    while (status == STOA_OK && from != NULL && to != NULL &&
           stretch_next(before, after, rows, &s)) {
        uint8_t *before_column = stoa_column_begin(s.from, from->index);
        uint8_t *after_column = stoa_column_begin(s.to, to->index);
        status = call(user, draft, before_column + (size_t)s.from_row * draft->before.size,
                      after_column + (size_t)s.to_row * draft->after.size, (int32_t)s.count);
    }
    return status;
}

stoa_status stoa__redraft_visit(stoa__redraft *r, stoa__draft_fn call, void *user) {
    stoa_status status = STOA_OK;
    for (uint32_t i = 0; i < r->draft_count && status == STOA_OK; i++) {
        stoa__draft *draft = &r->drafts[i];
        if (!draft->layout || draft->after.size == 0) {
            continue;
        }
        for (uint32_t k = 0; k < r->twin_count && status == STOA_OK; k++) {
            status = column_visit(r, &r->twins[k], draft, call, user);
        }
        const stoa__sparse *set = stoa__component_at(r->storage, draft->id)->set;
        if (status == STOA_OK && draft->set_made && set->count > 0) {
            uint8_t *before = r->swapped ? draft->set.values : set->values;
            uint8_t *after = r->swapped ? set->values : draft->set.values;
            status = call(user, draft, before, after, (int32_t)set->count);
        }
    }
    return status;
}

stoa_status stoa__redraft_each(const stoa__redraft *r, const stoa__draft *draft,
                               stoa_retype_fn call, void *user) {
    stoa_status status = STOA_OK;
    for (uint32_t i = 0; i < r->twin_count && status == STOA_OK; i++) {
        const stoa__archetype *live = r->twins[i].live, *twin = r->twins[i].twin;
        const stoa_column *column = stoa__archetype_column(twin, draft->id);
        for (stretch s = {.next = 0}; column != NULL && status == STOA_OK &&
                                      stretch_next(live, twin, stoa__archetype_rows(live), &s);) {
            uint8_t *values = stoa_column_begin(s.to, column->index);
            status = call(user, stoa_columns_entities(s.from) + s.from_row,
                          values + (size_t)s.to_row * draft->after.size, (int32_t)s.count);
        }
    }
    const stoa__sparse *set = stoa__component_at(r->storage, draft->id)->set;
    if (status == STOA_OK && draft->set_made && set->count > 0) {
        status = call(user, set->entities, draft->set.values, (int32_t)set->count);
    }
    return status;
}

/* The lane of an archetype that corresponds to one of its twin, or NULL. */
static const stoa__lane *lane_match(const stoa__archetype *archetype, const stoa__lane *lane) {
    for (uint32_t i = 0; i < archetype->lane_count; i++) {
        if (archetype->lanes[i].id == lane->id && archetype->lanes[i].kind == lane->kind) {
            return &archetype->lanes[i];
        }
    }
    return NULL;
}

/* Moves the columns over that are of the same form on both sides. */
static void lanes_transfer(const stoa__redraft *r, const stoa__archetype *from,
                           const stoa__archetype *to, uint32_t rows) {
    for (uint32_t i = 0; i < from->lane_count; i++) {
        const stoa__lane *lane = &from->lanes[i], *target = lane_match(to, lane);
        const stoa__draft *draft =
            lane->kind == STOA__LANE_DATA ? stoa__redraft_find(r, lane->id) : NULL;
        if (target == NULL || (draft != NULL && draft->layout)) {
            continue;
        }
        for (stretch s = {.next = 0}; stretch_next(from, to, rows, &s);) {
            stoa__component_move(
                lane->component, s.to[target->index] + (size_t)s.to_row * lane->size,
                s.from[lane->index] + (size_t)s.from_row * lane->size, (int32_t)s.count);
        }
    }
}

/* Makes each chunk as new as those that it receives rows of. */
static void states_transfer(const stoa__archetype *from, const stoa__archetype *to, uint32_t rows) {
    for (uint32_t i = 0; i < from->id_count; i++) {
        uint32_t source = stoa__archetype_column(from, from->ids[i])->index;
        uint32_t target = stoa__archetype_column(to, from->ids[i])->index;
        const stoa__lane *off = stoa__archetype_lane(to, from->ids[i], STOA__LANE_OFF);
        for (stretch s = {.next = 0}; stretch_next(from, to, rows, &s);) {
            stoa_column_state *state = stoa__state_of(s.to, target);
            const stoa_column_state *old = stoa__state_of(s.from, source);
            if (s.to_row == 0) {
                state->off = 0;
                STOA_STORE(&state->changed, STOA_LOAD(&old->changed));
                STOA_STORE(&state->added, STOA_LOAD(&old->added));
            } else {
                stoa__state_merge(state, old);
            }
            for (uint32_t k = 0; off != NULL && k < s.count; k++) {
                state->off += s.to[off->index][s.to_row + k];
            }
        }
    }
}

static void entities_transfer(const stoa__storage *storage, const stoa__archetype *from,
                              const stoa__archetype *to, uint32_t rows) {
    for (stretch s = {.next = 0}; stretch_next(from, to, rows, &s);) {
        const stoa_entity *source = stoa_columns_entities(s.from) + s.from_row;
        stoa_entity *target = stoa_columns_entities(s.to) + s.to_row;
        memcpy(target, source, s.count * sizeof *target);
        uint32_t place = s.to_number << STOA_PLACE_BITS | s.to_row;
        for (uint32_t i = 0; i < s.count; i++) {
            stoa__place_set(storage->head.records, target[i].index, place + i);
        }
    }
}

/* The chunks of an archetype lead to it. */
static void chunks_lead(stoa__storage *storage, stoa__archetype *archetype,
                        const stoa__archetype *other) {
    if (archetype->head.chunks == &other->first) {
        archetype->head.chunks = &archetype->first;
    }
    stoa__archetype_tail(archetype);
    for (int32_t i = 0; i < archetype->chunk_held; i++) {
        stoa_chunk *chunk = &archetype->head.chunks[i];
        if (chunk->columns == other->table + 1) {
            chunk->columns = archetype->table + 1;
        }
        storage->head.chunks[chunk->number] = (stoa_chunk_ref){chunk->columns, &archetype->head};
    }
}

/* Exchanges the contents of two blocks of the same size. */
static void blocks_exchange(uint8_t *a, uint8_t *b, size_t size) {
    for (size_t i = 0; i < size; i++) {
        uint8_t byte = a[i];
        a[i] = b[i];
        b[i] = byte;
    }
}

/* Exchanges two archetypes of the same set; their tables stay in their own blocks. */
static void archetypes_exchange(stoa__storage *storage, stoa__archetype *a, stoa__archetype *b) {
    stoa__archetype old = *a;
    blocks_exchange((uint8_t *)(void *)a, (uint8_t *)(void *)b, stoa__archetype_size(a));
    const stoa_column *columns = a->columns;
    a->columns = old.columns;
    b->columns = columns;
    b->lanes = a->lanes;
    a->lanes = old.lanes;
    b->ids = a->ids;
    a->ids = old.ids;
    a->version = b->version = ++storage->head.epoch;
    chunks_lead(storage, a, b);
    chunks_lead(storage, b, a);
    storage->ranks[a->index] = stoa__archetype_ranks(a);
    stoa__rows_moved(storage, a->index);
}

static void twins_exchange(stoa__redraft *r, const stoa__twins *pair) {
    uint32_t rows = stoa__archetype_rows(pair->live);
    lanes_transfer(r, pair->live, pair->twin, rows);
    states_transfer(pair->live, pair->twin, rows);
    entities_transfer(r->storage, pair->live, pair->twin, rows);
    archetypes_exchange(r->storage, pair->live, pair->twin);
}

void stoa__redraft_swap(stoa__redraft *r) {
    stoa__storage *storage = r->storage;
    stoa__redraft_show(r, r->swapped);
    stoa__archetype_limbo_free(storage);
    /* Edges know the sizes of components: they are worked out anew. */
    for (uint32_t i = 0; i < storage->archetype_total; i++) {
        stoa__edge_free_all(storage, storage->archetypes[i]);
    }
    memset(storage->hops, 0, sizeof storage->hops);
    for (uint32_t i = 0; i < r->twin_count; i++) {
        twins_exchange(r, &r->twins[i]);
    }
    for (uint32_t i = 0; i < r->draft_count; i++) {
        stoa__draft *draft = &r->drafts[i];
        if (draft->set_made) {
            stoa__sparse_exchange(&storage->heap, stoa__component_at(storage, draft->id)->set,
                                  &draft->set);
        }
    }
    r->swapped = !r->swapped;
    stoa__redraft_show(r, r->swapped);
    stoa__registry_forget_slots(storage, 1);
    storage->head.epoch++;
    storage->upheavals++;
}

void stoa__redraft_fini(stoa__redraft *r) {
    stoa__storage *storage = r->storage;
    stoa__redraft_show(r, r->swapped);
    for (uint32_t i = 0; i < r->twin_count; i++) {
        stoa__archetype_discard(storage, r->twins[i].twin);
    }
    for (uint32_t i = 0; i < r->draft_count; i++) {
        stoa__draft *draft = &r->drafts[i];
        if (draft->set_made) {
            stoa__sparse_twin_free(&storage->heap, &draft->set,
                                   r->swapped ? draft->before.alignment : draft->after.alignment);
        }
        stoa__registry_discard(storage, draft->other);
    }
    stoa__heap_grow_free(&storage->heap, r->drafts, r->draft_capacity, sizeof *r->drafts);
    stoa__heap_grow_free(&storage->heap, r->twins, r->twin_capacity, sizeof *r->twins);
}
