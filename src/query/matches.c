/* The matches of a query: which archetypes, and where their columns are.
 *
 * Kept in order of archetype ids from the first iteration on, in one block with the indexes of all.
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
            match->indexes[query->terms.count + i] =
                stoa__archetype_lane(archetype, query->terms.ids[i], STOA__LANE_CHANGED)->index;
        }
    }
}

/* Reads the indexes of a match. */
static void match_resolve(const stoa_query *query, stoa_match *match) {
    const stoa_archetype_head *archetype = match->archetype;
    const stoa_column *columns = archetype->columns;
    uint32_t *indexes = match->indexes, mask = archetype->column_mask, count = query->terms.count;
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

/* Indexes of one match: of its columns, and, if any term writes a column with ticks for each row,
 * of those. One at least, so that an iteration has something to point to. */
static uint32_t indexes_stride(const stoa_query *query) {
    uint32_t count = query->terms.count > 0 ? query->terms.count : 1;
    return query->terms.marks != 0 ? 2 * count : count;
}

size_t stoa__matches_size(const stoa_query *query) {
    return sizeof(stoa_match) + indexes_stride(query) * sizeof(uint32_t);
}

/* The indexes stand behind the room for matches, in one block. */
bool stoa__matches_reserve(stoa_query *query, uint32_t count) {
    stoa_query_head *head = &query->head;
    uint32_t before = query->match_capacity, stride = indexes_stride(query);
    if (!stoa__heap_grow(&head->world->storage.heap, &head->matches, &query->match_capacity,
                         count > 0 ? count : 1, stoa__matches_size(query))) {
        return false;
    }
    if (query->match_capacity != before) {
        head->indexes = (uint32_t *)(void *)(head->matches + query->match_capacity);
        memmove(head->indexes, head->matches + before,
                (size_t)head->count * stride * sizeof *head->indexes);
        for (uint32_t i = 0; i < head->count; i++) {
            head->matches[i].indexes = head->indexes + (size_t)i * stride;
        }
    }
    return true;
}

void stoa__matches_add(stoa_query *query, stoa_archetype_head *archetype) {
    stoa_match *match = &query->head.matches[query->head.count];
    match->archetype = archetype;
    match->indexes = query->head.indexes + (size_t)query->head.count * indexes_stride(query);
    query->head.count++;
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

/* Reads where an archetype that is not crowded keeps components that it has. */
STOA__INLINE void indexes_read(const stoa_archetype_head *archetype, const stoa_component *ids,
                               uint32_t count, uint32_t *restrict indexes) {
    for (uint32_t i = 0; i < count; i++) {
        indexes[i] = stoa_archetype_entry(archetype, ids[i])->index;
    }
}

/* Adds the archetypes among 64 that match, to a query of `count` terms. If those are plain, reading
 * indexes is all there is to it. */
STOA__INLINE void word_list(stoa_query *query, uint32_t word, uint64_t bits, uint32_t count,
                            bool plain) {
    stoa__archetype *const *archetypes = query->head.world->storage.archetypes + (size_t)word * 64;
    stoa_match *match = query->head.matches + query->head.count;
    uint32_t stride = indexes_stride(query);
    uint32_t *indexes = query->head.indexes + (size_t)query->head.count * stride;
    const stoa_component *ids = query->terms.ids;
    uint64_t fields = query->terms.fields;
    query->head.count += stoa__bit_count(bits);
    for (; bits != 0; bits &= bits - 1, match++, indexes += stride) {
        stoa_archetype_head *archetype = &archetypes[stoa__bit_lowest(bits)]->head;
        *match = (stoa_match){archetype, indexes, fields};
        if (STOA_LIKELY(plain && archetype->crowded == 0)) {
            indexes_read(archetype, ids, count, indexes);
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
        stoa__matches_add(query, &query->head.world->empties);
    }
    bool plain = terms_plain(&query->terms);
    for (uint32_t word = 0; word < all; word += words) {
        words = words < all ? words_match(query, word, bits) : words;
        for (uint32_t i = 0; i < words; i++) {
            if (plain && query->terms.count == 2) {
                word_list(query, word + i, bits[i], 2, true);
            } else {
                word_list(query, word + i, bits[i], query->terms.count, plain);
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
        stoa_match *match = &query->head.matches[i];
        /* Ages are compared, since epochs wrap: at worst indexes are read that did not change. */
        if (now - match->archetype->version < age) {
            match_resolve(query, match);
        }
    }
    query->head.epoch = now;
}
