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
STOA_COMPONENT_WITH(Heat, STOA_OPTIONS(.flags = STOA_SPARSE), { float degrees; });
STOA_TAG_WITH(Burning, STOA_OPTIONS(.flags = STOA_SPARSE | STOA_SWITCHABLE));
STOA_COMPONENT_WITH(Shield, STOA_OPTIONS(.flags = STOA_SWITCHABLE), { uint32_t front, back; });
STOA_COMPONENT_WITH(Health, STOA_OPTIONS(.flags = STOA_ROW_TICKS), { int32_t points; });

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

/* The same, sparse. */
typedef struct Note {
    char *text;
} Note;

STOA_TYPE_WITH(Note,
               STOA_OPTIONS(.hooks = {.drop = label_drop, .move = label_move, .copy = label_copy},
                            .flags = STOA_SPARSE),
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
    stoa_commands *buffers[2];
    stoa_reader *reader;
    int told;  /* calls of hooks, observers and listeners */
    int freed; /* users of those that were freed */
} oom;

/* Makes call `i`; true if it succeeded. */
typedef bool (*script_call)(oom *o, int i);

/* What a script's calls may do. */
typedef enum script_how {
    SCRIPT_WHOLE,  /* all or nothing */
    SCRIPT_FRUGAL, /* the same, and they may do without memory */
    SCRIPT_STEPS,  /* made of steps: those before the failing one stay */
    SCRIPT_ORDER   /* the same, and the order of rows may be another after a failure */
} script_how;

/* `prepare` has all the memory it wants. */
typedef struct script {
    const char *name;
    void (*prepare)(oom *o);
    script_call call;
    int count;
    script_how how;
} script;

/* The scripts of the core, in calls.c. */
extern const script scripts[];
extern const int script_count;

/* The scripts of what reacts to changes and puts them off, in reactions.c, deferred.c, storage.c.
 */
extern const script scripts_reactions[];
extern const int script_reactions_count;
extern const script scripts_deferred[];
extern const int script_deferred_count;
extern const script scripts_storage[];
extern const int script_storage_count;

/* True for STOA_OK, and for a handle that is one. */
static inline bool ok(stoa_status status) {
    return status == STOA_OK;
}

static inline bool lives(stoa_entity e) {
    return !stoa_entity_is_null(e);
}

/* A few entities of each kind, and the types registered. In calls.c. */
void prepare_some(oom *o);

/* They count in an oom how often they are called. In reactions.c. */
void hook_count(stoa_world *world, stoa_entity e, void *value, void *user);
void listener_count(stoa_world *world, const stoa_event *event, void *user);

/* Hooks, an observer, listeners and a log that everything done to the entities of prepare_some
 * concerns. In reactions.c. */
void prepare_watched(oom *o);

/* The calls of "a bit of everything", in calls.c. */
bool call_all(oom *o, int i);

/* Runs a script with each of its allocations refused, and then all from each on. In script.c. */
void script_run(const script *c);

#endif
