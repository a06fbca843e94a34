/* Single entities as JSON: saved, made, changed, and what is refused with its place. */
#include "json_fixture.h"

#include <stdlib.h>

#include "stoa/persist.h"

/* A component that owns memory and brings functions. */
typedef struct Note {
    char *text;
} Note;

static char *text_copy(const char *text) {
    size_t size = strlen(text) + 1;
    char *copy = malloc(size);
    assert_non_null(copy);
    memcpy(copy, text, size);
    return copy;
}

static void note_drop(void *items, int32_t count, void *user) {
    (void)user;
    Note *notes = items;
    for (int32_t i = 0; i < count; i++) {
        free(notes[i].text);
    }
}

static bool note_copy(void *to, const void *from, int32_t count, void *user) {
    (void)user;
    for (int32_t i = 0; i < count; i++) {
        ((Note *)to)[i].text = text_copy(((const Note *)from)[i].text);
    }
    return true;
}

static stoa_status note_save(const stoa_sink *sink, const void *items, int32_t count, void *user) {
    (void)user;
    const Note *notes = items;
    for (int32_t i = 0; i < count; i++) {
        uint8_t length = (uint8_t)strlen(notes[i].text);
        if (length == 99) {
            return STOA_FAILED;
        }
        stoa_sink_write(sink, &length, 1);
        stoa_sink_write(sink, notes[i].text, length);
    }
    return STOA_OK;
}

static stoa_status note_load(const stoa_source *source, void *items, int32_t count, void *user) {
    (void)user;
    (void)count;
    uint8_t length;
    char text[256] = "";
    stoa_status status = stoa_source_read(source, &length, 1);
    if (status == STOA_OK) {
        status = stoa_source_read(source, text, length);
    }
    if (status == STOA_OK) {
        ((Note *)items)->text = text_copy(text);
    }
    return status;
}

static const stoa_persist note_persist = {.save = note_save, .load = note_load};
STOA_TYPE_WITH(Note,
               STOA_OPTIONS(.hooks = {.drop = note_drop, .copy = note_copy},
                            .persist = &note_persist),
               {});

typedef struct Blob {
    uint8_t bytes[5];
} Blob;
STOA_TYPE_WITH(Blob, STOA_OPTIONS(.flags = STOA_RAW), {});

typedef struct Secret {
    int32_t number;
} Secret;
STOA_TYPE(Secret);
STOA_COMPONENT(Label, { const char *text; });

static const stoa_alias armour_fields[] = {{"thick", "thickness"}, {NULL, NULL}};
static const int32_t armour_defaults[2] = {5, 7};
static const stoa_persist armour_persist = {
    .former_names = "Plate Mail", .fields = armour_fields, .defaults = armour_defaults};
STOA_COMPONENT_WITH(Armour, STOA_OPTIONS(.persist = &armour_persist),
                    { int32_t thickness, weight; });
STOA_COMPONENT_WITH(Odd, STOA_OPTIONS(.name = "name"), { int32_t n; });
STOA_COMPONENT_WITH(Colon, STOA_OPTIONS(.name = ":x"), { int32_t n; });

static void types_register(stoa_world *w) {
    stoa_id(w, Position);
    stoa_id(w, Health);
    stoa_id(w, Target);
    stoa_id(w, Frozen);
    stoa_id(w, Burning);
    stoa_id(w, Shield);
    stoa_id(w, Note);
    stoa_id(w, Blob);
    stoa_id(w, Armour);
}

static stoa_entity load(stoa_world *w, const char *text) {
    return stoa_json_load_entity(w, text, strlen(text), NULL);
}

static stoa_status apply(stoa_world *w, stoa_entity e, const char *text) {
    return stoa_json_apply(w, e, text, strlen(text), NULL);
}

/* SNP-07 */
static void entity_is_written_by_components_in_order(void **state) {
    stoa_world *w = world_of(state);
    saved s;
    types_register(w);
    stoa_entity ship = stoa_create_with(w, STOA_VALUE(Name, {"ship"}));
    stoa_entity e = stoa_create_with(w, STOA_VALUE(Burning, {9}), STOA_VALUE(Target, {ship}),
                                     STOA_VALUE(Position, {1, 2.5f}), STOA_ZERO(Frozen),
                                     STOA_VALUE(Shield, {3}), STOA_VALUE(Scratch, {1}));
    stoa_name_set(w, e, "mine \"1\"");
    stoa_enable(w, e, Shield, false);
    assert_string_equal(entity_text(&s, w, e, STOA_JSON_PRETTY),
                        "{\n"
                        "  \"name\": \"mine \\\"1\\\"\",\n"
                        "  \"Position\": {\"x\": 1, \"y\": 2.5},\n"
                        "  \"Target\": {\"entity\": \"ship\"},\n"
                        "  \"Frozen\": true,\n"
                        "  \"Burning\": {\"heat\": 9},\n"
                        "  \"Shield\": {\"strength\": 3},\n"
                        "  \"off\": [\"Shield\"]\n"
                        "}\n");
    assert_int_equal(stoa_destroy(w, e), STOA_OK);
    stoa_entity back = load(w, s.text);
    assert_false(stoa_entity_is_null(back));
    saved again;
    assert_string_equal(entity_text(&again, w, back, STOA_JSON_PRETTY), s.text);
    assert_same(stoa_find(w, "mine \"1\""), back);
    assert_false(stoa_enabled(w, back, Shield));
    assert_false(stoa_has(w, back, Scratch));
}

/* SNP-07 */
static void empty_entity_is_an_empty_object(void **state) {
    stoa_world *w = world_of(state);
    saved s;
    assert_string_equal(entity_text(&s, w, stoa_create(w), STOA_JSON_PRETTY), "{}\n");
    assert_string_equal(entity_text(&s, w, stoa_create(w), STOA_JSON_COMPACT), "{}");
    stoa_entity e = load(w, " {} ");
    assert_true(stoa_alive(w, e));
}

/* SNP-07 SNP-03 */
static void types_with_functions_and_raw_ones_are_bytes(void **state) {
    stoa_world *w = world_of(state);
    saved s;
    types_register(w);
    Note note = {text_copy("hello")};
    Blob blob = {{1, 2, 3, 4, 255}};
    stoa_entity e = stoa_create(w);
    stoa_set_from(w, e, Note, &note);
    stoa_set_from(w, e, Blob, &blob);
    assert_string_equal(entity_text(&s, w, e, STOA_JSON_COMPACT),
                        "{\"Note\":\"BWhlbGxv\",\"Blob\":\"AQIDBP8=\"}");
    stoa_entity back = load(w, s.text);
    assert_string_equal(stoa_get(w, back, Note)->text, "hello");
    assert_memory_equal(stoa_get(w, back, Blob), &blob, sizeof blob);
    assert_true(stoa_entity_is_null(load(w, "{\"Note\":\"BWhlbG\"}")));
    support_assert_message("base 64");
    assert_true(stoa_entity_is_null(load(w, "{\"Note\":\"BWhlbA==\"}")));
    support_assert_message("Note: the function that loads component 'Note' refused");
    assert_true(stoa_entity_is_null(load(w, "{\"Note\":\"BWhlbGxvAA==\"}")));
    support_assert_message("component 'Note' has 1 bytes too many");
    assert_true(stoa_entity_is_null(load(w, "{\"Blob\":\"AQID\"}")));
    support_assert_message("expected 5 bytes, got 3");
    assert_true(stoa_entity_is_null(load(w, "{\"Blob\":\"AQIDBP9=\"}")));
    assert_true(stoa_entity_is_null(load(w, "{\"Blob\":\"AQI*BP8=\"}")));
    assert_true(stoa_entity_is_null(load(w, "{\"Blob\":[1]}")));
    assert_true(stoa_entity_is_null(load(w, "{\"Note\":7}")));
    /* A value that was made is dropped when something after it fails. */
    assert_true(stoa_entity_is_null(load(w, "{\"Note\":\"BWhlbGxv\",\"Nothing\":1}")));
    assert_int_equal(stoa_count(w), 2);
}

/* SNP-03 */
static void component_that_cannot_be_saved_is_named(void **state) {
    stoa_world *w = world_of(state);
    stoa_blob blob = {0};
    stoa_sink sink = stoa_blob_sink(&blob);
    stoa_entity secret = stoa_create_with(w, STOA_VALUE(Secret, {1}));
    assert_fails(STOA_REFUSED, "component 'Secret' cannot be saved",
                 stoa_json_save_entity(w, secret, 0, &sink));
    assert_fails(STOA_REFUSED, "component 'Secret'", stoa_json_save_world(w, 0, &sink));
    stoa_destroy(w, secret);
    stoa_entity label = stoa_create_with(w, STOA_VALUE(Label, {"x"}));
    assert_fails(STOA_REFUSED, "'Label' cannot be saved: it is not plain",
                 stoa_json_save_entity(w, label, 0, &sink));
    assert_true(stoa_entity_is_null(load(w, "{\"Label\":{\"text\":\"x\"}}")));
    support_assert_message("Label: component 'Label' cannot be saved");
    Note note = {malloc(100)};
    memset(note.text, 'a', 99);
    note.text[99] = '\0';
    stoa_entity e = stoa_create(w);
    stoa_set_from(w, e, Note, &note);
    assert_fails(STOA_FAILED, "the function that saves component 'Note' failed",
                 stoa_json_save_entity(w, e, 0, &sink));
    Scratch scratch = {0};
    assert_fails(STOA_REFUSED, "transient",
                 stoa_json_save_value(w, stoa_id(w, Scratch), &scratch, 0, &sink));
    assert_fails(STOA_REFUSED, "transient",
                 value_load(w, stoa_id(w, Scratch), "{\"used\":1}", &scratch));
    stoa_blob_free(&blob);
}

/* SNP-07 GEN-05 */
static void new_entity_with_a_name_of_null_has_none(void **state) {
    stoa_world *w = ((support_world *)*state)->world;
    static const char text[] = "{\"name\": null}";
    stoa_entity e = stoa_json_load_entity(w, text, sizeof text - 1, NULL);
    assert_false(stoa_entity_is_null(e));
    assert_null(stoa_name(w, e));
}

/* SNP-06 SNP-07 */
static void former_names_and_defaults_are_known(void **state) {
    stoa_world *w = world_of(state);
    types_register(w);
    stoa_entity e = load(w, "{\"Mail\":{\"thick\":3}}");
    assert_int_equal(stoa_get(w, e, Armour)->thickness, 3);
    assert_int_equal(stoa_get(w, e, Armour)->weight, 7);
    e = load(w, "{\"Plate\":{}}");
    assert_int_equal(stoa_get(w, e, Armour)->thickness, 5);
    assert_true(stoa_entity_is_null(load(w, "{\"Plate\":{},\"Mail\":{}}")));
    support_assert_message("component 'Armour' is named twice");
    assert_true(stoa_entity_is_null(load(w, "{\"Pla\":{}}")));
    support_assert_message("there is no component 'Pla'");
}

/* SNP-07 */
static void component_called_like_a_part_has_a_colon(void **state) {
    stoa_world *w = world_of(state);
    saved s;
    stoa_entity e = stoa_create_with(w, STOA_VALUE(Odd, {5}), STOA_VALUE(Colon, {6}));
    stoa_name_set(w, e, "#a");
    assert_string_equal(entity_text(&s, w, e, STOA_JSON_COMPACT),
                        "{\"name\":\"#a\",\":name\":{\"n\":5},\"::x\":{\"n\":6}}");
    stoa_name_set(w, e, NULL);
    stoa_entity back = load(w, s.text);
    assert_int_equal(stoa_get(w, back, Odd)->n, 5);
    assert_int_equal(stoa_get(w, back, Colon)->n, 6);
    assert_string_equal(stoa_name(w, back), "#a");
    /* As a reference the name has one sign more. */
    stoa_entity other = stoa_create_with(w, STOA_VALUE(Target, {back}));
    assert_string_equal(entity_text(&s, w, other, STOA_JSON_COMPACT),
                        "{\"Target\":{\"entity\":\"##a\"}}");
    assert_same(stoa_get(w, load(w, s.text), Target)->entity, back);
}

/* SNP-07 */
static void apply_changes_what_the_text_names_only(void **state) {
    stoa_world *w = world_of(state);
    types_register(w);
    stoa_entity e = stoa_create_with(w, STOA_VALUE(Position, {1, 2}), STOA_VALUE(Health, {5}),
                                     STOA_VALUE(Shield, {1}), STOA_ZERO(Frozen));
    stoa_name_set(w, e, "before");
    assert_int_equal(apply(w, e,
                           "{\"name\":\"after\",\"Position\":{\"y\":9},\"Burning\":{\"heat\":1},"
                           "\"remove\":[\"Health\",\"Frozen\"],\"off\":[\"Shield\"]}"),
                     STOA_OK);
    assert_true(stoa_get(w, e, Position)->x == 1 && stoa_get(w, e, Position)->y == 9);
    assert_true(stoa_has(w, e, Burning) && !stoa_has(w, e, Health) && !stoa_has(w, e, Frozen));
    assert_false(stoa_enabled(w, e, Shield));
    assert_same(stoa_find(w, "after"), e);
    assert_int_equal(apply(w, e, "{\"name\":null}"), STOA_OK);
    assert_null(stoa_name(w, e));
}

/* SNP-07 GEN-03 */
static void apply_that_fails_changes_nothing(void **state) {
    stoa_world *w = world_of(state);
    types_register(w);
    stoa_require(w, "taken");
    stoa_entity e = stoa_create_with(w, STOA_VALUE(Position, {1, 2}), STOA_VALUE(Health, {5}));
    uint64_t hash = stoa_hash(w);
    static const struct {
        const char *text;
        stoa_status status;
        const char *part;
    } cases[] = {
        {"{\"Position\":{\"x\":7},\"name\":\"taken\"}", STOA_TAKEN, "taken"},
        {"{\"Position\":{\"x\":7},\"Health\":{\"points\":\"x\"}}", STOA_SYNTAX,
         "Health.points: expected an integer"},
        {"{\"Position\":{\"x\":7},\"remove\":[\"Nothing\"]}", STOA_NOT_FOUND,
         "remove[0]: there is no component 'Nothing'"},
        {"{\"Position\":{\"x\":7},\"remove\":[7]}", STOA_SYNTAX, "remove[0]: expected the name"},
        {"{\"Position\":{\"x\":7},\"remove\":7}", STOA_SYNTAX, "remove: expected a list"},
        {"{\"Position\":{\"x\":7},\"remove\":[\"Position\"]}", STOA_SYNTAX, "named twice"},
        {"{\"Position\":{\"x\":7},\"off\":[\"Shield\"]}", STOA_NOT_FOUND,
         "there is no 'Shield' to switch off"},
        {"{\"Position\":{\"x\":7},\"off\":[\"Health\"]}", STOA_REFUSED, "not switchable"},
        {"{\"Position\":{\"x\":7},\"off\":7}", STOA_SYNTAX, "off: expected a list"},
        {"{\"Position\":{\"x\":7},\"children\":[]}", STOA_SYNTAX, "'children' cannot stand here"},
        {"{\"Position\":{\"x\":7},\"relations\":{}}", STOA_SYNTAX, "'relations' cannot stand"},
        {"{\"Position\":{\"x\":7},\"name\":7}", STOA_SYNTAX, "name: expected a name, got 7"},
        {"{\"Position\":{\"x\":7},\"name\":\"\"}", STOA_INVALID, "name"},
        {"{\"Position\":{\"x\":7},\"Name\":{\"text\":\"x\"}}", STOA_REFUSED, "Name: component"},
        {"{\"Frozen\":false}", STOA_SYNTAX, "Frozen: expected true, got false"},
        {"7", STOA_SYNTAX, "expected an object, got 7"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        assert_fails(cases[i].status, cases[i].part, apply(w, e, cases[i].text));
        assert_true(stoa_hash(w) == hash);
    }
}

/* SNP-07 */
static void failure_tells_line_column_and_path(void **state) {
    stoa_world *w = world_of(state);
    types_register(w);
    static const struct {
        const char *text;
        int32_t line, column;
        const char *path, *part;
    } cases[] = {
        {"{\n  \"Position\": {\"x\": 1,\n     \"y\": \"high\"}\n}", 3, 11, "Position.y",
         "line 3, column 11: Position.y: expected a number, got \"high\""},
        {"{\"Position\": {\"x\": 1, \"q\": 2}}", 1, 28, "Position.q", "no member 'q'"},
        {"{ \"\xC3\xA4\" : 1 }", 1, 9, "\xC3\xA4", "there is no component"},
        {"{\"name\" : \"a\\\"]},\" , \"Health\":[1,[2,{}],3]}", 1, 31, "Health", "integer"},
        {"\n\n  [1]", 3, 3, "", "line 3, column 3: expected an object, got a list"},
        {"{\"a\":1,}", 1, 8, "", "line 1, column 8: "},
        {"{\"Health\":{},\n\"Health\":{}}", 2, 8, "", "duplicate"},
        {"", 1, 1, "", "line 1"},
        {"{\"Health\":1", 1, 11, "", "line 1, column 11"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        stoa_json_error error;
        assert_true(stoa_entity_is_null(
            stoa_json_load_entity(w, cases[i].text, strlen(cases[i].text), &error)));
        support_assert_message(cases[i].part);
        assert_int_equal(error.line, cases[i].line);
        assert_int_equal(error.column, cases[i].column);
        assert_string_equal(error.path, cases[i].path);
        assert_int_equal(stoa_last_error().column, cases[i].column);
        assert_true(error.offset <= strlen(cases[i].text));
    }
}

/* SNP-07 GEN-05 */
static void null_and_dead_arguments_are_refused(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    stoa_blob blob = {0};
    stoa_sink sink = stoa_blob_sink(&blob), none = {0};
    stoa_entity dead = stoa_create(w);
    Health h;
    stoa_destroy(w, dead);
    support_assert_misuse(s, stoa_json_save_entity(w, dead, 0, &sink), STOA_DEAD);
    support_assert_misuse(s, stoa_json_save_entity(w, dead, 0, NULL), STOA_NULL_ARGUMENT);
    support_assert_misuse(s, stoa_json_save_world(w, 0, &none), STOA_NULL_ARGUMENT);
    support_assert_misuse(s, stoa_json_save_value(w, 999, &h, 0, &sink), STOA_UNKNOWN);
    support_assert_misuse(s, stoa_json_save_value(w, stoa_id(w, Health), NULL, 0, &sink),
                          STOA_NULL_ARGUMENT);
    support_assert_misuse(s, value_load(w, stoa_id(w, Health), "1", NULL), STOA_NULL_ARGUMENT);
    support_assert_misuse(s, value_load(w, 999, "1", &h), STOA_UNKNOWN);
    support_assert_misuse(s, stoa_json_load_world(w, NULL, 0, NULL), STOA_NULL_ARGUMENT);
    support_assert_misuse(s, apply(w, dead, "{}"), STOA_DEAD);
    assert_true(stoa_entity_is_null(stoa_json_load_entity(w, NULL, 0, NULL)));
    support_assert_misuse(s, stoa_last_error().status, STOA_NULL_ARGUMENT);
    assert_int_equal(stoa_json_save_world(NULL, 0, &sink), STOA_NULL_ARGUMENT);
    assert_int_equal(blob.size, 0);
}

static stoa_status full_write(void *user, const void *bytes, size_t size) {
    (void)bytes;
    (void)size;
    *(int *)user += 1;
    return stoa_fail(STOA_IO, "the disk is full");
}

/* SNP-07 */
static void sink_that_fails_is_not_written_again(void **state) {
    stoa_world *w = world_of(state);
    int calls = 0;
    stoa_sink sink = {full_write, &calls};
    for (int i = 0; i < 1000; i++) {
        stoa_create_with(w, STOA_VALUE(Position, {1, 2}));
    }
    assert_fails(STOA_IO, "the disk is full", stoa_json_save_world(w, 0, &sink));
    assert_int_equal(calls, 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, support_setup, support_teardown)
        TEST(entity_is_written_by_components_in_order),
        TEST(empty_entity_is_an_empty_object),
        TEST(types_with_functions_and_raw_ones_are_bytes),
        TEST(component_that_cannot_be_saved_is_named),
        TEST(new_entity_with_a_name_of_null_has_none),
        TEST(former_names_and_defaults_are_known),
        TEST(component_called_like_a_part_has_a_colon),
        TEST(apply_changes_what_the_text_names_only),
        TEST(apply_that_fails_changes_nothing),
        TEST(failure_tells_line_column_and_path),
        TEST(null_and_dead_arguments_are_refused),
        TEST(sink_that_fails_is_not_written_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
