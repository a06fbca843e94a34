/* Values as JSON, by the descriptions of their types.
 *
 * Members come in the order of the description. Types inside of types are limited in number, so
 * going down needs little stack. Members are read byte by byte, since packed types leave them
 * unaligned. Costs what is written. */
#include "base/number.h"
#include "json/json.h"
#include "json/labels.h"

#include <string.h>

stoa__json_way stoa__json_way_of(const stoa_component_info *info) {
    if ((info->flags & (STOA_TRANSIENT | STOA_MANAGED)) != 0) {
        return STOA__JSON_LEFT_OUT;
    }
    if (info->size == 0) {
        return STOA__JSON_TAG;
    }
    if (info->persist != NULL && info->persist->save != NULL && info->persist->load != NULL) {
        return STOA__JSON_FUNCTIONS;
    }
    if (info->plain && info->member_count > 0) {
        return STOA__JSON_MEMBERS;
    }
    return info->plain && (info->flags & STOA_RAW) != 0 ? STOA__JSON_BYTES : STOA__JSON_IMPOSSIBLE;
}

bool stoa__json_is_enum(const stoa_world *world, const stoa_component_info *info) {
    int32_t count;
    return info->member_count == 1 && info->members[0].kind == STOA_KIND_ENUM &&
           stoa_component_enum(world, info->id, &count) != NULL;
}

stoa_status stoa__json_writable(const stoa_component_info *info) {
    if (stoa__json_way_of(info) != STOA__JSON_IMPOSSIBLE) {
        return STOA_OK;
    }
    if (info->plain) {
        return stoa__error(STOA_REFUSED,
                           "component '%s' cannot be saved: it has no description, no functions, "
                           "and is not marked STOA_RAW",
                           info->name);
    }
    return stoa__error(STOA_REFUSED,
                       "component '%s' cannot be saved: it is not plain and has no functions",
                       info->name);
}

static void value_write(stoa__json_out *out, const stoa_component_info *info, const uint8_t *item);

static void enum_write(stoa__json_out *out, stoa_component type, const uint8_t *item,
                       uint32_t size) {
    int32_t count = 0;
    const stoa_enum_value *values =
        type != 0 ? stoa_component_enum(out->world, type, &count) : NULL;
    uint64_t number = stoa__number_read(item, size);
    uint64_t mask = UINT64_MAX >> (64 - size * 8);
    for (int32_t i = 0; i < count; i++) {
        if (((uint64_t)values[i].value & mask) == number) {
            stoa__json_out_string(out, values[i].name);
            return;
        }
    }
    stoa__json_out_signed(out, stoa__number_signed(number, size));
}

static void bytes_write(stoa__json_out *out, const uint8_t *item, uint32_t size) {
    stoa__json_encoder encoder;
    stoa_sink sink = stoa__json_encoder_open(&encoder, out);
    (void)stoa_sink_write(&sink, item, size);
    stoa__json_encoder_close(&encoder);
}

static void struct_write(stoa__json_out *out, stoa_component type, const uint8_t *item) {
    stoa_component_info info;
    if (stoa_component_info_get(out->world, type, &info) != STOA_OK) {
        stoa__json_out_fail(out, STOA_UNKNOWN);
    } else if (info.member_count == 0 && info.size > 0) {
        bytes_write(out, item, info.size);
    } else {
        value_write(out, &info, item);
    }
}

static void char_write(stoa__json_out *out, uint8_t byte) {
    if (byte > 0 && byte < 0x80) {
        stoa__json_out_text(out, (const char *)&byte, 1);
    } else {
        stoa__json_out_unsigned(out, byte);
    }
}

static void element_write(stoa__json_out *out, const stoa_member *m, const uint8_t *item) {
    uint64_t bits;
    float single;
    double number;
    stoa_entity e;
    switch (m->kind) {
    case STOA_KIND_BOOL:
        stoa__json_out_put(out, *item != 0 ? "true" : "false");
        break;
    case STOA_KIND_CHAR:
        char_write(out, *item);
        break;
    case STOA_KIND_F32:
        memcpy(&single, item, sizeof single);
        stoa__json_out_f32(out, single);
        break;
    case STOA_KIND_F64:
        memcpy(&number, item, sizeof number);
        stoa__json_out_f64(out, number);
        break;
    case STOA_KIND_ENTITY:
        memcpy(&e, item, sizeof e);
        stoa__json_out_entity(out, e);
        break;
    case STOA_KIND_ENUM:
        enum_write(out, m->type, item, m->size);
        break;
    case STOA_KIND_STRUCT:
        struct_write(out, m->type, item);
        break;
    default:
        bits = stoa__number_read(item, m->size);
        if (m->kind < STOA_KIND_U8) {
            stoa__json_out_signed(out, stoa__number_signed(bits, m->size));
        } else {
            stoa__json_out_unsigned(out, bits);
        }
    }
}

/* Text up to the zeros at the end, if it is one; else the bytes as numbers. */
static void chars_write(stoa__json_out *out, const uint8_t *item, uint32_t count) {
    while (count > 0 && item[count - 1] == 0) {
        count--;
    }
    if (memchr(item, 0, count) == NULL && stoa__json_is_utf8((const char *)item, count)) {
        stoa__json_out_text(out, (const char *)item, count);
        return;
    }
    stoa__json_out_open(out, '[', false);
    for (uint32_t i = 0; i < count; i++) {
        stoa__json_out_item(out);
        stoa__json_out_unsigned(out, item[i]);
    }
    stoa__json_out_close(out, ']');
}

static void member_write(stoa__json_out *out, const stoa_member *m, const uint8_t *item) {
    if (!m->array) {
        element_write(out, m, item);
    } else if (m->kind == STOA_KIND_CHAR) {
        chars_write(out, item, m->count);
    } else {
        stoa__json_out_open(out, '[', false);
        for (uint32_t i = 0; i < m->count; i++, item += m->size) {
            stoa__json_out_item(out);
            element_write(out, m, item);
        }
        stoa__json_out_close(out, ']');
    }
}

static void value_write(stoa__json_out *out, const stoa_component_info *info, const uint8_t *item) {
    if (stoa__json_is_enum(out->world, info)) {
        enum_write(out, info->id, item, info->size);
        return;
    }
    stoa__json_out_open(out, '{', false);
    for (int32_t i = 0; i < info->member_count; i++) {
        const stoa_member *m = &info->members[i];
        stoa__json_out_key(out, m->name);
        member_write(out, m, item + m->offset);
    }
    stoa__json_out_close(out, '}');
}

static void functions_write(stoa__json_out *out, const stoa_component_info *info,
                            const void *value) {
    stoa__json_encoder encoder;
    stoa_sink sink = stoa__json_encoder_open(&encoder, out);
    uint32_t errors = stoa__error_count();
    stoa_status status = info->persist->save(&sink, value, 1, info->persist->user);
    stoa__json_encoder_close(&encoder);
    if (status != STOA_OK && out->status == STOA_OK) {
        if (errors == stoa__error_count()) {
            stoa__error(status, "the function that saves component '%s' failed", info->name);
        }
        stoa__json_out_fail(out, status);
    }
}

void stoa__json_write_value(stoa__json_out *out, const stoa_component_info *info,
                            const void *value) {
    switch (stoa__json_way_of(info)) {
    case STOA__JSON_TAG:
        stoa__json_out_put(out, "true");
        break;
    case STOA__JSON_MEMBERS:
        value_write(out, info, value);
        break;
    case STOA__JSON_FUNCTIONS:
        functions_write(out, info, value);
        break;
    case STOA__JSON_BYTES:
        bytes_write(out, value, info->size);
        break;
    default:
        stoa__json_out_fail(out, stoa__json_writable(info));
    }
}

void stoa__json_out_component_name(stoa__json_out *out, const char *name) {
    if (!stoa__json_is_utf8(name, strlen(name))) {
        stoa__json_out_fail(out, stoa__error(STOA_INVALID, "the name '%.64s' is no UTF-8", name));
        return;
    }
    bool marked = name[0] == ':' || stoa__json_part_of(name) != 0;
    stoa__json_out_bytes(out, "\":", marked ? 2 : 1);
    stoa__json_out_escaped(out, name);
    stoa__json_out_bytes(out, "\"", 1);
}

void stoa__json_out_listed(stoa__json_out *out, const char *key, const char *name, bool *any) {
    if (!*any) {
        stoa__json_out_key(out, key);
        stoa__json_out_open(out, '[', false);
        *any = true;
    }
    stoa__json_out_item(out);
    stoa__json_out_component_name(out, name);
}

void stoa__json_out_component(stoa__json_out *out, const char *name) {
    stoa__json_out_item(out);
    stoa__json_out_component_name(out, name);
    stoa__json_out_put(out, out->compact ? ":" : ": ");
}

void stoa__json_out_handle(stoa__json_out *out, const char *before, stoa_entity e) {
    char text[STOA_ENTITY_TEXT_SIZE];
    stoa__json_out_bytes(out, "\"", 1);
    stoa__json_out_put(out, before);
    stoa__json_out_put(out, stoa_entity_print(e, text, sizeof text));
    stoa__json_out_bytes(out, "\"", 1);
}

void stoa__json_out_entity(stoa__json_out *out, stoa_entity e) {
    if (stoa_entity_is_null(e)) {
        stoa__json_out_put(out, "null");
    } else if (out->nodes && e.generation == 0) {
        char text[16] = "\"#";
        stoa__json_out_bytes(out, text, 2);
        stoa__json_out_unsigned(out, e.index - 1);
        stoa__json_out_bytes(out, "\"", 1);
    } else if (out->labels != NULL) {
        stoa__json_labels_write(out, e);
    } else {
        stoa__json_name_write(out, e);
    }
}
