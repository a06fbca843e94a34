/* What the commands of `stoa` share: how they are told of, how they read options, files and
 * snapshots, and how they fail.
 *
 * A command returns its exit code: 0, 1 for what differs, is invalid or fails, 2 for a wrong call.
 * What is asked for goes to stdout, everything else to stderr. */
#ifndef STOA_TOOL_H
#define STOA_TOOL_H

#include <stdio.h>

#include <stoa.h>

enum { EXIT_FINE, EXIT_WRONG, EXIT_USAGE };

/* A command: what is known of it, and its function, which gets what follows its name. */
typedef struct tool_command {
    const char *name;
    const char *usage;   /* what follows the name */
    const char *summary; /* one line */
    const char *help;    /* whole lines */
    int (*run)(const struct tool_command *command, int argc, char **argv);
} tool_command;

extern const tool_command run_command;
extern const tool_command print_command;
extern const tool_command verify_command;
extern const tool_command diff_command;
extern const tool_command hash_command;
extern const tool_command json_command;
extern const tool_command unjson_command;
extern const tool_command graph_command;

/* Says on stderr what is wrong and returns EXIT_WRONG. */
int tool_fail(const tool_command *command, const char *format, ...) STOA_PRINTF(2, 3);

/* The same for a wrong call, with how it is called; returns EXIT_USAGE. */
int tool_misuse(const tool_command *command, const char *format, ...) STOA_PRINTF(2, 3);

/* The same with the library's last error about a file, or about anything for NULL. */
int tool_fail_library(const tool_command *command, const char *about);

/* What an option is followed by. */
typedef enum option_kind { OPTION_FLAG, OPTION_TEXT, OPTION_NUMBER } option_kind;

/* An option of a command. */
typedef struct option {
    const char *name; /* with its dashes */
    option_kind kind;
    const char **text; /* of OPTION_TEXT: receives the value */
    uint64_t *number;  /* of OPTION_NUMBER: receives the value */
    uint64_t least, most;
    bool given; /* found among the arguments */
} option;

/* Reads the options among the arguments, and moves the others to the front. Returns how many those
 * are, or -1 if the call is wrong, which was said then. `--` ends the options. */
int options_read(const tool_command *command, int argc, char **argv, option *options, int count);

/* Reads a whole number of decimal digits within its range; false for anything else. */
bool number_read(const char *text, uint64_t least, uint64_t most, uint64_t *number);

/* Reads a whole file into a blob, which the caller frees; false if that fails, which was said. */
bool file_read(const tool_command *command, const char *path, stoa_blob *blob);

/* Where a command writes: a file, or stdout. */
typedef struct output {
    const tool_command *command;
    const char *path; /* NULL: stdout */
    FILE *file;
} output;

/* Opens the file, or stdout for NULL; false if that fails, which was said. */
bool output_open(output *out, const tool_command *command, const char *path);

/* Where the library may write to. */
stoa_sink output_sink(output *out);

/* Brings everything to the file and closes it. Returns `code`, or EXIT_WRONG if what was written
 * did not get there, which was said. */
int output_close(output *out, int code);

/* How to make a world whose errors are the commands' to tell. */
stoa_world_desc world_desc(void);

/* A world that holds a snapshot, whatever its components are; NULL if that fails, which was said.
 */
stoa_world *world_open(const tool_command *command, const char *path);

/* Frees an app; what its modules do meanwhile cannot fail the command. */
void app_close(stoa_app *app);

/* Loads modules into an app, in order; false if one fails, which was said. */
bool modules_open(const tool_command *command, stoa_app *app, char **paths, int count,
                  bool without_scene);

#endif
