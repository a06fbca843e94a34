/* Random types with random values, printed, and read back by a reader that knows the format only
 * from its manual page: it must find the very same values.
 *
 * Layouts are reckoned here by the rules of C, not asked of the library. A case that fails is made
 * smaller, member by member, as long as it still fails, and shown with its seed. */
#include "model/print_fixture.h"
#include "model/print_reader.h"
#include "support/seeds.h"

#define TYPES_MAX 6
#define FIELDS_MAX 7
#define SIZE_MOST 65536
#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

typedef enum leaf {
    LEAF_BOOL,
    LEAF_CHAR,
    LEAF_I8,
    LEAF_U8,
    LEAF_I16,
    LEAF_U16,
    LEAF_I32,
    LEAF_U32,
    LEAF_I64,
    LEAF_U64,
    LEAF_F32,
    LEAF_F64,
    LEAF_ENTITY,
    LEAF_STRING,
    LEAF_POINTER,
    LEAF_SIGNED,   /* the enum Signed */
    LEAF_UNSIGNED, /* the enum Unsigned */
    LEAF_BYTES,    /* the undescribed type Bytes */
    LEAF_COUNT,
    LEAF_STRUCT = LEAF_COUNT /* a random type made before */
} leaf;

static const struct {
    const char *type;
    size_t size, alignment;
} leaves[LEAF_COUNT] = {
    {"bool", 1, 1},
    {"char", 1, 1},
    {"int8_t", 1, 1},
    {"unsigned char", 1, 1},
    {"short", 2, 2},
    {"uint16_t", 2, 2},
    {"int", 4, 4},
    {"uint32_t", 4, 4},
    {"int64_t", 8, _Alignof(int64_t)},
    {"uint64_t", 8, _Alignof(uint64_t)},
    {"float", 4, 4},
    {"double", 8, _Alignof(double)},
    {"stoa_entity", 8, 4},
    {"const char *", sizeof(char *), _Alignof(char *)},
    {"void *", sizeof(void *), _Alignof(void *)},
    {"Signed", 4, 4},
    {"Unsigned", 1, 1},
    {"Bytes", 5, 1},
};

typedef struct field {
    leaf leaf;
    int type;       /* of a struct */
    uint32_t count; /* 0: no array */
    uint32_t salt;  /* what its values depend on */
    size_t offset;
} field;

typedef struct random_type {
    field fields[FIELDS_MAX];
    int count;
    bool own; /* has a printer */
    size_t size, alignment;
    stoa_component id;
} random_type;

typedef struct random_case {
    uint64_t seed;
    int count;
    random_type types[TYPES_MAX];
} random_case;

static const struct {
    const char *name;
    int32_t value;
} names[] = {{"DEEP", INT32_MIN}, {"MINUS", -1}, {"NIL", 0}, {"UP", 200}},
  small[] = {{"NONE", 0}, {"MANY", 200}, {"ALL", 255}};

static const char *const strings[] = {NULL,
                                      "",
                                      "plain",
                                      "a \"quoted\" one",
                                      "back\\slash",
                                      "line\nbreak\ttab\r",
                                      "caf\xC3\xA9",
                                      "\xF0\x9F\x8C\x8D",
                                      "\x01\x7F\x80\xC3",
                                      "\xED\xA0\x80\xC0\xAF\xFF",
                                      "'{x: 1, y: [2]}'",
                                      "\\x41"};

static size_t leaf_size(const random_case *c, const field *f) {
    return f->leaf == LEAF_STRUCT ? c->types[f->type].size : leaves[f->leaf].size;
}

static void type_lay_out(random_case *c, random_type *t) {
    t->size = 0;
    t->alignment = 1;
    for (int i = 0; i < t->count; i++) {
        field *f = &t->fields[i];
        size_t alignment =
            f->leaf == LEAF_STRUCT ? c->types[f->type].alignment : leaves[f->leaf].alignment;
        f->offset = (t->size + alignment - 1) / alignment * alignment;
        t->size = f->offset + leaf_size(c, f) * (f->count != 0 ? f->count : 1);
        t->alignment = alignment > t->alignment ? alignment : t->alignment;
    }
    t->size = (t->size + t->alignment - 1) / t->alignment * t->alignment;
}

static void case_make(random_case *c, uint64_t seed) {
    support_random random = {seed * 2654435761u + 1};
    *c = (random_case){.seed = seed, .count = 1 + (int)support_random_below(&random, TYPES_MAX)};
    for (int t = 0; t < c->count; t++) {
        random_type *type = &c->types[t];
        type->count = 1 + (int)support_random_below(&random, FIELDS_MAX);
        type->own = support_random_below(&random, 6) == 0;
        for (int i = 0; i < type->count; i++) {
            field *f = &type->fields[i];
            f->leaf = (leaf)support_random_below(&random, LEAF_COUNT + (t > 0 ? 5 : 0));
            f->leaf = f->leaf > LEAF_STRUCT ? LEAF_STRUCT : f->leaf;
            f->type = t > 0 ? (int)support_random_below(&random, (uint32_t)t) : 0;
            f->count = support_random_below(&random, 3) == 0
                           ? 1 + support_random_below(&random, f->leaf == LEAF_CHAR ? 20 : 3)
                           : 0;
            f->salt = support_random_next(&random);
        }
    }
}

static void char_fill(uint8_t *item, uint32_t count, support_random *random) {
    uint32_t length = support_random_below(random, count + 1);
    for (uint32_t i = 0; i < length; i++) {
        item[i] = (uint8_t)(1 + support_random_below(random, i % 2 == 0 ? 126 : 255));
    }
}

/* A pointer that is never followed. */
static int anything;

static void leaf_fill(leaf kind, uint8_t *item, support_random *random) {
    static const double reals[] = {0, -0.0, 0.1, -2.5, INFINITY, -INFINITY, NAN, 1e300, 5e-324};
    uint64_t bits = (uint64_t)support_random_next(random) << 32 | support_random_next(random);
    bits = support_random_below(random, 4) == 0 ? bits >> support_random_below(random, 64) : bits;
    double real = reals[bits % COUNT_OF(reals)];
    float single = (float)((bits >> 8) % 2 == 0 ? 0.1 : (double)(int16_t)bits / 16);
    bool special = bits >> 16 & 1;
    const char *string = strings[bits % COUNT_OF(strings)];
    void *pointer = special ? &anything : NULL;
    int32_t name = names[bits % COUNT_OF(names)].value;
    switch (kind) {
    case LEAF_BOOL:
        *item = bits & 1;
        break;
    case LEAF_F32:
        memcpy(item, special ? (const void *)&single : &bits, sizeof single);
        break;
    case LEAF_F64:
        memcpy(item, special ? (const void *)&real : &bits, sizeof real);
        break;
    case LEAF_STRING:
        memcpy(item, &string, sizeof string);
        break;
    case LEAF_POINTER:
        memcpy(item, &pointer, sizeof pointer);
        break;
    case LEAF_SIGNED:
        memcpy(item, special ? (const void *)&name : &bits, sizeof name);
        break;
    case LEAF_ENTITY:
        bits = special ? bits : 0;
        memcpy(item, &bits, sizeof bits);
        break;
    default:
        memcpy(item, &bits, leaves[kind].size);
    }
}

static void value_fill(const random_case *c, const random_type *t, uint8_t *item, uint32_t salt) {
    for (int i = 0; i < t->count; i++) {
        const field *f = &t->fields[i];
        support_random random = {(uint64_t)f->salt << 32 | salt};
        uint8_t *at = item + f->offset;
        if (f->leaf == LEAF_CHAR && f->count != 0) {
            char_fill(at, f->count, &random);
            continue;
        }
        for (uint32_t k = 0; k == 0 || k < f->count; k++, at += leaf_size(c, f)) {
            if (f->leaf == LEAF_STRUCT) {
                value_fill(c, &c->types[f->type], at, support_random_next(&random));
            } else {
                leaf_fill(f->leaf, at, &random);
            }
        }
    }
}

static bool signed_read(reader *r, const uint8_t *item) {
    int32_t number;
    memcpy(&number, item, sizeof number);
    for (size_t i = 0; i < COUNT_OF(names); i++) {
        if (names[i].value == number) {
            return word_read(r, names[i].name);
        }
    }
    return integer_read(r, item, 4, true);
}

static bool unsigned_read(reader *r, const uint8_t *item) {
    for (size_t i = 0; i < COUNT_OF(small); i++) {
        if (small[i].value == *item) {
            return word_read(r, small[i].name);
        }
    }
    return integer_read(r, item, 1, false);
}

static bool leaf_read(reader *r, leaf kind, const uint8_t *item) {
    void *pointer;
    switch (kind) {
    case LEAF_BOOL:
        return word_read(r, *item != 0 ? "true" : "false");
    case LEAF_CHAR:
        return quoted_read(r, '\'', item, 1);
    case LEAF_F32:
    case LEAF_F64:
        return real_read(r, item, kind == LEAF_F32);
    case LEAF_ENTITY:
        return entity_read(r, item);
    case LEAF_STRING:
        return string_read(r, item);
    case LEAF_POINTER:
        memcpy(&pointer, item, sizeof pointer);
        return word_read(r, pointer == NULL ? "null" : "<pointer>");
    case LEAF_SIGNED:
        return signed_read(r, item);
    case LEAF_UNSIGNED:
        return unsigned_read(r, item);
    case LEAF_BYTES:
        return bytes_read(r, item, leaves[kind].size);
    default:
        return integer_read(r, item, leaves[kind].size, (kind - LEAF_I8) % 2 == 0);
    }
}

static bool value_read(const random_case *c, const random_type *t, reader *r, const uint8_t *item) {
    char name[24];
    if (t->own) {
        return word_read(r, "@") && bytes_read(r, item, t->size);
    }
    for (int i = 0; i < t->count; i++) {
        const field *f = &t->fields[i];
        const uint8_t *at = item + f->offset;
        snprintf(name, sizeof name, "%sm%d: ", i == 0 ? "{" : ", ", i);
        if (!word_read(r, name)) {
            return false;
        }
        if (f->leaf == LEAF_CHAR && f->count != 0) {
            const uint8_t *end = memchr(at, 0, f->count);
            if (!quoted_read(r, '"', at, end != NULL ? (size_t)(end - at) : f->count)) {
                return false;
            }
            continue;
        }
        for (uint32_t k = 0; k == 0 || k < f->count; k++, at += leaf_size(c, f)) {
            if ((f->count != 0 && !word_read(r, k == 0 ? "[" : ", ")) ||
                !(f->leaf == LEAF_STRUCT ? value_read(c, &c->types[f->type], r, at)
                                         : leaf_read(r, f->leaf, at))) {
                return false;
            }
        }
        if (f->count != 0 && !word_read(r, "]")) {
            return false;
        }
    }
    return word_read(r, "}");
}

static size_t bytes_print(const stoa_world *w, const void *value, char *buffer, size_t size,
                          void *user) {
    (void)w;
    size_t length = (size_t)snprintf(buffer, size, "@"), count = ((const random_type *)user)->size;
    for (size_t i = 0; i <= count; i++) {
        char part[4] = ">";
        if (i < count) {
            snprintf(part, sizeof part, "%c%02x", i == 0 ? '<' : ' ', ((const uint8_t *)value)[i]);
        }
        for (const char *p = part; *p != '\0'; p++, length++) {
            if (length + 1 < size) {
                buffer[length] = *p;
                buffer[length + 1] = '\0';
            }
        }
    }
    return length;
}

/* The C text of a type's members. */
static void fields_write(const random_type *t, char *text, size_t size) {
    size_t at = (size_t)snprintf(text, size, "{ ");
    for (int i = 0; i < t->count; i++) {
        const field *f = &t->fields[i];
        char nested[16], length[16] = "";
        snprintf(nested, sizeof nested, "S%d", f->type);
        if (f->count != 0) {
            snprintf(length, sizeof length, "[%u]", (unsigned)f->count);
        }
        at += (size_t)snprintf(text + at, size - at, "%s m%d%s; ",
                               f->leaf == LEAF_STRUCT ? nested : leaves[f->leaf].type, i, length);
    }
    snprintf(text + at, size - at, "}");
}

static stoa_type signed_enum = {.form = STOA_FORM_ENUM,
                                .identifier = "Signed",
                                .text = "{ DEEP = -2147483647 - 1, MINUS = -1, NIL, UP = 200 }",
                                .size = 4,
                                .alignment = 4};
static stoa_type unsigned_enum = {.form = STOA_FORM_ENUM,
                                  .identifier = "Unsigned",
                                  .text = "{ NONE, MANY = 200, ALL = 255 }",
                                  .size = 1,
                                  .alignment = 1};

static bool types_register(stoa_world *w, random_case *c) {
    char name[16], fields[512];
    stoa_type_register(w, &signed_enum);
    stoa_type_register(w, &unsigned_enum);
    stoa_component_register(w, &(stoa_component_desc){.name = "Bytes", .size = 5});
    for (int i = 0; i < c->count; i++) {
        random_type *t = &c->types[i];
        stoa_component_info info;
        type_lay_out(c, t);
        snprintf(name, sizeof name, "S%d", i);
        fields_write(t, fields, sizeof fields);
        t->id = print_type(w, name, fields);
        if (stoa_component_info_get(w, t->id, &info) != STOA_OK || info.size != t->size ||
            (t->own && stoa_printer_set(w, &(stoa_printer_desc){.component = t->id,
                                                                .call = bytes_print,
                                                                .user = t}) != STOA_OK)) {
            return false;
        }
    }
    return true;
}

static char text[1 << 20], part[1 << 20];
static const char *wrong; /* where the reader stopped */

/* True if the last type's value reads back from its text, whole or cut. */
static bool case_holds(random_case *c) {
    static _Alignas(64) uint8_t value[SIZE_MOST];
    support_world s;
    support_world_open(&s);
    bool holds = types_register(s.world, c);
    const random_type *t = &c->types[c->count - 1];
    assert_true(t->size <= sizeof value);
    memset(value, 0, t->size);
    value_fill(c, t, value, (uint32_t)c->seed);
    size_t allocations = s.heap.allocations;
    size_t length = stoa_print_value(s.world, t->id, value, text, sizeof text);
    reader r = text;
    holds = holds && length < sizeof text && strlen(text) == length &&
            value_read(c, t, &r, value) && *r == '\0';
    wrong = r;
    size_t size = length * (c->seed % 64) / 64;
    holds = holds && stoa_print_value(s.world, t->id, value, part, size) == length &&
            (size == 0 || (strlen(part) == size - 1 && strncmp(part, text, size - 1) == 0)) &&
            s.heap.allocations == allocations && s.errors == 0;
    support_world_close(&s);
    return holds;
}

static void case_shrink(random_case *c) {
    for (int t = c->count - 1; t >= 0; t--) {
        for (int i = c->types[t].count - 1; i >= 0 && c->types[t].count > 1; i--) {
            random_case less = *c;
            random_type *type = &less.types[t];
            memmove(&type->fields[i], &type->fields[i + 1],
                    (size_t)(type->count - i - 1) * sizeof type->fields[0]);
            type->count--;
            if (!case_holds(&less)) {
                *c = less;
            }
        }
    }
    assert_false(case_holds(c));
}

/* NAM-03 CMP-07 */
static void random_values_read_back_from_their_text(void **state) {
    (void)state;
    static random_case c;
    for (support_seeds s = support_seeds_of(2000); support_seeds_next(&s);) {
        case_make(&c, s.seed);
        if (case_holds(&c)) {
            continue;
        }
        case_shrink(&c);
        for (int i = 0; i < c.count; i++) {
            fields_write(&c.types[i], part, sizeof part);
            fprintf(stderr, "S%d %s%s\n", i, part, c.types[i].own ? " with a printer" : "");
        }
        fprintf(stderr, "printed: %s\nwrong at: %s\n", text, wrong);
        fail_msg("the text of a value does not read back");
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        support_seeds_test(random_values_read_back_from_their_text),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
