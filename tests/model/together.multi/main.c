/* The test of the modules together: traces are generated, run, shrunk and printed.
 *
 * Fixed seeds by default; STOA_SEED=n runs one, STOA_SOAK_SECONDS=n goes on with further seeds for
 * that long, STOA_OPERATIONS=n makes traces of that length. A seed that fails is shrunk and printed
 * with what differs. */
#include "together.h"

#include <stdlib.h>

#include "support/apart.h"
#include "support/trace.h"

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

/* What a process apart is given and tells. */
typedef struct report {
    uint32_t first, last; /* seeds, or */
    bool replays;         /* operations that are there */
    bool failed;
    char message[300];
    uint32_t seed; /* of the operations */
    uint32_t count;
    op ops[];
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
    op_kind kind = (op_kind)support_random_pick(random, op_shares, OP_COUNT);
    bool makes = kind == OP_CREATE || kind == OP_BULK || kind == OP_CLONE || kind == OP_PREFAB ||
                 kind == OP_PREFAB_BULK;
    return makes && r->live_count > r->crowd ? OP_DESTROY : kind;
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

static void run_begin(run *r, uint32_t seed) {
    memset(r, 0, sizeof *r);
    run_open(r, seed);
}

static void run_end(run *r, report *out) {
    if (r->message[0] == '\0') {
        run_compare(r);
    }
    run_close(r);
    out->failed = r->message[0] != '\0';
    memcpy(out->message, r->message, sizeof out->message);
}

/* Makes a trace as it is run. */
static void run_generate(report *out, uint32_t seed, int count) {
    run *r = &the_run;
    support_random random = {seed * 7919ull + 11};
    run_begin(r, seed);
    out->seed = seed;
    out->count = 0;
    for (int i = 0, next = 0; i < count && room_left(r, next); i++) {
        op o = op_make(r, &random, next);
        next += MAKE_MAX;
        next =
            o.kind == OP_CREATE || o.kind == OP_CLONE || o.kind == OP_REQUIRE ? o.make + 1 : next;
        bool makes = o.kind == OP_CREATE || o.kind == OP_BULK || o.kind == OP_CLONE ||
                     o.kind == OP_REQUIRE || o.kind == OP_PREFAB || o.kind == OP_PREFAB_BULK;
        next = makes ? next : o.make;
        out->ops[out->count++] = o;
        if (!step(r, &o, i + 1, false)) {
            break;
        }
    }
    run_end(r, out);
}

static void run_replay(report *out) {
    run *r = &the_run;
    run_begin(r, out->seed);
    for (uint32_t i = 0; i < out->count; i++) {
        if (!step(r, &out->ops[i], (int)i + 1, out->count < 60)) {
            break;
        }
    }
    run_end(r, out);
}

static size_t report_size(void) {
    return sizeof(report) + (size_t)op_most * sizeof(op);
}

static void report_work(void *user) {
    report *shared = user;
    if (shared->replays) {
        run_replay(shared);
        return;
    }
    for (uint32_t seed = shared->first; seed <= shared->last && !shared->failed; seed++) {
        run_generate(shared, seed, op_most);
    }
}

/* Does in a process apart, which may end as it likes, what a report asks for. */
static void report_run(report *shared) {
    shared->failed = false;
    shared->message[0] = '\0';
    if (!support_run_apart(report_work, shared, shared->replays, shared->message,
                           sizeof shared->message)) {
        shared->failed = true;
    }
}

static const char *shorter_run(const support_trace *t) {
    report *shared = t->of->user;
    memcpy(shared->ops, t->steps, (size_t)t->count * sizeof(op));
    shared->count = t->count;
    report_run(shared);
    return shared->failed ? shared->message : NULL;
}

/* Makes the operations that are left simpler. */
static void op_simplify(support_trace *t, uint32_t i) {
    const op *now = (const op *)t->steps + i;
    for (int part = 0; part < 2 * KIND_COUNT + 3; part++) {
        op o = *now;
        if (part < KIND_COUNT) {
            o.put &= ~BIT(part);
        } else if (part < 2 * KIND_COUNT) {
            o.drop &= ~BIT(part - KIND_COUNT);
        } else if (part == 2 * KIND_COUNT) {
            o.fail = 0;
        } else if (part == 2 * KIND_COUNT + 1) {
            o.later = false;
        } else {
            o.b = -1;
        }
        bool needs = o.put == 0 && (o.kind == OP_SET || o.kind == OP_ADD || o.kind == OP_REMOVE ||
                                    o.kind == OP_CHANGE);
        if (!needs) {
            (void)support_trace_replace(t, i, &o);
        }
    }
}

static void op_print(FILE *out, const op *o) {
    static const char *const kinds[KIND_COUNT] = {"Plain",  "Team",  "Heat",  "Shield", "Name",
                                                  "Parent", "Owner", "Local", "World"};
    bundle b = bundle_make(o, 0);
    fprintf(out,
            "  %s%s%s t%d t%d -> t%d value %#x (rel %u, policy %u, a %d, team %d, heat %d, "
            "name %d)",
            o->later ? "record " : "", o->later && o->probe ? "(noted) " : "", op_names[o->kind],
            o->a, o->b, o->make, (unsigned)o->value, (unsigned)(o->value % REL_COUNT),
            (unsigned)((o->value >> 4) % 3), b.plain.a, b.team.team, b.heat.degrees, b.name);
    if (o->fail != 0) {
        fprintf(out, " fail %u", (unsigned)o->fail);
    }
    for (int kind = 0; kind < KIND_COUNT; kind++) {
        if ((o->put & BIT(kind)) != 0) {
            fprintf(out, " +%s", kinds[kind]);
        }
        if ((o->drop & BIT(kind)) != 0) {
            fprintf(out, " -%s", kinds[kind]);
        }
    }
    fprintf(out, "\n");
}

/* Shrinks the operations of a report that failed, and prints them. */
static void report_explain(report *shared) {
    size_t size = (size_t)shared->count * sizeof(op);
    op *ops = malloc(size);
    assert_non_null(ops);
    memcpy(ops, shared->ops, size);
    fprintf(stderr, "seed %u fails after %u operations: %s\n", (unsigned)shared->seed,
            (unsigned)shared->count, shared->message);
    const support_traces of = {.step_size = sizeof(op), .run = shorter_run, .user = shared};
    support_trace t = {.of = &of, .steps = ops, .count = shared->count};
    shared->replays = true;
    support_trace_shrink(&t);
    for (uint32_t i = 0; i < t.count; i++) {
        op_simplify(&t, i);
    }
    support_trace_shrink(&t);
    (void)shorter_run(&t);
    fprintf(stderr, "shrunk to %u operations: %s\n", (unsigned)t.count, shared->message);
    for (uint32_t i = 0; i < t.count; i++) {
        op_print(stderr, &ops[i]);
    }
    free(ops);
}

static void seeds_run(uint32_t first, uint32_t last) {
    report *shared = support_shared_new(report_size());
    shared->first = first;
    shared->last = last;
    report_run(shared);
    bool failed = shared->failed;
    if (failed) {
        report_explain(shared);
    }
    support_shared_free(shared, report_size());
    if (failed) {
        fail_msg("the world and the reference differ, see above");
    }
}

/* NAM-01 NAM-02 IDX-01 REL-01 SRT-01 SRT-02 PRE-01 PRE-02 PRE-03 PRE-04 TRF-01 TRF-02 TRF-03 TRF-04
 * ENT-09 */
static void modules_agree_with_one_reference(void **state) {
    (void)state;
    op_most = (int)support_environment("STOA_OPERATIONS", OP_DEFAULT);
    (void)support_seeds_soak(SEED_COUNT, SEED_BATCH, seeds_run);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(modules_agree_with_one_reference),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
