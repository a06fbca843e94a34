/* Fuzzes saved schemas: whatever the bytes, they are refused, or a schema comes out that can be
 * printed, compared, matched, kept, and from which values can be brought over.
 *
 * The first byte chooses what the world knows and what becomes of losses; the rest is the schema.
 * Values are made of its bytes, too. */
#include "fuzz.h"

#include <string.h>

#include "persist/schema.h"
#include "stoa.h"

STOA_ENUM(Team, {TEAM_BLUE, TEAM_RED, TEAM_NONE = -3});
STOA_COMPONENT(Vec, { double y, x; });
STOA_COMPONENT(Body, {
    bool on;
    Vec at[3];
    Team team;
    char label[3];
    uint8_t kind;
    stoa_entity target;
});
STOA_TAG(Frozen);

/* Larger values are not brought over, which would only take time. */
#define VALUE_MAX 65536u
#define ROWS 3

static void notice_check(const stoa_notice *notice, void *user) {
    (void)user;
    CHECK(notice->component != NULL && notice->text != NULL && notice->text[0] != '\0');
}

static void schema_check(const stoa__schema *schema) {
    char text[512];
    stoa__writer out = stoa__writer_new(text, sizeof text);
    CHECK(stoa__schema_compare(schema, schema, &out) == 0);
    for (int32_t i = 0; i < schema->type_count; i++) {
        const stoa__schema_type *type = &schema->types[i];
        CHECK(stoa__schema_find(schema, type->name) == i);
        CHECK(type->packed_size <= type->size && type->size <= STOA_SIZE_MAX);
        CHECK(type->nest <= STOA_NEST_MAX);
        for (int32_t k = 0; k < type->field_count; k++) {
            const stoa__schema_field *field = &type->fields[k];
            CHECK(field->type < i || type->way == STOA__WAY_ENUM);
            CHECK(field->offset + (uint64_t)field->size * field->count <= type->size);
        }
        stoa__schema_print(schema, i, &out);
    }
}

/* What was decoded is encoded to the same bytes. */
static void bytes_check(const stoa__schema *schema, const uint8_t *data, size_t size) {
    stoa_blob blob = {0};
    stoa_sink sink = stoa_blob_sink(&blob);
    CHECK(stoa__schema_encode(schema, &sink) == STOA_OK);
    CHECK(blob.size == size && memcmp(blob.data, data, size) == 0);
    stoa_blob_free(&blob);
}

static void plan_run(stoa__route *plan, const uint8_t *data, size_t size) {
    uint8_t *from = malloc((size_t)plan->from_size * ROWS + 1);
    uint8_t *to = malloc((size_t)plan->to_size * ROWS + 1);
    CHECK(from != NULL && to != NULL);
    for (size_t i = 0; i < (size_t)plan->from_size * ROWS; i++) {
        from[i] = data[(i * 7) % size];
    }
    stoa_status status = stoa__route_apply(plan, from, to, ROWS);
    CHECK(status == STOA_OK || status == STOA_REFUSED);
    CHECK(status == STOA_OK || plan->options.loss == STOA_LOSS_REFUSE);
    stoa__route_tell(plan);
    free(from);
    free(to);
}

static void types_run(const stoa__schema *schema, stoa_world *world, stoa_loss loss,
                      const uint8_t *data, size_t size) {
    stoa_component *ids = malloc(((size_t)schema->type_count + 1) * sizeof *ids);
    CHECK(ids != NULL);
    stoa_status status = stoa__schema_match(schema, world, ids, notice_check, NULL);
    for (int32_t i = 0; i < schema->type_count && status == STOA_OK; i++) {
        stoa_component id = ids[i] != 0 ? ids[i] : stoa__schema_register(schema, i, world);
        stoa__route_options options = {.loss = loss, .notice = notice_check};
        stoa__route plan;
        if (id == 0 || id == STOA__SCHEMA_DROPPED ||
            stoa__route_make(&plan, schema, i, world, id, &options) != STOA_OK) {
            continue;
        }
        if (plan.way != STOA__WAY_FUNCTIONS && plan.from_size < VALUE_MAX &&
            plan.to_size < VALUE_MAX) {
            plan_run(&plan, data, size);
        }
        stoa__route_fini(&plan);
    }
    free(ids);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size < 2 || size > 16384) {
        return 0;
    }
    stoa__schema schema;
    stoa_status status = stoa__schema_decode(&schema, data + 1, size - 1, NULL);
    if (status != STOA_OK) {
        CHECK(status == STOA_CORRUPT && stoa_last_error().message[0] != '\0');
        return 0;
    }
    schema_check(&schema);
    bytes_check(&schema, data + 1, size - 1);
    stoa_world *world = stoa_world_new(NULL);
    CHECK(world != NULL);
    if ((data[0] & 1) != 0) {
        CHECK(stoa_id(world, Team) != 0 && stoa_id(world, Vec) != 0 && stoa_id(world, Body) != 0 &&
              stoa_id(world, Frozen) != 0);
    }
    types_run(&schema, world, (stoa_loss)(data[0] >> 1 & 1), data, size);
    CHECK(stoa_check(world) == STOA_OK);
    stoa_world_free(world);
    stoa__schema_fini(&schema);
    return 0;
}
