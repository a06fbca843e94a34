/* Bytes that are no schema: every truncation, every bit turned, and one test for each rule. What is
 * taken all the same must be safe to use, and nothing may cost more memory than ten times the
 * bytes. */
#include "persist/schema_fixture.h"

STOA_ENUM(Team, {TEAM_RED, TEAM_BLUE = 4});
STOA_COMPONENT(Vec, { float x, y; });
STOA_COMPONENT(Body, {
    Vec at[2];
    Team team;
    char label[5];
    bool on;
});
STOA_TAG(Frozen);

/* An allocator that knows how much was in use at most. */
typedef struct peak {
    size_t used;
    size_t most;
} peak;

static void *peak_alloc(size_t size, size_t alignment, void *user) {
    peak *p = user;
    p->used += size;
    p->most = p->used > p->most ? p->used : p->most;
    return aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
}

static void peak_free(void *block, size_t size, size_t alignment, void *user) {
    peak *p = user;
    (void)alignment;
    p->used -= size;
    free(block);
}

static stoa_component body_register(stoa_world *w) {
    assert_true(stoa_id(w, Vec) != 0 && stoa_id(w, Team) != 0 && stoa_id(w, Frozen) != 0);
    return stoa_id(w, Body);
}

static stoa_blob body_encode(migration *m) {
    stoa_blob blob = {.allocator = stoa_world_allocator(m->old.world)};
    stoa_sink sink = stoa_blob_sink(&blob);
    stoa_component ids[2] = {body_register(m->old.world), 0};
    ids[1] = stoa_id(m->old.world, Frozen);
    assert_int_equal(stoa__schema_make(&m->made, m->old.world, ids, 2), STOA_OK);
    assert_int_equal(stoa__schema_encode(&m->made, &sink), STOA_OK);
    return blob;
}

/* Makes every plan there can be, to what the world knows or to what is kept, and runs it. */
static void schema_use(const stoa__schema *schema, stoa_world *w) {
    char text[256];
    stoa_component ids[8];
    stoa__writer out = stoa__writer_new(text, sizeof text);
    stoa__schema_compare(schema, schema, &out);
    assert_true(schema->type_count <= 8);
    if (stoa__schema_match(schema, w, ids, NULL, NULL) != STOA_OK) {
        return;
    }
    for (int32_t i = 0; i < schema->type_count; i++) {
        stoa__schema_print(schema, i, &out);
        stoa_component id = ids[i] != 0 ? ids[i] : stoa__schema_register(schema, i, w);
        stoa__route plan;
        stoa__route_options options = {.loss = (stoa_loss)(i % 2)};
        if (id == 0 || stoa__route_make(&plan, schema, i, w, id, &options) != STOA_OK) {
            continue;
        }
        if (plan.way != STOA__WAY_FUNCTIONS && plan.from_size < 4096 && plan.to_size < 4096) {
            uint8_t *from = malloc(3 * plan.from_size + 1), *to = malloc(3 * plan.to_size + 1);
            memset(from, 0x5A, 3 * plan.from_size + 1);
            stoa__route_apply(&plan, from, to, 3);
            free(from);
            free(to);
        }
        stoa__route_fini(&plan);
    }
}

/* Decodes bytes that end where the block ends, in a world of its own. */
static stoa_status hostile_decode(const void *bytes, size_t size, bool known) {
    uint8_t *copy = malloc(size > 0 ? size : 1);
    peak p = {0};
    stoa_allocator hooks = {.alloc = peak_alloc, .free = peak_free, .user = &p};
    stoa__schema schema;
    memcpy(copy, bytes, size);
    stoa_status status = stoa__schema_decode(&schema, copy, size, &hooks);
    free(copy);
    assert_true(status == STOA_OK || status == STOA_CORRUPT);
    assert_true(p.most <= 10 * size);
    if (status == STOA_OK) {
        support_world s = {0};
        support_world_open(&s);
        if (known) {
            body_register(s.world);
        }
        schema_use(&schema, s.world);
        support_world_close(&s);
    } else {
        assert_int_equal(schema.type_count, 0);
        support_assert_message("the schema is corrupt: ");
    }
    stoa__schema_fini(&schema);
    assert_int_equal(p.used, 0);
    return status;
}

/* SNP-05 */
static void every_truncation_is_refused(void **state) {
    migration *m = *state;
    stoa_blob blob = body_encode(m);
    for (size_t size = 0; size < blob.size; size++) {
        assert_int_equal(hostile_decode(blob.data, size, true), STOA_CORRUPT);
    }
    assert_int_equal(hostile_decode(blob.data, blob.size, true), STOA_OK);
    uint8_t *longer = malloc(blob.size + 1);
    memcpy(longer, blob.data, blob.size);
    longer[blob.size] = 0;
    assert_int_equal(hostile_decode(longer, blob.size + 1, true), STOA_CORRUPT);
    support_assert_message("something follows it");
    free(longer);
    stoa_blob_free(&blob);
}

/* SNP-05 */
static void every_turned_bit_is_refused_or_harmless(void **state) {
    migration *m = *state;
    stoa_blob blob = body_encode(m);
    int32_t refused = 0;
    for (size_t bit = 0; bit < blob.size * 8; bit++) {
        blob.data[bit / 8] ^= (uint8_t)(1u << bit % 8);
        refused += hostile_decode(blob.data, blob.size, true) != STOA_OK;
        if (bit % 3 == 0) {
            hostile_decode(blob.data, blob.size, false);
        }
        blob.data[bit / 8] ^= (uint8_t)(1u << bit % 8);
    }
    assert_true(refused > (int32_t)blob.size * 4);
    stoa_blob_free(&blob);
}

/* SNP-05 */
static void random_bytes_are_refused_or_harmless(void **state) {
    migration *m = *state;
    stoa_blob blob = body_encode(m);
    support_random random = {7};
    for (int run = 0; run < 4000; run++) {
        uint8_t bytes[512];
        assert_true(blob.size < sizeof bytes);
        memcpy(bytes, blob.data, blob.size);
        for (uint32_t n = 1 + support_random_below(&random, 4); n > 0; n--) {
            static const uint8_t values[] = {0, 1, 2, 4, 8, 64, 127, 128, 255};
            bytes[support_random_below(&random, (uint32_t)blob.size)] =
                values[support_random_below(&random, sizeof values)];
        }
        hostile_decode(bytes, blob.size, run % 2 == 0);
    }
    stoa_blob_free(&blob);
}

/* Bytes put together by hand. */
typedef struct bytes {
    uint8_t data[4096];
    size_t size;
} bytes;

static void put(bytes *b, uint64_t number, size_t size) {
    for (size_t i = 0; i < size; i++) {
        b->data[b->size++] = (uint8_t)(number >> (8 * i));
    }
}

static void put_name(bytes *b, const char *name) {
    put(b, strlen(name), 4);
    memcpy(b->data + b->size, name, strlen(name));
    b->size += strlen(name);
}

typedef struct type_row {
    const char *name;
    uint32_t way, component, flags, size, alignment, fields;
} type_row;

static void put_type(bytes *b, type_row row) {
    put_name(b, row.name);
    put(b, row.way, 1);
    put(b, row.component, 1);
    put(b, row.flags, 4);
    put(b, row.size, 4);
    put(b, row.alignment, 4);
    put(b, row.fields, 4);
}

typedef struct field_row {
    const char *name;
    uint32_t kind, array, count, offset, size, type;
} field_row;

static void put_field(bytes *b, field_row row) {
    put_name(b, row.name);
    put(b, row.kind, 1);
    put(b, row.array, 1);
    put(b, row.count, 4);
    put(b, row.offset, 4);
    put(b, row.size, 4);
    put(b, row.type, 4);
}

/* A schema of one type without members or values. */
static void type_check(type_row row, const char *message) {
    bytes b = {.size = 0};
    put(&b, 1, 4);
    put_type(&b, row);
    put(&b, 0, 4);
    stoa_status status = hostile_decode(b.data, b.size, false);
    assert_int_equal(status, message != NULL ? STOA_CORRUPT : STOA_OK);
    if (message != NULL) {
        support_assert_message(message);
    }
}

/* SNP-05 */
static void types_that_break_a_rule_are_refused(void **state) {
    (void)state;
    type_check((type_row){"A", STOA__WAY_TAG, 1, 0, 0, 1, 0}, NULL);
    type_check((type_row){"\xC3\xA4\xE2\x82\xAC\xF0\x9F\x98\x80", STOA__WAY_TAG, 1, 0, 0, 1, 0},
               NULL);
    type_check((type_row){"", STOA__WAY_TAG, 1, 0, 0, 1, 0}, "larger than the bytes");
    type_check((type_row){"A\n", STOA__WAY_TAG, 1, 0, 0, 1, 0}, "a name is not one");
    type_check((type_row){"\xC0\x80", STOA__WAY_TAG, 1, 0, 0, 1, 0}, "a name is not one");
    type_check((type_row){"\xED\xA0\x80", STOA__WAY_TAG, 1, 0, 0, 1, 0}, "a name is not one");
    type_check((type_row){"\xF4\x90\x80\x80", STOA__WAY_TAG, 1, 0, 0, 1, 0}, "a name is not one");
    type_check((type_row){"\xE2\x82", STOA__WAY_TAG, 1, 0, 0, 1, 0}, "a name is not one");
    type_check((type_row){"\xE2\x82\x28", STOA__WAY_TAG, 1, 0, 0, 1, 0}, "a name is not one");
    type_check((type_row){"\xE0\x80\x80", STOA__WAY_TAG, 1, 0, 0, 1, 0}, "a name is not one");
    type_check((type_row){"A", 5, 1, 0, 0, 1, 0}, "unknown way");
    type_check((type_row){"A", STOA__WAY_TAG, 2, 0, 0, 1, 0}, "neither 0 nor 1");
    type_check((type_row){"A", STOA__WAY_TAG, 1, STOA_MANAGED, 0, 1, 0}, "unknown flags");
    type_check((type_row){"A", STOA__WAY_TAG, 1, 0, 1, 1, 0}, "wrong size");
    type_check((type_row){"A", STOA__WAY_BYTES, 1, 0, 0, 1, 0}, "wrong size");
    type_check((type_row){"A", STOA__WAY_BYTES, 1, 0, 6, 4, 0}, "wrong size");
    type_check((type_row){"A", STOA__WAY_BYTES, 1, 0, STOA_SIZE_MAX + 64, 4, 0}, "wrong size");
    type_check((type_row){"A", STOA__WAY_BYTES, 1, 0, 4, 0, 0}, "wrong alignment");
    type_check((type_row){"A", STOA__WAY_BYTES, 1, 0, 6, 3, 0}, "wrong alignment");
    type_check((type_row){"A", STOA__WAY_BYTES, 1, 0, 128, 128, 0}, "wrong alignment");
    type_check((type_row){"A", STOA__WAY_MEMBERS, 1, 0, 4, 4, 0}, "has members or lacks them");
    type_check((type_row){"A", STOA__WAY_ENUM, 1, 0, 4, 4, 0}, "has values or lacks them");
    type_check((type_row){"A", STOA__WAY_ENUM, 1, 0, 3, 1, 0}, "an enum has a wrong size");
    type_check((type_row){"A", STOA__WAY_BYTES, 1, 0, 4, 4, 1}, "larger than the bytes");
    type_check((type_row){"A", STOA__WAY_MEMBERS, 1, 0, 4, 4, UINT32_MAX}, "larger than the bytes");
}

/* A schema of an enum, a struct, and one with the field at hand after a float. */
static void field_check(field_row row, const char *message) {
    bytes b = {.size = 0};
    put(&b, 3, 4);
    put_type(&b, (type_row){"E", STOA__WAY_ENUM, 0, 0, 2, 2, 0});
    put(&b, 1, 4);
    put_name(&b, "ONE");
    put(&b, 65535, 8);
    put_type(&b, (type_row){"S", STOA__WAY_BYTES, 0, STOA_RAW, 8, 4, 0});
    put(&b, 0, 4);
    put_type(&b, (type_row){"T", STOA__WAY_MEMBERS, 1, 0, 32, 4, 2});
    put_field(&b, (field_row){"x", STOA_KIND_F32, 0, 1, 0, 4, 0});
    put_field(&b, row);
    put(&b, 0, 4);
    stoa_status status = hostile_decode(b.data, b.size, false);
    if (status != (message != NULL ? STOA_CORRUPT : STOA_OK)) {
        support_print_error();
    }
    assert_int_equal(status, message != NULL ? STOA_CORRUPT : STOA_OK);
    if (message != NULL) {
        support_assert_message(message);
    }
}

/* SNP-05 */
static void members_that_break_a_rule_are_refused(void **state) {
    (void)state;
    field_check((field_row){"a", STOA_KIND_I32, 1, 7, 4, 4, 0}, NULL);
    field_check((field_row){"a", STOA_KIND_ENUM, 1, 2, 4, 2, 1}, NULL);
    field_check((field_row){"a", STOA_KIND_STRUCT, 1, 2, 4, 8, 2}, NULL);
    field_check((field_row){"a", STOA_KIND_I32, 1, 7, 8, 4, 0}, "lies outside of its type");
    field_check((field_row){"a", STOA_KIND_I32, 1, UINT32_MAX, 4, 4, 0}, "lies outside");
    field_check((field_row){"a", STOA_KIND_I32, 0, 1, UINT32_MAX, 4, 0}, "lies outside");
    field_check((field_row){"a", STOA_KIND_I32, 1, 0, 4, 4, 0}, "wrong number of elements");
    field_check((field_row){"a", STOA_KIND_I32, 0, 2, 4, 4, 0}, "wrong number of elements");
    field_check((field_row){"a", STOA_KIND_I32, 2, 1, 4, 4, 0}, "neither 0 nor 1");
    field_check((field_row){"a", STOA_KIND_I32, 0, 1, 4, 2, 0}, "wrong size");
    field_check((field_row){"a", STOA_KIND_I32, 0, 1, 4, 0, 0}, "lies outside");
    field_check((field_row){"a", STOA_KIND_ENUM, 0, 1, 4, 3, 0}, "wrong size");
    field_check((field_row){"a", STOA_KIND_NONE, 0, 1, 4, 4, 0}, "unknown kind");
    field_check((field_row){"a", STOA_KIND_STRING, 0, 1, 8, 8, 0}, "unknown kind");
    field_check((field_row){"a", STOA_KIND_POINTER, 0, 1, 8, 8, 0}, "unknown kind");
    field_check((field_row){"a", STOA_KIND_STRUCT + 1, 0, 1, 8, 8, 0}, "unknown kind");
    field_check((field_row){"a", STOA_KIND_STRUCT, 0, 1, 4, 4, 0}, "lacks its type");
    field_check((field_row){"a", STOA_KIND_STRUCT, 0, 1, 4, 4, 2}, "differ in size");
    field_check((field_row){"a", STOA_KIND_STRUCT, 0, 1, 4, 2, 1}, "not what it should be");
    field_check((field_row){"a", STOA_KIND_ENUM, 0, 1, 4, 8, 2}, "not what it should be");
    field_check((field_row){"a", STOA_KIND_I16, 0, 1, 4, 2, 1}, "not what it should be");
    field_check((field_row){"a", STOA_KIND_STRUCT, 0, 1, 4, 28, 3}, "does not come before it");
    field_check((field_row){"a", STOA_KIND_STRUCT, 0, 1, 4, 8, UINT32_MAX}, "does not come before");
    field_check((field_row){"x", STOA_KIND_I32, 0, 1, 4, 4, 0}, "two have the same name");
    field_check((field_row){"a b", STOA_KIND_I32, 0, 1, 4, 4, 0}, "a name is not one");
    field_check((field_row){"1a", STOA_KIND_I32, 0, 1, 4, 4, 0}, "a name is not one");
    field_check((field_row){"", STOA_KIND_I32, 0, 1, 4, 4, 0}, "a name is not one");
    field_check((field_row){"a", STOA_KIND_I32, 1, 8, 0, 4, 0}, "members of a type overlap");
    /* A name that is a word of C cannot be kept, but is no reason to refuse all. */
    field_check((field_row){"int", STOA_KIND_I32, 0, 1, 4, 4, 0}, NULL);
}

static void enum_check(uint32_t size, const char *first, uint64_t first_value, const char *second,
                       const char *message) {
    bytes b = {.size = 0};
    put(&b, 1, 4);
    put_type(&b, (type_row){"E", STOA__WAY_ENUM, 1, 0, size, size, 0});
    put(&b, 2, 4);
    put_name(&b, first);
    put(&b, first_value, 8);
    put_name(&b, second);
    put(&b, 1, 8);
    assert_int_equal(hostile_decode(b.data, b.size, false),
                     message != NULL ? STOA_CORRUPT : STOA_OK);
    if (message != NULL) {
        support_assert_message(message);
    }
}

/* SNP-05 */
static void values_that_break_a_rule_are_refused(void **state) {
    (void)state;
    enum_check(1, "A", 255, "B", NULL);
    enum_check(1, "A", (uint64_t)-128, "B", NULL);
    enum_check(8, "A", (uint64_t)INT64_MIN, "B", NULL);
    enum_check(1, "A", 256, "B", "does not fit its enum");
    enum_check(1, "A", (uint64_t)-129, "B", "does not fit its enum");
    enum_check(4, "A", (uint64_t)1 << 32, "B", "does not fit its enum");
    enum_check(4, "A", 1, "A", "two have the same name");
    enum_check(4, "A.b", 1, "A", "a name is not one");
}

/* SNP-05 */
static void types_of_one_name_and_deep_ones_are_refused(void **state) {
    (void)state;
    for (uint32_t depth = STOA_NEST_MAX; depth <= STOA_NEST_MAX + 1; depth++) {
        bytes b = {.size = 0};
        put(&b, depth + 1, 4);
        for (uint32_t i = 0; i <= depth; i++) {
            char name[16];
            snprintf(name, sizeof name, "T%u", (unsigned)i);
            put_type(&b, (type_row){name, STOA__WAY_MEMBERS, 0, 0, 4, 4, 1});
            put_field(&b,
                      (field_row){"a", i > 0 ? STOA_KIND_STRUCT : STOA_KIND_I32, 0, 1, 0, 4, i});
            put(&b, 0, 4);
        }
        stoa__schema schema;
        stoa_status status = stoa__schema_decode(&schema, b.data, b.size, NULL);
        assert_int_equal(status, depth > STOA_NEST_MAX ? STOA_CORRUPT : STOA_OK);
        stoa__schema_fini(&schema);
    }
    support_assert_message("types nest too deep");
    bytes b = {.size = 0};
    put(&b, 2, 4);
    for (int i = 0; i < 2; i++) {
        put_type(&b, (type_row){"A", STOA__WAY_TAG, 1, 0, 0, 1, 0});
        put(&b, 0, 4);
    }
    assert_int_equal(hostile_decode(b.data, b.size, false), STOA_CORRUPT);
    support_assert_message("two have the same name");
}

/* SNP-05: a few bytes could come to a plan of any size. */
static void types_that_double_with_each_level_are_refused(void **state) {
    (void)state;
    bytes b = {.size = 0};
    put(&b, 20, 4);
    for (uint32_t i = 0; i < 20; i++) {
        char name[16];
        uint32_t size = 2u << i;
        snprintf(name, sizeof name, "T%u", (unsigned)i);
        put_type(&b, (type_row){name, STOA__WAY_MEMBERS, 0, 0, size, 1, 2});
        for (uint32_t k = 0; k < 2; k++) {
            put_field(&b, (field_row){k == 0 ? "a" : "b", i > 0 ? STOA_KIND_STRUCT : STOA_KIND_BOOL,
                                      0, 1, k * size / 2, size / 2, i});
        }
        put(&b, 0, 4);
    }
    stoa__schema schema;
    assert_int_equal(stoa__schema_decode(&schema, b.data, b.size, NULL), STOA_CORRUPT);
    support_assert_message("a type comes to too many members");
}

/* SNP-05 */
static void more_members_than_a_type_may_have_are_refused(void **state) {
    (void)state;
    enum { MANY = STOA__SCHEMA_FIELD_MAX + 1 };
    static uint8_t data[MANY * 32];
    for (int extra = 0; extra < 2; extra++) {
        bytes b = {.size = 0};
        uint32_t count = STOA__SCHEMA_FIELD_MAX + (uint32_t)extra;
        put(&b, 1, 4);
        put_type(&b, (type_row){"T", STOA__WAY_MEMBERS, 1, 0, MANY, 1, count});
        size_t size = b.size;
        memcpy(data, b.data, size);
        for (uint32_t i = 0; i < count; i++) {
            char name[16];
            b.size = 0;
            snprintf(name, sizeof name, "f%u", (unsigned)i);
            put_field(&b, (field_row){name, STOA_KIND_U8, 0, 1, i, 1, 0});
            memcpy(data + size, b.data, b.size);
            size += b.size;
        }
        memset(data + size, 0, 4);
        assert_int_equal(hostile_decode(data, size + 4, false),
                         extra == 0 ? STOA_OK : STOA_CORRUPT);
    }
    support_assert_message("too many members or values");
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, migration_open, migration_close)
    const struct CMUnitTest tests[] = {
        TEST(every_truncation_is_refused),
        TEST(every_turned_bit_is_refused_or_harmless),
        TEST(random_bytes_are_refused_or_harmless),
        TEST(types_that_break_a_rule_are_refused),
        TEST(members_that_break_a_rule_are_refused),
        TEST(values_that_break_a_rule_are_refused),
        TEST(types_of_one_name_and_deep_ones_are_refused),
        TEST(more_members_than_a_type_may_have_are_refused),
        TEST(types_that_double_with_each_level_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
