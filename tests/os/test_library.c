/* Files told apart, and what is refused as a library before the system sees it. */
#define _GNU_SOURCE
#include "os/library.h"
#include "support/heap.h"

#include <stdlib.h>
#include <unistd.h>

static void file_write(const char *path, const void *bytes, size_t size) {
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

/* HOT-01 */
static void file_is_told_from_another_version_of_it(void **state) {
    (void)state;
    char path[] = "/tmp/stoa-library-XXXXXX", other[64];
    int file = mkstemp(path);
    assert_true(file >= 0);
    close(file);
    stoa__file_id first, second;
    assert_true(stoa__file_identify(path, &first));
    assert_true(stoa__file_identify(path, &second));
    assert_true(stoa__file_same(&first, &second));
    file_write(path, "longer", 6);
    assert_true(stoa__file_identify(path, &second));
    assert_false(stoa__file_same(&first, &second));
    snprintf(other, sizeof other, "%s.new", path);
    file_write(other, "longer", 6);
    assert_int_equal(rename(other, path), 0);
    assert_true(stoa__file_identify(path, &first));
    assert_false(stoa__file_same(&first, &second));
    unlink(path);
    assert_false(stoa__file_identify(path, &first));
    assert_false(stoa__file_identify("/tmp", &first));
}

/* HOT-01 */
static void what_is_no_library_is_refused(void **state) {
    (void)state;
    support_heap counter = {0};
    stoa__heap heap;
    stoa__library library;
    stoa__file_id id;
    char path[] = "/tmp/stoa-library-XXXXXX";
    support_heap_open(&heap, &counter);
    int file = mkstemp(path);
    close(file);
    static const char head[64] = {0x7F, 'E', 'L', 'F', 2, 1, 1};
    const size_t sizes[] = {0, 4, 16, 64};
    for (size_t i = 0; i < 4; i++) {
        file_write(path, head, sizes[i]);
        assert_int_equal(stoa__library_open(&heap, path, NULL, &library, &id), STOA_IO);
        assert_null(library.handle);
        support_assert_message("no shared library");
    }
    static char bytes[2][120];
    for (size_t i = 0; i < 2; i++) {
        /* One part: which is not in the file, or which is not what a library must have. */
        memcpy(bytes[i], head, sizeof head);
        bytes[i][16] = 3;
        bytes[i][32] = 64;
        bytes[i][54] = 56;
        bytes[i][56] = 1;
        bytes[i][64] = i == 0 ? 2 : 1;
        bytes[i][64 + 34] = i == 0;
        file_write(path, bytes[i], sizeof bytes[i]);
        assert_int_equal(stoa__library_open(&heap, path, NULL, &library, &id), STOA_IO);
        support_assert_message("no shared library");
    }
    assert_int_equal(stoa__library_open(&heap, "/tmp", NULL, &library, &id), STOA_IO);
    assert_int_equal(stoa__library_open(&heap, "/nowhere.so", NULL, &library, &id), STOA_IO);
    for (size_t k = 1; k <= 2; k++) {
        counter.fail_at = k;
        assert_int_equal(stoa__library_open(&heap, path, NULL, &library, &id), STOA_NO_MEMORY);
    }
    stoa__library_close(&heap, &library);
    unlink(path);
    support_heap_close(&heap, &counter);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(file_is_told_from_another_version_of_it),
        cmocka_unit_test(what_is_no_library_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
