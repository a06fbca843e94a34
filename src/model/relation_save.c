/* Relations as bytes: the count, and for each its name, whether it is `many`, and the lists of its
 * sides - of sources only if it is - in the order that entities have their list component. A side
 * is the count of lists, and for each its owner, how many are in it, and those. An entity is index
 * and generation; all numbers but the flag have 32 bits.
 *
 * Loading checks everything, since the bytes may come from a file: that entities live, that
 * components name the targets in whose lists they are, that both sides tell the same, and that
 * there is no circle where there must be none. A relation that the bytes do not tell of follows the
 * components as they are, as a new one would. O(links). */
#include "base/bytes.h"
#include "base/error.h"
#include "model/relation.h"
#include "stoa/view.h"

#include <string.h>

/* Bytes of an entity, and of a list at the least. */
#define ENTITY_SIZE 8
#define LIST_LEAST (ENTITY_SIZE + 4 + ENTITY_SIZE)
/* A pair that is not in the list of that side yet. */
#define POSITION_NONE UINT32_MAX

static stoa_status memory_lacks(const stoa__relation *relation) {
    return stoa__error(STOA_NO_MEMORY, "out of memory for the relation %s", relation->name);
}

static stoa_status corrupt(const stoa__relation *relation, const char *what) {
    return stoa__error(STOA_CORRUPT, "relation %s: %s", relation->name, what);
}

static void side_reset(stoa_world *world, stoa__side *side) {
    if (side->component != 0) {
        stoa_managed_clear(world, side->component);
    }
    for (uint32_t page = 0; page < side->lists.capacity; page++) {
        stoa__list **lists = side->lists.pages[page];
        for (uint32_t i = 0; lists != NULL && i < STOA__PAGED_SIZE; i++) {
            stoa__list_free(lists[i]);
        }
    }
    stoa__paged_clear(&side->lists);
}

static void relation_reset(stoa_world *world, stoa__relation *relation) {
    side_reset(world, &relation->sides[STOA__SOURCE]);
    side_reset(world, &relation->sides[STOA__TARGET]);
    stoa__paged_clear(&relation->links);
    stoa__pairs_clear(&relation->pairs);
    relation->link_count = 0;
    relation->lost = false;
}

void stoa__relations_reset(stoa_world *world, void *data) {
    stoa__relations *all = data;
    while (all->graveyard != NULL) {
        stoa__list *list = all->graveyard;
        all->graveyard = list->next;
        stoa__list_free(list);
    }
    for (uint32_t i = 0; i < all->count; i++) {
        relation_reset(world, all->items[i]);
    }
    all->version++;
}

static void entity_write(stoa__encoder *output, stoa_entity e) {
    stoa__encode_u32(output, e.index);
    stoa__encode_u32(output, e.generation);
}

static void side_write(stoa__encoder *output, const stoa_world *world, const stoa__side *side) {
    stoa_sparse_info set = {0};
    stoa_status status = stoa_sparse_info_get(world, side->component, &set);
    output->status = output->status == STOA_OK ? status : output->status;
    stoa__encode_u32(output, (uint32_t)set.count);
    for (int32_t i = 0; i < set.count; i++) {
        const stoa__list *list = stoa__list_find(side, set.entities[i]);
        uint32_t count = list != NULL ? list->count : 0;
        entity_write(output, set.entities[i]);
        stoa__encode_u32(output, count);
        for (uint32_t k = 0; k < count; k++) {
            entity_write(output, list->items[k]);
        }
    }
}

stoa_status stoa__relations_save(const stoa_world *world, const void *data, const stoa_sink *sink) {
    const stoa__relations *all = data;
    stoa__encoder output = {sink, STOA_OK};
    stoa__encode_u32(&output, all->count);
    for (uint32_t i = 0; i < all->count; i++) {
        const stoa__relation *relation = all->items[i];
        stoa__encode_text(&output, relation->name);
        stoa__encode_number(&output, relation->many, 1);
        if (relation->many) {
            side_write(&output, world, &relation->sides[STOA__SOURCE]);
        }
        side_write(&output, world, &relation->sides[STOA__TARGET]);
    }
    return output.status;
}

static stoa_entity entity_read(stoa__decoder *input) {
    stoa_entity e;
    e.index = stoa__decode_u32(input);
    e.generation = stoa__decode_u32(input);
    return e;
}

/* Adds one to the list of a source or target, of a relation with pairs. */
static stoa_status pair_restore(stoa__relation *relation, stoa__list *list, stoa_entity e) {
    bool target = list->side == &relation->sides[STOA__TARGET];
    stoa__pairs *pairs = &relation->pairs;
    uint32_t place =
        target ? stoa__pairs_find(pairs, e, list->owner) : stoa__pairs_find(pairs, list->owner, e);
    bool fits = target ? place != STOA__MAP_NONE &&
                             pairs->items[place].position[STOA__TARGET] == POSITION_NONE
                       : place == STOA__MAP_NONE;
    if (!fits) {
        return corrupt(relation, "its lists do not tell the same");
    }
    if (!target && !stoa__pairs_reserve(pairs, &relation->all->heap)) {
        return memory_lacks(relation);
    }
    if (!stoa__list_append(list, e)) {
        return memory_lacks(relation);
    }
    if (target) {
        pairs->items[place].position[STOA__TARGET] = list->count - 1;
    } else {
        stoa__pairs_add(pairs, (stoa__pair){.ends = {list->owner, e},
                                            .position = {list->count - 1, POSITION_NONE}});
        relation->link_count++;
    }
    return STOA_OK;
}

static stoa_status link_restore(const stoa_world *world, stoa__relation *relation,
                                const stoa__list *list, stoa_entity e) {
    const void *value = stoa_try_get_id(world, e, relation->component);
    if (!stoa_entity_eq(stoa__link_read(relation, value), list->owner) ||
        !stoa_entity_is_null(stoa__link_target(relation, e))) {
        return corrupt(relation, "a list has somebody who does not point there");
    }
    return stoa__link_restore(relation, e, list->owner) ? STOA_OK : memory_lacks(relation);
}

/* Reads one list. */
static stoa_status list_read(const stoa_world *world, stoa__side *side, stoa__decoder *input,
                             stoa_entity *owner) {
    stoa__relation *relation = side->relation;
    *owner = entity_read(input);
    uint32_t count = stoa__decode_count(input, ENTITY_SIZE);
    if (input->short_of || count == 0 || !stoa_alive(world, *owner) ||
        stoa__list_find(side, *owner) != NULL) {
        return corrupt(relation, "a list is empty, or of nobody, or there twice");
    }
    stoa__list *list = stoa__list_make(side, *owner);
    if (list == NULL) {
        return memory_lacks(relation);
    }
    stoa_status status = STOA_OK;
    while (count-- > 0 && status == STOA_OK) {
        stoa_entity e = entity_read(input);
        if (!stoa_alive(world, e)) {
            return corrupt(relation, "a list has somebody who does not live");
        }
        status = relation->many ? pair_restore(relation, list, e)
                                : link_restore(world, relation, list, e);
    }
    return status;
}

/* Lets the entities show their lists, in this order. */
static stoa_status lists_show(stoa_world *world, const stoa__side *side, const stoa_entity *owners,
                              uint32_t count) {
    stoa__heap *heap = &side->relation->all->heap;
    size_t size = count * sizeof(stoa_links);
    stoa_links *values = count > 0 ? stoa__heap_zalloc(heap, size, _Alignof(stoa_links)) : NULL;
    if (values == NULL) {
        return count > 0 ? memory_lacks(side->relation) : STOA_OK;
    }
    for (uint32_t i = 0; i < count; i++) {
        stoa__list *list = stoa__list_find(side, owners[i]);
        values[i].items = list->items;
        values[i].count = (int32_t)list->count;
        /* Nobody was shown what it has outgrown. */
        stoa__list_settle(list);
    }
    stoa_status status = stoa_managed_fill(world, side->component, owners, values, (int32_t)count);
    stoa__heap_free(heap, values, size, _Alignof(stoa_links));
    return status;
}

static stoa_status side_read(stoa_world *world, stoa__side *side, stoa__decoder *input) {
    stoa__heap *heap = &side->relation->all->heap;
    uint32_t count = stoa__decode_count(input, LIST_LEAST);
    if (input->short_of || count > (uint32_t)INT32_MAX) {
        return corrupt(side->relation, "its lists end too early");
    }
    size_t size = count * sizeof(stoa_entity);
    stoa_entity *owners = count > 0 ? stoa__heap_alloc(heap, size, _Alignof(stoa_entity)) : NULL;
    if (owners == NULL) {
        return count > 0 ? memory_lacks(side->relation) : STOA_OK;
    }
    stoa_status status = STOA_OK;
    for (uint32_t i = 0; i < count && status == STOA_OK; i++) {
        status = list_read(world, side, input, &owners[i]);
    }
    if (status == STOA_OK) {
        status = lists_show(world, side, owners, count);
    }
    stoa__heap_free(heap, owners, size, _Alignof(stoa_entity));
    return status;
}

/* Sources that are in no list are loose, whatever their components say. */
static stoa_status links_loosen(const stoa_world *world, stoa__relation *relation) {
    for (stoa_entity e = stoa_entity_next(world, STOA_NULL); !stoa_entity_is_null(e);
         e = stoa_entity_next(world, e)) {
        const void *value = stoa_try_get_id(world, e, relation->component);
        if (stoa_entity_is_null(stoa__link_read(relation, value)) ||
            !stoa_entity_is_null(stoa__link_target(relation, e))) {
            continue;
        }
        if (!stoa__paged_reserve(&relation->links, &relation->all->heap, e.index)) {
            return memory_lacks(relation);
        }
        stoa__link *link = stoa__paged_find(&relation->links, e.index);
        *link = (stoa__link){.position = STOA__LINK_LOOSE, .generation = e.generation};
    }
    return STOA_OK;
}

/* STOA_CORRUPT if pairs lead in a circle: of those who are left when all are taken away that point
 * at nobody who is left. `coming` of a source's list counts those. */
static stoa_status pairs_circles(const stoa_world *world, const stoa__relation *relation) {
    stoa_sparse_info targets = {0}, sources = {0};
    stoa_sparse_info_get(world, relation->sides[STOA__TARGET].component, &targets);
    stoa_sparse_info_get(world, relation->sides[STOA__SOURCE].component, &sources);
    size_t size = ((size_t)targets.count + (size_t)sources.count + 1) * sizeof(stoa_entity);
    stoa__heap *heap = &relation->all->heap;
    stoa_entity *queue = stoa__heap_alloc(heap, size, _Alignof(stoa_entity));
    if (queue == NULL) {
        return memory_lacks(relation);
    }
    uint32_t end = 0, left = relation->link_count;
    for (int32_t i = 0; i < sources.count; i++) {
        stoa__list *list = stoa__list_find(&relation->sides[STOA__SOURCE], sources.entities[i]);
        list->coming = list->count;
    }
    for (int32_t i = 0; i < targets.count; i++) {
        if (stoa__list_find(&relation->sides[STOA__SOURCE], targets.entities[i]) == NULL) {
            queue[end++] = targets.entities[i];
        }
    }
    for (uint32_t at = 0; at < end; at++) {
        const stoa__list *list = stoa__list_find(&relation->sides[STOA__TARGET], queue[at]);
        for (uint32_t i = 0; list != NULL && i < list->count; i++, left--) {
            stoa__list *source = stoa__list_find(&relation->sides[STOA__SOURCE], list->items[i]);
            if (--source->coming == 0) {
                queue[end++] = list->items[i];
            }
        }
    }
    for (int32_t i = 0; i < sources.count; i++) {
        stoa__list_find(&relation->sides[STOA__SOURCE], sources.entities[i])->coming = 0;
    }
    stoa__heap_free(heap, queue, size, _Alignof(stoa_entity));
    return left == 0 ? STOA_OK : corrupt(relation, "it leads in a circle");
}

static stoa_status relation_read(stoa_world *world, stoa__relation *relation,
                                 stoa__decoder *input) {
    stoa_status status = STOA_OK;
    if (relation->many) {
        status = side_read(world, &relation->sides[STOA__SOURCE], input);
    }
    uint64_t before = relation->link_count;
    if (status == STOA_OK) {
        status = side_read(world, &relation->sides[STOA__TARGET], input);
    }
    for (uint32_t i = 0; status == STOA_OK && relation->many && i < before; i++) {
        if (relation->pairs.items[i].position[STOA__TARGET] == POSITION_NONE) {
            status = corrupt(relation, "its lists do not tell the same");
        }
    }
    if (status == STOA_OK && !relation->many) {
        status = links_loosen(world, relation);
    }
    if (status == STOA_OK && relation->acyclic) {
        status =
            relation->many ? pairs_circles(world, relation) : stoa__link_circles(world, relation);
        status = status == STOA_CYCLE ? corrupt(relation, "it leads in a circle") : status;
    }
    return status;
}

/* Follows the components as they are; the lists come in order of entities. */
static stoa_status relation_follow(stoa_world *world, stoa__relation *relation) {
    stoa__side *side = &relation->sides[STOA__TARGET];
    stoa_status status = relation->many ? STOA_OK : stoa__link_adopt(world, relation);
    uint32_t count = 0;
    for (uint32_t i = 0; i < side->lists.capacity * STOA__PAGED_SIZE; i++) {
        stoa__list *const *place = stoa__paged_find(&side->lists, i);
        count += place != NULL && *place != NULL && (*place)->count > 0;
    }
    stoa__heap *heap = &relation->all->heap;
    size_t size = count * sizeof(stoa_entity);
    stoa_entity *owners = count > 0 ? stoa__heap_alloc(heap, size, _Alignof(stoa_entity)) : NULL;
    if (owners == NULL || status != STOA_OK) {
        stoa__heap_free(heap, owners, size, _Alignof(stoa_entity));
        return status == STOA_OK && count > 0 ? memory_lacks(relation) : status;
    }
    count = 0;
    for (uint32_t i = 0; i < side->lists.capacity * STOA__PAGED_SIZE; i++) {
        stoa__list *const *place = stoa__paged_find(&side->lists, i);
        if (place != NULL && *place != NULL && (*place)->count > 0) {
            owners[count++] = (*place)->owner;
        }
    }
    status = lists_show(world, side, owners, count);
    stoa__heap_free(heap, owners, size, _Alignof(stoa_entity));
    return status;
}

/* The relation whose name follows; NULL with the thread's error set. */
static stoa__relation *relation_named(const stoa__relations *all, stoa__decoder *input) {
    uint32_t length = stoa__decode_u32(input);
    const char *name = (const char *)stoa__decode_bytes(input, length);
    name = input->short_of ? NULL : name;
    for (uint32_t i = 0; name != NULL && i < all->count; i++) {
        if (strlen(all->items[i]->name) == length &&
            memcmp(all->items[i]->name, name, length) == 0) {
            return all->items[i];
        }
    }
    if (name == NULL) {
        stoa__error(STOA_CORRUPT, "the relations end too early");
    } else {
        stoa__error(STOA_NOT_FOUND, "the world has no relation '%.*s'",
                    (int)(length < 80 ? length : 80), name);
    }
    return NULL;
}

static stoa_status relations_read(stoa_world *world, const stoa__relations *all,
                                  stoa__decoder *input, uint8_t *seen) {
    uint32_t count = stoa__decode_left(input) == 0 ? 0 : stoa__decode_count(input, 9);
    stoa_status status =
        input->short_of ? stoa__error(STOA_CORRUPT, "the relations end too early") : STOA_OK;
    for (uint32_t i = 0; i < count && status == STOA_OK; i++) {
        stoa__relation *relation = relation_named(all, input);
        if (relation == NULL) {
            return stoa_last_error().status;
        }
        uint32_t number = 0;
        while (all->items[number] != relation) {
            number++;
        }
        if ((stoa__decode_number(input, 1) != 0) != relation->many || seen[number] != 0) {
            return corrupt(relation, "it is of another kind, or there twice");
        }
        seen[number] = 1;
        status = relation_read(world, relation, input);
    }
    for (uint32_t i = 0; i < all->count && status == STOA_OK; i++) {
        status = seen[i] == 0 ? relation_follow(world, all->items[i]) : STOA_OK;
    }
    return status == STOA_OK && stoa__decode_left(input) > 0
               ? stoa__error(STOA_CORRUPT, "bytes follow the relations")
               : status;
}

stoa_status stoa__relations_load(stoa_world *world, void *data, const void *bytes, size_t size) {
    stoa__relations *all = data;
    stoa__decoder input = {{bytes, size > 0 ? (const uint8_t *)bytes + size : bytes}, false};
    size_t seen_size = (size_t)all->count + 1;
    uint8_t *seen = stoa__heap_zalloc(&all->heap, seen_size, 1);
    stoa_status status = seen != NULL ? relations_read(world, all, &input, seen)
                                      : stoa__error_memory("the relations of a world");
    stoa__heap_free(&all->heap, seen, seen_size, 1);
    if (status != STOA_OK) {
        stoa__relations_reset(world, all);
        for (uint32_t i = 0; i < all->count; i++) {
            all->items[i]->lost = true;
        }
    }
    all->version++;
    return status;
}
