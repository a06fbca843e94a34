/* Query text: `"Position, const Velocity, !Frozen, ?Name, with Alive, A | const B"` to terms.
 *
 * Terms are separated by commas. Before a name: nothing writes, `const` reads, `!` excludes, `?`
 * and `?const` are optional, `with` filters, `changed` and `added` filter by tick. Names joined by
 * `|` form one any-of group, each bare (written) or `const` (read). A name may have dots, as
 * registered. Names must be registered: a query text comes from people and files, which cannot
 * describe types. */
#ifndef STOA_QUERY_TEXT_H
#define STOA_QUERY_TEXT_H

#include "stoa/query.h"

/* Fills in the terms of `desc` (its name is left alone). Errors are STOA_SYNTAX or STOA_NOT_FOUND,
 * with the column, STOA_LIMIT and STOA_NULL_ARGUMENT. Allocates nothing. */
stoa_status stoa__query_text(const stoa_world *world, const char *text, stoa_query_desc *desc);

#endif
