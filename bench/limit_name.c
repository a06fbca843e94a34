/* The limit of finding an entity by its name: a table from text to entity, made for as many names
 * as there are.
 *
 * Open addressing with linear probing, at most half full. A cell has the whole text, zeros after
 * its end, and the entity, so that a look-up reads one cell and nothing else; cells are halves of
 * cache lines. A text is read, hashed and compared in words of eight bytes. */
#include "limit.h"
#include "sides.h"

#include <stdlib.h>
#include <string.h>

#define NAME_WORDS (DATA_NAME_SIZE / 8)

typedef struct name {
    uint64_t words[NAME_WORDS]; /* never all 0 in a name */
} name;

typedef struct cell {
    name text; /* of zeros in a free cell */
    limit_entity entity;
} cell;

typedef struct directory {
    cell *cells;
    size_t size; /* of their memory */
    uint32_t mask;
} directory;

typedef struct search {
    directory names;
    char (*wanted)[DATA_NAME_SIZE]; /* in random order */
    bench_size size;
    double sum;
} search;

/* Up to eight bytes as a word: by reads that may overlap, since copying a length that is not known
 * is a call. */
static inline uint64_t part_read(const char *text, size_t length) {
    uint32_t first, last;
    if (length >= 4) {
        memcpy(&first, text, 4);
        memcpy(&last, text + length - 4, 4);
        return first | (uint64_t)last << (8 * (length - 4));
    }
    uint64_t word = 0;
    for (size_t i = 0; i < length; i++) {
        word |= (uint64_t)(uint8_t)text[i] << (8 * i);
    }
    return word;
}

static inline name name_read(const char *text) {
    size_t length = strlen(text);
    name read = {{0}};
    if (length < 8) {
        read.words[0] = part_read(text, length);
        return read;
    }
    memcpy(&read.words[0], text, 8);
    uint64_t tail;
    memcpy(&tail, text + length - 8, 8);
    if (length < 16) {
        /* In two steps, since none may be of 64 bits. */
        read.words[1] = tail >> 8 >> (8 * (15 - length));
        return read;
    }
    memcpy(&read.words[1], text + 8, 8);
    read.words[2] = tail >> 8 >> (8 * (23 - length));
    return read;
}

static inline uint32_t name_home(const directory *names, const name *text) {
    uint64_t hash = text->words[0] * 0x9E3779B97F4A7C15u;
    hash = (hash ^ hash >> 32 ^ text->words[1]) * 0xD1342543DE82EF95u;
    hash = (hash ^ hash >> 32 ^ text->words[2]) * 0x9E3779B97F4A7C15u;
    return (uint32_t)(hash >> 32) & names->mask;
}

static inline int name_same(const name *a, const name *b) {
    return ((a->words[0] ^ b->words[0]) | (a->words[1] ^ b->words[1]) |
            (a->words[2] ^ b->words[2])) == 0;
}

static void directory_add(directory *names, const char *text, limit_entity e) {
    name added = name_read(text);
    uint32_t at = name_home(names, &added);
    while (names->cells[at].entity.index != 0) {
        at = (at + 1) & names->mask;
    }
    names->cells[at] = (cell){added, e};
}

static inline limit_entity directory_find(const directory *names, const char *text) {
    name wanted = name_read(text);
    uint32_t at = name_home(names, &wanted);
    while (!name_same(&names->cells[at].text, &wanted) && names->cells[at].entity.index != 0) {
        at = (at + 1) & names->mask;
    }
    return names->cells[at].entity;
}

LIMIT_JOB static double names_find(const directory *from, int32_t n,
                                   char (*wanted)[DATA_NAME_SIZE]) {
    directory names = *from;
    double sum = 0;
    for (int32_t i = 0; i < n; i++) {
        sum += (double)directory_find(&names, wanted[i]).index * (i % 7 + 1);
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
    s->names.size = capacity * sizeof *s->names.cells;
    s->names.cells = bench_map(s->names.size);
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
    bench_unmap(s->names.cells, s->names.size);
    free(s->wanted);
    free(s);
}

const bench_side limit_side_name_lookup = {search_open, NULL, search_run, search_after,
                                           search_close};
