/* Out of memory in everything that a schema and a plan need memory for: the call fails, nothing is
 * left behind, and it can be repeated. */
#include "persist/schema_fixture.h"

static stoa_type enum_type(const char *text) {
    return (stoa_type){.form = STOA_FORM_ENUM,
                       .identifier = "Team",
                       .text = text,
                       .size = 4,
                       .alignment = 4,
                       .enum_size = 4};
}

static const struct { int32_t n, added; } defaults = {1, 2};
static const stoa_persist persist = {.defaults = &defaults};

static void worlds_fill(migration *m) {
    stoa_type was = enum_type("{ RED, GREEN, BLUE }"), is = enum_type("{ BLUE, GREEN, RED }");
    assert_true(stoa_type_register(m->old.world, &was) != 0);
    assert_true(stoa_type_register(m->now.world, &is) != 0);
    fields_register(&m->old, "In", "{ Team team; int32_t n; }", NULL);
    fields_register(&m->old, "T", "{ int32_t n; In in[3]; float f; char text[9]; uint8_t a[4]; }",
                    NULL);
    fields_register(&m->old, "Lost", "{ In in; float f; }", NULL);
    fields_register(&m->now, "Part", "{ int32_t n, added; }", &persist);
    fields_register(&m->now, "In", "{ int16_t n; Team team; }", NULL);
    fields_register(&m->now, "T",
                    "{ int64_t n; In in[3]; double f; char text[5]; Part part; uint8_t a[2]; }",
                    NULL);
}

/* The whole way of a value, with memory refused at some point; the status of what failed. */
static stoa_status way_walk(migration *m, stoa_blob *blob, bool keeps) {
    stoa_component ids[8], id;
    stoa_component all[] = {stoa_component_find(m->old.world, "T"),
                            stoa_component_find(m->old.world, "Lost")};
    stoa_sink sink = stoa_blob_sink(blob);
    stoa_status status = stoa__schema_make(&m->made, m->old.world, all, 2);
    if (status == STOA_OK) {
        status = stoa__schema_encode(&m->made, &sink);
    }
    if (status == STOA_OK) {
        status = stoa__schema_decode(&m->saved, blob->data, blob->size,
                                     stoa_world_allocator(m->now.world));
    }
    if (status == STOA_OK) {
        status = stoa__route_pack(&m->pack, &m->made, stoa__schema_find(&m->made, "T"));
    }
    if (status == STOA_OK) {
        status = stoa__schema_match(&m->saved, m->now.world, ids, NULL, NULL);
    }
    if (status == STOA_OK && !keeps) {
        int32_t type = stoa__schema_find(&m->saved, "T");
        status = stoa__route_make(&m->plan, &m->saved, type, m->now.world, ids[type], NULL);
    }
    if (status == STOA_OK && keeps) {
        id = stoa__schema_register(&m->saved, stoa__schema_find(&m->saved, "Lost"), m->now.world);
        status = id != 0 ? STOA_OK : stoa_last_error().status;
    }
    return status;
}

static void failures_walk(migration *m, support_heap *heap, bool keeps) {
    stoa_status status = STOA_NO_MEMORY;
    int32_t failures = 0;
    for (size_t k = 1; status != STOA_OK; k++) {
        size_t bytes[] = {m->old.heap.bytes, m->now.heap.bytes};
        uint64_t hash = stoa_hash(m->now.world);
        stoa_blob blob = {.allocator = stoa_world_allocator(m->old.world)};
        heap->fail_at = k;
        status = way_walk(m, &blob, keeps);
        heap->fail_at = 0;
        assert_true(status == STOA_OK || status == STOA_NO_MEMORY);
        migration_fini(m);
        stoa_blob_free(&blob);
        failures += status != STOA_OK;
        assert_int_equal(m->old.heap.bytes, bytes[0]);
        if (status != STOA_OK && !keeps) {
            assert_int_equal(m->now.heap.bytes, bytes[1]);
        }
        assert_int_equal(stoa_hash(m->now.world), hash);
        assert_int_equal(stoa_check(m->now.world), STOA_OK);
        assert_true(k < 1000);
    }
    assert_true(failures >= 4);
}

/* GEN-04 */
static void refused_memory_of_either_world_leaves_nothing_behind(void **state) {
    migration *m = *state;
    worlds_fill(m);
    failures_walk(m, &m->old.heap, false);
    failures_walk(m, &m->now.heap, false);
}

/* GEN-04 */
static void refused_memory_while_keeping_can_be_repeated(void **state) {
    migration *m = *state;
    worlds_fill(m);
    failures_walk(m, &m->now.heap, true);
    assert_true(stoa_component_find(m->now.world, "Lost") != 0);
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, migration_open, migration_close)
    const struct CMUnitTest tests[] = {
        TEST(refused_memory_of_either_world_leaves_nothing_behind),
        TEST(refused_memory_while_keeping_can_be_repeated),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
