/* Calls that must be refused: each with the one thing that is wrong with it.
 *
 * After every one the world's hash is what it was. */
#include "run.h"

/* A handle that refers to nothing: a dead entity's, or one never issued. False if it lives by
 * chance. */
static bool stale_handle(const run *r, const op *o, stoa_entity *e) {
    const being *b = reference_of(&r->ref, o);
    if (b != NULL) {
        *e = b->handle;
        return !b->alive && !b->pending;
    }
    uint32_t index = r->ref.count > 0 ? 1 + o->seed % (uint32_t)r->ref.count : 1;
    switch (o->seed >> 24 & 7) {
    case 0:
        *e = STOA_NULL;
        break;
    case 1:
        *e = (stoa_entity){index, 0};
        break;
    case 2:
        *e = (stoa_entity){index, 0x80000000u | (o->seed & 3)};
        break;
    case 3:
        *e = (stoa_entity){UINT32_MAX, o->seed};
        break;
    case 4:
        *e = (stoa_entity){(uint32_t)r->ref.count + 2 + o->seed % 5, 1};
        break;
    case 5:
        *e = (stoa_entity){0, 1};
        break;
    default:
        *e = (stoa_entity){index, 0x40000000u + o->seed % 1000};
        break;
    }
    return reference_find(&r->ref, *e) == NULL;
}

static void refuse_stale(run *r, const op *o, int type) {
    stoa_world *w = r->s.world;
    stoa_value values[TYPE_COUNT + 1];
    stoa_entity e;
    if (!stale_handle(r, o, &e)) {
        return;
    }
    run_check(r, !stoa_alive(w, e), "a stale handle is alive");
    run_check(r, !stoa_has_id(w, e, r->ids[type]), "a stale handle has a component");
    run_check(r, stoa_try_get_id(w, e, r->ids[type]) == NULL, "a stale handle gives a component");
    run_expect(r, STOA_OK, STOA_OK, "quiet access by a stale handle");
    stoa_status status;
    int count = run_values(r, o, values);
    switch (o->type) {
    case BAD_STALE_DESTROY:
        status = stoa_destroy(w, e);
        break;
    case BAD_STALE_CLEAR:
        status = stoa_clear(w, e);
        break;
    case BAD_STALE_SET:
        status = stoa_set_id(w, e, r->ids[type], values[0].data, model_types[type].size);
        break;
    case BAD_STALE_CHANGE:
        status = stoa_change_values(w, e, values, count);
        break;
    case BAD_STALE_CLONE:
        status = run_given(!stoa_entity_is_null(stoa_clone(w, e)));
        break;
    default:
        status = run_given(stoa_get_mut_id(w, e, r->ids[type]) != NULL);
        break;
    }
    run_expect(r, status, STOA_DEAD, "a call on a stale handle");
    run_values_drop(o);
}

static void refuse_twice(run *r, const op *o, being *b) {
    stoa_value values[TYPE_COUNT + 2];
    int count = run_values(r, o, values);
    stoa_status status;
    values[count] = (stoa_value){.id = values[0].id};
    if (o->type == BAD_TWICE_CREATE) {
        stoa_entity e = stoa_create_values(r->s.world, values, count + 1);
        status = run_given(!stoa_entity_is_null(e));
    } else {
        values[count].op = o->seed % 2 == 0 ? STOA_DROP : STOA_PUT;
        status = stoa_change_values(r->s.world, b->handle, values, count + 1);
    }
    run_expect(r, status, STOA_DUPLICATE, "naming a component twice");
    run_values_drop(o);
}

static void refuse_bundle(run *r, const op *o) {
    stoa_value values[TYPE_COUNT + 1];
    op used = *o;
    stoa_status status;
    if (o->type == BAD_DROP_CREATE) {
        used.drop = used.put;
        used.put = 0;
        int count = run_values(r, &used, values);
        status = run_given(!stoa_entity_is_null(stoa_create_values(r->s.world, values, count)));
    } else {
        used.zero = used.put;
        used.put = 0;
        int count = run_values(r, &used, values);
        int32_t negative = -1 - (int32_t)(o->seed % 1000);
        status = stoa_create_bulk_values(r->s.world, negative, NULL, values, count);
    }
    run_expect(r, status, STOA_INVALID, "a bundle that cannot be");
}

static void refuse_query(run *r, int type, const op *o) {
    static const stoa_access pairs[4][2] = {
        {STOA_ACCESS_READ, STOA_ACCESS_WRITE},
        {STOA_ACCESS_READ, STOA_ACCESS_WITHOUT},
        {STOA_ACCESS_WRITE, STOA_ACCESS_OPTIONAL},
        {STOA_ACCESS_FILTER, STOA_ACCESS_WITHOUT},
    };
    stoa_query_desc desc = {.name = NULL};
    for (int i = 0; i < 2; i++) {
        desc.terms[i] = (stoa_term){NULL, r->ids[type], pairs[o->seed % 4][i], 0};
    }
    stoa_status status = run_given(stoa_query_new(r->s.world, &desc) != NULL);
    run_expect(r, status, STOA_CONTRADICTION, "a query that contradicts itself");
}

/* Under iteration a world refuses what changes its structure and allows what does not. */
static void refuse_structure(run *r, const op *o, being *b, int type) {
    stoa_query_desc desc = {.terms = {{NULL, r->ids[type], STOA_ACCESS_OPTIONAL, 0}}};
    stoa_iter it = stoa_query_once(r->s.world, &desc);
    stoa_status status;
    switch (o->seed % 5) {
    case 0:
        status = run_given(!stoa_entity_is_null(stoa_create(r->s.world)));
        break;
    case 1:
        status = stoa_destroy(r->s.world, b->handle);
        break;
    case 2:
        status = run_given(!stoa_entity_is_null(stoa_clone(r->s.world, b->handle)));
        break;
    case 3:
        status = stoa_compact(r->s.world);
        break;
    default:
        status = b->has >> type & 1 ? stoa_remove_id(r->s.world, b->handle, r->ids[type])
                                    : stoa_add_id(r->s.world, b->handle, r->ids[type]);
        break;
    }
    run_expect(r, status, STOA_ITERATING, "a structural change under iteration");
    stoa_iter_end(&it);
    stoa_iter_end(&it);
}

/* Those that need an entity that lives. */
static void refuse_alive(run *r, const op *o, being *b, int type) {
    stoa_component id = r->ids[type];
    if (o->type == BAD_STRUCTURE) {
        refuse_structure(r, o, b, type);
    } else if (o->type == BAD_TWICE_CHANGE) {
        refuse_twice(r, o, b);
    } else if (o->type == BAD_ABSENT_GET && !(b->has >> type & 1)) {
        stoa_status status = run_given(stoa_get_id(r->s.world, b->handle, id) != NULL);
        run_expect(r, status, STOA_MISSING, "getting an absent component");
    } else if (o->type == BAD_SIZE_SET) {
        static const uint8_t bytes[256];
        stoa_status status =
            stoa_set_id(r->s.world, b->handle, id, bytes, model_types[type].size + 1);
        run_expect(r, status, STOA_INVALID, "setting with a wrong size");
    } else if (o->type == BAD_UNKNOWN_ADD) {
        static const uint32_t unknown[3] = {0, TYPE_COUNT + 1, UINT32_MAX};
        stoa_status status = stoa_add_id(r->s.world, b->handle, unknown[o->seed % 3]);
        run_expect(r, status, STOA_UNKNOWN, "adding an unknown component");
    }
}

void run_refuse(run *r, const op *o) {
    int type = 0;
    while (!(o->put >> type & 1)) {
        type++;
    }
    /* Hashing is the dearest part of the whole test. */
    bool hashed = o->seed % 3 == 0;
    uint64_t hash = hashed ? stoa_hash(r->s.world) : 0;
    stoa_error_clear();
    if (o->type <= BAD_STALE_GET) {
        refuse_stale(r, o, type);
    } else if (o->type == BAD_TWICE_CREATE) {
        refuse_twice(r, o, NULL);
    } else if (o->type == BAD_DROP_CREATE || o->type == BAD_COUNT_BULK) {
        refuse_bundle(r, o);
    } else if (o->type == BAD_QUERY_TWICE) {
        refuse_query(r, type, o);
    } else {
        being *b = reference_of(&r->ref, o);
        if (b != NULL && b->alive) {
            refuse_alive(r, o, b, type);
            run_compare_being(r, b);
        }
    }
    run_check(r, !hashed || stoa_hash(r->s.world) == hash, "a refused call left a mark");
}
