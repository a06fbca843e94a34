/* The order of the systems of one stage.
 *
 * Rules come first. Then systems that conflict and have no order yet take that of registration,
 * each against the nearest before it first, so that an order which follows from rules and earlier
 * decisions stands and no cycle can come of it. The matrices hold what is reachable, and are kept
 * so as edges are added: a pair of systems is linked once, for some operations on 64 systems at a
 * time, so the whole takes at most n * n * n / 64 steps. Nothing depends on addresses. */
#include "schedule/order.h"

#include "base/writer.h"

#include <string.h>

#define PATH_SIZE 440

static void row_set(uint64_t *row, uint32_t i) {
    row[i >> 6] |= (uint64_t)1 << (i & 63);
}

static void row_join(const stoa__order *order, uint64_t *row, const uint64_t *other, uint32_t i) {
    for (uint32_t w = 0; w < order->words; w++) {
        row[w] |= other[w];
    }
    row_set(row, i);
}

/* Joins `with` and `i` to the rows of those that are in one row and not in another. */
static void rows_join(const stoa__order *order, uint64_t *matrix, const uint64_t *in,
                      const uint64_t *out, const uint64_t *with, uint32_t i) {
    for (uint32_t w = 0; w < order->words; w++) {
        for (uint64_t word = in[w] & ~out[w]; word != 0; word &= word - 1) {
            uint32_t k = w * 64 + stoa__bit_lowest(word);
            row_join(order, stoa__order_row(order, matrix, k), with, i);
        }
    }
}

/* Puts i before j, with all that comes before i and after j. The rows of i and j are the last to be
 * changed, since the others go by them. */
static void order_link(stoa__order *order, uint32_t i, uint32_t j) {
    uint64_t *before_i = stoa__order_row(order, order->before, i);
    uint64_t *before_j = stoa__order_row(order, order->before, j);
    uint64_t *after_i = stoa__order_row(order, order->after, i);
    uint64_t *after_j = stoa__order_row(order, order->after, j);
    rows_join(order, order->after, before_i, before_j, after_j, j);
    rows_join(order, order->before, after_j, after_i, before_i, i);
    row_join(order, after_i, after_j, j);
    row_join(order, before_j, before_i, i);
}

/* The shortest way from one system to another along the rules, into `line`; returns its length. */
static uint32_t path_find(stoa__order *order, uint32_t from, uint32_t to) {
    uint32_t count = 1;
    order->line[0] = from;
    memset(order->from, 0xFF, order->count * sizeof *order->from);
    order->from[from] = from;
    for (uint32_t next = 0; next < count && order->from[to] == UINT32_MAX; next++) {
        uint32_t i = order->line[next];
        for (uint32_t j = 0; j < order->count; j++) {
            if (order->from[j] == UINT32_MAX && stoa__order_test(order, order->rules, i, j)) {
                order->from[j] = i;
                order->line[count++] = j;
            }
        }
    }
    uint32_t length = 1;
    for (uint32_t i = to; i != from; i = order->from[i]) {
        length++;
    }
    for (uint32_t i = to, at = length; at > 0; i = order->from[i]) {
        order->line[--at] = i;
    }
    return length;
}

/* Tells of the rules that lead from j back to i, which is to come before j. Begins with the one
 * that was registered first. */
static stoa_status order_cycle(stoa__order *order, uint32_t i, uint32_t j) {
    uint32_t length = path_find(order, j, i);
    uint32_t first = 0;
    for (uint32_t k = 1; k < length; k++) {
        first = order->line[k] < order->line[first] ? k : first;
    }
    char text[PATH_SIZE];
    stoa__writer path = stoa__writer_new(text, sizeof text);
    for (uint32_t k = 0; k <= length; k++) {
        stoa__writer_put(&path, k > 0 ? " -> " : "");
        stoa__writer_put(&path, order->systems[order->line[(first + k) % length]]->name);
    }
    return stoa__error(STOA_CONTRADICTION, "systems wait for each other: %s%s", text,
                       path.length < sizeof text ? "" : "...");
}

static stoa_status rule_link(stoa__order *order, uint32_t i, uint32_t j) {
    row_set(stoa__order_row(order, order->rules, i), j);
    if (stoa__order_test(order, order->before, j, i)) {
        return STOA_OK;
    }
    if (stoa__order_test(order, order->before, i, j)) {
        return order_cycle(order, i, j);
    }
    order_link(order, i, j);
    return STOA_OK;
}

bool stoa__system_called(const stoa__system *system, const char *text) {
    if (strcmp(system->name, text) == 0) {
        return true;
    }
    for (uint32_t i = 0; i < STOA_NAME_MAX && system->labels.items[i] != NULL; i++) {
        if (strcmp(system->labels.items[i], text) == 0) {
            return true;
        }
    }
    return false;
}

static bool names_call(const stoa__names *names, const stoa__system *system) {
    for (uint32_t i = 0; i < STOA_NAME_MAX && names->items[i] != NULL; i++) {
        if (stoa__system_called(system, names->items[i])) {
            return true;
        }
    }
    return false;
}

bool stoa__system_precedes(const stoa__system *a, const stoa__system *b) {
    return a != b && (names_call(&a->before, b) || names_call(&b->after, a));
}

/* The place of a stage in a frame. */
static uint32_t stage_place(const stoa_app *app, stoa_stage stage) {
    uint32_t i = 0;
    while (i < app->stage_count && app->stages[i].id != stage) {
        i++;
    }
    return i;
}

/* A rule about a system of another stage says what the stages say, or is an error. */
static stoa_status rule_across(const stoa_app *app, const stoa__system *system,
                               const stoa__system *other, bool before) {
    uint32_t place = stage_place(app, system->stage);
    uint32_t other_place = stage_place(app, other->stage);
    if (before ? place < other_place : place > other_place) {
        return STOA_OK;
    }
    return stoa__error(STOA_CONTRADICTION,
                       "system '%s' of stage '%s' is to run %s '%s', but that is of stage '%s'",
                       system->name, app->stages[place].name, before ? "before" : "after",
                       other->name, app->stages[other_place].name);
}

/* One name of a rule of system i: all that are called so come before or after it. */
static stoa_status rule_read(stoa__order *order, const stoa_app *app, uint32_t i, const char *name,
                             bool before) {
    const stoa__system *system = order->systems[i];
    const char *way = before ? "before" : "after";
    bool found = false;
    uint32_t place = 0;
    for (uint32_t k = 0; k < app->system_count; k++) {
        const stoa__system *other = app->systems[k];
        uint32_t j = place;
        place += other->stage == system->stage;
        if (!stoa__system_called(other, name)) {
            continue;
        }
        found = true;
        stoa_status status = STOA_OK;
        if (other->stage != system->stage) {
            status = rule_across(app, system, other, before);
        } else if (j != i) {
            status = before ? rule_link(order, i, j) : rule_link(order, j, i);
        } else if (strcmp(system->name, name) == 0) {
            status = stoa__error(STOA_CONTRADICTION, "system '%s' is to run %s itself",
                                 system->name, way);
        }
        if (status != STOA_OK) {
            return status;
        }
    }
    if (!found) {
        return stoa__error(STOA_NOT_FOUND,
                           "system '%s' is to run %s '%s', but no system or label is called so",
                           system->name, way, name);
    }
    return STOA_OK;
}

static stoa_status rules_read(stoa__order *order, const stoa_app *app) {
    stoa_status status = STOA_OK;
    for (uint32_t i = 0; i < order->count && status == STOA_OK; i++) {
        char *const *after = order->systems[i]->after.items;
        for (uint32_t k = 0; k < STOA_NAME_MAX && after[k] != NULL && status == STOA_OK; k++) {
            status = rule_read(order, app, i, after[k], false);
        }
        char *const *before = order->systems[i]->before.items;
        for (uint32_t k = 0; k < STOA_NAME_MAX && before[k] != NULL && status == STOA_OK; k++) {
            status = rule_read(order, app, i, before[k], true);
        }
    }
    return status;
}

static void conflicts_settle(stoa__order *order, const stoa_world *world) {
    for (uint32_t j = 1; j < order->count; j++) {
        const stoa__system *second = order->systems[j];
        for (uint32_t i = second->enabled ? j : 0; i-- > 0;) {
            const stoa__system *first = order->systems[i];
            stoa_component id;
            bool resource;
            if (first->enabled && !stoa__order_test(order, order->before, j, i) &&
                !stoa__order_test(order, order->before, i, j) &&
                stoa__access_conflict(world, &first->access, &second->access, &id, &resource)) {
                order_link(order, i, j);
            }
        }
    }
}

/* Cuts the block into rows and numbers; the matrices come first, for their alignment. */
static stoa_status order_reserve(stoa__order *order, stoa__heap *heap, uint32_t count) {
    uint32_t words = (count + 63) / 64;
    size_t matrix = (size_t)count * words;
    size_t size = (4 * matrix + words) * sizeof(uint64_t) +
                  count * (sizeof *order->systems + 2 * sizeof(uint32_t));
    char *block = stoa__heap_zalloc(heap, size, _Alignof(max_align_t));
    if (block == NULL) {
        return stoa__error_memory("the plan of a stage");
    }
    order->block = block;
    order->block_size = size;
    order->count = count;
    order->words = words;
    order->rules = order->block;
    order->declared = order->rules + matrix;
    order->before = order->declared + matrix;
    order->after = order->before + matrix;
    order->left = order->after + matrix;
    block += (4 * matrix + words) * sizeof(uint64_t);
    order->systems = (void *)block;
    order->line = (void *)(block + count * sizeof *order->systems);
    order->from = order->line + count;
    return STOA_OK;
}

stoa_status stoa__order_init(stoa__order *order, stoa_app *app, stoa_stage stage) {
    memset(order, 0, sizeof *order);
    uint32_t count = 0;
    for (uint32_t i = 0; i < app->system_count; i++) {
        count += app->systems[i]->stage == stage;
    }
    if (count == 0) {
        return STOA_OK;
    }
    stoa_status status = order_reserve(order, &app->heap, count);
    if (status != STOA_OK) {
        return status;
    }
    uint32_t place = 0;
    for (uint32_t i = 0; i < app->system_count; i++) {
        if (app->systems[i]->stage == stage) {
            order->systems[place++] = app->systems[i];
        }
    }
    status = rules_read(order, app);
    if (status != STOA_OK) {
        stoa__order_fini(order, &app->heap);
        return status;
    }
    memcpy(order->declared, order->before, (size_t)count * order->words * sizeof *order->declared);
    conflicts_settle(order, app->world);
    return STOA_OK;
}

void stoa__order_fini(stoa__order *order, stoa__heap *heap) {
    stoa__heap_free(heap, order->block, order->block_size, _Alignof(max_align_t));
    memset(order, 0, sizeof *order);
}
