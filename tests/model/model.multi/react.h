/* The reference's changes: what each does to a being, who is told of it, and what the log says.
 *
 * Every call that changes what an entity has comes down to one of these, so that all ways of making
 * the same change are held to the same. */
#ifndef MODEL_REACT_H
#define MODEL_REACT_H

#include "reference.h"

typedef enum edit_kind {
    EDIT_PUT, /* place or overwrite */
    EDIT_ADD, /* place zeroed unless it is there */
    EDIT_DROP
} edit_kind;

/* What is done to one component. */
typedef struct edit {
    int type;
    edit_kind kind;
    const uint8_t *value; /* NULL: zeroed */
    bool given;           /* the caller gave a value, even if it is one of a tag */
} edit;

/* Changes a living being, in the order of the edits. */
void react_change(reference *r, being *b, const edit *edits, int count);

/* Brings a being to life with a bundle. */
void react_birth(reference *r, being *b, const edit *edits, int count);

/* The first half of a birth, where several are placed before any is told, and the second. */
void react_place(reference *r, being *b, const edit *edits, int count);
void react_tell_birth(reference *r, being *b, const edit *edits, int count);

/* Takes everything off a being, or ends it. */
void react_clear(reference *r, being *b);
void react_destroy(reference *r, being *b);

/* What is told of a being when the world is freed. */
void react_free(reference *r, being *b);

/* Switches a component that is there. */
void react_enable(reference *r, being *b, int type, bool on);

/* The components of a set in the order of columns, sparse ones after the others. */
int react_order(const reference *r, uint32_t set, int order[TYPE_COUNT]);

/* What the value of an action says; it is never of a type that owns something. */
void react_action_value(int type, uint32_t seed, uint8_t bytes[256]);

/* Writes down what somebody was told. */
void note_add(note_list *list, note n);

/* Sorts notes by entity, keeping the order of those of one. */
void note_sort(note_list *list);

/* Starts, ends or resizes the log. */
void log_keep(reference *r, int32_t capacity);

#endif
