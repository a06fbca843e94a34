/* The calling thread's last error.
 *
 * Library code fails with `return stoa__error(STOA_DEAD, "entity %s is dead", text);`. Functions of
 * the public API then hand the status to the world's handlers; here only the thread's message is
 * written. */
#ifndef STOA_BASE_ERROR_H
#define STOA_BASE_ERROR_H

#include "stoa/status.h"

/* Sets the thread's last error, message cut to what the buffer holds, and returns `status`. */
stoa_status stoa__error(stoa_status status, const char *format, ...) STOA_PRINTF(2, 3);

/* The same for a text that is being parsed; `column` counts from 1. The message is given "column N:
 * " in front. */
stoa_status stoa__error_at(stoa_status status, int32_t column, const char *format, ...)
    STOA_PRINTF(3, 4);

/* The same for a text of several lines: "line L, column C: " is put in front. */
stoa_status stoa__error_line(stoa_status status, int32_t line, int32_t column, const char *format,
                             ...) STOA_PRINTF(4, 5);

/* stoa__error for lack of memory: "out of memory for <what>". */
stoa_status stoa__error_memory(const char *what);

/* While muted, errors of this thread leave its last error alone; returns what it was. For
 * questions, which never fail. */
bool stoa__error_mute(bool mute);

/* How many errors this thread has had: tells whether the last one is newer than something. */
uint32_t stoa__error_count(void);

/* True if the status tells of misuse, by STOA_STATUS_LIST. */
bool stoa__status_is_misuse(stoa_status status);

#endif
