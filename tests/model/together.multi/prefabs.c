/* Instances of prefabs: one with values of its own, several at once, trees. */
#include "calls.h"

stoa_prefab *prefab_pick(const run *r, const op *o) {
    stoa_prefab *const prefabs[4] = {r->unit, r->variant, r->tree, r->tree};
    return prefabs[o->value >> 24 & 3];
}

/* The reference makes node after node of an instance whose handles are known. */
static void instance_born(run *r, const op *o, const stoa_prefab *prefab, int first,
                          const stoa_entity *handles) {
    for (int i = 0; i < prefab_size(r, prefab); i++) {
        thing_born(r, first + i, handles[i]);
    }
    for (int i = 0; i < prefab_size(r, prefab); i++) {
        uint32_t has;
        bundle values = prefab_values(r, prefab, i, first, &has);
        if (o->kind == OP_PREFAB && i == 0) {
            bundle own = bundle_make(o, 0);
            values_put(&values, &own, o->put);
            has = (has & ~o->drop) | o->put;
        }
        change_apply(r, first + i, &values, has, 0, 0);
    }
}

void op_prefab(run *r, const op *o) {
    stoa_prefab *prefab = prefab_pick(r, o);
    stoa_value values[KIND_COUNT];
    stoa_entity handles[MAKE_MAX];
    room own;
    bundle b = bundle_make(o, 0);
    int count = values_fill(r, &b, o->put, 0, o->drop & ~o->put, values, &own);
    uint32_t refused = change_ask(r, -1, &b, o->put, 0);
    stoa_status status;
    memory_begin(r, o);
    if (prefab != r->tree && (o->value & 1) != 0) {
        handles[0] = stoa_prefab_instantiate_values(prefab, values, count);
        status = status_of(handles[0]);
    } else {
        status = stoa_prefab_instantiate_tree(prefab, values, count, handles, MAKE_MAX);
    }
    if (call_ends(r, status, refused, "instantiate")) {
        instance_born(r, o, prefab, o->make, handles);
    }
}

/* Finds the entities of a tree from its root. */
static bool tree_find(run *r, stoa_entity *handles) {
    stoa_links wheel = stoa_children(r->w, handles[0]);
    if (wheel.count != 1) {
        return false;
    }
    handles[1] = wheel.items[0];
    stoa_links rest = stoa_children(r->w, handles[1]);
    if (rest.count != 2) {
        return false;
    }
    int owned = stoa_has(r->w, rest.items[0], Owner) ? 0 : 1;
    handles[2] = rest.items[owned];
    handles[3] = rest.items[1 - owned];
    return true;
}

void op_prefab_bulk(run *r, const op *o) {
    stoa_prefab *prefab = prefab_pick(r, o);
    stoa_entity roots[MAKE_MAX], handles[MAKE_MAX];
    Team teams[MAKE_MAX];
    int n = 1 + (int)(o->value % 3), size = prefab_size(r, prefab);
    bool columns = (o->value & 16) != 0;
    for (int i = 0; i < n; i++) {
        teams[i] = bundle_make(o, i).team;
    }
    stoa_value column = STOA_COLUMN(Team, teams);
    memory_begin(r, o);
    stoa_status status = stoa_prefab_instantiate_bulk(prefab, n, roots, &column, columns ? 1 : 0);
    if (!call_ends(r, status, 0, "instantiate_bulk")) {
        return;
    }
    for (int i = 0; i < n; i++) {
        handles[0] = roots[i];
        if (size > 1 && !tree_find(r, handles)) {
            run_blame(r, "an instance is no tree");
            return;
        }
        instance_born(r, o, prefab, o->make + i * size, handles);
        if (columns) {
            bundle b = {.team = teams[i]};
            change_apply(r, o->make + i * size, &b, BIT(TEAM), 0, 0);
        }
    }
}

void op_prefab_change(run *r, const op *o) {
    Plain plain = bundle_make(o, 0).plain;
    memory_begin(r, o);
    if (call_ends(r, stoa_prefab_set_from(r->unit, Plain, &plain), 0, "prefab_set")) {
        r->unit_plain = plain;
    }
}
