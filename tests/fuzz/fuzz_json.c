/* Fuzzes JSON: whatever the bytes, they are refused with a place in them and nothing has changed,
 * or what they made can be saved, and loaded again with the same result.
 *
 * The first byte chooses what the text is taken for. */
#include "fuzz.h"

#include <string.h>

#include "stoa.h"
#include "stoa/json.h"

STOA_ENUM(Mood, {CALM, ANGRY = 7});
STOA_COMPONENT(P, { float x, y; });
STOA_COMPONENT(M, {
    int64_t i;
    uint64_t u;
    double d;
    char t[4];
    Mood mood;
    stoa_entity e[2];
    bool b;
});
STOA_TAG(F);
STOA_COMPONENT_WITH(S, STOA_OPTIONS(.flags = STOA_SPARSE | STOA_SWITCHABLE), { int8_t v; });
STOA_COMPONENT_WITH(W, STOA_OPTIONS(.flags = STOA_SWITCHABLE), { uint16_t v; });

static stoa_world *world_new(void) {
    stoa_world *w = stoa_world_new(NULL);
    CHECK(w != NULL);
    CHECK(stoa_id(w, P) && stoa_id(w, Mood) && stoa_id(w, M) && stoa_id(w, F) && stoa_id(w, S) &&
          stoa_id(w, W) && stoa_id(w, Name) && stoa_id(w, Parent));
    return w;
}

static void failure_check(const stoa_json_error *error, size_t size) {
    stoa_error last = stoa_last_error();
    CHECK(last.status != STOA_OK && last.message[0] != '\0');
    CHECK(error->offset <= size && error->line >= 0 && error->column >= 0);
    CHECK(strlen(error->path) < sizeof error->path);
}

static void world_run(const char *text, size_t size) {
    stoa_world *w = world_new(), *other = world_new();
    stoa_json_error error;
    if (stoa_json_load_world(w, text, size, &error) != STOA_OK) {
        failure_check(&error, size);
        CHECK(stoa_count(w) == 0);
    } else {
        stoa_blob blob = {0};
        stoa_sink sink = stoa_blob_sink(&blob);
        CHECK(stoa_json_save_world(w, 0, &sink) == STOA_OK);
        CHECK(stoa_json_load_world(other, (const char *)blob.data, blob.size, &error) == STOA_OK);
        CHECK(stoa_hash(w) == stoa_hash(other));
        CHECK(stoa_check(other) == STOA_OK);
        stoa_blob_free(&blob);
    }
    CHECK(stoa_check(w) == STOA_OK);
    stoa_world_free(w);
    stoa_world_free(other);
}

static void entity_run(const char *text, size_t size) {
    stoa_world *w = world_new();
    stoa_json_error error;
    stoa_entity e = stoa_json_load_entity(w, text, size, &error);
    if (stoa_entity_is_null(e)) {
        failure_check(&error, size);
        CHECK(stoa_count(w) == 0);
        e = stoa_create_with(w, STOA_VALUE(P, {1, 2}), STOA_VALUE(W, {3}));
        uint64_t hash = stoa_hash(w);
        CHECK(stoa_json_apply(w, e, text, size, &error) == STOA_OK || stoa_hash(w) == hash);
    } else {
        stoa_blob blob = {0};
        stoa_sink sink = stoa_blob_sink(&blob);
        CHECK(stoa_json_save_entity(w, e, STOA_JSON_COMPACT, &sink) == STOA_OK);
        CHECK(stoa_json_apply(w, e, (const char *)blob.data, blob.size, &error) == STOA_OK);
        stoa_blob_free(&blob);
    }
    CHECK(stoa_check(w) == STOA_OK);
    stoa_world_free(w);
}

static void scene_run(const char *text, size_t size) {
    stoa_world *w = world_new();
    stoa_json_error error;
    stoa_scene *scene = stoa_scene_load(w, text, size, &error);
    if (scene == NULL) {
        failure_check(&error, size);
        CHECK(stoa_prefab_next(w, NULL) == NULL);
    } else {
        for (int i = 0; i < 2; i++) {
            (void)stoa_scene_instantiate(scene, &(stoa_scene_options){.prefix = i == 0 ? "" : "x"},
                                         NULL, 0);
        }
        stoa_scene_free(scene);
    }
    CHECK(stoa_check(w) == STOA_OK);
    stoa_world_free(w);
}

static void prefabs_run(const char *text, size_t size) {
    stoa_world *w = world_new();
    stoa_json_error error;
    stoa_prefab *prefab = stoa_json_load_prefabs(w, text, size, &error);
    if (prefab == NULL) {
        failure_check(&error, size);
        CHECK(stoa_prefab_next(w, NULL) == NULL);
    } else {
        stoa_blob blob = {0};
        stoa_sink sink = stoa_blob_sink(&blob);
        CHECK(stoa_json_save_prefabs(w, &prefab, 1, 0, &sink) == STOA_OK);
        stoa_world *other = world_new();
        CHECK(stoa_json_load_prefabs(other, (const char *)blob.data, blob.size, &error) != NULL);
        stoa_world_free(other);
        stoa_blob_free(&blob);
    }
    stoa_world_free(w);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size == 0 || size > 65536) {
        return 0;
    }
    /* A block of its own, so that reading past the end shows. */
    char *text = malloc(size);
    if (text == NULL) {
        return 0;
    }
    memcpy(text, data + 1, size - 1);
    static void (*const runs[])(const char *, size_t) = {world_run, entity_run, scene_run,
                                                         prefabs_run};
    runs[data[0] & 3](text, size - 1);
    free(text);
    return 0;
}
