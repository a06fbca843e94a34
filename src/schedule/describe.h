/* Systems in words: what they read and write, and why they are in their batch. The same words go
 * into the text and the drawings of a plan. */
#ifndef STOA_SCHEDULE_DESCRIBE_H
#define STOA_SCHEDULE_DESCRIBE_H

#include "base/writer.h"
#include "schedule/app.h"

typedef enum stoa__section {
    STOA__SECTION_MARKS, /* "main thread", "alone", "script" */
    STOA__SECTION_READS,
    STOA__SECTION_WRITES,
    STOA__SECTION_RESOURCES,
    STOA__SECTION_REASON
} stoa__section;

/* Who is told: of the beginning of each section that is not empty, then of its words. `end` is a
 * mark that follows the word with no space, or empty. */
typedef struct stoa__teller {
    void (*section)(void *user, stoa__section section);
    void (*word)(void *user, const char *text, const char *end);
    void *user;
} stoa__teller;

/* Tells what a system declares. */
void stoa__describe_system(const stoa_app *app, const stoa__system *system,
                           const stoa__teller *teller);

/* Tells why a system is not in an earlier batch; nothing if it is in the first. */
void stoa__describe_reason(const stoa_app *app, const stoa__planned *planned,
                           const stoa__teller *teller);

/* The first system of a stage from place `i` on in order of registration that is disabled; NULL if
 * there is none. Moves `i` past it. */
const stoa__system *stoa__describe_disabled(const stoa_app *app, stoa_stage stage, uint32_t *i);

/* The plan of an app that is up to date, as a graph for Graphviz and drawn. */
void stoa__draw_dot(const stoa_app *app, stoa__writer *out);
void stoa__draw_svg(const stoa_app *app, stoa__writer *out);

#endif
