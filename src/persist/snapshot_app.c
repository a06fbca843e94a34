/* The state of an app in a snapshot: time, random numbers, and what is known of each system.
 *
 * Systems are told by their names, in ascending order, as those of the app are listed: so both are
 * walked side by side. A system that is known on one side only is told of and does no harm. Those
 * of STOA_STARTUP prepare what goes with the program, not with its world, and are left alone. What
 * needs memory comes before the world shows what was loaded, the rest cannot fail. O(systems^2) for
 * the list, which is short. One thread at a time. */
#include "persist/snapshot_load.h"
#include "persist/snapshot_write.h"

#include "base/error.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Flags of a system. */
#define RAN 1u
#define ENABLED 2u

/* Bytes of a system with a name of one byte and nothing else, of a query, and of a habit. */
#define SYSTEM_SIZE 26u
#define QUERY_SIZE 5u
#define HABIT_SIZE 8u

stoa_status stoa__app_check(const stoa_world *world, const stoa_app *app) {
    stoa_status status = STOA_OK;
    if (app != NULL && stoa_app_world(app) != world) {
        status = stoa__error(STOA_INVALID, "the app runs another world");
    } else if (app != NULL && stoa_app_stepping(app)) {
        status = stoa__error(STOA_LOCKED, "an app is not saved or loaded while it steps");
    }
    return stoa_world_report(world, status);
}

int stoa__text_compare(const char *a, size_t a_size, const char *b, size_t b_size) {
    int order = memcmp(a, b, a_size < b_size ? a_size : b_size);
    return order != 0 ? order : (a_size > b_size) - (a_size < b_size);
}

bool stoa__app_systems_list(stoa__app_systems *list, stoa__heap *heap, const stoa_app *app) {
    *list = (stoa__app_systems){0};
    for (stoa_system system = stoa_system_next(app, (stoa_system){0}); system.id != 0;
         system = stoa_system_next(app, system)) {
        stoa_system_info info;
        if (stoa_system_info_get(app, system, &info) != STOA_OK) {
            return false;
        }
        if (info.stage == STOA_STARTUP) {
            continue;
        }
        if (!stoa__heap_grow(heap, &list->items, &list->capacity, list->count + 1,
                             sizeof *list->items)) {
            stoa__error_memory("a snapshot");
            return false;
        }
        uint32_t at = list->count++;
        for (; at > 0 && strcmp(list->items[at - 1].name, info.name) > 0; at--) {
            list->items[at] = list->items[at - 1];
        }
        list->items[at] = (stoa__app_system){info.name, system};
    }
    return true;
}

void stoa__app_systems_fini(stoa__app_systems *list, stoa__heap *heap) {
    stoa__heap_grow_free(heap, list->items, list->capacity, sizeof *list->items);
    *list = (stoa__app_systems){0};
}

static void f64_put(stoa__output *output, double number) {
    uint64_t bits;
    memcpy(&bits, &number, sizeof bits);
    stoa__output_u64(output, bits);
}

static void queries_put(const stoa_app *app, stoa__output *output, stoa_system system) {
    uint32_t count = 0;
    while (stoa_system_query(app, system, (int32_t)count) != NULL) {
        count++;
    }
    stoa__output_u32(output, count);
    for (uint32_t i = 0; i < count; i++) {
        stoa_query_run run = {0};
        stoa_query_run_get(stoa_system_query(app, system, (int32_t)i), &run);
        stoa__output_u8(output, run.ran);
        stoa__output_u32(output, run.tick);
    }
}

/* What buffers give out are slots, so there are not more. Somebody may have set them otherwise. */
static void habits_put(const stoa_app *app, stoa__output *output, stoa_system system,
                       uint32_t slot_count) {
    int32_t count = stoa_system_habits(app, system);
    while (count > 0) {
        stoa_handle_habit last = stoa_system_habit(app, system, count - 1);
        if (last.last != 0 || last.most != 0) {
            break;
        }
        count--;
    }
    stoa__output_u32(output, (uint32_t)count);
    uint32_t left = slot_count;
    for (int32_t i = 0; i < count; i++) {
        stoa_handle_habit habit = stoa_system_habit(app, system, i);
        uint32_t given = habit.last < left ? habit.last : left;
        left -= given;
        stoa__output_u32(output, given);
        stoa__output_u32(output, habit.most < slot_count ? habit.most : slot_count);
    }
}

void stoa__saver_app(const stoa__saver *saver, stoa__output *output) {
    const stoa_app *app = saver->desc.app;
    stoa_app_state state;
    output->status = stoa_app_state_get(app, &state);
    if (output->status != STOA_OK) {
        return;
    }
    f64_put(output, state.ahead);
    f64_put(output, state.elapsed);
    stoa__output_u64(output, state.frame);
    stoa__output_u64(output, state.steps);
    stoa__output_u64(output, state.turn);
    stoa__output_u64(output, state.seed);
    stoa__output_u32(output, state.swept);
    stoa__output_u32(output, saver->systems.count);
    for (uint32_t i = 0; i < saver->systems.count; i++) {
        const stoa__app_system *item = &saver->systems.items[i];
        stoa_system_state system = {0};
        stoa_system_state_get(app, item->system, &system);
        size_t length = strlen(item->name);
        stoa__output_u32(output, (uint32_t)length);
        stoa__output_put(output, item->name, length);
        stoa__output_u8(output, (uint8_t)((system.ran ? RAN : 0) | (system.enabled ? ENABLED : 0)));
        stoa__output_u32(output, system.last_run);
        stoa__output_u64(output, system.runs);
        queries_put(app, output, item->system);
        habits_put(app, output, item->system, saver->slots.count);
    }
}

static double f64_take(stoa__cursor *cursor) {
    uint64_t bits = stoa__cursor_u64(cursor);
    double number;
    memcpy(&number, &bits, sizeof number);
    return number;
}

const char *stoa__cursor_text(stoa__cursor *cursor, uint32_t *size) {
    *size = stoa__cursor_count(cursor, 1);
    const char *text = stoa__cursor_take(cursor, *size);
    if (text == NULL || *size == 0 || memchr(text, '\0', *size) != NULL) {
        cursor->failed = true;
        return NULL;
    }
    return text;
}

void stoa__app_record_take(stoa__cursor *cursor, stoa__app_record *record) {
    record->name = stoa__cursor_text(cursor, &record->name_size);
    uint8_t flags = stoa__cursor_u8(cursor);
    cursor->failed = cursor->failed || (flags & ~(RAN | ENABLED)) != 0;
    record->state = (stoa_system_state){.ran = (flags & RAN) != 0, .enabled = flags >= ENABLED};
    record->state.last_run = stoa__cursor_u32(cursor);
    record->state.runs = stoa__cursor_u64(cursor);
    record->query_count = stoa__cursor_count(cursor, QUERY_SIZE);
    record->queries = stoa__cursor_take(cursor, (uint64_t)record->query_count * QUERY_SIZE);
    record->habit_count = stoa__cursor_count(cursor, HABIT_SIZE);
    record->habits = stoa__cursor_take(cursor, (uint64_t)record->habit_count * HABIT_SIZE);
}

static stoa_handle_habit habit_at(const stoa__app_record *record, uint32_t i) {
    const uint8_t *bytes = record->habits + (size_t)i * HABIT_SIZE;
    return (stoa_handle_habit){stoa__read_u32(bytes), stoa__read_u32(bytes + 4)};
}

/* True if what jobs gave out are slots that were there, and the queries are told as they should. */
static bool record_makes_sense(const stoa__app_record *record, uint32_t slot_count) {
    uint32_t left = slot_count;
    bool good = record->habit_count <= INT32_MAX;
    for (uint32_t i = 0; i < record->habit_count && good; i++) {
        stoa_handle_habit habit = habit_at(record, i);
        good = habit.last <= left && habit.most <= slot_count;
        left -= habit.last;
    }
    for (uint32_t i = 0; i < record->query_count && good; i++) {
        good = record->queries[(size_t)i * QUERY_SIZE] <= 1;
    }
    return good;
}

stoa_status stoa__app_parse(stoa__app_view *view, const stoa__section *section,
                            uint32_t slot_count) {
    stoa__cursor cursor = {.at = section->body, .end = section->body + section->body_size};
    stoa_app_state *state = &view->state;
    state->ahead = f64_take(&cursor);
    state->elapsed = f64_take(&cursor);
    state->frame = stoa__cursor_u64(&cursor);
    state->steps = stoa__cursor_u64(&cursor);
    state->turn = stoa__cursor_u64(&cursor);
    state->seed = stoa__cursor_u64(&cursor);
    state->swept = stoa__cursor_u32(&cursor);
    view->system_count = stoa__cursor_count(&cursor, SYSTEM_SIZE);
    view->systems = cursor;
    bool good = !cursor.failed && isfinite(state->ahead) && state->ahead >= 0 &&
                isfinite(state->elapsed) && state->elapsed >= 0;
    stoa__app_record before = {.name_size = 0};
    for (uint32_t i = 0; i < view->system_count && good; i++) {
        stoa__app_record record;
        stoa__app_record_take(&cursor, &record);
        good = !cursor.failed && record_makes_sense(&record, slot_count) &&
               (i == 0 || stoa__text_compare(before.name, before.name_size, record.name,
                                             record.name_size) < 0);
        before = record;
    }
    return good && stoa__cursor_left(&cursor) == 0
               ? STOA_OK
               : stoa__error(STOA_CORRUPT, "section 'app': its times, systems or size make no "
                                           "sense");
}

stoa_status stoa__loader_app(stoa__loader *loader, const stoa__section *section) {
    stoa_status status = stoa__app_parse(&loader->app, section, loader->header.slot_count);
    loader->app_found = status == STOA_OK && loader->desc.app != NULL;
    loader->keeps = loader->app_found;
    return status;
}

static void system_notice(const stoa__loader *loader, stoa_notice_kind kind, const char *name,
                          size_t size, const char *what) {
    if (loader->desc.notice != NULL) {
        char copy[128];
        char text[256];
        snprintf(copy, sizeof copy, "%.*s", (int)(size < sizeof copy ? size : sizeof copy), name);
        snprintf(text, sizeof text, "system '%s' %s", copy, what);
        const stoa_notice notice = {kind, copy, NULL, text};
        loader->desc.notice(&notice, loader->desc.user);
    }
}

/* Walks the systems of the snapshot and those of the app side by side. `next` is called for each
 * name, with NULL for the side that does not have it. */
typedef stoa_status (*pair_fn)(stoa__loader *loader, const stoa__app_record *record,
                               const stoa__app_system *system);

static stoa_status pairs_walk(stoa__loader *loader, pair_fn next) {
    const stoa__app_systems *list = &loader->systems;
    stoa__cursor cursor = loader->app.systems;
    stoa__app_record record;
    uint32_t left = loader->app.system_count;
    uint32_t at = 0;
    bool taken = false;
    stoa_status status = STOA_OK;
    while (status == STOA_OK && (left > 0 || taken || at < list->count)) {
        if (!taken && left > 0) {
            stoa__app_record_take(&cursor, &record);
            taken = true;
            left--;
        }
        const stoa__app_system *system = at < list->count ? &list->items[at] : NULL;
        int order = !taken           ? 1
                    : system == NULL ? -1
                                     : stoa__text_compare(record.name, record.name_size,
                                                          system->name, strlen(system->name));
        status = next(loader, order <= 0 ? &record : NULL, order >= 0 ? system : NULL);
        taken = taken && order > 0;
        at += order >= 0;
    }
    return status;
}

/* Finds the memory that a system needs, and tells of one that is known on one side only. */
static stoa_status pair_prepare(stoa__loader *loader, const stoa__app_record *record,
                                const stoa__app_system *system) {
    if (record != NULL && system == NULL) {
        system_notice(loader, STOA_NOTICE_DROPPED, record->name, record->name_size,
                      "was saved, and the app has none of that name");
    }
    if (system == NULL) {
        return STOA_OK;
    }
    if (record == NULL) {
        system_notice(loader, STOA_NOTICE_ADDED, system->name, strlen(system->name),
                      "was not saved: it begins as if it had never run");
        return STOA_OK;
    }
    return stoa__loader_told(loader, stoa_system_habits_reserve(loader->desc.app, system->system,
                                                                (int32_t)record->habit_count));
}

static stoa_status pair_commit(stoa__loader *loader, const stoa__app_record *record,
                               const stoa__app_system *system) {
    stoa_app *app = loader->desc.app;
    if (system == NULL) {
        return STOA_OK;
    }
    (void)stoa_system_state_set(app, system->system, record != NULL ? &record->state : NULL);
    for (uint32_t i = 0; record != NULL && i < record->habit_count; i++) {
        (void)stoa_system_habit_set(app, system->system, (int32_t)i, habit_at(record, i));
    }
    for (uint32_t i = 0; record != NULL && i < record->query_count; i++) {
        stoa_query *query = stoa_system_query(app, system->system, (int32_t)i);
        const uint8_t *bytes = record->queries + (size_t)i * QUERY_SIZE;
        if (query == NULL) {
            break;
        }
        (void)stoa_query_run_set(query, (stoa_query_run){stoa__read_u32(bytes + 1), bytes[0] != 0});
    }
    return STOA_OK;
}

stoa_status stoa__loader_app_prepare(stoa__loader *loader) {
    if (!loader->app_found) {
        return STOA_OK;
    }
    return stoa__app_systems_list(&loader->systems, &loader->heap, loader->desc.app)
               ? pairs_walk(loader, pair_prepare)
               : stoa_last_error().status;
}

void stoa__loader_app_commit(stoa__loader *loader) {
    if (loader->app_found) {
        (void)stoa_app_state_set(loader->desc.app, &loader->app.state);
        (void)pairs_walk(loader, pair_commit);
    }
}
