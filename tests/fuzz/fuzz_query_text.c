/* Fuzzes query texts: whatever the bytes, they are refused with a column, or a query comes out that
 * can be counted. The world stays as it was. */
#include "fuzz.h"

#include <string.h>

#include "query/text.h"
#include "stoa.h"

/* A text may name components that contradict each other: misuse, but not a reason to stop. */
static void misuse_ignore(const stoa_error *error, void *user) {
    (void)user;
    CHECK(error->message[0] != '\0');
}

/* Made once; a few components, some entities, and lives as long as the program. */
static stoa_world *world_shared(void) {
    static stoa_world *world;
    if (world != NULL) {
        return world;
    }
    static const char *const names[] = {"A", "B", "C", "const", "with", "a.b:c-d", "Position"};
    world = stoa_world_new(&(stoa_world_desc){.on_assert = {.call = misuse_ignore}});
    CHECK(world != NULL);
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        const char *fields = i % 2 == 0 ? "{ float x, y; }" : NULL;
        CHECK(stoa_component_register(
                  world, &(stoa_component_desc){.name = names[i], .fields = fields}) != 0);
    }
    for (uint32_t bits = 0; bits < 128; bits++) {
        stoa_entity e = stoa_create(world);
        for (stoa_component id = 1; id <= 7; id++) {
            if ((bits >> (id - 1) & 1) != 0) {
                CHECK(stoa_add_id(world, e, id) == STOA_OK);
            }
        }
    }
    return world;
}

static void terms_check(const stoa_query_desc *desc) {
    int32_t count = 0;
    while (count < STOA_TERM_MAX && desc->terms[count].access != STOA_ACCESS_END) {
        const stoa_term *term = &desc->terms[count++];
        bool any = term->access == STOA_ACCESS_ANY || term->access == STOA_ACCESS_ANY_WRITE;
        CHECK(term->type == NULL && term->id >= 1 && term->id <= 7);
        CHECK(any == (term->group > 0));
    }
    CHECK(count > 0);
    for (; count < STOA_TERM_MAX; count++) {
        CHECK(desc->terms[count].id == 0 && desc->terms[count].access == STOA_ACCESS_END);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    stoa_world *world = world_shared();
    char *text = malloc(size + 1);
    if (text == NULL) {
        return 0;
    }
    if (size > 0) {
        memcpy(text, data, size);
    }
    text[size] = '\0';
    stoa_query_desc desc = {0};
    stoa_error_clear();
    stoa_status status = stoa__query_text(world, text, &desc);
    if (status == STOA_OK) {
        terms_check(&desc);
    } else {
        stoa_error error = stoa_last_error();
        CHECK(error.status == status);
        CHECK(error.column >= 1 && error.column <= (int32_t)strlen(text) + 1);
    }
    stoa_query *query = stoa_query_parse(world, text);
    CHECK(query == NULL || status == STOA_OK);
    if (query != NULL) {
        int32_t count = stoa_query_count(query);
        CHECK(count >= 0 && count <= 128);
        CHECK(stoa_query_free(query) == STOA_OK);
    }
    CHECK(stoa_stats(world).queries == 0);
    free(text);
    return 0;
}
