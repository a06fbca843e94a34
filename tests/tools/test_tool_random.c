/* `stoa diff` on worlds that were changed at random, against a list of the changes. */
#include <stdlib.h>

#include "tools/tool_fixture.h"

#include "modules/garden.h"
#include "stoa/snapshot.h"
#include "support/seeds.h"

enum { ENTITIES = 12, LINES = 128, LINE = 80 };

/* The lines that are expected. */
typedef struct book {
    char lines[LINES][LINE];
    int count;
} book;

STOA_PRINTF(2, 3) static void book_add(book *b, const char *format, ...) {
    va_list arguments;
    assert_true(b->count < LINES);
    va_start(arguments, format);
    vsnprintf(b->lines[b->count++], LINE, format, arguments);
    va_end(arguments);
}

static int lines_compare(const void *a, const void *b) {
    return strcmp(a, b);
}

static stoa_world *world_make(support_world *s, stoa_entity *entities) {
    support_world_open(s);
    for (int i = 0; i < ENTITIES; i++) {
        entities[i] = stoa_create_with(s->world, STOA_VALUE(Spot, {(float)i, -1}),
                                       STOA_VALUE(Label, {"a", {1, 2, (int16_t)i}}));
    }
    stoa_id(s->world, Red);
    return s->world;
}

/* Changes one entity in some way that it was not changed in before, and notes that down. */
static void entity_change(stoa_world *w, stoa_entity e, int i, support_random *random, book *b) {
    char handle[STOA_ENTITY_TEXT_SIZE];
    stoa_entity_print(e, handle, sizeof handle);
    uint32_t what = support_random_next(random);
    if (what % 8 == 0) {
        stoa_destroy(w, e);
        book_add(b, "-%s", handle);
        return;
    }
    if ((what >> 3 & 1) != 0) {
        stoa_get_mut(w, e, Spot)->y = 0.25f;
        book_add(b, "%s Spot.y: -1 -> 0.25", handle);
    }
    if ((what >> 4 & 1) != 0) {
        stoa_get_mut(w, e, Label)->numbers[2] = -7;
        book_add(b, "%s Label.numbers[2]: %d -> -7", handle, i);
    } else if ((what >> 5 & 1) != 0) {
        stoa_remove(w, e, Label);
        book_add(b, "%s -Label", handle);
    }
    if ((what >> 6 & 3) == 0) {
        stoa_add(w, e, Red);
        book_add(b, "%s +Red", handle);
    }
}

/* What `stoa diff` prints, sorted, is the sorted list. */
static void diff_compare(const char *a, const char *c, book *b) {
    static book found;
    spawn_run run = TOOL_RUN("diff", a, c);
    found.count = 0;
    assert_int_equal(run.code, b->count > 0);
    for (char *line = strtok(run.out, "\n"); line != NULL; line = strtok(NULL, "\n")) {
        book_add(&found, "%s", line);
    }
    spawn_end(&run);
    qsort(b->lines, (size_t)b->count, LINE, lines_compare);
    qsort(found.lines, (size_t)found.count, LINE, lines_compare);
    for (int i = 0; i < b->count && i < found.count; i++) {
        assert_string_equal(found.lines[i], b->lines[i]);
    }
    assert_int_equal(found.count, b->count);
}

/* TOL-02 */
static void diff_tells_random_changes(void **state) {
    const char *folder = *state;
    for (support_seeds seeds = support_seeds_of(30); support_seeds_next(&seeds);) {
        static book b;
        support_world s;
        support_random random = {seeds.seed};
        stoa_entity entities[ENTITIES];
        const char *before = spawn_path(folder, "a");
        const char *after = spawn_path(folder, "b");
        stoa_world *w = world_make(&s, entities);
        assert_int_equal(stoa_snapshot_save_file(w, NULL, before), STOA_OK);
        b.count = 0;
        for (int i = 0; i < ENTITIES; i++) {
            if (support_random_below(&random, 3) == 0) {
                entity_change(w, entities[i], i, &random, &b);
            }
        }
        assert_int_equal(stoa_snapshot_save_file(w, NULL, after), STOA_OK);
        support_world_close(&s);
        diff_compare(before, after, &b);
    }
}

static int random_end(void **state) {
    support_seed_show(NULL);
    return folder_close(state);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(diff_tells_random_changes, folder_open, random_end)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
