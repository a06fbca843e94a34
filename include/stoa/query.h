/* Queries: which entities, which components, and walking them chunk by chunk. */
#ifndef STOA_QUERY_H
#define STOA_QUERY_H

#include "stoa/fast.h"

STOA_BEGIN

/// The most terms of one query.
#define STOA_TERM_MAX 32

/// What a term asks for; 0 ends a list of terms.
typedef enum stoa_access {
    STOA_ACCESS_END,
    STOA_ACCESS_READ,           ///< must be there; its column is read
    STOA_ACCESS_WRITE,          ///< must be there; its column is written
    STOA_ACCESS_WITHOUT,        ///< must not be there
    STOA_ACCESS_OPTIONAL,       ///< its column is read where there is one
    STOA_ACCESS_OPTIONAL_WRITE, ///< its column is written where there is one
    STOA_ACCESS_ANY,            ///< one of its group must be there; read where there is one
    STOA_ACCESS_ANY_WRITE,      ///< one of its group must be there; written where there is one
    STOA_ACCESS_FILTER,         ///< must be there; no data
    STOA_ACCESS_CHANGED,        ///< must be there and be written since the last run; no data
    STOA_ACCESS_ADDED           ///< must be there and be added since the last run; no data
} stoa_access;

/// One term of a query; see STOA_READ and its kin.
typedef struct stoa_term {
    stoa_type *type;    ///< the described type, or NULL to go by `id`
    stoa_component id;  ///< used when `type` is NULL
    stoa_access access; ///< what is asked for
    int32_t group;      ///< any-of terms of one number belong together
} stoa_term;

/// How to make a query.
typedef struct stoa_query_desc {
    stoa_term terms[STOA_TERM_MAX]; ///< up to the first zeroed one
    const char *name;               ///< for errors and tools; may be NULL; copied
} stoa_query_desc;

/// Makes a query, registering the types it names; NULL on error.
stoa_query *stoa_query_new(stoa_world *world, const stoa_query_desc *desc);

/// Makes a query from text: `"Position, const Velocity, !Frozen, ?Name"`; NULL on error.
/// `const` reads, `!` excludes, `?` is optional, `with` filters, `|` joins an any-of group. Names
/// must be registered. `changed` and `added` filter by what happened since the last run.
stoa_query *stoa_query_parse(stoa_world *world, const char *text);

/// Frees a query; refused while it is being iterated or shared. NULL is fine.
stoa_status stoa_query_free(stoa_query *query);

/// The query after `query` in the order they were made, the first for NULL; NULL at the end.
/// Those that are made for a single iteration are left out.
stoa_query *stoa_query_next(const stoa_world *world, const stoa_query *query);

/// The query's number in its world, from 1, never used twice; 0 for NULL.
uint64_t stoa_query_id(const stoa_query *query);

/// The query's name: as given, or made of its terms.
const char *stoa_query_name(const stoa_query *query);

/// The query of that name, the oldest if there are several; NULL, with no error, if there is none.
/// Linear in the number of queries. One that is made for a single iteration is not found.
stoa_query *stoa_query_find(const stoa_world *world, const char *name);

/// How many entities match.
int32_t stoa_query_count(const stoa_query *query);

/// A number that is the same as long as rows are where they were.
/// No row of an archetype that the query matches came, went, or changed its place meanwhile, and
/// all columns lie where they did: what was worked out from the order of rows, or from pointers to
/// them, still holds. Values that are written do not show, nor do sparse components, switches, or
/// entities without components. It tells nothing across worlds, queries or runs. O(archetypes); 0
/// without a query.
uint64_t stoa_query_version(const stoa_query *query);

/// The one entity that matches; STOA_NULL with an error if there is none or more than one.
stoa_entity stoa_query_single(const stoa_query *query);

/// The first entity that matches, in storage order; STOA_NULL, with no error, if none does.
stoa_entity stoa_query_first(const stoa_query *query);

/// True if a live entity matches, as an iteration that began now would find; false otherwise.
bool stoa_query_matches(const stoa_query *query, stoa_entity e);

/// Called for one entity: `fields[i]` is term i's component, NULL where there is none.
typedef void (*stoa_each_fn)(stoa_entity e, void *const *fields, void *user);

/// Called for one entity whose handle is of no interest.
typedef void (*stoa_each_row_fn)(void *const *fields, void *user);

/// Calls a function for each entity that matches. Fields of read terms must not be written.
stoa_status stoa_query_each(stoa_query *query, stoa_each_fn call, void *user);

/// stoa_query_each without the handle.
stoa_status stoa_query_each_row(stoa_query *query, stoa_each_row_fn call, void *user);

/// Iterates a query that is made for this and gone at the end.
stoa_iter stoa_query_once(stoa_world *world, const stoa_query_desc *desc);

/// Counts what a query would match, without making one; -1 on error.
int32_t stoa_query_once_count(stoa_world *world, const stoa_query_desc *desc);

/// Starts an iteration whose `changed` and `added` filters go by a tick that is given.
/// It is no run of the query: stoa_query_last_run stays as it is. Without such filters it is the
/// same as stoa_query_iter.
stoa_iter stoa_query_iter_since(stoa_query *query, uint32_t tick);

/// The tick of the query's last run, by which its `changed` and `added` filters go.
/// A run ends with the last chunk; one that is ended early does not count, so nothing is missed.
/// What a run writes itself is no news to the next one. At the end of a run of a query with such
/// filters the world's tick advances.
uint32_t stoa_query_last_run(const stoa_query *query);

/// Goes on where another query of the world has come to: its last run counts as this one's.
stoa_status stoa_query_follow(stoa_query *query, const stoa_query *other);

/// Adds a component, zeroed, to everything that matches; see stoa_query_add.
/// Chunks and columns are moved as a whole where no hook asks for single entities. On an error what
/// was done stays, and the call can be repeated.
stoa_status stoa_query_add_id(stoa_query *query, stoa_component id);

/// Gives everything that matches a copy of a value; see stoa_query_set.
/// The component must be copyable; the value stays the caller's.
stoa_status stoa_query_set_id(stoa_query *query, stoa_component id, const void *value, size_t size);

/// Takes a component from everything that matches; see stoa_query_remove.
stoa_status stoa_query_remove_id(stoa_query *query, stoa_component id);

/// Destroys everything that matches.
stoa_status stoa_query_destroy(stoa_query *query);

/// Typed twin of stoa_query_add_id.
stoa_status stoa_query_add_type(stoa_query *query, stoa_type *type);

/// Typed twin of stoa_query_set_id.
stoa_status stoa_query_set_type(stoa_query *query, stoa_type *type, const void *value);

/// Typed twin of stoa_query_remove_id.
stoa_status stoa_query_remove_type(stoa_query *query, stoa_type *type);

/// Cuts what a query matches into parts for threads; returns how many, or -1.
/// A part has about `rows` rows, in storage order; 0: the number of rows decides. `since` is the
/// tick that `changed` and `added` filters go by; NULL: everything is new. The parts hold until the
/// next cut, and until the structure of the world changes: to iterate them on threads it must be
/// locked, see stoa_commands_fork.
int32_t stoa_query_cut(stoa_query *query, const uint32_t *since, int32_t rows);

/// Starts an iteration of one part, by its number.
/// It is no run of the query and locks nothing. Each part by one thread at a time.
stoa_iter stoa_query_part(stoa_query *query, int32_t part);

/// Asks for the beginning of the chunk that comes next in a part, while this one is worked on.
/// Processors ask for what follows in a column by themselves, but must see its beginning first.
void stoa_iter_ahead(const stoa_iter *it);

/// Prepares a query to be iterated on threads while command buffers are forked.
/// It can be iterated `threads` times at once; one more may be refused with STOA_LIMIT. Until
/// stoa_query_unshare such iterations are no runs of it. To be called right before
/// stoa_commands_fork: the structure of the world must not change in between.
stoa_status stoa_query_share(stoa_query *query, int32_t threads);

/// Ends what stoa_query_share began, when the threads are done.
/// `ran` tells that it counts as a run of the query.
void stoa_query_unshare(stoa_query *query, bool ran);

/// Fills in the terms of a query, by id, as many as there is room for; returns how many it has.
int32_t stoa_query_terms(const stoa_query *query, stoa_term *terms, int32_t capacity);

/// The world that a query was made for.
stoa_world *stoa_query_world(const stoa_query *query);

/// Ends an iteration before its last chunk; a no-op after it.
void stoa_iter_end(stoa_iter *it);

/// Term `index`'s column in this chunk, checked to be of that type; see stoa_field.
/// NULL where an optional term has no column; NULL with an error if the term has no data or another
/// type.
const void *stoa_field_type(const stoa_iter *it, stoa_type *type, int32_t index);

/// The slow half of stoa_field, where a term has no column: NULL, with an error if it should.
const void *stoa_field_none(stoa_world *world, stoa_query *query, stoa_type *type, int32_t index);

/// stoa_field_type for writing; the term must be one that writes.
void *stoa_field_mut_type(const stoa_iter *it, stoa_type *type, int32_t index);

/// Term `index`'s column in this chunk, for ids known at run time.
const void *stoa_field_id(const stoa_iter *it, stoa_component id, int32_t index);

/// stoa_field_id for writing; the term must be one that writes.
void *stoa_field_mut_id(const stoa_iter *it, stoa_component id, int32_t index);

/// Term `index`'s component of one row, for any kind of storage; see stoa_field_at.
/// NULL where the row has none, with an error if the term has no data or another type.
const void *stoa_field_at_type(const stoa_iter *it, stoa_type *type, int32_t index, int32_t row);

/// stoa_field_at_type for writing; marks this row as changed and no other.
void *stoa_field_at_mut_type(const stoa_iter *it, stoa_type *type, int32_t index, int32_t row);

/// stoa_field_at_type for ids known at run time.
const void *stoa_field_at_id(const stoa_iter *it, stoa_component id, int32_t index, int32_t row);

/// stoa_field_at_mut_type for ids known at run time.
void *stoa_field_at_mut_id(const stoa_iter *it, stoa_component id, int32_t index, int32_t row);

STOA_END

#endif
