/* Fuzzes the loading of snapshots: whatever the bytes, they are refused and the world stays as it
 * was, or a world comes out that holds and can be saved and loaded again.
 *
 * The first byte chooses whether checksums count, memory or stream, what to do with what is not
 * known or does not fit, and whether an app goes on with it; the rest is the snapshot. */
#include "fuzz.h"

#include <string.h>

#include "persist/snapshot.h"
#include "stoa.h"

STOA_ENUM(Team, {TEAM_NONE, TEAM_RED = 4});
STOA_COMPONENT(Position, { float x, y; });
STOA_COMPONENT(Gappy, {
    uint8_t small;
    uint32_t large;
    bool flag;
    Team team;
});
STOA_COMPONENT(Nested, {
    Position at[2];
    stoa_entity target;
});
STOA_TAG(Frozen);
STOA_COMPONENT_WITH(Mark, STOA_OPTIONS(.flags = STOA_SPARSE | STOA_SWITCHABLE), { int16_t value; });
STOA_COMPONENT_WITH(Lamp, STOA_OPTIONS(.flags = STOA_SWITCHABLE | STOA_ROW_TICKS),
                    { uint8_t level; });

typedef struct Owned {
    char *block;
} Owned;

static int owned_count;

static void owned_drop(void *items, int32_t count, void *user) {
    (void)user;
    for (int32_t i = 0; i < count; i++) {
        owned_count--;
        free(((Owned *)items)[i].block);
    }
}

static stoa_status owned_save(const stoa_sink *sink, const void *items, int32_t count, void *user) {
    (void)user;
    (void)count;
    return stoa_sink_write(sink, ((const Owned *)items)->block, 2);
}

static stoa_status owned_load(const stoa_source *source, void *items, int32_t count, void *user) {
    (void)user;
    (void)count;
    Owned owned = {malloc(2)};
    CHECK(owned.block != NULL);
    stoa_status status = stoa_source_read(source, owned.block, 2);
    if (status != STOA_OK || owned.block[0] == 'x') {
        free(owned.block);
        return status != STOA_OK ? status : STOA_CORRUPT;
    }
    owned_count++;
    *(Owned *)items = owned;
    return STOA_OK;
}

static const stoa_persist owned_persist = {.save = owned_save, .load = owned_load};
STOA_TYPE_WITH(Owned, STOA_OPTIONS(.hooks = {.drop = owned_drop}, .persist = &owned_persist), {});

/* An allocator that knows how much was had at most. */
typedef struct meter {
    stoa_allocator below;
    size_t used;
    size_t most;
} meter;

static void *meter_alloc(size_t size, size_t alignment, void *user) {
    meter *m = user;
    void *block = m->below.alloc(size, alignment, m->below.user);
    m->used += block != NULL ? size : 0;
    m->most = m->used > m->most ? m->used : m->most;
    return block;
}

static void meter_free(void *block, size_t size, size_t alignment, void *user) {
    meter *m = user;
    m->below.free(block, size, alignment, m->below.user);
    m->used -= size;
}

/* Bytes that are damaged are no misuse of the library. */
static void misuse_found(const stoa_error *error, void *user) {
    (void)user;
    fprintf(stderr, "%s\n", error->message);
    CHECK(false);
}

static stoa_world *world_open(meter *m) {
    *m = (meter){.below = stoa_allocator_default()};
    const stoa_allocator allocator = {.alloc = meter_alloc, .free = meter_free, .user = m};
    stoa_world *w = stoa_world_new(
        &(stoa_world_desc){.allocator = &allocator, .on_assert = {.call = misuse_found}});
    CHECK(w != NULL);
    stoa_type *const types[] = {&Team_stoa,   &Position_stoa, &Gappy_stoa, &Nested_stoa,
                                &Frozen_stoa, &Mark_stoa,     &Lamp_stoa,  &Owned_stoa};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        CHECK(stoa_type_register(w, types[i]) != 0);
    }
    return w;
}

static void notice_read(const stoa_notice *notice, void *user) {
    *(size_t *)user += strlen(notice->component) + strlen(notice->text) +
                       (notice->member != NULL ? strlen(notice->member) : 0);
}

static stoa_status make_each(stoa_job *job, stoa_iter *it) {
    (void)it;
    return stoa_entity_is_null(stoa_commands_create_with(job->commands, STOA_ZERO(Position)))
               ? STOA_FAILED
               : STOA_OK;
}

static stoa_status look_run(stoa_job *job, stoa_iter *it) {
    (void)job;
    while (stoa_iter_next(it)) {
    }
    return STOA_OK;
}

/* An app for a world, with readers of events and a log. */
static stoa_app *app_open(stoa_world *w) {
    stoa_app *app = stoa_app_new(&(stoa_app_desc){.world = w, .threads = 1, .fixed_step = 0.5});
    CHECK(app != NULL);
    CHECK(stoa_log_keep(w, 8) == STOA_OK);
    CHECK(stoa_reader_new(w, Position) != NULL && stoa_reader_new(w, Position) != NULL);
    CHECK(stoa_reader_new(w, Owned) != NULL && stoa_reader_new(w, Frozen) != NULL);
    const stoa_system_desc make = {
        .name = "make", .each = make_each, .terms = {STOA_READ(Position)}, .grain = 16};
    const stoa_system_desc look = {
        .name = "look", .run = look_run, .terms = {STOA_READ(Gappy), STOA_CHANGED(Gappy)}};
    CHECK(stoa_system_new(app, &make).id != 0 && stoa_system_new(app, &look).id != 0);
    return app;
}

/* An app goes on with what was loaded, or is as it was; then it can be saved. */
static void app_check(stoa_app *app, stoa_status loaded) {
    stoa_world *w = stoa_app_world(app);
    stoa_blob blob = {0};
    if (loaded == STOA_OK) {
        stoa_status status = stoa_app_step(app, 0.3);
        CHECK(status == STOA_OK || status == STOA_NO_MEMORY || status == STOA_LIMIT);
    } else {
        CHECK(stoa_app_frame(app) == 0);
    }
    CHECK(stoa_check(w) == STOA_OK);
    const stoa_snapshot_save_desc desc = {.app = app};
    if (stoa_commands_pending(w) == 0) {
        CHECK(stoa_snapshot_save_memory(w, &desc, &blob) == STOA_OK);
        CHECK(stoa_snapshot_verify(blob.data, blob.size, NULL) == STOA_OK);
    }
    stoa_blob_free(&blob);
    CHECK(stoa_app_free(app) == STOA_OK);
}

/* What was loaded can be saved, and loaded again to the same. */
static void world_again(const stoa_world *w) {
    meter m;
    stoa_world *other = world_open(&m);
    stoa_blob blob = {0};
    const stoa_snapshot_save_desc desc = {.ticks = true};
    stoa_snapshot_info info;
    CHECK(stoa_snapshot_save_memory(w, &desc, &blob) == STOA_OK);
    CHECK(stoa_snapshot_verify(blob.data, blob.size, &info) == STOA_OK);
    CHECK(info.entity_count == stoa_count(w));
    const stoa_snapshot_load_desc keep = {.unknown = STOA_UNKNOWN_KEEP};
    CHECK(stoa_snapshot_load_memory(other, &keep, blob.data, blob.size) == STOA_OK);
    CHECK(stoa_check(other) == STOA_OK);
    CHECK(stoa_hash(other) == stoa_hash(w));
    stoa_blob_free(&blob);
    stoa_world_free(other);
    CHECK(m.used == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size == 0 || size > 65536) {
        return 0;
    }
    uint8_t choice = data[0];
    bool checked = (choice & 1) != 0;
    size--;
    uint8_t *bytes = malloc(size > 0 ? size : 1);
    CHECK(bytes != NULL);
    memcpy(bytes, data + 1, size);
    meter m;
    stoa_world *w = world_open(&m);
    stoa_app *app = (choice >> 5 & 1) != 0 ? app_open(w) : NULL;
    uint64_t hash = stoa_hash(w);
    size_t before = m.used;
    m.most = before;
    size_t told = 0;
    const stoa_snapshot_load_desc desc = {.unknown = (stoa_unknown)((choice >> 2 & 3) % 3),
                                          .loss = (choice >> 4 & 1) != 0 ? STOA_LOSS_CLAMP
                                                                         : STOA_LOSS_REFUSE,
                                          .notice = notice_read,
                                          .user = &told,
                                          .app = app};
    stoa_span span = {bytes, bytes + size};
    const stoa_source source = stoa_span_source(&span);
    stoa_error_clear();
    bool sound = stoa_snapshot_verify(bytes, size, NULL) == STOA_OK;
    stoa_status status = (choice & 2) != 0
                             ? stoa__snapshot_load_stream(w, &desc, &source, checked)
                             : stoa__snapshot_load_bytes(w, &desc, bytes, size, checked);
    CHECK(m.most - before <= 10 * size + ((size_t)256 << 10));
    CHECK(stoa_check(w) == STOA_OK);
    if (status == STOA_OK) {
        CHECK(sound || !checked || (choice & 2) != 0);
        world_again(w);
    } else {
        CHECK(stoa_last_error().message[0] != '\0');
        CHECK(stoa_count(w) == 0 && stoa_hash(w) == hash);
    }
    if (app != NULL) {
        app_check(app, status);
    }
    stoa_world_free(w);
    CHECK(m.used == 0 && owned_count == 0);
    free(bytes);
    return 0;
}
