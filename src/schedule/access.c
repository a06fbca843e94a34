/* What systems declare, as sets, and what two of them conflict about.
 *
 * A component is in the set of reads or in that of writes, never in both. Terms that ask about
 * structure alone are in neither, since structure stays as it is while a batch runs; those of
 * components that can be switched off are reads, since switching is no change of structure.
 *
 * Comparing takes some operations for 64 components at a time; a script adds a look at each
 * component that the other system writes. Comparing allocates nothing and changes nothing. */
#include "schedule/access.h"

static bool term_writes(const stoa_term *term) {
    return term->access == STOA_ACCESS_WRITE || term->access == STOA_ACCESS_OPTIONAL_WRITE ||
           term->access == STOA_ACCESS_ANY_WRITE;
}

/* A resource is no part of the structure, so every term about one counts. */
static bool term_counts(const stoa_world *world, const stoa_term *term, stoa_component id,
                        bool resource) {
    if (resource || (term->access != STOA_ACCESS_FILTER && term->access != STOA_ACCESS_WITHOUT)) {
        return true;
    }
    stoa_component_info info;
    return stoa_component_info_get(world, id, &info) == STOA_OK &&
           (info.flags & STOA_SWITCHABLE) != 0;
}

static stoa_component term_register(stoa_world *world, const stoa_term *term) {
    if ((int)term->access <= STOA_ACCESS_END || term->access > STOA_ACCESS_ADDED) {
        stoa__error(STOA_INVALID, "a term of a system asks for no known access");
        return 0;
    }
    if (term->type != NULL) {
        return stoa_type_register(world, term->type);
    }
    if (term->id == 0 || term->id > (uint32_t)stoa_component_count(world)) {
        stoa__error(STOA_UNKNOWN, "a term of a system: there is no component with the id %u",
                    term->id);
        return 0;
    }
    return term->id;
}

static stoa_component term_id(const stoa_world *world, const stoa_term *term) {
    return term->type != NULL ? stoa_type_find(world, term->type) : term->id;
}

stoa_status stoa__access_add(stoa__access *access, stoa__heap *heap, stoa_world *world,
                             const stoa_term *terms, uint32_t count, bool resource) {
    stoa__bitset *reads = resource ? &access->resource_reads : &access->reads;
    stoa__bitset *writes = resource ? &access->resource_writes : &access->writes;
    for (uint32_t i = 0; i < count; i++) {
        stoa_component id = term_register(world, &terms[i]);
        if (id == 0) {
            return stoa_last_error().status;
        }
        if (!stoa__bitset_reserve(term_writes(&terms[i]) ? writes : reads, heap, id)) {
            return stoa__error_memory("what a system declares");
        }
    }
    for (uint32_t i = 0; i < count; i++) {
        stoa_component id = term_id(world, &terms[i]);
        if (term_writes(&terms[i])) {
            stoa__bitset_set(writes, id);
            if (stoa__bitset_test(reads, id)) {
                reads->words[id >> 6] &= ~((uint64_t)1 << (id & 63));
            }
        } else if (term_counts(world, &terms[i], id, resource) && !stoa__bitset_test(writes, id)) {
            stoa__bitset_set(reads, id);
        }
    }
    return STOA_OK;
}

void stoa__access_fini(stoa__access *access, stoa__heap *heap) {
    stoa__bitset_fini(&access->reads, heap);
    stoa__bitset_fini(&access->writes, heap);
    stoa__bitset_fini(&access->resource_reads, heap);
    stoa__bitset_fini(&access->resource_writes, heap);
}

stoa_component stoa__access_next(const stoa__bitset *set, stoa_component id) {
    uint32_t bit = id + 1;
    uint64_t mask = ~(uint64_t)0 << (bit & 63);
    for (uint32_t i = bit >> 6; i < set->word_count; i++, mask = ~(uint64_t)0) {
        uint64_t word = set->words[i] & mask;
        if (word != 0) {
            return i * 64 + stoa__bit_lowest(word);
        }
    }
    return 0;
}

/* Those components of a word that scripts see. */
static uint64_t word_visible(const stoa_world *world, uint32_t i, uint64_t word) {
    uint64_t visible = 0;
    for (; word != 0; word &= word - 1) {
        uint32_t bit = stoa__bit_lowest(word);
        stoa_component_info info;
        if (stoa_component_info_get(world, i * 64 + bit, &info) == STOA_OK &&
            (info.flags & STOA_HIDDEN) == 0) {
            visible |= (uint64_t)1 << bit;
        }
    }
    return visible;
}

/* The components of word i that two systems conflict about. */
static uint64_t word_disputed(const stoa_world *world, const stoa__access *a, const stoa__access *b,
                              uint32_t i) {
    uint64_t a_writes = stoa__bitset_word(&a->writes, i);
    uint64_t b_writes = stoa__bitset_word(&b->writes, i);
    uint64_t disputed = (a_writes & b_writes) | (a_writes & stoa__bitset_word(&b->reads, i)) |
                        (b_writes & stoa__bitset_word(&a->reads, i));
    uint64_t seen = (a->script ? b_writes : 0) | (b->script ? a_writes : 0);
    return disputed | word_visible(world, i, seen & ~disputed);
}

static uint64_t word_resources(const stoa__access *a, const stoa__access *b, uint32_t i) {
    uint64_t a_writes = stoa__bitset_word(&a->resource_writes, i);
    uint64_t b_writes = stoa__bitset_word(&b->resource_writes, i);
    return (a_writes & b_writes) | (a_writes & stoa__bitset_word(&b->resource_reads, i)) |
           (b_writes & stoa__bitset_word(&a->resource_reads, i));
}

static uint32_t words_most(uint32_t a, uint32_t b) {
    return a > b ? a : b;
}

/* The lowest of those above `at`, of the components or of the resources. */
static bool dispute_next(const stoa_world *world, const stoa__access *a, const stoa__access *b,
                         stoa__dispute *at) {
    uint32_t count = at->resource
                         ? words_most(a->resource_writes.word_count, b->resource_writes.word_count)
                         : words_most(a->writes.word_count, b->writes.word_count);
    uint32_t bit = at->id + 1;
    uint64_t mask = ~(uint64_t)0 << (bit & 63);
    for (uint32_t i = bit >> 6; i < count; i++, mask = ~(uint64_t)0) {
        uint64_t word = at->resource ? word_resources(a, b, i) : word_disputed(world, a, b, i);
        if ((word & mask) != 0) {
            at->id = i * 64 + stoa__bit_lowest(word & mask);
            return true;
        }
    }
    return false;
}

bool stoa__access_dispute(const stoa_world *world, const stoa__access *a, const stoa__access *b,
                          stoa__dispute *at) {
    if (a->exclusive || b->exclusive) {
        bool told = at->alone;
        at->alone = true;
        return !told;
    }
    if (dispute_next(world, a, b, at)) {
        return true;
    }
    if (at->resource) {
        return false;
    }
    *at = (stoa__dispute){.resource = true};
    return dispute_next(world, a, b, at);
}

bool stoa__access_conflict(const stoa_world *world, const stoa__access *a, const stoa__access *b,
                           stoa_component *id, bool *resource) {
    stoa__dispute at = {0};
    bool disputed = stoa__access_dispute(world, a, b, &at);
    *id = disputed ? at.id : 0;
    *resource = disputed && at.resource;
    return disputed;
}
