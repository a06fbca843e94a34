/* What the tests of the command share: a folder for files, and running the command in one line. */
#ifndef STOA_TESTS_TOOL_FIXTURE_H
#define STOA_TESTS_TOOL_FIXTURE_H

#include "support/spawn.h"
#include "support/support.h"

#define GARDEN MODULES "/garden.so"

/* Runs `stoa` with these arguments. */
#define TOOL_RUN(...) spawn_start((const char *const[]){TOOL, __VA_ARGS__, NULL}, NULL)

/* Runs it, expects that exit code, and that stdout and stderr contain these texts. "" expects that
 * nothing is written there at all. */
#define TOOL_EXPECT(code, out, err, ...)                                                           \
    tool_expect((const char *const[]){TOOL, __VA_ARGS__, NULL}, (code), (out), (err), __FILE__,    \
                __LINE__)

static void tool_part(const char *where, const char *text, const char *part, const char *file,
                      int line) {
    bool good = part[0] == '\0' ? text[0] == '\0' : strstr(text, part) != NULL;
    if (!good) {
        print_error("%s is not '%s' but:\n%s\n", where, part, text);
        _fail(file, line);
    }
}

static void tool_expect(const char *const *arguments, int code, const char *out, const char *err,
                        const char *file, int line) {
    spawn_run run = spawn_start(arguments, NULL);
    if (run.code != code) {
        print_error("exit code %d, expected %d\n%s%s\n", run.code, code, run.out, run.err);
        _fail(file, line);
    }
    tool_part("stdout", run.out, out, file, line);
    tool_part("stderr", run.err, err, file, line);
    spawn_end(&run);
}

static int folder_open(void **state) {
    *state = spawn_folder_new();
    return 0;
}

static int folder_close(void **state) {
    spawn_folder_free(*state);
    return 0;
}

/* A snapshot of the garden after so many frames, at `folder`/`name`. */
STOA_UNUSED static const char *garden_save(const char *folder, const char *name,
                                           const char *frames) {
    const char *path = spawn_path(folder, name);
    TOOL_EXPECT(0, "saved to", "", "run", GARDEN, "--frames", frames, "--save", path);
    return path;
}

#endif
