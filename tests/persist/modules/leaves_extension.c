/* A module that leaves an extension behind, which is there for good. */
#include "pond.h"

#include "stoa/extension.h"

static void nothing_free(stoa_world *world, void *data) {
    (void)world, (void)data;
    host_drop++;
}

static stoa_status build(stoa_app *app) {
    return stoa_extend(stoa_app_world(app),
                       &(stoa_extension){.name = "left", .free = nothing_free});
}

STOA_MODULE("leaver", .scene = build) {
    (void)module;
    return STOA_OK;
}
