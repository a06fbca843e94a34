/* Schemas from bytes, which may be anything.
 *
 * Bytes are gone through twice: to count and to check lengths, so that one block can be made that
 * is no larger than need be; and to fill it in and to check the rest. Names are compared after
 * sorting. O(n log n); at most 10 bytes of memory for each that comes in. One thread at a time. */
#include "persist/schema.h"

#include "base/error.h"
#include "persist/schema_build.h"
#include "persist/schema_name.h"

#include <string.h>

/* The least bytes of a type, a field and a value, with names of one byte. */
#define TYPE_LEAST 27u
#define FIELD_LEAST 23u
#define VALUE_LEAST 13u

/* Bytes under way; after a failure there are none left and all numbers are 0. */
typedef struct decoder {
    const uint8_t *at;
    const uint8_t *end;
    stoa_status status;
    size_t types;
    size_t fields; /* in memory: enums have one, too */
    size_t values;
    size_t names; /* bytes, each with a final zero */
    size_t most;  /* names that must differ from each other */
} decoder;

static void fail(decoder *d, const char *what) {
    if (d->status == STOA_OK) {
        d->status = stoa__error(STOA_CORRUPT, "the schema is corrupt: %s", what);
    }
    d->at = d->end;
}

static uint64_t get_number(decoder *d, size_t size) {
    uint64_t number = 0;
    if ((size_t)(d->end - d->at) < size) {
        fail(d, "it ends too soon");
        return 0;
    }
    for (size_t i = 0; i < size; i++) {
        number |= (uint64_t)d->at[i] << (8 * i);
    }
    d->at += size;
    return number;
}

/* A count of what has at least so many bytes each. */
static uint32_t get_count(decoder *d, size_t least, uint32_t limit) {
    uint64_t count = get_number(d, 4);
    if (count > (size_t)(d->end - d->at) / least) {
        fail(d, "a count is larger than the bytes that are left");
        return 0;
    }
    if (count > limit) {
        fail(d, "a type has too many members or values");
        return 0;
    }
    d->most = count > d->most ? (size_t)count : d->most;
    return (uint32_t)count;
}

static const char *get_text(decoder *d, uint32_t *length) {
    *length = get_count(d, 1, UINT32_MAX);
    const char *text = (const char *)d->at;
    d->at += *length;
    return text;
}

static void skip(decoder *d, size_t size) {
    while (size > 0) {
        size_t part = size < 8 ? size : 8;
        get_number(d, part);
        size -= part;
    }
}

static void scan_text(decoder *d) {
    size_t most = d->most;
    uint32_t length;
    get_text(d, &length);
    d->most = most;
    d->names += (size_t)length + 1;
}

/* The first time through: counts. */
static void scan(decoder *d) {
    uint32_t types = get_count(d, TYPE_LEAST, INT32_MAX);
    for (uint32_t i = 0; i < types && d->status == STOA_OK; i++) {
        scan_text(d);
        bool is_enum = get_number(d, 1) == STOA__WAY_ENUM;
        skip(d, 13);
        uint32_t fields = get_count(d, FIELD_LEAST, STOA__SCHEMA_FIELD_MAX);
        for (uint32_t k = 0; k < fields; k++) {
            scan_text(d);
            skip(d, 18);
        }
        uint32_t values = get_count(d, VALUE_LEAST, STOA__SCHEMA_FIELD_MAX);
        for (uint32_t k = 0; k < values; k++) {
            scan_text(d);
            skip(d, 8);
        }
        d->types++;
        d->fields += fields + is_enum;
        d->values += values;
    }
    if (d->status == STOA_OK && d->at != d->end) {
        fail(d, "something follows it");
    }
}

/* The second time through. */
typedef struct filler {
    decoder in;
    stoa__schema *schema;
    stoa__schema_field *fields; /* where the next one goes */
    stoa_enum_value *values;
    char *names;
    const void **sorted; /* room for the names of one table */
} filler;

static void check(filler *f, bool holds, const char *what) {
    if (!holds) {
        fail(&f->in, what);
    }
}

/* Copies a name to where it stays. */
static const char *fill_name(filler *f, bool identifier) {
    uint32_t length;
    const char *text = get_text(&f->in, &length);
    check(f,
          identifier ? stoa__schema_name_identifier(text, length)
                     : stoa__schema_name_valid(text, length),
          "a name is not one");
    if (f->in.status != STOA_OK) {
        return "";
    }
    char *name = f->names;
    memcpy(name, text, length);
    name[length] = '\0';
    f->names += (size_t)length + 1;
    return name;
}

static bool name_before(const void *a, const void *b) {
    return strcmp(a, b) < 0;
}

static void check_unique(filler *f, int32_t count) {
    stoa__schema_sort(f->sorted, count, name_before);
    for (int32_t i = 1; i < count; i++) {
        check(f, strcmp(f->sorted[i - 1], f->sorted[i]) != 0, "two have the same name");
    }
}

static uint32_t kind_size(stoa_kind kind) {
    static const uint8_t sizes[] = {
        [STOA_KIND_BOOL] = 1,   [STOA_KIND_CHAR] = 1,  [STOA_KIND_I8] = 1,  [STOA_KIND_I16] = 2,
        [STOA_KIND_I32] = 4,    [STOA_KIND_I64] = 8,   [STOA_KIND_U8] = 1,  [STOA_KIND_U16] = 2,
        [STOA_KIND_U32] = 4,    [STOA_KIND_U64] = 8,   [STOA_KIND_F32] = 4, [STOA_KIND_F64] = 8,
        [STOA_KIND_ENTITY] = 8, [STOA_KIND_STRUCT] = 0};
    return sizes[kind];
}

static bool enum_size_valid(uint32_t size) {
    return size == 1 || size == 2 || size == 4 || size == 8;
}

/* The struct or enum of a field, which must have been told before. */
static void check_inside(filler *f, const stoa__schema_field *field, stoa__schema_type *type) {
    const stoa__schema_type *inside = &f->schema->types[field->type];
    bool is_enum = inside->way == STOA__WAY_ENUM;
    bool is_struct = inside->way == STOA__WAY_MEMBERS || inside->way == STOA__WAY_BYTES;
    check(f, field->kind == STOA_KIND_ENUM ? is_enum : field->kind == STOA_KIND_STRUCT && is_struct,
          "the type of a member is not what it should be");
    check(f, field->size == inside->size, "a member and its type differ in size");
    check(f, inside->nest < STOA_NEST_MAX, "types nest too deep");
    uint8_t nest = (uint8_t)(inside->nest + 1);
    type->nest = nest > type->nest ? nest : type->nest;
    type->flat += is_struct ? inside->flat - 1 : 0;
    check(f, type->flat <= STOA__SCHEMA_FLAT_MAX, "a type comes to too many members");
}

static void check_field(filler *f, const stoa__schema_field *field, stoa__schema_type *type) {
    uint64_t end = field->offset + (uint64_t)field->size * field->count;
    bool typed = field->kind == STOA_KIND_ENUM || field->kind == STOA_KIND_STRUCT;
    check(f, field->count > 0 && (field->array || field->count == 1),
          "a member has a wrong number of elements");
    check(f, field->size > 0 && end <= type->size, "a member lies outside of its type");
    check(f,
          field->kind == STOA_KIND_ENUM ? enum_size_valid(field->size)
                                        : typed || field->size == kind_size(field->kind),
          "a member has a wrong size");
    if (field->type >= 0) {
        check_inside(f, field, type);
    } else {
        check(f, field->kind != STOA_KIND_STRUCT, "a member lacks its type");
    }
}

static void fill_field(filler *f, int32_t index, stoa__schema_type *type) {
    decoder *in = &f->in;
    stoa__schema_field field = {.name = fill_name(f, true)};
    uint64_t kind = get_number(in, 1);
    bool known = kind > STOA_KIND_NONE && kind <= STOA_KIND_STRUCT && kind != STOA_KIND_STRING &&
                 kind != STOA_KIND_POINTER;
    check(f, known, "a member is of an unknown kind");
    field.kind = known ? (stoa_kind)kind : STOA_KIND_U8;
    uint64_t array = get_number(in, 1);
    check(f, array <= 1, "a flag is neither 0 nor 1");
    field.array = array != 0;
    field.count = (uint32_t)get_number(in, 4);
    field.offset = (uint32_t)get_number(in, 4);
    field.size = (uint32_t)get_number(in, 4);
    uint64_t inside = get_number(in, 4);
    check(f, inside <= (uint64_t)index, "a member is of a type that does not come before it");
    if (in->status != STOA_OK) {
        return;
    }
    field.type = (int32_t)inside - 1;
    check_field(f, &field, type);
    type->flat++;
    *f->fields++ = field;
}

static void fill_value(filler *f, const stoa__schema_type *type) {
    stoa_enum_value value = {.name = fill_name(f, true)};
    uint64_t bits = get_number(&f->in, 8);
    memcpy(&value.value, &bits, sizeof bits);
    if (f->in.status == STOA_OK) {
        uint32_t bit_count = type->size * 8;
        bool fits = bit_count == 64 || (value.value < (int64_t)1 << bit_count &&
                                        value.value >= -((int64_t)1 << (bit_count - 1)));
        check(f, fits, "a value does not fit its enum");
        *f->values++ = value;
    }
}

/* What must hold of a type before its members are looked at. */
static void check_type(filler *f, const stoa__schema_type *type, uint32_t fields) {
    uint32_t alignment = type->alignment;
    check(f, (type->flags & ~STOA__SCHEMA_FLAGS) == 0, "a type has unknown flags");
    check(f, alignment > 0 && alignment <= STOA_ALIGNMENT_MAX && (alignment & (alignment - 1)) == 0,
          "a type has a wrong alignment");
    check(f, type->way == STOA__WAY_TAG ? type->size == 0 : type->size > 0,
          "a type has a wrong size");
    check(f, type->size <= STOA_SIZE_MAX && (alignment == 0 || type->size % alignment == 0),
          "a type has a wrong size");
    check(f, (fields > 0) == (type->way == STOA__WAY_MEMBERS), "a type has members or lacks them");
    check(f, type->way != STOA__WAY_ENUM || enum_size_valid(type->size),
          "an enum has a wrong size");
}

static void fill_members(filler *f, int32_t index, stoa__schema_type *type, uint32_t fields) {
    type->fields = f->fields;
    type->field_count = (int32_t)fields;
    for (uint32_t i = 0; i < fields && f->in.status == STOA_OK; i++) {
        fill_field(f, index, type);
        if (f->in.status == STOA_OK) {
            f->sorted[i] = type->fields[i].name;
        }
    }
    if (f->in.status == STOA_OK) {
        check_unique(f, (int32_t)fields);
    }
    if (f->in.status == STOA_OK && type->way == STOA__WAY_ENUM) {
        *f->fields++ = stoa__schema_enum_field(type->size, index);
        type->field_count = 1;
    }
}

static void fill_values(filler *f, stoa__schema_type *type) {
    uint32_t values = get_count(&f->in, VALUE_LEAST, STOA__SCHEMA_FIELD_MAX);
    check(f, (values > 0) == (type->way == STOA__WAY_ENUM), "a type has values or lacks them");
    type->values = values > 0 ? f->values : NULL;
    type->value_count = (int32_t)values;
    for (uint32_t i = 0; i < values && f->in.status == STOA_OK; i++) {
        fill_value(f, type);
        if (f->in.status == STOA_OK) {
            f->sorted[i] = type->values[i].name;
        }
    }
    if (f->in.status == STOA_OK) {
        check_unique(f, (int32_t)values);
    }
}

static void fill_type(filler *f, int32_t index) {
    decoder *in = &f->in;
    stoa__schema_type *type = &f->schema->types[index];
    *type = (stoa__schema_type){.name = fill_name(f, false), .flat = 1};
    uint64_t way = get_number(in, 1);
    check(f, way <= STOA__WAY_ENUM, "a type is saved in an unknown way");
    type->way = way <= STOA__WAY_ENUM ? (stoa__way)way : STOA__WAY_TAG;
    uint64_t component = get_number(in, 1);
    check(f, component <= 1, "a flag is neither 0 nor 1");
    type->component = component != 0;
    type->flags = (uint32_t)get_number(in, 4);
    type->size = (uint32_t)get_number(in, 4);
    type->alignment = (uint32_t)get_number(in, 4);
    uint32_t fields = get_count(in, FIELD_LEAST, STOA__SCHEMA_FIELD_MAX);
    check_type(f, type, fields);
    if (in->status == STOA_OK) {
        fill_members(f, index, type, fields);
        fill_values(f, type);
    }
    if (in->status == STOA_OK) {
        uint64_t packed = stoa__schema_pack_fields(f->schema, index);
        check(f, packed <= type->size, "members of a type overlap");
        type->packed_size = (uint32_t)packed;
    }
}

static void fill(filler *f) {
    int32_t count = (int32_t)get_count(&f->in, TYPE_LEAST, INT32_MAX);
    for (int32_t i = 0; i < count && f->in.status == STOA_OK; i++) {
        fill_type(f, i);
    }
    if (f->in.status == STOA_OK) {
        f->schema->type_count = count;
        stoa__schema_by_name(f->schema, f->sorted);
    }
    for (int32_t i = 1; i < f->schema->type_count && f->in.status == STOA_OK; i++) {
        const stoa__schema_type *types = f->schema->types;
        const int32_t *by_name = f->schema->by_name;
        check(f, strcmp(types[by_name[i - 1]].name, types[by_name[i]].name) != 0,
              "two have the same name");
    }
}

/* Makes the block that was counted, and what sorting needs, and fills it in. */
static stoa_status schema_fill(stoa__schema *schema, const decoder *counted, const void *bytes) {
    size_t fields = counted->types * sizeof(stoa__schema_type);
    size_t values = fields + counted->fields * sizeof(stoa__schema_field);
    size_t by_name = values + counted->values * sizeof(stoa_enum_value);
    size_t names = by_name + counted->types * sizeof(int32_t);
    size_t size = names + counted->names;
    size_t sorted_size = counted->most * sizeof(void *);
    uint8_t *block = stoa__heap_alloc(&schema->heap, size, _Alignof(stoa__schema_type));
    const void **sorted = stoa__heap_alloc(&schema->heap, sorted_size, _Alignof(void *));
    schema->types = (stoa__schema_type *)(void *)block;
    schema->by_name = block != NULL ? (int32_t *)(void *)(block + by_name) : NULL;
    schema->block_size = block != NULL ? size : 0;
    stoa_status status = STOA_NO_MEMORY;
    if (block != NULL && sorted != NULL) {
        filler f = {.in = {.at = bytes, .end = counted->end},
                    .schema = schema,
                    .fields = (stoa__schema_field *)(void *)(block + fields),
                    .values = (stoa_enum_value *)(void *)(block + values),
                    .names = (char *)(block + names),
                    .sorted = sorted};
        fill(&f);
        status = f.in.status;
    } else {
        stoa__error_memory("a schema");
    }
    stoa__heap_free(&schema->heap, (void *)sorted, sorted_size, _Alignof(void *));
    return status;
}

stoa_status stoa__schema_decode(stoa__schema *schema, const void *bytes, size_t size,
                                const stoa_allocator *allocator) {
    stoa_allocator plain = stoa_allocator_default();
    *schema = (stoa__schema){0};
    stoa__heap_init(&schema->heap, allocator != NULL ? allocator : &plain);
    if (bytes == NULL && size > 0) {
        return stoa__error(STOA_NULL_ARGUMENT, "a schema needs bytes");
    }
    static const uint8_t nothing[1];
    const uint8_t *at = bytes != NULL ? bytes : nothing;
    decoder counted = {.at = at, .end = at + size};
    scan(&counted);
    if (counted.status != STOA_OK || counted.types == 0) {
        return counted.status;
    }
    stoa_status status = schema_fill(schema, &counted, at);
    if (status != STOA_OK) {
        stoa__schema_fini(schema);
    }
    return status;
}
