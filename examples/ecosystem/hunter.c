/* Hunters: they look for prey, go after it, and eat what they reach.
 *
 * Two may reach the same grazer on the same day. Both send it an event; events are told in an order
 * that does not depend on threads, and one to a grazer that is gone by then is told to nobody. */
#include "ecosystem.h"

/* How far hunters see, in plots, and how near they must come to prey. */
#define SIGHT 5
#define REACH 0.7f
/* How often prey that was reached gets away, for each time that it is caught. */
#define ESCAPES 4
/* Days that a meal lasts, the share of the prey's energy that is in it, and what its body adds. */
#define MEAL_DAYS 25
#define MEAL_SHARE 0.6f
#define MEAL_BODY 16.0f

/* How far it is from one place to another along a side of the land, the shorter way round. */
static float way_along(float from, float to, float size) {
    float way = to - from;
    return way > size / 2 ? way - size : way < -size / 2 ? way + size : way;
}

static Velocity way_to(Position from, Position to) {
    return (Velocity){way_along(from.x, to.x, LAND_WIDTH), way_along(from.y, to.y, LAND_HEIGHT)};
}

/* A grazer on the nearest plot that has one, ring by ring. */
static stoa_entity prey_find(const Grid *grid, int32_t plot) {
    for (int32_t ring = 0; ring <= SIGHT; ring++) {
        for (int32_t row = -ring; row <= ring; row++) {
            int32_t step = row == -ring || row == ring || ring == 0 ? 1 : 2 * ring;
            for (int32_t column = -ring; column <= ring; column += step) {
                stoa_entity prey = grid->prey[plot_near(plot, column, row)];
                if (!stoa_entity_is_null(prey)) {
                    return prey;
                }
            }
        }
    }
    return STOA_NULL;
}

STOA_SYSTEM(stalk,
            .terms = {STOA_WRITE(Hunter), STOA_READ(Position), STOA_WRITE(Velocity),
                      STOA_WITHOUT(Digesting)},
            .resources = {STOA_READ(Grid)}) {
    const Grid *grid = stoa_resource(job->world, Grid);
    Hunter *hunter = stoa_field_mut(it, Hunter, 0);
    const Position *at = stoa_field(it, Position, 1);
    Velocity *way = stoa_field_mut(it, Velocity, 2);
    for (int32_t i = 0; i < it->count; i++) {
        /* A handle of one that died is never taken for another. */
        if (!stoa_alive(job->world, hunter[i].prey)) {
            hunter[i].prey = prey_find(grid, plot_at(at[i].x, at[i].y));
        }
        const Position *there = stoa_try_get(job->world, hunter[i].prey, Position);
        if (there != NULL) {
            Velocity to = way_to(at[i], *there);
            way[i] = heading(to.x, to.y, hunter_species.pace);
        } else if (stoa_random_below(&job->random, 8) == 0) {
            way[i] = heading_any(&job->random, hunter_species.pace * 0.5f);
        }
        /* One that got away is given up now and then. */
        if (stoa_random_below(&job->random, 12) == 0) {
            hunter[i].prey = STOA_NULL;
        }
    }
    return STOA_OK;
}

STOA_SYSTEM(strike, .terms = {STOA_READ(Hunter), STOA_READ(Position), STOA_WITHOUT(Digesting)}) {
    const Hunter *hunter = stoa_field(it, Hunter, 0);
    const Position *at = stoa_field(it, Position, 1);
    for (int32_t i = 0; i < it->count; i++) {
        stoa_with(job->world, hunter[i].prey, Position, there) {
            Velocity way = way_to(at[i], *there);
            bool near = way.x * way.x + way.y * way.y < REACH * REACH;
            if (near && stoa_random_below(&job->random, ESCAPES + 1) == 0) {
                stoa_commands_send_to(job->commands, hunter[i].prey, Caught, {it->entities[i]});
            }
        }
    }
    return STOA_OK;
}

/* Told after the batch, for one event after the other. */
static void caught_settle(stoa_world *world, const stoa_event *event, void *user) {
    (void)user;
    const Caught *caught = event->data;
    const Energy *meal = stoa_try_get(world, event->target, Energy);
    stoa_with_mut(world, caught->hunter, Energy, energy) {
        energy->left += MEAL_BODY + (meal != NULL ? meal->left * MEAL_SHARE : 0);
        stoa_resource_mut(world, Toll)->caught++;
        stoa_set(world, caught->hunter, Digesting, {MEAL_DAYS});
        stoa_destroy(world, event->target);
    }
}

STOA_SYSTEM(digest, .terms = {STOA_WRITE(Digesting), STOA_WRITE(Velocity)}) {
    Velocity *way = stoa_field_mut(it, Velocity, 1);
    for (int32_t i = 0; i < it->count; i++) {
        Digesting *digesting = stoa_field_at_mut(it, Digesting, 0, i);
        way[i] = (Velocity){0, 0};
        if (--digesting->days <= 0) {
            stoa_commands_remove(job->commands, it->entities[i], Digesting);
        }
    }
    return STOA_OK;
}

stoa_status hunter_parts(stoa_module *module) {
    stoa_listener_desc listener = {.type = STOA_TYPE_OF(Caught), .call = caught_settle};
    stoa_status status = stoa_module_system(module, stalk, NULL);
    if (status == STOA_OK) {
        status = stoa_module_system(module, strike, NULL);
    }
    if (status == STOA_OK) {
        status = stoa_module_system(module, digest, NULL);
    }
    return status == STOA_OK ? stoa_module_listener(module, &listener) : status;
}
