/* Queries over every kind of component in every role, held against a look at each entity. */
#include "query/walk.multi/model.h"
#include "support/seeds.h"

/* Queries that live through many changes, and others that are made anew each time. */
static void model_run(uint64_t seed, int sparse_chance, int32_t many, int32_t rounds) {
    static model m;
    static model_query queries[QUERIES];
    support_world s;
    model_open(&m, &s, seed, sparse_chance, many);
    for (int32_t i = 0; i < QUERIES; i++) {
        model_query_make(&m, &queries[i]);
    }
    for (int32_t round = 0; round < rounds; round++) {
        model_shake(&m, 1 + (int32_t)model_below(&m, 60));
        for (int32_t i = 0; i < QUERIES; i++) {
            model_query_check(&m, &queries[i]);
        }
        int32_t old = (int32_t)model_below(&m, QUERIES);
        if (model_chance(&m, 50)) {
            assert_int_equal(stoa_query_free(queries[old].query), STOA_OK);
            model_query_make(&m, &queries[old]);
        }
        assert_int_equal(stoa_check(m.w), STOA_OK);
    }
    support_world_close(&s);
}

/* QRY-08 CMP-10 CMP-12 CHG-02 CHG-06 QRY-01 QRY-03 QRY-05 */
static void small_worlds_agree_with_the_model(void **state) {
    (void)state;
    for (support_seeds s = support_seeds_of(12); support_seeds_next(&s);) {
        model_run(s.seed, (int)(s.seed * 7 % 60), 40 + 8 * (int32_t)(s.seed % 100), 60);
    }
}

/* QRY-08 CMP-10 CMP-12 CHG-02: archetypes of several chunks, sets of few and of many. */
static void worlds_of_many_chunks_agree_with_the_model(void **state) {
    (void)state;
    model_run(100, 2, 4000, 25);
    model_run(101, 30, 4000, 25);
    model_run(102, 95, 4000, 25);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        support_seeds_test(small_worlds_agree_with_the_model),
        cmocka_unit_test(worlds_of_many_chunks_agree_with_the_model),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
