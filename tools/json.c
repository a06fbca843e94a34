/* `stoa json` and `stoa unjson`: from snapshots to JSON and back.
 *
 * A snapshot describes its components, JSON does not: to read it the descriptions of a module, or
 * of another snapshot, are needed. */
#include "tool.h"

#ifdef STOA_TOOL_JSON

#include <stoa/json.h>
#include <stoa/snapshot.h>

static int world_write(const tool_command *command, const stoa_world *world, uint32_t flags,
                       const char *path) {
    output out;
    if (!output_open(&out, command, path)) {
        return EXIT_WRONG;
    }
    stoa_sink sink = output_sink(&out);
    int code = stoa_json_save_world(world, flags, &sink) == STOA_OK
                   ? EXIT_FINE
                   : tool_fail_library(command, path);
    fputc('\n', out.file);
    return output_close(&out, code);
}

static int json_run(const tool_command *command, int argc, char **argv) {
    const char *path = NULL;
    option options[] = {{.name = "-o", .kind = OPTION_TEXT, .text = &path}, {.name = "--compact"}};
    int count = options_read(command, argc, argv, options, 2);
    if (count != 1) {
        return count < 0 ? EXIT_USAGE : tool_misuse(command, "it takes one file");
    }
    stoa_world *world = world_open(command, argv[0]);
    if (world == NULL) {
        return EXIT_WRONG;
    }
    uint32_t flags = options[1].given ? STOA_JSON_COMPACT : STOA_JSON_PRETTY;
    int code = world_write(command, world, flags, path);
    stoa_world_free(world);
    return code;
}

/* Takes everything out of a world but the descriptions of its components. */
static stoa_status world_empty(stoa_world *world) {
    stoa_status status = STOA_OK;
    stoa_entity e = STOA_NULL;
    while (status == STOA_OK && !stoa_entity_is_null(e = stoa_entity_next(world, e))) {
        status = stoa_destroy(world, e);
    }
    stoa_component id = 0;
    while (status == STOA_OK && (id = stoa_resource_next(world, id)) != 0) {
        status = stoa_resource_remove_id(world, id);
    }
    return status;
}

static int text_load(const tool_command *command, stoa_world *world, const char *path) {
    stoa_blob text = {0};
    int code = EXIT_WRONG;
    if (file_read(command, path, &text)) {
        /* An empty text is wrong, and no null pointer. */
        const char *from = text.data != NULL ? (const char *)text.data : "";
        /* The message tells line and column. */
        code = stoa_json_load_world(world, from, text.size, NULL) == STOA_OK
                   ? EXIT_FINE
                   : tool_fail_library(command, path);
    }
    stoa_blob_free(&text);
    return code;
}

/* Reads the text into a world that knows the components, and saves that. */
static int text_convert(const tool_command *command, stoa_world *world, const char *from,
                        const char *to) {
    if (world_empty(world) != STOA_OK) {
        return tool_fail_library(command, NULL);
    }
    int code = text_load(command, world, from);
    if (code == EXIT_FINE && stoa_snapshot_save_file(world, NULL, to) != STOA_OK) {
        code = tool_fail_library(command, to);
    }
    return code;
}

static int modules_convert(const tool_command *command, char **argv, int count, const char *to) {
    stoa_world_desc desc = world_desc();
    stoa_app *app = stoa_app_new(&(stoa_app_desc){.world_as = &desc, .threads = 1});
    if (app == NULL) {
        return tool_fail_library(command, NULL);
    }
    int code = EXIT_WRONG;
    if (modules_open(command, app, argv + 1, count - 1, true)) {
        code = text_convert(command, stoa_app_world(app), argv[0], to);
    }
    app_close(app);
    return code;
}

static int unjson_run(const tool_command *command, int argc, char **argv) {
    const char *to = NULL;
    const char *types = NULL;
    option options[] = {{.name = "-o", .kind = OPTION_TEXT, .text = &to},
                        {.name = "--types", .kind = OPTION_TEXT, .text = &types}};
    int count = options_read(command, argc, argv, options, 2);
    if (count < 1) {
        return count < 0 ? EXIT_USAGE : tool_misuse(command, "it takes a file");
    }
    if (to == NULL) {
        return tool_misuse(command, "-o FILE is needed");
    }
    if (types == NULL) {
        return modules_convert(command, argv, count, to);
    }
    if (count > 1) {
        return tool_misuse(command, "modules and --types exclude each other");
    }
    stoa_world *world = world_open(command, types);
    if (world == NULL) {
        return EXIT_WRONG;
    }
    int code = text_convert(command, world, argv[0], to);
    stoa_world_free(world);
    return code;
}

#else

static int json_run(const tool_command *command, int argc, char **argv) {
    (void)argc;
    (void)argv;
    return tool_fail(command, "this program was built without JSON");
}

static int unjson_run(const tool_command *command, int argc, char **argv) {
    return json_run(command, argc, argv);
}

#endif

const tool_command json_command = {
    "json",
    "FILE [-o FILE] [--compact]",
    "Converts a snapshot to JSON",
    "Everything is written: handles, names, components, resources, the order of rows.\n\n"
    "  -o FILE    into a file instead of stdout\n"
    "  --compact  one line without spaces\n",
    json_run,
};

const tool_command unjson_command = {
    "unjson",
    "FILE -o FILE [--types SNAPSHOT | MODULE...]",
    "Converts JSON to a snapshot",
    "JSON does not tell of what types the values are: that is taken from a snapshot, or from the\n"
    "modules that the world is for.\n\n"
    "  -o FILE           the snapshot to write\n"
    "  --types SNAPSHOT  take the descriptions of components from here\n\n"
    "Errors are told with line and column.\n",
    unjson_run,
};
