/* A loop over whole cache lines: the compiler makes vector code of it, with no scalar loop for the
 * last rows.
 *
 * A column starts on a 64-byte boundary and may be read up to the next boundary past its last row.
 * What stands there is nobody's: it may be read, its value must not count, and it must not be
 * written. */
#include <stdio.h>
#include <stdlib.h>

#include <stoa.h>

STOA_COMPONENT(Heat, { float degrees; });

#define LINE 16 /* floats in 64 bytes */
#define COUNT 5003

static int32_t heat_above(stoa_query *query, float limit) {
    int32_t found = 0;
    for (stoa_iter it = stoa_query_iter(query); stoa_iter_next(&it);) {
        const Heat *heat = stoa_field(&it, Heat, 0);
        int32_t whole = (it.count + LINE - 1) / LINE * LINE;
        for (int32_t i = 0; i < whole; i++) {
            found += (heat[i].degrees > limit) & (i < it.count);
        }
    }
    return found;
}

int main(void) {
    stoa_world *w = stoa_world_new(NULL);
    Heat *heat = calloc(COUNT, sizeof *heat);
    if (w == NULL || heat == NULL) {
        return 1;
    }
    for (int32_t i = 0; i < COUNT; i++) {
        heat[i].degrees = (float)(i % 100);
    }
    stoa_create_bulk(w, COUNT, NULL, STOA_COLUMN(Heat, heat));
    free(heat);

    stoa_query *query = stoa_query_new(w, &(stoa_query_desc){.terms = {STOA_READ(Heat)}});
    printf("%d of %d are above 89 degrees\n", heat_above(query, 89), stoa_query_count(query));
    printf("%d are above -1\n", heat_above(query, -1));
    stoa_world_free(w);
}
