/* Relations of a size, and shapes that would break a careless one. */
#include "model/relation_fixture.h"

#define MANY 100000

/* REL-01 */
static void hundred_thousand_sources_go_in_any_order(void **state) {
    stoa_world *w = ((support_world *)*state)->world;
    stoa_relation r = inside_new(w, STOA_CASCADE, true);
    stoa_entity box = stoa_create(w);
    static stoa_entity made[MANY];
    static Inside values[MANY];
    for (int i = 0; i < MANY; i++) {
        values[i].container = box;
    }
    assert_int_equal(stoa_create_bulk(w, MANY, made, STOA_COLUMN(Inside, values)), STOA_OK);
    assert_int_equal(shown(w, box, Holds).count, MANY);
    for (uint32_t i = 0; i < MANY; i++) {
        stoa_entity e = made[(uint64_t)i * 77773 % MANY];
        stoa_status status = i % 3 == 0   ? stoa_destroy(w, e)
                             : i % 3 == 1 ? stoa_remove(w, e, Inside)
                                          : stoa_set(w, e, Inside, {.container = STOA_NULL});
        assert_int_equal(status, STOA_OK);
        assert_int_equal(stoa_relation_sources(w, r, box).count, MANY - 1 - (int)i);
    }
    assert_false(stoa_has(w, box, Holds));
}

/* REL-01 ENT-09 */
static void chain_of_a_hundred_thousand_cascades(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    stoa_relation r = inside_new(w, STOA_CASCADE, true);
    stoa_entity first = stoa_create(w), e = first, half = first;
    for (int i = 1; i < MANY; i++) {
        e = inside_make(w, e);
        half = i == MANY / 2 ? e : half;
    }
    assert_true(stoa_relation_reaches(w, r, e, first));
    assert_int_equal(stoa_relation_add(w, r, first, e), STOA_CYCLE);
    s->heap.fail_at = 1;
    s->heap.fail_forever = true;
    assert_int_equal(stoa_destroy(w, half), STOA_OK);
    assert_int_equal(stoa_count(w), MANY / 2);
    assert_int_equal(stoa_destroy(w, first), STOA_OK);
    assert_int_equal(stoa_count(w), 0);
    s->heap.fail_at = 0;
}

/* REL-01 ENT-09 */
static void wide_tree_cascades_by_command(void **state) {
    stoa_world *w = ((support_world *)*state)->world;
    inside_new(w, STOA_CASCADE, true);
    static stoa_entity made[20000];
    made[0] = stoa_create(w);
    for (int i = 1; i < 20000; i++) {
        made[i] = inside_make(w, made[(i - 1) / 7]);
    }
    assert_int_equal(stoa_commands_destroy(stoa_deferred(w), made[0]), STOA_OK);
    assert_int_equal(stoa_flush(w), STOA_OK);
    assert_int_equal(stoa_count(w), 0);
}

/* REL-01 */
static void target_of_many_pairs_goes(void **state) {
    stoa_world *w = ((support_world *)*state)->world;
    stoa_relation r = likes_new(w, STOA_ORPHAN, false);
    stoa_entity star = stoa_create(w), hub = stoa_create(w);
    static stoa_entity made[20000];
    for (int i = 0; i < 20000; i++) {
        made[i] = stoa_create(w);
        assert_int_equal(stoa_relation_add(w, r, made[i], star), STOA_OK);
        assert_int_equal(stoa_relation_add(w, r, hub, made[i]), STOA_OK);
    }
    for (uint32_t i = 0; i < 10000; i++) {
        assert_int_equal(stoa_relation_remove(w, r, hub, made[i * 7919 % 20000]), STOA_OK);
    }
    assert_int_equal(shown(w, hub, Likes).count, 10000);
    assert_int_equal(stoa_destroy(w, star), STOA_OK);
    assert_false(stoa_has(w, made[5], Likes));
    assert_int_equal(stoa_destroy(w, hub), STOA_OK);
    assert_int_equal(stoa_count(w), 20000);
}

/* REL-01 */
static void everything_in_one_circle_dies_together(void **state) {
    stoa_world *w = ((support_world *)*state)->world;
    stoa_relation inside = inside_new(w, STOA_CASCADE, false);
    stoa_relation likes = likes_new(w, STOA_CASCADE, false);
    for (int round = 0; round < 2; round++) {
        stoa_relation r = round == 0 ? inside : likes;
        stoa_entity first = stoa_create(w), e = first;
        for (int i = 0; i < 1000; i++) {
            stoa_entity next = stoa_create(w);
            assert_int_equal(stoa_relation_add(w, r, next, e), STOA_OK);
            e = next;
        }
        assert_int_equal(stoa_relation_add(w, r, first, e), STOA_OK);
        assert_true(stoa_relation_reaches(w, r, first, first));
        assert_int_equal(stoa_destroy(w, e), STOA_OK);
        assert_int_equal(stoa_count(w), 0);
    }
}

/* REL-01 */
static void slot_that_is_used_again_has_no_links(void **state) {
    stoa_world *w = ((support_world *)*state)->world;
    stoa_relation inside = inside_new(w, STOA_ORPHAN, true);
    stoa_relation likes = likes_new(w, STOA_ORPHAN, false);
    stoa_entity box = stoa_create(w), old = inside_make(w, box);
    assert_int_equal(stoa_relation_add(w, likes, old, box), STOA_OK);
    assert_int_equal(stoa_relation_add(w, likes, box, old), STOA_OK);
    assert_int_equal(stoa_destroy(w, old), STOA_OK);
    stoa_entity young = stoa_create(w);
    assert_int_equal(young.index, old.index);
    assert_entity(stoa_relation_target(w, inside, young), STOA_NULL);
    assert_no_links(stoa_relation_sources(w, likes, young));
    assert_no_links(stoa_relation_targets(w, likes, box));
    assert_false(stoa_relation_has(w, likes, box, old));
    /* One that was made ready for a call that failed serves the next tenant. */
    assert_int_equal(stoa_create_bulk(w, 2, NULL,
                                      STOA_VALUE_FROM(Inside, ((Inside[]){{.container = young},
                                                                          {.container = old}}))),
                     STOA_DEAD);
    assert_int_equal(stoa_destroy(w, young), STOA_OK);
    stoa_entity next = stoa_create(w), e = inside_make(w, next);
    assert_links(shown(w, next, Holds), e);
}

/* REL-01 GEN-02 */
static void sixty_four_relations_share_a_world(void **state) {
    stoa_world *w = ((support_world *)*state)->world;
    stoa_relation all[64];
    for (int i = 0; i < 64; i++) {
        char name[16];
        snprintf(name, sizeof name, "r%d", i);
        stoa_component id = stoa_component_register(
            w, &(stoa_component_desc){
                   .name = name, .fields = "{ stoa_entity to; }", .flags = STOA_IMMUTABLE});
        all[i] = stoa_relation_new(
            w, &(stoa_relation_desc){.component = id, .policy = STOA_CASCADE, .acyclic = true});
        assert_int_not_equal(all[i].id, 0);
    }
    stoa_entity first = stoa_create(w), e = first;
    for (int i = 0; i < 1000; i++) {
        stoa_entity next = stoa_create(w);
        assert_int_equal(stoa_relation_add(w, all[i % 64], next, e), STOA_OK);
        e = next;
    }
    assert_int_equal(stoa_destroy(w, first), STOA_OK);
    assert_int_equal(stoa_count(w), 0);
}

#define test(name) cmocka_unit_test_setup_teardown(name, support_setup, support_teardown)

int main(void) {
    const struct CMUnitTest tests[] = {
        test(hundred_thousand_sources_go_in_any_order),
        test(chain_of_a_hundred_thousand_cascades),
        test(wide_tree_cascades_by_command),
        test(target_of_many_pairs_goes),
        test(everything_in_one_circle_dies_together),
        test(slot_that_is_used_again_has_no_links),
        test(sixty_four_relations_share_a_world),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
