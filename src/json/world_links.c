/* What extensions keep, out of JSON: names, relations, and bytes of others.
 *
 * Names and relations are written down as their extensions save them, before the world is put
 * together, and handed over once the entities are there: so no hook is called, and order comes out
 * as the text has it. Sources of relations with lists come in the order of the entities, or that
 * under `order`; the lists of targets are those under `links`, or follow from the sources. A
 * relation with one target follows from its component unless `links` tells its lists. */
#include "base/bytes.h"
#include "stoa/extension.h"
#include "stoa/relation.h"
#include "json/world.h"

#include <string.h>

/* A source and one of its targets, by their places in the text. */
typedef struct pair {
    uint32_t source;
    uint32_t target;
} pair;

/* The pairs of a relation as they are read. */
typedef struct pairs {
    pair *items;
    uint32_t count;
    uint32_t capacity;
} pairs;

static void entity_put(const stoa__json_loading *l, stoa__encoder *output, uint32_t place) {
    stoa__encode_u32(output, l->names.entities[place].index);
    stoa__encode_u32(output, l->names.entities[place].generation);
}

static stoa_status pair_add(stoa__json_loading *l, pairs *all, pair one) {
    if (!stoa__heap_grow(&l->in->heap, &all->items, &all->capacity, all->count + 1, sizeof one)) {
        return stoa__error_memory("the relations of a text");
    }
    all->items[all->count++] = one;
    return STOA_OK;
}

/* Adds the targets that an entity has in a relation. */
static stoa_status targets_read(stoa__json_loading *l, uint32_t source, const char *name,
                                pairs *all) {
    stoa__json_path path = {NULL, l->in->root, "entities", 0};
    stoa__json_path item = {&path, l->list, NULL, source};
    json_t *object = json_array_get(l->list, source);
    json_t *lists = json_object_get(object, "relations");
    stoa__json_path at = {&item, object, "relations", 0};
    json_t *list = json_object_get(lists, name);
    stoa__json_path member = {&at, lists, name, 0};
    stoa_status status = STOA_OK;
    for (size_t i = 0; i < json_array_size(list) && status == STOA_OK; i++) {
        stoa__json_path place = {&member, list, NULL, i};
        pair one = {source, 0};
        status =
            stoa__json_names_place(l->in, &place, json_array_get(list, i), &l->names, &one.target);
        if (status == STOA_OK) {
            status = pair_add(l, all, one);
        }
    }
    return status;
}

/* Reads all pairs of a relation with lists; sources in order. */
static stoa_status pairs_read(stoa__json_loading *l, const stoa_relation_info *info, pairs *all) {
    json_t *order;
    stoa_status status =
        stoa__json_order_read(l, stoa_component_name(l->in->world, info->component), &order);
    if (status != STOA_OK) {
        return status;
    }
    memset(l->off, 0, l->names.count);
    for (size_t i = 0; i < json_array_size(order) && status == STOA_OK; i++) {
        if (l->off[l->marks[i]]++ == 0) {
            status = targets_read(l, l->marks[i], info->name, all);
        }
    }
    for (uint32_t i = 0; i < l->names.count && status == STOA_OK; i++) {
        if (l->off[i] == 0) {
            status = targets_read(l, i, info->name, all);
        }
    }
    return status;
}

/* Writes the lists of sources: pairs stand source by source. */
static void sources_put(const stoa__json_loading *l, stoa__encoder *output, const pairs *all) {
    uint32_t lists = 0;
    for (uint32_t i = 0; i < all->count; i++) {
        lists += i == 0 || all->items[i].source != all->items[i - 1].source;
    }
    stoa__encode_u32(output, lists);
    for (uint32_t first = 0, end; first < all->count; first = end) {
        end = first;
        while (end < all->count && all->items[end].source == all->items[first].source) {
            end++;
        }
        entity_put(l, output, all->items[first].source);
        stoa__encode_u32(output, end - first);
        for (uint32_t i = first; i < end; i++) {
            entity_put(l, output, all->items[i].target);
        }
    }
}

/* Writes the lists of targets as they follow from the pairs: in the order that targets come first,
 * and each with its sources as they come. */
static stoa_status targets_put(stoa__json_loading *l, stoa__encoder *output, const pairs *all) {
    size_t size = ((size_t)all->count + 1) * sizeof(uint32_t);
    uint32_t *next = stoa__heap_alloc(&l->in->heap, size, 8); /* the pair of the same target */
    uint32_t *last = stoa__heap_alloc(&l->in->heap, size, 8); /* by first pair: the last so far */
    uint32_t *counts = stoa__heap_zalloc(&l->in->heap, size, 8); /* by first pair */
    uint32_t lists = 0;
    if (next != NULL && last != NULL && counts != NULL) {
        memset(l->marks, 0, l->names.count * sizeof *l->marks); /* the first pair of each, and 1 */
        for (uint32_t i = 0; i < all->count; i++) {
            uint32_t *first = &l->marks[all->items[i].target];
            if (*first == 0) {
                *first = i + 1;
                lists++;
            } else {
                next[last[*first - 1]] = i;
            }
            last[*first - 1] = i;
            next[i] = UINT32_MAX;
            counts[*first - 1]++;
        }
        stoa__encode_u32(output, lists);
        for (uint32_t i = 0; i < all->count; i++) {
            if (counts[i] == 0) {
                continue;
            }
            entity_put(l, output, all->items[i].target);
            stoa__encode_u32(output, counts[i]);
            for (uint32_t at = i; at != UINT32_MAX; at = next[at]) {
                entity_put(l, output, all->items[at].source);
            }
        }
    }
    bool room = next != NULL && last != NULL && counts != NULL;
    stoa__heap_free(&l->in->heap, next, size, 8);
    stoa__heap_free(&l->in->heap, last, size, 8);
    stoa__heap_free(&l->in->heap, counts, size, 8);
    return room ? STOA_OK : stoa__error_memory("the relations of a text");
}

/* The lists of targets that the text has under `links`: each is the target, then its sources. */
static stoa_status links_put(stoa__json_loading *l, stoa__encoder *output, json_t *links,
                             const char *name) {
    stoa__json_path path = {NULL, l->in->root, "links", 0};
    json_t *lists = json_object_get(links, name);
    stoa__json_path at = {&path, links, name, 0};
    if (!json_is_array(lists)) {
        return stoa__json_expected(l->in, &at, lists, "a list of lists");
    }
    stoa_status status = STOA_OK;
    stoa__encode_u32(output, (uint32_t)json_array_size(lists));
    for (size_t i = 0; i < json_array_size(lists) && status == STOA_OK; i++) {
        stoa__json_path item = {&at, lists, NULL, i};
        json_t *list = json_array_get(lists, i);
        if (!json_is_array(list) || json_array_size(list) < 2) {
            return stoa__json_expected(l->in, &item, list, "a target and its sources");
        }
        for (size_t k = 0; k < json_array_size(list) && status == STOA_OK; k++) {
            stoa__json_path entity = {&item, list, NULL, k};
            uint32_t place;
            status =
                stoa__json_names_place(l->in, &entity, json_array_get(list, k), &l->names, &place);
            if (status == STOA_OK) {
                entity_put(l, output, place);
            }
            if (status == STOA_OK && k == 0) {
                stoa__encode_u32(output, (uint32_t)json_array_size(list) - 1);
            }
        }
    }
    return status;
}

static stoa_status relation_put(stoa__json_loading *l, stoa__encoder *output,
                                const stoa_relation_info *info, json_t *links) {
    bool told = json_object_get(links, info->name) != NULL;
    stoa__encode_text(output, info->name);
    stoa__encode_number(output, info->many, 1);
    if (!info->many) {
        return links_put(l, output, links, info->name);
    }
    pairs all = {0};
    stoa_status status = pairs_read(l, info, &all);
    if (status == STOA_OK) {
        sources_put(l, output, &all);
        status = told ? links_put(l, output, links, info->name) : targets_put(l, output, &all);
    }
    stoa__heap_grow_free(&l->in->heap, all.items, all.capacity, sizeof *all.items);
    return status;
}

/* Refuses what `links` tells of relations that there are not. */
static stoa_status links_check(stoa__json_loading *l, json_t *links) {
    stoa__json_path path = {NULL, l->in->root, "links", 0};
    for (void *i = json_object_iter(links); i != NULL; i = json_object_iter_next(links, i)) {
        stoa__json_path member = {&path, links, json_object_iter_key(i), 0};
        if (stoa_relation_find(l->in->world, member.key).id == 0) {
            return stoa__json_fail(l->in, &member, STOA_NOT_FOUND, "there is no relation '%.64s'",
                                   member.key);
        }
    }
    return STOA_OK;
}

static stoa_status relations_make(stoa__json_loading *l) {
    stoa_world *world = l->in->world;
    json_t *links;
    stoa_status status = stoa__json_section(l->in, "links", JSON_OBJECT, &links);
    if (status == STOA_OK) {
        status = links_check(l, links);
    }
    uint32_t count = 0;
    stoa_relation_info info;
    const stoa_relation none = {0};
    for (stoa_relation r = stoa_relation_next(world, none); r.id != 0;
         r = stoa_relation_next(world, r)) {
        (void)stoa_relation_info_get(world, r, &info);
        count += info.many || json_object_get(links, info.name) != NULL;
    }
    stoa_sink sink = stoa_blob_sink(&l->relation_bytes);
    stoa__encoder output = {&sink, STOA_OK};
    stoa__encode_u32(&output, count);
    for (stoa_relation r = stoa_relation_next(world, none); r.id != 0 && status == STOA_OK;
         r = stoa_relation_next(world, r)) {
        (void)stoa_relation_info_get(world, r, &info);
        if (info.many || json_object_get(links, info.name) != NULL) {
            status = relation_put(l, &output, &info, links);
        }
    }
    return status == STOA_OK ? output.status : status;
}

/* Checks the order of names: each entity that has one, once. */
static stoa_status names_order(stoa__json_loading *l, uint32_t named, json_t **order) {
    stoa_status status = stoa__json_order_read(l, "Name", order);
    if (status != STOA_OK || *order == NULL) {
        return status;
    }
    bool good = named == json_array_size(*order);
    memset(l->off, 0, l->names.count);
    for (size_t i = 0; i < json_array_size(*order) && good; i++) {
        good = l->names.names[l->marks[i]] != NULL && l->off[l->marks[i]]++ == 0;
    }
    stoa__json_path path = {NULL, l->in->root, "order", 0};
    stoa__json_path at = {&path, json_object_get(l->in->root, "order"), "Name", 0};
    return good ? STOA_OK
                : stoa__json_fail(l->in, &at, STOA_SYNTAX, "it must list each named entity once");
}

static stoa_status names_make(stoa__json_loading *l) {
    uint32_t named = 0;
    json_t *order;
    for (uint32_t i = 0; i < l->names.count; i++) {
        named += l->names.names[i] != NULL;
    }
    if (named > 0 && stoa_type_register(l->in->world, STOA_TYPE_OF(Name)) == 0) {
        l->in->told = true;
        return stoa_last_error().status;
    }
    stoa_status status = names_order(l, named, &order);
    if (status != STOA_OK) {
        return status;
    }
    stoa_sink sink = stoa_blob_sink(&l->name_bytes);
    stoa__encoder output = {&sink, STOA_OK};
    stoa__encode_u32(&output, named);
    size_t count = order != NULL ? json_array_size(order) : l->names.count;
    for (size_t i = 0; i < count; i++) {
        uint32_t place = order != NULL ? l->marks[i] : (uint32_t)i;
        if (l->names.names[place] != NULL) {
            entity_put(l, &output, place);
            stoa__encode_text(&output, l->names.names[place]);
        }
    }
    return output.status;
}

stoa_status stoa__json_extras_make(stoa__json_loading *l) {
    const stoa_allocator *allocator = stoa_world_allocator(l->in->world);
    l->name_bytes = (stoa_blob){.allocator = allocator};
    l->relation_bytes = (stoa_blob){.allocator = allocator};
    stoa_status status = names_make(l);
    return status == STOA_OK ? relations_make(l) : status;
}

/* Hands over the bytes of another extension, in base 64; none if the text has none. */
static stoa_status bytes_give(stoa__json_loading *l, const stoa_extension *extension) {
    json_t *section = json_object_get(l->in->root, "extensions");
    json_t *json = json_object_get(section, extension->name);
    stoa__json_path path = {NULL, l->in->root, "extensions", 0};
    stoa__json_path at = {&path, section, extension->name, 0};
    if (json == NULL) {
        return extension->load(l->in->world, extension->data, NULL, 0);
    }
    size_t room = json_string_length(json) / 4 * 3 + 3, size = 0;
    uint8_t *bytes = stoa__heap_alloc(&l->in->heap, room, 64);
    if (bytes == NULL) {
        return stoa__error_memory("bytes in base 64");
    }
    stoa_status status =
        json_is_string(json) &&
                stoa__json_decode(json_string_value(json), json_string_length(json), bytes, &size)
            ? extension->load(l->in->world, extension->data, bytes, size)
            : stoa__json_expected(l->in, &at, json, "bytes in base 64");
    stoa__heap_free(&l->in->heap, bytes, room, 64);
    return status;
}

stoa_status stoa__json_extras_give(stoa__json_loading *l) {
    stoa_world *world = l->in->world;
    stoa_status status = STOA_OK;
    for (const stoa_extension *e = stoa_extension_next(world, NULL); e != NULL && status == STOA_OK;
         e = stoa_extension_next(world, e)) {
        if (e->load == NULL) {
            continue;
        }
        if (strcmp(e->name, "stoa.names") == 0) {
            status = e->load(world, e->data, l->name_bytes.data, l->name_bytes.size);
        } else if (strcmp(e->name, "stoa.relations") == 0) {
            status = e->load(world, e->data, l->relation_bytes.data, l->relation_bytes.size);
        } else {
            status = bytes_give(l, e);
        }
    }
    return status;
}
