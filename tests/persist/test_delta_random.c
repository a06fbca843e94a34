/* Random edits of random bytes: whatever was done, the delta gives the very bytes, and is never
 * larger than the target by more than its header. */
#include "persist/delta_fixture.h"
#include "support/trace.h"

enum { BASE_MAX = 6000, TARGET_MAX = 9000, STEPS_MAX = 30 };

/* An edit of the target, which starts as the base. Numbers are taken modulo what there is. */
typedef struct step {
    enum { OVERWRITE, INSERT, REMOVE, COPY, FILL, FLIP, EDITS } edit;
    uint32_t at;
    uint32_t from;
    uint32_t size;
} step;

static step steps[STEPS_MAX];

static void trace_make(support_trace *t) {
    support_random random = {t->seed};
    t->count = support_random_below(&random, STEPS_MAX + 1);
    for (uint32_t i = 0; i < t->count; i++) {
        uint32_t most = support_random_below(&random, 3) == 0 ? 1500 : 70;
        step *s = t->steps;
        s[i] = (step){.edit = support_random_below(&random, EDITS),
                      .at = support_random_next(&random),
                      .from = support_random_next(&random),
                      .size = support_random_below(&random, most)};
    }
}

/* The base of a seed: noise, few letters, rows that are alike, or next to nothing. */
static size_t base_make(uint64_t seed, uint8_t *base) {
    support_random random = {seed * 31 + 7};
    uint32_t kind = support_random_below(&random, 4);
    size_t size = support_random_below(&random, kind == 3 ? 80 : BASE_MAX);
    for (size_t i = 0; i < size; i++) {
        base[i] = (uint8_t)support_random_below(&random, kind == 1 ? 3 : 256);
        base[i] = kind == 2 && i % 20 > 3 ? (uint8_t)(i % 20) : base[i];
    }
    return size;
}

static size_t edit_do(const step *s, uint8_t *target, size_t size) {
    size_t at = size > 0 ? s->at % (size + 1) : 0;
    size_t from = size > 0 ? s->from % size : 0;
    size_t inside = s->size < size - at ? s->size : size - at;
    size_t more = s->size < TARGET_MAX - size ? s->size : TARGET_MAX - size;
    more = s->edit == COPY && more > size - from ? size - from : more;
    if (s->edit == REMOVE) {
        memmove(target + at, target + at + inside, size - at - inside);
        return size - inside;
    }
    if (s->edit == INSERT || s->edit == COPY) {
        uint8_t piece[1500];
        for (size_t i = 0; i < more; i++) {
            piece[i] = s->edit == COPY ? target[from + i] : (uint8_t)(s->from * (i + 1) >> 7);
        }
        memmove(target + at + more, target + at, size - at);
        memcpy(target + at, piece, more);
        return size + more;
    }
    for (size_t i = 0; i < inside; i++) {
        target[at + i] = s->edit == FILL   ? 0
                         : s->edit == FLIP ? (uint8_t)(target[at + i] ^ (i == 0))
                                           : (uint8_t)(s->from * (i + 3) >> 9);
    }
    return size;
}

static const char *delta_check(delta_pair *p, const uint8_t *base, size_t base_size,
                               const uint8_t *target, size_t target_size) {
    p->delta.size = 0;
    p->target.size = 0;
    if (stoa_delta_make(base, base_size, target, target_size, &p->delta) != STOA_OK ||
        stoa_delta_apply(base, base_size, p->delta.data, p->delta.size, 0, &p->target) != STOA_OK) {
        return stoa_last_error().message;
    }
    if (p->target.size != target_size || memcmp(p->target.data, target, target_size) != 0) {
        return "another target came out";
    }
    if (p->delta.size > STOA__DELTA_HEADER + target_size + STOA__DELTA_NUMBER_MAX) {
        return "the delta is larger than the target";
    }
    stoa_blob again = {.allocator = &p->allocator};
    stoa_status status = stoa_delta_make(base, base_size, target, target_size, &again);
    bool same = status == STOA_OK && again.size == p->delta.size &&
                memcmp(again.data, p->delta.data, again.size) == 0;
    stoa_blob_free(&again);
    return same ? NULL : "the same bytes made another delta";
}

static const char *trace_run(const support_trace *t) {
    static uint8_t base[BASE_MAX], target[TARGET_MAX];
    size_t base_size = base_make(t->seed, base);
    size_t target_size = base_size;
    memcpy(target, base, base_size);
    const step *s = t->steps;
    for (uint32_t i = 0; i < t->count; i++) {
        target_size = edit_do(&s[i], target, target_size);
    }
    delta_pair p = {.delta = {0}};
    p.allocator = support_allocator(&p.heap);
    p.delta.allocator = &p.allocator;
    p.target.allocator = &p.allocator;
    const char *wrong = delta_check(&p, base, base_size, target, target_size);
    wrong = wrong != NULL ? wrong : delta_check(&p, target, target_size, base, base_size);
    stoa_blob_free(&p.delta);
    stoa_blob_free(&p.target);
    return wrong != NULL ? wrong : p.heap.bytes != 0 ? "memory is left" : NULL;
}

static void step_print(FILE *out, const void *at) {
    static const char *const names[EDITS] = {"overwrite", "insert", "remove",
                                             "copy",      "fill",   "flip"};
    const step *s = at;
    fprintf(out, "%s at %u from %u size %u", names[s->edit], (unsigned)s->at, (unsigned)s->from,
            (unsigned)s->size);
}

/* SNP-09 */
static void random_edits_go_round(void **state) {
    (void)state;
    support_traces_run(&(support_traces){SUPPORT_STEPS(steps), .seeds = 1500, .make = trace_make,
                                         .run = trace_run, .print = step_print});
}

int main(void) {
    const struct CMUnitTest tests[] = {support_seeds_test(random_edits_go_round)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
