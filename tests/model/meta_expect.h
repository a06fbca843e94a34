/* What a meta world must show: asked of the observed world, in the simplest way. */
#ifndef STOA_TESTS_MODEL_META_EXPECT_H
#define STOA_TESTS_MODEL_META_EXPECT_H

#include "support/support.h"

#define THINGS_MAX 2000

static stoa_type *const types[STOA_META_KINDS] = {
    STOA_TYPE_OF(stoa_meta_component), STOA_TYPE_OF(stoa_meta_member),
    STOA_TYPE_OF(stoa_meta_archetype), STOA_TYPE_OF(stoa_meta_query),
    STOA_TYPE_OF(stoa_meta_resource),  STOA_TYPE_OF(stoa_meta_stage),
    STOA_TYPE_OF(stoa_meta_system),    STOA_TYPE_OF(stoa_meta_has),
    STOA_TYPE_OF(stoa_meta_term),      STOA_TYPE_OF(stoa_meta_use)};

/* A thing that must be shown; `key` and `part` tell it apart from others of its kind. */
typedef struct thing {
    stoa_meta_kind kind;
    uint64_t key;
    uint32_t part;
    const char *name; /* NULL: has none */
    stoa_entity entity;
    uint32_t size;
    union {
        stoa_meta_component component;
        stoa_meta_member member;
        stoa_meta_archetype archetype;
        stoa_meta_query query;
        stoa_meta_resource resource;
        stoa_meta_stage stage;
        stoa_meta_system system;
        stoa_meta_has has;
        stoa_meta_term term;
        stoa_meta_use use;
        uint8_t bytes[64];
    } value;
} thing;

typedef struct things {
    thing items[THINGS_MAX];
    uint32_t count;
} things;

/* A world, its meta world, and what that must show. */
typedef struct shown {
    stoa_world *world;
    stoa_world *meta;
    things now;
} shown;

static thing *thing_add(shown *r, stoa_meta_kind kind, uint64_t key, uint32_t part,
                        const char *name) {
    assert_true(r->now.count < THINGS_MAX);
    thing *t = &r->now.items[r->now.count++];
    *t = (thing){.kind = kind, .key = key, .part = part, .name = name, .size = types[kind]->size};
    return t;
}

static stoa_entity at(const shown *r, stoa_meta_kind kind, uint64_t id) {
    return stoa_meta_at(r->meta, kind, id);
}

/* Entities that have a component, one by one. */
static int32_t having(const stoa_world *w, stoa_component id) {
    int32_t count = 0;
    for (stoa_entity e = stoa_entity_next(w, STOA_NULL); e.index != 0; e = stoa_entity_next(w, e)) {
        count += stoa_has_id(w, e, id);
    }
    return count;
}

static void expect_components(shown *r) {
    const stoa_world *w = r->world;
    for (stoa_component id = 1; id <= (stoa_component)stoa_component_count(w); id++) {
        stoa_component_info i;
        stoa_component_info_get(w, id, &i);
        int32_t values = 0;
        stoa_component_enum(w, id, &values);
        thing_add(r, STOA_META_COMPONENT, id, 0, i.name)->value.component = (stoa_meta_component){
            id,         i.size,        i.alignment, i.flags,    i.member_count,
            values,     having(w, id), i.plain,     i.copyable, (i.flags & STOA_SPARSE) != 0,
            i.size == 0};
        for (int32_t k = 0; k < i.member_count; k++) {
            const stoa_member *m = &i.members[k];
            stoa_entity type = m->type != 0 ? at(r, STOA_META_COMPONENT, m->type) : STOA_NULL;
            thing_add(r, STOA_META_MEMBER, id, (uint32_t)k, NULL)->value.member =
                (stoa_meta_member){at(r, STOA_META_COMPONENT, id),
                                   type,
                                   (uint32_t)m->kind,
                                   m->offset,
                                   m->size,
                                   m->count,
                                   m->array,
                                   k};
        }
        if (stoa_resource_has_id(w, id)) {
            thing_add(r, STOA_META_RESOURCE, id, 0, i.name)->value.resource =
                (stoa_meta_resource){at(r, STOA_META_COMPONENT, id), id, i.size};
        }
    }
}

static void expect_archetypes(shown *r) {
    const stoa_world *w = r->world;
    for (int32_t id = 0; id < stoa_archetype_count(w); id++) {
        stoa_archetype_info i;
        stoa_archetype_info_get(w, id, &i);
        int32_t tags = 0, rows = 0;
        for (int32_t k = 0; k < i.component_count; k++) {
            stoa_component_info c;
            stoa_component_info_get(w, i.components[k], &c);
            tags += c.size == 0;
            thing_add(r, STOA_META_HAS, (uint64_t)id, c.id, NULL)->value.has = (stoa_meta_has){
                at(r, STOA_META_ARCHETYPE, (uint64_t)id), at(r, STOA_META_COMPONENT, c.id)};
        }
        for (stoa_entity e = stoa_entity_next(w, STOA_NULL); e.index != 0;
             e = stoa_entity_next(w, e)) {
            rows += stoa_archetype_of(w, e) == id;
        }
        thing_add(r, STOA_META_ARCHETYPE, (uint64_t)id, 0, NULL)->value.archetype =
            (stoa_meta_archetype){id,   i.component_count, tags,   i.chunk_count,
                                  rows, i.chunk_capacity,  i.used, i.reserved};
    }
}

static void expect_queries(shown *r) {
    const stoa_world *w = r->world;
    for (const stoa_query *q = stoa_query_next(w, NULL); q != NULL; q = stoa_query_next(w, q)) {
        stoa_term terms[STOA_TERM_MAX];
        int32_t count = stoa_query_terms(q, terms, STOA_TERM_MAX), writes = 0;
        for (int32_t k = 0; k < count; k++) {
            writes += terms[k].access == STOA_ACCESS_WRITE;
            thing_add(r, STOA_META_TERM, stoa_query_id(q), (uint32_t)k, NULL)->value.term =
                (stoa_meta_term){at(r, STOA_META_QUERY, stoa_query_id(q)),
                                 at(r, STOA_META_COMPONENT, terms[k].id), k, terms[k].group,
                                 (uint32_t)terms[k].access};
        }
        uint32_t last = stoa_query_last_run(q);
        last = stoa_tick_newer(last, stoa_tick(w) - (1u << 30)) ? last : 0;
        thing_add(r, STOA_META_QUERY, stoa_query_id(q), 0, stoa_query_name(q))->value.query =
            (stoa_meta_query){stoa_query_id(q), count, writes, stoa_query_count(q), last};
    }
}

static void expect_uses(shown *r, stoa_app *app, stoa_system system, int32_t count,
                        int32_t *writes) {
    for (int32_t k = 0; k < count; k++) {
        stoa_system_use u;
        assert_int_equal(stoa_system_access(app, system, k, &u), STOA_OK);
        *writes += u.write;
        stoa_entity resource = u.resource ? at(r, STOA_META_RESOURCE, u.id) : STOA_NULL;
        thing_add(r, STOA_META_USE, system.id, u.id * 2 + u.resource, NULL)->value.use =
            (stoa_meta_use){at(r, STOA_META_SYSTEM, system.id),
                            at(r, STOA_META_COMPONENT, u.id),
                            resource,
                            !u.write,
                            u.write,
                            u.resource,
                            u.resource && !stoa_resource_has_id(r->world, u.id)};
    }
}

static void expect_app(shown *r) {
    stoa_app *app = stoa_meta_app(r->meta);
    int32_t systems[64] = {0}, place = 0;
    for (stoa_system n = stoa_system_next(app, (stoa_system){0}); n.id != 0;
         n = stoa_system_next(app, n)) {
        stoa_system_info i;
        int32_t writes = 0;
        stoa_system_info_get(app, n, &i);
        expect_uses(r, app, n, i.access_count, &writes);
        systems[i.stage]++;
        thing_add(r, STOA_META_SYSTEM, n.id, 0, i.name)->value.system =
            (stoa_meta_system){at(r, STOA_META_STAGE, i.stage),
                               i.runs,
                               n.id,
                               (uint32_t)i.rule,
                               i.runs > 0 ? i.last_run : 0,
                               place++,
                               i.access_count,
                               i.access_count - writes,
                               writes,
                               i.enabled,
                               i.script,
                               i.rule >= STOA_THREAD_MAIN,
                               i.rule == STOA_THREAD_EXCLUSIVE};
    }
    for (int32_t k = 0; stoa_stage_at(app, k) != UINT32_MAX; k++) {
        stoa_stage id = stoa_stage_at(app, k);
        thing_add(r, STOA_META_STAGE, id, 0, stoa_stage_name(app, id))->value.stage =
            (stoa_meta_stage){id, k, systems[id]};
    }
}

/* Lists all that must be shown; links and members are told apart by their values alone. */
static void expect_all(shown *r) {
    r->now.count = 0;
    expect_components(r);
    expect_archetypes(r);
    expect_queries(r);
    expect_app(r);
}

#endif
