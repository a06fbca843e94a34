/* The model layer as one: random operations on a world that has names, relations, a hierarchy,
 * indexes, prefabs, transforms and hooks that react, and on a naive reference.
 *
 * The reference is a list of things, which are what entities have by plain values and numbers of
 * other things. Who dies with whom can depend on the order in which hooks are called; so deaths are
 * read from the world, and must be those that the rules demand and no others. */
#ifndef TESTS_TOGETHER_H
#define TESTS_TOGETHER_H

#include "support/support.h"

#include "stoa/index.h"
#include "stoa/name.h"
#include "stoa/prefab.h"
#include "stoa/print.h"
#include "stoa/sort.h"
#include "stoa/transform.h"

/* Things ever made by one trace, at most. */
#define THING_MAX 12000
#define NAME_COUNT 28
#define PAIR_MAX 4000
#define TEAM_COUNT 12
/* Who loses this team takes another one along. */
#define TEAM_BOMB 5
/* Entities made by one operation, at most. */
#define MAKE_MAX 12

STOA_COMPONENT(Plain, { int32_t a, b; });
STOA_COMPONENT_WITH(Team, STOA_OPTIONS(.flags = STOA_IMMUTABLE), { int32_t team; });
STOA_COMPONENT_WITH(Heat, STOA_OPTIONS(.flags = STOA_SPARSE), { int32_t degrees; });
STOA_COMPONENT_WITH(Shield, STOA_OPTIONS(.flags = STOA_SWITCHABLE), { int32_t strength; });
STOA_COMPONENT_WITH(Owner, STOA_OPTIONS(.flags = STOA_IMMUTABLE), {
    int32_t since;
    stoa_entity entity;
});
STOA_COMPONENT_WITH(Likes, STOA_OPTIONS(.flags = STOA_SPARSE | STOA_IMMUTABLE | STOA_MANAGED), {
    const stoa_entity *items;
    int32_t count;
});

/* The components that bundles are made of. */
enum { PLAIN, TEAM, HEAT, SHIELD, NAME, PARENT, OWNER, LOCAL, PLACE, KIND_COUNT };
#define BIT(kind) (1u << (kind))
#define BIT_ALL (BIT(KIND_COUNT) - 1)

/* The relations. */
enum { REL_PARENT, REL_OWNER, REL_LIKES, REL_COUNT };

typedef enum op_kind {
    OP_CREATE,
    OP_BULK,
    OP_DESTROY,
    OP_RECURSIVE,
    OP_CLEAR,
    OP_CLONE,
    OP_SET,
    OP_ADD,
    OP_REMOVE,
    OP_CHANGE,
    OP_NAME,
    OP_REQUIRE,
    OP_LINK,
    OP_UNLINK,
    OP_HIDE,
    OP_POLICY,
    OP_ENABLE,
    OP_WRITE,
    OP_WALK,
    OP_WHOLE_SET,
    OP_WHOLE_REMOVE,
    OP_WHOLE_DESTROY,
    OP_PREFAB,
    OP_PREFAB_BULK,
    OP_PREFAB_CHANGE,
    OP_SORT,
    OP_COMPACT,
    OP_PROPAGATE,
    OP_FLUSH,
    OP_FORBIDDEN,
    OP_COUNT
} op_kind;

/* One operation. Things are named by number, so that a shorter trace means the same ones. */
typedef struct op {
    op_kind kind;
    int a, b;       /* things; -1: none */
    int make;       /* the number of the first thing that it makes */
    uint32_t put;   /* components that are given values, by bit */
    uint32_t drop;  /* components that are taken away or zeroed, by bit */
    uint32_t value; /* what all values are made of */
    uint32_t fail;  /* which allocation fails; 0: none */
    bool later;     /* it is recorded */
    bool probe;     /* when it is applied the reference follows at once */
} op;

/* Values of a bundle; links are numbers of things. */
typedef struct bundle {
    Plain plain;
    Team team;
    Heat heat;
    Shield shield;
    int name;
    int parent;
    int owner;
    int32_t since;
    Mat4 local;
    Mat4 place;
} bundle;

typedef struct thing {
    stoa_entity handle;
    bool alive;
    bool off;     /* the shield is switched off */
    uint32_t has; /* by bit */
    bundle values;
} thing;

/* Values of a bundle as the world takes them. */
typedef struct room {
    Name name;
    Parent parent;
    Owner owner;
    LocalTransform local;
    WorldTransform place;
} room;

typedef struct pair {
    int source, target;
} pair;

typedef struct run {
    support_world s;
    stoa_world *w;
    thing *things;
    int thing_count;
    int numbers[THING_MAX]; /* of things, by index of their entities */
    int live[THING_MAX];
    int live_count;
    pair likes[PAIR_MAX];
    int like_count;
    stoa_relation_policy policies[REL_COUNT];
    stoa_relation relations[REL_COUNT];
    stoa_index *teams;
    stoa_index *ranks;
    stoa_query *plains, *shields, *hots, *locals;
    stoa_prefab *unit, *variant, *tree, *wheel;
    Plain unit_plain;
    int crowd;    /* live things at which a trace stops making more */
    bool watched; /* there is an observer */
    int watching; /* entities that it has seen begin to match, and not cease */
    op *recorded; /* in order; from `applied` on the reference has not followed */
    int recorded_count;
    int applied;
    int refused; /* commands that must have been skipped or refused */
    bool short_of_memory;
    bool weighed;           /* a call that fails must leave the hash as it is */
    uint64_t hash;          /* of the world, then */
    bool doomed[THING_MAX]; /* things that may die by the operation under way */
    bool died[THING_MAX];   /* things that did */
    int locked;             /* a thing that its hooks keep from dying, or -1 */
    char message[300];      /* what went wrong; empty: nothing */
} run;

/* Notes that the world and the reference differ; the first time counts. */
void run_blame(run *r, const char *format, ...);

/* reference.c */
const char *name_text(int name);
bundle bundle_make(const op *o, int item);
void values_put(bundle *to, const bundle *from, uint32_t put);
int thing_find(const run *r, stoa_entity e);
void thing_born(run *r, int number, stoa_entity handle);
bool thing_links(const run *r, int source, int relation, int target);
int name_owner(const run *r, int name);
/* The statuses, by bit, with which a change may be refused; 0: it is made. `who` is -1 for a new
 * one. */
uint32_t change_ask(const run *r, int who, const bundle *values, uint32_t put, uint32_t zero);
void change_apply(run *r, int who, const bundle *values, uint32_t put, uint32_t zero,
                  uint32_t drop);
uint32_t goes_ask(const run *r, int who, int relation);
uint32_t link_ask(const run *r, int relation, int source, int target);
void link_apply(run *r, int relation, int source, int target);
void unlink_apply(run *r, int relation, int source, int target);
/* Marks who may die if one dies, or loses what points at it by a relation (-1: by all). */
void doom(run *r, int who, bool dies, int relation);
void doom_begin(run *r);
/* Follows the deaths that the world tells of. */
void deaths_follow(run *r, bool exact);
void sources_release(run *r, int who, int relation);
void transforms_follow(run *r);
int prefab_size(const run *r, const stoa_prefab *prefab);
bundle prefab_values(const run *r, const stoa_prefab *prefab, int node, int first, uint32_t *has);

/* calls.c */
void op_run(run *r, const op *o);

/* deferred.c */
void later_record(run *r, const op *o);
void later_flush(run *r, const op *o);

/* world.c */
void run_open(run *r, uint32_t seed);
void run_close(run *r);
int values_fill(const run *r, const bundle *from, uint32_t put, uint32_t zero, uint32_t drop,
                stoa_value *values, room *own);

/* compare.c */
void thing_compare(run *r, int number);
void run_compare(run *r);

#endif
