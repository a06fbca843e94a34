/* Operations: each is made in the world, and in the reference if the world must have made it. */
#include "calls.h"

stoa_entity handle_of(const run *r, int number) {
    return number >= 0 ? r->things[number].handle : STOA_NULL;
}

void memory_begin(run *r, const op *o) {
    bool whole = o->kind == OP_WHOLE_SET || o->kind == OP_WHOLE_DESTROY || o->kind == OP_RECURSIVE;
    /* A tree that is not finished is destroyed again, which uses up handles. */
    bool tree = (o->kind == OP_PREFAB || o->kind == OP_PREFAB_BULK) && prefab_pick(r, o) == r->tree;
    r->weighed = !whole && !tree && !o->later && (o->fail != 0 || (o->value & 7) == 0);
    r->hash = r->weighed ? stoa_hash(r->w) : 0;
    r->s.heap.failed = 0;
    r->s.heap.fail_at = o->fail;
}

bool call_ends(run *r, stoa_status status, uint32_t refused, const char *what) {
    r->s.heap.fail_at = 0;
    r->short_of_memory = r->s.heap.failed != 0;
    if (r->weighed && status != STOA_OK && stoa_hash(r->w) != r->hash) {
        run_blame(r, "%s: failed (%s) and has changed something", what, stoa_last_error().message);
    }
    r->weighed = false;
    if (r->short_of_memory && status == STOA_NO_MEMORY) {
        return false;
    }
    bool right = refused == 0 ? status == STOA_OK : status != STOA_OK && (refused & BIT(status));
    if (!right) {
        run_blame(r, "%s: status %d (%s), expected by bit %#x", what, (int)status,
                  status != STOA_OK ? stoa_last_error().message : "", (unsigned)refused);
    }
    return right && refused == 0;
}

stoa_status status_of(stoa_entity e) {
    return stoa_entity_is_null(e) ? stoa_last_error().status : STOA_OK;
}

static bool refuses(const run *r) {
    return r->policies[REL_PARENT] == STOA_REFUSE || r->policies[REL_OWNER] == STOA_REFUSE ||
           r->policies[REL_LIKES] == STOA_REFUSE;
}

static void op_create(run *r, const op *o) {
    stoa_value values[KIND_COUNT];
    room own;
    bundle b = bundle_make(o, 0);
    int count = values_fill(r, &b, o->put, 0, 0, values, &own);
    uint32_t refused = change_ask(r, -1, &b, o->put, 0);
    memory_begin(r, o);
    stoa_entity e = stoa_create_values(r->w, values, count);
    if (call_ends(r, status_of(e), refused, "create")) {
        thing_born(r, o->make, e);
        change_apply(r, o->make, &b, o->put, 0, 0);
    }
}

/* Columns for the kinds that bulks are made of. */
typedef struct columns {
    Plain plain[MAKE_MAX];
    Team team[MAKE_MAX];
    Heat heat[MAKE_MAX];
    Shield shield[MAKE_MAX];
    Name name[MAKE_MAX];
    Parent parent[MAKE_MAX];
    Owner owner[MAKE_MAX];
    LocalTransform local[MAKE_MAX];
    WorldTransform place[MAKE_MAX];
} columns;

static void columns_fill(const run *r, columns *c, const bundle *b, int i) {
    c->plain[i] = b->plain;
    c->team[i] = b->team;
    c->heat[i] = b->heat;
    c->shield[i] = b->shield;
    c->name[i].text = name_text(b->name);
    c->parent[i].entity = handle_of(r, b->parent);
    c->owner[i] = (Owner){b->since, handle_of(r, b->owner)};
    c->local[i].matrix = b->local;
    c->place[i].matrix = b->place;
}

static void op_bulk(run *r, const op *o) {
    stoa_value values[KIND_COUNT];
    room own;
    columns c;
    bundle items[MAKE_MAX];
    stoa_entity made[MAKE_MAX];
    int n = 1 + (int)(o->value >> 2 & 3);
    uint32_t refused = 0;
    for (int i = 0; i < n; i++) {
        items[i] = bundle_make(o, i);
        items[i].parent = i % 2 == 0 ? o->b : i == 1 ? -1 : o->a;
        columns_fill(r, &c, &items[i], i);
        refused |= change_ask(r, -1, &items[i], o->put, 0);
        for (int k = 0; k < i && (o->put & BIT(NAME)) != 0; k++) {
            refused |= items[k].name == items[i].name ? BIT(STOA_TAKEN) : 0;
        }
    }
    int count = values_fill(r, &items[0], o->put, 0, 0, values, &own);
    const void *const data[KIND_COUNT] = {c.plain,  c.team,  c.heat,  c.shield, c.name,
                                          c.parent, c.owner, c.local, c.place};
    for (int kind = 0, k = 0; kind < KIND_COUNT; kind++) {
        if ((o->put & BIT(kind)) != 0) {
            values[k++].data = data[kind];
        }
    }
    memory_begin(r, o);
    stoa_status status = stoa_create_bulk_values(r->w, n, made, values, count);
    if (call_ends(r, status, refused, "bulk")) {
        for (int i = 0; i < n; i++) {
            thing_born(r, o->make + i, made[i]);
            r->things[o->make + i].has = o->put & ~BIT(HEAT);
            r->things[o->make + i].values = items[i];
        }
        for (int i = 0; i < n; i++) {
            change_apply(r, o->make + i, &items[i], o->put, 0, 0);
        }
    }
}

static void op_destroy(run *r, const op *o) {
    bool lives = r->things[o->a].alive;
    uint32_t refused = lives ? goes_ask(r, o->a, -1) : BIT(STOA_DEAD);
    if (refused == 0) {
        doom(r, o->a, true, -1);
    }
    memory_begin(r, o);
    stoa_status status = stoa_destroy(r->w, r->things[o->a].handle);
    if (call_ends(r, status, refused, "destroy") && stoa_alive(r->w, r->things[o->a].handle)) {
        run_blame(r, "what was destroyed lives");
    }
    deaths_follow(r, true);
}

static bool is_below(const run *r, int lower, int upper) {
    for (int n = lower; n >= 0;) {
        const thing *t = &r->things[n];
        n = (t->has & BIT(PARENT)) != 0 && t->alive ? t->values.parent : -1;
        if (n == upper) {
            return true;
        }
    }
    return false;
}

/* True if one that may die takes another one along that may be its parent. What is below that one
 * is then spared. */
static bool doomed_entangled(const run *r) {
    for (int i = 0; i < r->live_count; i++) {
        const thing *t = &r->things[r->live[i]];
        bool bomb = (t->has & BIT(TEAM)) != 0 && t->values.team.team == TEAM_BOMB;
        for (int k = 0; r->doomed[r->live[i]] && k < r->live_count; k++) {
            if (bomb || thing_links(r, r->live[i], REL_OWNER, r->live[k]) ||
                thing_links(r, r->live[i], REL_LIKES, r->live[k])) {
                return true;
            }
        }
    }
    return false;
}

static void op_recursive(run *r, const op *o) {
    bool lives = r->things[o->a].alive;
    for (int i = 0; lives && i < r->live_count; i++) {
        if (is_below(r, r->live[i], o->a)) {
            doom(r, r->live[i], true, -1);
        }
    }
    doom(r, o->a, true, -1);
    bool exact = !doomed_entangled(r);
    memory_begin(r, o);
    stoa_status status = stoa_destroy_recursive(r->w, r->things[o->a].handle);
    bool vetoed = lives && status == STOA_REFUSED && refuses(r);
    (void)call_ends(r, vetoed ? STOA_OK : status, lives ? 0 : BIT(STOA_DEAD), "destroy_recursive");
    deaths_follow(r, exact);
}

void op_clear(run *r, const op *o, bool now) {
    bool lives = r->things[o->a].alive;
    uint32_t refused = lives ? goes_ask(r, o->a, -1) : BIT(STOA_DEAD);
    r->locked = o->a;
    if (refused == 0) {
        doom(r, o->a, false, -1);
    }
    if (now) {
        stoa_status status = stoa_clear(r->w, r->things[o->a].handle);
        (void)call_ends(r, status, refused, "clear");
    } else {
        r->refused += refused != 0;
    }
    deaths_follow(r, true);
    if (refused == 0) {
        sources_release(r, o->a, -1);
        unlink_apply(r, REL_LIKES, o->a, -1);
        r->things[o->a].has = 0;
    }
}

static void op_clone(run *r, const op *o) {
    const thing *t = &r->things[o->a];
    uint32_t put = t->has & ~BIT(NAME);
    uint32_t refused = t->alive ? change_ask(r, -1, &t->values, put, 0) : BIT(STOA_DEAD);
    memory_begin(r, o);
    stoa_entity e = stoa_clone(r->w, t->handle);
    if (call_ends(r, status_of(e), refused, "clone")) {
        bundle values = t->values;
        bool off = t->off;
        thing_born(r, o->make, e);
        change_apply(r, o->make, &values, put, 0, 0);
        r->things[o->make].off = off;
    }
}

/* Marks who dies if a thing loses what is dropped. */
static void team_doom(run *r, int who, uint32_t drop) {
    const thing *t = &r->things[who];
    r->locked = who;
    if (t->alive && (drop & t->has & BIT(TEAM)) != 0 && t->values.team.team == TEAM_BOMB) {
        doom(r, who - 1 - who % 3, true, -1);
    }
}

void change_parts(const run *r, const op *o, uint32_t *put, uint32_t *zero, uint32_t *drop) {
    uint32_t zeroed = o->value >> 13 & ~BIT(NAME);
    const thing *t = &r->things[o->a];
    uint32_t first = o->put & (~o->put + 1);
    *put = o->kind == OP_CHANGE ? o->put & ~zeroed : o->kind == OP_SET ? first : 0;
    *zero = o->kind == OP_CHANGE                         ? o->put & zeroed
            : o->kind == OP_ADD && (t->has & first) == 0 ? first
                                                         : 0;
    *drop = o->kind == OP_CHANGE ? o->drop & ~o->put : o->kind == OP_REMOVE ? first : 0;
}

static stoa_status change_call(run *r, const op *o, const bundle *b) {
    stoa_value values[KIND_COUNT];
    room own;
    uint32_t put, zero, drop;
    stoa_entity e = r->things[o->a].handle;
    change_parts(r, o, &put, &zero, &drop);
    if (o->kind != OP_CHANGE) {
        put = o->put & (~o->put + 1);
        zero = drop = 0;
    }
    int count = values_fill(r, b, put, zero, drop, values, &own);
    switch (o->kind) {
    case OP_SET:
        return stoa_set_type(r->w, e, values[0].type, values[0].data);
    case OP_ADD:
        return stoa_add_type(r->w, e, values[0].type);
    case OP_REMOVE:
        return stoa_remove_type(r->w, e, values[0].type);
    default:
        return stoa_change_values(r->w, e, values, count);
    }
}

static void op_change(run *r, const op *o) {
    uint32_t put, zero, drop;
    bundle b = bundle_make(o, 0);
    change_parts(r, o, &put, &zero, &drop);
    uint32_t refused = change_ask(r, o->a, &b, put, zero);
    if (refused == 0) {
        team_doom(r, o->a, drop);
    }
    memory_begin(r, o);
    bool changed = call_ends(r, change_call(r, o, &b), refused, "change");
    deaths_follow(r, changed);
    if (changed) {
        change_apply(r, o->a, &b, put, zero, drop);
        /* What was asked about may have died since: the link is a loose one, or is gone. */
        thing *t = &r->things[o->a];
        if ((put & BIT(PARENT)) != 0 && b.parent >= 0 && !r->things[b.parent].alive &&
            !stoa_has(r->w, t->handle, Parent)) {
            t->has &= ~BIT(PARENT);
        }
        if ((put & BIT(OWNER)) != 0 && b.owner >= 0 && !r->things[b.owner].alive &&
            !stoa_has(r->w, t->handle, Owner)) {
            t->has &= ~BIT(OWNER);
        }
    }
}

static void op_name(run *r, const op *o) {
    bundle b = bundle_make(o, 0);
    bool takes = (o->value & 7) == 0;
    uint32_t refused = change_ask(r, o->a, &b, takes ? 0 : BIT(NAME), 0);
    memory_begin(r, o);
    stoa_status status =
        stoa_name_set(r->w, r->things[o->a].handle, takes ? NULL : name_text(b.name));
    if (call_ends(r, status, refused, "name_set")) {
        change_apply(r, o->a, &b, takes ? 0 : BIT(NAME), 0, takes ? BIT(NAME) : 0);
    }
}

static void op_require(run *r, const op *o) {
    bundle b = bundle_make(o, 0);
    int owner = name_owner(r, b.name);
    memory_begin(r, o);
    stoa_entity e = stoa_require(r->w, name_text(b.name));
    if (!call_ends(r, status_of(e), 0, "require")) {
        return;
    }
    if (owner < 0) {
        thing_born(r, o->make, e);
        change_apply(r, o->make, &b, BIT(NAME), 0, 0);
    } else if (!stoa_entity_eq(e, r->things[owner].handle)) {
        run_blame(r, "require found another one than t%d", owner);
    }
}

static void op_link(run *r, const op *o) {
    int relation = (int)(o->value % REL_COUNT);
    stoa_entity source = handle_of(r, o->a), target = handle_of(r, o->b);
    uint32_t refused = link_ask(r, relation, o->a, o->b);
    memory_begin(r, o);
    stoa_status status = relation == REL_PARENT && (o->value & 8) != 0
                             ? stoa_set_parent(r->w, source, target)
                             : stoa_relation_add(r->w, r->relations[relation], source, target);
    if (call_ends(r, status, refused, "relation_add")) {
        link_apply(r, relation, o->a, o->b);
    }
}

static void op_unlink(run *r, const op *o) {
    int relation = (int)(o->value % REL_COUNT);
    stoa_entity source = handle_of(r, o->a), target = handle_of(r, o->b);
    memory_begin(r, o);
    stoa_status status = relation == REL_PARENT && o->b < 0
                             ? stoa_remove_parent(r->w, source)
                             : stoa_relation_remove(r->w, r->relations[relation], source, target);
    uint32_t refused = r->things[o->a].alive ? 0 : BIT(STOA_DEAD);
    if (call_ends(r, status, refused, "relation_remove")) {
        unlink_apply(r, relation, o->a, o->b);
    }
}

/* Takes off the component that shows a list. */
static void op_hide(run *r, const op *o) {
    stoa_entity e = handle_of(r, o->a);
    bool likes = (o->value & 1) != 0, lives = r->things[o->a].alive;
    uint32_t refused = !lives ? BIT(STOA_DEAD) : likes ? 0 : goes_ask(r, o->a, REL_PARENT);
    r->locked = o->a;
    if (refused == 0 && !likes) {
        doom(r, o->a, false, REL_PARENT);
    }
    stoa_status status = likes ? stoa_remove(r->w, e, Likes) : stoa_remove(r->w, e, Children);
    (void)call_ends(r, status, refused, "remove of a list");
    deaths_follow(r, true);
    if (refused == 0 && likes) {
        unlink_apply(r, REL_LIKES, o->a, -1);
    } else if (refused == 0) {
        sources_release(r, o->a, REL_PARENT);
    }
}

static void op_policy(run *r, const op *o) {
    int relation = (int)(o->value % REL_COUNT);
    stoa_relation_policy policy = (stoa_relation_policy)((o->value >> 4) % 3);
    stoa_status status = relation == REL_PARENT
                             ? stoa_hierarchy_policy(r->w, policy)
                             : stoa_relation_policy_set(r->w, r->relations[relation], policy);
    if (call_ends(r, status, 0, "policy")) {
        r->policies[relation] = policy;
    }
}

static void op_enable(run *r, const op *o) {
    thing *t = &r->things[o->a];
    bool on = (o->value & 1) != 0;
    uint32_t refused = !t->alive                     ? BIT(STOA_DEAD)
                       : (t->has & BIT(SHIELD)) == 0 ? BIT(STOA_MISSING)
                                                     : 0;
    memory_begin(r, o);
    if (call_ends(r, stoa_enable(r->w, t->handle, Shield, on), refused, "enable")) {
        t->off = !on;
    }
}

void op_run(run *r, const op *given) {
    static void (*const calls[OP_COUNT])(run *, const op *) = {
        [OP_CREATE] = op_create,
        [OP_BULK] = op_bulk,
        [OP_DESTROY] = op_destroy,
        [OP_RECURSIVE] = op_recursive,
        [OP_CLONE] = op_clone,
        [OP_SET] = op_change,
        [OP_ADD] = op_change,
        [OP_REMOVE] = op_change,
        [OP_CHANGE] = op_change,
        [OP_NAME] = op_name,
        [OP_REQUIRE] = op_require,
        [OP_LINK] = op_link,
        [OP_UNLINK] = op_unlink,
        [OP_HIDE] = op_hide,
        [OP_POLICY] = op_policy,
        [OP_ENABLE] = op_enable,
        [OP_WRITE] = op_write,
        [OP_WALK] = op_walk,
        [OP_WHOLE_SET] = op_whole_set,
        [OP_WHOLE_REMOVE] = op_whole_remove,
        [OP_WHOLE_DESTROY] = op_whole_destroy,
        [OP_PREFAB] = op_prefab,
        [OP_PREFAB_BULK] = op_prefab_bulk,
        [OP_PREFAB_CHANGE] = op_prefab_change,
        [OP_SORT] = op_sort,
        [OP_COMPACT] = op_compact,
        [OP_PROPAGATE] = op_propagate,
        [OP_FLUSH] = later_flush,
        [OP_FORBIDDEN] = op_forbidden,
    };
    op o = *given;
    /* A shorter trace may lack who is named. */
    if (o.b >= 0 && stoa_entity_is_null(r->things[o.b].handle)) {
        o.b = -1;
    }
    if (o.a >= 0 && stoa_entity_is_null(r->things[o.a].handle)) {
        return;
    }
    doom_begin(r);
    r->short_of_memory = r->weighed = false;
    if (o.later) {
        later_record(r, &o);
    } else if (o.kind == OP_CLEAR) {
        op_clear(r, &o, true);
    } else {
        calls[o.kind](r, &o);
    }
    r->s.heap.fail_at = 0;
    doom_begin(r);
}
