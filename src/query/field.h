/* Fields, as stoa_query_each sees them: without checks. */
#ifndef STOA_QUERY_FIELD_H
#define STOA_QUERY_FIELD_H

#include "query/query.h"

/* Marks rows of the current run as written, in the column of a term that has one there. */
void stoa__field_mark(const stoa_iter *it, uint32_t index, int32_t row, int32_t count);

/* The component of a row for a sparse term with data, marked if it is to be written. NULL if there
 * is none, or it is off and need not be there. */
void *stoa__field_sparse(const stoa_iter *it, uint32_t index, int32_t row, bool write);

#endif
