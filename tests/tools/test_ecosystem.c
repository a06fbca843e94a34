/* The ecosystem: it lives for years, and is the same on any number of threads. */
#include "tools/tool_fixture.h"

#include "stoa/module.h"
#include "stoa/rebuild.h"
#include "stoa/snapshot.h"

/* As in the module; only these members are asked for. */
STOA_COMPONENT(Census, {
    char date[24];
    int32_t grass, grazers, hunters;
});
STOA_COMPONENT(Toll, { int64_t born, caught, starved, aged; });

STOA_COMPONENT(Energy, { float left; });

typedef struct eco {
    support_heap heap;
    stoa_allocator allocator;
    stoa_app *app;
    stoa_world *world;
} eco;

static void eco_open(eco *f, int32_t threads, const stoa_module_desc *desc) {
    memset(f, 0, sizeof *f);
    f->allocator = support_allocator(&f->heap);
    stoa_world_desc world = {.allocator = &f->allocator};
    f->app = stoa_app_new(&(stoa_app_desc){.world_as = &world, .threads = threads, .seed = 1});
    assert_non_null(f->app);
    f->world = stoa_app_world(f->app);
    if (stoa_module_load(f->app, ECOSYSTEM, desc) == NULL) {
        support_print_error();
        fail();
    }
}

static void eco_step(eco *f, int32_t frames) {
    for (int32_t i = 0; i < frames; i++) {
        assert_int_equal(stoa_app_step(f->app, 1.0 / 60), STOA_OK);
    }
}

static void eco_close(eco *f) {
    assert_int_equal(stoa_check(f->world), STOA_OK);
    assert_int_equal(stoa_app_free(f->app), STOA_OK);
    assert_int_equal(f->heap.bytes, 0);
}

/* TOL-02: nothing dies out, nothing overruns the land, in five years. */
static void ecosystem_lives_for_years(void **state) {
    (void)state;
    eco f;
    eco_open(&f, 2, NULL);
    int64_t first =
        stoa_query_once_count(f.world, &(stoa_query_desc){.terms = {STOA_FILTER(Energy)}});
    for (int32_t i = 0; i < 2000; i++) {
        eco_step(&f, 1);
        const Census *census = stoa_resource(f.world, Census);
        assert_in_range(census->grass, 20, 1000);
        assert_in_range(census->grazers, 150, 6000);
        assert_in_range(census->hunters, 20, 900);
    }
    const Toll *toll = stoa_resource(f.world, Toll);
    const Census *census = stoa_resource(f.world, Census);
    /* Every animal was there on the first day or born since, and died of one thing or lives. */
    assert_true(toll->born - toll->caught - toll->starved - toll->aged + first ==
                census->grazers + census->hunters);
    assert_true(toll->born > 1000);
    assert_true(toll->caught > 1000);
    assert_true(toll->starved > 100);
    assert_true(toll->aged > 100);
    assert_non_null(stoa_try_get(f.world, stoa_find(f.world, "alpha"), Name));
    eco_close(&f);
}

/* TOL-02, SYS-08 */
static void ecosystem_is_the_same_on_any_number_of_threads(void **state) {
    (void)state;
    static const int32_t threads[] = {1, 2, 4};
    uint64_t hashes[3][4];
    for (int i = 0; i < 3; i++) {
        eco f;
        eco_open(&f, threads[i], NULL);
        for (int j = 0; j < 4; j++) {
            eco_step(&f, 60);
            hashes[i][j] = stoa_hash(f.world);
        }
        eco_close(&f);
        assert_memory_equal(hashes[i], hashes[0], sizeof hashes[0]);
    }
}

/* TOL-02, SNP-01: a world that is loaded goes on, with no scene built. */
static void ecosystem_goes_on_after_it_was_loaded(void **state) {
    (void)state;
    eco f;
    stoa_blob blob = {0};
    eco_open(&f, 2, NULL);
    eco_step(&f, 50);
    uint64_t hash = stoa_hash(f.world);
    int32_t count = stoa_count(f.world);
    assert_int_equal(stoa_snapshot_save_memory(f.world, NULL, &blob), STOA_OK);
    eco_close(&f);

    eco_open(&f, 2, &(stoa_module_desc){.scene = STOA_SCENE_NEVER});
    assert_int_equal(stoa_count(f.world), 0);
    assert_int_equal(stoa_snapshot_load_memory(f.world, NULL, blob.data, blob.size), STOA_OK);
    assert_int_equal(stoa_count(f.world), count);
    assert_true(stoa_hash(f.world) == hash);
    eco_step(&f, 200);
    assert_in_range(stoa_resource(f.world, Census)->grazers, 150, 6000);
    eco_close(&f);
    stoa_blob_free(&blob);
}

/* TOL-02, SNP-01: it may be cut in two by a file, whatever the seed, on any number of threads. */
static void ecosystem_that_is_cut_in_two_is_the_same(void **state) {
    const char *half = spawn_path(*state, "half");
    const char *whole = spawn_path(*state, "whole");
    const char *joined = spawn_path(*state, "joined");
    TOOL_EXPECT(0, "saved", "", "run", ECOSYSTEM, "--frames", "200", "--save", whole, "--threads",
                "2", "--seed", "7");
    TOOL_EXPECT(0, "saved", "", "run", ECOSYSTEM, "--frames", "100", "--save", half, "--threads",
                "1", "--seed", "7");
    TOOL_EXPECT(0, "saved", "", "run", ECOSYSTEM, "--frames", "100", "--load", half, "--save",
                joined, "--threads", "4");
    TOOL_EXPECT(0, "", "", "diff", whole, joined);
    /* Another seed is another course. */
    TOOL_EXPECT(0, "saved", "", "run", ECOSYSTEM, "--frames", "100", "--load", half, "--save",
                joined, "--seed", "8");
    TOOL_EXPECT(1, "Energy", "", "diff", whole, joined);
}

/* CMD-06: slots that jobs hold for entities to come are about as many as they need. */
static void ecosystem_needs_no_more_slots_than_entities(void **state) {
    (void)state;
    eco f;
    int32_t most = 0;
    eco_open(&f, 1, NULL);
    for (int32_t i = 0; i < 1000; i++) {
        eco_step(&f, 1);
        int32_t count = stoa_count(f.world);
        most = count > most ? count : most;
    }
    stoa_slots slots;
    assert_int_equal(stoa_slots_get(f.world, NULL, NULL, &slots), STOA_OK);
    assert_in_range(slots.count, (uint32_t)most, (uint32_t)most + (uint32_t)most / 4);
    eco_close(&f);
}

/* TOL-02, HOT-01: the world goes on with the module's new code as if nothing had happened. */
static void ecosystem_is_the_same_when_reloaded(void **state) {
    (void)state;
    eco kept;
    eco reloaded;
    eco_open(&kept, 1, NULL);
    eco_open(&reloaded, 1, NULL);
    eco_step(&kept, 60);
    for (int i = 0; i < 3; i++) {
        eco_step(&reloaded, 20);
        assert_int_equal(stoa_module_reload(stoa_module_find(reloaded.app, "ecosystem")), STOA_OK);
    }
    assert_true(stoa_hash(kept.world) == stoa_hash(reloaded.world));
    eco_close(&kept);
    eco_close(&reloaded);
}

/* TOL-02: through the command, on any number of threads. */
static void ecosystem_runs_through_the_command(void **state) {
    char hash[3][32];
    static const char *const threads[] = {"1", "2", "4"};
    const char *path = spawn_path(*state, "a");
    for (int i = 0; i < 3; i++) {
        spawn_run run = TOOL_RUN("run", ECOSYSTEM, "--frames", "40", "--threads", threads[i],
                                 "--dash", "Census,Map", "--save", path);
        assert_int_equal(run.code, 0);
        assert_string_equal(run.err, "");
        assert_non_null(strstr(run.out, "\n  grazers      "));
        const char *at = strstr(run.out, "hash ");
        assert_non_null(at);
        assert_int_equal(sscanf(at, "hash %31s", hash[i]), 1);
        assert_string_equal(hash[i], hash[0]);
        spawn_end(&run);
    }
    TOOL_EXPECT(0, "is a sound snapshot", "", "verify", path);
    TOOL_EXPECT(0, hash[0], "", "hash", path);
    TOOL_EXPECT(0, "turn_year", "", "graph", ECOSYSTEM);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ecosystem_lives_for_years),
        cmocka_unit_test(ecosystem_is_the_same_on_any_number_of_threads),
        cmocka_unit_test(ecosystem_goes_on_after_it_was_loaded),
        cmocka_unit_test_setup_teardown(ecosystem_that_is_cut_in_two_is_the_same, folder_open,
                                        folder_close),
        cmocka_unit_test(ecosystem_needs_no_more_slots_than_entities),
        cmocka_unit_test(ecosystem_is_the_same_when_reloaded),
        cmocka_unit_test_setup_teardown(ecosystem_runs_through_the_command, folder_open,
                                        folder_close),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
