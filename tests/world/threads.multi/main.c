/* One component, several descriptors: two translation units with one world, two threads with a
 * world each. */
#include "shared.h"

/* CMP-01 CMP-04 */
static void units_with_descriptors_of_their_own_share_components(void **state) {
    support_world *s = *state;
    assert_ptr_not_equal(unit_first.position, unit_second.position);
    stoa_entity e = unit_first.create(s->world, 5);
    assert_true(unit_second.read_x(s->world, e) == 5);
    assert_true(unit_second.has_frozen(s->world, e));
    stoa_entity f = unit_second.create(s->world, 7);
    assert_true(unit_first.read_x(s->world, f) == 7);
    for (int i = 3; i >= 0; i--) {
        stoa_component id = unit_second.id(s->world, i);
        assert_true(id != 0);
        assert_int_equal(unit_first.id(s->world, i), id);
    }
    assert_int_equal(stoa_component_count(s->world), 4);
    assert_int_equal(unit_second.count_moving(s->world), 2);
    assert_int_equal(unit_first.count_moving(s->world), 2);
    assert_true(unit_first.read_x(s->world, e) == 7);
    assert_int_equal(stoa_archetype_of(s->world, e), stoa_archetype_of(s->world, f));
}

/* CMP-04 GEN-02 */
static void worlds_number_components_independently(void **state) {
    support_world *s = *state;
    support_world other;
    support_world_open(&other);
    for (int i = 0; i < 4; i++) {
        assert_int_equal(unit_first.id(s->world, i), i + 1);
        assert_int_equal(unit_second.id(other.world, 3 - i), i + 1);
    }
    for (int i = 0; i < 4; i++) {
        assert_int_equal(unit_second.id(s->world, i), i + 1);
        assert_int_equal(unit_first.id(other.world, i), 4 - i);
    }
    support_world_close(&other);
}

/* CMP-04 */
static void units_that_describe_a_name_differently_conflict(void **state) {
    support_world *s = *state;
    stoa_entity e = stoa_create(s->world);
    assert_int_equal(unit_first.clash(s->world, e), STOA_OK);
    uint64_t hash = stoa_hash(s->world);
    assert_int_equal(unit_second.clash(s->world, e), STOA_CONFLICT);
    support_assert_message("'Clash'");
    assert_int_equal(stoa_hash(s->world), hash);
    support_world other;
    support_world_open(&other);
    e = stoa_create(other.world);
    assert_int_equal(unit_second.clash(other.world, e), STOA_OK);
    assert_int_equal(unit_first.clash(other.world, e), STOA_CONFLICT);
    support_world_close(&other);
    support_assert_quiet(s);
}

/* GEN-02 CMP-01 CMP-04 */
static void threads_with_worlds_of_their_own_share_descriptors(void **state) {
    (void)state;
    assert_int_equal(rounds_run(1500), 0);
}

/* GEN-03 */
static void last_error_belongs_to_its_thread(void **state) {
    (void)state;
    assert_int_equal(errors_run(), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        /* First, so that the threads are the first to meet the shared descriptors. */
        cmocka_unit_test(threads_with_worlds_of_their_own_share_descriptors),
        cmocka_unit_test(last_error_belongs_to_its_thread),
        cmocka_unit_test_setup_teardown(units_with_descriptors_of_their_own_share_components,
                                        support_setup, support_teardown),
        cmocka_unit_test_setup_teardown(worlds_number_components_independently, support_setup,
                                        support_teardown),
        cmocka_unit_test_setup_teardown(units_that_describe_a_name_differently_conflict,
                                        support_setup, support_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
