/* Memory that runs out and streams that fail, at every point of saving and loading. */
#include "persist/snapshot_fixture.h"

/* Lets a world's k-th allocation fail, for each k, until a save gets through. */
static void save_runs_out(pair *p, bool forever) {
    uint64_t hash = stoa_hash(p->from.world);
    size_t k = 1;
    for (;; k++) {
        size_t before = p->from.heap.bytes;
        p->blob.size = 0;
        p->from.heap.fail_at = k;
        p->from.heap.fail_forever = forever;
        stoa_status status = stoa_snapshot_save_memory(
            p->from.world, &(stoa_snapshot_save_desc){.ticks = true}, &p->blob);
        bool reached = p->from.heap.fail_at == 0 || forever;
        p->from.heap.fail_at = 0;
        p->from.heap.fail_forever = false;
        assert_int_equal(p->from.heap.bytes, before);
        assert_true(stoa_hash(p->from.world) == hash);
        if (status == STOA_OK) {
            break;
        }
        assert_true(reached);
        assert_int_equal(status, STOA_NO_MEMORY);
        assert_int_equal(stoa_last_error().status, STOA_NO_MEMORY);
        assert_int_equal(p->blob.size, 0);
    }
    assert_true(k > 5);
}

/* GEN-04 SNP-05 */
static void save_survives_each_failed_allocation(void **state) {
    pair *p = *state;
    world_fill(p->from.world, 20);
    save_runs_out(p, false);
    save_runs_out(p, true);
    /* The blob's own memory. */
    stoa_blob none = {.allocator = &p->blob_allocator};
    p->blob_heap.fail_at = 1;
    assert_int_equal(stoa_snapshot_save_memory(p->from.world, NULL, &none), STOA_NO_MEMORY);
    assert_int_equal(none.size, 0);
    stoa_blob_free(&none);
}

typedef struct short_source {
    stoa_span span;
    size_t most; /* bytes at once */
} short_source;

static stoa_status short_read(void *user, void *bytes, size_t size, size_t *got) {
    short_source *s = user;
    const stoa_source source = stoa_span_source(&s->span);
    return source.read(source.user, bytes, size < s->most ? size : s->most, got);
}

static stoa_status load_either(pair *p, stoa_world *w, bool stream,
                               const stoa_snapshot_load_desc *desc) {
    short_source s = {.span = {p->blob.data, p->blob.data + p->blob.size}, .most = SIZE_MAX};
    const stoa_source source = {short_read, &s};
    return stream ? stoa_snapshot_load(w, desc, &source)
                  : stoa_snapshot_load_memory(w, desc, p->blob.data, p->blob.size);
}

static void world_empty(stoa_world *w) {
    stoa_entity e = stoa_entity_next(w, STOA_NULL);
    for (; !stoa_entity_is_null(e); e = stoa_entity_next(w, e)) {
        stoa_destroy(w, e);
    }
}

/* Lets the k-th allocation of a load fail, for each k, in a new world each time. */
static void load_runs_out(pair *p, bool stream, bool forever, stoa_unknown unknown) {
    const stoa_snapshot_load_desc desc = {.unknown = unknown};
    for (size_t k = 1;; k++) {
        support_world s;
        support_world_open(&s);
        if (unknown == STOA_UNKNOWN_REFUSE) {
            types_register(s.world, true);
            stoa_resource_set(s.world, Settings, {77, 0});
        } else {
            stoa_id(s.world, Position);
            stoa_id(s.world, Text);
        }
        stoa_create_with(s.world, STOA_VALUE(Position, {1, 2}));
        world_empty(s.world);
        int texts = text_count;
        uint64_t hash = stoa_hash(s.world);
        s.heap.fail_at = k;
        s.heap.fail_forever = forever;
        stoa_status status = load_either(p, s.world, stream, &desc);
        bool done = s.heap.fail_at != 0 && !forever;
        s.heap.fail_at = 0;
        s.heap.fail_forever = false;
        assert_int_equal(stoa_check(s.world), STOA_OK);
        if (status != STOA_OK) {
            assert_int_equal(status, STOA_NO_MEMORY);
            assert_int_equal(stoa_last_error().status, STOA_NO_MEMORY);
            assert_int_equal(stoa_count(s.world), 0);
            assert_int_equal(text_count, texts);
            assert_true(stoa_hash(s.world) == hash);
            /* It can be used: the same once more, with memory. */
            assert_int_equal(load_either(p, s.world, stream, &desc), STOA_OK);
        }
        if (unknown != STOA_UNKNOWN_DROP) {
            worlds_assert_equal(p->from.world, s.world);
        }
        support_world_close(&s);
        if (done || status == STOA_OK) {
            assert_true(k > 5);
            return;
        }
    }
}

/* GEN-04 SNP-05 */
static void load_survives_each_failed_allocation(void **state) {
    pair *p = *state;
    world_fill(p->from.world, 3);
    /* Several that the other world has not: the last of them may be the one that fails. */
    stoa_resource_set(p->from.world, Position, {1, 2});
    stoa_resource_set(p->from.world, Velocity, {3, 4});
    stoa_resource_set(p->from.world, Timed, {5});
    pair_save(p, NULL);
    for (int stream = 0; stream < 2; stream++) {
        load_runs_out(p, stream != 0, false, STOA_UNKNOWN_REFUSE);
        load_runs_out(p, stream != 0, true, STOA_UNKNOWN_REFUSE);
        load_runs_out(p, stream != 0, false, STOA_UNKNOWN_DROP);
        load_runs_out(p, stream != 0, false, STOA_UNKNOWN_KEEP);
    }
}

/* A sink that takes so many bytes and then fails. */
typedef struct short_sink {
    stoa_blob *blob;
    size_t left;
    bool says_why;
} short_sink;

static stoa_status short_write(void *user, const void *bytes, size_t size) {
    short_sink *s = user;
    size_t part = size < s->left ? size : s->left;
    const stoa_sink sink = stoa_blob_sink(s->blob);
    s->left -= part;
    stoa_status status = stoa_sink_write(&sink, bytes, part);
    if (status == STOA_OK && part < size) {
        return s->says_why ? stoa_fail(STOA_IO, "the pipe is full") : STOA_IO;
    }
    return status;
}

/* SNP-04 SNP-05 */
static void sink_that_fails_anywhere_fails_the_save(void **state) {
    pair *p = *state;
    world_fill(p->from.world, 2);
    pair_save(p, NULL);
    size_t size = p->blob.size;
    stoa_blob out = {.allocator = &p->blob_allocator};
    uint64_t hash = stoa_hash(p->from.world);
    for (size_t left = 0; left <= size; left++) {
        out.size = 0;
        short_sink s = {&out, left, left % 2 == 0};
        const stoa_sink sink = {short_write, &s};
        stoa_error_clear();
        stoa_status status = stoa_snapshot_save(p->from.world, NULL, &sink);
        assert_int_equal(status, left < size ? STOA_IO : STOA_OK);
        assert_int_equal(stoa_last_error().status, status);
        if (left < size) {
            support_assert_message(s.says_why ? "the pipe is full" : "could not be saved");
        }
        assert_int_equal(out.size, left);
        assert_memory_equal(out.data == NULL ? p->blob.data : out.data, p->blob.data, left);
    }
    assert_true(stoa_hash(p->from.world) == hash);
    stoa_blob_free(&out);
}

/* SNP-04: a stream larger than any buffer. */
static void streams_give_what_memory_gives(void **state) {
    pair *p = *state;
    world_fill(p->from.world, 1500);
    pair_save(p, NULL);
    assert_true(p->blob.size > 200000);
    stoa_blob out = {.allocator = &p->blob_allocator};
    short_sink s = {&out, SIZE_MAX, false};
    const stoa_sink sink = {short_write, &s};
    assert_int_equal(stoa_snapshot_save(p->from.world, NULL, &sink), STOA_OK);
    assert_int_equal(out.size, p->blob.size);
    assert_memory_equal(out.data, p->blob.data, out.size);
    stoa_blob_free(&out);
    static const size_t pieces[] = {1, 7, 4096, SIZE_MAX};
    types_register(p->to.world, true);
    for (size_t i = 0; i < sizeof pieces / sizeof *pieces; i++) {
        short_source from = {{p->blob.data, p->blob.data + p->blob.size}, pieces[i]};
        const stoa_source source = {short_read, &from};
        assert_int_equal(stoa_snapshot_load(p->to.world, NULL, &source), STOA_OK);
        worlds_assert_equal(p->from.world, p->to.world);
        world_empty(p->to.world);
    }
}

/* SNP-04: what follows a snapshot in a stream is not touched. */
static void stream_is_read_to_the_end_of_the_snapshot(void **state) {
    pair *p = *state;
    stoa_create_with(p->from.world, STOA_VALUE(Position, {1, 2}));
    stoa_id(p->to.world, Position);
    pair_save(p, NULL);
    const stoa_sink sink = stoa_blob_sink(&p->blob);
    stoa_sink_write(&sink, "more", 4);
    stoa_span span = {p->blob.data, p->blob.data + p->blob.size};
    const stoa_source source = stoa_span_source(&span);
    assert_int_equal(stoa_snapshot_load(p->to.world, NULL, &source), STOA_OK);
    worlds_assert_equal(p->from.world, p->to.world);
    assert_int_equal(span.end - span.at, 4);
    /* In memory it must not be there. */
    world_empty(p->to.world);
    assert_int_equal(stoa_snapshot_load_memory(p->to.world, NULL, p->blob.data, p->blob.size),
                     STOA_CORRUPT);
}

static stoa_status failing_read(void *user, void *bytes, size_t size, size_t *got) {
    (void)bytes;
    (void)size;
    (void)got;
    return *(const stoa_status *)user;
}

/* SNP-04 */
static void source_that_fails_fails_the_load(void **state) {
    pair *p = *state;
    stoa_status status = STOA_IO;
    const stoa_source source = {failing_read, &status};
    assert_int_equal(stoa_snapshot_load(p->to.world, NULL, &source), STOA_IO);
    support_assert_message("could not be loaded");
}

static int saves_left;

static stoa_status fickle_save(const stoa_sink *sink, const void *items, int32_t count,
                               void *user) {
    (void)items;
    (void)count;
    (void)user;
    if (saves_left-- == 0) {
        return STOA_FAILED;
    }
    return stoa_sink_write(sink, "abcdefgh", (size_t)(saves_left % 8));
}

static stoa_status fickle_load(const stoa_source *source, void *items, int32_t count, void *user) {
    (void)user;
    memset(items, 0, (size_t)count);
    return stoa_source_read(source, &(uint8_t){0}, 1);
}

/* SNP-03: functions that fail, or write something else each time. */
static void functions_that_misbehave_fail_the_save(void **state) {
    pair *p = *state;
    static const stoa_persist persist = {.save = fickle_save, .load = fickle_load};
    stoa_component id = stoa_component_register(
        p->from.world, &(stoa_component_desc){.name = "Fickle", .size = 1, .persist = &persist});
    stoa_entity e = stoa_create(p->from.world);
    stoa_add_id(p->from.world, e, id);
    for (int i = 0; i < 3; i++) {
        saves_left = i;
        assert_int_equal(stoa_snapshot_save_memory(p->from.world, NULL, &p->blob), STOA_FAILED);
        assert_int_equal(p->blob.size, 0);
    }
    saves_left = 100;
    assert_int_equal(stoa_snapshot_save_memory(p->from.world, NULL, &p->blob), STOA_FAILED);
    assert_int_equal(p->blob.size, 0);
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, pair_setup, pair_teardown)
    const struct CMUnitTest tests[] = {
        TEST(save_survives_each_failed_allocation),      TEST(load_survives_each_failed_allocation),
        TEST(sink_that_fails_anywhere_fails_the_save),   TEST(streams_give_what_memory_gives),
        TEST(stream_is_read_to_the_end_of_the_snapshot), TEST(source_that_fails_fails_the_load),
        TEST(functions_that_misbehave_fail_the_save),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
