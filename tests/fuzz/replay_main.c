/* Replays a fuzz corpus without libFuzzer: every file of the directory given goes through the
 * target once.
 *
 * An empty or missing directory is a failure, so that a test cannot pass by replaying nothing. */
#define _POSIX_C_SOURCE 200809L

#include "fuzz.h"

#include <dirent.h>

/* Gives the input in a block of exactly its size, so that a sanitizer sees a read past its end. */
static int file_replay(const char *path) {
    FILE *file = fopen(path, "rb");
    if (file == NULL) {
        perror(path);
        return 1;
    }
    long length = -1;
    if (fseek(file, 0, SEEK_END) == 0) {
        length = ftell(file);
    }
    uint8_t *data = length < 0 ? NULL : malloc(length > 0 ? (size_t)length : 1);
    int failed = data == NULL;
    if (!failed) {
        rewind(file);
        failed = fread(data, 1, (size_t)length, file) != (size_t)length;
    }
    fclose(file);
    if (failed) {
        fprintf(stderr, "%s: cannot be read\n", path);
    } else {
        LLVMFuzzerTestOneInput(data, (size_t)length);
    }
    free(data);
    return failed;
}

int main(int argc, char **argv) {
    if (argc != 2) {
        fprintf(stderr, "usage: %s DIRECTORY\n", argv[0]);
        return 2;
    }
    DIR *directory = opendir(argv[1]);
    if (directory == NULL) {
        perror(argv[1]);
        return 1;
    }
    int count = 0;
    int failed = 0;
    for (struct dirent *entry = readdir(directory); entry != NULL; entry = readdir(directory)) {
        if (entry->d_name[0] == '.') {
            continue;
        }
        char path[4096];
        int length = snprintf(path, sizeof path, "%s/%s", argv[1], entry->d_name);
        if (length < 0 || (size_t)length >= sizeof path) {
            fprintf(stderr, "%s: name too long\n", entry->d_name);
            failed = 1;
            continue;
        }
        failed |= file_replay(path);
        count++;
    }
    closedir(directory);
    printf("%d inputs replayed\n", count);
    return failed || count == 0;
}
