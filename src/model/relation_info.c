/* What tools ask about relations: which there are, and what they were made with.
 *
 * O(1), no memory; any number of threads while none changes the world. */
#include "base/error.h"
#include "model/relation.h"

stoa_relation stoa_relation_next(const stoa_world *world, stoa_relation relation) {
    const stoa__relations *all = world != NULL ? stoa__relations_of(world) : NULL;
    return (stoa_relation){all != NULL && relation.id < all->count ? relation.id + 1 : 0};
}

stoa_status stoa_relation_info_get(const stoa_world *world, stoa_relation relation,
                                   stoa_relation_info *info) {
    if (world == NULL || info == NULL) {
        return stoa_world_report(world, stoa__error(STOA_NULL_ARGUMENT, "the %s must not be null",
                                                    world == NULL ? "world" : "info"));
    }
    const stoa__relations *all = stoa__relations_of(world);
    if (all == NULL || relation.id - 1 >= all->count) {
        return stoa_world_report(
            world, stoa__error(STOA_NOT_FOUND, "there is no relation with the id %u", relation.id));
    }
    const stoa__relation *found = all->items[relation.id - 1];
    *info = (stoa_relation_info){.name = found->name,
                                 .component = found->component,
                                 .reverse = found->sides[STOA__TARGET].component,
                                 .policy = found->policy,
                                 .many = found->many,
                                 .acyclic = found->acyclic};
    return STOA_OK;
}
