/* The calling thread's last error and the texts of the status codes.
 *
 * One buffer of fixed size per thread, so that telling of an error needs no memory; a longer
 * message is cut. Each thread sees its own. */
#include "base/error.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define MESSAGE_SIZE 512

static _Thread_local struct {
    stoa_status status;
    int32_t column;
    bool muted;
    uint32_t count;
    char message[MESSAGE_SIZE];
} last;

static const struct {
    const char *text;
    bool misuse;
} statuses[] = {
#define STATUS_ROW(code, text, misuse) {text, (misuse) != 0},
    STOA_STATUS_LIST(STATUS_ROW)
#undef STATUS_ROW
};

/* Enumerations may be signed or not and hold any number, so the range is checked on one that is
 * not. */
static bool status_is_known(stoa_status status) {
    return (uint32_t)status < STOA_STATUS_COUNT;
}

/* The message is made aside, since the arguments may point into the one it replaces. */
static STOA_PRINTF(4, 0) void last_set(stoa_status status, int32_t line, int32_t column,
                                       const char *format, va_list arguments) {
    char message[MESSAGE_SIZE] = "";
    size_t start = 0;
    if (last.muted) {
        return;
    }
    if (line > 0) {
        start = (size_t)snprintf(message, sizeof message, "line %d, column %d: ", (int)line,
                                 (int)column);
    } else if (column > 0) {
        start = (size_t)snprintf(message, sizeof message, "column %d: ", (int)column);
    }
    vsnprintf(message + start, sizeof message - start, format, arguments);
    last.status = status;
    last.column = column;
    last.count++;
    memcpy(last.message, message, sizeof message);
}

stoa_status stoa__error(stoa_status status, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    last_set(status, 0, 0, format, arguments);
    va_end(arguments);
    return status;
}

stoa_status stoa__error_at(stoa_status status, int32_t column, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    last_set(status, 0, column, format, arguments);
    va_end(arguments);
    return status;
}

stoa_status stoa__error_line(stoa_status status, int32_t line, int32_t column, const char *format,
                             ...) {
    va_list arguments;
    va_start(arguments, format);
    last_set(status, line, column, format, arguments);
    va_end(arguments);
    return status;
}

stoa_status stoa__error_memory(const char *what) {
    return stoa__error(STOA_NO_MEMORY, "out of memory for %s", what);
}

bool stoa__error_mute(bool mute) {
    bool was = last.muted;
    last.muted = mute;
    return was;
}

uint32_t stoa__error_count(void) {
    return last.count;
}

bool stoa__status_is_misuse(stoa_status status) {
    return status_is_known(status) && statuses[status].misuse;
}

stoa_status stoa_fail(stoa_status status, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    last_set(status, 0, 0, format, arguments);
    va_end(arguments);
    return status;
}

stoa_error stoa_last_error(void) {
    stoa_error error = {last.status, last.message, last.column};
    return error;
}

void stoa_error_clear(void) {
    last.status = STOA_OK;
    last.column = 0;
    last.message[0] = '\0';
}

const char *stoa_status_text(stoa_status status) {
    return status_is_known(status) ? statuses[status].text : "unknown status";
}
