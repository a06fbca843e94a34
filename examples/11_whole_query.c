/* Whole-query operations: one call changes everything that a query matches. */
#include <stdio.h>
#include <stoa.h>

STOA_COMPONENT(Position, { float x, y; });
STOA_COMPONENT(Velocity, { float x, y; });
STOA_COMPONENT(Poison, { int32_t turns; });
STOA_TAG(Frozen);
STOA_TAG(Boss);

#define QUERY(world, ...) stoa_query_new((world), &(stoa_query_desc){.terms = {__VA_ARGS__}})

static void counts_print(stoa_world *w, const char *title) {
    printf("%-32s %6d live", title, stoa_count(w));
    const char *texts[] = {"const Velocity", "with Frozen", "const Poison"};
    const char *names[] = {"moving", "frozen", "poisoned"};
    for (int i = 0; i < 3; i++) {
        stoa_query *query = stoa_query_parse(w, texts[i]);
        printf(", %6d %s", stoa_query_count(query), names[i]);
        stoa_query_free(query);
    }
    printf("\n");
}

static void poison_note(stoa_world *w, stoa_entity e, void *value, void *user) {
    (void)w, (void)e, (void)value;
    (*(int32_t *)user)++;
}

int main(void) {
    stoa_world *w = stoa_world_new(NULL);
    stoa_id(w, Frozen);
    stoa_id(w, Poison);
    stoa_create_bulk(w, 60000, NULL, STOA_ZERO(Position), STOA_ZERO(Velocity));
    stoa_create_bulk(w, 30000, NULL, STOA_ZERO(Position));
    stoa_entity boss =
        stoa_create_with(w, STOA_ZERO(Position), STOA_ZERO(Velocity), STOA_ZERO(Boss));
    counts_print(w, "at first");

    /* A tag: whole chunks change hands. The rows stay where they are. */
    stoa_query *minions = QUERY(w, STOA_READ(Position), STOA_WITHOUT(Boss));
    stoa_query *moving = QUERY(w, STOA_READ(Velocity), STOA_WITHOUT(Boss));
    stoa_entity first = stoa_query_first(moving);
    const Position *before = stoa_get(w, first, Position);
    stoa_query_add(moving, Frozen);
    printf("-- the first one %s\n",
           before == stoa_get(w, first, Position) ? "did not move" : "moved");
    counts_print(w, "all that move are frozen");

    /* A value: columns are copied chunk by chunk, and each row gets a copy of it. */
    stoa_query_set(minions, Poison, {3});
    counts_print(w, "minions are poisoned");

    /* Where it is there already, set overwrites and add leaves alone. */
    stoa_query_set(QUERY(w, STOA_FILTER(Frozen)), Poison, {9});
    stoa_query_add(minions, Poison);
    printf("-- poison of a frozen one: %d turns\n", stoa_get(w, first, Poison)->turns);

    /* What queries filter by, operations go by as well. */
    stoa_query_remove(QUERY(w, STOA_FILTER(Frozen)), Velocity);
    counts_print(w, "the frozen cannot move any more");

    /* With a hook there is somebody to tell, so entities are changed one by one. */
    int32_t told = 0;
    stoa_on_remove(w, Poison, poison_note, &told);
    stoa_query_remove(minions, Poison);
    printf("-- the hook was told %d times\n", told);

    stoa_query_destroy(minions);
    counts_print(w, "the end of the minions");
    printf("-- the boss %s\n", stoa_alive(w, boss) ? "lives" : "is dead");
    stoa_world_free(w);
}
