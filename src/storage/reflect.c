/* Reflection: picks the reader for the form of a description.
 *
 * A type of which no members are known keeps the size and alignment it was given. What a reader
 * made before it failed is freed here, so an error leaves nothing. One thread at a time. */
#include "storage/reflect.h"

#include "base/error.h"
#include "storage/reflect_form.h"

static stoa_status form_reflect(stoa__heap *heap, const stoa__reflect_source *source,
                                stoa__reflection *result) {
    switch (source->form) {
    case STOA_FORM_OWN:
    case STOA_FORM_FOREIGN:
        return source->text != NULL ? stoa__reflect_struct(heap, source, result) : STOA_OK;
    case STOA_FORM_MEMBERS:
        return source->members != NULL ? stoa__reflect_members(heap, source, result) : STOA_OK;
    case STOA_FORM_ENUM:
        return source->text != NULL ? stoa__reflect_enum(heap, source, result) : STOA_OK;
    case STOA_FORM_OPAQUE:
        return STOA_OK;
    }
    return stoa__error(STOA_INVALID, "type '%s' is of an unknown form", source->name);
}

stoa_status stoa__reflect(stoa__heap *heap, const stoa__reflect_source *source,
                          stoa__reflection *result) {
    *result = (stoa__reflection){0};
    stoa_status status = form_reflect(heap, source, result);
    if (status != STOA_OK) {
        stoa__reflect_free(heap, result);
    } else if (result->member_count == 0) {
        result->size = source->size;
        result->alignment = source->alignment != 0 ? source->alignment : 1;
    }
    return status;
}

void stoa__reflect_free(stoa__heap *heap, stoa__reflection *reflection) {
    stoa__heap_free(heap, reflection->members, reflection->members_size, _Alignof(stoa_member));
    stoa__heap_free(heap, reflection->values, reflection->values_size, _Alignof(stoa_enum_value));
    *reflection = (stoa__reflection){0};
}
