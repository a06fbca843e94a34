/* Plans under way: from two types to a list of steps. */
#ifndef STOA_PERSIST_SCHEMA_COMPILE_H
#define STOA_PERSIST_SCHEMA_COMPILE_H

#include "persist/schema.h"
#include "persist/schema_step.h"

/* Where the pairs of an enum are in the plan. */
typedef struct stoa__compile_enum {
    int32_t to_type; /* the enum that they lead to, plus 1; 0: not made yet */
    uint32_t pair;
    uint32_t pair_count;
} stoa__compile_enum;

typedef struct stoa__compiler {
    stoa__route *plan;
    const stoa_world *world;
    const stoa__schema *from_schema;
    const stoa__schema *to_schema;
    stoa__compile_enum *enums; /* by types of `from_schema`; NULL until the first is needed */
    stoa_status status;        /* of the first that failed; nothing is done after it */
    bool swaps;                /* numbers come with their bytes in reverse, or go so */
    uint32_t copy;             /* the last copy that may be extended, plus 1; 0: none */
    stoa__writer path;         /* the member at hand */
    char path_text[256];
} stoa__compiler;

/* A loop that is being written. */
typedef struct stoa__compile_loop {
    uint32_t at;
    uint32_t copy; /* of the compiler, before it */
} stoa__compile_loop;

/* Adds a step; those that may fail are given the name of the member at hand. */
void stoa__compile_step(stoa__compiler *c, const stoa__step *step);

/* Copies bytes, joined to the copy before if they follow it at both ends. */
void stoa__compile_copy(stoa__compiler *c, uint32_t from, uint32_t to, uint32_t size);

/* Copies numbers of a kind, with their bytes turned if need be. */
void stoa__compile_same(stoa__compiler *c, stoa_kind kind, uint32_t from, uint32_t to,
                        uint32_t size, uint32_t count);

/* Makes bytes that were copied 0 or 1. */
void stoa__compile_bool(stoa__compiler *c, uint32_t to, uint32_t count);

/* What is added until the end is for each of `count` elements. What copies whole elements becomes
 * one copy; a loop of nothing goes. */
stoa__compile_loop stoa__compile_loop_begin(stoa__compiler *c, const stoa__step *step);
void stoa__compile_loop_end(stoa__compiler *c, stoa__compile_loop loop);

/* Goes into a member, and out of it again with what that returned. */
size_t stoa__compile_enter(stoa__compiler *c, const char *member);
void stoa__compile_leave(stoa__compiler *c, size_t path);

/* Notes a difference at the member at hand and tells of it. */
void stoa__compile_notice(stoa__compiler *c, stoa_notice_kind kind, const char *format, ...)
    STOA_PRINTF(3, 4);

/* Fails at the member at hand, with STOA_LAYOUT. */
void stoa__compile_refuse(stoa__compiler *c, const char *format, ...) STOA_PRINTF(2, 3);

/* Brings a value of one type to another, both at an offset. */
void stoa__compile_value(stoa__compiler *c, int32_t from_type, int32_t to_type, uint32_t from,
                         uint32_t to);

/* Brings a number, or an array of them, to a member of another kind; `count` elements. */
void stoa__compile_number(stoa__compiler *c, const stoa__schema_field *from_field,
                          const stoa__schema_field *to_field, uint32_t from, uint32_t to,
                          uint32_t count);

/* Frees what only the compiler needs. */
void stoa__compile_fini(stoa__compiler *c);

#endif
