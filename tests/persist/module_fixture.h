/* An app on the counting allocator, and a file that test modules are copied to, as a compiler would
 * write it. */
#ifndef STOA_TESTS_MODULE_FIXTURE_H
#define STOA_TESTS_MODULE_FIXTURE_H

#define _GNU_SOURCE
#include "support/support.h"

#include <dirent.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* What modules write to; see modules/pond.h. */
_Atomic int host_step;
int host_hook, host_observer, host_listener, host_veto, host_drop, host_unload, host_setup,
    host_fail;

void host_removed(stoa_world *world, stoa_entity e, void *value, void *user);

void host_removed(stoa_world *world, stoa_entity e, void *value, void *user) {
    (void)world, (void)e, (void)value, (void)user;
    host_drop++;
}

typedef struct fixture {
    support_world support;
    stoa_app *app;
    stoa_world *world;
    char folder[64]; /* of this test alone */
    char path[96];   /* of the module there */
} fixture;

/* Copies a test module to a file, in one step for whoever looks. */
static void file_put(const char *from_name, const char *to) {
    char from[512], aside[512];
    snprintf(from, sizeof from, "%s/%s.so", MODULES, from_name);
    snprintf(aside, sizeof aside, "%s.aside", to);
    FILE *in = fopen(from, "rb"), *out = fopen(aside, "wb");
    assert_non_null(in);
    assert_non_null(out);
    char bytes[4096];
    size_t got;
    while ((got = fread(bytes, 1, sizeof bytes, in)) > 0) {
        assert_int_equal(fwrite(bytes, 1, got, out), got);
    }
    fclose(in);
    assert_int_equal(fclose(out), 0);
    assert_int_equal(rename(aside, to), 0);
}

/* Makes a test module what the file of the module holds. */
STOA_UNUSED static void module_write(const fixture *f, const char *name) {
    file_put(name, f->path);
}

static void fixture_open_with(fixture *f, const stoa_app_desc *like) {
    host_step = host_hook = host_observer = host_listener = host_veto = host_drop = 0;
    host_unload = host_setup = 0;
    host_fail = -1;
    support_world_open(&f->support);
    f->world = f->support.world;
    stoa_app_desc desc = *like;
    desc.world = f->world;
    f->app = stoa_app_new(&desc);
    assert_non_null(f->app);
    snprintf(f->folder, sizeof f->folder, "/tmp/stoa-test-XXXXXX");
    assert_non_null(mkdtemp(f->folder));
    snprintf(f->path, sizeof f->path, "%s/live.so", f->folder);
}

STOA_UNUSED static void fixture_open(fixture *f) {
    fixture_open_with(f, &(stoa_app_desc){.threads = 1});
}

/* How many entries a folder has. */
static int folder_count(const char *path) {
    int count = 0;
    DIR *folder = opendir(path);
    assert_non_null(folder);
    while (readdir(folder) != NULL) {
        count++;
    }
    closedir(folder);
    return count - 2;
}

static void fixture_close(fixture *f) {
    if (f->app != NULL) {
        assert_int_equal(stoa_app_free(f->app), STOA_OK);
    }
    support_world_close(&f->support);
    unlink(f->path);
    assert_int_equal(folder_count(f->folder), 0);
    rmdir(f->folder);
}

/* Loads a test module that must load. */
STOA_UNUSED static stoa_module *module_load(fixture *f, const char *name,
                                            const stoa_module_desc *desc) {
    module_write(f, name);
    stoa_module *module = stoa_module_load(f->app, f->path, desc);
    if (module == NULL) {
        support_print_error();
    }
    assert_non_null(module);
    return module;
}

/* Reloads a module as another test module; the status is the reload's. */
STOA_UNUSED static stoa_status module_become(fixture *f, stoa_module *module, const char *name) {
    module_write(f, name);
    return stoa_module_reload(module);
}

#define assert_ok(call)                                                                            \
    do {                                                                                           \
        if ((call) != STOA_OK) {                                                                   \
            support_print_error();                                                                 \
            fail_msg("%s", #call);                                                                 \
        }                                                                                          \
    } while (0)

/* A float or double member of the n-th live entity's component, by name. */
STOA_UNUSED static double number_of(const stoa_world *world, int n, const char *component,
                                    const char *member) {
    stoa_entity e = STOA_NULL;
    for (int i = 0; i <= n; i++) {
        e = stoa_entity_next(world, e);
    }
    stoa_component id = stoa_component_find(world, component);
    stoa_component_info info;
    assert_int_equal(stoa_component_info_get(world, id, &info), STOA_OK);
    const uint8_t *value = stoa_get_id(world, e, id);
    assert_non_null(value);
    for (int32_t i = 0; i < info.member_count; i++) {
        const stoa_member *m = &info.members[i];
        const void *at = value + m->offset;
        if (strcmp(m->name, member) == 0) {
            switch (m->kind) {
            case STOA_KIND_F32:
                return (double)*(const float *)at;
            case STOA_KIND_F64:
                return *(const double *)at;
            case STOA_KIND_I32:
                return (double)*(const int32_t *)at;
            case STOA_KIND_I64:
                return (double)*(const int64_t *)at;
            case STOA_KIND_U8:
                return (double)*(const uint8_t *)at;
            default:
                break;
            }
        }
    }
    fail_msg("no member %s.%s", component, member);
    return 0;
}

#endif
