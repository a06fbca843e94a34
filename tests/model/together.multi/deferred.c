/* Operations that are recorded, and what the reference makes of them when they are applied.
 *
 * Recorded calls between commands let the reference follow in the midst of a flush, before the next
 * command. Commands without such a call between them may be merged. */
#include "calls.h"

/* What a recorded call is given. */
typedef struct note {
    run *r;
    int upto; /* commands that are applied by then */
} note;

static void instance_follow(run *r, const op *o) {
    const stoa_prefab *prefab = prefab_pick(r, o);
    Plain plain = r->unit_plain;
    /* The values are those of the time of recording. */
    r->unit_plain = (Plain){(int32_t)o->fail & 0xFF, (int32_t)(o->fail >> 8) - 1};
    for (int i = 0; i < prefab_size(r, prefab); i++) {
        uint32_t has;
        bundle b = prefab_values(r, prefab, i, o->make, &has);
        bundle own = bundle_make(o, 0);
        if (i == 0) {
            values_put(&b, &own, o->put);
            has = (has & ~o->drop) | o->put;
        }
        uint32_t refused = change_ask(r, -1, &b, has, 0);
        if (refused != 0) {
            r->refused++;
            continue;
        }
        thing_born(r, o->make + i, r->things[o->make + i].handle);
        change_apply(r, o->make + i, &b, has, 0, 0);
    }
    r->unit_plain = plain;
}

static void change_follow(run *r, const op *o) {
    uint32_t put, zero, drop;
    bundle b = bundle_make(o, 0);
    change_parts(r, o, &put, &zero, &drop);
    if (change_ask(r, o->a, &b, put, zero) != 0) {
        r->refused++;
        return;
    }
    const thing *t = &r->things[o->a];
    r->locked = o->a;
    if ((drop & t->has & BIT(TEAM)) != 0 && t->values.team.team == TEAM_BOMB) {
        doom(r, o->a - 1 - o->a % 3, true, -1);
    }
    if ((drop & BIT(TEAM)) != 0) {
        deaths_follow(r, true);
    }
    change_apply(r, o->a, &b, put, zero, drop);
    thing *changed = &r->things[o->a];
    if ((put & BIT(PARENT)) != 0 && b.parent >= 0 && !r->things[b.parent].alive &&
        !stoa_has(r->w, t->handle, Parent)) {
        changed->has &= ~BIT(PARENT);
    }
    if ((put & BIT(OWNER)) != 0 && b.owner >= 0 && !r->things[b.owner].alive &&
        !stoa_has(r->w, t->handle, Owner)) {
        changed->has &= ~BIT(OWNER);
    }
}

static void destroy_follow(run *r, const op *o) {
    uint32_t refused = r->things[o->a].alive ? goes_ask(r, o->a, -1) : BIT(STOA_DEAD);
    if (refused != 0) {
        r->refused++;
    } else {
        doom(r, o->a, true, -1);
    }
    deaths_follow(r, true);
}

static void link_follow(run *r, const op *o) {
    int relation = (int)(o->value % REL_COUNT);
    bool links = o->kind == OP_LINK;
    uint32_t refused = links                   ? link_ask(r, relation, o->a, o->b)
                       : r->things[o->a].alive ? 0
                                               : BIT(STOA_DEAD);
    if (refused != 0) {
        r->refused++;
    } else if (links) {
        link_apply(r, relation, o->a, o->b);
    } else {
        unlink_apply(r, relation, o->a, o->b);
    }
}

static void later_follow(run *r, const op *o) {
    bundle b = bundle_make(o, 0);
    bool takes = (o->value & 7) == 0;
    uint32_t name = o->kind == OP_NAME && !takes ? BIT(NAME) : 0;
    doom_begin(r);
    switch (o->kind) {
    case OP_CREATE:
        if (change_ask(r, -1, &b, o->put, 0) != 0) {
            r->refused++;
        } else {
            thing_born(r, o->make, r->things[o->make].handle);
            change_apply(r, o->make, &b, o->put, 0, 0);
        }
        return;
    case OP_DESTROY:
        destroy_follow(r, o);
        return;
    case OP_CLEAR:
        op_clear(r, o, false);
        return;
    case OP_NAME:
        if (change_ask(r, o->a, &b, name, 0) != 0) {
            r->refused++;
        } else {
            change_apply(r, o->a, &b, name, 0, takes ? BIT(NAME) : 0);
        }
        return;
    case OP_LINK:
    case OP_UNLINK:
        link_follow(r, o);
        return;
    case OP_ENABLE:
        r->refused += r->things[o->a].alive ? 0 : 1;
        if (r->things[o->a].alive && (r->things[o->a].has & BIT(SHIELD)) != 0) {
            r->things[o->a].off = (o->value & 1) == 0;
        }
        return;
    case OP_PREFAB:
        instance_follow(r, o);
        return;
    default:
        change_follow(r, o);
        return;
    }
}

static void later_upto(run *r, int upto) {
    while (r->applied < upto) {
        later_follow(r, &r->recorded[r->applied++]);
    }
}

static stoa_status note_apply(stoa_world *w, const void *data, size_t size) {
    (void)w;
    (void)size;
    note n;
    memcpy(&n, data, sizeof n);
    later_upto(n.r, n.upto);
    return STOA_OK;
}

static stoa_status clear_apply(stoa_world *w, const void *data, size_t size) {
    (void)size;
    stoa_entity e;
    memcpy(&e, data, sizeof e);
    return stoa_clear(w, e);
}

/* Things that a recorded operation will make are known by their handles already. */
static void things_announce(run *r, const op *o, const stoa_entity *handles, int count) {
    for (int i = 0; i < count; i++) {
        r->things[o->make + i] = (thing){.handle = handles[i]};
        r->numbers[handles[i].index] = o->make + i;
    }
    if (o->make + count > r->thing_count) {
        r->thing_count = o->make + count;
    }
}

static stoa_status made_record(run *r, stoa_commands *c, const op *o) {
    stoa_value values[KIND_COUNT];
    stoa_entity handles[MAKE_MAX];
    room own;
    bundle b = bundle_make(o, 0);
    stoa_status status;
    int made = 1, count = values_fill(r, &b, o->put, 0, o->drop & ~o->put, values, &own);
    if (o->kind == OP_CREATE) {
        count = values_fill(r, &b, o->put, 0, 0, values, &own);
        handles[0] = stoa_commands_create_values(c, values, count);
        status = status_of(handles[0]);
    } else {
        made = prefab_size(r, prefab_pick(r, o));
        status =
            stoa_commands_instantiate_tree(c, prefab_pick(r, o), values, count, handles, MAKE_MAX);
    }
    if (status == STOA_OK) {
        things_announce(r, o, handles, made);
    }
    return status;
}

static stoa_status op_record(run *r, stoa_commands *c, const op *o) {
    stoa_value values[KIND_COUNT];
    room own;
    bundle b = bundle_make(o, 0);
    stoa_entity e = handle_of(r, o->a), other = handle_of(r, o->b);
    uint32_t first = o->put & (~o->put + 1);
    uint32_t zeroed = o->value >> 13 & ~BIT(NAME);
    int relation = (int)(o->value % REL_COUNT);
    int count = o->kind == OP_CHANGE ? values_fill(r, &b, o->put & ~zeroed, o->put & zeroed,
                                                   o->drop & ~o->put, values, &own)
                                     : values_fill(r, &b, first, 0, 0, values, &own);
    switch (o->kind) {
    case OP_DESTROY:
        return stoa_commands_destroy(c, e);
    case OP_CLEAR:
        return stoa_commands_call(c, clear_apply, &e, sizeof e);
    case OP_SET:
        return stoa_commands_set_type(c, e, values[0].type, values[0].data);
    case OP_ADD:
        return stoa_commands_add_type(c, e, values[0].type);
    case OP_REMOVE:
        return stoa_commands_remove_type(c, e, values[0].type);
    case OP_CHANGE:
        return stoa_commands_change_values(c, e, values, count);
    case OP_NAME:
        return stoa_commands_name_set(c, e, (o->value & 7) == 0 ? NULL : name_text(b.name));
    case OP_LINK:
        return stoa_commands_relation_add(c, r->relations[relation], e, other);
    case OP_UNLINK:
        return stoa_commands_relation_remove(c, r->relations[relation], e, other);
    case OP_ENABLE:
        return stoa_commands_enable(c, e, Shield, (o->value & 1) != 0);
    default:
        return made_record(r, c, o);
    }
}

/* True if things may die when the operation is applied. */
static bool op_kills(const op *o) {
    return o->kind == OP_DESTROY || o->kind == OP_CLEAR ||
           ((o->kind == OP_REMOVE || o->kind == OP_CHANGE) &&
            ((o->put | o->drop) & BIT(TEAM)) != 0);
}

void later_record(run *r, const op *o) {
    stoa_commands *c = stoa_deferred(r->w);
    op kept = *o;
    /* A name given to the world is copied when it is applied; ours last for ever. */
    memory_begin(r, o);
    if (!call_ends(r, op_record(r, c, o), 0, "a recording")) {
        return;
    }
    kept.fail = (uint32_t)r->unit_plain.a | (uint32_t)(r->unit_plain.b + 1) << 8;
    r->recorded[r->recorded_count++] = kept;
    if (o->probe || op_kills(o)) {
        note n = {r, r->recorded_count};
        if (stoa_commands_call(c, note_apply, &n, sizeof n) != STOA_OK) {
            run_blame(r, "a note was not recorded");
        }
    }
}

void later_flush(run *r, const op *o) {
    stoa_commands *c = stoa_deferred(r->w);
    op armed = *o;
    for (int i = 0; i < r->recorded_count; i++) {
        /* Without memory sources may keep links to one that was cleared and lives; and what hooks
         * could not do must be seen before the next command. */
        const op *kept = &r->recorded[i];
        bool seen = kept->kind != OP_CLEAR && (kept->probe || op_kills(kept));
        armed.fail = seen ? armed.fail : 0;
    }
    memory_begin(r, &armed);
    r->short_of_memory = armed.fail != 0;
    stoa_status status = stoa_flush(r->w);
    r->s.heap.fail_at = 0;
    if (status == STOA_NO_MEMORY && r->s.heap.failed != 0) {
        status = stoa_flush(r->w);
    }
    if (status != STOA_OK) {
        run_blame(r, "a flush: %d (%s)", (int)status, stoa_last_error().message);
    }
    later_upto(r, r->recorded_count);
    r->recorded_count = r->applied = 0;
    int64_t refused = stoa_commands_refused(c) + stoa_commands_skipped(c);
    if (refused != r->refused) {
        run_blame(r, "%lld commands were refused, expected %d", (long long)refused, r->refused);
    }
}
