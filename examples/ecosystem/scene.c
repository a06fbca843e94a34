/* The scene: prefabs, resources, and what lives on the first day. */
#include "ecosystem.h"

#define FIRST_GRAZERS 1500
#define FIRST_HUNTERS 60

const species grazer_species = {"grazer", 0.5f, 0.22f, 40, 16, 40, 700, 400};
const species hunter_species = {"hunter", 0.7f, 0.70f, 140, 60, 90, 900, 20};

/* What an animal has, whatever it is. */
static stoa_prefab *animal_prefab(stoa_world *world) {
    stoa_prefab *animal = stoa_prefab_new(world, &(stoa_prefab_desc){.name = "animal"});
    if (animal == NULL || stoa_prefab_add(animal, Position) != STOA_OK ||
        stoa_prefab_add(animal, Velocity) != STOA_OK ||
        stoa_prefab_add(animal, Energy) != STOA_OK || stoa_prefab_add(animal, Age) != STOA_OK) {
        return NULL;
    }
    return animal;
}

static stoa_status prefabs_make(stoa_world *world) {
    if (stoa_prefab_find(world, hunter_species.prefab) != NULL) {
        return STOA_OK;
    }
    stoa_prefab *animal = animal_prefab(world);
    if (animal == NULL) {
        return stoa_last_error().status;
    }
    stoa_prefab *grazer =
        stoa_prefab_new(world, &(stoa_prefab_desc){.name = grazer_species.prefab, .base = animal});
    stoa_prefab *hunter =
        stoa_prefab_new(world, &(stoa_prefab_desc){.name = hunter_species.prefab, .base = animal});
    if (grazer == NULL || stoa_prefab_add(grazer, Grazer) != STOA_OK ||
        stoa_prefab_set(grazer, Energy, {grazer_species.gift}) != STOA_OK || hunter == NULL ||
        stoa_prefab_add(hunter, Hunter) != STOA_OK ||
        stoa_prefab_set(hunter, Energy, {hunter_species.gift}) != STOA_OK) {
        return stoa_last_error().status;
    }
    return STOA_OK;
}

stoa_status land_prepare(stoa_world *world) {
    static const Grid empty_grid;
    static const Map empty_map;
    stoa_status status = prefabs_make(world);
    if (status == STOA_OK && !stoa_resource_has(world, Grid)) {
        status = stoa_resource_set_from(world, Grid, &empty_grid);
    }
    if (status == STOA_OK && !stoa_resource_has(world, Map)) {
        status = stoa_resource_set_from(world, Map, &empty_map);
    }
    return status;
}

static stoa_status plots_make(stoa_world *world, stoa_random *random) {
    static Plot plots[LAND_PLOTS];
    static Grass grass[LAND_PLOTS];
    for (int32_t i = 0; i < LAND_PLOTS; i++) {
        plots[i] = (Plot){i % LAND_WIDTH, i / LAND_WIDTH};
        grass[i].height = 2 + 6 * (float)stoa_random_unit(random);
    }
    return stoa_create_bulk(world, LAND_PLOTS, NULL, STOA_COLUMN(Plot, plots),
                            STOA_COLUMN(Grass, grass));
}

/* Animals of all ages, anywhere. */
static stoa_status animals_make(stoa_world *world, const species *kind, int32_t count,
                                stoa_random *random) {
    stoa_status status = STOA_OK;
    for (int32_t i = 0; i < count && status == STOA_OK; i++) {
        Position at = {LAND_WIDTH * (float)stoa_random_unit(random),
                       LAND_HEIGHT * (float)stoa_random_unit(random)};
        Velocity way = heading_any(random, kind->pace);
        Age age = {(int32_t)stoa_random_below(random, (uint32_t)kind->life / 2)};
        stoa_entity e = stoa_prefab_instantiate_with(
            stoa_prefab_find(world, kind->prefab), STOA_VALUE_FROM(Position, &at),
            STOA_VALUE_FROM(Velocity, &way), STOA_VALUE_FROM(Age, &age));
        status = stoa_entity_is_null(e) ? stoa_last_error().status : STOA_OK;
    }
    return status;
}

stoa_status scene_build(stoa_app *app) {
    stoa_world *world = stoa_app_world(app);
    stoa_random random = stoa_random_new(1, 0);
    stoa_status status = land_prepare(world);
    if (status == STOA_OK) {
        status = stoa_resource_set(world, Season, {.day = -1});
    }
    if (status == STOA_OK) {
        status = plots_make(world, &random);
    }
    if (status == STOA_OK) {
        status = animals_make(world, &grazer_species, FIRST_GRAZERS, &random);
    }
    if (status == STOA_OK) {
        status = animals_make(world, &hunter_species, FIRST_HUNTERS, &random);
    }
    /* Those of the scene were not born: counting begins now. */
    if (status == STOA_OK) {
        status = stoa_resource_set(world, Toll, {0});
    }
    return status == STOA_OK ? stoa_resource_set(world, Census, {.grass = 0}) : status;
}
