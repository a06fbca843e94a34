/* Memory that runs out at every allocation of every call: a clear failure, and nothing has changed.
 *
 * jansson takes its memory from malloc and is not part of this; what the library takes is. */
#include "json_fixture.h"

#include <stdlib.h>

#include "stoa/persist.h"

/* A component that owns a block of the test's heap. */
typedef struct Owner {
    int32_t *number;
} Owner;

static int owners;

static void owner_drop(void *items, int32_t count, void *user) {
    (void)user;
    for (int32_t i = 0; i < count; i++) {
        owners -= ((Owner *)items)[i].number != NULL;
        free(((Owner *)items)[i].number);
    }
}

static stoa_status owner_save(const stoa_sink *sink, const void *items, int32_t count, void *user) {
    (void)user;
    stoa_status status = STOA_OK;
    for (int32_t i = 0; i < count && status == STOA_OK; i++) {
        uint8_t byte = (uint8_t) * ((const Owner *)items)[i].number;
        status = stoa_sink_write(sink, &byte, 1);
    }
    return status;
}

static stoa_status owner_load(const stoa_source *source, void *items, int32_t count, void *user) {
    (void)user;
    (void)count;
    uint8_t byte;
    stoa_status status = stoa_source_read(source, &byte, 1);
    if (status == STOA_OK) {
        int32_t *number = malloc(sizeof *number);
        assert_non_null(number);
        *number = byte;
        ((Owner *)items)->number = number;
        owners++;
    }
    return status;
}

static bool owner_copy(void *to, const void *from, int32_t count, void *user) {
    (void)user;
    for (int32_t i = 0; i < count; i++) {
        int32_t *number = malloc(sizeof *number);
        assert_non_null(number);
        *number = *((const Owner *)from)[i].number;
        ((Owner *)to)[i].number = number;
        owners++;
    }
    return true;
}

static const stoa_persist owner_persist = {.save = owner_save, .load = owner_load};
STOA_TYPE_WITH(Owner,
               STOA_OPTIONS(.hooks = {.drop = owner_drop, .copy = owner_copy},
                            .persist = &owner_persist),
               {});

static const char world_text[] =
    "{\"resources\":{\"Health\":3,\"Position\":{\"x\":1}},"
    "\"archetypes\":[[\"Frozen\"],[\"Owner\",\"Position\"]],\"order\":{\"Burning\":[\"b\",\"a\"]},"
    "\"entities\":[{\"name\":\"a\",\"Position\":{\"x\":1},\"Owner\":\"AQ==\",\"Burning\":1},"
    "{\"name\":\"b\",\"Position\":{\"x\":2},\"Owner\":\"Ag==\",\"Parent\":\"a\",\"Burning\":2},"
    "{\"Position\":{\"x\":2},\"Owner\":\"Aw==\"},{\"Shield\":3,\"off\":[\"Shield\"],\"Target\":"
    "\"b\"},"
    "{\"id\":4},{\"Target\":\"#4\"}]}";

static const char scene_text[] =
    "{\"prefabs\":[{\"name\":\"p\",\"Owner\":\"BQ==\"},{\"id\":7,\"base\":\"p\",\"children\":["
    "{\"prefab\":\"p\",\"Target\":\"#0\"}]}],\"entities\":[{\"name\":\"a\",\"prefab\":\"#7\","
    "\"Position\":{\"x\":1}},{\"id\":2,\"name\":\"b\",\"Parent\":\"a\",\"Owner\":\"Bg==\","
    "\"Shield\":1,\"off\":[\"Shield\"],\"Target\":\"#2\"}]}";

static void types_register(stoa_world *w) {
    stoa_id(w, Position);
    stoa_id(w, Health);
    stoa_id(w, Target);
    stoa_id(w, Frozen);
    stoa_id(w, Burning);
    stoa_id(w, Shield);
    stoa_id(w, Owner);
    stoa_id(w, Parent);
    stoa_id(w, Name);
}

/* Runs a call with allocation after allocation failing until it succeeds. `emptied` says that a
 * failure may leave other generations behind. */
static void each_fails(support_world *s, stoa_status (*call)(support_world *s), bool emptied) {
    uint64_t hash = stoa_hash(s->world);
    int before = owners;
    int32_t count = stoa_count(s->world);
    size_t k = 1;
    for (;; k++) {
        s->heap.fail_at = k;
        stoa_status status = call(s);
        bool failed = s->heap.fail_at == 0;
        s->heap.fail_at = 0;
        assert_int_equal(stoa_check(s->world), STOA_OK);
        if (!failed) {
            assert_int_equal(status, STOA_OK);
            break;
        }
        if (status == STOA_OK) {
            continue; /* it could do without */
        }
        assert_int_equal(status, STOA_NO_MEMORY);
        assert_int_equal(owners, before);
        assert_int_equal(stoa_count(s->world), count);
        assert_true(emptied || stoa_hash(s->world) == hash);
        assert_true(k < 1000);
    }
    assert_true(k > 3);
}

static stoa_status world_load_call(support_world *s) {
    stoa_status status = stoa_json_load_world(s->world, world_text, sizeof world_text - 1, NULL);
    if (status != STOA_OK) {
        assert_false(stoa_resource_has_type(s->world, STOA_TYPE_OF(Health)));
    }
    return status;
}

/* SNP-05 SNP-07 GEN-04 */
static void loading_a_world_survives_lack_of_memory(void **state) {
    support_world *s = *state;
    types_register(s->world);
    each_fails(s, world_load_call, false);
    assert_int_equal(owners, 3);
    support_world other;
    support_world_open(&other);
    types_register(other.world);
    assert_int_equal(world_load_call(&other), STOA_OK);
    assert_int_equal(stoa_count(other.world), stoa_count(s->world));
    support_world_close(&other);
}

static stoa_status world_save_call(support_world *s) {
    stoa_blob blob = {.allocator = stoa_world_allocator(s->world)};
    stoa_sink sink = stoa_blob_sink(&blob);
    stoa_status status = stoa_json_save_world(s->world, STOA_JSON_NO_HANDLES, &sink);
    stoa_blob_free(&blob);
    if (status == STOA_OK) {
        sink = stoa_blob_sink(&blob);
        status = stoa_json_save_world(s->world, 0, &sink);
        stoa_blob_free(&blob);
    }
    return status;
}

static stoa_status scene_save_call(support_world *s) {
    stoa_blob blob = {.allocator = stoa_world_allocator(s->world)};
    stoa_sink sink = stoa_blob_sink(&blob);
    stoa_entity root = stoa_find(s->world, "a");
    stoa_status status = stoa_scene_save(s->world, &root, 1, 0, &sink);
    stoa_blob_free(&blob);
    return status;
}

/* SNP-07 PRE-05 GEN-04 */
static void saving_survives_lack_of_memory(void **state) {
    support_world *s = *state;
    types_register(s->world);
    assert_int_equal(world_load_call(s), STOA_OK);
    each_fails(s, world_save_call, false);
    each_fails(s, scene_save_call, false);
}

static stoa_status entity_load_call(support_world *s) {
    static const char text[] = "{\"name\":\"new\",\"Position\":{\"x\":3},\"Owner\":\"BQ==\","
                               "\"Burning\":3,\"Shield\":1,\"off\":[\"Shield\"]}";
    return stoa_entity_is_null(stoa_json_load_entity(s->world, text, sizeof text - 1, NULL))
               ? stoa_last_error().status
               : STOA_OK;
}

static stoa_status entity_apply_call(support_world *s) {
    static const char text[] = "{\"Owner\":\"Bg==\",\"Health\":1,\"Position\":{\"y\":1},"
                               "\"remove\":[\"Burning\"]}";
    return stoa_json_apply(s->world, stoa_find(s->world, "new"), text, sizeof text - 1, NULL);
}

/* SNP-07 GEN-04 */
static void entities_survive_lack_of_memory(void **state) {
    support_world *s = *state;
    types_register(s->world);
    each_fails(s, entity_load_call, false);
    assert_int_equal(owners, 1);
    each_fails(s, entity_apply_call, false);
    assert_int_equal(owners, 1);
}

static stoa_status scene_call(support_world *s) {
    stoa_scene *scene = stoa_scene_load(s->world, scene_text, sizeof scene_text - 1, NULL);
    if (scene == NULL) {
        return stoa_last_error().status;
    }
    stoa_status status =
        stoa_scene_instantiate(scene, &(stoa_scene_options){.prefix = "my "}, NULL, 0);
    stoa_scene_free(scene);
    return status;
}

/* PRE-05 GEN-04 */
static void scenes_survive_lack_of_memory(void **state) {
    support_world *s = *state;
    types_register(s->world);
    stoa_require(s->world, "z"); /* so that names have their tables */
    each_fails(s, scene_call, true);
    assert_int_equal(stoa_count(s->world), 4);
    assert_int_equal(owners, 3);
}

static stoa_prefab *kept;

static stoa_status prefab_save_call(support_world *s) {
    stoa_blob blob = {.allocator = stoa_world_allocator(s->world)};
    stoa_sink sink = stoa_blob_sink(&blob);
    stoa_status status = stoa_json_save_prefabs(s->world, &kept, 1, 0, &sink);
    stoa_blob_free(&blob);
    return status;
}

static stoa_status prefab_load_call(support_world *s) {
    static const char text[] =
        "{\"prefabs\":[{\"name\":\"p\",\"Owner\":\"BQ==\"},{\"id\":7,\"base\":\"p\",\"children\":["
        "{\"prefab\":\"p\",\"Target\":\"#0\"}],\"nodes\":[]},{\"name\":\"q\",\"base\":\"#7\","
        "\"nodes\":[{\"node\":1,\"Owner\":\"Bw==\",\"Health\":1}]}]}";
    kept = stoa_json_load_prefabs(s->world, text, sizeof text - 1, NULL);
    if (kept == NULL) {
        assert_null(stoa_prefab_next(s->world, NULL));
    }
    return kept != NULL ? STOA_OK : stoa_last_error().status;
}

/* PRE-05 GEN-04 */
static void prefabs_survive_lack_of_memory(void **state) {
    support_world *s = *state;
    types_register(s->world);
    each_fails(s, prefab_load_call, false);
    assert_int_equal(owners, 2);
    each_fails(s, prefab_save_call, false);
}

static int teardown(void **state) {
    int status = support_teardown(state);
    return status == 0 && owners == 0 ? 0 : -1;
}

int main(void) {
    const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, support_setup, teardown)
        TEST(loading_a_world_survives_lack_of_memory), TEST(saving_survives_lack_of_memory),
        TEST(entities_survive_lack_of_memory),         TEST(scenes_survive_lack_of_memory),
        TEST(prefabs_survive_lack_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
