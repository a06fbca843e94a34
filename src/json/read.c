/* A JSON text that is read: parsing it, and telling where in it something is wrong.
 *
 * jansson makes a tree of the text, which must be UTF-8, name no key twice, and nest no deeper than
 * jansson goes. The tree knows no lines. When something in it is refused, the way to it is walked
 * once more in the text, which is known to be well-formed by then: failing costs O(text), all else
 * nothing. jansson takes its memory from malloc; a tree holds some 80 bytes for each byte of text
 * at worst. */
#include "json/json.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/writer.h"

/* Longer texts are cut in messages. */
#define SHOWN 40

static void error_clear(stoa_json_error *error) {
    if (error != NULL) {
        *error = (stoa_json_error){0};
    }
}

stoa_status stoa__json_in_open(stoa__json_in *in, stoa_world *world, const char *text, size_t size,
                               bool any, stoa_json_error *error) {
    *in = (stoa__json_in){.world = world,
                          .text = text,
                          .size = size,
                          .error = error,
                          .resolve = stoa__json_resolve_world};
    error_clear(error);
    if (world == NULL || text == NULL) {
        return stoa__error(STOA_NULL_ARGUMENT, "the %s must not be null",
                           world == NULL ? "world" : "text");
    }
    stoa__heap_init(&in->heap, stoa_world_allocator(world));
    json_error_t wrong;
    in->root = json_loadb(text, size, JSON_REJECT_DUPLICATES | JSON_DECODE_ANY, &wrong);
    if (in->root == NULL) {
        if (json_error_code(&wrong) == json_error_out_of_memory) {
            return stoa__error_memory("the tree of a JSON text");
        }
        int32_t column = wrong.column > 0 ? wrong.column : 1;
        int32_t line = wrong.line > 0 ? wrong.line : 1;
        if (error != NULL) {
            error->line = line;
            error->column = column;
            error->offset = wrong.position > 0 ? (size_t)wrong.position : 0;
        }
        return stoa__error_line(STOA_SYNTAX, line, column, "%s", wrong.text);
    }
    if (!any && !json_is_object(in->root)) {
        return stoa__json_expected(in, NULL, in->root, "an object");
    }
    return STOA_OK;
}

void stoa__json_in_close(stoa__json_in *in) {
    json_decref(in->root);
    in->root = NULL;
}

stoa_status stoa__json_in_end(stoa__json_in *in, stoa_status status) {
    stoa__json_in_close(in);
    return in->told ? status : stoa_world_report(in->world, status);
}

/* Which member of its object, or item of its list, a path ends at. */
static size_t path_ordinal(const stoa__json_path *path) {
    if (path->key == NULL) {
        return path->index;
    }
    size_t ordinal = 0;
    for (void *at = json_object_iter(path->in); at != NULL;
         at = json_object_iter_next(path->in, at), ordinal++) {
        if (strcmp(json_object_iter_key(at), path->key) == 0) {
            break;
        }
    }
    return ordinal;
}

static const char *space_skip(const char *at, const char *end) {
    while (at < end && strchr(" \t\r\n,:", *at) != NULL && *at != '\0') {
        at++;
    }
    return at;
}

/* Past a text, which begins with its quote. */
static const char *string_skip(const char *at, const char *end) {
    for (at++; at < end && *at != '"'; at++) {
        if (*at == '\\' && end - at > 1) {
            at++;
        }
    }
    return at < end ? at + 1 : end;
}

/* Past a value and what parts it from the next. */
static const char *value_skip(const char *at, const char *end) {
    size_t depth = 0;
    do {
        if (at < end && *at == '"') {
            at = string_skip(at, end);
        } else if (at < end && (*at == '{' || *at == '[')) {
            depth++;
            at++;
        } else if (at < end && (*at == '}' || *at == ']')) {
            depth--;
            at++;
        } else {
            while (at < end && *at != '\0' && strchr("{}[]\",: \t\r\n", *at) == NULL) {
                at++;
            }
        }
        at = space_skip(at, end);
    } while (depth > 0 && at < end);
    return at;
}

/* Where the value at a path begins; for the whole text its first value. */
static const char *path_place(const stoa__json_in *in, const stoa__json_path *path) {
    const char *end = in->text + in->size;
    if (path == NULL) {
        return space_skip(in->text, end);
    }
    const char *at = path_place(in, path->up);
    if (at < end) {
        at = space_skip(at + 1, end);
    }
    for (size_t i = path_ordinal(path); i > 0; i--) {
        at = value_skip(path->key != NULL ? value_skip(at, end) : at, end);
    }
    return path->key != NULL ? value_skip(at, end) : at;
}

static void place_tell(stoa_json_error *place, const char *text, const char *at) {
    place->line = 1;
    place->column = 1;
    place->offset = (size_t)(at - text);
    for (; text < at; text++) {
        if (*text == '\n') {
            place->line++;
            place->column = 1;
        } else if (((unsigned char)*text & 0xC0) != 0x80) {
            place->column++;
        }
    }
}

static void path_print(stoa__writer *writer, const stoa__json_path *path) {
    if (path == NULL) {
        return;
    }
    path_print(writer, path->up);
    if (path->key == NULL) {
        stoa__writer_format(writer, "[%zu]", path->index);
    } else {
        stoa__writer_put(writer, writer->length > 0 ? "." : "");
        stoa__writer_put(writer, path->key);
    }
}

/* Cuts a text that was cut in a character before that. */
static void text_trim(char *text) {
    size_t length = strlen(text);
    for (int i = 0; i < 4 && length > 0 && !stoa__json_is_utf8(text, length); i++) {
        text[--length] = '\0';
    }
}

/* Sets the error of the thread and the caller's. */
static stoa_status place_fail(stoa__json_in *in, const stoa__json_path *path, stoa_status status,
                              const char *message) {
    stoa_json_error place = {0};
    place_tell(&place, in->text, path_place(in, path));
    stoa__writer writer = stoa__writer_new(place.path, sizeof place.path);
    path_print(&writer, path);
    text_trim(place.path);
    if (in->error != NULL) {
        *in->error = place;
    }
    return stoa__error_line(status, place.line, place.column, "%s%s%s", place.path,
                            place.path[0] != '\0' ? ": " : "", message);
}

stoa_status stoa__json_fail(stoa__json_in *in, const stoa__json_path *path, stoa_status status,
                            const char *format, ...) {
    char message[320];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    text_trim(message);
    return place_fail(in, path, status, message);
}

stoa_status stoa__json_fail_there(stoa__json_in *in, const stoa__json_path *path,
                                  stoa_status status) {
    char message[320];
    snprintf(message, sizeof message, "%s", stoa_last_error().message);
    text_trim(message);
    return place_fail(in, path, status, message);
}

stoa_status stoa__json_fail_told(stoa__json_in *in, const stoa__json_path *path,
                                 stoa_status status) {
    in->told = true;
    return stoa__json_fail_there(in, path, status);
}

static const char *json_shown(json_t *json, char *buffer, size_t size) {
    switch (json_typeof(json)) {
    case JSON_OBJECT:
        return "an object";
    case JSON_ARRAY:
        return "a list";
    case JSON_STRING:
        snprintf(buffer, size, "\"%.*s\"", SHOWN, json_string_value(json));
        return buffer;
    case JSON_INTEGER:
        snprintf(buffer, size, "%" JSON_INTEGER_FORMAT, json_integer_value(json));
        return buffer;
    case JSON_REAL:
        snprintf(buffer, size, "%g", json_real_value(json));
        return buffer;
    case JSON_NULL:
        return "null";
    default:
        return json_is_true(json) ? "true" : "false";
    }
}

stoa_status stoa__json_expected(stoa__json_in *in, const stoa__json_path *path, json_t *json,
                                const char *what) {
    char buffer[SHOWN + 16];
    return stoa__json_fail(in, path, STOA_SYNTAX, "expected %s, got %s", what,
                           json_shown(json, buffer, sizeof buffer));
}

stoa_status stoa__json_check_sections(stoa__json_in *in, const char *const *sections) {
    for (void *i = json_object_iter(in->root); i != NULL; i = json_object_iter_next(in->root, i)) {
        stoa__json_path member = {NULL, in->root, json_object_iter_key(i), 0};
        size_t at = 0;
        while (sections[at] != NULL && strcmp(sections[at], member.key) != 0) {
            at++;
        }
        if (sections[at] == NULL) {
            return stoa__json_fail(in, &member, STOA_SYNTAX, "nothing is known of '%.64s' here",
                                   member.key);
        }
    }
    json_t *version = json_object_get(in->root, "stoa");
    stoa__json_path path = {NULL, in->root, "stoa", 0};
    if (version == NULL) {
        return STOA_OK;
    }
    if (!json_is_integer(version) || json_integer_value(version) < 1) {
        return stoa__json_expected(in, &path, version, "the number of a form");
    }
    if (json_integer_value(version) > STOA__JSON_VERSION) {
        return stoa__json_fail(in, &path, STOA_SYNTAX,
                               "the text has form %" JSON_INTEGER_FORMAT
                               ", this program reads up to %d",
                               json_integer_value(version), STOA__JSON_VERSION);
    }
    return STOA_OK;
}

stoa_status stoa__json_section(stoa__json_in *in, const char *key, json_type type, json_t **found) {
    *found = json_object_get(in->root, key);
    if (*found != NULL && json_typeof(*found) != type) {
        stoa__json_path path = {NULL, in->root, key, 0};
        return stoa__json_expected(in, &path, *found, type == JSON_ARRAY ? "a list" : "an object");
    }
    return STOA_OK;
}
