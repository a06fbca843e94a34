/* Operations on many at once: iterations that write, whole queries, sorting, transforms. */
#include "calls.h"

void op_write(run *r, const op *o) {
    thing *t = &r->things[o->a];
    bundle b = bundle_make(o, 0);
    void *p = NULL;
    int kind = (int)(o->value >> 12) % KIND_COUNT;
    stoa_component ids[KIND_COUNT] = {
        stoa_id(r->w, Plain),  stoa_id(r->w, Team),           stoa_id(r->w, Heat),
        stoa_id(r->w, Shield), stoa_id(r->w, Name),           stoa_id(r->w, Parent),
        stoa_id(r->w, Owner),  stoa_id(r->w, LocalTransform), stoa_id(r->w, WorldTransform)};
    bool fixed = (BIT(kind) & (BIT(TEAM) | BIT(NAME) | BIT(PARENT) | BIT(OWNER))) != 0;
    bool there = t->alive && (t->has & BIT(kind)) != 0;
    uint32_t refused = there && !fixed ? 0
                       : fixed         ? BIT(STOA_ACCESS) | BIT(STOA_DEAD) | BIT(STOA_MISSING)
                       : t->alive      ? BIT(STOA_MISSING)
                                       : BIT(STOA_DEAD);
    p = stoa_get_mut_id(r->w, t->handle, ids[kind]);
    if (!call_ends(r, p != NULL ? STOA_OK : stoa_last_error().status, refused, "get_mut")) {
        return;
    }
    room own = {.local = {b.local}, .place = {b.place}};
    const void *const from[KIND_COUNT] = {[PLAIN] = &b.plain,
                                          [HEAT] = &b.heat,
                                          [SHIELD] = &b.shield,
                                          [LOCAL] = &own.local,
                                          [PLACE] = &own.place};
    void *const to[KIND_COUNT] = {[PLAIN] = &t->values.plain,
                                  [HEAT] = &t->values.heat,
                                  [SHIELD] = &t->values.shield,
                                  [LOCAL] = &t->values.local,
                                  [PLACE] = &t->values.place};
    size_t size = kind == PLAIN ? sizeof(Plain) : kind >= LOCAL ? sizeof(Mat4) : sizeof(int32_t);
    memcpy(p, from[kind], size);
    memcpy(to[kind], from[kind], size);
}

/* What is refused in an iteration changes nothing. */
static void walk_tries(run *r, const op *o, stoa_entity e) {
    int32_t asserts = r->s.asserts;
    stoa_status status = STOA_ITERATING;
    switch (o->value >> 16 & 7) {
    case 0:
        status = stoa_name_set(r->w, e, "in an iteration");
        break;
    case 1:
        status = stoa_destroy(r->w, e);
        break;
    case 2:
        status = status_of(stoa_prefab_instantiate(r->tree));
        break;
    case 3:
        status = stoa_relation_add(r->w, r->relations[REL_LIKES], e, e);
        break;
    case 4:
        status = stoa_sort_key(r->w, Plain, "a", STOA_ASCENDING);
        break;
    case 5:
        status = stoa_propagate_transforms(r->w);
        break;
    case 6:
        status = stoa_has(r->w, e, Team) ? stoa_set(r->w, e, Team, {1}) : STOA_ITERATING;
        break;
    default:
        (void)stoa_index_count(r->ranks, STOA_KEY(int32_t, 3));
        break;
    }
    if (status != STOA_ITERATING &&
        !(status == STOA_OK && (o->value >> 16 & 7) == 3 &&
          thing_links(r, thing_find(r, e), REL_LIKES, thing_find(r, e)))) {
        run_blame(r, "status %d in an iteration", (int)status);
    }
    (void)asserts;
}

static stoa_query *query_pick(const run *r, const op *o) {
    stoa_query *const queries[4] = {r->plains, r->shields, r->hots, r->locals};
    return queries[o->value >> 20 & 3];
}

static bool query_meets(const run *r, const stoa_query *query, int number) {
    const thing *t = &r->things[number];
    if (query == r->plains) {
        return (t->has & BIT(PLAIN)) != 0;
    }
    if (query == r->shields) {
        return (~t->has & (BIT(SHIELD) | BIT(PLAIN))) == 0 && !t->off;
    }
    return query == r->hots ? (t->has & (BIT(HEAT) | BIT(PLAIN))) == BIT(HEAT)
                            : (t->has & BIT(LOCAL)) != 0;
}

static void walk_write(const run *r, const op *o, stoa_query *query, Plain *plain, Heat *heat,
                       Mat4 *local) {
    if (query == r->plains) {
        plain->a = (int32_t)(((uint32_t)plain->a * 3 + (o->value & 31)) % 40);
    } else if (query == r->shields) {
        plain->a = 39 - plain->a;
    } else if (query == r->hots) {
        heat->degrees = (heat->degrees + 1) % NAME_COUNT;
    } else {
        local->m[12] += 1;
    }
}

void op_walk(run *r, const op *o) {
    stoa_query *query = query_pick(r, o);
    bool some = (o->value & 64) != 0; /* every other row only */
    stoa_iter it = stoa_query_iter(query);
    while (stoa_iter_next(&it)) {
        for (int32_t i = 0; i < it.count; i++) {
            int number = thing_find(r, it.entities[i]);
            if (i == 0) {
                walk_tries(r, o, it.entities[i]);
            }
            if (number < 0 || !query_meets(r, query, number)) {
                run_blame(r, "a query meets t%d", number);
                stoa_iter_end(&it);
                return;
            }
            if (some && number % 2 == 0) {
                continue;
            }
            thing *t = &r->things[number];
            Plain *plain = query == r->plains    ? stoa_field_at_mut(&it, Plain, 0, i)
                           : query == r->shields ? stoa_field_at_mut(&it, Plain, 1, i)
                                                 : NULL;
            Heat *heat = query == r->hots ? stoa_field_at_mut(&it, Heat, 0, i) : NULL;
            LocalTransform *local =
                query == r->locals ? stoa_field_at_mut(&it, LocalTransform, 0, i) : NULL;
            walk_write(r, o, query, plain, heat, local != NULL ? &local->matrix : NULL);
            walk_write(r, o, query, &t->values.plain, &t->values.heat, &t->values.local);
        }
    }
}

/* The things that a query matches. */
static int query_list(const run *r, const stoa_query *query, int *list) {
    int count = 0;
    for (int i = 0; i < r->live_count; i++) {
        if (query_meets(r, query, r->live[i])) {
            list[count++] = r->live[i];
        }
    }
    return count;
}

/* One of several was refused: those before it are done, the rest is as it was. */
static bool whole_did(const run *r, int number, int kind, int target) {
    const thing *t = &r->things[number];
    stoa_entity e = STOA_NULL;
    if (kind == PARENT && stoa_has(r->w, t->handle, Parent)) {
        e = stoa_get(r->w, t->handle, Parent)->entity;
    } else if (kind == OWNER && stoa_has(r->w, t->handle, Owner)) {
        e = stoa_get(r->w, t->handle, Owner)->entity;
    }
    return stoa_entity_eq(e, r->things[target].handle);
}

void op_whole_set(run *r, const op *o) {
    static const int kinds[8] = {PLAIN, TEAM, SHIELD, LOCAL, PARENT, OWNER, PARENT, TEAM};
    static int list[THING_MAX];
    int kind = kinds[o->value >> 12 & 7];
    stoa_query *query = query_pick(r, o);
    stoa_value values[KIND_COUNT];
    room own;
    bundle b = bundle_make(o, 0);
    b.owner = b.parent;
    int count = query_list(r, query, list);
    uint32_t refused = 0;
    for (int i = 0; i < count; i++) {
        refused |= change_ask(r, list[i], &b, BIT(kind), 0);
    }
    (void)values_fill(r, &b, BIT(kind), 0, 0, values, &own);
    memory_begin(r, o);
    stoa_status status = stoa_query_set_type(query, values[0].type, values[0].data);
    bool whole = call_ends(r, status, refused, "query_set");
    bool part = !whole && (kind == PARENT || kind == OWNER) && b.parent >= 0;
    for (int i = 0; i < count; i++) {
        if (whole || (part && change_ask(r, list[i], &b, BIT(kind), 0) == 0 &&
                      whole_did(r, list[i], kind, b.parent))) {
            change_apply(r, list[i], &b, BIT(kind), 0, 0);
        }
    }
}

void op_whole_remove(run *r, const op *o) {
    static const int kinds[8] = {SHIELD, OWNER, PARENT, TEAM, NAME, HEAT, PLACE, TEAM};
    static stoa_type *const types[KIND_COUNT] = {
        [SHIELD] = STOA_TYPE_OF(Shield),       [OWNER] = STOA_TYPE_OF(Owner),
        [PARENT] = STOA_TYPE_OF(Parent),       [TEAM] = STOA_TYPE_OF(Team),
        [NAME] = STOA_TYPE_OF(Name),           [HEAT] = STOA_TYPE_OF(Heat),
        [PLACE] = STOA_TYPE_OF(WorldTransform)};
    static int list[THING_MAX];
    int kind = kinds[o->value >> 12 & 7];
    stoa_query *query = query_pick(r, o);
    int count = query_list(r, query, list);
    bool bombs = false;
    for (int i = 0; i < count; i++) {
        const thing *t = &r->things[list[i]];
        if (kind == TEAM && (t->has & BIT(TEAM)) != 0 && t->values.team.team == TEAM_BOMB) {
            doom(r, list[i] - 1 - list[i] % 3, true, -1);
            bombs = true;
        }
    }
    stoa_status status = stoa_query_remove_type(query, types[kind]);
    (void)call_ends(r, status, 0, "query_remove");
    /* Whoever was being told of could not be taken along, and may have kept its link. */
    r->short_of_memory = bombs;
    deaths_follow(r, !bombs);
    for (int i = 0; i < count; i++) {
        if (r->things[list[i]].alive) {
            r->things[list[i]].has &= ~BIT(kind);
        }
    }
}

void op_whole_destroy(run *r, const op *o) {
    static int list[THING_MAX];
    int count = query_list(r, r->hots, list);
    bool vetoed = false;
    for (int i = 0; i < count; i++) {
        doom(r, list[i], true, -1);
    }
    for (int k = 0; k < REL_COUNT; k++) {
        vetoed = vetoed || r->policies[k] == STOA_REFUSE;
    }
    memory_begin(r, o);
    stoa_status status = stoa_query_destroy(r->hots);
    bool done =
        call_ends(r, vetoed && status == STOA_REFUSED ? STOA_OK : status, 0, "query_destroy");
    deaths_follow(r, done);
}

static int heat_compare(const void *a, const void *b, void *user) {
    (void)user;
    int32_t x = ((const Heat *)a)->degrees, y = ((const Heat *)b)->degrees;
    return (x > y) - (x < y);
}

static int plain_compare(const void *a, const void *b, void *user) {
    (void)user;
    int32_t x = ((const Plain *)a)->a, y = ((const Plain *)b)->a;
    return (x > y) - (x < y);
}

static void plains_in_order(run *r) {
    for (int32_t id = 1; id < stoa_archetype_count(r->w); id++) {
        stoa_archetype_info info;
        stoa_archetype_info_get(r->w, id, &info);
        int32_t last = INT32_MIN;
        for (int32_t c = 0; c < info.chunk_count; c++) {
            stoa_chunk_info chunk;
            stoa_chunk_info_get(r->w, id, c, &chunk);
            for (int32_t i = 0; i < chunk.count && stoa_has(r->w, chunk.entities[i], Plain); i++) {
                int32_t a = stoa_get(r->w, chunk.entities[i], Plain)->a;
                if (a < last) {
                    run_blame(r, "rows are out of order after a sort");
                }
                last = a;
            }
        }
    }
}

void op_sort(run *r, const op *o) {
    stoa_status status = STOA_OK;
    uint32_t which = (o->value >> 3) % 6;
    memory_begin(r, o);
    switch (which) {
    case 0:
        status = stoa_sort_key(r->w, Plain, "a", STOA_ASCENDING);
        break;
    case 1:
        status = stoa_sort(r->w, Plain, plain_compare, NULL);
        break;
    case 2:
        status = stoa_sort(r->w, Heat, heat_compare, NULL);
        break;
    case 3:
        status = stoa_sort_key(r->w, Team, "team", STOA_DESCENDING);
        break;
    case 4:
        status = stoa_sort_key(r->w, Parent, "entity", STOA_ASCENDING);
        break;
    default:
        status = stoa_sort_key(r->w, LocalTransform, "matrix[12]", STOA_DESCENDING);
        break;
    }
    if (call_ends(r, status, 0, "sort") && which < 2) {
        plains_in_order(r);
    }
}

void op_compact(run *r, const op *o) {
    memory_begin(r, o);
    (void)call_ends(r, stoa_compact(r->w), 0, "compact");
}

void op_propagate(run *r, const op *o) {
    memory_begin(r, o);
    if (call_ends(r, stoa_propagate_transforms(r->w), 0, "propagate_transforms")) {
        transforms_follow(r);
    }
}

void op_forbidden(run *r, const op *o) {
    stoa_entity e = handle_of(r, o->a), other = handle_of(r, o->b);
    stoa_status status = STOA_OK;
    uint32_t refused = BIT(STOA_REFUSED) | (r->things[o->a].alive ? 0 : BIT(STOA_DEAD));
    Children forged = {&other, 1};
    Name name = {"never"};
    switch (o->value >> 6 & 7) {
    case 0:
        status = stoa_set_from(r->w, e, Children, &forged);
        break;
    case 1:
        status = stoa_set(r->w, e, Likes, {&other, 1});
        break;
    case 2:
        refused = BIT(STOA_CYCLE) | BIT(STOA_DEAD);
        status = stoa_set_parent(r->w, e, e);
        break;
    case 3:
        status = stoa_prefab_set_from(r->unit, Name, &name);
        break;
    case 4:
        refused = BIT(STOA_INVALID) | BIT(STOA_DEAD);
        status = stoa_name_set(r->w, e, (o->value & 1) != 0 ? "" : "\xff");
        break;
    case 5:
        status = stoa_create_bulk(r->w, 2, NULL, STOA_SAME(Children, {NULL, 0}), STOA_ZERO(Plain));
        break;
    case 6:
        status = stoa_query_set(r->plains, Likes, {NULL, 0});
        refused |= stoa_query_count(r->plains) == 0 ? 0 : BIT(STOA_REFUSED);
        if (stoa_query_count(r->plains) == 0) {
            return;
        }
        break;
    default:
        status = status_of(stoa_create_with(r->w, STOA_ZERO(Plain), STOA_VALUE(Name, {"never"}),
                                            STOA_VALUE(Children, {NULL, 0})));
        break;
    }
    (void)call_ends(r, status, refused, "what is forbidden");
}
