/* Events: listeners that are called at once, and readers that come later.
 *
 * The reference keeps what not every reader of a type has read, in one list a type. An event that
 * all have read may stay for a while in the world, until the next one of its type is sent or read:
 * its value is the last reader's that long. */
#include "run.h"

#include <stdlib.h>

static void event_told(stoa_world *world, const stoa_event *e, void *user) {
    const teller *t = user;
    run *r = t->r;
    (void)world;
    bool tag = model_types[t->type].size == 0;
    run_check(r, e->type == r->ids[t->type], "a listener is given an event of another type");
    run_check(r, (e->data == NULL) == tag, "a listener is given a wrong pointer");
    uint32_t digest = tag || e->data == NULL ? 0 : model_value_digest(t->type, e->data);
    note_add(&r->told, (note){NOTE_EVENT, t->slot, e->target, t->type, digest});
}

static void user_gone(void *user) {
    const teller *t = user;
    t->r->frees++;
}

static bool channel_is_read(const run *r, int type) {
    for (int i = 0; i < TRACE_READERS; i++) {
        if (r->readers[i].reader != NULL && r->readers[i].type == type) {
            return true;
        }
    }
    return false;
}

/* The oldest event that is kept is let go. */
static void channel_shift(run *r, int type) {
    channel *c = &r->channels[type];
    reference_release(&r->ref, type, c->items[0].value);
    memmove(c->items, c->items + 1, (size_t)(c->next - c->first - 1) * sizeof(event));
    c->first++;
    for (int i = 0; i < TRACE_READERS; i++) {
        reader *reading = &r->readers[i];
        if (reading->reader != NULL && reading->type == type && reading->next < c->first) {
            reading->next = c->first;
            reading->lost++;
        }
    }
}

/* Lets go of what everybody has read. */
static void channel_trim(run *r, int type) {
    channel *c = &r->channels[type];
    int64_t least = c->next;
    for (int i = 0; i < TRACE_READERS; i++) {
        const reader *reading = &r->readers[i];
        if (reading->reader != NULL && reading->type == type && reading->next < least) {
            least = reading->next;
        }
    }
    while (c->first < least) {
        channel_shift(r, type);
        c->stale++;
    }
}

static void channel_append(run *r, int type, stoa_entity target, const void *value) {
    channel *c = &r->channels[type];
    if (c->next - c->first == c->limit) {
        if (r->ref.fault == FAULT_EVENT_LOST) {
            return;
        }
        channel_shift(r, type);
    }
    if (c->next - c->first == c->capacity) {
        c->capacity = c->capacity * 2 + 8;
        c->items = realloc(c->items, (size_t)c->capacity * sizeof(event));
        if (c->items == NULL) {
            abort();
        }
    }
    event *e = &c->items[c->next - c->first];
    e->target = target;
    memcpy(e->value, value, model_types[type].size);
    reference_hold(&r->ref, type, value);
    c->next++;
}

/* The listeners of an event, in the order they were added. */
static void listeners_tell(run *r, int type, stoa_entity target, const void *value) {
    uint32_t digest = model_types[type].size == 0 ? 0 : model_value_digest(type, value);
    int64_t told = 0;
    for (;;) {
        int next = -1;
        for (int i = 0; i < TRACE_LISTENERS; i++) {
            const listener *l = &r->listeners[i];
            bool hears = l->id.id != 0 && l->type == type && l->number > told &&
                         (stoa_entity_is_null(l->target) || stoa_entity_eq(l->target, target));
            if (hears && (next < 0 || l->number < r->listeners[next].number)) {
                next = i;
            }
        }
        if (next < 0) {
            return;
        }
        told = r->listeners[next].number;
        note_add(&r->ref.notes, (note){NOTE_EVENT, next, target, type, digest});
    }
}

static void send(run *r, const op *o) {
    const model_type *t = &model_types[o->type];
    const being *b = reference_of(&r->ref, o);
    stoa_entity target = b != NULL ? b->handle : STOA_NULL;
    stoa_value values[TYPE_COUNT + 1];
    edit edits[TYPE_COUNT];
    op single = *o;
    single.put = TYPE_BIT(o->type);
    single.zero = single.drop = 0;
    (void)run_values(r, &single, values);
    (void)run_edits(&single, edits);
    stoa_status status =
        (o->seed & 1) != 0 && t->descriptor != NULL
            ? stoa_event_send_type(r->s.world, target, t->descriptor, run_source(o->type))
            : stoa_event_send_id(r->s.world, target, r->ids[o->type], run_source(o->type), t->size);
    bool dead = b != NULL && !b->alive;
    if (!run_expect(r, status, dead ? STOA_DEAD : STOA_OK, "stoa_event_send") || dead) {
        run_values_drop(&single);
        return;
    }
    r->channels[o->type].stale = 0;
    listeners_tell(r, o->type, target, edits[0].value);
    if (channel_is_read(r, o->type)) {
        channel_append(r, o->type, target, edits[0].value);
    }
}

static void reader_compare(run *r, const reader *reading) {
    int64_t expected = r->channels[reading->type].next - reading->next;
    run_check(r, stoa_reader_count(reading->reader) == expected,
              "a reader has %d events to read, expected %d",
              (int)stoa_reader_count(reading->reader), (int)expected);
    run_check(r, stoa_reader_lost(reading->reader) == reading->lost,
              "a reader has lost %lld events, expected %lld",
              (long long)stoa_reader_lost(reading->reader), (long long)reading->lost);
}

static void event_read(run *r, reader *reading) {
    channel *c = &r->channels[reading->type];
    const model_type *t = &model_types[reading->type];
    stoa_event e;
    bool given = stoa_event_read(reading->reader, &e);
    run_expect(r, STOA_OK, STOA_OK, "stoa_event_read");
    if (!run_check(r, given == (reading->next < c->next), "stoa_event_read gives %s",
                   given ? "too much" : "nothing") ||
        !given) {
        return;
    }
    c->stale = 0;
    const event *expected = &c->items[reading->next++ - c->first];
    run_check(r, e.type == r->ids[reading->type] && stoa_entity_eq(e.target, expected->target),
              "an event of another type or target is read");
    run_check(r, (e.data == NULL) == (t->size == 0), "an event has a wrong pointer");
    run_check(r,
              t->size == 0 || e.data == NULL ||
                  model_value_equal(reading->type, e.data, expected->value),
              "an event has another value");
}

static void reader_end(run *r, reader *reading) {
    run_expect(r, stoa_reader_free(reading->reader), STOA_OK, "stoa_reader_free");
    reading->reader = NULL;
}

static void reader_change(run *r, const op *o) {
    reader *reading = &r->readers[o->slot];
    int32_t type = reading->type;
    if (reading->reader != NULL) {
        if (o->kind == OP_EVENT_READ) {
            for (int32_t i = 0; i < o->count && !r->failed; i++) {
                event_read(r, reading);
                channel_trim(r, type);
            }
        } else {
            reader_end(r, reading);
            channel_trim(r, type);
        }
    }
    if (o->kind == OP_READER_NEW && !r->failed) {
        stoa_type *descriptor = (o->seed & 1) != 0 ? model_types[o->type].descriptor : NULL;
        *reading = (reader){.type = o->type, .next = r->channels[o->type].next};
        reading->reader = descriptor != NULL ? stoa_reader_new_type(r->s.world, descriptor)
                                             : stoa_reader_new_id(r->s.world, r->ids[o->type]);
        run_expect(r, run_given(reading->reader != NULL), STOA_OK, "stoa_reader_new");
    }
    if (reading->reader != NULL && !r->failed) {
        reader_compare(r, reading);
    }
}

static void listener_change(run *r, const op *o) {
    listener *l = &r->listeners[o->slot];
    if (l->id.id != 0) {
        stoa_status status = stoa_listener_remove(r->s.world, l->id);
        run_expect(r, status, STOA_OK, "stoa_listener_remove");
        *l = (listener){.number = 0};
    }
    if (o->kind != OP_LISTEN || r->failed) {
        return;
    }
    const being *b = reference_of(&r->ref, o);
    *l = (listener){.target = b != NULL ? b->handle : STOA_NULL, .type = o->type};
    r->listener_tellers[o->slot] = (teller){r, o->slot, o->type, NOTE_EVENT, NULL};
    stoa_listener_desc desc = {
        .type = (o->seed & 1) != 0 ? model_types[o->type].descriptor : NULL,
        .component = r->ids[o->type],
        .target = l->target,
        .call = event_told,
        .user = &r->listener_tellers[o->slot],
        .user_free = user_gone,
    };
    stoa_listener made = stoa_listener_new(r->s.world, &desc);
    bool dead = b != NULL && !b->alive;
    if (run_expect(r, run_given(made.id != 0), dead ? STOA_DEAD : STOA_OK, "stoa_listener_new") &&
        !dead) {
        l->id = made;
        l->number = ++r->listener_last;
        r->users++;
    }
}

int32_t run_events_listening(const run *r) {
    int32_t count = 0;
    for (int i = 0; i < TRACE_LISTENERS; i++) {
        count += r->listeners[i].id.id != 0 ? 1 : 0;
    }
    return count;
}

int32_t run_events_stale(const run *r, int type) {
    return r->channels[type].stale;
}

void run_events_bury(run *r) {
    for (int i = 0; i < TRACE_LISTENERS; i++) {
        listener *l = &r->listeners[i];
        bool buried = l->id.id != 0 && !stoa_entity_is_null(l->target) &&
                      reference_find(&r->ref, l->target) == NULL;
        if (buried && r->ref.fault != FAULT_LISTENER_STAYS) {
            *l = (listener){.number = 0};
        }
    }
}

void run_events(run *r, const op *o) {
    stoa_error_clear();
    switch (o->kind) {
    case OP_LISTEN:
    case OP_LISTEN_REMOVE:
        listener_change(r, o);
        break;
    case OP_EVENT_SEND:
        send(r, o);
        break;
    case OP_EVENT_LIMIT: {
        channel *c = &r->channels[o->type];
        stoa_status status = stoa_event_limit_id(r->s.world, r->ids[o->type], o->count);
        if (run_expect(r, status, STOA_OK, "stoa_event_limit")) {
            c->limit = o->count;
            while (c->next - c->first > c->limit) {
                channel_shift(r, o->type);
            }
        }
        break;
    }
    default:
        reader_change(r, o);
        break;
    }
    for (int i = 0; i < TRACE_READERS && !r->failed; i++) {
        if (r->readers[i].reader != NULL) {
            reader_compare(r, &r->readers[i]);
        }
    }
}

void run_events_fini(run *r) {
    for (int type = 0; type < TYPE_COUNT; type++) {
        free(r->channels[type].items);
    }
}
