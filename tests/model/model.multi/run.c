/* Runs: setting up both sides, the loop over operations, and the hash of a second world.
 *
 * The second world has other chunks, mostly other component ids, and other bytes in its padding; it
 * skips what must not be seen in the content, and mostly applies commands one by one. Its hash must
 * be the same. */
#include "run.h"

#include <stdarg.h>
#include <stdlib.h>

#include "world/commands.h"

bool run_check(run *r, bool holds, const char *format, ...) {
    if (!holds && !r->failed) {
        va_list arguments;
        va_start(arguments, format);
        vsnprintf(r->message, sizeof r->message, format, arguments);
        va_end(arguments);
        r->failed = true;
    }
    return holds;
}

stoa_status run_given(bool given) {
    return given ? STOA_OK : stoa_last_error().status;
}

bool run_expect(run *r, stoa_status got, stoa_status expected, const char *call) {
    int asserts = r->s.asserts - r->s.asserts_seen;
    r->s.asserts_seen = r->s.asserts;
    int wanted = 0;
#ifdef STOA_DEBUG
    wanted = support_status_is_misuse(expected) ? 1 : 0;
#endif
    bool same =
        run_check(r, got == expected, "%s: status \"%s\" (%s), expected \"%s\"", call,
                  stoa_status_text(got), stoa_last_error().message, stoa_status_text(expected));
    bool counted = run_check(r, asserts == wanted, "%s: %d asserts, expected %d (%s)", call,
                             asserts, wanted, stoa_last_error().message);
    bool told = expected == STOA_OK || run_check(r, stoa_last_error().status == expected,
                                                 "%s: the last error is another one", call);
    return same && counted && told;
}

static void assert_told(const stoa_error *error, void *user) {
    support_world *s = user;
    s->asserts++;
    s->last_assert = error->status;
}

static bool run_open(run *r, const trace *t, uint32_t chunk_size, bool second) {
    memset(r, 0, sizeof *r);
    model_lives_reset();
    reference_init(&r->ref, t->number_count, r->ids, t->first_tick);
    stoa_allocator allocator = support_allocator(&r->s.heap);
    r->s.world = stoa_world_new(&(stoa_world_desc){
        .allocator = &allocator,
        .chunk_size = chunk_size,
        .on_assert = {.call = assert_told, .user = &r->s},
        .first_tick = t->first_tick,
    });
    if (!run_check(r, r->s.world != NULL, "no world: %s", stoa_last_error().message)) {
        return false;
    }
    run_check(r, stoa_tick(r->s.world) == t->first_tick, "the first tick is another one");
    r->ref.user = r;
    r->ref.record = run_deferred_destroy;
    r->buffers[0].commands = stoa_deferred(r->s.world);
    r->padding = second ? 0xA5 : 0x5A;
    for (int i = 0; i < TYPE_COUNT; i++) {
        int type = second && !t->acts ? TYPE_COUNT - 1 - i : i;
        r->ids[type] = model_type_register(r->s.world, type);
        r->channels[type].limit = STOA_EVENT_LIMIT;
        if (!run_check(r, r->ids[type] != 0, "registering %s: %s", model_types[type].name,
                       stoa_last_error().message)) {
            return false;
        }
    }
    return true;
}

/* Freeing the world takes everything off everybody, which hooks are told. */
static void run_expect_end(run *r) {
    r->ref.notes.count = 0;
    r->closing = true;
    r->ref.acting = true;
    for (int32_t i = 0; i < r->ref.live_count; i++) {
        react_free(&r->ref, &r->ref.items[r->ref.live[i]]);
    }
}

static void run_close(run *r) {
    run_expect_end(r);
    r->told.count = 0;
    stoa_world_free(r->s.world);
    r->s.world = NULL;
    run_compare_notes(r, true);
    run_check(r, r->frees == r->users, "users of hooks and listeners are freed %d times of %d",
              (int)r->frees, (int)r->users);
    run_check(r, r->s.heap.bytes == 0 && r->s.heap.blocks == 0, "%zu bytes are left in %zu blocks",
              r->s.heap.bytes, r->s.heap.blocks);
    run_check(r, model_lives_now.fault == NULL, "%s", model_lives_now.fault);
    for (int type = 0; type < TYPE_COUNT; type++) {
        if (model_types[type].owner != 0) {
            run_check(r, model_lives_count(type) == 0 && model_lives_zeros(type) == 0,
                      "%d instances and %d zeroed values of %s are left",
                      (int)model_lives_count(type), (int)model_lives_zeros(type),
                      model_types[type].name);
        }
    }
    run_check(r, model_lives_now.frees == 2, "user_free was called %d times",
              (int)model_lives_now.frees);
    run_deferred_fini(r);
    run_events_fini(r);
    free(r->told.items);
    reference_fini(&r->ref);
    model_lives_reset();
}

static void op_do(run *r, const op *o) {
    if (o->kind == OP_BAD) {
        run_refuse(r, o);
    } else if (o->kind >= OP_RESOURCE_SET) {
        run_resources(r, o);
    } else if (o->kind >= OP_LISTEN) {
        run_events(r, o);
    } else if (o->kind >= OP_BUFFER_NEW) {
        run_deferred(r, o);
    } else if (o->kind >= OP_HOOK_NEW) {
        run_watch(r, o);
    } else if (o->kind >= OP_TICK) {
        run_ticks(r, o);
    } else if (o->kind >= OP_WHOLE_ADD) {
        run_whole(r, o);
    } else if (o->kind >= OP_QUERY_NEW) {
        run_query(r, o);
    } else {
        run_call(r, o);
    }
}

static void run_step(run *r, const op *o) {
    op_do(r, o);
    run_events_bury(r);
    run_compare_notes(r, false);
    run_check(r, model_lives_now.fault == NULL, "%s", model_lives_now.fault);
    run_check(r, stoa_count(r->s.world) == r->ref.live_count, "stoa_count is %d, expected %d",
              (int)stoa_count(r->s.world), (int)r->ref.live_count);
    run_check(r, r->frees + r->ref.watcher_count + run_events_listening(r) == r->users,
              "users of hooks and listeners are freed %d times too often",
              (int)(r->frees + r->ref.watcher_count + run_events_listening(r) - r->users));
    for (int type = 0; type < TYPE_COUNT; type++) {
        if (model_types[type].owner == 0) {
            continue;
        }
        int32_t surplus = model_lives_count(type) - r->ref.held[type];
        run_check(r, surplus >= 0 && surplus <= run_events_stale(r, type),
                  "%d instances of %s live, expected %d", (int)model_lives_count(type),
                  model_types[type].name, (int)r->ref.held[type]);
        run_check(r, model_lives_zeros(type) == r->ref.zeros[type],
                  "%d zeroed values of %s live, expected %d", (int)model_lives_zeros(type),
                  model_types[type].name, (int)r->ref.zeros[type]);
    }
}

/* What leaves no mark in a world's content. */
static bool op_is_silent(const op *o) {
    return o->kind == OP_COMPACT || o->kind == OP_READ || o->kind == OP_ONCE_COUNT ||
           o->kind == OP_CLONE_REFUSED || o->kind == OP_TICK_ASK || o->kind == OP_LOG_READ ||
           o->kind == OP_RESOURCE_READ;
}

/* True if some operation is on all that a query matches. Its order is that of archetypes, of which
 * joined commands make fewer. */
static bool trace_has_whole(const trace *t) {
    for (int32_t i = 0; i < t->count; i++) {
        if (t->ops[i].kind >= OP_WHOLE_ADD && t->ops[i].kind <= OP_WHOLE_DESTROY) {
            return true;
        }
    }
    return false;
}

/* The hash of the same trace in a world of another shape. */
static void run_second(const trace *t, const run_options *options, uint64_t hash,
                       run_result *result) {
    run r;
    uint32_t chunk_size = t->chunk_size == 16384 ? 65536 : 16384;
    bool open = run_open(&r, t, chunk_size, true);
    if (open && !trace_has_whole(t)) {
        stoa__commands_merge(r.s.world, false);
    }
    r.ref.fault = options->fault;
    for (int32_t i = 0; open && i < t->count && !r.failed; i++) {
        if (!op_is_silent(&t->ops[i])) {
            run_step(&r, &t->ops[i]);
        }
    }
    if (!r.failed) {
        run_compare(&r);
    }
    run_check(&r, stoa_hash(r.s.world) == hash,
              "the same trace hashes to %llx and %llx in two worlds", (unsigned long long)hash,
              (unsigned long long)stoa_hash(r.s.world));
    run_close(&r);
    if (r.failed) {
        result->failed = true;
        result->op = t->count - 1;
        snprintf(result->message, sizeof result->message, "second world: %s", r.message);
    }
}

static void run_finish(run *r, const trace *t, const run_options *options, run_result *result) {
    uint64_t hash = r->failed ? 0 : stoa_hash(r->s.world);
    bool failed_before = r->failed;
    run_close(r);
    result->failed = r->failed;
    snprintf(result->message, sizeof result->message, "%s", r->message);
    if (!failed_before) {
        result->op = t->count - 1;
    }
    /* Half of the seeds are enough, and a third of the time. */
    if (!r->failed && options->second_world && t->seed % 2 == 1) {
        run_second(t, options, hash, result);
    }
}

void run_generate(trace *t, uint32_t seed, int32_t count, const run_options *options,
                  run_result *result) {
    static const uint32_t chunk_sizes[4] = {65536, 16384, 32768, 40000};
    run r;
    generator g;
    *result = (run_result){.failed = false};
    t->count = 0;
    t->number_count = count;
    t->seed = seed;
    t->chunk_size = chunk_sizes[seed % 4];
    /* Some worlds start shortly before the tick wraps. */
    t->first_tick = seed % 3 == 1 ? UINT32_MAX - seed % 200 : 1;
    generator_init(&g, seed);
    t->acts = (g.skipped & FAMILY_ACTIONS) == 0;
    bool open = run_open(&r, t, t->chunk_size, false);
    r.ref.fault = options->fault;
    while (open && t->count < count && !r.failed) {
        op *o = &t->ops[t->count];
        generator_next(&g, &r.ref, t->count, o);
        result->op = t->count++;
        result->op_count++;
        run_step(&r, o);
        if (!r.failed && (t->count % options->full_every == 0 || t->count == count)) {
            run_compare(&r);
        }
    }
    run_finish(&r, t, options, result);
}

void run_replay(const trace *t, const run_options *options, run_result *result) {
    run r;
    *result = (run_result){.failed = false};
    bool open = run_open(&r, t, t->chunk_size, false);
    r.ref.fault = options->fault;
    for (int32_t i = 0; open && i < t->count && !r.failed; i++) {
        result->op = i;
        result->op_count++;
        run_step(&r, &t->ops[i]);
        if (!r.failed && ((i + 1) % options->full_every == 0 || i + 1 == t->count)) {
            run_compare(&r);
        }
    }
    run_finish(&r, t, options, result);
}
