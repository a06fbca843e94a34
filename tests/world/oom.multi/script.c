/* The driver: learns a script, then runs it with one allocation refused after the other. */
#include "oom.h"

#include <stdlib.h>

/* What a run with memory to spare learns about one call. */
typedef struct call_record {
    bool allocates;
    uint64_t before;
    uint64_t after;
} call_record;

static uint64_t mix(uint64_t digest, uint64_t number) {
    return (digest ^ number) * UINT64_C(0x9e3779b97f4a7c15) + (digest >> 29);
}

/* What the log says of what was destroyed, and of what lost its Position. */
static uint64_t log_digest(const stoa_world *w) {
    uint64_t digest = 0;
    stoa_component position = stoa_type_find(w, STOA_TYPE_OF(Position));
    for (int i = 0; i < 2; i++) {
        stoa_log log = stoa_log_since(w, i == 0 ? 0 : position, stoa_tick(w) - 1000);
        while (stoa_log_next(&log)) {
            digest = mix(digest, stoa_entity_pack(log.entity) + log.tick);
        }
        digest = mix(digest, log.lost ? 1 : 0);
    }
    return digest;
}

/* What every entity has, whatever row it is in. */
static uint64_t content_digest(const stoa_world *w) {
    uint64_t digest = 0;
    for (stoa_entity e = stoa_entity_next(w, STOA_NULL); lives(e); e = stoa_entity_next(w, e)) {
        digest = mix(digest, stoa_entity_pack(e));
        for (int32_t id = 1; id <= stoa_component_count(w); id++) {
            digest = mix(digest, stoa_has_id(w, e, (stoa_component)id) ? 1 : 0);
        }
    }
    return digest;
}

/* A number made of all that can be seen of a world and its script. */
static uint64_t oom_digest(const script *c, const oom *o) {
    stoa_world *w = o->s.world;
    if (c->how == SCRIPT_ORDER) {
        return mix(content_digest(w), (uint64_t)label_count);
    }
    uint64_t digest = mix(stoa_hash(w), stoa_tick(w));
    digest = mix(digest, (uint64_t)o->told << 32 | (uint32_t)o->freed);
    digest = mix(digest, (uint64_t)stoa_commands_count(stoa_deferred(w)));
    for (int i = 0; i < 2; i++) {
        if (o->buffers[i] != NULL) {
            digest = mix(digest, (uint64_t)stoa_commands_count(o->buffers[i]));
            digest = mix(digest, (uint64_t)stoa_commands_skipped(o->buffers[i]));
        }
    }
    if (o->reader != NULL) {
        digest = mix(digest, (uint64_t)stoa_reader_count(o->reader));
        digest = mix(digest, (uint64_t)stoa_reader_lost(o->reader));
    }
    for (stoa_component id = stoa_resource_next(w, 0); id != 0; id = stoa_resource_next(w, id)) {
        digest = mix(digest, id * 2 + (stoa_resource_changed_id(w, id, stoa_tick(w) - 1) ? 1 : 0));
    }
    return mix(digest, log_digest(w) + (uint64_t)label_count);
}

static void oom_open(oom *o, const script *c, bool no_resize) {
    memset(o, 0, sizeof *o);
    support_world_open_with(&o->s, 16384);
    if (no_resize) {
        stoa_world_free(o->s.world);
        o->s.heap.no_resize = true;
        stoa_allocator allocator = support_allocator(&o->s.heap);
        o->s.world =
            stoa_world_new(&(stoa_world_desc){.allocator = &allocator, .chunk_size = 16384});
        assert_non_null(o->s.world);
    }
    if (c->prepare != NULL) {
        c->prepare(o);
    }
}

static void script_learn(const script *c, bool no_resize, call_record *records) {
    oom o;
    oom_open(&o, c, no_resize);
    for (int i = 0; i < c->count; i++) {
        size_t allocations = o.s.heap.allocations;
        if (!c->call(&o, i)) {
            support_print_error();
            fail_msg("%s: call %d fails with memory to spare", c->name, i);
        }
        records[i].allocates = o.s.heap.allocations != allocations;
    }
    support_world_close(&o.s);
    oom_open(&o, c, no_resize);
    for (int i = 0; i < c->count; i++) {
        records[i].before = records[i].allocates ? oom_digest(c, &o) : 0;
        assert_true(c->call(&o, i));
        records[i].after = records[i].allocates ? oom_digest(c, &o) : 0;
    }
    support_world_close(&o.s);
}

/* The world after a call that failed for lack of memory. */
static void failure_verify(oom *o, const script *c, int i, size_t k, const call_record *record) {
    stoa_status status = stoa_last_error().status;
    if (status != STOA_NO_MEMORY || stoa_last_error().message[0] == '\0') {
        support_print_error();
        fail_msg("%s: call %d, allocation %zu: not out of memory", c->name, i, k);
    }
    if (!record->allocates) {
        fail_msg("%s: call %d, allocation %zu: allocates only now", c->name, i, k);
    }
    if (stoa_check(o->s.world) != STOA_OK) {
        support_print_error();
        fail_msg("%s: call %d, allocation %zu: the world is corrupt", c->name, i, k);
    }
    if (c->how < SCRIPT_STEPS && oom_digest(c, o) != record->before) {
        fail_msg("%s: call %d, allocation %zu: the failing call left a mark", c->name, i, k);
    }
    support_assert_quiet(&o->s);
}

/* Runs a script with its k-th allocation refused; false if it has no k-th one. */
static bool script_fail_at(const script *c, size_t k, bool forever, bool no_resize,
                           const call_record *records) {
    oom o;
    oom_open(&o, c, no_resize);
    o.s.heap.fail_at = k;
    o.s.heap.fail_forever = forever;
    o.s.heap.failed = 0;
    for (int i = 0; i < c->count; i++) {
        size_t failed = o.s.heap.failed;
        stoa_error_clear();
        bool fine = c->call(&o, i);
        if (o.s.heap.failed == failed) {
            assert_true(fine);
            continue;
        }
        o.s.heap.fail_at = 0;
        if (!fine) {
            failure_verify(&o, c, i, k, &records[i]);
            if (!c->call(&o, i)) {
                support_print_error();
                fail_msg("%s: call %d, allocation %zu: fails when repeated", c->name, i, k);
            }
        }
        if (oom_digest(c, &o) != records[i].after) {
            fail_msg("%s: call %d, allocation %zu: does something else when repeated", c->name, i,
                     k);
        }
    }
    bool reached = o.s.heap.failed > 0;
    support_world_close(&o.s);
    assert_int_equal(label_count, 0);
    return reached;
}

void script_run(const script *c) {
    call_record *records = calloc((size_t)c->count, sizeof *records);
    assert_non_null(records);
    for (int mode = 0; mode < 4; mode++) {
        bool forever = (mode & 1) != 0;
        bool no_resize = (mode & 2) != 0;
        script_learn(c, no_resize, records);
        size_t k = 1;
        while (script_fail_at(c, k, forever, no_resize, records)) {
            k++;
        }
        if (k == 1 && c->how != SCRIPT_FRUGAL) {
            fail_msg("%s: allocates nothing, so it proves nothing", c->name);
        }
    }
    free(records);
}
