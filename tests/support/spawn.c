/* Output goes through files that have no name any more, so that no pipe can fill up. */
#define _GNU_SOURCE

#include "support/spawn.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/support.h"

extern char **environ;

static char *file_whole(FILE *file, size_t *size) {
    size_t capacity = 4096;
    size_t count = 0;
    char *bytes = malloc(capacity);
    assert_non_null(bytes);
    for (size_t got; (got = fread(bytes + count, 1, capacity - count - 1, file)) > 0;) {
        count += got;
        if (count + 1 == capacity) {
            capacity *= 2;
            bytes = realloc(bytes, capacity);
            assert_non_null(bytes);
        }
    }
    assert_int_equal(ferror(file), 0);
    bytes[count] = '\0';
    *size = count;
    return bytes;
}

spawn_run spawn_start(const char *const *arguments, const char *out_path) {
    spawn_run run = {0};
    FILE *out = out_path == NULL ? tmpfile() : fopen(out_path, "wb");
    FILE *err = tmpfile();
    assert_non_null(out);
    assert_non_null(err);
    posix_spawn_file_actions_t actions;
    assert_int_equal(posix_spawn_file_actions_init(&actions), 0);
    posix_spawn_file_actions_adddup2(&actions, fileno(out), STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions, fileno(err), STDERR_FILENO);
    pid_t child;
    /* The arguments are not written to; the type of the call is older than const. */
    int failed = posix_spawn(&child, arguments[0], &actions, NULL,
                             (char *const *)(uintptr_t)arguments, environ);
    posix_spawn_file_actions_destroy(&actions);
    assert_int_equal(failed, 0);
    int status;
    while (waitpid(child, &status, 0) < 0) {
        assert_int_equal(errno, EINTR);
    }
    run.code = WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
    rewind(err);
    run.err = file_whole(err, &run.err_size);
    fclose(err);
    if (out_path == NULL) {
        rewind(out);
        run.out = file_whole(out, &run.out_size);
    }
    fclose(out);
    return run;
}

void spawn_end(spawn_run *run) {
    free(run->out);
    free(run->err);
    *run = (spawn_run){0};
}

char *spawn_folder_new(void) {
    const char *base = getenv("TMPDIR");
    char path[512];
    snprintf(path, sizeof path, "%s/stoa-test-XXXXXX", base != NULL ? base : "/tmp");
    assert_non_null(mkdtemp(path));
    char *folder = strdup(path);
    assert_non_null(folder);
    return folder;
}

void spawn_folder_free(char *folder) {
    DIR *entries = opendir(folder);
    assert_non_null(entries);
    for (const struct dirent *entry; (entry = readdir(entries)) != NULL;) {
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0) {
            assert_int_equal(remove(spawn_path(folder, entry->d_name)), 0);
        }
    }
    closedir(entries);
    assert_int_equal(rmdir(folder), 0);
    free(folder);
}

const char *spawn_path(const char *folder, const char *name) {
    static char paths[8][1024];
    static int turn;
    char *path = paths[turn++ % 8];
    int length = snprintf(path, sizeof paths[0], "%s/%s", folder, name);
    assert_true(length > 0 && (size_t)length < sizeof paths[0]);
    return path;
}

char *spawn_file_read(const char *path, size_t *size) {
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    char *bytes = file_whole(file, size);
    fclose(file);
    return bytes;
}

void spawn_file_write(const char *path, const void *bytes, size_t size) {
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}
