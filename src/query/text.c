/* Query text to terms, by recursive descent without recursion: a list of terms, each of names.
 *
 * The terms are gathered aside and handed over at the end, so an error leaves the description as it
 * was. A word that is also a keyword is the keyword when a name follows it, and a component's name
 * when none does. Linear in the text, one look-up per name; no memory; reads the world only. */
#include "query/text.h"

#include <string.h>

#include "base/error.h"
#include "base/lexer.h"

/* A text under way. */
typedef struct text_parser {
    stoa__lexer lexer;
    const stoa_world *world;
    stoa_term terms[STOA_TERM_MAX];
    int32_t count;
    int32_t group_count;
} text_parser;

/* True if the token is the keyword and not a component of that name; then steps over it. */
static bool keyword_accept(text_parser *parser, const char *keyword) {
    if (!stoa__lexer_is(&parser->lexer, keyword)) {
        return false;
    }
    stoa__lexer after = parser->lexer;
    stoa__lexer_next(&after);
    if (after.token.kind != STOA__TOKEN_NAME) {
        return false;
    }
    parser->lexer = after;
    return true;
}

static stoa_component name_find(const stoa_world *world, const char *start, size_t length) {
    char name[256];
    if (length < sizeof name) {
        memcpy(name, start, length);
        name[length] = '\0';
        return stoa_component_find(world, name);
    }
    int32_t count = stoa_component_count(world);
    for (stoa_component id = 1; id <= (stoa_component)count; id++) {
        const char *known = stoa_component_name(world, id);
        if (strlen(known) == length && memcmp(known, start, length) == 0) {
            return id;
        }
    }
    return 0;
}

/* Reads a name and adds a term for it. */
static stoa_status name_parse(text_parser *parser, stoa_access access, int32_t group) {
    stoa__lexer *lexer = &parser->lexer;
    const stoa__token *token = &lexer->token;
    if (token->kind != STOA__TOKEN_NAME) {
        return stoa__lexer_expected(lexer, "a component name");
    }
    int32_t column = stoa__lexer_column(lexer);
    stoa_component id = name_find(parser->world, token->start, token->length);
    if (id == 0) {
        return stoa__error_at(STOA_NOT_FOUND, column, "no component is named '%.*s'",
                              stoa__token_shown(token), token->start);
    }
    if (parser->count == STOA_TERM_MAX) {
        return stoa__error_at(STOA_LIMIT, column, "a query has at most %d terms", STOA_TERM_MAX);
    }
    parser->terms[parser->count++] = (stoa_term){NULL, id, access, group};
    stoa__lexer_next(lexer);
    return STOA_OK;
}

/* Refuses a keyword where only a name may stand. */
static stoa_status keyword_refuse(text_parser *parser, const char *keyword, const char *before) {
    int32_t column = stoa__lexer_column(&parser->lexer);
    if (!keyword_accept(parser, keyword)) {
        return STOA_OK;
    }
    return stoa__error_at(STOA_SYNTAX, column, "'%s' cannot stand after '%s'", keyword, before);
}

/* The keywords whose terms have no data. */
static const struct {
    const char *keyword;
    stoa_access access;
} filters[] = {
    {"with", STOA_ACCESS_FILTER}, {"changed", STOA_ACCESS_CHANGED}, {"added", STOA_ACCESS_ADDED}};

#define FILTER_COUNT (sizeof filters / sizeof filters[0])

/* Refuses each of them. */
static stoa_status filters_refuse(text_parser *parser, const char *before) {
    stoa_status status = STOA_OK;
    for (size_t i = 0; i < FILTER_COUNT && status == STOA_OK; i++) {
        status = keyword_refuse(parser, filters[i].keyword, before);
    }
    return status;
}

/* Reads the name after a sign or keyword; it must be bare and stand alone. */
static stoa_status lone_parse(text_parser *parser, stoa_access access, const char *before) {
    stoa_status status = keyword_refuse(parser, "const", before);
    if (status == STOA_OK) {
        status = filters_refuse(parser, before);
    }
    if (status == STOA_OK) {
        status = name_parse(parser, access, 0);
    }
    if (status == STOA_OK && stoa__lexer_is(&parser->lexer, "|")) {
        status = stoa__error_at(STOA_SYNTAX, stoa__lexer_column(&parser->lexer),
                                "'|' cannot join a term with '%s'", before);
    }
    return status;
}

/* Reads names, each bare or const: one is a term of its own, several are an any-of group. */
static stoa_status group_parse(text_parser *parser) {
    int32_t first = parser->count;
    do {
        stoa_status status = parser->count > first ? filters_refuse(parser, "|") : STOA_OK;
        if (status == STOA_OK) {
            bool reads = keyword_accept(parser, "const");
            status = name_parse(parser, reads ? STOA_ACCESS_READ : STOA_ACCESS_WRITE, 0);
        }
        if (status != STOA_OK) {
            return status;
        }
    } while (stoa__lexer_accept(&parser->lexer, "|"));
    if (parser->count - first < 2) {
        return STOA_OK;
    }
    parser->group_count++;
    for (int32_t i = first; i < parser->count; i++) {
        stoa_term *term = &parser->terms[i];
        bool reads = term->access == STOA_ACCESS_READ;
        term->access = reads ? STOA_ACCESS_ANY : STOA_ACCESS_ANY_WRITE;
        term->group = parser->group_count;
    }
    return STOA_OK;
}

static stoa_status term_parse(text_parser *parser) {
    if (stoa__lexer_accept(&parser->lexer, "!")) {
        return lone_parse(parser, STOA_ACCESS_WITHOUT, "!");
    }
    if (stoa__lexer_accept(&parser->lexer, "?")) {
        bool reads = keyword_accept(parser, "const");
        return lone_parse(parser, reads ? STOA_ACCESS_OPTIONAL : STOA_ACCESS_OPTIONAL_WRITE,
                          reads ? "const" : "?");
    }
    for (size_t i = 0; i < FILTER_COUNT; i++) {
        if (keyword_accept(parser, filters[i].keyword)) {
            return lone_parse(parser, filters[i].access, filters[i].keyword);
        }
    }
    return group_parse(parser);
}

stoa_status stoa__query_text(const stoa_world *world, const char *text, stoa_query_desc *desc) {
    if (world == NULL || text == NULL || desc == NULL) {
        return stoa__error(STOA_NULL_ARGUMENT, "a query text needs a world, a text and a place");
    }
    text_parser parser = {.world = world};
    stoa__lexer_init(&parser.lexer, STOA__LEXER_WORDS, text, NULL);
    if (parser.lexer.token.kind == STOA__TOKEN_END) {
        return stoa__error_at(STOA_SYNTAX, 1, "the text is empty");
    }
    do {
        stoa_status status = term_parse(&parser);
        if (status != STOA_OK) {
            return status;
        }
    } while (stoa__lexer_accept(&parser.lexer, ","));
    if (parser.lexer.token.kind != STOA__TOKEN_END) {
        return stoa__lexer_expected(&parser.lexer, "',' or '|'");
    }
    memcpy(desc->terms, parser.terms, sizeof parser.terms);
    return STOA_OK;
}
