/* Random scripts of commands, applied merged and one by one: two worlds that must be the same.
 *
 * A script is run in a world of its own and tells all that can be seen of it in a text: handles,
 * statuses, what hooks were called with, counts, hashes, ticks. The texts must be equal. A third
 * run has allocations fail during flushes, which are repeated until they succeed. A script that
 * fails is made shorter as far as it still fails, and printed with its seed. */
#include "commands_types.h"
#include "support/trace.h"
#include "world/commands.h"

#define POOL_MAX 40
#define STEPS_MAX 160
#define TEXT_MAX (1u << 19)
#define TYPES 10

static stoa_type *const types[TYPES] = {
    STOA_TYPE_OF(Position), STOA_TYPE_OF(Health), STOA_TYPE_OF(Wide), STOA_TYPE_OF(Frozen),
    STOA_TYPE_OF(Mood),     STOA_TYPE_OF(Shield), STOA_TYPE_OF(Seen), STOA_TYPE_OF(Marked),
    STOA_TYPE_OF(Owned),    STOA_TYPE_OF(Hoard)};

typedef enum step_op {
    STEP_SET,
    STEP_ADD,
    STEP_REMOVE,
    STEP_CHANGE,
    STEP_CREATE,
    STEP_CREATE_WITH,
    STEP_DESTROY,
    STEP_ENABLE,
    STEP_FLUSH,
    STEP_CLEAR,
    STEP_TICK,
    STEP_DIRECT_DESTROY,
    STEP_DIRECT_CREATE,
    STEP_DIRECT_SET,
    STEP_SEND
} step_op;

static const char *const op_names[] = {"set",           "add",        "remove",  "change",
                                       "create",        "with",       "destroy", "enable",
                                       "flush",         "clear",      "tick",    "direct destroy",
                                       "direct create", "direct set", "send"};

/* One step; `who` is a position in the pool, `bits` chooses whatever the operation leaves open. */
typedef struct step {
    step_op op;
    uint32_t who;
    uint32_t bits;
} step;

/* What a seed says beside the steps. */
typedef struct script {
    uint32_t hooked; /* bit 3 * type + kind: there is a hook */
    bool meddles;    /* hooks change others */
    bool logs;       /* a log is kept */
    uint32_t heard;  /* bit type: events of it have a listener */
    uint32_t read;   /* bit type: and a reader */
} script;

typedef struct run {
    support_world s;
    stoa_commands *commands;
    stoa_reader *readers[TYPES];
    stoa_entity pool[POOL_MAX];
    uint32_t pool_count;
    int32_t serial;
    int depth;   /* of hooks */
    int budget;  /* commands that hooks may record */
    bool faults; /* allocations fail during flushes */
    support_random random;
    size_t used;
    char text[TEXT_MAX];
} run;

static run runs[3];
static script sc;

static void tell(run *r, const char *format, ...) STOA_PRINTF(2, 3);
static void tell(run *r, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    int size = vsnprintf(r->text + r->used, TEXT_MAX - r->used, format, arguments);
    va_end(arguments);
    assert_true(size >= 0 && (size_t)size < TEXT_MAX - r->used);
    r->used += (size_t)size;
}

static void pool_add(run *r, stoa_entity e) {
    tell(r, "made %uv%u\n", e.index, e.generation);
    r->pool[r->pool_count++ % POOL_MAX] = e;
}

static stoa_entity pool_get(const run *r, uint32_t who) {
    uint32_t count = r->pool_count < POOL_MAX ? r->pool_count : POOL_MAX;
    return r->pool[who % count];
}

/* A number that tells what a component holds. */
static int64_t value_read(const void *value, uint32_t t) {
    int32_t number;
    if (value == NULL || types[t]->size == 0) {
        return value != NULL;
    }
    if (t >= 8) {
        return ((const owner *)value)->serial;
    }
    memcpy(&number, value, sizeof number);
    return number;
}

/* A value for a type, in a buffer that is large enough for any. */
static const void *value_make(run *r, uint32_t t, void *buffer) {
    memset(buffer, 0, sizeof(Wide));
    int32_t serial = ++r->serial;
    if (t >= 8) {
        owner_make(buffer, serial);
    } else if (t == 0) {
        *(Position *)buffer = (Position){(float)serial, 1, 2};
    } else {
        memcpy(buffer, &serial, sizeof serial);
    }
    return types[t]->size != 0 ? buffer : NULL;
}

typedef struct hook_user {
    run *run;
    uint32_t t;
    uint32_t kind;
} hook_user;

/* Tells of the call, then does something to another entity, directly or by a command. */
static void hook_called(stoa_world *w, stoa_entity e, void *value, void *user) {
    const hook_user *h = user;
    run *r = h->run;
    tell(r, "hook %u of %s on %uv%u: %lld\n", h->kind, types[h->t]->identifier, e.index,
         e.generation, (long long)value_read(value, h->t));
    if (!sc.meddles || r->depth > 1 || r->budget-- <= 0) {
        return;
    }
    r->depth++;
    uint32_t bits = e.index * 7 + h->t * 5 + h->kind * 3 + (uint32_t)(r->used % 11);
    stoa_entity other = pool_get(r, bits);
    uint32_t t = (h->t + bits) % TYPES;
    switch (bits % 6) {
    case 0:
        tell(r, "  destroys %d\n", stoa_destroy(w, other));
        break;
    case 1:
        tell(r, "  adds %d\n", stoa_add_type(w, other, types[t]));
        break;
    case 2:
        tell(r, "  removes %d\n", stoa_remove_type(w, other, types[t]));
        break;
    case 3:
        tell(r, "  records %d\n", stoa_commands_add_type(r->commands, other, types[t]));
        break;
    case 4:
        pool_add(r, stoa_commands_create_with(r->commands, STOA_VALUE(Health, {3})));
        break;
    default:
        tell(r, "  flushes %d\n", stoa_commands_flush(r->commands));
        break;
    }
    r->depth--;
}

static void hooks_add(run *r, hook_user *users) {
    for (uint32_t i = 0; i < 3 * TYPES; i++) {
        users[i] = (hook_user){r, i / 3, i % 3};
        if ((sc.hooked >> i & 1) != 0) {
            stoa_hook_type(r->s.world, (stoa_hook_kind)(i % 3), types[i / 3], hook_called,
                           &users[i]);
        }
    }
}

/* Tells of an event, and records more: the same flush sends them. */
static void event_heard(stoa_world *w, const stoa_event *event, void *user) {
    const hook_user *h = user;
    run *r = h->run;
    tell(r, "heard %s to %uv%u: %lld, %d live\n", types[h->t]->identifier, event->target.index,
         event->target.generation, (long long)value_read(event->data, h->t), stoa_count(w));
    if (sc.meddles && r->budget-- > 0) {
        stoa_entity other = pool_get(r, (uint32_t)r->used);
        size_t fail_at = r->s.heap.fail_at;
        r->s.heap.fail_at = 0;
        tell(r, "  records %d %d\n", stoa_commands_set(r->commands, other, Health, {r->budget}),
             stoa_commands_send_to(r->commands, other, Seen, {r->budget}));
        r->s.heap.fail_at = fail_at;
    }
}

static void events_open(run *r, hook_user *users) {
    for (uint32_t t = 0; t < TYPES; t++) {
        if ((sc.heard >> t & 1) != 0) {
            stoa_listener_type(r->s.world, types[t], event_heard, &users[3 * t]);
        }
        if ((sc.read >> t & 1) != 0) {
            r->readers[t] = stoa_reader_new_type(r->s.world, types[t]);
        }
    }
}

static void events_read(run *r) {
    stoa_event event;
    for (uint32_t t = 0; t < TYPES; t++) {
        while (r->readers[t] != NULL && stoa_event_read(r->readers[t], &event)) {
            tell(r, "read %s to %uv%u: %lld\n", types[t]->identifier, event.target.index,
                 event.target.generation, (long long)value_read(event.data, t));
        }
    }
}

/* Up to four different components, put, zeroed or, for a change, removed. */
static int32_t values_make(run *r, uint32_t bits, bool drops, stoa_value *values, Wide *buffers) {
    int32_t count = (int32_t)(bits % 5);
    for (int32_t i = 0; i < count; i++) {
        uint32_t t = (bits / 8 + (uint32_t)i * 3) % TYPES;
        uint32_t way = bits >> (16 + i * 2) & 3;
        values[i] = (stoa_value){.type = types[t], .op = STOA_PUT};
        if (drops && way == 0) {
            values[i].op = STOA_DROP;
        } else if (way != 1) {
            values[i].data = value_make(r, t, &buffers[i]);
        }
    }
    return count;
}

static stoa_status step_set(run *r, stoa_entity e, uint32_t bits, bool direct) {
    Wide buffer;
    uint32_t t = bits % TYPES;
    const void *value = value_make(r, t, &buffer);
    if (direct) {
        stoa_status status = stoa_set_type(r->s.world, e, types[t], value);
        if (status != STOA_OK && t >= 8) {
            owner_drop(&buffer, 1, NULL);
        }
        return status;
    }
    stoa_component id = stoa_type_find(r->s.world, types[t]);
    return (bits >> 8) % 2 == 0 || id == 0
               ? stoa_commands_set_type(r->commands, e, types[t], value)
               : stoa_commands_set_id(r->commands, e, id, value, types[t]->size);
}

/* To an entity or to the world, by type or by id. */
static stoa_status step_send(run *r, stoa_entity e, uint32_t bits) {
    Wide buffer;
    uint32_t t = bits % TYPES;
    const void *value = value_make(r, t, &buffer);
    stoa_component id = stoa_type_find(r->s.world, types[t]);
    e = (bits >> 9) % 3 == 0 ? STOA_NULL : e;
    return (bits >> 8) % 2 == 0 || id == 0
               ? stoa_commands_send_type(r->commands, e, types[t], value)
               : stoa_commands_send_id(r->commands, e, id, value, types[t]->size);
}

/* Flushes until it works; with faults the first tries may fail. */
static void step_flush(run *r) {
    stoa_status status;
    do {
        r->s.heap.fail_at = r->faults ? support_random_below(&r->random, 8) : 0;
        status = stoa_commands_flush(r->commands);
        r->s.heap.fail_at = 0;
        assert_int_equal(stoa_check(r->s.world), STOA_OK);
        assert_true(status == STOA_OK || (r->faults && status == STOA_NO_MEMORY));
    } while (status != STOA_OK);
    tell(r, "flushed, %d left, %lld skipped, hash %llx\n", stoa_commands_count(r->commands),
         (long long)stoa_commands_skipped(r->commands), (unsigned long long)stoa_hash(r->s.world));
    events_read(r);
}

static stoa_status step_run(run *r, const step *p) {
    stoa_commands *c = r->commands;
    stoa_entity e = pool_get(r, p->who);
    stoa_type *type = types[p->bits % TYPES];
    stoa_value values[4];
    Wide buffers[4];
    switch (p->op) {
    case STEP_SET:
        return step_set(r, e, p->bits, false);
    case STEP_ADD:
        return stoa_commands_add_type(c, e, type);
    case STEP_REMOVE:
        return stoa_commands_remove_type(c, e, type);
    case STEP_CHANGE:
        return stoa_commands_change_values(c, e, values,
                                           values_make(r, p->bits, true, values, buffers));
    case STEP_CREATE:
        pool_add(r, stoa_commands_create(c));
        return STOA_OK;
    case STEP_CREATE_WITH:
        pool_add(r, stoa_commands_create_values(c, values,
                                                values_make(r, p->bits, false, values, buffers)));
        return STOA_OK;
    case STEP_DESTROY:
        return stoa_commands_destroy(c, e);
    case STEP_ENABLE:
        return p->bits % 2 == 0 ? stoa_commands_enable(c, e, Mood, p->bits / 2 % 2 == 0)
                                : stoa_commands_enable(c, e, Shield, p->bits / 2 % 2 == 0);
    case STEP_CLEAR:
        return stoa_commands_clear(c);
    case STEP_TICK:
        return stoa_tick_advance(r->s.world) != 0 ? STOA_OK : STOA_LIMIT;
    case STEP_DIRECT_DESTROY:
        return stoa_destroy(r->s.world, e);
    case STEP_DIRECT_CREATE:
        pool_add(r, stoa_create(r->s.world));
        return STOA_OK;
    case STEP_DIRECT_SET:
        return step_set(r, e, p->bits, true);
    case STEP_SEND:
        return step_send(r, e, p->bits);
    default:
        step_flush(r);
        return STOA_OK;
    }
}

/* Tells what an entity has: values, switches, and the ticks that are exact. */
static void entity_tell(run *r, stoa_entity e) {
    stoa_world *w = r->s.world;
    tell(r, "%uv%u", e.index, e.generation);
    for (uint32_t t = 0; t < TYPES; t++) {
        stoa_component id = stoa_type_find(w, types[t]);
        if (id == 0 || !stoa_has_id(w, e, id)) {
            continue;
        }
        tell(r, " %s=%lld%s", types[t]->identifier,
             (long long)value_read(stoa_try_get_id(w, e, id), t),
             stoa_enabled_id(w, e, id) ? "" : " off");
        for (uint32_t since = 0; since <= stoa_tick(w); since++) {
            bool changed = stoa_changed_id(w, e, id, since), added = stoa_added_id(w, e, id, since);
            if ((types[t]->options.flags & (STOA_SPARSE | STOA_ROW_TICKS)) != 0) {
                tell(r, "%c", changed ? (added ? '2' : '1') : '0');
            }
        }
    }
    tell(r, "\n");
}

static void script_run(run *r, const support_trace *t, bool merge, bool faults) {
    static hook_user users[3 * TYPES];
    const step *steps = t->steps;
    memset(r, 0, offsetof(run, text));
    support_world_open_with(&r->s, 16384);
    r->commands = t->seed % 2 == 0 ? stoa_deferred(r->s.world) : stoa_commands_new(r->s.world);
    r->faults = faults;
    r->random.state = t->seed;
    r->budget = 60;
    stoa__commands_merge(r->s.world, merge);
    for (int i = 0; i < 6; i++) {
        pool_add(r, stoa_create(r->s.world));
    }
    if (sc.logs) {
        stoa_log_keep(r->s.world, 1000);
    }
    hooks_add(r, users);
    events_open(r, users);
    for (uint32_t i = 0; i < t->count; i++) {
        tell(r, "%u %s %d\n", i, op_names[steps[i].op], step_run(r, &steps[i]));
    }
    step_flush(r);
    for (stoa_log log = stoa_destroyed_since(r->s.world, 0); stoa_log_next(&log);) {
        tell(r, "log %uv%u\n", log.entity.index, log.entity.generation);
    }
    for (stoa_entity e = stoa_entity_next(r->s.world, STOA_NULL); e.index != 0;
         e = stoa_entity_next(r->s.world, e)) {
        entity_tell(r, e);
    }
    for (int i = 0; i < 5; i++) {
        pool_add(r, stoa_create(r->s.world));
    }
    r->budget = 0;
    support_world_close(&r->s);
    assert_int_equal(owned_alive, 0);
}

/* All runs of the script must tell the same. */
static const char *runs_compare(const support_trace *t) {
    script_run(&runs[0], t, true, false);
    script_run(&runs[1], t, false, false);
    if (strcmp(runs[0].text, runs[1].text) != 0) {
        return "merged commands and single ones come to different worlds";
    }
    if (sc.hooked != 0 || sc.logs) {
        return NULL;
    }
    script_run(&runs[2], t, true, true);
    if (strcmp(runs[0].text, runs[2].text) != 0) {
        memcpy(runs[1].text, runs[2].text, sizeof runs[1].text);
        return "commands come to another world if allocations fail";
    }
    return NULL;
}

static void script_make(support_trace *t) {
    static const uint8_t weights[] = {30, 14, 18, 14, 4, 6, 5, 8, 5, 1, 3, 1, 1, 3, 12};
    support_random random = {t->seed * 2654435761u + 1};
    step *steps = t->steps;
    sc = (script){.hooked = 0};
    t->count = 20 + support_random_below(&random, STEPS_MAX - 20);
    uint32_t way = support_random_below(&random, 4);
    for (uint32_t i = 0; way > 1 && i < 3 * TYPES; i++) {
        sc.hooked |= (uint32_t)(support_random_below(&random, way == 2 ? 12 : 3) == 0) << i;
    }
    sc.meddles = support_random_below(&random, 2) == 0;
    sc.logs = support_random_below(&random, 8) == 0;
    sc.heard = support_random_next(&random) & support_random_next(&random);
    sc.read = support_random_next(&random) & support_random_next(&random);
    uint32_t who = 0;
    for (uint32_t i = 0; i < t->count; i++) {
        uint32_t op = support_random_pick(&random, weights, sizeof weights);
        if (support_random_below(&random, 100) >= 75) {
            who = support_random_next(&random) >> 4;
        }
        steps[i] = (step){(step_op)op, who, support_random_next(&random)};
    }
}

static void step_print(FILE *out, const void *given) {
    const step *p = given;
    fprintf(out, "%s %u %s %x", op_names[p->op], p->who % 6, types[p->bits % TYPES]->identifier,
            p->bits);
}

static void runs_tell(FILE *out, const support_trace *t) {
    (void)t;
    fprintf(out, "hooks %x%s; merged:\n%s\nthe other:\n%s\n", sc.hooked,
            sc.meddles ? " that meddle" : "", runs[0].text, runs[1].text);
}

/* CMD-02 CMD-03 CMD-07 EVT-01 HOK-01 HOK-02 CMP-11 GEN-03 */
static void merged_scripts_come_to_the_same_as_single_commands(void **state) {
    (void)state;
    static step steps[STEPS_MAX];
    support_traces_run(&(support_traces){SUPPORT_STEPS(steps), .seeds = 400, .make = script_make,
                                         .run = runs_compare, .print = step_print,
                                         .tell = runs_tell});
}

int main(void) {
    const struct CMUnitTest tests[] = {
        support_seeds_test(merged_scripts_come_to_the_same_as_single_commands),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
