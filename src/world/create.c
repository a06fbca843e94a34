/* Creating entities, one at a time.
 *
 * A creation reserves a slot of the entity table and a row before it commits to either, so lack of
 * memory changes nothing. Entities without components have no row: their place is chunk 0. Bundles
 * are remembered by the descriptors they were given with, so that one met before is placed without
 * a look-up. */
#include "storage/entities.h"
#include "storage/sparse.h"
#include "world/react.h"

#define FRONT_IS(member)                                                                           \
    (offsetof(stoa_world_front, member) == offsetof(stoa__storage, member) &&                      \
     sizeof((stoa_world_front){0}.member) == sizeof((stoa__storage){0}.member))

_Static_assert(FRONT_IS(head) && FRONT_IS(record_capacity) && FRONT_IS(free_first) &&
                   FRONT_IS(free_count) && FRONT_IS(rows) && FRONT_IS(bundles) &&
                   offsetof(stoa_archetype_front, tail) == offsetof(stoa__archetype, tail),
               "what stoa_create_with knows of the world is where it is");

/* Gives a place to a new entity, or to the one whose slot is held. */
STOA__INLINE stoa_entity slot_settle(stoa__storage *storage, stoa_entity held, uint32_t place) {
    if (STOA_LIKELY(held.index == 0)) {
        return stoa__entities_take(storage, place);
    }
    stoa__entities_live(storage, held, place);
    return held;
}

/* An entity without components comes to life, told; `held` is the slot to use, if any. */
STOA__COLD static stoa_entity create_empty(stoa_world *world, stoa_entity held) {
    stoa__storage *storage = &world->storage;
    stoa_status status = stoa__hook_room(world);
    if (status != STOA_OK) {
        stoa__world_report(world, status);
        return STOA_NULL;
    }
    storage->empty_count++;
    stoa_entity e = slot_settle(storage, held, 0);
    stoa__react_cloned(world, e);
    return e;
}

/* stoa_create for whatever is not quick. */
STOA__APART static stoa_entity create_checked(stoa_world *world) {
    if (stoa__world_may_change(world) != STOA_OK) {
        return STOA_NULL;
    }
    stoa__storage *storage = &world->storage;
    if (!stoa__entities_ready(storage)) {
        stoa_status status = stoa__entities_reserve(storage, 1);
        if (status != STOA_OK) {
            stoa__world_report(world, status);
            return STOA_NULL;
        }
    }
    if (storage->watch_all) {
        return create_empty(world, STOA_NULL);
    }
    storage->empty_count++;
    return stoa__entities_take(storage, 0);
}

stoa_entity stoa_create(stoa_world *world) {
    if (!STOA_LIKELY(world != NULL && world->storage.head.open == 0 && !world->storage.heeded &&
                     stoa__entities_ready(&world->storage))) {
        return create_checked(world);
    }
    world->storage.empty_count++;
    return stoa__entities_take_bare(&world->storage, 0);
}

/* A raw row of the archetype and a slot to go with it; nothing has changed on error. */
STOA__INLINE stoa_status entity_row(stoa__storage *storage, stoa__archetype *archetype,
                                    stoa__row *row) {
    if (!STOA_LIKELY(stoa__entities_ready(storage))) {
        stoa_status status = stoa__entities_reserve(storage, 1);
        if (status != STOA_OK) {
            return status;
        }
    }
    return stoa__row_append(storage, archetype, row);
}

/* Gives a row that is filled in to a new entity. */
STOA__INLINE stoa_entity entity_settle(stoa__storage *storage, stoa_entity held, stoa__row row) {
    stoa_entity e = slot_settle(storage, held, row.place);
    *stoa__row_entity(row) = e;
    return e;
}

/* Where a bundle is remembered that starts with a descriptor. */
STOA__INLINE uint32_t bundle_number(const stoa_type *first, int32_t count) {
    return stoa_bundle_at(first, count) / (uint32_t)sizeof(stoa_bundle);
}

/* The bundle remembered for these values, known again by the slots of their descriptors; NULL if it
 * is another. */
STOA__INLINE stoa__bundle *bundle_recall(const stoa_world *world, const stoa_value *values,
                                         int32_t count) {
    if (!STOA_LIKELY((uint32_t)count <= STOA__BUNDLE_SHORT && values != NULL &&
                     values[0].type != NULL)) {
        return NULL;
    }
    stoa__bundle *bundle =
        (stoa__bundle *)(uintptr_t)&world->bundles[bundle_number(values[0].type, count)];
    if (!STOA_LIKELY(bundle->count == count)) {
        return NULL;
    }
    for (int32_t i = 0; i < count; i++) {
        const stoa_type *type = values[i].type;
        if (!STOA_LIKELY(type != NULL && values[i].op == STOA_PUT &&
                         STOA_LOAD(&type->slot) == bundle->slots[i])) {
            return NULL;
        }
    }
    return bundle;
}

/* Where a bundle of described types is to be remembered, and the slots of its descriptors;
 * STOA__NONE if it is not to be. */
static uint32_t bundle_note(const stoa_value *values, int32_t count, uint32_t *slots) {
    if (count > STOA__BUNDLE_SHORT) {
        return STOA__NONE;
    }
    for (int32_t i = 0; i < count; i++) {
        if (values[i].type == NULL) {
            return STOA__NONE;
        }
        slots[i] = STOA_LOAD(&values[i].type->slot);
    }
    return bundle_number(values[0].type, count);
}

/* Remembers a bundle. Where its values go is read when it is next used. */
static void bundle_remember(stoa_world *world, uint32_t at, const uint32_t *slots, int32_t count,
                            stoa__edge *edge) {
    stoa__bundle *bundle = &world->bundles[at];
    memcpy(bundle->slots, slots, (size_t)count * sizeof *slots);
    bundle->edge = edge;
    bundle->count = count;
    bundle->epoch = world->storage.head.epoch - 1;
    world->storage.bundles[at] = (stoa_bundle){.sizes = 0};
}

/* Lets stoa_create_with know of a bundle that was read in this epoch, if it can make use of it. */
static void bundle_show(const stoa__storage *storage, const stoa__bundle *bundle,
                        stoa_bundle *shown) {
    const stoa__edge *edge = bundle->edge;
    stoa_chunk *tail = edge->target->tail;
    *shown = (stoa_bundle){.epoch = storage->head.epoch,
                           .target = (stoa_archetype_front *)(void *)edge->target,
                           .chunk = tail,
                           .entities = tail->columns[0],
                           .capacity = edge->target->head.chunk_capacity,
                           .rows = &storage->rows[edge->target->index]};
    uint32_t sizes = (uint32_t)bundle->count << 24;
    sizes |= storage->record_stamps != NULL ? STOA_SIZES_STAMPED : 0;
    if (bundle->count > STOA_CREATE_FEW || !edge->plain || edge->rich || edge->watched) {
        return;
    }
    for (int32_t i = 0; i < bundle->count; i++) {
        uint32_t size = bundle->puts[i].size;
        if (size % 4 != 0 || size > STOA_WORDS_SIZE) {
            return;
        }
        shown->slots[i] = bundle->slots[i];
        shown->columns[i] = stoa_column_begin(tail->columns, bundle->puts[i].to);
        sizes |= size << 8 * i;
    }
    shown->sizes = sizes;
}

/* Reads anew where the values of a bundle go: to the last chunk of an archetype that has rows. */
STOA__COLD static void bundle_refresh(stoa_world *world, stoa__bundle *bundle) {
    stoa__storage *storage = &world->storage;
    stoa__edge *edge = bundle->edge;
    stoa__edge_ready(storage, edge);
    for (int32_t i = 0; i < bundle->count; i++) {
        stoa_component id = STOA_LOAD(&storage->registry.slot_ids[bundle->slots[i]]);
        uint32_t at = 0;
        while (edge->key[at] != id) {
            at++;
        }
        bundle->puts[i] = edge->puts[at];
    }
    bundle->epoch = storage->head.epoch;
    bundle_show(storage, bundle, &storage->bundles[bundle - world->bundles]);
}

stoa_status stoa__bundles_check(const stoa_world *world) {
    const stoa__storage *storage = &world->storage;
    for (uint32_t i = 0; i < STOA_BUNDLES; i++) {
        const stoa__bundle *bundle = &world->bundles[i];
        const stoa_bundle *shown = &storage->bundles[i];
        if (shown->sizes == 0 || shown->epoch != storage->head.epoch ||
            shown->chunk != bundle->edge->target->tail) {
            continue;
        }
        stoa_bundle right;
        bundle_show(storage, bundle, &right);
        bool good = bundle->epoch == shown->epoch && memcmp(&right, shown, sizeof right) == 0;
        for (int32_t k = 0; good && k < bundle->count; k++) {
            stoa_component id = STOA_LOAD(&storage->registry.slot_ids[bundle->slots[k]]);
            const stoa_column *column = stoa__archetype_column(bundle->edge->target, id);
            good = column != NULL && column->index == bundle->puts[k].to &&
                   stoa__component_at(storage, id)->info.size == bundle->puts[k].size;
        }
        if (!good) {
            return stoa__error(STOA_CORRUPT, "bundle %u is not as it is remembered", i);
        }
    }
    return STOA_OK;
}

/* The edge that leads from nothing to the columns of a bundle; NULL with the thread's error set. */
static stoa__edge *bundle_edge(stoa__storage *storage, const stoa__values *bundle) {
    return stoa__edge_get(storage, storage->archetypes[0], bundle->key, bundle->count,
                          bundle->hash);
}

/* Room for the sparse components of a bundle, for an entity that will have that index. */
static stoa_status sparse_reserve(stoa_world *world, const stoa__values *bundle, uint32_t index) {
    for (uint32_t i = bundle->count; i < stoa__values_total(bundle); i++) {
        stoa__sparse *set = stoa__component_at(&world->storage, bundle->key[i])->set;
        if (!stoa__sparse_reserve(&world->storage.heap, set, index, 1)) {
            return stoa__error_memory("a sparse component");
        }
    }
    return STOA_OK;
}

static void sparse_write(stoa_world *world, const stoa__values *bundle, const stoa_value *values,
                         stoa_entity e) {
    for (uint32_t i = bundle->count; i < stoa__values_total(bundle); i++) {
        stoa__sparse *set = stoa__component_at(&world->storage, bundle->key[i])->set;
        uint32_t position = stoa__sparse_insert(set, e, world->storage.head.tick);
        uint32_t size = set->component->info.size;
        if (size != 0) {
            stoa__value_write(set->component, stoa__sparse_value(set, position),
                              values[bundle->source[i]].data, size);
        }
    }
}

/* Everything that creating with a bundle needs; on error nothing has changed. Without columns
 * `edge` is NULL and there is no row. */
static stoa_status bundle_prepare(stoa_world *world, const stoa__values *bundle, stoa_entity held,
                                  stoa__edge **edge, stoa__row *row) {
    stoa__storage *storage = &world->storage;
    *edge = NULL;
    if (bundle->count > 0) {
        *edge = bundle_edge(storage, bundle);
        if (*edge == NULL) {
            return stoa_last_error().status;
        }
    }
    stoa_status status = held.index != 0 ? STOA_OK : stoa__entities_reserve(storage, 1);
    if (status == STOA_OK) {
        uint32_t index = held.index != 0 ? held.index : stoa__entities_next(storage);
        status = sparse_reserve(world, bundle, index);
    }
    if (status == STOA_OK && *edge != NULL) {
        status = stoa__row_append(storage, (*edge)->target, row);
    }
    return status;
}

/* Creates with a bundle of any kind; STOA_NULL with the failure reported. */
static stoa_entity create_any(stoa_world *world, const stoa__values *bundle,
                              const stoa_value *values, stoa_entity held) {
    stoa__storage *storage = &world->storage;
    stoa__effect effect;
    stoa__edge *edge;
    stoa__row row = {.place = 0};
    stoa__effect_read(world, STOA_NULL, bundle, values, true, &effect);
    stoa_status status = stoa__effect_room(world, &effect);
    if (status == STOA_OK) {
        status = stoa__react_ask(world, STOA_NULL, bundle, values, 1);
    }
    if (status == STOA_OK) {
        status = bundle_prepare(world, bundle, held, &edge, &row);
    }
    if (status != STOA_OK) {
        stoa__extension_unmade(world, status);
        return STOA_NULL;
    }
    stoa_entity e;
    if (edge != NULL) {
        stoa__edge_ready(storage, edge);
        for (uint32_t i = 0; i < bundle->count; i++) {
            stoa__value_put(edge, &edge->puts[i], row, values[bundle->source[i]].data);
        }
        stoa__edge_mark(storage, edge, row);
        e = entity_settle(storage, held, row);
    } else {
        storage->empty_count++;
        e = slot_settle(storage, held, 0);
    }
    sparse_write(world, bundle, values, e);
    stoa__effect_after(world, e, &effect);
    return e;
}

/* stoa_create_values for a bundle that is not remembered, or fails. */
STOA__COLD static stoa_entity create_long(stoa_world *world, const stoa_value *values,
                                          int32_t count, stoa_entity held) {
    stoa__values bundle;
    stoa_status status = stoa__values_read(world, values, count, STOA__VALUES_CREATE, &bundle);
    if (status != STOA_OK) {
        stoa__world_report(world, status);
        return STOA_NULL;
    }
    /* Hooks of the new entity may free the values, as those of a prefab. */
    uint32_t slots[STOA__BUNDLE_SHORT];
    uint32_t at = bundle_note(values, count, slots);
    stoa_entity e = create_any(world, &bundle, values, held);
    if (e.index != 0 && at != STOA__NONE && bundle.sparse_count == 0 && bundle.count > 0) {
        bundle_remember(world, at, slots, count, bundle_edge(&world->storage, &bundle));
    }
    return e;
}

stoa_status stoa__world_birth(stoa_world *world, stoa_entity e, const stoa_value *values,
                              int32_t count) {
    stoa_status status = stoa__world_may_change(world);
    if (status != STOA_OK) {
        return status;
    }
    if (count == 0 && !world->storage.watch_all) {
        world->storage.empty_count++;
        stoa__entities_live(&world->storage, e, 0);
        return STOA_OK;
    }
    stoa_entity made = count == 0 ? create_empty(world, e) : create_long(world, values, count, e);
    return made.index != 0 ? STOA_OK : stoa_last_error().status;
}

stoa_entity stoa_create_values(stoa_world *world, const stoa_value *values, int32_t count) {
    if (!STOA_LIKELY(count != 0)) {
        return stoa_create(world);
    }
    if (stoa__world_may_change(world) != STOA_OK) {
        return STOA_NULL;
    }
    stoa__bundle *bundle = bundle_recall(world, values, count);
    if (!STOA_LIKELY(bundle != NULL && !bundle->edge->watched)) {
        return create_long(world, values, count, STOA_NULL);
    }
    stoa__storage *storage = &world->storage;
    const stoa__edge *edge = bundle->edge;
    stoa__row row;
    stoa_status status = entity_row(storage, edge->target, &row);
    if (!STOA_LIKELY(status == STOA_OK)) {
        stoa__world_report(world, status);
        return STOA_NULL;
    }
    if (!STOA_LIKELY(bundle->epoch == storage->head.epoch &&
                     storage->bundles[bundle - world->bundles].chunk == edge->target->tail)) {
        bundle_refresh(world, bundle);
    }
    for (int32_t i = 0; i < count; i++) {
        stoa__value_put(edge, &bundle->puts[i], row, values[i].data);
        stoa__state_mark(stoa__state_of(row.columns, bundle->puts[i].to), storage->head.tick, true);
    }
    if (!STOA_LIKELY(!edge->rich)) {
        stoa__edge_mark(storage, edge, row);
    }
    return entity_settle(storage, STOA_NULL, row);
}

/* A component of a small bundle. */
typedef struct piece {
    stoa_type *type;
    const void *data;
} piece;

/* Bundles given in pieces that are not quick: put together for the general way. They take what the
 * public functions take, so that those can end in a jump and need not save a register. */
STOA__APART static stoa_entity create_one_any(stoa_world *world, stoa_type *type,
                                              const void *data) {
    const stoa_value values[1] = {{.type = type, .data = data}};
    return stoa_create_values(world, values, 1);
}

STOA__APART static stoa_entity create_two_any(stoa_world *world, stoa_type *first,
                                              const void *first_data, stoa_type *second,
                                              const void *second_data) {
    const stoa_value values[2] = {{.type = first, .data = first_data},
                                  {.type = second, .data = second_data}};
    return stoa_create_values(world, values, 2);
}

STOA__APART static stoa_entity create_three_any(stoa_world *world, stoa_type *first,
                                                const void *first_data, stoa_type *second,
                                                const void *second_data, stoa_type *third,
                                                const void *third_data) {
    const stoa_value values[STOA_CREATE_FEW] = {{.type = first, .data = first_data},
                                                {.type = second, .data = second_data},
                                                {.type = third, .data = third_data}};
    return stoa_create_values(world, values, STOA_CREATE_FEW);
}

/* True if the piece is the one remembered and has a value. */
STOA__INLINE bool piece_known(const stoa_bundle *bundle, int32_t i, piece p) {
    return STOA_LIKELY(p.type != NULL && p.data != NULL &&
                       STOA_LOAD(&p.type->slot) == bundle->slots[i]);
}

/* Copies the value of a bundle of words into its row. A tag has none, but is marked, too. */
STOA__INLINE void piece_write(const stoa_bundle *bundle, int32_t i, stoa_room room, piece p,
                              uint64_t ticks) {
    size_t size = bundle->sizes >> 8 * i & 0xFF;
    uint8_t *column = bundle->columns[i];
    stoa_column_fresh(column, ticks);
    stoa__value_words(column + room.row * size, p.data, size);
}

/* Makes an entity with a remembered bundle, without a call; false, and nothing done, if it must go
 * the general way. `count` is a constant. */
STOA__INLINE bool create_few(stoa_world *world, int32_t count, piece a, piece b, piece c,
                             stoa_entity *e) {
    if (!STOA_LIKELY(world != NULL && a.type != NULL)) {
        return false;
    }
    stoa__storage *storage = &world->storage;
    stoa_world_front *front = (stoa_world_front *)(void *)world;
    const stoa_bundle *bundle = &storage->bundles[bundle_number(a.type, count)];
    stoa_room room;
    if (!STOA_LIKELY((bundle->sizes & ~STOA_SIZES_STAMPED) >> 24 == (uint32_t)count &&
                     bundle->epoch == storage->head.epoch && storage->head.open == 0 &&
                     piece_known(bundle, 0, a) && (count < 2 || piece_known(bundle, 1, b)) &&
                     (count < 3 || piece_known(bundle, 2, c)) && stoa_room_find(bundle, &room))) {
        return false;
    }
    /* The row is settled before it is filled in: a value that is written might be, for all the
     * compiler knows, any word of the world, which it would read anew. */
    uint64_t ticks = STOA_JOIN(storage->head.tick, storage->head.tick);
    if (!STOA_LIKELY(stoa_room_take(front, bundle, &room, e))) {
        return false;
    }
    stoa__record_stamp(storage, e->index);
    piece_write(bundle, 0, room, a, ticks);
    if (count > 1) {
        piece_write(bundle, 1, room, b, ticks);
    }
    if (count > 2) {
        piece_write(bundle, 2, room, c, ticks);
    }
    return true;
}

stoa_entity stoa_create_one(stoa_world *world, stoa_type *type, const void *data) {
    stoa_entity e;
    return create_few(world, 1, (piece){type, data}, (piece){NULL, NULL}, (piece){NULL, NULL}, &e)
               ? e
               : create_one_any(world, type, data);
}

stoa_entity stoa_create_two(stoa_world *world, stoa_type *first, const void *first_data,
                            stoa_type *second, const void *second_data) {
    stoa_entity e;
    return create_few(world, 2, (piece){first, first_data}, (piece){second, second_data},
                      (piece){NULL, NULL}, &e)
               ? e
               : create_two_any(world, first, first_data, second, second_data);
}

stoa_entity stoa_create_three(stoa_world *world, stoa_type *first, const void *first_data,
                              stoa_type *second, const void *second_data, stoa_type *third,
                              const void *third_data) {
    stoa_entity e;
    return create_few(world, 3, (piece){first, first_data}, (piece){second, second_data},
                      (piece){third, third_data}, &e)
               ? e
               : create_three_any(world, first, first_data, second, second_data, third, third_data);
}
