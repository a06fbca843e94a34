/* The rules of the format: what breaks one is refused, even if every checksum is right. */
#include "persist/snapshot.h"
#include "persist/snapshot_fixture.h"

/* The body of the n-th section of that name. */
static uint8_t *section_find(const stoa_blob *blob, const char *name, int n, uint64_t *body_size) {
    for (uint64_t at = STOA__SNAPSHOT_HEADER; at < blob->size;) {
        stoa__section section;
        uint64_t whole = 0;
        assert_int_equal(
            stoa__section_head_read(&section, blob->data + at, blob->size - at, &whole), STOA_OK);
        assert_int_equal(stoa__section_read(&section, blob->data + at), STOA_OK);
        if (strcmp(section.name, name) == 0 && n-- == 0) {
            *body_size = section.body_size;
            return blob->data + (section.body - blob->data);
        }
        at += whole;
    }
    fail_msg("no section %s", name);
    return NULL;
}

/* Makes all checksums right. */
static void checksums_mend(const stoa_blob *blob) {
    for (uint64_t at = 0, size = STOA__SNAPSHOT_HEADER; at < blob->size; at += size) {
        stoa__section section;
        if (at > 0) {
            assert_int_equal(
                stoa__section_head_read(&section, blob->data + at, blob->size - at, &size),
                STOA_OK);
        }
        uint8_t *end = blob->data + at + size - 8;
        uint64_t checksum = stoa__hash_bytes(blob->data + at, (size_t)size - 8);
        for (int i = 0; i < 8; i++) {
            end[i] = (uint8_t)(checksum >> (8 * i));
        }
    }
}

/* What was done to the snapshot is noticed by whoever reads it. */
static void pair_assert_corrupt(pair *p) {
    checksums_mend(&p->blob);
    uint64_t hash = stoa_hash(p->to.world);
    stoa_span span = {p->blob.data, p->blob.data + p->blob.size};
    const stoa_source source = stoa_span_source(&span);
    assert_int_equal(stoa_snapshot_verify(p->blob.data, p->blob.size, NULL), STOA_CORRUPT);
    assert_int_equal(stoa_snapshot_load_memory(p->to.world, NULL, p->blob.data, p->blob.size),
                     STOA_CORRUPT);
    assert_int_equal(stoa_snapshot_load(p->to.world, NULL, &source), STOA_CORRUPT);
    assert_true(stoa_hash(p->to.world) == hash);
    assert_int_equal(stoa_count(p->to.world), 0);
    support_assert_quiet(&p->to);
}

static const stoa_component_desc one_desc = {.name = "One", .fields = "{ uint8_t value; }"};
static const stoa_component_desc two_desc = {.name = "Two", .fields = "{ uint8_t value; }"};

static void pair_prepare(pair *p) {
    stoa_world *w = p->from.world;
    types_register(w, false);
    types_register(p->to.world, true);
    for (int i = 0; i < 3; i++) {
        stoa_entity e =
            stoa_create_with(w, STOA_VALUE(Position, {1, 2}), STOA_VALUE(Lamp, {(uint8_t)i}));
        stoa_enable(w, e, Lamp, false);
        stoa_set(w, e, Mark, {i});
        stoa_enable(w, e, Mark, i != 1);
        stoa_add(w, e, Chosen);
    }
    stoa_create_with(w, STOA_VALUE(Velocity, {1, 2}), STOA_VALUE(Timed, {3}));
    stoa_component one = stoa_component_register(w, &one_desc);
    stoa_component two = stoa_component_register(w, &two_desc);
    stoa_component_register(p->to.world, &one_desc);
    stoa_component_register(p->to.world, &two_desc);
    stoa_add_id(w, stoa_create(w), one);
    stoa_add_id(w, stoa_create(w), two);
    stoa_resource_set(w, Settings, {1, 2});
    stoa_resource_set(w, Position, {1, 2});
    stoa_destroy(w, stoa_create(w));
    pair_save(p, &(stoa_snapshot_save_desc){.ticks = true});
}

/* SNP-02 SNP-05 */
static void header_that_lies_is_refused(void **state) {
    pair *p = *state;
    pair_prepare(p);
    /* Sections, archetypes, slots, entities. */
    for (size_t at = 8; at < 24; at += 4) {
        for (int change = -1; change <= 1; change += 2) {
            p->blob.data[at] = (uint8_t)(p->blob.data[at] + change);
            pair_assert_corrupt(p);
            p->blob.data[at] = (uint8_t)(p->blob.data[at] - change);
        }
    }
    checksums_mend(&p->blob);
    assert_int_equal(stoa_snapshot_verify(p->blob.data, p->blob.size, NULL), STOA_OK);
}

/* Changes a byte of a section. */
static void byte_refused(pair *p, const char *section, int n, size_t at, uint8_t change) {
    uint64_t size = 0;
    uint8_t *body = section_find(&p->blob, section, n, &size);
    assert_true(at < size);
    body[at] ^= change;
    pair_assert_corrupt(p);
    body[at] ^= change;
}

/* SNP-02 SNP-05 */
static void section_that_breaks_a_rule_is_refused(void **state) {
    pair *p = *state;
    pair_prepare(p);
    uint64_t size = 0;
    uint8_t kept = 0;
    /* The free slot: dead, and in the list. */
    section_find(&p->blob, "slots", 0, &size);
    byte_refused(p, "slots", 0, (size_t)size - 4, 1);
    byte_refused(p, "slots", 0, 8 + 5 * 4 + 3, 0x80);
    /* The entities of an archetype, and of a sparse component: alive, and each once. */
    byte_refused(p, "archetype", 0, 16, 2);
    byte_refused(p, "archetype", 0, 20, 2);
    byte_refused(p, "sparse", 0, 8, 2);
    byte_refused(p, "sparse", 1, 16, 3);
    /* Components in order, and not sparse. */
    uint8_t *body = section_find(&p->blob, "archetype", 0, &size);
    assert_int_equal(body[0], 2);
    uint8_t types[2] = {body[8], body[12]};
    body[8] = types[1];
    pair_assert_corrupt(p);
    body[12] = types[0];
    pair_assert_corrupt(p);
    body[8] = types[0];
    body[12] = types[1];
    /* Another archetype of the same components. */
    body = section_find(&p->blob, "archetype", 2, &size);
    assert_true(body[0] == 1 && size == 8 + 4 + 8 + 1 + 4);
    kept = body[8];
    body[8] = section_find(&p->blob, "archetype", 3, &size)[8];
    pair_assert_corrupt(p);
    body[8] = kept;
    /* The same for an archetype whose bytes would fit either way. */
    body = section_find(&p->blob, "archetype", 1, &size);
    types[0] = body[8];
    types[1] = body[12];
    body[8] = types[1];
    body[12] = types[0];
    pair_assert_corrupt(p);
    body[8] = types[0];
    body[12] = types[1];
    /* Bits past the last row; none at all. */
    body = section_find(&p->blob, "archetype", 0, &size);
    assert_int_equal(body[size - 1], 7);
    byte_refused(p, "archetype", 0, (size_t)size - 1, 8);
    byte_refused(p, "archetype", 0, (size_t)size - 1, 7);
    byte_refused(p, "archetype", 0, (size_t)size - 5, 8);
    /* Sparse components in order. */
    body = section_find(&p->blob, "sparse", 1, &size);
    uint64_t first_size = 0;
    const uint8_t *first = section_find(&p->blob, "sparse", 0, &first_size);
    kept = body[0];
    body[0] = first[0];
    pair_assert_corrupt(p);
    body[0] = kept;
    /* Runs of ticks that cover the rows; types of resources in order. */
    byte_refused(p, "ticks", 0, 4, 1);
    body = section_find(&p->blob, "resources", 0, &size);
    assert_int_equal(body[0], 2);
    kept = body[4];
    body[4] = 200;
    pair_assert_corrupt(p);
    body[4] = kept;
    byte_refused(p, "resources", 0, 0, 1);
    checksums_mend(&p->blob);
    pair_load(p, &(stoa_snapshot_save_desc){.ticks = true});
}

/* SNP-02 SNP-05 */
static void section_out_of_place_is_refused(void **state) {
    pair *p = *state;
    pair_prepare(p);
    /* Names of four and six letters take the same room: a section becomes another. */
    static const char *const names[][2] = {
        {"schema", "sparse"},
        {"sparse", "schema"},
        {"slots", "ticks"},
        {"ticks", "slots"},
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        uint64_t size = 0;
        uint8_t *name = section_find(&p->blob, names[i][0], 0, &size) - 8;
        memcpy(name, names[i][1], strlen(names[i][1]));
        pair_assert_corrupt(p);
        memcpy(name, names[i][0], strlen(names[i][0]));
    }
    checksums_mend(&p->blob);
    assert_int_equal(stoa_snapshot_verify(p->blob.data, p->blob.size, NULL), STOA_OK);
}

/* SNP-05 */
static void section_size_that_wraps_is_refused(void **state) {
    pair *p = *state;
    pair_prepare(p);
    for (int i = 0; i < 64; i++) {
        memset(p->blob.data + STOA__SNAPSHOT_HEADER, 0xFF, 8);
        p->blob.data[STOA__SNAPSHOT_HEADER] = (uint8_t)(255 - i);
        stoa_span span = {p->blob.data, p->blob.data + p->blob.size};
        const stoa_source source = stoa_span_source(&span);
        assert_int_equal(
            stoa__snapshot_load_bytes(p->to.world, NULL, p->blob.data, p->blob.size, false),
            STOA_CORRUPT);
        assert_int_equal(stoa__snapshot_load_stream(p->to.world, NULL, &source, false),
                         STOA_CORRUPT);
        assert_int_equal(stoa_snapshot_verify(p->blob.data, p->blob.size, NULL), STOA_CORRUPT);
    }
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, pair_setup, pair_teardown)
    const struct CMUnitTest tests[] = {
        TEST(header_that_lies_is_refused),
        TEST(section_that_breaks_a_rule_is_refused),
        TEST(section_out_of_place_is_refused),
        TEST(section_size_that_wraps_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
