/* The plan as drawings: a DOT text and an SVG that is well-formed and in which nothing overlaps. */
#include "base/writer.h"
#include "schedule/plan_fixture.h"

#define TEXT_SIZE ((size_t)1 << 20)
#define BOXES_MAX 256

static const char *drawn(plan_fixture *f, stoa_schedule_format format) {
    static char text[TEXT_SIZE];
    int64_t length = stoa_schedule_print(f->app, format, text, sizeof text);
    assert_in_range(length, 0, sizeof text - 1);
    return text;
}

/* SYS-12 */
static void dot_has_clusters_rules_and_conflicts(void **state) {
    plan_fixture *f = *state;
    plan_add(f, "a", .access = {STOA_WRITE(Position)}, .before = {"c"});
    plan_add(f, "b", .access = {STOA_READ(Position)}, .resources = {STOA_WRITE(Clock)});
    plan_add(f, "c", .resources = {STOA_READ(Clock)});
    plan_add(f, "off", .after = {"c"}, .disabled = true);
    plan_add(f, "x", .stage = STOA_RENDER, .after = {"a"}, .rule = STOA_THREAD_EXCLUSIVE);
    plan_add(f, "y", .stage = STOA_RENDER);
    assert_string_equal(
        drawn(f, STOA_SCHEDULE_DOT),
        "digraph schedule {\n"
        "  rankdir=LR;\n"
        "  fontname=\"sans-serif\";\n"
        "  node [shape=box, style=rounded, fontname=\"monospace\"];\n"
        "  edge [fontname=\"sans-serif\", fontsize=10];\n"
        "  subgraph cluster_2 {\n"
        "    label=\"Update\";\n"
        "    subgraph cluster_2_0 {\n"
        "      label=\"Batch 0\";\n"
        "      s1 [label=\"a\\lwrites Position\\l\"];\n"
        "    }\n"
        "    subgraph cluster_2_1 {\n"
        "      label=\"Batch 1\";\n"
        "      s2 [label=\"b\\lreads Position\\lresources: writes Clock\\l\"];\n"
        "    }\n"
        "    subgraph cluster_2_2 {\n"
        "      label=\"Batch 2\";\n"
        "      s3 [label=\"c\\lresources: reads Clock\\l\"];\n"
        "    }\n"
        "    subgraph cluster_2_disabled {\n"
        "      label=\"Disabled\";\n"
        "      s4 [label=\"off\\l\", style=\"rounded,dashed\", color=gray, fontcolor=gray];\n"
        "    }\n"
        "  }\n"
        "  subgraph cluster_5 {\n"
        "    label=\"Render\";\n"
        "    subgraph cluster_5_0 {\n"
        "      label=\"Batch 0\";\n"
        "      s5 [label=\"x\\lalone\\l\"];\n"
        "    }\n"
        "    subgraph cluster_5_1 {\n"
        "      label=\"Batch 1\";\n"
        "      s6 [label=\"y\\l\"];\n"
        "    }\n"
        "  }\n"
        "  s1 -> s3;\n"
        "  s3 -> s4;\n"
        "  s1 -> s2 [style=dashed, label=\"Position\"];\n"
        "  s2 -> s3 [style=dashed, label=\"resource Clock\"];\n"
        "  s5 -> s6 [style=dashed, label=\"alone\"];\n"
        "}\n");
}

/* SYS-12 */
static void rule_hides_the_conflict_in_dot(void **state) {
    plan_fixture *f = *state;
    plan_add(f, "a", .access = {STOA_WRITE(Position)}, .labels = {"first"});
    plan_add(f, "b", .access = {STOA_WRITE(Position)}, .after = {"first"});
    const char *text = drawn(f, STOA_SCHEDULE_DOT);
    assert_non_null(strstr(text, "s1 -> s2;"));
    assert_null(strstr(text, "dashed"));
}

/* SYS-12 */
static void dot_escapes_names(void **state) {
    plan_fixture *f = *state;
    plan_add(f, "a\"b\\c\nd");
    assert_non_null(strstr(drawn(f, STOA_SCHEDULE_DOT), "label=\"a\\\"b\\\\c?d\\l\""));
}

/* A tag from `<` to past its `>`, whose name goes on or comes off the stack. */
static const char *tag_check(const char *at, char stack[][16], int *depth) {
    bool closes = at[1] == '/';
    const char *name = at + 1 + closes;
    size_t length = strspn(name, "abcdefghijklmnopqrstuvwxyz");
    assert_in_range(length, 1, 15);
    const char *end = name + length;
    while (*end != '>' && *end != '/') {
        assert_int_equal(*end, ' ');
        end += 1 + strspn(end + 1, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-");
        assert_memory_equal(end, "=\"", 2);
        size_t value = strcspn(end + 2, "\"<");
        assert_int_equal(end[2 + value], '"');
        end += value + 3;
    }
    if (closes) {
        assert_true(*depth > 0);
        (*depth)--;
        assert_int_equal(strlen(stack[*depth]), length);
        assert_memory_equal(stack[*depth], name, length);
    } else if (*end != '/') {
        assert_true(*depth < 16);
        snprintf(stack[(*depth)++], 16, "%.*s", (int)length, name);
    }
    end += *end == '/';
    assert_int_equal(*end, '>');
    return end + 1;
}

static void xml_check(const char *text) {
    char stack[16][16];
    int depth = 0;
    assert_memory_equal(text, "<svg xmlns=\"http://www.w3.org/2000/svg\"", 39);
    for (const char *at = text; *at != '\0';) {
        if (*at == '<') {
            at = tag_check(at, stack, &depth);
            assert_true(depth > 0 || strcmp(at, "\n") == 0);
        } else if (*at == '&') {
            size_t length = strcspn(at, ";");
            assert_true((length == 4 && memcmp(at, "&amp", 4) == 0) ||
                        (length == 3 && memcmp(at, "&lt", 3) == 0) ||
                        (length == 3 && memcmp(at, "&gt", 3) == 0) ||
                        (length == 5 && memcmp(at, "&quot", 5) == 0) ||
                        (length == 5 && memcmp(at, "&apos", 5) == 0));
            at += length + 1;
        } else {
            assert_true(*at == '\n' || (unsigned char)*at >= ' ');
            at++;
        }
    }
    assert_int_equal(depth, 0);
}

typedef struct box {
    unsigned x;
    unsigned y;
    unsigned width;
    unsigned height;
} box;

/* They overlap, or are closer than `gap`. */
static bool boxes_meet(box a, box b, unsigned gap) {
    return a.x < b.x + b.width + gap && b.x < a.x + a.width + gap && a.y < b.y + b.height + gap &&
           b.y < a.y + a.height + gap;
}

static bool box_holds(box outer, box inner) {
    return inner.x >= outer.x && inner.y >= outer.y &&
           inner.x + inner.width <= outer.x + outer.width &&
           inner.y + inner.height <= outer.y + outer.height;
}

/* Where a line of text is; entities are one column each. */
static bool text_read(const char *line, box *place) {
    unsigned x;
    unsigned y;
    int start = 0;
    if (sscanf(line, "<text class=\"%*[a-z]\" x=\"%u\" y=\"%u\">%n", &x, &y, &start) < 2 ||
        start == 0) {
        return false;
    }
    unsigned columns = 0;
    for (const char *at = line + start; *at != '<'; columns++) {
        at += *at == '&' ? strcspn(at, ";") + 1 : 1;
    }
    *place = (box){x, y - 11, (columns * 73 + 9) / 10, 14};
    return true;
}

/* Reads all boxes and lines of text; checks that lines are inside of the panel or of the box they
 * come after, and that nothing meets. Returns how many boxes there are. */
static int layout_check(const char *text) {
    static box boxes[BOXES_MAX];
    static box texts[BOXES_MAX * 8];
    int count = 0;
    int text_count = 0;
    box panel = {0};
    box whole = {0};
    assert_int_equal(
        sscanf(text, "<svg xmlns=%*s width=\"%u\" height=\"%u\"", &whole.width, &whole.height), 2);
    bool in_box = false;
    for (const char *line = text; line != NULL && *line != '\0';) {
        box *b = &boxes[count];
        box place;
        if (sscanf(line, "<rect class=\"panel\" x=\"%u\" y=\"%u\" width=\"%u\" height=\"%u\"",
                   &place.x, &place.y, &place.width, &place.height) == 4) {
            assert_true(place.y >= panel.y + panel.height);
            panel = place;
            assert_true(box_holds(whole, panel));
        } else if (sscanf(line, "<rect class=\"box\" x=\"%u\" y=\"%u\" width=\"%u\" height=\"%u\"",
                          &b->x, &b->y, &b->width, &b->height) == 4) {
            assert_true(box_holds(panel, *b));
            for (int i = 0; i < count; i++) {
                assert_false(boxes_meet(boxes[i], *b, 8));
            }
            count++;
            assert_true(count < BOXES_MAX);
            in_box = true;
        } else if (memcmp(line, "</g>", 4) == 0) {
            in_box = false;
        } else if (text_read(line, &place)) {
            assert_true(box_holds(in_box ? boxes[count - 1] : whole, place));
            for (int i = 0; i < text_count; i++) {
                assert_false(boxes_meet(texts[i], place, 0));
            }
            texts[text_count++] = place;
            assert_true(text_count < BOXES_MAX * 8);
        }
        line = strchr(line, '\n');
        line += line != NULL;
    }
    return count;
}

/* Counts the arrows that lead from the middle of the right side of a box to that of the left side
 * of another. */
static int arrows_check(const char *text) {
    int count = 0;
    for (const char *at = text; (at = strstr(at, "<path class=\"arrow ")) != NULL; at++) {
        unsigned x;
        unsigned y;
        unsigned to_x;
        unsigned to_y;
        assert_int_equal(
            sscanf(strstr(at, " d="), " d=\"M%u %uC%*u %*u %*u %*u %u %u", &x, &y, &to_x, &to_y),
            4);
        int ends = 0;
        for (const char *r = text; (r = strstr(r, "<rect class=\"box\"")) != NULL; r++) {
            box b;
            sscanf(r, "<rect class=\"box\" x=\"%u\" y=\"%u\" width=\"%u\" height=\"%u\"", &b.x,
                   &b.y, &b.width, &b.height);
            ends += b.x + b.width == x && y == b.y + b.height / 2;
            ends += b.x == to_x && to_y == b.y + b.height / 2;
        }
        count += ends == 2;
    }
    return count;
}

/* SYS-12 */
static void svg_has_a_box_for_each_system(void **state) {
    plan_fixture *f = *state;
    plan_add(f, "load", .stage = STOA_STARTUP, .rule = STOA_THREAD_EXCLUSIVE);
    plan_add(f, "listen", .resources = {STOA_WRITE(Score)});
    plan_add(f, "think", .access = {STOA_READ(Position), STOA_WRITE(Target)});
    plan_add(f, "steer", .access = {STOA_READ(Target), STOA_WRITE(Velocity)});
    plan_add(f, "move", .access = {STOA_WRITE(Position), STOA_READ(Velocity)},
             .resources = {STOA_READ(Clock), STOA_WRITE(Score)});
    plan_add(f, "heal", .access = {STOA_WRITE(Health)}, .after = {"think"});
    plan_add(f, "off", .disabled = true);
    plan_add(f, "draw", .stage = STOA_RENDER, .rule = STOA_THREAD_MAIN);
    const char *text = drawn(f, STOA_SCHEDULE_SVG);
    xml_check(text);
    assert_int_equal(layout_check(text), 8);
    assert_int_equal(arrows_check(text), 3);
    assert_non_null(strstr(text, ">Startup</text>"));
    assert_non_null(strstr(text, ">Update</text>"));
    assert_non_null(strstr(text, ">Batch 2</text>"));
    assert_non_null(strstr(text, ">Disabled</text>"));
    assert_null(strstr(text, ">PostUpdate</text>"));
    assert_non_null(strstr(text, ">writes Position</text>"));
    assert_non_null(strstr(text, ">resources: reads Clock; writes Score</text>"));
    assert_non_null(strstr(text, ">after think: by rule</text>"));
    assert_null(strstr(text, "<script"));
    assert_null(strstr(text, "href"));
    assert_null(strstr(text, "@import"));
}

/* SYS-12 */
static void svg_escapes_names(void **state) {
    plan_fixture *f = *state;
    plan_add(f, "<a&\"b\">'", .labels = {"x"});
    plan_add(f, "bell\a \xff\xc3", .after = {"x"});
    const char *text = drawn(f, STOA_SCHEDULE_SVG);
    xml_check(text);
    assert_non_null(strstr(text, ">&lt;a&amp;&quot;b&quot;&gt;&apos;</text>"));
    assert_non_null(strstr(text, ">bell? ?"
                                 "?</text>"));
    assert_int_equal(layout_check(text), 2);
}

/* SYS-12 */
static void svg_of_no_systems_is_well_formed(void **state) {
    plan_fixture *f = *state;
    const char *text = drawn(f, STOA_SCHEDULE_SVG);
    xml_check(text);
    assert_int_equal(layout_check(text), 0);
}

/* Systems with long and short names and many or few terms, the same for the same seed. */
static void systems_draw(plan_fixture *f, uint64_t seed) {
    support_random random = {seed};
    for (int i = 0; i < 60; i++) {
        char name[80];
        int length = (int)support_random_below(&random, 50);
        snprintf(name, sizeof name, "s%d%.*s", i, length,
                 "_of_a_name_that_is_longer_than_names_should_ever_be");
        stoa_system_desc desc = {.name = name, .run = plan_nothing};
        stoa_term terms[] = {STOA_READ(Position), STOA_WRITE(Velocity), STOA_READ(Health),
                             STOA_READ(Target),   STOA_WRITE(Secret),   STOA_READ(Shield)};
        uint32_t count = 0;
        for (size_t k = 0; k < sizeof terms / sizeof *terms; k++) {
            if (support_random_below(&random, 3) == 0) {
                desc.access[count++] = terms[k];
            }
        }
        desc.resources[0] =
            support_random_below(&random, 2) == 0 ? STOA_WRITE(Clock) : (stoa_term){.id = 0};
        desc.stage = support_random_below(&random, 3);
        desc.disabled = support_random_below(&random, 6) == 0;
        desc.rule = (stoa_thread_rule)support_random_below(&random, 3);
        desc.script = support_random_below(&random, 10) == 0;
        assert_int_not_equal(stoa_system_new(f->app, &desc).id, 0);
    }
}

/* SYS-12 */
static void drawings_never_overlap_and_come_out_the_same(void **state) {
    (void)state;
    static char first[TEXT_SIZE];
    for (uint64_t seed = 1; seed <= 20; seed++) {
        for (int pass = 0; pass < 2; pass++) {
            void *made;
            assert_int_equal(plan_setup(&made), 0);
            plan_fixture *f = made;
            systems_draw(f, seed);
            const char *text = drawn(f, STOA_SCHEDULE_SVG);
            xml_check(text);
            assert_int_equal(layout_check(text), 60);
            if (pass == 0) {
                memcpy(first, text, strlen(text) + 1);
            } else {
                assert_string_equal(first, text);
            }
            plan_teardown(&made);
        }
    }
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, plan_setup, plan_teardown)
    const struct CMUnitTest tests[] = {
        TEST(dot_has_clusters_rules_and_conflicts),
        TEST(rule_hides_the_conflict_in_dot),
        TEST(dot_escapes_names),
        TEST(svg_has_a_box_for_each_system),
        TEST(svg_escapes_names),
        TEST(svg_of_no_systems_is_well_formed),
        cmocka_unit_test(drawings_never_overlap_and_come_out_the_same),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
