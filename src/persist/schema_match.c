/* Components of a world for types of a schema: those that it knows, and those that it is to keep.
 *
 * A name of its own comes before a former one. What is kept is described as text, with the structs
 * of the world where it knows them, so its layout is the world's own; a plan brings the values in.
 * O(types * components) where names are not found. One thread at a time. */
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

/* The component of that name, or of that former name; 0 if there is none. */
static stoa_component component_find(const stoa_world *world, const char *name) {
    stoa_component id = stoa_component_find(world, name);
    for (uint32_t i = 1; id == 0 && i <= (uint32_t)stoa_component_count(world); i++) {
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

/* Two types must not come to one component. */
static stoa_status match_check(const stoa__schema *schema, const stoa_component_info *info,
                               int32_t type, const stoa_component *ids) {
    const char *name = schema->types[type].name;
    if ((info->flags & STOA_MANAGED) != 0) {
        return stoa__error(STOA_CONFLICT,
                           "component '%s' was saved as others are, but an extension keeps it now",
                           name);
    }
    for (int32_t i = 0; i < type; i++) {
        if (ids[i] == info->id) {
            return stoa__error(STOA_CONFLICT, "both '%s' and '%s' were saved, and are '%s' now",
                               schema->types[i].name, name, info->name);
        }
    }
    return STOA_OK;
}

stoa_status stoa__schema_match(const stoa__schema *schema, const stoa_world *world,
                               stoa_component *ids, stoa_notice_fn notice, void *user) {
    for (int32_t i = 0; i < schema->type_count; i++) {
        const stoa__schema_type *type = &schema->types[i];
        stoa_component_info info;
        ids[i] = type->component ? component_find(world, type->name) : 0;
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

/* The C type of a field in this world: an enum that it does not know is an integer. */
static const char *field_type(const stoa__schema *schema, const stoa__schema_field *field,
                              const stoa_world *world) {
    stoa_component id =
        field->type >= 0 ? component_find(world, schema->types[field->type].name) : 0;
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

static void fields_write(const stoa__schema *schema, const stoa__schema_type *type,
                         const stoa_world *world, stoa__writer *out) {
    stoa__writer_put(out, "{ ");
    for (int32_t i = 0; i < type->field_count; i++) {
        const stoa__schema_field *field = &type->fields[i];
        stoa__writer_put(out, field_type(schema, field, world));
        stoa__writer_put(out, " ");
        stoa__writer_put(out, field->name);
        if (field->array) {
            stoa__writer_format(out, "[%u]", (unsigned)field->count);
        }
        stoa__writer_put(out, "; ");
    }
    stoa__writer_put(out, "}");
}

static stoa_component members_register(const stoa__schema *schema, const stoa__schema_type *type,
                                       stoa_world *world) {
    stoa__writer out = stoa__writer_new(NULL, 0);
    stoa__heap heap;
    stoa__heap_init(&heap, stoa_world_allocator(world));
    fields_write(schema, type, world, &out);
    size_t size = out.length + 1;
    char *text = stoa__heap_alloc(&heap, size, 1);
    if (text == NULL) {
        stoa__error_memory("a component that is kept");
        return 0;
    }
    out = stoa__writer_new(text, size);
    fields_write(schema, type, world, &out);
    stoa_component_desc desc = {.name = type->name, .fields = text, .flags = type->flags};
    stoa_component id = stoa_component_register(world, &desc);
    stoa__heap_free(&heap, text, size, 1);
    return id;
}

static stoa_component type_register(const stoa__schema *schema, int32_t index, stoa_world *world);

/* Registers the structs inside of a type that the world does not know. */
static bool insides_register(const stoa__schema *schema, const stoa__schema_type *type,
                             stoa_world *world) {
    for (int32_t i = 0; i < type->field_count; i++) {
        const stoa__schema_field *field = &type->fields[i];
        if (field->kind != STOA_KIND_STRUCT) {
            continue;
        }
        const char *name = schema->types[field->type].name;
        stoa_component id = component_find(world, name);
        if (id == 0 && !name_stands(name)) {
            stoa__error(STOA_INVALID,
                        "component '%s' cannot be kept: '%s' inside of it has a name that C would "
                        "not take",
                        type->name, name);
            return false;
        }
        if (id == 0 && type_register(schema, field->type, world) == 0) {
            return false;
        }
    }
    return true;
}

static stoa_component type_register(const stoa__schema *schema, int32_t index, stoa_world *world) {
    const stoa__schema_type *type = &schema->types[index];
    stoa_component_desc desc = {.name = type->name, .flags = type->flags};
    switch (type->way) {
    case STOA__WAY_TAG:
        return stoa_component_register(world, &desc);
    case STOA__WAY_BYTES:
        desc.size = type->size;
        desc.alignment = type->alignment;
        desc.flags |= STOA_RAW;
        return stoa_component_register(world, &desc);
    case STOA__WAY_MEMBERS:
    case STOA__WAY_ENUM:
        return insides_register(schema, type, world) ? members_register(schema, type, world) : 0;
    case STOA__WAY_FUNCTIONS:
        break;
    }
    stoa__error(STOA_REFUSED, "component '%s' was saved by functions, so it cannot be kept",
                type->name);
    return 0;
}

stoa_component stoa__schema_register(const stoa__schema *schema, int32_t type, stoa_world *world) {
    return type_register(schema, type, world);
}
