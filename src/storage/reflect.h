/* Reflection: from a description of a type, as text or by offsetof, to its table of members.
 *
 * The text is the struct's own: `{ float x, y; uint8_t kind; char name[16]; Vec3 at; }`. The layout
 * is computed by the rules of the C ABI and must come to the size and alignment the compiler gave;
 * what cannot be told for sure is refused with a message, never guessed. Errors are STOA_LAYOUT or
 * STOA_SYNTAX, with the column, STOA_LIMIT and STOA_NO_MEMORY. */
#ifndef STOA_STORAGE_REFLECT_H
#define STOA_STORAGE_REFLECT_H

#include "base/heap.h"
#include "stoa/component.h"

/* What reflection found out. `members` and `values` and all their names are one heap block each. */
typedef struct stoa__reflection {
    uint32_t size;      /* of the whole type */
    uint32_t alignment; /* of the whole type, at least 1 */
    stoa_member *members;
    int32_t member_count;
    stoa_enum_value *values; /* of an enum */
    int32_t value_count;
    size_t members_size; /* bytes of the `members` block, names included */
    size_t values_size;  /* bytes of the `values` block, names included */
} stoa__reflection;

/* Finds a described type by name, for nested structs and enums: fills in `info` and returns true,
 * or returns false. */
typedef bool (*stoa__reflect_find)(const char *name, stoa_component_info *info, bool *is_enum,
                                   void *user);

/* What is to be reflected. */
typedef struct stoa__reflect_source {
    const char *name;    /* of the type, for messages */
    stoa_type_form form; /* how to read it */
    const char
        *text; /* for OWN, FOREIGN, ENUM; a FOREIGN text may start with "T," or be "T" alone */
    const stoa_member_desc *members; /* for MEMBERS */
    uint32_t size; /* what the compiler says; 0: unknown, take what comes out (run-time types) */
    uint32_t alignment;      /* likewise */
    uint32_t enum_size;      /* size of an undescribed enum; 0: sizeof(enum) of this build */
    stoa__reflect_find find; /* NULL: no nested types */
    void *user;
} stoa__reflect_source;

/* Reflects; on error nothing is left allocated. OPAQUE gives size, alignment and no members. */
stoa_status stoa__reflect(stoa__heap *heap, const stoa__reflect_source *source,
                          stoa__reflection *result);

/* Frees the tables. */
void stoa__reflect_free(stoa__heap *heap, stoa__reflection *reflection);

#endif
