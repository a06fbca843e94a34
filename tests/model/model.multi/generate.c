/* The generator: which operations, how often, on what.
 *
 * Each seed has a size it strives for and a set of components, so that some worlds have many
 * entities of few kinds and some few entities of many. Most operations are given a living entity;
 * some a dead one, to be refused. */
#include "generate.h"

/* How often each kind comes, in parts of their sum. */
static const uint8_t weights[OP_KIND_COUNT] = {
    [OP_CREATE] = 5,
    [OP_CREATE_WITH] = 14,
    [OP_CREATE_BULK] = 3,
    [OP_DESTROY] = 12,
    [OP_CLEAR] = 3,
    [OP_SET] = 20,
    [OP_ADD] = 9,
    [OP_REMOVE] = 11,
    [OP_CHANGE] = 14,
    [OP_CLONE] = 5,
    [OP_CLONE_REFUSED] = 1,
    [OP_RESERVE] = 1,
    [OP_COMPACT] = 1,
    [OP_READ] = 6,
    [OP_WRITE] = 6,
    [OP_ENABLE] = 12,
    [OP_QUERY_NEW] = 3,
    [OP_QUERY_FREE] = 1,
    [OP_QUERY_WALK] = 8,
    [OP_QUERY_SINCE] = 3,
    [OP_QUERY_STOP] = 1,
    [OP_QUERY_EACH] = 2,
    [OP_ONCE_WALK] = 3,
    [OP_ONCE_COUNT] = 2,
    [OP_WHOLE_ADD] = 1,
    [OP_WHOLE_SET] = 1,
    [OP_WHOLE_REMOVE] = 1,
    [OP_WHOLE_DESTROY] = 1,
    [OP_TICK] = 6,
    [OP_TICK_JUMP] = 1,
    [OP_TICK_ASK] = 5,
    [OP_LOG_KEEP] = 1,
    [OP_LOG_READ] = 3,
    [OP_HOOK_NEW] = 3,
    [OP_OBSERVE] = 2,
    [OP_HOOK_REMOVE] = 2,
    [OP_BUFFER_NEW] = 1,
    [OP_BUFFER_FREE] = 1,
    [OP_BUFFER_CLEAR] = 1,
    [OP_RECORD] = 40,
    [OP_FLUSH] = 5,
    [OP_FORK] = 1,
    [OP_LISTEN] = 1,
    [OP_LISTEN_REMOVE] = 1,
    [OP_READER_NEW] = 1,
    [OP_READER_FREE] = 1,
    [OP_EVENT_LIMIT] = 1,
    [OP_EVENT_SEND] = 8,
    [OP_EVENT_READ] = 4,
    [OP_RESOURCE_SET] = 2,
    [OP_RESOURCE_READ] = 2,
    [OP_RESOURCE_WRITE] = 2,
    [OP_RESOURCE_REMOVE] = 1,
    [OP_BAD] = 7,
};

/* Entities ever made per trace, beyond which creating turns into destroying. */
#define BEINGS_MAX 12000
/* Ticks that a program may keep one for. */
#define TICK_AGE_MAX 0x3FFFFFFF

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
        for (int i = 0; i < 14; i++) {
            g->types &= ~TYPE_BIT(below(g, TYPE_COUNT));
        }
    }
    for (uint32_t family = FAMILY_HOOKS; family <= FAMILY_WHOLE; family *= 2) {
        g->skipped |= below(g, 2) == 0 ? family : 0;
    }
    if (seed % 40 == 7) {
        g->target = 1000;
        g->bulk_max = 1000;
    }
}

static op_kind kind_draw(generator *g) {
    return (op_kind)support_random_pick(&g->random, weights, OP_KIND_COUNT);
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

/* A set of at most six components. */
static uint32_t few_draw(generator *g) {
    uint32_t set = 0;
    for (uint32_t i = 1 + below(g, 6); i > 0; i--) {
        set |= TYPE_BIT(type_draw(g));
    }
    return set;
}

/* Filters by ticks. Where they go by chunks nothing is written, since what the query meets depends
 * on the chunks. */
static void filters_draw(generator *g, op *o) {
    uint32_t absent = 0;
    for (int type = 0; type < TYPE_COUNT; type++) {
        absent |= o->access[type] == STOA_ACCESS_WITHOUT ? TYPE_BIT(type) : 0;
    }
    uint32_t exact = below(g, 2) == 0 ? TYPE_EXACTS : TYPE_ALL;
    for (uint32_t i = below(g, 3); i > 0; i--) {
        uint32_t bit = TYPE_BIT(type_draw(g)) & exact & ~absent;
        if (below(g, 3) == 0) {
            o->added |= bit;
        } else {
            o->changed |= bit;
        }
    }
    for (int type = 0; ((o->changed | o->added) & ~TYPE_EXACTS) != 0 && type < TYPE_COUNT; type++) {
        if (o->access[type] == STOA_ACCESS_WRITE || o->access[type] == STOA_ACCESS_OPTIONAL_WRITE ||
            o->access[type] == STOA_ACCESS_ANY_WRITE) {
            o->access[type]--;
        }
    }
}

static void query_draw(generator *g, op *o) {
    uint32_t set = few_draw(g);
    for (int type = 0; type < TYPE_COUNT; type++) {
        if (set >> type & 1) {
            uint32_t draw = below(g, 10);
            o->access[type] = (uint8_t)(draw < 8 ? draw + 1 : STOA_ACCESS_OPTIONAL);
            o->group[type] = (uint8_t)below(g, 3);
        }
    }
    if (o->kind != OP_OBSERVE && below(g, 3) == 0) {
        filters_draw(g, o);
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
    if (o->kind == OP_ENABLE && below(g, 8) != 0) {
        o->type = type_draw_of(g, has & TYPE_SWITCHES);
    }
}

/* Ticks ago: mostly few, now and then as many as a program may ask for. */
static uint32_t age_draw(generator *g) {
    return below(g, 12) == 0 ? below(g, TICK_AGE_MAX) : below(g, 12);
}

/* Ticks at once: some, about as many as the world keeps apart or half of them, or any number. */
static uint32_t jump_draw(generator *g) {
    uint32_t kind = below(g, 6);
    if (kind < 2) {
        return (kind == 0 ? 1u << 29 : 1u << 30) - 20 + below(g, 40);
    }
    return kind == 2 ? support_random_next(&g->random) : 1 + below(g, 1000);
}

static void tick_draw(generator *g, const reference *r, op *o) {
    o->age = age_draw(g);
    switch (o->kind) {
    case OP_TICK:
        o->count = 1 + (int32_t)below(g, 3);
        break;
    case OP_TICK_JUMP:
        o->age = jump_draw(g);
        break;
    case OP_TICK_ASK:
        (void)entity_draw(g, r, o, below(g, 10) == 0);
        break;
    case OP_LOG_KEEP:
        o->count = below(g, 6) == 0 ? 0 : 1 + (int32_t)below(g, 30);
        break;
    default:
        o->type = below(g, 3) == 0 ? -1 : type_draw(g);
        break;
    }
}

static void watch_draw(generator *g, op *o) {
    o->slot = (int32_t)below(g, TRACE_HOOKS);
    o->sub = (int32_t)below(g, 3);
    if (o->kind == OP_HOOK_NEW) {
        o->type = type_draw(g);
    } else if (o->kind == OP_OBSERVE) {
        query_draw(g, o);
    }
    if ((g->skipped & FAMILY_ACTIONS) == 0 && below(g, 2) == 0) {
        o->action = (int32_t)below(g, ACTION_COUNT);
        o->action_type = type_draw(g);
        /* What is set has no owner, so that no instance is made inside of hooks. */
        if (model_types[o->action_type].owner != 0) {
            o->action_type = TYPE_SCORE;
        }
    }
}

/* Commands come in streaks on one entity, so that there is something to join. */
static void record_draw(generator *g, const reference *r, op *o, const op *last) {
    static const uint8_t subs[16] = {
        OP_CREATE, OP_CREATE_WITH, OP_DESTROY, OP_SET,    OP_SET,    OP_SET,    OP_ADD,    OP_ADD,
        OP_REMOVE, OP_REMOVE,      OP_REMOVE,  OP_CHANGE, OP_CHANGE, OP_CHANGE, OP_ENABLE, OP_SET};
    o->sub = subs[below(g, 16)];
    if (o->sub <= OP_CREATE_WITH && (r->count > BEINGS_MAX || r->live_count > g->target)) {
        o->sub = OP_DESTROY;
    }
    if (last != NULL && last->kind == OP_RECORD && below(g, 3) != 0) {
        bool made = last->sub == OP_CREATE || last->sub == OP_CREATE_WITH;
        o->slot = last->slot;
        o->origin = made ? last->number : last->origin;
        o->origin_item = made ? 0 : last->origin_item;
    } else {
        (void)entity_draw(g, r, o, below(g, 12) == 0);
    }
    o->type = o->sub == OP_ENABLE ? type_draw_of(g, TYPE_SWITCHES & g->types) : type_draw(g);
    if (o->sub == OP_CHANGE) {
        change_draw(g, o);
    } else if (o->sub == OP_CREATE_WITH) {
        bundle_draw(g, o);
    }
}

static void buffer_draw(generator *g, const reference *r, op *o, const op *last) {
    o->slot = (int32_t)below(g, TRACE_BUFFERS);
    if (o->kind == OP_RECORD) {
        record_draw(g, r, o, last);
    } else if (o->kind == OP_FORK) {
        (void)entity_draw(g, r, o, false);
        bundle_draw(g, o);
        o->type = type_draw(g);
        o->count = 1 + (int32_t)below(g, 12);
    }
}

static void event_draw(generator *g, const reference *r, op *o) {
    o->type = type_draw(g);
    o->slot = (int32_t)below(g, TRACE_LISTENERS);
    o->count = 1 + (int32_t)below(g, 5);
    if (o->kind == OP_EVENT_LIMIT) {
        o->count = 1 + (int32_t)below(g, 10);
    } else if ((o->kind == OP_EVENT_SEND || o->kind == OP_LISTEN) && below(g, 2) == 0) {
        (void)entity_draw(g, r, o, below(g, 12) == 0);
    }
    /* Few types, so that events and those who want them meet. */
    if (below(g, 4) != 0) {
        uint32_t set = g->types;
        int kept = 0;
        o->type = 0;
        for (int type = 0; type < TYPE_COUNT; type++) {
            if (set >> type & 1 && kept++ < 1 + (int)below(g, 3)) {
                o->type = type;
            }
        }
    }
}

static void whole_draw(generator *g, op *o) {
    slot_draw(g, o);
    o->type = type_draw(g);
}

/* The family of a kind, 0 if it has none. */
static uint32_t kind_family(op_kind kind) {
    if (kind == OP_LOG_KEEP || kind == OP_LOG_READ) {
        return FAMILY_LOG;
    }
    if (kind == OP_OBSERVE) {
        return FAMILY_OBSERVERS;
    }
    if (kind >= OP_WHOLE_ADD && kind <= OP_WHOLE_DESTROY) {
        return FAMILY_WHOLE;
    }
    if (kind == OP_HOOK_NEW) {
        return FAMILY_HOOKS;
    }
    if (kind >= OP_BUFFER_NEW && kind <= OP_FORK) {
        return FAMILY_COMMANDS;
    }
    return kind >= OP_LISTEN && kind <= OP_EVENT_READ ? FAMILY_EVENTS : 0;
}

static void world_draw(generator *g, const reference *r, op *o) {
    switch (o->kind) {
    case OP_CREATE_WITH:
        bundle_draw(g, o);
        break;
    case OP_CREATE_BULK:
    case OP_RESERVE:
        bundle_draw(g, o);
        o->count = 1 + (int32_t)below(g, (uint32_t)g->bulk_max);
        break;
    case OP_DESTROY:
        (void)entity_draw(g, r, o, false);
        o->count = below(g, 8) == 0 ? 2 + (int32_t)below(g, 60) : 0;
        break;
    case OP_CLEAR:
    case OP_CLONE:
    case OP_CLONE_REFUSED:
        (void)entity_draw(g, r, o, false);
        break;
    case OP_CHANGE:
        (void)entity_draw(g, r, o, false);
        change_draw(g, o);
        break;
    case OP_SET:
    case OP_ADD:
    case OP_REMOVE:
    case OP_READ:
    case OP_WRITE:
    case OP_ENABLE:
        single_draw(g, r, o);
        break;
    default:
        break;
    }
}

static void query_op_draw(generator *g, op *o) {
    if (o->kind >= OP_WHOLE_ADD) {
        whole_draw(g, o);
    } else if (o->kind == OP_ONCE_WALK || o->kind == OP_ONCE_COUNT) {
        query_draw(g, o);
    } else {
        slot_draw(g, o);
        o->age = age_draw(g);
    }
}

void generator_next(generator *g, const reference *r, int32_t number, op *o) {
    const op *last = number > 0 ? o - 1 : NULL;
    op_kind kind = kind_steer(g, r, kind_draw(g));
    while ((g->skipped & kind_family(kind)) != 0) {
        kind = kind_draw(g);
    }
    *o =
        (op){.kind = kind, .number = number, .origin = -1, .seed = support_random_next(&g->random)};
    if (kind == OP_BAD) {
        bad_draw(g, r, o);
    } else if (kind >= OP_RESOURCE_SET) {
        o->type = type_draw(g);
        o->age = age_draw(g);
    } else if (kind >= OP_LISTEN) {
        event_draw(g, r, o);
    } else if (kind >= OP_BUFFER_NEW) {
        buffer_draw(g, r, o, last);
    } else if (kind >= OP_HOOK_NEW) {
        watch_draw(g, o);
    } else if (kind >= OP_TICK) {
        tick_draw(g, r, o);
    } else if (kind >= OP_QUERY_NEW) {
        query_op_draw(g, o);
    } else {
        world_draw(g, r, o);
    }
}
