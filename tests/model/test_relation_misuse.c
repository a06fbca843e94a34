/* Relations: what is refused, and by which words. */
#include "model/relation_fixture.h"

STOA_COMPONENT(Open, { stoa_entity target; });
STOA_COMPONENT_WITH(Blind, STOA_OPTIONS(.flags = STOA_IMMUTABLE), { int32_t number; });
STOA_COMPONENT_WITH(Pairs, STOA_OPTIONS(.flags = STOA_IMMUTABLE), {
    int32_t number;
    stoa_entity two[2];
    stoa_entity one;
});
STOA_COMPONENT_WITH(Other, STOA_OPTIONS(.flags = STOA_IMMUTABLE), { stoa_entity target; });
STOA_COMPONENT_WITH(NotLinks, STOA_OPTIONS(.flags = STOA_SPARSE | STOA_IMMUTABLE | STOA_MANAGED), {
    const stoa_entity *items;
    int64_t count;
});
STOA_COMPONENT_WITH(Kept, STOA_OPTIONS(.flags = STOA_SPARSE | STOA_IMMUTABLE | STOA_MANAGED),
                    { stoa_entity target; });

/* A relation is refused with a status and a word. */
static void new_fails(stoa_world *w, stoa_relation_desc desc, stoa_status status,
                      const char *message) {
    assert_int_equal(stoa_relation_new(w, &desc).id, 0);
    assert_int_equal(stoa_last_error().status, status);
    support_assert_message(message);
}

/* REL-01 */
static void description_is_checked(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    stoa_type *holds = STOA_TYPE_OF(Holds);
    assert_int_equal(stoa_relation_new(NULL, &(stoa_relation_desc){.name = "x"}).id, 0);
    assert_int_equal(stoa_relation_new(w, NULL).id, 0);
    support_assert_misuse(s, stoa_last_error().status, STOA_NULL_ARGUMENT);
    new_fails(w, (stoa_relation_desc){.component = 0}, STOA_UNKNOWN, "component");
    new_fails(w, (stoa_relation_desc){.type = STOA_TYPE_OF(Open)}, STOA_INVALID,
              "'Open' must be immutable");
    new_fails(w, (stoa_relation_desc){.type = STOA_TYPE_OF(Kept)}, STOA_INVALID, "not managed");
    new_fails(w, (stoa_relation_desc){.type = STOA_TYPE_OF(Blind)}, STOA_INVALID,
              "no member of kind entity");
    new_fails(w, (stoa_relation_desc){.type = STOA_TYPE_OF(Pairs), .field = "three"},
              STOA_NOT_FOUND, "no member 'three'");
    new_fails(w, (stoa_relation_desc){.type = STOA_TYPE_OF(Pairs), .field = "two"}, STOA_INVALID,
              "'two' of component 'Pairs' is no entity");
    new_fails(w, (stoa_relation_desc){.type = STOA_TYPE_OF(Pairs), .field = "number"}, STOA_INVALID,
              "is no entity");
    new_fails(w, (stoa_relation_desc){.type = STOA_TYPE_OF(Inside), .name = ""}, STOA_INVALID,
              "not empty");
    new_fails(w,
              (stoa_relation_desc){.type = STOA_TYPE_OF(Inside), .policy = (stoa_relation_policy)3},
              STOA_INVALID, "3 is no policy");
    new_fails(w, (stoa_relation_desc){.type = STOA_TYPE_OF(Inside), .reverse = STOA_TYPE_OF(Other)},
              STOA_INVALID, "sparse, immutable and managed");
    new_fails(w,
              (stoa_relation_desc){.type = STOA_TYPE_OF(Inside), .reverse = STOA_TYPE_OF(NotLinks)},
              STOA_LAYOUT, "members of stoa_links");
    new_fails(w, (stoa_relation_desc){.type = STOA_TYPE_OF(Inside), .many = true, .reverse = holds},
              STOA_INVALID, "'Inside' must be sparse");
    new_fails(w, (stoa_relation_desc){.type = holds, .many = true, .reverse = holds}, STOA_INVALID,
              "both ends");
    char name[600];
    memset(name, 'x', sizeof name - 1);
    name[sizeof name - 1] = '\0';
    new_fails(w, (stoa_relation_desc){.type = STOA_TYPE_OF(Inside), .name = name}, STOA_LIMIT,
              "too long");
    assert_int_equal(stoa_relation_find(w, "Inside").id, 0);
    inside_new(w, STOA_ORPHAN, true);
    s->asserts_seen = s->asserts;
}

/* REL-01 */
static void names_and_components_are_taken_once(void **state) {
    stoa_world *w = ((support_world *)*state)->world;
    inside_new(w, STOA_ORPHAN, true);
    new_fails(w, (stoa_relation_desc){.type = STOA_TYPE_OF(Inside), .name = "again"}, STOA_TAKEN,
              "'Inside' belongs to the relation Inside");
    new_fails(w, (stoa_relation_desc){.type = STOA_TYPE_OF(Other), .name = "Inside"}, STOA_TAKEN,
              "a relation Inside already");
    new_fails(w, (stoa_relation_desc){.type = STOA_TYPE_OF(Other), .reverse = STOA_TYPE_OF(Holds)},
              STOA_TAKEN, "'Holds' belongs to the relation Inside");
    new_fails(w, (stoa_relation_desc){.type = STOA_TYPE_OF(Holds), .many = true, .name = "h"},
              STOA_TAKEN, "'Holds' belongs");
    stoa_entity e = stoa_create(w);
    assert_int_equal(stoa_set(w, e, LikedBy, {NULL, 0}), STOA_OK);
    new_fails(w,
              (stoa_relation_desc){.type = STOA_TYPE_OF(Other), .reverse = STOA_TYPE_OF(LikedBy)},
              STOA_INVALID, "1 entities have it");
}

/* REL-01 */
static void lists_are_written_by_nobody_else(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    stoa_relation inside = inside_new(w, STOA_ORPHAN, true);
    stoa_relation likes = likes_new(w, STOA_ORPHAN, false);
    stoa_entity box = stoa_create(w), e = inside_make(w, box);
    assert_int_equal(stoa_relation_add(w, likes, e, box), STOA_OK);
    uint64_t hash = stoa_hash(w);
    Holds value = {&e, 1};
    assert_int_equal(stoa_set_from(w, box, Holds, &value), STOA_REFUSED);
    support_assert_message("'Holds' is kept by the relation Inside");
    assert_int_equal(stoa_set(w, e, Likes, {NULL, 0}), STOA_REFUSED);
    support_assert_message("'Likes' is kept by the relation Likes");
    assert_int_equal(stoa_add(w, e, LikedBy), STOA_REFUSED);
    assert_true(stoa_entity_is_null(stoa_create_with(w, STOA_VALUE(Holds, {&e, 1}))));
    assert_int_equal(stoa_create_bulk(w, 3, NULL, STOA_ZERO(Holds)), STOA_REFUSED);
    assert_int_equal(stoa_change(w, e, STOA_VALUE(Mass, {1}), STOA_VALUE(Holds, {.count = 4})),
                     STOA_REFUSED);
    stoa_query *q = stoa_query_parse(w, "const Inside");
    assert_int_equal(stoa_query_set(q, Holds, {NULL, 7}), STOA_REFUSED);
    assert_int_equal(stoa_query_free(q), STOA_OK);
    stoa_commands *c = stoa_deferred(w);
    assert_int_equal(stoa_commands_set(c, e, Holds, {NULL, 7}), STOA_OK);
    assert_int_equal(stoa_flush(w), STOA_OK);
    assert_int_equal(stoa_commands_refused(c), 1);
    assert_true(stoa_hash(w) == hash);
    support_assert_quiet(s);
    assert_null(stoa_get_mut(w, box, Holds));
    support_assert_misuse(s, stoa_last_error().status, STOA_ACCESS);
    assert_links(stoa_relation_sources(w, inside, box), e);
}

static void list_write(stoa_world *w, stoa_entity e, void *value, void *user) {
    (void)value;
    *(stoa_status *)user = stoa_set(w, e, Holds, {NULL, 5});
}

/* REL-01 */
static void lists_are_not_written_by_their_own_hooks(void **state) {
    stoa_world *w = ((support_world *)*state)->world;
    inside_new(w, STOA_ORPHAN, true);
    static stoa_status status;
    status = STOA_OK;
    stoa_on_set(w, Holds, list_write, &status);
    stoa_entity box = stoa_create(w), e = inside_make(w, box);
    assert_int_equal(status, STOA_REFUSED);
    assert_links(shown(w, box, Holds), e);
}

/* REL-01 */
static void dead_ends_are_refused(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    stoa_relation inside = inside_new(w, STOA_ORPHAN, true);
    stoa_relation likes = likes_new(w, STOA_ORPHAN, false);
    stoa_entity dead = stoa_create(w), e = stoa_create(w);
    assert_int_equal(stoa_destroy(w, dead), STOA_OK);
    support_assert_misuse(s, stoa_set(w, e, Inside, {.container = dead}), STOA_DEAD);
    support_assert_message("target of the relation Inside");
    support_assert_misuse(s, stoa_relation_add(w, inside, e, dead), STOA_DEAD);
    support_assert_misuse(s, stoa_relation_add(w, inside, dead, e), STOA_DEAD);
    support_assert_misuse(s, stoa_relation_add(w, likes, e, STOA_NULL), STOA_DEAD);
    support_assert_misuse(s, stoa_relation_add(w, likes, dead, e), STOA_DEAD);
    support_assert_misuse(s, stoa_relation_remove(w, likes, dead, e), STOA_DEAD);
    stoa_entity forged = {UINT32_MAX, 3};
    support_assert_misuse(s, stoa_set(w, e, Inside, {.container = forged}), STOA_DEAD);
    assert_true(stoa_entity_is_null(stoa_create_with(w, STOA_VALUE(Inside, {.container = dead}))));
    support_assert_misuse(s, stoa_last_error().status, STOA_DEAD);
    Inside values[3] = {{.container = e}, {.container = e}, {.container = dead}};
    support_assert_misuse(s, stoa_create_bulk(w, 3, NULL, STOA_COLUMN(Inside, values)), STOA_DEAD);
    assert_int_equal(stoa_relation_remove(w, inside, e, dead), STOA_OK);
    assert_int_equal(stoa_count(w), 1);
    assert_false(stoa_has(w, e, Inside));
    assert_no_links(stoa_relation_sources(w, inside, dead));
    assert_no_links(stoa_relation_targets(w, inside, forged));
    assert_entity(stoa_relation_target(w, likes, dead), STOA_NULL);
    assert_false(stoa_relation_has(w, likes, dead, e));
    assert_false(stoa_relation_reaches(w, likes, dead, e));
    support_assert_quiet(s);
}

/* REL-01 */
static void unknown_relations_are_refused(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    stoa_relation bad = {7}, none = {0};
    stoa_entity e = stoa_create(w);
    assert_int_equal(stoa_relation_add(w, bad, e, e), STOA_NOT_FOUND);
    support_assert_message("no relation with the id 7");
    inside_new(w, STOA_ORPHAN, true);
    assert_int_equal(stoa_relation_add(w, none, e, e), STOA_NOT_FOUND);
    assert_int_equal(stoa_relation_remove(w, bad, e, e), STOA_NOT_FOUND);
    assert_int_equal(stoa_relation_policy_set(w, bad, STOA_ORPHAN), STOA_NOT_FOUND);
    support_assert_misuse(
        s, stoa_relation_policy_set(w, (stoa_relation){1}, (stoa_relation_policy)-1), STOA_INVALID);
    assert_null(stoa_relation_name(w, bad));
    assert_no_links(stoa_relation_sources(w, bad, e));
    assert_no_links(stoa_relation_targets(w, bad, e));
    assert_entity(stoa_relation_target(w, none, e), STOA_NULL);
    assert_false(stoa_relation_has(w, bad, e, e));
    assert_false(stoa_relation_reaches(w, bad, e, e));
    assert_int_equal(stoa_relation_find(w, NULL).id, 0);
    assert_int_equal(stoa_relation_find(NULL, "x").id, 0);
    assert_int_equal(stoa_relation_add(NULL, bad, e, e), STOA_NULL_ARGUMENT);
    assert_null(stoa_relation_name(NULL, bad));
    assert_no_links(stoa_relation_sources(NULL, bad, e));
    assert_int_equal(stoa_commands_relation_add(stoa_deferred(w), bad, e, e), STOA_OK);
    assert_int_equal(stoa_commands_relation_remove(stoa_deferred(w), bad, e, e), STOA_OK);
    assert_int_equal(stoa_flush(w), STOA_OK);
    assert_int_equal(stoa_commands_refused(stoa_deferred(w)), 2);
    assert_int_equal(stoa_commands_relation_add(NULL, bad, e, e), STOA_NULL_ARGUMENT);
}

/* REL-01 QRY-06 */
static void nothing_changes_while_the_world_is_iterated(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    stoa_relation inside = inside_new(w, STOA_ORPHAN, true);
    stoa_relation likes = likes_new(w, STOA_ORPHAN, false);
    stoa_entity box = stoa_create(w), a = inside_make(w, box), b = stoa_create(w);
    assert_int_equal(stoa_relation_add(w, likes, a, box), STOA_OK);
    assert_int_equal(stoa_set(w, a, Other, {box}), STOA_OK);
    stoa_query *q = stoa_query_parse(w, "const Inside");
    stoa_iter it = stoa_query_iter(q);
    assert_true(stoa_iter_next(&it));
    support_assert_misuse(s, stoa_relation_add(w, inside, b, box), STOA_ITERATING);
    support_assert_misuse(s, stoa_relation_add(w, inside, a, b), STOA_ITERATING);
    support_assert_misuse(s, stoa_relation_remove(w, inside, a, box), STOA_ITERATING);
    support_assert_misuse(s, stoa_relation_add(w, likes, b, box), STOA_ITERATING);
    support_assert_misuse(s, stoa_relation_remove(w, likes, a, box), STOA_ITERATING);
    support_assert_misuse(s, stoa_relation_remove(w, likes, a, STOA_NULL), STOA_ITERATING);
    /* A relation of what some have shows lists; one of what nobody has does not. */
    assert_int_equal(stoa_relation_new(w, &(stoa_relation_desc){.type = STOA_TYPE_OF(Other)}).id,
                     0);
    support_assert_misuse(s, stoa_last_error().status, STOA_ITERATING);
    assert_int_not_equal(
        stoa_relation_new(w, &(stoa_relation_desc){.type = STOA_TYPE_OF(Pairs)}).id, 0);
    assert_links(stoa_relation_sources(w, inside, box), a);
    assert_links(stoa_relation_targets(w, likes, a), box);
    stoa_iter_end(&it);
    assert_int_equal(stoa_query_free(q), STOA_OK);
}

#define test(name) cmocka_unit_test_setup_teardown(name, support_setup, support_teardown)

int main(void) {
    const struct CMUnitTest tests[] = {
        test(description_is_checked),
        test(names_and_components_are_taken_once),
        test(lists_are_written_by_nobody_else),
        test(lists_are_not_written_by_their_own_hooks),
        test(dead_ends_are_refused),
        test(unknown_relations_are_refused),
        test(nothing_changes_while_the_world_is_iterated),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
