/* What systems declare, and what two of them conflict about. */
#include "schedule/access.h"
#include "schedule/plan_fixture.h"

/* A set of declarations on the fixture's heap. */
static stoa__access access_of(plan_fixture *f, const stoa_term *terms, uint32_t count,
                              bool resource) {
    stoa__access access = {.exclusive = false};
    assert_int_equal(stoa__access_add(&access, &f->app->heap, f->s.world, terms, count, resource),
                     STOA_OK);
    return access;
}

#define COMPONENTS(f, ...)                                                                         \
    access_of((f), (stoa_term[]){__VA_ARGS__},                                                     \
              sizeof((stoa_term[]){__VA_ARGS__}) / sizeof(stoa_term), false)
#define RESOURCES(f, ...)                                                                          \
    access_of((f), (stoa_term[]){__VA_ARGS__},                                                     \
              sizeof((stoa_term[]){__VA_ARGS__}) / sizeof(stoa_term), true)

/* Whether two conflict, the same both ways, and about what. Frees both. */
static bool conflicts(plan_fixture *f, stoa__access a, stoa__access b, stoa_component *id,
                      bool *resource) {
    stoa_component other_id = 99;
    bool other_resource = true;
    *id = 99;
    *resource = true;
    bool conflict = stoa__access_conflict(f->s.world, &a, &b, id, resource);
    assert_int_equal(stoa__access_conflict(f->s.world, &b, &a, &other_id, &other_resource),
                     conflict);
    assert_int_equal(other_id, *id);
    assert_int_equal(other_resource, *resource);
    if (!conflict) {
        assert_int_equal(*id, 0);
        assert_false(*resource);
    }
    stoa__access_fini(&a, &f->app->heap);
    stoa__access_fini(&b, &f->app->heap);
    return conflict;
}

/* SYS-02 SYS-04 */
static void every_kind_of_term_is_read_or_written(void **state) {
    plan_fixture *f = *state;
    const struct {
        stoa_access access;
        bool reads;
        bool writes;
    } kinds[] = {
        {STOA_ACCESS_READ, true, false},           {STOA_ACCESS_WRITE, false, true},
        {STOA_ACCESS_WITHOUT, false, false},       {STOA_ACCESS_OPTIONAL, true, false},
        {STOA_ACCESS_OPTIONAL_WRITE, false, true}, {STOA_ACCESS_ANY, true, false},
        {STOA_ACCESS_ANY_WRITE, false, true},      {STOA_ACCESS_FILTER, false, false},
        {STOA_ACCESS_CHANGED, true, false},        {STOA_ACCESS_ADDED, true, false},
    };
    stoa_component id = stoa_id(f->s.world, Health);
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        stoa__access access = COMPONENTS(f, {STOA_TYPE_OF(Health), 0, kinds[i].access, 0});
        assert_int_equal(stoa__bitset_test(&access.reads, id), kinds[i].reads);
        assert_int_equal(stoa__bitset_test(&access.writes, id), kinds[i].writes);
        assert_null(access.resource_reads.words);
        assert_null(access.resource_writes.words);
        stoa__access_fini(&access, &f->app->heap);
    }
}

/* SYS-04: whether a component is switched off is no part of the structure. */
static void filter_of_a_switchable_component_reads_it(void **state) {
    plan_fixture *f = *state;
    stoa_component id;
    bool resource;
    assert_true(conflicts(f, COMPONENTS(f, STOA_FILTER(Shield)), COMPONENTS(f, STOA_WRITE(Shield)),
                          &id, &resource));
    assert_true(conflicts(f, COMPONENTS(f, STOA_WITHOUT(Shield)), COMPONENTS(f, STOA_WRITE(Shield)),
                          &id, &resource));
    assert_false(conflicts(f, COMPONENTS(f, STOA_WITHOUT(Health)),
                           COMPONENTS(f, STOA_WRITE(Health)), &id, &resource));
}

/* SYS-04 */
static void what_is_written_is_not_kept_as_read(void **state) {
    plan_fixture *f = *state;
    stoa_component id = stoa_id(f->s.world, Health);
    stoa__access access = COMPONENTS(f, STOA_READ(Health), STOA_WRITE(Health));
    assert_false(stoa__bitset_test(&access.reads, id));
    assert_true(stoa__bitset_test(&access.writes, id));
    stoa_term again = STOA_READ(Health);
    assert_int_equal(stoa__access_add(&access, &f->app->heap, f->s.world, &again, 1, false),
                     STOA_OK);
    assert_false(stoa__bitset_test(&access.reads, id));
    assert_true(stoa__bitset_test(&access.writes, id));
    stoa__access_fini(&access, &f->app->heap);
}

/* SYS-04 */
static void list_may_go_by_ids_and_types(void **state) {
    plan_fixture *f = *state;
    stoa_component health = stoa_id(f->s.world, Health);
    stoa__access access = COMPONENTS(f, {NULL, health, STOA_ACCESS_WRITE, 0}, STOA_READ(Position));
    assert_true(stoa__bitset_test(&access.writes, health));
    assert_true(stoa__bitset_test(&access.reads, stoa_id(f->s.world, Position)));
    assert_int_equal(stoa__access_next(&access.reads, 0), stoa_id(f->s.world, Position));
    assert_int_equal(stoa__access_next(&access.reads, stoa_id(f->s.world, Position)), 0);
    stoa__access_fini(&access, &f->app->heap);
}

STOA_COMPONENT(Fresh, { int32_t number; });

/* CMP-01 SYS-02 */
static void types_are_registered(void **state) {
    plan_fixture *f = *state;
    assert_int_equal(stoa_type_find(f->s.world, STOA_TYPE_OF(Fresh)), 0);
    stoa__access access = COMPONENTS(f, STOA_FILTER(Fresh));
    assert_int_not_equal(stoa_type_find(f->s.world, STOA_TYPE_OF(Fresh)), 0);
    stoa__access_fini(&access, &f->app->heap);
}

/* SYS-04 */
static void writer_conflicts_with_readers_and_writers(void **state) {
    plan_fixture *f = *state;
    stoa_component id;
    bool resource;
    assert_true(conflicts(f, COMPONENTS(f, STOA_WRITE(Health)), COMPONENTS(f, STOA_READ(Health)),
                          &id, &resource));
    assert_int_equal(id, stoa_id(f->s.world, Health));
    assert_false(resource);
    assert_true(conflicts(f, COMPONENTS(f, STOA_WRITE(Health)), COMPONENTS(f, STOA_WRITE(Health)),
                          &id, &resource));
    assert_true(conflicts(f, COMPONENTS(f, STOA_WRITE(Health)), COMPONENTS(f, STOA_CHANGED(Health)),
                          &id, &resource));
}

/* SYS-04 */
static void readers_do_not_conflict(void **state) {
    plan_fixture *f = *state;
    stoa_component id;
    bool resource;
    assert_false(conflicts(f, COMPONENTS(f, STOA_READ(Health), STOA_WRITE(Position)),
                           COMPONENTS(f, STOA_READ(Health), STOA_WRITE(Velocity)), &id, &resource));
}

/* SYS-04 */
static void lowest_component_is_told_first(void **state) {
    plan_fixture *f = *state;
    stoa_component id;
    bool resource;
    assert_true(
        conflicts(f, COMPONENTS(f, STOA_WRITE(Target), STOA_READ(Velocity), STOA_WRITE(Health)),
                  COMPONENTS(f, STOA_READ(Health), STOA_WRITE(Target), STOA_WRITE(Velocity)), &id,
                  &resource));
    assert_int_equal(id, stoa_id(f->s.world, Velocity));
}

/* SYS-04 */
static void resources_conflict_apart_from_components(void **state) {
    plan_fixture *f = *state;
    stoa_component id;
    bool resource;
    assert_false(conflicts(f, COMPONENTS(f, STOA_WRITE(Clock)), RESOURCES(f, STOA_WRITE(Clock)),
                           &id, &resource));
    assert_false(conflicts(f, RESOURCES(f, STOA_READ(Clock)), RESOURCES(f, STOA_READ(Clock)), &id,
                           &resource));
    assert_true(conflicts(f, RESOURCES(f, STOA_READ(Clock)), RESOURCES(f, STOA_WRITE(Clock)), &id,
                          &resource));
    assert_int_equal(id, stoa_id(f->s.world, Clock));
    assert_true(resource);
}

/* SYS-04 */
static void exclusive_conflicts_with_all(void **state) {
    plan_fixture *f = *state;
    stoa_component id;
    bool resource;
    stoa__access exclusive = {.exclusive = true};
    assert_true(conflicts(f, exclusive, (stoa__access){.script = false}, &id, &resource));
    assert_int_equal(id, 0);
    assert_false(resource);
    assert_true(conflicts(f, exclusive, RESOURCES(f, STOA_WRITE(Clock)), &id, &resource));
    assert_int_equal(id, 0);
    assert_true(conflicts(f, exclusive, exclusive, &id, &resource));
}

/* SYS-04 CMP-14 */
static void script_reads_what_is_visible(void **state) {
    plan_fixture *f = *state;
    stoa_component id;
    bool resource;
    stoa__access script = {.script = true};
    assert_true(conflicts(f, script, COMPONENTS(f, STOA_WRITE(Secret), STOA_WRITE(Health)), &id,
                          &resource));
    assert_int_equal(id, stoa_id(f->s.world, Health));
    assert_false(conflicts(f, script, COMPONENTS(f, STOA_WRITE(Secret)), &id, &resource));
    assert_false(conflicts(f, script, COMPONENTS(f, STOA_READ(Health)), &id, &resource));
    assert_false(conflicts(f, script, RESOURCES(f, STOA_WRITE(Clock)), &id, &resource));
    assert_false(conflicts(f, script, script, &id, &resource));
}

/* SYS-04 CMP-14 */
static void script_that_declares_a_hidden_component_reads_it(void **state) {
    plan_fixture *f = *state;
    stoa_component id;
    bool resource;
    stoa__access script = COMPONENTS(f, STOA_READ(Secret));
    script.script = true;
    assert_true(conflicts(f, script, COMPONENTS(f, STOA_WRITE(Secret)), &id, &resource));
    assert_int_equal(id, stoa_id(f->s.world, Secret));
    script = COMPONENTS(f, STOA_WRITE(Health));
    script.script = true;
    assert_true(conflicts(f, script, (stoa__access){.script = true}, &id, &resource));
    assert_int_equal(id, stoa_id(f->s.world, Health));
}

/* SYS-04 CMP-09 */
static void components_registered_later_count(void **state) {
    plan_fixture *f = *state;
    stoa_component id;
    bool resource;
    stoa__access script = {.script = true};
    stoa_component late = 0;
    for (int i = 0; i < 200; i++) {
        char name[16];
        snprintf(name, sizeof name, "Late%d", i % 1000);
        late = stoa_component_register(f->s.world, &(stoa_component_desc){.name = name});
    }
    stoa_component early = 127;
    stoa__access list =
        COMPONENTS(f, {NULL, early, STOA_ACCESS_READ, 0}, {NULL, early + 2, STOA_ACCESS_READ, 0});
    assert_int_equal(stoa__access_next(&list.reads, 0), early);
    assert_int_equal(stoa__access_next(&list.reads, early), early + 2);
    assert_int_equal(stoa__access_next(&list.reads, early + 2), 0);
    stoa__access_fini(&list, &f->app->heap);
    list = COMPONENTS(f, {NULL, early + 2, STOA_ACCESS_READ, 0});
    assert_int_equal(stoa__access_next(&list.reads, early - 1), early + 2);
    stoa__access_fini(&list, &f->app->heap);
    assert_true(conflicts(
        f, COMPONENTS(f, {NULL, 70, STOA_ACCESS_WRITE, 0}, {NULL, 129, STOA_ACCESS_WRITE, 0}),
        COMPONENTS(f, {NULL, 129, STOA_ACCESS_READ, 0}), &id, &resource));
    assert_int_equal(id, 129);
    stoa__access writer = COMPONENTS(f, {NULL, late, STOA_ACCESS_WRITE, 0});
    assert_true(conflicts(f, script, writer, &id, &resource));
    assert_int_equal(id, late);
    assert_true(conflicts(f, COMPONENTS(f, {NULL, late, STOA_ACCESS_READ, 0}),
                          COMPONENTS(f, {NULL, late, STOA_ACCESS_WRITE, 0}), &id, &resource));
    assert_false(conflicts(f, COMPONENTS(f, {NULL, late, STOA_ACCESS_READ, 0}),
                           COMPONENTS(f, {NULL, late - 64, STOA_ACCESS_WRITE, 0}), &id, &resource));
}

/* SYS-09 */
static void disputes_are_told_one_by_one(void **state) {
    plan_fixture *f = *state;
    stoa__access a = COMPONENTS(f, STOA_WRITE(Position), STOA_READ(Velocity), STOA_READ(Health));
    stoa__access b = COMPONENTS(f, STOA_WRITE(Position), STOA_WRITE(Velocity), STOA_READ(Health));
    stoa_term clock = STOA_WRITE(Clock);
    assert_int_equal(stoa__access_add(&a, &f->app->heap, f->s.world, &clock, 1, true), STOA_OK);
    assert_int_equal(stoa__access_add(&b, &f->app->heap, f->s.world, &clock, 1, true), STOA_OK);
    stoa__dispute at = {0};
    assert_true(stoa__access_dispute(f->s.world, &a, &b, &at));
    assert_int_equal(at.id, stoa_id(f->s.world, Position));
    assert_true(stoa__access_dispute(f->s.world, &a, &b, &at));
    assert_int_equal(at.id, stoa_id(f->s.world, Velocity));
    assert_false(at.resource);
    assert_true(stoa__access_dispute(f->s.world, &a, &b, &at));
    assert_int_equal(at.id, stoa_id(f->s.world, Clock));
    assert_true(at.resource);
    assert_false(stoa__access_dispute(f->s.world, &a, &b, &at));
    a.exclusive = true;
    at = (stoa__dispute){0};
    assert_true(stoa__access_dispute(f->s.world, &a, &b, &at));
    assert_true(at.alone);
    assert_int_equal(at.id, 0);
    assert_false(stoa__access_dispute(f->s.world, &a, &b, &at));
    stoa__access_fini(&a, &f->app->heap);
    stoa__access_fini(&b, &f->app->heap);
}

/* GEN-03 GEN-05 */
static void bad_terms_are_refused(void **state) {
    plan_fixture *f = *state;
    stoa__access access = {.exclusive = false};
    stoa_term terms[] = {STOA_WRITE(Health), {NULL, 4000, STOA_ACCESS_READ, 0}};
    assert_int_equal(stoa__access_add(&access, &f->app->heap, f->s.world, terms, 2, false),
                     STOA_UNKNOWN);
    support_assert_message("4000");
    terms[1].id = 0;
    assert_int_equal(stoa__access_add(&access, &f->app->heap, f->s.world, terms, 2, false),
                     STOA_UNKNOWN);
    terms[1] = (stoa_term){STOA_TYPE_OF(Health), 0, (stoa_access)77, 0};
    assert_int_equal(stoa__access_add(&access, &f->app->heap, f->s.world, terms, 2, false),
                     STOA_INVALID);
    terms[1].access = STOA_ACCESS_END;
    assert_int_equal(stoa__access_add(&access, &f->app->heap, f->s.world, terms, 2, false),
                     STOA_INVALID);
    assert_int_equal(stoa__access_next(&access.reads, 0), 0);
    assert_int_equal(stoa__access_next(&access.writes, 0), 0);
    stoa__access_fini(&access, &f->app->heap);
}

/* GEN-03 */
static void type_that_cannot_be_registered_is_refused(void **state) {
    plan_fixture *f = *state;
    assert_int_not_equal(
        stoa_component_register(f->s.world, &(stoa_component_desc){.name = "Fresh", .size = 8}), 0);
    stoa__access access = {.exclusive = false};
    stoa_term term = STOA_READ(Fresh);
    assert_int_equal(stoa__access_add(&access, &f->app->heap, f->s.world, &term, 1, false),
                     STOA_CONFLICT);
    assert_null(access.reads.words);
}

/* GEN-04 */
static void lack_of_memory_changes_no_set(void **state) {
    plan_fixture *f = *state;
    stoa_term terms[] = {STOA_WRITE(Health), STOA_READ(Position)};
    for (size_t k = 1; k <= 2; k++) {
        stoa__access access = {.exclusive = false};
        f->s.heap.fail_at = k;
        assert_int_equal(stoa__access_add(&access, &f->app->heap, f->s.world, terms, 2, k == 2),
                         STOA_NO_MEMORY);
        support_assert_message("what a system declares");
        assert_int_equal(stoa__access_next(&access.writes, 0), 0);
        assert_int_equal(stoa__access_next(&access.resource_writes, 0), 0);
        stoa__access_fini(&access, &f->app->heap);
    }
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, plan_setup, plan_teardown)
    const struct CMUnitTest tests[] = {
        TEST(every_kind_of_term_is_read_or_written),
        TEST(filter_of_a_switchable_component_reads_it),
        TEST(what_is_written_is_not_kept_as_read),
        TEST(list_may_go_by_ids_and_types),
        TEST(types_are_registered),
        TEST(writer_conflicts_with_readers_and_writers),
        TEST(readers_do_not_conflict),
        TEST(lowest_component_is_told_first),
        TEST(resources_conflict_apart_from_components),
        TEST(exclusive_conflicts_with_all),
        TEST(script_reads_what_is_visible),
        TEST(script_that_declares_a_hidden_component_reads_it),
        TEST(components_registered_later_count),
        TEST(disputes_are_told_one_by_one),
        TEST(bad_terms_are_refused),
        TEST(type_that_cannot_be_registered_is_refused),
        TEST(lack_of_memory_changes_no_set),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
