/* What the tests of commands share: components of every sort, and values that know where they are
 * and must be dropped once. */
#ifndef STOA_TESTS_COMMANDS_TYPES_H
#define STOA_TESTS_COMMANDS_TYPES_H

#include "support/support.h"

STOA_COMPONENT(Position, { float x, y, z; });
STOA_COMPONENT(Health, { int32_t points; });
STOA_COMPONENT(Wide, {
    int64_t id;
    uint8_t rest[92];
    int32_t last;
});
STOA_TAG(Frozen);
STOA_COMPONENT_WITH(Mood, STOA_OPTIONS(.flags = STOA_SPARSE | STOA_SWITCHABLE), { int32_t value; });
STOA_COMPONENT_WITH(Shield, STOA_OPTIONS(.flags = STOA_SWITCHABLE), { int32_t power; });
STOA_COMPONENT_WITH(Seen, STOA_OPTIONS(.flags = STOA_ROW_TICKS), { int32_t count; });
STOA_TAG_WITH(Marked, STOA_OPTIONS(.flags = STOA_SPARSE));

/* Values with hooks that are alive, over all worlds of the test. */
static int32_t owned_alive;

/* Where a value with hooks is; any other place means that it was copied as bytes, or is dead. */
typedef struct owner {
    const void *self;
    int32_t serial;
} owner;

static inline void owner_make(owner *o, int32_t serial) {
    *o = (owner){o, serial};
    owned_alive++;
}

static inline void owner_drop(void *items, int32_t count, void *user) {
    (void)user;
    for (owner *o = items; count-- > 0; o++) {
        /* A zeroed component owns nothing. */
        if (o->self == NULL && o->serial == 0) {
            continue;
        }
        assert_ptr_equal(o->self, o);
        *o = (owner){NULL, -1};
        owned_alive--;
    }
}

static inline void owner_move(void *to, void *from, int32_t count, void *user) {
    (void)user;
    owner *t = to, *f = from;
    for (; count-- > 0; t++, f++) {
        bool zeroed = f->self == NULL && f->serial == 0;
        if (!zeroed) {
            assert_ptr_equal(f->self, f);
        }
        *t = (owner){zeroed ? NULL : t, f->serial};
        *f = (owner){NULL, -1};
    }
}

typedef owner Owned;
STOA_TYPE_WITH(Owned, STOA_OPTIONS(.hooks = {.drop = owner_drop, .move = owner_move}), {});
typedef owner Hoard;
STOA_TYPE_WITH(Hoard,
               STOA_OPTIONS(.hooks = {.drop = owner_drop, .move = owner_move},
                            .flags = STOA_SPARSE),
               {});

/* Records that an entity is given an Owned of that number. */
static inline stoa_status owned_set(stoa_commands *c, stoa_entity e, int32_t serial) {
    Owned value;
    owner_make(&value, serial);
    stoa_status status = stoa_commands_set_from(c, e, Owned, &value);
    if (status != STOA_OK) {
        owner_drop(&value, 1, NULL);
    }
    return status;
}

#endif
