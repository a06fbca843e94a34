/* Single values and entities as JSON.
 *
 * An entity is an object: its name, a member for each component by the component's name, what is
 * switched off, and the lists of relations. What is read is made ready as a bundle before the world
 * is touched, and given in one call, so that all of it is taken or nothing. */
#include "json/entity.h"

#include <string.h>

#include "stoa/extension.h"

stoa_status stoa__json_arguments(const stoa_world *world, const stoa_sink *sink) {
    if (world == NULL || sink == NULL || sink->write == NULL) {
        return stoa__error(STOA_NULL_ARGUMENT, "the %s must not be null",
                           world == NULL ? "world" : "sink");
    }
    return STOA_OK;
}

stoa_status stoa_json_save_value(const stoa_world *world, stoa_component id, const void *value,
                                 uint32_t flags, const stoa_sink *sink) {
    stoa_component_info info;
    stoa_status status = stoa__json_arguments(world, sink);
    if (status != STOA_OK) {
        return stoa_world_report(world, status);
    }
    if (stoa_component_info_get(world, id, &info) != STOA_OK) {
        return STOA_UNKNOWN;
    }
    if (value == NULL && info.size > 0) {
        return stoa_world_report(world,
                                 stoa__error(STOA_NULL_ARGUMENT, "the value must not be null"));
    }
    stoa__json_out out = stoa__json_out_new(world, flags, sink);
    if (stoa__json_way_of(&info) == STOA__JSON_LEFT_OUT) {
        out.status = stoa__error(STOA_REFUSED,
                                 "component '%s' is transient, or kept by an extension", info.name);
    } else {
        stoa__json_write_value(&out, &info, value);
    }
    return stoa_world_report(world, stoa__json_out_end(&out));
}

stoa_status stoa_json_load_value(stoa_world *world, stoa_component id, const char *text,
                                 size_t size, void *value, stoa_json_error *error) {
    stoa_component_info info;
    stoa__json_in in;
    stoa_status status = stoa__json_in_open(&in, world, text, size, true, error);
    if (status == STOA_OK) {
        status = stoa_component_info_get(world, id, &info);
        in.told = status != STOA_OK;
    }
    if (status == STOA_OK && value == NULL && info.size > 0) {
        status = stoa__error(STOA_NULL_ARGUMENT, "the value must not be null");
    }
    if (status == STOA_OK) {
        status = stoa__json_read_value(&in, NULL, &info, in.root, value, false);
    }
    return stoa__json_in_end(&in, status);
}

/* What is switched off. */
static void off_write(stoa__json_out *out, stoa_entity e) {
    stoa_component last = (stoa_component)stoa_component_count(out->world);
    bool any = false;
    for (stoa_component id = 1; id <= last; id++) {
        stoa_component_info info;
        if (stoa_component_info_get(out->world, id, &info) != STOA_OK ||
            (info.flags & STOA_SWITCHABLE) == 0 || !stoa_has_id(out->world, e, id) ||
            stoa_enabled_id(out->world, e, id) || stoa__json_way_of(&info) == STOA__JSON_LEFT_OUT) {
            continue;
        }
        stoa__json_out_listed(out, "off", info.name, &any);
    }
    if (any) {
        stoa__json_out_close(out, ']');
    }
}

/* The lists of relations with many targets. */
static void relations_write(stoa__json_out *out, stoa_entity e) {
    bool any = false;
    for (stoa_relation r = stoa_relation_next(out->world, (stoa_relation){0}); r.id != 0;
         r = stoa_relation_next(out->world, r)) {
        stoa_relation_info info;
        if (stoa_relation_info_get(out->world, r, &info) != STOA_OK || !info.many) {
            continue;
        }
        stoa_links targets = stoa_relation_targets(out->world, r, e);
        if (targets.count == 0) {
            continue;
        }
        if (!any) {
            stoa__json_out_key(out, "relations");
            stoa__json_out_open(out, '{', false);
            any = true;
        }
        stoa__json_out_key(out, info.name);
        stoa__json_out_open(out, '[', false);
        for (int32_t i = 0; i < targets.count; i++) {
            stoa__json_out_item(out);
            stoa__json_out_entity(out, targets.items[i]);
        }
        stoa__json_out_close(out, ']');
    }
    if (any) {
        stoa__json_out_close(out, '}');
    }
}

void stoa__json_entity_write(stoa__json_out *out, stoa_entity e, stoa_component skipped) {
    stoa_component last = (stoa_component)stoa_component_count(out->world);
    for (stoa_component id = 1; id <= last && out->status == STOA_OK; id++) {
        stoa_component_info info;
        if (id == skipped || !stoa_has_id(out->world, e, id) ||
            stoa_component_info_get(out->world, id, &info) != STOA_OK ||
            stoa__json_way_of(&info) == STOA__JSON_LEFT_OUT) {
            continue;
        }
        stoa__json_out_component(out, info.name);
        stoa__json_write_value(out, &info,
                               info.size > 0 ? stoa_try_get_id(out->world, e, id) : NULL);
    }
    stoa__json_tail_write(out, e);
}

void stoa__json_tail_write(stoa__json_out *out, stoa_entity e) {
    off_write(out, e);
    relations_write(out, e);
}

stoa_status stoa_json_save_entity(const stoa_world *world, stoa_entity e, uint32_t flags,
                                  const stoa_sink *sink) {
    stoa_status status = stoa__json_arguments(world, sink);
    if (status == STOA_OK && !stoa_alive(world, e)) {
        char text[STOA_ENTITY_TEXT_SIZE];
        status =
            stoa__error(STOA_DEAD, "entity %s is dead", stoa_entity_print(e, text, sizeof text));
    }
    if (status != STOA_OK) {
        return stoa_world_report(world, status);
    }
    stoa__json_out out = stoa__json_out_new(world, flags, sink);
    stoa__json_out_open(&out, '{', true);
    const char *name = stoa_name(world, e);
    if (name != NULL) {
        stoa__json_out_key(&out, "name");
        stoa__json_out_string(&out, name);
    }
    stoa__json_entity_write(&out, e, 0);
    stoa__json_out_close(&out, '}');
    return stoa_world_report(world, stoa__json_out_end(&out));
}

/* Reads one list of targets; with a source they are linked, without they are only looked up. */
static stoa_status targets_read(stoa__json_in *in, const stoa__json_path *path, json_t *list,
                                stoa_relation relation, const stoa_entity *source) {
    if (!json_is_array(list)) {
        return stoa__json_expected(in, path, list, "a list of entities");
    }
    stoa_status status = STOA_OK;
    for (size_t i = 0; i < json_array_size(list) && status == STOA_OK; i++) {
        stoa__json_path item = {path, list, NULL, i};
        json_t *json = json_array_get(list, i);
        stoa_entity target;
        if (!json_is_string(json)) {
            return stoa__json_expected(in, &item, json, "an entity");
        }
        status = in->resolve(in, &item, json_string_value(json), &target);
        if (status == STOA_OK && source != NULL) {
            status = stoa_relation_add(in->world, relation, *source, target);
            if (status != STOA_OK) {
                status = stoa__json_fail_told(in, &item, status);
            }
        }
    }
    return status;
}

stoa_status stoa__json_relations_read(stoa__json_in *in, const stoa__json_path *path,
                                      json_t *object, const stoa_entity *source) {
    json_t *lists = json_object_get(object, "relations");
    stoa__json_path at = {path, object, "relations", 0};
    if (lists == NULL) {
        return STOA_OK;
    }
    if (!json_is_object(lists)) {
        return stoa__json_expected(in, &at, lists, "an object");
    }
    stoa_status status = STOA_OK;
    for (void *i = json_object_iter(lists); i != NULL && status == STOA_OK;
         i = json_object_iter_next(lists, i)) {
        stoa__json_path member = {&at, lists, json_object_iter_key(i), 0};
        stoa_relation relation = stoa_relation_find(in->world, member.key);
        stoa_relation_info info;
        if (relation.id == 0 || stoa_relation_info_get(in->world, relation, &info) != STOA_OK ||
            !info.many) {
            return stoa__json_fail(in, &member, STOA_NOT_FOUND,
                                   "there is no relation '%.64s' with lists", member.key);
        }
        status = targets_read(in, &member, json_object_iter_value(i), relation, source);
    }
    return status;
}

/* Makes an entity of a bundle; what comes after its creation takes it back if it fails. */
static stoa_status entity_make(stoa__json_in *in, stoa__json_bundle *bundle, stoa_entity *e) {
    *e = stoa_create_values(in->world, bundle->values, (int32_t)bundle->count);
    if (stoa_entity_is_null(*e)) {
        return stoa__json_fail_told(in, NULL, stoa_last_error().status);
    }
    stoa__json_bundle_moved(bundle);
    stoa_status status = stoa__json_off_apply(in, in->root, *e);
    in->told = status != STOA_OK;
    if (status == STOA_OK) {
        status = stoa__json_relations_read(in, NULL, in->root, e);
    }
    if (status != STOA_OK) {
        bool muted = stoa__error_mute(true);
        (void)stoa_destroy(in->world, *e);
        stoa__error_mute(muted);
        *e = STOA_NULL;
    }
    return status;
}

stoa_entity stoa_json_load_entity(stoa_world *world, const char *text, size_t size,
                                  stoa_json_error *error) {
    stoa__json_in in;
    stoa__json_bundle bundle;
    stoa_entity e = STOA_NULL;
    stoa_status status = stoa__json_in_open(&in, world, text, size, false, error);
    if (status == STOA_OK) {
        status = stoa__json_bundle_read(&in, NULL, in.root,
                                        STOA__JSON_NAME | STOA__JSON_NAME_VALUE | STOA__JSON_OFF |
                                            STOA__JSON_RELATIONS,
                                        STOA_NULL, &bundle);
        if (status == STOA_OK) {
            status = stoa__json_off_check(&in, NULL, in.root, &bundle, STOA_NULL);
            if (status == STOA_OK) {
                status = stoa__json_relations_read(&in, NULL, in.root, NULL);
            }
            if (status == STOA_OK) {
                status = entity_make(&in, &bundle, &e);
            }
            stoa__json_bundle_free(&bundle);
        }
    }
    (void)stoa__json_in_end(&in, status);
    return e;
}

stoa_status stoa_json_apply(stoa_world *world, stoa_entity e, const char *text, size_t size,
                            stoa_json_error *error) {
    stoa__json_in in;
    stoa__json_bundle bundle;
    stoa_status status = stoa__json_in_open(&in, world, text, size, false, error);
    if (status == STOA_OK && !stoa_alive(world, e)) {
        char handle[STOA_ENTITY_TEXT_SIZE];
        status = stoa__error(STOA_DEAD, "entity %s is dead",
                             stoa_entity_print(e, handle, sizeof handle));
    }
    if (status == STOA_OK) {
        status = stoa__json_bundle_read(&in, NULL, in.root,
                                        STOA__JSON_NAME | STOA__JSON_NAME_VALUE | STOA__JSON_OFF |
                                            STOA__JSON_REMOVE,
                                        e, &bundle);
        if (status == STOA_OK) {
            status = stoa__json_off_check(&in, NULL, in.root, &bundle, e);
            if (status == STOA_OK) {
                status = stoa_change_values(world, e, bundle.values, (int32_t)bundle.count);
                if (status == STOA_OK) {
                    stoa__json_bundle_moved(&bundle);
                    status = stoa__json_off_apply(&in, in.root, e);
                    in.told = status != STOA_OK;
                } else {
                    status = stoa__json_fail_told(&in, NULL, status);
                }
            }
            stoa__json_bundle_free(&bundle);
        }
    }
    return stoa__json_in_end(&in, status);
}
