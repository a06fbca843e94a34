/* Keeping an index right: what it knows of each entity, and catching up with the world.
 *
 * Hooks tell of every value that is given and taken, so an entity's index is in use for the one
 * that lives, and its generation need not be kept. Values that are written in place are found by
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

/* Keys of a page start at the start of a cache line. */
#define PAGE_ALIGN 64

static size_t page_bytes(const stoa_index *index) {
    return sizeof(stoa__page) + STOA__PAGE_SIZE * (index->plan.quick == 4 ? 4 : sizeof(uint64_t));
}

/* page_make for a page that is empty. */
STOA__APART static stoa__page *page_open(stoa_index *index, uint32_t entity) {
    uint32_t page = entity >> STOA__PAGE_BITS, before = index->page_capacity;
    if (!stoa__heap_grow(&index->heap, &index->pages, &index->page_capacity, page + 1,
                         sizeof *index->pages)) {
        return NULL;
    }
    for (uint32_t i = before; i < index->page_capacity; i++) {
        index->pages[i] = NULL;
    }
    index->pages[page] = stoa__heap_zalloc(&index->heap, page_bytes(index), PAGE_ALIGN);
    return index->pages[page];
}

/* The page of an entity's index, made if need be; NULL on lack of memory. */
STOA__INLINE stoa__page *page_make(stoa_index *index, uint32_t entity) {
    stoa__page *page = stoa__index_page(index, entity);
    return STOA_LIKELY(page != NULL) ? page : page_open(index, entity);
}

STOA__INLINE void page_set(const stoa_index *index, stoa__page *page, uint32_t entity,
                           uint64_t key) {
    uint32_t at = entity % STOA__PAGE_SIZE;
    if (STOA_LIKELY(index->plan.quick == 4)) {
        ((uint32_t *)(void *)page->keys)[at] = (uint32_t)key;
    } else {
        page->keys[at] = key;
    }
}

static void page_turn(stoa__page *page, uint32_t entity) {
    uint32_t at = entity % STOA__PAGE_SIZE;
    page->used[at / 64] ^= UINT64_C(1) << (at % 64);
}

void stoa__index_expose(stoa_index *index) {
    const stoa__table *table = &index->table;
    bool plain = index->plan.quick == 4 && !index->ordered && !index->slow;
    index->head.cells = plain ? table->cells : NULL;
    index->head.mask = table->capacity - 1;
    index->head.shift = table->shift;
    index->head.span = table->span;
    index->exposed = table->cells;
}

void stoa__index_forget(stoa_index *index) {
    stoa__table_fini(&index->table, &index->heap);
    for (uint32_t i = 0; i < index->page_capacity; i++) {
        stoa__heap_free(&index->heap, index->pages[i], page_bytes(index), PAGE_ALIGN);
    }
    stoa__heap_grow_free(&index->heap, index->pages, index->page_capacity, sizeof *index->pages);
    index->pages = NULL;
    index->page_capacity = 0;
    index->count = 0;
    index->head.version++;
    index->stale = true;
    index->slow = true;
    stoa__index_expose(index);
}

/* Takes an entity whose page is in use for it out of the table. */
static void entity_clear(stoa_index *index, stoa_entity e, stoa__page *page) {
    uint64_t key = stoa__index_key(index, page, e.index);
    if (index->ordered) {
        stoa__ordered_remove(&index->table.tree, &index->heap, key, stoa__entity_packed(e));
    } else {
        stoa__cell *cell = index->plan.word
                               ? stoa__table_find(&index->table, key)
                               : stoa__table_find_kept(&index->table, stoa__key_kept(key));
        stoa__table_take(&index->table, &index->heap, cell, stoa__entity_packed(e));
    }
    page_turn(page, e.index);
    index->count--;
    index->head.version++;
}

/* Puts an entity whose page is not in use for it into the table; false on lack of memory. What it
 * is given by a hook while it loses the component goes with it, and nobody would tell. */
static bool entity_fill(stoa_index *index, stoa_entity e, stoa__page *page, const void *key,
                        uint64_t word) {
    uint64_t packed = stoa__entity_packed(e);
    if (stoa_losing_id(index->world, e, index->component)) {
        return true;
    }
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
    page_set(index, page, e.index, word);
    page_turn(page, e.index);
    index->count++;
    index->head.version++;
    return true;
}

/* stoa__index_put for a key that is a word found by its hash. */
STOA__INLINE bool word_put(stoa_index *index, stoa_entity e, uint64_t word) {
    stoa__table *table = &index->table;
    if (STOA_LIKELY(table->cells != NULL)) {
        STOA_PREFETCH(stoa__table_cell(table, stoa__table_home(table, word)));
    }
    stoa__page *page = page_make(index, e.index);
    if (!STOA_LIKELY(page != NULL)) {
        return false;
    }
    bool done;
    if (STOA_LIKELY(stoa__page_used(page, e.index))) {
        uint64_t before = stoa__index_key(index, page, e.index);
        if (before == word) {
            return true;
        }
        page_set(index, page, e.index, word);
        index->head.version++;
        done = stoa__table_move(table, &index->heap, before, word, stoa__entity_packed(e));
    } else {
        done = entity_fill(index, e, page, NULL, word);
    }
    if (!STOA_LIKELY(index->exposed == table->cells)) {
        stoa__index_expose(index);
    }
    return done;
}

/* stoa__index_put for any other key. */
STOA__APART static bool other_put(stoa_index *index, stoa_entity e, const void *key) {
    const stoa__key_plan *plan = &index->plan;
    uint64_t word = plan->word ? stoa__key_word(plan, key) : 0;
    stoa__page *page = page_make(index, e.index);
    if (page == NULL) {
        return false;
    }
    if (stoa__page_used(page, e.index)) {
        uint64_t before = stoa__index_key(index, page, e.index);
        if (plan->word ? before == word : stoa__key_equal(plan, key, stoa__key_kept(before))) {
            return true;
        }
        entity_clear(index, e, page);
    }
    return entity_fill(index, e, page, key, word);
}

bool stoa__index_put(stoa_index *index, stoa_entity e, const void *value) {
    const stoa__key_plan *plan = &index->plan;
    const uint8_t *key = (const uint8_t *)value + plan->base;
    return STOA_LIKELY(plan->word && !index->ordered)
               ? word_put(index, e, stoa__key_word(plan, key))
               : other_put(index, e, key);
}

void stoa__index_given(stoa_world *world, stoa_entity e, void *value, void *user) {
    stoa_index *index = user;
    (void)world;
    if (!index->stale && !stoa__index_put(index, e, value)) {
        stoa__index_forget(index);
    }
}

void stoa__index_take(stoa_index *index, stoa_entity e) {
    stoa__page *page = stoa__index_page(index, e.index);
    if (page != NULL && stoa__page_used(page, e.index)) {
        entity_clear(index, e, page);
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
        uint32_t place = stoa_record_place(w->records, chunk.entities[0].index);
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

static bool chunk_settle(stoa_index *index, settling *s, const stoa_chunk *chunk, uint32_t at) {
    const uint8_t *column = chunk->columns[at];
    const stoa_column_state *state = (const stoa_column_state *)(const void *)column - 1;
    uint32_t changed = STOA_LOAD(&state->changed);
    if (!s->all && !stoa_tick_newer(changed, index->since)) {
        return true;
    }
    s->now |= changed == s->tick;
    const stoa_entity *entities = stoa_columns_entities(chunk->columns);
    const uint32_t *ticks = (const uint32_t *)(const void *)stoa_column_ticks(column);
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
        uint32_t at = stoa_archetype_column(head, index->component)->index;
        for (int32_t c = 0; c < head->chunk_count; c++) {
            if (!chunk_settle(index, s, &head->chunks[c], at)) {
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
    stoa__index_expose(index);
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
