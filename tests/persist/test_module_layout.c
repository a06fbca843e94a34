/* Modules: components whose layout is another one after a reload. */
#include "module_fixture.h"

/* The host's own, beside which fish are kept. */
STOA_COMPONENT(Host, { int32_t n; });
STOA_COMPONENT_WITH(Marked, STOA_OPTIONS(.flags = STOA_ROW_TICKS | STOA_SWITCHABLE),
                    { int32_t n; });

/* Gives the world so many more fish, in several archetypes; every third has a Host beside. */
static void fish_add(const fixture *f, int count) {
    stoa_component fish = stoa_component_find(f->world, "Fish");
    for (int i = 0; i < count; i++) {
        stoa_entity e = stoa_create(f->world);
        float value[2] = {(float)i, (float)-i};
        assert_ok(stoa_set_id(f->world, e, fish, value, sizeof value));
        if (i % 3 == 0) {
            assert_ok(stoa_set(f->world, e, Host, {i}));
        }
        if (i % 5 == 0) {
            assert_ok(stoa_set(f->world, e, Marked, {i * 2}));
            assert_ok(stoa_enable(f->world, e, Marked, i % 2 == 0));
        }
    }
}

/* HOT-01 */
static void members_are_carried_over_by_name(void **state) {
    (void)state;
    fixture f;
    fixture_open(&f);
    stoa_module *module = module_load(&f, "pond_1", NULL);
    assert_ok(module_become(&f, module, "pond_3"));
    assert_int_equal(stoa_count(f.world), 3);
    for (int i = 0; i < 3; i++) {
        assert_true(number_of(f.world, i, "Fish", "x") == i);
        assert_true(number_of(f.world, i, "Fish", "depth") == 7);
        assert_true(number_of(f.world, i, "Fish", "age") == 3);
        assert_true(number_of(f.world, i, "Fish", "z") == 9);
    }
    assert_ok(stoa_check(f.world));
    assert_ok(stoa_app_step(f.app, 1));
    assert_true(number_of(f.world, 1, "Fish", "x") == 101);
    assert_int_equal(host_step, 3);
    fixture_close(&f);
}

/* HOT-01 */
static void many_rows_keep_handles_order_ticks_and_switches(void **state) {
    (void)state;
    fixture f;
    enum { COUNT = 20000 };
    static stoa_entity order[COUNT + 3];
    fixture_open(&f);
    stoa_module *module = module_load(&f, "pond_1", &(stoa_module_desc){.scene = STOA_SCENE_NEVER});
    fish_add(&f, COUNT);
    uint32_t before = stoa_tick(f.world);
    stoa_tick_advance(f.world);
    stoa_query *all = stoa_query_parse(f.world, "const Fish");
    int n = 0;
    for (stoa_iter it = stoa_query_iter(all); stoa_iter_next(&it);) {
        for (int32_t i = 0; i < it.count; i++) {
            order[n++] = it.entities[i];
        }
    }
    assert_int_equal(n, COUNT);
    assert_ok(module_become(&f, module, "pond_3"));
    assert_ok(stoa_check(f.world));
    n = 0;
    for (stoa_iter it = stoa_query_iter(all); stoa_iter_next(&it);) {
        for (int32_t i = 0; i < it.count; i++) {
            assert_true(stoa_entity_eq(order[n++], it.entities[i]));
        }
    }
    assert_int_equal(n, COUNT);
    stoa_component fish = stoa_component_find(f.world, "Fish");
    for (int i = 0; i < COUNT; i++) {
        stoa_entity e = {(uint32_t)i + 1, 1};
        assert_true(*(const double *)stoa_get_id(f.world, e, fish) == i);
        assert_int_equal(stoa_has(f.world, e, Host), i % 3 == 0);
        assert_true(i % 3 != 0 || stoa_get(f.world, e, Host)->n == i);
        assert_true(i % 5 != 0 || stoa_get(f.world, e, Marked)->n == i * 2);
        assert_int_equal(stoa_enabled(f.world, e, Marked), i % 5 == 0 && i % 2 == 0);
    }
    stoa_query *changed = stoa_query_parse(f.world, "changed Fish");
    assert_int_equal(stoa_query_iter_since(changed, before).count, 0);
    stoa_iter it = stoa_query_iter_since(changed, before);
    assert_false(stoa_iter_next(&it));
    fixture_close(&f);
}

/* HOT-01 */
static void resources_and_queued_events_are_carried_over(void **state) {
    (void)state;
    fixture f;
    fixture_open(&f);
    stoa_module *module = module_load(&f, "pond_1", NULL);
    stoa_component wave = stoa_component_find(f.world, "Wave");
    stoa_reader *reader = stoa_reader_new_id(f.world, wave);
    for (int32_t i = 0; i < 20; i++) {
        assert_ok(stoa_event_send_id(f.world, STOA_NULL, wave, &i, sizeof i));
    }
    stoa_event event;
    assert_true(stoa_event_read(reader, &event));
    assert_ok(module_become(&f, module, "pond_3"));
    assert_int_equal(*(const int64_t *)stoa_resource_id(f.world, wave), 5);
    for (int64_t i = 1; i < 20; i++) {
        assert_true(stoa_event_read(reader, &event));
        assert_int_equal(*(const int64_t *)event.data, i);
        assert_int_equal(((const int64_t *)event.data)[1], 0);
    }
    assert_false(stoa_event_read(reader, &event));
    fixture_close(&f);
}

/* HOT-01 */
static void layouts_change_forth_and_back(void **state) {
    (void)state;
    fixture f;
    fixture_open(&f);
    stoa_module *module = module_load(&f, "pond_1", NULL);
    fish_add(&f, 300);
    uint64_t hash = stoa_hash(f.world);
    for (int i = 0; i < 3; i++) {
        assert_ok(module_become(&f, module, "pond_3"));
        assert_true(stoa_hash(f.world) != hash);
        assert_true(number_of(f.world, 2, "Fish", "x") == 2);
        /* `depth` is not known to be `y` in this direction. */
        assert_ok(module_become(&f, module, "pond_1"));
        assert_true(number_of(f.world, 2, "Fish", "x") == 2);
        assert_true(number_of(f.world, 2, "Fish", "y") == 0);
    }
    fixture_close(&f);
}

/* HOT-01 */
static void structs_inside_of_others_change_in_any_order(void **state) {
    (void)state;
    fixture f;
    fixture_open(&f);
    stoa_module *module = module_load(&f, "shell_1", NULL);
    assert_ok(stoa_app_step(f.app, 1));
    assert_int_equal(host_hook, 1);
    assert_int_equal(host_step, 1);
    assert_int_equal(host_veto, 1);
    assert_int_equal(host_listener, 1);
    int32_t queries = stoa_stats(f.world).queries;
    assert_ok(module_become(&f, module, "shell_2"));
    assert_int_equal(stoa_stats(f.world).queries, queries);
    stoa_component shell = stoa_component_find(f.world, "Shell");
    stoa_component_info info;
    assert_ok(stoa_component_info_get(f.world, shell, &info));
    assert_int_equal(info.size, 24);
    const double *value = stoa_get_id(f.world, stoa_entity_next(f.world, STOA_NULL), shell);
    assert_true(value[0] == 2 && value[1] == 1);
    assert_int_equal(*(const int32_t *)(value + 2), 5);
    host_hook = 0;
    assert_ok(stoa_app_step(f.app, 1));
    assert_int_equal(host_hook, 1);
    /* Nothing was written since the last runs of the system and of its query. */
    assert_int_equal(host_step, 1);
    assert_int_equal(host_veto, 0);
    assert_int_equal(host_listener, 2);
    fixture_close(&f);
}

/* HOT-01 */
static void values_that_own_memory_go_through_their_functions(void **state) {
    (void)state;
    fixture f;
    fixture_open(&f);
    stoa_module *module = module_load(&f, "reed_1", NULL);
    assert_int_equal(host_setup, 1);
    assert_ok(module_become(&f, module, "reed_2"));
    assert_int_equal(host_setup, 2);
    assert_int_equal(host_drop, 4);
    for (int i = 0; i < 4; i++) {
        assert_true(number_of(f.world, i, "Reed", "number") == i * 10);
    }
    assert_ok(stoa_destroy(f.world, stoa_entity_next(f.world, STOA_NULL)));
    assert_int_equal(host_drop, 104);
    assert_ok(stoa_add_named(f.world, stoa_create(f.world), "Reed"));
    assert_int_equal(host_hook, 2);
    fixture_close(&f);
    assert_int_equal(host_drop, 504);
}

/* HOT-01, SNP-08 */
static void frames_let_values_go_by_the_old_functions(void **state) {
    (void)state;
    fixture f;
    fixture_open(&f);
    stoa_module *module = module_load(&f, "reed_1", NULL);
    stoa_frames *frames = stoa_frames_new(f.world, 4);
    stoa_status status = stoa_frames_save(frames);
    assert_true(status == STOA_OK || status == STOA_NOT_COPYABLE);
    assert_ok(module_become(&f, module, "reed_2"));
    assert_int_equal(stoa_frames_count(frames), 0);
    assert_ok(stoa_module_unload(module));
    stoa_frames_free(frames);
    fixture_close(&f);
}

/* HOT-01 */
static void same_layout_hands_values_over_to_the_new_functions(void **state) {
    (void)state;
    fixture f;
    fixture_open(&f);
    stoa_module *module = module_load(&f, "reed_1", NULL);
    assert_ok(module_become(&f, module, "reed_1"));
    assert_int_equal(host_drop, 0);
    assert_ok(stoa_destroy(f.world, stoa_entity_next(f.world, STOA_NULL)));
    assert_int_equal(host_drop, 1);
    assert_ok(stoa_module_unload(module));
    /* The code that frees them goes, so they do. */
    assert_int_equal(host_drop, 4);
    assert_int_equal(stoa_count(f.world), 3);
    assert_true(stoa_has_named(f.world, stoa_entity_next(f.world, STOA_NULL), "Reed"));
    module = module_load(&f, "reed_1", &(stoa_module_desc){.scene = STOA_SCENE_NEVER});
    assert_non_null(module);
    assert_int_equal(stoa_count(f.world), 3);
    fixture_close(&f);
    assert_int_equal(host_drop, 7);
}

static void notice_count(const stoa_notice *notice, void *user) {
    assert_non_null(notice->text);
    ++*(int *)user;
}

/* HOT-01 */
static void loss_is_refused_or_clamped_as_told(void **state) {
    (void)state;
    fixture f;
    int notices = 0;
    fixture_open(&f);
    stoa_module *module = module_load(&f, "pond_1", NULL);
    fish_add(&f, 300);
    uint64_t hash = stoa_hash(f.world);
    assert_int_equal(module_become(&f, module, "pond_narrow"), STOA_REFUSED);
    assert_non_null(strstr(stoa_module_error(module), "Fish"));
    assert_true(stoa_hash(f.world) == hash);
    assert_int_equal(stoa_module_version(module), 1);
    assert_ok(stoa_module_unload(module));
    module = module_load(&f, "pond_1",
                         &(stoa_module_desc){.scene = STOA_SCENE_NEVER,
                                             .loss = STOA_LOSS_CLAMP,
                                             .notice = notice_count,
                                             .user = &notices});
    assert_ok(module_become(&f, module, "pond_narrow"));
    assert_true(number_of(f.world, 302, "Fish", "x") == 255);
    assert_true(number_of(f.world, 2, "Fish", "x") == 2);
    assert_true(notices > 0);
    fixture_close(&f);
}

/* HOT-01 */
static void what_cannot_change_while_the_world_lives_is_refused(void **state) {
    (void)state;
    static const char *const names[] = {"'Fish' is a tag", "'Hungry' is a tag", "'Wave' is sparse",
                                        "'Host'"};
    fixture f;
    fixture_open(&f);
    stoa_module *module = module_load(&f, "pond_1", NULL);
    fish_add(&f, 10);
    uint64_t hash = stoa_hash(f.world);
    for (host_fail = 1; host_fail <= 4; host_fail++) {
        stoa_status status = module_become(&f, module, "pond_tag");
        assert_int_equal(status, host_fail == 4 ? STOA_CONFLICT : STOA_REFUSED);
        assert_non_null(strstr(stoa_module_error(module), names[host_fail - 1]));
        assert_true(stoa_hash(f.world) == hash);
        assert_ok(stoa_check(f.world));
    }
    assert_ok(stoa_app_step(f.app, 1));
    assert_int_equal(host_step, 1);
    fixture_close(&f);
}

/* HOT-01 */
static void layout_belongs_to_the_module_that_named_it_first(void **state) {
    (void)state;
    fixture f;
    char other[128];
    fixture_open(&f);
    snprintf(other, sizeof other, "%s/thief.so", f.folder);
    file_put("thief", other);
    stoa_module *module = module_load(&f, "pond_1", NULL);
    uint64_t hash = stoa_hash(f.world);
    assert_null(stoa_module_load(f.app, other, NULL));
    assert_int_equal(stoa_last_error().status, STOA_CONFLICT);
    support_assert_message("'Fish'");
    assert_true(hash == stoa_hash(f.world));
    /* What its module left behind anybody may take. */
    assert_ok(stoa_module_unload(module));
    assert_non_null(stoa_module_load(f.app, other, NULL));
    unlink(other);
    fixture_close(&f);
}

/* HOT-01, IDX-01, PRE-01 */
static void what_stands_on_the_layout_follows(void **state) {
    (void)state;
    fixture f;
    fixture_open(&f);
    stoa_module *module = module_load(&f, "pond_1", NULL);
    fish_add(&f, 300);
    stoa_component fish = stoa_component_find(f.world, "Fish");
    stoa_index *x = stoa_index_new(f.world, &(stoa_index_desc){.component = fish, .field = "x"});
    stoa_index *y = stoa_index_new(f.world, &(stoa_index_desc){.component = fish, .field = "y"});
    stoa_prefab *prefab = stoa_prefab_new(f.world, &(stoa_prefab_desc){.name = "trout"});
    assert_ok(stoa_prefab_set_id(prefab, fish, (const float[]){5, 6}, 2 * sizeof(float)));
    assert_ok(module_become(&f, module, "pond_2"));
    assert_int_equal(stoa_index_count(x, STOA_KEY(float, 200)), 1);
    assert_ok(module_become(&f, module, "pond_3"));
    assert_int_equal(stoa_index_count(x, STOA_KEY(double, 200)), 1);
    assert_int_equal(stoa_index_count(y, STOA_KEY(float, -200)), 1);
    stoa_entity e = stoa_prefab_instantiate(prefab);
    assert_int_equal(stoa_index_count(y, STOA_KEY(float, 6)), 1);
    assert_true(stoa_entity_eq(stoa_index_first(y, STOA_KEY(float, 6)), e));
    const struct {
        double x;
        int32_t age;
        float depth, z;
    } *value = stoa_get_id(f.world, e, fish);
    assert_true(value->x == 5 && value->age == 3 && value->depth == 6 && value->z == 9);
    fixture_close(&f);
}

/* HOT-01, IDX-01, PRE-01 */
static void what_cannot_follow_refuses_the_layout(void **state) {
    (void)state;
    fixture f;
    fixture_open(&f);
    stoa_module *module = module_load(&f, "pond_1", NULL);
    stoa_component fish = stoa_component_find(f.world, "Fish");
    stoa_prefab *prefab = stoa_prefab_new(f.world, &(stoa_prefab_desc){.name = "whale"});
    assert_ok(stoa_prefab_set_id(prefab, fish, (const float[]){5000, 6}, 2 * sizeof(float)));
    uint64_t hash = stoa_hash(f.world);
    /* A value that does not fit. */
    assert_int_equal(module_become(&f, module, "pond_narrow"), STOA_REFUSED);
    assert_non_null(strstr(stoa_module_error(module), "Fish"));
    assert_true(*(const float *)stoa_prefab_get_id(prefab, fish) == 5000);
    assert_ok(stoa_prefab_free(prefab));
    assert_ok(module_become(&f, module, "pond_narrow"));
    assert_ok(module_become(&f, module, "pond_1"));
    stoa_index *y = stoa_index_new(f.world, &(stoa_index_desc){.component = fish, .field = "y"});
    hash = stoa_hash(f.world);
    assert_ok(module_become(&f, module, "pond_3"));
    stoa_index_info info;
    assert_ok(stoa_index_info_get(y, &info));
    assert_string_equal(info.field, "depth");
    hash = stoa_hash(f.world);
    /* No member of the first version is called so. */
    assert_int_equal(module_become(&f, module, "pond_1"), STOA_REFUSED);
    assert_non_null(strstr(stoa_module_error(module), "'Fish.y'"));
    assert_non_null(strstr(stoa_module_error(module), "'depth'"));
    assert_true(hash == stoa_hash(f.world));
    assert_ok(stoa_check(f.world));
    assert_ok(stoa_app_step(f.app, 1));
    assert_int_equal(host_step, 3);
    fixture_close(&f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(members_are_carried_over_by_name),
        cmocka_unit_test(many_rows_keep_handles_order_ticks_and_switches),
        cmocka_unit_test(resources_and_queued_events_are_carried_over),
        cmocka_unit_test(layouts_change_forth_and_back),
        cmocka_unit_test(structs_inside_of_others_change_in_any_order),
        cmocka_unit_test(values_that_own_memory_go_through_their_functions),
        cmocka_unit_test(frames_let_values_go_by_the_old_functions),
        cmocka_unit_test(same_layout_hands_values_over_to_the_new_functions),
        cmocka_unit_test(loss_is_refused_or_clamped_as_told),
        cmocka_unit_test(what_cannot_change_while_the_world_lives_is_refused),
        cmocka_unit_test(layout_belongs_to_the_module_that_named_it_first),
        cmocka_unit_test(what_stands_on_the_layout_follows),
        cmocka_unit_test(what_cannot_follow_refuses_the_layout),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
