/* The world's tick, and what changed since one, by handle.
 *
 * Ticks are 32 bits and wrap. From time to time everything the world keeps is swept: a tick that is
 * older than STOA__TICK_AGE becomes that old, so that none grows so old that it looks new. */
#include "stoa/change.h"

#include "storage/entities.h"
#include "storage/registry.h"
#include "storage/row.h"
#include "storage/sparse.h"
#include "world/guard.h"
#include "world/world.h"

/* Ticks between two sweeps: with the age that is kept, less than half of the numbers. */
#define SWEEP_EVERY (STOA__TICK_AGE / 2)

uint32_t stoa_tick(const stoa_world *world) {
    if (world == NULL) {
        stoa__world_null(NULL, "world");
        return 0;
    }
    return world->storage.head.tick;
}

static uint32_t tick_clamp(uint32_t then, uint32_t tick) {
    return tick - then > STOA__TICK_AGE ? tick - STOA__TICK_AGE : then;
}

static void chunk_sweep(const stoa__storage *storage, const stoa__archetype *archetype,
                        const stoa_chunk *chunk) {
    uint32_t tick = storage->head.tick;
    stoa_mark *written = &storage->head.written[chunk->number];
    written->tick = tick_clamp(written->tick, tick);
    for (uint32_t i = 0; i < archetype->data_lanes + archetype->tag_count; i++) {
        stoa_column_state *state = stoa__state_number(archetype, chunk->columns, i);
        STOA_STORE(&state->changed, tick_clamp(STOA_LOAD(&state->changed), tick));
        STOA_STORE(&state->added, tick_clamp(STOA_LOAD(&state->added), tick));
    }
    for (uint32_t i = archetype->data_lanes; i < archetype->lane_count; i++) {
        const stoa__lane *lane = &archetype->lanes[i];
        uint32_t *ticks = (uint32_t *)(void *)chunk->columns[lane->index];
        for (int32_t row = 0; lane->kind != STOA__LANE_OFF && row < chunk->count; row++) {
            ticks[row] = tick_clamp(ticks[row], tick);
        }
    }
}

static void world_sweep(stoa_world *world) {
    const stoa__storage *storage = &world->storage;
    uint32_t tick = storage->head.tick;
    for (uint32_t i = 0; i < storage->archetype_count; i++) {
        const stoa__archetype *archetype = storage->archetypes[i];
        for (int32_t c = 0; c < archetype->head.chunk_count; c++) {
            chunk_sweep(storage, archetype, &archetype->head.chunks[c]);
        }
    }
    for (const stoa__component *c = storage->sparse_first; c != NULL; c = c->sparse_next) {
        stoa__sparse_sweep(c->set, tick, STOA__TICK_AGE);
    }
    stoa__resource_sweep(world, tick, STOA__TICK_AGE);
    stoa__log_sweep(world, tick, STOA__TICK_AGE);
    if (world->query_ops != NULL) {
        world->query_ops->sweep(world, tick, STOA__TICK_AGE);
    }
    world->swept = tick;
    world->storage.upheavals++;
}

void stoa__world_tick_step(stoa_world *world, uint32_t steps) {
    while (steps > 0) {
        uint32_t left = SWEEP_EVERY - (world->storage.head.tick - world->swept);
        uint32_t step = steps < left ? steps : left;
        world->storage.head.tick += step;
        steps -= step;
        if (step == left) {
            world_sweep(world);
        }
    }
}

uint32_t stoa_tick_advance(stoa_world *world) {
    if (world == NULL) {
        stoa__world_null(NULL, "world");
        return 0;
    }
    stoa__world_tick_step(world, 1);
    return world->storage.head.tick;
}

/* When an entity's component was written, or added if `added`; false if it has none. */
static bool tick_find(const stoa_world *world, stoa_entity e, stoa_component id, bool added,
                      uint32_t *tick) {
    if (world == NULL || !stoa__component_known(&world->storage, id)) {
        return false;
    }
    const stoa__storage *storage = &world->storage;
    const stoa_record *record = stoa__entities_find(storage, e);
    if (record == NULL) {
        return false;
    }
    const stoa__sparse *set = stoa__component_at(storage, id)->set;
    if (set != NULL) {
        uint32_t position = stoa__sparse_find(set, e.index);
        if (position != STOA__NONE) {
            *tick = added ? set->added[position] : STOA_LOAD(&set->changed[position]);
        }
        return position != STOA__NONE;
    }
    uint32_t place = stoa__place_of(storage, e.index);
    const stoa__archetype *archetype = stoa__row_archetype(storage, place);
    const stoa_column *column = stoa__archetype_column(archetype, id);
    if (column == NULL) {
        return false;
    }
    stoa__row row = stoa__row_at(storage, place);
    const stoa__lane *lane =
        stoa__archetype_lane(archetype, id, added ? STOA__LANE_ADDED : STOA__LANE_CHANGED);
    if (lane != NULL) {
        memcpy(tick, stoa__row_item(row, lane->index, lane->size), sizeof *tick);
    } else {
        const stoa_column_state *state = stoa__state_of(row.columns, column->index);
        *tick = added ? STOA_LOAD(&state->added) : STOA_LOAD(&state->changed);
    }
    return true;
}

bool stoa_changed_id(const stoa_world *world, stoa_entity e, stoa_component id, uint32_t since) {
    uint32_t tick;
    return tick_find(world, e, id, false, &tick) && stoa__guard_allows(world, id, false) &&
           stoa_tick_newer(tick, since);
}

bool stoa_added_id(const stoa_world *world, stoa_entity e, stoa_component id, uint32_t since) {
    uint32_t tick;
    return tick_find(world, e, id, true, &tick) && stoa__guard_allows(world, id, false) &&
           stoa_tick_newer(tick, since);
}

bool stoa_changed_type(const stoa_world *world, stoa_entity e, stoa_type *type, uint32_t since) {
    return stoa_changed_id(world, e, stoa_type_find(world, type), since);
}

bool stoa_added_type(const stoa_world *world, stoa_entity e, stoa_type *type, uint32_t since) {
    return stoa_added_id(world, e, stoa_type_find(world, type), since);
}
