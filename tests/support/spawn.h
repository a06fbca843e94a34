/* Running a program: its arguments, what it prints, and how it ends. */
#ifndef STOA_TESTS_SPAWN_H
#define STOA_TESTS_SPAWN_H

#include <stddef.h>

/* A run of a program. Output is kept whole, with a final zero. */
typedef struct spawn_run {
    int code; /* exit code; 1000 and the signal's number if one ended it */
    char *out;
    size_t out_size;
    char *err;
    size_t err_size;
} spawn_run;

/* Runs a program with arguments, NULL-terminated, the first of which is its path; `out_path` is
 * where its stdout goes instead of `out`, or NULL. The test fails if it cannot be started. */
spawn_run spawn_start(const char *const *arguments, const char *out_path);

/* Frees what a run keeps. */
void spawn_end(spawn_run *run);

/* A folder of its own, whose name the caller frees by spawn_folder_free with all that is in it.
 */
char *spawn_folder_new(void);
void spawn_folder_free(char *folder);

/* `folder`/`name`, in one of a few buffers that are used in turn. */
const char *spawn_path(const char *folder, const char *name);

/* The bytes of a file, with a final zero; to be freed. The test fails if it cannot be read. */
char *spawn_file_read(const char *path, size_t *size);
void spawn_file_write(const char *path, const void *bytes, size_t size);

#endif
