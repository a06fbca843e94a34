/* stoa's side of walking components: one large archetype, and many small ones. */
#include "components.h"
#include "sides.h"

#include <stdlib.h>

typedef struct flat {
    stoa_world *world;
    stoa_query *query;
    stoa_entity *entities;
    bench_size size;
} flat;

static stoa_query *query_new(stoa_world *world, const stoa_query_desc *desc) {
    stoa_query *query = stoa_query_new(world, desc);
    if (query == NULL) {
        bench_fail(stoa_last_error().message);
    }
    return query;
}

static flat *flat_new(bench_size size, const stoa_query_desc *desc) {
    flat *f = bench_alloc(1, sizeof *f);
    *f = (flat){.size = size, .world = bench_world_new()};
    f->entities = bench_alloc((size_t)size.n, sizeof *f->entities);
    /* As the limit has arrays for so many. */
    if (stoa_reserve(f->world, size.n, STOA_ZERO(Position), STOA_ZERO(Velocity)) != STOA_OK) {
        bench_fail(stoa_last_error().message);
    }
    bench_world_create(f->world, size.n, f->entities);
    f->query = query_new(f->world, desc);
    return f;
}

static void *flat_open_1(bench_size size) {
    return flat_new(size, &(stoa_query_desc){.terms = {STOA_WRITE(Position)}});
}

static void *flat_open_2(bench_size size) {
    return flat_new(size, &(stoa_query_desc){.terms = {STOA_WRITE(Position), STOA_READ(Velocity)}});
}

static void query_shift_long(stoa_query *query) {
    for (stoa_iter it = stoa_query_iter(query); stoa_iter_next(&it);) {
        data_shift_long(stoa_field_mut(&it, Position, 0), it.count);
    }
}

static void query_shift(stoa_query *query) {
    for (stoa_iter it = stoa_query_iter(query); stoa_iter_next(&it);) {
        data_shift(stoa_field_mut(&it, Position, 0), it.count);
    }
}

static void query_move_long(stoa_query *query) {
    for (stoa_iter it = stoa_query_iter(query); stoa_iter_next(&it);) {
        data_move_long(stoa_field_mut(&it, Position, 0), stoa_field(&it, Velocity, 1), it.count);
    }
}

static void flat_run_shift(void *side) {
    flat *f = side;
    for (int32_t pass = 0; pass < f->size.passes; pass++) {
        query_shift_long(f->query);
    }
}

static void flat_run_move(void *side) {
    flat *f = side;
    for (int32_t pass = 0; pass < f->size.passes; pass++) {
        query_move_long(f->query);
    }
}

static double flat_after(void *side) {
    const flat *f = side;
    return bench_world_weigh(f->world, f->size.n, f->entities);
}

static void flat_close(void *side) {
    flat *f = side;
    stoa_world_free(f->world);
    free(f->entities);
    free(f);
}

const bench_side stoa_side_iterate_1 = {flat_open_1, NULL, flat_run_shift, flat_after, flat_close};
const bench_side stoa_side_iterate_2 = {flat_open_2, NULL, flat_run_move, flat_after, flat_close};

STOA_COMPONENT(Data, { float value; });

#define LETTERS_AM(x) x(A) x(B) x(C) x(D) x(E) x(F) x(G) x(H) x(I) x(J) x(K) x(L) x(M)
#define LETTERS_NZ(x) x(N) x(O) x(P) x(Q) x(R) x(S) x(T) x(U) x(V) x(W) x(X) x(Y) x(Z)
#define TAGS(x) x(Tag0) x(Tag1) x(Tag2) x(Tag3) x(Tag4) x(Tag5) x(Tag6) x(Tag7) x(Tag8) x(Tag9)

#define DECLARE_LETTER(name) STOA_COMPONENT(name, { float value; });
#define DECLARE_TAG(name) STOA_TAG(name);
#define LIST(name) STOA_TYPE_OF(name),

LETTERS_AM(DECLARE_LETTER)
LETTERS_NZ(DECLARE_LETTER)
TAGS(DECLARE_TAG)

#define LETTER_COUNT 26
#define TAG_COUNT 10

static stoa_type *const letters[LETTER_COUNT] = {LETTERS_AM(LIST) LETTERS_NZ(LIST)};
static stoa_type *const tags[TAG_COUNT] = {TAGS(LIST)};

/* Entities of many archetypes, archetype by archetype. */
static void *letters_open(bench_size size) {
    flat *f = bench_alloc(1, sizeof *f);
    *f = (flat){.size = size, .world = bench_world_new()};
    f->entities = bench_alloc((size_t)size.n, sizeof *f->entities);
    for (int32_t i = 0; i < size.n; i++) {
        stoa_value bundle[2] = {STOA_ZERO(Data), {.type = letters[i / (size.n / LETTER_COUNT)]}};
        f->entities[i] = stoa_create_values(f->world, bundle, 2);
    }
    f->query = query_new(f->world, &(stoa_query_desc){.terms = {STOA_WRITE(Data)}});
    return f;
}

/* Archetype a has tag t if bit t of a is set. */
static void *tags_open(bench_size size) {
    flat *f = bench_alloc(1, sizeof *f);
    *f = (flat){.size = size, .world = bench_world_new()};
    f->entities = bench_alloc((size_t)size.n, sizeof *f->entities);
    for (int32_t i = 0; i < size.n; i++) {
        Position p = data_position(i);
        int32_t archetype = i / (size.n / 1000);
        stoa_value bundle[1 + TAG_COUNT] = {STOA_VALUE_FROM(Position, &p)};
        int32_t count = 1;
        for (int32_t t = 0; t < TAG_COUNT; t++) {
            if ((archetype >> t & 1) != 0) {
                bundle[count++] = (stoa_value){.type = tags[t]};
            }
        }
        f->entities[i] = stoa_create_values(f->world, bundle, count);
    }
    f->query = query_new(f->world, &(stoa_query_desc){.terms = {STOA_WRITE(Position)}});
    return f;
}

static void tags_run(void *side) {
    flat *f = side;
    for (int32_t pass = 0; pass < f->size.passes; pass++) {
        query_shift(f->query);
    }
}

static void letters_reset(void *side) {
    flat *f = side;
    for (int32_t i = 0; i < f->size.n; i++) {
        stoa_get_mut(f->world, f->entities[i], Data)->value = (float)(i + 1);
    }
}

static void query_double(stoa_query *query) {
    for (stoa_iter it = stoa_query_iter(query); stoa_iter_next(&it);) {
        data_double(&stoa_field_mut(&it, Data, 0)->value, it.count);
    }
}

static void letters_run(void *side) {
    flat *f = side;
    for (int32_t pass = 0; pass < f->size.passes; pass++) {
        query_double(f->query);
    }
}

static double letters_after(void *side) {
    const flat *f = side;
    double sum = 0;
    for (int32_t i = 0; i < f->size.n; i++) {
        sum += (double)stoa_get(f->world, f->entities[i], Data)->value;
    }
    return sum;
}

const bench_side stoa_side_frag_iter = {letters_open, letters_reset, letters_run, letters_after,
                                        flat_close};
const bench_side stoa_side_frag_1000 = {tags_open, NULL, tags_run, flat_after, flat_close};
