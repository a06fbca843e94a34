/* The components of the model test, and the register of those that own something.
 *
 * An instance is a number in the first four bytes of a value, its complement in the next four. Zero
 * bytes are a valid value that owns nothing, as stoa_add makes it; those are only counted. A dead
 * source is filled with rubbish, so that using it once more is seen. One register per process: the
 * test runs one world at a time. */
#include "types.h"

#include <stdlib.h>
#include <string.h>

STOA_COMPONENT(Byte, { uint8_t value; });
STOA_COMPONENT(Score, { int32_t value; });
STOA_COMPONENT(Place, { float x, y, z; });
STOA_COMPONENT(Padded, {
    uint8_t kind;
    uint64_t a;
    uint32_t b;
});
STOA_TAG(Frozen);
STOA_COMPONENT_WITH(Shield, STOA_OPTIONS(.flags = STOA_SWITCHABLE), { uint32_t front, back; });
STOA_COMPONENT_WITH(Health, STOA_OPTIONS(.flags = STOA_ROW_TICKS), { int32_t value; });
STOA_COMPONENT_WITH(Heat, STOA_OPTIONS(.flags = STOA_SPARSE), { float degrees; });
STOA_COMPONENT_WITH(Curse, STOA_OPTIONS(.flags = STOA_SPARSE | STOA_SWITCHABLE),
                    { uint32_t words[3]; });

model_lives model_lives_now;

static void lives_fault(const char *text) {
    if (model_lives_now.fault == NULL) {
        model_lives_now.fault = text;
    }
}

static void lives_free(void *user) {
    model_lives *lives = user;
    lives->frees++;
}

static uint32_t lives_make(void *place) {
    model_lives *lives = &model_lives_now;
    if (lives->count == lives->capacity) {
        lives->capacity = lives->capacity * 2 + 64;
        lives->places = realloc(lives->places, lives->capacity * sizeof(void *));
        lives->states = realloc(lives->states, lives->capacity);
        if (lives->places == NULL || lives->states == NULL) {
            abort();
        }
    }
    lives->places[lives->count] = place;
    lives->states[lives->count] = 1;
    return lives->count++;
}

/* The instance in a value, 0 for a zeroed or unknown one. */
static uint32_t lives_read(const void *item) {
    uint32_t words[2];
    memcpy(words, item, sizeof words);
    if (words[0] == 0 && words[1] == 0) {
        return 0;
    }
    if (words[1] != ~words[0] || words[0] >= model_lives_now.count) {
        lives_fault("a hook was given bytes that are no instance");
        return 0;
    }
    if (!model_lives_now.states[words[0]]) {
        lives_fault("a hook was given an instance that is dropped already");
        return 0;
    }
    return words[0];
}

static void lives_end(void *item, bool placed, int owner) {
    uint32_t instance = lives_read(item);
    if (instance != 0) {
        if (placed && model_lives_now.places[instance] != item) {
            lives_fault("an instance was dropped where it was not moved to");
        }
        model_lives_now.states[instance] = 0;
        model_lives_now.live[owner - 1]--;
    } else {
        model_lives_now.zeroed[owner - 1]--;
    }
    memset(item, 0xDD, 16);
}

static void items_drop(void *items, int32_t count, bool placed, int owner) {
    for (int32_t i = 0; i < count; i++) {
        lives_end((uint8_t *)items + (size_t)i * 16, placed, owner);
    }
}

static void owned_drop(void *items, int32_t count, void *user) {
    (void)user;
    items_drop(items, count, true, 1);
}

static void loot_drop(void *items, int32_t count, void *user) {
    (void)user;
    items_drop(items, count, true, 3);
}

static void owned_move(void *to, void *from, int32_t count, void *user) {
    model_lives *lives = user;
    for (int32_t i = 0; i < count; i++) {
        uint8_t *source = (uint8_t *)from + (size_t)i * 16;
        uint8_t *target = (uint8_t *)to + (size_t)i * 16;
        uint32_t instance = lives_read(source);
        if (instance != 0) {
            if (lives->places[instance] != source) {
                lives_fault("an instance was moved from where it is not");
            }
            lives->places[instance] = target;
        }
        memcpy(target, source, 16);
        memset(source, 0xDD, 16);
    }
}

static bool items_copy(void *to, const void *from, int32_t count, int owner) {
    model_lives *lives = &model_lives_now;
    if (lives->copy_refused) {
        return false;
    }
    for (int32_t i = 0; i < count; i++) {
        const uint8_t *source = (const uint8_t *)from + (size_t)i * 16;
        uint8_t *target = (uint8_t *)to + (size_t)i * 16;
        memcpy(target, source, 16);
        if (lives_read(source) != 0) {
            model_value_rename(TYPE_OWNED, target, lives_make(target));
            lives->live[owner - 1]++;
        }
    }
    return true;
}

static bool owned_copy(void *to, const void *from, int32_t count, void *user) {
    (void)user;
    return items_copy(to, from, count, 1);
}

static bool loot_copy(void *to, const void *from, int32_t count, void *user) {
    (void)user;
    return items_copy(to, from, count, 3);
}

static void lease_drop(void *items, int32_t count, void *user) {
    (void)user;
    items_drop(items, count, false, 2);
}

STOA_COMPONENT_WITH(Lease,
                    STOA_OPTIONS(.name = "model.Lease",
                                 .hooks = {.drop = lease_drop, .user = &model_lives_now}),
                    {
                        uint32_t instance, twin;
                        uint64_t value;
                    });

const model_type model_types[TYPE_COUNT] = {
    [TYPE_BYTE] = {"Byte", 1, 1, 0, STOA_TYPE_OF(Byte), 0},
    [TYPE_SCORE] = {"Score", 4, 4, 4, STOA_TYPE_OF(Score), 0},
    [TYPE_RATIO] = {"Ratio", 8, 8, 8, NULL, 0},
    [TYPE_PLACE] = {"Place", 12, 4, 16, STOA_TYPE_OF(Place), 0},
    [TYPE_WIDE] = {"Wide", 16, 8, 32, NULL, 0},
    [TYPE_PADDED] = {"Padded", 24, 8, 48, STOA_TYPE_OF(Padded), 0},
    [TYPE_LINE] = {"Line", 64, 64, 72, NULL, 0},
    [TYPE_LARGE] = {"Large", 200, 8, 136, NULL, 0},
    [TYPE_FROZEN] = {"Frozen", 0, 1, 336, STOA_TYPE_OF(Frozen), 0},
    [TYPE_MARKED] = {"Marked", 0, 1, 336, NULL, 0},
    [TYPE_OWNED] = {"Owned", 16, 8, 336, NULL, 1},
    [TYPE_LEASE] = {"model.Lease", 16, 8, 352, STOA_TYPE_OF(Lease), 2},
    [TYPE_SHIELD] = {"Shield", 8, 4, 368, STOA_TYPE_OF(Shield), 0},
    [TYPE_ASLEEP] = {"Asleep", 0, 1, 376, NULL, 0},
    [TYPE_HEALTH] = {"Health", 4, 4, 376, STOA_TYPE_OF(Health), 0},
    [TYPE_STAMP] = {"Stamp", 16, 8, 384, NULL, 0},
    [TYPE_SCENT] = {"Scent", 0, 1, 400, NULL, 0},
    [TYPE_HEAT] = {"Heat", 4, 4, 400, STOA_TYPE_OF(Heat), 0},
    [TYPE_BURNING] = {"Burning", 0, 1, 404, NULL, 0},
    [TYPE_CURSE] = {"Curse", 12, 4, 404, STOA_TYPE_OF(Curse), 0},
    [TYPE_LOOT] = {"Loot", 16, 8, 416, NULL, 3},
};

void model_lives_reset(void) {
    model_lives *lives = &model_lives_now;
    free(lives->places);
    free(lives->states);
    memset(lives, 0, sizeof *lives);
    (void)lives_make(NULL);
    lives->states[0] = 0;
}

uint32_t model_lives_next(void) {
    return model_lives_now.count;
}

void model_lives_zeroed(int type, int32_t count) {
    if (model_types[type].owner != 0) {
        model_lives_now.zeroed[model_types[type].owner - 1] += count;
    }
}

int32_t model_lives_count(int type) {
    return model_lives_now.live[model_types[type].owner - 1];
}

int32_t model_lives_zeros(int type) {
    return model_lives_now.zeroed[model_types[type].owner - 1];
}

/* What is told of the types described at run time. */
static const stoa_component_desc run_time_descs[TYPE_COUNT] = {
    [TYPE_RATIO] = {.fields = "{ double value; }"},
    [TYPE_WIDE] = {.fields = "{ uint64_t a; uint32_t b, c; }"},
    [TYPE_LINE] = {.size = 64, .alignment = 64},
    [TYPE_LARGE] = {.fields = "{ uint64_t words[25]; }"},
    [TYPE_OWNED] = {.fields = "{ uint32_t instance, twin; uint64_t value; }",
                    .hooks = {owned_drop, owned_move, owned_copy, &model_lives_now, lives_free}},
    [TYPE_ASLEEP] = {.flags = STOA_SWITCHABLE},
    [TYPE_STAMP] = {.fields = "{ uint64_t a, b; }", .flags = STOA_ROW_TICKS | STOA_SWITCHABLE},
    [TYPE_SCENT] = {.flags = STOA_ROW_TICKS},
    [TYPE_BURNING] = {.flags = STOA_SPARSE},
    [TYPE_LOOT] = {.fields = "{ uint32_t instance, twin; uint64_t value; }",
                   .hooks = {loot_drop, owned_move, loot_copy, &model_lives_now, lives_free},
                   .flags = STOA_SPARSE},
};

stoa_component model_type_register(stoa_world *world, int type) {
    const model_type *t = &model_types[type];
    if (t->descriptor != NULL) {
        return stoa_type_register(world, t->descriptor);
    }
    stoa_component_desc desc = run_time_descs[type];
    desc.name = t->name;
    return stoa_component_register(world, &desc);
}

static void bytes_fill(uint8_t *bytes, uint32_t size, uint32_t seed) {
    uint64_t state = seed * 0x9E3779B97F4A7C15u + 1;
    for (uint32_t i = 0; i < size; i++) {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        bytes[i] = (uint8_t)(state >> 24);
    }
}

void model_value_make(int type, uint32_t seed, uint8_t padding, void *bytes) {
    memset(bytes, padding, model_types[type].size);
    model_value_write(type, seed, bytes);
    if (model_types[type].owner != 0) {
        model_value_rename(type, bytes, lives_make(bytes));
        model_lives_now.live[model_types[type].owner - 1]++;
    }
}

void model_value_write(int type, uint32_t seed, void *bytes) {
    uint8_t *b = bytes;
    uint32_t size = model_types[type].size;
    if (type == TYPE_PADDED) {
        bytes_fill(b, 1, seed);
        bytes_fill(b + 8, 12, seed + 1);
    } else if (model_types[type].owner != 0) {
        bytes_fill(b + 8, 8, seed);
    } else {
        bytes_fill(b, size, seed);
    }
}

void model_value_drop(int type, void *bytes) {
    if (model_types[type].owner != 0) {
        items_drop(bytes, 1, type != TYPE_LEASE, model_types[type].owner);
    }
}

bool model_value_equal(int type, const void *a, const void *b) {
    if (type == TYPE_PADDED) {
        const uint8_t *x = a;
        const uint8_t *y = b;
        return x[0] == y[0] && memcmp(x + 8, y + 8, 12) == 0;
    }
    return memcmp(a, b, model_types[type].size) == 0;
}

uint32_t model_value_instance(int type, const void *bytes) {
    uint32_t instance = 0;
    if (model_types[type].owner != 0) {
        memcpy(&instance, bytes, sizeof instance);
    }
    return instance;
}

void model_value_rename(int type, void *bytes, uint32_t instance) {
    if (model_types[type].owner != 0) {
        uint32_t words[2] = {instance, ~instance};
        memcpy(bytes, words, sizeof words);
    }
}

uint32_t model_value_digest(int type, const void *bytes) {
    const uint8_t *b = bytes;
    uint32_t digest = 2166136261u;
    for (uint32_t i = 0; i < model_types[type].size; i++) {
        bool padding = type == TYPE_PADDED && ((i > 0 && i < 8) || i >= 20);
        if (!padding && (model_types[type].owner == 0 || i >= 8)) {
            digest = (digest ^ b[i]) * 16777619u;
        }
    }
    return digest;
}
