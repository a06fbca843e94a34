/* Rollback: two players on two machines, here two worlds in one process.
 *
 * Nobody waits for the network. A peer applies its own input a few frames late, guesses the
 * other's, and plays on. When the true input comes and the guess was wrong it goes back to that
 * frame and plays the frames since again. Both end with the same world. */
#include <stdio.h>

#include <stoa.h>

STOA_COMPONENT(Position, { int32_t x, y; });
STOA_COMPONENT(Player, { int32_t number; });
STOA_COMPONENT(Shot, { int32_t speed, left; });
STOA_COMPONENT(Input, { uint8_t keys[2]; }); /* a resource: what both players press */

enum { LEFT = 1, RIGHT = 2, FIRE = 4 };
enum { FRAMES = 600, DELAY = 2, LATENCY = 6, KEPT = 16 };

STOA_SYSTEM(steer, .terms = {STOA_READ(Player), STOA_WRITE(Position)},
            .resources = {STOA_READ(Input)}) {
    const Input *input = stoa_resource(job->world, Input);
    const Player *player = stoa_field(it, Player, 0);
    Position *position = stoa_field_mut(it, Position, 1);
    for (int32_t i = 0; i < it->count; i++) {
        uint8_t keys = input->keys[player[i].number];
        position[i].x += ((keys & RIGHT) != 0) - ((keys & LEFT) != 0);
        if ((keys & FIRE) != 0) {
            int32_t speed = player[i].number == 0 ? 2 : -2;
            stoa_commands_create_with(job->commands,
                                      STOA_VALUE(Position, {position[i].x, position[i].y}),
                                      STOA_VALUE(Shot, {speed, 20}));
        }
    }
    return STOA_OK;
}

STOA_SYSTEM(fly, .terms = {STOA_WRITE(Shot), STOA_WRITE(Position)}) {
    Shot *shot = stoa_field_mut(it, Shot, 0);
    Position *position = stoa_field_mut(it, Position, 1);
    for (int32_t i = 0; i < it->count; i++) {
        position[i].y += shot[i].speed;
        if (--shot[i].left == 0) {
            stoa_commands_destroy(job->commands, it->entities[i]);
        }
    }
    return STOA_OK;
}

/* One machine: its world, and what it knows of either player's input. */
typedef struct peer {
    stoa_app *app;
    stoa_history *history;
    uint8_t keys[2][FRAMES + DELAY]; /* by player and frame: true ones, and guesses */
    int known[2];                    /* frames whose keys are true ones */
    int frame;                       /* the next to play */
    int rollbacks, replayed;
} peer;

static void peer_open(peer *p) {
    *p = (peer){.known = {DELAY, DELAY}};
    p->app = stoa_app_new(&(stoa_app_desc){.threads = 1, .seed = 7});
    stoa_world *world = stoa_app_world(p->app);
    stoa_resource_set(world, Input, {{0, 0}});
    stoa_create_with(world, STOA_VALUE(Player, {0}), STOA_VALUE(Position, {0, 0}));
    stoa_create_with(world, STOA_VALUE(Player, {1}), STOA_VALUE(Position, {0, 100}));
    stoa_system_add(p->app, steer, NULL);
    stoa_system_add(p->app, fly, NULL);
    p->history = stoa_history_new(world, &(stoa_history_desc){.frames = KEPT, .app = p->app});
}

static void peer_close(peer *p) {
    stoa_history_free(p->history);
    stoa_app_free(p->app);
}

/* Plays a frame; frame n is saved before it is played. */
static void peer_play(peer *p) {
    if (stoa_history_last(p->history) < p->frame) {
        stoa_history_save(p->history);
    }
    for (int player = 0; player < 2; player++) {
        /* A key that is held is held, most likely, in the next frame. */
        if (p->frame >= p->known[player] && p->frame > 0) {
            p->keys[player][p->frame] = p->keys[player][p->frame - 1];
        }
        stoa_resource_mut(stoa_app_world(p->app), Input)->keys[player] = p->keys[player][p->frame];
    }
    stoa_app_step(p->app, 1.0 / 64);
    p->frame++;
}

/* Takes in the true keys of a frame; goes back if another guess was played. */
static void peer_hear(peer *p, int player, int frame, uint8_t keys) {
    bool wrong = frame < p->frame && p->keys[player][frame] != keys;
    p->keys[player][frame] = keys;
    p->known[player] = frame + 1;
    if (wrong) {
        int now = p->frame;
        stoa_history_restore(p->history, frame);
        p->rollbacks++;
        p->replayed += now - frame;
        for (p->frame = frame; p->frame < now;) {
            peer_play(p);
        }
    }
}

/* What a player does, by no rule that the other could guess. */
static uint8_t keys_pressed(int player, int frame) {
    uint32_t mood = (uint32_t)(frame / (9 + 4 * player)) * 2654435761u >> 24;
    return (uint8_t)((mood % 3 == 1   ? LEFT
                      : mood % 3 == 2 ? RIGHT
                                      : 0) |
                     (frame % (23 + player) == 0 ? FIRE : 0));
}

int main(void) {
    static peer peers[2];
    peer_open(&peers[0]);
    peer_open(&peers[1]);

    for (int tick = 0; tick < FRAMES + LATENCY; tick++) {
        for (int i = 0; i < 2; i++) {
            peer *p = &peers[i];
            /* What the other sent so many frames ago arrives. */
            int sent = tick - LATENCY;
            if (sent >= 0 && sent + DELAY < FRAMES) {
                peer_hear(p, 1 - i, sent + DELAY, keys_pressed(1 - i, sent));
            }
            if (tick < FRAMES) {
                /* Own keys count some frames later: so many fewer must be guessed. */
                peer_hear(p, i, tick + DELAY, keys_pressed(i, tick));
                peer_play(p);
            }
        }
    }

    for (int i = 0; i < 2; i++) {
        const peer *p = &peers[i];
        printf("player %d: %d frames, %d rollbacks, %d frames played again\n", i, p->frame,
               p->rollbacks, p->replayed);
    }
    const stoa_world *a = stoa_app_world(peers[0].app), *b = stoa_app_world(peers[1].app);
    printf("the same world: %s\n", stoa_hash(a) == stoa_hash(b) ? "yes" : "no");
    printf("%d entities, frames %d to %d are kept\n", stoa_count(a),
           (int)stoa_history_first(peers[0].history), (int)stoa_history_last(peers[0].history));
    peer_close(&peers[0]);
    peer_close(&peers[1]);
    return 0;
}
