/* A stress test: a large world of mixed archetypes that is spawned into, moved, changed and
 * destroyed, frame after frame.
 *
 * At the end it prints what the world holds, what each kind of operation cost, what stoa_check
 * says, and a hash of the world. The hash depends on the options and on nothing else. */
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

typedef struct options {
    int32_t entities;
    int32_t frames;
    uint64_t seed;
} options;

/* The kinds of work that are counted and timed. */
typedef enum work { BUILD, SPAWN, ITERATE, SEEK, CHANGE, DESTROY, WORK_COUNT } work;

static const char *const work_names[WORK_COUNT] = {
    [BUILD] = "create, in bulk", [SPAWN] = "create, one by one", [ITERATE] = "iterate, by row",
    [SEEK] = "follow a handle",  [CHANGE] = "add and remove",    [DESTROY] = "destroy",
};

typedef struct tally {
    uint64_t count;
    double seconds;
} tally;

typedef struct stress {
    stoa_world *world;
    stoa_entity *population; /* every live entity, in no order that matters */
    int32_t count;
    uint64_t random;
    stoa_query *moving, *spinning, *healing, *seeking;
    tally tallies[WORK_COUNT];
} stress;

static double seconds_now(void) {
    struct timespec now;
    timespec_get(&now, TIME_UTC);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static void tally_add(stress *s, work kind, uint64_t count, double since) {
    s->tallies[kind].count += count;
    s->tallies[kind].seconds += seconds_now() - since;
}

/* Steps a 64-bit counter and mixes it. */
static uint32_t random_next(stress *s) {
    uint64_t z = s->random += 0x9E3779B97F4A7C15u;
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
    z = (z ^ z >> 27) * 0x94D049BB133111EBu;
    return (uint32_t)(z >> 32);
}

static int32_t random_below(stress *s, int32_t n) {
    return (int32_t)((uint64_t)random_next(s) * (uint32_t)n >> 32);
}

/* A number between -range and range. */
static float random_float(stress *s, float range) {
    return ((float)random_below(s, 1 << 20) / (float)(1 << 19) - 1.0f) * range;
}

/* A bundle of random components: most entities move, some do more. Values that are not given are
 * zero. */
static int32_t bundle_make(stress *s, stoa_value *bundle, const Position *positions,
                           const Velocity *velocities) {
    uint32_t dice = random_next(s);
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

/* Values for a batch of entities; made before the clock starts. */
typedef struct batch {
    Position positions[BATCH];
    Velocity velocities[BATCH];
} batch;

static int32_t batch_fill(stress *s, batch *values, int32_t count) {
    count = count < BATCH ? count : BATCH;
    for (int32_t i = 0; i < count; i++) {
        values->positions[i] = (Position){random_float(s, 1000), random_float(s, 1000)};
        values->velocities[i] = (Velocity){random_float(s, 1), random_float(s, 1)};
    }
    return count;
}

/* Creates entities a batch at a time, the columns given as arrays. */
static bool entities_build(stress *s, int32_t count) {
    batch values;
    stoa_value bundle[COMPONENTS];
    while (count > 0) {
        int32_t n = batch_fill(s, &values, count);
        int32_t parts = bundle_make(s, bundle, values.positions, values.velocities);
        double start = seconds_now();
        if (stoa_create_bulk_values(s->world, n, s->population + s->count, bundle, parts) !=
            STOA_OK) {
            return false;
        }
        tally_add(s, BUILD, (uint64_t)n, start);
        s->count += n;
        count -= n;
    }
    return true;
}

static bool entities_spawn(stress *s, int32_t count) {
    batch values;
    stoa_value bundle[COMPONENTS];
    while (count > 0) {
        int32_t n = batch_fill(s, &values, count);
        double start = seconds_now();
        for (int32_t i = 0; i < n; i++) {
            int32_t parts = bundle_make(s, bundle, values.positions + i, values.velocities + i);
            stoa_entity e = stoa_create_values(s->world, bundle, parts);
            if (stoa_entity_is_null(e)) {
                return false;
            }
            s->population[s->count++] = e;
        }
        tally_add(s, SPAWN, (uint64_t)n, start);
        count -= n;
    }
    return true;
}

static bool entities_destroy(stress *s, int32_t count) {
    double start = seconds_now();
    for (int32_t i = 0; i < count; i++) {
        int32_t at = random_below(s, s->count);
        if (stoa_destroy(s->world, s->population[at]) != STOA_OK) {
            return false;
        }
        s->population[at] = s->population[--s->count];
    }
    tally_add(s, DESTROY, (uint64_t)count, start);
    return true;
}

static stoa_status entity_change(stress *s, stoa_entity e) {
    switch (random_below(s, 6)) {
    case 0:
        return stoa_add(s->world, e, Burning);
    case 1:
        return stoa_remove(s->world, e, Burning);
    case 2:
        return stoa_set(s->world, e, Health, {50, 100});
    case 3:
        return stoa_remove(s->world, e, Health);
    case 4:
        return stoa_change(s->world, e, STOA_VALUE(Spin, {0, 0.01f}), STOA_REMOVE(Frozen));
    default:
        return stoa_change(s->world, e, STOA_ZERO(Frozen), STOA_REMOVE(Spin), STOA_REMOVE(Target));
    }
}

static bool entities_change(stress *s, int32_t count) {
    double start = seconds_now();
    for (int32_t i = 0; i < count; i++) {
        if (entity_change(s, s->population[random_below(s, s->count)]) != STOA_OK) {
            return false;
        }
    }
    tally_add(s, CHANGE, (uint64_t)count, start);
    return true;
}

static uint64_t moving_run(stress *s) {
    uint64_t rows = 0;
    for (stoa_iter it = stoa_query_iter(s->moving); stoa_iter_next(&it);) {
        Position *p = stoa_field_mut(&it, Position, 0);
        const Velocity *v = stoa_field(&it, Velocity, 1);
        for (int32_t i = 0; i < it.count; i++) {
            p[i].x += v[i].x;
            p[i].y += v[i].y;
        }
        rows += (uint64_t)it.count;
    }
    return rows;
}

static uint64_t spinning_run(stress *s) {
    uint64_t rows = 0;
    for (stoa_iter it = stoa_query_iter(s->spinning); stoa_iter_next(&it);) {
        Spin *spin = stoa_field_mut(&it, Spin, 0);
        for (int32_t i = 0; i < it.count; i++) {
            spin[i].angle += spin[i].speed;
        }
        rows += (uint64_t)it.count;
    }
    return rows;
}

static uint64_t healing_run(stress *s) {
    uint64_t rows = 0;
    for (stoa_iter it = stoa_query_iter(s->healing); stoa_iter_next(&it);) {
        Health *health = stoa_field_mut(&it, Health, 0);
        for (int32_t i = 0; i < it.count; i++) {
            health[i].now += health[i].now < health[i].most;
        }
        rows += (uint64_t)it.count;
    }
    return rows;
}

/* Each seeker turns towards its target, wherever that is; one whose target died picks another. */
static uint64_t seeking_run(stress *s) {
    uint64_t rows = 0;
    for (stoa_iter it = stoa_query_iter(s->seeking); stoa_iter_next(&it);) {
        Target *target = stoa_field_mut(&it, Target, 0);
        const Position *p = stoa_field(&it, Position, 1);
        Velocity *v = stoa_field_mut(&it, Velocity, 2);
        for (int32_t i = 0; i < it.count; i++) {
            const Position *aim = stoa_try_get(s->world, target[i].entity, Position);
            if (aim == NULL) {
                target[i].entity = s->population[random_below(s, s->count)];
                continue;
            }
            v[i].x += aim->x > p[i].x ? 0.01f : -0.01f;
            v[i].y += aim->y > p[i].y ? 0.01f : -0.01f;
        }
        rows += (uint64_t)it.count;
    }
    return rows;
}

static bool frame_run(stress *s) {
    int32_t share = s->count / 100 + 1;
    int32_t total = s->count;
    share = share < total ? share : total;
    double start = seconds_now();
    tally_add(s, ITERATE, moving_run(s) + spinning_run(s) + healing_run(s), start);
    start = seconds_now();
    tally_add(s, SEEK, seeking_run(s), start);
    return entities_change(s, share) && entities_destroy(s, share) &&
           entities_spawn(s, share / 2) && entities_build(s, total - s->count);
}

static bool stress_open(stress *s, const options *o) {
    s->random = o->seed;
    s->population = malloc((size_t)o->entities * sizeof *s->population);
    s->world = stoa_world_new(NULL);
    if (s->population == NULL || s->world == NULL) {
        return false;
    }
    s->moving = stoa_query_new(
        s->world, &(stoa_query_desc){
                      .terms = {STOA_WRITE(Position), STOA_READ(Velocity), STOA_WITHOUT(Frozen)}});
    s->spinning = stoa_query_new(s->world, &(stoa_query_desc){.terms = {STOA_WRITE(Spin)}});
    s->healing = stoa_query_new(
        s->world, &(stoa_query_desc){.terms = {STOA_WRITE(Health), STOA_WITHOUT(Burning)}});
    s->seeking = stoa_query_new(
        s->world, &(stoa_query_desc){
                      .terms = {STOA_WRITE(Target), STOA_READ(Position), STOA_WRITE(Velocity)}});
    return s->moving != NULL && s->spinning != NULL && s->healing != NULL && s->seeking != NULL;
}

static void stress_close(stress *s) {
    stoa_world_free(s->world);
    free(s->population);
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
        printf("frame %d of %d: %s entities\n", done, all, number_text((uint64_t)s->count, count));
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

static bool report_print(const stress *s) {
    stoa_statistics stats = stoa_stats(s->world);
    printf("\nworld\n");
    line_print("entities", (uint64_t)stats.entities);
    line_print("archetypes", (uint64_t)stats.archetypes);
    line_print("chunks", (uint64_t)stats.chunks);
    printf("  %-20s %16.1f MiB\n", "memory used", (double)stats.bytes_used / (1 << 20));
    printf("  %-20s %16.1f MiB\n", "memory reserved", (double)stats.bytes_reserved / (1 << 20));
    printf("\n%-22s %16s %10s %18s\n", "operations", "count", "seconds", "per second");
    for (int i = 0; i < WORK_COUNT; i++) {
        const tally *t = &s->tallies[i];
        char count[32], rate[32];
        double per_second = t->seconds > 0 ? (double)t->count / t->seconds : 0;
        printf("  %-20s %16s %10.3f %18s\n", work_names[i], number_text(t->count, count),
               t->seconds, number_text((uint64_t)per_second, rate));
    }
    bool sound = stoa_check(s->world) == STOA_OK;
    printf("\ncheck                  %16s\n", sound ? "ok" : "FAILED");
    if (!sound) {
        printf("  %s\n", stoa_last_error().message);
    }
    printf("hash                   %016" PRIx64 "\n", stoa_hash(s->world));
    return sound;
}

static bool stress_run(stress *s, const options *o) {
    char count[32];
    bool terminal = isatty(STDOUT_FILENO) == 1;
    printf("stress: %s entities, %d frames, seed %" PRIu64 "\n",
           number_text((uint64_t)o->entities, count), o->frames, o->seed);
    bool ok = stress_open(s, o) && entities_build(s, o->entities);
    for (int32_t frame = 0; ok && frame < o->frames; frame++) {
        progress_print(s, frame, o->frames, terminal);
        ok = frame_run(s);
    }
    if (!ok) {
        fprintf(stderr, "%sstress: %s\n", terminal ? "\n" : "",
                s->population == NULL ? "out of memory" : stoa_last_error().message);
        return false;
    }
    progress_print(s, o->frames, o->frames, terminal);
    return report_print(s);
}

static void usage_print(FILE *to) {
    fprintf(to, "usage: stress [--entities N] [--frames N] [--seed N] [--help]\n"
                "  --entities N  entities in the world, 1 to 100000000 (1000000)\n"
                "  --frames N    frames to run, 1 to 1000000000 (200)\n"
                "  --seed N      start of the random numbers (1)\n");
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
    stress_close(&s);
    return ok && fflush(stdout) == 0 && !ferror(stdout) ? 0 : 1;
}
