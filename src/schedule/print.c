/* The plan as text: stage by stage and batch by batch, each system with what it declares and why it
 * is not in an earlier batch. Nothing is allocated but by planning. */
#include "schedule/describe.h"

typedef struct line {
    stoa__writer *out;
    bool open;  /* a parenthesis is */
    bool fresh; /* a section begins */
} line;

static void line_section(void *user, stoa__section section) {
    line *l = user;
    if (section == STOA__SECTION_REASON) {
        stoa__writer_put(l->out, " ");
    } else {
        stoa__writer_put(l->out, l->open ? "; " : " (");
        l->open = true;
    }
    l->fresh = true;
}

static void line_word(void *user, const char *text, const char *end) {
    line *l = user;
    stoa__writer_put(l->out, l->fresh ? "" : " ");
    stoa__writer_put(l->out, text);
    stoa__writer_put(l->out, end);
    l->fresh = false;
}

static void system_print(const stoa_app *app, const stoa__planned *planned, stoa__writer *out) {
    line l = {.out = out};
    stoa__teller teller = {line_section, line_word, &l};
    stoa__writer_put(out, "    - ");
    stoa__writer_put(out, planned->system->name);
    stoa__describe_system(app, planned->system, &teller);
    stoa__writer_put(out, l.open ? ")" : "");
    stoa__describe_reason(app, planned, &teller);
    stoa__writer_put(out, "\n");
}

static void disabled_print(const stoa_app *app, stoa_stage stage, stoa__writer *out) {
    uint32_t i = 0;
    const stoa__system *system = stoa__describe_disabled(app, stage, &i);
    stoa__writer_put(out, system != NULL ? "  [Disabled]\n" : "");
    for (; system != NULL; system = stoa__describe_disabled(app, stage, &i)) {
        system_print(app, &(stoa__planned){.system = (stoa__system *)system}, out);
    }
}

static void plan_print(const stoa_app *app, stoa__writer *out) {
    const stoa__plan *plan = &app->plan;
    for (uint32_t i = 0; i < plan->stage_count; i++) {
        const stoa__plan_stage *stage = &plan->stages[i];
        uint32_t disabled = 0;
        if (stage->count > 0 || stoa__describe_disabled(app, stage->stage, &disabled) != NULL) {
            stoa__writer_put(out, app->stages[i].name);
            stoa__writer_put(out, "\n");
        }
        for (uint32_t b = 0; b < stage->count; b++) {
            const stoa__batch *batch = &plan->batches[stage->first + b];
            stoa__writer_format(out, "  [Batch %u]\n", b);
            for (uint32_t k = 0; k < batch->count; k++) {
                system_print(app, &plan->systems[batch->first + k], out);
            }
        }
        disabled_print(app, stage->stage, out);
    }
}

int64_t stoa_schedule_print(stoa_app *app, stoa_schedule_format format, char *buffer, size_t size) {
    if (stoa_schedule_plan(app) != STOA_OK) {
        return -1;
    }
    if (buffer == NULL && size > 0) {
        stoa_world_report(app->world,
                          stoa__error(STOA_NULL_ARGUMENT, "the buffer must not be null"));
        return -1;
    }
    stoa__writer out = stoa__writer_new(buffer, size);
    switch (format) {
    case STOA_SCHEDULE_TEXT:
        plan_print(app, &out);
        break;
    case STOA_SCHEDULE_DOT:
        stoa__draw_dot(app, &out);
        break;
    case STOA_SCHEDULE_SVG:
        stoa__draw_svg(app, &out);
        break;
    default:
        stoa_world_report(app->world,
                          stoa__error(STOA_INVALID, "a plan has no format %d", (int)format));
        return -1;
    }
    return (int64_t)out.length;
}
