/* Resources: what a world has one of. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <stoa.h>

STOA_COMPONENT(Position, { float x, y; });
STOA_COMPONENT(Clock, {
    double now;
    double step;
});
STOA_COMPONENT(Wind, { float x, y; });
STOA_TAG(Paused);

/* Owned memory is freed with the resource. */
static void level_drop(void *items, int32_t count, void *user) {
    (void)user;
    for (int32_t i = 0; i < count; i++) {
        char **name = &((char **)items)[i];
        printf("  level '%s' is freed\n", *name);
        free(*name);
    }
}

STOA_COMPONENT_WITH(Level, STOA_OPTIONS(.hooks = {.drop = level_drop}), { char *name; });

static void level_load(stoa_world *w, const char *name) {
    Level level = {malloc(strlen(name) + 1)};
    if (level.name == NULL) {
        exit(1);
    }
    strcpy(level.name, name);
    stoa_resource_set_from(w, Level, &level);
}

static void clock_step(stoa_world *w) {
    Clock *clock = stoa_resource_mut(w, Clock);
    clock->now += clock->step;
}

/* Asks the world for what it needs: no globals, and each world has its own. */
static void drift(stoa_world *w, stoa_query *query) {
    if (stoa_resource_has(w, Paused)) {
        return;
    }
    const Clock *clock = stoa_resource(w, Clock);
    const Wind *wind = stoa_resource_try(w, Wind);
    for (stoa_iter it = stoa_query_iter(query); wind != NULL && stoa_iter_next(&it);) {
        Position *p = stoa_field_mut(&it, Position, 0);
        for (int32_t i = 0; i < it.count; i++) {
            p[i].x += wind->x * (float)clock->step;
            p[i].y += wind->y * (float)clock->step;
        }
    }
}

int main(void) {
    stoa_world *w = stoa_world_new(NULL);
    stoa_query *query = stoa_query_new(w, &(stoa_query_desc){.terms = {STOA_WRITE(Position)}});
    stoa_entity leaf = stoa_create_with(w, STOA_VALUE(Position, {0, 0}));

    stoa_resource_set(w, Clock, {.step = 0.5});
    stoa_resource_set(w, Wind, {2, 1});
    for (int frame = 0; frame < 4; frame++) {
        if (frame == 2) {
            stoa_resource_set(w, Paused, {0});
        }
        clock_step(w);
        drift(w, query);
        const Position *p = stoa_get(w, leaf, Position);
        printf("%.1f s: the leaf is at %g, %g%s\n", stoa_resource(w, Clock)->now, (double)p->x,
               (double)p->y, stoa_resource_has(w, Paused) ? ", paused" : "");
    }
    stoa_resource_remove(w, Paused);

    printf("what has changed since?\n");
    uint32_t seen = stoa_tick(w);
    stoa_tick_advance(w);
    (void)stoa_resource(w, Wind); /* reading marks nothing */
    clock_step(w);
    printf("  clock: %s, wind: %s\n", stoa_resource_changed(w, Clock, seen) ? "yes" : "no",
           stoa_resource_changed(w, Wind, seen) ? "yes" : "no");

    printf("a value that owns memory\n");
    level_load(w, "harbour");
    level_load(w, "open sea");

    printf("all resources\n");
    for (stoa_component id = stoa_resource_next(w, 0); id != 0; id = stoa_resource_next(w, id)) {
        printf("  %s\n", stoa_component_name(w, id));
    }
    printf("the world ends\n");
    stoa_world_free(w);
}
