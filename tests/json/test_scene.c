/* Scenes: loaded once, made several times, saved from entities. */
#include "json_fixture.h"

#include "stoa/relation.h"

STOA_COMPONENT_WITH(Likes, STOA_OPTIONS(.flags = STOA_MANAGED | STOA_SPARSE | STOA_IMMUTABLE), {
    const stoa_entity *items;
    int32_t count;
});

static const char text[] =
    "{\n"
    "  \"prefabs\": [\n"
    "    {\"name\": \"wheel\", \"Health\": {\"points\": 4}},\n"
    "    {\"name\": \"cart\", \"Health\": {\"points\": 20}, \"Position\": {\"x\": 1, \"y\": 1},\n"
    "     \"children\": [{\"prefab\": \"wheel\", \"Parent\": \"#0\"}]}\n"
    "  ],\n"
    "  \"entities\": [\n"
    "    {\"name\": \"red\", \"prefab\": \"cart\", \"Position\": {\"x\": 9},\n"
    "     \"Target\": \"blue\"},\n"
    "    {\"name\": \"blue\", \"prefab\": \"cart\", \"remove\": [\"Position\"],\n"
    "     \"Target\": {\"entity\": \"#5\"}},\n"
    "    {\"id\": 5, \"Parent\": \"red\", \"Shield\": 3, \"off\": [\"Shield\"],\n"
    "     \"relations\": {\"Likes\": [\"red\", \"sun\", \"#5\"]}},\n"
    "    {\"Target\": \"sun\"}\n"
    "  ]\n"
    "}\n";

static void types_register(stoa_world *w) {
    stoa_id(w, Position);
    stoa_id(w, Health);
    stoa_id(w, Target);
    stoa_id(w, Frozen);
    stoa_id(w, Burning);
    stoa_id(w, Shield);
    stoa_id(w, Scratch);
    stoa_id(w, Parent);
    stoa_relation_new(w, &(stoa_relation_desc){.type = STOA_TYPE_OF(Likes), .many = true});
}

static void made_check(stoa_world *w, const stoa_entity *e, stoa_entity sun) {
    stoa_relation likes = stoa_relation_find(w, "Likes");
    assert_true(stoa_get(w, e[0], Position)->x == 9 && stoa_get(w, e[0], Position)->y == 0);
    assert_int_equal(stoa_get(w, e[0], Health)->points, 20);
    assert_same(stoa_get(w, e[0], Target)->entity, e[1]);
    assert_same(stoa_get(w, e[1], Target)->entity, e[2]);
    assert_same(stoa_get(w, e[3], Target)->entity, sun);
    assert_false(stoa_has(w, e[1], Position));
    assert_same(stoa_parent(w, e[2]), e[0]);
    assert_int_equal(stoa_children(w, e[0]).count, 2);
    assert_int_equal(stoa_children(w, e[1]).count, 1);
    assert_int_equal(stoa_get(w, stoa_children(w, e[1]).items[0], Health)->points, 4);
    assert_false(stoa_enabled(w, e[2], Shield));
    stoa_links links = stoa_relation_targets(w, likes, e[2]);
    assert_int_equal(links.count, 3);
    assert_same(links.items[0], e[0]);
    assert_same(links.items[1], sun);
    assert_same(links.items[2], e[2]);
}

/* PRE-05 */
static void scene_is_made_several_times(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    types_register(w);
    stoa_entity sun = stoa_require(w, "sun"), a[4], b[4], c[4];
    stoa_scene *scene = stoa_scene_load(w, text, sizeof text - 1, NULL);
    assert_non_null(scene);
    assert_int_equal(stoa_count(w), 1);
    assert_int_equal(stoa_scene_count(scene), 4);
    assert_int_equal(stoa_scene_find(scene, "blue"), 1);
    assert_int_equal(stoa_scene_find(scene, "green"), -1);
    assert_string_equal(stoa_scene_name(scene, 0), "red");
    assert_null(stoa_scene_name(scene, 2));
    assert_null(stoa_scene_name(scene, 4));
    assert_int_equal(stoa_scene_instantiate(scene, NULL, a, 4), STOA_OK);
    made_check(w, a, sun);
    assert_same(stoa_find(w, "red"), a[0]);
    uint64_t hash = stoa_hash(w);
    assert_fails(STOA_TAKEN, "has the name 'red'", stoa_scene_instantiate(scene, NULL, b, 4));
    assert_true(stoa_hash(w) == hash);
    assert_int_equal(
        stoa_scene_instantiate(scene, &(stoa_scene_options){.prefix = "second "}, b, 4), STOA_OK);
    made_check(w, b, sun);
    assert_same(stoa_find(w, "second blue"), b[1]);
    assert_int_equal(stoa_scene_instantiate(scene, &(stoa_scene_options){.nameless = true}, c, 4),
                     STOA_OK);
    made_check(w, c, sun);
    assert_null(stoa_name(w, c[0]));
    assert_int_equal(
        stoa_scene_instantiate(scene, &(stoa_scene_options){.nameless = true}, NULL, 0), STOA_OK);
    assert_int_equal(stoa_count(w), 1 + 4 * 6);
    support_assert_misuse(s, stoa_scene_instantiate(scene, NULL, b, 3), STOA_INVALID);
    assert_null(stoa_prefab_find(w, "cart"));
    stoa_scene_free(scene);
    assert_null(stoa_prefab_next(w, NULL));
    assert_int_equal(stoa_count(w), 25);
}

/* PRE-05 */
static void saved_scene_is_the_same_again(void **state) {
    stoa_world *w = world_of(state);
    types_register(w);
    stoa_entity world = stoa_create(w), tank = stoa_require(w, "tank"),
                other = stoa_require(w, "o");
    stoa_entity gun = stoa_create(w), shell = stoa_create(w);
    stoa_set(w, tank, Position, {3, 4});
    stoa_set_parent(w, tank, world);
    stoa_set_parent(w, gun, tank);
    stoa_set_parent(w, shell, gun);
    stoa_set(w, shell, Target, {other});
    stoa_set(w, gun, Target, {shell});
    stoa_set(w, tank, Target, {{99, 1}});
    saved s = {.blob = {0}};
    stoa_sink sink = stoa_blob_sink(&s.blob);
    assert_int_equal(stoa_scene_save(w, &tank, 1, STOA_JSON_COMPACT, &sink), STOA_OK);
    assert_string_equal(
        saved_text(&s),
        "{\"stoa\":1,\"entities\":[{\"name\":\"tank\",\"Position\":{\"x\":3,\"y\":4},"
        "\"Target\":{\"entity\":null}},{\"id\":1,\"Target\":{\"entity\":\"#2\"},"
        "\"Parent\":{\"entity\":\"tank\"}},{\"id\":2,\"Target\":{\"entity\":\"o\"},"
        "\"Parent\":{\"entity\":\"#1\"}}]}");
    stoa_scene *scene = stoa_scene_load(w, s.text, strlen(s.text), NULL);
    stoa_entity e[3];
    assert_int_equal(stoa_scene_instantiate(scene, &(stoa_scene_options){.prefix = "my "}, e, 3),
                     STOA_OK);
    assert_same(stoa_parent(w, e[2]), e[1]);
    assert_same(stoa_get(w, e[1], Target)->entity, e[2]);
    assert_same(stoa_get(w, e[2], Target)->entity, other);
    assert_same(stoa_find(w, "my tank"), e[0]);
    stoa_scene_free(scene);
    stoa_name_set(w, other, NULL);
    sink = stoa_blob_sink(&s.blob);
    assert_fails(STOA_NOT_FOUND, "is referred to, but has no name",
                 stoa_scene_save(w, &tank, 1, 0, &sink));
    stoa_blob_free(&s.blob);
}

/* PRE-05 */
static void empty_scene_makes_nothing(void **state) {
    stoa_world *w = world_of(state);
    stoa_scene *scene = stoa_scene_load(w, "{}", 2, NULL);
    assert_int_equal(stoa_scene_count(scene), 0);
    assert_int_equal(stoa_scene_instantiate(scene, NULL, NULL, 0), STOA_OK);
    assert_int_equal(stoa_count(w), 0);
    stoa_scene_free(scene);
    stoa_scene_free(NULL);
}

static stoa_status refuse(stoa_world *w, stoa_entity e, const void *values, int32_t count,
                          void *user) {
    (void)w;
    (void)e;
    (void)values;
    (void)count;
    (void)user;
    return stoa_fail(STOA_REFUSED, "no names today");
}

/* PRE-05 GEN-03 */
static void scene_that_a_veto_refuses_is_taken_back(void **state) {
    stoa_world *w = world_of(state);
    types_register(w);
    stoa_entity sun = stoa_require(w, "sun");
    stoa_scene *scene = stoa_scene_load(w, text, sizeof text - 1, NULL);
    stoa_hook veto = stoa_veto_new(
        w, &(stoa_veto_desc){.kind = STOA_VETO_SET, .component = stoa_id(w, Name), .call = refuse});
    assert_int_not_equal(veto.id, 0);
    assert_fails(STOA_REFUSED, "no names today", stoa_scene_instantiate(scene, NULL, NULL, 0));
    assert_int_equal(stoa_count(w), 1);
    assert_true(stoa_alive(w, sun));
    stoa_hook_remove(w, veto);
    assert_int_equal(stoa_scene_instantiate(scene, NULL, NULL, 0), STOA_OK);
    stoa_scene_free(scene);
}

/* PRE-05 GEN-03 */
static void bad_scenes_are_refused_with_their_place(void **state) {
    stoa_world *w = world_of(state);
    types_register(w);
    uint64_t hash = stoa_hash(w);
    static const struct {
        const char *text, *part;
        stoa_status status;
    } cases[] = {
        {"{\"entities\":[{\"Target\":\"who\"}]}", "line 1, column 24: entities[0].Target: there is",
         STOA_NOT_FOUND},
        {"{\"entities\":[{\"Target\":\"#3\"}]}", "no entity '#3'", STOA_NOT_FOUND},
        {"{\"entities\":[{\"Target\":\"#3v1\"}]}", "no entity '#3v1'", STOA_NOT_FOUND},
        {"{\"entities\":[{\"id\":\"3v1\"}]}", "entities[0].id: expected a number", STOA_SYNTAX},
        {"{\"entities\":[{\"id\":-1}]}", "entities[0].id: expected a number", STOA_SYNTAX},
        {"{\"entities\":[{},{\"prefab\":\"none\"}]}", "entities[1].prefab: there is no prefab",
         STOA_NOT_FOUND},
        {"{\"entities\":[{\"off\":[\"Shield\"]}]}", "entities[0].off[0]", STOA_REFUSED},
        {"{\"entities\":[{\"Health\":1,\"off\":[\"Health\"]}]}", "switched off", STOA_REFUSED},
        {"{\"entities\":[{\"off\":{}}]}", "off: expected a list", STOA_SYNTAX},
        {"{\"entities\":[{\"relations\":{\"Likes\":\"x\"}}]}", "Likes: expected a list",
         STOA_SYNTAX},
        {"{\"entities\":[{\"relations\":{\"Likes\":[7]}}]}", "Likes[0]: expected an entity",
         STOA_SYNTAX},
        {"{\"entities\":[{\"children\":[]}]}", "'children' cannot stand", STOA_SYNTAX},
        {"{\"entities\":[{}],\"free\":[]}", "nothing is known of 'free'", STOA_SYNTAX},
        {"{\"prefabs\":[{\"name\":\"a\",\"x\":1}],\"entities\":[{}]}", "prefabs[0].x",
         STOA_NOT_FOUND},
        {"{\"entities\":[{\"name\":\"a\"},{\"name\":\"a\"}]}", "entities[1].name", STOA_TAKEN},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        stoa_scene *scene = stoa_scene_load(w, cases[i].text, strlen(cases[i].text), NULL);
        if (scene != NULL || stoa_last_error().status != cases[i].status) {
            print_error("%s\n", cases[i].text);
            support_print_error();
            fail();
        }
        support_assert_message(cases[i].part);
        assert_true(stoa_hash(w) == hash);
        assert_null(stoa_prefab_next(w, NULL));
    }
}

/* PRE-05 GEN-05 */
static void null_scenes_and_dead_roots_are_refused(void **state) {
    support_world *s = *state;
    stoa_blob blob = {0};
    stoa_sink sink = stoa_blob_sink(&blob);
    stoa_entity dead = {5, 1};
    assert_int_equal(stoa_scene_instantiate(NULL, NULL, NULL, 0), STOA_NULL_ARGUMENT);
    support_assert_misuse(s, stoa_scene_save(s->world, &dead, 1, 0, &sink), STOA_DEAD);
    support_assert_misuse(s, stoa_scene_save(s->world, NULL, 1, 0, &sink), STOA_NULL_ARGUMENT);
    support_assert_misuse(s, stoa_scene_save(s->world, NULL, -1, 0, &sink), STOA_INVALID);
    assert_int_equal(stoa_scene_count(NULL), 0);
    assert_int_equal(stoa_scene_find(NULL, "x"), -1);
    assert_null(stoa_scene_name(NULL, 0));
    assert_null(stoa_scene_load(s->world, NULL, 0, NULL));
    support_assert_misuse(s, stoa_last_error().status, STOA_NULL_ARGUMENT);
    stoa_blob_free(&blob);
}

int main(void) {
    const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, support_setup, support_teardown)
        TEST(scene_is_made_several_times),
        TEST(saved_scene_is_the_same_again),
        TEST(empty_scene_makes_nothing),
        TEST(scene_that_a_veto_refuses_is_taken_back),
        TEST(bad_scenes_are_refused_with_their_place),
        TEST(null_scenes_and_dead_roots_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
