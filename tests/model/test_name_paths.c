/* Names given and taken by every path that a component may be: the index is right after each. */
#include "name_fixture.h"

/* NAM-01: the very first name of a world may come by any path. */
static void set_gives_a_name(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    stoa_entity e = stoa_create(w);
    char text[] = "ship";
    assert_int_equal(stoa_set(w, e, Name, {text}), STOA_OK);
    text[0] = 'c';
    assert_named(w, e, "ship");
    assert_int_equal(stoa_set(w, e, Name, {text}), STOA_OK);
    assert_named(w, e, "chip");
    assert_none(stoa_find(w, "ship"));
    stoa_component id = stoa_id(w, Name);
    assert_int_equal(stoa_set_id(w, e, id, &(Name){"boat"}, sizeof(Name)), STOA_OK);
    assert_named(w, e, "boat");
    assert_int_equal(stoa_set_named(w, e, "Name", &(Name){"raft"}, sizeof(Name)), STOA_OK);
    assert_named(w, e, "raft");
    assert_int_equal(stoa_remove(w, e, Name), STOA_OK);
    assert_named(w, e, NULL);
    assert_none(stoa_find(w, "raft"));
}

/* NAM-01 ENT-06 */
static void bundle_gives_a_name(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    char text[] = "ship";
    stoa_entity e = stoa_create_with(w, STOA_VALUE(Name, {text}));
    text[0] = 'c';
    assert_named(w, e, "ship");
    stoa_entity f = stoa_create_with(w, STOA_ZERO(Frozen), STOA_VALUE(Name, {text}),
                                     STOA_VALUE(Position, {1, 2}));
    assert_named(w, f, "chip");
    int32_t count = stoa_count(w);
    assert_none(stoa_create_with(w, STOA_VALUE(Position, {1, 2}), STOA_VALUE(Name, {"ship"})));
    assert_int_equal(stoa_last_error().status, STOA_TAKEN);
    assert_int_equal(stoa_count(w), count);
}

/* NAM-01 ENT-07 */
static void bulk_gives_names(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    char texts[100][16];
    Name names[100];
    stoa_entity made[100];
    for (int i = 0; i < 100; i++) {
        snprintf(texts[i], sizeof texts[i], "n%d", i);
        names[i].text = texts[i];
    }
    assert_int_equal(stoa_create_bulk(w, 100, made, STOA_ZERO(Position), STOA_COLUMN(Name, names)),
                     STOA_OK);
    memset(texts, 'x', sizeof texts);
    for (int i = 0; i < 100; i++) {
        char text[16];
        snprintf(text, sizeof text, "n%d", i);
        assert_named(w, made[i], text);
    }
    /* Without handles asked for, and with no other component. */
    Name two[2] = {{"left"}, {"right"}};
    assert_int_equal(stoa_create_bulk(w, 2, NULL, STOA_COLUMN(Name, two)), STOA_OK);
    assert_true(stoa_alive(w, stoa_find(w, "left")) && stoa_alive(w, stoa_find(w, "right")));
    assert_int_equal(stoa_count(w), 102);
}

/* NAM-01 GEN-03: one name of a bulk that cannot be given is an error for all. */
static void bulk_with_a_bad_name_makes_nothing(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    stoa_entity e = stoa_require(w, "c");
    Name taken[] = {{"a"}, {"b"}, {"c"}, {"d"}}, twice[] = {{"a"}, {"b"}, {"a"}};
    Name invalid[] = {{"a"}, {"b"}, {""}};
    uint64_t before = stoa_hash(w);
    assert_int_equal(stoa_create_bulk(w, 4, NULL, STOA_COLUMN(Name, taken)), STOA_TAKEN);
    assert_int_equal(stoa_create_bulk(w, 3, NULL, STOA_COLUMN(Name, twice)), STOA_TAKEN);
    support_assert_message("'a'");
    assert_int_equal(stoa_check(w), STOA_OK);
    support_assert_quiet(s);
    support_assert_misuse(s, stoa_create_bulk(w, 3, NULL, STOA_COLUMN(Name, invalid)),
                          STOA_INVALID);
    support_assert_misuse(s, stoa_create_bulk(w, 1, NULL, STOA_ZERO(Name)), STOA_INVALID);
    assert_true(stoa_hash(w) == before);
    assert_named(w, e, "c");
    assert_none(stoa_find(w, "a"));
    assert_none(stoa_find(w, "b"));
    /* Nothing is left of what was asked for in vain. */
    assert_int_equal(stoa_name_set(w, e, "a"), STOA_OK);
    Name fine[] = {{"b"}, {"c"}};
    assert_int_equal(stoa_create_bulk(w, 2, NULL, STOA_COLUMN(Name, fine)), STOA_OK);
}

/* NAM-01 ACC-06 */
static void change_gives_and_takes_names(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    stoa_entity e = stoa_create_with(w, STOA_ZERO(Frozen));
    assert_int_equal(stoa_change(w, e, STOA_REMOVE(Frozen), STOA_VALUE(Name, {"ship"}),
                                 STOA_VALUE(Position, {1, 2})),
                     STOA_OK);
    assert_named(w, e, "ship");
    assert_int_equal(stoa_change(w, e, STOA_VALUE(Name, {"boat"}), STOA_ZERO(Frozen)), STOA_OK);
    assert_named(w, e, "boat");
    assert_none(stoa_find(w, "ship"));
    stoa_require(w, "raft");
    uint64_t before = stoa_hash(w);
    assert_int_equal(stoa_change(w, e, STOA_REMOVE(Frozen), STOA_VALUE(Name, {"raft"})),
                     STOA_TAKEN);
    assert_true(stoa_hash(w) == before);
    assert_int_equal(stoa_change(w, e, STOA_REMOVE(Name), STOA_REMOVE(Frozen)), STOA_OK);
    assert_named(w, e, NULL);
    assert_none(stoa_find(w, "boat"));
}

/* NAM-01 CMD-01: the text of a component that is recorded must live until the flush. */
static void commands_set_gives_a_name(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    stoa_commands *c = stoa_deferred(w);
    stoa_entity e = stoa_create(w);
    stoa_commands_set(c, e, Name, {"ship"});
    stoa_entity f = stoa_commands_create_with(c, STOA_ZERO(Position), STOA_VALUE(Name, {"boat"}));
    assert_none(stoa_find(w, "ship"));
    assert_int_equal(stoa_flush(w), STOA_OK);
    assert_named(w, e, "ship");
    assert_named(w, f, "boat");
    stoa_commands_remove(c, e, Name);
    stoa_commands_change(c, f, STOA_VALUE(Name, {"ship"}), STOA_ZERO(Frozen));
    assert_int_equal(stoa_flush(w), STOA_OK);
    assert_named(w, e, NULL);
    assert_named(w, f, "ship");
    stoa_commands_destroy(c, f);
    assert_int_equal(stoa_flush(w), STOA_OK);
    assert_none(stoa_find(w, "ship"));
}

/* NAM-01 CMD-01 */
static void commands_name_set_copies_the_text(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    stoa_commands *c = stoa_deferred(w);
    stoa_entity e = stoa_create(w), f = stoa_commands_create(c);
    char text[] = "ship";
    static char lengthy[3000];
    memset(lengthy, 'l', sizeof lengthy - 1);
    assert_int_equal(stoa_commands_name_set(c, e, text), STOA_OK);
    assert_int_equal(stoa_commands_name_set(c, f, lengthy), STOA_OK);
    memset(text, 'x', 4);
    lengthy[0] = 'x';
    assert_int_equal(stoa_flush(w), STOA_OK);
    lengthy[0] = 'l';
    assert_named(w, e, "ship");
    assert_named(w, f, lengthy);
    /* In order: the first gives its name up, the second takes it. */
    assert_int_equal(stoa_commands_name_set(c, e, NULL), STOA_OK);
    assert_int_equal(stoa_commands_name_set(c, f, "ship"), STOA_OK);
    assert_int_equal(stoa_flush(w), STOA_OK);
    assert_named(w, e, NULL);
    assert_named(w, f, "ship");
    assert_int_equal(stoa_commands_refused(c), 0);
}

/* NAM-01 CMD-02: what cannot be given is skipped and counted, and the rest is applied. */
static void refused_commands_are_counted(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    stoa_commands *c = stoa_deferred(w);
    stoa_entity e = stoa_require(w, "ship"), f = stoa_require(w, "boat"), g = stoa_create(w);
    stoa_commands_name_set(c, f, "ship");
    stoa_commands_set(c, f, Name, {"ship"});
    stoa_commands_create_with(c, STOA_VALUE(Name, {"ship"}));
    stoa_commands_destroy(c, g);
    stoa_commands_name_set(c, g, "raft");
    stoa_commands_name_set(c, f, "canoe");
    assert_int_equal(stoa_flush(w), STOA_OK);
    assert_int_equal(stoa_commands_refused(c), 4);
    assert_named(w, e, "ship");
    assert_named(w, f, "canoe");
    assert_none(stoa_find(w, "raft"));
    assert_int_equal(stoa_count(w), 2);
    support_assert_quiet(s);
}

/* NAM-01 CMD-08 */
static void discarded_commands_name_nothing(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    stoa_commands *c = stoa_commands_new(w);
    stoa_entity e = stoa_create(w);
    stoa_commands_name_set(c, e, "ship");
    stoa_commands_set(c, e, Name, {"boat"});
    assert_int_equal(stoa_commands_free(c), STOA_OK);
    assert_named(w, e, NULL);
    assert_none(stoa_find(w, "ship"));
}

/* NAM-01 ACC-09: everything that matches cannot have one name. */
static void whole_query_set_names_one(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    stoa_entity e = stoa_create_with(w, STOA_ZERO(Position));
    stoa_query *query = stoa_query_new(w, &(stoa_query_desc){.terms = {STOA_READ(Position)}});
    assert_int_equal(stoa_query_set(query, Name, {"ship"}), STOA_OK);
    assert_named(w, e, "ship");
    stoa_entity f = stoa_create_with(w, STOA_ZERO(Position));
    assert_int_equal(stoa_query_set(query, Name, {"boat"}), STOA_TAKEN);
    assert_named(w, e, "boat");
    assert_named(w, f, NULL);
    support_assert_quiet(s);
    support_assert_misuse(s, stoa_query_add(query, Name), STOA_INVALID);
    assert_int_equal(stoa_name_set(w, f, "ship"), STOA_OK);
    assert_int_equal(stoa_query_remove(query, Name), STOA_OK);
    assert_none(stoa_find(w, "ship"));
    assert_none(stoa_find(w, "boat"));
    assert_false(stoa_has(w, e, Name) || stoa_has(w, f, Name));
}

/* NAM-01 ACC-09 ENT-09 */
static void whole_query_destroy_takes_names(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    stoa_require(w, "ship");
    stoa_require(w, "boat");
    stoa_entity f = stoa_create_with(w, STOA_ZERO(Position), STOA_VALUE(Name, {"raft"}));
    stoa_query *query =
        stoa_query_new(w, &(stoa_query_desc){.terms = {STOA_READ(Name), STOA_WITHOUT(Position)}});
    assert_int_equal(stoa_query_destroy(query), STOA_OK);
    assert_none(stoa_find(w, "ship"));
    assert_none(stoa_find(w, "boat"));
    assert_named(w, f, "raft");
}

/* NAM-01: names swap over a third one. */
static void names_are_swapped_by_a_third(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    stoa_entity e = stoa_require(w, "ship"), f = stoa_require(w, "boat");
    assert_int_equal(stoa_name_set(w, e, "boat"), STOA_TAKEN);
    assert_int_equal(stoa_name_set(w, e, "swap"), STOA_OK);
    assert_int_equal(stoa_name_set(w, f, "ship"), STOA_OK);
    assert_int_equal(stoa_name_set(w, e, "boat"), STOA_OK);
    assert_named(w, e, "boat");
    assert_named(w, f, "ship");
    assert_none(stoa_find(w, "swap"));
}

/* NAM-01: each of a row of entities takes the name of the one before, over and over. */
static void names_move_along_a_chain(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    stoa_entity row[50];
    char text[24];
    for (int i = 0; i < 50; i++) {
        snprintf(text, sizeof text, "%d", i);
        row[i] = stoa_require(w, text);
    }
    for (int turn = 0; turn < 20; turn++) {
        char first[24];
        snprintf(first, sizeof first, "%s", stoa_name(w, row[0]));
        assert_int_equal(stoa_name_set(w, row[0], "moving"), STOA_OK);
        for (int i = 1; i < 50; i++) {
            snprintf(text, sizeof text, "%s", stoa_name(w, row[i]));
            assert_int_equal(stoa_name_set(w, row[i], i % 2 ? "between" : "among"), STOA_OK);
            assert_int_equal(stoa_name_set(w, row[i - 1], text), STOA_OK);
        }
        assert_int_equal(stoa_name_set(w, row[49], first), STOA_OK);
    }
    for (int i = 0; i < 50; i++) {
        snprintf(text, sizeof text, "%d", (i + 20) % 50);
        assert_named(w, row[i], text);
    }
}

/* SYS-07 NAM-01: recorded by threads' buffers, which are applied in order. */
static void forked_buffers_record_names(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    stoa_entity e = stoa_create(w), f = stoa_create(w);
    stoa_commands *buffers[2] = {stoa_commands_new(w), stoa_commands_new(w)};
    assert_int_equal(stoa_commands_fork(w, buffers, 2), STOA_OK);
    assert_int_equal(stoa_commands_name_set(buffers[1], f, "ship"), STOA_OK);
    assert_int_equal(stoa_commands_name_set(buffers[0], e, "ship"), STOA_OK);
    stoa_entity g = stoa_commands_create(buffers[1]);
    assert_int_equal(stoa_commands_name_set(buffers[1], g, "boat"), STOA_OK);
    assert_none(stoa_find(w, "ship"));
    assert_int_equal(stoa_commands_join(w), STOA_OK);
    int32_t done = 0;
    assert_int_equal(stoa_commands_flush_all(buffers, 2, &done), STOA_OK);
    assert_named(w, e, "ship");
    assert_named(w, f, NULL);
    assert_named(w, g, "boat");
    assert_int_equal(stoa_commands_refused(buffers[1]), 1);
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, support_setup, support_teardown)
    const struct CMUnitTest tests[] = {
        TEST(set_gives_a_name),
        TEST(bundle_gives_a_name),
        TEST(bulk_gives_names),
        TEST(bulk_with_a_bad_name_makes_nothing),
        TEST(change_gives_and_takes_names),
        TEST(commands_set_gives_a_name),
        TEST(commands_name_set_copies_the_text),
        TEST(refused_commands_are_counted),
        TEST(discarded_commands_name_nothing),
        TEST(whole_query_set_names_one),
        TEST(whole_query_destroy_takes_names),
        TEST(names_are_swapped_by_a_third),
        TEST(names_move_along_a_chain),
        TEST(forked_buffers_record_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
