/* An ordered set of pairs of numbers, by key and then by value.
 *
 * A B+ tree: pairs stand in leaves that are linked in order, keys and values in an array each, so
 * that the values of one key can be walked as plain memory. Pairs are distinct. Inserting,
 * removing and seeking are O(log n); only inserting needs memory. One thread at a time, but any
 * number may read. */
#ifndef STOA_BASE_ORDERED_H
#define STOA_BASE_ORDERED_H

#include "base/heap.h"

/* Pairs of a leaf, and children of an inner node, at most. */
#define STOA__ORDERED_WIDTH 32

/* A leaf, or the first part of an inner node, whose pairs are lower bounds of its children. */
typedef struct stoa__ordered_node {
    struct stoa__ordered_node *next; /* of the same level, in order */
    struct stoa__ordered_node *previous;
    uint32_t count;
    uint64_t keys[STOA__ORDERED_WIDTH];
    uint64_t values[STOA__ORDERED_WIDTH];
} stoa__ordered_node;

/* A zeroed set is an empty one. */
typedef struct stoa__ordered {
    stoa__ordered_node *root;
    uint32_t height; /* levels; 1 if the root is a leaf */
    uint64_t count;  /* pairs */
} stoa__ordered;

/* A pair by its place; the leaf is NULL past the last one. */
typedef struct stoa__ordered_place {
    const stoa__ordered_node *leaf;
    uint32_t at;
} stoa__ordered_place;

typedef struct stoa__ordered_pair {
    uint64_t key;
    uint64_t value;
} stoa__ordered_pair;

/* Frees all nodes; the set is empty after it. */
void stoa__ordered_fini(stoa__ordered *set, stoa__heap *heap);

/* Puts a pair in; one that is there stays. False on lack of memory, with the set as it was. */
bool stoa__ordered_insert(stoa__ordered *set, stoa__heap *heap, uint64_t key, uint64_t value);

/* Takes a pair out; false if it is not there. */
bool stoa__ordered_remove(stoa__ordered *set, stoa__heap *heap, uint64_t key, uint64_t value);

/* The first pair that is not below the given one. */
stoa__ordered_place stoa__ordered_seek(const stoa__ordered *set, uint64_t key, uint64_t value);

/* Reads the last pair below the given one; false if there is none. */
bool stoa__ordered_below(const stoa__ordered *set, uint64_t key, uint64_t value,
                         stoa__ordered_pair *pair);

/* How many pairs of a leaf, from `at` on, have a key of at most `limit`. */
uint32_t stoa__ordered_run(const stoa__ordered_node *leaf, uint32_t at, uint64_t limit);

/* True if all nodes are in order, linked and counted as they should be. */
bool stoa__ordered_valid(const stoa__ordered *set);

#endif
