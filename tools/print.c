/* `stoa print`: the entities of a saved world as text, by the descriptions saved with it. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "tool.h"

/* What is printed, and room for the text of one thing, which grows. */
typedef struct printing {
    const tool_command *command;
    const stoa_world *world;
    char *text;
    size_t size;
} printing;

/* Makes room for a text of that length; false if there is no memory, which was said. */
static bool text_reserve(printing *p, size_t length) {
    if (length < p->size) {
        return true;
    }
    size_t size = length + 1 + length / 2;
    char *text = realloc(p->text, size);
    if (text == NULL) {
        tool_fail(p->command, "out of memory");
        return false;
    }
    p->text = text;
    p->size = size;
    return true;
}

static bool entity_print(printing *p, stoa_entity e) {
    size_t length = stoa_describe(p->world, e, p->text, p->size);
    if (length >= p->size) {
        if (!text_reserve(p, length)) {
            return false;
        }
        stoa_describe(p->world, e, p->text, p->size);
    }
    return puts(p->text) >= 0;
}

static bool resources_print(printing *p) {
    stoa_component id = 0;
    while ((id = stoa_resource_next(p->world, id)) != 0) {
        size_t length = stoa_print_resource(p->world, id, p->text, p->size);
        if (length >= p->size) {
            if (!text_reserve(p, length)) {
                return false;
            }
            stoa_print_resource(p->world, id, p->text, p->size);
        }
        if (printf("resource %s\n", p->text) < 0) {
            return false;
        }
    }
    return true;
}

static bool world_print(printing *p) {
    stoa_entity e = STOA_NULL;
    bool good = true;
    while (good && !stoa_entity_is_null(e = stoa_entity_next(p->world, e))) {
        good = entity_print(p, e);
    }
    return good && resources_print(p);
}

/* What a query matches, in index order, as without one. */
static int query_print(printing *p, stoa_world *world, const char *text) {
    stoa_query *query = stoa_query_parse(world, text);
    if (query == NULL) {
        return tool_fail_library(p->command, NULL);
    }
    stoa_entity e = STOA_NULL;
    bool good = true;
    while (good && !stoa_entity_is_null(e = stoa_entity_next(world, e))) {
        good = !stoa_query_matches(query, e) || entity_print(p, e);
    }
    return good ? EXIT_FINE : EXIT_WRONG;
}

/* The entity that is meant: `17`, whoever lives there, `17v3`, or a name. */
static stoa_entity entity_find(const stoa_world *world, const char *text) {
    char number[16] = "";
    size_t digits = strspn(text, "0123456789");
    uint64_t index;
    uint64_t generation;
    if (digits > 0 && digits < sizeof number) {
        memcpy(number, text, digits);
        if (number_read(number, 1, UINT32_MAX, &index)) {
            stoa_entity before = {(uint32_t)index - 1, 0};
            stoa_entity e = stoa_entity_next(world, before);
            if (e.index == index && (text[digits] == '\0' ||
                                     (text[digits] == 'v' &&
                                      number_read(text + digits + 1, 1, UINT32_MAX, &generation) &&
                                      generation == e.generation))) {
                return e;
            }
        }
    }
    return stoa_find(world, text);
}

static int print_world(printing *p, stoa_world *world, const char *query, const char *entity) {
    if (entity != NULL) {
        stoa_entity e = entity_find(world, entity);
        if (stoa_entity_is_null(e)) {
            return tool_fail(p->command, "no entity %s lives", entity);
        }
        return entity_print(p, e) ? EXIT_FINE : EXIT_WRONG;
    }
    if (query != NULL) {
        return query_print(p, world, query);
    }
    return world_print(p) ? EXIT_FINE : EXIT_WRONG;
}

static int print_run(const tool_command *command, int argc, char **argv) {
    const char *query = NULL;
    const char *entity = NULL;
    option options[] = {{.name = "--query", .kind = OPTION_TEXT, .text = &query},
                        {.name = "--entity", .kind = OPTION_TEXT, .text = &entity}};
    int count = options_read(command, argc, argv, options, 2);
    if (count != 1) {
        return count < 0 ? EXIT_USAGE : tool_misuse(command, "it takes one file");
    }
    if (query != NULL && entity != NULL) {
        return tool_misuse(command, "--query and --entity exclude each other");
    }
    stoa_world *world = world_open(command, argv[0]);
    if (world == NULL) {
        return EXIT_WRONG;
    }
    output out;
    output_open(&out, command, NULL);
    printing p = {.command = command, .world = world};
    int code = text_reserve(&p, 4096) ? print_world(&p, world, query, entity) : EXIT_WRONG;
    free(p.text);
    stoa_world_free(world);
    return output_close(&out, code);
}

const tool_command print_command = {
    "print",
    "FILE [--query TEXT] [--entity N]",
    "Prints the entities of a snapshot, with their components",
    "The program that saved it is not needed: components are described in the file.\n\n"
    "  --query TEXT  only what matches, such as 'Position, !Velocity'\n"
    "  --entity N    only one: 17, 17v3, or a name\n\n"
    "Entities come in order of their indexes, then the resources.\n",
    print_run,
};
