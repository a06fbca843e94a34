/* Members told by offsetof, for types whose layout no text can tell.
 *
 * Offsets and sizes are the compiler's own; here they are checked to be those of members that lie
 * apart inside the type. Quadratic in the members, of which types have few. One thread at a
 * time. */
#include "storage/reflect_form.h"

#include <string.h>

#include "base/error.h"
#include "storage/reflect_draft.h"

static stoa_status member_fail(const stoa__reflect_source *source, const stoa_member_desc *desc,
                               const char *why) {
    return stoa__error(STOA_LAYOUT, "type '%s': member '%s' %s", source->name, desc->name, why);
}

/* Reads the type's text, which must be one type and nothing else. */
static stoa_status element_parse(const stoa__reflect_source *source, const stoa_member_desc *desc,
                                 stoa__element *element) {
    if (desc->type_name == NULL) {
        return member_fail(source, desc, "has no type");
    }
    /* Here the size of an undescribed enum is known for certain. */
    stoa__reflect_source sized = *source;
    sized.enum_size = desc->item_size;
    stoa__lexer lexer;
    stoa__spelling spelling;
    stoa__lexer_init(&lexer, STOA__LEXER_C, desc->type_name, source->name);
    stoa_status status = stoa__spelling_parse(&lexer, &sized, &spelling);
    if (status == STOA_OK) {
        status = stoa__spelling_element(&lexer, &sized, &spelling, element);
    }
    if (status == STOA_OK && lexer.token.kind != STOA__TOKEN_END) {
        return stoa__lexer_expected(&lexer, "the end after the type");
    }
    return status;
}

static bool name_is_identifier(const char *name) {
    stoa__lexer lexer;
    stoa__lexer_init(&lexer, STOA__LEXER_C, name, NULL);
    return stoa__lexer_is_identifier(&lexer) && lexer.token.length == strlen(name);
}

static stoa_status member_read(const stoa__reflect_source *source, const stoa_member_desc *desc,
                               stoa_member *member) {
    stoa__element element = {0};
    if (!name_is_identifier(desc->name)) {
        return member_fail(source, desc, "has a name that C would not take");
    }
    stoa_status status = element_parse(source, desc, &element);
    if (status != STOA_OK) {
        return status;
    }
    if (desc->item_size != element.size) {
        return stoa__error(STOA_LAYOUT,
                           "type '%s': member '%s' has items of %u bytes, but a '%s' has %u",
                           source->name, desc->name, (unsigned)desc->item_size, desc->type_name,
                           (unsigned)element.size);
    }
    if (desc->size == 0 || desc->item_size == 0 || desc->size % desc->item_size != 0) {
        return member_fail(source, desc, "is not made of whole items");
    }
    if ((uint64_t)desc->offset + desc->size > source->size) {
        return member_fail(source, desc, "lies outside the type");
    }
    uint32_t count = desc->size / desc->item_size;
    *member = (stoa_member){.kind = element.kind,
                            .offset = desc->offset,
                            .size = element.size,
                            .count = count,
                            .array = count != 1,
                            .type = element.type};
    return STOA_OK;
}

/* No two members may have one name or share a byte. */
static stoa_status member_compare(const stoa__reflect_source *source, const stoa_member_desc *desc,
                                  const stoa_member_desc *other) {
    if (strcmp(desc->name, other->name) == 0) {
        return member_fail(source, desc, "is declared twice");
    }
    if (desc->offset < other->offset + other->size && other->offset < desc->offset + desc->size) {
        return stoa__error(STOA_LAYOUT,
                           "type '%s': members '%s' and '%s' overlap, as in a union; describe one",
                           source->name, other->name, desc->name);
    }
    return STOA_OK;
}

static stoa_status members_read(const stoa__reflect_source *source, int32_t count, char *names,
                                stoa_member *members) {
    for (int32_t i = 0; i < count; i++) {
        const stoa_member_desc *desc = &source->members[i];
        stoa_status status = member_read(source, desc, &members[i]);
        for (int32_t j = 0; j < i && status == STOA_OK; j++) {
            status = member_compare(source, desc, &source->members[j]);
        }
        if (status != STOA_OK) {
            return status;
        }
        size_t size = strlen(desc->name) + 1;
        memcpy(names, desc->name, size);
        members[i].name = names;
        names += size;
    }
    return STOA_OK;
}

stoa_status stoa__reflect_members(stoa__heap *heap, const stoa__reflect_source *source,
                                  stoa__reflection *result) {
    int32_t count = 0;
    size_t names_size = 0;
    while (source->members[count].name != NULL) {
        names_size += strlen(source->members[count++].name) + 1;
        if (count > STOA__DRAFT_MAX) {
            return stoa__error(STOA_LIMIT, "type '%s' has more than %d members", source->name,
                               STOA__DRAFT_MAX);
        }
    }
    if (count == 0) {
        return STOA_OK;
    }
    size_t table = (size_t)count * sizeof(stoa_member);
    result->members_size = table + names_size;
    result->members = stoa__heap_alloc(heap, result->members_size, _Alignof(stoa_member));
    if (result->members == NULL) {
        return stoa__error_memory("the members of a type");
    }
    result->member_count = count;
    result->size = source->size;
    result->alignment = source->alignment != 0 ? source->alignment : 1;
    return members_read(source, count, (char *)result->members + table, result->members);
}
