/* One entity against the terms of a query, before and after a change. */
#include "query/query.h"

#include "support/support.h"

STOA_COMPONENT(A, { float x; });
STOA_COMPONENT_WITH(B, STOA_OPTIONS(.flags = STOA_SPARSE), { float x; });
STOA_COMPONENT_WITH(C, STOA_OPTIONS(.flags = STOA_SWITCHABLE), { float x; });
STOA_COMPONENT_WITH(D, STOA_OPTIONS(.flags = STOA_SPARSE | STOA_SWITCHABLE), { float x; });

#define KINDS 4

static stoa_type *const types[KINDS] = {&A_stoa, &B_stoa, &C_stoa, &D_stoa};

/* What the entity is to queries: bit k if kind k is there and on. */
static bool bits_match(const stoa_term *terms, int32_t count, uint32_t bits) {
    bool groups[2] = {true, true};
    for (int32_t i = 0; i < count; i++) {
        if (terms[i].access == STOA_ACCESS_ANY) {
            groups[terms[i].group] = false;
        }
    }
    for (int32_t i = 0; i < count; i++) {
        bool there = (bits >> (terms[i].id - 1) & 1) != 0;
        if (terms[i].access == STOA_ACCESS_ANY) {
            groups[terms[i].group] |= there;
        } else if (terms[i].access == STOA_ACCESS_WITHOUT && there) {
            return false;
        } else if (terms[i].access != STOA_ACCESS_OPTIONAL &&
                   terms[i].access != STOA_ACCESS_WITHOUT && !there) {
            return false;
        }
    }
    return groups[0] && groups[1];
}

/* Random terms with each component at most once, changed beside it now and then. */
static int32_t terms_make(support_random *random, stoa_term *terms) {
    static const stoa_access accesses[] = {
        STOA_ACCESS_READ,   STOA_ACCESS_WRITE, STOA_ACCESS_WITHOUT, STOA_ACCESS_OPTIONAL,
        STOA_ACCESS_FILTER, STOA_ACCESS_ANY,   STOA_ACCESS_CHANGED, STOA_ACCESS_ADDED};
    int32_t count = 0;
    for (stoa_component id = 1; id <= KINDS; id++) {
        if (support_random_below(random, 3) != 0) {
            terms[count++] = (stoa_term){NULL, id, accesses[support_random_below(random, 8)],
                                         (int32_t)support_random_below(random, 2)};
        }
    }
    return count;
}

/* The ids in `mask`. */
static uint32_t ids_of(uint32_t mask, stoa_component *ids) {
    uint32_t count = 0;
    for (uint32_t k = 0; k < KINDS; k++) {
        if ((mask >> k & 1) != 0) {
            ids[count++] = k + 1;
        }
    }
    return count;
}

/* An entity for each way of having, lacking and switching off the components. */
static stoa_entity entity_make(stoa_world *w, uint32_t has, uint32_t off) {
    stoa_entity e = stoa_create(w);
    for (uint32_t k = 0; k < KINDS; k++) {
        if ((has >> k & 1) != 0) {
            assert_int_equal(stoa_add_id(w, e, k + 1), STOA_OK);
        }
        if ((has & off & 0xCu) >> k & 1) {
            assert_int_equal(stoa_enable_id(w, e, k + 1, false), STOA_OK);
        }
    }
    return e;
}

/* HOK-06 QRY-01 */
static void entity_matches_on_both_sides_of_a_change(void **state) {
    support_world *s = *state;
    support_random random = {.state = 5};
    for (int k = 0; k < KINDS; k++) {
        assert_int_equal(stoa_type_register(s->world, types[k]), k + 1);
    }
    for (int round = 0; round < 4000; round++) {
        stoa_query_desc desc = {.name = NULL};
        int32_t count = terms_make(&random, desc.terms);
        stoa__terms terms;
        assert_int_equal(stoa__terms_read(s->world, &desc, &terms), STOA_OK);
        uint32_t has = support_random_below(&random, 16), off = support_random_below(&random, 16);
        uint32_t now = has & ~(off & 0xCu);
        stoa_entity e = entity_make(s->world, has, off);
        assert_int_equal(stoa__terms_entity(s->world, &terms, e, NULL, false, NULL, NULL),
                         bits_match(desc.terms, count, now));
        uint32_t mask = support_random_below(&random, 16);
        stoa_component added[KINDS], removed[KINDS];
        uint32_t gain = mask & support_random_below(&random, 16), loss = mask & ~gain;
        stoa__delta delta = {.added = added, .removed = removed};
        delta.added_count = ids_of(gain, added);
        delta.removed_count = ids_of(loss, removed);
        assert_int_equal(stoa__terms_entity(s->world, &terms, e, &delta, false, NULL, NULL),
                         bits_match(desc.terms, count, (now | gain) & ~loss));
        assert_int_equal(stoa__terms_entity(s->world, &terms, e, &delta, true, NULL, NULL),
                         bits_match(desc.terms, count, (now & ~gain) | loss));
        delta.born = true;
        assert_false(stoa__terms_entity(s->world, &terms, e, &delta, true, NULL, NULL));
        delta = (stoa__delta){.dies = true};
        assert_false(stoa__terms_entity(s->world, &terms, e, &delta, false, NULL, NULL));
        assert_int_equal(stoa__terms_entity(s->world, &terms, e, &delta, true, NULL, NULL),
                         bits_match(desc.terms, count, now));
        assert_int_equal(stoa_destroy(s->world, e), STOA_OK);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(entity_matches_on_both_sides_of_a_change, support_setup,
                                        support_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
