/* Texts that are cut, damaged, too deep, or made to take memory: refused, and nothing has changed.
 */
#include "json_fixture.h"

#include <stdlib.h>

static const char world_text[] =
    "{\"stoa\":1,\"resources\":{\"Health\":{\"points\":3}},\"free\":[\"3v2\"],"
    "\"archetypes\":[[\"Position\"],[\"Health\",\"Shield\"]],\"order\":{\"Burning\":[\"b\",\"a\"]},"
    "\"entities\":[{\"id\":\"1v1\",\"name\":\"a\",\"Position\":{\"x\":1.5,\"y\":-2e3},\"Burning\":"
    "1},"
    "{\"id\":\"2v7\",\"name\":\"b\",\"Health\":{\"points\":-5},\"Shield\":{\"strength\":3},"
    "\"Burning\":{\"heat\":2},\"off\":[\"Shield\"],\"Parent\":\"a\"},"
    "{\"id\":\"4v1\",\"Target\":{\"entity\":\"#3v1\"},\"Frozen\":true}]}";

static const char scene_text[] =
    "{\"prefabs\":[{\"name\":\"p\",\"Health\":1,\"children\":[]},{\"id\":7,\"base\":\"p\","
    "\"children\":[{\"prefab\":\"p\",\"Target\":\"#0\"}],\"remove\":[\"Health\"]}],"
    "\"entities\":[{\"name\":\"a\",\"prefab\":\"#7\",\"Position\":{\"x\":1}},"
    "{\"id\":2,\"Parent\":\"a\",\"Shield\":1,\"off\":[\"Shield\"],\"Target\":\"#2\"}]}";

static void types_register(stoa_world *w) {
    stoa_id(w, Position);
    stoa_id(w, Health);
    stoa_id(w, Target);
    stoa_id(w, Frozen);
    stoa_id(w, Burning);
    stoa_id(w, Shield);
    stoa_id(w, Parent);
    stoa_id(w, Name);
}

/* Loads a text in a block of its own size, so that reading past its end shows. */
static stoa_status text_try(stoa_world *w, const char *text, size_t size, bool scene) {
    char *copy = malloc(size > 0 ? size : 1);
    assert_non_null(copy);
    memcpy(copy, text, size);
    stoa_json_error error;
    stoa_status status = STOA_OK;
    stoa_error_clear();
    if (scene) {
        stoa_scene *made = stoa_scene_load(w, copy, size, &error);
        status = made != NULL ? STOA_OK : stoa_last_error().status;
        stoa_scene_free(made);
    } else {
        status = stoa_json_load_world(w, copy, size, &error);
    }
    if (status != STOA_OK) {
        assert_int_not_equal(status, STOA_NO_MEMORY);
        assert_true(error.offset <= size);
        assert_true(stoa_last_error().message[0] != '\0');
    }
    free(copy);
    return status;
}

/* SNP-05 SNP-07 */
static void every_truncation_is_refused(void **state) {
    stoa_world *w = world_of(state);
    types_register(w);
    uint64_t hash = stoa_hash(w);
    for (size_t size = 0; size < sizeof world_text - 1; size++) {
        assert_int_equal(text_try(w, world_text, size, false), STOA_SYNTAX);
        assert_true(stoa_hash(w) == hash);
    }
    for (size_t size = 0; size < sizeof scene_text - 1; size++) {
        assert_int_equal(text_try(w, scene_text, size, true), STOA_SYNTAX);
        assert_true(stoa_hash(w) == hash);
    }
    assert_int_equal(text_try(w, scene_text, sizeof scene_text - 1, true), STOA_OK);
    assert_int_equal(text_try(w, world_text, sizeof world_text - 1, false), STOA_OK);
    assert_int_equal(stoa_count(w), 3);
}

/* A world for one text that may be taken. */
static void damaged_try(const char *text, size_t size, bool scene) {
    support_world s;
    support_world_open(&s);
    types_register(s.world);
    if (text_try(s.world, text, size, scene) != STOA_OK || scene) {
        assert_int_equal(stoa_count(s.world), 0);
    }
    support_world_close(&s);
}

/* SNP-05 SNP-07 */
static void every_flipped_bit_is_survived(void **state) {
    (void)state;
    char copy[sizeof world_text > sizeof scene_text ? sizeof world_text : sizeof scene_text];
    for (int scene = 0; scene < 2; scene++) {
        const char *text = scene != 0 ? scene_text : world_text;
        size_t size = (scene != 0 ? sizeof scene_text : sizeof world_text) - 1;
        for (size_t i = 0; i < size * 8; i++) {
            memcpy(copy, text, size);
            copy[i / 8] = (char)(copy[i / 8] ^ (1 << i % 8));
            damaged_try(copy, size, scene != 0);
        }
    }
}

/* SNP-05 SNP-07 */
static void pieces_swapped_at_random_are_survived(void **state) {
    (void)state;
    support_random random = {11};
    char copy[sizeof world_text];
    size_t size = sizeof world_text - 1;
    for (int round = 0; round < 1500; round++) {
        memcpy(copy, world_text, size);
        for (int i = 0; i < 3; i++) {
            size_t length = support_random_below(&random, 12);
            size_t from = support_random_below(&random, (uint32_t)(size - length));
            size_t to = support_random_below(&random, (uint32_t)(size - length));
            memmove(copy + to, copy + from, length);
        }
        damaged_try(copy, size, false);
    }
}

/* SNP-05 SNP-07 */
static void deep_nesting_is_refused(void **state) {
    stoa_world *w = world_of(state);
    types_register(w);
    size_t size = 1000000;
    char *text = malloc(size);
    assert_non_null(text);
    static const char *const patterns[] = {"[", "{\"a\":", "{\"entities\":[{\"Position\":"};
    for (size_t p = 0; p < 3; p++) {
        size_t length = strlen(patterns[p]);
        for (size_t i = 0; i < size; i++) {
            text[i] = patterns[p][i % length];
        }
        assert_int_equal(text_try(w, text, size, false), STOA_SYNTAX);
        assert_int_equal(text_try(w, text, size, true), STOA_SYNTAX);
    }
    /* As deep as the parser goes: then it is refused for what it is. */
    size_t deep = 2000;
    memset(text, '[', deep);
    memset(text + deep, ']', deep);
    assert_fails(STOA_SYNTAX, "expected an object", text_try(w, text, 2 * deep, false));
    memcpy(text, "{\"entities\":", 12);
    memset(text + 12, '[', deep);
    memset(text + 12 + deep, ']', deep);
    text[12 + 2 * deep] = '}';
    assert_fails(STOA_SYNTAX, "entities[0]: expected", text_try(w, text, 13 + 2 * deep, false));
    free(text);
}

/* SNP-05 SNP-07 */
static void strange_texts_are_refused(void **state) {
    stoa_world *w = world_of(state);
    types_register(w);
    static const struct {
        const char *text;
        size_t size;
        stoa_status status;
    } cases[] = {
#define CASE(status, text) {text, sizeof text - 1, status}
        CASE(STOA_SYNTAX, "{\"entities\":[{\"Health\":99999999999999999999999999}]}"),
        CASE(STOA_SYNTAX, "{\"entities\":[{\"Position\":{\"x\":1e999}}]}"),
        CASE(STOA_SYNTAX, "{\"entities\":[{\"Health\":00}]}"),
        CASE(STOA_SYNTAX, "{\"entities\":[{\"name\":\"\xC3\x28\"}]}"),
        CASE(STOA_SYNTAX, "{\"entities\":[{\"name\":\"\\ud800\"}]}"),
        CASE(STOA_SYNTAX, "{\"entities\":[{\"name\":\"a\\u0000b\"}]}"),
        CASE(STOA_SYNTAX, "{\"entities\":[{\"name\":\"a\0b\"}]}"),
        CASE(STOA_SYNTAX, "{\"entities\":[{}]}\0"),
        CASE(STOA_SYNTAX, "{\"entities\":[{}]} x"),
        CASE(STOA_SYNTAX, "{\"entities\":[{}],\"entities\":[{}]}"),
        CASE(STOA_SYNTAX, "\xEF\xBB\xBF{}"),
        CASE(STOA_SYNTAX, "{'entities':[]}"),
        CASE(STOA_SYNTAX, "{\"entities\":[{\"Health\":NaN}]}"),
        CASE(STOA_SYNTAX, "{\"entities\":[{\"id\":\"1v1v1\"}]}"),
        CASE(STOA_SYNTAX, "{\"entities\":[{\"id\":\"v\"}]}"),
        CASE(STOA_SYNTAX, "{\"entities\":[{\"id\":\"99999999999v1\"}]}"),
        CASE(STOA_SYNTAX, "{\"entities\":[{\"id\":\"1v99999999999\"}]}"),
        CASE(STOA_SYNTAX, "{\"entities\":[{\"id\":\"00000000000000001v1\"}]}"),
        CASE(STOA_SYNTAX, "{\"entities\":[{\"id\":5000000000}]}"),
        CASE(STOA_LIMIT, "{\"free\":null,\"entities\":[{\"id\":\"2147483647v1\"}]}"),
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        stoa_status status = text_try(w, cases[i].text, cases[i].size, false);
        if (status != cases[i].status && status != STOA_SYNTAX) {
            print_error("%s\n", cases[i].text);
            assert_int_equal(status, cases[i].status);
        }
        assert_int_not_equal(status, STOA_OK);
        assert_int_equal(stoa_count(w), 0);
    }
}

/* SNP-05 */
static void small_text_cannot_take_much_memory(void **state) {
    support_world *s = *state;
    types_register(s->world);
    static const char *const texts[] = {"{\"entities\":[{\"id\":\"2147483646v1\"}]}",
                                        "{\"free\":[\"2147483646v1\"]}",
                                        "{\"free\":[],\"retired\":[2147483646]}"};
    size_t before = s->heap.bytes;
    for (size_t i = 0; i < 3; i++) {
        s->heap.fail_at = 40; /* a failure here would be STOA_NO_MEMORY */
        assert_int_not_equal(text_try(s->world, texts[i], strlen(texts[i]), false), STOA_OK);
        s->heap.fail_at = 0;
    }
    assert_true(s->heap.bytes <= before + 4096);
}

/* SNP-07 */
static void long_keys_and_paths_are_cut(void **state) {
    stoa_world *w = world_of(state);
    types_register(w);
    size_t size = 5000;
    char *text = malloc(size);
    assert_non_null(text);
    size_t start = (size_t)snprintf(text, size, "{\"entities\":[{\"");
    memset(text + start, 0, size - start);
    for (size_t i = start; i < 4000; i += 2) {
        memcpy(text + i, "\xC3\xA4", 2);
    }
    strcat(text, "\":1}]}");
    stoa_json_error error;
    assert_int_equal(stoa_json_load_world(w, text, strlen(text), &error), STOA_NOT_FOUND);
    assert_int_equal(error.column, 2011);
    assert_true(strlen(error.path) < STOA_JSON_PATH_SIZE);
    support_assert_message("entities[0].\xC3\xA4");
    free(text);
}

int main(void) {
    const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, support_setup, support_teardown)
        TEST(every_truncation_is_refused),
        cmocka_unit_test(every_flipped_bit_is_survived),
        cmocka_unit_test(pieces_swapped_at_random_are_survived),
        TEST(deep_nesting_is_refused),
        TEST(strange_texts_are_refused),
        TEST(small_text_cannot_take_much_memory),
        TEST(long_keys_and_paths_are_cut),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
