/* The command `stoa`: what it is called with, help, wrong calls, and files that cannot be used. */
#include "tools/tool_fixture.h"

static const char *const command_names[] = {"run",  "print", "verify", "diff",
                                            "hash", "json",  "unjson", "graph"};

#define COMMANDS ((int)(sizeof command_names / sizeof command_names[0]))

/* TOL-02 */
static void help_tells_of_each_command(void **state) {
    (void)state;
    for (int i = 0; i < COMMANDS; i++) {
        char usage[64];
        snprintf(usage, sizeof usage, "usage: stoa %s ", command_names[i]);
        TOOL_EXPECT(0, command_names[i], "", "help");
        TOOL_EXPECT(0, usage, "", "help", command_names[i]);
        TOOL_EXPECT(0, usage, "", command_names[i], "--help");
        TOOL_EXPECT(0, usage, "", command_names[i], "a", "b", "--help");
    }
    TOOL_EXPECT(0, "Exit codes", "", "--help");
}

/* TOL-02 */
static void unknown_command_is_a_wrong_call(void **state) {
    (void)state;
    spawn_run run = spawn_start((const char *const[]){TOOL, NULL}, NULL);
    assert_int_equal(run.code, 2);
    assert_non_null(strstr(run.err, "which command?"));
    spawn_end(&run);
    TOOL_EXPECT(2, "", "no command 'fly'", "fly");
    TOOL_EXPECT(2, "", "no command ''", "");
    TOOL_EXPECT(2, "", "no command 'fly'", "help", "fly");
    TOOL_EXPECT(2, "", "no command 'far'", "help", "run", "far");
}

/* TOL-02 */
static void unknown_option_is_a_wrong_call(void **state) {
    (void)state;
    for (int i = 0; i < COMMANDS; i++) {
        char usage[64];
        snprintf(usage, sizeof usage, "usage: stoa %s ", command_names[i]);
        TOOL_EXPECT(2, "", "no option --bogus", command_names[i], "--bogus");
        TOOL_EXPECT(2, "", usage, command_names[i], "a", "--bogus", "b");
        TOOL_EXPECT(2, "", "no option -", command_names[i], "-");
    }
}

/* TOL-02 */
static void wrong_number_of_files_is_a_wrong_call(void **state) {
    (void)state;
    TOOL_EXPECT(2, "", "at least one module", "run");
    TOOL_EXPECT(2, "", "at least one module", "graph");
    TOOL_EXPECT(2, "", "one file", "print");
    TOOL_EXPECT(2, "", "one file", "print", "a", "b");
    TOOL_EXPECT(2, "", "one file", "verify");
    TOOL_EXPECT(2, "", "one file", "verify", "a", "b");
    TOOL_EXPECT(2, "", "one file", "hash", "a", "b");
    TOOL_EXPECT(2, "", "two files", "diff", "a");
    TOOL_EXPECT(2, "", "two files", "diff", "a", "b", "c");
}

/* TOL-02 */
static void option_without_its_value_is_a_wrong_call(void **state) {
    (void)state;
    TOOL_EXPECT(2, "", "--frames needs a value", "run", "m", "--frames");
    TOOL_EXPECT(2, "", "--save needs a value", "run", "m", "--save", "--watch");
    TOOL_EXPECT(2, "", "--query needs a value", "print", "f", "--query");
    TOOL_EXPECT(2, "", "-o needs a value", "graph", "m", "-o");
    TOOL_EXPECT(2, "", "--watch is given twice", "run", "m", "--watch", "--watch");
    TOOL_EXPECT(2, "", "exclude each other", "print", "f", "--query", "A", "--entity", "1");
    TOOL_EXPECT(2, "", "exclude each other", "graph", "m", "--dot", "--svg");
}

/* TOL-02 */
static void bad_number_is_a_wrong_call(void **state) {
    (void)state;
    static const char *const bad[] = {"",     "x",  "1x", "+1",  "1.5",
                                      "0x10", " 1", "0",  "257", "99999999999999999999999"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        TOOL_EXPECT(2, "", "--threads takes a number from 1 to 256", "run", "m", "--threads",
                    bad[i]);
    }
    TOOL_EXPECT(2, "", "--threads needs a value", "run", "m", "--threads", "-1");
    TOOL_EXPECT(2, "", "--frames takes a number", "run", "m", "--frames", "0");
}

/* TOL-02: what comes after two dashes is a file, whatever it looks like. */
static void two_dashes_end_the_options(void **state) {
    (void)state;
    TOOL_EXPECT(1, "", "--bogus", "hash", "--", "--bogus");
    TOOL_EXPECT(1, "", "--help", "hash", "--", "--help");
    TOOL_EXPECT(2, "", "one file", "hash", "--", "-a", "-b");
}

/* TOL-02 */
static void missing_file_is_named(void **state) {
    const char *path = spawn_path(*state, "nowhere");
    TOOL_EXPECT(1, "", path, "print", path);
    TOOL_EXPECT(1, "", path, "verify", path);
    TOOL_EXPECT(1, "", path, "hash", path);
    TOOL_EXPECT(1, "", path, "diff", path, path);
    TOOL_EXPECT(1, "", path, "run", path);
    TOOL_EXPECT(1, "", path, "graph", path);
    TOOL_EXPECT(1, "", path, "run", GARDEN, "--frames", "1", "--load", path);
    TOOL_EXPECT(1, "", *state, "verify", *state);
    TOOL_EXPECT(1, "", *state, "hash", *state);
#ifdef TOOL_JSON
    TOOL_EXPECT(1, "", path, "json", path);
    TOOL_EXPECT(1, "", path, "unjson", path, "-o", spawn_path(*state, "out"));
    TOOL_EXPECT(1, "", path, "unjson", "a", "-o", "b", "--types", path);
#endif
}

/* TOL-02 */
static void file_of_something_else_is_invalid(void **state) {
    const char *path = spawn_path(*state, "text");
    spawn_file_write(path, "hello, world\n", 13);
    TOOL_EXPECT(1, "", path, "verify", path);
    TOOL_EXPECT(1, "", path, "print", path);
    TOOL_EXPECT(1, "", path, "hash", path);
    TOOL_EXPECT(1, "", path, "diff", path, path);
    TOOL_EXPECT(1, "", path, "run", path);
    TOOL_EXPECT(1, "", path, "run", GARDEN, "--frames", "1", "--load", path);
    spawn_file_write(path, "", 0);
    TOOL_EXPECT(1, "", path, "verify", path);
    TOOL_EXPECT(1, "", path, "hash", path);
    TOOL_EXPECT(1, "", path, "graph", path);
}

/* TOL-02: what could not be written is no success. */
static void full_disk_is_an_error(void **state) {
    const char *path = garden_save(*state, "a", "1");
    const char *other = garden_save(*state, "b", "2");
    static const char *const wanted[][6] = {
        {TOOL, "help", NULL},          {TOOL, "help", "run", NULL},
        {TOOL, "print", "a", NULL},    {TOOL, "verify", "a", NULL},
        {TOOL, "hash", "a", NULL},     {TOOL, "diff", "a", "b", NULL},
        {TOOL, "graph", GARDEN, NULL}, {TOOL, "run", GARDEN, "--frames", "2", NULL},
    };
    for (size_t i = 0; i < sizeof wanted / sizeof wanted[0]; i++) {
        const char *arguments[6] = {NULL};
        for (int j = 0; j < 6 && wanted[i][j] != NULL; j++) {
            const char *text = wanted[i][j];
            arguments[j] = strcmp(text, "a") == 0 ? path : strcmp(text, "b") == 0 ? other : text;
        }
        spawn_run run = spawn_start(arguments, "/dev/full");
        assert_int_equal(run.code, 1);
        assert_non_null(strstr(run.err, "stdout"));
        spawn_end(&run);
    }
    TOOL_EXPECT(1, "", "/dev/full", "graph", GARDEN, "-o", "/dev/full");
    TOOL_EXPECT(1, "", "nowhere/at/all", "graph", GARDEN, "-o", "nowhere/at/all");
    TOOL_EXPECT(1, "2 frames", "nowhere/at/all", "run", GARDEN, "--frames", "2", "--save",
                "nowhere/at/all");
    TOOL_EXPECT(1, "2 frames", "/dev/full", "run", GARDEN, "--frames", "2", "--trace", "/dev/full");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(help_tells_of_each_command),
        cmocka_unit_test(unknown_command_is_a_wrong_call),
        cmocka_unit_test(unknown_option_is_a_wrong_call),
        cmocka_unit_test(wrong_number_of_files_is_a_wrong_call),
        cmocka_unit_test(option_without_its_value_is_a_wrong_call),
        cmocka_unit_test(bad_number_is_a_wrong_call),
        cmocka_unit_test(two_dashes_end_the_options),
        cmocka_unit_test_setup_teardown(missing_file_is_named, folder_open, folder_close),
        cmocka_unit_test_setup_teardown(file_of_something_else_is_invalid, folder_open,
                                        folder_close),
        cmocka_unit_test_setup_teardown(full_disk_is_an_error, folder_open, folder_close),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
