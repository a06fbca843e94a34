/* Two worlds, one in which values are saved and one, with other types, into which they are loaded;
 * and what is between them: a schema that went through its bytes, and plans. */
#ifndef STOA_TESTS_SCHEMA_FIXTURE_H
#define STOA_TESTS_SCHEMA_FIXTURE_H

#include <stdlib.h>

#include "persist/schema.h"
#include "persist/schema_step.h"
#include "stoa/schema.h"
#include "support/support.h"

#define TOLD_SIZE 8192

typedef struct migration {
    support_world old;
    support_world now;
    stoa__schema made;
    stoa__schema saved;
    stoa__route pack;
    stoa__route plan;
    stoa_loss loss;
    char told[TOLD_SIZE]; /* notices, a line for each */
    int32_t told_count;
} migration;

static inline void told(const stoa_notice *notice, void *user) {
    migration *m = user;
    static const char *const kinds[] = {"renamed", "added",   "removed", "converted",
                                        "lost",    "dropped", "kept"};
    size_t length = strlen(m->told);
    assert_non_null(notice->component);
    assert_non_null(notice->text);
    snprintf(m->told + length, TOLD_SIZE - length, "%s %s%s%s: %s\n", kinds[notice->kind],
             notice->component, notice->member != NULL ? "." : "",
             notice->member != NULL ? notice->member : "", notice->text);
    m->told_count++;
}

static inline int migration_open(void **state) {
    migration *m = calloc(1, sizeof *m);
    assert_non_null(m);
    support_world_open(&m->old);
    support_world_open(&m->now);
    *state = m;
    return 0;
}

static inline void migration_fini(migration *m) {
    stoa__route_fini(&m->pack);
    stoa__route_fini(&m->plan);
    stoa__schema_fini(&m->made);
    stoa__schema_fini(&m->saved);
    m->told[0] = '\0';
    m->told_count = 0;
}

static inline int migration_close(void **state) {
    migration *m = *state;
    migration_fini(m);
    support_world_close(&m->old);
    support_world_close(&m->now);
    free(m);
    return 0;
}

/* The plan is one copy; where numbers begin with their highest byte it cannot be. */
static inline bool copies(const stoa__route *plan) {
    return (plan->copy && plan->step_count == 1) || !stoa__step_machine_is_little();
}

/* Registers a component by the text of its fields; NULL: a tag. */
static inline stoa_component fields_register(support_world *s, const char *name, const char *fields,
                                             const stoa_persist *persist) {
    stoa_component id = stoa_component_register(
        s->world, &(stoa_component_desc){.name = name, .fields = fields, .persist = persist});
    if (id == 0) {
        support_print_error();
    }
    assert_true(id != 0);
    return id;
}

/* Describes the type of that name in the old world, by way of bytes. */
static inline void migration_save(migration *m, const char *name) {
    stoa_component id = stoa_component_find(m->old.world, name);
    stoa_blob blob = {.allocator = stoa_world_allocator(m->old.world)};
    stoa_sink sink = stoa_blob_sink(&blob);
    assert_true(id != 0);
    assert_int_equal(stoa__schema_make(&m->made, m->old.world, &id, 1), STOA_OK);
    assert_int_equal(stoa__schema_encode(&m->made, &sink), STOA_OK);
    stoa_status status =
        stoa__schema_decode(&m->saved, blob.data, blob.size, stoa_world_allocator(m->now.world));
    if (status != STOA_OK) {
        support_print_error();
    }
    assert_int_equal(status, STOA_OK);
    stoa_blob_free(&blob);
}

/* Makes the plans from one world's component to the other's, of that name or renamed. */
static inline stoa_status migration_plan(migration *m, const char *name) {
    migration_fini(m);
    migration_save(m, name);
    int32_t made = stoa__schema_find(&m->made, name);
    int32_t type = stoa__schema_find(&m->saved, name);
    assert_true(made >= 0 && type >= 0);
    if (m->made.types[made].way != STOA__WAY_FUNCTIONS) {
        assert_int_equal(stoa__route_pack(&m->pack, &m->made, made), STOA_OK);
        assert_int_equal(m->pack.to_size, m->saved.types[type].packed_size);
    }
    stoa_component *ids = calloc((size_t)m->saved.type_count, sizeof *ids);
    assert_non_null(ids);
    stoa_status status = stoa__schema_match(&m->saved, m->now.world, ids, told, m);
    stoa_component id = ids[type];
    free(ids);
    if (status != STOA_OK) {
        return status;
    }
    stoa__route_options options = {.loss = m->loss, .notice = told, .user = m};
    return stoa__route_make(&m->plan, &m->saved, type, m->now.world, id, &options);
}

/* Packs values and brings them to where they go, which is exactly as large as need be. */
static inline stoa_status migration_run(migration *m, const void *from, void *to, int32_t count) {
    uint8_t *packed = malloc((size_t)m->pack.to_size * (size_t)count + 1);
    assert_non_null(packed);
    assert_int_equal(stoa__route_apply(&m->pack, from, packed + 1, count), STOA_OK);
    stoa_status status = stoa__route_apply(&m->plan, packed + 1, to, count);
    free(packed);
    return status;
}

/* The same for types by the text of their fields, named T, in worlds that know nothing else. */
static inline stoa_status migrate_fields(migration *m, const char *old, const char *now,
                                         const void *from, void *to) {
    migration_fini(m);
    support_world_close(&m->old);
    support_world_close(&m->now);
    m->old = (support_world){0};
    m->now = (support_world){0};
    support_world_open(&m->old);
    support_world_open(&m->now);
    fields_register(&m->old, "T", old, NULL);
    fields_register(&m->now, "T", now, NULL);
    stoa_status status = migration_plan(m, "T");
    return status == STOA_OK ? migration_run(m, from, to, 1) : status;
}

#endif
