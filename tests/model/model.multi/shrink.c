/* Shrinking by delta debugging, and runs in processes of their own.
 *
 * Blocks of operations are left out, from half the trace down to single ones; then sets, counts and
 * terms of what is left are made smaller. Each step is kept if the rest still fails, in whatever
 * way. */
#define _GNU_SOURCE
#include "shrink.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

/* Tries the trace without `length` operations from `first` on. */
static bool without_fails(const trace *t, int32_t first, int32_t length, trace *candidate,
                          shrink_fails fails, void *user) {
    size_t tail = (size_t)(t->count - first - length) * sizeof(op);
    op *ops = candidate->ops;
    *candidate = *t;
    candidate->ops = ops;
    memcpy(ops, t->ops, (size_t)first * sizeof(op));
    memcpy(ops + first, t->ops + first + length, tail);
    candidate->count = t->count - length;
    return fails(candidate, user);
}

static bool blocks_remove(trace *t, int32_t length, trace *candidate, shrink_fails fails,
                          void *user) {
    bool shorter = false;
    int32_t first = t->count - length;
    while (first >= 0) {
        if (without_fails(t, first, length, candidate, fails, user)) {
            memcpy(t->ops, candidate->ops, (size_t)candidate->count * sizeof(op));
            t->count = candidate->count;
            shorter = true;
        }
        first -= length;
    }
    return shorter;
}

/* Puts `changed` in place of an op if the trace still fails with it. */
static bool op_try(trace *t, int32_t i, op changed, shrink_fails fails, void *user) {
    op old = t->ops[i];
    if (memcmp(&old, &changed, sizeof old) == 0) {
        return false;
    }
    t->ops[i] = changed;
    if (fails(t, user)) {
        return true;
    }
    t->ops[i] = old;
    return false;
}

static void op_simplify(trace *t, int32_t i, shrink_fails fails, void *user) {
    for (int type = 0; type < TYPE_COUNT; type++) {
        op changed = t->ops[i];
        bool last = (changed.put | changed.zero | changed.drop) == 1u << type;
        if (!last) {
            changed.put &= ~(1u << type);
            changed.zero &= ~(1u << type);
            changed.drop &= ~(1u << type);
            (void)op_try(t, i, changed, fails, user);
        }
        changed = t->ops[i];
        if (changed.access[type] != STOA_ACCESS_END) {
            changed.access[type] = STOA_ACCESS_END;
            (void)op_try(t, i, changed, fails, user);
        }
        changed = t->ops[i];
        changed.changed &= ~TYPE_BIT(type);
        (void)op_try(t, i, changed, fails, user);
        changed = t->ops[i];
        changed.added &= ~TYPE_BIT(type);
        (void)op_try(t, i, changed, fails, user);
    }
    op quiet = t->ops[i];
    quiet.action = ACTION_NONE;
    (void)op_try(t, i, quiet, fails, user);
    for (int32_t count = 1; count < t->ops[i].count; count *= 2) {
        op changed = t->ops[i];
        changed.count = count;
        if (op_try(t, i, changed, fails, user)) {
            break;
        }
    }
}

void shrink(trace *t, shrink_fails fails, void *user) {
    trace candidate = {.ops = malloc((size_t)(t->count + 1) * sizeof(op))};
    if (candidate.ops == NULL) {
        return;
    }
    for (int32_t length = (t->count + 1) / 2; length > 1; length = (length + 1) / 2) {
        (void)blocks_remove(t, length < t->count ? length : t->count, &candidate, fails, user);
    }
    while (blocks_remove(t, 1, &candidate, fails, user)) {
    }
    for (int32_t i = 0; i < t->count; i++) {
        op_simplify(t, i, fails, user);
    }
    while (blocks_remove(t, 1, &candidate, fails, user)) {
    }
    free(candidate.ops);
}

/* What a process apart tells; the operations follow it. */
typedef struct report {
    run_result result;
    trace trace;
    _Alignas(16) op ops[];
} report;

static report *report_map(int32_t op_count) {
    size_t size = sizeof(report) + (size_t)op_count * sizeof(op);
    report *shared = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED) {
        fail_msg("no shared memory for a process apart");
    }
    shared->trace.ops = shared->ops;
    return shared;
}

static void report_unmap(report *shared, int32_t op_count) {
    munmap(shared, sizeof(report) + (size_t)op_count * sizeof(op));
}

/* Starts a process. In the child, a failing cmocka check must not jump back into the parent's test.
 */
static pid_t process_start(void) {
    fflush(NULL);
    pid_t child = fork();
    if (child < 0) {
        fail_msg("no process to run apart in");
    }
    if (child == 0) {
        setenv("CMOCKA_TEST_ABORT", "1", 1);
    }
    return child;
}

static void process_wait(pid_t child, run_result *result) {
    int status = 0;
    while (waitpid(child, &status, 0) < 0) {
    }
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
        result->failed = true;
        snprintf(result->message, sizeof result->message, "the process ended with status %#x",
                 (unsigned)status);
    }
}

void shrink_run_apart(const trace *t, const run_options *options, run_result *result) {
    report *shared = report_map(0);
    pid_t child = process_start();
    if (child == 0) {
        if (freopen("/dev/null", "w", stderr) == NULL) {
            _exit(1);
        }
        run_replay(t, options, &shared->result);
        _exit(0);
    }
    process_wait(child, &shared->result);
    *result = shared->result;
    report_unmap(shared, 0);
}

void shrink_seeds_apart(uint32_t first, uint32_t last, int32_t op_count, const run_options *options,
                        trace *t, run_result *result) {
    report *shared = report_map(op_count);
    pid_t child = process_start();
    if (child == 0) {
        int64_t done = 0;
        for (uint32_t seed = first; seed <= last && !shared->result.failed; seed++) {
            run_generate(&shared->trace, seed, op_count, options, &shared->result);
            done += shared->result.op_count;
        }
        shared->result.op_count = done;
        exit(0);
    }
    process_wait(child, &shared->result);
    *result = shared->result;
    *t = shared->trace;
    t->ops = malloc((size_t)(t->count + 1) * sizeof(op));
    if (t->ops == NULL) {
        fail_msg("no memory for a trace");
    }
    memcpy(t->ops, shared->ops, (size_t)t->count * sizeof(op));
    report_unmap(shared, op_count);
}
