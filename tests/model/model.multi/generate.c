/* The generator: which operations, how often, on what.
 *
 * Each seed has a size it strives for and a set of components, so that some worlds have many
 * entities of few kinds and some few entities of many. Most operations are given a living entity;
 * some a dead one, to be refused. */
#include "generate.h"

/* How often each kind comes, in parts of their sum. */
static const uint8_t weights[OP_KIND_COUNT] = {
    [OP_CREATE] = 5,     [OP_CREATE_WITH] = 14, [OP_CREATE_BULK] = 3,   [OP_DESTROY] = 12,
    [OP_CLEAR] = 3,      [OP_SET] = 20,         [OP_ADD] = 9,           [OP_REMOVE] = 11,
    [OP_CHANGE] = 14,    [OP_CLONE] = 5,        [OP_CLONE_REFUSED] = 1, [OP_RESERVE] = 1,
    [OP_COMPACT] = 1,    [OP_READ] = 8,         [OP_WRITE] = 6,         [OP_QUERY_NEW] = 2,
    [OP_QUERY_FREE] = 1, [OP_QUERY_WALK] = 6,   [OP_QUERY_EACH] = 2,    [OP_ONCE_WALK] = 3,
    [OP_ONCE_COUNT] = 2, [OP_BAD] = 7,
};

/* Entities ever made per trace, beyond which creating turns into destroying. */
#define BEINGS_MAX 12000

static uint32_t below(generator *g, uint32_t n) {
    return support_random_below(&g->random, n);
}

void generator_init(generator *g, uint32_t seed) {
    static const int32_t targets[8] = {3, 12, 40, 80, 120, 200, 300, 60};
    *g = (generator){.random = {seed * 2654435761u + 17}};
    g->target = targets[below(g, 8)];
    g->bulk_max = 24;
    g->types = TYPE_ALL;
    if (below(g, 3) != 0) {
        for (int i = 0; i < 7; i++) {
            g->types &= ~(1u << below(g, TYPE_COUNT));
        }
    }
    if (seed % 25 == 7) {
        g->target = 1000;
        g->bulk_max = 1000;
    }
}

static op_kind kind_draw(generator *g) {
    uint32_t sum = 0;
    for (int kind = 0; kind < OP_KIND_COUNT; kind++) {
        sum += weights[kind];
    }
    uint32_t draw = below(g, sum);
    int kind = 0;
    while (draw >= weights[kind]) {
        draw -= weights[kind++];
    }
    return (op_kind)kind;
}

/* A random part of the components in use; each with a chance of `numerator` in 8. */
static uint32_t set_draw(generator *g, uint32_t numerator) {
    uint32_t set = 0;
    for (int type = 0; type < TYPE_COUNT; type++) {
        if (below(g, 8) < numerator) {
            set |= 1u << type;
        }
    }
    return set & g->types;
}

static int type_draw(generator *g) {
    int type = (int)below(g, TYPE_COUNT);
    while (!(g->types >> type & 1)) {
        type = (type + 1) % TYPE_COUNT;
    }
    return type;
}

/* Any type that is in `set`, or any in use if that is empty. */
static int type_draw_of(generator *g, uint32_t set) {
    if (set == 0) {
        return type_draw(g);
    }
    int type = (int)below(g, TYPE_COUNT);
    while (!(set >> type & 1)) {
        type = (type + 1) % TYPE_COUNT;
    }
    return type;
}

/* Chooses a being and notes who made it; `dead` asks for one that does not live. */
static const being *entity_draw(generator *g, const reference *r, op *o, bool dead) {
    int32_t item = -1;
    if (dead) {
        item = r->count == 0 || below(g, 4) == 0 ? -1 : (int32_t)below(g, (uint32_t)r->count);
        if (item >= 0 && r->items[item].alive) {
            item = -1;
        }
    } else if (r->live_count > 0) {
        item = r->live[below(g, (uint32_t)r->live_count)];
    }
    o->origin = -1;
    if (item < 0) {
        return NULL;
    }
    o->origin = r->items[item].maker;
    o->origin_item = r->items[item].maker_item;
    return &r->items[item];
}

static void bundle_draw(generator *g, op *o) {
    uint32_t set = set_draw(g, 1 + below(g, 6));
    o->zero = set & set_draw(g, 2);
    o->put = set & ~o->zero;
    if (set == 0) {
        o->put = 1u << type_draw(g);
    }
}

static void change_draw(generator *g, op *o) {
    bundle_draw(g, o);
    o->drop = set_draw(g, 3) & ~(o->put | o->zero);
    if (below(g, 3) == 0) {
        o->put = 0;
    }
    if ((o->put | o->zero | o->drop) == 0) {
        o->drop = 1u << type_draw(g);
    }
}

static void query_draw(generator *g, op *o) {
    uint32_t set = set_draw(g, 1 + below(g, 5));
    if (set == 0) {
        set = 1u << type_draw(g);
    }
    for (int type = 0; type < TYPE_COUNT; type++) {
        if (set >> type & 1) {
            uint32_t draw = below(g, 10);
            o->access[type] = (uint8_t)(draw < 8 ? draw + 1 : STOA_ACCESS_OPTIONAL);
            o->group[type] = (uint8_t)below(g, 3);
        }
    }
}

static void slot_draw(generator *g, op *o) {
    o->slot = (int32_t)below(g, TRACE_QUERIES);
    if (o->kind == OP_QUERY_NEW) {
        query_draw(g, o);
        g->kept |= 1u << o->slot;
        return;
    }
    for (int i = 0; i < TRACE_QUERIES && !(g->kept >> o->slot & 1); i++) {
        o->slot = (o->slot + 1) % TRACE_QUERIES;
    }
    if (o->kind == OP_QUERY_FREE) {
        g->kept &= ~(1u << o->slot);
    }
}

static void bad_draw(generator *g, const reference *r, op *o) {
    o->type = (int32_t)below(g, BAD_KIND_COUNT);
    (void)entity_draw(g, r, o, o->type <= BAD_STALE_GET);
    o->put = 1u << type_draw(g);
}

/* Keeps the number of entities near what the seed strives for. */
static op_kind kind_steer(generator *g, const reference *r, op_kind kind) {
    bool makes = kind <= OP_CREATE_BULK || kind == OP_CLONE;
    if (makes && r->count > BEINGS_MAX) {
        return OP_SET;
    }
    if (makes && r->live_count > g->target && below(g, 3) != 0) {
        return OP_DESTROY;
    }
    if (kind == OP_DESTROY && r->live_count < g->target && below(g, 2) != 0) {
        return OP_CREATE_WITH;
    }
    return kind;
}

static void single_draw(generator *g, const reference *r, op *o) {
    const being *b = entity_draw(g, r, o, false);
    uint32_t has = b == NULL ? 0 : b->has;
    bool wants = o->kind == OP_REMOVE || o->kind == OP_WRITE || o->kind == OP_READ;
    o->type = wants && below(g, 4) != 0 ? type_draw_of(g, has) : type_draw(g);
}

void generator_next(generator *g, const reference *r, int32_t number, op *o) {
    *o = (op){.number = number, .origin = -1, .seed = support_random_next(&g->random)};
    o->kind = kind_steer(g, r, kind_draw(g));
    switch (o->kind) {
    case OP_CREATE:
    case OP_COMPACT:
    case OP_KIND_COUNT:
        break;
    case OP_CREATE_WITH:
        bundle_draw(g, o);
        break;
    case OP_CREATE_BULK:
    case OP_RESERVE:
        bundle_draw(g, o);
        o->count = 1 + (int32_t)below(g, (uint32_t)g->bulk_max);
        break;
    case OP_DESTROY:
    case OP_CLEAR:
    case OP_CLONE:
    case OP_CLONE_REFUSED:
        (void)entity_draw(g, r, o, false);
        break;
    case OP_SET:
    case OP_ADD:
    case OP_REMOVE:
    case OP_READ:
    case OP_WRITE:
        single_draw(g, r, o);
        break;
    case OP_CHANGE:
        (void)entity_draw(g, r, o, false);
        change_draw(g, o);
        break;
    case OP_ONCE_WALK:
    case OP_ONCE_COUNT:
        query_draw(g, o);
        break;
    case OP_QUERY_NEW:
    case OP_QUERY_FREE:
    case OP_QUERY_WALK:
    case OP_QUERY_EACH:
        slot_draw(g, o);
        break;
    case OP_BAD:
        bad_draw(g, r, o);
        break;
    }
}
