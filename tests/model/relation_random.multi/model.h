/* A naive twin of two relations: lists as arrays that are searched, and deaths by the book. */
#ifndef RELATION_RANDOM_MODEL_H
#define RELATION_RANDOM_MODEL_H

#include "model/relation_fixture.h"

/* Entities ever made by one script, at most. */
#define PEOPLE_MAX 160
/* As many as there can be pairs. */
#define QUEUE_MAX (2 * PEOPLE_MAX * PEOPLE_MAX)

typedef struct people {
    int items[PEOPLE_MAX];
    int count;
} people;

/* One relation: 0 is Inside, with one target each, and 1 is Likes, with many. */
typedef struct model_relation {
    stoa_relation_policy policy;
    bool acyclic;
    people targets[PEOPLE_MAX]; /* of each person */
    people sources[PEOPLE_MAX];
} model_relation;

/* What a person is named by in a world, and what is known of it. */
typedef struct model {
    int count;
    bool alive[PEOPLE_MAX];
    bool has[PEOPLE_MAX];   /* the component Inside, whatever it says */
    bool loose[PEOPLE_MAX]; /* its target is gone, and the component is not yet */
    int named[PEOPLE_MAX];  /* the target that the component says, -1 for nobody */
    bool locked[PEOPLE_MAX];
    model_relation relations[2];
    int queue[QUEUE_MAX]; /* a relation, then a person that it destroys, and so on */
    int queue_count;
    bool destroying;
} model;

int model_create(model *m);
stoa_status model_destroy(model *m, int who);
stoa_status model_clear(model *m, int who);

/* Takes off the component that shows sources. */
stoa_status model_hide(model *m, int relation, int who);

/* Sets the component Inside; -1 for a target is nobody. */
stoa_status model_set(model *m, int who, int target);
void model_unset(model *m, int who);

stoa_status model_add(model *m, int relation, int source, int target);
stoa_status model_remove(model *m, int relation, int source, int target);

/* True if targets of targets lead from one to the other. */
bool model_leads(const model *m, int relation, int from, int to);

int people_find(const people *p, int who);

#endif
