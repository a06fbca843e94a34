/* One chunk of a walk: which of its rows match, and the runs they make.
 *
 * The states before the columns often tell of all rows at once: nothing newer than the tick asked
 * for, nothing switched off. Only then what is left to ask is asked of rows, 64 at a time as bits,
 * the cheap questions first. */
#include "query/walk.h"

#include "query/mask.h"
#include "storage/archetype.h"

/* Runs of a word that are listed without a look at how many there are. */
#define RUNS_FEW 2u

/* True if a row of the chunk may pass the tests of a column; `some` is set if not all must. */
static bool column_open(const stoa__walk *walk, uint32_t index, uint8_t *const *columns,
                        uint32_t count, bool *some) {
    const stoa__spot *spot = &walk->spots[index];
    uint32_t tests = walk->terms->items[index].tests;
    if (spot->column == STOA__NONE) {
        return true;
    }
    const stoa_column_state *state = stoa__walk_state(columns, spot);
    if ((tests & STOA__TEST_CHANGED) != 0) {
        if (!stoa_tick_newer(STOA_LOAD(&state->changed), walk->since)) {
            return false;
        }
        *some |= spot->changed != STOA__NONE;
    }
    if ((tests & STOA__TEST_ADDED) != 0) {
        if (!stoa_tick_newer(STOA_LOAD(&state->added), walk->since)) {
            return false;
        }
        *some |= spot->added != STOA__NONE;
    }
    if ((tests & STOA__TEST_ON) != 0) {
        *some |= state->off > 0;
        return state->off < count;
    }
    if ((tests & STOA__TEST_OFF) != 0) {
        *some |= state->off < count;
        return state->off > 0;
    }
    return true;
}

/* True if every row of the chunk has a column of the group, switched on. */
static bool group_whole(const stoa__walk *walk, uint32_t from, uint8_t *const *columns) {
    const stoa__terms *terms = walk->terms;
    for (uint32_t i = from, end = stoa__terms_group(terms, from); i < end; i++) {
        const stoa__spot *spot = stoa__walk_any(walk, terms->any[i]);
        if (spot != NULL && stoa__walk_state(columns, spot)->off == 0) {
            return true;
        }
    }
    return false;
}

/* The groups that rows must be asked for. */
static uint32_t groups_open(const stoa__walk *walk, uint8_t *const *columns) {
    uint32_t open = 0;
    for (uint32_t left = walk->groups; left != 0; left &= left - 1) {
        uint32_t from = stoa__bit_lowest(left);
        open |= group_whole(walk, from, columns) ? 0 : (uint32_t)1 << from;
    }
    return open;
}

/* Reads which data is off in all rows, and in some. */
static void splits_read(stoa__walk *walk, uint8_t *const *columns, uint32_t count) {
    walk->chunk_fields = walk->fields;
    walk->splits = 0;
    for (uint32_t left = walk->terms->splits; left != 0; left &= left - 1) {
        uint32_t index = stoa__bit_lowest(left);
        const stoa__spot *spot = &walk->spots[index];
        uint32_t off = spot->column != STOA__NONE ? stoa__walk_state(columns, spot)->off : 0;
        if (off >= count) {
            walk->chunk_fields &= ~((uint64_t)0x100000001u << index);
        } else if (off > 0) {
            walk->splits |= (uint32_t)1 << index;
        }
    }
}

/* Which of 64 rows have ticks newer than the one asked for. Those of the chunk after it are asked
 * for: the processor does so only within a lane. */
STOA__INLINE uint64_t ticks_word(const uint32_t *ticks, const uint8_t *ahead, uint32_t w,
                                 uint32_t since) {
    for (uint32_t i = 0; i < 4; i++) {
        STOA_PREFETCH(ahead + (size_t)w * 256 + (size_t)i * 64);
    }
    return stoa__mask_newer_64(ticks + (size_t)w * 64, since);
}

/* Takes away the rows whose ticks are not newer than the one asked for. */
static void ticks_mask(stoa__walk *walk, uint8_t *const *columns, uint32_t lane, uint32_t count) {
    const uint32_t *ticks = (const void *)columns[lane];
    const uint8_t *ahead = (walk->ahead != NULL ? walk->ahead : columns)[lane];
    uint32_t since = walk->since, full = count / 64;
    for (uint32_t w = 0; w < full; w++) {
        walk->rows[w] &= ticks_word(ticks, ahead, w, since);
    }
    if (full < walk->word_count) {
        walk->rows[full] &= stoa__mask_newer(ticks + (size_t)full * 64, count - full * 64, since);
    }
}

/* Takes away the rows that do not pass the tests of a column. */
static void column_mask(stoa__walk *walk, uint32_t index, uint8_t *const *columns, uint32_t count) {
    const stoa__spot *spot = &walk->spots[index];
    uint32_t tests = walk->terms->items[index].tests;
    if (spot->column == STOA__NONE) {
        return;
    }
    uint32_t off = stoa__walk_state(columns, spot)->off;
    if ((tests & STOA__TEST_CHANGED) != 0 && spot->changed != STOA__NONE) {
        ticks_mask(walk, columns, spot->changed, count);
    }
    if ((tests & STOA__TEST_ADDED) != 0 && spot->added != STOA__NONE) {
        ticks_mask(walk, columns, spot->added, count);
    }
    if ((tests & (STOA__TEST_ON | STOA__TEST_OFF)) != 0 && off > 0) {
        uint64_t flip = (tests & STOA__TEST_ON) != 0 ? UINT64_MAX : 0;
        const uint8_t *flags = columns[spot->off];
        for (uint32_t w = 0; w < walk->word_count; w++) {
            walk->rows[w] &= stoa__mask_flags(flags + (size_t)w * 64, count - w * 64) ^ flip;
        }
    }
}

/* Which of 64 entities are in a set, of those of interest; all of them nearly always. */
STOA__INLINE uint64_t word_present(const stoa__sparse *set, const stoa_entity *entities,
                                   uint64_t left) {
    uint64_t bits = 0;
    if (STOA_LIKELY(left == UINT64_MAX)) {
        for (uint32_t i = 0; i < 64; i++) {
            bits |= (uint64_t)(stoa__sparse_find(set, entities[i].index) != STOA__NONE) << i;
        }
        return bits;
    }
    for (; left != 0; left &= left - 1) {
        uint32_t i = stoa__bit_lowest(left);
        bits |= (uint64_t)(stoa__sparse_find(set, entities[i].index) != STOA__NONE) << i;
    }
    return bits;
}

/* Which of 64 entities pass the tests of a sparse component, of those of interest. */
static uint64_t word_passes(const stoa__walk *walk, const stoa__term *term,
                            const stoa_entity *entities, uint64_t left) {
    uint64_t bits = 0;
    for (; left != 0; left &= left - 1) {
        uint32_t i = stoa__bit_lowest(left);
        bits |= (uint64_t)stoa__walk_sparse(term, entities[i].index, walk->since) << i;
    }
    return bits;
}

/* Takes away the rows that do not pass the tests of a sparse component. */
static void sparse_mask(stoa__walk *walk, const stoa__term *term, uint8_t *const *columns) {
    const stoa_entity *entities = stoa_columns_entities(columns);
    const stoa__sparse *set = term->component->set;
    bool ticks = (term->tests & (STOA__TEST_CHANGED | STOA__TEST_ADDED)) != 0;
    if (ticks || set->off_count > 0) {
        for (uint32_t w = 0; w < walk->word_count; w++) {
            walk->rows[w] = word_passes(walk, term, entities + (size_t)w * 64, walk->rows[w]);
        }
        return;
    }
    uint64_t flip = (term->tests & STOA__TEST_OFF) != 0 ? UINT64_MAX : 0;
    for (uint32_t w = 0; w < walk->word_count; w++) {
        walk->rows[w] &= word_present(set, entities + (size_t)w * 64, walk->rows[w]) ^ flip;
    }
}

/* Which of 64 rows have a component of the group, given those of interest. */
static uint64_t group_word(const stoa__walk *walk, uint32_t from, uint8_t *const *columns,
                           uint32_t w, uint32_t count) {
    const stoa__terms *terms = walk->terms;
    const stoa_entity *entities = stoa_columns_entities(columns) + (size_t)w * 64;
    uint64_t met = 0;
    for (uint32_t i = from, end = stoa__terms_group(terms, from); i < end; i++) {
        const stoa__sparse *set = terms->items[terms->any[i]].component->set;
        const stoa__spot *spot = stoa__walk_any(walk, terms->any[i]);
        if (spot != NULL) {
            met |= ~stoa__mask_flags(columns[spot->off] + (size_t)w * 64, count - w * 64);
        }
        for (uint64_t left = set != NULL ? walk->rows[w] & ~met : 0; left != 0; left &= left - 1) {
            uint32_t bit = stoa__bit_lowest(left);
            met |= (uint64_t)stoa__walk_on(set, entities[bit].index) << bit;
        }
    }
    return met;
}

/* Finds where the data of some terms goes off or on, from one row to the next. */
static void breaks_find(stoa__walk *walk, uint8_t *const *columns, uint32_t count) {
    memset(walk->breaks, 0, walk->word_count * sizeof walk->breaks[0]);
    for (uint32_t left = walk->splits; left != 0; left &= left - 1) {
        const stoa__spot *spot = &walk->spots[stoa__bit_lowest(left)];
        const uint8_t *flags = columns[spot->off];
        uint64_t before = 0;
        for (uint32_t w = 0; w < walk->word_count; w++) {
            uint64_t off = stoa__mask_flags(flags + (size_t)w * 64, count - w * 64);
            walk->breaks[w] |= off ^ (off << 1 | before);
            before = off >> 63;
        }
    }
}

/* Finds the rows that match. */
static void rows_mask(stoa__walk *walk, uint8_t *const *columns, uint32_t count, uint32_t groups) {
    const stoa__terms *terms = walk->terms;
    walk->word_count = (count + 63) / 64;
    for (uint32_t w = 0; w < walk->word_count; w++) {
        walk->rows[w] = stoa__mask_first(count - w * 64);
    }
    for (uint32_t i = 0; i < terms->column_count; i++) {
        column_mask(walk, terms->columns[i], columns, count);
    }
    for (; groups != 0; groups &= groups - 1) {
        uint32_t from = stoa__bit_lowest(groups);
        for (uint32_t w = 0; w < walk->word_count; w++) {
            walk->rows[w] &= walk->rows[w] != 0 ? group_word(walk, from, columns, w, count) : 0;
        }
    }
    for (uint32_t i = 0; i < terms->sparse_count; i++) {
        const stoa__term *term = &terms->items[terms->sparses[i]];
        if (!stoa__walk_idle(term)) {
            sparse_mask(walk, term, columns);
        }
    }
}

/* Lists the words with rows. Whether there are any is a question the processor would guess wrong.
 */
static void live_list(stoa__walk *walk) {
    uint32_t count = 0;
    for (uint32_t w = 0; w < walk->word_count; w++) {
        walk->live[count] = (uint8_t)w;
        count += walk->rows[w] != 0;
    }
    walk->live_count = count;
    walk->live_next = 0;
}

void stoa__walk_chunk(stoa__walk *walk, uint8_t *const *columns, uint32_t count) {
    const stoa__terms *terms = walk->terms;
    bool some = false;
    for (uint32_t i = 0; i < terms->column_count; i++) {
        if (!column_open(walk, terms->columns[i], columns, count, &some)) {
            return;
        }
    }
    for (uint32_t i = 0; i < terms->sparse_count && !some; i++) {
        some = !stoa__walk_idle(&terms->items[terms->sparses[i]]);
    }
    uint32_t groups = walk->groups != 0 ? groups_open(walk, columns) : 0;
    splits_read(walk, columns, count);
    if (!some && groups == 0 && walk->splits == 0) {
        stoa__walk_add(walk, columns, walk->chunk_fields, 0, count);
        return;
    }
    walk->columns = columns;
    rows_mask(walk, columns, count, groups);
    live_list(walk);
    if (walk->splits != 0) {
        breaks_find(walk, columns, count);
    }
}

void stoa__walk_ticks(stoa__walk *walk, uint8_t *const *columns, uint32_t count) {
    const uint32_t *ticks = (const void *)columns[walk->sole];
    const uint8_t *ahead = (walk->ahead != NULL ? walk->ahead : columns)[walk->sole];
    uint32_t since = walk->since, full = count / 64, live = 0;
    for (uint32_t w = 0; w < full; w++) {
        uint64_t word = ticks_word(ticks, ahead, w, since);
        walk->rows[w] = word;
        walk->live[live] = (uint8_t)w;
        live += word != 0;
    }
    if (full * 64 < count) {
        walk->rows[full] = stoa__mask_newer(ticks + (size_t)full * 64, count - full * 64, since);
        walk->live[live] = (uint8_t)full;
        live += walk->rows[full] != 0;
    }
    walk->columns = columns;
    walk->chunk_fields = walk->fields;
    walk->splits = 0;
    walk->word_count = (count + 63) / 64;
    walk->live_count = live;
    walk->live_next = 0;
}

/* The fields of a run, told by its first row. */
static uint64_t run_fields(const stoa__walk *walk, uint32_t row) {
    uint64_t fields = walk->chunk_fields;
    for (uint32_t left = walk->splits; left != 0; left &= left - 1) {
        uint32_t index = stoa__bit_lowest(left);
        if (walk->columns[walk->spots[index].off][row] != 0) {
            fields &= ~((uint64_t)0x100000001u << index);
        }
    }
    return fields;
}

/* Past the run that the lowest rows of a word are: a bit for its end and any above, or 0 if it may
 * go on in the next word. */
STOA__INLINE uint64_t run_past(const stoa__walk *walk, uint32_t w, uint64_t left, bool split) {
    uint64_t lowest = left & (0 - left);
    return split ? (~left | walk->breaks[w]) & (0 - lowest) << 1 : left + lowest;
}

/* Lists runs of the words with rows, all of a word's at once, for which there is room. Stops at one
 * that may go on in the next word, and returns true. */
STOA__INLINE bool runs_cut(stoa__walk *walk, bool split) {
    const uint8_t *live = walk->live + walk->live_next, *live_end = walk->live + walk->live_count;
    stoa_run *run = walk->runs + walk->run_count, *end = walk->runs + STOA__WALK_RUNS;
    const uint32_t *indexes = walk->indexes;
    uint64_t fields = walk->chunk_fields, left = 0;
    uint8_t *const *columns = walk->columns;
    const uint8_t *touch = columns[walk->touch];
    size_t touch_size = walk->touch_size;
    for (; live < live_end && run < end; live++) {
        uint32_t base = *live * 64u;
        for (left = walk->rows[base / 64]; left != 0;) {
            uint64_t past = run_past(walk, base / 64, left, split);
            if (!STOA_LIKELY(past != 0)) {
                break;
            }
            size_t first = base + stoa__bit_lowest(left), last = base + stoa__bit_lowest(past);
            left &= split ? UINT64_MAX << last % 64 : past;
            STOA_PREFETCH(touch + first * touch_size);
            *run++ =
                (stoa_run){columns, indexes, split ? run_fields(walk, (uint32_t)first) : fields,
                           (int32_t)first, (int32_t)(last - first)};
        }
        if (!STOA_LIKELY(left == 0)) {
            walk->rows[base / 64] = left;
            break;
        }
    }
    walk->live_next = (uint32_t)(live - walk->live);
    walk->run_count = (uint32_t)(run - walk->runs);
    return left != 0;
}

/* Takes the rows of a run that goes on past word `w`; returns where it ends. */
static uint32_t run_end(stoa__walk *walk, uint32_t w) {
    while (++w < walk->word_count) {
        uint64_t stop = ~walk->rows[w] | (walk->splits != 0 ? walk->breaks[w] : 0);
        if (stop != 0) {
            uint32_t end = stoa__bit_lowest(stop);
            walk->rows[w] &= UINT64_MAX << end;
            return w * 64 + end;
        }
        walk->rows[w] = 0;
    }
    return w * 64;
}

/* Lists the run that the last rows of a word begin. */
STOA__APART static void run_long(stoa__walk *walk) {
    uint32_t w = walk->live[walk->live_next++];
    uint32_t first = w * 64 + stoa__bit_lowest(walk->rows[w]), last = run_end(walk, w);
    STOA_PREFETCH(walk->columns[walk->touch] + (size_t)first * walk->touch_size);
    stoa__walk_add(walk, walk->columns, run_fields(walk, first), first, last - first);
}

STOA__APART static void runs_cut_split(stoa__walk *walk) {
    while (runs_cut(walk, true)) {
        run_long(walk);
    }
}

/* Writes the first run of a word. Returns what is left of the word, or the word if there is no
 * more. */
STOA__INLINE uint64_t run_write(stoa_run *run, const stoa_run *same, uint64_t left, uint32_t base,
                                const uint8_t *touch, size_t touch_size) {
    uint64_t past = left + (left & (0 - left)), rest = left & past;
    uint32_t first = base + stoa__bit_lowest(left);
    *run = *same;
    run->first = (int32_t)first;
    run->count = (int32_t)(base + stoa__bit_lowest(past) - first);
    STOA_PREFETCH(touch + first * touch_size);
    return rest | (left & (0 - (uint64_t)(rest == 0)));
}

/* runs_cut where runs have the same fields, of words whose last row is in none. Whether a word has
 * another run is a question the processor would guess wrong: a few are written, and where there
 * are not so many the last one again, which the next word's go over. */
static void runs_list(stoa__walk *walk) {
    const uint8_t *live = walk->live + walk->live_next, *live_end = walk->live + walk->live_count;
    stoa_run *run = walk->runs + walk->run_count, *end = walk->runs + STOA__WALK_RUNS;
    stoa_run same = {walk->columns, walk->indexes, walk->chunk_fields, 0, 0};
    const uint8_t *touch = walk->columns[walk->touch];
    size_t touch_size = walk->touch_size;
    for (; live < live_end && run < end; live++) {
        uint64_t left = walk->rows[*live];
        if (!STOA_LIKELY((int64_t)left > 0)) {
            break;
        }
        uint32_t base = *live * 64u, count = stoa__bit_count(left & ~(left << 1));
        for (uint32_t i = 0; i < RUNS_FEW; i++) {
            left = run_write(run + i, &same, left, base, touch, touch_size);
        }
        for (uint32_t i = RUNS_FEW; i < count; i++) {
            left = run_write(run + i, &same, left, base, touch, touch_size);
        }
        run += count;
    }
    walk->live_next = (uint32_t)(live - walk->live);
    walk->run_count = (uint32_t)(run - walk->runs);
}

void stoa__walk_cut(stoa__walk *walk) {
    if (walk->splits != 0) {
        runs_cut_split(walk);
        return;
    }
    runs_list(walk);
    while (runs_cut(walk, false)) {
        run_long(walk);
    }
}
