/* Values that must be dropped once, whatever comes of the frame that gave them to an entity. */
#ifndef STOA_TESTS_TICKET_FIXTURE_H
#define STOA_TESTS_TICKET_FIXTURE_H

#include "schedule/app_fixture.h"
#include "schedule/work.h"

#include <stdatomic.h>

#define TICKETS 65536
static atomic_int tickets_taken;
static atomic_int tickets_dropped[TICKETS];

static inline void ticket_drop(void *items, int32_t count, void *user);

/* Not described: numbers depend on timing, and are not to count in a hash. */
typedef struct Ticket {
    int32_t number;
} Ticket;

STOA_TYPE_WITH(Ticket, STOA_OPTIONS(.hooks = {.drop = ticket_drop}), {});

static inline void ticket_drop(void *items, int32_t count, void *user) {
    (void)user;
    const Ticket *list = items;
    for (int32_t i = 0; i < count; i++) {
        tickets_dropped[list[i].number]++;
    }
}

static inline void tickets_assert_gone(void) {
    for (int i = 0; i < tickets_taken; i++) {
        assert_int_equal(tickets_dropped[i], 1);
        tickets_dropped[i] = 0;
    }
    tickets_taken = 0;
}

static inline int tickets_reset(void **state) {
    (void)state;
    tickets_taken = 0;
    for (int i = 0; i < TICKETS; i++) {
        tickets_dropped[i] = 0;
    }
    return 0;
}

/* Gives an entity a value that must be dropped once, whatever comes of it. */
static inline stoa_status ticket_set(stoa_commands *c, stoa_entity e) {
    Ticket t = {atomic_fetch_add(&tickets_taken, 1)};
    stoa_status status = stoa_commands_set_from(c, e, Ticket, &t);
    if (status != STOA_OK) {
        ticket_drop(&t, 1, NULL);
    }
    return status;
}

/* What a step came to in which memory was refused, unless it is `done`: what is wanted to be quick
 * only may do without. */
static inline void assert_status(stoa_status status, bool done) {
    assert_true(status == STOA_OK || (status == STOA_NO_MEMORY && !done));
}

#endif
