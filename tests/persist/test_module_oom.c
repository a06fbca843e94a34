/* Modules: lack of memory at every point, and a thousand reloads. */
#include "module_fixture.h"

STOA_COMPONENT(Host, { int32_t n; });

/* What of the process grows if something is left behind. */
typedef struct footprint {
    size_t bytes;
    size_t blocks;
    int files;
    int maps;
} footprint;

static footprint footprint_now(const fixture *f) {
    footprint now = {f->support.heap.bytes, f->support.heap.blocks, folder_count("/proc/self/fd"),
                     0};
    char line[512];
    FILE *maps = fopen("/proc/self/maps", "r");
    assert_non_null(maps);
    while (fgets(line, sizeof line, maps) != NULL) {
        now.maps += strstr(line, "stoa-module") != NULL;
    }
    fclose(maps);
    return now;
}

/* Reloads a module as another one, with allocation k failing, for every k, until none fails. */
static void reload_short(const char *first, const char *second, int entities) {
    fixture f;
    fixture_open(&f);
    stoa_module *module = module_load(&f, first, NULL);
    stoa_component fish = stoa_component_find(f.world, "Fish");
    for (int i = 0; i < entities; i++) {
        stoa_entity e = stoa_create_with(f.world, STOA_VALUE(Host, {i}));
        assert_ok(stoa_add_id(f.world, e, fish));
    }
    stoa_index *index =
        stoa_index_new(f.world, &(stoa_index_desc){.component = fish, .field = "x"});
    stoa_prefab *prefab = stoa_prefab_new(f.world, NULL);
    assert_ok(stoa_prefab_set_id(prefab, fish, (const float[]){5, 6}, 2 * sizeof(float)));
    assert_ok(stoa_app_step(f.app, 1));
    module_write(&f, second);
    uint64_t hash = stoa_hash(f.world);
    int32_t components = stoa_component_count(f.world);
    size_t k = 0;
    stoa_status status;
    do {
        f.support.heap.fail_at = ++k;
        status = stoa_module_reload(module);
        bool reached = f.support.heap.fail_at == 0;
        f.support.heap.fail_at = 0;
        assert_true(k < 2000);
        if (status != STOA_OK) {
            assert_true(reached);
            assert_int_equal(status, STOA_NO_MEMORY);
            assert_true(stoa_module_error(module)[0] != '\0');
            assert_int_equal(stoa_module_version(module), 1);
            assert_true(hash == stoa_hash(f.world));
            assert_int_equal(components, stoa_component_count(f.world));
            assert_ok(stoa_check(f.world));
        } else if (reached) {
            /* It was memory that it can do without. */
            assert_int_equal(stoa_module_version(module), 2);
        }
    } while (status != STOA_OK);
    assert_true(k > 5);
    assert_ok(stoa_check(f.world));
    assert_true(stoa_has_id(f.world, stoa_prefab_instantiate(prefab), fish));
    stoa_index_info info;
    assert_ok(stoa_index_info_get(index, &info));
    assert_int_equal(info.count, entities + 4);
    assert_ok(stoa_app_step(f.app, 1));
    fixture_close(&f);
}

/* HOT-01 */
static void reload_survives_lack_of_memory(void **state) {
    (void)state;
    reload_short("pond_1", "pond_2", 50);
}

/* HOT-01 */
static void reload_with_another_layout_survives_lack_of_memory(void **state) {
    (void)state;
    reload_short("pond_1", "pond_3", 3000);
}

/* HOT-01 */
static void failed_reloads_leave_the_old_version_running(void **state) {
    (void)state;
    fixture f;
    fixture_open(&f);
    stoa_module *module = module_load(&f, "reed_1", NULL);
    module_write(&f, "reed_2");
    size_t k = 0;
    while (true) {
        f.support.heap.fail_at = ++k;
        stoa_status status = stoa_module_reload(module);
        f.support.heap.fail_at = 0;
        if (status == STOA_OK) {
            break;
        }
        host_hook = 0;
        assert_ok(stoa_add_named(f.world, stoa_create(f.world), "Reed"));
        assert_int_equal(host_hook, 1);
        /* A zeroed reed has no leaf to be saved. */
        assert_ok(stoa_clear(f.world, (stoa_entity){(uint32_t)(4 + k), 1}));
        assert_int_equal(host_drop % 100, (int)k % 100);
        host_drop = (int)k;
    }
    assert_true(k > 5);
    fixture_close(&f);
}

/* HOT-01 */
static void value_that_cannot_be_loaded_takes_all_back(void **state) {
    (void)state;
    fixture f;
    fixture_open(&f);
    stoa_module *module = module_load(&f, "reed_1", NULL);
    for (host_fail = 0; host_fail < 4; host_fail++) {
        assert_int_equal(module_become(&f, module, "reed_2"), STOA_REFUSED);
        assert_int_equal(host_drop, 0);
        assert_ok(stoa_check(f.world));
    }
    fixture_close(&f);
    assert_int_equal(host_drop, 4);
}

/* HOT-01 */
static void load_survives_lack_of_memory(void **state) {
    (void)state;
    fixture f;
    fixture_open(&f);
    module_write(&f, "shell_1");
    stoa_module *module = NULL;
    uint64_t hash = stoa_hash(f.world);
    int32_t components = stoa_component_count(f.world);
    size_t k = 0, whole = 0;
    while (module == NULL) {
        f.support.heap.fail_at = ++k;
        module = stoa_module_load(f.app, f.path, NULL);
        f.support.heap.fail_at = 0;
        assert_true(k < 2000);
        if (module == NULL) {
            assert_int_equal(stoa_last_error().status, STOA_NO_MEMORY);
            assert_int_equal(stoa_count(f.world), 0);
            assert_null(stoa_module_next(f.app, NULL));
            assert_ok(stoa_check(f.world));
        }
        if (module == NULL && stoa_component_count(f.world) == components) {
            assert_true(hash == stoa_hash(f.world));
            whole++;
        }
    }
    assert_true(k > 10);
    /* Once the scene is built the types stay: only what comes before is taken back wholly. */
    assert_true(whole > 10 && whole + 12 > k);
    assert_ok(stoa_app_step(f.app, 1));
    fixture_close(&f);
}

/* HOT-01 */
static void thousand_reloads_leave_nothing_behind(void **state) {
    (void)state;
    static const char *const names[] = {"pond_1", "pond_2", "pond_1", "pond_3"};
    fixture f;
    footprint before = {0, 0, 0, 0};
    char paths[4][160];
    fixture_open(&f);
    for (int i = 0; i < 4; i++) {
        snprintf(paths[i], sizeof paths[i], "%s/%d.so", f.folder, i);
        file_put(names[i], paths[i]);
    }
    stoa_module *module = module_load(&f, "pond_1", NULL);
    for (int i = 0; i < 1000; i++) {
        unlink(f.path);
        assert_int_equal(link(paths[(i + 1) % 4], f.path), 0);
        assert_ok(stoa_module_reload(module));
        /* With the version whose one system stays: a debug build keeps a little of those that ran
         * and went. */
        if (i % 8 == 2) {
            assert_ok(stoa_app_step(f.app, 1));
        }
        if (i == 26) {
            before = footprint_now(&f);
        }
        if (i % 8 == 2 && i > 26) {
            footprint now = footprint_now(&f);
            assert_int_equal(now.bytes, before.bytes);
            assert_int_equal(now.blocks, before.blocks);
            assert_int_equal(now.files, before.files);
            assert_int_equal(now.maps, before.maps);
        }
    }
    assert_int_equal(stoa_module_version(module), 1001);
    assert_int_equal(stoa_count(f.world), 3);
    assert_ok(stoa_module_unload(module));
    assert_int_equal(footprint_now(&f).maps, 0);
    for (int i = 0; i < 4; i++) {
        unlink(paths[i]);
    }
    fixture_close(&f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reload_survives_lack_of_memory),
        cmocka_unit_test(reload_with_another_layout_survives_lack_of_memory),
        cmocka_unit_test(failed_reloads_leave_the_old_version_running),
        cmocka_unit_test(value_that_cannot_be_loaded_takes_all_back),
        cmocka_unit_test(load_survives_lack_of_memory),
        cmocka_unit_test(thousand_reloads_leave_nothing_behind),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
