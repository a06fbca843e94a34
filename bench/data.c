/* The loops over long columns, as functions that both sides call.
 *
 * Where a loop of five instructions lies in the program decides up to half of its speed, and would
 * be measured in place of what is different between the sides. */
#include "data.h"

#define ONE_FOR_BOTH __attribute__((noinline, aligned(64)))

ONE_FOR_BOTH void data_shift_long(Position *positions, int32_t n) {
    data_shift(positions, n);
}

ONE_FOR_BOTH void data_move_long(Position *positions, const Velocity *velocities, int32_t n) {
    data_move(positions, velocities, n);
}
