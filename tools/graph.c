/* `stoa graph`: the schedule of modules as text, as a graph for Graphviz, or drawn. */
#include <stdlib.h>

#include "tool.h"

static int schedule_write(const tool_command *command, stoa_app *app, stoa_schedule_format format,
                          const char *path) {
    int64_t length = stoa_schedule_print(app, format, NULL, 0);
    if (length < 0) {
        return tool_fail_library(command, NULL);
    }
    char *text = malloc((size_t)length + 1);
    output out;
    if (text == NULL) {
        return tool_fail(command, "out of memory");
    }
    int code = EXIT_WRONG;
    stoa_schedule_print(app, format, text, (size_t)length + 1);
    if (output_open(&out, command, path)) {
        fputs(text, out.file);
        /* The last line is a whole one, whatever the format. */
        if (length > 0 && text[length - 1] != '\n') {
            fputc('\n', out.file);
        }
        code = output_close(&out, EXIT_FINE);
    }
    free(text);
    return code;
}

static int graph_run(const tool_command *command, int argc, char **argv) {
    const char *path = NULL;
    option options[] = {
        {.name = "--dot"}, {.name = "--svg"}, {.name = "-o", .kind = OPTION_TEXT, .text = &path}};
    int count = options_read(command, argc, argv, options, 3);
    if (count < 1) {
        return count < 0 ? EXIT_USAGE : tool_misuse(command, "it takes at least one module");
    }
    if (options[0].given && options[1].given) {
        return tool_misuse(command, "--dot and --svg exclude each other");
    }
    stoa_world_desc world = world_desc();
    stoa_app *app = stoa_app_new(&(stoa_app_desc){.world_as = &world, .threads = 1});
    if (app == NULL) {
        return tool_fail_library(command, NULL);
    }
    int code = EXIT_WRONG;
    if (modules_open(command, app, argv, count, true)) {
        stoa_schedule_format format = options[0].given   ? STOA_SCHEDULE_DOT
                                      : options[1].given ? STOA_SCHEDULE_SVG
                                                         : STOA_SCHEDULE_TEXT;
        code = schedule_write(command, app, format, path);
    }
    app_close(app);
    return code;
}

const tool_command graph_command = {
    "graph",
    "MODULE... [--dot | --svg] [-o FILE]",
    "Draws the schedule of modules: what runs side by side, and why not",
    "Modules are loaded, but no scene is built and nothing runs.\n\n"
    "  --dot    a graph for Graphviz instead of text\n"
    "  --svg    a drawing\n"
    "  -o FILE  into a file instead of stdout\n",
    graph_run,
};
