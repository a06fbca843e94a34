/* Trees of transforms that go back in time: a world that is rolled back and replayed now and then
 * stays the same, frame by frame, as one that never is.
 *
 * A step is a frame: one change, sometimes a propagation. The world that goes back keeps the steps
 * of its frames, and which entities there were. */
#include "builtin/transform_fixture.h"
#include "support/trace.h"

#include "stoa/history.h"

#define POOL_MAX 40
#define STEPS_MAX 160
#define KEPT 6

STOA_TAG(Odd);

typedef enum step_op {
    STEP_CREATE,
    STEP_SET,
    STEP_WRITE,
    STEP_PARENT,
    STEP_ORPHAN,
    STEP_DESTROY,
    STEP_DESTROY_ALL,
    STEP_BARE,
    STEP_MOVE,
    STEP_BACK,
    STEP_COUNT
} step_op;

static const char *const op_names[STEP_COUNT] = {
    "create", "set", "write", "parent", "orphan", "destroy", "destroy all", "bare", "move", "back"};

typedef struct step {
    step_op op;
    uint32_t who, other, bits;
} step;

typedef struct pool {
    stoa_entity entities[POOL_MAX];
    uint32_t count;
} pool;

/* A world and the entities that steps choose from. */
typedef struct side {
    support_world s;
    pool p;
} side;

static side straight, back;
static stoa_history *history;
static step log_of[STEPS_MAX];
static pool pool_of[STEPS_MAX];

static stoa_entity pool_pick(const pool *p, uint32_t who) {
    return p->count > 0 ? p->entities[who % (p->count < POOL_MAX ? p->count : POOL_MAX)]
                        : STOA_NULL;
}

static void node_add(side *x, const step *p) {
    stoa_entity parent = pool_pick(&x->p, p->other);
    bool child = p->bits % 4 != 0 && stoa_alive(x->s.world, parent);
    stoa_entity e = node_make(x->s.world, child ? parent : STOA_NULL, p->bits);
    x->p.entities[x->p.count++ % POOL_MAX] = e;
}

/* A change to one node; a parent that would close a circle is refused, by both worlds. */
static void node_change(side *x, const step *p, stoa_entity e) {
    stoa_world *w = x->s.world;
    stoa_entity other = pool_pick(&x->p, p->other);
    switch (p->op) {
    case STEP_SET:
        assert_int_equal(stoa_set(w, e, LocalTransform, {matrix_of(p->bits)}), STOA_OK);
        break;
    case STEP_WRITE:
        stoa_with_mut(w, e, LocalTransform, local) {
            local->matrix.m[14] += 0.25f;
        }
        break;
    case STEP_PARENT:
        if (stoa_alive(w, other)) {
            (void)stoa_set_parent(w, e, other);
        }
        break;
    case STEP_ORPHAN:
        assert_int_equal(stoa_remove_parent(w, e), STOA_OK);
        break;
    case STEP_DESTROY:
        assert_int_equal(stoa_destroy(w, e), STOA_OK);
        break;
    case STEP_DESTROY_ALL:
        assert_int_equal(stoa_destroy_recursive(w, e), STOA_OK);
        break;
    case STEP_BARE:
        if (stoa_has(w, e, WorldTransform)) {
            assert_int_equal(stoa_remove(w, e, WorldTransform), STOA_OK);
        } else {
            assert_int_equal(stoa_add(w, e, WorldTransform), STOA_OK);
        }
        break;
    default:
        if (stoa_has(w, e, Odd)) {
            assert_int_equal(stoa_remove(w, e, Odd), STOA_OK);
        } else {
            assert_int_equal(stoa_add(w, e, Odd), STOA_OK);
        }
        break;
    }
}

static void frame_do(side *x, const step *p) {
    stoa_world *w = x->s.world;
    stoa_entity e = pool_pick(&x->p, p->who);
    if (p->op == STEP_CREATE) {
        node_add(x, p);
    } else if (stoa_alive(w, e)) {
        node_change(x, p, e);
    }
    if (p->bits % 3 != 0) {
        propagate_right(w);
    }
    stoa_tick_advance(w);
}

/* Keeps the present as a frame, then does the next one. */
static void frame_keep(const step *p) {
    int64_t frame = stoa_history_save(history);
    assert_in_range(frame, 0, STEPS_MAX - 1);
    log_of[frame] = *p;
    pool_of[frame] = back.p;
    frame_do(&back, p);
}

static void frames_again(uint32_t bits) {
    int64_t last = stoa_history_last(history);
    if (last < 0) {
        return;
    }
    int64_t frame = last - (int64_t)(bits % (uint32_t)stoa_history_count(history));
    assert_int_equal(stoa_history_restore(history, frame), STOA_OK);
    back.p = pool_of[frame];
    assert_int_equal(stoa_check(back.s.world), STOA_OK);
    frame_do(&back, &log_of[frame]);
    for (frame++; frame <= last; frame++) {
        frame_keep(&log_of[frame]);
    }
}

static void sides_open(void) {
    side *sides[] = {&straight, &back};
    for (int i = 0; i < 2; i++) {
        support_world_open(&sides[i]->s);
        sides[i]->p.count = 0;
    }
    history = stoa_history_new(back.s.world, &(stoa_history_desc){.frames = KEPT});
    assert_non_null(history);
}

static void sides_close(void) {
    stoa_history_free(history);
    support_world_close(&straight.s);
    support_world_close(&back.s);
}

static const char *trace_run(const support_trace *t) {
    const step *steps = t->steps;
    const char *wrong = NULL;
    sides_open();
    for (uint32_t i = 0; i < t->count && wrong == NULL; i++) {
        if (steps[i].op == STEP_BACK) {
            frames_again(steps[i].bits);
        } else {
            frame_do(&straight, &steps[i]);
            frame_keep(&steps[i]);
        }
        if (stoa_hash(straight.s.world) != stoa_hash(back.s.world)) {
            wrong = "the world that went back is another one";
        }
    }
    straight.s.asserts_seen = straight.s.asserts;
    back.s.asserts_seen = back.s.asserts;
    sides_close();
    return wrong;
}

static void trace_make(support_trace *t) {
    static const uint8_t weights[STEP_COUNT] = {30, 15, 15, 25, 5, 4, 3, 6, 10, 20};
    support_random random = {t->seed};
    step *steps = t->steps;
    t->count = 40 + support_random_below(&random, STEPS_MAX - 40);
    for (uint32_t i = 0; i < t->count; i++) {
        steps[i].op = (step_op)support_random_pick(&random, weights, STEP_COUNT);
        steps[i].who = support_random_next(&random) >> 8;
        steps[i].other = support_random_next(&random) >> 8;
        steps[i].bits = support_random_next(&random) >> 8;
    }
}

static void step_print(FILE *out, const void *what) {
    const step *p = what;
    fprintf(out, "%s %u %u %u", op_names[p->op], p->who, p->other, p->bits);
}

/* SNP-08 TRF-04 */
static void random_trees_that_go_back_are_those_that_did_not(void **state) {
    (void)state;
    static step steps[STEPS_MAX];
    support_traces_run(&(support_traces){SUPPORT_STEPS(steps), .seeds = 150, .make = trace_make,
                                         .run = trace_run, .print = step_print});
}

/* SNP-08 */
static void order_from_before_a_change_of_parents_is_used_again(void **state) {
    stoa_world *w = ((support_world *)*state)->world;
    stoa_history *h = stoa_history_new(w, NULL);
    assert_non_null(h);
    stoa_entity root = node_make(w, STOA_NULL, 1);
    stoa_entity middle = node_make(w, root, 2);
    stoa_entity leaf = node_make(w, middle, 3);
    propagate_right(w);
    stoa_tick_advance(w);
    int64_t frame = stoa_history_save(h);
    uint64_t hash = stoa_hash(w);
    assert_int_equal(stoa_remove_parent(w, leaf), STOA_OK);
    assert_int_equal(stoa_remove_parent(w, middle), STOA_OK);
    assert_int_equal(stoa_set_parent(w, root, leaf), STOA_OK);
    propagate_right(w);
    assert_int_equal(stoa_history_restore(h, frame), STOA_OK);
    assert_int_equal(stoa_hash(w), hash);
    stoa_with_mut(w, root, LocalTransform, local) {
        local->matrix = matrix_of(7);
    }
    propagate_right(w);
    assert_true(stoa_entity_eq(stoa_parent(w, leaf), middle));
    stoa_history_free(h);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        support_seeds_test(random_trees_that_go_back_are_those_that_did_not),
        cmocka_unit_test_setup_teardown(order_from_before_a_change_of_parents_is_used_again,
                                        support_setup, support_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
