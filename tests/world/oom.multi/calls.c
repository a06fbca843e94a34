/* The calls that allocate, and the scripts made of them.
 *
 * Each call is one of the public interface and tells whether it succeeded; values that it did not
 * take are still the caller's. */
#include "oom.h"

static void each_count(stoa_entity e, void *const *fields, void *user) {
    (void)e;
    (void)fields;
    (*(int32_t *)user)++;
}

void prepare_some(oom *o) {
    stoa_world *w = o->s.world;
    o->e[0] = stoa_create(w);
    o->e[1] = stoa_create_with(w, STOA_VALUE(Position, {1, 2}));
    o->e[2] = stoa_create_with(w, STOA_VALUE(Position, {3, 4}), STOA_VALUE(Velocity, {5, 6}));
    o->e[3] = stoa_create_with(w, STOA_VALUE(Label, {text_make("one")}), STOA_ZERO(Frozen));
    assert_true(stoa_id(w, Velocity) != 0);
    assert_true(lives(o->e[3]));
}

/* Much room with little in it. */
static void prepare_room(oom *o) {
    stoa_world *w = o->s.world;
    prepare_some(o);
    assert_int_equal(stoa_create_bulk(w, 5000, NULL, STOA_ZERO(Position), STOA_ZERO(Velocity)),
                     STOA_OK);
    assert_int_equal(stoa_create_bulk(w, 3000, NULL, STOA_ZERO(Position)), STOA_OK);
    stoa_entity e = stoa_entity_next(w, o->e[3]);
    for (int i = 0; !stoa_entity_is_null(e); i++) {
        stoa_entity next = stoa_entity_next(w, e);
        if (i % 100 != 0) {
            assert_int_equal(stoa_destroy(w, e), STOA_OK);
        }
        e = next;
    }
}

static bool call_register_typed(oom *o, int i) {
    (void)i;
    return stoa_id(o->s.world, Position) != 0;
}

static bool call_register_runtime(oom *o, int i) {
    char name[16];
    snprintf(name, sizeof name, "Type%d", i);
    int32_t count = stoa_component_count(o->s.world);
    stoa_component_desc desc = {.name = name, .fields = "{ float x; int32_t kinds[3]; }"};
    stoa_component id = stoa_component_register(o->s.world, &desc);
    assert_int_equal(stoa_component_count(o->s.world), count + (id != 0 ? 1 : 0));
    return id != 0;
}

static bool call_create(oom *o, int i) {
    (void)i;
    return lives(stoa_create(o->s.world));
}

static bool call_create_with(oom *o, int i) {
    return lives(stoa_create_with(o->s.world, STOA_VALUE(Position, {(float)i, 0}),
                                  STOA_ZERO(Velocity), STOA_ZERO(Frozen)));
}

static bool call_create_label(oom *o, int i) {
    (void)i;
    Label label = {text_make("two")};
    bool fine = lives(
        stoa_create_with(o->s.world, STOA_VALUE_FROM(Label, &label), STOA_VALUE(Position, {1, 1})));
    if (!fine) {
        assert_string_equal(label.text, "two");
        label_drop(&label, 1, NULL);
    }
    return fine;
}

static bool call_create_huge(oom *o, int i) {
    (void)i;
    return lives(stoa_create_with(o->s.world, STOA_ZERO(Huge), STOA_VALUE(Position, {1, 1})));
}

static bool call_bulk(oom *o, int i) {
    (void)i;
    static const Position positions[700];
    stoa_entity entities[700];
    return ok(stoa_create_bulk(o->s.world, 700, entities, STOA_COLUMN(Position, positions),
                               STOA_ZERO(Velocity)));
}

static bool call_bulk_label(oom *o, int i) {
    (void)i;
    Label labels[90];
    for (int n = 0; n < 90; n++) {
        labels[n].text = text_make("bulk");
    }
    bool fine = ok(stoa_create_bulk(o->s.world, 90, NULL, STOA_COLUMN(Label, labels)));
    if (!fine) {
        label_drop(labels, 90, NULL);
    }
    return fine;
}

static bool call_set(oom *o, int i) {
    (void)i;
    return ok(stoa_set(o->s.world, o->e[0], Velocity, {7, 8}));
}

static bool call_set_label(oom *o, int i) {
    (void)i;
    Label label = {text_make("three")};
    bool fine = ok(stoa_set_from(o->s.world, o->e[1], Label, &label));
    if (!fine) {
        assert_string_equal(label.text, "three");
        label_drop(&label, 1, NULL);
    }
    return fine;
}

static bool call_add(oom *o, int i) {
    (void)i;
    return ok(stoa_add(o->s.world, o->e[1], Frozen));
}

static bool call_add_moving_label(oom *o, int i) {
    (void)i;
    return ok(stoa_add(o->s.world, o->e[3], Position));
}

static bool call_remove(oom *o, int i) {
    (void)i;
    return ok(stoa_remove(o->s.world, o->e[2], Position));
}

static bool call_change(oom *o, int i) {
    (void)i;
    return ok(stoa_change(o->s.world, o->e[2], STOA_ZERO(Frozen), STOA_VALUE(Velocity, {1, 1}),
                          STOA_REMOVE(Position)));
}

static bool call_clear_all(oom *o, int i) {
    return ok(stoa_clear(o->s.world, o->e[i]));
}

static bool call_clone(oom *o, int i) {
    (void)i;
    return lives(stoa_clone(o->s.world, o->e[3]));
}

static bool call_reserve(oom *o, int i) {
    (void)i;
    return ok(stoa_reserve(o->s.world, 3000, STOA_ZERO(Position), STOA_ZERO(Frozen)));
}

static bool call_compact(oom *o, int i) {
    (void)i;
    return ok(stoa_compact(o->s.world));
}

static bool call_query_new(oom *o, int i) {
    (void)i;
    stoa_query_desc desc = {.terms = {STOA_WRITE(Position), STOA_READ(Velocity), STOA_ANY(Frozen)},
                            .name = "moving"};
    return stoa_query_new(o->s.world, &desc) != NULL;
}

static bool call_query_parse(oom *o, int i) {
    (void)i;
    return stoa_query_parse(o->s.world, "Position, ?const Velocity, !Frozen") != NULL;
}

static bool call_query_once(oom *o, int i) {
    (void)i;
    stoa_query_desc desc = {.terms = {STOA_READ(Position), STOA_OPTIONAL(Velocity)}};
    int32_t count = 0;
    stoa_error_clear();
    for (stoa_iter it = stoa_query_once(o->s.world, &desc); stoa_iter_next(&it);) {
        count += it.count;
    }
    return count == 2 && stoa_last_error().status == STOA_OK;
}

static bool call_query_count(oom *o, int i) {
    (void)i;
    return stoa_query_once_count(o->s.world, &(stoa_query_desc){.terms = {STOA_READ(Position)}}) ==
           2;
}

/* The first iteration of a query, and then some more. */
static bool call_query_iter(oom *o, int i) {
    (void)i;
    int32_t count = 0;
    stoa_error_clear();
    for (stoa_iter it = stoa_query_iter(o->query); stoa_iter_next(&it);) {
        count += it.count;
    }
    return count == 2 && stoa_last_error().status == STOA_OK;
}

static bool call_query_each(oom *o, int i) {
    (void)i;
    int32_t count = 0;
    return ok(stoa_query_each(o->query, each_count, &count)) && count == 2;
}

static bool call_query_ask(oom *o, int i) {
    stoa_error_clear();
    bool fine = i % 2 == 0 ? stoa_query_count(o->query) == 2 : lives(stoa_query_first(o->query));
    return fine && stoa_last_error().status == STOA_OK;
}

/* A query that was never asked anything. */
static void prepare_query(oom *o) {
    prepare_some(o);
    o->query = stoa_query_parse(o->s.world, "Position, ?const Velocity");
    assert_non_null(o->query);
}

/* A new archetype at each call, with queries in use that must learn of it. */
static bool call_archetypes(oom *o, int i) {
    if (i < 8) {
        static const char *const texts[4] = {"Position", "const Velocity, ?Position", "!Position",
                                             "Position | Velocity"};
        if (i % 2 == 0) {
            o->query = stoa_query_parse(o->s.world, texts[i / 2]);
            return o->query != NULL;
        }
        stoa_error_clear();
        stoa_iter it = stoa_query_iter(o->query);
        stoa_iter_end(&it);
        return stoa_last_error().status == STOA_OK;
    }
    char name[16];
    stoa_value values[10];
    int32_t count = 0;
    for (int bit = 0; bit < 8; bit++) {
        snprintf(name, sizeof name, "Bit%d", bit);
        if (i >> bit & 1) {
            values[count++] = (stoa_value){.id = stoa_component_find(o->s.world, name)};
        }
    }
    values[count++] = (stoa_value){.type = STOA_TYPE_OF(Position)};
    return lives(stoa_create_values(o->s.world, values, count));
}

static void prepare_archetypes(oom *o) {
    prepare_some(o);
    for (int bit = 0; bit < 8; bit++) {
        char name[16];
        snprintf(name, sizeof name, "Bit%d", bit);
        stoa_component_desc desc = {.name = name, .size = 4, .alignment = 4};
        assert_true(stoa_component_register(o->s.world, &desc) != 0);
    }
}

/* Moves from archetype to archetype, so that edges and plans are made. */
static bool call_edges(oom *o, int i) {
    char name[16];
    snprintf(name, sizeof name, "Bit%d", i % 8);
    stoa_component id = stoa_component_find(o->s.world, name);
    stoa_entity e = o->e[1 + i % 2];
    return ok(stoa_has_id(o->s.world, e, id) ? stoa_remove_id(o->s.world, e, id)
                                             : stoa_add_id(o->s.world, e, id));
}

/* A day in the life of a world: everything, one after the other. */
bool call_all(oom *o, int i) {
    static const script_call calls[] = {
        call_register_runtime,
        call_create,
        call_create_with,
        call_create_label,
        call_bulk,
        call_bulk_label,
        call_set,
        call_set_label,
        call_add,
        call_query_new,
        call_remove,
        call_add_moving_label,
        call_change,
        call_query_parse,
        call_clone,
        call_create_huge,
        call_reserve,
        call_compact,
    };
    int n = (int)(sizeof calls / sizeof *calls);
    if (i >= n) {
        return i < 2 * n ? calls[i - n](o, i) : ok(stoa_destroy(o->s.world, o->e[i - 2 * n]));
    }
    return calls[i](o, i);
}

static bool call_queries(oom *o, int i) {
    return i % 3 == 0 ? call_query_parse(o, i) : call_query_new(o, i);
}

const script scripts[] = {
    {"register a type", NULL, call_register_typed, 1, SCRIPT_WHOLE},
    {"register at run time", NULL, call_register_runtime, 80, SCRIPT_WHOLE},
    {"create many", NULL, call_create, 5000, SCRIPT_WHOLE},
    {"create_with, types unknown yet", NULL, call_create_with, 1, SCRIPT_WHOLE},
    {"create_with many", prepare_some, call_create_with, 2500, SCRIPT_WHOLE},
    {"create_with a value that owns", prepare_some, call_create_label, 40, SCRIPT_WHOLE},
    {"create_with a value larger than a chunk", prepare_some, call_create_huge, 5, SCRIPT_WHOLE},
    {"bulk", NULL, call_bulk, 5, SCRIPT_WHOLE},
    {"bulk of values that own", prepare_some, call_bulk_label, 3, SCRIPT_WHOLE},
    {"set", prepare_some, call_set, 1, SCRIPT_WHOLE},
    {"set a value that owns", prepare_some, call_set_label, 1, SCRIPT_WHOLE},
    {"add", prepare_some, call_add, 1, SCRIPT_WHOLE},
    {"add beside a value that owns", prepare_some, call_add_moving_label, 1, SCRIPT_WHOLE},
    {"remove", prepare_some, call_remove, 1, SCRIPT_WHOLE},
    {"change", prepare_some, call_change, 1, SCRIPT_WHOLE},
    {"clone", prepare_some, call_clone, 40, SCRIPT_WHOLE},
    {"reserve", prepare_some, call_reserve, 1, SCRIPT_WHOLE},
    {"reserve, types unknown yet", NULL, call_reserve, 1, SCRIPT_WHOLE},
    {"compact", prepare_room, call_compact, 1, SCRIPT_WHOLE},
    {"query_new, types unknown yet", NULL, call_query_new, 1, SCRIPT_WHOLE},
    {"query_new", prepare_some, call_query_new, 1, SCRIPT_WHOLE},
    {"query_parse", prepare_some, call_query_parse, 1, SCRIPT_WHOLE},
    {"many queries", prepare_some, call_queries, 100, SCRIPT_WHOLE},
    {"query_once", prepare_some, call_query_once, 1, SCRIPT_WHOLE},
    {"query_iter", prepare_query, call_query_iter, 2, SCRIPT_FRUGAL},
    {"query_each", prepare_query, call_query_each, 2, SCRIPT_FRUGAL},
    {"query_count and query_first", prepare_query, call_query_ask, 4, SCRIPT_FRUGAL},
    {"query_once_count", prepare_some, call_query_count, 1, SCRIPT_FRUGAL},
    {"clear", prepare_some, call_clear_all, 4, SCRIPT_FRUGAL},
    {"new archetypes under queries", prepare_archetypes, call_archetypes, 90, SCRIPT_WHOLE},
    {"edges between archetypes", prepare_archetypes, call_edges, 120, SCRIPT_WHOLE},
    {"a bit of everything", prepare_some, call_all, 40, SCRIPT_WHOLE},
};

const int script_count = (int)(sizeof scripts / sizeof *scripts);
