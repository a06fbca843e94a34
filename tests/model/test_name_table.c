/* Hash tables of names: probing over full cells, the end of the table, and holes that close. */
#include "model/name_table.h"
#include "support/support.h"

typedef struct fixture {
    support_heap counted;
    stoa__heap heap;
    stoa__name_texts texts;
    stoa__name_owners owners;
} fixture;

static void fixture_open(fixture *f) {
    memset(f, 0, sizeof *f);
    stoa_allocator allocator = support_allocator(&f->counted);
    stoa__heap_init(&f->heap, &allocator);
}

static void fixture_close(fixture *f) {
    stoa__name_texts_fini(&f->texts, &f->heap);
    stoa__name_owners_fini(&f->owners, &f->heap);
    assert_int_equal(f->counted.bytes, 0);
}

static stoa__name_key key_of(const char *text) {
    return stoa__name_key_of(text, (uint32_t)strlen(text));
}

static stoa__name *name_add(fixture *f, const char *text) {
    stoa__name_key key = key_of(text);
    stoa__name *name = stoa__name_new(&f->heap, text, key.length);
    assert_non_null(name);
    name->entity = (stoa_entity){f->texts.count + 1, 7};
    assert_true(stoa__name_texts_reserve(&f->texts, &f->heap, f->texts.count + 1));
    stoa__name_texts_insert(&f->texts, &key, name);
    return name;
}

static stoa__name *name_find(const fixture *f, const char *text) {
    stoa__name_key key = key_of(text);
    uint32_t at = stoa__name_texts_find(&f->texts, &key);
    stoa__name *name = at != STOA__NAME_NONE ? f->texts.names[at] : NULL;
    stoa_entity e = stoa__name_texts_entity(&f->texts, text, strlen(text));
    assert_true(stoa_entity_eq(e, name != NULL ? name->entity : STOA_NULL));
    return name;
}

static void name_remove(fixture *f, const char *text) {
    stoa__name_key key = key_of(text);
    uint32_t at = stoa__name_texts_find(&f->texts, &key);
    assert_int_not_equal(at, STOA__NAME_NONE);
    stoa__name *name = f->texts.names[at];
    stoa__name_texts_remove(&f->texts, at);
    stoa__name_free(&f->heap, name);
}

/* NAM-01 */
static void empty_tables_find_nothing(void **state) {
    (void)state;
    fixture f;
    fixture_open(&f);
    assert_null(name_find(&f, "a"));
    assert_null(stoa__name_owners_find(&f.owners, (stoa_entity){1, 1}));
    fixture_close(&f);
}

/* NAM-01: of every length around those at which texts are read in another way, with a difference at
 * every place. */
static void texts_of_all_lengths_are_told_apart(void **state) {
    (void)state;
    enum { LENGTH_MAX = 40 };
    fixture f;
    fixture_open(&f);
    char text[LENGTH_MAX + 1];
    int count = 0;
    for (int length = 1; length <= LENGTH_MAX; length++) {
        for (int at = 0; at <= length; at++, count++) {
            memset(text, 'a', (size_t)length);
            text[length] = '\0';
            if (at < length) {
                text[at] = 'b';
            }
            assert_null(name_find(&f, text));
            stoa__name *name = name_add(&f, text);
            assert_string_equal(name->text, text);
            assert_ptr_equal(name_find(&f, text), name);
        }
    }
    /* A text that repeats itself is not the shorter one that its parts overlap to. */
    assert_null(name_find(&f, "abaaaaaabaaaaaab"));
    assert_int_equal(f.texts.count, count);
    for (int length = 1; length <= LENGTH_MAX; length++) {
        for (int at = 0; at <= length; at++) {
            memset(text, 'a', (size_t)length);
            text[length] = '\0';
            if (at < length) {
                text[at] = 'b';
            }
            name_remove(&f, text);
            assert_null(name_find(&f, text));
        }
    }
    assert_int_equal(f.texts.count, 0);
    fixture_close(&f);
}

/* NAM-01: what lies behind the end of a text is not read. */
static void texts_are_read_to_their_end_only(void **state) {
    (void)state;
    fixture f;
    fixture_open(&f);
    char text[41];
    for (size_t length = 1; length <= 40; length++) {
        char *exact = test_malloc(length + 1);
        memset(exact, 'x', length);
        exact[length] = '\0';
        stoa__name *name = name_add(&f, exact);
        test_free(exact);
        memset(text, 'x', sizeof text);
        stoa__name_key key = stoa__name_key_of(text, (uint32_t)length);
        assert_ptr_equal(f.texts.names[stoa__name_texts_find(&f.texts, &key)], name);
    }
    for (size_t length = 1; length <= 40; length++) {
        memset(text, 'x', length);
        text[length] = '\0';
        name_remove(&f, text);
    }
    fixture_close(&f);
}

/* NAM-01: texts that begin alike and want the same cell. */
static void texts_that_begin_alike_are_told_apart(void **state) {
    (void)state;
    static const char head[] = "a beginning of 24 bytes.";
    assert_int_equal(strlen(head), STOA__NAME_HEAD);
    fixture f;
    fixture_open(&f);
    char text[64];
    stoa__name *names[5];
    int number = 0;
    for (int i = 0; i < 5; i++) {
        do {
            snprintf(text, sizeof text, "%s%d", head, number++);
        } while ((key_of(text).hash ^ key_of(head).hash) >> 60 != 0);
        assert_null(name_find(&f, text));
        names[i] = name_add(&f, text);
    }
    assert_null(name_find(&f, head));
    stoa__name *whole = name_add(&f, head);
    assert_ptr_equal(name_find(&f, head), whole);
    for (int i = 0; i < 5; i++) {
        assert_ptr_equal(name_find(&f, names[i]->text), names[i]);
        snprintf(text, sizeof text, "%s", names[i]->text);
        name_remove(&f, text);
        assert_null(name_find(&f, text));
        assert_ptr_equal(name_find(&f, head), whole);
    }
    name_remove(&f, head);
    fixture_close(&f);
}

/* Texts whose homes in a table of 16 cells are these, or the ones before: runs that cross its end.
 */
static void texts_with_homes(const uint32_t *homes, int count, char (*texts)[16]) {
    int number = 0;
    for (int i = 0; i < count; i++) {
        do {
            snprintf(texts[i], sizeof texts[i], "n%d", number++);
        } while (key_of(texts[i]).hash >> 60 != homes[i]);
    }
}

/* NAM-01: every order of taking out, around the end of the table, leaves the rest to be found. */
static void holes_close_around_the_end(void **state) {
    (void)state;
    static const uint32_t homes[8] = {14, 14, 15, 14, 0, 1, 15, 3};
    char texts[8][16];
    texts_with_homes(homes, 8, texts);
    support_random random = {7};
    for (int round = 0; round < 500; round++) {
        fixture f;
        fixture_open(&f);
        stoa__name *names[8];
        bool there[8];
        for (int i = 0; i < 8; i++) {
            names[i] = name_add(&f, texts[i]);
            there[i] = true;
        }
        assert_int_equal(f.texts.capacity, 16);
        for (int left = 8; left > 0; left--) {
            uint32_t at = support_random_below(&random, 8);
            while (!there[at]) {
                at = (at + 1) % 8;
            }
            there[at] = false;
            name_remove(&f, texts[at]);
            for (int i = 0; i < 8; i++) {
                assert_ptr_equal(name_find(&f, texts[i]), there[i] ? names[i] : NULL);
            }
        }
        fixture_close(&f);
    }
}

/* NAM-01 GEN-04: growing keeps all; when it fails all is as it was. */
static void tables_grow_or_stay(void **state) {
    (void)state;
    fixture f;
    fixture_open(&f);
    stoa__name *names[40];
    char text[8];
    for (uint32_t i = 0; i < 40; i++) {
        snprintf(text, sizeof text, "%u", i);
        names[i] = name_add(&f, text);
        assert_true(stoa__name_owners_reserve(&f.owners, &f.heap, f.owners.count + 1));
        stoa__name_owners_insert(&f.owners, names[i]);
    }
    assert_int_equal(f.texts.capacity, 128);
    assert_int_equal(f.owners.capacity, 128);
    stoa__name_texts texts = f.texts;
    stoa__name_owners owners = f.owners;
    f.counted.fail_at = 1;
    assert_false(stoa__name_texts_reserve(&f.texts, &f.heap, 65));
    f.counted.fail_at = 1;
    assert_false(stoa__name_owners_reserve(&f.owners, &f.heap, 65));
    assert_false(stoa__name_texts_reserve(&f.texts, &f.heap, UINT32_MAX));
    assert_false(stoa__name_owners_reserve(&f.owners, &f.heap, UINT32_MAX));
    assert_true(stoa__name_texts_reserve(&f.texts, &f.heap, 64));
    assert_true(stoa__name_owners_reserve(&f.owners, &f.heap, 64));
    assert_memory_equal(&f.texts, &texts, sizeof texts);
    assert_memory_equal(&f.owners, &owners, sizeof owners);
    for (uint32_t i = 0; i < 40; i++) {
        snprintf(text, sizeof text, "%u", i);
        assert_ptr_equal(name_find(&f, text), names[i]);
        assert_ptr_equal(stoa__name_owners_find(&f.owners, names[i]->entity), names[i]);
    }
    for (uint32_t i = 0; i < 40; i++) {
        stoa__name_free(&f.heap, names[i]);
    }
    fixture_close(&f);
}

/* NAM-01: by entity, generations told apart, in whatever order they go. */
static void names_are_found_by_entity(void **state) {
    (void)state;
    fixture f;
    fixture_open(&f);
    assert_true(stoa__name_owners_reserve(&f.owners, &f.heap, 100));
    stoa__name *names[100];
    for (uint32_t i = 0; i < 100; i++) {
        names[i] = stoa__name_new(&f.heap, "n", 1);
        names[i]->entity = (stoa_entity){i / 2 + 1, i % 2 + 1};
        stoa__name_owners_insert(&f.owners, names[i]);
    }
    assert_null(stoa__name_owners_find(&f.owners, (stoa_entity){1, 3}));
    for (uint32_t i = 0; i < 100; i++) {
        uint32_t at = i * 37 % 100;
        stoa__name_owners_remove(&f.owners, names[at]);
        assert_null(stoa__name_owners_find(&f.owners, names[at]->entity));
        for (uint32_t k = i + 1; k < 100; k++) {
            const stoa__name *other = names[k * 37 % 100];
            assert_ptr_equal(stoa__name_owners_find(&f.owners, other->entity), other);
        }
    }
    assert_int_equal(f.owners.count, 0);
    for (uint32_t i = 0; i < 100; i++) {
        stoa__name_free(&f.heap, names[i]);
    }
    fixture_close(&f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(empty_tables_find_nothing),
        cmocka_unit_test(texts_of_all_lengths_are_told_apart),
        cmocka_unit_test(texts_are_read_to_their_end_only),
        cmocka_unit_test(texts_that_begin_alike_are_told_apart),
        cmocka_unit_test(holes_close_around_the_end),
        cmocka_unit_test(tables_grow_or_stay),
        cmocka_unit_test(names_are_found_by_entity),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
