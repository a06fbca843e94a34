/* Random scripts of changes, saves and restores: what comes back is compared with a text of all
 * that the world had when the frame was saved. */
#include "history_fixture.h"
#include "support/trace.h"

#define POOL_MAX 64
#define STEPS_MAX 200
#define KEPT 5
#define CROWD 2000
#define TYPES 12

static stoa_type *const types[TYPES] = {
    STOA_TYPE_OF(Position), STOA_TYPE_OF(Health), STOA_TYPE_OF(Wide),  STOA_TYPE_OF(Frozen),
    STOA_TYPE_OF(Mood),     STOA_TYPE_OF(Shield), STOA_TYPE_OF(Seen),  STOA_TYPE_OF(Marked),
    STOA_TYPE_OF(Purse),    STOA_TYPE_OF(Owned),  STOA_TYPE_OF(Hoard), STOA_TYPE_OF(Written)};

/* Types of a world in which the short ways are taken. */
static stoa_type *const types_light[] = {STOA_TYPE_OF(Position), STOA_TYPE_OF(Speed),
                                         STOA_TYPE_OF(Goal), STOA_TYPE_OF(Frozen)};

/* What a world has, by the seed. */
typedef enum mode {
    MODE_ALL,   /* all there is */
    MODE_QUIET, /* all components, but nobody who wants to know of changes */
    MODE_LIGHT  /* small columns only */
} mode;

typedef enum step_op {
    STEP_SET,
    STEP_REMOVE,
    STEP_CREATE,
    STEP_BULK,
    STEP_DESTROY,
    STEP_CLEAR,
    STEP_ENABLE,
    STEP_TICK,
    STEP_WRITE,  /* all of a type, by a query */
    STEP_FILTER, /* a run of the query that asks for what changed */
    STEP_SEND,
    STEP_READ,
    STEP_RESOURCE,
    STEP_COMMANDS,
    STEP_FORK,
    STEP_WHOLE, /* a query adds, or takes away, all at once */
    STEP_COMPACT,
    STEP_FLEET,
    STEP_NAME,
    STEP_PARENT,
    STEP_MOULD,
    STEP_SORT,
    STEP_CLONE,
    STEP_SAVE,
    STEP_RESTORE
} step_op;

static const char *const op_names[] = {
    "set",    "remove", "create", "bulk",     "destroy", "clear", "enable", "tick",    "write",
    "filter", "send",   "read",   "resource", "flush",   "fork",  "whole",  "compact", "fleet",
    "name",   "parent", "mould",  "sort",     "clone",   "save",  "restore"};

typedef struct step {
    step_op op;
    uint32_t who;
    uint32_t bits;
} step;

typedef struct run {
    support_world s;
    stoa_frames *frames;
    stoa_commands *buffers[2];
    stoa_query *written;
    stoa_query *changed;
    stoa_query *bare; /* entities without components, and others */
    stoa_reader *readers[2];
    stoa_entity pool[POOL_MAX];
    uint32_t pool_count;
    int32_t serial;
    dump kept[STEPS_MAX]; /* by number of frame */
    stoa_mould mould;
    mode mode;
    const char *wrong;
} run;

static run r;

static stoa_type *type_of(uint32_t number) {
    return r.mode == MODE_LIGHT ? types_light[number % 4] : types[number % TYPES];
}

static stoa_entity who_of(const step *p) {
    return r.pool_count > 0 ? r.pool[p->who % (r.pool_count < POOL_MAX ? r.pool_count : POOL_MAX)]
                            : STOA_NULL;
}

static void pool_add(stoa_entity e) {
    r.pool[r.pool_count++ % POOL_MAX] = e;
}

/* A value of a type, in memory of its own. */
typedef union room {
    owner o;
    uint8_t bytes[128];
} room;

static stoa_value value_of(uint32_t type, room *v) {
    stoa_type *t = type_of(type);
    memset(v->bytes, (uint8_t)++r.serial, sizeof v->bytes);
    if (t->options.hooks.drop != NULL) {
        owner_make(&v->o, r.serial);
    }
    return (stoa_value){.type = t, .data = t->size != 0 ? v->bytes : NULL};
}

static void step_set(const step *p) {
    room v;
    stoa_entity e = who_of(p);
    if (stoa_alive(r.s.world, e)) {
        stoa_value change = value_of(p->bits, &v);
        assert_int_equal(stoa_change_values(r.s.world, e, &change, 1), STOA_OK);
    }
}

static void step_create(const step *p) {
    room v[3];
    stoa_value values[3];
    uint32_t count = p->bits % 4;
    for (uint32_t i = 0; i < count; i++) {
        values[i] = value_of((p->bits >> 3) + i, &v[i]);
    }
    pool_add(stoa_create_values(r.s.world, values, (int32_t)count));
}

static void step_bulk(const step *p) {
    stoa_entity e[300];
    int32_t count = 1 + (int32_t)(p->bits % 300);
    stoa_value columns[] = {{.type = type_of((p->bits >> 9) % 4)},
                            {.type = type_of(4 + p->bits % 5)}};
    int32_t two = columns[0].type != columns[1].type;
    assert_int_equal(stoa_create_bulk_values(r.s.world, count, e, columns, 1 + two), STOA_OK);
    for (int32_t i = 0; i < count; i += 1 + count / 8) {
        pool_add(e[i]);
    }
}

static void step_enable(const step *p) {
    stoa_entity e = who_of(p);
    bool shield = p->bits % 2 == 0;
    stoa_component id = shield ? stoa_id(r.s.world, Shield) : stoa_id(r.s.world, Mood);
    if (stoa_alive(r.s.world, e) && stoa_has_id(r.s.world, e, id)) {
        (void)stoa_enable_id(r.s.world, e, id, p->bits % 4 < 2);
    }
}

static void step_write(void) {
    for (stoa_iter it = stoa_query_iter(r.written); stoa_iter_next(&it);) {
        Health *health = stoa_field_mut(&it, Health, 0);
        for (int32_t i = 0; i < it.count; i++) {
            health[i].points = ++r.serial;
        }
    }
}

static void step_filter(void) {
    for (stoa_iter it = stoa_query_iter(r.changed); stoa_iter_next(&it);) {
        r.serial += it.count;
    }
}

static void step_send(const step *p) {
    stoa_entity e = who_of(p);
    e = stoa_alive(r.s.world, e) ? e : STOA_NULL;
    if (p->bits % 2 == 0) {
        assert_int_equal(stoa_event_send_to(r.s.world, e, Health, {++r.serial}), STOA_OK);
    } else {
        Owned value;
        owner_make(&value, ++r.serial);
        assert_int_equal(
            stoa_event_send_id(r.s.world, e, stoa_id(r.s.world, Owned), &value, sizeof value),
            STOA_OK);
    }
}

static void step_resource(const step *p) {
    if (p->bits % 8 == 0) {
        (void)stoa_resource_remove_id(r.s.world, stoa_id(r.s.world, Owned));
    } else if (p->bits % 8 < 4) {
        Owned value;
        owner_make(&value, ++r.serial);
        assert_int_equal(
            stoa_resource_set_id(r.s.world, stoa_id(r.s.world, Owned), &value, sizeof value),
            STOA_OK);
    } else {
        assert_int_equal(stoa_resource_set(r.s.world, Health, {++r.serial}), STOA_OK);
    }
}

static void step_commands(const step *p) {
    stoa_commands *c = stoa_deferred(r.s.world);
    for (uint32_t i = 0; i < 1 + p->bits % 12; i++) {
        stoa_entity e = who_of(&(step){.who = p->who + i * 7});
        if (p->bits % 5 == 0) {
            (void)stoa_commands_create_with(c, STOA_VALUE(Speed, {1, (float)++r.serial}),
                                            STOA_ZERO(Position));
        } else if (p->bits % 7 == 0 && stoa_alive(r.s.world, e)) {
            /* Taken away and given again: the row goes to the end. */
            (void)stoa_commands_remove(c, e, Position);
            (void)stoa_commands_set(c, e, Position, {4, 5, 6});
        } else if (stoa_alive(r.s.world, e)) {
            (void)(p->bits % 3 == 0   ? stoa_commands_destroy(c, e)
                   : p->bits % 3 == 1 ? stoa_commands_remove(c, e, Position)
                                      : stoa_commands_set(c, e, Position, {1, 2, 3}));
        }
    }
    (void)stoa_commands_flush(c);
}

static void step_fork(const step *p) {
    assert_int_equal(stoa_commands_fork(r.s.world, r.buffers, 2), STOA_OK);
    for (uint32_t i = 0; i < p->bits % 20; i++) {
        stoa_entity e = stoa_commands_create_with(r.buffers[i % 3 == 0], STOA_ZERO(Position));
        if (i == 0) {
            pool_add(e);
        }
    }
    assert_int_equal(stoa_commands_join(r.s.world), STOA_OK);
    if (p->bits % 3 == 0) {
        /* The handles were given out and will never live. */
        assert_int_equal(stoa_commands_clear(r.buffers[0]), STOA_OK);
    }
    assert_int_equal(stoa_commands_flush(r.buffers[0]), STOA_OK);
    assert_int_equal(stoa_commands_flush(r.buffers[1]), STOA_OK);
}

static void step_whole(const step *p) {
    switch (p->bits % 6) {
    case 0:
        assert_int_equal(stoa_query_add_id(r.written, stoa_id(r.s.world, Frozen)), STOA_OK);
        break;
    case 1:
        assert_int_equal(stoa_query_remove_id(r.written, stoa_id(r.s.world, Frozen)), STOA_OK);
        break;
    case 2:
        assert_int_equal(stoa_query_add_id(r.written, stoa_id(r.s.world, Position)), STOA_OK);
        break;
    case 3:
        assert_int_equal(stoa_query_remove_id(r.written, stoa_id(r.s.world, Health)), STOA_OK);
        break;
    case 4:
        assert_int_equal(stoa_query_add_id(r.bare, stoa_id(r.s.world, Speed)), STOA_OK);
        break;
    default:
        if (p->bits % 4 == 1) {
            assert_int_equal(stoa_query_destroy(r.written), STOA_OK);
        }
        break;
    }
}

static void step_save(void) {
    if (stoa_frames_save(r.frames) != STOA_OK) {
        r.wrong = stoa_last_error().message;
        return;
    }
    dump *kept = &r.kept[stoa_frames_last(r.frames)];
    dump_free(kept);
    *kept = dump_of(r.s.world);
}

static void step_restore(const step *p) {
    int32_t count = stoa_frames_count(r.frames);
    if (count == 0) {
        return;
    }
    int64_t frame = stoa_frames_first(r.frames) + p->bits % (uint32_t)count;
    if (stoa_frames_restore(r.frames, frame, NULL) != STOA_OK) {
        r.wrong = stoa_last_error().message;
        return;
    }
    dump now = dump_of(r.s.world);
    r.wrong = dump_differ(&now, &r.kept[frame]);
    dump_free(&now);
    if (r.wrong == NULL && stoa_check(r.s.world) != STOA_OK) {
        r.wrong = stoa_last_error().message;
    }
}

static void step_fleet(const step *p) {
    stoa_entity e = who_of(p);
    if (stoa_alive(r.s.world, e)) {
        (void)stoa_set(r.s.world, e, Fleeting, {++r.serial});
    }
}

static void step_mould(void) {
    for (int32_t i = 0; i < 3; i++) {
        pool_add(stoa_create_mould(r.s.world, &r.mould));
    }
}

/* True if a step is for the world that there is. */
static bool step_fits(const step *p) {
    bool sparse = p->op == STEP_ENABLE || p->op == STEP_FLEET;
    bool kept = p->op == STEP_NAME || p->op == STEP_PARENT;
    return r.mode == MODE_ALL || (!kept && (r.mode == MODE_QUIET || !sparse));
}

static void step_name(const step *p) {
    char name[16];
    stoa_entity e = who_of(p);
    snprintf(name, sizeof name, "n%u", p->bits % 20);
    if (stoa_alive(r.s.world, e) && stoa_entity_is_null(stoa_find(r.s.world, name))) {
        assert_int_equal(stoa_name_set(r.s.world, e, p->bits % 7 == 0 ? NULL : name), STOA_OK);
    }
}

static void step_parent(const step *p) {
    stoa_entity e = who_of(p), parent = who_of(&(step){.who = p->bits});
    if (stoa_alive(r.s.world, e) && stoa_alive(r.s.world, parent)) {
        /* It may be one below. */
        (void)stoa_set_parent(r.s.world, e, parent);
    }
}

static void step_any(const step *p) {
    stoa_world *w = r.s.world;
    stoa_entity e = who_of(p);
    stoa_event event;
    switch (p->op) {
    case STEP_SET:
        step_set(p);
        break;
    case STEP_REMOVE:
        if (stoa_alive(w, e)) {
            (void)stoa_remove_id(w, e, stoa_type_register(w, type_of(p->bits)));
        }
        break;
    case STEP_CREATE:
        step_create(p);
        break;
    case STEP_BULK:
        step_bulk(p);
        break;
    case STEP_DESTROY:
        if (stoa_alive(w, e)) {
            (void)stoa_destroy(w, e);
        }
        break;
    case STEP_CLEAR:
        if (stoa_alive(w, e)) {
            (void)stoa_clear(w, e);
        }
        break;
    case STEP_ENABLE:
        step_enable(p);
        break;
    case STEP_TICK:
        stoa_tick_advance(w);
        break;
    case STEP_WRITE:
        step_write();
        break;
    case STEP_FILTER:
        step_filter();
        break;
    case STEP_SEND:
        step_send(p);
        break;
    case STEP_READ:
        (void)stoa_event_read(r.readers[p->bits % 2], &event);
        break;
    case STEP_RESOURCE:
        step_resource(p);
        break;
    case STEP_COMMANDS:
        step_commands(p);
        break;
    case STEP_FORK:
        step_fork(p);
        break;
    case STEP_WHOLE:
        step_whole(p);
        break;
    case STEP_COMPACT:
        (void)stoa_compact(w);
        break;
    case STEP_FLEET:
        step_fleet(p);
        break;
    case STEP_NAME:
        step_name(p);
        break;
    case STEP_PARENT:
        step_parent(p);
        break;
    case STEP_MOULD:
        step_mould();
        break;
    case STEP_SORT:
        (void)stoa_sort_key(w, Position, "x", p->bits % 2 == 0 ? STOA_ASCENDING : STOA_DESCENDING);
        break;
    case STEP_CLONE:
        pool_add(stoa_alive(w, e) ? stoa_clone(w, e) : e);
        break;
    case STEP_SAVE:
        step_save();
        break;
    case STEP_RESTORE:
        step_restore(p);
        break;
    }
}

/* Entities in many pages of the table, so that each write of a record must be noticed by itself. */
static void crowd_make(void) {
    static stoa_entity e[CROWD];
    stoa_value columns[] = {{.type = STOA_TYPE_OF(Position)}, {.type = STOA_TYPE_OF(Speed)}};
    assert_int_equal(stoa_create_bulk_values(r.s.world, CROWD, e, columns, 2), STOA_OK);
    for (int32_t i = 0; i < CROWD; i += CROWD / POOL_MAX) {
        pool_add(e[i]);
    }
    /* The order of rows is another one than that of slots. */
    for (int32_t i = 0; i < CROWD; i += 3) {
        assert_int_equal(stoa_destroy(r.s.world, e[i * 7 % CROWD]), STOA_OK);
    }
}

static void run_open(mode way) {
    static const stoa_value bundle[] = {{.type = STOA_TYPE_OF(Position)},
                                        {.type = STOA_TYPE_OF(Speed)}};
    r.mode = way;
    r.mould = (stoa_mould){.values = bundle, .count = 2};
    r.pool_count = 0;
    r.serial = 0;
    r.wrong = NULL;
    support_world_open_with(&r.s, 16384);
    stoa_world *w = r.s.world;
    assert_int_equal(way == MODE_ALL ? stoa_log_keep(w, 50) : STOA_OK, STOA_OK);
    r.buffers[0] = stoa_commands_new(w);
    r.buffers[1] = stoa_commands_new(w);
    r.readers[0] = stoa_reader_new(w, Health);
    r.readers[1] = stoa_reader_new(w, Owned);
    r.written = stoa_query_new(w, &(stoa_query_desc){.terms = {STOA_WRITE(Health)}});
    r.bare = stoa_query_new(w, &(stoa_query_desc){.terms = {STOA_WITHOUT(Position)}});
    r.changed =
        stoa_query_new(w, &(stoa_query_desc){.terms = {STOA_CHANGED(Health), STOA_READ(Health)}});
    if (way == MODE_ALL) {
        assert_non_null(
            stoa_index_new(w, &(stoa_index_desc){.type = STOA_TYPE_OF(Health), .field = "points"}));
    }
    if (way != MODE_ALL) {
        crowd_make();
    }
    r.frames = stoa_frames_new(w, KEPT);
    assert_non_null(r.frames);
}

static const char *run_script(const support_trace *t) {
    const step *steps = t->steps;
    run_open((mode)(t->seed % 3));
    for (uint32_t i = 0; i < t->count && r.wrong == NULL; i++) {
        if (step_fits(&steps[i])) {
            step_any(&steps[i]);
        }
    }
    for (uint32_t i = 0; i < STEPS_MAX; i++) {
        dump_free(&r.kept[i]);
    }
    stoa_frames_free(r.frames);
    if (r.wrong == NULL && stoa_check(r.s.world) != STOA_OK) {
        r.wrong = stoa_last_error().message;
    }
    support_world_close(&r.s);
    if (r.wrong == NULL && owned_alive != 0) {
        r.wrong = "a value was dropped too often, or not at all";
    }
    owned_alive = 0;
    return r.wrong;
}

static void script_make(support_trace *t) {
    static const uint8_t weights[] = {20, 10, 8, 3, 8, 2, 5, 10, 4, 4, 5,  5, 4,
                                      8,  3,  2, 1, 2, 4, 5, 5,  2, 3, 14, 9};
    support_random random = {t->seed * 2654435761u + 7};
    step *steps = t->steps;
    t->count = 30 + support_random_below(&random, STEPS_MAX - 30);
    for (uint32_t i = 0; i < t->count; i++) {
        uint32_t op = support_random_pick(&random, weights, sizeof weights);
        steps[i] = (step){(step_op)op, support_random_next(&random) >> 4,
                          support_random_next(&random) >> 4};
    }
}

static void step_print(FILE *out, const void *given) {
    const step *p = given;
    fprintf(out, "%s %u %s %x", op_names[p->op], p->who % POOL_MAX,
            types[p->bits % TYPES]->identifier, p->bits);
}

/* SNP-08 SNP-10 */
static void restored_frames_are_what_was_saved(void **state) {
    (void)state;
    static step steps[STEPS_MAX];
    support_traces_run(&(support_traces){SUPPORT_STEPS(steps), .seeds = 200, .make = script_make,
                                         .run = run_script, .print = step_print});
}

int main(void) {
    const struct CMUnitTest tests[] = {
        support_seeds_test(restored_frames_are_what_was_saved),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
