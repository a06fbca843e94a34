/* The limit of destroying trees by their roots: each slot knows what it is under, its first child
 * and its next sibling, and a walk along those ends one entity after the other, with no stack.
 * Their rows are filled by the last ones. */
#include "limit.h"
#include "sides.h"

#include <stdlib.h>
#include <string.h>

/* Slots; 0: none. */
typedef struct tree_links {
    uint32_t above;
    uint32_t child;
    uint32_t sibling;
} tree_links;

typedef struct forest {
    limit_index index;
    uint32_t *entities; /* row to slot */
    Position *positions;
    tree_links *links; /* by slot; those of a dead one have no child */
    limit_entity *handles;
    uint8_t *memory;
    size_t memory_size;
    uint32_t count; /* rows */
    int32_t n;
    int32_t refused;
} forest;

/* Ends one entity; its row is filled by the last one. */
static inline void entity_end(forest *f, uint32_t slot) {
    limit_record *records = f->index.records;
    uint32_t row = records[slot].place;
    uint32_t last = --f->count;
    uint32_t moved = f->entities[last];
    f->entities[row] = moved;
    f->positions[row] = f->positions[last];
    records[moved].place = row;
    limit_index_give(&f->index, (limit_entity){slot, records[slot].generation});
}

/* Ends the trees of some roots, leaves first; returns how many roots were dead. */
LIMIT_JOB static int32_t trees_end(forest *from, const limit_entity *roots, int32_t count) {
    forest f = *from;
    int32_t refused = 0;
    for (int32_t i = 0; i < count; i++) {
        uint32_t root = roots[i].index;
        if (f.index.records[root].generation != roots[i].generation) {
            refused++;
            continue;
        }
        uint32_t slot = root;
        for (;;) {
            tree_links links;
            while ((links = f.links[slot]).child != 0) {
                slot = links.child;
            }
            entity_end(&f, slot);
            if (slot == root) {
                break;
            }
            slot = links.sibling;
            if (slot == 0) {
                slot = links.above;
                f.links[slot].child = 0;
            }
        }
    }
    *from = f;
    return refused;
}

static void *forest_open(bench_size size) {
    forest *f = bench_alloc(1, sizeof *f);
    size_t n = (size_t)size.n + 1, used = 0;
    *f = (forest){.n = size.n, .index = {.count = 1}};
    f->memory_size =
        n * (sizeof(limit_record) + sizeof(uint32_t) + sizeof(Position) + sizeof(tree_links)) +
        (size_t)4 * 128;
    f->memory = bench_map(f->memory_size);
    f->index.records = limit_carve(f->memory, &used, n, sizeof(limit_record));
    f->entities = limit_carve(f->memory, &used, n, sizeof(uint32_t));
    f->positions = limit_carve(f->memory, &used, n, sizeof(Position));
    f->links = limit_carve(f->memory, &used, n, sizeof(tree_links));
    f->handles = bench_alloc(n, sizeof *f->handles);
    return f;
}

/* All slots are new: in those that a forest leaves behind the next one would lie in another order.
 */
static void forest_before(void *side) {
    forest *f = side;
    f->index.count = 1;
    f->index.free = 0;
    memset(f->links, 0, ((size_t)f->n + 1) * sizeof *f->links);
    for (int32_t i = 0; i < f->n; i++) {
        uint32_t row = f->count++;
        limit_entity e = limit_index_take(&f->index, row);
        f->handles[i] = e;
        f->entities[row] = e.index;
        f->positions[row] = data_position(i);
        int32_t over = data_tree_over(i, f->n);
        if (over >= 0) {
            uint32_t above = f->handles[over].index;
            f->links[e.index] = (tree_links){above, 0, f->links[above].child};
            f->links[above].child = e.index;
        }
    }
}

static void forest_run(void *side) {
    forest *f = side;
    f->refused = trees_end(f, f->handles, data_tree_roots(f->n));
}

static double forest_after(void *side) {
    const forest *f = side;
    double sum = f->refused + (double)f->count;
    for (int32_t i = 0; i < f->n; i++) {
        limit_entity e = f->handles[i];
        sum += f->index.records[e.index].generation == e.generation ? 1 : 0;
    }
    return sum;
}

static void forest_close(void *side) {
    forest *f = side;
    bench_unmap(f->memory, f->memory_size);
    free(f->handles);
    free(f);
}

const bench_side limit_side_relation_cascade = {forest_open, forest_before, forest_run,
                                                forest_after, forest_close};
