/* Random changes of two relations, in a world and in a naive twin, compared after every step.
 *
 * Policies and the ban on circles come with the script, and change on the way. Some steps are
 * recorded and applied later. A script that fails is made shorter as far as it still fails, and
 * printed with its seed. */
#include "model.h"
#include "support/trace.h"

#define STEPS_MAX 90

typedef enum step_op {
    STEP_CREATE,
    STEP_DESTROY,
    STEP_CLEAR,
    STEP_SET,
    STEP_UNSET,
    STEP_ADD,
    STEP_REMOVE,
    STEP_REMOVE_ALL,
    STEP_CLONE,
    STEP_HIDE,
    STEP_BULK,
    STEP_POLICY,
    STEP_FLUSH,
    STEP_OPS
} step_op;

static const char *const op_names[STEP_OPS] = {"create", "destroy", "clear",      "set",   "unset",
                                               "add",    "remove",  "remove all", "clone", "hide",
                                               "bulk",   "policy",  "flush"};

/* How often each comes, of 64. */
static const uint8_t op_shares[STEP_OPS] = {8, 5, 2, 12, 3, 16, 5, 2, 3, 2, 3, 1, 2};

typedef struct step {
    step_op op;
    int relation;
    uint32_t a, b;
    bool recorded;
} step;

/* What a seed says beside the steps. */
typedef struct script {
    stoa_relation_policy policies[2];
    bool acyclic[2];
} script;

typedef struct run {
    support_world s;
    stoa_relation relations[2];
    model m;
    stoa_entity handles[PEOPLE_MAX];
    step recorded[STEPS_MAX];
    int recorded_a[STEPS_MAX];
    int recorded_b[STEPS_MAX];
    int recorded_count;
    const char *what; /* what went wrong */
} run;

static run the_run;
static script sc;

static int person_pick(const run *r, uint32_t number) {
    /* Half of the time one of the youngest, most of which live. */
    int count = r->m.count;
    int young = count < 12 ? count : 12;
    return number % 2 == 0 ? count - 1 - (int)(number / 2 % (uint32_t)young)
                           : (int)(number / 2 % (uint32_t)count);
}

static void expect(run *r, bool holds, const char *what) {
    if (!holds && r->what == NULL) {
        r->what = what;
    }
}

static int person_make(run *r, stoa_entity e) {
    int who = model_create(&r->m);
    r->handles[who] = e;
    return who;
}

static void links_expect(run *r, stoa_links links, const people *expected, const char *what) {
    expect(r, links.count == expected->count, what);
    for (int i = 0; r->what == NULL && i < expected->count; i++) {
        expect(r, stoa_entity_eq(links.items[i], r->handles[expected->items[i]]), what);
    }
}

static void person_compare(run *r, int who) {
    const stoa_world *w = r->s.world;
    stoa_entity e = r->handles[who];
    expect(r, stoa_alive(w, e) == r->m.alive[who], "a life");
    expect(r, stoa_has(w, e, Inside) == r->m.has[who], "the component Inside");
    for (int i = 0; i < 2; i++) {
        const model_relation *relation = &r->m.relations[i];
        links_expect(r, stoa_relation_targets(w, r->relations[i], e), &relation->targets[who],
                     "targets");
        links_expect(r, stoa_relation_sources(w, r->relations[i], e), &relation->sources[who],
                     "sources");
    }
    links_expect(r, shown(w, e, Holds), &r->m.relations[0].sources[who], "Holds");
    links_expect(r, shown(w, e, Likes), &r->m.relations[1].targets[who], "Likes");
    links_expect(r, shown(w, e, LikedBy), &r->m.relations[1].sources[who], "LikedBy");
}

static void run_compare(run *r, const step *p) {
    const stoa_world *w = r->s.world;
    for (int who = 0; who < r->m.count; who++) {
        person_compare(r, who);
    }
    expect(r, stoa_check(w) == STOA_OK, "the check");
    for (int i = 0; i < 2; i++) {
        int from = person_pick(r, p->a * 7 + 1), to = person_pick(r, p->b * 5 + 2);
        stoa_entity a = r->handles[from], b = r->handles[to];
        expect(r,
               stoa_relation_reaches(w, r->relations[i], a, b) == model_leads(&r->m, i, from, to),
               "what is reached");
        expect(r,
               stoa_relation_has(w, r->relations[i], a, b) ==
                   (people_find(&r->m.relations[i].targets[from], to) >= 0),
               "a pair");
    }
}

/* Makes a step in the world, or records it. A target of -1 is nobody. */
static stoa_status step_world(run *r, const step *p, int a, int b) {
    stoa_world *w = r->s.world;
    stoa_commands *c = stoa_deferred(w);
    stoa_entity e = r->handles[a], other = b >= 0 ? r->handles[b] : STOA_NULL;
    stoa_relation relation = r->relations[p->relation];
    const Inside value = {.slot = a, .container = other};
    switch (p->op) {
    case STEP_DESTROY:
        return p->recorded ? stoa_commands_destroy(c, e) : stoa_destroy(w, e);
    case STEP_CLEAR:
        return stoa_clear(w, e);
    case STEP_SET:
        return p->recorded ? stoa_commands_set_type(c, e, STOA_TYPE_OF(Inside), &value)
                           : stoa_set_from(w, e, Inside, &value);
    case STEP_UNSET:
        return p->recorded ? stoa_commands_remove(c, e, Inside) : stoa_remove(w, e, Inside);
    case STEP_ADD:
        return p->recorded ? stoa_commands_relation_add(c, relation, e, other)
                           : stoa_relation_add(w, relation, e, other);
    case STEP_REMOVE:
    case STEP_REMOVE_ALL:
        return p->recorded ? stoa_commands_relation_remove(c, relation, e, other)
                           : stoa_relation_remove(w, relation, e, other);
    default:
        return p->relation == 0 ? stoa_remove(w, e, Holds) : stoa_remove(w, e, LikedBy);
    }
}

/* Makes the same step in the twin. */
static stoa_status step_model(model *m, const step *p, int a, int b) {
    switch (p->op) {
    case STEP_DESTROY:
        return model_destroy(m, a);
    case STEP_CLEAR:
        return model_clear(m, a);
    case STEP_SET:
        return m->alive[a] ? model_set(m, a, b) : STOA_DEAD;
    case STEP_UNSET:
        if (m->alive[a]) {
            model_unset(m, a);
        }
        return m->alive[a] ? STOA_OK : STOA_DEAD;
    case STEP_ADD:
        return model_add(m, p->relation, a, b);
    case STEP_REMOVE:
    case STEP_REMOVE_ALL:
        return model_remove(m, p->relation, a, b);
    default:
        return model_hide(m, p->relation, a);
    }
}

static void step_clone(run *r, int a) {
    stoa_entity e = stoa_clone(r->s.world, r->handles[a]);
    /* A copy of what points at the dead is refused, as setting it is. */
    int named = r->m.has[a] ? r->m.named[a] : -1;
    bool lives = r->m.alive[a] && (named < 0 || r->m.alive[named]);
    expect(r, stoa_entity_is_null(e) == !lives, "a clone");
    if (!stoa_entity_is_null(e)) {
        int twin = person_make(r, e);
        if (r->m.has[a]) {
            model_set(&r->m, twin, named);
        }
    }
}

static void step_bulk(run *r, int a, int b) {
    Inside values[4] = {{.container = r->handles[a]},
                        {.container = r->handles[b]},
                        {.container = STOA_NULL},
                        {.container = r->handles[a]}};
    const int targets[4] = {a, b, -1, a};
    stoa_entity made[4];
    stoa_status status = stoa_create_bulk(r->s.world, 4, made, STOA_COLUMN(Inside, values));
    bool lives = r->m.alive[a] && r->m.alive[b];
    expect(r, status == (lives ? STOA_OK : STOA_DEAD), "a bulk creation");
    for (int i = 0; i < 4 && status == STOA_OK; i++) {
        person_make(r, made[i]);
    }
    for (int i = 0; i < 4 && status == STOA_OK; i++) {
        model_set(&r->m, r->m.count - 4 + i, targets[i]);
    }
}

static void step_flush(run *r) {
    expect(r, stoa_flush(r->s.world) == STOA_OK, "a flush");
    for (int i = 0; i < r->recorded_count; i++) {
        step_model(&r->m, &r->recorded[i], r->recorded_a[i], r->recorded_b[i]);
    }
    r->recorded_count = 0;
}

static void step_run(run *r, const step *p) {
    int a = person_pick(r, p->a), b = person_pick(r, p->b);
    switch (p->op) {
    case STEP_CREATE:
        person_make(r, stoa_create(r->s.world));
        return;
    case STEP_CLONE:
        step_clone(r, a);
        return;
    case STEP_BULK:
        step_bulk(r, a, b);
        return;
    case STEP_FLUSH:
        step_flush(r);
        return;
    case STEP_POLICY:
        r->m.relations[p->relation].policy = (stoa_relation_policy)(p->a % 3);
        stoa_relation_policy_set(r->s.world, r->relations[p->relation],
                                 (stoa_relation_policy)(p->a % 3));
        return;
    default:
        break;
    }
    if (p->op == STEP_REMOVE_ALL || (p->op == STEP_SET && p->b % 8 == 0)) {
        b = -1;
    }
    stoa_status status = step_world(r, p, a, b);
    if (!p->recorded) {
        expect(r, status == step_model(&r->m, p, a, b), "a status");
        return;
    }
    expect(r, status == STOA_OK, "a recording");
    r->recorded[r->recorded_count] = *p;
    r->recorded_a[r->recorded_count] = a;
    r->recorded_b[r->recorded_count++] = b;
}

static void run_open(run *r) {
    memset(r, 0, sizeof *r);
    support_world_open(&r->s);
    r->relations[0] = inside_new(r->s.world, sc.policies[0], sc.acyclic[0]);
    r->relations[1] = likes_new(r->s.world, sc.policies[1], sc.acyclic[1]);
    for (int i = 0; i < 2; i++) {
        r->m.relations[i].policy = sc.policies[i];
        r->m.relations[i].acyclic = sc.acyclic[i];
    }
    for (int i = 0; i < 5; i++) {
        person_make(r, stoa_create(r->s.world));
    }
}

/* The world and its twin must agree all along. */
static const char *script_run(const support_trace *t) {
    run *r = &the_run;
    const step *steps = t->steps;
    run_open(r);
    for (uint32_t i = 0; i < t->count && r->what == NULL; i++) {
        if (r->m.count + 4 < PEOPLE_MAX) {
            step_run(r, &steps[i]);
            run_compare(r, &steps[i]);
        }
    }
    stoa_world_free(r->s.world);
    assert_int_equal(r->s.heap.bytes, 0);
    return r->what;
}

static void script_make(support_trace *t) {
    support_random random = {t->seed * 977 + 5};
    step *steps = t->steps;
    t->count = 20 + support_random_below(&random, STEPS_MAX - 20);
    for (int i = 0; i < 2; i++) {
        sc.policies[i] = (stoa_relation_policy)support_random_below(&random, 3);
        sc.acyclic[i] = support_random_below(&random, 2) == 0;
    }
    bool records = support_random_below(&random, 3) == 0;
    for (uint32_t i = 0; i < t->count; i++) {
        step *p = &steps[i];
        p->op = (step_op)support_random_pick(&random, op_shares, STEP_OPS);
        p->relation = (int)support_random_below(&random, 2);
        p->a = support_random_next(&random) >> 8;
        p->b = support_random_next(&random) >> 8;
        bool can = p->op == STEP_DESTROY || (p->op >= STEP_SET && p->op <= STEP_REMOVE_ALL);
        p->recorded = records && can && support_random_below(&random, 2) == 0;
    }
}

static void step_print(FILE *out, const void *given) {
    const step *p = given;
    fprintf(out, "%s%s %d: %u %u", p->recorded ? "record " : "", op_names[p->op], p->relation, p->a,
            p->b);
}

static void script_tell(FILE *out, const support_trace *t) {
    (void)t;
    fprintf(out, "policies %d %d, acyclic %d %d\n", (int)sc.policies[0], (int)sc.policies[1],
            sc.acyclic[0], sc.acyclic[1]);
    support_print_error();
}

/* REL-01 ENT-09 */
static void relations_do_what_their_naive_twin_does(void **state) {
    (void)state;
    static step steps[STEPS_MAX];
    support_traces_run(&(support_traces){SUPPORT_STEPS(steps), .seeds = 600, .make = script_make,
                                         .run = script_run, .print = step_print,
                                         .tell = script_tell});
}

int main(void) {
    const struct CMUnitTest tests[] = {
        support_seeds_test(relations_do_what_their_naive_twin_does),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
