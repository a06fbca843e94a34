/* A folder of a test's own, in the current one, and what is left in it. */
#ifndef STOA_TESTS_SUPPORT_FOLDER_H
#define STOA_TESTS_SUPPORT_FOLDER_H

/* Whoever includes this defines _GNU_SOURCE, or asks for POSIX. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "support/support.h"

typedef struct support_folder {
    char path[64];
    char file[256]; /* of the last support_folder_file */
} support_folder;

static inline void support_folder_open(support_folder *folder) {
    strcpy(folder->path, "stoa-test-XXXXXX");
    assert_non_null(mkdtemp(folder->path));
}

/* The path of a file in the folder, until the next call. */
static inline const char *support_folder_file(support_folder *folder, const char *name) {
    snprintf(folder->file, sizeof folder->file, "%s/%s", folder->path, name);
    return folder->file;
}

/* How many files are in the folder; they are removed if told. */
static inline int support_folder_count(const support_folder *folder, bool empty) {
    int count = 0;
    DIR *directory = opendir(folder->path);
    assert_non_null(directory);
    for (struct dirent *entry = readdir(directory); entry != NULL; entry = readdir(directory)) {
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0) {
            char path[400];
            snprintf(path, sizeof path, "%s/%s", folder->path, entry->d_name);
            count++;
            if (empty) {
                assert_int_equal(remove(path), 0);
            }
        }
    }
    closedir(directory);
    return count;
}

static inline void support_folder_close(const support_folder *folder) {
    support_folder_count(folder, true);
    assert_int_equal(rmdir(folder->path), 0);
}

#endif
