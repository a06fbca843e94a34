/* An inventory: things are in containers by a relation, which knows the way back and what becomes
 * of things whose container is gone. Indexes find things by what they are and what they weigh. */
#include <stdio.h>
#include <stoa.h>
#include <stoa/index.h>
#include <stoa/relation.h>

/* Where a thing is: whoever is told of it sees every change, since it is replaced as a whole. */
STOA_COMPONENT_WITH(Inside, STOA_OPTIONS(.flags = STOA_IMMUTABLE), {
    stoa_entity container;
    int32_t slot;
});
/* What a container holds, kept by the relation. */
STOA_COMPONENT_WITH(Contents, STOA_OPTIONS(.flags = STOA_SPARSE | STOA_IMMUTABLE | STOA_MANAGED), {
    const stoa_entity *items;
    int32_t count;
});
STOA_COMPONENT(Thing, {
    char label[12];
    int32_t kind;
    float weight;
});
/* Who carries which keys: any number of both. */
STOA_COMPONENT_WITH(Opens, STOA_OPTIONS(.flags = STOA_SPARSE | STOA_IMMUTABLE | STOA_MANAGED), {
    const stoa_entity *items;
    int32_t count;
});

enum { CONTAINER, WEAPON, FOOD, KEY };

static stoa_entity thing_make(stoa_world *w, const char *label, int32_t kind, float weight) {
    Thing thing = {.kind = kind, .weight = weight};
    snprintf(thing.label, sizeof thing.label, "%s", label);
    return stoa_create_with(w, STOA_VALUE_FROM(Thing, &thing));
}

static const char *label_of(const stoa_world *w, stoa_entity e) {
    const Thing *thing = stoa_try_get(w, e, Thing);
    return thing != NULL ? thing->label : "-";
}

/* What a container holds, and what those hold in turn. */
static void contents_print(const stoa_world *w, stoa_entity container, int32_t depth) {
    printf("%*s%s\n", depth * 2, "", label_of(w, container));
    stoa_with(w, container, Contents, contents) {
        for (int32_t i = 0; i < contents->count; i++) {
            contents_print(w, contents->items[i], depth + 1);
        }
    }
}

/* The weight of a thing with all that is in it. */
static float weight_of(const stoa_world *w, stoa_relation inside, stoa_entity e) {
    float weight = stoa_get(w, e, Thing)->weight;
    stoa_links things = stoa_relation_sources(w, inside, e);
    for (int32_t i = 0; i < things.count; i++) {
        weight += weight_of(w, inside, things.items[i]);
    }
    return weight;
}

static void found_print(const stoa_world *w, const char *what, stoa_found found) {
    printf("%s:", what);
    while (stoa_found_next(&found)) {
        printf(" %s", label_of(w, found.entity));
    }
    printf("\n");
}

int main(void) {
    stoa_world *w = stoa_world_new(NULL);
    stoa_relation inside = stoa_relation_new(w, &(stoa_relation_desc){
                                                    .type = STOA_TYPE_OF(Inside),
                                                    .reverse = STOA_TYPE_OF(Contents),
                                                    .policy = STOA_CASCADE,
                                                    .acyclic = true,
                                                });

    printf("-- things in things\n");
    stoa_entity hero = thing_make(w, "hero", CONTAINER, 80);
    stoa_entity pack = thing_make(w, "pack", CONTAINER, 2);
    stoa_entity pouch = thing_make(w, "pouch", CONTAINER, 0.25f);
    stoa_entity sword = thing_make(w, "sword", WEAPON, 3);
    stoa_entity bread = thing_make(w, "bread", FOOD, 0.5f);
    stoa_entity apple = thing_make(w, "apple", FOOD, 0.25f);
    stoa_entity key = thing_make(w, "key", KEY, 0.125f);
    stoa_relation_add(w, inside, pack, hero);
    stoa_relation_add(w, inside, sword, hero);
    stoa_relation_add(w, inside, pouch, pack);
    stoa_relation_add(w, inside, bread, pack);
    stoa_set(w, apple, Inside, {.container = pack, .slot = 4});
    stoa_set(w, key, Inside, {.container = pouch, .slot = 1});
    contents_print(w, hero, 0);
    printf("the hero carries %g kg\n", (double)(weight_of(w, inside, hero) - 80));
    printf("the key is in the %s, %s the hero\n", label_of(w, stoa_relation_target(w, inside, key)),
           stoa_relation_reaches(w, inside, key, hero) ? "on" : "not on");

    printf("-- what cannot be\n");
    stoa_status status = stoa_relation_add(w, inside, pack, pouch);
    printf("pack into pouch: %s\n", stoa_status_text(status));
    stoa_set(w, hero, Contents, {.count = 3});
    printf("writing contents: %s\n", stoa_last_error().message);

    printf("-- found by what they are\n");
    stoa_index *kinds = stoa_index_on(w, Thing, kind);
    stoa_index *weights = stoa_index_ordered_on(w, Thing, weight);
    found_print(w, "food", stoa_index_find(kinds, STOA_KEY(int32_t, FOOD)));
    found_print(w, "from 1 to 5 kg",
                stoa_index_range(weights, STOA_KEY(float, 1), STOA_KEY(float, 5)));
    for (stoa_found f = stoa_index_find(kinds, STOA_KEY(int32_t, FOOD)); stoa_found_next(&f);) {
        printf("%s in the %s\n", label_of(w, f.entity),
               label_of(w, stoa_relation_target(w, inside, f.entity)));
    }

    printf("-- moved and lost\n");
    stoa_relation_add(w, inside, apple, pouch);
    printf("the apple keeps slot %d\n", stoa_get(w, apple, Inside)->slot);
    stoa_relation_remove(w, inside, sword, hero);
    contents_print(w, hero, 0);
    stoa_destroy(w, pouch);
    printf("without the pouch: key %s, apple %s\n", stoa_alive(w, key) ? "here" : "gone",
           stoa_alive(w, apple) ? "here" : "gone");
    found_print(w, "food", stoa_index_find(kinds, STOA_KEY(int32_t, FOOD)));
    contents_print(w, hero, 0);

    printf("-- keys and doors\n");
    stoa_relation opens = stoa_relation_new(
        w, &(stoa_relation_desc){.type = STOA_TYPE_OF(Opens), .many = true, .policy = STOA_REFUSE});
    stoa_entity gate = thing_make(w, "gate", CONTAINER, 500);
    stoa_entity chest = thing_make(w, "chest", CONTAINER, 30);
    stoa_entity master = thing_make(w, "master", KEY, 0.125f);
    stoa_relation_add(w, opens, master, gate);
    stoa_relation_add(w, opens, master, chest);
    printf("the %s opens %d, the first is the %s\n", label_of(w, master),
           stoa_relation_targets(w, opens, master).count,
           label_of(w, stoa_relation_target(w, opens, master)));
    status = stoa_destroy(w, gate);
    printf("destroying the gate: %s\n", stoa_status_text(status));
    stoa_destroy(w, master);
    status = stoa_destroy(w, gate);
    printf("after its key: %s\n", stoa_status_text(status));

    printf("%s\n", stoa_status_text(stoa_check(w)));
    stoa_world_free(w);
    return 0;
}
