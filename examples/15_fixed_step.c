/* A fixed time step: the simulation goes in steps of one length, however long frames take. */
#include <stdio.h>

#include <stoa.h>

STOA_COMPONENT(Ball, { double height, speed; });

/* Runs once for each step that is due: none, one or several in a frame. */
STOA_SYSTEM(bounce, .terms = {STOA_WRITE(Ball)}) {
    Ball *ball = stoa_field_mut(it, Ball, 0);
    for (int32_t i = 0; i < it->count; i++) {
        ball[i].speed -= 10 * job->delta;
        ball[i].height += ball[i].speed * job->delta;
        if (ball[i].height < 0) {
            ball[i].height = -ball[i].height;
            ball[i].speed = -ball[i].speed;
        }
    }
    return STOA_OK;
}

/* Runs once a frame; `ahead` tells how far the frame is past the last step. */
STOA_SYSTEM(draw, .stage = STOA_RENDER, .rule = STOA_THREAD_MAIN, .terms = {STOA_READ(Ball)},
            .resources = {STOA_READ(stoa_time)}) {
    const stoa_time *time = stoa_resource(job->world, stoa_time);
    const Ball *ball = stoa_field(it, Ball, 0);
    printf("frame of %.2f s: %d steps so far, %.4f s ahead, shown at %.3f\n", time->delta,
           (int)time->steps, time->ahead, ball->height + ball->speed * time->ahead);
    return STOA_OK;
}

int main(void) {
    stoa_app *app = stoa_app_new(&(stoa_app_desc){.fixed_step = 1.0 / 64, .step_max = 8});
    stoa_create_with(stoa_app_world(app), STOA_VALUE(Ball, {1, 0}));
    stoa_system_add(app, bounce, NULL);
    stoa_system_add(app, draw, NULL);

    /* Frames as they come on a busy machine. The last is so long that steps are given up. */
    const double frames[] = {1.0 / 64, 1.0 / 32, 1.0 / 128, 3.0 / 256, 1.0 / 64, 2.0};
    for (size_t i = 0; i < sizeof frames / sizeof *frames; i++) {
        stoa_app_step(app, frames[i]);
    }
    stoa_app_free(app);
    return 0;
}
