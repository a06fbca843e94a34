/* The readers behind stoa__reflect, one for each form of a description. */
#ifndef STOA_STORAGE_REFLECT_FORM_H
#define STOA_STORAGE_REFLECT_FORM_H

#include "storage/reflect.h"

/* Each fills in a zeroed result: tables, size, alignment. A type without members leaves it zeroed;
 * after an error the tables may be there and are to be freed. */
stoa_status stoa__reflect_struct(stoa__heap *heap, const stoa__reflect_source *source,
                                 stoa__reflection *result);
stoa_status stoa__reflect_enum(stoa__heap *heap, const stoa__reflect_source *source,
                               stoa__reflection *result);
stoa_status stoa__reflect_members(stoa__heap *heap, const stoa__reflect_source *source,
                                  stoa__reflection *result);

#endif
