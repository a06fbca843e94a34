/* Random worlds that go through JSON and back: the same hash, the same text, the same next handles.
 *
 * A trace makes a world; the world itself is the reference for what is loaded. A trace that fails
 * is made shorter and printed with its seed. */
#include "json_fixture.h"

#include "support/trace.h"

#define POOL_MAX 24
#define STEPS_MAX 120

STOA_COMPONENT_WITH(Likes, STOA_OPTIONS(.flags = STOA_MANAGED | STOA_SPARSE | STOA_IMMUTABLE), {
    const stoa_entity *items;
    int32_t count;
});
STOA_ENUM(Mood, {CALM, ANGRY = 7});
STOA_COMPONENT(Mixed, {
    double number;
    int64_t big;
    uint64_t bigger;
    char text[6];
    Mood mood;
    stoa_entity friends[2];
    bool awake;
});

typedef enum step_op {
    STEP_CREATE,
    STEP_DESTROY,
    STEP_POSITION,
    STEP_MIXED,
    STEP_FROZEN,
    STEP_BURNING,
    STEP_SHIELD,
    STEP_SCRATCH,
    STEP_SWITCH,
    STEP_REMOVE,
    STEP_NAME,
    STEP_PARENT,
    STEP_LIKE,
    STEP_DISLIKE,
    STEP_RESOURCE,
    STEP_COUNT
} step_op;

static const char *const op_names[] = {"create",  "destroy", "position", "mixed",   "frozen",
                                       "burning", "shield",  "scratch",  "switch",  "remove",
                                       "name",    "parent",  "like",     "dislike", "resource"};

typedef struct step {
    step_op op;
    uint32_t who, bits;
} step;

static step steps[STEPS_MAX];

static void make(support_trace *t) {
    support_random random = {t->seed};
    t->count = 1 + support_random_below(&random, STEPS_MAX);
    for (uint32_t i = 0; i < t->count; i++) {
        steps[i] = (step){(step_op)support_random_below(&random, STEP_COUNT),
                          support_random_below(&random, POOL_MAX), support_random_next(&random)};
    }
}

static void print(FILE *out, const void *at) {
    const step *s = at;
    fprintf(out, "%s %u 0x%08x", op_names[s->op], s->who, s->bits);
}

static void types_register(stoa_world *w) {
    stoa_id(w, Position);
    stoa_id(w, Mood);
    stoa_id(w, Mixed);
    stoa_id(w, Frozen);
    stoa_id(w, Burning);
    stoa_id(w, Shield);
    stoa_id(w, Scratch);
    stoa_id(w, Name);
    stoa_id(w, Parent);
    stoa_id(w, Health);
    stoa_relation_new(w, &(stoa_relation_desc){.type = STOA_TYPE_OF(Likes), .many = true});
}

static Mixed mixed_of(const stoa_entity *pool, uint32_t bits) {
    Mixed m;
    memset(&m, 0, sizeof m);
    support_random random = {bits};
    uint64_t wide = (uint64_t)support_random_next(&random) << 32 | support_random_next(&random);
    memcpy(&m.number, &wide, sizeof m.number);
    m.big = (int64_t)(wide * 3);
    m.bigger = wide * 5;
    uint64_t text = bits % 2 == 0 ? wide : 0x6E6F6F6D; /* "moon" */
    memcpy(m.text, &text, sizeof m.text);
    m.mood = bits % 3 == 0 ? ANGRY : (Mood)(bits % 5);
    m.friends[0] = pool[bits % POOL_MAX];
    m.friends[1] = pool[(bits >> 8) % POOL_MAX];
    m.awake = bits % 7 == 0;
    return m;
}

static void value_step(stoa_world *w, const stoa_entity *pool, stoa_entity e, const step *s) {
    float number;
    Mixed mixed = mixed_of(pool, s->bits);
    switch (s->op) {
    case STEP_POSITION:
        memcpy(&number, &s->bits, sizeof number);
        stoa_set(w, e, Position, {number, (float)(s->bits % 1000) / 8});
        break;
    case STEP_MIXED:
        stoa_set_from(w, e, Mixed, &mixed);
        break;
    case STEP_FROZEN:
        stoa_add(w, e, Frozen);
        break;
    case STEP_BURNING:
        stoa_set(w, e, Burning, {(uint16_t)s->bits});
        break;
    case STEP_SHIELD:
        stoa_set(w, e, Shield, {(uint8_t)s->bits});
        break;
    case STEP_SWITCH:
        if (stoa_has(w, e, Shield)) {
            stoa_enable(w, e, Shield, s->bits % 3 == 0);
        }
        break;
    default:
        stoa_set(w, e, Scratch, {(int32_t)s->bits});
    }
}

static void link_step(stoa_world *w, const stoa_entity *pool, stoa_entity e, const step *s) {
    stoa_entity other = pool[s->bits % POOL_MAX];
    stoa_relation likes = stoa_relation_find(w, "Likes");
    char name[16];
    if (s->op == STEP_NAME) {
        snprintf(name, sizeof name, "%s%u", s->bits % 2 == 0 ? "#" : "e", s->bits % 9);
        if (stoa_entity_is_null(stoa_find(w, name))) {
            stoa_name_set(w, e, name);
        }
    } else if (s->op == STEP_DISLIKE) {
        stoa_relation_remove(w, likes, e, s->bits % 4 == 0 ? STOA_NULL : other);
    } else if (stoa_alive(w, other)) {
        if (s->op == STEP_LIKE) {
            stoa_relation_add(w, likes, e, other);
        } else {
            stoa_set_parent(w, e, other);
        }
    }
}

static void step_run(stoa_world *w, stoa_entity *pool, const step *s) {
    static stoa_type *const removable[] = {STOA_TYPE_OF(Position), STOA_TYPE_OF(Mixed),
                                           STOA_TYPE_OF(Burning), STOA_TYPE_OF(Parent)};
    stoa_entity *e = &pool[s->who];
    if (s->op == STEP_RESOURCE) {
        stoa_resource_set_type(w, STOA_TYPE_OF(Health), &(Health){(int32_t)s->bits});
    } else if (s->op == STEP_CREATE || !stoa_alive(w, *e)) {
        *e = stoa_alive(w, *e) ? *e : stoa_create(w);
    } else if (s->op == STEP_DESTROY) {
        stoa_destroy(w, *e);
    } else if (s->op == STEP_REMOVE) {
        stoa_remove_type(w, *e, removable[s->bits % 4]);
    } else if (s->op >= STEP_NAME) {
        link_step(w, pool, *e, s);
    } else {
        value_step(w, pool, *e, s);
    }
}

static void scratch_clear(stoa_world *w) {
    stoa_query *q = stoa_query_parse(w, "Scratch");
    stoa_query_remove(q, Scratch);
    stoa_query_free(q);
}

/* What differs between a world and the one that was loaded; NULL: nothing. */
static const char *compare(stoa_world *w, stoa_world *other, const stoa_blob *blob) {
    if (stoa_check(other) != STOA_OK) {
        return "the loaded world is broken";
    }
    if (stoa_hash(w) != stoa_hash(other)) {
        return "hashes differ";
    }
    stoa_blob again = world_blob(other, STOA_JSON_PRETTY);
    bool same = again.size == blob->size && memcmp(again.data, blob->data, again.size) == 0;
    stoa_blob_free(&again);
    if (!same) {
        return "texts differ";
    }
    for (stoa_entity e = stoa_entity_next(w, STOA_NULL); !stoa_entity_is_null(e);
         e = stoa_entity_next(w, e)) {
        stoa_links a = stoa_children(w, e), b = stoa_children(other, e);
        if (a.count != b.count ||
            (a.count > 0 && memcmp(a.items, b.items, (size_t)a.count * sizeof *a.items) != 0)) {
            return "children differ";
        }
        stoa_relation likes = stoa_relation_find(w, "Likes");
        a = stoa_relation_sources(w, likes, e);
        b = stoa_relation_sources(other, likes, e);
        if (a.count != b.count ||
            (a.count > 0 && memcmp(a.items, b.items, (size_t)a.count * sizeof *a.items) != 0)) {
            return "lists differ";
        }
    }
    for (int i = 0; i < POOL_MAX + 2; i++) {
        if (!stoa_entity_eq(stoa_create(w), stoa_create(other))) {
            return "the next handles differ";
        }
    }
    return stoa_hash(w) == stoa_hash(other) ? NULL : "hashes differ later on";
}

static const char *run(const support_trace *t) {
    support_world a, b;
    support_world_open(&a);
    support_world_open(&b);
    types_register(a.world);
    types_register(b.world);
    stoa_entity pool[POOL_MAX] = {{0, 0}};
    for (uint32_t i = 0; i < t->count; i++) {
        step_run(a.world, pool, &steps[i]);
    }
    scratch_clear(a.world);
    stoa_blob blob = world_blob(a.world, STOA_JSON_PRETTY);
    const char *wrong = blob.size == 0                         ? "it was not saved"
                        : blob_load(b.world, &blob) != STOA_OK ? "it was not loaded"
                                                               : NULL;
    if (wrong != NULL) {
        support_print_error();
    } else {
        wrong = compare(a.world, b.world, &blob);
    }
    stoa_blob_free(&blob);
    support_world_close(&a);
    support_world_close(&b);
    return wrong;
}

/* SNP-07 SNP-01 */
static void random_worlds_come_back(void **state) {
    (void)state;
    support_traces_run(&(support_traces){SUPPORT_STEPS(steps), .seeds = 300, .make = make,
                                         .run = run, .print = print});
}

/* SNP-07 */
static void random_entities_come_back(void **state) {
    (void)state;
    for (support_seeds seeds = support_seeds_of(200); support_seeds_next(&seeds);) {
        support_world s;
        support_world_open(&s);
        types_register(s.world);
        stoa_entity pool[POOL_MAX] = {{0, 0}};
        support_random random = {seeds.seed};
        for (int i = 0; i < 40; i++) {
            step one = {(step_op)support_random_below(&random, STEP_PARENT),
                        support_random_below(&random, 4), support_random_next(&random)};
            step_run(s.world, pool, &one);
        }
        for (int i = 0; i < 4; i++) {
            if (!stoa_alive(s.world, pool[i])) {
                continue;
            }
            saved text, again;
            entity_text(&text, s.world, pool[i], STOA_JSON_PRETTY);
            stoa_name_set(s.world, pool[i], NULL);
            stoa_entity back = stoa_json_load_entity(s.world, text.text, strlen(text.text), NULL);
            if (stoa_entity_is_null(back)) {
                /* The entity referred to itself by the name that it gave up. */
                support_assert_message("there is no entity");
                continue;
            }
            assert_string_equal(entity_text(&again, s.world, back, STOA_JSON_PRETTY), text.text);
            stoa_destroy(s.world, back);
        }
        support_world_close(&s);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        support_seeds_test(random_worlds_come_back),
        support_seeds_test(random_entities_come_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
