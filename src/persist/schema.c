/* Schemas of a world's components.
 *
 * What is needed is listed, with what is found inside of it. A type inside of another is registered
 * before it, so one pass in the order of ids tells how deep each nests. All tables are one block,
 * sized before it is made. O(n log n) for n types that are needed, and their members, whatever else
 * the world has. One thread at a time. */
#include "persist/schema.h"

#include "base/error.h"
#include "base/hash.h"
#include "base/map.h"
#include "persist/schema_build.h"
#include "persist/schema_name.h"
#include "stoa/world.h"

#include <string.h>

/* What is found out about a component before the tables are made. */
typedef struct draft {
    stoa_component_info info;
    stoa_component id;
    stoa_component owner; /* the component asked for that led here */
    stoa__way way;
    bool component;
    uint8_t nest;
    uint32_t flat; /* members, those of structs inside counted for each */
    int32_t index; /* in the schema */
} draft;

typedef struct builder {
    const stoa_world *world;
    stoa__schema *schema;
    draft *drafts; /* those needed, in the order they were found */
    uint32_t count;
    uint32_t capacity;
    stoa__map by_id;     /* places in `drafts` */
    const draft **order; /* the same by id, then as they come in the schema */
    size_t field_count;
    bool by_members; /* functions are passed over */
} builder;

/* The draft of a component, or NULL. */
static draft *draft_find(const builder *b, stoa_component id) {
    uint32_t cursor = 0, at;
    if (b->drafts == NULL) {
        return NULL;
    }
    while ((at = stoa__map_next(&b->by_id, stoa__hash_mix(id), &cursor)) != STOA__MAP_NONE) {
        if (b->drafts[at].id == id) {
            return &b->drafts[at];
        }
    }
    return NULL;
}

/* Lists a component that is not listed yet; drafts may move. False on lack of memory. */
static bool draft_need(builder *b, stoa_component id, stoa_component owner) {
    if (draft_find(b, id) != NULL) {
        return true;
    }
    if (!stoa__heap_grow(&b->schema->heap, &b->drafts, &b->capacity, b->count + 1,
                         sizeof *b->drafts) ||
        !stoa__map_reserve(&b->by_id, &b->schema->heap)) {
        return false;
    }
    stoa__map_insert(&b->by_id, stoa__hash_mix(id), b->count);
    b->drafts[b->count++] = (draft){.id = id, .owner = owner};
    return true;
}

static stoa_status draft_refuse(const builder *b, const draft *d, const char *why) {
    if (d->owner == d->id) {
        return stoa__error(STOA_REFUSED, "component '%s' cannot be saved: %s", d->info.name, why);
    }
    return stoa__error(STOA_REFUSED, "component '%s' cannot be saved: '%s' inside of it: %s",
                       stoa_component_name(b->world, d->owner), d->info.name, why);
}

/* The offset of the first member from `at` on, or the size of the type. */
static uint32_t offset_next(const stoa_component_info *info, uint32_t at) {
    uint32_t next = info->size;
    for (int32_t i = 0; i < info->member_count; i++) {
        uint32_t offset = info->members[i].offset;
        next = offset >= at && offset < next ? offset : next;
    }
    return next;
}

static bool members_sorted(const stoa_component_info *info) {
    for (int32_t i = 1; i < info->member_count; i++) {
        if (info->members[i].offset < info->members[i - 1].offset) {
            return false;
        }
    }
    return true;
}

/* True if members leave out more than padding: a gap as wide as the alignment holds something. */
static bool members_lacking(const stoa_component_info *info) {
    bool sorted = members_sorted(info);
    if (offset_next(info, 0) >= info->alignment) {
        return true;
    }
    for (int32_t i = 0; i < info->member_count; i++) {
        const stoa_member *m = &info->members[i];
        uint32_t end = m->offset + m->size * m->count;
        uint32_t next = sorted && i + 1 < info->member_count ? m[1].offset : offset_next(info, end);
        if (next - end >= info->alignment) {
            return true;
        }
    }
    return false;
}

/* How values are saved if not by functions; what is inside is looked at on its own. */
static stoa_status draft_plain_way(const builder *b, draft *d) {
    int32_t values = 0;
    bool raw = (d->info.flags & STOA_RAW) != 0;
    stoa_component_enum(b->world, d->info.id, &values);
    if (!d->info.plain) {
        return draft_refuse(b, d,
                            "it has hooks, strings or pointers and needs functions to save and "
                            "load it (stoa_persist)");
    }
    if (d->info.size == 0) {
        d->way = STOA__WAY_TAG;
    } else if (values > 0) {
        d->way = STOA__WAY_ENUM;
    } else if (d->info.member_count > 0 && !members_lacking(&d->info)) {
        d->way = STOA__WAY_MEMBERS;
    } else if (raw) {
        d->way = STOA__WAY_BYTES;
    } else {
        return draft_refuse(b, d,
                            d->info.member_count == 0
                                ? "its members are not described; describe them, or mark it with "
                                  "STOA_RAW, or give it functions (stoa_persist)"
                                : "not all of its bytes are described; describe them, or mark it "
                                  "with STOA_RAW, or give it functions (stoa_persist)");
    }
    return STOA_OK;
}

static stoa_status draft_way(const builder *b, draft *d) {
    const stoa_persist *persist = d->info.persist;
    bool functions = persist != NULL && (persist->save != NULL || persist->load != NULL);
    if (functions && (persist->save == NULL || persist->load == NULL)) {
        return draft_refuse(b, d, "one of the two functions to save and load it is missing");
    }
    if (!stoa__schema_name_valid(d->info.name, strlen(d->info.name))) {
        return draft_refuse(b, d, "its name is no UTF-8");
    }
    if (functions && d->component && !b->by_members && d->info.size > 0) {
        d->way = STOA__WAY_FUNCTIONS;
        return STOA_OK;
    }
    return draft_plain_way(b, d);
}

/* Lists the structs and enums that a type has as members; drafts may move. */
static bool draft_spread(builder *b, draft d) {
    for (int32_t i = 0; d.way == STOA__WAY_MEMBERS && i < d.info.member_count; i++) {
        stoa_component type = d.info.members[i].type;
        if (type != 0 && !draft_need(b, type, d.owner)) {
            return false;
        }
    }
    return true;
}

/* How each is saved, and what it leads to. */
static stoa_status drafts_find(builder *b) {
    for (uint32_t i = 0; i < b->count; i++) {
        draft *d = &b->drafts[i];
        stoa_component_info_get(b->world, d->id, &d->info);
        stoa_status status = draft_way(b, d);
        if (status != STOA_OK) {
            return status;
        }
        if (!draft_spread(b, *d)) {
            return stoa__error_memory("a schema");
        }
    }
    return STOA_OK;
}

static bool draft_earlier(const void *a, const void *b) {
    return ((const draft *)a)->id < ((const draft *)b)->id;
}

/* How deep a type nests and how many members it comes to, after those inside of it. */
static stoa_status draft_measure(builder *b, draft *d) {
    d->flat = 1;
    for (int32_t i = 0; d->way == STOA__WAY_MEMBERS && i < d->info.member_count; i++) {
        const stoa_member *m = &d->info.members[i];
        const draft *inside = m->type != 0 ? draft_find(b, m->type) : NULL;
        uint8_t nest = inside != NULL ? (uint8_t)(inside->nest + 1) : 0;
        d->nest = nest > d->nest ? nest : d->nest;
        d->flat += m->kind == STOA_KIND_STRUCT && inside != NULL ? inside->flat : 1;
        if (d->flat > STOA__SCHEMA_FLAT_MAX) {
            return stoa__error(STOA_LIMIT,
                               "component '%s' cannot be saved: with those of its structs it "
                               "has more than %d members",
                               d->info.name, STOA__SCHEMA_FLAT_MAX);
        }
    }
    b->field_count +=
        d->way == STOA__WAY_MEMBERS ? (size_t)d->info.member_count : d->way == STOA__WAY_ENUM;
    return STOA_OK;
}

/* Measures all in the order of ids. */
static stoa_status drafts_measure(builder *b) {
    stoa_status status = STOA_OK;
    for (uint32_t i = 0; i < b->count; i++) {
        b->order[i] = &b->drafts[i];
    }
    stoa__schema_sort((const void **)b->order, (int32_t)b->count, draft_earlier);
    for (uint32_t i = 0; i < b->count && status == STOA_OK; i++) {
        status = draft_measure(b, &b->drafts[b->order[i] - b->drafts]);
    }
    return status;
}

static bool draft_before(const void *a, const void *b) {
    const draft *x = a, *y = b;
    return x->nest != y->nest ? x->nest < y->nest : strcmp(x->info.name, y->info.name) < 0;
}

static bool type_before(const void *a, const void *b) {
    const stoa__schema_type *x = a, *y = b;
    return strcmp(x->name, y->name) < 0;
}

void stoa__schema_by_name(stoa__schema *schema, const void **sorted) {
    for (int32_t i = 0; i < schema->type_count; i++) {
        sorted[i] = &schema->types[i];
    }
    stoa__schema_sort(sorted, schema->type_count, type_before);
    for (int32_t i = 0; i < schema->type_count; i++) {
        schema->by_name[i] = (int32_t)((const stoa__schema_type *)sorted[i] - schema->types);
    }
}

/* Puts them in order and gives them their places. */
static void drafts_order(builder *b) {
    stoa__schema_sort((const void **)b->order, (int32_t)b->count, draft_before);
    for (uint32_t i = 0; i < b->count; i++) {
        b->drafts[b->order[i] - b->drafts].index = (int32_t)i;
    }
}

static stoa__schema_field field_of(const builder *b, const stoa_member *m) {
    return (stoa__schema_field){
        .name = m->name,
        .kind = m->kind,
        .array = m->array,
        .count = m->count,
        .offset = m->offset,
        .size = m->size,
        .type = m->type != 0 ? draft_find(b, m->type)->index : -1,
    };
}

static void tables_fill(builder *b) {
    stoa__schema *schema = b->schema;
    stoa__schema_field *fields = (stoa__schema_field *)(void *)(schema->types + b->count);
    for (int32_t i = 0; i < (int32_t)b->count; i++) {
        const draft *d = b->order[i];
        stoa__schema_type *type = &schema->types[i];
        *type = (stoa__schema_type){
            .name = d->info.name,
            .way = d->way,
            .component = d->component,
            .nest = d->nest,
            .flat = d->flat,
            .flags = d->info.flags & STOA__SCHEMA_FLAGS,
            .size = d->info.size,
            .alignment = d->info.alignment,
            .fields = fields,
            .id = d->info.id,
        };
        if (d->way == STOA__WAY_ENUM) {
            type->values = stoa_component_enum(b->world, d->info.id, &type->value_count);
            *fields++ = stoa__schema_enum_field(type->size, i);
            type->field_count = 1;
        }
        for (int32_t k = 0; d->way == STOA__WAY_MEMBERS && k < d->info.member_count; k++) {
            *fields++ = field_of(b, &d->info.members[k]);
            type->field_count++;
        }
        type->packed_size = (uint32_t)stoa__schema_pack_fields(schema, i);
    }
    schema->type_count = (int32_t)b->count;
    schema->by_name = (int32_t *)(void *)fields;
    stoa__schema_by_name(schema, (const void **)b->order);
}

stoa__schema_field stoa__schema_enum_field(uint32_t size, int32_t type) {
    return (stoa__schema_field){
        .name = "value", .kind = STOA_KIND_ENUM, .count = 1, .size = size, .type = type};
}

uint64_t stoa__schema_pack_fields(stoa__schema *schema, int32_t index) {
    const stoa__schema_type *type = &schema->types[index];
    stoa__schema_field *fields = (stoa__schema_field *)(uintptr_t)type->fields;
    uint64_t end = 0;
    if (type->field_count == 0) {
        return type->way == STOA__WAY_BYTES ? type->size : 0;
    }
    for (int32_t i = 0; i < type->field_count; i++) {
        stoa__schema_field *field = &fields[i];
        bool is_struct = field->kind == STOA_KIND_STRUCT;
        field->packed_offset = (uint32_t)end;
        field->packed_size = is_struct ? schema->types[field->type].packed_size : field->size;
        end += (uint64_t)field->packed_size * field->count;
        if (end > STOA_SIZE_MAX) {
            break;
        }
    }
    return end;
}

static stoa_status tables_make(builder *b) {
    size_t size = (size_t)b->count * sizeof(stoa__schema_type) +
                  b->field_count * sizeof(stoa__schema_field) + (size_t)b->count * sizeof(int32_t);
    b->schema->types = stoa__heap_alloc(&b->schema->heap, size, _Alignof(stoa__schema_type));
    if (b->schema->types == NULL) {
        return stoa__error_memory("a schema");
    }
    b->schema->block_size = size;
    drafts_order(b);
    tables_fill(b);
    return STOA_OK;
}

/* Lists the components that are asked for, the last first. */
static stoa_status drafts_begin(builder *b, const stoa_component *ids, int32_t count) {
    for (int32_t i = count; i-- > 0;) {
        if (ids[i] == 0 || ids[i] > (stoa_component)stoa_component_count(b->world)) {
            return stoa__error(STOA_UNKNOWN, "there is no component %u", (unsigned)ids[i]);
        }
        if (!draft_need(b, ids[i], ids[i])) {
            return stoa__error_memory("a schema");
        }
        draft_find(b, ids[i])->component = true;
    }
    return drafts_find(b);
}

static stoa_status schema_build(builder *b, const stoa_component *ids, int32_t count) {
    stoa_status status = drafts_begin(b, ids, count);
    if (status != STOA_OK || b->count == 0) {
        return status;
    }
    b->order =
        stoa__heap_alloc(&b->schema->heap, b->count * sizeof *b->order, _Alignof(const draft *));
    if (b->order == NULL) {
        return stoa__error_memory("a schema");
    }
    status = drafts_measure(b);
    return status == STOA_OK ? tables_make(b) : status;
}

stoa_status stoa__schema_make_by(stoa__schema *schema, const stoa_world *world,
                                 const stoa_component *ids, int32_t count, bool by_members) {
    *schema = (stoa__schema){0};
    if (world == NULL || (ids == NULL && count > 0)) {
        return stoa__error(STOA_NULL_ARGUMENT, "a schema needs a world and components");
    }
    stoa__heap_init(&schema->heap, stoa_world_allocator(world));
    builder b = {.world = world, .schema = schema, .by_members = by_members};
    stoa_status status = schema_build(&b, ids, count);
    stoa__map_fini(&b.by_id, &schema->heap);
    stoa__heap_free(&schema->heap, b.order, b.count * sizeof *b.order, _Alignof(const draft *));
    stoa__heap_grow_free(&schema->heap, b.drafts, b.capacity, sizeof *b.drafts);
    return status;
}

stoa_status stoa__schema_make(stoa__schema *schema, const stoa_world *world,
                              const stoa_component *ids, int32_t count) {
    return stoa__schema_make_by(schema, world, ids, count, false);
}

void stoa__schema_fini(stoa__schema *schema) {
    if (schema != NULL) {
        stoa__heap_free(&schema->heap, schema->types, schema->block_size,
                        _Alignof(stoa__schema_type));
        schema->types = NULL;
        schema->by_name = NULL;
        schema->block_size = 0;
        schema->type_count = 0;
    }
}

stoa_status stoa__schema_way(const stoa_world *world, stoa_component id, stoa__way *way) {
    stoa__schema schema;
    stoa_status status = stoa__schema_make(&schema, world, &id, 1);
    int32_t type = status == STOA_OK ? stoa__schema_find_id(&schema, id) : -1;
    if (schema.types != NULL && type >= 0) {
        *way = schema.types[type].way;
    }
    stoa__schema_fini(&schema);
    return status;
}

int32_t stoa__schema_find(const stoa__schema *schema, const char *name) {
    int32_t low = 0, high = schema->type_count;
    while (low < high) {
        int32_t middle = low + (high - low) / 2;
        int order = strcmp(schema->types[schema->by_name[middle]].name, name);
        if (order == 0) {
            return schema->by_name[middle];
        }
        if (order < 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return -1;
}

int32_t stoa__schema_find_id(const stoa__schema *schema, stoa_component id) {
    for (int32_t i = 0; i < schema->type_count; i++) {
        if (schema->types[i].id == id) {
            return i;
        }
    }
    return -1;
}
