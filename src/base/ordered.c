/* An ordered set of pairs of numbers: a B+ tree.
 *
 * An inner node keeps for each child a pair that no pair below the child is less than, and that
 * every pair of the child before is less than. That of its first child is not looked at: the bound
 * of the node itself, in its parent, holds for it. No node is empty. A node that is less than a
 * quarter full joins a neighbour of the same parent if both fit into three quarters of one; none
 * is filled from a neighbour. A split of the last node of a level leaves it full, so that pairs
 * that come in order fill nodes. An insertion takes all nodes it needs before it changes one. */
#include "base/ordered.h"

#include "base/inline.h"

#include <string.h>

#define WIDTH STOA__ORDERED_WIDTH
#define SPARE (WIDTH / 4)
#define JOINED (WIDTH / 4 * 3)
/* A level more takes at least WIDTH / 2 times the insertions of the one below. */
#define HEIGHT_MAX 17

typedef stoa__ordered_node node;

typedef struct inner {
    node head; /* must be first */
    node *children[WIDTH];
} inner;

/* From the leaf, which is level 0, to the root. */
typedef struct path {
    node *nodes[HEIGHT_MAX];
    uint32_t at[HEIGHT_MAX]; /* the child that was taken */
    uint32_t full;           /* how many nodes, from the leaf up, are full */
} path;

static node **children_of(node *n) {
    return ((inner *)(void *)n)->children;
}

static node *const *children_read(const node *n) {
    return ((const inner *)(const void *)n)->children;
}

static size_t node_size(uint32_t level) {
    return level == 0 ? sizeof(node) : sizeof(inner);
}

static node *node_new(stoa__heap *heap, uint32_t level) {
    node *n = stoa__heap_alloc(heap, node_size(level), _Alignof(inner));
    if (n != NULL) {
        n->next = n->previous = NULL;
        n->count = 0;
    }
    return n;
}

static void node_free(stoa__heap *heap, node *n, uint32_t level) {
    stoa__heap_free(heap, n, node_size(level), _Alignof(inner));
}

static bool pair_less(const node *n, uint32_t i, uint64_t key, uint64_t value) {
    return n->keys[i] < key || (n->keys[i] == key && n->values[i] < value);
}

/* How many pairs from `from` on, in a sorted node, are less than the given one; from the start. */
static uint32_t pairs_below(const node *n, uint32_t from, uint64_t key, uint64_t value) {
    uint32_t low = from, high = n->count;
    while (low < high) {
        uint32_t middle = (low + high) / 2;
        if (pair_less(n, middle, key, value)) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

/* The child whose pairs the given one is, or would be, among. */
static uint32_t child_for(const node *n, uint64_t key, uint64_t value) {
    uint32_t at = pairs_below(n, 1, key, value);
    bool bound = at < n->count && n->keys[at] == key && n->values[at] == value;
    return bound ? at : at - 1;
}

static const node *leaf_for(const stoa__ordered *set, uint64_t key, uint64_t value) {
    const node *n = set->root;
    for (uint32_t level = set->height; level > 1; level--) {
        n = children_read(n)[child_for(n, key, value)];
    }
    return n;
}

static void path_find(const stoa__ordered *set, uint64_t key, uint64_t value, path *p) {
    node *n = set->root;
    p->full = 0;
    for (uint32_t level = set->height - 1; level > 0; level--) {
        p->nodes[level] = n;
        p->at[level] = child_for(n, key, value);
        p->full = n->count == WIDTH ? p->full + 1 : 0;
        n = children_of(n)[p->at[level]];
    }
    p->nodes[0] = n;
    p->at[0] = pairs_below(n, 0, key, value);
    p->full = n->count == WIDTH ? p->full + 1 : 0;
}

/* Moves the items from `from` on to `to` of another node, or of the same one. */
static void items_move(node *target, uint32_t to, node *source, uint32_t from, uint32_t level) {
    size_t count = source->count - from;
    memmove(target->keys + to, source->keys + from, count * sizeof *target->keys);
    memmove(target->values + to, source->values + from, count * sizeof *target->values);
    if (level > 0) {
        memmove(children_of(target) + to, children_of(source) + from, count * sizeof(node *));
    }
}

/* Puts an item into a node that has room. */
static void item_insert(node *n, uint32_t at, uint32_t level, stoa__ordered_pair pair,
                        node *child) {
    items_move(n, at + 1, n, at, level);
    n->keys[at] = pair.key;
    n->values[at] = pair.value;
    if (level > 0) {
        children_of(n)[at] = child;
    }
    n->count++;
}

static void item_remove(node *n, uint32_t at, uint32_t level) {
    items_move(n, at, n, at + 1, level);
    n->count--;
}

static void node_link(node *left, node *right) {
    right->next = left->next;
    right->previous = left;
    if (left->next != NULL) {
        left->next->previous = right;
    }
    left->next = right;
}

static void node_unlink(node *n) {
    if (n->previous != NULL) {
        n->previous->next = n->next;
    }
    if (n->next != NULL) {
        n->next->previous = n->previous;
    }
}

/* Puts an item into a full node, whose upper part goes to a fresh one. */
static void node_split(node *left, node *right, uint32_t at, uint32_t level,
                       stoa__ordered_pair pair, node *child) {
    uint32_t keep = at == WIDTH && left->next == NULL ? WIDTH : WIDTH / 2;
    items_move(right, 0, left, keep, level);
    right->count = WIDTH - keep;
    left->count = keep;
    node_link(left, right);
    if (at > keep || keep == WIDTH) {
        item_insert(right, at - keep, level, pair, child);
    } else {
        item_insert(left, at, level, pair, child);
    }
}

/* Takes the nodes for the levels from 0 up to but not including `end`; all or none. */
static bool nodes_take(stoa__heap *heap, node **fresh, uint32_t end) {
    for (uint32_t level = 0; level < end; level++) {
        fresh[level] = node_new(heap, level);
        if (fresh[level] == NULL) {
            while (level-- > 0) {
                node_free(heap, fresh[level], level);
            }
            return false;
        }
    }
    return true;
}

/* Puts a pair in along a path whose leaf is full: full nodes are split, from the leaf up. False on
 * lack of memory, with everything as it was. */
static STOA__APART bool path_split(stoa__ordered *set, stoa__heap *heap, const path *p,
                                   stoa__ordered_pair pair) {
    node *fresh[HEIGHT_MAX + 1] = {NULL}, *root = NULL, *child = NULL;
    uint32_t level = 0, at = p->at[0];
    bool grows = p->full == set->height;
    if (grows) {
        root = node_new(heap, set->height);
        if (root == NULL) {
            return false;
        }
    }
    if (!nodes_take(heap, fresh, p->full)) {
        node_free(heap, root, set->height);
        return false;
    }
    for (; fresh[level] != NULL; level++) {
        node *right = fresh[level];
        node_split(p->nodes[level], right, at, level, pair, child);
        pair = (stoa__ordered_pair){right->keys[0], right->values[0]};
        child = right;
        at = level + 1 < set->height ? p->at[level + 1] + 1 : 1;
    }
    if (!grows) {
        item_insert(p->nodes[level], at, level, pair, child);
        return true;
    }
    item_insert(root, 0, level, (stoa__ordered_pair){0, 0}, set->root);
    item_insert(root, 1, level, pair, child);
    set->root = root;
    set->height++;
    return true;
}

bool stoa__ordered_insert(stoa__ordered *set, stoa__heap *heap, uint64_t key, uint64_t value) {
    if (set->root == NULL) {
        set->root = node_new(heap, 0);
        if (set->root == NULL) {
            return false;
        }
        set->height = 1;
    }
    path p;
    stoa__ordered_pair pair = {key, value};
    path_find(set, key, value, &p);
    node *leaf = p.nodes[0];
    if (p.at[0] < leaf->count && leaf->keys[p.at[0]] == key && leaf->values[p.at[0]] == value) {
        return true;
    }
    if (p.full == 0) {
        item_insert(leaf, p.at[0], 0, pair, NULL);
    } else if (!path_split(set, heap, &p, pair)) {
        return false;
    }
    set->count++;
    return true;
}

/* Joins two nodes that stand side by side in their parent, the right one at `at` there. */
static void node_join(stoa__heap *heap, node *parent, uint32_t at, uint32_t level) {
    node *left = children_of(parent)[at - 1], *right = children_of(parent)[at];
    if (level > 0) {
        right->keys[0] = parent->keys[at];
        right->values[0] = parent->values[at];
    }
    items_move(left, left->count, right, 0, level);
    left->count += right->count;
    node_unlink(right);
    node_free(heap, right, level);
    item_remove(parent, at, level + 1);
}

/* Frees or joins a node that has become small; false if its parent stays as it is. */
static bool node_shrink(stoa__heap *heap, node *parent, uint32_t at, uint32_t level) {
    node *const *children = children_of(parent);
    node *n = children[at];
    if (n->count == 0) {
        node_unlink(n);
        node_free(heap, n, level);
        item_remove(parent, at, level + 1);
        return true;
    }
    if (n->count >= SPARE) {
        return false;
    }
    if (at + 1 < parent->count && n->count + children[at + 1]->count <= JOINED) {
        node_join(heap, parent, at + 1, level);
        return true;
    }
    if (at > 0 && n->count + children[at - 1]->count <= JOINED) {
        node_join(heap, parent, at, level);
        return true;
    }
    return false;
}

bool stoa__ordered_remove(stoa__ordered *set, stoa__heap *heap, uint64_t key, uint64_t value) {
    if (set->root == NULL) {
        return false;
    }
    path p;
    path_find(set, key, value, &p);
    node *leaf = p.nodes[0];
    uint32_t at = p.at[0];
    if (at == leaf->count || leaf->keys[at] != key || leaf->values[at] != value) {
        return false;
    }
    item_remove(leaf, at, 0);
    set->count--;
    for (uint32_t level = 0; level + 1 < set->height; level++) {
        if (!node_shrink(heap, p.nodes[level + 1], p.at[level + 1], level)) {
            break;
        }
    }
    while (set->height > 1 && set->root->count == 1) {
        node *old = set->root;
        set->root = children_of(old)[0];
        node_free(heap, old, --set->height);
    }
    if (set->count == 0) {
        stoa__ordered_fini(set, heap);
    }
    return true;
}

void stoa__ordered_fini(stoa__ordered *set, stoa__heap *heap) {
    node *first = set->root;
    for (uint32_t level = set->height; level-- > 0;) {
        node *below = level > 0 ? children_of(first)[0] : NULL;
        for (node *n = first, *next; n != NULL; n = next) {
            next = n->next;
            node_free(heap, n, level);
        }
        first = below;
    }
    *set = (stoa__ordered){.root = NULL};
}

stoa__ordered_place stoa__ordered_seek(const stoa__ordered *set, uint64_t key, uint64_t value) {
    if (set->count == 0) {
        return (stoa__ordered_place){NULL, 0};
    }
    const node *leaf = leaf_for(set, key, value);
    uint32_t at = pairs_below(leaf, 0, key, value);
    return at < leaf->count ? (stoa__ordered_place){leaf, at}
                            : (stoa__ordered_place){leaf->next, 0};
}

bool stoa__ordered_below(const stoa__ordered *set, uint64_t key, uint64_t value,
                         stoa__ordered_pair *pair) {
    if (set->count == 0) {
        return false;
    }
    const node *leaf = leaf_for(set, key, value);
    uint32_t at = pairs_below(leaf, 0, key, value);
    if (at == 0) {
        leaf = leaf->previous;
        at = leaf != NULL ? leaf->count : 0;
    }
    if (at == 0) {
        return false;
    }
    *pair = (stoa__ordered_pair){leaf->keys[at - 1], leaf->values[at - 1]};
    return true;
}

uint32_t stoa__ordered_run(const stoa__ordered_node *leaf, uint32_t at, uint64_t limit) {
    uint32_t low = at, high = leaf->count;
    if (leaf->keys[high - 1] <= limit) {
        return high - at;
    }
    while (low < high) {
        uint32_t middle = (low + high) / 2;
        if (leaf->keys[middle] <= limit) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low - at;
}

/* True if the bounds of a node's children are between what is below neighbouring children. */
static bool bounds_valid(const node *n, uint32_t level) {
    for (uint32_t i = 1; i < n->count; i++) {
        const node *left = children_read(n)[i - 1], *right = children_read(n)[i];
        for (uint32_t l = level - 1; l > 0; l--) {
            left = children_read(left)[left->count - 1];
            right = children_read(right)[0];
        }
        bool above = pair_less(left, left->count - 1, n->keys[i], n->values[i]);
        if (!above || pair_less(right, 0, n->keys[i], n->values[i])) {
            return false;
        }
    }
    return true;
}

/* True if a level's nodes are linked both ways and none is empty; counts what they hold. */
static bool level_valid(const node *first, uint32_t level, uint64_t *count) {
    const node *below = level > 0 ? children_read(first)[0] : NULL, *previous = NULL;
    *count = 0;
    for (const node *n = first; n != NULL; previous = n, n = n->next) {
        if (n->previous != previous || n->count == 0 || n->count > WIDTH) {
            return false;
        }
        *count += n->count;
        for (uint32_t i = 0; i < n->count && level > 0; i++, below = below->next) {
            if (below == NULL || children_read(n)[i] != below) {
                return false;
            }
        }
        for (uint32_t i = 1; i < n->count && level == 0; i++) {
            if (!pair_less(n, i - 1, n->keys[i], n->values[i])) {
                return false;
            }
        }
        if (level > 0 && !bounds_valid(n, level)) {
            return false;
        }
    }
    return below == NULL;
}

bool stoa__ordered_valid(const stoa__ordered *set) {
    const node *first = set->root;
    uint64_t count = 0;
    if (first == NULL || set->height == 0) {
        return first == NULL && set->height == 0 && set->count == 0;
    }
    if (first->next != NULL || (set->height > 1 && first->count < 2)) {
        return false;
    }
    for (uint32_t level = set->height; level-- > 0;) {
        if (!level_valid(first, level, &count)) {
            return false;
        }
        first = level > 0 ? children_read(first)[0] : NULL;
    }
    return count == set->count;
}
