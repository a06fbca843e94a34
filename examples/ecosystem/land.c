/* The land: seasons, grass, and the grid that tells what is where. */
#include <string.h>

#include "ecosystem.h"

#define GRASS_MOST 10.0f
#define GRASS_RATE 0.09f
/* What grows of itself where nothing is left. */
#define GRASS_SEED 0.01f
/* So high it hides whoever is in it. */
#define GRASS_HIDES 5.0f

/* How well grass grows in the middle of each season. */
static const float season_growth[] = {1.1f, 1.3f, 0.7f, 0.25f};

/* In the first frame, also of a world that was loaded. */
STOA_SYSTEM_ONCE(prepare, .stage = STOA_STARTUP, .rule = STOA_THREAD_EXCLUSIVE) {
    return land_prepare(job->world);
}

STOA_SYSTEM_ONCE(turn_year, .stage = STOA_PRE_UPDATE, .resources = {STOA_WRITE(Season)}) {
    Season *season = stoa_resource_mut(job->world, Season);
    season->day++;
    if (season->day >= 4 * SEASON_DAYS) {
        season->day = 0;
        season->year++;
    }
    season->name = (SeasonName)(season->day / SEASON_DAYS);
    /* From the middle of one season to that of the next. */
    int32_t since = (season->day + 4 * SEASON_DAYS - SEASON_DAYS / 2) % (4 * SEASON_DAYS);
    float from = season_growth[since / SEASON_DAYS];
    float to = season_growth[(since / SEASON_DAYS + 1) % 4];
    season->growth = from + (to - from) * (float)(since % SEASON_DAYS) / SEASON_DAYS;
    return STOA_OK;
}

static bool grid_is_new(const stoa_world *world, void *user) {
    (void)user;
    return !stoa_resource(world, Grid)->charted;
}

/* Notes down where the plots are: on the first day, also of a world that was loaded. */
STOA_SYSTEM_ONCE(chart, .stage = STOA_PRE_UPDATE, .condition = grid_is_new,
                 .terms = {STOA_READ(Plot)}, .resources = {STOA_WRITE(Grid)}) {
    Grid *grid = stoa_resource_mut(job->world, Grid);
    while (stoa_iter_next(it)) {
        const Plot *plot = stoa_field(it, Plot, 0);
        for (int32_t i = 0; i < it->count; i++) {
            grid->plots[plot_near(0, plot[i].x, plot[i].y)] = it->entities[i];
        }
    }
    grid->charted = true;
    return STOA_OK;
}

/* Notes down where the animals are. Of the grazers on a plot any will do as prey; where the grass
 * is high they are not seen. */
STOA_SYSTEM_ONCE(survey, .stage = STOA_PRE_UPDATE,
                 .terms = {STOA_READ(Position), STOA_OPTIONAL(Grazer), STOA_FILTER(Energy)},
                 .access = {STOA_READ(Grass)}, .resources = {STOA_WRITE(Grid)}) {
    Grid *grid = stoa_resource_mut(job->world, Grid);
    memset(grid->prey, 0, sizeof grid->prey);
    memset(grid->grazers, 0, sizeof grid->grazers);
    memset(grid->hunters, 0, sizeof grid->hunters);
    while (stoa_iter_next(it)) {
        const Position *at = stoa_field(it, Position, 0);
        bool grazers = stoa_field(it, Grazer, 1) != NULL;
        for (int32_t i = 0; i < it->count; i++) {
            int32_t plot = plot_at(at[i].x, at[i].y);
            if (grazers) {
                grid->grazers[plot]++;
                const Grass *grass = stoa_try_get(job->world, grid->plots[plot], Grass);
                grid->prey[plot] =
                    grass != NULL && grass->height < GRASS_HIDES ? it->entities[i] : STOA_NULL;
            } else {
                grid->hunters[plot]++;
            }
        }
    }
    return STOA_OK;
}

STOA_SYSTEM(grow, .stage = STOA_PRE_UPDATE, .terms = {STOA_WRITE(Grass)},
            .resources = {STOA_READ(Season)}) {
    float growth = stoa_resource(job->world, Season)->growth;
    Grass *grass = stoa_field_mut(it, Grass, 0);
    for (int32_t i = 0; i < it->count; i++) {
        float height = grass[i].height;
        height += growth * (GRASS_SEED + GRASS_RATE * height * (1 - height / GRASS_MOST));
        grass[i].height = height < GRASS_MOST ? height : GRASS_MOST;
    }
    return STOA_OK;
}

stoa_status land_parts(stoa_module *module) {
    /* Before Season, which has it as a member. */
    stoa_status status = stoa_module_component(module, SeasonName);
    if (status == STOA_OK) {
        status = stoa_module_system(module, prepare, NULL);
    }
    if (status == STOA_OK) {
        status = stoa_module_system(module, turn_year, NULL);
    }
    if (status == STOA_OK) {
        status = stoa_module_system(module, chart, NULL);
    }
    if (status == STOA_OK) {
        status = stoa_module_system(module, survey, NULL);
    }
    return status == STOA_OK ? stoa_module_system(module, grow, NULL) : status;
}
