/* Random scripts on names against a naive reference: a list of entities and the name of each.
 *
 * After each step every name and every entity is compared. In half of the scripts allocations fail
 * now and then, and a call that says so must have changed nothing. A script that fails is made
 * shorter as far as it still fails, and printed with its seed. */
#include "name_fixture.h"
#include "support/trace.h"

#define POOL 24
#define NAMES 14
#define STEPS 200
#define QUEUE 16

static const char *const texts[NAMES] = {
    "a",
    "b",
    "ab",
    "ship",
    "shipyard",
    "eight by",
    "a name of 15 c.",
    "a name of 16 ch.",
    "a common beginning, then 1",
    "a common beginning, then 2",
    "a common beginning",
    "na\xC3\xAFve",
    "\xF0\x9F\x9A\x80",
    "a common beginning, then 1 and more of it, and more, and more of it, to the very end",
};

typedef enum step_op {
    OP_CREATE,
    OP_WITH,
    OP_BULK,
    OP_DESTROY,
    OP_CLEAR,
    OP_CLONE,
    OP_NAME,
    OP_SET,
    OP_CHANGE,
    OP_TAKE,
    OP_REMOVE,
    OP_REQUIRE,
    OP_RECORD,
    OP_RECORD_TAKE,
    OP_RECORD_DESTROY,
    OP_FLUSH,
    OP_COUNT
} step_op;

static const char *const op_names[OP_COUNT] = {
    "create", "with", "bulk",   "destroy", "clear",  "clone",       "name",           "set",
    "change", "take", "remove", "require", "record", "record take", "record destroy", "flush"};

typedef struct step {
    step_op op;
    uint32_t who;
    uint32_t name;
    uint32_t fault; /* the allocation that fails; 0: none */
} step;

/* What the reference knows of an entity. */
typedef struct item {
    stoa_entity e;
    bool alive;
    int name; /* of texts, or -1 */
} item;

typedef struct run {
    support_world s;
    item pool[POOL];
    uint32_t count;
    step queue[QUEUE]; /* recorded and not yet applied */
    uint32_t queued;
    char wrong[256]; /* what was found to be wrong; "" if nothing */
} run;

#define EXPECT(r, condition)                                                                       \
    do {                                                                                           \
        if (!(condition) && (r)->wrong[0] == '\0') {                                               \
            snprintf((r)->wrong, sizeof(r)->wrong, "line %d: %s", __LINE__, #condition);           \
        }                                                                                          \
    } while (0)

static item *name_holder(run *r, int name) {
    for (uint32_t i = 0; i < r->count; i++) {
        if (r->pool[i].alive && r->pool[i].name == name) {
            return &r->pool[i];
        }
    }
    return NULL;
}

static void item_add(run *r, stoa_entity e, int name) {
    EXPECT(r, !stoa_entity_is_null(e));
    if (r->count == POOL) {
        /* The eldest is forgotten, and must not hold a name for that. */
        stoa_destroy(r->s.world, r->pool[0].e);
        memmove(&r->pool[0], &r->pool[1], (POOL - 1) * sizeof r->pool[0]);
        r->count--;
    }
    r->pool[r->count++] = (item){e, true, name};
}

/* What giving a name to an item must come to. */
static stoa_status name_expect(run *r, const item *to, int name) {
    const item *holder = name_holder(r, name);
    return to != NULL && !to->alive         ? STOA_DEAD
           : holder == NULL || holder == to ? STOA_OK
                                            : STOA_TAKEN;
}

/* Creations, singly and in bulk; true if the call had no memory. */
static bool step_create(run *r, const step *st) {
    stoa_world *w = r->s.world;
    int name = (int)st->name;
    stoa_status expected = st->op == OP_CREATE ? STOA_OK : name_expect(r, NULL, name);
    stoa_entity made[3] = {STOA_NULL, STOA_NULL, STOA_NULL};
    stoa_error_clear();
    if (st->op == OP_CREATE) {
        made[0] = stoa_create_with(w, STOA_ZERO(Position));
    } else if (st->op == OP_WITH) {
        made[0] = stoa_create_with(w, STOA_ZERO(Frozen), STOA_VALUE(Name, {texts[name]}));
    } else if (st->op == OP_REQUIRE) {
        const item *holder = name_holder(r, name);
        made[0] = stoa_require(w, texts[name]);
        if (holder != NULL) {
            EXPECT(r, stoa_entity_eq(made[0], holder->e));
            return false;
        }
        expected = STOA_OK;
    } else {
        int others[3] = {name, (int)((st->name + st->who) % NAMES), (int)((st->name + 3) % NAMES)};
        Name names[3];
        for (int i = 0; i < 3; i++) {
            names[i].text = texts[others[i]];
            expected = name_holder(r, others[i]) != NULL || others[i] == others[(i + 1) % 3]
                           ? STOA_TAKEN
                           : expected;
        }
        stoa_create_bulk(w, 3, made, STOA_COLUMN(Name, names), STOA_ZERO(Position));
        if (stoa_last_error().status == STOA_NO_MEMORY) {
            return true;
        }
        EXPECT(r, stoa_last_error().status == expected);
        for (int i = 0; i < 3 && expected == STOA_OK; i++) {
            item_add(r, made[i], others[i]);
        }
        return false;
    }
    if (stoa_last_error().status == STOA_NO_MEMORY) {
        EXPECT(r, stoa_entity_is_null(made[0]));
        return true;
    }
    EXPECT(r, stoa_last_error().status == expected);
    if (expected == STOA_OK) {
        item_add(r, made[0], st->op == OP_CREATE ? -1 : name);
    }
    return false;
}

/* Changes of one entity; true if the call had no memory. */
static bool step_change(run *r, const step *st, item *it) {
    stoa_world *w = r->s.world;
    int name = (int)st->name;
    stoa_status expected = it->alive ? STOA_OK : STOA_DEAD, got;
    switch (st->op) {
    case OP_NAME:
        expected = name_expect(r, it, name);
        got = stoa_name_set(w, it->e, texts[name]);
        break;
    case OP_SET:
        expected = name_expect(r, it, name);
        got = stoa_set(w, it->e, Name, {texts[name]});
        break;
    case OP_CHANGE:
        expected = name_expect(r, it, name);
        got = stoa_change(w, it->e, STOA_REMOVE(Frozen), STOA_VALUE(Name, {texts[name]}),
                          STOA_ZERO(Position));
        break;
    case OP_TAKE:
        name = -1;
        got = stoa_name_set(w, it->e, NULL);
        break;
    case OP_REMOVE:
        name = -1;
        got = stoa_change(w, it->e, STOA_REMOVE(Name), STOA_REMOVE(Frozen));
        break;
    case OP_CLEAR:
        name = -1;
        got = stoa_clear(w, it->e);
        break;
    default:
        name = -1;
        got = stoa_destroy(w, it->e);
        break;
    }
    if (got == STOA_NO_MEMORY) {
        return true;
    }
    EXPECT(r, got == expected);
    if (got == STOA_OK) {
        it->name = name;
        it->alive = st->op != OP_DESTROY;
    }
    return false;
}

static bool step_clone(run *r, const item *it) {
    if (!it->alive) {
        return false;
    }
    stoa_error_clear();
    stoa_entity e = stoa_clone(r->s.world, it->e);
    if (stoa_last_error().status == STOA_NO_MEMORY) {
        return true;
    }
    item_add(r, e, -1);
    return false;
}

static void step_record(run *r, const step *st, const item *it) {
    stoa_commands *c = stoa_deferred(r->s.world);
    if (r->queued == QUEUE) {
        return;
    }
    stoa_status status = st->op == OP_RECORD_DESTROY ? stoa_commands_destroy(c, it->e)
                         : st->op == OP_RECORD_TAKE  ? stoa_commands_name_set(c, it->e, NULL)
                         : st->who % 2 == 0 ? stoa_commands_name_set(c, it->e, texts[st->name])
                                            : stoa_commands_set(c, it->e, Name, {texts[st->name]});
    if (status == STOA_OK) {
        r->queue[r->queued] = *st;
        r->queue[r->queued++].who = stoa_entity_is_null(it->e) ? 0 : it->e.index;
        r->queue[r->queued - 1].fault = it->e.generation;
    }
}

/* Applies to the reference what was recorded. */
static void queue_apply(run *r) {
    for (uint32_t i = 0; i < r->queued; i++) {
        const step *st = &r->queue[i];
        for (uint32_t k = 0; k < r->count; k++) {
            item *it = &r->pool[k];
            if (it->e.index != st->who || it->e.generation != st->fault || !it->alive) {
                continue;
            }
            if (st->op == OP_RECORD_DESTROY) {
                it->alive = false;
            }
            if (st->op == OP_RECORD) {
                it->name = name_expect(r, it, (int)st->name) == STOA_OK ? (int)st->name : it->name;
            } else {
                it->name = -1;
            }
        }
    }
    r->queued = 0;
}

static void step_run(run *r, const step *st) {
    item *it = r->count > 0 ? &r->pool[st->who % r->count] : NULL;
    stoa_world *w = r->s.world;
    uint64_t before = stoa_hash(w);
    r->s.heap.fail_at = st->op != OP_FLUSH ? st->fault : 0;
    bool starved = false;
    if (st->op <= OP_BULK || st->op == OP_REQUIRE) {
        starved = step_create(r, st);
    } else if (st->op == OP_FLUSH) {
        EXPECT(r, stoa_flush(w) == STOA_OK);
        queue_apply(r);
    } else if (it != NULL && st->op == OP_CLONE) {
        starved = step_clone(r, it);
    } else if (it != NULL && st->op >= OP_RECORD) {
        step_record(r, st, it);
    } else if (it != NULL) {
        starved = step_change(r, st, it);
    }
    r->s.heap.fail_at = 0;
    if (starved) {
        EXPECT(r, stoa_hash(w) == before);
    }
}

static void run_compare(run *r) {
    stoa_world *w = r->s.world;
    for (int i = 0; i < NAMES; i++) {
        const item *holder = name_holder(r, i);
        stoa_entity found = stoa_find(w, texts[i]);
        EXPECT(r, stoa_entity_eq(found, holder != NULL ? holder->e : STOA_NULL));
    }
    for (uint32_t i = 0; i < r->count; i++) {
        const item *it = &r->pool[i];
        const char *name = stoa_name(w, it->e);
        EXPECT(r, stoa_alive(w, it->e) == it->alive);
        EXPECT(r, (name != NULL) == (it->name >= 0));
        EXPECT(r, name == NULL || it->name < 0 || strcmp(name, texts[it->name]) == 0);
    }
    EXPECT(r, stoa_check(w) == STOA_OK);
}

static const char *script_run(const support_trace *t) {
    static run r;
    const step *steps = t->steps;
    memset(&r, 0, sizeof r);
    support_world_open(&r.s);
    for (uint32_t i = 0; i < t->count && r.wrong[0] == '\0'; i++) {
        step_run(&r, &steps[i]);
        run_compare(&r);
    }
    stoa_world_free(r.s.world);
    EXPECT(&r, r.s.heap.bytes == 0);
    return r.wrong[0] != '\0' ? r.wrong : NULL;
}

static void script_make(support_trace *t) {
    support_random random = {t->seed};
    step *steps = t->steps;
    t->count = STEPS;
    for (uint32_t i = 0; i < STEPS; i++) {
        steps[i] = (step){.op = (step_op)support_random_below(&random, OP_COUNT),
                          .who = support_random_next(&random),
                          .name = support_random_below(&random, NAMES)};
        if (t->seed % 2 == 0 && support_random_below(&random, 3) == 0) {
            steps[i].fault = 1 + support_random_below(&random, 6);
        }
    }
}

static void step_print(FILE *out, const void *given) {
    const step *p = given;
    fprintf(out, "%s %u '%s' fault %u", op_names[p->op], p->who, texts[p->name], p->fault);
}

/* NAM-01 ENT-09 ENT-11 GEN-03 */
static void scripts_come_to_what_the_reference_says(void **state) {
    (void)state;
    static step steps[STEPS];
    support_traces_run(&(support_traces){SUPPORT_STEPS(steps), .seeds = 300, .make = script_make,
                                         .run = script_run, .print = step_print});
}

int main(void) {
    const struct CMUnitTest tests[] = {
        support_seeds_test(scripts_come_to_what_the_reference_says),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
