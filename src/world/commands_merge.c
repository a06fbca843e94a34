/* Commands on one entity that follow each other, applied as one change.
 *
 * What each component comes to is worked out by going through the commands: whether the entity had
 * it, whether it has it at the end, and which value is left. The entity then moves once. The result
 * is that of one command after the other:
 * - a component that was taken away and came back counts as added now, and is switched on;
 * - an entity that would have left its archetype and come back is the last of it;
 * - an entity that is destroyed at the end is destroyed without the changes before.
 * Nobody may be watching: a command that concerns a component with hooks ends a group, and so does
 * one that switches, and nothing is merged while observers or a log want to know. Going through the
 * commands changes nothing, so a group that fails is still recorded. Needs no memory of its own.
 * O(commands * components named). */
#include "storage/edge.h"
#include "storage/entities.h"
#include "storage/sparse.h"
#include "world/commands_buffer.h"
#include "world/values.h"

/* What a group comes to for one component. */
typedef struct net {
    stoa_component id;
    bool sparse;
    bool before;       /* the entity had it */
    bool now;          /* it has it after the commands so far */
    bool put;          /* with another value than before */
    bool again;        /* it was taken away and came back */
    const void *value; /* the one recorded; NULL: zeroed */
} net;

typedef struct group {
    stoa_commands *commands;
    stoa_entity entity;
    stoa__archetype *archetype; /* the entity's; NULL if it is created by the group */
    stoa__arena_place end;      /* past the last command */
    int32_t count;              /* commands */
    bool dies;
    bool sparse; /* some component is sparse */
    bool moves;  /* some command would move it to another archetype */
    bool renews; /* some component was taken away and came back */
    bool loses;  /* some value with a drop hook is not in the end */
    uint32_t net_count;
    net nets[STOA_BUNDLE_MAX];
} group;

/* True if the entity has the component before the group. */
static bool component_before(const group *g, const stoa__component *component) {
    if (g->archetype == NULL) {
        return false;
    }
    return component->set != NULL
               ? stoa__sparse_find(component->set, g->entity.index) != STOA__NONE
               : stoa__archetype_column(g->archetype, component->info.id) != NULL;
}

/* The net of a component, made if it is named for the first time; NULL if it cannot be in a group:
 * its type cannot be registered, somebody wants to know of it, or there are too many. */
static net *net_of(group *g, uint32_t kind) {
    stoa_component id = stoa__kind_id(g->commands, kind);
    for (uint32_t i = g->net_count; i-- > 0;) {
        if (g->nets[i].id == id) {
            return &g->nets[i];
        }
    }
    if (id == 0 || g->net_count == STOA_BUNDLE_MAX) {
        return NULL;
    }
    const stoa__component *component = stoa__component_at(&g->commands->world->storage, id);
    if (component->hooked != 0) {
        return NULL;
    }
    bool before = component_before(g, component);
    net *n = &g->nets[g->net_count++];
    *n = (net){.id = id, .sparse = component->set != NULL, .before = before, .now = before};
    g->sparse |= n->sparse;
    return n;
}

/* Works a command or part into the net of its component. */
static void part_add(group *g, net *n, const stoa__command *part) {
    const stoa__kind *kind = &g->commands->kinds[part->kind];
    bool puts = part->op != STOA__COMMAND_REMOVE;
    if ((part->op == STOA__COMMAND_ADD && n->now) || (!puts && !n->now)) {
        return;
    }
    g->loses |= n->value != NULL && kind->drop != NULL;
    g->moves |= n->now != puts && !n->sparse;
    n->again |= puts && !n->now && n->before;
    g->renews |= n->again;
    n->now = puts;
    n->put = puts;
    n->value =
        part->op == STOA__COMMAND_SET && kind->size != 0 ? stoa__command_value(part, kind) : NULL;
}

/* Works a creation or change in, whose parts are at `place`, which moves past them; false if it
 * cannot be in the group. */
static bool bundle_add(group *g, const stoa__command *command, stoa__arena_place *place) {
    stoa__arena_place parts = *place;
    for (uint32_t i = 0; i < command->extent; i++) {
        /* A net that is made for nothing does nothing. */
        if (net_of(g, stoa__command_read(g->commands, &parts)->kind) == NULL) {
            return false;
        }
    }
    for (uint32_t i = 0; i < command->extent; i++) {
        const stoa__command *part = stoa__command_read(g->commands, place);
        part_add(g, net_of(g, part->kind), part);
    }
    return true;
}

/* Works a command in; `place` is after it and moves past its parts. False if it cannot be in the
 * group. */
static bool command_add(group *g, const stoa__command *command, stoa__arena_place *place) {
    if (stoa__command_is_bundle(command)) {
        return bundle_add(g, command, place);
    }
    if (command->op == STOA__COMMAND_DESTROY) {
        /* Hooks of components that the group does not name would see the changes before. */
        g->dies = g->commands->world->hooks.first == NULL;
        return g->dies;
    }
    net *n = command->op < STOA__COMMAND_ENABLE ? net_of(g, command->kind) : NULL;
    if (n != NULL) {
        part_add(g, n, command);
    }
    return n != NULL;
}

/* Gathers commands from the buffer's place on. */
static void group_gather(group *g) {
    stoa__arena_place place = g->end;
    while (!g->dies) {
        const stoa__command *command = stoa__command_read(g->commands, &place);
        if (command == NULL || !stoa_entity_eq(command->entity, g->entity) ||
            !command_add(g, command, &place)) {
            return;
        }
        g->end = place;
        g->count++;
    }
}

/* Drops the values of the group that were not moved out of the buffer. */
static void values_drop(const group *g, stoa__arena_place place) {
    stoa_commands *commands = g->commands;
    while (place.at != g->end.at) {
        const stoa__command *part = stoa__command_read(commands, &place);
        const stoa__kind *kind = &commands->kinds[part->kind];
        if (part->op != STOA__COMMAND_SET || kind->drop == NULL) {
            continue;
        }
        uint8_t *value = stoa__command_value(part, kind);
        bool kept = false;
        for (uint32_t i = 0; i < g->net_count && !g->dies && !kept; i++) {
            kept = g->nets[i].value == value;
        }
        if (!kept) {
            stoa__kind_drop(kind, value);
        }
    }
}

/* A column that was taken away and came back in one change: it counts as added, and is on. */
static void column_renew(stoa_world *world, stoa_entity e, stoa_component id) {
    const stoa__storage *storage = &world->storage;
    uint32_t place = stoa__place_of(storage, e.index);
    const stoa__archetype *archetype = stoa__row_archetype(storage, place);
    stoa__row row = stoa__row_at(storage, place);
    uint32_t index = stoa__archetype_column(archetype, id)->index;
    stoa__state_mark(stoa__state_of(row.columns, index), storage->head.tick, true);
    const stoa__lane *lane = stoa__archetype_lane(archetype, id, STOA__LANE_ADDED);
    if (lane != NULL) {
        ((uint32_t *)(void *)row.columns[lane->index])[row.slot] = storage->head.tick;
    }
    if (stoa__archetype_lane(archetype, id, STOA__LANE_OFF) != NULL) {
        stoa_enable_id(world, e, id, true);
    }
}

/* Moves the row of an entity that comes back to where it was to the end. Makes sure before that the
 * change cannot fail. */
static stoa_status group_requeue(const group *g) {
    stoa_world *world = g->commands->world;
    if (!g->moves || g->archetype == NULL || g->archetype->index == 0) {
        return STOA_OK;
    }
    for (uint32_t i = 0; i < g->net_count; i++) {
        if (!g->nets[i].sparse && g->nets[i].before != g->nets[i].now) {
            return STOA_OK;
        }
    }
    for (uint32_t i = 0; i < g->net_count; i++) {
        const net *n = &g->nets[i];
        stoa__sparse *set = stoa__component_at(&world->storage, n->id)->set;
        if (set != NULL && n->now && !n->before &&
            !stoa__sparse_reserve(&world->storage.heap, set, g->entity.index, 1)) {
            return stoa__world_report(world, stoa__error_memory("a sparse component"));
        }
    }
    return stoa__world_report(world, stoa__world_requeue(world, g->entity));
}

/* What the one change leaves out to be the same as many. */
static void group_settle(const group *g) {
    stoa_world *world = g->commands->world;
    for (uint32_t i = 0; i < g->net_count; i++) {
        const net *n = &g->nets[i];
        if (!n->again || !n->now) {
            continue;
        }
        if (!n->sparse) {
            column_renew(world, g->entity, n->id);
            continue;
        }
        /* The room that it leaves is the room that it needs: neither can fail. */
        stoa_remove_id(world, g->entity, n->id);
        if (n->value != NULL) {
            const stoa__component *component = stoa__component_at(&world->storage, n->id);
            stoa_set_id(world, g->entity, n->id, n->value, component->info.size);
        } else {
            stoa_add_id(world, g->entity, n->id);
        }
    }
}

/* What a group does to columns, as the key of an edge. */
typedef struct way {
    uint32_t count;
    uint32_t hash;
    bool leads; /* to another archetype */
    uint32_t key[STOA_BUNDLE_MAX];
    const void *values[STOA_BUNDLE_MAX];
} way;

/* Lists what the group does to columns, in order of ids. */
static void way_find(const group *g, way *w) {
    w->count = 0;
    w->leads = false;
    for (uint32_t i = 0; i < g->net_count; i++) {
        const net *n = &g->nets[i];
        if (!n->put && n->now == n->before) {
            continue;
        }
        uint32_t at = w->count++;
        for (; at > 0 && (w->key[at - 1] & ~STOA__KEY_DROP) > n->id; at--) {
            w->key[at] = w->key[at - 1];
            w->values[at] = w->values[at - 1];
        }
        w->key[at] = n->id | (n->now ? 0 : STOA__KEY_DROP);
        w->values[at] = n->value;
        w->leads |= n->now != n->before;
    }
    w->hash = 0;
    for (uint32_t i = 0; i < w->count; i++) {
        w->hash = stoa__edge_hash(w->hash, w->key[i]);
    }
}

/* Moves the entity, or makes it, along an edge that leads to an archetype with components. */
static stoa_status edge_take(const group *g, stoa__archetype *source, stoa__edge *edge,
                             const way *w) {
    stoa__storage *storage = &g->commands->world->storage;
    stoa__row to;
    stoa_status status = stoa__row_append(storage, edge->target, &to);
    if (status != STOA_OK) {
        return stoa__world_report(g->commands->world, status);
    }
    stoa__edge_ready(storage, edge);
    for (uint32_t i = 0; i < w->count; i++) {
        stoa__value_put(edge, &edge->puts[i], to, w->values[i]);
    }
    stoa__edge_mark(storage, edge, to);
    *stoa__row_entity(to) = g->entity;
    uint32_t slot = g->entity.index;
    if (g->archetype == NULL) {
        stoa__entities_live(storage, g->entity, to.place);
        return STOA_OK;
    }
    if (source->index == 0) {
        storage->empty_count--;
    } else {
        stoa__row from = stoa__row_at(storage, stoa__place_of(storage, slot));
        stoa__edge_move(storage, edge, source, from, to);
    }
    stoa__place_set(storage->head.records, slot, to.place);
    stoa__record_stamp(storage, slot);
    return STOA_OK;
}

/* Applies a group that leads from one set of columns to another; `*done` is false if it is of
 * another sort. */
static stoa_status group_move(const group *g, bool *done) {
    stoa_world *world = g->commands->world;
    stoa__storage *storage = &world->storage;
    stoa__archetype *source = g->archetype != NULL ? g->archetype : storage->archetypes[0];
    way w;
    *done = false;
    if (g->sparse) {
        return STOA_OK;
    }
    way_find(g, &w);
    if (!w.leads) {
        return STOA_OK;
    }
    stoa__edge *edge = stoa__edge_get(storage, source, w.key, w.count, w.hash);
    if (edge == NULL) {
        return stoa__world_report(world, stoa_last_error().status);
    }
    if (edge->target->index == 0) {
        return STOA_OK;
    }
    *done = true;
    return edge_take(g, source, edge, &w);
}

/* Applies any group to an entity that stays alive. */
static stoa_status group_change(const group *g) {
    stoa_world *world = g->commands->world;
    stoa_value values[STOA_BUNDLE_MAX];
    int32_t count = 0;
    for (uint32_t i = 0; i < g->net_count; i++) {
        const net *n = &g->nets[i];
        if (n->put && !(n->again && n->sparse)) {
            values[count++] = (stoa_value){.id = n->id, .data = n->value, .op = STOA_PUT};
        } else if (!n->now && n->before) {
            values[count++] = (stoa_value){.id = n->id, .op = STOA_DROP};
        }
    }
    if (g->archetype == NULL) {
        return stoa__world_birth(world, g->entity, values, count);
    }
    stoa_status status = group_requeue(g);
    return status == STOA_OK && count > 0 ? stoa_change_values(world, g->entity, values, count)
                                          : status;
}

/* Applies what the group comes to. */
static stoa_status group_apply(const group *g) {
    stoa_world *world = g->commands->world;
    if (g->dies && g->archetype == NULL) {
        /* It would have lived for a moment. */
        stoa__entities_unhold(&world->storage, g->entity, true);
        return STOA_OK;
    }
    if (g->dies) {
        return stoa_destroy(world, g->entity);
    }
    bool done;
    stoa_status status = group_move(g, &done);
    if (status == STOA_OK && !done) {
        status = group_change(g);
    }
    if (status == STOA_OK && g->renews) {
        group_settle(g);
    }
    return status;
}

stoa_status stoa__commands_group(stoa_commands *commands, bool *merged) {
    stoa_world *world = commands->world;
    stoa__arena_place start = commands->place;
    const stoa__command *first = stoa__arena_peek(&commands->arena, &start);
    const stoa_record *record = stoa__entities_find(&world->storage, first->entity);
    bool births = first->op == STOA__COMMAND_CREATE;
    *merged = false;
    if (world->storage.watch_all || (record == NULL && !births)) {
        return STOA_OK;
    }
    group g;
    g.commands = commands;
    g.entity = first->entity;
    g.archetype = births ? NULL
                         : stoa__row_archetype(&world->storage,
                                               stoa__place_of(&world->storage, g.entity.index));
    g.end = start;
    g.count = 0;
    g.dies = g.sparse = g.moves = g.renews = g.loses = false;
    g.net_count = 0;
    group_gather(&g);
    if (g.count < 2 && !(g.count == 1 && stoa__command_is_bundle(first))) {
        return STOA_OK;
    }
    *merged = true;
    stoa_status status = group_apply(&g);
    if (status != STOA_OK) {
        return status;
    }
    if (g.loses || (g.dies && commands->owning)) {
        values_drop(&g, start);
    }
    commands->place = g.end;
    commands->count -= g.count;
    commands->creations -= births;
    return STOA_OK;
}
