/* Errors: the status codes, the calling thread's last error, and the handlers a world can be given.
 *
 * A call that fails changes nothing and says why here. Nothing in stoa prints or aborts in a
 * release build. */
#ifndef STOA_STATUS_H
#define STOA_STATUS_H

#include "stoa/compiler.h"

STOA_BEGIN

/// Every status: code, text, and whether it tells of misuse (1) or of circumstance (0).
#define STOA_STATUS_LIST(X)                                                                        \
    X(OK, "ok", 0)                                                                                 \
    X(NO_MEMORY, "out of memory", 0)                                                               \
    X(NULL_ARGUMENT, "a value is needed and null was given", 1)                                    \
    X(INVALID, "an argument is out of its range", 1)                                               \
    X(DEAD, "the entity is dead", 1)                                                               \
    X(UNKNOWN, "no such component in this world", 1)                                               \
    X(MISSING, "the component is not on the entity", 1)                                            \
    X(DUPLICATE, "a component is named twice", 1)                                                  \
    X(CONTRADICTION, "what is asked for contradicts itself", 1)                                    \
    X(ITERATING, "the world is being iterated", 1)                                                 \
    X(ACCESS, "the field was not declared this way", 1)                                            \
    X(LOCKED, "a hook of the entity is running", 1)                                                \
    X(FORKED, "command buffers are being filled by threads", 1)                                    \
    X(FREED, "the object was freed", 1)                                                            \
    X(CONFLICT, "the name is taken by a different description", 0)                                 \
    X(LAYOUT, "the description does not fit the type", 0)                                          \
    X(SYNTAX, "the text cannot be parsed", 0)                                                      \
    X(NOT_FOUND, "nothing of that name", 0)                                                        \
    X(TAKEN, "the name is taken", 0)                                                               \
    X(CYCLE, "it would lead back to where it starts", 0)                                           \
    X(REFUSED, "a rule of the world refuses it", 0)                                                \
    X(NOT_COPYABLE, "the component cannot be copied", 0)                                           \
    X(NOT_SINGLE, "the query does not match exactly one entity", 0)                                \
    X(LIMIT, "a limit of the library is reached", 0)                                               \
    X(IO, "a file or stream failed", 0)                                                            \
    X(FAILED, "a system failed", 0)                                                                \
    X(CORRUPT, "an invariant does not hold", 0)

/// What a call came to; STOA_OK is 0.
typedef enum stoa_status {
#define STOA_STATUS_CODE(code, text, misuse) STOA_##code,
    STOA_STATUS_LIST(STOA_STATUS_CODE)
#undef STOA_STATUS_CODE
        STOA_STATUS_COUNT
} stoa_status;

/// A failure: its code, its message, and the column in a text it concerns.
typedef struct stoa_error {
    stoa_status status;  ///< what kind of failure
    const char *message; ///< what exactly was wrong; never NULL
    int32_t column;      ///< 1 for the first character of a parsed text, 0 if there is no text
} stoa_error;

/// The calling thread's last failure; a success does not clear it.
/// The message is valid until this thread's next failing call.
stoa_error stoa_last_error(void);

/// Forgets the calling thread's last failure.
void stoa_error_clear(void);

/// Sets the calling thread's last failure and returns the status, for code that extends stoa.
/// `return stoa_fail(STOA_REFUSED, "no %s here", what);` Nobody is told; see stoa_world_report.
stoa_status stoa_fail(stoa_status status, const char *format, ...) STOA_PRINTF(2, 3);

/// The general text of a status; never NULL, for any value.
const char *stoa_status_text(stoa_status status);

/// Called with a failure; must return and must not call into the world.
typedef void (*stoa_error_fn)(const stoa_error *error, void *user);

/// A function a world keeps to tell of failures, with its user pointer.
typedef struct stoa_handler {
    stoa_error_fn call;            ///< NULL: none
    void *user;                    ///< handed to every call
    void (*user_free)(void *user); ///< called once when the handler is dropped; may be NULL
} stoa_handler;

STOA_END

#endif
