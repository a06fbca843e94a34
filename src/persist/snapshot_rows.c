/* Building the entities of a snapshot: slots, columns, sparse components, ticks.
 *
 * Values go to where they will stay, chunk by chunk. Numbers are used where they stand if they are
 * aligned, as they are in a snapshot in memory on most machines. O(content). One thread at a time.
 */
#include "base/error.h"
#include "persist/snapshot_load.h"

#include <string.h>

bool stoa__loader_numbers_copy(stoa__loader *loader, const uint8_t *bytes, size_t count,
                               size_t at) {
    if (at + count >= UINT32_MAX ||
        !stoa__heap_grow(&loader->heap, &loader->numbers, &loader->number_capacity,
                         (uint32_t)(at + count) + 1, sizeof *loader->numbers)) {
        stoa__error_memory("a snapshot");
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        loader->numbers[at + i] = stoa__read_u32(bytes + i * 4);
    }
    return true;
}

const uint32_t *stoa__loader_numbers(stoa__loader *loader, const uint8_t *bytes, size_t count) {
    if (STOA__LITTLE && (uintptr_t)bytes % _Alignof(uint32_t) == 0) {
        return (const uint32_t *)(const void *)bytes;
    }
    return stoa__loader_numbers_copy(loader, bytes, count, 0) ? loader->numbers : NULL;
}

void stoa__loader_copy(stoa__loader *loader, void *to, const uint8_t *from, size_t size) {
    if (loader->summed == NULL) {
        memcpy(to, from, size);
        return;
    }
    stoa__loader_sum(loader, from);
    stoa__hasher_copy(&loader->checksum, to, from, size, loader->header.size >= STOA__SNAPSHOT_FAR);
    loader->summed = from + size;
}

/* For handles, which are read where they stand, or were copied to where they are aligned. */
static void handles_copy(void *to, const void *from, size_t size, void *user) {
    stoa__loader *loader = user;
    uintptr_t room = (uintptr_t)loader->numbers;
    if ((uintptr_t)from - room < loader->number_capacity * sizeof *loader->numbers) {
        memcpy(to, from, size);
    } else {
        stoa__loader_copy(loader, to, from, size);
    }
}

stoa_status stoa__loader_slots(stoa__loader *loader, const stoa__section *section) {
    stoa__slots_view view;
    stoa_status status = stoa__slots_parse(&view, section, &loader->header);
    if (status != STOA_OK) {
        return status;
    }
    /* Both stand one after the other. */
    size_t count = (size_t)view.count + view.free_count;
    const uint32_t *numbers = stoa__loader_numbers(loader, view.generations, count);
    if (numbers == NULL) {
        return STOA_NO_MEMORY;
    }
    const stoa_slots slots = {numbers, view.count, numbers + view.count, view.free_count};
    loader->rebuild = stoa_rebuild_new(loader->world, &slots);
    if (loader->rebuild == NULL) {
        return stoa__loader_told(loader, stoa_last_error().status);
    }
    return stoa_rebuild_copier(loader->rebuild, handles_copy, loader);
}

stoa_status stoa__loader_surplus(const stoa__loader *loader, int32_t type) {
    return stoa__error(STOA_CORRUPT, "component '%.200s' has more bytes than its functions read",
                       loader->schema.types[type].name);
}

/* Fills in the values of rows from `first` on. */
static stoa_status column_fill(stoa__loader *loader, int32_t type, stoa_span *span, int32_t first,
                               int32_t count) {
    stoa_component id = loader->ids[type];
    stoa_status status = STOA_OK;
    for (int32_t done = 0; done < count && status == STOA_OK;) {
        int32_t part = 0;
        void *to = stoa_rebuild_column(loader->rebuild, id, first + done, &part);
        if (to == NULL) {
            return stoa__loader_told(loader, stoa_last_error().status);
        }
        part = part < count - done ? part : count - done;
        int32_t made = 0;
        status = stoa__loader_values(loader, type, span, to, part, &made);
        done += made;
        stoa_rebuild_made(loader->rebuild, id, first + done);
    }
    return status == STOA_OK && span->at != span->end ? stoa__loader_surplus(loader, type) : status;
}

/* Fills in all columns of rows that stand from `first` on. */
stoa_status stoa__loader_fill(stoa__loader *loader, const stoa__rows_view *view, int32_t first) {
    stoa__cursor columns = view->columns;
    stoa_status status = STOA_OK;
    for (uint32_t i = 0; i < view->type_count && status == STOA_OK; i++) {
        int32_t type = stoa__rows_type(view, i);
        uint64_t size = 0;
        const uint8_t *bytes =
            stoa__column_take(&columns, &loader->schema.types[type], view->row_count, &size);
        if (stoa__loader_stays(loader, type) != 0 && loader->plans[type]->to_size != 0) {
            stoa_span span = {bytes, bytes + size};
            status = column_fill(loader, type, &span, first, (int32_t)view->row_count);
        }
    }
    return status;
}

/* Room for a byte of each row, zeroed; NULL with the thread's error set. */
uint8_t *stoa__loader_bytes(stoa__loader *loader, uint32_t count) {
    if (!stoa__heap_grow(&loader->heap, &loader->bytes, &loader->byte_capacity, count + 1, 1)) {
        stoa__error_memory("a snapshot");
        return NULL;
    }
    memset(loader->bytes, 0, count);
    return loader->bytes;
}

void stoa__bits_spread(uint8_t *bytes, const uint8_t *bits, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        bytes[i] = bits[i / 8] >> (i % 8) & 1;
    }
}

stoa_status stoa__loader_switch(stoa__loader *loader, int32_t type, const uint8_t *off,
                                uint32_t count) {
    stoa_component_info info;
    stoa_status status = stoa_component_info_get(loader->world, loader->ids[type], &info);
    if (status != STOA_OK) {
        return stoa__loader_told(loader, status);
    }
    if ((info.flags & STOA_SWITCHABLE) == 0) {
        for (uint32_t i = 0; i < count; i++) {
            loader->switched[type] += off[i];
        }
        return STOA_OK;
    }
    return stoa__loader_told(loader, stoa_rebuild_switches(loader->rebuild, info.id, off));
}

/* Sets the ticks of rows from `first` on, of the components in `open_ids`. */
stoa_status stoa__loader_ticks_set(stoa__loader *loader, const stoa__section *section,
                                   uint32_t type_count, int32_t first) {
    stoa__cursor cursor = {.at = section->body, .end = section->body + section->body_size};
    for (uint32_t i = 0; i < type_count; i++) {
        uint32_t count = stoa__cursor_u32(&cursor);
        int32_t row = first;
        for (; count > 0; count--) {
            int32_t rows = (int32_t)stoa__cursor_u32(&cursor);
            uint32_t changed = stoa__cursor_u32(&cursor);
            uint32_t added = stoa__cursor_u32(&cursor);
            stoa_component id = loader->open_ids[i];
            if (id != 0 &&
                stoa_rebuild_ticks(loader->rebuild, id, row, rows, changed, added) != STOA_OK) {
                return stoa__loader_told(loader, stoa_last_error().status);
            }
            row += rows;
        }
    }
    return STOA_OK;
}

/* Notes which components rows have, by place; returns how many are not left out. */
uint32_t stoa__loader_open(stoa__loader *loader, const stoa__rows_view *view) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < view->type_count; i++) {
        loader->open_ids[i] = stoa__loader_stays(loader, stoa__rows_type(view, i));
        count += loader->open_ids[i] != 0;
    }
    return count;
}

stoa_status stoa__loader_sparse(stoa__loader *loader, const stoa__section *section) {
    stoa__rows_view *view = &loader->open;
    stoa_status status = stoa__sparse_parse(view, section, &loader->schema);
    if (status != STOA_OK) {
        return status;
    }
    int32_t type = stoa__rows_type(view, 0);
    if (type <= loader->sparse_last) {
        return stoa__error(STOA_CORRUPT, "the sparse components are not in order");
    }
    loader->sparse_last = type;
    if (loader->ids[type] != 0 && loader->moved[type] == STOA__TO_COLUMN) {
        return stoa__loader_thick_add(loader, view);
    }
    if (stoa__loader_open(loader, view) == 0) {
        return STOA_OK;
    }
    stoa_component id = loader->ids[type];
    int32_t count = (int32_t)view->row_count;
    const uint32_t *entities = stoa__loader_numbers(loader, view->entities, (size_t)count * 2);
    if (entities == NULL) {
        return STOA_NO_MEMORY;
    }
    void *values = stoa_rebuild_sparse(loader->rebuild, id,
                                       (const stoa_entity *)(const void *)entities, count);
    if (values == NULL) {
        return stoa__loader_told(loader, stoa_last_error().status);
    }
    stoa__cursor columns = view->columns;
    uint64_t size = 0;
    const uint8_t *bytes =
        stoa__column_take(&columns, &loader->schema.types[type], view->row_count, &size);
    if (loader->plans[type]->to_size != 0) {
        stoa_span span = {bytes, bytes + size};
        int32_t made = 0;
        status = stoa__loader_values(loader, type, &span, values, count, &made);
        stoa_rebuild_made(loader->rebuild, id, made);
        if (status == STOA_OK && span.at != span.end) {
            status = stoa__loader_surplus(loader, type);
        }
    }
    if (status == STOA_OK && view->switch_count > 0) {
        uint8_t *off = stoa__loader_bytes(loader, view->row_count);
        if (off == NULL) {
            return STOA_NO_MEMORY;
        }
        stoa__bits_spread(off, view->switches.at, view->row_count);
        status = stoa__loader_switch(loader, type, off, view->row_count);
    }
    return status;
}

stoa_status stoa__loader_ticks(stoa__loader *loader, const stoa__section *section) {
    stoa_status status = stoa__ticks_parse(section, &loader->open);
    if (status != STOA_OK) {
        return status;
    }
    if (loader->waiting_count > 0) {
        loader->waiting[loader->waiting_count - 1].ticks = *section;
        loader->keeps = true;
        return STOA_OK;
    }
    if (loader->thick_count > 0 &&
        loader->thick[loader->thick_count - 1].rows.types == loader->open.types) {
        loader->thick[loader->thick_count - 1].ticks = *section;
        loader->keeps = true;
        return STOA_OK;
    }
    return stoa__loader_ticks_set(loader, section, loader->open.type_count, 0);
}
