/* What all animals do: they move, tire, have young and die. Some come from elsewhere. */
#include <math.h>

#include "ecosystem.h"

/* The name of the strongest hunter. */
#define STRONGEST "alpha"

Velocity heading(float x, float y, float pace) {
    float length = sqrtf(x * x + y * y);
    return length > 0 ? (Velocity){x / length * pace, y / length * pace} : (Velocity){0, 0};
}

Velocity heading_any(stoa_random *random, float pace) {
    float x = (float)stoa_random_unit(random) - 0.5f;
    float y = (float)stoa_random_unit(random) - 0.5f;
    return heading(x, y, pace);
}

/* Round the land. */
static float wrap(float at, float size) {
    return at < 0 ? at + size : at >= size ? at - size : at;
}

STOA_SYSTEM(move, .terms = {STOA_WRITE(Position), STOA_READ(Velocity)}) {
    Position *at = stoa_field_mut(it, Position, 0);
    const Velocity *way = stoa_field(it, Velocity, 1);
    for (int32_t i = 0; i < it->count; i++) {
        at[i].x = wrap(at[i].x + way[i].x, LAND_WIDTH);
        at[i].y = wrap(at[i].y + way[i].y, LAND_HEIGHT);
    }
    return STOA_OK;
}

/* A day takes more from those who run, and more in winter. */
STOA_SYSTEM(tire,
            .terms = {STOA_WRITE(Energy), STOA_WRITE(Age), STOA_READ(Velocity),
                      STOA_OPTIONAL(Hunter)},
            .resources = {STOA_READ(Season)}) {
    Energy *energy = stoa_field_mut(it, Energy, 0);
    Age *age = stoa_field_mut(it, Age, 1);
    const Velocity *way = stoa_field(it, Velocity, 2);
    const species *kind = stoa_field(it, Hunter, 3) != NULL ? &hunter_species : &grazer_species;
    float cold = stoa_resource(job->world, Season)->name == WINTER ? 1.15f : 1;
    for (int32_t i = 0; i < it->count; i++) {
        float run = (way[i].x * way[i].x + way[i].y * way[i].y) / (kind->pace * kind->pace);
        energy[i].left -= kind->hunger * cold * (0.6f + 0.4f * run);
        age[i].days++;
    }
    return STOA_OK;
}

/* True where hunters have no room for more: a territory is five plots by five. */
static bool crowded(const Grid *grid, Position at) {
    int32_t plot = plot_at(at.x, at.y);
    int32_t hunters = 0;
    for (int32_t i = 0; i < 25; i++) {
        hunters += grid->hunters[plot_near(plot, i % 5 - 2, i / 5 - 2)];
    }
    return hunters > 1;
}

STOA_SYSTEM(breed,
            .terms = {STOA_WRITE(Energy), STOA_READ(Age), STOA_READ(Position),
                      STOA_OPTIONAL(Hunter)},
            .resources = {STOA_READ(Grid)}) {
    const Grid *grid = stoa_resource(job->world, Grid);
    Energy *energy = stoa_field_mut(it, Energy, 0);
    const Age *age = stoa_field(it, Age, 1);
    const Position *at = stoa_field(it, Position, 2);
    const species *kind = stoa_field(it, Hunter, 3) != NULL ? &hunter_species : &grazer_species;
    stoa_prefab *prefab = stoa_prefab_find(job->world, kind->prefab);
    for (int32_t i = 0; i < it->count; i++) {
        if (energy[i].left < kind->birth || age[i].days < kind->adult ||
            stoa_random_below(&job->random, 4) != 0 ||
            (kind == &hunter_species && crowded(grid, at[i]))) {
            continue;
        }
        Velocity way = heading_any(&job->random, kind->pace);
        stoa_entity young =
            stoa_commands_instantiate_with(job->commands, prefab, STOA_VALUE_FROM(Position, &at[i]),
                                           STOA_VALUE_FROM(Velocity, &way));
        if (stoa_entity_is_null(young)) {
            return stoa_last_error().status;
        }
        energy[i].left -= kind->gift;
    }
    return STOA_OK;
}

STOA_SYSTEM(die, .terms = {STOA_READ(Energy), STOA_READ(Age), STOA_OPTIONAL(Hunter)}) {
    const Energy *energy = stoa_field(it, Energy, 0);
    const Age *age = stoa_field(it, Age, 1);
    const species *kind = stoa_field(it, Hunter, 2) != NULL ? &hunter_species : &grazer_species;
    stoa_status status = STOA_OK;
    for (int32_t i = 0; i < it->count && status == STOA_OK; i++) {
        if (energy[i].left <= 0 || age[i].days > kind->life) {
            status = stoa_commands_destroy(job->commands, it->entities[i]);
        }
    }
    return status;
}

/* A pair, or a herd, from the west. */
static stoa_status come(stoa_job *job, const species *kind, int32_t count) {
    stoa_prefab *prefab = stoa_prefab_find(job->world, kind->prefab);
    for (int32_t i = 0; i < count; i++) {
        Position at = {0, LAND_HEIGHT * (float)stoa_random_unit(&job->random)};
        Velocity way = {kind->pace, 0};
        if (stoa_entity_is_null(stoa_commands_instantiate_with(job->commands, prefab,
                                                               STOA_VALUE_FROM(Position, &at),
                                                               STOA_VALUE_FROM(Velocity, &way)))) {
            return stoa_last_error().status;
        }
    }
    return STOA_OK;
}

static bool spring_begins(const stoa_world *world, void *user) {
    (void)user;
    const Season *season = stoa_resource_try(world, Season);
    return season != NULL && season->day == 1;
}

/* On the second day of spring those come of whom there are few. */
STOA_SYSTEM_ONCE(immigrate, .condition = spring_begins, .resources = {STOA_READ(Census)}) {
    const Census *census = stoa_resource(job->world, Census);
    stoa_status status = STOA_OK;
    if (census->grazers < grazer_species.immigrate) {
        status = come(job, &grazer_species, grazer_species.immigrate);
    }
    if (status == STOA_OK && census->hunters < hunter_species.immigrate) {
        status = come(job, &hunter_species, hunter_species.immigrate);
    }
    return status;
}

/* When the strongest hunter is gone the one that is strongest now gets its name. */
STOA_SYSTEM_ONCE(crown, .stage = STOA_POST_UPDATE,
                 .terms = {STOA_READ(Energy), STOA_FILTER(Hunter)}) {
    stoa_entity strongest = STOA_NULL;
    float most = 0;
    if (!stoa_entity_is_null(stoa_find(job->world, STRONGEST))) {
        return STOA_OK;
    }
    while (stoa_iter_next(it)) {
        const Energy *energy = stoa_field(it, Energy, 0);
        for (int32_t i = 0; i < it->count; i++) {
            if (energy[i].left > most) {
                most = energy[i].left;
                strongest = it->entities[i];
            }
        }
    }
    return stoa_entity_is_null(strongest)
               ? STOA_OK
               : stoa_commands_name_set(job->commands, strongest, STRONGEST);
}

stoa_status life_parts(stoa_module *module) {
    stoa_status status = stoa_module_system(module, move, NULL);
    if (status == STOA_OK) {
        status = stoa_module_system(module, tire, NULL);
    }
    if (status == STOA_OK) {
        status = stoa_module_system(module, breed, NULL);
    }
    if (status == STOA_OK) {
        status = stoa_module_system(module, die, NULL);
    }
    if (status == STOA_OK) {
        status = stoa_module_system(module, immigrate, NULL);
    }
    return status == STOA_OK ? stoa_module_system(module, crown, NULL) : status;
}
