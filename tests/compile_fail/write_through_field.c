/* A column is written through a read term. */
/* error: read-only|const-qualified */
#include "stoa.h"

STOA_COMPONENT(Position, { float x, y; });

/* QRY-03 */
void column_write(const stoa_iter *it) {
#ifdef MUST_FAIL
    stoa_field(it, Position, 0)[0].x = 1;
#else
    stoa_field_mut(it, Position, 0)[0].x = 1;
#endif
}
