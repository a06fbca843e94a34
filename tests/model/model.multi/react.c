/* Changes of the reference, with the notes and log entries they make.
 *
 * The order: observers that are left, hooks of what goes, the change itself, the log, then for each
 * component that was put the hooks of its coming and of its value, then observers that are entered.
 */
#include "react.h"

#include <stdlib.h>
#include <string.h>

void note_add(note_list *list, note n) {
    if (list->count == list->capacity) {
        list->capacity = list->capacity * 2 + 64;
        list->items = realloc(list->items, (size_t)list->capacity * sizeof(note));
        if (list->items == NULL) {
            abort();
        }
    }
    list->items[list->count++] = n;
}

/* Merges two sorted neighbours; what is equal keeps its order. */
static void notes_merge(const note *from, note *to, int32_t first, int32_t middle, int32_t end) {
    int32_t a = first, b = middle;
    for (int32_t i = first; i < end; i++) {
        bool left = a < middle && (b >= end || stoa_entity_pack(from[a].entity) <=
                                                   stoa_entity_pack(from[b].entity));
        to[i] = left ? from[a++] : from[b++];
    }
}

void note_sort(note_list *list) {
    note *spare = malloc((size_t)(list->capacity + 1) * sizeof(note));
    if (spare == NULL) {
        abort();
    }
    for (int32_t width = 1; width < list->count; width *= 2) {
        for (int32_t first = 0; first < list->count; first += 2 * width) {
            int32_t middle = first + width < list->count ? first + width : list->count;
            int32_t end = middle + width < list->count ? middle + width : list->count;
            notes_merge(list->items, spare, first, middle, end);
        }
        memcpy(list->items, spare, (size_t)list->count * sizeof(note));
    }
    free(spare);
}

void react_action_value(int type, uint32_t seed, uint8_t bytes[256]) {
    memset(bytes, 0, 256);
    model_value_write(type, seed, bytes);
}

/* The status of changing the entity that a hook is told of: only what moves nothing is allowed. */
static stoa_status own_change(reference *r, being *b, const edit *e) {
    if (!(b->has >> e->type & 1)) {
        return STOA_LOCKED;
    }
    react_change(r, b, e, 1);
    return STOA_OK;
}

/* Does what a hook does; `b` is whom it is told of. */
static stoa_status action_do(reference *r, const watcher *w, being *b, being *next) {
    uint8_t bytes[256];
    edit e = {.type = w->action_type, .kind = EDIT_ADD};
    edit set = {.type = w->action_type, .kind = EDIT_PUT, .value = bytes, .given = true};
    react_action_value(w->action_type, w->action_seed, bytes);
    switch (w->action) {
    case ACTION_NEXT_TOGGLE:
        e.kind = next->has >> e.type & 1 ? EDIT_DROP : EDIT_ADD;
        react_change(r, next, &e, 1);
        return STOA_OK;
    case ACTION_NEXT_SET:
        react_change(r, next, &set, 1);
        return STOA_OK;
    case ACTION_NEXT_DESTROY:
        react_destroy(r, next);
        return STOA_OK;
    case ACTION_OWN_ADD:
        return own_change(r, b, &e);
    case ACTION_OWN_SET:
        return own_change(r, b, &set);
    case ACTION_OWN_DESTROY:
        return STOA_LOCKED;
    default:
        r->record(r->user, b->handle);
        return STOA_OK;
    }
}

static void watcher_act(reference *r, const watcher *w, being *b) {
    bool on_next = w->action <= ACTION_NEXT_DESTROY;
    being *next = on_next ? reference_next(r, b->handle) : b;
    /* Others of the same bulk are not told of yet: to change them is left out, to end them not. */
    bool left_out = r->bulk && on_next && w->action != ACTION_NEXT_DESTROY;
    if (w->action == ACTION_NONE || r->acting || next == NULL || left_out) {
        return;
    }
    r->acting = true;
    stoa_entity target = next->handle;
    stoa_status status = action_do(r, w, b, next);
    note_add(&r->notes, (note){NOTE_ACT, w->slot, target, w->action_type, (uint32_t)status});
    r->acting = false;
}

/* Calls the hooks of one kind. */
static void hooks_tell(reference *r, stoa_hook_kind kind, being *b, int type) {
    for (int32_t i = 0; i < r->watcher_count; i++) {
        const watcher *w = &r->watchers[i];
        if (!w->observer && w->kind == kind && w->type == type) {
            uint32_t digest = model_types[type].size == 0
                                  ? 0
                                  : model_value_digest(type, reference_value(b, type));
            note_add(&r->notes, (note){(note_kind)kind, w->slot, b->handle, type, digest});
            watcher_act(r, w, b);
        }
    }
}

/* Tells observers of a being whose visible set goes from `before` to `after`; `existed` and
 * `exists` say whether there is a being at all. */
static void observers_tell(reference *r, being *b, bool entering, bool existed, uint32_t before,
                           bool exists, uint32_t after) {
    for (int32_t i = 0; i < r->watcher_count; i++) {
        const watcher *w = &r->watchers[i];
        if (!w->observer) {
            continue;
        }
        bool was = existed && reference_fits(r, &w->shape, before);
        bool is = exists && reference_fits(r, &w->shape, after);
        if (entering && w->enter && !was && is) {
            note_add(&r->notes, (note){NOTE_ENTER, w->slot, b->handle, -1, 0});
            watcher_act(r, w, b);
        } else if (!entering && w->leave && was && !is) {
            note_add(&r->notes, (note){NOTE_LEAVE, w->slot, b->handle, -1, 0});
            watcher_act(r, w, b);
        }
    }
}

static void log_add(reference *r, stoa_entity e, int type) {
    gone_log *log = &r->log;
    if (log->capacity == 0 || (r->fault == FAULT_LOG_FORGETS && type < 0)) {
        return;
    }
    if (log->count == log->capacity) {
        log->lost = true;
        log->lost_tick = log->items[0].tick;
        memmove(log->items, log->items + 1, (size_t)(log->count - 1) * sizeof(gone));
        log->count--;
    }
    log->items[log->count++] = (gone){e, type, r->tick};
}

void log_keep(reference *r, int32_t capacity) {
    gone_log *log = &r->log;
    if (capacity == log->capacity) {
        return;
    }
    if (log->count > 0) {
        log->lost = true;
        log->lost_tick = log->items[log->count - 1].tick;
    } else if (log->capacity == 0 && r->count > 0) {
        log->lost = true;
        log->lost_tick = r->tick;
    }
    free(log->items);
    log->items = malloc((size_t)(capacity + 1) * sizeof(gone));
    log->capacity = capacity;
    log->count = 0;
}

int react_order(const reference *r, uint32_t set, int order[TYPE_COUNT]) {
    int count = 0;
    for (int sparse = 0; sparse < 2; sparse++) {
        uint32_t part = set & (sparse ? TYPE_SPARSES : ~TYPE_SPARSES);
        stoa_component last = 0;
        for (;;) {
            int next = -1;
            for (int type = 0; type < TYPE_COUNT; type++) {
                bool later = part >> type & 1 && r->ids[type] > last;
                next = later && (next < 0 || r->ids[type] < r->ids[next]) ? type : next;
            }
            if (next < 0) {
                break;
            }
            order[count++] = next;
            last = r->ids[next];
        }
    }
    return count;
}

/* What a being will have of what queries see. */
static uint32_t visible_after(const reference *r, const being *b, const edit *edits, int count) {
    uint32_t after = reference_visible(r, b);
    for (int i = 0; i < count; i++) {
        uint32_t bit = TYPE_BIT(edits[i].type);
        if (edits[i].kind == EDIT_DROP) {
            after &= ~bit;
        } else if (!(b->has & bit)) {
            after |= bit;
        }
    }
    return after;
}

static void edits_apply(reference *r, being *b, const edit *edits, int count) {
    bool puts = false;
    for (int i = 0; i < count; i++) {
        const edit *e = &edits[i];
        if (e->kind == EDIT_PUT || (e->kind == EDIT_ADD && !(b->has >> e->type & 1))) {
            reference_put(r, b, e->type, e->value);
            puts = true;
        }
    }
    for (int i = 0; i < count; i++) {
        bool kept = r->fault == FAULT_CHANGE_KEEPS && puts;
        if (edits[i].kind == EDIT_DROP && !kept) {
            reference_drop(r, b, edits[i].type);
        }
    }
    if (r->fault == FAULT_MOVE_MARKS && b->has >> TYPE_HEALTH & 1) {
        b->added[TYPE_HEALTH] = r->tick;
    }
}

/* Hooks of what was put; `had` is what was there before. */
static void edits_tell(reference *r, being *b, const edit *edits, int count, uint32_t had) {
    for (int i = 0; i < count; i++) {
        const edit *e = &edits[i];
        bool had_it = (had >> e->type & 1) != 0;
        if (e->kind == EDIT_DROP) {
            continue;
        }
        if (!had_it) {
            hooks_tell(r, STOA_ON_ADD, b, e->type);
        }
        if (e->given && !(had_it && r->fault == FAULT_SET_SILENT)) {
            hooks_tell(r, STOA_ON_SET, b, e->type);
        }
    }
}

void react_change(reference *r, being *b, const edit *edits, int count) {
    uint32_t before = reference_visible(r, b);
    uint32_t after = visible_after(r, b, edits, count);
    uint32_t had = b->has;
    observers_tell(r, b, false, true, before, true, after);
    for (int i = 0; i < count; i++) {
        int at = r->fault == FAULT_HOOKS_BACKWARD ? count - 1 - i : i;
        if (edits[at].kind == EDIT_DROP && had >> edits[at].type & 1) {
            hooks_tell(r, STOA_ON_REMOVE, b, edits[at].type);
        }
    }
    edits_apply(r, b, edits, count);
    for (int i = 0; i < count; i++) {
        if (edits[i].kind == EDIT_DROP && had >> edits[i].type & 1) {
            log_add(r, b->handle, edits[i].type);
        }
    }
    edits_tell(r, b, edits, count, had);
    observers_tell(r, b, true, true, before, true, after);
}

void react_place(reference *r, being *b, const edit *edits, int count) {
    reference_list(r, b);
    edits_apply(r, b, edits, count);
}

void react_tell_birth(reference *r, being *b, const edit *edits, int count) {
    if (!b->alive) {
        return;
    }
    edits_tell(r, b, edits, count, 0);
    observers_tell(r, b, true, false, 0, true, reference_visible(r, b));
}

void react_birth(reference *r, being *b, const edit *edits, int count) {
    react_place(r, b, edits, count);
    react_tell_birth(r, b, edits, count);
}

/* Takes everything off; `exists` says whether the being stays. */
static void strip(reference *r, being *b, bool exists) {
    int order[TYPE_COUNT];
    int count = react_order(r, b->has, order);
    observers_tell(r, b, false, true, reference_visible(r, b), exists, 0);
    for (int i = 0; i < count; i++) {
        int at = r->fault == FAULT_HOOKS_BACKWARD ? count - 1 - i : i;
        hooks_tell(r, STOA_ON_REMOVE, b, order[at]);
    }
    uint32_t before = reference_visible(r, b);
    for (int i = 0; i < count; i++) {
        if (r->fault != FAULT_CLEAR_KEEPS || !exists || order[i] != TYPE_SCORE) {
            reference_drop(r, b, order[i]);
        }
        log_add(r, b->handle, order[i]);
    }
    if (exists) {
        observers_tell(r, b, true, true, before, true, 0);
    } else {
        log_add(r, b->handle, -1);
    }
}

void react_clear(reference *r, being *b) {
    strip(r, b, true);
}

void react_destroy(reference *r, being *b) {
    strip(r, b, false);
    reference_unlist(r, b);
}

void react_free(reference *r, being *b) {
    int order[TYPE_COUNT];
    int count = react_order(r, b->has, order);
    observers_tell(r, b, false, true, reference_visible(r, b), false, 0);
    for (int i = 0; i < count; i++) {
        hooks_tell(r, STOA_ON_REMOVE, b, order[i]);
    }
}

void react_enable(reference *r, being *b, int type, bool on) {
    uint32_t before = reference_visible(r, b);
    uint32_t off = on ? b->off & ~TYPE_BIT(type) : b->off | TYPE_BIT(type);
    uint32_t after = r->fault == FAULT_OFF_MATCHES ? b->has : b->has & ~off;
    bool blind = r->fault == FAULT_OBSERVER_BLIND;
    if (!blind) {
        observers_tell(r, b, false, true, before, true, after);
    }
    if (on && (b->off >> type & 1) != 0) {
        reference_mark(r, b, type);
    }
    b->off = off;
    if (!blind) {
        observers_tell(r, b, true, true, before, true, after);
    }
}
