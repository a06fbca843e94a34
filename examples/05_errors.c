/* Errors: a call that fails changes nothing and says why, out of memory included. */
#include <stdio.h>
#include <stdlib.h>

#include <stoa.h>

STOA_COMPONENT(Position, { float x, y; });
STOA_COMPONENT(Velocity, { float x, y; });
STOA_COMPONENT(Cargo, { char name[100]; });

/* An allocator that gives out so much and no more. */
typedef struct budget {
    size_t used;
    size_t most;
} budget;

static void *budget_alloc(size_t size, size_t alignment, void *user) {
    budget *b = user;
    if (size > b->most - b->used) {
        return NULL;
    }
    size_t whole = (size + alignment - 1) / alignment * alignment;
    void *block = aligned_alloc(alignment, whole);
    b->used += block != NULL ? size : 0;
    return block;
}

static void budget_free(void *block, size_t size, size_t alignment, void *user) {
    (void)alignment;
    budget *b = user;
    b->used -= size;
    free(block);
}

/* Called on every failing call: the place for a log. */
static void error_log(const stoa_error *error, void *user) {
    int *count = user;
    (*count)++;
    printf("    log: %s\n", error->message);
}

/* A debug build calls this on misuse. Without it the program would stop there, as with assert. */
static void misuse_ignore(const stoa_error *error, void *user) {
    (void)error;
    (void)user;
}

static void entities_misuse(stoa_world *w) {
    stoa_entity e = stoa_create_with(w, STOA_VALUE(Position, {1, 2}));

    printf("a component that is not there\n");
    if (stoa_get(w, e, Velocity) == NULL) {
        printf("    got NULL: %s\n", stoa_status_text(stoa_last_error().status));
    }
    printf("asking first is no error\n");
    if (stoa_try_get(w, e, Velocity) == NULL && !stoa_has(w, e, Velocity)) {
        printf("    there is none\n");
    }
    printf("a handle whose entity is gone\n");
    stoa_destroy(w, e);
    if (stoa_set(w, e, Position, {3, 4}) == STOA_DEAD) {
        printf("    nothing was set\n");
    }
}

static void queries_misuse(stoa_world *w) {
    printf("a mistake in a query's text\n");
    if (stoa_query_parse(w, "Position, const Speed") == NULL) {
        printf("    at column %d\n", stoa_last_error().column);
    }
    printf("a change in the middle of an iteration\n");
    stoa_create_with(w, STOA_VALUE(Position, {0, 0}));
    stoa_query *query = stoa_query_parse(w, "Position");
    for (stoa_iter it = stoa_query_iter(query); stoa_iter_next(&it);) {
        stoa_destroy(w, it.entities[0]);
    }
    printf("    %d entity lives\n", stoa_count(w));
}

static void memory_runs_out(stoa_world *w, budget *memory) {
    printf("out of memory\n");
    memory->most = memory->used;
    uint64_t before = stoa_hash(w);
    Cargo *cargo = calloc(2000, sizeof *cargo);
    if (cargo == NULL) {
        return;
    }
    stoa_status status = stoa_create_bulk(w, 2000, NULL, STOA_COLUMN(Cargo, cargo));
    printf("    status: %s\n", stoa_status_text(status));
    printf("    the world is %s\n", stoa_hash(w) == before ? "what it was" : "another");
    printf("    destroying needs none: %s\n",
           stoa_status_text(stoa_destroy(w, stoa_entity_next(w, STOA_NULL))));

    printf("the same call with more memory\n");
    memory->most = (size_t)64 << 20;
    status = stoa_create_bulk(w, 2000, NULL, STOA_COLUMN(Cargo, cargo));
    printf("    status: %s, %d entities\n", stoa_status_text(status), stoa_count(w));
    free(cargo);
}

int main(void) {
    budget memory = {.most = (size_t)64 << 20};
    stoa_allocator allocator = {.alloc = budget_alloc, .free = budget_free, .user = &memory};
    int errors = 0;
    stoa_world *w = stoa_world_new(&(stoa_world_desc){
        .allocator = &allocator,
        .on_error = {.call = error_log, .user = &errors},
        .on_assert = {.call = misuse_ignore},
    });
    if (w == NULL) {
        return 1;
    }
    entities_misuse(w);
    queries_misuse(w);
    memory_runs_out(w, &memory);

    printf("after %d errors stoa_check says: %s\n", errors, stoa_status_text(stoa_check(w)));
    stoa_world_free(w);
    printf("%zu bytes are left behind\n", memory.used);
}
