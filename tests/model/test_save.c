/* Names and relations as bytes: what an extension saves it takes back, and nothing else. */
#include "model/name_index.h"
#include "model/relation.h"
#include "support/support.h"

STOA_COMPONENT_WITH(Likes, STOA_OPTIONS(.flags = STOA_SPARSE | STOA_IMMUTABLE | STOA_MANAGED), {
    const stoa_entity *items;
    int32_t count;
});
STOA_COMPONENT_WITH(Boss, STOA_OPTIONS(.flags = STOA_IMMUTABLE), { stoa_entity who; });

#define COUNT 60

typedef struct cast {
    stoa_world *world;
    stoa_entity e[COUNT];
    stoa_relation likes;
} cast;

/* Trees of parents, names in no order, and who likes whom, with some gone again. */
static void cast_make(cast *c, stoa_world *w) {
    *c = (cast){.world = w};
    c->likes = stoa_relation_new(
        w, &(stoa_relation_desc){.type = STOA_TYPE_OF(Likes), .many = true, .acyclic = true});
    assert_int_not_equal(c->likes.id, 0);
    for (int i = 0; i < COUNT; i++) {
        c->e[i] = stoa_create(w);
    }
    for (int i = COUNT - 1; i > 0; i--) {
        assert_int_equal(stoa_set_parent(w, c->e[i], c->e[i / 8]), STOA_OK);
        char name[64];
        snprintf(name, sizeof name, "somebody with the number %d", i * 7 % COUNT);
        assert_int_equal(stoa_name_set(w, c->e[i], name), STOA_OK);
        for (int k = 0; k < i % 7; k++) {
            stoa_relation_add(w, c->likes, c->e[i], c->e[(i * 3 + k * 5) % i]);
        }
    }
    for (int i = 10; i < COUNT; i += 9) {
        stoa_remove_parent(w, c->e[i]);
        stoa_name_set(w, c->e[i + 1 < COUNT ? i + 1 : 0], NULL);
    }
    stoa_destroy(w, c->e[COUNT - 1]);
    assert_int_equal(stoa_check(w), STOA_OK);
}

typedef struct part {
    const char *name;
    stoa_status (*save)(const stoa_world *world, const void *data, const stoa_sink *sink);
    stoa_status (*load)(stoa_world *world, void *data, const void *bytes, size_t size);
} part;

static stoa_status names_save(const stoa_world *world, const void *data, const stoa_sink *sink) {
    (void)data;
    return stoa__names_save(world, sink);
}

static stoa_status names_load(stoa_world *world, void *data, const void *bytes, size_t size) {
    return stoa__names_load(world, data, bytes, size);
}

static const part parts[] = {{"stoa.names", names_save, names_load},
                             {"stoa.relations", stoa__relations_save, stoa__relations_load}};
#define PARTS ((int)(sizeof parts / sizeof *parts))

static void parts_save(const stoa_world *w, stoa_blob blobs[PARTS]) {
    for (int i = 0; i < PARTS; i++) {
        blobs[i] = (stoa_blob){.data = NULL};
        stoa_sink sink = stoa_blob_sink(&blobs[i]);
        void *data = stoa_extension_find(w, parts[i].name);
        assert_non_null(data);
        assert_int_equal(parts[i].save(w, data, &sink), STOA_OK);
    }
}

static stoa_status part_load(stoa_world *w, int i, const void *bytes, size_t size) {
    return parts[i].load(w, stoa_extension_find(w, parts[i].name), bytes, size);
}

static void part_reset(stoa_world *w, int i) {
    void *data = stoa_extension_find(w, parts[i].name);
    if (i == 0) {
        stoa_managed_clear(w, stoa_id(w, Name));
        stoa__names_clear(data);
    } else {
        stoa__relations_reset(w, data);
    }
}

static void blobs_free(stoa_blob blobs[PARTS]) {
    for (int i = 0; i < PARTS; i++) {
        stoa_blob_free(&blobs[i]);
    }
}

/* SNP-01 SNP-08 */
static void what_is_saved_comes_back(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    cast c;
    cast_make(&c, w);
    uint64_t before = stoa_hash(w);
    stoa_links kids = stoa_children(w, c.e[1]);
    stoa_entity first = kids.items[0];
    int32_t count = kids.count;
    stoa_blob blobs[PARTS], again[PARTS];
    parts_save(w, blobs);
    stoa_extensions_reset(w);
    assert_true(stoa_hash(w) != before);
    assert_int_equal(stoa_children(w, c.e[1]).count, 0);
    assert_true(stoa_entity_is_null(stoa_find(w, "somebody with the number 7")));
    for (int i = 0; i < PARTS; i++) {
        assert_int_equal(part_load(w, i, blobs[i].data, blobs[i].size), STOA_OK);
    }
    assert_int_equal(stoa_check(w), STOA_OK);
    assert_true(stoa_hash(w) == before);
    assert_true(stoa_entity_eq(stoa_find(w, "somebody with the number 7"), c.e[1]));
    assert_int_equal(stoa_children(w, c.e[1]).count, count);
    assert_true(stoa_entity_eq(stoa_children(w, c.e[1]).items[0], first));
    parts_save(w, again);
    for (int i = 0; i < PARTS; i++) {
        assert_int_equal(blobs[i].size, again[i].size);
        assert_memory_equal(blobs[i].data, again[i].data, blobs[i].size);
    }
    blobs_free(blobs);
    blobs_free(again);
    /* It goes on as if nothing had been. */
    assert_int_equal(stoa_set_parent(w, c.e[1], c.e[9]), STOA_CYCLE);
    assert_int_equal(stoa_name_set(w, c.e[2], "somebody with the number 7"), STOA_TAKEN);
    assert_int_equal(stoa_destroy_recursive(w, c.e[0]), STOA_OK);
    assert_int_equal(stoa_check(w), STOA_OK);
}

/* SNP-01 */
static void relation_that_was_not_saved_follows_components(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    cast c;
    cast_make(&c, w);
    stoa_extensions_reset(w);
    assert_int_equal(part_load(w, 1, NULL, 0), STOA_OK);
    assert_int_equal(part_load(w, 0, NULL, 0), STOA_OK);
    assert_int_equal(stoa_check(w), STOA_OK);
    assert_true(stoa_children(w, c.e[1]).count > 3);
    assert_true(stoa_entity_eq(stoa_parent(w, c.e[9]), c.e[1]));
    assert_int_equal(stoa_relation_sources(w, c.likes, c.e[0]).count, 0);
}

/* SNP-05 */
static void broken_bytes_leave_nothing(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    cast c;
    cast_make(&c, w);
    uint64_t before = stoa_hash(w);
    stoa_blob blobs[PARTS];
    parts_save(w, blobs);
    stoa_extensions_reset(w);
    uint64_t none = stoa_hash(w);
    for (int p = 0; p < PARTS; p++) {
        uint8_t *bytes = test_malloc(blobs[p].size + 1);
        for (size_t n = 1; n < blobs[p].size; n++) {
            memcpy(bytes, blobs[p].data, n);
            assert_int_equal(part_load(w, p, bytes, n), STOA_CORRUPT);
            assert_true(stoa_hash(w) == none);
        }
        memcpy(bytes, blobs[p].data, blobs[p].size);
        bytes[blobs[p].size] = 0;
        assert_int_equal(part_load(w, p, bytes, blobs[p].size + 1), STOA_CORRUPT);
        int refused = 0;
        for (size_t bit = 0; bit < blobs[p].size * 8; bit++) {
            bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
            if (part_load(w, p, bytes, blobs[p].size) != STOA_OK) {
                assert_true(stoa_hash(w) == none);
                refused++;
            }
            part_reset(w, p);
            bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
        }
        assert_true(refused > 100);
        assert_int_equal(part_load(w, p, blobs[p].data, blobs[p].size), STOA_OK);
        none = stoa_hash(w);
        test_free(bytes);
    }
    assert_int_equal(stoa_check(w), STOA_OK);
    assert_true(none == before);
    blobs_free(blobs);
}

/* Puts a number of 32 bits. */
static size_t word_put(uint8_t *bytes, size_t at, uint32_t word) {
    for (int i = 0; i < 4; i++) {
        bytes[at++] = (uint8_t)(word >> (8 * i));
    }
    return at;
}

/* One relation that says that each of two is in the list of the other. */
static size_t circle_write(uint8_t *bytes, const char *name, bool many, stoa_entity a,
                           stoa_entity b) {
    size_t at = word_put(bytes, 0, 1);
    at = word_put(bytes, at, (uint32_t)strlen(name));
    memcpy(bytes + at, name, strlen(name));
    at += strlen(name);
    bytes[at++] = many;
    for (int side = 0; side < 1 + many; side++) {
        at = word_put(bytes, at, 2);
        for (int i = 0; i < 2; i++) {
            stoa_entity owner = i == 0 ? a : b, other = i == 0 ? b : a;
            at = word_put(bytes, at, owner.index);
            at = word_put(bytes, at, owner.generation);
            at = word_put(bytes, at, 1);
            at = word_put(bytes, at, other.index);
            at = word_put(bytes, at, other.generation);
        }
    }
    return at;
}

/* SNP-05 */
static void circle_in_the_bytes_is_refused(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    stoa_entity a = stoa_create(w), b = stoa_create(w);
    /* Each the boss of the other is fine until the relation forbids it. */
    stoa_set(w, a, Boss, {b});
    stoa_set(w, b, Boss, {a});
    stoa_relation_new(w, &(stoa_relation_desc){.type = STOA_TYPE_OF(Boss), .name = "free"});
    stoa_relation_new(
        w, &(stoa_relation_desc){.type = STOA_TYPE_OF(Likes), .many = true, .acyclic = true});
    stoa_extensions_reset(w);
    uint8_t bytes[256];
    size_t size = circle_write(bytes, "Likes", true, a, b);
    assert_int_equal(part_load(w, 1, bytes, size), STOA_CORRUPT);
    support_assert_message("circle");
    size = circle_write(bytes, "Nobody", true, a, b);
    assert_int_equal(part_load(w, 1, bytes, size), STOA_NOT_FOUND);
    size = circle_write(bytes, "free", true, a, b);
    assert_int_equal(part_load(w, 1, bytes, size), STOA_CORRUPT);
    size = circle_write(bytes, "free", false, a, b);
    assert_int_equal(part_load(w, 1, bytes, size), STOA_OK);
    assert_int_equal(stoa_check(w), STOA_OK);
    stoa__relations *all = stoa__relations_of(w);
    all->items[0]->acyclic = true;
    stoa_extensions_reset(w);
    assert_int_equal(part_load(w, 1, bytes, size), STOA_CORRUPT);
    support_assert_message("circle");
    assert_int_equal(stoa_check(w), STOA_OK);
}

/* SNP-05 GEN-03 */
static void lack_of_memory_leaves_nothing(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    cast c;
    cast_make(&c, w);
    uint64_t before = stoa_hash(w);
    stoa_blob blobs[PARTS];
    parts_save(w, blobs);
    stoa_extensions_reset(w);
    uint64_t none = stoa_hash(w);
    for (int p = 0; p < PARTS; p++) {
        for (size_t k = 1;; k++) {
            s->heap.fail_at = k;
            stoa_status status = part_load(w, p, blobs[p].data, blobs[p].size);
            bool failed = s->heap.fail_at == 0;
            s->heap.fail_at = 0;
            assert_int_equal(status, failed ? STOA_NO_MEMORY : STOA_OK);
            if (!failed) {
                break;
            }
            assert_true(stoa_hash(w) == none);
            assert_true(p == 0 || stoa_check(w) == STOA_OK);
        }
        none = stoa_hash(w);
    }
    assert_int_equal(stoa_check(w), STOA_OK);
    assert_true(stoa_hash(w) == before);
    blobs_free(blobs);
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, support_setup, support_teardown)
    const struct CMUnitTest tests[] = {
        TEST(what_is_saved_comes_back),      TEST(relation_that_was_not_saved_follows_components),
        TEST(broken_bytes_leave_nothing),    TEST(circle_in_the_bytes_is_refused),
        TEST(lack_of_memory_leaves_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
