#define _POSIX_C_SOURCE 200809L

#include "support/program.h"

#include "support/support.h"

#include <time.h>

/* How many entities the program keeps, about. */
#define CROWD 300

STOA_COMPONENT(Place, { int32_t x, y; });
STOA_COMPONENT(Speed, { int32_t x, y; });
STOA_COMPONENT_WITH(Life, STOA_OPTIONS(.flags = STOA_ROW_TICKS), { int32_t left; });
STOA_COMPONENT(Age, { uint32_t frames; });
STOA_COMPONENT(Goal, { stoa_entity entity; });
STOA_COMPONENT(Wound, {
    int32_t depth;
    uint32_t seen;
});
STOA_COMPONENT_WITH(Purse, STOA_OPTIONS(.flags = STOA_SPARSE), { int64_t coins; });
STOA_COMPONENT_WITH(Shield, STOA_OPTIONS(.flags = STOA_SWITCHABLE), { int32_t strength; });
STOA_COMPONENT(Home, {
    int32_t x, y;
    int64_t visits;
});
STOA_TAG(Burning);

STOA_COMPONENT(Weather, { int32_t wind_x, wind_y; });
STOA_COMPONENT(Score, {
    uint64_t hits, changed, destroyed;
    int64_t depth;
});
STOA_COMPONENT(Hit, {
    stoa_entity by;
    int32_t depth;
});

/* Sleeps or not, by the clock: what no result may depend on. */
static void nap(const stoa_job *job) {
    const program *p = job->user;
    struct timespec now;
    if (p->naps != 0) {
        clock_gettime(CLOCK_MONOTONIC, &now);
        if (now.tv_nsec % 97 < 3) {
            nanosleep(&(struct timespec){0, now.tv_nsec % 30000}, NULL);
        }
    }
}

STOA_SYSTEM_ONCE(weather, .rule = STOA_THREAD_MAIN, .stage = STOA_PRE_UPDATE,
                 .resources = {STOA_WRITE(Weather)}) {
    nap(job);
    Weather *w = stoa_resource_mut(job->world, Weather);
    w->wind_x = (int32_t)stoa_random_below(&job->random, 7) - 3;
    w->wind_y = (int32_t)stoa_random_below(&job->random, 7) - 3;
    return STOA_OK;
}

STOA_SYSTEM(move, .terms = {STOA_WRITE(Place), STOA_READ(Speed)},
            .resources = {STOA_READ(Weather)}) {
    nap(job);
    const Weather *w = stoa_resource(job->world, Weather);
    Place *place = stoa_field_mut(it, Place, 0);
    const Speed *speed = stoa_field(it, Speed, 1);
    for (int32_t i = 0; i < it->count; i++) {
        place[i].x = (place[i].x + speed[i].x + w->wind_x) & 0xffff;
        place[i].y = (place[i].y + speed[i].y + w->wind_y) & 0xffff;
    }
    return STOA_OK;
}

/* Makes one with a friend, whose handle it keeps although neither lives yet. */
static void spawn_pair(stoa_job *job) {
    int32_t x = (int32_t)stoa_random_below(&job->random, 0x10000);
    stoa_entity one = stoa_commands_create_with(job->commands, STOA_VALUE(Place, {x, x / 2}),
                                                STOA_VALUE(Speed, {x % 5, x % 3}),
                                                STOA_VALUE(Life, {40 + x % 50}), STOA_ZERO(Age));
    stoa_entity other = stoa_commands_create_with(
        job->commands, STOA_VALUE(Place, {x / 3, x}), STOA_VALUE(Goal, {one}),
        STOA_VALUE(Life, {60 + x % 70}), STOA_VALUE(Shield, {x % 9}));
    (void)stoa_commands_set(job->commands, one, Goal, {other});
}

STOA_SYSTEM_ONCE(spawn, .terms = {STOA_READ(Life)}) {
    nap(job);
    int32_t count = 0;
    while (stoa_iter_next(it)) {
        count += it->count;
    }
    for (int32_t i = 0; i < (CROWD - count) / 16; i++) {
        spawn_pair(job);
    }
    return STOA_OK;
}

STOA_SYSTEM(age, .terms = {STOA_WRITE(Age), STOA_WRITE(Life)}, .grain = 32) {
    nap(job);
    Age *age_of = stoa_field_mut(it, Age, 0);
    Life *life = stoa_field_mut(it, Life, 1);
    for (int32_t i = 0; i < it->count; i++) {
        age_of[i].frames++;
        life[i].left -= age_of[i].frames > 30;
        if (age_of[i].frames % 16 == 0 && stoa_random_below(&job->random, 4) == 0) {
            /* A child for every parent, beside what spawn makes. */
            stoa_entity child = stoa_commands_create_with(
                job->commands, STOA_VALUE(Place, {life[i].left, 1}), STOA_VALUE(Life, {25}),
                STOA_VALUE(Goal, {it->entities[i]}));
            (void)stoa_commands_set(job->commands, it->entities[i], Goal, {child});
        }
    }
    return STOA_OK;
}

STOA_SYSTEM(seek, .terms = {STOA_READ(Goal), STOA_WRITE(Speed)}, .access = {STOA_READ(Place)},
            .after = {"move"}) {
    nap(job);
    const Goal *goal = stoa_field(it, Goal, 0);
    Speed *speed = stoa_field_mut(it, Speed, 1);
    for (int32_t i = 0; i < it->count; i++) {
        const Place *mine = stoa_try_get(job->world, it->entities[i], Place);
        const Place *there = stoa_try_get(job->world, goal[i].entity, Place);
        if (mine != NULL && there != NULL) {
            speed[i].x = (there->x > mine->x) - (there->x < mine->x);
            speed[i].y = (there->y > mine->y) - (there->y < mine->y);
        } else {
            (void)stoa_commands_remove(job->commands, it->entities[i], Goal);
        }
    }
    return STOA_OK;
}

STOA_SYSTEM(ignite, .terms = {STOA_READ(Life), STOA_WITHOUT(Burning)}) {
    nap(job);
    for (int32_t i = 0; i < it->count; i++) {
        if (stoa_random_below(&job->random, 24) == 0) {
            (void)stoa_commands_add(job->commands, it->entities[i], Burning);
            (void)stoa_commands_set(job->commands, it->entities[i], Wound, {1, 0});
        }
    }
    return STOA_OK;
}

STOA_SYSTEM(burn, .terms = {STOA_FILTER(Burning), STOA_WRITE(Life), STOA_OPTIONAL(Shield)}) {
    nap(job);
    Life *life = stoa_field_mut(it, Life, 1);
    const Shield *shield = stoa_field(it, Shield, 2);
    for (int32_t i = 0; i < it->count; i++) {
        int32_t depth = shield != NULL ? 1 : 3;
        life[i].left -= depth;
        (void)stoa_commands_send(job->commands, Hit, {it->entities[i], depth});
        if (stoa_random_below(&job->random, 6) == 0) {
            (void)stoa_commands_remove(job->commands, it->entities[i], Burning);
        }
    }
    return STOA_OK;
}

STOA_SYSTEM_ONCE(score, .resources = {STOA_WRITE(Score)}, .stage = STOA_POST_UPDATE) {
    nap(job);
    const program *p = job->user;
    Score *sum = stoa_resource_mut(job->world, Score);
    stoa_event event;
    while (stoa_event_read(p->reader, &event)) {
        const Hit *hit = event.data;
        sum->hits = sum->hits * 31 + hit->by.index;
        sum->depth += hit->depth;
    }
    for (stoa_log log = stoa_destroyed_since(job->world, job->last_run); stoa_log_next(&log);) {
        sum->destroyed = sum->destroyed * 17 + log.entity.index;
    }
    return STOA_OK;
}

STOA_SYSTEM(wound_look, .terms = {STOA_CHANGED(Life), STOA_WRITE(Wound)},
            .stage = STOA_POST_UPDATE) {
    nap(job);
    for (int32_t i = 0; i < it->count; i++) {
        Wound *wound = stoa_field_at_mut(it, Wound, 1, i);
        wound->depth += job->index;
        wound->seen++;
    }
    return STOA_OK;
}

STOA_SYSTEM(shield_turn, .terms = {STOA_READ(Shield), STOA_READ(Life)},
            .rule = STOA_THREAD_ANY_ONE) {
    nap(job);
    const Life *life = stoa_field(it, Life, 1);
    for (int32_t i = 0; i < it->count; i++) {
        if (life[i].left % 3 == 0) {
            (void)stoa_commands_enable(job->commands, it->entities[i], Shield,
                                       stoa_random_below(&job->random, 2) == 0);
        }
    }
    return STOA_OK;
}

STOA_SYSTEM(trade, .terms = {STOA_READ(Place), STOA_OPTIONAL_WRITE(Purse)}, .grain = 64) {
    nap(job);
    const Place *place = stoa_field(it, Place, 0);
    for (int32_t i = 0; i < it->count; i++) {
        Purse *purse = stoa_field_at_mut(it, Purse, 1, i);
        if (purse != NULL) {
            purse->coins += place[i].x % 7;
            if (purse->coins > 90) {
                (void)stoa_commands_remove(job->commands, it->entities[i], Purse);
            }
        } else if (place[i].y % 11 == 0) {
            (void)stoa_commands_set(job->commands, it->entities[i], Purse, {place[i].x % 3});
        }
    }
    return STOA_OK;
}

/* Iterates a query that others iterate too. */
STOA_SYSTEM_ONCE(visit, .access = {STOA_READ(Place)}, .stage = STOA_POST_UPDATE) {
    nap(job);
    const program *p = job->user;
    int64_t visits = 0;
    for (stoa_iter homes = stoa_query_iter(p->homes); stoa_iter_next(&homes);) {
        Home *home = stoa_field_mut(&homes, Home, 0);
        for (int32_t i = 0; i < homes.count; i++) {
            home[i].visits += home[i].x + (int64_t)stoa_random_below(&job->random, 9);
            visits += home[i].visits;
        }
    }
    return visits >= 0 ? STOA_OK : stoa_job_fail(job, "negative visits");
}

STOA_SYSTEM(reap, .terms = {STOA_READ(Life)}, .stage = STOA_CLEANUP) {
    nap(job);
    const Life *life = stoa_field(it, Life, 0);
    for (int32_t i = 0; i < it->count; i++) {
        if (life[i].left <= 0) {
            (void)stoa_commands_destroy(job->commands, it->entities[i]);
        }
    }
    return STOA_OK;
}

STOA_SYSTEM_ONCE(census, .rule = STOA_THREAD_EXCLUSIVE, .stage = STOA_CLEANUP, .after = {"reap"}) {
    nap(job);
    Score *sum = stoa_resource_mut(job->world, Score);
    sum->changed += (uint64_t)stoa_count(job->world);
    if (job->frame % 5 == 0) {
        stoa_entity e = stoa_create_with(job->world, STOA_VALUE(Place, {1, 2}),
                                         STOA_VALUE(Life, {(int32_t)(job->frame % 40)}));
        stoa_status status = stoa_set(job->world, e, Purse, {5});
        return status;
    }
    return STOA_OK;
}

static bool frame_is_even(const stoa_world *world, void *user) {
    (void)user;
    return stoa_resource(world, stoa_time)->frame % 2 == 0;
}

static void systems_add(program *p) {
    stoa_app *app = p->app;
    stoa_system_desc look;
    shield_turn_stoa_system(&look);
    look.condition = frame_is_even;
    look.user = p;
    stoa_system_desc visits;
    visit_stoa_system(&visits);
    visits.queries[0] = p->homes;
    visits.user = p;
    bool good = stoa_system_add(app, weather, p).id != 0 && stoa_system_add(app, move, p).id != 0 &&
                stoa_system_add(app, spawn, p).id != 0 && stoa_system_add(app, age, p).id != 0 &&
                stoa_system_add(app, seek, p).id != 0 && stoa_system_add(app, ignite, p).id != 0 &&
                stoa_system_add(app, burn, p).id != 0 && stoa_system_add(app, score, p).id != 0 &&
                stoa_system_add(app, wound_look, p).id != 0 &&
                stoa_system_new(app, &look).id != 0 && stoa_system_add(app, trade, p).id != 0 &&
                stoa_system_new(app, &visits).id != 0 && stoa_system_add(app, reap, p).id != 0 &&
                stoa_system_add(app, census, p).id != 0;
    assert_true(good);
}

void program_open(program *p, program_way way, int32_t count, const stoa_allocator *allocator) {
    stoa_world_desc world = {.allocator = allocator, .chunk_size = 16384};
    p->app = stoa_app_new(&(stoa_app_desc){.world_as = &world,
                                           .threads = way.threads,
                                           .seed = 42,
                                           .shuffle = way.shuffle,
                                           .eager = way.eager});
    assert_non_null(p->app);
    p->naps = way.sleepy;
    p->world = stoa_app_world(p->app);
    assert_int_equal(stoa_log_keep(p->world, 4096), STOA_OK);
    assert_int_equal(stoa_resource_set(p->world, Weather, {0, 0}), STOA_OK);
    assert_int_equal(stoa_resource_set(p->world, Score, {0, 0, 0, 0}), STOA_OK);
    p->reader = stoa_reader_new(p->world, Hit);
    assert_non_null(p->reader);
    p->homes =
        stoa_query_new(p->world, &(stoa_query_desc){.terms = {STOA_WRITE(Home), STOA_READ(Place)}});
    assert_non_null(p->homes);
    for (int32_t i = 0; i < count; i++) {
        stoa_entity e = stoa_create_with(p->world, STOA_VALUE(Place, {i & 0xffff, i * 7 & 0xffff}),
                                         STOA_VALUE(Speed, {i % 3 - 1, i % 5 - 2}),
                                         STOA_VALUE(Life, {100 + i % 60}));
        assert_int_equal(i % 2 == 0 ? stoa_set(p->world, e, Home, {i, i + 1, 0}) : STOA_OK,
                         STOA_OK);
        assert_int_equal(i % 3 == 0 ? stoa_add(p->world, e, Age) : STOA_OK, STOA_OK);
    }
    systems_add(p);
}

uint64_t program_step(program *p) {
    stoa_status status = stoa_app_step(p->app, 1.0 / 64);
    if (status != STOA_OK) {
        fail_msg("%s", stoa_last_error().message);
    }
    return stoa_hash(p->world);
}

void program_close(program *p) {
    assert_int_equal(stoa_check(p->world), STOA_OK);
    assert_int_equal(stoa_app_free(p->app), STOA_OK);
}
