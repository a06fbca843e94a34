/* Hot reload: code and layout of a module are replaced while its world lives on.
 *
 * The module is examples/garden.c, in two versions that were built beforehand; copying the second
 * over the first stands for the compiler. */
#include "stoa.h"

#include <stdio.h>
#include <stdlib.h>

/* In one step for whoever looks: another file takes the name. */
static void file_replace(const char *from, const char *to) {
    FILE *in = fopen(from, "rb"), *out = fopen("garden_new.so", "wb");
    char bytes[4096];
    size_t got = 0;
    if (in == NULL || out == NULL) {
        exit(1);
    }
    while ((got = fread(bytes, 1, sizeof bytes, in)) > 0) {
        fwrite(bytes, 1, got, out);
    }
    fclose(in);
    fclose(out);
    rename("garden_new.so", to);
}

static void garden_show(const stoa_world *world) {
    stoa_entity e = STOA_NULL;
    while (!stoa_entity_is_null(e = stoa_entity_next(world, e))) {
        char text[200];
        stoa_print_component(world, e, stoa_component_find(world, "Plant"), text, sizeof text);
        printf("  %s\n", text);
    }
}

int main(void) {
    const char *live = "garden_live.so";
    stoa_app *app = stoa_app_new(&(stoa_app_desc){.threads = 1});
    stoa_world *world = stoa_app_world(app);

    file_replace(GARDEN_1, live);
    stoa_module *garden = stoa_module_load(app, live, NULL);
    if (garden == NULL) {
        printf("%s\n", stoa_last_error().message);
        return 1;
    }
    stoa_app_step(app, 1);
    printf("version %u\n", stoa_module_version(garden));
    garden_show(world);

    /* The programmer saves, the compiler writes; between frames the host looks. */
    file_replace(GARDEN_2, live);
    int32_t reloaded = 0;
    while (reloaded == 0 && stoa_modules_poll(app, &reloaded) == STOA_OK) {
    }
    printf("version %u\n", stoa_module_version(garden));
    garden_show(world);
    stoa_app_step(app, 1);
    printf("a frame later\n");
    garden_show(world);

    /* A file that is no module changes nothing. */
    FILE *broken = fopen(live, "wb");
    fclose(broken);
    if (stoa_module_reload(garden) != STOA_OK) {
        printf("refused: %s\n", stoa_module_error(garden));
    }
    stoa_app_step(app, 1);
    garden_show(world);

    remove(live);
    stoa_app_free(app);
    return 0;
}
