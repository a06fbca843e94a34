/* Worlds as JSON: what comes back, and what an empty world refuses to be filled with. */
#include "json_fixture.h"

#include "stoa/relation.h"

STOA_COMPONENT(Clock, { int64_t ticks; });
STOA_COMPONENT_WITH(Likes, STOA_OPTIONS(.flags = STOA_MANAGED | STOA_SPARSE | STOA_IMMUTABLE), {
    const stoa_entity *items;
    int32_t count;
});

static void types_register(stoa_world *w) {
    stoa_id(w, Position);
    stoa_id(w, Health);
    stoa_id(w, Target);
    stoa_id(w, Frozen);
    stoa_id(w, Burning);
    stoa_id(w, Shield);
    stoa_id(w, Scratch);
    stoa_id(w, Clock);
    stoa_id(w, Name);
    stoa_id(w, Parent);
    stoa_relation_new(w, &(stoa_relation_desc){.type = STOA_TYPE_OF(Likes), .many = true});
}

/* A world with some of everything: gaps, names, parents, lists, things off. */
static void world_fill(stoa_world *w) {
    stoa_entity e[20];
    for (int i = 0; i < 20; i++) {
        e[i] = i % 3 == 0   ? stoa_create(w)
               : i % 3 == 1 ? stoa_create_with(w, STOA_VALUE(Position, {(float)i, 0.5f}))
                            : stoa_create_with(w, STOA_VALUE(Health, {i}), STOA_ZERO(Frozen));
    }
    for (int i = 19; i > 0; i -= 2) {
        stoa_set(w, e[i], Burning, {(uint16_t)i});
    }
    stoa_name_set(w, e[7], "seven");
    stoa_name_set(w, e[2], "two");
    stoa_set_parent(w, e[9], e[2]);
    stoa_set_parent(w, e[4], e[2]);
    stoa_set_parent(w, e[5], e[4]);
    stoa_set(w, e[1], Target, {e[7]});
    stoa_set(w, e[3], Target, {e[8]});
    stoa_set(w, e[10], Shield, {4});
    stoa_set(w, e[11], Shield, {5});
    stoa_enable(w, e[10], Shield, false);
    stoa_set(w, e[11], Scratch, {1});
    stoa_relation likes = stoa_relation_find(w, "Likes");
    stoa_relation_add(w, likes, e[1], e[2]);
    stoa_relation_add(w, likes, e[5], e[3]);
    stoa_relation_add(w, likes, e[1], e[3]);
    stoa_relation_add(w, likes, e[2], e[3]);
    stoa_relation_remove(w, likes, e[5], e[3]);
    stoa_destroy(w, e[8]);
    stoa_destroy(w, e[12]);
    stoa_destroy(w, e[6]);
    stoa_resource_set_type(w, STOA_TYPE_OF(Clock), &(Clock){INT64_MAX});
}

/* SNP-07 SNP-01 */
static void world_comes_back_with_handles_order_and_hash(void **state) {
    stoa_world *w = world_of(state);
    types_register(w);
    world_fill(w);
    stoa_blob blob = world_blob(w, STOA_JSON_PRETTY), again;
    support_world other;
    support_world_open(&other);
    types_register(other.world);
    assert_int_equal(blob_load(other.world, &blob), STOA_OK);
    assert_int_equal(stoa_check(other.world), STOA_OK);
    assert_true(stoa_hash(other.world) == stoa_hash(w));
    again = world_blob(other.world, STOA_JSON_PRETTY);
    assert_int_equal(again.size, blob.size);
    assert_memory_equal(again.data, blob.data, blob.size);
    /* The next handles are the same, too. */
    for (int i = 0; i < 6; i++) {
        assert_same(stoa_create(other.world), stoa_create(w));
    }
    stoa_entity two = stoa_find(other.world, "two");
    stoa_links ours = stoa_children(other.world, two), theirs = stoa_children(w, two);
    assert_int_equal(ours.count, 2);
    assert_same(ours.items[0], theirs.items[0]);
    assert_same(ours.items[1], theirs.items[1]);
    assert_true(stoa_resource(other.world, Clock)->ticks == INT64_MAX);
    stoa_blob_free(&blob);
    stoa_blob_free(&again);
    support_world_close(&other);
}

/* SNP-07 */
static void world_without_handles_is_loaded_anew(void **state) {
    stoa_world *w = world_of(state);
    types_register(w);
    world_fill(w);
    stoa_blob blob = world_blob(w, STOA_JSON_NO_HANDLES | STOA_JSON_COMPACT);
    support_world other;
    support_world_open(&other);
    types_register(other.world);
    stoa_destroy(other.world, stoa_create(other.world));
    assert_int_equal(blob_load(other.world, &blob), STOA_OK);
    assert_int_equal(stoa_check(other.world), STOA_OK);
    assert_int_equal(stoa_count(other.world), stoa_count(w));
    stoa_entity two = stoa_find(other.world, "two"), seven = stoa_find(other.world, "seven");
    assert_int_equal(stoa_children(other.world, two).count, 2);
    int found = 0;
    stoa_query *q = stoa_query_parse(other.world, "Target, Position");
    for (stoa_iter it = stoa_query_iter(q); stoa_iter_next(&it);) {
        found++;
        assert_same(stoa_field(&it, Target, 0)->entity, seven);
    }
    assert_int_equal(found, 1);
    stoa_blob_free(&blob);
    support_world_close(&other);
}

/* SNP-07 REL-01 */
static void lists_of_relations_come_back(void **state) {
    stoa_world *w = world_of(state);
    types_register(w);
    stoa_relation likes = stoa_relation_find(w, "Likes");
    stoa_entity a = stoa_require(w, "a"), b = stoa_create(w), c = stoa_require(w, "c");
    stoa_relation_add(w, likes, a, c);
    stoa_relation_add(w, likes, a, b);
    stoa_relation_add(w, likes, b, a);
    for (uint32_t flags = 0; flags <= STOA_JSON_NO_HANDLES; flags += STOA_JSON_NO_HANDLES) {
        stoa_blob blob = world_blob(w, flags);
        support_world other;
        support_world_open(&other);
        types_register(other.world);
        assert_int_equal(blob_load(other.world, &blob), STOA_OK);
        assert_true(stoa_hash(other.world) == stoa_hash(w));
        likes = stoa_relation_find(other.world, "Likes");
        stoa_links links = stoa_relation_targets(other.world, likes, a);
        assert_int_equal(links.count, 2);
        assert_same(links.items[0], c);
        assert_same(links.items[1], b);
        assert_true(stoa_relation_has(other.world, likes, b, a));
        stoa_blob_free(&blob);
        support_world_close(&other);
    }
    saved s;
    assert_string_equal(entity_text(&s, w, a, STOA_JSON_COMPACT),
                        "{\"name\":\"a\",\"relations\":{\"Likes\":[\"c\",\"#2v1\"]}}");
    stoa_destroy(w, a);
    stoa_entity back = stoa_json_load_entity(w, s.text, strlen(s.text), NULL);
    assert_true(stoa_relation_has(w, likes, back, b));
    static const char dead[] = "{\"relations\":{\"Likes\":[\"c\",\"#77v1\"]}}";
    assert_true(stoa_entity_is_null(stoa_json_load_entity(w, dead, sizeof dead - 1, NULL)));
    support_assert_message("relations.Likes[1]: entity 77v1 is dead");
    assert_int_equal(stoa_count(w), 3);
}

/* SNP-07 */
static void text_of_a_person_is_loaded(void **state) {
    stoa_world *w = world_of(state);
    types_register(w);
    static const char text[] = "{\"entities\": ["
                               " {\"name\": \"ship\", \"Position\": {\"x\": 3}},"
                               " {\"id\": 7, \"Parent\": \"ship\", \"Health\": 10},"
                               " {\"Target\": \"#7\"} ]}";
    assert_int_equal(stoa_json_load_world(w, text, strlen(text), NULL), STOA_OK);
    stoa_entity ship = stoa_find(w, "ship");
    stoa_links crew = stoa_children(w, ship);
    assert_int_equal(crew.count, 1);
    assert_int_equal(stoa_get(w, crew.items[0], Health)->points, 10);
    assert_int_equal(stoa_count(w), 3);
    stoa_entity third = {3, 1};
    assert_same(stoa_get(w, third, Target)->entity, crew.items[0]);
}

/* SNP-07 */
static void parents_and_names_need_no_registration(void **state) {
    stoa_world *w = world_of(state);
    static const char text[] = "{\"entities\": [{\"name\": \"a\"}, {\"Parent\": \"a\"}]}";
    assert_int_equal(stoa_json_load_world(w, text, strlen(text), NULL), STOA_OK);
    assert_int_equal(stoa_children(w, stoa_find(w, "a")).count, 1);
}

/* SNP-07 */
static void handles_without_a_free_list_leave_gaps_free(void **state) {
    stoa_world *w = world_of(state);
    types_register(w);
    static const char text[] = "{\"entities\": [{\"id\":\"5v9\"},{\"id\":\"2v1\"}]}";
    assert_int_equal(stoa_json_load_world(w, text, strlen(text), NULL), STOA_OK);
    assert_true(stoa_alive(w, (stoa_entity){5, 9}) && stoa_alive(w, (stoa_entity){2, 1}));
    assert_same(stoa_create(w), ((stoa_entity){1, 1}));
    assert_same(stoa_create(w), ((stoa_entity){3, 1}));
}

/* SNP-01 SNP-11 */
static void world_that_is_not_empty_is_refused(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    stoa_blob blob = {0};
    stoa_sink sink = stoa_blob_sink(&blob);
    stoa_commands_create(stoa_deferred(w));
    support_assert_misuse(s, stoa_json_load_world(w, "{}", 2, NULL), STOA_INVALID);
    support_assert_misuse(s, stoa_json_save_world(w, 0, &sink), STOA_INVALID);
    stoa_flush(w);
    support_assert_misuse(s, stoa_json_load_world(w, "{}", 2, NULL), STOA_INVALID);
    stoa_blob_free(&blob);
}

/* Texts that are refused, and what the message says. */
static const struct {
    stoa_status status;
    const char *text, *part;
} bad_worlds[] = {
    {STOA_SYNTAX, "{\"entities\":{}}", "entities: expected a list"},
    {STOA_SYNTAX, "{\"entities\":[1]}", "entities[0]: expected an object"},
    {STOA_SYNTAX, "{\"enteties\":[]}", "nothing is known of 'enteties'"},
    {STOA_SYNTAX, "{\"stoa\":2}", "form 2"},
    {STOA_SYNTAX, "{\"stoa\":\"x\"}", "stoa: expected the number"},
    {STOA_NOT_FOUND, "{\"entities\":[{},{\"Bogus\":1}]}", "entities[1].Bogus: there is no"},
    {STOA_SYNTAX, "{\"entities\":[{\"Position\":{\"x\":1}},{\"Position\":{\"x\":[]}}]}",
     "entities[1].Position.x: expected a number"},
    {STOA_TAKEN, "{\"entities\":[{\"name\":\"a\"},{\"name\":\"a\"}]}", "entities[1].name"},
    {STOA_SYNTAX, "{\"entities\":[{\"name\":\"\"}]}", "entities[0].name: expected a name"},
    {STOA_TAKEN, "{\"entities\":[{\"id\":\"1v1\"},{\"id\":\"1v2\"}]}", "entities[1].id"},
    {STOA_SYNTAX, "{\"entities\":[{\"id\":\"1v1\"},{}]}", "entities[1]: the entity has no"},
    {STOA_SYNTAX, "{\"entities\":[{\"id\":\"1\"}]}", "entities[0].id: expected"},
    {STOA_SYNTAX, "{\"entities\":[{\"id\":\"0v1\"}]}", "has no handle"},
    {STOA_SYNTAX, "{\"entities\":[{\"id\":\"1v0\"}]}", "0 is no generation"},
    {STOA_SYNTAX, "{\"entities\":[{\"id\":\"1v4000000000\"}]}", "is no generation"},
    {STOA_LIMIT, "{\"entities\":[{\"id\":\"2000000000v1\"}]}", "too far off"},
    {STOA_LIMIT, "{\"entities\":[{\"id\":\"4294967295v1\"}]}", "too far off"},
    {STOA_CORRUPT, "{\"free\":[],\"entities\":[{\"id\":\"2v1\"}]}", "slots go up to 2"},
    {STOA_CORRUPT, "{\"free\":[\"1v1\",\"1v1\"],\"entities\":[]}", "slots go up to 1"},
    {STOA_CORRUPT, "{\"free\":[\"3v1\",\"1v1\",\"1v1\"],\"entities\":[]}", "free[2]: slot 1"},
    {STOA_SYNTAX, "{\"free\":[\"x\"],\"entities\":[]}", "free[0]: expected a handle"},
    {STOA_SYNTAX, "{\"free\":[],\"retired\":[0]}", "retired[0]: expected the index"},
    {STOA_CORRUPT, "{\"free\":[\"2v1\"],\"retired\":[2]}", "retired[0]: slot 2 is named twice"},
    {STOA_NOT_FOUND, "{\"entities\":[{\"Target\":\"who\"}]}", "entities[0].Target: there is"},
    {STOA_NOT_FOUND, "{\"entities\":[{\"Target\":{\"entity\":\"#3\"}}]}", "no entity '#3'"},
    {STOA_SYNTAX, "{\"entities\":[{\"off\":1}]}", "entities[0].off: expected a list"},
    {STOA_REFUSED, "{\"entities\":[{\"off\":[\"Shield\"]}]}", "entities[0].off[0]"},
    {STOA_REFUSED, "{\"entities\":[{\"Health\":1,\"off\":[\"Health\"]}]}", "switched off"},
    {STOA_SYNTAX, "{\"entities\":[{\"prefab\":\"x\"}]}", "'prefab' cannot stand here"},
    {STOA_REFUSED, "{\"entities\":[{\"Scratch\":1}]}", "entities[0].Scratch: component"},
    {STOA_REFUSED, "{\"entities\":[{\"Children\":1}]}", "'Children' is transient, or kept"},
    {STOA_SYNTAX, "{\"entities\":[{\"Health\":1,\":Health\":1}]}", "is named twice"},
    {STOA_CORRUPT, "{\"entities\":[{\"Burning\":1,\":Burning\":1},{}]}", ""},
    {STOA_SYNTAX, "{\"entities\":[{\"Burning\":1,\":Burning\":1}]}", "named twice"},
    {STOA_NOT_FOUND, "{\"entities\":[{\"\":1}]}", "there is no component ''"},
    {STOA_NOT_FOUND, "{\"entities\":[{\":\":1}]}", "there is no component ''"},
    {STOA_SYNTAX, "{\"archetypes\":[[]]}", "archetypes[0]: expected a list"},
    {STOA_SYNTAX, "{\"archetypes\":[[\"Burning\"]]}", "archetypes[0][0]: component"},
    {STOA_NOT_FOUND, "{\"archetypes\":[[\"Health\",\"no\"]]}", "archetypes[0][1]: there is"},
    {STOA_SYNTAX, "{\"order\":{\"Burning\":[]},\"entities\":[{\"id\":1,\"Burning\":1}]}",
     "order.Burning: 0 entities are listed"},
    {STOA_SYNTAX,
     "{\"order\":{\"Burning\":[\"#2\"]},\"entities\":[{\"id\":1,\"Burning\":1},"
     "{\"id\":2}]}",
     "order.Burning[0]: the entity has no"},
    {STOA_SYNTAX, "{\"order\":{\"Name\":[]},\"entities\":[{\"name\":\"a\"}]}", "order.Name"},
    {STOA_SYNTAX, "{\"resources\":{\"Clock\":1.5}}", "resources.Clock: expected an integer"},
    {STOA_NOT_FOUND, "{\"resources\":{\"Bogus\":1}}", "resources.Bogus: there is no"},
    {STOA_NOT_FOUND, "{\"resources\":{\"Clock\":1},\"entities\":[{\"x\":1}]}", "entities[0].x"},
    {STOA_NOT_FOUND, "{\"entities\":[{\"relations\":{\"Parent\":[]}}]}", "no relation"},
    {STOA_SYNTAX, "{\"entities\":[{\"relations\":[]}]}", "relations: expected an object"},
    {STOA_NOT_FOUND, "{\"entities\":[{\"relations\":{\"Likes\":[\"a\"]}}]}", "Likes[0]"},
    {STOA_NOT_FOUND, "{\"links\":{\"Hates\":[]}}", "links.Hates: there is no relation"},
    {STOA_SYNTAX, "{\"links\":{\"Parent\":7}}", "links.Parent: expected a list of lists"},
    {STOA_SYNTAX, "{\"links\":{\"Parent\":[[]]}}", "links.Parent[0]: expected a target"},
    {STOA_NOT_FOUND, "{\"links\":{\"Parent\":[[\"a\",\"b\"]]}}", "links.Parent[0][0]: there"},
    {STOA_CORRUPT,
     "{\"links\":{\"Parent\":[[\"a\",\"b\"]]},\"entities\":[{\"name\":\"a\"},"
     "{\"name\":\"b\"}]}",
     "does not point there"},
    {STOA_CORRUPT, "{\"entities\":[{\"name\":\"a\",\"relations\":{\"Likes\":[\"a\",\"a\"]}}]}",
     "do not tell the same"},
};

/* SNP-05 SNP-07 GEN-03 */
static void bad_world_leaves_the_target_as_it_was(void **state) {
    stoa_world *w = world_of(state);
    types_register(w);
    stoa_entity one = stoa_create_with(w, STOA_VALUE(Position, {1, 1}), STOA_VALUE(Health, {1}));
    stoa_destroy(w, one);
    uint64_t hash = stoa_hash(w);
    for (size_t i = 0; i < sizeof bad_worlds / sizeof bad_worlds[0]; i++) {
        stoa_status status =
            stoa_json_load_world(w, bad_worlds[i].text, strlen(bad_worlds[i].text), NULL);
        if (status != bad_worlds[i].status) {
            print_error("%s\n", bad_worlds[i].text);
        }
        assert_int_equal(status, bad_worlds[i].status);
        support_assert_message(bad_worlds[i].part);
        assert_true(stoa_hash(w) == hash);
        assert_int_equal(stoa_check(w), STOA_OK);
        assert_false(stoa_resource_has_type(w, STOA_TYPE_OF(Clock)));
    }
}

/* An extension that keeps a number. */
static stoa_status number_save(const stoa_world *w, const void *data, const stoa_sink *sink) {
    (void)w;
    return stoa_sink_write(sink, data, 1);
}

static stoa_status number_load(stoa_world *w, void *data, const void *bytes, size_t size) {
    (void)w;
    *(uint8_t *)data = size == 1 ? *(const uint8_t *)bytes : 0;
    return size <= 1 ? STOA_OK : stoa_fail(STOA_CORRUPT, "not a number");
}

static uint64_t number_version(const stoa_world *w, const void *data) {
    (void)w;
    return *(const uint8_t *)data;
}

static void number_free(stoa_world *w, void *data) {
    (void)w;
    (void)data;
}

/* SNP-07 */
static void extensions_of_the_program_are_bytes(void **state) {
    stoa_world *w = world_of(state);
    uint8_t number = 77;
    assert_int_equal(stoa_extend(w, &(stoa_extension){.name = "my.number",
                                                      .data = &number,
                                                      .free = number_free,
                                                      .save = number_save,
                                                      .load = number_load,
                                                      .version = number_version}),
                     STOA_OK);
    stoa_blob blob = world_blob(w, STOA_JSON_COMPACT);
    static const char text[] = "{\"stoa\":1,\"free\":[],\"extensions\":{\"my.number\":\"TQ==\"},"
                               "\"entities\":[]}";
    assert_int_equal(blob.size, sizeof text - 1);
    assert_memory_equal(blob.data, text, blob.size);
    number = 0;
    assert_int_equal(blob_load(w, &blob), STOA_OK);
    assert_int_equal(number, 77);
    assert_int_equal(stoa_json_load_world(w, "{}", 2, NULL), STOA_OK);
    assert_int_equal(number, 0);
    static const char bad[] = "{\"extensions\":{\"my.number\":\"TU1N\"}}";
    assert_fails(STOA_CORRUPT, "not a number", stoa_json_load_world(w, bad, sizeof bad - 1, NULL));
    static const char worse[] = "{\"extensions\":{\"my.number\":5}}";
    assert_fails(STOA_SYNTAX, "extensions.my.number: expected bytes",
                 stoa_json_load_world(w, worse, sizeof worse - 1, NULL));
    stoa_blob_free(&blob);
}

/* SNP-07 */
static void parents_in_a_circle_are_refused(void **state) {
    stoa_world *w = world_of(state);
    types_register(w);
    static const char text[] = "{\"entities\": [{\"name\":\"a\",\"Parent\":\"b\"},"
                               "{\"name\":\"b\",\"Parent\":\"a\"}]}";
    uint64_t hash = stoa_hash(w);
    assert_fails(STOA_CYCLE, "", stoa_json_load_world(w, text, sizeof text - 1, NULL));
    assert_true(stoa_hash(w) == hash);
}

/* SNP-07 */
static void resources_are_replaced_when_all_is_well(void **state) {
    stoa_world *w = world_of(state);
    types_register(w);
    stoa_resource_set_type(w, STOA_TYPE_OF(Clock), &(Clock){1});
    static const char bad[] = "{\"resources\":{\"Clock\":5},\"entities\":[{\"x\":1}]}";
    static const char good[] = "{\"resources\":{\"Clock\":5,\"Health\":{\"points\":2}}}";
    assert_int_equal(stoa_json_load_world(w, bad, sizeof bad - 1, NULL), STOA_NOT_FOUND);
    assert_int_equal(stoa_resource(w, Clock)->ticks, 1);
    assert_int_equal(stoa_json_load_world(w, good, sizeof good - 1, NULL), STOA_OK);
    assert_int_equal(stoa_resource(w, Clock)->ticks, 5);
    assert_int_equal(stoa_resource(w, Health)->points, 2);
    stoa_blob blob = world_blob(w, STOA_JSON_COMPACT | STOA_JSON_NO_RESOURCES);
    assert_int_equal(blob.size, strlen("{\"stoa\":1,\"free\":[],\"entities\":[]}"));
    stoa_blob_free(&blob);
}

int main(void) {
    const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, support_setup, support_teardown)
        TEST(world_comes_back_with_handles_order_and_hash),
        TEST(world_without_handles_is_loaded_anew),
        TEST(lists_of_relations_come_back),
        TEST(text_of_a_person_is_loaded),
        TEST(parents_and_names_need_no_registration),
        TEST(handles_without_a_free_list_leave_gaps_free),
        TEST(world_that_is_not_empty_is_refused),
        TEST(bad_world_leaves_the_target_as_it_was),
        TEST(extensions_of_the_program_are_bytes),
        TEST(parents_in_a_circle_are_refused),
        TEST(resources_are_replaced_when_all_is_well),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
