/* Sorting beside the other parts of the library, none of which may notice: indexes, names, parents,
 * transforms, systems, recorded calls; and worlds that are sealed or being asked. */
#include "model/sort_rows.h"

#include "stoa/hierarchy.h"
#include "stoa/index.h"
#include "stoa/name.h"
#include "stoa/transform.h"

STOA_COMPONENT(Rank, { int32_t value, serial; });

#define MANY 2000

static stoa_entity es[MANY], list[MANY];

static void ranks_make(stoa_world *w, int32_t count) {
    for (int32_t i = 0; i < count; i++) {
        es[i] = stoa_create_with(w, STOA_VALUE(Rank, {i * 7919 % 10007, i}));
    }
}

static void ranks_verify(stoa_world *w, int32_t count) {
    assert_int_equal(rows_beside(w, es[0], list), count);
    for (int32_t i = 1; i < count; i++) {
        assert_true(stoa_get(w, list[i - 1], Rank)->value <= stoa_get(w, list[i], Rank)->value);
    }
    assert_int_equal(stoa_check(w), STOA_OK);
}

/* SRT-01 SRT-02 IDX-01: what was written before and after a sort is found. */
static void indexes_are_right_after_a_sort(void **state) {
    stoa_world *w = ((support_world *)*state)->world;
    ranks_make(w, MANY);
    stoa_index *by_value = stoa_index_new(
        w, &(stoa_index_desc){.type = STOA_TYPE_OF(Rank), .field = "value", .ordered = true});
    for (int round = 0; round < 5; round++) {
        stoa_get_mut(w, es[round], Rank)->value = 20000 + round;
        stoa_get_mut(w, es[MANY - 1 - round], Rank)->value = -round;
        assert_int_equal(stoa_sort_key(w, Rank, "value", STOA_ASCENDING), STOA_OK);
        ranks_verify(w, MANY);
        stoa_get_mut(w, es[1000 + round], Rank)->value = 30000 + round;
        for (int32_t i = 0; i <= round; i++) {
            const int32_t keys[] = {20000 + i, -i, 30000 + i};
            assert_true(stoa_entity_eq(stoa_index_first(by_value, &keys[0]), es[i]));
            assert_true(stoa_entity_eq(stoa_index_first(by_value, &keys[2]), es[1000 + i]));
            assert_true(stoa_index_count(by_value, &keys[1]) >= 1);
        }
        for (int32_t i = 0; i < MANY; i += 37) {
            int32_t value = stoa_get(w, es[i], Rank)->value;
            bool found = false;
            for (stoa_found f = stoa_index_find(by_value, &value); stoa_found_next(&f);) {
                found = found || stoa_entity_eq(f.entity, es[i]);
            }
            assert_true(found);
        }
    }
}

/* SRT-01 NAM-01 TRF-02 TRF-04 */
static void names_parents_and_transforms_hold(void **state) {
    stoa_world *w = ((support_world *)*state)->world;
    char name[16];
    ranks_make(w, 300);
    for (int32_t i = 0; i < 300; i++) {
        LocalTransform local = {stoa_mat4_translation(1, 0, 0)};
        (void)snprintf(name, sizeof name, "n%d", i);
        assert_int_equal(stoa_name_set(w, es[i], name), STOA_OK);
        assert_int_equal(stoa_set_from(w, es[i], LocalTransform, &local), STOA_OK);
        assert_int_equal(stoa_add(w, es[i], WorldTransform), STOA_OK);
        if (i > 0) {
            assert_int_equal(stoa_set_parent(w, es[i], es[(i - 1) / 2]), STOA_OK);
        }
    }
    assert_int_equal(stoa_propagate_transforms(w), STOA_OK);
    stoa_get_mut(w, es[1], LocalTransform)->matrix = stoa_mat4_translation(5, 0, 0);
    assert_int_equal(stoa_sort_key(w, Rank, "value", STOA_ASCENDING), STOA_OK);
    assert_int_equal(stoa_sort_key(w, Parent, "entity", STOA_DESCENDING), STOA_OK);
    assert_int_equal(stoa_propagate_transforms(w), STOA_OK);
    for (int32_t i = 0; i < 300; i++) {
        (void)snprintf(name, sizeof name, "n%d", i);
        assert_true(stoa_entity_eq(stoa_find(w, name), es[i]));
        float x = 0;
        for (int32_t at = i;; at = (at - 1) / 2) {
            x += at == 1 ? 5.0f : 1.0f;
            if (at == 0) {
                break;
            }
        }
        assert_true(stoa_get(w, es[i], WorldTransform)->matrix.m[12] == x);
        assert_true(i == 0 || stoa_entity_eq(stoa_parent(w, es[i]), es[(i - 1) / 2]));
        stoa_links links = stoa_children(w, es[i]);
        assert_int_equal(links.count, 2 * i + 2 < 300 ? 2 : 2 * i + 1 < 300 ? 1 : 0);
    }
    assert_int_equal(stoa_check(w), STOA_OK);
}

static stoa_status sort_run(stoa_job *job, stoa_iter *it) {
    (void)it;
    return stoa_sort_key(job->world, Rank, "value", STOA_ASCENDING);
}

/* SRT-02 SYS-02 */
static void exclusive_systems_sort(void **state) {
    stoa_world *w = ((support_world *)*state)->world;
    ranks_make(w, MANY);
    stoa_app *app = stoa_app_new(&(stoa_app_desc){.world = w, .threads = 1});
    stoa_system_new(
        app, &(stoa_system_desc){.name = "sort", .run = sort_run, .rule = STOA_THREAD_EXCLUSIVE});
    assert_int_equal(stoa_app_step(app, 0.01), STOA_OK);
    ranks_verify(w, MANY);
    assert_int_equal(stoa_app_free(app), STOA_OK);
}

static stoa_status sort_call(stoa_world *w, const void *data, size_t size) {
    (void)size;
    return stoa_sort_key(w, Rank, data, STOA_ASCENDING);
}

/* SRT-02 CMD-01 */
static void recorded_calls_sort(void **state) {
    stoa_world *w = ((support_world *)*state)->world;
    ranks_make(w, MANY);
    stoa_commands *c = stoa_deferred(w);
    stoa_commands_set(c, es[3], Rank, {77777, 3});
    assert_int_equal(stoa_commands_call(c, sort_call, "value", sizeof "value"), STOA_OK);
    stoa_commands_destroy(c, es[4]);
    assert_int_equal(stoa_flush(w), STOA_OK);
    assert_int_equal(stoa_count(w), MANY - 1);
    assert_int_equal(stoa_get(w, es[3], Rank)->value, 77777);
}

static stoa_status sort_asked(stoa_world *w, stoa_entity e, const void *values, int32_t count,
                              void *user) {
    (void)e;
    (void)values;
    (void)count;
    support_assert_misuse(user, stoa_sort_key(w, Rank, "value", STOA_ASCENDING), STOA_LOCKED);
    return STOA_OK;
}

/* SRT-01 SRT-02 GEN-03 */
static void sealed_and_asked_worlds_refuse(void **state) {
    support_world *s = *state;
    ranks_make(s->world, 10);
    uint64_t hash = stoa_hash(s->world);
    assert_int_equal(stoa_world_seal(s->world, true), STOA_OK);
    support_assert_misuse(s, stoa_sort_key(s->world, Rank, "value", STOA_ASCENDING), STOA_ACCESS);
    support_assert_misuse(s, stoa_permute(s->world, NULL, 0), STOA_ACCESS);
    support_assert_misuse(s, stoa_sparse_permute(s->world, stoa_id(s->world, Mood), NULL, 0),
                          STOA_ACCESS);
    assert_int_equal(stoa_world_seal(s->world, false), STOA_OK);
    assert_true(stoa_hash(s->world) == hash);
    stoa_hook veto = stoa_veto_new(s->world, &(stoa_veto_desc){.kind = STOA_VETO_SET,
                                                               .type = STOA_TYPE_OF(Rank),
                                                               .call = sort_asked,
                                                               .user = s});
    assert_int_equal(stoa_set(s->world, es[0], Rank, {0, 0}), STOA_OK);
    assert_true(stoa_hash(s->world) == hash);
    stoa_hook_remove(s->world, veto);
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, sort_open, sort_close)
    const struct CMUnitTest tests[] = {
        TEST(indexes_are_right_after_a_sort), TEST(names_parents_and_transforms_hold),
        TEST(exclusive_systems_sort),         TEST(recorded_calls_sort),
        TEST(sealed_and_asked_worlds_refuse),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
