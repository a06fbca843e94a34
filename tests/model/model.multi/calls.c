/* Operations on entities: each is predicted, called, checked, and done to the reference.
 *
 * Where a call has a typed, an id and a name twin, the op's seed chooses. Values are kept aside
 * before a call, since a successful one leaves its sources dead. */
#include "run.h"

#include <stdlib.h>

/* Values handed to calls, and what they were; the largest is 200 bytes. */
static _Alignas(64) uint8_t sources[TYPE_COUNT][256];
static uint8_t shadows[TYPE_COUNT][256];

/* Which twin an op calls: 0 by type where there is a descriptor, 1 by id, 2 by name. */
static int twin_of(const op *o) {
    int twin = (int)(o->seed >> 20 & 3);
    if (twin == 3 || (twin == 0 && model_types[o->type].descriptor == NULL)) {
        twin = 1;
    }
    return twin;
}

int run_values(run *r, const op *o, stoa_value values[TYPE_COUNT + 1]) {
    int order[TYPE_COUNT];
    int count = trace_order(o, o->put | o->zero | o->drop, order);
    for (int i = 0; i < count; i++) {
        int type = order[i];
        stoa_value *value = &values[i];
        *value = (stoa_value){.id = r->ids[type]};
        if (o->seed >> i & 1) {
            value->type = model_types[type].descriptor;
        }
        if (o->drop >> type & 1) {
            value->op = STOA_DROP;
        } else if (o->put >> type & 1) {
            model_value_make(type, o->seed + (uint32_t)type, r->padding, sources[type]);
            memcpy(shadows[type], sources[type], model_types[type].size);
            value->data = sources[type];
        }
    }
    return count;
}

void run_values_drop(const op *o) {
    for (int type = 0; type < TYPE_COUNT; type++) {
        if (o->put >> type & 1) {
            model_value_drop(type, sources[type]);
        }
    }
}

static void values_apply(run *r, const op *o, being *b) {
    for (int type = 0; type < TYPE_COUNT; type++) {
        bool kept = r->ref.fault == FAULT_CHANGE_KEEPS && (o->put | o->zero) != 0;
        if (o->put >> type & 1) {
            reference_put(&r->ref, b, type, shadows[type]);
        } else if (o->zero >> type & 1) {
            reference_put(&r->ref, b, type, NULL);
            model_lives_zeroed(type);
        } else if (o->drop >> type & 1 && !kept) {
            reference_drop(&r->ref, b, type);
        }
    }
}

static being *being_take(run *r, const op *o, stoa_entity e) {
    being *b = reference_add(&r->ref, o->number, e);
    run_check(r, b != NULL, "handle %uv%u was issued before or is out of order", (unsigned)e.index,
              (unsigned)e.generation);
    return b;
}

static void call_create(run *r, const op *o) {
    stoa_entity e = stoa_create(r->s.world);
    if (run_expect(r, run_given(!stoa_entity_is_null(e)), STOA_OK, "stoa_create")) {
        being *b = being_take(r, o, e);
        if (b != NULL) {
            run_compare_being(r, b);
        }
    }
}

static void call_create_with(run *r, const op *o) {
    stoa_value values[TYPE_COUNT + 1];
    int count = run_values(r, o, values);
    stoa_entity e = stoa_create_values(r->s.world, values, count);
    if (run_expect(r, run_given(!stoa_entity_is_null(e)), STOA_OK, "stoa_create_with")) {
        being *b = being_take(r, o, e);
        if (b != NULL) {
            values_apply(r, o, b);
            run_compare_being(r, b);
        }
    }
}

/* Columns of a bulk: one array a component, and a second set that keeps what they were. */
static void columns_make(run *r, const op *o, uint8_t *columns[TYPE_COUNT],
                         uint8_t *kept[TYPE_COUNT]) {
    for (int type = 0; type < TYPE_COUNT; type++) {
        uint32_t size = model_types[type].size;
        columns[type] = NULL;
        kept[type] = NULL;
        if (!(o->put >> type & 1) || size == 0) {
            continue;
        }
        size_t bytes = ((size_t)o->count * size + 63) / 64 * 64;
        columns[type] = aligned_alloc(64, bytes);
        kept[type] = malloc(bytes);
        if (columns[type] == NULL || kept[type] == NULL) {
            abort();
        }
        for (int32_t i = 0; i < o->count; i++) {
            model_value_make(type, o->seed + (uint32_t)type + (uint32_t)i * 31, r->padding,
                             columns[type] + (size_t)i * size);
        }
        memcpy(kept[type], columns[type], (size_t)o->count * size);
    }
}

static void bulk_apply(run *r, const op *o, const stoa_entity *entities,
                       uint8_t *const kept[TYPE_COUNT]) {
    for (int32_t i = 0; i < o->count && !r->failed; i++) {
        being *b = being_take(r, o, entities[i]);
        if (b == NULL) {
            return;
        }
        bool shifted = r->ref.fault == FAULT_BULK_SHIFTS && i > 0 && i == o->count - 1;
        for (int type = 0; type < TYPE_COUNT; type++) {
            size_t row = (size_t)(i - (shifted ? 1 : 0)) * model_types[type].size;
            if (o->put >> type & 1) {
                reference_put(&r->ref, b, type, kept[type] == NULL ? NULL : kept[type] + row);
            } else if (o->zero >> type & 1) {
                reference_put(&r->ref, b, type, NULL);
                model_lives_zeroed(type);
            }
        }
        if (i < 3 || i >= o->count - 2) {
            run_compare_being(r, b);
        }
    }
}

static void call_create_bulk(run *r, const op *o) {
    stoa_value values[TYPE_COUNT + 1];
    uint8_t *columns[TYPE_COUNT];
    uint8_t *kept[TYPE_COUNT];
    int order[TYPE_COUNT];
    int count = trace_order(o, o->put | o->zero, order);
    columns_make(r, o, columns, kept);
    for (int i = 0; i < count; i++) {
        values[i] = (stoa_value){.id = r->ids[order[i]], .data = columns[order[i]]};
        if (o->seed >> i & 1) {
            values[i].type = model_types[order[i]].descriptor;
        }
    }
    stoa_entity *entities = malloc((size_t)o->count * sizeof(stoa_entity));
    stoa_status status = stoa_create_bulk_values(r->s.world, o->count, entities, values, count);
    if (run_expect(r, status, STOA_OK, "stoa_create_bulk")) {
        bulk_apply(r, o, entities, kept);
    }
    free(entities);
    for (int type = 0; type < TYPE_COUNT; type++) {
        free(columns[type]);
        free(kept[type]);
    }
}

static void call_destroy(run *r, being *b) {
    stoa_status status = stoa_destroy(r->s.world, b->handle);
    if (run_expect(r, status, b->alive ? STOA_OK : STOA_DEAD, "stoa_destroy") && b->alive) {
        reference_destroy(&r->ref, b);
    }
}

static void call_clear(run *r, being *b) {
    stoa_status status = stoa_clear(r->s.world, b->handle);
    if (run_expect(r, status, b->alive ? STOA_OK : STOA_DEAD, "stoa_clear") && b->alive) {
        for (int type = 0; type < TYPE_COUNT; type++) {
            if (r->ref.fault != FAULT_CLEAR_KEEPS || type != TYPE_SCORE) {
                reference_drop(&r->ref, b, type);
            }
        }
    }
}

static void call_set(run *r, const op *o, being *b) {
    const model_type *t = &model_types[o->type];
    stoa_value values[TYPE_COUNT + 1];
    op single = *o;
    single.put = 1u << o->type;
    (void)run_values(r, &single, values);
    stoa_status status;
    if (twin_of(o) == 0) {
        status = stoa_set_type(r->s.world, b->handle, t->descriptor, sources[o->type]);
    } else if (twin_of(o) == 1) {
        status = stoa_set_id(r->s.world, b->handle, r->ids[o->type], sources[o->type], t->size);
    } else {
        status = stoa_set_named(r->s.world, b->handle, t->name, sources[o->type], t->size);
    }
    bool fine = run_expect(r, status, b->alive ? STOA_OK : STOA_DEAD, "stoa_set");
    if (fine && b->alive) {
        values_apply(r, &single, b);
    } else {
        run_values_drop(&single);
    }
}

static void call_add(run *r, const op *o, being *b) {
    const model_type *t = &model_types[o->type];
    stoa_status status;
    if (twin_of(o) == 0) {
        status = stoa_add_type(r->s.world, b->handle, t->descriptor);
    } else if (twin_of(o) == 1) {
        status = stoa_add_id(r->s.world, b->handle, r->ids[o->type]);
    } else {
        status = stoa_add_named(r->s.world, b->handle, t->name);
    }
    bool fine = run_expect(r, status, b->alive ? STOA_OK : STOA_DEAD, "stoa_add");
    if (fine && b->alive && !(b->has >> o->type & 1)) {
        reference_put(&r->ref, b, o->type, NULL);
        model_lives_zeroed(o->type);
    }
}

static void call_remove(run *r, const op *o, being *b) {
    const model_type *t = &model_types[o->type];
    stoa_status status;
    if (twin_of(o) == 0) {
        status = stoa_remove_type(r->s.world, b->handle, t->descriptor);
    } else if (twin_of(o) == 1) {
        status = stoa_remove_id(r->s.world, b->handle, r->ids[o->type]);
    } else {
        status = stoa_remove_named(r->s.world, b->handle, t->name);
    }
    bool fine = run_expect(r, status, b->alive ? STOA_OK : STOA_DEAD, "stoa_remove");
    if (fine && b->alive && r->ref.fault != FAULT_REMOVE_KEEPS) {
        reference_drop(&r->ref, b, o->type);
    }
}

static void call_change(run *r, const op *o, being *b) {
    stoa_value values[TYPE_COUNT + 1];
    int count = run_values(r, o, values);
    stoa_status status = stoa_change_values(r->s.world, b->handle, values, count);
    bool fine = run_expect(r, status, b->alive ? STOA_OK : STOA_DEAD, "stoa_change");
    if (fine && b->alive) {
        values_apply(r, o, b);
    } else {
        run_values_drop(o);
    }
}

static void clone_apply(run *r, const op *o, int32_t from, stoa_entity e, uint32_t instance) {
    being *b = being_take(r, o, e);
    if (b == NULL) {
        return;
    }
    being *source = &r->ref.items[from];
    for (int type = 0; type < TYPE_COUNT; type++) {
        bool lost = r->ref.fault == FAULT_CLONE_LOSES && type == TYPE_MARKED;
        if (source->has >> type & 1 && !lost) {
            reference_put(&r->ref, b, type, reference_value(source, type));
        }
    }
    uint32_t old = 0;
    memcpy(&old, reference_value(b, TYPE_OWNED), sizeof old);
    if (b->has >> TYPE_OWNED & 1 && old != 0) {
        model_value_rename(TYPE_OWNED, reference_value(b, TYPE_OWNED), instance);
    }
    run_compare_being(r, b);
}

static void call_clone(run *r, const op *o, being *b) {
    uint32_t instance = model_lives_next();
    bool refused = o->kind == OP_CLONE_REFUSED && (b->has >> TYPE_OWNED & 1) != 0;
    if (o->kind == OP_CLONE_REFUSED && !refused) {
        return;
    }
    model_lives_now.copy_refused = refused;
    uint64_t hash = refused ? stoa_hash(r->s.world) : 0;
    stoa_entity e = stoa_clone(r->s.world, b->handle);
    model_lives_now.copy_refused = false;
    stoa_status expected = STOA_OK;
    if (!b->alive) {
        expected = STOA_DEAD;
    } else if (b->has >> TYPE_LEASE & 1) {
        expected = STOA_NOT_COPYABLE;
    } else if (refused) {
        expected = STOA_NO_MEMORY;
    }
    bool fine = run_expect(r, run_given(!stoa_entity_is_null(e)), expected, "stoa_clone");
    if (fine && expected == STOA_OK) {
        clone_apply(r, o, (int32_t)(b - r->ref.items), e, instance);
    } else if (fine && refused) {
        run_check(r, stoa_hash(r->s.world) == hash, "a clone that was refused left a mark");
    }
}

static void call_read(run *r, const op *o, being *b) {
    const stoa_world *w = r->s.world;
    const model_type *t = &model_types[o->type];
    bool has = b->alive && (b->has >> o->type & 1) != 0;
    stoa_component id = r->ids[o->type];
    run_check(r, stoa_alive(w, b->handle) == b->alive, "stoa_alive is wrong");
    run_check(r, stoa_has_id(w, b->handle, id) == has, "stoa_has_id is wrong");
    run_check(r, stoa_has_named(w, b->handle, t->name) == has, "stoa_has_named is wrong");
    const void *found = stoa_try_get_id(w, b->handle, id);
    run_check(r, (found != NULL) == has, "stoa_try_get_id is wrong");
    if (t->descriptor != NULL) {
        run_check(r, stoa_has_type(w, b->handle, t->descriptor) == has, "stoa_has is wrong");
        run_check(r, stoa_fast_try(w, b->handle, t->descriptor, t->size) == found,
                  "stoa_try_get differs");
    }
    if (has) {
        run_check(r, stoa_get_id(w, b->handle, id) == found, "stoa_get_id differs");
        run_check(r, stoa_get_named(w, b->handle, t->name) == found, "stoa_get_named differs");
        if (t->descriptor != NULL) {
            run_check(r, stoa_fast_get(w, b->handle, t->descriptor, t->size) == found,
                      "stoa_get differs");
        }
    }
    run_expect(r, STOA_OK, STOA_OK, "reading");
}

static void call_write(run *r, const op *o, being *b) {
    const model_type *t = &model_types[o->type];
    bool has = b->alive && (b->has >> o->type & 1) != 0;
    void *found;
    if (!has || twin_of(o) == 1) {
        found = stoa_try_get_mut_id(r->s.world, b->handle, r->ids[o->type]);
    } else if (twin_of(o) == 0) {
        found = stoa_fast_get_mut(r->s.world, b->handle, t->descriptor, t->size);
    } else {
        found = stoa_get_mut_named(r->s.world, b->handle, t->name);
    }
    run_expect(r, STOA_OK, STOA_OK, "writing");
    if (run_check(r, (found != NULL) == has, "a mutable get is wrong") && has && t->size > 0) {
        model_value_write(o->type, o->seed, found);
        model_value_write(o->type, o->seed, reference_value(b, o->type));
    }
}

static void call_reserve(run *r, const op *o) {
    stoa_value values[TYPE_COUNT + 1];
    op zeroed = *o;
    zeroed.zero |= zeroed.put;
    zeroed.put = 0;
    int count = run_values(r, &zeroed, values);
    stoa_status status = stoa_reserve_values(r->s.world, o->count, values, count);
    run_expect(r, status, STOA_OK, "stoa_reserve");
}

static void call_entity(run *r, const op *o, being *b) {
    switch (o->kind) {
    case OP_DESTROY:
        call_destroy(r, b);
        break;
    case OP_CLEAR:
        call_clear(r, b);
        break;
    case OP_SET:
        call_set(r, o, b);
        break;
    case OP_ADD:
        call_add(r, o, b);
        break;
    case OP_REMOVE:
        call_remove(r, o, b);
        break;
    case OP_CHANGE:
        call_change(r, o, b);
        break;
    case OP_READ:
        call_read(r, o, b);
        break;
    case OP_WRITE:
        call_write(r, o, b);
        break;
    default:
        call_clone(r, o, b);
        return;
    }
    run_compare_being(r, b);
}

void run_call(run *r, const op *o) {
    stoa_error_clear();
    if (o->kind == OP_CREATE) {
        call_create(r, o);
    } else if (o->kind == OP_CREATE_WITH) {
        call_create_with(r, o);
    } else if (o->kind == OP_CREATE_BULK) {
        call_create_bulk(r, o);
    } else if (o->kind == OP_RESERVE) {
        call_reserve(r, o);
    } else if (o->kind == OP_COMPACT) {
        run_expect(r, stoa_compact(r->s.world), STOA_OK, "stoa_compact");
    } else {
        being *b = reference_of(&r->ref, o);
        if (b != NULL) {
            call_entity(r, o, b);
        }
    }
}
