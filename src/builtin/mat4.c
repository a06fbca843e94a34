/* Matrices: making them, applying them, inverting them.
 *
 * Everything is made of the four operations on floats and doubles, which IEEE 754 defines to the
 * last bit: sines and roots are worked out here, in doubles, since those of C libraries differ.
 * Nothing is kept: any thread at any time. */
#include "builtin/mat4.h"

#if defined(__clang__)
#pragma STDC FP_CONTRACT OFF
#endif

/* pi / 2 as the sum of two: the first has 33 bits, so that its product with a number of quarter
 * turns is exact below 2^20, and nearly so up to the largest angle. */
#define QUARTER_HIGH 1.57079632673412561417
#define QUARTER_LOW 6.07710050650619224932e-11
#define QUARTERS_PER_RADIAN 0.636619772367581343076

/* Angles from here on turn nothing: neighbouring floats are a radian apart, and more. */
#define ANGLE_MAX 16777216.0f

/* How far a sum of products may be from 0 by rounding alone, as a part of the sum of their
 * magnitudes. */
#define ROUNDING (1.0 / ((uint64_t)1 << 49))

typedef struct sine {
    double sin, cos;
} sine;

/* For an angle of an eighth of a turn at most, by the first terms of the series. */
static sine sine_small(double angle) {
    double square = angle * angle;
    double s = 1.0 / 6227020800.0, c = -1.0 / 87178291200.0;
    s = s * square - 1.0 / 39916800.0;
    s = s * square + 1.0 / 362880.0;
    s = s * square - 1.0 / 5040.0;
    s = s * square + 1.0 / 120.0;
    s = s * square - 1.0 / 6.0;
    c = c * square + 1.0 / 479001600.0;
    c = c * square - 1.0 / 3628800.0;
    c = c * square + 1.0 / 40320.0;
    c = c * square - 1.0 / 720.0;
    c = c * square + 1.0 / 24.0;
    c = c * square - 1.0 / 2.0;
    return (sine){angle + angle * square * s, 1.0 + square * c};
}

static sine sine_of(float angle) {
    if (!(angle > -ANGLE_MAX && angle < ANGLE_MAX)) {
        return (sine){0, 1};
    }
    double quarters = (double)angle * QUARTERS_PER_RADIAN;
    int64_t turns = (int64_t)(quarters < 0 ? quarters - 0.5 : quarters + 0.5);
    double rest = (double)angle - (double)turns * QUARTER_HIGH;
    sine small = sine_small(rest - (double)turns * QUARTER_LOW);
    switch (turns & 3) {
    case 0:
        return small;
    case 1:
        return (sine){small.cos, -small.sin};
    case 2:
        return (sine){-small.sin, -small.cos};
    default:
        return (sine){-small.cos, small.sin};
    }
}

/* The square root of a positive number, by Newton's method. Half of the exponent makes a first
 * guess that is right by a tenth; each step doubles the digits. */
static double root(double number) {
    uint64_t bits;
    memcpy(&bits, &number, sizeof bits);
    bits = (bits >> 1) + ((uint64_t)1023 << 51);
    double guess;
    memcpy(&guess, &bits, sizeof guess);
    for (int i = 0; i < 5; i++) {
        guess = 0.5 * (guess + number / guess);
    }
    return guess;
}

/* Scales numbers to a length of 1; false, with nothing done, if it is 0 or none. */
static bool numbers_normalize(double *numbers, int count) {
    double square = 0;
    for (int i = 0; i < count; i++) {
        square = square + numbers[i] * numbers[i];
    }
    if (!(square > 0 && square < 1e300)) {
        return false;
    }
    double length = root(square);
    for (int i = 0; i < count; i++) {
        numbers[i] = numbers[i] / length;
    }
    return true;
}

Mat4 stoa_mat4_identity(void) {
    return (Mat4){{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1}};
}

Mat4 stoa_mat4_multiply(Mat4 a, Mat4 b) {
    Mat4 product;
    stoa__matrix_store(&product,
                       stoa__matrix_product(stoa__factor_load(&a), stoa__matrix_load(&b)));
    return product;
}

Mat4 stoa_mat4_translation(float x, float y, float z) {
    return (Mat4){{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, x, y, z, 1}};
}

Mat4 stoa_mat4_rotation(float x, float y, float z, float angle) {
    double axis[3] = {(double)x, (double)y, (double)z};
    if (!numbers_normalize(axis, 3)) {
        return stoa_mat4_identity();
    }
    sine turn = sine_of(angle);
    Mat4 matrix = stoa_mat4_identity();
    for (int column = 0; column < 3; column++) {
        int next = (column + 1) % 3, after = (column + 2) % 3;
        double part = (1 - turn.cos) * axis[column];
        float *m = &matrix.m[4 * (size_t)column];
        m[column] = (float)(turn.cos + part * axis[column]);
        m[next] = (float)(part * axis[next] + turn.sin * axis[after]);
        m[after] = (float)(part * axis[after] - turn.sin * axis[next]);
    }
    return matrix;
}

Mat4 stoa_mat4_rotation_quaternion(float x, float y, float z, float w) {
    double q[4] = {(double)x, (double)y, (double)z, (double)w};
    if (!numbers_normalize(q, 4)) {
        return stoa_mat4_identity();
    }
    Mat4 matrix = stoa_mat4_identity();
    for (int column = 0; column < 3; column++) {
        int next = (column + 1) % 3, after = (column + 2) % 3;
        float *m = &matrix.m[4 * (size_t)column];
        m[column] = (float)(1 - 2 * (q[next] * q[next] + q[after] * q[after]));
        m[next] = (float)(2 * (q[column] * q[next] + q[3] * q[after]));
        m[after] = (float)(2 * (q[column] * q[after] - q[3] * q[next]));
    }
    return matrix;
}

Mat4 stoa_mat4_scale(float x, float y, float z) {
    return (Mat4){{x, 0, 0, 0, 0, y, 0, 0, 0, 0, z, 0, 0, 0, 0, 1}};
}

Mat4 stoa_mat4_compose(const float translation[3], const float rotation[4], const float scale[3]) {
    Mat4 matrix = stoa_mat4_rotation_quaternion(rotation[0], rotation[1], rotation[2], rotation[3]);
    for (int i = 0; i < 3; i++) {
        for (int row = 0; row < 3; row++) {
            matrix.m[4 * i + row] *= scale[i];
        }
        matrix.m[12 + i] = translation[i];
    }
    return matrix;
}

/* The six 2 x 2 determinants of two rows of a matrix. Products of floats are exact in doubles, so
 * each is rounded once. */
static void pairs_of(const Mat4 *matrix, int row, double pairs[6]) {
    int i = 0;
    for (int left = 0; left < 3; left++) {
        for (int right = left + 1; right < 4; right++) {
            const float *a = &matrix->m[4 * (size_t)left + (size_t)row];
            const float *b = &matrix->m[4 * (size_t)right + (size_t)row];
            pairs[i++] = (double)a[0] * (double)b[1] - (double)b[0] * (double)a[1];
        }
    }
}

static double magnitude(double number) {
    return number < 0 ? -number : number;
}

bool stoa_mat4_inverse(Mat4 matrix, Mat4 *inverse) {
    /* Of the upper rows and the lower ones: columns 01, 02, 03, 12, 13, 23. Each goes with the one
     * of the other two columns, in turn added and taken away. */
    double u[6], l[6], determinant = 0, most = 0;
    static const int sign[6] = {1, -1, 1, 1, -1, 1};
    if (inverse == NULL) {
        return false;
    }
    pairs_of(&matrix, 0, u);
    pairs_of(&matrix, 2, l);
    for (int i = 0; i < 6; i++) {
        determinant = determinant + sign[i] * (u[i] * l[5 - i]);
        most = most + magnitude(u[i] * l[5 - i]);
    }
    if (!(magnitude(determinant) > most * ROUNDING)) {
        return false;
    }
    /* Where the determinants of two columns stand in `u` and `l`. */
    static const int pair[4][4] = {{0, 0, 1, 2}, {0, 0, 3, 4}, {1, 3, 0, 5}, {2, 4, 5, 0}};
    Mat4 result;
    for (int column = 0; column < 4; column++) {
        const double *two = column < 2 ? l : u;
        int other = column ^ 1;
        for (int row = 0; row < 4; row++) {
            int a = row == 0 ? 1 : 0, b = row <= 1 ? 2 : 1, c = row <= 2 ? 3 : 2;
            double sum = (double)matrix.m[4 * a + other] * two[pair[b][c]];
            sum = sum - (double)matrix.m[4 * b + other] * two[pair[a][c]];
            sum = sum + (double)matrix.m[4 * c + other] * two[pair[a][b]];
            sum = (((row + column) & 1) != 0 ? -sum : sum) / determinant;
            if (!(magnitude(sum) <= 3.4028234663852886e38)) {
                return false;
            }
            result.m[4 * column + row] = (float)sum;
        }
    }
    *inverse = result;
    return true;
}

void stoa_mat4_transform_point(Mat4 matrix, const float point[3], float result[3]) {
    const float *m = matrix.m;
    float x = point[0], y = point[1], z = point[2];
    for (int row = 0; row < 3; row++) {
        float sum = m[row] * x;
        sum = sum + m[row + 4] * y;
        sum = sum + m[row + 8] * z;
        result[row] = sum + m[row + 12];
    }
}
