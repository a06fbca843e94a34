/* Enums by their text: `{ RED, GREEN = 5, BLUE = RED + 2 }`.
 *
 * An enum is one integer, told as a member named "value", and the table of what its values are
 * called. Linear in the text but for the search of names. One thread at a time. */
#include "storage/reflect_form.h"

#include "base/error.h"
#include "storage/reflect_draft.h"

static bool value_find(const stoa__token *name, stoa__number *number, void *user) {
    const stoa__draft *draft = stoa__drafts_find(user, name);
    if (draft != NULL) {
        *number = draft->value;
    }
    return draft != NULL;
}

/* The value after the last one, for a name without one of its own. */
static stoa_status value_next(const stoa__drafts *drafts, stoa__number *next) {
    if (drafts->count < 2) {
        *next = (stoa__number){0};
        return STOA_OK;
    }
    *next = drafts->items[drafts->count - 2].value;
    if (next->value == INT64_MAX) {
        return stoa__lexer_fail(&drafts->lexer, STOA_SYNTAX, stoa__lexer_column(&drafts->lexer),
                                "no value comes after the largest one");
    }
    next->value++;
    next->wide = next->wide || next->value > (next->is_unsigned ? UINT32_MAX : INT32_MAX);
    return STOA_OK;
}

/* Reads `NAME` or `NAME = expression`. */
static stoa_status value_parse(stoa__drafts *drafts) {
    stoa__draft *draft = NULL;
    stoa_status status = stoa__drafts_add(drafts, "the name of a value", &draft);
    if (status != STOA_OK) {
        return status;
    }
    if (stoa__lexer_accept(&drafts->lexer, "=")) {
        /* A value cannot name itself: it is not there until its expression is read. */
        stoa__number_context context = {"value", draft->name, value_find, drafts};
        drafts->count--;
        status = stoa__number_parse(&drafts->lexer, &context, &draft->value);
        drafts->count++;
    } else {
        status = value_next(drafts, &draft->value);
    }
    if (stoa__number_is_int(draft->value.value)) {
        draft->value.wide = draft->value.is_unsigned = false;
    }
    return status;
}

static stoa_status enum_parse(stoa__drafts *drafts) {
    stoa__lexer *lexer = &drafts->lexer;
    stoa_status status = stoa__drafts_begin(drafts);
    if (status != STOA_OK) {
        return status;
    }
    do {
        status = value_parse(drafts);
        if (status != STOA_OK) {
            return status;
        }
    } while (stoa__lexer_accept(lexer, ",") && !stoa__lexer_is(lexer, "}"));
    return stoa__drafts_finish(drafts, "',' or '}'");
}

/* One integer of that size must hold every value, signed if any is negative. */
static stoa_status values_check(const stoa__drafts *drafts, uint32_t size) {
    bool negative = false;
    for (int32_t i = 0; i < drafts->count; i++) {
        negative = negative || drafts->items[i].value.value < 0;
    }
    int64_t most = size == 8 ? INT64_MAX : ((int64_t)1 << (size * 8 - negative)) - 1;
    for (int32_t i = 0; i < drafts->count; i++) {
        int64_t value = drafts->items[i].value.value;
        if (value > most || value < -most - 1) {
            const stoa__token *name = &drafts->items[i].name;
            return stoa__error(
                STOA_LAYOUT, "type '%s': the value of '%.*s' does not fit the enum's %u bytes",
                drafts->source->name, stoa__token_shown(name), name->start, (unsigned)size);
        }
    }
    return STOA_OK;
}

static stoa_status value_member(stoa__drafts *drafts, uint32_t size, stoa__reflection *result) {
    drafts->items[0].name = (stoa__token){STOA__TOKEN_NAME, "value", 5, NULL};
    drafts->items[0].member = (stoa_member){.kind = STOA_KIND_ENUM, .size = size, .count = 1};
    drafts->count = 1;
    return stoa__drafts_members(drafts, result);
}

stoa_status stoa__reflect_enum(stoa__heap *heap, const stoa__reflect_source *source,
                               stoa__reflection *result) {
    uint32_t size = source->size != 0 ? source->size : 4;
    if (size != 1 && size != 2 && size != 4 && size != 8) {
        return stoa__error(STOA_LAYOUT, "type '%s': an enum cannot have %u bytes", source->name,
                           (unsigned)size);
    }
    stoa__drafts drafts;
    stoa_status status = stoa__drafts_open(&drafts, heap, source, source->text);
    if (status == STOA_OK) {
        status = enum_parse(&drafts);
    }
    if (status == STOA_OK) {
        status = values_check(&drafts, size);
    }
    if (status == STOA_OK) {
        status = stoa__drafts_values(&drafts, result);
    }
    if (status == STOA_OK) {
        status = value_member(&drafts, size, result);
    }
    stoa__drafts_close(&drafts);
    result->size = size;
    result->alignment = source->alignment != 0 ? source->alignment : size;
    return status;
}
