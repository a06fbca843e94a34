/* Values handed to calls.
 *
 * They are kept aside before a call, since a successful one leaves its sources dead. */
#include "run.h"

/* The largest is 200 bytes. */
static _Alignas(64) uint8_t sources[TYPE_COUNT][256];
static uint8_t shadows[TYPE_COUNT][256];

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

int run_edits(const op *o, edit edits[TYPE_COUNT]) {
    int order[TYPE_COUNT];
    int count = trace_order(o, o->put | o->zero | o->drop, order);
    for (int i = 0; i < count; i++) {
        int type = order[i];
        bool put = (o->put >> type & 1) != 0;
        edits[i] = (edit){
            .type = type,
            .kind = o->drop >> type & 1 ? EDIT_DROP : EDIT_PUT,
            .value = put ? shadows[type] : NULL,
            .given = put,
        };
    }
    return count;
}

void *run_source(int type) {
    return sources[type];
}

void run_values_drop(const op *o) {
    for (int type = 0; type < TYPE_COUNT; type++) {
        if (o->put >> type & 1) {
            model_value_drop(type, sources[type]);
        }
    }
}

void run_adopt(run *r, being *b, int type, uint32_t before) {
    if (!(b->has >> type & 1) || model_value_instance(type, reference_value(b, type)) == 0) {
        return;
    }
    const void *found = stoa_try_get_id(r->s.world, b->handle, r->ids[type]);
    uint32_t instance = found == NULL ? 0 : model_value_instance(type, found);
    if (run_check(r, instance >= before, "a copy of %s is an instance that was there before",
                  model_types[type].name)) {
        model_value_rename(type, reference_value(b, type), instance);
    }
}
