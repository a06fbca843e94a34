/* A snapshot of each version of the format is kept for ever, and must load for ever.
 *
 * The files were written by this program, with `--write FILE`. The world below, and the types of
 * it, never change: for the version that is written now, saving it gives the same bytes. */
#include "os/file.h"
#include "persist/snapshot.h"
#include "persist/snapshot_fixture.h"

STOA_ENUM(Season, {SPRING, SUMMER = 5, WINTER = -1});
STOA_COMPONENT_WITH(Point, STOA_OPTIONS(.name = "golden.Point"), { float x, y; });
STOA_COMPONENT_WITH(Odd, STOA_OPTIONS(.name = "golden.Odd"), {
    uint8_t small;
    int64_t large;
    bool flag;
    uint16_t numbers[3];
    double real;
});
STOA_COMPONENT_WITH(Whole, STOA_OPTIONS(.name = "golden.Whole"), {
    Point points[2];
    Season season;
    stoa_entity other;
    char letters[4];
});
STOA_TAG_WITH(Quiet, STOA_OPTIONS(.name = "golden.Quiet"));
STOA_COMPONENT_WITH(Rare,
                    STOA_OPTIONS(.name = "golden.Rare", .flags = STOA_SPARSE | STOA_SWITCHABLE),
                    { uint32_t value; });
STOA_TAG_WITH(Rarer, STOA_OPTIONS(.name = "golden.Rarer", .flags = STOA_SPARSE));
STOA_COMPONENT_WITH(Light,
                    STOA_OPTIONS(.name = "golden.Light", .flags = STOA_SWITCHABLE | STOA_ROW_TICKS),
                    { int8_t level; });
STOA_COMPONENT_WITH(Rules, STOA_OPTIONS(.name = "golden.Rules"), {
    int32_t year;
    Season season;
});

#define ROWS 30

static stoa_entity made[ROWS];

static void golden_register(stoa_world *w) {
    assert_true(stoa_type_register(w, STOA_TYPE_OF(Season)) != 0);
    stoa_type *const types[] = {&Point_stoa, &Odd_stoa,   &Whole_stoa, &Quiet_stoa, &Rare_stoa,
                                &Rarer_stoa, &Light_stoa, &Rules_stoa, &Text_stoa,  &Blob3_stoa};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        assert_true(stoa_type_register(w, types[i]) != 0);
    }
}

static void golden_make(stoa_world *w) {
    golden_register(w);
    for (int i = 0; i < ROWS; i++) {
        float x = (float)i;
        made[i] = stoa_create(w);
        stoa_set(w, made[i], Point, {x, -x / 4});
        if (i % 2 == 0) {
            stoa_set(w, made[i], Odd,
                     {(uint8_t)(i * 9),
                      -i * INT64_C(0x123456789),
                      i % 4 == 0,
                      {1, 2, (uint16_t)i},
                      1.0 / (i + 3)});
        }
        if (i % 3 == 0) {
            stoa_set(w, made[i], Whole,
                     {{{x, 1}, {2, x}},
                      i % 2 == 0 ? SUMMER : WINTER,
                      made[i / 2],
                      {'a', 'b', (char)('c' + i % 20), 0}});
            stoa_add(w, made[i], Quiet);
        }
        if (i % 5 == 0) {
            stoa_set(w, made[i], Rare, {(uint32_t)i * 77});
            stoa_enable(w, made[i], Rare, i % 2 == 0);
            stoa_add(w, made[i], Rarer);
            stoa_tick_advance(w);
        }
        if (i % 7 == 0) {
            stoa_set(w, made[i], Light, {(int8_t)-i});
            stoa_enable(w, made[i], Light, i % 14 == 0);
            stoa_set(w, made[i], Blob3, {{1, (uint8_t)i, 3}});
        }
        if (i % 11 == 0) {
            char letters[8];
            snprintf(letters, sizeof letters, "t%d", i);
            Text text = text_make(letters);
            stoa_set_id(w, made[i], stoa_id(w, Text), &text, sizeof text);
            stoa_name_set(w, made[i], letters);
        }
        if (i > 2 && i % 4 == 1) {
            stoa_set_parent(w, made[i], made[i / 4]);
        }
    }
    for (int i = 4; i < ROWS; i += 9) {
        stoa_destroy(w, made[i]);
    }
    stoa_resource_set(w, Rules, {1984, WINTER});
}

static const char *golden_path(int version) {
    static char path[1024];
    static const char file[] = __FILE__;
    const char *slash = strrchr(file, '/');
    int folder = slash != NULL ? (int)(slash - file) + 1 : 0;
    snprintf(path, sizeof path, "%.*sgolden/v%d.ecs", folder, file, version);
    return path;
}

/* SNP-02 */
static void golden_file_loads_and_holds_what_it_held(void **state) {
    pair *p = *state;
    golden_make(p->from.world);
    golden_register(p->to.world);
    for (int version = 1; version <= STOA_SNAPSHOT_VERSION; version++) {
        support_world s;
        support_world_open(&s);
        golden_register(s.world);
        stoa_world *w = s.world;
        stoa_status status = stoa_snapshot_load_file(w, NULL, golden_path(version));
        if (status != STOA_OK) {
            support_print_error();
        }
        assert_int_equal(status, STOA_OK);
        worlds_assert_equal(p->from.world, w);
        /* Not only as this program makes it: in numbers. */
        assert_int_equal(stoa_count(w), 27);
        stoa_entity e = stoa_find(w, "t11");
        assert_true(e.index == 12 && e.generation == 1);
        assert_true(stoa_get(w, e, Point)->x == 11 && stoa_get(w, e, Point)->y == -2.75f);
        assert_int_equal(stoa_get(w, made[10], Odd)->small, 90);
        assert_true(stoa_get(w, made[10], Odd)->large == -10 * INT64_C(0x123456789));
        assert_true(stoa_get(w, made[10], Odd)->real == 1.0 / 13);
        assert_string_equal(stoa_get(w, e, Text)->text, "t11");
        assert_int_equal(stoa_get(w, stoa_find(w, "t0"), Whole)->season, SUMMER);
        assert_false(stoa_enabled(w, made[25], Rare));
        assert_int_equal(stoa_get(w, made[25], Rare)->value, 1925);
        assert_false(stoa_enabled(w, made[21], Light));
        assert_int_equal(stoa_children(w, made[2]).count, 1);
        assert_true(stoa_entity_eq(stoa_parent(w, made[9]), made[2]));
        assert_int_equal(stoa_resource(w, Rules)->year, 1984);
        assert_int_equal(stoa_resource(w, Rules)->season, WINTER);
        assert_int_equal(stoa_tick(w), stoa_tick(p->from.world));
        support_world_close(&s);
    }
}

/* SNP-02 */
static void saving_gives_the_golden_bytes(void **state) {
    pair *p = *state;
    golden_make(p->from.world);
    pair_save(p, &(stoa_snapshot_save_desc){.ticks = true});
    stoa_blob golden = {.allocator = &p->blob_allocator};
    assert_int_equal(stoa__file_read(golden_path(STOA_SNAPSHOT_VERSION), UINT64_MAX, &golden),
                     STOA_OK);
    assert_int_equal(golden.size, p->blob.size);
    assert_memory_equal(golden.data, p->blob.data, golden.size);
    stoa_blob_free(&golden);
}

static int golden_write(const char *path) {
    stoa_world *w = stoa_world_new(NULL);
    golden_make(w);
    stoa_status status =
        stoa_snapshot_save_file(w, &(stoa_snapshot_save_desc){.ticks = true}, path);
    stoa_world_free(w);
    return status == STOA_OK ? 0 : 1;
}

int main(int argc, char **argv) {
    if (argc == 3 && strcmp(argv[1], "--write") == 0) {
        return golden_write(argv[2]);
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(golden_file_loads_and_holds_what_it_held, pair_setup,
                                        pair_teardown),
        cmocka_unit_test_setup_teardown(saving_gives_the_golden_bytes, pair_setup, pair_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
