/* Random scripts of changes, with indexes that come and go, against a reference that looks at every
 * entity.
 *
 * A script runs twice: as it is, and with allocations that fail. A change that fails must have done
 * nothing, a look-up that fails must be right when it is made again. A script that goes wrong is
 * made shorter as far as it still does, and printed with its seed. */
#include <stdlib.h>

#include "index_fixture.h"
#include "support/trace.h"

#define POOL 48
#define STEPS_MAX 220
#define KINDS 5
#define TEAMS 4

STOA_COMPONENT(Label, {
    char text[12];
    int32_t number;
});

static stoa_type *const types[KINDS] = {STOA_TYPE_OF(Unit), STOA_TYPE_OF(Rank), STOA_TYPE_OF(Loose),
                                        STOA_TYPE_OF(Exact), STOA_TYPE_OF(Label)};

typedef enum step_op {
    STEP_CREATE,
    STEP_BULK,
    STEP_SET,
    STEP_ADD,
    STEP_REMOVE,
    STEP_DESTROY,
    STEP_CLEAR,
    STEP_CLONE,
    STEP_WRITE,
    STEP_COLUMN,
    STEP_RECORD,
    STEP_FLUSH,
    STEP_MOVE,
    STEP_SWITCH,
    STEP_WHOLE,
    STEP_TICK,
    STEP_INDEX,
    STEP_COMPARE,
    STEP_COUNT
} step_op;

static const char *const op_names[] = {"create", "bulk",   "set",   "add",    "remove", "destroy",
                                       "clear",  "clone",  "write", "column", "record", "flush",
                                       "move",   "switch", "whole", "tick",   "index",  "compare"};

typedef struct step {
    step_op op;
    uint32_t who;
    uint32_t bits;
} step;

typedef struct record {
    stoa_entity e;
    bool has[KINDS];
    int32_t team[KINDS];
} record;

typedef struct run {
    support_world s;
    stoa_index *indexes[KINDS][2];
    record pool[POOL];   /* dead: e is null */
    stoa_entity pending; /* a recorded change, for one entity */
    uint32_t pending_kind;
    int32_t pending_team;
    bool faults;
    support_random random;
    char problem[200];
} run;

static run current;

/* Room for a value of any kind. */
typedef union value {
    Unit unit;
    Label label;
} value;

static const void *value_make(value *v, uint32_t kind, int32_t team) {
    memset(v, 0, sizeof *v);
    if (kind == 4) {
        snprintf(v->label.text, sizeof v->label.text, "team %d", team);
        /* A zeroed one is team 0. */
        v->label.text[0] = team == 0 ? '\0' : 't';
    } else {
        v->unit.team = team;
    }
    return v;
}

static void fault_begin(run *r) {
    r->s.heap.fail_at = r->faults ? support_random_below(&r->random, 6) : 0;
}

static void fault_end(run *r) {
    r->s.heap.fail_at = 0;
}

static void complain(run *r, const char *what, uint32_t kind, int32_t team) {
    if (r->problem[0] == '\0') {
        snprintf(r->problem, sizeof r->problem, "%s: kind %u, team %d", what, kind, team);
    }
}

static stoa_found find(stoa_index *index, uint32_t kind, int32_t team) {
    value v;
    value_make(&v, kind, team);
    return stoa_index_find(index, &v);
}

/* What is found must be the entities of that team, in order of their indexes. */
static void team_compare(run *r, uint32_t kind, uint32_t which, int32_t team) {
    stoa_index *index = r->indexes[kind][which];
    fault_begin(r);
    stoa_found f = find(index, kind, team);
    fault_end(r);
    if (r->faults && f.index == NULL) {
        f = find(index, kind, team);
    }
    uint32_t last = 0;
    int32_t found = 0, expected = 0;
    while (stoa_found_next(&f)) {
        bool right = false;
        for (uint32_t i = 0; i < POOL; i++) {
            right |= stoa_entity_eq(r->pool[i].e, f.entity) && r->pool[i].has[kind] &&
                     r->pool[i].team[kind] == team;
        }
        if (!right || f.entity.index <= last) {
            complain(r, right ? "not in order" : "found what is not there", kind, team);
        }
        last = f.entity.index;
        found++;
    }
    for (uint32_t i = 0; i < POOL; i++) {
        const record *p = &r->pool[i];
        expected += p->e.index != 0 && p->has[kind] && p->team[kind] == team;
    }
    if (found != expected) {
        complain(r, "not found", kind, team);
    }
}

/* The nearest team, by looking at all. */
static void nearest_compare(run *r, uint32_t kind, int32_t team) {
    const record *best = NULL;
    for (uint32_t i = 0; i < POOL; i++) {
        const record *p = &r->pool[i];
        if (p->e.index == 0 || !p->has[kind]) {
            continue;
        }
        int32_t far = abs(p->team[kind] - team),
                least = best != NULL ? abs(best->team[kind] - team) : 0;
        bool nearer = best == NULL || far < least;
        bool lower = !nearer && far == least && p->team[kind] < best->team[kind];
        bool first = !nearer && p->team[kind] == best->team[kind] && p->e.index < best->e.index;
        best = nearer || lower || first ? p : best;
    }
    stoa_entity e = stoa_index_nearest(r->indexes[kind][1], &team);
    if (!stoa_entity_eq(e, best != NULL ? best->e : STOA_NULL)) {
        complain(r, "not the nearest", kind, team);
    }
}

static void all_compare(run *r) {
    for (uint32_t kind = 0; kind < KINDS; kind++) {
        for (uint32_t which = 0; which < 2; which++) {
            for (int32_t team = 0; r->indexes[kind][which] != NULL && team < TEAMS; team++) {
                team_compare(r, kind, which, team);
            }
        }
        for (int32_t team = -1; r->indexes[kind][1] != NULL && kind < 4 && team < 6; team++) {
            nearest_compare(r, kind, team);
        }
    }
    if (stoa_check(r->s.world) != STOA_OK) {
        complain(r, stoa_last_error().message, 0, 0);
    }
}

static record *slot_free(run *r) {
    for (uint32_t i = 0; i < POOL; i++) {
        if (r->pool[i].e.index == 0) {
            return &r->pool[i];
        }
    }
    return NULL;
}

static void step_create(run *r, uint32_t bits, bool bulk) {
    uint32_t kind = bits % KINDS, count = bulk ? 3 : 1;
    record *slots[3];
    value v[3];
    stoa_entity e[3];
    uint8_t column[3 * sizeof(value)];
    for (uint32_t i = 0; i < count; i++) {
        slots[i] = slot_free(r);
        if (slots[i] == NULL) {
            for (; i > 0; i--) {
                slots[i - 1]->e = STOA_NULL;
            }
            return;
        }
        slots[i]->e.index = UINT32_MAX;
        value_make(&v[i], kind, (int32_t)(bits >> (8 + 2 * i)) % TEAMS);
        memcpy(column + i * types[kind]->size, &v[i], types[kind]->size);
    }
    stoa_status status = stoa_create_bulk_values(
        r->s.world, (int32_t)count, e, &(stoa_value){.type = types[kind], .data = column}, 1);
    for (uint32_t i = 0; i < count; i++) {
        *slots[i] = (record){.e = status == STOA_OK ? e[i] : STOA_NULL};
        slots[i]->has[kind] = true;
        slots[i]->team[kind] = (int32_t)(bits >> (8 + 2 * i)) % TEAMS;
    }
}

static void step_clone(run *r, const record *from) {
    record *to = slot_free(r);
    stoa_entity e = to != NULL ? stoa_clone(r->s.world, from->e) : STOA_NULL;
    if (e.index != 0) {
        *to = *from;
        to->e = e;
    }
}

/* Writes every other value of a column, or of a set, in an iteration. */
static void step_column(run *r, uint32_t kind, int32_t team) {
    stoa_world *w = r->s.world;
    stoa_component id = stoa_type_register(w, types[kind]);
    if (kind == 1 || id == 0) {
        return;
    }
    stoa_iter it = stoa_query_once(
        w, &(stoa_query_desc){.terms = {{.type = types[kind], .access = STOA_ACCESS_WRITE}}});
    while (it.query != NULL && stoa_iter_next(&it)) {
        for (int32_t row = 0; row < it.count; row += 2) {
            value v;
            memcpy(stoa_field_at_mut_id(&it, id, 0, row), value_make(&v, kind, team),
                   types[kind]->size);
            for (uint32_t i = 0; i < POOL; i++) {
                if (stoa_entity_eq(r->pool[i].e, it.entities[row])) {
                    r->pool[i].team[kind] = team;
                }
            }
        }
        /* In the middle: nothing must be lost by it. */
        if (r->indexes[kind][0] != NULL) {
            (void)find(r->indexes[kind][0], kind, team);
        }
    }
}

static void step_whole(run *r, uint32_t kind, int32_t team) {
    value v;
    value_make(&v, kind, team);
    stoa_query_desc desc = {.terms = {{.type = types[kind], .access = STOA_ACCESS_FILTER}}};
    fault_end(r);
    stoa_query *query = stoa_query_new(r->s.world, &desc);
    if (stoa_query_set_type(query, types[kind], &v) == STOA_OK) {
        for (uint32_t i = 0; i < POOL; i++) {
            bool on = kind != 3 || stoa_enabled(r->s.world, r->pool[i].e, Exact);
            r->pool[i].team[kind] = on ? team : r->pool[i].team[kind];
        }
    } else {
        complain(r, stoa_last_error().message, kind, team);
    }
    stoa_query_free(query);
}

static void step_index(run *r, uint32_t kind, uint32_t which) {
    stoa_index **index = &r->indexes[kind][which];
    if (*index != NULL) {
        stoa_index_free(*index);
        *index = NULL;
    } else if (kind == 4) {
        *index =
            stoa_index_new(r->s.world, &(stoa_index_desc){.type = types[kind],
                                                          .field = which == 0 ? "text" : NULL});
    } else {
        *index = stoa_index_new(
            r->s.world,
            &(stoa_index_desc){.type = types[kind], .field = "team", .ordered = which == 1});
    }
}

static void step_one(run *r, const step *p, record *who, uint32_t kind, int32_t team) {
    stoa_world *w = r->s.world;
    value v;
    const void *data = value_make(&v, kind, team);
    void *written = NULL;
    switch (p->op) {
    case STEP_SET:
        if (stoa_set_type(w, who->e, types[kind], data) == STOA_OK) {
            who->has[kind] = true;
            who->team[kind] = team;
        }
        break;
    case STEP_ADD:
        if (stoa_add_type(w, who->e, types[kind]) == STOA_OK && !who->has[kind]) {
            who->has[kind] = true;
            who->team[kind] = 0;
        }
        break;
    case STEP_REMOVE:
        who->has[kind] =
            stoa_remove_type(w, who->e, types[kind]) == STOA_OK ? false : who->has[kind];
        break;
    case STEP_DESTROY:
        who->e = stoa_destroy(w, who->e) == STOA_OK ? STOA_NULL : who->e;
        break;
    case STEP_CLEAR:
        if (stoa_clear(w, who->e) == STOA_OK) {
            memset(who->has, 0, sizeof who->has);
        }
        break;
    case STEP_CLONE:
        step_clone(r, who);
        break;
    case STEP_WRITE:
        written = kind != 1 && who->has[kind] ? stoa_try_mut_type(w, who->e, types[kind]) : NULL;
        if (written != NULL) {
            memcpy(written, data, types[kind]->size);
            who->team[kind] = team;
        }
        break;
    case STEP_RECORD:
        if (r->pending.index == 0 &&
            stoa_commands_set_type(stoa_deferred(w), who->e, types[kind], data) == STOA_OK) {
            r->pending = who->e;
            r->pending_kind = kind;
            r->pending_team = team;
        }
        break;
    case STEP_MOVE:
        (void)(p->bits % 2 == 0 ? stoa_set(w, who->e, Other, {1}) : stoa_remove(w, who->e, Other));
        break;
    default:
        if (who->has[3]) {
            stoa_enable(w, who->e, Exact, p->bits % 2 == 0);
        }
        break;
    }
}

static void step_flush(run *r) {
    stoa_status status = stoa_flush(r->s.world);
    fault_end(r);
    if (status != STOA_OK && stoa_flush(r->s.world) != STOA_OK) {
        complain(r, "flush", 0, 0);
    }
    for (uint32_t i = 0; i < POOL && r->pending.index != 0; i++) {
        if (stoa_entity_eq(r->pool[i].e, r->pending)) {
            r->pool[i].has[r->pending_kind] = true;
            r->pool[i].team[r->pending_kind] = r->pending_team;
        }
    }
    r->pending = STOA_NULL;
}

static void step_run(run *r, const step *p) {
    uint32_t kind = p->bits % KINDS;
    int32_t team = (int32_t)(p->bits >> 8) % TEAMS;
    record *who = &r->pool[p->who % POOL];
    /* What fails goes by the step, so that it does with other steps left out. */
    r->random.state = (uint64_t)p->who << 32 | p->bits;
    fault_begin(r);
    switch (p->op) {
    case STEP_CREATE:
    case STEP_BULK:
        step_create(r, p->bits, p->op == STEP_BULK);
        break;
    case STEP_COLUMN:
        step_column(r, kind, team);
        break;
    case STEP_FLUSH:
        step_flush(r);
        break;
    case STEP_WHOLE:
        step_whole(r, kind, team);
        break;
    case STEP_TICK:
        stoa_tick_advance(r->s.world);
        stoa_settle(r->s.world);
        break;
    case STEP_INDEX:
        step_index(r, kind, p->bits >> 16 & 1);
        break;
    case STEP_COMPARE:
        all_compare(r);
        break;
    default:
        if (who->e.index != 0) {
            step_one(r, p, who, kind, team);
        }
        break;
    }
    fault_end(r);
}

static const char *script_run(const support_trace *t) {
    run *r = &current;
    const step *steps = t->steps;
    memset(r, 0, sizeof *r);
    support_world_open_with(&r->s, 16384);
    r->faults = *(const bool *)t->of->user;
    for (uint32_t i = 0; i < t->count && r->problem[0] == '\0'; i++) {
        step_run(r, &steps[i]);
    }
    r->random.state = t->seed;
    all_compare(r);
    stoa_world_free(r->s.world);
    if (r->s.heap.bytes != 0) {
        complain(r, "memory is left", 0, 0);
    }
    return r->problem[0] != '\0' ? r->problem : NULL;
}

static void script_make(support_trace *t) {
    static const uint8_t weights[STEP_COUNT] = {14, 3, 14, 6, 8, 5, 2, 3, 14,
                                                4,  5, 4,  8, 4, 2, 4, 6, 8};
    support_random random = {t->seed * 2654435761u + 1};
    step *steps = t->steps;
    t->count = 20 + support_random_below(&random, STEPS_MAX - 20);
    for (uint32_t i = 0; i < t->count; i++) {
        step_op op = (step_op)support_random_pick(&random, weights, STEP_COUNT);
        uint32_t who = support_random_next(&random) >> 4;
        steps[i] = (step){op, who, support_random_next(&random)};
    }
}

static void step_print(FILE *out, const void *given) {
    const step *p = given;
    fprintf(out, "%s who %u kind %u team %u which %u", op_names[p->op], p->who % POOL,
            p->bits % KINDS, (p->bits >> 8) % TEAMS, p->bits >> 16 & 1);
}

static void scripts_run(bool faults) {
    static step steps[STEPS_MAX];
    support_traces_run(&(support_traces){SUPPORT_STEPS(steps), .seeds = 300, .make = script_make,
                                         .run = script_run, .print = step_print, .user = &faults});
}

/* IDX-01 GEN-03 ENT-09 */
static void random_changes_leave_indexes_right(void **state) {
    (void)state;
    scripts_run(false);
}

/* IDX-01 GEN-04 ENT-09 */
static void random_changes_short_of_memory_leave_indexes_right(void **state) {
    (void)state;
    scripts_run(true);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        support_seeds_test(random_changes_leave_indexes_right),
        support_seeds_test(random_changes_short_of_memory_leave_indexes_right),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
