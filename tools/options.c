/* Options: strictly those that a command has, each once, with a value that is in its range. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "tool.h"

bool number_read(const char *text, uint64_t least, uint64_t most, uint64_t *number) {
    if (text[0] < '0' || text[0] > '9') {
        return false;
    }
    char *end;
    errno = 0;
    unsigned long long value = strtoull(text, &end, 10);
    *number = value;
    return errno == 0 && *end == '\0' && value >= least && value <= most;
}

static option *option_find(option *options, int count, const char *name) {
    for (int i = 0; i < count; i++) {
        if (strcmp(options[i].name, name) == 0) {
            return &options[i];
        }
    }
    return NULL;
}

/* Takes the value of an option; false if it is wrong, which was said. */
static bool value_take(const tool_command *command, option *o, const char *value) {
    if (value == NULL || value[0] == '-') {
        tool_misuse(command, "%s needs a value", o->name);
        return false;
    }
    if (o->kind == OPTION_TEXT) {
        *o->text = value;
        return true;
    }
    if (!number_read(value, o->least, o->most, o->number)) {
        tool_misuse(command, "%s takes a number from %" PRIu64 " to %" PRIu64 ", not '%s'", o->name,
                    o->least, o->most, value);
        return false;
    }
    return true;
}

int options_read(const tool_command *command, int argc, char **argv, option *options, int count) {
    int kept = 0;
    bool ended = false;
    for (int i = 0; i < argc; i++) {
        if (ended || argv[i][0] != '-') {
            argv[kept++] = argv[i];
            continue;
        }
        if (strcmp(argv[i], "--") == 0) {
            ended = true;
            continue;
        }
        option *o = option_find(options, count, argv[i]);
        if (o == NULL) {
            tool_misuse(command, "no option %s", argv[i]);
            return -1;
        }
        if (o->given) {
            tool_misuse(command, "%s is given twice", o->name);
            return -1;
        }
        o->given = true;
        if (o->kind != OPTION_FLAG && !value_take(command, o, i + 1 < argc ? argv[++i] : NULL)) {
            return -1;
        }
    }
    return kept;
}
