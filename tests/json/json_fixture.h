/* What tests of JSON share: types of every kind, and texts that are saved and loaded. */
#ifndef STOA_TESTS_JSON_FIXTURE_H
#define STOA_TESTS_JSON_FIXTURE_H

#include "stoa/hierarchy.h"
#include "stoa/json.h"
#include "stoa/name.h"
#include "support/support.h"

STOA_COMPONENT(Position, { float x, y; });
STOA_COMPONENT(Health, { int32_t points; });
STOA_COMPONENT(Target, { stoa_entity entity; });
STOA_TAG(Frozen);
STOA_COMPONENT_WITH(Burning, STOA_OPTIONS(.flags = STOA_SPARSE), { uint16_t heat; });
STOA_COMPONENT_WITH(Shield, STOA_OPTIONS(.flags = STOA_SWITCHABLE), { uint8_t strength; });
STOA_COMPONENT_WITH(Scratch, STOA_OPTIONS(.flags = STOA_TRANSIENT), { int32_t used; });

static inline stoa_world *world_of(void **state) {
    return ((support_world *)*state)->world;
}

/* A text in memory that a test compares and frees. */
typedef struct saved {
    stoa_blob blob;
    char text[8192]; /* what fits of it, terminated */
} saved;

static inline const char *saved_text(saved *s) {
    size_t size = s->blob.size < sizeof s->text ? s->blob.size : sizeof s->text - 1;
    if (size > 0) {
        memcpy(s->text, s->blob.data, size);
    }
    s->text[size] = '\0';
    stoa_blob_free(&s->blob);
    return s->text;
}

/* The compact text of a value. */
static inline const char *value_text(saved *s, const stoa_world *w, stoa_component id,
                                     const void *value) {
    *s = (saved){.blob = {0}};
    stoa_sink sink = stoa_blob_sink(&s->blob);
    if (stoa_json_save_value(w, id, value, STOA_JSON_COMPACT, &sink) != STOA_OK) {
        support_print_error();
        stoa_blob_free(&s->blob);
        return "failed";
    }
    return saved_text(s);
}

/* Loads a value of a zero-terminated text. */
static inline stoa_status value_load(stoa_world *w, stoa_component id, const char *text,
                                     void *value) {
    return stoa_json_load_value(w, id, text, strlen(text), value, NULL);
}

static inline const char *entity_text(saved *s, const stoa_world *w, stoa_entity e,
                                      uint32_t flags) {
    *s = (saved){.blob = {0}};
    stoa_sink sink = stoa_blob_sink(&s->blob);
    if (stoa_json_save_entity(w, e, flags, &sink) != STOA_OK) {
        support_print_error();
        stoa_blob_free(&s->blob);
        return "failed";
    }
    return saved_text(s);
}

/* A whole world as a blob, which the caller frees. */
static inline stoa_blob world_blob(const stoa_world *w, uint32_t flags) {
    stoa_blob blob = {0};
    stoa_sink sink = stoa_blob_sink(&blob);
    if (stoa_json_save_world(w, flags, &sink) != STOA_OK) {
        support_print_error();
        stoa_blob_free(&blob);
    }
    return blob;
}

static inline stoa_status blob_load(stoa_world *w, const stoa_blob *blob) {
    return stoa_json_load_world(w, (const char *)blob->data, blob->size, NULL);
}

#define assert_same(a, b) assert_true(stoa_entity_eq(a, b))

/* The call fails with a status and a message that has a part. */
#define assert_fails(status, part, call)                                                           \
    do {                                                                                           \
        assert_int_equal((call), (status));                                                        \
        support_assert_message(part);                                                              \
    } while (0)

#endif
