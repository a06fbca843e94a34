/* The column of a read term is kept as a writable pointer. */
/* error: discards */
#include "stoa.h"

STOA_COMPONENT(Position, { float x, y; });

/* QRY-03 */
void column_write(const stoa_iter *it) {
#ifdef MUST_FAIL
    Position *p = stoa_field(it, Position, 0);
    p[0].x = 1;
#else
    Position *p = stoa_field_mut(it, Position, 0);
    p[0].x = 1;
#endif
}
