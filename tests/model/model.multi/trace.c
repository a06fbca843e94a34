/* Traces as text, and what is derived from an operation's numbers.
 *
 * All is a pure function of the operation, so that a run, its replay and the printed calls agree.
 */
#include "trace.h"

static const char *const access_names[] = {
    "", "READ", "WRITE", "WITHOUT", "OPTIONAL", "OPTIONAL_WRITE", "ANY", "ANY_WRITE", "FILTER"};

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

int trace_order(const op *o, uint32_t set, int order[TYPE_COUNT]) {
    int count = 0;
    int start = (int)(o->seed >> 8) % TYPE_COUNT;
    bool backward = (o->seed >> 16 & 1) != 0;
    for (int i = 0; i < TYPE_COUNT; i++) {
        int type = (start + (backward ? TYPE_COUNT - i : i)) % TYPE_COUNT;
        if (set >> type & 1) {
            order[count++] = type;
        }
    }
    return count;
}

static uint32_t query_set(const op *o) {
    uint32_t set = 0;
    for (int type = 0; type < TYPE_COUNT; type++) {
        if (o->access[type] != STOA_ACCESS_END) {
            set |= 1u << type;
        }
    }
    return set;
}

void trace_query(const op *o, const stoa_component *ids, stoa_query_desc *desc,
                 int types[TYPE_COUNT], int *count) {
    *desc = (stoa_query_desc){.name = NULL};
    *count = trace_order(o, query_set(o), types);
    for (int i = 0; i < *count; i++) {
        int type = types[i];
        stoa_type *descriptor = (o->seed >> i & 1) != 0 ? model_types[type].descriptor : NULL;
        desc->terms[i] =
            (stoa_term){descriptor, ids[type], (stoa_access)o->access[type], o->group[type]};
    }
}

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
    int order[TYPE_COUNT];
    int count = trace_order(o, query_set(o), order);
    fprintf(out, "&(stoa_query_desc){ .terms = {");
    for (int i = 0; i < count; i++) {
        int type = order[i];
        bool any = o->access[type] == STOA_ACCESS_ANY || o->access[type] == STOA_ACCESS_ANY_WRITE;
        fprintf(out, "%s STOA_%s(%s)", i == 0 ? "" : ",", access_names[o->access[type]],
                model_types[type].name);
        if (any) {
            fprintf(out, " /* group %d */", o->group[type]);
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
        print_call(out, "stoa_destroy", o, "");
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
    if (o->kind == OP_QUERY_NEW) {
        fprintf(out, "q[%d] = stoa_query_new(w, ", (int)o->slot);
        print_terms(out, o);
        fprintf(out, ");\n");
    } else if (o->kind == OP_QUERY_FREE) {
        fprintf(out, "stoa_query_free(q[%d]);\n", (int)o->slot);
    } else if (o->kind == OP_QUERY_EACH) {
        fprintf(out, "stoa_query_each(q[%d], write_value, %u);\n", (int)o->slot, (unsigned)o->seed);
    } else if (o->kind == OP_QUERY_WALK) {
        fprintf(out, "walk(stoa_query_iter(q[%d]), %u);\n", (int)o->slot, (unsigned)o->seed);
    } else if (o->kind == OP_ONCE_COUNT) {
        fprintf(out, "stoa_query_once_count(w, ");
        print_terms(out, o);
        fprintf(out, ");\n");
    } else {
        fprintf(out, "walk(stoa_query_once(w, ");
        print_terms(out, o);
        fprintf(out, "), %u);\n", (unsigned)o->seed);
    }
}

void trace_print_op(FILE *out, const op *o) {
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
    } else if (o->kind == OP_BAD) {
        fprintf(out, "/* %s: ", bad_names[o->type]);
        print_entity(out, o);
        fprintf(out, " */\n");
    } else if (o->kind >= OP_QUERY_NEW) {
        print_query_op(out, o);
    } else {
        print_entity_op(out, o);
    }
}

void trace_print(FILE *out, const trace *t) {
    fprintf(
        out,
        "/* seed %u */ stoa_world *w = stoa_world_new(&(stoa_world_desc){ .chunk_size = %u });\n",
        (unsigned)t->seed, (unsigned)t->chunk_size);
    for (int32_t i = 0; i < t->count; i++) {
        trace_print_op(out, &t->ops[i]);
    }
}
