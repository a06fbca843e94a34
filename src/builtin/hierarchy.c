/* The hierarchy: the relation "Parent" and short calls for it.
 *
 * Whoever brings Parent, the relation's hooks and vetoes see it; there is no other way in here.
 * Destroying a tree goes down to a leaf, destroys it, and goes on from its parent: nothing is
 * remembered but the place where it is, so there is no memory to lack and no depth to be too great.
 * Hooks may move entities about meanwhile: one that was given a parent since the last look is
 * followed upwards only if that still leads to the top. One thread at a time. */
#include "stoa/hierarchy.h"

#include "base/error.h"

static const char relation_name[] = "Parent";

stoa_status stoa_hierarchy_setup(stoa_world *world) {
    stoa_relation_desc desc = {.name = relation_name,
                               .type = STOA_TYPE_OF(Parent),
                               .reverse = STOA_TYPE_OF(Children),
                               .policy = STOA_ORPHAN,
                               .acyclic = true};
    return stoa_relation_new(world, &desc).id != 0 ? STOA_OK : stoa_last_error().status;
}

/* Reports that a value is missing. */
static stoa_status null_refuse(const char *what) {
    return stoa_world_report(NULL,
                             stoa__error(STOA_NULL_ARGUMENT, "the %s must not be null", what));
}

stoa_status stoa_set_parent(stoa_world *world, stoa_entity child, stoa_entity parent) {
    if (world == NULL) {
        return null_refuse("world");
    }
    if (stoa_entity_is_null(parent)) {
        return stoa_world_report(world, stoa__error(STOA_DEAD, "a parent of none is no parent"));
    }
    Parent value = {parent};
    if (stoa_entity_eq(stoa_parent(world, child), parent)) {
        return STOA_OK;
    }
    return stoa_set_from(world, child, Parent, &value);
}

stoa_status stoa_remove_parent(stoa_world *world, stoa_entity child) {
    return stoa_remove(world, child, Parent);
}

stoa_entity stoa_parent(const stoa_world *world, stoa_entity e) {
    const Parent *parent = stoa_try_get(world, e, Parent);
    /* One that could not lose its parent, since its hooks were running, still names it. */
    return parent != NULL && stoa_alive(world, parent->entity) ? parent->entity : STOA_NULL;
}

stoa_links stoa_children(const stoa_world *world, stoa_entity e) {
    const Children *children = stoa_try_get(world, e, Children);
    return children != NULL ? (stoa_links){children->items, children->count}
                            : (stoa_links){NULL, 0};
}

/* The relation, made if need be; id 0 with the failure reported. */
static stoa_relation relation_of(stoa_world *world) {
    return stoa_id(world, Parent) != 0 ? stoa_relation_find(world, relation_name)
                                       : (stoa_relation){0};
}

/* A destruction under way. */
typedef struct felling {
    stoa_world *world;
    stoa_relation relation;
    stoa_entity top;
    uint32_t since; /* whoever has had no other parent since is still where it was */
} felling;

static void ground_look(felling *f) {
    f->since = stoa_tick(f->world);
    stoa_tick_advance(f->world);
}

/* Where to go on after the last child of `e` was destroyed. */
static stoa_entity felling_next(felling *f, stoa_entity e) {
    /* One that is dead has no parent either, and leads nowhere. */
    bool moved = stoa_changed(f->world, e, Parent, f->since) || !stoa_has(f->world, e, Parent);
    if (stoa_entity_eq(e, f->top) || !moved) {
        return e;
    }
    ground_look(f);
    return stoa_relation_reaches(f->world, f->relation, e, f->top) ? e : f->top;
}

stoa_status stoa_destroy_recursive(stoa_world *world, stoa_entity e) {
    if (world == NULL) {
        return null_refuse("world");
    }
    felling f = {.world = world, .top = e};
    f.relation = stoa_relation_find(world, relation_name);
    if (f.relation.id == 0) {
        /* No parents yet, and no need to get ready for any. */
        return stoa_destroy(world, e);
    }
    ground_look(&f);
    for (;;) {
        stoa_links children = stoa_relation_sources(world, f.relation, e);
        while (children.count > 0) {
            e = children.items[children.count - 1];
            children = stoa_relation_sources(world, f.relation, e);
        }
        stoa_entity parent = stoa_parent(world, e);
        bool last = stoa_entity_eq(e, f.top);
        stoa_status status = stoa_destroy(world, e);
        if (last || status != STOA_OK || !stoa_alive(world, f.top)) {
            return status;
        }
        e = felling_next(&f, parent);
    }
}

stoa_status stoa_hierarchy_policy(stoa_world *world, stoa_relation_policy policy) {
    if (world == NULL) {
        return null_refuse("world");
    }
    stoa_relation relation = relation_of(world);
    return relation.id != 0 ? stoa_relation_policy_set(world, relation, policy)
                            : stoa_last_error().status;
}
