/* Components that get other descriptions while the world lives. */
#include "retype_types.h"

STOA_COMPONENT(Beside, { int32_t n; });
STOA_COMPONENT_WITH(Ticked, STOA_OPTIONS(.flags = STOA_ROW_TICKS | STOA_SWITCHABLE),
                    { int16_t n; });
STOA_COMPONENT_WITH(Inner0, STOA_OPTIONS(.name = "Inner"), { int32_t a; });
STOA_COMPONENT_WITH(Inner1, STOA_OPTIONS(.name = "Inner"), { int32_t b, a; });
STOA_COMPONENT_WITH(Tag0, STOA_OPTIONS(.name = "T"), { int32_t a; });
STOA_TAG_WITH(Tag1, STOA_OPTIONS(.name = "T"));
STOA_COMPONENT_WITH(Flag0, STOA_OPTIONS(.name = "F"), { int32_t a; });
STOA_COMPONENT_WITH(Flag1, STOA_OPTIONS(.name = "F", .flags = STOA_IMMUTABLE), { int32_t a; });
STOA_COMPONENT_WITH(Flag2, STOA_OPTIONS(.name = "F", .flags = STOA_HIDDEN), { int32_t a; });

enum { COUNT = 3000 };

/* A world with entities that have P, some with more. */
static void world_fill(stoa_world *world, stoa_entity *entities) {
    for (int i = 0; i < COUNT; i++) {
        entities[i] =
            stoa_create_with(world, STOA_VALUE(Form0, {(float)(i % 100), (float)(i % 7)}));
        if (i % 3 == 0) {
            stoa_set(world, entities[i], Beside, {i});
        }
        if (i % 4 == 0) {
            stoa_set(world, entities[i], Ticked, {(int16_t)i});
            stoa_enable(world, entities[i], Ticked, i % 8 == 0);
        }
        if (i % 5 == 0) {
            stoa_set(world, entities[i], Side0, {(float)(i % 50), 3});
        }
    }
}

static void world_compare(const stoa_world *world, const stoa_entity *entities, int form) {
    stoa_component p = stoa_component_find(world, "P"), s = stoa_component_find(world, "S");
    for (int i = 0; i < COUNT; i++) {
        point at = form_read(forms[form]->size, stoa_get_id(world, entities[i], p));
        assert_int_equal(at.x, i % 100);
        assert_int_equal(at.y, i % 7);
        assert_int_equal(stoa_has(world, entities[i], Beside), i % 3 == 0);
        assert_true(i % 3 != 0 || stoa_get(world, entities[i], Beside)->n == i);
        assert_int_equal(stoa_enabled(world, entities[i], Ticked), i % 8 == 0);
        assert_true(i % 4 != 0 || stoa_get(world, entities[i], Ticked)->n == (int16_t)i);
        assert_int_equal(stoa_has_id(world, entities[i], s), i % 5 == 0);
        if (i % 5 == 0) {
            at = form_read(sides[form]->size, stoa_get_id(world, entities[i], s));
            assert_int_equal(at.x, i % 50);
            assert_int_equal(at.y, 3);
        }
    }
}

/* Begins to give P and S another form. */
static stoa_retype *retype_to(stoa_world *world, int form) {
    bool fresh;
    stoa_retype *retype = stoa_retype_new(world);
    assert_non_null(retype);
    assert_int_equal(stoa_retype_add(retype, forms[form], true, &fresh), STOA_OK);
    assert_true(fresh);
    assert_int_equal(stoa_retype_add(retype, sides[form], true, &fresh), STOA_OK);
    return retype;
}

/* HOT-01 */
static void every_form_becomes_every_other(void **state) {
    support_world *s = *state;
    static stoa_entity entities[COUNT];
    world_fill(s->world, entities);
    int32_t components = stoa_component_count(s->world);
    int now = 0;
    for (int i = 0; i < 12; i++) {
        int next = (now + 1 + i % 3) % FORMS;
        stoa_retype *retype = retype_to(s->world, next);
        assert_int_equal(stoa_retype_count(retype), 2);
        assert_int_equal(stoa_retype_convert(retype, form_convert, NULL), STOA_OK);
        assert_int_equal(stoa_retype_swap(retype), STOA_OK);
        stoa_retype_end(retype);
        assert_int_equal(stoa_check(s->world), STOA_OK);
        world_compare(s->world, entities, next);
        now = next;
    }
    assert_int_equal(components, stoa_component_count(s->world));
}

/* HOT-01 QRY-02: rows are elsewhere from the swap on, whoever looks in between. */
static void queries_are_told_of_a_swap(void **state) {
    support_world *s = *state;
    static stoa_entity entities[COUNT];
    world_fill(s->world, entities);
    stoa_query *query = stoa_query_new(s->world, &(stoa_query_desc){.terms = {STOA_READ(Beside)}});
    stoa_retype *retype = retype_to(s->world, 3);
    assert_int_equal(stoa_retype_convert(retype, form_convert, NULL), STOA_OK);
    for (int i = 0; i < 3; i++) {
        uint64_t before = stoa_query_version(query);
        assert_int_equal(stoa_retype_swap(retype), STOA_OK);
        assert_true(stoa_query_version(query) != before);
    }
    stoa_retype_end(retype);
    world_compare(s->world, entities, 3);
}

/* HOT-01 */
static void what_is_cancelled_leaves_no_trace(void **state) {
    support_world *s = *state;
    static stoa_entity entities[COUNT];
    world_fill(s->world, entities);
    uint64_t hash = stoa_hash(s->world);
    for (int step = 0; step < 4; step++) {
        stoa_retype *retype = retype_to(s->world, 3);
        bool fresh;
        assert_int_equal(stoa_retype_add(retype, STOA_TYPE_OF(Inner0), false, &fresh), STOA_OK);
        assert_true(fresh);
        if (step > 0) {
            assert_int_equal(stoa_retype_convert(retype, form_convert, NULL), STOA_OK);
        }
        for (int i = 1; i < step; i++) {
            assert_int_equal(stoa_retype_swap(retype), STOA_OK);
        }
        stoa_retype_cancel(retype);
        assert_true(hash == stoa_hash(s->world));
        assert_int_equal(stoa_component_find(s->world, "Inner"), 0);
        assert_int_equal(stoa_check(s->world), STOA_OK);
        world_compare(s->world, entities, 0);
    }
}

/* HOT-01 */
static void ticks_of_columns_stay(void **state) {
    support_world *s = *state;
    static stoa_entity entities[COUNT];
    world_fill(s->world, entities);
    uint32_t tick = stoa_tick(s->world);
    stoa_tick_advance(s->world);
    stoa_get_mut(s->world, entities[4], Ticked)->n = 9;
    stoa_get_mut(s->world, entities[5], Side0)->x = 9;
    stoa_query *ticked = stoa_query_parse(s->world, "changed Ticked");
    stoa_query *written = stoa_query_parse(s->world, "changed P");
    stoa_query *side = stoa_query_parse(s->world, "changed S");
    stoa_retype *retype = retype_to(s->world, 1);
    assert_int_equal(stoa_retype_convert(retype, form_convert, NULL), STOA_OK);
    assert_int_equal(stoa_retype_swap(retype), STOA_OK);
    stoa_retype_end(retype);
    stoa_iter it = stoa_query_iter_since(written, tick);
    assert_false(stoa_iter_next(&it));
    int found = 0;
    for (it = stoa_query_iter_since(ticked, tick); stoa_iter_next(&it);) {
        found += it.count;
    }
    /* One that is switched off is not found. */
    assert_int_equal(found, 0);
    for (it = stoa_query_iter_since(side, tick); stoa_iter_next(&it);) {
        found += it.count;
        assert_true(stoa_entity_eq(it.entities[0], entities[5]));
    }
    assert_int_equal(found, 1);
}

/* HOT-01 */
static void descriptor_of_before_is_not_taken_any_more(void **state) {
    support_world *s = *state;
    stoa_entity e = stoa_create_with(s->world, STOA_VALUE(Form0, {1, 2}));
    stoa_retype *retype = retype_to(s->world, 1);
    assert_int_equal(stoa_retype_convert(retype, form_convert, NULL), STOA_OK);
    assert_int_equal(stoa_retype_swap(retype), STOA_OK);
    stoa_retype_end(retype);
    assert_null(stoa_try_get(s->world, e, Form0));
    assert_int_equal(stoa_set(s->world, e, Form0, {3, 4}), STOA_CONFLICT);
    assert_true(stoa_get(s->world, e, Form1)->x == 1);
    stoa_entity other = stoa_create_with(s->world, STOA_VALUE(Form1, {.x = 5}));
    assert_int_equal(stoa_archetype_of(s->world, e), stoa_archetype_of(s->world, other));
}

/* HOT-01 */
static void commands_know_the_new_form(void **state) {
    support_world *s = *state;
    stoa_commands *commands = stoa_deferred(s->world);
    stoa_entity e = stoa_commands_create_with(commands, STOA_VALUE(Form0, {1, 2}));
    assert_null(stoa_retype_new(s->world));
    support_assert_message("commands");
    assert_int_equal(stoa_flush(s->world), STOA_OK);
    stoa_retype *retype = retype_to(s->world, 1);
    assert_int_equal(stoa_retype_convert(retype, form_convert, NULL), STOA_OK);
    assert_int_equal(stoa_retype_swap(retype), STOA_OK);
    stoa_retype_end(retype);
    assert_int_equal(stoa_commands_set(commands, e, Form1, {.x = 8}), STOA_OK);
    assert_int_equal(stoa_flush(s->world), STOA_OK);
    assert_true(stoa_get(s->world, e, Form1)->x == 8);
}

/* HOT-01 */
static void resource_and_events_take_the_new_form(void **state) {
    support_world *s = *state;
    stoa_resource_set(s->world, Form0, {1, 2});
    stoa_reader *reader = stoa_reader_new(s->world, Form0);
    stoa_entity target = stoa_create(s->world);
    for (int i = 0; i < 30; i++) {
        stoa_event_send_to(s->world, target, Form0, {(float)i, 0});
    }
    stoa_event event;
    assert_true(stoa_event_read(reader, &event));
    for (int form = 1; form < FORMS; form++) {
        stoa_retype *retype = retype_to(s->world, form);
        assert_int_equal(stoa_retype_convert(retype, form_convert, NULL), STOA_OK);
        assert_int_equal(stoa_retype_swap(retype), STOA_OK);
        if (form == 2) {
            stoa_retype_cancel(retype);
            continue;
        }
        stoa_retype_end(retype);
        stoa_component p = stoa_component_find(s->world, "P");
        assert_int_equal(form_read(forms[form]->size, stoa_resource_id(s->world, p)).y, 2);
    }
    for (int i = 1; i < 30; i++) {
        assert_true(stoa_event_read(reader, &event));
        assert_int_equal(form_read(sizeof(Form3), event.data).x, i);
        assert_true(stoa_entity_eq(event.target, target));
    }
    assert_false(stoa_event_read(reader, &event));
}

/* HOT-01 */
static void only_what_is_owned_and_can_change_does(void **state) {
    support_world *s = *state;
    bool fresh;
    stoa_id(s->world, Form0);
    stoa_id(s->world, Tag0);
    stoa_id(s->world, Flag0);
    stoa_retype *retype = stoa_retype_new(s->world);
    assert_int_equal(stoa_retype_add(retype, STOA_TYPE_OF(Form1), false, &fresh), STOA_CONFLICT);
    assert_int_equal(stoa_retype_add(retype, STOA_TYPE_OF(Form0), false, &fresh), STOA_OK);
    assert_false(fresh);
    assert_int_equal(stoa_retype_add(retype, STOA_TYPE_OF(Tag1), true, &fresh), STOA_REFUSED);
    assert_int_equal(stoa_retype_add(retype, STOA_TYPE_OF(Flag1), true, &fresh), STOA_REFUSED);
    assert_int_equal(stoa_retype_add(retype, STOA_TYPE_OF(Flag2), true, &fresh), STOA_OK);
    assert_true(fresh);
    assert_int_equal(stoa_retype_count(retype), 0);
    assert_int_equal(stoa_retype_add(retype, STOA_TYPE_OF(Form1), true, &fresh), STOA_OK);
    assert_int_equal(stoa_retype_add(retype, STOA_TYPE_OF(Form2), true, &fresh), STOA_CONFLICT);
    assert_int_equal(stoa_retype_swap(retype), STOA_LOCKED);
    support_assert_misuse(s, STOA_LOCKED, STOA_LOCKED);
    assert_int_equal(stoa_retype_convert(retype, form_convert, NULL), STOA_OK);
    assert_int_equal(stoa_retype_add(retype, STOA_TYPE_OF(Form1), true, &fresh), STOA_LOCKED);
    assert_int_equal(stoa_retype_convert(retype, form_convert, NULL), STOA_LOCKED);
    support_assert_misuse(s, STOA_LOCKED, STOA_LOCKED);
    assert_int_equal(stoa_retype_swap(retype), STOA_OK);
    stoa_retype_end(retype);
    stoa_component_info info;
    stoa_component_info_get(s->world, stoa_component_find(s->world, "F"), &info);
    assert_int_equal(info.flags, STOA_HIDDEN);
}

/* HOT-01 */
static void struct_inside_of_a_strangers_refuses(void **state) {
    support_world *s = *state;
    bool fresh;
    stoa_id(s->world, Inner0);
    stoa_component outer = stoa_component_register(
        s->world, &(stoa_component_desc){.name = "Outer", .fields = "{ Inner i; }"});
    assert_int_not_equal(outer, 0);
    stoa_retype *retype = stoa_retype_new(s->world);
    assert_int_equal(stoa_retype_add(retype, STOA_TYPE_OF(Inner1), true, &fresh), STOA_OK);
    assert_int_equal(stoa_retype_convert(retype, form_convert, NULL), STOA_CONFLICT);
    support_assert_message("'Outer'");
    stoa_retype_cancel(retype);
}

/* HOT-01 */
static void conversion_that_fails_changes_nothing(void **state) {
    support_world *s = *state;
    static stoa_entity entities[COUNT];
    world_fill(s->world, entities);
    uint64_t hash = stoa_hash(s->world);
    for (int calls = 0; calls < 5; calls++) {
        int left = calls;
        stoa_retype *retype = retype_to(s->world, 1);
        assert_int_equal(stoa_retype_convert(retype, form_convert, &left), STOA_REFUSED);
        assert_int_equal(stoa_retype_swap(retype), STOA_LOCKED);
        support_assert_misuse(s, STOA_LOCKED, STOA_LOCKED);
        stoa_retype_end(retype);
        assert_true(hash == stoa_hash(s->world));
        assert_int_equal(stoa_check(s->world), STOA_OK);
    }
}

/* HOT-01 */
static void lack_of_memory_changes_nothing(void **state) {
    support_world *s = *state;
    static stoa_entity entities[COUNT];
    world_fill(s->world, entities);
    stoa_resource_set(s->world, Form0, {1, 2});
    stoa_reader *reader = stoa_reader_new(s->world, Form0);
    stoa_event_send(s->world, Form0, {1, 0});
    uint64_t hash = stoa_hash(s->world);
    bool done = false, fresh;
    for (size_t k = 1; !done; k++) {
        s->heap.fail_at = k;
        stoa_retype *retype = stoa_retype_new(s->world);
        done = retype != NULL && stoa_retype_add(retype, forms[1], true, &fresh) == STOA_OK &&
               stoa_retype_add(retype, sides[1], true, &fresh) == STOA_OK &&
               stoa_retype_convert(retype, form_convert, NULL) == STOA_OK &&
               stoa_retype_swap(retype) == STOA_OK;
        s->heap.fail_at = 0;
        if (!done) {
            stoa_retype_cancel(retype);
            assert_true(hash == stoa_hash(s->world));
            assert_int_equal(stoa_check(s->world), STOA_OK);
        } else {
            stoa_retype_end(retype);
            assert_true(k > 10);
        }
    }
    world_compare(s->world, entities, 1);
    assert_int_equal(stoa_reader_free(reader), STOA_OK);
}

/* HOT-01, SNP-08 */
static void frames_of_the_old_form_are_let_go(void **state) {
    support_world *s = *state;
    static stoa_entity entities[COUNT];
    bool restored;
    world_fill(s->world, entities);
    stoa_resource_set(s->world, Form0, {1, 2});
    stoa_reader *reader = stoa_reader_new(s->world, Form0);
    stoa_event_send(s->world, Form0, {1, 0});
    stoa_frames *frames = stoa_frames_new(s->world, 4);
    assert_int_equal(stoa_frames_save(frames), STOA_OK);
    uint64_t hash = stoa_hash(s->world);
    stoa_tick_advance(s->world);
    stoa_get_mut(s->world, entities[7], Form0)->x = 50;
    assert_int_equal(stoa_frames_save(frames), STOA_OK);
    /* One that is taken back leaves them good. */
    stoa_retype *retype = retype_to(s->world, 3);
    assert_int_equal(stoa_retype_convert(retype, form_convert, NULL), STOA_OK);
    assert_int_equal(stoa_retype_swap(retype), STOA_OK);
    stoa_retype_cancel(retype);
    assert_int_equal(stoa_frames_restore(frames, 0, &restored), STOA_OK);
    assert_true(hash == stoa_hash(s->world));
    world_compare(s->world, entities, 0);
    retype = retype_to(s->world, 3);
    assert_int_equal(stoa_retype_convert(retype, form_convert, NULL), STOA_OK);
    assert_int_equal(stoa_retype_swap(retype), STOA_OK);
    stoa_retype_end(retype);
    assert_int_equal(stoa_frames_count(frames), 0);
    assert_int_equal(stoa_frames_restore(frames, 0, &restored), STOA_NOT_FOUND);
    hash = stoa_hash(s->world);
    assert_int_equal(stoa_frames_save(frames), STOA_OK);
    stoa_tick_advance(s->world);
    assert_int_equal(stoa_destroy(s->world, entities[9]), STOA_OK);
    stoa_get_mut(s->world, entities[7], Form3)->x = 50;
    assert_int_equal(stoa_frames_restore(frames, stoa_frames_last(frames), &restored), STOA_OK);
    assert_true(hash == stoa_hash(s->world));
    world_compare(s->world, entities, 3);
    stoa_frames_free(frames);
    assert_int_equal(stoa_reader_free(reader), STOA_OK);
}

/* An extension that notes the steps it is told, and keeps a value. */
typedef struct witness {
    char steps[16];
    int count;
    bool refuses;
    int shown; /* values of entities */
    Form1 value;
    Form0 kept;
} witness;

static stoa_status shown_count(void *user, const stoa_entity *entities, const void *values,
                               int32_t count) {
    witness *seen = user;
    for (int32_t i = 0; i < count; i++) {
        assert_true(entities[i].generation != 0);
        assert_true(((const Form1 *)values)[i].x >= 0 && ((const Form1 *)values)[i].x < 100);
    }
    seen->shown += count;
    return count == 1 ? stoa_fail(STOA_REFUSED, "one alone") : STOA_OK;
}

static stoa_status witness_retype(stoa_world *world, void *data, stoa_retype *retype,
                                  stoa_retype_step step) {
    witness *seen = data;
    (void)world;
    seen->steps[seen->count++] = "msE"[step];
    stoa_retype_change change;
    stoa_component p = stoa_component_find(world, "P");
    assert_true(stoa_retype_change_get(retype, p, &change));
    assert_true(change.layout);
    assert_int_equal(change.before.size, sizeof(Form0));
    assert_int_equal(change.after.size, sizeof(Form1));
    assert_false(stoa_retype_change_get(retype, stoa_component_find(world, "Beside"), &change));
    if (step == STOA_RETYPE_END) {
        return STOA_OK;
    }
    if (step == STOA_RETYPE_SWAP) {
        /* Values are made before. */
        assert_int_equal(stoa_retype_each(retype, p, shown_count, seen), STOA_LOCKED);
        assert_int_equal(stoa_retype_make(retype, p, &seen->kept, &seen->value, 1), STOA_LOCKED);
        return STOA_OK;
    }
    stoa_status status = stoa_retype_each(retype, p, shown_count, seen);
    if (status == STOA_OK) {
        status = stoa_retype_make(retype, p, &seen->kept, &seen->value, 1);
    }
    return seen->refuses ? stoa_fail(STOA_REFUSED, "the witness refuses") : status;
}

static void witness_free(stoa_world *world, void *data) {
    (void)world, (void)data;
}

/* HOT-01 */
static void extensions_make_exchange_and_end(void **state) {
    support_world *s = *state;
    static stoa_entity entities[COUNT];
    witness first = {.kept = {3, 4}}, second = {.kept = {5, 6}};
    world_fill(s->world, entities);
    stoa_extension extension = {
        .name = "first", .data = &first, .free = witness_free, .retype = witness_retype};
    assert_int_equal(stoa_extend(s->world, &extension), STOA_OK);
    extension.name = "second";
    extension.data = &second;
    assert_int_equal(stoa_extend(s->world, &extension), STOA_OK);
    second.refuses = true;
    stoa_retype *retype = retype_to(s->world, 1);
    assert_int_equal(stoa_retype_convert(retype, form_convert, NULL), STOA_REFUSED);
    support_assert_message("witness");
    stoa_retype_cancel(retype);
    assert_string_equal(first.steps, "mE");
    assert_string_equal(second.steps, "m");
    world_compare(s->world, entities, 0);
    second.refuses = false;
    retype = retype_to(s->world, 1);
    assert_int_equal(stoa_retype_convert(retype, form_convert, NULL), STOA_OK);
    assert_int_equal(stoa_retype_swap(retype), STOA_OK);
    stoa_retype_cancel(retype);
    assert_string_equal(second.steps, "mmssE");
    retype = retype_to(s->world, 1);
    assert_int_equal(stoa_retype_convert(retype, form_convert, NULL), STOA_OK);
    assert_int_equal(stoa_retype_swap(retype), STOA_OK);
    stoa_retype_end(retype);
    assert_string_equal(first.steps, "mEmssEmsE");
    assert_int_equal(second.shown, 3 * COUNT);
    assert_true(first.value.x == 3 && first.value.y == 4 && second.value.x == 5);
}

/* HOT-01 */
static void nothing_is_begun_while_the_world_is_busy(void **state) {
    support_world *s = *state;
    stoa_create_with(s->world, STOA_VALUE(Form0, {1, 2}));
    stoa_query *query = stoa_query_parse(s->world, "const P");
    stoa_iter it = stoa_query_iter(query);
    assert_true(stoa_iter_next(&it));
    assert_null(stoa_retype_new(s->world));
    support_assert_misuse(s, stoa_last_error().status, STOA_ITERATING);
    stoa_iter_end(&it);
    assert_null(stoa_retype_new(NULL));
    assert_int_equal(stoa_retype_add(NULL, forms[0], true, NULL), STOA_NULL_ARGUMENT);
    assert_int_equal(stoa_retype_convert(NULL, form_convert, NULL), STOA_NULL_ARGUMENT);
    assert_int_equal(stoa_retype_swap(NULL), STOA_NULL_ARGUMENT);
    assert_int_equal(stoa_retype_count(NULL), 0);
    stoa_retype_show(NULL, true);
    assert_false(stoa_retype_change_get(NULL, 1, NULL));
    assert_int_equal(stoa_retype_each(NULL, 1, shown_count, NULL), STOA_NULL_ARGUMENT);
    assert_int_equal(stoa_retype_make(NULL, 1, NULL, NULL, 1), STOA_NULL_ARGUMENT);
    stoa_retype_end(NULL);
    stoa_retype_cancel(NULL);
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, support_setup, support_teardown)
    const struct CMUnitTest tests[] = {
        TEST(every_form_becomes_every_other),
        TEST(queries_are_told_of_a_swap),
        TEST(what_is_cancelled_leaves_no_trace),
        TEST(ticks_of_columns_stay),
        TEST(descriptor_of_before_is_not_taken_any_more),
        TEST(commands_know_the_new_form),
        TEST(resource_and_events_take_the_new_form),
        TEST(only_what_is_owned_and_can_change_does),
        TEST(struct_inside_of_a_strangers_refuses),
        TEST(conversion_that_fails_changes_nothing),
        TEST(lack_of_memory_changes_nothing),
        TEST(frames_of_the_old_form_are_let_go),
        TEST(extensions_make_exchange_and_end),
        TEST(nothing_is_begun_while_the_world_is_busy),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
