/* Code that is about to go, such as a shared library that is unloaded: finding what leads there.
 *
 * A hook, a system or the `drop` of a component whose function lies in code that is gone would be
 * the end of the program. Modules are unloaded by these; see module.h. */
#ifndef STOA_CODE_H
#define STOA_CODE_H

#include "stoa/component.h"

STOA_BEGIN

/// The addresses that some code and its data take up: from `first` to `end`, less one.
typedef struct stoa_code {
    uintptr_t first; ///< the first one
    uintptr_t end;   ///< past the last; 0: nothing lies there
} stoa_code;

/// True if the pointer at `pointer`, to data or a function, leads into the code.
bool stoa_code_has(const stoa_code *code, const void *pointer, size_t size);

/// STOA_OK if code can go now; refused while anything runs, or commands are recorded.
/// An extension that leads there is STOA_REFUSED, since it is there for good.
stoa_status stoa_code_check(const stoa_world *world, const stoa_code *code);

/// Takes away hooks, vetoes, observers, listeners and printers that lead into the code.
/// What command buffers remember of types is forgotten, too. Needs no memory.
void stoa_code_remove(stoa_world *world, const stoa_code *code);

/// The component after `after`, the first for 0, whose functions lie in the code; 0 at the end.
stoa_component stoa_code_component(const stoa_world *world, const stoa_code *code,
                                   stoa_component after);

/// Takes the functions of a component away. Values that had a `drop` are dropped and zeroed.
/// Whoever has the component keeps it. Needs no memory.
stoa_status stoa_component_strip(stoa_world *world, stoa_component id);

STOA_END

#endif
