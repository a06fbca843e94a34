/* Edges on a storage of their own: where a change leads, that it is worked out once, rows moved
 * along. */
#include "storage/edge.h"
#include "storage_fixture.h"

#define DROP STOA__KEY_DROP

static int edges_teardown(void **state) {
    fixture *f = *state;
    for (uint32_t i = 0; i < f->storage.archetype_count; i++) {
        if (stoa__edge_check(&f->storage, f->storage.archetypes[i]) != STOA_OK) {
            support_print_error();
            return -1;
        }
    }
    return storage_teardown(state);
}

static stoa__edge *edge_get(fixture *f, stoa__archetype *source, const uint32_t *key,
                            uint32_t count) {
    uint32_t hash = 0;
    for (uint32_t i = 0; i < count; i++) {
        hash = stoa__edge_hash(hash, key[i]);
    }
    return stoa__edge_get(&f->storage, source, key, count, hash);
}

static stoa__archetype *target_of(fixture *f, stoa__archetype *source, const uint32_t *key,
                                  uint32_t count) {
    stoa__edge *edge = edge_get(f, source, key, count);
    assert_non_null(edge);
    return edge->target;
}

/* ACC-05 ACC-06: any mix of puts and drops leads to the set that they make. */
static void edge_leads_to_the_set_of_its_key(void **state) {
    fixture *f = *state;
    stoa_component a = type_make(f, 4), b = type_make(f, 8), c = type_make(f, 0);
    stoa__archetype *empty = f->storage.archetypes[0];
    stoa__archetype *abc = target_of(f, empty, (uint32_t[]){c, a, b}, 3);
    assert_int_equal(abc->id_count, 3);
    assert_true(abc->ids[0] == a && abc->ids[1] == b && abc->ids[2] == c);
    assert_ptr_equal(target_of(f, empty, (uint32_t[]){a, b, c}, 3), abc);
    stoa__archetype *only_b = target_of(f, abc, (uint32_t[]){c | DROP, a | DROP}, 2);
    assert_int_equal(only_b->id_count, 1);
    assert_int_equal(only_b->ids[0], b);
    assert_ptr_equal(target_of(f, only_b, (uint32_t[]){b | DROP, c, a}, 3),
                     target_of(f, empty, (uint32_t[]){a, c}, 2));
    assert_ptr_equal(target_of(f, abc, (uint32_t[]){a, b}, 2), abc);
    assert_ptr_equal(target_of(f, only_b, (uint32_t[]){a | DROP}, 1), only_b);
    assert_ptr_equal(target_of(f, only_b, (uint32_t[]){b | DROP}, 1), empty);
    assert_ptr_equal(stoa__edge_get_one(&f->storage, only_b, b | DROP)->target, empty);
}

/* ACC-05 STO-01 */
static void known_edge_is_found_and_not_made_again(void **state) {
    fixture *f = *state;
    stoa__archetype *empty = f->storage.archetypes[0];
    static stoa__edge *edges[300];
    static uint32_t keys[300];
    for (uint32_t i = 0; i < 300; i++) {
        keys[i] = type_make(f, 4);
        edges[i] = i % 2 == 0 ? stoa__edge_get_one(&f->storage, empty, keys[i])
                              : edge_get(f, empty, &keys[i - 1], 2);
        assert_non_null(edges[i]);
    }
    size_t allocations = f->heap.allocations;
    for (uint32_t i = 0; i < 300; i++) {
        stoa__edge *edge =
            i % 2 == 0 ? edge_get(f, empty, &keys[i], 1) : edge_get(f, empty, &keys[i - 1], 2);
        assert_ptr_equal(edge, edges[i]);
        assert_int_equal(edge->target->id_count, 1 + i % 2);
    }
    assert_int_equal(empty->edges.count, 300);
    assert_int_equal(f->heap.allocations, allocations);
    assert_int_equal(stoa__edge_check(&f->storage, empty), STOA_OK);
}

/* GEN-04 GEN-03 */
static void edge_is_made_wholly_or_not_at_all(void **state) {
    fixture *f = *state;
    stoa__archetype *empty = f->storage.archetypes[0];
    for (uint32_t i = 0; i < 2; i++) {
        stoa_component id = type_make(f, 4);
        assert_non_null(stoa__edge_get_one(&f->storage, empty, id));
    }
    uint32_t key[] = {type_make(f, 4), 1, 2};
    size_t failed = 0;
    for (size_t k = 1;; k++) {
        f->heap.fail_at = k;
        stoa__edge *edge = edge_get(f, empty, key, 3);
        f->heap.fail_at = 0;
        if (edge != NULL) {
            break;
        }
        failed++;
        assert_int_equal(stoa_last_error().status, STOA_NO_MEMORY);
        assert_int_equal(empty->edges.count, 2);
        assert_int_equal(stoa__edge_check(&f->storage, empty), STOA_OK);
    }
    assert_true(failed > 1);
    assert_int_equal(empty->edges.count, 3);
}

static void row_move(fixture *f, stoa__edge *edge, stoa__archetype *source, stoa_entity e) {
    stoa__row to;
    assert_int_equal(stoa__row_append(&f->storage, edge->target, &to), STOA_OK);
    stoa__edge_ready(&f->storage, edge);
    uint32_t place = stoa__place_of(&f->storage, e.index);
    for (uint32_t i = 0; i < edge->key_count; i++) {
        const stoa__put *put = &edge->puts[i];
        memset(stoa__row_item(to, put->to, put->size), (int)e.index, put->size);
    }
    stoa__edge_move(&f->storage, edge, source, stoa__row_at(&f->storage, place), to);
    *stoa__row_entity(to) = e;
    stoa__place_set(f->storage.head.records, e.index, to.place);
}

static void entity_verify(const fixture *f, const stoa__archetype *archetype, stoa_entity e) {
    uint32_t place = stoa__place_of(&f->storage, e.index);
    stoa__row row = stoa__row_at(&f->storage, place);
    assert_ptr_equal(stoa__row_archetype(&f->storage, place), archetype);
    assert_int_equal(stoa_entity_pack(*stoa__row_entity(row)), stoa_entity_pack(e));
    row_verify(archetype, row, e.index);
}

/* ACC-05: every copy of every size, on the quick path and off it, while both sides grow and shrink.
 */
static void rows_keep_their_columns_along_an_edge(void **state) {
    fixture *f = *state;
    const uint32_t sets[][3] = {{8, 12, 16},  {1, 2, 3},     {4, 4, 4},   {8, 16, 24},
                                {17, 31, 32}, {33, 64, 100}, {9, 13, 15}, {7, 8, 5}};
    for (size_t s = 0; s < sizeof sets / sizeof *sets; s++) {
        uint32_t ids[3];
        for (int i = 0; i < 3; i++) {
            ids[i] = type_make(f, sets[s][i]);
        }
        stoa__archetype *two = target_of(f, f->storage.archetypes[0], ids, 2);
        stoa__edge *put = stoa__edge_get_one(&f->storage, two, ids[2]);
        stoa__edge *drop = stoa__edge_get_one(&f->storage, put->target, ids[2] | DROP);
        stoa__edge *first = stoa__edge_get_one(&f->storage, put->target, ids[0] | DROP);
        stoa_entity e[200];
        for (int i = 0; i < 200; i++) {
            e[i] = row_add(f, two);
        }
        for (int i = 0; i < 200; i++) {
            row_move(f, put, two, e[(i * 7) % 200]);
        }
        for (int i = 0; i < 200; i++) {
            entity_verify(f, put->target, e[i]);
            stoa__edge *way = i % 3 == 0 ? drop : first;
            row_move(f, way, put->target, e[i]);
        }
        for (int i = 0; i < 200; i++) {
            entity_verify(f, i % 3 == 0 ? two : first->target, e[i]);
        }
        assert_int_equal(put->target->head.chunk_count, 0);
    }
}

/* ACC-05: an edge that was worked out for a small chunk is right for a large one. */
static void edge_stays_right_when_chunks_grow(void **state) {
    fixture *f = *state;
    uint32_t ids[] = {type_make(f, 8), type_make(f, 24)};
    stoa__archetype *one = target_of(f, f->storage.archetypes[0], ids, 1);
    stoa__edge *edge = stoa__edge_get_one(&f->storage, one, ids[1]);
    int32_t before = edge->target->head.chunk_capacity;
    for (int i = 0; i < 400; i++) {
        stoa_entity e = row_add(f, one);
        row_move(f, edge, one, e);
        entity_verify(f, edge->target, e);
    }
    assert_int_not_equal(edge->target->head.chunk_capacity, before);
    assert_int_equal(edge->puts[0].to, edge->target->lanes[1].index);
}

static int drops, moves;

static void count_drop(void *items, int32_t count, void *user) {
    (void)items, (void)user;
    drops += count;
}

static void count_move(void *to, void *from, int32_t count, void *user) {
    (void)user;
    moves += count;
    memcpy(to, from, (size_t)count * 8);
}

/* CMP-11 ACC-05: kept components are moved by their hook, those left behind dropped, once each. */
static void hooked_components_are_moved_or_dropped(void **state) {
    fixture *f = *state;
    uint32_t ids[3];
    for (int i = 0; i < 2; i++) {
        stoa_component_desc desc = {.name = i == 0 ? "A" : "B",
                                    .size = 8,
                                    .hooks = {.drop = count_drop, .move = count_move}};
        ids[i] = stoa__registry_desc(&f->storage, &desc);
    }
    ids[2] = type_make(f, 4);
    stoa__archetype *two = target_of(f, f->storage.archetypes[0], ids, 2);
    stoa__edge *edge = edge_get(f, two, (uint32_t[]){ids[0] | DROP, ids[2]}, 2);
    assert_int_equal(edge->kept, 1);
    assert_int_equal(edge->lanes, 2);
    stoa_entity first = row_add(f, two), last = row_add(f, two);
    drops = moves = 0;
    row_move(f, edge, two, first);
    assert_int_equal(drops, 1);
    assert_int_equal(moves, 3);
    entity_verify(f, two, last);
    entity_verify(f, edge->target, first);
    row_move(f, edge, two, last);
    assert_int_equal(drops, 2);
    assert_int_equal(moves, 4);
    entity_verify(f, edge->target, last);
}

#define WITH_EDGES(test) cmocka_unit_test_setup_teardown(test, storage_setup, edges_teardown)

int main(void) {
    const struct CMUnitTest tests[] = {
        WITH_EDGES(edge_leads_to_the_set_of_its_key),
        WITH_EDGES(known_edge_is_found_and_not_made_again),
        WITH_EDGES(edge_is_made_wholly_or_not_at_all),
        WITH_EDGES(rows_keep_their_columns_along_an_edge),
        WITH_EDGES(edge_stays_right_when_chunks_grow),
        WITH_EDGES(hooked_components_are_moved_or_dropped),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
