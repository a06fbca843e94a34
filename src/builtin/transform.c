/* Propagating transforms: what a world keeps for it, and the calls.
 *
 * A world that was propagated once has an extension that keeps an order of its entities; hooks tell
 * it of parents that come and go. All memory is reserved, and the threads are called, before the
 * first matrix is written, and what is kept changes after the last: a call that fails has done
 * nothing. One thread at a time, that of the world, but for the matrices. */
#include "builtin/transform.h"

#include "base/bytes.h"
#include "base/error.h"
#include "base/inline.h"
#include "stoa/extension.h"

static const char transforms_name[] = "stoa.transforms";
static const char since_name[] = "stoa.transforms.since";

/* Ticks that lie further apart than this are not compared: everything counts as changed. */
#define AGE_MAX (1u << 30)

/* Lets the matrices be written as planned. */
static stoa_status plan_run(stoa__transforms *t, const stoa__transform_plan *p, stoa_world *world,
                            stoa_pool *pool) {
    uint64_t worth = p->total / ((uint64_t)2 * STOA__SPREAD_GRAIN) + 1;
    int32_t threads = stoa_pool_threads(pool);
    stoa__spread spread = {
        .order = p->order,
        .world = (const stoa_world_head *)(const void *)world,
        .local = t->local,
        .global = t->global,
        .runs = &t->runs,
        .ranges = t->ranges,
        .count = p->ranges,
    };
    if (p->ranges == 0) {
        return STOA_OK;
    }
    /* Another order gets its version when the call has succeeded. */
    stoa__runs_renew(&t->runs, &t->heap, stoa__spread_finder(&spread), stoa_query_version(t->query),
                     t->version + (p->order == &t->next), p->total);
    return stoa__spread_run(&spread, pool, (uint64_t)threads < worth ? threads : (int32_t)worth);
}

static void transforms_forget(stoa__transforms *t) {
    t->order.count = 0;
    t->version++;
}

/* Right for a world that is never propagated again, too. */
static void transforms_settle(stoa_world *world, void *data) {
    stoa__transforms *t = data;
    if (stoa_tick(world) - t->since > AGE_MAX) {
        transforms_forget(t);
        t->since = stoa_tick(world);
    }
}

/* Everything is worked out anew; what the order tells is not so any more. */
static void transforms_reset(stoa_world *world, void *data) {
    stoa__transforms *t = data;
    transforms_forget(t);
    t->since = stoa_tick(world);
    t->seen = STOA__TRANSFORMS_UNSEEN;
    t->moved = false;
    t->calls++;
}

static stoa_status order_save(const stoa_world *world, const void *data, const stoa_sink *sink) {
    (void)world;
    return stoa__levels_save(&((const stoa__transforms *)data)->order, sink);
}

static stoa_status order_load(stoa_world *world, void *data, const void *bytes, size_t size) {
    stoa__transforms *t = data;
    (void)world;
    t->version++;
    return stoa__levels_load(&t->order, &t->heap, bytes, size);
}

static uint64_t order_version(const stoa_world *world, const void *data) {
    (void)world;
    return ((const stoa__transforms *)data)->version;
}

/* When the last call was, and what happened since, is told apart from the order: it is another one
 * in every frame. */
static stoa_status since_save(const stoa_world *world, const void *data, const stoa_sink *sink) {
    const stoa__transforms *t = data;
    (void)world;
    stoa__encoder output = {sink, STOA_OK};
    stoa__encode_u32(&output, t->since);
    stoa__encode_u32(&output, t->moved);
    return output.status;
}

static stoa_status since_load(stoa_world *world, void *data, const void *bytes, size_t size) {
    stoa__transforms *t = data;
    (void)world;
    stoa__decoder input = {{bytes, (const uint8_t *)bytes + size}, false};
    t->since = stoa__decode_u32(&input);
    t->moved = stoa__decode_u32(&input) != 0;
    t->seen = STOA__TRANSFORMS_UNSEEN;
    t->calls++;
    return input.short_of ? stoa__error(STOA_CORRUPT, "transforms: %zu bytes", size) : STOA_OK;
}

static uint64_t since_version(const stoa_world *world, const void *data) {
    (void)world;
    return ((const stoa__transforms *)data)->calls;
}

/* Of the second extension, whose data the first one frees. */
static void since_free(stoa_world *world, void *data) {
    (void)world;
    (void)data;
}

static stoa_status transforms_check(const stoa_world *world, const void *data) {
    const stoa__transforms *t = data;
    for (uint32_t i = 0; i < t->mark_capacity; i++) {
        if (t->marks[i] != 0) {
            return stoa__error(STOA_CORRUPT, "transforms: a place is marked between calls");
        }
    }
    stoa_status status = stoa__levels_check(&t->order);
    if (status != STOA_OK || t->runs.version != stoa_query_version(t->query) ||
        t->runs.order != t->version) {
        return status;
    }
    return stoa__runs_check(&t->runs,
                            (stoa__finder){.world = (const stoa_world_head *)(const void *)world,
                                           .order = &t->order,
                                           .local = t->local,
                                           .global = t->global});
}

static size_t transforms_bytes(const stoa_world *world, const void *data) {
    (void)world;
    return ((const stoa__transforms *)data)->heap.used;
}

static void transforms_free(stoa_world *world, void *data) {
    (void)world;
    stoa__transforms *t = data;
    stoa__levels_fini(&t->order, &t->heap);
    stoa__levels_fini(&t->next, &t->heap);
    stoa__runs_fini(&t->runs, &t->heap);
    stoa__levels_scratch_fini(&t->scratch, &t->heap);
    stoa__heap_grow_free(&t->heap, t->marks, t->mark_capacity, sizeof *t->marks);
    stoa__heap_grow_free(&t->heap, t->ranges, t->range_capacity, sizeof *t->ranges);
    stoa__heap_grow_free(&t->heap, t->below, t->below_capacity, sizeof *t->below);
    stoa__heap heap = t->heap;
    stoa__heap_free(&heap, t, sizeof *t, _Alignof(stoa__transforms));
}

/* A query of all that have both transforms, ready to be iterated; NULL with the failure reported.
 */
static stoa_query *query_make(stoa_world *world) {
    stoa_query_desc desc = {.name = transforms_name};
    desc.terms[STOA__LEVELS_LOCAL] = STOA_READ(LocalTransform);
    desc.terms[STOA__LEVELS_WORLD] = STOA_READ(WorldTransform);
    desc.terms[STOA__LEVELS_PARENT] = STOA_OPTIONAL(Parent);
    stoa_query *query = stoa_query_new(world, &desc);
    if (query == NULL) {
        return NULL;
    }
    /* The first iteration may need memory and those after it do not. */
    stoa_iter it = stoa_query_iter(query);
    if (it.query == NULL) {
        stoa_query_free(query);
        return NULL;
    }
    stoa_iter_end(&it);
    return query;
}

static void parent_moved(stoa_world *world, stoa_entity e, void *value, void *user) {
    (void)world;
    (void)e;
    (void)value;
    stoa__transforms *t = user;
    t->moved = true;
    t->calls++;
}

/* Adds the hooks; on an error those that were added are taken away. */
static stoa_status hooks_add(stoa_world *world, stoa__transforms *t) {
    static const stoa_hook_kind kinds[STOA__TRANSFORM_HOOKS] = {STOA_ON_ADD, STOA_ON_SET,
                                                                STOA_ON_REMOVE};
    for (int i = 0; i < STOA__TRANSFORM_HOOKS; i++) {
        t->hooks[i] = stoa_hook_type(world, kinds[i], STOA_TYPE_OF(Parent), parent_moved, t);
        if (t->hooks[i].id == 0) {
            stoa_status status = stoa_last_error().status;
            while (i-- > 0) {
                stoa_hook_remove(world, t->hooks[i]);
            }
            return status;
        }
    }
    return STOA_OK;
}

/* Gives the world the extension and its hooks; on an error neither. */
static stoa_status transforms_extend(stoa_world *world, stoa__transforms *t) {
    stoa_status status = hooks_add(world, t);
    if (status != STOA_OK) {
        return status;
    }
    stoa_extension extension = {.name = transforms_name,
                                .data = t,
                                .free = transforms_free,
                                .check = transforms_check,
                                .settle = transforms_settle,
                                .bytes = transforms_bytes,
                                .reset = transforms_reset,
                                .save = order_save,
                                .load = order_load,
                                .version = order_version,
                                .memory = true};
    status = stoa_extend(world, &extension);
    for (int i = 0; status != STOA_OK && i < STOA__TRANSFORM_HOOKS; i++) {
        stoa_hook_remove(world, t->hooks[i]);
    }
    return status;
}

/* Gives the world the second extension; NULL with the failure reported. */
STOA__COLD static stoa__transforms *since_extend(stoa_world *world, stoa__transforms *t) {
    stoa_extension extension = {.name = since_name,
                                .data = t,
                                .free = since_free,
                                .save = since_save,
                                .load = since_load,
                                .version = since_version,
                                .memory = true};
    t->whole = stoa_extend(world, &extension) == STOA_OK;
    return t->whole ? t : NULL;
}

/* Makes what the world keeps; NULL with the failure reported. */
STOA__COLD static stoa__transforms *transforms_make(stoa_world *world) {
    stoa_query *query = query_make(world);
    if (query == NULL) {
        return NULL;
    }
    stoa__heap heap;
    stoa__heap_init(&heap, stoa_world_allocator(world));
    stoa__transforms *t = stoa__heap_zalloc(&heap, sizeof *t, _Alignof(stoa__transforms));
    if (t == NULL) {
        stoa_world_report(world, stoa__error_memory("the transforms of a world"));
        stoa_query_free(query);
        return NULL;
    }
    t->heap = heap;
    t->query = query;
    t->local = stoa_id(world, LocalTransform);
    t->global = stoa_id(world, WorldTransform);
    t->since = stoa_tick(world);
    t->seen = STOA__TRANSFORMS_UNSEEN;
    if (transforms_extend(world, t) != STOA_OK) {
        transforms_free(world, t);
        stoa_query_free(query);
        return NULL;
    }
    return since_extend(world, t);
}

/* What the world keeps, made if need be; NULL with the failure reported. */
static stoa__transforms *transforms_of(stoa_world *world) {
    stoa__transforms *t = stoa_extension_find(world, transforms_name);
    if (t == NULL) {
        return transforms_make(world);
    }
    return t->whole ? t : since_extend(world, t);
}

stoa_status stoa_propagate_transforms(stoa_world *world) {
    return stoa_propagate_transforms_with(world, NULL);
}

stoa_status stoa_propagate_transforms_with(stoa_world *world, stoa_pool *pool) {
    stoa_status status = stoa_may_change(world);
    if (status == STOA_OK && ((const stoa_world_head *)(const void *)world)->open != 0) {
        /* Forking is refused whenever somebody else is at work on the world. */
        status = stoa_commands_fork(world, NULL, 0);
    }
    if (status != STOA_OK) {
        return status;
    }
    stoa__transforms *t = transforms_of(world);
    if (t == NULL) {
        return stoa_last_error().status;
    }
    if (stoa_tick(world) - t->since > AGE_MAX) {
        transforms_forget(t);
    }
    stoa__transform_plan p = {0};
    status = stoa__transforms_plan(t, &p);
    if (status == STOA_OK) {
        status = plan_run(t, &p, world, pool);
    }
    if (status != STOA_OK) {
        stoa__runs_forget(&t->runs);
        return stoa_world_report(world, status);
    }
    if (p.order == &t->next) {
        stoa__levels old = t->order;
        t->order = t->next;
        t->next = old;
        t->version++;
    }
    /* What is written from now on is newer than this call. */
    t->since = stoa_tick(world);
    t->seen = stoa_query_version(t->query);
    t->moved = false;
    t->calls++;
    stoa_tick_advance(world);
    return STOA_OK;
}
