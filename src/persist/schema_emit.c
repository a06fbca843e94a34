/* Writing the steps of a plan.
 *
 * Copies that stand side by side at both ends become one, also across structs and whole arrays of
 * them; so the plan of a type that did not change is a single copy. O(1) for each step, but for a
 * loop that shrinks, which moves the steps inside of it. One thread at a time. */
#include "persist/schema_compile.h"

#include "base/error.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Adds the name of the member at hand, unless it was the last that was added. */
static uint32_t name_add(stoa__compiler *c) {
    stoa__route *plan = c->plan;
    uint32_t size = (uint32_t)strlen(c->path_text) + 1;
    if (plan->name_size >= size &&
        memcmp(plan->names + plan->name_size - size, c->path_text, size) == 0) {
        return plan->name_size - size;
    }
    if (!stoa__heap_grow(&plan->heap, &plan->names, &plan->name_capacity, plan->name_size + size,
                         1)) {
        c->status = stoa__error_memory("a plan");
        return 0;
    }
    memcpy(plan->names + plan->name_size, c->path_text, size);
    plan->name_size += size;
    return plan->name_size - size;
}

void stoa__compile_step(stoa__compiler *c, const stoa__step *step) {
    stoa__route *plan = c->plan;
    if (c->status != STOA_OK) {
        return;
    }
    if (!stoa__heap_grow(&plan->heap, &plan->steps, &plan->step_capacity, plan->step_count + 1,
                         sizeof *plan->steps)) {
        c->status = stoa__error_memory("a plan");
        return;
    }
    bool named = step->op >= STOA__OP_NUMBER && step->op <= STOA__OP_DROP;
    uint32_t name = named ? name_add(c) : 0;
    plan->steps[plan->step_count] = *step;
    plan->steps[plan->step_count++].name = name;
}

/* Makes the last copy longer by bytes that follow it; false if they do not. */
static bool copy_extend(stoa__compiler *c, uint32_t from, uint32_t to, uint32_t size) {
    stoa__step *last = c->copy > 0 ? &c->plan->steps[c->copy - 1] : NULL;
    if (last == NULL || last->from + last->count != from || last->to + last->count != to) {
        return false;
    }
    last->count += size;
    return true;
}

void stoa__compile_copy(stoa__compiler *c, uint32_t from, uint32_t to, uint32_t size) {
    if (c->status != STOA_OK || copy_extend(c, from, to, size)) {
        return;
    }
    stoa__compile_step(c,
                       &(stoa__step){.op = STOA__OP_COPY, .from = from, .to = to, .count = size});
    c->copy = c->plan->step_count;
}

void stoa__compile_same(stoa__compiler *c, stoa_kind kind, uint32_t from, uint32_t to,
                        uint32_t size, uint32_t count) {
    uint32_t unit = kind == STOA_KIND_ENTITY ? size / 2 : size;
    if (c->swaps && unit > 1) {
        stoa__compile_step(c, &(stoa__step){.op = STOA__OP_SWAP,
                                            .from = from,
                                            .to = to,
                                            .count = size * count / unit,
                                            .from_size = unit});
    } else {
        stoa__compile_copy(c, from, to, size * count);
    }
}

void stoa__compile_bool(stoa__compiler *c, uint32_t to, uint32_t count) {
    stoa__route *plan = c->plan;
    stoa__step *last = plan->step_count > 0 ? &plan->steps[plan->step_count - 1] : NULL;
    if (last != NULL && last->op == STOA__OP_BOOL && last->to + last->count == to) {
        last->count += count;
    } else {
        stoa__compile_step(c, &(stoa__step){.op = STOA__OP_BOOL, .to = to, .count = count});
    }
    plan->settles = true;
}

stoa__compile_loop stoa__compile_loop_begin(stoa__compiler *c, const stoa__step *step) {
    stoa__compile_loop loop = {c->plan->step_count, c->copy};
    stoa__compile_step(c, step);
    c->copy = 0;
    return loop;
}

static void step_remove(stoa__route *plan, uint32_t at) {
    memmove(plan->steps + at, plan->steps + at + 1,
            (plan->step_count - at - 1) * sizeof *plan->steps);
    plan->step_count--;
}

/* Takes a copy of whole elements out of a loop; returns where the loop begins then. */
static uint32_t loop_hoist(stoa__compiler *c, uint32_t at) {
    stoa__step *loop = &c->plan->steps[at];
    const stoa__step *first = loop + 1;
    bool whole = first->op == STOA__OP_COPY && first->from == 0 && first->to == 0 &&
                 first->count == loop->from_size && first->count == loop->to_size;
    if (!whole) {
        return at;
    }
    uint32_t size = loop->from_size * loop->count;
    if (copy_extend(c, loop->from, loop->to, size)) {
        step_remove(c->plan, at + 1);
        return at;
    }
    stoa__step moved = *loop;
    loop[0] = (stoa__step){.op = STOA__OP_COPY, .from = moved.from, .to = moved.to, .count = size};
    loop[1] = moved;
    c->copy = at + 1;
    return at + 1;
}

void stoa__compile_loop_end(stoa__compiler *c, stoa__compile_loop loop) {
    c->copy = loop.copy;
    if (c->status != STOA_OK) {
        return;
    }
    if (c->plan->step_count > loop.at + 1) {
        loop.at = loop_hoist(c, loop.at);
    }
    if (c->plan->step_count == loop.at + 1) {
        c->plan->step_count--;
    } else {
        stoa__compile_step(c, &(stoa__step){.op = STOA__OP_END});
    }
}

size_t stoa__compile_enter(stoa__compiler *c, const char *member) {
    size_t before = c->path.length;
    if (before > 0) {
        stoa__writer_put(&c->path, ".");
    }
    stoa__writer_put(&c->path, member);
    return before;
}

void stoa__compile_leave(stoa__compiler *c, size_t path) {
    c->path.length = path;
    if (path < c->path.size) {
        c->path_text[path] = '\0';
    }
}

void stoa__compile_notice(stoa__compiler *c, stoa_notice_kind kind, const char *format, ...) {
    const stoa__route_options *options = &c->plan->options;
    bool inside = c->path_text[0] != '\0';
    c->plan->same = false;
    if (options->notice == NULL || c->status != STOA_OK) {
        return;
    }
    char what[256], text[768];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    snprintf(text, sizeof text, "%.200s%s%s %s", c->plan->component, inside ? "." : "",
             c->path_text, what);
    stoa_notice notice = {kind, c->plan->component, inside ? c->path_text : NULL, text};
    options->notice(&notice, options->user);
}

void stoa__compile_refuse(stoa__compiler *c, const char *format, ...) {
    if (c->status != STOA_OK) {
        return;
    }
    char what[256];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    bool inside = c->path_text[0] != '\0';
    c->status = stoa__error(STOA_LAYOUT, "component '%s'%s%s%s %s", c->plan->component,
                            inside ? ", member '" : "", c->path_text, inside ? "'" : "", what);
}
