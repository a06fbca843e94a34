/* Prefabs as JSON.
 *
 * A prefab is written with what it says itself: components that differ from those of its base, what
 * it takes away, its own children, and what it says of its base's children. What says the same is
 * told by the address of the value. Prefabs come in an order in which each can be made: bases and
 * children's prefabs first. The walk keeps a list of its own, since bases may go to any depth. */
#include "json/entity.h"
#include "json/labels.h"

#include "base/hash.h"

#include <string.h>

/* A prefab that is on the way, and which of those that it needs comes next. */
typedef struct visit {
    stoa_prefab *prefab;
    int32_t next;
} visit;

typedef struct listing {
    const stoa_world *world;
    stoa__heap heap;
    stoa_prefab **order; /* as they are written */
    uint32_t order_count;
    uint32_t order_capacity;
    stoa__map places; /* in the order */
    visit *visits;
    uint32_t visit_count;
    uint32_t visit_capacity;
    bool alone; /* only those that were asked for are written */
    stoa_prefab *const *asked;
    int32_t asked_count;
} listing;

static uint32_t place_of(const listing *l, const stoa_prefab *prefab) {
    uint32_t cursor = 0, found;
    uint64_t hash = stoa__hash_mix((uint64_t)(uintptr_t)prefab);
    while ((found = stoa__map_next(&l->places, hash, &cursor)) != STOA__MAP_NONE) {
        if (l->order[found] == prefab) {
            break;
        }
    }
    return found;
}

static int32_t nodes_below(const stoa_prefab *prefab) {
    const stoa_prefab *base = stoa_prefab_base(prefab);
    return base != NULL ? stoa_prefab_node_count(base) : 1;
}

/* Number `next` of what a prefab needs: its base, then the prefabs of its own children. */
static stoa_prefab *need_of(const stoa_prefab *prefab, int32_t next, bool *more) {
    int32_t node = nodes_below(prefab) + next - 1;
    *more = next == 0 || node < stoa_prefab_node_count(prefab);
    return !*more      ? NULL
           : next == 0 ? stoa_prefab_base(prefab)
                       : stoa_prefab_node_prefab(prefab, node);
}

static bool visit_push(listing *l, stoa_prefab *prefab) {
    if (prefab == NULL || place_of(l, prefab) != STOA__MAP_NONE) {
        return true;
    }
    if (!stoa__heap_grow(&l->heap, &l->visits, &l->visit_capacity, l->visit_count + 1,
                         sizeof *l->visits)) {
        return false;
    }
    l->visits[l->visit_count++] = (visit){prefab, 0};
    return true;
}

static bool order_add(listing *l, stoa_prefab *prefab) {
    if (!stoa__heap_grow(&l->heap, &l->order, &l->order_capacity, l->order_count + 1,
                         sizeof *l->order) ||
        !stoa__map_reserve(&l->places, &l->heap)) {
        return false;
    }
    stoa__map_insert(&l->places, stoa__hash_mix((uint64_t)(uintptr_t)prefab), l->order_count);
    l->order[l->order_count++] = prefab;
    return true;
}

/* Lists a prefab after all that it needs; false on lack of memory. */
static bool prefab_list(listing *l, stoa_prefab *prefab) {
    bool going = visit_push(l, prefab);
    while (going && l->visit_count > 0) {
        visit *top = &l->visits[l->visit_count - 1];
        bool more;
        stoa_prefab *need = need_of(top->prefab, top->next, &more);
        top->next++;
        if (more) {
            going = visit_push(l, need);
            continue;
        }
        stoa_prefab *done = top->prefab;
        l->visit_count--;
        going = place_of(l, done) != STOA__MAP_NONE || order_add(l, done);
    }
    return going;
}

static bool is_asked(const listing *l, const stoa_prefab *prefab) {
    bool asked = !l->alone;
    for (int32_t i = 0; !asked && i < l->asked_count; i++) {
        asked = l->asked[i] == prefab;
    }
    return asked;
}

/* A prefab as a reference. */
static void reference_write(const listing *l, stoa__json_out *out, const stoa_prefab *prefab) {
    const char *name = stoa_prefab_name(prefab);
    if (name != NULL) {
        stoa__json_out_bytes(out, "\"#", name[0] == '#' ? 2 : 1);
        stoa__json_out_escaped(out, name);
        stoa__json_out_bytes(out, "\"", 1);
    } else if (is_asked(l, prefab)) {
        stoa__json_out_bytes(out, "\"#", 2);
        stoa__json_out_unsigned(out, place_of(l, prefab));
        stoa__json_out_bytes(out, "\"", 1);
    } else {
        stoa__json_out_fail(out, stoa__error(STOA_NOT_FOUND,
                                             "a prefab that is needed has no name and is not part "
                                             "of what is saved"));
    }
}

/* What a node is without what the prefab itself says: the layer below. */
typedef struct below {
    const stoa_prefab *prefab; /* NULL: nothing */
    int32_t node;
} below;

static below below_of(const stoa_prefab *prefab, int32_t node) {
    if (node < nodes_below(prefab)) {
        return (below){stoa_prefab_base(prefab), node};
    }
    return (below){stoa_prefab_node_prefab(prefab, node), 0};
}

static bool component_left_out(const stoa_world *world, stoa_component id,
                               stoa_component_info *info) {
    return stoa_component_info_get(world, id, info) != STOA_OK ||
           stoa__json_way_of(info) == STOA__JSON_LEFT_OUT;
}

static void component_write(stoa__json_out *out, const stoa_prefab *prefab, int32_t node,
                            stoa_component id) {
    stoa_component_info info;
    below under = below_of(prefab, node);
    const void *value = stoa_prefab_node_get_id(prefab, node, id);
    bool same = under.prefab != NULL && stoa_prefab_node_has_id(under.prefab, under.node, id) &&
                stoa_prefab_node_get_id(under.prefab, under.node, id) == value;
    if (!same && !component_left_out(out->world, id, &info)) {
        stoa__json_out_component(out, info.name);
        stoa__json_write_value(out, &info, value);
    }
}

/* Components of the layer below that the prefab takes away. */
static void removals_write(stoa__json_out *out, const stoa_prefab *prefab, int32_t node) {
    stoa_component last = (stoa_component)stoa_component_count(out->world);
    below under = below_of(prefab, node);
    bool any = false;
    for (stoa_component id = 1; under.prefab != NULL && id <= last; id++) {
        stoa_component_info info;
        if (!stoa_prefab_node_has_id(under.prefab, under.node, id) ||
            stoa_prefab_node_has_id(prefab, node, id) ||
            component_left_out(out->world, id, &info)) {
            continue;
        }
        stoa__json_out_listed(out, "remove", info.name, &any);
    }
    if (any) {
        stoa__json_out_close(out, ']');
    }
}

static void node_write(stoa__json_out *out, const stoa_prefab *prefab, int32_t node) {
    stoa_component last = (stoa_component)stoa_component_count(out->world);
    for (stoa_component id = 1; id <= last; id++) {
        if (stoa_prefab_node_has_id(prefab, node, id)) {
            component_write(out, prefab, node, id);
        }
    }
    removals_write(out, prefab, node);
}

/* True if the prefab says something of a child of its base. */
static bool node_differs(const stoa_world *world, const stoa_prefab *prefab, int32_t node) {
    stoa_component last = (stoa_component)stoa_component_count(world);
    below under = below_of(prefab, node);
    bool differs = false;
    for (stoa_component id = 1; id <= last && !differs; id++) {
        bool has = stoa_prefab_node_has_id(prefab, node, id);
        differs = has != stoa_prefab_node_has_id(under.prefab, under.node, id) ||
                  (has && stoa_prefab_node_get_id(prefab, node, id) !=
                              stoa_prefab_node_get_id(under.prefab, under.node, id));
    }
    return differs;
}

static void base_nodes_write(stoa__json_out *out, const stoa_prefab *prefab) {
    bool any = false;
    for (int32_t node = 1; node < nodes_below(prefab); node++) {
        if (!node_differs(out->world, prefab, node)) {
            continue;
        }
        if (!any) {
            stoa__json_out_key(out, "nodes");
            stoa__json_out_open(out, '[', true);
            any = true;
        }
        stoa__json_out_item(out);
        stoa__json_out_open(out, '{', true);
        stoa__json_out_key(out, "node");
        stoa__json_out_signed(out, node);
        node_write(out, prefab, node);
        stoa__json_out_close(out, '}');
    }
    if (any) {
        stoa__json_out_close(out, ']');
    }
}

static void children_write(const listing *l, stoa__json_out *out, const stoa_prefab *prefab) {
    int32_t count = stoa_prefab_node_count(prefab);
    if (nodes_below(prefab) == count) {
        return;
    }
    stoa__json_out_key(out, "children");
    stoa__json_out_open(out, '[', true);
    for (int32_t node = nodes_below(prefab); node < count; node++) {
        stoa__json_out_item(out);
        stoa__json_out_open(out, '{', true);
        stoa__json_out_key(out, "prefab");
        reference_write(l, out, stoa_prefab_node_prefab(prefab, node));
        node_write(out, prefab, node);
        stoa__json_out_close(out, '}');
    }
    stoa__json_out_close(out, ']');
}

static void prefab_write(const listing *l, stoa__json_out *out, stoa_prefab *prefab) {
    stoa__json_out_item(out);
    stoa__json_out_open(out, '{', true);
    const char *name = stoa_prefab_name(prefab);
    stoa__json_out_key(out, name != NULL ? "name" : "id");
    if (name != NULL) {
        stoa__json_out_string(out, name);
    } else {
        stoa__json_out_unsigned(out, place_of(l, prefab));
    }
    if (stoa_prefab_base(prefab) != NULL) {
        stoa__json_out_key(out, "base");
        reference_write(l, out, stoa_prefab_base(prefab));
    }
    int32_t count = stoa_prefab_count(prefab);
    if (count < 0) {
        stoa__json_out_fail(out, stoa_last_error().status);
    }
    for (int32_t i = 0; i < count; i++) {
        component_write(out, prefab, 0, stoa_prefab_component(prefab, i));
    }
    removals_write(out, prefab, 0);
    base_nodes_write(out, prefab);
    children_write(l, out, prefab);
    stoa__json_out_close(out, '}');
}

/* Lists what is to be written. */
static stoa_status listing_make(listing *l, stoa_prefab *const *prefabs, int32_t count) {
    bool listed = true;
    for (int32_t i = 0; prefabs != NULL && i < count && listed; i++) {
        if (prefabs[i] == NULL) {
            return stoa__error(STOA_NULL_ARGUMENT, "the prefab must not be null");
        }
        listed = prefab_list(l, prefabs[i]);
    }
    for (stoa_prefab *p = stoa_prefab_next(l->world, NULL); prefabs == NULL && p != NULL && listed;
         p = stoa_prefab_next(l->world, p)) {
        listed = stoa_prefab_name(p) == NULL || prefab_list(l, p);
    }
    return listed ? STOA_OK : stoa__error_memory("the prefabs to save");
}

stoa_status stoa_json_save_prefabs(const stoa_world *world, stoa_prefab *const *prefabs,
                                   int32_t count, uint32_t flags, const stoa_sink *sink) {
    stoa_status status = stoa__json_arguments(world, sink);
    if (status != STOA_OK) {
        return stoa_world_report(world, status);
    }
    listing l = {.world = world,
                 .alone = prefabs != NULL && (flags & STOA_JSON_NO_PREFABS) != 0,
                 .asked = prefabs,
                 .asked_count = count};
    stoa__heap_init(&l.heap, stoa_world_allocator(world));
    status = listing_make(&l, prefabs, count);
    if (status == STOA_OK) {
        stoa__json_out out = stoa__json_out_new(world, flags, sink);
        out.nodes = true;
        stoa__json_out_open(&out, '{', true);
        stoa__json_out_key(&out, "stoa");
        stoa__json_out_signed(&out, STOA__JSON_VERSION);
        stoa__json_out_key(&out, "prefabs");
        stoa__json_out_open(&out, '[', true);
        for (uint32_t i = 0; i < l.order_count && out.status == STOA_OK; i++) {
            if (is_asked(&l, l.order[i])) {
                prefab_write(&l, &out, l.order[i]);
            }
        }
        stoa__json_out_close(&out, ']');
        stoa__json_out_close(&out, '}');
        status = stoa__json_out_end(&out);
    }
    stoa__map_fini(&l.places, &l.heap);
    stoa__heap_grow_free(&l.heap, l.order, l.order_capacity, sizeof *l.order);
    stoa__heap_grow_free(&l.heap, l.visits, l.visit_capacity, sizeof *l.visits);
    return stoa_world_report(world, status);
}
