/* Schemas as text, for people.
 *
 * Fields are written as they were declared. Two schemas are compared by the names of types and of
 * members. O(members of the one * members of the other). No memory; any thread. */
#include "persist/schema.h"
#include "persist/schema_name.h"

#include <inttypes.h>
#include <string.h>

static void flags_write(uint32_t flags, stoa__writer *out) {
    static const struct {
        uint32_t flag;
        const char *name;
    } names[] = {{STOA_HIDDEN, "hidden"},
                 {STOA_SPARSE, "sparse"},
                 {STOA_SWITCHABLE, "switchable"},
                 {STOA_ROW_TICKS, "row ticks"},
                 {STOA_IMMUTABLE, "immutable"}};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if ((flags & names[i].flag) != 0) {
            stoa__writer_put(out, ", ");
            stoa__writer_put(out, names[i].name);
        }
    }
}

/* What a type is, without its name. */
static void type_write(const stoa__schema_type *type, stoa__writer *out) {
    switch (type->way) {
    case STOA__WAY_TAG:
        stoa__writer_put(out, "tag");
        break;
    case STOA__WAY_MEMBERS:
        stoa__writer_format(out, "%" PRIu32 " bytes", type->size);
        break;
    case STOA__WAY_BYTES:
        stoa__writer_format(out, "%" PRIu32 " raw bytes", type->size);
        break;
    case STOA__WAY_FUNCTIONS:
        stoa__writer_put(out, "saved by functions");
        break;
    case STOA__WAY_ENUM:
        stoa__writer_format(out, "enum of %" PRIu32 " bytes", type->size);
        break;
    }
    flags_write(type->flags, out);
}

static void field_write(const stoa__schema *schema, const stoa__schema_field *field,
                        const char *name, stoa__writer *out) {
    stoa__writer_put(out, stoa__schema_kind_name(schema, field));
    if (field->kind == STOA_KIND_ENUM && field->type < 0) {
        stoa__writer_format(out, " of %" PRIu32 " bytes", field->size);
    }
    if (name != NULL) {
        stoa__writer_put(out, " ");
        stoa__writer_put(out, name);
    }
    if (field->array) {
        stoa__writer_format(out, "[%" PRIu32 "]", field->count);
    }
}

void stoa__schema_print(const stoa__schema *schema, int32_t type, stoa__writer *out) {
    const stoa__schema_type *t = &schema->types[type];
    stoa__writer_put(out, t->name);
    stoa__writer_put(out, ": ");
    type_write(t, out);
    stoa__writer_put(out, "\n");
    for (int32_t i = 0; t->way == STOA__WAY_MEMBERS && i < t->field_count; i++) {
        stoa__writer_put(out, "  ");
        field_write(schema, &t->fields[i], t->fields[i].name, out);
        stoa__writer_put(out, "\n");
    }
    for (int32_t i = 0; i < t->value_count; i++) {
        stoa__writer_put(out, "  ");
        stoa__writer_put(out, t->values[i].name);
        stoa__writer_format(out, " = %" PRId64 "\n", t->values[i].value);
    }
}

/* Two schemas that are being compared. */
typedef struct comparing {
    const stoa__schema *before;
    const stoa__schema *after;
    stoa__writer *out;
    int32_t count;
} comparing;

/* Begins a line: `Type: ` or `Type.member: `. */
static void line_begin(comparing *c, const char *type, const char *member) {
    c->count++;
    stoa__writer_put(c->out, type);
    if (member != NULL) {
        stoa__writer_put(c->out, ".");
        stoa__writer_put(c->out, member);
    }
    stoa__writer_put(c->out, ": ");
}

static const stoa__schema_field *field_find(const stoa__schema_type *type, const char *name) {
    for (int32_t i = 0; i < type->field_count; i++) {
        if (strcmp(type->fields[i].name, name) == 0) {
            return &type->fields[i];
        }
    }
    return NULL;
}

static void fields_compare(comparing *c, const stoa__schema_type *before,
                           const stoa__schema_type *after) {
    for (int32_t i = 0; i < before->field_count; i++) {
        const stoa__schema_field *was = &before->fields[i];
        const stoa__schema_field *is = field_find(after, was->name);
        if (is == NULL) {
            line_begin(c, before->name, was->name);
            stoa__writer_put(c->out, "removed\n");
        } else if (was->kind != is->kind || was->size != is->size || was->count != is->count ||
                   was->array != is->array ||
                   strcmp(stoa__schema_kind_name(c->before, was),
                          stoa__schema_kind_name(c->after, is)) != 0) {
            line_begin(c, before->name, was->name);
            field_write(c->before, was, NULL, c->out);
            stoa__writer_put(c->out, " before, ");
            field_write(c->after, is, NULL, c->out);
            stoa__writer_put(c->out, " after\n");
        }
    }
    for (int32_t i = 0; i < after->field_count; i++) {
        if (field_find(before, after->fields[i].name) == NULL) {
            line_begin(c, after->name, after->fields[i].name);
            stoa__writer_put(c->out, "added\n");
        }
    }
}

static const stoa_enum_value *value_find(const stoa__schema_type *type, const char *name) {
    for (int32_t i = 0; i < type->value_count; i++) {
        if (strcmp(type->values[i].name, name) == 0) {
            return &type->values[i];
        }
    }
    return NULL;
}

static void values_compare(comparing *c, const stoa__schema_type *before,
                           const stoa__schema_type *after) {
    for (int32_t i = 0; i < before->value_count; i++) {
        const stoa_enum_value *was = &before->values[i];
        const stoa_enum_value *is = value_find(after, was->name);
        if (is == NULL || is->value != was->value) {
            line_begin(c, before->name, was->name);
            if (is == NULL) {
                stoa__writer_put(c->out, "removed\n");
            } else {
                stoa__writer_format(c->out, "%" PRId64 " before, %" PRId64 " after\n", was->value,
                                    is->value);
            }
        }
    }
    for (int32_t i = 0; i < after->value_count; i++) {
        if (value_find(before, after->values[i].name) == NULL) {
            line_begin(c, after->name, after->values[i].name);
            stoa__writer_put(c->out, "added\n");
        }
    }
}

static void types_compare(comparing *c, const stoa__schema_type *before,
                          const stoa__schema_type *after) {
    if (before->way != after->way || before->flags != after->flags || before->size != after->size) {
        line_begin(c, before->name, NULL);
        type_write(before, c->out);
        stoa__writer_put(c->out, " before, ");
        type_write(after, c->out);
        stoa__writer_put(c->out, " after\n");
    }
    if (before->way == STOA__WAY_MEMBERS && after->way == STOA__WAY_MEMBERS) {
        fields_compare(c, before, after);
    }
    if (before->way == STOA__WAY_ENUM && after->way == STOA__WAY_ENUM) {
        values_compare(c, before, after);
    }
}

int32_t stoa__schema_compare(const stoa__schema *before, const stoa__schema *after,
                             stoa__writer *out) {
    comparing c = {before, after, out, 0};
    for (int32_t i = 0; i < before->type_count; i++) {
        int32_t found = stoa__schema_find(after, before->types[i].name);
        if (found >= 0) {
            types_compare(&c, &before->types[i], &after->types[found]);
        } else {
            line_begin(&c, before->types[i].name, NULL);
            stoa__writer_put(out, "removed\n");
        }
    }
    for (int32_t i = 0; i < after->type_count; i++) {
        if (stoa__schema_find(before, after->types[i].name) < 0) {
            line_begin(&c, after->types[i].name, NULL);
            stoa__writer_put(out, "added\n");
        }
    }
    return c.count;
}
