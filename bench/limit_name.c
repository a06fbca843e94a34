/* The limit of finding an entity by its name: a table from text to entity, made for as many names
 * as there are.
 *
 * Open addressing with linear probing, at most half full. A cell has half of the hash, where the
 * text is, and the entity; the texts stand one after the other in one block. The hash takes in
 * eight bytes at a time. */
#include "limit.h"
#include "sides.h"

#include <stdlib.h>
#include <string.h>

typedef struct cell {
    uint32_t hash;
    uint32_t text; /* where it begins in the block; 0: the cell is free */
    limit_entity entity;
} cell;

typedef struct directory {
    cell *cells;
    uint32_t mask;
    char *texts;
    uint32_t used; /* bytes of texts */
} directory;

typedef struct search {
    directory names;
    char (*wanted)[DATA_NAME_SIZE]; /* in random order */
    bench_size size;
    double sum;
} search;

static inline uint32_t text_hash(const char *text, size_t length) {
    uint64_t hash = length, word = 0;
    for (; length >= 8; length -= 8, text += 8) {
        memcpy(&word, text, 8);
        hash = (hash ^ word) * 0x9E3779B97F4A7C15u;
        hash ^= hash >> 32;
    }
    if (length > 0) {
        word = 0;
        memcpy(&word, text, length);
        hash = (hash ^ word) * 0x9E3779B97F4A7C15u;
        hash ^= hash >> 32;
    }
    return (uint32_t)hash;
}

static void directory_add(directory *names, const char *text, limit_entity e) {
    size_t length = strlen(text);
    uint32_t hash = text_hash(text, length);
    uint32_t at = hash & names->mask;
    while (names->cells[at].text != 0) {
        at = (at + 1) & names->mask;
    }
    names->cells[at] = (cell){hash, names->used, e};
    memcpy(names->texts + names->used, text, length + 1);
    names->used += (uint32_t)length + 1;
}

static inline limit_entity directory_find(const directory *names, const char *text) {
    uint32_t hash = text_hash(text, strlen(text));
    for (uint32_t at = hash & names->mask; names->cells[at].text != 0;
         at = (at + 1) & names->mask) {
        if (names->cells[at].hash == hash &&
            strcmp(names->texts + names->cells[at].text, text) == 0) {
            return names->cells[at].entity;
        }
    }
    return (limit_entity){0, 0};
}

LIMIT_JOB static double names_find(const directory *names, int32_t n,
                                   char (*wanted)[DATA_NAME_SIZE]) {
    double sum = 0;
    for (int32_t i = 0; i < n; i++) {
        sum += (double)directory_find(names, wanted[i]).index * (i % 7 + 1);
    }
    return sum;
}

static void *search_open(bench_size size) {
    search *s = bench_alloc(1, sizeof *s);
    *s = (search){.size = size, .wanted = data_names(size.n)};
    uint32_t capacity = 16;
    while (capacity / 2 < (uint32_t)size.n) {
        capacity *= 2;
    }
    s->names.mask = capacity - 1;
    s->names.used = 1;
    s->names.cells = bench_alloc(capacity, sizeof *s->names.cells);
    s->names.texts = bench_alloc((size_t)size.n, DATA_NAME_SIZE);
    for (int32_t i = 0; i < size.n; i++) {
        char text[DATA_NAME_SIZE];
        data_name(i, text);
        directory_add(&s->names, text, (limit_entity){(uint32_t)i + 1, 1});
    }
    return s;
}

static void search_run(void *side) {
    search *s = side;
    s->sum = 0;
    for (int32_t pass = 0; pass < s->size.passes; pass++) {
        s->sum += names_find(&s->names, s->size.n, s->wanted);
    }
}

static double search_after(void *side) {
    return ((const search *)side)->sum;
}

static void search_close(void *side) {
    search *s = side;
    free(s->names.cells);
    free(s->names.texts);
    free(s->wanted);
    free(s);
}

const bench_side limit_side_name_lookup = {search_open, NULL, search_run, search_after,
                                           search_close};
