/* Counting what lives, and drawing the land.
 *
 * Births and deaths are told by an observer, whatever brought them about. */
#include <stdio.h>

#include "ecosystem.h"

/* Plots that one character of the map stands for, and frames from one map to the next. */
#define MAP_COLUMNS 2
#define MAP_ROWS 4
#define MAP_FRAMES 4

static void animal_enter(stoa_world *world, stoa_entity e, void *user) {
    (void)e;
    (void)user;
    Toll *toll = stoa_resource_try_mut(world, Toll);
    if (toll != NULL) {
        toll->born++;
    }
}

/* Those that were caught are counted where that happens. */
static void animal_leave(stoa_world *world, stoa_entity e, void *user) {
    (void)user;
    Toll *toll = stoa_resource_try_mut(world, Toll);
    const Energy *energy = stoa_try_get(world, e, Energy);
    const Age *age = stoa_try_get(world, e, Age);
    const species *kind = stoa_has(world, e, Hunter) ? &hunter_species : &grazer_species;
    if (toll != NULL && energy != NULL && age != NULL) {
        toll->starved += energy->left <= 0;
        toll->aged += energy->left > 0 && age->days > kind->life;
    }
}

STOA_SYSTEM_ONCE(count, .stage = STOA_POST_UPDATE,
                 .terms = {STOA_ANY(Grass), STOA_ANY(Grazer), STOA_ANY(Hunter)},
                 .resources = {STOA_WRITE(Census), STOA_READ(Season)}) {
    static const char *const names[] = {"spring", "summer", "autumn", "winter"};
    const Season *season = stoa_resource(job->world, Season);
    Census *census = stoa_resource_mut(job->world, Census);
    double height = 0;
    *census = (Census){.grass = 0};
    while (stoa_iter_next(it)) {
        const Grass *grass = stoa_field(it, Grass, 0);
        for (int32_t i = 0; grass != NULL && i < it->count; i++) {
            height += (double)grass[i].height;
        }
        census->grazers += stoa_field(it, Grazer, 1) != NULL ? it->count : 0;
        census->hunters += stoa_field(it, Hunter, 2) != NULL ? it->count : 0;
    }
    census->grass = (int32_t)(height * 100 / LAND_PLOTS);
    snprintf(census->date, sizeof census->date, "%s of year %d", names[season->name],
             (int)(season->year % 1000000) + 1);
    return STOA_OK;
}

/* The sign for a part of the land: hunters, or else many grazers, or else grass. */
static char map_sign(const stoa_job *job, const Grid *grid, int32_t plot) {
    int32_t hunters = 0;
    int32_t grazers = 0;
    float height = 0;
    for (int32_t i = 0; i < MAP_COLUMNS * MAP_ROWS; i++) {
        int32_t at = plot_near(plot, i % MAP_COLUMNS, i / MAP_COLUMNS);
        hunters += grid->hunters[at];
        grazers += grid->grazers[at];
        stoa_with(job->world, grid->plots[at], Grass, grass) {
            height += grass->height;
        }
    }
    if (hunters > 0) {
        return 'X';
    }
    if (grazers > 3) {
        return grazers > 9 ? 'O' : 'o';
    }
    int32_t level = (int32_t)(height / (MAP_COLUMNS * MAP_ROWS * 2.5f));
    return " .:;"[level < 3 ? level : 3];
}

static bool map_due(const stoa_world *world, void *user) {
    (void)user;
    const Season *season = stoa_resource_try(world, Season);
    return season != NULL && season->day % MAP_FRAMES == 0;
}

STOA_SYSTEM_ONCE(draw, .stage = STOA_RENDER, .condition = map_due, .access = {STOA_READ(Grass)},
                 .resources = {STOA_READ(Grid), STOA_WRITE(Map)}) {
    const Grid *grid = stoa_resource(job->world, Grid);
    char *to = stoa_resource_mut(job->world, Map)->text;
    for (int32_t row = 0; row < LAND_HEIGHT; row += MAP_ROWS) {
        for (int32_t column = 0; column < LAND_WIDTH; column += MAP_COLUMNS) {
            *to++ = map_sign(job, grid, plot_near(0, column, row));
        }
        *to++ = '\n';
    }
    *to = '\0';
    return STOA_OK;
}

stoa_status census_parts(stoa_module *module) {
    stoa_observer_desc animals = {
        .query = {.terms = {STOA_FILTER(Energy)}}, .enter = animal_enter, .leave = animal_leave};
    /* No system tells of it, so that it must be named for a world that is loaded. */
    stoa_status status = stoa_module_component(module, Toll);
    if (status == STOA_OK) {
        status = stoa_module_observer(module, &animals);
    }
    if (status == STOA_OK) {
        status = stoa_module_system(module, count, NULL);
    }
    return status == STOA_OK ? stoa_module_system(module, draw, NULL) : status;
}
