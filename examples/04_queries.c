/* Queries: every kind of term, as macros and as text, and the ways to walk what matches. */
#include <stdio.h>
#include <stoa.h>

STOA_COMPONENT(Label, { char text[12]; });
STOA_COMPONENT(Position, { float x; });
STOA_COMPONENT(Velocity, { float x; });
STOA_COMPONENT(Sail, { int32_t area; });
STOA_COMPONENT(Engine, { int32_t power; });
STOA_TAG(Anchored);

static void names_print(const char *title, stoa_query *query) {
    printf("%-28s %d:", title, stoa_query_count(query));
    for (stoa_iter it = stoa_query_iter(query); stoa_iter_next(&it);) {
        for (int32_t i = 0; i < it.count; i++) {
            printf(" %s", stoa_get(it.world, it.entities[i], Label)->text);
        }
    }
    printf("\n");
}

/* stoa_query_each calls this for every entity; fields come in order of the terms. */
static void speed_add(stoa_entity e, void *const *fields, void *user) {
    (void)e;
    const Velocity *v = fields[0];
    *(float *)user += v->x;
}

/* Pairs that are close to each other: the same query, walked inside itself. */
static int32_t neighbours_count(stoa_query *query) {
    int32_t count = 0;
    for (stoa_iter a = stoa_query_iter(query); stoa_iter_next(&a);) {
        const Position *p = stoa_field(&a, Position, 0);
        for (stoa_iter b = stoa_query_iter(query); stoa_iter_next(&b);) {
            const Position *q = stoa_field(&b, Position, 0);
            for (int32_t i = 0; i < a.count; i++) {
                for (int32_t k = 0; k < b.count; k++) {
                    count += q[k].x > p[i].x && q[k].x < p[i].x + 2.5f;
                }
            }
        }
    }
    return count;
}

/* The first ship beyond a place. Leaving early is fine once the iteration is told. */
static stoa_entity ship_beyond(stoa_query *query, float x) {
    for (stoa_iter it = stoa_query_iter(query); stoa_iter_next(&it);) {
        const Position *p = stoa_field(&it, Position, 0);
        for (int32_t i = 0; i < it.count; i++) {
            if (p[i].x > x) {
                stoa_entity found = it.entities[i];
                stoa_iter_end(&it);
                return found;
            }
        }
    }
    return STOA_NULL;
}

static void fleet_make(stoa_world *w) {
    stoa_create_with(w, STOA_VALUE(Label, {"raft"}), STOA_VALUE(Position, {1}));
    stoa_create_with(w, STOA_VALUE(Label, {"sloop"}), STOA_VALUE(Position, {2}),
                     STOA_VALUE(Velocity, {3}), STOA_VALUE(Sail, {40}));
    stoa_create_with(w, STOA_VALUE(Label, {"tug"}), STOA_VALUE(Position, {3}),
                     STOA_VALUE(Velocity, {2}), STOA_VALUE(Engine, {900}));
    stoa_create_with(w, STOA_VALUE(Label, {"clipper"}), STOA_VALUE(Position, {6}),
                     STOA_VALUE(Velocity, {9}), STOA_VALUE(Sail, {800}), STOA_ZERO(Anchored));
    stoa_create_with(w, STOA_VALUE(Label, {"buoy"}), STOA_VALUE(Position, {7}),
                     STOA_ZERO(Anchored));
}

int main(void) {
    stoa_world *w = stoa_world_new(NULL);
    fleet_make(w);

    stoa_query *placed = stoa_query_new(w, &(stoa_query_desc){.terms = {STOA_READ(Position)}});
    names_print("read", placed);
    stoa_query *moving =
        stoa_query_new(w, &(stoa_query_desc){.terms = {STOA_WRITE(Position), STOA_READ(Velocity),
                                                       STOA_WITHOUT(Anchored)}});
    names_print("write, read, without", moving);
    stoa_query *driven =
        stoa_query_new(w, &(stoa_query_desc){.terms = {STOA_ANY(Sail), STOA_ANY(Engine)}});
    names_print("any of two", driven);
    stoa_query *fixed =
        stoa_query_new(w, &(stoa_query_desc){.terms = {STOA_FILTER(Anchored)}, .name = "fixed"});
    names_print("filter only", fixed);
    stoa_query *text = stoa_query_parse(w, "Position, const Velocity, !Anchored");
    names_print("the second one as text", text);
    printf("%-28s %s\n", "its name", stoa_query_name(text));

    printf("-- walk by chunk; an optional term has a column or NULL\n");
    stoa_query *rigged = stoa_query_parse(w, "const Label, Position, const Velocity, ?const Sail");
    for (stoa_iter it = stoa_query_iter(rigged); stoa_iter_next(&it);) {
        const Label *name = stoa_field(&it, Label, 0);
        Position *p = stoa_field_mut(&it, Position, 1);
        const Velocity *v = stoa_field(&it, Velocity, 2);
        const Sail *sail = stoa_field(&it, Sail, 3);
        for (int32_t i = 0; i < it.count; i++) {
            p[i].x += v[i].x;
            printf("%s is at %g with sails of %d\n", name[i].text, (double)p[i].x,
                   sail != NULL ? sail[i].area : 0);
        }
    }

    printf("-- walk by entity, nested, until found, and just this once\n");
    float speed = 0;
    stoa_query *fast = stoa_query_parse(w, "const Velocity");
    stoa_query_each(fast, speed_add, &speed);
    printf("all speeds: %g\n", (double)speed);
    printf("neighbours within 2.5: %d\n", neighbours_count(placed));
    stoa_entity far = ship_beyond(placed, 6);
    printf("first beyond 6: %s\n", stoa_get(w, far, Label)->text);
    stoa_query_desc desc = {.terms = {STOA_READ(Engine)}};
    for (stoa_iter it = stoa_query_once(w, &desc); stoa_iter_next(&it);) {
        printf("engine of %d\n", stoa_field(&it, Engine, 0)[0].power);
    }

    printf("-- a ship that comes later is found by queries made before\n");
    stoa_create_with(w, STOA_VALUE(Label, {"ferry"}), STOA_VALUE(Position, {0}), STOA_ZERO(Engine));
    names_print("any of two", driven);
    stoa_world_free(w); /* and with it the queries */
}
