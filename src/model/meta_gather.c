/* Finding out what a world is made of, for its meta world.
 *
 * Everything is asked through the public API and copied, so that nothing points into the observed
 * world. Each kind is walked in order of keys, so that the list comes out sorted and is joined with
 * the one before on the way. O(what there is), and what the counts of queries take. */
#include "base/hash.h"
#include "base/writer.h"
#include "model/meta.h"

#include <string.h>

/* Ticks after which a run is as good as none: what queries that never ran are said to be old. */
#define RUN_AGE (1u << 30)

/* A list under way. */
typedef struct gather {
    stoa__heap *heap;
    const stoa_world *self;
    const stoa_world *world;
    const stoa_app *app;
    bool app_new; /* it is not the one that the list before is about */
    stoa__meta_list *before;
    stoa__meta_list *list;
    uint32_t cursor; /* rows of the list before that come before the next one */
} gather;

static int row_compare(const stoa__meta_row *row, stoa_meta_kind kind, uint64_t key,
                       uint32_t part) {
    if (row->kind != kind) {
        return row->kind < kind ? -1 : 1;
    }
    if (row->key != key) {
        return row->key < key ? -1 : 1;
    }
    return row->part == part ? 0 : row->part < part ? -1 : 1;
}

uint32_t stoa__meta_list_find(const stoa__meta_list *list, stoa_meta_kind kind, uint64_t key,
                              uint32_t part) {
    uint32_t low = list->first[kind], high = list->first[kind + 1];
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        int order = row_compare(&list->rows[middle], kind, key, part);
        if (order == 0) {
            return middle;
        }
        low = order < 0 ? middle + 1 : low;
        high = order < 0 ? high : middle;
    }
    return STOA__META_NONE;
}

/* True for what an app has, and other apps have under the same ids. */
static bool of_app(stoa_meta_kind kind) {
    return kind == STOA_META_STAGE || kind == STOA_META_SYSTEM || kind == STOA_META_USE;
}

/* Adds a row, joined with the list before; NULL on lack of memory. Valid until the next one. */
static stoa__meta_row *row_add(gather *g, stoa_meta_kind kind, uint64_t key, uint32_t part) {
    stoa__meta_list *list = g->list;
    if (list->count == STOA_ENTITY_MAX || !stoa__heap_grow(g->heap, &list->rows, &list->capacity,
                                                           list->count + 1, sizeof *list->rows)) {
        return NULL;
    }
    stoa__meta_row *row = &list->rows[list->count++];
    memset(row, 0, sizeof *row);
    row->kind = kind;
    row->key = key;
    row->part = part;
    row->before = STOA__META_NONE;
    for (uint32_t i = 0; i < STOA__META_REFS; i++) {
        row->refs[i] = STOA__META_NONE;
    }
    const stoa__meta_list *before = g->before;
    while (g->cursor < before->count &&
           row_compare(&before->rows[g->cursor], kind, key, part) < 0) {
        g->cursor++;
    }
    if (g->cursor < before->count && row_compare(&before->rows[g->cursor], kind, key, part) == 0 &&
        !(g->app_new && of_app(kind))) {
        stoa__meta_row *same = &before->rows[g->cursor];
        same->kept = true;
        row->before = g->cursor;
        row->entity = stoa_alive(g->self, same->entity) ? same->entity : STOA_NULL;
    }
    return row;
}

/* Names a row as it was named before; false if it is new. What a name tells never changes. */
static bool name_lend(const gather *g, stoa__meta_row *row) {
    if (row->before == STOA__META_NONE) {
        return false;
    }
    row->name = g->before->rows[row->before].name;
    row->name_lent = true;
    return true;
}

static bool row_name(const gather *g, stoa__meta_row *row, const char *text) {
    if (name_lend(g, row)) {
        return true;
    }
    row->name = stoa__heap_text(g->heap, text);
    return row->name != NULL;
}

/* Names a row by a text that is written twice: to know its length, and into its place. */
static bool row_name_written(const gather *g, stoa__meta_row *row,
                             void (*write)(stoa__writer *writer, const gather *g,
                                           const stoa__meta_row *row)) {
    if (name_lend(g, row)) {
        return true;
    }
    stoa__writer length = stoa__writer_new(NULL, 0);
    write(&length, g, row);
    row->name = stoa__heap_alloc(g->heap, length.length + 1, 1);
    if (row->name == NULL) {
        return false;
    }
    stoa__writer writer = stoa__writer_new(row->name, length.length + 1);
    write(&writer, g, row);
    return true;
}

static bool components_gather(gather *g) {
    int32_t count = stoa_component_count(g->world);
    for (stoa_component id = 1; id <= (stoa_component)count; id++) {
        stoa_component_info info;
        stoa_component_info_get(g->world, id, &info);
        int32_t values = 0;
        stoa_component_enum(g->world, id, &values);
        stoa_sparse_info stored = {0};
        bool sparse = (info.flags & STOA_SPARSE) != 0;
        if (sparse) {
            stoa_sparse_info_get(g->world, id, &stored);
        }
        stoa__meta_row *row = row_add(g, STOA_META_COMPONENT, id, 0);
        if (row == NULL || !row_name(g, row, info.name)) {
            return false;
        }
        row->value.component = (stoa_meta_component){
            .id = id,
            .size = info.size,
            .alignment = info.alignment,
            .flags = info.flags,
            .member_count = info.member_count,
            .value_count = values,
            .entity_count = stored.count,
            .plain = info.plain,
            .copyable = info.copyable,
            .sparse = sparse,
            .tag = info.size == 0,
        };
    }
    return true;
}

static void member_write(stoa__writer *writer, const gather *g, const stoa__meta_row *row) {
    stoa_component_info info;
    stoa_component_info_get(g->world, (stoa_component)row->key, &info);
    stoa__writer_put(writer, info.name);
    stoa__writer_put(writer, ".");
    stoa__writer_put(writer, info.members[row->part].name);
}

static bool members_gather(gather *g) {
    int32_t count = stoa_component_count(g->world);
    for (stoa_component id = 1; id <= (stoa_component)count; id++) {
        stoa_component_info info;
        stoa_component_info_get(g->world, id, &info);
        for (int32_t i = 0; i < info.member_count; i++) {
            const stoa_member *member = &info.members[i];
            stoa__meta_row *row = row_add(g, STOA_META_MEMBER, id, (uint32_t)i);
            if (row == NULL || !row_name_written(g, row, member_write)) {
                return false;
            }
            row->refs[0] = id - 1;
            row->refs[1] = member->type != 0 ? member->type - 1 : STOA__META_NONE;
            row->value.member = (stoa_meta_member){
                .kind = (uint32_t)member->kind,
                .offset = member->offset,
                .size = member->size,
                .count = member->count,
                .array = member->array,
                .index = i,
            };
        }
    }
    return true;
}

static void archetype_write(stoa__writer *writer, const gather *g, const stoa__meta_row *row) {
    stoa_archetype_info info;
    stoa_archetype_info_get(g->world, (int32_t)row->key, &info);
    for (int32_t i = 0; i < info.component_count; i++) {
        stoa__writer_put(writer, i > 0 ? ", " : "");
        stoa__writer_put(writer, stoa_component_name(g->world, info.components[i]));
    }
}

static bool archetypes_gather(gather *g) {
    int32_t count = stoa_archetype_count(g->world);
    for (int32_t id = 0; id < count; id++) {
        stoa_archetype_info info;
        stoa_archetype_info_get(g->world, id, &info);
        stoa__meta_row *row = row_add(g, STOA_META_ARCHETYPE, (uint64_t)id, 0);
        if (row == NULL || !row_name_written(g, row, archetype_write)) {
            return false;
        }
        int32_t tags = 0;
        for (int32_t i = 0; i < info.component_count; i++) {
            /* Components are the first rows, in order of ids. */
            stoa_meta_component *component = &g->list->rows[info.components[i] - 1].value.component;
            component->entity_count += info.row_count;
            tags += component->tag;
        }
        row->value.archetype = (stoa_meta_archetype){
            .id = id,
            .component_count = info.component_count,
            .tag_count = tags,
            .chunk_count = info.chunk_count,
            .row_count = info.row_count,
            .chunk_capacity = info.chunk_capacity,
            .used = info.used,
            .reserved = info.reserved,
        };
    }
    return true;
}

static bool access_writes(stoa_access access) {
    return access == STOA_ACCESS_WRITE || access == STOA_ACCESS_OPTIONAL_WRITE ||
           access == STOA_ACCESS_ANY_WRITE;
}

static bool queries_gather(gather *g) {
    uint32_t tick = stoa_tick(g->world);
    for (const stoa_query *query = stoa_query_next(g->world, NULL); query != NULL;
         query = stoa_query_next(g->world, query)) {
        stoa_term terms[STOA_TERM_MAX];
        int32_t count = stoa_query_terms(query, terms, STOA_TERM_MAX), writes = 0;
        for (int32_t i = 0; i < count; i++) {
            writes += access_writes(terms[i].access);
        }
        uint32_t last_run = stoa_query_last_run(query);
        stoa__meta_row *row = row_add(g, STOA_META_QUERY, stoa_query_id(query), 0);
        if (row == NULL || !row_name(g, row, stoa_query_name(query))) {
            return false;
        }
        row->value.query = (stoa_meta_query){
            .id = stoa_query_id(query),
            .term_count = count,
            .write_count = writes,
            .entity_count = stoa_query_count(query),
            .last_run = tick - last_run < RUN_AGE ? last_run : 0,
        };
    }
    return true;
}

static bool resources_gather(gather *g) {
    for (stoa_component id = stoa_resource_next(g->world, 0); id != 0;
         id = stoa_resource_next(g->world, id)) {
        const stoa__meta_row *type = &g->list->rows[id - 1];
        uint32_t size = type->value.component.size;
        const char *name = type->name;
        stoa__meta_row *row = row_add(g, STOA_META_RESOURCE, id, 0);
        if (row == NULL || !row_name(g, row, name)) {
            return false;
        }
        row->refs[0] = id - 1;
        row->value.resource = (stoa_meta_resource){.id = id, .size = size};
    }
    return true;
}

static bool stages_gather(gather *g) {
    const char *name;
    if (g->app == NULL) {
        return true;
    }
    for (stoa_stage id = 0; (name = stoa_stage_name(g->app, id)) != NULL; id++) {
        stoa__meta_row *row = row_add(g, STOA_META_STAGE, id, 0);
        if (row == NULL || !row_name(g, row, name)) {
            return false;
        }
        row->value.stage = (stoa_meta_stage){.id = id};
    }
    stoa__meta_row *stages = g->list->rows + g->list->first[STOA_META_STAGE];
    for (int32_t place = 0; stoa_stage_at(g->app, place) != UINT32_MAX; place++) {
        stages[stoa_stage_at(g->app, place)].value.stage.place = place;
    }
    return true;
}

/* Counts what a system writes, components and resources. */
static int32_t writes_count(const stoa_app *app, stoa_system system, int32_t count) {
    int32_t writes = 0;
    for (int32_t i = 0; i < count; i++) {
        stoa_system_use use;
        stoa_system_access(app, system, i, &use);
        writes += use.write;
    }
    return writes;
}

static bool systems_gather(gather *g) {
    int32_t place = 0;
    if (g->app == NULL) {
        return true;
    }
    for (stoa_system system = stoa_system_next(g->app, (stoa_system){0}); system.id != 0;
         system = stoa_system_next(g->app, system)) {
        stoa_system_info info;
        stoa_system_info_get(g->app, system, &info);
        int32_t writes = writes_count(g->app, system, info.access_count);
        stoa__meta_row *row = row_add(g, STOA_META_SYSTEM, system.id, 0);
        if (row == NULL || !row_name(g, row, info.name)) {
            return false;
        }
        row->refs[0] = g->list->first[STOA_META_STAGE] + info.stage;
        g->list->rows[row->refs[0]].value.stage.system_count++;
        row->value.system = (stoa_meta_system){
            .runs = info.runs,
            .id = system.id,
            .rule = (uint32_t)info.rule,
            .last_run = info.runs > 0 ? info.last_run : 0,
            .place = place,
            .read_count = info.access_count - writes,
            .write_count = writes,
            .enabled = info.enabled,
            .script = info.script,
            .main = info.rule == STOA_THREAD_MAIN || info.rule == STOA_THREAD_EXCLUSIVE,
            .exclusive = info.rule == STOA_THREAD_EXCLUSIVE,
            .access_count = info.access_count,
        };
        place++;
    }
    return true;
}

static bool has_gather(gather *g) {
    uint32_t first = g->list->first[STOA_META_ARCHETYPE];
    int32_t count = stoa_archetype_count(g->world);
    for (int32_t id = 0; id < count; id++) {
        stoa_archetype_info info;
        stoa_archetype_info_get(g->world, id, &info);
        for (int32_t i = 0; i < info.component_count; i++) {
            stoa__meta_row *row = row_add(g, STOA_META_HAS, (uint64_t)id, info.components[i]);
            if (row == NULL) {
                return false;
            }
            row->refs[0] = first + (uint32_t)id;
            row->refs[1] = info.components[i] - 1;
        }
    }
    return true;
}

static bool terms_gather(gather *g) {
    uint32_t at = g->list->first[STOA_META_QUERY];
    for (const stoa_query *query = stoa_query_next(g->world, NULL); query != NULL;
         query = stoa_query_next(g->world, query), at++) {
        stoa_term terms[STOA_TERM_MAX];
        int32_t count = stoa_query_terms(query, terms, STOA_TERM_MAX);
        for (int32_t i = 0; i < count; i++) {
            stoa__meta_row *row = row_add(g, STOA_META_TERM, stoa_query_id(query), (uint32_t)i);
            if (row == NULL) {
                return false;
            }
            row->refs[0] = at;
            row->refs[1] = terms[i].id - 1;
            row->value.term = (stoa_meta_term){
                .index = i,
                .group = terms[i].group,
                .access = (uint32_t)terms[i].access,
            };
        }
    }
    return true;
}

/* A use of a resource comes after those of components. */
static uint32_t use_part(const stoa_system_use *use) {
    return use->resource ? use->id | 0x80000000u : use->id;
}

static bool uses_gather(gather *g) {
    uint32_t at = g->list->first[STOA_META_SYSTEM], end = g->list->first[STOA_META_SYSTEM + 1];
    for (; at < end; at++) {
        stoa_system system = {(uint32_t)g->list->rows[at].key};
        int32_t count = g->list->rows[at].value.system.access_count;
        for (int32_t i = 0; i < count; i++) {
            stoa_system_use use;
            stoa_system_access(g->app, system, i, &use);
            stoa__meta_row *row = row_add(g, STOA_META_USE, system.id, use_part(&use));
            if (row == NULL) {
                return false;
            }
            row->refs[0] = at;
            row->refs[1] = use.id - 1;
            row->refs[2] = use.resource
                               ? stoa__meta_list_find(g->list, STOA_META_RESOURCE, use.id, 0)
                               : STOA__META_NONE;
            row->value.use = (stoa_meta_use){
                .read = !use.write,
                .write = use.write,
                .of_resource = use.resource,
                .missing = use.resource && row->refs[2] == STOA__META_NONE,
            };
        }
    }
    return true;
}

/* Makes names lead to their rows. */
static bool names_list(gather *g) {
    stoa__meta_list *list = g->list;
    for (uint32_t i = 0; i < list->count; i++) {
        const stoa__meta_row *row = &list->rows[i];
        if (row->name == NULL) {
            continue;
        }
        if (!stoa__map_reserve(&list->names, g->heap)) {
            return false;
        }
        stoa__map_insert(&list->names, stoa__meta_name_hash(row->kind, row->name), i);
    }
    return true;
}

uint64_t stoa__meta_name_hash(stoa_meta_kind kind, const char *name) {
    return stoa__hash_mix(stoa__hash_text(name) + (uint64_t)kind);
}

stoa_status stoa__meta_gather(stoa__meta *meta, stoa__meta_list *list) {
    static bool (*const gathers[STOA_META_KINDS])(gather *) = {
        components_gather, members_gather, archetypes_gather, queries_gather, resources_gather,
        stages_gather,     systems_gather, has_gather,        terms_gather,   uses_gather};
    gather g = {.heap = &meta->heap,
                .self = meta->self,
                .world = meta->world,
                .app = meta->app,
                .app_new = meta->app_new,
                .before = &meta->list,
                .list = list};
    for (uint32_t i = 0; i < meta->list.count; i++) {
        meta->list.rows[i].kept = false;
    }
    for (uint32_t kind = 0; kind < STOA_META_KINDS; kind++) {
        list->first[kind] = list->count;
        if (!gathers[kind](&g)) {
            return stoa__error_memory("what a meta world shows");
        }
        list->first[kind + 1] = list->count;
    }
    return names_list(&g) ? STOA_OK : stoa__error_memory("the names of a meta world");
}
