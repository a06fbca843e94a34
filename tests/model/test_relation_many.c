/* Relations with any number of targets. */
#include "model/relation_fixture.h"

/* REL-01 */
static void both_ends_know_each_other(void **state) {
    stoa_world *w = ((support_world *)*state)->world;
    stoa_relation r = likes_new(w, STOA_ORPHAN, false);
    stoa_entity a = stoa_create(w), b = stoa_create(w), c = stoa_create(w);
    assert_int_equal(stoa_relation_add(w, r, a, b), STOA_OK);
    assert_int_equal(stoa_relation_add(w, r, a, c), STOA_OK);
    assert_int_equal(stoa_relation_add(w, r, a, a), STOA_OK);
    assert_int_equal(stoa_relation_add(w, r, b, c), STOA_OK);
    assert_int_equal(stoa_relation_add(w, r, a, c), STOA_OK);
    assert_links(stoa_relation_targets(w, r, a), b, c, a);
    assert_links(shown(w, a, Likes), b, c, a);
    assert_links(shown(w, c, LikedBy), a, b);
    assert_links(stoa_relation_sources(w, r, a), a);
    assert_entity(stoa_relation_target(w, r, a), b);
    assert_true(stoa_relation_has(w, r, a, c));
    assert_false(stoa_relation_has(w, r, c, a));
    assert_false(stoa_relation_has(w, r, c, STOA_NULL));
}

/* REL-01 */
static void targets_are_taken_out_one_by_one_or_all(void **state) {
    stoa_world *w = ((support_world *)*state)->world;
    stoa_relation r = likes_new(w, STOA_ORPHAN, false);
    stoa_entity a = stoa_create(w), b = stoa_create(w), c = stoa_create(w), d = stoa_create(w);
    for (int i = 0; i < 2; i++) {
        stoa_entity source = i == 0 ? a : b;
        assert_int_equal(stoa_relation_add(w, r, source, b), STOA_OK);
        assert_int_equal(stoa_relation_add(w, r, source, c), STOA_OK);
        assert_int_equal(stoa_relation_add(w, r, source, d), STOA_OK);
    }
    assert_int_equal(stoa_relation_remove(w, r, a, b), STOA_OK);
    assert_links(shown(w, a, Likes), d, c);
    assert_links(shown(w, b, LikedBy), b);
    assert_int_equal(stoa_relation_remove(w, r, a, b), STOA_OK);
    assert_int_equal(stoa_relation_remove(w, r, a, d), STOA_OK);
    assert_int_equal(stoa_relation_remove(w, r, a, c), STOA_OK);
    assert_false(stoa_has(w, a, Likes));
    assert_int_equal(stoa_relation_remove(w, r, b, STOA_NULL), STOA_OK);
    assert_false(stoa_has(w, b, Likes));
    assert_false(stoa_has(w, c, LikedBy));
    assert_int_equal(stoa_relation_add(w, r, b, c), STOA_OK);
    assert_int_equal(stoa_remove(w, b, Likes), STOA_OK);
    assert_false(stoa_has(w, c, LikedBy));
}

/* REL-01 ENT-09 */
static void orphans_lose_that_target_only(void **state) {
    stoa_world *w = ((support_world *)*state)->world;
    stoa_relation r = likes_new(w, STOA_ORPHAN, false);
    stoa_entity a = stoa_create(w), b = stoa_create(w), c = stoa_create(w);
    assert_int_equal(stoa_relation_add(w, r, a, b), STOA_OK);
    assert_int_equal(stoa_relation_add(w, r, a, c), STOA_OK);
    assert_int_equal(stoa_relation_add(w, r, c, b), STOA_OK);
    assert_int_equal(stoa_destroy(w, b), STOA_OK);
    assert_links(shown(w, a, Likes), c);
    assert_false(stoa_has(w, c, Likes));
    assert_int_equal(stoa_clear(w, c), STOA_OK);
    assert_false(stoa_has(w, a, Likes));
    assert_int_equal(stoa_relation_add(w, r, a, c), STOA_OK);
    assert_int_equal(stoa_destroy(w, a), STOA_OK);
    assert_false(stoa_has(w, c, LikedBy));
}

/* REL-01 ENT-09 */
static void cascade_destroys_all_that_point_there(void **state) {
    stoa_world *w = ((support_world *)*state)->world;
    stoa_relation r = likes_new(w, STOA_CASCADE, false);
    stoa_entity a = stoa_create(w), b = stoa_create(w), c = stoa_create(w), d = stoa_create(w);
    assert_int_equal(stoa_relation_add(w, r, a, b), STOA_OK);
    assert_int_equal(stoa_relation_add(w, r, a, d), STOA_OK);
    assert_int_equal(stoa_relation_add(w, r, c, a), STOA_OK);
    assert_int_equal(stoa_relation_add(w, r, b, c), STOA_OK);
    assert_int_equal(stoa_destroy(w, b), STOA_OK);
    assert_int_equal(stoa_count(w), 1);
    assert_true(stoa_alive(w, d));
    assert_false(stoa_has(w, d, LikedBy));
}

/* REL-01 ENT-09 */
static void refuse_counts_sources(void **state) {
    stoa_world *w = ((support_world *)*state)->world;
    stoa_relation r = likes_new(w, STOA_REFUSE, false);
    stoa_entity a = stoa_create(w), b = stoa_create(w);
    assert_int_equal(stoa_relation_add(w, r, a, b), STOA_OK);
    assert_int_equal(stoa_destroy(w, b), STOA_REFUSED);
    support_assert_message("1 point at it by the relation Likes");
    assert_int_equal(stoa_destroy(w, a), STOA_OK);
    assert_int_equal(stoa_destroy(w, b), STOA_OK);
}

/* REL-01 */
static void circles_are_searched_for_on_request(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    stoa_relation r = likes_new(w, STOA_ORPHAN, true);
    stoa_entity e[40];
    for (int i = 0; i < 40; i++) {
        e[i] = stoa_create(w);
        /* Two ways to each: without marks the search would take 2^20 steps. */
        for (int back = 1; back <= 2 && back <= i; back++) {
            assert_int_equal(stoa_relation_add(w, r, e[i], e[i - back]), STOA_OK);
        }
    }
    assert_int_equal(stoa_relation_add(w, r, e[0], e[39]), STOA_CYCLE);
    assert_int_equal(stoa_relation_add(w, r, e[5], e[5]), STOA_CYCLE);
    support_assert_message("Likes");
    assert_true(stoa_relation_reaches(w, r, e[39], e[0]));
    assert_false(stoa_relation_reaches(w, r, e[0], e[39]));
    assert_int_equal(stoa_relation_remove(w, r, e[20], e[19]), STOA_OK);
    assert_int_equal(stoa_relation_remove(w, r, e[20], e[18]), STOA_OK);
    assert_int_equal(stoa_relation_remove(w, r, e[21], e[19]), STOA_OK);
    assert_false(stoa_relation_reaches(w, r, e[39], e[0]));
    assert_int_equal(stoa_relation_add(w, r, e[0], e[39]), STOA_OK);
    support_assert_quiet(s);
}

/* REL-01 ENT-11 */
static void clone_has_no_targets_and_no_sources(void **state) {
    stoa_world *w = ((support_world *)*state)->world;
    stoa_relation r = likes_new(w, STOA_ORPHAN, false);
    stoa_entity a = stoa_create(w), b = stoa_create(w);
    assert_int_equal(stoa_relation_add(w, r, a, b), STOA_OK);
    stoa_entity twin = stoa_clone(w, a), other = stoa_clone(w, b);
    assert_false(stoa_has(w, twin, Likes));
    assert_false(stoa_has(w, other, LikedBy));
    assert_links(shown(w, b, LikedBy), a);
}

/* REL-01 */
static void commands_add_and_remove(void **state) {
    stoa_world *w = ((support_world *)*state)->world;
    stoa_relation r = likes_new(w, STOA_ORPHAN, true);
    stoa_commands *c = stoa_deferred(w);
    stoa_entity a = stoa_commands_create(c), b = stoa_commands_create(c);
    assert_int_equal(stoa_commands_relation_add(c, r, a, b), STOA_OK);
    assert_int_equal(stoa_commands_relation_add(c, r, b, a), STOA_OK);
    assert_int_equal(stoa_flush(w), STOA_OK);
    assert_int_equal(stoa_commands_refused(c), 1);
    assert_links(shown(w, a, Likes), b);
    assert_int_equal(stoa_commands_relation_remove(c, r, a, b), STOA_OK);
    assert_int_equal(stoa_flush(w), STOA_OK);
    assert_false(stoa_has(w, a, Likes));
}

/* What the hook below is to do. */
static struct {
    stoa_relation relation;
    stoa_entity destroy, source, target;
    int32_t calls;
    stoa_status status;
} job;

static void job_do(stoa_world *w, stoa_entity e, void *value, void *user) {
    (void)e;
    (void)value;
    (void)user;
    if (stoa_world_ending(w)) {
        return;
    }
    job.calls++;
    if (stoa_alive(w, job.destroy) && stoa_lock_of(w, job.destroy) == STOA_UNLOCKED) {
        job.status = stoa_destroy(w, job.destroy);
    }
    if (!stoa_entity_is_null(job.source)) {
        job.status = stoa_relation_remove(w, job.relation, job.source, job.target);
    }
}

/* REL-01 HOK-04 */
static void hook_may_end_what_is_being_added(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    stoa_relation r = likes_new(w, STOA_ORPHAN, false);
    memset(&job, 0, sizeof job);
    stoa_hook hook = stoa_on_add(w, Likes, job_do, NULL);
    stoa_entity a = stoa_create(w), b = stoa_create(w), c = stoa_create(w);
    job.destroy = b;
    assert_int_equal(stoa_relation_add(w, r, a, b), STOA_OK);
    assert_false(stoa_alive(w, b));
    assert_false(stoa_has(w, a, Likes));
    assert_int_equal(stoa_hook_remove(w, hook), STOA_OK);
    b = stoa_create(w);
    stoa_on_add(w, LikedBy, job_do, NULL);
    job.destroy = a;
    assert_int_equal(stoa_relation_add(w, r, a, b), STOA_OK);
    assert_false(stoa_alive(w, a));
    assert_false(stoa_has(w, b, LikedBy));
    job.relation = r;
    job.source = c;
    job.target = b;
    assert_int_equal(stoa_relation_add(w, r, c, b), STOA_OK);
    assert_false(stoa_relation_has(w, r, c, b));
    assert_false(stoa_has(w, c, Likes));
    support_assert_quiet(s);
}

/* REL-01 HOK-04 */
static void hook_may_end_others_while_a_target_dies(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    stoa_relation r = likes_new(w, STOA_CASCADE, false);
    stoa_on_remove(w, Likes, job_do, NULL);
    memset(&job, 0, sizeof job);
    stoa_entity a = stoa_create(w), b = stoa_create(w), c = stoa_create(w), d = stoa_create(w);
    assert_int_equal(stoa_relation_add(w, r, a, d), STOA_OK);
    assert_int_equal(stoa_relation_add(w, r, b, d), STOA_OK);
    assert_int_equal(stoa_relation_add(w, r, c, d), STOA_OK);
    job.destroy = b;
    job.relation = r;
    job.source = c;
    job.target = d;
    assert_int_equal(stoa_destroy(w, d), STOA_OK);
    assert_int_equal(job.status, STOA_OK);
    assert_false(stoa_alive(w, a));
    assert_false(stoa_alive(w, b));
    assert_true(stoa_alive(w, c));
    assert_false(stoa_has(w, c, Likes));
    support_assert_quiet(s);
}

#define test(name) cmocka_unit_test_setup_teardown(name, support_setup, support_teardown)

int main(void) {
    const struct CMUnitTest tests[] = {
        test(both_ends_know_each_other),
        test(targets_are_taken_out_one_by_one_or_all),
        test(orphans_lose_that_target_only),
        test(cascade_destroys_all_that_point_there),
        test(refuse_counts_sources),
        test(circles_are_searched_for_on_request),
        test(clone_has_no_targets_and_no_sources),
        test(commands_add_and_remove),
        test(hook_may_end_what_is_being_added),
        test(hook_may_end_others_while_a_target_dies),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
