/* Prefabs as JSON: values, variants, trees, references, and what is refused. */
#include "json_fixture.h"

STOA_COMPONENT(Holder, { stoa_entity entity; });
STOA_COMPONENT(Hands, { stoa_entity both[2]; });

static void types_register(stoa_world *w) {
    stoa_id(w, Position);
    stoa_id(w, Health);
    stoa_id(w, Frozen);
    stoa_id(w, Holder);
    stoa_id(w, Hands);
    stoa_id(w, Scratch);
    stoa_id(w, Name);
}

/* A knight with two swords on top of an orc, with a champion on top of the knight. */
static stoa_prefab *knight_new(stoa_world *w) {
    stoa_prefab *orc = stoa_prefab_new(w, &(stoa_prefab_desc){.name = "orc"});
    stoa_prefab_set(orc, Health, {30});
    stoa_prefab_set(orc, Position, {1, 2});
    stoa_prefab *sword = stoa_prefab_new(w, NULL);
    stoa_prefab_set(sword, Health, {5});
    stoa_prefab_set(sword, Scratch, {1});
    stoa_prefab *knight = stoa_prefab_new(w, &(stoa_prefab_desc){.name = "#knight", .base = orc});
    stoa_prefab_add(knight, Frozen);
    stoa_prefab_remove(knight, Position);
    int32_t left = stoa_prefab_child(knight, sword), right = stoa_prefab_child(knight, sword);
    stoa_prefab_node_set(knight, right, Health, {9});
    stoa_prefab_node_set(knight, left, Holder, {stoa_prefab_node(0)});
    stoa_prefab_set(knight, Hands, {{stoa_prefab_node(left), stoa_prefab_node(right)}});
    stoa_prefab *champion =
        stoa_prefab_new(w, &(stoa_prefab_desc){.name = "champion", .base = knight});
    stoa_prefab_node_set_values(champion, left, STOA_VALUES(STOA_REMOVE(Health)));
    stoa_prefab_set(champion, Health, {99});
    stoa_prefab_child(champion, orc);
    return champion;
}

static const char champion_text[] = "{\n"
                                    "  \"stoa\": 1,\n"
                                    "  \"prefabs\": [\n"
                                    "    {\n"
                                    "      \"name\": \"orc\",\n"
                                    "      \"Health\": {\"points\": 30},\n"
                                    "      \"Position\": {\"x\": 1, \"y\": 2}\n"
                                    "    },\n"
                                    "    {\n"
                                    "      \"id\": 1,\n"
                                    "      \"Health\": {\"points\": 5}\n"
                                    "    },\n"
                                    "    {\n"
                                    "      \"name\": \"#knight\",\n"
                                    "      \"base\": \"orc\",\n"
                                    "      \"Frozen\": true,\n"
                                    "      \"Hands\": {\"both\": [\"#1\", \"#2\"]},\n"
                                    "      \"remove\": [\"Position\"],\n"
                                    "      \"children\": [\n"
                                    "        {\n"
                                    "          \"prefab\": \"#1\",\n"
                                    "          \"Holder\": {\"entity\": \"#0\"}\n"
                                    "        },\n"
                                    "        {\n"
                                    "          \"prefab\": \"#1\",\n"
                                    "          \"Health\": {\"points\": 9}\n"
                                    "        }\n"
                                    "      ]\n"
                                    "    },\n"
                                    "    {\n"
                                    "      \"name\": \"champion\",\n"
                                    "      \"base\": \"##knight\",\n"
                                    "      \"Health\": {\"points\": 99},\n"
                                    "      \"nodes\": [\n"
                                    "        {\n"
                                    "          \"node\": 1,\n"
                                    "          \"remove\": [\"Health\"]\n"
                                    "        }\n"
                                    "      ],\n"
                                    "      \"children\": [\n"
                                    "        {\n"
                                    "          \"prefab\": \"orc\"\n"
                                    "        }\n"
                                    "      ]\n"
                                    "    }\n"
                                    "  ]\n"
                                    "}\n";

static const char *prefab_text(saved *s, stoa_world *w, stoa_prefab *const *list, int32_t count,
                               uint32_t flags) {
    *s = (saved){.blob = {0}};
    stoa_sink sink = stoa_blob_sink(&s->blob);
    if (stoa_json_save_prefabs(w, list, count, flags, &sink) != STOA_OK) {
        stoa_blob_free(&s->blob);
        return "failed";
    }
    return saved_text(s);
}

static stoa_prefab *load(stoa_world *w, const char *text) {
    return stoa_json_load_prefabs(w, text, strlen(text), NULL);
}

/* PRE-05 */
static void prefab_is_saved_with_all_it_needs(void **state) {
    stoa_world *w = world_of(state);
    types_register(w);
    stoa_prefab *champion = knight_new(w);
    saved s;
    assert_string_equal(prefab_text(&s, w, &champion, 1, 0), champion_text);
    assert_string_equal(prefab_text(&s, w, NULL, 0, 0), champion_text);
}

/* PRE-05 */
static void prefab_that_is_loaded_makes_the_same_instances(void **state) {
    stoa_world *w = world_of(state);
    types_register(w);
    support_world other;
    support_world_open(&other);
    types_register(other.world);
    stoa_prefab *here = knight_new(w), *there = load(other.world, champion_text);
    assert_non_null(there);
    assert_string_equal(stoa_prefab_name(there), "champion");
    saved s;
    assert_string_equal(prefab_text(&s, other.world, &there, 1, 0), champion_text);
    stoa_entity made[4];
    assert_int_equal(stoa_prefab_instantiate_tree(here, NULL, 0, made, 4), STOA_OK);
    assert_int_equal(stoa_prefab_instantiate_tree(there, NULL, 0, made, 4), STOA_OK);
    stoa_query *transient = stoa_query_parse(w, "Scratch");
    stoa_query_remove(transient, Scratch);
    assert_true(stoa_hash(w) == stoa_hash(other.world));
    assert_same(stoa_get(other.world, made[0], Hands)->both[1], made[2]);
    /* The knight is still its base. */
    stoa_prefab_set(stoa_prefab_find(other.world, "orc"), Position, {7, 7});
    assert_false(stoa_prefab_has(there, Position));
    stoa_prefab_revert(stoa_prefab_find(other.world, "#knight"), Position);
    assert_true(stoa_prefab_get(there, Position)->x == 7);
    support_world_close(&other);
}

/* PRE-05 */
static void prefab_alone_stands_on_those_of_the_world(void **state) {
    stoa_world *w = world_of(state);
    types_register(w);
    stoa_prefab *orc = stoa_prefab_new(w, &(stoa_prefab_desc){.name = "orc"});
    stoa_prefab_set(orc, Health, {30});
    stoa_prefab *ghoul = stoa_prefab_new(w, &(stoa_prefab_desc){.name = "ghoul", .base = orc});
    stoa_prefab_set(ghoul, Position, {1, 1});
    saved s;
    assert_string_equal(prefab_text(&s, w, &ghoul, 1, STOA_JSON_NO_PREFABS | STOA_JSON_COMPACT),
                        "{\"stoa\":1,\"prefabs\":[{\"name\":\"ghoul\",\"base\":\"orc\","
                        "\"Position\":{\"x\":1,\"y\":1}}]}");
    stoa_prefab_free(ghoul);
    ghoul = load(w, s.text);
    assert_ptr_equal(stoa_prefab_base(ghoul), orc);
    stoa_prefab *nameless = stoa_prefab_new(w, NULL);
    stoa_prefab *on_top = stoa_prefab_new(w, &(stoa_prefab_desc){.base = nameless});
    assert_string_equal(prefab_text(&s, w, &on_top, 1, STOA_JSON_NO_PREFABS), "failed");
    support_assert_message("has no name and is not part");
}

/* PRE-05 */
static void deep_bases_are_saved_without_recursion(void **state) {
    stoa_world *w = world_of(state);
    types_register(w);
    stoa_prefab *top = NULL;
    for (int i = 0; i < 2000; i++) {
        top = stoa_prefab_new(w, &(stoa_prefab_desc){.base = top});
    }
    stoa_blob blob = {0};
    stoa_sink sink = stoa_blob_sink(&blob);
    assert_int_equal(stoa_json_save_prefabs(w, &top, 1, STOA_JSON_COMPACT, &sink), STOA_OK);
    stoa_prefab *back = stoa_json_load_prefabs(w, (const char *)blob.data, blob.size, NULL);
    assert_non_null(back);
    assert_non_null(stoa_prefab_base(back));
    stoa_blob_free(&blob);
}

/* PRE-05 GEN-03 */
static void bad_prefabs_make_none(void **state) {
    stoa_world *w = world_of(state);
    types_register(w);
    stoa_prefab_new(w, &(stoa_prefab_desc){.name = "old"});
    static const struct {
        const char *text, *part;
        stoa_status status;
    } cases[] = {
        {"{\"prefabs\":7}", "prefabs: expected a list", STOA_SYNTAX},
        {"{\"prefabs\":[]}", "no prefabs", STOA_SYNTAX},
        {"{\"prefabs\":[7]}", "prefabs[0]: expected an object", STOA_SYNTAX},
        {"{\"entities\":[]}", "nothing is known of 'entities'", STOA_SYNTAX},
        {"{\"prefabs\":[{\"name\":\"new\"},{\"name\":\"old\"}]}", "prefabs[1].name", STOA_TAKEN},
        {"{\"prefabs\":[{\"name\":\"new\"},{\"name\":\"new\"}]}", "prefabs[1].name", STOA_TAKEN},
        {"{\"prefabs\":[{\"id\":1},{\"id\":1}]}", "prefabs[1].id", STOA_TAKEN},
        {"{\"prefabs\":[{\"id\":\"1v1\"}]}", "prefabs[0].id: expected a number", STOA_SYNTAX},
        {"{\"prefabs\":[{\"name\":\"new\"},{\"base\":\"gone\"}]}", "no prefab 'gone'",
         STOA_NOT_FOUND},
        {"{\"prefabs\":[{\"base\":\"#1\"},{\"id\":1}]}", "prefabs[0].base: prefab '#1' comes later",
         STOA_NOT_FOUND},
        {"{\"prefabs\":[{\"name\":\"me\",\"base\":\"me\"}]}", "comes later", STOA_NOT_FOUND},
        {"{\"prefabs\":[{\"base\":7}]}", "base: expected the name of a prefab", STOA_SYNTAX},
        {"{\"prefabs\":[{\"name\":\"new\",\"Health\":{\"points\":true}}]}",
         "prefabs[0].Health.points: expected an integer", STOA_SYNTAX},
        {"{\"prefabs\":[{\"Holder\":\"#1\"}]}", "prefabs[0].Holder: there is no node 1",
         STOA_NOT_FOUND},
        {"{\"prefabs\":[{\"Holder\":\"who\"}]}", "there is no entity 'who'", STOA_NOT_FOUND},
        {"{\"prefabs\":[{\"children\":{}}]}", "children: expected a list", STOA_SYNTAX},
        {"{\"prefabs\":[{\"children\":[7]}]}", "children[0]: expected an object", STOA_SYNTAX},
        {"{\"prefabs\":[{\"children\":[{}]}]}", "children[0]: a child needs a prefab", STOA_SYNTAX},
        {"{\"prefabs\":[{\"children\":[{\"prefab\":\"old\",\"Health\":[]}]}]}",
         "prefabs[0].children[0].Health: expected an integer", STOA_SYNTAX},
        {"{\"prefabs\":[{\"nodes\":[{}]}]}", "nodes[0]: a node needs its number", STOA_SYNTAX},
        {"{\"prefabs\":[{\"nodes\":[{\"node\":1}]}]}", "nodes[0].node: expected", STOA_SYNTAX},
        {"{\"prefabs\":[{\"nodes\":[{\"node\":0}]}]}", "nodes[0].node: expected", STOA_SYNTAX},
        {"{\"prefabs\":[{\"Name\":{\"text\":\"x\"}}]}", "prefabs[0].Name: component 'Name'",
         STOA_REFUSED},
        {"{\"prefabs\":[{\"off\":[]}]}", "'off' cannot stand here", STOA_SYNTAX},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        if (load(w, cases[i].text) != NULL || stoa_last_error().status != cases[i].status) {
            print_error("%s\n", cases[i].text);
            support_print_error();
            fail();
        }
        support_assert_message(cases[i].part);
        assert_null(stoa_prefab_find(w, "new"));
        assert_null(stoa_prefab_next(w, stoa_prefab_find(w, "old")));
    }
}

/* PRE-05 GEN-05 */
static void null_prefabs_are_refused(void **state) {
    support_world *s = *state;
    stoa_prefab *none = NULL;
    stoa_blob blob = {0};
    stoa_sink sink = stoa_blob_sink(&blob);
    support_assert_misuse(s, stoa_json_save_prefabs(s->world, &none, 1, 0, &sink),
                          STOA_NULL_ARGUMENT);
    support_assert_misuse(s, stoa_json_save_prefabs(s->world, NULL, 0, 0, NULL),
                          STOA_NULL_ARGUMENT);
    assert_null(stoa_json_load_prefabs(s->world, NULL, 3, NULL));
    support_assert_misuse(s, stoa_last_error().status, STOA_NULL_ARGUMENT);
}

int main(void) {
    const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, support_setup, support_teardown)
        TEST(prefab_is_saved_with_all_it_needs),
        TEST(prefab_that_is_loaded_makes_the_same_instances),
        TEST(prefab_alone_stands_on_those_of_the_world),
        TEST(deep_bases_are_saved_without_recursion),
        TEST(bad_prefabs_make_none),
        TEST(null_prefabs_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
