/* Drafts of members and values.
 *
 * Names stay in the text until a table is made, one block for rows and names. Names are searched
 * one by one: types are small. One thread at a time. */
#include "storage/reflect_draft.h"

#include <string.h>

#include "base/error.h"

/* What is declared ends with a separator or the closing brace: as many drafts there may be. */
stoa_status stoa__drafts_open(stoa__drafts *drafts, stoa__heap *heap,
                              const stoa__reflect_source *source, const char *text) {
    *drafts = (stoa__drafts){.heap = heap, .source = source};
    stoa__lexer_init(&drafts->lexer, STOA__LEXER_C, text, source->name);
    stoa__lexer ahead = drafts->lexer;
    int32_t count = 1;
    while (ahead.token.kind != STOA__TOKEN_END && count < STOA__DRAFT_MAX) {
        count += stoa__lexer_is(&ahead, ",") || stoa__lexer_is(&ahead, ";");
        stoa__lexer_next(&ahead);
    }
    size_t size = (size_t)count * sizeof(stoa__draft);
    drafts->items = stoa__heap_alloc(heap, size, _Alignof(stoa__draft));
    if (drafts->items == NULL) {
        return stoa__error_memory("the description of a type");
    }
    drafts->capacity = count;
    return STOA_OK;
}

void stoa__drafts_close(stoa__drafts *drafts) {
    stoa__heap_free(drafts->heap, drafts->items, (size_t)drafts->capacity * sizeof(stoa__draft),
                    _Alignof(stoa__draft));
}

stoa__draft *stoa__drafts_find(const stoa__drafts *drafts, const stoa__token *name) {
    for (int32_t i = 0; i < drafts->count; i++) {
        const stoa__token *other = &drafts->items[i].name;
        if (other->length == name->length && memcmp(other->start, name->start, name->length) == 0) {
            return &drafts->items[i];
        }
    }
    return NULL;
}

stoa_status stoa__drafts_add(stoa__drafts *drafts, const char *what, stoa__draft **added) {
    stoa__lexer *lexer = &drafts->lexer;
    int32_t column = stoa__lexer_column(lexer);
    if (!stoa__lexer_is_identifier(lexer) || stoa__reflect_is_reserved(lexer)) {
        return stoa__lexer_expected(lexer, what);
    }
    if (stoa__drafts_find(drafts, &lexer->token) != NULL) {
        return stoa__lexer_fail(lexer, STOA_SYNTAX, column, "'%.*s' is declared twice",
                                stoa__token_shown(&lexer->token), lexer->token.start);
    }
    if (drafts->count == drafts->capacity) {
        return stoa__lexer_fail(lexer, STOA_LIMIT, column, "more than %d names are declared",
                                STOA__DRAFT_MAX);
    }
    *added = &drafts->items[drafts->count++];
    **added = (stoa__draft){.name = lexer->token};
    stoa__lexer_next(lexer);
    return STOA_OK;
}

stoa_status stoa__drafts_begin(stoa__drafts *drafts) {
    stoa_status status = stoa__reflect_refuse_word(&drafts->lexer, drafts->source);
    if (status == STOA_OK && !stoa__lexer_accept(&drafts->lexer, "{")) {
        return stoa__lexer_expected(&drafts->lexer, "'{'");
    }
    return status;
}

stoa_status stoa__drafts_finish(stoa__drafts *drafts, const char *expected) {
    stoa__lexer *lexer = &drafts->lexer;
    stoa_status status = stoa__reflect_refuse_word(lexer, drafts->source);
    if (status == STOA_OK && !stoa__lexer_accept(lexer, "}")) {
        return stoa__lexer_expected(lexer, expected);
    }
    if (status == STOA_OK) {
        status = stoa__reflect_refuse_word(lexer, drafts->source);
    }
    if (status == STOA_OK && lexer->token.kind != STOA__TOKEN_END) {
        return stoa__lexer_expected(lexer, "the end after '}'");
    }
    return status;
}

static size_t names_size(const stoa__drafts *drafts) {
    size_t size = 0;
    for (int32_t i = 0; i < drafts->count; i++) {
        size += drafts->items[i].name.length + 1;
    }
    return size;
}

static char *name_copy(const stoa__token *name, char *to) {
    memcpy(to, name->start, name->length);
    to[name->length] = '\0';
    return to + name->length + 1;
}

stoa_status stoa__drafts_members(const stoa__drafts *drafts, stoa__reflection *result) {
    size_t table = (size_t)drafts->count * sizeof(stoa_member);
    size_t size = table + names_size(drafts);
    stoa_member *members = stoa__heap_alloc(drafts->heap, size, _Alignof(stoa_member));
    if (members == NULL) {
        return stoa__error_memory("the members of a type");
    }
    char *at = (char *)members + table;
    for (int32_t i = 0; i < drafts->count; i++) {
        members[i] = drafts->items[i].member;
        members[i].name = at;
        at = name_copy(&drafts->items[i].name, at);
    }
    result->members = members;
    result->members_size = size;
    result->member_count = drafts->count;
    return STOA_OK;
}

stoa_status stoa__drafts_values(const stoa__drafts *drafts, stoa__reflection *result) {
    size_t table = (size_t)drafts->count * sizeof(stoa_enum_value);
    size_t size = table + names_size(drafts);
    stoa_enum_value *values = stoa__heap_alloc(drafts->heap, size, _Alignof(stoa_enum_value));
    if (values == NULL) {
        return stoa__error_memory("the values of an enum");
    }
    char *at = (char *)values + table;
    for (int32_t i = 0; i < drafts->count; i++) {
        values[i] = (stoa_enum_value){at, drafts->items[i].value.value};
        at = name_copy(&drafts->items[i].name, at);
    }
    result->values = values;
    result->values_size = size;
    result->value_count = drafts->count;
    return STOA_OK;
}
