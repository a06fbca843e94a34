/* Traces that fail shrink to what matters, and are printed with their seeds.
 *
 * Here a trace is a sequence of numbers, and fails if certain ones are among them. */
#define _POSIX_C_SOURCE 200809L

#include "support/trace.h"

#include <stdlib.h>
#include <unistd.h>

#define STEPS_MAX 400

typedef struct step {
    int32_t number;
    uint32_t noise; /* makes steps of the same number differ */
} step;

/* Numbers that must come in this order for a trace to fail; 0 ends them. */
typedef struct needed {
    int32_t numbers[8];
    uint32_t runs;
    uint32_t passing; /* runs of traces that did not fail */
} needed;

static step steps[STEPS_MAX];

/* Random numbers below 1000, longer for higher seeds; from seed 5 on with 1, 2 and 3 in order. */
static void numbers_make(support_trace *t) {
    support_random random = {t->seed};
    step *made = t->steps;
    t->count = 20 * (uint32_t)t->seed;
    for (uint32_t i = 0; i < t->count; i++) {
        made[i] = (step){10 + (int32_t)support_random_below(&random, 990), i};
    }
    for (uint32_t k = 1; t->seed >= 5 && k <= 3; k++) {
        made[t->count * k / 4].number = (int32_t)k;
    }
}

static const char *numbers_run(const support_trace *t) {
    needed *n = t->of->user;
    const step *given = t->steps;
    int found = 0;
    for (uint32_t i = 0; i < t->count; i++) {
        found += n->numbers[found] != 0 && given[i].number == n->numbers[found];
    }
    bool fails = n->numbers[found] == 0;
    n->runs++;
    n->passing += !fails;
    return fails ? "the numbers are there" : NULL;
}

static void number_print(FILE *out, const void *step_of) {
    fprintf(out, "number %d", (int)((const step *)step_of)->number);
}

static void count_tell(FILE *out, const support_trace *t) {
    fprintf(out, "%u are left of seed %llu\n", (unsigned)t->count, (unsigned long long)t->seed);
}

static support_traces traces_of(needed *n) {
    return (support_traces){SUPPORT_STEPS(steps), .seeds = 20,           .make = numbers_make,
                            .run = numbers_run,   .print = number_print, .user = n};
}

/* Shrinks a trace of given numbers, which must fail. */
static support_trace numbers_shrink(const support_traces *of, const int32_t *numbers,
                                    uint32_t count) {
    support_trace t = {.of = of, .steps = steps, .count = count};
    for (uint32_t i = 0; i < count; i++) {
        steps[i] = (step){numbers[i], i};
    }
    assert_non_null(of->run(&t));
    support_trace_shrink(&t);
    assert_non_null(of->run(&t));
    return t;
}

static void text_read(FILE *from, char *text, size_t size) {
    rewind(from);
    text[fread(text, 1, size - 1, from)] = '\0';
    fclose(from);
}

/* What traces print until one fails, and whether all held. */
static bool traces_print(const support_traces *of, char *text, size_t size) {
    FILE *out = tmpfile();
    assert_non_null(out);
    bool hold = support_traces_hold(of, out);
    text_read(out, text, size);
    return hold;
}

static void shrinking_keeps_only_steps_that_matter(void **state) {
    (void)state;
    needed n = {.numbers = {4, 7, 4}};
    support_traces of = traces_of(&n);
    const int32_t numbers[] = {7, 4, 4, 9, 7, 7, 9, 9, 4, 4, 7, 1};
    support_trace t = numbers_shrink(&of, numbers, 12);
    assert_int_equal(t.count, 3);
    assert_int_equal(steps[0].number, 4);
    assert_int_equal(steps[1].number, 7);
    assert_int_equal(steps[2].number, 4);
    /* Whole steps, in the order they had. */
    assert_in_range(steps[0].noise, 1, 2);
    assert_in_range(steps[1].noise, 4, 5);
    assert_in_range(steps[2].noise, 8, 9);
}

/* Whatever is needed, wherever it stands: no step of what is left can go. */
static void shrunk_traces_are_minimal(void **state) {
    (void)state;
    support_random random = {7};
    for (int round = 0; round < 300; round++) {
        int32_t numbers[STEPS_MAX];
        uint32_t count = 8 + support_random_below(&random, STEPS_MAX - 8), wanted = 0;
        needed n = {.numbers = {0}};
        for (uint32_t i = 0; i < count; i++) {
            numbers[i] = 1 + (int32_t)support_random_below(&random, 9);
            if (wanted < 7 && support_random_below(&random, count) < 7) {
                n.numbers[wanted++] = numbers[i];
            }
        }
        support_traces of = traces_of(&n);
        support_trace t = numbers_shrink(&of, numbers, count);
        assert_int_equal(t.count, wanted);
        for (uint32_t i = 0; i < wanted; i++) {
            assert_int_equal(steps[i].number, n.numbers[i]);
        }
    }
}

static void long_traces_shrink_in_few_runs(void **state) {
    (void)state;
    needed n = {.numbers = {1, 2}};
    support_traces of = traces_of(&n);
    int32_t numbers[STEPS_MAX] = {0};
    numbers[50] = 1;
    numbers[STEPS_MAX - 1] = 2;
    assert_int_equal(numbers_shrink(&of, numbers, STEPS_MAX).count, 2);
    assert_in_range(n.runs, 1, 60);
}

static void traces_that_fail_without_steps_shrink_to_none(void **state) {
    (void)state;
    needed n = {.numbers = {0}};
    support_traces of = traces_of(&n);
    assert_int_equal(numbers_shrink(&of, (const int32_t[]){1, 2, 3}, 3).count, 0);
    assert_int_equal(numbers_shrink(&of, NULL, 0).count, 0);
}

static void step_is_replaced_only_if_the_trace_still_fails(void **state) {
    (void)state;
    needed n = {.numbers = {4, 7}};
    support_traces of = traces_of(&n);
    support_trace t = numbers_shrink(&of, (const int32_t[]){4, 7}, 2);
    const step same = steps[0], plain = {4, 99}, other = {5, 0};
    assert_false(support_trace_replace(&t, 0, &same));
    assert_true(support_trace_replace(&t, 0, &plain));
    assert_int_equal(steps[0].noise, 99);
    assert_false(support_trace_replace(&t, 0, &other));
    assert_int_equal(steps[0].number, 4);
    assert_int_equal(steps[0].noise, 99);
    assert_int_equal(steps[1].number, 7);
}

static void first_seed_that_fails_is_printed_with_its_steps(void **state) {
    (void)state;
    char text[1000];
    needed n = {.numbers = {1, 2, 3}};
    support_traces of = traces_of(&n);
    of.tell = count_tell;
    assert_false(traces_print(&of, text, sizeof text));
    assert_string_equal(text, "seed 5 fails in 100 steps: the numbers are there\n"
                              "shrunk to 3: the numbers are there\n"
                              "  number 1\n"
                              "  number 2\n"
                              "  number 3\n"
                              "3 are left of seed 5\n");
}

static void traces_that_hold_print_nothing_and_run_once(void **state) {
    (void)state;
    char text[1000];
    needed n = {.numbers = {1000}};
    support_traces of = traces_of(&n);
    assert_true(traces_print(&of, text, sizeof text));
    assert_string_equal(text, "");
    assert_int_equal(n.runs, 20);
    assert_int_equal(n.passing, 20);
}

static void environment_chooses_the_seeds(void **state) {
    (void)state;
    char text[1000];
    needed n = {.numbers = {1, 2, 3}};
    support_traces of = traces_of(&n);
    setenv("STOA_SEED", "9", 1);
    assert_false(traces_print(&of, text, sizeof text));
    assert_ptr_equal(strstr(text, "seed 9 fails in 180 steps"), text);
    setenv("STOA_SEED", "2", 1);
    assert_true(traces_print(&of, text, sizeof text));
    unsetenv("STOA_SEED");
    n.runs = 0;
    setenv("STOA_ROUNDS", "4", 1);
    assert_true(traces_print(&of, text, sizeof text));
    unsetenv("STOA_ROUNDS");
    assert_int_equal(n.runs, 4);
}

/* What the teardown prints. */
static void seed_print(char *text, size_t size) {
    FILE *out = tmpfile();
    int kept = dup(STDERR_FILENO);
    assert_true(out != NULL && kept >= 0);
    assert_true(dup2(fileno(out), STDERR_FILENO) >= 0);
    int status = support_seed_show(NULL);
    fflush(stderr);
    assert_true(dup2(kept, STDERR_FILENO) >= 0);
    close(kept);
    assert_int_equal(status, 0);
    text_read(out, text, size);
}

static void seed_is_shown_if_the_test_ends_within_it(void **state) {
    (void)state;
    char text[100];
    support_seeds seeds = support_seeds_of(2);
    seed_print(text, sizeof text);
    assert_string_equal(text, "");
    assert_true(support_seeds_next(&seeds) && support_seeds_next(&seeds));
    seed_print(text, sizeof text);
    assert_string_equal(text, "seed 2 was running\n");
    assert_false(support_seeds_next(&seeds));
    seed_print(text, sizeof text);
    assert_string_equal(text, "");
}

static uint32_t soak_runs[8][2], soak_run_count;

static void soak_run(uint32_t first, uint32_t last) {
    soak_runs[soak_run_count][0] = first;
    soak_runs[soak_run_count++][1] = last;
}

static void seeds_are_soaked_in_batches(void **state) {
    (void)state;
    assert_int_equal(support_seeds_soak(60, 20, soak_run), 60);
    assert_int_equal(soak_run_count, 3);
    for (uint32_t i = 0; i < 3; i++) {
        assert_int_equal(soak_runs[i][0], 20 * i);
        assert_int_equal(soak_runs[i][1], 20 * i + 19);
    }
    setenv("STOA_SEED", "7", 1);
    assert_int_equal(support_seeds_soak(60, 20, soak_run), 1);
    unsetenv("STOA_SEED");
    assert_int_equal(soak_run_count, 4);
    assert_int_equal(soak_runs[3][0], 7);
    assert_int_equal(soak_runs[3][1], 7);
}

/* The weights are those of the numbers drawn. */
static void numbers_are_picked_as_often_as_their_weights_say(void **state) {
    (void)state;
    static const uint8_t weights[4] = {10, 0, 30, 60};
    int32_t counts[4] = {0};
    support_random random = {2};
    for (int i = 0; i < 10000; i++) {
        counts[support_random_pick(&random, weights, 4)]++;
    }
    assert_in_range(counts[0], 900, 1100);
    assert_int_equal(counts[1], 0);
    assert_in_range(counts[2], 2850, 3150);
    assert_in_range(counts[3], 5850, 6150);
}

int main(void) {
    unsetenv("STOA_SEED");
    unsetenv("STOA_ROUNDS");
    unsetenv("STOA_SOAK_SECONDS");
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shrinking_keeps_only_steps_that_matter),
        cmocka_unit_test(shrunk_traces_are_minimal),
        cmocka_unit_test(long_traces_shrink_in_few_runs),
        cmocka_unit_test(traces_that_fail_without_steps_shrink_to_none),
        cmocka_unit_test(step_is_replaced_only_if_the_trace_still_fails),
        cmocka_unit_test(first_seed_that_fails_is_printed_with_its_steps),
        cmocka_unit_test(traces_that_hold_print_nothing_and_run_once),
        cmocka_unit_test(environment_chooses_the_seeds),
        cmocka_unit_test(seed_is_shown_if_the_test_ends_within_it),
        cmocka_unit_test(seeds_are_soaked_in_batches),
        cmocka_unit_test(numbers_are_picked_as_often_as_their_weights_say),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
