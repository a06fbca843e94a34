/* The limit of making a query: which of 1,024 archetypes have two components, and how many entities
 * those hold.
 *
 * For each component a bitset tells the archetypes that have it; a query is the bitset of those
 * that have all. Both rows on queries are measured against making one and counting, the least that
 * has to be done. */
#include "limit.h"
#include "sides.h"

#include <stdlib.h>
#include <string.h>

#define COMPONENTS 10
#define ARCHETYPES (1 << COMPONENTS)
#define WORDS (ARCHETYPES / 64)

typedef struct archetypes {
    uint64_t owners[COMPONENTS][WORDS];
    int32_t counts[ARCHETYPES];
    int32_t word_count;
} archetypes;

typedef struct query {
    uint64_t matches[WORDS];
} query;

typedef struct queries {
    archetypes world;
    query made;
    int32_t terms[DATA_TERMS];
    bench_size size;
    double total;
} queries;

static inline void query_make(query *made, const archetypes *world, const int32_t *terms,
                              int32_t count) {
    uint64_t matches[WORDS];
    memcpy(matches, world->owners[terms[0]], sizeof matches);
    for (int32_t t = 1; t < count; t++) {
        for (int32_t i = 0; i < WORDS; i++) {
            matches[i] &= world->owners[terms[t]][i];
        }
    }
    memcpy(made->matches, matches, sizeof matches);
}

/* Adds all counts, those of no match masked to nothing: 80 ns, against 200 for going from match to
 * match. */
static inline int32_t query_count(const query *made, const archetypes *world) {
    uint32_t halves[2 * WORDS];
    memcpy(halves, made->matches, sizeof halves);
    int32_t half_count = 2 * world->word_count;
    int32_t sum = 0;
    for (int32_t i = 0; i < half_count; i++) {
        const int32_t *counts = world->counts + (size_t)i * 32;
        for (int32_t bit = 0; bit < 32; bit++) {
            sum += counts[bit] & (int32_t)(halves[i] << (31 - bit)) >> 31;
        }
    }
    return sum;
}

LIMIT_JOB static int32_t query_make_and_count(query *made, const archetypes *world,
                                              const int32_t *terms, int32_t count) {
    query_make(made, world, terms, count);
    return query_count(made, world);
}

static void *queries_open(bench_size size) {
    queries *q = bench_alloc(1, sizeof *q);
    q->size = size;
    q->world.word_count = size.n / 64;
    for (int32_t a = 0; a < size.n; a++) {
        q->world.counts[a] = data_archetype_count(a);
        for (int32_t c = 0; c < COMPONENTS; c++) {
            q->world.owners[c][a / 64] |= (uint64_t)(a >> c & 1) << (a % 64);
        }
    }
    q->terms[0] = DATA_TERM_0;
    q->terms[1] = DATA_TERM_1;
    return q;
}

static void queries_run(void *side) {
    queries *q = side;
    q->total = 0;
    for (int32_t pass = 0; pass < q->size.passes; pass++) {
        q->total += query_make_and_count(&q->made, &q->world, q->terms, DATA_TERMS);
    }
}

static double queries_after(void *side) {
    return ((const queries *)side)->total;
}

/* What a walk over the matches finds: the first row of each of the two columns. */
static double queries_after_walk(void *side) {
    const queries *q = side;
    double sum = 0;
    for (int32_t a = 0; a < q->size.n; a++) {
        if ((a >> DATA_TERM_0 & 1) != 0 && (a >> DATA_TERM_1 & 1) != 0) {
            sum += data_archetype_value(a, DATA_TERM_0);
            sum += data_archetype_value(a, DATA_TERM_1);
        }
    }
    return sum * q->size.passes;
}

static void queries_close(void *side) {
    free(side);
}

const bench_side limit_side_query_build = {queries_open, NULL, queries_run, queries_after,
                                           queries_close};
const bench_side limit_side_query_walk = {queries_open, NULL, queries_run, queries_after_walk,
                                          queries_close};
