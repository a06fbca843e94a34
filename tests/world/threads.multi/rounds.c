/* Two threads with worlds of their own, which meet the same descriptors for the first time at the
 * same moment.
 *
 * A descriptor is met for the first time once in a process, so each round has fresh ones, made
 * while both threads wait. The threads share nothing else: a race would be the library's. */
#define _GNU_SOURCE
#include <pthread.h>

#include "shared.h"

#define FRESH 6

/* Descriptors that this round's worlds have not met. */
static stoa_type fresh[FRESH];
static const char *const fresh_names[FRESH] = {"F0", "F1", "F2", "F3", "F4", "F5"};
static pthread_barrier_t barrier;

typedef struct worker {
    pthread_t thread;
    int number;
    int round_count;
    int wrong;
} worker;

static void fresh_make(void) {
    for (int i = 0; i < FRESH; i++) {
        fresh[i] = (stoa_type){.form = STOA_FORM_OWN,
                               .identifier = fresh_names[i],
                               .text = i % 2 == 0 ? "{ int32_t value; }" : "{ int32_t a, b; }",
                               .size = i % 2 == 0 ? 4 : 8,
                               .alignment = 4};
    }
}

/* Registers the fresh types in an order of its own, lazily or not, and uses them. */
static int fresh_use(stoa_world *w, int number, int round) {
    int wrong = 0;
    stoa_entity e = stoa_create(w);
    for (int i = 0; i < FRESH; i++) {
        int which = number == 0 ? i : FRESH - 1 - i;
        int32_t value[2] = {round, which};
        if ((round + i) % 2 == 0) {
            wrong += stoa_type_register(w, &fresh[which]) == 0;
        }
        wrong += stoa_set_type(w, e, &fresh[which], value) != STOA_OK;
    }
    for (int i = 0; i < FRESH; i++) {
        const int32_t *value = stoa_fast_try(w, e, &fresh[i], fresh[i].size);
        stoa_component id = stoa_component_find(w, fresh_names[i]);
        wrong += value == NULL || value[0] != round;
        wrong += id != (stoa_component)(number == 0 ? i + 1 : FRESH - i);
        wrong += stoa_type_find(w, &fresh[i]) != id;
    }
    return wrong;
}

static int shared_use(stoa_world *w, int number, int round) {
    const unit *own = number == 0 ? &unit_first : &unit_second;
    const unit *other = number == 0 ? &unit_second : &unit_first;
    int wrong = 0;
    for (int i = 0; i < 4; i++) {
        int which = number == 0 ? i : 3 - i;
        wrong += own->id(w, which) == 0;
    }
    for (int i = 0; i < 20; i++) {
        stoa_entity e = own->create(w, (float)(round + i));
        wrong += other->read_x(w, e) != (float)(round + i);
        wrong += !other->has_frozen(w, e);
        if (i % 4 == 0) {
            wrong += stoa_destroy(w, e) != STOA_OK;
        }
    }
    wrong += other->count_moving(w) != 15;
    return wrong;
}

static void *worker_run(void *user) {
    worker *self = user;
    for (int round = 0; round < self->round_count; round++) {
        if (self->number == 0) {
            fresh_make();
        }
        support_world s;
        support_world_open(&s);
        pthread_barrier_wait(&barrier);
        self->wrong += fresh_use(s.world, self->number, round);
        self->wrong += shared_use(s.world, self->number, round);
        self->wrong += stoa_check(s.world) != STOA_OK;
        stoa_world_free(s.world);
        self->wrong += s.heap.bytes != 0 || s.asserts != 0;
        pthread_barrier_wait(&barrier);
    }
    return NULL;
}

static int workers_run(void *(*run)(void *), int round_count) {
    worker workers[2] = {{.number = 0, .round_count = round_count},
                         {.number = 1, .round_count = round_count}};
    pthread_barrier_init(&barrier, NULL, 2);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(pthread_create(&workers[i].thread, NULL, run, &workers[i]), 0);
    }
    for (int i = 0; i < 2; i++) {
        assert_int_equal(pthread_join(workers[i].thread, NULL), 0);
    }
    pthread_barrier_destroy(&barrier);
    return workers[0].wrong + workers[1].wrong;
}

int rounds_run(int round_count) {
    return workers_run(worker_run, round_count);
}

static void *errors_worker(void *user) {
    worker *self = user;
    support_world s;
    support_world_open(&s);
    stoa_error_clear();
    pthread_barrier_wait(&barrier);
    if (self->number == 0) {
        self->wrong += stoa_destroy(s.world, (stoa_entity){17, 3}) != STOA_DEAD;
    }
    pthread_barrier_wait(&barrier);
    stoa_error error = stoa_last_error();
    if (self->number == 0) {
        self->wrong += error.status != STOA_DEAD || strstr(error.message, "17v3") == NULL;
    } else {
        self->wrong += error.status != STOA_OK || s.errors != 0;
    }
    stoa_world_free(s.world);
    return NULL;
}

int errors_run(void) {
    return workers_run(errors_worker, 1);
}
