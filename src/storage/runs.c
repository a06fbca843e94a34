/* Runs: what is kept of a row that is shifted, columns of one size after the other.
 *
 * A row in a chunk lies in as many places as there are columns, and a processor reads ahead by
 * itself where one instruction goes on by the same distance each time. So up to eight columns of a
 * run have instructions of their own. Even so it is late where three places of each of many columns
 * are read or written; so the two that are read are asked for some rows ahead, once for each cache
 * line. Rows leave from the end of a column, so that one goes down.
 *
 * What is needed of a column stands side by side, see stoa__trio. With gcc this file is built
 * without the registers that a function would have to save; what is rare, ticks that have to be
 * merged, is a call with no way back. One thread at a time. */
#include "storage/shift.h"

/* Bytes from a row to where memory is asked for. */
#define AHEAD 320u

/* Copies a value of whole words. */
STOA__INLINE void words_copy(uint8_t *to, const uint8_t *from, size_t size) {
    if (size == STOA__VECTOR) {
        stoa__vector_write(to, stoa__vector_read(from));
    } else {
        memcpy(to, from, size);
    }
}

/* The same of a size that is not known. */
static void value_copy(uint8_t *to, const uint8_t *from, size_t size) {
    for (size_t i = 0; i < size; i += 4) {
        uint32_t word;
        memcpy(&word, from + i, sizeof word);
        STOA_ALONE(word);
        memcpy(to + i, &word, sizeof word);
    }
}

/* Moves what is kept of a row from a column on, and merges the states. `slot`, `row` and `filler`
 * are bytes from the first row of that column. */
STOA__COLD static stoa_status rest_merge(const stoa__way *way, const stoa__trio *trio, size_t slot,
                                         size_t row, size_t filler, bool other) {
    const stoa__edge *edge = way->edge;
    const stoa__copy *copy = edge->copies + (trio - stoa__edge_trios(edge));
    const stoa__copy *end = edge->copies + edge->kept;
    size_t size = copy->size;
    slot /= size, row /= size, filler /= size;
    for (; copy != end; copy++, trio++) {
        size = copy->size;
        stoa__state_merge(stoa__column_state(trio->end), stoa__column_state(trio->hole));
        value_copy(trio->end + row * size, trio->hole + slot * size, size);
        if (other) {
            stoa__state_merge(stoa__column_state(trio->hole), stoa__column_state(trio->tail));
            value_copy(trio->hole + slot * size, trio->tail + filler * size, size);
        }
    }
    return stoa__shift_tags(way);
}

/* Copies a column; false if it is not as new in all chunks. Then nothing is lost. */
STOA__INLINE bool column_copy(const stoa__trio *trio, size_t slot, size_t row, size_t filler,
                              size_t size, bool other) {
    uint8_t *hole = trio->hole, *to = trio->end;
    STOA_ALONE(to);
    uint64_t ticks = stoa__state_ticks(stoa__column_state(hole));
    if (!STOA_LIKELY(ticks == stoa__state_ticks(stoa__column_state(to)))) {
        return false;
    }
    hole += slot;
    if (size > 8 && other && slot % STOA__LINE < size) {
        STOA_PREFETCH((const void *)((uintptr_t)hole + AHEAD));
        STOA_PREFETCH((const void *)((uintptr_t)trio->tail + filler - AHEAD));
    }
    words_copy(to + row, hole, size);
    if (other) {
        const uint8_t *tail = trio->tail;
        if (!STOA_LIKELY(ticks == stoa__state_ticks(stoa__column_state((uint8_t *)tail)))) {
            return false;
        }
        words_copy(hole, tail + filler, size);
    }
    return true;
}

#define ROW                                                                                        \
    const stoa__way *way, const stoa__trio *trio, uint64_t runs, size_t slot, size_t row,          \
        size_t filler

/* Copies the column so many before `trio`. */
#define COLUMN(k, size, other)                                                                     \
    if (!column_copy(trio - (k), slot, row, filler, size, other)) {                                \
        return rest_merge(way, trio - (k), slot, row, filler, other);                              \
    }

/* Copies up to eight columns of a run, which has some, and goes on with what is left. */
#define RUN(name, run, size, other, next)                                                          \
    STOA__APART static stoa_status name(ROW) {                                                     \
        size_t more = ((runs >> 8 * (run)) - 1) % 8;                                               \
        slot *= (size), row *= (size), filler *= (size);                                           \
        trio += more + 1;                                                                          \
        runs -= (uint64_t)(more + 1) << 8 * (run);                                                 \
        switch (more) {                                                                            \
        default:                                                                                   \
            COLUMN(8, size, other)                                                                 \
            STOA__GOES_ON;                                                                         \
        case 6:                                                                                    \
            COLUMN(7, size, other)                                                                 \
            STOA__GOES_ON;                                                                         \
        case 5:                                                                                    \
            COLUMN(6, size, other)                                                                 \
            STOA__GOES_ON;                                                                         \
        case 4:                                                                                    \
            COLUMN(5, size, other)                                                                 \
            STOA__GOES_ON;                                                                         \
        case 3:                                                                                    \
            COLUMN(4, size, other)                                                                 \
            STOA__GOES_ON;                                                                         \
        case 2:                                                                                    \
            COLUMN(3, size, other)                                                                 \
            STOA__GOES_ON;                                                                         \
        case 1:                                                                                    \
            COLUMN(2, size, other)                                                                 \
            STOA__GOES_ON;                                                                         \
        case 0:                                                                                    \
            COLUMN(1, size, other)                                                                 \
        }                                                                                          \
        return STOA_LIKELY(runs == 0)                                                              \
                   ? STOA_OK                                                                       \
                   : next(way, trio, runs, slot / (size), row / (size), filler / (size));          \
    }

/* Goes on with the first run that has columns, then with the tags. Whether those are as new is not
 * asked. */
#define NEXT(name, run_0, run_1, run_2, run_3)                                                     \
    stoa_status name(ROW) {                                                                        \
        if ((uint8_t)runs != 0) {                                                                  \
            return run_0(way, trio, runs, slot, row, filler);                                      \
        }                                                                                          \
        if (STOA_LIKELY((uint8_t)(runs >> 8) != 0)) {                                              \
            return run_1(way, trio, runs, slot, row, filler);                                      \
        }                                                                                          \
        if ((uint8_t)(runs >> 16) != 0) {                                                          \
            return run_2(way, trio, runs, slot, row, filler);                                      \
        }                                                                                          \
        if ((uint8_t)(runs >> 24) != 0) {                                                          \
            return run_3(way, trio, runs, slot, row, filler);                                      \
        }                                                                                          \
        return runs == 0 ? STOA_OK : stoa__shift_tags(way);                                        \
    }

RUN(last_12, 0, 12, false, stoa__runs_last)
RUN(last_16, 1, 16, false, stoa__runs_last)
RUN(last_8, 2, 8, false, stoa__runs_last)
RUN(last_4, 3, 4, false, stoa__runs_last)
NEXT(stoa__runs_last, last_12, last_16, last_8, last_4)

RUN(other_12, 0, 12, true, stoa__runs_other)
RUN(other_16, 1, 16, true, stoa__runs_other)
RUN(other_8, 2, 8, true, stoa__runs_other)
RUN(other_4, 3, 4, true, stoa__runs_other)
NEXT(stoa__runs_other, other_12, other_16, other_8, other_4)
