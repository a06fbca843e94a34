/* The model test: random operations on a world and on a naive reference, which must agree.
 *
 * Fixed seeds by default; STOA_SEED=n runs one, STOA_SOAK_SECONDS=n goes on with further seeds for
 * that long. A seed that fails is shrunk and printed as a sequence of calls, with what differs. */
#include "shrink.h"

#include <stdlib.h>

#include "support/seeds.h"

/* A sanitizer makes it ten times as slow, and does not need as many to find what it looks for. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SEED_COUNT 60
#else
#define SEED_COUNT 240
#endif
#define SEED_BATCH 20
#define OP_COUNT 5000

static const run_options run_all = {.full_every = 250, .second_world = true};
static int64_t ops_done;

/* Shrinks a failing trace and prints it. */
static void trace_explain(trace *t, const run_result *found) {
    run_result result;
    fprintf(stderr, "seed %u fails after %d operations: %s\n", (unsigned)t->seed, (int)t->count,
            found->message);
    shrink(t, &run_all, true, &result);
    fprintf(stderr, "shrunk to %d operations: %s\n", (int)t->count, result.message);
    trace_print(stderr, t);
}

static void seeds_run(uint32_t first, uint32_t last) {
    trace t;
    run_result result;
    shrink_seeds_apart(first, last, OP_COUNT, &run_all, &t, &result);
    if (result.failed) {
        trace_explain(&t, &result);
    }
    free(t.ops);
    if (result.failed) {
        fail_msg("the world and the reference differ, see above");
    }
    ops_done += result.op_count;
}

/* ENT-02 ENT-03 ENT-04 ENT-05 ENT-06 ENT-07 ENT-08 ENT-09 ENT-10 ENT-11
 * CHG-01 CHG-02 CHG-03 CHG-04 CHG-05 CHG-06 CMD-01 CMD-02 CMD-03 CMD-07 CMD-08
 * HOK-01 HOK-02 HOK-03 HOK-04 HOK-06 EVT-01 RES-01 RES-02 CMP-10 CMP-12 QRY-08 ACC-09
 * CMP-03 CMP-07 CMP-08 CMP-11 ACC-01 ACC-03 ACC-04 ACC-05 ACC-06 ACC-08 ACC-10
 * STO-01 STO-02 STO-04 STO-08 STO-11 QRY-01 QRY-02 QRY-03 QRY-04 QRY-05 QRY-06 QRY-09 QRY-11 */
static void world_agrees_with_the_reference(void **state) {
    (void)state;
    if (support_seeds_soak(SEED_COUNT, SEED_BATCH, seeds_run) >= SEED_COUNT) {
        assert_true(ops_done >= SEED_COUNT * OP_COUNT);
    }
}

/* Finds a fault in the reference, shrinks the trace, and returns how many operations are left. */
static int32_t fault_shrink(reference_fault fault, char *text, size_t size) {
    run_options options = {.fault = fault, .full_every = 50};
    run_result result = {.failed = false};
    trace t = {.ops = malloc(600 * sizeof(op))};
    assert_non_null(t.ops);
    for (uint32_t seed = 1; seed < 100 && !result.failed; seed++) {
        run_generate(&t, seed, 600, &options, &result);
    }
    if (!result.failed) {
        fail_msg("fault %d was not found", (int)fault);
    }
    shrink(&t, &options, false, &result);
    assert_true(result.failed);
    FILE *out = tmpfile();
    assert_non_null(out);
    trace_print(out, &t);
    rewind(out);
    text[fread(text, 1, size - 1, out)] = '\0';
    fclose(out);
    free(t.ops);
    return t.count;
}

/* STO-04 */
static void injected_fault_is_found_and_shrinks_to_a_handful_of_calls(void **state) {
    (void)state;
    if (getenv("STOA_SEED") != NULL) {
        skip();
    }
    static const char *const calls[FAULT_COUNT] = {
        [FAULT_REMOVE_KEEPS] = "stoa_remove(w, e",
        [FAULT_CLEAR_KEEPS] = "stoa_clear(w, e",
        [FAULT_CHANGE_KEEPS] = "stoa_change(w, e",
        [FAULT_CLONE_LOSES] = "stoa_clone(w, e",
        [FAULT_BULK_SHIFTS] = "stoa_create_bulk(w, ",
        [FAULT_ANY_IS_ALL] = "STOA_ANY",
        [FAULT_WALK_FORGETS] = "WRITE(",
        [FAULT_OFF_MATCHES] = "stoa_enable(w, e",
        [FAULT_SET_UNMARKED] = "(w, ",
        [FAULT_MOVE_MARKS] = "Health",
        [FAULT_RUN_FORGETS] = "stoa_query_iter(q",
        [FAULT_LOG_FORGETS] = "stoa_log_keep(w, ",
        [FAULT_SET_SILENT] = "stoa_on_set(w, ",
        [FAULT_HOOKS_BACKWARD] = "stoa_on_remove(w, ",
        [FAULT_OBSERVER_BLIND] = "stoa_observe(w, ",
        [FAULT_FLUSH_BACKWARD] = "stoa_commands_flush(c",
        [FAULT_SKIP_UNCOUNTED] = "stoa_commands_flush(c",
        [FAULT_EVENT_LOST] = "stoa_event_limit(w, ",
        [FAULT_LISTENER_STAYS] = "stoa_listener_new(w, ",
        [FAULT_RESOURCE_STAYS] = "stoa_resource_remove(w, ",
        [FAULT_WHOLE_MISSES] = "stoa_query_",
    };
    for (int fault = FAULT_NONE + 1; fault < FAULT_COUNT; fault++) {
        char text[4000];
        int32_t count = fault_shrink((reference_fault)fault, text, sizeof text);
        if (count > 7 || strstr(text, calls[fault]) == NULL) {
            fail_msg("fault %d is left with %d operations:\n%s", fault, (int)count, text);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(injected_fault_is_found_and_shrinks_to_a_handful_of_calls),
        cmocka_unit_test(world_agrees_with_the_reference),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
