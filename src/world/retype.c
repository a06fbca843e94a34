/* Components that get other descriptions, as the world sees it.
 *
 * The storage drafts descriptions and makes room for values of entities; here are the resource and
 * the queued events of a type, and the order in which all is done. Values are made in one fixed
 * order, so that the number made tells which must be dropped when one fails. One thread at a time.
 */
#include "stoa/retype.h"

#include "storage/registry.h"
#include "storage/retype.h"
#include "world/retype.h"
#include "world/world.h"

#include <string.h>

/* The resource and the queue of a component, on the side that is not in force. */
typedef struct rest {
    stoa_component id;
    void *resource; /* a block, or NULL */
    stoa__channel *channel;
    stoa__channel twin; /* if there is a channel */
} rest;

struct stoa_retype {
    stoa_world *world;
    stoa__redraft redraft;
    rest *rests; /* one for each component of another layout */
    uint32_t rest_count;
    bool converted; /* or it was tried */
    bool ready;     /* all values are made */
    bool making;    /* extensions make theirs */
    uint32_t told;  /* extensions that have both sides */
    uint64_t made;  /* values of after */
    stoa_convert_fn convert;
    void *user;
};

static size_t resource_size(const stoa_component_info *info) {
    return info->size != 0 ? info->size : 1;
}

static void **resource_at(stoa_world *world, stoa_component id) {
    return id <= world->resources.capacity ? &world->resources.items[id - 1].value : NULL;
}

static stoa__channel *channel_at(const stoa_world *world, stoa_component id) {
    return id <= world->events.capacity ? world->events.channels[id - 1] : NULL;
}

static uint8_t *event_value(const stoa__channel *channel, uint64_t number) {
    return (uint8_t *)stoa__queue_slot(channel, number) + channel->offset;
}

void stoa__retype_rest(stoa_world *world, stoa_component id,
                       void (*call)(const stoa__component *component, void *values, size_t count)) {
    const stoa__component *component = stoa__component_at(&world->storage, id);
    void **resource = resource_at(world, id);
    const stoa__channel *channel = channel_at(world, id);
    if (resource != NULL && *resource != NULL) {
        call(component, *resource, 1);
    }
    for (uint64_t i = channel != NULL ? channel->head : 0; channel != NULL && i < channel->tail;
         i++) {
        call(component, event_value(channel, i), 1);
    }
}

stoa_retype *stoa_retype_new(stoa_world *world) {
    if (world == NULL) {
        stoa__world_null(NULL, "world");
        return NULL;
    }
    if (stoa__code_idle(world) != STOA_OK) {
        return NULL;
    }
    stoa__heap *heap = &world->storage.heap;
    stoa_retype *retype = stoa__heap_zalloc(heap, sizeof *retype, _Alignof(stoa_retype));
    if (retype == NULL) {
        stoa__world_report(world, stoa__error_memory("new descriptions"));
        return NULL;
    }
    retype->world = world;
    retype->redraft.storage = &world->storage;
    retype->redraft.component_count = world->storage.registry.count;
    return retype;
}

stoa_status stoa_retype_add(stoa_retype *retype, stoa_type *type, bool own, bool *fresh) {
    bool drafted = false;
    if (retype == NULL || type == NULL) {
        return stoa__world_null(retype != NULL ? retype->world : NULL,
                                retype == NULL ? "retype" : "type");
    }
    stoa_status status =
        retype->converted
            ? stoa__error(STOA_LOCKED, "descriptions are added before values are converted")
            : stoa__redraft_add(&retype->redraft, type, own, &drafted);
    if (fresh != NULL) {
        *fresh = drafted;
    }
    /* The caller may try again once it took others in: nobody is told yet. */
    return status;
}

/* True if the bytes of a value are all there is to it, on both sides the same ones. */
static bool bytes_same(const stoa__draft *draft) {
    return draft->before.hooks.drop == NULL && draft->before.hooks.move == NULL && draft->same;
}

int32_t stoa_retype_count(const stoa_retype *retype) {
    int32_t count = 0;
    while (stoa_retype_at(retype, count) != 0) {
        count++;
    }
    return count;
}

stoa_component stoa_retype_at(const stoa_retype *retype, int32_t index) {
    for (uint32_t i = 0; retype != NULL && i < retype->redraft.draft_count; i++) {
        const stoa__draft *draft = &retype->redraft.drafts[i];
        if (draft->layout && !bytes_same(draft) && index-- == 0) {
            return draft->id;
        }
    }
    return 0;
}

void stoa_retype_show(stoa_retype *retype, bool after) {
    if (retype != NULL && !retype->redraft.swapped) {
        stoa__redraft_show(&retype->redraft, after);
    }
}

static stoa__draft *rest_draft(const stoa_retype *retype, const rest *r) {
    return stoa__redraft_find(&retype->redraft, r->id);
}

/* Makes room for one resource and one queue; the descriptions of after are in force. */
static stoa_status rest_room(stoa_retype *retype, rest *r, const stoa__draft *draft) {
    stoa_world *world = retype->world;
    void **resource = resource_at(world, r->id);
    if (resource != NULL && *resource != NULL) {
        r->resource = stoa__heap_zalloc(&world->storage.heap, resource_size(&draft->after),
                                        draft->after.alignment);
        if (r->resource == NULL) {
            return stoa__error_memory("a resource");
        }
    }
    stoa__channel *channel = channel_at(world, r->id);
    stoa_status status = channel != NULL ? stoa__queue_twin(channel, &r->twin) : STOA_OK;
    r->channel = status == STOA_OK ? channel : NULL;
    return status;
}

/* Lists the components of another layout. */
static stoa_status rests_list(stoa_retype *retype) {
    const stoa__redraft *redraft = &retype->redraft;
    uint32_t count = 0;
    for (uint32_t i = 0; i < redraft->draft_count; i++) {
        count += redraft->drafts[i].layout;
    }
    if (count == 0) {
        return STOA_OK;
    }
    retype->rests =
        stoa__heap_zalloc(&retype->world->storage.heap, count * sizeof(rest), _Alignof(rest));
    if (retype->rests == NULL) {
        return stoa__error_memory("resources and events");
    }
    for (uint32_t i = 0; i < redraft->draft_count; i++) {
        if (redraft->drafts[i].layout) {
            retype->rests[retype->rest_count++].id = redraft->drafts[i].id;
        }
    }
    return STOA_OK;
}

static stoa_status rests_room(stoa_retype *retype) {
    stoa_status status = rests_list(retype);
    stoa__redraft_show(&retype->redraft, true);
    for (uint32_t i = 0; i < retype->rest_count && status == STOA_OK; i++) {
        status = rest_room(retype, &retype->rests[i], rest_draft(retype, &retype->rests[i]));
    }
    stoa__redraft_show(&retype->redraft, false);
    return status;
}

/* Calls for the values of a component that are no entity's. */
static stoa_status rest_visit(stoa_retype *retype, const rest *r, stoa__draft_fn call, void *user) {
    stoa__draft *draft = rest_draft(retype, r);
    bool swapped = retype->redraft.swapped;
    stoa_status status = STOA_OK;
    if (draft->after.size == 0) {
        return STOA_OK;
    }
    if (r->resource != NULL) {
        void *live = *resource_at(retype->world, r->id);
        status = call(user, draft, swapped ? r->resource : live, swapped ? live : r->resource, 1);
    }
    const stoa__channel *channel = r->channel;
    for (uint64_t i = channel != NULL ? channel->head : 0;
         channel != NULL && i < channel->tail && status == STOA_OK; i++) {
        uint8_t *live = event_value(channel, i), *other = event_value(&r->twin, i);
        status = call(user, draft, swapped ? other : live, swapped ? live : other, 1);
    }
    return status;
}

static stoa_status values_visit(stoa_retype *retype, stoa__draft_fn call, void *user) {
    stoa_status status = stoa__redraft_visit(&retype->redraft, call, user);
    for (uint32_t i = 0; i < retype->rest_count && status == STOA_OK; i++) {
        status = rest_visit(retype, &retype->rests[i], call, user);
    }
    return status;
}

static stoa_status values_make(const stoa_retype *retype, const stoa__draft *draft,
                               const void *before, void *after, int32_t count) {
    if (bytes_same(draft)) {
        memcpy(after, before, (size_t)count * draft->after.size);
        return STOA_OK;
    }
    return retype->convert(retype->user, &draft->before, &draft->after, before, after, count);
}

static stoa_status value_convert(void *user, stoa__draft *draft, void *before, void *after,
                                 int32_t count) {
    stoa_retype *retype = user;
    stoa_status status = values_make(retype, draft, before, after, count);
    retype->made += status == STOA_OK ? (uint64_t)count : 0;
    return status;
}

/* Drops values of after, as many as were made. */
static stoa_status after_drop(void *user, stoa__draft *draft, void *before, void *after,
                              int32_t count) {
    stoa_retype *retype = user;
    (void)before;
    uint64_t n = retype->made < (uint64_t)count ? retype->made : (uint64_t)count;
    if (n > 0 && draft->after.hooks.drop != NULL) {
        draft->after.hooks.drop(after, (int32_t)n, draft->after.hooks.user);
    }
    retype->made -= n;
    return STOA_OK;
}

/* Drops what was made. If nothing was, there may be no room of after that could be visited. */
static void made_drop(stoa_retype *retype) {
    if (retype->made > 0) {
        (void)values_visit(retype, after_drop, retype);
    }
}

static stoa_status before_drop(void *user, stoa__draft *draft, void *before, void *after,
                               int32_t count) {
    (void)user;
    (void)after;
    if (draft->before.hooks.drop != NULL) {
        draft->before.hooks.drop(before, count, draft->before.hooks.user);
    }
    return STOA_OK;
}

/* Tells the extensions that made their other side of a later step. */
static void extensions_tell(stoa_retype *retype, stoa_retype_step step) {
    stoa_world *world = retype->world;
    for (uint32_t i = 0; i < retype->told; i++) {
        const stoa_extension *extension = &world->extensions[i];
        if (extension->retype != NULL) {
            (void)extension->retype(world, extension->data, retype, step);
        }
    }
}

/* Has extensions make what they need beside what is there, all or none. */
static stoa_status extensions_make(stoa_retype *retype) {
    stoa_world *world = retype->world;
    stoa_status status = STOA_OK;
    retype->making = true;
    while (retype->told < world->extension_count && status == STOA_OK) {
        const stoa_extension *extension = &world->extensions[retype->told];
        status = extension->retype != NULL
                     ? extension->retype(world, extension->data, retype, STOA_RETYPE_MAKE)
                     : STOA_OK;
        retype->told += status == STOA_OK;
    }
    retype->making = false;
    stoa__redraft_show(&retype->redraft, false);
    if (status != STOA_OK) {
        extensions_tell(retype, STOA_RETYPE_END);
        retype->told = 0;
    }
    return status;
}

stoa_status stoa_retype_convert(stoa_retype *retype, stoa_convert_fn convert, void *user) {
    if (retype == NULL || convert == NULL) {
        return stoa__world_null(retype != NULL ? retype->world : NULL,
                                retype == NULL ? "retype" : "function");
    }
    if (retype->converted) {
        return stoa__world_report(retype->world,
                                  stoa__error(STOA_LOCKED, "values are converted once"));
    }
    retype->converted = true;
    retype->convert = convert;
    retype->user = user;
    stoa__redraft_show(&retype->redraft, false);
    stoa_status status = stoa__redraft_room(&retype->redraft);
    if (status == STOA_OK) {
        status = rests_room(retype);
    }
    if (status == STOA_OK) {
        status = values_visit(retype, value_convert, retype);
    }
    if (status == STOA_OK) {
        status = extensions_make(retype);
    }
    if (status != STOA_OK) {
        made_drop(retype);
    }
    retype->ready = status == STOA_OK;
    return stoa__world_report(retype->world, status);
}

bool stoa_retype_change_get(const stoa_retype *retype, stoa_component id,
                            stoa_retype_change *change) {
    const stoa__draft *draft = retype != NULL ? stoa__redraft_find(&retype->redraft, id) : NULL;
    if (draft != NULL && change != NULL) {
        *change = (stoa_retype_change){draft->layout, draft->before, draft->after};
    }
    return draft != NULL;
}

/* The draft of a component whose values are made now; NULL with the thread's error set. */
static stoa__draft *draft_made(const stoa_retype *retype, stoa_component id) {
    stoa__draft *draft = retype != NULL ? stoa__redraft_find(&retype->redraft, id) : NULL;
    bool made = draft != NULL && draft->layout && retype->making;
    if (!made) {
        stoa__error(retype == NULL ? STOA_NULL_ARGUMENT : STOA_LOCKED,
                    "component %u gets no other values now", id);
    }
    return made ? draft : NULL;
}

stoa_status stoa_retype_each(const stoa_retype *retype, stoa_component id, stoa_retype_fn call,
                             void *user) {
    const stoa__draft *draft = draft_made(retype, id);
    return draft != NULL && call != NULL ? stoa__redraft_each(&retype->redraft, draft, call, user)
           : draft != NULL               ? stoa__world_null(retype->world, "function")
                                         : stoa_last_error().status;
}

stoa_status stoa_retype_make(stoa_retype *retype, stoa_component id, const void *values, void *made,
                             int32_t count) {
    stoa__draft *draft = draft_made(retype, id);
    return draft != NULL ? values_make(retype, draft, values, made, count)
                         : stoa_last_error().status;
}

stoa_status stoa_retype_swap(stoa_retype *retype) {
    if (retype == NULL) {
        return stoa__world_null(NULL, "retype");
    }
    if (!retype->ready) {
        return stoa__world_report(
            retype->world, stoa__error(STOA_LOCKED, "values are to be converted before the swap"));
    }
    stoa_world *world = retype->world;
    stoa__redraft_show(&retype->redraft, retype->redraft.swapped);
    for (uint32_t i = 0; i < retype->rest_count; i++) {
        rest *r = &retype->rests[i];
        if (r->resource != NULL) {
            void **live = resource_at(world, r->id), *old = *live;
            *live = r->resource;
            r->resource = old;
        }
        if (r->channel != NULL) {
            stoa__queue_exchange(r->channel, &r->twin);
        }
    }
    stoa__redraft_swap(&retype->redraft);
    extensions_tell(retype, STOA_RETYPE_SWAP);
    stoa__commands_forget(world);
    stoa__code_caches_clear(world);
    stoa__world_rewatch(world);
    return STOA_OK;
}

/* Frees all but the values of entities of the side that is not in force, and itself. */
static void retype_free(stoa_retype *retype) {
    stoa_world *world = retype->world;
    stoa__heap *heap = &world->storage.heap;
    bool swapped = retype->redraft.swapped;
    for (uint32_t i = 0; i < retype->rest_count; i++) {
        rest *r = &retype->rests[i];
        const stoa__draft *draft = rest_draft(retype, r);
        const stoa_component_info *other = swapped ? &draft->before : &draft->after;
        stoa__heap_free(heap, r->resource, resource_size(other), other->alignment);
        if (r->channel != NULL) {
            stoa__queue_twin_free(&r->twin, other->alignment);
        }
    }
    if (retype->rests != NULL) {
        stoa__heap_free(heap, retype->rests, retype->rest_count * sizeof(rest), _Alignof(rest));
    }
    stoa__redraft_fini(&retype->redraft);
    stoa__heap_free(heap, retype, sizeof *retype, _Alignof(stoa_retype));
}

void stoa_retype_end(stoa_retype *retype) {
    if (retype == NULL) {
        return;
    }
    if (!retype->redraft.swapped) {
        stoa_retype_cancel(retype);
        return;
    }
    if (retype->rest_count > 0) {
        /* Frames hold values of before: they are let go by the functions of before. */
        stoa__redraft_show(&retype->redraft, false);
        stoa__frames_clear_all(retype->world);
        stoa__redraft_show(&retype->redraft, true);
    }
    extensions_tell(retype, STOA_RETYPE_END);
    (void)values_visit(retype, before_drop, NULL);
    for (uint32_t i = 0; i < retype->redraft.draft_count; i++) {
        const stoa_hooks *old = &retype->redraft.drafts[i].before.hooks;
        const stoa_hooks *now = &retype->redraft.drafts[i].after.hooks;
        if (old->user_free != NULL &&
            (old->user != now->user || old->user_free != now->user_free)) {
            old->user_free(old->user);
        }
    }
    retype_free(retype);
}

void stoa_retype_cancel(stoa_retype *retype) {
    if (retype == NULL) {
        return;
    }
    stoa_world *world = retype->world;
    uint32_t count = retype->redraft.component_count;
    if (retype->redraft.swapped) {
        (void)stoa_retype_swap(retype);
    }
    extensions_tell(retype, STOA_RETYPE_END);
    made_drop(retype);
    retype_free(retype);
    if (world->storage.registry.count > count) {
        stoa__event_forget(world, count + 1);
        stoa__commands_forget(world);
        stoa__code_caches_clear(world);
        stoa__registry_truncate(&world->storage, count);
    }
}
