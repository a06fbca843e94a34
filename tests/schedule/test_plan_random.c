/* Plans of random systems, compared with a reference that does the obvious: it walks the rules from
 * each system to find what it reaches, and numbers batches until nothing changes. */
#include "schedule/plan_fixture.h"

#define SYSTEMS_MAX 80
#define TYPES 12
#define LABELS 4
#define ROUNDS 400

typedef struct graph {
    bool edge[SYSTEMS_MAX][SYSTEMS_MAX];
} graph;

typedef struct reference {
    uint32_t count;
    bool enabled[SYSTEMS_MAX];
    bool exclusive[SYSTEMS_MAX];
    uint32_t label[SYSTEMS_MAX];  /* LABELS: none */
    uint32_t reads[SYSTEMS_MAX];  /* bit k: component k; from TYPES on: resources */
    uint32_t writes[SYSTEMS_MAX]; /* the same */
    graph rules;
    graph all; /* with the decisions about conflicts */
    uint32_t batch[SYSTEMS_MAX];
} reference;

static bool reaches(const graph *g, uint32_t count, uint32_t from, uint32_t to) {
    bool seen[SYSTEMS_MAX] = {false};
    uint32_t stack[SYSTEMS_MAX];
    uint32_t top = 0;
    stack[top++] = from;
    while (top > 0) {
        uint32_t i = stack[--top];
        for (uint32_t j = 0; j < count; j++) {
            if (g->edge[i][j] && !seen[j]) {
                seen[j] = true;
                stack[top++] = j;
            }
        }
    }
    return seen[to];
}

static bool conflict(const reference *r, uint32_t i, uint32_t j) {
    return r->exclusive[i] || r->exclusive[j] ||
           (r->writes[i] & (r->reads[j] | r->writes[j])) != 0 || (r->reads[i] & r->writes[j]) != 0;
}

static bool reference_cyclic(const reference *r) {
    for (uint32_t i = 0; i < r->count; i++) {
        if (reaches(&r->rules, r->count, i, i)) {
            return true;
        }
    }
    return false;
}

static void reference_solve(reference *r) {
    r->all = r->rules;
    for (uint32_t j = 0; j < r->count; j++) {
        for (uint32_t i = j; i-- > 0;) {
            if (r->enabled[i] && r->enabled[j] && conflict(r, i, j) &&
                !reaches(&r->all, r->count, i, j) && !reaches(&r->all, r->count, j, i)) {
                r->all.edge[i][j] = true;
            }
        }
    }
    static bool must[SYSTEMS_MAX][SYSTEMS_MAX];
    for (uint32_t i = 0; i < r->count; i++) {
        r->batch[i] = 0;
        for (uint32_t j = 0; j < r->count; j++) {
            must[i][j] = r->enabled[i] && r->enabled[j] && reaches(&r->all, r->count, i, j);
        }
    }
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t i = 0; i < r->count; i++) {
            for (uint32_t j = 0; j < r->count; j++) {
                if (must[i][j] && r->batch[j] <= r->batch[i]) {
                    r->batch[j] = r->batch[i] + 1;
                    changed = true;
                }
            }
        }
    }
}

/* The texts that the description of a system points at. */
typedef struct drawn {
    stoa_system_desc desc;
    char name[16];
    char label[16];
    char rules[3][16];
} drawn;

static void list_add(const char **list, const char *text) {
    while (*list != NULL) {
        list++;
    }
    *list = text;
}

static void access_draw(drawn *d, reference *r, uint32_t i, support_random *random,
                        stoa_component first, uint32_t density) {
    uint32_t counts[2] = {0, 0};
    for (uint32_t k = 0; k < density; k++) {
        uint32_t bit = support_random_below(random, 2 * TYPES);
        if (((r->reads[i] | r->writes[i]) >> bit & 1) != 0) {
            continue;
        }
        bool writes = support_random_below(random, 3) == 0;
        (writes ? r->writes : r->reads)[i] |= 1u << bit;
        stoa_term *list = bit < TYPES ? d->desc.access : d->desc.resources;
        list[counts[bit / TYPES]++] = (stoa_term){
            .id = first + bit % TYPES, .access = writes ? STOA_ACCESS_WRITE : STOA_ACCESS_READ};
    }
}

/* Rules lead from lower to higher numbers of a shuffled line, unless they are wild. */
static void rules_draw(drawn *d, reference *r, uint32_t i, support_random *random,
                       const uint32_t *line, bool wild) {
    for (uint32_t k = 0; k < 2; k++) {
        uint32_t other = support_random_below(random, r->count);
        if (other == i || support_random_below(random, 3) == 0) {
            continue;
        }
        bool before = wild ? support_random_below(random, 2) == 0 : line[i] < line[other];
        snprintf(d->rules[k], sizeof d->rules[k], "s%u", other);
        list_add(before ? d->desc.before : d->desc.after, d->rules[k]);
        r->rules.edge[before ? i : other][before ? other : i] = true;
    }
    if (support_random_below(random, wild ? 30 : 6) != 0) {
        return;
    }
    uint32_t label = support_random_below(random, LABELS);
    uint32_t found = 0;
    uint32_t late = 0;
    for (uint32_t j = 0; j < r->count; j++) {
        found += r->label[j] == label;
        late += r->label[j] == label && line[j] > line[i];
    }
    if (found > 0 && (wild || late == 0)) {
        snprintf(d->rules[2], sizeof d->rules[2], "l%u", label);
        list_add(d->desc.after, d->rules[2]);
        for (uint32_t j = 0; j < r->count; j++) {
            r->rules.edge[j][i] |= r->label[j] == label && j != i;
        }
    }
}

static void line_draw(uint32_t *line, uint32_t count, support_random *random) {
    for (uint32_t i = 0; i < count; i++) {
        uint32_t k = support_random_below(random, i + 1);
        line[i] = line[k];
        line[k] = i;
    }
}

/* Draws systems, and adds them to the app. */
static void systems_draw(plan_fixture *f, reference *r, support_random *random,
                         stoa_component first) {
    memset(r, 0, sizeof *r);
    r->count = 1 + support_random_below(random, SYSTEMS_MAX);
    uint32_t density = support_random_below(random, 4);
    bool wild = support_random_below(random, 4) == 0;
    uint32_t line[SYSTEMS_MAX] = {0};
    line_draw(line, r->count, random);
    for (uint32_t i = 0; i < r->count; i++) {
        uint32_t label = support_random_below(random, 2 * LABELS);
        r->label[i] = label < LABELS ? label : LABELS;
    }
    for (uint32_t i = 0; i < r->count; i++) {
        drawn d = {.desc = {.name = d.name, .run = plan_nothing}};
        snprintf(d.name, sizeof d.name, "s%u", i);
        r->enabled[i] = support_random_below(random, 5) != 0;
        r->exclusive[i] = support_random_below(random, 20) == 0;
        d.desc.disabled = !r->enabled[i];
        d.desc.rule = r->exclusive[i] ? STOA_THREAD_EXCLUSIVE : STOA_THREAD_ANY;
        if (r->label[i] < LABELS) {
            snprintf(d.label, sizeof d.label, "l%u", r->label[i]);
            d.desc.labels[0] = d.label;
        }
        access_draw(&d, r, i, random, first, density);
        rules_draw(&d, r, i, random, line, wild);
        assert_int_not_equal(stoa_system_new(f->app, &d.desc).id, 0);
    }
}

/* The reason must be what the reference would accept: of the batch right before, a rule if there is
 * one, and the first of its kind. */
static void reason_check(const reference *r, const stoa__planned *planned, uint32_t i,
                         const uint32_t *index_of_id) {
    const stoa__reason *reason = &planned->reason;
    if (r->batch[i] == 0) {
        assert_int_equal(reason->kind, STOA__REASON_NONE);
        return;
    }
    uint32_t ruled = UINT32_MAX;
    uint32_t forced = UINT32_MAX;
    for (uint32_t k = r->count; k-- > 0;) {
        if (r->enabled[k] && r->batch[k] + 1 == r->batch[i]) {
            ruled = reaches(&r->rules, r->count, k, i) ? k : ruled;
            forced = reaches(&r->all, r->count, k, i) ? k : forced;
        }
    }
    uint32_t other = index_of_id[reason->other->id];
    if (ruled != UINT32_MAX) {
        assert_int_equal(reason->kind, STOA__REASON_ORDER);
        assert_int_equal(other, ruled);
    } else {
        assert_int_equal(other, forced);
        assert_int_equal(reason->kind, r->exclusive[i] || r->exclusive[other]
                                           ? STOA__REASON_ALONE
                                           : STOA__REASON_CONFLICT);
    }
}

static void plan_check(const plan_fixture *f, const reference *r) {
    static uint32_t index_of_id[ROUNDS * SYSTEMS_MAX + 1];
    for (uint32_t i = 0; i < r->count; i++) {
        index_of_id[f->app->systems[i]->id] = i;
    }
    const stoa__plan *plan = &f->app->plan;
    uint32_t enabled = 0;
    for (uint32_t i = 0; i < r->count; i++) {
        enabled += r->enabled[i];
    }
    assert_int_equal(plan->system_count, enabled);
    for (uint32_t b = 0; b < plan->batch_count; b++) {
        const stoa__batch *batch = &plan->batches[b];
        assert_true(batch->count > 0);
        for (uint32_t k = 0; k < batch->count; k++) {
            const stoa__planned *planned = &plan->systems[batch->first + k];
            uint32_t i = index_of_id[planned->system->id];
            assert_int_equal(r->batch[i], b);
            assert_true(k == 0 || planned[-1].system->id < planned->system->id);
            reason_check(r, planned, i, index_of_id);
        }
    }
}

/* What stoa_schedule_ambiguities must tell, counted. */
static int32_t ambiguities_count(const reference *r) {
    int32_t count = 0;
    for (uint32_t i = 0; i < r->count; i++) {
        for (uint32_t j = i + 1; j < r->count; j++) {
            if (!r->enabled[i] || !r->enabled[j] || reaches(&r->rules, r->count, i, j) ||
                reaches(&r->rules, r->count, j, i)) {
                continue;
            }
            uint32_t disputed =
                (r->writes[i] & (r->reads[j] | r->writes[j])) | (r->reads[i] & r->writes[j]);
            count += r->exclusive[i] || r->exclusive[j] ? 1 : (int32_t)stoa__bit_count(disputed);
        }
    }
    return count;
}

static void ambiguities_check(plan_fixture *f, const reference *r) {
    static stoa_ambiguity list[SYSTEMS_MAX * SYSTEMS_MAX * 4];
    int32_t capacity = (int32_t)(sizeof list / sizeof *list);
    int32_t count = stoa_schedule_ambiguities(f->app, list, capacity);
    assert_int_equal(count, ambiguities_count(r));
    assert_true(count <= capacity);
    uint32_t base = f->app->systems[0]->id;
    for (int32_t k = 0; k < count; k++) {
        assert_true(r->batch[list[k].first.id - base] < r->batch[list[k].second.id - base]);
    }
}

/* SYS-05 SYS-09 */
static void random_plans_are_those_of_the_reference(void **state) {
    plan_fixture *f = *state;
    stoa_component first = 0;
    for (uint32_t i = 0; i < TYPES; i++) {
        char name[16];
        snprintf(name, sizeof name, "C%u", i);
        stoa_component id =
            stoa_component_register(f->s.world, &(stoa_component_desc){.name = name, .size = 4});
        first = i == 0 ? id : first;
    }
    support_random random = {2024};
    static reference r;
    uint32_t refused = 0;
    for (uint32_t round = 0; round < ROUNDS; round++) {
        systems_draw(f, &r, &random, first);
        bool cyclic = reference_cyclic(&r);
        stoa_status status = stoa_schedule_plan(f->app);
        assert_int_equal(status, cyclic ? STOA_CONTRADICTION : STOA_OK);
        if (cyclic) {
            support_assert_misuse(&f->s, status, STOA_CONTRADICTION);
            support_assert_message("systems wait for each other: s");
            refused++;
        } else {
            reference_solve(&r);
            plan_check(f, &r);
            ambiguities_check(f, &r);
        }
        while (f->app->system_count > 0) {
            stoa_system last = {f->app->systems[f->app->system_count - 1]->id};
            assert_int_equal(stoa_system_remove(f->app, last), STOA_OK);
        }
    }
    assert_in_range(refused, ROUNDS / 20, ROUNDS / 2);
}

/* SYS-05 */
static void thousand_systems_that_all_conflict_take_a_batch_each(void **state) {
    plan_fixture *f = *state;
    for (uint32_t i = 0; i < 1000; i++) {
        char name[16];
        snprintf(name, sizeof name, "s%u", i);
        plan_add(f, name, .access = {STOA_WRITE(Position)});
    }
    assert_int_equal(stoa_schedule_batches(f->app, STOA_UPDATE), 1000);
    for (uint32_t i = 0; i < 1000; i++) {
        assert_int_equal(f->app->plan.systems[i].system->id, i + 1);
        assert_int_equal(f->app->plan.batches[i].count, 1);
    }
    assert_int_equal(stoa_schedule_ambiguities(f->app, NULL, 0), 1000 * 999 / 2);
}

/* SYS-05 */
static void thousand_systems_that_agree_take_one_batch(void **state) {
    plan_fixture *f = *state;
    for (uint32_t i = 0; i < 1000; i++) {
        char name[16];
        snprintf(name, sizeof name, "s%u", i);
        plan_add(f, name, .access = {STOA_READ(Position)}, .script = i % 2 == 0);
    }
    assert_int_equal(stoa_schedule_batches(f->app, STOA_UPDATE), 1);
    assert_int_equal(f->app->plan.batches[0].count, 1000);
    assert_int_equal(stoa_schedule_ambiguities(f->app, NULL, 0), 0);
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, plan_setup, plan_teardown)
    const struct CMUnitTest tests[] = {
        TEST(random_plans_are_those_of_the_reference),
        TEST(thousand_systems_that_all_conflict_take_a_batch_each),
        TEST(thousand_systems_that_agree_take_one_batch),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
