/* Code that is about to go: what of a world leads there is found and taken away. */
#include "support/support.h"

#include <stdlib.h>

STOA_COMPONENT(Plain, { int32_t n; });

/* A few bytes that stand for a library: user pointers lead there. */
static char library[64];
static int calls;

static stoa_code code_of(void) {
    return (stoa_code){(uintptr_t)library, (uintptr_t)library + sizeof library};
}

static void hook_call(stoa_world *world, stoa_entity e, void *value, void *user) {
    (void)world, (void)e, (void)value, (void)user;
    calls++;
}

static void observe_call(stoa_world *world, stoa_entity e, void *user) {
    (void)world, (void)e, (void)user;
    calls++;
}

static void listen_call(stoa_world *world, const stoa_event *event, void *user) {
    (void)world, (void)event, (void)user;
    calls++;
}

static size_t print_call(const stoa_world *world, const void *value, char *buffer, size_t size,
                         void *user) {
    (void)world, (void)value, (void)user;
    calls++;
    return (size_t)snprintf(buffer, size, "own");
}

static void user_gone(void *user) {
    *(char *)user = 'x';
}

static void own_drop(void *items, int32_t count, void *user) {
    (void)user;
    for (int32_t i = 0; i < count; i++) {
        free(((void **)items)[i]);
    }
    calls += count;
}

STOA_COMPONENT_WITH(Own, STOA_OPTIONS(.hooks = {.drop = own_drop, .user = library}),
                    { void *block; });

/* HOT-01 */
static void pointers_are_told_by_where_they_lead(void **state) {
    (void)state;
    stoa_code code = code_of();
    char *inside = library, *end = library + sizeof library, *none = NULL;
    assert_true(stoa_code_has(&code, &inside, sizeof inside));
    assert_false(stoa_code_has(&code, &end, sizeof end));
    assert_false(stoa_code_has(&code, &none, sizeof none));
    assert_false(stoa_code_has(&(stoa_code){0, 0}, &none, sizeof none));
}

/* HOT-01 */
static void all_that_leads_there_goes_and_nothing_else(void **state) {
    support_world *s = *state;
    stoa_code code = code_of();
    stoa_component plain = stoa_id(s->world, Plain);
    for (int i = 0; i < 2; i++) {
        void *user = i == 0 ? library : NULL;
        stoa_hook_new(s->world, &(stoa_hook_desc){.component = plain,
                                                  .call = hook_call,
                                                  .user = user,
                                                  .user_free = i == 0 ? user_gone : NULL});
        stoa_observe(s->world, &(stoa_observer_desc){.query = {.terms = {STOA_READ(Plain)}},
                                                     .enter = observe_call,
                                                     .user = user});
        stoa_listener_new(
            s->world, &(stoa_listener_desc){.component = plain, .call = listen_call, .user = user});
    }
    stoa_printer_set(s->world,
                     &(stoa_printer_desc){.component = plain, .call = print_call, .user = library});
    library[0] = 0;
    assert_int_equal(stoa_code_check(s->world, &code), STOA_OK);
    stoa_code_remove(s->world, &code);
    assert_int_equal(library[0], 'x');
    calls = 0;
    stoa_entity e = stoa_create_with(s->world, STOA_VALUE(Plain, {1}));
    stoa_event_send(s->world, Plain, {2});
    char text[50];
    stoa_print(s->world, e, Plain, text, sizeof text);
    assert_int_equal(calls, 3);
    assert_null(strstr(text, "own"));
}

/* HOT-01 */
static void stripped_component_has_zeroes_and_no_functions(void **state) {
    support_world *s = *state;
    stoa_code code = code_of();
    stoa_component own = stoa_id(s->world, Own);
    assert_int_equal(stoa_code_component(s->world, &code, 0), own);
    assert_int_equal(stoa_code_component(s->world, &code, own), 0);
    for (int i = 0; i < 5; i++) {
        stoa_create_with(s->world, STOA_VALUE(Own, {malloc(3)}), STOA_VALUE(Plain, {i}));
    }
    stoa_resource_set(s->world, Own, {malloc(3)});
    stoa_reader *reader = stoa_reader_new(s->world, Own);
    stoa_event_send(s->world, Own, {malloc(3)});
    calls = 0;
    assert_int_equal(stoa_component_strip(s->world, own), STOA_OK);
    assert_int_equal(calls, 7);
    assert_int_equal(stoa_code_component(s->world, &code, 0), 0);
    stoa_entity e = stoa_entity_next(s->world, STOA_NULL);
    assert_null(*(void *const *)stoa_get_id(s->world, e, own));
    assert_null(*(void *const *)stoa_resource_id(s->world, own));
    stoa_event event;
    assert_true(stoa_event_read(reader, &event));
    assert_null(*(void *const *)event.data);
    assert_int_equal(stoa_check(s->world), STOA_OK);
    assert_int_equal(stoa_destroy(s->world, e), STOA_OK);
    assert_int_equal(stoa_get(s->world, stoa_entity_next(s->world, STOA_NULL), Plain)->n, 1);
    assert_int_equal(calls, 7);
}

static void nothing_free(stoa_world *world, void *data) {
    (void)world, (void)data;
}

/* HOT-01 */
static void extension_and_commands_keep_the_code(void **state) {
    support_world *s = *state;
    stoa_code code = code_of();
    stoa_commands *commands = stoa_deferred(s->world);
    stoa_commands_create(commands);
    assert_int_equal(stoa_code_check(s->world, &code), STOA_REFUSED);
    assert_int_equal(stoa_component_strip(s->world, stoa_id(s->world, Own)), STOA_REFUSED);
    assert_int_equal(stoa_flush(s->world), STOA_OK);
    assert_int_equal(stoa_code_check(s->world, &code), STOA_OK);
    assert_int_equal(
        stoa_extend(s->world,
                    &(stoa_extension){.name = "there", .data = library, .free = nothing_free}),
        STOA_OK);
    assert_int_equal(stoa_code_check(s->world, &code), STOA_REFUSED);
    support_assert_message("'there'");
}

/* HOT-01 */
static void null_and_unknown_are_refused(void **state) {
    support_world *s = *state;
    stoa_code code = code_of();
    assert_int_equal(stoa_code_check(NULL, &code), STOA_NULL_ARGUMENT);
    assert_int_equal(stoa_code_check(s->world, NULL), STOA_NULL_ARGUMENT);
    support_assert_misuse(s, STOA_NULL_ARGUMENT, STOA_NULL_ARGUMENT);
    assert_int_equal(stoa_component_strip(NULL, 1), STOA_NULL_ARGUMENT);
    assert_int_equal(stoa_component_strip(s->world, 999), STOA_UNKNOWN);
    support_assert_misuse(s, STOA_UNKNOWN, STOA_UNKNOWN);
    stoa_code_remove(NULL, &code);
    stoa_code_remove(s->world, NULL);
    assert_int_equal(stoa_code_component(NULL, &code, 0), 0);
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, support_setup, support_teardown)
    const struct CMUnitTest tests[] = {
        TEST(pointers_are_told_by_where_they_lead),
        TEST(all_that_leads_there_goes_and_nothing_else),
        TEST(stripped_component_has_zeroes_and_no_functions),
        TEST(extension_and_commands_keep_the_code),
        TEST(null_and_unknown_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
