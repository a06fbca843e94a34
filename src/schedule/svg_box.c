/* The box of a system in the drawing of a plan.
 *
 * A line for the name, then one for each section, broken between words where it would get too long.
 * Measuring and writing run the same code, with and without a writer, so a text never leaves its
 * box. Nothing is allocated. */
#include "schedule/svg_box.h"

#define LINE_HEIGHT 17
#define LINE_COLUMNS 36 /* a line of several words has no more */
#define INDENT 2        /* columns, of the lines that go on */
#define PAD_X 12
#define PAD_Y 9
#define BASELINE 13 /* of a line, from its top */

typedef struct flow {
    stoa__writer *out; /* NULL to measure */
    uint32_t x;        /* of the first column */
    uint32_t y;        /* of the first line's top */
    const char *class;
    uint32_t line;   /* lines so far */
    uint32_t column; /* of the next word in this line */
    uint32_t most;   /* columns of the longest line */
    bool fresh;      /* no word is in this line */
} flow;

uint32_t stoa__svg_width(uint32_t columns) {
    /* 12 pixels high; such fonts are 0.6 to 0.61 of that wide. */
    return (columns * 37 + 4) / 5;
}

static void line_end(flow *f) {
    if (f->out != NULL && f->line > 0) {
        stoa__writer_put(f->out, "</text>\n");
    }
}

static void line_begin(flow *f, uint32_t indent) {
    line_end(f);
    if (f->out != NULL) {
        stoa__writer_format(f->out, "<text class=\"%s\" x=\"%u\" y=\"%u\">", f->class,
                            f->x + stoa__svg_width(indent),
                            f->y + f->line * LINE_HEIGHT + BASELINE);
    }
    f->line++;
    f->column = indent;
    f->fresh = true;
}

static void flow_section(void *user, stoa__section section) {
    static const char *const classes[] = {
        [STOA__SECTION_MARKS] = "m",    [STOA__SECTION_READS] = "r",
        [STOA__SECTION_WRITES] = "w",   [STOA__SECTION_RESOURCES] = "s",
        [STOA__SECTION_REASON] = "why",
    };
    flow *f = user;
    f->class = classes[section];
    line_begin(f, 0);
}

static void flow_word(void *user, const char *text, const char *end) {
    flow *f = user;
    uint32_t columns = stoa__writer_columns(text) + stoa__writer_columns(end);
    if (!f->fresh && f->column + 1 + columns > LINE_COLUMNS) {
        line_begin(f, INDENT);
    }
    if (f->out != NULL) {
        stoa__writer_put(f->out, f->fresh ? "" : " ");
        stoa__writer_xml(f->out, text);
        stoa__writer_xml(f->out, end);
    }
    f->column += columns + !f->fresh;
    f->most = f->most > f->column ? f->most : f->column;
    f->fresh = false;
}

static void flow_run(flow *f, const stoa_app *app, const stoa__planned *planned) {
    stoa__teller teller = {flow_section, flow_word, f};
    f->class = "n";
    line_begin(f, 0);
    flow_word(f, planned->system->name, "");
    stoa__describe_system(app, planned->system, &teller);
    stoa__describe_reason(app, planned, &teller);
    line_end(f);
}

stoa__svg_size stoa__svg_box_size(const stoa_app *app, const stoa__planned *planned) {
    flow f = {0};
    flow_run(&f, app, planned);
    return (stoa__svg_size){2 * PAD_X + stoa__svg_width(f.most), 2 * PAD_Y + f.line * LINE_HEIGHT};
}

void stoa__svg_box_draw(const stoa_app *app, const stoa__planned *planned, uint32_t x, uint32_t y,
                        stoa__svg_size size, stoa__writer *out) {
    const char *class = !planned->system->enabled ? "off" : "on";
    stoa__writer_format(out,
                        "<g class=\"%s\">\n<rect class=\"box\" x=\"%u\" y=\"%u\" width=\"%u\" "
                        "height=\"%u\" rx=\"6\"/>\n",
                        class, x, y, size.width, size.height);
    flow f = {.out = out, .x = x + PAD_X, .y = y + PAD_Y};
    flow_run(&f, app, planned);
    stoa__writer_put(out, "</g>\n");
}
