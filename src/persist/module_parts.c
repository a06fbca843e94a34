/* The parts of a module: what its load function names.
 *
 * Descriptions are copied as they are given; texts and functions in them are the library's, which
 * stays while its parts do. Types are listed once for each descriptor. O(parts x types). */
#include "persist/module.h"

#include "base/hash.h"

#include <string.h>

/* Notes that a part could not be listed: the load function need not look at every status. */
static stoa_status part_failed(const stoa_module *module, stoa_status status) {
    if (module != NULL && module->loading != NULL && module->loading->failed == STOA_OK) {
        module->loading->failed = status;
    }
    return stoa_world_report(module != NULL ? module->world : NULL, status);
}

static stoa_status null_refuse(const stoa_module *module, const char *what) {
    return part_failed(module, stoa__error(STOA_NULL_ARGUMENT, "the %s must not be null", what));
}

/* Adds a part like another, with a copy of its description; reported. */
static stoa_status part_add(stoa_module *module, const stoa__part *like, const void *desc,
                            size_t size) {
    stoa__version *version = module->loading;
    if (version == NULL) {
        return part_failed(module,
                           stoa__error(STOA_LOCKED,
                                       "parts of module '%s' are named by its load function alone",
                                       module->name));
    }
    void *copy = size > 0 ? stoa__heap_alloc(&module->heap, size, _Alignof(max_align_t)) : NULL;
    if ((size > 0 && copy == NULL) ||
        !stoa__heap_grow(&module->heap, &version->parts, &version->part_capacity,
                         version->part_count + 1, sizeof *version->parts)) {
        stoa__heap_free(&module->heap, copy, size, _Alignof(max_align_t));
        return part_failed(module, stoa__error_memory("a part of a module"));
    }
    if (size > 0) {
        memcpy(copy, desc, size);
    }
    stoa__part *part = &version->parts[version->part_count++];
    *part = *like;
    part->desc = copy;
    part->desc_size = size;
    return STOA_OK;
}

/* Adds a part that is a description, and where to put what is made of it. */
static stoa_status desc_add(stoa_module *module, stoa__part_kind kind, const void *desc,
                            size_t size, void *place) {
    if (module == NULL || desc == NULL) {
        return null_refuse(module, module == NULL ? "module" : "description");
    }
    return part_add(module, &(stoa__part){.kind = kind, .place = place}, desc, size);
}

stoa_status stoa_module_type(stoa_module *module, stoa_type *type) {
    if (module == NULL || type == NULL) {
        return null_refuse(module, module == NULL ? "module" : "type");
    }
    return part_add(module, &(stoa__part){.kind = STOA__PART_TYPE, .type = type}, NULL, 0);
}

stoa_status stoa_module_resource_type(stoa_module *module, stoa_type *type, const void *value) {
    if (module == NULL || type == NULL || (value == NULL && type->size > 0)) {
        return null_refuse(module, module == NULL ? "module" : type == NULL ? "type" : "value");
    }
    const stoa_hooks *hooks = &type->options.hooks;
    if (hooks->drop != NULL || hooks->move != NULL) {
        return part_failed(module,
                           stoa__error(STOA_REFUSED, "resource '%s' owns memory; set it in a scene",
                                       type->identifier));
    }
    return part_add(module, &(stoa__part){.kind = STOA__PART_RESOURCE, .type = type}, value,
                    type->size);
}

stoa_status stoa_module_system_desc(stoa_module *module, const stoa_system_desc *desc) {
    return desc_add(module, STOA__PART_SYSTEM, desc, sizeof *desc, NULL);
}

stoa_status stoa_module_system_describe(stoa_module *module, stoa_system_describe_fn describe,
                                        void *user) {
    if (module == NULL || describe == NULL) {
        return null_refuse(module, module == NULL ? "module" : "description");
    }
    return part_add(module,
                    &(stoa__part){.kind = STOA__PART_SYSTEM, .describe = describe, .user = user},
                    NULL, 0);
}

stoa_status stoa_module_stage(stoa_module *module, const stoa_stage_desc *desc, stoa_stage *stage) {
    if (module != NULL && desc != NULL && desc->name == NULL) {
        return null_refuse(module, "name of a stage");
    }
    return desc_add(module, STOA__PART_STAGE, desc, sizeof *desc, stage);
}

stoa_status stoa_module_query(stoa_module *module, const stoa_query_desc *desc,
                              stoa_query **query) {
    if (module != NULL && desc != NULL && query == NULL) {
        return null_refuse(module, "place of a query");
    }
    return desc_add(module, STOA__PART_QUERY, desc, sizeof *desc, query);
}

stoa_status stoa_module_hook(stoa_module *module, const stoa_hook_desc *desc) {
    return desc_add(module, STOA__PART_HOOK, desc, sizeof *desc, NULL);
}

stoa_status stoa_module_observer(stoa_module *module, const stoa_observer_desc *desc) {
    return desc_add(module, STOA__PART_OBSERVER, desc, sizeof *desc, NULL);
}

stoa_status stoa_module_veto(stoa_module *module, const stoa_veto_desc *desc) {
    return desc_add(module, STOA__PART_VETO, desc, sizeof *desc, NULL);
}

stoa_status stoa_module_listener(stoa_module *module, const stoa_listener_desc *desc) {
    return desc_add(module, STOA__PART_LISTENER, desc, sizeof *desc, NULL);
}

void stoa__part_system(const stoa__part *part, stoa_system_desc *desc) {
    if (part->describe != NULL) {
        part->describe(desc);
        desc->user = part->user != NULL ? part->user : desc->user;
    } else {
        memcpy(desc, part->desc, sizeof *desc);
    }
}

void stoa__version_fini(stoa_module *module, stoa__version *version) {
    for (uint32_t i = 0; i < version->part_count; i++) {
        stoa__heap_free(&module->heap, version->parts[i].desc, version->parts[i].desc_size,
                        _Alignof(max_align_t));
    }
    stoa__heap_grow_free(&module->heap, version->parts, version->part_capacity,
                         sizeof *version->parts);
    stoa__heap_grow_free(&module->heap, version->types, version->type_capacity,
                         sizeof *version->types);
    stoa__library_close(&module->heap, &version->library);
    *version = (stoa__version){.part_count = 0};
}

/* Lists a descriptor that is not listed yet; NULL is fine. */
static stoa_status type_list(stoa_module *module, stoa__version *version, stoa_type *type) {
    bool listed = type == NULL;
    for (uint32_t i = 0; i < version->type_count && !listed; i++) {
        listed = version->types[i] == type;
    }
    if (listed) {
        return STOA_OK;
    }
    if (!stoa__heap_grow(&module->heap, &version->types, &version->type_capacity,
                         version->type_count + 1, sizeof *version->types)) {
        return stoa__error_memory("the types of a module");
    }
    version->types[version->type_count++] = type;
    return STOA_OK;
}

static stoa_status terms_list(stoa_module *module, stoa__version *version, const stoa_term *terms,
                              uint32_t most) {
    stoa_status status = STOA_OK;
    for (uint32_t i = 0; i < most && terms[i].access != STOA_ACCESS_END && status == STOA_OK; i++) {
        status = type_list(module, version, terms[i].type);
    }
    return status;
}

static stoa_status system_list(stoa_module *module, stoa__version *version,
                               const stoa__part *part) {
    stoa_system_desc desc;
    stoa__part_system(part, &desc);
    stoa_status status = terms_list(module, version, desc.terms, STOA_TERM_MAX);
    if (status == STOA_OK) {
        status = terms_list(module, version, desc.access, STOA_DECLARE_MAX);
    }
    return status == STOA_OK ? terms_list(module, version, desc.resources, STOA_DECLARE_MAX)
                             : status;
}

static stoa_status part_list(stoa_module *module, stoa__version *version, const stoa__part *part) {
    switch (part->kind) {
    case STOA__PART_TYPE:
    case STOA__PART_RESOURCE:
        return type_list(module, version, part->type);
    case STOA__PART_QUERY:
        return terms_list(module, version, ((const stoa_query_desc *)part->desc)->terms,
                          STOA_TERM_MAX);
    case STOA__PART_OBSERVER:
        return terms_list(module, version, ((const stoa_observer_desc *)part->desc)->query.terms,
                          STOA_TERM_MAX);
    case STOA__PART_HOOK:
        return type_list(module, version, ((const stoa_hook_desc *)part->desc)->type);
    case STOA__PART_VETO:
        return type_list(module, version, ((const stoa_veto_desc *)part->desc)->type);
    case STOA__PART_LISTENER:
        return type_list(module, version, ((const stoa_listener_desc *)part->desc)->type);
    case STOA__PART_SYSTEM:
        return system_list(module, version, part);
    case STOA__PART_STAGE:
        break;
    }
    return STOA_OK;
}

/* A hash of all that a description says, but for functions. */
static uint64_t type_hash(const stoa_type *type) {
    stoa__hasher hasher;
    stoa__hasher_init(&hasher);
    stoa__hasher_add_u32(&hasher, (uint32_t)type->form);
    stoa__hasher_add_text(&hasher, type->identifier);
    stoa__hasher_add_text(&hasher, type->options.name);
    stoa__hasher_add_text(&hasher, type->text);
    stoa__hasher_add_u32(&hasher, type->size);
    stoa__hasher_add_u32(&hasher, type->alignment);
    stoa__hasher_add_u32(&hasher, type->options.flags);
    for (const stoa_member_desc *m = type->members; m != NULL && m->name != NULL; m++) {
        stoa__hasher_add_text(&hasher, m->name);
        stoa__hasher_add_text(&hasher, m->type_name);
        stoa__hasher_add_u32(&hasher, m->offset);
        stoa__hasher_add_u32(&hasher, m->size);
    }
    return stoa__hasher_result(&hasher);
}

static stoa__slot_kept *slot_find(const stoa_module *module, uint64_t hash) {
    for (uint32_t i = 0; i < module->slot_count; i++) {
        if (module->slots[i].hash == hash) {
            return &module->slots[i];
        }
    }
    return NULL;
}

/* Gives a descriptor the slot of one that went and said the same, unless another has it: worlds
 * need not make room for ever more slots. */
static void slot_inherit(const stoa_module *module, const stoa__version *version, uint32_t i) {
    stoa_type *type = version->types[i];
    const stoa__slot_kept *kept = slot_find(module, type_hash(type));
    bool taken = kept == NULL || STOA_LOAD(&type->slot) != 0;
    for (uint32_t k = 0; k < i && !taken; k++) {
        taken = STOA_LOAD(&version->types[k]->slot) == kept->slot;
    }
    if (!taken) {
        STOA_STORE(&type->slot, kept->slot);
    }
}

stoa_status stoa__version_types(stoa_module *module, stoa__version *version) {
    stoa_status status = STOA_OK;
    for (uint32_t i = 0; i < version->part_count && status == STOA_OK; i++) {
        status = part_list(module, version, &version->parts[i]);
    }
    for (uint32_t i = 0; i < version->type_count && status == STOA_OK; i++) {
        slot_inherit(module, version, i);
    }
    return status;
}

void stoa__version_slots_keep(stoa_module *module, const stoa__version *version) {
    for (uint32_t i = 0; i < version->type_count; i++) {
        uint64_t hash = type_hash(version->types[i]);
        uint32_t slot = STOA_LOAD(&version->types[i]->slot);
        if (slot != 0 && slot_find(module, hash) == NULL &&
            stoa__heap_grow(&module->heap, &module->slots, &module->slot_capacity,
                            module->slot_count + 1, sizeof *module->slots)) {
            module->slots[module->slot_count++] = (stoa__slot_kept){hash, slot};
        }
    }
}
