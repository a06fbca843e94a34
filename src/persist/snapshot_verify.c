/* Checking a snapshot without a world: all that its format asks for, whatever program loads it.
 *
 * Takes memory of the default allocator for the schema and a few bits for each slot. O(size). Any
 * thread. */
#include "base/bitset.h"
#include "base/error.h"
#include "base/hash.h"
#include "base/map.h"
#include "persist/snapshot_app.h"
#include "persist/snapshot_parse.h"

#include <string.h>

typedef struct verifier {
    stoa__heap heap;
    stoa__snapshot_header header;
    stoa__order order;
    stoa__schema schema;
    stoa__slots_view slots;
    stoa__rows_view rows;       /* of the last section that had some */
    stoa__bitset placed;        /* slots whose entity has a row */
    stoa__bitset seen;          /* slots met in one list */
    stoa__map sets;             /* of components, as places in `archetypes` */
    const uint8_t **archetypes; /* the bodies of those so far */
    uint32_t archetype_count;
    uint32_t archetype_capacity;
    int32_t sparse_last;
    stoa_snapshot_info info;
} verifier;

static stoa_status slots_verify(verifier *v, const stoa__section *section) {
    stoa_status status = stoa__slots_parse(&v->slots, section, &v->header);
    if (status != STOA_OK) {
        return status;
    }
    uint32_t last = v->slots.count > 0 ? v->slots.count - 1 : 0;
    if (!stoa__bitset_reserve(&v->placed, &v->heap, last) ||
        !stoa__bitset_reserve(&v->seen, &v->heap, last)) {
        return stoa__error_memory("a snapshot");
    }
    uint32_t live = 0;
    uint32_t dead = 0;
    for (uint32_t i = 1; i < v->slots.count; i++) {
        uint32_t generation = stoa__read_u32(v->slots.generations + (size_t)i * 4);
        live += generation - 1 < STOA_SLOT_DEAD - 1;
        dead += generation > STOA_SLOT_DEAD;
    }
    if (v->slots.count == 0 || live != v->header.entity_count || dead != v->slots.free_count) {
        return stoa__error(STOA_CORRUPT,
                           "%u entities live and %u slots are free, which is not what it says",
                           live, dead);
    }
    for (uint32_t i = 0; i < v->slots.free_count; i++) {
        uint32_t index = stoa__read_u32(v->slots.free + (size_t)i * 4);
        if (index == 0 || index >= v->slots.count || stoa__bitset_test(&v->seen, index) ||
            (stoa__read_u32(v->slots.generations + (size_t)index * 4) & STOA_SLOT_DEAD) == 0) {
            return stoa__error(STOA_CORRUPT, "slot %u cannot be in the free list", index);
        }
        stoa__bitset_set(&v->seen, index);
    }
    return STOA_OK;
}

/* Every entity lives, and is not yet in the set. */
static stoa_status entities_verify(const verifier *v, const stoa__section *section,
                                   stoa__bitset *set) {
    for (uint32_t i = 0; i < v->rows.row_count; i++) {
        const uint8_t *entity = v->rows.entities + (size_t)i * 8;
        uint32_t index = stoa__read_u32(entity);
        uint32_t generation = stoa__read_u32(entity + 4);
        if (index >= v->slots.count ||
            stoa__read_u32(v->slots.generations + (size_t)index * 4) != generation ||
            stoa__bitset_test(set, index)) {
            return stoa__error(STOA_CORRUPT, "section '%s': entity %u.%u is dead or there twice",
                               section->name, index, generation);
        }
        stoa__bitset_set(set, index);
    }
    return STOA_OK;
}

static stoa_status set_verify(verifier *v, const stoa__section *section) {
    size_t size = (size_t)v->rows.type_count * 4;
    uint64_t hash = stoa__hash_bytes(v->rows.types, size);
    uint32_t cursor = 0;
    for (uint32_t i = stoa__map_next(&v->sets, hash, &cursor); i != STOA__MAP_NONE;
         i = stoa__map_next(&v->sets, hash, &cursor)) {
        if (stoa__read_u32(v->archetypes[i]) == v->rows.type_count &&
            memcmp(v->archetypes[i] + 8, v->rows.types, size) == 0) {
            return stoa__error(STOA_CORRUPT, "a set of components has two archetypes");
        }
    }
    if (!stoa__map_reserve(&v->sets, &v->heap) ||
        !stoa__heap_grow(&v->heap, &v->archetypes, &v->archetype_capacity, v->archetype_count + 1,
                         sizeof *v->archetypes)) {
        return stoa__error_memory("a snapshot");
    }
    v->archetypes[v->archetype_count] = section->body;
    stoa__map_insert(&v->sets, hash, v->archetype_count++);
    return STOA_OK;
}

static stoa_status archetype_verify(verifier *v, const stoa__section *section) {
    stoa_status status = stoa__archetype_parse(&v->rows, section, &v->schema);
    status = status == STOA_OK ? set_verify(v, section) : status;
    return status == STOA_OK ? entities_verify(v, section, &v->placed) : status;
}

static stoa_status sparse_verify(verifier *v, const stoa__section *section) {
    stoa_status status = stoa__sparse_parse(&v->rows, section, &v->schema);
    if (status == STOA_OK && stoa__rows_type(&v->rows, 0) <= v->sparse_last) {
        return stoa__error(STOA_CORRUPT, "the sparse components are not in order");
    }
    if (status == STOA_OK) {
        v->sparse_last = stoa__rows_type(&v->rows, 0);
        v->info.sparse_count++;
        memset(v->seen.words, 0, v->seen.word_count * sizeof *v->seen.words);
        status = entities_verify(v, section, &v->seen);
    }
    return status;
}

static stoa_status resources_verify(verifier *v, const stoa__section *section) {
    uint32_t count = 0;
    stoa_status status = stoa__resources_parse(section, &v->schema, &count);
    v->info.resource_count = (int32_t)count;
    return status;
}

static stoa_status log_verify(const verifier *v, const stoa__section *section) {
    stoa__log_view view;
    return stoa__log_parse(&view, section, v->info.tick);
}

static stoa_status app_verify(verifier *v, const stoa__section *section) {
    stoa__app_view view;
    stoa_status status = stoa__app_parse(&view, section, v->header.slot_count);
    v->info.app = true;
    v->info.frame = view.state.frame;
    return status;
}

static stoa_status section_verify(verifier *v, const stoa__section *section) {
    stoa_status status = stoa__order_next(&v->order, section);
    if (status != STOA_OK) {
        return status;
    }
    stoa_allocator plain = stoa_allocator_default();
    switch (section->kind) {
    case STOA__SECTION_SCHEMA:
        return stoa__schema_decode(&v->schema, section->body, (size_t)section->body_size, &plain);
    case STOA__SECTION_SLOTS:
        return slots_verify(v, section);
    case STOA__SECTION_TICK:
        v->info.ticks = true;
        return stoa__tick_parse(section, &v->info.tick);
    case STOA__SECTION_ARCHETYPE:
        return archetype_verify(v, section);
    case STOA__SECTION_SPARSE:
        return sparse_verify(v, section);
    case STOA__SECTION_TICKS:
        return stoa__ticks_parse(section, &v->rows);
    case STOA__SECTION_RESOURCES:
        return resources_verify(v, section);
    case STOA__SECTION_RESOURCE_TICKS:
        return stoa__resource_ticks_parse(section, (uint32_t)v->info.resource_count);
    case STOA__SECTION_LOG:
        return log_verify(v, section);
    case STOA__SECTION_EVENTS:
        return stoa__events_parse(section, &v->schema, &(uint32_t){0});
    case STOA__SECTION_APP:
        return app_verify(v, section);
    case STOA__SECTION_OF_EXTENSION:
        v->info.extension_count++;
        return STOA_OK;
    default:
        return STOA_OK;
    }
}

static stoa_status bytes_verify(verifier *v, const uint8_t *bytes, size_t size) {
    if (size < STOA__SNAPSHOT_HEADER) {
        return stoa__error(STOA_CORRUPT, "this is no snapshot: it has %zu bytes", size);
    }
    stoa_status status = stoa__snapshot_header_read(&v->header, bytes, true);
    if (status == STOA_OK && v->header.size != size) {
        status = stoa__error(STOA_CORRUPT, "the snapshot has %zu bytes, and should have %llu", size,
                             (unsigned long long)v->header.size);
    }
    for (uint64_t at = STOA__SNAPSHOT_HEADER; at < size && status == STOA_OK;) {
        stoa__section section;
        uint64_t whole = 0;
        status = stoa__section_head_read(&section, bytes + at, size - at, &whole);
        if (status == STOA_OK) {
            status = stoa__section_read(&section, bytes + at);
            status =
                stoa__section_sound(bytes + at, whole) ? status : stoa__section_damaged(&section);
        }
        if (status == STOA_OK) {
            status = section_verify(v, &section);
        }
        at += whole;
    }
    return status == STOA_OK ? stoa__order_end(&v->order, &v->header) : status;
}

stoa_status stoa_snapshot_verify(const void *bytes, size_t size, stoa_snapshot_info *info) {
    if (bytes == NULL && size > 0) {
        return stoa__error(STOA_NULL_ARGUMENT, "the snapshot is needed and null was given");
    }
    verifier v = {.sparse_last = -1};
    stoa_allocator plain = stoa_allocator_default();
    stoa__heap_init(&v.heap, &plain);
    stoa_status status = bytes_verify(&v, bytes, size);
    if (status == STOA_OK && info != NULL) {
        v.info.version = v.header.version;
        v.info.size = size;
        v.info.section_count = (int32_t)v.header.section_count;
        v.info.component_count = v.schema.type_count;
        v.info.archetype_count = (int32_t)v.header.archetype_count;
        v.info.entity_count = (int32_t)v.header.entity_count;
        v.info.slot_count = v.header.slot_count;
        *info = v.info;
    }
    stoa__bitset_fini(&v.placed, &v.heap);
    stoa__bitset_fini(&v.seen, &v.heap);
    stoa__map_fini(&v.sets, &v.heap);
    stoa__heap_grow_free(&v.heap, v.archetypes, v.archetype_capacity, sizeof *v.archetypes);
    stoa__schema_fini(&v.schema);
    return status;
}
