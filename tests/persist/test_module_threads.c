/* Modules: reloading between frames that run on several threads. */
#include "module_fixture.h"

/* HOT-01 */
static void frames_on_threads_go_on_with_the_new_version(void **state) {
    (void)state;
    static const char *const names[] = {"pond_2", "pond_3", "pond_1"};
    static const int steps[] = {2, 3, 1};
    fixture f;
    fixture_open_with(&f, &(stoa_app_desc){.threads = 3, .eager = true});
    stoa_module *module = module_load(&f, "pond_1", NULL);
    stoa_component fish = stoa_component_find(f.world, "Fish");
    for (int i = 0; i < 5000; i++) {
        assert_ok(stoa_add_id(f.world, stoa_create(f.world), fish));
    }
    double x = 0;
    static const int paces[] = {10, 100, 1};
    for (int i = 0; i < 12; i++) {
        assert_ok(module_become(&f, module, names[i % 3]));
        assert_ok(stoa_app_step(f.app, 1));
        assert_ok(stoa_app_step(f.app, 1));
        x += 2 * paces[i % 3];
        assert_int_equal(host_step, steps[i % 3]);
        assert_true(number_of(f.world, 4000, "Fish", "x") == x);
    }
    fixture_close(&f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(frames_on_threads_go_on_with_the_new_version),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
