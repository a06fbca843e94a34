/* Files are read and replaced as a whole, or not at all, and nothing is left behind. */
#define _GNU_SOURCE

#include "os/file.h"
#include "support/folder.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>

static stoa_status file_replace(const char *path, const void *bytes, size_t size) {
    stoa_allocator plain = stoa_allocator_default();
    stoa__file file;
    stoa_status status = stoa__file_begin(&file, path, &plain);
    if (status != STOA_OK) {
        return status;
    }
    status = stoa__file_write(&file, bytes, size / 2);
    if (status == STOA_OK) {
        status = stoa__file_write(&file, (const char *)bytes + size / 2, size - size / 2);
    }
    if (status != STOA_OK) {
        stoa__file_cancel(&file);
        return status;
    }
    return stoa__file_commit(&file);
}

static void file_assert(const char *path, const char *text) {
    stoa_blob blob = {0};
    assert_int_equal(stoa__file_read(path, UINT64_MAX, &blob), STOA_OK);
    assert_int_equal(blob.size, strlen(text));
    assert_memory_equal(blob.data == NULL ? (const void *)text : blob.data, text, blob.size);
    stoa_blob_free(&blob);
}

static int folder_setup(void **state) {
    support_folder *folder = calloc(1, sizeof *folder);
    support_folder_open(folder);
    *state = folder;
    return 0;
}

static int folder_teardown(void **state) {
    stoa__file_fail_after(-1);
    stoa__file_piece(0);
    support_folder_close(*state);
    free(*state);
    return 0;
}

/* SNP-04 */
static void file_is_made_and_replaced(void **state) {
    support_folder *folder = *state;
    const char *path = support_folder_file(folder, "a");
    assert_int_equal(file_replace(path, "one", 3), STOA_OK);
    file_assert(path, "one");
    assert_int_equal(chmod(path, 0640), 0);
    assert_int_equal(file_replace(path, "second", 6), STOA_OK);
    file_assert(path, "second");
    struct stat about;
    assert_int_equal(stat(path, &about), 0);
    assert_int_equal(about.st_mode & 0777, 0640);
    assert_int_equal(file_replace(path, "", 0), STOA_OK);
    file_assert(path, "");
    assert_int_equal(support_folder_count(folder, false), 1);
}

/* SNP-04: a path without a folder is in the current one. */
static void file_of_the_current_folder_is_replaced(void **state) {
    support_folder *folder = *state;
    char before[4096];
    assert_non_null(getcwd(before, sizeof before));
    assert_int_equal(chdir(folder->path), 0);
    assert_int_equal(file_replace("bare", "text", 4), STOA_OK);
    file_assert("bare", "text");
    assert_int_equal(chdir(before), 0);
    assert_int_equal(support_folder_count(folder, false), 1);
}

/* SNP-04: bytes come and go in pieces of any size. */
static void short_reads_and_writes_are_completed(void **state) {
    support_folder *folder = *state;
    const char *path = support_folder_file(folder, "a");
    char text[1001] = {0};
    memset(text, 'x', 1000);
    for (size_t piece = 1; piece < 1500; piece += 37) {
        text[piece % 1000] = (char)('a' + piece % 26);
        stoa__file_piece(piece);
        assert_int_equal(file_replace(path, text, 1000), STOA_OK);
        file_assert(path, text);
    }
}

/* SNP-04 GEN-03 */
static void each_failed_call_leaves_the_old_file(void **state) {
    support_folder *folder = *state;
    const char *path = support_folder_file(folder, "a");
    assert_int_equal(file_replace(path, "old", 3), STOA_OK);
    int32_t failed = 0;
    for (int32_t k = 0;; k++) {
        stoa__file_fail_after(k);
        stoa_status status = file_replace(path, "new!", 4);
        stoa__file_fail_after(-1);
        assert_int_equal(support_folder_count(folder, false), 1);
        if (status == STOA_OK) {
            break;
        }
        failed++;
        assert_int_equal(status, STOA_IO);
        support_assert_message(path);
        /* Once it has its name, only the folder can fail to reach the disk. */
        file_assert(path, strstr(stoa_last_error().message, "folder") != NULL ? "new!" : "old");
    }
    /* The file: open, mode, twice write, sync, close, rename; the folder: open, sync. */
    assert_int_equal(failed, 9);
    file_assert(path, "new!");
    for (int32_t k = 0; k < 3; k++) {
        stoa_blob blob = {0};
        stoa__file_fail_after(k);
        assert_int_equal(stoa__file_read(path, UINT64_MAX, &blob), STOA_IO);
        stoa__file_fail_after(-1);
        support_assert_message(path);
        assert_int_equal(blob.size, 0);
        stoa_blob_free(&blob);
    }
}

/* SNP-04 */
static void places_where_no_file_can_be_are_refused(void **state) {
    support_folder *folder = *state;
    assert_int_equal(file_replace(folder->path, "x", 1), STOA_IO);
    support_assert_message("directory");
    assert_int_equal(file_replace("no/such/folder/a", "x", 1), STOA_IO);
    support_assert_message("no/such/folder/a");
    const char *path = support_folder_file(folder, "a");
    assert_int_equal(file_replace(path, "old", 3), STOA_OK);
    char below[512];
    snprintf(below, sizeof below, "%s/b", path);
    assert_int_equal(file_replace(below, "x", 1), STOA_IO);
    stoa_blob blob = {0};
    assert_int_equal(stoa__file_read(below, UINT64_MAX, &blob), STOA_IO);
    support_assert_message(below);
    assert_int_equal(stoa__file_read(folder->path, UINT64_MAX, &blob), STOA_IO);
    assert_int_equal(stoa__file_read("no/such/file", UINT64_MAX, &blob), STOA_IO);
    stoa_blob_free(&blob);
}

/* Runs something in a process of its own; true if it returns true. */
static bool child_run(bool (*run)(const char *path), const char *path) {
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        _exit(run(path) ? 0 : 1);
    }
    int result = 1;
    assert_int_equal(waitpid(child, &result, 0), child);
    return WIFEXITED(result) && WEXITSTATUS(result) == 0;
}

static bool limit_run(const char *path) {
    signal(SIGXFSZ, SIG_IGN);
    setrlimit(RLIMIT_FSIZE, &(struct rlimit){100, 100});
    char text[500] = {0};
    return file_replace(path, text, sizeof text) == STOA_IO;
}

static bool nobody_run(const char *path) {
    return (geteuid() != 0 || setuid(65534) == 0) && file_replace(path, "x", 1) == STOA_IO &&
           stoa_last_error().message[0] != '\0';
}

/* SNP-04: a disk that is full, and a folder that one may not write to. */
static void full_disk_and_closed_folder_leave_the_old_file(void **state) {
    support_folder *folder = *state;
    const char *path = support_folder_file(folder, "a");
    assert_int_equal(file_replace(path, "old", 3), STOA_OK);
    assert_true(child_run(limit_run, path));
    file_assert(path, "old");
    assert_int_equal(chmod(folder->path, 0555), 0);
    assert_true(child_run(nobody_run, path));
    assert_int_equal(chmod(folder->path, 0755), 0);
    file_assert(path, "old");
    assert_int_equal(support_folder_count(folder, false), 1);
}

/* SNP-04: what is no file is written to, not replaced. */
static void device_is_written_to(void **state) {
    (void)state;
    struct stat about;
    if (stat("/dev/full", &about) != 0 || !S_ISCHR(about.st_mode)) {
        skip();
    }
    assert_int_equal(file_replace("/dev/full", "x", 1), STOA_IO);
    support_assert_message("/dev/full");
    assert_int_equal(stat("/dev/full", &about), 0);
    assert_true(S_ISCHR(about.st_mode));
    assert_int_equal(file_replace("/dev/null", "x", 1), STOA_OK);
    assert_int_equal(stat("/dev/null", &about), 0);
    assert_true(S_ISCHR(about.st_mode));
}

/* SNP-05 */
static void file_larger_than_allowed_is_refused(void **state) {
    support_folder *folder = *state;
    const char *path = support_folder_file(folder, "a");
    assert_int_equal(file_replace(path, "12345", 5), STOA_OK);
    stoa_blob blob = {0};
    assert_int_equal(stoa__file_read(path, 4, &blob), STOA_LIMIT);
    support_assert_message(path);
    assert_int_equal(stoa__file_read("/dev/zero", 100000, &blob), STOA_LIMIT);
    assert_int_equal(blob.size, 0);
    assert_int_equal(stoa__file_read(path, 5, &blob), STOA_OK);
    assert_int_equal(blob.size, 5);
    stoa_blob_free(&blob);
}

/* GEN-04 */
static void lack_of_memory_leaves_nothing_behind(void **state) {
    support_folder *folder = *state;
    const char *path = support_folder_file(folder, "a");
    support_heap heap = {.fail_at = 1};
    const stoa_allocator allocator = support_allocator(&heap);
    stoa__file file;
    assert_int_equal(stoa__file_begin(&file, path, &allocator), STOA_NO_MEMORY);
    assert_int_equal(support_folder_count(folder, false), 0);
    assert_int_equal(stoa__file_begin(&file, path, &allocator), STOA_OK);
    stoa__file_cancel(&file);
    assert_int_equal(support_folder_count(folder, false), 0);
    assert_int_equal(heap.bytes, 0);
    assert_int_equal(file_replace(path, "12345", 5), STOA_OK);
    heap.fail_at = 1;
    stoa_blob blob = {.allocator = &allocator};
    assert_int_equal(stoa__file_read(path, UINT64_MAX, &blob), STOA_NO_MEMORY);
    assert_int_equal(blob.size, 0);
}

/* SNP-04: names that killed writers left are passed over. */
static void taken_names_are_passed_over(void **state) {
    support_folder *folder = *state;
    for (int i = 0; i < 3; i++) {
        char name[64];
        snprintf(name, sizeof name, ".stoa-%ld-%d.tmp", (long)getpid(), i);
        int handle = open(support_folder_file(folder, name), O_CREAT | O_WRONLY, 0600);
        assert_true(handle >= 0);
        close(handle);
    }
    assert_int_equal(file_replace(support_folder_file(folder, "a"), "text", 4), STOA_OK);
    file_assert(support_folder_file(folder, "a"), "text");
    assert_int_equal(support_folder_count(folder, false), 4);
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, folder_setup, folder_teardown)
    const struct CMUnitTest tests[] = {
        TEST(file_is_made_and_replaced),
        TEST(file_of_the_current_folder_is_replaced),
        TEST(short_reads_and_writes_are_completed),
        TEST(each_failed_call_leaves_the_old_file),
        TEST(places_where_no_file_can_be_are_refused),
        TEST(full_disk_and_closed_folder_leave_the_old_file),
        TEST(device_is_written_to),
        TEST(file_larger_than_allowed_is_refused),
        TEST(lack_of_memory_leaves_nothing_behind),
        TEST(taken_names_are_passed_over),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
