/* Values as text, by the members of their types.
 *
 * A type inside of another is registered before it, and only so many may be inside of each other:
 * going down needs little stack. Members are read byte by byte, since packed types leave them
 * unaligned. Nothing that differs from run to run is written: no addresses. Costs what is written;
 * no memory; any thread that may read the value. */
#include "model/print.h"

#include "base/decimal.h"
#include "base/number.h"

#include <inttypes.h>
#include <string.h>

typedef struct printing {
    const stoa_world *world;
    stoa__writer *out;
} printing;

static void integer_print(stoa__writer *out, const uint8_t *item, uint32_t size, bool is_signed) {
    uint64_t number = stoa__number_read(item, size);
    if (is_signed) {
        stoa__writer_format(out, "%" PRId64, stoa__number_signed(number, size));
    } else {
        stoa__writer_format(out, "%" PRIu64, number);
    }
}

/* An enum by the first name of its value; by the number if it has none, with a sign if any named
 * value has one. */
static void enum_print(stoa__writer *out, const stoa_enum_value *values, int32_t count,
                       const uint8_t *item, uint32_t size) {
    uint64_t number = stoa__number_read(item, size);
    uint64_t mask = UINT64_MAX >> (64 - size * 8);
    bool is_signed = false;
    for (int32_t i = 0; i < count; i++) {
        if (((uint64_t)values[i].value & mask) == number) {
            stoa__writer_put(out, values[i].name);
            return;
        }
        is_signed = is_signed || values[i].value < 0;
    }
    integer_print(out, item, size, is_signed);
}

static void entity_print(stoa__writer *out, const uint8_t *item) {
    char text[STOA_ENTITY_TEXT_SIZE];
    stoa_entity e;
    memcpy(&e, item, sizeof e);
    stoa__writer_put(out,
                     stoa_entity_is_null(e) ? "null" : stoa_entity_print(e, text, sizeof text));
}

static void string_print(stoa__writer *out, const uint8_t *item) {
    const char *text;
    memcpy(&text, item, sizeof text);
    if (text != NULL) {
        stoa__writer_quoted(out, '"', text, strlen(text));
    } else {
        stoa__writer_put(out, "null");
    }
}

static void pointer_print(stoa__writer *out, const uint8_t *item) {
    void *pointer;
    memcpy(&pointer, item, sizeof pointer);
    stoa__writer_put(out, pointer != NULL ? "<pointer>" : "null");
}

static void float_print(stoa__writer *out, const uint8_t *item, uint32_t size) {
    if (size == sizeof(float)) {
        float number;
        memcpy(&number, item, sizeof number);
        stoa__writer_f32(out, number);
    } else {
        double number;
        memcpy(&number, item, sizeof number);
        stoa__writer_f64(out, number);
    }
}

/* What is inside of a value whose type has no members; it may point anywhere if it has hooks. */
static void bytes_print(stoa__writer *out, const stoa_component_info *info, const uint8_t *item) {
    if (!info->plain) {
        stoa__writer_format(out, "<opaque %" PRIu32 " bytes>", info->size);
        return;
    }
    for (uint32_t i = 0; i < info->size; i++) {
        stoa__writer_format(out, "%c%02x", i == 0 ? '<' : ' ', item[i]);
    }
    stoa__writer_put(out, ">");
}

static void value_print(printing *p, stoa_component id, const uint8_t *item);

static void element_print(printing *p, const stoa_member *m, const uint8_t *item) {
    switch (m->kind) {
    case STOA_KIND_BOOL:
        stoa__writer_put(p->out, *item != 0 ? "true" : "false");
        break;
    case STOA_KIND_CHAR:
        stoa__writer_quoted(p->out, '\'', (const char *)item, 1);
        break;
    case STOA_KIND_F32:
    case STOA_KIND_F64:
        float_print(p->out, item, m->size);
        break;
    case STOA_KIND_ENTITY:
        entity_print(p->out, item);
        break;
    case STOA_KIND_STRING:
        string_print(p->out, item);
        break;
    case STOA_KIND_POINTER:
        pointer_print(p->out, item);
        break;
    case STOA_KIND_ENUM:
    case STOA_KIND_STRUCT:
        if (m->type != 0) {
            value_print(p, m->type, item);
            break;
        }
        integer_print(p->out, item, m->size, true);
        break;
    default:
        integer_print(p->out, item, m->size, m->kind < STOA_KIND_U8);
    }
}

static void member_print(printing *p, const stoa_member *m, const uint8_t *item) {
    if (!m->array) {
        element_print(p, m, item);
    } else if (m->kind == STOA_KIND_CHAR) {
        const uint8_t *end = memchr(item, 0, m->count);
        size_t length = end != NULL ? (size_t)(end - item) : m->count;
        stoa__writer_quoted(p->out, '"', (const char *)item, length);
    } else {
        for (uint32_t i = 0; i < m->count; i++, item += m->size) {
            stoa__writer_put(p->out, i == 0 ? "[" : ", ");
            element_print(p, m, item);
        }
        stoa__writer_put(p->out, "]");
    }
}

static void members_print(printing *p, const stoa_component_info *info, const uint8_t *item) {
    for (int32_t i = 0; i < info->member_count; i++) {
        const stoa_member *m = &info->members[i];
        stoa__writer_put(p->out, i == 0 ? "{" : ", ");
        stoa__writer_put(p->out, m->name);
        stoa__writer_put(p->out, ": ");
        member_print(p, m, item + m->offset);
    }
    stoa__writer_put(p->out, "}");
}

static void value_print(printing *p, stoa_component id, const uint8_t *item) {
    stoa_component_info info;
    if (stoa_component_info_get(p->world, id, &info) != STOA_OK) {
        return;
    }
    const stoa__printer *printer = stoa__printer_find(p->world, id);
    bool aligned = (uintptr_t)item % info.alignment == 0;
    if (printer != NULL && aligned && stoa__printer_call(printer, p->world, item, p->out)) {
        return;
    }
    int32_t count;
    const stoa_enum_value *values = stoa_component_enum(p->world, id, &count);
    if (values != NULL) {
        enum_print(p->out, values, count, item, info.size);
    } else if (info.member_count > 0) {
        members_print(p, &info, item);
    } else {
        bytes_print(p->out, &info, item);
    }
}

void stoa__print_value(const stoa_world *world, stoa_component id, const void *value,
                       stoa__writer *out) {
    printing p = {world, out};
    value_print(&p, id, value);
}
