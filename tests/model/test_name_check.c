/* stoa_check finds an index of names that is not whole, or not what the world has. */
#include "model/name_index.h"
#include "name_fixture.h"

static stoa__names *index_of(stoa_world *w) {
    stoa__names *names = stoa_extension_find(w, "stoa.names");
    assert_non_null(names);
    return names;
}

static uint32_t at_of(stoa_world *w, const char *text) {
    stoa__name_key key = stoa__name_key_of(text, (uint32_t)strlen(text));
    uint32_t at = stoa__name_texts_find(&index_of(w)->texts, &key);
    assert_int_not_equal(at, STOA__NAME_NONE);
    return at;
}

static void assert_corrupt(stoa_world *w) {
    assert_int_equal(stoa_check(w), STOA_CORRUPT);
}

/* STO-04 NAM-01 */
static void check_finds_a_name_for_another(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    stoa_require(w, "ship");
    stoa_entity boat = stoa_require(w, "boat");
    stoa__name_cell *cell = &index_of(w)->texts.cells[at_of(w, "ship")];
    stoa__name *name = index_of(w)->texts.names[at_of(w, "ship")];
    stoa_entity ship = cell->entity;
    cell->entity = boat;
    assert_corrupt(w);
    name->entity = boat;
    assert_corrupt(w);
    cell->entity = name->entity = STOA_NULL;
    assert_corrupt(w);
    cell->entity = name->entity = ship;
    assert_int_equal(stoa_check(w), STOA_OK);
}

/* STO-04 NAM-01 */
static void check_finds_a_text_that_is_not_the_index_s(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    stoa_entity e = stoa_require(w, "ship");
    Name *name = (Name *)(uintptr_t)stoa_get(w, e, Name);
    const char *text = name->text;
    name->text = "ship";
    assert_corrupt(w);
    name->text = text;
    stoa__name *kept = index_of(w)->texts.names[at_of(w, "ship")];
    kept->text[0] = 'c';
    assert_corrupt(w);
    kept->text[0] = 's';
    assert_int_equal(stoa_check(w), STOA_OK);
}

/* STO-04 NAM-01 */
static void check_counts_names(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    stoa_require(w, "ship");
    stoa__names *names = index_of(w);
    names->promised.count++;
    assert_corrupt(w);
    names->promised.count--;
    names->owners.count++;
    names->texts.count++;
    assert_corrupt(w);
    names->owners.count--;
    names->texts.count--;
    assert_int_equal(stoa_check(w), STOA_OK);
}

/* An index that is looked at while the world is ahead of it. */
static void check_inside(stoa_world *world, stoa_entity e, void *value, void *user) {
    (void)e, (void)value;
    ++*(int *)user;
    assert_int_equal(stoa_check(world), STOA_OK);
}

/* STO-04 NAM-01: names that are in place and not yet taken note of are no mistake. */
static void check_holds_inside_of_hooks(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    static int calls;
    stoa_on_add(w, Position, check_inside, &calls);
    stoa_on_add(w, Name, check_inside, &calls);
    stoa_on_set(w, Name, check_inside, &calls);
    stoa_on_remove(w, Name, check_inside, &calls);
    Name names[] = {{"a"}, {"b"}, {"c"}};
    stoa_entity made[3];
    assert_int_equal(stoa_create_bulk(w, 3, made, STOA_ZERO(Position), STOA_COLUMN(Name, names)),
                     STOA_OK);
    assert_int_equal(stoa_set(w, made[0], Name, {"d"}), STOA_OK);
    stoa_destroy(w, made[1]);
    assert_int_equal(calls, 11);
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, support_setup, support_teardown)
    const struct CMUnitTest tests[] = {
        TEST(check_finds_a_name_for_another),
        TEST(check_finds_a_text_that_is_not_the_index_s),
        TEST(check_counts_names),
        TEST(check_holds_inside_of_hooks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
