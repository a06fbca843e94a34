/* The public API from C++17: all of it but the macros that need compound literals. */
#include "stoa.h"

#include <cstdio>

STOA_COMPONENT(Position, { float x, y; });
STOA_COMPONENT_WITH(Velocity, STOA_OPTIONS("physics.Velocity", {}, 0, nullptr, nullptr),
                    { float x, y; });
STOA_ENUM(Team, {RED, BLUE = 4});
STOA_TAG(Frozen);

struct Packet {
    uint8_t kind;
    float weight[2];
};
STOA_TYPE_MEMBERS(Packet, STOA_MEMBER(Packet, kind, uint8_t), STOA_MEMBER(Packet, weight, float));

static int failures;

static void check(bool holds, const char *what, int line) {
    if (!holds) {
        std::fprintf(stderr, "line %d: %s does not hold: %s\n", line, what,
                     stoa_last_error().message);
        failures++;
    }
}
#define CHECK(condition) check((condition), #condition, __LINE__)

/* GEN-01 */
static void entities_and_components_work(stoa_world *w) {
    Position position = {1, 2};
    Packet packet = {7, {0.5f, 1.5f}};
    stoa_entity e = stoa_create(w);
    CHECK(stoa_set_from(w, e, Position, &position) == STOA_OK);
    CHECK(stoa_set_from(w, e, Packet, &packet) == STOA_OK);
    CHECK(stoa_add(w, e, Velocity) == STOA_OK);
    CHECK(stoa_get(w, e, Position)->y == 2);
    CHECK(stoa_get(w, e, Packet)->weight[1] == 1.5f);
    CHECK(stoa_component_find(w, "physics.Velocity") == stoa_id(w, Velocity));
    stoa_with_mut(w, e, Velocity, v) {
        v->x = 3;
    }
    CHECK(stoa_ref_get(stoa_ref_of(w, e), Velocity)->x == 3);
    CHECK(stoa_id(w, Team) != 0);

    stoa_value values[] = {{STOA_TYPE_OF(Position), &position, 0, STOA_PUT},
                           {STOA_TYPE_OF(Velocity), nullptr, 0, STOA_PUT}};
    stoa_entity other = stoa_create_values(w, values, 2);
    CHECK(stoa_alive(w, other));
    CHECK(stoa_destroy(w, e) == STOA_OK);
    CHECK(!stoa_alive(w, e) && stoa_try_get(w, e, Position) == nullptr);
    CHECK(stoa_entity_is_null(STOA_NULL));
}

/* CMP-08 */
static void tag_has_no_data(stoa_world *w) {
    stoa_entity e = stoa_create(w);
    CHECK(stoa_add(w, e, Frozen) == STOA_OK && stoa_has(w, e, Frozen));
    stoa_component_info info;
    CHECK(stoa_component_info_get(w, stoa_id(w, Frozen), &info) == STOA_OK && info.size == 0);
    CHECK(stoa_remove(w, e, Frozen) == STOA_OK && !stoa_has(w, e, Frozen));
}

/* GEN-01 */
static void query_walks_columns(stoa_world *w) {
    stoa_query_desc desc = {};
    desc.terms[0] = STOA_WRITE(Position);
    desc.terms[1] = STOA_READ(Velocity);
    desc.terms[2] = STOA_WITHOUT(Frozen);
    stoa_query *q = stoa_query_new(w, &desc);
    CHECK(q != nullptr && stoa_query_count(q) == 1);
    int32_t rows = 0;
    for (stoa_iter it = stoa_query_iter(q); stoa_iter_next(&it);) {
        Position *p = stoa_field_mut(&it, Position, 0);
        const Velocity *v = stoa_field(&it, Velocity, 1);
        for (int32_t i = 0; i < it.count; i++) {
            p[i].x += v[i].x;
            rows++;
        }
    }
    CHECK(rows == 1);
    CHECK(stoa_query_free(q) == STOA_OK);
}

/* NAM-01 */
static void entities_have_names(stoa_world *w) {
    Name boat = {"boat"};
    stoa_entity e = stoa_require(w, "ship");
    CHECK(stoa_entity_eq(stoa_find(w, "ship"), e));
    CHECK(stoa_set_from(w, e, Name, &boat) == STOA_OK);
    CHECK(stoa_get(w, e, Name)->text == stoa_name(w, e));
    CHECK(stoa_entity_is_null(stoa_find(w, "ship")));
    CHECK(stoa_name_set(w, e, nullptr) == STOA_OK && stoa_name(w, e) == nullptr);
}

int main() {
    stoa_world *w = stoa_world_new(nullptr);
    CHECK(w != nullptr);
    if (w != nullptr) {
        entities_and_components_work(w);
        tag_has_no_data(w);
        query_walks_columns(w);
        entities_have_names(w);
        CHECK(stoa_check(w) == STOA_OK);
        stoa_world_free(w);
    }
    return failures != 0;
}
