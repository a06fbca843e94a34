/* From two types to a list of steps: members are matched by name, then by alias.
 *
 * Types nest no deeper than STOA_NEST_MAX and come to no more than a fixed number of members, so
 * that going down needs little stack and the list stays short, whatever a file says. O(members of
 * the one * members of the other). One thread at a time. */
#include "persist/schema_compile.h"

#include "persist/schema_name.h"
#include "persist/schema_number.h"

#include <string.h>

typedef uint64_t claims[STOA__SCHEMA_FIELD_MAX / 64];

static int32_t field_find(const stoa__schema_type *type, const char *name) {
    for (int32_t i = 0; i < type->field_count; i++) {
        if (strcmp(type->fields[i].name, name) == 0) {
            return i;
        }
    }
    return -1;
}

/* The saved field that a member was once called by; an alias that is a member's own name now does
 * not count. */
static int32_t alias_find(const stoa__compiler *c, const stoa__schema_type *from,
                          const stoa__schema_type *to, const char *name) {
    stoa_component_info info;
    if (stoa_component_info_get(c->world, to->id, &info) != STOA_OK || info.persist == NULL ||
        info.persist->fields == NULL) {
        return -1;
    }
    for (const stoa_alias *alias = info.persist->fields; alias->former != NULL; alias++) {
        if (alias->name != NULL && strcmp(alias->name, name) == 0 &&
            field_find(to, alias->former) < 0) {
            int32_t found = field_find(from, alias->former);
            if (found >= 0) {
                return found;
            }
        }
    }
    return -1;
}

static uint32_t field_offset(const stoa__compiler *c, const stoa__schema_field *field) {
    return c->plan->options.memory ? field->offset : field->packed_offset;
}

/* Bytes of one element as it comes. */
static uint32_t field_size(const stoa__compiler *c, const stoa__schema_field *field) {
    return c->plan->options.memory ? field->size : field->packed_size;
}

static bool field_is_number(const stoa__schema_field *field) {
    return stoa__wide_is_kind(field->kind) || field->kind == STOA_KIND_ENUM;
}

/* Tells of a change of type or length, which is written as in a declaration. */
static void field_tell(stoa__compiler *c, const stoa__schema_field *from,
                       const stoa__schema_field *to) {
    const char *was = stoa__schema_kind_name(c->from_schema, from);
    const char *is = stoa__schema_kind_name(c->to_schema, to);
    bool structs = from->kind == STOA_KIND_STRUCT && to->kind == STOA_KIND_STRUCT;
    bool same_kind = from->kind == to->kind && from->size == to->size;
    if ((structs || (same_kind && strcmp(was, is) == 0)) && from->count == to->count) {
        return;
    }
    char was_count[16] = "", is_count[16] = "";
    stoa__writer out = stoa__writer_new(was_count, sizeof was_count);
    if (from->array) {
        stoa__writer_format(&out, "[%u]", (unsigned)from->count);
    }
    out = stoa__writer_new(is_count, sizeof is_count);
    if (to->array) {
        stoa__writer_format(&out, "[%u]", (unsigned)to->count);
    }
    stoa__compile_notice(c, STOA_NOTICE_CONVERTED, "was %.80s%s and is %.80s%s", was, was_count, is,
                         is_count);
}

static void drop_bytes(stoa__compiler *c, uint32_t from, uint32_t size) {
    stoa__compile_step(c, &(stoa__step){.op = STOA__OP_DROP, .from = from, .count = size});
}

/* Elements that go nowhere must be zero. In memory they may have padding, which is not looked at.
 */
static void elements_drop(stoa__compiler *c, const stoa__schema_field *field, uint32_t from,
                          uint32_t count) {
    uint32_t size = field_size(c, field);
    const stoa__schema_type *type =
        field->kind == STOA_KIND_STRUCT ? &c->from_schema->types[field->type] : NULL;
    if (type == NULL || type->field_count == 0 || !c->plan->options.memory) {
        drop_bytes(c, from, size * count);
        return;
    }
    stoa__compile_loop loop = stoa__compile_loop_begin(
        c, &(stoa__step){.op = STOA__OP_LOOP, .from = from, .count = count, .from_size = size});
    for (int32_t i = 0; i < type->field_count; i++) {
        elements_drop(c, &type->fields[i], type->fields[i].offset, type->fields[i].count);
    }
    stoa__compile_loop_end(c, loop);
}

static void structs_compile(stoa__compiler *c, const stoa__schema_field *from_field,
                            const stoa__schema_field *to_field, uint32_t from, uint32_t to,
                            uint32_t count) {
    if (count == 1) {
        stoa__compile_value(c, from_field->type, to_field->type, from, to);
        return;
    }
    stoa__compile_loop loop =
        stoa__compile_loop_begin(c, &(stoa__step){.op = STOA__OP_LOOP,
                                                  .from = from,
                                                  .to = to,
                                                  .count = count,
                                                  .from_size = field_size(c, from_field),
                                                  .to_size = to_field->size});
    stoa__compile_value(c, from_field->type, to_field->type, 0, 0);
    stoa__compile_loop_end(c, loop);
}

/* A text is cut at its zero, and what is longer than it was is filled up with zeros. */
static void text_compile(stoa__compiler *c, const stoa__schema_field *from_field,
                         const stoa__schema_field *to_field, uint32_t from, uint32_t to) {
    if (from_field->count > to_field->count) {
        stoa__compile_step(c, &(stoa__step){.op = STOA__OP_TEXT,
                                            .from = from,
                                            .to = to,
                                            .count = to_field->count,
                                            .from_size = from_field->count});
        return;
    }
    stoa__compile_copy(c, from, to, from_field->count);
    if (from_field->count < to_field->count) {
        stoa__compile_step(c, &(stoa__step){.op = STOA__OP_ZERO,
                                            .to = to + from_field->count,
                                            .count = to_field->count - from_field->count});
    }
}

static void field_compile(stoa__compiler *c, const stoa__schema_field *from_field,
                          const stoa__schema_field *to_field, uint32_t from, uint32_t to) {
    uint32_t count = from_field->count < to_field->count ? from_field->count : to_field->count;
    bool text = from_field->kind == STOA_KIND_CHAR && to_field->kind == STOA_KIND_CHAR &&
                from_field->array && to_field->array;
    field_tell(c, from_field, to_field);
    if (text) {
        text_compile(c, from_field, to_field, from, to);
        return;
    }
    if (field_is_number(from_field) && field_is_number(to_field)) {
        stoa__compile_number(c, from_field, to_field, from, to, count);
    } else if (from_field->kind != to_field->kind) {
        stoa__compile_refuse(c,
                             "was %.60s and is %.60s, which cannot be made of it; give it a name "
                             "of its own",
                             stoa__schema_kind_name(c->from_schema, from_field),
                             stoa__schema_kind_name(c->to_schema, to_field));
    } else if (from_field->kind == STOA_KIND_STRUCT) {
        structs_compile(c, from_field, to_field, from, to, count);
    } else {
        stoa__compile_same(c, from_field->kind, from, to, to_field->size, count);
    }
    if (from_field->count > count) {
        elements_drop(c, from_field, from + count * field_size(c, from_field),
                      from_field->count - count);
    }
}

static void fields_compile(stoa__compiler *c, const stoa__schema_type *from_type,
                           const stoa__schema_type *to_type, uint32_t from, uint32_t to) {
    claims claimed = {0};
    for (int32_t i = 0; i < to_type->field_count && c->status == STOA_OK; i++) {
        const stoa__schema_field *field = &to_type->fields[i];
        size_t path = stoa__compile_enter(c, field->name);
        int32_t source = field_find(from_type, field->name);
        if (source < 0) {
            source = alias_find(c, from_type, to_type, field->name);
            if (source >= 0) {
                stoa__compile_notice(c, STOA_NOTICE_RENAMED, "was called '%.100s'",
                                     from_type->fields[source].name);
            }
        }
        if (source < 0) {
            stoa__compile_notice(c, STOA_NOTICE_ADDED, "was not saved and has its default");
        } else {
            const stoa__schema_field *saved = &from_type->fields[source];
            claimed[source / 64] |= (uint64_t)1 << (source % 64);
            field_compile(c, saved, field, from + field_offset(c, saved), to + field->offset);
        }
        stoa__compile_leave(c, path);
    }
    for (int32_t i = 0; i < from_type->field_count && c->status == STOA_OK; i++) {
        if ((claimed[i / 64] >> (i % 64) & 1) == 0) {
            size_t path = stoa__compile_enter(c, from_type->fields[i].name);
            stoa__compile_notice(c, STOA_NOTICE_REMOVED, "was saved and is left out");
            stoa__compile_leave(c, path);
        }
    }
}

/* The bools of a type whose bytes were copied. */
static void bools_compile(stoa__compiler *c, const stoa__schema_type *type, uint32_t to) {
    for (int32_t i = 0; i < type->field_count; i++) {
        const stoa__schema_field *field = &type->fields[i];
        if (field->kind == STOA_KIND_BOOL) {
            stoa__compile_bool(c, to + field->offset, field->count);
        } else if (field->kind == STOA_KIND_STRUCT) {
            stoa__compile_loop loop =
                stoa__compile_loop_begin(c, &(stoa__step){.op = STOA__OP_LOOP,
                                                          .to = to + field->offset,
                                                          .count = field->count,
                                                          .to_size = field->size});
            bools_compile(c, &c->to_schema->types[field->type], 0);
            stoa__compile_loop_end(c, loop);
        }
    }
}

/* Bytes stay what they are, whether or not they are described now. */
static void bytes_compile(stoa__compiler *c, const stoa__schema_type *from_type,
                          const stoa__schema_type *to_type, uint32_t from, uint32_t to) {
    if (from_type->size != to_type->size) {
        stoa__compile_refuse(c,
                             "was saved as %u bytes as they were and has %u now; give it a name of "
                             "its own",
                             (unsigned)from_type->size, (unsigned)to_type->size);
        return;
    }
    if (to_type->way != STOA__WAY_BYTES) {
        stoa__compile_notice(c, STOA_NOTICE_CONVERTED, "was saved as bytes and is described now");
    }
    stoa__compile_copy(c, from, to, to_type->size);
    bools_compile(c, to_type, to);
}

void stoa__compile_value(stoa__compiler *c, int32_t from_type, int32_t to_type, uint32_t from,
                         uint32_t to) {
    const stoa__schema_type *saved = &c->from_schema->types[from_type];
    const stoa__schema_type *now = &c->to_schema->types[to_type];
    if (saved->way == STOA__WAY_BYTES && now->way != STOA__WAY_TAG) {
        bytes_compile(c, saved, now, from, to);
    } else if (now->way == STOA__WAY_BYTES && saved->way != STOA__WAY_TAG) {
        stoa__compile_refuse(c, "was saved by its members, which are not described any more");
    } else if (now->way == STOA__WAY_BYTES) {
        stoa__compile_notice(c, STOA_NOTICE_ADDED, "was a tag and has its default");
    } else if (saved->way == STOA__WAY_BYTES) {
        stoa__compile_notice(c, STOA_NOTICE_REMOVED, "was saved as bytes and is a tag");
    } else {
        fields_compile(c, saved, now, from, to);
    }
}
