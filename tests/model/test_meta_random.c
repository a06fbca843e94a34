/* Random worlds and apps, and what their meta worlds show of them.
 *
 * After every refresh all that can be asked of the observed world is asked, in the simplest way,
 * and compared with what queries find in the meta world: each thing once, with the same values and
 * the entity that it had, marked as changed if and only if it is. A script that fails is made
 * shorter as far as it still fails, and printed with its seed. */
#include "model/meta_expect.h"
#include "model/meta_fixture.h"
#include "support/trace.h"

#define STEPS_MAX 90
#define POOL_MAX 24

typedef enum step_op {
    STEP_COMPONENT,
    STEP_CREATE,
    STEP_DESTROY,
    STEP_ADD,
    STEP_REMOVE,
    STEP_QUERY,
    STEP_QUERY_FREE,
    STEP_QUERY_RUN,
    STEP_RESOURCE,
    STEP_RESOURCE_REMOVE,
    STEP_SYSTEM,
    STEP_SYSTEM_REMOVE,
    STEP_SYSTEM_ENABLE,
    STEP_STAGE,
    STEP_FRAME,
    STEP_TICK,
    STEP_WATCH,
    STEP_STARVE,
    STEP_REFRESH,
    STEP_OPS
} step_op;

static const char *const op_names[STEP_OPS] = {
    "component", "create",   "destroy", "add",    "remove",   "query",  "free query",
    "run query", "resource", "take",    "system", "unsystem", "enable", "stage",
    "frame",     "tick",     "watch",   "starve", "refresh"};

typedef struct step {
    step_op op;
    uint32_t bits;
} step;

typedef struct run {
    support_world s;
    stoa_app *app;
    shown shown;
    stoa_query *queries[POOL_MAX];
    uint32_t query_count;
    uint32_t made; /* names given so far */
    bool app_new;  /* the app was let go of since the last refresh */
    things before;
    char problem[200];
} run;

static run the_run;

static bool problem(run *r, const thing *t, const char *what) {
    snprintf(r->problem, sizeof r->problem, "kind %d, key %llu, part %u: %s", (int)t->kind,
             (unsigned long long)t->key, t->part, what);
    return false;
}

/* Finds the entity that shows a thing, which must be one, by an ordinary query. */
static bool thing_find(run *r, thing *t) {
    int32_t found = 0;
    stoa_query_desc desc = {.terms = {{.type = types[t->kind], .access = STOA_ACCESS_READ},
                                      STOA_OPTIONAL(stoa_meta_name)}};
    for (stoa_iter it = stoa_query_once(r->shown.meta, &desc); stoa_iter_next(&it);) {
        const uint8_t *values = stoa_field_type(&it, types[t->kind], 0);
        const stoa_meta_name *names = stoa_field(&it, stoa_meta_name, 1);
        for (int32_t i = 0; i < it.count; i++) {
            if (memcmp(values + (size_t)i * t->size, &t->value, t->size) == 0 &&
                (t->name == NULL || strcmp(names[i].text, t->name) == 0)) {
                t->entity = it.entities[i];
                found++;
            }
        }
    }
    if (found != 1) {
        return problem(r, t, found == 0 ? "is not shown" : "is shown twice");
    }
    bool by_id = t->kind != STOA_META_MEMBER && t->kind < STOA_META_HAS;
    return !by_id || stoa_entity_eq(at(&r->shown, t->kind, t->key), t->entity)
               ? true
               : problem(r, t, "is not found by its id");
}

static const thing *thing_before(const run *r, const thing *t) {
    for (uint32_t i = 0; i < r->before.count; i++) {
        const thing *b = &r->before.items[i];
        if (b->kind == t->kind && b->key == t->key && b->part == t->part) {
            return b;
        }
    }
    return NULL;
}

/* A thing that was there before has its entity, and is changed only if it is. */
static bool thing_compare(run *r, const thing *t, uint32_t tick) {
    bool of_app =
        t->kind == STOA_META_STAGE || t->kind == STOA_META_SYSTEM || t->kind == STOA_META_USE;
    const thing *b = r->app_new && of_app ? NULL : thing_before(r, t);
    bool differs = b == NULL || memcmp(&b->value, &t->value, t->size) != 0;
    if (b != NULL && !stoa_entity_eq(b->entity, t->entity)) {
        return problem(r, t, "has another entity");
    }
    if (stoa_changed_type(r->shown.meta, t->entity, types[t->kind], tick) != differs) {
        return problem(r, t, differs ? "is not marked as changed" : "is marked as changed");
    }
    if (t->kind < STOA_META_HAS &&
        stoa_changed(r->shown.meta, t->entity, stoa_meta_name, tick) != (b == NULL)) {
        return problem(r, t, "has its name marked");
    }
    return true;
}

static bool meta_compare(run *r, uint32_t tick) {
    expect_all(&r->shown);
    bool holds = true;
    for (uint32_t i = 0; holds && i < r->shown.now.count; i++) {
        holds =
            thing_find(r, &r->shown.now.items[i]) && thing_compare(r, &r->shown.now.items[i], tick);
    }
    if (holds && stoa_count(r->shown.meta) != (int32_t)r->shown.now.count) {
        holds = problem(r, &r->shown.now.items[0], "there is more than there should be");
    }
    if (holds && stoa_check(r->shown.meta) != STOA_OK) {
        holds = problem(r, &r->shown.now.items[0], stoa_last_error().message);
    }
    r->app_new = false;
    r->before = r->shown.now;
    for (uint32_t i = 0; i < r->before.count; i++) {
        r->before.items[i].name = NULL;
    }
    return holds;
}

/* A component by chance; 0 if there is none. */
static stoa_component any_component(const run *r, uint32_t bits) {
    uint32_t count = (uint32_t)stoa_component_count(r->s.world);
    return count > 0 ? bits % count + 1 : 0;
}

static stoa_entity any_entity(const run *r, uint32_t bits) {
    stoa_entity e = STOA_NULL;
    for (uint32_t i = 0; i <= bits % 8; i++) {
        e = stoa_entity_next(r->s.world, e);
    }
    return e;
}

static stoa_system any_system(const run *r, uint32_t bits) {
    stoa_system system = {0};
    for (uint32_t i = 0; i <= bits % 4; i++) {
        system = stoa_system_next(r->app, system);
    }
    return system;
}

static void step_component(run *r, uint32_t bits) {
    static const char *const fields[] = {NULL, "{ int32_t a; float b[3]; }", "{ double x; }",
                                         "{ const char *text; stoa_entity other; }"};
    char name[32];
    snprintf(name, sizeof name, "c%u", r->made++);
    uint32_t flags = (bits & 8) != 0 ? STOA_SPARSE : (bits & 16) != 0 ? STOA_ROW_TICKS : 0;
    stoa_component id = stoa_component_register(
        r->s.world,
        &(stoa_component_desc){.name = name, .fields = fields[bits % 4], .flags = flags});
    assert_int_not_equal(id, 0);
}

/* Up to three terms of different components. */
static void terms_make(const run *r, uint32_t bits, stoa_term *terms) {
    static const stoa_access accesses[] = {STOA_ACCESS_READ, STOA_ACCESS_WRITE,
                                           STOA_ACCESS_OPTIONAL, STOA_ACCESS_CHANGED};
    uint32_t count = (uint32_t)stoa_component_count(r->s.world);
    for (uint32_t i = 0; i < 1 + bits % 3 && i < count; i++) {
        terms[i] = (stoa_term){.id = (bits / 16 + i) % count + 1,
                               .access = accesses[(bits >> (8 + 2 * i)) % 4]};
    }
}

static void step_query(run *r, uint32_t bits) {
    stoa_query_desc desc = {.name = (bits & 1) != 0 ? "again" : NULL};
    terms_make(r, bits, desc.terms);
    if (r->query_count < POOL_MAX && desc.terms[0].id != 0) {
        stoa_query *query = stoa_query_new(r->s.world, &desc);
        assert_non_null(query);
        r->queries[r->query_count++] = query;
    }
}

static void step_system(run *r, uint32_t bits) {
    char name[32];
    snprintf(name, sizeof name, "s%u", r->made++);
    stoa_system_desc desc = {.name = name,
                             .run = idle,
                             .stage = stoa_stage_at(r->app, (int32_t)(bits % 8)),
                             .rule = (stoa_thread_rule)(bits / 8 % 3),
                             .disabled = bits % 5 == 0,
                             .script = bits % 7 == 0};
    terms_make(r, bits, desc.terms);
    if (bits % 3 == 0 && desc.terms[0].id != 0) {
        desc.resources[0] =
            (stoa_term){.id = any_component(r, bits / 64),
                        .access = (bits & 64) != 0 ? STOA_ACCESS_READ : STOA_ACCESS_WRITE};
    }
    assert_int_not_equal(stoa_system_new(r->app, &desc).id, 0);
}

static void step_stage(run *r) {
    char name[32];
    snprintf(name, sizeof name, "stage%u", r->made++);
    if (stoa_stage_at(r->app, 40) == UINT32_MAX) {
        stoa_stage_new(r->app, &(stoa_stage_desc){.name = name, .before = "Render"});
    }
}

/* A refresh that lacks memory changes nothing. */
static bool step_starve(run *r, uint32_t bits) {
    uint64_t hash = stoa_hash(r->shown.meta);
    uint32_t tick = stoa_tick(r->shown.meta);
    r->s.heap.fail_at = 1 + bits % 40;
    stoa_status status = stoa_meta_refresh(r->shown.meta);
    r->s.heap.fail_at = 0;
    if (status == STOA_OK) {
        return meta_compare(r, tick);
    }
    assert_int_equal(status, STOA_NO_MEMORY);
    assert_int_equal(stoa_check(r->shown.meta), STOA_OK);
    assert_int_equal(stoa_hash(r->shown.meta), hash);
    return true;
}

static void step_world(run *r, step s) {
    stoa_world *w = r->s.world;
    static const uint8_t zeroes[64];
    stoa_component id = any_component(r, s.bits);
    stoa_component_info info = {0};
    stoa_entity e = any_entity(r, s.bits / 256);
    if (id != 0) {
        stoa_component_info_get(w, id, &info);
    }
    if (s.op == STEP_CREATE) {
        e = stoa_create(w);
        for (uint32_t i = 0; id != 0 && i < s.bits / 256 % 3; i++) {
            stoa_add_id(w, e, any_component(r, s.bits >> i));
        }
    } else if (s.op == STEP_DESTROY && e.index != 0) {
        stoa_destroy(w, e);
    } else if (s.op == STEP_ADD && e.index != 0 && id != 0) {
        stoa_add_id(w, e, id);
    } else if (s.op == STEP_REMOVE && e.index != 0 && id != 0) {
        stoa_remove_id(w, e, id);
    } else if (s.op == STEP_RESOURCE && id != 0) {
        stoa_resource_set_id(w, id, zeroes, info.size);
    } else if (s.op == STEP_RESOURCE_REMOVE && id != 0) {
        stoa_resource_remove_id(w, id);
    } else if (s.op == STEP_TICK) {
        stoa_tick_advance(w);
    }
}

static void step_things(run *r, step s) {
    stoa_system system = any_system(r, s.bits);
    uint32_t i = r->query_count > 0 ? s.bits % r->query_count : 0;
    if (s.op == STEP_QUERY_FREE && r->query_count > 0) {
        stoa_query_free(r->queries[i]);
        r->queries[i] = r->queries[--r->query_count];
    } else if (s.op == STEP_QUERY_RUN && r->query_count > 0) {
        for (stoa_iter it = stoa_query_iter(r->queries[i]); stoa_iter_next(&it);) {
        }
    } else if (s.op == STEP_SYSTEM_REMOVE && system.id != 0) {
        stoa_system_remove(r->app, system);
    } else if (s.op == STEP_SYSTEM_ENABLE && system.id != 0) {
        stoa_system_enable(r->app, system, (s.bits & 16) != 0);
    } else if (s.op == STEP_FRAME) {
        assert_int_equal(stoa_app_step(r->app, 0.1), STOA_OK);
    } else if (s.op == STEP_WATCH) {
        stoa_app *app = s.bits % 3 == 0 ? NULL : r->app;
        r->app_new = r->app_new || app != stoa_meta_app(r->shown.meta);
        stoa_meta_watch(r->shown.meta, app);
    }
}

static bool step_take(run *r, step s) {
    if (s.op == STEP_COMPONENT) {
        step_component(r, s.bits);
    } else if (s.op == STEP_QUERY) {
        step_query(r, s.bits);
    } else if (s.op == STEP_SYSTEM) {
        step_system(r, s.bits);
    } else if (s.op == STEP_STAGE) {
        step_stage(r);
    } else if (s.op == STEP_STARVE) {
        return step_starve(r, s.bits);
    } else if (s.op == STEP_REFRESH) {
        uint32_t tick = stoa_tick(r->shown.meta);
        assert_int_equal(stoa_meta_refresh(r->shown.meta), STOA_OK);
        return meta_compare(r, tick);
    }
    step_world(r, s);
    step_things(r, s);
    return true;
}

static const char *script_run(const support_trace *t) {
    run *r = &the_run;
    const step *steps = t->steps;
    memset(r, 0, sizeof *r);
    support_world_open(&r->s);
    r->app = stoa_app_new(&(stoa_app_desc){.world = r->s.world, .threads = 1});
    r->shown.world = r->s.world;
    r->shown.meta = stoa_meta_new(r->s.world, r->app);
    bool holds = meta_compare(r, 0);
    for (uint32_t i = 0; holds && i < t->count; i++) {
        holds = step_take(r, steps[i]);
    }
    if (holds) {
        holds = step_take(r, (step){STEP_REFRESH, 0});
    }
    if (t->seed % 2 == 0) {
        stoa_world_free(r->shown.meta);
    }
    assert_int_equal(stoa_app_free(r->app), STOA_OK);
    stoa_world *left = t->seed % 2 == 0 ? NULL : r->shown.meta;
    assert_int_equal(stoa_check(r->s.world), STOA_OK);
    stoa_world_free(r->s.world);
    stoa_world_free(left);
    assert_int_equal(r->s.heap.bytes, 0);
    return holds ? NULL : r->problem;
}

static void script_make(support_trace *t) {
    support_random random = {t->seed * 2654435761u + 1};
    step *steps = t->steps;
    t->count = 10 + support_random_below(&random, STEPS_MAX - 10);
    for (uint32_t i = 0; i < t->count; i++) {
        steps[i] =
            (step){(step_op)support_random_below(&random, STEP_OPS), support_random_next(&random)};
    }
}

static void step_print(FILE *out, const void *given) {
    const step *p = given;
    fprintf(out, "%s %x", op_names[p->op], p->bits);
}

/* MET-01, GEN-03, GEN-04 */
static void random_worlds_are_shown_as_they_are(void **state) {
    (void)state;
    static step steps[STEPS_MAX];
    support_traces_run(&(support_traces){SUPPORT_STEPS(steps), .seeds = 300, .make = script_make,
                                         .run = script_run, .print = step_print});
}

int main(void) {
    const struct CMUnitTest tests[] = {
        support_seeds_test(random_worlds_are_shown_as_they_are),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
