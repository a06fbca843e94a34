/* Rows that are shifted and counted when somebody asks: how many there are, and that they are not
 * where they were. */
#include "support/support.h"

#include "storage/archetype.h"
#include "storage/shift.h"
#include "world/world.h"

STOA_COMPONENT(Place, { float x, y, z; });
STOA_COMPONENT(Speed, { float x, y, z; });
STOA_COMPONENT(Pair, { int32_t a, b; });

#define ENTITIES 400

typedef struct crowd {
    stoa_world *w;
    stoa_entity e[ENTITIES];
    stoa_query *places; /* that have no speed */
    stoa_query *both;
} crowd;

static crowd c;

static void crowd_open(stoa_world *w) {
    c.w = w;
    for (int32_t i = 0; i < ENTITIES; i++) {
        c.e[i] = stoa_create_with(w, STOA_VALUE(Place, {(float)i, 0, 0}));
    }
    c.places =
        stoa_query_new(w, &(stoa_query_desc){.terms = {STOA_READ(Place), STOA_WITHOUT(Speed)}});
    c.both = stoa_query_new(w, &(stoa_query_desc){.terms = {STOA_READ(Place), STOA_READ(Speed)}});
}

static void speeds_set(int32_t from, int32_t to) {
    for (int32_t i = from; i < to; i++) {
        assert_int_equal(stoa_set(c.w, c.e[i], Speed, {1, (float)i, 3}), STOA_OK);
    }
}

static bool rows_behind(void) {
    for (uint32_t i = 0; i < STOA__TALLIES; i++) {
        if (c.w->storage.shifted[i] != 0) {
            return true;
        }
    }
    return false;
}

/* QRY-05, STO-07: counts are right after rows were shifted, and asked for again without a change.
 */
static void counts_are_right_when_asked_for(void **state) {
    support_world *s = *state;
    int32_t behind = 0;
    crowd_open(s->world);
    for (int32_t n = 20; n < ENTITIES; n += 13) {
        speeds_set(n == 20 ? 0 : n - 13, n);
        behind += rows_behind();
        assert_int_equal(stoa_query_count(c.both), n);
        assert_false(rows_behind());
        assert_int_equal(stoa_query_count(c.places), ENTITIES - n);
        assert_int_equal(stoa_stats(c.w).rows, ENTITIES);
        assert_int_equal(stoa_check(c.w), STOA_OK);
    }
    assert_true(behind > 15);
}

/* QRY-02: whoever keeps what a query found learns that rows were shifted, even there and back. */
static void versions_move_on(void **state) {
    support_world *s = *state;
    crowd_open(s->world);
    speeds_set(0, 40);
    for (int32_t i = 40; i < 80; i++) {
        uint64_t places = stoa_query_version(c.places), both = stoa_query_version(c.both);
        assert_true(places == stoa_query_version(c.places));
        speeds_set(i, i + 1);
        assert_int_equal(stoa_remove(c.w, c.e[i], Speed), STOA_OK);
        assert_true(rows_behind());
        assert_true(stoa_query_version(c.places) != places);
        assert_true(stoa_query_version(c.both) != both);
    }
}

/* QRY-02: taking more rows from an archetype than were counted borrows from how often some came; no
 * version comes twice for that. */
static void versions_never_come_twice(void **state) {
    support_world *s = *state;
    crowd_open(s->world);
    speeds_set(0, 3);
    assert_int_equal(stoa_query_count(c.both), 3);
    uint64_t seen[60];
    int32_t seen_count = 0;
    for (int32_t i = 3; i + 5 < 200; i += 5) {
        seen[seen_count++] = stoa_query_version(c.both);
        speeds_set(i, i + 5);
        assert_true(rows_behind());
        for (int32_t k = i; k < i + 5; k++) {
            assert_int_equal(stoa_destroy(c.w, c.e[k]), STOA_OK);
        }
        assert_int_equal(stoa_query_count(c.both), 3);
        uint64_t now = stoa_query_version(c.both);
        for (int32_t k = 0; k < seen_count; k++) {
            assert_true(now != seen[k]);
        }
    }
    assert_int_equal(stoa_check(c.w), STOA_OK);
}

#define TYPES 24

static stoa_type types[TYPES];

/* STO-04: more ways than are remembered; what a forgotten one shifted is not forgotten. */
static void forgotten_ways_are_counted(void **state) {
    support_world *s = *state;
    crowd_open(s->world);
    char names[TYPES][16];
    for (int32_t k = 0; k < TYPES; k++) {
        snprintf(names[k], sizeof names[k], "T%d", k);
        types[k] = (stoa_type){.form = STOA_FORM_OWN,
                               .identifier = names[k],
                               .text = "{ float x, y, z; }",
                               .size = sizeof(Speed),
                               .alignment = 4,
                               .enum_size = 4};
    }
    const Speed value = {1, 2, 3};
    for (int32_t k = 0; k < TYPES; k++) {
        for (int32_t i = 0; i < ENTITIES / TYPES; i++) {
            int32_t who = k * (ENTITIES / TYPES) + i;
            assert_int_equal(stoa_set_type(c.w, c.e[who], &types[k], &value), STOA_OK);
        }
    }
    for (int32_t k = 0; k < TYPES; k++) {
        stoa_component id = stoa_type_find(c.w, &types[k]);
        stoa_query *q = stoa_query_new(
            c.w, &(stoa_query_desc){.terms = {{.id = id, .access = STOA_ACCESS_READ}}});
        assert_non_null(q);
        assert_int_equal(stoa_query_count(q), ENTITIES / TYPES);
    }
    assert_int_equal(stoa_check(c.w), STOA_OK);
}

static stoa_status rows_count(stoa_job *job, stoa_iter *it) {
    (void)it;
    atomic_fetch_add((atomic_int *)job->user, stoa_query_count(c.both));
    return STOA_OK;
}

/* SYS-06: systems that run side by side find all rows counted, and count nothing themselves. */
static void systems_find_rows_counted(void **state) {
    support_world *s = *state;
    crowd_open(s->world);
    atomic_int sum = 0;
    stoa_app *app = stoa_app_new(&(stoa_app_desc){.world = c.w, .threads = 2, .eager = true});
    assert_non_null(app);
    const char *const names[] = {"one", "other"};
    for (int k = 0; k < 2; k++) {
        stoa_system_desc desc = {.name = names[k], .run = rows_count, .user = &sum};
        assert_int_not_equal(stoa_system_new(app, &desc).id, 0);
    }
    speeds_set(0, 30);
    int32_t behind = 0;
    for (int32_t i = 30; i < 150; i += 4) {
        speeds_set(i, i + 4);
        behind += rows_behind();
        atomic_store(&sum, 0);
        assert_int_equal(stoa_app_step(app, 0.01), STOA_OK);
        assert_int_equal(atomic_load(&sum), 2 * (i + 4));
    }
    assert_true(behind > 15);
    assert_int_equal(stoa_app_free(app), STOA_OK);
}

/* STO-07: in a world that is sealed nothing is left to be counted, whoever reads it. */
static void sealed_worlds_are_counted(void **state) {
    support_world *s = *state;
    crowd_open(s->world);
    speeds_set(0, 40);
    for (int32_t i = 40; i < 50 && !rows_behind(); i++) {
        speeds_set(i, i + 1);
    }
    assert_true(rows_behind());
    assert_int_equal(stoa_world_seal(c.w, true), STOA_OK);
    assert_false(rows_behind());
    assert_true(stoa_query_count(c.both) >= 40);
    assert_int_equal(stoa_world_seal(c.w, false), STOA_OK);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(counts_are_right_when_asked_for, support_setup,
                                        support_teardown),
        cmocka_unit_test_setup_teardown(versions_move_on, support_setup, support_teardown),
        cmocka_unit_test_setup_teardown(versions_never_come_twice, support_setup, support_teardown),
        cmocka_unit_test_setup_teardown(forgotten_ways_are_counted, support_setup,
                                        support_teardown),
        cmocka_unit_test_setup_teardown(sealed_worlds_are_counted, support_setup, support_teardown),
        cmocka_unit_test_setup_teardown(systems_find_rows_counted, support_setup, support_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
