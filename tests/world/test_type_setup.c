/* Types that set up their world: when it is called, what it may do, and what its failure leaves. */
#include "base/error.h"
#include "support/support.h"

/* What the setups below are told to do, and what they did. */
static struct {
    int called;
    int added;         /* calls of the hook that a setup added */
    stoa_status fails; /* what the setup returns */
    bool silent;       /* it sets no error */
    stoa_component id; /* what the type was found to be, inside */
} told;

static stoa_status widget_setup(stoa_world *world);
static stoa_status hub_setup(stoa_world *world);

STOA_COMPONENT_WITH(Widget, STOA_OPTIONS(.setup = widget_setup), { int32_t value; });
STOA_COMPONENT_WITH(Spot, STOA_OPTIONS(.flags = STOA_SPARSE, .setup = hub_setup), { int32_t at; });
STOA_COMPONENT(Spoke, { int32_t length; });
STOA_TAG(Plain);

static void widget_added(stoa_world *world, stoa_entity e, void *value, void *user) {
    (void)world, (void)e, (void)value, (void)user;
    told.added++;
}

static stoa_status widget_setup(stoa_world *world) {
    told.called++;
    told.id = stoa_type_find(world, STOA_TYPE_OF(Widget));
    assert_int_equal(stoa_component_find(world, "Widget"), told.id);
    if (told.fails != STOA_OK) {
        return told.silent ? told.fails : stoa__error(told.fails, "no widgets today");
    }
    return stoa_on_add(world, Widget, widget_added, NULL).id != 0 ? STOA_OK
                                                                  : stoa_last_error().status;
}

/* Registers another type whose setup in turn names this one. */
static stoa_status hub_setup(stoa_world *world) {
    return stoa_id(world, Widget) != 0 && stoa_id(world, Spoke) != 0 && stoa_id(world, Spot) != 0
               ? STOA_OK
               : stoa_last_error().status;
}

static int setup(void **state) {
    memset(&told, 0, sizeof told);
    return support_setup(state);
}

/* CMP-01: whatever call comes first registers the type and sets it up, once. */
static void first_use_sets_up(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    assert_int_equal(stoa_component_find(w, "Widget"), 0);
    assert_int_equal(told.called, 0);
    stoa_entity e = stoa_create(w);
    assert_false(stoa_has(w, e, Widget));
    assert_int_equal(told.called, 0);
    assert_int_equal(stoa_set(w, e, Widget, {1}), STOA_OK);
    assert_int_equal(told.called, 1);
    assert_int_equal(told.added, 1);
    assert_int_equal(told.id, stoa_id(w, Widget));
    stoa_create_with(w, STOA_VALUE(Widget, {2}));
    assert_int_equal(told.called, 1);
    assert_int_equal(told.added, 2);
}

static void widget_create_with(stoa_world *w) {
    stoa_create_with(w, STOA_ZERO(Plain), STOA_VALUE(Widget, {2}));
}
static void widget_create_bulk(stoa_world *w) {
    assert_int_equal(stoa_create_bulk(w, 1, NULL, STOA_ZERO(Widget)), STOA_OK);
}
static void widget_change(stoa_world *w) {
    stoa_entity e = stoa_create(w);
    assert_int_equal(stoa_change(w, e, STOA_ZERO(Plain), STOA_ZERO(Widget)), STOA_OK);
}
static void widget_add(stoa_world *w) {
    assert_int_equal(stoa_add(w, stoa_create(w), Widget), STOA_OK);
}
static void widget_command(stoa_world *w) {
    stoa_commands_set(stoa_deferred(w), stoa_create(w), Widget, {3});
    assert_int_equal(told.called, 0);
    assert_int_equal(stoa_flush(w), STOA_OK);
}
static void widget_query(stoa_world *w) {
    stoa_query *query = stoa_query_new(w, &(stoa_query_desc){.terms = {STOA_FILTER(Plain)}});
    stoa_create_with(w, STOA_ZERO(Plain));
    assert_int_equal(stoa_query_add(query, Widget), STOA_OK);
}
static void widget_term(stoa_world *w) {
    assert_non_null(stoa_query_new(w, &(stoa_query_desc){.terms = {STOA_READ(Widget)}}));
    stoa_create_with(w, STOA_ZERO(Widget));
}
static void widget_event(stoa_world *w) {
    assert_int_equal(stoa_event_send(w, Widget, {4}), STOA_OK);
    stoa_create_with(w, STOA_ZERO(Widget));
}
static void widget_resource(stoa_world *w) {
    assert_int_equal(stoa_resource_set(w, Widget, {4}), STOA_OK);
    stoa_create_with(w, STOA_ZERO(Widget));
}
static void widget_id(stoa_world *w) {
    stoa_add_id(w, stoa_create(w), stoa_id(w, Widget));
}

/* CMP-01: on every path the value that registers the type is told to what its setup added. */
static void every_path_sets_up_before_its_first_value(void **state) {
    static void (*const paths[])(stoa_world * w) = {
        widget_create_with, widget_create_bulk, widget_change, widget_add,      widget_command,
        widget_query,       widget_term,        widget_event,  widget_resource, widget_id,
    };
    (void)state;
    for (size_t i = 0; i < sizeof paths / sizeof paths[0]; i++) {
        support_world s;
        support_world_open(&s);
        memset(&told, 0, sizeof told);
        paths[i](s.world);
        assert_int_equal(told.called, 1);
        assert_int_equal(told.added, 1);
        support_assert_quiet(&s);
        support_world_close(&s);
    }
}

/* CMP-01 */
static void setup_may_register_other_types(void **state) {
    support_world *s = *state;
    stoa_component id = stoa_id(s->world, Spot);
    assert_int_not_equal(id, 0);
    assert_int_equal(told.called, 1);
    assert_int_equal(stoa_component_count(s->world), 3);
    assert_int_equal(stoa_component_find(s->world, "Spot"), id);
    assert_int_equal(stoa_component_find(s->world, "Spoke"), stoa_id(s->world, Spoke));
}

/* CMP-04: the type stays unknown, whichever way it is asked for, and the next call tries again. */
static void failed_setup_fails_the_registration(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    stoa_entity e = stoa_create(w);
    told.fails = STOA_REFUSED;
    uint64_t before = stoa_hash(w);
    for (int i = 1; i <= 3; i++) {
        assert_int_equal(stoa_set(w, e, Widget, {1}), STOA_REFUSED);
        support_assert_message("no widgets today");
        assert_int_equal(told.called, i);
        assert_int_equal(stoa_type_find(w, STOA_TYPE_OF(Widget)), 0);
        assert_int_equal(stoa_component_find(w, "Widget"), 0);
        assert_null(stoa_query_parse(w, "Widget"));
        assert_false(stoa_has(w, e, Widget));
        assert_int_equal(stoa_check(w), STOA_OK);
        assert_true(stoa_hash(w) == before);
    }
    assert_int_equal(
        stoa_component_register(
            w, &(stoa_component_desc){.name = "Widget", .fields = "{ int32_t value; }"}),
        0);
    assert_int_equal(stoa_last_error().status, STOA_CONFLICT);
    assert_int_equal(stoa_id(w, Spot), 0);
    told.fails = STOA_OK;
    assert_int_equal(stoa_set(w, e, Widget, {1}), STOA_OK);
    assert_int_equal(told.added, 1);
    assert_int_not_equal(stoa_id(w, Spot), 0);
    assert_int_equal(stoa_component_count(w), 3);
}

/* GEN-03: a setup that fails without a word is spoken for. */
static void silent_failure_names_the_component(void **state) {
    support_world *s = *state;
    stoa_error_clear();
    told.fails = STOA_FAILED;
    told.silent = true;
    assert_int_equal(stoa_id(s->world, Widget), 0);
    assert_int_equal(stoa_last_error().status, STOA_FAILED);
    support_assert_message("'Widget'");
}

/* CMP-04: what sets up is part of the description; a run-time description cannot say it. */
static void other_setup_is_a_conflict(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    stoa_component_desc desc = {.name = "Widget", .fields = "{ int32_t value; }"};
    stoa_component id = stoa_id(w, Widget);
    assert_int_equal(stoa_component_register(w, &desc), id);
    stoa_type other = Widget_stoa;
    STOA_STORE(&other.slot, 0);
    assert_int_equal(stoa_type_register(w, &other), id);
    stoa_type without = other;
    STOA_STORE(&without.slot, 0);
    without.options.setup = NULL;
    assert_int_equal(stoa_type_register(w, &without), 0);
    assert_int_equal(stoa_last_error().status, STOA_CONFLICT);
    assert_int_equal(told.called, 1);

    support_world late;
    support_world_open(&late);
    assert_int_not_equal(stoa_component_register(late.world, &desc), 0);
    assert_int_equal(stoa_id(late.world, Widget), 0);
    assert_int_equal(stoa_last_error().status, STOA_CONFLICT);
    support_world_close(&late);
}

/* GEN-02: each world is set up on its own. */
static void each_world_is_set_up(void **state) {
    support_world *s = *state;
    support_world other;
    support_world_open(&other);
    assert_int_not_equal(stoa_id(s->world, Widget), 0);
    assert_int_not_equal(stoa_id(other.world, Widget), 0);
    assert_int_equal(told.called, 2);
    stoa_create_with(other.world, STOA_ZERO(Widget));
    assert_int_equal(told.added, 1);
    support_world_close(&other);
}

/* CMP-01: as before, nothing is registered while threads fill command buffers. */
static void forked_world_sets_up_nothing(void **state) {
    support_world *s = *state;
    stoa_commands *buffer = stoa_commands_new(s->world);
    assert_int_equal(stoa_commands_fork(s->world, &buffer, 1), STOA_OK);
    assert_int_equal(stoa_id(s->world, Widget), 0);
    support_assert_misuse(s, stoa_last_error().status, STOA_FORKED);
    assert_int_equal(stoa_commands_join(s->world), STOA_OK);
    assert_int_equal(told.called, 0);
    assert_int_not_equal(stoa_id(s->world, Widget), 0);
}

/* GEN-04: lack of memory at any point fails the registration, and the next call makes it good. */
static void lack_of_memory_in_setup_can_be_repeated(void **state) {
    (void)state;
    bool short_of = true;
    for (size_t k = 1; short_of; k++) {
        support_world s;
        support_world_open(&s);
        memset(&told, 0, sizeof told);
        s.heap.fail_at = k;
        stoa_component id = stoa_id(s.world, Spot);
        short_of = s.heap.failed != 0;
        /* What only makes look-ups quicker may be missing. */
        assert_true(id != 0 || short_of);
        s.heap.fail_at = 0;
        assert_int_equal(stoa_check(s.world), STOA_OK);
        assert_int_equal(stoa_component_find(s.world, "Spot"), id);
        assert_int_not_equal(stoa_id(s.world, Spot), 0);
        stoa_create_with(s.world, STOA_ZERO(Widget));
        assert_int_equal(told.added, 1);
        support_world_close(&s);
    }
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, support_teardown)
    const struct CMUnitTest tests[] = {
        TEST(first_use_sets_up),
        TEST(every_path_sets_up_before_its_first_value),
        TEST(setup_may_register_other_types),
        TEST(failed_setup_fails_the_registration),
        TEST(silent_failure_names_the_component),
        TEST(other_setup_is_a_conflict),
        TEST(each_world_is_set_up),
        TEST(forked_world_sets_up_nothing),
        TEST(lack_of_memory_in_setup_can_be_repeated),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
