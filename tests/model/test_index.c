/* Indexes: every way a value comes, changes and goes, for each kind of storage. */
#include "index_fixture.h"

/* A kind of storage, and of index. */
typedef struct kind_of {
    stoa_type *type;
    bool written; /* can be written in place */
    bool ordered;
} kind_of;

static const kind_of kinds[] = {
    {STOA_TYPE_OF(Unit), true, false},  {STOA_TYPE_OF(Unit), true, true},
    {STOA_TYPE_OF(Loose), true, false}, {STOA_TYPE_OF(Loose), true, true},
    {STOA_TYPE_OF(Exact), true, false}, {STOA_TYPE_OF(Exact), true, true},
    {STOA_TYPE_OF(Rank), false, false}, {STOA_TYPE_OF(Rank), false, true}};

/* A world of small chunks, to be used with one kind. */
typedef struct kind_world {
    support_world s;
    stoa_type *type;
    const kind_of *kind;
    stoa_index *index; /* made by team_index */
} kind_world;

static int kind_setup(void **state) {
    static kind_world k;
    k = (kind_world){.kind = *state};
    k.type = k.kind->type;
    support_world_open_with(&k.s, 16384);
    *state = &k;
    return 0;
}

static int kind_teardown(void **state) {
    kind_world *k = *state;
    assert_int_equal(stoa_check(k->s.world), STOA_OK);
    assert_int_equal(stoa_index_free(k->index), STOA_OK);
    support_world_close(&k->s);
    return 0;
}

static stoa_index *team_index(kind_world *k) {
    k->index = stoa_index_new(
        k->s.world,
        &(stoa_index_desc){.type = k->type, .field = "team", .ordered = k->kind->ordered});
    assert_non_null(k->index);
    return k->index;
}

static stoa_found team(stoa_index *index, int32_t number) {
    return stoa_index_find(index, &number);
}

static stoa_entity unit_new(stoa_world *w, stoa_type *type, int32_t number) {
    Unit unit = {number, 1};
    return stoa_create_values(w, &(stoa_value){.type = type, .data = &unit}, 1);
}

static stoa_status unit_set(stoa_world *w, stoa_entity e, stoa_type *type, int32_t number) {
    Unit unit = {number, 2};
    return stoa_set_type(w, e, type, &unit);
}

/* IDX-01 */
static void values_are_found_after_set_add_and_remove(void **state) {
    kind_world *k = *state;
    stoa_world *w = k->s.world;
    stoa_type *type = k->type;
    stoa_index *index = team_index(k);
    stoa_entity a = unit_new(w, type, 3), b = stoa_create(w), c = unit_new(w, type, 4);
    expect_found(team(index, 3), a);
    expect_none(team(index, 0));
    assert_int_equal(stoa_add_type(w, b, type), STOA_OK);
    expect_found(team(index, 0), b);
    assert_int_equal(unit_set(w, b, type, 3), STOA_OK);
    expect_found(team(index, 3), a, b);
    expect_none(team(index, 0));
    assert_int_equal(unit_set(w, c, type, 3), STOA_OK);
    expect_found(team(index, 3), a, b, c);
    assert_int_equal(stoa_remove_type(w, a, type), STOA_OK);
    expect_found(team(index, 3), b, c);
    assert_int_equal(stoa_check(w), STOA_OK);
    assert_int_equal(stoa_index_count(index, STOA_KEY(int32_t, 3)), 2);
    expect_entity(stoa_index_first(index, STOA_KEY(int32_t, 3)), b);
}

/* IDX-01 ENT-09 ENT-11 */
static void index_follows_destroy_clear_and_clone(void **state) {
    kind_world *k = *state;
    stoa_world *w = k->s.world;
    stoa_type *type = k->type;
    stoa_index *index = team_index(k);
    stoa_entity a = unit_new(w, type, 1), b = unit_new(w, type, 1);
    stoa_entity c = stoa_clone(w, a);
    expect_found(team(index, 1), a, b, c);
    assert_int_equal(stoa_destroy(w, a), STOA_OK);
    expect_found(team(index, 1), b, c);
    assert_int_equal(stoa_clear(w, c), STOA_OK);
    expect_found(team(index, 1), b);
    /* The slot is used again: the index tells its tenants apart. */
    stoa_entity d = unit_new(w, type, 2);
    assert_int_equal(d.index, a.index);
    expect_found(team(index, 1), b);
    expect_found(team(index, 2), d);
}

/* IDX-01 ENT-07 CMD-01 ACC-06 */
static void index_follows_bulk_change_and_commands(void **state) {
    kind_world *k = *state;
    stoa_world *w = k->s.world;
    stoa_type *type = k->type;
    stoa_index *index = team_index(k);
    Unit units[4] = {{5, 0}, {6, 0}, {5, 0}, {6, 0}}, seven = {7, 0};
    stoa_entity e[4];
    assert_int_equal(
        stoa_create_bulk_values(w, 4, e, &(stoa_value){.type = type, .data = units}, 1), STOA_OK);
    expect_found(team(index, 5), e[0], e[2]);
    expect_found(team(index, 6), e[1], e[3]);
    stoa_value change[2] = {{.type = type, .data = &seven},
                            {.type = STOA_TYPE_OF(Other), .op = STOA_PUT}};
    assert_int_equal(stoa_change_values(w, e[3], change, 2), STOA_OK);
    expect_found(team(index, 7), e[3]);
    stoa_commands *commands = stoa_deferred(w);
    stoa_commands_set_type(commands, e[0], type, &seven);
    stoa_commands_destroy(commands, e[3]);
    stoa_entity made =
        stoa_commands_create_values(commands, &(stoa_value){.type = type, .data = &seven}, 1);
    stoa_commands_remove_type(commands, e[2], type);
    expect_found(team(index, 7), e[3]);
    assert_int_equal(stoa_flush(w), STOA_OK);
    expect_found(team(index, 7), e[0], made);
    expect_none(team(index, 5));
}

/* IDX-01 ACC-09 */
static void index_follows_operations_on_whole_queries(void **state) {
    kind_world *k = *state;
    stoa_world *w = k->s.world;
    stoa_type *type = k->type;
    stoa_component id = stoa_type_register(w, type);
    stoa_index *index = team_index(k);
    stoa_entity a = stoa_create_with(w, STOA_VALUE(Other, {1}));
    stoa_entity b = stoa_create_with(w, STOA_VALUE(Other, {2}));
    stoa_query *others = stoa_query_new(w, &(stoa_query_desc){.terms = {STOA_FILTER(Other)}});
    Unit nine = {9, 0};
    assert_int_equal(stoa_query_add_id(others, id), STOA_OK);
    expect_found(team(index, 0), a, b);
    assert_int_equal(stoa_query_set_id(others, id, &nine, sizeof nine), STOA_OK);
    expect_found(team(index, 9), a, b);
    assert_int_equal(stoa_query_remove_id(others, id), STOA_OK);
    expect_none(team(index, 9));
    assert_int_equal(stoa_query_set_id(others, id, &nine, sizeof nine), STOA_OK);
    assert_int_equal(stoa_query_destroy(others), STOA_OK);
    expect_none(team(index, 9));
    stoa_query_free(others);
}

/* IDX-01 CHG-02 */
static void value_written_by_pointer_is_seen_by_the_next_look_up(void **state) {
    kind_world *k = *state;
    stoa_world *w = k->s.world;
    stoa_type *type = k->type;
    stoa_component id = stoa_type_register(w, type);
    stoa_index *index = team_index(k);
    stoa_entity a = unit_new(w, type, 1), b = unit_new(w, type, 1);
    for (int32_t i = 2; i < 20; i++) {
        ((Unit *)stoa_get_mut_id(w, a, id))->team = i;
        expect_found(team(index, i), a);
        /* In the same tick as the look-up before. */
        ((Unit *)stoa_get_mut_id(w, b, id))->team = i;
        expect_found(team(index, i), a, b);
        expect_none(team(index, i - 1));
        stoa_tick_advance(w);
    }
    ((Unit *)stoa_get_mut_id(w, a, id))->team = 77;
    assert_int_equal(stoa_check(w), STOA_OK);
    /* A row takes what was written along when it moves. */
    assert_int_equal(stoa_set(w, a, Other, {1}), STOA_OK);
    expect_found(team(index, 77), a);
}

/* IDX-01 */
static void column_written_in_an_iteration_is_seen_after_it(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    stoa_index *index = stoa_index_on(w, Unit, team);
    stoa_entity a = stoa_create_with(w, STOA_VALUE(Unit, {1, 1}));
    stoa_entity b = stoa_create_with(w, STOA_VALUE(Unit, {2, 1}));
    expect_found(team(index, 1), a);
    stoa_query *q = stoa_query_new(w, &(stoa_query_desc){.terms = {STOA_WRITE(Unit)}});
    for (stoa_iter it = stoa_query_iter(q); stoa_iter_next(&it);) {
        Unit *units = stoa_field_mut(&it, Unit, 0);
        units[0].team = 8;
        /* Look-ups go on with what is settled, and what was handed out is not lost by them. */
        expect_found(team(index, 1), a);
        units[1].team = 8;
        expect_found(team(index, 2), b);
    }
    expect_found(team(index, 8), a, b);
    expect_none(team(index, 1));
    support_assert_quiet(s);
}

/* IDX-01 CMP-12 */
static void component_switched_off_stays_in_the_index(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    stoa_index *index = stoa_index_on(w, Exact, team);
    stoa_entity a = stoa_create_with(w, STOA_VALUE(Exact, {1, 1}));
    assert_int_equal(stoa_enable(w, a, Exact, false), STOA_OK);
    expect_found(team(index, 1), a);
    stoa_get_mut(w, a, Exact)->team = 2;
    expect_found(team(index, 2), a);
    assert_int_equal(stoa_enable(w, a, Exact, true), STOA_OK);
    expect_found(team(index, 2), a);
}

/* IDX-01 */
static void look_ups_alone_leave_the_tick(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    stoa_index *index = stoa_index_on(w, Unit, team), *rank = stoa_index_on(w, Rank, team);
    stoa_entity a = stoa_create_with(w, STOA_VALUE(Unit, {1, 1}), STOA_VALUE(Rank, {1, 1}));
    expect_found(team(index, 1), a);
    uint32_t tick = stoa_tick(w);
    expect_found(team(index, 1), a);
    expect_found(team(rank, 1), a);
    assert_int_equal(stoa_set(w, a, Rank, {2, 1}), STOA_OK);
    expect_found(team(rank, 2), a);
    assert_int_equal(stoa_tick(w), tick);
    /* What was written in this tick is looked at once, and so the tick moves on. */
    stoa_get_mut(w, a, Unit)->team = 5;
    expect_found(team(index, 5), a);
    assert_int_equal(stoa_tick(w), tick + 1);
    expect_found(team(index, 5), a);
    assert_int_equal(stoa_tick(w), tick + 1);
}

/* IDX-01 */
static void tick_that_goes_far_on_hides_nothing(void **state) {
    support_world *s = *state;
    stoa_allocator allocator = support_allocator(&s->heap);
    stoa_world *w =
        stoa_world_new(&(stoa_world_desc){.allocator = &allocator, .first_tick = UINT32_MAX - 3});
    stoa_index *index = stoa_index_on(w, Unit, team);
    stoa_entity a = stoa_create_with(w, STOA_VALUE(Unit, {1, 1}));
    for (int32_t i = 2; i < 20; i++) {
        stoa_get_mut(w, a, Unit)->team = i;
        expect_found(team(index, i), a);
        stoa_tick_advance(w);
    }
    assert_int_equal(stoa_check(w), STOA_OK);
    stoa_world_free(w);
}

/* IDX-01 */
static void index_made_late_knows_everything(void **state) {
    kind_world *k = *state;
    stoa_world *w = k->s.world;
    stoa_type *type = k->type;
    stoa_entity a = unit_new(w, type, 1), b = unit_new(w, type, 2);
    stoa_entity c = unit_new(w, type, 1);
    stoa_set(w, c, Other, {1});
    stoa_index *index = team_index(k);
    expect_found(team(index, 1), a, c);
    expect_found(team(index, 2), b);
}

/* IDX-01 */
static void two_indexes_of_one_component_do_not_disturb(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    stoa_index *teams = stoa_index_on(w, Unit, team);
    stoa_index *speeds = stoa_index_ordered_on(w, Unit, speed);
    stoa_entity a = stoa_create_with(w, STOA_VALUE(Unit, {1, 10}));
    stoa_entity b = stoa_create_with(w, STOA_VALUE(Unit, {1, 5}));
    stoa_get_mut(w, a, Unit)->speed = 2;
    stoa_get_mut(w, a, Unit)->team = 3;
    expect_found(team(teams, 3), a);
    expect_found(stoa_index_range(speeds, NULL, NULL), a, b);
    stoa_get_mut(w, b, Unit)->speed = 1;
    expect_found(stoa_index_range(speeds, NULL, NULL), b, a);
    assert_int_equal(stoa_index_free(teams), STOA_OK);
    expect_found(stoa_index_find(speeds, STOA_KEY(float, 2)), a);
}

/* IDX-01 SYS-06 */
static void settling_the_world_settles_its_indexes(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    stoa_index *index = stoa_index_on(w, Unit, team);
    stoa_entity a = stoa_create_with(w, STOA_VALUE(Unit, {1, 1}));
    stoa_commands *buffer = stoa_commands_new(w);
    expect_found(team(index, 1), a);
    stoa_get_mut(w, a, Unit)->team = 2;
    stoa_settle(w);
    assert_int_equal(stoa_commands_fork(w, &buffer, 1), STOA_OK);
    expect_found(team(index, 2), a);
    stoa_get_mut(w, a, Unit)->team = 3;
    /* Beside threads nothing is settled. */
    expect_found(team(index, 2), a);
    assert_int_equal(stoa_commands_join(w), STOA_OK);
    expect_found(team(index, 3), a);
}

/* IDX-01 MET-01 */
static void indexes_of_a_sealed_world_are_right(void **state) {
    stoa_world *w = ((support_world *)*state)->world;
    stoa_index *before = stoa_index_on(w, Unit, team);
    stoa_entity e = stoa_create_with(w, STOA_VALUE(Unit, {1, 0}));
    stoa_get_mut(w, e, Unit)->team = 2;
    assert_int_equal(stoa_world_seal(w, true), STOA_OK);
    expect_found(stoa_index_find(before, STOA_KEY(int32_t, 2)), e);
    stoa_index *meanwhile = stoa_index_on(w, Unit, team);
    expect_found(stoa_index_find(meanwhile, STOA_KEY(int32_t, 2)), e);
    assert_int_equal(stoa_check(w), STOA_OK);
    assert_int_equal(stoa_world_seal(w, false), STOA_OK);
    stoa_set(w, e, Unit, {3, 0});
    expect_found(stoa_index_find(before, STOA_KEY(int32_t, 3)), e);
    expect_found(stoa_index_find(meanwhile, STOA_KEY(int32_t, 3)), e);
}

/* IDX-01 SRT-01 SRT-02: what was written and not yet looked at is not lost by a move to another
 * chunk. */
static void index_follows_sorting_and_compaction(void **state) {
    kind_world *k = *state;
    stoa_world *w = k->s.world;
    stoa_type *type = k->type;
    stoa_component id = stoa_type_register(w, type);
    stoa_index *index = team_index(k);
    stoa_entity e[5000];
    for (int32_t i = 0; i < 5000; i++) {
        Unit unit = {1, (float)-i};
        e[i] = stoa_create_one(w, type, &unit);
    }
    assert_int_equal(stoa_index_count(index, STOA_KEY(int32_t, 1)), 5000);
    if (k->kind->written) {
        ((Unit *)stoa_get_mut_id(w, e[4999], id))->team = 2;
        ((Unit *)stoa_get_mut_id(w, e[17], id))->team = 2;
    } else {
        unit_set(w, e[4999], type, 2);
        unit_set(w, e[17], type, 2);
    }
    assert_int_equal(stoa_sort_key_id(w, id, "speed", STOA_ASCENDING), STOA_OK);
    expect_found(team(index, 2), e[17], e[4999]);
    if (k->kind->written) {
        ((Unit *)stoa_get_mut_id(w, e[17], id))->team = 3;
        for (int i = 1000; i < 4000; i++) {
            assert_int_equal(stoa_destroy(w, e[i]), STOA_OK);
        }
        assert_int_equal(stoa_compact(w), STOA_OK);
        expect_found(team(index, 3), e[17]);
    }
}

/* IDX-01 PRE-02 */
static void index_follows_prefabs(void **state) {
    kind_world *k = *state;
    stoa_world *w = k->s.world;
    stoa_type *type = k->type;
    stoa_index *index = team_index(k);
    stoa_prefab *prefab = stoa_prefab_new(w, NULL);
    stoa_entity e[3];
    assert_int_equal(stoa_prefab_set_type(prefab, type, &(Unit){6, 1}), STOA_OK);
    expect_none(team(index, 6));
    stoa_entity one = stoa_prefab_instantiate(prefab);
    assert_int_equal(stoa_prefab_instantiate_bulk(prefab, 3, e, NULL, 0), STOA_OK);
    expect_found(team(index, 6), one, e[0], e[1], e[2]);
}

static bool nothing_allowed(const stoa_guard *guard, stoa_component id, bool resource, bool write) {
    (void)guard;
    (void)id;
    (void)resource;
    (void)write;
    return false;
}

/* IDX-01 SYS-14 */
static void system_may_look_up_what_it_does_not_read(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    stoa_index *units = stoa_index_on(w, Unit, team), *loose = stoa_index_on(w, Loose, team);
    stoa_entity a = stoa_create_with(w, STOA_VALUE(Unit, {1, 1}), STOA_VALUE(Loose, {1, 1}));
    stoa_get_mut(w, a, Unit)->team = 2;
    stoa_get_mut(w, a, Loose)->team = 2;
    stoa_guard guard = {.world = w, .name = "nosy", .allows = nothing_allowed};
    stoa_guard_set(&guard);
    expect_found(team(units, 2), a);
    expect_found(team(loose, 2), a);
    stoa_guard_set(NULL);
    support_assert_quiet(s);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, support_setup, support_teardown)
#define OF(name, type, i)                                                                          \
    { #name " of " type, name, kind_setup, kind_teardown, (void *)&kinds[i] }
#define EACH_WRITTEN(name)                                                                         \
    OF(name, "Unit", 0), OF(name, "Unit in order", 1), OF(name, "Loose", 2),                       \
        OF(name, "Loose in order", 3), OF(name, "Exact", 4), OF(name, "Exact in order", 5)
#define EACH(name) EACH_WRITTEN(name), OF(name, "Rank", 6), OF(name, "Rank in order", 7)

int main(void) {
    const struct CMUnitTest tests[] = {
        EACH(values_are_found_after_set_add_and_remove),
        EACH(index_follows_destroy_clear_and_clone),
        EACH(index_follows_bulk_change_and_commands),
        EACH(index_follows_operations_on_whole_queries),
        EACH_WRITTEN(value_written_by_pointer_is_seen_by_the_next_look_up),
        TEST(column_written_in_an_iteration_is_seen_after_it),
        TEST(component_switched_off_stays_in_the_index),
        TEST(look_ups_alone_leave_the_tick),
        TEST(tick_that_goes_far_on_hides_nothing),
        EACH(index_made_late_knows_everything),
        TEST(two_indexes_of_one_component_do_not_disturb),
        TEST(settling_the_world_settles_its_indexes),
        EACH(index_follows_prefabs),
        EACH(index_follows_sorting_and_compaction),
        TEST(system_may_look_up_what_it_does_not_read),
        TEST(indexes_of_a_sealed_world_are_right),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
