/* Where columns begin, by component and chunk number: what the fast paths read after a record. */
#ifndef STOA_STORAGE_COLUMNS_H
#define STOA_STORAGE_COLUMNS_H

#include "storage/storage.h"

/* Makes the list of tables, with none for component 0. */
stoa_status stoa__columns_init(stoa__storage *storage);
void stoa__columns_fini(stoa__storage *storage);

/* Makes room in the list for one more component than are registered. */
bool stoa__columns_reserve(stoa__storage *storage);

/* Notes the component that was registered last: in a small world it has its table from the start,
 * as part of what registering costs. Needs the room that stoa__columns_reserve made. */
void stoa__columns_add(stoa__storage *storage);

/* Frees the table of a component that goes away. */
void stoa__columns_forget(stoa__storage *storage, stoa_component id);

/* Makes the tables as long as the table of chunks. Those that cannot grow go away. */
void stoa__columns_extend(stoa__storage *storage);

/* Notes where the columns of a chunk are, which its number must lead to already. */
void stoa__columns_fill(stoa__storage *storage, const stoa__archetype *archetype, uint32_t number);

/* Notes that a chunk number has none of an archetype's columns any more. */
void stoa__columns_clear(stoa__storage *storage, const stoa__archetype *archetype, uint32_t number);

/* Notes where one column of a chunk begins, if the component has a table; NULL: the chunk has none.
 */
void stoa__columns_set(stoa__storage *storage, stoa_component id, uint32_t number, uint8_t *column);

/* Bytes of all tables. */
size_t stoa__columns_bytes(const stoa__storage *storage);

/* STOA_OK if every table says what the chunks do. */
stoa_status stoa__columns_check(const stoa__storage *storage);

#endif
