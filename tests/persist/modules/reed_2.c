/* Reeds whose leaf comes after a number: brought over by the functions that save and load them. */
#include "pond.h"

#include "stoa/persist.h"

#include <stdlib.h>

static void reed_drop(void *items, int32_t count, void *user);
static void reed_move(void *to, void *from, int32_t count, void *user);
static stoa_status reed_save(const stoa_sink *sink, const void *items, int32_t count, void *user);
static stoa_status reed_load(const stoa_source *source, void *items, int32_t count, void *user);
static stoa_status reed_setup(stoa_world *world);

static const stoa_persist reed_persist = {.save = reed_save, .load = reed_load};

STOA_COMPONENT_WITH(Reed,
                    STOA_OPTIONS(.hooks = {.drop = reed_drop, .move = reed_move},
                                 .setup = reed_setup, .persist = &reed_persist),
                    {
                        int64_t number;
                        int32_t *leaf;
                    });

static void reed_drop(void *items, int32_t count, void *user) {
    (void)user;
    for (int32_t i = 0; i < count; i++) {
        free(((Reed *)items)[i].leaf);
        host_drop += 100;
    }
}

static void reed_move(void *to, void *from, int32_t count, void *user) {
    (void)user;
    for (int32_t i = 0; i < count; i++) {
        ((Reed *)to)[i] = ((Reed *)from)[i];
        ((Reed *)from)[i].leaf = NULL;
    }
}

static stoa_status reed_save(const stoa_sink *sink, const void *items, int32_t count, void *user) {
    (void)sink, (void)items, (void)count, (void)user;
    return STOA_CORRUPT;
}

static stoa_status reed_load(const stoa_source *source, void *items, int32_t count, void *user) {
    (void)user;
    Reed *reeds = items;
    for (int32_t i = 0; i < count; i++) {
        int32_t leaf = 0;
        stoa_status status = stoa_source_read(source, &leaf, sizeof leaf);
        int32_t *made = malloc(sizeof *made);
        if (status != STOA_OK || made == NULL || leaf == host_fail) {
            free(made);
            while (i > 0) {
                free(reeds[--i].leaf);
            }
            return status != STOA_OK ? status : stoa_fail(STOA_REFUSED, "leaf %d", leaf);
        }
        *made = leaf;
        reeds[i] = (Reed){.number = leaf * 10, .leaf = made};
    }
    return STOA_OK;
}

static void reed_added(stoa_world *world, stoa_entity e, void *value, void *user) {
    (void)world, (void)e, (void)value, (void)user;
    host_hook = 2;
}

static stoa_status reed_setup(stoa_world *world) {
    host_setup = 2;
    return stoa_on_add(world, Reed, reed_added, NULL).id != 0 ? STOA_OK : stoa_last_error().status;
}

STOA_MODULE("reed") {
    return stoa_module_component(module, Reed);
}
