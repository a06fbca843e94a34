/* The box of a system in the drawing of a plan: its lines, measured and written the same way. */
#ifndef STOA_SCHEDULE_SVG_BOX_H
#define STOA_SCHEDULE_SVG_BOX_H

#include "schedule/describe.h"

typedef struct stoa__svg_size {
    uint32_t width;
    uint32_t height;
} stoa__svg_size;

/* The width, in pixels, of so many columns of text; at least what fonts of fixed width take. */
uint32_t stoa__svg_width(uint32_t columns);

/* The least size of a system's box. */
stoa__svg_size stoa__svg_box_size(const stoa_app *app, const stoa__planned *planned);

/* Writes a box. `size` is at least the least. */
void stoa__svg_box_draw(const stoa_app *app, const stoa__planned *planned, uint32_t x, uint32_t y,
                        stoa__svg_size size, stoa__writer *out);

#endif
