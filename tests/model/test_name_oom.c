/* Names without memory: each allocation of each call fails in turn; nothing has changed, and the
 * call can be repeated. */
#include <stdlib.h>

#include "name_fixture.h"

typedef struct oom {
    support_world s;
    stoa_entity e, f;
    stoa_commands *commands;
} oom;

/* A call under test: what comes before it, the call, and what must hold after it. */
typedef struct call {
    const char *name;
    bool nameless; /* the world has not met a name */
    stoa_status (*run)(oom *o);
    void (*after)(oom *o);
} call;

static char lengthy[2000];

static stoa_status set_run(oom *o) {
    return stoa_name_set(o->s.world, o->e, "new");
}
static void set_after(oom *o) {
    assert_named(o->s.world, o->e, "new");
    assert_none(stoa_find(o->s.world, "ship"));
}

static stoa_status plain_run(oom *o) {
    return stoa_set(o->s.world, o->e, Name, {"new"});
}

static stoa_status require_run(oom *o) {
    stoa_error_clear();
    stoa_require(o->s.world, "new");
    return stoa_last_error().status;
}
static void require_after(oom *o) {
    assert_true(stoa_alive(o->s.world, stoa_find(o->s.world, "new")));
}

static stoa_status bundle_run(oom *o) {
    stoa_error_clear();
    stoa_create_with(o->s.world, STOA_VALUE(Position, {1, 2}), STOA_VALUE(Name, {"new"}));
    return stoa_last_error().status;
}

static stoa_status bulk_run(oom *o) {
    Name names[40];
    char texts[40][8];
    for (int i = 0; i < 40; i++) {
        snprintf(texts[i], sizeof texts[i], "b%d", i % 100);
        names[i].text = texts[i];
    }
    return stoa_create_bulk(o->s.world, 40, NULL, STOA_ZERO(Position), STOA_COLUMN(Name, names));
}
static void bulk_after(oom *o) {
    for (int i = 0; i < 40; i++) {
        char text[8];
        snprintf(text, sizeof text, "b%d", i % 100);
        assert_named(o->s.world, stoa_find(o->s.world, text), text);
    }
}

static stoa_status change_run(oom *o) {
    return stoa_change(o->s.world, o->e, STOA_VALUE(Name, {"new"}), STOA_ZERO(Position),
                       STOA_ZERO(Frozen));
}
static void change_after(oom *o) {
    set_after(o);
    assert_true(stoa_has(o->s.world, o->e, Position));
}

static stoa_status record_run(oom *o) {
    return stoa_commands_name_set(o->commands, o->e, lengthy);
}
static void record_after(oom *o) {
    assert_int_equal(stoa_commands_count(o->commands), 1);
    assert_int_equal(stoa_commands_flush(o->commands), STOA_OK);
    assert_named(o->s.world, o->e, lengthy);
}

/* A flush that has no memory keeps what is not applied, and goes on when it is repeated. */
static stoa_status flush_run(oom *o) {
    if (stoa_commands_empty(o->commands)) {
        size_t fail_at = o->s.heap.fail_at;
        o->s.heap.fail_at = 0;
        stoa_commands_name_set(o->commands, o->e, "new");
        stoa_commands_name_set(o->commands, o->f, "ship");
        o->s.heap.fail_at = fail_at;
    }
    return stoa_commands_flush(o->commands);
}
static void flush_after(oom *o) {
    assert_named(o->s.world, o->e, "new");
    assert_named(o->s.world, o->f, "ship");
    assert_int_equal(stoa_commands_refused(o->commands), 0);
}

static stoa_status setup_run(oom *o) {
    return stoa_name_setup(o->s.world);
}
static void setup_after(oom *o) {
    assert_int_equal(stoa_name_set(o->s.world, o->e, "new"), STOA_OK);
    assert_named(o->s.world, o->e, "new");
}

static const call calls[] = {
    {"name_set", false, set_run, set_after},
    {"name_set, the first", true, set_run, set_after},
    {"set", false, plain_run, set_after},
    {"set, the first", true, plain_run, set_after},
    {"require", false, require_run, require_after},
    {"require, the first", true, require_run, require_after},
    {"create_with", false, bundle_run, require_after},
    {"create_with, the first", true, bundle_run, require_after},
    {"create_bulk", false, bulk_run, bulk_after},
    {"create_bulk, the first", true, bulk_run, bulk_after},
    {"change", false, change_run, change_after},
    {"change, the first", true, change_run, change_after},
    {"commands_name_set", false, record_run, record_after},
    {"flush", false, flush_run, flush_after},
    {"flush, the first", true, flush_run, flush_after},
    {"setup", true, setup_run, setup_after},
};

static void oom_open(oom *o, const call *c) {
    support_world_open(&o->s);
    o->e = stoa_create(o->s.world);
    o->f = stoa_create(o->s.world);
    o->commands = stoa_commands_new(o->s.world);
    if (!c->nameless) {
        stoa_name_set(o->s.world, o->e, "ship");
        stoa_name_set(o->s.world, o->f, "boat");
    }
}

/* Runs a call with the k-th allocation failing, or all from there on; false if none failed. */
static bool call_starve(const call *c, size_t k, bool forever) {
    oom o;
    oom_open(&o, c);
    stoa_world *w = o.s.world;
    uint64_t before = stoa_hash(w);
    o.s.heap.fail_at = k;
    o.s.heap.fail_forever = forever;
    stoa_status status = c->run(&o);
    bool starved = o.s.heap.failed > 0;
    o.s.heap.fail_at = 0;
    o.s.heap.fail_forever = false;
    if (starved && status != STOA_OK) {
        assert_int_equal(status, STOA_NO_MEMORY);
        assert_int_equal(stoa_check(w), STOA_OK);
        /* Of a flush the first command may have been applied. */
        if (c->run != flush_run) {
            assert_true(stoa_hash(w) == before);
            assert_none(stoa_find(w, "new"));
            assert_none(stoa_find(w, "b0"));
        }
        if (!c->nameless && c->run != flush_run) {
            assert_named(w, o.e, "ship");
            assert_named(w, o.f, "boat");
        }
        status = c->run(&o);
    }
    assert_int_equal(status, STOA_OK);
    c->after(&o);
    support_assert_quiet(&o.s);
    support_world_close(&o.s);
    return starved;
}

/* NAM-01 GEN-03 GEN-04 */
static void call_out_of_memory_names_nothing(void **state) {
    (void)state;
    memset(lengthy, 'l', sizeof lengthy - 1);
    for (size_t i = 0; i < sizeof calls / sizeof calls[0]; i++) {
        for (int forever = 0; forever < 2; forever++) {
            size_t k = 1;
            while (call_starve(&calls[i], k, forever != 0)) {
                k++;
            }
            if (k == 1) {
                fail_msg("%s needs no memory", calls[i].name);
            }
        }
    }
}

/* NAM-01 GEN-03: wherever it failed, the next attempt sets the world up once. */
static void failed_setup_leaves_nothing_behind(void **state) {
    support_world *s = *state;
    assert_int_equal(stoa_name_setup(s->world), STOA_OK);
    size_t clean = s->heap.bytes;
    bool starved = true;
    for (size_t k = 1; starved; k++) {
        support_world other;
        support_world_open(&other);
        other.heap.fail_at = k;
        starved = stoa_name_setup(other.world) == STOA_NO_MEMORY;
        other.heap.fail_at = 0;
        assert_int_equal(stoa_name_setup(other.world), STOA_OK);
        assert_int_equal(other.heap.bytes, clean);
        support_world_close(&other);
    }
}

/* NAM-01 GEN-03: what ends names, and what asks for them, needs none. */
static void ending_and_asking_need_no_memory(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    stoa_entity e = stoa_require(w, "e"), f = stoa_require(w, "f"), g = stoa_require(w, "g");
    s->heap.fail_at = 1;
    s->heap.fail_forever = true;
    assert_named(w, e, "e");
    assert_entity(stoa_require(w, "f"), f);
    assert_int_equal(stoa_name_set(w, e, "e"), STOA_OK);
    assert_int_equal(stoa_name_set(w, e, NULL), STOA_OK);
    assert_int_equal(stoa_destroy(w, f), STOA_OK);
    assert_none(stoa_find(w, "e"));
    assert_none(stoa_find(w, "f"));
    assert_int_equal(stoa_name_set(w, e, "g"), STOA_TAKEN);
    assert_int_equal(stoa_check(w), STOA_OK);
    s->heap.fail_at = 0;
    s->heap.fail_forever = false;
    assert_named(w, g, "g");
}

static void name_pass_on(stoa_world *world, stoa_entity e, void *value, void *user) {
    (void)value;
    support_heap *heap = user;
    assert_int_equal(stoa_name_set(world, e, "boat"), STOA_OK);
    heap->fail_at = 1;
    heap->fail_forever = true;
}

/* NAM-01 GEN-03: a name that a hook gave up and that can then not be had again, for want of memory:
 * the entity keeps the one it was given by the hook, and the world's handler is told. */
static void name_that_cannot_be_had_again_is_told(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    stoa_entity e = stoa_create_with(w, STOA_ZERO(Position), STOA_VALUE(Name, {"ship"}));
    stoa_on_remove(w, Position, name_pass_on, &s->heap);
    int errors = s->errors;
    assert_int_equal(stoa_change(w, e, STOA_REMOVE(Position), STOA_VALUE(Name, {"ship"})), STOA_OK);
    s->heap.fail_at = 0;
    s->heap.fail_forever = false;
    assert_int_equal(s->errors, errors + 1);
    assert_named(w, e, "boat");
    assert_none(stoa_find(w, "ship"));
    assert_int_equal(stoa_check(w), STOA_OK);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(call_out_of_memory_names_nothing),
        cmocka_unit_test_setup_teardown(failed_setup_leaves_nothing_behind, support_setup,
                                        support_teardown),
        cmocka_unit_test_setup_teardown(ending_and_asking_need_no_memory, support_setup,
                                        support_teardown),
        cmocka_unit_test_setup_teardown(name_that_cannot_be_had_again_is_told, support_setup,
                                        support_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
