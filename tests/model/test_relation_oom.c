/* Relations without memory: each allocation of each call refused in turn, and all from each on. The
 * call must fail, leave everything as it was, and succeed when it is repeated. */
#include "model/relation_fixture.h"

/* Too large for the stack of stoa_relation_add. */
STOA_COMPONENT_WITH(Berth, STOA_OPTIONS(.flags = STOA_IMMUTABLE), {
    uint64_t cargo[60];
    stoa_entity ship;
});

/* Owns memory, so to speak: copies and drops are counted, and a copy may fail. */
typedef struct Leash {
    int32_t *counter;
    stoa_entity owner;
} Leash;

static int32_t leashes;
static bool leash_copy_fails;

static void leash_drop(void *items, int32_t count, void *user) {
    (void)user;
    for (int32_t i = 0; i < count; i++) {
        leashes -= ((Leash *)items)[i].counter != NULL;
    }
}

static bool leash_copy(void *to, const void *from, int32_t count, void *user) {
    (void)user;
    if (leash_copy_fails) {
        return false;
    }
    memcpy(to, from, (size_t)count * sizeof(Leash));
    for (int32_t i = 0; i < count; i++) {
        leashes += ((const Leash *)from)[i].counter != NULL;
    }
    return true;
}

STOA_TYPE_WITH(Leash,
               STOA_OPTIONS(.hooks = {.drop = leash_drop, .copy = leash_copy},
                            .flags = STOA_IMMUTABLE),
               {
                   int32_t *counter;
                   stoa_entity owner;
               });

#define PEOPLE 400

typedef struct scene {
    support_world s;
    stoa_relation inside, likes, berth;
    stoa_entity e[PEOPLE];
} scene;

static scene the_scene;

/* Entities far from each other, some with the component, before there are relations. */
static void scene_open(scene *c) {
    memset(c, 0, sizeof *c);
    support_world_open(&c->s);
    stoa_world *w = c->s.world;
    for (int i = 0; i < PEOPLE; i++) {
        c->e[i] = stoa_create(w);
    }
    /* Slots that are used again next lie far from each other. */
    static stoa_entity filler[2000];
    for (int i = 0; i < 2000; i++) {
        filler[i] = stoa_create(w);
    }
    for (int i = 0; i < 8; i++) {
        assert_int_equal(stoa_destroy(w, filler[i * 240]), STOA_OK);
    }
    stoa_id(w, Holds);
    stoa_id(w, Likes);
    stoa_id(w, LikedBy);
    stoa_id(w, Berth);
    stoa_id(w, Mass);
    for (int i = 1; i < 12; i++) {
        assert_int_equal(stoa_set(w, c->e[i], Inside, {.container = c->e[i / 3]}), STOA_OK);
    }
}

static bool relation_made(stoa_relation *result, stoa_world *w, const stoa_relation_desc *desc) {
    *result = stoa_relation_new(w, desc);
    return result->id != 0;
}

static bool bulk_made(scene *c, int32_t count) {
    static Inside values[300];
    for (int i = 0; i < count; i++) {
        values[i].container = i % 3 == 0 ? c->e[390] : c->e[100 + i];
    }
    return stoa_create_bulk(c->s.world, count, NULL, STOA_COLUMN(Inside, values),
                            STOA_ZERO(Mass)) == STOA_OK;
}

/* Makes call `i`; true if it succeeded. */
static bool call_make(scene *c, int i) {
    stoa_world *w = c->s.world;
    stoa_relation_desc inside = {.type = STOA_TYPE_OF(Inside),
                                 .reverse = STOA_TYPE_OF(Holds),
                                 .acyclic = true,
                                 .policy = STOA_CASCADE};
    stoa_relation_desc likes = {.type = STOA_TYPE_OF(Likes),
                                .reverse = STOA_TYPE_OF(LikedBy),
                                .many = true,
                                .acyclic = true};
    stoa_relation_desc berth = {.name = "berths", .type = STOA_TYPE_OF(Berth)};
    switch (i) {
    case 0:
        return relation_made(&c->inside, w, &inside);
    case 1:
        return relation_made(&c->likes, w, &likes);
    case 2:
        return relation_made(&c->berth, w, &berth);
    case 3:
        return bulk_made(c, 6);
    case 4:
        return stoa_alive(w, stoa_create_with(w, STOA_VALUE(Inside, {.container = c->e[300]})));
    case 5:
        return bulk_made(c, 300);
    case 6:
        return stoa_alive(w, stoa_clone(w, c->e[1]));
    case 7:
        return stoa_relation_add(w, c->inside, c->e[1], c->e[350]) == STOA_OK;
    case 8:
        return stoa_relation_add(w, c->likes, c->e[2], c->e[399]) == STOA_OK;
    case 9:
        return stoa_relation_add(w, c->likes, c->e[399], c->e[7]) == STOA_OK;
    case 10:
        return stoa_relation_add(w, c->berth, c->e[5], c->e[6]) == STOA_OK;
    case 11:
        return stoa_relation_add(w, c->berth, c->e[5], c->e[301]) == STOA_OK;
    case 12:
        return stoa_commands_relation_add(stoa_deferred(w), c->likes, c->e[8], c->e[9]) == STOA_OK;
    case 13:
    case 15:
        return stoa_flush(w) == STOA_OK;
    case 14:
        return stoa_commands_set(stoa_deferred(w), c->e[60], Inside, {.container = c->e[61]}) ==
               STOA_OK;
    default:
        return stoa_relation_add(w, c->likes, c->e[2], c->e[i]) == STOA_OK;
    }
}

#define CALLS 34

/* All that can be seen of relations. */
static uint64_t scene_hash(const scene *c) {
    uint64_t hash = stoa_hash(c->s.world);
    const stoa_relation all[] = {c->inside, c->likes, c->berth};
    for (stoa_entity e = stoa_entity_next(c->s.world, STOA_NULL); e.index != 0;
         e = stoa_entity_next(c->s.world, e)) {
        for (int i = 0; i < 3; i++) {
            stoa_links sources = stoa_relation_sources(c->s.world, all[i], e);
            stoa_links targets = stoa_relation_targets(c->s.world, all[i], e);
            for (int32_t k = 0; k < sources.count; k++) {
                hash = hash * 31 + stoa_entity_hash(sources.items[k]);
            }
            for (int32_t k = 0; k < targets.count; k++) {
                hash = hash * 37 + stoa_entity_hash(targets.items[k]);
            }
        }
    }
    return hash;
}

/* Runs up to a call, which has its k-th allocation refused; false if it has fewer. */
static bool call_refused(int call, size_t k, bool forever) {
    scene *c = &the_scene;
    scene_open(c);
    for (int i = 0; i < call; i++) {
        assert_true(call_make(c, i));
    }
    uint64_t hash = scene_hash(c);
    c->s.heap.fail_at = k;
    c->s.heap.fail_forever = forever;
    bool done = call_make(c, call);
    c->s.heap.fail_at = 0;
    bool refused = c->s.heap.failed > 0;
    if (refused) {
        assert_false(done);
        assert_int_equal(stoa_last_error().status, STOA_NO_MEMORY);
        assert_true(scene_hash(c) == hash);
        assert_int_equal(stoa_check(c->s.world), STOA_OK);
        assert_true(call_make(c, call));
    } else {
        assert_true(done);
    }
    assert_int_equal(stoa_check(c->s.world), STOA_OK);
    support_assert_quiet(&c->s);
    support_world_close(&c->s);
    return refused;
}

/* REL-01 GEN-03 GEN-04 */
static void call_out_of_memory_changes_nothing(void **state) {
    (void)state;
    size_t refusals = 0;
    for (int call = 0; call < CALLS; call++) {
        for (int forever = 0; forever < 2; forever++) {
            for (size_t k = 1; call_refused(call, k, forever != 0); k++) {
                refusals++;
            }
        }
    }
    assert_true(refusals > 100);
}

/* REL-01 GEN-03 GEN-04 ENT-09 */
static void deaths_need_no_memory(void **state) {
    (void)state;
    scene *c = &the_scene;
    scene_open(c);
    stoa_world *w = c->s.world;
    for (int i = 0; i < CALLS; i++) {
        assert_true(call_make(c, i));
    }
    stoa_entity orphan =
        stoa_create_with(w, STOA_VALUE(Berth, {.ship = c->e[301]}), STOA_VALUE(Mass, {1}));
    c->s.heap.fail_at = 1;
    c->s.heap.fail_forever = true;
    assert_int_equal(stoa_relation_remove(w, c->likes, c->e[8], c->e[9]), STOA_OK);
    assert_int_equal(stoa_destroy(w, c->e[399]), STOA_OK);
    assert_int_equal(stoa_destroy(w, c->e[0]), STOA_OK);
    assert_false(stoa_alive(w, c->e[8]));
    assert_int_equal(stoa_check(w), STOA_OK);
    /* An orphan that would have to move to where there is no room keeps what points nowhere. */
    assert_int_equal(stoa_destroy(w, c->e[301]), STOA_OK);
    assert_true(stoa_has(w, orphan, Berth));
    assert_entity(stoa_relation_target(w, c->berth, orphan), STOA_NULL);
    assert_int_equal(stoa_check(w), STOA_OK);
    for (int i = 0; i < PEOPLE; i++) {
        if (stoa_alive(w, c->e[i])) {
            assert_int_equal(stoa_destroy(w, c->e[i]), STOA_OK);
        }
    }
    assert_int_equal(stoa_check(w), STOA_OK);
    c->s.heap.fail_at = 0;
    support_world_close(&c->s);
}

/* REL-01 CMP-11 */
static void component_that_owns_memory_is_copied_once(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    stoa_relation r =
        stoa_relation_new(w, &(stoa_relation_desc){.type = STOA_TYPE_OF(Leash), .acyclic = true});
    stoa_entity a = stoa_create(w), b = stoa_create(w), dog = stoa_create(w);
    leashes = 1;
    assert_int_equal(stoa_set(w, dog, Leash, {&leashes, a}), STOA_OK);
    assert_int_equal(stoa_relation_add(w, r, dog, b), STOA_OK);
    assert_int_equal(leashes, 1);
    assert_links(stoa_relation_sources(w, r, b), dog);
    leash_copy_fails = true;
    assert_int_equal(stoa_relation_add(w, r, dog, a), STOA_NO_MEMORY);
    support_assert_message("copy hook of component 'Leash'");
    leash_copy_fails = false;
    assert_int_equal(stoa_relation_add(w, r, dog, dog), STOA_CYCLE);
    assert_int_equal(leashes, 1);
    stoa_entity dead = stoa_create(w);
    assert_int_equal(stoa_destroy(w, dead), STOA_OK);
    support_assert_misuse(s, stoa_relation_add(w, r, dog, dead), STOA_DEAD);
    assert_int_equal(leashes, 1);
    assert_int_equal(stoa_destroy(w, dog), STOA_OK);
    assert_int_equal(leashes, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(call_out_of_memory_changes_nothing),
        cmocka_unit_test(deaths_need_no_memory),
        cmocka_unit_test_setup_teardown(component_that_owns_memory_is_copied_once, support_setup,
                                        support_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
