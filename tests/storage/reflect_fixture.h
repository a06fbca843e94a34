/* What the tests of reflection share: a counted heap, and described types for their texts. */
#ifndef STOA_TESTS_REFLECT_FIXTURE_H
#define STOA_TESTS_REFLECT_FIXTURE_H

#include "storage/reflect.h"

#include "support/heap.h"

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

typedef struct fixture {
    support_heap counter;
    stoa__heap heap;
    stoa__reflection result;
} fixture;

STOA_COMPONENT(Vec2, { float x, y; });
STOA_ENUM(Team, {RED, GREEN = 5, BLUE = RED + 2, LAST = 1 << 4});

enum Plain { PLAIN_ONE, PLAIN_TWO };

/* The described types that texts of these tests may use. */
static inline bool described_find(const char *name, stoa_component_info *info, bool *is_enum,
                                  void *user) {
    static const struct {
        stoa_component_info info;
        bool is_enum;
    } known[] = {
        {{.name = "Vec2", .id = 7, .size = sizeof(Vec2), .alignment = _Alignof(Vec2)}, false},
        {{.name = "Team", .id = 8, .size = sizeof(Team), .alignment = _Alignof(Team)}, true},
        {{.name = "gfx.Color", .id = 9, .size = 4, .alignment = 1}, false},
        {{.name = "Wide", .id = 10, .size = 32, .alignment = 32}, false},
        {{.name = "Tag", .id = 11, .size = 0, .alignment = 1}, false},
    };
    (void)user;
    for (size_t i = 0; i < COUNT_OF(known); i++) {
        if (strcmp(known[i].info.name, name) == 0) {
            *info = known[i].info;
            *is_enum = known[i].is_enum;
            return true;
        }
    }
    return false;
}

static inline int fixture_open(void **state) {
    static fixture f;
    memset(&f, 0, sizeof f);
    support_heap_open(&f.heap, &f.counter);
    *state = &f;
    return 0;
}

static inline int fixture_close(void **state) {
    fixture *f = *state;
    stoa__reflect_free(&f->heap, &f->result);
    support_heap_close(&f->heap, &f->counter);
    return 0;
}

static inline stoa_status reflect_source(fixture *f, stoa__reflect_source source) {
    stoa__reflect_free(&f->heap, &f->result);
    source.find = described_find;
    stoa_status status = stoa__reflect(&f->heap, &source, &f->result);
    if (status != STOA_OK) {
        assert_int_equal(stoa_last_error().status, status);
        assert_int_equal(f->counter.blocks, 0);
        assert_null(f->result.members);
        assert_null(f->result.values);
    }
    return status;
}

static inline stoa_status reflect_text(fixture *f, stoa_type_form form, const char *text) {
    return reflect_source(f, (stoa__reflect_source){.name = "T", .form = form, .text = text});
}

static inline stoa_status reflect_type(fixture *f, const stoa_type *type) {
    stoa_status status = reflect_source(f, (stoa__reflect_source){.name = type->identifier,
                                                                  .form = type->form,
                                                                  .text = type->text,
                                                                  .members = type->members,
                                                                  .size = type->size,
                                                                  .alignment = type->alignment,
                                                                  .enum_size = type->enum_size});
    if (status == STOA_OK) {
        assert_int_equal(f->result.size, type->size);
        assert_int_equal(f->result.alignment, type->alignment);
    }
    return status;
}

static inline const stoa_member *member_named(const fixture *f, const char *name) {
    for (int32_t i = 0; i < f->result.member_count; i++) {
        if (strcmp(f->result.members[i].name, name) == 0) {
            return &f->result.members[i];
        }
    }
    fail_msg("no member '%s'", name);
    return NULL;
}

static inline void member_is(const fixture *f, const char *name, stoa_kind kind, size_t offset,
                             size_t size, bool array) {
    const stoa_member *member = member_named(f, name);
    assert_int_equal(member->kind, kind);
    assert_int_equal(member->offset, offset);
    assert_int_equal((size_t)member->size * member->count, size);
    assert_int_equal(member->array, array);
}

/* Reflects T, whose text must be taken. */
#define TYPE(T) assert_int_equal(reflect_type(f, STOA_TYPE_OF(T)), STOA_OK)
/* A member stands where the compiler put it. */
#define MEMBER(T, name, kind)                                                                      \
    member_is(f, #name, STOA_KIND_##kind, offsetof(T, name), sizeof(((T *)0)->name), false)
#define ARRAY(T, name, kind)                                                                       \
    member_is(f, #name, STOA_KIND_##kind, offsetof(T, name), sizeof(((T *)0)->name), true)

typedef struct error_case {
    const char *text;
    stoa_status status;
    int32_t column;
    const char *message;
} error_case;

static inline void errors_are(fixture *f, stoa_type_form form, const error_case *cases,
                              size_t count) {
    for (size_t i = 0; i < count; i++) {
        stoa_status status = reflect_text(f, form, cases[i].text);
        stoa_error error = stoa_last_error();
        if (status != cases[i].status || error.column != cases[i].column ||
            strstr(error.message, cases[i].message) == NULL) {
            fail_msg("\"%s\": %d at %d \"%s\", expected %d at %d \"%s\"", cases[i].text,
                     (int)status, (int)error.column, error.message, (int)cases[i].status,
                     (int)cases[i].column, cases[i].message);
        }
    }
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, fixture_open, fixture_close)

#endif
