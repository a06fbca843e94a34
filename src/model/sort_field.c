/* From a path such as "at.x" or "v[1]" to a number in a component. Reads only. */
#include "base/error.h"
#include "model/path.h"
#include "model/sort.h"

#include <string.h>

/* An enum is unsigned, as compilers make it, unless one of its values is below 0. */
static bool enum_kind(const stoa_world *world, stoa_component type, uint32_t size,
                      stoa__sort_kind *kind) {
    int32_t count = 0;
    const stoa_enum_value *values = type != 0 ? stoa_component_enum(world, type, &count) : NULL;
    bool is_signed = count == 0;
    for (int32_t i = 0; i < count; i++) {
        is_signed = is_signed || values[i].value < 0;
    }
    switch (size) {
    case 1:
        *kind = is_signed ? STOA__SORT_I8 : STOA__SORT_U8;
        return true;
    case 2:
        *kind = is_signed ? STOA__SORT_I16 : STOA__SORT_U16;
        return true;
    case 4:
        *kind = is_signed ? STOA__SORT_I32 : STOA__SORT_U32;
        return true;
    case 8:
        *kind = is_signed ? STOA__SORT_I64 : STOA__SORT_U64;
        return true;
    default:
        return false;
    }
}

/* How a member is read as a key; false if it is no number. */
static bool member_kind(const stoa_world *world, const stoa_member *member, stoa__sort_kind *kind) {
    static const struct {
        stoa_kind member;
        stoa__sort_kind key;
    } kinds[] = {
        {STOA_KIND_BOOL, STOA__SORT_BOOL},     {STOA_KIND_CHAR, STOA__SORT_U8},
        {STOA_KIND_I8, STOA__SORT_I8},         {STOA_KIND_I16, STOA__SORT_I16},
        {STOA_KIND_I32, STOA__SORT_I32},       {STOA_KIND_I64, STOA__SORT_I64},
        {STOA_KIND_U8, STOA__SORT_U8},         {STOA_KIND_U16, STOA__SORT_U16},
        {STOA_KIND_U32, STOA__SORT_U32},       {STOA_KIND_U64, STOA__SORT_U64},
        {STOA_KIND_F32, STOA__SORT_F32},       {STOA_KIND_F64, STOA__SORT_F64},
        {STOA_KIND_ENTITY, STOA__SORT_ENTITY},
    };
    if (member->kind == STOA_KIND_ENUM) {
        return enum_kind(world, member->type, member->size, kind);
    }
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        if (kinds[i].member == member->kind) {
            *kind = kinds[i].key;
            return true;
        }
    }
    return false;
}

/* The component itself is the key. */
static stoa_status whole_find(const stoa_world *world, const stoa_component_info *info,
                              stoa__sort_key *key) {
    int32_t count = 0;
    stoa_component_enum(world, info->id, &count);
    if (count == 0 || !enum_kind(world, info->id, info->size, &key->kind)) {
        return stoa__error(STOA_INVALID, "component '%s' is no enum: name one of its fields",
                           info->name);
    }
    key->offset = 0;
    return STOA_OK;
}

stoa_status stoa__sort_field_find(const stoa_world *world, stoa_component id, const char *path,
                                  stoa__sort_key *key) {
    stoa_component_info info;
    stoa_status status = stoa_component_info_get(world, id, &info);
    if (status != STOA_OK || path == NULL) {
        return status == STOA_OK ? whole_find(world, &info, key) : status;
    }
    stoa__path found;
    status = stoa__path_find(world, &info, path, &found);
    if (status != STOA_OK) {
        return status;
    }
    key->offset = found.offset;
    if (found.array) {
        return stoa__error_at(STOA_INVALID, (int32_t)strlen(path) + 1,
                              "field '%s' is an array: name one of its elements, as in '%s[0]'",
                              found.member->name, found.member->name);
    }
    return member_kind(world, found.member, &key->kind)
               ? STOA_OK
               : stoa__error_at(STOA_INVALID, 1, "field '%s' of '%s' is no number", path,
                                info.name);
}
