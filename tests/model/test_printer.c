/* Printers of components' own: where they are called, what they may do, when they end. */
#include "model/print_fixture.h"

STOA_COMPONENT(Segment, {
    Position from;
    Position to[2];
    Team team;
});
STOA_COMPONENT(Node, {
    int32_t number;
    stoa_entity next;
});

/* What is seen of a printer and its end. */
typedef struct user {
    int calls;
    int frees;
    size_t length; /* what to return instead, if not 0 */
} user;

static void user_free(void *data) {
    ((user *)data)->frees++;
}

static size_t position_print(const stoa_world *w, const void *value, char *buffer, size_t size,
                             void *data) {
    const Position *p = value;
    user *u = data;
    assert_non_null(w);
    assert_non_null(buffer);
    assert_true(size >= 1);
    u->calls++;
    if (u->length != 0) {
        memset(buffer, '#', size);
        return u->length;
    }
    return (size_t)snprintf(buffer, size, "(%g|%g)", (double)p->x, (double)p->y);
}

static size_t team_print(const stoa_world *w, const void *value, char *buffer, size_t size,
                         void *data) {
    (void)w;
    (void)data;
    return (size_t)snprintf(buffer, size, "team#%d", (int)*(const Team *)value);
}

static stoa_status printer_give(stoa_world *w, user *u) {
    return stoa_printer_set(w, &(stoa_printer_desc){.type = STOA_TYPE_OF(Position),
                                                    .call = position_print,
                                                    .user = u,
                                                    .user_free = user_free});
}

static stoa_status printer_take(stoa_world *w) {
    return stoa_printer_set(w, &(stoa_printer_desc){.type = STOA_TYPE_OF(Position)});
}

static const Segment segment = {{1, 2}, {{3, 4}, {5, 6}}, GREEN};

/* NAM-03 */
static void printer_is_called_wherever_its_component_is(void **state) {
    stoa_world *w = ((support_world *)*state)->world;
    static user u;
    u = (user){0};
    stoa_id(w, Position);
    stoa_component team = stoa_id(w, Team);
    assert_int_equal(printer_give(w, &u), STOA_OK);
    assert_int_equal(
        stoa_printer_set(w, &(stoa_printer_desc){.component = team, .call = team_print}), STOA_OK);
    stoa_entity e = stoa_create_with(w, STOA_VALUE(Position, {1, 2.5f}));
    assert_int_equal(stoa_resource_set(w, Position, {7, 8}), STOA_OK);
    assert_string_equal(PRINTED(stoa_print_component, w, e, stoa_id(w, Position)),
                        "Position (1|2.5)");
    assert_string_equal(PRINTED(stoa_print_resource, w, stoa_id(w, Position)), "Position (7|8)");
    assert_string_equal(PRINTED(stoa_describe, w, e), "1v1\n  Position (1|2.5)");
    assert_string_equal(PRINTED(stoa_print_value, w, stoa_id(w, Position), &segment), "(1|2)");
    assert_int_equal(u.calls, 4);
    assert_string_equal(PRINTED(stoa_print_id, w, stoa_id(w, Segment), &segment),
                        "Segment {from: (1|2), to: [(3|4), (5|6)], team: team#5}");
    assert_string_equal(PRINTED(stoa_print_id, w, team, &(Team){BLUE}), "Team team#6");
    assert_int_equal(u.calls, 7);
}

/* NAM-03 GEN-06 */
static void printer_is_replaced_and_removed(void **state) {
    stoa_world *w = ((support_world *)*state)->world;
    static user first, second;
    first = second = (user){0};
    stoa_component id = stoa_id(w, Position);
    assert_int_equal(printer_take(w), STOA_OK);
    assert_int_equal(printer_give(w, &first), STOA_OK);
    assert_string_equal(PRINTED(stoa_print_id, w, id, &segment), "Position (1|2)");
    assert_int_equal(printer_give(w, &second), STOA_OK);
    assert_int_equal(first.frees, 1);
    assert_string_equal(PRINTED(stoa_print_id, w, id, &segment), "Position (1|2)");
    assert_int_equal(first.calls, 1);
    assert_int_equal(second.calls, 1);
    assert_int_equal(printer_take(w), STOA_OK);
    assert_int_equal(printer_take(w), STOA_OK);
    assert_int_equal(second.frees, 1);
    assert_string_equal(PRINTED(stoa_print_id, w, id, &segment), "Position {x: 1, y: 2}");
    assert_int_equal(first.frees + second.frees, 2);
}

/* NAM-03 GEN-06 */
static void world_frees_the_printers_that_are_left(void **state) {
    support_world *s = *state;
    static user u[3];
    memset(u, 0, sizeof u);
    assert_int_equal(printer_give(s->world, &u[0]), STOA_OK);
    assert_int_equal(stoa_printer_set(s->world, &(stoa_printer_desc){.type = STOA_TYPE_OF(Health),
                                                                     .call = position_print,
                                                                     .user = &u[1],
                                                                     .user_free = user_free}),
                     STOA_OK);
    /* One without an end. */
    assert_int_equal(stoa_printer_set(s->world, &(stoa_printer_desc){.type = STOA_TYPE_OF(Node),
                                                                     .call = position_print,
                                                                     .user = &u[2]}),
                     STOA_OK);
    stoa_world_free(s->world);
    s->world = NULL;
    assert_int_equal(u[0].frees, 1);
    assert_int_equal(u[1].frees, 1);
    assert_int_equal(u[2].frees, 0);
    assert_int_equal(s->heap.bytes, 0);
}

static size_t number_print(const stoa_world *w, const void *value, char *buffer, size_t size,
                           void *data) {
    (void)w;
    uint32_t bits;
    memcpy(&bits, value, sizeof bits);
    return (size_t)snprintf(buffer, size, "%u+%u", (unsigned)(uintptr_t)data, (unsigned)bits);
}

/* NAM-03: in whatever order they come and go, each component has its own. */
static void many_printers_keep_to_their_components(void **state) {
    stoa_world *w = ((support_world *)*state)->world;
    enum { MANY = 60 };
    stoa_component ids[MANY];
    uint32_t given[MANY] = {0};
    support_random random = {7};
    for (int i = 0; i < MANY; i++) {
        char name[16];
        snprintf(name, sizeof name, "T%d", i);
        ids[i] = print_type(w, name, "{ uint32_t v; }");
    }
    for (uint32_t step = 1; step < 600; step++) {
        uint32_t i = support_random_below(&random, MANY);
        given[i] = support_random_below(&random, 3) == 0 ? 0 : step;
        stoa_printer_desc desc = {.component = ids[i], .user = (void *)(uintptr_t)given[i]};
        desc.call = given[i] != 0 ? number_print : NULL;
        assert_int_equal(stoa_printer_set(w, &desc), STOA_OK);
        uint32_t look = support_random_below(&random, MANY), value = step;
        char expected[64];
        if (given[look] != 0) {
            snprintf(expected, sizeof expected, "%u+%u", (unsigned)given[look], (unsigned)value);
        } else {
            snprintf(expected, sizeof expected, "{v: %u}", (unsigned)value);
        }
        assert_string_equal(PRINTED(stoa_print_value, w, ids[look], &value), expected);
        assert_int_equal(stoa_check(w), STOA_OK);
    }
}

/* NAM-03 */
static void printed_text_is_cut_at_the_size_and_counted(void **state) {
    stoa_world *w = ((support_world *)*state)->world;
    static user u;
    u = (user){0};
    stoa_id(w, Position);
    stoa_id(w, Team);
    stoa_component id = stoa_id(w, Segment);
    assert_int_equal(printer_give(w, &u), STOA_OK);
    static const char whole[] = "Segment {from: (1|2), to: [(3|4), (5|6)], team: GREEN}";
    for (size_t size = 0; size < sizeof whole + 3; size++) {
        char text[80];
        memset(text, '#', sizeof text);
        assert_int_equal(stoa_print_id(w, id, &segment, text, size), sizeof whole - 1);
        size_t kept = size == 0 ? 0 : size < sizeof whole ? size - 1 : sizeof whole - 1;
        assert_memory_equal(text, whole, kept);
        assert_int_equal(text[kept], size == 0 ? '#' : '\0');
        assert_int_equal(text[size], '#');
    }
}

/* NAM-03 GEN-05: one that writes no zero, or tells a length that cannot be. */
static void careless_printer_does_no_harm(void **state) {
    stoa_world *w = ((support_world *)*state)->world;
    static user u;
    u = (user){.length = 5};
    stoa_component id = stoa_id(w, Position);
    assert_int_equal(printer_give(w, &u), STOA_OK);
    Position p = {1, 2};
    char text[32];
    assert_int_equal(stoa_print_id(w, id, &p, text, sizeof text), 14);
    assert_string_equal(text, "Position #####");
    u.length = 1000;
    assert_int_equal(stoa_print_id(w, id, &p, text, sizeof text), 1009);
    assert_string_equal(text, "Position ######################");
    assert_int_equal(stoa_print_id(w, id, &p, text, 9), 1009);
    assert_string_equal(text, "Position");
    u.length = (size_t)-1;
    assert_int_equal(stoa_print_id(w, id, &p, text, sizeof text), 21);
    assert_string_equal(text, "Position {x: 1, y: 2}");
    u.length = (size_t)PTRDIFF_MAX;
    assert_int_equal(stoa_print_id(w, id, &p, text, sizeof text), 21);
    assert_string_equal(text, "Position {x: 1, y: 2}");
    assert_int_equal(stoa_print_id(w, id, &p, NULL, 0), 21);
    assert_int_equal(stoa_print_id(w, id, &p, text, 10), 21);
    assert_string_equal(text, "Position ");
}

/* Prints its value by description, in its own words. */
static size_t node_print(const stoa_world *w, const void *value, char *buffer, size_t size,
                         void *data) {
    ++*(int *)data;
    char text[64];
    stoa_component id = stoa_type_find(w, STOA_TYPE_OF(Node));
    stoa_print_value(w, id, value, text, sizeof text);
    return (size_t)snprintf(buffer, size, "node %s", text);
}

/* NAM-03 */
static void printer_may_print_its_value_by_description(void **state) {
    stoa_world *w = ((support_world *)*state)->world;
    int calls = 0;
    assert_int_equal(stoa_printer_set(w, &(stoa_printer_desc){.type = STOA_TYPE_OF(Node),
                                                              .call = node_print,
                                                              .user = &calls}),
                     STOA_OK);
    Node node = {1, STOA_NULL};
    assert_string_equal(PRINTED(stoa_print_id, w, stoa_id(w, Node), &node),
                        "Node node {number: 1, next: null}");
    assert_int_equal(calls, 1);
}

/* Prints what comes after it, however far that leads. */
static size_t chain_print(const stoa_world *w, const void *value, char *buffer, size_t size,
                          void *data) {
    ++*(int *)data;
    char text[1024];
    const Node *node = value;
    stoa_component id = stoa_type_find(w, STOA_TYPE_OF(Node));
    stoa_print_component(w, node->next, id, text, sizeof text);
    return (size_t)snprintf(buffer, size, "%d, %s", (int)node->number, text);
}

/* NAM-03 */
static void printers_that_call_printers_come_to_an_end(void **state) {
    stoa_world *w = ((support_world *)*state)->world;
    int calls = 0;
    enum { CHAIN = 100 };
    stoa_entity e[CHAIN];
    assert_int_equal(stoa_printer_set(w, &(stoa_printer_desc){.type = STOA_TYPE_OF(Node),
                                                              .call = chain_print,
                                                              .user = &calls}),
                     STOA_OK);
    e[0] = STOA_NULL;
    for (int i = 0; i < CHAIN; i++) {
        e[i] = stoa_create_with(w, STOA_VALUE(Node, {i, i > 0 ? e[i - 1] : STOA_NULL}));
    }
    assert_string_equal(PRINTED(stoa_print_component, w, e[1], stoa_id(w, Node)),
                        "Node 1, Node 0, -");
    assert_int_equal(calls, 2);
    PRINTED(stoa_print_component, w, e[CHAIN - 1], stoa_id(w, Node));
    assert_int_equal(calls, 2 + STOA_PRINTER_DEPTH);
    assert_non_null(strstr(print_text, "84, Node {number: 83, next: 83v1}"));
    /* Round in a circle. */
    assert_int_equal(stoa_set(w, e[0], Node, {0, e[1]}), STOA_OK);
    assert_string_equal(PRINTED(stoa_print_component, w, e[1], stoa_id(w, Node)),
                        "Node 1, Node 0, Node {number: 1, next: 1v1}");
}

#pragma pack(push, 1)
typedef struct Packed {
    uint8_t kind;
    Position at;
} Packed;
#pragma pack(pop)
STOA_TYPE_MEMBERS(Packed, STOA_MEMBER(Packed, kind, uint8_t), STOA_MEMBER(Packed, at, Position));

/* NAM-03 STO-08: a printer takes its value for a proper one. */
static void printer_gets_no_unaligned_value(void **state) {
    stoa_world *w = ((support_world *)*state)->world;
    static user u;
    u = (user){0};
    stoa_id(w, Position);
    stoa_component id = stoa_id(w, Packed);
    assert_int_equal(printer_give(w, &u), STOA_OK);
    _Alignas(8) Packed packed = {1, {2, 3}};
    assert_string_equal(PRINTED(stoa_print_id, w, id, &packed),
                        "Packed {kind: 1, at: {x: 2, y: 3}}");
    assert_int_equal(u.calls, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(printer_is_called_wherever_its_component_is),
        TEST(printer_is_replaced_and_removed),
        TEST(world_frees_the_printers_that_are_left),
        TEST(many_printers_keep_to_their_components),
        TEST(printed_text_is_cut_at_the_size_and_counted),
        TEST(careless_printer_does_no_harm),
        TEST(printer_may_print_its_value_by_description),
        TEST(printers_that_call_printers_come_to_an_end),
        TEST(printer_gets_no_unaligned_value),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
