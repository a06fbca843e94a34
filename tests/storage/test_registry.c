/* The component registry on a storage of its own: ids, names, descriptor slots, what counts as the
 * same. */
#include "storage/registry.h"
#include "storage_fixture.h"

STOA_COMPONENT(Position, { float x, y; });
STOA_COMPONENT(Velocity, { float x, y; });
STOA_COMPONENT(Gap, {
    uint8_t first;
    uint32_t second;
});
STOA_COMPONENT(Nest, {
    Position at;
    uint64_t number;
});
STOA_COMPONENT(NestGap, { Gap gap[2]; });
STOA_COMPONENT(Text, { const char *text; });
STOA_COMPONENT(NestText, {
    Text text;
    double weight;
});
STOA_ENUM(Colour, {COLOUR_RED, COLOUR_BLUE = 7});
STOA_TAG(Frozen);

/* A descriptor as another translation unit would have it: the same text, no slot yet. */
static stoa_type twin_of(const stoa_type *type) {
    stoa_type twin = *type;
    atomic_init(&twin.slot, 0);
    return twin;
}

/* CMP-04 CMP-01 */
static void ids_run_from_one_in_order_of_registration(void **state) {
    (void)state;
    fixture f;
    fixture_open(&f);
    assert_int_equal(stoa__registry_type(&f.storage, STOA_TYPE_OF(Velocity)), 1);
    assert_int_equal(stoa__registry_type(&f.storage, STOA_TYPE_OF(Position)), 2);
    assert_int_equal(stoa__registry_type(&f.storage, STOA_TYPE_OF(Velocity)), 1);
    stoa_component_desc desc = {.name = "Third", .size = 4};
    assert_int_equal(stoa__registry_desc(&f.storage, &desc), 3);
    assert_int_equal(stoa__registry_desc(&f.storage, &desc), 3);
    assert_int_equal(f.storage.registry.count, 3);
    assert_true(stoa__component_known(&f.storage, 1));
    assert_true(stoa__component_known(&f.storage, 3));
    assert_false(stoa__component_known(&f.storage, 0));
    assert_false(stoa__component_known(&f.storage, 4));
    assert_string_equal(stoa__component_at(&f.storage, 2)->name, "Position");
    fixture_close(&f);
}

/* CMP-04 GEN-02: one descriptor, one slot, an id of its own in each world. */
static void descriptor_slot_is_written_once_and_serves_all_worlds(void **state) {
    (void)state;
    fixture a, b;
    fixture_open(&a);
    fixture_open(&b);
    assert_int_equal(stoa__registry_type(&a.storage, STOA_TYPE_OF(Position)), 1);
    uint32_t slot = STOA_LOAD(&Position_stoa.slot);
    assert_int_not_equal(slot, 0);
    assert_int_equal(stoa__registry_type(&b.storage, STOA_TYPE_OF(Velocity)), 1);
    assert_int_equal(stoa__registry_type(&b.storage, STOA_TYPE_OF(Position)), 2);
    assert_int_equal(STOA_LOAD(&Position_stoa.slot), slot);
    assert_int_not_equal(STOA_LOAD(&Velocity_stoa.slot), slot);
    assert_int_equal(STOA_LOAD(&a.storage.registry.slot_ids[slot]), 1);
    assert_int_equal(STOA_LOAD(&b.storage.registry.slot_ids[slot]), 2);
    fixture_close(&a);
    assert_int_equal(stoa__registry_find_type(&b.storage, STOA_TYPE_OF(Position)), 2);
    fixture_close(&b);
}

/* CMP-04: a twin is found by name, and remembered where there is room. */
static void second_descriptor_of_a_name_finds_the_same_id(void **state) {
    (void)state;
    fixture f;
    fixture_open(&f);
    stoa_type twin = twin_of(STOA_TYPE_OF(Position));
    assert_int_equal(stoa__registry_find_type(&f.storage, &twin), 0);
    assert_int_equal(stoa__registry_type(&f.storage, STOA_TYPE_OF(Position)), 1);
    size_t allocations = f.heap.allocations;
    assert_int_equal(stoa__registry_find_type(&f.storage, &twin), 1);
    assert_int_equal(f.heap.allocations, allocations);
    uint32_t slot = STOA_LOAD(&twin.slot);
    assert_int_not_equal(slot, STOA_LOAD(&Position_stoa.slot));
    assert_true(slot < f.storage.registry.slot_count);
    assert_int_equal(STOA_LOAD(&f.storage.registry.slot_ids[slot]), 1);
    assert_int_equal(stoa__registry_type(&f.storage, &twin), 1);
    assert_int_equal(f.storage.registry.count, 1);
    fixture_close(&f);
}

/* CMP-01: more descriptors than the slot table has room for at first. */
static void slot_table_grows_and_keeps_what_it_knew(void **state) {
    (void)state;
    fixture f;
    fixture_open(&f);
    static stoa_type types[300];
    for (uint32_t i = 0; i < 300; i++) {
        types[i] = twin_of(i % 2 == 0 ? STOA_TYPE_OF(Position) : STOA_TYPE_OF(Velocity));
        assert_int_equal(stoa__registry_type(&f.storage, &types[i]), i % 2 + 1);
    }
    assert_true(f.storage.registry.slot_count > 300);
    for (uint32_t i = 0; i < 300; i++) {
        uint32_t slot = STOA_LOAD(&types[i].slot);
        assert_int_equal(STOA_LOAD(&f.storage.registry.slot_ids[slot]), i % 2 + 1);
    }
    assert_int_equal(f.storage.registry.count, 2);
    fixture_close(&f);
}

/* CMP-04: what is compared is what the description means, not how it is written. */
static void description_is_the_same_by_meaning(void **state) {
    (void)state;
    fixture f;
    fixture_open(&f);
    assert_int_equal(stoa__registry_type(&f.storage, STOA_TYPE_OF(Position)), 1);
    const stoa_component_desc same[] = {
        {.name = "Position", .fields = "{float x;float y;}"},
        {.name = "Position", .fields = "{ float x, /* east */ y; // north\n }"},
        {.name = "Position", .fields = "{ float x, y; }", .size = 8},
        {.name = "Position", .fields = "{ float x, y; }", .size = 8, .alignment = 4},
    };
    for (size_t i = 0; i < sizeof same / sizeof *same; i++) {
        assert_int_equal(stoa__registry_desc(&f.storage, &same[i]), 1);
    }
    stoa_type members = twin_of(STOA_TYPE_OF(Position));
    static const stoa_member_desc list[] = {
        STOA_MEMBER(Position, x, float), STOA_MEMBER(Position, y, float), {NULL, NULL, 0, 0, 0}};
    members.form = STOA_FORM_MEMBERS;
    members.text = NULL;
    members.members = list;
    assert_int_equal(stoa__registry_type(&f.storage, &members), 1);
    assert_int_equal(f.storage.registry.count, 1);
    fixture_close(&f);
}

static void some_drop(void *items, int32_t count, void *user) {
    (void)items, (void)count, (void)user;
}

static void some_free(void *user) {
    (void)user;
}

/* CMP-04 GEN-03: each difference is a conflict, and a conflict leaves no trace. */
static void any_difference_is_a_conflict(void **state) {
    (void)state;
    fixture f;
    fixture_open(&f);
    stoa_type base = twin_of(STOA_TYPE_OF(Position));
    base.options.hooks = (stoa_hooks){.drop = some_drop, .user = &f, .user_free = NULL};
    assert_int_equal(stoa__registry_type(&f.storage, &base), 1);
    size_t bytes = f.heap.bytes;
    for (int i = 0; i < 7; i++) {
        stoa_type other = twin_of(&base);
        switch (i) {
        case 0:
            other.text = "{ float x, z; }";
            break;
        case 1:
            other.text = "{ float y, x; }";
            break;
        case 2:
            other.options.hooks.drop = NULL;
            break;
        case 3:
            other.options.hooks.user = NULL;
            break;
        case 4:
            other.options.hooks.user_free = some_free;
            break;
        case 5:
            other.options.flags = STOA_HIDDEN;
            break;
        default:
            other.text = "{ int32_t x, y; }";
            break;
        }
        stoa_error_clear();
        assert_int_equal(stoa__registry_type(&f.storage, &other), 0);
        assert_int_equal(stoa_last_error().status, STOA_CONFLICT);
        support_assert_message("'Position'");
        assert_int_equal(stoa__registry_find_type(&f.storage, &other), 0);
    }
    assert_int_equal(f.heap.bytes, bytes);
    assert_int_equal(f.storage.registry.count, 1);
    fixture_close(&f);
}

/* CMP-04: enums are compared value by value. */
static void enum_values_are_compared(void **state) {
    (void)state;
    fixture f;
    fixture_open(&f);
    assert_int_equal(stoa__registry_type(&f.storage, STOA_TYPE_OF(Colour)), 1);
    assert_true(stoa__component_at(&f.storage, 1)->is_enum);
    stoa_type same = twin_of(STOA_TYPE_OF(Colour));
    same.text = "{ COLOUR_RED = 0, COLOUR_BLUE = 0x7 }";
    assert_int_equal(stoa__registry_type(&f.storage, &same), 1);
    const char *const others[] = {"{ COLOUR_RED, COLOUR_BLUE = 8 }",
                                  "{ COLOUR_RED, COLOUR_SEA = 7 }", "{ COLOUR_RED }"};
    for (int i = 0; i < 3; i++) {
        stoa_type other = twin_of(STOA_TYPE_OF(Colour));
        other.text = others[i];
        assert_int_equal(stoa__registry_type(&f.storage, &other), 0);
        assert_int_equal(stoa_last_error().status, STOA_CONFLICT);
    }
    fixture_close(&f);
}

/* CMP-05 CMP-09 */
static void every_name_is_found_among_many(void **state) {
    (void)state;
    fixture f;
    fixture_open(&f);
    char name[32];
    for (uint32_t i = 0; i < 1000; i++) {
        snprintf(name, sizeof name, "module.Type%u", i * 7);
        stoa_component_desc desc = {.name = name, .fields = "{ int32_t value; }"};
        assert_int_equal(stoa__registry_desc(&f.storage, &desc), i + 1);
    }
    for (uint32_t i = 0; i < 7000; i++) {
        snprintf(name, sizeof name, "module.Type%u", i);
        assert_int_equal(stoa__registry_find(&f.storage, name), i % 7 == 0 ? i / 7 + 1 : 0);
    }
    fixture_close(&f);
}

/* CMP-03: what is known of the bytes decides how they may be copied and hashed. */
static void plain_and_dense_follow_the_members(void **state) {
    (void)state;
    fixture f;
    fixture_open(&f);
    static const struct {
        stoa_type *type;
        bool plain, dense;
    } cases[] = {
        {STOA_TYPE_OF(Position), true, true}, {STOA_TYPE_OF(Gap), true, false},
        {STOA_TYPE_OF(Nest), true, true},     {STOA_TYPE_OF(NestGap), true, false},
        {STOA_TYPE_OF(Text), false, false},   {STOA_TYPE_OF(NestText), false, false},
        {STOA_TYPE_OF(Frozen), true, false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        stoa_component id = stoa__registry_type(&f.storage, cases[i].type);
        assert_int_not_equal(id, 0);
        assert_int_equal(stoa__component_at(&f.storage, id)->info.plain, cases[i].plain);
        assert_int_equal(stoa__component_at(&f.storage, id)->dense, cases[i].dense);
    }
    fixture_close(&f);
}

/* CMP-06 GEN-03: whoever walks members needs stack for each level, so there is an end to them. */
static void nesting_has_a_limit(void **state) {
    (void)state;
    fixture f;
    fixture_open(&f);
    char name[16], fields[48];
    for (int i = 0; i < STOA_NEST_MAX + 2; i++) {
        snprintf(name, sizeof name, "Nest%d", i);
        snprintf(fields, sizeof fields, i == 0 ? "{ float x; }" : "{ char c; Nest%d n; }", i - 1);
        stoa_component_desc desc = {.name = name, .fields = fields};
        stoa_component id = stoa__registry_desc(&f.storage, &desc);
        assert_int_equal(id != 0, i < STOA_NEST_MAX);
        if (i == STOA_NEST_MAX) {
            assert_int_equal(stoa_last_error().status, STOA_LIMIT);
            assert_non_null(strstr(stoa_last_error().message, "Nest64"));
        }
    }
    fixture_close(&f);
}

/* GEN-03 GEN-04: at whatever allocation it fails, registering happens wholly or not at all. */
static void failed_registration_leaves_the_registry_as_it_was(void **state) {
    (void)state;
    fixture f;
    fixture_open(&f);
    assert_int_equal(stoa__registry_type(&f.storage, STOA_TYPE_OF(Velocity)), 1);
    for (size_t k = 1;; k++) {
        stoa_component_desc desc = {.name = "Fresh",
                                    .fields = "{ Velocity speed; double list[4]; }"};
        f.heap.fail_at = k;
        stoa_component id = stoa__registry_desc(&f.storage, &desc);
        if (id != 0) {
            assert_true(k > 2);
            assert_int_equal(id, 2);
            break;
        }
        assert_int_equal(stoa_last_error().status, STOA_NO_MEMORY);
        assert_int_equal(f.storage.registry.count, 1);
        assert_int_equal(stoa__registry_find(&f.storage, "Fresh"), 0);
        assert_int_equal(stoa__registry_find(&f.storage, "Velocity"), 1);
    }
    fixture_close(&f);
}

/* CMP-13 */
static void type_goes_by_its_own_name_or_its_identifier(void **state) {
    (void)state;
    stoa_type named = twin_of(STOA_TYPE_OF(Position));
    assert_string_equal(stoa__type_name(&named), "Position");
    named.options.name = "physics.Position";
    assert_string_equal(stoa__type_name(&named), "physics.Position");
    fixture f;
    fixture_open(&f);
    assert_int_equal(stoa__registry_type(&f.storage, STOA_TYPE_OF(Position)), 1);
    assert_int_equal(stoa__registry_type(&f.storage, &named), 2);
    assert_int_equal(stoa__registry_find(&f.storage, "physics.Position"), 2);
    assert_int_equal(stoa__registry_find(&f.storage, "Position"), 1);
    fixture_close(&f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ids_run_from_one_in_order_of_registration),
        cmocka_unit_test(descriptor_slot_is_written_once_and_serves_all_worlds),
        cmocka_unit_test(second_descriptor_of_a_name_finds_the_same_id),
        cmocka_unit_test(slot_table_grows_and_keeps_what_it_knew),
        cmocka_unit_test(description_is_the_same_by_meaning),
        cmocka_unit_test(any_difference_is_a_conflict),
        cmocka_unit_test(enum_values_are_compared),
        cmocka_unit_test(every_name_is_found_among_many),
        cmocka_unit_test(plain_and_dense_follow_the_members),
        cmocka_unit_test(nesting_has_a_limit),
        cmocka_unit_test(failed_registration_leaves_the_registry_as_it_was),
        cmocka_unit_test(type_goes_by_its_own_name_or_its_identifier),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
