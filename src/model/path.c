/* Following a path through the descriptions of nested structs.
 *
 * A path is names joined by dots, each with an index if one element of an array is meant. O(members
 * on the way). Reads only. */
#include "model/path.h"

#include "base/error.h"
#include "stoa/persist.h"

#include <string.h>

/* A path that is being read. */
typedef struct reader {
    const char *text;
    const char *at;
    const char *component; /* whose path it is */
} reader;

static int32_t reader_column(const reader *r) {
    return (int32_t)(r->at - r->text) + 1;
}

static bool is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

static stoa_status syntax_fail(const reader *r, const char *what) {
    return stoa__error_at(STOA_SYNTAX, reader_column(r), "a field of '%s': expected %s",
                          r->component, what);
}

static bool text_is(const char *text, const char *name, size_t length) {
    return strncmp(text, name, length) == 0 && text[length] == '\0';
}

static const stoa_member *member_find(const stoa_component_info *info, const char *name,
                                      size_t length) {
    for (int32_t i = 0; i < info->member_count; i++) {
        if (text_is(info->members[i].name, name, length)) {
            return &info->members[i];
        }
    }
    return NULL;
}

/* Reads a name and finds its member; NULL with the thread's error set. */
static const stoa_member *member_read(reader *r, const stoa_component_info *info) {
    const char *start = r->at;
    size_t length = 0;
    while (is_letter(start[length]) || (length > 0 && is_digit(start[length]))) {
        length++;
    }
    if (length == 0) {
        syntax_fail(r, "a name");
        return NULL;
    }
    const stoa_member *found = member_find(info, start, length);
    if (found != NULL) {
        r->at += length;
        return found;
    }
    int shown = length < 64 ? (int)length : 64;
    stoa__error_at(STOA_NOT_FOUND, reader_column(r), "type '%s' has no field '%.*s'", info->name,
                   shown, start);
    return NULL;
}

/* Reads the index of an array's element, which is at '['. */
static stoa_status index_read(reader *r, const stoa_member *member, uint32_t *index) {
    if (!member->array) {
        return stoa__error_at(STOA_INVALID, reader_column(r), "field '%s' is no array",
                              member->name);
    }
    r->at++;
    if (!is_digit(*r->at)) {
        return syntax_fail(r, "an index");
    }
    uint64_t number = 0;
    int32_t column = reader_column(r);
    for (; is_digit(*r->at); r->at++) {
        number = number * 10 + (uint64_t)(*r->at - '0');
        number = number < UINT32_MAX ? number : UINT32_MAX;
    }
    if (*r->at != ']') {
        return syntax_fail(r, "']'");
    }
    r->at++;
    if (number >= member->count) {
        return stoa__error_at(STOA_INVALID, column, "array '%s' has %u elements", member->name,
                              member->count);
    }
    *index = (uint32_t)number;
    return STOA_OK;
}

/* One step: a member, and an element of it if there is an index. */
static stoa_status step_read(reader *r, const stoa_component_info *info, stoa__path *path) {
    const stoa_member *member = member_read(r, info);
    if (member == NULL) {
        return stoa_last_error().status;
    }
    uint32_t index = 0;
    bool element = *r->at == '[';
    stoa_status status = element ? index_read(r, member, &index) : STOA_OK;
    path->member = member;
    path->offset += member->offset + index * member->size;
    path->array = member->array && !element;
    return status;
}

/* Goes on from a member to its own; what is at the dot must be a struct. */
static stoa_status struct_enter(const stoa_world *world, const reader *r, const stoa__path *path,
                                stoa_component_info *info) {
    const char *name = path->member->name;
    if (path->array) {
        return stoa__error_at(STOA_INVALID, reader_column(r),
                              "field '%s' is an array: name one of its elements, as in '%s[0]'",
                              name, name);
    }
    if (path->member->kind != STOA_KIND_STRUCT) {
        return stoa__error_at(STOA_INVALID, reader_column(r), "field '%s' has no fields", name);
    }
    return stoa_component_info_get(world, path->member->type, info);
}

stoa_status stoa__path_find(const stoa_world *world, const stoa_component_info *component,
                            const char *text, stoa__path *path) {
    stoa_component_info info = *component;
    reader r = {text, text, component->name};
    *path = (stoa__path){.member = NULL};
    stoa_status status = step_read(&r, &info, path);
    while (status == STOA_OK && *r.at != '\0') {
        if (*r.at != '.') {
            return syntax_fail(&r, "'.' or the end");
        }
        status = struct_enter(world, &r, path, &info);
        r.at++;
        if (status == STOA_OK) {
            status = step_read(&r, &info, path);
        }
    }
    return status;
}

const stoa_member *stoa__path_follow(const stoa_component_info *after, const char *name,
                                     size_t length) {
    const stoa_member *found = member_find(after, name, length);
    const stoa_alias *alias = after->persist != NULL ? after->persist->fields : NULL;
    for (; found == NULL && alias != NULL && alias->former != NULL; alias++) {
        if (text_is(alias->former, name, length) && alias->name != NULL) {
            found = member_find(after, alias->name, strlen(alias->name));
        }
    }
    return found;
}
