/* Parts of a test in processes of their own, so that a crash is a failure like any other. */
#ifndef STOA_TESTS_SUPPORT_APART_H
#define STOA_TESTS_SUPPORT_APART_H

#include "support/support.h"

/* Zeroed memory that a process apart writes for its parent to read. */
void *support_shared_new(size_t size);
void support_shared_free(void *shared, size_t size);

/* Calls in a process of its own. False if it did not end well, by a crash or a failing check, with
 * a message of that. What a quiet one prints is lost. */
bool support_run_apart(void (*call)(void *user), void *user, bool quiet, char *message,
                       size_t size);

#endif
