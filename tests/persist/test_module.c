/* Modules: loading, reloading with the same layout, unloading. */
#include "module_fixture.h"

/* The systems of an app in order, as text. */
static const char *systems_text(const stoa_app *app, char *text, size_t size) {
    text[0] = '\0';
    for (stoa_system s = stoa_system_next(app, (stoa_system){0}); s.id != 0;
         s = stoa_system_next(app, s)) {
        stoa_system_info info;
        assert_int_equal(stoa_system_info_get(app, s, &info), STOA_OK);
        strncat(text, info.name, size - strlen(text) - 2);
        strcat(text, " ");
    }
    return text;
}

/* HOT-01 */
static void module_brings_components_systems_and_scene(void **state) {
    (void)state;
    fixture f;
    char text[200];
    fixture_open(&f);
    stoa_module *module = module_load(&f, "pond_1", NULL);
    assert_string_equal(stoa_module_name(module), "pond");
    assert_string_equal(stoa_module_path(module), f.path);
    assert_int_equal(stoa_module_version(module), 1);
    assert_string_equal(stoa_module_error(module), "");
    assert_ptr_equal(stoa_module_app(module), f.app);
    assert_ptr_equal(stoa_module_find(f.app, "pond"), module);
    assert_ptr_equal(stoa_module_next(f.app, NULL), module);
    assert_null(stoa_module_next(f.app, module));
    assert_int_equal(stoa_count(f.world), 3);
    assert_int_equal(host_hook, 1);
    assert_int_equal(host_veto, 1);
    assert_string_equal(systems_text(f.app, text, sizeof text), "swim sleep ");
    assert_ok(stoa_app_step(f.app, 1));
    assert_int_equal(host_step, 1);
    assert_true(number_of(f.world, 2, "Fish", "x") == 3);
    assert_int_not_equal(stoa_resource_find(f.world, "Wave"), 0);
    fixture_close(&f);
    assert_int_equal(host_unload, 1);
}

/* HOT-01 */
static void reload_with_the_same_layout_keeps_the_hash(void **state) {
    (void)state;
    fixture f;
    fixture_open(&f);
    stoa_module *module = module_load(&f, "pond_1", NULL);
    assert_ok(stoa_app_step(f.app, 1));
    uint64_t hash = stoa_hash(f.world);
    assert_ok(module_become(&f, module, "pond_2"));
    assert_int_equal(stoa_module_version(module), 2);
    assert_true(hash == stoa_hash(f.world));
    assert_int_equal(stoa_count(f.world), 3);
    assert_int_equal(host_unload, 1);
    assert_ok(stoa_check(f.world));
    assert_ok(stoa_app_step(f.app, 1));
    assert_int_equal(host_step, 2);
    assert_true(number_of(f.world, 0, "Fish", "x") == 11);
    fixture_close(&f);
}

/* HOT-01 */
static void systems_are_replaced_in_their_places(void **state) {
    (void)state;
    fixture f;
    char text[200];
    fixture_open(&f);
    stoa_module *module = module_load(&f, "pond_1", NULL);
    stoa_system swim = stoa_system_find(f.app, "swim");
    assert_ok(stoa_app_step(f.app, 1));
    assert_ok(stoa_app_step(f.app, 1));
    stoa_system_info before, after;
    assert_ok(stoa_system_info_get(f.app, swim, &before));
    assert_ok(module_become(&f, module, "pond_2"));
    assert_string_equal(systems_text(f.app, text, sizeof text), "swim eat ");
    assert_int_equal(stoa_system_find(f.app, "swim").id, swim.id);
    assert_ok(stoa_system_info_get(f.app, swim, &after));
    assert_int_equal(after.last_run, before.last_run);
    assert_int_equal(after.runs, 2);
    assert_int_equal(stoa_system_find(f.app, "sleep").id, 0);
    fixture_close(&f);
}

/* HOT-01 */
static void system_that_is_switched_off_stays_off(void **state) {
    (void)state;
    fixture f;
    fixture_open(&f);
    stoa_module *module = module_load(&f, "pond_1", NULL);
    assert_ok(stoa_system_enable_name(f.app, "swim", false));
    assert_ok(module_become(&f, module, "pond_2"));
    assert_ok(stoa_app_step(f.app, 1));
    assert_int_equal(host_step, 0);
    fixture_close(&f);
}

/* HOT-01 */
static void functions_of_the_old_version_are_never_called_again(void **state) {
    (void)state;
    fixture f;
    fixture_open(&f);
    stoa_module *module = module_load(&f, "pond_1", NULL);
    assert_ok(module_become(&f, module, "pond_2"));
    host_hook = host_veto = host_observer = host_listener = 0;
    stoa_entity e = stoa_create(f.world);
    stoa_component fish = stoa_component_find(f.world, "Fish");
    float value[2] = {1, 2};
    assert_ok(stoa_set_id(f.world, e, fish, value, sizeof value));
    assert_ok(stoa_add_named(f.world, e, "Hungry"));
    int32_t height = 3;
    stoa_component wave = stoa_component_find(f.world, "Wave");
    assert_ok(stoa_event_send_id(f.world, STOA_NULL, wave, &height, sizeof height));
    assert_ok(stoa_app_step(f.app, 1));
    assert_int_equal(host_hook, 2);
    assert_int_equal(host_veto, 2);
    assert_int_equal(host_observer, 2);
    assert_int_equal(host_listener, 2);
    assert_int_equal(host_step, 2);
    /* One that is the host's is there once. */
    assert_ok(stoa_destroy(f.world, e));
    assert_int_equal(host_drop, 1);
    fixture_close(&f);
}

/* HOT-01 */
static void unload_leaves_plain_data_and_nothing_else(void **state) {
    (void)state;
    fixture f;
    fixture_open(&f);
    stoa_module *module = module_load(&f, "pond_1", NULL);
    uint64_t hash = stoa_hash(f.world);
    host_hook = host_veto = host_observer = host_listener = 0;
    assert_ok(stoa_module_unload(module));
    assert_int_equal(host_unload, 1);
    assert_null(stoa_module_find(f.app, "pond"));
    assert_int_equal(stoa_system_next(f.app, (stoa_system){0}).id, 0);
    assert_true(hash == stoa_hash(f.world));
    stoa_entity e = stoa_create(f.world);
    assert_ok(stoa_add_named(f.world, e, "Fish"));
    assert_ok(stoa_add_named(f.world, e, "Hungry"));
    assert_ok(stoa_app_step(f.app, 1));
    assert_int_equal(host_hook + host_veto + host_observer + host_listener + host_step, 0);
    fixture_close(&f);
}

/* HOT-01 */
static void module_finds_the_data_of_its_former_life(void **state) {
    (void)state;
    fixture f;
    fixture_open(&f);
    stoa_module *module = module_load(&f, "pond_1", NULL);
    assert_ok(stoa_module_unload(module));
    module = module_load(&f, "pond_3", NULL);
    assert_int_equal(stoa_count(f.world), 3);
    assert_true(number_of(f.world, 2, "Fish", "x") == 2);
    assert_true(number_of(f.world, 2, "Fish", "depth") == 7);
    assert_ok(stoa_app_step(f.app, 1));
    assert_true(number_of(f.world, 2, "Fish", "x") == 102);
    fixture_close(&f);
}

/* HOT-01 */
static void modules_of_one_app_are_apart(void **state) {
    (void)state;
    fixture f;
    fixture_open(&f);
    char other[128];
    snprintf(other, sizeof other, "%s/reed.so", f.folder);
    file_put("reed_1", other);
    stoa_module *pond = module_load(&f, "pond_1", NULL);
    stoa_module *reed = stoa_module_load(f.app, other, NULL);
    assert_non_null(reed);
    assert_int_equal(stoa_count(f.world), 7);
    assert_ptr_equal(stoa_module_next(f.app, pond), reed);
    assert_ok(module_become(&f, pond, "pond_2"));
    host_hook = 0;
    stoa_entity e = stoa_create(f.world);
    assert_ok(stoa_add_named(f.world, e, "Reed"));
    assert_int_equal(host_hook, 1);
    assert_ok(stoa_module_unload(pond));
    assert_ptr_equal(stoa_module_next(f.app, NULL), reed);
    assert_ok(stoa_app_step(f.app, 1));
    unlink(other);
    fixture_close(&f);
    assert_int_equal(host_drop, 5);
}

/* HOT-01 */
static void name_that_is_taken_is_refused(void **state) {
    (void)state;
    fixture f;
    fixture_open(&f);
    stoa_module *module = module_load(&f, "pond_1", NULL);
    assert_null(stoa_module_load(f.app, f.path, NULL));
    assert_int_equal(stoa_last_error().status, STOA_TAKEN);
    support_assert_message("'pond'");
    assert_ptr_equal(stoa_module_next(f.app, NULL), module);
    assert_int_equal(stoa_count(f.world), 3);
    assert_ok(stoa_app_step(f.app, 1));
    fixture_close(&f);
}

/* HOT-01 */
static void poll_reloads_what_was_found_the_same_twice(void **state) {
    (void)state;
    fixture f;
    bool reloaded = true;
    int32_t count = -1;
    fixture_open(&f);
    stoa_module *module = module_load(&f, "pond_1", NULL);
    assert_ok(stoa_module_poll(module, &reloaded));
    assert_false(reloaded);
    module_write(&f, "pond_2");
    assert_ok(stoa_module_poll(module, &reloaded));
    assert_false(reloaded);
    assert_ok(stoa_modules_poll(f.app, &count));
    assert_int_equal(count, 1);
    assert_int_equal(stoa_module_version(module), 2);
    for (int i = 0; i < 3; i++) {
        assert_ok(stoa_module_poll(module, &reloaded));
        assert_false(reloaded);
    }
    fixture_close(&f);
}

/* HOT-01 */
static void poll_waits_while_the_file_is_gone_or_changes(void **state) {
    (void)state;
    fixture f;
    bool reloaded = true;
    fixture_open(&f);
    stoa_module *module = module_load(&f, "pond_1", NULL);
    unlink(f.path);
    assert_ok(stoa_module_poll(module, &reloaded));
    assert_false(reloaded);
    module_write(&f, "pond_2");
    assert_ok(stoa_module_poll(module, &reloaded));
    assert_false(reloaded);
    module_write(&f, "pond_3");
    assert_ok(stoa_module_poll(module, &reloaded));
    assert_false(reloaded);
    assert_ok(stoa_module_poll(module, &reloaded));
    assert_true(reloaded);
    assert_ok(stoa_app_step(f.app, 1));
    assert_int_equal(host_step, 3);
    fixture_close(&f);
}

/* HOT-01 */
static void poll_tries_a_bad_file_once(void **state) {
    (void)state;
    fixture f;
    bool reloaded = true;
    fixture_open(&f);
    stoa_module *module = module_load(&f, "pond_1", NULL);
    module_write(&f, "bare");
    assert_ok(stoa_module_poll(module, &reloaded));
    assert_int_equal(stoa_module_poll(module, &reloaded), STOA_IO);
    assert_false(reloaded);
    assert_ok(stoa_module_poll(module, &reloaded));
    assert_ok(stoa_module_poll(module, &reloaded));
    module_write(&f, "pond_2");
    assert_ok(stoa_module_poll(module, &reloaded));
    assert_ok(stoa_module_poll(module, &reloaded));
    assert_true(reloaded);
    assert_string_equal(stoa_module_error(module), "");
    fixture_close(&f);
}

/* HOT-02 */
static void scene_is_kept_built_anew_or_left_out(void **state) {
    (void)state;
    fixture f;
    fixture_open(&f);
    stoa_module *module = module_load(&f, "pond_1", &(stoa_module_desc){.scene = STOA_SCENE_ANEW});
    assert_int_equal(stoa_count(f.world), 3);
    assert_false(stoa_entity_is_null(stoa_create(f.world)));
    assert_ok(stoa_app_step(f.app, 1));
    assert_ok(module_become(&f, module, "pond_2"));
    assert_int_equal(stoa_count(f.world), 3);
    assert_true(number_of(f.world, 0, "Fish", "y") == 7);
    assert_ok(stoa_module_unload(module));
    assert_int_equal(stoa_count(f.world), 3);
    module = module_load(&f, "pond_1", &(stoa_module_desc){.scene = STOA_SCENE_NEVER});
    assert_int_equal(stoa_count(f.world), 3);
    assert_ok(stoa_modules_scene(f.app));
    assert_int_equal(stoa_count(f.world), 0);
    fixture_close(&f);
}

/* HOT-01 */
static void private_copy_stays_in_a_folder_that_is_given(void **state) {
    (void)state;
    fixture f;
    fixture_open(&f);
    stoa_module *module = module_load(&f, "pond_1", &(stoa_module_desc){.folder = f.folder});
    assert_int_equal(folder_count(f.folder), 2);
    assert_ok(module_become(&f, module, "pond_2"));
    assert_int_equal(folder_count(f.folder), 2);
    unlink(f.path);
    assert_ok(stoa_app_step(f.app, 1));
    assert_ok(stoa_module_unload(module));
    assert_int_equal(folder_count(f.folder), 0);
    fixture_close(&f);
}

/* HOT-01 */
static void private_copy_has_no_name_otherwise(void **state) {
    (void)state;
    fixture f;
    fixture_open(&f);
    const char *before = getenv("TMPDIR");
    assert_int_equal(setenv("TMPDIR", f.folder, 1), 0);
    stoa_module *module = module_load(&f, "pond_1", NULL);
    assert_int_equal(folder_count(f.folder), 1);
    assert_ok(stoa_module_unload(module));
    assert_int_equal(before != NULL ? setenv("TMPDIR", before, 1) : unsetenv("TMPDIR"), 0);
    fixture_close(&f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(module_brings_components_systems_and_scene),
        cmocka_unit_test(reload_with_the_same_layout_keeps_the_hash),
        cmocka_unit_test(systems_are_replaced_in_their_places),
        cmocka_unit_test(system_that_is_switched_off_stays_off),
        cmocka_unit_test(functions_of_the_old_version_are_never_called_again),
        cmocka_unit_test(unload_leaves_plain_data_and_nothing_else),
        cmocka_unit_test(module_finds_the_data_of_its_former_life),
        cmocka_unit_test(modules_of_one_app_are_apart),
        cmocka_unit_test(name_that_is_taken_is_refused),
        cmocka_unit_test(poll_reloads_what_was_found_the_same_twice),
        cmocka_unit_test(poll_waits_while_the_file_is_gone_or_changes),
        cmocka_unit_test(poll_tries_a_bad_file_once),
        cmocka_unit_test(scene_is_kept_built_anew_or_left_out),
        cmocka_unit_test(private_copy_stays_in_a_folder_that_is_given),
        cmocka_unit_test(private_copy_has_no_name_otherwise),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
