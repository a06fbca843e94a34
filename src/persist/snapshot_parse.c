/* The sections of a snapshot, as what they speak of.
 *
 * Each is checked as a whole before anything is made of it, so that what comes after can take it
 * apart without asking again. Nothing here allocates. O(components + bits), not O(values). */
#include "persist/snapshot_parse.h"

#include "base/error.h"

#include <string.h>

static stoa_status section_bad(const stoa__section *section, const char *what) {
    return stoa__error(STOA_CORRUPT, "section '%.64s': %s", section->name, what);
}

static stoa__cursor body_cursor(const stoa__section *section) {
    return (stoa__cursor){.at = section->body, .end = section->body + section->body_size};
}

/* True if the type is there and has values of its own. */
static bool type_counts(const stoa__schema *schema, uint32_t type) {
    return type < (uint32_t)schema->type_count && schema->types[type].component;
}

const uint8_t *stoa__column_take(stoa__cursor *cursor, const stoa__schema_type *type,
                                 uint32_t count, uint64_t *size) {
    *size = type->way == STOA__WAY_FUNCTIONS ? stoa__cursor_u64(cursor)
                                             : (uint64_t)count * type->packed_size;
    return stoa__cursor_take(cursor, *size);
}

const uint8_t *stoa__switch_take(stoa__rows_view *view, uint32_t *place) {
    *place = stoa__cursor_u32(&view->switches);
    return stoa__cursor_take(&view->switches, ((uint64_t)view->row_count + 7) / 8);
}

/* True if a bit of the first `count` is set, and none after them. */
static bool bits_make_sense(const uint8_t *bits, uint32_t count) {
    uint8_t any = 0;
    for (uint32_t i = 0; i < (count + 7) / 8; i++) {
        any |= bits[i];
    }
    return any != 0 && (count % 8 == 0 || bits[count / 8] >> (count % 8) == 0);
}

stoa_status stoa__slots_parse(stoa__slots_view *view, const stoa__section *section,
                              const stoa__snapshot_header *header) {
    stoa__cursor cursor = body_cursor(section);
    *view = (stoa__slots_view){.count = stoa__cursor_u32(&cursor)};
    view->free_count = stoa__cursor_u32(&cursor);
    view->generations = stoa__cursor_take(&cursor, (uint64_t)view->count * 4);
    view->free = stoa__cursor_take(&cursor, (uint64_t)view->free_count * 4);
    if (cursor.failed || stoa__cursor_left(&cursor) != 0) {
        return section_bad(section, "its size does not fit its counts");
    }
    return view->count == header->slot_count
               ? STOA_OK
               : section_bad(section, "there are other slots than the header says");
}

/* Walks the columns, and what is switched off, to the end of the section. */
static stoa_status rows_walk(stoa__rows_view *view, const stoa__section *section,
                             const stoa__schema *schema, stoa__cursor *cursor, bool sparse) {
    view->columns = *cursor;
    for (uint32_t i = 0; i < view->type_count; i++) {
        uint64_t size = 0;
        stoa__column_take(cursor, &schema->types[stoa__rows_type(view, i)], view->row_count, &size);
    }
    view->switch_count = sparse ? stoa__cursor_u8(cursor) : stoa__cursor_u32(cursor);
    view->switches = *cursor;
    if (cursor->failed) {
        return section_bad(section, "it ends before its columns do");
    }
    if (view->switch_count > view->type_count) {
        return section_bad(section, "more is switched off than there is");
    }
    stoa__rows_view walk = *view;
    for (uint32_t i = 0, next = 0; i < view->switch_count; i++) {
        uint32_t place = 0;
        const uint8_t *bits =
            sparse ? stoa__cursor_take(&walk.switches, ((uint64_t)view->row_count + 7) / 8)
                   : stoa__switch_take(&walk, &place);
        if (bits == NULL || place < next || place >= view->type_count ||
            (schema->types[stoa__rows_type(view, place)].flags & STOA_SWITCHABLE) == 0 ||
            !bits_make_sense(bits, view->row_count)) {
            return section_bad(section, "what is switched off makes no sense");
        }
        next = place + 1;
    }
    return stoa__cursor_left(&walk.switches) == 0
               ? STOA_OK
               : section_bad(section, "it goes on after its end");
}

stoa_status stoa__archetype_parse(stoa__rows_view *view, const stoa__section *section,
                                  const stoa__schema *schema) {
    stoa__cursor cursor = body_cursor(section);
    *view = (stoa__rows_view){.type_count = stoa__cursor_u32(&cursor)};
    view->row_count = stoa__cursor_u32(&cursor);
    view->types = stoa__cursor_take(&cursor, (uint64_t)view->type_count * 4);
    view->entities = stoa__cursor_take(&cursor, (uint64_t)view->row_count * 8);
    if (cursor.failed || view->type_count == 0 || view->row_count > INT32_MAX) {
        return section_bad(section, "its counts make no sense");
    }
    int32_t last = -1;
    for (uint32_t i = 0; i < view->type_count; i++) {
        int32_t type = stoa__rows_type(view, i);
        if (type <= last || !type_counts(schema, (uint32_t)type) ||
            (schema->types[type].flags & STOA_SPARSE) != 0) {
            return section_bad(section, "its components make no sense");
        }
        last = type;
    }
    return rows_walk(view, section, schema, &cursor, false);
}

stoa_status stoa__sparse_parse(stoa__rows_view *view, const stoa__section *section,
                               const stoa__schema *schema) {
    stoa__cursor cursor = body_cursor(section);
    *view = (stoa__rows_view){.type_count = 1, .types = cursor.at};
    uint32_t type = stoa__cursor_u32(&cursor);
    view->row_count = stoa__cursor_u32(&cursor);
    view->entities = stoa__cursor_take(&cursor, (uint64_t)view->row_count * 8);
    if (cursor.failed || view->row_count == 0 || view->row_count > INT32_MAX ||
        !type_counts(schema, type) || (schema->types[type].flags & STOA_SPARSE) == 0) {
        return section_bad(section, "its component or count makes no sense");
    }
    return rows_walk(view, section, schema, &cursor, true);
}

stoa_status stoa__ticks_parse(const stoa__section *section, const stoa__rows_view *rows) {
    stoa__cursor cursor = body_cursor(section);
    for (uint32_t i = 0; i < rows->type_count; i++) {
        uint32_t count = stoa__cursor_count(&cursor, 12);
        uint64_t covered = 0;
        for (uint32_t run = 0; run < count; run++) {
            const uint8_t *bytes = stoa__cursor_take(&cursor, 12);
            uint32_t length = stoa__read_u32(bytes);
            covered += length;
            if (length == 0 || (run > 0 && memcmp(bytes + 4, bytes - 8, 8) == 0)) {
                return section_bad(section, "a run makes no sense");
            }
        }
        if (covered != rows->row_count) {
            return section_bad(section, "its runs are not those of the rows");
        }
    }
    return !cursor.failed && stoa__cursor_left(&cursor) == 0
               ? STOA_OK
               : section_bad(section, "its size does not fit its counts");
}

stoa_status stoa__resources_parse(const stoa__section *section, const stoa__schema *schema,
                                  uint32_t *count) {
    stoa__cursor cursor = body_cursor(section);
    *count = stoa__cursor_u32(&cursor);
    int64_t last = -1;
    for (uint32_t i = 0; i < *count; i++) {
        uint32_t type = stoa__cursor_u32(&cursor);
        if (cursor.failed || (int64_t)type <= last || !type_counts(schema, type)) {
            return section_bad(section, "a type makes no sense");
        }
        uint64_t size = 0;
        stoa__column_take(&cursor, &schema->types[type], 1, &size);
        last = type;
    }
    return *count > 0 && !cursor.failed && stoa__cursor_left(&cursor) == 0
               ? STOA_OK
               : section_bad(section, "its size does not fit its counts");
}

stoa_status stoa__resource_ticks_parse(const stoa__section *section, uint32_t count) {
    return section->body_size == (uint64_t)count * 4
               ? STOA_OK
               : section_bad(section, "it is not a number for each resource");
}

stoa_status stoa__tick_parse(const stoa__section *section, uint32_t *tick) {
    stoa__cursor cursor = body_cursor(section);
    *tick = stoa__cursor_u32(&cursor);
    return !cursor.failed && stoa__cursor_left(&cursor) == 0
               ? STOA_OK
               : section_bad(section, "it is not one number");
}
