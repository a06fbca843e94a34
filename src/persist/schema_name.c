/* Names in a schema.
 *
 * UTF-8 is read strictly: no form longer than need be, no surrogates, nothing beyond U+10FFFF. The
 * sort is a heap sort, so that no file can make it slow. Any thread. */
#include "persist/schema_name.h"

/* The bytes of the character that begins here, of which `limit` may be read; 0 if it is none. */
static size_t character_size(const uint8_t *at, size_t limit) {
    uint8_t low = 0x80, high = 0xBF;
    size_t size = at[0] < 0xE0 ? 2 : at[0] < 0xF0 ? 3 : 4;
    if (at[0] < 0x80) {
        return at[0] >= 0x20 && at[0] != 0x7F;
    }
    if (at[0] < 0xC2 || at[0] > 0xF4 || limit < size) {
        return 0;
    }
    low = at[0] == 0xE0 ? 0xA0 : at[0] == 0xF0 ? 0x90 : low;
    high = at[0] == 0xED ? 0x9F : at[0] == 0xF4 ? 0x8F : high;
    if (at[1] < low || at[1] > high) {
        return 0;
    }
    for (size_t i = 2; i < size; i++) {
        if ((at[i] & 0xC0) != 0x80) {
            return 0;
        }
    }
    return size;
}

bool stoa__schema_name_valid(const char *name, size_t length) {
    for (size_t i = 0; i < length;) {
        size_t size = character_size((const uint8_t *)name + i, length - i);
        if (size == 0) {
            return false;
        }
        i += size;
    }
    return length > 0;
}

bool stoa__schema_name_identifier(const char *name, size_t length) {
    for (size_t i = 0; i < length; i++) {
        char byte = name[i];
        bool letter = (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') || byte == '_';
        if (!letter && (i == 0 || byte < '0' || byte > '9')) {
            return false;
        }
    }
    return length > 0;
}

/* Lets the item at `i` sink to where none of those below it comes after it. */
static void item_sink(const void **items, int32_t i, int32_t count, stoa__schema_before before) {
    const void *item = items[i];
    for (;;) {
        int32_t child = 2 * i + 1;
        if (child >= count) {
            break;
        }
        if (child + 1 < count && before(items[child], items[child + 1])) {
            child++;
        }
        if (!before(item, items[child])) {
            break;
        }
        items[i] = items[child];
        i = child;
    }
    items[i] = item;
}

void stoa__schema_sort(const void **items, int32_t count, stoa__schema_before before) {
    for (int32_t i = count / 2; i-- > 0;) {
        item_sink(items, i, count, before);
    }
    for (int32_t end = count - 1; end > 0; end--) {
        const void *last = items[end];
        items[end] = items[0];
        items[0] = last;
        item_sink(items, 0, end, before);
    }
}

const char *stoa__schema_kind_name(const stoa__schema *schema, const stoa__schema_field *field) {
    static const char *const names[] = {
        [STOA_KIND_NONE] = "nothing",  [STOA_KIND_BOOL] = "bool",
        [STOA_KIND_CHAR] = "char",     [STOA_KIND_I8] = "int8_t",
        [STOA_KIND_I16] = "int16_t",   [STOA_KIND_I32] = "int32_t",
        [STOA_KIND_I64] = "int64_t",   [STOA_KIND_U8] = "uint8_t",
        [STOA_KIND_U16] = "uint16_t",  [STOA_KIND_U32] = "uint32_t",
        [STOA_KIND_U64] = "uint64_t",  [STOA_KIND_F32] = "float",
        [STOA_KIND_F64] = "double",    [STOA_KIND_ENTITY] = "stoa_entity",
        [STOA_KIND_STRING] = "char *", [STOA_KIND_POINTER] = "void *",
        [STOA_KIND_ENUM] = "enum",     [STOA_KIND_STRUCT] = "struct",
    };
    return field->type >= 0 ? schema->types[field->type].name : names[field->kind];
}
