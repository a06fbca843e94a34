/* The command `stoa`: finds the command that is asked for, and helps. */
#include <stdarg.h>
#include <string.h>

#include "tool.h"

static const tool_command *const commands[] = {
    &run_command,  &print_command, &verify_command, &diff_command,
    &hash_command, &json_command,  &unjson_command, &graph_command,
};

#define COMMAND_COUNT ((int)(sizeof commands / sizeof commands[0]))

static void message_print(const tool_command *command, const char *format, va_list arguments) {
    /* What was printed before comes first, also where both go to one place. */
    fflush(stdout);
    fprintf(stderr, "stoa%s%s: ", command != NULL ? " " : "", command != NULL ? command->name : "");
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
}

int tool_fail(const tool_command *command, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    message_print(command, format, arguments);
    va_end(arguments);
    return EXIT_WRONG;
}

int tool_fail_library(const tool_command *command, const char *about) {
    const char *message = stoa_last_error().message;
    /* Errors about files name them already. */
    if (about == NULL || strstr(message, about) != NULL) {
        return tool_fail(command, "%s", message);
    }
    return tool_fail(command, "%s: %s", about, message);
}

int tool_misuse(const tool_command *command, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    message_print(command, format, arguments);
    va_end(arguments);
    if (command != NULL) {
        fprintf(stderr, "usage: stoa %s %s\n", command->name, command->usage);
    } else {
        fprintf(stderr, "usage: stoa COMMAND ...; `stoa help` lists the commands\n");
    }
    return EXIT_USAGE;
}

static const tool_command *command_find(const char *name) {
    for (int i = 0; i < COMMAND_COUNT; i++) {
        if (strcmp(commands[i]->name, name) == 0) {
            return commands[i];
        }
    }
    return NULL;
}

static int stdout_close(void) {
    output out = {.file = stdout};
    return output_close(&out, EXIT_FINE);
}

static int command_help(const tool_command *command) {
    printf("usage: stoa %s %s\n\n%s.\n\n%s", command->name, command->usage, command->summary,
           command->help);
    return stdout_close();
}

static int overview_print(void) {
    printf("usage: stoa COMMAND ...\n\n");
    for (int i = 0; i < COMMAND_COUNT; i++) {
        printf("  %-8s %s\n", commands[i]->name, commands[i]->summary);
    }
    printf("  %-8s %s\n", "help", "Tells more of a command: stoa help COMMAND");
    printf("\nExit codes: 0; 1 for what differs, is invalid or fails; 2 for a wrong call.\n");
    return stdout_close();
}

static bool asks_for_help(int argc, char **argv) {
    for (int i = 0; i < argc && strcmp(argv[i], "--") != 0; i++) {
        if (strcmp(argv[i], "--help") == 0) {
            return true;
        }
    }
    return false;
}

static int help_run(int argc, char **argv) {
    if (argc == 0) {
        return overview_print();
    }
    const tool_command *command = command_find(argv[0]);
    if (command == NULL || argc > 1) {
        return tool_misuse(NULL, "no command '%s'", argv[argc > 1]);
    }
    return command_help(command);
}

int main(int argc, char **argv) {
    if (argc < 2) {
        return tool_misuse(NULL, "which command?");
    }
    if (strcmp(argv[1], "help") == 0 || strcmp(argv[1], "--help") == 0) {
        return help_run(argc - 2, argv + 2);
    }
    const tool_command *command = command_find(argv[1]);
    if (command == NULL) {
        return tool_misuse(NULL, "no command '%s'", argv[1]);
    }
    return asks_for_help(argc - 2, argv + 2) ? command_help(command)
                                             : command->run(command, argc - 2, argv + 2);
}
