/* Out of memory: each allocation of a sort or permutation refused in turn, and all from each on. It
 * must fail, leave the world as it was, row for row, and work when there is memory again. */
#include "model/sort_rows.h"

STOA_COMPONENT(Rank, {
    int32_t value;
    double wide;
});
STOA_COMPONENT_WITH(Loose, STOA_OPTIONS(.flags = STOA_SPARSE), {
    int32_t value;
    double wide;
});

#define MANY 1200

static stoa_entity es[MANY];

static int rank_compare(const void *a, const void *b, void *user) {
    (void)user;
    return ((const Rank *)a)->value - ((const Rank *)b)->value;
}

static int item_compare(const stoa_sort_item *a, const stoa_sort_item *b, void *user) {
    (void)user;
    return a->entity.index < b->entity.index ? 1 : -1;
}

static void world_fill(stoa_world *w, int32_t count) {
    for (int32_t i = 0; i < count; i++) {
        int32_t value = i * 7919 % 10007;
        double wide = (double)value * 1e30 - 5e33;
        Owned owned;
        Hoard hoard;
        owner_make(&owned, i);
        owner_make(&hoard, i);
        es[i] = stoa_create_with(w, STOA_VALUE(Rank, {value, wide}), STOA_VALUE(Health, {i}),
                                 STOA_VALUE(Loose, {-value, -wide}), STOA_VALUE_FROM(Owned, &owned),
                                 STOA_VALUE_FROM(Hoard, &hoard));
        if (i % 4 == 1) {
            stoa_add(w, es[i], Frozen);
        } else if (i % 4 == 2) {
            stoa_set(w, es[i], Shield, {i});
        }
    }
}

static stoa_status call(stoa_world *w, int which) {
    static int32_t order[MANY];
    stoa_sparse_info info;
    switch (which) {
    case 0:
        return stoa_sort(w, Rank, rank_compare, NULL);
    case 1:
        return stoa_sort_key(w, Rank, "value", STOA_ASCENDING);
    case 2:
        return stoa_sort_key(w, Rank, "wide", STOA_DESCENDING);
    case 3:
        return stoa_sort_key(w, Loose, "value", STOA_ASCENDING);
    case 4:
        return stoa_sort_key(w, Loose, "wide", STOA_DESCENDING);
    case 5:
        return stoa_sort_entities(w, Hoard, item_compare, NULL);
    case 6:
        return stoa_sort_entities(w, Owned, item_compare, NULL);
    default:
        stoa_sparse_info_get(w, stoa_id(w, Hoard), &info);
        for (int32_t i = 0; i < info.count; i++) {
            order[i] = info.count - 1 - i;
        }
        return stoa_sparse_permute(w, stoa_id(w, Hoard), order, info.count);
    }
}

#define CALLS 8

static void owners_verify(stoa_world *w, int32_t count) {
    for (int32_t i = 0; i < count; i++) {
        assert_int_equal(stoa_get(w, es[i], Owned)->serial, i);
        assert_ptr_equal(stoa_get(w, es[i], Owned)->self, stoa_get(w, es[i], Owned));
        assert_int_equal(stoa_get(w, es[i], Hoard)->serial, i);
        assert_int_equal(stoa_get(w, es[i], Health)->points, i);
    }
}

static void call_starve(int which, int32_t count, bool forever) {
    support_world s;
    support_world_open_with(&s, 16384);
    world_fill(s.world, count);
    uint64_t hash = stoa_hash(s.world);
    size_t bytes = s.heap.bytes;
    stoa_status status;
    size_t k = 1;
    do {
        s.heap.failed = 0;
        s.heap.fail_forever = forever;
        s.heap.fail_at = k++;
        status = call(s.world, which);
        s.heap.fail_at = 0;
        assert_int_equal(status, s.heap.failed > 0 ? STOA_NO_MEMORY : STOA_OK);
        assert_int_equal(s.heap.bytes, bytes);
        assert_int_equal(stoa_check(s.world), STOA_OK);
        assert_true(status == STOA_OK || stoa_hash(s.world) == hash);
    } while (status != STOA_OK);
    assert_true(k > 2);
    assert_true(stoa_hash(s.world) != hash);
    assert_int_equal(s.errors, k - 2);
    owners_verify(s.world, count);
    support_world_close(&s);
    assert_int_equal(owned_alive, 0);
}

/* SRT-01 SRT-02 GEN-03 GEN-04 */
static void starved_sort_changes_nothing(void **state) {
    (void)state;
    for (int which = 0; which < CALLS; which++) {
        static const int32_t counts[] = {40, MANY};
        for (int i = 0; i < 2; i++) {
            call_starve(which, counts[i], false);
            call_starve(which, counts[i], true);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(starved_sort_changes_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
