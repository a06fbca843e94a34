/* Resources: each type may be one, too. */
#include "run.h"

static void resource_read(run *r, const op *o) {
    const resource *expected = &r->resources[o->type];
    const stoa_world *w = r->s.world;
    const model_type *t = &model_types[o->type];
    stoa_component id = r->ids[o->type];
    uint32_t since = (uint32_t)r->ref.tick - o->age;
    run_check(r, stoa_resource_has_id(w, id) == expected->there, "stoa_resource_has is wrong");
    const void *found = stoa_resource_try_id(w, id);
    bool value = expected->there && t->size > 0;
    run_check(r, expected->there || found == NULL, "stoa_resource_try gives what is not there");
    if (run_check(r, !value || found != NULL, "stoa_resource_try gives nothing") && value) {
        run_check(r, (uintptr_t)found % t->alignment == 0, "the resource %s is not aligned",
                  t->name);
        run_check(r, model_value_equal(o->type, found, expected->value),
                  "the resource %s has another value", t->name);
    }
    run_check(r,
              stoa_resource_changed_id(w, id, since) ==
                  (expected->there && expected->changed > r->ref.tick - o->age),
              "stoa_resource_changed is wrong");
    if (t->descriptor != NULL) {
        run_check(r,
                  stoa_resource_try_type(w, t->descriptor) == found &&
                      stoa_resource_has_type(w, t->descriptor) == expected->there,
                  "the typed twin gives another resource");
    }
    run_expect(r, STOA_OK, STOA_OK, "reading a resource");
    if (expected->there) {
        run_check(r, stoa_resource_id(w, id) == found, "stoa_resource differs");
        run_expect(r, STOA_OK, STOA_OK, "stoa_resource");
    } else {
        stoa_status status = run_given(stoa_resource_id(w, id) != NULL);
        run_expect(r, status, STOA_MISSING, "stoa_resource of one that is not there");
    }
}

static void resource_put(run *r, const op *o) {
    const model_type *t = &model_types[o->type];
    resource *kept = &r->resources[o->type];
    stoa_value values[TYPE_COUNT + 1];
    edit edits[TYPE_COUNT];
    op single = *o;
    single.put = TYPE_BIT(o->type);
    (void)run_values(r, &single, values);
    (void)run_edits(&single, edits);
    stoa_status status =
        (o->seed & 1) != 0 && t->descriptor != NULL
            ? stoa_resource_set_type(r->s.world, t->descriptor, run_source(o->type))
            : stoa_resource_set_id(r->s.world, r->ids[o->type], run_source(o->type), t->size);
    if (!run_expect(r, status, STOA_OK, "stoa_resource_set")) {
        return;
    }
    if (kept->there) {
        reference_release(&r->ref, o->type, kept->value);
    }
    reference_hold(&r->ref, o->type, edits[0].value);
    memcpy(kept->value, edits[0].value, t->size);
    kept->there = true;
    kept->changed = r->ref.tick;
}

static void resource_write(run *r, const op *o) {
    const model_type *t = &model_types[o->type];
    resource *kept = &r->resources[o->type];
    void *found = (o->seed & 1) != 0 && t->descriptor != NULL
                      ? stoa_resource_try_mut_type(r->s.world, t->descriptor)
                      : stoa_resource_try_mut_id(r->s.world, r->ids[o->type]);
    run_expect(r, STOA_OK, STOA_OK, "stoa_resource_try_mut");
    if (!kept->there) {
        run_check(r, found == NULL, "stoa_resource_try_mut gives what is not there");
        return;
    }
    kept->changed = r->ref.tick;
    if (t->size > 0 && run_check(r, found != NULL, "stoa_resource_try_mut gives nothing")) {
        model_value_write(o->type, o->seed, found);
        model_value_write(o->type, o->seed, kept->value);
    }
}

static void resource_remove(run *r, const op *o) {
    const model_type *t = &model_types[o->type];
    resource *kept = &r->resources[o->type];
    stoa_status status = (o->seed & 1) != 0 && t->descriptor != NULL
                             ? stoa_resource_remove_type(r->s.world, t->descriptor)
                             : stoa_resource_remove_id(r->s.world, r->ids[o->type]);
    run_expect(r, status, STOA_OK, "stoa_resource_remove");
    if (kept->there && r->ref.fault != FAULT_RESOURCE_STAYS) {
        reference_release(&r->ref, o->type, kept->value);
        kept->there = false;
    }
}

void run_resources(run *r, const op *o) {
    stoa_error_clear();
    switch (o->kind) {
    case OP_RESOURCE_SET:
        resource_put(r, o);
        break;
    case OP_RESOURCE_WRITE:
        resource_write(r, o);
        break;
    case OP_RESOURCE_REMOVE:
        resource_remove(r, o);
        break;
    default:
        break;
    }
    resource_read(r, o);
}

void run_compare_resources(run *r) {
    int expected = 0;
    int found = 0;
    for (int type = 0; type < TYPE_COUNT && !r->failed; type++) {
        resource_read(r, &(op){.type = type, .age = (uint32_t)type});
        expected += r->resources[type].there ? 1 : 0;
    }
    stoa_component last = 0;
    for (stoa_component id = stoa_resource_next(r->s.world, 0); id != 0 && found <= expected;
         id = stoa_resource_next(r->s.world, id)) {
        run_check(r, id > last && stoa_resource_has_id(r->s.world, id),
                  "stoa_resource_next steps back or to nothing");
        last = id;
        found++;
    }
    run_check(r, found == expected, "stoa_resource_next gives %d resources, expected %d", found,
              expected);
}
