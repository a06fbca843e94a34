/* Structs by their text: `{ float x, *p, m[4]; }`.
 *
 * Next to the layout C gives, the ones that a packed struct would have are kept, to know where a
 * text leaves room for doubt. Linear in the text but for the search of equal names. One thread at a
 * time. */
#include "storage/reflect_form.h"

#include "base/error.h"
#include "storage/reflect_draft.h"

#define PACK_COUNT 6

/* Where members come to stand if none is aligned to more than a limit. */
typedef struct layout {
    uint64_t end;
    uint32_t alignment;
    int32_t doubt; /* the first draft that stands elsewhere than in C's own layout, or -1 */
} layout;

/* The first is C's own. */
static const uint32_t pack_limits[PACK_COUNT] = {UINT32_MAX, 1, 2, 4, 8, 16};

typedef struct reader {
    stoa__drafts drafts;
    layout layouts[PACK_COUNT];
} reader;

static uint64_t round_up(uint64_t size, uint32_t alignment) {
    return (size + alignment - 1) / alignment * alignment;
}

/* Lays the last draft out behind those before it. */
static stoa_status draft_place(reader *r, stoa__draft *draft, uint32_t alignment, int32_t column) {
    uint64_t bytes = (uint64_t)draft->member.size * draft->member.count;
    for (int i = 0; i < PACK_COUNT; i++) {
        layout *pack = &r->layouts[i];
        uint32_t limited = alignment < pack_limits[i] ? alignment : pack_limits[i];
        uint64_t offset = round_up(pack->end, limited);
        if (offset + bytes > STOA_SIZE_MAX) {
            return stoa__lexer_fail(&r->drafts.lexer, STOA_LIMIT, column,
                                    "the type would be larger than %u bytes", STOA_SIZE_MAX);
        }
        pack->end = offset + bytes;
        pack->alignment = limited > pack->alignment ? limited : pack->alignment;
        if (i == 0) {
            draft->member.offset = (uint32_t)offset;
        } else if (pack->doubt < 0 && offset != draft->member.offset) {
            pack->doubt = r->drafts.count - 1;
        }
    }
    return STOA_OK;
}

/* Reads the brackets after a member's name. */
static stoa_status array_parse(reader *r, stoa__draft *draft) {
    stoa__lexer *lexer = &r->drafts.lexer;
    stoa__number_context context = {"size", draft->name, NULL, NULL};
    int shown = stoa__token_shown(&draft->name);
    draft->member.count = 1;
    for (;;) {
        int32_t column = stoa__lexer_column(lexer);
        stoa_status status = stoa__reflect_refuse_word(lexer, r->drafts.source);
        if (status != STOA_OK || !stoa__lexer_accept(lexer, "[")) {
            return status;
        }
        if (stoa__lexer_is(lexer, "]")) {
            return stoa__reflect_refuse(lexer, r->drafts.source, column, "the length of '%.*s'",
                                        shown, draft->name.start);
        }
        stoa__number number;
        status = stoa__number_parse(lexer, &context, &number);
        if (status != STOA_OK) {
            return status;
        }
        if (number.value < 1) {
            return stoa__lexer_fail(lexer, STOA_LAYOUT, column, "the size of '%.*s' is less than 1",
                                    shown, draft->name.start);
        }
        if ((uint64_t)number.value > STOA_SIZE_MAX / draft->member.count) {
            return stoa__lexer_fail(lexer, STOA_LIMIT, column, "the size of '%.*s' is too large",
                                    shown, draft->name.start);
        }
        draft->member.count *= (uint32_t)number.value;
        draft->member.array = true;
        if (!stoa__lexer_accept(lexer, "]")) {
            return stoa__lexer_expected(lexer, "']'");
        }
    }
}

/* Reads one declarator: stars, name, brackets. */
static stoa_status declarator_parse(reader *r, const stoa__spelling *spelling) {
    stoa__lexer *lexer = &r->drafts.lexer;
    stoa__element element = {0};
    stoa__draft *draft = NULL;
    if (stoa__lexer_is(lexer, ":")) {
        return stoa__reflect_refuse(lexer, r->drafts.source, stoa__lexer_column(lexer),
                                    "a nameless bit-field");
    }
    stoa_status status = stoa__spelling_element(lexer, r->drafts.source, spelling, &element);
    int32_t column = stoa__lexer_column(lexer);
    if (status == STOA_OK) {
        status = stoa__drafts_add(&r->drafts, "the name of a member", &draft);
    }
    if (status == STOA_OK) {
        draft->member.kind = element.kind;
        draft->member.size = element.size;
        draft->member.type = element.type;
        status = array_parse(r, draft);
    }
    if (status == STOA_OK && stoa__lexer_is(lexer, ":")) {
        status = stoa__reflect_refuse(lexer, r->drafts.source, column, "the bit-field '%.*s'",
                                      stoa__token_shown(&draft->name), draft->name.start);
    } else if (status == STOA_OK && stoa__lexer_is(lexer, "(")) {
        status = stoa__reflect_refuse(lexer, r->drafts.source, column, "the function '%.*s'",
                                      stoa__token_shown(&draft->name), draft->name.start);
    }
    return status == STOA_OK ? draft_place(r, draft, element.alignment, column) : status;
}

/* Reads `type a, *b, c[4];`. */
static stoa_status declaration_parse(reader *r) {
    stoa__spelling spelling;
    stoa_status status = stoa__spelling_parse(&r->drafts.lexer, r->drafts.source, &spelling);
    if (status != STOA_OK) {
        return status;
    }
    do {
        status = declarator_parse(r, &spelling);
        if (status != STOA_OK) {
            return status;
        }
    } while (stoa__lexer_accept(&r->drafts.lexer, ","));
    return stoa__lexer_accept(&r->drafts.lexer, ";")
               ? STOA_OK
               : stoa__lexer_expected(&r->drafts.lexer, "',' or ';'");
}

/* Reads a struct's text; one without members, such as a name alone, leaves no drafts. */
static stoa_status struct_parse(reader *r) {
    stoa__lexer *lexer = &r->drafts.lexer;
    if (r->drafts.source->form == STOA_FORM_FOREIGN && lexer->token.kind == STOA__TOKEN_NAME) {
        stoa__lexer_next(lexer);
        if (lexer->token.kind == STOA__TOKEN_END) {
            return STOA_OK;
        }
        if (!stoa__lexer_accept(lexer, ",")) {
            return stoa__lexer_expected(lexer, "','");
        }
    }
    stoa_status status = stoa__drafts_begin(&r->drafts);
    while (status == STOA_OK && !stoa__lexer_is(lexer, "}")) {
        status = declaration_parse(r);
    }
    return status == STOA_OK ? stoa__drafts_finish(&r->drafts, "'}'") : status;
}

/* Compares the layout of the text with what the compiler says, and with what it might have done. */
static stoa_status layout_check(const reader *r, stoa__reflection *result) {
    const stoa__reflect_source *source = r->drafts.source;
    const layout *natural = &r->layouts[0];
    uint32_t alignment = source->alignment != 0 ? source->alignment : natural->alignment;
    uint64_t total = round_up(natural->end, natural->alignment);
    uint64_t size = source->size != 0 ? source->size : total;
    if (size != total || alignment != natural->alignment) {
        return stoa__error(STOA_LAYOUT,
                           "type '%s': its text comes to %u bytes aligned to %u, the compiler says "
                           "%u aligned to %u (packed or aligned?); describe it with "
                           "STOA_TYPE_MEMBERS",
                           source->name, (unsigned)total, (unsigned)natural->alignment,
                           (unsigned)size, (unsigned)alignment);
    }
    for (int i = 1; i < PACK_COUNT && source->form == STOA_FORM_FOREIGN; i++) {
        const layout *packed = &r->layouts[i];
        if (packed->doubt >= 0 && round_up(packed->end, alignment) == total) {
            const stoa__token *name = &r->drafts.items[packed->doubt].name;
            return stoa__error(STOA_LAYOUT,
                               "type '%s': the place of '%.*s' is in doubt, since a packed struct "
                               "could be as large; describe it with STOA_TYPE_MEMBERS",
                               source->name, stoa__token_shown(name), name->start);
        }
    }
    result->size = (uint32_t)total;
    result->alignment = alignment;
    return STOA_OK;
}

stoa_status stoa__reflect_struct(stoa__heap *heap, const stoa__reflect_source *source,
                                 stoa__reflection *result) {
    reader r;
    for (int i = 0; i < PACK_COUNT; i++) {
        r.layouts[i] = (layout){0, 1, -1};
    }
    stoa_status status = stoa__drafts_open(&r.drafts, heap, source, source->text);
    if (status == STOA_OK) {
        status = struct_parse(&r);
    }
    if (status == STOA_OK && r.drafts.count > 0) {
        status = layout_check(&r, result);
        if (status == STOA_OK) {
            status = stoa__drafts_members(&r.drafts, result);
        }
    }
    stoa__drafts_close(&r.drafts);
    return status;
}
