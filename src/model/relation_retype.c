/* Relations whose component gets another layout.
 *
 * The target is the member of the same name, or the one that it was renamed to. Every source must
 * still point where it does: links and lists stay as they are, so all that changes is where in a
 * value the target is read. O(sources), no memory. One thread at a time. */
#include "model/relation.h"

#include "base/error.h"
#include "model/path.h"

#include <string.h>

/* A component that is compared with what it will be. */
typedef struct comparison {
    const stoa_world *world;
    const stoa__relation *relation;
    const char *name; /* of the component */
} comparison;

static stoa_status targets_compare(void *user, const stoa_entity *entities, const void *values,
                                   int32_t count) {
    const comparison *c = user;
    const stoa__relation *relation = c->relation;
    for (int32_t i = 0; i < count; i++) {
        const uint8_t *value = (const uint8_t *)values + (size_t)i * relation->other_size;
        stoa_entity target;
        memcpy(&target, value + relation->other_offset, sizeof target);
        stoa_entity before =
            stoa__link_read(relation, stoa_try_get_id(c->world, entities[i], relation->component));
        if (!stoa_entity_eq(target, before)) {
            char text[STOA_ENTITY_TEXT_SIZE];
            return stoa__error(STOA_REFUSED,
                               "relation '%s' is kept by component '%s', in whose new layout "
                               "entity %s has another target",
                               relation->name, c->name,
                               stoa_entity_print(entities[i], text, sizeof text));
        }
    }
    return STOA_OK;
}

/* The name of the member that is the target. */
static const char *target_name(const stoa__relation *relation, const stoa_component_info *info) {
    for (int32_t i = 0; i < info->member_count; i++) {
        const stoa_member *member = &info->members[i];
        if (member->kind == STOA_KIND_ENTITY && member->offset == relation->offset) {
            return member->name;
        }
    }
    return "";
}

/* Finds the target in the new layout, and sees that all sources keep theirs. */
static stoa_status relation_follow(const stoa_world *world, stoa__relation *relation,
                                   const stoa_retype *retype, const stoa_retype_change *change) {
    const char *name = target_name(relation, &change->before);
    const stoa_member *member = stoa__path_follow(&change->after, name, strlen(name));
    if (member == NULL || member->kind != STOA_KIND_ENTITY || member->array) {
        return stoa__error(STOA_REFUSED,
                           "relation '%s' has its target in member '%s' of component '%s', which "
                           "is %s in its new layout",
                           relation->name, name, change->after.name,
                           member == NULL ? "gone" : "no entity");
    }
    relation->other_size = change->after.size;
    relation->other_offset = member->offset;
    comparison c = {world, relation, change->after.name};
    return stoa_retype_each(retype, relation->component, targets_compare, &c);
}

static void relation_exchange(stoa__relation *relation) {
    uint32_t size = relation->size, offset = relation->offset;
    relation->size = relation->other_size;
    relation->offset = relation->other_offset;
    relation->other_size = size;
    relation->other_offset = offset;
}

stoa_status stoa__relations_retype(stoa_world *world, void *data, stoa_retype *retype,
                                   stoa_retype_step step) {
    const stoa__relations *all = data;
    stoa_status status = STOA_OK;
    for (uint32_t i = 0; i < all->count && status == STOA_OK; i++) {
        stoa__relation *relation = all->items[i];
        stoa_retype_change change;
        /* Lists are managed, and managed components are what they are for good. */
        if (!stoa_retype_change_get(retype, relation->component, &change) || !change.layout) {
            continue;
        }
        if (step == STOA_RETYPE_MAKE) {
            status = relation_follow(world, relation, retype, &change);
        } else if (step == STOA_RETYPE_SWAP && relation->other_size != 0) {
            relation_exchange(relation);
        } else {
            relation->other_size = 0;
        }
    }
    return status;
}
