/* The product of two matrices, as part of its caller.
 *
 * Each element is ((a * b + a * b) + a * b) + a * b, in this order and never fused, with vector
 * registers of any width and without: so all builds come to the same bits. The left matrix of a
 * product is kept apart from the right one: many products have the same. */
#ifndef STOA_BUILTIN_MAT4_H
#define STOA_BUILTIN_MAT4_H

#include "base/inline.h"
#include "stoa/transform.h"

#include <string.h>

/* GCC fuses nothing in standard C; Clang does, within an expression, unless it is told. */
#if defined(__clang__)
#pragma STDC FP_CONTRACT OFF
#endif

#if defined(__GNUC__) && defined(__AVX__)

/* Columns of a matrix that are worked out together. */
#define STOA__COLUMNS 2
typedef float stoa__columns __attribute__((vector_size(32)));

/* One of the columns, for each. */
STOA__INLINE stoa__columns stoa__columns_repeat(stoa__columns c, int i) {
    i = 4 * i;
    return (stoa__columns){c[i], c[i + 1], c[i + 2], c[i + 3], c[i], c[i + 1], c[i + 2], c[i + 3]};
}

/* One number of each column, for all of its rows. */
STOA__INLINE stoa__columns stoa__columns_spread(stoa__columns c, int i) {
    return (stoa__columns){c[i], c[i], c[i], c[i], c[4 + i], c[4 + i], c[4 + i], c[4 + i]};
}

#elif defined(__GNUC__)

#define STOA__COLUMNS 1
typedef float stoa__columns __attribute__((vector_size(16)));

STOA__INLINE stoa__columns stoa__columns_spread(stoa__columns c, int i) {
    return (stoa__columns){c[i], c[i], c[i], c[i]};
}

#else

#define STOA__COLUMNS 1
typedef struct stoa__columns {
    float rows[4];
} stoa__columns;

#endif

/* A matrix in registers, as the right one of a product. */
typedef struct stoa__matrix {
    stoa__columns parts[4 / STOA__COLUMNS];
} stoa__matrix;

/* A matrix in registers, as the left one. */
typedef struct stoa__factor {
    stoa__columns a, b, c, d;
} stoa__factor;

STOA__INLINE stoa__columns stoa__columns_load(const float *from) {
    stoa__columns columns;
    memcpy(&columns, from, sizeof columns);
    return columns;
}

/* Part by part, here and below: compilers would take a whole matrix through memory. */
STOA__INLINE stoa__matrix stoa__matrix_load(const Mat4 *from) {
    stoa__matrix matrix;
    matrix.parts[0] = stoa__columns_load(from->m);
    matrix.parts[1] = stoa__columns_load(from->m + sizeof(stoa__columns) / sizeof(float));
#if STOA__COLUMNS == 1
    matrix.parts[2] = stoa__columns_load(from->m + 8);
    matrix.parts[3] = stoa__columns_load(from->m + 12);
#endif
    return matrix;
}

STOA__INLINE void stoa__matrix_store(Mat4 *to, stoa__matrix matrix) {
    memcpy(to->m, &matrix.parts[0], sizeof matrix.parts[0]);
    memcpy(to->m + sizeof(stoa__columns) / sizeof(float), &matrix.parts[1], sizeof matrix.parts[1]);
#if STOA__COLUMNS == 1
    memcpy(to->m + 8, &matrix.parts[2], sizeof matrix.parts[2]);
    memcpy(to->m + 12, &matrix.parts[3], sizeof matrix.parts[3]);
#endif
}

#if defined(__GNUC__)

STOA__INLINE stoa__factor stoa__factor_load(const Mat4 *from) {
    stoa__matrix m = stoa__matrix_load(from);
#if STOA__COLUMNS == 1
    return (stoa__factor){m.parts[0], m.parts[1], m.parts[2], m.parts[3]};
#else
    return (stoa__factor){stoa__columns_repeat(m.parts[0], 0), stoa__columns_repeat(m.parts[0], 1),
                          stoa__columns_repeat(m.parts[1], 0), stoa__columns_repeat(m.parts[1], 1)};
#endif
}

STOA__INLINE stoa__columns stoa__columns_product(stoa__factor x, stoa__columns by) {
    stoa__columns sum = x.a * stoa__columns_spread(by, 0);
    sum = sum + x.b * stoa__columns_spread(by, 1);
    sum = sum + x.c * stoa__columns_spread(by, 2);
    return sum + x.d * stoa__columns_spread(by, 3);
}

#else

STOA__INLINE stoa__factor stoa__factor_load(const Mat4 *from) {
    stoa__factor factor;
    memcpy(&factor, from, sizeof factor);
    return factor;
}

STOA__INLINE stoa__columns stoa__columns_product(stoa__factor x, stoa__columns by) {
    stoa__columns product;
    for (int row = 0; row < 4; row++) {
        float sum = x.a.rows[row] * by.rows[0];
        sum = sum + x.b.rows[row] * by.rows[1];
        sum = sum + x.c.rows[row] * by.rows[2];
        product.rows[row] = sum + x.d.rows[row] * by.rows[3];
    }
    return product;
}

#endif

STOA__INLINE stoa__matrix stoa__matrix_product(stoa__factor x, stoa__matrix y) {
    y.parts[0] = stoa__columns_product(x, y.parts[0]);
    y.parts[1] = stoa__columns_product(x, y.parts[1]);
#if STOA__COLUMNS == 1
    y.parts[2] = stoa__columns_product(x, y.parts[2]);
    y.parts[3] = stoa__columns_product(x, y.parts[3]);
#endif
    return y;
}

#endif
