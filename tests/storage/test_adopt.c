/* Chunks that change hands: rows stay where they are, and nothing of the chunk is lost. */
#include "storage/adopt.h"

#include "migrate_fixture.h"

/* ACC-09: a tag is added without moving a row. */
static void chunks_change_hands_for_a_tag(void **state) {
    fixture *f = *state;
    stoa_component a = type_make(f, 12), b = type_make(f, 12), tag = type_make(f, 0);
    stoa__archetype *plain = SET(f, a, b), *tagged = SET(f, a, b, tag);
    rows_add(f, plain, 1100);
    assert_int_equal(plain->head.chunk_count, 3);
    stoa_chunk chunks[3];
    memcpy(chunks, plain->head.chunks, sizeof chunks);
    assert_int_equal(migrate(f, plain, tag, NULL), STOA_OK);
    assert_int_equal(tagged->head.chunk_count, 3);
    assert_memory_equal(tagged->head.chunks, chunks, sizeof chunks);
    rows_verify(f, plain, 0, NULL);
    rows_verify(f, tagged, 0, NULL);
    rows_count_up(tagged, 1, 1100);
    assert_int_equal(migrate(f, tagged, tag | DROP, NULL), STOA_OK);
    assert_memory_equal(plain->head.chunks, chunks, sizeof chunks);
    rows_verify(f, plain, 0, NULL);
    rows_verify(f, tagged, 0, NULL);
    /* Both ends still take rows. */
    rows_add(f, plain, 600);
    rows_add(f, tagged, 10);
    rows_verify(f, plain, 0, NULL);
    rows_verify(f, tagged, 0, NULL);
    assert_int_equal(stoa__edge_check(&f->storage, plain), STOA_OK);
}

/* The entities of an archetype in storage order. */
static uint32_t order_list(const stoa__archetype *archetype, stoa_entity *list) {
    uint32_t count = 0;
    for (int32_t c = 0; c < archetype->head.chunk_count; c++) {
        const stoa_chunk *chunk = &archetype->head.chunks[c];
        memcpy(list + count, chunk->columns[0], (size_t)chunk->count * sizeof *list);
        count += (uint32_t)chunk->count;
    }
    return count;
}

/* ACC-09 STO-04 STO-11: the order of rows tells nothing of chunks, of which only the last may be
 * partly filled. */
static void rows_come_behind_those_of_the_target(void **state) {
    fixture *f = *state;
    stoa_component a = type_make(f, 24), tag = type_make(f, 0);
    stoa__archetype *plain = SET(f, a), *tagged = SET(f, a, tag);
    static stoa_entity before[20000], after[20000];
    uint32_t full = plain->full_capacity, adopted = 0;
    /* Rows of the target, then of the source. */
    const uint32_t cases[][2] = {
        {0, full},         {0, full + 1},     {full - 1, full}, {0, 3 * full},
        {0, full - 1},     {1, 2 * full + 1}, {full - 1, full}, {3, full + 7},
        {0, 2 * full - 1}, {full + 9, 3},     {9, 2},           {0, 5 * full - 3},
        {16, full},        {0, 2 * full + 5}, {16, full},       {16, 3 * full + 1}};
    for (uint32_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        rows_add(f, tagged, cases[i][0]);
        rows_add(f, plain, cases[i][1]);
        uint32_t count = order_list(tagged, before);
        count += order_list(plain, before + count);
        adopted += stoa__adopt_fits(plain, tagged);
        assert_int_equal(migrate(f, plain, tag, NULL), STOA_OK);
        rows_verify(f, plain, 0, NULL);
        rows_verify(f, tagged, 0, NULL);
        assert_int_equal(order_list(tagged, after), count);
        assert_memory_equal(before, after, count * sizeof *after);
        if (i % 4 == 3) {
            stoa__migrate_destroy(&f->storage, tagged);
        }
        if (i % 3 == 2) {
            assert_int_equal(stoa__archetype_trim(&f->storage, tagged), STOA_OK);
            assert_int_equal(stoa__archetype_trim(&f->storage, plain), STOA_OK);
        }
    }
    assert_true(adopted >= 4 && adopted < sizeof cases / sizeof *cases);
}

/* ACC-09 GEN-03 GEN-04 */
static void lack_of_memory_leaves_chunks_where_they_are(void **state) {
    fixture *f = *state;
    stoa_component a = type_make(f, 24), tag = type_make(f, 0);
    stoa__archetype *plain = SET(f, a), *tagged = SET(f, a, tag);
    stoa__edge *edge = stoa__edge_get_one(&f->storage, plain, tag);
    /* The target holds a small chunk without rows. */
    rows_add(f, tagged, 3);
    stoa__migrate_destroy(&f->storage, tagged);
    rows_add(f, plain, 3u * plain->full_capacity + 5);
    assert_true(tagged->chunk_held == 1 && stoa__adopt_fits(plain, tagged));
    stoa_chunk chunks[4];
    memcpy(chunks, plain->head.chunks, sizeof chunks);
    stoa_status status = STOA_NO_MEMORY;
    int failures = -1;
    for (size_t at = 1; status != STOA_OK; at++, failures++) {
        rows_verify(f, plain, 0, NULL);
        rows_verify(f, tagged, 0, NULL);
        assert_memory_equal(plain->head.chunks, chunks, sizeof chunks);
        f->heap.fail_at = at;
        f->heap.fail_forever = true;
        status = stoa__migrate_rows(&f->storage, plain, edge, NULL);
        f->heap.fail_at = 0;
    }
    assert_true(failures > 0);
    assert_memory_equal(tagged->head.chunks, chunks, sizeof chunks);
    rows_verify(f, plain, 0, NULL);
    rows_verify(f, tagged, 0, NULL);
    assert_int_equal(tagged->chunk_held, 5);
}

enum { TAGS = 20 };

/* Tags of two chunks have the ticks that are told, where there is one. */
static void tags_verify(const stoa__archetype *archetype, const stoa_component *tags,
                        uint32_t ticks[2][TAGS]) {
    for (int32_t c = 0; c < 2; c++) {
        for (uint32_t i = 0; i < TAGS; i++) {
            bool has = stoa__archetype_column(archetype, tags[i]) != NULL;
            assert_int_equal(has, ticks[c][i] != 0);
            if (has) {
                const stoa_column_state *s = state_at(archetype, c, tags[i]);
                assert_int_equal(STOA_LOAD(&s->changed), ticks[c][i]);
                assert_int_equal(STOA_LOAD(&s->added), ticks[c][i] - ticks[c][i] % 2);
                assert_int_equal(s->off, 0);
            }
        }
    }
}

/* ACC-09 CHG-02: tags come and go, by chunks or by rows where there is no room for one more, and
 * the states of the others are not lost or mixed up. */
static void states_of_tags_stay_with_their_rows(void **state) {
    fixture *f = *state;
    stoa_component a = type_make(f, 24), t[TAGS];
    uint32_t ticks[2][TAGS] = {{0}}, adopted = 0;
    for (uint32_t i = 0; i < TAGS; i++) {
        t[i] = type_make(f, 0);
    }
    stoa__archetype *source = SET(f, a, t[0], t[9], t[18]), *at = source;
    f->storage.head.tick = 100;
    rows_add(f, source, source->full_capacity + 1u);
    for (int32_t c = 0; c < 2; c++) {
        for (uint32_t i = 0; i < 3; i++) {
            uint32_t tag = 9 * i, tick = 40 + 20 * (uint32_t)c + i;
            ticks[c][tag] = tick;
            STOA_STORE(&state_at(source, c, t[tag])->changed, tick);
            STOA_STORE(&state_at(source, c, t[tag])->added, tick - tick % 2);
        }
        STOA_STORE(&state_at(source, c, a)->changed, 80 + (uint32_t)c);
    }
    for (uint32_t step = 0; step < 2; step++) {
        for (uint32_t i = 0, tag = 5; i < TAGS; i++, tag = (tag + 7) % TAGS) {
            if (tag % 9 == 0) {
                continue;
            }
            f->storage.head.tick += 2;
            ticks[0][tag] = ticks[1][tag] = step == 0 ? f->storage.head.tick : 0;
            stoa__edge *edge = stoa__edge_get_one(&f->storage, at, t[tag] | (step == 0 ? 0 : DROP));
            adopted += stoa__adopt_fits(at, edge->target);
            assert_int_equal(stoa__migrate_rows(&f->storage, at, edge, NULL), STOA_OK);
            at = edge->target;
            tags_verify(at, t, ticks);
            rows_verify(f, at, 0, NULL);
        }
    }
    assert_ptr_equal(at, source);
    assert_true(adopted >= 4 && adopted < 2 * (TAGS - 3));
    assert_int_equal(STOA_LOAD(&state_at(source, 0, a)->changed), 80);
    assert_int_equal(STOA_LOAD(&state_at(source, 1, a)->changed), 81);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        WITH_STORAGE(chunks_change_hands_for_a_tag),
        WITH_STORAGE(rows_come_behind_those_of_the_target),
        WITH_STORAGE(lack_of_memory_leaves_chunks_where_they_are),
        WITH_STORAGE(states_of_tags_stay_with_their_rows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
