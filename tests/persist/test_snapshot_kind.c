/* Snapshots of components that are kept another way where they are loaded: sparse or as columns,
 * with switches or without, as tags or with members. */
#include "persist/snapshot.h"
#include "persist/snapshot_fixture.h"

/* One set of descriptions, and the same names with everything the other way. */
STOA_COMPONENT_WITH(Heat0, STOA_OPTIONS(.name = "Heat"), {
    int32_t degrees;
    stoa_entity by;
});
STOA_COMPONENT_WITH(Heat1, STOA_OPTIONS(.name = "Heat", .flags = STOA_SPARSE), {
    stoa_entity by;
    int64_t since, degrees;
});
STOA_COMPONENT_WITH(Glow0, STOA_OPTIONS(.name = "Glow", .flags = STOA_SPARSE | STOA_SWITCHABLE),
                    { int16_t n; });
STOA_COMPONENT_WITH(Glow1, STOA_OPTIONS(.name = "Glow", .flags = STOA_SWITCHABLE | STOA_ROW_TICKS),
                    { int32_t n; });
STOA_COMPONENT_WITH(Beam0, STOA_OPTIONS(.name = "Beam", .flags = STOA_SWITCHABLE), { int16_t n; });
STOA_COMPONENT_WITH(Beam1, STOA_OPTIONS(.name = "Beam", .flags = STOA_SPARSE | STOA_SWITCHABLE),
                    { int16_t n; });
STOA_TAG_WITH(Seen0, STOA_OPTIONS(.name = "Seen", .flags = STOA_SPARSE));
STOA_TAG_WITH(Seen1, STOA_OPTIONS(.name = "Seen"));
static const int32_t fed_defaults = 5;
static const stoa_persist fed_persist = {.defaults = &fed_defaults};
STOA_TAG_WITH(Fed0, STOA_OPTIONS(.name = "Fed"));
STOA_COMPONENT_WITH(Fed1,
                    STOA_OPTIONS(.name = "Fed", .flags = STOA_SPARSE, .persist = &fed_persist),
                    { int32_t times; });
/* A text that is a column in one world and sparse in the other. */
typedef Text Word0;
typedef Text Word1;
STOA_TYPE_WITH(Word0,
               STOA_OPTIONS(.name = "Word", .hooks = {.drop = text_drop}, .persist = &text_persist),
               {});
STOA_TYPE_WITH(Word1,
               STOA_OPTIONS(.name = "Word", .hooks = {.drop = text_drop}, .persist = &text_persist,
                            .flags = STOA_SPARSE),
               {});
typedef Text Line0;
typedef Text Line1;
STOA_TYPE_WITH(Line0,
               STOA_OPTIONS(.name = "Line", .hooks = {.drop = text_drop}, .persist = &text_persist,
                            .flags = STOA_SPARSE),
               {});
STOA_TYPE_WITH(Line1,
               STOA_OPTIONS(.name = "Line", .hooks = {.drop = text_drop}, .persist = &text_persist),
               {});

static stoa_type *const types[2][7] = {
    {STOA_TYPE_OF(Heat0), STOA_TYPE_OF(Glow0), STOA_TYPE_OF(Beam0), STOA_TYPE_OF(Seen0),
     STOA_TYPE_OF(Fed0), STOA_TYPE_OF(Word0), STOA_TYPE_OF(Line0)},
    {STOA_TYPE_OF(Heat1), STOA_TYPE_OF(Glow1), STOA_TYPE_OF(Beam1), STOA_TYPE_OF(Seen1),
     STOA_TYPE_OF(Fed1), STOA_TYPE_OF(Word1), STOA_TYPE_OF(Line1)},
};

enum { COUNT = 600 };

static stoa_entity entities[COUNT];

static void sides_register(stoa_world *w, int side) {
    stoa_id(w, Position);
    for (int i = 0; i < 7; i++) {
        assert_int_not_equal(stoa_type_register(w, types[side][i]), 0);
    }
}

static void text_set(stoa_world *w, stoa_entity e, stoa_type *type, int n) {
    char letters[16];
    snprintf(letters, sizeof letters, "%d", n);
    Text text = text_make(letters);
    assert_int_equal(stoa_set_id(w, e, stoa_type_find(w, type), &text, sizeof text), STOA_OK);
}

/* Fills a world of the first set; every entity has some, some have nothing else. */
static void sides_fill(stoa_world *w, int count) {
    sides_register(w, 0);
    for (int i = 0; i < count; i++) {
        stoa_tick_advance(w);
        entities[i] = stoa_create(w);
        if (i % 2 == 0) {
            stoa_set(w, entities[i], Position, {(float)i, 1});
        }
        if (i % 3 == 0) {
            stoa_set(w, entities[i], Heat0, {i, entities[i / 2]});
        }
        if (i % 4 == 0) {
            stoa_set(w, entities[i], Glow0, {(int16_t)i});
            stoa_enable(w, entities[i], Glow0, i % 8 == 0);
        }
        if (i % 5 == 0) {
            stoa_set(w, entities[i], Beam0, {(int16_t)-i});
            stoa_enable(w, entities[i], Beam0, i % 10 == 0);
        }
        if (i % 6 == 0) {
            stoa_add(w, entities[i], Seen0);
        }
        if (i % 7 == 0) {
            stoa_add(w, entities[i], Fed0);
        }
        if (i % 9 == 0) {
            text_set(w, entities[i], types[0][5], i);
        }
        if (i % 11 == 0) {
            text_set(w, entities[i], types[0][6], -i);
        }
    }
}

static int text_number(const stoa_world *w, stoa_entity e, const char *name) {
    const Text *text = stoa_get_id(w, e, stoa_component_find(w, name));
    return atoi(text->text);
}

static void sides_compare(stoa_world *w, int count, bool ticks) {
    assert_int_equal(stoa_check(w), STOA_OK);
    assert_int_equal(stoa_count(w), count);
    for (int i = 0; i < count; i++) {
        stoa_entity e = entities[i];
        assert_int_equal(stoa_has(w, e, Position), i % 2 == 0);
        assert_int_equal(stoa_has(w, e, Heat1), i % 3 == 0);
        assert_int_equal(stoa_has(w, e, Glow1), i % 4 == 0);
        assert_int_equal(stoa_has(w, e, Beam1), i % 5 == 0);
        assert_int_equal(stoa_has(w, e, Seen1), i % 6 == 0);
        assert_int_equal(stoa_has(w, e, Fed1), i % 7 == 0);
        assert_int_equal(stoa_has_named(w, e, "Word"), i % 9 == 0);
        assert_int_equal(stoa_has_named(w, e, "Line"), i % 11 == 0);
        assert_true(i % 2 != 0 || stoa_get(w, e, Position)->x == (float)i);
        if (i % 3 == 0) {
            assert_int_equal(stoa_get(w, e, Heat1)->degrees, i);
            assert_true(stoa_entity_eq(stoa_get(w, e, Heat1)->by, entities[i / 2]));
        }
        assert_true(i % 4 != 0 || stoa_get(w, e, Glow1)->n == i);
        assert_int_equal(stoa_enabled(w, e, Glow1), i % 8 == 0);
        assert_true(i % 5 != 0 || stoa_get(w, e, Beam1)->n == -i);
        assert_int_equal(stoa_enabled(w, e, Beam1), i % 10 == 0);
        assert_true(i % 7 != 0 || stoa_get(w, e, Fed1)->times == 5);
        assert_true(i % 9 != 0 || text_number(w, e, "Word") == i);
        assert_true(i % 11 != 0 || text_number(w, e, "Line") == -i);
        if (ticks && i % 4 == 0 && i > 0) {
            /* What was written is as old as it was. */
            uint32_t tick = (uint32_t)i;
            stoa_component glow = stoa_component_find(w, "Glow");
            assert_true(stoa_changed_id(w, e, glow, tick + 1));
            assert_false(stoa_changed_id(w, e, glow, tick + 2));
        }
        if (ticks && i % 3 == 0 && i > 0) {
            assert_true(stoa_changed_id(w, e, stoa_component_find(w, "Heat"), (uint32_t)i));
            assert_false(stoa_changed_id(w, e, stoa_component_find(w, "Heat"), COUNT + 2));
        }
    }
}

static int told[STOA_NOTICE_KEPT + 1];

static void notice_note(const stoa_notice *notice, void *user) {
    (void)user;
    assert_non_null(notice->text);
    assert_non_null(strstr(notice->text, notice->component));
    told[notice->kind] += notice->member == NULL;
}

/* Loads the pair's blob as a block, or as a stream. */
static stoa_status blob_load(const pair *p, stoa_world *w, bool stream) {
    const stoa_snapshot_load_desc desc = {.notice = notice_note};
    stoa_span span = {p->blob.data, p->blob.data + p->blob.size};
    const stoa_source source = stoa_span_source(&span);
    memset(told, 0, sizeof told);
    return stream ? stoa_snapshot_load(w, &desc, &source)
                  : stoa_snapshot_load_memory(w, &desc, p->blob.data, p->blob.size);
}

/* SNP-06 */
static void components_are_kept_as_the_world_keeps_them(void **state) {
    pair *p = *state;
    sides_fill(p->from.world, COUNT);
    uint64_t hashes[2];
    for (int ticks = 0; ticks < 2; ticks++) {
        pair_save(p, &(stoa_snapshot_save_desc){.ticks = ticks == 1});
        for (int stream = 0; stream < 2; stream++) {
            support_world s;
            support_world_open(&s);
            sides_register(s.world, 1);
            stoa_status status = blob_load(p, s.world, stream == 1);
            if (status != STOA_OK) {
                support_print_error();
            }
            assert_int_equal(status, STOA_OK);
            assert_int_equal(told[STOA_NOTICE_CONVERTED], 7);
            assert_int_equal(told[STOA_NOTICE_LOST], 0);
            sides_compare(s.world, COUNT, ticks == 1);
            hashes[stream] = stoa_hash(s.world);
            /* It is a world like any other. */
            assert_int_equal(stoa_destroy(s.world, entities[12]), STOA_OK);
            assert_int_equal(stoa_set(s.world, entities[1], Glow1, {3}), STOA_OK);
            support_world_close(&s);
        }
        assert_true(hashes[0] == hashes[1]);
    }
}

/* SNP-06 */
static void components_come_back_as_they_were(void **state) {
    pair *p = *state;
    sides_fill(p->from.world, COUNT);
    pair_save(p, NULL);
    sides_register(p->to.world, 1);
    assert_int_equal(blob_load(p, p->to.world, false), STOA_OK);
    p->blob.size = 0;
    assert_int_equal(stoa_snapshot_save_memory(p->to.world, NULL, &p->blob), STOA_OK);
    support_world s;
    support_world_open(&s);
    sides_register(s.world, 0);
    assert_int_equal(blob_load(p, s.world, false), STOA_OK);
    for (int i = 0; i < COUNT; i++) {
        stoa_entity e = entities[i];
        assert_int_equal(stoa_has(s.world, e, Heat0), i % 3 == 0);
        assert_true(i % 3 != 0 || stoa_get(s.world, e, Heat0)->degrees == i);
        assert_true(i % 4 != 0 || stoa_get(s.world, e, Glow0)->n == i);
        assert_int_equal(stoa_enabled(s.world, e, Glow0), i % 8 == 0);
        assert_int_equal(stoa_enabled(s.world, e, Beam0), i % 10 == 0);
        assert_int_equal(stoa_has(s.world, e, Fed0), i % 7 == 0);
        assert_true(i % 9 != 0 || text_number(s.world, e, "Word") == i);
    }
    support_world_close(&s);
}

/* SNP-06 */
static void switches_that_cannot_be_are_told_of(void **state) {
    static const uint32_t flags[] = {0, STOA_SPARSE, STOA_SWITCHABLE,
                                     STOA_SPARSE | STOA_SWITCHABLE};
    pair *p = *state;
    for (int i = 0; i < 300; i++) {
        entities[i] = stoa_create_with(p->from.world, STOA_VALUE(Beam0, {(int16_t)i}));
        stoa_set(p->from.world, entities[i], Glow0, {(int16_t)i});
        stoa_enable(p->from.world, entities[i], Beam0, i % 3 != 0);
        stoa_enable(p->from.world, entities[i], Glow0, i % 3 != 1);
    }
    pair_save(p, NULL);
    for (int i = 0; i < 4; i++) {
        bool can = (flags[i] & STOA_SWITCHABLE) != 0;
        support_world s;
        support_world_open(&s);
        stoa_component beam = stoa_component_register(
            s.world,
            &(stoa_component_desc){.name = "Beam", .fields = "{ int16_t n; }", .flags = flags[i]});
        stoa_component glow = stoa_component_register(
            s.world,
            &(stoa_component_desc){.name = "Glow", .fields = "{ int16_t n; }", .flags = flags[i]});
        assert_int_equal(blob_load(p, s.world, i % 2 == 0), STOA_OK);
        assert_int_equal(told[STOA_NOTICE_LOST], can ? 0 : 2);
        assert_int_equal(told[STOA_NOTICE_CONVERTED], 1);
        for (int k = 0; k < 300; k++) {
            assert_int_equal(*(const int16_t *)stoa_get_id(s.world, entities[k], beam), k);
            assert_int_equal(stoa_enabled_id(s.world, entities[k], beam), !can || k % 3 != 0);
            assert_int_equal(stoa_enabled_id(s.world, entities[k], glow), !can || k % 3 != 1);
        }
        support_world_close(&s);
    }
}

/* SNP-06 */
static void tag_gets_members_and_members_go(void **state) {
    pair *p = *state;
    stoa_component fed = stoa_component_register(
        p->to.world,
        &(stoa_component_desc){.name = "Fed", .fields = "{ int32_t a; }", .persist = &fed_persist});
    stoa_component heat =
        stoa_component_register(p->to.world, &(stoa_component_desc){.name = "Heat"});
    for (int i = 0; i < 50; i++) {
        entities[i] = stoa_create_with(p->from.world, STOA_VALUE(Heat0, {i, STOA_NULL}));
        stoa_add(p->from.world, entities[i], Fed0);
    }
    pair_save(p, NULL);
    assert_int_equal(blob_load(p, p->to.world, false), STOA_OK);
    for (int i = 0; i < 50; i++) {
        assert_int_equal(*(const int32_t *)stoa_get_id(p->to.world, entities[i], fed), 5);
        assert_true(stoa_has_id(p->to.world, entities[i], heat));
    }
}

/* SNP-05, SNP-06 */
static void lack_of_memory_leaves_the_world_as_it_was(void **state) {
    pair *p = *state;
    sides_fill(p->from.world, 60);
    pair_save(p, &(stoa_snapshot_save_desc){.ticks = true});
    sides_register(p->to.world, 1);
    int texts = text_count;
    uint64_t hash = stoa_hash(p->to.world);
    stoa_status status = STOA_NO_MEMORY;
    for (size_t k = 1; status != STOA_OK; k++) {
        p->to.heap.fail_at = k;
        status = blob_load(p, p->to.world, k % 2 == 0);
        bool reached = p->to.heap.fail_at == 0;
        p->to.heap.fail_at = 0;
        assert_true(k < 2000);
        if (status != STOA_OK) {
            assert_true(reached);
            assert_int_equal(status, STOA_NO_MEMORY);
            assert_int_equal(stoa_check(p->to.world), STOA_OK);
            assert_true(stoa_hash(p->to.world) == hash);
            assert_int_equal(text_count, texts);
        } else {
            assert_true(k > 50);
        }
    }
    sides_compare(p->to.world, 60, true);
}

/* Loads half of a text, or fails with the memory full of something. */
static int loads_left;

static stoa_status word_load(const stoa_source *source, void *items, int32_t count, void *user) {
    if (loads_left-- == 0) {
        memset(items, 0xA5, (size_t)count * sizeof(Text));
        return stoa_fail(STOA_REFUSED, "no more words");
    }
    return text_load(source, items, count, user);
}

/* SNP-05, SNP-06 */
static void value_that_cannot_be_loaded_leaves_nothing(void **state) {
    static const stoa_persist persist = {.save = text_save, .load = word_load};
    pair *p = *state;
    for (int i = 0; i < 20; i++) {
        entities[i] = stoa_create_with(p->from.world, STOA_VALUE(Position, {1, 2}));
        stoa_id(p->from.world, Word0);
        stoa_id(p->from.world, Line0);
        text_set(p->from.world, entities[i], types[0][5], i);
        text_set(p->from.world, entities[i], types[0][6], -i);
    }
    pair_save(p, NULL);
    stoa_id(p->to.world, Position);
    for (int i = 0; i < 2; i++) {
        stoa_component_desc desc = {.name = i == 0 ? "Word" : "Line",
                                    .size = sizeof(Text),
                                    .alignment = _Alignof(Text),
                                    .hooks = {.drop = text_drop},
                                    .persist = &persist,
                                    .flags = i == 0 ? STOA_SPARSE : 0};
        assert_int_not_equal(stoa_component_register(p->to.world, &desc), 0);
    }
    int texts = text_count;
    uint64_t hash = stoa_hash(p->to.world);
    for (int left = 0; left < 40; left++) {
        loads_left = left;
        assert_int_equal(blob_load(p, p->to.world, left % 2 == 0), STOA_REFUSED);
        assert_int_equal(text_count, texts);
        assert_true(stoa_hash(p->to.world) == hash);
        assert_int_equal(stoa_check(p->to.world), STOA_OK);
    }
    loads_left = 40;
    assert_int_equal(blob_load(p, p->to.world, false), STOA_OK);
    assert_int_equal(text_number(p->to.world, entities[7], "Word"), 7);
    assert_int_equal(text_number(p->to.world, entities[7], "Line"), -7);
}

/* Puts a number where it last stands for an entity of a list that begins so. */
static void entity_put(const pair *p, int place, stoa_entity e) {
    for (size_t at = p->blob.size - 4 * sizeof e; at > 0; at--) {
        if (memcmp(p->blob.data + at, entities, 4 * sizeof e) == 0) {
            memcpy(p->blob.data + at + (size_t)place * sizeof e, &e, sizeof e);
            return;
        }
    }
    fail_msg("no such list");
}

/* SNP-05, SNP-06 */
static void entity_that_does_not_fit_is_refused(void **state) {
    static const stoa_entity strange[] = {{1, 1}, {2, 1}, {0, 0}, {9, 1}, {3, 2}, {UINT32_MAX, 1}};
    pair *p = *state;
    for (int i = 0; i < 4; i++) {
        entities[i] = stoa_create(p->from.world);
        stoa_set(p->from.world, entities[i], Glow0, {(int16_t)i});
    }
    sides_register(p->to.world, 1);
    for (size_t i = 0; i < sizeof strange / sizeof *strange; i++) {
        pair_save(p, NULL);
        entity_put(p, 2, strange[i]);
        assert_int_equal(
            stoa__snapshot_load_bytes(p->to.world, NULL, p->blob.data, p->blob.size, false),
            STOA_CORRUPT);
        assert_int_equal(stoa_count(p->to.world), 0);
        assert_int_equal(stoa_check(p->to.world), STOA_OK);
        support_assert_quiet(&p->to);
    }
    pair_save(p, NULL);
    assert_int_equal(blob_load(p, p->to.world, false), STOA_OK);
}

/* SNP-05, SNP-06 */
static void damage_does_no_harm(void **state) {
    pair *p = *state;
    sides_fill(p->from.world, 30);
    pair_save(p, &(stoa_snapshot_save_desc){.ticks = true});
    int texts = text_count;
    support_random random = {.state = 11};
    uint8_t *copy = malloc(p->blob.size);
    sides_register(p->to.world, 1);
    for (int i = 0; i < 6000; i++) {
        stoa_world *w = p->to.world;
        memcpy(copy, p->blob.data, p->blob.size);
        for (uint32_t n = 1 + support_random_below(&random, 3); n > 0; n--) {
            copy[support_random_below(&random, (uint32_t)p->blob.size)] ^=
                (uint8_t)(1u << support_random_below(&random, 8));
        }
        uint64_t hash = stoa_hash(w);
        stoa_status status = stoa__snapshot_load_bytes(w, NULL, copy, p->blob.size, false);
        assert_int_equal(stoa_check(w), STOA_OK);
        support_assert_quiet(&p->to);
        if (status != STOA_OK) {
            assert_true(stoa_hash(w) == hash);
        } else {
            for (stoa_entity e = stoa_entity_next(w, STOA_NULL); !stoa_entity_is_null(e);
                 e = stoa_entity_next(w, e)) {
                stoa_destroy(w, e);
            }
        }
        assert_int_equal(text_count, texts);
    }
    free(copy);
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, pair_setup, pair_teardown)
    const struct CMUnitTest tests[] = {
        TEST(components_are_kept_as_the_world_keeps_them),
        TEST(components_come_back_as_they_were),
        TEST(switches_that_cannot_be_are_told_of),
        TEST(tag_gets_members_and_members_go),
        TEST(lack_of_memory_leaves_the_world_as_it_was),
        TEST(value_that_cannot_be_loaded_leaves_nothing),
        TEST(entity_that_does_not_fit_is_refused),
        TEST(damage_does_no_harm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
