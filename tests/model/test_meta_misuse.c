/* Meta worlds: misuse, lack of memory, and worlds, apps and hooks that do their worst. */
#include "model/meta_fixture.h"

#include <stdlib.h>

/* MET-01, GEN-05 */
static void null_arguments_and_other_worlds_are_refused(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    assert_null(stoa_meta_new(NULL, NULL));
    assert_int_equal(stoa_last_error().status, STOA_NULL_ARGUMENT);
    assert_int_equal(stoa_meta_refresh(NULL), STOA_NULL_ARGUMENT);
    assert_int_equal(stoa_meta_watch(NULL, NULL), STOA_NULL_ARGUMENT);
    assert_true(stoa_entity_is_null(stoa_meta_find(NULL, STOA_META_COMPONENT, "x")));
    assert_int_equal(stoa_last_error().status, STOA_NULL_ARGUMENT);
    assert_true(stoa_entity_is_null(stoa_meta_at(NULL, STOA_META_COMPONENT, 1)));
    assert_null(stoa_meta_of(NULL));
    assert_null(stoa_meta_app(NULL));
    support_assert_misuse(s, stoa_meta_refresh(w), STOA_INVALID);
    support_assert_misuse(s, stoa_meta_watch(w, NULL), STOA_INVALID);
    assert_true(stoa_entity_is_null(stoa_meta_find(w, STOA_META_COMPONENT, "x")));
    support_assert_misuse(s, stoa_last_error().status, STOA_INVALID);
    assert_true(stoa_entity_is_null(stoa_meta_at(w, STOA_META_COMPONENT, 1)));
    support_assert_misuse(s, stoa_last_error().status, STOA_INVALID);
    assert_null(stoa_meta_of(w));
    stoa_world *meta = stoa_meta_new(w, NULL);
    assert_true(stoa_entity_is_null(stoa_meta_find(meta, STOA_META_COMPONENT, NULL)));
    support_assert_misuse(s, stoa_last_error().status, STOA_NULL_ARGUMENT);
    assert_true(stoa_entity_is_null(stoa_meta_find(meta, STOA_META_KINDS, "x")));
    support_assert_misuse(s, stoa_last_error().status, STOA_INVALID);
    assert_true(stoa_entity_is_null(stoa_meta_at(meta, (stoa_meta_kind)-1, 1)));
    support_assert_misuse(s, stoa_last_error().status, STOA_INVALID);
    meta_close(meta);
}

/* MET-01 */
static void ids_that_nothing_has_find_nothing(void **state) {
    support_world *s = *state;
    stoa_create_with(s->world, STOA_ZERO(Position));
    stoa_world *meta = stoa_meta_new(s->world, NULL);
    stoa_error_clear();
    assert_true(stoa_entity_is_null(stoa_meta_at(meta, STOA_META_COMPONENT, 0)));
    assert_true(stoa_entity_is_null(stoa_meta_at(meta, STOA_META_COMPONENT, UINT64_MAX)));
    assert_true(stoa_entity_is_null(stoa_meta_at(meta, STOA_META_QUERY, 1)));
    assert_true(stoa_entity_is_null(stoa_meta_at(meta, STOA_META_MEMBER, 1)));
    assert_true(stoa_entity_is_null(stoa_meta_at(meta, STOA_META_HAS, 1)));
    assert_true(stoa_entity_is_null(stoa_meta_find(meta, STOA_META_HAS, "Position")));
    assert_true(stoa_entity_is_null(stoa_meta_find(meta, STOA_META_SYSTEM, "Position")));
    assert_false(stoa_entity_is_null(stoa_meta_find(meta, STOA_META_COMPONENT, "Position")));
    assert_int_equal(stoa_last_error().status, STOA_OK);
    meta_close(meta);
}

/* MET-01 */
static void refresh_is_refused_while_the_meta_world_is_iterated(void **state) {
    support_world *s = *state;
    stoa_id(s->world, Position);
    stoa_world *meta = stoa_meta_new(s->world, NULL);
    stoa_query *query = stoa_query_parse(meta, "const meta.Component");
    stoa_id(s->world, Rules);
    stoa_iter it = stoa_query_iter(query);
    assert_true(stoa_iter_next(&it));
    support_assert_misuse(s, stoa_meta_refresh(meta), STOA_ITERATING);
    assert_true(stoa_world_sealed(meta));
    stoa_iter_end(&it);
    assert_int_equal(stoa_meta_refresh(meta), STOA_OK);
    assert_int_equal(stoa_query_count(query), 2);
    /* The observed world may be iterated meanwhile. */
    stoa_query *observed =
        stoa_query_new(s->world, &(stoa_query_desc){.terms = {STOA_READ(Position)}});
    it = stoa_query_iter(observed);
    assert_int_equal(stoa_meta_refresh(meta), STOA_OK);
    stoa_iter_end(&it);
    meta_close(meta);
}

/* STO-07: what a meta world holds is counted, to the byte. */
static void bytes_of_both_worlds_are_all_there_are(void **state) {
    support_world *s = *state;
    stoa_create_with(s->world, STOA_ZERO(Position), STOA_ZERO(Seen));
    stoa_world *meta = stoa_meta_new(s->world, NULL);
    stoa_id(s->world, Rules);
    assert_int_equal(stoa_meta_refresh(meta), STOA_OK);
    assert_int_equal(stoa_stats(s->world).bytes_reserved + stoa_stats(meta).bytes_reserved,
                     s->heap.bytes);
    meta_close(meta);
}

/* GEN-04, MET-01 */
static void meta_world_that_cannot_be_made_leaves_nothing(void **state) {
    support_world *s = *state;
    stoa_app *app = app_open(s);
    system_add(app, "one");
    stoa_create_with(s->world, STOA_ZERO(Position), STOA_ZERO(Seen));
    size_t refused = 0;
    bool failed = true;
    for (size_t k = 1; failed; k++) {
        uint64_t hash = stoa_hash(s->world);
        stoa_error_clear();
        s->heap.fail_at = k;
        stoa_world *meta = stoa_meta_new(s->world, app);
        failed = s->heap.fail_at == 0;
        s->heap.fail_at = 0;
        if (meta == NULL) {
            assert_true(failed);
            assert_int_equal(stoa_last_error().status, STOA_NO_MEMORY);
            refused++;
        } else {
            /* What only makes look-ups quicker may be missing. */
            meta_close(meta);
        }
        assert_int_equal(stoa_hash(s->world), hash);
        assert_int_equal(stoa_check(s->world), STOA_OK);
        assert_int_equal(stoa_stats(s->world).queries, 1);
    }
    assert_true(refused > 50);
    assert_int_equal(stoa_app_free(app), STOA_OK);
}

/* Changes an observed world in every way that a refresh shows. */
static void world_shake(stoa_world *w, stoa_app *app) {
    stoa_create_bulk(w, 700, NULL, STOA_ZERO(Position), STOA_ZERO(Seen));
    stoa_query_free(stoa_query_next(w, stoa_query_next(w, NULL)));
    for (int i = 0; i < 40; i++) {
        char name[32];
        snprintf(name, sizeof name, "made%d", i);
        stoa_component id = stoa_component_register(
            w, &(stoa_component_desc){.name = name, .fields = "{ int32_t a, b; }"});
        stoa_entity e = stoa_create(w);
        assert_int_equal(stoa_add_id(w, e, id), STOA_OK);
        stoa_query_new(
            w, &(stoa_query_desc){.terms = {{.id = id, .access = STOA_ACCESS_READ}}, .name = name});
    }
    stoa_resource_set(w, Rules, {2});
    system_add(app, "two");
    stoa_system_remove(app, stoa_system_find(app, "one"));
}

/* GEN-04, MET-01 */
static void refresh_without_memory_changes_nothing(void **state) {
    support_world *s = *state;
    stoa_app *app = app_open(s);
    stoa_query_new(s->world, &(stoa_query_desc){.terms = {STOA_READ(Position)}, .name = "old"});
    stoa_query_new(s->world, &(stoa_query_desc){.terms = {STOA_READ(Position)}, .name = "gone"});
    system_add(app, "one");
    stoa_world *meta = stoa_meta_new(s->world, app);
    stoa_query *query = stoa_query_parse(meta, "const meta.Name, changed meta.Name");
    for (stoa_iter it = stoa_query_iter(query); stoa_iter_next(&it);) {
    }
    world_shake(s->world, app);
    stoa_status status = STOA_NO_MEMORY;
    for (size_t k = 1; status != STOA_OK; k++) {
        uint64_t hash = stoa_hash(meta);
        s->heap.fail_at = k;
        status = stoa_meta_refresh(meta);
        bool failed = s->heap.fail_at == 0;
        s->heap.fail_at = 0;
        assert_int_equal(status, failed ? STOA_NO_MEMORY : STOA_OK);
        assert_int_equal(stoa_check(meta), STOA_OK);
        assert_true(stoa_world_sealed(meta));
        if (failed) {
            assert_int_equal(stoa_hash(meta), hash);
            assert_int_equal(stoa_query_count(query), 0);
            assert_false(stoa_entity_is_null(stoa_meta_find(meta, STOA_META_QUERY, "gone")));
            assert_true(stoa_entity_is_null(stoa_meta_find(meta, STOA_META_SYSTEM, "two")));
        }
    }
    assert_true(stoa_entity_is_null(stoa_meta_find(meta, STOA_META_QUERY, "gone")));
    assert_false(stoa_entity_is_null(stoa_meta_find(meta, STOA_META_QUERY, "made39")));
    assert_false(stoa_entity_is_null(stoa_meta_find(meta, STOA_META_SYSTEM, "two")));
    assert_true(stoa_query_count(query) > 0);
    meta_close(meta);
    assert_int_equal(stoa_app_free(app), STOA_OK);
}

/* A refresh that finds nothing new needs memory for its list alone, and gives that back. */
static void refresh_of_the_same_holds_no_more(void **state) {
    support_world *s = *state;
    stoa_create_with(s->world, STOA_ZERO(Position));
    stoa_world *meta = stoa_meta_new(s->world, NULL);
    assert_int_equal(stoa_meta_refresh(meta), STOA_OK);
    size_t bytes = s->heap.bytes;
    for (int i = 0; i < 5; i++) {
        assert_int_equal(stoa_meta_refresh(meta), STOA_OK);
        assert_int_equal(s->heap.bytes, bytes);
    }
    meta_close(meta);
}

/* What a hook of a meta world is told of, and what it does about it. */
typedef struct meddler {
    stoa_entity victim;   /* to be destroyed */
    stoa_entity nameless; /* to lose its name */
    stoa_entity renamed;  /* to be given another */
    int calls;
    stoa_world *observed; /* to be freed when called, or NULL */
    stoa_status refreshed;
} meddler;

static void meddle(stoa_world *meta, stoa_entity e, void *value, void *user) {
    meddler *m = user;
    (void)e, (void)value;
    m->calls++;
    m->refreshed = stoa_meta_refresh(meta);
    support_assert_message(m->refreshed == STOA_FREED ? "was freed" : "cannot refresh it");
    if (stoa_alive(meta, m->victim)) {
        stoa_destroy(meta, m->victim);
    }
    if (stoa_alive(meta, m->nameless)) {
        stoa_remove(meta, m->nameless, stoa_meta_name);
    }
    if (stoa_alive(meta, m->renamed)) {
        stoa_set(meta, m->renamed, stoa_meta_name, {"mine"});
    }
    if (m->observed != NULL) {
        stoa_world_free(m->observed);
        m->observed = NULL;
    }
}

/* MET-01: hooks hear of every change; what one breaks the next refresh repairs. */
static void hook_that_meddles_harms_no_more_than_its_world(void **state) {
    (void)state;
    support_world other;
    support_world_open(&other);
    stoa_create_with(other.world, STOA_ZERO(Position));
    stoa_world *meta = stoa_meta_new(other.world, NULL);
    meddler m = {.victim = stoa_meta_find(meta, STOA_META_COMPONENT, "Position")};
    stoa_on_set(meta, stoa_meta_component, meddle, &m);
    assert_int_equal(stoa_meta_refresh(meta), STOA_OK);
    assert_int_equal(m.calls, 0);
    stoa_id(other.world, Rules);
    assert_int_equal(stoa_meta_refresh(meta), STOA_OK);
    assert_int_equal(m.calls, 1);
    assert_int_equal(m.refreshed, STOA_LOCKED);
    assert_false(stoa_alive(meta, m.victim));
    assert_true(stoa_entity_is_null(stoa_meta_find(meta, STOA_META_COMPONENT, "Position")));
    assert_int_equal(stoa_check(meta), STOA_OK);
    assert_int_equal(stoa_meta_refresh(meta), STOA_OK);
    stoa_entity e = stoa_meta_find(meta, STOA_META_COMPONENT, "Position");
    assert_int_equal(stoa_get(meta, e, stoa_meta_component)->entity_count, 1);
    /* The one that comes after is destroyed before its turn. */
    m.victim = stoa_meta_find(meta, STOA_META_COMPONENT, "Rules");
    stoa_create_with(other.world, STOA_ZERO(Position), STOA_ZERO(Rules));
    assert_int_equal(stoa_meta_refresh(meta), STOA_OK);
    assert_false(stoa_entity_is_null(stoa_meta_find(meta, STOA_META_COMPONENT, "Rules")));
    m.nameless = stoa_meta_find(meta, STOA_META_ARCHETYPE, "Position");
    m.renamed = stoa_meta_find(meta, STOA_META_MEMBER, "Position.x");
    stoa_create_with(other.world, STOA_ZERO(Position));
    assert_int_equal(stoa_meta_refresh(meta), STOA_OK);
    assert_string_equal(stoa_get(meta, m.nameless, stoa_meta_name)->text, "Position");
    assert_string_equal(stoa_get(meta, m.renamed, stoa_meta_name)->text, "Position.x");
    /* The observed world goes while it is being shown. */
    m.observed = other.world;
    stoa_create_with(other.world, STOA_ZERO(Position));
    assert_int_equal(stoa_meta_refresh(meta), STOA_OK);
    assert_null(stoa_meta_of(meta));
    assert_int_equal(stoa_meta_refresh(meta), STOA_FREED);
    meta_close(meta);
    assert_int_equal(other.heap.bytes, 0);
}

static stoa_status refuse(stoa_world *meta, stoa_entity e, const void *values, int32_t count,
                          void *user) {
    (void)meta, (void)e, (void)values, (void)count;
    return *(bool *)user ? stoa_fail(STOA_REFUSED, "no") : STOA_OK;
}

/* MET-01, GEN-03: a veto stops a refresh; what is shown then has its text. */
static void veto_stops_a_refresh_that_can_be_repeated(void **state) {
    support_world *s = *state;
    stoa_query_desc desc = {.terms = {STOA_READ(Position)}, .name = "one"};
    stoa_query *query = stoa_query_new(s->world, &desc);
    stoa_world *meta = stoa_meta_new(s->world, NULL);
    stoa_entity e = stoa_meta_find(meta, STOA_META_QUERY, "one");
    bool on = true;
    for (int kind = 0; kind < 2; kind++) {
        stoa_veto_new(meta, &(stoa_veto_desc){.kind = (stoa_veto_kind)kind,
                                              .type = STOA_TYPE_OF(stoa_meta_name),
                                              .call = refuse,
                                              .user = &on});
    }
    stoa_query_free(query);
    assert_int_equal(stoa_meta_refresh(meta), STOA_REFUSED);
    assert_string_equal(stoa_get(meta, e, stoa_meta_name)->text, "one");
    desc.name = "two";
    stoa_query_new(s->world, &desc);
    assert_int_equal(stoa_meta_refresh(meta), STOA_REFUSED);
    assert_int_equal(stoa_check(meta), STOA_OK);
    assert_true(stoa_world_sealed(meta));
    on = false;
    assert_int_equal(stoa_meta_refresh(meta), STOA_OK);
    assert_false(stoa_alive(meta, e));
    on = true;
    desc.name = "three";
    stoa_query_new(s->world, &desc);
    assert_int_equal(stoa_meta_refresh(meta), STOA_REFUSED);
    assert_true(stoa_entity_is_null(stoa_meta_find(meta, STOA_META_QUERY, "three")));
    on = false;
    assert_int_equal(stoa_meta_refresh(meta), STOA_OK);
    assert_false(stoa_entity_is_null(stoa_meta_find(meta, STOA_META_QUERY, "three")));
    meta_close(meta);
}

/* MET-01: many things, and a name of a megabyte. */
static void large_worlds_are_shown(void **state) {
    support_world *s = *state;
    size_t size = 1 << 20;
    char *name = malloc(size + 1);
    memset(name, 'n', size);
    name[size] = '\0';
    stoa_component id = stoa_component_register(s->world, &(stoa_component_desc){.name = name});
    stoa_entity e = stoa_create(s->world);
    assert_int_equal(stoa_add_id(s->world, e, id), STOA_OK);
    for (int i = 0; i < 3000; i++) {
        char text[32];
        snprintf(text, sizeof text, "c%d", i);
        id = stoa_component_register(s->world, &(stoa_component_desc){.name = text});
        assert_int_equal(stoa_add_id(s->world, stoa_create(s->world), id), STOA_OK);
    }
    stoa_world *meta = stoa_meta_new(s->world, NULL);
    assert_false(stoa_entity_is_null(stoa_meta_find(meta, STOA_META_COMPONENT, name)));
    assert_false(stoa_entity_is_null(stoa_meta_find(meta, STOA_META_ARCHETYPE, name)));
    assert_false(stoa_entity_is_null(stoa_meta_find(meta, STOA_META_ARCHETYPE, "c2999")));
    assert_int_equal(stoa_count(meta), 3001 + 3002 + 3001);
    meta_close(meta);
    free(name);
}

int main(void) {
    const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, support_setup, support_teardown)
        TEST(null_arguments_and_other_worlds_are_refused),
        TEST(ids_that_nothing_has_find_nothing),
        TEST(refresh_is_refused_while_the_meta_world_is_iterated),
        TEST(bytes_of_both_worlds_are_all_there_are),
        TEST(meta_world_that_cannot_be_made_leaves_nothing),
        TEST(refresh_without_memory_changes_nothing),
        TEST(refresh_of_the_same_holds_no_more),
        TEST(hook_that_meddles_harms_no_more_than_its_world),
        TEST(veto_stops_a_refresh_that_can_be_repeated),
        TEST(large_worlds_are_shown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
