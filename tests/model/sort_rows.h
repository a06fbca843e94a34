/* What the tests of sorting share: small worlds with chunks of 16 KiB, and the order of rows. */
#ifndef STOA_TESTS_SORT_ROWS_H
#define STOA_TESTS_SORT_ROWS_H

#include <stdlib.h>

#include "stoa/sort.h"
#include "world/commands_types.h"

static inline int sort_open(void **state) {
    support_world *s = calloc(1, sizeof *s);
    support_world_open_with(s, 16384);
    owned_alive = 0;
    *state = s;
    return 0;
}

static inline int sort_close(void **state) {
    support_world_close(*state);
    free(*state);
    assert_int_equal(owned_alive, 0);
    return 0;
}

/* Lists the entities of an archetype row by row; returns how many. */
static inline int32_t rows_list(const stoa_world *w, int32_t archetype, stoa_entity *list) {
    stoa_archetype_info info;
    assert_int_equal(stoa_archetype_info_get(w, archetype, &info), STOA_OK);
    int32_t count = 0;
    for (int32_t c = 0; c < info.chunk_count; c++) {
        stoa_chunk_info chunk;
        assert_int_equal(stoa_chunk_info_get(w, archetype, c, &chunk), STOA_OK);
        memcpy(list + count, chunk.entities, (size_t)chunk.count * sizeof *list);
        count += chunk.count;
    }
    return count;
}

/* The same for the archetype of an entity. */
static inline int32_t rows_beside(const stoa_world *w, stoa_entity e, stoa_entity *list) {
    return rows_list(w, stoa_archetype_of(w, e), list);
}

#endif
