/* Whether an index agrees with itself and with its world; a part of stoa_check.
 *
 * Every entity in the table has its key on a page, and has the component; every entity that has the
 * component has a key, and where nothing was written in place since the index last looked, its
 * value has that key. Both are as many. Reads only. O(entities of the component). */
#include "model/index.h"

#include "stoa/change.h"
#include "stoa/guard.h"
#include "stoa/view.h"

static stoa_status index_broken(const stoa_index *index, stoa_entity e, const char *what) {
    return stoa__error(STOA_CORRUPT, "index '%s': entity %uv%u %s", index->name, e.index,
                       e.generation, what);
}

/* STOA_OK if an entity of the table has that key on its page, and the component. */
static stoa_status packed_check(const stoa_index *index, uint64_t packed, uint64_t key) {
    stoa_entity e = stoa__entity_unpacked(packed);
    const stoa__page *page = stoa__index_page(index, e.index);
    if (page == NULL || !stoa__page_used(page, e.index) ||
        stoa__index_key(index, page, e.index) != key) {
        return index_broken(index, e, "is found by a key that is not its own");
    }
    if (!stoa_world_ending(index->world) && !stoa_has_id(index->world, e, index->component)) {
        return index_broken(index, e, "does not have the component");
    }
    return STOA_OK;
}

/* Goes through the pairs of the tree from one key on, as long as they have it. */
static stoa_status run_check(const stoa_index *index, uint64_t serial, uint64_t key,
                             uint32_t *count) {
    stoa__ordered_place place = stoa__ordered_seek(&index->table.tree, serial, 0);
    stoa_status status = STOA_OK;
    while (place.leaf != NULL && status == STOA_OK && place.leaf->keys[place.at] == serial) {
        status = packed_check(index, place.leaf->values[place.at], key);
        ++*count;
        if (++place.at == place.leaf->count) {
            place = (stoa__ordered_place){place.leaf->next, 0};
        }
    }
    return status;
}

static stoa_status cell_check(const stoa_index *index, const stoa__cell *cell, int64_t *total) {
    const stoa__table *table = &index->table;
    stoa__group group = stoa__cell_group(table, cell);
    const stoa__key_bytes *kept = stoa__cell_kept(table, cell);
    uint64_t key = kept == NULL ? cell->key : (uint64_t)(uintptr_t)kept;
    uint32_t count = 0;
    stoa_status status = STOA_OK;
    if (group.entities == NULL) {
        status = run_check(index, group.number, key, &count);
    }
    for (; group.entities != NULL && count < group.count && status == STOA_OK; count++) {
        status = packed_check(index, group.entities[count], key);
        if (count > 0 && group.entities[count - 1] >= group.entities[count]) {
            return index_broken(index, stoa__entity_unpacked(group.entities[count]),
                                "is not in order");
        }
    }
    bool found =
        (kept == NULL ? stoa__table_find(table, key) : stoa__table_find_kept(table, kept)) == cell;
    if (status == STOA_OK && (!found || count != group.count || count == 0)) {
        status =
            stoa__error(STOA_CORRUPT, "index '%s': a value is lost, or miscounted", index->name);
    }
    *total += count;
    return status;
}

/* STOA_OK if the table, or the tree, is whole; counts the entities in it. */
static stoa_status table_check(const stoa_index *index, int64_t *total) {
    const stoa__table *table = &index->table;
    stoa_status status = STOA_OK;
    if (!stoa__ordered_valid(&table->tree)) {
        return stoa__error(STOA_CORRUPT, "index '%s': its tree is broken", index->name);
    }
    for (uint32_t i = 0; i < table->capacity && status == STOA_OK; i++) {
        const stoa__cell *cell = stoa__table_cell(table, i);
        status = cell->held[0] != 0 ? cell_check(index, cell, total) : STOA_OK;
    }
    for (stoa__ordered_place place = stoa__ordered_seek(&table->tree, 0, 0);
         index->ordered && place.leaf != NULL && status == STOA_OK; ++*total) {
        status = packed_check(index, place.leaf->values[place.at], place.leaf->keys[place.at]);
        if (++place.at == place.leaf->count) {
            place = (stoa__ordered_place){place.leaf->next, 0};
        }
    }
    return status;
}

/* STOA_OK if an entity of the world has a key, that of its value if that is `settled`. */
static stoa_status value_check(const stoa_index *index, stoa_entity e, const uint8_t *value,
                               bool settled) {
    const stoa__page *page = stoa__index_page(index, e.index);
    if (page == NULL || !stoa__page_used(page, e.index)) {
        return index_broken(index, e, "is missing");
    }
    const stoa__key_plan *plan = &index->plan;
    const void *key = value + plan->base;
    uint64_t known = stoa__index_key(index, page, e.index);
    bool same = plan->word ? stoa__key_word(plan, key) == known
                           : stoa__key_equal(plan, key, stoa__key_kept(known));
    return same || !settled ? STOA_OK : index_broken(index, e, "has another value");
}

static bool tick_settled(const stoa_index *index, uint32_t changed) {
    return index->immutable || !stoa_tick_newer(changed, index->since);
}

static stoa_status columns_check(const stoa_index *index, int64_t *total) {
    const stoa_world *world = index->world;
    stoa_status status = STOA_OK;
    for (stoa_entity e = stoa_entity_next(world, STOA_NULL);
         !stoa_entity_is_null(e) && status == STOA_OK; e = stoa_entity_next(world, e)) {
        const void *value = stoa_try_get_id(world, e, index->component);
        if (value != NULL) {
            bool written = stoa_changed_id(world, e, index->component, index->since);
            status = value_check(index, e, value, index->immutable || !written);
            ++*total;
        }
    }
    return status;
}

static stoa_status sparse_check(const stoa_index *index, int64_t *total) {
    stoa_sparse_info info;
    stoa_status status = stoa_sparse_info_get(index->world, index->component, &info);
    for (int32_t i = 0; status == STOA_OK && i < info.count; i++, ++*total) {
        status = value_check(index, info.entities[i],
                             (const uint8_t *)info.values + (size_t)i * index->size,
                             tick_settled(index, STOA_LOAD(&info.changed[i])));
    }
    return status;
}

stoa_status stoa__index_check(const stoa_index *index) {
    if (index->stale) {
        return index->count == 0
                   ? STOA_OK
                   : stoa__error(STOA_CORRUPT, "index '%s': stale and not empty", index->name);
    }
    int64_t found = 0, there = 0;
    stoa_status status = table_check(index, &found);
    if (status == STOA_OK && found != index->count) {
        return stoa__error(STOA_CORRUPT, "index '%s' counts %d entities and has %lld", index->name,
                           index->count, (long long)found);
    }
    /* In the middle of a change the world may be ahead of what hooks have told. */
    if (status != STOA_OK || (stoa__index_open(index) & ~STOA_OPEN_ITERATIONS) != 0) {
        return status;
    }
    const stoa_guard *guard = stoa_guard_set(NULL);
    status = index->sparse ? sparse_check(index, &there) : columns_check(index, &there);
    stoa_guard_set(guard);
    if (status == STOA_OK && there != found) {
        status = stoa__error(STOA_CORRUPT, "index '%s' has %lld entities of %lld", index->name,
                             (long long)found, (long long)there);
    }
    return status;
}
