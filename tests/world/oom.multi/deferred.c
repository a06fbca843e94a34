/* Calls that put changes off, and those made of many steps: flush, fork, whole-query operations.
 *
 * Recording is all or nothing. A flush or a whole-query operation keeps the steps before the one
 * that fails; the same call again does the rest. */
#include "oom.h"

static bool call_commands_new(oom *o, int i) {
    stoa_commands *made = stoa_commands_new(o->s.world);
    o->buffers[i % 2] = made != NULL ? made : o->buffers[i % 2];
    return made != NULL;
}

static bool record_label(stoa_commands *c, stoa_entity e) {
    Label label = {text_make("later")};
    bool fine = ok(stoa_commands_set_from(c, e, Label, &label));
    if (!fine) {
        assert_string_equal(label.text, "later");
        label_drop(&label, 1, NULL);
    }
    return fine;
}

static bool record_event(stoa_commands *c, stoa_entity e) {
    Label label = {text_make("event")};
    bool fine = ok(stoa_commands_send_type(c, e, STOA_TYPE_OF(Label), &label));
    if (!fine) {
        assert_string_equal(label.text, "event");
        label_drop(&label, 1, NULL);
    }
    return fine;
}

/* A bundle with a value that owns something, after one that does not. */
static bool record_bundle(stoa_commands *c, stoa_entity e, bool creates) {
    Note note = {text_make("bundled")};
    bool fine =
        creates ? lives(stoa_commands_create_with(c, STOA_VALUE(Position, {1, 2}),
                                                  STOA_VALUE_FROM(Note, &note), STOA_ZERO(Shield)))
                : ok(stoa_commands_change(c, e, STOA_VALUE(Position, {3, 4}),
                                          STOA_VALUE_FROM(Note, &note), STOA_REMOVE(Velocity)));
    if (!fine) {
        assert_string_equal(note.text, "bundled");
        label_drop(&note, 1, NULL);
    }
    return fine;
}

static bool record(stoa_commands *c, const oom *o, int i) {
    stoa_entity e = o->e[i / 3 % 4];
    switch (i % 12) {
    case 0:
        return ok(stoa_commands_set(c, e, Position, {(float)i, 0}));
    case 1:
        return ok(stoa_commands_add(c, e, Health));
    case 2:
        return record_label(c, e);
    case 3:
        return ok(stoa_commands_remove(c, e, Velocity));
    case 4:
        return record_bundle(c, e, false);
    case 5:
        return lives(stoa_commands_create(c));
    case 6:
        return record_bundle(c, e, true);
    case 7:
        return ok(stoa_commands_add(c, e, Shield));
    case 8:
        return ok(stoa_commands_enable(c, e, Shield, i % 24 < 12));
    case 9:
        return ok(stoa_commands_set(c, e, Heat, {(float)i}));
    case 10:
        return ok(stoa_commands_remove(c, e, Heat));
    default:
        return i % 36 == 11   ? ok(stoa_commands_destroy(c, e))
               : i % 36 == 23 ? record_event(c, e)
                              : ok(stoa_commands_set(c, e, Velocity, {1, (float)i}));
    }
}

static bool call_record(oom *o, int i) {
    return record(stoa_deferred(o->s.world), o, i);
}

static bool call_record_apart(oom *o, int i) {
    return record(o->buffers[i / 7 % 2], o, i);
}

static void prepare_buffers(oom *o) {
    prepare_some(o);
    for (int i = 0; i < 2; i++) {
        assert_true(call_commands_new(o, i));
    }
}

static void prepare_recorded(oom *o) {
    prepare_some(o);
    assert_non_null(stoa_reader_new(o->s.world, Label));
    for (int i = 0; i < 150; i++) {
        assert_true(call_record(o, i));
    }
}

/* The same with hooks, observers and a log, so that nothing is joined. */
static void prepare_recorded_watched(oom *o) {
    prepare_watched(o);
    for (int i = 0; i < 100; i++) {
        assert_true(call_record(o, i));
    }
}

static bool call_flush(oom *o, int i) {
    (void)i;
    int32_t before = stoa_commands_count(stoa_deferred(o->s.world));
    bool fine = ok(stoa_flush(o->s.world));
    int32_t after = stoa_commands_count(stoa_deferred(o->s.world));
    assert_true(fine ? after == 0 : after > 0 && after <= before);
    return fine;
}

/* Record, flush, and record again: buffers keep what they have. */
static bool call_record_and_flush(oom *o, int i) {
    return i % 30 == 29 ? call_flush(o, i) : call_record(o, i);
}

/* Fork, record by turns, join, flush both. */
static bool call_fork(oom *o, int i) {
    int turn = i % 60;
    if (turn == 0) {
        return ok(stoa_commands_fork(o->s.world, o->buffers, 2));
    }
    if (turn < 57) {
        return call_record_apart(o, turn);
    }
    return turn == 57 ? ok(stoa_commands_join(o->s.world))
                      : ok(stoa_commands_flush(o->buffers[turn - 58]));
}

/* Several archetypes, chunks that are full and one that is not, sparse components and values that
 * own something. */
static void prepare_many(oom *o) {
    stoa_world *w = o->s.world;
    prepare_some(o);
    assert_int_equal(stoa_create_bulk(w, 1500, NULL, STOA_ZERO(Position)), STOA_OK);
    assert_int_equal(stoa_create_bulk(w, 700, NULL, STOA_ZERO(Position), STOA_ZERO(Velocity)),
                     STOA_OK);
    assert_int_equal(stoa_create_bulk(w, 90, NULL, STOA_ZERO(Position), STOA_ZERO(Label)), STOA_OK);
    assert_int_equal(
        stoa_create_bulk(w, 60, NULL, STOA_ZERO(Position), STOA_ZERO(Health), STOA_ZERO(Shield)),
        STOA_OK);
    assert_int_equal(stoa_create_bulk(w, 50, NULL, STOA_ZERO(Position), STOA_ZERO(Heat)), STOA_OK);
    o->query = stoa_query_parse(w, "Position");
    assert_non_null(o->query);
}

static void prepare_many_watched(oom *o) {
    prepare_watched(o);
    assert_int_equal(stoa_create_bulk(o->s.world, 60, NULL, STOA_ZERO(Position)), STOA_OK);
    o->query = stoa_query_parse(o->s.world, "Position");
    assert_non_null(o->query);
}

static bool call_whole(oom *o, int i) {
    stoa_query *q = o->query;
    switch (i) {
    case 0:
        return ok(stoa_query_add(q, Frozen));
    case 1:
        return ok(stoa_query_set(q, Velocity, {1, 2}));
    case 2:
        return ok(stoa_query_add(q, Health));
    case 3: {
        Label label = {text_make("whole")};
        bool fine = ok(stoa_query_set_type(q, STOA_TYPE_OF(Label), &label));
        label_drop(&label, 1, NULL);
        return fine;
    }
    case 4:
        return ok(stoa_query_set(q, Heat, {20}));
    case 5:
        return ok(stoa_query_remove(q, Label));
    case 6:
        return ok(stoa_query_remove(q, Heat));
    case 7:
        return ok(stoa_query_remove(q, Velocity));
    default:
        return ok(stoa_query_destroy(q));
    }
}

const script scripts_deferred[] = {
    {"command buffers", prepare_some, call_commands_new, 20, SCRIPT_WHOLE},
    {"recording", prepare_some, call_record, 400, SCRIPT_WHOLE},
    {"recording in two buffers", prepare_buffers, call_record_apart, 400, SCRIPT_WHOLE},
    {"flush", prepare_recorded, call_flush, 1, SCRIPT_STEPS},
    {"flush that is told", prepare_recorded_watched, call_flush, 1, SCRIPT_STEPS},
    {"recording and flush", prepare_some, call_record_and_flush, 120, SCRIPT_STEPS},
    {"fork and join", prepare_buffers, call_fork, 120, SCRIPT_STEPS},
    {"whole queries", prepare_many, call_whole, 9, SCRIPT_STEPS},
    {"whole queries that are told", prepare_many_watched, call_whole, 9, SCRIPT_ORDER},
};

const int script_deferred_count = (int)(sizeof scripts_deferred / sizeof *scripts_deferred);
