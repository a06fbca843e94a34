/* Prefabs: a spawner. Monsters build on each other, a wagon brings its crew, waves come in bulk. */
#include <stdio.h>
#include <stoa.h>

STOA_COMPONENT(Label, { char text[12]; });
STOA_COMPONENT(Position, { float x, y; });
STOA_COMPONENT(Health, { int32_t points; });
STOA_COMPONENT(Damage, { int32_t points; });
STOA_COMPONENT(Rides, { stoa_entity wagon; });
STOA_COMPONENT(Crew, { stoa_entity driver, guard; });
STOA_TAG(Undead);

static void monster_print(stoa_world *w, stoa_entity e) {
    printf("%-8s", stoa_get(w, e, Label)->text);
    stoa_with(w, e, Position, at) {
        printf(" at %g,%g", (double)at->x, (double)at->y);
    }
    stoa_with(w, e, Health, health) {
        printf(" health %d", health->points);
    }
    stoa_with(w, e, Damage, damage) {
        printf(" damage %d", damage->points);
    }
    printf("%s\n", stoa_has(w, e, Undead) ? " undead" : "");
}

/* Called once for each monster, with the health that it ends up with. */
static void health_sum(stoa_world *w, stoa_entity e, void *value, void *user) {
    (void)w;
    (void)e;
    *(int32_t *)user += ((const Health *)value)->points;
}

static void variants_show(stoa_world *w) {
    stoa_prefab *orc = stoa_prefab_new(w, &(stoa_prefab_desc){.name = "orc"});
    stoa_prefab_set(orc, Label, {"orc"});
    stoa_prefab_set(orc, Position, {0, 0});
    stoa_prefab_set(orc, Health, {30});
    stoa_prefab *ghoul = stoa_prefab_new(w, &(stoa_prefab_desc){.name = "ghoul", .base = orc});
    stoa_prefab_set(ghoul, Label, {"ghoul"});
    stoa_prefab_add(ghoul, Undead);
    stoa_prefab_set(orc, Damage, {4}); /* seen by the ghoul */

    monster_print(w, stoa_prefab_instantiate(orc));
    monster_print(w, stoa_prefab_instantiate(ghoul));
    monster_print(
        w, stoa_prefab_instantiate_with(ghoul, STOA_VALUE(Health, {80}), STOA_REMOVE(Damage)));
    printf("prefabs are no entities: %d live\n", stoa_count(w));
}

static void wave_show(stoa_world *w) {
    int32_t sum = 0;
    stoa_hook hook = stoa_on_set(w, Health, health_sum, &sum);
    Position places[5];
    stoa_entity wave[5];
    for (int i = 0; i < 5; i++) {
        places[i] = (Position){(float)i * 10, 50};
    }
    stoa_prefab_instantiate_bulk(stoa_prefab_find(w, "orc"), 5, wave,
                                 STOA_VALUES(STOA_COLUMN(Position, places)));
    monster_print(w, wave[0]);
    monster_print(w, wave[4]);
    printf("hooks were told of %d health\n", sum);
    stoa_hook_remove(w, hook);
}

static void wagon_show(stoa_world *w) {
    stoa_prefab *wagon = stoa_prefab_new(w, &(stoa_prefab_desc){.name = "wagon"});
    stoa_prefab_set(wagon, Label, {"wagon"});
    stoa_prefab_set(wagon, Position, {7, 7});
    int32_t driver = stoa_prefab_child(wagon, stoa_prefab_find(w, "orc"));
    int32_t guard = stoa_prefab_child(wagon, stoa_prefab_find(w, "ghoul"));
    stoa_prefab_node_set(wagon, driver, Label, {"driver"});
    stoa_prefab_node_set(wagon, guard, Health, {200});
    stoa_prefab_node_set(wagon, driver, Rides, {stoa_prefab_node(0)});
    stoa_prefab_node_set(wagon, guard, Rides, {stoa_prefab_node(0)});
    stoa_prefab_set(wagon, Crew, {stoa_prefab_node(driver), stoa_prefab_node(guard)});

    for (int i = 0; i < 2; i++) {
        stoa_entity tree[3];
        stoa_prefab_instantiate_tree(wagon, NULL, 0, tree, 3);
        const Crew *crew = stoa_get(w, tree[0], Crew);
        monster_print(w, tree[0]);
        monster_print(w, crew->driver);
        monster_print(w, crew->guard);
        printf("all on one wagon: %s\n",
               stoa_entity_eq(stoa_get(w, crew->driver, Rides)->wagon, tree[0]) &&
                       stoa_entity_eq(stoa_get(w, crew->guard, Rides)->wagon, tree[0])
                   ? "yes"
                   : "no");
    }
}

/* Every undead calls another one, which lives when the loop is over. */
static void calls_show(stoa_world *w) {
    stoa_query *undead = stoa_query_parse(w, "Undead");
    stoa_prefab *ghoul = stoa_prefab_find(w, "ghoul");
    printf("%d undead\n", stoa_query_count(undead));
    for (stoa_iter it = stoa_query_iter(undead); stoa_iter_next(&it);) {
        for (int32_t i = 0; i < it.count; i++) {
            stoa_commands_instantiate(stoa_deferred(w), ghoul, NULL, 0);
        }
    }
    stoa_flush(w);
    printf("%d undead\n", stoa_query_count(undead));
}

int main(void) {
    stoa_world *w = stoa_world_new(NULL);
    printf("-- variants, overrides\n");
    variants_show(w);
    printf("-- a wave\n");
    wave_show(w);
    printf("-- a wagon with its crew\n");
    wagon_show(w);
    printf("-- recorded in a loop\n");
    calls_show(w);
    stoa_world_free(w);
}
