/* Comparing a world with the reference: one entity, or all that can be seen from outside.
 *
 * Entities are compared by handle, component by component; storage through the read-only view; kept
 * queries by count. */
#include "run.h"

#include <stdlib.h>

void run_compare_being(run *r, being *b) {
    const stoa_world *w = r->s.world;
    unsigned index = (unsigned)b->handle.index;
    unsigned generation = (unsigned)b->handle.generation;
    run_check(r, stoa_alive(w, b->handle) == b->alive, "%uv%u is %s", index, generation,
              b->alive ? "dead, expected alive" : "alive, expected dead");
    for (int type = 0; b->alive && type < TYPE_COUNT; type++) {
        const model_type *t = &model_types[type];
        bool has = (b->has >> type & 1) != 0;
        bool on = has && !(b->off >> type & 1);
        run_check(r, stoa_has_id(w, b->handle, r->ids[type]) == has, "%uv%u %s %s", index,
                  generation, has ? "lacks" : "has", t->name);
        run_check(r, stoa_enabled_id(w, b->handle, r->ids[type]) == on, "%uv%u has %s %s", index,
                  generation, t->name, on ? "switched off" : "switched on");
        if (!has || t->size == 0 || r->failed) {
            continue;
        }
        const void *found = stoa_try_get_id(w, b->handle, r->ids[type]);
        if (run_check(r, found != NULL, "%uv%u: %s has no place", index, generation, t->name)) {
            run_check(r, (uintptr_t)found % t->alignment == 0, "%uv%u: %s is not aligned", index,
                      generation, t->name);
            run_check(r, model_value_equal(type, found, reference_value(b, type)),
                      "%uv%u: %s has another value", index, generation, t->name);
        }
    }
}

/* Every living entity is met once, in index order. */
static void compare_order(run *r) {
    int32_t count = 0;
    uint32_t last = 0;
    stoa_entity e = stoa_entity_next(r->s.world, STOA_NULL);
    while (!stoa_entity_is_null(e) && count <= r->ref.live_count && !r->failed) {
        run_check(r, e.index > last, "stoa_entity_next steps back");
        run_check(r, reference_find(&r->ref, e) != NULL, "stoa_entity_next gives %uv%u",
                  (unsigned)e.index, (unsigned)e.generation);
        last = e.index;
        count++;
        e = stoa_entity_next(r->s.world, e);
    }
    run_check(r, count == r->ref.live_count, "stoa_entity_next gives %d entities, expected %d",
              (int)count, (int)r->ref.live_count);
}

/* The set of types that an archetype's sorted ids are. */
static uint32_t archetype_set(run *r, const stoa_archetype_info *info) {
    uint32_t set = 0;
    for (int32_t i = 0; i < info->component_count; i++) {
        run_check(r, i == 0 || info->components[i - 1] < info->components[i],
                  "archetype %d is not sorted", (int)info->id);
        for (int type = 0; type < TYPE_COUNT; type++) {
            if (r->ids[type] == info->components[i]) {
                set |= 1u << type;
            }
        }
    }
    return set;
}

static int32_t archetype_compare(run *r, const stoa_archetype_info *info, uint32_t set) {
    int32_t rows = 0;
    for (int32_t c = 0; c < info->chunk_count && !r->failed; c++) {
        stoa_chunk_info chunk;
        if (!run_check(r, stoa_chunk_info_get(r->s.world, info->id, c, &chunk) == STOA_OK,
                       "stoa_chunk_info_get fails")) {
            return rows;
        }
        for (int32_t i = 0; i < chunk.count; i++) {
            const being *b = reference_find(&r->ref, chunk.entities[i]);
            run_check(r, b != NULL && (b->has & ~TYPE_SPARSES) == set,
                      "archetype %d holds a wrong entity", (int)info->id);
        }
        rows += chunk.count;
        for (int type = 0; type < TYPE_COUNT; type++) {
            if (set >> type & 1 && model_types[type].size > 0) {
                const void *column = stoa_chunk_column(r->s.world, info->id, c, r->ids[type]);
                run_check(r, column != NULL && (uintptr_t)column % 64 == 0,
                          "the column of %s is not there or not aligned", model_types[type].name);
            }
        }
    }
    run_check(r, info->component_count == 0 || rows == info->row_count,
              "archetype %d has %d rows, says %d", (int)info->id, (int)rows, (int)info->row_count);
    return rows;
}

/* No two archetypes have the same set, and each entity with components has one row. */
static void compare_storage(run *r) {
    /* Which archetypes a run has met, by their sets: the number of this comparison. */
    static uint32_t met[TYPE_ALL + 1];
    static uint32_t number;
    number++;
    int32_t rows = 0;
    for (int32_t i = 0; i < stoa_archetype_count(r->s.world) && !r->failed; i++) {
        stoa_archetype_info info;
        if (!run_check(r, stoa_archetype_info_get(r->s.world, i, &info) == STOA_OK,
                       "stoa_archetype_info_get fails")) {
            return;
        }
        uint32_t set = archetype_set(r, &info);
        run_check(r, met[set] != number, "two archetypes have the same components");
        run_check(r, (set & TYPE_SPARSES) == 0, "an archetype has a sparse component");
        met[set] = number;
        if (set != 0) {
            rows += archetype_compare(r, &info, set);
        }
    }
    int32_t expected = 0;
    for (int32_t i = 0; i < r->ref.live_count; i++) {
        expected += (r->ref.items[r->ref.live[i]].has & ~TYPE_SPARSES) != 0 ? 1 : 0;
    }
    run_check(r, rows == expected, "%d rows, expected %d", (int)rows, (int)expected);
    stoa_statistics stats = stoa_stats(r->s.world);
    run_check(r, stats.rows == expected && stats.entities == r->ref.live_count,
              "stoa_stats counts %d rows and %d entities", (int)stats.rows, (int)stats.entities);
    run_check(r, stats.bytes_reserved == r->s.heap.bytes, "%zu bytes reserved, %zu handed out",
              stats.bytes_reserved, r->s.heap.bytes);
}

/* The sets of sparse components hold whoever has them, once, beside the value. */
static void compare_sparse(run *r) {
    for (int type = 0; type < TYPE_COUNT && !r->failed; type++) {
        if (!(TYPE_SPARSES >> type & 1)) {
            continue;
        }
        stoa_sparse_info info;
        int32_t expected = 0;
        for (int32_t i = 0; i < r->ref.live_count; i++) {
            expected += (int32_t)(r->ref.items[r->ref.live[i]].has >> type & 1);
        }
        if (!run_check(r, stoa_sparse_info_get(r->s.world, r->ids[type], &info) == STOA_OK,
                       "stoa_sparse_info_get fails")) {
            return;
        }
        run_check(r, info.count == expected, "%d entities have %s, expected %d", (int)info.count,
                  model_types[type].name, (int)expected);
        r->walk++;
        for (int32_t i = 0; i < info.count && !r->failed; i++) {
            being *b = reference_find(&r->ref, info.entities[i]);
            if (!run_check(r, b != NULL && b->has >> type & 1 && b->seen != r->walk,
                           "a set of %s holds a wrong entity", model_types[type].name)) {
                return;
            }
            b->seen = r->walk;
            size_t size = model_types[type].size;
            run_check(r,
                      size == 0 ||
                          model_value_equal(type, (const uint8_t *)info.values + (size_t)i * size,
                                            reference_value(b, type)),
                      "a set of %s holds another value", model_types[type].name);
        }
    }
}

static void compare_queries(run *r) {
    for (int slot = 0; slot < TRACE_QUERIES; slot++) {
        if (r->queries[slot] == NULL) {
            continue;
        }
        query_shape shape = reference_shape(&r->query_ops[slot]);
        amount expected = reference_amount(&r->ref, &shape, r->query_runs[slot]);
        int32_t count = stoa_query_count(r->queries[slot]);
        run_check(r, count >= expected.least && count <= expected.most,
                  "query \"%s\" matches %d entities, expected %d to %d",
                  stoa_query_name(r->queries[slot]), (int)count, (int)expected.least,
                  (int)expected.most);
    }
}

/* The hash sees every byte of every field, and none of the padding. */
static void compare_hash(run *r) {
    uint64_t hash = stoa_hash(r->s.world);
    if (r->ref.live_count == 0) {
        return;
    }
    being *b = &r->ref.items[r->ref.live[hash % (uint32_t)r->ref.live_count]];
    for (int type = 0; type < TYPE_COUNT; type++) {
        uint32_t size = model_types[type].size;
        if (!(b->has >> type & 1) || size == 0 || model_types[type].owner != 0 || r->failed) {
            continue;
        }
        /* Not by a mutable get, which would mark it. */
        uint8_t *bytes = (uint8_t *)(uintptr_t)stoa_try_get_id(r->s.world, b->handle, r->ids[type]);
        uint32_t at = (uint32_t)(hash >> 32) % size;
        bool padding = type == TYPE_PADDED && ((at > 0 && at < 8) || at >= 20);
        bytes[at] ^= 0x10;
        run_check(r, (stoa_hash(r->s.world) == hash) == padding, "byte %u of %s is %s the hash",
                  (unsigned)at, model_types[type].name, padding ? "in" : "not in");
        bytes[at] ^= 0x10;
    }
    run_check(r, stoa_hash(r->s.world) == hash, "the hash is not the same twice");
}

/* Ticks, some of them; switching shows in the hash. */
static void compare_switches(run *r) {
    for (int32_t i = 0; i < r->ref.live_count && !r->failed; i++) {
        being *b = &r->ref.items[r->ref.live[i]];
        uint32_t set = b->has & TYPE_SWITCHES;
        if (set == 0 || r->ref.watcher_count > 0) {
            continue;
        }
        int type = 0;
        while (!(set >> type & 1)) {
            type++;
        }
        bool on = !(b->off >> type & 1);
        uint64_t hash = stoa_hash(r->s.world);
        run_check(r,
                  stoa_enable_id(r->s.world, b->handle, r->ids[type], !on) == STOA_OK &&
                      stoa_hash(r->s.world) != hash,
                  "switching %s does not show in the hash", model_types[type].name);
        run_check(r,
                  stoa_enable_id(r->s.world, b->handle, r->ids[type], on) == STOA_OK &&
                      stoa_hash(r->s.world) == hash,
                  "switching %s back does not give the hash back", model_types[type].name);
        /* Switched on once, in whichever order. */
        reference_mark(&r->ref, b, type);
        return;
    }
}

void run_compare(run *r) {
    for (int32_t i = 0; i < r->ref.live_count && !r->failed; i++) {
        being *b = &r->ref.items[r->ref.live[i]];
        run_compare_being(r, b);
        /* Of many, each is asked for one tick of two. */
        if (r->ref.live_count < 30 || i % 2 == 0) {
            run_compare_ticks(r, b, 1, false);
        }
        if (r->ref.live_count < 30 || i % 2 == 1) {
            run_compare_ticks(r, b, 8, false);
        }
    }
    int32_t step = r->ref.count / 256 + 1;
    for (int32_t i = 0; i < r->ref.count && !r->failed; i += step) {
        const being *b = &r->ref.items[i];
        run_check(r, stoa_alive(r->s.world, b->handle) == b->alive, "a stale handle is alive");
    }
    compare_order(r);
    compare_storage(r);
    compare_sparse(r);
    compare_queries(r);
    run_compare_resources(r);
    for (int type = -1; type < TYPE_COUNT && !r->failed; type++) {
        run_compare_log(r, type, 5 + (uint32_t)(type + 1) % 3);
    }
    if (!r->failed) {
        compare_hash(r);
        compare_switches(r);
    }
    run_check(r, stoa_check(r->s.world) == STOA_OK, "stoa_check: %s", stoa_last_error().message);
}
