/* A small living ecosystem: grass, grazers that eat it, hunters that eat those, and seasons.
 *
 * The land is a grid of plots that goes round at its edges. A plot is an entity with grass on it;
 * an animal is an entity with a place. What lives where is noted down once a frame in the resource
 * Grid, which all systems read from. */
#ifndef ECOSYSTEM_H
#define ECOSYSTEM_H

#include <stoa.h>
#include <stoa/module.h>

/* Plots side by side, one below the other, and in all. */
#define LAND_WIDTH 96
#define LAND_HEIGHT 64
#define LAND_PLOTS 6144
/* Days, which are frames, of a season. */
#define SEASON_DAYS 100

STOA_COMPONENT(Plot, { int32_t x, y; });
STOA_COMPONENT(Grass, { float height; });

STOA_COMPONENT(Position, { float x, y; });
STOA_COMPONENT(Velocity, { float x, y; });
STOA_COMPONENT(Energy, { float left; });
STOA_COMPONENT(Age, { int32_t days; });

/* One that eats grass; `alarm` is for how many days it still runs. */
STOA_COMPONENT(Grazer, { int32_t alarm; });
/* One that eats grazers, and which it is after. */
STOA_COMPONENT(Hunter, { stoa_entity prey; });
/* On hunters that have eaten: days until they hunt again. It comes and goes and moves nothing. */
STOA_COMPONENT_WITH(Digesting, STOA_OPTIONS(.flags = STOA_SPARSE), { int32_t days; });

/* Sent to a grazer that a hunter has reached. */
STOA_COMPONENT(Caught, { stoa_entity hunter; });

STOA_ENUM(SeasonName, {SPRING, SUMMER, AUTUMN, WINTER});
/* The resource that tells the time of the year: `growth` is how well grass grows. */
STOA_COMPONENT(Season, {
    int32_t day, year;
    SeasonName name;
    float growth;
});

/* The resource that tells what lives today: the grass is what a hundred plots bear. */
STOA_COMPONENT(Census, {
    char date[24];
    int32_t grass, grazers, hunters;
});

/* The resource that counts births and what animals died of, since the beginning. */
STOA_COMPONENT(Toll, { int64_t born, caught, starved, aged; });

/* The resource that knows what is where. It can be worked out, so it is in no snapshot: plots are
 * noted down if they are not `charted`, the rest in every frame. */
STOA_COMPONENT_WITH(Grid, STOA_OPTIONS(.flags = STOA_TRANSIENT), {
    stoa_entity plots[LAND_PLOTS];
    stoa_entity prey[LAND_PLOTS];
    uint16_t grazers[LAND_PLOTS];
    uint16_t hunters[LAND_PLOTS];
    bool charted;
});

/* The land as text, for the dashboard; nothing goes by it. */
STOA_COMPONENT_WITH(Map, STOA_OPTIONS(.flags = STOA_TRANSIENT), { char text[800]; });

/* What a kind of animal is like. */
typedef struct species {
    const char *prefab;
    float pace;        /* plots a day, at most */
    float hunger;      /* energy that a day takes */
    float birth;       /* energy above which a young one is born */
    float gift;        /* energy that it is given */
    int32_t adult;     /* days */
    int32_t life;      /* days, at most */
    int32_t immigrate; /* below so many, others come in spring */
} species;

extern const species grazer_species;
extern const species hunter_species;

/* The plot that a place is on. */
static inline int32_t plot_at(float x, float y) {
    int32_t column = (int32_t)x;
    int32_t row = (int32_t)y;
    return (row < LAND_HEIGHT ? row : LAND_HEIGHT - 1) * LAND_WIDTH +
           (column < LAND_WIDTH ? column : LAND_WIDTH - 1);
}

/* The plot that is some steps away, round the edges; steps are at most a land's width or height. */
static inline int32_t plot_near(int32_t plot, int32_t x, int32_t y) {
    int32_t column = (plot % LAND_WIDTH + x + LAND_WIDTH) % LAND_WIDTH;
    int32_t row = (plot / LAND_WIDTH + y + LAND_HEIGHT) % LAND_HEIGHT;
    return row * LAND_WIDTH + column;
}

/* A velocity of that pace in the direction of x and y. */
Velocity heading(float x, float y, float pace);

/* A velocity of that pace in any direction. */
Velocity heading_any(stoa_random *random, float pace);

/* Makes the prefabs and resources that are not there; nothing else is left to do for a world that
 * was loaded. */
stoa_status land_prepare(stoa_world *world);

/* Each names the systems and whatever else its file brings. */
stoa_status land_parts(stoa_module *module);
stoa_status grazer_parts(stoa_module *module);
stoa_status hunter_parts(stoa_module *module);
stoa_status life_parts(stoa_module *module);
stoa_status census_parts(stoa_module *module);

/* Grass everywhere, some herds, a few hunters. */
stoa_status scene_build(stoa_app *app);

#endif
