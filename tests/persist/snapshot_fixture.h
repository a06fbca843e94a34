/* Components of every kind, a world full of them, and what it takes to save and load it. */
#ifndef STOA_TESTS_SNAPSHOT_FIXTURE_H
#define STOA_TESTS_SNAPSHOT_FIXTURE_H

#include <stdlib.h>

#include "support/support.h"

STOA_ENUM(Team, {TEAM_NONE, TEAM_RED = 4, TEAM_BLUE = -7});
STOA_COMPONENT(Position, { float x, y; });
STOA_COMPONENT(Velocity, { float x, y; });
STOA_COMPONENT(Gappy, {
    uint8_t small;
    uint32_t large;
    bool flag;
    double number;
    uint16_t last;
});
STOA_COMPONENT(Nested, {
    Position at;
    Team team;
    int16_t list[3];
    stoa_entity target;
    char letter;
});
STOA_TAG(Frozen);
STOA_COMPONENT_WITH(Mark, STOA_OPTIONS(.flags = STOA_SPARSE | STOA_SWITCHABLE), { int64_t value; });
STOA_TAG_WITH(Chosen, STOA_OPTIONS(.flags = STOA_SPARSE));
STOA_COMPONENT_WITH(Lamp, STOA_OPTIONS(.flags = STOA_SWITCHABLE), { uint8_t level; });
STOA_COMPONENT_WITH(Timed, STOA_OPTIONS(.flags = STOA_ROW_TICKS), { int32_t value; });
STOA_COMPONENT_WITH(Ghost, STOA_OPTIONS(.flags = STOA_TRANSIENT), { int32_t value; });
STOA_COMPONENT(Settings, {
    int32_t level;
    double speed;
});
STOA_COMPONENT_WITH(Cache, STOA_OPTIONS(.flags = STOA_TRANSIENT), { int32_t value; });

/* Three bytes that nobody describes. */
typedef struct Blob3 {
    uint8_t bytes[3];
} Blob3;
STOA_TYPE_WITH(Blob3, STOA_OPTIONS(.flags = STOA_RAW), {});

/* A text that it owns. How many live is counted, so that one lost or dropped twice shows. */
typedef struct Text {
    char *text;
} Text;

static int text_count;

static inline Text text_make(const char *text) {
    Text made = {malloc(strlen(text) + 1)};
    if (made.text == NULL) {
        abort();
    }
    strcpy(made.text, text);
    text_count++;
    return made;
}

static inline void text_drop(void *items, int32_t count, void *user) {
    (void)user;
    for (int32_t i = 0; i < count; i++) {
        text_count -= ((Text *)items)[i].text != NULL;
        free(((Text *)items)[i].text);
    }
}

static inline stoa_status text_save(const stoa_sink *sink, const void *items, int32_t count,
                                    void *user) {
    (void)user;
    for (int32_t i = 0; i < count; i++) {
        const char *text = ((const Text *)items)[i].text;
        uint8_t length = text != NULL ? (uint8_t)strlen(text) : 0;
        stoa_status status = stoa_sink_write(sink, &length, 1);
        if (status == STOA_OK) {
            status = stoa_sink_write(sink, text, length);
        }
        if (status != STOA_OK) {
            return status;
        }
    }
    return STOA_OK;
}

static inline stoa_status text_load(const stoa_source *source, void *items, int32_t count,
                                    void *user) {
    (void)user;
    for (int32_t i = 0; i < count; i++) {
        uint8_t length = 0;
        char text[256] = {0};
        stoa_status status = stoa_source_read(source, &length, 1);
        if (status == STOA_OK) {
            status = stoa_source_read(source, text, length);
        }
        if (status == STOA_OK && strlen(text) != length) {
            status = stoa_fail(STOA_CORRUPT, "a text with a zero inside");
        }
        if (status != STOA_OK) {
            text_drop(items, i, NULL);
            return status;
        }
        ((Text *)items)[i] = text_make(text);
    }
    return STOA_OK;
}

static const stoa_persist text_persist = {.save = text_save, .load = text_load};
STOA_TYPE_WITH(Text, STOA_OPTIONS(.hooks = {.drop = text_drop}, .persist = &text_persist), {});

/* Registers everything, in an order that `turned` turns around. */
static inline void types_register(stoa_world *w, bool turned) {
    stoa_type *const types[] = {
        STOA_TYPE_OF(Team),  STOA_TYPE_OF(Position), STOA_TYPE_OF(Velocity),
        STOA_TYPE_OF(Gappy), STOA_TYPE_OF(Nested),   STOA_TYPE_OF(Frozen),
        STOA_TYPE_OF(Mark),  STOA_TYPE_OF(Chosen),   STOA_TYPE_OF(Lamp),
        STOA_TYPE_OF(Timed), STOA_TYPE_OF(Ghost),    STOA_TYPE_OF(Settings),
        STOA_TYPE_OF(Cache), STOA_TYPE_OF(Blob3),    STOA_TYPE_OF(Text),
    };
    int count = (int)(sizeof types / sizeof *types);
    /* Parts before wholes. */
    assert_true(stoa_type_register(w, STOA_TYPE_OF(Team)) != 0);
    assert_true(stoa_type_register(w, STOA_TYPE_OF(Position)) != 0);
    for (int i = 0; i < count; i++) {
        assert_true(stoa_type_register(w, types[turned ? count - 1 - i : i]) != 0);
    }
}

/* Fills a world with entities of all kinds; `n` of each. */
static inline void world_fill(stoa_world *w, int n) {
    types_register(w, false);
    stoa_entity first = STOA_NULL;
    for (int i = 0; i < n; i++) {
        float x = (float)i;
        stoa_entity a = stoa_create_with(w, STOA_VALUE(Position, {x, -x}));
        first = i == 0 ? a : first;
        stoa_create_with(w, STOA_VALUE(Position, {x, x}), STOA_VALUE(Velocity, {1, x}));
        stoa_create_with(w, STOA_VALUE(Gappy, {(uint8_t)i, 1000000u + (uint32_t)i, i % 2 == 0,
                                               1.0 / (i + 1), (uint16_t)(7 * i)}));
        stoa_entity nested = stoa_create_with(
            w, STOA_VALUE(
                   Nested,
                   {{x, 2}, i % 2 == 0 ? TEAM_RED : TEAM_BLUE, {(int16_t)i, -1, 3}, first, 'q'}));
        stoa_add(w, nested, Frozen);
        stoa_set(w, a, Mark, {i * INT64_C(10000000000)});
        if (i % 3 == 0) {
            stoa_add(w, nested, Chosen);
            stoa_enable(w, a, Mark, false);
        }
        stoa_entity lamp = stoa_create_with(w, STOA_VALUE(Lamp, {(uint8_t)(i * 3)}));
        stoa_enable(w, lamp, Lamp, i % 4 != 1);
        stoa_tick_advance(w);
        stoa_create_with(w, STOA_VALUE(Timed, {i}), STOA_VALUE(Blob3, {{1, 2, (uint8_t)i}}));
        stoa_set(w, lamp, Ghost, {i});
        char letters[16];
        snprintf(letters, sizeof letters, "text %d", i);
        Text text = text_make(letters);
        stoa_set_id(w, a, stoa_id(w, Text), &text, sizeof text);
        stoa_entity gone = stoa_create(w);
        stoa_create(w);
        if (i % 2 == 0) {
            stoa_destroy(w, gone);
        }
    }
    stoa_resource_set(w, Settings, {3, 0.5});
    stoa_resource_set(w, Cache, {9});
}

/* Two worlds, and a blob for what is saved. */
typedef struct pair {
    support_world from;
    support_world to;
    support_heap blob_heap;
    stoa_allocator blob_allocator;
    stoa_blob blob;
} pair;

/* Opens a pair, which must stay where it is until it is closed. */
static inline void pair_open(pair *p) {
    support_world_open(&p->from);
    support_world_open(&p->to);
    p->blob_allocator = support_allocator(&p->blob_heap);
    p->blob.allocator = &p->blob_allocator;
    text_count = 0;
}

static inline void pair_close(pair *p) {
    support_world_close(&p->from);
    support_world_close(&p->to);
    stoa_blob_free(&p->blob);
    assert_int_equal(p->blob_heap.bytes, 0);
    assert_int_equal(text_count, 0);
}

/* A cmocka fixture: *state is an open pair. */
static inline int pair_setup(void **state) {
    *state = calloc(1, sizeof(pair));
    pair_open(*state);
    return 0;
}

static inline int pair_teardown(void **state) {
    pair_close(*state);
    free(*state);
    return 0;
}

/* Saves to the pair's blob; it must be whole. */
static inline void pair_save(pair *p, const stoa_snapshot_save_desc *desc) {
    p->blob.size = 0;
    stoa_status status = stoa_snapshot_save_memory(p->from.world, desc, &p->blob);
    if (status != STOA_OK) {
        support_print_error();
    }
    assert_int_equal(status, STOA_OK);
    status = stoa_snapshot_verify(p->blob.data, p->blob.size, NULL);
    if (status != STOA_OK) {
        support_print_error();
    }
    assert_int_equal(status, STOA_OK);
}

static inline void worlds_assert_equal(const stoa_world *a, const stoa_world *b) {
    assert_int_equal(stoa_check(a), STOA_OK);
    assert_int_equal(stoa_check(b), STOA_OK);
    assert_true(stoa_hash(a) == stoa_hash(b));
    assert_int_equal(stoa_count(a), stoa_count(b));
    stoa_entity e = stoa_entity_next(a, STOA_NULL);
    stoa_entity f = stoa_entity_next(b, STOA_NULL);
    while (!stoa_entity_is_null(e)) {
        assert_true(stoa_entity_eq(e, f));
        e = stoa_entity_next(a, e);
        f = stoa_entity_next(b, f);
    }
    assert_true(stoa_entity_is_null(f));
}

/* Loads the pair's blob into the other world, which must come out the same, also when it is saved
 * again. */
static inline void pair_load(pair *p, const stoa_snapshot_save_desc *desc) {
    stoa_status status = stoa_snapshot_load_memory(p->to.world, NULL, p->blob.data, p->blob.size);
    if (status != STOA_OK) {
        support_print_error();
    }
    assert_int_equal(status, STOA_OK);
    worlds_assert_equal(p->from.world, p->to.world);
    stoa_blob again = {.allocator = &p->blob_allocator};
    assert_int_equal(stoa_snapshot_save_memory(p->to.world, desc, &again), STOA_OK);
    assert_int_equal(again.size, p->blob.size);
    assert_memory_equal(again.data, p->blob.data, again.size);
    stoa_blob_free(&again);
}

#endif
