/* Bytes that are no snapshot, or were one before they were damaged: an error, never harm. */
#include "persist/snapshot.h"
#include "persist/snapshot_fixture.h"

/* A small world with one of everything. */
static void world_fill_small(stoa_world *w) {
    types_register(w, false);
    stoa_entity a = stoa_create_with(w, STOA_VALUE(Position, {1, 2}), STOA_VALUE(Lamp, {3}));
    stoa_enable(w, a, Lamp, false);
    stoa_create_with(w, STOA_VALUE(Position, {3, 4}), STOA_VALUE(Lamp, {5}));
    stoa_entity b = stoa_create_with(w, STOA_VALUE(Timed, {1}));
    Text text = text_make("ab");
    stoa_set_id(w, b, stoa_id(w, Text), &text, sizeof text);
    stoa_set(w, b, Mark, {7});
    stoa_enable(w, b, Mark, false);
    stoa_entity gone = stoa_create(w);
    stoa_create(w);
    stoa_destroy(w, gone);
    stoa_resource_set(w, Settings, {1, 2});
}

/* The world is empty and works. Its own content is what it was. */
static void world_assert_usable(support_world *s, uint64_t hash) {
    assert_int_equal(stoa_check(s->world), STOA_OK);
    assert_int_equal(stoa_count(s->world), 0);
    assert_true(stoa_hash(s->world) == hash);
}

/* Loads bytes that may be anything, in both ways. On success the world is emptied again. */
static void bytes_try(pair *p, const uint8_t *bytes, size_t size, bool checked) {
    stoa_world *w = p->to.world;
    /* A block of its own, so that a read past its end shows. */
    uint8_t *copy = malloc(size > 0 ? size : 1);
    memcpy(copy, bytes, size);
    uint64_t hash = stoa_hash(w);
    for (int way = 0; way < 2; way++) {
        stoa_span span = {copy, copy + size};
        const stoa_source source = stoa_span_source(&span);
        stoa_error_clear();
        stoa_status status = way == 0 ? stoa__snapshot_load_bytes(w, NULL, copy, size, checked)
                                      : stoa__snapshot_load_stream(w, NULL, &source, checked);
        if (status != STOA_OK) {
            assert_int_equal(stoa_last_error().status, status);
            world_assert_usable(&p->to, hash);
            /* What is in a file is nobody's misuse. */
            support_assert_quiet(&p->to);
            continue;
        }
        assert_int_equal(stoa_check(w), STOA_OK);
        stoa_entity e = stoa_entity_next(w, STOA_NULL);
        for (; !stoa_entity_is_null(e); e = stoa_entity_next(w, e)) {
            stoa_destroy(w, e);
        }
        stoa_resource_remove(w, Settings);
        hash = stoa_hash(w);
    }
    free(copy);
}

static void both_prepare(pair *p, bool ticks) {
    world_fill_small(p->from.world);
    types_register(p->to.world, true);
    pair_save(p, &(stoa_snapshot_save_desc){.ticks = ticks});
}

/* SNP-05 */
static void every_truncation_is_refused(void **state) {
    pair *p = *state;
    both_prepare(p, true);
    for (size_t size = 0; size < p->blob.size; size++) {
        uint8_t *copy = malloc(size > 0 ? size : 1);
        memcpy(copy, p->blob.data, size);
        uint64_t hash = stoa_hash(p->to.world);
        assert_int_equal(stoa_snapshot_verify(copy, size, NULL), STOA_CORRUPT);
        assert_int_equal(stoa_snapshot_load_memory(p->to.world, NULL, copy, size), STOA_CORRUPT);
        stoa_span span = {copy, copy + size};
        const stoa_source source = stoa_span_source(&span);
        assert_int_equal(stoa_snapshot_load(p->to.world, NULL, &source), STOA_CORRUPT);
        world_assert_usable(&p->to, hash);
        free(copy);
    }
}

/* SNP-05 */
static void every_flipped_bit_is_noticed(void **state) {
    pair *p = *state;
    both_prepare(p, true);
    uint64_t hash = stoa_hash(p->to.world);
    for (size_t bit = 0; bit < p->blob.size * 8; bit++) {
        p->blob.data[bit / 8] ^= (uint8_t)(1u << (bit % 8));
        assert_true(stoa_snapshot_verify(p->blob.data, p->blob.size, NULL) != STOA_OK);
        assert_true(stoa_snapshot_load_memory(p->to.world, NULL, p->blob.data, p->blob.size) !=
                    STOA_OK);
        world_assert_usable(&p->to, hash);
        p->blob.data[bit / 8] ^= (uint8_t)(1u << (bit % 8));
    }
    assert_int_equal(stoa_snapshot_verify(p->blob.data, p->blob.size, NULL), STOA_OK);
}

/* SNP-05: what a checksum would have caught does no harm. */
static void flipped_bits_behind_checksums_do_no_harm(void **state) {
    pair *p = *state;
    both_prepare(p, true);
    for (size_t bit = 0; bit < p->blob.size * 8; bit++) {
        p->blob.data[bit / 8] ^= (uint8_t)(1u << (bit % 8));
        bytes_try(p, p->blob.data, p->blob.size, false);
        p->blob.data[bit / 8] ^= (uint8_t)(1u << (bit % 8));
    }
}

/* SNP-05: numbers of four bytes are where counts and sizes are. */
static void extreme_numbers_do_no_harm(void **state) {
    pair *p = *state;
    both_prepare(p, false);
    static const uint32_t numbers[] = {0, 1, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF, 0x01000000};
    for (size_t at = 0; at + 4 <= p->blob.size; at += 4) {
        uint8_t kept[4];
        memcpy(kept, p->blob.data + at, 4);
        for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
            memcpy(p->blob.data + at, &numbers[i], 4);
            bytes_try(p, p->blob.data, p->blob.size, false);
        }
        memcpy(p->blob.data + at, kept, 4);
    }
}

/* SNP-05 */
static void random_damage_does_no_harm(void **state) {
    pair *p = *state;
    both_prepare(p, true);
    uint8_t *copy = malloc(p->blob.size);
    for (uint32_t seed = 1; seed <= 3000; seed++) {
        support_random random = {seed};
        memcpy(copy, p->blob.data, p->blob.size);
        uint32_t changes = 1 + support_random_below(&random, 6);
        for (uint32_t i = 0; i < changes; i++) {
            uint32_t at = support_random_below(&random, (uint32_t)p->blob.size);
            copy[at] = (uint8_t)support_random_next(&random);
        }
        bytes_try(p, copy, p->blob.size, false);
    }
    free(copy);
}

/* Counts what is had at most, beyond what there was. */
typedef struct peak_heap {
    stoa_allocator below;
    size_t used;
    size_t peak;
    size_t total; /* ever taken */
} peak_heap;

static void *peak_alloc(size_t size, size_t alignment, void *user) {
    peak_heap *heap = user;
    void *block = heap->below.alloc(size, alignment, heap->below.user);
    heap->used += block != NULL ? size : 0;
    heap->total += size;
    heap->peak = heap->used > heap->peak ? heap->used : heap->peak;
    return block;
}

static void peak_free(void *block, size_t size, size_t alignment, void *user) {
    peak_heap *heap = user;
    heap->below.free(block, size, alignment, heap->below.user);
    heap->used -= size;
}

/* SNP-05: a file makes us take ten times its size, and what a few blocks cost. */
static void hostile_sizes_take_little_memory(void **state) {
    pair *p = *state;
    both_prepare(p, true);
    static const uint32_t numbers[] = {0x7FFFFFFF, 0xFFFFFFFF, 0x00FFFFFF, 0x0000FFFF, 5000};
    stoa_allocator counting = support_allocator(&p->blob_heap);
    size_t most = 0;
    for (size_t at = 0; at + 4 <= p->blob.size; at += 4) {
        for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
            peak_heap peak = {.below = counting};
            const stoa_allocator allocator = {
                .alloc = peak_alloc, .free = peak_free, .user = &peak};
            stoa_world *w = stoa_world_new(&(stoa_world_desc){.allocator = &allocator});
            types_register(w, false);
            size_t before = peak.used;
            peak.peak = before;
            uint8_t kept[4];
            memcpy(kept, p->blob.data + at, 4);
            memcpy(p->blob.data + at, &numbers[i], 4);
            stoa_span span = {p->blob.data, p->blob.data + p->blob.size};
            const stoa_source source = stoa_span_source(&span);
            stoa__snapshot_load_bytes(w, NULL, p->blob.data, p->blob.size, false);
            if (stoa_count(w) == 0) {
                stoa__snapshot_load_stream(w, NULL, &source, false);
            }
            memcpy(p->blob.data + at, kept, 4);
            size_t taken = peak.peak - before;
            most = taken > most ? taken : most;
            stoa_world_free(w);
        }
    }
    assert_in_range(most, 1, 10 * p->blob.size + (64 << 10));
}

/* SNP-05: many archetypes of one row each, the most that a file can ask for by its size. */
static void many_archetypes_take_ten_times_their_size(void **state) {
    pair *p = *state;
    peak_heap peak = {.below = support_allocator(&p->blob_heap)};
    const stoa_allocator allocator = {.alloc = peak_alloc, .free = peak_free, .user = &peak};
    stoa_world *to = stoa_world_new(&(stoa_world_desc){.allocator = &allocator});
    stoa_component ids[10];
    for (int i = 0; i < 10; i++) {
        const stoa_component_desc desc = {.name = (const char[]){'T', (char)('a' + i), 0}};
        ids[i] = stoa_component_register(p->from.world, &desc);
        stoa_component_register(to, &desc);
    }
    for (uint32_t set = 1; set < 1024; set++) {
        stoa_value values[10] = {{0}};
        int32_t count = 0;
        for (int i = 0; i < 10; i++) {
            if ((set >> i & 1) != 0) {
                values[count++].id = ids[i];
            }
        }
        assert_false(stoa_entity_is_null(stoa_create_values(p->from.world, values, count)));
    }
    pair_save(p, NULL);
    size_t before = peak.used;
    peak.peak = before;
    assert_int_equal(stoa_snapshot_load_memory(to, NULL, p->blob.data, p->blob.size), STOA_OK);
    worlds_assert_equal(p->from.world, to);
    assert_in_range(peak.peak - before, p->blob.size, 10 * p->blob.size);
    stoa_world_free(to);
}

/* Saves entities with every set of some sparse tags, and loads them where those are columns. */
static size_t sparse_sets_load(int tags, stoa_status expected, size_t *size) {
    pair p;
    memset(&p, 0, sizeof p);
    pair_open(&p);
    peak_heap peak = {.below = support_allocator(&p.blob_heap)};
    const stoa_allocator allocator = {.alloc = peak_alloc, .free = peak_free, .user = &peak};
    stoa_world *to = stoa_world_new(&(stoa_world_desc){.allocator = &allocator});
    stoa_component ids[10];
    for (int i = 0; i < tags; i++) {
        stoa_component_desc desc = {.name = (const char[]){'T', (char)('a' + i), 0}};
        assert_int_not_equal(stoa_component_register(to, &desc), 0);
        desc.flags = STOA_SPARSE;
        ids[i] = stoa_component_register(p.from.world, &desc);
    }
    for (uint32_t set = 1; set < 1u << tags; set++) {
        stoa_entity e = stoa_create(p.from.world);
        for (int i = 0; i < tags; i++) {
            if ((set >> i & 1) != 0) {
                assert_int_equal(stoa_add_id(p.from.world, e, ids[i]), STOA_OK);
            }
        }
    }
    pair_save(&p, NULL);
    size_t before = peak.used;
    peak.peak = before;
    assert_int_equal(stoa_snapshot_load_memory(to, NULL, p.blob.data, p.blob.size), expected);
    assert_int_equal(stoa_check(to), STOA_OK);
    assert_int_equal(stoa_count(to), expected == STOA_OK ? (1 << tags) - 1 : 0);
    size_t taken = peak.peak - before;
    *size = p.blob.size;
    stoa_world_free(to);
    pair_close(&p);
    return taken;
}

/* SNP-05: what was sparse comes to sets of components that no section of the file speaks of. */
static void sets_of_sparse_components_are_made_up_to_a_limit(void **state) {
    (void)state;
    size_t size = 0;
    (void)sparse_sets_load(6, STOA_OK, &size);
    size_t taken = sparse_sets_load(10, STOA_LIMIT, &size);
    support_assert_message("sets of components");
    assert_in_range(taken, 1, 10 * size);
}

/* Saves a world with so many types, each of which is a resource. */
static void types_save(pair *p, int32_t count, const char *fields) {
    static const int32_t zero[4] = {0};
    for (int32_t i = 0; i < count; i++) {
        char name[16];
        snprintf(name, sizeof name, "T%d", i);
        const stoa_component_desc desc = {.name = name, .fields = fields};
        stoa_component id = stoa_component_register(p->from.world, &desc);
        assert_int_equal(
            stoa_resource_set_id(p->from.world, id, zero, fields != NULL ? sizeof(int32_t) : 0),
            STOA_OK);
    }
    pair_save(p, NULL);
}

/* A world that counts, loading what was saved; the most memory it took beyond what it had. */
static size_t types_load(pair *p, stoa_world *to, peak_heap *peak, stoa_unknown unknown,
                         stoa_status expected) {
    const stoa_snapshot_load_desc desc = {.unknown = unknown};
    size_t before = peak->used;
    peak->peak = before;
    assert_int_equal(stoa_snapshot_load_memory(to, &desc, p->blob.data, p->blob.size), expected);
    assert_int_equal(stoa_check(to), STOA_OK);
    return peak->peak - before;
}

/* SNP-05, SNP-06: what a type costs has nothing to do with the bytes that name it. */
static void many_types_are_kept_up_to_a_limit(void **state) {
    pair *p = *state;
    peak_heap peak = {.below = support_allocator(&p->blob_heap)};
    const stoa_allocator allocator = {.alloc = peak_alloc, .free = peak_free, .user = &peak};
    stoa_world *to = stoa_world_new(&(stoa_world_desc){.allocator = &allocator});
    types_save(p, STOA_UNKNOWN_MAX + 1, NULL);
    int32_t count = stoa_component_count(to);
    size_t taken = types_load(p, to, &peak, STOA_UNKNOWN_KEEP, STOA_LIMIT);
    assert_in_range(taken, 1, 10 * p->blob.size);
    support_assert_message("4096 can be kept");
    assert_int_equal(stoa_component_count(to), count);
    taken = types_load(p, to, &peak, STOA_UNKNOWN_DROP, STOA_OK);
    assert_in_range(taken, 1, 10 * p->blob.size);
    /* One of them is known: then the rest can be kept. */
    assert_int_not_equal(stoa_component_register(to, &(stoa_component_desc){.name = "T7"}), 0);
    taken = types_load(p, to, &peak, STOA_UNKNOWN_KEEP, STOA_OK);
    assert_in_range(taken, 1, (size_t)STOA_UNKNOWN_MAX * 2048);
    assert_int_equal(stoa_component_count(to), count + STOA_UNKNOWN_MAX + 1);
    stoa_world_free(to);
}

/* SNP-05: types that the world knows, as tags and with members. */
static void many_known_types_take_ten_times_their_size(void **state) {
    static const char *const fields[] = {NULL, "{ int32_t a; }"};
    (void)state;
    for (int i = 0; i < 2; i++) {
        pair p;
        memset(&p, 0, sizeof p);
        pair_open(&p);
        peak_heap peak = {.below = support_allocator(&p.blob_heap)};
        const stoa_allocator allocator = {.alloc = peak_alloc, .free = peak_free, .user = &peak};
        stoa_world *to = stoa_world_new(&(stoa_world_desc){.allocator = &allocator});
        types_save(&p, 2000, fields[i]);
        types_load(&p, to, &peak, STOA_UNKNOWN_KEEP, STOA_OK);
        peak.total = 0;
        size_t taken = types_load(&p, to, &peak, STOA_UNKNOWN_REFUSE, STOA_OK);
        assert_in_range(taken, 1, 10 * p.blob.size);
        /* No type costs more because there are others. */
        assert_in_range(peak.total, 1, 100 * p.blob.size);
        stoa_world_free(to);
        pair_close(&p);
    }
}

/* A stream that promises much and gives little. */
static stoa_status zeros_read(void *user, void *bytes, size_t size, size_t *got) {
    size_t *left = user;
    *got = size < *left ? size : *left;
    memset(bytes, 0, *got);
    *left -= *got;
    return STOA_OK;
}

typedef struct chained {
    const stoa_source *first;
    size_t first_left;
    const stoa_source *second;
} chained;

static stoa_status chained_read(void *user, void *bytes, size_t size, size_t *got) {
    chained *c = user;
    if (c->first_left > 0) {
        stoa_status status =
            c->first->read(c->first->user, bytes, size < c->first_left ? size : c->first_left, got);
        c->first_left -= *got;
        return status;
    }
    return c->second->read(c->second->user, bytes, size, got);
}

/* SNP-05 */
static void stream_that_promises_much_takes_what_it_gives(void **state) {
    pair *p = *state;
    uint8_t head[STOA__SNAPSHOT_HEADER + STOA__SECTION_HEAD];
    stoa__output output = {.begin = head, .at = head, .end = head + sizeof head};
    stoa__output_header(
        &output, &(stoa__snapshot_header){
                     .version = 1, .section_count = 2, .slot_count = 1, .size = UINT64_C(1) << 60});
    stoa__output_u64(&output, UINT64_C(1) << 59);
    stoa__output_u32(&output, STOA__SECTION_REQUIRED);
    stoa__output_u32(&output, 6);
    assert_int_equal(output.status, STOA_OK);
    stoa_span span = {head, head + sizeof head};
    size_t zeros = 1 << 20;
    const stoa_source first = stoa_span_source(&span);
    const stoa_source second = {zeros_read, &zeros};
    chained chain = {&first, sizeof head, &second};
    const stoa_source source = {chained_read, &chain};
    size_t before = p->to.heap.bytes;
    assert_int_equal(stoa_snapshot_load(p->to.world, NULL, &source), STOA_CORRUPT);
    assert_int_equal(p->to.heap.bytes, before);
    assert_int_equal(zeros, 0);
    assert_int_equal(
        stoa_snapshot_load(p->to.world, &(stoa_snapshot_load_desc){.size_max = 1000},
                           &(stoa_source){chained_read, &(chained){&first, 0, &second}}),
        STOA_CORRUPT);
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, pair_setup, pair_teardown)
    const struct CMUnitTest tests[] = {
        TEST(every_truncation_is_refused),
        TEST(every_flipped_bit_is_noticed),
        TEST(flipped_bits_behind_checksums_do_no_harm),
        TEST(extreme_numbers_do_no_harm),
        TEST(random_damage_does_no_harm),
        TEST(hostile_sizes_take_little_memory),
        TEST(many_archetypes_take_ten_times_their_size),
        cmocka_unit_test(sets_of_sparse_components_are_made_up_to_a_limit),
        TEST(many_types_are_kept_up_to_a_limit),
        TEST(many_known_types_take_ten_times_their_size),
        TEST(stream_that_promises_much_takes_what_it_gives),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
