/* Systems in an app: what they declare decides which of them run side by side. */
#include <stdio.h>
#include <string.h>

#include <stoa.h>

STOA_COMPONENT(Position, { float x, y; });
STOA_COMPONENT(Velocity, { float x, y; });
STOA_COMPONENT(Health, { int32_t left; });
STOA_COMPONENT(Gravity, { float pull; });

STOA_SYSTEM(fall, .terms = {STOA_WRITE(Velocity)}, .resources = {STOA_READ(Gravity)}) {
    const Gravity *gravity = stoa_resource(job->world, Gravity);
    Velocity *v = stoa_field_mut(it, Velocity, 0);
    for (int32_t i = 0; i < it->count; i++) {
        v[i].y -= gravity->pull * (float)job->delta;
    }
    return STOA_OK;
}

STOA_SYSTEM(move, .terms = {STOA_WRITE(Position), STOA_READ(Velocity)}) {
    Position *p = stoa_field_mut(it, Position, 0);
    const Velocity *v = stoa_field(it, Velocity, 1);
    for (int32_t i = 0; i < it->count; i++) {
        p[i].x += v[i].x * (float)job->delta;
        p[i].y += v[i].y * (float)job->delta;
    }
    return STOA_OK;
}

/* Changes of structure are recorded, and made after the batch. */
STOA_SYSTEM(wither, .terms = {STOA_WRITE(Health)}) {
    Health *health = stoa_field_mut(it, Health, 0);
    for (int32_t i = 0; i < it->count; i++) {
        if (--health[i].left == 0) {
            stoa_commands_destroy(job->commands, it->entities[i]);
        }
    }
    return STOA_OK;
}

/* Runs once a frame, with an iterator over all that it asks for. */
STOA_SYSTEM_ONCE(report, .stage = STOA_RENDER, .rule = STOA_THREAD_MAIN,
                 .terms = {STOA_READ(Position)}) {
    printf("frame %d:", (int)job->frame);
    while (stoa_iter_next(it)) {
        const Position *p = stoa_field(it, Position, 0);
        for (int32_t i = 0; i < it->count; i++) {
            printf(" (%.1f, %.1f)", p[i].x, p[i].y);
        }
    }
    printf("\n");
    return STOA_OK;
}

/* Prints the plan: as text, or drawn for a program that is called with "svg". */
static void plan_print(stoa_app *app, stoa_schedule_format format) {
    static char plan[16384];
    stoa_schedule_print(app, format, plan, sizeof plan);
    printf("%s\n", plan);
}

int main(int argc, char **argv) {
    stoa_app *app = stoa_app_new(NULL);
    stoa_world *w = stoa_app_world(app);
    stoa_resource_set(w, Gravity, {10});
    stoa_create_with(w, STOA_VALUE(Position, {0, 0}), STOA_VALUE(Velocity, {2, 4}));
    stoa_create_with(w, STOA_VALUE(Position, {5, 5}), STOA_VALUE(Velocity, {0, 0}),
                     STOA_VALUE(Health, {2}));

    stoa_system_add(app, fall, NULL);
    stoa_system_add(app, move, NULL);
    stoa_system_add(app, wither, NULL);
    stoa_system_add(app, report, NULL);

    bool draw = argc > 1 && strcmp(argv[1], "svg") == 0;
    plan_print(app, draw ? STOA_SCHEDULE_SVG : STOA_SCHEDULE_TEXT);
    for (int i = 0; i < 3 && !draw; i++) {
        stoa_app_step(app, 0.5);
    }
    stoa_app_free(app);
    return 0;
}
