/* Scenes as JSON: a castle is read from a file, built twice, damaged, and written down again.
 *
 *   21_scene [FILE] */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <stoa.h>
#include <stoa/json.h>

STOA_ENUM(Colour, {WHITE, AMBER, BLUE});
STOA_COMPONENT(Position, { float x, y; });
STOA_COMPONENT(Health, { int32_t points; });
STOA_COMPONENT(Light, {
    float radius;
    Colour colour;
});
STOA_COMPONENT(Guards, { stoa_entity post; });
STOA_COMPONENT(Follows, { stoa_entity leader; });

static void types_register(stoa_world *w) {
    stoa_id(w, Colour);
    stoa_id(w, Position);
    stoa_id(w, Health);
    stoa_id(w, Light);
    stoa_id(w, Guards);
    stoa_id(w, Follows);
    stoa_id(w, Parent);
}

static char *file_read(const char *path, size_t *size) {
    FILE *file = fopen(path, "rb");
    char *text = malloc(1 << 16);
    *size = 0;
    if (file == NULL || text == NULL) {
        fprintf(stderr, "cannot read %s\n", path);
        exit(1);
    }
    *size = fread(text, 1, 1 << 16, file);
    fclose(file);
    return text;
}

static stoa_status text_write(void *user, const void *bytes, size_t size) {
    return fwrite(bytes, 1, size, user) == size ? STOA_OK : STOA_IO;
}

static void castles_show(stoa_world *w, stoa_scene *scene) {
    static const char *const prefixes[] = {"", "enemy "};
    for (int i = 0; i < 2; i++) {
        stoa_scene_options options = {.prefix = prefixes[i]};
        if (stoa_scene_instantiate(scene, &options, NULL, 0) != STOA_OK) {
            printf("%s\n", stoa_last_error().message);
        }
    }
    printf("%d listed, %d entities after two castles\n", stoa_scene_count(scene), stoa_count(w));
    stoa_query *guards = stoa_query_parse(w, "Guards, Health");
    for (stoa_iter it = stoa_query_iter(guards); stoa_iter_next(&it);) {
        const Guards *g = stoa_field(&it, Guards, 0);
        const Health *h = stoa_field(&it, Health, 1);
        for (int32_t i = 0; i < it.count; i++) {
            const char *name = stoa_name(w, it.entities[i]);
            printf("%s with %d points guards the %s\n", name != NULL ? name : "somebody",
                   h[i].points, stoa_name(w, g[i].post));
        }
    }
}

static void change_show(stoa_world *w) {
    static const char text[] = "{\"Health\": {\"points\": 120}, \"Position\": {\"y\": 31}}";
    stoa_entity gate = stoa_find(w, "north gate");
    stoa_sink out = {text_write, stdout};
    stoa_json_apply(w, gate, text, strlen(text), NULL);
    stoa_json_save_entity(w, gate, STOA_JSON_PRETTY, &out);
}

static void mistakes_show(stoa_world *w) {
    static const char *const texts[] = {
        "{\n  \"Health\": {\"points\": 120,\n             \"armour\": 3}\n}",
        "{\"Light\": {\"radius\": 2, \"colour\": \"GREEN\"}}",
        "{\"Guards\": \"west gate\"}",
        "{\"Health\": 3000000000}",
        "{\"Health\": 3",
    };
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        stoa_json_load_entity(w, texts[i], strlen(texts[i]), NULL);
        printf("%s\n", stoa_last_error().message);
    }
}

int main(int argc, char **argv) {
    stoa_world *w = stoa_world_new(NULL);
    types_register(w);
    size_t size;
    char *text = file_read(argc > 1 ? argv[1] : "examples/21_scene.json", &size);
    stoa_scene *scene = stoa_scene_load(w, text, size, NULL);
    free(text);
    if (scene == NULL) {
        fprintf(stderr, "%s\n", stoa_last_error().message);
        return 1;
    }
    printf("-- two castles\n");
    castles_show(w, scene);
    printf("-- a gate changed and written down\n");
    change_show(w);
    printf("-- the enemy's south gate as a scene\n");
    stoa_entity gate = stoa_find(w, "enemy south gate");
    stoa_scene_save(w, &gate, 1, STOA_JSON_PRETTY, &(stoa_sink){text_write, stdout});
    printf("-- mistakes\n");
    mistakes_show(w);
    stoa_scene_free(scene);
    stoa_world_free(w);
}
