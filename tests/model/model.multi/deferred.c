/* Command buffers: recording, flushing, discarding.
 *
 * The reference keeps each command with a copy of its values and applies them one by one, however
 * the world joins them. A value in a buffer is held like one that an entity has. */
#include "run.h"

#include <stdlib.h>

static command *command_append(buffer *b) {
    if (b->count == b->capacity) {
        b->capacity = b->capacity * 2 + 16;
        b->items = realloc(b->items, (size_t)b->capacity * sizeof(command));
        if (b->items == NULL) {
            abort();
        }
    }
    command *c = &b->items[b->count++];
    memset(c, 0, sizeof *c);
    return c;
}

/* Keeps edits with a copy of their values. */
static void command_keep(run *r, command *c, const edit *edits, int count) {
    c->count = count;
    c->values = malloc(TYPE_VALUES_SIZE);
    if (c->values == NULL) {
        abort();
    }
    for (int i = 0; i < count; i++) {
        c->edits[i] = edits[i];
        if (edits[i].value != NULL) {
            const model_type *t = &model_types[edits[i].type];
            memcpy(c->values + t->offset, edits[i].value, t->size);
            c->edits[i].value = c->values + t->offset;
            reference_hold(&r->ref, edits[i].type, edits[i].value);
        }
    }
}

/* The values of a command leave its buffer. */
static void command_release(run *r, const command *c) {
    for (int i = 0; i < c->count; i++) {
        if (c->edits[i].value != NULL) {
            reference_release(&r->ref, c->edits[i].type, c->edits[i].value);
        }
    }
}

/* Records a command on one component. */
static stoa_status component_record(run *r, const op *o, stoa_commands *commands, stoa_entity e) {
    const model_type *t = &model_types[o->type];
    stoa_component id = r->ids[o->type];
    bool typed = t->descriptor != NULL && (o->seed >> 20 & 1) != 0;
    bool on = (o->seed & 1) != 0;
    switch (o->sub) {
    case OP_SET:
        return typed ? stoa_commands_set_type(commands, e, t->descriptor, run_source(o->type))
                     : stoa_commands_set_id(commands, e, id, run_source(o->type), t->size);
    case OP_ADD:
        return typed ? stoa_commands_add_type(commands, e, t->descriptor)
                     : stoa_commands_add_id(commands, e, id);
    case OP_REMOVE:
        return typed ? stoa_commands_remove_type(commands, e, t->descriptor)
                     : stoa_commands_remove_id(commands, e, id);
    default:
        return typed ? stoa_commands_enable_type(commands, e, t->descriptor, on)
                     : stoa_commands_enable_id(commands, e, id, on);
    }
}

/* The edits of a command that is recorded. */
static int record_edits(const op *o, edit edits[TYPE_COUNT]) {
    if (o->sub == OP_ADD || o->sub == OP_REMOVE) {
        edits[0] = (edit){.type = o->type, .kind = o->sub == OP_ADD ? EDIT_ADD : EDIT_DROP};
        return 1;
    }
    return o->sub == OP_SET || o->sub == OP_CHANGE || o->sub == OP_CREATE_WITH ? run_edits(o, edits)
                                                                               : 0;
}

static void record(run *r, const op *o, buffer *b) {
    stoa_value values[TYPE_COUNT + 1];
    edit edits[TYPE_COUNT];
    op single = *o;
    if (o->sub == OP_SET) {
        single.put = TYPE_BIT(o->type);
        single.zero = single.drop = 0;
    } else if (o->sub != OP_CHANGE && o->sub != OP_CREATE_WITH) {
        single.put = single.zero = single.drop = 0;
    }
    int count = run_values(r, &single, values);
    const being *target = reference_of(&r->ref, o);
    stoa_entity e = target != NULL ? target->handle : (stoa_entity){o->seed % 9 + 1, 0x40000000u};
    stoa_status status = STOA_OK;
    if (o->sub == OP_CREATE || o->sub == OP_CREATE_WITH) {
        e = o->sub == OP_CREATE ? stoa_commands_create(b->commands)
                                : stoa_commands_create_values(b->commands, values, count);
        status = run_given(!stoa_entity_is_null(e));
    } else if (o->sub == OP_DESTROY) {
        status = stoa_commands_destroy(b->commands, e);
    } else if (o->sub == OP_CHANGE) {
        status = stoa_commands_change_values(b->commands, e, values, count);
    } else {
        status = component_record(r, o, b->commands, e);
    }
    bool refused = o->sub == OP_ENABLE && !(TYPE_SWITCHES >> o->type & 1);
    if (!run_expect(r, status, refused ? STOA_INVALID : STOA_OK, "recording a command") ||
        refused) {
        return;
    }
    command *c = command_append(b);
    c->kind = (op_kind)o->sub;
    c->target = e;
    c->type = o->type;
    c->on = (o->seed & 1) != 0;
    command_keep(r, c, edits, record_edits(&single, edits));
    if (o->sub == OP_CREATE || o->sub == OP_CREATE_WITH) {
        being *made = reference_issue(&r->ref, o->number, e);
        if (run_check(r, made != NULL, "handle %uv%u was issued before or is out of order",
                      (unsigned)e.index, (unsigned)e.generation)) {
            made->pending = true;
        }
    }
}

void run_deferred_destroy(void *user, stoa_entity e) {
    run *r = user;
    command *c = command_append(&r->buffers[0]);
    c->kind = OP_DESTROY;
    c->target = e;
}

/* The being that a creation that is recorded will be, or NULL. */
static being *being_pending(const run *r, stoa_entity e) {
    being *b = &r->ref.items[r->ref.owners[e.index]];
    return b->pending && stoa_entity_eq(b->handle, e) ? b : NULL;
}

/* Applies one command to the reference. */
static void command_apply(run *r, buffer *from, const command *c) {
    command_release(r, c);
    if (c->kind == OP_CREATE || c->kind == OP_CREATE_WITH) {
        react_birth(&r->ref, being_pending(r, c->target), c->edits, c->count);
        return;
    }
    being *b = reference_find(&r->ref, c->target);
    if (b == NULL) {
        from->skipped += r->ref.fault == FAULT_SKIP_UNCOUNTED ? 0 : 1;
    } else if (c->kind == OP_DESTROY) {
        react_destroy(&r->ref, b);
    } else if (c->kind == OP_ENABLE) {
        if (b->has >> c->type & 1) {
            react_enable(&r->ref, b, c->type, c->on);
        }
    } else {
        react_change(&r->ref, b, c->edits, c->count);
    }
}

static void buffer_empty(run *r, buffer *b, bool discarded) {
    for (int32_t i = 0; i < b->count; i++) {
        const command *c = &b->items[i];
        if (discarded) {
            command_release(r, c);
            if (c->kind == OP_CREATE || c->kind == OP_CREATE_WITH) {
                being_pending(r, c->target)->pending = false;
            }
        }
        free(c->values);
    }
    b->count = 0;
}

/* A zeroed value that one command of a flush places and the next takes away need never have been.
 */
static void zeros_settle(run *r, int32_t made) {
    int32_t unmade = 0;
    for (int type = 0; type < TYPE_COUNT; type++) {
        if (model_types[type].owner != 0) {
            int32_t surplus = model_lives_zeros(type) - r->ref.zeros[type];
            if (surplus > 0) {
                model_lives_zeroed(type, -surplus);
                unmade += surplus;
            }
        }
    }
    run_check(r, unmade <= made, "%d zeroed values were never made nor dropped", (int)unmade);
}

static void flush(run *r, const op *o, buffer *b) {
    stoa_status status = b == &r->buffers[0] && (o->seed & 1) != 0
                             ? stoa_flush(r->s.world)
                             : stoa_commands_flush(b->commands);
    if (!run_expect(r, status, STOA_OK, "stoa_commands_flush")) {
        return;
    }
    int32_t made = r->ref.zeros_made;
    bool backward = r->ref.fault == FAULT_FLUSH_BACKWARD;
    /* Hooks may record more, which is applied too; the list may move. */
    for (int32_t i = 0; i < b->count; i++) {
        command c = b->items[backward ? b->count - 1 - i : i];
        command_apply(r, b, &c);
    }
    buffer_empty(r, b, false);
    zeros_settle(r, r->ref.zeros_made - made);
}

static void buffer_compare(run *r, const buffer *b) {
    run_check(r,
              stoa_commands_count(b->commands) == b->count &&
                  stoa_commands_empty(b->commands) == (b->count == 0),
              "a buffer has %d commands, expected %d", (int)stoa_commands_count(b->commands),
              (int)b->count);
    run_check(r, stoa_commands_skipped(b->commands) == b->skipped,
              "a buffer has skipped %lld commands, expected %lld",
              (long long)stoa_commands_skipped(b->commands), (long long)b->skipped);
    run_expect(r, STOA_OK, STOA_OK, "asking a buffer");
}

static void buffer_end(run *r, buffer *b) {
    run_expect(r, stoa_commands_free(b->commands), STOA_OK, "stoa_commands_free");
    buffer_empty(r, b, true);
    b->commands = NULL;
    b->skipped = 0;
}

/* Turns of recording between fork and join: creations and values, in all buffers by turns. */
static void fork_fill(run *r, const op *o) {
    op turn = *o;
    turn.kind = OP_RECORD;
    for (int32_t i = 0; i < o->count && !r->failed; i++) {
        turn.seed = o->seed + (uint32_t)i * 977;
        turn.sub = i % 3 == 0 ? OP_CREATE_WITH : i % 3 == 1 ? OP_SET : OP_CREATE;
        buffer *b = &r->buffers[(turn.seed >> 8) % TRACE_BUFFERS];
        if (b->commands != NULL) {
            record(r, &turn, b);
        }
    }
}

static void fork_join(run *r, const op *o) {
    stoa_commands *forked[TRACE_BUFFERS];
    int32_t count = 0;
    for (int i = 0; i < TRACE_BUFFERS; i++) {
        if (r->buffers[i].commands != NULL) {
            forked[count++] = r->buffers[i].commands;
        }
    }
    r->ref.slots_dealt += 64 * (uint32_t)count;
    if (run_expect(r, stoa_commands_fork(r->s.world, forked, count), STOA_OK,
                   "stoa_commands_fork")) {
        fork_fill(r, o);
        run_expect(r, stoa_commands_join(r->s.world), STOA_OK, "stoa_commands_join");
    }
}

void run_deferred(run *r, const op *o) {
    stoa_error_clear();
    buffer *b = &r->buffers[o->slot];
    if (o->kind == OP_FORK) {
        fork_join(r, o);
    } else if (o->kind == OP_BUFFER_NEW && o->slot != 0) {
        if (b->commands != NULL) {
            buffer_end(r, b);
        }
        b->commands = stoa_commands_new(r->s.world);
        run_expect(r, run_given(b->commands != NULL), STOA_OK, "stoa_commands_new");
    } else if (b->commands == NULL) {
        return;
    } else if (o->kind == OP_BUFFER_FREE && o->slot != 0) {
        buffer_end(r, b);
    } else if (o->kind == OP_BUFFER_CLEAR) {
        run_expect(r, stoa_commands_clear(b->commands), STOA_OK, "stoa_commands_clear");
        buffer_empty(r, b, true);
    } else if (o->kind == OP_RECORD) {
        record(r, o, b);
    } else if (o->kind == OP_FLUSH) {
        flush(r, o, b);
    }
    if (b->commands != NULL && !r->failed) {
        buffer_compare(r, b);
    }
}

void run_deferred_fini(run *r) {
    for (int i = 0; i < TRACE_BUFFERS; i++) {
        buffer *b = &r->buffers[i];
        for (int32_t k = 0; k < b->count; k++) {
            free(b->items[k].values);
        }
        free(b->items);
        *b = (buffer){0};
    }
}
