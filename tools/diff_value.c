/* Values are compared by their members, so padding plays no role, and each side by its own
 * description: a member that only one of them has, or that is of another type, differs. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "diff.h"

#define TITLE_SIZE 512
#define TEXT_SIZE 128

static int64_t struct_diff(const char *title, diff_side a, const void *from, diff_side b,
                           const void *to);

/* The shortest text that reads back as the number. */
static void float_text(double number, bool single, char *text) {
    for (int digits = 6; digits <= 17; digits++) {
        snprintf(text, TEXT_SIZE, "%.*g", digits, number);
        double back = strtod(text, NULL);
        if (single ? (float)back == (float)number : back == number) {
            return;
        }
    }
}

static int64_t signed_of(uint32_t size, const void *at) {
    int8_t i8;
    int16_t i16;
    int32_t i32;
    int64_t i64;
    switch (size) {
    case 1:
        memcpy(&i8, at, 1);
        return i8;
    case 2:
        memcpy(&i16, at, 2);
        return i16;
    case 4:
        memcpy(&i32, at, 4);
        return i32;
    default:
        memcpy(&i64, at, 8);
        return i64;
    }
}

/* Without its sign, in as many bytes as it has. */
static uint64_t unsigned_of(uint32_t size, const void *at) {
    uint64_t bits = (uint64_t)signed_of(size, at);
    return size >= 8 ? bits : bits & (((uint64_t)1 << size * 8) - 1);
}

/* An enum by name, or by number where it has none. */
static void enum_text(diff_side side, const stoa_member *member, const void *at, char *text) {
    int32_t count = 0;
    int64_t number = signed_of(member->size, at);
    const stoa_enum_value *values = stoa_component_enum(side.world, member->type, &count);
    for (int32_t i = 0; i < count; i++) {
        if (values[i].value == number) {
            snprintf(text, TEXT_SIZE, "%s", values[i].name);
            return;
        }
    }
    snprintf(text, TEXT_SIZE, "%" PRId64, number);
}

/* Writes one element that is no struct. Long texts are cut. */
static void element_text(diff_side side, const stoa_member *member, const void *at, char *text) {
    float single;
    double number;
    stoa_entity e;
    const char *string;
    switch (member->kind) {
    case STOA_KIND_F32:
        memcpy(&single, at, sizeof single);
        float_text((double)single, true, text);
        return;
    case STOA_KIND_F64:
        memcpy(&number, at, sizeof number);
        float_text(number, false, text);
        return;
    case STOA_KIND_ENTITY:
        memcpy(&e, at, sizeof e);
        stoa_entity_print(e, text, TEXT_SIZE);
        return;
    case STOA_KIND_STRING:
        memcpy(&string, at, sizeof string);
        snprintf(text, TEXT_SIZE, string != NULL ? "\"%s\"" : "-", string);
        return;
    case STOA_KIND_ENUM:
        enum_text(side, member, at, text);
        return;
    case STOA_KIND_I8:
    case STOA_KIND_I16:
    case STOA_KIND_I32:
    case STOA_KIND_I64:
        snprintf(text, TEXT_SIZE, "%" PRId64, signed_of(member->size, at));
        return;
    default:
        snprintf(text, TEXT_SIZE, "%" PRIu64, unsigned_of(member->size, at));
        return;
    }
}

static bool elements_equal(const stoa_member *member, const void *from, const void *to) {
    if (member->kind == STOA_KIND_STRING) {
        const char *a;
        const char *b;
        memcpy(&a, from, sizeof a);
        memcpy(&b, to, sizeof b);
        return a == NULL || b == NULL ? a == b : strcmp(a, b) == 0;
    }
    /* Pointers are of this process and tell nothing. */
    return member->kind == STOA_KIND_POINTER || memcmp(from, to, member->size) == 0;
}

/* A char array is one text. */
static int64_t text_diff(const char *title, const stoa_member *m, const char *from,
                         const char *to) {
    if (strncmp(from, to, m->count) == 0) {
        return 0;
    }
    printf("%s: \"%.*s\" -> \"%.*s\"\n", title, (int)m->count, from, (int)m->count, to);
    return 1;
}

static int64_t element_diff(const char *title, diff_side a, const stoa_member *m, const void *from,
                            diff_side b, const stoa_member *n, const void *to) {
    if (m->kind == STOA_KIND_STRUCT) {
        return struct_diff(title, (diff_side){a.world, m->type}, from,
                           (diff_side){b.world, n->type}, to);
    }
    if (elements_equal(m, from, to)) {
        return 0;
    }
    char before[TEXT_SIZE];
    char after[TEXT_SIZE];
    element_text(a, m, from, before);
    element_text(b, n, to, after);
    printf("%s: %s -> %s\n", title, before, after);
    return 1;
}

static int64_t member_diff(const char *title, diff_side a, const stoa_member *m,
                           const uint8_t *from, diff_side b, const stoa_member *n,
                           const uint8_t *to) {
    char path[TITLE_SIZE];
    if (m->kind != n->kind || m->size != n->size || m->count != n->count) {
        printf("%s.%s: of another type\n", title, m->name);
        return 1;
    }
    from += m->offset;
    to += n->offset;
    snprintf(path, sizeof path, "%s.%s", title, m->name);
    if (m->kind == STOA_KIND_CHAR && m->array) {
        return text_diff(path, m, (const char *)from, (const char *)to);
    }
    int64_t differences = 0;
    for (uint32_t i = 0; i < m->count; i++) {
        if (m->array) {
            snprintf(path, sizeof path, "%s.%s[%" PRIu32 "]", title, m->name, i);
        }
        differences +=
            element_diff(path, a, m, from + (size_t)i * m->size, b, n, to + (size_t)i * n->size);
    }
    return differences;
}

static const stoa_member *member_find(const stoa_component_info *info, const char *name) {
    for (int32_t i = 0; i < info->member_count; i++) {
        if (strcmp(info->members[i].name, name) == 0) {
            return &info->members[i];
        }
    }
    return NULL;
}

/* Without members the bytes decide. */
static int64_t opaque_diff(const char *title, const stoa_component_info *a, const void *from,
                           const stoa_component_info *b, const void *to) {
    if (a->size == b->size && (a->size == 0 || memcmp(from, to, a->size) == 0)) {
        return 0;
    }
    printf("%s: %" PRIu32 " bytes that differ\n", title, b->size);
    return 1;
}

/* Structs in structs are at most STOA_NEST_MAX deep. */
static int64_t struct_diff(const char *title, diff_side a, const void *from, diff_side b,
                           const void *to) {
    stoa_component_info info_a;
    stoa_component_info info_b;
    if (stoa_component_info_get(a.world, a.id, &info_a) != STOA_OK ||
        stoa_component_info_get(b.world, b.id, &info_b) != STOA_OK) {
        return 0;
    }
    if (info_a.member_count == 0 && info_b.member_count == 0) {
        return opaque_diff(title, &info_a, from, &info_b, to);
    }
    int64_t differences = 0;
    for (int32_t i = 0; i < info_a.member_count; i++) {
        const stoa_member *m = &info_a.members[i];
        const stoa_member *n = member_find(&info_b, m->name);
        if (n == NULL) {
            printf("%s -%s\n", title, m->name);
            differences++;
        } else {
            differences += member_diff(title, a, m, from, b, n, to);
        }
    }
    for (int32_t i = 0; i < info_b.member_count; i++) {
        if (member_find(&info_a, info_b.members[i].name) == NULL) {
            printf("%s +%s\n", title, info_b.members[i].name);
            differences++;
        }
    }
    return differences;
}

int64_t diff_values(const char *title, diff_side a, const void *from, diff_side b, const void *to) {
    return from != NULL && to != NULL ? struct_diff(title, a, from, b, to) : 0;
}
