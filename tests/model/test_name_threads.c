/* Names and systems on threads: looked up by all of them at once, and recorded by each. */
#include "name_fixture.h"

#include <stdatomic.h>

#define ENTITIES 3000

STOA_COMPONENT(Number, { int32_t value; });

static atomic_int wrong;

static void number_name(int32_t number, char *text, size_t size) {
    snprintf(text, size, number % 3 == 0 ? "a number with a long name: %d" : "n%d", (int)number);
}

/* Every second entity gets the name of its number; a tenth of them one that others want, too. */
static stoa_status names_record(stoa_job *job, stoa_iter *it) {
    const Number *numbers = stoa_field(it, Number, 0);
    for (int32_t i = 0; i < it->count; i++) {
        char text[48];
        int32_t value = numbers[i].value;
        number_name(value % 10 == 0 ? value / 100 * 100 : value, text, sizeof text);
        if (value % 2 == 0 &&
            stoa_commands_name_set(job->commands, it->entities[i], text) != STOA_OK) {
            return stoa_last_error().status;
        }
    }
    return STOA_OK;
}

/* Every name that an entity has leads back to it, on whichever thread. */
static stoa_status names_look_up(stoa_job *job, stoa_iter *it) {
    const Number *numbers = stoa_field(it, Number, 0);
    for (int32_t i = 0; i < it->count; i++) {
        char text[48];
        number_name(numbers[i].value, text, sizeof text);
        stoa_entity e = it->entities[i];
        const char *name = stoa_name(job->world, e);
        bool found = stoa_entity_eq(stoa_find(job->world, text), e);
        wrong += name == NULL ? found : strcmp(name, text) != 0 || !found;
    }
    return STOA_OK;
}

static uint64_t frames_run(int32_t threads) {
    support_world s;
    support_world_open(&s);
    for (int32_t i = 0; i < ENTITIES; i++) {
        stoa_create_with(s.world, STOA_VALUE(Number, {i}));
    }
    stoa_app *app = stoa_app_new(&(stoa_app_desc){
        .world = s.world, .threads = threads, .eager = true, .shuffle = (uint64_t)threads});
    assert_non_null(app);
    stoa_system_new(app, &(stoa_system_desc){.name = "record",
                                             .each = names_record,
                                             .terms = {STOA_READ(Number)},
                                             .grain = 100});
    stoa_system_new(app, &(stoa_system_desc){.name = "look",
                                             .each = names_look_up,
                                             .terms = {STOA_READ(Number)},
                                             .access = {STOA_READ(Name)},
                                             .after = {"record"},
                                             .grain = 100});
    for (int frame = 0; frame < 5; frame++) {
        assert_int_equal(stoa_app_step(app, 0.1), STOA_OK);
        assert_int_equal(wrong, 0);
    }
    assert_int_equal(stoa_app_free(app), STOA_OK);
    char text[48];
    for (int32_t i = 0; i < ENTITIES; i += 100) {
        number_name(i, text, sizeof text);
        assert_int_equal(stoa_get(s.world, stoa_find(s.world, text), Number)->value, i);
    }
    uint64_t hash = stoa_hash(s.world);
    support_assert_quiet(&s);
    support_world_close(&s);
    return hash;
}

/* NAM-01 SYS-07 SYS-08: the first who wants a name gets it, in order of storage, not of time. */
static void names_do_not_depend_on_threads(void **state) {
    (void)state;
    uint64_t one = frames_run(1);
    assert_true(frames_run(2) == one);
    assert_true(frames_run(4) == one);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(names_do_not_depend_on_threads)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
