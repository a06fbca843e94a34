/* Random scripts on prefabs against a naive reference.
 *
 * The reference keeps what each prefab says of each node and component in a plain table and works
 * out an instance anew each time, by definition. Every instance that the library makes is compared
 * with it, entity by entity. A script that fails is made shorter as far as it still fails, and
 * printed with its seed. */
#include "prefab_fixture.h"
#include "support/trace.h"

#define PREFABS 10
#define CHILDREN 4 /* of one prefab */
#define LEVELS 40  /* nodes that entries are kept for */
#define ENTITIES 200
#define STEPS_MAX 80
#define TYPES 5

enum { T_HEALTH, T_LINK, T_OWNED, T_HEAT, T_FROZEN };

static stoa_type *const types[TYPES] = {STOA_TYPE_OF(Health), STOA_TYPE_OF(Link),
                                        STOA_TYPE_OF(Owned), STOA_TYPE_OF(Heat),
                                        STOA_TYPE_OF(Frozen)};

/* What one prefab says of one component of one node. */
typedef struct saying {
    enum { SILENT, PUT, MASK } state;
    int32_t number;
    int32_t node; /* that the value refers to; -1: none */
} saying;

typedef struct model {
    bool used;
    int base; /* -1: none */
    int node_first;
    int child_count;
    int children[CHILDREN];
    saying says[LEVELS][TYPES];
} model;

/* An entity that is expected. */
typedef struct figure {
    int kind;
    int parent;
    int node;  /* in its parent's prefab */
    int first; /* its first own child */
} figure;

typedef enum step_op {
    STEP_NEW,
    STEP_SET,
    STEP_REMOVE,
    STEP_REVERT,
    STEP_CHILD,
    STEP_FREE,
    STEP_COPY,
    STEP_MAKE,
    STEP_BULK,
    STEP_RECORD,
    STEP_OPS
} step_op;

static const char *const op_names[] = {"new",  "set",  "remove", "revert", "child",
                                       "free", "copy", "make",   "bulk",   "record"};

typedef struct step {
    step_op op;
    uint32_t bits;
} step;

typedef struct run {
    support_world s;
    stoa_prefab *prefabs[PREFABS];
    model models[PREFABS];
    figure figures[ENTITIES];
    int figure_count;
    char problem[200];
} run;

static bool fails(run *r, const char *what, int a, int b) {
    if (r->problem[0] == '\0') {
        snprintf(r->problem, sizeof r->problem, "%s: %d, expected %d", what, a, b);
    }
    return false;
}

static bool same(run *r, const char *what, int64_t got, int64_t expected) {
    return got == expected || fails(r, what, (int)got, (int)expected);
}

static int model_nodes(const model *m) {
    return m->node_first + m->child_count;
}

static int model_kind(const run *r, int p, int node) {
    while (node < r->models[p].node_first) {
        p = r->models[p].base;
    }
    return r->models[p].children[node - r->models[p].node_first];
}

/* What the layers of a prefab say of a node. */
static saying layers_say(const run *r, int p, int node, int t) {
    for (; p >= 0; p = r->models[p].base) {
        if (r->models[p].says[node][t].state != SILENT) {
            return r->models[p].says[node][t];
        }
    }
    return (saying){.state = SILENT};
}

static bool model_reaches(const run *r, int from, int to) {
    const model *m = &r->models[from];
    bool found = from == to || (m->base >= 0 && model_reaches(r, m->base, to));
    for (int i = 0; i < m->child_count && !found; i++) {
        found = model_reaches(r, m->children[i], to);
    }
    return found;
}

static int model_users(const run *r, int p, bool variants_only) {
    int users = 0;
    for (int i = 0; i < PREFABS; i++) {
        const model *m = &r->models[i];
        users += m->used && m->base == p;
        for (int k = 0; m->used && !variants_only && k < m->child_count; k++) {
            users += m->children[k] == p;
        }
    }
    return users;
}

/* Lists the entities of an instance; false if they are too many for this test. */
static bool figures_list(run *r, int p) {
    r->figure_count = 1;
    r->figures[0] = (figure){.kind = p};
    for (int i = 0; i < r->figure_count; i++) {
        int kind = r->figures[i].kind, nodes = model_nodes(&r->models[kind]);
        r->figures[i].first = r->figure_count;
        for (int node = 1; node < nodes; node++) {
            if (r->figure_count == ENTITIES) {
                return false;
            }
            r->figures[r->figure_count++] =
                (figure){.kind = model_kind(r, kind, node), .parent = i, .node = node};
        }
    }
    return true;
}

/* What an entity should have of a component, and by whose numbers its reference goes. */
static saying figure_says(const run *r, int i, int t, int *home) {
    saying over = {.state = SILENT};
    *home = r->figures[i].parent;
    if (i > 0) {
        over = layers_say(r, r->figures[*home].kind, r->figures[i].node, t);
    }
    if (over.state == SILENT) {
        *home = i;
        over = layers_say(r, r->figures[i].kind, 0, t);
    }
    return over;
}

/* True if no value refers to a node that is not there. */
static bool figures_valid(const run *r) {
    for (int i = 0; i < r->figure_count; i++) {
        for (int t = 0; t < TYPES; t++) {
            int home;
            saying says = figure_says(r, i, t, &home);
            if (says.state == PUT && says.node >= model_nodes(&r->models[r->figures[home].kind])) {
                return false;
            }
        }
    }
    return true;
}

/* Compares one entity with what it should be. */
static bool figure_compare(run *r, const stoa_entity *e, int i, int32_t override) {
    const stoa_world *w = r->s.world;
    for (int t = 0; t < TYPES; t++) {
        int home;
        saying says = figure_says(r, i, t, &home);
        if (i == 0 && t == T_HEALTH && override >= 0) {
            says = (saying){PUT, override, -1};
        }
        stoa_component id = stoa_type_find(w, types[t]);
        if (!same(r, "has", stoa_has_id(w, e[i], id), says.state == PUT) || says.state != PUT) {
            if (r->problem[0] != '\0') {
                return false;
            }
            continue;
        }
        stoa_entity target = STOA_NULL;
        if (says.node == 0) {
            target = e[home];
        } else if (says.node > 0) {
            target = e[r->figures[home].first + says.node - 1];
        }
        const void *value = stoa_try_get_id(w, e[i], id);
        const Owned *owned = value;
        bool fine = true;
        if (t == T_HEALTH || t == T_HEAT) {
            fine = same(r, "number", ((const Health *)value)->points, says.number);
        } else if (t == T_OWNED) {
            fine = same(r, "owned", owned->number, says.number) &&
                   same(r, "self", owned->self == owned, says.number != 0) &&
                   same(r, "friend", owned->friend.index, target.index);
        } else if (t == T_LINK) {
            const Link *link = value;
            fine = same(r, "link", link->to.index, target.index) &&
                   same(r, "link", link->to.generation, target.generation);
        }
        if (!fine) {
            return false;
        }
    }
    return true;
}

static bool figures_compare(run *r, const stoa_entity *entities, int32_t override) {
    bool fine = true;
    for (int i = 0; i < r->figure_count && fine; i++) {
        fine = same(r, "alive", stoa_alive(r->s.world, entities[i]), true) &&
               figure_compare(r, entities, i, override);
    }
    return fine;
}

/* What the prefab itself tells of its root. */
static bool prefab_compare(run *r, int p) {
    int count = 0;
    for (int t = 0; t < TYPES; t++) {
        saying says = layers_say(r, p, 0, t);
        count += says.state == PUT;
        if (!same(r, "prefab has", stoa_prefab_has_type(r->prefabs[p], types[t]),
                  says.state == PUT)) {
            return false;
        }
        const Health *health = stoa_prefab_get(r->prefabs[p], Health);
        if (t == T_HEALTH && says.state == PUT &&
            !same(r, "prefab gets", health->points, says.number)) {
            return false;
        }
    }
    return same(r, "nodes", stoa_prefab_node_count(r->prefabs[p]), model_nodes(&r->models[p])) &&
           same(r, "entities", stoa_prefab_entity_count(r->prefabs[p]), r->figure_count) &&
           same(r, "count", stoa_prefab_count(r->prefabs[p]), count);
}

static int prefab_pick(const run *r, uint32_t bits) {
    for (uint32_t i = 0; i < PREFABS; i++) {
        uint32_t p = (bits + i) % PREFABS;
        if (r->models[p].used) {
            return (int)p;
        }
    }
    return -1;
}

static int slot_pick(const run *r) {
    for (int i = 0; i < PREFABS; i++) {
        if (!r->models[i].used) {
            return i;
        }
    }
    return -1;
}

static bool step_new(run *r, uint32_t bits) {
    int at = slot_pick(r), base = bits % 3 == 0 ? -1 : prefab_pick(r, bits / 3);
    if (at < 0 || (base >= 0 && model_nodes(&r->models[base]) + CHILDREN > LEVELS)) {
        return true;
    }
    r->prefabs[at] = stoa_prefab_new(
        r->s.world, &(stoa_prefab_desc){.base = base >= 0 ? r->prefabs[base] : NULL});
    r->models[at] = (model){
        .used = true, .base = base, .node_first = base >= 0 ? model_nodes(&r->models[base]) : 1};
    return same(r, "new", r->prefabs[at] != NULL, true);
}

static bool step_set(run *r, int p, int node, uint32_t bits) {
    int t = (int)(bits % TYPES);
    saying says = {PUT, (int32_t)(bits / 8 % 1000), -1};
    stoa_value value = {.type = types[t]};
    union {
        Health health;
        Link link;
        Owned owned;
    } data;
    bool refers = (t == T_LINK || t == T_OWNED) && bits / 4096 % 4 != 0;
    /* Now and then to a node that is not there. */
    says.node =
        refers ? (int32_t)(bits / 16384 % (uint32_t)(model_nodes(&r->models[p]) + (bits % 7 == 0)))
               : -1;
    stoa_entity to = refers ? stoa_prefab_node(says.node) : STOA_NULL;
    if (bits / 64 % 8 == 0) {
        says = (saying){PUT, 0, -1};
    } else if (t == T_OWNED) {
        says.number++;
        owner_make(&data.owned, says.number)->friend = to;
        value.data = &data;
    } else if (t == T_LINK) {
        data.link = (Link){to};
        value.data = &data;
    } else {
        data.health.points = says.number;
        value.data = &data;
    }
    r->models[p].says[node][t] = says;
    return same(r, "set", stoa_prefab_node_set_values(r->prefabs[p], node, &value, 1), STOA_OK);
}

static bool step_child(run *r, int p, uint32_t bits) {
    int child = prefab_pick(r, bits);
    model *m = &r->models[p];
    if (m->child_count == CHILDREN) {
        return true;
    }
    bool refused = model_users(r, p, true) > 0, cycle = model_reaches(r, child, p);
    int32_t node = stoa_prefab_child(r->prefabs[p], r->prefabs[child]);
    if (refused || cycle) {
        return same(r, "child", node, -1) &&
               same(r, "child", stoa_last_error().status, refused ? STOA_REFUSED : STOA_CYCLE);
    }
    m->children[m->child_count++] = child;
    if (same(r, "child", node, model_nodes(m) - 1) && figures_list(r, p)) {
        return true;
    }
    return r->problem[0] == '\0';
}

static bool step_copy(run *r, int p) {
    int at = slot_pick(r);
    if (at < 0) {
        return true;
    }
    r->prefabs[at] = stoa_prefab_copy(r->prefabs[p], NULL);
    r->models[at] = r->models[p];
    return same(r, "copy", r->prefabs[at] != NULL, true);
}

static bool step_make(run *r, int p, uint32_t bits) {
    stoa_entity entities[ENTITIES];
    int32_t override = bits % 2 == 0 ? (int32_t)(bits / 2 % 100) : -1;
    Health health = {override};
    const stoa_value value = STOA_VALUE_FROM(Health, &health);
    int32_t live = stoa_count(r->s.world);
    stoa_status status =
        stoa_prefab_instantiate_tree(r->prefabs[p], &value, override >= 0, entities, ENTITIES);
    if (!figures_valid(r)) {
        return same(r, "make", status, STOA_INVALID) &&
               same(r, "live", stoa_count(r->s.world), live);
    }
    return same(r, "make", status, STOA_OK) && prefab_compare(r, p) &&
           same(r, "live", stoa_count(r->s.world), live + r->figure_count) &&
           figures_compare(r, entities, override);
}

/* Makes several and looks at the roots. */
static bool step_bulk(run *r, int p, uint32_t bits) {
    enum { MOST = 5 };
    stoa_entity roots[MOST];
    Health healths[MOST];
    int32_t n = (int32_t)(bits % (MOST + 1)), live = stoa_count(r->s.world);
    for (int32_t i = 0; i < MOST; i++) {
        healths[i].points = i + 1;
    }
    const stoa_value column = STOA_COLUMN(Health, healths);
    stoa_status status =
        stoa_prefab_instantiate_bulk(r->prefabs[p], n, roots, &column, bits % 2 == 0);
    if (!figures_valid(r)) {
        return same(r, "bulk", status, STOA_INVALID);
    }
    bool fine = same(r, "bulk", status, STOA_OK) &&
                same(r, "live", stoa_count(r->s.world), live + n * r->figure_count);
    for (int32_t i = 0; i < n && fine && r->figure_count == 1; i++) {
        fine = figures_compare(r, &roots[i], bits % 2 == 0 ? i + 1 : -1);
    }
    return fine;
}

static bool step_record(run *r, int p, uint32_t bits) {
    stoa_entity entities[ENTITIES];
    stoa_commands *c = stoa_deferred(r->s.world);
    stoa_status status =
        stoa_commands_instantiate_tree(c, r->prefabs[p], NULL, 0, entities, ENTITIES);
    if (!figures_valid(r)) {
        return same(r, "record", status, STOA_INVALID) &&
               same(r, "recorded", stoa_commands_count(c), 0);
    }
    if (bits % 4 == 0) {
        return same(r, "record", status, STOA_OK) &&
               same(r, "clear", stoa_commands_clear(c), STOA_OK);
    }
    return same(r, "record", status, STOA_OK) &&
           same(r, "flush", stoa_flush(r->s.world), STOA_OK) && figures_compare(r, entities, -1);
}

static bool step_run(run *r, const step *s) {
    int p = prefab_pick(r, s->bits / 97);
    if (s->op == STEP_NEW || p < 0) {
        return step_new(r, s->bits);
    }
    model *m = &r->models[p];
    int node = (int)(s->bits / 1009 % (uint32_t)model_nodes(m)), t = (int)(s->bits % TYPES);
    if (s->op >= STEP_MAKE && !figures_list(r, p)) {
        return true;
    }
    stoa_component id = stoa_type_find(r->s.world, types[t]);
    switch (s->op) {
    case STEP_SET:
        return step_set(r, p, node, s->bits);
    case STEP_REMOVE:
        m->says[node][t] = (saying){.state = MASK};
        return same(r, "remove",
                    stoa_prefab_node_set_values(
                        r->prefabs[p], node, &(stoa_value){.type = types[t], .op = STOA_DROP}, 1),
                    STOA_OK);
    case STEP_REVERT:
        m->says[node][t] = (saying){.state = SILENT};
        return same(r, "revert", stoa_prefab_node_revert_id(r->prefabs[p], node, id), STOA_OK);
    case STEP_CHILD:
        return step_child(r, p, s->bits);
    case STEP_FREE:
        m->used = model_users(r, p, false) > 0;
        return same(r, "free", stoa_prefab_free(r->prefabs[p]), m->used ? STOA_REFUSED : STOA_OK);
    case STEP_COPY:
        return step_copy(r, p);
    case STEP_MAKE:
        return step_make(r, p, s->bits);
    case STEP_BULK:
        return step_bulk(r, p, s->bits);
    default:
        return step_record(r, p, s->bits);
    }
}

static run the_run;

static const char *script_run(const support_trace *t) {
    run *r = &the_run;
    const step *steps = t->steps;
    memset(r, 0, sizeof *r);
    owners_alive = 0;
    support_world_open_with(&r->s, 16384);
    for (int type = 0; type < TYPES; type++) {
        assert_int_not_equal(stoa_type_register(r->s.world, types[type]), 0);
    }
    bool fine = true;
    for (uint32_t i = 0; i < t->count && fine; i++) {
        fine = step_run(r, &steps[i]) && same(r, "check", stoa_check(r->s.world), STOA_OK);
    }
    stoa_commands_clear(stoa_deferred(r->s.world));
    support_world_close(&r->s);
    return fine && same(r, "owners", owners_alive, 0) ? NULL : r->problem;
}

static void script_make(support_trace *t) {
    static const uint8_t weights[STEP_OPS] = {12, 34, 8, 6, 14, 3, 3, 12, 4, 4};
    support_random random = {t->seed * 2654435761u + 7};
    step *steps = t->steps;
    t->count = 10 + support_random_below(&random, STEPS_MAX - 10);
    for (uint32_t i = 0; i < t->count; i++) {
        step_op op = (step_op)support_random_pick(&random, weights, STEP_OPS);
        steps[i] = (step){op, support_random_next(&random) >> 1};
    }
}

static void step_print(FILE *out, const void *given) {
    const step *p = given;
    fprintf(out, "%s %x", op_names[p->op], p->bits);
}

/* PRE-01 PRE-02 PRE-03 PRE-04 */
static void instances_are_what_a_naive_reference_says(void **state) {
    (void)state;
    static step steps[STEPS_MAX];
    support_traces_run(&(support_traces){SUPPORT_STEPS(steps), .seeds = 1500, .make = script_make,
                                         .run = script_run, .print = step_print});
}

int main(void) {
    const struct CMUnitTest tests[] = {
        support_seeds_test(instances_are_what_a_naive_reference_says),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
