/* Snapshots in files: whatever happens while one is written, a whole one is there. */
#define _GNU_SOURCE

#include "os/file.h"
#include "persist/snapshot_fixture.h"
#include "support/folder.h"

#include <sched.h>
#include <signal.h>
#include <sys/wait.h>

typedef struct files {
    pair p;
    support_folder folder;
    char path[96];
} files;

static int files_setup(void **state) {
    files *f = calloc(1, sizeof *f);
    pair_open(&f->p);
    support_folder_open(&f->folder);
    strcpy(f->path, support_folder_file(&f->folder, "world.ecs"));
    *state = f;
    return 0;
}

static int files_teardown(void **state) {
    files *f = *state;
    stoa__file_fail_after(-1);
    stoa__file_piece(0);
    support_folder_close(&f->folder);
    pair_close(&f->p);
    free(f);
    return 0;
}

/* SNP-04 */
static void file_gives_back_what_was_saved(void **state) {
    files *f = *state;
    world_fill(f->p.from.world, 700);
    types_register(f->p.to.world, true);
    pair_save(&f->p, NULL);
    assert_int_equal(stoa_snapshot_save_file(f->p.from.world, NULL, f->path), STOA_OK);
    stoa_blob blob = {.allocator = &f->p.blob_allocator};
    assert_int_equal(stoa__file_read(f->path, UINT64_MAX, &blob), STOA_OK);
    assert_int_equal(blob.size, f->p.blob.size);
    assert_memory_equal(blob.data, f->p.blob.data, blob.size);
    stoa_blob_free(&blob);
    stoa__file_piece(1000);
    assert_int_equal(stoa_snapshot_load_file(f->p.to.world, NULL, f->path), STOA_OK);
    worlds_assert_equal(f->p.from.world, f->p.to.world);
    assert_int_equal(support_folder_count(&f->folder, false), 1);
}

/* SNP-04 SNP-05 */
static void failing_disk_leaves_the_old_snapshot(void **state) {
    files *f = *state;
    stoa_world *w = f->p.from.world;
    world_fill(w, 3);
    types_register(f->p.to.world, true);
    assert_int_equal(stoa_snapshot_save_file(w, NULL, f->path), STOA_OK);
    pair_save(&f->p, NULL);
    size_t old = f->p.blob.size;
    stoa_create(w);
    stoa_create(w);
    for (int32_t k = 0;; k++) {
        stoa__file_fail_after(k);
        stoa_status status = stoa_snapshot_save_file(w, NULL, f->path);
        stoa__file_fail_after(-1);
        assert_int_equal(support_folder_count(&f->folder, false), 1);
        if (status == STOA_OK) {
            assert_true(k > 5);
            break;
        }
        assert_int_equal(status, STOA_IO);
        support_assert_message(f->path);
        if (strstr(stoa_last_error().message, "folder") == NULL) {
            struct stat about;
            assert_int_equal(stat(f->path, &about), 0);
            assert_int_equal(about.st_size, old);
        }
    }
    for (int32_t k = 0; k < 3; k++) {
        stoa__file_fail_after(k);
        assert_int_equal(stoa_snapshot_load_file(f->p.to.world, NULL, f->path), STOA_IO);
        stoa__file_fail_after(-1);
        assert_int_equal(stoa_count(f->p.to.world), 0);
    }
    assert_int_equal(stoa_snapshot_load_file(f->p.to.world, NULL, f->path), STOA_OK);
    worlds_assert_equal(w, f->p.to.world);
}

/* SNP-04 */
static void path_that_leads_nowhere_is_named(void **state) {
    files *f = *state;
    static const char nowhere[] = "no/such/folder/world.ecs";
    assert_int_equal(stoa_snapshot_save_file(f->p.from.world, NULL, nowhere), STOA_IO);
    support_assert_message(nowhere);
    assert_int_equal(stoa_snapshot_load_file(f->p.to.world, NULL, nowhere), STOA_IO);
    support_assert_message(nowhere);
    assert_int_equal(stoa_snapshot_save_file(f->p.from.world, NULL, "/dev/full"), STOA_IO);
    support_assert_message("/dev/full");
    assert_int_equal(stoa_snapshot_load_file(f->p.to.world, NULL, "/dev/null"), STOA_CORRUPT);
}

/* SNP-03: a world that cannot be saved does not touch the file. */
static void refused_save_leaves_the_file(void **state) {
    files *f = *state;
    assert_int_equal(stoa_snapshot_save_file(f->p.from.world, NULL, f->path), STOA_OK);
    stoa_component id = stoa_component_register(
        f->p.from.world, &(stoa_component_desc){.name = "Opaque", .size = 4});
    stoa_entity e = stoa_create(f->p.from.world);
    stoa_add_id(f->p.from.world, e, id);
    assert_int_equal(stoa_snapshot_save_file(f->p.from.world, NULL, f->path), STOA_REFUSED);
    support_assert_message("Opaque");
    assert_int_equal(support_folder_count(&f->folder, false), 1);
    assert_int_equal(stoa_snapshot_load_file(f->p.to.world, NULL, f->path), STOA_OK);
}

/* SNP-05 */
static void file_larger_than_allowed_is_not_loaded(void **state) {
    files *f = *state;
    world_fill(f->p.from.world, 3);
    types_register(f->p.to.world, true);
    assert_int_equal(stoa_snapshot_save_file(f->p.from.world, NULL, f->path), STOA_OK);
    const stoa_snapshot_load_desc desc = {.size_max = 100};
    assert_int_equal(stoa_snapshot_load_file(f->p.to.world, &desc, f->path), STOA_LIMIT);
    pair_save(&f->p, NULL);
    stoa_span span = {f->p.blob.data, f->p.blob.data + f->p.blob.size};
    const stoa_source source = stoa_span_source(&span);
    assert_int_equal(stoa_snapshot_load(f->p.to.world, &desc, &source), STOA_LIMIT);
    assert_int_equal(span.end - span.at, f->p.blob.size - 40);
    assert_int_equal(
        stoa_snapshot_load_memory(f->p.to.world, &desc, f->p.blob.data, f->p.blob.size),
        STOA_LIMIT);
}

/* Saves one world after the other for ever; tells the pipe when the first is saved. */
static void saver_run(files *f, int pipe_end) {
    for (int i = 0;; i++) {
        stoa_world *w = i % 2 == 0 ? f->p.from.world : f->p.to.world;
        if (stoa_snapshot_save_file(w, NULL, f->path) != STOA_OK ||
            (i == 1 && write(pipe_end, "", 1) != 1)) {
            _exit(1);
        }
    }
}

/* SNP-04 */
static void killed_save_leaves_a_whole_file(void **state) {
    files *f = *state;
    world_fill(f->p.from.world, 60);
    world_fill(f->p.to.world, 10);
    uint64_t hashes[2] = {stoa_hash(f->p.from.world), stoa_hash(f->p.to.world)};
    int seen[2] = {0, 0};
    support_world s;
    support_world_open(&s);
    types_register(s.world, false);
    for (uint32_t round = 0; round < 200; round++) {
        int ends[2];
        assert_int_equal(pipe(ends), 0);
        fflush(NULL);
        pid_t child = fork();
        if (child == 0) {
            saver_run(f, ends[1]);
        }
        char byte;
        assert_int_equal(read(ends[0], &byte, 1), 1);
        support_random random = {round + 1};
        for (uint32_t i = support_random_below(&random, 2000); i > 0; i--) {
            sched_yield();
        }
        assert_int_equal(kill(child, SIGKILL), 0);
        assert_int_equal(waitpid(child, NULL, 0), child);
        close(ends[0]);
        close(ends[1]);
        assert_int_equal(stoa_snapshot_load_file(s.world, NULL, f->path), STOA_OK);
        uint64_t hash = stoa_hash(s.world);
        assert_true(hash == hashes[0] || hash == hashes[1]);
        seen[hash == hashes[1]]++;
        stoa_entity e = stoa_entity_next(s.world, STOA_NULL);
        for (; !stoa_entity_is_null(e); e = stoa_entity_next(s.world, e)) {
            stoa_destroy(s.world, e);
        }
    }
    assert_true(seen[0] > 0 && seen[1] > 0);
    support_world_close(&s);
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, files_setup, files_teardown)
    const struct CMUnitTest tests[] = {
        TEST(file_gives_back_what_was_saved),         TEST(failing_disk_leaves_the_old_snapshot),
        TEST(path_that_leads_nowhere_is_named),       TEST(refused_save_leaves_the_file),
        TEST(file_larger_than_allowed_is_not_loaded), TEST(killed_save_leaves_a_whole_file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
