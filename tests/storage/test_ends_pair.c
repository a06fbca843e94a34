/* Ends of rows with two short columns: two storages, one where many are ended at once and one where
 * each is ended by itself, must be the same byte by byte, tick by tick and slot by slot. */
#include "storage/ends.h"
#include "storage_fixture.h"

#include "support/support.h"

#define ROWS 1800
#define LIST_MAX 700

/* Those that are moved whole, in either order, and some that are not. */
static const uint32_t sizes[] = {8, 12, 16, 10, 4, 20};
#define SIZES 6

/* The storages, and what they have alike. */
typedef struct twins {
    fixture f[2];
    stoa__archetype *archetype[2];
    stoa__archetype *other[2]; /* has one of the components */
    stoa_entity e[ROWS];
    support_random random;
} twins;

static twins t;

/* How new the chunks of the archetype are. */
typedef enum ages {
    AGES_MIXED,
    AGES_EQUAL,
    AGES_LAST_OLDEST, /* merging with the last one changes nothing */
    AGES_LAST_NEWEST,
    AGES_TAG_NEWEST, /* of the last one, which is a matter of archetypes with a tag */
    AGES
} ages;

static uint32_t age_of(const stoa__archetype *archetype, int32_t chunk, uint32_t column,
                       ages kind) {
    bool last = chunk == archetype->head.chunk_count - 1;
    switch (kind) {
    case AGES_MIXED:
        return (uint32_t)(chunk * 5 % 7) + column;
    case AGES_EQUAL:
        return 3;
    case AGES_LAST_OLDEST:
        return (uint32_t)(archetype->head.chunk_count - chunk);
    case AGES_LAST_NEWEST:
        return last ? 9 : 3;
    default:
        return last && column == 2 ? 9 : 3;
    }
}

static void twins_open(uint32_t size, uint32_t second, bool stamped, bool tagged, ages kind,
                       uint64_t seed) {
    t.random.state = seed;
    for (int i = 0; i < 2; i++) {
        fixture *f = &t.f[i];
        fixture_open(f);
        f->storage.chunk_size = 8192;
        assert_int_equal(stoa__archetype_init(&f->storage), STOA_OK);
        assert_int_equal(stoa__entities_init(&f->storage), STOA_OK);
        stoa_component ids[] = {type_make(f, size), type_make(f, second), type_make(f, 0)};
        t.archetype[i] = stoa__archetype_get(&f->storage, ids, tagged ? 3 : 2);
        t.other[i] = stoa__archetype_get(&f->storage, ids, 1);
        assert_true(t.archetype[i] != NULL && t.other[i] != NULL);
        if (stamped) {
            assert_int_equal(stoa__entities_stamp_all(&f->storage), STOA_OK);
        }
        for (int n = 0; n < ROWS; n++) {
            /* Now and then one that is elsewhere stands between the others. */
            t.e[n] = row_add(f, n % 97 == 96 ? t.other[i] : t.archetype[i]);
        }
        f->storage.stamp++;
        /* Chunks differ in how new they are. */
        for (int32_t c = 0; c < t.archetype[i]->head.chunk_count; c++) {
            uint8_t *const *columns = t.archetype[i]->head.chunks[c].columns;
            for (uint32_t k = 0; k < (tagged ? 3 : 2); k++) {
                stoa_column_state *state = stoa__state_number(t.archetype[i], columns, k);
                uint32_t age = age_of(t.archetype[i], c, k, kind);
                STOA_STORE(seed % 2 == 0 ? &state->added : &state->changed, age);
            }
        }
    }
}

static void twins_close(void) {
    for (int i = 0; i < 2; i++) {
        stoa__entities_stamps_fini(&t.f[i].storage);
        fixture_close(&t.f[i]);
    }
}

static void chunks_compare(const stoa_chunk *a, const stoa_chunk *b) {
    assert_int_equal(a->count, b->count);
    size_t count = (size_t)a->count;
    assert_memory_equal(a->columns[0], b->columns[0], count * sizeof(stoa_entity));
    for (uint32_t k = 0; k < t.archetype[0]->lane_count; k++) {
        const stoa__lane *lane = &t.archetype[0]->lanes[k];
        assert_memory_equal(a->columns[lane->index], b->columns[lane->index], count * lane->size);
    }
    for (uint32_t k = 0; k < t.archetype[0]->id_count; k++) {
        assert_true(stoa__state_ticks(stoa__state_number(t.archetype[0], a->columns, k)) ==
                    stoa__state_ticks(stoa__state_number(t.archetype[1], b->columns, k)));
    }
}

static void twins_compare(bool stamped) {
    const stoa__storage *a = &t.f[0].storage, *b = &t.f[1].storage;
    assert_int_equal(a->free_first, b->free_first);
    assert_int_equal(a->free_count, b->free_count);
    assert_int_equal(a->retired_count, b->retired_count);
    assert_memory_equal(a->head.records, b->head.records,
                        a->head.record_count * sizeof *a->head.records);
    for (uint32_t i = 0; stamped && i < a->head.record_count; i += 1u << STOA__STAMP_BITS) {
        assert_int_equal(a->record_stamps[i >> STOA__STAMP_BITS],
                         b->record_stamps[i >> STOA__STAMP_BITS]);
    }
    int32_t chunks = t.archetype[0]->head.chunk_count;
    assert_int_equal(chunks, t.archetype[1]->head.chunk_count);
    for (int32_t c = 0; c < chunks; c++) {
        chunks_compare(&t.archetype[0]->head.chunks[c], &t.archetype[1]->head.chunks[c]);
    }
    assert_int_equal(stoa__rows_at(a, t.archetype[0]->index),
                     stoa__rows_at(b, t.archetype[1]->index));
}

/* Ends entities one after the other, up to the first that is dead or elsewhere. */
static uint32_t one_by_one(const stoa_entity *list, uint32_t count) {
    stoa__storage *storage = &t.f[1].storage;
    for (uint32_t i = 0; i < count; i++) {
        const stoa_record *record = stoa__entities_find(storage, list[i]);
        uint32_t place = record != NULL ? stoa__place_of(storage, list[i].index) : 0;
        if (record == NULL || stoa__row_archetype(storage, place) != t.archetype[1]) {
            return i;
        }
        stoa__row_remove(storage, place);
        stoa__entities_release(storage, list[i].index);
    }
    return count;
}

/* Ends a list in both, up to where it is out of the ordinary; returns how many. */
static uint32_t twins_end(const stoa_entity *list, uint32_t count) {
    uint32_t ended = 0, more;
    do {
        stoa__handles handles = stoa__handles_of(list + ended, count - ended);
        more = stoa__ends_run(&t.f[0].storage, t.archetype[0], handles);
        ended += more;
    } while (more > 0 && ended < count);
    assert_int_equal(one_by_one(list, count), ended);
    return ended;
}

/* Different ones at random, who live in the archetype. */
static uint32_t list_mix(stoa_entity *list, uint32_t count) {
    uint32_t found = 0;
    for (uint32_t i = 0; i < ROWS; i++) {
        uint32_t n = i + support_random_below(&t.random, ROWS - i);
        stoa_entity e = t.e[n];
        t.e[n] = t.e[i];
        t.e[i] = e;
        if (found < count && stoa__entities_find(&t.f[0].storage, e) != NULL &&
            stoa__row_archetype(&t.f[0].storage, stoa__place_of(&t.f[0].storage, e.index)) ==
                t.archetype[0]) {
            list[found++] = e;
        }
    }
    return found;
}

/* A stretch in order, a stretch backwards, the last rows, some at random, who may be dead, or some
 * who are not. */
static uint32_t list_make(stoa_entity *list) {
    uint32_t count = 1 + support_random_below(&t.random, LIST_MAX);
    uint32_t first = support_random_below(&t.random, ROWS);
    uint32_t order = support_random_below(&t.random, 6);
    if (order >= 4) {
        return list_mix(list, count);
    }
    for (uint32_t i = 0; i < count; i++) {
        uint32_t n = order == 0   ? first + i
                     : order == 1 ? first + 2 * ROWS - i
                     : order == 2 ? 2 * ROWS - 1 - i
                                  : support_random_below(&t.random, ROWS);
        list[i] = t.e[n % ROWS];
    }
    return count;
}

/* ENT-08 CHG-02 */
static void pairs_are_ended_as_one_by_one(void **state) {
    (void)state;
    for (uint32_t k = 0; k < SIZES * SIZES; k++) {
        bool stamped = k % 3 == 0, tagged = k % 4 == 0;
        ages kind = (ages)(tagged ? k / 4 % AGES : k % (AGES - 1));
        twins_open(sizes[k / SIZES], sizes[k % SIZES], stamped, tagged, kind, k + 1);
        for (int round = 0; round < 40; round++) {
            stoa_entity list[LIST_MAX];
            uint32_t count = list_make(list);
            /* One that is passed over is dead, or elsewhere; the others still go. */
            for (uint32_t at = 0; at < count; at++) {
                at += twins_end(list + at, count - at);
            }
            twins_compare(stamped);
        }
        twins_close();
    }
}

/* ENT-08 CHG-02: those that are anywhere, with chunks of any age, up to one that is dead, elsewhere
 * or no handle at all. */
static void pairs_that_are_anywhere_are_ended_as_one_by_one(void **state) {
    (void)state;
    for (uint32_t k = 0; k < 2 * AGES * 8; k++) {
        bool tagged = k % 2 == 1;
        ages kind = (ages)(k / 2 % AGES);
        twins_open(12, k % 3 == 0 ? 12 : 8, k % 5 == 0, tagged, kind, k + 1);
        stoa_entity list[LIST_MAX], elsewhere = t.e[96];
        uint32_t count = list_mix(list, 120 + k * 7), odd = 20 + k % 90;
        const stoa_entity odds[] = {list[3], elsewhere, {0, 0}, {ROWS * 9, 1}, {UINT32_MAX, 1}};
        list[odd] = odds[k % 5];
        assert_int_equal(twins_end(list, count), odd);
        twins_compare(k % 5 == 0);
        assert_int_equal(twins_end(list + odd + 1, count - odd - 1), count - odd - 1);
        twins_compare(k % 5 == 0);
        twins_close();
    }
}

/* ENT-08 */
static void pair_stops_before_what_is_no_live_handle(void **state) {
    (void)state;
    const stoa_entity wrong[] = {{0, 0}, {0, 1}, {ROWS * 9, 1},      {UINT32_MAX, 1},
                                 {5, 2}, {5, 0}, {5, STOA__DEAD | 1}};
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
        twins_open(12, 8, false, false, AGES_MIXED, 1);
        const stoa_entity list[] = {t.e[0], t.e[1], wrong[k], t.e[2]};
        assert_int_equal(twins_end(list, 4), 2);
        /* The mark of a dead slot is no handle of it. */
        uint32_t index = t.e[1].index;
        const stoa_entity marked[] = {{index, t.f[0].storage.head.records[index].generation}};
        assert_int_equal(twins_end(marked, 1), 0);
        const stoa_entity twice[] = {t.e[9], t.e[10], t.e[9]};
        assert_int_equal(twins_end(twice, 3), 2);
        const stoa_entity elsewhere[] = {t.e[20], t.e[96], t.e[21]};
        assert_int_equal(twins_end(elsewhere, 3), 1);
        twins_compare(false);
        twins_close();
    }
}

/* Makes an entity one of the last generation of its slot. */
static void generation_last(stoa_entity *e) {
    for (int i = 0; i < 2; i++) {
        stoa__storage *storage = &t.f[i].storage;
        storage->head.records[e->index].generation = STOA__GENERATION_MAX;
        uint32_t place = stoa__place_of(storage, e->index);
        stoa__row_entity(stoa__row_at(storage, place))->generation = STOA__GENERATION_MAX;
    }
    e->generation = STOA__GENERATION_MAX;
}

/* ENT-03 ENT-08 */
static void pair_retires_the_last_generation_of_a_slot(void **state) {
    (void)state;
    twins_open(8, 12, false, false, AGES_MIXED, 1);
    generation_last(&t.e[7]);
    assert_int_equal(twins_end(t.e, 20), 20);
    assert_int_equal(t.f[0].storage.retired_count, 1);
    twins_compare(false);
    /* And where they are anywhere. */
    stoa_entity list[200];
    assert_int_equal(list_mix(list, 200), 200);
    generation_last(&list[60]);
    assert_int_equal(twins_end(list, 200), 200);
    assert_int_equal(t.f[0].storage.retired_count, 2);
    twins_compare(false);
    twins_close();
}

/* ENT-08: never two of one chunk in a row. */
static void pairs_that_go_from_chunk_to_chunk_are_ended_as_one_by_one(void **state) {
    (void)state;
    twins_open(12, 12, false, false, AGES_EQUAL, 1);
    stoa_entity list[LIST_MAX];
    uint32_t count = 0;
    for (uint32_t i = 0; i < 90; i++) {
        for (uint32_t chunk = 0; chunk < 5; chunk++) {
            uint32_t n = chunk * 300 + i;
            list[count] = t.e[n];
            count += n % 97 != 96;
        }
    }
    assert_int_equal(twins_end(list, count), count);
    twins_compare(false);
    twins_close();
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pairs_are_ended_as_one_by_one),
        cmocka_unit_test(pairs_that_are_anywhere_are_ended_as_one_by_one),
        cmocka_unit_test(pair_stops_before_what_is_no_live_handle),
        cmocka_unit_test(pair_retires_the_last_generation_of_a_slot),
        cmocka_unit_test(pairs_that_go_from_chunk_to_chunk_are_ended_as_one_by_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
