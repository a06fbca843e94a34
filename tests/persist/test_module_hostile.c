/* Modules: files that are none, versions that fail, calls at the wrong time. */
#include "module_fixture.h"

STOA_COMPONENT(Stranger, { int32_t n; });

/* Writes bytes as the file of the module. */
static void bytes_write(const fixture *f, const void *bytes, size_t size) {
    FILE *out = fopen(f->path, "wb");
    assert_non_null(out);
    assert_int_equal(fwrite(bytes, 1, size, out), size);
    assert_int_equal(fclose(out), 0);
}

static size_t bytes_read(const char *name, char *bytes, size_t room) {
    char path[512];
    snprintf(path, sizeof path, "%s/%s.so", MODULES, name);
    FILE *in = fopen(path, "rb");
    assert_non_null(in);
    size_t size = fread(bytes, 1, room, in);
    assert_true(size < room);
    fclose(in);
    return size;
}

/* A reload must fail and change nothing: neither the world nor what runs. */
static void reload_must_fail(fixture *f, stoa_module *module, stoa_status status) {
    uint64_t hash = stoa_hash(f->world);
    int32_t components = stoa_component_count(f->world);
    uint32_t version = stoa_module_version(module);
    stoa_status got = stoa_module_reload(module);
    assert_int_equal(got, status);
    assert_string_equal(stoa_module_error(module), stoa_last_error().message);
    assert_true(stoa_module_error(module)[0] != '\0');
    assert_int_equal(stoa_last_error().status, status);
    assert_true(hash == stoa_hash(f->world));
    assert_int_equal(components, stoa_component_count(f->world));
    assert_int_equal(version, stoa_module_version(module));
    assert_ok(stoa_check(f->world));
    host_step = 0;
    assert_ok(stoa_app_step(f->app, 1));
    assert_int_equal(host_step, 1);
}

/* HOT-01 */
static void broken_files_leave_the_old_version_running(void **state) {
    (void)state;
    fixture f;
    static char bytes[4000000];
    fixture_open(&f);
    stoa_module *module = module_load(&f, "pond_1", NULL);
    bytes_write(&f, "", 0);
    reload_must_fail(&f, module, STOA_IO);
    bytes_write(&f, "int main(void) {}\n", 18);
    reload_must_fail(&f, module, STOA_IO);
    size_t size = bytes_read("pond_2", bytes, sizeof bytes);
    for (size_t cut = 1; cut < size; cut += 1 + cut / 3) {
        bytes_write(&f, bytes, cut);
        reload_must_fail(&f, module, STOA_IO);
    }
    bytes_write(&f, bytes, size - 1);
    reload_must_fail(&f, module, STOA_IO);
    unlink(f.path);
    reload_must_fail(&f, module, STOA_IO);
    assert_int_equal(mkdir(f.path, 0700), 0);
    reload_must_fail(&f, module, STOA_IO);
    rmdir(f.path);
    module_write(&f, "pond_2");
    assert_ok(stoa_module_reload(module));
    fixture_close(&f);
}

/* HOT-01 */
static void broken_files_are_not_loaded(void **state) {
    (void)state;
    static const char *const names[] = {"bare", "other_abi", "other_layout", "nameless"};
    static const stoa_status statuses[] = {STOA_IO, STOA_REFUSED, STOA_REFUSED, STOA_INVALID};
    fixture f;
    fixture_open(&f);
    assert_null(stoa_module_load(f.app, f.path, NULL));
    assert_int_equal(stoa_last_error().status, STOA_IO);
    for (size_t i = 0; i < 4; i++) {
        module_write(&f, names[i]);
        assert_null(stoa_module_load(f.app, f.path, NULL));
        assert_int_equal(stoa_last_error().status, statuses[i]);
        assert_null(stoa_module_next(f.app, NULL));
    }
    assert_int_equal(host_fail, -1);
    fixture_close(&f);
}

/* HOT-01 */
static void foreign_versions_leave_the_old_one_running(void **state) {
    (void)state;
    fixture f;
    fixture_open(&f);
    stoa_module *module = module_load(&f, "pond_1", NULL);
    module_write(&f, "bare");
    reload_must_fail(&f, module, STOA_IO);
    support_assert_message("stoa_module_main");
    module_write(&f, "other_abi");
    reload_must_fail(&f, module, STOA_REFUSED);
    support_assert_message("another version");
    module_write(&f, "other_layout");
    reload_must_fail(&f, module, STOA_REFUSED);
    module_write(&f, "reed_1");
    reload_must_fail(&f, module, STOA_CONFLICT);
    support_assert_message("'reed'");
    assert_int_equal(host_fail, -1);
    fixture_close(&f);
}

static stoa_status nothing_run(stoa_job *job, stoa_iter *it) {
    (void)job, (void)it;
    return STOA_OK;
}

/* HOT-01 */
static void version_that_fails_halfway_is_taken_back(void **state) {
    (void)state;
    static const stoa_status statuses[] = {STOA_REFUSED, STOA_LIMIT, STOA_CONFLICT, STOA_REFUSED,
                                           STOA_NULL_ARGUMENT};
    fixture f;
    fixture_open(&f);
    stoa_module *module = module_load(&f, "pond_1", NULL);
    stoa_system own =
        stoa_system_new(f.app, &(stoa_system_desc){.name = "host_system", .run = nothing_run});
    assert_int_not_equal(own.id, 0);
    module_write(&f, "pond_fails");
    for (host_fail = 1; host_fail <= 5; host_fail++) {
        reload_must_fail(&f, module, statuses[host_fail - 1]);
        assert_int_equal(stoa_component_find(f.world, "Fresh"), 0);
        host_hook = 0;
        assert_ok(stoa_add_named(f.world, stoa_create(f.world), "Fish"));
        assert_int_equal(host_hook, 1);
        if (host_fail == 5) {
            support_assert_misuse(&f.support, STOA_NULL_ARGUMENT, STOA_NULL_ARGUMENT);
        }
    }
    assert_int_equal(host_setup, 99);
    /* Nothing of it is left that the next one could stumble over. */
    host_fail = 0;
    assert_ok(stoa_module_reload(module));
    assert_ok(stoa_app_step(f.app, 1));
    assert_int_equal(host_step, 99);
    fixture_close(&f);
}

/* HOT-01 */
static void load_that_fails_halfway_is_taken_back(void **state) {
    (void)state;
    fixture f;
    fixture_open(&f);
    stoa_system_new(f.app, &(stoa_system_desc){.name = "host_system", .run = nothing_run});
    uint64_t hash = stoa_hash(f.world);
    int32_t components = stoa_component_count(f.world);
    module_write(&f, "pond_fails");
    for (host_fail = 1; host_fail <= 4; host_fail++) {
        assert_null(stoa_module_load(f.app, f.path, NULL));
        assert_int_equal(components, stoa_component_count(f.world));
        assert_true(hash == stoa_hash(f.world));
        assert_ok(stoa_check(f.world));
        assert_int_equal(stoa_system_find(f.app, "swim").id, 0);
    }
    fixture_close(&f);
}

/* HOT-02 */
static void scene_that_fails_takes_its_entities_along(void **state) {
    (void)state;
    fixture f;
    fixture_open(&f);
    stoa_entity first = stoa_create(f.world), second = stoa_create(f.world);
    assert_ok(stoa_destroy(f.world, first));
    module_write(&f, "scene_fails");
    host_fail = 1;
    assert_null(stoa_module_load(f.app, f.path, NULL));
    assert_int_equal(stoa_last_error().status, STOA_LIMIT);
    support_assert_message("no more stones");
    host_fail = 2;
    assert_null(stoa_module_load(f.app, f.path, NULL));
    assert_int_equal(stoa_last_error().status, STOA_REFUSED);
    assert_int_equal(stoa_count(f.world), 1);
    assert_true(stoa_alive(f.world, second));
    assert_null(stoa_module_next(f.app, NULL));
    fixture_close(&f);
}

/* HOT-01 */
static void everything_that_leads_into_the_old_code_is_found(void **state) {
    (void)state;
    fixture f;
    fixture_open(&f);
    stoa_module *module = module_load(&f, "sneaky", NULL);
    assert_int_equal(stoa_count(f.world), 1);
    assert_ok(stoa_app_step(f.app, 1));
    assert_int_equal(host_step, 1);
    assert_int_equal(stoa_count(f.world), 2);
    assert_int_equal(host_hook, 2);
    assert_ok(stoa_module_unload(module));
    host_step = host_hook = host_observer = host_listener = host_veto = 0;
    stoa_component eel = stoa_component_find(f.world, "Eel");
    stoa_prefab *prefab = stoa_prefab_find(f.world, "eel");
    assert_non_null(prefab);
    stoa_entity e = stoa_prefab_instantiate(prefab);
    assert_false(stoa_entity_is_null(e));
    int32_t length = 4;
    assert_int_equal(*(const int32_t *)stoa_get_id(f.world, e, eel), 9);
    assert_ok(stoa_event_send_id(f.world, STOA_NULL, eel, &length, sizeof length));
    assert_ok(stoa_commands_add_id(stoa_deferred(f.world), stoa_create(f.world), eel));
    assert_ok(stoa_flush(f.world));
    char text[100];
    stoa_describe(f.world, e, text, sizeof text);
    assert_ok(stoa_app_step(f.app, 1));
    assert_int_equal(host_step + host_hook + host_observer + host_listener + host_veto, 0);
    fixture_close(&f);
    assert_int_equal(host_fail, -1);
}

/* HOT-01 */
static void extension_of_a_module_keeps_it_loaded(void **state) {
    (void)state;
    fixture f;
    fixture_open(&f);
    stoa_module *module = module_load(&f, "leaves_extension", NULL);
    assert_int_equal(stoa_module_unload(module), STOA_REFUSED);
    support_assert_message("'left'");
    assert_int_equal(stoa_module_reload(module), STOA_REFUSED);
    assert_ptr_equal(stoa_module_next(f.app, NULL), module);
    /* The world is freed after the app, and calls the extension. */
    fixture_close(&f);
    assert_int_equal(host_drop, 1);
}

/* HOT-01 */
static void recorded_commands_must_be_flushed_before(void **state) {
    (void)state;
    fixture f;
    fixture_open(&f);
    stoa_module *module = module_load(&f, "pond_1", NULL);
    stoa_commands *commands = stoa_commands_new(f.world);
    stoa_entity e = stoa_commands_create(commands);
    (void)e;
    module_write(&f, "pond_2");
    assert_int_equal(stoa_module_reload(module), STOA_REFUSED);
    support_assert_message("commands");
    assert_int_equal(stoa_module_unload(module), STOA_REFUSED);
    assert_ok(stoa_commands_flush(commands));
    assert_ok(stoa_module_reload(module));
    assert_ok(stoa_commands_free(commands));
    fixture_close(&f);
}

static stoa_module *reloaded_inside;
static stoa_status status_inside;

static stoa_status reload_run(stoa_job *job, stoa_iter *it) {
    (void)job, (void)it;
    status_inside = stoa_module_reload(reloaded_inside);
    if (status_inside == STOA_LOCKED) {
        status_inside = stoa_module_unload(reloaded_inside);
    }
    return STOA_OK;
}

/* HOT-01 */
static void nothing_is_reloaded_while_the_app_steps(void **state) {
    (void)state;
    fixture f;
    fixture_open(&f);
    reloaded_inside = module_load(&f, "pond_1", NULL);
    stoa_system_new(f.app, &(stoa_system_desc){
                               .name = "reload", .run = reload_run, .rule = STOA_THREAD_EXCLUSIVE});
    assert_ok(stoa_app_step(f.app, 1));
    assert_int_equal(status_inside, STOA_LOCKED);
    f.support.asserts_seen = f.support.asserts;
    assert_ok(stoa_system_remove(f.app, stoa_system_find(f.app, "reload")));
    fixture_close(&f);
}

/* HOT-01 */
static void null_and_late_calls_are_refused(void **state) {
    (void)state;
    fixture f;
    fixture_open(&f);
    assert_null(stoa_module_load(NULL, f.path, NULL));
    assert_null(stoa_module_load(f.app, NULL, NULL));
    assert_int_equal(stoa_module_reload(NULL), STOA_NULL_ARGUMENT);
    assert_int_equal(stoa_module_poll(NULL, NULL), STOA_NULL_ARGUMENT);
    assert_int_equal(stoa_modules_poll(NULL, NULL), STOA_NULL_ARGUMENT);
    assert_int_equal(stoa_modules_scene(NULL), STOA_NULL_ARGUMENT);
    assert_ok(stoa_module_unload(NULL));
    assert_null(stoa_module_find(f.app, NULL));
    assert_null(stoa_module_find(NULL, "pond"));
    assert_null(stoa_module_name(NULL));
    assert_null(stoa_module_path(NULL));
    assert_null(stoa_module_app(NULL));
    assert_int_equal(stoa_module_version(NULL), 0);
    assert_string_equal(stoa_module_error(NULL), "");
    stoa_module *module = module_load(&f, "pond_1", NULL);
    assert_int_equal(stoa_module_component(module, Stranger), STOA_LOCKED);
    assert_int_equal(stoa_module_component(NULL, Stranger), STOA_NULL_ARGUMENT);
    assert_int_equal(stoa_module_type(module, NULL), STOA_NULL_ARGUMENT);
    assert_int_equal(stoa_module_hook(module, NULL), STOA_NULL_ARGUMENT);
    assert_int_equal(stoa_module_system_describe(module, NULL, NULL), STOA_NULL_ARGUMENT);
    assert_int_equal(stoa_module_query(module, NULL, NULL), STOA_NULL_ARGUMENT);
    assert_int_equal(stoa_module_stage(module, NULL, NULL), STOA_NULL_ARGUMENT);
    assert_int_equal(stoa_module_resource_type(module, STOA_TYPE_OF(Stranger), NULL),
                     STOA_NULL_ARGUMENT);
    f.support.asserts_seen = f.support.asserts;
    fixture_close(&f);
}

/* HOT-01 */
static void folder_that_cannot_be_written_is_told(void **state) {
    (void)state;
    fixture f;
    fixture_open(&f);
    module_write(&f, "pond_1");
    assert_null(stoa_module_load(f.app, f.path, &(stoa_module_desc){.folder = "/nowhere/at/all"}));
    assert_int_equal(stoa_last_error().status, STOA_IO);
    support_assert_message("/nowhere/at/all");
    fixture_close(&f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(broken_files_leave_the_old_version_running),
        cmocka_unit_test(broken_files_are_not_loaded),
        cmocka_unit_test(foreign_versions_leave_the_old_one_running),
        cmocka_unit_test(version_that_fails_halfway_is_taken_back),
        cmocka_unit_test(load_that_fails_halfway_is_taken_back),
        cmocka_unit_test(scene_that_fails_takes_its_entities_along),
        cmocka_unit_test(everything_that_leads_into_the_old_code_is_found),
        cmocka_unit_test(extension_of_a_module_keeps_it_loaded),
        cmocka_unit_test(recorded_commands_must_be_flushed_before),
        cmocka_unit_test(nothing_is_reloaded_while_the_app_steps),
        cmocka_unit_test(null_and_late_calls_are_refused),
        cmocka_unit_test(folder_that_cannot_be_written_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
