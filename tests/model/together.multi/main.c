/* The test of the modules together: traces are generated, run, shrunk and printed.
 *
 * Fixed seeds by default; STOA_SEED=n runs one, STOA_SOAK_SECONDS=n goes on with further seeds for
 * that long, STOA_OPERATIONS=n makes traces of that length. A seed that fails is shrunk and printed
 * with what differs. */
#define _GNU_SOURCE
#include "together.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* Sanitizers take their time. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SEED_COUNT 80
#else
#define SEED_COUNT 200
#endif
#define SEED_BATCH 20
#define OP_DEFAULT 1500
#define FULL_EVERY 20

static const char *const op_names[OP_COUNT] = {
    "create",       "bulk",          "destroy", "destroy_recursive",
    "clear",        "clone",         "set",     "add",
    "remove",       "change",        "name",    "require",
    "link",         "unlink",        "hide",    "policy",
    "enable",       "write",         "walk",    "whole set",
    "whole remove", "whole destroy", "prefab",  "prefab bulk",
    "prefab set",   "sort",          "compact", "propagate",
    "flush",        "forbidden"};

/* How often each comes, of the sum. */
static const uint8_t op_shares[OP_COUNT] = {30, 8, 14, 4, 5, 8, 24, 8, 14, 16, 14, 4, 40, 10, 3,
                                            3,  6, 16, 8, 5, 4, 1,  8, 4,  2,  4,  2, 8,  10, 5};

typedef struct trace {
    uint32_t seed;
    int count;
    op *ops;
} trace;

/* What a run in a process of its own tells. */
typedef struct report {
    bool failed;
    char message[300];
    trace trace;
    op ops[]; /* of the trace */
} report;

static int op_most;

void run_blame(run *r, const char *format, ...) {
    if (r->message[0] == '\0') {
        va_list arguments;
        va_start(arguments, format);
        vsnprintf(r->message, sizeof r->message, format, arguments);
        va_end(arguments);
    }
}

static int thing_pick(const run *r, support_random *random) {
    if (r->thing_count == 0 || support_random_below(random, 16) == 0) {
        return r->thing_count == 0 ? -1
                                   : (int)support_random_below(random, (uint32_t)r->thing_count);
    }
    return r->live_count == 0 ? -1 : r->live[support_random_below(random, (uint32_t)r->live_count)];
}

static op_kind kind_pick(const run *r, support_random *random) {
    uint32_t sum = 0;
    for (int i = 0; i < OP_COUNT; i++) {
        sum += op_shares[i];
    }
    uint32_t share = support_random_below(random, sum);
    int kind = 0;
    for (; share >= op_shares[kind]; kind++) {
        share -= op_shares[kind];
    }
    bool makes = kind == OP_CREATE || kind == OP_BULK || kind == OP_CLONE || kind == OP_PREFAB ||
                 kind == OP_PREFAB_BULK;
    return makes && r->live_count > r->crowd ? OP_DESTROY : (op_kind)kind;
}

static bool kind_recordable(op_kind kind) {
    return kind == OP_CREATE || kind == OP_DESTROY || kind == OP_CLEAR || kind == OP_SET ||
           kind == OP_ADD || kind == OP_REMOVE || kind == OP_CHANGE || kind == OP_NAME ||
           kind == OP_LINK || kind == OP_UNLINK || kind == OP_ENABLE || kind == OP_PREFAB;
}

/* Where no allocation can be made to fail without a doubt about what must have happened. */
static bool kind_frugal(op_kind kind) {
    return kind == OP_CLEAR || kind == OP_HIDE || kind == OP_POLICY || kind == OP_WRITE ||
           kind == OP_WALK || kind == OP_WHOLE_SET || kind == OP_WHOLE_REMOVE ||
           kind == OP_FORBIDDEN;
}

/* A mask with few bits. */
static uint32_t kinds_pick(support_random *random) {
    uint32_t kinds = BIT(support_random_below(random, KIND_COUNT));
    while (support_random_below(random, 5) < 3) {
        kinds |= BIT(support_random_below(random, KIND_COUNT));
    }
    return kinds;
}

static op op_make(const run *r, support_random *random, int next) {
    op o = {.kind = kind_pick(r, random), .make = next};
    o.a = thing_pick(r, random);
    o.b = support_random_below(random, 12) == 0 ? -1 : thing_pick(r, random);
    bool fresh = o.a < 0 && o.kind != OP_BULK && o.kind != OP_REQUIRE;
    if (fresh) {
        o.kind = OP_CREATE;
    }
    o.put = kinds_pick(random);
    o.drop = kinds_pick(random);
    o.value = support_random_next(random);
    if (o.kind == OP_CREATE && support_random_below(random, 8) == 0) {
        o.put = 0;
    }
    o.later = kind_recordable(o.kind) && support_random_below(random, 4) == 0;
    o.probe = o.later && support_random_below(random, 4) != 0;
    if (support_random_below(random, 10) == 0 && !kind_frugal(o.kind)) {
        o.fail = 1 + support_random_below(random, support_random_below(random, 8) + 1);
    }
    if (o.kind == OP_CREATE && o.a < 0) {
        o.a = o.b = -1;
    }
    return o;
}

static bool step(run *r, const op *o, int number, bool always) {
    op_run(r, o);
    if (r->message[0] == '\0' && o->a >= 0) {
        thing_compare(r, o->a);
    }
    if (r->message[0] == '\0' && o->b >= 0) {
        thing_compare(r, o->b);
    }
    if (r->message[0] == '\0' && stoa_count(r->w) != r->live_count) {
        run_blame(r, "%d entities live, expected %d", stoa_count(r->w), r->live_count);
    }
    if (r->message[0] == '\0' && (always || number % FULL_EVERY == 0 || r->short_of_memory)) {
        run_compare(r);
    }
    return r->message[0] == '\0';
}

static run the_run;

static bool room_left(const run *r, int next) {
    return next + MAKE_MAX < THING_MAX && r->like_count + 8 < PAIR_MAX;
}

/* Makes a trace as it is run. */
static void run_generate(report *out, uint32_t seed, int count) {
    run *r = &the_run;
    support_random random = {seed * 7919ull + 11};
    memset(r, 0, sizeof *r);
    run_open(r, seed);
    out->trace.seed = seed;
    out->trace.count = 0;
    for (int i = 0, next = 0; i < count && room_left(r, next); i++) {
        op o = op_make(r, &random, next);
        next += MAKE_MAX;
        next =
            o.kind == OP_CREATE || o.kind == OP_CLONE || o.kind == OP_REQUIRE ? o.make + 1 : next;
        bool makes = o.kind == OP_CREATE || o.kind == OP_BULK || o.kind == OP_CLONE ||
                     o.kind == OP_REQUIRE || o.kind == OP_PREFAB || o.kind == OP_PREFAB_BULK;
        next = makes ? next : o.make;
        out->trace.ops[out->trace.count++] = o;
        if (!step(r, &o, i + 1, false)) {
            break;
        }
    }
    if (r->message[0] == '\0') {
        run_compare(r);
    }
    run_close(r);
    out->failed = r->message[0] != '\0';
    memcpy(out->message, r->message, sizeof out->message);
}

static void run_replay(report *out, const trace *t) {
    run *r = &the_run;
    memset(r, 0, sizeof *r);
    run_open(r, t->seed);
    for (int i = 0; i < t->count; i++) {
        if (!step(r, &t->ops[i], i + 1, t->count < 60)) {
            break;
        }
    }
    if (r->message[0] == '\0') {
        run_compare(r);
    }
    run_close(r);
    out->failed = r->message[0] != '\0';
    memcpy(out->message, r->message, sizeof out->message);
}

static report *report_map(void) {
    size_t size = sizeof(report) + (size_t)op_most * sizeof(op);
    report *shared = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    assert_true(shared != MAP_FAILED);
    shared->trace.ops = shared->ops;
    return shared;
}

static void report_unmap(report *shared) {
    munmap(shared, sizeof(report) + (size_t)op_most * sizeof(op));
}

/* Runs seeds, or a trace if there is one, in a process apart, which may end as it likes. */
static void apart(report *shared, const trace *t, uint32_t first, uint32_t last) {
    fflush(NULL);
    shared->failed = false;
    shared->message[0] = '\0';
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        setenv("CMOCKA_TEST_ABORT", "1", 1);
        if (t != NULL && freopen("/dev/null", "w", stderr) == NULL) {
            _exit(1);
        }
        for (uint32_t seed = first; t == NULL && seed <= last && !shared->failed; seed++) {
            run_generate(shared, seed, op_most);
        }
        if (t != NULL) {
            run_replay(shared, t);
        }
        _exit(0);
    }
    int status = 0;
    while (waitpid(child, &status, 0) < 0) {
    }
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
        shared->failed = true;
        snprintf(shared->message, sizeof shared->message, "the process ended with status %#x",
                 (unsigned)status);
    }
}

static bool trace_fails(const trace *t) {
    report *shared = report_map();
    apart(shared, t, 0, 0);
    bool failed = shared->failed;
    report_unmap(shared);
    return failed;
}

/* Leaves blocks of operations out as long as the rest fails. */
static bool blocks_remove(trace *t, trace *candidate, int length) {
    bool shorter = false;
    for (int first = t->count - length; first >= 0; first -= length) {
        memcpy(candidate->ops, t->ops, (size_t)first * sizeof(op));
        memcpy(candidate->ops + first, t->ops + first + length,
               (size_t)(t->count - first - length) * sizeof(op));
        candidate->count = t->count - length;
        if (trace_fails(candidate)) {
            memcpy(t->ops, candidate->ops, (size_t)candidate->count * sizeof(op));
            t->count = candidate->count;
            shorter = true;
        }
    }
    return shorter;
}

/* Makes the operations that are left simpler. */
static void ops_simplify(trace *t) {
    for (int i = 0; i < t->count; i++) {
        for (int step_kind = 0; step_kind < 2 * KIND_COUNT + 3; step_kind++) {
            op old = t->ops[i];
            op *o = &t->ops[i];
            if (step_kind < KIND_COUNT) {
                o->put &= ~BIT(step_kind);
            } else if (step_kind < 2 * KIND_COUNT) {
                o->drop &= ~BIT(step_kind - KIND_COUNT);
            } else if (step_kind == 2 * KIND_COUNT) {
                o->fail = 0;
            } else if (step_kind == 2 * KIND_COUNT + 1) {
                o->later = false;
            } else {
                o->b = -1;
            }
            bool needs = o->put == 0 && (o->kind == OP_SET || o->kind == OP_ADD ||
                                         o->kind == OP_REMOVE || o->kind == OP_CHANGE);
            if (memcmp(&old, o, sizeof old) != 0 && (needs || !trace_fails(t))) {
                *o = old;
            }
        }
    }
}

static void trace_print(const trace *t) {
    static const char *const kinds[KIND_COUNT] = {"Plain",  "Team",  "Heat",  "Shield", "Name",
                                                  "Parent", "Owner", "Local", "World"};
    for (int i = 0; i < t->count; i++) {
        const op *o = &t->ops[i];
        bundle b = bundle_make(o, 0);
        fprintf(stderr,
                "  %s%s%s t%d t%d -> t%d value %#x (rel %u, policy %u, a %d, team %d, heat %d, "
                "name %d)",
                o->later ? "record " : "", o->later && o->probe ? "(noted) " : "",
                op_names[o->kind], o->a, o->b, o->make, (unsigned)o->value,
                (unsigned)(o->value % REL_COUNT), (unsigned)((o->value >> 4) % 3), b.plain.a,
                b.team.team, b.heat.degrees, b.name);
        if (o->fail != 0) {
            fprintf(stderr, " fail %u", (unsigned)o->fail);
        }
        for (int kind = 0; kind < KIND_COUNT; kind++) {
            if ((o->put & BIT(kind)) != 0) {
                fprintf(stderr, " +%s", kinds[kind]);
            }
            if ((o->drop & BIT(kind)) != 0) {
                fprintf(stderr, " -%s", kinds[kind]);
            }
        }
        fprintf(stderr, "\n");
    }
}

static void trace_explain(const report *shared) {
    trace copy = shared->trace, other = shared->trace, *t = &copy, *candidate = &other;
    copy.ops = malloc((size_t)op_most * sizeof(op));
    other.ops = malloc((size_t)op_most * sizeof(op));
    assert_true(copy.ops != NULL && other.ops != NULL);
    memcpy(t->ops, shared->trace.ops, (size_t)t->count * sizeof(op));
    fprintf(stderr, "seed %u fails after %d operations: %s\n", (unsigned)shared->trace.seed,
            t->count, shared->message);
    for (int length = (t->count + 1) / 2; length > 1; length = (length + 1) / 2) {
        (void)blocks_remove(t, candidate, length < t->count ? length : t->count);
    }
    while (blocks_remove(t, candidate, 1)) {
    }
    ops_simplify(t);
    while (blocks_remove(t, candidate, 1)) {
    }
    report *last = report_map();
    apart(last, t, 0, 0);
    fprintf(stderr, "shrunk to %d operations: %s\n", t->count, last->message);
    trace_print(t);
    report_unmap(last);
    free(copy.ops);
    free(other.ops);
}

static void seeds_run(uint32_t first, uint32_t last) {
    report *shared = report_map();
    apart(shared, NULL, first, last);
    bool failed = shared->failed;
    if (failed) {
        trace_explain(shared);
    }
    report_unmap(shared);
    if (failed) {
        fail_msg("the world and the reference differ, see above");
    }
}

static long environment_number(const char *name) {
    const char *text = getenv(name);
    return text == NULL ? -1 : strtol(text, NULL, 10);
}

/* NAM-01 NAM-02 IDX-01 REL-01 SRT-01 SRT-02 PRE-01 PRE-02 PRE-03 PRE-04 TRF-01 TRF-02 TRF-03 TRF-04
 * ENT-09 */
static void modules_agree_with_one_reference(void **state) {
    (void)state;
    long seed = environment_number("STOA_SEED");
    long operations = environment_number("STOA_OPERATIONS");
    op_most = operations > 0 ? (int)operations : OP_DEFAULT;
    if (seed >= 0) {
        seeds_run((uint32_t)seed, (uint32_t)seed);
        return;
    }
    uint32_t next = 0;
    for (; next < SEED_COUNT; next += SEED_BATCH) {
        seeds_run(next, next + SEED_BATCH - 1);
    }
    long seconds = environment_number("STOA_SOAK_SECONDS");
    time_t start = time(NULL);
    while (seconds > 0 && time(NULL) - start < seconds) {
        seeds_run(next, next);
        next++;
    }
    if (seconds > 0) {
        print_message("%u seeds of %d operations\n", (unsigned)next, op_most);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(modules_agree_with_one_reference),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
