/* How values of a type are saved and loaded, where its members do not say it all.
 *
 * A plain described type needs nothing of this. One that owns memory brings functions; one whose
 * members were renamed, or begin at something else than zero, says so here. It is given as
 * `.persist` with the options of a type, or of a component described at run time. */
#ifndef STOA_PERSIST_H
#define STOA_PERSIST_H

#include "stoa/stream.h"
#include "stoa/type.h"

STOA_BEGIN

/// Writes `count` items that stand one after the other.
/// Numbers least byte first: the same bytes for the same values on every machine.
typedef stoa_status (*stoa_save_fn)(const stoa_sink *sink, const void *items, int32_t count,
                                    void *user);

/// Makes `count` items in raw memory of what was written; on an error none is made.
/// The bytes may be anything: STOA_CORRUPT for those that make no sense.
typedef stoa_status (*stoa_load_fn)(const stoa_source *source, void *items, int32_t count,
                                    void *user);

/// A member that had another name when it was saved.
typedef struct stoa_alias {
    const char *former; ///< as it was called; NULL ends a list
    const char *name;   ///< as it is called now
} stoa_alias;

/// What saving and loading a type goes by; zero is the default of each.
typedef struct stoa_persist {
    stoa_save_fn save;        ///< NULL: by its members
    stoa_load_fn load;        ///< given if `save` is
    void *user;               ///< handed to both
    const char *former_names; ///< names the component had, separated by spaces; NULL: none
    const stoa_alias *fields; ///< members that had other names; NULL: none
    const void *defaults;     ///< one value: what members get that were not saved; NULL: zero
} stoa_persist;

STOA_END

#endif
