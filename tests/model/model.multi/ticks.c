/* Ticks and the log of what is gone.
 *
 * For components with ticks of their own the answers must be exact. For the others the world may
 * say that something changed where it did not, as long as another entity's of that type did. */
#include "run.h"

#include "world/world.h"

/* The world's tick so long ago. */
static uint32_t tick_ago(const run *r, uint32_t age) {
    return (uint32_t)r->ref.tick - age;
}

/* One answer of the world against the ticks of the reference. */
static void answer_check(run *r, const being *b, int type, const char *what, bool answer,
                         uint64_t own, uint64_t newest, uint32_t age) {
    uint64_t since = r->ref.tick - age;
    bool has = b->alive && (b->has >> type & 1) != 0;
    bool must = has && own > since;
    bool may = has && (TYPE_EXACTS >> type & 1 ? own : newest) > since;
    run_check(r, !must || answer, "%s of %uv%u was %s %llu ticks ago, not after %u ticks ago",
              model_types[type].name, (unsigned)b->handle.index, (unsigned)b->handle.generation,
              what, (unsigned long long)(r->ref.tick - own), (unsigned)age);
    run_check(r, may || !answer, "%s of %uv%u was not %s after %u ticks ago",
              model_types[type].name, (unsigned)b->handle.index, (unsigned)b->handle.generation,
              what, (unsigned)age);
}

void run_compare_ticks(run *r, const being *b, uint32_t age, bool twins) {
    const stoa_world *w = r->s.world;
    uint32_t since = tick_ago(r, age);
    for (int type = 0; type < TYPE_COUNT && !r->failed; type++) {
        bool changed = stoa_changed_id(w, b->handle, r->ids[type], since);
        bool added = stoa_added_id(w, b->handle, r->ids[type], since);
        answer_check(r, b, type, "changed", changed, b->changed[type], r->ref.changed_last[type],
                     age);
        answer_check(r, b, type, "added", added, b->added[type], r->ref.added_last[type], age);
        stoa_type *descriptor = model_types[type].descriptor;
        if (twins && descriptor != NULL) {
            run_check(r,
                      stoa_changed_type(w, b->handle, descriptor, since) == changed &&
                          stoa_added_type(w, b->handle, descriptor, since) == added,
                      "the typed twin gives another tick for %s", model_types[type].name);
        }
    }
}

void run_compare_log(run *r, int type, uint32_t age) {
    const gone_log *expected = &r->ref.log;
    uint64_t since = r->ref.tick - age;
    stoa_log log;
    if (type >= 0 && model_types[type].descriptor != NULL && age % 2 == 0) {
        log = stoa_log_since_type(r->s.world, model_types[type].descriptor, tick_ago(r, age));
    } else {
        log = stoa_log_since(r->s.world, type < 0 ? 0 : r->ids[type], tick_ago(r, age));
    }
    bool lost = expected->capacity == 0 || (expected->lost && expected->lost_tick > since);
    run_check(r, log.lost == lost, "the log says it %s lost entries", log.lost ? "has" : "has not");
    for (int32_t i = 0; i < expected->count && !r->failed; i++) {
        const gone *entry = &expected->items[i];
        if (entry->type != type || entry->tick <= since) {
            continue;
        }
        if (run_check(r, stoa_log_next(&log), "the log ends too early")) {
            run_check(r, stoa_entity_eq(log.entity, entry->entity),
                      "the log gives %uv%u, expected %uv%u", (unsigned)log.entity.index,
                      (unsigned)log.entity.generation, (unsigned)entry->entity.index,
                      (unsigned)entry->entity.generation);
            run_check(r, log.tick == (uint32_t)entry->tick, "the log gives tick %u, expected %u",
                      (unsigned)log.tick, (unsigned)entry->tick);
        }
    }
    run_check(r, r->failed || !stoa_log_next(&log), "the log gives too much");
    run_check(r, r->failed || log.lost == lost, "the log changes its mind");
    run_expect(r, STOA_OK, STOA_OK, "reading the log");
}

static void ticks_advance(run *r, int32_t count) {
    for (int32_t i = 0; i < count && !r->failed; i++) {
        uint32_t tick = stoa_tick_advance(r->s.world);
        r->ref.tick++;
        run_check(r, tick == (uint32_t)r->ref.tick && stoa_tick(r->s.world) == tick,
                  "stoa_tick_advance gives %u, expected %u", (unsigned)tick, (unsigned)r->ref.tick);
    }
}

void run_ticks(run *r, const op *o) {
    stoa_error_clear();
    if (o->kind == OP_TICK) {
        ticks_advance(r, o->count);
    } else if (o->kind == OP_TICK_JUMP) {
        stoa__world_tick_step(r->s.world, o->age);
        r->ref.tick += o->age;
        run_check(r, stoa_tick(r->s.world) == (uint32_t)r->ref.tick, "the tick went elsewhere");
    } else if (o->kind == OP_TICK_ASK) {
        const being *b = reference_of(&r->ref, o);
        if (b != NULL) {
            run_compare_ticks(r, b, o->age, true);
        }
    } else if (o->kind == OP_LOG_KEEP) {
        if (run_expect(r, stoa_log_keep(r->s.world, o->count), STOA_OK, "stoa_log_keep")) {
            log_keep(&r->ref, o->count);
        }
    } else {
        run_compare_log(r, o->type, o->age);
    }
}
