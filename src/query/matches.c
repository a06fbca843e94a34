/* The matches of a query: which archetypes, and where their columns are.
 *
 * Kept in order of archetype ids from the first iteration on, each with its indexes behind it.
 * Indexes are those of the epoch that the query notes: when that of the world has moved on, those
 * of archetypes that changed since are read anew, once for all iterations in it. Listing is O(words
 * of archetypes + matches), adding one O(terms). Only room needs memory. One thread at a time. */
#include "query/matches.h"

#include "storage/archetype.h"

#include <string.h>

/* Reads where the columns keep the ticks of their rows, for terms that write such columns. */
static STOA__APART void marks_resolve(const stoa_query *query, stoa_match *match) {
    const void *archetype = match->archetype;
    for (uint32_t left = query->terms.marks; left != 0; left &= left - 1) {
        uint32_t i = stoa__bit_lowest(left);
        if ((match->fields >> i & 1) != 0) {
            stoa__match_indexes(match)[query->terms.count + i] =
                stoa__archetype_lane(archetype, query->terms.ids[i], STOA__LANE_CHANGED)->index;
        }
    }
}

/* Reads the indexes of a match. */
static void match_resolve(const stoa_query *query, stoa_match *match) {
    const stoa_archetype_head *archetype = match->archetype;
    const stoa_archetype_front *front = stoa_archetype_seen(archetype);
    const stoa_column *columns = front->columns;
    uint32_t *indexes = stoa__match_indexes(match);
    uint32_t mask = front->column_mask, count = query->terms.count;
    uint64_t there = 0;
    for (uint32_t i = 0; i < count; i++) {
        stoa_component id = query->terms.ids[i];
        const stoa_column *column = &columns[id & mask];
        if (!STOA_LIKELY(column->id == id)) {
            column = stoa_archetype_column(archetype, id);
        }
        if (column != NULL) {
            indexes[i] = column->index;
            there |= (uint64_t)1 << i;
        }
    }
    match->fields = query->terms.fields & (there | there << 32);
    if (query->terms.marks != 0) {
        marks_resolve(query, match);
    }
}

/* The indexes of a match: of its columns, and, if any term writes a column with ticks for each row,
 * of those. */
uint32_t stoa__matches_size(const stoa__terms *terms) {
    uint32_t count = terms->marks != 0 ? 2 * terms->count : terms->count;
    uint32_t size = (uint32_t)sizeof(stoa_match) + count * (uint32_t)sizeof(uint32_t);
    return (size + 7) / 8 * 8;
}

bool stoa__matches_reserve(stoa_query *query, uint32_t count) {
    return stoa__heap_grow(&query->head.world->storage.heap, &query->head.matches,
                           &query->match_capacity, count > 0 ? count : 1, query->head.match_size);
}

void stoa__matches_add(stoa_query *query, stoa_archetype_head *archetype) {
    stoa_match *match = stoa__match_at(query, query->head.count++);
    match->archetype = archetype;
    match_resolve(query, match);
}

uint64_t stoa__matches_bits(const stoa_query *query, uint32_t word) {
    uint64_t bits = stoa__terms_match(&query->head.world->storage, &query->terms, word);
    return word == 0 ? bits & ~(uint64_t)1 : bits;
}

/* True if what a match tells of each term is known beforehand, but for indexes. */
static bool terms_plain(const stoa__terms *terms) {
    uint64_t required = 0;
    for (uint32_t i = 0; i < terms->required_count; i++) {
        required |= (uint64_t)1 << terms->required[i];
    }
    return terms->marks == 0 && (uint32_t)(terms->fields & ~required) == 0;
}

/* What is below each component with data in the ranks of archetypes; false if not all are there. */
static bool terms_below(const stoa__terms *terms, uint64_t *below) {
    bool all = true;
    for (uint32_t i = 0; i < terms->count; i++) {
        stoa_component id = terms->ids[i];
        all = all && (id < STOA__RANKS_END || (terms->fields >> i & 1) == 0);
        below[i] = ((uint64_t)1 << id % STOA__RANKS_END) - 1;
    }
    return all;
}

/* How the indexes of a match are read. */
typedef enum list_way {
    LIST_SEARCH, /* one by one, where it may be that there are none */
    LIST_LOOK,   /* in the table of the archetype */
    LIST_COUNT   /* by counting what is below: nothing of the archetype is read */
} list_way;

/* Adds the archetypes among 64 that match, to a query of `count` terms. */
STOA__INLINE void word_list(stoa_query *query, uint32_t word, uint64_t bits, uint32_t count,
                            list_way way, const uint64_t *below) {
    stoa__archetype *const *archetypes = query->head.world->storage.archetypes + (size_t)word * 64;
    const uint64_t *ranks = query->head.world->storage.ranks + (size_t)word * 64;
    uint8_t *next = (uint8_t *)stoa__match_at(query, query->head.count);
    size_t size = query->head.match_size;
    const stoa_component *ids = query->terms.ids;
    uint64_t fields = query->terms.fields;
    query->head.count += stoa__bit_count(bits);
    for (; bits != 0; bits &= bits - 1, next += size) {
        uint32_t at = stoa__bit_lowest(bits);
        stoa_match *match = (stoa_match *)(void *)next;
        uint32_t *indexes = stoa__match_indexes(match);
        stoa_archetype_head *archetype = &archetypes[at]->head;
        *match = (stoa_match){archetype, fields};
        if (way == LIST_COUNT) {
            for (uint32_t i = 0; i < count; i++) {
                indexes[i] = stoa__bit_count(ranks[at] & below[i]);
            }
        } else if (way == LIST_LOOK && stoa_archetype_seen(archetype)->crowded == 0) {
            for (uint32_t i = 0; i < count; i++) {
                indexes[i] = stoa_archetype_entry(archetype, ids[i])->index;
            }
        } else {
            match_resolve(query, match);
        }
    }
}

/* The archetypes that match among as many words as are matched at a time, from one on; returns how
 * many words that is. */
static uint32_t words_match(const stoa_query *query, uint32_t word, uint64_t *bits) {
    const stoa__storage *storage = &query->head.world->storage;
    uint32_t left = (storage->archetype_count + 63) / 64 - word;
    left = left < STOA__TERMS_WORDS ? left : STOA__TERMS_WORDS;
    stoa__terms_match_words(storage, &query->terms, word, left, bits);
    bits[0] = word == 0 ? bits[0] & ~(uint64_t)1 : bits[0];
    return left;
}

stoa_status stoa__matches_list(stoa_query *query) {
    const stoa__storage *storage = &query->head.world->storage;
    uint32_t all = (storage->archetype_count + 63) / 64, count = query->terms.empty, words = 0;
    uint64_t bits[STOA__TERMS_WORDS];
    for (uint32_t word = 0; word < all; word += words) {
        words = words_match(query, word, bits);
        for (uint32_t i = 0; i < words; i++) {
            count += stoa__bit_count(bits[i]);
        }
    }
    if (!stoa__matches_reserve(query, count)) {
        return stoa__error_memory("a query's matches");
    }
    if (query->terms.empty) {
        stoa__matches_add(query, &query->head.world->empties.head);
    }
    uint64_t below[STOA_TERM_MAX];
    list_way way = !terms_plain(&query->terms)         ? LIST_SEARCH
                   : terms_below(&query->terms, below) ? LIST_COUNT
                                                       : LIST_LOOK;
    for (uint32_t word = 0; word < all; word += words) {
        words = words < all ? words_match(query, word, bits) : words;
        for (uint32_t i = 0; i < words; i++) {
            if (way == LIST_COUNT && query->terms.count == 2) {
                word_list(query, word + i, bits[i], 2, LIST_COUNT, below);
            } else {
                word_list(query, word + i, bits[i], query->terms.count, way, below);
            }
        }
    }
    query->listed = true;
    query->head.epoch = storage->head.epoch;
    query->head.light = stoa__query_weight(query);
    return STOA_OK;
}

void stoa__matches_resolve(stoa_query *query) {
    uint32_t now = query->head.world->storage.head.epoch, age = now - query->head.epoch;
    for (uint32_t i = query->terms.empty; i < query->head.count; i++) {
        stoa_match *match = stoa__match_at(query, i);
        /* Ages are compared, since epochs wrap: at worst indexes are read that did not change. */
        if (now - stoa_archetype_seen(match->archetype)->version < age) {
            match_resolve(query, match);
        }
    }
    query->head.epoch = now;
}
