/* History when memory runs out: a save or restore that fails has changed nothing, and can be
 * repeated. Every allocation of either fails once, and so does every copy of a value. */
#include "history_fixture.h"

typedef struct fixture {
    support_world s;
    stoa_world *w;
    stoa_frames *frames;
    stoa_reader *reader;
    stoa_query *frozen;
    stoa_entity e[200];
} fixture;

static stoa_value owned_value(stoa_type *type, owner *o, int32_t serial) {
    owner_make(o, serial);
    return (stoa_value){.type = type, .data = o};
}

static void world_fill(fixture *f) {
    for (int32_t i = 0; i < 200; i++) {
        owner o[3];
        stoa_value values[] = {owned_value(STOA_TYPE_OF(Owned), &o[0], i + 1),
                               owned_value(STOA_TYPE_OF(Hoard), &o[1], i + 1),
                               owned_value(STOA_TYPE_OF(Written), &o[2], i + 1)};
        f->e[i] = stoa_create_values(f->w, values, i % 4);
        for (int32_t k = i % 4; k < 3; k++) {
            owner_drop(&o[k], 1, NULL);
        }
        if (i % 3 == 0) {
            stoa_set(f->w, f->e[i], Wide, {.id = i});
            stoa_set(f->w, f->e[i], Purse, {i});
        }
        if (i % 5 == 0) {
            stoa_set(f->w, f->e[i], Shield, {i});
            stoa_set(f->w, f->e[i], Seen, {i});
        }
    }
    stoa_resource_set(f->w, Health, {3});
    for (int32_t i = 0; i < 20; i++) {
        Owned o;
        owner_make(&o, i + 1);
        stoa_event_send_id(f->w, STOA_NULL, stoa_id(f->w, Owned), &o, sizeof o);
    }
    stoa_tick_advance(f->w);
}

/* Changes about everything, and gives back what memory it can. */
static void world_change(fixture *f) {
    stoa_event event;
    for (int32_t i = 0; i < 150; i++) {
        stoa_destroy(f->w, f->e[i]);
    }
    for (int32_t i = 0; i < 10; i++) {
        stoa_event_read(f->reader, &event);
        stoa_create_with(f->w, STOA_ZERO(Frozen), STOA_ZERO(Position));
    }
    stoa_resource_remove_id(f->w, stoa_id(f->w, Health));
    stoa_compact(f->w);
    stoa_tick_advance(f->w);
}

static void fixture_open(fixture *f) {
    support_world_open_with(&f->s, 16384);
    f->w = f->s.world;
    stoa_log_keep(f->w, 30);
    f->reader = stoa_reader_new(f->w, Owned);
    f->frozen = stoa_query_new(f->w, &(stoa_query_desc){.terms = {STOA_READ(Frozen)}});
    f->frames = stoa_frames_new(f->w, 3);
    assert_non_null(f->frames);
    world_fill(f);
}

static void fixture_close(fixture *f) {
    stoa_frames_free(f->frames);
    support_world_close(&f->s);
    assert_int_equal(owned_alive, 0);
}

/* Lets the k-th allocation, or copy, of a call fail. */
static void fault_set(fixture *f, bool copies, int32_t k) {
    if (copies) {
        owned_copies = k - 1;
    } else {
        f->s.heap.fail_at = (size_t)k;
    }
}

static void fault_end(fixture *f) {
    owned_copies = -1;
    f->s.heap.fail_at = 0;
}

/* Repeats a save until it goes well, with another failure each time; returns how many failed. */
static int32_t save_under_faults(fixture *f, bool copies) {
    dump before = dump_of(f->w);
    int32_t count = stoa_frames_count(f->frames), alive = owned_alive;
    for (int32_t k = 1;; k++) {
        fault_set(f, copies, k);
        stoa_status status = stoa_frames_save(f->frames);
        fault_end(f);
        dump_holds(f->w, &before);
        if (status == STOA_OK) {
            dump_free(&before);
            return k - 1;
        }
        assert_int_equal(status, STOA_NO_MEMORY);
        assert_int_equal(stoa_frames_count(f->frames), count);
        assert_int_equal(owned_alive, alive);
    }
}

/* The same for a restore, to what is given. */
static int32_t restore_under_faults(fixture *f, bool copies, int64_t frame, const dump *wanted) {
    dump before = dump_of(f->w);
    int32_t count = stoa_frames_count(f->frames), alive = owned_alive;
    for (int32_t k = 1;; k++) {
        bool restored = true;
        fault_set(f, copies, k);
        stoa_status status = stoa_frames_restore(f->frames, frame, &restored);
        fault_end(f);
        if (status == STOA_OK) {
            assert_true(restored);
            dump_holds(f->w, wanted);
            dump_free(&before);
            return k - 1;
        }
        assert_int_equal(status, STOA_NO_MEMORY);
        assert_false(restored);
        dump_holds(f->w, &before);
        assert_int_equal(stoa_frames_count(f->frames), count);
        assert_int_equal(owned_alive, alive);
    }
}

static void faults_change_nothing(bool copies) {
    fixture f;
    fixture_open(&f);
    assert_true(save_under_faults(&f, copies) > 3);
    dump first = dump_of(f.w);
    world_change(&f);
    (void)save_under_faults(&f, copies);
    stoa_create_with(f.w, STOA_ZERO(Position));
    dump second = dump_of(f.w);
    (void)save_under_faults(&f, copies);
    stoa_query_destroy(f.frozen);
    for (int32_t i = 150; i < 200; i++) {
        stoa_destroy(f.w, f.e[i]);
    }
    (void)stoa_compact(f.w);
    (void)restore_under_faults(&f, copies, 2, &second);
    assert_true(restore_under_faults(&f, copies, 0, &first) > 3);
    dump_free(&first);
    dump_free(&second);
    fixture_close(&f);
}

/* SNP-08 GEN-03 */
static void failing_allocations_change_nothing(void **state) {
    (void)state;
    faults_change_nothing(false);
}

/* SNP-08 GEN-03 */
static void failing_copies_change_nothing(void **state) {
    (void)state;
    faults_change_nothing(true);
}

/* SNP-08 GEN-03 */
static void failing_news_leave_nothing(void **state) {
    (void)state;
    support_world s;
    support_world_open(&s);
    stoa_app *app = stoa_app_new(&(stoa_app_desc){.world = s.world, .threads = 1});
    size_t bytes = s.heap.bytes;
    int32_t failed = 0;
    for (size_t k = 1;; k++, failed++) {
        s.heap.fail_at = k;
        stoa_history *h = stoa_history_new(s.world, &(stoa_history_desc){.app = app});
        if (h != NULL) {
            s.heap.fail_at = 0;
            stoa_history_free(h);
            break;
        }
        assert_int_equal(stoa_last_error().status, STOA_NO_MEMORY);
        /* Stamps, once begun, are kept by the world. */
        assert_true(s.heap.bytes <= bytes + 64);
    }
    assert_true(failed >= 3);
    stoa_app_free(app);
    support_world_close(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(failing_allocations_change_nothing),
        cmocka_unit_test(failing_copies_change_nothing),
        cmocka_unit_test(failing_news_leave_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
