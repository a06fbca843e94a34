/* History and extensions: asked only when something changed, left alone when nothing did, empty
 * when they fail; names, relations and indexes come right. */
#include "history_fixture.h"

/* An extension that keeps one number, and counts what it is asked. */
typedef struct counter {
    int32_t number;
    uint64_t version;
    int saves, loads, resets;
    bool fails;
} counter;

static void counter_free(stoa_world *world, void *data) {
    (void)world;
    (void)data;
}

static void counter_reset(stoa_world *world, void *data) {
    (void)world;
    counter *c = data;
    c->number = 0;
    c->version++;
    c->resets++;
}

static stoa_status counter_save(const stoa_world *world, const void *data, const stoa_sink *sink) {
    (void)world;
    counter *c = (counter *)(uintptr_t)data;
    c->saves++;
    return c->fails ? stoa_fail(STOA_NO_MEMORY, "told to fail")
                    : stoa_sink_write(sink, &c->number, sizeof c->number);
}

static stoa_status counter_load(stoa_world *world, void *data, const void *bytes, size_t size) {
    (void)world;
    counter *c = data;
    c->loads++;
    if (c->fails) {
        return stoa_fail(STOA_NO_MEMORY, "told to fail");
    }
    assert_int_equal(size, sizeof c->number);
    memcpy(&c->number, bytes, size);
    c->version++;
    return STOA_OK;
}

static uint64_t counter_version(const stoa_world *world, const void *data) {
    (void)world;
    return ((const counter *)data)->version;
}

typedef struct fixture {
    support_world s;
    stoa_world *w;
    stoa_history *h;
    counter c;
} fixture;

static void fixture_open(fixture *f) {
    memset(&f->c, 0, sizeof f->c);
    support_world_open(&f->s);
    f->w = f->s.world;
    f->h = stoa_history_new(f->w, NULL);
    stoa_extension extension = {.name = "counter",
                                .data = &f->c,
                                .free = counter_free,
                                .reset = counter_reset,
                                .save = counter_save,
                                .load = counter_load,
                                .version = counter_version};
    assert_int_equal(stoa_extend(f->w, &extension), STOA_OK);
}

static void fixture_close(fixture *f) {
    stoa_history_free(f->h);
    support_world_close(&f->s);
}

static void number_set(fixture *f, int32_t number) {
    f->c.number = number;
    f->c.version++;
}

/* SNP-08 */
static void extensions_are_asked_only_for_what_changed(void **state) {
    (void)state;
    fixture f;
    fixture_open(&f);
    number_set(&f, 1);
    stoa_history_save(f.h);
    stoa_history_save(f.h);
    stoa_history_save(f.h);
    assert_int_equal(f.c.saves, 1);
    number_set(&f, 2);
    stoa_history_save(f.h);
    assert_int_equal(f.c.saves, 2);
    stoa_history_restore(f.h, 3);
    assert_int_equal(f.c.loads + f.c.resets, 0);
    stoa_history_restore(f.h, 2);
    assert_int_equal(f.c.number, 1);
    assert_int_equal(f.c.loads, 1);
    /* It holds what the older frames have, too, though its version is another one now. */
    stoa_history_restore(f.h, 0);
    assert_int_equal(f.c.loads, 1);
    stoa_history_save(f.h);
    assert_int_equal(f.c.saves, 2);
    fixture_close(&f);
}

/* SNP-08 GEN-03 */
static void extension_that_fails_is_empty_and_the_rest_restored(void **state) {
    (void)state;
    fixture f;
    fixture_open(&f);
    number_set(&f, 1);
    stoa_entity e = stoa_create(f.w);
    f.c.fails = true;
    assert_int_equal(stoa_history_save(f.h), -1);
    assert_int_equal(stoa_history_count(f.h), 0);
    f.c.fails = false;
    stoa_history_save(f.h);
    number_set(&f, 2);
    stoa_destroy(f.w, e);
    f.c.fails = true;
    assert_int_equal(stoa_history_restore(f.h, 0), STOA_NO_MEMORY);
    assert_int_equal(f.c.number, 0);
    assert_true(stoa_alive(f.w, e));
    f.c.fails = false;
    assert_int_equal(stoa_history_restore(f.h, 0), STOA_OK);
    assert_int_equal(f.c.number, 1);
    fixture_close(&f);
}

/* SNP-08: what a frame does not know is told that its entities are gone. */
static void extension_that_came_later_is_reset(void **state) {
    (void)state;
    fixture f;
    support_world_open(&f.s);
    stoa_history *h = stoa_history_new(f.s.world, NULL);
    stoa_history_save(h);
    counter c = {.number = 5};
    stoa_extension extension = {.name = "late",
                                .data = &c,
                                .free = counter_free,
                                .reset = counter_reset,
                                .save = counter_save,
                                .load = counter_load,
                                .version = counter_version};
    stoa_extend(f.s.world, &extension);
    stoa_history_restore(h, 0);
    assert_int_equal(c.resets, 1);
    assert_int_equal(c.loads, 0);
    stoa_history_free(h);
    support_world_close(&f.s);
}

/* SNP-08 NAM-01 REL-01 IDX-01 */
static void names_relations_and_indexes_come_right(void **state) {
    (void)state;
    fixture f;
    fixture_open(&f);
    stoa_index *index =
        stoa_index_new(f.w, &(stoa_index_desc){.type = STOA_TYPE_OF(Health), .field = "points"});
    stoa_entity e[6];
    for (int32_t i = 0; i < 6; i++) {
        e[i] = stoa_create_with(f.w, STOA_VALUE(Health, {i % 2}));
    }
    stoa_name_set(f.w, e[0], "zero");
    stoa_name_set(f.w, e[3], "three");
    for (int32_t i = 1; i < 6; i++) {
        stoa_set_parent(f.w, e[i], e[i % 2]);
    }
    stoa_history_save(f.h);
    dump before = dump_of(f.w);
    stoa_name_set(f.w, e[0], "other");
    stoa_name_set(f.w, e[4], "zero");
    stoa_destroy(f.w, e[3]);
    stoa_remove_parent(f.w, e[2]);
    stoa_set_parent(f.w, e[4], e[2]);
    stoa_set(f.w, e[1], Health, {7});
    stoa_history_restore(f.h, 0);
    dump_holds(f.w, &before);
    assert_true(stoa_entity_eq(stoa_find(f.w, "zero"), e[0]));
    assert_true(stoa_entity_eq(stoa_find(f.w, "three"), e[3]));
    assert_true(stoa_entity_is_null(stoa_find(f.w, "other")));
    assert_int_equal(stoa_children(f.w, e[0]).count, 2);
    assert_true(stoa_entity_eq(stoa_parent(f.w, e[4]), e[0]));
    assert_int_equal(stoa_index_count(index, &(int32_t){1}), 3);
    assert_int_equal(stoa_index_count(index, &(int32_t){7}), 0);
    dump_free(&before);
    fixture_close(&f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(extensions_are_asked_only_for_what_changed),
        cmocka_unit_test(extension_that_fails_is_empty_and_the_rest_restored),
        cmocka_unit_test(extension_that_came_later_is_reset),
        cmocka_unit_test(names_relations_and_indexes_come_right),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
