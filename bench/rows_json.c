/* stoa's side of saving and loading a world as JSON. */
#include <stdlib.h>

#include "components.h"
#include "json.h"
#include "sides.h"
#include "stoa/json.h"

typedef struct save {
    bench_size size;
    stoa_world *world;
    stoa_blob blob;
} save;

static void *save_open(bench_size size) {
    save *s = bench_alloc(1, sizeof *s);
    *s = (save){.size = size, .world = bench_world_new()};
    for (int32_t i = 0; i < size.n; i++) {
        Position p = json_position(i);
        Velocity v = json_velocity(i);
        stoa_create_values(s->world,
                           (stoa_value[]){{.type = STOA_TYPE_OF(Position), .data = &p},
                                          {.type = STOA_TYPE_OF(Velocity), .data = &v}},
                           2);
    }
    if (stoa_blob_reserve(&s->blob, ((size_t)size.n + 1) * JSON_ENTITY_SIZE) != STOA_OK) {
        bench_fail(stoa_last_error().message);
    }
    return s;
}

static void save_run(void *side) {
    save *s = side;
    for (int32_t pass = 0; pass < s->size.passes; pass++) {
        s->blob.size = 0;
        stoa_sink sink = stoa_blob_sink(&s->blob);
        if (stoa_json_save_world(s->world, STOA_JSON_COMPACT, &sink) != STOA_OK) {
            bench_fail(stoa_last_error().message);
        }
    }
}

static double save_after(void *side) {
    const save *s = side;
    return json_weigh((const char *)s->blob.data, s->blob.size);
}

static void save_close(void *side) {
    save *s = side;
    stoa_blob_free(&s->blob);
    stoa_world_free(s->world);
    free(s);
}

const bench_side stoa_side_json_save = {save_open, NULL, save_run, save_after, save_close};

typedef struct load {
    bench_size size;
    stoa_world *world;
    char *text;
    size_t length;
} load;

static void *load_open(bench_size size) {
    load *s = bench_alloc(1, sizeof *s);
    *s = (load){.size = size};
    s->text = json_text(size.n, &s->length);
    return s;
}

static void load_before(void *side) {
    load *s = side;
    stoa_world_free(s->world);
    s->world = bench_world_new();
    if (stoa_id(s->world, Position) == 0 || stoa_id(s->world, Velocity) == 0) {
        bench_fail(stoa_last_error().message);
    }
}

static void load_run(void *side) {
    load *s = side;
    if (stoa_json_load_world(s->world, s->text, s->length, NULL) != STOA_OK) {
        bench_fail(stoa_last_error().message);
    }
}

static double load_after(void *side) {
    load *s = side;
    double sum = 0;
    stoa_query *q = stoa_query_parse(s->world, "Position, Velocity");
    for (stoa_iter it = stoa_query_iter(q); stoa_iter_next(&it);) {
        const Position *p = stoa_field(&it, Position, 0);
        const Velocity *v = stoa_field(&it, Velocity, 1);
        for (int32_t i = 0; i < it.count; i++) {
            sum += json_sum(&p[i], &v[i]);
        }
    }
    return sum;
}

static void load_close(void *side) {
    load *s = side;
    stoa_world_free(s->world);
    free(s->text);
    free(s);
}

const bench_side stoa_side_json_load = {load_open, load_before, load_run, load_after, load_close};
