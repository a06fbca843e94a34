/* Random scripts of changes, sorts and permutations against a naive model: what each entity has,
 * and the order of rows found by insertion. Never a cmocka check inside of a run: a script that
 * fails is made shorter as far as it still fails, and printed with its seed. */
#include "model/sort_rows.h"
#include "support/trace.h"

STOA_COMPONENT(Rank, {
    int32_t value;
    float half;
    int64_t far;
});

#define POOL_MAX 2000
#define STEPS_MAX 60
#define TYPES 8
#define ARCHETYPES_MAX 400

enum { RANK, HEALTH, SHIELD, SEEN, MOOD, OWNED, HOARD, FROZEN };

static stoa_type *const types[TYPES] = {
    STOA_TYPE_OF(Rank), STOA_TYPE_OF(Health), STOA_TYPE_OF(Shield), STOA_TYPE_OF(Seen),
    STOA_TYPE_OF(Mood), STOA_TYPE_OF(Owned),  STOA_TYPE_OF(Hoard),  STOA_TYPE_OF(Frozen)};

typedef enum step_op {
    STEP_CREATE,
    STEP_DESTROY,
    STEP_SET,
    STEP_REMOVE,
    STEP_ENABLE,
    STEP_TICK,
    STEP_KEY,
    STEP_FUNCTION,
    STEP_ENTITIES,
    STEP_PERMUTE,
    STEP_COMPACT
} step_op;

static const char *const op_names[] = {"create",   "destroy", "set",    "remove",
                                       "enable",   "tick",    "key",    "function",
                                       "entities", "permute", "compact"};

typedef struct step {
    step_op op;
    uint32_t bits;
} step;

/* What the model knows of an entity. */
typedef struct known {
    stoa_entity e;
    bool alive;
    uint32_t has; /* bit t */
    uint32_t off; /* bit t */
    int32_t value[TYPES];
    uint32_t changed[TYPES];
    uint32_t added[TYPES];
} known;

typedef struct run {
    support_world s;
    known pool[POOL_MAX];
    int32_t by_index[POOL_MAX + 1]; /* an entity's index to its place in the pool */
    int32_t count;
    uint32_t serial;
} run;

static run r;

/* Row orders before a sort, put in order by the model. */
static stoa_entity orders[ARCHETYPES_MAX][POOL_MAX];
static int32_t order_counts[ARCHETYPES_MAX];

static const known *known_of(stoa_entity e) {
    return &r.pool[r.by_index[e.index]];
}

static bool is_sparse(uint32_t t) {
    return (types[t]->options.flags & STOA_SPARSE) != 0;
}

/* Gives an entity a component, in the model and in the world. */
static bool component_set(known *k, uint32_t t, int32_t value) {
    uint32_t tick = stoa_tick(r.s.world);
    owner own;
    Rank rank = {value, (float)value / 2, (int64_t)value * 1000000000000};
    const void *data = &value;
    if (t == RANK) {
        data = &rank;
    } else if (t == OWNED || t == HOARD) {
        owner_make(&own, value);
        data = &own;
    } else if (t == FROZEN) {
        data = NULL;
    }
    if ((k->has >> t & 1) == 0) {
        k->added[t] = tick;
        k->off &= ~(1u << t);
    }
    k->has |= 1u << t;
    k->value[t] = value;
    k->changed[t] = tick;
    return stoa_set_type(r.s.world, k->e, types[t], data) == STOA_OK;
}

static bool step_create(uint32_t bits) {
    uint32_t mask = bits & 0xFF, count = 1 + (bits >> 8) % 300;
    for (uint32_t i = 0; i < count && r.count < POOL_MAX; i++) {
        known *k = &r.pool[r.count];
        *k = (known){.e = stoa_create(r.s.world), .alive = true};
        r.by_index[k->e.index] = r.count++;
        for (uint32_t t = 0; t < TYPES; t++) {
            r.serial = r.serial * 1664525u + 1013904223u;
            int32_t value = (int32_t)(r.serial >> 8) % 97 - 48;
            if ((mask >> t & 1) != 0 && !component_set(k, t, value)) {
                return false;
            }
        }
    }
    return true;
}

/* Where a component's numbers are: its values and how they are written as a field. */
static const char *field_of(uint32_t t, uint32_t bits) {
    static const char *const ranks[] = {"value", "half", "far"};
    static const char *const names[] = {NULL, "points", "power", "count", "value"};
    return t == RANK ? ranks[bits % 3] : names[t];
}

static int sign;

static int values_compare(const void *a, const void *b, void *user) {
    int32_t x, y;
    const uint32_t *t = user;
    size_t at = *t == OWNED || *t == HOARD ? offsetof(owner, serial) : 0;
    memcpy(&x, (const uint8_t *)a + at, sizeof x);
    memcpy(&y, (const uint8_t *)b + at, sizeof y);
    return sign * ((x > y) - (x < y));
}

static int entities_compare(const stoa_sort_item *a, const stoa_sort_item *b, void *user) {
    (void)user;
    uint32_t x = a->entity.index % 16, y = b->entity.index % 16;
    return sign * ((x > y) - (x < y));
}

/* The model's number of an entity, by what it is sorted. */
static int32_t number_of(stoa_entity e, uint32_t t, bool by_entity) {
    return sign * (by_entity ? (int32_t)(e.index % 16) : known_of(e)->value[t]);
}

static void order_insert(stoa_entity *order, int32_t count, uint32_t t, bool by_entity) {
    static int32_t numbers[POOL_MAX];
    for (int32_t i = 0; i < count; i++) {
        stoa_entity e = order[i];
        int32_t number = number_of(e, t, by_entity), at = i;
        for (; at > 0 && numbers[at - 1] > number; at--) {
            numbers[at] = numbers[at - 1];
            order[at] = order[at - 1];
        }
        numbers[at] = number;
        order[at] = e;
    }
}

static int32_t archetypes_list(int32_t (*counts)[ARCHETYPES_MAX],
                               stoa_entity (*lists)[ARCHETYPES_MAX][POOL_MAX]) {
    int32_t n = stoa_archetype_count(r.s.world);
    for (int32_t a = 1; a < n; a++) {
        (*counts)[a] = rows_list(r.s.world, a, (*lists)[a]);
    }
    return n;
}

static bool archetype_has(int32_t archetype, stoa_component id) {
    stoa_archetype_info info;
    stoa_archetype_info_get(r.s.world, archetype, &info);
    for (int32_t i = 0; i < info.component_count; i++) {
        if (info.components[i] == id) {
            return true;
        }
    }
    return false;
}

/* Every archetype, and the set of a sparse component, must be as the model says. */
static bool orders_hold(int32_t n) {
    static stoa_entity now[POOL_MAX];
    for (int32_t a = 1; a < n; a++) {
        int32_t count = rows_list(r.s.world, a, now);
        if (count != order_counts[a] || memcmp(now, orders[a], (size_t)count * sizeof *now) != 0) {
            return false;
        }
    }
    return true;
}

/* Lists the entities of a set; returns how many. */
static int32_t set_list(stoa_component id, stoa_entity *list) {
    stoa_sparse_info info;
    stoa_sparse_info_get(r.s.world, id, &info);
    if (info.count > 0) {
        memcpy(list, info.entities, (size_t)info.count * sizeof *list);
    }
    return info.count;
}

static bool set_holds(stoa_component id, const stoa_entity *order, int32_t count) {
    static stoa_entity now[POOL_MAX];
    return set_list(id, now) == count && memcmp(now, order, (size_t)count * sizeof *now) == 0;
}

static stoa_status sort_call(step_op op, uint32_t t, uint32_t bits) {
    stoa_direction direction = sign < 0 ? STOA_DESCENDING : STOA_ASCENDING;
    switch (op) {
    case STEP_KEY:
        return stoa_sort_key_type(r.s.world, types[t], field_of(t, bits), direction);
    case STEP_FUNCTION:
        return stoa_sort_type(r.s.world, types[t], values_compare, &t);
    default:
        return stoa_sort_entities_type(r.s.world, types[t], entities_compare, NULL);
    }
}

static bool step_sort(step_op op, uint32_t bits) {
    static stoa_entity set[POOL_MAX];
    uint32_t t = bits % (op == STEP_KEY ? MOOD + 1 : op == STEP_FUNCTION ? HOARD + 1 : TYPES);
    stoa_component id = stoa_type_register(r.s.world, types[t]);
    sign = (bits >> 8) % 2 == 0 ? 1 : -1;
    int32_t n = archetypes_list(&order_counts, &orders), set_count = 0;
    if (is_sparse(t)) {
        set_count = set_list(id, set);
        order_insert(set, set_count, t, op == STEP_ENTITIES);
    }
    for (int32_t a = 1; a < n; a++) {
        if (archetype_has(a, id)) {
            order_insert(orders[a], order_counts[a], t, op == STEP_ENTITIES);
        }
    }
    return sort_call(op, t, bits >> 9) == STOA_OK && orders_hold(n) &&
           (!is_sparse(t) || set_holds(id, set, set_count));
}

/* Mixes some of the numbers from 0 on, and the list along with them. */
static void order_mix(int32_t *order, stoa_entity *entities, int32_t count, uint32_t bits) {
    static stoa_entity before[POOL_MAX];
    support_random random = {bits};
    memcpy(before, entities, (size_t)count * sizeof *before);
    for (int32_t i = 0; i < count; i++) {
        order[i] = i;
    }
    int32_t first = bits % 3 == 0 ? 0 : (int32_t)support_random_below(&random, (uint32_t)count);
    for (int32_t i = count - 1; i > first; i--) {
        int32_t other = first + (int32_t)support_random_below(&random, (uint32_t)(i - first) + 1);
        int32_t at = order[i];
        order[i] = order[other];
        order[other] = at;
    }
    for (int32_t i = 0; i < count; i++) {
        entities[i] = before[order[i]];
    }
}

static bool step_permute(uint32_t bits) {
    static int32_t order[POOL_MAX];
    static stoa_entity set[POOL_MAX];
    int32_t n = archetypes_list(&order_counts, &orders);
    if (bits % 4 == 0) {
        stoa_component id = stoa_id(r.s.world, Hoard);
        int32_t count = set_list(id, set);
        order_mix(order, set, count, bits);
        return stoa_sparse_permute(r.s.world, id, order, count) == STOA_OK &&
               set_holds(id, set, count) && orders_hold(n);
    }
    int32_t a = n < 2 ? 0 : 1 + (int32_t)((bits >> 4) % (uint32_t)(n - 1));
    if (a == 0) {
        return true;
    }
    order_mix(order, orders[a], order_counts[a], bits);
    return stoa_archetype_permute(r.s.world, a, order, order_counts[a]) == STOA_OK &&
           orders_hold(n);
}

static bool step_run(const step *p) {
    known *k = r.count > 0 ? &r.pool[p->bits % (uint32_t)r.count] : NULL;
    uint32_t t = (p->bits >> 12) % TYPES;
    switch (p->op) {
    case STEP_CREATE:
        return step_create(p->bits);
    case STEP_TICK:
        return stoa_tick_advance(r.s.world) != 0;
    case STEP_COMPACT:
        return stoa_compact(r.s.world) == STOA_OK;
    case STEP_PERMUTE:
        return step_permute(p->bits);
    case STEP_KEY:
    case STEP_FUNCTION:
    case STEP_ENTITIES:
        return step_sort(p->op, p->bits);
    default:
        break;
    }
    /* A handful of neighbours in the pool. */
    for (uint32_t i = 0; k != NULL && i < 12; i++) {
        k = &r.pool[(p->bits + i * 17) % (uint32_t)r.count];
        if (!k->alive) {
            continue;
        }
        bool on = (p->bits >> 16) % 2 == 0, done = true;
        uint32_t s = on ? SHIELD : MOOD;
        if (p->op == STEP_DESTROY) {
            k->alive = false;
            done = stoa_destroy(r.s.world, k->e) == STOA_OK;
        } else if (p->op == STEP_SET) {
            done = component_set(k, t, (int32_t)(p->bits >> 5) % 60);
        } else if (p->op == STEP_REMOVE) {
            k->has &= ~(1u << t);
            done = stoa_remove_type(r.s.world, k->e, types[t]) == STOA_OK;
        } else if ((k->has >> s & 1) != 0) {
            bool off = (p->bits >> 17) % 2 == 0;
            if ((k->off >> s & 1) != 0 && !off) {
                k->changed[s] = stoa_tick(r.s.world);
            }
            k->off = (k->off & ~(1u << s)) | (uint32_t)off << s;
            done = stoa_enable_type(r.s.world, k->e, types[s], !off) == STOA_OK;
        }
        if (!done) {
            return false;
        }
    }
    return true;
}

/* A component of an entity is as the model says: value, switch, ticks. */
static bool component_holds(const known *k, uint32_t t) {
    const stoa_world *w = r.s.world;
    stoa_component id = stoa_type_find(w, types[t]);
    bool has = (k->has >> t & 1) != 0;
    if (id == 0 || stoa_has_id(w, k->e, id) != has || !has) {
        return !has;
    }
    int32_t value = k->value[t];
    const void *at = stoa_try_get_id(w, k->e, id);
    if (t == OWNED || t == HOARD) {
        value = ((const owner *)at)->serial;
        if (((const owner *)at)->self != at) {
            return false;
        }
    } else if (t != FROZEN) {
        memcpy(&value, at, sizeof value);
    }
    bool exact = (types[t]->options.flags & (STOA_SPARSE | STOA_ROW_TICKS)) != 0;
    for (uint32_t since = k->changed[t] - 1; since != k->changed[t] + 1; since++) {
        bool newer = stoa_tick_newer(k->changed[t], since);
        bool said = stoa_changed_id(w, k->e, id, since);
        newer = newer && !said;
        if (newer || (exact && said != stoa_tick_newer(k->changed[t], since))) {
            return false;
        }
    }
    return value == k->value[t] && stoa_added_id(w, k->e, id, k->added[t] - 1) &&
           (!exact || !stoa_added_id(w, k->e, id, k->added[t])) &&
           stoa_enabled_id(w, k->e, id) == ((k->off >> t & 1) == 0);
}

static bool world_holds(void) {
    if (stoa_check(r.s.world) != STOA_OK) {
        return false;
    }
    for (int32_t i = 0; i < r.count; i++) {
        const known *k = &r.pool[i];
        if (stoa_alive(r.s.world, k->e) != k->alive) {
            return false;
        }
        for (uint32_t t = 0; k->alive && t < TYPES; t++) {
            if (!component_holds(k, t)) {
                return false;
            }
        }
    }
    return true;
}

static const char *script_run(const support_trace *t) {
    static char wrong[80];
    const step *steps = t->steps;
    bool fine = true;
    memset(&r, 0, sizeof r);
    owned_alive = 0;
    support_world_open_with(&r.s, 16384);
    for (uint32_t type = 0; type < TYPES; type++) {
        stoa_type_register(r.s.world, types[type]);
    }
    for (uint32_t i = 0; i < t->count && fine; i++) {
        fine = step_run(&steps[i]) && world_holds();
        snprintf(wrong, sizeof wrong, "the world and the model differ after step %u", i);
    }
    stoa_world_free(r.s.world);
    if (fine && (r.s.heap.bytes != 0 || owned_alive != 0)) {
        snprintf(wrong, sizeof wrong, "values or memory are left");
        return wrong;
    }
    return fine ? NULL : wrong;
}

static void script_make(support_trace *t) {
    static const uint8_t weights[] = {10, 4, 8, 5, 7, 6, 8, 6, 4, 7, 1};
    support_random random = {t->seed * 2654435761u + 1};
    step *steps = t->steps;
    t->count = 10 + support_random_below(&random, STEPS_MAX - 10);
    for (uint32_t i = 0; i < t->count; i++) {
        step_op op = (step_op)support_random_pick(&random, weights, sizeof weights);
        steps[i] = (step){i == 0 ? STEP_CREATE : op, support_random_next(&random)};
    }
}

static void step_print(FILE *out, const void *given) {
    const step *p = given;
    fprintf(out, "%s %08x", op_names[p->op], p->bits);
}

/* SRT-01 SRT-02 CHG-02 */
static void random_scripts_agree_with_the_model(void **state) {
    (void)state;
    static step steps[STEPS_MAX];
    support_traces_run(&(support_traces){SUPPORT_STEPS(steps), .seeds = 60, .make = script_make,
                                         .run = script_run, .print = step_print});
}

int main(void) {
    const struct CMUnitTest tests[] = {
        support_seeds_test(random_scripts_agree_with_the_model),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
