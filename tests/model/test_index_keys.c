/* Keys of indexes: what counts as equal for every kind of field, and paths to fields. */
#include <math.h>

#include "index_fixture.h"

STOA_COMPONENT(Kinds, {
    bool flag;
    char letter;
    int8_t i8;
    int16_t i16;
    int64_t i64;
    uint8_t u8;
    uint16_t u16;
    uint32_t u32;
    uint64_t u64;
    double real;
    stoa_entity owner;
    Mood mood;
});

/* With padding after `kind` and at the end. */
STOA_COMPONENT(Padded, {
    char kind;
    double value;
    char tail;
});
STOA_COMPONENT(Texts, {
    char small[6];
    char large[20];
    const char *pointed;
});
STOA_COMPONENT(Nested, {
    int32_t number;
    Cell place;
    Cell corners[3];
    int32_t slots[4];
    Texts texts[2];
    void *pointer;
});
STOA_COMPONENT(Lonely, { Cell cell; });
STOA_COMPONENT(Shape, {
    Cell corners[3];
    int32_t number;
    Cell last;
});

/* The index on one field of Kinds finds `a` by its value and `b` by its own. */
static void field_check(stoa_world *w, const char *field, const void *key_a, const void *key_b,
                        stoa_entity a, stoa_entity b) {
    stoa_index *index =
        stoa_index_new(w, &(stoa_index_desc){.type = STOA_TYPE_OF(Kinds), .field = field});
    assert_non_null(index);
    expect_found(stoa_index_find(index, key_a), a);
    expect_found(stoa_index_find(index, key_b), b);
    assert_int_equal(stoa_index_free(index), STOA_OK);
}

/* IDX-01 CMP-06 */
static void every_kind_of_number_is_a_key(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    stoa_entity owner = stoa_create(w);
    (void)stoa_id(w, Mood);
    Kinds one = {true,  'a',        -1,         -300, -5000000000, 200,
                 60000, 4000000000, UINT64_MAX, 0.5,  owner,       SAD};
    Kinds two = {.letter = 'b', .i8 = 1, .i16 = 300, .i64 = 5000000000, .real = 1.5, .mood = ANGRY};
    stoa_entity a = stoa_create_with(w, STOA_COLUMN(Kinds, &one));
    stoa_entity b = stoa_create_with(w, STOA_COLUMN(Kinds, &two));
    field_check(w, "flag", &one.flag, &two.flag, a, b);
    field_check(w, "letter", &one.letter, &two.letter, a, b);
    field_check(w, "i8", &one.i8, &two.i8, a, b);
    field_check(w, "i16", &one.i16, &two.i16, a, b);
    field_check(w, "i64", &one.i64, &two.i64, a, b);
    field_check(w, "u8", &one.u8, &two.u8, a, b);
    field_check(w, "u16", &one.u16, &two.u16, a, b);
    field_check(w, "u32", &one.u32, &two.u32, a, b);
    field_check(w, "u64", &one.u64, &two.u64, a, b);
    field_check(w, "real", &one.real, &two.real, a, b);
    field_check(w, "owner", &one.owner, &two.owner, a, b);
    field_check(w, "mood", &one.mood, &two.mood, a, b);
    field_check(w, NULL, &one, &two, a, b);
}

/* IDX-01 */
static void negative_zero_is_zero_and_all_nan_are_one(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    stoa_index *singles = stoa_index_on(w, Unit, speed);
    stoa_index *wholes = stoa_index_new(w, &(stoa_index_desc){.type = STOA_TYPE_OF(Other)});
    double other_nan;
    uint64_t bits = 0xFFF8000000001234u;
    memcpy(&other_nan, &bits, sizeof bits);
    stoa_entity a = stoa_create_with(w, STOA_VALUE(Unit, {1, 0.0f}), STOA_VALUE(Other, {-0.0}));
    stoa_entity b = stoa_create_with(w, STOA_VALUE(Unit, {1, -0.0f}), STOA_VALUE(Other, {0.0}));
    stoa_entity c = stoa_create_with(w, STOA_VALUE(Unit, {1, NAN}), STOA_VALUE(Other, {NAN}));
    stoa_entity d =
        stoa_create_with(w, STOA_VALUE(Unit, {1, -NAN}), STOA_VALUE(Other, {other_nan}));
    expect_found(stoa_index_find(singles, STOA_KEY(float, -0.0f)), a, b);
    expect_found(stoa_index_find(singles, STOA_KEY(float, NAN)), c, d);
    expect_found(stoa_index_find(wholes, STOA_KEY(Other, 0.0)), a, b);
    expect_found(stoa_index_find(wholes, &other_nan), c, d);
}

/* IDX-01 */
static void padding_does_not_count(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    stoa_index *index = stoa_index_new(w, &(stoa_index_desc){.type = STOA_TYPE_OF(Padded)});
    Padded one, two, key;
    memset(&one, 0x11, sizeof one);
    memset(&two, 0x22, sizeof two);
    memset(&key, 0x33, sizeof key);
    one.kind = two.kind = key.kind = 'k';
    one.value = two.value = key.value = 7;
    one.tail = two.tail = key.tail = 't';
    stoa_entity a = stoa_create_with(w, STOA_COLUMN(Padded, &one));
    stoa_entity b = stoa_create_with(w, STOA_COLUMN(Padded, &two));
    expect_found(stoa_index_find(index, &key), a, b);
    key.tail = 'u';
    expect_none(stoa_index_find(index, &key));
    stoa_get_mut(w, a, Padded)->tail = 'u';
    expect_found(stoa_index_find(index, &key), a);
    assert_int_equal(stoa_check(w), STOA_OK);
}

/* IDX-01 */
static void char_array_is_a_text_up_to_its_zero(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    stoa_index *smalls = stoa_index_on(w, Texts, small);
    stoa_index *larges = stoa_index_on(w, Texts, large);
    stoa_entity a = stoa_create_with(w, STOA_VALUE(Texts, {"red\0x", "a longer text\0xy", NULL}));
    stoa_entity b = stoa_create_with(w, STOA_VALUE(Texts, {"red\0y", "a longer text\0ab", NULL}));
    stoa_entity c = stoa_create_with(w, STOA_VALUE(Texts, {"reddis", "", NULL}));
    expect_found(stoa_index_find(smalls, "red"), a, b);
    expect_found(stoa_index_find(smalls, "reddis"), c);
    expect_none(stoa_index_find(smalls, "re"));
    expect_found(stoa_index_find(larges, "a longer text"), a, b);
    expect_found(stoa_index_find(larges, ""), c);
    expect_none(stoa_index_find(larges, "a longer texts"));
}

/* IDX-01 */
static void string_is_compared_by_what_it_points_at(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    stoa_index *index = stoa_index_on(w, Texts, pointed);
    static char first[] = "goblin", second[] = "goblin";
    const char *key = "goblin", *empty = "", *null = NULL;
    stoa_entity a = stoa_create_with(w, STOA_VALUE(Texts, {"", "", first}));
    stoa_entity b = stoa_create_with(w, STOA_VALUE(Texts, {"", "", second}));
    stoa_entity c = stoa_create_with(w, STOA_VALUE(Texts, {"", "", ""}));
    stoa_entity d = stoa_create_with(w, STOA_VALUE(Texts, {"", "", NULL}));
    expect_found(stoa_index_find(index, &key), a, b);
    expect_found(stoa_index_find(index, &empty), c);
    expect_found(stoa_index_find(index, &null), d);
    /* The index has a copy: the text may be gone when the entity is taken out. */
    memset(first, 'x', sizeof first - 1);
    assert_int_equal(stoa_remove(w, a, Texts), STOA_OK);
    expect_found(stoa_index_find(index, &key), b);
}

/* IDX-01 */
static void pair_of_numbers_is_one_key(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    stoa_index *cells = stoa_index_new(w, &(stoa_index_desc){.type = STOA_TYPE_OF(Cell)});
    stoa_index *nested = stoa_index_on(w, Lonely, cell);
    stoa_entity a = stoa_create_with(w, STOA_VALUE(Cell, {1, -2}), STOA_VALUE(Lonely, {{3, 4}}));
    stoa_entity b = stoa_create_with(w, STOA_VALUE(Cell, {-2, 1}), STOA_VALUE(Lonely, {{4, 3}}));
    expect_found(stoa_index_find(cells, STOA_KEY(Cell, 1, -2)), a);
    expect_found(stoa_index_find(cells, STOA_KEY(Cell, -2, 1)), b);
    expect_none(stoa_index_find(cells, STOA_KEY(Cell, 1, 2)));
    expect_found(stoa_index_find(nested, STOA_KEY(Cell, 3, 4)), a);
}

/* IDX-01 */
static void path_leads_to_members_and_elements(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    (void)stoa_id(w, Cell);
    (void)stoa_id(w, Texts);
    stoa_index *x = stoa_index_on(w, Nested, place.x);
    stoa_index *corner = stoa_index_on(w, Nested, corners[2].y);
    stoa_index *slot = stoa_index_on(w, Nested, slots[3]);
    stoa_index *slots = stoa_index_on(w, Nested, slots);
    stoa_index *corners = stoa_index_on(w, Nested, corners);
    stoa_index *small = stoa_index_on(w, Nested, texts[1].small);
    stoa_index *texts = stoa_index_on(w, Nested, texts);
    Nested one = {.place = {7, 0},
                  .corners = {{0, 0}, {0, 0}, {0, 8}},
                  .slots = {1, 2, 3, 9},
                  .texts = {{"", "", NULL}, {"hat", "", "feather"}}};
    stoa_entity a = stoa_create_with(w, STOA_COLUMN(Nested, &one));
    stoa_entity b = stoa_create_with(w, STOA_VALUE(Nested, {.place = {1, 7}}));
    expect_found(stoa_index_find(x, STOA_KEY(int32_t, 7)), a);
    expect_found(stoa_index_find(corner, STOA_KEY(int32_t, 8)), a);
    expect_found(stoa_index_find(slot, STOA_KEY(int32_t, 9)), a);
    expect_found(stoa_index_find(slot, STOA_KEY(int32_t, 0)), b);
    expect_found(stoa_index_find(slots, one.slots), a);
    expect_found(stoa_index_find(corners, one.corners), a);
    expect_found(stoa_index_find(small, "hat"), a);
    expect_found(stoa_index_find(texts, one.texts), a);
    one.corners[1].x = 1;
    one.texts[1].pointed = "feathers";
    one.slots[0] = 0;
    expect_none(stoa_index_find(slots, one.slots));
    expect_none(stoa_index_find(corners, one.corners));
    expect_none(stoa_index_find(texts, one.texts));
    stoa_index_info info;
    assert_int_equal(stoa_index_info_get(corner, &info), STOA_OK);
    assert_string_equal(info.name, "Nested.corners[2].y");
    assert_string_equal(info.field, "corners[2].y");
    assert_int_equal(info.count, 2);
    assert_int_equal(info.component, stoa_id(w, Nested));
}

/* IDX-01 */
static void members_after_an_array_of_structs_count(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    (void)stoa_id(w, Cell);
    stoa_index *index = stoa_index_new(w, &(stoa_index_desc){.type = STOA_TYPE_OF(Shape)});
    Shape shape = {{{1, 2}, {3, 4}, {5, 6}}, 7, {8, 9}}, key = shape;
    stoa_entity a = stoa_create_with(w, STOA_COLUMN(Shape, &shape));
    expect_found(stoa_index_find(index, &key), a);
    for (size_t i = 0; i < sizeof key / sizeof(int32_t); i++) {
        int32_t changed;
        memcpy(&changed, (uint8_t *)&key + i * sizeof changed, sizeof changed);
        changed++;
        memcpy((uint8_t *)&key + i * sizeof changed, &changed, sizeof changed);
        expect_none(stoa_index_find(index, &key));
        key = shape;
    }
}

/* IDX-01 CMP-07 */
static void component_made_at_run_time_has_indexes(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    stoa_component id = stoa_component_register(
        w, &(stoa_component_desc){.name = "Item", .fields = "{ uint16_t kind; char tag[12]; }"});
    stoa_index *kinds = stoa_index_new(w, &(stoa_index_desc){.component = id, .field = "kind"});
    stoa_index *tags = stoa_index_new(w, &(stoa_index_desc){.component = id, .field = "tag"});
    struct {
        uint16_t kind;
        char tag[12];
    } item = {5, "sword"};
    stoa_entity a = stoa_create(w);
    assert_int_equal(stoa_set_id(w, a, id, &item, sizeof item), STOA_OK);
    expect_found(stoa_index_find(kinds, STOA_KEY(uint16_t, 5)), a);
    expect_found(stoa_index_find(tags, "sword"), a);
    expect_none(stoa_index_find(tags, "swords"));
}

/* IDX-01 CMP-06 */
static void enum_can_be_a_component_of_its_own(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    stoa_index *index =
        stoa_index_new(w, &(stoa_index_desc){.type = STOA_TYPE_OF(Mood), .ordered = true});
    stoa_entity a = stoa_create_with(w, STOA_COLUMN(Mood, &(Mood){ANGRY}));
    stoa_entity b = stoa_create_with(w, STOA_COLUMN(Mood, &(Mood){SAD}));
    stoa_entity c = stoa_create_with(w, STOA_COLUMN(Mood, &(Mood){CALM}));
    expect_found(stoa_index_range(index, NULL, NULL), b, c, a);
    expect_found(stoa_index_find(index, STOA_KEY(Mood, SAD)), b);
}

int main(void) {
    const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, support_setup, support_teardown)
        TEST(every_kind_of_number_is_a_key),
        TEST(negative_zero_is_zero_and_all_nan_are_one),
        TEST(padding_does_not_count),
        TEST(char_array_is_a_text_up_to_its_zero),
        TEST(string_is_compared_by_what_it_points_at),
        TEST(pair_of_numbers_is_one_key),
        TEST(path_leads_to_members_and_elements),
        TEST(members_after_an_array_of_structs_count),
        TEST(component_made_at_run_time_has_indexes),
        TEST(enum_can_be_a_component_of_its_own),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
