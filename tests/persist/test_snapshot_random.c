/* Random worlds are saved and loaded, and go on afterwards as if they had not been.
 *
 * A script is run in a world that is never saved, which is the reference, and in one that is saved
 * and loaded into a new world at random points, with other numbers of components and other sizes
 * of chunks. In the end both must be the same, in what they hold and in what they save. A script
 * that fails is made shorter as far as it still fails, and printed with its seed. */
#include "persist/snapshot_fixture.h"
#include "support/trace.h"

#define STEPS_MAX 120
#define POOL_MAX 64
#define SEEDS 150

typedef enum step_op {
    STEP_CREATE,
    STEP_DESTROY,
    STEP_SET,
    STEP_REMOVE,
    STEP_SWITCH,
    STEP_TEXT,
    STEP_NAME,
    STEP_PARENT,
    STEP_RESOURCE,
    STEP_TICK,
    STEP_SAVE,
    STEP_OPS
} step_op;

static const char *const op_names[STEP_OPS] = {"create",   "destroy", "set",  "remove",
                                               "switch",   "text",    "name", "parent",
                                               "resource", "tick",    "save"};

typedef struct step {
    step_op op;
    uint32_t who;
    uint32_t bits;
} step;

/* A world under way. */
typedef struct run {
    support_world s[2]; /* the one in use, and the one that it is loaded into */
    int now;
    stoa_entity pool[POOL_MAX];
    uint32_t pool_count;
} run;

static stoa_entity pool_pick(const run *r, uint32_t who) {
    return r->pool_count > 0 ? r->pool[who % r->pool_count] : STOA_NULL;
}

static void step_set(stoa_world *w, stoa_entity e, uint32_t bits) {
    float x = (float)(bits % 1000);
    switch (bits % 8) {
    case 0:
        stoa_set(w, e, Position, {x, 1});
        break;
    case 1:
        stoa_set(w, e, Velocity, {x, 2});
        break;
    case 2:
        stoa_set(w, e, Gappy, {(uint8_t)bits, bits, bits % 3 == 0, (double)x, 5});
        break;
    case 3:
        stoa_set(w, e, Nested, {{x, x}, TEAM_RED, {1, 2, 3}, e, 'a'});
        break;
    case 4:
        stoa_add(w, e, Frozen);
        break;
    case 5:
        stoa_set(w, e, Mark, {(int64_t)bits << 20});
        break;
    case 6:
        stoa_set(w, e, Lamp, {(uint8_t)bits});
        break;
    default:
        stoa_set(w, e, Timed, {(int32_t)bits});
        break;
    }
}

static void step_remove(stoa_world *w, stoa_entity e, uint32_t bits) {
    static stoa_type *const types[] = {&Position_stoa, &Velocity_stoa, &Gappy_stoa,
                                       &Nested_stoa,   &Frozen_stoa,   &Mark_stoa,
                                       &Lamp_stoa,     &Timed_stoa,    &Text_stoa};
    stoa_remove_type(w, e, types[bits % (sizeof types / sizeof *types)]);
}

static void step_switch(stoa_world *w, stoa_entity e, uint32_t bits) {
    if (bits % 2 == 0 && stoa_has(w, e, Lamp)) {
        stoa_enable(w, e, Lamp, bits % 4 == 0);
    } else if (bits % 2 != 0 && stoa_has(w, e, Mark)) {
        stoa_enable(w, e, Mark, bits % 4 == 1);
    }
}

static void step_text(stoa_world *w, stoa_entity e, uint32_t bits) {
    char letters[32];
    snprintf(letters, sizeof letters, "%u", bits % 100000);
    Text text = text_make(letters);
    if (stoa_set_id(w, e, stoa_id(w, Text), &text, sizeof text) != STOA_OK) {
        text_drop(&text, 1, NULL);
    }
}

static void run_open(run *r, int side, uint32_t bits) {
    if (bits % 3 == 0) {
        support_world_open_with(&r->s[side], 16 << 10);
    } else {
        support_world_open(&r->s[side]);
    }
    types_register(r->s[side].world, bits % 2 == 0);
    if (bits % 5 == 0) {
        /* Something was there before. */
        stoa_world *w = r->s[side].world;
        stoa_entity e = stoa_create_with(w, STOA_VALUE(Timed, {1}), STOA_VALUE(Velocity, {1, 1}));
        stoa_destroy(w, e);
    }
}

/* Moves the run to a new world; false if that does not come out the same. */
static bool run_save(run *r, uint32_t bits) {
    int next = 1 - r->now;
    stoa_blob blobs[2] = {{0}, {0}};
    stoa_world *w = r->s[r->now].world;
    const stoa_snapshot_save_desc desc = {.ticks = true};
    run_open(r, next, bits);
    stoa_world *to = r->s[next].world;
    stoa_span span;
    const stoa_source source = stoa_span_source(&span);
    bool same = stoa_snapshot_save_memory(w, &desc, &blobs[0]) == STOA_OK &&
                stoa_snapshot_verify(blobs[0].data, blobs[0].size, NULL) == STOA_OK;
    span = (stoa_span){blobs[0].data, blobs[0].data + blobs[0].size};
    same = same && (bits % 7 == 0 ? stoa_snapshot_load(to, NULL, &source)
                                  : stoa_snapshot_load_memory(to, NULL, blobs[0].data,
                                                              blobs[0].size)) == STOA_OK;
    same = same && stoa_check(to) == STOA_OK && stoa_hash(to) == stoa_hash(w) &&
           stoa_snapshot_save_memory(to, &desc, &blobs[1]) == STOA_OK;
    /* With other chunks the ticks may be other runs. */
    same = same && (bits % 3 == 0 || (blobs[0].size == blobs[1].size &&
                                      memcmp(blobs[0].data, blobs[1].data, blobs[0].size) == 0));
    stoa_blob_free(&blobs[0]);
    stoa_blob_free(&blobs[1]);
    support_world_close(&r->s[r->now]);
    r->now = next;
    return same;
}

/* One step; false if something that was saved did not come back. */
static bool step_run(run *r, const step *s, bool saves) {
    stoa_world *w = r->s[r->now].world;
    stoa_entity e = pool_pick(r, s->who);
    char name[32];
    switch (s->op) {
    case STEP_CREATE:
        e = stoa_create(w);
        if (r->pool_count < POOL_MAX) {
            r->pool[r->pool_count++] = e;
        }
        break;
    case STEP_SAVE:
        return !saves || run_save(r, s->bits);
    case STEP_TICK:
        stoa_tick_advance(w);
        break;
    case STEP_RESOURCE:
        stoa_resource_set(w, Settings, {(int32_t)s->bits, 0.5});
        break;
    default:
        if (!stoa_alive(w, e)) {
            return true;
        }
        break;
    }
    if (s->op == STEP_DESTROY) {
        stoa_destroy(w, e);
    } else if (s->op == STEP_SET) {
        step_set(w, e, s->bits);
    } else if (s->op == STEP_REMOVE) {
        step_remove(w, e, s->bits);
    } else if (s->op == STEP_SWITCH) {
        step_switch(w, e, s->bits);
    } else if (s->op == STEP_TEXT) {
        step_text(w, e, s->bits);
    } else if (s->op == STEP_NAME) {
        snprintf(name, sizeof name, "n%u", s->bits % 20);
        stoa_name_set(w, e, s->bits % 5 == 0 ? NULL : name);
    } else if (s->op == STEP_PARENT) {
        stoa_entity over = pool_pick(r, s->bits);
        if (stoa_alive(w, over)) {
            stoa_set_parent(w, e, over);
        }
    }
    return true;
}

/* What can be seen beyond the hash: children and names. */
static bool runs_look_equal(const run *a, const run *b) {
    const stoa_world *v = a->s[a->now].world;
    const stoa_world *w = b->s[b->now].world;
    for (uint32_t i = 0; i < a->pool_count; i++) {
        stoa_links x = stoa_children(v, a->pool[i]);
        stoa_links y = stoa_children(w, b->pool[i]);
        const char *first = stoa_name(v, a->pool[i]);
        const char *second = stoa_name(w, b->pool[i]);
        if (!stoa_entity_eq(a->pool[i], b->pool[i]) || x.count != y.count ||
            (x.count > 0 && memcmp(x.items, y.items, (size_t)x.count * sizeof *x.items) != 0) ||
            (first == NULL) != (second == NULL) || (first != NULL && strcmp(first, second) != 0)) {
            return false;
        }
    }
    return true;
}

/* Runs a script with saving and without. */
static const char *script_run(const support_trace *t) {
    const step *steps = t->steps;
    run *runs = calloc(2, sizeof *runs);
    text_count = 0;
    const char *wrong = NULL;
    for (int i = 0; i < 2; i++) {
        run_open(&runs[i], 0, 1);
        for (uint32_t k = 0; k < t->count && wrong == NULL; k++) {
            wrong = step_run(&runs[i], &steps[k], i == 1) ? NULL : "a world came back as another";
        }
    }
    const stoa_world *v = runs[0].s[runs[0].now].world;
    const stoa_world *w = runs[1].s[runs[1].now].world;
    stoa_blob blobs[2] = {{0}, {0}};
    if (wrong == NULL && (stoa_hash(v) != stoa_hash(w) || stoa_tick(v) != stoa_tick(w) ||
                          !runs_look_equal(&runs[0], &runs[1]))) {
        wrong = "a world that came back went on to be another";
    }
    if (wrong == NULL && (stoa_snapshot_save_memory(v, NULL, &blobs[0]) != STOA_OK ||
                          stoa_snapshot_save_memory(w, NULL, &blobs[1]) != STOA_OK ||
                          blobs[0].size != blobs[1].size ||
                          memcmp(blobs[0].data, blobs[1].data, blobs[0].size) != 0)) {
        wrong = "a world that came back is saved as another";
    }
    for (int i = 0; i < 2; i++) {
        stoa_blob_free(&blobs[i]);
        support_world_close(&runs[i].s[runs[i].now]);
    }
    free(runs);
    return wrong == NULL && text_count != 0 ? "texts are left" : wrong;
}

static void script_make(support_trace *t) {
    static const uint8_t weights[STEP_OPS] = {20, 6, 30, 10, 8, 6, 4, 8, 2, 6, 5};
    support_random random = {t->seed * 2654435761u + 1};
    step *steps = t->steps;
    t->count = 10 + support_random_below(&random, STEPS_MAX - 10);
    for (uint32_t i = 0; i < t->count; i++) {
        uint32_t op = support_random_pick(&random, weights, sizeof weights);
        uint32_t who = support_random_next(&random) >> 4;
        steps[i] = (step){(step_op)op, who, support_random_next(&random) >> 3};
    }
}

static void step_print(FILE *out, const void *given) {
    const step *s = given;
    fprintf(out, "%s %u %u", op_names[s->op], s->who, s->bits);
}

/* SNP-01 SNP-02 SNP-10 */
static void random_worlds_go_on_as_if_they_had_not_been_saved(void **state) {
    (void)state;
    static step steps[STEPS_MAX];
    support_traces_run(&(support_traces){SUPPORT_STEPS(steps), .seeds = SEEDS, .make = script_make,
                                         .run = script_run, .print = step_print});
}

int main(void) {
    const struct CMUnitTest tests[] = {
        support_seeds_test(random_worlds_go_on_as_if_they_had_not_been_saved),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
