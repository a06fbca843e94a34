/* History of worlds that are large enough for several spans of chunks and several folders of
 * records: what comes back, what is shared, what running out of memory leaves. */
#include "history_fixture.h"
#include "world/frames.h"

/* Rows of a chunk of Wide, in a world of small chunks. */
#define ROWS 128
#define CHUNKS_MAX (3 * (int32_t)STOA__FRAME_SPAN)
/* Entities of a folder of records. */
#define FOLDER ((int32_t)(STOA__FRAME_RECORDS << STOA__FOLDER_BITS))
#define KEPT 4

typedef struct fixture {
    support_world s;
    stoa_world *w;
    stoa_frames *frames;
    stoa_entity e[CHUNKS_MAX * ROWS];
    int32_t count;
} fixture;

static fixture f;

static void fixture_open(int32_t chunks) {
    support_world_open_with(&f.s, 16384);
    f.w = f.s.world;
    f.frames = stoa_frames_new(f.w, KEPT);
    assert_non_null(f.frames);
    f.count = 0;
    for (int32_t i = 0; i < chunks * ROWS; i++) {
        f.e[f.count++] = stoa_create_with(f.w, STOA_VALUE(Wide, {.id = i}));
    }
    if (chunks > 0) {
        const stoa__archetype *archetype = f.w->storage.archetypes[stoa_archetype_of(f.w, f.e[0])];
        assert_int_equal(archetype->head.chunk_capacity, ROWS);
        assert_int_equal(archetype->head.chunk_count, chunks);
    }
}

static void fixture_close(void) {
    stoa_frames_free(f.frames);
    support_world_close(&f.s);
}

/* The newest frame, and those before it. */
static const stoa__frame *frame_back(int64_t back) {
    return &f.frames->slots[(uint64_t)(f.frames->next - 1 - back) % f.frames->slot_count];
}

/* Writes one row of a chunk. */
static void chunk_write(int32_t chunk, int32_t value) {
    stoa_get_mut(f.w, f.e[chunk * ROWS + value % ROWS], Wide)->last = value;
}

/* SNP-08 */
static void spans_that_did_not_change_are_shared(void **state) {
    (void)state;
    fixture_open(70);
    stoa_tick_advance(f.w);
    assert_int_equal(stoa_frames_save(f.frames), STOA_OK);
    assert_int_equal(frame_back(0)->spans_count, 3);
    stoa_tick_advance(f.w);
    chunk_write(40, 1);
    stoa_tick_advance(f.w);
    assert_int_equal(stoa_frames_save(f.frames), STOA_OK);
    stoa__page *const *now = frame_back(0)->spans, *const *then = frame_back(1)->spans;
    assert_true(now[0] == then[0] && now[1] != then[1] && now[2] == then[2]);
    assert_true(frame_back(0)->records[0] == frame_back(1)->records[0]);
    /* Within the span all but the one column of the one chunk is the same. */
    for (uint32_t i = 0; i < STOA__FRAME_SPAN; i++) {
        stoa__page **a = stoa__span_pages(stoa__span_of(now[1]), i);
        stoa__page **b = stoa__span_pages(stoa__span_of(then[1]), i);
        assert_true(a[0] == b[0]);
        assert_true((a[1] == b[1]) == (i != 8));
    }
    /* A row that goes from the end leaves the other spans alone. */
    stoa_destroy(f.w, f.e[f.count - 1]);
    assert_int_equal(stoa_frames_save(f.frames), STOA_OK);
    now = frame_back(0)->spans, then = frame_back(1)->spans;
    assert_true(now[0] == then[0] && now[1] == then[1] && now[2] != then[2]);
    assert_true(frame_back(0)->records[0] != frame_back(1)->records[0]);
    fixture_close();
}

/* SNP-08 */
static void folders_that_did_not_change_are_shared(void **state) {
    (void)state;
    fixture_open(0);
    for (int32_t i = 1; i < 2 * FOLDER + 100; i++) {
        assert_false(stoa_entity_is_null(stoa_create(f.w)));
    }
    assert_int_equal(stoa_frames_save(f.frames), STOA_OK);
    assert_int_equal(frame_back(0)->records_count, 3);
    stoa_destroy(f.w, (stoa_entity){(uint32_t)FOLDER + 5, 1});
    dump wanted = dump_of(f.w);
    assert_int_equal(stoa_frames_save(f.frames), STOA_OK);
    stoa__page *const *now = frame_back(0)->records, *const *then = frame_back(1)->records;
    assert_true(now[0] == then[0] && now[1] != then[1] && now[2] == then[2]);
    for (uint32_t p = 0; p < 1u << STOA__FOLDER_BITS; p++) {
        assert_true((stoa__folder_pages(now[1])[p] == stoa__folder_pages(then[1])[p]) == (p != 0));
    }
    /* The one that is made now has the slot that was free, of which the frame must know. */
    assert_false(stoa_entity_is_null(stoa_create(f.w)));
    assert_int_equal(stoa_frames_restore(f.frames, 1, NULL), STOA_OK);
    dump_holds(f.w, &wanted);
    dump_free(&wanted);
    fixture_close();
}

/* Something of everything: writes, rows that come and go over the borders of spans. */
static void world_stir(support_random *random, int32_t step) {
    stoa_tick_advance(f.w);
    for (uint32_t n = support_random_below(random, 4); n > 0 && f.count >= ROWS; n--) {
        chunk_write((int32_t)support_random_below(random, (uint32_t)(f.count / ROWS)), step);
    }
    uint32_t kind = support_random_below(random, 6);
    int32_t amount = (int32_t)support_random_below(random, kind < 2 ? 40 * ROWS : 3);
    if (kind % 2 == 0) {
        for (; amount > 0 && f.count < CHUNKS_MAX * ROWS; amount--) {
            f.e[f.count++] = stoa_create_with(f.w, STOA_VALUE(Wide, {.last = step}));
        }
    } else {
        for (; amount > 0 && f.count > 0; amount--) {
            uint32_t i =
                kind == 1 ? (uint32_t)f.count - 1 : support_random_below(random, (uint32_t)f.count);
            stoa_destroy(f.w, f.e[i]);
            f.e[i] = f.e[--f.count];
        }
    }
}

/* A frame, and who lived in it. */
typedef struct keep {
    dump text;
    int32_t count;
    stoa_entity e[CHUNKS_MAX * ROWS];
} keep;

/* SNP-08 */
static void many_spans_come_back(void **state) {
    (void)state;
    static keep kept[KEPT];
    support_random random = {11};
    fixture_open(66);
    for (int32_t step = 0; step < 36; step++) {
        world_stir(&random, step);
        assert_int_equal(stoa_frames_save(f.frames), STOA_OK);
        keep *k = &kept[stoa_frames_last(f.frames) % KEPT];
        dump_free(&k->text);
        k->text = dump_of(f.w);
        k->count = f.count;
        memcpy(k->e, f.e, sizeof k->e);
        if (step % 3 == 2) {
            world_stir(&random, step);
            int64_t back = support_random_below(&random, (uint32_t)stoa_frames_count(f.frames));
            int64_t number = stoa_frames_last(f.frames) - back;
            assert_int_equal(stoa_frames_restore(f.frames, number, NULL), STOA_OK);
            k = &kept[number % KEPT];
            dump_holds(f.w, &k->text);
            f.count = k->count;
            memcpy(f.e, k->e, sizeof f.e);
        }
    }
    for (int32_t i = 0; i < KEPT; i++) {
        dump_free(&kept[i].text);
    }
    fixture_close();
}

/* Saves until there is memory for it; returns how often there was none. */
static int32_t save_under_faults(void) {
    int32_t count = stoa_frames_count(f.frames);
    for (int32_t k = 1;; k++) {
        f.s.heap.fail_at = (size_t)k;
        stoa_status status = stoa_frames_save(f.frames);
        f.s.heap.fail_at = 0;
        if (status == STOA_OK) {
            return k - 1;
        }
        assert_int_equal(status, STOA_NO_MEMORY);
        assert_int_equal(stoa_frames_count(f.frames), count);
    }
}

/* SNP-08 GEN-03 */
static void save_that_fails_within_a_span_changes_nothing(void **state) {
    (void)state;
    fixture_open(40);
    stoa_tick_advance(f.w);
    assert_true(save_under_faults() > 3);
    dump first = dump_of(f.w);
    stoa_tick_advance(f.w);
    for (int32_t c = 0; c < 40; c += 2) {
        chunk_write(c, c);
    }
    stoa_destroy(f.w, f.e[0]);
    assert_true(save_under_faults() > 0);
    dump second = dump_of(f.w);
    stoa_tick_advance(f.w);
    chunk_write(3, 7);
    assert_int_equal(stoa_frames_restore(f.frames, 1, NULL), STOA_OK);
    dump_holds(f.w, &second);
    assert_int_equal(stoa_frames_restore(f.frames, 0, NULL), STOA_OK);
    dump_holds(f.w, &first);
    dump_free(&first);
    dump_free(&second);
    fixture_close();
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(spans_that_did_not_change_are_shared),
        cmocka_unit_test(folders_that_did_not_change_are_shared),
        cmocka_unit_test(many_spans_come_back),
        cmocka_unit_test(save_that_fails_within_a_span_changes_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
