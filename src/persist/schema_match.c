/* Components of a world for types of a schema: those that it knows, and those that it is to keep.
 *
 * A name of its own comes before a former one. What is kept is described as text, with the structs
 * of the world where it knows them, so its layout is the world's own; a plan brings the values in.
 * O(types log types), and for names that are not found a look at each component that had other
 * names. One thread at a time. */
#include "persist/schema.h"

#include "base/error.h"
#include "base/lexer.h"
#include "persist/schema_name.h"
#include "persist/schema_number.h"
#include "stoa/world.h"

#include <stdio.h>
#include <string.h>

/* True if a list of words separated by spaces has this one. */
static bool words_have(const char *words, const char *word) {
    size_t length = strlen(word);
    for (const char *at = words; at != NULL && *at != '\0';) {
        at += strspn(at, " \t\n");
        size_t size = strcspn(at, " \t\n");
        if (size == length && memcmp(at, word, size) == 0) {
            return true;
        }
        at += size;
    }
    return false;
}

/* Components of a world among which are all that had other names. */
typedef struct formers {
    stoa_component first;
    stoa_component last; /* less than the first if there are none */
} formers;

static formers formers_find(const stoa_world *world) {
    formers found = {1, 0};
    stoa_component count = (stoa_component)stoa_component_count(world);
    for (stoa_component id = 1; id <= count; id++) {
        stoa_component_info info;
        if (stoa_component_info_get(world, id, &info) == STOA_OK && info.persist != NULL &&
            info.persist->former_names != NULL) {
            found.first = found.last == 0 ? id : found.first;
            found.last = id;
        }
    }
    return found;
}

/* The component of that name, or of that former name; 0 if there is none. */
static stoa_component component_find(const stoa_world *world, const formers *among,
                                     const char *name) {
    stoa_component id = stoa_component_find(world, name);
    for (stoa_component i = among->first; id == 0 && i <= among->last; i++) {
        stoa_component_info info;
        if (stoa_component_info_get(world, i, &info) == STOA_OK && info.persist != NULL &&
            words_have(info.persist->former_names, name) &&
            stoa_component_find(world, info.name) == i) {
            id = i;
        }
    }
    return id;
}

static void rename_tell(const char *name, const char *former, stoa_notice_fn notice, void *user) {
    if (notice != NULL && strcmp(name, former) != 0) {
        char text[512];
        snprintf(text, sizeof text, "%.200s was called '%.200s'", name, former);
        notice(&(stoa_notice){STOA_NOTICE_RENAMED, name, NULL, text}, user);
    }
}

static stoa_status match_twice(const stoa__schema *schema, int32_t one, int32_t other,
                               const char *name) {
    return stoa__error(STOA_CONFLICT, "both '%s' and '%s' were saved, and are '%s' now",
                       schema->types[one < other ? one : other].name,
                       schema->types[one < other ? other : one].name, name);
}

/* Two types must not come to one component. Names are unique, so one of them had another. */
static stoa_status match_check(const stoa__schema *schema, const stoa_component_info *info,
                               int32_t type, const stoa_component *ids) {
    const char *name = schema->types[type].name;
    if ((info->flags & STOA_MANAGED) != 0) {
        return stoa__error(STOA_CONFLICT,
                           "component '%s' was saved as others are, but an extension keeps it now",
                           name);
    }
    if (strcmp(name, info->name) == 0 || (info->flags & STOA_TRANSIENT) != 0) {
        return STOA_OK;
    }
    int32_t own = stoa__schema_find(schema, info->name);
    if (own >= 0 && schema->types[own].component) {
        return match_twice(schema, own, type, info->name);
    }
    for (int32_t i = 0; i < type; i++) {
        if (ids[i] == info->id) {
            return match_twice(schema, i, type, info->name);
        }
    }
    return STOA_OK;
}

stoa_status stoa__schema_match(const stoa__schema *schema, const stoa_world *world,
                               stoa_component *ids, stoa_notice_fn notice, void *user) {
    formers among = formers_find(world);
    for (int32_t i = 0; i < schema->type_count; i++) {
        const stoa__schema_type *type = &schema->types[i];
        stoa_component_info info;
        ids[i] = type->component ? component_find(world, &among, type->name) : 0;
        if (ids[i] == 0) {
            continue;
        }
        stoa_status status = stoa_component_info_get(world, ids[i], &info);
        status = status == STOA_OK ? match_check(schema, &info, i, ids) : status;
        if (status != STOA_OK) {
            return status;
        }
        ids[i] = (info.flags & STOA_TRANSIENT) != 0 ? STOA__SCHEMA_DROPPED : ids[i];
        rename_tell(info.name, type->name, notice, user);
    }
    return STOA_OK;
}

/* True if the text of a type can name it. */
static bool name_stands(const char *name) {
    stoa__lexer lexer;
    stoa__lexer_init(&lexer, STOA__LEXER_C, name, NULL);
    return lexer.token.kind == STOA__TOKEN_NAME && lexer.token.length == strlen(name);
}

static bool enum_is_signed(const stoa__schema *schema, int32_t type) {
    for (int32_t i = 0; type >= 0 && i < schema->types[type].value_count; i++) {
        if (schema->types[type].values[i].value < 0) {
            return true;
        }
    }
    return type < 0;
}

/* A schema whose types a world is to keep. */
typedef struct keeper {
    const stoa__schema *schema;
    stoa_world *world;
    formers among;
} keeper;

/* The C type of a field in this world: an enum that it cannot know is an integer. */
static const char *field_type(const keeper *k, const stoa__schema_field *field) {
    const stoa__schema *schema = k->schema;
    const stoa_world *world = k->world;
    stoa_component id =
        field->type >= 0 ? component_find(world, &k->among, schema->types[field->type].name) : 0;
    if (field->kind == STOA_KIND_ENUM) {
        int32_t values = 0;
        if (id != 0) {
            stoa_component_enum(world, id, &values);
        }
        if (values == 0 || !name_stands(stoa_component_name(world, id))) {
            bool is_signed = enum_is_signed(schema, field->type);
            stoa__schema_field integer = {.kind = stoa__wide_integer(field->size, is_signed),
                                          .type = -1};
            return stoa__schema_kind_name(schema, &integer);
        }
    }
    return id != 0 ? stoa_component_name(world, id) : stoa__schema_kind_name(schema, field);
}

static void fields_write(const keeper *k, const stoa__schema_type *type, stoa__writer *out) {
    stoa__writer_put(out, "{ ");
    for (int32_t i = 0; i < type->field_count; i++) {
        const stoa__schema_field *field = &type->fields[i];
        stoa__writer_put(out, field_type(k, field));
        stoa__writer_put(out, " ");
        stoa__writer_put(out, field->name);
        if (field->array) {
            stoa__writer_format(out, "[%u]", (unsigned)field->count);
        }
        stoa__writer_put(out, "; ");
    }
    stoa__writer_put(out, "}");
}

/* True if an enum can be told by a text: C would take its name, and an integer of its size all its
 * values. */
static bool enum_stands(const stoa__schema_type *type) {
    int64_t least = 0;
    int64_t most = 0;
    for (int32_t i = 0; i < type->value_count; i++) {
        int64_t value = type->values[i].value;
        least = value < least ? value : least;
        most = value > most ? value : most;
    }
    return name_stands(type->name) && least != INT64_MIN &&
           (least == 0 || type->size == 8 || most < (int64_t)1 << (type->size * 8 - 1));
}

static void values_write(const stoa__schema_type *type, stoa__writer *out) {
    stoa__writer_put(out, "{ ");
    for (int32_t i = 0; i < type->value_count; i++) {
        stoa__writer_format(out, "%s = %lld, ", type->values[i].name,
                            (long long)type->values[i].value);
    }
    stoa__writer_put(out, "}");
}

static void text_write(const keeper *k, const stoa__schema_type *type, bool is_enum,
                       stoa__writer *out) {
    if (is_enum) {
        values_write(type, out);
    } else {
        fields_write(k, type, out);
    }
}

static stoa_component members_register(const keeper *k, const stoa__schema_type *type) {
    bool is_enum = type->way == STOA__WAY_ENUM && enum_stands(type);
    stoa__writer out = stoa__writer_new(NULL, 0);
    stoa__heap heap;
    stoa__heap_init(&heap, stoa_world_allocator(k->world));
    text_write(k, type, is_enum, &out);
    size_t size = out.length + 1;
    char *text = stoa__heap_alloc(&heap, size, 1);
    if (text == NULL) {
        stoa__error_memory("a component that is kept");
        return 0;
    }
    out = stoa__writer_new(text, size);
    text_write(k, type, is_enum, &out);
    stoa_component_desc desc = {.name = type->name,
                                .fields = text,
                                .size = is_enum ? type->size : 0,
                                .flags = type->flags,
                                .is_enum = is_enum};
    stoa_component id = stoa_component_register(k->world, &desc);
    stoa__heap_free(&heap, text, size, 1);
    return id;
}

static stoa_component type_register(const keeper *k, int32_t index);

/* Registers the structs and enums inside of a type that the world does not know. */
static bool insides_register(const keeper *k, const stoa__schema_type *type) {
    for (int32_t i = 0; i < type->field_count; i++) {
        const stoa__schema_field *field = &type->fields[i];
        bool is_enum = field->kind == STOA_KIND_ENUM && field->type >= 0;
        if (field->kind != STOA_KIND_STRUCT &&
            (!is_enum || !enum_stands(&k->schema->types[field->type]))) {
            continue;
        }
        const char *name = k->schema->types[field->type].name;
        stoa_component id = component_find(k->world, &k->among, name);
        if (id == 0 && !name_stands(name)) {
            stoa__error(STOA_INVALID,
                        "component '%s' cannot be kept: '%s' inside of it has a name that C would "
                        "not take",
                        type->name, name);
            return false;
        }
        if (id == 0 && type_register(k, field->type) == 0) {
            return false;
        }
    }
    return true;
}

static stoa_component type_register(const keeper *k, int32_t index) {
    const stoa__schema_type *type = &k->schema->types[index];
    stoa_component_desc desc = {.name = type->name, .flags = type->flags};
    switch (type->way) {
    case STOA__WAY_TAG:
        return stoa_component_register(k->world, &desc);
    case STOA__WAY_BYTES:
        desc.size = type->size;
        desc.alignment = type->alignment;
        desc.flags |= STOA_RAW;
        return stoa_component_register(k->world, &desc);
    case STOA__WAY_ENUM:
        return members_register(k, type);
    case STOA__WAY_MEMBERS:
        return insides_register(k, type) ? members_register(k, type) : 0;
    case STOA__WAY_FUNCTIONS:
        break;
    }
    stoa__error(STOA_REFUSED, "component '%s' was saved by functions, so it cannot be kept",
                type->name);
    return 0;
}

stoa_component stoa__schema_register(const stoa__schema *schema, int32_t type, stoa_world *world) {
    keeper k = {schema, world, {1, 0}};
    bool named = false;
    for (int32_t i = 0; i < schema->types[type].field_count; i++) {
        named = named || schema->types[type].fields[i].type >= 0;
    }
    if (named) {
        k.among = formers_find(world);
    }
    return type_register(&k, type);
}
