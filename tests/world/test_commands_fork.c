/* Forked buffers, filled one after the other: which handles they give out, what is refused
 * meanwhile, and what is given back. Threads are in commands_threads.multi. */
#include "commands_types.h"
#include "stoa/resume.h"
#include "world/commands_buffer.h"

#define RUN STOA__FORK_RUN

static void buffers_make(stoa_world *w, stoa_commands **buffers, int count) {
    for (int i = 0; i < count; i++) {
        buffers[i] = stoa_commands_new(w);
        assert_non_null(buffers[i]);
    }
}

/* The index of handle i past the table of buffer k of n. */
static uint32_t index_past(uint32_t base, uint32_t n, uint32_t k, uint32_t i) {
    return base + (i / RUN * n + k) * RUN + i % RUN;
}

/* CMD-06 CMD-03: the first fork; every buffer counts for itself. */
static void handles_depend_on_the_order_of_buffers_alone(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    stoa_commands *buffers[3];
    stoa_entity made[3][200];
    buffers_make(w, buffers, 3);
    stoa_destroy(w, stoa_create(w));
    stoa_create_bulk(w, 10, NULL, STOA_ZERO(Health));
    uint32_t base = w->storage.head.record_count;
    assert_int_equal(stoa_commands_fork(w, buffers, 3), STOA_OK);
    /* Filled in turns that have nothing to do with the order. */
    for (uint32_t i = 0; i < 200; i++) {
        for (uint32_t k = 3; k-- > 0;) {
            if (i < 60 + 70 * k) {
                made[k][i] = stoa_commands_create_with(buffers[k], STOA_VALUE(Health, {(int)i}));
                assert_int_equal(made[k][i].index, index_past(base, 3, k, i));
                assert_int_equal(made[k][i].generation, 1);
                assert_false(stoa_alive(w, made[k][i]));
            }
        }
        assert_int_equal(stoa_check(w), STOA_OK);
    }
    assert_int_equal(w->storage.head.record_count, base);
    assert_int_equal(stoa_commands_join(w), STOA_OK);
    assert_int_equal(stoa_check(w), STOA_OK);
    assert_int_equal(w->storage.head.record_count, index_past(base, 3, 2, 199) + 1);
    for (uint32_t k = 0; k < 3; k++) {
        assert_int_equal(stoa_commands_flush(buffers[k]), STOA_OK);
        for (uint32_t i = 0; i < 60 + 70 * k; i++) {
            assert_int_equal(stoa_get(w, made[k][i], Health)->points, i);
        }
    }
    /* Gaps between runs are taken next, from the lowest. */
    assert_int_equal(stoa_create(w).index, index_past(base, 3, 0, 60));
    assert_int_equal(stoa_create(w).index, index_past(base, 3, 0, 61));
    support_assert_quiet(s);
}

/* CMD-06: the next time as many handles are held as were needed, as creations would take them. */
static void later_forks_hold_what_was_needed(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    stoa_commands *buffers[2];
    buffers_make(w, buffers, 2);
    assert_int_equal(stoa_commands_fork(w, buffers, 2), STOA_OK);
    for (int i = 0; i < 5; i++) {
        stoa_commands_create(buffers[0]);
        stoa_commands_create(buffers[1]);
    }
    stoa_commands_create(buffers[1]);
    assert_int_equal(stoa_commands_join(w), STOA_OK);
    assert_int_equal(stoa_commands_flush(buffers[0]), STOA_OK);
    assert_int_equal(stoa_commands_flush(buffers[1]), STOA_OK);

    /* Free slots first, then new ones: the three that buffer 0 left are not enough. */
    uint32_t count = w->storage.head.record_count;
    assert_int_equal(w->storage.free_count, 3);
    assert_int_equal(stoa_commands_fork(w, buffers, 2), STOA_OK);
    assert_int_equal(w->storage.head.record_count, count + 8);
    assert_int_equal(w->storage.free_count, 0);
    assert_int_equal(w->storage.reserved_count, 11);
    stoa_entity a = stoa_commands_create(buffers[1]), b = stoa_commands_create(buffers[1]);
    stoa_entity d = stoa_commands_create(buffers[0]);
    assert_int_equal(d.index, 6);
    assert_int_equal(a.index, 17);
    assert_int_equal(b.index, 18);
    assert_int_equal(stoa_check(w), STOA_OK);
    assert_int_equal(stoa_commands_join(w), STOA_OK);
    assert_int_equal(w->storage.reserved_count, 3);
    /* What was held and not given out is taken next, in the order it would have been given out. */
    const uint32_t next[] = {7, 8, 15, 16, 19, 20, 21, 22, 23};
    for (int i = 0; i < 9; i++) {
        stoa_entity e = stoa_create(w);
        assert_int_equal(e.index, next[i]);
        assert_int_equal(e.generation, 1);
    }
    assert_int_equal(stoa_commands_flush(buffers[0]), STOA_OK);
    assert_int_equal(stoa_commands_flush(buffers[1]), STOA_OK);
    assert_true(stoa_alive(w, a) && stoa_alive(w, b) && stoa_alive(w, d));
    /* And fewer the time after. */
    assert_int_equal(stoa_commands_fork(w, buffers, 2), STOA_OK);
    assert_int_equal(w->storage.reserved_count, 3);
    assert_int_equal(stoa_commands_join(w), STOA_OK);
    assert_int_equal(w->storage.reserved_count, 0);
}

/* Creates so many in each buffer between a fork and a join, and applies them. */
static void buffers_create(stoa_world *w, stoa_commands **buffers, const uint32_t *counts, int n) {
    assert_int_equal(stoa_commands_fork(w, buffers, n), STOA_OK);
    for (int k = 0; k < n; k++) {
        for (uint32_t i = 0; i < counts[k]; i++) {
            assert_false(stoa_entity_is_null(stoa_commands_create(buffers[k])));
        }
    }
    assert_int_equal(stoa_commands_join(w), STOA_OK);
    for (int k = 0; k < n; k++) {
        assert_int_equal(stoa_commands_flush(buffers[k]), STOA_OK);
    }
    assert_int_equal(stoa_check(w), STOA_OK);
}

/* CMD-06: where there are free slots as many are held as were needed lately, and some more. */
static void forks_hold_more_where_slots_are_free(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    stoa_commands *buffers[3];
    stoa_entity made[200];
    buffers_make(w, buffers, 3);
    buffers_create(w, buffers, (uint32_t[]){16, 0, 160}, 3);
    for (int i = 0; i < 200; i++) {
        made[i] = stoa_create(w);
    }
    for (int i = 0; i < 200; i++) {
        stoa_destroy(w, made[i]);
    }
    uint32_t count = w->storage.head.record_count;
    buffers_create(w, buffers, (uint32_t[]){0, 0, 0}, 3);
    assert_int_equal(w->storage.head.record_count, count);
    /* An eighth and 8 more; what was needed fades, down to 15. */
    assert_int_equal(stoa_commands_fork(w, buffers, 3), STOA_OK);
    assert_int_equal(buffers[0]->handle_count, 15 + 1 + 8);
    assert_int_equal(buffers[1]->handle_count, 8);
    assert_int_equal(buffers[2]->handle_count, 150 + 18 + 8);
    assert_int_equal(stoa_commands_join(w), STOA_OK);
    for (int i = 0; i < 200; i++) {
        buffers_create(w, buffers, (uint32_t[]){0, 0, 0}, 3);
    }
    assert_int_equal(stoa_commands_habit(buffers[0]).most, 15);
    assert_int_equal(stoa_commands_habit(buffers[2]).most, 15);
    assert_int_equal(stoa_commands_habit(buffers[2]).last, 0);
    /* So much is there again and again, without a new slot. */
    for (int i = 0; i < 8; i++) {
        buffers_create(w, buffers, (uint32_t[]){i % 2 == 0 ? 24 : 0, 0, i % 2 == 0 ? 0 : 24}, 3);
        for (stoa_entity e = STOA_NULL; !stoa_entity_is_null(e = stoa_entity_next(w, e));) {
            stoa_destroy(w, e);
        }
        assert_int_equal(w->storage.head.record_count, count);
    }
}

/* CMD-06: buffers that create now and then, any of them, do not make the table grow for ever. */
static void table_is_about_as_long_as_needed(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    enum { BUFFERS = 32, LIVE = 300, FRAMES = 3000 };
    stoa_commands *buffers[BUFFERS];
    support_random random = {7};
    buffers_make(w, buffers, BUFFERS);
    for (int frame = 0; frame < FRAMES; frame++) {
        uint32_t counts[BUFFERS];
        for (int k = 0; k < BUFFERS; k++) {
            uint32_t chance = support_random_below(&random, 40);
            counts[k] = chance == 0 ? 3 : chance < 4 ? 1 : 0;
        }
        buffers_create(w, buffers, counts, BUFFERS);
        stoa_entity e = STOA_NULL;
        while (stoa_count(w) > LIVE && !stoa_entity_is_null(e = stoa_entity_next(w, e))) {
            stoa_destroy(w, e);
        }
    }
    /* Beside what lives, 11 for each buffer; and what some forks added until those were there. */
    assert_true(w->storage.head.record_count < LIVE + BUFFERS * 11 + 4 * BUFFERS * RUN);
}

/* CMD-06: what a fork goes by can be told and set. */
static void habits_are_told_and_set(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    stoa_commands *c = stoa_commands_new(w);
    assert_int_equal(stoa_commands_habit(NULL).last, 0);
    assert_int_equal(stoa_commands_habit_set(NULL, (stoa_handle_habit){0, 0}), STOA_NULL_ARGUMENT);
    assert_int_equal(stoa_commands_habit_set(c, (stoa_handle_habit){5, 2}), STOA_OK);
    assert_int_equal(stoa_commands_fork(w, &c, 1), STOA_OK);
    assert_int_equal(c->handle_count, 5);
    support_assert_misuse(s, stoa_commands_habit_set(c, (stoa_handle_habit){0, 0}), STOA_FORKED);
    assert_int_equal(stoa_commands_join(w), STOA_OK);
    assert_int_equal(stoa_commands_habit(c).last, 0);
    assert_int_equal(stoa_commands_habit(c).most, 2);
    assert_int_equal(stoa_commands_habit_set(c, (stoa_handle_habit){UINT32_MAX, 0}), STOA_LIMIT);
    assert_int_equal(stoa_commands_free(c), STOA_OK);
}

/* CMD-06: held handles run out, and the rest is past the table. */
static void forked_buffer_goes_on_past_the_table(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    stoa_commands *buffers[2];
    buffers_make(w, buffers, 2);
    for (uint32_t round = 0; round < 4; round++) {
        assert_int_equal(stoa_commands_fork(w, buffers, 2), STOA_OK);
        uint32_t base = w->storage.head.record_count, held = buffers[1]->handle_count;
        assert_int_equal(held, round == 0 ? 0 : 1u << (3 * round - 1));
        for (uint32_t i = 0; i < 1u << (3 * round + 2); i++) {
            stoa_entity e = stoa_commands_create(buffers[1]);
            if (i >= held) {
                assert_int_equal(e.index, index_past(base, 2, 1, i - held));
            } else {
                assert_true(e.index < base);
            }
        }
        assert_int_equal(stoa_commands_join(w), STOA_OK);
        assert_int_equal(stoa_commands_flush(buffers[0]), STOA_OK);
        assert_int_equal(stoa_commands_flush(buffers[1]), STOA_OK);
    }
    assert_int_equal(stoa_count(w), 4 + 32 + 256 + 2048);
}

/* CMD-06 CMD-08 ENT-04: handles that were given out and discarded are not issued again. */
static void discarded_fork_gives_its_handles_back(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    stoa_commands *buffers[2];
    stoa_entity made[2][100];
    buffers_make(w, buffers, 2);
    for (int round = 0; round < 3; round++) {
        assert_int_equal(stoa_commands_fork(w, buffers, 2), STOA_OK);
        for (int i = 0; i < 100; i++) {
            made[0][i] = stoa_commands_create(buffers[0]);
            made[1][i] = stoa_commands_create(buffers[1]);
        }
        assert_int_equal(stoa_commands_join(w), STOA_OK);
        assert_int_equal(stoa_commands_clear(buffers[0]), STOA_OK);
        assert_int_equal(stoa_commands_clear(buffers[1]), STOA_OK);
        assert_int_equal(w->storage.reserved_count, 0);
        assert_int_equal(stoa_check(w), STOA_OK);
        for (int i = 0; i < 300; i++) {
            stoa_entity e = stoa_create(w);
            for (int k = 0; k < 100; k++) {
                assert_false(stoa_entity_eq(e, made[0][k]) || stoa_entity_eq(e, made[1][k]));
            }
        }
    }
}

/* CMD-06: commands from before the fork stay in front. */
static void forked_buffer_may_have_commands_already(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    stoa_commands *c = stoa_deferred(w);
    stoa_entity e = stoa_commands_create(c);
    stoa_commands_set(c, e, Health, {1});
    assert_int_equal(stoa_commands_fork(w, &c, 1), STOA_OK);
    assert_int_equal(stoa_check(w), STOA_OK);
    stoa_entity f = stoa_commands_create(c);
    stoa_commands_set(c, e, Health, {2});
    assert_int_equal(stoa_commands_join(w), STOA_OK);
    assert_int_equal(stoa_flush(w), STOA_OK);
    assert_int_equal(stoa_get(w, e, Health)->points, 2);
    assert_true(stoa_alive(w, f));
}

/* CMD-06 GEN-03: while buffers are forked. */
static void forked_world_refuses_structural_changes(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    stoa_commands *c = stoa_commands_new(w), *other = stoa_commands_new(w);
    stoa_entity e = stoa_create_with(w, STOA_VALUE(Health, {1}));
    stoa_commands_add(other, e, Frozen);
    assert_int_equal(stoa_commands_fork(w, &c, 1), STOA_OK);
    support_assert_misuse(s, stoa_commands_fork(w, &other, 1), STOA_FORKED);
    support_assert_misuse(s, stoa_destroy(w, e), STOA_FORKED);
    support_assert_misuse(s, stoa_add(w, e, Position), STOA_FORKED);
    support_assert_misuse(s, stoa_flush(w), STOA_FORKED);
    support_assert_misuse(s, stoa_commands_flush(c), STOA_FORKED);
    support_assert_misuse(s, stoa_commands_flush(other), STOA_FORKED);
    support_assert_misuse(s, stoa_commands_clear(c), STOA_FORKED);
    support_assert_message("stoa_commands_join");
    support_assert_misuse(s, stoa_commands_free(c), STOA_FORKED);
    assert_true(stoa_entity_is_null(stoa_create(w)));
    support_assert_misuse(s, stoa_last_error().status, STOA_FORKED);
    assert_true(stoa_entity_is_null(stoa_commands_create(other)));
    support_assert_misuse(s, stoa_last_error().status, STOA_FORKED);
    assert_true(
        stoa_entity_is_null(stoa_commands_create_with(stoa_deferred(w), STOA_ZERO(Health))));
    support_assert_misuse(s, stoa_last_error().status, STOA_FORKED);
    /* What takes no slot is fine, and so is writing in place. */
    assert_int_equal(stoa_commands_destroy(other, e), STOA_OK);
    assert_int_equal(stoa_commands_clear(other), STOA_OK);
    assert_int_equal(stoa_commands_free(other), STOA_OK);
    assert_int_equal(stoa_set(w, e, Health, {2}), STOA_OK);
    assert_int_equal(stoa_get(w, e, Health)->points, 2);
    assert_int_equal(stoa_commands_join(w), STOA_OK);
    assert_int_equal(stoa_add(w, e, Position), STOA_OK);
}

/* CMD-06 GEN-05 */
static void bad_forks_and_joins_are_refused(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    support_world foreign;
    support_world_open(&foreign);
    stoa_commands *a = stoa_commands_new(w), *b = stoa_commands_new(w);
    stoa_commands *twice[] = {a, b, a}, *hole[] = {a, NULL},
                  *stranger[] = {a, stoa_deferred(foreign.world)};
    support_assert_misuse(s, stoa_commands_join(w), STOA_INVALID);
    support_assert_misuse(s, stoa_commands_fork(w, twice, 3), STOA_INVALID);
    support_assert_message("twice");
    assert_int_equal(stoa_commands_fork(w, hole, 2), STOA_NULL_ARGUMENT);
    support_assert_misuse(s, stoa_commands_fork(w, stranger, 2), STOA_INVALID);
    support_assert_message("another world");
    support_assert_misuse(s, stoa_commands_fork(w, twice, -1), STOA_INVALID);
    stoa_create_with(w, STOA_ZERO(Health));
    stoa_query_desc desc = {.terms = {STOA_READ(Health)}};
    for (stoa_iter it = stoa_query_once(w, &desc); stoa_iter_next(&it);) {
        support_assert_misuse(s, stoa_commands_fork(w, twice, 2), STOA_ITERATING);
    }
    /* Nothing is left of the attempts. */
    stoa_commands_create(a);
    assert_int_equal(stoa_commands_flush(a), STOA_OK);
    assert_int_equal(stoa_commands_fork(w, twice, 2), STOA_OK);
    assert_int_equal(stoa_commands_join(w), STOA_OK);
    support_assert_misuse(s, stoa_commands_join(w), STOA_INVALID);
    assert_int_equal(stoa_commands_fork(w, NULL, 0), STOA_OK);
    assert_true(stoa_entity_is_null(stoa_create(w)));
    support_assert_misuse(s, stoa_last_error().status, STOA_FORKED);
    assert_int_equal(stoa_commands_join(w), STOA_OK);
    support_world_close(&foreign);
}

/* CMD-06 GEN-05: past the last index there is. */
static void creations_past_the_last_index_are_a_limit(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    stoa_commands *buffers[2];
    buffers_make(w, buffers, 2);
    assert_int_equal(stoa_commands_fork(w, buffers, 2), STOA_OK);
    uint32_t most =
        ((uint32_t)STOA_ENTITY_MAX - w->buffers.forked_base - RUN + 1) / (2 * RUN) * RUN;
    const uint32_t past[] = {most + RUN, UINT32_MAX - 1, UINT32_MAX};
    for (int i = 0; i < 3; i++) {
        buffers[1]->beyond = past[i];
        assert_true(stoa_entity_is_null(stoa_commands_create(buffers[1])));
        assert_int_equal(stoa_last_error().status, STOA_LIMIT);
        assert_int_equal(buffers[1]->beyond, past[i]);
    }
    assert_true(stoa_commands_empty(buffers[1]));
    buffers[1]->beyond = 0;
    assert_int_equal(stoa_commands_join(w), STOA_OK);
    /* More handles than there are, for all buffers together. */
    buffers[0]->wanted = STOA_ENTITY_MAX;
    buffers[1]->wanted = 1;
    assert_int_equal(stoa_commands_fork(w, buffers, 2), STOA_LIMIT);
    assert_int_equal(w->storage.reserved_count, 0);
    buffers[0]->wanted = buffers[1]->wanted = 0;
    assert_int_equal(stoa_commands_fork(w, buffers, 2), STOA_OK);
    buffers[1]->beyond = most - RUN;
    stoa_entity e = stoa_commands_create(buffers[1]);
    assert_int_equal(e.index, index_past(1, 2, 1, most - RUN));
    /* The table for that does not fit in memory: the join changes nothing, again and again. */
    for (int i = 0; i < 2; i++) {
        assert_int_equal(stoa_commands_join(w), STOA_NO_MEMORY);
        assert_int_equal(w->storage.head.record_count, 1);
    }
}

/* GEN-03 GEN-04 */
static void failed_forks_and_joins_can_be_repeated(void **state) {
    (void)state;
    for (size_t fail = 1; fail < 8; fail++) {
        support_world s;
        support_world_open(&s);
        stoa_world *w = s.world;
        stoa_commands *buffers[2];
        stoa_entity e = STOA_NULL;
        buffers_make(w, buffers, 2);
        for (int round = 0; round < 2; round++) {
            s.heap.fail_at = fail;
            uint32_t held = w->storage.reserved_count;
            if (stoa_commands_fork(w, buffers, 2) != STOA_OK) {
                assert_int_equal(stoa_last_error().status, STOA_NO_MEMORY);
                assert_int_equal(w->storage.reserved_count, held);
                assert_int_equal(stoa_check(w), STOA_OK);
                assert_int_equal(stoa_commands_fork(w, buffers, 2), STOA_OK);
            }
            s.heap.fail_at = 0;
            for (int i = 0; i < 300; i++) {
                e = stoa_commands_create(buffers[1]);
            }
            stoa_commands_set(buffers[1], e, Health, {round});
            s.heap.fail_at = fail;
            if (stoa_commands_join(w) != STOA_OK) {
                assert_int_equal(stoa_last_error().status, STOA_NO_MEMORY);
                assert_int_equal(stoa_check(w), STOA_OK);
                assert_int_equal(stoa_commands_join(w), STOA_OK);
            }
            s.heap.fail_at = 0;
            assert_int_equal(stoa_commands_flush(buffers[1]), STOA_OK);
            assert_int_equal(stoa_get(w, e, Health)->points, round);
        }
        assert_int_equal(stoa_count(w), 600);
        support_world_close(&s);
    }
}

/* CMP-11: a world that is freed while its buffers are forked. */
static void forked_world_can_be_freed(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    stoa_commands *buffers[2];
    buffers_make(w, buffers, 2);
    for (int round = 0; round < 2; round++) {
        assert_int_equal(stoa_commands_fork(w, buffers, 2), STOA_OK);
        for (int i = 0; i < 10 - 4 * round; i++) {
            owned_set(buffers[i % 2], stoa_commands_create(buffers[i % 2]), i);
        }
        if (round == 0) {
            assert_int_equal(stoa_commands_join(w), STOA_OK);
            assert_int_equal(stoa_commands_flush(buffers[0]), STOA_OK);
        }
    }
    assert_int_equal(owned_alive, 16);
    assert_int_equal(stoa_check(w), STOA_OK);
    buffers[0]->handles[4].generation++;
    assert_int_equal(stoa_check(w), STOA_CORRUPT);
    buffers[0]->handles[4].generation--;
    stoa_world_free(w);
    s->world = NULL;
    assert_int_equal(owned_alive, 0);
}

int main(void) {
#define WITH_WORLD(test) cmocka_unit_test_setup_teardown(test, support_setup, support_teardown)
    const struct CMUnitTest tests[] = {
        WITH_WORLD(handles_depend_on_the_order_of_buffers_alone),
        WITH_WORLD(later_forks_hold_what_was_needed),
        WITH_WORLD(forks_hold_more_where_slots_are_free),
        WITH_WORLD(table_is_about_as_long_as_needed),
        WITH_WORLD(habits_are_told_and_set),
        WITH_WORLD(forked_buffer_goes_on_past_the_table),
        WITH_WORLD(discarded_fork_gives_its_handles_back),
        WITH_WORLD(forked_buffer_may_have_commands_already),
        WITH_WORLD(forked_world_refuses_structural_changes),
        WITH_WORLD(bad_forks_and_joins_are_refused),
        WITH_WORLD(creations_past_the_last_index_are_a_limit),
        cmocka_unit_test(failed_forks_and_joins_can_be_repeated),
        WITH_WORLD(forked_world_can_be_freed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
