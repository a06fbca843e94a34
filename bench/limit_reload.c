/* The limits of reloading: a private copy of the file is loaded, asked for its function, and takes
 * the place of the old one; with another layout, each body is rewritten into a second array. */
#define _GNU_SOURCE
#include "limit.h"
#include "reload.h"
#include "sides.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct body_1 {
    float x, y, z;
} body_1;

typedef struct body_2 {
    double x;
    float z, y;
    int32_t age;
} body_2;

typedef struct loader {
    reload_files files;
    void *handle;
    int (*number)(void);
    body_1 *first;
    body_2 *second;
    int32_t n;
    bool migrates;
    int version;
} loader;

void reload_files_open(reload_files *files) {
    snprintf(files->folder, sizeof files->folder, "/tmp/stoa-bench-XXXXXX");
    if (mkdtemp(files->folder) == NULL) {
        bench_fail("no folder for the modules");
    }
    snprintf(files->live, sizeof files->live, "%s/live.so", files->folder);
}

void reload_files_set(const reload_files *files, int version) {
    char path[512];
    snprintf(path, sizeof path, "%s/reload_%d.so", BENCH_MODULES, version);
    unlink(files->live);
    if (symlink(path, files->live) != 0) {
        bench_fail("no link to the module");
    }
}

void reload_files_close(reload_files *files) {
    unlink(files->live);
    rmdir(files->folder);
}

static void library_load(loader *l) {
    char copy[] = "/tmp/stoa-bench-XXXXXX";
    int from = open(l->files.live, O_RDONLY | O_CLOEXEC), to = mkstemp(copy);
    struct stat s;
    if (from < 0 || to < 0 || fstat(from, &s) != 0 ||
        sendfile(to, from, NULL, (size_t)s.st_size) != s.st_size) {
        bench_fail("no copy of the module");
    }
    close(from);
    close(to);
    void *old = l->handle;
    l->handle = dlopen(copy, RTLD_NOW | RTLD_LOCAL);
    unlink(copy);
    void *symbol = l->handle != NULL ? dlsym(l->handle, "reload_number") : NULL;
    if (symbol == NULL) {
        bench_fail("the module cannot be loaded");
    }
    *(void **)(void *)&l->number = symbol;
    l->version = l->number();
    if (old != NULL) {
        dlclose(old);
    }
}

LIMIT_JOB static void bodies_widen(const body_1 *restrict from, body_2 *restrict to, int32_t n) {
    for (int32_t i = 0; i < n; i++) {
        to[i] = (body_2){.x = from[i].x, .z = from[i].z, .y = from[i].y};
    }
}

LIMIT_JOB static void bodies_narrow(const body_2 *restrict from, body_1 *restrict to, int32_t n) {
    for (int32_t i = 0; i < n; i++) {
        to[i] = (body_1){(float)from[i].x, from[i].y, from[i].z};
    }
}

static void loader_run(void *side) {
    loader *l = side;
    int before = l->version;
    library_load(l);
    if (l->migrates && before == 1) {
        body_2 *to = malloc((size_t)l->n * sizeof *to);
        bodies_widen(l->first, to, l->n);
        free(l->first);
        l->first = NULL;
        l->second = to;
    } else if (l->migrates) {
        body_1 *to = malloc((size_t)l->n * sizeof *to);
        bodies_narrow(l->second, to, l->n);
        free(l->second);
        l->second = NULL;
        l->first = to;
    }
}

static loader *loader_new(bench_size size, bool migrates) {
    loader *l = bench_alloc(1, sizeof *l);
    *l = (loader){.n = size.n, .migrates = migrates};
    reload_files_open(&l->files);
    reload_files_set(&l->files, 1);
    library_load(l);
    l->first = malloc((size_t)size.n * sizeof *l->first);
    for (int32_t i = 0; i < size.n; i++) {
        l->first[i] = (body_1){(float)i, (float)(2 * i), 3};
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
    const loader *l = side;
    reload_files_set(&l->files, l->migrates ? 3 - l->version : 1);
}

static double loader_weigh(void *side) {
    const loader *l = side;
    double sum = l->version;
    for (int32_t i = 0; i < l->n; i++) {
        sum += l->first != NULL ? l->first[i].x - l->first[i].y + l->first[i].z
                                : l->second[i].x - l->second[i].y + l->second[i].z;
    }
    return sum;
}

static void loader_close(void *side) {
    loader *l = side;
    dlclose(l->handle);
    free(l->first);
    free(l->second);
    reload_files_close(&l->files);
    free(l);
}

const bench_side limit_side_reload = {loader_open, loader_ready, loader_run, loader_weigh,
                                      loader_close};
const bench_side limit_side_reload_migrate = {loader_open_migrate, loader_ready, loader_run,
                                              loader_weigh, loader_close};
