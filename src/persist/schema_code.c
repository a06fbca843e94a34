/* Schemas as bytes.
 *
 * Numbers least byte first; a text is its length in 32 bits and its bytes.
 *
 *     u32 types, and for each:
 *         text name, u8 way, u8 component, u32 flags, u32 size, u32 alignment,
 *         u32 fields, and for each (not of an enum):
 *             text name, u8 kind, u8 array, u32 count, u32 offset, u32 size, u32 type + 1 or 0
 *         u32 values, and for each: text name, i64 value
 *
 * A field's type stands before the type that has it, so there can be no cycle. O(n), no memory.
 * See schema_decode.c for the way back. */
#include "base/bytes.h"
#include "persist/schema.h"

static void put_field(stoa__encoder *output, const stoa__schema_field *field) {
    stoa__encode_text(output, field->name);
    stoa__encode_number(output, (uint64_t)field->kind, 1);
    stoa__encode_number(output, field->array, 1);
    stoa__encode_number(output, field->count, 4);
    stoa__encode_number(output, field->offset, 4);
    stoa__encode_number(output, field->size, 4);
    stoa__encode_number(output, (uint32_t)field->type + 1, 4);
}

static void put_type(stoa__encoder *output, const stoa__schema_type *type) {
    int32_t fields = type->way == STOA__WAY_ENUM ? 0 : type->field_count;
    stoa__encode_text(output, type->name);
    stoa__encode_number(output, (uint64_t)type->way, 1);
    stoa__encode_number(output, type->component, 1);
    stoa__encode_number(output, type->flags, 4);
    stoa__encode_number(output, type->size, 4);
    stoa__encode_number(output, type->alignment, 4);
    stoa__encode_number(output, (uint64_t)fields, 4);
    for (int32_t i = 0; i < fields; i++) {
        put_field(output, &type->fields[i]);
    }
    stoa__encode_number(output, (uint64_t)type->value_count, 4);
    for (int32_t i = 0; i < type->value_count; i++) {
        stoa__encode_text(output, type->values[i].name);
        stoa__encode_number(output, (uint64_t)type->values[i].value, 8);
    }
}

stoa_status stoa__schema_encode(const stoa__schema *schema, const stoa_sink *sink) {
    stoa__encoder output = {sink, STOA_OK};
    stoa__encode_number(&output, (uint64_t)schema->type_count, 4);
    for (int32_t i = 0; i < schema->type_count; i++) {
        put_type(&output, &schema->types[i]);
    }
    return output.status;
}
