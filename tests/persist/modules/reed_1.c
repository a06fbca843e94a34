/* Values that own memory: reeds with a leaf each. */
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
                    { int32_t *leaf; });

static void reed_drop(void *items, int32_t count, void *user) {
    (void)user;
    for (int32_t i = 0; i < count; i++) {
        free(((Reed *)items)[i].leaf);
        host_drop++;
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
    (void)user;
    stoa_status status = STOA_OK;
    for (int32_t i = 0; i < count && status == STOA_OK; i++) {
        status = stoa_sink_write(sink, ((const Reed *)items)[i].leaf, sizeof(int32_t));
    }
    return status;
}

static stoa_status reed_load(const stoa_source *source, void *items, int32_t count, void *user) {
    (void)source, (void)items, (void)count, (void)user;
    return STOA_CORRUPT;
}

static void reed_added(stoa_world *world, stoa_entity e, void *value, void *user) {
    (void)world, (void)e, (void)value, (void)user;
    host_hook = 1;
}

static stoa_status reed_setup(stoa_world *world) {
    host_setup = 1;
    return stoa_on_add(world, Reed, reed_added, NULL).id != 0 ? STOA_OK : stoa_last_error().status;
}

static stoa_status build(stoa_app *app) {
    for (int32_t i = 0; i < 4; i++) {
        int32_t *leaf = malloc(sizeof *leaf);
        if (leaf == NULL) {
            return STOA_NO_MEMORY;
        }
        *leaf = i;
        if (stoa_entity_is_null(stoa_create_with(stoa_app_world(app), STOA_VALUE(Reed, {leaf})))) {
            free(leaf);
            return stoa_last_error().status;
        }
    }
    return STOA_OK;
}

STOA_MODULE("reed", .scene = build) {
    return stoa_module_component(module, Reed);
}
