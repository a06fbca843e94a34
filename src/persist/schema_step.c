/* Running the steps of a plan on a column of values.
 *
 * Values are gone through in blocks that stay in the cache, step by step, and within a step value
 * by value. Loops over arrays of structs nest no deeper than types do, so their stack has a fixed
 * size. Costs what is written; no memory. One thread at a time for a plan that may clamp. */
#include "persist/schema_step.h"

#include "base/error.h"
#include "persist/schema_block.h"
#include "persist/schema_number.h"

#include <string.h>

/* Bytes of values of one block, about. */
#define BLOCK_BYTES 16384u

/* Where a step is run: values at both ends, and how far apart they are. */
typedef struct place {
    const uint8_t *from;
    uint8_t *to;
    size_t from_stride;
    size_t to_stride;
    int32_t count;
} place;

/* A loop under way. */
typedef struct loop {
    uint32_t step;
    uint32_t left; /* elements after this one */
} loop;

bool stoa__step_machine_is_little(void) {
    const uint16_t one = 1;
    uint8_t first;
    memcpy(&first, &one, 1);
    return first == 1;
}

static void bytes_reverse(uint8_t *to, const uint8_t *from, uint32_t size) {
    for (uint32_t i = 0; i < size; i++) {
        to[i] = from[size - 1 - i];
    }
}

/* A copy of a fixed size for each value, so that the compiler can make it a load and a store. */
#define COPY_OF(size)                                                                              \
    for (int32_t i = 0; i < p->count; i++) {                                                       \
        memcpy(to, from, (size));                                                                  \
        to += p->to_stride;                                                                        \
        from += p->from_stride;                                                                    \
    }                                                                                              \
    break

static void step_copy(const stoa__step *step, const place *p) {
    uint8_t *to = p->to + step->to;
    const uint8_t *from = p->from + step->from;
    switch (step->count) {
    case 1:
        COPY_OF(1);
    case 2:
        COPY_OF(2);
    case 4:
        COPY_OF(4);
    case 5:
        COPY_OF(5);
    case 6:
        COPY_OF(6);
    case 8:
        COPY_OF(8);
    case 12:
        COPY_OF(12);
    case 16:
        COPY_OF(16);
    case 20:
        COPY_OF(20);
    case 24:
        COPY_OF(24);
    case 32:
        COPY_OF(32);
    default:
        COPY_OF(step->count);
    }
}

static void step_swap(const stoa__step *step, const place *p) {
    for (int32_t i = 0; i < p->count; i++) {
        const uint8_t *from = p->from + (size_t)i * p->from_stride + step->from;
        uint8_t *to = p->to + (size_t)i * p->to_stride + step->to;
        for (uint32_t k = 0; k < step->count; k++) {
            size_t at = (size_t)k * step->from_size;
            bytes_reverse(to + at, from + at, step->from_size);
        }
    }
}

static void step_zero(const stoa__step *step, const place *p) {
    for (int32_t i = 0; i < p->count; i++) {
        memset(p->to + (size_t)i * p->to_stride + step->to, 0, step->count);
    }
}

static void step_bool(const stoa__step *step, const place *p) {
    for (int32_t i = 0; i < p->count; i++) {
        uint8_t *to = p->to + (size_t)i * p->to_stride + step->to;
        for (uint32_t k = 0; k < step->count; k++) {
            to[k] = to[k] != 0;
        }
    }
}

/* Fails for a value that does not fit, or counts it. */
static stoa_status value_lost(stoa__route *plan, stoa__step *step, const char *value,
                              const char *why) {
    step->losses++;
    if (plan->options.loss == STOA_LOSS_CLAMP) {
        return STOA_OK;
    }
    return stoa__error(STOA_REFUSED, "component '%s', member '%s': %s %s", plan->component,
                       plan->names + step->name, value, why);
}

static stoa_status number_lost(stoa__route *plan, stoa__step *step, stoa__wide number) {
    static const char *const whys[] = {[STOA_KIND_BOOL] = "does not fit a bool",
                                       [STOA_KIND_CHAR] = "does not fit a char",
                                       [STOA_KIND_I8] = "does not fit 8 bits",
                                       [STOA_KIND_I16] = "does not fit 16 bits",
                                       [STOA_KIND_I32] = "does not fit 32 bits",
                                       [STOA_KIND_I64] = "does not fit 64 bits",
                                       [STOA_KIND_U8] = "does not fit 8 bits without a sign",
                                       [STOA_KIND_U16] = "does not fit 16 bits without a sign",
                                       [STOA_KIND_U32] = "does not fit 32 bits without a sign",
                                       [STOA_KIND_U64] = "does not fit 64 bits without a sign",
                                       [STOA_KIND_F32] = "does not fit a float",
                                       [STOA_KIND_F64] = "does not fit a double"};
    char text[64];
    stoa__writer out = stoa__writer_new(text, sizeof text);
    stoa__wide_print((stoa_kind)step->from_kind, number, &out);
    return value_lost(plan, step, text, whys[step->to_kind]);
}

static stoa__wide number_read(const stoa__step *step, const uint8_t *from) {
    uint8_t bytes[8];
    if (step->swaps) {
        bytes_reverse(bytes, from, step->from_size);
        from = bytes;
    }
    return stoa__wide_read((stoa_kind)step->from_kind, from);
}

/* Converts a row of numbers one by one. */
static stoa_status row_convert(stoa__route *plan, stoa__step *step, stoa__block_from from,
                               stoa__block_to to, int32_t count) {
    for (int32_t i = 0; i < count; i++) {
        stoa__wide number = number_read(step, from.at + (size_t)i * from.stride);
        if (!stoa__wide_write(to.kind, number, to.at + (size_t)i * to.stride)) {
            stoa_status status = number_lost(plan, step, number);
            if (status != STOA_OK) {
                return status;
            }
        }
    }
    return STOA_OK;
}

/* Converts a row of numbers, as many at once as can be. */
static stoa_status row_run(stoa__route *plan, stoa__step *step, stoa__block_from from,
                           stoa__block_to to, int32_t count) {
    stoa_status status = STOA_OK;
    while (count > 0 && status == STOA_OK) {
        int32_t part = count < STOA__BLOCK_COUNT ? count : STOA__BLOCK_COUNT;
        if (step->swaps || !stoa__block_convert(from, to, part)) {
            status = row_convert(plan, step, from, to, part);
        }
        from.at += (size_t)part * from.stride;
        to.at += (size_t)part * to.stride;
        count -= part;
    }
    return status;
}

/* Rows run along the values, or along the arrays in them, whichever is longer. */
static stoa_status step_number(stoa__route *plan, stoa__step *step, const place *p) {
    bool along = (uint32_t)p->count >= step->count;
    stoa__block_from from = {p->from + step->from, along ? p->from_stride : step->from_size,
                             (stoa_kind)step->from_kind};
    stoa__block_to to = {p->to + step->to, along ? p->to_stride : step->to_size,
                         (stoa_kind)step->to_kind};
    uint32_t rows = along ? step->count : (uint32_t)p->count;
    int32_t length = along ? p->count : (int32_t)step->count;
    stoa_status status = STOA_OK;
    for (uint32_t i = 0; i < rows && status == STOA_OK; i++) {
        status = row_run(plan, step, from, to, length);
        from.at += along ? step->from_size : p->from_stride;
        to.at += along ? step->to_size : p->to_stride;
    }
    return status;
}

/* The pair of a number; NULL if the enum had no name for it. */
static const stoa__enum_pair *pair_find(const stoa__route *plan, const stoa__step *step,
                                        stoa__wide number) {
    uint32_t low = step->pair, high = step->pair + step->pair_count;
    if (number.magnitude > INT64_MAX) {
        return NULL;
    }
    int64_t value = number.negative ? -(int64_t)number.magnitude : (int64_t)number.magnitude;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (plan->pairs[middle].from < value) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    bool found = low < step->pair + step->pair_count && plan->pairs[low].from == value;
    return found && plan->pairs[low].known ? &plan->pairs[low] : NULL;
}

/* A value without a counterpart leaves what was filled in before: the default. */
static stoa_status step_enum(stoa__route *plan, stoa__step *step, const place *p) {
    for (int32_t i = 0; i < p->count; i++) {
        const uint8_t *from = p->from + (size_t)i * p->from_stride + step->from;
        uint8_t *to = p->to + (size_t)i * p->to_stride + step->to;
        for (uint32_t k = 0; k < step->count; k++) {
            stoa__wide number = number_read(step, from + (size_t)k * step->from_size);
            const stoa__enum_pair *pair = pair_find(plan, step, number);
            if (pair != NULL) {
                stoa__wide_write((stoa_kind)step->to_kind, stoa__wide_of(pair->to),
                                 to + (size_t)k * step->to_size);
                continue;
            }
            char text[64];
            stoa__writer out = stoa__writer_new(text, sizeof text);
            stoa__wide_print((stoa_kind)step->from_kind, number, &out);
            stoa_status status =
                value_lost(plan, step, text, "has no name that the enum still knows");
            if (status != STOA_OK) {
                return status;
            }
        }
    }
    return STOA_OK;
}

static stoa_status step_text(stoa__route *plan, stoa__step *step, const place *p) {
    for (int32_t i = 0; i < p->count; i++) {
        const uint8_t *from = p->from + (size_t)i * p->from_stride + step->from;
        uint8_t *to = p->to + (size_t)i * p->to_stride + step->to;
        const uint8_t *end = memchr(from, 0, step->from_size);
        uint32_t length = end != NULL ? (uint32_t)(end - from) : step->from_size;
        if (length < step->count) {
            memcpy(to, from, step->count);
            continue;
        }
        char text[64];
        stoa__writer out = stoa__writer_new(text, sizeof text);
        stoa__writer_quoted(&out, '"', (const char *)from, length < 40 ? length : 40);
        stoa_status status = value_lost(plan, step, text, "is too long a text");
        if (status != STOA_OK) {
            return status;
        }
        /* Cut where a character begins, with a zero at the end. */
        uint32_t keep = step->count - 1;
        while (keep > 0 && (from[keep] & 0xC0) == 0x80) {
            keep--;
        }
        memcpy(to, from, keep);
        memset(to + keep, 0, step->count - keep);
    }
    return STOA_OK;
}

static stoa_status step_drop(stoa__route *plan, stoa__step *step, const place *p) {
    for (int32_t i = 0; i < p->count; i++) {
        const uint8_t *from = p->from + (size_t)i * p->from_stride + step->from;
        uint32_t k = 0;
        while (k < step->count && from[k] == 0) {
            k++;
        }
        if (k < step->count) {
            stoa_status status =
                value_lost(plan, step, "an element", "that is not zero is dropped");
            if (status != STOA_OK) {
                return status;
            }
        }
    }
    return STOA_OK;
}

static stoa_status step_run(stoa__route *plan, stoa__step *step, const place *p) {
    switch ((stoa__op)step->op) {
    case STOA__OP_COPY:
        step_copy(step, p);
        break;
    case STOA__OP_SWAP:
        step_swap(step, p);
        break;
    case STOA__OP_ZERO:
        step_zero(step, p);
        break;
    case STOA__OP_BOOL:
        step_bool(step, p);
        break;
    case STOA__OP_NUMBER:
        return step_number(plan, step, p);
    case STOA__OP_ENUM:
        return step_enum(plan, step, p);
    case STOA__OP_TEXT:
        return step_text(plan, step, p);
    case STOA__OP_DROP:
        return step_drop(plan, step, p);
    case STOA__OP_LOOP:
    case STOA__OP_END:
        break;
    }
    return STOA_OK;
}

/* Goes into a loop, on to its next element, or out of it; returns the step before the next. */
static uint32_t loop_turn(const stoa__route *plan, uint32_t at, place *p, loop *loops,
                          uint32_t *depth) {
    if (plan->steps[at].op == STOA__OP_LOOP) {
        loops[(*depth)++] = (loop){at, plan->steps[at].count - 1};
        p->from += plan->steps[at].from;
        p->to += plan->steps[at].to;
        return at;
    }
    loop *inner = &loops[*depth - 1];
    const stoa__step *step = &plan->steps[inner->step];
    if (inner->left > 0) {
        inner->left--;
        p->from += step->from_size;
        p->to += step->to_size;
        return inner->step;
    }
    p->from -= step->from + (size_t)step->from_size * (step->count - 1);
    p->to -= step->to + (size_t)step->to_size * (step->count - 1);
    (*depth)--;
    return at;
}

/* Runs all steps, or only those of one operation, for one block. */
static stoa_status steps_run(stoa__route *plan, place p, bool only_bools) {
    loop loops[STOA_NEST_MAX + 1] = {0};
    uint32_t depth = 0;
    for (uint32_t i = 0; i < plan->step_count; i++) {
        stoa__step *step = &plan->steps[i];
        if (step->op == STOA__OP_LOOP || step->op == STOA__OP_END) {
            i = loop_turn(plan, i, &p, loops, &depth);
        } else if (!only_bools || step->op == STOA__OP_BOOL) {
            stoa_status status = step_run(plan, step, &p);
            if (status != STOA_OK) {
                return status;
            }
        }
    }
    return STOA_OK;
}

static int32_t block_count(const stoa__route *plan, int32_t count) {
    uint32_t size = plan->from_size > plan->to_size ? plan->from_size : plan->to_size;
    int32_t fits = (int32_t)(BLOCK_BYTES / (size > 0 ? size : 1));
    fits = fits > 0 ? fits : 1;
    return fits < count ? fits : count;
}

/* What members have that no step writes, and padding. */
static void block_fill(const stoa__route *plan, uint8_t *to, int32_t count) {
    if (plan->defaults == NULL) {
        memset(to, 0, (size_t)plan->to_size * (size_t)count);
        return;
    }
    for (int32_t i = 0; i < count; i++) {
        memcpy(to + (size_t)i * plan->to_size, plan->defaults, plan->to_size);
    }
}

stoa_status stoa__route_apply(stoa__route *plan, const void *from, void *to, int32_t count) {
    /* Of a tag there is nothing to read or write. */
    uint8_t nothing = 0;
    place p = {from != NULL ? from : &nothing, to != NULL ? to : &nothing, plan->from_size,
               plan->to_size, 0};
    if ((from == NULL && plan->from_size > 0) || (to == NULL && plan->to_size > 0)) {
        return stoa__error(STOA_NULL_ARGUMENT, "values of component '%s' need a place",
                           plan->component);
    }
    if (plan->way == STOA__WAY_FUNCTIONS) {
        return stoa__error(STOA_INVALID, "component '%s' is loaded by its functions",
                           plan->component);
    }
    if (plan->copy) {
        if (count > 0 && plan->to_size > 0) {
            memcpy(p.to, p.from, (size_t)plan->to_size * (size_t)count);
        }
        stoa__route_settle(plan, p.to, count);
        return STOA_OK;
    }
    while (count > 0) {
        p.count = block_count(plan, count);
        if (plan->fills && plan->to_size > 0) {
            block_fill(plan, p.to, p.count);
        }
        stoa_status status = steps_run(plan, p, false);
        if (status != STOA_OK) {
            return status;
        }
        p.from += p.from_stride * (size_t)p.count;
        p.to += p.to_stride * (size_t)p.count;
        count -= p.count;
    }
    return STOA_OK;
}

void stoa__route_settle(const stoa__route *plan, void *items, int32_t count) {
    if (plan->settles && items != NULL && count > 0) {
        place p = {items, items, plan->from_size, plan->to_size, count};
        steps_run((stoa__route *)(uintptr_t)plan, p, true);
    }
}
