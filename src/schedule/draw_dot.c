/* The plan as a graph for Graphviz.
 *
 * A cluster for each stage, in it one for each batch and one for the systems that are disabled.
 * Rules within a stage are drawn as they stand. Of conflicts only those between neighbouring
 * batches are, since the others follow or are hidden behind them. Nothing is allocated. */
#include "schedule/access.h"
#include "schedule/describe.h"
#include "schedule/order.h"

typedef struct label {
    stoa__writer *out;
    bool fresh; /* a line begins */
} label;

/* "\l" ends a line that is set to the left. */
static void label_section(void *user, stoa__section section) {
    label *l = user;
    (void)section;
    stoa__writer_put(l->out, "\\l");
    l->fresh = true;
}

static void label_word(void *user, const char *text, const char *end) {
    label *l = user;
    stoa__writer_put(l->out, l->fresh ? "" : " ");
    stoa__writer_dot(l->out, text);
    stoa__writer_put(l->out, end);
    l->fresh = false;
}

static void node_draw(const stoa_app *app, const stoa__system *system, stoa__writer *out) {
    label l = {.out = out};
    stoa__writer_format(out, "      s%u [label=\"", system->id);
    stoa__writer_dot(out, system->name);
    stoa__describe_system(app, system, &(stoa__teller){label_section, label_word, &l});
    stoa__writer_put(out, "\\l\"");
    if (!system->enabled) {
        stoa__writer_put(out, ", style=\"rounded,dashed\", color=gray, fontcolor=gray");
    }
    stoa__writer_put(out, "];\n");
}

static void batches_draw(const stoa_app *app, uint32_t i, stoa__writer *out) {
    const stoa__plan *plan = &app->plan;
    const stoa__plan_stage *stage = &plan->stages[i];
    for (uint32_t b = 0; b < stage->count; b++) {
        const stoa__batch *batch = &plan->batches[stage->first + b];
        stoa__writer_format(out, "    subgraph cluster_%u_%u {\n      label=\"Batch %u\";\n", i, b,
                            b);
        for (uint32_t k = 0; k < batch->count; k++) {
            node_draw(app, plan->systems[batch->first + k].system, out);
        }
        stoa__writer_put(out, "    }\n");
    }
    uint32_t next = 0;
    const stoa__system *system = stoa__describe_disabled(app, stage->stage, &next);
    if (system == NULL) {
        return;
    }
    stoa__writer_format(out, "    subgraph cluster_%u_disabled {\n      label=\"Disabled\";\n", i);
    for (; system != NULL; system = stoa__describe_disabled(app, stage->stage, &next)) {
        node_draw(app, system, out);
    }
    stoa__writer_put(out, "    }\n");
}

static void rules_draw(const stoa_app *app, stoa_stage stage, stoa__writer *out) {
    for (uint32_t i = 0; i < app->system_count; i++) {
        const stoa__system *a = app->systems[i];
        for (uint32_t j = 0; j < app->system_count && a->stage == stage; j++) {
            const stoa__system *b = app->systems[j];
            if (b->stage == stage && stoa__system_precedes(a, b)) {
                stoa__writer_format(out, "  s%u -> s%u;\n", a->id, b->id);
            }
        }
    }
}

static void conflict_draw(const stoa_app *app, const stoa__system *a, const stoa__system *b,
                          stoa__writer *out) {
    stoa__dispute at = {0};
    if (stoa__system_precedes(a, b) ||
        !stoa__access_dispute(app->world, &a->access, &b->access, &at)) {
        return;
    }
    stoa__writer_format(out, "  s%u -> s%u [style=dashed, label=\"", a->id, b->id);
    stoa__writer_put(out, at.resource ? "resource " : "");
    if (at.alone) {
        stoa__writer_put(out, "alone");
    } else {
        stoa__writer_dot(out, stoa_component_name(app->world, at.id));
    }
    stoa__writer_put(out, "\"];\n");
}

static void conflicts_draw(const stoa_app *app, const stoa__plan_stage *stage, stoa__writer *out) {
    const stoa__plan *plan = &app->plan;
    for (uint32_t b = 1; b < stage->count; b++) {
        const stoa__batch *last = &plan->batches[stage->first + b - 1];
        const stoa__batch *batch = last + 1;
        for (uint32_t i = 0; i < last->count; i++) {
            for (uint32_t j = 0; j < batch->count; j++) {
                conflict_draw(app, plan->systems[last->first + i].system,
                              plan->systems[batch->first + j].system, out);
            }
        }
    }
}

void stoa__draw_dot(const stoa_app *app, stoa__writer *out) {
    const stoa__plan *plan = &app->plan;
    stoa__writer_put(out, "digraph schedule {\n"
                          "  rankdir=LR;\n"
                          "  fontname=\"sans-serif\";\n"
                          "  node [shape=box, style=rounded, fontname=\"monospace\"];\n"
                          "  edge [fontname=\"sans-serif\", fontsize=10];\n");
    for (uint32_t i = 0; i < plan->stage_count; i++) {
        stoa_stage stage = plan->stages[i].stage;
        uint32_t disabled = 0;
        if (plan->stages[i].count > 0 || stoa__describe_disabled(app, stage, &disabled) != NULL) {
            stoa__writer_format(out, "  subgraph cluster_%u {\n    label=\"", i);
            stoa__writer_dot(out, app->stages[i].name);
            stoa__writer_put(out, "\";\n");
            batches_draw(app, i, out);
            stoa__writer_put(out, "  }\n");
        }
    }
    for (uint32_t i = 0; i < plan->stage_count; i++) {
        rules_draw(app, plan->stages[i].stage, out);
        conflicts_draw(app, &plan->stages[i], out);
    }
    stoa__writer_put(out, "}\n");
}
