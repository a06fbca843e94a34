/* A sealed world: whatever would change it is refused, by every path; reading goes on. */
#include "support/support.h"

STOA_COMPONENT(Position, { float x, y; });
STOA_COMPONENT_WITH(Brain, STOA_OPTIONS(.flags = STOA_SWITCHABLE), { int32_t mood; });
STOA_COMPONENT_WITH(Fire, STOA_OPTIONS(.flags = STOA_SPARSE | STOA_SWITCHABLE), { int32_t heat; });
STOA_COMPONENT_WITH(Stone, STOA_OPTIONS(.flags = STOA_IMMUTABLE), { int32_t weight; });
STOA_COMPONENT(Late, { int32_t value; });
STOA_COMPONENT(Hit, { int32_t damage; });
STOA_COMPONENT(Rules, { int32_t speed; });
STOA_TAG(Seen);

/* A world with one entity, every path of which has been taken before, so that what the library
 * remembers of types, bundles and edges is there. */
typedef struct sealed {
    support_world *s;
    stoa_world *w;
    stoa_entity e;
    stoa_query *reads;
    stoa_query *writes;
    stoa_reader *reader;
    uint64_t hash;
} sealed;

static void warm(stoa_world *w, stoa_entity e) {
    for (int i = 0; i < 3; i++) {
        assert_int_equal(stoa_set(w, e, Position, {1, 2}), STOA_OK);
        assert_int_equal(stoa_set(w, e, Fire, {3}), STOA_OK);
        assert_non_null(stoa_get_mut(w, e, Position));
        assert_non_null(stoa_try_get_mut(w, e, Fire));
        assert_non_null(stoa_try_get_mut(w, e, Brain));
        assert_int_equal(stoa_enable(w, e, Brain, false), STOA_OK);
        assert_int_equal(stoa_enable(w, e, Brain, true), STOA_OK);
        assert_int_equal(stoa_add(w, e, Seen), STOA_OK);
        assert_int_equal(stoa_remove(w, e, Seen), STOA_OK);
        assert_int_equal(stoa_event_send(w, Hit, {1}), STOA_OK);
        assert_int_equal(stoa_destroy(w, stoa_create(w)), STOA_OK);
        assert_int_equal(stoa_destroy(w, stoa_create_with(w, STOA_ZERO(Position))), STOA_OK);
    }
}

static sealed sealed_open(void **state) {
    sealed t = {.s = *state};
    t.w = t.s->world;
    t.reader = stoa_reader_new(t.w, Hit);
    t.e = stoa_create_with(t.w, STOA_VALUE(Position, {1, 2}), STOA_VALUE(Brain, {5}),
                           STOA_VALUE(Fire, {3}), STOA_VALUE(Stone, {9}));
    assert_int_equal(stoa_resource_set(t.w, Rules, {4}), STOA_OK);
    t.reads = stoa_query_new(t.w, &(stoa_query_desc){.terms = {STOA_READ(Position)}});
    t.writes = stoa_query_new(t.w, &(stoa_query_desc){.terms = {STOA_WRITE(Position)}});
    for (stoa_iter it = stoa_query_iter(t.writes); stoa_iter_next(&it);) {
        assert_non_null(stoa_field_mut(&it, Position, 0));
    }
    warm(t.w, t.e);
    t.hash = stoa_hash(t.w);
    stoa_tick_advance(t.w);
    assert_false(stoa_world_sealed(t.w));
    assert_int_equal(stoa_world_seal(t.w, true), STOA_OK);
    assert_true(stoa_world_sealed(t.w));
    return t;
}

/* Nothing changed; after the seal is lifted all works as before. */
static void sealed_close(sealed *t) {
    uint32_t before = stoa_tick(t->w) - 1;
    assert_int_equal(stoa_hash(t->w), t->hash);
    assert_int_equal(stoa_check(t->w), STOA_OK);
    assert_false(stoa_changed(t->w, t->e, Position, before));
    assert_false(stoa_changed(t->w, t->e, Fire, before));
    assert_false(stoa_resource_changed(t->w, Rules, before));
    assert_int_equal(stoa_world_seal(t->w, false), STOA_OK);
    assert_false(stoa_world_sealed(t->w));
    warm(t->w, t->e);
    int32_t rows = 0;
    for (stoa_iter it = stoa_query_iter(t->writes); stoa_iter_next(&it);) {
        assert_non_null(stoa_field_mut(&it, Position, 0));
        rows += it.count;
    }
    assert_int_equal(rows, 1);
    assert_non_null(stoa_resource_mut(t->w, Rules));
    support_assert_quiet(t->s);
}

#define refused(t, call)                                                                           \
    do {                                                                                           \
        support_assert_misuse((t).s, (call), STOA_ACCESS);                                         \
        support_assert_message("read only");                                                       \
    } while (false)

#define refused_null(t, call)                                                                      \
    do {                                                                                           \
        stoa_error_clear();                                                                        \
        assert_null(call);                                                                         \
        refused((t), stoa_last_error().status);                                                    \
    } while (false)

#define refused_entity(t, call)                                                                    \
    do {                                                                                           \
        stoa_error_clear();                                                                        \
        assert_true(stoa_entity_is_null(call));                                                    \
        refused((t), stoa_last_error().status);                                                    \
    } while (false)

/* MET-01 */
static void sealed_world_refuses_births_and_deaths(void **state) {
    sealed t = sealed_open(state);
    refused_entity(t, stoa_create(t.w));
    refused_entity(t, stoa_create_with(t.w, STOA_ZERO(Position)));
    refused_entity(t, stoa_create_with(t.w, STOA_ZERO(Position), STOA_ZERO(Brain)));
    refused_entity(t, stoa_create_with(t.w, STOA_ZERO(Late)));
    refused_entity(t, stoa_clone(t.w, t.e));
    refused(t, stoa_create_bulk(t.w, 3, NULL, STOA_ZERO(Position)));
    refused(t, stoa_reserve(t.w, 3, STOA_ZERO(Position)));
    refused(t, stoa_compact(t.w));
    refused(t, stoa_archetype_permute(t.w, stoa_archetype_of(t.w, t.e), (int32_t[]){0}, 1));
    refused(t, stoa_sparse_permute(t.w, stoa_id(t.w, Fire), (int32_t[]){0}, 1));
    refused(t, stoa_hold(t.w, "held"));
    refused(t, stoa_destroy(t.w, t.e));
    refused(t, stoa_clear(t.w, t.e));
    assert_int_equal(stoa_count(t.w), 1);
    sealed_close(&t);
}

/* MET-01 */
static void sealed_world_refuses_changes_of_an_entity(void **state) {
    sealed t = sealed_open(state);
    stoa_component position = stoa_id(t.w, Position), fire = stoa_id(t.w, Fire);
    refused(t, stoa_set(t.w, t.e, Position, {7, 7}));
    refused(t, stoa_set(t.w, t.e, Fire, {7}));
    refused(t, stoa_set(t.w, t.e, Stone, {7}));
    refused(t, stoa_set(t.w, t.e, Late, {7}));
    refused(t, stoa_set_id(t.w, t.e, position, &(Position){7, 7}, sizeof(Position)));
    refused(t, stoa_set_id(t.w, t.e, fire, &(Fire){7}, sizeof(Fire)));
    refused(t, stoa_set_named(t.w, t.e, "Position", &(Position){7, 7}, sizeof(Position)));
    refused(t, stoa_add(t.w, t.e, Seen));
    refused(t, stoa_add_id(t.w, t.e, stoa_id(t.w, Late)));
    refused(t, stoa_remove(t.w, t.e, Position));
    refused(t, stoa_remove(t.w, t.e, Fire));
    refused(t, stoa_remove_id(t.w, t.e, position));
    refused(t, stoa_change(t.w, t.e, STOA_VALUE(Position, {7, 7})));
    refused(t, stoa_change(t.w, t.e, STOA_VALUE(Fire, {7})));
    refused(t, stoa_change(t.w, t.e, STOA_VALUE(Brain, {7}), STOA_REMOVE(Position)));
    refused(t, stoa_enable(t.w, t.e, Brain, false));
    refused(t, stoa_enable(t.w, t.e, Fire, false));
    refused(t, stoa_enable_id(t.w, t.e, fire, false));
    assert_float_equal(stoa_get(t.w, t.e, Position)->x, 1, 0);
    assert_int_equal(stoa_get(t.w, t.e, Fire)->heat, 3);
    sealed_close(&t);
}

/* MET-01: also after a read has taught the fast paths the type anew. */
static void sealed_world_refuses_mutable_access(void **state) {
    sealed t = sealed_open(state);
    /* Nothing but the seal has made the fast paths forget the type. */
    refused_null(t, stoa_get_mut(t.w, t.e, Position));
    refused_null(t, stoa_try_get_mut(t.w, t.e, Brain));
    stoa_component position = stoa_id(t.w, Position);
    for (int i = 0; i < 3; i++) {
        assert_non_null(stoa_get(t.w, t.e, Position));
        assert_non_null(stoa_try_get(t.w, t.e, Fire));
        assert_true(stoa_has(t.w, t.e, Position));
        refused_null(t, stoa_get_mut(t.w, t.e, Position));
        refused_null(t, stoa_try_get_mut(t.w, t.e, Position));
        refused_null(t, stoa_get_mut(t.w, t.e, Fire));
        refused_null(t, stoa_get_mut(t.w, t.e, Stone));
        refused_null(t, stoa_get_mut_id(t.w, t.e, position));
        refused_null(t, stoa_try_get_mut_id(t.w, t.e, position));
        refused_null(t, stoa_get_mut_named(t.w, t.e, "Position"));
    }
    /* One that the world meets only now. */
    assert_int_not_equal(stoa_id(t.w, Late), 0);
    refused_null(t, stoa_try_get_mut(t.w, t.e, Late));
    sealed_close(&t);
    assert_null(stoa_get_mut(t.w, t.e, Stone));
    assert_int_equal(stoa_last_error().status, STOA_ACCESS);
    assert_int_equal(stoa_set(t.w, t.e, Late, {1}), STOA_OK);
    assert_non_null(stoa_get_mut(t.w, t.e, Late));
}

/* MET-01 */
static void sealed_world_refuses_resources_and_events(void **state) {
    sealed t = sealed_open(state);
    stoa_component rules = stoa_id(t.w, Rules);
    refused(t, stoa_resource_set(t.w, Rules, {7}));
    refused(t, stoa_resource_set(t.w, Late, {7}));
    refused(t, stoa_resource_remove(t.w, Rules));
    refused_null(t, stoa_resource_mut(t.w, Rules));
    refused_null(t, stoa_resource_try_mut_id(t.w, rules));
    assert_int_equal(stoa_resource(t.w, Rules)->speed, 4);
    assert_null(stoa_resource_try_mut(t.w, Late));
    int32_t unread = stoa_reader_count(t.reader);
    refused(t, stoa_event_send(t.w, Hit, {7}));
    refused(t, stoa_event_send_to(t.w, t.e, Hit, {7}));
    refused(t, stoa_event_send(t.w, Late, {7}));
    refused(t, stoa_event_send_id(t.w, STOA_NULL, stoa_id(t.w, Hit), &(Hit){7}, sizeof(Hit)));
    assert_int_equal(stoa_reader_count(t.reader), unread);
    stoa_event event;
    assert_true(stoa_event_read(t.reader, &event));
    sealed_close(&t);
}

/* MET-01 */
static void sealed_world_refuses_to_flush(void **state) {
    sealed t = sealed_open(state);
    stoa_commands *commands = stoa_deferred(t.w);
    assert_int_equal(stoa_commands_set(commands, t.e, Position, {7, 7}), STOA_OK);
    refused(t, stoa_flush(t.w));
    assert_int_equal(stoa_commands_count(commands), 1);
    sealed_close(&t);
    assert_int_equal(stoa_flush(t.w), STOA_OK);
    assert_float_equal(stoa_get(t.w, t.e, Position)->x, 7, 0);
}

static void each_nothing(stoa_entity e, void *const *fields, void *user) {
    (void)e, (void)fields;
    ++*(int *)user;
}

/* MET-01 */
static void sealed_world_refuses_queries_that_write(void **state) {
    sealed t = sealed_open(state);
    stoa_iter it = stoa_query_iter(t.writes);
    refused(t, stoa_last_error().status);
    assert_false(stoa_iter_next(&it));
    it = stoa_query_iter_since(t.writes, 0);
    refused(t, stoa_last_error().status);
    assert_false(stoa_iter_next(&it));
    int calls = 0;
    refused(t, stoa_query_each(t.writes, each_nothing, &calls));
    refused_null(t, stoa_query_new(t.w, &(stoa_query_desc){.terms = {STOA_WRITE(Position)}}));
    refused_null(t, stoa_query_new(t.w, &(stoa_query_desc){.terms = {STOA_WRITE(Fire)}}));
    refused_null(t, stoa_query_parse(t.w, "Position"));
    it = stoa_query_once(t.w, &(stoa_query_desc){.terms = {STOA_OPTIONAL_WRITE(Fire)}});
    refused(t, stoa_last_error().status);
    assert_false(stoa_iter_next(&it));
    assert_int_equal(stoa_query_cut(t.writes, NULL, 0), -1);
    refused(t, stoa_last_error().status);
    refused(t, stoa_query_share(t.writes, 1));
    refused(t, stoa_query_each_parallel(t.writes, NULL, each_nothing, &calls));
    assert_int_equal(calls, 0);
    assert_int_equal(stoa_query_count(t.writes), 1);
    sealed_close(&t);
}

/* MET-01 */
static void sealed_world_refuses_whole_query_operations(void **state) {
    sealed t = sealed_open(state);
    refused(t, stoa_query_add(t.reads, Seen));
    refused(t, stoa_query_set(t.reads, Position, {7, 7}));
    refused(t, stoa_query_remove(t.reads, Position));
    refused(t, stoa_query_destroy(t.reads));
    sealed_close(&t);
}

/* MET-01: parts that were cut before the world was sealed are gone. */
static void parts_of_a_query_that_writes_end_with_the_seal(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    stoa_create_with(w, STOA_VALUE(Position, {1, 2}));
    stoa_query *writes = stoa_query_new(w, &(stoa_query_desc){.terms = {STOA_WRITE(Position)}});
    stoa_query *reads = stoa_query_new(w, &(stoa_query_desc){.terms = {STOA_READ(Position)}});
    assert_int_equal(stoa_query_cut(writes, NULL, 0), 1);
    assert_int_equal(stoa_query_cut(reads, NULL, 0), 1);
    assert_int_equal(stoa_world_seal(w, true), STOA_OK);
    stoa_iter it = stoa_query_part(writes, 0);
    support_assert_misuse(s, stoa_last_error().status, STOA_INVALID);
    assert_false(stoa_iter_next(&it));
    it = stoa_query_part(reads, 0);
    assert_true(stoa_iter_next(&it));
    assert_int_equal(it.count, 1);
    stoa_iter_end(&it);
}

/* MET-01 */
static void sealed_world_is_read_as_any(void **state) {
    sealed t = sealed_open(state);
    int32_t rows = 0;
    for (int i = 0; i < 2; i++) {
        for (stoa_iter it = stoa_query_iter(t.reads); stoa_iter_next(&it);) {
            const Position *p = stoa_field(&it, Position, 0);
            assert_float_equal(p[0].y, 2, 0);
            rows += it.count;
        }
    }
    assert_int_equal(rows, 2);
    stoa_query *late =
        stoa_query_new(t.w, &(stoa_query_desc){.terms = {STOA_READ(Fire), STOA_WITHOUT(Late)}});
    assert_non_null(late);
    assert_int_equal(stoa_query_count(late), 1);
    int calls = 0;
    assert_int_equal(stoa_query_each(late, each_nothing, &calls), STOA_OK);
    assert_int_equal(stoa_query_each_parallel(t.reads, NULL, each_nothing, &calls), STOA_OK);
    assert_int_equal(calls, 2);
    assert_int_equal(stoa_query_free(late), STOA_OK);
    assert_true(stoa_alive(t.w, t.e));
    assert_int_equal(stoa_stats(t.w).entities, 1);
    support_assert_quiet(t.s);
    sealed_close(&t);
}

static void hook_seals(stoa_world *w, stoa_entity e, void *value, void *user) {
    (void)e, (void)value;
    *(stoa_status *)user = stoa_world_seal(w, true);
}

/* MET-01 */
static void seal_is_refused_while_something_is_under_way(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    stoa_create_with(w, STOA_ZERO(Position));
    stoa_query *reads = stoa_query_new(w, &(stoa_query_desc){.terms = {STOA_READ(Position)}});
    stoa_query *writes = stoa_query_new(w, &(stoa_query_desc){.terms = {STOA_WRITE(Position)}});
    stoa_iter it = stoa_query_iter(reads);
    support_assert_misuse(s, stoa_world_seal(w, true), STOA_ITERATING);
    stoa_iter_end(&it);
    assert_int_equal(stoa_query_share(writes, 1), STOA_OK);
    support_assert_misuse(s, stoa_world_seal(w, true), STOA_FORKED);
    assert_int_equal(stoa_commands_fork(w, NULL, 0), STOA_OK);
    support_assert_misuse(s, stoa_world_seal(w, true), STOA_FORKED);
    assert_int_equal(stoa_commands_join(w), STOA_OK);
    stoa_query_unshare(writes, false);
    stoa_status status = STOA_OK;
    stoa_on_add(w, Seen, hook_seals, &status);
    stoa_create_with(w, STOA_ZERO(Seen));
    support_assert_misuse(s, status, STOA_LOCKED);
    assert_int_equal(stoa_world_seal(NULL, true), STOA_NULL_ARGUMENT);
    assert_false(stoa_world_sealed(w));
    assert_false(stoa_world_sealed(NULL));
    assert_int_equal(stoa_world_seal(w, true), STOA_OK);
    assert_int_equal(stoa_world_seal(w, true), STOA_OK);
    it = stoa_query_iter(reads);
    support_assert_misuse(s, stoa_world_seal(w, false), STOA_ITERATING);
    stoa_iter_end(&it);
    assert_true(stoa_world_sealed(w));
}

/* GEN-04: a world that is sealed when memory runs out, and freed so. */
static void seal_needs_no_memory(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    stoa_create_with(w, STOA_ZERO(Position));
    size_t before = s->heap.allocations;
    assert_int_equal(stoa_world_seal(w, true), STOA_OK);
    assert_int_equal(stoa_world_seal(w, false), STOA_OK);
    assert_int_equal(stoa_world_seal(w, true), STOA_OK);
    assert_int_equal(s->heap.allocations, before);
}

int main(void) {
    const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, support_setup, support_teardown)
        TEST(sealed_world_refuses_births_and_deaths),
        TEST(sealed_world_refuses_changes_of_an_entity),
        TEST(sealed_world_refuses_mutable_access),
        TEST(sealed_world_refuses_resources_and_events),
        TEST(sealed_world_refuses_to_flush),
        TEST(sealed_world_refuses_queries_that_write),
        TEST(sealed_world_refuses_whole_query_operations),
        TEST(parts_of_a_query_that_writes_end_with_the_seal),
        TEST(sealed_world_is_read_as_any),
        TEST(seal_is_refused_while_something_is_under_way),
        TEST(seal_needs_no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
