/* The terms of a query: checking them, and matching archetypes by bitset.
 *
 * Each component knows the archetypes that have it as a bitset. A query matches the intersection of
 * those it requires, less the union of those it excludes, within the union of each any-of group:
 * some words and operations for 64 archetypes at a time, whatever the number of components.
 *
 * Sparse components are in no archetype, and those that can be switched off may be absent from a
 * row whose archetype has them: what they ask for is listed as tests of rows. */
#include "query/query.h"

#include "base/inline.h"
#include "storage/archetype.h"
#include "storage/registry.h"

#include <stdio.h>
#include <string.h>

static bool access_writes(stoa_access access) {
    return access == STOA_ACCESS_WRITE || access == STOA_ACCESS_OPTIONAL_WRITE ||
           access == STOA_ACCESS_ANY_WRITE;
}

static bool access_any(stoa_access access) {
    return access == STOA_ACCESS_ANY || access == STOA_ACCESS_ANY_WRITE;
}

static bool access_data(stoa_access access) {
    return access >= STOA_ACCESS_READ && access <= STOA_ACCESS_ANY_WRITE &&
           access != STOA_ACCESS_WITHOUT;
}

static bool term_switches(const stoa__term *term) {
    return (term->component->info.flags & STOA_SWITCHABLE) != 0;
}

static bool access_filters(stoa_access access) {
    return access == STOA_ACCESS_CHANGED || access == STOA_ACCESS_ADDED;
}

/* A filter by tick may stand beside one other term of its component, and beside the other filter.
 */
static bool term_agrees(const stoa__term *a, const stoa__term *b) {
    return a->component != b->component ||
           (a->access != b->access && a->access != STOA_ACCESS_WITHOUT &&
            b->access != STOA_ACCESS_WITHOUT &&
            (access_filters(a->access) || access_filters(b->access)));
}

/* Two terms that do not agree; the message says how. */
static stoa_status contradiction(const stoa__term *a, const stoa__term *b) {
    const char *how = "twice";
    if ((a->access == STOA_ACCESS_WITHOUT) != (b->access == STOA_ACCESS_WITHOUT)) {
        how = "both to be there and to be absent";
    } else if (access_writes(a->access) != access_writes(b->access)) {
        how = "both to be read and to be written";
    }
    return stoa__error(STOA_CONTRADICTION, "a query asks for component '%s' %s", a->component->name,
                       how);
}

static stoa_status term_read(stoa_world *world, const stoa_term *term, uint32_t index,
                             stoa__term *result) {
    if ((int)term->access < 0 || term->access > STOA_ACCESS_ADDED) {
        return stoa__error(STOA_INVALID, "term %u of a query asks for no known access", index);
    }
    stoa_component id = term->id;
    if (term->type != NULL) {
        id = stoa__world_type(world, term->type);
        if (id == 0) {
            return stoa_last_error().status;
        }
    }
    if (!stoa__component_known(&world->storage, id)) {
        return stoa__error(STOA_UNKNOWN, "term %u of a query: there is no component with the id %u",
                           index, id);
    }
    const stoa__component *component = stoa__component_at(&world->storage, id);
    if (access_writes(term->access) && (component->info.flags & STOA_IMMUTABLE) != 0) {
        return stoa__error(STOA_ACCESS,
                           "term %u of a query: component '%s' is immutable and can only be read",
                           index, component->name);
    }
    *result = (stoa__term){stoa__component_at(&world->storage, id), term->access, term->group, 0};
    return STOA_OK;
}

/* Any-of terms are kept group by group, in order of their first terms. */
static void any_insert(stoa__terms *terms, uint32_t index) {
    uint32_t at = terms->any_count++;
    for (uint32_t i = 0; i < at; i++) {
        if (terms->items[terms->any[i]].group == terms->items[index].group) {
            uint32_t end = i;
            while (end < at && terms->items[terms->any[end]].group == terms->items[index].group) {
                end++;
            }
            memmove(&terms->any[end + 1], &terms->any[end], at - end);
            at = end;
        }
    }
    terms->any[at] = (uint8_t)index;
}

/* What an archetype must have or must not have for the term's sake. */
static void term_sort(stoa__terms *terms, uint32_t index) {
    const stoa__term *term = &terms->items[index];
    bool column = term->component->set == NULL;
    if (access_any(term->access)) {
        any_insert(terms, index);
    } else if (column && stoa__access_requires(term->access)) {
        terms->required[terms->required_count++] = (uint8_t)index;
    } else if (column && term->access == STOA_ACCESS_WITHOUT && !term_switches(term)) {
        terms->excluded[terms->excluded_count++] = (uint8_t)index;
    }
}

/* Where the term's data is and what is done to it. */
static void term_field(stoa__terms *terms, uint32_t index) {
    const stoa__term *term = &terms->items[index];
    uint32_t bit = (uint32_t)1 << index;
    bool column = term->component->set == NULL;
    bool data = access_data(term->access) && term->component->info.size != 0;
    bool writes = data && access_writes(term->access);
    bool exact = (term->component->info.flags & STOA_ROW_TICKS) != 0;
    bool noted = (term->component->info.flags & STOA_NOTED) != 0;
    terms->fields |= (uint64_t)(data && column) << index;
    terms->fields |= (uint64_t)(writes && column && !exact && !noted) << (index + 32);
    terms->data |= data ? bit : 0;
    terms->writes |= writes ? bit : 0;
    terms->sparse |= column ? 0 : bit;
    terms->marks |= writes && column && exact ? bit : 0;
    if (data && column && term_switches(term) && !stoa__access_requires(term->access)) {
        terms->splits |= bit;
    }
}

/* What is asked of each row for the term's sake. */
static uint32_t term_tests(const stoa__term *term) {
    bool rows = term->component->set != NULL || term_switches(term);
    uint32_t tests = 0;
    if (stoa__access_requires(term->access)) {
        tests |= rows ? STOA__TEST_ON : 0;
        tests |= term->access == STOA_ACCESS_CHANGED ? STOA__TEST_CHANGED : 0;
        tests |= term->access == STOA_ACCESS_ADDED ? STOA__TEST_ADDED : 0;
    } else if (term->access == STOA_ACCESS_WITHOUT && rows) {
        tests |= STOA__TEST_OFF;
    }
    return tests;
}

/* Gathers the tests of a component at the first term that has any. */
static void term_test(stoa__terms *terms, uint32_t index) {
    stoa__term *term = &terms->items[index];
    uint32_t at = 0;
    terms->timed |= access_filters(term->access);
    terms->heavy |=
        access_filters(term->access) || term->component->set != NULL || term_switches(term);
    while (at < index &&
           (terms->items[at].component != term->component || terms->items[at].tests == 0)) {
        at++;
    }
    terms->items[at].tests |= term_tests(term);
}

/* Lists the terms with tests, and the columns in which rows are looked at. */
static void tests_list(stoa__terms *terms) {
    for (uint32_t i = 0; i < terms->count; i++) {
        const stoa__term *term = &terms->items[i];
        bool column = term->component->set == NULL;
        if (term->tests != 0 && column) {
            terms->columns[terms->column_count++] = (uint8_t)i;
        } else if (term->tests != 0) {
            terms->sparses[terms->sparse_count++] = (uint8_t)i;
        }
        bool looked = term->tests != 0 || (access_any(term->access) && term_switches(term));
        terms->lanes |= (uint32_t)(looked && column) << i;
    }
    terms->lanes |= terms->splits;
}

/* True if entities without columns may match. */
static bool terms_empty(const stoa__terms *terms) {
    for (uint32_t i = 0, end = 0; i < terms->any_count; i = end) {
        bool columns = true;
        for (end = stoa__terms_group(terms, i); i < end; i++) {
            columns = columns && terms->items[terms->any[i]].component->set == NULL;
        }
        if (columns) {
            return false;
        }
    }
    return terms->required_count == 0;
}

stoa_status stoa__terms_read(stoa_world *world, const stoa_query_desc *desc, stoa__terms *terms) {
    memset(terms, 0, offsetof(stoa__terms, items));
    for (uint32_t i = 0; i < STOA_TERM_MAX && desc->terms[i].access != STOA_ACCESS_END; i++) {
        stoa_status status = term_read(world, &desc->terms[i], i, &terms->items[i]);
        if (status != STOA_OK) {
            return status;
        }
        for (uint32_t k = 0; k < i; k++) {
            if (!term_agrees(&terms->items[k], &terms->items[i])) {
                return contradiction(&terms->items[k], &terms->items[i]);
            }
        }
        terms->ids[i] = terms->items[i].component->info.id;
        terms->count++;
        term_sort(terms, i);
        term_field(terms, i);
        term_test(terms, i);
    }
    tests_list(terms);
    terms->empty = terms_empty(terms);
    return STOA_OK;
}

/* The archetypes among 64 that have a column of a group; all if it has a sparse component, which
 * the rows must be asked for. */
static uint64_t group_match(const stoa__terms *terms, uint32_t from, uint32_t to, uint32_t word) {
    uint64_t bits = 0;
    for (uint32_t i = from; i < to; i++) {
        const stoa__component *component = terms->items[terms->any[i]].component;
        bits |=
            component->set != NULL ? UINT64_MAX : stoa__bitset_word(&component->archetypes, word);
    }
    return bits;
}

uint64_t stoa__terms_match(const stoa__storage *storage, const stoa__terms *terms, uint32_t word) {
    uint32_t left = storage->archetype_count - word * 64;
    uint64_t bits = left >= 64 ? UINT64_MAX : ((uint64_t)1 << left) - 1;
    for (uint32_t i = 0; i < terms->required_count; i++) {
        bits &= stoa__bitset_word(&terms->items[terms->required[i]].component->archetypes, word);
    }
    for (uint32_t i = 0; i < terms->excluded_count; i++) {
        bits &= ~stoa__bitset_word(&terms->items[terms->excluded[i]].component->archetypes, word);
    }
    for (uint32_t i = 0, end = 0; i < terms->any_count; i = end) {
        end = stoa__terms_group(terms, i);
        bits &= group_match(terms, i, end, word);
    }
    return bits;
}

/* Takes from bits those that a set has not, or, in reverse, those that it has. */
static void words_mask(const stoa__bitset *set, bool reverse, uint32_t word, uint32_t count,
                       uint64_t *restrict bits) {
    uint64_t flip = reverse ? UINT64_MAX : 0;
    uint32_t there = set->word_count > word ? set->word_count - word : 0;
    there = there < count ? there : count;
    const uint64_t *words = set->words + word;
    for (uint32_t i = 0; i < there; i++) {
        bits[i] &= words[i] ^ flip;
    }
    for (uint32_t i = there; i < count; i++) {
        bits[i] &= flip;
    }
}

void stoa__terms_match_words(const stoa__storage *storage, const stoa__terms *terms, uint32_t word,
                             uint32_t count, uint64_t *bits) {
    uint32_t left = storage->archetype_count - word * 64;
    memset(bits, 0xFF, count * sizeof *bits);
    bits[count - 1] >>= left < count * 64 ? count * 64 - left : 0;
    for (uint32_t i = 0; i < terms->required_count; i++) {
        words_mask(&terms->items[terms->required[i]].component->archetypes, false, word, count,
                   bits);
    }
    for (uint32_t i = 0; i < terms->excluded_count; i++) {
        words_mask(&terms->items[terms->excluded[i]].component->archetypes, true, word, count,
                   bits);
    }
    for (uint32_t i = 0, end = 0; i < terms->any_count; i = end) {
        end = stoa__terms_group(terms, i);
        for (uint32_t k = 0; k < count; k++) {
            bits[k] &= group_match(terms, i, end, word + k);
        }
    }
}

/* What is known of the rows of all archetypes that match, added up: how many there are in the lower
 * half, how often some came or changed places in the upper one. */
STOA__INLINE uint64_t rows_sum(const stoa__storage *storage, const stoa__terms *terms) {
    uint64_t sum = 0;
    stoa__rows_ready(storage);
    uint32_t words = (storage->archetype_count + 63) / 64;
    for (uint32_t first = 0; first < words; first += STOA__TERMS_WORDS) {
        uint64_t bits[STOA__TERMS_WORDS];
        uint32_t n = words - first < STOA__TERMS_WORDS ? words - first : STOA__TERMS_WORDS;
        stoa__terms_match_words(storage, terms, first, n, bits);
        for (uint32_t i = 0; i < n; i++) {
            const uint64_t *rows = storage->rows + (size_t)(first + i) * 64;
            for (uint64_t left = bits[i]; left != 0; left &= left - 1) {
                sum += rows[stoa__bit_lowest(left)];
            }
        }
    }
    return sum;
}

int32_t stoa__terms_count(const stoa__storage *storage, const stoa__terms *terms) {
    uint32_t rows = (uint32_t)rows_sum(storage, terms);
    return (int32_t)(rows + (terms->empty ? storage->empty_count : 0));
}

uint64_t stoa__terms_version(const stoa__storage *storage, const stoa__terms *terms) {
    return rows_sum(storage, terms) + storage->rows_hidden;
}

static const char *access_text(stoa_access access) {
    switch (access) {
    case STOA_ACCESS_READ:
    case STOA_ACCESS_ANY:
        return "const ";
    case STOA_ACCESS_WITHOUT:
        return "!";
    case STOA_ACCESS_OPTIONAL:
        return "?const ";
    case STOA_ACCESS_OPTIONAL_WRITE:
        return "?";
    case STOA_ACCESS_FILTER:
        return "with ";
    case STOA_ACCESS_CHANGED:
        return "changed ";
    case STOA_ACCESS_ADDED:
        return "added ";
    default:
        return "";
    }
}

void stoa__terms_print(const stoa__terms *terms, char *buffer, size_t size) {
    size_t used = 0;
    buffer[0] = '\0';
    for (uint32_t i = 0; i < terms->count && used < size; i++) {
        const stoa__term *term = &terms->items[i];
        bool joined = i > 0 && access_any(term->access) && access_any(term[-1].access) &&
                      term->group == term[-1].group;
        const char *between = i == 0 ? "" : joined ? " | " : ", ";
        int written = snprintf(buffer + used, size - used, "%s%s%s", between,
                               access_text(term->access), term->component->name);
        used += written > 0 ? (size_t)written : 0;
    }
}
