/* The bodies of a snapshot's sections.
 *
 * Each is put by one function, to an output that may only count. Columns whose values in memory are
 * those in the file go out as they stand, chunk by chunk; others are packed through a scratch
 * buffer. Nothing here allocates. O(content). One thread at a time. */
#include "persist/snapshot_write.h"

#include "base/error.h"
#include "stoa/change.h"
#include "stoa/fast.h"
#include "stoa/resource.h"

#include <string.h>

/* Generations that are put at once. */
#define GENERATIONS 2048u

/* Values that a function saves, one at a time: what it writes must not depend on how many there
 * are in a chunk. */
static void functions_put(stoa__output *output, const stoa_component_info *info,
                          const uint8_t *values, int32_t count) {
    stoa_sink sink = stoa__output_sink(output);
    for (int32_t i = 0; i < count && output->status == STOA_OK; i++) {
        uint32_t errors = stoa__error_count();
        stoa_status status =
            info->persist->save(&sink, values + (size_t)i * info->size, 1, info->persist->user);
        if (status != STOA_OK && output->status == STOA_OK) {
            output->status = status;
            if (stoa__error_count() == errors) {
                stoa__error(status, "component '%s' could not be saved: %s", info->name,
                            stoa_status_text(status));
            }
        }
    }
}

void stoa__saver_values(stoa__saver *saver, stoa__output *output, int32_t type, const void *values,
                        int32_t count) {
    const stoa__schema_type *t = &saver->schema.types[type];
    stoa__route *plan = &saver->plans[type];
    if (output->status != STOA_OK) {
        return;
    }
    if (t->way == STOA__WAY_FUNCTIONS) {
        stoa_component_info info;
        output->status = stoa_component_info_get(saver->world, t->id, &info);
        functions_put(output, &info, values, count);
        return;
    }
    if (plan->copy || output->begin == NULL) {
        stoa__output_put(output, values, (size_t)count * t->packed_size);
        return;
    }
    const uint8_t *from = values;
    int32_t batch = (int32_t)(saver->scratch_size / t->packed_size);
    while (count > 0 && output->status == STOA_OK) {
        int32_t part = count < batch ? count : batch;
        output->status = stoa__route_apply(plan, from, saver->scratch, part);
        stoa__output_put(output, saver->scratch, (size_t)part * t->packed_size);
        from += (size_t)part * t->size;
        count -= part;
    }
}

static void archetype_values(stoa__saver *saver, stoa__output *output,
                             const stoa_archetype_info *info, int32_t type) {
    stoa_component id = saver->schema.types[type].id;
    for (int32_t c = 0; c < info->chunk_count && output->status == STOA_OK; c++) {
        stoa_chunk_info chunk;
        const void *column = stoa_chunk_column(saver->world, info->id, c, id);
        if (column == NULL || stoa_chunk_info_get(saver->world, info->id, c, &chunk) != STOA_OK) {
            output->status = stoa_last_error().status;
            return;
        }
        stoa__saver_values(saver, output, type, column, chunk.count);
    }
}

/* A column of an archetype. What functions write is counted first. */
static void archetype_column(stoa__saver *saver, stoa__output *output,
                             const stoa_archetype_info *info, int32_t type) {
    stoa__way way = saver->schema.types[type].way;
    if (way == STOA__WAY_TAG) {
        return;
    }
    if (way == STOA__WAY_FUNCTIONS) {
        stoa__output counter = {.status = output->status};
        if (output->begin != NULL) {
            archetype_values(saver, &counter, info, type);
            output->status = counter.status;
        }
        stoa__output_u64(output, counter.size);
    }
    archetype_values(saver, output, info, type);
}

/* Puts a bit for each byte, the lowest first; `*bits` and `*filled` are what is left over between
 * calls. */
static void bits_put(stoa__output *output, const uint8_t *bytes, int32_t count, uint8_t *bits,
                     uint32_t *filled) {
    for (int32_t i = 0; i < count; i++) {
        *bits |= (uint8_t)((bytes != NULL && bytes[i] != 0) << *filled);
        if (++*filled == 8) {
            stoa__output_u8(output, *bits);
            *bits = 0;
            *filled = 0;
        }
    }
}

/* True if a component is switched off in some row. */
static bool archetype_switched(const stoa_world *world, const stoa_archetype_info *info,
                               stoa_component id) {
    for (int32_t c = 0; c < info->chunk_count; c++) {
        if (stoa_chunk_switches(world, info->id, c, id) != NULL) {
            return true;
        }
    }
    return false;
}

static void archetype_switches(const stoa__saver *saver, stoa__output *output,
                               const stoa_archetype_info *info) {
    uint32_t count = 0;
    for (int32_t i = 0; i < info->component_count; i++) {
        count += archetype_switched(saver->world, info, info->components[i]);
    }
    stoa__output_u32(output, count);
    for (int32_t i = 0; i < info->component_count && count > 0; i++) {
        stoa_component id = saver->schema.types[saver->picked[i]].id;
        if (!archetype_switched(saver->world, info, id)) {
            continue;
        }
        stoa__output_u32(output, (uint32_t)i);
        uint8_t bits = 0;
        uint32_t filled = 0;
        for (int32_t c = 0; c < info->chunk_count; c++) {
            stoa_chunk_info chunk = {0};
            stoa_chunk_info_get(saver->world, info->id, c, &chunk);
            bits_put(output, stoa_chunk_switches(saver->world, info->id, c, id), chunk.count, &bits,
                     &filled);
        }
        if (filled > 0) {
            stoa__output_u8(output, bits);
        }
    }
}

void stoa__saver_pick(stoa__saver *saver, const stoa_archetype_info *info) {
    memset(saver->has, 0, (size_t)saver->schema.type_count);
    for (int32_t i = 0; i < info->component_count; i++) {
        saver->has[saver->type_of[info->components[i]]] = 1;
    }
    uint32_t count = 0;
    for (int32_t type = 0; type < saver->schema.type_count; type++) {
        if (saver->has[type] != 0) {
            saver->picked[count++] = (uint32_t)type;
        }
    }
}

static void entities_put(stoa__output *output, const stoa_entity *entities, int32_t count) {
    /* An entity is two numbers, in the order of the file. */
    stoa__output_u32s(output, (const uint32_t *)(const void *)entities, (size_t)count * 2);
}

static void archetype_put(stoa__saver *saver, stoa__output *output,
                          const stoa_archetype_info *info) {
    stoa__saver_pick(saver, info);
    stoa__output_u32(output, (uint32_t)info->component_count);
    stoa__output_u32(output, (uint32_t)info->row_count);
    stoa__output_u32s(output, saver->picked, (size_t)info->component_count);
    for (int32_t c = 0; c < info->chunk_count; c++) {
        stoa_chunk_info chunk = {0};
        stoa_chunk_info_get(saver->world, info->id, c, &chunk);
        entities_put(output, chunk.entities, chunk.count);
    }
    for (int32_t i = 0; i < info->component_count; i++) {
        archetype_column(saver, output, info, (int32_t)saver->picked[i]);
    }
    archetype_switches(saver, output, info);
}

static void sparse_put(stoa__saver *saver, stoa__output *output, int32_t type) {
    const stoa__schema_type *t = &saver->schema.types[type];
    stoa_sparse_info info;
    output->status = stoa_sparse_info_get(saver->world, t->id, &info);
    if (output->status != STOA_OK) {
        return;
    }
    stoa__output_u32(output, (uint32_t)type);
    stoa__output_u32(output, (uint32_t)info.count);
    entities_put(output, info.entities, info.count);
    if (t->way == STOA__WAY_FUNCTIONS) {
        stoa__output counter = {0};
        stoa__saver_values(saver, &counter, type, info.values, info.count);
        output->status = counter.status;
        stoa__output_u64(output, counter.size);
    }
    if (t->way != STOA__WAY_TAG) {
        stoa__saver_values(saver, output, type, info.values, info.count);
    }
    bool off = false;
    for (int32_t i = 0; i < info.count && info.off != NULL && !off; i++) {
        off = info.off[i] != 0;
    }
    stoa__output_u8(output, off);
    if (off) {
        uint8_t bits = 0;
        uint32_t filled = 0;
        bits_put(output, info.off, info.count, &bits, &filled);
        if (filled > 0) {
            stoa__output_u8(output, bits);
        }
    }
}

static void resources_put(stoa__saver *saver, stoa__output *output, int32_t count) {
    stoa__output_u32(output, (uint32_t)count);
    for (int32_t type = 0; type < saver->schema.type_count; type++) {
        const stoa__schema_type *t = &saver->schema.types[type];
        const void *value = t->component ? stoa_resource_try_id(saver->world, t->id) : NULL;
        if (value == NULL) {
            continue;
        }
        stoa__output_u32(output, (uint32_t)type);
        if (t->way == STOA__WAY_FUNCTIONS) {
            stoa__output counter = {.status = output->status};
            stoa__saver_values(saver, &counter, type, value, 1);
            output->status = counter.status;
            stoa__output_u64(output, counter.size);
        }
        if (t->way != STOA__WAY_TAG) {
            stoa__saver_values(saver, output, type, value, 1);
        }
    }
}

static void extension_put(const stoa__saver *saver, stoa__output *output, int32_t index) {
    const stoa_extension *extension = saver->extensions[index];
    stoa_sink sink = stoa__output_sink(output);
    uint32_t errors = stoa__error_count();
    stoa_status status = extension->save(saver->world, extension->data, &sink);
    if (status != STOA_OK && output->status == STOA_OK) {
        output->status = status;
        if (stoa__error_count() == errors) {
            stoa__error(status, "extension '%s' could not be saved: %s", extension->name,
                        stoa_status_text(status));
        }
    }
}

static void slots_put(const stoa__saver *saver, stoa__output *output) {
    stoa__output_u32(output, saver->slots.count);
    stoa__output_u32(output, saver->slots.free_count);
    const stoa_record *records = ((const stoa_world_head *)(const void *)saver->world)->records;
    for (uint32_t first = 0; first < saver->slots.count; first += GENERATIONS) {
        uint32_t left = saver->slots.count - first;
        uint32_t count = left < GENERATIONS ? left : GENERATIONS;
        uint32_t generations[GENERATIONS];
        for (uint32_t i = 0; i < count && output->begin != NULL; i++) {
            generations[i] = records[first + i].generation;
        }
        stoa__output_u32s(output, generations, count);
    }
    stoa__output_u32s(output, saver->slots.free, saver->slots.free_count);
}

void stoa__saver_body(stoa__saver *saver, stoa__output *output,
                      const stoa__saved_section *section) {
    if (output->status != STOA_OK) {
        return;
    }
    stoa_sink sink = stoa__output_sink(output);
    stoa_archetype_info info;
    switch (section->kind) {
    case STOA__SECTION_SCHEMA:
        output->status = stoa__schema_encode(&saver->schema, &sink);
        break;
    case STOA__SECTION_SLOTS:
        slots_put(saver, output);
        break;
    case STOA__SECTION_TICK:
        stoa__output_u32(output, stoa_tick(saver->world));
        break;
    case STOA__SECTION_ARCHETYPE:
        output->status = stoa_archetype_info_get(saver->world, section->index, &info);
        if (output->status == STOA_OK) {
            archetype_put(saver, output, &info);
        }
        break;
    case STOA__SECTION_SPARSE:
        sparse_put(saver, output, section->index);
        break;
    case STOA__SECTION_TICKS:
        stoa__saver_ticks(saver, output, section->index);
        break;
    case STOA__SECTION_RESOURCES:
        resources_put(saver, output, section->index);
        break;
    case STOA__SECTION_RESOURCE_TICKS:
        stoa__saver_resource_ticks(saver, output);
        break;
    case STOA__SECTION_LOG:
        stoa__saver_log(saver, output);
        break;
    case STOA__SECTION_EVENTS:
        stoa__saver_events(saver, output, section->index);
        break;
    case STOA__SECTION_APP:
        stoa__saver_app(saver, output);
        break;
    default:
        extension_put(saver, output, section->index);
        break;
    }
}
