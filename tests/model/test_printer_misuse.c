/* Printers: mistakes, moments at which none may come or go, lack of memory. */
#include "model/print.h"

#include "model/print_fixture.h"

static size_t word_print(const stoa_world *w, const void *value, char *buffer, size_t size,
                         void *user) {
    (void)w;
    (void)value;
    (void)user;
    return (size_t)snprintf(buffer, size, "word");
}

static void frees_count(void *user) {
    ++*(int *)user;
}

static const stoa_printer_desc health_printer = {.type = STOA_TYPE_OF(Health), .call = word_print};

/* NAM-03 GEN-05 */
static void bad_description_is_refused(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    int frees = 0;
    stoa_printer_desc desc = {.call = word_print, .user = &frees, .user_free = frees_count};
    support_assert_misuse(s, stoa_printer_set(w, NULL), STOA_NULL_ARGUMENT);
    assert_int_equal(stoa_printer_set(NULL, &desc), STOA_NULL_ARGUMENT);
    support_assert_misuse(s, stoa_printer_set(w, &desc), STOA_UNKNOWN);
    desc.component = 4711;
    support_assert_misuse(s, stoa_printer_set(w, &desc), STOA_UNKNOWN);
    desc.type = STOA_TYPE_OF(Frozen);
    support_assert_misuse(s, stoa_printer_set(w, &desc), STOA_INVALID);
    support_assert_message("'Frozen' is a tag");
    print_type(w, "Health", "{ float other; }");
    desc.type = STOA_TYPE_OF(Health);
    assert_int_equal(stoa_printer_set(w, &desc), STOA_CONFLICT);
    assert_int_equal(s->errors, 5);
    assert_int_equal(frees, 0);
    assert_null(stoa_extension_find(w, STOA__PRINTERS));
}

/* Tries to give and to take a printer, through the user's pointer. */
typedef struct meddler {
    stoa_world *world;
    int frees;
    stoa_status gave, took;
    size_t length;
} meddler;

static void meddle(meddler *m) {
    m->gave = stoa_printer_set(m->world, &health_printer);
    m->took = stoa_printer_set(m->world, &(stoa_printer_desc){.type = STOA_TYPE_OF(Position)});
}

static size_t meddling_print(const stoa_world *w, const void *value, char *buffer, size_t size,
                             void *user) {
    (void)w;
    (void)value;
    meddle(user);
    assert_int_equal(((meddler *)user)->frees, 0);
    return (size_t)snprintf(buffer, size, "still here");
}

static void meddler_free(void *user) {
    ((meddler *)user)->frees++;
}

/* NAM-03 GEN-05 */
static void printer_that_runs_cannot_be_taken_away(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    stoa_world *other = stoa_world_new(NULL);
    meddler m = {.world = w};
    stoa_printer_desc desc = {.type = STOA_TYPE_OF(Position),
                              .call = meddling_print,
                              .user = &m,
                              .user_free = meddler_free};
    stoa_id(w, Health);
    assert_int_equal(stoa_printer_set(w, &desc), STOA_OK);
    Position p = {1, 2};
    assert_string_equal(PRINTED(stoa_print_id, w, stoa_id(w, Position), &p), "Position still here");
    assert_int_equal(m.gave, STOA_LOCKED);
    assert_int_equal(m.took, STOA_LOCKED);
    assert_int_equal(s->errors, 2);
    s->asserts_seen = s->asserts;
    /* Those of another world are nobody's business. */
    m.world = other;
    assert_string_equal(PRINTED(stoa_print_id, w, stoa_id(w, Position), &p), "Position still here");
    assert_int_equal(m.gave, STOA_OK);
    assert_int_equal(m.took, STOA_OK);
    stoa_world_free(other);
    m.world = w;
    assert_int_equal(m.frees, 0);
    assert_int_equal(stoa_printer_set(w, &(stoa_printer_desc){.type = STOA_TYPE_OF(Position)}),
                     STOA_OK);
    assert_int_equal(m.frees, 1);
}

/* An end that meddles finds the printers as they are after the change. */
static void ending_meddle(void *user) {
    meddler *m = user;
    Position p = {1, 2};
    m->frees++;
    m->length =
        stoa_print_id(m->world, stoa_type_find(m->world, STOA_TYPE_OF(Position)), &p, NULL, 0);
    meddle(m);
}

/* NAM-03 GEN-06 */
static void end_of_a_printer_may_give_and_take_others(void **state) {
    stoa_world *w = ((support_world *)*state)->world;
    meddler m = {.world = w};
    int frees = 0;
    stoa_printer_desc desc = {
        .type = STOA_TYPE_OF(Position), .call = word_print, .user = &m, .user_free = ending_meddle};
    stoa_printer_desc next = {.type = STOA_TYPE_OF(Position),
                              .call = word_print,
                              .user = &frees,
                              .user_free = frees_count};
    assert_int_equal(stoa_printer_set(w, &desc), STOA_OK);
    /* Replaced: the end of the old one takes the new one away. */
    assert_int_equal(stoa_printer_set(w, &next), STOA_OK);
    assert_int_equal(m.frees, 1);
    assert_int_equal(m.length, strlen("Position word"));
    assert_int_equal(m.gave, STOA_OK);
    assert_int_equal(m.took, STOA_OK);
    assert_int_equal(frees, 1);
    Position p = {1, 2};
    assert_string_equal(PRINTED(stoa_print_id, w, stoa_id(w, Position), &p),
                        "Position {x: 1, y: 2}");
    assert_string_equal(PRINTED(stoa_print_id, w, stoa_id(w, Health), &p), "Health word");
}

static void health_removed(stoa_world *w, stoa_entity e, void *value, void *user) {
    (void)value;
    meddler *m = user;
    m->length = stoa_describe(w, e, NULL, 0);
    meddle(m);
}

/* NAM-03 GEN-05 */
static void printers_stay_while_the_world_is_freed(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    meddler hook = {.world = w}, end = {.world = w};
    assert_int_equal(stoa_printer_set(w, &(stoa_printer_desc){.type = STOA_TYPE_OF(Position),
                                                              .call = word_print,
                                                              .user = &end,
                                                              .user_free = ending_meddle}),
                     STOA_OK);
    stoa_create_with(w, STOA_VALUE(Health, {1}), STOA_VALUE(Position, {1, 2}));
    stoa_on_remove(w, Health, health_removed, &hook);
    stoa_world_free(w);
    s->world = NULL;
    assert_int_equal(hook.length, strlen("1v1\n  Position word\n  Health {points: 1}"));
    assert_int_equal(hook.gave, STOA_FREED);
    assert_int_equal(hook.took, STOA_FREED);
    assert_int_equal(end.gave, STOA_FREED);
    assert_int_equal(end.took, STOA_FREED);
    assert_int_equal(end.frees, 1);
    assert_int_equal(s->heap.bytes, 0);
}

/* NAM-03 */
static void printers_stay_while_threads_fill_buffers(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    Health h = {1};
    assert_int_equal(stoa_printer_set(w, &health_printer), STOA_OK);
    assert_int_equal(stoa_commands_fork(w, NULL, 0), STOA_OK);
    support_assert_misuse(s, stoa_printer_set(w, &health_printer), STOA_FORKED);
    assert_string_equal(PRINTED(stoa_print_id, w, stoa_id(w, Health), &h), "Health word");
    assert_int_equal(stoa_commands_join(w), STOA_OK);
    assert_int_equal(stoa_printer_set(w, &health_printer), STOA_OK);
}

/* NAM-03 GEN-03 GEN-04 */
static void printer_out_of_memory_changes_nothing(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    enum { MANY = 20 };
    stoa_component ids[MANY];
    int frees = 0, failures = 0;
    uint32_t value = 5;
    for (int i = 0; i < MANY; i++) {
        char name[16];
        snprintf(name, sizeof name, "T%d", i);
        ids[i] = print_type(w, name, "{ uint32_t v; }");
    }
    for (int i = 0; i < MANY; i++) {
        stoa_printer_desc desc = {
            .component = ids[i], .call = word_print, .user = &frees, .user_free = frees_count};
        uint64_t hash = stoa_hash(w);
        for (size_t k = 1;; k++) {
            size_t bytes = s->heap.bytes;
            s->heap.fail_at = k;
            stoa_status status = stoa_printer_set(w, &desc);
            bool failed = s->heap.fail_at == 0;
            s->heap.fail_at = 0;
            assert_int_equal(stoa_check(w), STOA_OK);
            assert_int_equal(stoa_hash(w), hash);
            assert_int_equal(frees, 0);
            if (!failed) {
                assert_int_equal(status, STOA_OK);
                break;
            }
            failures++;
            assert_int_equal(status, STOA_NO_MEMORY);
            assert_int_equal(s->heap.bytes, bytes);
            assert_string_equal(PRINTED(stoa_print_value, w, ids[i], &value), "{v: 5}");
        }
        assert_string_equal(PRINTED(stoa_print_value, w, ids[i], &value), "word");
    }
    assert_int_equal(s->errors, failures);
    assert_true(failures >= 4);
    /* Replacing and taking away need no memory. */
    s->heap.fail_at = 1;
    s->heap.fail_forever = true;
    for (int i = 0; i < MANY; i++) {
        stoa_printer_desc desc = {.component = ids[i], .call = i % 2 == 0 ? word_print : NULL};
        assert_int_equal(stoa_printer_set(w, &desc), STOA_OK);
    }
    assert_int_equal(frees, MANY);
    s->heap.fail_at = 0;
}

/* STO-04 STO-07 */
static void printers_are_checked_and_counted(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    stoa_id(w, Position);
    stoa_id(w, Health);
    assert_int_equal(stoa_printer_set(w, &health_printer), STOA_OK);
    assert_int_equal(stoa_printer_set(w, &(stoa_printer_desc){.type = STOA_TYPE_OF(Position),
                                                              .call = word_print}),
                     STOA_OK);
    assert_int_equal(stoa_stats(w).bytes_reserved, s->heap.bytes);
    stoa__printers *p = stoa_extension_find(w, STOA__PRINTERS);
    assert_int_equal(p->count, 2);
    assert_int_equal(stoa_check(w), STOA_OK);
    stoa_component id = p->items[1].id;
    p->items[1].id = p->items[0].id;
    assert_int_equal(stoa_check(w), STOA_CORRUPT);
    support_assert_message("printers");
    p->items[1].id = 4711;
    assert_int_equal(stoa_check(w), STOA_CORRUPT);
    p->items[1].id = id;
    p->items[0].call = NULL;
    assert_int_equal(stoa_check(w), STOA_CORRUPT);
    p->items[0].call = word_print;
    assert_int_equal(stoa_check(w), STOA_OK);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(bad_description_is_refused),
        TEST(printer_that_runs_cannot_be_taken_away),
        TEST(end_of_a_printer_may_give_and_take_others),
        TEST(printers_stay_while_the_world_is_freed),
        TEST(printers_stay_while_threads_fill_buffers),
        TEST(printer_out_of_memory_changes_nothing),
        TEST(printers_are_checked_and_counted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
