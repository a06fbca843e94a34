/* Components, resources and entities as text.
 *
 * What is not there is `-`, what a guard of the thread does not let be read is `<refused>`:
 * printing is for looking at things, also at broken ones. Costs what is written; describing an
 * entity also asks for every type. Any thread that may read the world. */
#include "model/print.h"

#include "base/error.h"
#include "stoa/resource.h"

/* False, with the failure reported and the text empty, if there is nothing to print from or to. */
static bool arguments_check(const stoa_world *world, char *buffer, size_t size) {
    if (world != NULL && (buffer != NULL || size == 0)) {
        return true;
    }
    if (buffer != NULL && size > 0) {
        buffer[0] = '\0';
    }
    stoa_world_report(world, stoa__error(STOA_NULL_ARGUMENT, "the %s must not be null",
                                         world == NULL ? "world" : "buffer"));
    return false;
}

static bool component_known(const stoa_world *world, stoa_component id) {
    return id - 1 < (uint32_t)stoa_component_count(world);
}

/* Writes a value of a known component; NULL for one that may not be read. */
static void named_print(const stoa_world *world, const stoa_component_info *info, const void *value,
                        stoa__writer *out) {
    stoa__writer_put(out, info->name);
    if (info->size != 0) {
        stoa__writer_put(out, " ");
        if (value != NULL) {
            stoa__print_value(world, info->id, value, out);
        } else {
            stoa__writer_put(out, "<refused>");
        }
    }
}

static size_t value_print(const stoa_world *world, stoa_component id, const void *value, bool named,
                          char *buffer, size_t size) {
    stoa_component_info info;
    if (!arguments_check(world, buffer, size)) {
        return 0;
    }
    stoa__writer out = stoa__writer_new(buffer, size);
    if (!component_known(world, id) || stoa_component_info_get(world, id, &info) != STOA_OK ||
        (value == NULL && info.size != 0)) {
        stoa__writer_put(&out, "-");
    } else if (named) {
        named_print(world, &info, value, &out);
    } else if (info.size != 0) {
        stoa__print_value(world, id, value, &out);
    }
    return out.length;
}

size_t stoa_print_id(const stoa_world *world, stoa_component id, const void *value, char *buffer,
                     size_t size) {
    return value_print(world, id, value, true, buffer, size);
}

size_t stoa_print_value(const stoa_world *world, stoa_component id, const void *value, char *buffer,
                        size_t size) {
    return value_print(world, id, value, false, buffer, size);
}

/* Writes what an entity has of a component; false, with nothing written, if it has none. */
static bool component_print(const stoa_world *world, stoa_entity e, stoa_component id,
                            stoa__writer *out) {
    stoa_component_info info;
    if (!stoa_has_id(world, e, id) || stoa_component_info_get(world, id, &info) != STOA_OK) {
        return false;
    }
    named_print(world, &info, info.size != 0 ? stoa_try_get_id(world, e, id) : NULL, out);
    return true;
}

size_t stoa_print_component(const stoa_world *world, stoa_entity e, stoa_component id, char *buffer,
                            size_t size) {
    if (!arguments_check(world, buffer, size)) {
        return 0;
    }
    stoa__writer out = stoa__writer_new(buffer, size);
    if (!component_print(world, e, id, &out)) {
        stoa__writer_put(&out, "-");
    }
    return out.length;
}

size_t stoa_print_type(const stoa_world *world, stoa_entity e, stoa_type *type, char *buffer,
                       size_t size) {
    return stoa_print_component(world, e, stoa_type_find(world, type), buffer, size);
}

size_t stoa_print_resource(const stoa_world *world, stoa_component id, char *buffer, size_t size) {
    stoa_component_info info;
    if (!arguments_check(world, buffer, size)) {
        return 0;
    }
    stoa__writer out = stoa__writer_new(buffer, size);
    if (stoa_resource_has_id(world, id) && stoa_component_info_get(world, id, &info) == STOA_OK) {
        named_print(world, &info, info.size != 0 ? stoa_resource_try_id(world, id) : NULL, &out);
    } else {
        stoa__writer_put(&out, "-");
    }
    return out.length;
}

static bool component_is_hidden(const stoa_world *world, stoa_component id) {
    stoa_component_info info;
    return stoa_component_info_get(world, id, &info) != STOA_OK || (info.flags & STOA_HIDDEN) != 0;
}

size_t stoa_describe(const stoa_world *world, stoa_entity e, char *buffer, size_t size) {
    char handle[STOA_ENTITY_TEXT_SIZE];
    if (!arguments_check(world, buffer, size)) {
        return 0;
    }
    stoa__writer out = stoa__writer_new(buffer, size);
    if (stoa_entity_is_null(e)) {
        stoa__writer_put(&out, "null");
        return out.length;
    }
    stoa__writer_put(&out, stoa_entity_print(e, handle, sizeof handle));
    if (!stoa_alive(world, e)) {
        stoa__writer_put(&out, " dead");
        return out.length;
    }
    stoa_component last = (stoa_component)stoa_component_count(world);
    for (stoa_component id = 1; id <= last; id++) {
        if (stoa_has_id(world, e, id) && !component_is_hidden(world, id)) {
            stoa__writer_put(&out, "\n  ");
            component_print(world, e, id, &out);
            stoa__writer_put(&out, stoa_enabled_id(world, e, id) ? "" : " (off)");
        }
    }
    return out.length;
}
