/* Random worlds whose components get other forms, against a list of what entities have. */
#include "retype_types.h"

#include <stdlib.h>

STOA_COMPONENT(Beside, { int32_t n; });
STOA_TAG(Marked);

enum { MOST = 400, OPS = 250, ROUNDS = 60 };

/* One operation: what, and numbers to draw the rest from. */
typedef struct op {
    uint32_t kind;
    uint32_t a, b, c;
} op;

/* What an entity should have. */
typedef struct entry {
    stoa_entity entity;
    bool alive, has_p, has_s, has_beside, marked;
    point p, s;
    int beside;
} entry;

typedef struct model {
    support_world support;
    entry entries[MOST];
    int count;
    int form; /* that P and S have */
} model;

static entry *entry_pick(model *m, uint32_t a) {
    entry *e = m->count > 0 ? &m->entries[a % (uint32_t)m->count] : NULL;
    return e != NULL && e->alive ? e : NULL;
}

static bool entry_agrees(const model *m, const entry *e) {
    const stoa_world *world = m->support.world;
    if (stoa_alive(world, e->entity) != e->alive || !e->alive) {
        return stoa_alive(world, e->entity) == e->alive;
    }
    stoa_component p = stoa_component_find(world, "P"), s = stoa_component_find(world, "S");
    const void *at_p = stoa_try_get_id(world, e->entity, p);
    const void *at_s = stoa_try_get_id(world, e->entity, s);
    const Beside *beside = stoa_try_get(world, e->entity, Beside);
    bool right = (at_p != NULL) == e->has_p && (at_s != NULL) == e->has_s &&
                 (beside != NULL) == e->has_beside &&
                 stoa_has(world, e->entity, Marked) == e->marked;
    if (right && e->has_p) {
        point got = form_read(forms[m->form]->size, at_p);
        right = got.x == e->p.x && got.y == e->p.y;
    }
    if (right && e->has_s) {
        point got = form_read(sides[m->form]->size, at_s);
        right = got.x == e->s.x && got.y == e->s.y;
    }
    return right && (!e->has_beside || beside->n == e->beside);
}

/* Gives P and S another form; sometimes it is taken back, fails, or there is no memory. */
static void retype_do(model *m, const op *o) {
    stoa_world *world = m->support.world;
    int form = (int)(o->a % FORMS), left = o->b % 5 == 0 ? (int)(o->c % 6) : INT32_MAX;
    bool fresh, good = false;
    m->support.heap.fail_at = o->b % 5 == 1 ? 1 + o->c % 40 : 0;
    stoa_retype *retype = stoa_retype_new(world);
    if (retype != NULL && stoa_retype_add(retype, forms[form], true, &fresh) == STOA_OK &&
        stoa_retype_add(retype, sides[form], true, &fresh) == STOA_OK &&
        stoa_retype_convert(retype, form_convert, &left) == STOA_OK) {
        good = stoa_retype_swap(retype) == STOA_OK;
    }
    m->support.heap.fail_at = 0;
    if (good && o->b % 5 != 2) {
        stoa_retype_end(retype);
        m->form = form;
    } else {
        stoa_retype_cancel(retype);
    }
}

static void put(model *m, entry *e, stoa_type *const *list, point *kept, bool *has, uint32_t b) {
    uint8_t value[sizeof(Form3)];
    *kept = (point){(int)(b % 100), (int)(b / 100 % 100)};
    *has = true;
    form_write(list[m->form]->size, *kept, value);
    (void)stoa_set_type(m->support.world, e->entity, list[m->form], value);
}

static void op_do(model *m, const op *o) {
    stoa_world *world = m->support.world;
    entry *e = entry_pick(m, o->a);
    if (o->kind == 0 && m->count < MOST) {
        m->entries[m->count++] = (entry){.entity = stoa_create(world), .alive = true};
    } else if (o->kind == 8) {
        retype_do(m, o);
    } else if (e == NULL) {
        return;
    } else if (o->kind == 1) {
        (void)stoa_destroy(world, e->entity);
        e->alive = false;
    } else if (o->kind <= 3) {
        put(m, e, forms, &e->p, &e->has_p, o->b);
    } else if (o->kind == 4) {
        put(m, e, sides, &e->s, &e->has_s, o->b);
    } else if (o->kind == 5) {
        (void)stoa_set(world, e->entity, Beside, {(int32_t)o->b});
        e->has_beside = true;
        e->beside = (int32_t)o->b;
    } else if (o->kind == 6) {
        (void)stoa_add(world, e->entity, Marked);
        e->marked = true;
    } else {
        stoa_component id = stoa_component_find(world, o->b % 2 != 0 ? "P" : "S");
        (void)stoa_remove_id(world, e->entity, id);
        *(o->b % 2 != 0 ? &e->has_p : &e->has_s) = false;
    }
}

/* Runs a trace; true if world and list agree all the way. */
static bool trace_run(const op *ops, int count) {
    model *m = calloc(1, sizeof *m);
    support_world_open_with(&m->support, 16384);
    (void)stoa_id(m->support.world, Form0);
    (void)stoa_id(m->support.world, Side0);
    bool right = true;
    for (int i = 0; i < count && right; i++) {
        op_do(m, &ops[i]);
        bool all = ops[i].kind == 8 || i + 1 == count;
        right = !all || stoa_check(m->support.world) == STOA_OK;
        for (int k = 0; k < m->count && all && right; k++) {
            right = entry_agrees(m, &m->entries[k]);
        }
    }
    m->support.asserts_seen = m->support.asserts;
    if (right) {
        support_world_close(&m->support);
    }
    free(m);
    return right;
}

/* Leaves operations out as long as the trace still fails. */
static int trace_shrink(op *ops, int count) {
    for (int step = count / 2; step > 0; step /= 2) {
        for (int at = 0; at + step <= count;) {
            op kept[OPS];
            memcpy(kept, ops, sizeof kept);
            memmove(ops + at, ops + at + step, (size_t)(count - at - step) * sizeof *ops);
            if (trace_run(ops, count - step)) {
                memcpy(ops, kept, sizeof kept);
                at += step;
            } else {
                count -= step;
            }
        }
    }
    return count;
}

/* HOT-01 */
static void random_worlds_keep_what_they_hold(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= ROUNDS; seed++) {
        support_random random = {seed * 7919};
        op ops[OPS];
        for (int i = 0; i < OPS; i++) {
            uint32_t kind = support_random_below(&random, 22);
            ops[i] = (op){kind > 17   ? 8
                          : kind > 11 ? 0
                          : kind > 8  ? 2
                                      : kind % 8,
                          support_random_next(&random), support_random_next(&random),
                          support_random_next(&random)};
        }
        if (!trace_run(ops, OPS)) {
            int count = trace_shrink(ops, OPS);
            for (int i = 0; i < count; i++) {
                print_error("kind %u a %u b %u c %u\n", ops[i].kind, ops[i].a, ops[i].b, ops[i].c);
            }
            fail_msg("seed %llu", (unsigned long long)seed);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(random_worlds_keep_what_they_hold)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
