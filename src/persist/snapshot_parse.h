/* The sections of a snapshot, as what they speak of.
 *
 * A section that was parsed is as the format says, but for handles, which only a table of entities
 * can tell, and values, which only a type can. */
#ifndef STOA_PERSIST_SNAPSHOT_PARSE_H
#define STOA_PERSIST_SNAPSHOT_PARSE_H

#include "persist/snapshot.h"

/* A table of entities. */
typedef struct stoa__slots_view {
    uint32_t count;
    uint32_t free_count;
    const uint8_t *generations; /* 4 bytes each */
    const uint8_t *free;        /* likewise */
} stoa__slots_view;

/* Rows of an archetype, or the entities of a sparse component: then there is one type. */
typedef struct stoa__rows_view {
    uint32_t type_count;
    uint32_t row_count;
    const uint8_t *types;    /* 4 bytes each */
    const uint8_t *entities; /* 8 bytes each */
    stoa__cursor columns;    /* from the first column on, those one after the other */
    stoa__cursor switches;   /* from the first that is switched off on */
    uint32_t switch_count;
} stoa__rows_view;

/* The type of a column, by its place. */
static inline int32_t stoa__rows_type(const stoa__rows_view *view, uint32_t i) {
    return (int32_t)stoa__read_u32(view->types + (size_t)i * 4);
}

/* Takes a column of so many values off a cursor: where its values begin, and how many bytes they
 * are. NULL if they are not there. */
const uint8_t *stoa__column_take(stoa__cursor *cursor, const stoa__schema_type *type,
                                 uint32_t count, uint64_t *size);

/* Takes the next set of rows that are switched off: the place of its type, and the bits. */
const uint8_t *stoa__switch_take(stoa__rows_view *view, uint32_t *place);

stoa_status stoa__slots_parse(stoa__slots_view *view, const stoa__section *section,
                              const stoa__snapshot_header *header);
stoa_status stoa__archetype_parse(stoa__rows_view *view, const stoa__section *section,
                                  const stoa__schema *schema);
stoa_status stoa__sparse_parse(stoa__rows_view *view, const stoa__section *section,
                               const stoa__schema *schema);

/* Checks the ticks of rows that were parsed. */
stoa_status stoa__ticks_parse(const stoa__section *section, const stoa__rows_view *rows);

/* Checks a section of resources; their count stands at its begin. */
stoa_status stoa__resources_parse(const stoa__section *section, const stoa__schema *schema,
                                  uint32_t *count);

/* Checks a section with a tick for each of so many resources. */
stoa_status stoa__resource_ticks_parse(const stoa__section *section, uint32_t count);

/* The one number of a section `tick`. */
stoa_status stoa__tick_parse(const stoa__section *section, uint32_t *tick);

#endif
