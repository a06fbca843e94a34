/* Hooks and observers: a grid that always knows who stands where, and a count that is never wrong.
 */
#include <stdio.h>
#include <stoa.h>

STOA_COMPONENT(Cell, { int32_t x; });
STOA_COMPONENT(Health, { int32_t points; });
STOA_TAG(Asleep);

#define WIDTH 8

/* Who stands in each cell; kept by hooks alone. */
typedef struct Grid {
    stoa_entity who[WIDTH];
} Grid;

static void cell_given(stoa_world *w, stoa_entity e, void *value, void *user) {
    Grid *grid = user;
    const Cell *cell = value;
    for (int32_t x = 0; x < WIDTH; x++) {
        if (stoa_entity_eq(grid->who[x], e)) {
            grid->who[x] = STOA_NULL;
        }
    }
    /* A hook may change others: whoever stood there is gone. */
    stoa_entity before = grid->who[cell->x];
    grid->who[cell->x] = e;
    if (stoa_alive(w, before)) {
        printf("  %u drives %u away\n", e.index, before.index);
        stoa_destroy(w, before);
    }
}

static void cell_lost(stoa_world *w, stoa_entity e, void *value, void *user) {
    (void)w;
    Grid *grid = user;
    const Cell *cell = value;
    if (stoa_entity_eq(grid->who[cell->x], e)) {
        grid->who[cell->x] = STOA_NULL;
    }
}

static void grid_print(const Grid *grid) {
    for (int32_t x = 0; x < WIDTH; x++) {
        printf("%c", grid->who[x].index != 0 ? (char)('0' + grid->who[x].index) : '.');
    }
    printf("\n");
}

/* The observed entity cannot be destroyed here; a command is for later. */
static void health_given(stoa_world *w, stoa_entity e, void *value, void *user) {
    (void)user;
    const Health *health = value;
    if (health->points <= 0) {
        stoa_status status = stoa_destroy(w, e);
        printf("  destroy at once: %s\n", stoa_status_text(status));
        stoa_commands_destroy(stoa_deferred(w), e);
    }
}

static void awake_more(stoa_world *w, stoa_entity e, void *user) {
    (void)w;
    (void)e;
    ++*(int32_t *)user;
}

static void awake_less(stoa_world *w, stoa_entity e, void *user) {
    (void)w;
    (void)e;
    --*(int32_t *)user;
}

/* Without this a debug build ends where the misuse above happens. */
static void misuse_ignore(const stoa_error *error, void *user) {
    (void)error;
    (void)user;
}

int main(void) {
    stoa_world *w = stoa_world_new(&(stoa_world_desc){.on_assert = {.call = misuse_ignore}});
    Grid grid = {0};
    stoa_on_set(w, Cell, cell_given, &grid);
    stoa_on_remove(w, Cell, cell_lost, &grid);

    printf("-- hooks keep the grid right on every path\n");
    stoa_entity a = stoa_create_with(w, STOA_VALUE(Cell, {1}), STOA_VALUE(Health, {3}));
    stoa_entity b = stoa_create_with(w, STOA_VALUE(Cell, {4}), STOA_VALUE(Health, {5}));
    stoa_create_bulk(w, 2, NULL, STOA_COLUMN(Cell, ((Cell[]){{6}, {7}})));
    grid_print(&grid);
    stoa_set(w, a, Cell, {2});
    grid_print(&grid);
    stoa_set(w, b, Cell, {2});
    grid_print(&grid);
    stoa_remove(w, b, Cell);
    grid_print(&grid);
    printf("alive: a %d, b %d\n", stoa_alive(w, a), stoa_alive(w, b));

    printf("-- an observer counts who is awake\n");
    int32_t awake = 0;
    stoa_hook counter = stoa_observe(
        w, &(stoa_observer_desc){.query = {.terms = {STOA_READ(Health), STOA_WITHOUT(Asleep)}},
                                 .enter = awake_more,
                                 .leave = awake_less,
                                 .user = &awake});
    stoa_entity c = stoa_create_with(w, STOA_VALUE(Health, {2}));
    stoa_entity d = stoa_create_with(w, STOA_VALUE(Health, {9}), STOA_ZERO(Asleep));
    printf("made two, one asleep: %d\n", awake);
    stoa_remove(w, d, Asleep);
    printf("the other wakes up: %d\n", awake);

    printf("-- what a hook may not do, it has done later\n");
    stoa_on_set(w, Health, health_given, NULL);
    stoa_set(w, c, Health, {0});
    printf("alive after the call: %d\n", stoa_alive(w, c));
    stoa_flush(w);
    printf("alive after the flush: %d, awake: %d\n", stoa_alive(w, c), awake);

    stoa_hook_remove(w, counter);
    stoa_destroy(w, d);
    printf("without the observer: %d\n", awake);
    stoa_world_free(w); /* on_remove is called for all that is left */
    grid_print(&grid);
}
