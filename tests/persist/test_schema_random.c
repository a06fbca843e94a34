/* Random types changed at random, and random values brought from the one to the other, held against
 * a naive reference that walks the members of both. A case that fails is made smaller, member by
 * member, as far as it still fails, and printed with its seed. */
#include "persist/schema_fixture.h"
#include "persist/schema_reference.h"

#define FIELDS_MAX 7
#define CASES 1500
#define ROWS 3
#define BYTES_MAX 4096

/* After the numbers: an entity, a struct, an enum. */
enum { ENTITY = KINDS, STRUCT, ENUM, KIND_COUNT };

typedef struct field {
    char name;
    uint8_t kind;
    uint8_t count; /* 0: no array */
} field;

typedef struct fields {
    field items[FIELDS_MAX];
    uint32_t count;
} fields;

/* Each of two versions has a struct In and a component T. */
typedef struct sample {
    uint64_t seed;
    fields in[2];
    fields t[2];
} sample;

static const char *const team_texts[2] = {"{ A, B = 5, C }", "{ C, D, A = 300, B, E = -1 }"};

static uint8_t kind_pick(support_random *random, bool inner) {
    uint32_t pick = support_random_below(random, 20);
    return pick >= 18 && inner ? ENUM
                               : (uint8_t)(pick < KIND_COUNT && !(inner && pick == STRUCT)
                                               ? pick
                                               : support_random_below(random, KINDS));
}

static uint8_t count_pick(support_random *random) {
    return (uint8_t)(support_random_below(random, 3) == 0 ? 1 + support_random_below(random, 5)
                                                          : 0);
}

static void fields_make(support_random *random, fields *list, bool inner) {
    list->count = 1 + support_random_below(random, FIELDS_MAX - 2);
    for (uint32_t i = 0; i < list->count; i++) {
        list->items[i] = (field){(char)('a' + i), kind_pick(random, inner), count_pick(random)};
    }
}

/* Another version of the same: some members gone, changed, moved, or new. */
static void fields_change(support_random *random, const fields *old, fields *list, bool inner) {
    list->count = 0;
    for (uint32_t i = 0; i < old->count; i++) {
        field f = old->items[i];
        uint32_t change = support_random_below(random, 10);
        if (change == 0) {
            continue;
        }
        bool number = f.kind < KINDS || f.kind == ENUM;
        if (change < 4 && number) {
            f.kind = (uint8_t)support_random_below(random, KINDS);
        } else if (change == 4) {
            f.count = count_pick(random);
        } else if (change == 5 && support_random_below(random, 10) == 0) {
            f.kind = kind_pick(random, inner);
        }
        list->items[list->count++] = f;
    }
    while (list->count == 0 || support_random_below(random, 2) == 0) {
        if (list->count < FIELDS_MAX) {
            list->items[list->count] =
                (field){(char)('p' + list->count), kind_pick(random, inner), count_pick(random)};
            list->count++;
        }
    }
    for (uint32_t i = 0; i + 1 < list->count; i++) {
        uint32_t other = i + support_random_below(random, list->count - i);
        field f = list->items[i];
        list->items[i] = list->items[other];
        list->items[other] = f;
    }
}

static void fields_print(const fields *list, char *text, size_t size) {
    stoa__writer out = stoa__writer_new(text, size);
    stoa__writer_put(&out, "{ ");
    for (uint32_t i = 0; i < list->count; i++) {
        const field *f = &list->items[i];
        const char *type = f->kind == ENTITY   ? "stoa_entity"
                           : f->kind == STRUCT ? "In"
                           : f->kind == ENUM   ? "Team"
                                               : names[f->kind];
        stoa__writer_format(&out, "%s %c", type, f->name);
        if (f->count > 0) {
            stoa__writer_format(&out, "[%u]", f->count);
        }
        stoa__writer_put(&out, "; ");
    }
    stoa__writer_put(&out, "}");
}

/* The two ends of a case. */
typedef struct walk {
    const stoa_world *old;
    const stoa_world *now;
    bool makes_sense;
    bool lossless;
} walk;

static kind kind_of(const stoa_member *m, bool old) {
    if (m->kind == STOA_KIND_ENUM) {
        return old ? U32 : I32;
    }
    return (kind)(m->kind - STOA_KIND_BOOL);
}

static bool is_number(const stoa_member *m) {
    return m->kind <= STOA_KIND_F64 || m->kind == STOA_KIND_ENUM;
}

static void number_walk(walk *w, const stoa_member *old, const stoa_member *now,
                        const uint8_t *from, uint8_t *to) {
    long double result, value = value_read(kind_of(old, true), from);
    if (old->kind == STOA_KIND_ENUM && now->kind == STOA_KIND_ENUM) {
        bool known = value == 0 || value == 5 || value == 6;
        w->lossless = w->lossless && known;
        value_write(I32, value == 0 ? 300 : value == 5 ? 301 : 0, to);
        return;
    }
    if (!reference(kind_of(old, true), kind_of(now, false), value, &result)) {
        w->lossless = false;
    }
    value_write(kind_of(now, false), result, to);
}

static void struct_walk(walk *w, stoa_component old, stoa_component now, const uint8_t *from,
                        uint8_t *to);

static bool element_is_zero(const walk *w, const stoa_member *m, const uint8_t *from) {
    stoa_component_info info;
    if (m->kind != STOA_KIND_STRUCT) {
        static const uint8_t zero[8];
        return memcmp(from, zero, m->size) == 0;
    }
    stoa_component_info_get(w->old, m->type, &info);
    for (int32_t i = 0; i < info.member_count; i++) {
        const stoa_member *inside = &info.members[i];
        for (uint32_t k = 0; k < inside->count; k++) {
            if (!element_is_zero(w, inside, from + inside->offset + k * inside->size)) {
                return false;
            }
        }
    }
    return true;
}

static void text_walk(walk *w, const stoa_member *old, const stoa_member *now, const uint8_t *from,
                      uint8_t *to) {
    uint32_t length = 0;
    while (length < old->count && from[length] != 0) {
        length++;
    }
    if (old->count <= now->count || length < now->count) {
        memcpy(to, from, old->count < now->count ? old->count : now->count);
        return;
    }
    w->lossless = false;
    uint32_t keep = now->count - 1;
    while (keep > 0 && from[keep] >= 0x80 && from[keep] < 0xC0) {
        keep--;
    }
    memcpy(to, from, keep);
}

static void member_walk(walk *w, const stoa_member *old, const stoa_member *now,
                        const uint8_t *from, uint8_t *to) {
    uint32_t count = old->count < now->count ? old->count : now->count;
    if (old->kind == STOA_KIND_CHAR && now->kind == STOA_KIND_CHAR && old->array && now->array) {
        text_walk(w, old, now, from, to);
        return;
    }
    for (uint32_t i = 0; i < old->count; i++, from += old->size, to += now->size) {
        if (i >= count) {
            w->lossless = w->lossless && element_is_zero(w, old, from);
            to -= now->size;
        } else if (is_number(old) && is_number(now)) {
            number_walk(w, old, now, from, to);
        } else if (old->kind != now->kind) {
            w->makes_sense = false;
        } else if (old->kind == STOA_KIND_STRUCT) {
            struct_walk(w, old->type, now->type, from, to);
        } else {
            memcpy(to, from, 8);
        }
    }
}

static void struct_walk(walk *w, stoa_component old, stoa_component now, const uint8_t *from,
                        uint8_t *to) {
    stoa_component_info was, is;
    stoa_component_info_get(w->old, old, &was);
    stoa_component_info_get(w->now, now, &is);
    for (int32_t i = 0; i < is.member_count; i++) {
        for (int32_t k = 0; k < was.member_count; k++) {
            if (strcmp(is.members[i].name, was.members[k].name) == 0) {
                member_walk(w, &was.members[k], &is.members[i], from + was.members[k].offset,
                            to + is.members[i].offset);
            }
        }
    }
}

/* A number that is often one of few, so that many fit. */
static void element_random(support_random *random, const stoa_member *m, uint8_t *to) {
    uint64_t bits = support_random_next(random);
    uint32_t pick = support_random_below(random, 4);
    bits = bits << 32 | support_random_next(random);
    if (m->kind == STOA_KIND_BOOL) {
        *to = bits & 1;
    } else if (m->kind == STOA_KIND_ENUM) {
        value_write(U32, pick == 0 ? (long double)(bits % 10) : pick == 1 ? 0 : 4 + pick, to);
    } else if (is_number(m) && pick > 0) {
        value_write(kind_of(m, true), pick == 1 ? 0 : (long double)(bits % 100), to);
    } else {
        memcpy(to, &bits, m->size);
    }
}

static void value_random(support_random *random, const stoa_world *w, stoa_component id,
                         uint8_t *to) {
    stoa_component_info info;
    stoa_component_info_get(w, id, &info);
    for (int32_t i = 0; i < info.member_count; i++) {
        const stoa_member *m = &info.members[i];
        for (uint32_t k = 0; k < m->count; k++) {
            uint8_t *at = to + m->offset + k * m->size;
            if (m->kind == STOA_KIND_STRUCT) {
                value_random(random, w, m->type, at);
            } else {
                element_random(random, m, at);
            }
        }
    }
}

/* NaNs may differ in their bits; the rest is compared as bytes, padding as zero. */
static bool values_same(const stoa_world *w, stoa_component id, const uint8_t *a,
                        const uint8_t *b) {
    stoa_component_info info;
    stoa_component_info_get(w, id, &info);
    for (int32_t i = 0; i < info.member_count; i++) {
        const stoa_member *m = &info.members[i];
        for (uint32_t k = 0; k < m->count; k++) {
            uint32_t at = m->offset + k * m->size;
            bool real = m->kind == STOA_KIND_F32 || m->kind == STOA_KIND_F64;
            bool nans = real && isnan(value_read(kind_of(m, false), a + at)) &&
                        isnan(value_read(kind_of(m, false), b + at));
            bool same = m->kind == STOA_KIND_STRUCT ? values_same(w, m->type, a + at, b + at)
                                                    : memcmp(a + at, b + at, m->size) == 0;
            if (!same && !nans) {
                return false;
            }
        }
    }
    return true;
}

static bool worlds_make(migration *m, const sample *s) {
    char text[512];
    for (int i = 0; i < 2; i++) {
        support_world *side = i == 0 ? &m->old : &m->now;
        stoa_type team = {.form = STOA_FORM_ENUM,
                          .identifier = "Team",
                          .text = team_texts[i],
                          .size = 4,
                          .alignment = 4,
                          .enum_size = 4};
        bool made = stoa_type_register(side->world, &team) != 0;
        fields_print(&s->in[i], text, sizeof text);
        made = made && fields_register(side, "In", text, NULL) != 0;
        fields_print(&s->t[i], text, sizeof text);
        if (!made || fields_register(side, "T", text, NULL) == 0) {
            return false;
        }
    }
    return true;
}

/* What is wrong, or NULL. */
static const char *rows_check(migration *m, const sample *s) {
    static uint8_t from[ROWS * BYTES_MAX], to[ROWS * BYTES_MAX], expected[ROWS * BYTES_MAX];
    stoa_component old = stoa_component_find(m->old.world, "T");
    stoa_component now = stoa_component_find(m->now.world, "T");
    support_random random = {s->seed ^ 99};
    walk w = {m->old.world, m->now.world, true, true};
    stoa_status status = migration_plan(m, "T");
    if (m->pack.from_size > BYTES_MAX || m->plan.to_size > BYTES_MAX) {
        return NULL;
    }
    memset(from, 0xA5, sizeof from);
    memset(to, 0x5A, sizeof to);
    memset(expected, 0, sizeof expected);
    stoa_component_info was, is;
    stoa_component_info_get(m->old.world, old, &was);
    stoa_component_info_get(m->now.world, now, &is);
    for (uint32_t i = 0; i < ROWS; i++) {
        value_random(&random, m->old.world, old, from + (size_t)i * was.size);
        struct_walk(&w, old, now, from + (size_t)i * was.size, expected + (size_t)i * is.size);
    }
    if (status != (w.makes_sense ? STOA_OK : STOA_LAYOUT)) {
        return "the plan has another status";
    }
    if (status != STOA_OK) {
        return NULL;
    }
    status = migration_run(m, from, to, ROWS);
    if (status != (w.lossless || m->loss == STOA_LOSS_CLAMP ? STOA_OK : STOA_REFUSED)) {
        return "the values have another status";
    }
    for (uint32_t i = 0; i < ROWS && status == STOA_OK; i++) {
        size_t at = (size_t)i * is.size;
        if (!values_same(m->now.world, now, to + at, expected + at)) {
            return "a value is another";
        }
    }
    return NULL;
}

static const char *sample_check(const sample *s) {
    void *state;
    migration_open(&state);
    migration *m = state;
    const char *wrong = worlds_make(m, s) ? NULL : "the types cannot be registered";
    for (int loss = 0; loss < 2 && wrong == NULL; loss++) {
        m->loss = (stoa_loss)loss;
        wrong = rows_check(m, s);
    }
    migration_close(&state);
    return wrong;
}

/* Takes members away one by one, as long as it still fails. */
static void sample_shrink(sample *s) {
    fields *lists[] = {&s->t[0], &s->t[1], &s->in[0], &s->in[1]};
    for (int list = 0; list < 4; list++) {
        for (uint32_t i = 0; i < lists[list]->count && lists[list]->count > 1;) {
            fields before = *lists[list];
            memmove(&lists[list]->items[i], &lists[list]->items[i + 1],
                    (before.count - i - 1) * sizeof(field));
            lists[list]->count--;
            if (sample_check(s) == NULL) {
                *lists[list] = before;
                i++;
            }
        }
    }
}

static void sample_fail(sample *s) {
    char text[512];
    sample_shrink(s);
    const char *wrong = sample_check(s);
    for (int i = 0; i < 2; i++) {
        fields_print(&s->in[i], text, sizeof text);
        print_error("%s In %s\n", i == 0 ? "old" : "now", text);
        fields_print(&s->t[i], text, sizeof text);
        print_error("%s T %s\n", i == 0 ? "old" : "now", text);
    }
    fail_msg("seed %llu: %s", (unsigned long long)s->seed, wrong != NULL ? wrong : "?");
}

/* SNP-06 */
static void random_changes_come_out_as_the_reference_says(void **state) {
    (void)state;
    if (LDBL_MANT_DIG < 64) {
        skip();
    }
    for (uint64_t seed = 1; seed <= CASES; seed++) {
        sample s = {.seed = seed};
        support_random random = {seed};
        fields_make(&random, &s.in[0], true);
        fields_make(&random, &s.t[0], false);
        fields_change(&random, &s.in[0], &s.in[1], true);
        fields_change(&random, &s.t[0], &s.t[1], false);
        if (sample_check(&s) != NULL) {
            sample_fail(&s);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_changes_come_out_as_the_reference_says),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
