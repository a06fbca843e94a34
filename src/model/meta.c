/* Meta worlds: their lifecycle, and finding their entities.
 *
 * A meta world is an extension of itself; the world that it observes has an extension with the list
 * of those that do, so that each learns when the other is freed. Nothing of the observed world is
 * kept but that. Finding by name is a look-up in a hash table, by id a search in sorted rows. One
 * thread at a time; making, refreshing and freeing touch both worlds, reading the meta world
 * alone. */
#include "model/meta.h"

#include <string.h>

static const char meta_extension[] = "stoa.meta";
static const char observers_extension[] = "stoa.meta.observers";

/* What an observed world keeps. */
typedef struct observers {
    stoa__heap heap;
    stoa__meta *first;
} observers;

static stoa_status refuse(const stoa_world *world, stoa_status status, const char *message) {
    return stoa_world_report(world, stoa__error(status, "%s", message));
}

/* What a meta world keeps; NULL, reported, if it is none. */
static stoa__meta *meta_of(const stoa_world *world) {
    stoa__meta *meta = stoa_extension_find(world, meta_extension);
    if (world == NULL) {
        refuse(NULL, STOA_NULL_ARGUMENT, "the meta world must not be null");
    } else if (meta == NULL) {
        refuse(world, STOA_INVALID, "the world is no meta world");
    }
    return meta;
}

static void observers_free(stoa_world *world, void *data) {
    observers *all = data;
    (void)world;
    while (all->first != NULL) {
        stoa__meta *meta = all->first;
        all->first = meta->next;
        meta->world = NULL;
        meta->next = NULL;
    }
    stoa__heap heap = all->heap;
    stoa__heap_free(&heap, all, sizeof *all, _Alignof(observers));
}

static size_t observers_bytes(const stoa_world *world, const void *data) {
    (void)world;
    return ((const observers *)data)->heap.used;
}

/* The list of those that observe a world, made if need be; NULL, reported, on error. */
static observers *observers_of(stoa_world *world) {
    observers *all = stoa_extension_find(world, observers_extension);
    if (all != NULL) {
        return all;
    }
    stoa__heap heap;
    stoa__heap_init(&heap, stoa_world_allocator(world));
    all = stoa__heap_zalloc(&heap, sizeof *all, _Alignof(observers));
    if (all == NULL) {
        stoa_world_report(world, stoa__error_memory("the observers of a world"));
        return NULL;
    }
    all->heap = heap;
    stoa_extension extension = {
        .name = observers_extension, .data = all, .free = observers_free, .bytes = observers_bytes};
    if (stoa_extend(world, &extension) != STOA_OK) {
        stoa__heap_free(&heap, all, sizeof *all, _Alignof(observers));
        return NULL;
    }
    return all;
}

static void meta_unlink(stoa__meta *meta) {
    observers *all = stoa_extension_find(meta->world, observers_extension);
    for (stoa__meta **at = all != NULL ? &all->first : NULL; at != NULL && *at != NULL;
         at = &(*at)->next) {
        if (*at == meta) {
            *at = meta->next;
            return;
        }
    }
}

static void app_freed(void *user) {
    ((stoa__meta *)user)->app = NULL;
}

/* Looks at another app, or none, and learns when that is freed. */
static void app_take(stoa__meta *meta, stoa_app *app) {
    if (app == meta->app) {
        return;
    }
    stoa_app_unwatch(meta->app, &meta->watcher);
    meta->app = app;
    meta->app_new = true;
    meta->watcher = (stoa_app_watcher){.freed = app_freed, .user = meta};
    if (app != NULL) {
        stoa_app_watch(app, &meta->watcher);
    }
}

static void meta_free(stoa__meta *meta) {
    app_take(meta, NULL);
    meta_unlink(meta);
    stoa__meta_list_free(&meta->heap, &meta->list);
    stoa__heap heap = meta->heap;
    stoa__heap_free(&heap, meta, sizeof *meta, _Alignof(stoa__meta));
}

static void extension_free(stoa_world *world, void *data) {
    (void)world;
    meta_free(data);
}

static size_t extension_bytes(const stoa_world *world, const void *data) {
    (void)world;
    return ((const stoa__meta *)data)->heap.used;
}

/* Rows are sorted, and what lives shows the name of its row. */
static stoa_status extension_check(const stoa_world *world, const void *data) {
    const stoa__meta *meta = data;
    uint32_t named = 0;
    for (uint32_t i = 0; i < meta->list.count; i++) {
        const stoa__meta_row *row = &meta->list.rows[i];
        if (stoa__meta_list_find(&meta->list, row->kind, row->key, row->part) != i) {
            return stoa__error(STOA_CORRUPT, "row %u of the meta world is not in order", i);
        }
        const stoa_meta_name *name = stoa_try_get(world, row->entity, stoa_meta_name);
        if (name != NULL && name->text != row->name) {
            return stoa__error(STOA_CORRUPT, "row %u of the meta world shows another name", i);
        }
        named += row->name != NULL;
    }
    return named == meta->list.names.count
               ? STOA_OK
               : stoa__error(STOA_CORRUPT, "%u of %u names are found in the meta world",
                             meta->list.names.count, named);
}

/* A failure of a meta world is told to the handlers of the world that it is about. */
static void failure_forward(const stoa_error *error, void *user) {
    stoa_world_report(((const stoa__meta *)user)->world, error->status);
}

/* The handlers of the observed world hear of misuse, too. */
static void misuse_ignore(const stoa_error *error, void *user) {
    (void)error, (void)user;
}

/* Makes the world of a meta world and gives it what it keeps; reported. */
static stoa_status self_make(stoa__meta *meta) {
    stoa_allocator allocator = *stoa_world_allocator(meta->world);
    allocator.user_free = NULL;
    stoa_world_desc desc = {
        .allocator = &allocator,
        .on_assert = {.call = misuse_ignore, .user = meta},
        .on_error = {.call = failure_forward, .user = meta},
    };
    meta->self = stoa_world_new(&desc);
    if (meta->self == NULL) {
        return stoa_world_report(meta->world, stoa_last_error().status);
    }
    stoa_extension extension = {.name = meta_extension,
                                .data = meta,
                                .free = extension_free,
                                .check = extension_check,
                                .bytes = extension_bytes};
    stoa_status status = stoa_extend(meta->self, &extension);
    if (status != STOA_OK) {
        stoa_world_free(meta->self);
    }
    return status;
}

/* STOA_OK if an app can be shown beside a world; otherwise reported. */
static stoa_status app_check(const stoa_world *world, const stoa_app *app) {
    return app == NULL || stoa_app_world(app) == world
               ? STOA_OK
               : refuse(world, STOA_INVALID, "the app runs another world");
}

/* Registers every component, so that queries by text know them from the first refresh on. */
static stoa_status types_register(stoa_world *self) {
    bool known = stoa_id(self, stoa_meta_name) != 0;
    for (int32_t kind = 0; kind < STOA_META_KINDS && known; kind++) {
        known = stoa_type_register(self, stoa__meta_shape_of((stoa_meta_kind)kind)->type) != 0;
    }
    return known ? STOA_OK : stoa_last_error().status;
}

stoa_world *stoa_meta_new(stoa_world *world, stoa_app *app) {
    if (world == NULL) {
        refuse(NULL, STOA_NULL_ARGUMENT, "the world must not be null");
        return NULL;
    }
    observers *all = app_check(world, app) == STOA_OK ? observers_of(world) : NULL;
    if (all == NULL) {
        return NULL;
    }
    stoa__heap heap;
    stoa__heap_init(&heap, stoa_world_allocator(world));
    stoa__meta *meta = stoa__heap_zalloc(&heap, sizeof *meta, _Alignof(stoa__meta));
    if (meta == NULL) {
        stoa_world_report(world, stoa__error_memory("a meta world"));
        return NULL;
    }
    meta->heap = heap;
    meta->world = world;
    app_take(meta, app);
    if (self_make(meta) != STOA_OK) {
        meta_free(meta);
        return NULL;
    }
    meta->next = all->first;
    all->first = meta;
    if (types_register(meta->self) != STOA_OK || stoa_meta_refresh(meta->self) != STOA_OK) {
        stoa_world_free(meta->self);
        return NULL;
    }
    return meta->self;
}

stoa_status stoa_meta_refresh(stoa_world *world) {
    stoa__meta *meta = meta_of(world);
    if (meta == NULL) {
        return stoa_last_error().status;
    }
    if (meta->world == NULL) {
        return refuse(world, STOA_FREED, "the world that the meta world is about was freed");
    }
    if (meta->busy) {
        return refuse(world, STOA_LOCKED, "a hook of a meta world cannot refresh it");
    }
    meta->busy = true;
    stoa__meta_list list = {.rows = NULL};
    stoa_status status = stoa_world_report(world, stoa__meta_gather(meta, &list));
    if (status == STOA_OK) {
        status = stoa__meta_commit(meta, &list);
    }
    stoa__meta_list_free(&meta->heap, &list);
    meta->busy = false;
    return status;
}

stoa_world *stoa_meta_of(const stoa_world *meta) {
    const stoa__meta *found = stoa_extension_find(meta, meta_extension);
    return found != NULL ? found->world : NULL;
}

stoa_app *stoa_meta_app(const stoa_world *meta) {
    const stoa__meta *found = stoa_extension_find(meta, meta_extension);
    return found != NULL && found->world != NULL ? found->app : NULL;
}

stoa_status stoa_meta_watch(stoa_world *world, stoa_app *app) {
    stoa__meta *meta = meta_of(world);
    if (meta == NULL) {
        return stoa_last_error().status;
    }
    if (meta->world == NULL && app != NULL) {
        return refuse(world, STOA_FREED, "the world that the meta world is about was freed");
    }
    stoa_status status = app_check(meta->world, app);
    if (status == STOA_OK) {
        app_take(meta, app);
    }
    return status;
}

/* True if there is such a kind; otherwise reported. */
static bool kind_check(const stoa_world *world, stoa_meta_kind kind) {
    if ((uint32_t)kind < STOA_META_KINDS) {
        return true;
    }
    refuse(world, STOA_INVALID, "there is no such kind of thing in a meta world");
    return false;
}

/* The entity of a row, if it lives. */
static stoa_entity row_entity(const stoa__meta *meta, uint32_t row) {
    stoa_entity e = row != STOA__META_NONE ? meta->list.rows[row].entity : STOA_NULL;
    return stoa_alive(meta->self, e) ? e : STOA_NULL;
}

stoa_entity stoa_meta_find(const stoa_world *world, stoa_meta_kind kind, const char *name) {
    const stoa__meta *meta = meta_of(world);
    if (meta == NULL || !kind_check(world, kind)) {
        return STOA_NULL;
    }
    if (name == NULL) {
        refuse(world, STOA_NULL_ARGUMENT, "the name must not be null");
        return STOA_NULL;
    }
    const stoa__meta_list *list = &meta->list;
    uint64_t hash = stoa__meta_name_hash(kind, name);
    uint32_t cursor = 0, first = STOA__META_NONE, at;
    while ((at = stoa__map_next(&list->names, hash, &cursor)) != STOA__MAP_NONE) {
        const stoa__meta_row *row = &list->rows[at];
        if (at < first && row->kind == kind && strcmp(row->name, name) == 0) {
            first = at;
        }
    }
    return row_entity(meta, first);
}

stoa_entity stoa_meta_at(const stoa_world *world, stoa_meta_kind kind, uint64_t id) {
    const stoa__meta *meta = meta_of(world);
    if (meta == NULL || !kind_check(world, kind)) {
        return STOA_NULL;
    }
    bool named = kind < STOA_META_HAS && kind != STOA_META_MEMBER;
    return row_entity(meta,
                      named ? stoa__meta_list_find(&meta->list, kind, id, 0) : STOA__META_NONE);
}
