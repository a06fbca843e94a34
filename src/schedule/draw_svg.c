/* The plan drawn as SVG: stages one below the other, a column for each batch, a box for each
 * system, and an arrow from what keeps a system from an earlier batch.
 *
 * Boxes of a column have one width and columns a gap between them, so arrows, which join neighbours
 * only, cross no box. Positions are measured again where they are needed instead of being kept:
 * nothing is allocated. The drawing has its own background, one set of colours, no script and no
 * file beside it. Numbers are whole, so that no locale shows. */
#include "schedule/svg_box.h"

#define MARGIN 20
#define PAD 18 /* inside of a stage's panel */
#define STAGE_TITLE 40
#define STAGE_GAP 18
#define BATCH_TITLE 26
#define BOX_GAP 14
#define COLUMN_GAP 60
#define LEGEND_HEIGHT 30
#define LEGEND_WIDTH 430
#define TITLE_WIDTH 11 /* of a column of a stage's name, which is set in larger type */

static const char head[] =
    "<title>Schedule</title>\n"
    "<style>\n"
    "text { font: 12px ui-monospace, 'DejaVu Sans Mono', Menlo, Consolas, monospace; "
    "fill: #24292f; }\n"
    ".stage { font-size: 17px; font-weight: bold; }\n"
    ".batch { fill: #57606a; }\n"
    ".panel { fill: #f6f8fa; stroke: #d0d7de; }\n"
    ".box { fill: #ffffff; stroke: #8c959f; }\n"
    ".off .box { fill: none; stroke-dasharray: 4 3; }\n"
    ".off text { fill: #8c959f; }\n"
    ".n { font-weight: bold; }\n"
    ".m { fill: #8250df; }\n"
    ".r { fill: #0550ae; }\n"
    ".w { fill: #bc4c00; }\n"
    ".s { fill: #116329; }\n"
    ".why { fill: #57606a; }\n"
    ".arrow { fill: none; stroke: #57606a; stroke-width: 1.5; }\n"
    ".conflict { stroke-dasharray: 6 4; }\n"
    ".alone { stroke-dasharray: 1.5 3.5; }\n"
    "</style>\n"
    "<defs><marker id=\"stoa-tip\" viewBox=\"0 0 8 8\" refX=\"8\" refY=\"4\" markerWidth=\"8\" "
    "markerHeight=\"8\" markerUnits=\"userSpaceOnUse\" orient=\"auto\"><path d=\"M0 0L8 4L0 8z\" "
    "fill=\"#57606a\"/></marker></defs>\n";

/* The systems of a batch, or those of a stage that are disabled. */
typedef struct column {
    const stoa_app *app;
    const stoa__plan_stage *stage;
    uint32_t batch; /* past the last: the disabled ones */
    uint32_t next;
} column;

static bool column_next(column *c, stoa__planned *item) {
    if (c->batch < c->stage->count) {
        const stoa__batch *batch = &c->app->plan.batches[c->stage->first + c->batch];
        if (c->next == batch->count) {
            return false;
        }
        *item = c->app->plan.systems[batch->first + c->next++];
        return true;
    }
    const stoa__system *system = stoa__describe_disabled(c->app, c->stage->stage, &c->next);
    *item = (stoa__planned){.system = (stoa__system *)system};
    return system != NULL;
}

static stoa__svg_size column_size(const stoa_app *app, const stoa__plan_stage *stage,
                                  uint32_t batch) {
    column c = {app, stage, batch, 0};
    stoa__svg_size size = {stoa__svg_width(sizeof "Disabled"), BATCH_TITLE};
    stoa__planned item;
    while (column_next(&c, &item)) {
        stoa__svg_size box = stoa__svg_box_size(app, &item);
        size.width = size.width > box.width ? size.width : box.width;
        size.height += box.height + BOX_GAP;
    }
    size.height -= BOX_GAP;
    return size;
}

static uint32_t stage_columns(const stoa_app *app, const stoa__plan_stage *stage) {
    uint32_t i = 0;
    return stage->count + (stoa__describe_disabled(app, stage->stage, &i) != NULL);
}

/* Zero if the stage has no systems. */
static stoa__svg_size stage_size(const stoa_app *app, uint32_t i) {
    const stoa__plan_stage *stage = &app->plan.stages[i];
    uint32_t columns = stage_columns(app, stage);
    stoa__svg_size size = {2 * PAD, 0};
    for (uint32_t b = 0; b < columns; b++) {
        stoa__svg_size c = column_size(app, stage, b);
        size.width += c.width + (b > 0 ? COLUMN_GAP : 0);
        size.height = size.height > c.height ? size.height : c.height;
    }
    if (columns == 0) {
        return (stoa__svg_size){0, 0};
    }
    uint32_t title = stoa__writer_columns(app->stages[i].name) * TITLE_WIDTH + 2 * PAD;
    size.width = size.width > title ? size.width : title;
    size.height += STAGE_TITLE + PAD;
    return size;
}

/* The middle of a system's box in its column, from the top of the column. */
static uint32_t system_middle(column c, const stoa__system *system) {
    uint32_t y = BATCH_TITLE;
    stoa__planned item;
    while (column_next(&c, &item)) {
        uint32_t height = stoa__svg_box_size(c.app, &item).height;
        if (item.system == system) {
            return y + height / 2;
        }
        y += height + BOX_GAP;
    }
    return y;
}

static void arrow_draw(uint32_t x, uint32_t y, uint32_t to_x, uint32_t to_y, const char *kind,
                       stoa__writer *out) {
    uint32_t bend = (to_x - x) / 2;
    stoa__writer_format(out,
                        "<path class=\"arrow %s\" d=\"M%u %uC%u %u %u %u %u %u\" "
                        "marker-end=\"url(#stoa-tip)\"/>\n",
                        kind, x, y, x + bend, y, to_x - bend, to_y, to_x, to_y);
}

/* The arrows into the boxes of a column, of which the one before ends right at the gap. */
static void arrows_draw(column c, uint32_t x, uint32_t y, stoa__writer *out) {
    static const char *const kinds[] = {
        [STOA__REASON_NONE] = "",
        [STOA__REASON_ORDER] = "rule",
        [STOA__REASON_CONFLICT] = "conflict",
        [STOA__REASON_ALONE] = "alone",
    };
    column before = {c.app, c.stage, c.batch - 1, 0};
    uint32_t top = y + BATCH_TITLE;
    stoa__planned item;
    while (column_next(&c, &item)) {
        uint32_t height = stoa__svg_box_size(c.app, &item).height;
        if (item.reason.kind != STOA__REASON_NONE) {
            arrow_draw(x - COLUMN_GAP, y + system_middle(before, item.reason.other), x,
                       top + height / 2, kinds[item.reason.kind], out);
        }
        top += height + BOX_GAP;
    }
}

static void column_draw(column c, uint32_t x, uint32_t y, uint32_t width, stoa__writer *out) {
    if (c.batch < c.stage->count) {
        stoa__writer_format(out, "<text class=\"batch\" x=\"%u\" y=\"%u\">Batch %u</text>\n", x,
                            y + 13, c.batch);
    } else {
        stoa__writer_format(out, "<text class=\"batch\" x=\"%u\" y=\"%u\">Disabled</text>\n", x,
                            y + 13);
    }
    uint32_t top = y + BATCH_TITLE;
    stoa__planned item;
    for (column boxes = c; column_next(&boxes, &item);) {
        uint32_t height = stoa__svg_box_size(c.app, &item).height;
        stoa__svg_box_draw(c.app, &item, x, top, (stoa__svg_size){width, height}, out);
        top += height + BOX_GAP;
    }
    if (c.batch > 0 && c.batch < c.stage->count) {
        arrows_draw(c, x, y, out);
    }
}

static void stage_draw(const stoa_app *app, uint32_t i, uint32_t y, stoa__svg_size size,
                       stoa__writer *out) {
    const stoa__plan_stage *stage = &app->plan.stages[i];
    stoa__writer_format(out,
                        "<rect class=\"panel\" x=\"%d\" y=\"%u\" width=\"%u\" height=\"%u\" "
                        "rx=\"8\"/>\n<text class=\"stage\" x=\"%d\" y=\"%u\">",
                        MARGIN, y, size.width, size.height, MARGIN + PAD, y + 28);
    stoa__writer_xml(out, app->stages[i].name);
    stoa__writer_put(out, "</text>\n");
    uint32_t x = MARGIN + PAD;
    uint32_t columns = stage_columns(app, stage);
    for (uint32_t b = 0; b < columns; b++) {
        uint32_t width = column_size(app, stage, b).width;
        column_draw((column){app, stage, b, 0}, x, y + STAGE_TITLE, width, out);
        x += width + COLUMN_GAP;
    }
}

static void legend_draw(uint32_t y, stoa__writer *out) {
    static const struct {
        const char *kind;
        const char *text;
        uint32_t x;
    } items[] = {
        {"rule", "by rule", MARGIN},
        {"conflict", "by conflict", MARGIN + 120},
        {"alone", "one runs alone", MARGIN + 270},
    };
    for (size_t i = 0; i < sizeof items / sizeof *items; i++) {
        arrow_draw(items[i].x, y + 10, items[i].x + 36, y + 10, items[i].kind, out);
        stoa__writer_format(out, "<text class=\"batch\" x=\"%u\" y=\"%u\">%s</text>\n",
                            items[i].x + 44, y + 14, items[i].text);
    }
}

void stoa__draw_svg(const stoa_app *app, stoa__writer *out) {
    uint32_t width = LEGEND_WIDTH;
    uint32_t height = 0;
    for (uint32_t i = 0; i < app->plan.stage_count; i++) {
        stoa__svg_size size = stage_size(app, i);
        width = width > size.width ? width : size.width;
        height += size.height > 0 ? size.height + STAGE_GAP : 0;
    }
    uint32_t full_width = width + 2 * MARGIN;
    uint32_t full_height = height + LEGEND_HEIGHT + 2 * MARGIN;
    stoa__writer_format(out,
                        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%u\" height=\"%u\" "
                        "viewBox=\"0 0 %u %u\" role=\"img\">\n",
                        full_width, full_height, full_width, full_height);
    stoa__writer_put(out, head);
    stoa__writer_put(out, "<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n");
    uint32_t y = MARGIN;
    for (uint32_t i = 0; i < app->plan.stage_count; i++) {
        stoa__svg_size size = stage_size(app, i);
        if (size.height > 0) {
            stage_draw(app, i, y, (stoa__svg_size){width, size.height}, out);
            y += size.height + STAGE_GAP;
        }
    }
    legend_draw(y, out);
    stoa__writer_put(out, "</svg>\n");
}
