/* Printing, as the files of it see each other. */
#ifndef STOA_MODEL_PRINT_H
#define STOA_MODEL_PRINT_H

#include "base/heap.h"
#include "base/writer.h"
#include "stoa/print.h"

/* A component's own printer. */
typedef struct stoa__printer {
    stoa_component id;
    stoa_print_fn call;
    void *user;
    void (*user_free)(void *user);
} stoa__printer;

/* The name of the extension that keeps printers. */
#define STOA__PRINTERS "stoa.printers"

/* What a world keeps of printers. */
typedef struct stoa__printers {
    stoa__heap heap;      /* on the world's allocator; counts this struct, too */
    stoa__printer *items; /* sorted by id */
    uint32_t capacity;
    uint32_t count;
} stoa__printers;

/* The printer of a component, or NULL. Good until printers come or go. */
const stoa__printer *stoa__printer_find(const stoa_world *world, stoa_component id);

/* Has a printer write a value; false, with nothing written, if it cannot be called here or fails.
 */
bool stoa__printer_call(const stoa__printer *printer, const stoa_world *world, const void *value,
                        stoa__writer *out);

/* Writes a value of a component that the world knows and that is no tag. */
void stoa__print_value(const stoa_world *world, stoa_component id, const void *value,
                       stoa__writer *out);

#endif
