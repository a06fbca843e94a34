/* Giving components another layout in tests of what stands on them: by members of the same name, or
 * as aliases say. */
#ifndef STOA_TESTS_RETYPE_FIXTURE_H
#define STOA_TESTS_RETYPE_FIXTURE_H

#include "support/support.h"

/* What a conversion counts, and when it fails; zeroed it never does. */
typedef struct retype_counts {
    int calls;
    int fail_at; /* the call that is refused, from 1; 0: none */
} retype_counts;

static const char *former_of(const stoa_component_info *to, const char *name) {
    const stoa_alias *alias = to->persist != NULL ? to->persist->fields : NULL;
    for (; alias != NULL && alias->former != NULL; alias++) {
        if (strcmp(alias->name, name) == 0) {
            return alias->former;
        }
    }
    return name;
}

static double number_read(const stoa_member *m, const void *at) {
    switch (m->kind) {
    case STOA_KIND_F32:
        return (double)*(const float *)at;
    case STOA_KIND_F64:
        return *(const double *)at;
    case STOA_KIND_I32:
        return (double)*(const int32_t *)at;
    default:
        assert_int_equal(m->kind, STOA_KIND_I64);
        return (double)*(const int64_t *)at;
    }
}

static void number_write(const stoa_member *m, void *at, double number) {
    switch (m->kind) {
    case STOA_KIND_F32:
        *(float *)at = (float)number;
        break;
    case STOA_KIND_F64:
        *(double *)at = number;
        break;
    case STOA_KIND_I32:
        *(int32_t *)at = (int32_t)number;
        break;
    case STOA_KIND_I64:
        *(int64_t *)at = (int64_t)number;
        break;
    default:
        break;
    }
}

static void member_convert(const stoa_component_info *from, const stoa_component_info *to,
                           const stoa_member *m, const uint8_t *value, uint8_t *made) {
    const char *name = former_of(to, m->name);
    for (int32_t i = 0; i < from->member_count; i++) {
        const stoa_member *other = &from->members[i];
        if (strcmp(other->name, name) == 0 && other->kind == m->kind && other->type == m->type) {
            size_t count = other->count < m->count ? other->count : m->count;
            size_t size = m->size < other->size ? m->size : other->size;
            memcpy(made + m->offset, value + other->offset, size * count);
        } else if (strcmp(other->name, name) == 0) {
            number_write(m, made + m->offset, number_read(other, value + other->offset));
        }
    }
}

/* A stoa_convert_fn; `user` is a retype_counts. */
static stoa_status members_convert(void *user, const stoa_component_info *from,
                                   const stoa_component_info *to, const void *values, void *made,
                                   int32_t count) {
    retype_counts *counts = user;
    if (++counts->calls == counts->fail_at) {
        return stoa_fail(STOA_REFUSED, "enough converted");
    }
    memset(made, 0, (size_t)count * to->size);
    for (int32_t i = 0; i < count; i++) {
        for (int32_t k = 0; k < to->member_count; k++) {
            member_convert(from, to, &to->members[k],
                           (const uint8_t *)values + (size_t)i * from->size,
                           (uint8_t *)made + (size_t)i * to->size);
        }
    }
    return STOA_OK;
}

/* Gives a component what `type` says, up to the swap; NULL if that is refused, with all taken
 * back. */
static stoa_retype *retype_begin(stoa_world *world, stoa_type *type, retype_counts *counts) {
    bool fresh;
    stoa_retype *retype = stoa_retype_new(world);
    if (retype != NULL && stoa_retype_add(retype, type, true, &fresh) == STOA_OK &&
        stoa_retype_convert(retype, members_convert, counts) == STOA_OK &&
        stoa_retype_swap(retype) == STOA_OK) {
        return retype;
    }
    stoa_error error = stoa_last_error();
    char message[512];
    snprintf(message, sizeof message, "%s", error.message);
    stoa_retype_cancel(retype);
    stoa_fail(error.status, "%s", message);
    return NULL;
}

/* The same to the end; false if it is refused. */
STOA_UNUSED static bool retype_to(stoa_world *world, stoa_type *type) {
    retype_counts counts = {0};
    stoa_retype *retype = retype_begin(world, type, &counts);
    stoa_retype_end(retype);
    assert_int_equal(stoa_check(world), STOA_OK);
    return retype != NULL;
}

/* The same with each allocation failing in turn; nothing may change until none does. */
STOA_UNUSED static void retype_short(support_world *s, stoa_type *type) {
    stoa_retype *retype = NULL;
    uint64_t hash = stoa_hash(s->world);
    for (size_t k = 1; retype == NULL; k++) {
        retype_counts counts = {0};
        s->heap.fail_at = k;
        retype = retype_begin(s->world, type, &counts);
        bool reached = s->heap.fail_at == 0;
        s->heap.fail_at = 0;
        assert_true(k < 1000);
        if (retype == NULL) {
            assert_true(reached);
            assert_int_equal(stoa_last_error().status, STOA_NO_MEMORY);
            assert_true(hash == stoa_hash(s->world));
            assert_int_equal(stoa_check(s->world), STOA_OK);
        } else {
            assert_true(k > 5);
        }
    }
    stoa_retype_end(retype);
    assert_int_equal(stoa_check(s->world), STOA_OK);
}

#endif
