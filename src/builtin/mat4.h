/* The product of two matrices, as part of its caller.
 *
 * Each element is ((a * b + a * b) + a * b) + a * b, in this order and never fused, with vector
 * registers and without: so all builds come to the same bits. */
#ifndef STOA_BUILTIN_MAT4_H
#define STOA_BUILTIN_MAT4_H

#include "base/inline.h"
#include "stoa/transform.h"

#include <string.h>

/* GCC fuses nothing in standard C; Clang does, within an expression, unless it is told. */
#if defined(__clang__)
#pragma STDC FP_CONTRACT OFF
#endif

#if defined(__GNUC__)

/* One column of a matrix. */
typedef float stoa__column __attribute__((vector_size(16)));

STOA__INLINE stoa__column stoa__column_all(float number) {
    return (stoa__column){number, number, number, number};
}

/* The matrix of columns a to d, times one column. */
STOA__INLINE stoa__column stoa__column_product(stoa__column a, stoa__column b, stoa__column c,
                                               stoa__column d, stoa__column by) {
    stoa__column sum = a * stoa__column_all(by[0]);
    sum = sum + b * stoa__column_all(by[1]);
    sum = sum + c * stoa__column_all(by[2]);
    return sum + d * stoa__column_all(by[3]);
}

#else

typedef struct stoa__column {
    float rows[4];
} stoa__column;

STOA__INLINE stoa__column stoa__column_product(stoa__column a, stoa__column b, stoa__column c,
                                               stoa__column d, stoa__column by) {
    stoa__column product;
    for (int row = 0; row < 4; row++) {
        float sum = a.rows[row] * by.rows[0];
        sum = sum + b.rows[row] * by.rows[1];
        sum = sum + c.rows[row] * by.rows[2];
        product.rows[row] = sum + d.rows[row] * by.rows[3];
    }
    return product;
}

#endif

/* A matrix in registers. */
typedef struct stoa__matrix {
    stoa__column a, b, c, d;
} stoa__matrix;

STOA__INLINE stoa__column stoa__column_load(const float *from) {
    stoa__column column;
    memcpy(&column, from, sizeof column);
    return column;
}

STOA__INLINE stoa__matrix stoa__matrix_load(const Mat4 *from) {
    const float *m = from->m;
    return (stoa__matrix){stoa__column_load(m), stoa__column_load(m + 4), stoa__column_load(m + 8),
                          stoa__column_load(m + 12)};
}

STOA__INLINE void stoa__matrix_store(Mat4 *to, stoa__matrix matrix) {
    memcpy(to->m, &matrix.a, sizeof matrix.a);
    memcpy(to->m + 4, &matrix.b, sizeof matrix.b);
    memcpy(to->m + 8, &matrix.c, sizeof matrix.c);
    memcpy(to->m + 12, &matrix.d, sizeof matrix.d);
}

STOA__INLINE stoa__matrix stoa__matrix_product(stoa__matrix x, stoa__matrix y) {
    return (stoa__matrix){stoa__column_product(x.a, x.b, x.c, x.d, y.a),
                          stoa__column_product(x.a, x.b, x.c, x.d, y.b),
                          stoa__column_product(x.a, x.b, x.c, x.d, y.c),
                          stoa__column_product(x.a, x.b, x.c, x.d, y.d)};
}

#endif
