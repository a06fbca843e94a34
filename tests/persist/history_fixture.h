/* What the tests of history share: components of every sort, values that know where they are, and a
 * text of all that a world has, ticks and orders included. */
#ifndef STOA_TESTS_HISTORY_FIXTURE_H
#define STOA_TESTS_HISTORY_FIXTURE_H

#include "storage/archetype.h"
#include "storage/entities.h"
#include "storage/sparse.h"
#include "support/support.h"
#include "world/commands_buffer.h"
#include "world/world.h"

STOA_COMPONENT(Position, { float x, y, z; });
STOA_COMPONENT(Health, { int32_t points; });
STOA_COMPONENT(Speed, { float x, y; });
STOA_COMPONENT(Goal, {
    stoa_entity entity;
    int64_t since;
});
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
STOA_COMPONENT_WITH(Purse, STOA_OPTIONS(.flags = STOA_SPARSE), { int64_t coins; });
STOA_COMPONENT_WITH(Fleeting, STOA_OPTIONS(.flags = STOA_TRANSIENT), { int32_t value; });

/* Values with hooks that are alive, in worlds and in frames. */
static int32_t owned_alive;
/* How many copies, or loads, go well before one fails; negative: all do. */
static int32_t owned_copies = -1;

/* Where a value with hooks is; any other place means that it was copied as bytes, or is dead. */
typedef struct owner {
    const void *self;
    int32_t serial;
} owner;

static inline bool owner_none(const owner *o) {
    return o->self == NULL && o->serial == 0;
}

static inline void owner_make(owner *o, int32_t serial) {
    *o = (owner){o, serial};
    owned_alive++;
}

static inline void owner_drop(void *items, int32_t count, void *user) {
    (void)user;
    for (owner *o = items; count-- > 0; o++) {
        if (owner_none(o)) {
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
        bool zeroed = owner_none(f);
        if (!zeroed) {
            assert_ptr_equal(f->self, f);
        }
        *t = (owner){zeroed ? NULL : t, f->serial};
        *f = (owner){NULL, -1};
    }
}

/* True if one more copy goes well. */
static inline bool owner_may_copy(void) {
    if (owned_copies == 0) {
        return false;
    }
    owned_copies -= owned_copies > 0;
    return true;
}

static inline bool owner_copy(void *to, const void *from, int32_t count, void *user) {
    (void)user;
    owner *t = to;
    const owner *f = from;
    if (!owner_may_copy()) {
        return false;
    }
    for (; count-- > 0; t++, f++) {
        if (owner_none(f)) {
            *t = *f;
            continue;
        }
        assert_ptr_equal(f->self, f);
        owner_make(t, f->serial);
    }
    return true;
}

static inline stoa_status owner_save(const stoa_sink *sink, const void *items, int32_t count,
                                     void *user) {
    (void)user;
    stoa_status status = STOA_OK;
    for (const owner *o = items; count-- > 0 && status == STOA_OK; o++) {
        status = stoa_sink_write(sink, &o->serial, sizeof o->serial);
    }
    return status;
}

static inline stoa_status owner_load(const stoa_source *source, void *items, int32_t count,
                                     void *user) {
    (void)user;
    if (!owner_may_copy()) {
        return stoa_fail(STOA_NO_MEMORY, "told to fail");
    }
    for (owner *o = items; count-- > 0; o++) {
        int32_t serial;
        stoa_status status = stoa_source_read(source, &serial, sizeof serial);
        assert_int_equal(status, STOA_OK);
        if (serial == 0) {
            *o = (owner){NULL, 0};
        } else {
            owner_make(o, serial);
        }
    }
    return STOA_OK;
}

static const stoa_persist owner_persist = {.save = owner_save, .load = owner_load};

#define OWNER_COPIED                                                                               \
    { .drop = owner_drop, .move = owner_move, .copy = owner_copy }
#define OWNER_MOVED                                                                                \
    { .drop = owner_drop, .move = owner_move }
typedef owner Owned;
STOA_TYPE_WITH(Owned, STOA_OPTIONS(.hooks = OWNER_COPIED), {});
typedef owner Hoard;
STOA_TYPE_WITH(Hoard, STOA_OPTIONS(.hooks = OWNER_COPIED, .flags = STOA_SPARSE), {});
typedef owner Written;
STOA_TYPE_WITH(Written, STOA_OPTIONS(.hooks = OWNER_MOVED, .persist = &owner_persist), {});
typedef owner Stuck;
STOA_TYPE_WITH(Stuck, STOA_OPTIONS(.hooks = OWNER_MOVED), {});

/* A text that grows, to be compared with others. */
typedef struct dump {
    char *text;
    size_t size;
    size_t capacity;
} dump;

static inline void dump_free(dump *d) {
    test_free(d->text);
    *d = (dump){0};
}

/* Room for so many characters more. */
static inline void dump_room(dump *d, size_t size) {
    if (d->capacity - d->size <= size) {
        d->capacity = d->capacity * 2 + size + 4096;
        d->text = test_realloc(d->text, d->capacity);
        assert_non_null(d->text);
    }
}

/* Bytes, quickly: there are many. */
static inline void dump_hex(dump *d, const void *bytes, size_t size) {
    static const char digits[] = "0123456789abcdef";
    dump_room(d, 2 * size + 2);
    d->text[d->size++] = ' ';
    for (size_t i = 0; i < size; i++) {
        uint8_t byte = ((const uint8_t *)bytes)[i];
        d->text[d->size++] = digits[byte >> 4];
        d->text[d->size++] = digits[byte & 15];
    }
    d->text[d->size] = '\0';
}

static inline void dump_print(dump *d, const char *format, ...) STOA_PRINTF(2, 3);
static inline void dump_print(dump *d, const char *format, ...) {
    dump_room(d, 512);
    va_list arguments;
    va_start(arguments, format);
    d->size += (size_t)vsnprintf(d->text + d->size, d->capacity - d->size, format, arguments);
    va_end(arguments);
    assert_true(d->size < d->capacity);
}

static inline void dump_value(dump *d, const stoa__component *component, const void *value) {
    if (component->info.hooks.drop != NULL) {
        dump_print(d, " %d", ((const owner *)value)->serial);
        return;
    }
    dump_hex(d, value, component->info.size);
}

static inline void dump_chunk(dump *d, const stoa__archetype *archetype, const stoa_chunk *chunk) {
    for (uint32_t i = 0; i < archetype->data_lanes + archetype->tag_count; i++) {
        const stoa_column_state *state = stoa__state_number(archetype, chunk->columns, i);
        dump_print(d, " state %u: off %u changed %u added %u\n", i, state->off,
                   STOA_LOAD(&state->changed), STOA_LOAD(&state->added));
    }
    for (int32_t row = 0; row < chunk->count; row++) {
        dump_hex(d, stoa_columns_entities(chunk->columns) + row, sizeof(stoa_entity));
        for (uint32_t i = 0; i < archetype->lane_count; i++) {
            const stoa__lane *lane = &archetype->lanes[i];
            dump_value(d, lane->component, chunk->columns[lane->index] + (size_t)row * lane->size);
        }
        d->text[d->size++] = '\n';
    }
}

static inline void dump_rows(dump *d, const stoa__storage *storage) {
    for (uint32_t i = 0; i < storage->archetype_count; i++) {
        const stoa__archetype *archetype = storage->archetypes[i];
        dump_print(d, "archetype %u: %u rows, of", i, stoa__rows_at(storage, i));
        for (uint32_t k = 0; k < archetype->id_count; k++) {
            dump_print(d, " %s", stoa__component_at(storage, archetype->ids[k])->name);
        }
        dump_print(d, "\n");
        for (int32_t c = 0; c < archetype->head.chunk_count; c++) {
            dump_chunk(d, archetype, &archetype->head.chunks[c]);
        }
    }
}

/* What extensions keep of an entity. */
static inline void dump_kept(dump *d, const stoa_world *world, stoa_entity e) {
    const char *name = stoa_name(world, e);
    stoa_links children = stoa_children(world, e);
    dump_print(d, " '%s'", name != NULL ? name : "");
    for (int32_t i = 0; i < children.count; i++) {
        dump_print(d, " %u", children.items[i].index);
    }
}

static inline void dump_sets(dump *d, const stoa_world *world) {
    const stoa__storage *storage = &world->storage;
    for (const stoa__component *c = storage->sparse_first; c != NULL; c = c->sparse_next) {
        if ((c->info.flags & STOA_TRANSIENT) != 0 || c->set->count == 0) {
            continue;
        }
        dump_print(d, "sparse %s: %u, %u off\n", c->name, c->set->count, c->set->off_count);
        for (uint32_t i = 0; i < c->set->count; i++) {
            const stoa__sparse *set = c->set;
            dump_print(d, "  %uv%u %u %u %d", set->entities[i].index, set->entities[i].generation,
                       STOA_LOAD(&set->changed[i]), set->added[i],
                       set->off != NULL ? set->off[i] : 0);
            if ((c->info.flags & STOA_MANAGED) != 0) {
                dump_kept(d, world, set->entities[i]);
            } else if (set->size != 0) {
                dump_value(d, c, stoa__sparse_value(set, i));
            }
            dump_print(d, "\n");
        }
    }
}

static inline void dump_values(dump *d, const stoa_world *world) {
    const stoa__storage *storage = &world->storage;
    for (uint32_t i = 0; i < world->resources.capacity; i++) {
        const stoa__resource *resource = &world->resources.items[i];
        const stoa__component *component;
        if (resource->value != NULL) {
            component = stoa__component_at(storage, i + 1);
            dump_print(d, "resource %s %u", component->name, resource->changed);
            dump_value(d, component, resource->value);
            dump_print(d, "\n");
        }
    }
    for (uint32_t i = 0; i < world->events.capacity; i++) {
        const stoa__channel *c = world->events.channels[i];
        if (c == NULL || c->reader_count == 0) {
            continue;
        }
        stoa__reader_note notes[4];
        assert_true(c->reader_count <= 4);
        stoa__queue_readers_save(c, notes);
        dump_print(d, "queue %s: %llu to %llu\n", c->component->name, (unsigned long long)c->head,
                   (unsigned long long)c->tail);
        for (uint32_t k = 0; k < c->reader_count; k++) {
            dump_print(d, " reader at %llu, %lld lost\n", (unsigned long long)notes[k].number,
                       (long long)notes[k].lost);
        }
        for (uint64_t n = c->head; n < c->tail; n++) {
            const stoa__slot *slot = stoa__queue_slot(c, n);
            dump_print(d, "  to %u, %u pending", slot->target.index, STOA_LOAD(&slot->pending));
            dump_value(d, c->component, (const uint8_t *)slot + c->offset);
            dump_print(d, "\n");
        }
    }
}

static inline void dump_log(dump *d, const stoa__log *log) {
    dump_print(d, "log %llu to %llu, lost %d %u\n", (unsigned long long)log->first,
               (unsigned long long)log->next, log->lost, log->lost ? log->lost_tick : 0);
    uint64_t n = log->next - log->first > log->capacity ? log->next - log->capacity : log->first;
    for (; n < log->next; n++) {
        const stoa_log_entry *entry = &log->entries[n % log->capacity];
        dump_print(d, "  %u %u %u\n", entry->entity.index, entry->component, entry->tick);
    }
}

/* All that a frame is to bring back. */
static inline dump dump_of(const stoa_world *world) {
    const stoa__storage *storage = &world->storage;
    dump d = {0};
    dump_print(&d, "tick %u swept %u, %u records, %u free, %u retired, %u empty, hash %llx\n",
               storage->head.tick, world->swept, storage->head.record_count, storage->free_count,
               storage->retired_count, storage->empty_count, (unsigned long long)stoa_hash(world));
    for (uint32_t i = 1; i < storage->head.record_count; i++) {
        const stoa_record *record = &storage->head.records[i];
        bool dead = (record->generation & STOA__DEAD) != 0;
        stoa_record known = {dead ? record->mixed : 0, record->generation};
        dump_hex(&d, &known, sizeof known);
    }
    dump_rows(&d, storage);
    dump_sets(&d, world);
    dump_values(&d, world);
    dump_log(&d, &world->log);
    for (const stoa_query *q = stoa_query_next(world, NULL); q != NULL;
         q = stoa_query_next(world, q)) {
        dump_print(&d, "query %s ran at %u\n", stoa_query_name(q), stoa_query_last_run(q));
    }
    for (const stoa_commands *c = world->buffers.first; c != NULL; c = c->next) {
        dump_print(&d, "buffer wants %u, %u at most\n", c->wanted, c->peak);
    }
    return d;
}

/* The first line in which two texts differ, of either; NULL if they are the same. */
static inline const char *dump_differ(const dump *got, const dump *wanted) {
    static char text[1024];
    const char *a = got->text, *b = wanted->text;
    while (*a != '\0' && *a == *b) {
        a++;
        b++;
    }
    if (*a == *b) {
        return NULL;
    }
    while (a > got->text && a[-1] != '\n') {
        a--;
        b--;
    }
    snprintf(text, sizeof text, "got '%.*s', not '%.*s'", (int)(strcspn(a, "\n") % 400), a,
             (int)(strcspn(b, "\n") % 400), b);
    return text;
}

/* The world is what the text says. */
static inline void dump_holds(const stoa_world *world, const dump *wanted) {
    dump now = dump_of(world);
    const char *differ = dump_differ(&now, wanted);
    if (differ != NULL) {
        fail_msg("%s", differ);
    }
    dump_free(&now);
    assert_int_equal(stoa_check(world), STOA_OK);
}

#endif
