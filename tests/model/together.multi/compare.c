/* Comparing: what the world says of everything, and what the reference does. */
#include "together.h"

#define DIFFER(...)                                                                                \
    do {                                                                                           \
        run_blame(r, __VA_ARGS__);                                                                 \
        return;                                                                                    \
    } while (0)

/* The handle that a link component must say. */
static stoa_entity target_of(const run *r, int number) {
    return number >= 0 ? r->things[number].handle : STOA_NULL;
}

static void values_compare(run *r, int number) {
    const thing *t = &r->things[number];
    const bundle *v = &t->values;
    stoa_entity e = t->handle;
#define SAME(kind, T, expected)                                                                    \
    if (stoa_has(r->w, e, T) != ((t->has & BIT(kind)) != 0)) {                                     \
        DIFFER("t%d %s " #T, number, stoa_has(r->w, e, T) ? "has" : "has no");                     \
    }                                                                                              \
    if ((t->has & BIT(kind)) != 0 && memcmp(stoa_get(r->w, e, T), expected, sizeof(T)) != 0) {     \
        DIFFER("the " #T " of t%d differs", number);                                               \
    }
    Parent parent = {target_of(r, v->parent)};
    Owner owner = {v->since, target_of(r, v->owner)};
    SAME(PLAIN, Plain, &v->plain)
    SAME(TEAM, Team, &v->team)
    SAME(HEAT, Heat, &v->heat)
    SAME(SHIELD, Shield, &v->shield)
    SAME(PARENT, Parent, &parent)
    SAME(OWNER, Owner, &owner)
    SAME(LOCAL, LocalTransform, &v->local)
    SAME(PLACE, WorldTransform, &v->place)
#undef SAME
    if ((t->has & BIT(SHIELD)) != 0 && stoa_enabled(r->w, e, Shield) == t->off) {
        DIFFER("the switch of t%d differs", number);
    }
}

static void name_compare(run *r, int number) {
    const thing *t = &r->things[number];
    const char *name = stoa_name(r->w, t->handle);
    const char *expected = (t->has & BIT(NAME)) != 0 ? name_text(t->values.name) : NULL;
    if ((name == NULL) != (expected == NULL) || (name != NULL && strcmp(name, expected) != 0)) {
        DIFFER("t%d is named %s, not %s", number, name != NULL ? name : "nothing",
               expected != NULL ? expected : "nothing");
    }
    if (name != NULL &&
        (!stoa_has(r->w, t->handle, Name) || stoa_get(r->w, t->handle, Name)->text != name)) {
        DIFFER("the component Name of t%d says something else", number);
    }
    if (expected != NULL && !stoa_entity_eq(stoa_find(r->w, expected), t->handle)) {
        DIFFER("%s is not found to be t%d", expected, number);
    }
}

static bool links_name(stoa_links links, stoa_entity e) {
    for (int32_t i = 0; i < links.count; i++) {
        if (stoa_entity_eq(links.items[i], e)) {
            return true;
        }
    }
    return false;
}

/* Who points at a thing, and whom it points at, by one relation. */
static void links_compare(run *r, int number, int relation) {
    stoa_entity e = r->things[number].handle;
    stoa_relation id = r->relations[relation];
    stoa_links sources = stoa_relation_sources(r->w, id, e);
    stoa_links targets = stoa_relation_targets(r->w, id, e);
    int source_count = 0, target_count = 0;
    bool found = true;
    if (relation == REL_LIKES) {
        for (int i = 0; i < r->like_count; i++) {
            pair p = r->likes[i];
            source_count += p.target == number;
            target_count += p.source == number;
            found = found && (p.target != number || links_name(sources, target_of(r, p.source))) &&
                    (p.source != number || links_name(targets, target_of(r, p.target)));
        }
    } else {
        for (int i = 0; i < r->live_count; i++) {
            bool links = thing_links(r, r->live[i], relation, number);
            source_count += links;
            found = found && (!links || links_name(sources, target_of(r, r->live[i])));
        }
        int target = relation == REL_PARENT ? r->things[number].values.parent
                                            : r->things[number].values.owner;
        target_count = thing_links(r, number, relation, target);
        found = found && (target_count == 0 || links_name(targets, target_of(r, target)));
    }
    if (!found) {
        DIFFER("relation %d: another one points at t%d, or it at another one", relation, number);
    }
    if (sources.count != source_count || targets.count != target_count) {
        DIFFER("relation %d: t%d has %d sources, expected %d; %d targets, expected %d", relation,
               number, sources.count, source_count, targets.count, target_count);
    }
    if (relation == REL_PARENT) {
        stoa_links children = stoa_children(r->w, e);
        if (children.count != sources.count ||
            (children.count > 0 && memcmp(children.items, sources.items,
                                          (size_t)children.count * sizeof(stoa_entity)) != 0) ||
            stoa_has(r->w, e, Children) != (sources.count > 0)) {
            DIFFER("Children of t%d differ from the sources of Parent", number);
        }
    }
    if (relation == REL_LIKES &&
        (stoa_has(r->w, e, Likes) != (targets.count > 0) ||
         (targets.count > 0 && stoa_get(r->w, e, Likes)->count != targets.count))) {
        DIFFER("Likes of t%d differ from its targets", number);
    }
}

/* True if a look-up finds an entity. */
static bool found_names(stoa_found f, stoa_entity e) {
    bool found = false;
    while (stoa_found_next(&f)) {
        found = found || stoa_entity_eq(f.entity, e);
    }
    return found;
}

static void keys_compare(run *r, int number) {
    const thing *t = &r->things[number];
    bool ranked = found_names(stoa_index_find(r->ranks, &t->values.plain.a), t->handle);
    bool teamed = found_names(stoa_index_find(r->teams, &t->values.team.team), t->handle);
    if (ranked != ((t->has & BIT(PLAIN)) != 0) || teamed != ((t->has & BIT(TEAM)) != 0)) {
        DIFFER("t%d is%s found by its rank, and is%s by its team", number, ranked ? "" : " not",
               teamed ? "" : " not");
    }
}

void thing_compare(run *r, int number) {
    const thing *t = &r->things[number];
    if (stoa_entity_is_null(t->handle)) {
        return;
    }
    if (stoa_alive(r->w, t->handle) != t->alive) {
        DIFFER("t%d %s", number, t->alive ? "is dead" : "lives");
    }
    if (!t->alive) {
        if (stoa_name(r->w, t->handle) != NULL || stoa_children(r->w, t->handle).count != 0) {
            DIFFER("t%d is dead and has something", number);
        }
        return;
    }
    values_compare(r, number);
    name_compare(r, number);
    keys_compare(r, number);
}

static void names_compare(run *r) {
    for (int name = 0; name < NAME_COUNT; name++) {
        int owner = name_owner(r, name);
        stoa_entity e = stoa_find(r->w, name_text(name));
        if (!stoa_entity_eq(e, target_of(r, owner))) {
            DIFFER("%s is found to be t%d, not t%d", name_text(name), thing_find(r, e), owner);
        }
    }
}

/* Lives with a Plain whose `a`, or with a team that, is within limits, in canonical order. */
static int found_expect(const run *r, int kind, int32_t low, int32_t high, stoa_entity *list) {
    int count = 0;
    for (int i = 0; i < r->live_count; i++) {
        const thing *t = &r->things[r->live[i]];
        int32_t value = kind == PLAIN ? t->values.plain.a : t->values.team.team;
        if ((t->has & BIT(kind)) == 0 || value < low || value > high) {
            continue;
        }
        int at = count++;
        for (; at > 0; at--) {
            const thing *other = &r->things[thing_find(r, list[at - 1])];
            int32_t theirs = kind == PLAIN ? other->values.plain.a : other->values.team.team;
            if (theirs < value || (theirs == value && list[at - 1].index < t->handle.index)) {
                break;
            }
            list[at] = list[at - 1];
        }
        list[at] = t->handle;
    }
    return count;
}

static void found_compare(run *r, stoa_found f, const stoa_entity *list, int count,
                          const char *what, int key) {
    int i = 0;
    while (stoa_found_next(&f)) {
        if (i >= count || !stoa_entity_eq(f.entity, list[i])) {
            DIFFER("%s %d: t%d is found as number %d", what, key, thing_find(r, f.entity), i);
        }
        i++;
    }
    if (i != count) {
        DIFFER("%s %d: %d are found, expected %d", what, key, i, count);
    }
}

static void indexes_compare(run *r) {
    static stoa_entity list[THING_MAX];
    for (int32_t team = 0; team < TEAM_COUNT; team++) {
        int count = found_expect(r, TEAM, team, team, list);
        found_compare(r, stoa_index_find(r->teams, &team), list, count, "team", team);
    }
    for (int32_t low = 0; low < 40; low += 7) {
        int32_t high = low + low % 5;
        int count = found_expect(r, PLAIN, low, high, list);
        found_compare(r, stoa_index_range(r->ranks, &low, &high), list, count, "range from", low);
        count = found_expect(r, PLAIN, low, low, list);
        found_compare(r, stoa_index_find(r->ranks, &low), list, count, "rank", low);
    }
    int count = found_expect(r, PLAIN, INT32_MIN, INT32_MAX, list);
    found_compare(r, stoa_index_range(r->ranks, NULL, NULL), list, count, "all ranks", 0);
    int32_t nearest = 20;
    stoa_entity best = STOA_NULL;
    int32_t distance = INT32_MAX;
    for (int i = 0; i < count; i++) {
        int32_t a = r->things[thing_find(r, list[i])].values.plain.a;
        int32_t away = a < nearest ? nearest - a : a - nearest;
        if (away < distance) {
            best = list[i];
            distance = away;
        }
    }
    if (!stoa_entity_eq(stoa_index_nearest(r->ranks, &nearest), best)) {
        DIFFER("the nearest to %d is another one", nearest);
    }
}

/* The observer has seen who begins and ceases to match. */
static void watch_compare(run *r) {
    int count = 0;
    for (int i = 0; i < r->live_count; i++) {
        const thing *t = &r->things[r->live[i]];
        count += (t->has & (BIT(TEAM) | BIT(HEAT))) == BIT(TEAM);
    }
    if (r->watched && r->watching != count) {
        DIFFER("the observer has seen %d, expected %d", r->watching, count);
    }
}

void run_compare(run *r) {
    if (stoa_count(r->w) != r->live_count) {
        DIFFER("%d entities live, expected %d", stoa_count(r->w), r->live_count);
    }
    for (int i = 0; i < r->live_count && r->message[0] == '\0'; i++) {
        thing_compare(r, r->live[i]);
        for (int relation = 0; relation < REL_COUNT; relation++) {
            links_compare(r, r->live[i], relation);
        }
    }
    char text[2000];
    if (r->live_count > 0 &&
        stoa_describe(r->w, r->things[r->live[0]].handle, text, sizeof text) == 0) {
        DIFFER("t%d cannot be described", r->live[0]);
    }
    watch_compare(r);
    names_compare(r);
    indexes_compare(r);
    if (stoa_check(r->w) != STOA_OK) {
        DIFFER("stoa_check: %s", stoa_last_error().message);
    }
}
