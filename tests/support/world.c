/* The world of a test: opened on the counting allocator, checked and weighed at the end.
 *
 * The handlers only count, so that a test can tell what was called. */
#include "support/support.h"

#include <stdlib.h>

static void assert_count(const stoa_error *error, void *user) {
    support_world *s = user;
    s->asserts++;
    s->last_assert = error->status;
}

static void error_count(const stoa_error *error, void *user) {
    (void)error;
    support_world *s = user;
    s->errors++;
}

void support_world_open(support_world *s) {
    support_world_open_with(s, 0);
}

void support_world_open_with(support_world *s, uint32_t chunk_size) {
    memset(s, 0, sizeof *s);
    stoa_allocator allocator = support_allocator(&s->heap);
    s->world = stoa_world_new(&(stoa_world_desc){
        .allocator = &allocator,
        .chunk_size = chunk_size,
        .on_assert = {.call = assert_count, .user = s},
        .on_error = {.call = error_count, .user = s},
    });
    if (s->world == NULL) {
        support_print_error();
        fail_msg("no world");
    }
}

void support_world_close(support_world *s) {
    stoa_status status = s->world != NULL ? stoa_check(s->world) : STOA_OK;
    if (status != STOA_OK) {
        support_print_error();
    }
    stoa_world_free(s->world);
    s->world = NULL;
    assert_int_equal(status, STOA_OK);
    assert_int_equal(s->heap.bytes, 0);
    assert_int_equal(s->heap.blocks, 0);
}

int support_setup(void **state) {
    support_world *s = malloc(sizeof *s);
    if (s == NULL) {
        return -1;
    }
    support_world_open(s);
    *state = s;
    return 0;
}

int support_teardown(void **state) {
    support_world *s = *state;
    support_world_close(s);
    free(s);
    return 0;
}

bool support_status_is_misuse(stoa_status status) {
    static const bool misuse_by_status[] = {
#define MISUSE(code, text, misuse) misuse,
        STOA_STATUS_LIST(MISUSE)
#undef MISUSE
    };
    return misuse_by_status[status];
}

void support_print_error(void) {
    stoa_error error = stoa_last_error();
    print_error("last error: %d (%s), \"%s\"\n", (int)error.status, stoa_status_text(error.status),
                error.message);
}

void support_assert_message_at(const char *part, const char *file, int line) {
    if (strstr(stoa_last_error().message, part) == NULL) {
        support_print_error();
        print_error("expected in the message: \"%s\"\n", part);
        _fail(file, line);
    }
}

void support_assert_misuse_at(support_world *s, stoa_status got, stoa_status expected,
                              const char *file, int line) {
#ifdef STOA_DEBUG
    int expected_asserts = 1;
#else
    int expected_asserts = 0;
#endif
    int asserts = s->asserts - s->asserts_seen;
    s->asserts_seen = s->asserts;
    if (got != expected) {
        print_error("status %d (%s), expected %d (%s)\n", (int)got, stoa_status_text(got),
                    (int)expected, stoa_status_text(expected));
        support_print_error();
        _fail(file, line);
    }
    if (asserts != expected_asserts) {
        print_error("on_assert called %d times, expected %d\n", asserts, expected_asserts);
        _fail(file, line);
    }
    if (asserts > 0 && s->last_assert != expected) {
        print_error("on_assert called with %d (%s), expected %d (%s)\n", (int)s->last_assert,
                    stoa_status_text(s->last_assert), (int)expected, stoa_status_text(expected));
        _fail(file, line);
    }
}

void support_assert_quiet_at(support_world *s, const char *file, int line) {
    int asserts = s->asserts - s->asserts_seen;
    s->asserts_seen = s->asserts;
    if (asserts != 0) {
        print_error("on_assert called %d times, expected none\n", asserts);
        support_print_error();
        _fail(file, line);
    }
}
