/* The meta world: what a world is made of, as entities that the ordinary queries read.
 *
 * It is a world of its own, read only, that shows the components, archetypes, queries and resources
 * of another world, and the systems of its app, as they were when it was last refreshed. */
#ifndef STOA_META_H
#define STOA_META_H

#include "stoa/app.h"

/// The options of every component of a meta world; not for direct use.
#define STOA_META_AS(name)                                                                         \
    STOA_OPTIONS(name, {0, 0, 0, 0, 0}, STOA_IMMUTABLE | STOA_ROW_TICKS, 0, 0)

/// The name of a thing; links between things have none.
/// `text`: lives as long as its entity does, unless a refresh gives it another name.
STOA_COMPONENT_WITH(stoa_meta_name, STOA_META_AS("meta.Name"), { const char *text; });

/// A component that the world knows.
/// `entity_count`: entities that have it. `value_count`: of a described enum. `tag`: has no data.
/// The others are those of stoa_component_info.
STOA_COMPONENT_WITH(stoa_meta_component, STOA_META_AS("meta.Component"), {
    uint32_t id, size, alignment, flags;
    int32_t member_count, value_count, entity_count;
    bool plain, copyable, sparse, tag;
});

/// A member of a described component, with the name `Position.x`.
/// `type`: the described struct or enum that it holds, or null. `kind`: of stoa_kind. `index`: its
/// place in the component. `array`: 1 if it is declared with brackets. The others are those of
/// stoa_member.
STOA_COMPONENT_WITH(stoa_meta_member, STOA_META_AS("meta.Member"), {
    stoa_entity component, type;
    uint32_t kind, offset, size, count, array;
    int32_t index;
});

/// An archetype; its name lists its components, and is empty for the empty set.
/// `tag_count`: of its components, those without data. The others are those of
/// stoa_archetype_info.
STOA_COMPONENT_WITH(stoa_meta_archetype, STOA_META_AS("meta.Archetype"), {
    int32_t id, component_count, tag_count, chunk_count, row_count, chunk_capacity;
    uint64_t used, reserved;
});

/// A query that lives.
/// `id`: of stoa_query_id. `entity_count`: entities that match. `last_run`: the tick of its last
/// run, or 0 if it never ran, or not for 2^30 ticks. `write_count`: terms that write.
STOA_COMPONENT_WITH(stoa_meta_query, STOA_META_AS("meta.Query"), {
    uint64_t id;
    int32_t term_count, write_count, entity_count;
    uint32_t last_run;
});

/// A resource that is there, with the name of its type.
/// `component`: its type. `id` and `size`: of that.
STOA_COMPONENT_WITH(stoa_meta_resource, STOA_META_AS("meta.Resource"), {
    stoa_entity component;
    uint32_t id, size;
});

/// A stage of the app.
/// `id`: its stoa_stage. `place`: in the order of a frame, from 0.
STOA_COMPONENT_WITH(stoa_meta_stage, STOA_META_AS("meta.Stage"), {
    uint32_t id;
    int32_t place, system_count;
});

/// A system of the app.
/// `stage`: where in a frame it runs. `id`: of its stoa_system. `rule`: of stoa_thread_rule.
/// `last_run`: the tick of its last run, 0 if it never ran. `place`: in order of registration, from
/// 0. `access_count`: what it declares, `read_count` and `write_count` together. `main`: runs on
/// the thread that steps the app.
STOA_COMPONENT_WITH(stoa_meta_system, STOA_META_AS("meta.System"), {
    stoa_entity stage;
    uint64_t runs;
    uint32_t id, rule, last_run;
    int32_t place, access_count, read_count, write_count;
    bool enabled, script, main, exclusive;
});

/// A link: an archetype has a component.
STOA_COMPONENT_WITH(stoa_meta_has, STOA_META_AS("meta.Has"), { stoa_entity archetype, component; });

/// A link: a query has a term.
/// `index`: its place. `access`: of stoa_access. `group`: of an any-of term.
STOA_COMPONENT_WITH(stoa_meta_term, STOA_META_AS("meta.Term"), {
    stoa_entity query, component;
    int32_t index, group;
    uint32_t access;
});

/// A link: a system reads or writes a component, or a resource.
/// `component`: which, or the resource's type. `resource`: the resource, null if it is not there or
/// the use is of a component. `of_resource`: tells these apart. `missing`: the resource is not
/// there.
STOA_COMPONENT_WITH(stoa_meta_use, STOA_META_AS("meta.Use"), {
    stoa_entity system, component, resource;
    bool read, write, of_resource, missing;
});

STOA_BEGIN

/// What an entity of a meta world stands for.
typedef enum stoa_meta_kind {
    STOA_META_COMPONENT, ///< has stoa_meta_component
    STOA_META_MEMBER,    ///< has stoa_meta_member
    STOA_META_ARCHETYPE, ///< has stoa_meta_archetype
    STOA_META_QUERY,     ///< has stoa_meta_query
    STOA_META_RESOURCE,  ///< has stoa_meta_resource
    STOA_META_STAGE,     ///< has stoa_meta_stage
    STOA_META_SYSTEM,    ///< has stoa_meta_system
    STOA_META_HAS,       ///< a link: has stoa_meta_has
    STOA_META_TERM,      ///< a link: has stoa_meta_term
    STOA_META_USE,       ///< a link: has stoa_meta_use
    STOA_META_KINDS      ///< how many there are
} stoa_meta_kind;

/// Makes the meta world of a world and, unless NULL, of an app over it; NULL on error.
/// It is up to date and sealed, see stoa_world_seal. It uses the world's allocator, and its
/// failures are told to the world's handlers. Free it with stoa_world_free, before or after the
/// world; before it if the allocator has a `user_free`.
stoa_world *stoa_meta_new(stoa_world *world, stoa_app *app);

/// Brings a meta world up to date; on an error it stays as it was.
/// What is still there keeps its entity, what is gone loses it, and only values that differ count
/// as changed. STOA_FREED if the world that it is about is gone; what was seen last stays. Refused
/// while the meta world is iterated. Its hooks are called, and must not change it.
stoa_status stoa_meta_refresh(stoa_world *meta);

/// The world that a meta world is about; NULL if that is gone, or `meta` is no meta world.
stoa_world *stoa_meta_of(const stoa_world *meta);

/// The app that a meta world is about; NULL if there is none, or no more.
stoa_app *stoa_meta_app(const stoa_world *meta);

/// Tells a meta world which app to look at from the next refresh on; NULL: none.
/// What an app that is let go of has loses its entities at that refresh. An app that is freed is
/// let go of by itself.
stoa_status stoa_meta_watch(stoa_world *meta, stoa_app *app);

/// The entity of a thing by its name; STOA_NULL, with no error, if there is none.
/// Of queries that share a name the oldest.
stoa_entity stoa_meta_find(const stoa_world *meta, stoa_meta_kind kind, const char *name);

/// The entity of a thing by its `id`, see the components; STOA_NULL, with no error, if none.
/// For a resource that of its type; members and links have none.
stoa_entity stoa_meta_at(const stoa_world *meta, stoa_meta_kind kind, uint64_t id);

STOA_END

#endif
