/* What extensions keep goes with the world: names, relations, and what a program adds. */
#include "persist/snapshot_fixture.h"

/* A list of entities that a program keeps for a world. */
typedef struct list {
    stoa_entity items[8];
    int32_t count;
    int resets;
    stoa_status load_status; /* what loading comes to */
    bool silent;             /* saves nothing */
} list;

static void list_free(stoa_world *world, void *data) {
    (void)world;
    (void)data;
}

static void list_reset(stoa_world *world, void *data) {
    (void)world;
    ((list *)data)->count = 0;
    ((list *)data)->resets++;
}

static stoa_status list_save(const stoa_world *world, const void *data, const stoa_sink *sink) {
    (void)world;
    const list *l = data;
    if (l->silent) {
        return STOA_OK;
    }
    uint8_t count = (uint8_t)l->count;
    stoa_status status = stoa_sink_write(sink, &count, 1);
    for (int32_t i = 0; i < l->count && status == STOA_OK; i++) {
        status = stoa_sink_write(sink, &l->items[i], sizeof l->items[i]);
    }
    return status;
}

static stoa_status list_load(stoa_world *world, void *data, const void *bytes, size_t size) {
    list *l = data;
    if (l->load_status != STOA_OK) {
        return l->load_status;
    }
    if (size == 0) {
        l->count = -1;
        return STOA_OK;
    }
    const uint8_t *at = bytes;
    if (at[0] > 8 || size != 1 + (size_t)at[0] * sizeof(stoa_entity)) {
        return stoa_fail(STOA_CORRUPT, "the list is damaged");
    }
    memcpy(l->items, at + 1, size - 1);
    for (int32_t i = 0; i < at[0]; i++) {
        /* The entities are there. */
        if (!stoa_alive(world, l->items[i]) || !stoa_has(world, l->items[i], Position)) {
            return stoa_fail(STOA_CORRUPT, "the list has a dead entity");
        }
    }
    l->count = at[0];
    return STOA_OK;
}

static uint64_t list_version(const stoa_world *world, const void *data) {
    (void)world;
    return (uint64_t)((const list *)data)->count;
}

static void list_give(stoa_world *w, list *l, const char *name) {
    assert_int_equal(stoa_extend(w, &(stoa_extension){.name = name,
                                                      .data = l,
                                                      .free = list_free,
                                                      .reset = list_reset,
                                                      .save = list_save,
                                                      .load = list_load,
                                                      .version = list_version}),
                     STOA_OK);
}

/* SNP-01 */
static void extension_takes_back_what_it_saved(void **state) {
    pair *p = *state;
    list lists[2] = {{.count = 0}, {.count = 0}};
    list others[2] = {{.count = 0}, {.silent = true}};
    /* Given in another order, they are saved in the same. */
    list_give(p->from.world, &lists[0], "test.list");
    list_give(p->from.world, &others[0], "test.a");
    list_give(p->to.world, &others[1], "test.a");
    list_give(p->to.world, &lists[1], "test.list");
    for (int i = 0; i < 3; i++) {
        lists[0].items[lists[0].count++] =
            stoa_create_with(p->from.world, STOA_VALUE(Position, {1, 2}));
    }
    stoa_id(p->to.world, Position);
    pair_save(p, NULL);
    stoa_snapshot_info info;
    stoa_snapshot_verify(p->blob.data, p->blob.size, &info);
    assert_int_equal(info.extension_count, 2);
    others[1].silent = false;
    pair_load(p, NULL);
    assert_int_equal(lists[1].count, 3);
    assert_memory_equal(lists[0].items, lists[1].items, sizeof lists[0].items[0] * 3);
    assert_int_equal(lists[1].resets, 1);
    /* One that writes nothing has no section, and is only reset. */
    lists[0].silent = true;
    pair_save(p, NULL);
    stoa_snapshot_verify(p->blob.data, p->blob.size, &info);
    assert_int_equal(info.extension_count, 1);
}

/* SNP-01: an extension that the snapshot knows nothing of makes do with the entities. */
static void extension_without_section_is_asked_too(void **state) {
    pair *p = *state;
    list l = {.count = 3};
    list_give(p->to.world, &l, "test.list");
    pair_save(p, NULL);
    assert_int_equal(stoa_snapshot_load_memory(p->to.world, NULL, p->blob.data, p->blob.size),
                     STOA_OK);
    assert_int_equal(l.count, -1);
    l.count = 0;
}

/* SNP-01: relations that the world which saved did not have are made of the components. */
static void relation_of_the_loading_world_is_filled(void **state) {
    pair *p = *state;
    static const stoa_component_desc likes = {
        .name = "Likes", .fields = "{ stoa_entity whom; }", .flags = STOA_IMMUTABLE};
    stoa_component ids[2] = {stoa_component_register(p->from.world, &likes),
                             stoa_component_register(p->to.world, &likes)};
    stoa_entity a = stoa_create(p->from.world);
    stoa_entity b = stoa_create(p->from.world);
    stoa_set_id(p->from.world, a, ids[0], &b, sizeof b);
    stoa_relation relation =
        stoa_relation_new(p->to.world, &(stoa_relation_desc){.component = ids[1]});
    assert_true(relation.id != 0);
    pair_save(p, NULL);
    assert_int_equal(stoa_snapshot_load_memory(p->to.world, NULL, p->blob.data, p->blob.size),
                     STOA_OK);
    assert_int_equal(stoa_check(p->to.world), STOA_OK);
    stoa_links links = stoa_relation_sources(p->to.world, relation, b);
    assert_int_equal(links.count, 1);
    assert_true(stoa_entity_eq(links.items[0], a));
}

/* SNP-01: what can be worked out anew is not saved. */
static void transforms_are_worked_out_anew(void **state) {
    pair *p = *state;
    stoa_world *w = p->from.world;
    stoa_entity root = stoa_create_with(
        w, STOA_VALUE(LocalTransform, {stoa_mat4_translation(1, 2, 3)}), STOA_ZERO(WorldTransform));
    stoa_entity child =
        stoa_create_with(w, STOA_VALUE(LocalTransform, {stoa_mat4_translation(10, 0, 0)}),
                         STOA_ZERO(WorldTransform));
    stoa_set_parent(w, child, root);
    assert_int_equal(stoa_propagate_transforms(w), STOA_OK);
    pair_save(p, NULL);
    stoa_snapshot_info info;
    stoa_snapshot_verify(p->blob.data, p->blob.size, &info);
    assert_int_equal(info.extension_count, 1);
    pair_load(p, NULL);
    stoa_set(p->to.world, root, LocalTransform, {stoa_mat4_translation(5, 2, 3)});
    assert_int_equal(stoa_propagate_transforms(p->to.world), STOA_OK);
    assert_true(stoa_get(p->to.world, child, WorldTransform)->matrix.m[12] == 15);
}

/* GEN-03 SNP-05 */
static void extension_that_fails_leaves_the_world_as_it_was(void **state) {
    pair *p = *state;
    stoa_world *w = p->to.world;
    list lists[2] = {{.count = 0}, {.count = 0}};
    list_give(p->from.world, &lists[0], "test.list");
    list_give(w, &lists[1], "test.list");
    world_fill(p->from.world, 20);
    lists[0].items[lists[0].count++] =
        stoa_create_with(p->from.world, STOA_VALUE(Position, {1, 2}));
    types_register(w, true);
    stoa_resource_set(w, Settings, {5, 5});
    for (int i = 0; i < 10; i++) {
        stoa_create_with(w, STOA_VALUE(Lamp, {1}), STOA_VALUE(Velocity, {1, 1}));
    }
    stoa_entity e = stoa_entity_next(w, STOA_NULL);
    for (; !stoa_entity_is_null(e); e = stoa_entity_next(w, e)) {
        stoa_destroy(w, e);
    }
    uint64_t hash = stoa_hash(w);
    uint32_t tick = stoa_tick(w);
    int32_t archetypes = stoa_archetype_count(w);
    pair_save(p, &(stoa_snapshot_save_desc){.ticks = true});
    static const stoa_status statuses[] = {STOA_CORRUPT, STOA_NO_MEMORY, STOA_REFUSED};
    for (int i = 0; i < 3; i++) {
        lists[1].load_status = statuses[i];
        assert_int_equal(stoa_snapshot_load_memory(w, NULL, p->blob.data, p->blob.size),
                         statuses[i]);
        support_assert_message("test.list");
        assert_int_equal(stoa_check(w), STOA_OK);
        assert_int_equal(stoa_count(w), 0);
        assert_true(stoa_hash(w) == hash);
        assert_int_equal(stoa_tick(w), tick);
        assert_int_equal(stoa_archetype_count(w), archetypes);
        assert_int_equal(stoa_resource(w, Settings)->level, 5);
        assert_int_equal(lists[1].count, 0);
    }
    lists[1].load_status = STOA_OK;
    assert_int_equal(stoa_snapshot_load_memory(w, NULL, p->blob.data, p->blob.size), STOA_OK);
    worlds_assert_equal(p->from.world, w);
}

static stoa_status list_save_badly(const stoa_world *world, const void *data,
                                   const stoa_sink *sink) {
    (void)world;
    (void)data;
    (void)sink;
    return STOA_FAILED;
}

/* SNP-01 */
static void extension_that_cannot_save_is_named(void **state) {
    pair *p = *state;
    list l = {.count = 0};
    assert_int_equal(stoa_extend(p->from.world, &(stoa_extension){.name = "test.bad",
                                                                  .data = &l,
                                                                  .free = list_free,
                                                                  .reset = list_reset,
                                                                  .save = list_save_badly,
                                                                  .load = list_load,
                                                                  .version = list_version}),
                     STOA_OK);
    assert_int_equal(stoa_snapshot_save_memory(p->from.world, NULL, &p->blob), STOA_FAILED);
    support_assert_message("test.bad");
    assert_int_equal(p->blob.size, 0);
}

/* SNP-01: a world that never met a name loads them. */
static void names_come_back(void **state) {
    pair *p = *state;
    stoa_world *w = p->from.world;
    stoa_entity e[50];
    for (int i = 0; i < 50; i++) {
        char name[32];
        snprintf(name, sizeof name, "entity %d", i * 7 % 50);
        e[i] = stoa_create(w);
        assert_int_equal(stoa_name_set(w, e[i], name), STOA_OK);
    }
    for (int i = 0; i < 50; i += 4) {
        stoa_destroy(w, e[i]);
    }
    pair_save(p, NULL);
    pair_load(p, NULL);
    for (int i = 0; i < 50; i++) {
        char name[32];
        snprintf(name, sizeof name, "entity %d", i * 7 % 50);
        stoa_entity found = stoa_find(p->to.world, name);
        assert_true(stoa_entity_eq(found, i % 4 == 0 ? STOA_NULL : e[i]));
        if (i % 4 != 0) {
            assert_string_equal(stoa_name(p->to.world, e[i]), name);
        }
    }
    /* They are kept as names are: unique, and free once they are given up. */
    assert_int_equal(stoa_name_set(p->to.world, e[1], "entity 14"), STOA_TAKEN);
    assert_int_equal(stoa_destroy(p->to.world, e[2]), STOA_OK);
    assert_int_equal(stoa_name_set(p->to.world, e[1], "entity 14"), STOA_OK);
}

/* SNP-01: children in their order, which a second save shows. */
static void hierarchy_comes_back(void **state) {
    pair *p = *state;
    stoa_world *w = p->from.world;
    stoa_entity e[40];
    for (int i = 0; i < 40; i++) {
        e[i] = stoa_create_with(w, STOA_VALUE(Position, {(float)i, 0}));
        if (i > 0) {
            assert_int_equal(stoa_set_parent(w, e[i], e[(i - 1) / 5]), STOA_OK);
        }
    }
    /* The last child takes the place of one that goes. */
    stoa_remove_parent(w, e[2]);
    stoa_set_parent(w, e[2], e[0]);
    stoa_destroy(w, e[12]);
    stoa_id(p->to.world, Position);
    pair_save(p, NULL);
    pair_load(p, NULL);
    for (int i = 0; i < 40; i++) {
        stoa_links a = stoa_children(w, e[i]);
        stoa_links b = stoa_children(p->to.world, e[i]);
        assert_int_equal(a.count, b.count);
        if (a.count > 0) {
            assert_memory_equal(a.items, b.items, (size_t)a.count * sizeof *a.items);
        }
        assert_true(stoa_entity_eq(stoa_parent(w, e[i]), stoa_parent(p->to.world, e[i])));
    }
    assert_int_equal(stoa_set_parent(p->to.world, e[0], e[39]), STOA_CYCLE);
    assert_int_equal(stoa_destroy_recursive(p->to.world, e[0]), STOA_OK);
    assert_int_equal(stoa_count(p->to.world), 0);
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, pair_setup, pair_teardown)
    const struct CMUnitTest tests[] = {
        TEST(extension_takes_back_what_it_saved),
        TEST(extension_without_section_is_asked_too),
        TEST(relation_of_the_loading_world_is_filled),
        TEST(transforms_are_worked_out_anew),
        TEST(extension_that_fails_leaves_the_world_as_it_was),
        TEST(extension_that_cannot_save_is_named),
        TEST(names_come_back),
        TEST(hierarchy_comes_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
