/* Moves: runs of rows that take one edge, against two arrays of which each is taken and given in
 * turn. */
#include "storage/moves.h"
#include "storage_fixture.h"

#include "support/support.h"

#define ROWS 1500

/* An entity, and behind it the value that it is given. */
typedef struct order {
    stoa_entity entity;
    uint8_t value[80];
} order;

/* Rows of the archetypes without and with the component that comes and goes, as they must stand. */
typedef struct model {
    stoa__archetype *archetypes[2];
    stoa_component component;
    stoa_entity rows[2][ROWS];
    uint32_t counts[2];
    bool zeroed[ROWS + 1]; /* by index: the component was put without a value */
} model;

static model m;
static stoa_record before[ROWS + 1];

static uint32_t model_find(uint32_t side, stoa_entity e) {
    uint32_t i = 0;
    while (i < m.counts[side] && !stoa_entity_eq(m.rows[side][i], e)) {
        i++;
    }
    return i;
}

static void column_verify(const stoa__archetype *archetype, stoa__row row, stoa_entity e) {
    for (uint32_t i = 0; i < archetype->lane_count; i++) {
        const stoa__lane *lane = &archetype->lanes[i];
        const uint8_t *item = stoa__row_item(row, lane->index, lane->size);
        bool zero = lane->id == m.component && m.zeroed[e.index];
        for (uint32_t k = 0; k < lane->size; k++) {
            assert_int_equal(item[k], zero ? 0 : (uint8_t)e.index);
        }
    }
}

static void model_verify(const fixture *f) {
    for (uint32_t side = 0; side < 2; side++) {
        const stoa__archetype *archetype = m.archetypes[side];
        uint32_t at = 0;
        for (int32_t c = 0; c < archetype->head.chunk_count; c++) {
            const stoa_chunk *chunk = &archetype->head.chunks[c];
            for (uint32_t i = 0; i < (uint32_t)chunk->count; i++, at++) {
                stoa__row row = stoa__row_at(&f->storage, chunk->number << STOA_PLACE_BITS | i);
                stoa_entity e = *stoa__row_entity(row);
                assert_true(stoa_entity_eq(e, m.rows[side][at]));
                assert_int_equal(stoa__place_of(&f->storage, e.index), row.place);
                column_verify(archetype, row, e);
            }
        }
        assert_int_equal(at, m.counts[side]);
        assert_int_equal(stoa__rows_at(&f->storage, archetype->index), m.counts[side]);
    }
}

/* The edge from one side to the other, ready, and with room where it leads. */
static const stoa__edge *edge_ready(fixture *f, uint32_t side) {
    stoa__archetype *source = m.archetypes[side];
    uint32_t key = side == 0 ? m.component : m.component | STOA__KEY_DROP;
    stoa__edge *edge = stoa__edge_get_one(&f->storage, source, key);
    assert_non_null(edge);
    assert_true(edge->quick);
    if (edge->target->tail->count >= edge->target->head.chunk_capacity) {
        assert_int_equal(stoa__row_room(&f->storage, edge->target), STOA_OK);
    }
    stoa__edge_ready(&f->storage, edge);
    return edge;
}

/* Records that were written must be stamped, if anybody wants to know. */
static void stamps_verify(const fixture *f) {
    for (uint32_t i = 0; f->storage.record_stamps != NULL && i < f->storage.head.record_count;
         i++) {
        if (memcmp(&before[i], &f->storage.head.records[i], sizeof *before) != 0) {
            assert_int_equal(f->storage.record_stamps[i >> STOA__STAMP_BITS], f->storage.stamp);
        }
    }
}

/* Moves some rows from one side to the other, in any order, some named twice. */
static void model_move(fixture *f, support_random *random, uint32_t side) {
    static order orders[100];
    uint32_t count = 1 + support_random_below(random, 100);
    bool zero = support_random_below(random, 4) == 0;
    uint32_t first = support_random_below(random, m.counts[side]);
    bool mixed = support_random_below(random, 2) == 0;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t at =
            mixed ? support_random_below(random, m.counts[side]) : (first + i) % m.counts[side];
        orders[i].entity = m.rows[side][at];
        memset(orders[i].value, (int)orders[i].entity.index, sizeof orders[i].value);
    }
    const stoa__edge *edge = edge_ready(f, side);
    memcpy(before, f->storage.head.records, f->storage.head.record_count * sizeof *before);
    f->storage.stamp++;
    stoa__handles handles = {(const uint8_t *)orders, sizeof *orders, count};
    uint32_t moved = stoa__moves_run(&f->storage, m.archetypes[side], edge, handles,
                                     zero ? 0 : offsetof(order, value));
    assert_in_range(moved, 1, count);
    for (uint32_t i = 0; i < moved; i++) {
        stoa_entity e = orders[i].entity;
        uint32_t at = model_find(side, e);
        assert_true(at < m.counts[side]);
        m.rows[side][at] = m.rows[side][--m.counts[side]];
        m.rows[1 - side][m.counts[1 - side]++] = e;
        m.zeroed[e.index] = zero;
    }
    stamps_verify(f);
    model_verify(f);
}

static void model_open(fixture *f, uint32_t kept, uint32_t put) {
    stoa_component ids[] = {type_make(f, 12), type_make(f, kept), type_make(f, put)};
    m.component = ids[2];
    m.archetypes[0] = stoa__archetype_get(&f->storage, ids, 2);
    m.archetypes[1] = stoa__archetype_get(&f->storage, ids, 3);
    assert_non_null(m.archetypes[0]);
    assert_non_null(m.archetypes[1]);
    m.counts[0] = m.counts[1] = 0;
}

static void model_close(fixture *f) {
    for (uint32_t side = 0; side < 2; side++) {
        while (m.counts[side] > 0) {
            stoa_entity e = m.rows[side][--m.counts[side]];
            stoa__row_remove(&f->storage, stoa__place_of(&f->storage, e.index));
            stoa__entities_release(&f->storage, e.index);
        }
    }
}

/* CMD-02 STO-08 */
static void rows_stand_as_after_one_by_one(void **state) {
    fixture *f = *state;
    support_random random = {5};
    const uint32_t kept[] = {8, 12, 16, 10}, put[] = {12, 8, 16, 10};
    for (uint32_t k = 0; k < 4; k++) {
        model_open(f, kept[k], put[k]);
        for (; m.counts[0] < ROWS; m.counts[0]++) {
            m.rows[0][m.counts[0]] = row_add(f, m.archetypes[0]);
        }
        for (uint32_t i = 0; i < 400; i++) {
            uint32_t side = support_random_below(&random, 600) < 400 - i ? 0 : 1;
            if (m.counts[side] > 0) {
                model_move(f, &random, side);
            }
        }
        model_close(f);
        if (k == 0) {
            assert_int_equal(stoa__entities_stamp_all(&f->storage), STOA_OK);
        }
    }
    stoa__entities_stamps_fini(&f->storage);
}

/* CMD-02 */
static void values_of_any_size_are_put(void **state) {
    fixture *f = *state;
    support_random random = {6};
    const uint32_t put[] = {0, 1, 4, 7, 20, 32, 72};
    for (uint32_t k = 0; k < sizeof put / sizeof *put; k++) {
        model_open(f, 8, put[k]);
        for (; m.counts[0] < 300; m.counts[0]++) {
            m.rows[0][m.counts[0]] = row_add(f, m.archetypes[0]);
        }
        while (m.counts[0] > 0) {
            model_move(f, &random, 0);
        }
        model_close(f);
    }
}

/* CMD-02 */
static void run_ends_at_who_is_dead_or_elsewhere(void **state) {
    fixture *f = *state;
    model_open(f, 8, 12);
    stoa_entity a = row_add(f, m.archetypes[0]), b = row_add(f, m.archetypes[0]);
    stoa_entity c = row_add(f, m.archetypes[0]), other = row_add(f, m.archetypes[1]);
    stoa_entity empty = stoa__entities_take(&f->storage, 0),
                dead = stoa__entities_take(&f->storage, 0);
    f->storage.empty_count++;
    stoa__entities_release(&f->storage, dead.index);
    stoa_entity forged = {dead.index, f->storage.head.records[dead.index].generation};
    const stoa_entity ends[] = {other, empty, dead, forged, {99999, 1}, {0, 0}};
    for (uint32_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        const stoa_entity list[] = {ends[i], a};
        assert_int_equal(stoa__moves_run(&f->storage, m.archetypes[0], edge_ready(f, 0),
                                         stoa__handles_of(list, 2), 0),
                         0);
    }
    const stoa_entity list[] = {b, a, b, c};
    assert_int_equal(stoa__moves_run(&f->storage, m.archetypes[0], edge_ready(f, 0),
                                     stoa__handles_of(list, 4), 0),
                     2);
    assert_int_equal(stoa__rows_at(&f->storage, m.archetypes[0]->index), 1);
    assert_int_equal(stoa__rows_at(&f->storage, m.archetypes[1]->index), 3);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        WITH_STORAGE(rows_stand_as_after_one_by_one),
        WITH_STORAGE(values_of_any_size_are_put),
        WITH_STORAGE(run_ends_at_who_is_dead_or_elsewhere),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
