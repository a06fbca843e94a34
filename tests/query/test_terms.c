/* The terms of queries: what every mix of them matches, held against a search over all entities. */
#include "support/support.h"

STOA_COMPONENT(A, { float x, y; });
STOA_COMPONENT(B, { uint8_t x; });
STOA_COMPONENT(C, { double x[3]; });
STOA_COMPONENT(D, { stoa_entity e; });
STOA_COMPONENT(E, { uint16_t x[5]; });
STOA_TAG(Red);
STOA_TAG(Blue);

#define KINDS 7
#define ENTITIES_MAX 700

static stoa_type *const kinds[KINDS] = {&A_stoa, &B_stoa,   &C_stoa,   &D_stoa,
                                        &E_stoa, &Red_stoa, &Blue_stoa};

static bool access_any(stoa_access access) {
    return access == STOA_ACCESS_ANY || access == STOA_ACCESS_ANY_WRITE;
}

static bool access_writes(stoa_access access) {
    return access == STOA_ACCESS_WRITE || access == STOA_ACCESS_OPTIONAL_WRITE ||
           access == STOA_ACCESS_ANY_WRITE;
}

static bool access_has_data(stoa_access access) {
    return access != STOA_ACCESS_WITHOUT && access != STOA_ACCESS_FILTER;
}

static int32_t terms_count(const stoa_term *terms) {
    int32_t count = 0;
    while (count < STOA_TERM_MAX && terms[count].access != STOA_ACCESS_END) {
        count++;
    }
    return count;
}

/* What a term says of an entity, by itself; any-of terms are left to group_agrees. */
static bool term_agrees(const stoa_world *w, const stoa_term *term, stoa_entity e) {
    bool has = stoa_has_type(w, e, term->type);
    switch (term->access) {
    case STOA_ACCESS_READ:
    case STOA_ACCESS_WRITE:
    case STOA_ACCESS_FILTER:
        return has;
    case STOA_ACCESS_WITHOUT:
        return !has;
    default:
        return true;
    }
}

static bool group_agrees(const stoa_world *w, const stoa_term *terms, int32_t count, int32_t group,
                         stoa_entity e) {
    for (int32_t i = 0; i < count; i++) {
        if (access_any(terms[i].access) && terms[i].group == group &&
            stoa_has_type(w, e, terms[i].type)) {
            return true;
        }
    }
    return false;
}

static bool entity_matches(const stoa_world *w, const stoa_term *terms, stoa_entity e) {
    int32_t count = terms_count(terms);
    for (int32_t i = 0; i < count; i++) {
        if (!term_agrees(w, &terms[i], e) ||
            (access_any(terms[i].access) && !group_agrees(w, terms, count, terms[i].group, e))) {
            return false;
        }
    }
    return true;
}

/* How many of all entities match, and which, by index. */
static int32_t search(const stoa_world *w, const stoa_term *terms, bool *found) {
    int32_t count = 0;
    stoa_entity e = stoa_entity_next(w, STOA_NULL);
    for (; !stoa_entity_is_null(e); e = stoa_entity_next(w, e)) {
        assert_true(e.index < ENTITIES_MAX);
        found[e.index] = entity_matches(w, terms, e);
        count += found[e.index];
    }
    return count;
}

/* Each field of this chunk is the column that its rows' components are in, or NULL where there is
 * none. */
static void fields_agree(stoa_iter *it, const stoa_term *terms) {
    stoa_world *w = it->world;
    for (int32_t i = 0; i < terms_count(terms); i++) {
        stoa_component id = stoa_type_find(w, terms[i].type);
        if (terms[i].type->size == 0 || !access_has_data(terms[i].access)) {
            continue;
        }
        const uint8_t *field = stoa_field_id(it, id, i);
        for (int32_t row = 0; row < it->count; row++) {
            const void *item = stoa_try_get_id(w, it->entities[row], id);
            assert_ptr_equal(field != NULL ? field + (size_t)row * terms[i].type->size : NULL,
                             item);
        }
        if (access_writes(terms[i].access)) {
            assert_ptr_equal(stoa_field_mut_id(it, id, i), field);
        }
    }
}

/* The query walks exactly what a search over all entities finds, with the right columns, once each.
 */
static void query_agrees(stoa_query *query, const stoa_term *terms, stoa_world *w) {
    bool expected[ENTITIES_MAX] = {false}, walked[ENTITIES_MAX] = {false};
    int32_t count = search(w, terms, expected);
    assert_int_equal(stoa_query_count(query), count);
    for (stoa_iter it = stoa_query_iter(query); stoa_iter_next(&it);) {
        fields_agree(&it, terms);
        for (int32_t row = 0; row < it.count; row++) {
            stoa_entity e = it.entities[row];
            assert_true(stoa_alive(w, e));
            assert_true(expected[e.index]);
            assert_false(walked[e.index]);
            walked[e.index] = true;
            count--;
        }
    }
    assert_int_equal(count, 0);
}

/* Entities with random sets of the components, some with none. */
static void entities_make(stoa_world *w, support_random *random, int32_t count) {
    for (int32_t i = 0; i < count; i++) {
        stoa_entity e = stoa_create(w);
        uint32_t set = support_random_next(random) & support_random_next(random);
        for (int32_t kind = 0; kind < KINDS; kind++) {
            if ((set >> kind & 1) != 0) {
                assert_int_equal(stoa_add_type(w, e, kinds[kind]), STOA_OK);
            }
        }
    }
}

/* Random terms, each component at most once, any-of groups together and last. */
static void terms_make(support_random *random, stoa_term *terms) {
    int32_t count = 0;
    memset(terms, 0, STOA_TERM_MAX * sizeof *terms);
    for (int32_t kind = 0; kind < KINDS; kind++) {
        stoa_access access = (stoa_access)support_random_below(random, STOA_ACCESS_FILTER + 4);
        if (access == STOA_ACCESS_END || access > STOA_ACCESS_FILTER) {
            continue;
        }
        int32_t group = access_any(access) ? 1 + (int32_t)support_random_below(random, 3) : 0;
        int32_t at = count++;
        for (; at > 0 && terms[at - 1].group > group; at--) {
            terms[at] = terms[at - 1];
        }
        terms[at] = (stoa_term){kinds[kind], 0, access, group};
    }
}

static void terms_shuffle(support_random *random, stoa_term *terms) {
    for (int32_t i = terms_count(terms) - 1; i > 0; i--) {
        uint32_t k = support_random_below(random, (uint32_t)i + 1);
        stoa_term term = terms[i];
        terms[i] = terms[k];
        terms[k] = term;
    }
}

/* QRY-01 QRY-03 STO-05 */
static void mixed_terms_match_what_a_search_finds(void **state) {
    stoa_world *w = ((support_world *)*state)->world;
    support_random random = {11};
    entities_make(w, &random, 600);
    for (int32_t i = 0; i < 1500; i++) {
        stoa_query_desc desc = {.name = NULL};
        terms_make(&random, desc.terms);
        terms_shuffle(&random, desc.terms);
        stoa_query *query = stoa_query_new(w, &desc);
        assert_non_null(query);
        query_agrees(query, desc.terms, w);
        assert_int_equal(stoa_query_once_count(w, &desc), stoa_query_count(query));
        assert_int_equal(stoa_query_free(query), STOA_OK);
    }
    support_assert_quiet(*state);
}

/* QRY-02 */
static void mixed_queries_stay_right_as_the_world_changes(void **state) {
    stoa_world *w = ((support_world *)*state)->world;
    support_random random = {12};
    static stoa_query_desc descs[40];
    stoa_query *queries[40];
    for (int32_t i = 0; i < 40; i++) {
        terms_make(&random, descs[i].terms);
        queries[i] = stoa_query_new(w, &descs[i]);
        assert_non_null(queries[i]);
        query_agrees(queries[i], descs[i].terms, w);
    }
    for (int32_t round = 0; round < 12; round++) {
        entities_make(w, &random, 50);
        stoa_entity e = stoa_entity_next(w, STOA_NULL);
        for (; !stoa_entity_is_null(e); e = stoa_entity_next(w, e)) {
            stoa_type *type = kinds[support_random_below(&random, KINDS)];
            stoa_status status = support_random_below(&random, 2) == 0
                                     ? stoa_add_type(w, e, type)
                                     : stoa_remove_type(w, e, type);
            assert_int_equal(status, STOA_OK);
            if (support_random_below(&random, 16) == 0) {
                assert_int_equal(stoa_destroy(w, e), STOA_OK);
            }
        }
        for (int32_t i = 0; i < 40; i++) {
            query_agrees(queries[i], descs[i].terms, w);
        }
        assert_int_equal(stoa_check(w), STOA_OK);
    }
}

/* Writes terms as query text. */
static void terms_print(const stoa_term *terms, char *text, size_t size) {
    size_t used = 0;
    for (int32_t i = 0; i < terms_count(terms); i++) {
        static const char *const before[] = {
            [STOA_ACCESS_READ] = "const ",      [STOA_ACCESS_WRITE] = "",
            [STOA_ACCESS_WITHOUT] = "!",        [STOA_ACCESS_OPTIONAL] = "?const ",
            [STOA_ACCESS_OPTIONAL_WRITE] = "?", [STOA_ACCESS_ANY] = "const ",
            [STOA_ACCESS_ANY_WRITE] = "",       [STOA_ACCESS_FILTER] = "with ",
        };
        bool joined = i > 0 && terms[i].group != 0 && terms[i].group == terms[i - 1].group;
        used += (size_t)snprintf(text + used, size - used, "%s%s%s",
                                 i == 0 ? "" : (joined ? " | " : ", "), before[terms[i].access],
                                 terms[i].type->identifier);
        assert_true(used < size);
    }
}

/* QRY-07 */
static void text_makes_the_query_that_terms_make(void **state) {
    stoa_world *w = ((support_world *)*state)->world;
    support_random random = {13};
    entities_make(w, &random, 400);
    int32_t compared = 0;
    for (int32_t i = 0; i < 600; i++) {
        stoa_query_desc desc = {.name = NULL};
        char text[256];
        terms_make(&random, desc.terms);
        if (terms_count(desc.terms) == 0) {
            continue;
        }
        terms_print(desc.terms, text, sizeof text);
        stoa_query *parsed = stoa_query_parse(w, text);
        stoa_query *made = stoa_query_new(w, &desc);
        assert_non_null(parsed);
        assert_non_null(made);
        query_agrees(parsed, desc.terms, w);
        assert_string_equal(stoa_query_name(made), text);
        assert_string_equal(stoa_query_name(parsed), text);
        assert_int_equal(stoa_query_free(parsed), STOA_OK);
        assert_int_equal(stoa_query_free(made), STOA_OK);
        compared++;
    }
    assert_true(compared > 500);
}

/* QRY-04 */
static void component_named_twice_is_refused_whatever_is_asked(void **state) {
    support_world *s = *state;
    assert_true(stoa_id(s->world, A) != 0 && stoa_id(s->world, B) != 0);
    size_t bytes = s->heap.bytes;
    for (int first = STOA_ACCESS_READ; first <= STOA_ACCESS_FILTER; first++) {
        for (int second = STOA_ACCESS_READ; second <= STOA_ACCESS_FILTER; second++) {
            stoa_query_desc desc = {.terms = {{&A_stoa, 0, (stoa_access)first, 0},
                                              STOA_READ(B),
                                              {&A_stoa, 0, (stoa_access)second, 1}}};
            assert_null(stoa_query_new(s->world, &desc));
            support_assert_misuse(s, stoa_last_error().status, STOA_CONTRADICTION);
            support_assert_message("'A'");
            assert_int_equal(stoa_query_once_count(s->world, &desc), -1);
            support_assert_misuse(s, stoa_last_error().status, STOA_CONTRADICTION);
        }
    }
    assert_int_equal(s->heap.bytes, bytes);
    assert_int_equal(stoa_stats(s->world).queries, 0);
}

/* QRY-04 */
static void contradiction_is_told_in_words(void **state) {
    support_world *s = *state;
    stoa_id(s->world, A);
    assert_null(stoa_query_parse(s->world, "A, !A"));
    support_assert_misuse(s, stoa_last_error().status, STOA_CONTRADICTION);
    support_assert_message("absent");
    assert_null(stoa_query_parse(s->world, "A, const A"));
    support_assert_misuse(s, stoa_last_error().status, STOA_CONTRADICTION);
    support_assert_message("written");
    assert_null(stoa_query_parse(s->world, "A, A"));
    support_assert_misuse(s, stoa_last_error().status, STOA_CONTRADICTION);
    support_assert_message("twice");
}

/* GEN-05 QRY-01 */
static void term_that_asks_for_nothing_known_is_refused(void **state) {
    support_world *s = *state;
    stoa_component id = stoa_id(s->world, A);
    const struct {
        stoa_term term;
        stoa_status status;
    } bad[] = {
        {{NULL, 0, STOA_ACCESS_READ, 0}, STOA_UNKNOWN},
        {{NULL, id + 1, STOA_ACCESS_READ, 0}, STOA_UNKNOWN},
        {{NULL, UINT32_MAX, STOA_ACCESS_WITHOUT, 0}, STOA_UNKNOWN},
        {{NULL, id, (stoa_access)(STOA_ACCESS_ADDED + 1), 0}, STOA_INVALID},
        {{NULL, id, (stoa_access)-1, 0}, STOA_INVALID},
    };
    size_t bytes = s->heap.bytes;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        stoa_query_desc desc = {.terms = {bad[i].term}};
        assert_null(stoa_query_new(s->world, &desc));
        support_assert_misuse(s, stoa_last_error().status, bad[i].status);
        stoa_iter it = stoa_query_once(s->world, &desc);
        assert_false(stoa_iter_next(&it));
        support_assert_misuse(s, stoa_last_error().status, bad[i].status);
    }
    assert_int_equal(s->heap.bytes, bytes);
    stoa_entity e = stoa_create_with(s->world, STOA_ZERO(A));
    assert_int_equal(stoa_destroy(s->world, e), STOA_OK);
}

/* STO-05 QRY-02 */
static void thousands_of_archetypes_are_matched(void **state) {
    stoa_world *w = ((support_world *)*state)->world;
    stoa_component ids[11];
    for (int32_t i = 0; i < 11; i++) {
        char name[16];
        snprintf(name, sizeof name, "part%d", i);
        ids[i] = stoa_component_register(w, &(stoa_component_desc){.name = name, .size = 4});
        assert_true(ids[i] != 0);
    }
    stoa_query_desc desc = {.terms = {{NULL, ids[0], STOA_ACCESS_READ, 0},
                                      {NULL, ids[10], STOA_ACCESS_WITHOUT, 0},
                                      {NULL, ids[3], STOA_ACCESS_ANY, 7},
                                      {NULL, ids[9], STOA_ACCESS_ANY, 7}}};
    stoa_query *early = stoa_query_new(w, &desc);
    stoa_iter none = stoa_query_iter(early);
    assert_false(stoa_iter_next(&none));
    for (uint32_t set = 1; set < 1u << 11; set++) {
        stoa_value values[11];
        int32_t count = 0;
        for (int32_t i = 0; i < 11; i++) {
            if ((set >> i & 1) != 0) {
                values[count++] = (stoa_value){.id = ids[i], .data = &set};
            }
        }
        assert_false(stoa_entity_is_null(stoa_create_values(w, values, count)));
    }
    assert_int_equal(stoa_archetype_count(w), 1 << 11);
    stoa_query *late = stoa_query_new(w, &desc);
    stoa_query *const both[] = {early, late};
    for (int32_t i = 0; i < 2; i++) {
        uint32_t last = 0;
        int32_t count = 0;
        for (stoa_iter it = stoa_query_iter(both[i]); stoa_iter_next(&it); count++) {
            const uint32_t *set = stoa_field_id(&it, ids[0], 0);
            assert_int_equal(it.count, 1);
            assert_true((*set & 1) != 0 && (*set >> 10) == 0 && (*set & (1 << 3 | 1 << 9)) != 0);
            assert_true(*set > last);
            last = *set;
        }
        assert_int_equal(count, 1 << 7 | 1 << 8);
        assert_int_equal(stoa_query_count(both[i]), count);
    }
}

/* STO-05 CMP-09 */
static void components_beyond_sixty_four_are_matched(void **state) {
    stoa_world *w = ((support_world *)*state)->world;
    enum { COUNT = 300 };
    stoa_component ids[COUNT];
    for (int32_t i = 0; i < COUNT; i++) {
        char name[16];
        snprintf(name, sizeof name, "part%d", i);
        ids[i] = stoa_component_register(w, &(stoa_component_desc){.name = name, .size = 4});
        assert_true(ids[i] != 0);
    }
    for (int32_t i = 0; i + 1 < COUNT; i++) {
        stoa_value values[] = {{.id = ids[i]}, {.id = ids[i + 1]}};
        assert_false(stoa_entity_is_null(stoa_create_values(w, values, 2)));
    }
    for (int32_t i = 0; i + 1 < COUNT; i++) {
        stoa_query_desc one = {.terms = {{NULL, ids[i], STOA_ACCESS_FILTER, 0}}};
        assert_int_equal(stoa_query_once_count(w, &one), i == 0 ? 1 : 2);
        one.terms[1] = (stoa_term){NULL, ids[i + 1], STOA_ACCESS_WITHOUT, 0};
        assert_int_equal(stoa_query_once_count(w, &one), i == 0 ? 0 : 1);
    }
}

/* QRY-01 */
static void query_takes_as_many_terms_as_it_says(void **state) {
    support_world *s = *state;
    stoa_query_desc desc = {.name = NULL};
    char text[33 * 8] = "";
    stoa_value values[STOA_TERM_MAX];
    for (int32_t i = 0; i < STOA_TERM_MAX + 1; i++) {
        char name[16];
        snprintf(name, sizeof name, "p%d", i);
        stoa_component id = stoa_component_register(
            s->world, &(stoa_component_desc){.name = name, .fields = "{ int32_t x; }"});
        snprintf(text + strlen(text), sizeof text - strlen(text), "%s%s", i > 0 ? ", " : "", name);
        if (i < STOA_TERM_MAX) {
            desc.terms[i] = (stoa_term){NULL, id, STOA_ACCESS_WRITE, 0};
            values[i] = (stoa_value){.id = id};
        }
    }
    stoa_entity e = stoa_create_values(s->world, values, STOA_TERM_MAX);
    stoa_create_values(s->world, values, STOA_TERM_MAX - 1);
    stoa_query *query = stoa_query_new(s->world, &desc);
    stoa_iter it = stoa_query_iter(query);
    assert_true(stoa_iter_next(&it));
    for (int32_t i = 0; i < STOA_TERM_MAX; i++) {
        assert_ptr_equal(stoa_field_mut_id(&it, desc.terms[i].id, i),
                         stoa_get_id(s->world, e, desc.terms[i].id));
    }
    stoa_iter_end(&it);
    assert_true(stoa_entity_eq(stoa_query_single(query), e));
    support_assert_quiet(s);
    assert_null(stoa_query_parse(s->world, text));
    assert_int_equal(stoa_last_error().status, STOA_LIMIT);
    *strrchr(text, ',') = '\0';
    assert_true(stoa_entity_eq(stoa_query_single(stoa_query_parse(s->world, text)), e));
}

#define WITH_WORLD(test) cmocka_unit_test_setup_teardown(test, support_setup, support_teardown)

int main(void) {
    const struct CMUnitTest tests[] = {
        WITH_WORLD(mixed_terms_match_what_a_search_finds),
        WITH_WORLD(mixed_queries_stay_right_as_the_world_changes),
        WITH_WORLD(text_makes_the_query_that_terms_make),
        WITH_WORLD(component_named_twice_is_refused_whatever_is_asked),
        WITH_WORLD(contradiction_is_told_in_words),
        WITH_WORLD(term_that_asks_for_nothing_known_is_refused),
        WITH_WORLD(thousands_of_archetypes_are_matched),
        WITH_WORLD(components_beyond_sixty_four_are_matched),
        WITH_WORLD(query_takes_as_many_terms_as_it_says),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
