/* `stoa run` and `stoa graph`: modules, frames, snapshots, watching, traces, the dashboard. */
#define _GNU_SOURCE

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tools/tool_fixture.h"

extern char **environ;

#define FOLDER_TEST(name) cmocka_unit_test_setup_teardown(name, folder_open, folder_close)

/* The hash that a run printed. */
static void hash_of(const char *text, char hash[17]) {
    const char *at = strstr(text, "hash ");
    assert_non_null(at);
    assert_int_equal(sscanf(at, "hash %16s", hash), 1);
    assert_int_equal(strlen(hash), 16);
}

/* TOL-02: lines where there is no terminal, and the hash. */
static void run_tells_its_progress(void **state) {
    (void)state;
    TOOL_EXPECT(0, "frame 2 of 20: 3 entities", "", "run", GARDEN, "--frames", "20");
    TOOL_EXPECT(0, "frame 20 of 20: 3 entities", "", "run", GARDEN, "--frames", "20");
    TOOL_EXPECT(0, "20 frames on 2 threads", "", "run", GARDEN, "--frames", "20", "--threads", "2");
    TOOL_EXPECT(0, "3 entities, hash ", "", "run", GARDEN, "--frames", "20");
    spawn_run run = TOOL_RUN("run", GARDEN, "--frames", "3");
    assert_null(strchr(run.out, '\033'));
    spawn_end(&run);
}

/* TOL-02 */
static void saved_world_has_the_hash_that_was_printed(void **state) {
    char printed[17];
    const char *path = spawn_path(*state, "a");
    spawn_run run = TOOL_RUN("run", GARDEN, "--frames", "7", "--save", path);
    assert_int_equal(run.code, 0);
    hash_of(run.out, printed);
    TOOL_EXPECT(0, printed, "", "hash", path);
    spawn_end(&run);
}

/* TOL-02: a run that is cut in two by a snapshot ends where the whole one does. */
static void loaded_world_goes_on(void **state) {
    const char *half = garden_save(*state, "a", "4");
    const char *whole = garden_save(*state, "b", "8");
    const char *joined = spawn_path(*state, "c");
    TOOL_EXPECT(0, "3 entities", "", "run", GARDEN, "--frames", "4", "--load", half, "--save",
                joined);
    TOOL_EXPECT(0, "", "", "diff", whole, joined);
    TOOL_EXPECT(0, "frames run  8", "", "verify", joined);
}

/* TOL-02: what is known on one side only is told of, and does no harm. */
static void systems_that_differ_are_told(void **state) {
    const char *path = garden_save(*state, "a", "2");
    TOOL_EXPECT(0, "3 entities", "system 'leave' was not saved", "run", GARDEN, MODULES "/brief.so",
                "--load", path, "--frames", "1");
}

/* TOL-02 */
static void modules_run_together(void **state) {
    (void)state;
    TOOL_EXPECT(0, "5 frames on", "", "run", GARDEN, MODULES "/brief.so");
    TOOL_EXPECT(1, "", "garden", "run", GARDEN, GARDEN, "--frames", "1");
}

/* TOL-02 */
static void failing_system_is_named(void **state) {
    (void)state;
    TOOL_EXPECT(1, "", "system 'rot': all is rotten", "run", MODULES "/sour.so");
    TOOL_EXPECT(1, "", "bare.so", "run", MODULES "/bare.so", "--frames", "1");
}

/* TOL-02 */
static void trace_is_written(void **state) {
    const char *path = spawn_path(*state, "trace.json");
    size_t size;
    TOOL_EXPECT(0, "4 frames", "", "run", GARDEN, "--frames", "4", "--trace", path);
    char *text = spawn_file_read(path, &size);
    assert_non_null(strstr(text, "pass_day"));
    assert_non_null(strstr(text, "traceEvents"));
    free(text);
}

/* TOL-02: numbers, texts and curves of resources. */
static void dashboard_follows_resources(void **state) {
    (void)state;
    TOOL_EXPECT(0, ", day 6, days 6, ticks 12, part 1.5, whole -6, small 6, large -6\n", "", "run",
                GARDEN, "--frames", "6", "--dash", "Clock");
    assert_int_equal(setenv("LC_ALL", "C", 1), 0);
    TOOL_EXPECT(0, "\n  days         _.:-=+*#", "", "run", GARDEN, "--frames", "8", "--dash",
                "Clock");
    TOOL_EXPECT(0, "\n  whole        #*+=-:._", "", "run", GARDEN, "--frames", "8", "--dash",
                "Clock");
    assert_int_equal(setenv("LC_ALL", "C.UTF-8", 1), 0);
    TOOL_EXPECT(0, "\n  days         \u2581\u2582", "", "run", GARDEN, "--frames", "8", "--dash",
                "Clock");
    TOOL_EXPECT(0, "frame 2 of 2", "", "run", GARDEN, "--frames", "2", "--dash", "Clock,Label");
    TOOL_EXPECT(1, "", "no type 'Tulip'", "run", GARDEN, "--frames", "1", "--dash", "Clock,Tulip");
    TOOL_EXPECT(1, "", "no type ''", "run", GARDEN, "--frames", "1", "--dash", "Clock,");
}

/* Runs `stoa` on a terminal and returns what came out there, to be freed. */
static char *terminal_run(const char *const *arguments, int *code) {
    enum { CAPACITY = 1 << 20 };
    char *text = calloc(CAPACITY, 1);
    assert_non_null(text);
    int terminal = posix_openpt(O_RDWR | O_NOCTTY);
    assert_true(terminal >= 0);
    assert_int_equal(grantpt(terminal), 0);
    assert_int_equal(unlockpt(terminal), 0);
    posix_spawn_file_actions_t actions;
    pid_t child;
    assert_int_equal(posix_spawn_file_actions_init(&actions), 0);
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, ptsname(terminal),
                                     O_WRONLY | O_NOCTTY, 0);
    assert_int_equal(posix_spawn(&child, arguments[0], &actions, NULL,
                                 (char *const *)(uintptr_t)arguments, environ),
                     0);
    posix_spawn_file_actions_destroy(&actions);
    /* At the end a read fails: nobody is left who could write. */
    size_t size = 0;
    for (ssize_t got;
         size + 1 < CAPACITY && (got = read(terminal, text + size, CAPACITY - 1 - size)) > 0;) {
        size += (size_t)got;
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    close(terminal);
    *code = WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
    return text;
}

/* TOL-02: drawn in place, with what depends on the machine, and nothing left below. */
static void dashboard_is_drawn_in_place_on_a_terminal(void **state) {
    (void)state;
    int code;
    char *text = terminal_run((const char *const[]){TOOL, "run", GARDEN, "--frames", "50", "--rate",
                                                    "200", "--dash", "Clock", NULL},
                              &code);
    assert_int_equal(code, 0);
    /* The line of the run and the seven members. */
    const char *up = strstr(text, "\033[8A");
    assert_non_null(up);
    assert_non_null(strstr(up, " a second: 3 entities"));
    assert_non_null(strstr(up, "\033[J"));
    assert_non_null(strstr(up, "frame 50 of 50, "));
    assert_non_null(strstr(up, "  day 50\033[K"));
    free(text);
}

/* TOL-02 */
static void rate_does_not_change_what_comes_out(void **state) {
    (void)state;
    char quick[17];
    char slow[17];
    spawn_run first = TOOL_RUN("run", GARDEN, "--frames", "5");
    spawn_run second = TOOL_RUN("run", GARDEN, "--frames", "5", "--rate", "500");
    hash_of(first.out, quick);
    hash_of(second.out, slow);
    assert_string_equal(quick, slow);
    spawn_end(&first);
    spawn_end(&second);
}

/* A run that a test has started and not seen the end of; 0: none. */
static pid_t run_child;

/* Ends what a failing test left behind. */
static int run_end(void **state) {
    if (run_child != 0) {
        kill(run_child, SIGKILL);
        waitpid(run_child, NULL, 0);
        run_child = 0;
    }
    return folder_close(state);
}

/* Starts `stoa run` without an end; its output goes to a file. */
static void run_start(const char *module, const char *save, const char *log) {
    const char *const arguments[] = {TOOL,  "run",    module, "--watch", "--rate",
                                     "200", "--save", save,   NULL};
    posix_spawn_file_actions_t actions;
    assert_int_equal(posix_spawn_file_actions_init(&actions), 0);
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, log, O_WRONLY | O_CREAT | O_TRUNC,
                                     0600);
    posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO);
    assert_int_equal(
        posix_spawn(&run_child, TOOL, &actions, NULL, (char *const *)(uintptr_t)arguments, environ),
        0);
    posix_spawn_file_actions_destroy(&actions);
}

/* Waits until the log has a text; the test fails after a minute. */
static void log_await(const char *log, const char *text) {
    for (int i = 0; i < 1200; i++) {
        size_t size;
        char *all = spawn_file_read(log, &size);
        bool found = strstr(all, text) != NULL;
        free(all);
        if (found) {
            return;
        }
        nanosleep(&(struct timespec){0, 50 * 1000 * 1000}, NULL);
    }
    print_error("no '%s' came\n", text);
    fail();
}

static void file_copy(const char *from, const char *to) {
    size_t size;
    char *bytes = spawn_file_read(from, &size);
    spawn_file_write(to, bytes, size);
    free(bytes);
}

/* TOL-02, HOT-01: a module that is replaced is reloaded, one that is broken is not; an interrupt
 * ends the run in order. */
static void watched_module_is_reloaded(void **state) {
    const char *module = spawn_path(*state, "garden.so");
    const char *save = spawn_path(*state, "a");
    const char *log = spawn_path(*state, "log");
    file_copy(GARDEN, module);
    spawn_file_write(log, "", 0);
    run_start(module, save, log);
    log_await(log, "frame 1000:");
    file_copy(GARDEN, module);
    log_await(log, "reloaded 1 of the modules");
    spawn_file_write(module, "no library", 10);
    log_await(log, "is no shared library");
    assert_int_equal(kill(run_child, SIGINT), 0);
    int status;
    assert_int_equal(waitpid(run_child, &status, 0), run_child);
    run_child = 0;
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
    log_await(log, "saved to");
    TOOL_EXPECT(0, "rose", "", "print", save, "--entity", "1");
}

/* TOL-02 */
static void graph_draws_the_schedule(void **state) {
    const char *path = spawn_path(*state, "plan.svg");
    size_t size;
    static const char text[] = "Update\n"
                               "  [Batch 0]\n"
                               "    - drift (writes Spot)\n"
                               "    - pass_day (resources: writes Clock)\n";
    TOOL_EXPECT(0, text, "", "graph", GARDEN);
    TOOL_EXPECT(0, "digraph", "", "graph", GARDEN, "--dot");
    TOOL_EXPECT(0, "<svg", "", "graph", GARDEN, MODULES "/brief.so", "--svg");
    TOOL_EXPECT(0, "leave", "", "graph", GARDEN, MODULES "/brief.so");
    TOOL_EXPECT(0, "", "", "graph", GARDEN, "--svg", "-o", path);
    char *drawing = spawn_file_read(path, &size);
    assert_non_null(strstr(drawing, "</svg>"));
    free(drawing);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(run_tells_its_progress),
        FOLDER_TEST(saved_world_has_the_hash_that_was_printed),
        FOLDER_TEST(loaded_world_goes_on),
        FOLDER_TEST(systems_that_differ_are_told),
        cmocka_unit_test(modules_run_together),
        cmocka_unit_test(failing_system_is_named),
        FOLDER_TEST(trace_is_written),
        cmocka_unit_test(dashboard_follows_resources),
        cmocka_unit_test(dashboard_is_drawn_in_place_on_a_terminal),
        cmocka_unit_test(rate_does_not_change_what_comes_out),
        cmocka_unit_test_setup_teardown(watched_module_is_reloaded, folder_open, run_end),
        FOLDER_TEST(graph_draws_the_schedule),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
