/* stoa's side of reloading a module, with the same layout and with another. */
#include "components.h"
#include "reload.h"
#include "sides.h"

#include <stdlib.h>

typedef struct loader {
    reload_files files;
    stoa_app *app;
    stoa_module *module;
    stoa_entity *entities;
    int32_t n;
    bool migrates;
    int version;
} loader;

static void loader_run(void *side) {
    loader *l = side;
    if (stoa_module_reload(l->module) != STOA_OK) {
        bench_fail(stoa_last_error().message);
    }
}

static loader *loader_new(bench_size size, bool migrates) {
    loader *l = bench_alloc(1, sizeof *l);
    *l = (loader){.n = size.n, .migrates = migrates, .app = bench_app_new(1), .version = 1};
    l->entities = bench_alloc((size_t)size.n, sizeof *l->entities);
    reload_files_open(&l->files);
    reload_files_set(&l->files, 1);
    l->module = stoa_module_load(l->app, l->files.live, NULL);
    if (l->module == NULL) {
        bench_fail(stoa_last_error().message);
    }
    stoa_world *world = stoa_app_world(l->app);
    stoa_component body = stoa_component_find(world, "Body");
    for (int32_t i = 0; i < size.n; i++) {
        float value[3] = {(float)i, (float)(2 * i), 3};
        const stoa_value values[] = {{.id = body, .data = value, .op = STOA_PUT}};
        l->entities[i] = stoa_create_values(world, values, 1);
    }
    return l;
}

static void *loader_open(bench_size size) {
    return loader_new(size, false);
}

static void *loader_open_migrate(bench_size size) {
    return loader_new(size, true);
}

static void loader_ready(void *side) {
    loader *l = side;
    l->version = l->migrates ? 3 - l->version : 1;
    reload_files_set(&l->files, l->version);
}

static double loader_weigh(void *side) {
    const loader *l = side;
    const stoa_world *world = stoa_app_world(l->app);
    stoa_component body = stoa_component_find(world, "Body");
    double sum = l->version;
    for (int32_t i = 0; i < l->n; i++) {
        const void *value = stoa_get_id(world, l->entities[i], body);
        const float *members = value;
        double x = members[0], y = members[1], z = members[2];
        if (l->version == 2) {
            x = *(const double *)value;
            y = members[3];
            z = members[2];
        }
        sum += x - y + z;
    }
    return sum;
}

static void loader_close(void *side) {
    loader *l = side;
    (void)stoa_app_free(l->app);
    reload_files_close(&l->files);
    free(l->entities);
    free(l);
}

const bench_side stoa_side_reload = {loader_open, loader_ready, loader_run, loader_weigh,
                                     loader_close};
const bench_side stoa_side_reload_migrate = {loader_open_migrate, loader_ready, loader_run,
                                             loader_weigh, loader_close};
