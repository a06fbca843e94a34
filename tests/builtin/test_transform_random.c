/* Random trees, changed in every way, against a naive model: who is whose child, and every world
 * matrix to the last bit.
 *
 * A script is a list of steps on a pool of entities. The model keeps parents in an array and works
 * matrices out by recursion. A script that fails is made shorter as far as it still fails, and
 * printed with its seed. */
#include "builtin/transform_fixture.h"
#include "support/trace.h"

#define POOL_MAX 48
#define STEPS_MAX 220
#define SCRIPTS 1000

STOA_TAG(Odd);
STOA_COMPONENT(Mass, { float kg; });

typedef enum step_op {
    STEP_CREATE,
    STEP_BULK,
    STEP_CLONE,
    STEP_SET_LOCAL,
    STEP_WRITE_LOCAL,
    STEP_WRITE_WORLD,
    STEP_DROP_LOCAL,
    STEP_DROP_WORLD,
    STEP_ADD_WORLD,
    STEP_PARENT,
    STEP_PARENT_COMMAND,
    STEP_ORPHAN,
    STEP_DESTROY,
    STEP_DESTROY_ALL,
    STEP_CLEAR,
    STEP_MOVE,
    STEP_POLICY,
    STEP_COMPACT,
    STEP_TICK,
    STEP_PROPAGATE,
    STEP_COUNT
} step_op;

static const char *const op_names[STEP_COUNT] = {"create",
                                                 "bulk",
                                                 "clone",
                                                 "set local",
                                                 "write local",
                                                 "write world",
                                                 "drop local",
                                                 "drop world",
                                                 "add world",
                                                 "parent",
                                                 "parent by command",
                                                 "orphan",
                                                 "destroy",
                                                 "destroy all",
                                                 "clear",
                                                 "move row",
                                                 "policy",
                                                 "compact",
                                                 "tick",
                                                 "propagate"};

/* `who` and `other` are positions in the pool; `bits` chooses whatever the operation leaves open.
 */
typedef struct step {
    step_op op;
    uint32_t who, other, bits;
} step;

/* What the model knows of an entity of the pool. */
typedef struct node {
    stoa_entity e;
    bool alive, local, world;
    int parent; /* position, or -1 */
    Mat4 matrix;
} node;

typedef struct run {
    support_world s;
    stoa_world *w;
    stoa_pool *pools[3];
    node nodes[POOL_MAX];
    uint32_t count;
    bool cascade;
    const char *why; /* what went wrong, or NULL */
} run;

static bool below(const run *r, int e, int top) {
    while (e >= 0 && e != top) {
        e = r->nodes[e].parent;
    }
    return e >= 0;
}

static Mat4 expect(const run *r, int e) {
    const node *n = &r->nodes[e];
    const node *p = n->parent >= 0 ? &r->nodes[n->parent] : NULL;
    return p != NULL && p->local && p->world ? stoa_mat4_multiply(expect(r, n->parent), n->matrix)
                                             : n->matrix;
}

static void must(run *r, bool right, const char *why) {
    if (!right && r->why == NULL) {
        r->why = why;
    }
}

/* The model's half of an entity's end: what points at it goes too, or points nowhere. */
static void model_end(run *r, int e, bool cascade) {
    r->nodes[e].alive = r->nodes[e].local = r->nodes[e].world = false;
    r->nodes[e].parent = -1;
    for (int i = 0; i < POOL_MAX; i++) {
        if (r->nodes[i].alive && r->nodes[i].parent == e) {
            if (cascade) {
                model_end(r, i, true);
            } else {
                r->nodes[i].parent = -1;
            }
        }
    }
}

static int node_add(run *r, stoa_entity e, node like) {
    int position = (int)r->count++;
    r->nodes[position] = like;
    r->nodes[position].e = e;
    r->nodes[position].alive = true;
    must(r, stoa_alive(r->w, e), "a new entity is dead");
    return position;
}

static void step_create(run *r, const step *p) {
    const node *other = &r->nodes[p->other];
    node made = {.local = p->bits % 4 != 0, .world = p->bits / 4 % 8 != 0, .parent = -1};
    made.matrix = matrix_of(p->bits);
    stoa_value values[4];
    int32_t count = 0;
    LocalTransform local = {made.matrix};
    Parent parent = {other->e};
    if (made.local) {
        values[count++] = STOA_VALUE_FROM(LocalTransform, &local);
    }
    if (p->bits / 32 % 4 != 0 && other->alive) {
        values[count++] = STOA_VALUE_FROM(Parent, &parent);
        made.parent = (int)p->other;
    }
    if (made.world) {
        values[count++] = STOA_ZERO(WorldTransform);
    }
    if (p->bits / 128 % 2 != 0) {
        values[count++] = STOA_ZERO(Odd);
    }
    node_add(r, stoa_create_values(r->w, values, count), made);
}

static void step_bulk(run *r, const step *p) {
    LocalTransform locals[3];
    Parent parents[3];
    stoa_entity made[3];
    const node *other = &r->nodes[p->other];
    if (r->count + 3 > POOL_MAX || !other->alive) {
        return;
    }
    for (uint32_t i = 0; i < 3; i++) {
        locals[i].matrix = matrix_of(p->bits + i);
        parents[i].entity = other->e;
    }
    stoa_status status = stoa_create_bulk(r->w, 3, made, STOA_COLUMN(LocalTransform, locals),
                                          STOA_COLUMN(Parent, parents), STOA_ZERO(WorldTransform));
    must(r, status == STOA_OK, "bulk failed");
    for (uint32_t i = 0; i < 3; i++) {
        node_add(
            r, made[i],
            (node){
                .local = true, .world = true, .parent = (int)p->other, .matrix = locals[i].matrix});
    }
}

static void step_parent(run *r, const step *p, bool command) {
    node *n = &r->nodes[p->who];
    const node *other = &r->nodes[p->other];
    stoa_status status, expected = STOA_OK;
    if (!n->alive || !other->alive) {
        return;
    }
    if (below(r, (int)p->other, (int)p->who)) {
        expected = STOA_CYCLE;
    } else {
        n->parent = (int)p->other;
    }
    if (command) {
        int64_t refused = stoa_commands_refused(stoa_deferred(r->w));
        stoa_commands_set(stoa_deferred(r->w), n->e, Parent, {other->e});
        status = stoa_flush(r->w);
        if (stoa_commands_refused(stoa_deferred(r->w)) != refused) {
            status = STOA_CYCLE;
        }
    } else {
        status = p->bits % 2 == 0 ? stoa_set_parent(r->w, n->e, other->e)
                                  : stoa_set(r->w, n->e, Parent, {other->e});
    }
    must(r, status == expected, "giving a parent came to something else");
}

static void step_local(run *r, const step *p) {
    node *n = &r->nodes[p->who];
    if (!n->alive) {
        return;
    }
    if (p->op == STEP_SET_LOCAL) {
        n->matrix = matrix_of(p->bits);
        n->local = true;
        stoa_set(r->w, n->e, LocalTransform, {n->matrix});
    } else if (p->op == STEP_WRITE_LOCAL && n->local) {
        n->matrix = matrix_of(p->bits);
        stoa_get_mut(r->w, n->e, LocalTransform)->matrix = n->matrix;
    } else if (p->op == STEP_DROP_LOCAL) {
        n->local = false;
        stoa_remove(r->w, n->e, LocalTransform);
    }
}

static void step_world(run *r, const step *p) {
    node *n = &r->nodes[p->who];
    if (!n->alive) {
        return;
    }
    if (p->op == STEP_WRITE_WORLD && n->world) {
        stoa_get_mut(r->w, n->e, WorldTransform)->matrix = matrix_of(p->bits);
    } else if (p->op == STEP_DROP_WORLD) {
        n->world = false;
        stoa_remove(r->w, n->e, WorldTransform);
    } else if (p->op == STEP_ADD_WORLD) {
        n->world = true;
        stoa_add(r->w, n->e, WorldTransform);
    }
}

static void step_end(run *r, const step *p) {
    node *n = &r->nodes[p->who];
    if (!n->alive) {
        return;
    }
    stoa_entity e = n->e;
    if (p->op == STEP_DESTROY_ALL) {
        model_end(r, (int)p->who, true);
        must(r, stoa_destroy_recursive(r->w, e) == STOA_OK, "destroying all failed");
    } else {
        model_end(r, (int)p->who, r->cascade);
        n->alive = p->op == STEP_CLEAR;
        must(r, (n->alive ? stoa_clear(r->w, e) : stoa_destroy(r->w, e)) == STOA_OK,
             "destroying failed");
    }
}

/* Everything as the model has it. */
static void model_compare(run *r) {
    for (int i = 0; i < (int)r->count; i++) {
        const node *n = &r->nodes[i];
        must(r, stoa_alive(r->w, n->e) == n->alive, "lives and should not, or the reverse");
        stoa_entity parent = n->parent >= 0 ? r->nodes[n->parent].e : STOA_NULL;
        must(r, stoa_entity_eq(stoa_parent(r->w, n->e), parent), "a parent is wrong");
        int32_t children = 0;
        for (int k = 0; k < (int)r->count; k++) {
            children += r->nodes[k].alive && r->nodes[k].parent == i;
        }
        stoa_links links = stoa_children(r->w, n->e);
        must(r, links.count == children, "the number of children is wrong");
        for (int32_t k = 0; k < links.count; k++) {
            must(r, stoa_entity_eq(stoa_parent(r->w, links.items[k]), n->e), "a child is wrong");
        }
    }
}

static void step_propagate(run *r, const step *p) {
    stoa_pool *pool = p->bits % 4 == 0 ? NULL : r->pools[p->bits % 4 - 1];
    must(r, stoa_propagate_transforms_with(r->w, pool) == STOA_OK, "propagating failed");
    for (int i = 0; i < (int)r->count; i++) {
        const node *n = &r->nodes[i];
        if (n->alive && n->local && n->world) {
            Mat4 expected = expect(r, i);
            must(r, matrix_same(&stoa_get(r->w, n->e, WorldTransform)->matrix, &expected),
                 "a world matrix is wrong");
        }
    }
    must(r, stoa_check(r->w) == STOA_OK, "the check failed");
}

static void step_other(run *r, const step *p) {
    node *n = &r->nodes[p->who];
    if (p->op == STEP_POLICY) {
        r->cascade = p->bits % 2 == 0;
        stoa_hierarchy_policy(r->w, r->cascade ? STOA_CASCADE : STOA_ORPHAN);
    } else if (p->op == STEP_COMPACT) {
        must(r, stoa_compact(r->w) == STOA_OK, "compacting failed");
    } else if (p->op == STEP_TICK) {
        stoa_tick_advance(r->w);
    } else if (!n->alive) {
        return;
    } else if (p->op == STEP_ORPHAN) {
        n->parent = -1;
        must(r, stoa_remove_parent(r->w, n->e) == STOA_OK, "taking a parent failed");
    } else if (p->op == STEP_CLONE && r->count < POOL_MAX) {
        node_add(r, stoa_clone(r->w, n->e), *n);
    } else if (p->op == STEP_MOVE) {
        stoa_has(r->w, n->e, Mass) ? stoa_remove(r->w, n->e, Mass) : stoa_add(r->w, n->e, Mass);
    }
}

static void step_run(run *r, const step *p) {
    switch (p->op) {
    case STEP_CREATE:
        if (r->count < POOL_MAX) {
            step_create(r, p);
        }
        break;
    case STEP_BULK:
        step_bulk(r, p);
        break;
    case STEP_SET_LOCAL:
    case STEP_WRITE_LOCAL:
    case STEP_DROP_LOCAL:
        step_local(r, p);
        break;
    case STEP_WRITE_WORLD:
    case STEP_DROP_WORLD:
    case STEP_ADD_WORLD:
        step_world(r, p);
        break;
    case STEP_PARENT:
    case STEP_PARENT_COMMAND:
        step_parent(r, p, p->op == STEP_PARENT_COMMAND);
        break;
    case STEP_DESTROY:
    case STEP_DESTROY_ALL:
    case STEP_CLEAR:
        step_end(r, p);
        break;
    case STEP_PROPAGATE:
        step_propagate(r, p);
        break;
    default:
        step_other(r, p);
        break;
    }
}

static stoa_pool *pools[3];

static const char *script_run(const support_trace *t) {
    run r = {.count = 0};
    const step *steps = t->steps;
    memcpy(r.pools, pools, sizeof pools);
    support_world_open_with(&r.s, 16384);
    r.w = r.s.world;
    stoa_id(r.w, Mass);
    for (uint32_t i = 0; i < t->count && r.why == NULL; i++) {
        step_run(&r, &steps[i]);
        model_compare(&r);
    }
    step_propagate(&r, &(step){.op = STEP_PROPAGATE});
    if (r.why == NULL) {
        support_world_close(&r.s);
    } else {
        stoa_world_free(r.w);
    }
    return r.why;
}

static void script_make(support_trace *t) {
    support_random random = {t->seed};
    /* Matrices and parents change more often than entities come and go. */
    static const step_op often[] = {STEP_CREATE,      STEP_CREATE,      STEP_PARENT,
                                    STEP_PARENT,      STEP_WRITE_LOCAL, STEP_WRITE_LOCAL,
                                    STEP_PROPAGATE,   STEP_PROPAGATE,   STEP_PROPAGATE,
                                    STEP_WRITE_LOCAL, STEP_MOVE};
    step *steps = t->steps;
    t->count = 20 + support_random_below(&random, STEPS_MAX - 20);
    for (uint32_t i = 0; i < t->count; i++) {
        step *p = &steps[i];
        uint32_t op = support_random_below(&random, STEP_COUNT + sizeof often / sizeof *often);
        p->op = op < STEP_COUNT ? (step_op)op : often[op - STEP_COUNT];
        p->op = i < 8 ? STEP_CREATE : p->op;
        p->who = support_random_below(&random, POOL_MAX * 3 / 4);
        p->other = support_random_below(&random, POOL_MAX * 3 / 4);
        p->bits = support_random_next(&random) >> 8;
    }
}

static void step_print(FILE *out, const void *given) {
    const step *p = given;
    fprintf(out, "%s %u %u %u", op_names[p->op], p->who, p->other, p->bits);
}

/* TRF-02, TRF-03, TRF-04, TRF-05 */
static void random_trees_are_as_the_model_has_them(void **state) {
    (void)state;
    static step steps[STEPS_MAX];
    for (int i = 0; i < 3; i++) {
        pools[i] = stoa_pool_new(&(stoa_pool_desc){.threads = 1 << i});
        assert_non_null(pools[i]);
    }
    support_traces_run(&(support_traces){SUPPORT_STEPS(steps), .seeds = SCRIPTS,
                                         .make = script_make, .run = script_run,
                                         .print = step_print});
    for (int i = 0; i < 3; i++) {
        stoa_pool_free(pools[i]);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        support_seeds_test(random_trees_are_as_the_model_has_them),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
