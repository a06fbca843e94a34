/* Sorting: the calls.
 *
 * The orders of all archetypes are found first, while the structure of the world is held, and then
 * put into effect by one call that either succeeds for all or changes nothing. Archetypes that are
 * sorted already cost a pass over their keys. One thread at a time. */
#include "model/sort.h"

#include "base/bitset.h"
#include "base/error.h"
#include "stoa/view.h"

/* One sort. */
typedef struct job {
    stoa_world *world;
    stoa_component_info info;
    const stoa__sort_key *key; /* NULL: by function */
    const stoa__sort_by *by;
    stoa__heap heap;
    stoa_permutation *list;
    uint32_t list_count;
    uint32_t list_capacity;
} job;

static bool archetype_has(const stoa_archetype_info *archetype, stoa_component id) {
    int32_t low = 0, high = archetype->component_count;
    while (low < high) {
        int32_t middle = low + (high - low) / 2;
        if (archetype->components[middle] < id) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < archetype->component_count && archetype->components[low] == id;
}

static stoa_status rows_order(job *j, const stoa__sort_rows *rows, int32_t **order) {
    stoa_status status = j->key != NULL ? stoa__sort_by_key(&j->heap, rows, j->key, order)
                                        : stoa__sort_by_function(&j->heap, rows, j->by, order);
    return stoa_world_report(j->world, status);
}

/* Fills in where the rows of an archetype are. */
static stoa_status blocks_fill(const job *j, const stoa_archetype_info *archetype,
                               stoa__sort_block *blocks) {
    for (int32_t c = 0; c < archetype->chunk_count; c++) {
        stoa_chunk_info chunk;
        stoa_status status = stoa_chunk_info_get(j->world, archetype->id, c, &chunk);
        if (status != STOA_OK) {
            return status;
        }
        blocks[c] = (stoa__sort_block){.entities = chunk.entities};
        if (j->info.size != 0) {
            blocks[c].values = stoa_chunk_column(j->world, archetype->id, c, j->info.id);
            if (blocks[c].values == NULL) {
                return stoa_last_error().status;
            }
        }
    }
    return STOA_OK;
}

/* Finds the order of an archetype's rows; NULL if that is the one they have. */
static stoa_status archetype_order(job *j, const stoa_archetype_info *archetype, int32_t **order) {
    size_t size = (size_t)archetype->chunk_count * sizeof(stoa__sort_block);
    stoa__sort_block *blocks = stoa__heap_alloc(&j->heap, size, _Alignof(stoa__sort_block));
    if (blocks == NULL) {
        return stoa_world_report(j->world, stoa__error_memory("the rows of a sort"));
    }
    uint32_t capacity = (uint32_t)archetype->chunk_capacity;
    stoa__sort_rows rows = {blocks, (uint32_t)archetype->row_count, j->info.size,
                            stoa__bit_lowest(capacity), capacity - 1};
    stoa_status status = blocks_fill(j, archetype, blocks);
    if (status == STOA_OK) {
        status = rows_order(j, &rows, order);
    }
    stoa__heap_free(&j->heap, blocks, size, _Alignof(stoa__sort_block));
    return status;
}

/* Finds the order of an archetype and adds it to the list. */
static stoa_status archetype_sort(job *j, const stoa_archetype_info *archetype) {
    if (!stoa__heap_grow(&j->heap, &j->list, &j->list_capacity, j->list_count + 1,
                         sizeof *j->list)) {
        return stoa_world_report(j->world, stoa__error_memory("the archetypes of a sort"));
    }
    int32_t *order = NULL;
    stoa_status status = archetype_order(j, archetype, &order);
    if (order != NULL) {
        j->list[j->list_count++] = (stoa_permutation){archetype->id, archetype->row_count, order};
    }
    return status;
}

static void list_free(job *j) {
    for (uint32_t i = 0; i < j->list_count; i++) {
        size_t size = (size_t)j->list[i].count * sizeof(int32_t);
        stoa__heap_free(&j->heap, (int32_t *)(uintptr_t)j->list[i].order, size, _Alignof(int32_t));
    }
    stoa__heap_grow_free(&j->heap, j->list, j->list_capacity, sizeof *j->list);
}

static stoa_status columns_sort(job *j) {
    stoa_status status = STOA_OK;
    int32_t count = stoa_archetype_count(j->world);
    for (int32_t i = 1; i < count && status == STOA_OK; i++) {
        stoa_archetype_info archetype;
        status = stoa_archetype_info_get(j->world, i, &archetype);
        if (status == STOA_OK && archetype.row_count > 1 && archetype_has(&archetype, j->info.id)) {
            status = archetype_sort(j, &archetype);
        }
    }
    stoa_release(j->world);
    if (status == STOA_OK) {
        status = stoa_permute(j->world, j->list, (int32_t)j->list_count);
    }
    list_free(j);
    return status;
}

static stoa_status set_sort(job *j) {
    stoa_sparse_info set;
    int32_t *order = NULL;
    stoa_status status = stoa_sparse_info_get(j->world, j->info.id, &set);
    if (status == STOA_OK && set.count > 1) {
        stoa__sort_block block = {set.values, set.entities};
        stoa__sort_rows rows = {&block, (uint32_t)set.count, j->info.size, 31, INT32_MAX};
        status = rows_order(j, &rows, &order);
    }
    stoa_release(j->world);
    if (order != NULL) {
        status = stoa_sparse_permute(j->world, j->info.id, order, set.count);
        stoa__heap_free(&j->heap, order, (size_t)set.count * sizeof *order, _Alignof(int32_t));
    }
    return status;
}

/* Sorts; the component is known and there is a key or a function. */
static stoa_status job_run(job *j) {
    stoa_status status = stoa_hold(j->world, "being sorted");
    if (status != STOA_OK) {
        return status;
    }
    stoa__heap_init(&j->heap, stoa_world_allocator(j->world));
    return (j->info.flags & STOA_SPARSE) != 0 ? set_sort(j) : columns_sort(j);
}

static stoa_status tag_fail(const stoa_world *world, const stoa_component_info *info) {
    return stoa_world_report(
        world,
        stoa__error(STOA_INVALID, "tag '%s' has no values to sort by; see stoa_sort_entities",
                    info->name));
}

static stoa_status function_sort(stoa_world *world, stoa_component id, const stoa__sort_by *by) {
    job j = {.world = world, .by = by};
    stoa_status status = stoa_component_info_get(world, id, &j.info);
    if (status != STOA_OK) {
        return status;
    }
    if (by->values == NULL && by->entities == NULL) {
        return stoa_world_report(
            world, stoa__error(STOA_NULL_ARGUMENT, "a sort needs a function that compares"));
    }
    if (by->values != NULL && j.info.size == 0) {
        return tag_fail(world, &j.info);
    }
    return job_run(&j);
}

stoa_status stoa_sort_id(stoa_world *world, stoa_component id, stoa_compare_fn compare,
                         void *user) {
    return function_sort(world, id, &(stoa__sort_by){.values = compare, .user = user});
}

stoa_status stoa_sort_entities_id(stoa_world *world, stoa_component id,
                                  stoa_compare_entities_fn compare, void *user) {
    return function_sort(world, id, &(stoa__sort_by){.entities = compare, .user = user});
}

stoa_status stoa_sort_key_id(stoa_world *world, stoa_component id, const char *field,
                             stoa_direction direction) {
    stoa__sort_key key;
    job j = {.world = world, .key = &key};
    stoa_status status = stoa_component_info_get(world, id, &j.info);
    if (status != STOA_OK) {
        return status;
    }
    if (direction != STOA_ASCENDING && direction != STOA_DESCENDING) {
        return stoa_world_report(
            world, stoa__error(STOA_INVALID, "there is no direction %d", (int)direction));
    }
    if (j.info.size == 0) {
        return tag_fail(world, &j.info);
    }
    status = stoa__sort_field_find(world, id, field, &key);
    if (status != STOA_OK) {
        return stoa_world_report(world, status);
    }
    key.descending = direction == STOA_DESCENDING;
    return job_run(&j);
}

stoa_status stoa_sort_type(stoa_world *world, stoa_type *type, stoa_compare_fn compare,
                           void *user) {
    stoa_component id = stoa_type_register(world, type);
    return id != 0 ? stoa_sort_id(world, id, compare, user) : stoa_last_error().status;
}

stoa_status stoa_sort_entities_type(stoa_world *world, stoa_type *type,
                                    stoa_compare_entities_fn compare, void *user) {
    stoa_component id = stoa_type_register(world, type);
    return id != 0 ? stoa_sort_entities_id(world, id, compare, user) : stoa_last_error().status;
}

stoa_status stoa_sort_key_type(stoa_world *world, stoa_type *type, const char *field,
                               stoa_direction direction) {
    stoa_component id = stoa_type_register(world, type);
    return id != 0 ? stoa_sort_key_id(world, id, field, direction) : stoa_last_error().status;
}
