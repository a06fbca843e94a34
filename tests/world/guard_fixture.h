/* What the tests of guards share: a world with one entity of every sort of component, and a guard
 * that allows what it is told. */
#ifndef STOA_TESTS_GUARD_FIXTURE_H
#define STOA_TESTS_GUARD_FIXTURE_H

#include "support/support.h"

STOA_COMPONENT(Place, { int32_t x; });
STOA_COMPONENT_WITH(Mood, STOA_OPTIONS(.flags = STOA_SPARSE | STOA_SWITCHABLE), { int32_t value; });
STOA_COMPONENT_WITH(Seen, STOA_OPTIONS(.flags = STOA_ROW_TICKS), { int32_t count; });
STOA_COMPONENT(Settings, { int32_t level; });
STOA_TAG(Fixed);
STOA_TAG_WITH(Marked, STOA_OPTIONS(.flags = STOA_SPARSE));

#ifdef STOA_DEBUG
#define GUARDS true
#else
#define GUARDS false
#endif

/* What is allowed, a bit for each id. */
typedef struct guarded_world {
    support_world *s;
    stoa_guard guard;
    uint64_t reads, writes, resource_reads, resource_writes;
    stoa_component place, mood, seen, settings, marked;
    stoa_entity e, other;
} guarded_world;

static inline bool guarded_allows(const stoa_guard *guard, stoa_component id, bool resource,
                                  bool write) {
    const guarded_world *g = guard->user;
    uint64_t writes = resource ? g->resource_writes : g->writes;
    uint64_t reads = (resource ? g->resource_reads : g->reads) | writes;
    return ((write ? writes : reads) >> id & 1) != 0;
}

/* Fills a world in; components and resources may be read and written as told. */
static inline guarded_world guarded_open(support_world *s, uint64_t reads, uint64_t writes) {
    stoa_world *w = s->world;
    guarded_world g = {.s = s,
                       .reads = reads,
                       .writes = writes,
                       .resource_reads = reads,
                       .resource_writes = writes,
                       .place = stoa_id(w, Place),
                       .mood = stoa_id(w, Mood),
                       .seen = stoa_id(w, Seen),
                       .settings = stoa_id(w, Settings),
                       .marked = stoa_id(w, Marked)};
    g.e = stoa_create_with(w, STOA_VALUE(Place, {1}), STOA_VALUE(Mood, {2}), STOA_VALUE(Seen, {3}),
                           STOA_ZERO(Fixed), STOA_ZERO(Marked));
    g.other = stoa_create_with(w, STOA_VALUE(Settings, {9}));
    assert_int_equal(stoa_resource_set(w, Settings, {4}), STOA_OK);
    return g;
}

static inline void guard_on(guarded_world *g) {
    g->guard = (stoa_guard){g->s->world, "mover", guarded_allows, g};
    stoa_guard_set(&g->guard);
}

static inline void guard_off(void) {
    stoa_guard_set(NULL);
}

static inline void guarded_close(guarded_world *g) {
    guard_off();
    assert_int_equal(stoa_check(g->s->world), STOA_OK);
}

/* What a refused call told; `worked` is what it came to. */
static inline void refused_verify(const support_world *s, int errors, bool worked, const char *what,
                                  const char *file, int line) {
    if (!GUARDS) {
        _assert_true(worked, "worked", file, line);
        return;
    }
    _assert_true(!worked, "refused", file, line);
    _assert_int_equal((uintmax_t)stoa_last_error().status, STOA_ACCESS, file, line);
    support_assert_message_at("system 'mover' ", file, line);
    support_assert_message_at(what, file, line);
    support_assert_message_at("which it does not declare", file, line);
    _assert_int_equal((uintmax_t)s->errors, (uintmax_t)errors + 1, file, line);
}

/* In a debug build the call is refused and one error is told; otherwise it works. */
#define REFUSED(s, what, call)                                                                     \
    do {                                                                                           \
        int errors_before = (s)->errors;                                                           \
        bool call_worked = (call);                                                                 \
        refused_verify((s), errors_before, call_worked, (what), __FILE__, __LINE__);               \
    } while (0)

static inline bool with_runs(const stoa_world *w, stoa_entity e) {
    stoa_with(w, e, Place, p) {
        return p->x != 0;
    }
    return false;
}

static inline bool with_mut_runs(stoa_world *w, stoa_entity e) {
    stoa_with_mut(w, e, Place, p) {
        p->x += 0;
        return true;
    }
    return false;
}

static inline void hook_count(stoa_world *world, stoa_entity e, void *component, void *user) {
    (void)world, (void)e, (void)component;
    ++*(int *)user;
}

#endif
