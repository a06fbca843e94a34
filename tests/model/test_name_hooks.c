/* Names and hooks: what may be done to names inside of hooks, and what stays right when they are
 * taken, given and refused there, one change inside the other. */
#include "name_fixture.h"

STOA_TAG_WITH(Marked, STOA_OPTIONS(.flags = STOA_SPARSE));

/* What the hooks below are told to do, and what they saw. */
static struct {
    stoa_entity other;
    const char *name;   /* what to give */
    stoa_status status; /* what that came to */
    int calls;
    int limit; /* do nothing after so many calls; 0: always */
    char seen[64];
} told;

static int setup(void **state) {
    memset(&told, 0, sizeof told);
    return support_setup(state);
}

/* Names the other entity. */
static void other_name(stoa_world *world, stoa_entity e, void *value, void *user) {
    (void)e, (void)value, (void)user;
    told.calls++;
    if (told.limit == 0 || told.calls <= told.limit) {
        told.status = stoa_name_set(world, told.other, told.name);
    }
}

/* Names the entity itself. */
static void own_name(stoa_world *world, stoa_entity e, void *value, void *user) {
    (void)value, (void)user;
    told.calls++;
    if (told.limit == 0 || told.calls <= told.limit) {
        told.status = stoa_name_set(world, e, told.name);
    }
}

/* NAM-01 HOK-04: a hook may name another entity, and, since names are kept apart, its own. */
static void hooks_give_names(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    told.other = stoa_create(w);
    told.name = "other";
    stoa_hook hook = stoa_on_add(w, Position, other_name, NULL);
    stoa_create_with(w, STOA_ZERO(Position));
    assert_int_equal(told.status, STOA_OK);
    assert_named(w, told.other, "other");
    stoa_hook_remove(w, hook);
    hook = stoa_on_add(w, Position, own_name, NULL);
    told.name = "own";
    stoa_entity e = stoa_create_with(w, STOA_ZERO(Position));
    assert_int_equal(told.status, STOA_OK);
    assert_named(w, e, "own");
    stoa_hook_remove(w, hook);
}

/* NAM-01 HOK-04: one that is about to die gets none. */
static void dying_entity_gets_no_name(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    told.name = "late";
    stoa_on_remove(w, Position, own_name, NULL);
    stoa_entity e = stoa_create_with(w, STOA_ZERO(Position));
    assert_int_equal(stoa_destroy(w, e), STOA_OK);
    support_assert_misuse(s, told.status, STOA_LOCKED);
    assert_none(stoa_find(w, "late"));
    /* Removing one component is not dying. */
    e = stoa_create_with(w, STOA_ZERO(Position));
    assert_int_equal(stoa_remove(w, e, Position), STOA_OK);
    assert_int_equal(told.status, STOA_OK);
    assert_named(w, e, "late");
}

/* NAM-01: a name that a call is about to give cannot be taken by a hook of the same call. */
static void promised_name_is_refused_to_hooks(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    told.other = stoa_create(w);
    told.name = "ship";
    stoa_on_add(w, Position, other_name, NULL);
    stoa_entity e = stoa_create_with(w, STOA_ZERO(Position), STOA_VALUE(Name, {"ship"}));
    assert_int_equal(told.status, STOA_TAKEN);
    assert_named(w, e, "ship");
    assert_named(w, told.other, NULL);
    /* The third of a bulk, while the first is told of. */
    Name names[3] = {{"a"}, {"b"}, {"c"}};
    stoa_entity made[3];
    told.name = "c";
    assert_int_equal(stoa_create_bulk(w, 3, made, STOA_ZERO(Position), STOA_COLUMN(Name, names)),
                     STOA_OK);
    assert_int_equal(told.status, STOA_TAKEN);
    assert_named(w, made[2], "c");
    assert_named(w, told.other, NULL);
    support_assert_quiet(s);
}

/* NAM-01: a hook that gives the entity another name, before or after that of the call: the last one
 * stands. */
static void hook_renames_its_entity(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    told.name = "hooked";
    told.limit = 1;
    stoa_hook hook = stoa_on_add(w, Name, own_name, NULL);
    stoa_entity e = stoa_create_with(w, STOA_VALUE(Name, {"called"}));
    assert_int_equal(told.status, STOA_OK);
    assert_int_equal(stoa_check(w), STOA_OK);
    assert_named(w, e, "hooked");
    assert_none(stoa_find(w, "called"));
    stoa_entity f = stoa_create(w);
    assert_int_equal(stoa_name_set(w, f, "called"), STOA_OK);
    stoa_hook_remove(w, hook);

    told.calls = 0;
    told.name = "again";
    stoa_on_set(w, Name, own_name, NULL);
    stoa_entity g = stoa_require(w, "before");
    assert_int_equal(told.status, STOA_OK);
    assert_named(w, g, "again");
    assert_none(stoa_find(w, "before"));
}

static void own_name_take(stoa_world *world, stoa_entity e, void *value, void *user) {
    (void)value, (void)user;
    told.calls++;
    told.status = stoa_name_set(world, e, NULL);
}

/* NAM-01 */
static void hook_takes_the_name_away_at_once(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    stoa_hook hook = stoa_on_add(w, Name, own_name_take, NULL);
    stoa_entity e = stoa_create_with(w, STOA_VALUE(Name, {"ship"}), STOA_ZERO(Position));
    assert_int_equal(told.status, STOA_OK);
    assert_named(w, e, NULL);
    assert_none(stoa_find(w, "ship"));
    assert_int_equal(stoa_check(w), STOA_OK);
    stoa_hook_remove(w, hook);
    stoa_on_set(w, Name, own_name_take, NULL);
    assert_int_equal(stoa_name_set(w, e, "ship"), STOA_OK);
    assert_named(w, e, NULL);
    stoa_entity f = stoa_require(w, "ship");
    assert_true(stoa_alive(w, f));
    assert_named(w, f, NULL);
}

/* A change that gives an entity the name it has, while a hook of it gives that to another. */
static void name_pass_on(stoa_world *world, stoa_entity e, void *value, void *user) {
    (void)value, (void)user;
    told.calls++;
    assert_int_equal(stoa_name_set(world, e, told.name), STOA_OK);
    told.status = stoa_name_set(world, told.other, "ship");
}

/* NAM-01: what was asked about has changed since: the hook has the last word, and it is told. */
static void name_given_away_meanwhile_is_lost(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    stoa_entity e = stoa_create_with(w, STOA_ZERO(Position), STOA_VALUE(Name, {"ship"}));
    told.other = stoa_create(w);
    stoa_hook hook = stoa_on_remove(w, Position, name_pass_on, NULL);
    told.name = "boat";
    int errors = s->errors;
    assert_int_equal(stoa_change(w, e, STOA_REMOVE(Position), STOA_VALUE(Name, {"ship"})), STOA_OK);
    assert_int_equal(told.status, STOA_OK);
    assert_named(w, told.other, "ship");
    assert_named(w, e, "boat");
    assert_int_equal(s->errors, errors + 1);
    assert_int_equal(stoa_last_error().status, STOA_TAKEN);
    assert_int_equal(stoa_check(w), STOA_OK);

    /* The same when it has no other name. */
    stoa_add(w, e, Position);
    stoa_name_set(w, told.other, NULL);
    stoa_name_set(w, e, "ship");
    told.name = NULL;
    assert_int_equal(stoa_change(w, e, STOA_REMOVE(Position), STOA_VALUE(Name, {"ship"})), STOA_OK);
    assert_named(w, told.other, "ship");
    assert_named(w, e, NULL);
    assert_int_equal(stoa_check(w), STOA_OK);
    stoa_hook_remove(w, hook);
}

/* NAM-01: the name was lost meanwhile, and is free: it is given anew. */
static void name_given_anew_meanwhile_stays(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    stoa_entity e = stoa_create_with(w, STOA_ZERO(Position), STOA_VALUE(Name, {"ship"}));
    stoa_on_remove(w, Position, own_name, NULL);
    told.name = "boat";
    char text[] = "ship";
    assert_int_equal(stoa_change(w, e, STOA_REMOVE(Position), STOA_VALUE(Name, {text})), STOA_OK);
    text[0] = 'x';
    assert_named(w, e, "ship");
    assert_none(stoa_find(w, "boat"));
}

/* Sees its text to the end, though names come and go meanwhile. */
static void name_last_look(stoa_world *world, stoa_entity e, void *value, void *user) {
    (void)user;
    const char *text = ((const Name *)value)->text;
    char own[32];
    snprintf(own, sizeof own, "%s", text);
    for (int i = 0; i < 5; i++) {
        char fresh[24];
        snprintf(fresh, sizeof fresh, "fresh %d", i);
        assert_int_equal(stoa_name_set(world, told.other, fresh), STOA_OK);
        assert_int_equal(stoa_name_set(world, told.other, own), STOA_OK);
        stoa_destroy(world, stoa_require(world, "passing"));
    }
    assert_string_equal(text, own);
    assert_string_equal(stoa_name(world, e), own);
    assert_ptr_equal(stoa_name(world, e), text);
    snprintf(told.seen, sizeof told.seen, "%s", text);
    told.calls++;
    stoa_name_set(world, told.other, NULL);
}

/* Only for one entity, so that what it does is not told to itself. */
static void name_last_look_at(stoa_world *world, stoa_entity e, void *value, void *user) {
    if (stoa_entity_eq(e, *(stoa_entity *)user)) {
        name_last_look(world, e, value, NULL);
    }
}

/* NAM-01 HOK-01: the text is there until the last hook of its removal is done. */
static void text_outlives_its_removal(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    told.other = stoa_create(w);
    stoa_entity e = stoa_require(w, "first");
    stoa_hook_type(w, STOA_ON_REMOVE, STOA_TYPE_OF(Name), name_last_look_at, &e);
    assert_int_equal(stoa_remove(w, e, Name), STOA_OK);
    assert_string_equal(told.seen, "first");
    stoa_name_set(w, e, "second");
    assert_int_equal(stoa_clear(w, e), STOA_OK);
    assert_string_equal(told.seen, "second");
    stoa_name_set(w, e, "third");
    assert_int_equal(stoa_destroy(w, e), STOA_OK);
    assert_string_equal(told.seen, "third");
    assert_int_equal(told.calls, 3);
}

/* All entities but the told one lose their lives while one of a bulk is told of. */
static void others_die(stoa_world *world, stoa_entity e, void *value, void *user) {
    (void)value, (void)user;
    if (told.calls++ > 0) {
        return;
    }
    for (stoa_entity f = stoa_entity_next(world, STOA_NULL); !stoa_entity_is_null(f);
         f = stoa_entity_next(world, f)) {
        if (!stoa_entity_eq(e, f)) {
            assert_int_equal(stoa_destroy(world, f), STOA_OK);
        }
    }
    /* Their names are not to be had before the call is over, but others are. */
    told.status = stoa_name_set(world, e, "e");
}

/* NAM-01 ENT-09: entities that die before their names were taken note of. */
static void unborn_names_die_with_their_entities(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    Name names[4] = {{"a"}, {"b"}, {"c"}, {"d"}};
    stoa_entity made[4];
    stoa_on_add(w, Position, others_die, NULL);
    assert_int_equal(stoa_create_bulk(w, 4, made, STOA_ZERO(Position), STOA_COLUMN(Name, names)),
                     STOA_OK);
    assert_int_equal(stoa_count(w), 1);
    assert_int_equal(told.status, STOA_OK);
    assert_int_equal(stoa_check(w), STOA_OK);
    for (int i = 0; i < 4; i++) {
        stoa_entity found = stoa_find(w, names[i].text);
        assert_true(stoa_entity_is_null(found) || stoa_alive(w, found));
    }
    stoa_entity f = stoa_create(w);
    assert_int_equal(stoa_name_set(w, f, "b"), STOA_OK);
    assert_int_equal(stoa_name_set(w, f, "d"), STOA_OK);
}

/* A veto of another component, asked after that of names, that refuses what they have agreed to. */
static stoa_status refuse(stoa_world *world, stoa_entity e, const void *values, int32_t count,
                          void *user) {
    (void)e, (void)values, (void)count;
    told.calls++;
    /* A veto changes nothing; to try must do no harm. */
    assert_int_equal(stoa_name_set(world, told.other, NULL), STOA_OK);
    told.status = stoa_name_set(world, told.other, "in veto");
    if (user != NULL) {
        support_heap *heap = user;
        heap->fail_at = 1;
        heap->fail_forever = true;
        return STOA_OK;
    }
    return stoa_fail(STOA_REFUSED, "no marked ones");
}

static stoa_hook refuse_marked(stoa_world *w, support_heap *heap) {
    /* Sparse components are asked about in order of their ids. */
    assert_true(stoa_id(w, Name) < stoa_id(w, Marked));
    return stoa_veto_new(
        w, &(stoa_veto_desc){
               .kind = STOA_VETO_SET, .type = STOA_TYPE_OF(Marked), .call = refuse, .user = heap});
}

/* NAM-01 GEN-03: a call that fails after its names were agreed to leaves no trace of them. */
static void names_of_a_refused_call_are_free(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    told.other = stoa_create(w);
    refuse_marked(w, NULL);
    size_t bytes = 0;
    for (int i = 0; i < 10; i++) {
        char text[24];
        snprintf(text, sizeof text, "ship %d", i);
        assert_none(stoa_create_with(w, STOA_VALUE(Name, {text}), STOA_ZERO(Marked)));
        assert_int_equal(stoa_last_error().status, STOA_REFUSED);
        support_assert_misuse(s, told.status, STOA_LOCKED);
        assert_none(stoa_find(w, text));
        assert_int_equal(stoa_check(w), STOA_OK);
        assert_true(i == 0 || s->heap.bytes == bytes);
        bytes = s->heap.bytes;
    }
    assert_int_equal(told.calls, 10);
    stoa_entity e = stoa_require(w, "ship 9");
    assert_int_equal(stoa_change(w, e, STOA_VALUE(Name, {"boat"}), STOA_ZERO(Marked)),
                     STOA_REFUSED);
    support_assert_misuse(s, told.status, STOA_LOCKED);
    assert_named(w, e, "ship 9");
    assert_none(stoa_find(w, "boat"));
    assert_int_equal(stoa_name_set(w, told.other, "boat"), STOA_OK);
}

/* NAM-01 GEN-03: what was agreed to needs no memory any more, whatever is tried meanwhile. */
static void promised_name_needs_no_memory(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    stoa_entity e = stoa_require(w, "ship");
    stoa_add(w, e, Marked);
    told.other = stoa_create(w);
    refuse_marked(w, &s->heap);
    assert_int_equal(stoa_change(w, e, STOA_VALUE(Name, {"boat"}), STOA_ZERO(Marked)), STOA_OK);
    s->heap.fail_at = 0;
    s->heap.fail_forever = false;
    support_assert_misuse(s, told.status, STOA_LOCKED);
    assert_named(w, e, "boat");
    assert_none(stoa_find(w, "ship"));
}

/* NAM-01: a call that was refused has no claim on names while another is told of. */
static void refused_call_claims_no_names(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    stoa_require(w, "taken");
    told.other = stoa_create(w);
    told.name = "a";
    stoa_on_add(w, Position, other_name, NULL);
    Name names[] = {{"a"}, {"b"}, {"taken"}};
    assert_int_equal(stoa_create_bulk(w, 3, NULL, STOA_COLUMN(Name, names)), STOA_TAKEN);
    stoa_create_with(w, STOA_ZERO(Position));
    assert_int_equal(told.status, STOA_OK);
    assert_named(w, told.other, "a");
}

/* Names inside of hooks inside of hooks: each level names a new entity. */
static void deeper(stoa_world *world, stoa_entity e, void *value, void *user) {
    (void)e, (void)value, (void)user;
    char text[24];
    snprintf(text, sizeof text, "level %d", ++told.calls);
    stoa_entity f = stoa_require(world, text);
    if (stoa_entity_is_null(f)) {
        told.status = stoa_last_error().status;
    }
}

/* NAM-01 HOK-04: down to the limit of hooks, and all names are right. */
static void names_nest_to_the_limit_of_hooks(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    stoa_on_set(w, Name, deeper, NULL);
    stoa_require(w, "top");
    assert_int_equal(told.status, STOA_LIMIT);
    assert_int_equal(told.calls, STOA_HOOK_DEPTH);
    assert_int_equal(stoa_count(w), STOA_HOOK_DEPTH);
    for (int i = 1; i < STOA_HOOK_DEPTH; i++) {
        char text[24];
        snprintf(text, sizeof text, "level %d", i);
        assert_named(w, stoa_find(w, text), text);
    }
    assert_int_equal(stoa_hook_depth(w), 0);
}

static void name_from_hook(stoa_world *world, stoa_entity e, void *value, void *user) {
    (void)value, (void)user;
    told.status = stoa_name_set(world, e, "a");
    told.calls++;
}

/* NAM-01 GEN-03: a call that fails keeps no name from the hooks of the next one. */
static void name_of_a_failed_call_is_free_in_hooks(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    stoa_on_add(w, Position, name_from_hook, NULL);
    stoa_entity e = stoa_create(w), dead = stoa_create(w);
    stoa_destroy(w, dead);
    assert_true(stoa_entity_is_null(
        stoa_create_with(w, STOA_VALUE(Name, {"a"}), STOA_VALUE(Parent, {dead}))));
    assert_int_equal(stoa_add(w, e, Position), STOA_OK);
    assert_int_equal(told.status, STOA_OK);
    assert_named(w, e, "a");
    stoa_name_set(w, e, NULL);
    stoa_remove(w, e, Position);
    Name names[2] = {{"b"}, {"a"}};
    Parent parents[2] = {{e}, {dead}};
    assert_int_not_equal(
        stoa_create_bulk(w, 2, NULL, STOA_COLUMN(Name, names), STOA_COLUMN(Parent, parents)),
        STOA_OK);
    assert_int_equal(stoa_add(w, e, Position), STOA_OK);
    assert_named(w, e, "a");
}

static void depth_note(stoa_world *world, stoa_entity e, void *value, void *user) {
    (void)e, (void)value;
    *(int32_t *)user = stoa_hook_depth(world);
}

/* HOK-04 */
static void depth_counts_changes_that_are_told(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    int32_t outer = 0;
    stoa_on_add(w, Position, depth_note, &outer);
    assert_int_equal(stoa_hook_depth(w), 0);
    assert_int_equal(stoa_hook_depth(NULL), 0);
    stoa_create_with(w, STOA_ZERO(Position));
    assert_int_equal(outer, 1);
    assert_int_equal(stoa_hook_depth(w), 0);
}

/* While the world is freed hooks may still look. */
static void look_at_the_end(stoa_world *world, stoa_entity e, void *value, void *user) {
    (void)e, (void)user;
    assert_true(stoa_world_ending(world));
    assert_int_equal(strlen(((const Name *)value)->text), 1);
    stoa_entity found = stoa_find(world, "a");
    assert_true(stoa_entity_is_null(found) || stoa_alive(world, found));
    assert_int_equal(stoa_name_set(world, e, "b"), STOA_FREED);
    told.calls++;
}

/* NAM-01 HOK-02 */
static void world_is_freed_with_names(void **state) {
    (void)state;
    support_world s;
    memset(&told, 0, sizeof told);
    support_world_open(&s);
    stoa_require(s.world, "a");
    stoa_require(s.world, "z");
    stoa_on_remove(s.world, Name, look_at_the_end, NULL);
    support_world_close(&s);
    assert_int_equal(told.calls, 2);
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, support_teardown)
    const struct CMUnitTest tests[] = {
        TEST(hooks_give_names),
        TEST(name_of_a_failed_call_is_free_in_hooks),
        TEST(dying_entity_gets_no_name),
        TEST(promised_name_is_refused_to_hooks),
        TEST(hook_renames_its_entity),
        TEST(hook_takes_the_name_away_at_once),
        TEST(name_given_away_meanwhile_is_lost),
        TEST(name_given_anew_meanwhile_stays),
        TEST(text_outlives_its_removal),
        TEST(unborn_names_die_with_their_entities),
        TEST(names_of_a_refused_call_are_free),
        TEST(promised_name_needs_no_memory),
        TEST(refused_call_claims_no_names),
        TEST(names_nest_to_the_limit_of_hooks),
        TEST(depth_counts_changes_that_are_told),
        cmocka_unit_test(world_is_freed_with_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
