/* The world of a run: components, relations, indexes, prefabs and hooks that react. */
#include "together.h"

#include <stdlib.h>

/* Who gets hot is given a name, if it has none. */
static void heat_added(stoa_world *w, stoa_entity e, void *value, void *user) {
    (void)user;
    int name = ((const Heat *)value)->degrees % NAME_COUNT;
    if (!stoa_has(w, e, Name)) {
        (void)stoa_name_set(w, e, name_text(name));
    }
}

/* Who loses a certain team takes another one along. */
static void team_removed(stoa_world *w, stoa_entity e, void *value, void *user) {
    const run *r = user;
    int number = thing_find(r, e);
    if (number < 0 || ((const Team *)value)->team != TEAM_BOMB || stoa_world_ending(w)) {
        return;
    }
    int victim = number - 1 - number % 3;
    if (victim >= 0 && stoa_alive(w, r->things[victim].handle)) {
        (void)stoa_destroy(w, r->things[victim].handle);
    }
}

/* Who gets an owner likes it, now and then. */
static void owner_set(stoa_world *w, stoa_entity e, void *value, void *user) {
    const run *r = user;
    Owner owner = *(const Owner *)value;
    if ((owner.since & 1) != 0 && !stoa_entity_is_null(owner.entity)) {
        (void)stoa_relation_add(w, r->relations[REL_LIKES], e, owner.entity);
    }
}

static void watch_enter(stoa_world *w, stoa_entity e, void *user) {
    (void)w;
    (void)e;
    ((run *)user)->watching++;
}

static void watch_leave(stoa_world *w, stoa_entity e, void *user) {
    (void)w;
    (void)e;
    ((run *)user)->watching--;
}

static void hooks_open(run *r) {
    stoa_on_add(r->w, Heat, heat_added, r);
    stoa_on_remove(r->w, Team, team_removed, r);
    stoa_on_set(r->w, Owner, owner_set, r);
    if (r->watched) {
        stoa_hook watch = stoa_observe(
            r->w, &(stoa_observer_desc){.query = {.terms = {STOA_READ(Team), STOA_WITHOUT(Heat)}},
                                        .enter = watch_enter,
                                        .leave = watch_leave,
                                        .user = r});
        assert_int_not_equal(watch.id, 0);
    }
}

static void prefabs_open(run *r) {
    uint32_t has;
    r->unit_plain = (Plain){1, 2};
    r->unit = stoa_prefab_new(r->w, &(stoa_prefab_desc){.name = "unit"});
    stoa_prefab_set(r->unit, Plain, {1, 2});
    stoa_prefab_set(r->unit, Team, {2});
    stoa_prefab_set(r->unit, Shield, {9});
    r->variant = stoa_prefab_new(r->w, &(stoa_prefab_desc){.name = "variant", .base = r->unit});
    stoa_prefab_set(r->variant, Plain, {30, 1});
    stoa_prefab_set(r->variant, Heat, {3});
    stoa_prefab_remove(r->variant, Shield);
    r->wheel = stoa_prefab_new(r->w, NULL);
    r->tree = stoa_prefab_new(r->w, NULL);
    stoa_prefab_add(r->wheel, WorldTransform);
    assert_int_equal(stoa_prefab_child(r->wheel, r->unit), 1);
    stoa_prefab_add(r->tree, WorldTransform);
    stoa_prefab_set(r->tree, Plain, {7, 7});
    assert_int_equal(stoa_prefab_child(r->tree, r->wheel), 1);
    assert_int_equal(stoa_prefab_child(r->tree, r->unit), 2);
    LocalTransform locals[4];
    for (int i = 0; i < 4; i++) {
        locals[i].matrix = prefab_values(r, r->tree, i, 0, &has).local;
    }
    stoa_prefab_set_from(r->tree, LocalTransform, &locals[0]);
    stoa_prefab_set_from(r->wheel, LocalTransform, &locals[1]);
    const stoa_value hub[] = {STOA_VALUE(Parent, {stoa_prefab_node(0)}),
                              STOA_VALUE_FROM(LocalTransform, &locals[3]),
                              STOA_ZERO(WorldTransform)};
    const stoa_value wheel[] = {STOA_VALUE(Parent, {stoa_prefab_node(0)})};
    const stoa_value unit[] = {
        STOA_VALUE(Parent, {stoa_prefab_node(1)}), STOA_VALUE(Owner, {0, stoa_prefab_node(0)}),
        STOA_VALUE_FROM(LocalTransform, &locals[2]), STOA_ZERO(WorldTransform)};
    assert_int_equal(stoa_prefab_node_set_values(r->wheel, 1, hub, 3), STOA_OK);
    assert_int_equal(stoa_prefab_node_set_values(r->tree, 1, wheel, 1), STOA_OK);
    assert_int_equal(stoa_prefab_node_set_values(r->tree, 2, unit, 4), STOA_OK);
    assert_int_equal(stoa_prefab_entity_count(r->tree), 4);
}

void run_open(run *r, uint32_t seed) {
    r->crowd = 8 + (int)(seed % 8) * 8;
    r->watched = seed % 3 == 0;
    support_world_open_with(&r->s, 16384);
    stoa_world *w = r->w = r->s.world;
    r->things = calloc(THING_MAX, sizeof *r->things);
    r->recorded = calloc(THING_MAX, sizeof *r->recorded);
    assert_true(r->things != NULL && r->recorded != NULL);
    memset(r->numbers, -1, sizeof r->numbers);
    r->locked = -1;
    assert_int_not_equal(stoa_id(w, Name), 0);
    assert_int_not_equal(stoa_id(w, Parent), 0);
    r->relations[REL_PARENT] = stoa_relation_find(w, "Parent");
    r->relations[REL_OWNER] = stoa_relation_new(
        w, &(stoa_relation_desc){.type = STOA_TYPE_OF(Owner), .policy = STOA_CASCADE});
    r->relations[REL_LIKES] =
        stoa_relation_new(w, &(stoa_relation_desc){.type = STOA_TYPE_OF(Likes), .many = true});
    r->policies[REL_OWNER] = STOA_CASCADE;
    r->teams = stoa_index_on(w, Team, team);
    r->ranks = stoa_index_ordered_on(w, Plain, a);
    assert_true(r->relations[REL_OWNER].id != 0 && r->relations[REL_LIKES].id != 0);
    assert_true(r->teams != NULL && r->ranks != NULL);
    r->plains = stoa_query_new(w, &(stoa_query_desc){.terms = {STOA_WRITE(Plain)}});
    r->shields =
        stoa_query_new(w, &(stoa_query_desc){.terms = {STOA_READ(Shield), STOA_WRITE(Plain)}});
    r->hots =
        stoa_query_new(w, &(stoa_query_desc){.terms = {STOA_WRITE(Heat), STOA_WITHOUT(Plain)}});
    r->locals = stoa_query_new(w, &(stoa_query_desc){.terms = {STOA_WRITE(LocalTransform)}});
    assert_int_not_equal(stoa_id(w, WorldTransform), 0);
    hooks_open(r);
    prefabs_open(r);
}

void run_close(run *r) {
    stoa_world_free(r->w);
    if (r->s.heap.bytes != 0 || r->s.heap.blocks != 0) {
        run_blame(r, "%zu bytes are left", r->s.heap.bytes);
    }
    free(r->things);
    free(r->recorded);
}

static stoa_entity handle_of(const run *r, int number) {
    return number >= 0 ? r->things[number].handle : STOA_NULL;
}

int values_fill(const run *r, const bundle *from, uint32_t put, uint32_t zero, uint32_t drop,
                stoa_value *values, room *own) {
    static stoa_type *const types[KIND_COUNT] = {
        STOA_TYPE_OF(Plain),  STOA_TYPE_OF(Team),           STOA_TYPE_OF(Heat),
        STOA_TYPE_OF(Shield), STOA_TYPE_OF(Name),           STOA_TYPE_OF(Parent),
        STOA_TYPE_OF(Owner),  STOA_TYPE_OF(LocalTransform), STOA_TYPE_OF(WorldTransform)};
    own->name.text = name_text(from->name);
    own->parent.entity = handle_of(r, from->parent);
    own->owner = (Owner){from->since, handle_of(r, from->owner)};
    own->local.matrix = from->local;
    own->place.matrix = from->place;
    const void *const data[KIND_COUNT] = {&from->plain,  &from->team, &from->heat,
                                          &from->shield, &own->name,  &own->parent,
                                          &own->owner,   &own->local, &own->place};
    int count = 0;
    for (int kind = 0; kind < KIND_COUNT; kind++) {
        if (((put | zero | drop) & BIT(kind)) != 0) {
            values[count++] = (stoa_value){.type = types[kind],
                                           .data = (put & BIT(kind)) != 0 ? data[kind] : NULL,
                                           .op = (drop & BIT(kind)) != 0 ? STOA_DROP : STOA_PUT};
        }
    }
    return count;
}
