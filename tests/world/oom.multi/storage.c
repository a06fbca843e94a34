/* Calls on sparse, switchable and row-tick components, and queries that filter by ticks. */
#include "oom.h"

/* Entities far apart, so that pages of positions are made one by one. */
static void prepare_apart(oom *o) {
    stoa_entity many[4096];
    prepare_some(o);
    assert_int_equal(stoa_create_bulk_values(o->s.world, 4096, many, NULL, 0), STOA_OK);
    o->e[1] = many[1100];
    o->e[2] = many[2600];
    o->e[3] = many[4000];
    assert_true(stoa_id(o->s.world, Heat) != 0);
    assert_true(stoa_id(o->s.world, Note) != 0);
}

static bool call_sparse_set(oom *o, int i) {
    stoa_entity e = o->e[i % 4];
    if (i % 8 < 4) {
        return ok(stoa_set(o->s.world, e, Heat, {(float)i}));
    }
    Note note = {text_make("sparse")};
    bool fine = ok(stoa_set_from(o->s.world, e, Note, &note));
    if (!fine) {
        assert_string_equal(note.text, "sparse");
        label_drop(&note, 1, NULL);
    }
    return fine;
}

static bool call_sparse_many(oom *o, int i) {
    stoa_world *w = o->s.world;
    switch (i % 3) {
    case 0:
        return lives(stoa_create_with(w, STOA_VALUE(Heat, {1}), STOA_ZERO(Burning)));
    case 1:
        return lives(stoa_create_with(w, STOA_VALUE(Heat, {2}), STOA_VALUE(Position, {1, 2}),
                                      STOA_ZERO(Frozen)));
    default:
        return lives(stoa_create_with(w, STOA_ZERO(Burning), STOA_ZERO(Health)));
    }
}

static bool call_sparse_bulk(oom *o, int i) {
    (void)i;
    Note notes[40];
    for (int n = 0; n < 40; n++) {
        notes[n].text = text_make("bulk");
    }
    bool fine = ok(stoa_create_bulk(o->s.world, 40, NULL, STOA_COLUMN(Note, notes),
                                    STOA_ZERO(Position), STOA_ZERO(Heat)));
    if (!fine) {
        label_drop(notes, 40, NULL);
    }
    return fine;
}

/* Sparse and column components in one change, a value that owns something among them. */
static bool call_sparse_change(oom *o, int i) {
    stoa_world *w = o->s.world;
    stoa_entity e = o->e[i % 4];
    Note note = {text_make("changed")};
    bool fine = ok(stoa_change(w, e, STOA_VALUE(Heat, {3}), STOA_VALUE_FROM(Note, &note),
                               STOA_ZERO(Health), STOA_REMOVE(Velocity)));
    if (!fine) {
        assert_string_equal(note.text, "changed");
        label_drop(&note, 1, NULL);
    }
    return fine;
}

static bool call_sparse_clone(oom *o, int i) {
    return lives(stoa_clone(o->s.world, o->e[i % 2]));
}

static void prepare_sparse(oom *o) {
    prepare_some(o);
    for (int i = 0; i < 4; i++) {
        assert_true(call_sparse_change(o, i));
        assert_int_equal(stoa_add(o->s.world, o->e[i], Burning), STOA_OK);
        assert_int_equal(stoa_add(o->s.world, o->e[i], Shield), STOA_OK);
    }
    assert_int_equal(stoa_enable(o->s.world, o->e[1], Shield, false), STOA_OK);
}

static bool call_enable(oom *o, int i) {
    stoa_entity e = o->e[i % 4];
    return i % 2 == 0 ? ok(stoa_enable(o->s.world, e, Shield, i % 3 == 0))
                      : ok(stoa_enable(o->s.world, e, Burning, i % 3 == 1));
}

static bool call_lanes(oom *o, int i) {
    return lives(stoa_create_with(o->s.world, STOA_VALUE(Health, {i}), STOA_ZERO(Shield),
                                  STOA_VALUE(Position, {1, 2})));
}

/* Walks a query and counts, with no error. */
static bool walk(stoa_iter it, int32_t expected) {
    int32_t count = 0;
    while (stoa_iter_next(&it)) {
        count += it.count;
    }
    return count == expected && stoa_last_error().status == STOA_OK;
}

static bool call_filter_new(oom *o, int i) {
    stoa_access access = i % 2 == 0 ? STOA_ACCESS_CHANGED : STOA_ACCESS_ADDED;
    stoa_query_desc desc = {.terms = {{.type = STOA_TYPE_OF(Heat), .access = access},
                                      STOA_READ(Position),
                                      STOA_WITHOUT(Burning),
                                      {.type = STOA_TYPE_OF(Health), .access = access}}};
    return stoa_query_new(o->s.world, &desc) != NULL;
}

/* All four have Heat; the first run finds them, the next finds those that are written. */
static bool call_filter_walk(oom *o, int i) {
    stoa_error_clear();
    if (i % 3 == 0) {
        return walk(stoa_query_iter(o->query), i == 0 ? 4 : 1);
    }
    if (i % 3 == 1) {
        /* Overwriting needs no memory. */
        return ok(stoa_set(o->s.world, o->e[i % 4], Heat, {(float)i}));
    }
    return stoa_query_count(o->query) == 1 && walk(stoa_query_iter_since(o->query, 0), 4) &&
           lives(stoa_query_first(o->query));
}

static void prepare_filter(oom *o) {
    prepare_sparse(o);
    o->query = stoa_query_parse(o->s.world, "changed Heat, ?Position");
    assert_non_null(o->query);
}

static bool call_filter_once(oom *o, int i) {
    (void)i;
    stoa_query_desc desc = {.terms = {STOA_CHANGED(Health), STOA_OPTIONAL(Heat)}};
    stoa_error_clear();
    return walk(stoa_query_once(o->s.world, &desc), 4);
}

/* Runs of rows around those that are switched off. */
static bool call_switched_walk(oom *o, int i) {
    (void)i;
    stoa_query_desc desc = {.terms = {STOA_READ(Shield), STOA_OPTIONAL_WRITE(Health)}};
    stoa_error_clear();
    return walk(stoa_query_once(o->s.world, &desc), 3);
}

/* Compacting gives back what sets and buffers do not need. */
static void prepare_compact(oom *o) {
    stoa_entity many[2000];
    prepare_sparse(o);
    assert_int_equal(stoa_create_bulk(o->s.world, 2000, many, STOA_ZERO(Heat), STOA_ZERO(Health)),
                     STOA_OK);
    for (int i = 0; i < 1990; i++) {
        assert_int_equal(stoa_destroy(o->s.world, many[i]), STOA_OK);
    }
}

static bool call_compact(oom *o, int i) {
    (void)i;
    return ok(stoa_compact(o->s.world));
}

const script scripts_storage[] = {
    {"sparse sets far apart", prepare_apart, call_sparse_set, 16, SCRIPT_WHOLE},
    {"sparse, types unknown yet", NULL, call_sparse_many, 3, SCRIPT_WHOLE},
    {"sparse many", prepare_some, call_sparse_many, 600, SCRIPT_WHOLE},
    {"sparse bulk", prepare_some, call_sparse_bulk, 4, SCRIPT_WHOLE},
    {"sparse and columns in one change", prepare_some, call_sparse_change, 8, SCRIPT_WHOLE},
    {"sparse clone", prepare_sparse, call_sparse_clone, 60, SCRIPT_WHOLE},
    {"switching", prepare_sparse, call_enable, 12, SCRIPT_FRUGAL},
    {"row ticks and switches", prepare_some, call_lanes, 1500, SCRIPT_WHOLE},
    {"queries that filter by ticks", prepare_sparse, call_filter_new, 6, SCRIPT_WHOLE},
    {"walks that filter by ticks", prepare_filter, call_filter_walk, 12, SCRIPT_WHOLE},
    {"one-off walks that filter by ticks", prepare_sparse, call_filter_once, 3, SCRIPT_WHOLE},
    {"walks around what is off", prepare_sparse, call_switched_walk, 3, SCRIPT_WHOLE},
    {"compact with sparse sets", prepare_compact, call_compact, 1, SCRIPT_WHOLE},
};

const int script_storage_count = (int)(sizeof scripts_storage / sizeof *scripts_storage);
