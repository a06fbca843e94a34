/* Printing: components, resources and entities as text, by their descriptions or by printers of
 * their own.
 *
 * Each function writes a terminated text and returns the length of all of it, without the final
 * zero: a length of `size` or more tells that the text was cut. `buffer` may be NULL if `size` is
 * 0. What cannot be shown has a text that says so; only a null world, or a null buffer with a size,
 * is an error, and gives 0. Nothing is allocated and nothing is marked as changed. */
#ifndef STOA_PRINT_H
#define STOA_PRINT_H

#include "stoa/world.h"

STOA_BEGIN

/// Printers that call printers, at most; deeper ones are passed over.
#define STOA_PRINTER_DEPTH 16

/// Prints a value with the name of its component: `Position {x: 1, y: 2.5}`.
/// A tag prints as its name; a null value, or an id that the world does not know, as `-`.
size_t stoa_print_id(const stoa_world *world, stoa_component id, const void *value, char *buffer,
                     size_t size);

/// Prints a value without the name of its component: `{x: 1, y: 2.5}`.
/// For printers. A tag has no value and prints as nothing.
size_t stoa_print_value(const stoa_world *world, stoa_component id, const void *value, char *buffer,
                        size_t size);

/// Prints an entity's component, as stoa_print_id; `-` if it has none or is dead.
size_t stoa_print_component(const stoa_world *world, stoa_entity e, stoa_component id, char *buffer,
                            size_t size);

/// Typed twin of stoa_print_component; called by stoa_print.
size_t stoa_print_type(const stoa_world *world, stoa_entity e, stoa_type *type, char *buffer,
                       size_t size);

/// Prints what an entity has of T: `stoa_print(w, e, Position, text, sizeof text);`
#define stoa_print(world, e, T, buffer, size)                                                      \
    stoa_print_type((world), (e), STOA_TYPE_OF(T), (buffer), (size))

/// Prints the resource of a type, as stoa_print_id; `-` if there is none.
size_t stoa_print_resource(const stoa_world *world, stoa_component id, char *buffer, size_t size);

/// Lists an entity: its handle, then a line for each component, in order of ids.
/// What is switched off is marked with `(off)`; hidden components are left out. A dead entity is
/// listed as `17v3 dead`. Lines are parted by `\n`; the last has none. Looks at every type that the
/// world knows.
size_t stoa_describe(const stoa_world *world, stoa_entity e, char *buffer, size_t size);

/// Writes a value as text and returns the length of all of it, as snprintf does.
/// `buffer` is never NULL, `size` at least 1. A length above PTRDIFF_MAX, such as -1 converted,
/// says that it failed: the value is then printed by its description. It may read the world and
/// print other values, but change nothing.
typedef size_t (*stoa_print_fn)(const stoa_world *world, const void *value, char *buffer,
                                size_t size, void *user);

/// How to print the values of a component.
typedef struct stoa_printer_desc {
    stoa_type *type;               ///< the described type, or NULL to go by `component`
    stoa_component component;      ///< used when `type` is NULL
    stoa_print_fn call;            ///< what to call; NULL: none, so that the printer is removed
    void *user;                    ///< handed to every call
    void (*user_free)(void *user); ///< called once when the printer is gone; may be NULL
} stoa_printer_desc;

/// Gives a component a printer of its own, in place of the one it had.
/// It is called wherever a value of the component is printed, also as a member of another one. On
/// an error the old printer stays, and `user` stays the caller's.
stoa_status stoa_printer_set(stoa_world *world, const stoa_printer_desc *desc);

STOA_END

#endif
