/* Operations on entities: each is predicted, called, checked, and done to the reference.
 *
 * Where a call has a typed, an id and a name twin, the op's seed chooses. */
#include "run.h"

#include <stdlib.h>

/* Which twin an op calls: 0 by type where there is a descriptor, 1 by id, 2 by name. */
static int twin_of(const op *o) {
    int twin = (int)(o->seed >> 20 & 3);
    if (twin == 3 || (twin == 0 && model_types[o->type].descriptor == NULL)) {
        twin = 1;
    }
    return twin;
}

static being *being_take(run *r, const op *o, stoa_entity e) {
    being *b = reference_issue(&r->ref, o->number, e);
    run_check(r, b != NULL, "handle %uv%u was issued before or is out of order", (unsigned)e.index,
              (unsigned)e.generation);
    return b;
}

static void call_create(run *r, const op *o) {
    stoa_entity e = stoa_create(r->s.world);
    if (run_expect(r, run_given(!stoa_entity_is_null(e)), STOA_OK, "stoa_create")) {
        being *b = being_take(r, o, e);
        if (b != NULL) {
            react_birth(&r->ref, b, NULL, 0);
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
            edit edits[TYPE_COUNT];
            react_birth(&r->ref, b, edits, run_edits(o, edits));
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

/* The edits that make item `i` of a bulk. */
static int bulk_edits(const run *r, const op *o, int32_t i, uint8_t *const kept[TYPE_COUNT],
                      edit edits[TYPE_COUNT]) {
    int order[TYPE_COUNT];
    int count = trace_order(o, o->put | o->zero, order);
    bool shifted = r->ref.fault == FAULT_BULK_SHIFTS && i > 0 && i == o->count - 1;
    for (int k = 0; k < count; k++) {
        int type = order[k];
        size_t row = (size_t)(i - (shifted ? 1 : 0)) * model_types[type].size;
        const uint8_t *value = kept[type] == NULL ? NULL : kept[type] + row;
        edits[k] = (edit){.type = type, .kind = EDIT_PUT, .value = value, .given = value != NULL};
    }
    return count;
}

/* All are placed before any is told of. */
static void bulk_apply(run *r, const op *o, const stoa_entity *entities,
                       uint8_t *const kept[TYPE_COUNT]) {
    edit edits[TYPE_COUNT];
    int32_t first = r->ref.count;
    r->ref.bulk = true;
    for (int32_t i = 0; i < o->count && !r->failed; i++) {
        being *b = being_take(r, o, entities[i]);
        if (b == NULL) {
            return;
        }
        react_place(&r->ref, b, edits, bulk_edits(r, o, i, kept, edits));
    }
    for (int32_t i = 0; i < o->count && !r->failed; i++) {
        being *b = &r->ref.items[first + i];
        react_tell_birth(&r->ref, b, edits, bulk_edits(r, o, i, kept, edits));
    }
    for (int32_t i = 0; i < o->count && !r->failed; i += i < 3 ? 1 : o->count / 2 + 1) {
        run_compare_being(r, &r->ref.items[first + i]);
    }
    r->ref.bulk = false;
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
    r->bulk = true;
    stoa_status status = stoa_create_bulk_values(r->s.world, o->count, entities, values, count);
    r->bulk = false;
    if (run_expect(r, status, STOA_OK, "stoa_create_bulk")) {
        bulk_apply(r, o, entities, kept);
    }
    free(entities);
    for (int type = 0; type < TYPE_COUNT; type++) {
        free(columns[type]);
        free(kept[type]);
    }
}

/* The being that is number `i` of a list which begins with number `first`. */
static being *list_item(run *r, const op *o, int32_t first, int32_t i) {
    return &r->ref.items[(first + i * (1 + (int32_t)(o->seed % 7))) % r->ref.count];
}

/* Some are dead, or come to be so by what a hook does: the list ends there. */
static void call_destroy_bulk(run *r, const op *o, const being *b) {
    int32_t first = (int32_t)(b - r->ref.items), done = -1, expected = 0;
    stoa_entity *list = malloc((size_t)o->count * sizeof *list);
    for (int32_t i = 0; i < o->count; i++) {
        list[i] = list_item(r, o, first, i)->handle;
    }
    stoa_status status = stoa_destroy_bulk(r->s.world, o->count, list, &done);
    free(list);
    while (expected < o->count && list_item(r, o, first, expected)->alive) {
        react_destroy(&r->ref, list_item(r, o, first, expected++));
    }
    run_expect(r, status, expected == o->count ? STOA_OK : STOA_DEAD, "stoa_destroy_bulk");
    run_expect(r, done == expected ? STOA_OK : STOA_INVALID, STOA_OK, "how many are gone");
}

static void call_destroy(run *r, const op *o, being *b) {
    if (o->count > 1) {
        call_destroy_bulk(r, o, b);
        return;
    }
    stoa_status status = stoa_destroy(r->s.world, b->handle);
    if (run_expect(r, status, b->alive ? STOA_OK : STOA_DEAD, "stoa_destroy") && b->alive) {
        react_destroy(&r->ref, b);
    }
}

static void call_clear(run *r, being *b) {
    stoa_status status = stoa_clear(r->s.world, b->handle);
    if (run_expect(r, status, b->alive ? STOA_OK : STOA_DEAD, "stoa_clear") && b->alive) {
        react_clear(&r->ref, b);
    }
}

static void call_set(run *r, const op *o, being *b) {
    const model_type *t = &model_types[o->type];
    stoa_value values[TYPE_COUNT + 1];
    op single = *o;
    edit edits[TYPE_COUNT];
    single.put = TYPE_BIT(o->type);
    (void)run_values(r, &single, values);
    (void)run_edits(&single, edits);
    stoa_status status;
    if (twin_of(o) == 0) {
        status = stoa_set_type(r->s.world, b->handle, t->descriptor, run_source(o->type));
    } else if (twin_of(o) == 1) {
        status = stoa_set_id(r->s.world, b->handle, r->ids[o->type], run_source(o->type), t->size);
    } else {
        status = stoa_set_named(r->s.world, b->handle, t->name, run_source(o->type), t->size);
    }
    bool fine = run_expect(r, status, b->alive ? STOA_OK : STOA_DEAD, "stoa_set");
    if (fine && b->alive) {
        react_change(&r->ref, b, edits, 1);
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
    if (fine && b->alive) {
        edit e = {.type = o->type, .kind = EDIT_ADD};
        react_change(&r->ref, b, &e, 1);
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
        edit e = {.type = o->type, .kind = EDIT_DROP};
        react_change(&r->ref, b, &e, 1);
    }
}

static void call_change(run *r, const op *o, being *b) {
    stoa_value values[TYPE_COUNT + 1];
    int count = run_values(r, o, values);
    stoa_status status = stoa_change_values(r->s.world, b->handle, values, count);
    bool fine = run_expect(r, status, b->alive ? STOA_OK : STOA_DEAD, "stoa_change");
    if (fine && b->alive) {
        edit edits[TYPE_COUNT];
        react_change(&r->ref, b, edits, run_edits(o, edits));
    } else {
        run_values_drop(o);
    }
}

/* The copy hooks number the copies as they make them; the reference takes that over. */
static void clone_apply(run *r, const op *o, int32_t from, stoa_entity e, uint32_t instance) {
    being *b = being_take(r, o, e);
    if (b == NULL) {
        return;
    }
    being *source = &r->ref.items[from];
    edit edits[TYPE_COUNT];
    int order[TYPE_COUNT];
    uint32_t set = source->has;
    if (r->ref.fault == FAULT_CLONE_LOSES) {
        set &= ~TYPE_BIT(TYPE_MARKED);
    }
    int count = react_order(&r->ref, set, order);
    for (int i = 0; i < count; i++) {
        edits[i] = (edit){.type = order[i],
                          .kind = EDIT_PUT,
                          .value = reference_value(source, order[i]),
                          .given = true};
    }
    react_place(&r->ref, b, edits, count);
    b->off = source->off;
    for (int i = 0; i < count; i++) {
        if (model_types[order[i]].owner != 0) {
            run_adopt(r, b, order[i], instance);
        }
    }
    react_tell_birth(&r->ref, b, edits, count);
    run_compare_being(r, b);
}

/* True if a copy hook has something to refuse. */
static bool clone_copies(const being *b) {
    return (b->has & (TYPE_BIT(TYPE_OWNED) | TYPE_BIT(TYPE_LOOT))) != 0;
}

static void call_clone(run *r, const op *o, being *b) {
    uint32_t instance = model_lives_next();
    bool refused = o->kind == OP_CLONE_REFUSED && b->alive && clone_copies(b);
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
    if (has) {
        reference_mark(&r->ref, b, o->type);
    }
}

static void call_enable(run *r, const op *o, being *b) {
    const model_type *t = &model_types[o->type];
    bool on = (o->seed & 1) != 0;
    bool switchable = (TYPE_SWITCHES >> o->type & 1) != 0;
    stoa_status expected = STOA_OK;
    if (!b->alive) {
        expected = STOA_DEAD;
    } else if (!switchable) {
        expected = STOA_INVALID;
    } else if (!(b->has >> o->type & 1)) {
        expected = STOA_MISSING;
    }
    stoa_status status = twin_of(o) == 0
                             ? stoa_enable_type(r->s.world, b->handle, t->descriptor, on)
                             : stoa_enable_id(r->s.world, b->handle, r->ids[o->type], on);
    if (run_expect(r, status, expected, "stoa_enable") && expected == STOA_OK) {
        react_enable(&r->ref, b, o->type, on);
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
        call_destroy(r, o, b);
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
    case OP_ENABLE:
        call_enable(r, o, b);
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
