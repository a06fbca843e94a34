/* Frames: sparse components.
 *
 * Positions are kept in blocks, each with a page for the entities, one for either tick, one for
 * switches and one for values. All but the values are compared with the base. Values are shared if
 * entities and ticks are the same and no tick is that of the base or newer. Of components that an
 * extension keeps only order and ticks are in a frame; transient ones are not. Saving reads the
 * ticks and handles of all positions and copies what differs. */
#include "world/frames.h"

#include "storage/entities.h"
#include "storage/sparse.h"

/* A block of positions of a live set beside the base. */
typedef struct block {
    const stoa__sparse *set;
    uint32_t first;                   /* position */
    uint32_t count;                   /* of positions that are live */
    const stoa__positions_note *base; /* of as many positions, or NULL */
} block;

static uint32_t block_count(uint32_t positions) {
    return (positions + STOA__FRAME_POSITIONS - 1) / STOA__FRAME_POSITIONS;
}

/* Positions of block `b` among so many. */
static uint32_t block_size(uint32_t positions, uint32_t b) {
    uint32_t first = b * STOA__FRAME_POSITIONS;
    uint32_t left = positions > first ? positions - first : 0;
    return left < STOA__FRAME_POSITIONS ? left : STOA__FRAME_POSITIONS;
}

/* The values are the frame's to keep. */
static bool set_values(const stoa__component *component) {
    return component->info.size != 0 && (component->info.flags & STOA_MANAGED) == 0;
}

static bool set_kept(const stoa__component *component) {
    return (component->info.flags & STOA_TRANSIENT) == 0;
}

/* Block `b` of a set that is number `index` in frames. */
static block block_of(const stoa_frames *frames, uint32_t index, const stoa__component *component,
                      uint32_t b) {
    const stoa__frame *base = frames->base;
    block k = {component->set, b * STOA__FRAME_POSITIONS, block_size(component->set->count, b),
               NULL};
    if (base != NULL && index < base->sets_count && base->sets[index].component == component &&
        block_size(base->sets[index].count, b) == k.count) {
        k.base = &base->blocks[base->sets[index].first + b];
    }
    return k;
}

static bool page_equals(const stoa__page *page, const void *live, size_t size) {
    return page->size == size && memcmp(stoa__page_data(page), live, size) == 0;
}

static const void *live_changed(const block *k) {
    return (const void *)(uintptr_t)&k->set->changed[k->first];
}

static stoa__items live_values(const block *k) {
    return stoa__items_dense(stoa__sparse_value(k->set, k->first), k->set->size);
}

static bool entities_same(const block *k) {
    return k->base != NULL && page_equals(k->base->entities, &k->set->entities[k->first],
                                          k->count * sizeof(stoa_entity));
}

/* True if the values are the base's. */
static bool values_same(const stoa_frames *frames, const block *k) {
    if (!entities_same(k) || k->base->values == NULL ||
        !page_equals(k->base->changed, live_changed(k), k->count * sizeof(uint32_t))) {
        return false;
    }
    bool older = true;
    for (uint32_t i = 0; i < k->count; i++) {
        older &= stoa__frame_older(frames, STOA_LOAD(&k->set->changed[k->first + i]));
    }
    return older || (stoa__keep_of(k->set->component) == STOA__KEEP_BYTES &&
                     page_equals(k->base->values, stoa__sparse_value(k->set, k->first),
                                 (size_t)k->count * k->set->size));
}

/* A page of the base if it is the same, else one of its own. */
static stoa__page *bytes_keep(stoa_frames *frames, stoa__page *base, const void *live,
                              size_t size) {
    return base != NULL && page_equals(base, live, size)
               ? stoa__page_share(base)
               : stoa__page_bytes(&frames->pages, live, size);
}

/* Fills in the pages of a block, as far as there is memory. */
static bool block_save(stoa_frames *frames, const block *k, stoa__positions_note *note) {
    const stoa__positions_note none = {0}, *base = k->base != NULL ? k->base : &none;
    const stoa__sparse *set = k->set;
    note->entities = bytes_keep(frames, base->entities, &set->entities[k->first],
                                k->count * sizeof(stoa_entity));
    note->changed = note->entities == NULL ? NULL
                                           : bytes_keep(frames, base->changed, live_changed(k),
                                                        k->count * sizeof(uint32_t));
    note->added = note->changed == NULL ? NULL
                                        : bytes_keep(frames, base->added, &set->added[k->first],
                                                     k->count * sizeof(uint32_t));
    bool ok = note->added != NULL;
    if (ok && set->off != NULL) {
        note->off = bytes_keep(frames, base->off, &set->off[k->first], k->count);
        ok = note->off != NULL;
    }
    if (ok && set_values(set->component)) {
        note->values = values_same(frames, k) ? stoa__page_share(base->values)
                                              : stoa__page_keep(&frames->pages, set->component,
                                                                live_values(k), (int32_t)k->count);
        ok = note->values != NULL;
    }
    return ok;
}

static stoa_status set_save(stoa_frames *frames, stoa__frame *frame,
                            const stoa__component *component) {
    uint32_t index = frame->sets_count, blocks = block_count(component->set->count);
    if (!STOA__NOTES_RESERVE(frames, frame, sets, index + 1) ||
        !STOA__NOTES_RESERVE(frames, frame, blocks, frame->blocks_count + blocks)) {
        return stoa__error_memory("a frame");
    }
    frame->sets[frame->sets_count++] = (stoa__sparse_note){
        component, frame->blocks_count, component->set->count, component->set->off_count};
    for (uint32_t b = 0; b < blocks; b++) {
        stoa__positions_note *note = &frame->blocks[frame->blocks_count++];
        block k = block_of(frames, index, component, b);
        *note = (stoa__positions_note){0};
        if (!block_save(frames, &k, note)) {
            return stoa_last_error().status;
        }
    }
    return STOA_OK;
}

stoa_status stoa__frame_sparse_save(stoa_frames *frames, stoa__frame *frame) {
    stoa_status status = STOA_OK;
    const stoa__component *c = frames->world->storage.sparse_first;
    for (; c != NULL && status == STOA_OK; c = c->sparse_next) {
        status = set_kept(c) ? set_save(frames, frame, c) : STOA_OK;
    }
    return status;
}

void stoa__frame_sparse_free(stoa_frames *frames, stoa__frame *frame) {
    for (uint32_t i = 0; i < frame->blocks_count; i++) {
        const stoa__positions_note *note = &frame->blocks[i];
        stoa__page_leave(&frames->pages, note->entities);
        stoa__page_leave(&frames->pages, note->changed);
        stoa__page_leave(&frames->pages, note->added);
        stoa__page_leave(&frames->pages, note->off);
        stoa__page_leave(&frames->pages, note->values);
    }
    frame->sets_count = frame->blocks_count = 0;
}

static const stoa_entity *note_entities(const stoa__positions_note *note) {
    return (const stoa_entity *)(void *)stoa__page_data(note->entities);
}

/* True if the entities of a block are in place. */
static bool entities_done(const block *k, const stoa__positions_note *note) {
    return k->base != NULL && k->base->entities == note->entities && entities_same(k);
}

/* True if the values of a block are in place. */
static bool values_done(const stoa_frames *frames, const block *k,
                        const stoa__positions_note *note) {
    return k->base != NULL && k->base->values == note->values && values_same(frames, k);
}

/* Room for the positions of a set, and for the entries of its entities. */
static bool set_reserve(stoa_frames *frames, const stoa__frame *frame,
                        const stoa__sparse_note *note) {
    stoa__heap *heap = &frames->world->storage.heap;
    stoa__sparse *set = note->component->set;
    if (note->count > set->count && !stoa__sparse_reserve(heap, set, 0, note->count - set->count)) {
        return false;
    }
    for (uint32_t b = 0; b < block_count(note->count); b++) {
        const stoa_entity *entities = note_entities(&frame->blocks[note->first + b]);
        for (uint32_t i = 0; i < block_size(note->count, b); i++) {
            if (stoa__sparse_entry_find(set, entities[i].index) == NULL &&
                !stoa__sparse_reserve(heap, set, entities[i].index, 1)) {
                return false;
            }
        }
    }
    return true;
}

static stoa_status set_stage(stoa_frames *frames, const stoa__frame *frame, uint32_t index) {
    const stoa__sparse_note *note = &frame->sets[index];
    stoa_status status = STOA_OK;
    for (uint32_t b = 0; b < block_count(note->count) && status == STOA_OK; b++) {
        const stoa__positions_note *positions = &frame->blocks[note->first + b];
        block k = block_of(frames, index, note->component, b);
        if (!values_done(frames, &k, positions)) {
            status = stoa__page_stage(&frames->pages, positions->values, note->component,
                                      (int32_t)block_size(note->count, b));
        }
    }
    return status;
}

/* Room to put a value of a managed component aside, if a hook moves it. */
static bool aside_reserve(stoa_frames *frames, const stoa__component *component) {
    size_t size = component->info.hooks.move != NULL ? component->info.size : 0;
    if (size == 0 || (frames->aside != NULL && frames->aside->room >= size)) {
        return true;
    }
    stoa__page *aside = stoa__page_new(&frames->pages, size);
    if (aside != NULL) {
        stoa__page_leave(&frames->pages, frames->aside);
        frames->aside = aside;
    }
    return aside != NULL;
}

stoa_status stoa__frame_sparse_reserve(stoa_frames *frames, const stoa__frame *frame) {
    stoa_status status = STOA_OK;
    for (uint32_t i = 0; i < frame->sets_count && status == STOA_OK; i++) {
        const stoa__component *component = frame->sets[i].component;
        if ((component->info.flags & STOA_MANAGED) != 0) {
            status = aside_reserve(frames, component) ? STOA_OK : STOA_NO_MEMORY;
            continue;
        }
        if (!set_reserve(frames, frame, &frame->sets[i])) {
            return stoa__error_memory("a sparse component");
        }
        status = set_values(component) ? set_stage(frames, frame, i) : STOA_OK;
    }
    return status;
}

/* The entries of all entities of a set: their positions, or none. */
static void entries_put(const stoa__sparse *set, bool there) {
    for (uint32_t i = 0; i < set->count; i++) {
        *stoa__sparse_entry(set, set->entities[i].index) = there ? i + 1 : 0;
    }
}

/* Drops live values from a position on. */
static void values_drop(const stoa__sparse *set, uint32_t first, uint32_t count) {
    if (set->size != 0 && count > 0) {
        stoa__component_drop(set->component, stoa__sparse_value(set, first), (int32_t)count);
    }
}

static void ticks_put(const stoa__sparse *set, const stoa__positions_note *note, uint32_t first,
                      uint32_t count) {
    memcpy((void *)&set->changed[first], stoa__page_data(note->changed), count * sizeof(uint32_t));
    memcpy(&set->added[first], stoa__page_data(note->added), count * sizeof(uint32_t));
    if (set->off != NULL) {
        memcpy(&set->off[first], stoa__page_data(note->off), count);
    }
}

/* Puts a block of the frame in place; entries are the caller's matter. */
static void block_put(stoa_frames *frames, const block *k, const stoa__positions_note *note,
                      uint32_t count) {
    stoa__sparse *set = k->set->component->set;
    if (set_values(set->component) && !values_done(frames, k, note)) {
        values_drop(set, k->first, k->count);
        stoa__page_put(&frames->pages, note->values, set->component, live_values(k),
                       (int32_t)count);
    }
    memcpy(&set->entities[k->first], note_entities(note), count * sizeof(stoa_entity));
    ticks_put(set, note, k->first, count);
}

/* True if the entities of a set are in place. */
static bool set_entities_done(const stoa_frames *frames, const stoa__frame *frame, uint32_t index) {
    const stoa__sparse_note *note = &frame->sets[index];
    bool done = note->count == note->component->set->count;
    for (uint32_t b = 0; b < block_count(note->count) && done; b++) {
        block k = block_of(frames, index, note->component, b);
        done = entities_done(&k, &frame->blocks[note->first + b]);
    }
    return done;
}

static void set_put(stoa_frames *frames, const stoa__frame *frame, uint32_t index) {
    const stoa__sparse_note *note = &frame->sets[index];
    stoa__sparse *set = note->component->set;
    bool done = set_entities_done(frames, frame, index);
    if (!done) {
        entries_put(set, false);
    }
    uint32_t blocks = block_count(note->count);
    for (uint32_t b = 0; b < blocks; b++) {
        block k = block_of(frames, index, note->component, b);
        block_put(frames, &k, &frame->blocks[note->first + b], block_size(note->count, b));
    }
    uint32_t kept = blocks * STOA__FRAME_POSITIONS;
    if (set->count > kept) {
        values_drop(set, kept, set->count - kept);
    }
    set->count = note->count;
    set->off_count = note->off_count;
    if (!done) {
        entries_put(set, true);
    }
}

/* Takes everything out of a set. */
static void set_clear(stoa__sparse *set) {
    values_drop(set, 0, set->count);
    entries_put(set, false);
    set->count = 0;
    set->off_count = 0;
}

void stoa__frame_sparse_restore(stoa_frames *frames, const stoa__frame *frame) {
    uint32_t index = 0;
    for (const stoa__component *c = frames->world->storage.sparse_first; c != NULL;
         c = c->sparse_next) {
        if (!set_kept(c)) {
            continue;
        }
        bool managed = (c->info.flags & STOA_MANAGED) != 0;
        if (index < frame->sets_count && frame->sets[index].component == c) {
            if (!managed) {
                set_put(frames, frame, index);
            }
            index++;
        } else if (!managed) {
            set_clear(c->set);
        }
    }
}

static void bytes_swap(uint8_t *a, uint8_t *b, size_t size) {
    for (size_t i = 0; i < size; i++) {
        uint8_t byte = a[i];
        a[i] = b[i];
        b[i] = byte;
    }
}

/* Swaps two positions, with their values; ticks are written anew anyway. */
static void positions_swap(const stoa_frames *frames, const stoa__sparse *set, uint32_t a,
                           uint32_t b) {
    stoa_entity e = set->entities[a];
    set->entities[a] = set->entities[b];
    set->entities[b] = e;
    *stoa__sparse_entry(set, set->entities[a].index) = a + 1;
    *stoa__sparse_entry(set, set->entities[b].index) = b + 1;
    uint8_t *x = stoa__sparse_value(set, a), *y = stoa__sparse_value(set, b);
    if (set->component->info.hooks.move == NULL) {
        bytes_swap(x, y, set->size);
    } else if (set->size != 0) {
        uint8_t *aside = stoa__page_data(frames->aside);
        stoa__component_move(set->component, aside, x, 1);
        stoa__component_move(set->component, x, y, 1);
        stoa__component_move(set->component, y, aside, 1);
    }
}

/* True if the set has just the entities of the note. */
static bool set_alike(const stoa__frame *frame, const stoa__sparse_note *note) {
    const stoa__sparse *set = note->component->set;
    bool alike = set->count == note->count;
    for (uint32_t b = 0; b < block_count(note->count) && alike; b++) {
        const stoa_entity *entities = note_entities(&frame->blocks[note->first + b]);
        for (uint32_t i = 0; i < block_size(note->count, b) && alike; i++) {
            uint32_t at = stoa__sparse_find(set, entities[i].index);
            alike = at != STOA__NONE && stoa_entity_eq(set->entities[at], entities[i]);
        }
    }
    return alike;
}

static void set_arrange(const stoa_frames *frames, const stoa__frame *frame,
                        const stoa__sparse_note *note) {
    stoa__sparse *set = note->component->set;
    for (uint32_t b = 0; b < block_count(note->count); b++) {
        const stoa__positions_note *positions = &frame->blocks[note->first + b];
        uint32_t first = b * STOA__FRAME_POSITIONS, count = block_size(note->count, b);
        for (uint32_t i = 0; i < count; i++) {
            uint32_t at = stoa__sparse_find(set, note_entities(positions)[i].index);
            if (at != first + i) {
                positions_swap(frames, set, at, first + i);
            }
        }
        ticks_put(set, positions, first, count);
    }
    set->off_count = note->off_count;
}

void stoa__frame_managed_restore(stoa_frames *frames, const stoa__frame *frame) {
    for (uint32_t i = 0; i < frame->sets_count; i++) {
        const stoa__sparse_note *note = &frame->sets[i];
        if ((note->component->info.flags & STOA_MANAGED) != 0 && set_alike(frame, note)) {
            set_arrange(frames, frame, note);
        }
    }
}

void stoa__frame_sparse_purge(stoa_frames *frames) {
    const stoa__storage *storage = &frames->world->storage;
    for (const stoa__component *c = storage->sparse_first; c != NULL; c = c->sparse_next) {
        if ((c->info.flags & (STOA_TRANSIENT | STOA_MANAGED)) == 0) {
            continue;
        }
        for (uint32_t i = c->set->count; i-- > 0;) {
            stoa_entity e = c->set->entities[i];
            if (stoa__entities_find(storage, e) == NULL) {
                stoa__sparse_remove(c->set, e.index);
            }
        }
    }
}
