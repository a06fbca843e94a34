/* The meta world, as its files see it.
 *
 * What was found in the observed world is a list of rows, sorted by kind and key; each row has the
 * entity that stands for it. A refresh makes a new list beside the old one, joins the two by their
 * keys, and only then changes the meta world. */
#ifndef STOA_MODEL_META_H
#define STOA_MODEL_META_H

#include "base/error.h"
#include "base/heap.h"
#include "base/map.h"
#include "stoa/extension.h"
#include "stoa/meta.h"

/* Entities in one value, at most. */
#define STOA__META_REFS 3
/* No row. */
#define STOA__META_NONE UINT32_MAX

typedef union stoa__meta_value {
    stoa_meta_component component;
    stoa_meta_member member;
    stoa_meta_archetype archetype;
    stoa_meta_query query;
    stoa_meta_resource resource;
    stoa_meta_stage stage;
    stoa_meta_system system;
    stoa_meta_has has;
    stoa_meta_term term;
    stoa_meta_use use;
} stoa__meta_value;

/* A thing of the observed world, or a link between two. */
typedef struct stoa__meta_row {
    stoa_meta_kind kind;
    uint32_t part;                  /* tells rows of one key apart */
    uint64_t key;                   /* the id of the thing, or of the first that is linked */
    stoa_entity entity;             /* STOA_NULL until it is made */
    uint32_t before;                /* the row of the list before that is the same, or none */
    bool kept;                      /* the list that is being made has it, too */
    char *name;                     /* NULL for a link */
    bool name_lent;                 /* the list before, or the next one, owns the name */
    uint32_t refs[STOA__META_REFS]; /* rows whose entities the value has, or none */
    stoa__meta_value value;         /* but for those */
} stoa__meta_row;

typedef struct stoa__meta_list {
    stoa__meta_row *rows;
    uint32_t count;
    uint32_t capacity;
    uint32_t first[STOA_META_KINDS + 1]; /* the first row of each kind, then the end */
    stoa__map names;                     /* from hashes of kind and name to rows */
} stoa__meta_list;

/* What a meta world keeps. */
typedef struct stoa__meta {
    stoa_world *self;
    stoa_world *world;        /* that is observed; NULL once it is gone */
    stoa_app *app;            /* or NULL */
    bool app_new;             /* it is not the one that is shown */
    stoa_app_watcher watcher; /* of the app */
    struct stoa__meta *next;  /* of those that observe the same world */
    stoa__heap heap;
    stoa__meta_list list;
    bool busy; /* it is being refreshed */
} stoa__meta;

/* What the components of a kind are. */
typedef struct stoa__meta_shape {
    stoa_type *type;
    uint32_t refs[STOA__META_REFS]; /* where in the value the entities are */
    uint32_t ref_count;
} stoa__meta_shape;

/* The shape of a kind. */
const stoa__meta_shape *stoa__meta_shape_of(stoa_meta_kind kind);

/* The row of a key, or none. */
uint32_t stoa__meta_list_find(const stoa__meta_list *list, stoa_meta_kind kind, uint64_t key,
                              uint32_t part);

/* What a name of a kind is found by. */
uint64_t stoa__meta_name_hash(stoa_meta_kind kind, const char *name);

/* Frees a list and the names that it owns. */
void stoa__meta_list_free(stoa__heap *heap, stoa__meta_list *list);

/* Lists what the observed world has, joined with what the list before has. Nothing but `list` and
 * marks in the list before change. The thread's error is set, not reported. */
stoa_status stoa__meta_gather(stoa__meta *meta, stoa__meta_list *list);

/* Makes the meta world show a list, which takes the place of the one before. On an error the list
 * stays the caller's. Failures are reported. */
stoa_status stoa__meta_commit(stoa__meta *meta, stoa__meta_list *list);

#endif
