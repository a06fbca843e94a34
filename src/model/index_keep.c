/* Keeping an index right: what it knows of each entity, and catching up with the world.
 *
 * Hooks tell of every value that is given and taken. Values that are written in place are found by
 * their ticks: each chunk, or row, that was written since the index last looked is compared with
 * what the index knows. When memory runs out an index is emptied, and filled again by the next
 * look-up. Catching up costs one comparison for each chunk of the component, and one for each row
 * of those that were written. */
#include "model/index.h"

#include "stoa/change.h"
#include "stoa/guard.h"
#include "stoa/view.h"

/* Ticks after which everything is compared: those of the world may have been swept meanwhile. */
#define SINCE_AGE (UINT32_C(1) << 30)

#define PAGE_BYTES (STOA__SLOT_PAGE * sizeof(stoa__slot))

/* The slot of an entity's index, whose page is made if need be; NULL on lack of memory. */
static stoa__slot *slot_make(stoa_index *index, uint32_t entity) {
    stoa__slot *slot = stoa__index_slot(index, entity);
    if (slot != NULL) {
        return slot;
    }
    uint32_t page = entity >> STOA__SLOT_BITS, before = index->page_capacity;
    if (!stoa__heap_grow(&index->heap, &index->pages, &index->page_capacity, page + 1,
                         sizeof *index->pages)) {
        return NULL;
    }
    for (uint32_t i = before; i < index->page_capacity; i++) {
        index->pages[i] = NULL;
    }
    index->pages[page] = stoa__heap_zalloc(&index->heap, PAGE_BYTES, _Alignof(stoa__slot));
    return index->pages[page] != NULL ? stoa__index_slot(index, entity) : NULL;
}

void stoa__index_forget(stoa_index *index) {
    stoa__table_fini(&index->table, &index->heap);
    for (uint32_t i = 0; i < index->page_capacity; i++) {
        stoa__heap_free(&index->heap, index->pages[i], PAGE_BYTES, _Alignof(stoa__slot));
    }
    stoa__heap_grow_free(&index->heap, index->pages, index->page_capacity, sizeof *index->pages);
    index->pages = NULL;
    index->page_capacity = 0;
    index->count = 0;
    index->head.version++;
    index->stale = true;
    index->slow = true;
}

/* Takes the entity of a slot in use out of the table. */
static void slot_clear(stoa_index *index, uint32_t entity, stoa__slot *slot) {
    uint64_t packed = stoa__entity_packed((stoa_entity){entity, slot->generation});
    if (index->ordered) {
        stoa__ordered_remove(&index->table.tree, &index->heap, slot->key, packed);
    } else {
        stoa__cell *cell = index->plan.word
                               ? stoa__table_find(&index->table, slot->key)
                               : stoa__table_find_kept(&index->table, stoa__slot_kept(slot));
        stoa__table_take(&index->table, &index->heap, cell, packed);
    }
    slot->generation = 0;
    index->count--;
    index->head.version++;
}

/* Puts a slot's entity into the table under a key; false on lack of memory. */
static bool slot_fill(stoa_index *index, stoa_entity e, stoa__slot *slot, const void *key,
                      uint64_t word) {
    uint64_t packed = stoa__entity_packed(e);
    if (index->ordered) {
        if (!stoa__ordered_insert(&index->table.tree, &index->heap, word, packed)) {
            return false;
        }
    } else if (index->plan.word) {
        if (!stoa__table_put(&index->table, &index->heap, word, packed)) {
            return false;
        }
    } else {
        word = (uint64_t)(uintptr_t)stoa__table_put_key(&index->table, &index->heap, &index->plan,
                                                        key, packed);
        if (word == 0) {
            return false;
        }
    }
    slot->key = word;
    slot->generation = e.generation;
    index->count++;
    index->head.version++;
    return true;
}

bool stoa__index_put(stoa_index *index, stoa_entity e, const void *value) {
    const uint8_t *key = (const uint8_t *)value + index->plan.base;
    uint64_t word = index->plan.word ? stoa__key_word(&index->plan, key) : 0;
    bool hashed = index->plan.word && !index->ordered;
    if (hashed) {
        stoa__table_expect(&index->table, word);
    }
    stoa__slot *slot = slot_make(index, e.index);
    if (slot == NULL) {
        return false;
    }
    if (slot->generation == e.generation) {
        bool same = index->plan.word ? slot->key == word
                                     : stoa__key_equal(&index->plan, key, stoa__slot_kept(slot));
        if (same) {
            return true;
        }
    }
    if (slot->generation != 0) {
        if (hashed) {
            /* The new value's entities come from memory while the old value's are dealt with. */
            stoa__table_expect(&index->table, slot->key);
            stoa__table_expect_group(&index->table, word);
        }
        slot_clear(index, e.index, slot);
    }
    return slot_fill(index, e, slot, key, word);
}

void stoa__index_take(stoa_index *index, stoa_entity e) {
    stoa__slot *slot = stoa__index_slot(index, e.index);
    if (slot != NULL && slot->generation == e.generation) {
        slot_clear(index, e.index, slot);
    }
}

static bool archetype_has(const stoa_archetype_info *info, stoa_component id) {
    for (int32_t i = 0; i < info->component_count; i++) {
        if (info->components[i] == id) {
            return true;
        }
    }
    return false;
}

/* Lists the archetypes that have the component; false on lack of memory. */
static bool homes_list(stoa_index *index) {
    stoa_archetype_info info;
    for (int32_t count = stoa_archetype_count(index->world); index->archetype_count < count;
         index->archetype_count++) {
        stoa_archetype_info_get(index->world, index->archetype_count, &info);
        if (!archetype_has(&info, index->component)) {
            continue;
        }
        if (!stoa__heap_grow(&index->heap, &index->homes, &index->home_capacity,
                             index->home_count + 1, sizeof *index->homes)) {
            return false;
        }
        index->homes[index->home_count++] = (stoa__home){.id = info.id};
    }
    return true;
}

/* The archetype itself, which stays where it is; it is found by the place of its first entity. */
static const stoa_archetype_head *home_head(const stoa_index *index, stoa__home *home) {
    stoa_archetype_info info;
    stoa_chunk_info chunk;
    stoa_archetype_info_get(index->world, home->id, &info);
    if (home->head == NULL && info.chunk_count > 0 &&
        stoa_chunk_info_get(index->world, home->id, 0, &chunk) == STOA_OK) {
        const stoa_world_head *w = (const stoa_world_head *)(const void *)index->world;
        uint32_t place = w->records[chunk.entities[0].index].place;
        home->head = w->chunks[place >> STOA_PLACE_BITS].archetype;
    }
    return home->head;
}

/* What an index looks for when it catches up. */
typedef struct settling {
    uint32_t tick; /* the world's */
    bool all;      /* every value, whenever it was written */
    bool now;      /* something was written in this tick */
} settling;

static bool chunk_settle(stoa_index *index, settling *s, const stoa_chunk *chunk, uint32_t offset) {
    const uint8_t *column = chunk->data + offset;
    const stoa_column_state *state = (const stoa_column_state *)(const void *)column - 1;
    uint32_t changed = STOA_LOAD(&state->changed);
    if (!s->all && !stoa_tick_newer(changed, index->since)) {
        return true;
    }
    s->now |= changed == s->tick;
    const stoa_entity *entities = (const stoa_entity *)(const void *)chunk->data;
    const uint32_t *ticks =
        state->ticks != 0 ? (const uint32_t *)(const void *)(column + state->ticks) : NULL;
    for (int32_t row = 0; row < chunk->count; row++) {
        bool news = s->all || ticks == NULL || stoa_tick_newer(ticks[row], index->since);
        if (news && !stoa__index_put(index, entities[row], column + (size_t)row * index->size)) {
            return false;
        }
    }
    return true;
}

static bool columns_settle(stoa_index *index, settling *s) {
    for (uint32_t i = 0; i < index->home_count; i++) {
        stoa__home *home = &index->homes[i];
        const stoa_archetype_head *head =
            STOA_LIKELY(home->head != NULL) ? home->head : home_head(index, home);
        if (head == NULL || head->chunk_count == 0) {
            continue;
        }
        uint32_t offset = stoa_archetype_column(head, index->component)->offset;
        for (int32_t c = 0; c < head->chunk_count; c++) {
            if (!chunk_settle(index, s, &head->chunks[c], offset)) {
                return false;
            }
        }
    }
    return true;
}

static bool sparse_settle(stoa_index *index, settling *s) {
    stoa_sparse_info info;
    if (stoa_sparse_info_get(index->world, index->component, &info) != STOA_OK) {
        return false;
    }
    for (int32_t i = 0; i < info.count; i++) {
        uint32_t changed = STOA_LOAD(&info.changed[i]);
        if (!s->all && !stoa_tick_newer(changed, index->since)) {
            continue;
        }
        s->now |= changed == s->tick;
        if (!stoa__index_put(index, info.entities[i],
                             (const uint8_t *)info.values + (size_t)i * index->size)) {
            return false;
        }
    }
    return true;
}

stoa_status stoa__index_settle(stoa_index *index, bool all) {
    uint32_t tick = stoa_tick(index->world);
    settling s = {.tick = tick, .all = all || index->stale || tick - index->since > SINCE_AGE};
    if (!index->sparse && !homes_list(index)) {
        return stoa__error(STOA_NO_MEMORY, "out of memory for index '%s'", index->name);
    }
    /* What a system declares is what it reads itself. */
    const stoa_guard *guard = stoa_guard_set(NULL);
    bool done = index->sparse ? sparse_settle(index, &s) : columns_settle(index, &s);
    stoa_guard_set(guard);
    if (!done) {
        stoa__index_forget(index);
        return stoa__error(STOA_NO_MEMORY, "out of memory for index '%s'", index->name);
    }
    index->stale = false;
    index->slow = !index->immutable;
    /* What is written from now on in this tick must be newer than what was seen. In an iteration
     * columns may be written that were handed out before: they are looked at again. */
    index->since = tick - 1;
    if (s.now && !index->immutable && stoa__index_open(index) == 0) {
        index->since = tick;
        stoa_tick_advance(index->world);
    }
    return STOA_OK;
}

bool stoa__index_ready_slow(stoa_index *index) {
    uint32_t open = stoa__index_open(index);
    if (stoa_world_ending(index->world)) {
        return false;
    }
    stoa_status status = STOA_OK;
    if ((open & ~STOA_OPEN_ITERATIONS) == 0 && (index->stale || open == 0)) {
        status = stoa__index_settle(index, false);
    } else if (index->stale) {
        status = stoa__error(STOA_NO_MEMORY,
                             "index '%s' ran out of memory and cannot be made anew in a hook or "
                             "beside threads",
                             index->name);
    }
    return stoa_world_report(index->world, status) == STOA_OK;
}
