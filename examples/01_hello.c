#include <stdio.h>
#include <stoa.h>

STOA_COMPONENT(Position, { float x, y; });
STOA_COMPONENT(Velocity, { float x, y; });
STOA_TAG(Frozen);

int main(void) {
    stoa_world *w = stoa_world_new(NULL);
    stoa_entity ship =
        stoa_create_with(w, STOA_VALUE(Position, {0, 0}), STOA_VALUE(Velocity, {3, 4}));
    stoa_create_with(w, STOA_VALUE(Position, {9, 9}), STOA_VALUE(Velocity, {1, 1}),
                     STOA_ZERO(Frozen));

    stoa_query *moving =
        stoa_query_new(w, &(stoa_query_desc){.terms = {STOA_WRITE(Position), STOA_READ(Velocity),
                                                       STOA_WITHOUT(Frozen)}});
    for (stoa_iter it = stoa_query_iter(moving); stoa_iter_next(&it);) {
        Position *p = stoa_field_mut(&it, Position, 0);
        const Velocity *v = stoa_field(&it, Velocity, 1);
        for (int32_t i = 0; i < it.count; i++) {
            p[i].x += v[i].x;
            p[i].y += v[i].y;
        }
    }
    const Position *p = stoa_get(w, ship, Position);
    printf("the ship is at %g, %g\n", (double)p->x, (double)p->y);
    stoa_world_free(w);
}
