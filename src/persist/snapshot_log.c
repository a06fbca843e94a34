/* The log of removed components and destroyed entities in a snapshot.
 *
 * Components are told by their names, which stand first, ascending: the schema has only those that
 * there are values of. Entries of components that the loading world does not know are left out.
 * O(entries + components). One thread at a time. */
#include "base/error.h"
#include "persist/snapshot_load.h"
#include "persist/snapshot_write.h"

#include <string.h>

/* Bytes of an entry, and of a name of one byte. */
#define ENTRY_SIZE 16u
#define NAME_SIZE 5u

static const char *component_name(const stoa_world *world, stoa_component id) {
    stoa_component_info info;
    return stoa_component_info_get(world, id, &info) == STOA_OK ? info.name : "";
}

/* Lists the components of the entries by name; `places` are their places in the list, by id, and 1.
 */
static void components_sort(stoa__saver *saver) {
    for (int32_t i = 0; i < saver->log.count; i++) {
        saver->log_places[saver->log.entries[i].component] = 1;
    }
    saver->log_places[0] = 0;
    for (stoa_component id = 1; id < (stoa_component)saver->id_count; id++) {
        if (saver->log_places[id] == 0) {
            continue;
        }
        uint32_t at = saver->log_id_count++;
        const char *name = component_name(saver->world, id);
        for (; at > 0 && strcmp(component_name(saver->world, saver->log_ids[at - 1]), name) > 0;
             at--) {
            saver->log_ids[at] = saver->log_ids[at - 1];
        }
        saver->log_ids[at] = id;
    }
    for (uint32_t i = 0; i < saver->log_id_count; i++) {
        saver->log_places[saver->log_ids[i]] = i + 1;
    }
}

stoa_status stoa__saver_log_find(stoa__saver *saver) {
    stoa_status status = stoa_log_get(saver->world, NULL, 0, &saver->log);
    size_t count = (size_t)saver->id_count;
    if (status != STOA_OK || saver->log.count == 0) {
        return status;
    }
    stoa__heap *heap = &saver->heap;
    size_t size = (size_t)saver->log.count * sizeof *saver->log_entries;
    saver->log_entries = stoa__heap_alloc(heap, size, _Alignof(stoa_log_entry));
    saver->log_ids =
        stoa__heap_zalloc(heap, count * sizeof *saver->log_ids, _Alignof(stoa_component));
    saver->log_places = stoa__heap_zalloc(heap, count * sizeof *saver->log_places, 4);
    if (saver->log_entries == NULL || saver->log_ids == NULL || saver->log_places == NULL) {
        return stoa__error_memory("a snapshot");
    }
    status = stoa_log_get(saver->world, saver->log_entries, saver->log.count, &saver->log);
    components_sort(saver);
    return status;
}

void stoa__saver_log_fini(stoa__saver *saver) {
    stoa__heap *heap = &saver->heap;
    size_t count = (size_t)saver->id_count;
    stoa__heap_free(heap, saver->log_entries, (size_t)saver->log.count * sizeof *saver->log_entries,
                    _Alignof(stoa_log_entry));
    stoa__heap_free(heap, saver->log_ids, count * sizeof *saver->log_ids, _Alignof(stoa_component));
    stoa__heap_free(heap, saver->log_places, count * sizeof *saver->log_places, 4);
}

void stoa__saver_log(const stoa__saver *saver, stoa__output *output) {
    const stoa_log_content *log = &saver->log;
    stoa__output_u8(output, log->lost);
    stoa__output_u32(output, log->lost ? log->lost_tick : 0);
    stoa__output_u32(output, saver->log_id_count);
    for (uint32_t i = 0; i < saver->log_id_count; i++) {
        const char *name = component_name(saver->world, saver->log_ids[i]);
        stoa__output_u32(output, (uint32_t)strlen(name));
        stoa__output_put(output, name, strlen(name));
    }
    stoa__output_u32(output, (uint32_t)log->count);
    for (int32_t i = 0; i < log->count; i++) {
        const stoa_log_entry *entry = &log->entries[i];
        const uint32_t numbers[4] = {entry->entity.index, entry->entity.generation,
                                     saver->log_places[entry->component], entry->tick};
        stoa__output_u32s(output, numbers, 4);
    }
}

/* True if the ticks of the entries go on from that of what was lost, and end with the world's. */
static bool entries_make_sense(const stoa__log_view *view, uint32_t tick) {
    uint32_t age = view->lost ? tick - view->lost_tick : INT32_MAX;
    if (age > INT32_MAX) {
        return false;
    }
    for (uint32_t i = 0; i < view->entry_count; i++) {
        const uint8_t *entry = view->entries + (size_t)i * ENTRY_SIZE;
        uint32_t own = tick - stoa__read_u32(entry + 12);
        if (own > age || stoa__read_u32(entry + 8) > view->name_count) {
            return false;
        }
        age = own;
    }
    return true;
}

stoa_status stoa__log_parse(stoa__log_view *view, const stoa__section *section, uint32_t tick) {
    stoa__cursor cursor = {.at = section->body, .end = section->body + section->body_size};
    uint8_t lost = stoa__cursor_u8(&cursor);
    *view = (stoa__log_view){.lost = lost != 0, .lost_tick = stoa__cursor_u32(&cursor)};
    view->name_count = stoa__cursor_count(&cursor, NAME_SIZE);
    view->names = cursor;
    const char *before = "";
    uint32_t before_size = 0;
    bool good = lost <= 1;
    for (uint32_t i = 0; i < view->name_count && good; i++) {
        uint32_t size;
        const char *name = stoa__cursor_text(&cursor, &size);
        good = name != NULL && stoa__text_compare(before, before_size, name, size) < 0;
        before = name;
        before_size = size;
    }
    view->entry_count = stoa__cursor_count(&cursor, ENTRY_SIZE);
    view->entries = stoa__cursor_take(&cursor, (uint64_t)view->entry_count * ENTRY_SIZE);
    return good && !cursor.failed && stoa__cursor_left(&cursor) == 0 &&
                   view->entry_count <= INT32_MAX && entries_make_sense(view, tick)
               ? STOA_OK
               : stoa__error(STOA_CORRUPT, "section 'log': its names, entries or size make no "
                                           "sense");
}

stoa_status stoa__loader_log(stoa__loader *loader, const stoa__section *section) {
    stoa_status status = stoa__log_parse(&loader->log, section, stoa_tick(loader->world));
    loader->log_found = loader->keeps = status == STOA_OK;
    return status;
}

/* The component of a name that is not terminated; 0 if the world has none. */
static stoa_status component_find(stoa__loader *loader, const char *name, uint32_t size,
                                  stoa_component *id) {
    char *text = stoa__heap_alloc(&loader->heap, (size_t)size + 1, 1);
    if (text == NULL) {
        return stoa__error_memory("a snapshot");
    }
    memcpy(text, name, size);
    text[size] = '\0';
    *id = stoa_component_find(loader->world, text);
    stoa__heap_free(&loader->heap, text, (size_t)size + 1, 1);
    return STOA_OK;
}

/* Makes entries of those in the section, with ids of this world. */
static void entries_make(stoa__loader *loader, const stoa_component *ids) {
    uint32_t kept = 0;
    for (uint32_t i = 0; i < loader->log.entry_count; i++) {
        const uint8_t *bytes = loader->log.entries + (size_t)i * ENTRY_SIZE;
        uint32_t place = stoa__read_u32(bytes + 8);
        stoa_component id = place != 0 ? ids[place - 1] : 0;
        if (place == 0 || id != 0) {
            loader->log_entries[kept++] = (stoa_log_entry){
                {stoa__read_u32(bytes), stoa__read_u32(bytes + 4)}, id, stoa__read_u32(bytes + 12)};
        }
    }
    loader->log_kept = kept;
}

stoa_status stoa__loader_log_prepare(stoa__loader *loader) {
    if (!loader->log_found) {
        return STOA_OK;
    }
    stoa__heap *heap = &loader->heap;
    size_t id_size = ((size_t)loader->log.name_count + 1) * sizeof(stoa_component);
    size_t size = ((size_t)loader->log.entry_count + 1) * sizeof *loader->log_entries;
    loader->log_entries = stoa__heap_zalloc(heap, size, _Alignof(stoa_log_entry));
    stoa_component *ids = stoa__heap_zalloc(heap, id_size, _Alignof(stoa_component));
    if (ids == NULL || loader->log_entries == NULL) {
        stoa__heap_free(heap, ids, id_size, _Alignof(stoa_component));
        return stoa__error_memory("a snapshot");
    }
    stoa_status status = STOA_OK;
    stoa__cursor names = loader->log.names;
    for (uint32_t i = 0; i < loader->log.name_count && status == STOA_OK; i++) {
        uint32_t length;
        const char *name = stoa__cursor_text(&names, &length);
        status = component_find(loader, name, length, &ids[i]);
    }
    if (status == STOA_OK) {
        entries_make(loader, ids);
    }
    stoa__heap_free(heap, ids, id_size, _Alignof(stoa_component));
    return status;
}

void stoa__loader_log_commit(stoa__loader *loader) {
    if (loader->log_found) {
        const stoa_log_content content = {.entries = loader->log_entries,
                                          .count = (int32_t)loader->log_kept,
                                          .lost = loader->log.lost,
                                          .lost_tick = loader->log.lost_tick};
        (void)stoa_log_set(loader->world, &content);
    }
}

void stoa__loader_log_fini(stoa__loader *loader) {
    stoa__heap_free(&loader->heap, loader->log_entries,
                    ((size_t)loader->log.entry_count + 1) * sizeof *loader->log_entries,
                    _Alignof(stoa_log_entry));
}
