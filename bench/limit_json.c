/* The limits of saving and loading a world as JSON: what an expert writes by hand for these two
 * components, with the C library's numbers.
 *
 * The writer knows the keys, the reader knows their order, and neither checks anything. */
#include "limit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "json.h"
#include "sides.h"

typedef struct save {
    bench_size size;
    Position *positions;
    Velocity *velocities;
    char *text;
    size_t length;
} save;

/* Nine digits tell any two floats apart. */
LIMIT_JOB static size_t world_write(char *text, int32_t n, const Position *positions,
                                    const Velocity *velocities) {
    char *at = text + sprintf(text, "{\"stoa\":1,\"free\":[],\"entities\":[");
    for (int32_t i = 0; i < n; i++) {
        const Position *p = &positions[i];
        const Velocity *v = &velocities[i];
        at += snprintf(at, JSON_ENTITY_SIZE,
                       "%s{\"id\":\"%uv1\",\"Position\":{\"x\":%.9g,\"y\":%.9g,\"z\":%.9g},"
                       "\"Velocity\":{\"x\":%.9g,\"y\":%.9g,\"z\":%.9g}}",
                       i > 0 ? "," : "", (unsigned)i + 1, (double)p->x, (double)p->y, (double)p->z,
                       (double)v->x, (double)v->y, (double)v->z);
    }
    memcpy(at, "]}", 3);
    return (size_t)(at - text) + 2;
}

char *json_text(int32_t n, size_t *size) {
    char *text = bench_alloc((size_t)n + 1, JSON_ENTITY_SIZE);
    Position *positions = bench_alloc((size_t)n, sizeof *positions);
    Velocity *velocities = bench_alloc((size_t)n, sizeof *velocities);
    for (int32_t i = 0; i < n; i++) {
        positions[i] = json_position(i);
        velocities[i] = json_velocity(i);
    }
    *size = world_write(text, n, positions, velocities);
    free(positions);
    free(velocities);
    return text;
}

double json_weigh(const char *text, size_t size) {
    double sum = 0;
    const char *end = text + size;
    for (const char *at = text; at + 4 < end; at++) {
        if (at[0] == '"' && at[1] >= 'x' && at[1] <= 'z' && at[2] == '"' && at[3] == ':') {
            sum += (double)strtof(at + 4, NULL);
        }
    }
    return sum;
}

static void *save_open(bench_size size) {
    save *s = bench_alloc(1, sizeof *s);
    *s = (save){.size = size,
                .positions = bench_alloc((size_t)size.n, sizeof(Position)),
                .velocities = bench_alloc((size_t)size.n, sizeof(Velocity)),
                .text = bench_alloc((size_t)size.n + 1, JSON_ENTITY_SIZE)};
    for (int32_t i = 0; i < size.n; i++) {
        s->positions[i] = json_position(i);
        s->velocities[i] = json_velocity(i);
    }
    return s;
}

static void save_run(void *side) {
    save *s = side;
    for (int32_t pass = 0; pass < s->size.passes; pass++) {
        s->length = world_write(s->text, s->size.n, s->positions, s->velocities);
    }
}

static double save_after(void *side) {
    const save *s = side;
    return json_weigh(s->text, s->length);
}

static void save_close(void *side) {
    save *s = side;
    free(s->positions);
    free(s->velocities);
    free(s->text);
    free(s);
}

const bench_side limit_side_json_save = {save_open, NULL, save_run, save_after, save_close};

typedef struct load {
    bench_size size;
    Position *positions;
    Velocity *velocities;
    uint32_t *handles;
    char *text;
    size_t length;
} load;

LIMIT_JOB static int32_t world_read(const char *text, Position *positions, Velocity *velocities,
                                    uint32_t *handles) {
    const char *at = strchr(text, '[') + 3;
    char *end;
    int32_t n = 0;
    while ((at = strchr(at, '{')) != NULL) {
        at = strchr(at, ':') + 2;
        handles[n] = (uint32_t)strtoul(at, NULL, 10);
        at = strchr(strchr(at, ':') + 1, '{');
        float *into[] = {&positions[n].x,  &positions[n].y,  &positions[n].z,
                         &velocities[n].x, &velocities[n].y, &velocities[n].z};
        for (int k = 0; k < 6; k++) {
            at = strchr(k == 3 ? strchr(at, '{') : at, ':') + 1;
            *into[k] = strtof(at, &end);
            at = end;
        }
        n++;
    }
    return n;
}

static void *load_open(bench_size size) {
    load *s = bench_alloc(1, sizeof *s);
    *s = (load){.size = size,
                .positions = bench_alloc((size_t)size.n, sizeof(Position)),
                .velocities = bench_alloc((size_t)size.n, sizeof(Velocity)),
                .handles = bench_alloc((size_t)size.n, sizeof(uint32_t))};
    s->text = json_text(size.n, &s->length);
    return s;
}

static void load_run(void *side) {
    load *s = side;
    if (world_read(s->text, s->positions, s->velocities, s->handles) != s->size.n) {
        bench_fail("the text was not read to its end");
    }
}

static double load_after(void *side) {
    const load *s = side;
    double sum = 0;
    for (int32_t i = 0; i < s->size.n; i++) {
        sum += json_sum(&s->positions[i], &s->velocities[i]);
    }
    return sum;
}

static void load_close(void *side) {
    load *s = side;
    free(s->positions);
    free(s->velocities);
    free(s->handles);
    free(s->text);
    free(s);
}

const bench_side limit_side_json_load = {load_open, NULL, load_run, load_after, load_close};
