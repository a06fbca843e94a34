/* Entities and their handles: a handle is two numbers, and one that has died never refers to
 * anybody else. */
#include <stdio.h>
#include <stoa.h>

STOA_COMPONENT(Position, { float x, y; });
STOA_COMPONENT(Health, { int32_t points; });

static void show(stoa_world *w, const char *name, stoa_entity e) {
    char text[STOA_ENTITY_TEXT_SIZE];
    printf("%-8s %-4s", name, stoa_entity_print(e, text, sizeof text));
    printf(" %s", stoa_alive(w, e) ? "alive" : "dead");
    stoa_with(w, e, Position, p) {
        printf(", at %g, %g", (double)p->x, (double)p->y);
    }
    stoa_with(w, e, Health, h) {
        printf(", %d points", h->points);
    }
    printf("\n");
}

int main(void) {
    stoa_world *w = stoa_world_new(NULL);

    printf("-- a slot is used again, a handle is not\n");
    stoa_entity first = stoa_create(w);
    show(w, "first", first);
    stoa_destroy(w, first);
    stoa_entity second = stoa_create(w);
    show(w, "first", first);
    show(w, "second", second);

    printf("-- a handle fits into one number, and back\n");
    uint64_t number = stoa_entity_pack(second);
    printf("%s\n", stoa_entity_eq(stoa_entity_unpack(number), second) ? "the same" : "another");

    printf("-- a ref is a world and an entity, for short\n");
    stoa_ref guard =
        stoa_ref_of(w, stoa_create_with(w, STOA_VALUE(Position, {3, 4}), STOA_VALUE(Health, {10})));
    stoa_ref_get_mut(guard, Health)->points -= 1;
    stoa_ref_set(guard, Position, {5, 4});
    show(w, "guard", guard.entity);

    printf("-- a clone has the same components and a life of its own\n");
    stoa_ref twin = stoa_ref_clone(guard);
    stoa_ref_get_mut(twin, Position)->x = 0;
    show(w, "guard", guard.entity);
    show(w, "twin", twin.entity);

    printf("-- clearing takes everything and leaves the entity alive\n");
    stoa_ref_clear(twin);
    show(w, "twin", twin.entity);

    printf("-- many at once, from arrays\n");
    Position places[3] = {{1, 0}, {2, 0}, {3, 0}};
    stoa_entity crowd[3];
    stoa_create_bulk(w, 3, crowd, STOA_COLUMN(Position, places), STOA_ZERO(Health));
    show(w, "last", crowd[2]);

    printf("-- all that live, in order of their slots; a loop may destroy as it goes\n");
    printf("%d entities:", stoa_count(w));
    stoa_entity e = stoa_entity_next(w, STOA_NULL);
    while (!stoa_entity_is_null(e)) {
        char text[STOA_ENTITY_TEXT_SIZE];
        printf(" %s", stoa_entity_print(e, text, sizeof text));
        stoa_destroy(w, e);
        e = stoa_entity_next(w, e);
    }
    printf("\n%d entities\n", stoa_count(w));
    stoa_world_free(w);
}
