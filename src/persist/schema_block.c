/* Many numbers at once made into those of another kind.
 *
 * Numbers are read into a row of 64-bit integers or of doubles, all checked, and written. Each of
 * the three is a plain loop, of which there is one for each kind, not for each pair of kinds. No
 * memory; any thread. */
#include "persist/schema_block.h"

#include "base/number.h"

#include <float.h>
#include <string.h>

/* Reads a row of one type. */
#define READ_ROW(type, row)                                                                        \
    for (int32_t i = 0; i < count; i++) {                                                          \
        type number;                                                                               \
        memcpy(&number, from.at + (size_t)i * from.stride, sizeof number);                         \
        (row)[i] = number;                                                                         \
    }                                                                                              \
    return true

/* Writes a row as one type; what is written was checked to fit. */
#define WRITE_ROW(type, row)                                                                       \
    for (int32_t i = 0; i < count; i++) {                                                          \
        type number = (type)(row)[i];                                                              \
        memcpy(to.at + (size_t)i * to.stride, &number, sizeof number);                             \
    }                                                                                              \
    return true

/* Whole numbers up to these are held by a float and a double. */
#define FLOAT_WHOLE ((int64_t)1 << FLT_MANT_DIG)
#define DOUBLE_WHOLE ((int64_t)1 << DBL_MANT_DIG)

static bool bools_read(stoa__block_from from, int64_t *row, int32_t count) {
    for (int32_t i = 0; i < count; i++) {
        row[i] = from.at[(size_t)i * from.stride] != 0;
    }
    return true;
}

/* Bytes with a sign. */
static bool small_read(stoa__block_from from, int64_t *row, int32_t count) {
    for (int32_t i = 0; i < count; i++) {
        row[i] = stoa__number_signed(from.at[(size_t)i * from.stride], 1);
    }
    return true;
}

/* False if one is beyond the range of the row. */
static bool large_read(stoa__block_from from, int64_t *row, int32_t count) {
    uint64_t all = 0;
    for (int32_t i = 0; i < count; i++) {
        uint64_t number;
        memcpy(&number, from.at + (size_t)i * from.stride, sizeof number);
        row[i] = (int64_t)number;
        all |= number;
    }
    return all <= INT64_MAX;
}

static bool integers_read(stoa__block_from from, int64_t *row, int32_t count) {
    switch (from.kind) {
    case STOA_KIND_BOOL:
        return bools_read(from, row, count);
    case STOA_KIND_I8:
        return small_read(from, row, count);
    case STOA_KIND_I16:
        READ_ROW(int16_t, row);
    case STOA_KIND_I32:
        READ_ROW(int32_t, row);
    case STOA_KIND_I64:
        READ_ROW(int64_t, row);
    case STOA_KIND_CHAR:
    case STOA_KIND_U8:
        READ_ROW(uint8_t, row);
    case STOA_KIND_U16:
        READ_ROW(uint16_t, row);
    case STOA_KIND_U32:
        READ_ROW(uint32_t, row);
    case STOA_KIND_U64:
        return large_read(from, row, count);
    default:
        return false;
    }
}

/* The range of integers that a kind holds exactly, as far as the row has it. */
static int64_t kind_most(stoa_kind kind) {
    static const int64_t most[] = {
        [STOA_KIND_BOOL] = 1,        [STOA_KIND_CHAR] = UINT8_MAX,  [STOA_KIND_I8] = INT8_MAX,
        [STOA_KIND_I16] = INT16_MAX, [STOA_KIND_I32] = INT32_MAX,   [STOA_KIND_I64] = INT64_MAX,
        [STOA_KIND_U8] = UINT8_MAX,  [STOA_KIND_U16] = UINT16_MAX,  [STOA_KIND_U32] = UINT32_MAX,
        [STOA_KIND_U64] = INT64_MAX, [STOA_KIND_F32] = FLOAT_WHOLE, [STOA_KIND_F64] = DOUBLE_WHOLE};
    return most[kind];
}

static int64_t kind_least(stoa_kind kind) {
    bool negative = (kind >= STOA_KIND_I8 && kind <= STOA_KIND_I64) || kind >= STOA_KIND_F32;
    return negative ? -kind_most(kind) - (kind < STOA_KIND_F32) : 0;
}

static bool integers_fit(const int64_t *row, int32_t count, stoa_kind kind) {
    int64_t least = kind_least(kind), most = kind_most(kind);
    bool fit = true;
    for (int32_t i = 0; i < count; i++) {
        fit &= row[i] >= least && row[i] <= most;
    }
    return fit;
}

static bool integers_write(stoa__block_to to, const int64_t *row, int32_t count) {
    switch (to.kind) {
    case STOA_KIND_BOOL:
    case STOA_KIND_CHAR:
    case STOA_KIND_U8:
        WRITE_ROW(uint8_t, row);
    case STOA_KIND_I8:
        WRITE_ROW(int8_t, row);
    case STOA_KIND_I16:
        WRITE_ROW(int16_t, row);
    case STOA_KIND_I32:
        WRITE_ROW(int32_t, row);
    case STOA_KIND_I64:
        WRITE_ROW(int64_t, row);
    case STOA_KIND_U16:
        WRITE_ROW(uint16_t, row);
    case STOA_KIND_U32:
        WRITE_ROW(uint32_t, row);
    case STOA_KIND_U64:
        WRITE_ROW(uint64_t, row);
    case STOA_KIND_F32:
        WRITE_ROW(float, row);
    case STOA_KIND_F64:
        WRITE_ROW(double, row);
    default:
        return false;
    }
}

static bool reals_read(stoa__block_from from, double *row, int32_t count) {
    if (from.kind == STOA_KIND_F32) {
        READ_ROW(float, row);
    }
    READ_ROW(double, row);
}

/* True if none is too large for a float; what is no number is left to be looked at alone. */
static bool reals_fit(const double *row, int32_t count) {
    bool fit = true;
    for (int32_t i = 0; i < count; i++) {
        fit &= row[i] <= (double)FLT_MAX && row[i] >= -(double)FLT_MAX;
    }
    return fit;
}

static bool reals_write(stoa__block_to to, const double *row, int32_t count) {
    if (to.kind == STOA_KIND_F32) {
        WRITE_ROW(float, row);
    }
    WRITE_ROW(double, row);
}

bool stoa__block_convert(stoa__block_from from, stoa__block_to to, int32_t count) {
    if (from.kind >= STOA_KIND_F32) {
        double row[STOA__BLOCK_COUNT];
        return to.kind >= STOA_KIND_F32 && reals_read(from, row, count) &&
               (to.kind == STOA_KIND_F64 || reals_fit(row, count)) && reals_write(to, row, count);
    }
    int64_t row[STOA__BLOCK_COUNT];
    return integers_read(from, row, count) && integers_fit(row, count, to.kind) &&
           integers_write(to, row, count);
}
