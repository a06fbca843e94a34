/* Processes apart, and memory that they share with the test. */
#define _GNU_SOURCE
#include "support/apart.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

void *support_shared_new(size_t size) {
    void *shared = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED) {
        fail_msg("no shared memory for a process apart");
    }
    return shared;
}

void support_shared_free(void *shared, size_t size) {
    munmap(shared, size);
}

/* The life of the child. A failing check must not jump back into the parent's test. */
static _Noreturn void child_run(void (*call)(void *user), void *user, bool quiet) {
    setenv("CMOCKA_TEST_ABORT", "1", 1);
    if (quiet && freopen("/dev/null", "w", stderr) == NULL) {
        _exit(1);
    }
    call(user);
    if (quiet) {
        _exit(0);
    }
    exit(0);
}

bool support_run_apart(void (*call)(void *user), void *user, bool quiet, char *message,
                       size_t size) {
    fflush(NULL);
    pid_t child = fork();
    if (child < 0) {
        fail_msg("no process to run apart in");
    }
    if (child == 0) {
        child_run(call, user, quiet);
    }
    int status = 0;
    while (waitpid(child, &status, 0) < 0) {
    }
    bool well = WIFEXITED(status) && WEXITSTATUS(status) == 0;
    if (!well) {
        snprintf(message, size, "the process ended with status %#x", (unsigned)status);
    }
    return well;
}
