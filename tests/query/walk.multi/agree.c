/* Queries against the model. */
#include "query/walk.multi/model.h"

static bool newer(uint32_t tick, uint32_t since) {
    return (int32_t)(tick - since) > 0;
}

/* What a component is to a query: there and not switched off. */
static bool on(const model_entity *slot, int32_t kind) {
    return slot->has[kind] && !slot->off[kind];
}

/* Whether the filter takes the entity; what it may take beyond the model the world tells. */
static bool filter_takes(const model *m, const model_entity *slot, int32_t kind, bool added,
                         uint32_t since) {
    bool exact = model_flag(kind, STOA_SPARSE) || model_flag(kind, STOA_ROW_TICKS);
    bool is = newer(added ? slot->added[kind] : slot->changed[kind], since);
    bool told = added ? stoa_added_id(m->w, slot->e, m->ids[kind], since)
                      : stoa_changed_id(m->w, slot->e, m->ids[kind], since);
    assert_true(exact ? told == is : told >= is);
    return told;
}

static bool group_met(const model_query *q, const model_entity *slot, int32_t group) {
    for (int32_t i = 0; i < q->count; i++) {
        bool any =
            q->terms[i].access == STOA_ACCESS_ANY || q->terms[i].access == STOA_ACCESS_ANY_WRITE;
        if (any && q->terms[i].group == group && on(slot, q->kinds[i])) {
            return true;
        }
    }
    return false;
}

static bool entity_expected(const model *m, const model_query *q, const model_entity *slot,
                            uint32_t since) {
    for (int32_t i = 0; i < q->count; i++) {
        int32_t kind = q->kinds[i];
        stoa_access access = q->terms[i].access;
        bool there = on(slot, kind),
             filter = access == STOA_ACCESS_CHANGED || access == STOA_ACCESS_ADDED;
        bool needed = filter || access == STOA_ACCESS_READ || access == STOA_ACCESS_WRITE ||
                      access == STOA_ACCESS_FILTER;
        bool any = access == STOA_ACCESS_ANY || access == STOA_ACCESS_ANY_WRITE;
        if ((needed && !there) || (access == STOA_ACCESS_WITHOUT && there) ||
            (any && !group_met(q, slot, q->terms[i].group)) ||
            (filter && !filter_takes(m, slot, kind, access == STOA_ACCESS_ADDED, since))) {
            return false;
        }
    }
    return true;
}

static bool access_writes(stoa_access access) {
    return access == STOA_ACCESS_WRITE || access == STOA_ACCESS_OPTIONAL_WRITE ||
           access == STOA_ACCESS_ANY_WRITE;
}

static bool term_data(const model_query *q, int32_t i) {
    stoa_access access = q->terms[i].access;
    return model_types[q->kinds[i]]->size != 0 && access >= STOA_ACCESS_READ &&
           access <= STOA_ACCESS_ANY_WRITE && access != STOA_ACCESS_WITHOUT;
}

/* Each field of the run is the component of its rows, or NULL where it is not there or off. */
static void run_agrees(model *m, const model_query *q, stoa_iter *it) {
    for (int32_t i = 0; i < q->count; i++) {
        int32_t k = q->kinds[i];
        if (!term_data(q, i)) {
            continue;
        }
        bool column = !model_flag(k, STOA_SPARSE);
        const uint8_t *field = column ? stoa_field_id(it, m->ids[k], i) : NULL;
        for (int32_t row = 0; row < it->count; row++) {
            const model_entity *slot = &m->slots[it->entities[row].index];
            const void *at = stoa_field_at_id(it, m->ids[k], i, row);
            const void *expected = on(slot, k) ? stoa_try_get_id(m->w, slot->e, m->ids[k]) : NULL;
            assert_ptr_equal(at, expected);
            if (column) {
                assert_ptr_equal(field != NULL ? field + (size_t)row * model_types[k]->size : NULL,
                                 expected);
            }
        }
    }
}

/* Takes some fields of the run for writing, and notes what that marks. */
static void run_write(model *m, const model_query *q, stoa_iter *it) {
    for (int32_t i = 0; i < q->count; i++) {
        int32_t k = q->kinds[i];
        if (!term_data(q, i) || !access_writes(q->terms[i].access) || model_chance(m, 60)) {
            continue;
        }
        bool all = !model_flag(k, STOA_SPARSE) && model_chance(m, 50);
        if (all) {
            (void)stoa_field_mut_id(it, m->ids[k], i);
        }
        for (int32_t row = 0; row < it->count; row++) {
            model_entity *slot = &m->slots[it->entities[row].index];
            if (on(slot, k) && (all || model_chance(m, 10))) {
                slot->changed[k] = stoa_tick(m->w);
                assert_true(all || stoa_field_at_mut_id(it, m->ids[k], i, row) != NULL);
            }
        }
    }
}

/* The iteration visits what the model expects, once each; `write` also writes. */
static void iteration_agrees(model *m, model_query *q, stoa_iter it, uint32_t since, bool write) {
    static uint8_t expected[SLOTS];
    int32_t left = 0;
    for (uint32_t i = 0; i < m->top; i++) {
        const model_entity *slot = &m->slots[i];
        expected[i] = slot->e.index != 0 && entity_expected(m, q, slot, since);
        left += expected[i];
    }
    while (stoa_iter_next(&it)) {
        assert_true(it.count > 0);
        for (int32_t row = 0; row < it.count; row++) {
            stoa_entity e = it.entities[row];
            assert_true(stoa_alive(m->w, e));
            assert_true(expected[e.index]);
            expected[e.index] = false;
            left--;
        }
        run_agrees(m, q, &it);
        if (write) {
            run_write(m, q, &it);
        }
    }
    assert_int_equal(left, 0);
}

/* Random terms: each component in one role or none, filters beside it, in any order. */
void model_query_make(model *m, model_query *q) {
    memset(q, 0, sizeof *q);
    for (int32_t k = 0; k < KINDS; k++) {
        stoa_access access = STOA_ACCESS_END;
        if (model_chance(m, 30)) {
            access = (stoa_access)(STOA_ACCESS_READ + (int)model_below(m, STOA_ACCESS_FILTER));
            q->kinds[q->count] = k;
            q->terms[q->count++] =
                (stoa_term){model_types[k], 0, access, (int32_t)model_below(m, 2)};
        }
        for (int f = STOA_ACCESS_CHANGED; f <= STOA_ACCESS_ADDED; f++) {
            if (access != STOA_ACCESS_WITHOUT && model_chance(m, 6)) {
                q->kinds[q->count] = k;
                q->terms[q->count++] = (stoa_term){NULL, m->ids[k], (stoa_access)f, 0};
                q->timed = true;
            }
        }
    }
    for (int32_t i = q->count - 1; i > 0; i--) {
        int32_t j = (int32_t)model_below(m, (uint32_t)i + 1), kind = q->kinds[i];
        stoa_term term = q->terms[i];
        q->terms[i] = q->terms[j], q->terms[j] = term;
        q->kinds[i] = q->kinds[j], q->kinds[j] = kind;
    }
    stoa_query_desc desc = {.name = NULL};
    memcpy(desc.terms, q->terms, sizeof q->terms);
    q->query = stoa_query_new(m->w, &desc);
    assert_non_null(q->query);
}

/* Counting, and the first, agree with a search; nothing is marked. */
static void answers_agree(model *m, model_query *q) {
    uint32_t since = q->ran ? q->last_run : stoa_tick(m->w) - 0x40000000u;
    int32_t count = 0;
    for (uint32_t i = 0; i < m->top; i++) {
        count += m->slots[i].e.index != 0 && entity_expected(m, q, &m->slots[i], since);
    }
    assert_int_equal(stoa_query_count(q->query), count);
    stoa_entity first = stoa_query_first(q->query);
    assert_int_equal(first.index != 0, count > 0);
    stoa_iter it = stoa_query_iter_since(q->query, since);
    if (stoa_iter_next(&it)) {
        assert_true(stoa_entity_eq(it.entities[0], first));
    }
    stoa_iter_end(&it);
    if (!q->ran) {
        stoa_query_desc desc = {.name = NULL};
        memcpy(desc.terms, q->terms, sizeof q->terms);
        assert_int_equal(stoa_query_once_count(m->w, &desc), count);
        iteration_agrees(m, q, stoa_query_once(m->w, &desc), since, false);
    }
}

/* One run of the query, and its effect on ticks. */
static void run_agrees_with_ticks(model *m, model_query *q) {
    uint32_t tick = stoa_tick(m->w);
    uint32_t since = q->ran ? q->last_run : tick - 0x40000000u;
    iteration_agrees(m, q, stoa_query_iter(q->query), since, true);
    q->ran = true;
    q->last_run = tick;
    assert_int_equal(stoa_query_last_run(q->query), tick);
    assert_int_equal(stoa_tick(m->w), q->timed ? tick + 1 : tick);
}

static void row_check(stoa_entity e, void *const *fields, void *user) {
    struct {
        model *m;
        model_query *q;
        int32_t count;
    } *each = user;
    model_entity *slot = &each->m->slots[e.index];
    for (int32_t i = 0; i < each->q->count; i++) {
        int32_t k = each->q->kinds[i];
        bool there = term_data(each->q, i) && on(slot, k);
        assert_ptr_equal(fields[i], there ? stoa_try_get_id(each->m->w, e, each->m->ids[k]) : NULL);
        if (there && access_writes(each->q->terms[i].access)) {
            slot->changed[k] = stoa_tick(each->m->w);
        }
    }
    each->count++;
}

/* stoa_query_each is a run as well, and marks all that may be written. */
static void each_agrees(model *m, model_query *q) {
    struct {
        model *m;
        model_query *q;
        int32_t count;
    } each = {m, q, 0};
    int32_t count = stoa_query_count(q->query);
    uint32_t tick = stoa_tick(m->w);
    assert_int_equal(stoa_query_each(q->query, row_check, &each), STOA_OK);
    assert_int_equal(each.count, count);
    q->ran = true;
    q->last_run = tick;
    assert_int_equal(stoa_tick(m->w), q->timed ? tick + 1 : tick);
}

void model_query_check(model *m, model_query *q) {
    answers_agree(m, q);
    uint32_t since = stoa_tick(m->w) - model_below(m, 30);
    iteration_agrees(m, q, stoa_query_iter_since(q->query, since), since, false);
    if (model_chance(m, 50)) {
        run_agrees_with_ticks(m, q);
    } else if (model_chance(m, 30)) {
        each_agrees(m, q);
    }
}
