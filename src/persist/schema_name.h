/* What the names in a schema must be, and the order they are sorted in. */
#ifndef STOA_PERSIST_SCHEMA_NAME_H
#define STOA_PERSIST_SCHEMA_NAME_H

#include "persist/schema.h"

/* True for UTF-8 without control characters, not empty. */
bool stoa__schema_name_valid(const char *name, size_t length);

/* True for a name that C would take. */
bool stoa__schema_name_identifier(const char *name, size_t length);

/* Sorts pointers in place, by a function that tells whether `a` must come before `b`. O(n log n)
 * whatever the order was; no memory. */
typedef bool (*stoa__schema_before)(const void *a, const void *b);
void stoa__schema_sort(const void **items, int32_t count, stoa__schema_before before);

/* The C name of a kind; of a struct or enum, that of its type. */
const char *stoa__schema_kind_name(const stoa__schema *schema, const stoa__schema_field *field);

#endif
