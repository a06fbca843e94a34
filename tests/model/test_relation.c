/* Relations with one target: whichever way the component comes, goes or is replaced, both ends
 * agree. */
#include "model/relation_fixture.h"

/* REL-01 */
static void target_knows_its_sources_in_order(void **state) {
    stoa_world *w = ((support_world *)*state)->world;
    stoa_relation r = inside_new(w, STOA_ORPHAN, true);
    stoa_entity box = stoa_create(w);
    stoa_entity a = inside_make(w, box), b = inside_make(w, box), c = inside_make(w, box);
    assert_links(stoa_relation_sources(w, r, box), a, b, c);
    assert_links(shown(w, box, Holds), a, b, c);
    assert_entity(stoa_relation_target(w, r, b), box);
    assert_links(stoa_relation_targets(w, r, b), box);
    assert_true(stoa_relation_has(w, r, b, box));
    assert_false(stoa_relation_has(w, r, box, b));
    assert_no_links(stoa_relation_sources(w, r, a));
    assert_no_links(stoa_relation_targets(w, r, box));
}

/* REL-01 */
static void last_source_takes_the_place_of_one_that_goes(void **state) {
    stoa_world *w = ((support_world *)*state)->world;
    stoa_relation r = inside_new(w, STOA_ORPHAN, true);
    stoa_entity box = stoa_create(w);
    stoa_entity a = inside_make(w, box), b = inside_make(w, box), c = inside_make(w, box);
    assert_int_equal(stoa_remove(w, a, Inside), STOA_OK);
    assert_links(shown(w, box, Holds), c, b);
    assert_int_equal(stoa_destroy(w, b), STOA_OK);
    assert_links(shown(w, box, Holds), c);
    assert_int_equal(stoa_clear(w, c), STOA_OK);
    assert_false(stoa_has(w, box, Holds));
    assert_no_links(stoa_relation_sources(w, r, box));
    assert_entity(stoa_relation_target(w, r, a), STOA_NULL);
}

/* REL-01 */
static void set_moves_a_source_to_another_target(void **state) {
    stoa_world *w = ((support_world *)*state)->world;
    stoa_relation r = inside_new(w, STOA_ORPHAN, true);
    stoa_entity box = stoa_create(w), bag = stoa_create(w);
    stoa_entity a = inside_make(w, box), b = inside_make(w, box);
    assert_int_equal(stoa_set(w, a, Inside, {.slot = 7, .container = bag}), STOA_OK);
    assert_links(shown(w, box, Holds), b);
    assert_links(shown(w, bag, Holds), a);
    assert_entity(stoa_relation_target(w, r, a), bag);
    assert_int_equal(stoa_set(w, a, Inside, {.slot = 8, .container = bag}), STOA_OK);
    assert_links(shown(w, bag, Holds), a);
    assert_int_equal(stoa_set(w, a, Inside, {.container = STOA_NULL}), STOA_OK);
    assert_false(stoa_has(w, bag, Holds));
    assert_true(stoa_has(w, a, Inside));
    assert_entity(stoa_relation_target(w, r, a), STOA_NULL);
}

/* REL-01 */
static void every_path_keeps_both_ends_right(void **state) {
    stoa_world *w = ((support_world *)*state)->world;
    stoa_relation r = inside_new(w, STOA_ORPHAN, true);
    stoa_entity box = stoa_create(w), bag = stoa_create(w), e = stoa_create(w);
    assert_int_equal(stoa_add(w, e, Inside), STOA_OK);
    assert_entity(stoa_relation_target(w, r, e), STOA_NULL);
    assert_int_equal(
        stoa_change(w, e, STOA_VALUE(Mass, {2}), STOA_VALUE(Inside, {.container = box})), STOA_OK);
    assert_links(shown(w, box, Holds), e);
    assert_int_equal(stoa_change(w, e, STOA_REMOVE(Inside), STOA_REMOVE(Mass)), STOA_OK);
    assert_false(stoa_has(w, box, Holds));

    stoa_component id = stoa_id(w, Inside);
    Inside value = {.container = bag};
    assert_int_equal(stoa_set_id(w, e, id, &value, sizeof value), STOA_OK);
    assert_int_equal(stoa_set_named(w, e, "Inside", &(Inside){.container = box}, sizeof value),
                     STOA_OK);
    assert_false(stoa_has(w, bag, Holds));
    stoa_entity twin = stoa_clone(w, e);
    assert_links(shown(w, box, Holds), e, twin);
    stoa_entity parent_twin = stoa_clone(w, box);
    assert_false(stoa_has(w, parent_twin, Holds));

    stoa_query *q = stoa_query_parse(w, "const Inside");
    assert_int_equal(stoa_query_set(q, Inside, {.container = bag}), STOA_OK);
    assert_int_equal(stoa_relation_sources(w, r, bag).count, 2);
    assert_false(stoa_has(w, box, Holds));
    assert_int_equal(stoa_query_remove_id(q, id), STOA_OK);
    assert_false(stoa_has(w, bag, Holds));
    assert_int_equal(stoa_query_free(q), STOA_OK);
}

/* REL-01 */
static void bulk_links_to_several_targets(void **state) {
    stoa_world *w = ((support_world *)*state)->world;
    stoa_relation r = inside_new(w, STOA_ORPHAN, true);
    stoa_entity boxes[3] = {stoa_create(w), stoa_create(w), stoa_create(w)};
    Inside values[50];
    stoa_entity made[50];
    for (int32_t i = 0; i < 50; i++) {
        values[i] = (Inside){i, i % 4 < 3 ? boxes[i % 4] : STOA_NULL};
    }
    assert_int_equal(stoa_create_bulk(w, 50, made, STOA_COLUMN(Inside, values), STOA_ZERO(Mass)),
                     STOA_OK);
    assert_int_equal(stoa_relation_sources(w, r, boxes[0]).count, 13);
    assert_int_equal(stoa_relation_sources(w, r, boxes[1]).count, 13);
    assert_int_equal(stoa_relation_sources(w, r, boxes[2]).count, 12);
    assert_entity(shown(w, boxes[1], Holds).items[2], made[9]);
    assert_entity(stoa_relation_target(w, r, made[3]), STOA_NULL);
    stoa_query *q = stoa_query_parse(w, "const Inside");
    assert_int_equal(stoa_query_destroy(q), STOA_OK);
    assert_false(stoa_has(w, boxes[0], Holds));
    assert_int_equal(stoa_query_free(q), STOA_OK);
}

/* REL-01 ENT-07 */
static void bulk_of_one_value_links_all_to_one_target(void **state) {
    stoa_world *w = ((support_world *)*state)->world;
    stoa_relation r = inside_new(w, STOA_ORPHAN, true);
    stoa_entity box = stoa_create(w), made[30];
    assert_int_equal(stoa_create_bulk(w, 30, made, STOA_SAME(Inside, {.container = box})), STOA_OK);
    assert_int_equal(shown(w, box, Holds).count, 30);
    assert_entity(stoa_relation_sources(w, r, box).items[29], made[29]);
}

/* REL-01 PRE-02 */
static void prefab_links_its_instances(void **state) {
    stoa_world *w = ((support_world *)*state)->world;
    stoa_relation r = inside_new(w, STOA_ORPHAN, true);
    stoa_entity box = stoa_create(w), bag = stoa_create(w);
    stoa_prefab *prefab = stoa_prefab_new(w, NULL);
    assert_int_equal(stoa_prefab_set(prefab, Inside, {.container = box}), STOA_OK);
    stoa_entity a = stoa_prefab_instantiate(prefab);
    assert_links(stoa_relation_sources(w, r, box), a);
    assert_int_equal(stoa_prefab_set(prefab, Inside, {.container = bag}), STOA_OK);
    assert_int_equal(stoa_prefab_instantiate_bulk(prefab, 20, NULL, NULL, 0), STOA_OK);
    assert_int_equal(shown(w, bag, Holds).count, 20);
    assert_int_equal(stoa_prefab_free(prefab), STOA_OK);
}

/* REL-01 */
static void commands_link_when_they_are_applied(void **state) {
    stoa_world *w = ((support_world *)*state)->world;
    stoa_relation r = inside_new(w, STOA_ORPHAN, true);
    stoa_commands *c = stoa_deferred(w);
    stoa_entity box = stoa_commands_create(c);
    stoa_entity a = stoa_commands_create_with(c, STOA_VALUE(Inside, {.container = box}));
    stoa_entity b = stoa_commands_create(c), d = stoa_commands_create(c);
    assert_int_equal(stoa_commands_set(c, b, Inside, {.slot = 3, .container = box}), STOA_OK);
    assert_int_equal(stoa_commands_relation_add(c, r, d, box), STOA_OK);
    assert_int_equal(stoa_commands_relation_add(c, r, b, a), STOA_OK);
    assert_int_equal(stoa_flush(w), STOA_OK);
    assert_links(shown(w, box, Holds), a, d);
    assert_links(shown(w, a, Holds), b);
    assert_int_equal(stoa_get(w, b, Inside)->slot, 3);
    assert_int_equal(stoa_commands_relation_remove(c, r, d, box), STOA_OK);
    assert_int_equal(stoa_commands_relation_remove(c, r, b, STOA_NULL), STOA_OK);
    assert_int_equal(stoa_flush(w), STOA_OK);
    assert_links(shown(w, box, Holds), a);
    assert_false(stoa_has(w, b, Inside));
    assert_int_equal(stoa_commands_refused(c), 0);
}

/* REL-01 */
static void commands_on_the_dead_are_counted(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    stoa_relation r = inside_new(w, STOA_ORPHAN, true);
    stoa_entity box = stoa_create(w), e = stoa_create(w), dead = stoa_create(w);
    assert_int_equal(stoa_destroy(w, dead), STOA_OK);
    stoa_commands *c = stoa_deferred(w);
    assert_int_equal(stoa_commands_relation_add(c, r, e, dead), STOA_OK);
    assert_int_equal(stoa_commands_relation_add(c, r, dead, box), STOA_OK);
    assert_int_equal(stoa_commands_relation_remove(c, r, dead, box), STOA_OK);
    assert_int_equal(stoa_commands_relation_add(c, r, e, box), STOA_OK);
    assert_int_equal(stoa_flush(w), STOA_OK);
    assert_int_equal(stoa_commands_refused(c), 3);
    assert_links(shown(w, box, Holds), e);
    support_assert_quiet(s);
}

/* REL-01 */
static void add_keeps_what_else_the_component_says(void **state) {
    stoa_world *w = ((support_world *)*state)->world;
    stoa_relation r = inside_new(w, STOA_ORPHAN, true);
    stoa_entity box = stoa_create(w), bag = stoa_create(w), e = stoa_create(w);
    assert_int_equal(stoa_relation_add(w, r, e, box), STOA_OK);
    assert_int_equal(stoa_get(w, e, Inside)->slot, 0);
    assert_int_equal(stoa_set(w, e, Inside, {.slot = 9, .container = box}), STOA_OK);
    assert_int_equal(stoa_relation_add(w, r, e, bag), STOA_OK);
    assert_int_equal(stoa_get(w, e, Inside)->slot, 9);
    assert_links(shown(w, bag, Holds), e);
    assert_false(stoa_has(w, box, Holds));
    assert_int_equal(stoa_relation_remove(w, r, e, box), STOA_OK);
    assert_true(stoa_has(w, e, Inside));
    assert_int_equal(stoa_relation_remove(w, r, e, bag), STOA_OK);
    assert_false(stoa_has(w, e, Inside));
    assert_int_equal(stoa_relation_remove(w, r, e, STOA_NULL), STOA_OK);
}

/* REL-01 */
static void circles_are_refused_on_request(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    stoa_relation r = inside_new(w, STOA_ORPHAN, true);
    stoa_entity a = stoa_create(w), b = inside_make(w, a), c = inside_make(w, b);
    assert_int_equal(stoa_set(w, a, Inside, {.container = c}), STOA_CYCLE);
    support_assert_message("Inside");
    assert_int_equal(stoa_relation_add(w, r, a, a), STOA_CYCLE);
    assert_int_equal(stoa_relation_add(w, r, b, c), STOA_CYCLE);
    assert_false(stoa_has(w, a, Inside));
    assert_links(shown(w, b, Holds), c);
    assert_true(stoa_relation_reaches(w, r, c, a));
    assert_true(stoa_relation_reaches(w, r, b, a));
    assert_false(stoa_relation_reaches(w, r, a, c));
    assert_false(stoa_relation_reaches(w, r, a, a));
    support_assert_quiet(s);
}

/* REL-01 */
static void circles_are_fine_where_nobody_minds(void **state) {
    stoa_world *w = ((support_world *)*state)->world;
    stoa_relation r = inside_new(w, STOA_ORPHAN, false);
    stoa_entity a = stoa_create(w), b = inside_make(w, a), lone = inside_make(w, a);
    assert_int_equal(stoa_relation_add(w, r, a, b), STOA_OK);
    assert_true(stoa_relation_reaches(w, r, a, a));
    assert_false(stoa_relation_reaches(w, r, a, lone));
    assert_int_equal(stoa_relation_add(w, r, lone, lone), STOA_OK);
    assert_links(shown(w, lone, Holds), lone);
    assert_int_equal(stoa_destroy(w, lone), STOA_OK);
    assert_int_equal(stoa_destroy(w, a), STOA_OK);
    assert_false(stoa_has(w, b, Inside));
    assert_false(stoa_has(w, b, Holds));
}

/* REL-01 */
static void entities_that_are_there_become_part(void **state) {
    stoa_world *w = ((support_world *)*state)->world;
    stoa_entity box = stoa_create(w), dead = stoa_create(w);
    stoa_entity a = inside_make(w, box), b = inside_make(w, dead), c = inside_make(w, box);
    assert_int_equal(stoa_destroy(w, dead), STOA_OK);
    stoa_relation r = inside_new(w, STOA_ORPHAN, true);
    assert_links(shown(w, box, Holds), a, c);
    assert_entity(stoa_relation_target(w, r, b), STOA_NULL);
    assert_int_equal(stoa_set(w, b, Inside, {.container = box}), STOA_OK);
    assert_links(stoa_relation_sources(w, r, box), a, c, b);
}

/* REL-01 */
static void circle_that_is_there_is_found(void **state) {
    stoa_world *w = ((support_world *)*state)->world;
    stoa_entity a = stoa_create(w), b = inside_make(w, a), c = inside_make(w, b);
    inside_make(w, c);
    assert_int_equal(stoa_set(w, a, Inside, {.container = c}), STOA_OK);
    stoa_relation_desc desc = {
        .type = STOA_TYPE_OF(Inside), .reverse = STOA_TYPE_OF(Holds), .acyclic = true};
    assert_int_equal(stoa_relation_new(w, &desc).id, 0);
    assert_int_equal(stoa_last_error().status, STOA_CYCLE);
    assert_int_equal(stoa_relation_find(w, "Inside").id, 0);
    assert_false(stoa_has(w, a, Holds));
    desc.acyclic = false;
    assert_int_not_equal(stoa_relation_new(w, &desc).id, 0);
    assert_links(shown(w, a, Holds), b);
}

/* REL-01 NAM-02 */
static void relation_is_found_by_name(void **state) {
    stoa_world *w = ((support_world *)*state)->world;
    assert_int_equal(stoa_relation_find(w, "Inside").id, 0);
    stoa_relation r = inside_new(w, STOA_ORPHAN, false), other = likes_new(w, STOA_ORPHAN, false);
    assert_int_equal(stoa_relation_find(w, "Inside").id, r.id);
    assert_int_equal(stoa_relation_find(w, "Likes").id, other.id);
    assert_string_equal(stoa_relation_name(w, other), "Likes");
}

/* REL-01 */
static void hidden_component_shows_where_none_is_given(void **state) {
    stoa_world *w = ((support_world *)*state)->world;
    stoa_relation r = stoa_relation_new(w, &(stoa_relation_desc){.name = "packed",
                                                                 .type = STOA_TYPE_OF(Inside),
                                                                 .field = "container"});
    stoa_entity box = stoa_create(w), e = inside_make(w, box);
    assert_links(stoa_relation_sources(w, r, box), e);
    assert_true(stoa_has_named(w, box, "packed.sources"));
    stoa_component_info info;
    assert_int_equal(stoa_component_info_get(w, stoa_component_find(w, "packed.sources"), &info),
                     STOA_OK);
    assert_true((info.flags & STOA_HIDDEN) != 0);
}

#define test(name) cmocka_unit_test_setup_teardown(name, support_setup, support_teardown)

int main(void) {
    const struct CMUnitTest tests[] = {
        test(target_knows_its_sources_in_order),
        test(last_source_takes_the_place_of_one_that_goes),
        test(set_moves_a_source_to_another_target),
        test(every_path_keeps_both_ends_right),
        test(bulk_links_to_several_targets),
        test(bulk_of_one_value_links_all_to_one_target),
        test(prefab_links_its_instances),
        test(commands_link_when_they_are_applied),
        test(commands_on_the_dead_are_counted),
        test(add_keeps_what_else_the_component_says),
        test(circles_are_refused_on_request),
        test(circles_are_fine_where_nobody_minds),
        test(entities_that_are_there_become_part),
        test(circle_that_is_there_is_found),
        test(relation_is_found_by_name),
        test(hidden_component_shows_where_none_is_given),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
