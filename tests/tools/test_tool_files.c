/* The commands that read snapshots: print, verify, diff, hash, json and unjson. */
#include <inttypes.h>
#include <stdlib.h>

#include "tools/tool_fixture.h"

#include "modules/garden.h"
#include "stoa/snapshot.h"

/* A snapshot that this program makes: a garden of one entity, changed by a function. */
static const char *world_save(const char *folder, const char *name,
                              void (*change)(stoa_world *world, stoa_entity e)) {
    support_world s;
    support_world_open(&s);
    stoa_entity e = stoa_create_with(
        s.world, STOA_VALUE(Spot, {1, 2}), STOA_VALUE(Label, {"rose", {1, -2, 3}}),
        STOA_VALUE(Next, {STOA_NULL}), STOA_VALUE(Awake, {200}), STOA_VALUE(Marked, {0.1}));
    stoa_resource_set(s.world, Clock, {.note = "now", .days = -3, .ticks = UINT64_MAX});
    stoa_name_set(s.world, e, "rose");
    if (change != NULL) {
        change(s.world, e);
    }
    const char *path = spawn_path(folder, name);
    assert_int_equal(stoa_snapshot_save_file(s.world, NULL, path), STOA_OK);
    support_world_close(&s);
    return path;
}

/* TOL-02: all components, by what the file tells of them. */
static void print_lists_entities_and_resources(void **state) {
    const char *path = garden_save(*state, "a", "3");
    static const char text[] = "1v1\n"
                               "  Name {text: \"rose\"}\n"
                               "  Label {text: \"rose\", numbers: [1, -2, 3]}\n"
                               "  Red\n"
                               "  Spot {x: 2.5, y: 2}\n"
                               "2v1\n";
    TOOL_EXPECT(0, text, "", "print", path);
    TOOL_EXPECT(0, "\n  Awake {degree: 7} (off)\n", "", "print", path);
    TOOL_EXPECT(0, "\n  Next {entity: 1v1}\n", "", "print", path);
    TOOL_EXPECT(0, "\nresource Clock {note: \"day 3\", days: 3,", "", "print", path);
}

STOA_ENUM(Scent, {SWEET, BITTER = -4, SALT = 9});
STOA_COMPONENT(Smell, {
    Scent now;
    Scent before[2];
});

static void smell_set(stoa_world *world, stoa_entity e) {
    assert_true(stoa_id(world, Scent) != 0);
    assert_int_equal(stoa_set(world, e, Smell, {BITTER, {SALT, (Scent)5}}), STOA_OK);
}

static void smell_change(stoa_world *world, stoa_entity e) {
    assert_true(stoa_id(world, Scent) != 0);
    assert_int_equal(stoa_set(world, e, Smell, {SWEET, {SALT, (Scent)5}}), STOA_OK);
}

/* TOL-02: the file tells what the values of enums are called. */
static void enums_are_shown_by_name(void **state) {
    const char *path = world_save(*state, "a", smell_set);
    const char *other = world_save(*state, "b", smell_change);
    TOOL_EXPECT(0, "  Smell {now: BITTER, before: [SALT, 5]}\n", "", "print", path);
    TOOL_EXPECT(1, "Smell.now: BITTER -> SWEET\n", "", "diff", path, other);
}

/* TOL-02 */
static void print_shows_one_entity_by_number_handle_or_name(void **state) {
    const char *path = garden_save(*state, "a", "3");
    static const char text[] = "1v1\n  Name {text: \"rose\"}\n";
    spawn_run first = TOOL_RUN("print", path, "--entity", "1");
    assert_int_equal(first.code, 0);
    assert_memory_equal(first.out, text, sizeof text - 1);
    assert_null(strstr(first.out, "2v1\n"));
    spawn_end(&first);
    TOOL_EXPECT(0, text, "", "print", path, "--entity", "1v1");
    TOOL_EXPECT(0, text, "", "print", path, "--entity", "rose");
    static const char *const missing[] = {"3",     "3v1",  "1v2",        "1v",
                                          "0",     "5",    "1x",         "v1",
                                          "tulip", "1v1x", "4294967295", "99999999999"};
    for (size_t i = 0; i < sizeof missing / sizeof missing[0]; i++) {
        TOOL_EXPECT(1, "", "lives", "print", path, "--entity", missing[i]);
    }
}

/* TOL-02 */
static void print_shows_what_a_query_matches(void **state) {
    const char *path = garden_save(*state, "a", "3");
    spawn_run run = TOOL_RUN("print", path, "--query", "Spot, Red");
    assert_int_equal(run.code, 0);
    assert_memory_equal(run.out, "1v1\n", 4);
    assert_null(strstr(run.out, "2v1\n"));
    assert_null(strstr(run.out, "resource"));
    spawn_end(&run);
    TOOL_EXPECT(0, "", "", "print", path, "--query", "Spot, Next");
    TOOL_EXPECT(0, "4v1\n", "", "print", path, "--query", "with Marked");
    TOOL_EXPECT(1, "", "Tulip", "print", path, "--query", "Tulip");
    TOOL_EXPECT(1, "", "column", "print", path, "--query", "Spot,,");
    TOOL_EXPECT(1, "", "stoa print: ", "print", path, "--query", "");
}

/* TOL-02 */
static void verify_tells_what_is_in_a_file(void **state) {
    const char *path = world_save(*state, "a", NULL);
    TOOL_EXPECT(0, "is a sound snapshot", "", "verify", path);
    TOOL_EXPECT(0, "\n  entities    1\n", "", "verify", path);
    TOOL_EXPECT(0, "\n  resources   1\n", "", "verify", path);
}

/* TOL-02: the hash of the file is the hash of the world. */
static void hash_is_that_of_the_world(void **state) {
    support_world s;
    support_world_open(&s);
    stoa_entity e = stoa_create_with(s.world, STOA_VALUE(Spot, {1, 2}), STOA_ZERO(Red));
    stoa_create_with(s.world, STOA_VALUE(Next, {e}), STOA_VALUE(Marked, {2}));
    stoa_destroy(s.world, stoa_create(s.world));
    stoa_name_set(s.world, e, "rose");
    const char *path = spawn_path(*state, "a");
    assert_int_equal(stoa_snapshot_save_file(s.world, NULL, path), STOA_OK);
    char text[20];
    snprintf(text, sizeof text, "%016" PRIx64 "\n", stoa_hash(s.world));
    support_world_close(&s);
    spawn_run run = TOOL_RUN("hash", path);
    assert_int_equal(run.code, 0);
    assert_string_equal(run.out, text);
    assert_string_equal(run.err, "");
    spawn_end(&run);
}

static void values_change(stoa_world *world, stoa_entity e) {
    stoa_set(world, e, Spot, {1, 0.1f});
    stoa_set(world, e, Label, {"tulip", {1, 5, 3}});
    stoa_set(world, e, Next, {e});
    stoa_set(world, e, Awake, {7});
    stoa_enable(world, e, Awake, false);
    stoa_set(world, e, Marked, {1.0 / 3});
    stoa_name_set(world, e, "tulip");
    stoa_resource_set(world, Clock, {.note = "later", .days = 4, .ticks = 1, .part = 0.123456789f});
}

/* TOL-02 */
static void diff_names_fields_that_differ(void **state) {
    const char *a = world_save(*state, "a", NULL);
    const char *b = world_save(*state, "b", values_change);
    static const char *const lines[] = {
        "1v1 Spot.y: 2 -> 0.1\n",
        "1v1 Label.text: \"rose\" -> \"tulip\"\n",
        "1v1 Label.numbers[1]: -2 -> 5\n",
        "1v1 Next.entity: 0v0 -> 1v1\n",
        "1v1 Awake: on -> off\n",
        "1v1 Awake.degree: 200 -> 7\n",
        "1v1 Marked.weight: 0.1 -> 0.3333333333333333\n",
        "1v1 Name.text: \"rose\" -> \"tulip\"\n",
        "resource Clock.note: \"now\" -> \"later\"\n",
        "resource Clock.days: -3 -> 4\n",
        "resource Clock.ticks: 18446744073709551615 -> 1\n",
        "resource Clock.part: 0 -> 0.12345679\n",
    };
    spawn_run run = TOOL_RUN("diff", a, b);
    assert_int_equal(run.code, 1);
    size_t length = 0;
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        if (strstr(run.out, lines[i]) == NULL) {
            print_error("no line %s in:\n%s", lines[i], run.out);
            fail();
        }
        length += strlen(lines[i]);
    }
    assert_int_equal(run.out_size, length);
    spawn_end(&run);
}

static void parts_change(stoa_world *world, stoa_entity e) {
    stoa_remove(world, e, Marked);
    stoa_add(world, e, Red);
    stoa_create(world);
    stoa_resource_remove(world, Clock);
}

/* TOL-02: both ways round. */
static void diff_names_what_only_one_has(void **state) {
    const char *a = world_save(*state, "a", NULL);
    const char *b = world_save(*state, "b", parts_change);
    static const char *const there[] = {"1v1 -Marked\n", "1v1 +Red\n", "+2v1\n",
                                        "resource -Clock\n"};
    static const char *const back[] = {"1v1 +Marked\n", "1v1 -Red\n", "-2v1\n",
                                       "resource +Clock\n"};
    for (int i = 0; i < 4; i++) {
        TOOL_EXPECT(1, there[i], "", "diff", a, b);
        TOOL_EXPECT(1, back[i], "", "diff", b, a);
    }
}

static void row_change(stoa_world *world, stoa_entity e) {
    stoa_destroy(world, stoa_create(world));
    (void)e;
}

static void tenant_change(stoa_world *world, stoa_entity e) {
    stoa_destroy(world, e);
    stoa_create(world);
}

/* TOL-02 */
static void diff_of_the_same_world_is_empty(void **state) {
    const char *a = world_save(*state, "a", NULL);
    const char *b = world_save(*state, "b", NULL);
    const char *later = world_save(*state, "c", row_change);
    const char *tenant = world_save(*state, "d", tenant_change);
    TOOL_EXPECT(0, "", "", "diff", a, a);
    TOOL_EXPECT(0, "", "", "diff", a, b);
    TOOL_EXPECT(1, "in another order or with other handles", "", "diff", a, later);
    TOOL_EXPECT(1, "-1v1\n+1v2\n", "", "diff", a, tenant);
}

#ifdef TOOL_JSON

/* TOL-02, SNP-07: there and back is the same world, with types from a snapshot or from a module. */
static void json_goes_there_and_back(void **state) {
    const char *from = garden_save(*state, "a", "3");
    const char *text = spawn_path(*state, "a.json");
    const char *back = spawn_path(*state, "b");
    TOOL_EXPECT(0, "", "", "json", from, "-o", text);
    TOOL_EXPECT(0, "", "", "unjson", text, "-o", back, "--types", from);
    TOOL_EXPECT(0, "", "", "diff", from, back);
    TOOL_EXPECT(0, "", "", "unjson", text, GARDEN, "-o", back);
    TOOL_EXPECT(0, "", "", "diff", from, back);
    TOOL_EXPECT(0, "\"name\": \"rose\"", "", "json", from);
    TOOL_EXPECT(0, "\"name\":\"rose\"", "", "json", from, "--compact");
}

/* TOL-02 */
static void unjson_tells_where_a_text_is_wrong(void **state) {
    const char *text = spawn_path(*state, "a.json");
    const char *types = garden_save(*state, "a", "1");
    const char *out = spawn_path(*state, "b");
    static const char bad[] = "{\n  \"stoa\": 1,\n  \"entities\": [{\"Tulip\": 1}]\n}\n";
    spawn_file_write(text, bad, sizeof bad - 1);
    TOOL_EXPECT(1, "", "line 3", "unjson", text, "-o", out, "--types", types);
    spawn_file_write(text, "{", 1);
    TOOL_EXPECT(1, "", text, "unjson", text, "-o", out, "--types", types);
    spawn_file_write(text, "", 0);
    TOOL_EXPECT(1, "", text, "unjson", text, "-o", out, GARDEN);
    TOOL_EXPECT(1, "", out, "hash", out);
}

/* TOL-02 */
static void unjson_needs_an_output_and_one_source_of_types(void **state) {
    (void)state;
    TOOL_EXPECT(2, "", "it takes a file", "unjson", "-o", "b");
    TOOL_EXPECT(2, "", "-o FILE is needed", "unjson", "a");
    TOOL_EXPECT(2, "", "exclude each other", "unjson", "a", "m", "-o", "b", "--types", "c");
    TOOL_EXPECT(2, "", "one file", "json");
}

/* TOL-02 */
static void json_to_a_full_disk_is_an_error(void **state) {
    const char *from = garden_save(*state, "a", "1");
    const char *text = spawn_path(*state, "a.json");
    TOOL_EXPECT(1, "", "/dev/full", "json", from, "-o", "/dev/full");
    TOOL_EXPECT(0, "", "", "json", from, "-o", text);
    TOOL_EXPECT(1, "", "nowhere/b", "unjson", text, GARDEN, "-o", "nowhere/b");
}

#endif

/* Every reading command either takes a file or refuses it with a message; nothing else. */
static void hostile_expect(const char *path, const char *sound) {
    const char *const calls[][4] = {
        {TOOL, "verify", path, NULL}, {TOOL, "print", path, NULL}, {TOOL, "hash", path, NULL}};
    for (int i = 0; i < 3; i++) {
        spawn_run run = spawn_start(calls[i], NULL);
        assert_int_equal(run.code, 1);
        assert_true(run.err_size > 0);
        spawn_end(&run);
    }
    TOOL_EXPECT(1, "", path, "diff", sound, path);
}

/* TOL-02, SNP-05 */
static void cut_or_changed_snapshot_is_refused(void **state) {
    const char *sound = world_save(*state, "a", NULL);
    const char *bad = spawn_path(*state, "b");
    size_t size;
    char *bytes = spawn_file_read(sound, &size);
    for (int i = 0; i < 12; i++) {
        spawn_file_write(bad, bytes, size * (size_t)i / 12);
        hostile_expect(bad, sound);
        size_t at = size * (size_t)i / 12 + (size_t)i % 5;
        bytes[at] = (char)(bytes[at] ^ 1 << i % 8);
        spawn_file_write(bad, bytes, size);
        hostile_expect(bad, sound);
        bytes[at] = (char)(bytes[at] ^ 1 << i % 8);
    }
    free(bytes);
}

#define FOLDER_TEST(name) cmocka_unit_test_setup_teardown(name, folder_open, folder_close)

int main(void) {
    const struct CMUnitTest tests[] = {
        FOLDER_TEST(print_lists_entities_and_resources),
        FOLDER_TEST(enums_are_shown_by_name),
        FOLDER_TEST(print_shows_one_entity_by_number_handle_or_name),
        FOLDER_TEST(print_shows_what_a_query_matches),
        FOLDER_TEST(verify_tells_what_is_in_a_file),
        FOLDER_TEST(hash_is_that_of_the_world),
        FOLDER_TEST(diff_names_fields_that_differ),
        FOLDER_TEST(diff_names_what_only_one_has),
        FOLDER_TEST(diff_of_the_same_world_is_empty),
        FOLDER_TEST(cut_or_changed_snapshot_is_refused),
#ifdef TOOL_JSON
        FOLDER_TEST(json_goes_there_and_back),
        FOLDER_TEST(unjson_tells_where_a_text_is_wrong),
        FOLDER_TEST(json_to_a_full_disk_is_an_error),
        cmocka_unit_test(unjson_needs_an_output_and_one_source_of_types),
#endif
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
