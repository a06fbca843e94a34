/* The terms of a query: checking them, and matching archetypes by bitset.
 *
 * Each component knows the archetypes that have it as a bitset. A query matches the intersection of
 * those it requires, less the union of those it excludes, within the union of each any-of group:
 * some words and operations for 64 archetypes at a time, whatever the number of components. */
#include "query/query.h"

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

static bool access_requires(stoa_access access) {
    return access == STOA_ACCESS_READ || access == STOA_ACCESS_WRITE ||
           access == STOA_ACCESS_FILTER;
}

/* Two terms of one component always contradict each other; the message says how. */
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
    if ((int)term->access < 0 || term->access > STOA_ACCESS_FILTER) {
        return stoa__error(STOA_INVALID, "term %u of a query asks for no known access", index);
    }
    stoa_component id = term->id;
    if (term->type != NULL) {
        id = stoa__registry_type(&world->storage, term->type);
        if (id == 0) {
            return stoa_last_error().status;
        }
    }
    if (!stoa__component_known(&world->storage, id)) {
        return stoa__error(STOA_UNKNOWN, "term %u of a query: there is no component with the id %u",
                           index, id);
    }
    *result = (stoa__term){stoa__component_at(&world->storage, id), term->access, term->group};
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

static void term_sort(stoa__terms *terms, uint32_t index) {
    const stoa__term *term = &terms->items[index];
    if (access_requires(term->access)) {
        terms->required[terms->required_count++] = (uint8_t)index;
    } else if (term->access == STOA_ACCESS_WITHOUT) {
        terms->excluded[terms->excluded_count++] = (uint8_t)index;
    } else if (access_any(term->access)) {
        any_insert(terms, index);
    }
    bool data = term->access != STOA_ACCESS_WITHOUT && term->access != STOA_ACCESS_FILTER &&
                term->component->info.size != 0;
    terms->fields |= (uint64_t)data << index;
    terms->fields |= (uint64_t)(data && access_writes(term->access)) << (index + 32);
}

stoa_status stoa__terms_read(stoa_world *world, const stoa_query_desc *desc, stoa__terms *terms) {
    terms->count = 0;
    terms->fields = 0;
    terms->required_count = 0;
    terms->excluded_count = 0;
    terms->any_count = 0;
    for (uint32_t i = 0; i < STOA_TERM_MAX && desc->terms[i].access != STOA_ACCESS_END; i++) {
        stoa_status status = term_read(world, &desc->terms[i], i, &terms->items[i]);
        if (status != STOA_OK) {
            return status;
        }
        for (uint32_t k = 0; k < i; k++) {
            if (terms->items[k].component == terms->items[i].component) {
                return contradiction(&terms->items[k], &terms->items[i]);
            }
        }
        terms->ids[i] = terms->items[i].component->info.id;
        terms->count++;
        term_sort(terms, i);
    }
    terms->empty = terms->required_count == 0 && terms->any_count == 0;
    return STOA_OK;
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
    for (uint32_t i = 0; i < terms->any_count;) {
        uint64_t any = 0;
        int32_t group = terms->items[terms->any[i]].group;
        while (i < terms->any_count && terms->items[terms->any[i]].group == group) {
            any |= stoa__bitset_word(&terms->items[terms->any[i]].component->archetypes, word);
            i++;
        }
        bits &= any;
    }
    return bits;
}

int32_t stoa__terms_count(const stoa__storage *storage, const stoa__terms *terms) {
    uint32_t count = terms->empty ? storage->empty_count : 0;
    for (uint32_t word = 0; word * 64 < storage->archetype_count; word++) {
        uint64_t bits = stoa__terms_match(storage, terms, word);
        for (; bits != 0; bits &= bits - 1) {
            count += storage->rows[word * 64 + stoa__bit_lowest(bits)];
        }
    }
    return (int32_t)count;
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
