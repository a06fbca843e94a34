/* A world with every kind of component, saved on one kind of machine and loaded on another.
 *
 *   cross write FILE   writes the snapshot, the delta to a later one, and hashes, as this machine
 *                      makes them
 *   cross check FILE   makes the same world, compares all bytes with those in the file, loads what
 *                      is in the file and compares the hash
 *
 * A program of its own without a test library, so that it can be built for any machine that has a C
 * compiler; `make crosstest` runs it for a big-endian one. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "stoa.h"

STOA_ENUM(Team, {TEAM_NONE, TEAM_RED = 4, TEAM_BLUE = -7});
STOA_ENUM(Large, {LARGE_SMALL = 1, LARGE_WIDE = 70000});
STOA_COMPONENT(Point, { float x, y; });
STOA_COMPONENT(Numbers, {
    int8_t i8;
    uint8_t u8;
    int16_t i16;
    uint16_t u16;
    int32_t i32;
    uint32_t u32;
    int64_t i64;
    uint64_t u64;
    float f32;
    double f64;
    bool yes;
    char letter;
});
STOA_COMPONENT(Nested, {
    char before;
    Point corners[2];
    Team team;
    Large large;
    uint16_t list[5];
    double deep[2];
    stoa_entity target;
    stoa_entity others[2];
    char text[7];
});
STOA_COMPONENT(Dense, { uint32_t first, second; });
STOA_TAG(Frozen);
STOA_COMPONENT_WITH(Rare, STOA_OPTIONS(.flags = STOA_SPARSE | STOA_SWITCHABLE), { int64_t value; });
STOA_TAG_WITH(Chosen, STOA_OPTIONS(.flags = STOA_SPARSE));
STOA_COMPONENT_WITH(Lamp, STOA_OPTIONS(.flags = STOA_SWITCHABLE), { uint16_t level; });
STOA_COMPONENT_WITH(Timed, STOA_OPTIONS(.flags = STOA_ROW_TICKS), { int32_t value; });
STOA_COMPONENT_WITH(Ghost, STOA_OPTIONS(.flags = STOA_TRANSIENT), { int32_t value; });
STOA_COMPONENT(Rules, {
    int32_t level;
    double speed;
    Team winner;
});
STOA_COMPONENT_WITH(Owner, STOA_OPTIONS(.flags = STOA_IMMUTABLE), {
    stoa_entity who;
    uint32_t since;
});

/* Bytes that nobody describes. */
typedef struct Raw {
    uint8_t bytes[5];
} Raw;
STOA_TYPE_WITH(Raw, STOA_OPTIONS(.flags = STOA_RAW), {});

/* A text, saved by functions of its own. */
typedef struct Label {
    const char *text;
    uint32_t number;
} Label;

static const char *const label_texts[] = {"", "one", "two words", "\xc3\xa4"};

static stoa_status label_save(const stoa_sink *sink, const void *items, int32_t count, void *user) {
    (void)user;
    const Label *labels = items;
    stoa_status status = STOA_OK;
    for (int32_t i = 0; i < count && status == STOA_OK; i++) {
        uint8_t bytes[2] = {0, (uint8_t)labels[i].number};
        while (strcmp(label_texts[bytes[0]], labels[i].text) != 0) {
            bytes[0]++;
        }
        status = stoa_sink_write(sink, bytes, sizeof bytes);
    }
    return status;
}

static stoa_status label_load(const stoa_source *source, void *items, int32_t count, void *user) {
    (void)user;
    Label *labels = items;
    stoa_status status = STOA_OK;
    for (int32_t i = 0; i < count && status == STOA_OK; i++) {
        uint8_t bytes[2] = {0};
        status = stoa_source_read(source, bytes, sizeof bytes);
        labels[i] = (Label){label_texts[bytes[0] % 4], bytes[1]};
    }
    return status;
}

static const stoa_persist label_persist = {.save = label_save, .load = label_load};
STOA_TYPE_WITH(Label, STOA_OPTIONS(.persist = &label_persist), {
    const char *text;
    uint32_t number;
});

/* Ends the program with what went wrong, and the library's last word on it. */
static _Noreturn void fail(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    (void)fputs("cross: ", stderr);
    (void)vfprintf(stderr, format, arguments);
    (void)fprintf(stderr, " (%s)\n", stoa_last_error().message);
    va_end(arguments);
    exit(1);
}

static void need(stoa_status status, const char *what) {
    if (status != STOA_OK) {
        fail("%s: %s", what, stoa_status_text(status));
    }
}

/* A world that knows all types, in an order that tells the machines apart. */
static stoa_world *world_open(bool turned) {
    stoa_type *const types[] = {
        STOA_TYPE_OF(Team),   STOA_TYPE_OF(Large), STOA_TYPE_OF(Point),  STOA_TYPE_OF(Numbers),
        STOA_TYPE_OF(Nested), STOA_TYPE_OF(Dense), STOA_TYPE_OF(Frozen), STOA_TYPE_OF(Rare),
        STOA_TYPE_OF(Chosen), STOA_TYPE_OF(Lamp),  STOA_TYPE_OF(Timed),  STOA_TYPE_OF(Ghost),
        STOA_TYPE_OF(Rules),  STOA_TYPE_OF(Owner), STOA_TYPE_OF(Raw),    STOA_TYPE_OF(Label),
    };
    enum { PARTS = 3, COUNT = sizeof types / sizeof *types };
    stoa_world *w = stoa_world_new(NULL);
    if (w == NULL) {
        fail("no world");
    }
    for (int i = 0; i < COUNT; i++) {
        int at = turned && i >= PARTS ? COUNT - 1 - (i - PARTS) : i;
        if (stoa_type_register(w, types[at]) == 0) {
            fail("type %d is refused", at);
        }
    }
    if (stoa_relation_new(w, &(stoa_relation_desc){.type = STOA_TYPE_OF(Owner)}).id == 0) {
        fail("no relation");
    }
    return w;
}

static Numbers numbers_make(int i) {
    return (Numbers){.i8 = (int8_t)(-i - 1),
                     .u8 = (uint8_t)(200 + i),
                     .i16 = (int16_t)(-1000 - i),
                     .u16 = (uint16_t)(60000 + i),
                     .i32 = -100000000 - i,
                     .u32 = 4000000000u + (uint32_t)i,
                     .i64 = INT64_C(-1234567890123456789) + i,
                     .u64 = UINT64_C(0xfedcba9876543210) + (uint64_t)i,
                     .f32 = (float)i * 0.375f, /* exact: some machines count in more digits */
                     .f64 = -1.0 / (i + 3),
                     .yes = i % 2 == 0,
                     .letter = (char)('a' + i % 26)};
}

/* Fills a world; `n` of each kind. */
static void world_fill(stoa_world *w, int n) {
    stoa_relation owner = stoa_relation_find(w, "Owner");
    stoa_entity first = STOA_NULL, last = STOA_NULL;
    for (int i = 0; i < n; i++) {
        Numbers numbers = numbers_make(i);
        stoa_entity a = stoa_create_with(w, STOA_VALUE_FROM(Numbers, &numbers),
                                         STOA_VALUE(Dense, {(uint32_t)i, 0x01020304}));
        first = i == 0 ? a : first;
        Nested nested = {.before = 'b',
                         .corners = {{(float)i, 1}, {2, -3}},
                         .team = i % 2 == 0 ? TEAM_RED : TEAM_BLUE,
                         .large = LARGE_WIDE,
                         .list = {1, 2, 3, 4, (uint16_t)(i * 1000)},
                         .deep = {i * 0.5, 1e300},
                         .target = first,
                         .others = {last, a},
                         .text = "abcdef"};
        stoa_entity b = stoa_create_with(w, STOA_VALUE_FROM(Nested, &nested), STOA_ZERO(Frozen));
        stoa_entity c = stoa_create_with(w, STOA_VALUE(Lamp, {(uint16_t)(i * 300)}),
                                         STOA_VALUE(Label, {label_texts[i % 4], (uint32_t)i}));
        stoa_entity d = stoa_create_with(w, STOA_VALUE(Timed, {-i}), STOA_VALUE(Raw, {{1, 2, 3}}));
        stoa_entity gone = stoa_create(w);
        need(stoa_set(w, b, Rare, {i * INT64_C(-10000000000)}), "sparse");
        need(stoa_set(w, c, Ghost, {i}), "transient");
        need(i % 3 == 0 ? stoa_add(w, d, Chosen) : STOA_OK, "tag");
        need(stoa_enable(w, b, Rare, i % 3 != 0), "switch");
        need(stoa_enable(w, c, Lamp, i % 4 != 1), "switch");
        need(i > 0 ? stoa_set_parent(w, b, i % 2 == 0 ? first : last) : STOA_OK, "parent");
        need(stoa_relation_add(w, owner, d, a), "relation");
        char name[64];
        (void)snprintf(name, sizeof name, i % 2 == 0 ? "n%d" : "a rather long name, number %d", i);
        need(stoa_name_set(w, a, name), "name");
        need(i % 2 == 0 ? stoa_destroy(w, gone) : STOA_OK, "destroy");
        stoa_tick_advance(w);
        last = b;
    }
    need(stoa_resource_set(w, Rules, {3, 0.75, TEAM_BLUE}), "resource");
}

/* What a machine makes of it. */
typedef struct made {
    stoa_blob snapshot;
    stoa_blob delta;
    uint64_t hash;
} made;

static made world_save(stoa_world *w) {
    made m = {.hash = stoa_hash(w)};
    const stoa_snapshot_save_desc desc = {.ticks = true};
    stoa_blob later = {0};
    need(stoa_check(w), "check");
    need(stoa_snapshot_save_memory(w, &desc, &m.snapshot), "save");
    world_fill(w, 0);
    for (stoa_entity e = stoa_entity_next(w, STOA_NULL); !stoa_entity_is_null(e);
         e = stoa_entity_next(w, e)) {
        Dense *dense = stoa_try_get_mut(w, e, Dense);
        if (dense != NULL && dense->first % 10 == 3) {
            dense->second += 0x1000000;
        }
    }
    for (int i = 0; i < 20; i++) {
        stoa_create_with(w, STOA_VALUE(Dense, {7, 8}));
    }
    need(stoa_snapshot_save_memory(w, &desc, &later), "save again");
    need(stoa_delta_make(m.snapshot.data, m.snapshot.size, later.data, later.size, &m.delta),
         "delta");
    stoa_blob_free(&later);
    return m;
}

static void made_free(made *m) {
    stoa_blob_free(&m->snapshot);
    stoa_blob_free(&m->delta);
}

/* The hash and both sizes, as text, then the bytes. */
static void made_write(const made *m, const char *path) {
    FILE *file = fopen(path, "wb");
    bool good = file != NULL;
    good = good && fprintf(file, "%016llx %zu %zu\n", (unsigned long long)m->hash, m->snapshot.size,
                           m->delta.size) > 0;
    good = good && fwrite(m->snapshot.data, m->snapshot.size, 1, file) == 1;
    good = good && fwrite(m->delta.data, m->delta.size, 1, file) == 1;
    good = file != NULL && fclose(file) == 0 && good;
    if (!good) {
        fail("%s cannot be written", path);
    }
}

static made made_read(const char *path) {
    made m = {.hash = 0};
    unsigned long long hash;
    size_t sizes[2];
    FILE *file = fopen(path, "rb");
    bool good = file != NULL && fscanf(file, "%llx %zu %zu", &hash, &sizes[0], &sizes[1]) == 3 &&
                fgetc(file) == '\n' && stoa_blob_reserve(&m.snapshot, sizes[0]) == STOA_OK &&
                stoa_blob_reserve(&m.delta, sizes[1]) == STOA_OK &&
                fread(m.snapshot.data, sizes[0], 1, file) == 1 &&
                fread(m.delta.data, sizes[1], 1, file) == 1;
    if (!good) {
        fail("%s cannot be read", path);
    }
    (void)fclose(file);
    m.hash = hash;
    m.snapshot.size = sizes[0];
    m.delta.size = sizes[1];
    return m;
}

static void blobs_compare(const char *what, const stoa_blob *own, const stoa_blob *other) {
    for (size_t i = 0; i < own->size && i < other->size; i++) {
        if (own->data[i] != other->data[i]) {
            fail("byte %zu of the %s is %02x and not %02x", i, what, own->data[i], other->data[i]);
        }
    }
    if (own->size != other->size) {
        fail("the %s has %zu bytes and not %zu", what, own->size, other->size);
    }
}

/* What was loaded is what was made, looked at through the components, not through bytes. */
static void world_look(const stoa_world *w) {
    stoa_entity e = stoa_find(w, "n4");
    const Numbers *numbers = stoa_try_get(w, e, Numbers);
    Numbers expected = numbers_make(4);
    if (numbers == NULL || numbers->i16 != expected.i16 || numbers->i32 != expected.i32 ||
        numbers->i64 != expected.i64 || numbers->u64 != expected.u64 ||
        memcmp(&numbers->f32, &expected.f32, sizeof expected.f32) != 0 ||
        memcmp(&numbers->f64, &expected.f64, sizeof expected.f64) != 0) {
        fail("numbers are not what was saved");
    }
    stoa_links owned = stoa_relation_sources(w, stoa_relation_find(w, "Owner"), e);
    if (owned.count != 1 || stoa_get(w, owned.items[0], Timed)->value != -4) {
        fail("relations are not what was saved");
    }
    if (stoa_children(w, stoa_find(w, "n0")).count == 0 ||
        stoa_resource(w, Rules)->winner != TEAM_BLUE) {
        fail("parents or resources are not what was saved");
    }
}

static void file_check(const char *path) {
    made theirs = made_read(path);
    stoa_world *w = world_open(true);
    world_fill(w, 40);
    made own = world_save(w);
    stoa_world_free(w);
    blobs_compare("snapshot", &own.snapshot, &theirs.snapshot);
    blobs_compare("delta", &own.delta, &theirs.delta);
    if (own.hash != theirs.hash) {
        fail("the hash is %016llx and not %016llx", (unsigned long long)own.hash,
             (unsigned long long)theirs.hash);
    }
    w = world_open(false);
    need(stoa_snapshot_load_memory(w, NULL, theirs.snapshot.data, theirs.snapshot.size), "load");
    need(stoa_check(w), "check");
    if (stoa_hash(w) != theirs.hash) {
        fail("what was loaded has another hash");
    }
    world_look(w);
    stoa_world_free(w);
    stoa_blob target = {0};
    need(stoa_delta_apply(theirs.snapshot.data, theirs.snapshot.size, theirs.delta.data,
                          theirs.delta.size, 0, &target),
         "apply");
    need(stoa_snapshot_verify(target.data, target.size, NULL), "verify");
    stoa_blob_free(&target);
    const uint16_t one = 1;
    printf("%s-endian, %zu bytes, %zu of delta, hash %016llx: the same\n",
           *(const uint8_t *)&one == 1 ? "little" : "big", own.snapshot.size, own.delta.size,
           (unsigned long long)own.hash);
    made_free(&own);
    made_free(&theirs);
}

int main(int count, char **arguments) {
    if (count == 3 && strcmp(arguments[1], "write") == 0) {
        stoa_world *w = world_open(false);
        world_fill(w, 40);
        made m = world_save(w);
        made_write(&m, arguments[2]);
        made_free(&m);
        stoa_world_free(w);
        return 0;
    }
    if (count == 3 && strcmp(arguments[1], "check") == 0) {
        file_check(arguments[2]);
        return 0;
    }
    (void)fputs("usage: cross write|check FILE\n", stderr);
    return 2;
}
