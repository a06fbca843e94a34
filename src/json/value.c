/* Values out of JSON, by the descriptions of their types.
 *
 * A value is begun as what it is to be without the text - its defaults, zero, or what is there
 * already - and members that the text names are written over that. Numbers that do not fit, names
 * that there are not and kinds that do not match are refused. Types inside of types are limited in
 * number, so going down needs little stack, whatever the text. */
#include "stoa/hierarchy.h"
#include "json/json.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Where a value is read. */
typedef struct spot {
    stoa__json_in *in;
    const stoa__json_path *path;
    json_t *json;
} spot;

static stoa_status value_read(spot at, const stoa_component_info *info, uint8_t *item);

/* Writes the low bytes of a number. */
static void number_put(uint8_t *item, uint64_t number, uint32_t size) {
    uint8_t one = (uint8_t)number;
    uint16_t two = (uint16_t)number;
    uint32_t four = (uint32_t)number;
    switch (size) {
    case 1:
        memcpy(item, &one, sizeof one);
        break;
    case 2:
        memcpy(item, &two, sizeof two);
        break;
    case 4:
        memcpy(item, &four, sizeof four);
        break;
    default:
        memcpy(item, &number, sizeof number);
    }
}

/* A number of digits and nothing else. */
static bool digits_read(const char *text, uint64_t most, uint64_t *number) {
    *number = 0;
    if (*text == '\0') {
        return false;
    }
    for (; *text != '\0'; text++) {
        uint64_t digit = (uint64_t)(unsigned char)*text - '0';
        if (digit > 9 || *number > (most - digit) / 10) {
            return false;
        }
        *number = *number * 10 + digit;
    }
    return true;
}

bool stoa__json_parse_number(const char *text, uint32_t *number) {
    uint64_t read;
    bool good = digits_read(text, UINT32_MAX, &read);
    *number = (uint32_t)read;
    return good;
}

bool stoa__json_parse_handle(const char *text, stoa_entity *e) {
    char index[16];
    const char *parting = strchr(text, 'v');
    size_t length = parting != NULL ? (size_t)(parting - text) : sizeof index;
    if (length >= sizeof index) {
        return false;
    }
    memcpy(index, text, length);
    index[length] = '\0';
    return stoa__json_parse_number(index, &e->index) &&
           stoa__json_parse_number(parting + 1, &e->generation);
}

static stoa_status integer_read(spot at, uint32_t size, int64_t least, uint64_t most,
                                uint8_t *item) {
    uint64_t number;
    if (json_is_integer(at.json)) {
        int64_t read = json_integer_value(at.json);
        if (read < least || (read > 0 && (uint64_t)read > most)) {
            return stoa__json_fail(at.in, at.path, STOA_SYNTAX,
                                   "%" PRId64 " is not between %" PRId64 " and %" PRIu64, read,
                                   least, most);
        }
        number = (uint64_t)read;
    } else if (!json_is_string(at.json) || most != UINT64_MAX ||
               !digits_read(json_string_value(at.json), most, &number)) {
        return stoa__json_expected(at.in, at.path, at.json, "an integer");
    }
    number_put(item, number, size);
    return STOA_OK;
}

static stoa_status signed_read(spot at, uint32_t size, uint8_t *item) {
    int64_t most = (int64_t)(UINT64_MAX >> (65 - size * 8));
    return integer_read(at, size, -most - 1, (uint64_t)most, item);
}

static stoa_status unsigned_read(spot at, uint32_t size, uint8_t *item) {
    return integer_read(at, size, 0, UINT64_MAX >> (64 - size * 8), item);
}

/* What a text says of a number that JSON has no digits for: its bits. */
static bool special_read(const char *text, bool single, uint64_t *bits) {
    uint64_t infinite = single ? 0x7F800000u : 0x7FF0000000000000u;
    uint64_t sign = single ? 0x80000000u : 0x8000000000000000u;
    if (strcmp(text, "inf") == 0 || strcmp(text, "-inf") == 0) {
        *bits = infinite | (text[0] == '-' ? sign : 0);
        return true;
    }
    if (strcmp(text, "nan") == 0) {
        *bits = single ? 0x7FC00000u : 0x7FF8000000000000u;
        return true;
    }
    size_t digits = strncmp(text, "nan:", 4) == 0 ? strspn(text + 4, "0123456789abcdef") : 0;
    if (digits == 0 || digits > (single ? 8 : 16) || text[4 + digits] != '\0') {
        return false;
    }
    *bits = strtoull(text + 4, NULL, 16);
    return (*bits & infinite) == infinite && (*bits & (infinite | sign)) != *bits;
}

static stoa_status float_read(spot at, bool single, uint8_t *item) {
    uint64_t bits = 0;
    if (json_is_string(at.json) && special_read(json_string_value(at.json), single, &bits)) {
        number_put(item, bits, single ? 4 : 8);
        return STOA_OK;
    }
    if (!json_is_number(at.json)) {
        return stoa__json_expected(at.in, at.path, at.json, "a number");
    }
    /* An integer is rounded once only. */
    double number = json_number_value(at.json);
    float little = json_is_integer(at.json) ? (float)json_integer_value(at.json)
                   : fabs(number) < 3.5e38  ? (float)number
                                            : INFINITY;
    if (single && isinf(little)) {
        return stoa__json_fail(at.in, at.path, STOA_SYNTAX, "%g does not fit in a float", number);
    }
    memcpy(item, single ? (const void *)&little : (const void *)&number, single ? 4 : 8);
    return STOA_OK;
}

static stoa_status enum_read(spot at, stoa_component type, uint32_t size, uint8_t *item) {
    int32_t count = 0;
    const stoa_enum_value *values =
        type != 0 ? stoa_component_enum(at.in->world, type, &count) : NULL;
    if (!json_is_string(at.json)) {
        int64_t least = -(int64_t)(UINT64_MAX >> (65 - size * 8)) - 1;
        return integer_read(at, size, least, UINT64_MAX >> (64 - size * 8), item);
    }
    for (int32_t i = 0; i < count; i++) {
        if (strcmp(values[i].name, json_string_value(at.json)) == 0) {
            number_put(item, (uint64_t)values[i].value, size);
            return STOA_OK;
        }
    }
    return stoa__json_fail(at.in, at.path, STOA_NOT_FOUND, "the enum has no value '%.64s'",
                           json_string_value(at.json));
}

static stoa_status char_read(spot at, uint8_t *item) {
    if (!json_is_string(at.json)) {
        return unsigned_read(at, 1, item);
    }
    if (json_string_length(at.json) != 1) {
        return stoa__json_expected(at.in, at.path, at.json, "one character, or its number");
    }
    *item = (uint8_t)json_string_value(at.json)[0];
    return STOA_OK;
}

static stoa_status entity_read(spot at, uint8_t *item) {
    stoa_entity e = STOA_NULL;
    if (json_is_string(at.json)) {
        stoa_status status = at.in->resolve(at.in, at.path, json_string_value(at.json), &e);
        if (status != STOA_OK) {
            return status;
        }
    } else if (!json_is_null(at.json)) {
        return stoa__json_expected(at.in, at.path, at.json,
                                   "the name of an entity, \"#17v3\", or null");
    }
    memcpy(item, &e, sizeof e);
    return STOA_OK;
}

/* Bytes that a text in base 64 stands for, in a block of `room`. */
typedef struct decoded {
    uint8_t *bytes;
    size_t room;
    size_t size;
} decoded;

/* Decodes a text; the block is to be given back by decoded_free unless it fails. */
static stoa_status decoded_read(spot at, decoded *made) {
    if (!json_is_string(at.json)) {
        return stoa__json_expected(at.in, at.path, at.json, "bytes in base 64");
    }
    size_t length = json_string_length(at.json);
    made->room = length / 4 * 3 + 3;
    made->size = 0;
    made->bytes = stoa__heap_alloc(&at.in->heap, made->room, 1);
    if (made->bytes == NULL) {
        return stoa__error_memory("bytes in base 64");
    }
    if (!stoa__json_decode(json_string_value(at.json), length, made->bytes, &made->size)) {
        stoa__heap_free(&at.in->heap, made->bytes, made->room, 1);
        return stoa__json_expected(at.in, at.path, at.json, "bytes in base 64");
    }
    return STOA_OK;
}

static void decoded_free(spot at, const decoded *made) {
    stoa__heap_free(&at.in->heap, made->bytes, made->room, 1);
}

/* A text in base 64 that stands for so many bytes. */
static stoa_status bytes_read(spot at, uint8_t *bytes, size_t size) {
    decoded made = {.bytes = NULL};
    stoa_status status = decoded_read(at, &made);
    if (status != STOA_OK) {
        return status;
    }
    if (made.size != size) {
        status = stoa__json_fail(at.in, at.path, STOA_SYNTAX, "expected %zu bytes, got %zu", size,
                                 made.size);
    } else if (size > 0) {
        memcpy(bytes, made.bytes, size);
    }
    decoded_free(at, &made);
    return status;
}

static stoa_status struct_read(spot at, stoa_component type, uint8_t *item) {
    stoa_component_info info;
    stoa_status status = stoa_component_info_get(at.in->world, type, &info);
    if (status != STOA_OK) {
        return status;
    }
    return info.member_count == 0 ? bytes_read(at, item, info.size) : value_read(at, &info, item);
}

static stoa_status element_read(spot at, const stoa_member *m, uint8_t *item) {
    switch (m->kind) {
    case STOA_KIND_BOOL:
        if (!json_is_boolean(at.json)) {
            return stoa__json_expected(at.in, at.path, at.json, "true or false");
        }
        *item = json_is_true(at.json) ? 1 : 0;
        return STOA_OK;
    case STOA_KIND_CHAR:
        return char_read(at, item);
    case STOA_KIND_F32:
    case STOA_KIND_F64:
        return float_read(at, m->kind == STOA_KIND_F32, item);
    case STOA_KIND_ENTITY:
        return entity_read(at, item);
    case STOA_KIND_ENUM:
        return enum_read(at, m->type, m->size, item);
    case STOA_KIND_STRUCT:
        return struct_read(at, m->type, item);
    default:
        return m->kind < STOA_KIND_U8 ? signed_read(at, m->size, item)
                                      : unsigned_read(at, m->size, item);
    }
}

static stoa_status chars_read(spot at, const stoa_member *m, uint8_t *item) {
    size_t length = json_string_length(at.json);
    if (length > m->count) {
        return stoa__json_fail(at.in, at.path, STOA_SYNTAX,
                               "the text has %zu bytes, there is room for %" PRIu32, length,
                               m->count);
    }
    memset(item, 0, m->count);
    memcpy(item, json_string_value(at.json), length);
    return STOA_OK;
}

static stoa_status array_read(spot at, const stoa_member *m, uint8_t *item) {
    if (m->kind == STOA_KIND_CHAR && json_is_string(at.json)) {
        return chars_read(at, m, item);
    }
    if (!json_is_array(at.json)) {
        return stoa__json_expected(at.in, at.path, at.json,
                                   m->kind == STOA_KIND_CHAR ? "a text" : "a list");
    }
    size_t count = json_array_size(at.json);
    if (count > m->count) {
        return stoa__json_fail(at.in, at.path, STOA_SYNTAX,
                               "the list has %zu items, there is room for %" PRIu32, count,
                               m->count);
    }
    if (m->kind == STOA_KIND_CHAR) {
        memset(item, 0, m->count);
    }
    stoa_status status = STOA_OK;
    for (size_t i = 0; i < count && status == STOA_OK; i++, item += m->size) {
        stoa__json_path path = {at.path, at.json, NULL, i};
        status = element_read((spot){at.in, &path, json_array_get(at.json, i)}, m, item);
    }
    return status;
}

static stoa_status member_read(spot at, const stoa_member *m, uint8_t *item) {
    return m->array ? array_read(at, m, item) : element_read(at, m, item);
}

static const stoa_member *member_named(const stoa_component_info *info, const char *name) {
    for (int32_t i = 0; i < info->member_count; i++) {
        if (strcmp(info->members[i].name, name) == 0) {
            return &info->members[i];
        }
    }
    return NULL;
}

/* The member of that name, or that once had it. `guess` is the one that most likely it is. */
static const stoa_member *member_find(const stoa_component_info *info, const char *name,
                                      int32_t guess) {
    if (guess < info->member_count && strcmp(info->members[guess].name, name) == 0) {
        return &info->members[guess];
    }
    const stoa_member *found = member_named(info, name);
    const stoa_alias *alias = info->persist != NULL ? info->persist->fields : NULL;
    for (; found == NULL && alias != NULL && alias->former != NULL; alias++) {
        if (alias->name != NULL && strcmp(alias->former, name) == 0) {
            found = member_named(info, alias->name);
        }
    }
    return found;
}

static stoa_status members_read(spot at, const stoa_component_info *info, uint8_t *item) {
    int32_t guess = 0;
    for (void *i = json_object_iter(at.json); i != NULL;
         i = json_object_iter_next(at.json, i), guess++) {
        const char *key = json_object_iter_key(i);
        stoa__json_path path = {at.path, at.json, key, 0};
        const stoa_member *m = member_find(info, key, guess);
        if (m == NULL) {
            return stoa__json_fail(at.in, &path, STOA_NOT_FOUND, "'%s' has no member '%.64s'",
                                   info->name, key);
        }
        stoa_status status =
            member_read((spot){at.in, &path, json_object_iter_value(i)}, m, item + m->offset);
        if (status != STOA_OK) {
            return status;
        }
    }
    return STOA_OK;
}

static stoa_status value_read(spot at, const stoa_component_info *info, uint8_t *item) {
    if (stoa__json_is_enum(at.in->world, info)) {
        return enum_read(at, info->id, info->size, item);
    }
    if (json_is_object(at.json)) {
        return members_read(at, info, item);
    }
    if (info->member_count == 1) {
        return member_read(at, &info->members[0], item + info->members[0].offset);
    }
    return stoa__json_expected(at.in, at.path, at.json, "an object");
}

/* A value by the component's own function, which must take all bytes. */
static stoa_status functions_read(spot at, const stoa_component_info *info, uint8_t *item) {
    decoded made = {.bytes = NULL};
    stoa_status status = decoded_read(at, &made);
    if (status != STOA_OK) {
        return status;
    }
    stoa_span span = {made.bytes, made.bytes + made.size};
    stoa_source source = stoa_span_source(&span);
    status = info->persist->load(&source, item, 1, info->persist->user);
    if (status != STOA_OK) {
        status =
            stoa__json_fail(at.in, at.path, status,
                            "the function that loads component '%s' refused its bytes", info->name);
    } else if (span.at != span.end) {
        if (info->hooks.drop != NULL) {
            info->hooks.drop(item, 1, info->hooks.user);
        }
        status =
            stoa__json_fail(at.in, at.path, STOA_CORRUPT, "component '%s' has %zu bytes too many",
                            info->name, (size_t)(span.end - span.at));
    }
    decoded_free(at, &made);
    return status;
}

stoa_status stoa__json_read_value(stoa__json_in *in, const stoa__json_path *path,
                                  const stoa_component_info *info, json_t *json, void *value,
                                  bool over) {
    spot at = {in, path, json};
    switch (stoa__json_way_of(info)) {
    case STOA__JSON_TAG:
        return json_is_true(json) ? STOA_OK : stoa__json_expected(in, path, json, "true");
    case STOA__JSON_MEMBERS:
        if (!over && info->persist != NULL && info->persist->defaults != NULL) {
            memcpy(value, info->persist->defaults, info->size);
        } else if (!over) {
            memset(value, 0, info->size);
        }
        return value_read(at, info, value);
    case STOA__JSON_FUNCTIONS:
        return functions_read(at, info, value);
    case STOA__JSON_BYTES:
        return bytes_read(at, value, info->size);
    case STOA__JSON_LEFT_OUT:
        return stoa__json_fail(in, path, STOA_REFUSED,
                               "component '%s' is transient, or kept by an extension", info->name);
    default:
        return stoa__json_fail_there(in, path, stoa__json_writable(info));
    }
}

/* True if a list of names, parted by spaces, has that one. */
static bool names_have(const char *names, const char *name) {
    size_t length = strlen(name);
    while (names != NULL && *names != '\0') {
        size_t part = strcspn(names, " ");
        if (part == length && memcmp(names, name, length) == 0) {
            return true;
        }
        names += part;
        names += strspn(names, " ");
    }
    return false;
}

stoa_component stoa__json_component(const stoa_world *world, const char *key) {
    const char *name = key[0] == ':' ? key + 1 : key;
    stoa_component id = stoa_component_find(world, name);
    stoa_component last = (stoa_component)stoa_component_count(world);
    for (stoa_component i = 1; id == 0 && i <= last; i++) {
        stoa_component_info info;
        if (stoa_component_info_get(world, i, &info) == STOA_OK && info.persist != NULL &&
            names_have(info.persist->former_names, name)) {
            id = i;
        }
    }
    return id;
}

stoa_component stoa__json_component_need(stoa__json_in *in, const char *key) {
    stoa_component id = stoa__json_component(in->world, key);
    return id == 0 && strcmp(key, "Parent") == 0
               ? stoa_type_register(in->world, STOA_TYPE_OF(Parent))
               : id;
}

bool stoa__json_has(const stoa_world *world, json_t *object, stoa_component id) {
    bool found = false;
    for (void *i = json_object_iter(object); i != NULL && !found;
         i = json_object_iter_next(object, i)) {
        const char *key = json_object_iter_key(i);
        found = stoa__json_part_of(key) == 0 && stoa__json_component(world, key) == id;
    }
    return found;
}

stoa_status stoa__json_resolve_world(stoa__json_in *in, const stoa__json_path *path,
                                     const char *text, stoa_entity *e) {
    if (text[0] == '#' && text[1] != '#') {
        return stoa__json_parse_handle(text + 1, e)
                   ? STOA_OK
                   : stoa__json_fail(in, path, STOA_SYNTAX, "'%.64s' is no handle, such as #17v3",
                                     text);
    }
    *e = stoa_find(in->world, text[0] == '#' ? text + 1 : text);
    return !stoa_entity_is_null(*e)
               ? STOA_OK
               : stoa__json_fail(in, path, STOA_NOT_FOUND, "there is no entity '%.64s'", text);
}
