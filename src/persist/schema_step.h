/* The steps of a plan.
 *
 * Steps are run one after the other, each for all values at hand. They are relative to the value,
 * or, between a loop and its end, to an element of an array of structs. */
#ifndef STOA_PERSIST_SCHEMA_STEP_H
#define STOA_PERSIST_SCHEMA_STEP_H

#include "persist/schema.h"

typedef enum stoa__op {
    STOA__OP_COPY,   /* `count` bytes */
    STOA__OP_SWAP,   /* `count` numbers of `from_size` bytes, with their bytes in reverse */
    STOA__OP_ZERO,   /* `count` bytes become 0 */
    STOA__OP_BOOL,   /* `count` bytes that were copied become 0 or 1 */
    STOA__OP_NUMBER, /* `count` numbers of another kind */
    STOA__OP_ENUM,   /* `count` numbers that go by pairs */
    STOA__OP_TEXT,   /* a text of `from_size` bytes becomes one of `count`, which are fewer */
    STOA__OP_DROP,   /* `count` bytes that go nowhere: a loss if any is not 0 */
    STOA__OP_LOOP,   /* what follows is for `count` elements */
    STOA__OP_END     /* of a loop */
} stoa__op;

/* What becomes of one value of an enum; pairs are sorted by `from`. */
struct stoa__enum_pair {
    int64_t from;
    int64_t to;
    bool known; /* false: there is no such value any more */
};

struct stoa__step {
    uint8_t op;        /* of stoa__op */
    uint8_t from_kind; /* of numbers */
    uint8_t to_kind;
    bool swaps;    /* numbers come with their bytes in reverse */
    uint32_t from; /* offsets */
    uint32_t to;
    uint32_t count;
    uint32_t from_size; /* of an element */
    uint32_t to_size;
    uint32_t name; /* of the member, in the plan's names */
    uint32_t pair; /* the first of the plan's pairs */
    uint32_t pair_count;
    uint64_t losses; /* values that were clamped */
};

/* True if the least byte of a number comes first on this machine. */
bool stoa__step_machine_is_little(void);

#endif
