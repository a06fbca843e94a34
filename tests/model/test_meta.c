/* Meta worlds: what they show, and how a refresh brings them up to date. */
#include "model/meta_fixture.h"

STOA_ENUM(Team, {RED, BLUE});
STOA_COMPONENT(Grid, {
    Position corner;
    int32_t cells[4];
    Team team;
});
STOA_COMPONENT_WITH(Fire, STOA_OPTIONS(.flags = STOA_SPARSE), { int32_t heat; });

static stoa_entity named(const stoa_world *meta, stoa_meta_kind kind, const char *name) {
    stoa_entity e = stoa_meta_find(meta, kind, name);
    assert_false(stoa_entity_is_null(e));
    assert_string_equal(stoa_get(meta, e, stoa_meta_name)->text, name);
    return e;
}

static const stoa_meta_component *component_named(const stoa_world *meta, const char *name) {
    return stoa_get(meta, named(meta, STOA_META_COMPONENT, name), stoa_meta_component);
}

/* Entities whose value of a type is newer than a tick, by an ordinary query. */
static int32_t changed_count(stoa_world *meta, stoa_type *type, uint32_t since) {
    stoa_query *query = stoa_query_new(
        meta, &(stoa_query_desc){.terms = {{.type = type, .access = STOA_ACCESS_CHANGED}}});
    int32_t count = 0;
    for (stoa_iter it = stoa_query_iter_since(query, since); stoa_iter_next(&it);) {
        count += it.count;
    }
    assert_int_equal(stoa_query_free(query), STOA_OK);
    return count;
}

/* MET-01 */
static void components_are_entities_with_what_is_known_of_them(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    stoa_create_with(w, STOA_ZERO(Position), STOA_ZERO(Fire));
    stoa_create_with(w, STOA_ZERO(Position), STOA_ZERO(Seen));
    assert_int_not_equal(stoa_id(w, Team), 0);
    stoa_component grid = stoa_id(w, Grid);
    assert_int_not_equal(grid, 0);
    stoa_world *meta = meta_open(s, NULL);
    const stoa_meta_component *c = component_named(meta, "Position");
    assert_int_equal(c->id, stoa_id(w, Position));
    assert_int_equal(c->size, 8);
    assert_int_equal(c->alignment, 4);
    assert_int_equal(c->member_count, 2);
    assert_int_equal(c->entity_count, 2);
    assert_true(c->plain && c->copyable && !c->sparse && !c->tag);
    c = component_named(meta, "Fire");
    assert_int_equal(c->flags, STOA_SPARSE);
    assert_int_equal(c->entity_count, 1);
    assert_true(c->sparse);
    c = component_named(meta, "Seen");
    assert_true(c->tag);
    assert_int_equal(c->size, 0);
    assert_int_equal(component_named(meta, "Team")->value_count, 2);
    assert_int_equal(component_named(meta, "Grid")->entity_count, 0);
    assert_true(stoa_entity_eq(stoa_meta_at(meta, STOA_META_COMPONENT, grid),
                               named(meta, STOA_META_COMPONENT, "Grid")));
    int32_t rows = 0;
    for (stoa_iter it =
             stoa_query_once(meta, &(stoa_query_desc){.terms = {STOA_READ(stoa_meta_component),
                                                                STOA_READ(stoa_meta_name)}});
         stoa_iter_next(&it);) {
        rows += it.count;
    }
    assert_int_equal(rows, stoa_component_count(w));
    meta_close(meta);
}

/* MET-01 */
static void members_name_their_component_and_type(void **state) {
    support_world *s = *state;
    assert_int_not_equal(stoa_id(s->world, Team), 0);
    assert_int_not_equal(stoa_id(s->world, Position), 0);
    stoa_component grid = stoa_id(s->world, Grid);
    assert_int_not_equal(grid, 0);
    stoa_world *meta = meta_open(s, NULL);
    stoa_entity position = named(meta, STOA_META_COMPONENT, "Position");
    const stoa_meta_member *m =
        stoa_get(meta, named(meta, STOA_META_MEMBER, "Grid.corner"), stoa_meta_member);
    assert_true(stoa_entity_eq(m->component, stoa_meta_at(meta, STOA_META_COMPONENT, grid)));
    assert_true(stoa_entity_eq(m->type, position));
    assert_int_equal(m->kind, STOA_KIND_STRUCT);
    assert_int_equal(m->index, 0);
    m = stoa_get(meta, named(meta, STOA_META_MEMBER, "Grid.cells"), stoa_meta_member);
    assert_int_equal(m->kind, STOA_KIND_I32);
    assert_int_equal(m->offset, 8);
    assert_int_equal(m->size, 4);
    assert_int_equal(m->count, 4);
    assert_int_equal(m->array, 1);
    assert_int_equal(m->index, 1);
    assert_true(stoa_entity_is_null(m->type));
    m = stoa_get(meta, named(meta, STOA_META_MEMBER, "Grid.team"), stoa_meta_member);
    assert_true(stoa_entity_eq(m->type, named(meta, STOA_META_COMPONENT, "Team")));
    assert_int_equal(m->array, 0);
    assert_true(stoa_entity_is_null(stoa_meta_find(meta, STOA_META_MEMBER, "Grid.none")));
    meta_close(meta);
}

/* Links of an archetype, counted by an ordinary query. */
static int32_t has_count(stoa_world *meta, stoa_entity archetype, stoa_entity component) {
    int32_t count = 0;
    for (stoa_iter it =
             stoa_query_once(meta, &(stoa_query_desc){.terms = {STOA_READ(stoa_meta_has)}});
         stoa_iter_next(&it);) {
        const stoa_meta_has *has = stoa_field(&it, stoa_meta_has, 0);
        for (int32_t i = 0; i < it.count; i++) {
            count += stoa_entity_eq(has[i].archetype, archetype) &&
                     stoa_entity_eq(has[i].component, component);
        }
    }
    return count;
}

/* MET-01 */
static void archetypes_tell_their_rows_and_components(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    stoa_id(w, Position);
    stoa_create_bulk(w, 5, NULL, STOA_ZERO(Position), STOA_ZERO(Seen));
    stoa_create(w);
    stoa_world *meta = meta_open(s, NULL);
    stoa_entity e = named(meta, STOA_META_ARCHETYPE, "Position, Seen");
    const stoa_meta_archetype *a = stoa_get(meta, e, stoa_meta_archetype);
    stoa_archetype_info info;
    assert_int_equal(stoa_archetype_info_get(w, a->id, &info), STOA_OK);
    assert_int_equal(a->component_count, 2);
    assert_int_equal(a->tag_count, 1);
    assert_int_equal(a->row_count, 5);
    assert_int_equal(a->chunk_count, info.chunk_count);
    assert_int_equal(a->chunk_capacity, info.chunk_capacity);
    assert_int_equal(a->used, info.used);
    assert_int_equal(a->reserved, info.reserved);
    assert_int_equal(has_count(meta, e, named(meta, STOA_META_COMPONENT, "Position")), 1);
    assert_int_equal(has_count(meta, e, named(meta, STOA_META_COMPONENT, "Seen")), 1);
    stoa_entity empty = named(meta, STOA_META_ARCHETYPE, "");
    assert_int_equal(stoa_get(meta, empty, stoa_meta_archetype)->row_count, 1);
    assert_true(stoa_entity_eq(empty, stoa_meta_at(meta, STOA_META_ARCHETYPE, 0)));
    meta_close(meta);
}

/* MET-01 */
static void queries_tell_their_terms_and_matches(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    stoa_create_bulk(w, 3, NULL, STOA_ZERO(Position));
    stoa_query *query = stoa_query_new(
        w, &(stoa_query_desc){.terms = {STOA_WRITE(Position), STOA_WITHOUT(Seen)}, .name = "move"});
    stoa_world *meta = meta_open(s, NULL);
    stoa_entity e = named(meta, STOA_META_QUERY, "move");
    const stoa_meta_query *q = stoa_get(meta, e, stoa_meta_query);
    assert_int_equal(q->id, stoa_query_id(query));
    assert_int_equal(q->term_count, 2);
    assert_int_equal(q->write_count, 1);
    assert_int_equal(q->entity_count, 3);
    assert_int_equal(q->last_run, 0);
    int32_t found = 0;
    for (stoa_iter it =
             stoa_query_once(meta, &(stoa_query_desc){.terms = {STOA_READ(stoa_meta_term)}});
         stoa_iter_next(&it);) {
        const stoa_meta_term *term = stoa_field(&it, stoa_meta_term, 0);
        for (int32_t i = 0; i < it.count; i++) {
            assert_true(stoa_entity_eq(term[i].query, e));
            const char *name = term[i].index == 0 ? "Position" : "Seen";
            assert_true(stoa_entity_eq(term[i].component, named(meta, STOA_META_COMPONENT, name)));
            assert_int_equal(term[i].access,
                             term[i].index == 0 ? STOA_ACCESS_WRITE : STOA_ACCESS_WITHOUT);
            found++;
        }
    }
    assert_int_equal(found, 2);
    for (stoa_iter it = stoa_query_iter(query); stoa_iter_next(&it);) {
    }
    assert_int_equal(stoa_meta_refresh(meta), STOA_OK);
    assert_int_equal(stoa_get(meta, e, stoa_meta_query)->last_run, stoa_tick(w));
    meta_close(meta);
}

/* MET-01: another query at the same address is another thing. */
static void query_made_anew_gets_another_entity(void **state) {
    support_world *s = *state;
    stoa_query_desc desc = {.terms = {STOA_READ(Position)}, .name = "one"};
    stoa_query *query = stoa_query_new(s->world, &desc);
    stoa_world *meta = meta_open(s, NULL);
    stoa_entity e = named(meta, STOA_META_QUERY, "one");
    stoa_query_free(query);
    query = stoa_query_new(s->world, &desc);
    assert_int_equal(stoa_meta_refresh(meta), STOA_OK);
    assert_false(stoa_alive(meta, e));
    stoa_entity other = named(meta, STOA_META_QUERY, "one");
    assert_false(stoa_entity_eq(e, other));
    /* The oldest of a name is found. */
    stoa_query_new(s->world, &desc);
    assert_int_equal(stoa_meta_refresh(meta), STOA_OK);
    assert_true(stoa_entity_eq(stoa_meta_find(meta, STOA_META_QUERY, "one"), other));
    stoa_query_free(query);
    assert_int_equal(stoa_meta_refresh(meta), STOA_OK);
    assert_false(stoa_alive(meta, other));
    named(meta, STOA_META_QUERY, "one");
    meta_close(meta);
}

/* MET-01 */
static void resources_come_and_go(void **state) {
    support_world *s = *state;
    stoa_resource_set(s->world, Rules, {3});
    stoa_world *meta = meta_open(s, NULL);
    stoa_entity e = named(meta, STOA_META_RESOURCE, "Rules");
    const stoa_meta_resource *r = stoa_get(meta, e, stoa_meta_resource);
    assert_int_equal(r->id, stoa_id(s->world, Rules));
    assert_int_equal(r->size, 8);
    assert_true(stoa_entity_eq(r->component, named(meta, STOA_META_COMPONENT, "Rules")));
    stoa_resource_remove(s->world, Rules);
    assert_int_equal(stoa_meta_refresh(meta), STOA_OK);
    assert_false(stoa_alive(meta, e));
    assert_true(stoa_entity_is_null(stoa_meta_find(meta, STOA_META_RESOURCE, "Rules")));
    named(meta, STOA_META_COMPONENT, "Rules");
    meta_close(meta);
}

/* The use of a component or resource by a system, found by an ordinary query; NULL if none. */
static const stoa_meta_use *use_find(stoa_world *meta, stoa_entity system, const char *name,
                                     bool of_resource) {
    stoa_entity component = named(meta, STOA_META_COMPONENT, name);
    const stoa_meta_use *found = NULL;
    for (stoa_iter it =
             stoa_query_once(meta, &(stoa_query_desc){.terms = {STOA_READ(stoa_meta_use)}});
         stoa_iter_next(&it);) {
        const stoa_meta_use *use = stoa_field(&it, stoa_meta_use, 0);
        for (int32_t i = 0; i < it.count; i++) {
            if (stoa_entity_eq(use[i].system, system) && use[i].of_resource == of_resource &&
                stoa_entity_eq(use[i].component, component)) {
                found = &use[i];
            }
        }
    }
    return found;
}

/* MET-01 */
static void systems_tell_their_stage_and_what_they_use(void **state) {
    support_world *s = *state;
    stoa_app *app = app_open(s);
    stoa_stage_new(app, &(stoa_stage_desc){.name = "Late", .after = "Update"});
    stoa_system first =
        stoa_system_new(app, &(stoa_system_desc){.name = "move",
                                                 .each = idle,
                                                 .terms = {STOA_WRITE(Position), STOA_READ(Seen)},
                                                 .resources = {STOA_READ(Rules)}});
    stoa_system_new(app, &(stoa_system_desc){.name = "draw",
                                             .run = idle,
                                             .stage = stoa_stage_find(app, "Late"),
                                             .rule = STOA_THREAD_MAIN,
                                             .disabled = true});
    stoa_world *meta = meta_open(s, app);
    stoa_entity e = named(meta, STOA_META_SYSTEM, "move");
    const stoa_meta_system *m = stoa_get(meta, e, stoa_meta_system);
    assert_true(stoa_entity_eq(e, stoa_meta_at(meta, STOA_META_SYSTEM, first.id)));
    assert_true(stoa_entity_eq(m->stage, named(meta, STOA_META_STAGE, "Update")));
    assert_true(m->enabled && !m->script && !m->main && !m->exclusive);
    assert_int_equal(m->place, 0);
    assert_int_equal(m->runs, 0);
    assert_int_equal(m->access_count, m->read_count + m->write_count);
    assert_int_equal(m->write_count, 1);
    const stoa_meta_use *use = use_find(meta, e, "Position", false);
    assert_true(use != NULL && use->write && !use->read && !use->missing);
    use = use_find(meta, e, "Rules", true);
    assert_true(use != NULL && use->read && !use->write && use->missing);
    assert_true(stoa_entity_is_null(use->resource));
    stoa_entity late = named(meta, STOA_META_STAGE, "Late");
    m = stoa_get(meta, named(meta, STOA_META_SYSTEM, "draw"), stoa_meta_system);
    assert_true(stoa_entity_eq(m->stage, late) && m->main && !m->enabled);
    assert_int_equal(m->place, 1);
    assert_int_equal(stoa_get(meta, late, stoa_meta_stage)->system_count, 1);
    assert_int_equal(
        stoa_get(meta, late, stoa_meta_stage)->place,
        stoa_get(meta, named(meta, STOA_META_STAGE, "Update"), stoa_meta_stage)->place + 1);
    stoa_resource_set(s->world, Rules, {1});
    assert_int_equal(stoa_app_step(app, 0.1), STOA_OK);
    assert_int_equal(stoa_system_remove(app, stoa_system_find(app, "draw")), STOA_OK);
    assert_int_equal(stoa_meta_refresh(meta), STOA_OK);
    m = stoa_get(meta, e, stoa_meta_system);
    assert_int_equal(m->runs, 1);
    assert_int_not_equal(m->last_run, 0);
    use = use_find(meta, e, "Rules", true);
    assert_true(stoa_entity_eq(use->resource, named(meta, STOA_META_RESOURCE, "Rules")));
    assert_false(use->missing);
    assert_true(stoa_entity_is_null(stoa_meta_find(meta, STOA_META_SYSTEM, "draw")));
    /* Another look without the app. */
    assert_ptr_equal(stoa_meta_app(meta), app);
    assert_int_equal(stoa_meta_watch(meta, NULL), STOA_OK);
    assert_int_equal(stoa_meta_refresh(meta), STOA_OK);
    assert_false(stoa_alive(meta, e));
    assert_null(stoa_meta_app(meta));
    assert_int_equal(stoa_app_free(app), STOA_OK);
    meta_close(meta);
}

static void link_lost(stoa_world *meta, stoa_entity e, void *value, void *user) {
    const stoa_meta_use *use = value;
    (void)e;
    assert_true(stoa_alive(meta, use->system) && stoa_alive(meta, use->component));
    ++*(int *)user;
}

/* MET-01 */
static void links_go_before_what_they_link(void **state) {
    support_world *s = *state;
    stoa_app *app = app_open(s);
    stoa_system_new(app, &(stoa_system_desc){.name = "move",
                                             .each = idle,
                                             .terms = {STOA_WRITE(Position), STOA_READ(Fire)}});
    stoa_world *meta = meta_open(s, app);
    int lost = 0;
    stoa_hook hook = stoa_on_remove(meta, stoa_meta_use, link_lost, &lost);
    stoa_system_remove(app, stoa_system_find(app, "move"));
    assert_int_equal(stoa_meta_refresh(meta), STOA_OK);
    assert_int_equal(lost, 2);
    assert_int_equal(stoa_hook_remove(meta, hook), STOA_OK);
    assert_int_equal(stoa_app_free(app), STOA_OK);
    meta_close(meta);
}

/* MET-01 */
static void refresh_marks_only_what_differs(void **state) {
    support_world *s = *state;
    stoa_world *w = s->world;
    stoa_create_with(w, STOA_ZERO(Position));
    stoa_create_with(w, STOA_ZERO(Seen));
    stoa_query_new(w, &(stoa_query_desc){.terms = {STOA_CHANGED(Position)}});
    stoa_world *meta = meta_open(s, NULL);
    uint32_t tick = stoa_tick(meta);
    uint64_t hash = stoa_hash(meta);
    stoa_tick_advance(w);
    assert_int_equal(stoa_meta_refresh(meta), STOA_OK);
    assert_int_equal(stoa_hash(meta), hash);
    assert_true(stoa_tick_newer(stoa_tick(meta), tick));
    stoa_type *types[] = {STOA_TYPE_OF(stoa_meta_component), STOA_TYPE_OF(stoa_meta_member),
                          STOA_TYPE_OF(stoa_meta_archetype), STOA_TYPE_OF(stoa_meta_query),
                          STOA_TYPE_OF(stoa_meta_name),      STOA_TYPE_OF(stoa_meta_has)};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        assert_int_equal(changed_count(meta, types[i], tick), 0);
    }
    stoa_entity archetype = named(meta, STOA_META_ARCHETYPE, "Position");
    stoa_entity seen = named(meta, STOA_META_ARCHETYPE, "Seen");
    stoa_create_with(w, STOA_ZERO(Position));
    tick = stoa_tick(meta);
    assert_int_equal(stoa_meta_refresh(meta), STOA_OK);
    assert_true(stoa_entity_eq(named(meta, STOA_META_ARCHETYPE, "Position"), archetype));
    assert_int_equal(stoa_get(meta, archetype, stoa_meta_archetype)->row_count, 2);
    assert_true(stoa_changed(meta, archetype, stoa_meta_archetype, tick));
    assert_false(stoa_changed(meta, seen, stoa_meta_archetype, tick));
    assert_int_equal(changed_count(meta, STOA_TYPE_OF(stoa_meta_archetype), tick), 1);
    assert_int_equal(changed_count(meta, STOA_TYPE_OF(stoa_meta_component), tick), 1);
    assert_int_equal(changed_count(meta, STOA_TYPE_OF(stoa_meta_name), tick), 0);
    meta_close(meta);
}

/* MET-01 */
static void meta_world_refuses_writes(void **state) {
    support_world *s = *state;
    stoa_id(s->world, Position);
    stoa_world *meta = meta_open(s, NULL);
    stoa_entity e = named(meta, STOA_META_COMPONENT, "Position");
    uint64_t hash = stoa_hash(meta);
    support_assert_misuse(s, stoa_destroy(meta, e), STOA_ACCESS);
    support_assert_misuse(s, stoa_set(meta, e, stoa_meta_name, {"other"}), STOA_ACCESS);
    assert_null(stoa_get_mut(meta, e, stoa_meta_component));
    support_assert_misuse(s, stoa_last_error().status, STOA_ACCESS);
    assert_true(stoa_entity_is_null(stoa_create(meta)));
    support_assert_misuse(s, stoa_last_error().status, STOA_ACCESS);
    assert_null(stoa_query_parse(meta, "meta.Component"));
    support_assert_misuse(s, stoa_last_error().status, STOA_ACCESS);
    stoa_query *query = stoa_query_parse(meta, "const meta.Component, const meta.Name");
    assert_non_null(query);
    assert_int_equal(stoa_query_count(query), stoa_component_count(s->world));
    assert_int_equal(stoa_hash(meta), hash);
    assert_true(stoa_world_sealed(meta));
    meta_close(meta);
}

/* MET-01: bytes are compared, so there must be none that no member has. */
static void components_of_a_meta_world_are_immutable_and_described(void **state) {
    support_world *s = *state;
    stoa_world *meta = meta_open(s, NULL);
    assert_int_equal(stoa_component_count(meta), STOA_META_KINDS + 1);
    for (stoa_component id = 1; id <= STOA_META_KINDS + 1; id++) {
        stoa_component_info info;
        assert_int_equal(stoa_component_info_get(meta, id, &info), STOA_OK);
        assert_int_equal(info.flags, STOA_IMMUTABLE | STOA_ROW_TICKS);
        assert_memory_equal(info.name, "meta.", 5);
        uint32_t bytes = 0;
        for (int32_t i = 0; i < info.member_count; i++) {
            bytes += info.members[i].size * info.members[i].count;
        }
        assert_int_equal(bytes, info.size);
    }
    meta_close(meta);
}

/* MET-01 */
static void meta_world_of_a_meta_world_shows_it(void **state) {
    support_world *s = *state;
    stoa_world *meta = meta_open(s, NULL);
    stoa_world *higher = stoa_meta_new(meta, NULL);
    assert_non_null(higher);
    assert_ptr_equal(stoa_meta_of(higher), meta);
    assert_ptr_equal(stoa_meta_of(meta), s->world);
    assert_int_equal(component_named(higher, "meta.Component")->entity_count,
                     stoa_component_count(s->world));
    meta_close(meta);
    assert_null(stoa_meta_of(higher));
    meta_close(higher);
}

int main(void) {
    const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, support_setup, support_teardown)
        TEST(components_are_entities_with_what_is_known_of_them),
        TEST(members_name_their_component_and_type),
        TEST(archetypes_tell_their_rows_and_components),
        TEST(queries_tell_their_terms_and_matches),
        TEST(query_made_anew_gets_another_entity),
        TEST(resources_come_and_go),
        TEST(systems_tell_their_stage_and_what_they_use),
        TEST(links_go_before_what_they_link),
        TEST(refresh_marks_only_what_differs),
        TEST(meta_world_refuses_writes),
        TEST(components_of_a_meta_world_are_immutable_and_described),
        TEST(meta_world_of_a_meta_world_shows_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
