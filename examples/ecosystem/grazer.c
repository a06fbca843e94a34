/* Grazers: they run from hunters, go where the grass is high, and eat it.
 *
 * Those on one plot share what is there. Each reckons its share for itself and takes no grass;
 * what all of them took is reckoned once more, plot by plot. So no two threads write one plot. */
#include "ecosystem.h"

/* Grass that a grazer eats in a day. */
#define BITE 0.8f
/* Grass that is too short to be eaten. */
#define STUBBLE 0.3f
/* How far grazers see hunters, in plots, and for how many days they run from them. */
#define SIGHT 2
#define ALARM 6

/* What each of some grazers gets of grass of that height. */
static float share_of(float height, int32_t grazers) {
    float share = (height - STUBBLE) / (float)grazers;
    return share < 0 ? 0 : share < BITE ? share : BITE;
}

/* Away from all hunters in sight; false if there is none. */
static bool flight(const Grid *grid, int32_t plot, Velocity *way) {
    int32_t x = 0;
    int32_t y = 0;
    bool seen = false;
    for (int32_t row = -SIGHT; row <= SIGHT; row++) {
        for (int32_t column = -SIGHT; column <= SIGHT; column++) {
            int32_t hunters = grid->hunters[plot_near(plot, column, row)];
            seen = seen || hunters > 0;
            x -= column * hunters;
            y -= row * hunters;
        }
    }
    if (seen) {
        *way = heading((float)x, (float)y, grazer_species.pace);
    }
    return seen;
}

/* To the plot of the eight around that has most for one more grazer, if that is more than here. */
static Velocity pasture(const stoa_job *job, const Grid *grid, int32_t plot, Velocity way) {
    float best = 0;
    for (int32_t i = 0; i < 9; i++) {
        int32_t column = i % 3 - 1;
        int32_t row = i / 3 - 1;
        int32_t there = plot_near(plot, column, row);
        const Grass *grass = stoa_try_get(job->world, grid->plots[there], Grass);
        float height = grass != NULL ? grass->height / (float)(grid->grazers[there] + 1) : 0;
        if (height > best) {
            best = height;
            way = heading((float)column, (float)row, grazer_species.pace * 0.4f);
        }
    }
    return way;
}

STOA_SYSTEM(roam, .terms = {STOA_READ(Position), STOA_WRITE(Velocity), STOA_WRITE(Grazer)},
            .access = {STOA_READ(Grass)}, .resources = {STOA_READ(Grid)}) {
    const Grid *grid = stoa_resource(job->world, Grid);
    const Position *at = stoa_field(it, Position, 0);
    Velocity *way = stoa_field_mut(it, Velocity, 1);
    Grazer *grazer = stoa_field_mut(it, Grazer, 2);
    for (int32_t i = 0; i < it->count; i++) {
        int32_t plot = plot_at(at[i].x, at[i].y);
        if (flight(grid, plot, &way[i])) {
            grazer[i].alarm = ALARM;
        } else if (grazer[i].alarm > 0) {
            grazer[i].alarm--;
        } else if (stoa_random_below(&job->random, 4) == 0) {
            way[i] = heading_any(&job->random, grazer_species.pace * 0.4f);
        } else {
            way[i] = pasture(job, grid, plot, way[i]);
        }
    }
    return STOA_OK;
}

STOA_SYSTEM(graze, .terms = {STOA_READ(Position), STOA_WRITE(Energy), STOA_FILTER(Grazer)},
            .access = {STOA_READ(Grass)}, .resources = {STOA_READ(Grid)}) {
    const Grid *grid = stoa_resource(job->world, Grid);
    const Position *at = stoa_field(it, Position, 0);
    Energy *energy = stoa_field_mut(it, Energy, 1);
    for (int32_t i = 0; i < it->count; i++) {
        int32_t plot = plot_at(at[i].x, at[i].y);
        stoa_with(job->world, grid->plots[plot], Grass, grass) {
            energy[i].left += share_of(grass->height, grid->grazers[plot]);
        }
    }
    return STOA_OK;
}

STOA_SYSTEM(crop, .terms = {STOA_READ(Plot), STOA_WRITE(Grass)}, .resources = {STOA_READ(Grid)}) {
    const Grid *grid = stoa_resource(job->world, Grid);
    const Plot *plot = stoa_field(it, Plot, 0);
    Grass *grass = stoa_field_mut(it, Grass, 1);
    for (int32_t i = 0; i < it->count; i++) {
        int32_t grazers = grid->grazers[plot_near(0, plot[i].x, plot[i].y)];
        if (grazers > 0) {
            grass[i].height -= share_of(grass[i].height, grazers) * (float)grazers;
        }
    }
    return STOA_OK;
}

stoa_status grazer_parts(stoa_module *module) {
    stoa_status status = stoa_module_system(module, roam, NULL);
    if (status == STOA_OK) {
        status = stoa_module_system(module, graze, NULL);
    }
    return status == STOA_OK ? stoa_module_system(module, crop, NULL) : status;
}
