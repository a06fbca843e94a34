/* A stress test: an app with a large world of mixed archetypes that is spawned into, moved, changed
 * and destroyed, frame after frame, on all cores.
 *
 * It prints its schedule first. At the end it prints what the world holds, what each system cost,
 * what stoa_check says, and a hash of the world. The hash depends on entities, frames and seed, and
 * on nothing else: it is the same for every number of threads. */
#define _POSIX_C_SOURCE 200809L

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <stoa.h>

STOA_COMPONENT(Position, { float x, y; });
STOA_COMPONENT(Velocity, { float x, y; });
STOA_COMPONENT(Spin, { float angle, speed; });
STOA_COMPONENT(Health, { int32_t now, most; });
STOA_COMPONENT(Target, { stoa_entity entity; });
STOA_COMPONENT(Cargo, { uint32_t items[10]; });
STOA_TAG(Frozen);
STOA_TAG(Burning);

#define BATCH 1024
#define COMPONENTS 8
/* Frames whose timings are kept. */
#define KEPT 1000

typedef struct options {
    int32_t entities;
    int32_t frames;
    int32_t threads;
    uint64_t seed;
} options;

typedef struct stress {
    stoa_app *app;
    stoa_world *world;
    int32_t entities; /* to keep */
    double seconds;   /* of all frames */
} stress;

static double seconds_now(void) {
    struct timespec now;
    timespec_get(&now, TIME_UTC);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* A number between -range and range. */
static float random_float(stoa_random *random, float range) {
    return ((float)stoa_random_below(random, 1 << 20) / (float)(1 << 19) - 1.0f) * range;
}

/* A bundle of random components: most entities move, some do more. Values that are not given are
 * zero. */
static int32_t bundle_make(stoa_random *random, stoa_value *bundle, const Position *positions,
                           const Velocity *velocities) {
    uint64_t dice = stoa_random_bits(random);
    int32_t count = 0;
    bundle[count++] = STOA_VALUE_FROM(Position, positions);
    if ((dice & 3) != 0) {
        bundle[count++] = STOA_VALUE_FROM(Velocity, velocities);
    }
    if ((dice >> 2 & 3) == 0) {
        bundle[count++] = STOA_ZERO(Spin);
    }
    if ((dice >> 4 & 1) == 0) {
        bundle[count++] = STOA_ZERO(Health);
    }
    if ((dice >> 13 & 7) == 0) {
        bundle[count++] = STOA_ZERO(Target);
    }
    if ((dice >> 7 & 7) == 0) {
        bundle[count++] = STOA_ZERO(Cargo);
    }
    if ((dice >> 10 & 7) == 0) {
        bundle[count++] = STOA_ZERO(Frozen);
    }
    return count;
}

/* Creates the first entities, a batch at a time, the columns given as arrays. */
STOA_SYSTEM_ONCE(build, .stage = STOA_STARTUP, .rule = STOA_THREAD_EXCLUSIVE) {
    const stress *s = job->user;
    static Position positions[BATCH];
    static Velocity velocities[BATCH];
    stoa_value bundle[COMPONENTS];
    stoa_status status = STOA_OK;
    for (int32_t left = s->entities; left > 0 && status == STOA_OK; left -= BATCH) {
        int32_t n = left < BATCH ? left : BATCH;
        for (int32_t i = 0; i < n; i++) {
            positions[i] =
                (Position){random_float(&job->random, 1000), random_float(&job->random, 1000)};
            velocities[i] =
                (Velocity){random_float(&job->random, 1), random_float(&job->random, 1)};
        }
        int32_t parts = bundle_make(&job->random, bundle, positions, velocities);
        status = stoa_create_bulk_values(job->world, n, NULL, bundle, parts);
    }
    return status;
}

STOA_SYSTEM(move, .terms = {STOA_WRITE(Position), STOA_READ(Velocity), STOA_WITHOUT(Frozen)}) {
    Position *p = stoa_field_mut(it, Position, 0);
    const Velocity *v = stoa_field(it, Velocity, 1);
    for (int32_t i = 0; i < it->count; i++) {
        p[i].x += v[i].x;
        p[i].y += v[i].y;
    }
    return STOA_OK;
}

STOA_SYSTEM(spin, .terms = {STOA_WRITE(Spin)}) {
    Spin *s = stoa_field_mut(it, Spin, 0);
    for (int32_t i = 0; i < it->count; i++) {
        s[i].angle += s[i].speed;
    }
    return STOA_OK;
}

STOA_SYSTEM(heal, .terms = {STOA_WRITE(Health), STOA_WITHOUT(Burning)}) {
    Health *health = stoa_field_mut(it, Health, 0);
    for (int32_t i = 0; i < it->count; i++) {
        health[i].now += health[i].now < health[i].most;
    }
    return STOA_OK;
}

/* Each seeker turns towards its target, wherever that is; one whose target died picks another. */
STOA_SYSTEM(seek, .terms = {STOA_WRITE(Target), STOA_READ(Position), STOA_WRITE(Velocity)}) {
    Target *target = stoa_field_mut(it, Target, 0);
    const Position *p = stoa_field(it, Position, 1);
    Velocity *v = stoa_field_mut(it, Velocity, 2);
    for (int32_t i = 0; i < it->count; i++) {
        const Position *aim = stoa_try_get(job->world, target[i].entity, Position);
        if (aim == NULL) {
            target[i].entity = it->entities[stoa_random_below(&job->random, (uint32_t)it->count)];
            continue;
        }
        v[i].x += aim->x > p[i].x ? 0.01f : -0.01f;
        v[i].y += aim->y > p[i].y ? 0.01f : -0.01f;
    }
    return STOA_OK;
}

static stoa_status entity_change(stoa_commands *commands, stoa_entity e, uint32_t dice) {
    switch (dice) {
    case 0:
        return stoa_commands_add(commands, e, Burning);
    case 1:
        return stoa_commands_remove(commands, e, Burning);
    case 2:
        return stoa_commands_set(commands, e, Health, {50, 100});
    case 3:
        return stoa_commands_remove(commands, e, Health);
    case 4:
        return stoa_commands_change(commands, e, STOA_VALUE(Spin, {0, 0.01f}), STOA_REMOVE(Frozen));
    default:
        return stoa_commands_change(commands, e, STOA_ZERO(Frozen), STOA_REMOVE(Spin),
                                    STOA_REMOVE(Target));
    }
}

/* One in a hundred is given something, or loses it. */
STOA_SYSTEM(change, .terms = {STOA_FILTER(Position)}) {
    stoa_status status = STOA_OK;
    for (int32_t i = 0; i < it->count && status == STOA_OK; i++) {
        uint32_t dice = stoa_random_below(&job->random, 600);
        status = dice < 6 ? entity_change(job->commands, it->entities[i], dice) : STOA_OK;
    }
    return status;
}

/* One in a hundred dies. */
STOA_SYSTEM(cull, .terms = {STOA_FILTER(Position)}) {
    stoa_status status = STOA_OK;
    for (int32_t i = 0; i < it->count && status == STOA_OK; i++) {
        if (stoa_random_below(&job->random, 100) == 0) {
            status = stoa_commands_destroy(job->commands, it->entities[i]);
        }
    }
    return status;
}

/* As many are born as are missing. */
STOA_SYSTEM_ONCE(spawn, .stage = STOA_POST_UPDATE) {
    const stress *s = job->user;
    stoa_value bundle[COMPONENTS];
    for (int32_t i = stoa_count(job->world); i < s->entities; i++) {
        Position p = {random_float(&job->random, 1000), random_float(&job->random, 1000)};
        Velocity v = {random_float(&job->random, 1), random_float(&job->random, 1)};
        int32_t parts = bundle_make(&job->random, bundle, &p, &v);
        if (stoa_entity_is_null(stoa_commands_create_values(job->commands, bundle, parts))) {
            return stoa_last_error().status;
        }
    }
    return STOA_OK;
}

static bool stress_open(stress *s, const options *o) {
    s->entities = o->entities;
    s->app = stoa_app_new(&(stoa_app_desc){.threads = o->threads, .seed = o->seed});
    if (s->app == NULL) {
        return false;
    }
    s->world = stoa_app_world(s->app);
    return stoa_system_add(s->app, build, s).id != 0 && stoa_system_add(s->app, move, s).id != 0 &&
           stoa_system_add(s->app, spin, s).id != 0 && stoa_system_add(s->app, heal, s).id != 0 &&
           stoa_system_add(s->app, seek, s).id != 0 && stoa_system_add(s->app, change, s).id != 0 &&
           stoa_system_add(s->app, cull, s).id != 0 && stoa_system_add(s->app, spawn, s).id != 0 &&
           stoa_timing_keep(s->app, o->frames < KEPT ? o->frames : KEPT) == STOA_OK;
}

/* Prints what runs side by side. */
static bool schedule_print(stoa_app *app) {
    int64_t length = stoa_schedule_print(app, STOA_SCHEDULE_TEXT, NULL, 0);
    char *text = length >= 0 ? malloc((size_t)length + 1) : NULL;
    if (text == NULL) {
        return false;
    }
    stoa_schedule_print(app, STOA_SCHEDULE_TEXT, text, (size_t)length + 1);
    printf("%s\n", text);
    free(text);
    return true;
}

/* Writes a number with commas between the thousands; `buffer` holds 32. */
static const char *number_text(uint64_t number, char *buffer) {
    char digits[24];
    int length = snprintf(digits, sizeof digits, "%" PRIu64, number);
    char *to = buffer;
    for (int i = 0; i < length; i++) {
        if (i > 0 && (length - i) % 3 == 0) {
            *to++ = ',';
        }
        *to++ = digits[i];
    }
    *to = '\0';
    return buffer;
}

/* A bar on a terminal, ten lines elsewhere. */
static void progress_print(const stress *s, int32_t done, int32_t all, bool terminal) {
    char count[32];
    int32_t percent = (int32_t)((int64_t)done * 100 / all);
    int32_t before = done > 0 ? (int32_t)((int64_t)(done - 1) * 100 / all) : -1;
    if (terminal && percent != before) {
        char bar[41];
        memset(bar, ' ', sizeof bar - 1);
        memset(bar, '=', (size_t)percent * (sizeof bar - 1) / 100);
        bar[sizeof bar - 1] = '\0';
        printf("\r[%s] %3d %%  frame %d of %d", bar, percent, done, all);
        fflush(stdout);
    } else if (!terminal && percent / 10 != before / 10 && done > 0) {
        printf("frame %d of %d: %s entities\n", done, all,
               number_text((uint64_t)stoa_count(s->world), count));
        fflush(stdout);
    }
    if (terminal && done == all) {
        printf("\n");
    }
}

static void line_print(const char *name, uint64_t number) {
    char text[32];
    printf("  %-20s %16s\n", name, number_text(number, text));
}

/* What each system took, on all threads together. */
static void systems_print(const stress *s) {
    printf("\n%-22s %16s %16s\n", "system", "ms, mean", "ms, most");
    for (stoa_system system = stoa_system_next(s->app, (stoa_system){0}); system.id != 0;
         system = stoa_system_next(s->app, system)) {
        stoa_system_info info;
        if (stoa_system_info_get(s->app, system, &info) == STOA_OK) {
            stoa_timing timing = stoa_timing_system(s->app, system);
            printf("  %-20s %16.3f %16.3f\n", info.name, timing.mean * 1e3, timing.most * 1e3);
        }
    }
}

static bool report_print(const stress *s, const options *o) {
    stoa_statistics stats = stoa_stats(s->world);
    printf("\nworld\n");
    line_print("entities", (uint64_t)stats.entities);
    line_print("archetypes", (uint64_t)stats.archetypes);
    line_print("chunks", (uint64_t)stats.chunks);
    printf("  %-20s %16.1f MiB\n", "memory used", (double)stats.bytes_used / (1 << 20));
    printf("  %-20s %16.1f MiB\n", "memory reserved", (double)stats.bytes_reserved / (1 << 20));
    systems_print(s);
    printf("\nthreads                %16d\n", (int)stoa_app_threads(s->app));
    printf("frames per second      %16.1f\n", o->frames / s->seconds);
    bool sound = stoa_check(s->world) == STOA_OK;
    printf("check                  %16s\n", sound ? "ok" : "FAILED");
    if (!sound) {
        printf("  %s\n", stoa_last_error().message);
    }
    printf("hash                   %016" PRIx64 "\n", stoa_hash(s->world));
    return sound;
}

static bool stress_run(stress *s, const options *o) {
    char count[32];
    bool terminal = isatty(STDOUT_FILENO) == 1;
    bool ok = stress_open(s, o);
    if (ok) {
        printf("stress: %s entities, %d frames, seed %" PRIu64 ", %d threads\n\n",
               number_text((uint64_t)o->entities, count), o->frames, o->seed,
               (int)stoa_app_threads(s->app));
        ok = schedule_print(s->app);
    }
    double start = seconds_now();
    for (int32_t frame = 0; ok && frame < o->frames; frame++) {
        progress_print(s, frame, o->frames, terminal);
        ok = stoa_app_step(s->app, 1.0 / 60) == STOA_OK;
    }
    s->seconds = seconds_now() - start;
    if (!ok) {
        fprintf(stderr, "%sstress: %s\n", terminal ? "\n" : "", stoa_last_error().message);
        return false;
    }
    progress_print(s, o->frames, o->frames, terminal);
    return report_print(s, o);
}

static void usage_print(FILE *to) {
    fprintf(to, "usage: stress [--entities N] [--frames N] [--seed N] [--threads N] [--help]\n"
                "  --entities N  entities in the world, 1 to 100000000 (1000000)\n"
                "  --frames N    frames to run, 1 to 1000000000 (200)\n"
                "  --seed N      start of the random numbers (1)\n"
                "  --threads N   threads to use, 1 to 256 (as many as there are cores)\n");
}

/* Reads a whole number within its range; false if the text is anything else. */
static bool number_read(const char *text, uint64_t least, uint64_t most, uint64_t *number) {
    if (text == NULL || text[0] < '0' || text[0] > '9') {
        return false;
    }
    char *end;
    errno = 0;
    unsigned long long value = strtoull(text, &end, 10);
    *number = value;
    return errno == 0 && *end == '\0' && value >= least && value <= most;
}

/* Reads one option and its value; false if either is wrong. */
static bool option_read(const char *name, const char *text, options *o) {
    uint64_t number;
    if (strcmp(name, "--entities") == 0 && number_read(text, 1, 100000000, &number)) {
        o->entities = (int32_t)number;
    } else if (strcmp(name, "--frames") == 0 && number_read(text, 1, 1000000000, &number)) {
        o->frames = (int32_t)number;
    } else if (strcmp(name, "--seed") == 0 && number_read(text, 0, UINT64_MAX, &number)) {
        o->seed = number;
    } else if (strcmp(name, "--threads") == 0 && number_read(text, 1, 256, &number)) {
        o->threads = (int32_t)number;
    } else {
        return false;
    }
    return true;
}

int main(int argc, char **argv) {
    options o = {.entities = 1000000, .frames = 200, .seed = 1};
    for (int i = 1; i < argc; i += 2) {
        if (strcmp(argv[i], "--help") == 0) {
            usage_print(stdout);
            return 0;
        }
        if (!option_read(argv[i], argv[i + 1], &o)) {
            fprintf(stderr, "stress: bad option or value: %s%s%s\n", argv[i],
                    i + 1 < argc ? " " : "", i + 1 < argc ? argv[i + 1] : "");
            usage_print(stderr);
            return 2;
        }
    }
    stress s = {0};
    bool ok = stress_run(&s, &o);
    stoa_app_free(s.app);
    return ok && fflush(stdout) == 0 && !ferror(stdout) ? 0 : 1;
}
