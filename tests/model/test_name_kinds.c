/* The names of everything but entities: components, systems, resources and queries, and finding
 * each. */
#include "name_fixture.h"

STOA_COMPONENT_WITH(Body, STOA_OPTIONS(.name = "physics.Body"), { float mass; });
STOA_COMPONENT_WITH(Gravity, STOA_OPTIONS(.name = "physics.Gravity"), { float pull; });

/* NAM-02 CMP-05 CMP-13: by the name that the description gives, not by the C identifier. */
static void components_are_found_by_name(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    stoa_component body = stoa_id(w, Body), position = stoa_id(w, Position);
    assert_int_equal(stoa_component_find(w, "physics.Body"), body);
    assert_int_equal(stoa_component_find(w, "Position"), position);
    assert_int_equal(stoa_component_find(w, "Body"), 0);
    assert_string_equal(stoa_component_name(w, body), "physics.Body");
    stoa_entity e = stoa_require(w, "rock");
    assert_int_equal(stoa_set_named(w, e, "physics.Body", &(Body){2}, sizeof(Body)), STOA_OK);
    assert_true(stoa_get(w, e, Body)->mass == 2);
}

/* NAM-02 CMP-13 RES-01: a resource goes by the name of its type, while it is there. */
static void resources_are_found_by_name(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    assert_int_equal(stoa_resource_find(w, "physics.Gravity"), 0);
    stoa_component gravity = stoa_id(w, Gravity);
    assert_int_equal(stoa_resource_find(w, "physics.Gravity"), 0);
    stoa_resource_set(w, Gravity, {9.8f});
    assert_int_equal(stoa_resource_find(w, "physics.Gravity"), gravity);
    assert_true(((const Gravity *)stoa_resource_id(w, gravity))->pull > 9);
    assert_int_equal(stoa_resource_find(w, "Gravity"), 0);
    assert_int_equal(stoa_resource_find(w, "physics"), 0);
    assert_int_equal(stoa_resource_find(w, ""), 0);
    assert_int_equal(stoa_resource_find(w, NULL), 0);
    assert_int_equal(stoa_resource_find(NULL, "physics.Gravity"), 0);
    stoa_id(w, Position);
    assert_int_equal(stoa_resource_find(w, "Position"), 0);
    stoa_resource_remove(w, Gravity);
    assert_int_equal(stoa_resource_find(w, "physics.Gravity"), 0);
    support_assert_quiet(s);
}

/* NAM-02: by the name given, or the one that is made of the terms. */
static void queries_are_found_by_name(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    assert_null(stoa_query_find(w, "movers"));
    stoa_query *movers =
        stoa_query_new(w, &(stoa_query_desc){.terms = {STOA_WRITE(Position)}, .name = "movers"});
    stoa_id(w, Body);
    stoa_query *bodies = stoa_query_parse(w, "const physics.Body");
    assert_ptr_equal(stoa_query_find(w, "movers"), movers);
    assert_ptr_equal(stoa_query_find(w, stoa_query_name(bodies)), bodies);
    assert_null(stoa_query_find(w, "mover"));
    assert_null(stoa_query_find(w, NULL));
    assert_null(stoa_query_find(NULL, "movers"));
    stoa_query_free(movers);
    assert_null(stoa_query_find(w, "movers"));
    support_assert_quiet(s);
}

/* NAM-02: names of queries need not be unique; the oldest is found. */
static void oldest_query_of_a_name_is_found(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    stoa_query_desc desc = {.terms = {STOA_READ(Position)}, .name = "same"};
    stoa_query *first = stoa_query_new(w, &desc), *second = stoa_query_new(w, &desc);
    assert_ptr_not_equal(first, second);
    assert_ptr_equal(stoa_query_find(w, "same"), first);
    stoa_query_free(first);
    assert_ptr_equal(stoa_query_find(w, "same"), second);
}

/* NAM-02: all queries of a world, in the order they were made; none that is made for one walk. */
static void queries_are_walked_in_order(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    support_world other;
    support_world_open(&other);
    assert_null(stoa_query_next(w, NULL));
    stoa_create_with(w, STOA_ZERO(Position));
    stoa_query_desc desc = {.terms = {STOA_READ(Position)}, .name = "q"};
    stoa_query *made[4];
    for (int i = 0; i < 2; i++) {
        made[i] = stoa_query_new(w, &desc);
    }
    stoa_iter once =
        stoa_query_once(w, &(stoa_query_desc){.terms = {STOA_READ(Position)}, .name = "once"});
    for (int i = 2; i < 4; i++) {
        made[i] = stoa_query_new(w, &desc);
    }
    stoa_query *query = NULL;
    for (int i = 0; i < 4; i++) {
        query = stoa_query_next(w, query);
        assert_ptr_equal(query, made[i]);
    }
    assert_null(stoa_query_next(w, query));
    assert_null(stoa_query_find(w, "once"));
    assert_null(stoa_query_next(other.world, query));
    assert_null(stoa_query_next(NULL, query));
    stoa_iter_end(&once);
    once = stoa_query_once(w, &desc);
    assert_null(stoa_query_next(w, made[3]));
    stoa_iter_end(&once);
    stoa_query_free(made[0]);
    stoa_query_free(made[2]);
    assert_ptr_equal(stoa_query_next(w, NULL), made[1]);
    assert_ptr_equal(stoa_query_next(w, made[1]), made[3]);
    support_world_close(&other);
}

static stoa_status nothing(stoa_job *job, stoa_iter *it) {
    (void)job, (void)it;
    return STOA_OK;
}

/* NAM-02 SYS-03 */
static void systems_are_found_by_name(void **state) {
    support_world *s = *state;
    stoa_app *app = stoa_app_new(&(stoa_app_desc){.world = s->world, .threads = 1});
    assert_non_null(app);
    stoa_system move = stoa_system_new(app, &(stoa_system_desc){.name = "move", .run = nothing});
    assert_int_equal(stoa_system_find(app, "move").id, move.id);
    assert_int_equal(stoa_system_find(app, "mov").id, 0);
    /* An entity may have the name of a system, a component or a query. */
    stoa_entity e = stoa_require(s->world, "move");
    assert_entity(stoa_find(s->world, "move"), e);
    assert_int_equal(stoa_system_find(app, "move").id, move.id);
    assert_int_equal(stoa_app_free(app), STOA_OK);
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, support_setup, support_teardown)
    const struct CMUnitTest tests[] = {
        TEST(components_are_found_by_name), TEST(resources_are_found_by_name),
        TEST(queries_are_found_by_name),    TEST(oldest_query_of_a_name_is_found),
        TEST(queries_are_walked_in_order),  TEST(systems_are_found_by_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
