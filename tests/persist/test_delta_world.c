/* Deltas between snapshots of a world: what comes out loads as the world it was made of, and the
 * size follows what changed. */
#include "persist/delta_fixture.h"

STOA_COMPONENT(Middle, { double x, y, z, turn; });
STOA_COMPONENT(Speed, { float x, y, z, turn; });
STOA_COMPONENT(Life, { uint32_t age, food, kind, seed; });
STOA_COMPONENT(Extra, { uint64_t number; });
STOA_COMPONENT_WITH(Mark, STOA_OPTIONS(.flags = STOA_SPARSE), { uint32_t number; });
STOA_COMPONENT_WITH(Ghost, STOA_OPTIONS(.flags = STOA_TRANSIENT), { uint32_t number; });

enum { ENTITIES = 5000, CHANGED = ENTITIES / 100, ROW = 64 };
/* Of every entity that is changed: its handle, its generation, its place in the free list. */
#define HANDLE (8 + 4 + 4)
/* What all else may take: the header, checksums of sections, counts. */
#define SLACK 600

/* A world, and the snapshot that was taken of it at first. */
typedef struct scene {
    support_world s;
    delta_pair *pair;
    stoa_blob before;
    stoa_blob after;
    stoa_entity e[ENTITIES];
} scene;

static int scene_setup(void **state) {
    void *pair;
    scene *c = calloc(1, sizeof *c);
    if (c == NULL || delta_setup(&pair) != 0) {
        return 1;
    }
    c->pair = pair;
    support_world_open(&c->s);
    for (uint32_t i = 0; i < ENTITIES; i++) {
        c->e[i] = stoa_create_with(c->s.world, STOA_VALUE(Middle, {i * 0.25, 1, i % 100, 3}),
                                   STOA_VALUE(Speed, {0, 0, (float)(i % 7), 0}),
                                   STOA_VALUE(Life, {i % 100, i % 7, i % 3, i * 7919}));
    }
    assert_int_equal(stoa_snapshot_save_memory(c->s.world, NULL, &c->before), STOA_OK);
    *state = c;
    return 0;
}

static int scene_teardown(void **state) {
    scene *c = *state;
    support_world_close(&c->s);
    stoa_blob_free(&c->before);
    stoa_blob_free(&c->after);
    void *pair = c->pair;
    free(c);
    return delta_teardown(&pair);
}

/* The entity that is the i-th to be changed: scattered over all of them. */
static stoa_entity scene_chosen(const scene *c, uint32_t i) {
    return c->e[i * 37 % CHANGED * 100 + i % 90];
}

/* Saves the world again; the delta gives that snapshot, which loads as this world. Returns the size
 * of the delta, and the one of the way back is no larger than `most` either. */
static size_t scene_delta(scene *c, size_t most) {
    c->after.size = 0;
    assert_int_equal(stoa_snapshot_save_memory(c->s.world, NULL, &c->after), STOA_OK);
    size_t back = delta_trip(c->pair, c->after.data, c->after.size, c->before.data, c->before.size);
    size_t size = delta_trip(c->pair, c->before.data, c->before.size, c->after.data, c->after.size);
    support_world other;
    support_world_open(&other);
    stoa_type *const types[] = {STOA_TYPE_OF(Middle), STOA_TYPE_OF(Speed), STOA_TYPE_OF(Life),
                                STOA_TYPE_OF(Extra), STOA_TYPE_OF(Mark)};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        assert_true(stoa_type_register(other.world, types[i]) != 0);
    }
    assert_int_equal(
        stoa_snapshot_load_memory(other.world, NULL, c->pair->target.data, c->pair->target.size),
        STOA_OK);
    assert_true(stoa_hash(other.world) == stoa_hash(c->s.world));
    support_world_close(&other);
    if (size > most || back > most) {
        fail_msg("%zu bytes, %zu back, at most %zu", size, back, most);
    }
    return size;
}

/* SNP-09 */
static void unchanged_world_makes_a_tiny_delta(void **state) {
    scene_delta(*state, STOA__DELTA_HEADER + 8);
}

/* SNP-09: each hundredth entity. */
static void changed_values_make_a_delta_of_their_size(void **state) {
    scene *c = *state;
    for (uint32_t i = 0; i < CHANGED; i++) {
        assert_int_equal(stoa_set(c->s.world, scene_chosen(c, i), Speed, {1, 2, 3, (float)i}),
                         STOA_OK);
    }
    scene_delta(c, 3 * CHANGED * sizeof(Speed) + SLACK);
    for (uint32_t i = 0; i < CHANGED; i++) {
        stoa_get_mut(c->s.world, scene_chosen(c, i), Life)->food += 100;
    }
    scene_delta(c, 3 * CHANGED * (sizeof(Speed) + 4) + SLACK);
}

/* SNP-09: a whole column is new, and the others are not. */
static void changed_column_does_not_hide_the_others(void **state) {
    scene *c = *state;
    for (uint32_t i = 0; i < ENTITIES; i++) {
        assert_int_equal(
            stoa_set(c->s.world, c->e[i], Speed, {(float)i * 1.5f, (float)i * 0.3f, -1, (float)i}),
            STOA_OK);
    }
    scene_delta(c, ENTITIES * sizeof(Speed) + SLACK);
}

/* SNP-09: the last rows fill the gaps. */
static void destroyed_entities_make_a_delta_of_their_rows(void **state) {
    scene *c = *state;
    for (uint32_t i = 0; i < CHANGED; i++) {
        assert_int_equal(stoa_destroy(c->s.world, scene_chosen(c, i)), STOA_OK);
    }
    scene_delta(c, 3 * CHANGED * (ROW + HANDLE) + SLACK);
}

/* SNP-09: every column grows, so what follows it moves. */
static void created_entities_make_a_delta_of_their_rows(void **state) {
    scene *c = *state;
    for (uint32_t i = 0; i < CHANGED; i++) {
        stoa_create_with(c->s.world, STOA_VALUE(Middle, {1, i, 0, 3}),
                         STOA_VALUE(Speed, {(float)i, 0, 0, 0}), STOA_VALUE(Life, {i, 1, 2, 3}));
    }
    scene_delta(c, 3 * CHANGED * (ROW + HANDLE) + SLACK);
}

/* SNP-09: rows leave one archetype for another. */
static void moved_entities_make_a_delta_of_two_rows_each(void **state) {
    scene *c = *state;
    for (uint32_t i = 0; i < CHANGED; i++) {
        assert_int_equal(stoa_set(c->s.world, scene_chosen(c, i), Extra, {i}), STOA_OK);
        assert_int_equal(stoa_set(c->s.world, scene_chosen(c, i), Mark, {i}), STOA_OK);
    }
    scene_delta(c, 3 * CHANGED * (2 * (ROW + 8) + 8 + 12) + SLACK);
}

/* SNP-10 */
static void transient_data_is_in_no_delta(void **state) {
    scene *c = *state;
    for (uint32_t i = 0; i < ENTITIES; i++) {
        assert_int_equal(stoa_set(c->s.world, c->e[i], Ghost, {i}), STOA_OK);
    }
    scene_delta(c, STOA__DELTA_HEADER + 8);
}

/* SNP-09: anything may happen between the two. */
static void random_frames_go_round(void **state) {
    scene *c = *state;
    stoa_world *w = c->s.world;
    support_random random = {4711};
    for (int round = 0; round < 12; round++) {
        for (int i = 0; i < 40; i++) {
            stoa_entity *e = &c->e[support_random_below(&random, ENTITIES)];
            uint32_t what = support_random_below(&random, 6);
            if (what == 0 || !stoa_alive(w, *e)) {
                (void)(stoa_alive(w, *e) && stoa_destroy(w, *e) == STOA_OK);
                *e = stoa_create_with(w, STOA_VALUE(Speed, {1, 2, 3, (float)i}));
            } else if (what == 1) {
                stoa_destroy(w, *e);
            } else if (what == 2) {
                stoa_set(w, *e, Extra, {what});
            } else if (what == 3) {
                stoa_set(w, *e, Mark, {(uint32_t)i});
            } else {
                stoa_set(w, *e, Speed, {(float)i, 1, 0, (float)what});
            }
        }
        assert_int_equal(stoa_check(w), STOA_OK);
        scene_delta(c, SIZE_MAX);
    }
}

#define WITH_SCENE(test) cmocka_unit_test_setup_teardown(test, scene_setup, scene_teardown)

int main(void) {
    const struct CMUnitTest tests[] = {
        WITH_SCENE(unchanged_world_makes_a_tiny_delta),
        WITH_SCENE(changed_values_make_a_delta_of_their_size),
        WITH_SCENE(changed_column_does_not_hide_the_others),
        WITH_SCENE(destroyed_entities_make_a_delta_of_their_rows),
        WITH_SCENE(created_entities_make_a_delta_of_their_rows),
        WITH_SCENE(moved_entities_make_a_delta_of_two_rows_each),
        WITH_SCENE(transient_data_is_in_no_delta),
        WITH_SCENE(random_frames_go_round),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
