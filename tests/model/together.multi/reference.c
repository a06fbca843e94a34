/* The reference: what things have, who points at whom, and who may die. */
#include "together.h"

const char *name_text(int name) {
    static const char *const texts[NAME_COUNT] = {"a",
                                                  "b",
                                                  "alpha",
                                                  "beta",
                                                  "gamma",
                                                  "\xc3\xa9t\xc3\xa9",
                                                  "n1",
                                                  "n2",
                                                  "n3",
                                                  "n4",
                                                  "a rather longer name than the others have here",
                                                  "x",
                                                  "root",
                                                  "wheel",
                                                  "A",
                                                  "a ",
                                                  "aa",
                                                  "n10",
                                                  "n11",
                                                  "hub",
                                                  "tree",
                                                  "unit",
                                                  "Parent",
                                                  "Name",
                                                  "0123456789abcdef",
                                                  "0123456789abcdeg",
                                                  "0123456",
                                                  "01234567"};
    return texts[name];
}

static Mat4 matrix_make(uint32_t v) {
    return stoa_mat4_multiply(
        stoa_mat4_translation((float)(v % 7) * 0.5f, (float)(v % 11), (float)(v % 3)),
        stoa_mat4_rotation(0, (float)(v % 2), 1, (float)(v % 5) * 0.3f));
}

bundle bundle_make(const op *o, int item) {
    uint32_t v = o->value + (uint32_t)item * 2654435761u;
    bundle b = {.plain = {(int32_t)(v % 40), (int32_t)(v >> 8 & 63)},
                .team = {(int32_t)((v >> 3) % TEAM_COUNT)},
                .heat = {(int32_t)((v >> 5) % NAME_COUNT)},
                .shield = {(int32_t)(v >> 7 & 63)},
                .name = (int)((v >> 9) % NAME_COUNT),
                .parent = o->b,
                .owner = (v & 4) != 0 ? o->b : o->a,
                .since = (int32_t)(v >> 4 & 255),
                .local = matrix_make(v >> 6),
                .place = matrix_make(v >> 10)};
    return b;
}

int thing_find(const run *r, stoa_entity e) {
    int number = e.index < THING_MAX ? r->numbers[e.index] : -1;
    return number >= 0 && stoa_entity_eq(r->things[number].handle, e) ? number : -1;
}

void thing_born(run *r, int number, stoa_entity handle) {
    thing *t = &r->things[number];
    *t = (thing){.handle = handle, .alive = true};
    r->numbers[handle.index] = number;
    r->live[r->live_count++] = number;
    if (number >= r->thing_count) {
        r->thing_count = number + 1;
    }
}

static int pair_find(const run *r, int source, int target) {
    for (int i = 0; i < r->like_count; i++) {
        if (r->likes[i].source == source && r->likes[i].target == target) {
            return i;
        }
    }
    return -1;
}

bool thing_links(const run *r, int source, int relation, int target) {
    const thing *t = &r->things[source];
    if (!t->alive || target < 0 || !r->things[target].alive) {
        return false;
    }
    if (relation == REL_LIKES) {
        return pair_find(r, source, target) >= 0;
    }
    return relation == REL_PARENT ? (t->has & BIT(PARENT)) != 0 && t->values.parent == target
                                  : (t->has & BIT(OWNER)) != 0 && t->values.owner == target;
}

int name_owner(const run *r, int name) {
    for (int i = 0; i < r->live_count; i++) {
        const thing *t = &r->things[r->live[i]];
        if ((t->has & BIT(NAME)) != 0 && t->values.name == name) {
            return r->live[i];
        }
    }
    return -1;
}

/* True if a thing is another one or above it. */
static bool above(const run *r, int upper, int lower) {
    while (lower >= 0 && lower != upper) {
        const thing *t = &r->things[lower];
        lower = (t->has & BIT(PARENT)) != 0 && t->alive ? t->values.parent : -1;
    }
    return lower >= 0;
}

uint32_t link_ask(const run *r, int relation, int source, int target) {
    if (target < 0 || !r->things[target].alive || (source >= 0 && !r->things[source].alive)) {
        return BIT(STOA_DEAD);
    }
    bool circle = relation == REL_PARENT && source >= 0 && above(r, source, target);
    return circle && !thing_links(r, source, relation, target) ? BIT(STOA_CYCLE) : 0;
}

uint32_t change_ask(const run *r, int who, const bundle *values, uint32_t put, uint32_t zero) {
    uint32_t refused = 0;
    if (who >= 0 && !r->things[who].alive) {
        return BIT(STOA_DEAD);
    }
    if ((put & BIT(NAME)) != 0) {
        int owner = name_owner(r, values->name);
        refused |= owner >= 0 && owner != who ? BIT(STOA_TAKEN) : 0;
    }
    if ((zero & BIT(NAME)) != 0) {
        refused |= BIT(STOA_INVALID) | BIT(STOA_NULL_ARGUMENT);
    }
    if ((put & BIT(PARENT)) != 0 && values->parent >= 0) {
        refused |= link_ask(r, REL_PARENT, who, values->parent);
    }
    if ((put & BIT(OWNER)) != 0 && values->owner >= 0) {
        refused |= link_ask(r, REL_OWNER, who, values->owner);
    }
    return refused;
}

/* What the hook of Heat does. */
static void heat_follow(run *r, int who) {
    thing *t = &r->things[who];
    int name = t->values.heat.degrees % NAME_COUNT;
    bool named = (t->has & BIT(NAME)) == 0 && name_owner(r, name) < 0;
    if (named && r->short_of_memory) {
        named = stoa_name(r->w, t->handle) != NULL;
    }
    if (named) {
        t->has |= BIT(NAME);
        t->values.name = name;
    }
}

/* What the hook of Owner does. */
static void owner_follow(run *r, int who) {
    const thing *t = &r->things[who];
    int target = t->values.owner;
    if ((t->has & BIT(OWNER)) == 0 || (t->values.since & 1) == 0 || target < 0 ||
        !r->things[target].alive || thing_links(r, who, REL_LIKES, target)) {
        return;
    }
    if (!r->short_of_memory ||
        stoa_relation_has(r->w, r->relations[REL_LIKES], t->handle, r->things[target].handle)) {
        r->likes[r->like_count++] = (pair){who, target};
    }
}

void values_put(bundle *to, const bundle *from, uint32_t put) {
#define PUT(kind, member)                                                                          \
    if ((put & BIT(kind)) != 0) {                                                                  \
        to->member = from->member;                                                                 \
    }
    PUT(PLAIN, plain)
    PUT(TEAM, team)
    PUT(HEAT, heat)
    PUT(SHIELD, shield)
    PUT(NAME, name)
    PUT(PARENT, parent)
    PUT(OWNER, owner)
    PUT(OWNER, since)
    PUT(LOCAL, local)
    PUT(PLACE, place)
#undef PUT
}

void change_apply(run *r, int who, const bundle *values, uint32_t put, uint32_t zero,
                  uint32_t drop) {
    static const bundle zeroed = {.parent = -1, .owner = -1};
    thing *t = &r->things[who];
    bool heated = ((put | zero) & BIT(HEAT)) != 0 && (t->has & BIT(HEAT)) == 0;
    if (((put | zero) & BIT(SHIELD)) != 0 && (t->has & BIT(SHIELD)) == 0) {
        t->off = false;
    }
    t->has &= ~drop;
    values_put(&t->values, values, put);
    values_put(&t->values, &zeroed, zero);
    t->has |= put | zero;
    if (heated) {
        heat_follow(r, who);
    }
    if ((put & BIT(OWNER)) != 0) {
        owner_follow(r, who);
    }
}

void link_apply(run *r, int relation, int source, int target) {
    thing *t = &r->things[source];
    if (thing_links(r, source, relation, target)) {
        return;
    }
    if (relation == REL_LIKES) {
        r->likes[r->like_count++] = (pair){source, target};
    } else if (relation == REL_PARENT) {
        t->has |= BIT(PARENT);
        t->values.parent = target;
    } else {
        t->values.since = (t->has & BIT(OWNER)) != 0 ? t->values.since : 0;
        t->has |= BIT(OWNER);
        t->values.owner = target;
        owner_follow(r, source);
    }
}

void unlink_apply(run *r, int relation, int source, int target) {
    thing *t = &r->things[source];
    for (int i = r->like_count - 1; relation == REL_LIKES && i >= 0; i--) {
        if (r->likes[i].source == source && (target < 0 || r->likes[i].target == target)) {
            r->likes[i] = r->likes[--r->like_count];
        }
    }
    if (relation != REL_LIKES && (target < 0 || thing_links(r, source, relation, target))) {
        t->has &= ~(relation == REL_PARENT ? BIT(PARENT) : BIT(OWNER));
    }
}

uint32_t goes_ask(const run *r, int who, int relation) {
    for (int k = 0; k < REL_COUNT; k++) {
        for (int i = 0; i < r->live_count; i++) {
            if ((relation < 0 || relation == k) && r->policies[k] == STOA_REFUSE &&
                thing_links(r, r->live[i], k, who)) {
                return BIT(STOA_REFUSED);
            }
        }
    }
    return 0;
}

void doom_begin(run *r) {
    memset(r->doomed, 0, (size_t)r->thing_count);
    r->locked = -1;
}

void doom(run *r, int who, bool dies, int relation) {
    if (who < 0 || !r->things[who].alive || (dies && (r->doomed[who] || who == r->locked))) {
        return;
    }
    const thing *t = &r->things[who];
    r->doomed[who] = r->doomed[who] || dies;
    for (int k = 0; k < REL_COUNT; k++) {
        for (int i = 0; i < r->live_count; i++) {
            if ((relation < 0 || relation == k) && r->policies[k] == STOA_CASCADE &&
                thing_links(r, r->live[i], k, who)) {
                doom(r, r->live[i], true, -1);
            }
        }
    }
    if (relation < 0 && (t->has & BIT(TEAM)) != 0 && t->values.team.team == TEAM_BOMB) {
        doom(r, who - 1 - who % 3, true, -1);
    }
}

/* Takes a link to one that died off a thing, unless something may have kept it. */
static void orphan_follow(run *r, int who, int kind, int target) {
    thing *t = &r->things[who];
    if ((t->has & BIT(kind)) == 0 || target < 0 || !r->died[target]) {
        return;
    }
    bool kept = who == r->locked || r->short_of_memory;
    bool has =
        kind == PARENT ? stoa_has(r->w, t->handle, Parent) : stoa_has(r->w, t->handle, Owner);
    if (!kept || !has) {
        t->has &= ~BIT(kind);
    }
}

void deaths_follow(run *r, bool exact) {
    exact = exact && r->policies[REL_PARENT] != STOA_REFUSE &&
            r->policies[REL_OWNER] != STOA_REFUSE && r->policies[REL_LIKES] != STOA_REFUSE;
    bool any = false;
    for (int i = r->live_count - 1; i >= 0; i--) {
        int number = r->live[i];
        bool lives = stoa_alive(r->w, r->things[number].handle);
        if (!lives && !r->doomed[number]) {
            run_blame(r, "t%d has died with no cause", number);
        } else if (lives && exact && r->doomed[number]) {
            run_blame(r, "t%d lives on", number);
        }
        if (!lives) {
            any = r->died[number] = true;
            r->things[number].alive = false;
            r->live[i] = r->live[--r->live_count];
        }
    }
    if (!any) {
        return;
    }
    for (int i = r->like_count - 1; i >= 0; i--) {
        if (r->died[r->likes[i].source] || r->died[r->likes[i].target]) {
            r->likes[i] = r->likes[--r->like_count];
        }
    }
    for (int i = 0; i < r->live_count; i++) {
        orphan_follow(r, r->live[i], PARENT, r->things[r->live[i]].values.parent);
        orphan_follow(r, r->live[i], OWNER, r->things[r->live[i]].values.owner);
    }
    memset(r->died, 0, (size_t)r->thing_count);
}

void sources_release(run *r, int who, int relation) {
    for (int k = 0; k < REL_COUNT; k++) {
        for (int i = 0; i < r->live_count; i++) {
            if ((relation < 0 || relation == k) && thing_links(r, r->live[i], k, who)) {
                unlink_apply(r, k, r->live[i], who);
            }
        }
    }
}

static bool placed(const run *r, int who) {
    return who >= 0 && r->things[who].alive &&
           (~r->things[who].has & (BIT(LOCAL) | BIT(PLACE))) == 0;
}

static Mat4 place_of(const run *r, int who) {
    const thing *t = &r->things[who];
    int parent = (t->has & BIT(PARENT)) != 0 ? t->values.parent : -1;
    return placed(r, parent) ? stoa_mat4_multiply(place_of(r, parent), t->values.local)
                             : t->values.local;
}

void transforms_follow(run *r) {
    for (int i = 0; i < r->live_count; i++) {
        if (placed(r, r->live[i])) {
            r->things[r->live[i]].values.place = place_of(r, r->live[i]);
        }
    }
}

int prefab_size(const run *r, const stoa_prefab *prefab) {
    return prefab == r->tree ? 4 : 1;
}

bundle prefab_values(const run *r, const stoa_prefab *prefab, int node, int first, uint32_t *has) {
    bundle b = {.plain = r->unit_plain, .team = {2}, .shield = {9}, .parent = -1, .owner = -1};
    *has = BIT(PLAIN) | BIT(TEAM) | BIT(SHIELD);
    if (prefab == r->variant) {
        b.plain = (Plain){30, 1};
        b.heat.degrees = 3;
        *has = BIT(PLAIN) | BIT(TEAM) | BIT(HEAT);
    } else if (prefab == r->tree && node == 0) {
        b.plain = (Plain){7, 7};
        b.local = matrix_make(4);
        *has = BIT(PLAIN) | BIT(LOCAL) | BIT(PLACE);
    } else if (prefab == r->tree && node == 1) {
        b.local = matrix_make(5);
        b.parent = first;
        *has = BIT(LOCAL) | BIT(PLACE) | BIT(PARENT);
    } else if (prefab == r->tree) {
        b.local = matrix_make((uint32_t)(4 + node));
        b.parent = first + 1;
        b.owner = first;
        *has |= BIT(LOCAL) | BIT(PLACE) | BIT(PARENT) | (node == 2 ? BIT(OWNER) : 0);
    }
    return b;
}
