/* The naive twin. */
#include "model.h"

int people_find(const people *p, int who) {
    for (int i = 0; i < p->count; i++) {
        if (p->items[i] == who) {
            return i;
        }
    }
    return -1;
}

static void people_add(people *p, int who) {
    p->items[p->count++] = who;
}

static void people_take(people *p, int who) {
    int i = people_find(p, who);
    if (i >= 0) {
        p->items[i] = p->items[--p->count];
    }
}

static void pair_add(model_relation *r, int source, int target) {
    people_add(&r->targets[source], target);
    people_add(&r->sources[target], source);
}

static void pair_take(model_relation *r, int source, int target) {
    people_take(&r->targets[source], target);
    people_take(&r->sources[target], source);
}

int model_create(model *m) {
    m->alive[m->count] = true;
    return m->count++;
}

static bool leads_marked(const model *m, int relation, int from, int to, bool *met) {
    const people *targets = &m->relations[relation].targets[from];
    for (int i = 0; i < targets->count; i++) {
        int next = targets->items[i];
        if (next == to) {
            return true;
        }
        if (!met[next]) {
            met[next] = true;
            if (leads_marked(m, relation, next, to, met)) {
                return true;
            }
        }
    }
    return false;
}

bool model_leads(const model *m, int relation, int from, int to) {
    bool met[PEOPLE_MAX] = {false};
    return leads_marked(m, relation, from, to, met);
}

/* One of Inside loses its target, if it has one, and the component. */
void model_unset(model *m, int who) {
    model_relation *r = &m->relations[0];
    if (r->targets[who].count > 0) {
        pair_take(r, who, r->targets[who].items[0]);
    }
    m->has[who] = m->loose[who] = false;
}

stoa_status model_set(model *m, int who, int target) {
    model_relation *r = &m->relations[0];
    if (target >= 0 && !m->alive[target]) {
        return STOA_DEAD;
    }
    if (r->targets[who].count == 1 && r->targets[who].items[0] == target) {
        return STOA_OK;
    }
    if (target >= 0 && r->acyclic && (target == who || model_leads(m, 0, target, who))) {
        return STOA_CYCLE;
    }
    model_unset(m, who);
    m->has[who] = true;
    m->named[who] = target;
    if (target >= 0) {
        pair_add(r, who, target);
    }
    return STOA_OK;
}

stoa_status model_add(model *m, int relation, int source, int target) {
    model_relation *r = &m->relations[relation];
    if (!m->alive[source] || !m->alive[target]) {
        return STOA_DEAD;
    }
    if (relation == 0) {
        return model_set(m, source, target);
    }
    if (people_find(&r->targets[source], target) >= 0) {
        return STOA_OK;
    }
    if (r->acyclic && (source == target || model_leads(m, relation, target, source))) {
        return STOA_CYCLE;
    }
    pair_add(r, source, target);
    return STOA_OK;
}

stoa_status model_remove(model *m, int relation, int source, int target) {
    model_relation *r = &m->relations[relation];
    if (!m->alive[source]) {
        return STOA_DEAD;
    }
    if (relation == 0) {
        if (target < 0 || people_find(&r->targets[source], target) >= 0) {
            model_unset(m, source);
        }
        return STOA_OK;
    }
    if (target >= 0) {
        pair_take(r, source, target);
        return STOA_OK;
    }
    people all = r->targets[source];
    for (int i = 0; i < all.count; i++) {
        pair_take(r, source, all.items[i]);
    }
    return STOA_OK;
}

static void person_release(model *m, int relation, int who) {
    if (relation == 0 && m->alive[who] && m->loose[who] && !m->locked[who]) {
        model_unset(m, who);
    }
}

static void queue_work(model *m) {
    m->destroying = true;
    for (int i = 0; i < m->queue_count; i += 2) {
        int relation = m->queue[i], who = m->queue[i + 1];
        if (m->alive[who] && !m->locked[who] && (relation == 1 || m->loose[who]) &&
            model_destroy(m, who) != STOA_OK) {
            person_release(m, relation, who);
        }
    }
    m->queue_count = 0;
    m->destroying = false;
}

static void target_leaves(model *m, int relation, int who) {
    model_relation *r = &m->relations[relation];
    people sources = r->sources[who];
    for (int i = 0; i < sources.count; i++) {
        pair_take(r, sources.items[i], who);
        if (relation == 0) {
            m->loose[sources.items[i]] = true;
        }
        if (r->policy == STOA_CASCADE) {
            m->queue[m->queue_count++] = relation;
            m->queue[m->queue_count++] = sources.items[i];
        }
    }
    if (r->policy == STOA_CASCADE) {
        if (!m->destroying) {
            queue_work(m);
        }
        return;
    }
    for (int i = 0; i < sources.count; i++) {
        person_release(m, relation, sources.items[i]);
    }
}

static bool person_may_go(const model *m, int relation, int who) {
    const model_relation *r = &m->relations[relation];
    return r->policy != STOA_REFUSE || r->sources[who].count == 0;
}

/* Everything goes, in the order of hooks: columns, then sparse components as registered. */
static stoa_status person_loses(model *m, int who) {
    if (!person_may_go(m, 0, who) || !person_may_go(m, 1, who)) {
        return STOA_REFUSED;
    }
    bool locked = m->locked[who];
    m->locked[who] = true;
    model_unset(m, who);
    target_leaves(m, 0, who);
    model_remove(m, 1, who, -1);
    target_leaves(m, 1, who);
    m->locked[who] = locked;
    model_unset(m, who);
    return STOA_OK;
}

stoa_status model_destroy(model *m, int who) {
    if (!m->alive[who]) {
        return STOA_DEAD;
    }
    stoa_status status = person_loses(m, who);
    m->alive[who] = status != STOA_OK;
    return status;
}

stoa_status model_clear(model *m, int who) {
    return m->alive[who] ? person_loses(m, who) : STOA_DEAD;
}

stoa_status model_hide(model *m, int relation, int who) {
    if (!m->alive[who]) {
        return STOA_DEAD;
    }
    if (!person_may_go(m, relation, who)) {
        return STOA_REFUSED;
    }
    m->locked[who] = true;
    target_leaves(m, relation, who);
    m->locked[who] = false;
    return STOA_OK;
}
