/* A registry runs its systems in order, flushes after each, and keeps its list whole. */
#include "support/support.h"

STOA_COMPONENT(Health, { int32_t points; });

/* What a system of these tests writes down. */
typedef struct tale {
    int freed;
    char text[64];
} tale;

static void tale_add(tale *t, char letter) {
    size_t length = strlen(t->text);
    assert_true(length + 1 < sizeof t->text);
    t->text[length] = letter;
}

static void say_a(stoa_world *world, void *user) {
    assert_non_null(world);
    tale_add(user, 'a');
}

static void say_b(stoa_world *world, void *user) {
    assert_non_null(world);
    tale_add(user, 'b');
}

static void say_c(stoa_world *world, void *user) {
    assert_non_null(world);
    tale_add(user, 'c');
}

static void tale_free(void *user) {
    tale *t = user;
    t->freed++;
}

static stoa_registry *registry_of_three(support_world *s, tale *t) {
    stoa_registry *registry = stoa_registry_new(s->world);
    assert_non_null(registry);
    assert_int_equal(stoa_registry_add(registry, "a", say_a, t, tale_free), STOA_OK);
    assert_int_equal(stoa_registry_add(registry, "b", say_b, t, tale_free), STOA_OK);
    assert_int_equal(stoa_registry_add(registry, "c", say_c, t, tale_free), STOA_OK);
    return registry;
}

/* SYS-01 */
static void systems_run_in_order_of_insertion(void **state) {
    support_world *s = *state;
    tale t = {0};
    stoa_registry *registry = stoa_registry_new(s->world);
    assert_int_equal(stoa_registry_run(registry), STOA_OK);
    assert_int_equal(stoa_registry_add(registry, "second", say_b, &t, NULL), STOA_OK);
    assert_int_equal(stoa_registry_add(registry, "first", say_a, &t, NULL), STOA_OK);
    assert_int_equal(stoa_registry_add(registry, "third", say_c, &t, NULL), STOA_OK);
    assert_int_equal(stoa_registry_run(registry), STOA_OK);
    assert_int_equal(stoa_registry_run(registry), STOA_OK);
    assert_string_equal(t.text, "bacbac");
    assert_int_equal(stoa_registry_free(registry), STOA_OK);
    support_assert_quiet(s);
}

static void entity_spawn(stoa_world *world, void *user) {
    stoa_entity *e = user;
    *e = stoa_commands_create_with(stoa_deferred(world), STOA_VALUE(Health, {7}));
    assert_false(stoa_alive(world, *e));
}

static void entity_hurt(stoa_world *world, void *user) {
    const stoa_entity *e = user;
    assert_true(stoa_alive(world, *e));
    assert_int_equal(stoa_get(world, *e, Health)->points, 7);
    assert_int_equal(stoa_commands_set(stoa_deferred(world), *e, Health, {6}), STOA_OK);
}

static void entity_look(stoa_world *world, void *user) {
    const stoa_entity *e = user;
    assert_int_equal(stoa_get(world, *e, Health)->points, 6);
}

/* SYS-01: the next system sees what the one before it deferred. */
static void commands_apply_after_each_system(void **state) {
    support_world *s = *state;
    stoa_entity e = STOA_NULL;
    stoa_registry *registry = stoa_registry_new(s->world);
    assert_int_equal(stoa_registry_add(registry, "spawn", entity_spawn, &e, NULL), STOA_OK);
    assert_int_equal(stoa_registry_add(registry, "hurt", entity_hurt, &e, NULL), STOA_OK);
    assert_int_equal(stoa_registry_add(registry, "look", entity_look, &e, NULL), STOA_OK);
    assert_int_equal(stoa_registry_run(registry), STOA_OK);
    assert_true(stoa_commands_empty(stoa_deferred(s->world)));
    assert_int_equal(stoa_registry_free(registry), STOA_OK);
}

/* SYS-01 */
static void disabled_system_is_skipped(void **state) {
    support_world *s = *state;
    tale t = {0};
    stoa_registry *registry = registry_of_three(s, &t);
    assert_int_equal(stoa_registry_enable(registry, "b", false), STOA_OK);
    assert_false(stoa_registry_enabled(registry, 1));
    assert_true(stoa_registry_enabled(registry, 0));
    assert_int_equal(stoa_registry_run(registry), STOA_OK);
    assert_int_equal(stoa_registry_enable(registry, "b", true), STOA_OK);
    assert_true(stoa_registry_enabled(registry, 1));
    assert_int_equal(stoa_registry_run(registry), STOA_OK);
    assert_string_equal(t.text, "acabc");
    assert_int_equal(stoa_registry_free(registry), STOA_OK);
}

/* NAM-02 */
static void systems_are_found_by_name_and_place(void **state) {
    support_world *s = *state;
    tale t = {0};
    char name[] = "mine";
    stoa_registry *registry = registry_of_three(s, &t);
    assert_int_equal(stoa_registry_add(registry, name, say_a, &t, NULL), STOA_OK);
    name[0] = 'X';
    assert_int_equal(stoa_registry_count(registry), 4);
    assert_int_equal(stoa_registry_find(registry, "a"), 0);
    assert_int_equal(stoa_registry_find(registry, "c"), 2);
    assert_int_equal(stoa_registry_find(registry, "mine"), 3);
    assert_int_equal(stoa_registry_find(registry, "Xine"), -1);
    assert_string_equal(stoa_registry_name(registry, 1), "b");
    assert_string_equal(stoa_registry_name(registry, 3), "mine");
    assert_null(stoa_registry_name(registry, 4));
    assert_null(stoa_registry_name(registry, -1));
    assert_false(stoa_registry_enabled(registry, 4));
    assert_false(stoa_registry_enabled(registry, -1));
    assert_int_equal(stoa_registry_free(registry), STOA_OK);
    support_assert_quiet(s);
}

/* SYS-01 GEN-06 */
static void removed_system_leaves_the_order_of_the_others(void **state) {
    support_world *s = *state;
    tale t = {0};
    stoa_registry *registry = registry_of_three(s, &t);
    assert_int_equal(stoa_registry_enable(registry, "c", false), STOA_OK);
    assert_int_equal(stoa_registry_remove(registry, "a"), STOA_OK);
    assert_int_equal(t.freed, 1);
    assert_int_equal(stoa_registry_count(registry), 2);
    assert_int_equal(stoa_registry_find(registry, "a"), -1);
    assert_int_equal(stoa_registry_find(registry, "b"), 0);
    assert_false(stoa_registry_enabled(registry, 1));
    assert_int_equal(stoa_registry_add(registry, "a", say_a, &t, NULL), STOA_OK);
    assert_int_equal(stoa_registry_run(registry), STOA_OK);
    assert_string_equal(t.text, "ba");
    assert_int_equal(stoa_registry_free(registry), STOA_OK);
    assert_int_equal(t.freed, 3);
}

/* SYS-01 */
static void registry_holds_many_systems(void **state) {
    support_world *s = *state;
    tale t = {0};
    stoa_registry *registry = stoa_registry_new(s->world);
    for (int i = 0; i < 300; i++) {
        char name[32];
        snprintf(name, sizeof name, "system %d", i);
        assert_int_equal(stoa_registry_add(registry, name, say_a, &t, tale_free), STOA_OK);
        assert_int_equal(stoa_registry_enable(registry, name, i % 10 == 0), STOA_OK);
    }
    assert_int_equal(stoa_registry_count(registry), 300);
    assert_int_equal(stoa_registry_find(registry, "system 255"), 255);
    assert_int_equal(stoa_registry_run(registry), STOA_OK);
    assert_int_equal(strlen(t.text), 30);
    assert_int_equal(stoa_registry_free(registry), STOA_OK);
    assert_int_equal(t.freed, 300);
}

/* SYS-01 GEN-03 */
static void names_are_unique(void **state) {
    support_world *s = *state;
    tale t = {0};
    stoa_registry *registry = registry_of_three(s, &t);
    assert_int_equal(stoa_registry_add(registry, "b", say_a, &t, tale_free), STOA_CONFLICT);
    support_assert_message("'b'");
    assert_int_equal(stoa_registry_add(registry, "a", say_a, &t, tale_free), STOA_CONFLICT);
    assert_int_equal(s->errors, 2);
    assert_int_equal(stoa_registry_count(registry), 3);
    assert_int_equal(t.freed, 0);
    assert_int_equal(stoa_registry_run(registry), STOA_OK);
    assert_string_equal(t.text, "abc");
    assert_int_equal(stoa_registry_free(registry), STOA_OK);
    assert_int_equal(t.freed, 3);
}

/* GEN-03 */
static void unknown_name_is_not_found(void **state) {
    support_world *s = *state;
    tale t = {0};
    stoa_registry *registry = registry_of_three(s, &t);
    assert_int_equal(stoa_registry_remove(registry, "d"), STOA_NOT_FOUND);
    support_assert_message("'d'");
    assert_int_equal(stoa_registry_enable(registry, "", true), STOA_NOT_FOUND);
    assert_int_equal(s->errors, 2);
    assert_int_equal(stoa_registry_count(registry), 3);
    assert_int_equal(stoa_registry_free(registry), STOA_OK);
}

/* GEN-05 */
static void empty_name_is_refused(void **state) {
    support_world *s = *state;
    tale t = {0};
    stoa_registry *registry = stoa_registry_new(s->world);
    support_assert_misuse(s, stoa_registry_add(registry, "", say_a, &t, tale_free), STOA_INVALID);
    assert_int_equal(stoa_registry_count(registry), 0);
    assert_int_equal(stoa_registry_free(registry), STOA_OK);
    assert_int_equal(t.freed, 0);
}

/* GEN-05 */
static void missing_arguments_are_refused(void **state) {
    support_world *s = *state;
    tale t = {0};
    stoa_error_clear();
    assert_null(stoa_registry_new(NULL));
    assert_int_equal(stoa_last_error().status, STOA_NULL_ARGUMENT);
    assert_int_equal(stoa_registry_free(NULL), STOA_OK);
    assert_int_equal(stoa_registry_add(NULL, "a", say_a, NULL, NULL), STOA_NULL_ARGUMENT);
    assert_int_equal(stoa_registry_remove(NULL, "a"), STOA_NULL_ARGUMENT);
    assert_int_equal(stoa_registry_enable(NULL, "a", true), STOA_NULL_ARGUMENT);
    assert_int_equal(stoa_registry_run(NULL), STOA_NULL_ARGUMENT);
    assert_int_equal(stoa_registry_find(NULL, "a"), -1);
    assert_int_equal(stoa_registry_count(NULL), 0);
    assert_null(stoa_registry_name(NULL, 0));
    assert_false(stoa_registry_enabled(NULL, 0));
    support_assert_quiet(s);
    stoa_registry *registry = registry_of_three(s, &t);
    support_assert_misuse(s, stoa_registry_add(registry, NULL, say_a, &t, tale_free),
                          STOA_NULL_ARGUMENT);
    support_assert_misuse(s, stoa_registry_add(registry, "d", NULL, &t, tale_free),
                          STOA_NULL_ARGUMENT);
    support_assert_misuse(s, stoa_registry_remove(registry, NULL), STOA_NULL_ARGUMENT);
    support_assert_misuse(s, stoa_registry_enable(registry, NULL, true), STOA_NULL_ARGUMENT);
    assert_int_equal(stoa_registry_find(registry, NULL), -1);
    support_assert_quiet(s);
    assert_int_equal(stoa_registry_count(registry), 3);
    assert_int_equal(t.freed, 0);
    assert_int_equal(stoa_registry_free(registry), STOA_OK);
}

/* A system that tries to change the registry that runs it. */
typedef struct meddler {
    support_world *s;
    stoa_registry *registry;
    tale tale;
    int runs;
} meddler;

static void meddle(stoa_world *world, void *user) {
    meddler *m = user;
    assert_non_null(world);
    m->runs++;
    support_assert_misuse(m->s, stoa_registry_add(m->registry, "d", say_a, m, tale_free),
                          STOA_LOCKED);
    support_assert_misuse(m->s, stoa_registry_remove(m->registry, "a"), STOA_LOCKED);
    support_assert_misuse(m->s, stoa_registry_free(m->registry), STOA_LOCKED);
    support_assert_misuse(m->s, stoa_registry_run(m->registry), STOA_LOCKED);
    assert_int_equal(stoa_registry_enable(m->registry, "a", false), STOA_OK);
    assert_int_equal(stoa_registry_enable(m->registry, "b", false), STOA_OK);
    assert_int_equal(stoa_registry_enable(m->registry, "c", true), STOA_OK);
}

/* SYS-01 GEN-03 */
static void list_stays_while_the_registry_runs(void **state) {
    support_world *s = *state;
    meddler m = {.s = s};
    m.registry = stoa_registry_new(s->world);
    assert_int_equal(stoa_registry_add(m.registry, "a", say_a, &m.tale, tale_free), STOA_OK);
    assert_int_equal(stoa_registry_add(m.registry, "meddle", meddle, &m, NULL), STOA_OK);
    assert_int_equal(stoa_registry_add(m.registry, "b", say_b, &m.tale, tale_free), STOA_OK);
    assert_int_equal(stoa_registry_add(m.registry, "c", say_c, &m.tale, tale_free), STOA_OK);
    assert_int_equal(stoa_registry_enable(m.registry, "c", false), STOA_OK);
    assert_int_equal(stoa_registry_run(m.registry), STOA_OK);
    assert_int_equal(m.runs, 1);
    assert_string_equal(m.tale.text, "ac");
    assert_int_equal(stoa_registry_count(m.registry), 4);
    assert_int_equal(stoa_registry_run(m.registry), STOA_OK);
    assert_string_equal(m.tale.text, "acc");
    assert_int_equal(m.tale.freed, 0);
    assert_int_equal(stoa_registry_remove(m.registry, "a"), STOA_OK);
    assert_int_equal(stoa_registry_free(m.registry), STOA_OK);
    assert_int_equal(m.tale.freed, 3);
}

static void meddle_at_the_end(void *user) {
    meddler *m = user;
    m->runs++;
    support_assert_misuse(m->s, stoa_registry_add(m->registry, "d", say_a, m, NULL), STOA_LOCKED);
    support_assert_misuse(m->s, stoa_registry_free(m->registry), STOA_LOCKED);
    support_assert_misuse(m->s, stoa_registry_run(m->registry), STOA_LOCKED);
    assert_int_equal(stoa_registry_find(m->registry, "meddle"), -1);
    assert_int_equal(stoa_registry_find(m->registry, "a"), 0);
}

/* GEN-06 GEN-05 */
static void list_stays_while_the_registry_is_freed(void **state) {
    support_world *s = *state;
    meddler m = {.s = s};
    m.registry = stoa_registry_new(s->world);
    assert_int_equal(stoa_registry_add(m.registry, "a", say_a, &m.tale, tale_free), STOA_OK);
    assert_int_equal(stoa_registry_add(m.registry, "meddle", meddle, &m, meddle_at_the_end),
                     STOA_OK);
    assert_int_equal(stoa_registry_free(m.registry), STOA_OK);
    assert_int_equal(m.runs, 1);
    assert_int_equal(m.tale.freed, 1);
}

static void add_anew(void *user) {
    meddler *m = user;
    assert_int_equal(stoa_registry_add(m->registry, "a", say_c, &m->tale, NULL), STOA_OK);
}

/* GEN-06: its name is free, and the list whole, when a removed system's user pointer is. */
static void removal_may_add_a_system_of_the_same_name(void **state) {
    support_world *s = *state;
    meddler m = {.s = s};
    m.registry = stoa_registry_new(s->world);
    assert_int_equal(stoa_registry_add(m.registry, "a", meddle, &m, add_anew), STOA_OK);
    assert_int_equal(stoa_registry_add(m.registry, "b", say_b, &m.tale, NULL), STOA_OK);
    assert_int_equal(stoa_registry_remove(m.registry, "a"), STOA_OK);
    assert_int_equal(stoa_registry_run(m.registry), STOA_OK);
    assert_string_equal(m.tale.text, "bc");
    assert_int_equal(stoa_registry_free(m.registry), STOA_OK);
}

/* Records more than fits without memory, and lets the flush fail. */
static void record_and_starve(stoa_world *world, void *user) {
    support_world *s = user;
    stoa_commands *deferred = stoa_deferred(world);
    for (int i = 0; i < 3000; i++) {
        stoa_commands_create_with(deferred, STOA_VALUE(Health, {i}));
    }
    s->heap.fail_at = 1;
    s->heap.fail_forever = true;
}

/* SYS-01 GEN-03 GEN-04: what was applied stays, the rest stays queued, systems after it wait. */
static void failing_flush_stops_the_run(void **state) {
    support_world *s = *state;
    tale t = {0};
    stoa_registry *registry = stoa_registry_new(s->world);
    assert_int_equal(stoa_registry_add(registry, "a", say_a, &t, NULL), STOA_OK);
    assert_int_equal(stoa_registry_add(registry, "starve", record_and_starve, s, NULL), STOA_OK);
    assert_int_equal(stoa_registry_add(registry, "b", say_b, &t, NULL), STOA_OK);
    assert_int_equal(stoa_registry_run(registry), STOA_NO_MEMORY);
    s->heap.fail_at = 0;
    s->heap.fail_forever = false;
    support_assert_message("'starve'");
    support_assert_message("memory");
    assert_int_equal(stoa_last_error().status, STOA_NO_MEMORY);
    assert_string_equal(t.text, "a");
    assert_int_equal(s->errors, 1);
    assert_true(stoa_commands_count(stoa_deferred(s->world)) > 0);
    assert_int_equal(stoa_flush(s->world), STOA_OK);
    assert_int_equal(stoa_count(s->world), 3000);
    assert_int_equal(stoa_registry_enable(registry, "starve", false), STOA_OK);
    assert_int_equal(stoa_registry_run(registry), STOA_OK);
    assert_string_equal(t.text, "aab");
    assert_int_equal(stoa_registry_free(registry), STOA_OK);
}

/* GEN-04: at every allocation that fails nothing has changed and the caller keeps what it gave. */
static void lack_of_memory_adds_nothing(void **state) {
    support_world *s = *state;
    s->heap.fail_at = 1;
    assert_null(stoa_registry_new(s->world));
    assert_int_equal(stoa_last_error().status, STOA_NO_MEMORY);
    assert_int_equal(s->errors, 1);
    tale t = {0};
    stoa_registry *registry = stoa_registry_new(s->world);
    for (int i = 0; i < 20; i++) {
        char name[32];
        snprintf(name, sizeof name, "s%d", i);
        stoa_status status = STOA_NO_MEMORY;
        for (size_t k = 1; status != STOA_OK; k++) {
            size_t bytes = s->heap.bytes;
            size_t failed = s->heap.failed;
            s->heap.fail_at = k;
            status = stoa_registry_add(registry, name, say_a, &t, tale_free);
            s->heap.fail_at = 0;
            if (status != STOA_OK) {
                assert_int_equal(status, STOA_NO_MEMORY);
                support_assert_message(name);
                assert_int_equal(s->heap.failed, failed + 1);
                assert_int_equal(stoa_registry_count(registry), i);
                assert_true(k > 1 || s->heap.bytes == bytes);
            }
        }
        assert_int_equal(t.freed, 0);
    }
    assert_int_equal(s->errors, 1 + 20 + 3);
    assert_int_equal(stoa_registry_count(registry), 20);
    s->heap.fail_at = 1;
    s->heap.fail_forever = true;
    assert_int_equal(stoa_registry_remove(registry, "s7"), STOA_OK);
    assert_int_equal(stoa_registry_free(registry), STOA_OK);
    s->heap.fail_at = 0;
    assert_int_equal(t.freed, 20);
}

static void world_end(stoa_world *world, void *user) {
    stoa_world_free(world);
    assert_int_equal(stoa_last_error().status, STOA_LOCKED);
    tale_add(user, 'f');
}

/* SYS-01 GEN-05 */
static void system_cannot_free_its_world(void **state) {
    support_world *s = *state;
    tale t = {0};
    stoa_registry *registry = stoa_registry_new(s->world);
    stoa_registry_add(registry, "end", world_end, &t, NULL);
    stoa_registry_add(registry, "after", say_a, &t, NULL);
    assert_int_equal(stoa_registry_run(registry), STOA_OK);
    support_assert_misuse(s, STOA_LOCKED, STOA_LOCKED);
    assert_string_equal(t.text, "fa");
    stoa_world_unpin(s->world);
    stoa_world_unpin(NULL);
    stoa_world_pin(NULL);
    stoa_registry_free(registry);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, support_setup, support_teardown)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(systems_run_in_order_of_insertion),
        TEST(commands_apply_after_each_system),
        TEST(disabled_system_is_skipped),
        TEST(systems_are_found_by_name_and_place),
        TEST(removed_system_leaves_the_order_of_the_others),
        TEST(registry_holds_many_systems),
        TEST(names_are_unique),
        TEST(unknown_name_is_not_found),
        TEST(empty_name_is_refused),
        TEST(missing_arguments_are_refused),
        TEST(list_stays_while_the_registry_runs),
        TEST(list_stays_while_the_registry_is_freed),
        TEST(removal_may_add_a_system_of_the_same_name),
        TEST(failing_flush_stops_the_run),
        TEST(lack_of_memory_adds_nothing),
        TEST(system_cannot_free_its_world),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
