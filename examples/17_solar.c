/* A solar system: planets turn about the sun and moons about their planets. Each says where it is
 * relative to its parent only; where that is in space is worked out once a frame. */
#include <stdio.h>

#include <stoa.h>

#define TURN 6.2831853f

STOA_COMPONENT(Body, { const char *name; });

/* A circle about the parent. */
STOA_COMPONENT(Orbit, {
    float radius; /* in millions of kilometres */
    float days;   /* that it takes to go round */
});

/* Puts every body where it is at this time, relative to its parent. */
STOA_SYSTEM(go_round, .terms = {STOA_READ(Orbit), STOA_WRITE(LocalTransform)},
            .resources = {STOA_READ(stoa_time)}) {
    const Orbit *orbit = stoa_field(it, Orbit, 0);
    LocalTransform *local = stoa_field_mut(it, LocalTransform, 1);
    float day = (float)stoa_resource(job->world, stoa_time)->elapsed;
    for (int32_t i = 0; i < it->count; i++) {
        float place[3] = {orbit[i].radius, 0, 0};
        Mat4 turn = stoa_mat4_rotation(0, 0, 1, TURN * day / orbit[i].days);
        stoa_mat4_transform_point(turn, place, place);
        local[i].matrix = stoa_mat4_translation(place[0], place[1], place[2]);
    }
    return STOA_OK;
}

/* Shows a body and all that goes round it. */
static void body_show(const stoa_world *world, stoa_entity e, int depth) {
    const float *place = stoa_get(world, e, WorldTransform)->matrix.m + 12;
    printf("%*s%-*s %8.2f %8.2f\n", 2 * depth, "", 14 - 2 * depth, stoa_get(world, e, Body)->name,
           (double)place[0], (double)place[1]);
    stoa_links moons = stoa_children(world, e);
    for (int32_t i = 0; i < moons.count; i++) {
        body_show(world, moons.items[i], depth + 1);
    }
}

static stoa_entity body_make(stoa_world *world, const char *name, stoa_entity center, Orbit orbit) {
    stoa_entity e = stoa_create_with(
        world, STOA_VALUE(Body, {name}), STOA_VALUE_FROM(Orbit, &orbit),
        STOA_VALUE(LocalTransform, {stoa_mat4_identity()}), STOA_ZERO(WorldTransform));
    if (!stoa_entity_is_null(center)) {
        stoa_set_parent(world, e, center);
    }
    return e;
}

int main(void) {
    stoa_app *app = stoa_app_new(NULL);
    stoa_world *world = stoa_app_world(app);
    stoa_entity sun = body_make(world, "Sun", STOA_NULL, (Orbit){0, 1});
    body_make(world, "Venus", sun, (Orbit){108, 225});
    stoa_entity earth = body_make(world, "Earth", sun, (Orbit){150, 365});
    stoa_entity moon = body_make(world, "Moon", earth, (Orbit){0.4f, 27});
    stoa_entity mars = body_make(world, "Mars", sun, (Orbit){228, 687});
    body_make(world, "Phobos", mars, (Orbit){0.01f, 0.3f});

    stoa_system_add(app, go_round, NULL);
    stoa_transform_system_add(app, STOA_POST_UPDATE);
    for (int month = 1; month <= 2; month++) {
        stoa_app_step(app, 30);
        printf("day %d\n", 30 * month);
        body_show(world, sun, 1);
    }

    /* Nothing goes round itself, however far about. */
    stoa_status status = stoa_set_parent(world, earth, moon);
    printf("the earth round the moon: %s\n", stoa_status_text(status));

    /* Mars catches the moon; then it is gone, with all that went round it. */
    stoa_set_parent(world, moon, mars);
    stoa_app_step(app, 30);
    printf("day 90, the moon is with Mars\n");
    body_show(world, sun, 1);
    stoa_destroy_recursive(world, mars);
    printf("without Mars\n");
    body_show(world, sun, 1);
    stoa_app_free(app);
    return 0;
}
