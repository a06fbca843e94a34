/* Names of entities: giving, changing, taking away, finding, and what becomes of them. */
#include "name_fixture.h"

/* NAM-01 */
static void named_entity_is_found(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    stoa_entity ship = stoa_create(w), port = stoa_create(w);
    assert_int_equal(stoa_name_set(w, ship, "ship"), STOA_OK);
    assert_int_equal(stoa_name_set(w, port, "port"), STOA_OK);
    assert_entity(stoa_find(w, "ship"), ship);
    assert_entity(stoa_find(w, "port"), port);
    assert_string_equal(stoa_name(w, ship), "ship");
    assert_string_equal(stoa_get(w, port, Name)->text, "port");
    assert_none(stoa_find(w, "shi"));
    assert_none(stoa_find(w, "ships"));
    assert_none(stoa_find(w, ""));
}

/* NAM-01: looking for a name makes nothing, and is no error. */
static void world_without_names_finds_none(void **state) {
    support_world *s = *state;
    stoa_error_clear();
    assert_none(stoa_find(s->world, "ship"));
    assert_null(stoa_name(s->world, stoa_create(s->world)));
    assert_null(stoa_name(s->world, STOA_NULL));
    assert_int_equal(stoa_component_find(s->world, "Name"), 0);
    assert_int_equal(stoa_last_error().status, STOA_OK);
}

/* NAM-01: the world keeps a text of its own. */
static void text_is_copied(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    char text[] = "ship";
    stoa_entity e = stoa_create(w);
    assert_int_equal(stoa_name_set(w, e, text), STOA_OK);
    assert_ptr_not_equal(stoa_name(w, e), text);
    memcpy(text, "shop", 4);
    assert_string_equal(stoa_name(w, e), "ship");
    assert_entity(stoa_find(w, "ship"), e);
    assert_none(stoa_find(w, "shop"));
}

/* NAM-01 */
static void renaming_frees_the_name_before(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    stoa_entity e = stoa_create(w), f = stoa_create(w);
    stoa_name_set(w, e, "ship");
    assert_int_equal(stoa_name_set(w, e, "boat"), STOA_OK);
    assert_none(stoa_find(w, "ship"));
    assert_entity(stoa_find(w, "boat"), e);
    assert_int_equal(stoa_name_set(w, f, "ship"), STOA_OK);
    assert_entity(stoa_find(w, "ship"), f);
    assert_string_equal(stoa_name(w, e), "boat");
}

/* NAM-01: nothing is left of the name before, nor of one that is taken away. */
static void renaming_holds_no_memory(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    stoa_entity e = stoa_require(w, "ship"), f = stoa_require(w, "boat");
    size_t bytes = s->heap.bytes;
    stoa_name_set(w, e, "raft");
    assert_int_equal(s->heap.bytes, bytes);
    stoa_set(w, e, Name, {"ship"});
    stoa_settle(w);
    assert_int_equal(s->heap.bytes, bytes);
    stoa_name_set(w, f, NULL);
    assert_true(s->heap.bytes < bytes);
}

/* NAM-01 */
static void null_takes_the_name_away(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    stoa_entity e = stoa_create(w);
    assert_int_equal(stoa_name_set(w, e, NULL), STOA_OK);
    stoa_name_set(w, e, "ship");
    assert_int_equal(stoa_name_set(w, e, NULL), STOA_OK);
    assert_null(stoa_name(w, e));
    assert_false(stoa_has(w, e, Name));
    assert_none(stoa_find(w, "ship"));
    assert_int_equal(stoa_name_set(w, e, NULL), STOA_OK);
}

/* NAM-01: setting it again changes nothing, not even where the text is. */
static void same_name_again_is_no_change(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    char again[] = "ship";
    stoa_entity e = stoa_create(w);
    stoa_name_set(w, e, "ship");
    const char *text = stoa_name(w, e);
    size_t allocations = s->heap.allocations;
    assert_int_equal(stoa_name_set(w, e, again), STOA_OK);
    assert_ptr_equal(stoa_name(w, e), text);
    assert_int_equal(stoa_set(w, e, Name, {again}), STOA_OK);
    assert_ptr_equal(stoa_get(w, e, Name)->text, text);
    assert_int_equal(stoa_name_set(w, e, text), STOA_OK);
    assert_string_equal(stoa_name(w, e), "ship");
    assert_int_equal(s->heap.allocations, allocations);
    assert_entity(stoa_find(w, "ship"), e);
}

/* NAM-01: a text that is part of the name it replaces. */
static void name_can_be_cut_from_itself(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    stoa_entity e = stoa_create(w);
    stoa_name_set(w, e, "lightship");
    assert_int_equal(stoa_name_set(w, e, stoa_name(w, e) + 5), STOA_OK);
    assert_string_equal(stoa_name(w, e), "ship");
    assert_none(stoa_find(w, "lightship"));
    assert_entity(stoa_find(w, "ship"), e);
}

/* NAM-01: the error says who has it, and nothing has changed. */
static void name_of_another_is_taken(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    stoa_entity e = stoa_create(w), f = stoa_create(w);
    char text[STOA_ENTITY_TEXT_SIZE];
    stoa_name_set(w, e, "ship");
    stoa_name_set(w, f, "boat");
    uint64_t before = stoa_hash(w);
    assert_int_equal(stoa_name_set(w, f, "ship"), STOA_TAKEN);
    support_assert_message("'ship'");
    support_assert_message(stoa_entity_print(e, text, sizeof text));
    assert_int_equal(stoa_set(w, f, Name, {"ship"}), STOA_TAKEN);
    assert_int_equal(stoa_name_set(w, f, stoa_name(w, e)), STOA_TAKEN);
    assert_string_equal(stoa_name(w, f), "boat");
    assert_entity(stoa_find(w, "ship"), e);
    assert_true(stoa_hash(w) == before);
    support_assert_quiet(s);
}

/* NAM-01 */
static void require_finds_or_creates(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    stoa_entity e = stoa_require(w, "ship");
    assert_true(stoa_alive(w, e));
    assert_string_equal(stoa_name(w, e), "ship");
    assert_entity(stoa_require(w, "ship"), e);
    assert_int_equal(stoa_count(w), 1);
    stoa_entity f = stoa_require(w, "boat");
    assert_false(stoa_entity_eq(e, f));
    assert_int_equal(stoa_count(w), 2);
    stoa_name_set(w, e, NULL);
    assert_false(stoa_entity_eq(stoa_require(w, "ship"), e));
}

/* ENT-08 ENT-09 NAM-01 */
static void destroyed_entity_gives_its_name_back(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    stoa_entity e = stoa_create_with(w, STOA_VALUE(Position, {1, 2}), STOA_VALUE(Name, {"ship"}));
    assert_int_equal(stoa_destroy(w, e), STOA_OK);
    assert_none(stoa_find(w, "ship"));
    assert_null(stoa_name(w, e));
    stoa_entity f = stoa_create(w);
    assert_int_equal(f.index, e.index);
    assert_null(stoa_name(w, f));
    assert_int_equal(stoa_name_set(w, f, "ship"), STOA_OK);
    assert_entity(stoa_find(w, "ship"), f);
    assert_null(stoa_name(w, e));
}

/* ENT-09 NAM-01 */
static void cleared_entity_has_no_name(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    stoa_entity e = stoa_create_with(w, STOA_VALUE(Position, {1, 2}), STOA_VALUE(Name, {"ship"}));
    assert_int_equal(stoa_clear(w, e), STOA_OK);
    assert_true(stoa_alive(w, e));
    assert_null(stoa_name(w, e));
    assert_none(stoa_find(w, "ship"));
    assert_int_equal(stoa_name_set(w, stoa_create(w), "ship"), STOA_OK);
}

/* ENT-11 NAM-01 */
static void clone_has_no_name(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    stoa_entity e = stoa_create_with(w, STOA_VALUE(Position, {1, 2}), STOA_VALUE(Name, {"ship"}));
    stoa_entity f = stoa_clone(w, e);
    assert_true(stoa_alive(w, f));
    assert_true(stoa_get(w, f, Position)->y == 2);
    assert_false(stoa_has(w, f, Name));
    assert_entity(stoa_find(w, "ship"), e);
    stoa_destroy(w, f);
    assert_entity(stoa_find(w, "ship"), e);
}

/* NAM-01: a name moves with nothing: other components may come and go. */
static void name_stays_when_its_entity_moves(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    stoa_entity e = stoa_require(w, "ship"), other = stoa_create_with(w, STOA_ZERO(Position));
    const char *text = stoa_name(w, e);
    stoa_add(w, e, Position);
    stoa_add(w, e, Frozen);
    stoa_destroy(w, other);
    stoa_remove(w, e, Position);
    assert_int_equal(stoa_compact(w), STOA_OK);
    assert_ptr_equal(stoa_name(w, e), text);
    assert_entity(stoa_find(w, "ship"), e);
}

/* NAM-01: queries see the component, and can only read it. */
static void queries_see_names(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    stoa_entity e = stoa_create_with(w, STOA_VALUE(Position, {3, 4}), STOA_VALUE(Name, {"ship"}));
    stoa_create_with(w, STOA_VALUE(Position, {5, 6}));
    stoa_query *query =
        stoa_query_new(w, &(stoa_query_desc){.terms = {STOA_READ(Position), STOA_READ(Name)}});
    stoa_iter it = stoa_query_iter(query);
    int seen = 0;
    while (stoa_iter_next(&it)) {
        for (int32_t i = 0; i < it.count; i++, seen++) {
            assert_entity(it.entities[i], e);
            assert_string_equal(stoa_field_at(&it, Name, 1, i)->text, "ship");
        }
    }
    assert_int_equal(seen, 1);
    assert_non_null(stoa_query_parse(w, "Position, !Name"));
    assert_null(stoa_query_new(w, &(stoa_query_desc){.terms = {STOA_WRITE(Name)}}));
    support_assert_misuse(s, stoa_last_error().status, STOA_ACCESS);
    assert_null(stoa_get_mut(w, e, Name));
    support_assert_misuse(s, stoa_last_error().status, STOA_ACCESS);
}

/* NAM-01 STO-11: the hash goes by the text, not by where it is. */
static void equal_names_hash_equal(void **state) {
    support_world *s = *state;
    support_world other;
    support_world_open(&other);
    stoa_require(s->world, "ship");
    stoa_entity e = stoa_require(other.world, "boat");
    assert_true(stoa_hash(s->world) != stoa_hash(other.world));
    stoa_name_set(other.world, e, "ship");
    assert_true(stoa_hash(s->world) == stoa_hash(other.world));
    support_world_close(&other);
}

/* CMP-13 NAM-01: the component is described: a string, for printers and tools. */
static void component_is_described(void **state) {
    support_world *s = *state;
    stoa_component_info info;
    assert_int_equal(stoa_component_info_get(s->world, stoa_id(s->world, Name), &info), STOA_OK);
    assert_string_equal(info.name, "Name");
    assert_int_equal(info.member_count, 1);
    assert_int_equal(info.members[0].kind, STOA_KIND_STRING);
    assert_string_equal(info.members[0].name, "text");
    assert_int_equal(info.flags, STOA_SPARSE | STOA_IMMUTABLE | STOA_MANAGED);
}

/* GEN-02 NAM-01 */
static void worlds_have_names_of_their_own(void **state) {
    support_world *s = *state;
    support_world other;
    support_world_open(&other);
    stoa_create(other.world);
    stoa_entity e = stoa_require(s->world, "ship"), f = stoa_require(other.world, "ship");
    assert_false(stoa_entity_eq(e, f));
    assert_entity(stoa_find(s->world, "ship"), e);
    stoa_destroy(s->world, e);
    assert_entity(stoa_find(other.world, "ship"), f);
    support_world_close(&other);
}

/* NAM-01: what hooks of the program see is the world's text, before and after. */
static const char *seen;
static bool seen_found;
static void name_look(stoa_world *world, stoa_entity e, void *value, void *user) {
    (void)user;
    const Name *name = value;
    seen = name->text;
    seen_found = stoa_entity_eq(stoa_find(world, name->text), e);
    assert_ptr_equal(stoa_name(world, e), seen);
}

static void hooks_see_the_owned_text(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    char text[] = "ship";
    stoa_on_set(w, Name, name_look, NULL);
    stoa_on_remove(w, Name, name_look, NULL);
    stoa_entity e = stoa_create_with(w, STOA_VALUE(Name, {text}));
    assert_ptr_not_equal(seen, text);
    assert_ptr_equal(seen, stoa_name(w, e));
    assert_true(seen_found);
    seen = NULL;
    stoa_destroy(w, e);
    assert_non_null(seen);
    assert_false(seen_found);
}

/* STO-07 NAM-01: the bytes of names are counted. */
static void statistics_count_names(void **state) {
    support_world *s = *state;
    size_t before = stoa_stats(s->world).bytes_reserved;
    stoa_require(s->world, "ship");
    assert_true(stoa_stats(s->world).bytes_reserved > before);
    assert_int_equal(stoa_stats(s->world).bytes_reserved, s->heap.bytes);
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, support_setup, support_teardown)
    const struct CMUnitTest tests[] = {
        TEST(named_entity_is_found),
        TEST(world_without_names_finds_none),
        TEST(text_is_copied),
        TEST(renaming_frees_the_name_before),
        TEST(renaming_holds_no_memory),
        TEST(null_takes_the_name_away),
        TEST(same_name_again_is_no_change),
        TEST(name_can_be_cut_from_itself),
        TEST(name_of_another_is_taken),
        TEST(require_finds_or_creates),
        TEST(destroyed_entity_gives_its_name_back),
        TEST(cleared_entity_has_no_name),
        TEST(clone_has_no_name),
        TEST(name_stays_when_its_entity_moves),
        TEST(queries_see_names),
        TEST(equal_names_hash_equal),
        TEST(component_is_described),
        TEST(worlds_have_names_of_their_own),
        TEST(hooks_see_the_owned_text),
        TEST(statistics_count_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
