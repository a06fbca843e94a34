/* What the tests of names share. */
#ifndef STOA_TESTS_NAME_FIXTURE_H
#define STOA_TESTS_NAME_FIXTURE_H

#include "support/support.h"

STOA_COMPONENT(Position, { float x, y; });
STOA_TAG(Frozen);

#define assert_entity(a, b) assert_int_equal(stoa_entity_pack(a), stoa_entity_pack(b))
#define assert_none(e) assert_entity(e, STOA_NULL)

/* The entity has that name, and is found by it; NULL: it has none. */
#define assert_named(w, e, text) assert_named_at((w), (e), (text), __FILE__, __LINE__)
static inline void assert_named_at(stoa_world *w, stoa_entity e, const char *text, const char *file,
                                   int line) {
    const char *name = stoa_name(w, e);
    if (text == NULL) {
        _assert_true(name == NULL, "has no name", file, line);
        return;
    }
    _assert_true(name != NULL, "has a name", file, line);
    _assert_string_equal(name, text, file, line);
    _assert_true(stoa_entity_eq(stoa_find(w, text), e), "is found by its name", file, line);
}

#endif
