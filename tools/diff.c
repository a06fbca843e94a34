/* `stoa diff`: what two saved worlds do not have in common.
 *
 * Entities are matched by their handles, components and resources by their names. O(entities times
 * components). */
#include <inttypes.h>
#include <stdlib.h>

#include "diff.h"

#define TITLE_SIZE 256

/* A component of either world: 0 where it is not known. */
typedef struct pair {
    const char *name;
    stoa_component a, b;
} pair;

typedef struct diff {
    const stoa_world *a, *b;
    pair *pairs;
    int32_t pair_count;
    int64_t differences;
} diff;

/* All components of the first world, then those that only the second has. There is room. */
static void pairs_fill(diff *d) {
    int32_t count_a = stoa_component_count(d->a);
    int32_t count_b = stoa_component_count(d->b);
    for (stoa_component id = 1; id <= (stoa_component)count_a; id++) {
        const char *name = stoa_component_name(d->a, id);
        d->pairs[d->pair_count++] = (pair){name, id, stoa_component_find(d->b, name)};
    }
    for (stoa_component id = 1; id <= (stoa_component)count_b; id++) {
        const char *name = stoa_component_name(d->b, id);
        if (stoa_component_find(d->a, name) == 0) {
            d->pairs[d->pair_count++] = (pair){name, 0, id};
        }
    }
}

/* A line for something that only one side has. */
static void lone_print(diff *d, char sign, const char *title, const char *what) {
    printf("%s%s%c%s\n", title, title[0] != '\0' ? " " : "", sign, what);
    d->differences++;
}

static void component_diff(diff *d, const pair *p, stoa_entity e, const char *handle) {
    bool in_a = p->a != 0 && stoa_has_id(d->a, e, p->a);
    bool in_b = p->b != 0 && stoa_has_id(d->b, e, p->b);
    if (in_a != in_b) {
        lone_print(d, in_a ? '-' : '+', handle, p->name);
        return;
    }
    if (!in_a) {
        return;
    }
    char title[TITLE_SIZE];
    snprintf(title, sizeof title, "%s %s", handle, p->name);
    bool on_a = stoa_enabled_id(d->a, e, p->a);
    bool on_b = stoa_enabled_id(d->b, e, p->b);
    if (on_a != on_b) {
        printf("%s: %s -> %s\n", title, on_a ? "on" : "off", on_b ? "on" : "off");
        d->differences++;
    }
    d->differences += diff_values(title, (diff_side){d->a, p->a}, stoa_try_get_id(d->a, e, p->a),
                                  (diff_side){d->b, p->b}, stoa_try_get_id(d->b, e, p->b));
}

/* An entity that at least one of both has. */
static void entity_diff(diff *d, stoa_entity e) {
    char handle[STOA_ENTITY_TEXT_SIZE];
    stoa_entity_print(e, handle, sizeof handle);
    bool in_a = stoa_alive(d->a, e);
    if (in_a != stoa_alive(d->b, e)) {
        lone_print(d, in_a ? '-' : '+', "", handle);
        return;
    }
    for (int32_t i = 0; i < d->pair_count; i++) {
        component_diff(d, &d->pairs[i], e, handle);
    }
}

/* Goes through both worlds in order of indexes, each handle once. */
static void entities_diff(diff *d) {
    stoa_entity a = stoa_entity_next(d->a, STOA_NULL);
    stoa_entity b = stoa_entity_next(d->b, STOA_NULL);
    while (!stoa_entity_is_null(a) || !stoa_entity_is_null(b)) {
        bool first = stoa_entity_is_null(b) || (!stoa_entity_is_null(a) && a.index <= b.index);
        bool second = stoa_entity_is_null(a) || (!stoa_entity_is_null(b) && b.index <= a.index);
        bool same = first && second && stoa_entity_eq(a, b);
        if (first) {
            entity_diff(d, a);
        }
        if (second && !same) {
            entity_diff(d, b);
        }
        a = first ? stoa_entity_next(d->a, a) : a;
        b = second ? stoa_entity_next(d->b, b) : b;
    }
}

static void resources_diff(diff *d) {
    for (int32_t i = 0; i < d->pair_count; i++) {
        const pair *p = &d->pairs[i];
        bool in_a = p->a != 0 && stoa_resource_has_id(d->a, p->a);
        bool in_b = p->b != 0 && stoa_resource_has_id(d->b, p->b);
        if (in_a != in_b) {
            lone_print(d, in_a ? '-' : '+', "resource", p->name);
        } else if (in_a) {
            char title[TITLE_SIZE];
            snprintf(title, sizeof title, "resource %s", p->name);
            d->differences +=
                diff_values(title, (diff_side){d->a, p->a}, stoa_resource_try_id(d->a, p->a),
                            (diff_side){d->b, p->b}, stoa_resource_try_id(d->b, p->b));
        }
    }
}

static int worlds_diff(const tool_command *command, const stoa_world *a, const stoa_world *b) {
    size_t capacity = (size_t)stoa_component_count(a) + (size_t)stoa_component_count(b) + 1;
    pair *pairs = malloc(capacity * sizeof *pairs);
    if (pairs == NULL) {
        return tool_fail(command, "out of memory");
    }
    diff d = {.a = a, .b = b, .pairs = pairs};
    output out;
    output_open(&out, command, NULL);
    pairs_fill(&d);
    entities_diff(&d);
    resources_diff(&d);
    free(pairs);
    if (d.differences == 0 && stoa_hash(a) != stoa_hash(b)) {
        printf("the same entities and values, in another order or with other handles to come\n");
        d.differences++;
    }
    return output_close(&out, d.differences == 0 ? EXIT_FINE : EXIT_WRONG);
}

static int diff_run(const tool_command *command, int argc, char **argv) {
    int count = options_read(command, argc, argv, NULL, 0);
    if (count != 2) {
        return count < 0 ? EXIT_USAGE : tool_misuse(command, "it takes two files");
    }
    stoa_world *a = world_open(command, argv[0]);
    stoa_world *b = a != NULL ? world_open(command, argv[1]) : NULL;
    int code = b != NULL ? worlds_diff(command, a, b) : EXIT_WRONG;
    stoa_world_free(b);
    stoa_world_free(a);
    return code;
}

const tool_command diff_command = {
    "diff",
    "A B",
    "Prints the entities and fields that differ between two snapshots",
    "A line for each difference, nothing if there is none:\n\n"
    "  -17v3                     the entity is only in A; + only in B\n"
    "  17v3 -Velocity            the component is only in A; + only in B\n"
    "  17v3 Position.x: 1 -> 2   the values in A and in B\n"
    "  resource Season.day: 3 -> 4\n\n"
    "Exit code 0 if both are the same world, 1 if not.\n",
    diff_run,
};
