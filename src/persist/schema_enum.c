/* Numbers and enums on the way to another kind.
 *
 * An enum goes by the names of its values, unless all of those mean what they meant. A value whose
 * name is gone is taken for renamed if its number has a name that is new; otherwise it is lost. The
 * pairs of an enum are made once for a plan. Sorting and searching names is quadratic in the values
 * of enums, of which there are few. One thread at a time. */
#include "persist/schema_compile.h"

#include "base/error.h"
#include "persist/schema_number.h"

#include <string.h>

static const stoa_enum_value *value_find(const stoa__schema_type *type, const char *name) {
    for (int32_t i = 0; i < type->value_count; i++) {
        if (strcmp(type->values[i].name, name) == 0) {
            return &type->values[i];
        }
    }
    return NULL;
}

/* The integer kind of an enum: with a sign if a value has one, or none is known. */
static stoa_kind enum_kind(const stoa__schema *schema, const stoa__schema_field *field) {
    if (field->kind != STOA_KIND_ENUM) {
        return field->kind;
    }
    bool is_signed = field->type < 0;
    for (int32_t i = 0; field->type >= 0 && i < schema->types[field->type].value_count; i++) {
        is_signed = is_signed || schema->types[field->type].values[i].value < 0;
    }
    return stoa__wide_integer(field->size, is_signed);
}

/* True if every value of the one means the same in the other. */
static bool values_same(const stoa__schema_type *from, const stoa__schema_type *to) {
    for (int32_t i = 0; i < from->value_count; i++) {
        const stoa_enum_value *value = value_find(to, from->values[i].name);
        if (value == NULL || value->value != from->values[i].value) {
            return false;
        }
    }
    return true;
}

/* What a value is now, by its name; or, if that is gone and the number has a new one, by number. */
static stoa__enum_pair pair_of(const stoa__schema_type *from, const stoa__schema_type *to,
                               const stoa_enum_value *value) {
    const stoa_enum_value *same = value_find(to, value->name);
    for (int32_t i = 0; same == NULL && i < to->value_count; i++) {
        bool renamed =
            to->values[i].value == value->value && value_find(from, to->values[i].name) == NULL;
        same = renamed ? &to->values[i] : NULL;
    }
    return (stoa__enum_pair){value->value, same != NULL ? same->value : 0, same != NULL};
}

/* Puts a pair in its place; of two names for one number the first that is known counts. */
static void pair_insert(stoa__route *plan, uint32_t first, stoa__enum_pair pair) {
    uint32_t at = plan->pair_count;
    while (at > first && plan->pairs[at - 1].from > pair.from) {
        at--;
    }
    if (at > first && plan->pairs[at - 1].from == pair.from) {
        if (!plan->pairs[at - 1].known) {
            plan->pairs[at - 1] = pair;
        }
        return;
    }
    memmove(plan->pairs + at + 1, plan->pairs + at, (plan->pair_count - at) * sizeof pair);
    plan->pairs[at] = pair;
    plan->pair_count++;
}

static bool pairs_make(stoa__compiler *c, int32_t from_type, int32_t to_type,
                       stoa__compile_enum *made) {
    stoa__route *plan = c->plan;
    const stoa__schema_type *from = &c->from_schema->types[from_type];
    const stoa__schema_type *to = &c->to_schema->types[to_type];
    uint32_t need = plan->pair_count + (uint32_t)from->value_count;
    if (!stoa__heap_grow(&plan->heap, &plan->pairs, &plan->pair_capacity, need,
                         sizeof *plan->pairs)) {
        return false;
    }
    uint32_t first = plan->pair_count;
    for (int32_t i = 0; i < from->value_count; i++) {
        pair_insert(plan, first, pair_of(from, to, &from->values[i]));
    }
    *made = (stoa__compile_enum){to_type + 1, first, plan->pair_count - first};
    return true;
}

static size_t enums_size(const stoa__compiler *c) {
    return (size_t)c->from_schema->type_count * sizeof(stoa__compile_enum);
}

/* The pairs from one enum to another. */
static stoa__compile_enum pairs_find(stoa__compiler *c, int32_t from_type, int32_t to_type) {
    if (c->enums == NULL) {
        c->enums = stoa__heap_zalloc(&c->plan->heap, enums_size(c), _Alignof(stoa__compile_enum));
    }
    stoa__compile_enum *made = c->enums != NULL ? &c->enums[from_type] : NULL;
    if (made == NULL ||
        (made->to_type != to_type + 1 && !pairs_make(c, from_type, to_type, made))) {
        c->status = stoa__error_memory("a plan");
        return (stoa__compile_enum){0};
    }
    return *made;
}

void stoa__compile_fini(stoa__compiler *c) {
    stoa__heap_free(&c->plan->heap, c->enums, enums_size(c), _Alignof(stoa__compile_enum));
    c->enums = NULL;
}

/* True if the bytes of the one kind are those of the other. */
static bool kinds_same(stoa_kind from, stoa_kind to) {
    bool from_byte = from == STOA_KIND_I8 || from == STOA_KIND_U8;
    bool to_byte = to == STOA_KIND_I8 || to == STOA_KIND_U8;
    return from == to || (from == STOA_KIND_CHAR && to_byte) || (to == STOA_KIND_CHAR && from_byte);
}

void stoa__compile_number(stoa__compiler *c, const stoa__schema_field *from_field,
                          const stoa__schema_field *to_field, uint32_t from, uint32_t to,
                          uint32_t count) {
    stoa__step step = {.op = STOA__OP_NUMBER,
                       .from_kind = (uint8_t)enum_kind(c->from_schema, from_field),
                       .to_kind = (uint8_t)enum_kind(c->to_schema, to_field),
                       .swaps = c->swaps && from_field->size > 1,
                       .from = from,
                       .to = to,
                       .count = count,
                       .from_size = from_field->size,
                       .to_size = to_field->size};
    bool enums = from_field->kind == STOA_KIND_ENUM && to_field->kind == STOA_KIND_ENUM &&
                 from_field->type >= 0 && to_field->type >= 0;
    if (enums && !values_same(&c->from_schema->types[from_field->type],
                              &c->to_schema->types[to_field->type])) {
        stoa__compile_enum pairs = pairs_find(c, from_field->type, to_field->type);
        step.op = STOA__OP_ENUM;
        step.pair = pairs.pair;
        step.pair_count = pairs.pair_count;
        stoa__compile_notice(c, STOA_NOTICE_CONVERTED, "goes by the names of its values");
        stoa__compile_step(c, &step);
    } else if (kinds_same((stoa_kind)step.from_kind, (stoa_kind)step.to_kind)) {
        stoa__compile_same(c, (stoa_kind)step.to_kind, from, to, to_field->size, count);
        if (step.to_kind == STOA_KIND_BOOL) {
            stoa__compile_bool(c, to, count);
        }
    } else {
        stoa__compile_step(c, &step);
    }
}
