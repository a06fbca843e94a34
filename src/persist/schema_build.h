/* What those who build schemas share: from a world, and from bytes. */
#ifndef STOA_PERSIST_SCHEMA_BUILD_H
#define STOA_PERSIST_SCHEMA_BUILD_H

#include "persist/schema.h"

/* The most members that a type may come to, those of structs inside counted for each of them; so
 * that no file can make a plan that is much larger than itself. */
#define STOA__SCHEMA_FLAT_MAX 16384

/* stoa__schema_make; `by_members`: also for those that have functions. */
stoa_status stoa__schema_make_by(stoa__schema *schema, const stoa_world *world,
                                 const stoa_component *ids, int32_t count, bool by_members);

/* The one field of an enum. */
stoa__schema_field stoa__schema_enum_field(uint32_t size, int32_t type);

/* Sets the packed places of a type's fields, after those of types inside of it; returns its packed
 * size, or something above STOA_SIZE_MAX. */
uint64_t stoa__schema_pack_fields(stoa__schema *schema, int32_t index);

/* Fills in `by_name`; `sorted` has room for as many pointers as there are types. */
void stoa__schema_by_name(stoa__schema *schema, const void **sorted);

#endif
