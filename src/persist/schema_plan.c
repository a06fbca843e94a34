/* Plans: how to bring values from one form to another, made once for a column of any length.
 *
 * Both ends are types of a schema, that of the world being made for the occasion; so what is saved
 * and what a program has are looked at in the same way. One thread at a time. */
#include "persist/schema.h"

#include "base/error.h"
#include "persist/schema_build.h"
#include "persist/schema_compile.h"
#include "stoa/world.h"

#include <string.h>

static void compiler_init(stoa__compiler *c, stoa__route *plan) {
    *c = (stoa__compiler){.plan = plan};
    c->path = stoa__writer_new(c->path_text, sizeof c->path_text);
}

/* Whether the first step alone copies whole values; what is left then are bools. */
static bool plan_copies(const stoa__route *plan) {
    const stoa__step *first = plan->steps;
    if (plan->from_size != plan->to_size) {
        return false;
    }
    return plan->to_size == 0 ||
           (plan->step_count > 0 && first->op == STOA__OP_COPY && first->count == plan->to_size);
}

/* Packs what is in memory. */
static void pack_compile(stoa__compiler *c, const stoa__schema_type *type, uint32_t from,
                         uint32_t to) {
    if (type->field_count == 0) {
        stoa__compile_copy(c, from, to, type->size);
        return;
    }
    for (int32_t i = 0; i < type->field_count; i++) {
        const stoa__schema_field *field = &type->fields[i];
        uint32_t at = from + field->offset, packed = to + field->packed_offset;
        if (field->kind != STOA_KIND_STRUCT) {
            stoa__compile_same(c, field->kind, at, packed, field->size, field->count);
            continue;
        }
        stoa__compile_loop loop =
            stoa__compile_loop_begin(c, &(stoa__step){.op = STOA__OP_LOOP,
                                                      .from = at,
                                                      .to = packed,
                                                      .count = field->count,
                                                      .from_size = field->size,
                                                      .to_size = field->packed_size});
        pack_compile(c, &c->from_schema->types[field->type], 0, 0);
        stoa__compile_loop_end(c, loop);
    }
}

stoa_status stoa__route_pack(stoa__route *plan, const stoa__schema *schema, int32_t type) {
    const stoa__schema_type *t = &schema->types[type];
    *plan = (stoa__route){.component = t->name, .way = t->way, .same = true};
    stoa__heap_init(&plan->heap, &schema->heap.hooks);
    if (t->way == STOA__WAY_FUNCTIONS) {
        return stoa__error(STOA_INVALID, "component '%s' is saved by its functions", t->name);
    }
    stoa__compiler c;
    compiler_init(&c, plan);
    c.from_schema = c.to_schema = schema;
    c.swaps = !stoa__step_machine_is_little();
    plan->from_size = t->size;
    plan->to_size = t->packed_size;
    if (t->way != STOA__WAY_TAG) {
        pack_compile(&c, t, 0, 0);
    }
    plan->copy = plan_copies(plan);
    if (c.status != STOA_OK) {
        stoa__route_fini(plan);
    }
    return c.status;
}

static const stoa_persist *persist_of(const stoa_world *world, stoa_component id) {
    stoa_component_info info;
    return stoa_component_info_get(world, id, &info) == STOA_OK ? info.persist : NULL;
}

static const void *defaults_of(const stoa_world *world, stoa_component id) {
    const stoa_persist *persist = persist_of(world, id);
    return persist != NULL ? persist->defaults : NULL;
}

/* The defaults of the structs inside of a type, where it brings none of its own. */
static void defaults_fill(const stoa__compiler *c, const stoa__schema_type *type, uint8_t *to) {
    const void *defaults = defaults_of(c->world, type->id);
    if (defaults != NULL) {
        memcpy(to, defaults, type->size);
        return;
    }
    for (int32_t i = 0; i < type->field_count; i++) {
        const stoa__schema_field *field = &type->fields[i];
        for (uint32_t k = 0; field->kind == STOA_KIND_STRUCT && k < field->count; k++) {
            defaults_fill(c, &c->to_schema->types[field->type],
                          to + field->offset + (size_t)k * field->size);
        }
    }
}

static void defaults_make(stoa__compiler *c, int32_t type) {
    stoa__route *plan = c->plan;
    bool any = false;
    for (int32_t i = 0; i < c->to_schema->type_count; i++) {
        any = any || defaults_of(c->world, c->to_schema->types[i].id) != NULL;
    }
    if (!any || plan->copy || plan->to_size == 0 || c->status != STOA_OK) {
        return;
    }
    plan->defaults = stoa__heap_zalloc(&plan->heap, plan->to_size, _Alignof(max_align_t));
    if (plan->defaults == NULL) {
        c->status = stoa__error_memory("the defaults of a component");
        return;
    }
    defaults_fill(c, &c->to_schema->types[type], plan->defaults);
}

/* Gives back what was made for more steps: there may be a plan for each of many types. */
static void steps_trim(stoa__route *plan) {
    size_t size = plan->step_count * sizeof *plan->steps;
    if (plan->step_count > 0 && plan->step_count < plan->step_capacity) {
        void *steps =
            stoa__heap_resize(&plan->heap, plan->steps, plan->step_capacity * sizeof *plan->steps,
                              size, _Alignof(max_align_t));
        plan->steps = steps != NULL ? steps : plan->steps;
        plan->step_capacity = steps != NULL ? plan->step_count : plan->step_capacity;
    }
}

static stoa_status plan_compile(stoa__route *plan, const stoa__schema *schema, int32_t type,
                                const stoa_world *world, const stoa__schema *native,
                                stoa_component id) {
    const stoa__schema_type *saved = &schema->types[type];
    int32_t now = stoa__schema_find_id(native, id);
    stoa__compiler c;
    compiler_init(&c, plan);
    c.world = world;
    c.from_schema = schema;
    c.to_schema = native;
    c.swaps = !plan->options.memory && !stoa__step_machine_is_little();
    plan->from_size = plan->options.memory ? saved->size : saved->packed_size;
    plan->to_size = native->types[now].size;
    stoa__compile_value(&c, type, now, 0, 0);
    plan->copy = c.status == STOA_OK && plan_copies(plan);
    plan->fills = !plan->copy;
    steps_trim(plan);
    defaults_make(&c, now);
    stoa__compile_fini(&c);
    return c.status;
}

/* A component that functions saved is for functions to load. */
static stoa_status plan_functions(stoa__route *plan, const stoa_component_info *info) {
    if (info->persist == NULL || info->persist->load == NULL) {
        return stoa__error(STOA_LAYOUT, "component '%s' was saved by functions and has none now",
                           info->name);
    }
    plan->to_size = info->size;
    return STOA_OK;
}

stoa_status stoa__route_make(stoa__route *plan, const stoa__schema *schema, int32_t type,
                             const stoa_world *world, stoa_component id,
                             const stoa__route_options *options) {
    stoa_component_info info;
    *plan = (stoa__route){0};
    stoa_status status = stoa_component_info_get(world, id, &info);
    if (status != STOA_OK) {
        return status;
    }
    *plan = (stoa__route){.component = info.name, .way = schema->types[type].way, .same = true};
    plan->options = options != NULL ? *options : (stoa__route_options){0};
    stoa__heap_init(&plan->heap, stoa_world_allocator(world));
    if (plan->way == STOA__WAY_FUNCTIONS) {
        return plan_functions(plan, &info);
    }
    stoa__schema native;
    status = stoa__schema_make_by(&native, world, &id, 1, true);
    if (status == STOA_OK) {
        status = plan_compile(plan, schema, type, world, &native, id);
    } else if (status == STOA_REFUSED) {
        status = stoa__error(STOA_LAYOUT,
                             "component '%s' was saved by its members, but now it has hooks, "
                             "strings or pointers, or is not described",
                             info.name);
    }
    stoa__schema_fini(&native);
    if (status != STOA_OK) {
        stoa__route_fini(plan);
    }
    return status;
}

void stoa__route_fini(stoa__route *plan) {
    if (plan != NULL) {
        stoa__heap *heap = &plan->heap;
        stoa__heap_grow_free(heap, plan->steps, plan->step_capacity, sizeof *plan->steps);
        stoa__heap_grow_free(heap, plan->names, plan->name_capacity, 1);
        stoa__heap_grow_free(heap, plan->pairs, plan->pair_capacity, sizeof *plan->pairs);
        stoa__heap_free(heap, plan->defaults, plan->to_size, _Alignof(max_align_t));
        *plan = (stoa__route){0};
    }
}

void stoa__route_tell(const stoa__route *plan) {
    for (uint32_t i = 0; i < plan->step_count && plan->options.notice != NULL; i++) {
        const stoa__step *step = &plan->steps[i];
        if (step->losses > 0) {
            char text[768];
            const char *member = plan->names + step->name;
            stoa__writer out = stoa__writer_new(text, sizeof text);
            stoa__writer_put(&out, plan->component);
            stoa__writer_put(&out, ".");
            stoa__writer_put(&out, member);
            stoa__writer_format(&out, " lost something in %llu values",
                                (unsigned long long)step->losses);
            stoa_notice notice = {STOA_NOTICE_LOST, plan->component, member, text};
            plan->options.notice(&notice, plan->options.user);
        }
    }
}
