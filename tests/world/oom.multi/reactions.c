/* Calls that tell others of changes: hooks, observers, the log, events, resources.
 *
 * Whoever is told only counts. A change that fails must have told nobody. */
#include "oom.h"

void hook_count(stoa_world *world, stoa_entity e, void *value, void *user) {
    (void)world;
    (void)e;
    (void)value;
    ((oom *)user)->told++;
}

static void observer_count(stoa_world *world, stoa_entity e, void *user) {
    (void)world;
    (void)e;
    ((oom *)user)->told++;
}

void listener_count(stoa_world *world, const stoa_event *event, void *user) {
    (void)world;
    (void)event;
    ((oom *)user)->told++;
}

static void user_count(void *user) {
    ((oom *)user)->freed++;
}

static stoa_type *type_at(int i) {
    stoa_type *types[] = {STOA_TYPE_OF(Position), STOA_TYPE_OF(Velocity), STOA_TYPE_OF(Frozen),
                          STOA_TYPE_OF(Label),    STOA_TYPE_OF(Heat),     STOA_TYPE_OF(Health),
                          STOA_TYPE_OF(Shield),   STOA_TYPE_OF(Note)};
    return types[i % 8];
}

static bool call_hook_new(oom *o, int i) {
    stoa_hook_desc desc = {.kind = (stoa_hook_kind)(i % 3),
                           .type = type_at(i),
                           .call = hook_count,
                           .user = o,
                           .user_free = user_count};
    return stoa_hook_new(o->s.world, &desc).id != 0;
}

static bool call_observe(oom *o, int i) {
    stoa_observer_desc desc = {
        .query = {.terms = {{.type = type_at(i), .access = STOA_ACCESS_READ},
                            {.type = type_at(i + 3), .access = STOA_ACCESS_WITHOUT},
                            {.type = type_at(i + 4), .access = STOA_ACCESS_OPTIONAL}}},
        .enter = observer_count,
        .leave = i % 2 == 0 ? observer_count : NULL,
        .user = o,
        .user_free = user_count,
    };
    return stoa_observe(o->s.world, &desc).id != 0;
}

static bool call_listener_new(oom *o, int i) {
    stoa_listener_desc desc = {.type = type_at(i),
                               .target = i % 2 == 0 ? STOA_NULL : o->e[i / 2 % 4],
                               .call = listener_count,
                               .user = o,
                               .user_free = user_count};
    return stoa_listener_new(o->s.world, &desc).id != 0;
}

static bool call_reader_new(oom *o, int i) {
    stoa_reader *reader = stoa_reader_new_type(o->s.world, type_at(i));
    o->reader = reader != NULL ? reader : o->reader;
    return reader != NULL;
}

void prepare_watched(oom *o) {
    prepare_some(o);
    for (int i = 0; i < 24; i++) {
        assert_true(call_hook_new(o, i));
        assert_true(call_observe(o, i));
    }
    assert_int_equal(stoa_log_keep(o->s.world, 40), STOA_OK);
}

/* Room for a few entries, then for more, then none. */
static bool call_log_keep(oom *o, int i) {
    static const int32_t capacities[6] = {4, 100, 3, 0, 5, 5000};
    return ok(stoa_log_keep(o->s.world, capacities[i]));
}

static bool call_send(oom *o, int i) {
    stoa_world *w = o->s.world;
    if (i % 4 == 3) {
        Label label = {text_make("sent")};
        bool fine = ok(stoa_event_send_type(w, STOA_NULL, STOA_TYPE_OF(Label), &label));
        if (!fine) {
            assert_string_equal(label.text, "sent");
            label_drop(&label, 1, NULL);
        }
        return fine;
    }
    return ok(stoa_event_send_to(w, o->e[i % 2], Position, {(float)i, 1}));
}

static void prepare_readers(oom *o) {
    prepare_some(o);
    assert_true(call_reader_new(o, 3));
    assert_true(call_reader_new(o, 0));
}

static void prepare_listeners(oom *o) {
    prepare_readers(o);
    for (int i = 0; i < 8; i++) {
        assert_true(call_listener_new(o, i));
    }
}

static bool call_event_limit(oom *o, int i) {
    return ok(stoa_event_limit_type(o->s.world, type_at(i), 3 + i));
}

static bool call_resource_set(oom *o, int i) {
    stoa_world *w = o->s.world;
    switch (i % 5) {
    case 0:
        return ok(stoa_resource_set(w, Position, {(float)i, 2}));
    case 1:
        return ok(stoa_resource_set(w, Frozen, {0}));
    case 2:
        return ok(stoa_resource_set(w, Heat, {36.6f}));
    case 3: {
        static const Huge huge;
        return ok(stoa_resource_set_from(w, Huge, &huge));
    }
    default: {
        Label label = {text_make("kept")};
        bool fine = ok(stoa_resource_set_from(w, Label, &label));
        if (!fine) {
            assert_string_equal(label.text, "kept");
            label_drop(&label, 1, NULL);
        }
        return fine;
    }
    }
}

/* The hooks of a change that adds, overwrites and takes away. */
static bool call_change_watched(oom *o, int i) {
    stoa_entity e = o->e[i % 4];
    stoa_world *w = o->s.world;
    if (i % 3 == 2) {
        return ok(stoa_change(w, e, STOA_REMOVE(Heat), STOA_REMOVE(Shield), STOA_ZERO(Health),
                              STOA_VALUE(Velocity, {1, 2})));
    }
    return ok(stoa_change(w, e, STOA_VALUE(Heat, {(float)i}), STOA_ZERO(Shield),
                          STOA_REMOVE(Velocity), STOA_ZERO(Frozen)));
}

const script scripts_reactions[] = {
    {"hooks", prepare_some, call_hook_new, 48, SCRIPT_WHOLE},
    {"hooks, types unknown yet", NULL, call_hook_new, 8, SCRIPT_WHOLE},
    {"observers", prepare_some, call_observe, 48, SCRIPT_WHOLE},
    {"observers, types unknown yet", NULL, call_observe, 8, SCRIPT_WHOLE},
    {"listeners", prepare_some, call_listener_new, 40, SCRIPT_WHOLE},
    {"readers", prepare_some, call_reader_new, 24, SCRIPT_WHOLE},
    {"the log", prepare_some, call_log_keep, 6, SCRIPT_WHOLE},
    {"send to readers", prepare_readers, call_send, 300, SCRIPT_WHOLE},
    {"send to listeners and readers", prepare_listeners, call_send, 100, SCRIPT_WHOLE},
    {"limits of events", prepare_readers, call_event_limit, 16, SCRIPT_WHOLE},
    {"resources", prepare_some, call_resource_set, 20, SCRIPT_WHOLE},
    {"resources, types unknown yet", NULL, call_resource_set, 5, SCRIPT_WHOLE},
    {"changes that are told", prepare_watched, call_change_watched, 24, SCRIPT_WHOLE},
    {"a bit of everything, told", prepare_watched, call_all, 40, SCRIPT_WHOLE},
};

const int script_reactions_count = (int)(sizeof scripts_reactions / sizeof *scripts_reactions);
