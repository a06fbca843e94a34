/* Fuzzes the texts of types: whatever the bytes, they are refused, or a table comes out that holds.
 *
 * The first byte chooses the form and what the compiler is said to have found; the rest is the
 * text. */
#include "fuzz.h"

#include <string.h>

#include "stoa.h"
#include "storage/reflect.h"

static bool described_find(const char *name, stoa_component_info *info, bool *is_enum, void *user) {
    (void)user;
    bool is_struct = strcmp(name, "Vec2") == 0;
    *is_enum = strcmp(name, "Team") == 0;
    *info =
        (stoa_component_info){.id = is_struct ? 1 : 2, .size = is_struct ? 12 : 4, .alignment = 4};
    return is_struct || *is_enum;
}

static void name_check(const char *name) {
    CHECK(name != NULL && name[0] != '\0');
    CHECK(strspn(name, "_abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789") ==
          strlen(name));
}

static void members_check(const stoa__reflect_source *source, const stoa__reflection *r) {
    CHECK(r->size <= STOA_SIZE_MAX);
    CHECK(r->alignment >= 1 && (r->alignment & (r->alignment - 1)) == 0);
    CHECK(r->member_count >= 0 && (r->members == NULL) == (r->member_count == 0));
    CHECK(r->member_count == 0 || source->size == 0 || source->size == r->size);
    uint64_t end = 0;
    for (int32_t i = 0; i < r->member_count; i++) {
        const stoa_member *member = &r->members[i];
        name_check(member->name);
        CHECK(member->kind > STOA_KIND_NONE && member->kind <= STOA_KIND_STRUCT);
        CHECK(member->size > 0 && member->count > 0);
        CHECK(member->array || member->count == 1);
        CHECK(member->offset >= end);
        end = member->offset + (uint64_t)member->size * member->count;
        CHECK(end <= r->size);
        CHECK(member->type == 0 || member->kind == STOA_KIND_STRUCT ||
              member->kind == STOA_KIND_ENUM);
        for (int32_t j = 0; j < i && j < 64; j++) {
            CHECK(strcmp(r->members[j].name, member->name) != 0);
        }
    }
}

static void values_check(const stoa__reflection *r) {
    CHECK((r->values == NULL) == (r->value_count == 0));
    for (int32_t i = 0; i < r->value_count; i++) {
        name_check(r->values[i].name);
    }
}

static void source_run(const stoa__reflect_source *source) {
    stoa_allocator hooks = stoa_allocator_default();
    stoa__heap heap;
    stoa__heap_init(&heap, &hooks);
    stoa__reflection result;
    stoa_error_clear();
    stoa_status status = stoa__reflect(&heap, source, &result);
    if (status == STOA_OK) {
        members_check(source, &result);
        values_check(&result);
        stoa__reflect_free(&heap, &result);
    } else {
        stoa_error error = stoa_last_error();
        CHECK(error.status == status && error.message[0] != '\0');
        CHECK(status != STOA_SYNTAX || error.column > 0);
        CHECK(error.column <= (int32_t)strlen(source->text) + 1);
    }
    CHECK(heap.used == 0 && heap.blocks == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static const stoa_type_form forms[] = {STOA_FORM_OWN, STOA_FORM_FOREIGN, STOA_FORM_ENUM,
                                           STOA_FORM_MEMBERS};
    static const uint32_t sizes[] = {0, 8, 16, 1};
    if (size == 0 || size > 16384) {
        return 0;
    }
    char *text = malloc(size);
    if (text == NULL) {
        return 0;
    }
    memcpy(text, data + 1, size - 1);
    text[size - 1] = '\0';
    uint8_t choice = data[0];
    stoa__reflect_source source = {.name = "T",
                                   .form = forms[choice & 3],
                                   .text = text,
                                   .size = sizes[choice >> 2 & 3],
                                   .alignment = (choice >> 4 & 1) != 0 ? 4 : 0,
                                   .find = (choice >> 5 & 1) != 0 ? NULL : described_find};
    uint32_t item = source.size != 0 ? source.size : 4;
    stoa_member_desc members[] = {
        {"a", "char", 0, 1, 1}, {"b", text, 4, 2 * item, item}, {NULL, NULL, 0, 0, 0}};
    if (source.form == STOA_FORM_MEMBERS) {
        source.members = members;
        source.size = 64;
    }
    source_run(&source);
    free(text);
    return 0;
}
