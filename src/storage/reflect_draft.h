/* Drafts: the members or values of a type as they are read, before their tables are made. */
#ifndef STOA_STORAGE_REFLECT_DRAFT_H
#define STOA_STORAGE_REFLECT_DRAFT_H

#include "storage/reflect_number.h"
#include "storage/reflect_type.h"

/* The most members of a struct and values of an enum. */
#define STOA__DRAFT_MAX 4096

/* A member, or a value of an enum; its name points into the text. */
typedef struct stoa__draft {
    stoa__token name;
    stoa_member member;
    stoa__number value;
} stoa__draft;

/* A text under way and what was read of it. */
typedef struct stoa__drafts {
    stoa__lexer lexer;
    const stoa__reflect_source *source;
    stoa__heap *heap;
    stoa__draft *items;
    int32_t count;
    int32_t capacity;
} stoa__drafts;

/* Starts on a text, with room for all it can declare. Close it also after an error. */
stoa_status stoa__drafts_open(stoa__drafts *drafts, stoa__heap *heap,
                              const stoa__reflect_source *source, const char *text);

/* Frees the drafts. */
void stoa__drafts_close(stoa__drafts *drafts);

/* The draft of that name, or NULL. */
stoa__draft *stoa__drafts_find(const stoa__drafts *drafts, const stoa__token *name);

/* Takes the token as the name of a new draft; `what` says what kind of name is due. */
stoa_status stoa__drafts_add(stoa__drafts *drafts, const char *what, stoa__draft **added);

/* Steps over the opening brace. */
stoa_status stoa__drafts_begin(stoa__drafts *drafts);

/* Steps over the closing brace, after which nothing may follow. */
stoa_status stoa__drafts_finish(stoa__drafts *drafts, const char *expected);

/* Copies the drafts into a table of members, or of values. */
stoa_status stoa__drafts_members(const stoa__drafts *drafts, stoa__reflection *result);
stoa_status stoa__drafts_values(const stoa__drafts *drafts, stoa__reflection *result);

#endif
