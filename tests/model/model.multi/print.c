/* Traces as text: each operation as the call it makes. */
#include "trace.h"

static const char *const access_names[] = {"",         "READ",           "WRITE", "WITHOUT",
                                           "OPTIONAL", "OPTIONAL_WRITE", "ANY",   "ANY_WRITE",
                                           "FILTER",   "CHANGED",        "ADDED"};

static const char *const bad_names[BAD_KIND_COUNT] = {
    "stoa_destroy of a dead handle",
    "stoa_clear of a dead handle",
    "stoa_set on a dead handle",
    "stoa_change on a dead handle",
    "stoa_clone of a dead handle",
    "stoa_get on a dead handle",
    "stoa_get of an absent component",
    "stoa_set_id with a wrong size",
    "stoa_add_id of an unknown id",
    "stoa_create_with naming a component twice",
    "stoa_change naming a component twice",
    "stoa_create_with that takes a component away",
    "stoa_create_bulk of a negative count",
    "stoa_query_new naming a component twice",
    "a structural change under iteration",
};

static void print_bundle(FILE *out, const op *o) {
    int order[TYPE_COUNT];
    int count = trace_order(o, o->put | o->zero | o->drop, order);
    for (int i = 0; i < count; i++) {
        const char *name = model_types[order[i]].name;
        if (o->put >> order[i] & 1) {
            fprintf(out, ", STOA_VALUE(%s, value(%u))", name,
                    (unsigned)o->seed + (unsigned)order[i]);
        } else if (o->zero >> order[i] & 1) {
            fprintf(out, ", STOA_ZERO(%s)", name);
        } else {
            fprintf(out, ", STOA_REMOVE(%s)", name);
        }
    }
}

static void print_terms(FILE *out, const op *o) {
    stoa_query_desc desc;
    int types[TRACE_TERMS];
    int count = trace_query(o, NULL, &desc, types);
    fprintf(out, "&(stoa_query_desc){ .terms = {");
    for (int i = 0; i < count; i++) {
        stoa_access access = desc.terms[i].access;
        bool any = access == STOA_ACCESS_ANY || access == STOA_ACCESS_ANY_WRITE;
        fprintf(out, "%s STOA_%s(%s)", i == 0 ? "" : ",", access_names[access],
                model_types[types[i]].name);
        if (any) {
            fprintf(out, " /* group %d */", (int)desc.terms[i].group);
        }
    }
    fprintf(out, " } }");
}

/* The entity an op works on: e7, or e7[3] for one of a bulk. */
static void print_entity(FILE *out, const op *o) {
    if (o->origin < 0) {
        fprintf(out, "forged(%u)", (unsigned)o->seed);
    } else if (o->origin_item == 0) {
        fprintf(out, "e%d", (int)o->origin);
    } else {
        fprintf(out, "e%d[%d]", (int)o->origin, (int)o->origin_item);
    }
}

static void print_call(FILE *out, const char *call, const op *o, const char *argument) {
    fprintf(out, "%s(w, ", call);
    print_entity(out, o);
    fprintf(out, "%s%s", argument[0] != '\0' ? ", " : "", argument);
}

static void print_entity_op(FILE *out, const op *o) {
    const char *name = o->type < TYPE_COUNT ? model_types[o->type].name : "";
    switch (o->kind) {
    case OP_DESTROY:
        if (o->count > 1) {
            fprintf(out, "stoa_destroy_bulk(w, %d, every %uth from ", (int)o->count,
                    1 + (unsigned)o->seed % 7);
            print_entity(out, o);
            fprintf(out, " on, NULL");
        } else {
            print_call(out, "stoa_destroy", o, "");
        }
        break;
    case OP_CLEAR:
        print_call(out, "stoa_clear", o, "");
        break;
    case OP_SET:
        print_call(out, "stoa_set", o, name);
        fprintf(out, ", value(%u)", (unsigned)o->seed + (unsigned)o->type);
        break;
    case OP_ADD:
        print_call(out, "stoa_add", o, name);
        break;
    case OP_REMOVE:
        print_call(out, "stoa_remove", o, name);
        break;
    case OP_CHANGE:
        print_call(out, "stoa_change", o, "");
        print_bundle(out, o);
        break;
    case OP_ENABLE:
        print_call(out, "stoa_enable", o, name);
        fprintf(out, ", %s", (o->seed & 1) != 0 ? "true" : "false");
        break;
    case OP_READ:
        print_call(out, "stoa_get", o, name);
        break;
    case OP_WRITE:
        print_call(out, "*stoa_get_mut", o, name);
        fprintf(out, ") = value(%u", (unsigned)o->seed);
        break;
    default:
        fprintf(out, "stoa_entity e%d = ", (int)o->number);
        print_call(out, "stoa_clone", o, "");
        break;
    }
    fprintf(out, ");%s\n", o->kind == OP_CLONE_REFUSED ? " /* the copy hook refuses */" : "");
}

static void print_query_op(FILE *out, const op *o) {
    const char *name = model_types[o->type].name;
    int slot = (int)o->slot;
    switch (o->kind) {
    case OP_QUERY_NEW:
        fprintf(out, "q[%d] = stoa_query_new(w, ", slot);
        print_terms(out, o);
        fprintf(out, ");\n");
        break;
    case OP_QUERY_FREE:
        fprintf(out, "stoa_query_free(q[%d]);\n", slot);
        break;
    case OP_QUERY_EACH:
        fprintf(out, "stoa_query_each(q[%d], write_value, %u);\n", slot, (unsigned)o->seed);
        break;
    case OP_QUERY_WALK:
        fprintf(out, "walk(stoa_query_iter(q[%d]), %u);\n", slot, (unsigned)o->seed);
        break;
    case OP_QUERY_SINCE:
        fprintf(out, "walk(stoa_query_iter_since(q[%d], stoa_tick(w) - %u), %u);\n", slot,
                (unsigned)o->age, (unsigned)o->seed);
        break;
    case OP_QUERY_STOP:
        fprintf(out, "walk_one_chunk(stoa_query_iter(q[%d]), %u);\n", slot, (unsigned)o->seed);
        break;
    case OP_WHOLE_ADD:
        fprintf(out, "stoa_query_add(q[%d], %s);\n", slot, name);
        break;
    case OP_WHOLE_SET:
        fprintf(out, "stoa_query_set(q[%d], %s, value(%u));\n", slot, name,
                (unsigned)o->seed + (unsigned)o->type);
        break;
    case OP_WHOLE_REMOVE:
        fprintf(out, "stoa_query_remove(q[%d], %s);\n", slot, name);
        break;
    case OP_WHOLE_DESTROY:
        fprintf(out, "stoa_query_destroy(q[%d]);\n", slot);
        break;
    default:
        fprintf(out, o->kind == OP_ONCE_COUNT ? "stoa_query_once_count(w, "
                                              : "walk(stoa_query_once(w, ");
        print_terms(out, o);
        if (o->kind == OP_ONCE_WALK) {
            fprintf(out, "), %u", (unsigned)o->seed);
        }
        fprintf(out, ");\n");
        break;
    }
}

static void print_tick_op(FILE *out, const op *o) {
    const char *name = o->type < 0 ? "destroyed" : model_types[o->type].name;
    switch (o->kind) {
    case OP_TICK:
        fprintf(out, "advance(w, %d);\n", (int)o->count);
        break;
    case OP_TICK_JUMP:
        fprintf(out, "stoa__world_tick_step(w, %u);\n", (unsigned)o->age);
        break;
    case OP_TICK_ASK:
        fprintf(out, "ask_ticks(w, ");
        print_entity(out, o);
        fprintf(out, ", stoa_tick(w) - %u);\n", (unsigned)o->age);
        break;
    case OP_LOG_KEEP:
        fprintf(out, "stoa_log_keep(w, %d);\n", (int)o->count);
        break;
    default:
        fprintf(out, "read(stoa_log_since(w, %s, stoa_tick(w) - %u));\n", name, (unsigned)o->age);
        break;
    }
}

static void print_watch_op(FILE *out, const op *o) {
    static const char *const kinds[3] = {"add", "remove", "set"};
    static const char *const sides[3] = {"enter and leave", "leave", "enter"};
    static const char *const actions[ACTION_COUNT] = {
        "",         "toggles of next:", "sets of next:",    "destroys next; not",
        "adds own", "sets own",         "destroys it; not", "records its destruction; not"};
    if (o->kind == OP_HOOK_NEW) {
        fprintf(out, "h[%d] = stoa_on_%s(w, %s);", (int)o->slot, kinds[o->sub],
                model_types[o->type].name);
    } else if (o->kind == OP_OBSERVE) {
        fprintf(out, "h[%d] = stoa_observe(w, ", (int)o->slot);
        print_terms(out, o);
        fprintf(out, "); /* %s */", sides[o->sub]);
    } else {
        fprintf(out, "stoa_hook_remove(w, h[%d]);", (int)o->slot);
    }
    if (o->action != ACTION_NONE) {
        fprintf(out, " /* %s %s */", actions[o->action], model_types[o->action_type].name);
    }
    fprintf(out, "\n");
}

/* A command: the call that is recorded, on c[] instead of the world. */
static void print_command(FILE *out, const op *o) {
    op recorded = *o;
    recorded.kind = (op_kind)o->sub;
    fprintf(out, "c[%d]: ", (int)o->slot);
    trace_print_op(out, &recorded);
}

static void print_buffer_op(FILE *out, const op *o) {
    switch (o->kind) {
    case OP_BUFFER_NEW:
        fprintf(out, "c[%d] = stoa_commands_new(w);\n", (int)o->slot);
        break;
    case OP_BUFFER_FREE:
        fprintf(out, "stoa_commands_free(c[%d]);\n", (int)o->slot);
        break;
    case OP_BUFFER_CLEAR:
        fprintf(out, "stoa_commands_clear(c[%d]);\n", (int)o->slot);
        break;
    case OP_FLUSH:
        fprintf(out, "stoa_commands_flush(c[%d]);\n", (int)o->slot);
        break;
    case OP_FORK:
        fprintf(out, "/* e%d: %d turns of recording between stoa_commands_fork and _join, on ",
                (int)o->number, (int)o->count);
        print_entity(out, o);
        fprintf(out, " */\n");
        break;
    default:
        print_command(out, o);
        break;
    }
}

static void print_event_op(FILE *out, const op *o) {
    const char *name = model_types[o->type].name;
    switch (o->kind) {
    case OP_LISTEN:
        fprintf(out, "l[%d] = stoa_listener_new(w, %s, ", (int)o->slot, name);
        break;
    case OP_LISTEN_REMOVE:
        fprintf(out, "stoa_listener_remove(w, l[%d]);\n", (int)o->slot);
        return;
    case OP_READER_NEW:
        fprintf(out, "r[%d] = stoa_reader_new(w, %s);\n", (int)o->slot, name);
        return;
    case OP_READER_FREE:
        fprintf(out, "stoa_reader_free(r[%d]);\n", (int)o->slot);
        return;
    case OP_EVENT_LIMIT:
        fprintf(out, "stoa_event_limit(w, %s, %d);\n", name, (int)o->count);
        return;
    case OP_EVENT_READ:
        fprintf(out, "stoa_event_read(r[%d]); /* %d times */\n", (int)o->slot, (int)o->count);
        return;
    default:
        fprintf(out, "stoa_event_send(w, %s, value(%u), ", name,
                (unsigned)o->seed + (unsigned)o->type);
        break;
    }
    if (o->origin < 0) {
        fprintf(out, "STOA_NULL");
    } else {
        print_entity(out, o);
    }
    fprintf(out, ");\n");
}

static void print_resource_op(FILE *out, const op *o) {
    static const char *const calls[4] = {"set", "try", "try_mut", "remove"};
    fprintf(out, "stoa_resource_%s(w, %s", calls[o->kind - OP_RESOURCE_SET],
            model_types[o->type].name);
    if (o->kind == OP_RESOURCE_SET) {
        fprintf(out, ", value(%u)", (unsigned)o->seed + (unsigned)o->type);
    }
    fprintf(out, ");\n");
}

static void print_world_op(FILE *out, const op *o) {
    if (o->kind == OP_CREATE) {
        fprintf(out, "stoa_entity e%d = stoa_create(w);\n", (int)o->number);
    } else if (o->kind == OP_CREATE_WITH) {
        fprintf(out, "stoa_entity e%d = stoa_create_with(w", (int)o->number);
        print_bundle(out, o);
        fprintf(out, ");\n");
    } else if (o->kind == OP_CREATE_BULK) {
        fprintf(out, "stoa_entity e%d[%d]; stoa_create_bulk(w, %d, e%d", (int)o->number,
                (int)o->count, (int)o->count, (int)o->number);
        print_bundle(out, o);
        fprintf(out, ");\n");
    } else if (o->kind == OP_RESERVE) {
        fprintf(out, "stoa_reserve(w, %d", (int)o->count);
        print_bundle(out, o);
        fprintf(out, ");\n");
    } else if (o->kind == OP_COMPACT) {
        fprintf(out, "stoa_compact(w);\n");
    } else {
        print_entity_op(out, o);
    }
}

void trace_print_op(FILE *out, const op *o) {
    if (o->kind == OP_BAD) {
        fprintf(out, "/* %s: ", bad_names[o->type]);
        print_entity(out, o);
        fprintf(out, " */\n");
    } else if (o->kind >= OP_RESOURCE_SET) {
        print_resource_op(out, o);
    } else if (o->kind >= OP_LISTEN) {
        print_event_op(out, o);
    } else if (o->kind >= OP_BUFFER_NEW) {
        print_buffer_op(out, o);
    } else if (o->kind >= OP_HOOK_NEW) {
        print_watch_op(out, o);
    } else if (o->kind >= OP_TICK) {
        print_tick_op(out, o);
    } else if (o->kind >= OP_QUERY_NEW) {
        print_query_op(out, o);
    } else {
        print_world_op(out, o);
    }
}

void trace_print(FILE *out, const trace *t) {
    fprintf(out,
            "/* seed %u */ stoa_world *w = stoa_world_new(&(stoa_world_desc){ .chunk_size = %u, "
            ".first_tick = %u });\n",
            (unsigned)t->seed, (unsigned)t->chunk_size, (unsigned)t->first_tick);
    for (int32_t i = 0; i < t->count; i++) {
        trace_print_op(out, &t->ops[i]);
    }
}
