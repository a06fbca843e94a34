/* Resources: misuse, hooks that meddle, lack of memory. */
#include "world/resource_fixture.h"

/* RES-01 GEN-03: the message names the type. */
static void absent_resource_is_an_error(void **state) {
    support_world *s = *state;
    support_assert_misuse(s, status_of(stoa_resource(s->world, Unheard)), STOA_MISSING);
    support_assert_message("there is no resource 'Unheard'");
    support_assert_misuse(s, status_of(stoa_resource_mut(s->world, Unheard)), STOA_MISSING);
    assert_int_equal(stoa_type_find(s->world, STOA_TYPE_OF(Unheard)), 0);
    assert_int_equal(stoa_resource_remove(s->world, Unheard), STOA_OK);
    stoa_component id = stoa_id(s->world, Unheard);
    support_assert_misuse(s, status_of(stoa_resource(s->world, Unheard)), STOA_MISSING);
    support_assert_misuse(s, status_of(stoa_resource_id(s->world, id)), STOA_MISSING);
    support_assert_message("there is no resource 'Unheard'");
    support_assert_misuse(s, status_of(stoa_resource_mut_id(s->world, id)), STOA_MISSING);
    assert_null(stoa_resource_try_id(s->world, id));
    assert_null(stoa_resource_try_mut_id(s->world, id));
    assert_int_equal(stoa_resource_remove_id(s->world, id), STOA_OK);
    support_assert_quiet(s);
    assert_int_equal(s->errors, 5);
}

/* GEN-05 */
static void bad_arguments_are_refused(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    stoa_component id = stoa_id(w, Gravity);
    Gravity g = {1, 2, 3};
    support_assert_misuse(s, stoa_resource_set_id(w, id, &g, 8), STOA_INVALID);
    support_assert_message("resource 'Gravity' has 12 bytes, the value 8");
    support_assert_misuse(s, stoa_resource_set_id(w, id, NULL, 12), STOA_NULL_ARGUMENT);
    support_assert_misuse(s, stoa_resource_set_type(w, STOA_TYPE_OF(Gravity), NULL),
                          STOA_NULL_ARGUMENT);
    support_assert_misuse(s, stoa_resource_set_type(w, NULL, &g), STOA_NULL_ARGUMENT);
    support_assert_misuse(s, status_of(stoa_resource_type(w, NULL)), STOA_NULL_ARGUMENT);
    support_assert_misuse(s, stoa_resource_remove_type(w, NULL), STOA_NULL_ARGUMENT);
    const stoa_component unknown[] = {0, id + 1, UINT32_MAX};
    for (int i = 0; i < 3; i++) {
        support_assert_misuse(s, stoa_resource_set_id(w, unknown[i], &g, 12), STOA_UNKNOWN);
        support_assert_misuse(s, status_of(stoa_resource_id(w, unknown[i])), STOA_UNKNOWN);
        support_assert_misuse(s, status_of(stoa_resource_mut_id(w, unknown[i])), STOA_UNKNOWN);
        support_assert_misuse(s, stoa_resource_remove_id(w, unknown[i]), STOA_UNKNOWN);
        assert_null(stoa_resource_try_id(w, unknown[i]));
        assert_false(stoa_resource_has_id(w, unknown[i]));
        assert_false(stoa_resource_changed_id(w, unknown[i], 0));
    }
    assert_int_equal(stoa_resource_set_id(NULL, id, &g, 12), STOA_NULL_ARGUMENT);
    assert_int_equal(stoa_resource_remove_id(NULL, id), STOA_NULL_ARGUMENT);
    assert_int_equal(stoa_resource_remove(NULL, Gravity), STOA_NULL_ARGUMENT);
    assert_int_equal(status_of(stoa_resource(NULL, Gravity)), STOA_NULL_ARGUMENT);
    assert_int_equal(status_of(stoa_resource_id(NULL, id)), STOA_NULL_ARGUMENT);
    assert_null(stoa_resource_try(NULL, Gravity));
    assert_false(stoa_resource_has(NULL, Gravity));
    assert_false(stoa_resource_has(w, Gravity));
}

/* CMP-04 */
static void name_of_another_description_is_a_conflict(void **state) {
    support_world *s = *state;
    stoa_component_desc desc = {.name = "Time", .size = 4};
    stoa_component id = stoa_component_register(s->world, &desc);
    int value = 3;
    assert_int_equal(stoa_resource_set_id(s->world, id, &value, sizeof value), STOA_OK);
    assert_int_equal(status_of(stoa_resource(s->world, Time)), STOA_CONFLICT);
    assert_int_equal(stoa_resource_set(s->world, Time, {1}), STOA_CONFLICT);
    assert_int_equal(stoa_resource_remove(s->world, Time), STOA_CONFLICT);
    assert_null(stoa_resource_try(s->world, Time));
    assert_int_equal(*(const int *)stoa_resource_id(s->world, id), 3);
}

typedef struct meddler {
    support_world *s;
    stoa_component id;
    stoa_status status; /* of setting what is being dropped */
    int drops;
} meddler;

/* Tries all there is on its own resource, and makes the table grow. */
static void meddler_drop(void *items, int32_t count, void *user) {
    (void)items;
    (void)count;
    meddler *m = user;
    m->drops++;
    m->status = stoa_resource_set_id(m->s->world, m->id, &(uint64_t){7}, sizeof(uint64_t));
    assert_false(stoa_resource_has_id(m->s->world, m->id));
    assert_null(stoa_resource_try_mut_id(m->s->world, m->id));
    assert_int_equal(stoa_resource_remove_id(m->s->world, m->id), STOA_OK);
    for (int i = 0; i < 50; i++) {
        char name[16];
        snprintf(name, sizeof name, "M%d", i);
        stoa_component id = stoa_component_register(
            m->s->world, &(stoa_component_desc){.name = name, .size = sizeof i});
        stoa_resource_set_id(m->s->world, id, &i, sizeof i);
    }
}

/* GEN-05 */
static void drop_hook_cannot_set_what_is_dropped(void **state) {
    support_world *s = *state;
    meddler m = {.s = s};
    m.id = stoa_component_register(
        s->world, &(stoa_component_desc){.name = "Meddler",
                                         .size = sizeof(uint64_t),
                                         .alignment = _Alignof(uint64_t),
                                         .hooks = {.drop = meddler_drop, .user = &m}});
    uint64_t value = 1;
    assert_int_equal(stoa_resource_set_id(s->world, m.id, &value, sizeof value), STOA_OK);
    value = 2;
    assert_int_equal(stoa_resource_set_id(s->world, m.id, &value, sizeof value), STOA_OK);
    support_assert_misuse(s, m.status, STOA_LOCKED);
    assert_int_equal(m.drops, 1);
    assert_int_equal(*(const uint64_t *)stoa_resource_id(s->world, m.id), 2);
    assert_int_equal(stoa_resource_remove_id(s->world, m.id), STOA_OK);
    support_assert_misuse(s, m.status, STOA_LOCKED);
    assert_int_equal(m.drops, 2);
    assert_false(stoa_resource_has_id(s->world, m.id));
    assert_int_equal(stoa_check(s->world), STOA_OK);
}

static stoa_status late_status;

static void late_drop(void *items, int32_t count, void *user) {
    (void)items;
    (void)count;
    late_status = stoa_resource_set(((support_world *)user)->world, Gravity, {1, 1, 1});
}

/* GEN-05 */
static void world_that_is_freed_takes_no_resource(void **state) {
    (void)state;
    support_world s;
    support_world_open(&s);
    (void)stoa_id(s.world, Gravity);
    stoa_component id = stoa_component_register(
        s.world, &(stoa_component_desc){
                     .name = "Late", .size = 4, .hooks = {.drop = late_drop, .user = &s}});
    assert_int_equal(stoa_resource_set_id(s.world, id, &(int){1}, 4), STOA_OK);
    support_world_close(&s);
    assert_int_equal(late_status, STOA_FREED);
}

/* CMD-06: threads may write what is there; the table stays as it is. */
static void resources_neither_come_nor_go_while_threads_record(void **state) {
    support_world *s = *state;
    stoa_resource_set(s->world, Time, {1});
    (void)stoa_id(s->world, Gravity);
    stoa_commands *buffer = stoa_commands_new(s->world);
    assert_int_equal(stoa_commands_fork(s->world, &buffer, 1), STOA_OK);
    support_assert_misuse(s, stoa_resource_set(s->world, Gravity, {1, 1, 1}), STOA_FORKED);
    support_assert_misuse(s, stoa_resource_remove(s->world, Time), STOA_FORKED);
    assert_int_equal(stoa_resource_set(s->world, Time, {2}), STOA_OK);
    assert_int_equal(stoa_resource_remove(s->world, Gravity), STOA_OK);
    assert_int_equal(stoa_commands_join(s->world), STOA_OK);
    assert_true(stoa_resource(s->world, Time)->now == 2);
    assert_int_equal(stoa_resource_remove(s->world, Time), STOA_OK);
}

/* GEN-03 GEN-04 */
static void set_without_memory_changes_nothing(void **state) {
    support_world *s = *state;
    size_t at = 1;
    for (;; at++) {
        Box box = box_of(4);
        s->heap.fail_at = at;
        stoa_status status = stoa_resource_set_from(s->world, Box, &box);
        s->heap.fail_at = 0;
        if (status == STOA_OK) {
            break;
        }
        assert_int_equal(status, STOA_NO_MEMORY);
        assert_false(stoa_resource_has(s->world, Box));
        assert_int_equal(*box.number, 4);
        box_drop(&box, 1, NULL);
        assert_int_equal(stoa_check(s->world), STOA_OK);
    }
    assert_true(at > 2);
    size_t allocations = s->heap.allocations;
    assert_int_equal(box_set(s->world, 5), STOA_OK);
    assert_int_equal(s->heap.allocations, allocations);
    s->heap.fail_at = 1;
    assert_int_equal(stoa_resource_remove(s->world, Box), STOA_OK);
    s->heap.fail_at = 0;
    support_assert_quiet(s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        WITH_WORLD(absent_resource_is_an_error),
        WITH_WORLD(bad_arguments_are_refused),
        WITH_WORLD(name_of_another_description_is_a_conflict),
        WITH_WORLD(drop_hook_cannot_set_what_is_dropped),
        WITH_WORLD(world_that_is_freed_takes_no_resource),
        WITH_WORLD(resources_neither_come_nor_go_while_threads_record),
        WITH_WORLD(set_without_memory_changes_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
