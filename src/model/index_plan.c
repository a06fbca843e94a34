/* How the keys of an index are read: from the path of a field to the scalars it is made of.
 *
 * Structs are taken apart down to scalars, without recursion. O(scalars), once for an index. */
#include "base/error.h"
#include "model/index_key.h"
#include "model/path.h"

/* Scalars or arrays of them in one key, at most. */
#define PART_MAX 65536

static stoa_status part_add(stoa__key_plan *plan, stoa__heap *heap, const stoa_member *m,
                            uint32_t offset, uint32_t count, bool array) {
    if (m->kind == STOA_KIND_POINTER || m->kind == STOA_KIND_NONE) {
        return stoa__error(STOA_INVALID, "field '%s' is a pointer, which is no key", m->name);
    }
    if (plan->part_count == PART_MAX) {
        return stoa__error(STOA_LIMIT, "a key of more than %d parts", PART_MAX);
    }
    if (!stoa__heap_grow(heap, &plan->parts, &plan->part_capacity, plan->part_count + 1,
                         sizeof *plan->parts)) {
        return stoa__error_memory("an index");
    }
    plan->parts[plan->part_count++] = (stoa__key_part){.offset = offset,
                                                       .size = m->size,
                                                       .count = count,
                                                       .kind = m->kind,
                                                       .text = m->kind == STOA_KIND_CHAR && array};
    return STOA_OK;
}

/* A struct that is being taken apart. */
typedef struct struct_frame {
    stoa_component_info info;
    uint32_t offset;
    int32_t member;   /* the next one */
    uint32_t element; /* of that member, if it is a struct */
} struct_frame;

static stoa_status frame_open(const stoa_world *world, struct_frame *frame, stoa_component type,
                              uint32_t offset) {
    *frame = (struct_frame){.offset = offset};
    stoa_status status = stoa_component_info_get(world, type, &frame->info);
    if (status == STOA_OK && frame->info.member_count == 0) {
        status = stoa__error(STOA_INVALID, "the fields of '%s' are not described, so it is no key",
                             frame->info.name);
    }
    return status;
}

/* Takes a struct apart, and the structs in it. */
static stoa_status struct_add(stoa__key_plan *plan, stoa__heap *heap, const stoa_world *world,
                              stoa_component type, uint32_t offset) {
    struct_frame frames[STOA_NEST_MAX];
    int32_t depth = 1;
    stoa_status status = frame_open(world, &frames[0], type, offset);
    while (status == STOA_OK && depth > 0) {
        struct_frame *top = &frames[depth - 1];
        if (top->member == top->info.member_count) {
            depth--;
            continue;
        }
        const stoa_member *m = &top->info.members[top->member];
        uint32_t at = top->offset + m->offset + top->element * m->size;
        if (m->kind != STOA_KIND_STRUCT) {
            status = part_add(plan, heap, m, at, m->count, m->array);
            top->member++;
        } else {
            bool last = ++top->element >= m->count;
            top->member += last;
            top->element = last ? 0 : top->element;
            status = frame_open(world, &frames[depth++], m->type, at);
        }
    }
    return status;
}

/* Adds what a path has come to, from its own start. */
static stoa_status place_add(stoa__key_plan *plan, stoa__heap *heap, const stoa_world *world,
                             const stoa__path *path) {
    const stoa_member *m = path->member;
    uint32_t count = path->array ? m->count : 1;
    if (m->kind != STOA_KIND_STRUCT) {
        return part_add(plan, heap, m, 0, count, path->array);
    }
    stoa_status status = STOA_OK;
    for (uint32_t i = 0; i < count && status == STOA_OK; i++) {
        status = struct_add(plan, heap, world, m->type, i * m->size);
    }
    return status;
}

/* Adds a whole component. */
static stoa_status component_add(stoa__key_plan *plan, stoa__heap *heap, const stoa_world *world,
                                 const stoa_component_info *info) {
    int32_t count;
    if (info->size != 0 && stoa_component_enum(world, info->id, &count) != NULL) {
        stoa_member number = {.name = info->name, .kind = STOA_KIND_ENUM, .size = info->size};
        return part_add(plan, heap, &number, 0, 1, false);
    }
    if (info->size == 0) {
        return stoa__error(STOA_INVALID, "component '%s' has no data to index", info->name);
    }
    return struct_add(plan, heap, world, info->id, 0);
}

/* True if the parts fit into a word; texts that end at their zero do too. */
static bool parts_are_word(const stoa__key_plan *plan) {
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < plan->part_count; i++) {
        const stoa__key_part *part = &plan->parts[i];
        bytes += (uint64_t)part->size * part->count;
        if (part->kind == STOA_KIND_STRING) {
            return false;
        }
    }
    return bytes <= sizeof(uint64_t);
}

/* Notes what makes the keys of a plan quick to read. */
static void plan_finish(stoa__key_plan *plan) {
    const stoa__key_part *part = plan->parts;
    stoa_kind kind = part->kind;
    bool scalar = plan->part_count == 1 && part->count == 1 && !part->text;
    bool is_signed = kind == STOA_KIND_I32 || kind == STOA_KIND_I64 || kind == STOA_KIND_ENUM;
    bool integer = is_signed || kind == STOA_KIND_U32 || kind == STOA_KIND_U64;
    plan->word = parts_are_word(plan);
    plan->number = scalar && kind != STOA_KIND_ENTITY && kind != STOA_KIND_STRING;
    if (scalar && integer && part->offset == 0 && part->size >= 4) {
        plan->quick = part->size;
        plan->bias = is_signed ? UINT64_C(1) << (part->size * 8 - 1) : 0;
    }
}

stoa_status stoa__key_plan_init(stoa__key_plan *plan, stoa__heap *heap, const stoa_world *world,
                                const stoa_component_info *info, const char *field) {
    *plan = (stoa__key_plan){.parts = NULL};
    stoa_status status;
    if (field == NULL) {
        status = component_add(plan, heap, world, info);
    } else {
        stoa__path path;
        status = stoa__path_find(world, info, field, &path);
        status = status == STOA_OK ? place_add(plan, heap, world, &path) : status;
        plan->base = path.offset;
    }
    if (status != STOA_OK) {
        stoa__key_plan_fini(plan, heap);
        return status;
    }
    plan_finish(plan);
    return STOA_OK;
}

void stoa__key_plan_fini(stoa__key_plan *plan, stoa__heap *heap) {
    stoa__heap_grow_free(heap, plan->parts, plan->part_capacity, sizeof *plan->parts);
    *plan = (stoa__key_plan){.parts = NULL};
}
