/* The same world on any number of threads: handles, order and values, told by one hash. */
#include <stdio.h>

#include <stoa.h>

STOA_COMPONENT(Cell, { int32_t x, y; });
STOA_COMPONENT(Age, { int32_t frames; });

STOA_SYSTEM(wander, .terms = {STOA_WRITE(Cell)}) {
    Cell *cell = stoa_field_mut(it, Cell, 0);
    for (int32_t i = 0; i < it->count; i++) {
        cell[i].x += (int32_t)stoa_random_below(&job->random, 3) - 1;
        cell[i].y += (int32_t)stoa_random_below(&job->random, 3) - 1;
    }
    return STOA_OK;
}

/* Several threads make and destroy entities here at the same time. */
STOA_SYSTEM(breed, .terms = {STOA_WRITE(Age), STOA_READ(Cell)}, .after = {"wander"}) {
    Age *age = stoa_field_mut(it, Age, 0);
    const Cell *cell = stoa_field(it, Cell, 1);
    for (int32_t i = 0; i < it->count; i++) {
        age[i].frames++;
        if (stoa_random_below(&job->random, 20) == 0) {
            stoa_commands_create_with(job->commands, STOA_VALUE_FROM(Cell, &cell[i]),
                                      STOA_ZERO(Age));
        }
        if (age[i].frames > 10 && stoa_random_below(&job->random, 10) == 0) {
            stoa_commands_destroy(job->commands, it->entities[i]);
        }
    }
    return STOA_OK;
}

static uint64_t life_run(int32_t threads, int32_t *left) {
    stoa_app *app = stoa_app_new(&(stoa_app_desc){.threads = threads, .seed = 2026});
    stoa_world *w = stoa_app_world(app);
    stoa_create_bulk(w, 5000, NULL, STOA_ZERO(Cell), STOA_ZERO(Age));
    stoa_system_add(app, wander, NULL);
    stoa_system_add(app, breed, NULL);
    stoa_app_run(app, &(stoa_run_desc){.delta = 0.02, .frames = 100});
    uint64_t hash = stoa_hash(w);
    *left = stoa_count(w);
    stoa_app_free(app);
    return hash;
}

int main(void) {
    int32_t first_left, left;
    uint64_t first = life_run(1, &first_left);
    printf("1 thread:  %d entities, hash %016llx\n", (int)first_left, (unsigned long long)first);
    uint64_t hash = life_run(8, &left);
    printf("8 threads: %d entities, hash %016llx\n", (int)left, (unsigned long long)hash);
    printf("%s\n", hash == first ? "the same world" : "NOT the same world");
    return hash != first;
}
