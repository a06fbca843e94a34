/* Out of memory: every call that allocates, with every one of its allocations refused in turn.
 *
 * A script is a list of calls. It is run once with memory to spare, to learn which calls allocate
 * and what the world hashes to around them. Then it is run again for each k with the k-th
 * allocation refused: the call in which that happens must fail, leave the world as it was, and
 * succeed when repeated, after which the script goes on to the same end. */
#ifndef OOM_OOM_H
#define OOM_OOM_H

#include "support/support.h"

STOA_COMPONENT(Position, { float x, y; });
STOA_COMPONENT(Velocity, { float x, y; });
STOA_COMPONENT(Huge, { uint64_t words[25000]; });
STOA_TAG(Frozen);

/* A text that its owner frees; a mistake with it is seen by the count or by the sanitizer. */
typedef struct Label {
    char *text;
} Label;

void label_drop(void *items, int32_t count, void *user);
void label_move(void *to, void *from, int32_t count, void *user);
bool label_copy(void *to, const void *from, int32_t count, void *user);

STOA_TYPE_WITH(Label,
               STOA_OPTIONS(.hooks = {.drop = label_drop, .move = label_move, .copy = label_copy}),
               { char *text; });

/* Texts that labels own now, and whether the copy hook says no. */
extern int label_count;
extern bool label_copy_refused;

/* A text for a label. */
char *text_make(const char *text);

/* A world with what its script has made so far. */
typedef struct oom {
    support_world s;
    stoa_entity e[4];
    stoa_query *query;
} oom;

/* Makes call `i`; true if it succeeded. */
typedef bool (*script_call)(oom *o, int i);

/* `prepare` has all the memory it wants. */
typedef struct script {
    const char *name;
    void (*prepare)(oom *o);
    script_call call;
    int count;
    bool frugal; /* may do without memory */
} script;

/* Every script, in calls.c. */
extern const script scripts[];
extern const int script_count;

/* A few entities of each kind, and the types registered. In calls.c. */
void prepare_some(oom *o);

/* Runs a script with each of its allocations refused, and then all from each on. In script.c. */
void script_run(const script *c);

#endif
