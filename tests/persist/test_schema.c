/* Schemas made from a world: which types are in them, in what order, how each is saved, and that
 * they come out of their bytes as they went in. */
#include "persist/schema_fixture.h"

STOA_ENUM(Team, {TEAM_RED, TEAM_BLUE = 4, TEAM_NONE = -1});
STOA_COMPONENT(Vec, { float x, y; });
STOA_COMPONENT(Body, {
    Vec at;
    uint8_t kind;
    Vec corners[4];
    Team team;
    char label[12];
    stoa_entity target;
    bool on;
});
STOA_COMPONENT(Other, { double a; });
STOA_TAG(Frozen);
STOA_COMPONENT_WITH(Heat, STOA_OPTIONS(.flags = STOA_SPARSE | STOA_SWITCHABLE), { float degrees; });
STOA_COMPONENT(Holder, {
    const char *text;
    int32_t n;
});
STOA_COMPONENT(Pointing, { void *anything; });
typedef struct Opaque {
    uint32_t words[3];
} Opaque;
STOA_TYPE(Opaque);
typedef struct Blob {
    uint32_t words[3];
} Blob;
STOA_TYPE_WITH(Blob, STOA_OPTIONS(.flags = STOA_RAW), {});
typedef struct Partly {
    uint32_t kind;
    uint32_t secret[3];
    uint32_t last;
} Partly;
STOA_TYPE_MEMBERS(Partly, STOA_MEMBER(Partly, last, uint32_t), STOA_MEMBER(Partly, kind, uint32_t));
typedef struct Marked {
    uint32_t kind;
    uint32_t secret[3];
} Marked;
STOA_TYPE_MEMBERS_WITH(Marked, STOA_OPTIONS(.flags = STOA_RAW),
                       STOA_MEMBER(Marked, kind, uint32_t));
typedef struct Headless {
    uint32_t secret;
    uint32_t last;
} Headless;
STOA_TYPE_MEMBERS(Headless, STOA_MEMBER(Headless, last, uint32_t));
typedef struct Gaps {
    uint8_t a;
    uint64_t b;
    uint8_t c;
} Gaps;
STOA_TYPE_MEMBERS(Gaps, STOA_MEMBER(Gaps, c, uint8_t), STOA_MEMBER(Gaps, b, uint64_t),
                  STOA_MEMBER(Gaps, a, uint8_t));

static stoa_status nothing_save(const stoa_sink *sink, const void *items, int32_t count,
                                void *user) {
    (void)sink, (void)items, (void)count, (void)user;
    return STOA_OK;
}
static stoa_status nothing_load(const stoa_source *source, void *items, int32_t count, void *user) {
    (void)source, (void)items, (void)count, (void)user;
    return STOA_OK;
}
static const stoa_persist both = {.save = nothing_save, .load = nothing_load};
static const stoa_persist half = {.save = nothing_save};
STOA_COMPONENT_WITH(Saved, STOA_OPTIONS(.persist = &both), { char *text; });
STOA_COMPONENT_WITH(HalfSaved, STOA_OPTIONS(.persist = &half), { char *text; });

static stoa_status schema_of(migration *m, stoa_component id) {
    stoa__schema_fini(&m->made);
    return stoa__schema_make(&m->made, m->old.world, &id, 1);
}

static void names_join(const stoa__schema *schema, char *text, size_t size) {
    stoa__writer out = stoa__writer_new(text, size);
    for (int32_t i = 0; i < schema->type_count; i++) {
        stoa__writer_put(&out, i > 0 ? " " : "");
        stoa__writer_put(&out, schema->types[i].name);
    }
}

static stoa_component body_register(stoa_world *w) {
    assert_true(stoa_id(w, Vec) != 0 && stoa_id(w, Team) != 0);
    return stoa_id(w, Body);
}

/* SNP-03 */
static void schema_lists_types_inside_each_once_by_depth_and_name(void **state) {
    migration *m = *state;
    stoa_world *w = m->old.world;
    char text[256];
    stoa_component ids[] = {body_register(w), stoa_id(w, Other), stoa_id(w, Vec), stoa_id(w, Vec)};
    assert_int_equal(stoa__schema_make(&m->made, w, ids, 4), STOA_OK);
    names_join(&m->made, text, sizeof text);
    assert_string_equal(text, "Other Team Vec Body");
    assert_true(m->made.types[0].component && m->made.types[2].component);
    assert_false(m->made.types[1].component);
    for (int32_t i = 0; i < m->made.type_count; i++) {
        assert_int_equal(stoa__schema_find(&m->made, m->made.types[i].name), i);
        assert_int_equal(stoa__schema_find_id(&m->made, m->made.types[i].id), i);
    }
    assert_int_equal(stoa__schema_find(&m->made, "Nobody"), -1);
    assert_int_equal(stoa__schema_find_id(&m->made, 99), -1);
}

/* SNP-03 */
static void packed_places_follow_each_other_without_padding(void **state) {
    migration *m = *state;
    stoa_component id = body_register(m->old.world);
    assert_int_equal(schema_of(m, id), STOA_OK);
    const stoa__schema_type *body = &m->made.types[stoa__schema_find(&m->made, "Body")];
    uint32_t expected[] = {0, 8, 9, 41, 45, 57, 65};
    assert_int_equal(body->field_count, 7);
    for (int32_t i = 0; i < 7; i++) {
        assert_int_equal(body->fields[i].packed_offset, expected[i]);
    }
    assert_int_equal(body->packed_size, 66);
    assert_int_equal(body->size, sizeof(Body));
    assert_int_equal(body->nest, 1);
    assert_int_equal(body->way, STOA__WAY_MEMBERS);
}

static void way_check(migration *m, stoa_component id, stoa__way expected) {
    stoa__way way = STOA__WAY_TAG;
    assert_true(id != 0);
    assert_int_equal(stoa__schema_way(m->old.world, id, &way), STOA_OK);
    assert_int_equal(way, expected);
}

/* SNP-03 */
static void ways_follow_from_the_description(void **state) {
    migration *m = *state;
    stoa_world *w = m->old.world;
    way_check(m, stoa_id(w, Frozen), STOA__WAY_TAG);
    way_check(m, stoa_id(w, Other), STOA__WAY_MEMBERS);
    way_check(m, stoa_id(w, Blob), STOA__WAY_BYTES);
    way_check(m, stoa_id(w, Marked), STOA__WAY_BYTES);
    way_check(m, stoa_id(w, Saved), STOA__WAY_FUNCTIONS);
    way_check(m, stoa_id(w, Team), STOA__WAY_ENUM);
    way_check(m, stoa_id(w, Gaps), STOA__WAY_MEMBERS);
    way_check(m, body_register(w), STOA__WAY_MEMBERS);
}

static void refusal_check(migration *m, stoa_component id, const char *name, const char *why) {
    assert_true(id != 0);
    assert_int_equal(schema_of(m, id), STOA_REFUSED);
    support_assert_message(name);
    support_assert_message(why);
    assert_int_equal(m->made.type_count, 0);
    assert_null(m->made.types);
    stoa__way way;
    assert_int_equal(stoa__schema_way(m->old.world, id, &way), STOA_REFUSED);
}

/* SNP-03 */
static void what_cannot_be_saved_is_named(void **state) {
    migration *m = *state;
    stoa_world *w = m->old.world;
    refusal_check(m, stoa_id(w, Holder), "'Holder'", "needs functions");
    refusal_check(m, stoa_id(w, Pointing), "'Pointing'", "needs functions");
    refusal_check(m, stoa_id(w, Opaque), "'Opaque'", "not described");
    refusal_check(m, stoa_id(w, Partly), "'Partly'", "not all of its bytes");
    refusal_check(m, stoa_id(w, Headless), "'Headless'", "not all of its bytes");
    refusal_check(m, stoa_id(w, HalfSaved), "'HalfSaved'", "one of the two functions");
    refusal_check(m, fields_register(&m->old, "Nested", "{ int n; Opaque o; }", NULL), "'Nested'",
                  "'Opaque' inside of it");
    refusal_check(m, fields_register(&m->old, "Deep", "{ Nested o; }", NULL), "'Deep'",
                  "'Opaque' inside of it");
    refusal_check(m, fields_register(&m->old, "In", "{ Holder o; }", NULL), "'In'",
                  "needs functions");
    refusal_check(m, fields_register(&m->old, "bad\xFF", "{ int n; }", NULL), "'bad", "UTF-8");
    refusal_check(m, fields_register(&m->old, "two\nlines", "{ int n; }", NULL), "'two", "UTF-8");
    refusal_check(
        m,
        stoa_component_register(w, &(stoa_component_desc){.name = "Hooked",
                                                          .fields = "{ int n; }",
                                                          .hooks = {.drop = (stoa_drop_fn)abort}}),
        "'Hooked'", "needs functions");
}

/* SNP-03 */
static void raw_mark_does_not_make_pointers_plain(void **state) {
    migration *m = *state;
    stoa_component id = stoa_component_register(
        m->old.world,
        &(stoa_component_desc){.name = "P", .fields = "{ void *p; }", .flags = STOA_RAW});
    refusal_check(m, id, "'P'", "needs functions");
}

/* SNP-03 */
static void functions_of_a_type_inside_do_not_count(void **state) {
    migration *m = *state;
    assert_true(stoa_id(m->old.world, Saved) != 0);
    refusal_check(m, fields_register(&m->old, "Has", "{ Saved s; }", NULL), "'Has'",
                  "needs functions");
}

/* GEN-05 */
static void unknown_ids_and_nulls_are_refused(void **state) {
    migration *m = *state;
    stoa_component id = 77;
    assert_int_equal(stoa__schema_make(&m->made, m->old.world, &id, 1), STOA_UNKNOWN);
    id = 0;
    assert_int_equal(stoa__schema_make(&m->made, m->old.world, &id, 1), STOA_UNKNOWN);
    assert_int_equal(stoa__schema_make(&m->made, NULL, &id, 1), STOA_NULL_ARGUMENT);
    assert_int_equal(stoa__schema_make(&m->made, m->old.world, NULL, 1), STOA_NULL_ARGUMENT);
    assert_int_equal(stoa__schema_make(&m->made, m->old.world, NULL, 0), STOA_OK);
    assert_int_equal(m->made.type_count, 0);
    assert_int_equal(stoa__schema_decode(&m->saved, NULL, 4, NULL), STOA_NULL_ARGUMENT);
    stoa__schema_fini(NULL);
    stoa__route_fini(NULL);
}

static void types_equal(const stoa__schema *a, const stoa__schema *b) {
    assert_int_equal(a->type_count, b->type_count);
    for (int32_t i = 0; i < a->type_count; i++) {
        const stoa__schema_type *x = &a->types[i], *y = &b->types[i];
        assert_string_equal(x->name, y->name);
        assert_int_equal(x->way, y->way);
        assert_int_equal(x->component, y->component);
        assert_int_equal(x->nest, y->nest);
        assert_int_equal(x->flat, y->flat);
        assert_int_equal(x->flags, y->flags);
        assert_int_equal(x->size, y->size);
        assert_int_equal(x->alignment, y->alignment);
        assert_int_equal(x->packed_size, y->packed_size);
        assert_int_equal(x->field_count, y->field_count);
        assert_int_equal(x->value_count, y->value_count);
        assert_int_equal(a->by_name[i], b->by_name[i]);
        for (int32_t k = 0; k < x->field_count; k++) {
            const stoa__schema_field *f = &x->fields[k], *g = &y->fields[k];
            assert_string_equal(f->name, g->name);
            assert_true(f->kind == g->kind && f->array == g->array && f->count == g->count);
            assert_true(f->offset == g->offset && f->size == g->size && f->type == g->type);
            assert_true(f->packed_offset == g->packed_offset && f->packed_size == g->packed_size);
        }
        for (int32_t k = 0; k < x->value_count; k++) {
            assert_string_equal(x->values[k].name, y->values[k].name);
            assert_int_equal(x->values[k].value, y->values[k].value);
        }
    }
}

/* SNP-06 */
static void schema_comes_out_of_its_bytes_as_it_went_in(void **state) {
    migration *m = *state;
    stoa_world *w = m->old.world;
    stoa_component ids[] = {body_register(w),  stoa_id(w, Heat), stoa_id(w, Frozen),
                            stoa_id(w, Saved), stoa_id(w, Blob), stoa_id(w, Gaps)};
    stoa_blob blob = {.allocator = stoa_world_allocator(w)};
    stoa_blob again = blob;
    stoa_sink sink = stoa_blob_sink(&blob);
    assert_int_equal(stoa__schema_make(&m->made, w, ids, 6), STOA_OK);
    assert_int_equal(stoa__schema_encode(&m->made, &sink), STOA_OK);
    assert_int_equal(
        stoa__schema_decode(&m->saved, blob.data, blob.size, stoa_world_allocator(m->now.world)),
        STOA_OK);
    types_equal(&m->made, &m->saved);
    assert_int_equal(m->saved.types[0].id, 0);
    sink = stoa_blob_sink(&again);
    assert_int_equal(stoa__schema_encode(&m->saved, &sink), STOA_OK);
    assert_int_equal(blob.size, again.size);
    assert_memory_equal(blob.data, again.data, blob.size);
    stoa_blob_free(&blob);
    stoa_blob_free(&again);
}

/* SNP-02 */
static void bytes_do_not_depend_on_the_order_of_registration(void **state) {
    migration *m = *state;
    stoa_blob one = {.allocator = stoa_world_allocator(m->old.world)}, two = one;
    stoa_component a[] = {stoa_id(m->old.world, Other), body_register(m->old.world)};
    assert_true(stoa_id(m->now.world, Frozen) != 0 && stoa_id(m->now.world, Team) != 0);
    stoa_component b[] = {body_register(m->now.world), stoa_id(m->now.world, Other)};
    stoa_sink sink = stoa_blob_sink(&one);
    assert_int_equal(stoa__schema_make(&m->made, m->old.world, a, 2), STOA_OK);
    assert_int_equal(stoa__schema_encode(&m->made, &sink), STOA_OK);
    sink = stoa_blob_sink(&two);
    assert_int_equal(stoa__schema_make(&m->saved, m->now.world, b, 2), STOA_OK);
    assert_int_equal(stoa__schema_encode(&m->saved, &sink), STOA_OK);
    assert_int_equal(one.size, two.size);
    assert_memory_equal(one.data, two.data, one.size);
    stoa_blob_free(&one);
    stoa_blob_free(&two);
}

/* SNP-02: these bytes are the format, on every machine. */
static void bytes_are_those_of_the_format(void **state) {
    migration *m = *state;
    static const uint8_t expected[] = {
        1, 0, 0, 0,                               /* types */
        3, 0, 0, 0, 'V', 'e', 'c',                /* name */
        1, 1,                                     /* members, component */
        0, 0, 0, 0, 8,   0,   0,   0, 4, 0, 0, 0, /* flags, size, alignment */
        2, 0, 0, 0,                               /* fields */
        1, 0, 0, 0, 'x', 11,  0,   1, 0, 0, 0,    /* name, float, no array, count */
        0, 0, 0, 0, 4,   0,   0,   0, 0, 0, 0, 0, /* offset, size, type */
        1, 0, 0, 0, 'y', 11,  0,   1, 0, 0, 0,    /* the other */
        4, 0, 0, 0, 4,   0,   0,   0, 0, 0, 0, 0, /* */
        0, 0, 0, 0,                               /* values */
    };
    stoa_blob blob = {.allocator = stoa_world_allocator(m->old.world)};
    stoa_sink sink = stoa_blob_sink(&blob);
    assert_int_equal(schema_of(m, stoa_id(m->old.world, Vec)), STOA_OK);
    assert_int_equal(stoa__schema_encode(&m->made, &sink), STOA_OK);
    assert_int_equal(blob.size, sizeof expected);
    assert_memory_equal(blob.data, expected, sizeof expected);
    stoa_blob_free(&blob);
}

static stoa_status write_never(void *user, const void *bytes, size_t size) {
    (void)bytes, (void)size;
    ++*(int *)user;
    return STOA_IO;
}

/* SNP-04 */
static void failing_sink_ends_the_writing(void **state) {
    migration *m = *state;
    int calls = 0;
    stoa_sink sink = {write_never, &calls};
    assert_int_equal(schema_of(m, stoa_id(m->old.world, Vec)), STOA_OK);
    assert_int_equal(stoa__schema_encode(&m->made, &sink), STOA_IO);
    assert_int_equal(calls, 1);
}

/* SNP-03 */
static void too_many_members_in_all_are_refused(void **state) {
    migration *m = *state;
    char name[8] = "A0";
    fields_register(&m->old, name, "{ float x, y; }", NULL);
    for (int i = 1; i < 14; i++) {
        char fields[64];
        snprintf(fields, sizeof fields, "{ %s a, b; }", name);
        snprintf(name, sizeof name, "A%d", i);
        fields_register(&m->old, name, fields, NULL);
    }
    assert_int_equal(schema_of(m, stoa_component_find(m->old.world, "A12")), STOA_OK);
    assert_int_equal(schema_of(m, stoa_component_find(m->old.world, "A13")), STOA_LIMIT);
    support_assert_message("'A13'");
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, migration_open, migration_close)
    const struct CMUnitTest tests[] = {
        TEST(schema_lists_types_inside_each_once_by_depth_and_name),
        TEST(packed_places_follow_each_other_without_padding),
        TEST(ways_follow_from_the_description),
        TEST(what_cannot_be_saved_is_named),
        TEST(raw_mark_does_not_make_pointers_plain),
        TEST(functions_of_a_type_inside_do_not_count),
        TEST(unknown_ids_and_nulls_are_refused),
        TEST(schema_comes_out_of_its_bytes_as_it_went_in),
        TEST(bytes_do_not_depend_on_the_order_of_registration),
        TEST(bytes_are_those_of_the_format),
        TEST(failing_sink_ends_the_writing),
        TEST(too_many_members_in_all_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
