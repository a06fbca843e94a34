/* What cannot be saved or loaded is refused with a message, and nothing changes. */
#include "persist/snapshot.h"
#include "persist/snapshot_fixture.h"

/* SNP-11 */
static void world_with_recorded_commands_is_not_saved(void **state) {
    pair *p = *state;
    stoa_world *w = p->from.world;
    stoa_create_with(w, STOA_VALUE(Position, {1, 2}));
    stoa_commands *commands = stoa_commands_new(w);
    stoa_commands *const buffers[] = {stoa_deferred(w), commands};
    for (int i = 0; i < 2; i++) {
        stoa_commands_create(buffers[i]);
        support_assert_misuse(&p->from, stoa_snapshot_save_memory(w, NULL, &p->blob), STOA_INVALID);
        support_assert_message("commands");
        stoa_commands_clear(buffers[i]);
    }
    assert_int_equal(p->blob.size, 0);
    assert_int_equal(stoa_snapshot_save_memory(w, NULL, &p->blob), STOA_OK);
    stoa_commands_create(stoa_deferred(p->to.world));
    support_assert_misuse(&p->to,
                          stoa_snapshot_load_memory(p->to.world, NULL, p->blob.data, p->blob.size),
                          STOA_INVALID);
    support_assert_message("commands");
    stoa_commands_clear(stoa_deferred(p->to.world));
    stoa_id(p->to.world, Position);
    pair_load(p, NULL);
}

/* SNP-01 */
static void world_with_entities_is_not_loaded_into(void **state) {
    pair *p = *state;
    pair_save(p, NULL);
    stoa_entity e = stoa_create(p->to.world);
    uint64_t hash = stoa_hash(p->to.world);
    support_assert_misuse(&p->to,
                          stoa_snapshot_load_memory(p->to.world, NULL, p->blob.data, p->blob.size),
                          STOA_INVALID);
    support_assert_message("empty world");
    assert_true(stoa_hash(p->to.world) == hash && stoa_alive(p->to.world, e));
}

/* SNP-11 */
static void iterated_and_forked_worlds_are_refused(void **state) {
    pair *p = *state;
    stoa_world *w = p->from.world;
    stoa_create_with(w, STOA_VALUE(Position, {1, 2}));
    stoa_query *query = stoa_query_parse(w, "const Position");
    stoa_iter it = stoa_query_iter(query);
    assert_true(stoa_iter_next(&it));
    support_assert_misuse(&p->from, stoa_snapshot_save_memory(w, NULL, &p->blob), STOA_ITERATING);
    support_assert_misuse(&p->from, stoa_snapshot_load_memory(w, NULL, "", 0), STOA_ITERATING);
    stoa_iter_end(&it);
    stoa_commands *buffer = stoa_commands_new(w);
    assert_int_equal(stoa_commands_fork(w, &buffer, 1), STOA_OK);
    support_assert_misuse(&p->from, stoa_snapshot_save_memory(w, NULL, &p->blob), STOA_FORKED);
    support_assert_misuse(&p->from, stoa_snapshot_load_memory(w, NULL, "", 0), STOA_FORKED);
    assert_int_equal(stoa_commands_join(w), STOA_OK);
    assert_int_equal(stoa_snapshot_save_memory(w, NULL, &p->blob), STOA_OK);
}

typedef struct hooked {
    stoa_blob *blob;
    stoa_status saved;
    stoa_status loaded;
} hooked;

static void hook_saves(stoa_world *world, stoa_entity e, void *value, void *user) {
    (void)e;
    (void)value;
    hooked *h = user;
    h->saved = stoa_snapshot_save_memory(world, NULL, h->blob);
    h->loaded = stoa_snapshot_load_memory(world, NULL, "", 0);
}

/* SNP-11 */
static void hooks_neither_save_nor_load(void **state) {
    pair *p = *state;
    hooked h = {.blob = &p->blob};
    stoa_on_add(p->from.world, Position, hook_saves, &h);
    stoa_create_with(p->from.world, STOA_VALUE(Position, {1, 2}));
    assert_int_equal(h.saved, STOA_LOCKED);
    assert_int_equal(h.loaded, STOA_LOCKED);
    assert_int_equal(p->blob.size, 0);
}

static void hook_counts(stoa_world *world, stoa_entity e, void *value, void *user) {
    (void)world;
    (void)e;
    (void)value;
    ++*(int *)user;
}

/* SNP-11 */
static void hooks_are_not_told_of_what_is_loaded(void **state) {
    pair *p = *state;
    int told = 0;
    stoa_create_with(p->from.world, STOA_VALUE(Position, {1, 2}));
    stoa_on_add(p->to.world, Position, hook_counts, &told);
    stoa_on_set(p->to.world, Position, hook_counts, &told);
    stoa_query *query = stoa_query_parse(p->to.world, "const Position");
    pair_save(p, NULL);
    pair_load(p, NULL);
    assert_int_equal(told, 0);
    assert_int_equal(stoa_query_count(query), 1);
    stoa_create_with(p->to.world, STOA_VALUE(Position, {1, 2}));
    assert_int_equal(told, 2);
}

/* SNP-11: a world that cannot change can be saved, and cannot be loaded into. */
static void sealed_world_is_saved_and_not_loaded_into(void **state) {
    pair *p = *state;
    stoa_create_with(p->from.world, STOA_VALUE(Position, {1, 2}));
    stoa_world_seal(p->from.world, true);
    pair_save(p, NULL);
    stoa_world_seal(p->to.world, true);
    support_assert_misuse(&p->to,
                          stoa_snapshot_load_memory(p->to.world, NULL, p->blob.data, p->blob.size),
                          STOA_ACCESS);
    stoa_world_seal(p->to.world, false);
    stoa_id(p->to.world, Position);
    pair_load(p, NULL);
    stoa_world_seal(p->from.world, false);
}

STOA_COMPONENT(Pointing, { void *pointer; });
STOA_COMPONENT(Wordy, { const char *text; });
typedef struct Mute {
    int number;
} Mute;
STOA_TYPE(Mute);

/* SNP-03 */
static void component_that_cannot_be_saved_is_named(void **state) {
    pair *p = *state;
    stoa_world *w = p->from.world;
    stoa_component const ids[] = {stoa_id(w, Pointing), stoa_id(w, Wordy), stoa_id(w, Mute)};
    static const char *const names[] = {"Pointing", "Wordy", "Mute"};
    for (int i = 0; i < 3; i++) {
        stoa_entity e = stoa_create(w);
        stoa_add_id(w, e, ids[i]);
        assert_int_equal(stoa_snapshot_save_memory(w, NULL, &p->blob), STOA_REFUSED);
        support_assert_message(names[i]);
        stoa_destroy(w, e);
        /* As a resource, too; unless resources are left out. */
        stoa_resource_set_id(w, ids[i], &(uint64_t){0}, i == 2 ? 4 : 8);
        assert_int_equal(stoa_snapshot_save_memory(w, NULL, &p->blob), STOA_REFUSED);
        support_assert_message(names[i]);
        assert_int_equal(p->blob.size, 0);
        pair_save(p, &(stoa_snapshot_save_desc){.no_resources = true});
        p->blob.size = 0;
        stoa_resource_remove_id(w, ids[i]);
    }
    /* Archetypes of theirs are still there, without rows. */
    pair_save(p, NULL);
    pair_load(p, NULL);
}

/* SNP-06 */
static void unknown_component_is_refused_dropped_or_kept(void **state) {
    pair *p = *state;
    world_fill(p->from.world, 12);
    pair_save(p, NULL);
    stoa_id(p->to.world, Team);
    stoa_id(p->to.world, Position);
    stoa_id(p->to.world, Text);
    uint64_t hash = stoa_hash(p->to.world);
    assert_int_equal(stoa_snapshot_load_memory(p->to.world, NULL, p->blob.data, p->blob.size),
                     STOA_REFUSED);
    support_assert_message("is not known here");
    assert_true(stoa_hash(p->to.world) == hash);
    stoa_snapshot_load_desc desc = {.unknown = STOA_UNKNOWN_KEEP};
    assert_int_equal(stoa_snapshot_load_memory(p->to.world, &desc, p->blob.data, p->blob.size),
                     STOA_OK);
    worlds_assert_equal(p->from.world, p->to.world);
    assert_true(stoa_component_find(p->to.world, "Nested") != 0);
    /* And can be saved again as they were. */
    stoa_blob again = {.allocator = &p->blob_allocator};
    assert_int_equal(stoa_snapshot_save_memory(p->to.world, NULL, &again), STOA_OK);
    support_world third;
    support_world_open(&third);
    types_register(third.world, false);
    assert_int_equal(stoa_snapshot_load_memory(third.world, NULL, again.data, again.size), STOA_OK);
    worlds_assert_equal(p->from.world, third.world);
    stoa_blob_free(&again);
    support_world_close(&third);
}

static void notice_count(const stoa_notice *notice, void *user) {
    int *counts = user;
    assert_non_null(notice->component);
    assert_non_null(notice->text);
    counts[notice->kind]++;
}

/* SNP-06: archetypes that differ in what is dropped come together, in memory and from a stream. */
static void dropped_components_bring_archetypes_together(void **state) {
    pair *p = *state;
    stoa_world *w = p->from.world;
    stoa_entity e[400];
    for (int i = 0; i < 400; i++) {
        e[i] = stoa_create_with(w, STOA_VALUE(Position, {(float)i, 0}), STOA_VALUE(Lamp, {1}));
        stoa_enable(w, e[i], Lamp, i % 3 != 0);
        if (i % 2 == 0) {
            stoa_set(w, e[i], Velocity, {1, 2});
        }
        if (i % 5 == 0) {
            stoa_add(w, e[i], Frozen);
        }
        stoa_create_with(w, STOA_VALUE(Velocity, {0, 0}));
        Text text = text_make("x");
        stoa_set_id(w, e[i], stoa_id(w, Text), &text, sizeof text);
    }
    pair_save(p, &(stoa_snapshot_save_desc){.ticks = true});
    for (int way = 0; way < 2; way++) {
        support_world s;
        support_world_open(&s);
        stoa_id(s.world, Position);
        stoa_id(s.world, Lamp);
        stoa_id(s.world, Text);
        int counts[8] = {0};
        const stoa_snapshot_load_desc desc = {
            .unknown = STOA_UNKNOWN_DROP, .notice = notice_count, .user = counts};
        stoa_span span = {p->blob.data, p->blob.data + p->blob.size};
        const stoa_source source = stoa_span_source(&span);
        assert_int_equal(way == 0
                             ? stoa_snapshot_load_memory(s.world, &desc, p->blob.data, p->blob.size)
                             : stoa_snapshot_load(s.world, &desc, &source),
                         STOA_OK);
        assert_int_equal(counts[STOA_NOTICE_DROPPED], 2);
        assert_int_equal(stoa_check(s.world), STOA_OK);
        assert_int_equal(stoa_count(s.world), 800);
        for (int i = 0; i < 400; i++) {
            assert_true(stoa_get(s.world, e[i], Position)->x == (float)i);
            assert_int_equal(stoa_enabled(s.world, e[i], Lamp), i % 3 != 0);
            assert_string_equal(stoa_get(s.world, e[i], Text)->text, "x");
        }
        /* The empty set, and the archetypes of Position, of both, of all three. */
        assert_int_equal(stoa_archetype_count(s.world), 3);
        support_world_close(&s);
    }
}

/* SNP-06 */
static void changed_component_is_brought_up_to_date(void **state) {
    pair *p = *state;
    stoa_world *w = p->from.world;
    stoa_entity e[700];
    for (int i = 0; i < 700; i++) {
        e[i] = stoa_create_with(w, STOA_VALUE(Position, {(float)i, 2}), STOA_VALUE(Timed, {i}));
    }
    pair_save(p, NULL);
    static const double defaults[3] = {0, 0, 9};
    static const stoa_persist persist = {.former_names = "Place Position", .defaults = defaults};
    stoa_component place = stoa_component_register(
        p->to.world, &(stoa_component_desc){.name = "world.Place",
                                            .fields = "{ double y; double x; double z; }",
                                            .persist = &persist});
    stoa_component timed = stoa_component_register(
        p->to.world, &(stoa_component_desc){.name = "Timed", .fields = "{ uint8_t value; }"});
    int counts[8] = {0};
    stoa_snapshot_load_desc desc = {.notice = notice_count, .user = counts};
    assert_int_equal(stoa_snapshot_load_memory(p->to.world, &desc, p->blob.data, p->blob.size),
                     STOA_REFUSED);
    support_assert_message("Timed");
    assert_int_equal(stoa_count(p->to.world), 0);
    desc.loss = STOA_LOSS_CLAMP;
    memset(counts, 0, sizeof counts);
    assert_int_equal(stoa_snapshot_load_memory(p->to.world, &desc, p->blob.data, p->blob.size),
                     STOA_OK);
    for (int i = 0; i < 700; i++) {
        const double *values = stoa_get_id(p->to.world, e[i], place);
        assert_true(values[0] == 2 && values[1] == i && values[2] == 9);
        assert_int_equal(*(const uint8_t *)stoa_get_id(p->to.world, e[i], timed),
                         i < 255 ? i : 255);
    }
    assert_int_equal(counts[STOA_NOTICE_RENAMED], 1);
    assert_int_equal(counts[STOA_NOTICE_ADDED], 1);
    assert_int_equal(counts[STOA_NOTICE_LOST], 1);
}

/* SNP-02 */
static void newer_version_is_refused_by_number(void **state) {
    pair *p = *state;
    pair_save(p, NULL);
    p->blob.data[4] = 2;
    assert_int_equal(stoa_snapshot_load_memory(p->to.world, NULL, p->blob.data, p->blob.size),
                     STOA_REFUSED);
    support_assert_message("version 2");
    assert_int_equal(stoa_snapshot_verify(p->blob.data, p->blob.size, NULL), STOA_REFUSED);
}

/* Writes a snapshot with a section more at its end. */
static void section_add(stoa_blob *blob, const char *name, uint32_t flags) {
    stoa__snapshot_header header;
    assert_int_equal(stoa__snapshot_header_read(&header, blob->data, true), STOA_OK);
    uint64_t more = stoa__section_size((uint32_t)strlen(name), 5);
    assert_int_equal(stoa_blob_reserve(blob, blob->size + (size_t)more), STOA_OK);
    uint8_t *at = blob->data + blob->size;
    stoa__output output = {.begin = at, .at = at, .end = at + more};
    stoa__output_section(&output, name, flags, 5);
    stoa__output_put(&output, "hello", 5);
    stoa__output_section_end(&output, 5);
    blob->size += (size_t)more;
    header.size = blob->size;
    header.section_count++;
    output = (stoa__output){
        .begin = blob->data, .at = blob->data, .end = blob->data + STOA__SNAPSHOT_HEADER};
    stoa__output_header(&output, &header);
    assert_int_equal(output.status, STOA_OK);
}

/* SNP-02 */
static void unknown_section_is_skipped_or_refused_by_name(void **state) {
    pair *p = *state;
    stoa_create_with(p->from.world, STOA_VALUE(Position, {1, 2}));
    stoa_id(p->to.world, Position);
    pair_save(p, NULL);
    section_add(&p->blob, "decoration", 0);
    stoa_snapshot_info info;
    assert_int_equal(stoa_snapshot_verify(p->blob.data, p->blob.size, &info), STOA_OK);
    assert_int_equal(stoa_snapshot_load_memory(p->to.world, NULL, p->blob.data, p->blob.size),
                     STOA_OK);
    worlds_assert_equal(p->from.world, p->to.world);
    stoa_destroy(p->to.world, stoa_entity_next(p->to.world, STOA_NULL));
    section_add(&p->blob, "physics", STOA__SECTION_REQUIRED);
    assert_int_equal(stoa_snapshot_load_memory(p->to.world, NULL, p->blob.data, p->blob.size),
                     STOA_REFUSED);
    support_assert_message("'physics'");
    assert_int_equal(stoa_snapshot_verify(p->blob.data, p->blob.size, NULL), STOA_REFUSED);
}

/* SNP-02 */
static void unknown_extension_is_refused_or_left_out(void **state) {
    pair *p = *state;
    stoa_create_with(p->from.world, STOA_VALUE(Position, {1, 2}));
    stoa_id(p->to.world, Position);
    pair_save(p, NULL);
    section_add(&p->blob, "game.cells", STOA__SECTION_REQUIRED | STOA__SECTION_EXTENSION);
    assert_int_equal(stoa_snapshot_load_memory(p->to.world, NULL, p->blob.data, p->blob.size),
                     STOA_REFUSED);
    support_assert_message("'game.cells'");
    int counts[8] = {0};
    const stoa_snapshot_load_desc desc = {
        .unknown = STOA_UNKNOWN_DROP, .notice = notice_count, .user = counts};
    assert_int_equal(stoa_snapshot_load_memory(p->to.world, &desc, p->blob.data, p->blob.size),
                     STOA_OK);
    assert_int_equal(counts[STOA_NOTICE_DROPPED], 1);
    worlds_assert_equal(p->from.world, p->to.world);
    /* Each once, and in order. */
    stoa_destroy(p->to.world, stoa_entity_next(p->to.world, STOA_NULL));
    section_add(&p->blob, "game.cells", STOA__SECTION_REQUIRED | STOA__SECTION_EXTENSION);
    assert_int_equal(stoa_snapshot_load_memory(p->to.world, &desc, p->blob.data, p->blob.size),
                     STOA_CORRUPT);
    assert_int_equal(stoa_snapshot_verify(p->blob.data, p->blob.size, NULL), STOA_CORRUPT);
}

/* GEN-05 */
static void null_arguments_are_refused(void **state) {
    pair *p = *state;
    stoa_world *w = p->from.world;
    const stoa_sink no_sink = {0};
    const stoa_source no_source = {0};
    assert_int_equal(stoa_snapshot_save(NULL, NULL, &no_sink), STOA_NULL_ARGUMENT);
    support_assert_misuse(&p->from, stoa_snapshot_save(w, NULL, NULL), STOA_NULL_ARGUMENT);
    support_assert_misuse(&p->from, stoa_snapshot_save(w, NULL, &no_sink), STOA_NULL_ARGUMENT);
    assert_int_equal(stoa_snapshot_save_file(NULL, NULL, "x"), STOA_NULL_ARGUMENT);
    support_assert_misuse(&p->from, stoa_snapshot_save_file(w, NULL, NULL), STOA_NULL_ARGUMENT);
    assert_int_equal(stoa_snapshot_save_memory(NULL, NULL, &p->blob), STOA_NULL_ARGUMENT);
    support_assert_misuse(&p->from, stoa_snapshot_save_memory(w, NULL, NULL), STOA_NULL_ARGUMENT);
    assert_int_equal(stoa_snapshot_load(NULL, NULL, &no_source), STOA_NULL_ARGUMENT);
    support_assert_misuse(&p->from, stoa_snapshot_load(w, NULL, NULL), STOA_NULL_ARGUMENT);
    support_assert_misuse(&p->from, stoa_snapshot_load(w, NULL, &no_source), STOA_NULL_ARGUMENT);
    assert_int_equal(stoa_snapshot_load_file(NULL, NULL, "x"), STOA_NULL_ARGUMENT);
    support_assert_misuse(&p->from, stoa_snapshot_load_file(w, NULL, NULL), STOA_NULL_ARGUMENT);
    assert_int_equal(stoa_snapshot_load_memory(NULL, NULL, "", 0), STOA_NULL_ARGUMENT);
    support_assert_misuse(&p->from, stoa_snapshot_load_memory(w, NULL, NULL, 1),
                          STOA_NULL_ARGUMENT);
    assert_int_equal(stoa_snapshot_verify(NULL, 1, NULL), STOA_NULL_ARGUMENT);
    assert_int_equal(stoa_snapshot_load_memory(w, NULL, NULL, 0), STOA_CORRUPT);
    assert_int_equal(stoa_snapshot_load_memory(w, NULL, "ECS", 3), STOA_CORRUPT);
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, pair_setup, pair_teardown)
    const struct CMUnitTest tests[] = {
        TEST(world_with_recorded_commands_is_not_saved),
        TEST(world_with_entities_is_not_loaded_into),
        TEST(iterated_and_forked_worlds_are_refused),
        TEST(hooks_neither_save_nor_load),
        TEST(hooks_are_not_told_of_what_is_loaded),
        TEST(sealed_world_is_saved_and_not_loaded_into),
        TEST(component_that_cannot_be_saved_is_named),
        TEST(unknown_component_is_refused_dropped_or_kept),
        TEST(dropped_components_bring_archetypes_together),
        TEST(changed_component_is_brought_up_to_date),
        TEST(newer_version_is_refused_by_number),
        TEST(unknown_section_is_skipped_or_refused_by_name),
        TEST(unknown_extension_is_refused_or_left_out),
        TEST(null_arguments_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
