/* The paths that name a key: nested structs, arrays, enums, and every way to get one wrong. */
#include "model/sort_rows.h"

STOA_ENUM(Team, {RED, GREEN, BLUE});
STOA_ENUM(Tone, {LOW = -5, NONE = 0, HIGH = 7});
STOA_COMPONENT(Vec, { float x, y; });
STOA_COMPONENT(Slot, {
    int16_t amounts[3];
    Vec at[2];
});
STOA_COMPONENT(Sheet, {
    Vec at;
    int32_t v[4];
    uint8_t grid[2][3];
    Slot slots[2];
    Team team;
    Tone tones[2];
    char name[8];
    const char *title;
    float one[1];
    int32_t serial;
});
STOA_COMPONENT(Odd, { int32_t a_1, _b, A; });

typedef struct Opaque {
    int32_t value;
} Opaque;
STOA_TYPE(Opaque);

static stoa_entity es[100], list[100];

static int field_open(void **state) {
    sort_open(state);
    stoa_world *w = ((support_world *)*state)->world;
    assert_true(stoa_id(w, Team) != 0 && stoa_id(w, Tone) != 0 && stoa_id(w, Vec) != 0);
    assert_true(stoa_id(w, Slot) != 0 && stoa_id(w, Sheet) != 0);
    return 0;
}

/* Writes `value` where a path leads; the sheet is otherwise filled with what would give another
 * order. */
static void sheet_write(Sheet *s, int which, int32_t value) {
    switch (which) {
    case 0:
        s->at.x = (float)value;
        break;
    case 1:
        s->at.y = (float)value;
        break;
    case 2:
        s->v[3] = value;
        break;
    case 3:
        s->grid[1][0] = (uint8_t)value;
        break;
    case 4:
        s->slots[1].amounts[2] = (int16_t)-value;
        break;
    case 5:
        s->slots[0].at[1].y = (float)value;
        break;
    case 6:
        s->name[7] = (char)value;
        break;
    case 7:
        s->one[0] = (float)value;
        break;
    default:
        s->serial = value;
        break;
    }
}

static const char *const paths[] = {
    "at.x",    "at.y",   "v[3]",  "grid[3]", "slots[1].amounts[2]", "slots[0].at[1].y",
    "name[7]", "one[0]", "serial"};

/* SRT-02 */
static void path_leads_to_its_number(void **state) {
    stoa_world *w = ((support_world *)*state)->world;
    for (int which = 0; which < 9; which++) {
        for (int32_t i = 0; i < 100; i++) {
            Sheet sheet;
            memset(&sheet, 0, sizeof sheet);
            for (int other = 0; other < 9; other++) {
                sheet_write(&sheet, other, i);
            }
            sheet_write(&sheet, which, (i * 37 + 11) % 100);
            es[i] = stoa_create_with(w, STOA_VALUE_FROM(Sheet, &sheet), STOA_VALUE(Health, {i}));
        }
        stoa_direction direction = which == 4 ? STOA_DESCENDING : STOA_ASCENDING;
        assert_int_equal(stoa_sort_key(w, Sheet, paths[which], direction), STOA_OK);
        rows_beside(w, es[0], list);
        for (int32_t i = 0; i < 100; i++) {
            int32_t made = stoa_get(w, list[i], Health)->points;
            assert_int_equal((made * 37 + 11) % 100, i);
            stoa_destroy(w, list[i]);
        }
    }
}

/* SRT-02 CMP-06 */
static void enums_are_keys_by_field_or_alone(void **state) {
    stoa_world *w = ((support_world *)*state)->world;
    static const Tone tones[] = {HIGH, LOW, NONE};
    for (int32_t i = 0; i < 60; i++) {
        Sheet sheet = {.team = (Team)(i * 7 % 3), .serial = i};
        sheet.tones[1] = tones[i % 3];
        Tone tone = tones[i % 3];
        es[i] = stoa_create_with(w, STOA_VALUE_FROM(Sheet, &sheet), STOA_VALUE_FROM(Tone, &tone));
    }
    assert_int_equal(stoa_sort_key(w, Sheet, "team", STOA_ASCENDING), STOA_OK);
    rows_beside(w, es[0], list);
    for (int32_t i = 0; i < 60; i++) {
        assert_int_equal(stoa_get(w, list[i], Sheet)->team, i / 20);
    }
    static const Tone sorted[] = {LOW, NONE, HIGH};
    assert_int_equal(stoa_sort_key(w, Sheet, "tones[1]", STOA_ASCENDING), STOA_OK);
    rows_beside(w, es[0], list);
    for (int32_t i = 0; i < 60; i++) {
        assert_int_equal(stoa_get(w, list[i], Sheet)->tones[1], sorted[i / 20]);
    }
    assert_int_equal(stoa_sort_key(w, Tone, NULL, STOA_DESCENDING), STOA_OK);
    rows_beside(w, es[0], list);
    for (int32_t i = 0; i < 60; i++) {
        assert_int_equal(*stoa_get(w, list[i], Tone), sorted[2 - i / 20]);
    }
}

/* SRT-02 CMP-07 */
static void types_made_at_run_time_have_keys(void **state) {
    stoa_world *w = ((support_world *)*state)->world;
    stoa_component id = stoa_component_register(
        w, &(stoa_component_desc){.name = "Dial", .fields = "{ uint8_t pad; int16_t turns[2]; }"});
    assert_int_not_equal(id, 0);
    for (int32_t i = 0; i < 50; i++) {
        struct {
            uint8_t pad;
            int16_t turns[2];
        } dial = {1, {0, (int16_t)(25 - i)}};
        es[i] = stoa_create(w);
        assert_int_equal(stoa_set_id(w, es[i], id, &dial, sizeof dial), STOA_OK);
    }
    assert_int_equal(stoa_sort_key_id(w, id, "turns[1]", STOA_ASCENDING), STOA_OK);
    rows_beside(w, es[0], list);
    assert_true(stoa_entity_eq(list[0], es[49]) && stoa_entity_eq(list[49], es[0]));
}

/* SRT-02 GEN-03 GEN-05 */
static void wrong_paths_are_refused_at_their_column(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    static const struct {
        const char *path;
        stoa_status status;
        int32_t column;
        const char *message;
    } bad[] = {
        {"", STOA_SYNTAX, 1, "a name"},
        {".x", STOA_SYNTAX, 1, "a name"},
        {"9", STOA_SYNTAX, 1, "a name"},
        {" serial", STOA_SYNTAX, 1, "a name"},
        {"serial ", STOA_SYNTAX, 7, "'.' or the end"},
        {"at.", STOA_SYNTAX, 4, "a name"},
        {"at..x", STOA_SYNTAX, 4, "a name"},
        {"at.x.y", STOA_INVALID, 5, "'x' has no fields"},
        {"at", STOA_INVALID, 1, "'at' of 'Sheet' is no number"},
        {"title", STOA_INVALID, 1, "is no number"},
        {"nothing", STOA_NOT_FOUND, 1, "type 'Sheet' has no field 'nothing'"},
        {"seria", STOA_NOT_FOUND, 1, "'seria'"},
        {"serials", STOA_NOT_FOUND, 1, "'serials'"},
        {"at.z", STOA_NOT_FOUND, 4, "type 'Vec' has no field 'z'"},
        {"v", STOA_INVALID, 2, "'v' is an array"},
        {"name", STOA_INVALID, 5, "'name' is an array"},
        {"one", STOA_INVALID, 4, "'one' is an array"},
        {"v[4]", STOA_INVALID, 3, "array 'v' has 4 elements"},
        {"v[99999999999999999999]", STOA_INVALID, 3, "has 4 elements"},
        {"v[18446744073709551616]", STOA_INVALID, 3, "has 4 elements"},
        {"v[-1]", STOA_SYNTAX, 3, "an index"},
        {"v[]", STOA_SYNTAX, 3, "an index"},
        {"v[1", STOA_SYNTAX, 4, "']'"},
        {"v[1x]", STOA_SYNTAX, 4, "']'"},
        {"v[", STOA_SYNTAX, 3, "an index"},
        {"v[1]x", STOA_SYNTAX, 5, "'.' or the end"},
        {"v[1][1]", STOA_SYNTAX, 5, "'.' or the end"},
        {"v[1].x", STOA_INVALID, 5, "'v' has no fields"},
        {"serial[0]", STOA_INVALID, 7, "'serial' is no array"},
        {"grid[1][0]", STOA_SYNTAX, 8, "'.' or the end"},
        {"slots[1]", STOA_INVALID, 1, "is no number"},
        {"slots[2].at[0].x", STOA_INVALID, 7, "has 2 elements"},
        {"slots.at[0].x", STOA_INVALID, 6, "'slots' is an array"},
        {"s\xC3\xA9rial", STOA_NOT_FOUND, 1, "'s'"},
    };
    stoa_create_with(w, STOA_ZERO(Sheet));
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        int errors = s->errors;
        stoa_status status = stoa_sort_key(w, Sheet, bad[i].path, STOA_ASCENDING);
        if (status != bad[i].status || stoa_last_error().column != bad[i].column) {
            fail_msg("'%s' gives %d at column %d: %s", bad[i].path, (int)status,
                     (int)stoa_last_error().column, stoa_last_error().message);
        }
        support_assert_message(bad[i].message);
        assert_int_equal(s->errors, errors + 1);
    }
    assert_int_equal(stoa_sort_key(w, Opaque, "value", STOA_ASCENDING), STOA_NOT_FOUND);
    assert_int_equal(stoa_sort_key(w, Opaque, NULL, STOA_ASCENDING), STOA_INVALID);
    char text[5000];
    memset(text, 'x', sizeof text);
    text[sizeof text - 1] = '\0';
    assert_int_equal(stoa_sort_key(w, Sheet, text, STOA_ASCENDING), STOA_NOT_FOUND);
    assert_int_equal(stoa_sort_key(w, Odd, "a_1", STOA_ASCENDING), STOA_OK);
    assert_int_equal(stoa_sort_key(w, Odd, "_b", STOA_ASCENDING), STOA_OK);
    assert_int_equal(stoa_sort_key(w, Odd, "A", STOA_ASCENDING), STOA_OK);
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, field_open, sort_close)
    const struct CMUnitTest tests[] = {
        TEST(path_leads_to_its_number),
        TEST(enums_are_keys_by_field_or_alone),
        TEST(types_made_at_run_time_have_keys),
        TEST(wrong_paths_are_refused_at_their_column),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
