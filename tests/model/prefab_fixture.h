/* What the tests of prefabs share: components of every sort, and values that know where they are
 * and must be dropped once. */
#ifndef STOA_TESTS_PREFAB_FIXTURE_H
#define STOA_TESTS_PREFAB_FIXTURE_H

#include "stoa/prefab.h"
#include "support/support.h"

STOA_COMPONENT(Position, { float x, y, z; });
STOA_COMPONENT(Velocity, { float x, y, z; });
STOA_COMPONENT(Health, { int32_t points; });
STOA_TAG(Frozen);
STOA_COMPONENT_WITH(Heat, STOA_OPTIONS(.flags = STOA_SPARSE), { int32_t degrees; });
STOA_COMPONENT_WITH(Kept, STOA_OPTIONS(.flags = STOA_SPARSE | STOA_IMMUTABLE | STOA_MANAGED),
                    { int32_t number; });

/* Components that point at entities: directly, in an array, in structs in arrays. */
STOA_COMPONENT(Link, { stoa_entity to; });
STOA_COMPONENT(Pair, {
    int32_t number;
    stoa_entity both[2];
});
STOA_COMPONENT(Web, {
    char name[3];
    Pair pairs[2];
    Link last;
});

/* Owners that are alive, over all worlds of the test. */
static int32_t owners_alive;
/* Copies that are still allowed; negative: any number. */
static int32_t owners_copies = -1;

/* A value that knows where it is; any other place means that it was copied as bytes, or is dead. */
typedef struct owner {
    const void *self;
    int32_t number;
    stoa_entity friend;
} owner;

static inline owner *owner_make(owner *o, int32_t number) {
    *o = (owner){o, number, STOA_NULL};
    owners_alive++;
    return o;
}

static inline void owner_drop(void *items, int32_t count, void *user) {
    (void)user;
    for (owner *o = items; count-- > 0; o++) {
        /* A zeroed component owns nothing. */
        if (o->self == NULL && o->number == 0) {
            continue;
        }
        assert_ptr_equal(o->self, o);
        *o = (owner){NULL, -1, STOA_NULL};
        owners_alive--;
    }
}

static inline void owner_move(void *to, void *from, int32_t count, void *user) {
    (void)user;
    owner *t = to, *f = from;
    for (; count-- > 0; t++, f++) {
        bool zeroed = f->self == NULL && f->number == 0;
        if (!zeroed) {
            assert_ptr_equal(f->self, f);
        }
        *t = (owner){zeroed ? NULL : t, f->number, f->friend};
        *f = (owner){NULL, -1, STOA_NULL};
    }
}

static inline bool owner_copy(void *to, const void *from, int32_t count, void *user) {
    (void)user;
    owner *t = to;
    const owner *f = from;
    if (owners_copies == 0) {
        return false;
    }
    owners_copies -= owners_copies > 0;
    for (; count-- > 0; t++, f++) {
        assert_ptr_equal(f->self, f);
        *t = (owner){t, f->number, f->friend};
        owners_alive++;
    }
    return true;
}

/* Copyable; its friend is found by reflection. */
typedef owner Owned;
STOA_TYPE_MEMBERS_WITH(
    Owned, STOA_OPTIONS(.hooks = {.drop = owner_drop, .move = owner_move, .copy = owner_copy}),
    STOA_MEMBER(Owned, number, int32_t), STOA_MEMBER(Owned, friend, stoa_entity));
typedef owner Hoard;
STOA_TYPE_WITH(Hoard,
               STOA_OPTIONS(.hooks = {.drop = owner_drop, .move = owner_move, .copy = owner_copy},
                            .flags = STOA_SPARSE),
               {});
/* Not copyable. */
typedef owner Unique;
STOA_TYPE_WITH(Unique, STOA_OPTIONS(.hooks = {.drop = owner_drop, .move = owner_move}), {});

static inline int prefab_setup(void **state) {
    owners_alive = 0;
    owners_copies = -1;
    return support_setup(state);
}

static inline int prefab_teardown(void **state) {
    int result = support_teardown(state);
    assert_int_equal(owners_alive, 0);
    return result;
}

#define PREFAB_TEST(test) cmocka_unit_test_setup_teardown(test, prefab_setup, prefab_teardown)

static inline stoa_world *world_of(void **state) {
    return ((support_world *)*state)->world;
}

/* A prefab with nothing, of no name. */
static inline stoa_prefab *prefab_of(void **state) {
    stoa_prefab *prefab = stoa_prefab_new(world_of(state), NULL);
    assert_non_null(prefab);
    return prefab;
}

/* A prefab on another, of no name. */
static inline stoa_prefab *variant_of(void **state, stoa_prefab *base) {
    stoa_prefab *prefab = stoa_prefab_new(world_of(state), &(stoa_prefab_desc){.base = base});
    assert_non_null(prefab);
    return prefab;
}

static inline bool lives(void **state, stoa_entity e) {
    return stoa_alive(world_of(state), e);
}

/* Gives a prefab an Owned of that number. */
static inline void owned_set(stoa_prefab *prefab, int32_t number) {
    Owned value;
    owner_make(&value, number);
    assert_int_equal(stoa_prefab_set_from(prefab, Owned, &value), STOA_OK);
}

#endif
